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

/* A sum of whole numbers or residues whose weights and source do not change with i, and whose greatest offset is 96 at
 * most: the value is what the first cells come to, multiplied with the remainder of x^n by the recurrence's polynomial,
 * which needs no table; or the cell is so near that all before it are computed. *is_checked says whether the problem is
 * of this form. */
pdp_status pdp_witness_far(const pdp_witness *witness, bool *is_checked, pdp_error *error);
bool pdp_witness_is_far(const pdp_problem *problem); /* it is of this form */

#endif
