/* What the paper and docs/paper.md claim of the schedules, counted on the step-exact machine: steps,
 * operations, hazards, conflicts. */
#include "support.h"

#include <inttypes.h>
#include <string.h>

#include "schedule/schedule.h"
#include "schedule/term_order.h"

static uint64_t ceil_log2(uint64_t number) {
    uint64_t log = 0;
    while ((UINT64_C(1) << log) < number) {
        log++;
    }
    return log;
}

/* ---- Matrix chain ---- */

static mcm_instance chain;

static void make_random_chain(size_t n, int64_t most) {
    uint64_t state = test_seed() + n;
    random_chain(&chain, &state, n, most);
}

/* One thread at most on every address: on those read and combined into exactly one, on none in the
 * substep that computes. */
static void assert_no_hazard_no_conflict(const pdp_record *record) {
    CHECK(record->hazards == 0, "%" PRIu64 " hazards", record->hazards);
    for (size_t substep = 0; substep < PDP_MAX_SUBSTEPS; substep++) {
        const uint32_t expected = record->steps > 0 && substep != 2;
        CHECK(record->conflicts[substep] == 0, "%" PRIu64 " conflicts in substep %zu", record->conflicts[substep],
              substep);
        CHECK(record->max_multiplicity[substep] == expected, "substep %zu: %u threads", substep,
              record->max_multiplicity[substep]);
    }
}

/* For every n the corrected pipeline and the wavefront have no hazard and no conflict, take the stated
 * steps and the (n^3-n)/6 operations, and find the reference's value. */
static void check_schedule(const char *algorithm, size_t (*steps)(size_t), size_t (*threads)(size_t)) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.record = 1;
    for (size_t n = 1; n <= campaign(200, 600); n++) {
        make_random_chain(n, 100);
        pdp_problem *problem = make_mcm(&chain);
        pdp_solution *reference = n <= 200 ? solve(problem, "sequential", NULL) : NULL;
        pdp_solution *solution = solve(problem, algorithm, &options);
        const pdp_record *record = pdp_solution_record(solution);
        assert_no_hazard_no_conflict(record);
        CHECK(record->steps == steps(n), "%" PRIu64 " steps, not %zu", record->steps, steps(n));
        CHECK(record->operations == (n * n * n - n) / 6, "%" PRIu64 " operations", record->operations);
        CHECK(record->substeps == 4, "%u substeps", record->substeps);
        CHECK(n > 80 || record->threads == threads(n), "%u threads, not %zu", record->threads, threads(n));
        /* Nobody waits for anybody: four units a step that has work in the paper's model. */
        const uint64_t idle = strcmp(algorithm, "wavefront") == 0 && n > 2;
        CHECK(record->cost_serial == 4 * (record->steps - idle), "serial cost %" PRIu64, record->cost_serial);
        double share =
            record->steps > 0 ? (double)record->operations / ((double)record->threads * (double)record->steps) : 0;
        CHECK(record->utilisation == share, "utilisation %g", record->utilisation);
        CHECK(!reference || pdp_solution_value(solution) == pdp_solution_value(reference), "the value");
        pdp_solution_free(solution);
        pdp_solution_free(reference);
        pdp_problem_free(problem);
    }
}

static size_t pipeline_steps(size_t n) {
    return n == 1 ? 0 : n * (n - 1) / 2 + n - 2;
}

/* Most threads j with a cell head - j + 1 of at least j terms. Cells count from 1, diagonal by diagonal. */
static size_t pipeline_threads(size_t n) {
    size_t diagonal[80 * 81 / 2 + 1] = {0};
    size_t cells = 0;
    for (size_t d = 0; d < n; d++) {
        for (size_t row = 0; row < n - d; row++) {
            diagonal[++cells] = d;
        }
    }
    size_t most = 0;
    for (size_t head = n + 1; head <= cells + n - 2; head++) {
        size_t active = 0;
        for (size_t j = 1; j < n && j <= head; j++) {
            size_t cell = head - j + 1;
            active += cell <= cells && diagonal[cell] >= j;
        }
        most = active > most ? active : most;
    }
    return most;
}

static size_t wavefront_steps(size_t n) {
    return n == 1 ? 0 : 3 * n - 5;
}

/* Cells in flight in step t: those of the diagonals d with 2(d-1) < t <= 2(d-1) + d. */
static size_t wavefront_threads(size_t n) {
    size_t most = 0;
    for (size_t t = 1; t <= 3 * n; t++) {
        size_t active = 0;
        for (size_t d = 1; d < n; d++) {
            active += 2 * (d - 1) < t && t <= 2 * (d - 1) + d ? n - d : 0;
        }
        most = active > most ? active : most;
    }
    return most;
}

static void test_pipeline(void **unused) {
    (void)unused;
    check_schedule("pipeline", pipeline_steps, pipeline_threads);
}

