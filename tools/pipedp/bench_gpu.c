/* pipedp bench gpu: the ceiling of the update on a device, what a solve makes of it, and how long its first use takes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "cli.h"
#include "json.h"
#include "option_value.h"

/* ---- What is measured ---- */

typedef struct goal {
    uint64_t n;
    double rate;    /* T updates/s that it must have, */
    double seconds; /* or seconds that it may take; 0: neither */
} goal;

enum { MOST_GOALS = 6, TILE = 64, BLOCK = 1024, LINEAR_CELLS = 256 };

typedef struct work {
    const char *name;
    const char *text; /* a built-in recurrence's name, or a recurrence */
    const char *type;
    size_t batch;               /* so many problems in one; 0: one alone */
    const char *op;             /* of a linear one */
    uint64_t offsets, farthest; /* how many, and the first; 0: n/4 and n/2 */
    const char *rival;          /* the work that it is to be as fast as, */
    double of_rival;            /* nearly */
    goal goals[MOST_GOALS];
} work;

static const char renamed[] = "interval chain_of_mine\n  input  size[m+1] >= 1\n  size   m+1\n  leaf   0\n"
                              "  term   size[j]*size[k]*size[i] + r + l\n  combine min\n  report parens\n";
static const char weighted[] = "interval chain_with_costs\n  input p[n+1] >= 1\n  input q[n+1] >= 1\n  size n+1\n"
                               "  leaf 0\n  term r + p[j]*q[k]*p[i] + l\n  combine min\n  report parens\n";

static const work works[] = {
    {"mcm_i32", "mcm", "i32",
     .goals = {{4095, 4.2, 0}, {4096, 0, 0}, {5000, 0, 0}, {8191, 6.0, 0}, {16383, 7.5, 0}, {32767, 8.2, 0}}},
    {"mcm_f64", "mcm", "f64", .goals = {{16383, 0.72 * 3.9, 0}, {32767, 0.80 * 3.9, 0}}},
    {"mcm_batch", "mcm", "i32", .batch = 1024, .goals = {{1023, 0.60 * 11.0, 0}}},
    {"nussinov_i32", "nussinov", "i32", .goals = {{16383, 0.65 * 16.6, 0}}},
    {"mcm_renamed", renamed, "i32", .rival = "mcm_i32", .of_rival = 0.97, .goals = {{16383, 0, 0}}},
    {"mcm_weights", weighted, "i32", .rival = "mcm_i32", .of_rival = 0.97, .goals = {{16383, 0, 0}}},
    {"linear_min_plus", "sdp_added", "i32", .op = "min", .goals = {{1 << 19, 0, 8e-3}}},
    {"linear_min", "sdp", "i32", .op = "min", .goals = {{1 << 19, 0, 6e-3}}},
    {"linear_max", "sdp", "i32", .op = "max", .goals = {{1 << 19, 0, 6e-3}}},
    {"linear_mod", "sdp", NULL, .op = "add", .goals = {{1 << 19, 0, 8e-3}}},
    {"linear_sparse", "sdp_added", "i32", .op = "min", 1000, 1 << 16, .goals = {{1 << 24, 0, 0.1}}},
};
enum { WORKS = sizeof works / sizeof *works };

#define MODULUS 998244353
#define MOST_TABLE_BYTES 4e9 /* of a table that is brought back to be verified */

typedef struct gpu_arguments {
    const char *backend;
    const char *works;
    const char *sizes;
    uint64_t rounds;
    uint64_t seed;
    bool json;
    pdp_device *device;
    int compile; /* as in pdp_options */
} gpu_arguments;

/* A work at a size. */
typedef struct gpu_case {
    const gpu_arguments *arguments;
    const work *work;
    goal goal;
    size_t count;    /* problems */
    int64_t *first;  /* dimensions; offsets */
    int64_t *second; /* other dimensions; weights */
    int64_t *presets;
    char *letters;
    size_t offset_count;
    pdp_problem **problems;
    pdp_plan *plan;
    pdp_solution **solutions; /* of the run that was last */
    int64_t *values;
    char verified[96];
    double kernel[BENCH_MOST_ROUNDS]; /* seconds */
    double whole[BENCH_MOST_ROUNDS];
} gpu_case;

/* ---- Data ---- */

static bool is_linear(const work *w) {
    return w->op != NULL;
}

