#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "recurrence_argument.h"
#include "run.h"
#include "solve_batch.h"

enum { KEY_INPUT = 768, KEY_PARAM, KEY_BATCH };

typedef struct solve_arguments {
    const char *name;
    field_value *values;
    size_t value_count;
    const char *batch; /* a file, or NULL */
    run_input run;
} solve_arguments;

static const struct argp_option data_options[] = {
    {"input", KEY_INPUT, "NAME=VALUE", 0,
     "A list (1,2,3), a matrix (1,2;3,4), a text (GGGAAAUCC), or any of them from a file (@FILE)", 0},
    {"param", KEY_PARAM, "NAME=VALUE", 0, "A number, or an operator's name", 0},
    {"batch", KEY_BATCH, "FILE", 0, "Solve many problems at once, one a line of FILE (- for standard input)", 0},
    {0},
};

static const struct argp_option file_options[] = {
    {"output", 'o', "F", 0, "Write the result to F instead of standard output", 0},
    {"table", RUN_KEY_TABLE, "F.npy", 0, "Write the table: cells of a linear one, T[i][j] for i < j of an interval one",
     0},
    {"splits", RUN_KEY_SPLITS, "F.npy", 0, "Interval: write where each (i,j) is split, in the table's shape", 0},
    {"report", RUN_KEY_REPORT, "F", 0, "Write the report as text: order, brackets, tree or items", 0},
    {"print", RUN_KEY_PRINT, "A..B", 0, "Linear: print cells A to B, both included, counted from 0", 0},
    {"at", RUN_KEY_AT, "I", 0, "Linear: solve no further than cell I, counted from 0, and give its value", 0},
    {"save", RUN_KEY_SAVE, "F.json", 0, RUN_SAVE_HELP, 0},
    {0},
};

static const struct argp file_argp = {.options = file_options, .parser = run_parse_files};

static void add_value(solve_arguments *arguments, const char *option, char *argument, const struct argp_state *state) {
    char *equals = strchr(argument, '=');
    if (!equals || equals == argument) {
        argp_error(state, "%s: '%s' is not NAME=VALUE", option, argument);
        return;
    }
    *equals = '\0'; /* the arguments are ours to write to */
    arguments->values[arguments->value_count++] = (field_value){option, argument, equals + 1, false};
}

