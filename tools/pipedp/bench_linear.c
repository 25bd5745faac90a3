/* pipedp bench linear: the ceiling of the update, the textbook's loop, and the blocked method. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "option_value.h"

enum { SAMPLED_CELLS = 256 };
static const double textbook_updates = 5e8; /* about a second of the loop */

#define FLAGS "-O3 -march=native -fno-wrapv -ffast-math"

/* ---- The textbook's loop ---- */

/* Before this stand T, TERM(s, j) and COMBINE(x, y). Offsets are int, as most would have them. The first is the paper's
 * Fig. 1; the second knows that a cell is in none of its own terms, so that the compiler can gather these in vectors.
 */
static const char loops[] = "void in_place(int64_t begin, int64_t end, int64_t k, const int *a, const T *w, T *st) {\n"
                            "    for (int64_t i = begin; i < end; i++) {\n"
                            "        st[i] = TERM(st[i - a[0]], 0);\n"
                            "        for (int64_t j = 1; j < k; j++) {\n"
                            "            st[i] = COMBINE(st[i], TERM(st[i - a[j]], j));\n"
                            "        }\n"
                            "    }\n"
                            "}\n"
                            "void by_cells(int64_t begin, int64_t end, int64_t k, const int *a, const T *w, T *st) {\n"
                            "    for (int64_t i = begin; i < end; i++) {\n"
                            "        T best = TERM(st[i - a[0]], 0);\n"
                            "        for (int64_t j = 1; j < k; j++) {\n"
                            "            T c = TERM(st[i - a[j]], j);\n"
                            "            best = COMBINE(best, c);\n"
                            "        }\n"
                            "        st[i] = best;\n"
                            "    }\n"
                            "}\n";

typedef void by_cells_function(int64_t begin, int64_t end, int64_t k, const int *a, const void *w, void *st);

/* ---- One case ---- */

typedef struct linear_kind {
    const char *op;
    const char *type;
    bool has_weights;
} linear_kind;

typedef struct linear_case {
    const bench_options *options;
    linear_kind kind;
    int64_t modulus;
    const bench_type *type;
    bench_case *one;
    uint64_t n;
    uint64_t k;

    int64_t *offsets; /* falling, the first is n/2 */
    int64_t *presets;
    int64_t *weights; /* or NULL */
    pdp_recurrence *recurrence;
    bench_solve first; /* whose update's ceiling is measured */
    bench_solve solves[2];
    size_t solve_count;

    pdp_code *code;
    int *loop_offsets;
    void *loop_weights;
    void *loop_table;
    int64_t loop_end; /* cells from n/2 to this one */
} linear_case;

/* k of the offsets 1 .. n/2, all equally likely, n/2 among them: of those that are left take each with the share that
 * is still wanted. */
static void draw_offsets(linear_case *c, uint64_t *state) {
    int64_t wanted = (int64_t)c->k - 1;
    size_t at = 0;
    c->offsets[at++] = (int64_t)c->n / 2;
    for (int64_t a = (int64_t)c->n / 2 - 1; a > 0 && wanted > 0; a--) {
        if (pdp_random_between(state, 1, a) <= wanted) {
            c->offsets[at++] = a;
            wanted--;
        }
    }
}

static int draw(linear_case *c) {
    uint64_t state = c->options->seed;
    const uint64_t presets = c->n / 2;
    c->offsets = malloc(c->k * sizeof *c->offsets);
    c->presets = malloc(presets * sizeof *c->presets);
    c->weights = malloc(c->k * sizeof *c->weights);
    c->loop_offsets = malloc(c->k * sizeof *c->loop_offsets);
    if (!c->offsets || !c->presets || !c->weights || !c->loop_offsets) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    draw_offsets(c, &state);
    /* Weights that a path of n steps adds up within the type. */
    const double largest = floor(c->type->limit / 2 / (double)c->n);
    for (size_t j = 0; j < c->k; j++) {
        c->loop_offsets[j] = (int)c->offsets[j];
        c->weights[j] =
            c->kind.has_weights ? pdp_random_between(&state, 0, largest > 1000 ? 1000 : (int64_t)largest) : 0;
    }
    for (size_t i = 0; i < presets; i++) {
        c->presets[i] = pdp_random_between(&state, 0, c->modulus > 0 ? c->modulus - 1 : 1000000);
    }
    c->loop_weights = bench_convert(c->type, c->weights, c->k);
    c->loop_table = calloc(c->n, c->type->bytes);
    return c->loop_weights && c->loop_table ? EXIT_DONE : cli_fail(EXIT_FAILED, "out of memory");
}

