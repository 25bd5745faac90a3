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

/* Lays out a problem's data from `at` on: everything behind the struct; copies it if the arena is there. Distances
 * count from the struct. Returns where it ends. */
static uint64_t lay_out(unsigned char *arena, uint64_t at, const pdp_data *data, const pdp_stamp *stamp,
                        uint64_t fault_at) {
    const pdp_problem *problem = data->problem;
    const pdp_kernel_data *from = &data->kernel;
    pdp_kernel_data to = *from;
    const uint64_t size = pdp_machine_type_bytes(stamp->type);
    const uint64_t sum_size = stamp->type == PDP_TYPE_F32 ? sizeof(double) : size;
    unsigned char *own = arena ? arena + at : NULL;
    uint64_t used = round_up(sizeof to);
    for (uint32_t x = 0; x < problem->recurrence->input_count; x++) {
        const uint64_t items = problem->has_input[x] ? item_count(&problem->inputs[x]) : 0;
        set_distance(&to.elements[x], place(own, &used, from->elements[x], items * size));
        set_distance(&to.wholes[x], place(own, &used, from->wholes[x], items * sizeof(int64_t)));
        set_distance(&to.sums[x], place(own, &used, from->sums[x], (items + 1) * sum_size));
        set_distance(&to.whole_sums[x], place(own, &used, from->whole_sums[x], (items + 1) * sizeof(int64_t)));
    }
    set_distance(&to.fault, (int64_t)(fault_at - at));
    if (own) {
        memcpy(own, &to, sizeof to);
    }
    return pdp_bytes_add(at, used);
}

uint64_t pdp_arena_bytes(const pdp_problem *problem, const pdp_stamp *stamp) {
    uint64_t bytes = sizeof(pdp_kernel_data) + sizeof(pdp_kernel_fault) + 3 * ALIGNMENT;
    for (uint32_t x = 0; x < problem->recurrence->input_count; x++) {
        const uint64_t items = problem->has_input[x] ? item_count(&problem->inputs[x]) : 0;
        const uint64_t an_item = 2 * pdp_machine_type_bytes(stamp->type) + 2 * sizeof(int64_t) + sizeof(double);
        bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(items + 1 + 4 * ALIGNMENT, an_item));
    }
    return bytes;
}

pdp_status pdp_arena_create(pdp_arena *arena, pdp_device *device, const pdp_data *data, size_t count,
                            const pdp_stamp *stamp, pdp_error *error) {
    *arena = (pdp_arena){.at = pdp_array_allocate(count + 1, sizeof *arena->at, error)};
    if (!arena->at) {
        return error->status;
    }
    for (size_t x = 0; x < count; x++) {
        arena->at[x + 1] = lay_out(NULL, arena->at[x], &data[x], stamp, 0);
    }
    const uint64_t fault_at = arena->at[count];
    const uint64_t bytes = pdp_bytes_add(fault_at, count * sizeof(pdp_kernel_fault));
    unsigned char *copy = pdp_pages_allocate(bytes, error);
    if (!copy) {
        return error->status;
    }
    memset(copy, 0, bytes);
    for (size_t x = 0; x < count; x++) {
        lay_out(copy, arena->at[x], &data[x], stamp, fault_at + x * sizeof(pdp_kernel_fault));
    }
    if (pdp_device_allocate(device, &arena->buffer, bytes, error) == PDP_OK) {
        pdp_device_write(device, arena->buffer, 0, copy, bytes, error);
    }
    free(copy);
    return error->status;
}

void pdp_arena_free(pdp_arena *arena, pdp_device *device) {
    pdp_device_release(device, arena->buffer);
    free(arena->at);
    *arena = (pdp_arena){0};
}

pdp_status pdp_arena_read_faults(const pdp_arena *arena, pdp_device *device, pdp_data *data, size_t count,
                                 pdp_error *error) {
    pdp_kernel_fault *faults = pdp_array_allocate(count, sizeof *faults, error);
    if (faults &&
        pdp_device_read(device, arena->buffer, arena->at[count], faults, count * sizeof *faults, error) == PDP_OK) {
        for (size_t x = 0; x < count; x++) {
            data[x].fault = faults[x];
        }
    }
    free(faults);
    return error->status;
}
