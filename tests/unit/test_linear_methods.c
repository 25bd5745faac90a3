/* The methods for linear recurrences that do not look at every term, `settle` and `runs`, against the plain loop: the
 * whole table, the value, the decisions, what is infeasible and what overflows; what they refuse, and why. */
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/runs.h"
#include "cpu/settle.h"
#include "plan/plan.h"

enum { MOST_CELLS = 40000, MOST_OFFSETS = 4000 };

/* A problem of the form that the methods are for, with the text of its recurrence. */
typedef struct instance {
    char text[640];
    const char *op;
    size_t n;
    size_t presets;
    size_t k;
    bool is_real;
    bool has_source;
    bool has_weights; /* w[j] */
    int64_t c;
    int64_t offsets[MOST_OFFSETS];
    int64_t weights[MOST_OFFSETS];
    int64_t init[MOST_CELLS];
    int64_t source[MOST_CELLS];
    double real_init[MOST_CELLS];
    double real_source[MOST_CELLS];
} instance;

static instance one;

static void print_instance(void) {
    print_error("%s", one.text);
    print_error("  n %zu, presets %zu, c %" PRId64 "; offsets", one.n, one.presets, one.c);
    for (size_t j = 0; j < one.k && j < 100; j++) {
        print_error(" %" PRId64, one.offsets[j]);
    }
    print_error("\n");
}

#define CHECK_ONE(condition, ...)                                                                                      \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_instance();                                                                                          \
            CHECK(condition, __VA_ARGS__);                                                                             \
        }                                                                                                              \
    } while (0)

static void set_numbers(pdp_problem *problem, const char *name, const int64_t *whole, const double *real,
                        size_t count) {
    const pdp_status status = one.is_real ? pdp_problem_set_real(problem, name, real, count, 0)
                                          : pdp_problem_set_whole(problem, name, whole, count, 0);
    CHECK_ONE(status == PDP_OK, "%s", pdp_problem_error(problem));
}

static pdp_problem *make_problem(void) {
    pdp_recurrence *recurrence;
    pdp_problem *problem;
    const int64_t n = (int64_t)one.n;
    pdp_status status = pdp_recurrence_parse(&recurrence, one.text, strlen(one.text));
    CHECK_ONE(status == PDP_OK, "%s", pdp_recurrence_error(recurrence));
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    assert_int_equal(pdp_problem_set_whole(problem, "n", &n, 1, 0), PDP_OK);
    assert_int_equal(pdp_problem_set_whole(problem, "a", one.offsets, one.k, 0), PDP_OK);
    set_numbers(problem, "init", one.init, one.real_init, one.presets);
    if (one.has_source) {
        set_numbers(problem, "x", one.source, one.real_source, one.n);
    }
    if (one.has_weights) {
        assert_int_equal(pdp_problem_set_whole(problem, "w", one.weights, one.k, 0), PDP_OK);
    }
    if (strstr(one.text, "param c")) {
        assert_int_equal(pdp_problem_set_whole(problem, "c", &one.c, 1, 0), PDP_OK);
    }
    status = pdp_problem_check(problem);
    CHECK_ONE(status == PDP_OK, "%s", pdp_problem_error(problem));
    pdp_recurrence_free(recurrence);
    return problem;
}

/* ---- The comparison ---- */

static void compare_rows(const pdp_solution *expected, const pdp_solution *found, const char *method) {
    static int64_t cells[2][MOST_CELLS];
    static double reals[2][MOST_CELLS];
    const size_t n = one.n;
    if (one.is_real) {
        assert_int_equal(pdp_solution_real_row(expected, 0, reals[0], n), PDP_OK);
        assert_int_equal(pdp_solution_real_row(found, 0, reals[1], n), PDP_OK);
    } else {
        assert_int_equal(pdp_solution_row(expected, 0, cells[0], n), PDP_OK);
        assert_int_equal(pdp_solution_row(found, 0, cells[1], n), PDP_OK);
    }
    for (size_t i = 0; i < n; i++) {
        const bool differs =
            one.is_real ? reals[0][i] < reals[1][i] || reals[0][i] > reals[1][i] : cells[0][i] != cells[1][i];
        CHECK_ONE(!differs, "%s, cell %zu: %" PRId64 " instead of %" PRId64 ", or %g instead of %g", method, i,
                  cells[1][i], cells[0][i], reals[1][i], reals[0][i]);
    }
}