static pdp_status make_problem(linear_case *c, pdp_problem **out) {
    pdp_operator op;
    pdp_status status = pdp_operator_find(&op, c->kind.op);
    if (!c->kind.has_weights) {
        const pdp_sdp sdp = {.n = c->n,
                             .offsets = c->offsets,
                             .offset_count = c->k,
                             .presets = c->presets,
                             .preset_count = c->n / 2,
                             .op = op,
                             .overflow = c->modulus > 0 ? PDP_OVERFLOW_MOD : PDP_OVERFLOW_ERROR,
                             .modulus = c->modulus};
        return pdp_problem_create_sdp(out, &sdp);
    }
    const int64_t n = (int64_t)c->n;
    status = status == PDP_OK ? pdp_problem_create(out, c->recurrence) : status;
    status = status == PDP_OK ? pdp_problem_set_text(*out, "op", c->kind.op, strlen(c->kind.op)) : status;
    status = status == PDP_OK ? pdp_problem_set_whole(*out, "n", &n, 1, 0) : status;
    status = status == PDP_OK ? pdp_problem_set_whole(*out, "a", c->offsets, c->k, 0) : status;
    status = status == PDP_OK ? pdp_problem_set_whole(*out, "init", c->presets, c->n / 2, 0) : status;
    status = status == PDP_OK ? pdp_problem_set_whole(*out, "w", c->weights, c->k, 0) : status;
    return status == PDP_OK ? pdp_problem_check(*out) : status;
}

static int make_solve(linear_case *c, bench_solve *solve, uint64_t threads) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = "blocks";
    options.type = c->modulus > 0 ? NULL : c->type->name;
    options.threads = (int)threads;
    options.decisions = 0;
    solve->on_the_wall = c->options->threads > 1;
    pdp_status status = make_problem(c, &solve->problem);
    if (status != PDP_OK) {
        return cli_fail(cli_exit_code(status), "%s", pdp_problem_error(solve->problem));
    }
    status = pdp_plan_create(&solve->plan, solve->problem, &options);
    return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_plan_error(solve->plan));
}

/* ---- The textbook's turn ---- */

static int compile_loop(linear_case *c) {
    char source[2048];
    const char *combine = c->modulus > 0                   ? "((T)(((uint64_t)(x) + (y)) % MODULUS))"
                          : strcmp(c->kind.op, "min") == 0 ? "((y) < (x) ? (y) : (x))"
                                                           : "((y) > (x) ? (y) : (x))";
    snprintf(source, sizeof source,
             "#include <stdint.h>\ntypedef %s T;\n#define MODULUS %" PRId64 "u\n#define TERM(s, j) %s\n"
             "#define COMBINE(x, y) %s\n%s",
             c->type->in_c, c->modulus, c->kind.has_weights ? "((s) + w[j])" : "(s)", combine, loops);
    pdp_status status = pdp_code_compile(&c->code, source, FLAGS);
    return status == PDP_OK ? EXIT_DONE
                            : cli_fail(cli_exit_code(status), "the textbook's loop: %s", pdp_code_error(c->code));
}

static void run_loop(const linear_case *c, const char *name, int64_t begin, int64_t end) {
    by_cells_function *run = (by_cells_function *)pdp_code_find(c->code, name);
    run(begin, end, (int64_t)c->k, c->loop_offsets, c->loop_weights, c->loop_table);
}

