#include "solution/solution.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Cells of the table: n of a linear one, (n+1)^2 of an interval one. */
static uint64_t cell_count(const pdp_problem *problem) {
    uint64_t n = problem->n;
    return problem->shape == PDP_LINEAR ? n : pdp_bytes_multiply(n + 1, n + 1);
}

uint64_t pdp_solution_table_bytes(const pdp_problem *problem) {
    return pdp_bytes_multiply(cell_count(problem), sizeof(int64_t));
}

pdp_status pdp_solution_create(pdp_solution **out, const pdp_problem *problem) {
    pdp_solution *solution = *out = calloc(1, sizeof *solution);
    if (!solution) {
        return PDP_NO_MEMORY;
    }
    solution->problem = pdp_problem_share(problem);
    solution->shape = problem->shape;
    solution->n = problem->n;
    solution->type = PDP_TYPE_I64;
    solution->patience = (double)INFINITY;
    return PDP_OK;
}

pdp_status pdp_solution_add_table(pdp_solution *solution) {
    solution->table = pdp_array_allocate(cell_count(solution->problem), sizeof *solution->table, &solution->error);
    return solution->error.status;
}

void pdp_solution_drop_decisions(pdp_solution *solution) {
    free(solution->decisions);
    solution->decisions = NULL;
    solution->decision_count = 0;
}

void pdp_solution_discard(pdp_solution *solution) {
    free(solution->table);
    pdp_tiles_free(&solution->tiles);
    free(solution->cells);
    free(solution->splits);
    free(solution->trace);
    pdp_arcs_free(&solution->arcs);
    pdp_solution_drop_decisions(solution);
    solution->table = NULL;
    solution->cells = NULL;
    solution->splits = NULL;
    solution->trace = NULL;
    solution->first = 0;
    solution->has_record = false;
}

void pdp_solution_free(pdp_solution *solution) {
    if (solution) {
        pdp_solution_discard(solution);
        pdp_problem_free(solution->problem);
        free(solution);
    }
}

const char *pdp_solution_error(const pdp_solution *solution) {
    return solution ? solution->error.text : "out of memory";
}

static bool is_good(const pdp_solution *solution) {
    return solution && solution->problem && solution->error.status == PDP_OK;
}

static bool is_real(const pdp_solution *solution) {
    return pdp_element_is_real(solution->problem->element);
}

static bool has_table(const pdp_solution *solution) {
    return is_good(solution) && (solution->table || solution->tiles.cells || solution->cells);
}

/* ---- Cells ---- */

/* What lies in memory as a machine type, as a value of the element type. */
static pdp_value read_cell(const void *cell, pdp_machine_type type, bool as_real, bool is_min) {
    const pdp_wide infinity = is_min ? PDP_WHOLE_INFINITY : -PDP_WHOLE_INFINITY;
    double real = type == PDP_TYPE_F32   ? (double)*(const float *)cell
                  : type == PDP_TYPE_F64 ? *(const double *)cell
                                         : 0;
    if (as_real) {
        return (pdp_value){.real = real};
    }
    switch (type) {
    case PDP_TYPE_I32: return (pdp_value){.whole = *(const int32_t *)cell};
    case PDP_TYPE_I64: return (pdp_value){.whole = *(const int64_t *)cell};
    case PDP_TYPE_U32: return (pdp_value){.whole = *(const uint32_t *)cell};
    case PDP_TYPE_U64: return (pdp_value){.whole = (pdp_wide) * (const uint64_t *)cell};
    case PDP_TYPE_WIDE: return (pdp_value){.whole = *(const pdp_wide *)cell};
    default: return (pdp_value){.whole = isinf(real) ? infinity : (pdp_wide)real};
    }
}

/* Kernels have infinities of their own, which no value reaches. */
static pdp_value normalise(const pdp_solution *solution, pdp_value value) {
    const pdp_problem *problem = solution->problem;
    const bool is_min = problem->combine == PDP_OP_MIN;
    if (!pdp_problem_can_miss(problem) || is_real(solution)) {
        return value;
    }
    const pdp_wide limit = solution->type == PDP_TYPE_I32    ? INT32_MAX / 4
                           : solution->type == PDP_TYPE_WIDE ? PDP_WHOLE_INFINITY - 1
                                                             : (pdp_wide)INT64_MAX / 4;
    const bool floats = solution->type == PDP_TYPE_F32 || solution->type == PDP_TYPE_F64;
    if (!floats && (is_min ? value.whole > limit : value.whole < -limit)) {
        value.whole = is_min ? PDP_WHOLE_INFINITY : -PDP_WHOLE_INFINITY;
    }
    return value;
}

