/* Monotone splits: Knuth's method against the table, cell by cell, with splits and decisions; what it refuses, and that
 * its check finds every weight that breaks the conditions. */
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 161 }; /* points */

/* w(i,j) is an input. */
#define OWN(combine, more)                                                                                             \
    "interval own\n  input   c[n, n]\n  input   f[n]\n  size    n\n  leaf    f[i]\n  term    r + l\n"                  \
    "  finish  c[i,j] + best\n  combine " combine "\n" more

static pdp_recurrence *parse(const char *text) {
    pdp_recurrence *recurrence;
    const pdp_status status = pdp_recurrence_parse(&recurrence, text, strlen(text));
    CHECK(status == PDP_OK, "%s", pdp_recurrence_error(recurrence));
    return recurrence;
}

static pdp_problem *make_own(const char *text, const int64_t *weights, const int64_t *leaves, size_t points) {
    pdp_recurrence *recurrence = parse(text);
    pdp_problem *problem;
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    pdp_problem_set_whole(problem, "c", weights, points, points);
    pdp_problem_set_whole(problem, "f", leaves, points, 0);
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s", pdp_problem_error(problem));
    pdp_recurrence_free(recurrence);
    return problem;
}

/* `count` numbers of a built-in recurrence's two inputs, or of the only one. */
static pdp_problem *make_builtin(const char *name, const int64_t *p, const int64_t *q, size_t count) {
    pdp_recurrence *recurrence;
    pdp_problem *problem;
    assert_int_equal(pdp_recurrence_load(&recurrence, name), PDP_OK);
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    if (q) {
        pdp_problem_set_whole(problem, "p", p, count, 0);
        pdp_problem_set_whole(problem, "q", q, count + 1, 0);
    } else {
        pdp_problem_set_whole(problem, "w", p, count, 0);
    }
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s", pdp_problem_error(problem));
    pdp_recurrence_free(recurrence);
    return problem;
}

/* Tables, splits and decisions are the same. */
static void compare(const pdp_solution *one, const pdp_solution *other) {
    size_t rows = 0, columns = 0, count = 0, others = 0;
    const int64_t *table = pdp_solution_table(one, &rows, &columns);
    const pdp_decision *decisions = pdp_solution_decisions(one, &count);
    const pdp_decision *other_decisions = pdp_solution_decisions(other, &others);
    CHECK(pdp_solution_value(one) == pdp_solution_value(other), "values %" PRId64 " and %" PRId64,
          pdp_solution_value(one), pdp_solution_value(other));
    assert_memory_equal(table, pdp_solution_table(other, NULL, NULL), rows * columns * sizeof *table);
    assert_int_equal(count, others);
    for (size_t x = 0; x < count; x++) {
        CHECK(decisions[x].i == other_decisions[x].i && decisions[x].k == other_decisions[x].k &&
                  decisions[x].j == other_decisions[x].j,
              "decision %zu: (%zu, %zu) is split at %zu, not at %zu", x, decisions[x].i, decisions[x].j,
              other_decisions[x].k, decisions[x].k);
    }
    if (pdp_solution_splits(one) && pdp_solution_splits(other)) {
        assert_memory_equal(pdp_solution_splits(one), pdp_solution_splits(other), rows * columns * sizeof *table);
    }
}

/* Every way to run it gives what the plain loops give. The problem is freed here. */
static void check(pdp_problem *problem) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.splits = 1;
    pdp_solution *reference = solve(problem, "sequential", &options);
    for (int variant = 0; variant < 4; variant++) { /* kept splits or steps; a kernel or the interpreter */
        options.splits = variant % 2;
        options.compile = variant / 2;
        pdp_solution *solution = solve(problem, "knuth", &options);
        compare(reference, solution);
        pdp_solution_free(solution);
    }
    pdp_solution_free(reference);
    pdp_problem_free(problem);
}

static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 13, 30, 31, 32, 33, 34, 61, 62, 63, 64, 65, 66, 97, 128, MOST - 2};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Built-in recurrences, with many ties, with none, with cells of 32 bits and of 64. */
static void test_builtins(void **unused) {
    (void)unused;
    static const int64_t largest[] = {0, 1, 3, 1000, 4000000, (int64_t)1 << 45};
    uint64_t state = test_seed();
    int64_t p[MOST], q[MOST];
    for (size_t s = 0; s < SIZES; s++) {
        for (size_t l = 0; l < sizeof largest / sizeof *largest; l++) {
            for (size_t x = 0; x < MOST; x++) {
                p[x] = pdp_random_between(&state, 0, largest[l]);
                q[x] = pdp_random_between(&state, 0, largest[l]);
            }
            check(make_builtin("obst", p, q, sizes[s]));
            check(make_builtin("merge", p, NULL, sizes[s]));
        }
    }
}

