/* Problems on a device against the reference, cell by cell: every kind of recurrence and type around the edges of tiles
 * and blocks; errors that a kernel meets; limits, refusals, many callers, progress.
 *
 *     unit_gpu host|opencl|cuda
 *
 * It is skipped (exit code 77) where there is no such device. Callers that run at once stay out of cmocka's asserts. */
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/kernel.h"
#include "gpu/prebuilt.h"
#include "gpu/solve.h"
#include "plan/plan.h"
#include "plan/type.h"
#include "schedule/block_trace.h"
#include "schedule/tile_trace.h"

enum { MOST = 320, CALLERS = 8 };

#if defined(__SANITIZE_ADDRESS__)
static const bool is_sanitized = true;

/* What PoCL keeps for itself until the process ends. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libpocl\nleak:libLLVM\n";
}
#else
static const bool is_sanitized = false;
#endif

static const char *backend;
static pdp_device *device;

/* Which of a list of recurrences are tried. A kernel takes PoCL seconds to compile, and gcc one if it is sanitized: the
 * quick tier then makes do with those that come first, and on fibres some of the others. */
static bool is_tried(size_t number, bool is_first) {
    const bool on_pocl = strcmp(backend, "opencl") == 0;
    return campaign(0, 1) ||
           (on_pocl ? (is_sanitized ? number < 2 : is_first) : is_first || !is_sanitized || number % 8 == 0);
}

/* ---- Problems ---- */

static pdp_problem *make(const char *recurrence) {
    pdp_recurrence *parsed;
    pdp_problem *problem;
    const pdp_status status = strchr(recurrence, '\n') ? pdp_recurrence_parse(&parsed, recurrence, strlen(recurrence))
                                                       : pdp_recurrence_load(&parsed, recurrence);
    CHECK(status == PDP_OK, "%s", pdp_recurrence_error(parsed));
    assert_int_equal(pdp_problem_create(&problem, parsed), PDP_OK);
    pdp_recurrence_free(parsed);
    return problem;
}

static void give(pdp_problem *problem, const char *name, const int64_t *data, size_t rows, size_t columns) {
    CHECK(pdp_problem_set_whole(problem, name, data, rows, columns) == PDP_OK, "%s", pdp_problem_error(problem));
}

static void give_one(pdp_problem *problem, const char *name, int64_t value) {
    give(problem, name, &value, 1, 0);
}

static void give_random(pdp_problem *problem, const char *name, size_t rows, size_t columns, uint64_t *random,
                        int64_t low, int64_t high) {
    static int64_t data[MOST * MOST];
    const size_t count = rows * (columns > 0 ? columns : 1);
    for (size_t m = 0; m < count; m++) {
        data[m] = pdp_random_between(random, low, high);
    }
    give(problem, name, data, rows, columns);
}

static void give_text(pdp_problem *problem, const char *name, size_t count, uint64_t *random, const char *letters) {
    char text[MOST];
    for (size_t m = 0; m < count; m++) {
        text[m] = letters[pdp_random_between(random, 0, (int64_t)strlen(letters) - 1)];
    }
    assert_int_equal(pdp_problem_set_text(problem, name, text, count), PDP_OK);
}

/* ---- Interval recurrences ---- */

/* A recurrence in a type; all of their own have points p, and some a table c. */
typedef struct recipe {
    const char *recurrence; /* a built-in's name, or a text */
    const char *type;       /* asked for, or NULL */
    bool is_first;          /* also where the rest would take too long */
    bool is_close;          /* floats that not every compiler rounds alike: without decisions */
} recipe;

#define POINTS "interval a\n input p[n]\n size n\n leaf p[i]\n "
#define TABLE "interval a\n input p[n]\n input c[n,n]\n size n\n leaf p[i] - i\n empty p[i]\n "
/* All that a stamp can have: values hoisted over i and k, k and j, and j; options, also over what lies inside; a
 * finish. */
#define EVERYTHING                                                                                                     \
    TABLE "term max(l, r + c[k,j]) + p[i]*p[k] - (k - p[k])*p[j]\n option inside + c[i,j] if (i + j) % 3 == 0\n "      \
          "option p[j] - 40*i\n finish best - p[j] + c[j,i]\n combine min\n"

static const recipe recipes[] = {
    {"mcm", "i32", true, false},
    {EVERYTHING, "i32", true, false},
    {"triangulation", NULL, true, false},
    {"cyk", NULL, true, false},
    {"mcm", "i64", false, false},
    {"mcm", "f32", false, false},
    {"mcm", "f64", false, false},
    {"triangulation_product", "i32", false, false},
    {"obst", "i32", false, false},
    {"obst", "i64", false, false},
    {"merge", "i32", false, false},
    {"merge", "f64", false, false},
    {"nussinov", "i32", false, false},
    {EVERYTHING, "i64", false, false},
    {EVERYTHING, "f64", false, false},
    /* What a term adds for its cell alone is added once. */
    {POINTS "term l + r + p[k]*p[j] - 3*p[i]*p[j] + j\n combine max\n", "i32", false, false},
    {POINTS "term l + r + sum(p, i, k)*p[k]\n finish best - sum(p, i, j)\n combine min\n", NULL, false, false},
    /* What nobody asks for must not fail. */
    {POINTS "term l + (l > 1000000 ? p[i-1] : 0)\n combine min\n", NULL, false, false},
    {POINTS "term (r < 0 ? r / (i*0) : r) + p[k]\n combine max\n", NULL, false, false},
    /* What could only fail where there is no term. */
    {POINTS "term l + r + n/k + n/(k - i) + n/(j - k) + n/(n - 1 - k)\n combine min\n", NULL, false, false},
    {POINTS "term l + r + p[k-1]*p[i+2] + p[j-2]*p[k-1] + p[(j - 2) % n]*p[k % n - 1]\n combine min\n", NULL, false,
     false},
    {POINTS "term l + r + p[p[k] % n]*p[p[i] % n] + p[p[k] % n]*p[p[j] % n]\n combine min\n", "i32", false, false},
    {POINTS "term l / p[k] + r / p[j]\n combine add\n finish best % 1000\n", NULL, false, false},
    {POINTS "term 100 / l + r\n combine add\n finish best % 1000 + 1\n", NULL, false, false},
    {POINTS "term l + r\n option p[i-1] if i > 0\n combine max\n", NULL, false, false},
    /* Operators. */
    {"interval a\n type mod P\n param P >= 2 = 1000003\n input p[n]\n size n\n leaf p[i]\n term l*r + p[k]\n "
     "combine add\n",
     NULL, true, false},
    {"interval a\n type bits\n input p[n]\n size n\n leaf p[i]\n term l + r + k\n "
     "combine (x, y) x & y & x identity ~0\n finish best + i\n",
     NULL, false, false},
    {"interval a\n type f64\n input p[n]\n size n\n leaf p[i]/8\n term l + r + p[k]\n "
     "combine (x, y) x < y ? x : y identity 1e300\n",
     NULL, false, false},
    {"interval a\n type mod P\n param P >= 2 = 2305843009213693951\n input p[n]\n size n\n leaf p[i] + "
     "1152921504606846976\n "
     "term l*r + p[k]\n combine add\n",
     NULL, false, false},
    {"interval a\n type bits\n input p[n]\n size n\n leaf p[i] << i%60\n term (l ^ r >> 1) + j\n combine xor\n", NULL,
     false, false},
    {POINTS "term 6*(l + r)\n combine gcd\n finish best % 100000 + 6\n", NULL, false, false},
    {POINTS "term add[q<3] (l + q*i) + (max[q<2] (r - q*j))\n finish best % 1000\n combine min\n", NULL, false, false},
    /* Floats. */
    {"interval a\n type f32\n input p[n]\n size n\n leaf p[i]/7\n term l + r + sum(p, i, j)/3\n combine min\n", NULL,
     false, false},
    {"interval a\n type f64\n input p[n]\n size n\n leaf p[i]\n term sqrt(l) + log(1 + abs(r))\n combine max\n", NULL,
     false, true},
    {"interval a\n type f64\n input p[n]\n size n\n leaf p[i]/7\n term exp(min(l, 0)) + r/2\n combine logsumexp\n",
     NULL, false, true},
};

