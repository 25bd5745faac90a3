/* What the interval driver and a stamped kernel know of each other.
 *
 * Points 0 .. points-1 are cut into tiles of `tile`, the last of which is full, while the first may begin before point
 * 0; tile (I,J), I <= J, holds the cells M[i][j] of its points. Inside
 * a tile the columns lie in panels of `panel`: cell (i,j), counted from the tile's corner, is at (j / panel) * tile *
 * panel + i * panel + j % panel. */
#ifndef PDP_CPU_KERNEL_INTERVAL_ABI_H
#define PDP_CPU_KERNEL_INTERVAL_ABI_H

#include <stdint.h>

/* The tiles around the one that is finished. */
typedef struct pdp_tile_frame {
    int64_t i0; /* its first row and first column */
    int64_t j0;
    void *tile;
    const void *rows;    /* (I,I): the tile itself on the diagonal */
    const void *columns; /* (J,J) */
    const void *left;    /* (I,J-1), (I+1,J), (I+1,J-1), for M[i+1][j-1] at the edges; NULL where there is none */
    const void *below;
    const void *corner;
} pdp_tile_frame;

typedef struct pdp_interval_kernel {
    uint32_t elem_bytes;
    uint32_t tile;
    uint32_t panel;
    uint32_t scratch_bytes; /* for each thread, aligned to 64 */
    /* Every cell becomes the identity. */
    void (*start)(const void *data, void *tile);
    /* c (+)= a (x) b, for tiles (I,J), (I,K), (K,J) with I < K < J. Meanwhile the two tiles of `next` are fetched,
     * which the next product reads. */
    void (*product)(const void *data, void *c, const void *a, const void *b, int64_t i0, int64_t k0, int64_t j0,
                    const void *const *next, void *scratch);
    /* All that is left: k within the tiles I and J, leaves, options, finish. */
    void (*finish)(const void *data, const pdp_tile_frame *frame, void *scratch);
    /* The smallest k among the points of a tile that gives M[i][j] its value, 0 if none does. The tile begins with
     * point k0; `row` and `column` are where M[i][k0] and M[k0][j] lie. */
    int64_t (*split)(const void *data, const void *cell, const void *row, const void *column, int64_t i, int64_t j,
                     int64_t k0);
    /* out[x] is M[i][j+x] as if its terms came to 0, for x < count. NULL unless the recurrence is one for cpu/knuth.h
     * and the elements are int64. */
    void (*weigh)(const void *data, int64_t i, int64_t j, int64_t count, int64_t *out);
} pdp_interval_kernel;

#endif
