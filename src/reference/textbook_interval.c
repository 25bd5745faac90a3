#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "reference/textbook.h"

__extension__ typedef __int128 wide;

#define BEYOND ((wide)INT64_MAX + 1)

static bool fits(wide value) {
    return value >= INT64_MIN && value <= INT64_MAX;
}

/* a*b*c of non-negative numbers. One that does not fit into int64 may come out smaller, yet beyond int64. */
static wide multiply(int64_t a, int64_t b, int64_t c) {
    wide product = (wide)a * b;
    return (product < BEYOND ? product : BEYOND) * c;
}

static wide add_up(const int64_t *numbers, size_t from, size_t to) {
    wide sum = 0;
    for (size_t t = from; t < to; t++) {
        sum += numbers[t];
    }
    return sum;
}

/* The least T[i][k] + T[k][j] over i<k<j. */
static wide find_best_split(const int64_t *table, size_t width, size_t i, size_t j) {
    wide best = 0;
    for (size_t k = i + 1; k < j; k++) {
        wide cost = (wide)table[i * width + k] + table[k * width + j];
        best = k == i + 1 || cost < best ? cost : best;
    }
    return best;
}

/* m[i][j] = min over i<k<j of m[i][k] + m[k][j] + p[i]*p[k]*p[j], and m[i][i+1] = 0. */
size_t pdp_textbook_solve_mcm(const int64_t *dims, size_t n, int64_t *table) {
    const size_t width = n + 1;
    memset(table, 0, width * width * sizeof *table);
    for (size_t i = n; i-- > 0;) { /* the rows below are final */
        for (size_t j = i + 2; j <= n; j++) {
            wide best = 0;
            for (size_t k = i + 1; k < j; k++) {
                wide parts = (wide)table[i * width + k] + table[k * width + j];
                wide cost = parts + multiply(dims[i], dims[k], dims[j]);
                best = k == i + 1 || cost < best ? cost : best;
            }
            if (!fits(best)) {
                return i * width + j;
            }
            table[i * width + j] = (int64_t)best;
        }
    }
    return PDP_TEXTBOOK_FITS;
}

/* t[i][j] = min over i<k<j of t[i][k] + t[k][j] + |ik| + |kj| + |ij|, and t[i][i+1] = 0. */
void pdp_textbook_solve_triangulation(const double *x, const double *y, size_t n, double *table) {
    const size_t width = n + 1;
    memset(table, 0, width * width * sizeof *table);
    for (size_t i = n; i-- > 0;) { /* the rows below are final */
        for (size_t j = i + 2; j <= n; j++) {
            double best = INFINITY;
            for (size_t k = i + 1; k < j; k++) {
                double perimeter =
                    hypot(x[k] - x[i], y[k] - y[i]) + hypot(x[j] - x[k], y[j] - y[k]) + hypot(x[i] - x[j], y[i] - y[j]);
                best = fmin(best, table[i * width + k] + table[k * width + j] + perimeter);
            }
            table[i * width + j] = best;
        }
    }
}

/* With e[i,j] for the keys i .. j, p[i] the hits of key i and q[i] the misses after it:
 *     e[i,i-1] = q[i-1]
 *     e[i,j]   = min over i<=r<=j of e[i,r-1] + e[r+1,j] + p[i] + ... + p[j] + q[i-1] + ... + q[j]
 * e[i,j] is the cell (i-1, j+1); so e[i,r-1] is (i-1, r) and e[r+1,j] is (r, j+1). */
size_t pdp_textbook_solve_obst(const int64_t *hits, const int64_t *misses, size_t n, int64_t *table) {
    const size_t width = n + 2;
    memset(table, 0, width * width * sizeof *table);
    for (size_t i = n + 2; i-- > 1;) { /* the trees that begin with a later key are final */
        table[(i - 1) * width + i] = misses[i - 1];
        for (size_t j = i; j <= n; j++) {
            wide cost = find_best_split(table, width, i - 1, j + 1);
            cost += add_up(hits, i - 1, j) + add_up(misses, i - 1, j + 1);
            if (!fits(cost)) {
                return (i - 1) * width + j + 1;
            }
            table[(i - 1) * width + j + 1] = (int64_t)cost;
        }
    }
    return PDP_TEXTBOOK_FITS;
}

/* c[i][j] = min over i<k<j of c[i][k] + c[k][j], plus s[i] + ... + s[j-1]; and c[i][i+1] = 0. */
size_t pdp_textbook_solve_merge(const int64_t *piles, size_t n, int64_t *table) {
    const size_t width = n + 1;
    memset(table, 0, width * width * sizeof *table);
    for (size_t i = n; i-- > 0;) { /* the rows below are final */
        for (size_t j = i + 2; j <= n; j++) {
            wide cost = find_best_split(table, width, i, j) + add_up(piles, i, j);
            if (!fits(cost)) {
                return i * width + j;
            }
            table[i * width + j] = (int64_t)cost;
        }
    }
    return PDP_TEXTBOOK_FITS;
}

static bool can_pair(char a, char b) {
    const char pair[] = {a, b, '\0'};
    return strstr("AU UA CG GC GU UG", pair) != NULL;
}

/* Base i stays alone, or pairs with a base k and separates what lies between them from what comes after:
 *     m[i][j] = max(m[i+1][j], max over i+loop<k<j with a pair i-k of 1 + m[i+1][k] + m[k+1][j]), m[i][i] = 0. */
void pdp_textbook_solve_nussinov(const char *bases, size_t n, size_t loop, int64_t *table) {
    const size_t width = n + 1;
    memset(table, 0, width * width * sizeof *table);
    for (size_t i = n; i-- > 0;) { /* the rows below are final */
        for (size_t j = i + 1; j <= n; j++) {
            int64_t best = table[(i + 1) * width + j];
            for (size_t k = i + 1; k < j; k++) {
                if (k - i > loop && can_pair(bases[i], bases[k])) {
                    int64_t pairs = 1 + table[(i + 1) * width + k] + table[(k + 1) * width + j];
                    best = pairs > best ? pairs : best;
                }
            }
            table[i * width + j] = best;
        }
    }
}

/* V[i][j] = { A : a rule A -> B C and i<k<j with B in V[i][k] and C in V[k][j] }, V[i][i+1] = { A : A -> w[i] }. */
void pdp_textbook_solve_cyk(const pdp_textbook_grammar *grammar, const int64_t *word, size_t n, uint64_t *table) {
    const size_t width = n + 1;
    memset(table, 0, width * width * sizeof *table);
    for (size_t i = n; i-- > 0;) { /* the rows below are final */
        table[i * width + i + 1] = grammar->letters[word[i]];
        for (size_t j = i + 2; j <= n; j++) {
            uint64_t found = 0;
            for (size_t k = i + 1; k < j; k++) {
                for (size_t q = 0; q < grammar->rule_count; q++) {
                    bool has_left = (table[i * width + k] >> grammar->b[q] & 1) != 0;
                    bool has_right = (table[k * width + j] >> grammar->c[q] & 1) != 0;
                    found |= (uint64_t)(has_left && has_right) << grammar->a[q];
                }
            }
            table[i * width + j] = found;
        }
    }
}
