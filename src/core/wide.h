/* 128-bit integers: an exact home for sums of int64 values and products of two of them. */
#ifndef PDP_CORE_WIDE_H
#define PDP_CORE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 pdp_wide;
__extension__ typedef unsigned __int128 pdp_uwide;

static inline bool pdp_wide_fits(pdp_wide value) {
    return value >= INT64_MIN && value <= INT64_MAX;
}

#endif
