/* Data meets recurrence: setting the fields, and checking that they fit together. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "problem/bound.h"
#include "problem/problem.h"
#include "recurrence/canonise.h"

pdp_status pdp_problem_create(pdp_problem **out, const pdp_recurrence *recurrence) {
    pdp_problem *problem = *out = calloc(1, sizeof *problem);
    if (!problem) {
        return PDP_NO_MEMORY;
    }
    if (!recurrence || recurrence->error.status != PDP_OK) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT, "the recurrence is not valid: %.200s",
                             pdp_recurrence_error(recurrence));
    }
    problem->recurrence = pdp_recurrence_share(recurrence);
    problem->shape = recurrence->shape;
    problem->combine = recurrence->combine;
    problem->element = recurrence->element;
    return PDP_OK;
}

const char *pdp_problem_error(const pdp_problem *problem) {
    return problem ? problem->error.text : "out of memory";
}

pdp_problem *pdp_problem_share(const pdp_problem *problem) {
    pdp_problem *shared = (pdp_problem *)problem;
    shared->users++;
    return shared;
}

void pdp_problem_free(pdp_problem *problem) {
    if (!problem || problem->users-- != 0) {
        return;
    }
    if (problem->whole) {
        pdp_problem_free(problem->whole);
        free(problem);
        return;
    }
    for (size_t x = 0; x < PDP_MAX_INPUTS; x++) {
        free((void *)problem->inputs[x].whole);
        free((void *)problem->inputs[x].real);
        free((void *)problem->inputs[x].whole_sums);
        free((void *)problem->inputs[x].real_sums);
    }
    free(problem->offsets);
    free(problem->presets);
    pdp_recurrence_free(problem->recurrence);
    free(problem);
}

size_t pdp_problem_reach(const pdp_problem *problem) {
    size_t reach = 0;
    for (size_t j = 0; j < problem->offset_count; j++) {
        const size_t offset = problem->offsets[j];
        reach = offset < problem->n && offset > reach ? offset : reach;
    }
    return reach;
}

pdp_bindings pdp_problem_bindings(const pdp_problem *problem) {
    return (pdp_bindings){.recurrence = problem->recurrence,
                          .element = problem->element,
                          .modulus = problem->modulus,
                          .dims = problem->sizes,
                          .params = problem->params,
                          .real_params = problem->real_params,
                          .inputs = problem->inputs};
}

/* ---- Setting ---- */

static bool find_param(const pdp_recurrence *r, const char *name, uint32_t *at) {
    for (*at = 0; *at < r->param_count; (*at)++) {
        if (strcmp(r->params[*at].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool find_input(const pdp_recurrence *r, const char *name, uint32_t *at) {
    for (*at = 0; *at < r->input_count; (*at)++) {
        if (strcmp(r->inputs[*at].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static pdp_status fail_unknown(pdp_problem *problem, const char *name) {
    const pdp_recurrence *r = problem->recurrence;
    char list[200] = "";
    pdp_field field;
    for (size_t x = 0; pdp_recurrence_field(r, x, &field); x++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", x > 0 ? ", " : "", field.name);
    }
    return pdp_error_set(&problem->error, PDP_BAD_INPUT, "%s has no input or parameter '%.40s'; it has %s", r->name,
                         name, list);
}

/* A list or matrix of numbers, one of the two kinds. */
typedef struct numbers {
    const int64_t *whole;
    const double *real;
    size_t rows;
    size_t columns; /* 0: a list */
} numbers;

static pdp_status set_param(pdp_problem *problem, uint32_t at, const numbers *data) {
    const pdp_param *param = &problem->recurrence->params[at];
    if (param->is_operator) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT, "parameter %s is an operator: set it by its name",
                             param->name);
    }
    if (data->rows != 1 || data->columns != 0) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT, "parameter %s is one number, and %zu were given",
                             param->name, data->rows);
    }
    if (data->real && !param->is_real) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT, "parameter %s is %.17g, and must be a whole number",
                             param->name, data->real[0]);
    }
    if (data->real && !isfinite(data->real[0])) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT, "parameter %s is %f, and must be finite", param->name,
                             data->real[0]);
    }
    problem->params[at] = data->whole ? data->whole[0] : 0;
    problem->real_params[at] = data->real ? data->real[0] : (double)problem->params[at];
    problem->has_param[at] = true;
    return PDP_OK;
}