static int64_t *draw_numbers(size_t count, int64_t low, int64_t high, uint64_t *state) {
    int64_t *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t x = 0; numbers && x < count; x++) {
        numbers[x] = pdp_random_between(state, low, high);
    }
    return numbers;
}

/* So many different offsets up to the first, falling. */
static int64_t *draw_offsets(size_t count, uint64_t first, uint64_t *state) {
    int64_t *offsets = malloc((count + 1) * sizeof *offsets);
    size_t made = 0;
    for (uint64_t v = first; offsets && made < count; v--) {
        if (v == first || (uint64_t)pdp_random_between(state, 1, (int64_t)v) <= count - made) {
            offsets[made++] = (int64_t)v;
        }
    }
    return offsets;
}

static bool draw(gpu_case *c) {
    const size_t n = c->goal.n;
    uint64_t state = c->arguments->seed;
    if (is_linear(c->work)) {
        const uint64_t first = c->work->farthest && c->work->farthest < n ? c->work->farthest : n / 2;
        const uint64_t count = c->work->offsets ? c->work->offsets : n / 4;
        c->offset_count = count < first ? count : first;
        c->first = draw_offsets(c->offset_count, first, &state);
        c->second = draw_numbers(c->offset_count, 0, 100, &state);
        c->presets = draw_numbers(first, 0, 999999, &state);
        return c->first && c->second && c->presets;
    }
    const double limit = strcmp(c->work->type, "i32") == 0 ? 2147483647.0 : 9007199254740992.0;
    const double most = fmax(1, fmin(1000, floor(cbrt(limit / (4 * (double)n)))));
    c->first = draw_numbers(c->count * (n + 1), 1, (int64_t)most, &state);
    c->second = draw_numbers(n + 1, 1, (int64_t)most, &state);
    c->letters = calloc(n > 0 ? n : 1, 1);
    for (size_t x = 0; c->letters && x < n; x++) {
        c->letters[x] = "ACGU"[pdp_random_next(&state) % 4];
    }
    return c->first && c->second && c->letters;
}

static pdp_status set_fields(const gpu_case *c, pdp_problem *problem, size_t number) {
    const int64_t n = (int64_t)c->goal.n;
    const int64_t *dims = c->first + number * ((size_t)n + 1);
    const bool is_rna = strcmp(c->work->text, "nussinov") == 0;
    pdp_status status = PDP_OK;
    if (is_linear(c->work)) {
        status = pdp_problem_set_text(problem, "op", c->work->op, strlen(c->work->op));
        status = status == PDP_OK ? pdp_problem_set_whole(problem, "n", &n, 1, 0) : status;
        status = status == PDP_OK ? pdp_problem_set_whole(problem, "a", c->first, c->offset_count, 0) : status;
        status = status == PDP_OK ? pdp_problem_set_whole(problem, "init", c->presets, (size_t)c->first[0], 0) : status;
        return status == PDP_OK ? pdp_problem_set_whole(problem, "w", c->second, c->offset_count, 0) : status;
    }
    if (is_rna) {
        return pdp_problem_set_text(problem, "s", c->letters, (size_t)n);
    }
    status = pdp_problem_set_whole(problem, strstr(c->work->text, "size[") ? "size" : "p", dims, (size_t)n + 1, 0);
    return status == PDP_OK && c->work->text == weighted
               ? pdp_problem_set_whole(problem, "q", c->second, (size_t)n + 1, 0)
               : status;
}

static int make_problem(gpu_case *c, size_t number) {
    const char *text = c->work->text;
    pdp_problem **problem = &c->problems[number];
    pdp_status status;
    if (is_linear(c->work) && strcmp(text, "sdp") == 0) {
        pdp_sdp sdp = {c->goal.n,           c->first, c->offset_count,    c->presets,
                       (size_t)c->first[0], PDP_MIN,  PDP_OVERFLOW_ERROR, 0};
        (void)pdp_operator_find(&sdp.op, c->work->op);
        if (sdp.op == PDP_ADD) {
            sdp.overflow = PDP_OVERFLOW_MOD;
            sdp.modulus = MODULUS;
        }
        status = pdp_problem_create_sdp(problem, &sdp);
    } else {
        pdp_recurrence *recurrence = NULL;
        status = strchr(text, ' ') ? pdp_recurrence_parse(&recurrence, text, strlen(text))
                                   : pdp_recurrence_load(&recurrence, text);
        status = status == PDP_OK ? pdp_problem_create(problem, recurrence) : status;
        status = status == PDP_OK ? set_fields(c, *problem, number) : status;
        status = status == PDP_OK ? pdp_problem_check(*problem) : status;
        pdp_recurrence_free(recurrence);
    }
    return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_problem_error(*problem));
}

