/* Each built-in problem solved straight from its textbook definition by the plainest loop there is: the
 * independent oracle of everything else. Nothing here is shared with the rest of the library.
 *
 * Tables. Linear: cells 0 .. n-1. Interval: points 0 .. n, (n+1) x (n+1) cells row by row, cell (i,j) for
 * i < j, 0 elsewhere.
 *
 * Overflow. Integer values are computed in 128 bits. Where one of them can leave int64 the function
 * returns the index in the table of the first cell whose own value does not fit, else PDP_TEXTBOOK_FITS.
 * First means the smallest index in linear tables; interval tables are filled from the last row to the
 * first, each row from left to right. The cells after it are not filled then.
 *
 * The caller has checked the input: sizes, signs and ranges are as stated here. */
#ifndef PDP_REFERENCE_TEXTBOOK_H
#define PDP_REFERENCE_TEXTBOOK_H

#include <stddef.h>
#include <stdint.h>

#include "pipedp.h"

#define PDP_TEXTBOOK_FITS SIZE_MAX

/* ---- Interval -------------------------------------------------------------------------------- */

/* The fewest multiplications for matrices i+1 .. j of a chain of n; matrix m is dims[m-1] x dims[m], all
 * n+1 dims >= 0. The same table is the triangulation of a convex polygon with vertex weights dims, where
 * a triangle costs the product of its three vertices. */
size_t pdp_textbook_solve_mcm(const int64_t *dims, size_t n, int64_t *table);

/* The least sum of the triangles' perimeters in a triangulation of the convex polygon with the vertices
 * i .. j of the n+1 given. An inner edge belongs to two triangles and counts twice. */
void pdp_textbook_solve_triangulation(const double *x, const double *y, size_t n, double *table);

/* Optimal binary search trees. Key t of 1 .. n is looked for hits[t-1] times, what lies between keys t and
 * t+1 misses[t] times, 0 <= t <= n. A look-up that ends at depth d (the root has depth 0; misses end in the
 * leaves below the keys) costs d+1. The table has the points 0 .. n+1: cell (i,j) is the tree of the keys
 * i+1 .. j-1, cell (i,i+1) the leaf misses[i]. */
size_t pdp_textbook_solve_obst(const int64_t *hits, const int64_t *misses, size_t n, int64_t *table);

/* The least cost of making one pile of the piles i .. j-1 of n, by merging neighbours; a merge costs the
 * size of the pile it makes. */
size_t pdp_textbook_solve_merge(const int64_t *piles, size_t n, int64_t *table);

/* The most pairs A-U, C-G and G-U in the bases i .. j-1 of n, no two crossing, each base in at most one,
 * and more than `loop` positions apart. */
void pdp_textbook_solve_nussinov(const char *bases, size_t n, size_t loop, int64_t *table);

/* A grammar in Chomsky normal form with at most 64 non-terminals. */
typedef struct pdp_textbook_grammar {
    const int64_t *a; /* rule q is a[q] -> b[q] c[q] */
    const int64_t *b;
    const int64_t *c;
    size_t rule_count;
    const uint64_t *letters; /* bit A of letters[t] is set if A -> t is a rule */
} pdp_textbook_grammar;

/* Cell (i,j) is the set of the non-terminals that derive the letters i .. j-1 of the word, as bits. */
void pdp_textbook_solve_cyk(const pdp_textbook_grammar *grammar, const int64_t *word, size_t n, uint64_t *table);

/* ---- Linear ---------------------------------------------------------------------------------- */

/* The paper's Definition 1, with weights[j] added to the j-th operand under min and max or multiplied with
 * it under add, and with x[i] combined from the left into each cell i that is not preset. Either may be
 * NULL; x has n items. Under PDP_OVERFLOW_MOD everything is reduced to 0 .. modulus-1 first. */
size_t pdp_textbook_solve_sdp(const pdp_sdp *sdp, const int64_t *weights, const int64_t *x, int64_t *table);

/* The fewest coins that make up each amount 0 .. amount; INT64_MAX where none do. Coins >= 1. */
void pdp_textbook_solve_coins(const int64_t *coins, size_t coin_count, size_t amount, int64_t *table);

/* The largest value of items of total size at most c, for each c of 0 .. capacity; items may be taken any
 * number of times. Sizes >= 1. */
size_t pdp_textbook_solve_knapsack(const int64_t *sizes, const int64_t *values, size_t item_count, size_t capacity,
                                   int64_t *table);

/* The most revenue from rods of each length 0 .. length, cut into pieces of 1 .. price_count >= 1; a piece
 * of length t brings prices[t-1]. */
size_t pdp_textbook_solve_rod(const int64_t *prices, size_t price_count, size_t length, int64_t *table);

/* The number of sequences of parts >= 1 that add up to each of 0 .. total, modulo `modulus`, or the number
 * itself if that is 0. A part that is listed twice counts as two. */
size_t pdp_textbook_solve_compositions(const int64_t *parts, size_t part_count, size_t total, int64_t modulus,
                                       int64_t *table);

/* The recursive filter: y[i] = x[i] plus weights[j] times the output offsets[j] >= 1 steps earlier, which was
 * 0 before the start. Added up in the order given. */
void pdp_textbook_solve_filter(const double *x, size_t n, const int64_t *offsets, const double *weights, size_t count,
                               double *table);

/* Shift registers, one in each of the 64 bits: word i is the xor of the words taps[j] steps earlier. The
 * first preset_count words are given, as many as the largest tap at least. */
void pdp_textbook_solve_lfsr(const int64_t *taps, size_t tap_count, const uint64_t *presets, size_t preset_count,
                             size_t n, uint64_t *table);

/* The probability of a renewal at each time 0 .. n-1 if there is one at time 0 and the next comes after t
 * steps with probability intervals[t-1], 1 <= t <= interval_count. */
void pdp_textbook_solve_renewal(const double *intervals, size_t interval_count, size_t n, double *table);

#endif
