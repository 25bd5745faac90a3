/* Random problems of all kinds on a device, against the CPU: built-in recurrences and some that a user might write, in
 * every type, at sizes around those of tiles and blocks; now and then a larger one many times, since groups that do not
 * wait for each other as they should differ from run to run. And some problems of one kind in a batch, now and then
 * with a record of who read what when. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "selftest.h"

/* ---- Kinds of problems ---- */

/* How a field of a recurrence is filled. */
typedef enum filling {
    NOTHING,
    LIST,       /* n + more numbers, or letters */
    SHORT_LIST, /* `more` of them */
    OFFSETS,
    PRESETS,  /* as many as the greatest offset */
    WEIGHTS,  /* one an offset */
    SIZE,     /* n + more */
    NUMBER,   /* from low .. high */
    OPERATOR, /* one of the letters' words */
} filling;

typedef struct given {
    const char *name;
    filling how;
    int more;
    int64_t low, high;
    const char *letters;
} given;

enum { MOST_GIVEN = 7, MOST_TYPES = 5, LARGE_EVERY = 16, BATCH_EVERY = 5, RECORD_EVERY = 8, MOST_IN_BATCH = 9 };

typedef struct kind {
    const char *text; /* a built-in recurrence's name, or a recurrence */
    const char *types[MOST_TYPES];
    given given[MOST_GIVEN];
} kind;

#define WHOLE                                                                                                          \
    { "i32", "i64", "f32", "f64", NULL }
#define OWN_TYPE                                                                                                       \
    { NULL }
#define OFFSET_LIST(name)                                                                                              \
    { name, OFFSETS, 0, 0, 0, NULL }
#define PRESET_LIST(name, low, high)                                                                                   \
    { name, PRESETS, 0, low, high, NULL }