static double time_loop(const linear_case *c, const char *name) {
    double start = bench_seconds(false);
    run_loop(c, name, (int64_t)c->n / 2, c->loop_end);
    return bench_seconds(false) - start;
}

static double run_in_place(void *context) {
    return time_loop(context, "in_place");
}

static double run_by_cells(void *context) {
    return time_loop(context, "by_cells");
}

/* ---- Verifying ---- */

static int compare_cell(const linear_case *c, const int64_t *cells, int64_t i) {
    int64_t expected = c->type->get(c->loop_table, (size_t)i);
    return cells[i] == expected
               ? EXIT_DONE
               : cli_fail(EXIT_MISMATCH,
                          "mismatch: %s %s, cell %" PRId64 " is %" PRId64 ", and %" PRId64 " by the loop", c->one->name,
                          c->type->name, i, cells[i], expected);
}

/* The first cells are the loop's own; of the others some once more, by the loop from our table. */
static int verify(linear_case *c, const pdp_solution *solution) {
    int64_t *cells = malloc(c->n * sizeof *cells);
    uint64_t state = c->n;
    int code = EXIT_DONE;
    if (!cells) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    if (pdp_solution_row(solution, 0, cells, c->n) != PDP_OK) {
        code = cli_fail(EXIT_FAILED, "%s", pdp_solution_error(solution));
    }
    for (size_t i = 0; code == EXIT_DONE && i < c->n / 2; i++) {
        c->type->put(c->loop_table, i, c->presets[i]);
    }
    if (code == EXIT_DONE) {
        run_in_place(c);
    }
    for (int64_t i = 0; code == EXIT_DONE && i < c->loop_end; i++) {
        code = compare_cell(c, cells, i);
    }
    for (size_t i = 0; code == EXIT_DONE && i < c->n; i++) {
        c->type->put(c->loop_table, i, cells[i]);
    }
    for (int s = 0; code == EXIT_DONE && s < SAMPLED_CELLS; s++) {
        int64_t i = s == 0 ? (int64_t)c->n - 1 : pdp_random_between(&state, (int64_t)c->n / 2, (int64_t)c->n - 1);
        run_loop(c, "by_cells", i, i + 1);
        code = compare_cell(c, cells, i);
    }
    free(cells);
    return code;
}

/* ---- Putting a case together ---- */

static int add_ours(linear_case *c, uint64_t threads) {
    bench_solve *solve = &c->solves[c->solve_count++];
    pdp_solution *solution = NULL;
    char name[BENCH_NAME_SIZE] = "ours";
    int code = make_solve(c, solve, threads);
    pdp_status status = code == EXIT_DONE ? pdp_plan_run(solve->plan, &solution) : PDP_OK;
    if (status != PDP_OK) {
        code = cli_fail(cli_exit_code(status), "%s", pdp_solution_error(solution));
    }
    if (code == EXIT_DONE) {
        solve->value = bench_take_value(solve->plan, solution);
        code = verify(c, solution);
    }
    pdp_solution_free(solution);
    if (code == EXIT_DONE) {
        if (threads > 1) {
            snprintf(name, sizeof name, "ours, %" PRIu64 " threads", threads);
        }
        bench_entry *entry = bench_case_add(c->one, name, c->n, pdp_plan_updates(solve->plan));
        entry->run = bench_run_solve;
        entry->context = solve;
        entry->threads = (int)threads;
    }
    return code;
}

static void add_textbook(linear_case *c) {
    const double cells = (double)(c->loop_end - (int64_t)(c->n / 2));
    for (int x = 0; x < 2; x++) {
        bench_entry *entry = bench_case_add(c->one, x == 0 ? "in place" : "by cells", c->n, cells * (double)c->k);
        entry->run = x == 0 ? run_in_place : run_by_cells;
        entry->context = c;
        entry->is_textbook = true;
        snprintf(entry->detail, sizeof entry->detail, "for i, for j: %s, of %.0f cells; -O3 -march=native -ffast-math",
                 x == 0 ? "ST[i] = ST[i] (x) ..." : "best = best (x) ...", cells);
    }
}

