/* A solution: the table that a solver filled, and what can be read from it. */
#ifndef PDP_SOLUTION_SOLUTION_H
#define PDP_SOLUTION_SOLUTION_H

#include <stdbool.h>

#include "core/error.h"
#include "problem/problem.h"
#include "recurrence/emit.h"
#include "solution/arcs.h"
#include "solution/tiles.h"

struct pdp_solution {
    pdp_value value;      /* of the element type */
    pdp_problem *problem; /* shared, so that the solution outlives its creator's use of it */
    pdp_shape shape;
    size_t n;
    pdp_machine_type type; /* of the cells; I64 for `table` */

    /* The table in one of these forms, or in none if it was not wanted. */
    int64_t *table;  /* in the shape of pdp_solution_table; also made from the others on demand */
    pdp_tiles tiles; /* interval */
    void *cells;     /* linear, from cell `first` on */
    size_t first;    /* 0 unless only the last cells are kept */

    int64_t *splits; /* or NULL */
    pdp_decision *decisions;
    size_t decision_count;
    double patience; /* terms that are looked at to find those of a line, before it is left without; an interpreted one
                      * counts as many */
    size_t steps_checked; /* while they were done: see pdp_witness_steps */
    pdp_arcs arcs;        /* of a chain, until they are looked at */
    bool has_record;
    pdp_record record;
    void *trace; /* behind the record of an engine on a device, or NULL: pdp_tile_trace or pdp_block_trace */
    double seconds;
    double device_seconds;
    double verify_seconds;
    pdp_certificate certificate;
    char certificate_text[320];
    size_t certificate_length; /* of the text */
    const char *backend;
    char note[320];
    pdp_error error;
};

/* Without a table, for the problem. */
pdp_status pdp_solution_create(pdp_solution **out, const pdp_problem *problem);

/* An empty int64 table (all 0) in the shape the problem asks for. */
pdp_status pdp_solution_add_table(pdp_solution *solution);
uint64_t pdp_solution_table_bytes(const pdp_problem *problem);

/* After a failure: leaves nothing but the error. */
void pdp_solution_discard(pdp_solution *solution);

/* A cell: of row 0 in a linear table. */
pdp_value pdp_solution_cell(const pdp_solution *solution, size_t row, size_t column);

/* The value as the public functions give it: the identity of min and max as the ends of int64. */
int64_t pdp_solution_public(const pdp_solution *solution, pdp_value value);
bool pdp_solution_is_infeasible(const pdp_solution *solution, pdp_value value);

/* Reads the value from the finished table. PDP_OVERFLOW if a cell does not fit into the element type, naming the first
 * one in the order of the plain loops. */
pdp_status pdp_solution_close(pdp_solution *solution);

/* The error of a cell whose value does not fit: of row 0 in a linear table. */
pdp_status pdp_solution_fail_overflow(pdp_solution *solution, size_t row, size_t column);

/* The same check for some cells of a linear table, as they are found. */
pdp_status pdp_solution_check_cells(pdp_solution *solution, size_t begin, size_t end);

/* The value from the one cell that was read, where the table is elsewhere. PDP_OVERFLOW if it is no number. */
pdp_status pdp_solution_take_value(pdp_solution *solution, const void *cell);

/* Whether there are decisions behind the value: the operator chooses, and there is a way. */
bool pdp_solution_has_decisions(const pdp_solution *solution);

/* Finds the smallest k that gives M[i][j] its value; 0 if none does. */
typedef size_t pdp_split_function(void *context, size_t i, size_t j);

/* The two that need nothing but the table: the interpreter's, and that of a matrix chain with an int64 table. The
 * context is the solution. */
pdp_split_function pdp_solution_split;

/* Fills the decisions; the splits too if they are there. */
pdp_status pdp_solution_decide(pdp_solution *solution, pdp_split_function *find, void *context);

void pdp_solution_drop_decisions(pdp_solution *solution);

/* Bytes that finding them takes, and they themselves; see pdp_solution.patience. */
uint64_t pdp_solution_steps_bytes(const pdp_problem *problem, double patience);

/* The same from a matrix chain's tree, in pre-order: see cpu/hu_shing.h. */
pdp_status pdp_solution_take_tree(pdp_solution *solution, const size_t *tree);

#endif