pdp_value pdp_solution_cell(const pdp_solution *solution, size_t row, size_t column) {
    const bool is_min = solution->problem->combine == PDP_OP_MIN;
    if (solution->cells) {
        static const size_t bytes[] = {4, 8, 4, 8, 4, 8, 16};
        const unsigned char *cell =
            (const unsigned char *)solution->cells + (column - solution->first) * bytes[solution->type];
        return normalise(solution, read_cell(cell, solution->type, is_real(solution), is_min));
    }
    if (solution->tiles.cells) {
        return read_cell(pdp_tiles_cell(&solution->tiles, row, column), solution->type, is_real(solution), is_min);
    }
    const size_t width = solution->shape == PDP_LINEAR ? solution->n : solution->n + 1;
    const int64_t cell = solution->table[row * width + column];
    const bool is_bits = solution->problem->element == PDP_ELEMENT_BITS;
    return is_bits ? (pdp_value){.whole = (pdp_wide)(uint64_t)cell} : (pdp_value){.whole = cell};
}

bool pdp_solution_is_infeasible(const pdp_solution *solution, pdp_value value) {
    const pdp_problem *problem = solution->problem;
    if (problem->combine == PDP_OP_MIN || problem->combine == PDP_OP_MAX) {
        return is_real(solution) ? pdp_problem_can_miss(problem) && isinf(value.real) &&
                                       (value.real > 0) == (problem->combine == PDP_OP_MIN)
                                 : value.whole >= PDP_WHOLE_INFINITY || value.whole <= -PDP_WHOLE_INFINITY;
    }
    return problem->shape == PDP_INTERVAL && problem->element == PDP_ELEMENT_BITS && problem->combine == PDP_OP_OR &&
           value.whole == 0;
}

int64_t pdp_solution_public(const pdp_solution *solution, pdp_value value) {
    if (is_real(solution)) {
        return 0;
    }
    if (value.whole >= PDP_WHOLE_INFINITY || value.whole <= -PDP_WHOLE_INFINITY) {
        return value.whole > 0 ? INT64_MAX : INT64_MIN;
    }
    return solution->problem->element == PDP_ELEMENT_BITS ? (int64_t)(uint64_t)value.whole : (int64_t)value.whole;
}

/* ---- Closing: overflow, and the value ---- */

pdp_status pdp_solution_fail_overflow(pdp_solution *solution, size_t row, size_t column) {
    const char *op = pdp_op_name(pdp_problem_asked_combine(solution->problem));
    const char *type = solution->problem->element == PDP_ELEMENT_I32 ? "int32" : "int64";
    if (solution->shape == PDP_LINEAR) {
        return pdp_error_set(&solution->error, PDP_OVERFLOW, "cell %zu: the value (by %s) does not fit into %s", column,
                             op, type);
    }
    return pdp_error_set(&solution->error, PDP_OVERFLOW, "cell (%zu, %zu): the value (by %s) does not fit into %s", row,
                         column, op, type);
}

static bool fits(const pdp_solution *solution, pdp_value value) {
    const bool is_short = solution->problem->element == PDP_ELEMENT_I32;
    const pdp_wide most = is_short ? INT32_MAX : INT64_MAX;
    return pdp_solution_is_infeasible(solution, value) || (value.whole <= most && value.whole >= -most - 1);
}

/* 128-bit cells can hold what does not fit. A sum of floats can become NaN (inf - inf): where it is born, it is
 * reported; it need not spread to the cells that read it (a comparison ends it), so all are looked at. */
static pdp_status check_cell(pdp_solution *solution, size_t row, size_t column) {
    const pdp_value value = pdp_solution_cell(solution, row, column);
    if (!is_real(solution)) {
        return fits(solution, value) ? PDP_OK : pdp_solution_fail_overflow(solution, row, column);
    }
    return isnan(value.real) ? pdp_error_set(&solution->error, PDP_OVERFLOW,
                                             solution->shape == PDP_LINEAR ? "cell %zu is not a number"
                                                                           : "cell (%zu, %zu) is not a number",
                                             solution->shape == PDP_LINEAR ? column : row, column)
                             : PDP_OK;
}

