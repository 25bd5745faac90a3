/* The decisions behind a table. They are read from the finished table, so that every method gives the same ones: the
 * smallest k, or the first offset, that gives a cell its value. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "problem/linear_form.h"
#include "solution/solution.h"

static bool chooses(const pdp_solution *solution) {
    return solution->problem->combine == PDP_OP_MIN || solution->problem->combine == PDP_OP_MAX;
}

static bool is_equal(const pdp_solution *solution, pdp_value a, pdp_value b) {
    return pdp_solution_is_real(solution) ? !(a.real < b.real || a.real > b.real) : a.whole == b.whole;
}

/* As the cells were computed: another float than the file's may have been asked for. */
static pdp_bindings bind(const pdp_solution *solution) {
    pdp_bindings b = pdp_problem_bindings(solution->problem);
    if (pdp_element_is_real(b.element)) {
        b.element = solution->type == PDP_TYPE_F32 ? PDP_ELEMENT_F32 : PDP_ELEMENT_F64;
    }
    return b;
}

/* ---- Interval ---- */

/* The value of a cell whose terms come to `sum`. */
static pdp_value close_sum(pdp_bindings *bindings, pdp_value sum, bool is_term) {
    const pdp_recurrence *r = bindings->recurrence;
    bindings->cells[PDP_CELL_BEST] = sum;
    if (is_term && r->after != PDP_NO_NODE) {
        bindings->cells[PDP_CELL_BEST] = pdp_interpret_element(bindings, r->after);
    }
    return r->finish == PDP_NO_NODE ? bindings->cells[PDP_CELL_BEST] : pdp_interpret_element(bindings, r->finish);
}

/* T[i][k] + T[k][j] + p[i]*p[k]*p[j] on a table of int64: the bound on a chain's cost rules out overflow. */
static size_t split_chain(const pdp_solution *solution, size_t i, size_t j) {
    const size_t width = solution->n + 1;
    const int64_t *table = solution->table;
    const int64_t *p = solution->problem->dims;
    size_t best = i + 1;
    int64_t least = INT64_MAX;
    for (size_t k = i + 1; k < j; k++) {
        int64_t cost = table[i * width + k] + table[k * width + j] + p[i] * p[k] * p[j];
        if (cost < least) {
            least = cost;
            best = k;
        }
    }
    return best;
}

size_t pdp_solution_split(void *context, size_t i, size_t j) {
    const pdp_solution *solution = context;
    if (solution->table) { /* the paper's methods have one; of intervals they know the matrix chain alone */
        return split_chain(solution, i, j);
    }
    pdp_bindings bindings = bind(solution);
    const pdp_value cell = pdp_solution_cell(solution, i, j);
    bindings.i = (int64_t)i;
    bindings.j = (int64_t)j;
    for (size_t k = i + 1; k < j; k++) {
        bindings.k = (int64_t)k;
        bindings.cells[PDP_CELL_LEFT] = pdp_solution_cell(solution, i, k);
        bindings.cells[PDP_CELL_RIGHT] = pdp_solution_cell(solution, k, j);
        pdp_value term = pdp_interpret_element(&bindings, bindings.recurrence->inner);
        if (is_equal(solution, close_sum(&bindings, term, true), cell)) {
            return k;
        }
    }
    return 0;
}

static bool option_gives(const pdp_solution *solution, pdp_bindings *bindings, uint32_t x, size_t i, size_t j) {
    const pdp_recurrence *r = solution->problem->recurrence;
    const pdp_option_clause *option = &r->options[x];
    bindings->j = (int64_t)j;
    if (j > i + 2) {
        bindings->cells[PDP_CELL_INSIDE] = pdp_solution_cell(solution, i + 1, j - 1);
    } else if (r->empty != PDP_NO_NODE) {
        bindings->i = (int64_t)i + 1;
        bindings->cells[PDP_CELL_INSIDE] = pdp_interpret_element(bindings, r->empty);
    }
    bindings->i = (int64_t)i;
    if (option->condition != PDP_NO_NODE && !pdp_interpret_truth(bindings, option->condition)) {
        return false;
    }
    const pdp_value value = pdp_interpret_element(bindings, option->value);
    return is_equal(solution, close_sum(bindings, value, false), pdp_solution_cell(solution, i, j));
}

/* The option that gives M[i][j] its value, which no split does: its number, or option_count. Something does, so that
 * the last of those that there are is not looked at, unless the cell is infeasible. */
static uint32_t find_option(const pdp_solution *solution, pdp_bindings *bindings, size_t i, size_t j) {
    const bool *has = solution->problem->has_option;
    uint32_t last = bindings->recurrence->option_count;
    while (last > 0 && !has[last - 1]) {
        last--;
    }
    for (uint32_t x = 0; x < last; x++) {
        const bool is_left = x == last - 1 && !pdp_solution_is_infeasible(solution, pdp_solution_cell(solution, i, j));
        if (has[x] && (is_left || option_gives(solution, bindings, x, i, j))) {
            return x;
        }
    }
    return bindings->recurrence->option_count;
}

