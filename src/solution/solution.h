/* A solution: the table that a solver filled, and what can be read from it. */
#ifndef PDP_SOLUTION_SOLUTION_H
#define PDP_SOLUTION_SOLUTION_H

#include <stdbool.h>

#include "core/error.h"
#include "problem/problem.h"

struct pdp_solution {
    pdp_kind kind;
    size_t n;
    int64_t *dims;   /* matrix chain: n + 1, a copy, so that the solution outlives its problem */
    int64_t *table;  /* in the shape of pdp_solution_table */
    int64_t *splits; /* or NULL */
    bool has_record;
    pdp_record record;
    double seconds;
    pdp_error error;
};

/* An empty table (all 0) in the shape the problem asks for. */
pdp_status pdp_solution_create(pdp_solution **out, const pdp_problem *problem, bool with_splits);

/* Bytes that pdp_solution_create allocates. */
uint64_t pdp_solution_bytes(const pdp_problem *problem, bool with_splits);

/* After a failure: leaves nothing but the error. */
void pdp_solution_discard(pdp_solution *solution);

/* Matrix chain: fills the splits from the finished table. */
void pdp_solution_fill_splits(pdp_solution *solution);

#endif
