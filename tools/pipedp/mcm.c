#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "json.h"
#include "problem_options.h"

enum { KEY_TABLE = 512, KEY_SPLITS, KEY_ORDER };

/* Longest order that a terminal is shown whole. */
enum { SHOWN_ORDER = 400 };

/* The files a run can write. All are opened before the solve and put in place after it. */
enum { TABLE, SPLITS, ORDER, FILE_COUNT };

typedef struct mcm_arguments {
    problem_input problem;
    solve_input solve;
    const char *paths[FILE_COUNT];
} mcm_arguments;

static const struct argp_option options[] = {
    {"table", KEY_TABLE, "F.npy", 0, "Write the table, (n+1) x (n+1), T[i][j] for i < j", 3},
    {"splits", KEY_SPLITS, "F.npy", 0, "Write where each (i,j) is split, in the table's shape", 3},
    {"order", KEY_ORDER, "F", 0, "Write the order as text", 3},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    mcm_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->problem;
        state->child_inputs[1] = &arguments->solve;
        return 0;
    case KEY_TABLE: arguments->paths[TABLE] = cli_path(argument); return 0;
    case KEY_SPLITS: arguments->paths[SPLITS] = cli_path(argument); return 0;
    case KEY_ORDER: arguments->paths[ORDER] = cli_path(argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&mcm_problem_argp, 0, "The chain:", 1},
    {&solve_argp, 0, "The solve:", 2},
    {0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .args_doc = "DIM... | @FILE | @-",
    .doc = "Least cost and best order of a chain of matrix products. Matrix m has DIM m rows and DIM m+1 columns.\v"
           "Methods: auto, sequential, tournament, pipeline, wavefront, pipeline-printed. All but sequential run on "
           "the step-exact machine; pipeline-printed is the paper's pipeline as printed, which can be wrong.\n\n"
           "A FILE holds numbers separated by blanks, newlines or commas, or is an int64 .npy; @- is standard "
           "input.\n\nExamples:\n"
           "  pipedp mcm 30 35 15 5 10 20 25\n"
           "  pipedp mcm @dims.npy --json\n"
           "  pipedp mcm --random 1000 --seed 7 --table table.npy --order order.txt\n"
           "  pipedp mcm 2 1 2 1 1 --algorithm pipeline",
};

static void print_text(const problem_input *input, const pdp_plan *plan, const pdp_solution *solution,
                       const char *order) {
    size_t length = strlen(order);
    printf("matrices  %zu\n", input->counts[0] - 1);
    printf("cost      %" PRId64 "\n", pdp_solution_value(solution));
    if (length > SHOWN_ORDER && isatty(STDOUT_FILENO)) {
        printf("order     %.*s... (%zu characters; --order F writes them all)\n", SHOWN_ORDER, order, length);
    } else {
        printf("order     %s\n", order);
    }
    printf("method    %s on the %s, %.3f s%s\n", pdp_plan_algorithm(plan), pdp_plan_backend(plan),
           pdp_solution_seconds(solution), pdp_plan_guaranteed(plan) ? "" : " (kept for study: may be wrong)");
}

static void print_json(const problem_input *input, const pdp_plan *plan, const pdp_solution *solution,
                       const char *order) {
    json writer;
    json_begin(&writer, stdout);
    json_open_object(&writer, NULL);
    json_string(&writer, "problem", "mcm");
    json_unsigned(&writer, "n", input->counts[0] - 1);
    json_integer(&writer, "value", pdp_solution_value(solution));
    json_string(&writer, "order", order);
    json_string(&writer, "algorithm", pdp_plan_algorithm(plan));
    json_string(&writer, "backend", pdp_plan_backend(plan));
    json_boolean(&writer, "guaranteed", pdp_plan_guaranteed(plan) != 0);
    json_double(&writer, "seconds", pdp_solution_seconds(solution));
    json_close_object(&writer);
    json_end(&writer);
}

/* Writes the files that are open to the disk, but not yet to their places. */
static int write_files(cli_output files[FILE_COUNT], const pdp_solution *solution, const char *order) {
    size_t rows;
    size_t columns;
    const int64_t *table = pdp_solution_table(solution, &rows, &columns);
    /* A failed write shows up when the file is finished. */
    if (files[TABLE].stream) {
        (void)pdp_npy_write(files[TABLE].stream, table, rows, columns);
    }
    if (files[SPLITS].stream) {
        (void)pdp_npy_write(files[SPLITS].stream, pdp_solution_splits(solution), rows, columns);
    }
    if (files[ORDER].stream) {
        fprintf(files[ORDER].stream, "%s\n", order);
    }
    int code = EXIT_DONE;
    for (int f = 0; f < FILE_COUNT && code == EXIT_DONE; f++) {
        code = cli_output_finish(&files[f]);
    }
    return code;
}

/* When the result is out as well, nothing can go wrong any more but the renaming itself. */
static int commit_files(cli_output files[FILE_COUNT]) {
    int code = cli_flush_stdout();
    for (int f = 0; f < FILE_COUNT && code == EXIT_DONE; f++) {
        code = files[f].file ? cli_output_commit(&files[f]) : EXIT_DONE;
    }
    return code;
}

static int check_paths(const char *const paths[FILE_COUNT]) {
    static const char *const names[FILE_COUNT] = {"--table", "--splits", "--order"};
    for (int f = 0; f < FILE_COUNT; f++) {
        for (int g = f + 1; g < FILE_COUNT; g++) {
            if (paths[f] && paths[g] && strcmp(paths[f], paths[g]) == 0 && strncmp(paths[f], "/dev/", 5) != 0) {
                return cli_fail(EXIT_BAD_USE, "%s and %s both go to '%s'", names[f], names[g], paths[f]);
            }
        }
    }
    return EXIT_DONE;
}

static int solve(const mcm_arguments *arguments, cli_output files[FILE_COUNT]) {
    const problem_input *input = &arguments->problem;
    pdp_options run = PDP_OPTIONS_DEFAULT;
    run.algorithm = arguments->solve.algorithm;
    run.memory_limit = arguments->solve.memory;
    run.splits = arguments->paths[SPLITS] != NULL;
    run.on_progress = cli_show_progress;
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    int code = problem_input_solve(input, &run, &plan, &solution);
    if (code == EXIT_DONE) {
        char *order = pdp_solution_order(solution);
        if (!order) {
            code = cli_fail(EXIT_FAILED, "out of memory for the order");
        } else if ((code = write_files(files, solution, order)) == EXIT_DONE) {
            (arguments->solve.json ? print_json : print_text)(input, plan, solution, order);
            code = commit_files(files);
        }
        free(order);
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return code;
}

int command_mcm(int argc, char **argv) {
    mcm_arguments arguments = {0};
    cli_output files[FILE_COUNT] = {0};
    problem_input_init(&arguments.problem, PDP_MCM);
    cli_parse(&argp, argc, argv, &arguments);
    int code = check_paths(arguments.paths);
    if (code == EXIT_DONE) {
        code = problem_input_load(&arguments.problem);
    }
    for (int f = 0; f < FILE_COUNT && code == EXIT_DONE; f++) {
        code = arguments.paths[f] ? cli_output_open(&files[f], arguments.paths[f]) : EXIT_DONE;
    }
    if (code == EXIT_DONE) {
        code = solve(&arguments, files);
    }
    for (int f = 0; f < FILE_COUNT; f++) {
        cli_output_free(&files[f]);
    }
    problem_input_free(&arguments.problem);
    return code;
}