typedef struct part {
    size_t i;
    size_t j;
} part;

static pdp_status decide_interval(pdp_solution *solution, pdp_split_function *find, void *context) {
    /* A tree over n leaves has at most n-1 splits; every option takes in two leaves, and then at most one a leaf. The
     * parts that wait are a path of the tree. */
    const size_t n = solution->n;
    pdp_bindings bindings = bind(solution);
    part *waiting = pdp_array_allocate(n + 1, sizeof *waiting, &solution->error);
    solution->decisions = waiting ? pdp_array_allocate(n, sizeof *solution->decisions, &solution->error) : NULL;
    size_t count = 0;
    size_t depth = 0;
    if (solution->decisions) {
        waiting[depth++] = (part){0, n};
    }
    while (depth > 0) {
        const part top = waiting[--depth];
        if (top.j < top.i + 2) {
            continue;
        }
        size_t k = solution->splits ? (size_t)solution->splits[top.i * (n + 1) + top.j] : find(context, top.i, top.j);
        if (k > 0) {
            solution->decisions[count++] = (pdp_decision){PDP_SPLIT, top.i, k, top.j};
            waiting[depth++] = (part){k, top.j};
            waiting[depth++] = (part){top.i, k};
            continue;
        }
        uint32_t option = find_option(solution, &bindings, top.i, top.j);
        if (option < solution->problem->recurrence->option_count) {
            solution->decisions[count++] = (pdp_decision){PDP_OPTION, top.i, option, top.j};
            waiting[depth++] = (part){top.i + 1, top.j - 1};
        }
    }
    solution->decision_count = count;
    free(waiting);
    return solution->error.status;
}

static void fill_splits(pdp_solution *solution, pdp_split_function *find, void *context) {
    const size_t width = solution->n + 1;
    for (size_t i = 0; i < width; i++) {
        for (size_t j = i + 2; j < width; j++) {
            solution->splits[i * width + j] = (int64_t)find(context, i, j);
        }
    }
}

/* ---- Linear ---- */

/* Terms of whole numbers that are a cell and something of j alone: what that is need not be interpreted at every cell.
 */
static pdp_wide *find_shifts(const pdp_problem *problem, pdp_error *error) {
    const pdp_term_form form = pdp_linear_form_of_term(problem->recurrence);
    pdp_bindings bindings = pdp_problem_bindings(problem);
    pdp_wide *shifts = pdp_array_allocate(problem->offset_count, sizeof *shifts, error);
    for (size_t j = 0; shifts && j < problem->offset_count; j++) {
        pdp_wide scale;
        pdp_linear_form_weigh(&bindings, form, j, &scale, &shifts[j]);
    }
    return shifts;
}

/* The first offset whose cell and shift come to the cell i; offset_count if there is none. What kernels have for
 * infinity is so far from every value that no shift bridges it. */
static size_t find_shifted(const pdp_solution *solution, const pdp_wide *shifts, size_t i) {
    const pdp_problem *problem = solution->problem;
    const pdp_wide cell = pdp_solution_cell(solution, 0, i).whole;
    const bool has_cells = solution->cells != NULL;
    const int32_t *few = has_cells && solution->type == PDP_TYPE_I32 ? solution->cells : NULL;
    const int64_t *many = !has_cells ? solution->table : solution->type == PDP_TYPE_I64 ? solution->cells : NULL;
    const size_t first = has_cells ? solution->first : 0;
    for (size_t j = 0; j < problem->offset_count; j++) {
        if (problem->offsets[j] > i) {
            continue;
        }
        const size_t from = i - problem->offsets[j];
        const pdp_wide value = few    ? few[from - first]
                               : many ? many[from - first]
                                      : pdp_solution_cell(solution, 0, from).whole;
        if (value == cell - shifts[j]) {
            return j;
        }
    }
    return problem->offset_count;
}

/* The offset by which ST[i] gets its value; offset_count if it gets it from its source. */
static size_t find_step(const pdp_solution *solution, const pdp_wide *shifts, pdp_bindings *bindings, size_t i) {
    const pdp_problem *problem = solution->problem;
    const pdp_recurrence *r = problem->recurrence;
    const pdp_value cell = pdp_solution_cell(solution, 0, i);
    const bool can_miss = pdp_problem_can_miss(problem);
    bindings->i = (int64_t)i;
    if (problem->has_source &&
        is_equal(solution, close_sum(bindings, pdp_interpret_element(bindings, r->source), false), cell)) {
        return problem->offset_count;
    }
    if (shifts) {
        return find_shifted(solution, shifts, i);
    }
    for (size_t j = 0; j < problem->offset_count; j++) {
        if (problem->offsets[j] > i) {
            continue;
        }
        bindings->j = (int64_t)j;
        bindings->cells[PDP_CELL_SOURCE] = pdp_solution_cell(solution, 0, i - problem->offsets[j]);
        if (can_miss && pdp_solution_is_infeasible(solution, bindings->cells[PDP_CELL_SOURCE])) {
            continue;
        }
        pdp_value term = pdp_interpret_element(bindings, r->inner);
        if (is_equal(solution, close_sum(bindings, term, true), cell)) {
            return j;
        }
    }
    return problem->offset_count;
}