/* A plan for the value alone, or for the table. */
static int make_plan(const gpu_case *c, const char *algorithm, bool table, pdp_plan **plan) {
    const bool on_cpu = strcmp(algorithm, "hu-shing") == 0;
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = algorithm;
    options.type = on_cpu ? NULL : c->work->type;
    options.backend = on_cpu ? "cpu" : c->arguments->backend;
    options.device = on_cpu ? NULL : c->arguments->device;
    options.table = table;
    options.decisions = 0;
    options.compile = c->arguments->compile;
    pdp_status status = pdp_plan_batch(plan, c->problems, c->count, &options);
    return status == PDP_OK ? EXIT_DONE
                            : cli_fail(cli_exit_code(status), "%s: %s", c->work->name, pdp_plan_error(*plan));
}

static void free_solutions(gpu_case *c) {
    for (size_t x = 0; c->solutions && x < c->count; x++) {
        pdp_solution_free(c->solutions[x]);
        c->solutions[x] = NULL;
    }
}

/* Into the case's solutions. */
static int run_plan(gpu_case *c, const pdp_plan *plan) {
    free_solutions(c);
    pdp_status status = pdp_plan_run_batch(plan, c->solutions);
    size_t failed = 0;
    while (status != PDP_OK && failed + 1 < c->count && *pdp_solution_error(c->solutions[failed]) == '\0') {
        failed++;
    }
    return status == PDP_OK ? EXIT_DONE
                            : cli_fail(cli_exit_code(status), "%s: problem %zu: %s", c->work->name, failed + 1,
                                       pdp_solution_error(c->solutions[failed]));
}

/* Takes the values that the solutions have, or compares them with those that it took. */
static int compare_values(gpu_case *c, bool takes, const char *how) {
    for (size_t x = 0; x < c->count; x++) {
        const int64_t value = pdp_solution_value(c->solutions[x]);
        c->values[x] = takes ? value : c->values[x];
        if (value != c->values[x]) {
            return cli_fail(EXIT_MISMATCH,
                            "mismatch: %s, n = %" PRIu64 ", problem %zu is %" PRId64 ", and %" PRId64 " %s",
                            c->work->name, c->goal.n, x + 1, c->values[x], value, how);
        }
    }
    return EXIT_DONE;
}

/* ---- Verifying ---- */

static bool pairs(const gpu_case *c, size_t i, size_t j) {
    const char a = c->letters[i], b = c->letters[j];
    return (a == 'A' && b == 'U') || (a == 'U' && b == 'A') || (a == 'C' && b == 'G') || (a == 'G' && b == 'C') ||
           (a == 'G' && b == 'U') || (a == 'U' && b == 'G');
}

/* A cell of an interval table from its row and its column. */
static int64_t find_cell(const gpu_case *c, const int64_t *row, const int64_t *column, int64_t inside, size_t i,
                         size_t j) {
    const bool is_rna = strcmp(c->work->text, "nussinov") == 0;
    const int64_t *middle = c->work->text == weighted ? c->second : c->first;
    int64_t best = is_rna ? INT64_MIN : INT64_MAX;
    for (size_t k = i + 1; k < j; k++) {
        const int64_t sum = row[k] + column[k] + (is_rna ? 0 : c->first[i] * middle[k] * c->first[j]);
        best = (is_rna ? sum > best : sum < best) ? sum : best;
    }
    return is_rna && j - 1 - i > 3 && pairs(c, i, j - 1) && inside + 1 > best ? inside + 1 : best;
}

static int check_interval_cell(const gpu_case *c, const pdp_solution *solution, int64_t *row, size_t i, size_t j) {
    const size_t points = c->goal.n + 1;
    int64_t *column = row + points;
    int64_t inside = 0, value = 0;
    pdp_status status = pdp_solution_cells(solution, i, i, row + i, j - i + 1);
    value = row[j];
    for (size_t k = i + 1; k < j && status == PDP_OK; k++) {
        status = pdp_solution_cells(solution, k, j, &column[k], 1);
    }
    if (status == PDP_OK && j > i + 2) {
        status = pdp_solution_cells(solution, i + 1, j - 1, &inside, 1);
    }
    if (status != PDP_OK) {
        return cli_fail(EXIT_FAILED, "%s: the table cannot be read", c->work->name);
    }
    const int64_t expected = j == i + 1 ? 0 : find_cell(c, row, column, inside, i, j);
    return expected == value ? EXIT_DONE
                             : cli_fail(EXIT_MISMATCH,
                                        "mismatch: %s, n = %" PRIu64 ", cell (%zu,%zu) is %" PRId64 ", and %" PRId64
                                        " from its row and column",
                                        c->work->name, c->goal.n, i, j, value, expected);
}