/* Copies into the kind of number that the input is of. */
static pdp_status set_input(pdp_problem *problem, uint32_t at, const numbers *data) {
    const pdp_input *input = &problem->recurrence->inputs[at];
    pdp_bound_input *bound = &problem->inputs[at];
    const bool is_matrix = input->extent[1] != PDP_NO_NODE;
    if (is_matrix != (data->columns > 0)) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT, "input %s is a %s, and a %s was given", input->name,
                             is_matrix ? "matrix" : "list", is_matrix ? "list" : "matrix");
    }
    const size_t count = is_matrix ? data->rows * data->columns : data->rows;
    void *copy = pdp_array_allocate(count, sizeof(int64_t), &problem->error);
    if (!copy) {
        return problem->error.status;
    }
    for (size_t x = 0; x < count; x++) {
        if (data->real && !input->is_real) {
            free(copy);
            return pdp_error_set(&problem->error, PDP_BAD_INPUT, "%s[%zu] is %.17g, and must be a whole number",
                                 input->name, x, data->real[x]);
        }
        if (data->real && !isfinite(data->real[x])) {
            free(copy);
            return pdp_error_set(&problem->error, PDP_BAD_INPUT, "%s[%zu] is %f, and must be finite", input->name, x,
                                 data->real[x]);
        }
        if (input->is_real) {
            ((double *)copy)[x] = data->real ? data->real[x] : (double)data->whole[x];
        } else {
            ((int64_t *)copy)[x] = data->whole[x];
        }
    }
    free((void *)bound->whole);
    free((void *)bound->real);
    bound->whole = input->is_real ? NULL : copy;
    bound->real = input->is_real ? copy : NULL;
    bound->extent[0] = (int64_t)data->rows;
    bound->extent[1] = (int64_t)data->columns;
    problem->has_input[at] = true;
    return PDP_OK;
}

/* What plans and solutions have found is of the data that is there, and they go on reading it. */
static pdp_status begin_set(pdp_problem *problem, const char *name) {
    if (problem && problem->error.status == PDP_OK && problem->users != 0) {
        pdp_error_set(&problem->error, PDP_BAD_INPUT,
                      "%.40s is set again while there is a plan or a solution of the problem", name);
    } else if (problem) {
        problem->is_checked = false;
    }
    return problem ? problem->error.status : PDP_NO_MEMORY;
}

static pdp_status set_numbers(pdp_problem *problem, const char *name, const numbers *data) {
    uint32_t at;
    const pdp_status status = begin_set(problem, name);
    if (status != PDP_OK) {
        return status;
    }
    if (find_param(problem->recurrence, name, &at)) {
        return set_param(problem, at, data);
    }
    if (find_input(problem->recurrence, name, &at)) {
        return set_input(problem, at, data);
    }
    return fail_unknown(problem, name);
}

pdp_status pdp_problem_set_whole(pdp_problem *problem, const char *name, const int64_t *data, size_t rows,
                                 size_t columns) {
    return set_numbers(problem, name, &(numbers){data, NULL, rows, columns});
}

pdp_status pdp_problem_set_real(pdp_problem *problem, const char *name, const double *data, size_t rows,
                                size_t columns) {
    return set_numbers(problem, name, &(numbers){NULL, data, rows, columns});
}

static pdp_status set_operator(pdp_problem *problem, uint32_t at, const char *text, size_t length) {
    const pdp_param *param = &problem->recurrence->params[at];
    char name[PDP_NAME_SIZE] = "";
    pdp_op op;
    if (length < sizeof name) {
        memcpy(name, text, length);
    }
    if (!param->is_operator) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT, "parameter %s is a number, not a text", param->name);
    }
    if (!pdp_op_find(&op, name)) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT, "parameter %s is '%.*s', which is no operator",
                             param->name, (int)(length < 40 ? length : 40), text);
    }
    const char *refusal = pdp_recurrence_refuse_combine(problem->recurrence, op);
    if (refusal) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT, "parameter %s is %s: %s", param->name, name, refusal);
    }
    problem->params[at] = op;
    problem->has_param[at] = true;
    if (problem->recurrence->combine_param == at) {
        problem->combine = op;
    }
    return PDP_OK;
}