/* The most steps that a line can have; each is at least one term that was looked at. */
static size_t find_most(const pdp_problem *problem, double patience) {
    size_t smallest = problem->n;
    for (size_t j = 0; j < problem->offset_count; j++) {
        smallest = problem->offsets[j] < smallest ? problem->offsets[j] : smallest;
    }
    const size_t most = smallest == 0 ? 0 : (problem->n - problem->preset_count + smallest - 1) / smallest;
    return patience + 2 < (double)most ? (size_t)patience + 2 : most;
}

/* The fewest, to a cell before the first that needs another. */
static double find_least(const pdp_problem *problem) {
    const size_t reach = pdp_problem_reach(problem);
    return problem->has_source || reach == 0 ? 0 : (double)(problem->n - problem->preset_count) / (double)reach - 1;
}

uint64_t pdp_solution_steps_bytes(const pdp_problem *problem, double patience) {
    const uint64_t most = find_most(problem, patience);
    const uint64_t shifts =
        pdp_linear_form_has_shifts(problem) ? pdp_bytes_multiply(problem->offset_count, sizeof(pdp_wide)) : 0;
    return pdp_bytes_add(pdp_bytes_multiply(most > 0 ? most : 1, sizeof(pdp_decision)), shifts);
}

static pdp_status decide_linear(pdp_solution *solution) {
    const pdp_problem *problem = solution->problem;
    const size_t most = find_most(problem, solution->patience);
    if (find_least(problem) > solution->patience) {
        return PDP_OK;
    }
    pdp_wide *shifts = pdp_linear_form_has_shifts(problem) ? find_shifts(problem, &solution->error) : NULL;
    if (solution->error.status == PDP_OK) {
        solution->decisions = pdp_array_allocate(most, sizeof *solution->decisions, &solution->error);
    }
    if (!solution->decisions) {
        free(shifts);
        return solution->error.status;
    }
    const double each = shifts ? 1 : 50;
    pdp_bindings bindings = bind(solution);
    double work = 0;
    for (size_t i = solution->n - 1; i >= problem->preset_count && work <= solution->patience;) {
        size_t j = find_step(solution, shifts, &bindings, i);
        work += each * (double)(j + 1);
        if (j == problem->offset_count) {
            break;
        }
        solution->decisions[solution->decision_count++] = (pdp_decision){PDP_STEP, i, j, i - problem->offsets[j]};
        i -= problem->offsets[j];
    }
    free(shifts);
    if (work > solution->patience) {
        pdp_solution_drop_decisions(solution);
    } else if (solution->decision_count < most) { /* most of it was never touched */
        const size_t count = solution->decision_count > 0 ? solution->decision_count : 1;
        pdp_decision *fewer = realloc(solution->decisions, count * sizeof *fewer);
        solution->decisions = fewer ? fewer : solution->decisions;
    }
    return PDP_OK;
}

bool pdp_solution_has_decisions(const pdp_solution *solution) {
    return chooses(solution) && pdp_solution_feasible(solution);
}

pdp_status pdp_solution_decide(pdp_solution *solution, pdp_split_function *find, void *context) {
    if (!pdp_solution_has_decisions(solution)) {
        return PDP_OK;
    }
    if (solution->shape == PDP_LINEAR) {
        return decide_linear(solution);
    }
    if (solution->splits) {
        fill_splits(solution, find, context);
    }
    return decide_interval(solution, find, context);
}

pdp_status pdp_solution_take_tree(pdp_solution *solution, const size_t *tree) {
    const size_t n = solution->n;
    part *waiting = pdp_array_allocate(n + 1, sizeof *waiting, &solution->error);
    solution->decisions = waiting ? pdp_array_allocate(n, sizeof *solution->decisions, &solution->error) : NULL;
    size_t count = 0;
    size_t depth = 0;
    if (solution->decisions) {
        waiting[depth++] = (part){0, n};
    }
    while (depth > 0) {
        const part top = waiting[--depth];
        if (top.j >= top.i + 2) {
            const size_t k = tree[count];
            solution->decisions[count++] = (pdp_decision){PDP_SPLIT, top.i, k, top.j};
            waiting[depth++] = (part){k, top.j};
            waiting[depth++] = (part){top.i, k};
        }
    }
    solution->decision_count = count;
    free(waiting);
    return solution->error.status;
}