/* Of every diagonal of tiles a cell anywhere, and two in the corners of a tile, where it meets others. */
static int verify_interval(const gpu_case *c, const pdp_solution *solution, size_t *count) {
    const size_t points = c->goal.n + 1, tiles = (points + TILE - 1) / TILE, room = tiles * TILE - points;
    int64_t *row = calloc(2 * points, sizeof *row);
    uint64_t state = c->goal.n;
    int code = EXIT_DONE;
    if (!row) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    for (size_t x = 0; x < 3 * tiles && code == EXIT_DONE; x++) {
        const size_t distance = x / 3, tile = (size_t)pdp_random_between(&state, 0, (int64_t)(tiles - distance) - 1);
        const size_t r = x % 3 == 0 ? (size_t)pdp_random_between(&state, 0, TILE - 1) : x % 3 == 1 ? 0 : TILE - 1;
        const size_t s =
            x % 3 == 0 ? (size_t)pdp_random_between(&state, 0, TILE - 1) : (pdp_random_next(&state) % 2) * (TILE - 1);
        const size_t at = tile * TILE + r, i = at < room ? 0 : at - room, j = (tile + distance) * TILE + s - room;
        if (i + 1 < points) { /* below the diagonal there are none: the next one in the row */
            code = check_interval_cell(c, solution, row, i, (tile + distance) * TILE + s > i + room ? j : i + 1);
            ++*count;
        }
    }
    if (code == EXIT_DONE) {
        code = check_interval_cell(c, solution, row, 0, points - 1);
        ++*count;
    }
    free(row);
    return code;
}

static int64_t find_linear_cell(const gpu_case *c, const int64_t *cells, size_t i) {
    const bool has_weights = strcmp(c->work->text, "sdp_added") == 0;
    const char op = c->work->op[1]; /* min, max, add */
    int64_t best = op == 'i' ? INT64_MAX : op == 'a' ? INT64_MIN : 0;
    for (size_t j = 0; j < c->offset_count; j++) {
        const int64_t term = cells[i - (size_t)c->first[j]] + (has_weights ? c->second[j] : 0);
        best = op == 'd' ? (best + term) % MODULUS : (op == 'i' ? term < best : term > best) ? term : best;
    }
    return best;
}

/* Cells at the edges of blocks and anywhere. */
static int verify_linear(const gpu_case *c, const pdp_solution *solution, size_t *count) {
    const size_t n = c->goal.n, first = (size_t)c->first[0];
    int64_t *cells = malloc(n * sizeof *cells);
    uint64_t state = n;
    int code = EXIT_DONE;
    if (!cells || pdp_solution_row(solution, 0, cells, n) != PDP_OK) {
        free(cells);
        return cli_fail(EXIT_FAILED, "%s: the table cannot be read", c->work->name);
    }
    for (; *count < LINEAR_CELLS && code == EXIT_DONE; ++*count) {
        size_t i = (size_t)pdp_random_between(&state, (int64_t)first, (int64_t)n - 1);
        i = *count == 0 ? n - 1 : *count % 2 ? i : first + (i - first) / BLOCK * BLOCK + *count / 2 % 2 * (BLOCK - 1);
        i = i < n ? i : n - 1;
        const int64_t expected = find_linear_cell(c, cells, i);
        if (expected != cells[i]) {
            code = cli_fail(EXIT_MISMATCH,
                            "mismatch: %s, n = %zu, cell %zu is %" PRId64 ", and %" PRId64 " from those before it",
                            c->work->name, n, i, cells[i], expected);
        }
    }
    free(cells);
    return code;
}

