#include "solution/tiles.h"

#include <stdlib.h>

#include "core/memory.h"

uint64_t pdp_tiles_bytes(pdp_tiles *tiles) {
    tiles->side = (tiles->points + tiles->tile - 1) / tiles->tile;
    tiles->room = tiles->side * tiles->tile - tiles->points;
    uint64_t side = tiles->side;
    uint64_t count = side % 2 == 0 ? pdp_bytes_multiply(side / 2, side + 1) : pdp_bytes_multiply((side + 1) / 2, side);
    return pdp_bytes_multiply(count, (uint64_t)tiles->tile * tiles->tile * tiles->cell_bytes);
}

pdp_status pdp_tiles_allocate(pdp_tiles *tiles, pdp_error *error) {
    tiles->cells = pdp_pages_allocate(pdp_tiles_bytes(tiles), error);
    return error->status;
}

void pdp_tiles_free(pdp_tiles *tiles) {
    free(tiles->cells);
    tiles->cells = NULL;
}
