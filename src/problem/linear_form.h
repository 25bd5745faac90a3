/* The form of a linear recurrence, whatever its file calls things:
 *
 *     ST[i] = x(i) (+) ((+) over j with a_j <= i of  scale_j * ST[i - a_j] + shift_j),   i >= preset_count
 *
 * with scales and shifts that are the same for every i. */
#ifndef PDP_PROBLEM_LINEAR_FORM_H
#define PDP_PROBLEM_LINEAR_FORM_H

#include "problem/problem.h"

typedef enum pdp_term_form {
    PDP_TERM_OTHER,   /* not of that form */
    PDP_TERM_CELL,    /* s: all scales are 1, all shifts 0 */
    PDP_TERM_SHIFTED, /* s + something of j: all scales are 1 */
    PDP_TERM_AFFINE
} pdp_term_form;

/* Of the term as it is written, finish and source left aside. */
pdp_term_form pdp_linear_form_of_term(const pdp_recurrence *recurrence);

/* Exact numbers, and every cell is one before it plus a shift: there is no finish clause. */
bool pdp_linear_form_has_shifts(const pdp_problem *problem);

/* Scale and shift do not look at j: they are the same for all terms. */
bool pdp_linear_form_is_uniform(const pdp_recurrence *recurrence);

/* The finish clause is absent, or adds to what was combined something that no cell is in. */
bool pdp_linear_form_finish_adds(const pdp_recurrence *recurrence);

/* What finish adds is the same for every i. */
bool pdp_linear_form_finish_is_steady(const pdp_recurrence *recurrence);

/* The cell from which on x(i), under add also with what finish adds, is the same for every i; at least preset_count.
 * SIZE_MAX if none is known. */
size_t pdp_linear_form_steady_from(const pdp_problem *problem);

/* Scale and shift of term j in the problem's arithmetic: exact, 0 .. P-1, or 0 .. 2^64-1. An error is left in the
 * bindings, which are pdp_problem_bindings. */
void pdp_linear_form_weigh(pdp_bindings *bindings, pdp_term_form form, size_t j, pdp_wide *scale, pdp_wide *shift);

/* x(i) of a sum: source and what finish adds; 0 if there is neither. */
pdp_wide pdp_linear_form_source(pdp_bindings *bindings, const pdp_problem *problem, size_t i);

#endif
