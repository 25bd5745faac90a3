/* The method that keeps the last cells alone, against those that keep all: every operator and type, compiled and
 * interpreted, at the edges of its pieces; pieces of any size; what fails in a later piece; what is kept. And the cell
 * that is asked for, by every method. */
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "cpu/window.h"
#include "plan/plan.h"

/* ---- Problems ---- */

typedef struct recipe {
    const char *text; /* or the name of a built-in */
    const char *op;   /* or NULL */
    int64_t modulus;  /* or 0 */
    bool is_close;    /* sums of floats, whose order depends on the size of a piece */
} recipe;

#define LINE(type, clauses)                                                                                            \
    "linear t\n" type "  param n >= 1\n  input a[k] >= 1\n  input w[k]\n  input x[n]\n  size n\n" clauses

static const recipe recipes[] = {
    {"sdp", "min", 0, false},
    {"sdp", "max", 0, false},
    {"sdp", "and", 0, false},
    {"sdp", "or", 0, false},
    {"sdp", "xor", 0, false},
    {"sdp", "gcd", 0, false},
    {LINE("  type bits\n", "  preset 9 : i\n  offset a[j]\n  term s\n  combine add\n"), NULL, 0, false},
    {LINE("  type bits\n", "  preset 9 : 2*i+1\n  offset a[j]\n  term s*w[j]\n  combine mul\n"), NULL, 0, false},
    {LINE("  type mod P\n  param P >= 2\n",
          "  preset 9 : i\n  offset a[j]\n  term w[j]*s\n  source x[i]\n  combine add\n"),
     NULL, 1000000007, false},
    {LINE("  type mod P\n  param P >= 2\n", "  preset 9 : i+1\n  offset a[j]\n  term s\n  combine mul\n"), NULL,
     INT64_MAX, false},
    {LINE("", "  missing skip\n  preset 1 : 0\n  offset a[j]\n  term s + w[j]\n  combine min\n"), NULL, 0, false},
    {LINE("", "  missing skip\n  source x[i]\n  offset a[j]\n  term s - 3\n  combine max\n"), NULL, 0, false},
    {LINE("", "  missing skip\n  preset 2 : 5\n  offset a[j]\n  term s + (i % 7 == j ? x[i] : w[j])\n"
              "  finish best - i % 3\n  combine max\n"),
     NULL, 0, false},
    {LINE("  type i64\n", "  preset 9 : i\n  offset a[j]\n  term s/2 + x[i]*w[j]\n  combine min\n"), NULL, 0, false},
    {LINE("", "  preset 9 : i\n  offset a[j]\n  term (s & 1023) + w[j]\n  combine xor\n"), NULL, 0, false},
    {LINE("", "  preset 9 : i\n  offset a[j]\n  term s % 5\n  source x[i]\n  combine add\n"), NULL, 0, false},
    {LINE("", "  preset 9 : i\n  offset a[j]\n  term s % 3\n  combine (x, y) x+y+x*y identity 0\n  finish best % 10\n"),
     NULL, 0, false},
    {LINE("", "  preset 9 : i\n  offset a[j]\n  term s + x[i]\n  combine (x, y) x\n"), NULL, 0, false},
    {LINE("  type f64\n", "  preset 9 : i\n  offset a[j]\n  term s + w[j]/4\n  combine min\n"), NULL, 0, false},
    {LINE("  type f32\n", "  missing skip\n  preset 1 : 1\n  offset a[j]\n  term s*0.5 + x[i]\n  combine max\n"), NULL,
     0, false},
    {LINE("", "  missing skip\n  preset 1 : 3\n  offset a[j]\n  term s*(w[j] % 2)\n  combine min\n"), NULL, 0, false},
    {LINE("  type f64\n", "  missing skip\n  preset 1 : 3\n  offset a[j]\n  term s*abs(w[j] % 2)\n"
                          "  finish best*0.5\n  combine max\n"),
     NULL, 0, false},
    {LINE("  type f64\n", "  missing skip\n  source x[i]\n  offset a[j]\n  term s*(w[j]/50.0)\n  combine add\n"), NULL,
     0, true},
    {LINE("  type f64\n", "  preset 9 : i\n  offset a[j]\n  term s - 9.0 + w[j]\n  combine logsumexp\n"), NULL, 0,
     true},
};
enum { RECIPES = sizeof recipes / sizeof *recipes, MOST_OFFSETS = 6, PRESETS = 9 };