static void compare(const pdp_solution *expected, const pdp_solution *found, const char *method) {
    size_t count, other;
    const pdp_decision *decisions = pdp_solution_decisions(expected, &count);
    const pdp_decision *others = pdp_solution_decisions(found, &other);
    compare_rows(expected, found, method);
    CHECK_ONE(pdp_solution_value(expected) == pdp_solution_value(found) &&
                  pdp_solution_feasible(expected) == pdp_solution_feasible(found),
              "%s: another value", method);
    CHECK_ONE(count == other, "%s: %zu decisions instead of %zu", method, other, count);
    for (size_t d = 0; d < count; d++) {
        CHECK_ONE(decisions[d].i == others[d].i && decisions[d].k == others[d].k && decisions[d].j == others[d].j,
                  "%s: another decision %zu", method, d);
    }
}

/* The method gives all that the plain loop gives, and fails as it does. */
static void check_method(const pdp_problem *problem, const pdp_solution *expected, pdp_status status,
                         const char *method, const char *type) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan;
    pdp_solution *found;
    options.algorithm = method;
    options.type = type;
    pdp_status made = pdp_plan_create(&plan, problem, &options);
    CHECK_ONE(made == PDP_OK, "%s", pdp_plan_error(plan));
    assert_string_equal(pdp_plan_algorithm(plan), method);
    const pdp_status own = pdp_plan_run(plan, &found);
    CHECK_ONE(own == status, "%s: status %d instead of %d: %s", method, (int)own, (int)status,
              pdp_solution_error(found));
    if (status == PDP_OK) {
        compare(expected, found, method);
    } else {
        assert_string_equal(pdp_solution_error(found), pdp_solution_error(expected));
    }
    pdp_solution_free(found);
    pdp_plan_free(plan);
}

static bool is_ordered(void) {
    return strcmp(one.op, "min") == 0 || strcmp(one.op, "max") == 0;
}

static void check_instance(bool by_settle, bool by_runs, const char *type) {
    pdp_problem *problem = make_problem();
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan;
    pdp_solution *expected;
    options.algorithm = "sequential";
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    const pdp_status status = pdp_plan_run(plan, &expected);
    if (by_settle) {
        check_method(problem, expected, status, "settle", type);
    }
    if (by_runs) {
        check_method(problem, expected, status, "runs", type);
    }
    pdp_solution_free(expected);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
}

/* ---- Random instances ---- */

static size_t draw_between(uint64_t *random, size_t low, size_t high) {
    return (size_t)pdp_random_between(random, (int64_t)low, (int64_t)high);
}

static size_t draw_size(uint64_t *random) {
    static const size_t nasty[] = {1, 2, 3, 5, 63, 64, 65, 127, 128, 129, 191, 192, 193, 257, 509, 512, 521};
    switch (draw_between(random, 0, 2)) {
    case 0: return nasty[draw_between(random, 0, sizeof nasty / sizeof *nasty - 1)];
    case 1: return draw_between(random, 1, 40);
    default: return draw_between(random, 100, 700);
    }
}

/* Offsets up to `most`: some, half of them, all, runs, near ones, far ones. */
static void draw_offsets(uint64_t *random, size_t most) {
    const size_t kind = draw_between(random, 0, 6);
    size_t left = 0; /* of a run or gap */
    bool is_in = kind == 3 && draw_between(random, 0, 1) == 0;
    one.k = 0;
    for (size_t a = 1; a <= most && one.k < MOST_OFFSETS - 3; a++) {
        if (kind == 3 && left-- == 0) {
            is_in = !is_in;
            left = draw_between(random, 0, most / 4);
        }
        const bool is_drawn = kind == 0   ? draw_between(random, 0, 9) == 0
                              : kind == 1 ? draw_between(random, 0, 1) == 0
                              : kind == 2 ? true
                              : kind == 3 ? is_in
                              : kind == 4 ? a < 4 || a + 2 > most
                              : kind == 5 ? a % 7 == 3 /* some cells are never reached */
                                          : a > most / 2 && draw_between(random, 0, 2) > 0;
        if (is_drawn) {
            one.offsets[one.k++] = (int64_t)a;
        }
    }
    if (one.k == 0 || draw_between(random, 0, 5) == 0) {
        one.offsets[one.k++] = (int64_t)most;
    }
    for (size_t j = one.k; j-- > 1;) { /* in any order, and sometimes twice */
        const size_t other = draw_between(random, 0, j);
        const int64_t kept = one.offsets[j];
        one.offsets[j] = one.offsets[other];
        one.offsets[other] = kept;
    }
    if (draw_between(random, 0, 3) == 0) {
        one.offsets[one.k++] = one.offsets[0];
    }
}

