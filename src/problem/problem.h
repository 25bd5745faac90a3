/* A problem: its kind, and a checked copy of its data. */
#ifndef PDP_PROBLEM_PROBLEM_H
#define PDP_PROBLEM_PROBLEM_H

#include "core/error.h"

struct pdp_problem {
    pdp_kind kind;
    size_t n; /* S-DP: cells; matrix chain: matrices */

    /* S-DP. Presets are already reduced modulo the modulus. */
    size_t *offsets;
    size_t offset_count;
    int64_t *presets; /* offsets[0] of them */
    pdp_operator op;
    pdp_overflow overflow;
    int64_t modulus;

    /* Matrix chain: n + 1 dimensions. */
    int64_t *dims;

    pdp_error error;
};

#endif