static void test_wavefront(void **unused) {
    (void)unused;
    check_schedule("wavefront", wavefront_steps, wavefront_threads);
}

/* The printed pipeline has no conflict (Lemmas 1 and 2, Theorem 1), but from n = 4 on it reads
 * unfinished cells. */
static void test_pipeline_printed(void **unused) {
    (void)unused;
    for (size_t n = 1; n <= campaign(120, 300); n++) {
        make_random_chain(n, 100);
        pdp_record record = record_of(make_mcm(&chain), "pipeline-printed");
        CHECK(record.steps == pipeline_steps(n), "%" PRIu64 " steps", record.steps);
        CHECK((record.hazards > 0) == (n >= 4), "%" PRIu64 " hazards", record.hazards);
        record.hazards = 0;
        assert_no_hazard_no_conflict(&record);
    }
}

/* Sequential: a step an operation. Tournament: 1 + ceil(log2 d) steps for a cell of d terms, no hazard
 * and no conflict, since all threads work on different slots. */
static void test_cell_by_cell(void **unused) {
    (void)unused;
    for (size_t n = 1; n <= 70; n++) {
        make_random_chain(n, 100);
        pdp_record record = record_of(make_mcm(&chain), "sequential");
        CHECK(record.steps == (n * n * n - n) / 6 && record.operations == record.steps, "%" PRIu64 " steps",
              record.steps);
        CHECK(record.threads == (n > 1), "%u threads", record.threads);
        assert_no_hazard_no_conflict(&record);
        record = record_of(make_mcm(&chain), "tournament");
        uint64_t steps = 0;
        uint64_t operations = 0;
        for (size_t d = 1; d < n; d++) {
            steps += (n - d) * (1 + ceil_log2(d));
            operations += (n - d) * (2 * d - 1);
        }
        CHECK(record.steps == steps, "%" PRIu64 " steps, not %" PRIu64, record.steps, steps);
        CHECK(record.operations == operations, "%" PRIu64 " operations, not %" PRIu64, record.operations, operations);
        CHECK(record.threads == n - 1, "%u threads", record.threads);
        assert_no_hazard_no_conflict(&record);
    }
}

/* The longest cell of a tournament has n - 1 terms, and all but the first wait in slots of their own. How far it is
 * is told by the operations that it says there will be. */
static void test_tournament_size(void **unused) {
    (void)unused;
    for (size_t n = 1; n <= 70; n++) {
        pdp_schedule schedule;
        pdp_error error = {0};
        make_random_chain(n, 100);
        pdp_problem *problem = make_mcm(&chain);
        assert_int_equal(pdp_schedule_mcm_tournament(&schedule, problem, &error), PDP_OK);
        CHECK(schedule.addresses == schedule.cells + (n > 2 ? n - 2 : 0), "n = %zu: %zu addresses for %zu cells", n,
              schedule.addresses, schedule.cells);
        pdp_problem_free(problem);
        const pdp_record record = record_of(make_mcm(&chain), "tournament");
        CHECK(schedule.operations == record.operations, "n = %zu: %" PRIu64 " operations, not %" PRIu64, n,
              schedule.operations, record.operations);
    }
}

/* Each order takes every one of the d terms once. */
static void test_term_orders(void **unused) {
    (void)unused;
    size_t (*const orders[])(size_t, size_t, size_t) = {pdp_term_order_printed, pdp_term_order_smaller_first,
                                                        pdp_term_order_zero_delay};
    for (size_t o = 0; o < 3; o++) {
        for (size_t n = 2; n <= 60; n++) {
            for (size_t d = 1; d < n; d++) {
                bool seen[61] = {false};
                for (size_t j = 1; j <= d; j++) {
                    size_t split = orders[o](n, d, j);
                    CHECK(split >= 1 && split <= d && !seen[split], "order %zu, n %zu, d %zu, term %zu", o, n, d, j);
                    seen[split] = true;
                }
            }
        }
    }
}

/* ---- S-DP ---- */

static sdp_instance s;

