/* The blocked engine for linear recurrences: runs a stamped kernel (kernel_linear.h) over the table. */
#ifndef PDP_CPU_LINEAR_H
#define PDP_CPU_LINEAR_H

#include <stddef.h>

#include "core/progress.h"
#include "cpu/kernel_linear_abi.h"

/* T[i] for 0 <= i < cells; the first `preset_count` are preset, the others close over the terms
 * j = 0 .. offset_count-1 with offsets[j] <= i. Offsets are positive, in any order, and may repeat. A table that begins
 * with another cell than the first has its presets, so many that all terms of the others are there. */
typedef struct pdp_linear_job {
    const pdp_linear_kernel *kernel;
    const pdp_kernel_data *data;
    uint64_t origin; /* the table's first cell */
    uint64_t cells;  /* of the table */
    uint64_t preset_count;
    const int64_t *offsets;
    size_t offset_count;
    unsigned threads; /* at least 1; more than one needs OpenMP */
} pdp_linear_job;

/* Bytes of the table the caller provides, whole vectors; it must begin at a multiple of 64. */
uint64_t pdp_linear_table_bytes(const pdp_linear_job *job);

/* Bytes a solve takes beside the table, at its peak. */
uint64_t pdp_linear_scratch_bytes(const pdp_linear_job *job);

/* Fills the table. A kernel that keeps the order takes every cell's terms in the order j = 0, 1, ...; any
 * other takes them by falling ranges of offsets, and in a range by their remainder modulo the lanes: an order
 * that the offsets, the cells and the kernel decide, not the threads, so that sums of floats are the same from
 * run to run and for any number of threads, though not for another vector level. PDP_NO_MEMORY or PDP_CANCELLED
 * on failure. The callback is called by the calling thread. */
pdp_status pdp_linear_solve(const pdp_linear_job *job, void *table, pdp_progress progress, pdp_error *error);

#endif
