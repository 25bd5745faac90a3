/* pipedp bench methods: methods that do without most of the terms, each on a problem that is made for it, beside the
 * method that takes every term. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "json.h"
#include "option_value.h"

typedef struct method_arguments {
    const char *only; /* names with commas, or NULL for all rows */
    uint64_t size;    /* 0: every row's own */
    uint64_t rounds;
    uint64_t seed;
    bool json;
} method_arguments;

typedef struct method_row method_row;

/* Makes the problem of a row. Exit codes. */
typedef int make_function(const method_row *row, uint64_t n, uint64_t seed, int64_t modulus, pdp_problem **out);

/* A row of the table. To add one is all it takes to measure another method. */
struct method_row {
    const char *method;
    const char *against; /* NULL: nothing else comes as far */
    const char *work;    /* in words */
    make_function *make;
    uint64_t n;
    int64_t most;      /* of its values: decides their type */
    int64_t modulus;   /* of sums; 0: the least is looked for */
    uint64_t compared; /* of the last cells, those that are compared; 0: all */
    double must;       /* seconds at that n on one core; 0: nobody has said */
    double aim;
};

/* ---- Problems ---- */

/* Takes `wanted` of the numbers 1 .. most, each set as likely as any other, from the largest on. */
static size_t draw_numbers(uint64_t *state, int64_t most, size_t wanted, int64_t *out) {
    size_t count = 0;
    for (int64_t v = most; v > 0 && count < wanted; v--) {
        if (pdp_random_between(state, 1, v) <= (int64_t)(wanted - count)) {
            out[count++] = v;
        }
    }
    return count;
}

/* n cells, n/2 of them preset, under min or, modulo something, under add. */
static int make_line(uint64_t n, uint64_t *state, const int64_t *offsets, size_t count, int64_t most, int64_t modulus,
                     pdp_problem **out) {
    int64_t *presets = malloc(n / 2 * sizeof *presets);
    if (!presets) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    for (size_t i = 0; i < n / 2; i++) {
        presets[i] = pdp_random_between(state, 0, most);
    }
    const pdp_sdp sdp = {.n = n,
                         .offsets = offsets,
                         .offset_count = count,
                         .presets = presets,
                         .preset_count = n / 2,
                         .op = modulus > 0 ? PDP_ADD : PDP_MIN,
                         .overflow = modulus > 0 ? PDP_OVERFLOW_MOD : PDP_OVERFLOW_ERROR,
                         .modulus = modulus};
    const pdp_status status = pdp_problem_create_sdp(out, &sdp);
    free(presets);
    return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_problem_error(*out));
}

/* n/4 offsets, the first n/2, the others any. */
static int make_random(const method_row *row, uint64_t n, uint64_t seed, int64_t modulus, pdp_problem **out) {
    uint64_t state = seed;
    int64_t *offsets = malloc(n / 4 * sizeof *offsets);
    if (!offsets) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    offsets[0] = (int64_t)(n / 2);
    const size_t count = 1 + draw_numbers(&state, (int64_t)(n / 2) - 1, n / 4 - 1, offsets + 1);
    const int code = make_line(n, &state, offsets, count, row->most, modulus, out);
    free(offsets);
    return code;
}

/* n/4 offsets in 256 runs, the last of them up to n/2. Runs and the gaps before them are between marks drawn at random
 * on two lines: the runs' offsets, and those that are none. */
static int make_runs(const method_row *row, uint64_t n, uint64_t seed, int64_t modulus, pdp_problem **out) {
    enum { RUNS = 256 };
    uint64_t state = seed;
    int64_t ends[RUNS] = {(int64_t)(n / 4)}, starts[RUNS] = {(int64_t)(n / 4)};
    int64_t *offsets = malloc(n / 4 * sizeof *offsets);
    if (!offsets) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    draw_numbers(&state, (int64_t)(n / 4) - 1, RUNS - 1, ends + 1);
    draw_numbers(&state, (int64_t)(n / 4) - 1, RUNS - 1, starts + 1);
    size_t count = 0;
    for (size_t run = 0; run < RUNS; run++) {
        for (int64_t v = ends[run]; v > (run + 1 < RUNS ? ends[run + 1] : 0); v--) {
            offsets[count++] = v + starts[run];
        }
    }
    const int code = make_line(n, &state, offsets, count, row->most, modulus, out);
    free(offsets);
    return code;
}