pdp_status pdp_problem_set_text(pdp_problem *problem, const char *name, const char *text, size_t length) {
    uint32_t at;
    pdp_status status = begin_set(problem, name);
    if (status != PDP_OK) {
        return status;
    }
    if (find_param(problem->recurrence, name, &at)) {
        return set_operator(problem, at, text, length);
    }
    if (!find_input(problem->recurrence, name, &at)) {
        return fail_unknown(problem, name);
    }
    const pdp_input *input = &problem->recurrence->inputs[at];
    if (!input->alphabet) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT, "input %s is a list of numbers, not a text", input->name);
    }
    int64_t *letters = pdp_array_allocate(length, sizeof *letters, &problem->error);
    for (size_t x = 0; letters && x < length; x++) {
        const char *found = text[x] != '\0' ? strchr(input->alphabet, text[x]) : NULL;
        if (!found) {
            free(letters);
            return pdp_error_set(&problem->error, PDP_BAD_INPUT, "%s[%zu] is '%c' (byte 0x%02x), and must be one of %s",
                                 input->name, x, text[x] >= ' ' && text[x] <= '~' ? text[x] : '?',
                                 (unsigned char)text[x], input->alphabet);
        }
        letters[x] = found - input->alphabet;
    }
    status = letters ? set_input(problem, at, &(numbers){letters, NULL, length, 0}) : problem->error.status;
    free(letters);
    return status;
}

/* ---- Getting ---- */

const pdp_recurrence *pdp_problem_recurrence(const pdp_problem *problem) {
    return problem ? problem->recurrence : NULL;
}

int pdp_problem_field(const pdp_problem *problem, size_t index, pdp_field_data *out) {
    const pdp_recurrence *r = pdp_problem_recurrence(problem);
    *out = (pdp_field_data){.rows = 1};
    if (!r) {
        return 0;
    }
    if (index < r->param_count) {
        const pdp_param *param = &r->params[index];
        out->whole = param->is_operator || param->is_real ? NULL : &problem->params[index];
        out->real = param->is_real ? &problem->real_params[index] : NULL;
        out->name =
            param->is_operator && problem->has_param[index] ? pdp_op_name((pdp_op)problem->params[index]) : NULL;
        return problem->has_param[index];
    }
    index -= r->param_count;
    if (index >= r->input_count || !problem->has_input[index]) {
        return 0;
    }
    const pdp_bound_input *input = &problem->inputs[index];
    *out = (pdp_field_data){.whole = input->whole,
                            .real = input->real,
                            .rows = (size_t)input->extent[0],
                            .columns = (size_t)input->extent[1]};
    return 1;
}

/* ---- Checking ---- */

/* A whole expression over parameters and sizes. */
static pdp_status evaluate(pdp_problem *problem, uint32_t node, int64_t i, int64_t j, const char *what, int64_t *out) {
    pdp_bindings bindings = pdp_problem_bindings(problem);
    bindings.i = i;
    bindings.j = j;
    pdp_wide value = pdp_interpret(&bindings, node).whole;
    if (bindings.error.status != PDP_OK) {
        problem->error = bindings.error;
        return problem->error.status;
    }
    if (!pdp_wide_fits(value)) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT, "%s is beyond int64", what);
    }
    *out = (int64_t)value;
    return PDP_OK;
}

static pdp_status check_params(pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    for (uint32_t x = 0; x < r->param_count; x++) {
        const pdp_param *param = &r->params[x];
        if (!problem->has_param[x] && !param->has_default) {
            return pdp_error_set(&problem->error, PDP_BAD_INPUT, "parameter %s is missing", param->name);
        }
        if (!problem->has_param[x]) {
            problem->params[x] = param->whole_default;
            problem->real_params[x] = param->is_real ? param->real_default : (double)param->whole_default;
        }
    }
    return PDP_OK;
}

