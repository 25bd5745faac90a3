/* A chain's least cost and nothing else: the second opinion on whoever has solved it.
 *
 * The theory is that of cpu/hu_shing.c, whose words are used here; the code is not. The polygon is walked round the
 * other way, so that ties fall otherwise and the arcs are joined in another order; breaks are kept in pairing heaps;
 * and since nobody asks for an order, what was cut off is forgotten, and its place is used again, so that the memory
 * which is touched is that of the breaks which are still there, few for most chains. */
#include <stdlib.h>

#include "core/memory.h"
#include "core/wide.h"
#include "reference/reference.h"

enum { NO_BREAK = 0 }; /* breaks count from 1 */
enum { FEW_PIECES = 128 };

/* Where every cost that is met fits. */
#define COST uint64_t
#define WIDTH(name) short_##name
#include "reference/mcm_cost_walk.h"

/* Where neighbours' products fit into 63 bits, and so those of corners between which all others are heavier: then a
 * triangle under a lightest corner costs less than 2^95, and there are fewer than 2^31 of them. */
#define COST pdp_uwide
#define WIDTH(name) long_##name
#include "reference/mcm_cost_walk.h"

static bool neighbours_fit(const int64_t *dims, size_t corners) {
    bool fit = true;
    for (size_t m = 0; m < corners && fit; m++) {
        const int64_t next = dims[m + 1 < corners ? m + 1 : 0];
        fit = pdp_wide_fits((pdp_wide)dims[m] * next);
    }
    return fit;
}

uint64_t pdp_reference_cost_bytes(size_t n, bool is_sure) {
    return pdp_bytes_multiply((uint64_t)n + 3, is_sure ? short_bytes : long_bytes);
}

pdp_status pdp_reference_cost_mcm(const int64_t *dims, size_t n, bool is_sure, pdp_wide *cost, pdp_error *error) {
    *cost = 0;
    if (n < 2) {
        return PDP_OK;
    }
    if (n > INT32_MAX) {
        return pdp_error_set(error, PDP_BAD_INPUT, "%zu matrices: more than %d are not supported", n, INT32_MAX);
    }
    if (is_sure) {
        uint64_t found = 0;
        short_find(dims, n, &found, error);
        *cost = (pdp_wide)found;
    } else if (neighbours_fit(dims, n + 1)) {
        pdp_uwide found = 0;
        long_find(dims, n, &found, error);
        *cost = (pdp_wide)found;
    } else { /* some triangle of every order has the two */
        *cost = (pdp_wide)INT64_MAX + 1;
    }
    return error->status;
}
