/* The library from several threads at once: one plan run by all, one problem planned by all, and each
 * thread on its own. Meant for TSan too. cmocka's asserts stay out of the threads: they report by
 * what they return. */
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 6 };

typedef struct job {
    const pdp_problem *problem; /* shared */
    const pdp_plan *plan;       /* shared */
    const int64_t *table;       /* what must come out */
    size_t bytes;
    pdp_shape kind;
    uint64_t number;
    size_t rounds;
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
        options.algorithm = pdp_algorithm_name(j->kind, (j->number + round) % 6); /* not the one that may be wrong */
        options.record = round % 2 == 0 && method_records(options.algorithm);
        options.splits = method_has_table(options.algorithm);
        good = pdp_plan_create(&own, j->problem, &options) == PDP_OK && run_plan(j, own) && good;
        pdp_plan_free(own);
        good = run_own(j) && good;
    }
    return good ? (void *)(uintptr_t)argument : NULL;
}

static void run_together(const pdp_problem *problem, pdp_shape kind, const char *shared_method) {
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
        jobs[t] = (job){problem, plan, table, rows * columns * sizeof *table, kind, t, campaign(12, 200)};
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
    run_together(problem, PDP_INTERVAL, "pipeline");
    run_together(problem, PDP_INTERVAL, "wavefront");
    pdp_problem_free(problem);
}

/* S-DP: the same. */
static void test_sdp(void **unused) {
    (void)unused;
    static sdp_instance s = {.n = 1000, .op = PDP_ADD, .overflow = PDP_OVERFLOW_WRAP};
    uint64_t state = test_seed();
    random_offsets(&s, &state, 40, 100);
    random_presets(&s, &state, INT64_MIN, INT64_MAX);
    pdp_problem *problem = make_sdp(&s);
    run_together(problem, PDP_LINEAR, "pipeline");
    run_together(problem, PDP_LINEAR, "pipeline2");
    pdp_problem_free(problem);
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mcm),
        cmocka_unit_test(test_sdp),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