static pdp_status check_range(pdp_problem *problem, const char *name, const pdp_range *range,
                              const pdp_bound_input *data, size_t count) {
    const uint32_t ends[2] = {range->lowest, range->highest};
    for (int end = 0; end < 2; end++) {
        if (ends[end] == PDP_NO_NODE) {
            continue;
        }
        pdp_bindings bindings = pdp_problem_bindings(problem);
        const bool is_real = problem->recurrence->nodes[ends[end]].is_real;
        const pdp_value bound = pdp_interpret(&bindings, ends[end]);
        const double real_bound = is_real ? bound.real : (double)bound.whole;
        const char *words = end == 0 ? "at least" : "at most";
        if (bindings.error.status != PDP_OK) {
            return pdp_error_set(&problem->error, bindings.error.status, "what %s must be %s: %.300s", name, words,
                                 bindings.error.text);
        }
        if (!is_real && bound.whole == PDP_WHOLE_UNKNOWN) {
            return pdp_error_set(&problem->error, PDP_BAD_INPUT, "what %s must be %s is beyond 2^126 on the way", name,
                                 words);
        }
        char text[32] = "a number beyond int64";
        if (!is_real && pdp_wide_fits(bound.whole)) {
            snprintf(text, sizeof text, "%" PRId64, (int64_t)bound.whole);
        }
        for (size_t x = 0; x < count; x++) {
            char where[24];
            snprintf(where, sizeof where, "[%zu]", x);
            if (data->real && (end == 0 ? data->real[x] < real_bound : data->real[x] > real_bound)) {
                return pdp_error_set(&problem->error, PDP_BAD_INPUT, "%s%s is %.17g, and must be %s %.17g", name, where,
                                     data->real[x], words, real_bound);
            }
            pdp_wide item = data->whole ? data->whole[x] : 0;
            if (data->whole && !is_real && (end == 0 ? item < bound.whole : item > bound.whole)) {
                return pdp_error_set(&problem->error, PDP_BAD_INPUT, "%s%s is %" PRId64 ", and must be %s %s", name,
                                     where, data->whole[x], words, text);
            }
        }
    }
    return PDP_OK;
}

static pdp_status check_param_ranges(pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    for (uint32_t x = 0; x < r->param_count; x++) {
        char name[PDP_NAME_SIZE + 12];
        const bool is_real = r->params[x].is_real;
        const pdp_bound_input one = {.whole = is_real ? NULL : &problem->params[x],
                                     .real = is_real ? &problem->real_params[x] : NULL};
        snprintf(name, sizeof name, "parameter %s", r->params[x].name);
        if (!r->params[x].is_operator && check_range(problem, name, &r->params[x].range, &one, 1) != PDP_OK) {
            char *where = strstr(problem->error.text, "[0]"); /* one number has no place */
            if (where) {
                memmove(where, where + 3, strlen(where + 3) + 1);
            }
            return problem->error.status;
        }
    }
    return PDP_OK;
}

static pdp_status check_inputs(pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    for (uint32_t x = 0; x < r->input_count; x++) {
        if (!problem->has_input[x] && !r->inputs[x].is_optional) {
            return pdp_error_set(&problem->error, PDP_BAD_INPUT, "input %s is missing", r->inputs[x].name);
        }
    }
    for (uint32_t x = 0; x < r->dim_count; x++) {
        const pdp_dim *dim = &r->dims[x];
        int64_t extent = problem->inputs[dim->input].extent[dim->axis];
        problem->sizes[x] = extent - dim->shift;
        if (problem->sizes[x] < 0) {
            return pdp_error_set(&problem->error, PDP_BAD_INPUT,
                                 "input %s has %" PRId64 " items, and must have at least %" PRId64,
                                 r->inputs[dim->input].name, extent, dim->shift);
        }
    }
    for (uint32_t x = 0; x < r->input_count; x++) {
        const pdp_input *input = &r->inputs[x];
        const pdp_bound_input *data = &problem->inputs[x];
        size_t count = 1;
        for (uint32_t axis = 0; axis < 2 && input->extent[axis] != PDP_NO_NODE && problem->has_input[x]; axis++) {
            int64_t wanted = 0;
            if (evaluate(problem, input->extent[axis], 0, 0, "an input's size", &wanted) != PDP_OK) {
                return problem->error.status;
            }
            if (wanted != data->extent[axis]) {
                return pdp_error_set(&problem->error, PDP_BAD_INPUT,
                                     "input %s has %" PRId64 " %s, and must have %" PRId64, input->name,
                                     data->extent[axis],
                                     input->extent[1] == PDP_NO_NODE ? "items"
                                     : axis == 0                     ? "rows"
                                                                     : "columns",
                                     wanted);
            }
            count *= (size_t)wanted;
        }
        if (problem->has_input[x] && check_range(problem, input->name, &input->range, data, count) != PDP_OK) {
            return problem->error.status;
        }
    }
    return PDP_OK;
}