static const kind interval_kinds[] = {
    {"mcm", WHOLE, {{"p", LIST, 1, 1, 1000, NULL}}},
    {"nussinov", {"i32", "i64", "f64", NULL}, {{"s", LIST, 0, 0, 0, "ACGU"}, {"loop", NUMBER, 0, 0, 5, NULL}}},
    {"triangulation", OWN_TYPE, {{"x", LIST, 1, -999, 999, NULL}, {"y", LIST, 1, -999, 999, NULL}}},
    {"triangulation_product", WHOLE, {{"v", LIST, 1, 1, 200, NULL}}},
    {"obst", WHOLE, {{"p", LIST, 0, 0, 99, NULL}, {"q", LIST, 1, 0, 99, NULL}}},
    {"merge", WHOLE, {{"w", LIST, 0, 0, 999, NULL}}},
    {"cyk",
     OWN_TYPE,
     {{"s", LIST, 0, 0, 0, "ab"},
      {"A", SHORT_LIST, 6, 0, 63, NULL},
      {"B", SHORT_LIST, 6, 0, 3, NULL},
      {"C", SHORT_LIST, 6, 0, 3, NULL},
      {"D", SHORT_LIST, 4, 0, 3, NULL},
      {"letter", SHORT_LIST, 4, 0, 0, "ab"}}},
    {"interval weights\n  input p[n+1] >= 0\n  input q[n+1]\n  size n+1\n  leaf q[i]\n"
     "  term r + p[i]*q[k] + l - q[j]\n  combine max\n  report tree\n",
     WHOLE,
     {{"p", LIST, 1, 0, 99, NULL}, {"q", LIST, 1, -99, 99, NULL}}},
    {"interval parallel\n  input p[n+1] >= 1\n  size n+1\n  leaf 0\n  term max(l, r) + p[i]*p[k]*p[j]\n  combine min\n"
     "  report parens\n",
     WHOLE,
     {{"p", LIST, 1, 1, 300, NULL}}},
    {"interval options\n  input s[n] >= 0 <= 3\n  param gap >= 0\n  size n+1\n  empty 1\n  leaf s[i]\n  term l + r - "
     "1\n"
     "  option inside + 2 if s[i] == s[j-1] && j - i > gap\n  option inside - s[i] if s[i] > s[j-1]\n"
     "  finish best + (s[i] == 2 ? 1 : 0)\n  combine max\n  report brackets\n",
     WHOLE,
     {{"s", LIST, 0, 0, 3, NULL}, {"gap", NUMBER, 0, 0, 4, NULL}}},
    {"interval sums\n  input w[n]\n  size n+1\n  leaf w[i]\n  term l + r + sum(w, i, k)*2 - sum(w, k, j)\n"
     "  finish best + sum(w, i, j)\n  combine min\n  report tree\n",
     WHOLE,
     {{"w", LIST, 0, -50, 50, NULL}}},
    {"interval guarded\n  input p[n+1] >= 0\n  input q[n+1]\n  size n+1\n  leaf 0\n"
     "  term l + r + (p[k] > 2 ? q[(i + j + k) % (n+1)] / p[k] : p[i] % 5)\n  combine min\n  report tree\n",
     WHOLE,
     {{"p", LIST, 1, 0, 9, NULL}, {"q", LIST, 1, -99, 99, NULL}}},
    {"interval own\n  type bits\n  input c[n]\n  size n+1\n  leaf c[i]\n  term l + r*c[k]\n"
     "  combine (x, y) x + y + x*y identity 0\n",
     OWN_TYPE,
     {{"c", LIST, 0, 0, 999, NULL}}},
    {"interval counts\n  type mod P\n  param P >= 2\n  input c[n+1]\n  size n+1\n  leaf 1\n  term l*r + c[k]\n"
     "  combine add\n",
     OWN_TYPE,
     {{"P", NUMBER, 0, 2, 2147483647, NULL}, {"c", LIST, 1, 0, 9, NULL}}},
    {"interval sets\n  type bits\n  input c[n] >= 0\n  size n+1\n  leaf c[i]\n  term l & r<<1 | l>>3 ^ k\n  combine "
     "xor\n",
     OWN_TYPE,
     {{"c", LIST, 0, 0, INT64_MAX, NULL}}},
    {"interval chances\n  type f64\n  input w[n]\n  size n+1\n  leaf w[i] / 100\n  term l*r / 4 + w[k] / 1000\n"
     "  combine add\n",
     OWN_TYPE,
     {{"w", LIST, 0, 0, 99, NULL}}},
    {"interval logs\n  type f64\n  input w[n]\n  size n+1\n  leaf w[i] / 100\n  term l + r - w[k] / 50\n"
     "  combine logsumexp\n",
     OWN_TYPE,
     {{"w", LIST, 0, 0, 99, NULL}}},
    {"interval singles\n  type f32\n  input x[n+1]\n  size n+1\n  leaf 0\n"
     "  term l + r + sqrt(abs(x[i]*x[k] - x[j]))\n  combine min\n  report tree\n",
     OWN_TYPE,
     {{"x", LIST, 1, -99, 99, NULL}}},
    {"interval divisors\n  input p[n] >= 1\n  size n+1\n  leaf p[i]*12\n  term abs(l - r)\n  combine gcd\n",
     {"i32", "i64", NULL},
     {{"p", LIST, 0, 1, 99, NULL}}},
};