/* A problem of n + 1 points. */
static pdp_problem *make_interval(const char *recurrence, size_t n, uint64_t *random) {
    pdp_problem *problem = make(recurrence);
    const size_t points = n + 1;
    if (strcmp(recurrence, "mcm") == 0) {
        give_random(problem, "p", points, 0, random, 1, 30);
    } else if (strcmp(recurrence, "triangulation_product") == 0) {
        give_random(problem, "v", points, 0, random, 1, 30);
    } else if (strcmp(recurrence, "obst") == 0) {
        give_random(problem, "p", n - 1, 0, random, 0, 30);
        give_random(problem, "q", n, 0, random, 0, 30);
    } else if (strcmp(recurrence, "merge") == 0) {
        give_random(problem, "w", n, 0, random, 0, 30);
    } else if (strcmp(recurrence, "nussinov") == 0) {
        give_text(problem, "s", n, random, "ACGU");
        give_one(problem, "loop", pdp_random_between(random, 0, 2));
    } else if (strcmp(recurrence, "triangulation") == 0) {
        give_random(problem, "x", points, 0, random, -1000, 1000);
        give_random(problem, "y", points, 0, random, -1000, 1000);
    } else if (strcmp(recurrence, "cyk") == 0) {
        static const char *const rules[] = {"A", "B", "C"};
        for (size_t r = 0; r < 3; r++) {
            give_random(problem, rules[r], 9, 0, random, 0, 3);
        }
        give_text(problem, "s", n, random, "ab");
        give_random(problem, "D", 3, 0, random, 0, 3);
        assert_int_equal(pdp_problem_set_text(problem, "letter", "aab", 3), PDP_OK);
    } else {
        give_random(problem, "p", points, 0, random, 1, 9);
        if (strstr(recurrence, "input c[n,n]")) {
            give_random(problem, "c", points, points, random, -50, 50);
        }
    }
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s", pdp_problem_error(problem));
    return problem;
}

/* ---- Comparing ---- */

static bool is_same(double found, double expected, bool is_close) {
    return found == expected || (is_close && fabs(found - expected) <= 1e-5 * (1 + fabs(expected)));
}

/* NULL, or what differs. */
static const char *compare_values(const pdp_solution *found, const pdp_solution *expected, bool is_close) {
    if (pdp_solution_feasible(found) != pdp_solution_feasible(expected)) {
        return "one of them is infeasible";
    }
    const bool is_good = pdp_solution_is_real(expected)
                             ? is_same(pdp_solution_real_value(found), pdp_solution_real_value(expected), is_close)
                             : pdp_solution_value(found) == pdp_solution_value(expected);
    return is_good ? NULL : "the value differs";
}

static const char *compare_tables(const pdp_solution *found, const pdp_solution *expected, size_t rows, size_t columns,
                                  bool is_close) {
    for (size_t i = 0; i < rows; i++) {
        static char text[160];
        static int64_t cells[2][MOST * MOST];
        static double reals[2][MOST * MOST];
        const bool is_real = pdp_solution_is_real(expected);
        const pdp_solution *both[2] = {found, expected};
        for (size_t s = 0; s < 2; s++) {
            if ((is_real ? pdp_solution_real_row(both[s], i, reals[s], columns)
                         : pdp_solution_row(both[s], i, cells[s], columns)) != PDP_OK) {
                return s == 0 ? "the device gave no table" : "there is no table to compare with";
            }
        }
        for (size_t j = 0; j < columns; j++) {
            if (is_real ? !is_same(reals[0][j], reals[1][j], is_close) : cells[0][j] != cells[1][j]) {
                snprintf(text, sizeof text, "cell (%zu,%zu) is %" PRId64 " or %.17g, not %" PRId64 " or %.17g", i, j,
                         cells[0][j], reals[0][j], cells[1][j], reals[1][j]);
                return text;
            }
        }
    }
    return NULL;
}

static const char *compare_decisions(const pdp_solution *found, const pdp_solution *expected) {
    size_t counts[2];
    const pdp_decision *a = pdp_solution_decisions(found, &counts[0]);
    const pdp_decision *b = pdp_solution_decisions(expected, &counts[1]);
    if (counts[0] != counts[1]) {
        return "there are more decisions, or fewer";
    }
    for (size_t x = 0; x < counts[0]; x++) {
        if (a[x].kind != b[x].kind || a[x].i != b[x].i || a[x].k != b[x].k || a[x].j != b[x].j) {
            return "a decision differs";
        }
    }
    return NULL;
}

/* What a run is asked for. */
typedef enum wish { ALL, WITHOUT_TABLE, TABLE_ALONE, VALUE_ALONE, WISHES } wish;

static bool takes_quick; /* kernels, not the fastest ones */

static pdp_options options_for(wish w, const char *type) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.backend = backend;
    options.device = device;
    options.type = type;
    options.table = w == ALL || w == TABLE_ALONE;
    options.decisions = w == ALL || w == WITHOUT_TABLE;
    options.splits = w == ALL;
    options.compile = takes_quick ? 1 : 2;
    return options;
}

static void check_solution(const pdp_problem *problem, const recipe *r, const pdp_solution *expected, wish w) {
    const bool is_interval = problem->shape == PDP_INTERVAL;
    const pdp_options options = options_for(w, r->type);
    const size_t n = problem->n;
    const size_t columns = is_interval ? n + 1 : n;
    pdp_plan *plan;
    pdp_solution *found = NULL;
    CHECK(pdp_plan_create(&plan, problem, &options) == PDP_OK && pdp_plan_run(plan, &found) == PDP_OK,
          "%s %s, n %zu, wish %d: %s%s", r->recurrence, r->type ? r->type : "", n, (int)w, pdp_plan_error(plan),
          pdp_solution_error(found));
    assert_true(plan->stamp.is_quick == takes_quick || pdp_prebuilt_images[0]); /* an image needs no compiler */
    pdp_plan_free(plan);
    assert_string_equal(pdp_solution_backend(found), backend);
    const char *why = compare_values(found, expected, r->is_close);
    if (!why && options.table) {
        why = compare_tables(found, expected, is_interval ? columns : 1, columns, r->is_close);
    }
    if (!why && options.decisions && !r->is_close) {
        why = compare_decisions(found, expected);
    }
    if (!why && options.splits && is_interval && !r->is_close) {
        const int64_t *a = pdp_solution_splits(found);
        const int64_t *b = pdp_solution_splits(expected);
        why = memcmp(a, b, columns * columns * sizeof *a) != 0 ? "the splits differ" : NULL;
    }
    CHECK(!why, "%s %s, n %zu, wish %d: %s", r->recurrence, r->type ? r->type : "", n, (int)w, why);
    pdp_solution_free(found);
}