/* A quick look at cells of a linear table, of which most likely all are numbers that fit. */
static bool has_doubtful(const pdp_solution *solution, size_t begin, size_t end) {
    const size_t at = begin - solution->first, count = end - begin;
    bool found = false;
    if (solution->type == PDP_TYPE_WIDE) {
        const pdp_wide *cells = (const pdp_wide *)solution->cells + at;
        for (size_t x = 0; x < count; x++) {
            found |= cells[x] > INT32_MAX || cells[x] < INT32_MIN;
        }
    } else if (solution->type == PDP_TYPE_F64) {
        const double *cells = (const double *)solution->cells + at;
        for (size_t x = 0; x < count; x++) {
            found |= isnan(cells[x]) != 0;
        }
    } else {
        const float *cells = (const float *)solution->cells + at;
        for (size_t x = 0; x < count; x++) {
            found |= isnan(cells[x]) != 0;
        }
    }
    return found;
}

static bool needs_check(const pdp_solution *solution) {
    return solution->type == PDP_TYPE_WIDE || is_real(solution);
}

pdp_status pdp_solution_check_cells(pdp_solution *solution, size_t begin, size_t end) {
    if (!needs_check(solution) || !has_doubtful(solution, begin, end)) {
        return PDP_OK;
    }
    pdp_status status = PDP_OK;
    for (size_t column = begin; column < end && status == PDP_OK; column++) {
        status = check_cell(solution, 0, column);
    }
    return status;
}

pdp_status pdp_solution_close(pdp_solution *solution) {
    const size_t n = solution->n;
    if (solution->shape == PDP_LINEAR) {
        solution->value = pdp_solution_cell(solution, 0, n - 1);
        return pdp_solution_check_cells(solution, solution->first, n);
    }
    solution->value = pdp_solution_cell(solution, 0, n);
    pdp_status status = PDP_OK;
    for (size_t row = needs_check(solution) ? n + 1 : 0; row-- > 0 && status == PDP_OK;) {
        for (size_t column = row + 1; column <= n && status == PDP_OK; column++) {
            status = check_cell(solution, row, column);
        }
    }
    return status;
}

pdp_status pdp_solution_take_value(pdp_solution *solution, const void *cell) {
    const bool is_min = solution->problem->combine == PDP_OP_MIN;
    solution->value = normalise(solution, read_cell(cell, solution->type, is_real(solution), is_min));
    return is_real(solution) && isnan(solution->value.real)
               ? pdp_error_set(&solution->error, PDP_OVERFLOW, "the value is not a number")
               : PDP_OK;
}

/* ---- The public functions ---- */

int64_t pdp_solution_value(const pdp_solution *solution) {
    return is_good(solution) ? pdp_solution_public(solution, solution->value) : 0;
}

double pdp_solution_real_value(const pdp_solution *solution) {
    if (!is_good(solution)) {
        return 0;
    }
    return is_real(solution) ? solution->value.real : (double)pdp_solution_value(solution);
}

int pdp_solution_is_real(const pdp_solution *solution) {
    return is_good(solution) && is_real(solution);
}

int pdp_solution_feasible(const pdp_solution *solution) {
    return is_good(solution) && !pdp_solution_is_infeasible(solution, solution->value);
}

double pdp_solution_seconds(const pdp_solution *solution) {
    return solution ? solution->seconds : 0;
}

const char *pdp_solution_backend(const pdp_solution *solution) {
    return is_good(solution) ? solution->backend : "";
}

const char *pdp_solution_note(const pdp_solution *solution) {
    return is_good(solution) ? solution->note : "";
}

double pdp_solution_device_seconds(const pdp_solution *solution) {
    return solution ? solution->device_seconds : 0;
}

double pdp_solution_verify_seconds(const pdp_solution *solution) {
    return solution ? solution->verify_seconds : 0;
}

pdp_certificate pdp_solution_certificate(const pdp_solution *solution, const char **text) {
    if (text) {
        *text = is_good(solution) ? solution->certificate_text : "";
    }
    return is_good(solution) ? solution->certificate : PDP_UNCHECKED;
}

