/* The library from several threads at once: one plan run by all, one problem planned by all, and each
 * thread on its own; and runs that have threads themselves. Meant for TSan too. cmocka's asserts stay out of the
 * threads: they report by what they return. */
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "reference/textbook.h"

enum { THREADS = 6 };

typedef struct job {
    const pdp_problem *problem; /* shared */
    const pdp_plan *plan;       /* shared */
    const int64_t *table;       /* what must come out */
    size_t bytes;
    pdp_shape kind;
    uint64_t number;
    size_t rounds;
    const sdp_instance *instance; /* of PDP_LINEAR */
} job;

static bool run_plan(const job *j, const pdp_plan *plan) {
    pdp_solution *solution;
    bool good = pdp_plan_run(plan, &solution) == PDP_OK;
    const int64_t *table = pdp_solution_table(solution, NULL, NULL);
    good = good && (!table ? !method_has_table(pdp_plan_algorithm(plan)) : memcmp(table, j->table, j->bytes) == 0);
    char *order = good && j->kind == PDP_INTERVAL ? pdp_solution_order(solution) : NULL;
    good = good && (j->kind == PDP_LINEAR || order);
    free(order);
    pdp_solution_free(solution);
    return good;
}

/* A problem of the thread's own, solved by two methods that must agree; and one that is refused. */
static bool run_own(const job *j) {
    uint64_t state = j->number;
    int64_t dims[31];
    for (size_t m = 0; m < 31; m++) {
        dims[m] = pdp_random_between(&state, 1, 100);
    }
    int64_t value[2] = {0, 0};
    bool good = true;
    for (size_t method = 0; method < 2; method++) {
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = method == 0 ? "sequential" : "wavefront";
        pdp_problem *problem;
        pdp_plan *plan;
        pdp_solution *solution;
        good = pdp_problem_create_mcm(&problem, dims, 31) == PDP_OK && good;
        good = pdp_plan_create(&plan, problem, &options) == PDP_OK && good;
        good = pdp_plan_run(plan, &solution) == PDP_OK && good;
        value[method] = good ? pdp_solution_value(solution) : -1;
        pdp_solution_free(solution);
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
    char text[64];
    int length = snprintf(text, sizeof text, "1 2 x%d", (int)j->number);
    pdp_numbers *numbers;
    good = pdp_numbers_parse(&numbers, text, (size_t)length) == PDP_BAD_INPUT && good;
    good = strstr(pdp_numbers_error(numbers), text + 4) && good;
    pdp_numbers_free(numbers);
    return good && value[0] == value[1];
}

static void *work(void *argument) {
    const job *j = argument;
    bool good = true;
    for (size_t round = 0; round < j->rounds; round++) {
        good = run_plan(j, j->plan) && good;
        pdp_plan *own;
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = pdp_algorithm_name(j->kind, (j->number + round) % method_count(j->kind));
        if (strcmp(options.algorithm, "pipeline-printed") == 0 || /* which may be wrong */
            (j->instance ? !method_takes(options.algorithm, j->instance)
                         : !method_solves(j->problem, options.algorithm))) {
            continue;
        }
        options.record = round % 2 == 0 && method_records(options.algorithm);
        options.splits = method_has_table(options.algorithm);
        good = pdp_plan_create(&own, j->problem, &options) == PDP_OK && run_plan(j, own) && good;
        pdp_plan_free(own);
        good = run_own(j) && good;
    }
    return good ? (void *)(uintptr_t)argument : NULL;
}

static void run_together(const pdp_problem *problem, const sdp_instance *instance, const char *shared_method) {
    const pdp_shape kind = instance ? PDP_LINEAR : PDP_INTERVAL;
    pdp_solution *expected = solve(problem, "sequential", NULL);
    size_t rows, columns;
    const int64_t *table = pdp_solution_table(expected, &rows, &columns);
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = shared_method;
    options.record = 1;
    pdp_plan *plan;
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    pthread_t threads[THREADS];
    job jobs[THREADS];
    for (size_t t = 0; t < THREADS; t++) {
        jobs[t] = (job){problem, plan, table, rows * columns * sizeof *table, kind, t, campaign(12, 200), instance};
        assert_int_equal(pthread_create(&threads[t], NULL, work, &jobs[t]), 0);
    }
    bool good = true;
    for (size_t t = 0; t < THREADS; t++) {
        void *result;
        assert_int_equal(pthread_join(threads[t], &result), 0);
        good = good && result;
    }
    CHECK(good, "a thread had another result");
    pdp_plan_free(plan);
    pdp_solution_free(expected);
}

/* Matrix chain: all threads share a problem and a plan, and get the table that one alone gets. */
static void test_mcm(void **unused) {
    (void)unused;
    static mcm_instance chain;
    uint64_t state = test_seed();
    random_chain(&chain, &state, 60, 1000);
    pdp_problem *problem = make_mcm(&chain);
    run_together(problem, NULL, "pipeline");
    run_together(problem, NULL, "wavefront");
    pdp_problem_free(problem);
}

/* S-DP: the same. */
static void test_sdp(void **unused) {
    (void)unused;
    static sdp_instance s = {.n = 1000};
    uint64_t state = test_seed();
    random_offsets(&s, &state, 40, 100);
    random_presets(&s, &state, INT64_MIN, INT64_MAX);
    for (int least = 0; least < 2; least++) {
        s.op = least ? PDP_MIN : PDP_ADD;
        s.overflow = least ? PDP_OVERFLOW_ERROR : PDP_OVERFLOW_WRAP;
        pdp_problem *problem = make_sdp(&s);
        run_together(problem, &s, "pipeline");
        run_together(problem, &s, "pipeline2");
        pdp_problem_free(problem);
    }
}

/* ---- The engines' own threads ---- */

static void *run_engine(void *argument) {
    const job *j = argument;
    bool good = true;
    for (size_t round = 0; round < j->rounds; round++) {
        good = run_plan(j, j->plan) && good;
    }
    return good ? argument : NULL;
}

/* Callers who share one plan, each run of which has threads of its own. */
static void run_callers(const pdp_problem *problem, const char *algorithm, int threads, size_t callers,
                        const int64_t *table, size_t bytes) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = algorithm;
    options.type = "i32"; /* every build has these kernels, and the sanitizer follows those that are built in */
    options.threads = threads;
    pdp_plan *plan;
    CHECK(pdp_plan_create(&plan, problem, &options) == PDP_OK, "%s", pdp_plan_error(plan));
    pthread_t ids[THREADS];
    job jobs[THREADS];
    for (size_t t = 0; t < callers; t++) {
        jobs[t] = (job){.plan = plan, .table = table, .bytes = bytes, .kind = PDP_LINEAR, .rounds = campaign(2, 20)};
        assert_int_equal(pthread_create(&ids[t], NULL, run_engine, &jobs[t]), 0);
    }
    for (size_t t = 0; t < callers; t++) {
        void *result;
        assert_int_equal(pthread_join(ids[t], &result), 0);
        CHECK(result, "%s with %d threads: caller %zu had another result", algorithm, threads, t);
    }
    pdp_plan_free(plan);
}