/* Of a batch the first table. */
static int verify_table(gpu_case *c) {
    const double cells = (double)(c->goal.n + 1) * (double)(c->goal.n + 1) / 2 * (double)c->count;
    const double bytes = cells * (c->work->type && strcmp(c->work->type, "f64") == 0 ? 8 : 4);
    if (!is_linear(c->work) && bytes > MOST_TABLE_BYTES) {
        snprintf(c->verified, sizeof c->verified, "the table is too large to bring back");
        return EXIT_DONE;
    }
    pdp_plan *plan = NULL;
    size_t count = 0;
    int code = make_plan(c, is_linear(c->work) ? "blocks" : "tiles", true, &plan);
    code = code == EXIT_DONE ? run_plan(c, plan) : code;
    if (code == EXIT_DONE) {
        code = compare_values(c, true, "");
        code = code == EXIT_DONE ? (is_linear(c->work) ? verify_linear : verify_interval)(c, c->solutions[0], &count)
                                 : code;
        snprintf(c->verified, sizeof c->verified, "%zu cells", count);
    }
    pdp_plan_free(plan);
    return code;
}

static int verify_values(gpu_case *c) {
    pdp_plan *plan = NULL;
    const size_t used = strlen(c->verified);
    int code = make_plan(c, "hu-shing", false, &plan);
    code = code == EXIT_DONE ? run_plan(c, plan) : code;
    code = code == EXIT_DONE ? compare_values(c, false, "by hu-shing") : code;
    snprintf(c->verified + used, sizeof c->verified - used,
             c->count > 1 ? ", all values by hu-shing" : ", the value by hu-shing");
    pdp_plan_free(plan);
    return code;
}

/* ---- Measuring ---- */

/* One solve. The first, of round -1, says what the values are, if no table did. */
static int run_round(gpu_case *c, int64_t round) {
    const double start = cli_now();
    int code = run_plan(c, c->plan);
    const double seconds = cli_now() - start;
    code = code == EXIT_DONE ? compare_values(c, round < 0, "in another run") : code;
    if (code == EXIT_DONE && round >= 0) {
        c->kernel[round] = 0;
        for (size_t x = 0; x < c->count; x++) {
            c->kernel[round] += pdp_solution_device_seconds(c->solutions[x]);
        }
        c->whole[round] = seconds;
    }
    return code;
}

static int open_case(gpu_case *c) {
    c->count = c->work->batch > 0 ? c->work->batch : 1;
    c->problems = calloc(c->count, sizeof(pdp_problem *));
    c->solutions = calloc(c->count, sizeof(pdp_solution *));
    c->values = calloc(c->count, sizeof *c->values);
    int code = c->problems && c->solutions && c->values && draw(c) ? EXIT_DONE : cli_fail(EXIT_FAILED, "out of memory");
    for (size_t x = 0; x < c->count && code == EXIT_DONE; x++) {
        code = make_problem(c, x);
    }
    code = code == EXIT_DONE ? make_plan(c, is_linear(c->work) ? "blocks" : "tiles", false, &c->plan) : code;
    code = code == EXIT_DONE ? run_round(c, -1) : code;
    return code;
}

static void close_case(gpu_case *c) {
    free_solutions(c);
    pdp_plan_free(c->plan);
    for (size_t x = 0; c->problems && x < c->count; x++) {
        pdp_problem_free(c->problems[x]);
    }
    free(c->problems);
    free(c->solutions);
    free(c->values);
    free(c->first);
    free(c->second);
    free(c->presets);
    free(c->letters);
}

/* The rounds of a case, and of its rival in between. */
static int run_rounds(gpu_case *c, gpu_case *rival) {
    int code = EXIT_DONE;
    for (int64_t round = 0; round < (int64_t)c->arguments->rounds && code == EXIT_DONE; round++) {
        code = run_round(c, round);
        code = code == EXIT_DONE && rival ? run_round(rival, round) : code;
    }
    return code;
}

/* ---- The report ---- */

typedef struct ceiling {
    double rate;
    double bound;
    const char *assumed;
    const char *shape;
} ceiling;

static void write_spread(json *writer, const char *key, bench_spread s) {
    json_open_object(writer, key);
    json_put_double(writer, "median", s.median);
    json_put_double(writer, "least", s.least);
    json_put_double(writer, "most", s.most);
    json_close_object(writer);
}

