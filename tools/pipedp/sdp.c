#include <inttypes.h>

#include "cli.h"
#include "json.h"
#include "option_value.h"
#include "problem_options.h"

enum { KEY_TABLE = 512, KEY_PRINT };

typedef struct sdp_arguments {
    problem_input problem;
    solve_input solve;
    const char *table;
    const char *print; /* the text of --print, NULL if it is not asked for */
    uint64_t first;
    uint64_t last;
} sdp_arguments;

static const struct argp_option options[] = {
    {"table", KEY_TABLE, "F.npy", 0, "Write the table, n cells", 3},
    {"print", KEY_PRINT, "A..B", 0, "Print cells A to B, both included, counted from 0", 3},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    sdp_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->problem;
        state->child_inputs[1] = &arguments->solve;
        return 0;
    case KEY_TABLE: arguments->table = cli_path(argument); return 0;
    case KEY_PRINT:
        cli_check_value(state, "--print", argument, option_parse_range(argument, &arguments->first, &arguments->last));
        arguments->print = argument;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&sdp_problem_argp, 0, "The problem:", 1},
    {&solve_argp, 0, "The solve:", 2},
    {0},
};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc = "Fills ST[0..n-1] by ST[i] = ST[i-a1] (x) ... (x) ST[i-ak], the first a1 cells given.\v"
           "Methods: auto, sequential, naive, tournament, pipeline, pipeline2. All but sequential run on the "
           "step-exact machine.\n\n"
           "A LIST is 5,3,1 or @FILE (numbers separated by blanks, newlines or commas, or an int64 .npy) or @- for "
           "standard input.\n\nExamples:\n"
           "  pipedp sdp --op min --offsets 5,3,1 --init 9,4,7,2,8 -n 12\n"
           "  pipedp sdp --op add --offsets 2,1 --init 1,1 -n 90 --print 80..89\n"
           "  pipedp sdp --op add --mod 1000000007 --random 100000 --k 50 --seed 3 --table st.npy\n"
           "  pipedp sdp --random 1000 --k 16 --algorithm pipeline2 --json",
};

static void print_text(const sdp_arguments *arguments, const pdp_plan *plan, const pdp_solution *solution) {
    const int64_t *table = pdp_solution_table(solution, NULL, NULL);
    const problem_input *input = &arguments->problem;
    if (arguments->print) {
        for (uint64_t i = arguments->first; i <= arguments->last; i++) {
            printf("ST[%" PRIu64 "] = %" PRId64 "\n", i, table[i]);
        }
        return;
    }
    printf("cells     %" PRIu64 ", %zu offset%s, %s\n", input->n, input->counts[0], input->counts[0] == 1 ? "" : "s",
           pdp_operator_name(input->op));
    printf("value     %" PRId64 "\n", pdp_solution_value(solution));
    printf("method    %s on the %s, %.3f s\n", pdp_plan_algorithm(plan), pdp_plan_backend(plan),
           pdp_solution_seconds(solution));
}

static void print_json(const sdp_arguments *arguments, const pdp_plan *plan, const pdp_solution *solution) {
    const int64_t *table = pdp_solution_table(solution, NULL, NULL);
    const problem_input *input = &arguments->problem;
    json writer;
    json_begin(&writer, stdout);
    json_open_object(&writer, NULL);
    json_string(&writer, "problem", "sdp");
    json_unsigned(&writer, "n", input->n);
    json_unsigned(&writer, "k", input->counts[0]);
    json_string(&writer, "op", pdp_operator_name(input->op));
    json_integer(&writer, "value", pdp_solution_value(solution));
    json_string(&writer, "algorithm", pdp_plan_algorithm(plan));
    json_string(&writer, "backend", pdp_plan_backend(plan));
    json_boolean(&writer, "guaranteed", pdp_plan_guaranteed(plan) != 0);
    json_double(&writer, "seconds", pdp_solution_seconds(solution));
    if (arguments->print) {
        json_open_array(&writer, "cells");
        for (uint64_t i = arguments->first; i <= arguments->last; i++) {
            json_integer(&writer, NULL, table[i]);
        }
        json_close_array(&writer);
    }
    json_close_object(&writer);
    json_end(&writer);
}

static int solve(const sdp_arguments *arguments, cli_output *table_file) {
    pdp_options run = PDP_OPTIONS_DEFAULT;
    run.algorithm = arguments->solve.algorithm;
    run.memory_limit = arguments->solve.memory;
    run.on_progress = cli_show_progress;
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    int code = problem_input_solve(&arguments->problem, &run, &plan, &solution);
    if (code == EXIT_DONE && table_file->stream) {
        size_t cells;
        const int64_t *table = pdp_solution_table(solution, NULL, &cells);
        (void)pdp_npy_write(table_file->stream, table, 0, cells); /* a failure shows up in the next line */
        code = cli_output_finish(table_file);
    }
    if (code == EXIT_DONE) {
        (arguments->solve.json ? print_json : print_text)(arguments, plan, solution);
        code = cli_flush_stdout();
    }
    if (code == EXIT_DONE && table_file->file) {
        code = cli_output_commit(table_file);
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return code;
}

int command_sdp(int argc, char **argv) {
    sdp_arguments arguments = {0};
    cli_output table_file = {0};
    problem_input_init(&arguments.problem, PDP_SDP);
    cli_parse(&argp, argc, argv, &arguments);
    int code = problem_input_load(&arguments.problem);
    if (code == EXIT_DONE && arguments.print && arguments.last >= arguments.problem.n) {
        code = cli_fail(EXIT_BAD_USE, "--print: '%s' goes beyond the last cell, %" PRIu64, arguments.print,
                        arguments.problem.n - 1);
    }
    if (code == EXIT_DONE && arguments.table) {
        code = cli_output_open(&table_file, arguments.table);
    }
    if (code == EXIT_DONE) {
        code = solve(&arguments, &table_file);
    }
    cli_output_free(&table_file);
    problem_input_free(&arguments.problem);
    return code;
}