static void draw_values(uint64_t *random) {
    static const int64_t sizes[] = {0, 1, 3, 1000, 1000000, (int64_t)1 << 40};
    const int64_t size = sizes[draw_between(random, 0, 5)];
    const int64_t low = draw_between(random, 0, 1) == 0 ? 0 : -size;
    for (size_t i = 0; i < one.n; i++) {
        one.init[i] = pdp_random_between(random, low, size);
        one.source[i] = pdp_random_between(random, low, size);
        one.real_init[i] = (double)one.init[i] / 7;
        one.real_source[i] = (double)one.source[i] / 7;
    }
}

/* Writes the recurrence: `term` behind "s", `preset` of init. */
static void write_text(const char *type, bool skips, const char *term, const char *preset) {
    snprintf(one.text, sizeof one.text,
             "linear t\n%s%s  param n >= 1\n%s%s%s  input a[k] >= 1\n  input init[m]\n  size n\n  preset m : %s\n%s"
             "  offset a[j]\n%s  term %s\n  combine %s\n",
             type[0] ? "  type " : "", type, strstr(term, "c") ? "  param c\n" : "",
             one.has_source ? "  input x[n]\n" : "", one.has_weights ? "  input w[k]\n" : "", preset,
             skips ? "  missing skip\n" : "", one.has_source ? "  source x[i]\n" : "", term, one.op);
}

/* Everything the methods take: types, operators, sources, skipped terms, one weight. */
static void draw_instance(uint64_t *random, size_t n, bool *by_settle, bool *by_runs) {
    static const char *const types[] = {"", "", "", "i64\n", "i32\n", "f32\n", "f64\n", "bits\n"};
    static const char *const ops[] = {"min", "max", "min", "max", "and", "or", "gcd"};
    static const char *const terms[] = {"s + c",
                                        "c + s",
                                        "s - (0 - c)",
                                        "s + w[j]",
                                        "s + 2*w[j] - w[j]",
                                        "1*s + 0*i\n  finish best + c",
                                        "s + c - 1\n  finish 1 + best"};
    const char *type = types[draw_between(random, 0, 7)];
    one.is_real = type[0] == 'f';
    one.op = ops[draw_between(random, 0, one.is_real ? 3 : type[0] == 'b' ? 5 : 6)];
    one.n = n;
    one.presets = draw_between(random, 0, n);
    one.has_source = draw_between(random, 0, 2) == 0;
    const bool skips = one.presets == 0 || draw_between(random, 0, 1) == 0;
    draw_offsets(random, skips ? draw_between(random, 1, n + 5) : one.presets);
    draw_values(random);
    if (strcmp(one.op, "gcd") == 0 && one.k == 1) {
        one.offsets[one.k++] = one.offsets[0]; /* alone it is not combined at all */
    }
    const bool has_weight = is_ordered() && !one.is_real && type[0] != 'b' && draw_between(random, 0, 2) == 0;
    const char *term = has_weight ? terms[draw_between(random, 0, one.has_source ? 4 : 6)] : "s";
    one.has_weights = strstr(term, "w") != NULL;
    one.c = pdp_random_between(random, 0, 3) * (strcmp(one.op, "min") == 0 ? 1 : -1);
    for (size_t j = 0; j < one.k; j++) {
        one.weights[j] = one.c;
    }
    write_text(type, skips, term, draw_between(random, 0, 2) == 0 ? "init[m-1-i]" : "init[i]");
    *by_settle = is_ordered();
    *by_runs = !(has_weight && one.c != 0 && one.has_source);
}

