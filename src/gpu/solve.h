/* Problems solved on a device. */
#ifndef PDP_GPU_SOLVE_H
#define PDP_GPU_SOLVE_H

#include "core/progress.h"
#include "cpu/data.h"
#include "gpu/device.h"
#include "solution/solution.h"

typedef struct pdp_gpu_job {
    pdp_device *device; /* locked by the caller */
    const pdp_problem *problem;
    const pdp_stamp *stamp;
    pdp_program *program; /* of pdp_device_text */
    bool table;           /* is wanted here, in the solution */
    bool decisions;
    pdp_progress progress;
} pdp_gpu_job;

/* Bytes on the device that a solve takes. */
uint64_t pdp_gpu_bytes(const pdp_problem *problem, const pdp_stamp *stamp, bool decisions, bool splits);

/* Bytes of the table as it comes back. */
uint64_t pdp_gpu_table_bytes(const pdp_problem *problem, const pdp_stamp *stamp);

pdp_status pdp_gpu_solve(const pdp_gpu_job *job, pdp_solution *solution);

/* Solves into the solution: its value, and what else the job asks for. `kernel_milliseconds` is what the device itself
 * took. */
pdp_status pdp_gpu_solve_interval(const pdp_gpu_job *job, pdp_solution *solution, double *kernel_milliseconds);
pdp_status pdp_gpu_solve_linear(const pdp_gpu_job *job, pdp_solution *solution, double *kernel_milliseconds);

/* Device bytes of each, without the data. */
uint64_t pdp_gpu_interval_bytes(const pdp_problem *problem, const pdp_stamp *stamp, bool decisions, bool splits);
uint64_t pdp_gpu_linear_bytes(const pdp_problem *problem, const pdp_stamp *stamp);

#endif
