/* How fast the inner update of a recurrence can be on one core, for benchmarks: see the public pdp_ceiling. */
#ifndef PDP_CPU_CEILING_H
#define PDP_CPU_CEILING_H

#include "cpu/kernel.h"
#include "problem/problem.h"

/* Compiles the update's ceiling for a problem in a type. Without a problem, PDP_BAD_INPUT. The problem must outlive it.
 */
pdp_status pdp_ceiling_open(pdp_ceiling **out, const pdp_problem *problem, const pdp_stamp *stamp, pdp_level level);

#endif
