/* Fig. 1 of the paper. */
#include <string.h>

#include "problem/operator.h"
#include "reference/reference.h"

/* ST[i] = ST[i-a_1] (x) ... (x) ST[i-a_k] for one cell, from left to right. */
__attribute__((always_inline)) static inline pdp_wide fold(const pdp_problem *problem, const int64_t *table, size_t i,
                                                           pdp_operator op, pdp_overflow overflow) {
    const size_t *offsets = problem->offsets;
    pdp_wide value = table[i - offsets[0]];
    for (size_t j = 1; j < problem->offset_count; j++) {
        value = pdp_operator_apply(op, overflow, problem->modulus, value, table[i - offsets[j]]);
    }
    return value;
}

static pdp_wide fold_cell(const pdp_problem *problem, const int64_t *table, size_t i) {
    /* Min and max are what most people run: for them the choice of operator leaves the loop. */
    switch (problem->op) {
    case PDP_MIN: return fold(problem, table, i, PDP_MIN, PDP_OVERFLOW_ERROR);
    case PDP_MAX: return fold(problem, table, i, PDP_MAX, PDP_OVERFLOW_ERROR);
    default: return fold(problem, table, i, problem->op, problem->overflow);
    }
}

pdp_status pdp_reference_solve_sdp(const pdp_problem *problem, int64_t *table, pdp_progress progress,
                                   pdp_error *error) {
    const size_t n = problem->n;
    const size_t first = problem->offsets[0];
    const size_t report_every = 1 + (1 << 22) / problem->offset_count;
    memcpy(table, problem->presets, first * sizeof *table);
    for (size_t i = first; i < n; i++) { /* all of ST[0 .. i-1] is final here */
        pdp_wide value = fold_cell(problem, table, i);
        if (!pdp_wide_fits(value)) {
            return pdp_operator_fail_overflow(error, problem, i);
        }
        table[i] = (int64_t)value;
        if (i % report_every == 0 && pdp_progress_tell(progress, (double)i / (double)n, error) != PDP_OK) {
            return error->status;
        }
    }
    return PDP_OK;
}
