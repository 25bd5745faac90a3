#include <inttypes.h>

#include "cli.h"
#include "problem_options.h"
#include "run.h"

typedef struct sdp_arguments {
    problem_input problem;
    run_input run;
} sdp_arguments;

static const struct argp_option file_options[] = {
    {"output", 'o', "F", 0, "Write the result to F instead of standard output", 0},
    {"table", RUN_KEY_TABLE, "F.npy", 0, "Write the table, n cells", 0},
    {"print", RUN_KEY_PRINT, "A..B", 0, "Print cells A to B, both included, counted from 0", 0},
    {"at", RUN_KEY_AT, "I", 0, "Solve no further than cell I, counted from 0, and give its value; -n is I+1 by default",
     0},
    {"save", RUN_KEY_SAVE, "F.json", 0, RUN_SAVE_HELP, 0},
    {0},
};

static const struct argp file_argp = {.options = file_options, .parser = run_parse_files};

static error_t parse(int key, char *argument, struct argp_state *state) {
    sdp_arguments *arguments = state->input;
    (void)argument;
    if (key != ARGP_KEY_INIT) {
        return ARGP_ERR_UNKNOWN;
    }
    state->child_inputs[0] = &arguments->problem;
    state->child_inputs[1] = &arguments->run;
    state->child_inputs[2] = &arguments->run;
    return 0;
}

static const struct argp_child children[] = {
    {&sdp_weighted_argp, 0, "The problem:", 1},
    {&solve_argp, 0, "The solve:", 2},
    {&file_argp, 0, "Files:", 3},
    {0},
};

static const struct argp argp = {
    .parser = parse,
    .children = children,
    .doc = "Fills ST[0..n-1] by ST[i] = ST[i-a1] (x) ... (x) ST[i-ak], the first a1 cells given.\v"
           "Methods: auto is the one that is predicted to be the fastest (--explain); blocks is the engine, sequential "
           "the "
           "plain loop; settle (min, max), where offsets are dense, and runs (min, max, and, or, gcd), where they are "
           "consecutive, do without most of the terms. series is for sums, by "
           "number-theoretic transforms; bostan-mori for one cell of a sum, however far; window keeps the last cells "
           "alone. naive, tournament, pipeline and pipeline2 run on the step-exact machine.\n\n"
           "A LIST is 5,3,1 or @FILE (numbers separated by blanks, newlines or commas, or an int64 .npy) or @- for "
           "standard input.\n\nExamples:\n"
           "  pipedp sdp --op min --offsets 5,3,1 --init 9,4,7,2,8 -n 12\n"
           "  pipedp sdp --op min --offsets 5,3,1 --init 9,4,7,2,8 -n 12 --weights 1,2,3\n"
           "  pipedp sdp --op add --offsets 2,1 --init 1,1 -n 90 --print 80..89\n"
           "  pipedp sdp --op add --mod 1000000007 --random 100000 --k 50 --seed 3 --table st.npy\n"
           "  pipedp sdp --op add --mod 1000000007 --offsets 2,1 --init 0,1 --at 1000000000000 -A bostan-mori\n"
           "  pipedp sdp --op max --offsets 7,2 --init 1,2,3,4,5,6,7 --weights 9,2 -n 100000000 -A window\n"
           "  pipedp sdp --random 1000 --k 16 --algorithm pipeline2 --json",
};

int command_sdp(int argc, char **argv) {
    sdp_arguments arguments = {0};
    const problem_input *input = &arguments.problem;
    problem_input_init(&arguments.problem, PDP_LINEAR);
    cli_parse(&argp, argc, argv, &arguments);
    if (arguments.run.has_at && !input->has_n && !input->is_random) { /* as many cells as it takes */
        arguments.problem.n = arguments.run.at + 1;
        arguments.problem.has_n = true;
    }
    int code = problem_input_load(&arguments.problem);
    if (code == EXIT_DONE) {
        char cells[80];
        snprintf(cells, sizeof cells, "%" PRIu64 ", %zu offset%s, %s", input->n, input->counts[0],
                 input->counts[0] == 1 ? "" : "s", pdp_operator_name(input->op));
        run_front front = {.name = "sdp",
                           .problem = input->problem,
                           .shape = PDP_LINEAR,
                           .n = input->n,
                           .heading = {"cells", cells},
                           .value_label = "value",
                           .offset_count = input->counts[0],
                           .op = pdp_operator_name(input->op),
                           .overflow = input->overflow,
                           .modulus = input->modulus};
        static const char *const names[PROBLEM_LISTS] = {"a", "init", "w", "x"};
        for (int list = 0, sources = 0; list < PROBLEM_LISTS; list++) {
            const char *path = problem_input_path(input, list);
            if (path) {
                front.sources[sources++] = (run_source){names[list], path};
            }
        }
        code = run_problem(&arguments.run, &front);
    }
    problem_input_free(&arguments.problem);
    return code;
}
