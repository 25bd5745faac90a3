/* Linear recurrences under min without weights, or with one weight for all offsets: cells are settled in the order of
 * their values, so that most terms are never looked at. */
#ifndef PDP_CPU_SETTLE_H
#define PDP_CPU_SETTLE_H

#include <stdbool.h>

#include "core/progress.h"

/* No value: no cell has it that is worth anything. Larger than, or as large as, every key. */
#define PDP_SETTLE_NONE INT64_MAX

/* T[i] = min(source[i], min over the offsets a <= i of T[i-a] + weight) for i from preset_count on; the first ones are
 * preset. Other values than int64, and max, come as keys in the same order. */
typedef struct pdp_settle_job {
    size_t cells;
    size_t preset_count;
    const size_t *offsets; /* positive, in any order, may repeat */
    size_t offset_count;
    bool has_source;
    int64_t weight; /* 0 or more; no key that is not PDP_SETTLE_NONE leaves int64 */
} pdp_settle_job;

/* Fills the keys. On entry they are the presets, and then the sources, or PDP_SETTLE_NONE where there are none.
 * A cell without any term or source stays PDP_SETTLE_NONE. PDP_NO_MEMORY or PDP_CANCELLED on failure.
 *
 * Never takes more than about twice the plain loop: as soon as what was done comes to the terms of the cells that are
 * left, these are computed term by term. */
pdp_status pdp_settle_solve(const pdp_settle_job *job, int64_t *keys, pdp_progress progress, pdp_error *error);

/* Bytes that pdp_settle_solve allocates and frees again. */
uint64_t pdp_settle_bytes(const pdp_settle_job *job);

/* About how many steps of the innermost loops a solve will take, if the offsets lie like random ones: for a choice
 * between methods. */
double pdp_settle_operations(const pdp_settle_job *job);

#endif
