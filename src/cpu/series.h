/* Sums with fixed weights as power series: a blocked convolution that keeps up with the cells it computes. */
#ifndef PDP_CPU_SERIES_H
#define PDP_CPU_SERIES_H

#include "core/progress.h"
#include "cpu/ring.h"

/* ST[i] = x(i) + the sum over d = 1 .. longest of weights[d] * ST[i - d], d <= i, for preset_count <= i < cells. */
typedef struct pdp_series_job {
    pdp_ring_kind kind;
    int64_t modulus; /* PDP_RING_MOD: weights are brought near 0, cells are 0 .. modulus-1 */
    int64_t lowest;  /* PDP_RING_EXACT: a cell below this, or above that, does not fit */
    int64_t highest;
    unsigned bits; /* of the largest sum: see pdp_ring_bits */
    size_t cells;
    size_t preset_count;
    size_t longest;                              /* the greatest offset below `cells`; 0 if there is none */
    const int64_t *weights;                      /* longest + 1 of them */
    pdp_wide (*source)(void *context, size_t i); /* x(i), asked once for each cell, in order; or NULL */
    void *context;
    pdp_level level;
} pdp_series_job;

/* Why the job cannot be done, or NULL. Looks at kind, modulus, bits and longest alone, as does the next. */
const char *pdp_series_refuse(const pdp_series_job *job);
uint64_t pdp_series_bytes(const pdp_series_job *job); /* besides the table */

/* Vector operations, about; a cheap guess for comparing methods. */
double pdp_series_operations(const pdp_series_job *job);

/* Fills the table, whose presets are there. PDP_NO_MEMORY, PDP_CANCELLED, or PDP_OVERFLOW with *failed set to the first
 * cell that does not fit, and no text. */
pdp_status pdp_series_solve(const pdp_series_job *job, int64_t *table, size_t *failed, pdp_progress progress,
                            pdp_error *error);

#endif
