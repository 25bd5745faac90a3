/* The plain sequential solvers: the oracle of every other method, and the documentation of what is
 * computed. */
#ifndef PDP_REFERENCE_REFERENCE_H
#define PDP_REFERENCE_REFERENCE_H

#include "core/progress.h"
#include "problem/problem.h"
#include "solution/solution.h"

/* Fills the table of one of the paper's problems (S-DP: n cells; matrix chain: (n+1) x (n+1), zero on entry). */
pdp_status pdp_reference_solve_sdp(const pdp_problem *problem, int64_t *table, pdp_progress progress, pdp_error *error);
pdp_status pdp_reference_solve_mcm(const pdp_problem *problem, int64_t *table, pdp_progress progress, pdp_error *error);

/* The least cost of the chain dims[0 .. n], by Hu and Shing's theorem and in O(n log n), by code that has nothing in
 * common with that of pdp_hu_shing_solve, for costs of any size: one that does not fit into int64 is told as something
 * that does not. And the bytes that it allocates and frees again. */
pdp_status pdp_reference_cost_mcm(const int64_t *dims, size_t n, pdp_wide *cost, pdp_error *error);
uint64_t pdp_reference_cost_bytes(size_t n);

/* Any problem, by the interpreter. The solution gets its cells or tiles, of pdp_reference_type. */
pdp_status pdp_reference_solve_interval(pdp_solution *solution, pdp_progress progress);
pdp_status pdp_reference_solve_linear(pdp_solution *solution, pdp_progress progress);
pdp_machine_type pdp_reference_type(const pdp_problem *problem);

/* Cells begin .. end-1 of a linear problem, where those before that they read are there. */
pdp_status pdp_reference_fill_linear(pdp_solution *solution, size_t begin, size_t end, pdp_progress progress);
uint64_t pdp_reference_bytes(const pdp_problem *problem);

#endif
