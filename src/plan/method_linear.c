/* Methods for linear recurrences whose terms are cells, or cells and one weight: `settle` and `runs`. Both compute with
 * keys: int64 or int32 in which min, and, or gcd does what the operator does to the values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "cpu/runs.h"
#include "cpu/settle.h"
#include "plan/plan.h"
#include "plan/type.h"
#include "problem/bound.h"
#include "problem/linear_form.h"

/* ---- The form ---- */

static bool is_ordered(const pdp_problem *problem) {
    return problem->combine == PDP_OP_MIN || problem->combine == PDP_OP_MAX;
}

/* What finish adds to a cell: false if it does anything else, or not the same everywhere. */
static bool find_addition(const pdp_problem *problem, pdp_wide *sum) {
    const pdp_recurrence *r = problem->recurrence;
    *sum = 0;
    if (r->finish == PDP_NO_NODE) {
        return true;
    }
    pdp_bindings bindings = pdp_problem_bindings(problem); /* where best is 0 */
    if (!pdp_element_is_whole(problem->element) || problem->has_source || !pdp_linear_form_finish_adds(r) ||
        !pdp_linear_form_finish_is_steady(r)) {
        return false;
    }
    *sum = pdp_interpret_element(&bindings, r->finish).whole;
    return bindings.error.status == PDP_OK;
}

/* What every term adds to its cell: false if that is not the same for all of them. */
static bool find_weight(const pdp_problem *problem, pdp_wide *weight) {
    const pdp_recurrence *r = problem->recurrence;
    const pdp_term_form form = pdp_linear_form_of_term(r);
    pdp_wide sum;
    *weight = 0;
    if (!find_addition(problem, &sum) || (form != PDP_TERM_CELL && form != PDP_TERM_SHIFTED)) {
        return false;
    }
    if (form == PDP_TERM_CELL) {
        *weight = sum;
        return true;
    }
    if (!pdp_element_is_whole(problem->element)) { /* floats are rounded at every step, and sets of bits wrap around */
        return false;
    }
    pdp_bindings bindings = pdp_problem_bindings(problem);
    const size_t count = pdp_linear_form_is_uniform(r) ? 1 : problem->offset_count;
    for (size_t j = 0; j < count; j++) {
        pdp_wide scale, own;
        pdp_linear_form_weigh(&bindings, form, j, &scale, &own);
        if (bindings.error.status != PDP_OK || (j > 0 && own != *weight)) {
            return false;
        }
        *weight = own;
    }
    *weight =
        pdp_interpret_combine(&bindings, PDP_OP_ADD, (pdp_value){.whole = *weight}, (pdp_value){.whole = sum}).whole;
    return true;
}

static const char other_terms[] = "its terms are not plain cells, or whole numbers with one weight for all offsets, or "
                                  "finish does more than to add one";

static const char *refuse_settle(const pdp_plan *plan, const pdp_problem *problem) {
    (void)plan;
    pdp_wide weight;
    if (!is_ordered(problem)) {
        return "its operator is neither min nor max";
    }
    if (!find_weight(problem, &weight)) {
        return other_terms;
    }
    const bool improves = problem->combine == PDP_OP_MIN ? weight < 0 : weight > 0;
    return improves ? "its weight makes a value better with every step" : NULL;
}

static const char *refuse_runs(const pdp_plan *plan, const pdp_problem *problem) {
    (void)plan;
    pdp_wide weight;
    const bool is_bitwise = problem->combine == PDP_OP_AND || problem->combine == PDP_OP_OR;
    if (!is_ordered(problem) && !is_bitwise && problem->combine != PDP_OP_GCD) {
        return "its operator is none of min, max, and, or, gcd (of more than one term), to which a cell may come twice";
    }
    if (problem->combine == PDP_OP_GCD && !pdp_element_is_whole(problem->element)) {
        return "it finds the gcd of whole numbers, not of bits";
    }
    if (!find_weight(problem, &weight)) {
        return other_terms;
    }
    /* Of min and max alone it is all the same whether terms add something, or finish does what the two come to. */
    pdp_wide sum = 0;
    const bool has_sums = weight != 0 || (find_addition(problem, &sum) && sum != 0);
    return (is_ordered(problem) ? weight != 0 && problem->has_source : has_sums)
               ? "it takes a weight under min and max alone, and not beside a source"
               : NULL;
}

/* ---- Types ---- */

/* As for a kernel, but values are only passed on: whatever is proven to fit into int64 will do. What could be taken for
 * infinity in a table of int64 is kept in 128 bits. */