static size_t longest_run(void) {
    size_t longest = 1;
    size_t run = 1;
    for (size_t j = 1; j < s.k; j++) {
        run = s.offsets[j] + 1 == s.offsets[j - 1] ? run + 1 : 1;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void assert_steps(const pdp_record *record, uint64_t steps, uint64_t operations, uint64_t threads) {
    CHECK(record->steps == steps, "%" PRIu64 " steps, not %" PRIu64, record->steps, steps);
    CHECK(record->operations == operations, "%" PRIu64 " operations, not %" PRIu64, record->operations, operations);
    CHECK(record->threads == threads, "%u threads, not %" PRIu64, record->threads, threads);
    CHECK(record->hazards == 0, "%" PRIu64 " hazards", record->hazards);
    CHECK(record->substeps == 2, "%u substeps", record->substeps);
}

static uint64_t at_most(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Steps, operations and threads of every method, and its conflicts. No method has a hazard. */
static void check_sdp(void) {
    const uint64_t cells = s.n - (size_t)s.offsets[0]; /* to compute */
    const uint64_t k = s.k;
    const uint64_t half = (k + 1) / 2;
    const bool works = cells > 0;
    pdp_record r = record_of(make_sdp(&s), "sequential");
    assert_steps(&r, cells * k, cells * k, works);
    CHECK(r.conflicts[0] == 0 && r.conflicts[1] == 0, "conflicts");

    r = record_of(make_sdp(&s), "naive");
    assert_steps(&r, cells, cells * k, works ? k : 0);
    CHECK(r.conflicts[0] == 0 && r.conflicts[1] == (k - 1) * cells, "%" PRIu64 " conflicts", r.conflicts[1]);
    CHECK(r.max_multiplicity[1] == (works ? k : 0), "%u threads on a cell", r.max_multiplicity[1]);
    CHECK(r.cost_serial == (k + 1) * cells, "serial cost %" PRIu64, r.cost_serial);

    r = record_of(make_sdp(&s), "tournament");
    assert_steps(&r, cells * (1 + ceil_log2(k)), cells * (2 * k - 1), works ? k : 0);
    CHECK(r.conflicts[0] == 0 && r.conflicts[1] == 0, "conflicts");
    CHECK(r.cost_serial == 2 * r.steps, "serial cost %" PRIu64, r.cost_serial);

    r = record_of(make_sdp(&s), "pipeline");
    assert_steps(&r, works ? cells + k - 1 : 0, cells * k, works ? at_most(k, cells) : 0);
    CHECK(r.conflicts[1] == 0 && r.max_multiplicity[1] == works, "%" PRIu64 " conflicts", r.conflicts[1]);
    if (cells >= k) { /* all threads are active at some time */
        CHECK(r.max_multiplicity[0] == longest_run(), "%u threads on one operand, not %zu", r.max_multiplicity[0],
              longest_run());
    }

    r = record_of(make_sdp(&s), "pipeline2");
    assert_steps(&r, works ? cells + half - 1 : 0, cells * half, works ? at_most(half, cells) : 0);
    CHECK(r.conflicts[0] == 0 && r.max_multiplicity[0] == works, "%" PRIu64 " read conflicts", r.conflicts[0]);
    CHECK(r.conflicts[1] == 0 && r.max_multiplicity[1] == works, "%" PRIu64 " conflicts", r.conflicts[1]);
}

/* Random offset sets of every density. */
static void test_sdp_random(void **unused) {
    (void)unused;
    uint64_t state = test_seed();
    for (size_t round = 0; round < campaign(1500, 30000); round++) {
        size_t first = (size_t)pdp_random_between(&state, 1, 60);
        random_offsets(&s, &state, (size_t)pdp_random_between(&state, 1, (int64_t)first), first);
        s.n = first + (size_t)pdp_random_between(&state, 0, 150);
        random_presets(&s, &state, -100, 100);
        check_sdp();
    }
}

/* Consecutive offsets, the paper's worst case, and steps of two; every distance from a_1 to n. */
static void test_sdp_patterns(void **unused) {
    (void)unused;
    for (size_t k = 1; k <= 40; k++) {
        consecutive_offsets(&s, k);
        for (size_t more = 0; more <= 2 * k + 1; more += 1 + more / 8) {
            s.n = k + more;
            check_sdp();
        }
        for (size_t j = 0; j < k; j++) {
            s.offsets[j] = (int64_t)(2 * (k - j));
        }
        s.n = 5 * k;
        check_sdp();
        assert_int_equal(longest_run(), 1);
    }
}

/* The names of the substeps, and none beyond them. */
static void test_substep_names(void **unused) {
    (void)unused;
    static const char *const names[2][5] = {{"read", "combine"}, {"left", "right", "compute", "combine"}};
    for (int kind = PDP_LINEAR; kind <= PDP_INTERVAL; kind++) {
        for (uint32_t substep = 0; substep < 5; substep++) {
            const char *name = pdp_substep_name((pdp_shape)kind, substep);
            assert_true(names[kind][substep] ? name && strcmp(name, names[kind][substep]) == 0 : !name);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipeline),         cmocka_unit_test(test_wavefront),
        cmocka_unit_test(test_pipeline_printed), cmocka_unit_test(test_cell_by_cell),
        cmocka_unit_test(test_term_orders),      cmocka_unit_test(test_sdp_random),
        cmocka_unit_test(test_sdp_patterns),     cmocka_unit_test(test_substep_names),
        cmocka_unit_test(test_tournament_size),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