/* Tiles of a recurrence without and one with options, whose cells are read across tiles. */
static void test_tiles(void **unused) {
    (void)unused;
    static mcm_instance chain;
    uint64_t state = test_seed();
    random_chain(&chain, &state, 330, 60);
    pdp_recurrence *recurrence;
    pdp_problem *problems[2];
    char bases[330];
    for (size_t m = 0; m < sizeof bases; m++) {
        bases[m] = "ACGU"[pdp_random_between(&state, 0, 3)];
    }
    problems[0] = make_mcm(&chain);
    assert_int_equal(pdp_recurrence_load(&recurrence, "nussinov"), PDP_OK);
    assert_int_equal(pdp_problem_create(&problems[1], recurrence), PDP_OK);
    assert_int_equal(pdp_problem_set_text(problems[1], "s", bases, sizeof bases), PDP_OK);
    pdp_recurrence_free(recurrence);
    static int64_t table[331 * 331];
    for (size_t p = 0; p < 2; p++) {
        if (p == 0) {
            assert_true(pdp_textbook_solve_mcm(chain.dims, 330, table) == PDP_TEXTBOOK_FITS);
        } else {
            pdp_textbook_solve_nussinov(bases, sizeof bases, 3, table);
        }
        run_callers(problems[p], "tiles", 3, THREADS, table, sizeof table);
        run_callers(problems[p], "tiles", 8, 2, table, sizeof table);
        pdp_problem_free(problems[p]);
    }
}

/* So many terms, and reaching so far back, that there is work for eight threads. */
static void test_blocks(void **unused) {
    (void)unused;
    enum { CELLS = 1 << 18, BACK = 1 << 17, TERMS = 600 };
    static int64_t offsets[TERMS];
    static int64_t weights[TERMS];
    static int64_t presets[BACK];
    static int64_t table[CELLS];
    uint64_t state = test_seed();
    for (size_t j = 0; j < TERMS; j++) {
        offsets[j] = j == 0 ? BACK : pdp_random_between(&state, 1, BACK);
        weights[j] = pdp_random_between(&state, -100, 100);
    }
    for (size_t i = 0; i < BACK; i++) {
        presets[i] = pdp_random_between(&state, -1000, 1000);
    }
    const pdp_sdp sdp = {
        .n = CELLS, .offsets = offsets, .offset_count = TERMS, .presets = presets, .preset_count = BACK};
    assert_true(pdp_textbook_solve_sdp(&sdp, weights, NULL, table) == PDP_TEXTBOOK_FITS);
    pdp_recurrence *recurrence;
    pdp_problem *problem;
    const int64_t cells = CELLS;
    assert_int_equal(pdp_recurrence_load(&recurrence, "sdp_added"), PDP_OK);
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    assert_int_equal(pdp_problem_set_text(problem, "op", "min", 3), PDP_OK);
    assert_int_equal(pdp_problem_set_whole(problem, "n", &cells, 1, 0), PDP_OK);
    assert_int_equal(pdp_problem_set_whole(problem, "a", offsets, TERMS, 0), PDP_OK);
    assert_int_equal(pdp_problem_set_whole(problem, "w", weights, TERMS, 0), PDP_OK);
    assert_int_equal(pdp_problem_set_whole(problem, "init", presets, BACK, 0), PDP_OK);
    pdp_recurrence_free(recurrence);
    run_callers(problem, "blocks", 3, 2, table, sizeof table);
    run_callers(problem, "blocks", 8, 2, table, sizeof table);
    pdp_problem_free(problem);
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mcm),
        cmocka_unit_test(test_sdp),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
