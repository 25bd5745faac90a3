/* The inner loops of runs.c, compiled for every vector level: see cmake/stamps.cmake. */
#ifndef PDP_CPU_RUNS_KERNEL_H
#define PDP_CPU_RUNS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "cpu/kernel.h"

/* A cell at this offset, combined with the 2^level - 1 before it. */
typedef struct pdp_runs_term {
    size_t offset;
    unsigned level;
} pdp_runs_term;

/* Cells that need each other, first .. first+length-1. */
typedef struct pdp_runs_chain {
    void *const *levels; /* of every level, at the first cell */
    unsigned highest;    /* level that the terms need */
    const pdp_runs_term *terms;
    size_t term_count;
    size_t first;
    size_t length;
    int64_t weight; /* added to what comes from the terms, but not to `none`, */
    bool can_miss;  /* where that is no value */
    int64_t none;
} pdp_runs_chain;

/* For an operator and elements of 4 or 8 bytes. */
typedef struct pdp_runs_kernel {
    pdp_op op; /* min, and, or gcd: the others are these in other numbers */
    size_t bytes;
    /* to[x] = to[x] (x) from[0][x] (x) ... (x) from[count-1][x]; nothing that is read is written. */
    void (*combine)(void *to, const void *const *from, size_t count, size_t length);
    /* to[x] = a[x] (x) b[x]; a and b may overlap, but not with `to`. */
    void (*pair)(void *to, const void *a, const void *b, size_t length);
    void (*add)(void *to, size_t length, int64_t weight, bool can_miss, int64_t none);
    /* Level 0 has what other terms gave; it is completed, and so are the levels up to the highest. */
    void (*run_chain)(const pdp_runs_chain *chain);
} pdp_runs_kernel;

typedef struct pdp_runs_level {
    pdp_level level;
    const pdp_runs_kernel *kernels; /* the last one has 0 bytes */
} pdp_runs_level;

extern const pdp_runs_level pdp_runs_levels[]; /* written by the build; ends with NULL */

/* The best that this level can run; NULL if there is none for the operator and the size. */
const pdp_runs_kernel *pdp_runs_kernel_find(pdp_op op, size_t bytes, pdp_level level);

#endif
