/* The paper's methods on a device, each as the step-exact machine runs it: a launch for every step, or all steps in one
 * launch whose groups wait for each other after each. */
#ifndef PDP_GPU_PAPER_H
#define PDP_GPU_PAPER_H

#include "gpu/device.h"
#include "problem/problem.h"

/* Why a device cannot solve a problem by a method of this name ("pipeline"), or NULL. */
const char *pdp_paper_refuses(const pdp_device *device, const pdp_problem *problem, const char *method);

/* Bytes of the device that a solve takes. The method is not refused. */
uint64_t pdp_paper_bytes(const pdp_device *device, const pdp_problem *problem, const char *method);

/* Solves a problem that is not refused; the device is locked by the caller. `resident` is for one launch; where groups
 * cannot wait for each other that has one group. The table has the shape of pdp_solution_table, and is zero on entry.
 * `kernel_milliseconds` is what the device took from the first step to the last. */
pdp_status pdp_paper_solve(pdp_device *device, const pdp_problem *problem, const char *method, bool resident,
                           int64_t *table, double *kernel_milliseconds, pdp_error *error);

#endif