static error_t parse_data(int key, char *argument, struct argp_state *state) {
    switch (key) {
    case KEY_INPUT: add_value(state->input, "--input", argument, state); return 0;
    case KEY_PARAM: add_value(state->input, "--param", argument, state); return 0;
    case KEY_BATCH: ((solve_arguments *)state->input)->batch = cli_path(argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp data_argp = {.options = data_options, .parser = parse_data};

static error_t parse(int key, char *argument, struct argp_state *state) {
    solve_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = arguments;
        state->child_inputs[1] = &arguments->run;
        state->child_inputs[2] = &arguments->run;
        /* As many places as there are arguments at all. */
        arguments->values = calloc((size_t)state->argc, sizeof *arguments->values);
        return arguments->values ? 0 : ENOMEM;
    case ARGP_KEY_ARG:
        if (arguments->name) {
            argp_error(state, "'%s' is one argument too many", argument);
        }
        arguments->name = cli_path(argument);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "the recurrence is missing: give a .dp file or a name of pipedp list");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&data_argp, 0, "The data:", 1},
    {&solve_argp, 0, "The solve:", 2},
    {&file_argp, 0, "Files:", 3},
    {0},
};

static const struct argp argp = {
    .parser = parse,
    .children = children,
    .args_doc = "FILE.dp|NAME",
    .doc =
        "Solves a recurrence with its data: one of your own (docs/recurrences.md), or a built-in one (pipedp list).\v"
        "Methods: auto; sequential, the plain loop; tiles (interval) or blocks (linear), the fast engines; hu-shing "
        "for what is a matrix chain, if no table is asked for; knuth for what says monotone, if its data keeps to it; "
        "settle (min, max) and runs (also and, or, gcd) for linear recurrences without weights, or with one for all "
        "offsets. Linear: series for sums with fixed weights, by number-theoretic transforms; bostan-mori for one cell "
        "of such a sum, however far; window, which keeps the last cells alone.\n\n"
        "A FILE holds numbers separated by blanks, newlines or commas, a row of a matrix on each line, or is an int64 "
        "or float .npy; @- is standard input.\n\n"
        "A line of a batch has NAME=VALUE for each input and parameter, with blanks between them, or, where only one "
        "is "
        "left to be given, its value alone; --input and --param are for all lines, and from a # on a line is a "
        "comment. "
        "The result has a line each: number and value.\n\nExamples:\n"
        "  pipedp solve nussinov --input s=GGGAAAUCC --param loop=3\n"
        "  pipedp solve coins --input coin=1,2,5,10,20,50 --param amount=388\n"
        "  pipedp solve mcm --input p=@dims.npy --table table.npy --json\n"
        "  pipedp solve obst --input p=4,2,6,3 --input q=1,2,3,1,2 --report tree.txt\n"
        "  pipedp solve rod --input price=1,5,8,9,10,17,17,20 --param length=20 --print 0..20\n"
        "  pipedp solve compositions_mod --input part=1,2,5 --param total=1000000000000 -A bostan-mori\n"
        "  pipedp solve mcm --batch chains.txt --report orders.txt\n"
        "  pipedp solve knapsack --input weight=3,4 --input value=5,6 --param capacity=100 --dry-run",
};

/* What is to be said of a problem of so many points or cells. */
static run_front make_front(const pdp_recurrence *recurrence, const pdp_problem *problem, const char *heading) {
    const bool is_interval = pdp_recurrence_shape(recurrence) == PDP_INTERVAL;
    const size_t size = pdp_problem_size(problem);
    const char *report = pdp_recurrence_report(recurrence);
    return (run_front){.name = pdp_recurrence_name(recurrence),
                       .problem = problem,
                       .shape = pdp_recurrence_shape(recurrence),
                       .n = is_interval ? size - 1 : size,
                       .heading = {"problem", heading},
                       .value_label = "value",
                       .report_label = *report != '\0' ? report : NULL,
                       .report_key = "report",
                       .report_option = "--report"};
}

static int solve_one(const solve_arguments *arguments, const pdp_recurrence *recurrence, pdp_problem *problem) {
    pdp_status status = pdp_problem_check(problem);
    if (status != PDP_OK) {
        return cli_fail(cli_exit_code(status), "%s: %s", arguments->name, pdp_problem_error(problem));
    }
    const size_t size = pdp_problem_size(problem);
    char heading[80];
    snprintf(heading, sizeof heading, "%s, %zu %s%s", pdp_recurrence_name(recurrence), size,
             pdp_recurrence_shape(recurrence) == PDP_INTERVAL ? "point" : "cell", size == 1 ? "" : "s");
    run_front front = make_front(recurrence, problem, heading);
    size_t sources = 0;
    for (size_t v = 0; v < arguments->value_count && sources < RUN_SOURCES; v++) {
        const field_value *value = &arguments->values[v];
        if (*value->text == '@' && strcmp(value->text, "@-") != 0) {
            front.sources[sources++] = (run_source){value->name, value->text + 1};
        }
    }
    return run_problem(&arguments->run, &front);
}

static int solve_batch(const solve_arguments *arguments, const pdp_recurrence *recurrence) {
    run_batch batch = {0};
    int code = batch_read(&batch, arguments->batch, recurrence, arguments->values, arguments->value_count);
    if (code == EXIT_DONE) {
        char heading[80];
        snprintf(heading, sizeof heading, "%s, a batch of %zu", pdp_recurrence_name(recurrence), batch.count);
        const run_front front = make_front(recurrence, batch.problems[0], heading);
        code = run_problems(&arguments->run, &front, &batch);
    }
    batch_free(&batch);
    return code;
}

/* From the options. */
static int solve_given(const solve_arguments *arguments, const pdp_recurrence *recurrence) {
    pdp_problem *problem = NULL;
    int code = EXIT_DONE;
    if (pdp_problem_create(&problem, recurrence) != PDP_OK) {
        code = cli_fail(EXIT_FAILED, "%s", pdp_problem_error(problem));
    }
    code = code == EXIT_DONE ? recurrence_set_fields(problem, recurrence, arguments->values, arguments->value_count)
                             : code;
    code = code == EXIT_DONE ? solve_one(arguments, recurrence, problem) : code;
    pdp_problem_free(problem);
    return code;
}

int command_solve(int argc, char **argv) {
    solve_arguments arguments = {0};
    pdp_recurrence *recurrence = NULL;
    cli_parse(&argp, argc, argv, &arguments);
    int code = recurrence_load(&recurrence, arguments.name);
    if (code == EXIT_DONE) {
        code = arguments.batch ? solve_batch(&arguments, recurrence) : solve_given(&arguments, recurrence);
    }
    pdp_recurrence_free(recurrence);
    free(arguments.values);
    return code;
}
