#include <inttypes.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "saved.h"
#include "value_text.h"

typedef struct verify_arguments {
    const char *path;
    bool is_full;
    bool json;
} verify_arguments;

enum { KEY_FULL = 256 };

static const struct argp_option options[] = {
    {"full", KEY_FULL, 0, 0, "Solve the problem again as well, by another method if there is one", 0},
    {"json", 'j', 0, 0, "Write the result as JSON", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    verify_arguments *arguments = state->input;
    switch (key) {
    case KEY_FULL: arguments->is_full = true; return 0;
    case 'j': arguments->json = true; return 0;
    case ARGP_KEY_ARG:
        if (arguments->path) {
            argp_error(state, "'%s' is one argument too many", argument);
        }
        arguments->path = cli_path(argument);
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "the file is missing: give what --save has written"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "F.json",
    .doc = "Checks a solution that --save has written: files that it names have not changed, its decisions come to its "
           "value, a matrix chain has no better one; where there are no decisions, the problem is solved again.\v"
           "Prints what is known now: witness or certified. A solution that does not hold ends with exit code 3.\n\n"
           "Examples:\n"
           "  pipedp mcm 30 35 15 5 10 20 25 --save order.json\n"
           "  pipedp verify order.json",
};

/* As a solve tells it. */
static bool is_set(const saved *s) {
    return pdp_recurrence_shape(s->recurrence) == PDP_INTERVAL && strcmp(s->type, "bits") == 0;
}

/* What was claimed, and holds: floats may have been found a little different. */
static void print_json(const saved *s, const char *level, const char *checked) {
    json writer;
    json_begin(&writer, stdout);
    json_open_object(&writer, NULL);
    json_put_string(&writer, "problem", pdp_recurrence_name(s->recurrence));
    if (!s->claim.feasible) {
        json_put_null(&writer, "value");
    } else if (s->is_real) {
        json_put_exact(&writer, "value", s->claim.real_value);
    } else if (is_set(s)) {
        json_put_unsigned(&writer, "value", (uint64_t)s->claim.value);
    } else {
        json_put_integer(&writer, "value", s->claim.value);
    }
    json_put_string(&writer, "type", s->type);
    json_put_string(&writer, "certificate", level);
    json_put_string(&writer, "checked", checked);
    json_close_object(&writer);
    json_end(&writer);
}

static void print_text(const saved *s, const char *level, const char *checked) {
    printf("problem   %s, %zu %s\n", pdp_recurrence_name(s->recurrence), pdp_problem_size(s->problem),
           pdp_recurrence_shape(s->recurrence) == PDP_INTERVAL ? "points" : "cells");
    if (s->at >= 0) {
        printf("cell      %" PRId64 "\n", s->at);
    }
    fputs("value     ", stdout);
    if (!s->claim.feasible) {
        fputs("none", stdout);
    } else if (s->is_real) {
        value_print_real(stdout, s->claim.real_value);
        fputs(strcmp(s->type, "f32") == 0 ? " (f32)" : "", stdout);
    } else if (is_set(s)) {
        value_print_set(stdout, (uint64_t)s->claim.value);
    } else {
        printf("%" PRId64, s->claim.value);
    }
    printf("\n%-9s %s\n", level, checked);
}

/* Other methods may not be able to; and sums of floats are rounded in the order in which a method adds them. */
static bool needs_algorithm(const saved *s) {
    return s->is_real || strcmp(s->algorithm, "bostan-mori") == 0 || strcmp(s->algorithm, "window") == 0;
}

/* Which type whole numbers were computed in is the other machine's; residues and bits are one everywhere. */
static bool is_type_of(const char *type, const char *own) {
    static const char *const alone[] = {"mod", "bits"};
    for (size_t x = 0; x < 2; x++) {
        if (strcmp(type, alone[x]) == 0 || strcmp(own, alone[x]) == 0) {
            return strcmp(type, own) == 0;
        }
    }
    return true;
}

/* What the file says of its answer and the check has not looked at. */
static int check_words(const saved *s, const pdp_plan *plan, const pdp_solution *solution) {
    const char *name = pdp_recurrence_name(s->recurrence);
    size_t count = 0;
    if (s->is_real != (pdp_solution_is_real(solution) != 0)) {
        return cli_fail(EXIT_BAD_USE, "%s: \"real\" is %s, and the numbers of %s are %s", s->path,
                        s->is_real ? "true" : "false", name, s->is_real ? "whole" : "floats");
    }
    if (!is_type_of(s->type, pdp_plan_type(plan))) {
        return cli_fail(EXIT_BAD_USE, "%s: \"type\" is \"%s\", and that of %s is %s", s->path, s->type, name,
                        pdp_plan_type(plan));
    }
    if (s->claim.decisions && !pdp_solution_decisions(solution, &count)) {
        return cli_fail(EXIT_BAD_USE, "%s: \"decisions\" is a list of %zu, and must be null: %s", s->path,
                        s->claim.decision_count,
                        s->claim.feasible ? "the operator does not choose" : "there is no way");
    }
    return EXIT_DONE;
}

static int check_claim(const saved *s, const verify_arguments *arguments) {
    pdp_options run = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    run.verify = arguments->is_full ? 2 : 1;
    run.table = 0;
    run.type = s->is_real ? s->type : NULL;
    run.algorithm = needs_algorithm(s) ? s->algorithm : NULL;
    run.at = s->at;
    run.on_progress = cli_show_progress;
    cli_catch_signals();
    cli_start_progress(0, NULL);
    pdp_status status = pdp_plan_create(&plan, s->problem, &run);
    int code = status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s: %s", s->path, pdp_plan_error(plan));
    if (code == EXIT_DONE) {
        status = pdp_plan_verify(plan, &s->claim, &solution);
        cli_clear_progress();
        if (status != PDP_OK && cli_interrupted() == 0) {
            code = cli_fail(cli_exit_code(status), "%s: %s", s->path, pdp_solution_error(solution));
        }
    }
    if (code == EXIT_DONE && status == PDP_OK) {
        code = check_words(s, plan, solution);
    }
    if (code == EXIT_DONE && status == PDP_OK) {
        const char *checked = "";
        const char *level = pdp_certificate_name(pdp_solution_certificate(solution, &checked));
        (arguments->json ? print_json : print_text)(s, level, checked);
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return code;
}

int command_verify(int argc, char **argv) {
    verify_arguments arguments = {0};
    saved s;
    cli_parse(&argp, argc, argv, &arguments);
    int code = saved_read(&s, arguments.path);
    code = code == EXIT_DONE ? check_claim(&s, &arguments) : code;
    saved_free(&s);
    return code;
}