static int build_case(linear_case *c, bench_report *report) {
    char title[BENCH_NAME_SIZE];
    const uint64_t cells = (uint64_t)(textbook_updates / (double)c->k) + 1;
    pdp_status status = PDP_OK;
    c->loop_end = (int64_t)(c->n / 2 + (cells < c->n - c->n / 2 ? cells : c->n - c->n / 2));
    snprintf(title, sizeof title, "%s%s%s, k = %" PRIu64, c->kind.op, c->kind.has_weights ? "+w" : "",
             c->modulus > 0 ? " mod P" : "", c->k);
    if (c->kind.has_weights) {
        status = pdp_recurrence_load(&c->recurrence, "sdp_added");
    }
    int code = status == PDP_OK ? draw(c) : cli_fail(EXIT_FAILED, "%s", pdp_recurrence_error(c->recurrence));
    code = code == EXIT_DONE ? make_solve(c, &c->first, 1) : code;
    code = code == EXIT_DONE ? bench_case_open(report, title, c->first.plan) : code;
    code = code == EXIT_DONE ? compile_loop(c) : code;
    if (code == EXIT_DONE) {
        c->one = bench_newest(report);
        add_textbook(c);
        code = add_ours(c, 1);
    }
    if (code == EXIT_DONE && c->options->threads > 1) {
        code = add_ours(c, c->options->threads);
    }
    return code;
}

static void free_solve(bench_solve *solve) {
    pdp_plan_free(solve->plan);
    pdp_problem_free(solve->problem);
}

static void free_case(linear_case *c) {
    free_solve(&c->first);
    for (size_t x = 0; x < c->solve_count; x++) {
        free_solve(&c->solves[x]);
    }
    pdp_recurrence_free(c->recurrence);
    pdp_code_free(c->code);
    free(c->offsets);
    free(c->presets);
    free(c->weights);
    free(c->loop_offsets);
    free(c->loop_weights);
    free(c->loop_table);
}

static int run_case(bench_report *report, linear_kind kind, int64_t modulus, uint64_t n, uint64_t k) {
    linear_case c = {.options = report->options,
                     .kind = kind,
                     .modulus = strcmp(kind.op, "add") == 0 ? modulus : 0,
                     .type = bench_find_type(kind.type),
                     .n = n,
                     .k = k};
    if (!c.type || (c.modulus > 0) != (strcmp(kind.type, "mod") == 0)) {
        return cli_fail(EXIT_BAD_USE, "type '%s' is not for %s; there are i32, i64, f32, f64 for min and max",
                        kind.type, kind.op);
    }
    if (k > n / 2 || n > INT32_MAX) {
        return cli_fail(EXIT_BAD_USE, "k is %" PRIu64 " and n %" PRIu64 ", and must be k <= n/2 and n < 2^31", k, n);
    }
    int code = build_case(&c, report);
    code = code == EXIT_DONE ? bench_case_run(c.one, report->options) : code;
    if (code == EXIT_DONE) {
        snprintf(c.one->verified, sizeof c.one->verified,
                 "cells up to %" PRId64 " by the loop, and %d more, each from the cells before it", c.loop_end,
                 SAMPLED_CELLS);
        bench_print_case(c.one, report->options);
    }
    free_case(&c);
    return code;
}

/* ---- The command ---- */

typedef struct linear_arguments {
    bench_options shared;
    const char *op; /* or NULL */
    uint64_t k;
    uint64_t modulus;
    bool has_weights;
} linear_arguments;

enum { KEY_OP = 512, KEY_MOD, KEY_WEIGHTS };