static pdp_status choose_type(pdp_plan *plan) {
    if (pdp_plan_choose_type(plan) != PDP_OK || plan->stamp.type != PDP_TYPE_WIDE) {
        return plan->error.status;
    }
    for (size_t x = 0; x < plan->count; x++) {
        const pdp_bounds bounds = pdp_bounds_find(plan->problems[x]);
        const int64_t none = plan->stamp.can_miss ? 1 : 0; /* has a key of its own */
        if (bounds.low < INT64_MIN + none || bounds.high > INT64_MAX - none) {
            pdp_error_set(&plan->error, PDP_BAD_INPUT,
                          "method '%s' cannot solve this problem: its values are not proven to fit into int64",
                          plan->method->name);
            return pdp_plan_name_problem(plan, x, &plan->error);
        }
    }
    if (!plan->stamp.can_miss && plan->problem->element != PDP_ELEMENT_I32) {
        plan->stamp.type = PDP_TYPE_I64;
    }
    return PDP_OK;
}

/* ---- Keys ---- */

/* From values to keys and back. */
typedef struct codec {
    const pdp_problem *problem;
    pdp_machine_type type; /* of the cells in the solution */
    pdp_op op;             /* of the keys: min, and or gcd */
    size_t bytes;          /* of a key: 4 or 8 */
    bool flips;            /* max of values is min of their complements, or is and */
    bool can_miss;         /* `none` is no value, otherwise it is one like others */
    int64_t none;
} codec;

static codec make_codec(const pdp_plan *plan, const pdp_problem *problem, bool is_short) {
    codec c = {.problem = problem,
               .type = plan->stamp.type,
               .bytes = is_short && (plan->stamp.type == PDP_TYPE_I32 || plan->stamp.type == PDP_TYPE_F32) ? 4 : 8,
               .flips = problem->combine == PDP_OP_MAX || problem->combine == PDP_OP_OR,
               .can_miss = plan->stamp.can_miss && problem->element != PDP_ELEMENT_BITS};
    c.op = is_ordered(problem) ? PDP_OP_MIN : problem->combine == PDP_OP_GCD ? PDP_OP_GCD : PDP_OP_AND;
    c.none = c.op == PDP_OP_GCD ? 0 : c.op == PDP_OP_AND ? -1 : c.bytes == 4 ? INT32_MAX : INT64_MAX;
    return c;
}

/* Bits of floats, or of sets, in the order of integers: of negative floats the larger has the smaller bits, sets have
 * no sign. The map is its own inverse. */
static int64_t order_bits(const codec *c, int64_t bits) {
    if (pdp_element_is_real(c->problem->element)) {
        const int64_t mask = c->type == PDP_TYPE_F32 ? INT32_MAX : INT64_MAX;
        return bits < 0 ? bits ^ mask : bits;
    }
    return c->type == PDP_TYPE_U64 && c->op == PDP_OP_MIN ? bits ^ INT64_MIN : bits;
}

static int64_t encode(const codec *c, pdp_value value) {
    int64_t bits;
    if (!pdp_element_is_real(c->problem->element)) {
        bits = (int64_t)(uint64_t)value.whole;
    } else if (c->type == PDP_TYPE_F32) {
        const float real = (float)value.real;
        int32_t few;
        memcpy(&few, &real, sizeof few);
        bits = few;
    } else {
        memcpy(&bits, &value.real, sizeof bits);
    }
    bits = order_bits(c, bits);
    return c->flips ? ~bits : bits;
}

static int64_t read_key(const codec *c, const void *keys, size_t i) {
    return c->bytes == 4 ? ((const int32_t *)keys)[i] : ((const int64_t *)keys)[i];
}

static void write_key(const codec *c, void *keys, size_t i, int64_t key) {
    if (c->bytes == 4) {
        ((int32_t *)keys)[i] = (int32_t)key;
    } else {
        ((int64_t *)keys)[i] = key;
    }
}

/* The input that a clause looks up at i, and nothing else; or NULL. */
static const pdp_bound_input *find_input(const pdp_problem *problem, uint32_t node, size_t end) {
    const pdp_node *n = &problem->recurrence->nodes[node];
    if (n->kind != PDP_NODE_LOOKUP || n->child_count != 1) {
        return NULL;
    }
    const pdp_node *index = &problem->recurrence->nodes[n->child[0]];
    const pdp_bound_input *input = &problem->inputs[n->which];
    const bool is_of_kind = pdp_element_is_real(problem->element) ? input->real != NULL : input->whole != NULL;
    return index->kind == PDP_NODE_INDEX && index->which == PDP_INDEX_I && is_of_kind && (size_t)input->extent[0] >= end
               ? input
               : NULL;
}