static void report_case(json *writer, const gpu_case *c, const gpu_case *rival, const ceiling *top) {
    const size_t rounds = c->arguments->rounds;
    const bench_spread kernel = bench_find_spread(c->kernel, rounds), whole = bench_find_spread(c->whole, rounds);
    const double updates = pdp_plan_updates(c->plan), rate = updates / kernel.median;
    const double other = rival ? pdp_plan_updates(rival->plan) / bench_find_spread(rival->kernel, rounds).median : 0;
    const double must = rival                 ? c->work->of_rival * other
                        : c->goal.seconds > 0 ? updates / c->goal.seconds
                                              : 1e12 * c->goal.rate;
    if (writer) {
        json_open_object(writer, NULL);
        json_put_unsigned(writer, "n", c->goal.n);
        json_put_unsigned(writer, "problems", c->count);
        json_put_double(writer, "updates", updates);
        json_put_double(writer, "rate", rate);
        write_spread(writer, "kernel_seconds", kernel);
        write_spread(writer, "seconds", whole);
        json_put_double(writer, "of_ceiling", rate / top->rate);
        if (must > 0) {
            json_put_double(writer, "must", must);
            json_put_double(writer, "of_must", rate / must);
        }
        json_put_string(writer, "verified", c->verified);
        json_close_object(writer);
        return;
    }
    char size[48];
    snprintf(size, sizeof size, c->count > 1 ? "%" PRIu64 " x %zu" : "%" PRIu64, c->goal.n, c->count);
    printf("  n = %-9s %8.4g  (%.4g .. %.4g)  %5.1f %% of the ceiling", size, 1e-12 * rate,
           1e-12 * updates / kernel.most, 1e-12 * updates / kernel.least, 100 * rate / top->rate);
    if (must > 0) {
        printf(", %5.1f %% of what it must", 100 * rate / must);
    }
    if (rival) {
        printf(", %5.1f %% of %s", 100 * rate / other, rival->work->name);
    }
    printf("; kernels %.3f ms, end to end %.3f ms (%.3f .. %.3f); verified: %s\n", 1e3 * kernel.median,
           1e3 * whole.median, 1e3 * whole.least, 1e3 * whole.most, c->verified);
    fflush(stdout);
}

static int measure_ceiling(const gpu_case *c, json *writer, ceiling *out) {
    pdp_device_ceiling *measured = NULL;
    pdp_status status = pdp_device_ceiling_create(&measured, c->plan);
    const char *shape;
    for (size_t x = 0; status == PDP_OK && (shape = pdp_device_ceiling_shape(measured, x)) != NULL; x++) {
        const double rate = pdp_device_ceiling_measure(measured, x);
        if (rate > out->rate) {
            out->rate = rate;
            out->shape = shape; /* a constant */
        }
    }
    out->bound = pdp_device_ceiling_pipe_bound(measured, &out->assumed);
    const bool failed = out->rate == 0;
    int code = failed ? cli_fail(EXIT_FAILED, "%s: %s", c->work->name, pdp_device_ceiling_error(measured)) : EXIT_DONE;
    pdp_device_ceiling_free(measured);
    if (writer && !failed) {
        json_open_object(writer, NULL);
        json_put_string(writer, "work", c->work->name);
        json_put_string(writer, "type", pdp_plan_type(c->plan));
        json_put_double(writer, "ceiling", out->rate);
        json_put_string(writer, "shape", out->shape);
        json_put_double(writer, "pipe_bound", out->bound);
        json_put_string(writer, "pipe_bound_assumes", out->assumed);
        json_open_array(writer, "entries");
    } else if (!failed) {
        printf("%s, %s: T updates/s of the kernels, median of %" PRIu64 " rounds (least .. most)\n", c->work->name,
               pdp_plan_type(c->plan), c->arguments->rounds);
        printf("  %-13s %8.4g  %s\n", "ceiling", 1e-12 * out->rate, out->shape);
        if (out->bound > 0) {
            printf("  %-13s %8.4g  %s\n", "pipe bound", 1e-12 * out->bound, out->assumed);
        }
    }
    return code;
}

static const work *find_work(const char *name) {
    for (size_t w = 0; w < WORKS; w++) {
        if (strcmp(works[w].name, name) == 0) {
            return &works[w];
        }
    }
    return NULL;
}

/* A work at a size. With the first one also its ceiling. */
static int run_case(const gpu_arguments *arguments, const work *w, goal wanted, json *writer, ceiling *top) {
    gpu_case c = {.arguments = arguments, .work = w, .goal = wanted};
    gpu_case other = {.arguments = arguments, .work = w->rival ? find_work(w->rival) : NULL, .goal = wanted};
    gpu_case *rival = w->rival ? &other : NULL;
    int code = open_case(&c);
    code = code == EXIT_DONE && rival ? open_case(rival) : code;
    code = code == EXIT_DONE && top->rate == 0 ? measure_ceiling(&c, writer, top) : code;
    code = code == EXIT_DONE ? verify_table(&c) : code;
    const bool is_chain = !is_linear(w) && w->text != weighted && strcmp(w->text, "nussinov") != 0;
    code = code == EXIT_DONE && is_chain ? verify_values(&c) : code;
    code = code == EXIT_DONE ? run_rounds(&c, rival) : code;
    if (code == EXIT_DONE) {
        report_case(writer, &c, rival, top);
    }
    close_case(&c);
    close_case(&other);
    return code;
}