static int64_t *draw(uint64_t *random, size_t count, int64_t low, int64_t high) {
    int64_t *drawn = malloc(count * sizeof *drawn);
    assert_non_null(drawn);
    for (size_t i = 0; i < count; i++) {
        drawn[i] = pdp_random_between(random, low, high);
    }
    return drawn;
}

static void give(pdp_problem *problem, const char *name, const int64_t *data, size_t count) {
    if (pdp_problem_set_whole(problem, name, data, count, 0) != PDP_OK) {
        fail_msg("%s", pdp_problem_error(problem));
    }
}

/* Offsets are at most 9 where that many cells are preset, otherwise up to `reach`. */
static pdp_problem *make(const recipe *r, size_t n, size_t reach, uint64_t *random) {
    const bool is_sdp = r->op != NULL;
    const bool skips = strstr(r->text, "skip") != NULL;
    const size_t k = (size_t)pdp_random_between(random, 1, MOST_OFFSETS);
    const int64_t cells = (int64_t)n;
    pdp_recurrence *recurrence;
    pdp_problem *problem;
    const pdp_status status = is_sdp ? pdp_recurrence_load(&recurrence, r->text)
                                     : pdp_recurrence_parse(&recurrence, r->text, strlen(r->text));
    CHECK(status == PDP_OK, "%s\n%s", r->text, pdp_recurrence_error(recurrence));
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    pdp_recurrence_free(recurrence);
    int64_t *offsets = draw(random, k, 1, skips || is_sdp ? (int64_t)reach : PRESETS);
    int64_t *weights = draw(random, k, -9, 9), *sources = draw(random, n, -99, 99);
    int64_t *presets = draw(random, reach, -99, 99);
    give(problem, "n", &cells, 1);
    give(problem, "a", offsets, k);
    if (is_sdp) {
        assert_int_equal(pdp_problem_set_text(problem, "op", r->op, strlen(r->op)), PDP_OK);
        give(problem, "init", presets, reach);
    } else {
        give(problem, "w", weights, k);
        give(problem, "x", sources, n);
    }
    if (r->modulus > 0) {
        give(problem, "P", &r->modulus, 1);
    }
    free(offsets);
    free(weights);
    free(sources);
    free(presets);
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s\n%s", r->text, pdp_problem_error(problem));
    return problem;
}

/* ---- Comparing ---- */

static bool same(double a, double b, bool is_close) {
    uint64_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    return bits[0] == bits[1] || (is_close && fabs(a - b) <= 1e-9 * (1 + fabs(a)));
}

/* All cells that are kept are those of the table, and no cell before them is there. */
static void compare_cells(const recipe *r, const pdp_solution *found, const pdp_solution *expected, size_t n) {
    enum { PART = 512 };
    int64_t wholes[2][PART];
    double reals[2][PART];
    const bool is_real = pdp_solution_is_real(expected);
    for (size_t i = found->first; i < n; i += PART) {
        const size_t count = n - i < PART ? n - i : PART;
        const pdp_solution *both[] = {found, expected};
        for (int s = 0; s < 2; s++) {
            assert_int_equal(is_real ? pdp_solution_real_cells(both[s], 0, i, reals[s], count)
                                     : pdp_solution_cells(both[s], 0, i, wholes[s], count),
                             PDP_OK);
        }
        for (size_t x = 0; x < count; x++) {
            CHECK(is_real ? same(reals[0][x], reals[1][x], r->is_close) : wholes[0][x] == wholes[1][x],
                  "%s%s: cell %zu of %zu is another", r->text, r->op ? r->op : "", i + x, n);
        }
    }
    if (found->first > 0) {
        assert_int_equal(is_real ? pdp_solution_real_cells(found, 0, found->first - 1, reals[0], 1)
                                 : pdp_solution_cells(found, 0, found->first - 1, wholes[0], 1),
                         PDP_BAD_INPUT);
        assert_null(pdp_solution_table(found, NULL, NULL));
    }
}

