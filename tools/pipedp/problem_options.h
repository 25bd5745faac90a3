/* The options that describe a problem, shared by the commands that solve and that trace. */
#ifndef PIPEDP_PROBLEM_OPTIONS_H
#define PIPEDP_PROBLEM_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "pipedp.h"

enum { PROBLEM_LISTS = 4 };

/* A problem as the command line gives it, and then the problem itself. */
typedef struct problem_input {
    pdp_shape kind;

    const char **items; /* matrix chain: the dimensions in place */
    size_t item_count;
    const char *file;    /* --file */
    const char *offsets; /* S-DP: --offsets, --init, -n */
    const char *presets;
    const char *weights; /* --weights, --x */
    const char *source;
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

    /* What was read or drawn: the dimensions; or offsets, presets, weights and source. */
    pdp_numbers *lists[PROBLEM_LISTS];
    int64_t *drawn[PROBLEM_LISTS];
    const int64_t *data[PROBLEM_LISTS];
    size_t counts[PROBLEM_LISTS];
    pdp_problem *problem;
} problem_input;

/* For a command's argp.children; the parent sets state->child_inputs to a problem_input of the kind. */
extern const struct argp mcm_problem_argp;
extern const struct argp sdp_problem_argp;
extern const struct argp sdp_weighted_argp; /* the same, and what the paper's S-DP has not */

void problem_input_init(problem_input *input, pdp_shape kind);

/* Reads or draws the data and makes the problem. Returns an exit code; on failure says why. */
int problem_input_load(problem_input *input);
void problem_input_free(problem_input *input);

/* The file that a list was read from; NULL if it was given in place, drawn, or came from standard input. */
const char *problem_input_path(const problem_input *input, int list);

#endif