static void check_interval(const recipe *r, size_t n, uint64_t *random, bool all_wishes) {
    pdp_problem *problem = make_interval(r->recurrence, n, random);
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.splits = 1;
    pdp_solution *expected = solve(problem, "sequential", &options);
    check_solution(problem, r, expected, ALL);
    if (all_wishes) {
        check_solution(problem, r, expected, WITHOUT_TABLE);
        check_solution(problem, r, expected, TABLE_ALONE);
        check_solution(problem, r, expected, VALUE_ALONE);
    }
    pdp_solution_free(expected);
    pdp_problem_free(problem);
}

/* The first two at all sizes, the others at some around the edges of blocks and tiles, at which n + 1 points
 * just fill them or do not. */
static void test_intervals(void **unused) {
    (void)unused;
    static const size_t sizes[] = {1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 62, 63, 64, 65, 66, 127, 128, 129, 130, 200};
    static const size_t some[] = {2, 17, 63, 64, 130};
    uint64_t random = test_seed();
    for (size_t x = 0; x < sizeof recipes / sizeof *recipes; x++) {
        const recipe *r = &recipes[x];
        const bool at_all_sizes = (x < 2 && !is_sanitized) || campaign(0, 1);
        const size_t *list = at_all_sizes ? sizes : some;
        const size_t count = at_all_sizes ? sizeof sizes / sizeof *sizes : sizeof some / sizeof *some;
        for (size_t s = 0; s < count && is_tried(x, r->is_first); s++) {
            check_interval(r, list[s], &random, r->is_first || s % 3 == 0);
        }
    }
}

/* ---- Linear recurrences ---- */

#define LINE                                                                                                           \
    "linear a\n param n >= 1\n input a[k] >= 1\n input w[k]\n input x[n]\n input init[m]\n size n\n preset m : "       \
    "init[i]\n missing skip\n offset a[j]\n "

static const recipe lines[] = {
    {LINE "term s + w[j]\n combine min\n", "i32", true, false},
    {LINE "type mod P\n param P >= 2 = 998244353\n source x[i]\n term w[j]*s\n combine add\n", NULL, true, false},
    {LINE "term s + w[j]\n combine max\n finish best - x[i]\n", "i64", false, false},
    {LINE "term s\n combine max\n", "f32", false, false},
    {LINE "term s + w[j]\n combine min\n", "f64", false, false},
    {LINE "term i > 3 ? s : s + w[j]\n combine min\n", NULL, false, false},
    {LINE "term j ? s + w[j] : s\n combine max\n", "i32", false, false},
    /* A gcd of a source alone has its sign. */
    {LINE "source -x[i]\n term s\n combine gcd\n", NULL, false, false},
    {LINE "term s + w[j] + 60/i + x[i-1]\n combine max\n", NULL, false, false},
    {LINE "term s + (i*7 + j*3) % 11 + w[j]*x[i]\n combine min\n", NULL, false, false},
    {LINE "type bits\n term s ^ w[j]\n combine xor\n", NULL, false, false},
    {LINE "type mod P\n param P >= 2 = 2305843009213693951\n term s\n combine add\n", NULL, false, false},
    {LINE "type f64\n source x[i]\n term w[j]*s*0.01 + w[j]\n combine add\n finish best*0.001\n", NULL, false, true},
    {LINE "type f64\n term s*(w[j] % 2)\n combine max\n finish best*0.5\n", NULL, false, false},
    {LINE "type bits\n term s + w[j]\n combine (x1, x2) x1 & x2 & x1 identity ~0\n finish best + x[i]\n", NULL, false,
     false},
};

static void give_numbers(pdp_problem *problem, const char *name, size_t count, uint64_t *random, int64_t low,
                         int64_t high) {
    int64_t *data = malloc((count > 0 ? count : 1) * sizeof *data);
    assert_non_null(data);
    for (size_t m = 0; m < count; m++) {
        data[m] = pdp_random_between(random, low, high);
    }
    give(problem, name, data, count, 0);
    free(data);
}

/* A problem whose offsets come from `first` on, up to `reach`, and are there once or more often. */
static pdp_problem *make_line(const recipe *r, size_t n, size_t k, int64_t first, int64_t reach, size_t presets,
                              uint64_t *random) {
    pdp_problem *problem = make(r->recurrence);
    give_one(problem, "n", (int64_t)n);
    give_numbers(problem, "a", k, random, first, reach);
    give_numbers(problem, "w", k, random, 1, 99);
    give_numbers(problem, "x", n, random, 0, 99);
    give_numbers(problem, "init", presets, random, 0, 99);
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s", pdp_problem_error(problem));
    return problem;
}

static void check_offsets(const recipe *r, size_t n, size_t k, int64_t first, int64_t reach, size_t presets,
                          uint64_t *random, int wishes) {
    pdp_problem *problem = make_line(r, n, k, first, reach, presets, random);
    pdp_solution *expected = solve(problem, "sequential", NULL);
    for (int w = 0; w < wishes; w++) {
        check_solution(problem, r, expected, (wish)w);
    }
    pdp_solution_free(expected);
    pdp_problem_free(problem);
}

static void check_linear(const recipe *r, size_t n, uint64_t *random) {
    const size_t reach = (size_t)pdp_random_between(random, 1, pdp_random_between(random, 0, 1) ? 20 : (int64_t)n);
    const size_t k = (size_t)pdp_random_between(random, 1, reach < 90 ? (int64_t)reach : 90);
    const size_t presets = (size_t)pdp_random_between(random, 1, (int64_t)(reach < n ? reach : n));
    check_offsets(r, n, k, 1, (int64_t)reach, presets, random, WISHES);
}

static void test_lines(void **unused) {
    (void)unused;
    static const size_t sizes[] = {1, 2, 31, 127, 128, 129, 1023, 1024, 1025, 1152, 2049, 4000};
    uint64_t random = test_seed();
    for (size_t x = 0; x < sizeof lines / sizeof *lines; x++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes && is_tried(x, lines[x].is_first); s++) {
            check_linear(&lines[x], sizes[s], &random);
        }
    }
}

/* Offsets so sparse that they are all in a list: the least around the widths of warps and sub-blocks, and so many that
 * some are in registers, in the group's memory, and in neither. */
static void test_sparse_lines(void **unused) {
    (void)unused;
    static const int64_t least[] = {1, 2, 8, 31, 32, 33, 64, 65, 127, 128, 129, 1000, 3967, 3968, 4500};
    uint64_t random = test_seed();
    for (size_t x = 0; x < sizeof lines / sizeof *lines; x++) {
        for (size_t y = 0; y < sizeof least / sizeof *least && is_tried(x, lines[x].is_first); y++) {
            const size_t n = (size_t)pdp_random_between(&random, 4200, is_sanitized ? 5000 : 9000);
            const int64_t reach = least[y] + pdp_random_between(&random, 0, 1) * 5000;
            const size_t most = (size_t)(reach < 320 ? 20 : reach / 16);
            const size_t k = (size_t)pdp_random_between(&random, 1, (int64_t)(most < 300 ? most : 300));
            const size_t presets = (size_t)pdp_random_between(&random, 1, 4000);
            check_offsets(&lines[x], n, k, least[y], reach, presets, &random, 1);
        }
        if (!lines[x].is_first && is_tried(x, false)) { /* more than the group's memory has room for */
            check_offsets(&lines[x], 1500, 700, 1, 600, 200, &random, 1);
        }
    }
}