static pdp_solution *run(const pdp_problem *problem, const pdp_options *options, const char **error) {
    static char text[2][400];
    static int turn;
    pdp_plan *plan;
    pdp_solution *solution = NULL;
    *error = text[turn = !turn];
    if (pdp_plan_create(&plan, problem, options) == PDP_OK) {
        pdp_plan_run(plan, &solution);
        snprintf(text[turn], sizeof text[turn], "%s", pdp_solution_error(solution));
    } else {
        snprintf(text[turn], sizeof text[turn], "%s", pdp_plan_error(plan));
    }
    pdp_plan_free(plan);
    return solution;
}

/* By window and by `other`; with an error both have the same. */
static void compare(const recipe *r, const pdp_problem *problem, const char *other, bool compiled, size_t last) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    const char *errors[2];
    const size_t n = pdp_problem_size(problem);
    options.decisions = 0;
    options.compile = compiled;
    options.algorithm = other;
    pdp_solution *expected = run(problem, &options, &errors[0]);
    options.algorithm = "window";
    options.last_cells = last;
    pdp_solution *found = run(problem, &options, &errors[1]);
    CHECK(strcmp(errors[0], errors[1]) == 0, "%s%s: '%s', and by %s '%s'", r->text, r->op ? r->op : "", errors[1],
          other, errors[0]);
    if (*errors[0] == '\0') {
        compare_cells(r, found, expected, n);
        CHECK(n - found->first >= last || found->first == 0, "%zu cells are kept", n - found->first);
        CHECK(pdp_solution_feasible(found) == pdp_solution_feasible(expected) &&
                  pdp_solution_value(found) == pdp_solution_value(expected) &&
                  same(pdp_solution_real_value(found), pdp_solution_real_value(expected), r->is_close),
              "%s: the value", r->text);
    }
    pdp_solution_free(expected);
    pdp_solution_free(found);
}

/* ---- Tests ---- */

/* Small problems by the interpreter; large ones of several pieces, which hold 512 KiB, compiled and around their edges.
 */
static void test_every_kind(void **state) {
    (void)state;
    uint64_t random = test_seed();
    for (size_t x = 0; x < RECIPES; x++) {
        for (size_t n = PRESETS; n < campaign(200, 400); n += 17) {
            pdp_problem *problem = make(&recipes[x], n, n < 60 ? n : 60, &random);
            compare(&recipes[x], problem, "sequential", false, n % 3 == 0 ? n / 2 : 0);
            pdp_problem_free(problem);
        }
        for (size_t round = 0; round < campaign(3, 40); round++) {
            const size_t reach = round % 3 == 0 ? 5000 : 70;
            const size_t piece = ((size_t)512 << 10) / (size_t)pdp_random_between(&random, 1, 4) / 4;
            const size_t n =
                (size_t)(1 + round % 3) * piece + 64 * (reach / 64 + 1) - 2 + (size_t)pdp_random_between(&random, 0, 4);
            pdp_problem *problem = make(&recipes[x], n, reach, &random);
            const bool has_kernel = !strstr(recipes[x].text, "(x, y) x\n");
            compare(&recipes[x], problem, has_kernel ? "blocks" : "sequential", true, round % 2 == 0 ? 100000 : 0);
            pdp_problem_free(problem);
        }
    }
}