const char *pdp_certificate_name(pdp_certificate certificate) {
    static const char *const names[] = {"unchecked", "witness", "certified"};
    return (unsigned)certificate <= PDP_CERTIFIED ? names[certificate] : "";
}

/* Rows and columns are as many, but for the one row of a linear table. 0 without a table. */
static size_t table_width(const pdp_solution *solution) {
    return !has_table(solution) ? 0 : solution->shape == PDP_LINEAR ? solution->n : solution->n + 1;
}

static bool has_cells(const pdp_solution *solution, size_t row, size_t first, size_t count, bool real) {
    const size_t width = table_width(solution);
    return width > 0 && row < (solution->shape == PDP_LINEAR ? 1 : width) && first >= solution->first &&
           first <= width && count <= width - first && is_real(solution) == real;
}

pdp_status pdp_solution_cells(const pdp_solution *solution, size_t row, size_t first, int64_t *cells, size_t count) {
    if (!has_cells(solution, row, first, count, false)) {
        return PDP_BAD_INPUT;
    }
    for (size_t x = 0; x < count; x++) {
        bool is_cell = solution->shape == PDP_LINEAR || first + x > row;
        cells[x] = is_cell ? pdp_solution_public(solution, pdp_solution_cell(solution, row, first + x)) : 0;
    }
    return PDP_OK;
}

pdp_status pdp_solution_real_cells(const pdp_solution *solution, size_t row, size_t first, double *cells,
                                   size_t count) {
    if (!has_cells(solution, row, first, count, true)) {
        return PDP_BAD_INPUT;
    }
    for (size_t x = 0; x < count; x++) {
        bool is_cell = solution->shape == PDP_LINEAR || first + x > row;
        cells[x] = is_cell ? pdp_solution_cell(solution, row, first + x).real : 0;
    }
    return PDP_OK;
}

int pdp_solution_cell_feasible(const pdp_solution *solution, size_t row, size_t column) {
    const bool is_there = has_table(solution) && has_cells(solution, row, column, 1, is_real(solution)) &&
                          (solution->shape == PDP_LINEAR || column > row);
    return is_there && !pdp_solution_is_infeasible(solution, pdp_solution_cell(solution, row, column));
}

pdp_status pdp_solution_row(const pdp_solution *solution, size_t row, int64_t *cells, size_t columns) {
    const bool is_whole = columns > 0 && columns == table_width(solution);
    return is_whole ? pdp_solution_cells(solution, row, 0, cells, columns) : PDP_BAD_INPUT;
}

pdp_status pdp_solution_real_row(const pdp_solution *solution, size_t row, double *cells, size_t columns) {
    const bool is_whole = columns > 0 && columns == table_width(solution);
    return is_whole ? pdp_solution_real_cells(solution, row, 0, cells, columns) : PDP_BAD_INPUT;
}

const int64_t *pdp_solution_table(const pdp_solution *solution, size_t *rows, size_t *columns) {
    const bool is_there = has_table(solution) && !is_real(solution) && solution->first == 0;
    const size_t height = !is_there ? 0 : solution->shape == PDP_LINEAR ? 1 : solution->n + 1;
    const size_t width = !is_there ? 0 : solution->shape == PDP_LINEAR ? solution->n : solution->n + 1;
    if (rows) {
        *rows = height;
    }
    if (columns) {
        *columns = width;
    }
    if (is_there && !solution->table) {
        pdp_error error = {0};
        int64_t *table = pdp_array_allocate(height * width, sizeof *table, &error);
        for (size_t row = 0; table && row < height; row++) {
            pdp_solution_row(solution, row, table + row * width, width);
        }
        ((pdp_solution *)solution)->table = table; /* unpacked on demand: see the header */
    }
    return is_there ? solution->table : NULL;
}

const int64_t *pdp_solution_splits(const pdp_solution *solution) {
    return is_good(solution) ? solution->splits : NULL;
}

const pdp_decision *pdp_solution_decisions(const pdp_solution *solution, size_t *count) {
    if (count) {
        *count = is_good(solution) ? solution->decision_count : 0;
    }
    return is_good(solution) ? solution->decisions : NULL;
}

const pdp_record *pdp_solution_record(const pdp_solution *solution) {
    return solution && solution->has_record ? &solution->record : NULL;
}