/* Every cell has all its terms, which are s + w, or s, so that the chain can be followed by ways of many terms. */
#define FULL_LINE                                                                                                      \
    "linear a\n param n >= 1\n input a[k] >= 1\n input w[k]\n input init[m]\n size n\n preset m : init[i]\n "          \
    "offset a[j]\n "

static const recipe full_lines[] = {
    {FULL_LINE "term s + w[j]\n combine min\n", "i32", true, false},
    {FULL_LINE "type mod P\n param P >= 2 = 2147483647\n term s\n combine add\n", NULL, true, false},
    {FULL_LINE "term s + w[j]\n combine max\n", "i64", false, false},
    {FULL_LINE "term s\n combine min\n", "i32", false, false},
    {FULL_LINE "type mod P\n param P >= 2 = 2\n term s\n combine add\n", NULL, false, false},
};

/* Offsets from `first` to `reach`: these two, and of those between one in `rare`. */
static void check_full_line(const recipe *r, size_t cells, size_t first, size_t reach, int64_t rare, uint64_t *random) {
    int64_t offsets[2000];
    size_t count = 0;
    for (size_t a = reach; a >= first; a--) {
        if (a == reach || a == first || pdp_random_between(random, 1, rare) == 1) {
            offsets[count++] = (int64_t)a;
        }
    }
    pdp_problem *problem = make(r->recurrence);
    give_one(problem, "n", (int64_t)(reach + cells));
    give(problem, "a", offsets, count, 0);
    give_numbers(problem, "w", count, random, -99, 99);
    give_numbers(problem, "init", reach, random, 0, 99999);
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s", pdp_problem_error(problem));
    pdp_solution *expected = solve(problem, "sequential", NULL);
    check_solution(problem, r, expected, TABLE_ALONE);
    pdp_solution_free(expected);
    pdp_problem_free(problem);
}

static void test_full_lines(void **unused) {
    (void)unused;
    static const struct {
        size_t first, reach;
        int64_t rare;
    } shapes[] = {{8, 8, 1},     {9, 400, 60},    {31, 129, 40}, {52, 1999, 65}, {64, 64, 1},  {100, 1500, 50},
                  {127, 128, 1}, {128, 900, 100}, {1, 1, 1},     {1, 2, 1},      {3, 40, 2},   {1, 223, 1},
                  {1, 224, 2},   {33, 300, 2},    {1, 768, 3},   {65, 1100, 2},  {1, 1999, 1}, {250, 290, 1},
                  {1, 1999, 12}, {46, 70, 30},    {33, 33, 1},   {40, 50, 3},    {38, 60, 9},  {45, 45, 1}};
    uint64_t random = test_seed();
    for (size_t x = 0; x < sizeof full_lines / sizeof *full_lines; x++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes && is_tried(x, full_lines[x].is_first); s++) {
            const size_t cells = (size_t)pdp_random_between(&random, 1, is_sanitized ? 600 : 3000);
            check_full_line(&full_lines[x], cells, shapes[s].first, shapes[s].reach, shapes[s].rare, &random);
        }
    }
}

/* ---- Kernels that are compiled soon ---- */

static bool is_never_compiled(pdp_device *unused, const char *text, size_t length) {
    (void)unused, (void)text, (void)length;
    return false;
}

/* They give the same, and are taken for little work alone. */
static void test_quick(void **unused) {
    (void)unused;
    static const size_t sizes[] = {1, 2, 3, 17, 62, 63, 64, 65, 130, 200};
    static const size_t lengths[] = {1, 2, 31, 32, 33, 64, 300, 1025};
    uint64_t random = test_seed();
    pdp_device *const first = device;
    static pdp_device_calls changed;
    changed = *first->calls;
    changed.is_compiled = is_never_compiled;
    assert_int_equal(pdp_device_open(&device, backend), PDP_OK); /* the first has loaded others */
    device->calls = &changed;
    takes_quick = true;
    for (size_t x = 0; x < sizeof recipes / sizeof *recipes; x++) {
        for (size_t y = x % 3; y < sizeof sizes / sizeof *sizes && is_tried(x, recipes[x].is_first); y += 3) {
            device->quick_seconds = 0;
            check_interval(&recipes[x], sizes[y], &random, y == 3);
        }
    }
    for (size_t x = 0; x < sizeof lines / sizeof *lines; x++) {
        for (size_t y = 0; y < sizeof lengths / sizeof *lengths && is_tried(x, lines[x].is_first); y++) {
            device->quick_seconds = 0;
            check_linear(&lines[x], lengths[y], &random);
        }
    }
    assert_true(device->quick_seconds > 0);
    device->quick_seconds = 0.1;
    takes_quick = false;
    pdp_problem *problem =
        make_interval("interval a\n input p[n]\n size n\n leaf p[i]\n term l + r + 7\n combine min\n", 70, &random);
    pdp_options options = options_for(ALL, "i64");
    options.compile = 1;
    pdp_plan *plan;
    CHECK(pdp_plan_create(&plan, problem, &options) == PDP_OK, "%s", pdp_plan_error(plan));
    assert_false(plan->stamp.is_quick);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    pdp_device_free(device);
    device = first;
}

/* ---- The paper's methods ---- */

/* Every method that a device has, step by step and in one launch: the reference's table, or, as printed, the step-exact
 * machine's. */
static void check_paper(const pdp_problem *problem, const char *name) {
    const bool is_interval = problem->shape == PDP_INTERVAL;
    const char *algorithm;
    for (size_t m = 0; (algorithm = pdp_algorithm_name(problem->shape, m)) != NULL; m++) {
        pdp_options options = options_for(TABLE_ALONE, NULL);
        const bool is_other = !method_records(algorithm) || (is_interval && strcmp(algorithm, "sequential") == 0);
        options.algorithm = algorithm;
        for (options.resident = 0; options.resident < 2 && !is_other; options.resident++) {
            const bool is_printed = strcmp(algorithm, "pipeline-printed") == 0;
            const size_t columns = is_interval ? problem->n + 1 : problem->n;
            pdp_solution *expected = solve(problem, is_printed ? algorithm : "sequential", NULL);
            pdp_solution *found = NULL;
            pdp_plan *plan;
            CHECK(pdp_plan_create(&plan, problem, &options) == PDP_OK && pdp_plan_run(plan, &found) == PDP_OK,
                  "%s, n %zu, %s: %s%s", name, problem->n, algorithm, pdp_plan_error(plan), pdp_solution_error(found));
            const char *why = compare_tables(found, expected, is_interval ? columns : 1, columns, false);
            CHECK(!why, "%s, n %zu, %s, resident %d: %s", name, problem->n, algorithm, options.resident, why);
            pdp_solution_free(found);
            pdp_solution_free(expected);
            pdp_plan_free(plan);
        }
    }
}

/* So many cells, and of the offsets 1 .. n/2 each with some probability. With weights s + w[j], in other words. */
static pdp_problem *make_paper(const char *recurrence, const char *op, size_t n, uint64_t *random) {
    pdp_problem *problem = make(recurrence);
    int64_t offsets[MOST];
    size_t count = 0;
    const int64_t rare = pdp_random_between(random, 1, 4);
    for (int64_t a = (int64_t)(n + 1) / 2; a > 0; a--) {
        if (a == 1 || pdp_random_between(random, 1, rare) == 1) {
            offsets[count++] = a;
        }
    }
    assert_int_equal(pdp_problem_set_text(problem, "op", op, strlen(op)), PDP_OK);
    give_one(problem, "n", (int64_t)n);
    give(problem, "a", offsets, count, 0);
    give_random(problem, "init", (size_t)offsets[0], 0, random, -999, 999);
    if (strcmp(recurrence, "sdp") != 0) {
        give_random(problem, "w", count, 0, random, -50, 50);
    }
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s", pdp_problem_error(problem));
    return problem;
}

