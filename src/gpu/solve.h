/* Problems solved on a device. */
#ifndef PDP_GPU_SOLVE_H
#define PDP_GPU_SOLVE_H

#include "core/progress.h"
#include "cpu/data.h"
#include "gpu/device.h"
#include "solution/solution.h"

typedef struct pdp_gpu_job {
    pdp_device *device; /* locked by the caller */
    const pdp_stamp *stamp;
    pdp_program *program; /* of pdp_device_text */
    uint64_t memory;      /* bytes of the device that may be taken */
    bool table;           /* is wanted here, in the solutions */
    uint64_t last_cells;  /* linear: so many of them are wanted, if the table is not */
    bool splits;
    bool decisions;
    pdp_progress progress;
} pdp_gpu_job;

/* Bytes on the device that a solve takes. */
uint64_t pdp_gpu_bytes(const pdp_problem *problem, const pdp_stamp *stamp, bool decisions, bool splits);

/* Bytes of the table as it comes back. */
uint64_t pdp_gpu_table_bytes(const pdp_problem *problem, const pdp_stamp *stamp);

/* Bytes here of the record of a run, if there is one. */
uint64_t pdp_gpu_record_bytes(const pdp_problem *problem, const pdp_stamp *stamp);

/* Updates that a solve does, about: what it takes of the time of a batch. */
double pdp_gpu_updates(const pdp_problem *problem);

/* Solves the problems of the solutions, which the stamp fits all, into them. Interval problems go side by side, as many
 * at once as the memory has room for; linear ones go one after the other. What fails for a problem alone is that
 * solution's error; what the device refuses is the error of all that it was to solve then. Of a time that several share
 * each solution has what is due to it. Brings the solutions into another order. */
void pdp_gpu_solve(const pdp_gpu_job *job, pdp_solution **solutions, size_t count);

/* The two: `solutions` has those with more points first, and there is room for all of them. `kernel_milliseconds` is
 * what the device itself took. */
void pdp_gpu_solve_interval(const pdp_gpu_job *job, pdp_solution *const *solutions, size_t count, pdp_progress progress,
                            double *kernel_milliseconds);
pdp_status pdp_gpu_solve_linear(const pdp_gpu_job *job, pdp_solution *solution, pdp_progress progress,
                                double *kernel_milliseconds);

/* After the check of a trace, which has left the solution's record: `found` is what is wrong with it. */
pdp_status pdp_gpu_take_record(pdp_solution *solution, const pdp_error *found);

/* Device bytes of each, without the data. */
uint64_t pdp_gpu_interval_bytes(const pdp_problem *problem, const pdp_stamp *stamp, bool decisions, bool splits);
uint64_t pdp_gpu_linear_bytes(const pdp_problem *problem, const pdp_stamp *stamp);

/* Bytes here of the record of each. */
uint64_t pdp_gpu_interval_record_bytes(const pdp_problem *problem, const pdp_stamp *stamp);
uint64_t pdp_gpu_linear_record_bytes(const pdp_problem *problem, const pdp_stamp *stamp);

#endif