/* A problem of the recurrence, which is freed here, with so many fields; and its operator, if it leaves that open. */
static int make_problem(pdp_recurrence *recurrence, const char *op, size_t fields, const char *const *names,
                        const int64_t *const *values, const size_t *counts, pdp_problem **out) {
    pdp_problem_create(out, recurrence);
    pdp_recurrence_free(recurrence);
    if (op) {
        pdp_problem_set_text(*out, "op", op, strlen(op));
    }
    for (size_t x = 0; x < fields; x++) {
        pdp_problem_set_whole(*out, names[x], values[x], counts[x], 0);
    }
    const pdp_status status = pdp_problem_check(*out); /* fails if any of these did */
    return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_problem_error(*out));
}

/* Every cell is a sum of the 100 before it, with random weights. */
static int make_order(const method_row *row, uint64_t n, uint64_t seed, int64_t modulus, pdp_problem **out) {
    enum { ORDER = 100 };
    static const char text[] = "linear order\n  type mod P\n  param P >= 2\n  param n >= 1\n  input w[k]\n"
                               "  input init[m]\n  size n\n  preset m : init[i]\n  offset j+1\n  term w[j]*s\n"
                               "  combine add\n";
    static const char *const names[] = {"P", "n", "w", "init"};
    static const size_t counts[] = {1, 1, ORDER, ORDER};
    int64_t weights[ORDER], presets[ORDER];
    const int64_t cells = (int64_t)n;
    const int64_t *const values[] = {&modulus, &cells, weights, presets};
    uint64_t state = seed;
    for (size_t x = 0; x < ORDER; x++) {
        weights[x] = pdp_random_between(&state, 0, row->most);
        presets[x] = pdp_random_between(&state, 0, row->most);
    }
    pdp_recurrence *recurrence = NULL;
    pdp_recurrence_parse(&recurrence, text, sizeof text - 1);
    return make_problem(recurrence, NULL, 4, names, values, counts, out);
}

/* Two offsets with weights that are added, the greatest a thousand. */
static int make_near(const method_row *row, uint64_t n, uint64_t seed, int64_t modulus, pdp_problem **out) {
    enum { PRESETS = 1000 };
    static const char *const names[] = {"n", "init", "a", "w"};
    static const size_t counts[] = {1, PRESETS, 2, 2};
    static const int64_t offsets[] = {PRESETS, 700}, weights[] = {3, 2};
    int64_t presets[PRESETS];
    const int64_t cells = (int64_t)n;
    const int64_t *const values[] = {&cells, presets, offsets, weights};
    uint64_t state = seed;
    (void)modulus;
    for (size_t x = 0; x < PRESETS; x++) {
        presets[x] = pdp_random_between(&state, 0, row->most);
    }
    pdp_recurrence *recurrence = NULL;
    pdp_recurrence_load(&recurrence, "sdp_added");
    return make_problem(recurrence, "min", 4, names, values, counts, out);
}

/* A search tree over n keys. */
static int make_tree(const method_row *row, uint64_t n, uint64_t seed, int64_t modulus, pdp_problem **out) {
    static const char *const names[] = {"p", "q"};
    const size_t counts[] = {n, n + 1};
    int64_t *weights = malloc((2 * n + 1) * sizeof *weights);
    uint64_t state = seed;
    (void)modulus;
    if (!weights) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    for (size_t x = 0; x < 2 * n + 1; x++) {
        weights[x] = pdp_random_between(&state, 0, row->most);
    }
    const int64_t *const values[] = {weights, weights + n};
    pdp_recurrence *recurrence = NULL;
    pdp_recurrence_load(&recurrence, "obst");
    const int code = make_problem(recurrence, NULL, 2, names, values, counts, out);
    free(weights);
    return code;
}

#define PRIME 998244353
#define OTHER_PRIME 1000000007
#define FAR UINT64_C(1000000000000000001) /* cells */

static const method_row rows[] = {
    {"settle", "blocks", "min, n/4 random offsets up to n/2", make_random, 1 << 19, 1000000, 0, 0, 0.06, 0.035},
    {"settle", "blocks", "min, n/4 random offsets up to n/2", make_random, 1 << 19, INT64_MAX / 2, 0, 0, 0.06, 0.035},
    {"runs", "blocks", "min, n/4 offsets up to n/2 in 256 runs", make_runs, 1 << 19, 1000000, 0, 0, 0.03, 0.015},
    {"runs", "blocks", "min, n/4 offsets up to n/2 in 256 runs", make_runs, 1 << 19, INT64_MAX / 2, 0, 0, 0.03, 0.015},
    {"series", "blocks", "add mod 998244353, n/4 random offsets up to n/2", make_random, 1 << 19, 1000000, PRIME, 0,
     0.2, 0.1},
    {"series", "blocks", "add mod 1000000007, n/4 random offsets up to n/2", make_random, 1 << 19, 1000000, OTHER_PRIME,
     0, 0, 0},
    {"bostan-mori", NULL, "the last cell of a sum of order 100 mod 998244353", make_order, FAR, PRIME - 1, PRIME, 0,
     0.05, 0.01},
    {"knuth", NULL, "a search tree over n keys", make_tree, 20000, 999, 0, 0, 3, 1.5},
    {"window", "blocks", "min, offsets 1000 and 700 with weights", make_near, 1 << 24, 1000000, 0, 64, 0, 0},
};
enum { ROWS = sizeof rows / sizeof *rows, LEAST_SIZE = 4096 };