/* The engine on tables that begin anywhere: pieces from one cell on, behind as few cells as there may be. */
static void test_pieces(void **state) {
    (void)state;
    uint64_t random = test_seed();
    for (size_t x = 0; x < RECIPES; x++) {
        for (size_t round = 0; round < campaign(4, 60); round++) {
            const size_t n = (size_t)pdp_random_between(&random, 300, 2000), reach = 1 + round * 40 % 250;
            pdp_problem *problem = make(&recipes[x], n, reach > PRESETS ? reach : PRESETS, &random);
            pdp_options options = PDP_OPTIONS_DEFAULT;
            pdp_plan *plan;
            options.algorithm = "blocks";
            options.threads = 1;
            if (pdp_plan_create(&plan, problem, &options) != PDP_OK) { /* no kernel for it */
                pdp_plan_free(plan);
                pdp_problem_free(problem);
                continue;
            }
            pdp_data data;
            pdp_error error = {0};
            assert_int_equal(pdp_data_create(&data, problem, &plan->stamp, &error), PDP_OK);
            pdp_linear_job job = pdp_plan_linear_job(plan, problem, &data, 1);
            const size_t bytes = pdp_machine_type_bytes(plan->stamp.type);
            unsigned char *whole = pdp_pages_allocate(pdp_linear_table_bytes(&job), &error);
            unsigned char *part = pdp_pages_allocate(pdp_linear_table_bytes(&job), &error);
            assert_int_equal(pdp_linear_solve(&job, whole, (pdp_progress){0}, &error), PDP_OK);
            size_t greatest = PRESETS;
            for (size_t j = 0; j < problem->offset_count; j++) {
                greatest = problem->offsets[j] > greatest ? problem->offsets[j] : greatest;
            }
            for (size_t begin = greatest + problem->preset_count; begin < n;) {
                const size_t origin =
                    begin - greatest - (size_t)pdp_random_between(&random, 0, 5) % (begin - greatest + 1);
                const size_t end = begin + 1 + pdp_random_next(&random) % (round % 2 == 0 ? 9 : 300);
                job.origin = origin;
                job.cells = (end < n ? end : n) - origin;
                job.preset_count = begin - origin;
                if (origin > 0) {
                    memcpy(part, whole + origin * bytes, (begin - origin) * bytes);
                    assert_int_equal(pdp_linear_solve(&job, part, (pdp_progress){0}, &error), PDP_OK);
                    CHECK(recipes[x].is_close || memcmp(part, whole + origin * bytes, job.cells * bytes) == 0,
                          "%s: cells %zu to %zu of a table from %zu on", recipes[x].text, begin, end, origin);
                }
                begin = end;
            }
            free(whole);
            free(part);
            pdp_data_free(&data);
            pdp_plan_free(plan);
            pdp_problem_free(problem);
        }
    }
}

/* What fails in a later piece is told as by the others: an overflow, a number that is none, an index. */
static void test_failures(void **state) {
    (void)state;
    static const recipe failing[] = {
        {LINE("", "  preset 9 : 1\n  offset a[j]\n  term s\n  source i % 999\n  combine add\n"), NULL, 0, false},
        {LINE("  type i32\n", "  preset 9 : 1\n  offset a[j]\n  term s + 40000\n  combine min\n"), NULL, 0, false},
        {LINE("  type f64\n", "  preset 9 : 1\n  offset a[j]\n  term j % 2 == 0 ? 1.02*s : -1.03*s\n  combine add\n"),
         NULL, 0, false},
        {LINE("", "  preset 9 : 1\n  offset a[j]\n  term min(s, 5)\n  source x[i > 150000 ? i + 100000 : i]\n"
                  "  combine min\n"),
         NULL, 0, false},
    };
    uint64_t random = test_seed();
    for (size_t x = 0; x < sizeof failing / sizeof *failing; x++) {
        size_t failures = 0;
        for (int round = 0; round < 4 || (failures < 2 && round < 40); round++) { /* not all offsets make one fail */
            pdp_problem *problem = make(&failing[x], 220000, 100, &random);
            pdp_options options = PDP_OPTIONS_DEFAULT;
            const char *error;
            options.algorithm = "window";
            pdp_solution_free(run(problem, &options, &error));
            failures += *error != '\0';
            compare(&failing[x], problem, "blocks", true, 0);
            pdp_problem_free(problem);
        }
        CHECK(failures >= 2, "%s: %zu failures", failing[x].text, failures);
    }
}

