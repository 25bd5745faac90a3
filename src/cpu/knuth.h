/* Interval problems whose best split points are monotone, in O(n^2) (Knuth 1971, Yao 1980).
 *
 *   M[i][i+1] = leaf(i),   M[i][j] = w(i,j) + min over i<k<j of M[i][k] + M[k][j]
 *
 * Theorem. If for all points i < j of which the cells named here exist and are no leaves
 *
 *   w(i,j) + w(i+1,j+1) <= w(i,j+1) + w(i+1,j)      the quadrangle inequality of adjacent cells
 *   w(i,j) <= w(i,j+1)  and  w(i+1,j) <= w(i,j)      a part weighs no more than the whole
 *
 * then of the smallest best splits K(i,j-1) <= K(i,j) <= K(i+1,j): so only these k need be tried, which are two a cell
 * on average, and the smallest of equally good ones is still found.
 *
 * Proof. Sums of adjacent inequalities give them for all points: w(a,c) + w(b,d) <= w(a,d) + w(b,c) for a <= b, b+2 <=
 * c <= d. A leaf is in every tree over its part once, so that leaves may be taken for 0. Then M has the inequality too,
 * for b < c, by induction over d-a; let z be a best split of (a,d). If c = b+1, and z <= b (z > b is its mirror image),
 *   M(a,d) = w(a,d) + M(a,z) + M(z,d) >= w(a,b+1) + M(a,z) + M(z,b+1) + M(b,d) >= M(a,b+1) + M(b,d).
 * Otherwise let y be a best split of (b,c), and z <= y (again its mirror image is the other case): z splits (a,c), y
 * splits (b,d), and
 *   M(a,c) + M(b,d) <= w(a,c) + M(a,z) + M(z,c) + w(b,d) + M(b,y) + M(y,d)
 *                   <= w(a,d) + M(a,z) + M(z,d) + w(b,c) + M(b,y) + M(y,c) = M(a,d) + M(b,c).
 * If now k < k' = K(i,j-1), so that k is worse than k' for (i,j-1), it is for (i,j) too, since M(k,j-1) + M(k',j) <=
 * M(k,j) + M(k',j-1); the same with M(i,k) + M(i+1,k') <= M(i,k') + M(i+1,k) for the other bound.
 *
 * Under max all inequalities are turned round. In floats the sums are rounded, and what is proven of the exact ones
 * need not hold: they are refused. */
#ifndef PDP_CPU_KNUTH_H
#define PDP_CPU_KNUTH_H

#include "core/progress.h"
#include "cpu/data.h"
#include "cpu/kernel_interval_abi.h"
#include "solution/solution.h"

/* What finds w(i,j), the value of a cell whose terms come to 0. */
typedef struct pdp_weights {
    const pdp_problem *problem;
    const pdp_interval_kernel *kernel; /* of int64, that can weigh; or NULL: the interpreter does */
    const pdp_data *data;              /* the kernel's */
} pdp_weights;

/* Why the problem is not of this form, or its values are not sure to fit into 64 bits; NULL if neither. Of the weights
 * nothing is known yet. */
const char *pdp_knuth_refuse(const pdp_problem *problem);

/* PDP_BAD_INPUT, naming the cell, where the weights break one of the theorem's conditions, or cannot be found. */
pdp_status pdp_knuth_check(const pdp_weights *weights, pdp_progress progress, pdp_error *error);

/* What a solve allocates, besides decisions and splits. */
uint64_t pdp_knuth_bytes(const pdp_problem *problem, bool with_decisions);

/* Fills the solution's table, and its splits and decisions, if they are wanted. The weights have passed the check. */
pdp_status pdp_knuth_solve(pdp_solution *solution, const pdp_weights *weights, bool with_decisions,
                           pdp_progress progress);

#endif
