/* pipedp bench checks: what --verify takes beside the solve itself, for every built-in recurrence. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "json.h"
#include "option_value.h"

/* How a field is filled. */
typedef enum how {
    NOTHING,
    LIST,    /* n + more numbers from low to high */
    OFFSETS, /* k different ones from low to high parts of n in 8, falling */
    PRESETS, /* as many numbers as the greatest offset */
    WEIGHTS, /* k numbers */
    SHARES,  /* k floats that are less than 1 together */
    SIZE,    /* n + more */
    LETTERS, /* n letters of the text */
    TEXT,    /* the text itself */
    NUMBERS  /* the digits of the text */
} how;

typedef struct given {
    const char *name;
    how how;
    int more;
    int64_t low;
    int64_t high;
    const char *text;
} given;

enum { MOST_GIVEN = 6 };

typedef struct check_row {
    const char *recurrence;
    size_t n;
    size_t k;
    given given[MOST_GIVEN];
} check_row;

#define SDP(op, least)                                                                                                 \
    {"op", TEXT, 0, 0, 0, op}, {"n", SIZE, 0, 0, 0, NULL}, {"a", OFFSETS, 0, least, 4, NULL}, {                        \
        "init", PRESETS, 0, 0, 9, NULL                                                                                 \
    }

static const check_row rows[] = {
    {"mcm", 10, 0, {{"p", LIST, 1, 1, 100, NULL}}},
    {"mcm", 100, 0, {{"p", LIST, 1, 1, 100, NULL}}},
    {"mcm", 1000, 0, {{"p", LIST, 1, 1, 100, NULL}}},
    {"mcm", 10000, 0, {{"p", LIST, 1, 1, 100, NULL}}},
    {"mcm", 1000000, 0, {{"p", LIST, 1, 1, 100, NULL}}},
    {"triangulation", 1000, 0, {{"x", LIST, 0, 0, 1000000, NULL}, {"y", LIST, 0, 0, 1000000, NULL}}},
    {"triangulation_product", 100000, 0, {{"v", LIST, 0, 1, 1000, NULL}}},
    {"obst", 2000, 0, {{"p", LIST, 0, 0, 999, NULL}, {"q", LIST, 1, 0, 999, NULL}}},
    {"merge", 2000, 0, {{"w", LIST, 0, 1, 999, NULL}}},
    {"nussinov", 2000, 0, {{"s", LETTERS, 0, 0, 0, "ACGU"}}},
    {"cyk",
     500,
     0,
     {{"s", LETTERS, 0, 0, 0, "ab"},
      {"A", NUMBERS, 0, 0, 0, "0012"},
      {"B", NUMBERS, 0, 0, 0, "1102"},
      {"C", NUMBERS, 0, 0, 0, "2120"},
      {"D", NUMBERS, 0, 0, 0, "120"},
      {"letter", TEXT, 0, 0, 0, "abb"}}},
    {"sdp", 1 << 20, 8, {SDP("min", 0)}},
    {"sdp", 1 << 20, 8, {SDP("xor", 0)}},
    {"sdp", 1 << 18, 8000, {SDP("xor", 0)}},
    {"sdp_added", 1 << 19, 1000, {SDP("max", 0), {"w", WEIGHTS, 0, 0, 99, NULL}}},
    {"sdp_scaled", 1 << 18, 1000, {SDP("add", 2), {"w", WEIGHTS, 0, 0, 9, NULL}}},
    {"coins", 1 << 20, 100, {{"coin", OFFSETS, 0, 0, 4, NULL}, {"amount", SIZE, 0, 0, 0, NULL}}},
    {"knapsack",
     1 << 19,
     1000,
     {{"weight", OFFSETS, 0, 0, 4, NULL}, {"value", WEIGHTS, 0, 0, 999, NULL}, {"capacity", SIZE, 0, 0, 0, NULL}}},
    {"rod", 1 << 16, 4096, {{"price", WEIGHTS, 0, 0, 999, NULL}, {"length", SIZE, 0, 0, 0, NULL}}},
    {"compositions", 1 << 18, 1000, {{"part", OFFSETS, 0, 2, 4, NULL}, {"total", SIZE, 0, 0, 0, NULL}}},
    {"compositions_mod", 1 << 20, 8, {{"part", OFFSETS, 0, 0, 4, NULL}, {"total", SIZE, 0, 0, 0, NULL}}},
    {"compositions_mod", 1 << 20, 8000, {{"part", OFFSETS, 0, 0, 4, NULL}, {"total", SIZE, 0, 0, 0, NULL}}},
    {"filter",
     1 << 18,
     1000,
     {{"x", LIST, 0, -9, 9, NULL}, {"a", OFFSETS, 0, 0, 4, NULL}, {"w", SHARES, 0, 0, 0, NULL}}},
    {"lfsr",
     1 << 20,
     8,
     {{"tap", OFFSETS, 0, 0, 4, NULL}, {"init", PRESETS, 0, 0, INT32_MAX, NULL}, {"n", SIZE, 0, 0, 0, NULL}}},
    {"renewal", 1 << 16, 4096, {{"f", SHARES, 0, 0, 0, NULL}, {"time", SIZE, 0, 0, 0, NULL}}},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* ---- Problems ---- */

/* Each set as likely as any other. */
static size_t draw_offsets(const check_row *row, const given *g, uint64_t *state, int64_t *out) {
    const int64_t low = (int64_t)row->n * g->low / 8, high = (int64_t)row->n * g->high / 8;
    size_t count = 0;
    for (int64_t v = high; v > low && count < row->k; v--) {
        if (pdp_random_between(state, 1, v - low) <= (int64_t)(row->k - count)) {
            out[count++] = v;
        }
    }
    return count;
}

static pdp_status set_shares(pdp_problem *problem, const char *name, size_t count, uint64_t *state) {
    double *shares = malloc(count * sizeof *shares);
    for (size_t x = 0; shares && x < count; x++) {
        shares[x] = (double)pdp_random_between(state, 0, 999) / 1000 / (double)count;
    }
    const pdp_status status = shares ? pdp_problem_set_real(problem, name, shares, count, 0) : PDP_NO_MEMORY;
    free(shares);
    return status;
}

static pdp_status set_letters(pdp_problem *problem, const given *g, size_t count, uint64_t *state) {
    char *text = malloc(count);
    for (size_t x = 0; text && x < count; x++) {
        text[x] = g->text[pdp_random_next(state) % strlen(g->text)];
    }
    const pdp_status status = text ? pdp_problem_set_text(problem, g->name, text, count) : PDP_NO_MEMORY;
    free(text);
    return status;
}

/* *greatest is the greatest offset so far. */
static pdp_status set_field(pdp_problem *problem, const check_row *row, const given *g, size_t *greatest,
                            uint64_t *state) {
    const size_t size = row->n + (size_t)g->more;
    size_t count = g->how == LIST      ? size
                   : g->how == PRESETS ? *greatest
                   : g->how == NUMBERS ? strlen(g->text)
                   : g->how == SIZE    ? 1
                                       : row->k;
    switch (g->how) {
    case TEXT: return pdp_problem_set_text(problem, g->name, g->text, strlen(g->text));
    case LETTERS: return set_letters(problem, g, row->n, state);
    case SHARES: return set_shares(problem, g->name, row->k, state);
    default: break;
    }
    int64_t *numbers = malloc((count + 1) * sizeof *numbers);
    if (!numbers) {
        return PDP_NO_MEMORY;
    }
    if (g->how == OFFSETS) {
        count = draw_offsets(row, g, state, numbers);
        *greatest = count > 0 ? (size_t)numbers[0] : 0;
    }
    for (size_t x = 0; x < count && g->how != OFFSETS; x++) {
        numbers[x] = g->how == SIZE      ? (int64_t)size
                     : g->how == NUMBERS ? g->text[x] - '0'
                                         : pdp_random_between(state, g->low, g->high);
    }
    const pdp_status status = pdp_problem_set_whole(problem, g->name, numbers, count, 0);
    free(numbers);
    return status;
}

static int make_problem(const check_row *row, uint64_t seed, pdp_problem **out) {
    pdp_recurrence *recurrence = NULL;
    size_t greatest = 0;
    pdp_status status = pdp_recurrence_load(&recurrence, row->recurrence);
    status = status == PDP_OK ? pdp_problem_create(out, recurrence) : status;
    for (size_t x = 0; x < MOST_GIVEN && row->given[x].how != NOTHING && status == PDP_OK; x++) {
        status = set_field(*out, row, &row->given[x], &greatest, &seed);
    }
    pdp_recurrence_free(recurrence);
    return status == PDP_OK ? EXIT_DONE
                            : cli_fail(cli_exit_code(status), "%s: %s", row->recurrence, pdp_problem_error(*out));
}

/* ---- Measuring ---- */

typedef struct check_case {
    const check_row *row;
    pdp_problem *problem;
    pdp_plan *plans[2]; /* without the check, and with it */
    const char *certificate;
    bench_value value;
    double alone[BENCH_MOST_ROUNDS]; /* seconds */
    double checked[BENCH_MOST_ROUNDS];
    double ratios[BENCH_MOST_ROUNDS];
} check_case;

/* The seconds of one run: the solve, and the check if there is one. */
static int run_plan(check_case *c, const pdp_plan *plan, double *seconds, bench_value *value) {
    pdp_solution *solution = NULL;
    const pdp_status status = pdp_plan_run(plan, &solution);
    const int code = status == PDP_OK
                         ? EXIT_DONE
                         : cli_fail(cli_exit_code(status), "%s: %s", c->row->recurrence, pdp_solution_error(solution));
    *seconds = pdp_solution_seconds(solution) + pdp_solution_verify_seconds(solution);
    *value = bench_take_value(plan, solution);
    c->certificate = pdp_certificate_name(pdp_solution_certificate(solution, NULL));
    pdp_solution_free(solution);
    return code;
}

/* The first round warms up. */
static int measure(check_case *c, size_t rounds) {
    int code = EXIT_DONE;
    for (size_t r = 0; r <= rounds && code == EXIT_DONE; r++) {
        const size_t at = r > 0 ? r - 1 : 0;
        bench_value checked = {0};
        code = run_plan(c, c->plans[0], &c->alone[at], &c->value);
        code = code == EXIT_DONE ? run_plan(c, c->plans[1], &c->checked[at], &checked) : code;
        if (code == EXIT_DONE &&
            (!bench_values_agree(&c->value, &checked) || strcmp(c->certificate, "unchecked") == 0)) {
            char texts[2][BENCH_VALUE_SIZE];
            code = cli_fail(EXIT_MISMATCH, "%s: it is %s and then %s, %s", c->row->recurrence,
                            bench_format_value(&c->value, texts[0]), bench_format_value(&checked, texts[1]),
                            c->certificate);
        }
        c->ratios[at] = c->checked[at] / c->alone[at];
    }
    return code;
}

static int make_plans(check_case *c, uint64_t threads) {
    int code = EXIT_DONE;
    for (int with = 0; with < 2 && code == EXIT_DONE; with++) {
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.backend = "cpu";
        options.table = 0;
        options.threads = (int)threads;
        options.verify = with;
        const pdp_status status = pdp_plan_create(&c->plans[with], c->problem, &options);
        if (status != PDP_OK) {
            code = cli_fail(cli_exit_code(status), "%s: %s", c->row->recurrence, pdp_plan_error(c->plans[with]));
        }
    }
    return code;
}

/* ---- The command ---- */

typedef struct check_arguments {
    const char *only; /* names with commas, or NULL for all rows */
    uint64_t rounds;
    uint64_t threads;
    uint64_t seed;
    bool json;
} check_arguments;

static void write_case(json *writer, const check_case *c, size_t rounds) {
    const bench_spread ratio = bench_find_spread(c->ratios, rounds);
    json_open_object(writer, NULL);
    json_put_string(writer, "recurrence", c->row->recurrence);
    json_put_unsigned(writer, "n", c->row->n);
    json_put_unsigned(writer, "k", c->row->k);
    json_put_string(writer, "method", pdp_plan_algorithm(c->plans[1]));
    bench_write_value(writer, &c->value);
    json_put_string(writer, "certificate", c->certificate);
    json_put_double(writer, "seconds", bench_find_spread(c->alone, rounds).median);
    json_put_double(writer, "seconds_checked", bench_find_spread(c->checked, rounds).median);
    json_put_double(writer, "ratio", ratio.median);
    json_close_object(writer);
}

static void print_case(const check_case *c, size_t rounds) {
    const bench_spread ratio = bench_find_spread(c->ratios, rounds);
    printf("%-22s %8zu %6zu  %-11s %-10s %10.3f %10.3f  %5.2f  (%.2f .. %.2f)\n", c->row->recurrence, c->row->n,
           c->row->k, pdp_plan_algorithm(c->plans[1]), c->certificate, 1e3 * bench_find_spread(c->alone, rounds).median,
           1e3 * bench_find_spread(c->checked, rounds).median, ratio.median, ratio.least, ratio.most);
    fflush(stdout);
}

static int run_row(const check_arguments *arguments, const check_row *row, json *writer) {
    check_case *c = calloc(1, sizeof *c);
    if (!c) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    c->row = row;
    int code = make_problem(row, arguments->seed, &c->problem);
    code = code == EXIT_DONE ? make_plans(c, arguments->threads) : code;
    code = code == EXIT_DONE ? measure(c, arguments->rounds) : code;
    if (code == EXIT_DONE && writer) {
        write_case(writer, c, arguments->rounds);
    } else if (code == EXIT_DONE) {
        print_case(c, arguments->rounds);
    }
    pdp_plan_free(c->plans[0]);
    pdp_plan_free(c->plans[1]);
    pdp_problem_free(c->problem);
    free(c);
    return code;
}

enum { KEY_REPS = 512, KEY_SEED, KEY_ONLY, KEY_THREADS };

static const struct argp_option options[] = {
    {"only", KEY_ONLY, "NAME,...", 0, "These recurrences", 0},
    {"reps", KEY_REPS, "R", 0, "Rounds in which both have a turn (default 5)", 0},
    {"seed", KEY_SEED, "S", 0, "Seed of the data (default 1)", 0},
    {"threads", KEY_THREADS, "N", 0, "Threads of the solve (default 1)", 0},
    {"json", 'j', 0, 0, "Write JSON", 0},
    {0},
};

static bool has_row(const char *name) {
    size_t r = 0;
    while (r < ROWS && strcmp(rows[r].recurrence, name) != 0) {
        r++;
    }
    return r < ROWS;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    check_arguments *arguments = state->input;
    switch (key) {
    case KEY_ONLY:
        arguments->only = argument;
        if (bench_find_unknown(argument, has_row)) {
            argp_error(state, "--only: '%s' is none of the built-in recurrences: see pipedp list",
                       bench_find_unknown(argument, has_row));
        }
        return 0;
    case KEY_REPS: bench_take_count(state, "--reps", argument, &arguments->rounds, BENCH_MOST_ROUNDS); return 0;
    case KEY_THREADS: bench_take_count(state, "--threads", argument, &arguments->threads, INT32_MAX); return 0;
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
    .doc = "What a check of the answer takes: every built-in recurrence solved without --verify and with it, in turn. "
           "Times are those of the solve and the check alone, without what reads and prints.\vExamples:\n"
           "  pipedp bench checks\n"
           "  pipedp bench checks --only mcm,nussinov --reps 9 --json",
};

int bench_checks(int argc, char **argv) {
    check_arguments arguments = {.rounds = 5, .threads = 1, .seed = 1};
    json writer;
    int code = EXIT_DONE;
    cli_parse(&argp, argc, argv, &arguments);
    bench_keep_memory();
    if (arguments.json) {
        json_begin(&writer, stdout);
        json_open_object(&writer, NULL);
        json_put_string(&writer, "command", "bench checks");
        json_put_string(&writer, "version", pdp_version());
        json_put_unsigned(&writer, "rounds", arguments.rounds);
        json_put_unsigned(&writer, "threads", arguments.threads);
        json_put_unsigned(&writer, "seed", arguments.seed);
        json_open_array(&writer, "rows");
    } else {
        printf("%-22s %8s %6s  %-11s %-10s %10s %10s  times (least .. most of %" PRIu64 ")\n", "recurrence", "n", "k",
               "method", "answer", "solve ms", "and check", arguments.rounds);
    }
    for (size_t r = 0; r < ROWS && code == EXIT_DONE; r++) {
        if (bench_is_wanted(arguments.only, rows[r].recurrence)) {
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
