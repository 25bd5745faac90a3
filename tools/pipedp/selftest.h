/* What the parts of the selftest share. */
#ifndef PIPEDP_SELFTEST_H
#define PIPEDP_SELFTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "pipedp.h"

typedef struct selftest {
    uint64_t seed;
    double seconds;
    bool json;
    const char *backend; /* NULL: the CPU's methods */
    pdp_device *device;

    uint64_t problems;
    uint64_t skipped; /* that the backend does not take */
    uint64_t comparisons;
    uint64_t mismatches;
    char what[512]; /* the first mismatch */
} selftest;

/* Counts a comparison; the first that does not hold is described. */
__attribute__((format(printf, 3, 4))) void selftest_expect(selftest *test, bool holds, const char *format, ...);

/* One problem, drawn from `seed`, on the device against the CPU. */
void selftest_on_device(selftest *test, uint64_t seed);

#endif
