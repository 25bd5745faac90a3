#include "gpu/arena.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static const uint64_t ALIGNMENT = 16; /* bytes */

static uint64_t item_count(const pdp_bound_input *input) {
    return (uint64_t)input->extent[0] * (uint64_t)(input->extent[1] > 0 ? input->extent[1] : 1);
}

static uint64_t round_up(uint64_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Takes the next array of the arena, and copies it there if the arena is there. Returns its distance, 0 if there is no
 * such array. */
static int64_t place(unsigned char *arena, uint64_t *used, const void *array, uint64_t bytes) {
    if (!array) {
        return 0;
    }
    const uint64_t at = *used;
    if (arena) {
        memcpy(arena + at, array, bytes);
    }
    *used = round_up(pdp_bytes_add(at, bytes));
    return (int64_t)at;
}

/* On the device an array's distance stands where its address stands here. */
static void set_distance(void *pointer, int64_t distance) {
    memcpy(pointer, &distance, sizeof distance);
}

/* Lays out everything behind the struct; copies it if the arena is there. Returns the bytes in all. */
static uint64_t lay_out(unsigned char *arena, const pdp_data *data, const pdp_problem *problem, const pdp_stamp *stamp,
                        uint64_t *fault_at) {
    const pdp_kernel_data *from = &data->kernel;
    pdp_kernel_data to = *from;
    const uint64_t size = pdp_machine_type_bytes(stamp->type);
    const uint64_t sum_size = stamp->type == PDP_TYPE_F32 ? sizeof(double) : size;
    uint64_t used = round_up(sizeof to);
    for (uint32_t x = 0; x < problem->recurrence->input_count; x++) {
        const uint64_t items = problem->has_input[x] ? item_count(&problem->inputs[x]) : 0;
        set_distance(&to.elements[x], place(arena, &used, from->elements[x], items * size));
        set_distance(&to.wholes[x], place(arena, &used, from->wholes[x], items * sizeof(int64_t)));
        set_distance(&to.sums[x], place(arena, &used, from->sums[x], (items + 1) * sum_size));
        set_distance(&to.whole_sums[x], place(arena, &used, from->whole_sums[x], (items + 1) * sizeof(int64_t)));
    }
    *fault_at = (uint64_t)place(arena, &used, from->fault, sizeof *from->fault);
    set_distance(&to.fault, (int64_t)*fault_at);
    if (arena) {
        memcpy(arena, &to, sizeof to);
    }
    return used;
}

uint64_t pdp_arena_bytes(const pdp_problem *problem, const pdp_stamp *stamp) {
    uint64_t bytes = pdp_bytes_add(sizeof(pdp_kernel_data), sizeof(pdp_kernel_fault) + 3 * ALIGNMENT);
    for (uint32_t x = 0; x < problem->recurrence->input_count; x++) {
        const uint64_t items = problem->has_input[x] ? item_count(&problem->inputs[x]) : 0;
        const uint64_t an_item = 2 * pdp_machine_type_bytes(stamp->type) + 2 * sizeof(int64_t) + sizeof(double);
        bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(items + 1 + 4 * ALIGNMENT, an_item));
    }
    return bytes;
}

pdp_status pdp_arena_create(pdp_arena *arena, pdp_device *device, const pdp_data *data, const pdp_problem *problem,
                            const pdp_stamp *stamp, pdp_error *error) {
    *arena = (pdp_arena){0};
    const uint64_t bytes = lay_out(NULL, data, problem, stamp, &arena->fault_at);
    unsigned char *copy = pdp_pages_allocate(bytes, error);
    if (!copy) {
        return error->status;
    }
    memset(copy, 0, bytes);
    lay_out(copy, data, problem, stamp, &arena->fault_at);
    if (pdp_device_allocate(device, &arena->buffer, bytes, error) == PDP_OK) {
        pdp_device_write(device, arena->buffer, 0, copy, bytes, error);
    }
    free(copy);
    return error->status;
}

void pdp_arena_free(pdp_arena *arena, pdp_device *device) {
    pdp_device_release(device, arena->buffer);
    *arena = (pdp_arena){0};
}

pdp_status pdp_arena_check(const pdp_arena *arena, pdp_device *device, pdp_data *data, const pdp_problem *problem,
                           pdp_error *error) {
    if (pdp_device_read(device, arena->buffer, arena->fault_at, &data->fault, sizeof data->fault, error) != PDP_OK) {
        return error->status;
    }
    return pdp_data_check(data, problem, error);
}