static void test_paper(void **unused) {
    (void)unused;
    static const char other[] = "linear a\n param op operator\n param n >= 1\n input a[k] >= 1\n input init[m]\n"
                                " input w[k]\n size n\n preset m : init[i]\n offset a[j]\n"
                                " term 2*w[j] - j + s\n combine op\n";
    static const size_t sizes[] = {1, 2, 3, 31, 64, 65, 150, 300};
    uint64_t random = test_seed();
    for (size_t x = 0; x < sizeof sizes / sizeof *sizes; x++) {
        const char *const texts[] = {"sdp", "sdp_added", other};
        for (size_t t = 0; t < 3; t++) {
            pdp_problem *problem = make_paper(texts[t], x % 2 ? "min" : "max", sizes[x], &random);
            check_paper(problem, texts[t]);
            pdp_problem_free(problem);
        }
        if (sizes[x] <= 65) {
            pdp_problem *problem = make_interval("mcm", sizes[x] + 1, &random);
            check_paper(problem, "mcm");
            pdp_problem_free(problem);
        }
    }
}

/* ---- What fails ---- */

/* An item of p that is 90 is in the way of one k alone; the word of the fault is the same, whoever meets it. */
static const char *const failures[] = {
    "interval a\n input p[n]\n input q[m]\n size n\n leaf q[p[i]]\n term l + r\n combine min\n",
    "interval a\n input p[n]\n input q[m]\n size n\n leaf 0\n term l + q[p[k]]\n combine max\n",
    "interval a\n input p[n]\n input q[m]\n size n\n leaf p[i]\n term l % (p[k] - 90) + q[0]\n combine max\n",
    "interval a\n input p[n]\n input q[m]\n size n\n leaf 0\n term l + r + sum(q, 0, p[k])\n combine max\n",
};

static pdp_status run_plan(const pdp_problem *problem, const pdp_options *options, char *text, size_t room) {
    pdp_plan *plan;
    pdp_solution *solution = NULL;
    pdp_status status = pdp_plan_create(&plan, problem, options);
    snprintf(text, room, "%s", pdp_plan_error(plan));
    if (status == PDP_OK) {
        status = pdp_plan_run(plan, &solution);
        snprintf(text, room, "%s", pdp_solution_error(solution));
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return status;
}

/* A fault on the device is told in the words of the CPU's, and the device stays usable. */
static void test_failures(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    for (size_t f = 0; f < sizeof failures / sizeof *failures; f++) {
        for (size_t points = 20; points < 100 && is_tried(f, f == 0); points += 60) {
            int64_t p[100];
            char texts[2][400];
            pdp_problem *problem = make(failures[f]);
            for (size_t i = 0; i < points; i++) {
                p[i] = i == points / 2 ? 90 : pdp_random_between(&random, 0, 9);
            }
            give(problem, "p", p, points, 0);
            give_random(problem, "q", 12, 0, &random, 1, 9);
            pdp_options options = options_for(ALL, NULL);
            options.algorithm = "tiles";
            const pdp_status status = run_plan(problem, &options, texts[0], sizeof texts[0]);
            options.backend = "cpu";
            options.device = NULL;
            assert_int_equal(run_plan(problem, &options, texts[1], sizeof texts[1]), status);
            assert_int_equal(status, PDP_BAD_INPUT);
            assert_string_equal(texts[0], texts[1]);
            pdp_problem_free(problem);
        }
    }
    check_interval(&recipes[0], 70, &random, true);
}

/* A cell that is no number is an error though the value does not show it, alone and among others. */
static void test_no_number(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    static const char text[] = "interval a\n type f64\n input x[n]\n size n\n leaf x[i]\n"
                               " term l + (i == 0 ? 5 : (r - x[k])/(x[k] - 2))\n combine min\n report tree\n";
    pdp_problem *problems[3];
    for (size_t x = 0; x < 3; x++) {
        int64_t items[200];
        const size_t points = x == 0 ? 6 : (size_t)pdp_random_between(&random, 130, 199);
        for (size_t i = 0; i < points; i++) {
            items[i] = pdp_random_between(&random, 3, 9);
        }
        if (x != 1) { /* M[i][i+2] has 0/0 */
            const size_t i = (size_t)pdp_random_between(&random, 1, (int64_t)points - 4);
            items[i + 1] = 2;
            items[i] = 0;
        }
        problems[x] = make(text);
        give(problems[x], "x", items, points, 0);
        for (wish w = ALL; w < WISHES; w++) {
            char texts[2][400];
            pdp_options options = options_for(w, NULL);
            options.algorithm = "tiles";
            const pdp_status status = run_plan(problems[x], &options, texts[0], sizeof texts[0]);
            options.backend = "cpu";
            options.device = NULL;
            assert_int_equal(run_plan(problems[x], &options, texts[1], sizeof texts[1]), status);
            CHECK(status == (x == 1 ? PDP_OK : PDP_OVERFLOW), "problem %zu, wish %d: %d '%s'", x, (int)w, (int)status,
                  texts[0]);
            assert_string_equal(texts[0], texts[1]);
        }
    }
    pdp_options options = options_for(VALUE_ALONE, NULL);
    pdp_plan *plan;
    pdp_solution *solutions[3] = {NULL, NULL, NULL};
    CHECK(pdp_plan_batch(&plan, problems, 3, &options) == PDP_OK, "%s", pdp_plan_error(plan));
    assert_int_equal(pdp_plan_run_batch(plan, solutions), PDP_OVERFLOW);
    for (size_t x = 0; x < 3; x++) {
        CHECK((strstr(pdp_solution_error(solutions[x]), "not a number") != NULL) == (x != 1), "problem %zu: '%s'", x,
              pdp_solution_error(solutions[x]));
        pdp_solution_free(solutions[x]);
    }
    pdp_plan_free(plan);
    for (size_t x = 0; x < 3; x++) {
        pdp_problem_free(problems[x]);
    }
}

/* ---- What is refused ---- */

static void check_refusal(pdp_problem *problem, const pdp_options *options, pdp_status expected, const char *part) {
    pdp_plan *plan;
    const pdp_status status = pdp_plan_create(&plan, problem, options);
    CHECK(status == expected && strstr(pdp_plan_error(plan), part), "%d '%s' instead of '%s'", (int)status,
          pdp_plan_error(plan), part);
    pdp_plan_free(plan);
}

/* Too little memory is known before anything starts, to the byte. */
static void test_memory_limit(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    for (int w = 0; w < WISHES; w++) {
        pdp_problem *problem = make_interval("mcm", 150, &random);
        pdp_options options = options_for((wish)w, "i32");
        options.device_memory = 1000;
        pdp_plan *plan;
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_NO_MEMORY);
        uint64_t needed = 0;
        CHECK(sscanf(pdp_plan_error(plan),
                     "method 'tiles' needs %" SCNu64 " bytes of device memory, and 1000 are allowed", &needed) == 1 &&
                  needed > 151 * 75 * 4,
              "%s", pdp_plan_error(plan));
        pdp_plan_free(plan);
        options.device_memory = needed - 1;
        check_refusal(problem, &options, PDP_NO_MEMORY, "bytes of device memory");
        options.device_memory = needed;
        pdp_solution *expected = solve(problem, "sequential", NULL);
        pdp_solution *found = solve(problem, "tiles", &options);
        assert_int_equal(pdp_solution_value(found), pdp_solution_value(expected));
        pdp_solution_free(found);
        pdp_solution_free(expected);
        pdp_problem_free(problem);
    }
}

