#include "trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "option_value.h"
#include "problem_options.h"
#include "run.h"

enum { KEY_FORMAT = 512, KEY_STEPS, KEY_SUMMARY, KEY_WIDTH, KEY_LATENCY, KEY_LAYOUT, KEY_CELL };

enum { DEFAULT_WIDTH = 32, DEFAULT_LATENCY = 1 };

typedef struct trace_arguments {
    problem_input problem;
    run_input solve;
    layout_format format;
    bool has_format;
    const char *output;
    uint64_t first_step; /* 0: --steps is not given */
    uint64_t last_step;
    bool summary;
    uint64_t width; /* 0: not given, and so for the latency */
    uint64_t latency;
    bool layout;
    uint64_t cell; /* Fig. 6 for this cell; 0: none */
} trace_arguments;

static const struct argp_option options[] = {
    {"format", KEY_FORMAT, "FORMAT", 0, "text (default), json or svg", 3},
    {"output", 'o', "F", 0, "Write to F instead of standard output", 3},
    {"steps", KEY_STEPS, "A..B", 0, "Show the steps A to B only, counted from 1", 3},
    {"summary", KEY_SUMMARY, 0, 0, "The counts alone", 3},
    {"width", KEY_WIDTH, "W", 0, "Threads of a warp, and banks, of DMM and UMM (default 32)", 3},
    {"latency", KEY_LATENCY, "L", 0, "Latency of DMM and UMM (default 1)", 3},
    {0},
};

static const struct argp_option mcm_options[] = {
    {"layout", KEY_LAYOUT, 0, 0, "Draw the table with its linear numbers (Fig. 5); n = 5 if no chain is given", 3},
    {"cell", KEY_CELL, "X", 0, "Draw the table with the operands of cell X (Fig. 6)", 3},
    {0},
};