/* Weights that keep to the conditions: w(i,j) adds up what the pairs i <= a < b <= j bring, all of it positive. Another
 * draw falls with distance, so that trees lean. `sign` is -1 for max. */
static void draw_weights(int64_t *weights, size_t points, uint64_t *state, int64_t largest, int64_t sign) {
    static int64_t sums[MOST + 1][MOST + 1];
    const bool leans = pdp_random_next(state) % 2 == 0;
    for (size_t i = points; i-- > 0;) {
        for (size_t j = 0; j < points; j++) {
            const int64_t pair = pdp_random_next(state) % 3 == 0 ? pdp_random_between(state, 0, largest) : 0;
            const int64_t own = j <= i ? 0 : leans && pdp_random_next(state) % 8 != 0 ? 0 : pair;
            sums[i][j] = own;
            if (j > i + 1) {
                sums[i][j] += sums[i][j - 1] + sums[i + 1][j] - (j > i + 2 ? sums[i + 1][j - 1] : 0);
            }
            weights[i * points + j] = sign * sums[i][j];
        }
    }
}

/* A recurrence of one's own, of which nothing but its form is known; leaves of any sign. */
static void test_own(void **unused) {
    (void)unused;
    static const char *const texts[] = {OWN("min", "  monotone\n"), OWN("max", "  monotone\n")};
    static int64_t weights[MOST * MOST], leaves[MOST];
    uint64_t state = test_seed() + 1;
    for (size_t s = 0; s < SIZES; s++) {
        for (int variant = 0; variant < 4; variant++) {
            const size_t points = sizes[s] + 1;
            const int64_t largest = (int64_t[]){1, 5, 1000, (int64_t)1 << 40}[variant];
            draw_weights(weights, points, &state, largest, variant % 2 == 0 ? 1 : -1);
            for (size_t x = 0; x < points; x++) {
                leaves[x] = pdp_random_between(&state, variant < 2 ? 0 : -largest, largest);
            }
            check(make_own(texts[variant % 2], weights, leaves, points));
        }
    }
    memset(weights, 0, sizeof weights); /* nothing but one large leaf */
    for (int64_t leaf = -((int64_t)1 << 40); leaf <= (int64_t)1 << 40; leaf += (int64_t)1 << 40) {
        for (size_t points = 2; points < 5; points++) {
            leaves[0] = leaf;
            leaves[1] = leaves[2] = leaves[3] = 0;
            check(make_own(texts[0], weights, leaves, points));
        }
    }
}