/* The keys of a clause at begin .. end-1. */
static pdp_status fill_keys(const codec *c, uint32_t node, size_t begin, size_t end, void *keys, pdp_error *error) {
    pdp_bindings bindings = pdp_problem_bindings(c->problem);
    const pdp_bound_input *input = find_input(c->problem, node, end);
    for (size_t i = begin; i < end && bindings.error.status == PDP_OK; i++) {
        pdp_value value;
        if (!input) {
            bindings.i = (int64_t)i;
            value = pdp_interpret_element(&bindings, node);
        } else if (input->real) {
            value.real = input->real[i];
        } else {
            value.whole = input->whole[i];
        }
        write_key(c, keys, i, encode(c, value));
    }
    if (bindings.error.status != PDP_OK) {
        *error = bindings.error;
    }
    return error->status;
}

/* Presets, and then sources or nothing. */
static pdp_status open_keys(const codec *c, void *keys, pdp_error *error) {
    const pdp_problem *problem = c->problem;
    const pdp_recurrence *r = problem->recurrence;
    const size_t presets = problem->preset_count;
    if (presets > 0 && fill_keys(c, r->preset_value, 0, presets, keys, error) != PDP_OK) {
        return error->status;
    }
    if (problem->has_source) {
        return fill_keys(c, r->source, presets, problem->n, keys, error);
    }
    for (size_t i = presets; i < problem->n; i++) {
        write_key(c, keys, i, c->none);
    }
    return PDP_OK;
}

/* A cell of the solution. Infinities are as kernels write them: see pdp_data_create. */
static void write_cell(const codec *c, void *cells, size_t i, int64_t key) {
    const bool is_none = c->can_miss && key == c->none;
    const int64_t bits = order_bits(c, c->flips ? ~key : key);
    const int sign = c->flips ? -1 : 1;
    float short_real = (float)bits;
    double real = (double)bits;
    switch (c->type) {
    case PDP_TYPE_I32: ((int32_t *)cells)[i] = is_none ? sign * (INT32_MAX / 2) : (int32_t)bits; break;
    case PDP_TYPE_F32:
        if (pdp_element_is_real(c->problem->element)) {
            const int32_t few = (int32_t)bits;
            memcpy(&short_real, &few, sizeof few);
        }
        ((float *)cells)[i] = is_none ? (float)sign * INFINITY : short_real;
        break;
    case PDP_TYPE_F64:
        if (pdp_element_is_real(c->problem->element)) {
            memcpy(&real, &bits, sizeof real);
        }
        ((double *)cells)[i] = is_none ? sign * (double)INFINITY : real;
        break;
    case PDP_TYPE_WIDE: ((pdp_wide *)cells)[i] = is_none ? sign * PDP_WHOLE_INFINITY : bits; break;
    default: ((int64_t *)cells)[i] = is_none ? sign * (INT64_MAX / 2) : bits;
    }
}

/* Keys that are cells as they are. */
static bool are_cells(const codec *c) {
    return pdp_machine_type_bytes(c->type) == c->bytes && pdp_element_is_whole(c->problem->element) && !c->flips &&
           !c->can_miss && (c->type == PDP_TYPE_I32 || c->type == PDP_TYPE_I64);
}

/* The keys become the solution's cells, in their place if these are of the same size. */
static pdp_status take_keys(const codec *c, void *keys, pdp_solution *solution) {
    const size_t bytes = pdp_machine_type_bytes(c->type);
    solution->type = c->type;
    solution->cells =
        bytes == c->bytes ? keys : pdp_pages_allocate(pdp_bytes_multiply(c->problem->n, bytes), &solution->error);
    const size_t count = are_cells(c) ? 0 : c->problem->n;
    for (size_t i = 0; solution->cells && i < count; i++) {
        write_cell(c, solution->cells, i, read_key(c, keys, i));
    }
    if (solution->cells != keys) {
        free(keys);
    }
    return solution->error.status;
}

/* ---- Running ---- */

typedef pdp_status key_solver(const pdp_plan *plan, const codec *c, void *keys, pdp_progress progress,
                              pdp_error *error);

static pdp_status run_on_keys(const pdp_plan *plan, const codec *c, key_solver *solve, pdp_solution *solution,
                              pdp_progress progress) {
    pdp_error *error = &solution->error;
    void *keys = pdp_pages_allocate(pdp_bytes_multiply(c->problem->n, c->bytes), error);
    if (!keys) {
        return error->status;
    }
    if (open_keys(c, keys, error) != PDP_OK || solve(plan, c, keys, progress, error) != PDP_OK) {
        free(keys);
        return error->status;
    }
    if (take_keys(c, keys, solution) == PDP_OK && pdp_solution_close(solution) == PDP_OK && plan->options.decisions) {
        pdp_solution_decide(solution, pdp_solution_split, solution);
    }
    return error->status;
}