static void parse_format(trace_arguments *arguments, const char *argument, const struct argp_state *state) {
    static const char *const names[] = {"text", "svg", "json"}; /* as in layout_format */
    for (unsigned format = 0; format < 3; format++) {
        if (strcmp(argument, names[format]) == 0) {
            arguments->format = (layout_format)format;
            arguments->has_format = true;
            return;
        }
    }
    argp_error(state, "--format: '%s' is not a format; there are text, json and svg", argument);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    trace_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->problem;
        state->child_inputs[1] = &arguments->solve;
        state->child_inputs[2] = arguments;
        return 0;
    case KEY_FORMAT: parse_format(arguments, argument, state); return 0;
    case 'o': arguments->output = cli_path(argument); return 0;
    case KEY_STEPS:
        cli_check_value(state, "--steps", argument,
                        option_parse_range(argument, &arguments->first_step, &arguments->last_step));
        if (arguments->first_step == 0) {
            argp_error(state, "--steps: '%s' begins with 0; steps count from 1", argument);
        }
        return 0;
    case KEY_SUMMARY: arguments->summary = true; return 0;
    case KEY_WIDTH:
        cli_check_value(state, "--width", argument, option_parse_unsigned(argument, &arguments->width));
        if (arguments->width < 1 || arguments->width > 1024) {
            argp_error(state, "--width: %" PRIu64 " must be 1 to 1024", arguments->width);
        }
        return 0;
    case KEY_LATENCY:
        cli_check_value(state, "--latency", argument, option_parse_unsigned(argument, &arguments->latency));
        if (arguments->latency < 1 || arguments->latency > UINT32_MAX) {
            argp_error(state, "--latency: %" PRIu64 " must be 1 to 4294967295", arguments->latency);
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_mcm(int key, char *argument, struct argp_state *state) {
    trace_arguments *arguments = state->input;
    switch (key) {
    case KEY_LAYOUT: arguments->layout = true; return 0;
    case KEY_CELL:
        cli_check_value(state, "--cell", argument, option_parse_unsigned(argument, &arguments->cell));
        if (arguments->cell == 0) {
            argp_error(state, "--cell: 0 is no cell; they count from 1");
        }
        arguments->layout = true;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp mcm_trace_argp = {.options = mcm_options, .parser = parse_mcm};

static const struct argp_child mcm_children[] = {
    {&mcm_problem_argp, 0, "The chain:", 1},
    {&run_argp, 0, "The run:", 2},
    {&mcm_trace_argp, 0, NULL, 3},
    {0},
};

static const struct argp_child sdp_children[] = {
    {&sdp_problem_argp, 0, "The problem:", 1},
    {&run_argp, 0, "The run:", 2},
    {0},
};

static const struct argp mcm_argp = {
    .options = options,
    .parser = parse,
    .children = mcm_children,
    .args_doc = "DIM... | @FILE | @-",
    .doc = "Runs a matrix-chain method on the step-exact machine and shows each step, in the paper's numbering: "
           "cells and threads from 1.\v"
           "Methods: sequential, tournament, pipeline (auto), wavefront, pipeline-printed.\n\nExamples:\n"
           "  pipedp trace mcm 30 35 15 5 10\n"
           "  pipedp trace mcm 2 1 2 1 1 --algorithm pipeline-printed\n"
           "  pipedp trace mcm --random 5 --format svg --output fig7.svg\n"
           "  pipedp trace mcm --random 12 --steps 40..50 --format svg --output part.svg\n"
           "  pipedp trace mcm --random 2000 --summary --json\n"
           "  pipedp trace mcm --layout\n"
           "  pipedp trace mcm --cell 13 --format svg --output fig6.svg",
};

static const struct argp sdp_argp = {
    .options = options,
    .parser = parse,
    .children = sdp_children,
    .doc = "Runs an S-DP method on the step-exact machine and shows each step, in the paper's numbering: cells from 0, "
           "threads from 1.\v"
           "Methods: sequential, naive, tournament, pipeline (auto), pipeline2.\n\nExamples:\n"
           "  pipedp trace sdp --offsets 5,3,1 --init 9,4,7,2,8 -n 12\n"
           "  pipedp trace sdp --offsets 4,3,2,1 --init 5,3,8,6 -n 10 --format svg --output fig4.svg\n"
           "  pipedp trace sdp --random 131072 --k 1024 --summary --width 32 --latency 100",
};

/* ---- The commands ---- */

static void describe(trace *whole, const trace_arguments *arguments) {
    const problem_input *input = &arguments->problem;
    whole->kind = input->kind;
    if (input->kind == PDP_LINEAR) {
        whole->n = input->n;
        whole->cells = input->n;
        whole->offsets = input->data[0];
        whole->offset_count = input->counts[0];
        whole->presets = input->data[1];
        whole->op = pdp_operator_name(input->op);
    } else {
        whole->n = input->counts[0] - 1;
        whole->cells = whole->n * (whole->n + 1) / 2;
        whole->dims = input->data[0];
    }
    whole->width = (uint32_t)(arguments->width > 0 ? arguments->width : DEFAULT_WIDTH);
    whole->latency = (uint32_t)(arguments->latency > 0 ? arguments->latency : DEFAULT_LATENCY);
    whole->start.slots = whole->cells;
    whole->first_step = arguments->first_step > 0 ? arguments->first_step : 1;
    whole->last_step = arguments->first_step > 0 ? arguments->last_step : UINT64_MAX;
}

/* Refuses a picture that nobody could look at, before the run. */
static int check_size(const trace *whole, const trace_arguments *arguments) {
    if (arguments->summary || arguments->format != LAYOUT_SVG || whole->cells <= TRACE_SVG_MAX_CELLS) {
        return EXIT_DONE;
    }
    return cli_fail(EXIT_BAD_USE,
                    "--format svg: %zu cells are too many to draw (at most %d); --summary has the counts, "
                    "--format text --steps 40..50 a part",
                    whole->cells, TRACE_SVG_MAX_CELLS);
}

static void write_trace(const trace *whole, const trace_arguments *arguments, FILE *out) {
    bool colour = !arguments->output && cli_has_colour(stdout);
    if (arguments->summary) {
        (arguments->format == LAYOUT_JSON ? trace_write_summary_json : trace_write_summary_text)(whole, out);
    } else if (arguments->format == LAYOUT_TEXT) {
        trace_write_text(whole, out, colour);
    } else {
        (arguments->format == LAYOUT_SVG ? trace_write_svg : trace_write_json)(whole, out);
    }
}

/* Cuts the steps shown to those there are; refuses none, and too many for a picture. */
static int check_steps(trace *whole, const trace_arguments *arguments) {
    const uint64_t steps = whole->record->steps;
    if (arguments->first_step > steps) {
        return cli_fail(EXIT_BAD_USE, "--steps: %" PRIu64 "..%" PRIu64 " is beyond the last step; there are %" PRIu64,
                        arguments->first_step, arguments->last_step, steps);
    }
    whole->last_step = whole->last_step < steps ? whole->last_step : steps;
    if (arguments->format == LAYOUT_SVG && whole->step_count > TRACE_SVG_MAX_STEPS) {
        return cli_fail(EXIT_BAD_USE,
                        "--format svg: %zu steps are too many to draw (at most %d); --steps 40..50 draws a part",
                        whole->step_count, TRACE_SVG_MAX_STEPS);
    }
    return EXIT_DONE;
}

static int run(const trace_arguments *arguments, trace *whole, pdp_plan **plan, pdp_solution **solution) {
    pdp_options options_of_run = PDP_OPTIONS_DEFAULT;
    options_of_run.algorithm = arguments->solve.algorithm;
    options_of_run.memory_limit = arguments->solve.memory;
    options_of_run.record = 1;
    options_of_run.width = whole->width;
    options_of_run.latency = whole->latency;
    options_of_run.on_step = arguments->summary ? NULL : trace_collect;
    options_of_run.on_progress = cli_show_progress;
    options_of_run.context = whole;
    int code = run_plan(arguments->problem.problem, &options_of_run, plan, solution);
    if (whole->is_too_long) {
        return cli_fail(EXIT_BAD_USE,
                        "there are more than %d operations to write down; --summary has the counts, --steps a part",
                        TRACE_MAX_OPERATIONS);
    }
    if (whole->is_out_of_memory) {
        return cli_fail(EXIT_FAILED, "out of memory for the steps; --summary has the counts, --steps a part");
    }
    if (code == EXIT_DONE) {
        whole->algorithm = pdp_plan_algorithm(*plan);
        whole->guaranteed = pdp_plan_guaranteed(*plan) != 0;
        whole->solution = *solution;
        whole->record = pdp_solution_record(*solution);
        code = check_steps(whole, arguments);
    }
    return code;
}

static int trace_run(const trace_arguments *arguments) {
    trace whole = {0};
    cli_output output = {0};
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    describe(&whole, arguments);
    int code = check_size(&whole, arguments);
    if (code == EXIT_DONE) {
        code = cli_output_open(&output, arguments->output);
    }
    if (code == EXIT_DONE) {
        code = run(arguments, &whole, &plan, &solution);
    }
    if (code == EXIT_DONE) {
        write_trace(&whole, arguments, output.stream);
        code = cli_output_commit(&output);
    }
    cli_output_free(&output);
    free(whole.operations);
    free(whole.steps);
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return code;
}

static int trace_layout(const trace_arguments *arguments) {
    size_t n = arguments->problem.problem ? arguments->problem.counts[0] - 1 : 5;
    if (n > LAYOUT_MAX_MATRICES && arguments->format != LAYOUT_JSON) {
        return cli_fail(EXIT_BAD_USE, "--layout: %zu matrices are too many to draw (at most %d); --json has no limit",
                        n, LAYOUT_MAX_MATRICES);
    }
    if (arguments->cell > n * (n + 1) / 2) {
        return cli_fail(EXIT_BAD_USE, "--cell: %" PRIu64 " is beyond the last cell of %zu matrices, %zu",
                        arguments->cell, n, n * (n + 1) / 2);
    }
    cli_output output = {0};
    int code = cli_output_open(&output, arguments->output);
    if (code == EXIT_DONE) {
        bool colour = !arguments->output && cli_has_colour(stdout);
        layout_write(n, arguments->cell, arguments->format, output.stream, colour);
        code = cli_output_commit(&output);
    }
    cli_output_free(&output);
    return code;
}

static int check_options(trace_arguments *arguments) {
    const char *figure = arguments->cell > 0 ? "--cell" : arguments->layout ? "--layout" : NULL;
    const char *of_run = arguments->first_step > 0    ? "--steps"
                         : arguments->summary         ? "--summary"
                         : arguments->solve.algorithm ? "--algorithm"
                         : arguments->width > 0       ? "--width"
                         : arguments->latency > 0     ? "--latency"
                                                      : NULL;
    if (figure && of_run) {
        return cli_fail(EXIT_BAD_USE, "%s and %s exclude each other", figure, of_run);
    }
    if (arguments->summary && arguments->first_step > 0) {
        return cli_fail(EXIT_BAD_USE, "--summary and --steps exclude each other");
    }
    if (arguments->solve.json) {
        if (arguments->has_format && arguments->format != LAYOUT_JSON) {
            return cli_fail(EXIT_BAD_USE, "--json and another --format exclude each other");
        }
        arguments->format = LAYOUT_JSON;
    }
    if (arguments->summary && arguments->format == LAYOUT_SVG) {
        return cli_fail(EXIT_BAD_USE, "--summary is text or json, not svg");
    }
    return EXIT_DONE;
}

static int trace_problem(pdp_shape kind, int argc, char **argv) {
    trace_arguments arguments = {0};
    problem_input *input = &arguments.problem;
    problem_input_init(input, kind);
    cli_parse(kind == PDP_INTERVAL ? &mcm_argp : &sdp_argp, argc, argv, &arguments);
    int code = check_options(&arguments);
    bool has_chain = kind == PDP_LINEAR || input->item_count > 0 || input->file || input->is_random;
    if (code == EXIT_DONE && (has_chain || !arguments.layout)) {
        code = problem_input_load(input);
    }
    if (code == EXIT_DONE) {
        code = arguments.layout ? trace_layout(&arguments) : trace_run(&arguments);
    }
    problem_input_free(input);
    return code;
}

int command_trace(int argc, char **argv) {
    if (argc >= 2 && strcmp(argv[1], "mcm") == 0) {
        argv[1] = (char *)"pipedp trace mcm";
        return trace_problem(PDP_INTERVAL, argc - 1, argv + 1);
    }
    if (argc >= 2 && strcmp(argv[1], "sdp") == 0) {
        argv[1] = (char *)"pipedp trace sdp";
        return trace_problem(PDP_LINEAR, argc - 1, argv + 1);
    }
    bool wants_help = argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0);
    fputs("Usage: pipedp trace sdp|mcm [OPTION...]\n"
          "Runs a method on the step-exact machine and shows each step.\n\n"
          "  pipedp trace sdp --help\n"
          "  pipedp trace mcm --help\n\nExamples:\n"
          "  pipedp trace sdp --offsets 5,3,1 --init 9,4,7,2,8 -n 12\n"
          "  pipedp trace mcm 30 35 15 5 10 --format svg --output fig7.svg\n",
          wants_help ? stdout : stderr);
    return wants_help  ? EXIT_DONE
           : argc >= 2 ? cli_fail(EXIT_BAD_USE, "'%s' is not a problem; there are sdp and mcm", argv[1])
                       : EXIT_BAD_USE;
}