/* All conditions for all points, not for neighbours alone. */
static bool keeps_conditions(const int64_t *w, size_t points) {
#define W(i, j) w[(i)*points + (j)]
    for (size_t a = 0; a < points; a++) {
        for (size_t b = a; b < points; b++) {
            for (size_t c = b + 2; c < points; c++) {
                for (size_t d = c; d < points; d++) {
                    if (W(b, c) > W(a, d) || W(a, c) + W(b, d) > W(a, d) + W(b, c)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
#undef W
}

/* Good weights of which some are changed by little: refused if and only if a condition is broken, and then solved by
 * the table, with a note. */
static void test_check_is_complete(void **unused) {
    (void)unused;
    int64_t weights[144], leaves[12] = {0};
    uint64_t state = test_seed() + 2;
    size_t broken = 0;
    for (int round = 0; round < 2000; round++) {
        const size_t points = (size_t)pdp_random_between(&state, 3, 12);
        const int64_t sign = round % 2 == 0 ? 1 : -1;
        draw_weights(weights, points, &state, 3, 1);
        for (int64_t changes = pdp_random_between(&state, 0, 9); changes > 0; changes--) {
            weights[pdp_random_next(&state) % (points * points)] += pdp_random_between(&state, -1, 1);
        }
        const bool is_good = keeps_conditions(weights, points);
        for (size_t x = 0; x < points * points; x++) {
            weights[x] *= sign;
        }
        pdp_problem *problem =
            make_own(sign > 0 ? OWN("min", "  monotone\n") : OWN("max", "  monotone\n"), weights, leaves, points);
        pdp_options options = PDP_OPTIONS_DEFAULT;
        pdp_plan *plan;
        options.algorithm = "knuth";
        options.compile = 0;
        const pdp_status status = pdp_plan_create(&plan, problem, &options);
        CHECK(status == (is_good ? PDP_OK : PDP_BAD_INPUT), "round %d, %zu points, good %d: %s", round, points, is_good,
              pdp_plan_error(plan));
        pdp_plan_free(plan);
        broken += !is_good;
        if (round % 20 == 0) {
            pdp_solution *reference = solve(problem, "sequential", NULL), *solution = solve(problem, "auto", &options);
            compare(reference, solution);
            pdp_solution_free(reference);
            pdp_solution_free(solution);
        }
        pdp_problem_free(problem);
    }
    CHECK(broken > 300 && broken < 1700, "%zu of 2000 were broken", broken);
}

static void expect_refused(const pdp_problem *problem, const char *text) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan;
    options.algorithm = "knuth";
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_BAD_INPUT);
    assert_in(pdp_plan_error(plan), "method 'knuth' cannot solve this problem: ");
    assert_in(pdp_plan_error(plan), text);
    pdp_plan_free(plan);
}

/* Weights of (i,j) as of 1 for every pair but for one of 20 points. */
static pdp_problem *make_square(const char *text, size_t i, size_t j, int64_t change) {
    static int64_t weights[400], leaves[20];
    for (size_t x = 0; x < 400; x++) {
        const int64_t length = (int64_t)(x % 20) - (int64_t)(x / 20);
        weights[x] = length * length;
    }
    weights[i * 20 + j] += change;
    return make_own(text, weights, leaves, 20);
}

/* Which cell, and what is wrong with it. */
static void test_violations(void **unused) {
    (void)unused;
    static const struct {
        size_t i, j;
        int64_t change;
        const char *text;
    } cases[] = {
        {3, 9, 2, NULL}, /* an equality */
        {3, 9, 3, "its weights break the quadrangle inequality: w(3,9) + w(4,10) is 75, and w(3,10) + w(4,9) is 74"},
        {3, 9, -3, "its weights break the quadrangle inequality: w(3,8) + w(4,9) is 50, and w(3,9) + w(4,8) is 49"},
        {3, 9, 14, "a part weighs more than the whole: w(3,9) is 50, and w(3,10) is 49"},
        {0, 19, -40, "a part weighs more than the whole: w(0,18) is 324, and w(0,19) is 321"},
        {17, 19, 6, "a part weighs more than the whole: w(17,19) is 10, and w(16,19) is 9"},
        {17, 19, -6, NULL}, /* less than nothing, and still no more than the whole */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pdp_problem *problem = make_square(OWN("min", "  monotone\n"), cases[c].i, cases[c].j, cases[c].change);
        if (cases[c].text) {
            expect_refused(problem, cases[c].text);
        } else {
            check(problem);
            continue;
        }
        pdp_problem_free(problem);
    }
    pdp_problem *problem = make_square(OWN("max", "  monotone\n"), 0, 0, 0); /* under max all is turned round */
    expect_refused(problem, "a part weighs less than the whole: w(16,18) is 4, and w(16,19) is 9");
    pdp_problem_free(problem);
}

/* A file whose splits are not monotone, whatever it says: the check is what keeps the answer right. */
static void test_false_promise(void **unused) {
    (void)unused;
    int64_t weights[25] = {0}, leaves[5] = {0};
    weights[0 * 5 + 2] = 9; /* (0,2) is dear, and (1,3), (2,4) cost nothing */
    pdp_problem *problem = make_own(OWN("min", "  monotone\n"), weights, leaves, 5);
    expect_refused(problem, "a part weighs more than the whole: w(0,2) is 9, and w(0,3) is 0");
    pdp_solution *reference = solve(problem, "sequential", NULL), *solution = solve(problem, NULL, NULL);
    compare(reference, solution);
    pdp_solution_free(reference);
    pdp_solution_free(solution);
    pdp_problem_free(problem);
}

/* What is not of the method's form. */
static void test_refusals(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + r\n combine min\n",
         "its recurrence does not say monotone"},
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + r + w[k]\n combine min\n monotone\n",
         "it is for the least"},
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + sum(w, i, k-1) + r + sum(w, k, j)\n combine min\n "
         "monotone\n",
         "it is for the least"},
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + sum(w, 2, k) + r + sum(w, k, j)\n combine min\n "
         "monotone\n",
         "it is for the least"}, /* k may be 1 */
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + sum(w, i, k) - sum(w, k, j) + r\n combine min\n "
         "monotone\n",
         "it is for the least"},
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + 2*r\n combine min\n monotone\n", "it is for the least"},
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + r\n finish 2*best\n combine min\n monotone\n",
         "it is for the least"},
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + r\n finish w[i] - best\n combine min\n monotone\n",
         "it is for the least"},
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + r\n finish best + best\n combine min\n monotone\n",
         "it is for the least"},
        {"interval a\n input w[n]\n size n\n leaf 0\n empty 0\n term l + r\n option inside\n combine min\n monotone\n",
         "it is for the least"},
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + r\n combine add\n monotone\n", "it is for the least"},
        {"interval a\n type f64\n input w[n]\n size n\n leaf 0\n term l + r\n combine min\n monotone\n",
         "it is for whole numbers of 64 bits"},
        {"interval a\n type i32\n input w[n]\n size n\n leaf 0\n term l + r\n combine min\n monotone\n",
         "it is for whole numbers of 64 bits"},
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + r\n finish best + w[i]*4000000000000000000\n combine "
         "min\n"
         " monotone\n",
         "its values are not sure to fit into int64"},
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + r\n finish best + w[3*w[i]]\n combine min\n monotone\n",
         "index 6 of 'w' is outside 0 .. 5"},
        {"interval a\n input w[n]\n size n\n leaf 0\n term l + r\n finish best + 7/(j-i-2)\n combine min\n monotone\n",
         "division by zero at i = 3"},
    };
    const int64_t w[] = {3, 2, 1, 1, 1, 1};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pdp_recurrence *recurrence = parse(cases[c].text);
        pdp_problem *problem;
        assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
        pdp_problem_set_whole(problem, "w", w, 6, 0);
        expect_refused(problem, cases[c].reason);
        pdp_problem_free(problem);
        pdp_recurrence_free(recurrence);
    }
    int64_t ones[3] = {1, 1, 1};
    pdp_problem *problem = make_builtin("merge", ones, NULL, 3);
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan;
    options.algorithm = "knuth";
    options.type = "i32";
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_BAD_INPUT);
    assert_string_equal(pdp_plan_error(plan), "method 'knuth' computes with i64, not with i32");
    pdp_plan_free(plan);
    options.type = NULL;
    options.backend = "host";
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_BAD_INPUT);
    assert_in(pdp_plan_error(plan), "method 'knuth' does not run on backend 'host'");
    pdp_plan_free(plan);
    pdp_problem_free(problem);
}

