/* The plain sequential solvers: the oracle of every other method, and the documentation of what is
 * computed. */
#ifndef PDP_REFERENCE_REFERENCE_H
#define PDP_REFERENCE_REFERENCE_H

#include "core/progress.h"
#include "problem/problem.h"

/* Fills the table of a problem (S-DP: n cells; matrix chain: (n+1) x (n+1), zero on entry). */
pdp_status pdp_reference_solve_sdp(const pdp_problem *problem, int64_t *table, pdp_progress progress, pdp_error *error);
pdp_status pdp_reference_solve_mcm(const pdp_problem *problem, int64_t *table, pdp_progress progress, pdp_error *error);

#endif
