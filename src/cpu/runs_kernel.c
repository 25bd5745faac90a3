#include "cpu/runs_kernel.h"

#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define COMMON(a, b) ((a) & (b))

/* Of absolute values, of which none is 2^63. */
static inline int64_t find_divisor(int64_t a, int64_t b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#define ELEM int32_t
#define COMBINE LEAST
#define NAME(name) name##_min_32
#include "cpu/runs_body.h"
#undef COMBINE
#undef NAME
#define COMBINE COMMON
#define NAME(name) name##_and_32
#include "cpu/runs_body.h"
#undef COMBINE
#undef NAME
#define COMBINE(a, b) ((int32_t)find_divisor(a, b))
#define NAME(name) name##_gcd_32
#include "cpu/runs_body.h"
#undef ELEM
#undef COMBINE
#undef NAME

#define ELEM int64_t
#define COMBINE LEAST
#define NAME(name) name##_min_64
#include "cpu/runs_body.h"
#undef COMBINE
#undef NAME
#define COMBINE COMMON
#define NAME(name) name##_and_64
#include "cpu/runs_body.h"
#undef COMBINE
#undef NAME
#define COMBINE find_divisor
#define NAME(name) name##_gcd_64
#include "cpu/runs_body.h"

#define KERNEL(op, bytes, suffix)                                                                                      \
    { op, bytes, combine_##suffix, pair_##suffix, add_##suffix, run_chain_##suffix }
#define JOIN(name, level) name##level
#define TABLE(level) JOIN(pdp_runs_kernels_, level)

extern const pdp_runs_kernel TABLE(PDP_STAMP_LEVEL)[];
const pdp_runs_kernel TABLE(PDP_STAMP_LEVEL)[] = {
    KERNEL(PDP_OP_MIN, 4, min_32),
    KERNEL(PDP_OP_MIN, 8, min_64),
    KERNEL(PDP_OP_AND, 4, and_32),
    KERNEL(PDP_OP_AND, 8, and_64),
    KERNEL(PDP_OP_GCD, 4, gcd_32),
    KERNEL(PDP_OP_GCD, 8, gcd_64),
    {0},
};
