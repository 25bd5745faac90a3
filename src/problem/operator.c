#include "problem/operator.h"

#include <string.h>

static const char *const names[] = {"min", "max", "add", "mul", "and", "or", "xor", "gcd"};
enum { NAME_COUNT = sizeof names / sizeof *names };

const char *pdp_operator_name(pdp_operator op) {
    return (unsigned)op < NAME_COUNT ? names[op] : "unknown";
}

pdp_status pdp_operator_find(pdp_operator *out, const char *name) {
    for (unsigned op = 0; op < NAME_COUNT; op++) {
        if (strcmp(name, names[op]) == 0) {
            *out = (pdp_operator)op;
            return PDP_OK;
        }
    }
    return PDP_BAD_INPUT;
}

pdp_status pdp_operator_fail_overflow(pdp_error *error, const pdp_problem *problem, size_t cell) {
    return pdp_error_set(error, PDP_OVERFLOW, "cell %zu: the value (by %s) does not fit into int64", cell,
                         pdp_operator_name(problem->op));
}
