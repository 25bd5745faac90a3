/* The canonical form of a term: the same for terms that differ only in the order of their summands and factors, or in
 * where whole sums are cut, and sorted so that as much as possible can be computed outside the innermost loop.
 * Interpreter and emitter both start from it, so that they round alike. */
#ifndef PDP_RECURRENCE_CANONISE_H
#define PDP_RECURRENCE_CANONISE_H

#include "recurrence/recurrence.h"

/* Sets `inner` and `after` from `term`, adding nodes; that, leaf and finish lose what adds 0 or multiplies by 1.
 * PDP_NO_MEMORY, or PDP_BAD_INPUT when the form has too many nodes.
 */
pdp_status pdp_recurrence_canonise(pdp_recurrence *recurrence);

/* Less than 0, 0 or more, in an order of trees that does not depend on how they were written; 0 for equal ones. */
int pdp_trees_compare(const pdp_recurrence *recurrence, uint32_t a, uint32_t b);

/* The recurrence is a matrix chain: min over k of l + r + p[i]*p[k]*p[j] with leaves 0 and nothing else, if p is
 * an input of numbers from 1 as long as there are points. Returns the input's number, or PDP_NO_NODE. */
uint32_t pdp_recurrence_chain_input(const pdp_recurrence *recurrence);

/* The recurrence adds a weight to the best of its terms: M[i][j] = w(i,j) + (+) over k of l + r, and nothing else. */
bool pdp_recurrence_is_weighed(const pdp_recurrence *recurrence);

/* In every type, what a linear recurrence makes of an infinite cell is infinite: it is only added to, or passed on. */
bool pdp_recurrence_keeps_infinity(const pdp_recurrence *recurrence);

#endif