static int run_work(const gpu_arguments *arguments, const work *w, json *writer) {
    const char *sizes = arguments->sizes;
    char item[BENCH_NAME_SIZE];
    ceiling top = {0};
    int code = EXIT_DONE;
    for (size_t x = 0; !sizes && x < MOST_GOALS && w->goals[x].n > 0 && code == EXIT_DONE; x++) {
        code = run_case(arguments, w, w->goals[x], writer, &top);
    }
    while (sizes && code == EXIT_DONE && bench_next_item(&sizes, item, sizeof item)) {
        goal own = {0};
        if (bench_parse_size(item, &own.n) || own.n < 8) {
            return cli_fail(EXIT_BAD_USE, "--sizes: '%s' is no size", item);
        }
        for (size_t x = 0; x < MOST_GOALS; x++) {
            own = w->goals[x].n == own.n ? w->goals[x] : own;
        }
        code = run_case(arguments, w, own, writer, &top);
    }
    if (writer && top.rate > 0) {
        json_close_array(writer);
        json_close_object(writer);
    } else if (code == EXIT_DONE) {
        printf("\n");
    }
    return code;
}

/* ---- First use ---- */

/* Seconds of a plan and a solve on a device that has loaded nothing yet; and of opening it. */
static int use_first(const gpu_arguments *arguments, const work *w, double *opening, double *solving) {
    gpu_arguments fresh = *arguments;
    fresh.compile = 1;
    gpu_case c = {.arguments = &fresh, .work = w, .goal = {1023, 0, 0}};
    double start = cli_now();
    pdp_status status = pdp_device_open(&fresh.device, fresh.backend);
    *opening = cli_now() - start;
    int code = status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_device_error(fresh.device));
    start = cli_now();
    code = code == EXIT_DONE ? open_case(&c) : code;
    *solving = cli_now() - start;
    close_case(&c);
    pdp_device_free(fresh.device);
    return code;
}

/* Before anything else has started the driver. */
static int measure_first_use(const gpu_arguments *arguments, json *writer) {
    enum { TIMES = 6 };
    static const char *const names[TIMES] = {"opening the device", "built-in",          "user's, cold",
                                             "user's, cached",     "user's line, cold", "user's line, cached"};
    static const double musts[TIMES] = {0, 0.15, 0.7, 0.05, 0.7, 0.05};
    char text[512], line[512];
    double seconds[TIMES] = {0}, again = 0;
    /* Recurrences that no cache has. */
    const long long now = (long long)time(NULL) % 1000003;
    snprintf(text, sizeof text, "%.*s + %lld\n  combine min\n", (int)(strstr(renamed, "\n  combine") - renamed),
             renamed, now);
    snprintf(
        line, sizeof line,
        "linear line_of_mine\n  param op operator\n  param n >= 1\n  input a[k] >= 1\n  input w[k]\n  input init[m]\n"
        "  size n\n  preset m : init[i]\n  offset a[j]\n  term s + w[j] + %lld\n  combine op\n",
        now % 97);
    const work interval = {.name = "first use", .text = text, .type = "i64"};
    const work linear = {.name = "first use", .text = line, .type = "i64", .op = "min"};
    const work *const used[TIMES - 1] = {&works[0], &interval, &interval, &linear, &linear};
    int code = EXIT_DONE;
    for (size_t x = 0; x < TIMES - 1 && code == EXIT_DONE; x++) {
        code = use_first(arguments, used[x], x == 0 ? &seconds[0] : &again, &seconds[x + 1]);
    }
    if (code == EXIT_DONE && writer) {
        json_open_object(writer, "first_use_seconds");
        for (size_t x = 0; x < TIMES; x++) {
            json_put_double(writer, names[x], seconds[x]);
        }
        json_close_object(writer);
    } else if (code == EXIT_DONE) {
        printf("first use, n = 1023, plan and solve\n");
        for (size_t x = 0; x < TIMES; x++) {
            printf("  %-20s %9.1f ms", names[x], 1e3 * seconds[x]);
            printf(musts[x] > 0 ? "  (at most %.0f)\n" : "\n", 1e3 * musts[x]);
        }
        printf("\n");
    }
    return code;
}

