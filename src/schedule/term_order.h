/* In which order the d terms of a matrix-chain cell on diagonal d are taken: term j (from 1) is the
 * split s, meaning the first s of the cell's d+1 matrices against the rest.
 *
 * Middle-out: the operands of the middle splits lie on the lowest diagonals and were finished first,
 * so they are taken first. docs/paper.md has the proofs. */
#ifndef PDP_SCHEDULE_TERM_ORDER_H
#define PDP_SCHEDULE_TERM_ORDER_H

#include <stddef.h>

/* As the paper prints it. Reads unfinished cells from n = 4 on. */
static inline size_t pdp_term_order_printed(size_t n, size_t d, size_t j) {
    (void)n;
    (void)d;
    return j;
}

/* With u terms still to come after this one, the splits not yet taken below and above the middle are
 * lo and hi; `flip` says which of the two comes first. */
static inline size_t pdp_term_order_middle_out(size_t d, size_t j, size_t flip) {
    size_t u = d - j;
    size_t lo = (u >> 1) + 1;
    size_t hi = d - (u >> 1);
    return ((u + flip) & 1) != 0 ? lo : hi;
}

/* The smaller split of each pair first. */
static inline size_t pdp_term_order_smaller_first(size_t n, size_t d, size_t j) {
    (void)n;
    return pdp_term_order_middle_out(d, j, 0);
}

/* The same, but on diagonal n-2 mostly the larger first: then the paper's pipeline, its loops
 * untouched, has neither hazard nor conflict. */
static inline size_t pdp_term_order_zero_delay(size_t n, size_t d, size_t j) {
    return pdp_term_order_middle_out(d, j, d == n - 2 && (n % 2 == 1 || j > 2));
}

#endif
