/* Any recurrence, by the plain loops and the interpreter: slow, and what every engine must equal. */
#include <stdlib.h>

#include "core/memory.h"
#include "reference/reference.h"

static const size_t tile = 64;

pdp_machine_type pdp_reference_type(const pdp_problem *problem) {
    switch (problem->element) {
    case PDP_ELEMENT_F32: return PDP_TYPE_F32;
    case PDP_ELEMENT_F64: return PDP_TYPE_F64;
    case PDP_ELEMENT_BITS:
    case PDP_ELEMENT_MOD: return PDP_TYPE_U64;
    default: return PDP_TYPE_WIDE;
    }
}

static size_t cell_bytes(const pdp_problem *problem) {
    const pdp_machine_type type = pdp_reference_type(problem);
    return type == PDP_TYPE_WIDE ? sizeof(pdp_wide) : type == PDP_TYPE_F32 ? sizeof(float) : sizeof(double);
}

static void store(void *at, pdp_machine_type type, pdp_value value) {
    if (type == PDP_TYPE_F32) {
        *(float *)at = (float)value.real;
    } else if (type == PDP_TYPE_F64) {
        *(double *)at = value.real;
    } else if (type == PDP_TYPE_U64) {
        *(uint64_t *)at = (uint64_t)value.whole;
    } else {
        *(pdp_wide *)at = value.whole;
    }
}

uint64_t pdp_reference_bytes(const pdp_problem *problem) {
    pdp_tiles tiles = {.points = problem->n + 1, .tile = tile, .panel = tile, .cell_bytes = cell_bytes(problem)};
    return problem->shape == PDP_LINEAR ? pdp_bytes_multiply(problem->n, cell_bytes(problem)) : pdp_tiles_bytes(&tiles);
}

/* sum (+) term. An own operator need not have an identity: the first term is then the sum. (Otherwise it is combined,
 * for gcd's sake, which is of absolute values.) */
static pdp_value accumulate(pdp_bindings *b, pdp_op combine, pdp_value sum, bool is_first) {
    pdp_value term = pdp_interpret_element(b, b->recurrence->inner);
    return is_first ? term : pdp_interpret_combine(b, combine, sum, term);
}

static bool has_identity(const pdp_problem *problem) {
    return problem->combine != PDP_OP_OWN || problem->recurrence->combine_identity != PDP_NO_NODE;
}

static pdp_value identity(pdp_bindings *b, const pdp_problem *problem) {
    return has_identity(problem) ? pdp_interpret_identity(b, problem->combine) : (pdp_value){.whole = 0};
}

/* Applies what comes after the terms: M = finish(after(sum) (+) options), without options in a linear recurrence. */
static pdp_value close_cell(pdp_bindings *b, const pdp_problem *problem, pdp_value sum) {
    const pdp_recurrence *r = problem->recurrence;
    b->cells[PDP_CELL_BEST] = sum;
    if (r->after != PDP_NO_NODE) {
        b->cells[PDP_CELL_BEST] = pdp_interpret_element(b, r->after);
    }
    for (uint32_t x = 0; x < r->option_count; x++) {
        const pdp_option_clause *option = &r->options[x];
        if (problem->has_option[x] && (option->condition == PDP_NO_NODE || pdp_interpret_truth(b, option->condition))) {
            pdp_value value = pdp_interpret_element(b, option->value);
            b->cells[PDP_CELL_BEST] = pdp_interpret_combine(b, problem->combine, b->cells[PDP_CELL_BEST], value);
        }
    }
    return r->finish == PDP_NO_NODE ? b->cells[PDP_CELL_BEST] : pdp_interpret_element(b, r->finish);
}

/* M[i][i+1] = leaf(i), M[i][j] = close((+) over i<k<j of term(M[i][k], M[k][j], i, k, j)): rows from the last to the
 * first, so that both operands are there. */