static void test_refusals(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    pdp_options options = options_for(ALL, NULL);
    static const int64_t large[] = {INT64_C(1) << 31, INT64_C(1) << 31, INT64_C(1) << 31, INT64_C(1) << 31};
    pdp_problem *problem = make("mcm");
    give(problem, "p", large, 4, 0);
    check_refusal(problem, &options, PDP_BAD_INPUT, "a value may not fit into 64 bits");
    options.type = "i64";
    check_refusal(problem, &options, PDP_BAD_INPUT, "a value may not fit into 64 bits");
    pdp_problem_free(problem);

    options.type = NULL;
    problem = make_interval(POINTS "term l + r\n combine (x, y) x == 0 ? y : x identity 0\n", 9, &random);
    check_refusal(problem, &options, PDP_BAD_INPUT, "its operator does not commute");
    pdp_problem_free(problem);

    problem = make_interval("mcm", 9, &random);
    options.algorithm = "hu-shing";
    options.splits = 0;
    check_refusal(problem, &options, PDP_BAD_INPUT, "method 'hu-shing' does not run on backend");
    options.algorithm = NULL;
    options.record = 1;
    check_refusal(problem, &options, PDP_BAD_INPUT, "does not run on backend");
    options.record = 0;
    options.device = NULL;
    options.backend = "abacus";
    check_refusal(problem, &options, PDP_BAD_INPUT, "backend 'abacus' is not known");
    pdp_problem_free(problem);
}

/* Weights, as the paper's methods on a device do not take them. */
static void test_paper_refusals(void **unused) {
    (void)unused;
    static const int64_t falling[] = {3, 2, 1}, rising[] = {1, 2, 3}, beyond[] = {INT64_MAX, 1, 1}, source[9] = {0};
    static const char *const parts[] = {"a value may not fit into int64", "without source", "without source",
                                        "without weights"};
    for (int fault = 0; fault < 4; fault++) {
        pdp_options options = options_for(TABLE_ALONE, NULL);
        pdp_problem *problem = make("sdp_added");
        options.algorithm = "pipeline";
        assert_int_equal(pdp_problem_set_text(problem, "op", "min", 3), PDP_OK);
        give_one(problem, "n", 9);
        give(problem, "a", fault == 1 ? rising : falling, 3, 0);
        give(problem, "init", falling, 3, 0);
        give(problem, "w", fault == 0 ? beyond : rising, 3, 0);
        if (fault == 2) {
            give(problem, "x", source, 9, 0);
        }
        if (fault == 3) { /* nor does the step-exact machine take any */
            options.backend = "cpu";
            options.device = NULL;
        }
        check_refusal(problem, &options, PDP_BAD_INPUT, parts[fault]);
        pdp_problem_free(problem);
    }
}

/* A device is asked for by its name, and tells what it is; one that could not be opened can be given back, and no plan
 * takes it. */
static void test_opening(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    assert_string_equal(pdp_device_backend(device), backend);
    assert_string_equal(pdp_device_error(device), "");
    assert_true(*pdp_device_name(device) != '\0' && *pdp_device_driver(device) != '\0');
    assert_true(pdp_device_units(device) > 0);
    assert_true((pdp_device_capability(device) > 0) == (strcmp(backend, "cuda") == 0));
    assert_true(pdp_device_memory_free(device) > 0 && pdp_device_memory_free(device) <= pdp_device_memory(device));
    pdp_device *none;
    assert_int_equal(pdp_device_open(&none, "abacus"), PDP_BAD_INPUT);
    assert_in(pdp_device_error(none), "backend 'abacus' is not known; there are cuda, opencl, host");
    assert_string_equal(pdp_device_name(none), "");
    assert_int_equal(pdp_device_memory_free(none), 0);
    pdp_problem *problem = make_interval("mcm", 9, &random);
    pdp_options options = options_for(ALL, "i32");
    options.device = none;
    pdp_plan *plan;
    assert_int_not_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    pdp_plan_free(plan);
    options.device = NULL; /* the plan opens one for itself */
    pdp_solution *solution = solve(problem, "tiles", &options);
    assert_string_equal(pdp_solution_backend(solution), backend);
    pdp_solution_free(solution);
    pdp_problem_free(problem);
    pdp_device_free(none);
    pdp_device_free(NULL);
}

/* ---- Many at once ---- */

typedef struct caller {
    const pdp_problem *problem;
    const pdp_solution *expected;
    wish wish;
} caller;

static void *call(void *argument) {
    const caller *c = argument;
    pdp_options options = options_for(c->wish, "i32");
    bool good = true;
    for (int round = 0; round < 3; round++) {
        pdp_plan *plan;
        pdp_solution *solution = NULL;
        good = pdp_plan_create(&plan, c->problem, &options) == PDP_OK && pdp_plan_run(plan, &solution) == PDP_OK &&
               !compare_values(solution, c->expected, false) &&
               (!options.decisions || !compare_decisions(solution, c->expected)) && good;
        pdp_solution_free(solution);
        pdp_plan_free(plan);
    }
    return good ? argument : NULL;
}

/* Eight callers with two problems on one device, which they share. */
static void test_callers(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    pdp_problem *problems[2] = {make_interval("mcm", 130, &random), make_interval(EVERYTHING, 70, &random)};
    pdp_solution *expected[2] = {solve(problems[0], "sequential", NULL), solve(problems[1], "sequential", NULL)};
    pthread_t ids[CALLERS];
    caller callers[CALLERS];
    for (size_t c = 0; c < CALLERS; c++) {
        callers[c] = (caller){problems[c % 2], expected[c % 2], (wish)(c % WISHES)};
        assert_int_equal(pthread_create(&ids[c], NULL, call, &callers[c]), 0);
    }
    for (size_t c = 0; c < CALLERS; c++) {
        void *result;
        assert_int_equal(pthread_join(ids[c], &result), 0);
        CHECK(result, "caller %zu had another result", c);
    }
    for (size_t p = 0; p < 2; p++) {
        pdp_solution_free(expected[p]);
        pdp_problem_free(problems[p]);
    }
}

/* ---- Traces ---- */

/* Problems of these sizes in one recorded run: the trace is whole and in order, and the values are the same. */
static void check_traces(const recipe *r, const size_t *sizes, size_t count, uint64_t *random) {
    pdp_problem *problems[8];
    pdp_solution *solutions[8];
    pdp_plan *plan;
    pdp_options options = options_for(WITHOUT_TABLE, r->type);
    options.algorithm = "tiles";
    options.record = 1;
    for (size_t x = 0; x < count; x++) {
        problems[x] = make_interval(r->recurrence, sizes[x], random);
    }
    CHECK(pdp_plan_batch(&plan, problems, count, &options) == PDP_OK, "%s", pdp_plan_error(plan));
    (void)pdp_plan_run_batch(plan, solutions); /* what fails is told by each */
    for (size_t x = 0; x < count; x++) {
        const uint64_t side = sizes[x] / 64 + 1, pieces = side * (side + 1) + side * (side - 1) * (side - 2) / 6;
        const pdp_record *record = pdp_solution_record(solutions[x]);
        CHECK(record, "%zu points: %s", sizes[x] + 1, pdp_solution_error(solutions[x]));
        CHECK(record->steps == pieces && record->hazards == 0 && record->conflicts[3] == 0 && record->threads >= 1,
              "%zu points: %" PRIu64 " steps instead of %" PRIu64, sizes[x] + 1, record->steps, pieces);
        pdp_solution *expected = solve(problems[x], "sequential", NULL);
        const char *why = compare_values(solutions[x], expected, r->is_close);
        CHECK(!why, "%zu points: %s", sizes[x] + 1, why);
        pdp_solution_free(expected);
    }
    for (size_t x = 0; x < count; x++) {
        pdp_solution_free(solutions[x]);
        pdp_problem_free(problems[x]);
    }
    pdp_plan_free(plan);
}

