/* Matrix chain without a table: the least cost and one optimal order in O(n log n) time and O(n) memory. */
#ifndef PDP_CPU_HU_SHING_H
#define PDP_CPU_HU_SHING_H

#include <stdbool.h>

#include "core/progress.h"
#include "solution/arcs.h"

/* The least cost of the chain dims[0 .. n] and, unless `tree` is NULL, one optimal order of it.
 *
 * All dimensions are at least 1, and (n-1) times the product of the three largest fits into int64. Fails with
 * PDP_NO_MEMORY, PDP_CANCELLED, or PDP_BAD_INPUT if n is 2^31 or more.
 *
 * tree[0 .. n-2] are the splits of the order's nodes in pre-order, the left part before the right one. The
 * chain 0..n is the node at place 0; if the node i..j is at place e, its split is k = tree[e], its left part
 * i..k is at place e+1 and its right part k..j at place e+k-i. A part k..k+1 is a matrix and has no place.
 *
 * Unless `arcs` is NULL, it gets what pdp_arcs_prove needs, for the caller to free; nothing if n < 2. */
pdp_status pdp_hu_shing_solve(const int64_t *dims, size_t n, int64_t *value, size_t *tree, pdp_arcs *arcs,
                              pdp_progress progress, pdp_error *error);

/* Bytes that pdp_hu_shing_solve allocates, the arcs among them. The tree is the caller's. */
uint64_t pdp_hu_shing_bytes(size_t n, bool with_tree);

#endif