/* ---- Measuring ---- */

typedef struct method_case {
    const method_row *row;
    uint64_t n;
    bench_solve solves[2]; /* the method, and the one beside it */
    bench_entry entries[2];
} method_case;

static bool has_other(const method_case *c) {
    return c->row->against != NULL;
}

/* The cells from `first` on. The caller frees them; NULL after saying why. */
static int64_t *solve_cells(const pdp_plan *plan, size_t first, size_t n, bench_value *value) {
    pdp_solution *solution = NULL;
    int64_t *cells = malloc((n - first) * sizeof *cells);
    const bool is_good = cells && pdp_plan_run(plan, &solution) == PDP_OK &&
                         pdp_solution_cells(solution, 0, first, cells, n - first) == PDP_OK;
    if (!is_good) {
        cli_fail(EXIT_FAILED, "%s", cells ? pdp_solution_error(solution) : "out of memory");
        free(cells);
        cells = NULL;
    }
    *value = bench_take_value(plan, solution);
    pdp_solution_free(solution);
    return cells;
}

/* Both methods give the same cells. */
static int verify_cells(method_case *c) {
    const size_t n = pdp_problem_size(c->solves[0].problem);
    const size_t first = c->row->compared > 0 && c->row->compared < n ? n - c->row->compared : 0;
    int64_t *tables[2] = {NULL, NULL};
    tables[0] = solve_cells(c->solves[0].plan, first, n, &c->solves[0].value);
    tables[1] = tables[0] ? solve_cells(c->solves[1].plan, first, n, &c->solves[1].value) : NULL;
    int code = tables[1] ? EXIT_DONE : EXIT_FAILED;
    for (size_t i = first; code == EXIT_DONE && i < n; i++) {
        if (tables[0][i - first] != tables[1][i - first]) {
            code = cli_fail(EXIT_MISMATCH, "mismatch: cell %zu is %" PRId64 " by %s, and %" PRId64 " by %s", i,
                            tables[0][i - first], c->row->method, tables[1][i - first], c->row->against);
        }
    }
    free(tables[0]);
    free(tables[1]);
    return code;
}

static int solve_value(const pdp_problem *problem, const char *method, bench_value *value) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    options.algorithm = method;
    const bool is_good = pdp_plan_create(&plan, problem, &options) == PDP_OK && pdp_plan_run(plan, &solution) == PDP_OK;
    const int code =
        is_good ? EXIT_DONE
                : cli_fail(EXIT_FAILED, "%s%s", pdp_plan_error(plan), solution ? pdp_solution_error(solution) : "");
    *value = bench_take_value(plan, solution);
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return code;
}

/* The value is the same if it is computed modulo a multiple of the modulus, for which other arithmetic is taken. */
static int verify_value(method_case *c, uint64_t seed) {
    const int64_t modulus = c->row->modulus;
    pdp_problem *other = NULL;
    bench_value value = {0};
    int code = c->row->make(c->row, c->n, seed, modulus * OTHER_PRIME, &other);
    code = code == EXIT_DONE ? solve_value(other, c->row->method, &value) : code;
    code = code == EXIT_DONE ? solve_value(c->solves[0].problem, c->row->method, &c->solves[0].value) : code;
    if (code == EXIT_DONE && value.whole % modulus != c->solves[0].value.whole) {
        code = cli_fail(EXIT_MISMATCH, "mismatch: the value is %" PRId64 ", and modulo a multiple %" PRId64,
                        c->solves[0].value.whole, value.whole % modulus);
    }
    pdp_problem_free(other);
    return code;
}

