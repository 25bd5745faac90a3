/* The table of an interval problem in tiles: the upper triangle of tiles, each of them contiguous. The last point ends
 * a tile; where the points do not fill whole tiles, the first has room for some before point 0. */
#ifndef PDP_SOLUTION_TILES_H
#define PDP_SOLUTION_TILES_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

typedef struct pdp_tiles {
    unsigned char *cells;
    size_t points;
    size_t side;  /* tiles in a row */
    size_t room;  /* in the first tile, before point 0 */
    size_t tile;  /* points in a tile */
    size_t panel; /* columns of a tile that lie together, row by row */
    size_t cell_bytes;
} pdp_tiles;

/* Column by column: a tile's column holds the tiles above the diagonal one and itself. */
static inline void *pdp_tiles_at(const pdp_tiles *tiles, size_t row, size_t column) {
    return tiles->cells + (column * (column + 1) / 2 + row) * tiles->tile * tiles->tile * tiles->cell_bytes;
}

/* Where a cell lies in its tile, in bytes. */
static inline size_t pdp_tiles_within(const pdp_tiles *tiles, size_t row, size_t column) {
    const size_t panel = column / tiles->panel;
    return (panel * tiles->tile * tiles->panel + row * tiles->panel + column % tiles->panel) * tiles->cell_bytes;
}

/* Where the cell M[i][j] lies, i < j. */
static inline const void *pdp_tiles_cell(const pdp_tiles *tiles, size_t i, size_t j) {
    i += tiles->room;
    j += tiles->room;
    const unsigned char *tile = pdp_tiles_at(tiles, i / tiles->tile, j / tiles->tile);
    return tile + pdp_tiles_within(tiles, i % tiles->tile, j % tiles->tile);
}

/* Bytes of the cells, UINT64_MAX where that does not fit. Sets `side` and `room`. */
uint64_t pdp_tiles_bytes(pdp_tiles *tiles);

/* Allocates the cells, not initialised. */
pdp_status pdp_tiles_allocate(pdp_tiles *tiles, pdp_error *error);
void pdp_tiles_free(pdp_tiles *tiles);

#endif