static const kind linear_kinds[] = {
    {"sdp",
     {"i32", "i64", NULL},
     {{"op", OPERATOR, 0, 0, 0, "min max and or xor gcd"},
      {"n", SIZE, 0, 0, 0, NULL},
      OFFSET_LIST("a"),
      PRESET_LIST("init", -9999, 9999)}},
    {"sdp_added",
     WHOLE,
     {{"op", OPERATOR, 0, 0, 0, "min max"},
      {"n", SIZE, 0, 0, 0, NULL},
      OFFSET_LIST("a"),
      PRESET_LIST("init", -99, 99),
      {"w", WEIGHTS, 0, -20, 99, NULL},
      {"x", LIST, 0, -999, 9999, NULL}}},
    {"linear weights\n  param n >= 1\n  input a[k] >= 1\n  input init[m]\n  input w[k]\n  size n\n  preset m : "
     "init[i]\n"
     "  offset a[j]\n  term 2*w[j] - j + s\n  combine min\n",
     WHOLE,
     {{"n", SIZE, 0, 0, 0, NULL}, OFFSET_LIST("a"), PRESET_LIST("init", -99, 99), {"w", WEIGHTS, 0, -20, 99, NULL}}},
    {"coins", WHOLE, {OFFSET_LIST("coin"), {"amount", SIZE, -1, 0, 0, NULL}}},
    {"knapsack",
     WHOLE,
     {OFFSET_LIST("weight"), {"value", WEIGHTS, 0, 0, 99, NULL}, {"capacity", SIZE, -1, 0, 0, NULL}}},
    {"rod", WHOLE, {{"price", SHORT_LIST, 70, 0, 99, NULL}, {"length", SIZE, -1, 0, 0, NULL}}},
    {"compositions_mod",
     OWN_TYPE,
     {{"P", NUMBER, 0, 2, 2147483647, NULL}, OFFSET_LIST("part"), {"total", SIZE, -1, 0, 0, NULL}}},
    {"filter", OWN_TYPE, {{"x", LIST, 0, -9, 9, NULL}, OFFSET_LIST("a"), {"w", WEIGHTS, 0, 0, 0, NULL}}},
    {"lfsr", {"i32", "i64", NULL}, {OFFSET_LIST("tap"), PRESET_LIST("init", 0, 99999), {"n", SIZE, 0, 0, 0, NULL}}},
    {"linear scaled\n  type mod P\n  param P >= 2\n  param n >= 1\n  input a[k] >= 1\n  input init[m]\n  input w[k]\n"
     "  size n\n  preset m : init[i]\n  offset a[j]\n  term w[j]*s + i\n  combine add\n",
     OWN_TYPE,
     {{"P", NUMBER, 0, 2, 2147483647, NULL},
      {"n", SIZE, 0, 0, 0, NULL},
      OFFSET_LIST("a"),
      PRESET_LIST("init", 0, 999),
      {"w", WEIGHTS, 0, 0, 999, NULL}}},
    {"linear guarded\n  param n >= 1\n  input a[k] >= 1\n  input w[k]\n  input c[n]\n  size n\n  missing skip\n  "
     "offset a[j]\n"
     "  source c[i]\n  term s + (c[i] > 3 ? w[j] / c[i] : c[i / 2] - w[j] % 7)\n  finish max(best, -1000)\n  combine "
     "min\n",
     WHOLE,
     {{"n", SIZE, 0, 0, 0, NULL}, OFFSET_LIST("a"), {"w", WEIGHTS, 0, 0, 99, NULL}, {"c", LIST, 0, 0, 9, NULL}}},
    {"linear own\n  type bits\n  param n >= 1\n  input a[k] >= 1\n  input w[k]\n  size n\n  preset 1 "
     ": 1\n"
     "  missing skip\n  offset a[j]\n  term s + w[j]\n  combine (x, y) x + y + x*y identity 0\n",
     OWN_TYPE,
     {{"n", SIZE, 0, 0, 0, NULL}, OFFSET_LIST("a"), {"w", WEIGHTS, 0, 0, 99, NULL}}},
    {"linear sets\n  type bits\n  param n >= 1\n  input a[k] >= 1\n  input c[n] >= 0\n  size n\n  missing skip\n  "
     "offset a[j]\n"
     "  source c[i]\n  term s<<1 | s>>7\n  combine or\n",
     OWN_TYPE,
     {{"n", SIZE, 0, 0, 0, NULL}, OFFSET_LIST("a"), {"c", LIST, 0, 0, 1, NULL}}},
};

enum {
    INTERVAL_KINDS = sizeof interval_kinds / sizeof *interval_kinds,
    LINEAR_KINDS = sizeof linear_kinds / sizeof *linear_kinds
};

/* ---- Drawing ---- */

/* A problem as it is drawn. */
typedef struct drawn {
    const kind *kind;
    size_t n;
    int64_t *offsets;
    size_t offset_count;
    size_t greatest;   /* offset */
    uint64_t operator; /* its number among those of the kind */
    uint64_t *state;
} drawn;

static const size_t interval_sizes[] = {1,  2,  3,  4,   5,   15,  16,  17,  31,  37,  62,  63,
                                        64, 65, 66, 101, 126, 127, 128, 129, 130, 191, 192, 193};
static const size_t linear_sizes[] = {1,    2,    3,    15,   16,   17,   31,   33,   127,  128,  129,
                                      255,  257,  997,  1023, 1024, 1025, 1151, 1152, 1153, 2047, 2048,
                                      2049, 2176, 3001, 4095, 4097, 4224, 4225, 5119, 5121, 6007};