/* ---- The command ---- */

enum { KEY_WORKS = 1024, KEY_SIZES, KEY_REPS, KEY_SEED };

static const struct argp_option options[] = {
    {"backend", 'b', "B", 0, "cuda (default), opencl or host", 0},
    {"works", KEY_WORKS, "NAME,...", 0, "What to measure (default: all, and the first use): first_use, mcm_i32, ...",
     0},
    {"sizes", KEY_SIZES, "N,...", 0, "Sizes, as 4095 or 2^19 (default: each work's own)", 0},
    {"reps", KEY_REPS, "R", 0, "Rounds (default 5)", 0},
    {"rounds", 0, 0, OPTION_ALIAS, 0, 0},
    {"seed", KEY_SEED, "S", 0, "Seed of the data (default 1)", 0},
    {"json", 'j', 0, 0, "Write JSON", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    gpu_arguments *arguments = state->input;
    switch (key) {
    case 'b': arguments->backend = argument; return 0;
    case KEY_WORKS: arguments->works = argument; return 0;
    case KEY_SIZES: arguments->sizes = argument; return 0;
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
    .doc = "The ceiling of the inner update on a device, and what a solve makes of it: time of the kernels by the "
           "device's "
           "clock, and end to end, for the value alone. Tables up to 4 GB are brought back once to recompute some of "
           "their "
           "cells; a matrix chain is solved by hu-shing too.\vThe works are mcm_i32, mcm_f64, mcm_batch (1,024 chains "
           "at once), nussinov_i32, "
           "mcm_renamed, mcm_weights (files of a user's, against mcm_i32), linear_min_plus, linear_min, linear_max, "
           "linear_mod and "
           "linear_sparse.\n\nExamples:\n"
           "  pipedp bench gpu\n"
           "  pipedp bench gpu --works mcm_i32,mcm_f64 --sizes 16383 --reps 9 --json",
};

static int run_all(gpu_arguments *arguments, json *writer) {
    const char *list = arguments->works;
    char item[BENCH_NAME_SIZE];
    int code = !list || strstr(list, "first_use") ? measure_first_use(arguments, writer) : EXIT_DONE;
    if (code != EXIT_DONE) {
        return code;
    }
    pdp_status status = pdp_device_open(&arguments->device, arguments->backend);
    if (status != PDP_OK) {
        return cli_fail(cli_exit_code(status), "%s", pdp_device_error(arguments->device));
    }
    if (writer) {
        json_put_string(writer, "device", pdp_device_name(arguments->device));
        json_put_string(writer, "driver", pdp_device_driver(arguments->device));
        json_open_array(writer, "works");
    } else {
        printf("on %s, %s\n\n", pdp_device_name(arguments->device), pdp_device_driver(arguments->device));
    }
    for (size_t w = 0; !list && w < WORKS && code == EXIT_DONE; w++) {
        code = run_work(arguments, &works[w], writer);
    }
    while (list && code == EXIT_DONE && bench_next_item(&list, item, sizeof item)) {
        const work *w = find_work(item);
        if (w) {
            code = run_work(arguments, w, writer);
        } else if (strcmp(item, "first_use") != 0) {
            code = cli_fail(EXIT_BAD_USE, "'%s' is none of the works: see pipedp bench gpu --help", item);
        }
    }
    if (writer) {
        json_close_array(writer);
    }
    return code;
}

int bench_gpu(int argc, char **argv) {
    gpu_arguments arguments = {.backend = "cuda", .rounds = 5, .seed = 1, .compile = 2};
    json writer;
    cli_parse(&argp, argc, argv, &arguments);
    if (arguments.json) {
        json_begin(&writer, stdout);
        json_open_object(&writer, NULL);
        json_put_string(&writer, "command", "bench gpu");
        json_put_string(&writer, "version", pdp_version());
        json_put_string(&writer, "backend", arguments.backend);
        json_put_unsigned(&writer, "rounds", arguments.rounds);
    }
    int code = run_all(&arguments, arguments.json ? &writer : NULL);
    if (arguments.json) {
        json_close_object(&writer);
        json_end(&writer);
    }
    pdp_device_free(arguments.device);
    return code;
}
