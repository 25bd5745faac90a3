/* The data of problems on a device: for each the struct that kernels read, and behind it the arrays it refers to; and
 * behind all of them the faults that kernels meet. */
#ifndef PDP_GPU_ARENA_H
#define PDP_GPU_ARENA_H

#include "cpu/data.h"
#include "gpu/device.h"

typedef struct pdp_arena {
    pdp_buffer buffer;
    uint64_t *at; /* where each problem's struct lies: the first one's is at 0 */
} pdp_arena;

/* Bytes that a problem takes of it. */
uint64_t pdp_arena_bytes(const pdp_problem *problem, const pdp_stamp *stamp);

/* Copies the data to the device. The arena is to be freed also after a failure. */
pdp_status pdp_arena_create(pdp_arena *arena, pdp_device *device, const pdp_data *data, size_t count,
                            const pdp_stamp *stamp, pdp_error *error);
void pdp_arena_free(pdp_arena *arena, pdp_device *device);

/* The faults that kernels met, for pdp_data_check. Waits for the kernels. */
pdp_status pdp_arena_read_faults(const pdp_arena *arena, pdp_device *device, pdp_data *data, size_t count,
                                 pdp_error *error);

#endif
