/* One far cell of a sum with fixed weights, without the cells before it: Bostan and Mori's way through the generating
 * function U(x)/V(x). Its coefficient N is coefficient N/2 of the even or the odd part of U(x)V(-x) over V(x)V(-x), of
 * which only even powers are left: a step a bit of N. */
#ifndef PDP_CPU_BOSTAN_MORI_H
#define PDP_CPU_BOSTAN_MORI_H

#include "core/progress.h"
#include "cpu/ring.h"

/* Is told U and V at the start and after every step; numbers as below. */
typedef void pdp_bostan_mori_watch(void *context, const int64_t *upper, size_t upper_count, const int64_t *lower,
                                   size_t lower_count);

/* ST[i] = x(i) + the sum over d = 1 .. longest of weights[d] * ST[i - d], d <= i, for i >= preset_count. Residues are
 * 0 .. modulus-1, numbers modulo 2^64 in int64. */
typedef struct pdp_bostan_mori_job {
    pdp_ring_kind kind; /* not PDP_RING_EXACT */
    int64_t modulus;
    size_t longest;
    const int64_t *weights; /* longest + 1 of them */
    size_t preset_count;    /* at most `longest`, and at most the cell that is asked for */
    const int64_t *presets;
    size_t source_count; /* x(i) = sources[i - preset_count] as far as they go, and then 0 */
    const int64_t *sources;
    bool is_steady; /* instead x(i) is the sum of sources[0 .. i - preset_count], and then always the same */
    uint64_t cell;
    pdp_level level;
    pdp_bostan_mori_watch *watch; /* or NULL */
    void *context;
} pdp_bostan_mori_job;

/* Why the job cannot be done, or NULL. Looks at no array, as do the next two. */
const char *pdp_bostan_mori_refuse(const pdp_bostan_mori_job *job);
uint64_t pdp_bostan_mori_bytes(const pdp_bostan_mori_job *job);

/* Vector operations, about; a cheap guess for comparing methods. */
double pdp_bostan_mori_operations(const pdp_bostan_mori_job *job);

/* PDP_NO_MEMORY or PDP_CANCELLED on failure. */
pdp_status pdp_bostan_mori_solve(const pdp_bostan_mori_job *job, int64_t *value, pdp_progress progress,
                                 pdp_error *error);

#endif
