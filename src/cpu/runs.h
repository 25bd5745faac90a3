/* Linear recurrences without weights, or with one weight for all offsets, whose operator does not mind a cell that
 * comes twice: the work is one or two terms for every run of consecutive offsets, however long. */
#ifndef PDP_CPU_RUNS_H
#define PDP_CPU_RUNS_H

#include "core/progress.h"
#include "cpu/runs_kernel.h"

/* T[i] = T[i] (x) ((x) over the offsets a <= i of T[i-a]) + weight, for i from preset_count on; the first ones are
 * preset. */
typedef struct pdp_runs_job {
    size_t cells;
    size_t preset_count;
    const size_t *offsets; /* positive, in any order, may repeat */
    size_t offset_count;
    const pdp_runs_kernel *kernel;
    int64_t weight; /* other than 0: only for min, and of cells that are `none` on entry */
    bool can_miss;  /* cells can be without terms, and then are `none`: no value, whatever is added */
    int64_t none;   /* the identity; a value like others if they cannot */
} pdp_runs_job;

/* Fills the table, whose elements have the kernel's size. On entry it has the presets, and then what is to be combined
 * with the terms: a source or the identity. PDP_NO_MEMORY or PDP_CANCELLED on failure. */
pdp_status pdp_runs_solve(const pdp_runs_job *job, void *table, pdp_progress progress, pdp_error *error);

/* Bytes that pdp_runs_solve allocates and frees again. */
uint64_t pdp_runs_bytes(const pdp_runs_job *job);

/* How many elements a solve combines, for a choice between methods; infinite without memory to find out. */
double pdp_runs_operations(const pdp_runs_job *job);
double pdp_runs_near(const pdp_runs_job *job); /* those of them that do not grow with vectors */

#endif