/* Forms that are the same in other words. */
static void test_forms(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "interval a\n input w[n] >= 0\n size n+1\n leaf 0\n term r + sum(w, i, j) + l\n combine min\n monotone\n",
        "interval a\n input w[n] >= 0\n size n+1\n leaf 0\n term l + r\n finish (sum(w, i, j) + best) - 3\n combine "
        "min\n"
        " monotone\n",
        "interval a\n input w[n] >= 0\n size n+1\n leaf 0\n term l + r + j\n finish sum(w, i, j) + best - i\n combine "
        "min\n"
        " monotone\n",
        "interval a\n type i64\n input w[n] >= 0\n size n+1\n leaf w[i]\n term l + r\n combine min\n monotone\n",
        "interval a\n input w[n] >= 0\n size n+1\n leaf 0\n term (sum(w, k, j) + l) + (r + sum(w, i, k))\n combine "
        "min\n monotone\n",
        "interval a\n input w[n] >= 0\n size n+1\n leaf 0\n term sum(w, i, k-1) + l + w[k-1] + r + sum(w, k, j)\n "
        "combine min\n monotone\n",
        "interval a\n input w[n] >= 0\n size n+1\n leaf 0\n term l + (w[i] - w[k-1]) + r + sum(w, i, j) + (w[k-1] - "
        "w[i])\n "
        "combine min\n monotone\n",
        "interval a\n input w[n] >= 0\n size n+1\n leaf w[i]\n term l + r\n finish best + j\n combine min\n monotone\n",
        "interval a\n input w[n] >= 0\n size n+1\n leaf w[i]\n term l + r\n finish best - i*i\n combine min\n "
        "monotone\n",
        "interval a\n input w[n] >= 0\n size n+1\n leaf w[i]\n term l + r\n finish best + (j-i)*(j-i)*(j-i)\n combine "
        "min\n"
        " monotone\n",
    };
    uint64_t state = test_seed() + 3;
    int64_t w[70];
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        for (size_t n = 1; n < 70; n += 17) {
            for (size_t x = 0; x < n; x++) {
                w[x] = pdp_random_between(&state, 0, 20);
            }
            pdp_recurrence *recurrence = parse(texts[t]);
            pdp_problem *problem;
            assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
            pdp_problem_set_whole(problem, "w", w, n, 0);
            pdp_recurrence_free(recurrence);
            check(problem);
        }
    }
}

