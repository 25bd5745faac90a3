#include "cpu/data.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

size_t pdp_machine_type_bytes(pdp_machine_type type) {
    static const size_t bytes[] = {4, 8, 4, 8, 4, 8, 16};
    return bytes[type];
}

static size_t item_count(const pdp_bound_input *input) {
    return (size_t)input->extent[0] * (size_t)(input->extent[1] > 0 ? input->extent[1] : 1);
}

/* Floats are summed in doubles. */
static pdp_machine_type sum_type(const pdp_stamp *stamp) {
    return stamp->type == PDP_TYPE_F32 ? PDP_TYPE_F64 : stamp->type;
}

uint64_t pdp_data_bytes(const pdp_problem *problem, const pdp_stamp *stamp) {
    uint64_t bytes = 0;
    for (uint32_t x = 0; x < problem->recurrence->input_count; x++) {
        const pdp_bound_input *input = &problem->inputs[x];
        const uint64_t items = item_count(input);
        const bool is_summed = input->whole_sums || input->real_sums;
        bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(items, pdp_machine_type_bytes(stamp->type)));
        if (is_summed) {
            bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(items + 1, pdp_machine_type_bytes(sum_type(stamp)) + 8));
        }
    }
    return bytes;
}

/* One number in the element type. Bounds have proven that it fits, or the arithmetic is modular anyway. */
static void store(void *array, size_t at, pdp_machine_type type, pdp_wide whole, double real, bool is_real) {
    switch (type) {
    case PDP_TYPE_I32: ((int32_t *)array)[at] = (int32_t)whole; break;
    case PDP_TYPE_I64: ((int64_t *)array)[at] = (int64_t)whole; break;
    case PDP_TYPE_F32: ((float *)array)[at] = is_real ? (float)real : (float)(int64_t)whole; break;
    case PDP_TYPE_F64: ((double *)array)[at] = is_real ? real : (double)(int64_t)whole; break;
    case PDP_TYPE_U32: ((uint32_t *)array)[at] = (uint32_t)whole; break;
    case PDP_TYPE_U64: ((uint64_t *)array)[at] = (uint64_t)whole; break;
    case PDP_TYPE_WIDE: ((pdp_wide *)array)[at] = whole; break;
    }
}

static pdp_wide reduce(pdp_wide value, int64_t modulus) {
    pdp_wide rest = modulus > 0 ? value % modulus : value;
    return rest < 0 && modulus > 0 ? rest + modulus : rest;
}

/* The items of an input, or its running sums, in the element type. */
static void *convert(const pdp_bound_input *input, bool sums, const pdp_stamp *stamp, int64_t modulus,
                     pdp_error *error) {
    const size_t count = item_count(input) + (sums ? 1 : 0);
    const pdp_machine_type type = sums ? sum_type(stamp) : stamp->type;
    const double *reals = sums ? input->real_sums : input->real;
    const pdp_wide *whole_sums = sums ? input->whole_sums : NULL;
    void *array = pdp_pages_allocate(pdp_bytes_multiply(count, pdp_machine_type_bytes(type)), error);
    for (size_t x = 0; array && x < count; x++) {
        const pdp_wide whole = reals ? 0 : whole_sums ? whole_sums[x] : (pdp_wide)input->whole[x];
        store(array, x, type, stamp->modular ? reduce(whole, modulus) : whole, reals ? reals[x] : 0, reals != NULL);
    }
    return array;
}

/* Infinity and the largest value: U < limit < infinity, and infinity plus a term's weight stays in the type, as the
 * plan has made sure. */
static void set_identity(pdp_kernel_data *kernel, const pdp_problem *problem, const pdp_stamp *stamp) {
    const bool is_min = problem->combine == PDP_OP_MIN;
    const bool is_short = stamp->type == PDP_TYPE_I32;
    const int64_t most = is_short ? INT32_MAX : INT64_MAX;
    const int64_t infinity = stamp->can_miss ? most / 2 : most;
    kernel->identity = is_min ? infinity : -infinity;
    kernel->limit = is_min ? infinity / 2 : -(infinity / 2);
    kernel->real_identity = is_min ? (double)INFINITY : -(double)INFINITY;
}

pdp_status pdp_data_create(pdp_data *data, const pdp_problem *problem, const pdp_stamp *stamp, pdp_error *error) {
    const pdp_recurrence *r = problem->recurrence;
    pdp_kernel_data *kernel = &data->kernel;
    *data = (pdp_data){.problem = problem};
    kernel->points = (int64_t)(r->shape == PDP_INTERVAL ? problem->n + 1 : problem->n);
    kernel->first = INT64_MAX;
    for (size_t j = 0; r->shape == PDP_LINEAR && j < problem->offset_count; j++) {
        const int64_t offset = (int64_t)problem->offsets[j];
        kernel->first = offset < kernel->first ? offset : kernel->first;
    }
    kernel->modulus = problem->modulus;
    kernel->fault = &data->fault;
    set_identity(kernel, problem, stamp);
    for (uint32_t x = 0; x < r->dim_count; x++) {
        kernel->dims[x] = problem->sizes[x];
    }
    for (uint32_t x = 0; x < r->param_count; x++) {
        kernel->params[x] = problem->params[x];
        kernel->real_params[x] = problem->real_params[x];
    }
    for (uint32_t x = 0; x < r->input_count && error->status == PDP_OK; x++) {
        const pdp_bound_input *input = &problem->inputs[x];
        if (!problem->has_input[x]) {
            continue;
        }
        kernel->wholes[x] = input->whole;
        kernel->extents[x][0] = input->extent[0];
        kernel->extents[x][1] = input->extent[1];
        void **owned = &data->owned[(size_t)3 * x];
        kernel->elements[x] = owned[0] = convert(input, false, stamp, problem->modulus, error);
        if (error->status == PDP_OK && (input->whole_sums || input->real_sums)) {
            kernel->sums[x] = owned[1] = convert(input, true, stamp, problem->modulus, error);
        }
        if (error->status == PDP_OK && input->whole_sums) {
            const pdp_stamp whole = {.type = PDP_TYPE_I64};
            kernel->whole_sums[x] = owned[2] = convert(input, true, &whole, 0, error);
        }
    }
    if (error->status != PDP_OK) {
        pdp_data_free(data);
    }
    return error->status;
}

void pdp_data_free(pdp_data *data) {
    for (size_t x = 0; x < sizeof data->owned / sizeof *data->owned; x++) {
        free(data->owned[x]);
        data->owned[x] = NULL;
    }
}

pdp_status pdp_data_check(const pdp_data *data, pdp_error *error) {
    const pdp_recurrence *r = data->problem->recurrence;
    const pdp_kernel_fault *fault = &data->fault;
    if (fault->kind == 0) {
        return PDP_OK;
    }
    static const char hint[] = "maybe where there is no cell: method 'sequential' tells where";
    if (fault->kind == 2) {
        return pdp_error_set(error, PDP_BAD_INPUT, "%s divides by zero, %s", r->name, hint);
    }
    return pdp_error_set(error, PDP_BAD_INPUT, "%s looks up %s at %" PRId64 ", and it has %" PRId64 " %s, %s", r->name,
                         r->inputs[fault->input].name, fault->index, data->kernel.extents[fault->input][fault->axis],
                         fault->axis == 0 ? "items" : "columns", hint);
}