/* The decisions come to the value. */
static int verify_decisions(method_case *c) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    options.algorithm = c->row->method;
    options.verify = 1;
    const bool is_good =
        pdp_plan_create(&plan, c->solves[0].problem, &options) == PDP_OK && pdp_plan_run(plan, &solution) == PDP_OK;
    const int code =
        !is_good ? cli_fail(EXIT_FAILED, "%s%s", pdp_plan_error(plan), solution ? pdp_solution_error(solution) : "")
        : pdp_solution_certificate(solution, NULL) == PDP_UNCHECKED
            ? cli_fail(EXIT_MISMATCH, "the answer of %s was not checked", c->row->method)
            : EXIT_DONE;
    c->solves[0].value = bench_take_value(plan, solution);
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return code;
}

static const char *explain_verified(const method_case *c) {
    return !has_other(c) && c->row->modulus == 0 ? "its decisions come to the value, by other code"
           : !has_other(c)                       ? "the same modulo a multiple of the modulus, by other primes"
           : c->row->compared > 0                ? "the last cells of one are those of the other"
                                                 : "all cells of one are those of the other";
}

static int make_plans(method_case *c, uint64_t seed) {
    int code = c->row->make(c->row, c->n, seed, c->row->modulus, &c->solves[0].problem);
    for (int side = 0; side < (has_other(c) ? 2 : 1) && code == EXIT_DONE; side++) {
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = side == 0 ? c->row->method : c->row->against;
        options.threads = 1;
        options.decisions = 0;
        options.last_cells = c->row->compared;
        bench_solve *solve = &c->solves[side];
        solve->problem = c->solves[0].problem;
        const pdp_status status = pdp_plan_create(&solve->plan, solve->problem, &options);
        code = status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_plan_error(solve->plan));
        c->entries[side] = (bench_entry){.n = c->n, .threads = 1, .updates = 1};
    }
    return code;
}

/* Rates are solves a second. */
static int measure(method_case *c, uint64_t rounds) {
    for (uint64_t round = 0; round < rounds; round++) {
        for (int side = 0; side < (has_other(c) ? 2 : 1); side++) {
            const double seconds = bench_run_solve(&c->solves[side]);
            if (seconds < 0) {
                return (int)-seconds;
            }
            c->entries[side].rates[round] = 1 / seconds;
        }
    }
    return EXIT_DONE;
}

/* ---- Reporting ---- */

/* Seconds, the least first. */
static bench_spread find_seconds(const bench_entry *entry, size_t rounds) {
    const bench_spread rates = bench_find_spread(entry->rates, rounds);
    return (bench_spread){1 / rates.median, 1 / rates.most, 1 / rates.least};
}

static void print_case(const method_case *c, size_t rounds) {
    const method_row *row = c->row;
    printf("%s, n = %" PRIu64 ", %s: ms, median of %zu rounds (least .. most)\n", row->work, c->n,
           pdp_plan_type(c->solves[0].plan), rounds);
    for (int side = 0; side < (has_other(c) ? 2 : 1); side++) {
        const bench_spread s = find_seconds(&c->entries[side], rounds);
        printf("  %-11s %9.2f  (%.2f .. %.2f)", side == 0 ? row->method : row->against, 1e3 * s.median, 1e3 * s.least,
               1e3 * s.most);
        if (side == 0 && has_other(c)) {
            printf("  %.1f x %s", bench_ratio(&c->entries[0], &c->entries[1], rounds), row->against);
        }
        if (side == 0 && c->n == row->n && row->must > 0) {
            printf("; must be %.0f, should be %.0f: %s", 1e3 * row->must, 1e3 * row->aim,
                   s.median <= row->aim    ? "both reached"
                   : s.median <= row->must ? "reached"
                                           : "not reached");
        }
        printf("\n");
    }
    printf("  verified: %s\n\n", explain_verified(c));
    fflush(stdout);
}

static void write_seconds(json *writer, const char *key, const bench_entry *entry, size_t rounds) {
    const bench_spread s = find_seconds(entry, rounds);
    json_open_object(writer, key);
    json_put_double(writer, "median", s.median);
    json_put_double(writer, "least", s.least);
    json_put_double(writer, "most", s.most);
    json_close_object(writer);
}

static void write_case(json *writer, const method_case *c, size_t rounds) {
    const method_row *row = c->row;
    json_open_object(writer, NULL);
    json_put_string(writer, "work", row->work);
    json_put_string(writer, "method", row->method);
    if (has_other(c)) {
        json_put_string(writer, "against", row->against);
    }
    json_put_string(writer, "type", pdp_plan_type(c->solves[0].plan));
    json_put_unsigned(writer, "n", c->n);
    write_seconds(writer, "seconds", &c->entries[0], rounds);
    if (has_other(c)) {
        write_seconds(writer, "seconds_against", &c->entries[1], rounds);
        json_put_double(writer, "ratio", bench_ratio(&c->entries[0], &c->entries[1], rounds));
    }
    if (c->n == row->n && row->must > 0) {
        json_put_double(writer, "must", row->must);
        json_put_double(writer, "aim", row->aim);
        json_put_boolean(writer, "reached", find_seconds(&c->entries[0], rounds).median <= row->must);
    }
    json_put_string(writer, "verified", explain_verified(c));
    json_close_object(writer);
}