/* Under auto from a size on, and for every recurrence that is the same; not where the type or the device is another's,
 * nor where one of several problems is against it. */
static void test_choice(void **unused) {
    (void)unused;
    static int64_t ones[8000], bad[120 * 120], leaves[120];
    for (size_t x = 0; x < 8000; x++) {
        ones[x] = 1;
    }
    pdp_problem *problems[] = {make_builtin("merge", ones, NULL, 8000), make_builtin("merge", ones, NULL, 10)};
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.threads = 1;
    static const struct {
        size_t first, count;
        const char *type, *backend;
        bool by_knuth;
    } cases[] = {{0, 1, NULL, NULL, true},
                 {0, 1, "auto", "cpu", true},
                 {0, 1, "i32", NULL, false},
                 {1, 1, "i32", NULL, false}, /* a small one without a kernel is by knuth otherwise */
                 {0, 2, NULL, NULL, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pdp_plan *plan;
        options.type = cases[c].type;
        options.backend = cases[c].backend;
        assert_int_equal(pdp_plan_batch(&plan, problems + cases[c].first, cases[c].count, &options), PDP_OK);
        assert_int_equal(strcmp(pdp_plan_algorithm(plan), "knuth") == 0, cases[c].by_knuth);
        assert_string_equal(pdp_plan_note(plan), "");
        pdp_plan_free(plan);
    }
    pdp_problem_free(problems[0]);
    pdp_problem_free(problems[1]);

    /* What would be interpreted otherwise, however small; and that the data is against it. */
    options.type = options.backend = NULL;
    for (size_t n = 10; n <= 100; n += 45) {
        for (int is_bad = 0; is_bad < 2; is_bad++) {
            pdp_plan *own;
            bad[2 * n + 4] = is_bad;
            pdp_problem *problem = make_own(OWN("min", "  monotone\n"), bad, leaves, n);
            assert_int_equal(pdp_plan_create(&own, problem, &options), PDP_OK);
            assert_int_equal(strcmp(pdp_plan_algorithm(own), "knuth") == 0, !is_bad);
            if (is_bad) {
                assert_in(pdp_plan_note(own), "not by knuth: a part weighs more than the whole: w(2,4) is 1");
            } else {
                assert_string_equal(pdp_plan_note(own), "");
            }
            bad[2 * n + 4] = 0;
            pdp_plan_free(own);
            pdp_problem_free(problem);
        }
    }
    options.compile = 0; /* so that no table is as fast */
    problems[0] = make_own(OWN("min", "  monotone\n"), bad, leaves, 120);
    bad[5 * 120 + 7] = 1;
    problems[1] = make_own(OWN("min", "  monotone\n"), bad, leaves, 120);
    pdp_plan *plan;
    assert_int_equal(pdp_plan_batch(&plan, problems, 2, &options), PDP_OK);
    assert_string_equal(pdp_plan_algorithm(plan), "sequential");
    assert_in(pdp_plan_note(plan), "not by knuth: a part weighs more than the whole: w(5,7) is 1, and w(5,8) is 0; ");
    assert_in(pdp_plan_note(plan), "interpreted, which is slow");
    pdp_plan_free(plan);
    options.algorithm = "knuth";
    assert_int_equal(pdp_plan_batch(&plan, problems, 2, &options), PDP_BAD_INPUT);
    assert_in(pdp_plan_error(plan), "problem 2: method 'knuth' cannot solve this problem: a part weighs");
    pdp_plan_free(plan);
    pdp_problem_free(problems[0]);
    pdp_problem_free(problems[1]);
}

/* Progress rises to 1; a cancel is heard while the data is checked, and while it is solved. */
static void test_progress(void **unused) {
    (void)unused;
    static int64_t p[2000];
    uint64_t state = test_seed() + 4;
    for (size_t x = 0; x < 2000; x++) {
        p[x] = pdp_random_between(&state, 0, 100);
    }
    pdp_problem *problem = make_builtin("merge", p, NULL, 2000);
    size_t checking = 0, all = 0;
    for (size_t stop_at = 0;; stop_at = stop_at == 0 ? 1 : stop_at == 1 ? checking + 1 : all) {
        listener l = {.stop_at = stop_at, .is_monotone = true};
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = "knuth";
        options.on_progress = hear;
        options.context = &l;
        pdp_plan *plan;
        pdp_solution *solution = NULL;
        pdp_status status = pdp_plan_create(&plan, problem, &options);
        if (stop_at == 0) {
            checking = l.calls;
        }
        assert_int_equal(status, stop_at == 1 ? PDP_CANCELLED : PDP_OK);
        if (status == PDP_OK) {
            status = pdp_plan_run(plan, &solution);
        }
        assert_int_equal(status, stop_at == 0 ? PDP_OK : PDP_CANCELLED);
        assert_true(l.is_monotone && (stop_at != 0 || l.last >= 1));
        all = stop_at == 0 ? l.calls : all;
        pdp_solution_free(solution);
        pdp_plan_free(plan);
        if (stop_at == all) {
            break;
        }
    }
    assert_true(checking >= 2 && all > checking + 2);
    pdp_problem_free(problem);
}

/* Kernels that are compiled when they are needed: what they weigh, and the fault that they meet. */
static void test_compiled(void **unused) {
    (void)unused;
    enum { POINTS = 2010 };
    static const char text[] = "interval a\n input w[n]\n size n\n leaf w[i]\n term l + r\n"
                               " finish best + (j-i > 200 ? w[n/(1 + w[0]*j)] + 9*(j-i) : 9*(j-i))\n combine min\n"
                               " monotone\n";
    int64_t w[POINTS] = {0};
    for (int64_t first = 0; first > -2; first--) { /* the index is n, or the divisor comes to be 0 at j = 1 alone */
        pdp_recurrence *recurrence = parse(text);
        pdp_problem *problem;
        w[0] = first;
        assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
        pdp_problem_set_whole(problem, "w", w, POINTS, 0);
        pdp_recurrence_free(recurrence);
        if (first == 0) {
            expect_refused(problem, "a looks up w at 2010, and it has 2010 items");
        } else {
            expect_refused(problem, "a looks up w at -");
        }
        pdp_problem_free(problem);
    }
    static int64_t weights[POINTS * POINTS], leaves[POINTS];
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t j = i; j < POINTS; j++) {
            weights[i * POINTS + j] = (int64_t)((j - i) * (j - i) + 7 * j - 3 * (i % 2 == 0 ? i : i + 1));
        }
        leaves[i] = (int64_t)(i * i % 11);
    }
    pdp_problem *problem = make_own(OWN("min", "  monotone\n"), weights, leaves, POINTS);
    pdp_solution *reference = solve(problem, "tiles", NULL), *solution = solve(problem, "knuth", NULL);
    compare(reference, solution);
    pdp_solution_free(reference);
    pdp_solution_free(solution);
    pdp_problem_free(problem);
}

/* A large one against the table's engine. */
static void test_large(void **unused) {
    (void)unused;
    const size_t n = campaign(1500, 6000);
    uint64_t state = test_seed() + 5;
    int64_t *p = malloc(n * sizeof *p), *q = malloc((n + 1) * sizeof *q);
    assert_true(p && q);
    for (size_t x = 0; x <= n; x++) {
        p[x % n] = pdp_random_between(&state, 0, 1000);
        q[x] = pdp_random_between(&state, 0, 1000);
    }
    pdp_problem *problem = make_builtin("obst", p, q, n);
    pdp_solution *reference = solve(problem, "tiles", NULL), *solution = solve(problem, "knuth", NULL);
    compare(reference, solution);
    pdp_solution_free(reference);
    pdp_solution_free(solution);
    pdp_problem_free(problem);
    free(p);
    free(q);
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtins),
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_check_is_complete),
        cmocka_unit_test(test_violations),
        cmocka_unit_test(test_false_promise),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