static const struct argp_option options[] = {
    {"k", 'k', "K", 0, "Offsets (default 2^17)", 0},
    {"op", KEY_OP, "OP", 0, "min, max or add", 0},
    {"mod", KEY_MOD, "P", 0, "Modulus of add, below 2^31 (default 998244353)", 0},
    {"weights", KEY_WEIGHTS, 0, 0, "Add a weight to each term, under min and max", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    linear_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->shared; return 0;
    case 'k': cli_check_value(state, "--k", argument, bench_parse_size(argument, &arguments->k)); return 0;
    case KEY_OP:
        if (strcmp(argument, "min") != 0 && strcmp(argument, "max") != 0 && strcmp(argument, "add") != 0) {
            argp_error(state, "--op: '%s' is not min, max or add", argument);
        }
        arguments->op = argument;
        return 0;
    case KEY_MOD:
        cli_check_value(state, "--mod", argument, option_parse_unsigned(argument, &arguments->modulus));
        return 0;
    case KEY_WEIGHTS: arguments->has_weights = true; return 0;
    case ARGP_KEY_END:
        if (arguments->k < 2) {
            argp_error(state, "--k: must be at least 2");
        }
        if (arguments->modulus < 2 || arguments->modulus >= UINT64_C(1) << 31) {
            argp_error(state, "--mod: must be 2 to 2^31-1");
        }
        if (arguments->has_weights && arguments->op && strcmp(arguments->op, "add") == 0) {
            argp_error(state, "--weights: for min and max");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc =
        "The inner update's ceiling on this core, a textbook's loop and the blocked method, in turn, on n cells with k "
        "random offsets of which the largest is n/2. One thread is measured in seconds of the core, several in "
        "seconds on the wall.\vThe loop does only some of the cells, for all of them take long. By default n = 2^19, "
        "k = 2^17: (min,+) in i32, i64 and f32, and add modulo P; --full adds f64, max, and min without weights.\n\n"
        "Examples:\n"
        "  pipedp bench linear\n"
        "  pipedp bench linear --op max --type i64 --n 2^18 --k 2^12 --reps 7",
};

static int run_size(bench_report *report, const linear_arguments *arguments, uint64_t n) {
    static const linear_kind all[] = {{"min", "i32", true},  {"min", "i64", true}, {"min", "f32", true},
                                      {"add", "mod", false}, {"min", "f64", true}, {"max", "i32", true},
                                      {"min", "i32", false}, {"min", "i64", false}};
    const size_t count = arguments->shared.is_full ? sizeof all / sizeof *all : 4;
    const bool is_chosen = arguments->op || arguments->shared.types || arguments->has_weights;
    const char *op = arguments->op ? arguments->op : "min";
    const char *types = strcmp(op, "add") == 0 ? "mod" : arguments->shared.types ? arguments->shared.types : "i32";
    char type[BENCH_NAME_SIZE];
    int code = EXIT_DONE;
    for (size_t x = 0; code == EXIT_DONE && !is_chosen && x < count; x++) {
        code = run_case(report, all[x], (int64_t)arguments->modulus, n, arguments->k);
    }
    while (code == EXIT_DONE && is_chosen && bench_next_item(&types, type, sizeof type)) {
        const linear_kind kind = {op, type, arguments->has_weights};
        code = run_case(report, kind, (int64_t)arguments->modulus, n, arguments->k);
    }
    return code;
}

int bench_linear(int argc, char **argv) {
    linear_arguments arguments = {.shared = {.rounds = 3, .threads = 1, .seed = 1, .sizes = {1 << 19}, .size_count = 1},
                                  .k = 1 << 17,
                                  .modulus = 998244353};
    cli_parse(&argp, argc, argv, &arguments);
    bench_report report = {.command = "bench linear", .options = &arguments.shared};
    int code = arguments.shared.plot ? bench_plot_check() : EXIT_DONE;
    for (size_t x = 0; code == EXIT_DONE && x < arguments.shared.size_count; x++) {
        code = run_size(&report, &arguments, arguments.shared.sizes[x]);
    }
    code = code == EXIT_DONE ? bench_report_finish(&report) : code;
    bench_report_free(&report);
    return code;
}
