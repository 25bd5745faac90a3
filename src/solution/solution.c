#include "solution/solution.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Cells of the table: n for S-DP, (n+1)^2 for a matrix chain. */
static uint64_t cell_count(const pdp_problem *problem) {
    uint64_t n = problem->n;
    return problem->kind == PDP_SDP ? n : pdp_bytes_multiply(n + 1, n + 1);
}

uint64_t pdp_solution_bytes(const pdp_problem *problem, bool with_splits) {
    uint64_t bytes = pdp_bytes_multiply(cell_count(problem), (with_splits ? 2 : 1) * sizeof(int64_t));
    if (problem->kind == PDP_MCM) {
        bytes = pdp_bytes_add(bytes, (problem->n + 1) * sizeof(int64_t));
    }
    return pdp_bytes_add(bytes, sizeof(pdp_solution));
}

pdp_status pdp_solution_create(pdp_solution **out, const pdp_problem *problem, bool with_splits) {
    pdp_solution *solution = *out = calloc(1, sizeof *solution);
    if (!solution) {
        return PDP_NO_MEMORY;
    }
    solution->kind = problem->kind;
    solution->n = problem->n;
    size_t cells = cell_count(problem);
    solution->table = pdp_array_allocate(cells, sizeof *solution->table, &solution->error);
    if (solution->table && with_splits) {
        solution->splits = pdp_array_allocate(cells, sizeof *solution->splits, &solution->error);
    }
    if (solution->table && problem->kind == PDP_MCM) {
        solution->dims = pdp_array_allocate(problem->n + 1, sizeof *solution->dims, &solution->error);
        if (solution->dims) {
            memcpy(solution->dims, problem->dims, (problem->n + 1) * sizeof *solution->dims);
        }
    }
    if (solution->error.status != PDP_OK) {
        pdp_solution_discard(solution);
    }
    return solution->error.status;
}

void pdp_solution_discard(pdp_solution *solution) {
    free(solution->dims);
    free(solution->table);
    free(solution->splits);
    solution->dims = NULL;
    solution->table = NULL;
    solution->splits = NULL;
    solution->has_record = false;
}

int64_t pdp_solution_value(const pdp_solution *solution) {
    if (!solution || !solution->table) {
        return 0;
    }
    /* S-DP: the last cell. Matrix chain: T[0][n], the last of the first row. */
    return solution->kind == PDP_SDP ? solution->table[solution->n - 1] : solution->table[solution->n];
}

double pdp_solution_seconds(const pdp_solution *solution) {
    return solution ? solution->seconds : 0;
}

const int64_t *pdp_solution_table(const pdp_solution *solution, size_t *rows, size_t *columns) {
    const bool has_table = solution && solution->table;
    const bool is_sdp = has_table && solution->kind == PDP_SDP;
    if (rows) {
        *rows = !has_table ? 0 : is_sdp ? 1 : solution->n + 1;
    }
    if (columns) {
        *columns = !has_table ? 0 : is_sdp ? solution->n : solution->n + 1;
    }
    return has_table ? solution->table : NULL;
}

const int64_t *pdp_solution_splits(const pdp_solution *solution) {
    return solution ? solution->splits : NULL;
}

const pdp_record *pdp_solution_record(const pdp_solution *solution) {
    return solution && solution->has_record ? &solution->record : NULL;
}

const char *pdp_solution_error(const pdp_solution *solution) {
    return solution ? solution->error.text : "out of memory";
}

void pdp_solution_free(pdp_solution *solution) {
    if (solution) {
        pdp_solution_discard(solution);
        free(solution);
    }
}