/* Keys, and then what the solver takes or the cells, if they do not lie where the keys do. */
static uint64_t key_bytes(const codec *c, uint64_t solver) {
    const uint64_t keys = pdp_bytes_multiply(c->problem->n, c->bytes);
    const uint64_t cell = pdp_machine_type_bytes(c->type);
    const uint64_t cells = cell == c->bytes ? 0 : pdp_bytes_multiply(c->problem->n, cell);
    return pdp_bytes_add(keys, solver > cells ? solver : cells);
}

/* Of a key: a complement grows where its value falls. */
static int64_t key_weight(const codec *c) {
    pdp_wide weight = 0;
    find_weight(c->problem, &weight);
    return (int64_t)(c->flips ? -weight : weight);
}

static pdp_settle_job make_settle_job(const codec *c) {
    return (pdp_settle_job){.cells = c->problem->n,
                            .preset_count = c->problem->preset_count,
                            .offsets = c->problem->offsets,
                            .offset_count = c->problem->offset_count,
                            .has_source = c->problem->has_source,
                            .weight = key_weight(c)};
}

static pdp_runs_job make_runs_job(const pdp_plan *plan, const codec *c) {
    return (pdp_runs_job){.cells = c->problem->n,
                          .preset_count = c->problem->preset_count,
                          .offsets = c->problem->offsets,
                          .offset_count = c->problem->offset_count,
                          .kernel = pdp_runs_kernel_find(c->op, c->bytes, plan->level),
                          .weight = key_weight(c),
                          .can_miss = c->can_miss,
                          .none = c->none};
}

static pdp_status settle_keys(const pdp_plan *plan, const codec *c, void *keys, pdp_progress progress,
                              pdp_error *error) {
    (void)plan;
    const pdp_settle_job job = make_settle_job(c);
    return pdp_settle_solve(&job, keys, progress, error);
}

static pdp_status run_keys(const pdp_plan *plan, const codec *c, void *keys, pdp_progress progress, pdp_error *error) {
    const pdp_runs_job job = make_runs_job(plan, c);
    return pdp_runs_solve(&job, keys, progress, error);
}

static uint64_t settle_bytes(const pdp_plan *plan, const pdp_problem *problem) {
    const codec c = make_codec(plan, problem, false);
    const pdp_settle_job job = make_settle_job(&c);
    return key_bytes(&c, pdp_settle_bytes(&job));
}

static uint64_t runs_bytes(const pdp_plan *plan, const pdp_problem *problem) {
    const codec c = make_codec(plan, problem, true);
    const pdp_runs_job job = make_runs_job(plan, &c);
    return key_bytes(&c, pdp_runs_bytes(&job));
}

static pdp_status run_settle(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress) {
    const codec c = make_codec(plan, solution->problem, false);
    return run_on_keys(plan, &c, settle_keys, solution, progress);
}

static pdp_status run_runs(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress) {
    const codec c = make_codec(plan, solution->problem, true);
    return run_on_keys(plan, &c, run_keys, solution, progress);
}

/* For a key that becomes a cell, in operations of the method. */
static const double settle_key_work = 1, runs_key_work = 50;

static double settle_operations(const pdp_plan *plan, const pdp_problem *problem) {
    const codec c = make_codec(plan, problem, false);
    const pdp_settle_job job = make_settle_job(&c);
    return pdp_settle_operations(&job) + (are_cells(&c) ? 0 : settle_key_work * (double)problem->n);
}

static double runs_operations(const pdp_plan *plan, const pdp_problem *problem) {
    const codec c = make_codec(plan, problem, true);
    const pdp_runs_job job = make_runs_job(plan, &c);
    return pdp_runs_operations(&job) + (are_cells(&c) ? 0 : runs_key_work * (double)problem->n);
}

double pdp_method_runs_near(const pdp_plan *plan, const pdp_problem *problem) {
    const codec c = make_codec(plan, problem, true);
    const pdp_runs_job job = make_runs_job(plan, &c);
    return pdp_runs_near(&job);
}

const pdp_shortcut pdp_method_settle = {refuse_settle, choose_type, settle_bytes, run_settle, settle_operations, NULL};
const pdp_shortcut pdp_method_runs = {refuse_runs, choose_type, runs_bytes, run_runs, runs_operations, NULL};
