/* A problem's data on a device: the struct that kernels read, and behind it the arrays it refers to. */
#ifndef PDP_GPU_ARENA_H
#define PDP_GPU_ARENA_H

#include "cpu/data.h"
#include "gpu/device.h"

typedef struct pdp_arena {
    pdp_buffer buffer;
    uint64_t fault_at;
} pdp_arena;

/* Bytes of it. */
uint64_t pdp_arena_bytes(const pdp_problem *problem, const pdp_stamp *stamp);

/* Copies the data to the device. */
pdp_status pdp_arena_create(pdp_arena *arena, pdp_device *device, const pdp_data *data, const pdp_problem *problem,
                            const pdp_stamp *stamp, pdp_error *error);
void pdp_arena_free(pdp_arena *arena, pdp_device *device);

/* The fault that a kernel met, as an error of the problem. Waits for the kernels. */
pdp_status pdp_arena_check(const pdp_arena *arena, pdp_device *device, pdp_data *data, const pdp_problem *problem,
                           pdp_error *error);

#endif