/* Pieces follow each other without a gap, whatever their size; what is kept lies at the begin. */
static pdp_status fill_numbers(void *context, size_t origin, size_t begin, size_t end, pdp_progress progress) {
    uint16_t *cells = *(uint16_t **)context;
    for (size_t i = origin; i < begin; i++) {
        CHECK(cells[i - origin] == (uint16_t)i, "cell %zu is not there", i);
    }
    for (size_t i = begin; i < end; i++) {
        cells[i - origin] = (uint16_t)i;
    }
    return progress.report && progress.report(progress.context, 0.5) != 0 ? PDP_CANCELLED : PDP_OK;
}

static void test_sliding(void **state) {
    (void)state;
    for (size_t n = 1; n < 60; n++) {
        for (size_t kept = 1; kept <= n; kept++) {
            for (size_t piece = kept; piece < kept + 9; piece++) {
                const pdp_window window = {n, kept, piece, sizeof(uint16_t)};
                uint16_t *cells = malloc(pdp_window_room(&window) * sizeof *cells);
                listener l = {.is_monotone = true};
                assert_int_equal(pdp_window_run(&window, cells, fill_numbers, &cells, (pdp_progress){hear, &l}),
                                 PDP_OK);
                assert_true(l.is_monotone && l.calls > 0);
                for (size_t i = 0; i < kept; i++) {
                    CHECK(cells[i] == n - kept + i, "n %zu, kept %zu, piece %zu: cell %zu", n, kept, piece, i);
                }
                l.stop_at = l.calls + 1;
                assert_int_equal(pdp_window_run(&window, cells, fill_numbers, &cells, (pdp_progress){hear, &l}),
                                 PDP_CANCELLED);
                free(cells);
            }
        }
    }
}

/* A note tells that there are no decisions, where there would be some; memory does not grow with n. */
static void test_plan(void **state) {
    (void)state;
    sdp_instance s = {.n = 1000, .k = 2, .offsets = {3, 1}, .presets = {5, 1, 2}, .op = PDP_MIN};
    uint64_t bytes[2];
    for (int large = 0; large < 2; large++) {
        s.n = large ? (size_t)1 << 50 : (size_t)1 << 20;
        pdp_problem *problem = make_sdp(&s);
        pdp_options options = PDP_OPTIONS_DEFAULT;
        pdp_plan *plan;
        options.algorithm = "window";
        options.threads = 1;
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
        assert_string_equal(pdp_plan_note(plan), "no decisions: method 'window' keeps the last cells alone");
        bytes[large] = pdp_plan_bytes(plan);
        pdp_plan_free(plan);
        options.decisions = 0;
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
        assert_string_equal(pdp_plan_note(plan), "");
        pdp_plan_free(plan);
        options.record = 1;
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_BAD_INPUT);
        pdp_plan_free(plan);
        options.record = 0;
        options.backend = "host";
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_BAD_INPUT);
        assert_in(pdp_plan_error(plan), "method 'window' does not run on backend 'host'");
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
    assert_true(bytes[0] == bytes[1] && bytes[0] < (1 << 20));
}

/* ---- The cell that is asked for ---- */

/* Value and decisions as of a problem that ends there, by every method that takes the problem. */
static void test_at(void **state) {
    (void)state;
    enum { N = 120 };
    uint64_t random = test_seed();
    for (size_t x = 0; x < RECIPES; x++) {
        pdp_problem *problem = make(&recipes[x], N, 30, &random);
        pdp_options options = PDP_OPTIONS_DEFAULT;
        const char *error;
        options.algorithm = "sequential";
        pdp_solution *whole = run(problem, &options, &error);
        assert_string_equal(error, "");
        for (size_t m = 0; m < method_count(PDP_LINEAR); m++) {
            options.algorithm = pdp_algorithm_name(PDP_LINEAR, m);
            for (options.at = 0; options.at < N; options.at += 1 + options.at % 23) {
                pdp_solution *found = run(problem, &options, &error);
                const pdp_value cell = pdp_solution_cell(whole, 0, (size_t)options.at);
                if (!found) {
                    CHECK(strstr(error, "cannot solve this problem") != NULL, "%s", error);
                    continue;
                }
                CHECK(pdp_solution_is_real(found) ? same(pdp_solution_real_value(found), cell.real, recipes[x].is_close)
                                                  : pdp_solution_value(found) == pdp_solution_public(whole, cell),
                      "%s: cell %" PRId64 " of %s", options.algorithm, options.at, recipes[x].text);
                size_t count;
                const pdp_decision *decisions = pdp_solution_decisions(found, &count);
                CHECK(count == 0 || decisions[0].i == (size_t)options.at, "decisions from cell %zu on", decisions[0].i);
                pdp_solution_free(found);
            }
        }
        pdp_solution_free(whole);
        pdp_problem_free(problem);
    }
}

