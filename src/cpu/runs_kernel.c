#include "cpu/runs_kernel.h"

#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define COMMON(a, b) ((a) & (b))

/* Of absolute values, which fit. Most are soon 1, and then nothing is divided. */
#define DIVISOR(name, elem)                                                                                            \
    static inline elem name(elem a, elem b) {                                                                          \
        a = a < 0 ? -a : a;                                                                                            \
        b = b < 0 ? -b : b;                                                                                            \
        while (b != 0 && a != 1) {                                                                                     \
            const elem rest = b == 1 ? 0 : a % b;                                                                      \
            a = b;                                                                                                     \
            b = rest;                                                                                                  \
        }                                                                                                              \
        return a;                                                                                                      \
    }
DIVISOR(divisor_32, int32_t)
DIVISOR(divisor_64, int64_t)

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
#define COMBINE divisor_32
#define ONE_BY_ONE
#define NAME(name) name##_gcd_32
#include "cpu/runs_body.h"
#undef ELEM
#undef COMBINE
#undef ONE_BY_ONE
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
#define COMBINE divisor_64
#define ONE_BY_ONE
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
