/* A finished solution looked at once more, by code that shares nothing with the kernels: terms as the file has them,
 * one after the other, whole numbers in 128 bits. (Floats as canonised, which is what their last bits depend on; they
 * may differ by what rounding explains.) A check that fails is PDP_WRONG and says what does not fit. */
#ifndef PDP_SOLUTION_WITNESS_H
#define PDP_SOLUTION_WITNESS_H

#include "solution/solution.h"

/* The solution with the type of number that it was computed in: the problem's, or the other float. */
typedef struct pdp_witness {
    const pdp_solution *solution;
    pdp_element element;
} pdp_witness;

/* The first cell that can be looked at: of a linear table whose last cells alone are kept, one all of whose terms are
 * there. SIZE_MAX if there is none, or no table. */
size_t pdp_witness_first(const pdp_solution *solution);

/* The decisions make up a whole tree, or a chain of steps, and come to the value. */
pdp_status pdp_witness_decisions(const pdp_witness *witness, pdp_error *error);
uint64_t pdp_witness_bytes(const pdp_problem *problem);

/* There is one that can be looked at, here and below. The value, and cells drawn by a seed until they have so many
 * terms together, are what the terms in the table come to. *checked is how many cells these were. */
pdp_status pdp_witness_cells(const pdp_witness *witness, double terms, size_t *checked, pdp_error *error);

/* Sums of cells: ST[i] = source(i) + the sum of c(j)*ST[i - offset(j)], and the same with xor. A random weight r^i for
 * each of `count` cells in a row, and both sides of all their equations are added up and compared:
 *
 *   sum of r^i ST[i]  =  sum of r^i source(i)  +  sum over j of c(j) r^offset(j) (sum of r^m ST[m])
 *
 * which takes a pass over the table. The difference is a polynomial in r, which is 0 for few r if one of its factors is
 * not: exact numbers are taken modulo the prime 2^61-1, words under xor as elements of a field of 2^64, residues modulo
 * their own number P, if that is odd and at least 2^20 (with an even one, or modulo 2^64, errors in high bits would get
 * lost). *checked is 0 if the problem is not of this form. */
pdp_status pdp_witness_sums(const pdp_witness *witness, size_t count, size_t *checked, pdp_error *error);
uint64_t pdp_witness_sums_bytes(const pdp_problem *problem);

/* The same for the equations of `count` cells in a row one by one, which takes all their terms, but not all cells that
 * are as far before them as the greatest offset. */
pdp_status pdp_witness_row(const pdp_witness *witness, size_t count, size_t *checked, pdp_error *error);

uint64_t pdp_witness_divisor(uint64_t a, uint64_t b); /* the greatest of both */

/* A sum of whole numbers or residues whose weights and source do not change with i, and whose greatest offset is 48 at
 * most: the value is what the first cells come to, multiplied with the remainder of x^n by the recurrence's polynomial,
 * which needs no table; or the cell is so near that all before it are computed. *is_checked says whether the problem is
 * of this form. */
pdp_status pdp_witness_far(const pdp_witness *witness, bool *is_checked, pdp_error *error);
bool pdp_witness_is_far(const pdp_problem *problem); /* it is of this form */

/* Any cell that Bostan and Mori's method finds (cpu/bostan_mori.h), by the fractions U/V on its way: the first is the
 * problem's, and each is made from the one before it. The polynomials are multiplied at one random point s, where that
 * takes no transforms: a difference of polynomials that is not 0 is 0 at few points. Numbers are residues modulo P or
 * 2^64; modulo a number that is even, an error in the highest bits can get lost. */
typedef struct pdp_witness_steps {
    const pdp_problem *problem;
    pdp_bindings b;
    uint64_t modulus; /* 0: 2^64 */
    uint64_t *powers; /* of s */
    size_t power_count;
    uint64_t cell;  /* coefficient of the first fraction that is the value */
    size_t count;   /* of fractions so far */
    uint64_t upper; /* what the next one comes to */
    uint64_t lower;
    uint64_t value; /* the last one's at 0 */
    bool is_wrong;
} pdp_witness_steps;

/* For a problem that the method takes, not all of whose cells are preset. */
pdp_status pdp_witness_steps_create(pdp_witness_steps *w, const pdp_problem *problem, pdp_error *error);
uint64_t pdp_witness_steps_bytes(const pdp_problem *problem);
void pdp_witness_steps_free(pdp_witness_steps *w);

/* The next fraction: a pdp_bostan_mori_watch. */
void pdp_witness_steps_watch(void *context, const int64_t *upper, size_t upper_count, const int64_t *lower,
                             size_t lower_count);

/* After the last, which has to come to the value. */
pdp_status pdp_witness_steps_close(const pdp_witness_steps *w, pdp_wide value, pdp_error *error);

#endif
