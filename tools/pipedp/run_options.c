#include <inttypes.h>
#include <string.h>

#include "cli.h"
#include "option_value.h"
#include "run.h"

enum {
    KEY_MEMORY = 256,
    KEY_TYPE,
    KEY_THREADS,
    KEY_BACKEND,
    KEY_DEVICE_MEMORY,
    KEY_RESIDENT,
    KEY_NO_COMPILE,
    KEY_DRY_RUN,
    KEY_VERIFY,
    KEY_EXPLAIN
};
enum { MOST_THREADS = 4096 };

static const struct argp_option run_options[] = {
    {"algorithm", 'A', "NAME", 0, "The method (default auto: the fastest that is right)", 0},
    {"memory", KEY_MEMORY, "BYTES", 0, "Refuse a solve that takes more than this, e.g. 4G (default: what is free)", 0},
    {"json", 'j', 0, 0, "Write the result as JSON", 0},
    {0},
};

static const struct argp_option solve_options[] = {
    {"type", KEY_TYPE, "TYPE", 0, "Compute with i32, i64, f32 or f64 (default auto: the fastest proven to hold it)", 0},
    {"threads", KEY_THREADS, "N", 0, "Use N threads (default: as many as this process may)", 0},
    {"backend", KEY_BACKEND, "NAME", 0, "Compute on cpu, cuda, opencl or host (default auto: a GPU for what is large)",
     0},
    {"device-memory", KEY_DEVICE_MEMORY, "BYTES", 0, "Take no more than this of a device's memory, e.g. 4G", 0},
    {"resident", KEY_RESIDENT, 0, 0, "On a device, all steps of a method of the paper in one launch", 0},
    {"no-compile", KEY_NO_COMPILE, 0, 0, "Interpret a recurrence that is not built in, instead of compiling it", 0},
    {"dry-run", KEY_DRY_RUN, 0, 0, "Print method, type, threads and bytes needed, and stop", 0},
    {"explain", KEY_EXPLAIN, 0, 0, "Tell too why: all methods with their predicted times, the type, the device", 0},
    {"verify", KEY_VERIFY, "full", OPTION_ARG_OPTIONAL,
     "Check the answer: the decisions come to it, and a matrix chain has no better one; with =full also by a second "
     "method, however long that takes",
     0},
    {0},
};

static error_t parse_run(int key, char *argument, struct argp_state *state) {
    run_input *input = state->input;
    switch (key) {
    case 'A': input->algorithm = argument; return 0;
    case KEY_MEMORY:
        cli_check_value(state, "--memory", argument, option_parse_bytes(argument, &input->memory));
        return 0;
    case 'j': input->json = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void parse_type(run_input *input, const char *argument, const struct argp_state *state) {
    static const char *const types[] = {"i32", "i64", "f32", "f64"};
    input->type = NULL;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        input->type = strcmp(argument, types[t]) == 0 ? types[t] : input->type;
    }
    if (!input->type && strcmp(argument, "auto") != 0) {
        argp_error(state, "--type: '%s' is not a type; there are auto, i32, i64, f32 and f64", argument);
    }
}

static void parse_backend(run_input *input, const char *argument, const struct argp_state *state) {
    static const char *const backends[] = {"cpu", "cuda", "opencl", "host"};
    input->backend = NULL;
    for (size_t x = 0; x < sizeof backends / sizeof *backends; x++) {
        input->backend = strcmp(argument, backends[x]) == 0 ? backends[x] : input->backend;
    }
    if (!input->backend && strcmp(argument, "auto") != 0) {
        argp_error(state, "--backend: '%s' is not a backend; there are auto, cpu, cuda, opencl and host", argument);
    }
}

static error_t parse_solve(int key, char *argument, struct argp_state *state) {
    run_input *input = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = input; return 0;
    case KEY_TYPE: parse_type(input, argument, state); return 0;
    case KEY_THREADS:
        cli_check_value(state, "--threads", argument, option_parse_unsigned(argument, &input->threads));
        if (input->threads < 1 || input->threads > MOST_THREADS) {
            argp_error(state, "--threads: %" PRIu64 " must be 1 to %d", input->threads, MOST_THREADS);
        }
        return 0;
    case KEY_BACKEND: parse_backend(input, argument, state); return 0;
    case KEY_DEVICE_MEMORY:
        cli_check_value(state, "--device-memory", argument, option_parse_bytes(argument, &input->device_memory));
        return 0;
    case KEY_RESIDENT: input->resident = true; return 0;
    case KEY_NO_COMPILE: input->no_compile = true; return 0;
    case KEY_DRY_RUN: input->dry_run = true; return 0;
    case KEY_EXPLAIN: input->explain = true; return 0;
    case KEY_VERIFY:
        if (argument && strcmp(argument, "full") != 0) {
            argp_error(state, "--verify: '%s' is not known; there are --verify and --verify=full", argument);
        }
        input->verify = argument ? 2 : 1;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

error_t run_parse_files(int key, char *argument, struct argp_state *state) {
    run_input *input = state->input;
    switch (key) {
    case RUN_KEY_TABLE: input->paths[RUN_TABLE] = cli_path(argument); return 0;
    case RUN_KEY_SPLITS: input->paths[RUN_SPLITS] = cli_path(argument); return 0;
    case RUN_KEY_SAVE: input->paths[RUN_SAVE] = cli_path(argument); return 0;
    case RUN_KEY_REPORT: input->paths[RUN_REPORT] = cli_path(argument); return 0;
    case 'o': input->paths[RUN_OUTPUT] = cli_path(argument); return 0;
    case RUN_KEY_PRINT:
        cli_check_value(state, "--print", argument, option_parse_range(argument, &input->first, &input->last));
        input->print = argument;
        return 0;
    case RUN_KEY_AT:
        cli_check_value(state, "--at", argument, option_parse_unsigned(argument, &input->at));
        if (input->at > INT64_MAX) {
            argp_error(state, "--at: %" PRIu64 " must be at most %" PRId64, input->at, INT64_MAX);
        }
        input->has_at = true;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp run_argp = {.options = run_options, .parser = parse_run};
static const struct argp_child solve_children[] = {{&run_argp, 0, NULL, 0}, {0}};
const struct argp solve_argp = {.options = solve_options, .parser = parse_solve, .children = solve_children};
