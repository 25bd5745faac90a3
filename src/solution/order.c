/* A tree of splits as an order of products: "((A1(A2A3))A4)". */
#include <stdlib.h>

#include "solution/solution.h"

/* What is still to be written, last first: a part, or a bracket to close. */
typedef struct pending {
    size_t i;
    size_t j; /* 0: write ')' */
} pending;

/* The characters of an order: each matrix's name, and two brackets for each of the n-1 products. */
static size_t order_length(size_t n) {
    size_t length = 2 * (n - 1);
    size_t digits = 1;
    for (size_t m = 1, power = 10; m <= n; m++) {
        if (m == power) {
            digits++;
            power *= 10;
        }
        length += 1 + digits;
    }
    return length;
}

char *pdp_solution_order(const pdp_solution *solution) {
    size_t decision_count = 0;
    const pdp_decision *decisions = pdp_solution_decisions(solution, &decision_count);
    if (!solution || solution->error.status != PDP_OK || solution->shape != PDP_INTERVAL ||
        decision_count + 1 != solution->n) {
        return NULL;
    }
    for (size_t x = 0; x < decision_count; x++) {
        if (decisions[x].kind != PDP_SPLIT) {
            return NULL;
        }
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
        } else { /* decisions are in pre-order, and so is this */
            const size_t k = (decisions++)->k;
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