#define NOT_HERE ", but not here: its cells are not proven to fit, and it sees but one of them"

static void test_no_such_cell(void **state) {
    (void)state;
    sdp_instance s = {.n = 9, .k = 2, .offsets = {2, 1}, .presets = {1, 1}, .op = PDP_ADD};
    static const struct {
        int64_t at;
        const char *algorithm;
        const char *why;
    } refused[] = {
        {-2, NULL, "at is -2, and must be 0 to 4611686018427387903, or -1"},
        {INT64_MAX, NULL, "at is 9223372036854775807, and must be 0 to 4611686018427387903, or -1"},
        {9, NULL, "cell 9 is beyond the last one, 8; method 'bostan-mori' alone goes there"},
        {1000, "window", "cell 1000 is beyond the last one, 8; method 'bostan-mori' alone goes there" NOT_HERE},
    };
    for (size_t x = 0; x < sizeof refused / sizeof *refused; x++) {
        pdp_problem *problem = make_sdp(&s);
        pdp_options options = PDP_OPTIONS_DEFAULT;
        const char *error;
        options.at = refused[x].at;
        options.algorithm = refused[x].algorithm;
        assert_null(run(problem, &options, &error));
        assert_string_equal(error, refused[x].why);
        pdp_problem_free(problem);
    }
    static const int64_t chain[] = {3, 4, 5};
    pdp_problem *problem = make_chain(chain, 3);
    pdp_options options = PDP_OPTIONS_DEFAULT;
    const char *error;
    options.at = 1;
    assert_null(run(problem, &options, &error));
    assert_string_equal(error, "at is 1, and 'mcm' is not linear");
    pdp_problem_free(problem);
}

/* In a batch, the same cell of each; one that has no such cell is named. */
static void test_at_in_batch(void **state) {
    (void)state;
    enum { COUNT = 3 };
    sdp_instance s = {.n = 50, .k = 2, .offsets = {2, 1}, .presets = {1, 1}, .op = PDP_ADD};
    pdp_problem *problems[COUNT];
    pdp_solution *solutions[COUNT];
    for (size_t x = 0; x < COUNT; x++) {
        s.presets[1] = (int64_t)x;
        s.n = 50 + x;
        problems[x] = make_sdp(&s);
    }
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan;
    options.at = 10;
    assert_int_equal(pdp_plan_batch(&plan, problems, COUNT, &options), PDP_OK);
    assert_int_equal(pdp_plan_run_batch(plan, solutions), PDP_OK);
    pdp_plan_free(plan);
    for (size_t x = 0; x < COUNT; x++) {
        assert_int_equal(pdp_solution_value(solutions[x]), 34 + 55 * (int64_t)x);
        pdp_solution_free(solutions[x]);
    }
    options.at = 51;
    assert_int_equal(pdp_plan_batch(&plan, problems, COUNT, &options), PDP_BAD_INPUT);
    assert_in(pdp_plan_error(plan), "problem 1: cell 51 is beyond the last one, 49");
    pdp_plan_free(plan);
    for (size_t x = 0; x < COUNT; x++) {
        pdp_problem_free(problems[x]);
    }
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),   cmocka_unit_test(test_pieces),      cmocka_unit_test(test_failures),
        cmocka_unit_test(test_sliding),      cmocka_unit_test(test_plan),        cmocka_unit_test(test_at),
        cmocka_unit_test(test_no_such_cell), cmocka_unit_test(test_at_in_batch),
    };
    return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