/* Running sums of the inputs that are summed. */
static pdp_status make_sums(pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    for (uint32_t x = 0; x < r->node_count; x++) {
        if (r->nodes[x].kind != PDP_NODE_SUM) {
            continue;
        }
        pdp_bound_input *input = &problem->inputs[r->nodes[x].which];
        const size_t count = (size_t)input->extent[0];
        free((void *)input->whole_sums);
        free((void *)input->real_sums);
        input->whole_sums = NULL;
        input->real_sums = NULL;
        if (input->real) {
            double *sums = pdp_array_allocate(count + 1, sizeof *sums, &problem->error);
            for (size_t m = 0; sums && m < count; m++) {
                sums[m + 1] = sums[m] + input->real[m];
            }
            input->real_sums = sums;
        } else {
            pdp_wide *sums = pdp_array_allocate(count + 1, sizeof *sums, &problem->error);
            for (size_t m = 0; sums && m < count; m++) {
                sums[m + 1] = sums[m] + input->whole[m];
            }
            input->whole_sums = sums;
        }
        if (problem->error.status != PDP_OK) {
            return problem->error.status;
        }
    }
    return PDP_OK;
}

/* A clause holds if all it uses is given. */
static bool is_given(const pdp_problem *problem, uint32_t node) {
    const pdp_node *n = &problem->recurrence->nodes[node];
    if ((n->kind == PDP_NODE_LOOKUP || n->kind == PDP_NODE_SUM) && !problem->has_input[n->which]) {
        return false;
    }
    for (uint32_t c = 0; c < n->child_count; c++) {
        if (!is_given(problem, n->child[c])) {
            return false;
        }
    }
    return true;
}

/* Every cell that is not preset has all its terms, unless they are skipped. */
static pdp_status check_reach(const pdp_problem *problem, pdp_error *error) {
    const bool has_all = problem->recurrence->missing_skip || problem->preset_count == problem->n;
    for (size_t j = 0; j < problem->offset_count && !has_all; j++) {
        if (problem->offsets[j] > problem->preset_count) {
            return pdp_error_set(error, PDP_BAD_INPUT,
                                 "offset %zu (from 0) is %zu, and reaches back beyond the %zu preset cells", j,
                                 problem->offsets[j], problem->preset_count);
        }
    }
    return PDP_OK;
}

static pdp_status check_offsets(pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    int64_t presets = 0;
    problem->offset_count = (size_t)problem->sizes[r->offset_dim];
    if (r->preset_count != PDP_NO_NODE &&
        evaluate(problem, r->preset_count, 0, 0, "the number of presets", &presets) != PDP_OK) {
        return problem->error.status;
    }
    if (presets < 0) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT, "the number of presets is %" PRId64, presets);
    }
    problem->most_presets = (size_t)presets;
    problem->preset_count = (uint64_t)presets < problem->n ? (size_t)presets : problem->n;
    free(problem->offsets);
    problem->offsets = pdp_array_allocate(problem->offset_count, sizeof *problem->offsets, &problem->error);
    for (size_t j = 0; problem->offsets && j < problem->offset_count; j++) {
        int64_t offset = 0;
        if (evaluate(problem, r->offset, 0, (int64_t)j, "an offset", &offset) != PDP_OK) {
            return problem->error.status;
        }
        if (offset < 1) {
            return pdp_error_set(&problem->error, PDP_BAD_INPUT,
                                 "offset %zu (from 0) is %" PRId64 ", and must be positive", j, offset);
        }
        problem->offsets[j] = (size_t)offset;
    }
    return problem->error.status != PDP_OK ? problem->error.status : check_reach(problem, &problem->error);
}

