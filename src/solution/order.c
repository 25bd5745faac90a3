/* The decisions behind a matrix-chain table. They are read from the finished table, so that every
 * method gives the same ones: the smallest k that reaches the least
 *     T[i][k] + T[k][j] + p[i]*p[k]*p[j]. */
#include <stdlib.h>

#include "solution/solution.h"

static size_t best_split(const pdp_solution *solution, size_t i, size_t j) {
    const size_t width = solution->n + 1;
    const int64_t *table = solution->table;
    const int64_t *p = solution->dims;
    size_t best = i + 1;
    int64_t least = INT64_MAX;
    for (size_t k = i + 1; k < j; k++) {
        int64_t cost = table[i * width + k] + table[k * width + j] + p[i] * p[k] * p[j];
        if (cost < least) {
            least = cost;
            best = k;
        }
    }
    return best;
}

void pdp_solution_fill_splits(pdp_solution *solution) {
    const size_t width = solution->n + 1;
    for (size_t i = 0; i < width; i++) {
        for (size_t j = i + 2; j < width; j++) {
            solution->splits[i * width + j] = (int64_t)best_split(solution, i, j);
        }
    }
}

/* What is still to be written, last first: an interval, or a bracket to close. */
typedef struct pending {
    size_t i;
    size_t j; /* 0: write ')' */
} pending;

/* The characters of an order: each matrix's name, and two brackets for each of the n-1 products. */
static size_t order_length(size_t n) {
    size_t length = 2 * (n - 1);
    for (size_t m = 1; m <= n; m++) {
        length += (size_t)snprintf(NULL, 0, "A%zu", m);
    }
    return length;
}

char *pdp_solution_order(const pdp_solution *solution) {
    if (!solution || !solution->table || solution->kind != PDP_MCM) {
        return NULL;
    }
    const size_t n = solution->n;
    const size_t size = order_length(n) + 1;
    /* The pending work is a path of the tree: a bracket and an interval for each of its n-1 levels, and the
     * interval in hand. */
    char *text = malloc(size);
    pending *stack = malloc((2 * n - 1) * sizeof *stack);
    if (!text || !stack) {
        free(text);
        free(stack);
        return NULL;
    }
    size_t length = 0;
    size_t depth = 0;
    stack[depth++] = (pending){0, n};
    while (depth > 0) {
        pending top = stack[--depth];
        if (top.j == 0) {
            text[length++] = ')';
        } else if (top.j == top.i + 1) {
            length += (size_t)snprintf(text + length, size - length, "A%zu", top.j);
        } else {
            size_t k = solution->splits ? (size_t)solution->splits[top.i * (n + 1) + top.j]
                                        : best_split(solution, top.i, top.j);
            text[length++] = '(';
            stack[depth++] = (pending){0, 0};
            stack[depth++] = (pending){k, top.j};
            stack[depth++] = (pending){top.i, k};
        }
    }
    text[length] = '\0';
    free(stack);
    return text;
}