static void test_trace(void **unused) {
    (void)unused;
    static const size_t sizes[] = {300, 1, 63, 64, 128, 62, 127, 191};
    uint64_t random = test_seed();
    for (size_t x = 0; x < 2 && is_tried(x, x == 0); x++) {
        check_traces(&recipes[x], sizes, 1, &random);
        check_traces(&recipes[x], sizes, 8, &random);
        check_traces(&recipes[x], sizes + 4, 1, &random);
    }
}

/* The start of the work on a tile from position `first` on, or where it becomes final. */
static pdp_tile_event *find_event(pdp_tile_trace *trace, uint32_t row, uint32_t column, uint32_t first, bool is_final) {
    for (size_t x = 0; x < trace->count; x++) {
        pdp_tile_event *e = &trace->events[x];
        if (e->row == row && e->column == column && (is_final ? e->is_end && e->finishes : e->end > first)) {
            return e;
        }
    }
    fail_msg("no such event");
    return NULL;
}

/* A tile that never becomes final, and a product that is taken twice. */
static void test_damaged_trace(void **unused) {
    (void)unused;
    static const char *const expected[] = {"reads tile (1,2) before it is final",
                                           "tile (0,3), thread %u: products 0 to 1, where 1 of 2 are done"};
    uint64_t random = test_seed();
    pdp_problem *problem = make_interval("mcm", 200, &random);
    pdp_options options = options_for(VALUE_ALONE, "i32");
    options.record = 1;
    for (int damage = 0; damage < 2; damage++) {
        pdp_solution *solution = solve(problem, "tiles", &options);
        pdp_tile_event *e = find_event(solution->trace, damage == 0 ? 1 : 0, damage == 0 ? 2 : 3, 1, damage == 0);
        pdp_record record;
        pdp_error error = {0};
        char text[100];
        snprintf(text, sizeof text, expected[damage], e->thread);
        e->finishes = false;
        e->first = 0;
        e->end = 1;
        assert_int_equal(pdp_tile_trace_check(solution->trace, &record, &error), PDP_BAD_INPUT);
        CHECK(strncmp(error.text, "tile (", 6) == 0 && strstr(error.text, text), "%s", error.text);
        pdp_solution_free(solution);
    }
    pdp_problem_free(problem);
}

/* The same for lines: with parts of blocks, with nothing but near offsets, with a list alone, with more blocks than
 * have their sums in memory at once. */
static void test_block_trace(void **unused) {
    (void)unused;
    static const struct {
        size_t n, k;
        int64_t first, reach;
        uint64_t steps; /* parts and sub-blocks; the first 50 cells are preset */
    } shapes[] = {
        {7000, 1500, 65, 5000, 7 * 2 + 55},
        {1500, 100, 1, 200, 12},
        {1500, 30, 20, 1000, 12},
        {51, 1, 1, 1, 1},
        {50, 1, 1, 1, 0},
        {135000, 3, 900, 70000, 1055},
    };
    uint64_t random = test_seed();
    for (size_t x = 0; x < sizeof shapes / sizeof *shapes; x++) {
        pdp_problem *problem =
            make_line(&lines[0], shapes[x].n, shapes[x].k, shapes[x].first, shapes[x].reach, 50, &random);
        pdp_options options = options_for(VALUE_ALONE, "i32");
        options.record = 1;
        pdp_solution *found = solve(problem, "blocks", &options), *expected = solve(problem, "sequential", NULL);
        const pdp_record *record = pdp_solution_record(found);
        CHECK(record && record->steps == shapes[x].steps && record->hazards == 0, "%zu cells: %" PRIu64 " steps",
              shapes[x].n, record ? record->steps : 0);
        assert_null(compare_values(found, expected, false));
        pdp_solution_free(found);
        pdp_solution_free(expected);
        pdp_problem_free(problem);
    }
}

/* The last event of a kind is left out, comes twice, or comes first. */
typedef enum change { LEAVE_OUT, REPEAT, BRING_FORWARD } change;

static const struct {
    uint32_t what;
    change how;
    const char *text;
} block_damages[] = {
    {PDP_BLOCK_READS_CELLS, BRING_FORWARD, "is read before it is final"},
    {PDP_BLOCK_HAS_CELLS, BRING_FORWARD, "is final before the sums of its sub-block were taken"},
    {PDP_BLOCK_HAS_CELLS, LEAVE_OUT, "is never final"},
    {PDP_BLOCK_HAS_CELLS, REPEAT, "is not where the next cells end"},
    {PDP_BLOCK_STARTS_PART, LEAVE_OUT, "is made without a start"},
    {PDP_BLOCK_HAS_PART, REPEAT, "is made without a start, or twice"},
    {PDP_BLOCK_HAS_PART, LEAVE_OUT, "before it is there"},
    {PDP_BLOCK_STARTS_SUMS, BRING_FORWARD, "before it is there"},
    {PDP_BLOCK_STARTS_SUMS, REPEAT, "is started twice"},
    {PDP_BLOCK_HAS_SUMS, LEAVE_OUT, "is taken before it is made"},
    {PDP_BLOCK_READS_SUMS, BRING_FORWARD, "is taken out of order"},
    {PDP_BLOCK_READS_SUMS, LEAVE_OUT, "is final before the sums of its sub-block were taken"},
};

static void damage_blocks(pdp_block_trace *t, uint32_t what, change how) {
    size_t at = t->count - 1;
    while (t->events[at].what != what) {
        assert_true(at-- > 0);
    }
    const pdp_block_event event = t->events[at];
    if (how == LEAVE_OUT) {
        memmove(&t->events[at], &t->events[at + 1], (--t->count - at) * sizeof event);
    } else if (how == REPEAT) {
        memmove(&t->events[at + 1], &t->events[at], (t->count++ - at) * sizeof event);
    } else {
        memmove(&t->events[1], &t->events[0], at * sizeof event);
        t->events[0] = event;
    }
}

static void test_damaged_block_trace(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    pdp_problem *problem = make_line(&lines[0], 7000, 1500, 65, 5000, 50, &random);
    pdp_options options = options_for(VALUE_ALONE, "i32");
    options.record = 1;
    pdp_solution *solution = solve(problem, "blocks", &options);
    const pdp_block_trace *trace = solution->trace;
    pdp_block_trace *damaged = malloc(sizeof *trace + (trace->count + 1) * sizeof *trace->events);
    assert_non_null(damaged);
    pdp_record record;
    for (size_t x = 0; x < sizeof block_damages / sizeof *block_damages; x++) {
        pdp_error error = {0};
        memcpy(damaged, trace, sizeof *trace + trace->count * sizeof *trace->events);
        damage_blocks(damaged, block_damages[x].what, block_damages[x].how);
        CHECK(pdp_block_trace_check(damaged, &record, &error) == PDP_BAD_INPUT &&
                  strstr(error.text, block_damages[x].text),
              "damage %zu: '%s' instead of '%s'", x, error.text, block_damages[x].text);
    }
    pdp_error error = {0};
    memcpy(damaged, trace, sizeof *trace + trace->count * sizeof *trace->events);
    damaged->slots = 0; /* every block takes the place of its own sums */
    assert_int_equal(pdp_block_trace_check(damaged, &record, &error), PDP_BAD_INPUT);
    assert_in(error.text, "takes the place of sums that were not read yet");
    free(damaged);
    pdp_solution_free(solution);
    pdp_problem_free(problem);
}