static pdp_status check_size(pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    int64_t size = 0;
    if (evaluate(problem, r->size, 0, 0, "the size", &size) != PDP_OK) {
        return problem->error.status;
    }
    const int64_t least = r->shape == PDP_INTERVAL ? 2 : 1;
    const int64_t most = r->shape == PDP_INTERVAL ? INT32_MAX : PDP_MOST_CELLS;
    if (size < least || size > most) {
        return pdp_error_set(&problem->error, PDP_BAD_INPUT,
                             "the number of %s is %" PRId64 ", and must be %" PRId64 " to %" PRId64,
                             r->shape == PDP_INTERVAL ? "points" : "cells", size, least, most);
    }
    problem->n = (size_t)(r->shape == PDP_INTERVAL ? size - 1 : size);
    return PDP_OK;
}

/* Gcd is of absolute values; but what is alone is not combined and stays as it is, as in a sum. */
static void choose_combine(pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    const bool is_alone = r->shape == PDP_LINEAR && problem->offset_count == 1 && !problem->has_source &&
                          problem->element != PDP_ELEMENT_BITS; /* of which none is negative */
    problem->combine = pdp_problem_asked_combine(problem);
    problem->combine = is_alone && problem->combine == PDP_OP_GCD ? PDP_OP_ADD : problem->combine;
}

/* Without an offset cells have no terms, and a lesser or a greater of nothing is none, for which `missing skip` makes
 * room; an operator of one's own need not have anything for it. */
static pdp_status check_terms(pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    const bool has_terms = r->shape == PDP_INTERVAL || problem->offset_count > 0 || problem->has_source ||
                           problem->preset_count == problem->n;
    const bool is_ordered = problem->combine == PDP_OP_MIN || problem->combine == PDP_OP_MAX;
    const bool is_none = is_ordered ? !r->missing_skip && problem->element != PDP_ELEMENT_BITS
                                    : problem->combine == PDP_OP_OWN && r->combine_identity == PDP_NO_NODE;
    return !has_terms && is_none
               ? pdp_error_set(&problem->error, PDP_BAD_INPUT, "there are 0 offsets, and so nothing for cell %zu",
                               problem->preset_count)
               : PDP_OK;
}

/* ---- The paper's problems, by their form ---- */

/* Every way to multiply m of the matrices takes m - 1 products, each of at most the product of the three largest
 * dimensions. So (n-1) times that bounds every value a solver can meet, and if it fits into int64 nothing can overflow.
 */
static bool cost_fits(const int64_t *dims, size_t count) {
    int64_t largest[3] = {1, 1, 1};
    for (size_t m = 0; m < count; m++) {
        int64_t dim = dims[m];
        for (int rank = 0; rank < 3; rank++) {
            if (dim > largest[rank]) {
                int64_t smaller = largest[rank];
                largest[rank] = dim;
                dim = smaller;
            }
        }
    }
    int64_t bound = (int64_t)count - 2;
    for (int rank = 0; rank < 3; rank++) {
        if (__builtin_mul_overflow(bound, largest[rank], &bound)) {
            return false;
        }
    }
    return true;
}

/* A matrix chain, and whether its methods need not look out for overflow. */
static void find_chain(pdp_problem *problem) {
    const uint32_t chain = pdp_recurrence_chain_input(problem->recurrence);
    bool is_chain = chain != PDP_NO_NODE && (size_t)problem->inputs[chain].extent[0] == problem->n + 1;
    for (size_t m = 0; is_chain && m <= problem->n; m++) {
        is_chain = problem->inputs[chain].whole[m] >= 1;
    }
    problem->chain = is_chain ? problem->inputs[chain].whole : NULL;
    problem->dims = is_chain && cost_fits(problem->chain, problem->n + 1) ? problem->chain : NULL;
}