enum {
    INTERVAL_SIZES = sizeof interval_sizes / sizeof *interval_sizes,
    LINEAR_SIZES = sizeof linear_sizes / sizeof *linear_sizes
};

static int compare_falling(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* As the paper has them: strictly falling. */
static void sort_offsets(drawn *p) {
    size_t kept = 0;
    qsort(p->offsets, p->offset_count, sizeof *p->offsets, compare_falling);
    for (size_t j = 0; j < p->offset_count; j++) {
        if (kept == 0 || p->offsets[j] < p->offsets[kept - 1]) {
            p->offsets[kept++] = p->offsets[j];
        }
    }
    p->offset_count = kept;
}

/* Few or many, near or far, as the kernels tell them apart. */
static bool draw_offsets(drawn *p) {
    const int64_t spans[] = {3, 40, 130, 1300, (int64_t)p->n};
    int64_t span = spans[pdp_random_next(p->state) % 5];
    span = span < (int64_t)p->n ? span : (int64_t)p->n;
    const bool is_dense = pdp_random_next(p->state) % 2 == 0;
    p->offset_count = (size_t)(is_dense ? (span + 1) / 2 : pdp_random_between(p->state, 1, span < 20 ? span : 20));
    p->offsets = malloc(p->offset_count * sizeof *p->offsets);
    for (size_t j = 0; p->offsets && j < p->offset_count; j++) {
        p->offsets[j] = pdp_random_between(p->state, 1, span);
        p->greatest = (size_t)p->offsets[j] > p->greatest ? (size_t)p->offsets[j] : p->greatest;
    }
    if (p->offsets && pdp_random_next(p->state) % 2 == 0) {
        sort_offsets(p);
    }
    return p->offsets != NULL;
}

static pdp_status set_letters(pdp_problem *problem, const given *g, size_t count, uint64_t *state) {
    char *text = malloc(count + 1);
    for (size_t x = 0; text && x < count; x++) {
        text[x] = g->letters[pdp_random_next(state) % strlen(g->letters)];
    }
    pdp_status status = text ? pdp_problem_set_text(problem, g->name, text, count) : PDP_NO_MEMORY;
    free(text);
    return status;
}

static pdp_status set_list(pdp_problem *problem, const given *g, size_t count, uint64_t *state) {
    int64_t *list = malloc((count + 1) * sizeof *list);
    const bool is_small = pdp_random_next(state) % 2 == 0; /* so that narrow types hold the values */
    const int64_t high = is_small && g->high > 20 ? 20 : g->high;
    for (size_t x = 0; list && x < count; x++) {
        list[x] = pdp_random_between(state, g->low, high);
    }
    pdp_status status = list ? pdp_problem_set_whole(problem, g->name, list, count, 0) : PDP_NO_MEMORY;
    free(list);
    return status;
}

static pdp_status set_operator(pdp_problem *problem, const given *g, uint64_t number) {
    const char *word = g->letters;
    size_t length = strcspn(word, " ");
    for (uint64_t skip = number; skip > 0; skip--) {
        word = word[length] == '\0' ? g->letters : word + length + 1;
        length = strcspn(word, " ");
    }
    return pdp_problem_set_text(problem, g->name, word, length);
}

static pdp_status set_field(pdp_problem *problem, const given *g, const drawn *p) {
    const size_t count = g->how == LIST      ? (size_t)((int64_t)p->n + g->more)
                         : g->how == PRESETS ? p->greatest
                         : g->how == WEIGHTS ? p->offset_count
                                             : (size_t)g->more;
    int64_t number = (int64_t)p->n + g->more;
    switch (g->how) {
    case OFFSETS: return pdp_problem_set_whole(problem, g->name, p->offsets, p->offset_count, 0);
    case OPERATOR: return set_operator(problem, g, p->operator);
    case NUMBER: number = pdp_random_between(p->state, g->low, g->high); /* fall through */
    case SIZE: return pdp_problem_set_whole(problem, g->name, &number, 1, 0);
    default: return g->letters ? set_letters(problem, g, count, p->state) : set_list(problem, g, count, p->state);
    }
}

/* NULL, and a mismatch, if that is refused. */
static pdp_problem *make_problem(selftest *test, drawn *p, const char *name) {
    pdp_recurrence *recurrence = NULL;
    pdp_problem *problem = NULL;
    const char *text = p->kind->text;
    pdp_status status = strchr(text, ' ') ? pdp_recurrence_parse(&recurrence, text, strlen(text))
                                          : pdp_recurrence_load(&recurrence, text);
    selftest_expect(test, status == PDP_OK, "%s: refused: %s", name, pdp_recurrence_error(recurrence));
    if (status == PDP_OK) {
        status = draw_offsets(p) ? pdp_problem_create(&problem, recurrence) : PDP_NO_MEMORY;
        p->n = pdp_recurrence_shape(recurrence) == PDP_LINEAR && p->n < p->greatest ? p->greatest : p->n;
    }
    for (size_t g = 0; status == PDP_OK && g < MOST_GIVEN && p->kind->given[g].how != NOTHING; g++) {
        status = set_field(problem, &p->kind->given[g], p);
    }
    status = status == PDP_OK ? pdp_problem_check(problem) : status;
    selftest_expect(test, status == PDP_OK, "%s: refused: %s", name,
                    problem ? pdp_problem_error(problem) : "no memory");
    pdp_recurrence_free(recurrence);
    if (status != PDP_OK) {
        pdp_problem_free(problem);
        problem = NULL;
    }
    return problem;
}

/* ---- Comparing ---- */

static bool is_close(double a, double b, double tolerance) {
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

static bool same_row(const pdp_solution *one, const pdp_solution *other, size_t row, size_t columns, double tolerance,
                     void *cells) {
    if (!pdp_solution_is_real(one)) {
        int64_t *a = cells, *b = a + columns;
        return pdp_solution_row(one, row, a, columns) == PDP_OK && pdp_solution_row(other, row, b, columns) == PDP_OK &&
               memcmp(a, b, columns * sizeof *a) == 0;
    }
    double *a = cells, *b = a + columns;
    bool same = pdp_solution_real_row(one, row, a, columns) == PDP_OK &&
                pdp_solution_real_row(other, row, b, columns) == PDP_OK;
    for (size_t j = 0; same && j < columns; j++) {
        same = is_close(a[j], b[j], tolerance);
    }
    return same;
}

/* The first row that differs; SIZE_MAX if none does. */
static size_t find_difference(const pdp_problem *problem, pdp_shape shape, const pdp_solution *one,
                              const pdp_solution *other, double tolerance) {
    const size_t columns = pdp_problem_size(problem), rows = shape == PDP_INTERVAL ? columns : 1;
    void *cells = malloc(2 * columns * sizeof(double));
    size_t row = 0;
    while (cells && row < rows && same_row(one, other, row, columns, tolerance, cells)) {
        row++;
    }
    free(cells);
    return row < rows ? row : SIZE_MAX;
}

static bool same_decisions(const pdp_solution *one, const pdp_solution *other) {
    size_t counts[2];
    const pdp_decision *a = pdp_solution_decisions(one, &counts[0]);
    const pdp_decision *b = pdp_solution_decisions(other, &counts[1]);
    bool same = counts[0] == counts[1];
    for (size_t x = 0; same && x < counts[0]; x++) {
        same = a[x].kind == b[x].kind && a[x].i == b[x].i && a[x].k == b[x].k && a[x].j == b[x].j;
    }
    return same;
}

static bool same_reports(const pdp_solution *one, const pdp_solution *other) {
    char *a = pdp_solution_report(one), *b = pdp_solution_report(other);
    const bool same = a && b ? strcmp(a, b) == 0 : a == b;
    free(a);
    free(b);
    return same;
}

/* Whole numbers to the last bit, floats to rounding; decisions and words where the tables are the same. */
static void compare(selftest *test, const pdp_problem *problem, pdp_shape shape, const pdp_solution *reference,
                    const pdp_solution *solution, double tolerance, const char *name) {
    const size_t row = find_difference(problem, shape, reference, solution, tolerance);
    selftest_expect(test, row == SIZE_MAX, "%s: row %zu of the table is another than on the CPU", name, row);
    selftest_expect(test,
                    pdp_solution_value(reference) == pdp_solution_value(solution) &&
                        is_close(pdp_solution_real_value(reference), pdp_solution_real_value(solution), tolerance) &&
                        pdp_solution_feasible(reference) == pdp_solution_feasible(solution),
                    "%s: another value than on the CPU", name);
    if (find_difference(problem, shape, reference, solution, 0) == SIZE_MAX) {
        const size_t points = pdp_problem_size(problem);
        const int64_t *a = pdp_solution_splits(reference), *b = pdp_solution_splits(solution);
        selftest_expect(test, same_decisions(reference, solution), "%s: other decisions than on the CPU", name);
        selftest_expect(test, same_reports(reference, solution), "%s: another report than on the CPU", name);
        selftest_expect(test, !a || (b && memcmp(a, b, points * points * sizeof *a) == 0),
                        "%s: other splits than on the CPU", name);
    }
}

/* ---- Solving ---- */

/* A large problem again and again: every run has to give the same, bit for bit. */
static void repeat(selftest *test, const pdp_problem *problem, pdp_shape shape, const pdp_plan *plan,
                   const pdp_solution *first, const char *name) {
    const int times = strcmp(test->backend, "cuda") == 0 ? 200 : 5;
    for (int x = 0; x < times && test->mismatches == 0; x++) {
        pdp_solution *again = NULL;
        pdp_status status = pdp_plan_run(plan, &again);
        selftest_expect(test, status == PDP_OK, "%s: run %d: %s", name, x + 2, pdp_solution_error(again));
        if (status == PDP_OK) {
            selftest_expect(
                test, find_difference(problem, shape, first, again, 0) == SIZE_MAX && same_decisions(first, again),
                "%s: run %d gave another table", name, x + 2);
        }
        pdp_solution_free(again);
    }
}

static pdp_solution *solve_on_cpu(const pdp_problem *problem, const pdp_options *wish, const char *algorithm,
                                  pdp_status *status) {
    pdp_options options = *wish;
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    options.algorithm = algorithm;
    options.backend = "cpu";
    options.device = NULL;
    options.type = NULL;
    options.record = 0;
    *status = pdp_plan_create(&plan, problem, &options);
    *status = *status == PDP_OK ? pdp_plan_run(plan, &solution) : *status;
    pdp_plan_free(plan);
    return solution;
}

/* One method that the device may have. False if it has not. */
static bool test_method(selftest *test, const pdp_problem *problem, pdp_shape shape, const pdp_options *options,
                        const pdp_solution *reference, pdp_status expected, bool is_large, const char *name) {
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL, *own = NULL;
    char full[200];
    pdp_status status = pdp_plan_create(&plan, problem, options);
    if (status == PDP_BAD_INPUT) {
        pdp_plan_free(plan);
        return false;
    }
    snprintf(full, sizeof full, "%s, %s %s", name, options->algorithm, pdp_plan_type(plan));
    selftest_expect(test, status == PDP_OK, "%s: %s", full, pdp_plan_error(plan));
    if (status == PDP_OK) {
        const double tolerance = strcmp(pdp_plan_type(plan), "f32") == 0 ? 1e-4 : 1e-9;
        if (!pdp_plan_guaranteed(plan)) { /* what it gives is what the step-exact machine gives */
            reference = own = solve_on_cpu(problem, options, options->algorithm, &expected);
        }
        status = pdp_plan_run(plan, &solution);
        selftest_expect(test, status == expected, "%s: status %d instead of %d %s", full, (int)status, (int)expected,
                        pdp_solution_error(solution));
        if (status == PDP_OK && expected == PDP_OK) {
            compare(test, problem, shape, reference, solution, tolerance, full);
        }
        if (status == PDP_OK && is_large) {
            repeat(test, problem, shape, plan, solution, full);
        }
    }
    pdp_solution_free(own);
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return true;
}

/* Every method of the device. Those of the paper have a type of their own, and take long for a large problem. */
static void test_problem(selftest *test, const pdp_problem *problem, pdp_shape shape, const char *type, uint64_t seed,
                         const char *name) {
    const bool is_large = seed % LARGE_EVERY == 0;
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_status expected;
    options.splits = shape == PDP_INTERVAL && pdp_problem_size(problem) < 140;
    pdp_solution *reference = solve_on_cpu(problem, &options, is_large ? "auto" : "sequential", &expected);
    selftest_expect(test, expected == PDP_OK || expected == PDP_OVERFLOW, "%s: the CPU failed: %s", name,
                    pdp_solution_error(reference));
    options.backend = test->backend;
    options.device = test->device;
    options.resident = (int)(seed % 2);
    options.compile = seed % 4 == 0 ? 1 : 2; /* kernels for little work now and then, the others more often */
    bool is_taken = false;
    for (size_t m = 0; (options.algorithm = pdp_algorithm_name(shape, m)) != NULL && test->mismatches == 0; m++) {
        const bool is_engine = strcmp(options.algorithm, "tiles") == 0 || strcmp(options.algorithm, "blocks") == 0;
        options.type = is_engine ? type : NULL;
        if (is_engine || !is_large) {
            is_taken |= test_method(test, problem, shape, &options, reference, expected, is_large, name);
        }
    }
    test->skipped += !is_taken;
    pdp_solution_free(reference);
}

/* ---- Batches ---- */

/* Solves the problems in one plan, and each alone on the CPU. */
static void compare_batch(selftest *test, pdp_problem *const *problems, size_t count, pdp_shape shape,
                          const pdp_options *options, const char *name) {
    pdp_plan *plan = NULL;
    pdp_solution *solutions[MOST_IN_BATCH] = {NULL};
    pdp_status status = pdp_plan_batch(&plan, problems, count, options);
    if (status == PDP_BAD_INPUT && !options->record) { /* not for the device, or not in the type */
        test->skipped++;
        pdp_plan_free(plan);
        return;
    }
    selftest_expect(test, status == PDP_OK, "%s: %s", name, pdp_plan_error(plan));
    const double tolerance = strcmp(pdp_plan_type(plan), "f32") == 0 ? 1e-4 : 1e-9;
    (void)pdp_plan_run_batch(plan, solutions); /* what fails is told by each */
    for (size_t x = 0; x < pdp_plan_count(plan); x++) {
        char full[200];
        pdp_status expected;
        pdp_solution *reference = solve_on_cpu(problems[x], options, "auto", &expected);
        const bool is_good = *pdp_solution_error(solutions[x]) == '\0';
        snprintf(full, sizeof full, "%s, problem %zu of size %zu", name, x + 1, pdp_problem_size(problems[x]));
        selftest_expect(test, is_good == (expected == PDP_OK), "%s: '%s', and alone on the CPU '%s'", full,
                        pdp_solution_error(solutions[x]), pdp_solution_error(reference));
        if (is_good && expected == PDP_OK) {
            compare(test, problems[x], shape, reference, solutions[x], tolerance, full);
            const pdp_record *record = pdp_solution_record(solutions[x]);
            selftest_expect(test, !options->record || (record && record->hazards == 0), "%s: nothing was recorded",
                            full);
        }
        pdp_solution_free(reference);
        pdp_solution_free(solutions[x]);
    }
    pdp_plan_free(plan);
}

/* Problems like the one that was drawn, of these sizes. */
static void solve_alike(selftest *test, const drawn *like, const size_t *sizes, size_t count, pdp_shape shape,
                        const char *type, bool record, const char *name) {
    pdp_problem *problems[MOST_IN_BATCH] = {NULL};
    bool is_made = true;
    for (size_t x = 0; x < count && is_made; x++) {
        drawn p = {.kind = like->kind, .n = sizes[x], .operator= like->operator, .state = like->state };
        problems[x] = make_problem(test, &p, name);
        is_made = problems[x] != NULL;
        free(p.offsets);
    }
    if (is_made) {
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = shape == PDP_LINEAR ? "blocks" : "tiles";
        options.type = type;
        options.splits = shape == PDP_INTERVAL && !record;
        options.record = record;
        options.backend = test->backend;
        options.device = test->device;
        options.compile = 2;
        compare_batch(test, problems, count, shape, &options, name);
    }
    for (size_t x = 0; x < count; x++) {
        pdp_problem_free(problems[x]);
    }
}

/* Some of one size, or of several. */
static void test_batch(selftest *test, const drawn *like, pdp_shape shape, const char *type, const char *name) {
    const size_t *sizes = shape == PDP_LINEAR ? linear_sizes : interval_sizes;
    const uint64_t size_count = shape == PDP_LINEAR ? LINEAR_SIZES : INTERVAL_SIZES;
    const size_t count = (size_t)pdp_random_between(like->state, 1, MOST_IN_BATCH);
    const bool is_uniform = pdp_random_next(like->state) % 2 == 0;
    size_t drawn_sizes[MOST_IN_BATCH];
    for (size_t x = 0; x < count; x++) {
        drawn_sizes[x] = is_uniform ? like->n : sizes[pdp_random_next(like->state) % size_count];
    }
    solve_alike(test, like, drawn_sizes, count, shape, type, false, name);
}

/* Matrix chains, letters to fold, or lines, whose points fill tiles or sub-blocks, or are one off that. What is read
 * before it is final is an error of the run. The types hold all values. */
static void test_record(selftest *test, uint64_t seed, uint64_t *state) {
    static const struct {
        const kind *kind;
        const char *type;
        pdp_shape shape;
        int64_t unit, most, most_on_gpu; /* points of a tile or sub-block, and how many of these */
    } choices[] = {{&interval_kinds[0], "i64", PDP_INTERVAL, 64, 5, 24},
                   {&interval_kinds[1], "i32", PDP_INTERVAL, 64, 5, 24},
                   {&linear_kinds[1], "i64", PDP_LINEAR, 128, 48, 400}};
    const size_t x = seed / RECORD_EVERY % (sizeof choices / sizeof *choices);
    const int64_t most = strcmp(test->backend, "cuda") == 0 ? choices[x].most_on_gpu : choices[x].most;
    const drawn like = {.kind = choices[x].kind, .state = state};
    const size_t count = (size_t)pdp_random_between(state, 1, 4);
    size_t sizes[MOST_IN_BATCH];
    char name[128];
    for (size_t m = 0; m < count; m++) {
        sizes[m] = (size_t)(choices[x].unit * pdp_random_between(state, 1, most) - pdp_random_between(state, 0, 2));
    }
    snprintf(name, sizeof name, "seed %" PRIu64 ": %s on %s, recorded", seed, like.kind->text, test->backend);
    solve_alike(test, &like, sizes, count, choices[x].shape, choices[x].type, true, name);
}

void selftest_on_device(selftest *test, uint64_t seed) {
    uint64_t state = seed;
    const bool is_cuda = strcmp(test->backend, "cuda") == 0;
    const bool is_large = seed % LARGE_EVERY == 0;
    const bool is_linear = pdp_random_next(&state) % 5 < 2;
    drawn p = {.state = &state, .operator= pdp_random_next(&state) % 8};
    if (is_linear) {
        p.kind = &linear_kinds[pdp_random_next(&state) % LINEAR_KINDS];
        p.n = is_large ? (size_t)pdp_random_between(&state, is_cuda ? 20000 : 2000, is_cuda ? 60000 : 5000)
                       : linear_sizes[pdp_random_next(&state) % LINEAR_SIZES];
    } else {
        p.kind = &interval_kinds[pdp_random_next(&state) % INTERVAL_KINDS];
        p.n = is_large ? (size_t)pdp_random_between(&state, is_cuda ? 700 : 140, is_cuda ? 1500 : 260)
                       : interval_sizes[pdp_random_next(&state) % INTERVAL_SIZES];
    }
    const char *const *types = p.kind->types;
    size_t type_count = 1;
    while (type_count < MOST_TYPES && types[type_count - 1]) {
        type_count++;
    }
    const char *type = types[pdp_random_next(&state) % type_count];
    char name[128];
    const char *words = strchr(p.kind->text, ' ');
    words = words ? words + 1 : p.kind->text;
    snprintf(name, sizeof name, "seed %" PRIu64 ": %.*s n=%zu on %s", seed, (int)strcspn(words, "\n"), words, p.n,
             test->backend);
    pdp_problem *problem = make_problem(test, &p, name);
    if (problem) {
        test_problem(test, problem, is_linear ? PDP_LINEAR : PDP_INTERVAL, type, seed, name);
    }
    if (problem && !is_large && seed % BATCH_EVERY == 1) {
        snprintf(name + strlen(name), sizeof name - strlen(name), ", a batch");
        test_batch(test, &p, is_linear ? PDP_LINEAR : PDP_INTERVAL, type, name);
    }
    pdp_problem_free(problem);
    free(p.offsets);
    if (seed % RECORD_EVERY == 2) {
        test_record(test, seed, &state);
    }
}
