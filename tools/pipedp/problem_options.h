/* The options that describe a problem, shared by the commands that solve and that trace. */
#ifndef PIPEDP_PROBLEM_OPTIONS_H
#define PIPEDP_PROBLEM_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "pipedp.h"

/* Options of every solve: --algorithm, --memory, --json. */
typedef struct solve_input {
    const char *algorithm;
    uint64_t memory;
    bool json;
} solve_input;

/* A problem as the command line gives it, and then the problem itself. */
typedef struct problem_input {
    pdp_kind kind;

    const char **items; /* matrix chain: the dimensions in place */
    size_t item_count;
    const char *file;    /* --file */
    const char *offsets; /* S-DP: --offsets, --init, -n */
    const char *presets;
    uint64_t n;
    bool has_n;
    pdp_operator op;
    pdp_overflow overflow;
    bool has_overflow; /* --overflow was given, and --mod */
    bool has_modulus;
    int64_t modulus;
    bool is_random;            /* --random, of size n */
    const char *random_detail; /* an option that makes sense with --random alone */
    int64_t max_dim;
    uint64_t k;
    uint64_t seed;

    /* What was read or drawn. */
    pdp_numbers *lists[2]; /* dimensions; or offsets and presets */
    int64_t *drawn[2];
    const int64_t *data[2];
    size_t counts[2];
    pdp_problem *problem;
} problem_input;

/* For a command's argp.children; the parent sets state->child_inputs to a problem_input of the kind, and
 * to a solve_input. */
extern const struct argp mcm_problem_argp;
extern const struct argp sdp_problem_argp;
extern const struct argp solve_argp;

void problem_input_init(problem_input *input, pdp_kind kind);

/* Reads or draws the data and makes the problem. Returns an exit code; on failure says why. */
int problem_input_load(problem_input *input);
void problem_input_free(problem_input *input);

/* Makes a plan and runs it. Returns an exit code; on failure says why, but not for a run that was cancelled:
 * whoever did that knows the reason. Both objects are the caller's to
 * free in any case. */
int problem_input_solve(const problem_input *input, const pdp_options *options, pdp_plan **plan,
                        pdp_solution **solution);

#endif
