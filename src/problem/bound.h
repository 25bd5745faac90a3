/* How large the values of a problem can become, proven from its data before it is solved. */
#ifndef PDP_PROBLEM_BOUND_H
#define PDP_PROBLEM_BOUND_H

#include "problem/problem.h"

/* Every cell is within low .. high, and so is every value met on the way to one within -reach .. reach. A reach of
 * PDP_UNBOUNDED or more proves nothing. */
typedef struct pdp_bounds {
    pdp_wide low;
    pdp_wide high;
    pdp_wide reach;
    bool short_products; /* factors and products of every multiply-add are in 0 .. 2^52-1 */
    bool needs_integers; /* an operation that floats do not have: a remainder, a division, bits */
} pdp_bounds;

#define PDP_UNBOUNDED ((pdp_wide)1 << 100)

/* The problem must be checked, and its element whole (PDP_ELEMENT_WHOLE, I32 or I64) or a float; the bounds of those
 * are whole numbers, and leave out what rounding adds. O(n). */
pdp_bounds pdp_bounds_find(const pdp_problem *problem);

/* Whether all that kernels compute in 64 bits because no cell or element is in it fits into them: indices, and where
 * elements are no whole numbers, or in folds, whatever is made of indices, parameters and sizes. Of any problem; O(n).
 */
bool pdp_bounds_keep_plain(const pdp_problem *problem);

#endif