pdp_status pdp_reference_solve_interval(pdp_solution *solution, pdp_progress progress) {
    const pdp_problem *problem = solution->problem;
    const pdp_recurrence *r = problem->recurrence;
    pdp_bindings b = pdp_problem_bindings(problem);
    const size_t n = problem->n;
    solution->type = pdp_reference_type(problem);
    solution->tiles = (pdp_tiles){.points = n + 1, .tile = tile, .panel = tile, .cell_bytes = cell_bytes(problem)};
    if (pdp_tiles_allocate(&solution->tiles, &solution->error) != PDP_OK) {
        return solution->error.status;
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j <= n && b.error.status == PDP_OK; j++) {
            pdp_value sum = identity(&b, problem);
            b.i = (int64_t)i;
            b.j = (int64_t)j;
            for (size_t k = i + 1; k < j; k++) {
                b.k = (int64_t)k;
                b.cells[PDP_CELL_LEFT] = pdp_solution_cell(solution, i, k);
                b.cells[PDP_CELL_RIGHT] = pdp_solution_cell(solution, k, j);
                sum = accumulate(&b, problem->combine, sum, k == i + 1 && !has_identity(problem));
            }
            if (r->option_count > 0 && j > i + 2) {
                b.cells[PDP_CELL_INSIDE] = pdp_solution_cell(solution, i + 1, j - 1);
            } else if (r->option_count > 0 && r->empty != PDP_NO_NODE) {
                b.i = (int64_t)i + 1;
                b.cells[PDP_CELL_INSIDE] = pdp_interpret_element(&b, r->empty);
                b.i = (int64_t)i;
            } else if (r->option_count > 0) {
                b.cells[PDP_CELL_INSIDE] = identity(&b, problem);
            }
            pdp_value cell = j == i + 1 ? pdp_interpret_element(&b, r->leaf) : close_cell(&b, problem, sum);
            store((void *)pdp_tiles_cell(&solution->tiles, i, j), solution->type, cell);
        }
        double left = (double)i / (double)n;
        if (b.error.status != PDP_OK ||
            pdp_progress_tell(progress, 1 - left * left * left, &solution->error) != PDP_OK) {
            break;
        }
    }
    if (b.error.status != PDP_OK) {
        solution->error = b.error;
    }
    return solution->error.status;
}

/* ST[i] = close(source(i) (+) the terms of ST[i - offset]), terms in the given order, without those of cells that are
 * infeasible. */
pdp_status pdp_reference_fill_linear(pdp_solution *solution, size_t begin, size_t end, pdp_progress progress) {
    const pdp_problem *problem = solution->problem;
    const pdp_recurrence *r = problem->recurrence;
    pdp_bindings b = pdp_problem_bindings(problem);
    const size_t bytes = cell_bytes(problem);
    const bool can_miss = pdp_problem_can_miss(problem);
    for (size_t i = begin; i < end && b.error.status == PDP_OK; i++) {
        pdp_value cell;
        b.i = (int64_t)i;
        if (i < problem->preset_count) {
            cell = pdp_interpret_element(&b, r->preset_value);
        } else {
            bool is_first = !problem->has_source && !has_identity(problem);
            cell = problem->has_source ? pdp_interpret_element(&b, r->source) : identity(&b, problem);
            for (size_t j = 0; j < problem->offset_count; j++) {
                if (problem->offsets[j] <= i) {
                    b.j = (int64_t)j;
                    b.cells[PDP_CELL_SOURCE] = pdp_solution_cell(solution, 0, i - problem->offsets[j]);
                    if (can_miss && pdp_solution_is_infeasible(solution, b.cells[PDP_CELL_SOURCE])) {
                        continue;
                    }
                    cell = accumulate(&b, problem->combine, cell, is_first);
                    is_first = false;
                }
            }
            cell = can_miss && pdp_solution_is_infeasible(solution, cell) ? cell : close_cell(&b, problem, cell);
        }
        store((unsigned char *)solution->cells + (i - solution->first) * bytes, solution->type, cell);
        if (i % 1024 == 0 && pdp_progress_tell(progress, (double)i / (double)problem->n, &solution->error) != PDP_OK) {
            break;
        }
    }
    if (b.error.status != PDP_OK) {
        solution->error = b.error;
    }
    return solution->error.status;
}

pdp_status pdp_reference_solve_linear(pdp_solution *solution, pdp_progress progress) {
    solution->type = pdp_reference_type(solution->problem);
    solution->cells = pdp_pages_allocate(pdp_reference_bytes(solution->problem), &solution->error);
    return solution->cells ? pdp_reference_fill_linear(solution, 0, solution->problem->n, progress)
                           : solution->error.status;
}