/* Waits that are taken out of a kernel, and what the checker then says. Of tiles there are so few that they are in work
 * at once. */
static const struct {
    const char *waits[2];
    size_t tile_points; /* 0: a line */
    const char *text;
} planted[] = {
    {{"WAIT(flags + a);", "WAIT(flags + b);"}, 150, "before it is final"},
    {{"f->known = wait_until(f, f->words + PROGRESS, (uint32_t)cells);", ""}, 0, "is read before it is final"},
    {{"wait_until(f, f->words + COUNTS + super / SUBS, (uint32_t)f->parts);", ""}, 0, "before it is there"},
};

static void test_planted_faults(void **unused) {
    (void)unused;
    if (strcmp(backend, "host") != 0) { /* elsewhere there are none, or it would depend on chance */
        skip();
    }
    uint64_t random = test_seed();
    for (size_t p = 0; p < sizeof planted / sizeof *planted; p++) {
        pdp_problem *problem = planted[p].tile_points > 0 ? make_interval("mcm", planted[p].tile_points, &random)
                                                          : make_line(&lines[0], 7000, 1500, 65, 5000, 50, &random);
        pdp_stamp stamp;
        pdp_error error = {0};
        size_t length, widest;
        assert_int_equal(pdp_type_choose(&stamp, (const pdp_problem *const *)&problem, 1, "i32", PDP_LEVEL_GENERIC,
                                         true, &widest, &error),
                         PDP_OK);
        stamp.records = true;
        char *text = pdp_device_text(problem->recurrence, &stamp, &length);
        assert_non_null(text);
        for (size_t x = 0; x < 2; x++) {
            const char *wait = planted[p].waits[x];
            char *found = strstr(text, wait);
            CHECK(found, "there is no %s", wait);
            memset(found, ' ', *wait == '\0' ? 0 : strlen(wait) - 1); /* leaves the semicolon */
        }
        pdp_gpu_job job = {.device = device, .stamp = &stamp, .memory = UINT64_MAX};
        pdp_solution *solution;
        CHECK(pdp_program_open(&job.program, device, text, length, &error) == PDP_OK, "%s", error.text);
        assert_int_equal(pdp_solution_create(&solution, problem), PDP_OK);
        pdp_gpu_solve(&job, &solution, 1);
        CHECK(solution->error.status == PDP_DEVICE &&
                  strncmp(pdp_solution_error(solution), "the trace of the device: ", 25) == 0 &&
                  strstr(pdp_solution_error(solution), planted[p].text),
              "without %s: '%s'", planted[p].waits[0], pdp_solution_error(solution));
        pdp_solution_free(solution);
        free(text);
        pdp_problem_free(problem);
    }
}

/* ---- Progress ---- */

/* A run that reports gives the same in several launches, and one that is cancelled nothing but the reason. Fast devices
 * are done with this before they would report. */
static void test_progress(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    pdp_problem *problem = make_interval("mcm", 300, &random);
    pdp_solution *expected = solve(problem, "sequential", NULL);
    for (size_t stop_at = 0; stop_at < 3; stop_at++) {
        listener l = {.stop_at = stop_at, .is_monotone = true};
        pdp_options options = options_for(ALL, "i32");
        options.on_progress = hear;
        options.context = &l;
        pdp_plan *plan;
        pdp_solution *found;
        CHECK(pdp_plan_create(&plan, problem, &options) == PDP_OK, "%s", pdp_plan_error(plan));
        const pdp_status status = pdp_plan_run(plan, &found);
        assert_true(l.is_monotone);
        CHECK(l.calls > (stop_at != 1) || strcmp(backend, "host") != 0, "%zu calls", l.calls);
        if (stop_at == 0 || l.calls < stop_at) {
            assert_int_equal(status, PDP_OK);
            const char *why = compare_tables(found, expected, 301, 301, false);
            CHECK(!why, "%s", why);
        } else {
            assert_int_equal(status, PDP_CANCELLED);
            assert_int_equal(l.calls, stop_at);
            assert_string_equal(pdp_solution_error(found), "cancelled by the progress callback");
            assert_null(pdp_solution_table(found, NULL, NULL));
            assert_null(pdp_solution_decisions(found, NULL));
        }
        pdp_solution_free(found);
        pdp_plan_free(plan);
    }
    pdp_solution_free(expected);
    pdp_problem_free(problem);
}

/* ---- Other orders of the fibres ---- */

static void test_host_seeds(void **unused) {
    (void)unused;
    if (strcmp(backend, "host") != 0) {
        skip();
    }
    uint64_t random = test_seed();
    pdp_device *first = device;
    for (size_t seed = 2; seed < 2 + campaign(is_sanitized ? 1 : 4, 200); seed++) {
        char text[24];
        snprintf(text, sizeof text, "%zu", seed);
        setenv("PIPEDP_HOST_SEED", text, 1);
        assert_int_equal(pdp_device_open(&device, backend), PDP_OK);
        check_interval(&recipes[seed % 4], 66 + 64 * (seed / 4 % 2), &random, true);
        check_linear(&lines[seed % 2], 1500, &random);
        check_offsets(&lines[seed / 2 % 2], 1500, 30, 20 + (int64_t)seed, 1000, 50, &random, 1);
        pdp_device_free(device);
    }
    setenv("PIPEDP_HOST_SEED", "7x", 1);
    assert_int_equal(pdp_device_open(&device, backend), PDP_BAD_INPUT);
    assert_string_equal(pdp_device_error(device), "PIPEDP_HOST_SEED is '7x', and must be a number");
    pdp_device_free(device);
    unsetenv("PIPEDP_HOST_SEED");
    device = first;
}

int main(int argc, char **argv) {
    backend = argc > 1 ? argv[1] : "host";
    use_test_cache();
    const pdp_status status = pdp_device_open(&device, backend);
    if (status != PDP_OK) {
        printf("skipped: %s\n", pdp_device_error(device));
        pdp_device_free(device);
        return status == PDP_DEVICE ? 77 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals),     cmocka_unit_test(test_lines),
        cmocka_unit_test(test_paper),         cmocka_unit_test(test_paper_refusals),
        cmocka_unit_test(test_failures),      cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_opening),
        cmocka_unit_test(test_callers),       cmocka_unit_test(test_progress),
        cmocka_unit_test(test_host_seeds),    cmocka_unit_test(test_sparse_lines),
        cmocka_unit_test(test_full_lines),    cmocka_unit_test(test_trace),
        cmocka_unit_test(test_damaged_trace), cmocka_unit_test(test_planted_faults),
        cmocka_unit_test(test_block_trace),   cmocka_unit_test(test_damaged_block_trace),
        cmocka_unit_test(test_quick),         cmocka_unit_test(test_no_number),
    };
    const int failed = cmocka_run_group_tests_name(backend, tests, NULL, NULL);
    pdp_device_free(device);
    return failed;
}
