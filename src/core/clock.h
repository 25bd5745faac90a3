/* Seconds on a clock that only goes forward. */
#ifndef PDP_CORE_CLOCK_H
#define PDP_CORE_CLOCK_H

#include <time.h>

static inline double pdp_clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