/* Levels of this machine, one after the other. */
static void use_level(size_t number) {
    static const char *const levels[] = {"", "generic", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
    const char *own = pdp_cpu_level();
    const char *level = levels[number % 5];
    const bool has_it = strncmp(own, "x86-64", 6) == 0 ? strcmp(level, own) <= 0 || level[0] == 'g' : number % 5 < 1;
    setenv("PIPEDP_LEVEL", has_it ? level : "", 1);
}

static void test_random(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    for (size_t round = 0; round < campaign(4000, 100000); round++) {
        bool by_settle, by_runs;
        draw_instance(&random, draw_size(&random), &by_settle, &by_runs);
        use_level(round);
        check_instance(by_settle, by_runs, NULL);
    }
    setenv("PIPEDP_LEVEL", "", 1);
}

/* Sizes beyond a block of `runs`, so that windows are moved and blocks cut. */
static void test_large(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    static const size_t sizes[] = {8193, 16383, 16384, 16385, 24570, 33333, 40000};
    for (size_t round = 0; round < campaign(21, 210); round++) {
        one = (instance){.op = round % 3 == 0 ? "max" : round % 3 == 1 ? "min" : "or"};
        one.n = sizes[round % 7];
        one.presets = round % 5 == 0 ? one.n / 2 : draw_between(&random, 1, 3000);
        for (size_t a = 1, run = 0; a <= one.presets && one.k < 40; a++) { /* a few runs, short and long */
            run = run > 0                                           ? run - 1
                  : draw_between(&random, 0, one.presets / 20) == 0 ? draw_between(&random, 1, 30)
                                                                    : 0;
            if (run > 0 || a == one.presets) {
                one.offsets[one.k++] = (int64_t)a;
            }
        }
        for (size_t i = 0; i < one.n; i++) {
            one.init[i] = pdp_random_between(&random, 0, round % 2 == 0 ? 5000000000 : 5000);
        }
        write_text("", round % 2 == 0, "s", "init[i]");
        check_instance(is_ordered(), true, NULL);
    }
}

/* All offsets from 1 on: the longest chains, and one window over all levels. */
static void test_consecutive(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    static const size_t counts[] = {1, 2, 3, 63, 64, 65, 255, 256, 1000};
    for (size_t x = 0; x < sizeof counts / sizeof *counts; x++) {
        for (int form = 0; form < 4; form++) {
            one = (instance){.op = form % 2 == 0 ? "min" : "max", .k = counts[x], .n = 3000};
            one.presets = form < 2 ? one.k : 1;
            one.c = form % 2 == 0 ? 1 : -1;
            for (size_t j = 0; j < one.k; j++) {
                one.offsets[j] = (int64_t)(j + 1);
            }
            draw_values(&random);
            write_text("", form >= 2, form >= 2 ? "s + c" : "s", "init[i]");
            check_instance(true, true, NULL);
        }
    }
}

/* Several million cells: three tiers of groups, windows of 2^14 cells. One of the two against the other, and against
 * the recurrence itself where offsets are few. */
static void test_size(void **unused) {
    (void)unused;
    enum { CELLS = 2300000, PRESETS = 40000 };
    pdp_level level;
    uint64_t random = test_seed();
    int64_t *keys[2] = {malloc(CELLS * sizeof(int64_t)), malloc(CELLS * sizeof(int64_t))};
    size_t *offsets = malloc(PRESETS * sizeof *offsets);
    pdp_error error = {0};
    assert_true(keys[0] && keys[1] && offsets);
    assert_int_equal(pdp_level_find(&level, &error), PDP_OK);
    for (int form = 0; form < 4; form++) {
        size_t count = 0;
        for (size_t a = 1; a <= PRESETS; a++) {
            const bool is_in = form < 2 ? a % 17000 == 900 : (a > 100 && a < 20000) || (a > 21000 && a % 90 < 60);
            offsets[count] = a;
            count += is_in ? 1 : 0;
        }
        for (size_t i = 0; i < CELLS; i++) {
            keys[0][i] = i < PRESETS ? pdp_random_between(&random, 0, 1000000) : INT64_MAX;
            keys[1][i] = keys[0][i];
        }
        const int64_t weight = form % 2;
        const pdp_settle_job settle = {CELLS, PRESETS, offsets, count, false, weight};
        const pdp_runs_job runs = {CELLS,  PRESETS, offsets,  count, pdp_runs_kernel_find(PDP_OP_MIN, 8, level),
                                   weight, false,   INT64_MAX};
        assert_int_equal(pdp_settle_solve(&settle, keys[0], (pdp_progress){0}, &error), PDP_OK);
        assert_int_equal(pdp_runs_solve(&runs, keys[1], (pdp_progress){0}, &error), PDP_OK);
        assert_memory_equal(keys[0], keys[1], CELLS * sizeof(int64_t));
        for (size_t i = PRESETS; i < CELLS && form < 2; i++) {
            int64_t best = INT64_MAX;
            for (size_t j = 0; j < count; j++) {
                const int64_t key = keys[0][i - offsets[j]] + weight;
                best = key < best ? key : best;
            }
            CHECK(best == keys[0][i], "cell %zu", i);
        }
    }
    free(keys[0]);
    free(keys[1]);
    free(offsets);
}

/* ---- Edges ---- */

/* The ends of int64, where a table has no room for infinity; types that were asked for; a type that is too small. */
static void test_type_edges(void **unused) {
    (void)unused;
    static const int64_t edges[] = {INT64_MIN,     INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, INT64_MAX / 2,
                                    INT64_MAX / 4, INT64_MIN / 2, 0,         INT32_MAX,     INT32_MIN};
    enum { COUNT = sizeof edges / sizeof *edges };
    static const char *const ops[] = {"min", "max", "and", "or"};
    for (int form = 0; form < 4 * 2 * COUNT; form++) {
        const bool skips = form / 4 % 2 == 1;
        one = (instance){.op = ops[form % 4], .n = 130, .presets = COUNT, .k = 2, .offsets = {3, COUNT}};
        for (size_t i = 0; i < COUNT; i++) {
            one.init[i] = edges[(i + (size_t)form / 8) % COUNT];
        }
        if (skips) { /* the ends stand for what is infeasible */
            for (size_t i = 0; i < COUNT; i++) {
                one.init[i] = one.init[i] == INT64_MIN ? 7 : one.init[i] == INT64_MAX ? -7 : one.init[i];
            }
            one.offsets[0] = 20;
            one.offsets[1] = 41;
        }
        write_text("", skips, "s", "init[i]");
        check_instance(is_ordered(), true, NULL);
        check_instance(is_ordered(), true, "i64");
        write_text("i32\n", skips, "s", "init[i]"); /* overflows, at the same cell */
        check_instance(is_ordered(), true, NULL);
    }
}

static void test_asked_types(void **unused) {
    (void)unused;
    static const char *const types[] = {"i32", "i64", "f32", "f64"};
    uint64_t random = test_seed();
    for (int round = 0; round < 40; round++) {
        one = (instance){.op = round % 2 == 0 ? "min" : "max", .n = 200, .presets = 20};
        draw_offsets(&random, 60);
        for (size_t i = 0; i < one.n; i++) {
            one.init[i] = pdp_random_between(&random, -1000, 1000);
        }
        write_text("", true, round % 4 < 2 ? "s" : round % 2 == 0 ? "s + 1" : "s - 1", "init[i]");
        check_instance(true, true, types[round / 4 % 4]);
    }
}

/* Floats with infinities among them; presets that are no numbers fail as in the plain loop. */
static void test_real_edges(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    static const double odd[] = {1e38, -1e38, 1e308, -1e308, 1e-310, -1e-310, 0.1, -0.1};
    for (int round = 0; round < 100; round++) {
        one = (instance){.op = round % 2 == 0 ? "min" : "max", .n = 300, .presets = 40, .is_real = true};
        draw_offsets(&random, 40);
        for (size_t i = 0; i < one.n; i++) {
            one.real_init[i] = odd[draw_between(&random, round / 2 % 2 == 0 ? 4 : 0, 7)];
            one.real_init[i] = round / 2 % 2 == 0 && i % 5 == 0 ? odd[i % 2] : one.real_init[i];
        }
        write_text(round / 2 % 2 == 0 ? "f32\n" : "f64\n", round % 5 == 0, "s",
                   round % 7 == 0   ? "init[i]*10 + init[m-1-i]*10" /* inf - inf */
                   : round % 3 == 0 ? "init[i]*10"
                                    : "init[i]");
        check_instance(true, true, NULL);
    }
}

/* ---- What is refused ---- */

static void check_refused(const char *method, const char *type, const char *reason) {
    pdp_problem *problem = make_problem();
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan;
    options.algorithm = method;
    options.type = type;
    const pdp_status status = pdp_plan_create(&plan, problem, &options);
    CHECK_ONE(status == PDP_BAD_INPUT && strstr(pdp_plan_error(plan), reason), "%s: status %d, '%s', not '%s'", method,
              (int)status, pdp_plan_error(plan), reason);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
}

static void test_refusals(void **unused) {
    (void)unused;
    static const char terms[] = "its terms are not plain cells, or whole numbers with one weight for all offsets";
    static const char source[] = "it takes a weight under min and max alone, and not beside a source";
    static const struct {
        const char *type, *op, *term;
        int64_t c;
        bool has_source;
        const char *by_settle, *by_runs; /* NULL: taken */
    } cases[] = {
        {"", "min", "s", 0, false, NULL, NULL},
        {"", "min", "s + c", 2, false, NULL, NULL},
        {"", "min", "s + c", 0, true, NULL, NULL},
        {"", "min", "s + c", 2, true, NULL, source},
        {"", "min", "s + c", -2, false, "its weight makes a value better with every step", NULL},
        {"", "max", "s + c", 2, false, "its weight makes a value better with every step", NULL},
        {"", "or", "s + c", 1, false, "its operator is neither min nor max", source},
        {"", "or", "s + c", 0, false, "its operator is neither min nor max", NULL},
        {"", "or", "s - c\n  finish best + c", 2, false, "its operator is neither min nor max", source},
        {"", "gcd", "s - c\n  finish best + c", 2, false, "its operator is neither min nor max", source},
        {"", "min", "s - c\n  finish best + c", 2, false, NULL, NULL},
        {"", "add", "s", 0, false, "its operator is neither min nor max", "its operator is none of min, max, and, or"},
        {"", "xor", "s", 0, false, "its operator is neither min nor max", "its operator is none of min, max, and, or"},
        {"bits\n", "gcd", "s", 0, false, "its operator is neither min nor max", "it finds the gcd of whole numbers"},
        {"", "min", "s + w[j]", 0, false, terms, terms}, /* which differ */
        {"", "min", "s + i", 0, false, terms, terms},
        {"", "min", "s + s", 0, false, terms, terms},
        {"", "min", "2*s", 0, false, terms, terms},
        {"", "min", "0 - s", 0, false, terms, terms},
        {"", "min", "c - s", 0, false, terms, terms},
        {"", "min", "max(s, 3)", 0, false, terms, terms},
        {"", "min", "s\n  finish best + 1", 0, false, NULL, NULL},
        {"", "min", "s\n  finish best + 1", 0, true, terms, terms},
        {"", "min", "s\n  finish best + i", 0, false, terms, terms},
        {"", "min", "s\n  finish 2*best", 0, false, terms, terms},
        {"f64\n", "min", "s + 1", 0, false, terms, terms},
        {"bits\n", "min", "s + 1", 0, false, terms, terms},
    };
    for (size_t x = 0; x < sizeof cases / sizeof *cases; x++) {
        one = (instance){.op = cases[x].op,
                         .n = 30,
                         .presets = 3,
                         .k = 2,
                         .c = cases[x].c,
                         .offsets = {3, 1},
                         .weights = {1, 2},
                         .init = {5, 3, 9},
                         .has_source = cases[x].has_source,
                         .is_real = cases[x].type[0] == 'f',
                         .has_weights = strstr(cases[x].term, "w[j]") != NULL};
        write_text(cases[x].type, false, cases[x].term, "init[i]");
        check_instance(!cases[x].by_settle, !cases[x].by_runs, NULL);
        if (cases[x].by_settle) {
            check_refused("settle", NULL, cases[x].by_settle);
        }
        if (cases[x].by_runs) {
            check_refused("runs", NULL, cases[x].by_runs);
        }
    }
}

/* What is not proven to fit, and types that do not hold the values. */
static void test_refused_values(void **unused) {
    (void)unused;
    static const char unproven[] = "its values are not proven to fit into int64";
    one = (instance){.op = "min", .n = 30, .presets = 2, .k = 1, .c = 1, .offsets = {2}, .init = {INT64_MAX, 5}};
    write_text("", false, "s + c", "init[i]");
    check_refused("settle", NULL, unproven);
    check_refused("runs", NULL, unproven);
    write_text("", true, "s", "init[i]"); /* the largest number would be no number */
    check_refused("settle", NULL, unproven);
    check_refused("runs", NULL, unproven);
    write_text("", false, "s", "init[i]*init[i]");
    check_refused("settle", NULL, unproven);
    write_text("", false, "s", "init[i]");
    check_refused("settle", "i32", "type i32 holds numbers up to 2.14748e+09");
    check_refused("runs", "f64", "type f64 holds numbers up to");
    one.op = "gcd";
    one.init[0] = INT64_MIN;
    one.offsets[1] = 1;
    one.k = 2;
    write_text("", false, "s", "init[i]");
    check_refused("runs", NULL, unproven);
}

/* ---- Runs that are watched ---- */

static void test_progress(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    static const char *const methods[] = {"settle", "runs"};
    one = (instance){.op = "max", .n = 40000, .presets = 2, .k = 0};
    for (int64_t a = 1; a < 3000; a += 127) { /* every cell from the one before it: nothing is settled early */
        one.offsets[one.k++] = a;
    }
    draw_values(&random);
    one.c = -1;
    write_text("", true, "s + c", "init[i]");
    pdp_problem *problem = make_problem();
    for (int m = 0; m < 2; m++) {
        listener all = {.is_monotone = true};
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.on_progress = hear;
        options.context = &all;
        options.decisions = 0;
        pdp_solution_free(solve(problem, methods[m], &options));
        CHECK_ONE(all.calls > 2 && all.is_monotone, "%s: %zu calls, last %g", methods[m], all.calls, all.last);
        listener stopped = {.stop_at = 2, .is_monotone = true};
        pdp_plan *plan;
        pdp_solution *solution;
        options.algorithm = methods[m];
        options.context = &stopped;
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
        assert_int_equal(pdp_plan_run(plan, &solution), PDP_CANCELLED);
        assert_int_equal(stopped.calls, 2);
        pdp_solution_free(solution);
        pdp_plan_free(plan);
    }
    pdp_problem_free(problem);
}

/* Problems of many sizes in one plan, of a type that is fit for all; one of them that is refused is named. */
static void test_batch(void **unused) {
    (void)unused;
    enum { COUNT = 6 };
    static const char *const methods[] = {"settle", "runs"};
    static const size_t sizes[COUNT] = {300, 1, 65, 20000, 64, 2};
    uint64_t random = test_seed();
    pdp_problem *problems[COUNT];
    for (size_t x = 0; x < COUNT; x++) {
        one = (instance){.op = "max", .n = sizes[x], .presets = (sizes[x] + 2) / 3};
        draw_offsets(&random, sizes[x] < 500 ? sizes[x] : 500);
        for (size_t i = 0; i < one.n; i++) { /* only the largest has large values */
            one.init[i] = pdp_random_between(&random, -9, x == 3 ? INT64_MAX / 2 : 9);
        }
        write_text("", true, "s", "init[i]");
        problems[x] = make_problem();
    }
    for (int m = 0; m < 2; m++) {
        pdp_options options = PDP_OPTIONS_DEFAULT;
        pdp_solution *found[COUNT];
        pdp_plan *plan;
        options.algorithm = methods[m];
        options.threads = 2;
        assert_int_equal(pdp_plan_batch(&plan, problems, COUNT, &options), PDP_OK);
        assert_int_equal(pdp_plan_run_batch(plan, found), PDP_OK);
        for (size_t x = 0; x < COUNT; x++) {
            pdp_solution *alone = solve(problems[x], "sequential", NULL);
            one.n = sizes[x];
            compare(alone, found[x], methods[m]);
            pdp_solution_free(alone);
            pdp_solution_free(found[x]);
        }
        pdp_plan_free(plan);
    }
    for (size_t x = 0; x < COUNT; x++) {
        pdp_problem_free(problems[x]);
    }
}

/* ---- What they take ---- */

/* Without near terms, without any, without cells to compute, and before there is a kernel. */
static void test_odd_runs(void) {
    static const size_t offsets[] = {20000, 10001, 10000, 70};
    for (size_t preset_count = 0; preset_count <= 30000; preset_count += 10000) {
        for (size_t first = 0; first <= 4; first++) {
            for (int has_kernel = 0; has_kernel < 2; has_kernel++) {
                const pdp_runs_job job = {.kernel = has_kernel ? pdp_runs_kernel_find(PDP_OP_MIN, 8, PDP_LEVEL_GENERIC)
                                                               : NULL,
                                          .cells = 30000,
                                          .preset_count = preset_count,
                                          .offsets = offsets + first,
                                          .offset_count = 4 - first};
                const double all = pdp_runs_operations(&job), open = (double)(30000 - preset_count);
                CHECK(pdp_runs_near(&job) == 0 && all >= open && isfinite(all), "%zu, %zu: %g", preset_count, first,
                      all);
            }
        }
    }
}

/* Runs: windows counted by hand, all of them near. Settle: for dense offsets far below the terms, and never far above
 * the plain loop. */
static void test_operations(void **unused) {
    (void)unused;
    static const size_t offsets[] = {9, 10, 11, 12, 3, 20, 21, 22, 22, 500}; /* 3 | 9-12 | 20-22 */
    pdp_runs_job runs = {.cells = 100, .preset_count = 22, .offsets = offsets, .offset_count = 10};
    runs.kernel = pdp_runs_kernel_find(PDP_OP_MIN, 4, PDP_LEVEL_GENERIC);
    assert_non_null(runs.kernel);
    const double near = (14 * (4 + 2) + 12) * 78;
    assert_true(pdp_runs_near(&runs) == near);
    assert_true(pdp_runs_operations(&runs) == near + 19 * 78 + 5 * 3 * 100);
    runs.kernel = pdp_runs_kernel_find(PDP_OP_GCD, 4, PDP_LEVEL_GENERIC); /* all of it is near */
    assert_true(pdp_runs_near(&runs) == (22 * (4 + 2) + 14) * 78 + 21 * 3 * 100);
    assert_true(pdp_runs_operations(&runs) == pdp_runs_near(&runs));
    test_odd_runs();
    static size_t many[1 << 15];
    pdp_settle_job settle = {.cells = (size_t)1 << 19, .preset_count = (size_t)1 << 18, .offsets = many};
    for (size_t j = 0; j < sizeof many / sizeof *many; j++) {
        many[j] = 8 * (j + 1) - j % 3;
    }
    double last = INFINITY;
    for (size_t k = 1 << 9; k <= 1 << 15; k *= 2) { /* the denser, the fewer steps */
        settle.offset_count = k;
        settle.offsets = many + (sizeof many / sizeof *many - k);
        const double own = pdp_settle_operations(&settle);
        CHECK(own > 0 && own <= 3 * (double)(settle.cells - settle.preset_count) * (double)k, "%g", own);
        last = own < last ? own : last;
    }
    CHECK(last < 1e8, "%g", last);
    for (size_t j = 0; j < sizeof many / sizeof *many; j++) { /* groups stay open while one remainder settles */
        many[j] = 8 * (j + 1);
    }
    CHECK(pdp_settle_operations(&settle) > 3 * last, "%g", last);
    double both[2];
    for (size_t falls = 0; falls < 2; falls++) { /* runs of eight are such in either order */
        for (size_t j = 0; j < sizeof many / sizeof *many; j++) {
            const size_t x = falls ? sizeof many / sizeof *many - 1 - j : j;
            many[j] = x / 8 * 64 + x % 8 + 1;
        }
        both[falls] = pdp_settle_operations(&settle);
    }
    CHECK(both[0] == both[1], "%g, %g", both[0], both[1]);
}

/* What a choice between methods is told is what the methods themselves say; the keys of settle have to become cells,
 * which takes a step each. */
static void test_told_operations(void **unused) {
    (void)unused;
    one = (instance){.op = "min", .n = 1000, .presets = 22, .k = 4, .offsets = {22, 20, 3, 21}, .init = {1}};
    static const size_t offsets[] = {22, 20, 3, 21};
    write_text("", false, "s", "init[i]");
    pdp_problem *problem = make_problem();
    const pdp_settle_job settle = {1000, 22, offsets, 4, false, 0};
    const pdp_runs_job runs = {.cells = 1000, .preset_count = 22, .offsets = offsets, .offset_count = 4};
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan;
    options.algorithm = "runs"; /* of 4 bytes, whether or not there is a kernel of the engine */
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    assert_true(pdp_method_settle.operations(plan, problem) == pdp_settle_operations(&settle) + 1000);
    assert_true(pdp_method_runs.operations(plan, problem) == pdp_runs_operations(&runs));
    pdp_plan_free(plan);
    pdp_problem_free(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),          cmocka_unit_test(test_large),
        cmocka_unit_test(test_consecutive),     cmocka_unit_test(test_size),
        cmocka_unit_test(test_type_edges),      cmocka_unit_test(test_asked_types),
        cmocka_unit_test(test_real_edges),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refused_values),  cmocka_unit_test(test_progress),
        cmocka_unit_test(test_batch),           cmocka_unit_test(test_operations),
        cmocka_unit_test(test_told_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
