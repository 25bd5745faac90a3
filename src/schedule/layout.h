/* The triangular table of a chain of n matrices as a linear array, diagonal by diagonal, as in Fig. 5
 * of the paper. Diagonal d holds the n-d cells of d+1 matrices; row i (from 0) of it is the interval
 * of vertices (i, i+d+1). Addresses count from 0, one less than the paper's numbers. */
#ifndef PDP_SCHEDULE_LAYOUT_H
#define PDP_SCHEDULE_LAYOUT_H

#include <stddef.h>

static inline size_t pdp_layout_address(size_t n, size_t d, size_t row) {
    return d * (2 * n - d + 1) / 2 + row;
}

#endif
