#include <inttypes.h>

#include "cli.h"
#include "problem_options.h"
#include "run.h"

typedef struct mcm_arguments {
    problem_input problem;
    run_input run;
} mcm_arguments;

static const struct argp_option file_options[] = {
    {"output", 'o', "F", 0, "Write the result to F instead of standard output", 0},
    {"table", RUN_KEY_TABLE, "F.npy", 0, "Write the table, (n+1) x (n+1), T[i][j] for i < j", 0},
    {"splits", RUN_KEY_SPLITS, "F.npy", 0, "Write where each (i,j) is split, in the table's shape", 0},
    {"order", RUN_KEY_REPORT, "F", 0, "Write the order as text", 0},
    {"save", RUN_KEY_SAVE, "F.json", 0, RUN_SAVE_HELP, 0},
    {0},
};

static const struct argp file_argp = {.options = file_options, .parser = run_parse_files};

static error_t parse(int key, char *argument, struct argp_state *state) {
    mcm_arguments *arguments = state->input;
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
    {&mcm_problem_argp, 0, "The chain:", 1},
    {&solve_argp, 0, "The solve:", 2},
    {&file_argp, 0, "Files:", 3},
    {0},
};

static const struct argp argp = {
    .parser = parse,
    .children = children,
    .args_doc = "DIM... | @FILE | @-",
    .doc =
        "Least cost and best order of a chain of matrix products. Matrix m has DIM m rows and DIM m+1 columns.\v"
        "Methods: auto is hu-shing, or tiles where a table is asked for or a cost may not fit into int64; sequential "
        "is the plain loop. tournament, pipeline, wavefront and pipeline-printed run on the step-exact machine; the "
        "last is the "
        "paper's pipeline as printed, which can be wrong.\n\n"
        "A FILE holds numbers separated by blanks, newlines or commas, or is an int64 .npy; @- is standard "
        "input.\n\nExamples:\n"
        "  pipedp mcm 30 35 15 5 10 20 25\n"
        "  pipedp mcm @dims.npy --json\n"
        "  pipedp mcm --random 1000 --seed 7 --table table.npy --order order.txt\n"
        "  pipedp mcm --random 3000 --type f64 --threads 2 --dry-run\n"
        "  pipedp mcm 2 1 2 1 1 --algorithm pipeline",
};

int command_mcm(int argc, char **argv) {
    mcm_arguments arguments = {0};
    problem_input_init(&arguments.problem, PDP_INTERVAL);
    cli_parse(&argp, argc, argv, &arguments);
    int code = problem_input_load(&arguments.problem);
    if (code == EXIT_DONE) {
        char matrices[24];
        snprintf(matrices, sizeof matrices, "%zu", arguments.problem.counts[0] - 1);
        const run_front front = {.name = "mcm",
                                 .problem = arguments.problem.problem,
                                 .shape = PDP_INTERVAL,
                                 .n = arguments.problem.counts[0] - 1,
                                 .heading = {"matrices", matrices},
                                 .value_label = "cost",
                                 .report_label = "order",
                                 .report_key = "order",
                                 .report_option = "--order",
                                 .sources = {{"p", problem_input_path(&arguments.problem, 0)}}};
        code = run_problem(&arguments.run, &front);
    }
    problem_input_free(&arguments.problem);
    return code;
}
