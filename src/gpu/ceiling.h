/* How fast the inner update of a recurrence can be on a device, for benchmarks: see the public pdp_device_ceiling. */
#ifndef PDP_GPU_CEILING_H
#define PDP_GPU_CEILING_H

#include "gpu/device.h"
#include "problem/problem.h"
#include "recurrence/emit.h"

/* Compiles the update's ceiling for a problem in a type. Without a device, PDP_BAD_INPUT. All three must outlive it. */
pdp_status pdp_device_ceiling_open(pdp_device_ceiling **out, pdp_device *device, const pdp_problem *problem,
                                   const pdp_stamp *stamp);

#endif