static int run_row(const method_arguments *arguments, const method_row *row, json *writer) {
    method_case c = {.row = row, .n = arguments->size > 0 ? arguments->size : row->n};
    int code = make_plans(&c, arguments->seed);
    if (code == EXIT_DONE) {
        code = has_other(&c)      ? verify_cells(&c)
               : row->modulus > 0 ? verify_value(&c, arguments->seed)
                                  : verify_decisions(&c);
    }
    code = code == EXIT_DONE ? measure(&c, arguments->rounds) : code;
    if (code == EXIT_DONE && writer) {
        write_case(writer, &c, arguments->rounds);
    } else if (code == EXIT_DONE) {
        print_case(&c, arguments->rounds);
    }
    pdp_plan_free(c.solves[0].plan);
    pdp_plan_free(c.solves[1].plan);
    pdp_problem_free(c.solves[0].problem);
    return code;
}

/* ---- The command ---- */

enum { KEY_REPS = 512, KEY_SEED, KEY_ONLY };

static const struct argp_option options[] = {
    {"only", KEY_ONLY, "NAME,...", 0, "These methods: settle, runs, series, bostan-mori, knuth, window", 0},
    {"n", 'n', "N", 0, "Cells, as 4096 or 2^19, instead of each row's own", 0},
    {"reps", KEY_REPS, "R", 0, "Rounds in which both have a turn (default 5)", 0},
    {"seed", KEY_SEED, "S", 0, "Seed of the data (default 1)", 0},
    {"json", 'j', 0, 0, "Write JSON", 0},
    {0},
};

static bool has_row(const char *name) {
    size_t r = 0;
    while (r < ROWS && strcmp(rows[r].method, name) != 0) {
        r++;
    }
    return r < ROWS;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    method_arguments *arguments = state->input;
    switch (key) {
    case KEY_ONLY:
        arguments->only = argument;
        if (bench_find_unknown(argument, has_row)) {
            argp_error(state, "--only: '%s' is none of the methods: settle, runs, series, bostan-mori, knuth, window",
                       bench_find_unknown(argument, has_row));
        }
        return 0;
    case 'n':
        cli_check_value(state, "--n", argument, bench_parse_size(argument, &arguments->size));
        if (arguments->size < LEAST_SIZE || arguments->size > INT32_MAX) {
            argp_error(state, "--n: '%s' is not %d to 2^31-1", argument, LEAST_SIZE);
        }
        return 0;
    case KEY_REPS: bench_take_count(state, "--reps", argument, &arguments->rounds, BENCH_MOST_ROUNDS); return 0;
    case KEY_SEED:
        cli_check_value(state, "--seed", argument, option_parse_unsigned(argument, &arguments->seed));
        return 0;
    case 'j': arguments->json = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s' is one argument too many", argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc = "Methods that do without most of the terms, each on a problem that is made for it, beside the engine that "
           "takes every term: seconds of one core, in turn, after their tables were compared.\vExamples:\n"
           "  pipedp bench methods\n"
           "  pipedp bench methods --only runs --n 2^20 --reps 9 --json",
};

int bench_methods(int argc, char **argv) {
    method_arguments arguments = {.rounds = 5, .seed = 1};
    json writer;
    int code = EXIT_DONE;
    cli_parse(&argp, argc, argv, &arguments);
    bench_keep_memory();
    if (arguments.json) {
        json_begin(&writer, stdout);
        json_open_object(&writer, NULL);
        json_put_string(&writer, "command", "bench methods");
        json_put_string(&writer, "version", pdp_version());
        json_put_string(&writer, "cpu_level", pdp_cpu_level());
        json_put_unsigned(&writer, "rounds", arguments.rounds);
        json_put_unsigned(&writer, "seed", arguments.seed);
        json_open_array(&writer, "rows");
    }
    for (size_t r = 0; r < ROWS && code == EXIT_DONE; r++) {
        if (bench_is_wanted(arguments.only, rows[r].method)) {
            code = run_row(&arguments, &rows[r], arguments.json ? &writer : NULL);
        }
    }
    if (arguments.json) {
        json_close_array(&writer);
        json_close_object(&writer);
        json_end(&writer);
    }
    return code;
}