/* Definition 1: offsets that fall, as many presets as the first of them, and nothing but cells to combine. */
static bool is_sdp(const pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    if (r->shape != PDP_LINEAR || problem->combine > PDP_OP_GCD || problem->has_source || r->missing_skip ||
        r->finish != PDP_NO_NODE || r->after != PDP_NO_NODE || problem->offset_count == 0 ||
        r->nodes[r->inner].kind != PDP_NODE_CELL || problem->preset_count != problem->offsets[0]) {
        return false;
    }
    for (size_t j = 1; j < problem->offset_count; j++) {
        if (problem->offsets[j] >= problem->offsets[j - 1]) {
            return false;
        }
    }
    return problem->element == PDP_ELEMENT_WHOLE ||
           ((problem->element == PDP_ELEMENT_MOD || problem->element == PDP_ELEMENT_BITS) &&
            (problem->combine == PDP_OP_ADD || problem->combine == PDP_OP_MUL));
}

static pdp_status find_sdp(pdp_problem *problem) {
    free(problem->presets);
    problem->presets = NULL;
    if (!is_sdp(problem)) {
        return PDP_OK;
    }
    problem->op = (pdp_operator)problem->combine; /* the two begin alike */
    problem->overflow = problem->element == PDP_ELEMENT_MOD    ? PDP_OVERFLOW_MOD
                        : problem->element == PDP_ELEMENT_BITS ? PDP_OVERFLOW_WRAP
                                                               : PDP_OVERFLOW_ERROR;
    problem->presets = pdp_array_allocate(problem->preset_count, sizeof *problem->presets, &problem->error);
    pdp_bindings bindings = pdp_problem_bindings(problem);
    for (size_t i = 0; problem->presets && i < problem->preset_count; i++) {
        bindings.i = (int64_t)i;
        problem->presets[i] = (int64_t)pdp_interpret_element(&bindings, problem->recurrence->preset_value).whole;
    }
    return problem->error.status;
}

pdp_status pdp_problem_check(pdp_problem *problem) {
    if (!problem || problem->error.status != PDP_OK || problem->is_checked) {
        return problem ? problem->error.status : PDP_NO_MEMORY;
    }
    const pdp_recurrence *r = problem->recurrence;
    if (check_params(problem) != PDP_OK || check_inputs(problem) != PDP_OK || check_param_ranges(problem) != PDP_OK ||
        make_sums(problem) != PDP_OK || check_size(problem) != PDP_OK) {
        return problem->error.status;
    }
    if (r->element == PDP_ELEMENT_MOD) {
        problem->modulus = problem->params[r->modulus_param];
        if (problem->modulus < 2) {
            return pdp_error_set(&problem->error, PDP_BAD_INPUT, "the modulus is %" PRId64 ", and must be at least 2",
                                 problem->modulus);
        }
    }
    problem->has_source = r->source != PDP_NO_NODE && is_given(problem, r->source);
    for (uint32_t x = 0; x < r->option_count; x++) {
        problem->has_option[x] = is_given(problem, r->options[x].value) &&
                                 (r->options[x].condition == PDP_NO_NODE || is_given(problem, r->options[x].condition));
    }
    if (r->shape == PDP_LINEAR && check_offsets(problem) != PDP_OK) {
        return problem->error.status;
    }
    choose_combine(problem);
    find_chain(problem);
    if (check_terms(problem) != PDP_OK || find_sdp(problem) != PDP_OK) {
        return problem->error.status;
    }
    problem->keeps_plain = pdp_bounds_keep_plain(problem);
    problem->is_checked = true;
    return PDP_OK;
}

pdp_status pdp_problem_resize(pdp_problem **out, const pdp_problem *problem, size_t cells, pdp_error *error) {
    if (cells == problem->n) {
        *out = pdp_problem_share(problem);
        return PDP_OK;
    }
    pdp_problem *other = *out = pdp_array_allocate(1, sizeof *other, error);
    if (!other) {
        return error->status;
    }
    /* All but the number of users, which others may be changing. */
    const size_t at = offsetof(pdp_problem, is_checked);
    memcpy((unsigned char *)other + at, (const unsigned char *)problem + at, sizeof *other - at);
    other->recurrence = problem->recurrence;
    other->whole = pdp_problem_share(problem);
    other->is_extended = problem->is_extended || cells > problem->n;
    other->n = cells;
    other->preset_count = problem->most_presets < cells ? problem->most_presets : cells;
    if (other->preset_count != problem->preset_count) { /* not the paper's form any more */
        other->presets = NULL;
    }
    other->keeps_plain = pdp_bounds_keep_plain(other);
    return check_reach(other, error);
}
