/* The operators of S-DP on 128-bit values, so that what is on its way to a cell may be larger than
 * the cell: a sum that leaves int64 and comes back is no overflow. */
#ifndef PDP_PROBLEM_OPERATOR_H
#define PDP_PROBLEM_OPERATOR_H

#include "core/wide.h"
#include "problem/problem.h"

static inline pdp_wide pdp_operator_gcd(pdp_wide a, pdp_wide b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        pdp_wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A product, brought back to the nearest of +-(2^63 + 1) when it is larger: further factors other
 * than 0 leave it beyond int64, as they would the true product, and two such never leave 128 bits. */
static inline pdp_wide pdp_operator_multiply(pdp_wide a, pdp_wide b) {
    const pdp_wide beyond = (pdp_wide)INT64_MAX + 2;
    pdp_wide product = a * b;
    return product > beyond ? beyond : product < -beyond ? -beyond : product;
}

/* a (x) b for an operator and its policy. Always inlined, so that a loop with a constant operator
 * keeps none of the choice. */
__attribute__((always_inline)) static inline pdp_wide pdp_operator_apply(pdp_operator op, pdp_overflow overflow,
                                                                         int64_t modulus, pdp_wide a, pdp_wide b) {
    switch (op) {
    case PDP_MIN: return a < b ? a : b;
    case PDP_MAX: return a > b ? a : b;
    case PDP_ADD:
        switch (overflow) {
        case PDP_OVERFLOW_ERROR: return a + b; /* exact: 2^64 terms of int64 stay within 128 bits */
        case PDP_OVERFLOW_WRAP: return (int64_t)((uint64_t)a + (uint64_t)b);
        case PDP_OVERFLOW_MOD: return (a + b) % modulus;
        }
        break;
    case PDP_MUL:
        switch (overflow) {
        case PDP_OVERFLOW_ERROR: return pdp_operator_multiply(a, b);
        case PDP_OVERFLOW_WRAP: return (int64_t)((uint64_t)a * (uint64_t)b);
        case PDP_OVERFLOW_MOD: return a * b % modulus;
        }
        break;
    case PDP_AND: return a & b;
    case PDP_OR: return a | b;
    case PDP_XOR: return a ^ b;
    case PDP_GCD: return pdp_operator_gcd(a, b);
    }
    return 0;
}

/* The error of the cell whose value does not fit. */
pdp_status pdp_operator_fail_overflow(pdp_error *error, const pdp_problem *problem, size_t cell);

#endif
