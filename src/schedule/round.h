/* A round: what the active threads of a synchronous machine do in one step. All of them read, then
 * all compute, then all write. Threads and addresses count from 0; addresses 0 .. cells-1 are the
 * table in the paper's linear order, those beyond it the scratch slots of the tournament. */
#ifndef PDP_SCHEDULE_ROUND_H
#define PDP_SCHEDULE_ROUND_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

typedef struct pdp_round {
    size_t count;
    size_t left_count;  /* the first so many threads have a left operand ... */
    size_t right_count; /* ... and a right one */
    uint32_t *thread;   /* strictly increasing */
    uint32_t *target;
    uint32_t *left;  /* S-DP: the operand */
    uint32_t *right; /* S-DP: the second operand of the 2-by-2 pipeline */
    uint32_t *i;     /* matrix chain: the vertices of the term */
    uint32_t *k;
    uint32_t *j;
    uint8_t *flags;   /* PDP_STORES, PDP_FINISHES */
    uint32_t *memory; /* of all the arrays above */
} pdp_round;

/* Room for `threads` threads. */
pdp_status pdp_round_create(pdp_round *round, size_t threads, pdp_error *error);
uint64_t pdp_round_bytes(size_t threads);
void pdp_round_free(pdp_round *round);

#endif
