/* Plans: options, the choice of the method, the memory limit, callbacks, and objects that failed. */
#include "support.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const int64_t chain[] = {30, 35, 15, 5, 10, 20, 25};

static pdp_problem *make_fibonacci(void) {
    static const sdp_instance fibonacci = {.n = 50, .k = 2, .offsets = {2, 1}, .presets = {1, 1}, .op = PDP_ADD};
    return make_sdp(&fibonacci);
}

/* What a linear method takes. */
static pdp_problem *make_for(const char *method) {
    static const sdp_instance least = {.n = 50, .k = 2, .offsets = {2, 1}, .presets = {3, 1}, .op = PDP_MIN};
    static const sdp_instance sum = {
        .n = 50, .k = 2, .offsets = {2, 1}, .presets = {3, 1}, .op = PDP_ADD, .overflow = PDP_OVERFLOW_WRAP};
    return make_sdp(method_takes(method, &least) ? &least : &sum);
}

static void assert_plan_refused(const pdp_options *options, pdp_status status, const char *message) {
    pdp_problem *problem = make_chain(chain, 7);
    pdp_plan *plan;
    assert_int_equal(pdp_plan_create(&plan, problem, options), status);
    assert_in(pdp_plan_error(plan), message);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
}

/* One plan of a problem, and what it chose. */
static void assert_chooses(const pdp_problem *problem, const pdp_options *options, const char *algorithm,
                           const char *backend) {
    pdp_plan *plan;
    assert_int_equal(pdp_plan_create(&plan, problem, options), PDP_OK);
    assert_string_equal(pdp_plan_algorithm(plan), algorithm);
    assert_string_equal(pdp_plan_backend(plan), backend);
    assert_true(pdp_plan_guaranteed(plan));
    assert_string_equal(pdp_plan_error(plan), "");
    assert_string_equal(pdp_plan_note(plan), "");
    assert_true(pdp_plan_threads(plan) >= 1);
    pdp_plan_free(plan);
}

/* Auto: the engine whose kernel is built in; what has few terms and would have to be compiled is rather done by the
 * plain loops; a chain without its table by Hu-Shing; a record by the pipeline. */
static void test_default(void **unused) {
    (void)unused;
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.type = "i32"; /* every build has this kernel */
    pdp_problem *problem = make_chain(chain, 7);
    assert_chooses(problem, &options, "tiles", "cpu");
    options.algorithm = "auto";
    assert_chooses(problem, &options, "tiles", "cpu");
    options.type = "auto";
    options.table = 0;
    assert_chooses(problem, &options, "hu-shing", "cpu");
    options.type = NULL;
    assert_chooses(problem, &options, "hu-shing", "cpu");
    options.type = "i32"; /* Hu-Shing has no types to choose from */
    assert_chooses(problem, &options, "tiles", "cpu");
    options.type = NULL;
    options.splits = 1;
    options.algorithm = "sequential";
    assert_chooses(problem, &options, "sequential", "cpu");
    options = (pdp_options)PDP_OPTIONS_DEFAULT;
    options.record = 1;
    assert_chooses(problem, &options, "pipeline", "machine");
    pdp_problem_free(problem);

    problem = make_fibonacci();
    assert_chooses(problem, NULL, "sequential", "cpu");
    assert_chooses(problem, &options, "pipeline", "machine");
    pdp_problem_free(problem);
}

/* The methods of each kind, the reference first, and which of them promise the right answer. */
static void test_methods(void **unused) {
    (void)unused;
    static const char *const names[2][12] = {
        {"sequential", "blocks", "settle", "runs", "series", "bostan-mori", "window", "naive", "tournament", "pipeline",
         "pipeline2"},
        {"sequential", "tiles", "hu-shing", "knuth", "tournament", "pipeline", "wavefront", "pipeline-printed"}};
    for (int kind = PDP_LINEAR; kind <= PDP_INTERVAL; kind++) {
        size_t m = 0;
        for (; names[kind][m]; m++) {
            pdp_problem *problem = kind == PDP_LINEAR ? make_for(names[kind][m]) : make_chain(chain, 7);
            pdp_options options = PDP_OPTIONS_DEFAULT;
            options.algorithm = pdp_algorithm_name((pdp_shape)kind, m);
            assert_string_equal(options.algorithm, names[kind][m]);
            if (!method_solves(problem, options.algorithm)) {
                pdp_problem_free(problem);
                continue;
            }
            pdp_plan *plan;
            assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
            assert_string_equal(pdp_plan_algorithm(plan), names[kind][m]);
            const bool on_cpu = m == 0 || !method_records(names[kind][m]);
            assert_string_equal(pdp_plan_backend(plan), on_cpu ? "cpu" : "machine");
            assert_int_equal(pdp_plan_guaranteed(plan) != 0, strcmp(names[kind][m], "pipeline-printed") != 0);
            pdp_plan_free(plan);
            pdp_problem_free(problem);
        }
        assert_null(pdp_algorithm_name((pdp_shape)kind, m));
        assert_null(pdp_algorithm_name((pdp_shape)kind, m + 1));
        assert_null(pdp_algorithm_name((pdp_shape)kind, SIZE_MAX));
    }
}

/* A method of the other kind, or of none, is refused with its name and the names there are. */
static void test_unknown_method(void **unused) {
    (void)unused;
    static const char *const none[] = {"pipeline2", "naive", "", "Sequential", "pipeline-"};
    for (size_t i = 0; i < 5; i++) {
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = none[i];
        char message[64];
        snprintf(message, sizeof message, "algorithm '%s' is %s;", none[i],
                 i < 2 ? "for linear recurrences" : "not known");
        assert_plan_refused(&options, PDP_BAD_INPUT, message);
        assert_plan_refused(
            &options, PDP_BAD_INPUT,
            "there are auto, sequential, tiles, hu-shing, knuth, tournament, pipeline, wavefront, pipeline-printed");
    }
}

/* What a method cannot do is refused, and so are types that are none, that do not hold the numbers, or that are not the
 * method's. */
static void test_refused_options(void **unused) {
    (void)unused;
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = "tiles";
    options.record = 1;
    assert_plan_refused(&options, PDP_BAD_INPUT,
                        "method 'tiles' cannot solve this problem: it does not run on the step-exact machine");
    options.algorithm = "hu-shing";
    assert_plan_refused(&options, PDP_BAD_INPUT, "it does not run on the step-exact machine");
    options.record = 0;
    options.splits = 1;
    assert_plan_refused(&options, PDP_BAD_INPUT, "method 'hu-shing' cannot solve this problem: it has no table of");
    options.splits = 0;
    options.type = "f64";
    assert_plan_refused(&options, PDP_BAD_INPUT, "method 'hu-shing' computes with i64, not with f64");
    options.algorithm = "sequential";
    assert_plan_refused(&options, PDP_BAD_INPUT, "method 'sequential' computes with i64, not with f64");
    options.algorithm = NULL;
    options.type = "int";
    assert_plan_refused(&options, PDP_BAD_INPUT, "type 'int' is not known; there are auto, i32, i64, f32, f64");
    options.type = NULL;
    options.threads = -1;
    assert_plan_refused(&options, PDP_BAD_INPUT, "threads is -1, and must be 0 to 4096");
    options.threads = 4097;
    assert_plan_refused(&options, PDP_BAD_INPUT, "threads is 4097, and must be 0 to 4096");
    options.threads = 0;
    options.compile = 3;
    assert_plan_refused(&options, PDP_BAD_INPUT, "compile is 3, and must be 0 to 2");
    options.compile = 1;
    options.backend = "tpu";
    assert_plan_refused(&options, PDP_BAD_INPUT, "backend 'tpu' is not known; there are auto, cpu, cuda, opencl, host");

    const int64_t wide[] = {1300, 1300, 1300}; /* 2197000000: beyond 2^31, and not below 2^24 */
    const char *const types[] = {"i32", "f32"};
    const char *const texts[] = {"type i32 holds numbers up to 2.14748e+09, and mcm may need up to",
                                 "type f32 holds numbers up to 1.67772e+07, and mcm may need up to"};
    pdp_problem *problem = make_chain(wide, 3);
    for (size_t t = 0; t < 2; t++) {
        pdp_plan *plan;
        options = (pdp_options)PDP_OPTIONS_DEFAULT;
        options.type = types[t];
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_BAD_INPUT);
        assert_in(pdp_plan_error(plan), texts[t]);
        pdp_plan_free(plan);
    }
    pdp_problem_free(problem);
}

/* Width 1 to 1024, latency from 1. */
static void test_width_and_latency(void **unused) {
    (void)unused;
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.width = 0;
    assert_plan_refused(&options, PDP_BAD_INPUT, "width is 0, and must be 1 to 1024");
    options.width = 1025;
    assert_plan_refused(&options, PDP_BAD_INPUT, "width is 1025");
    options.width = 32;
    options.latency = 0;
    assert_plan_refused(&options, PDP_BAD_INPUT, "latency is 0, and must be at least 1");
    static const uint32_t widths[] = {1, 1024};
    for (size_t w = 0; w < 2; w++) {
        options.width = widths[w];
        options.latency = UINT32_MAX;
        options.record = 1;
        pdp_problem *problem = make_chain(chain, 7);
        pdp_solution_free(solve(problem, "pipeline", &options));
        pdp_problem_free(problem);
    }
}

/* An older, shorter struct: what it lacks keeps its default. A longer one, or none, is refused. */
static void test_struct_size(void **unused) {
    (void)unused;
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = "no such method";
    options.width = 0;
    options.struct_size = offsetof(pdp_options, algorithm);
    pdp_problem *problem = make_chain(chain, 7);
    pdp_plan *plan;
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    assert_true(*pdp_plan_algorithm(plan) != '\0');
    pdp_plan_free(plan);
    options.algorithm = "wavefront";
    options.struct_size = offsetof(pdp_options, width);
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    assert_string_equal(pdp_plan_algorithm(plan), "wavefront");
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    static const size_t bad[] = {0, sizeof(size_t) - 1, sizeof(pdp_options) + 1, SIZE_MAX};
    for (size_t b = 0; b < 4; b++) {
        options.struct_size = bad[b];
        char message[64];
        snprintf(message, sizeof message, "options.struct_size is %zu", bad[b]);
        assert_plan_refused(&options, PDP_BAD_INPUT, message);
    }
}

/* The limit is exact: the plan's own bytes suffice, one less does not, and the text names both. */
static void test_memory_limit(void **unused) {
    (void)unused;
    for (size_t kind = PDP_LINEAR; kind <= PDP_INTERVAL; kind++) {
        for (size_t m = 0; m < method_count((pdp_shape)kind); m++) {
            pdp_options options = PDP_OPTIONS_DEFAULT;
            options.algorithm = pdp_algorithm_name((pdp_shape)kind, m);
            pdp_problem *problem = kind == PDP_LINEAR ? make_for(options.algorithm) : make_chain(chain, 7);
            if (!method_solves(problem, options.algorithm)) {
                pdp_problem_free(problem);
                continue;
            }
            pdp_plan *plan;
            assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
            uint64_t bytes = pdp_plan_bytes(plan);
            assert_true(bytes >= (kind == PDP_LINEAR ? 50u : 49u) * sizeof(int32_t));
            pdp_plan_free(plan);
            options.memory_limit = bytes;
            assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
            pdp_plan_free(plan);
            options.memory_limit = bytes - 1;
            assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_NO_MEMORY);
            char message[128];
            snprintf(message, sizeof message, "method '%s' needs %llu bytes, and %llu are allowed", options.algorithm,
                     (unsigned long long)bytes, (unsigned long long)bytes - 1);
            assert_string_equal(pdp_plan_error(plan), message);
            pdp_plan_free(plan);
            pdp_problem_free(problem);
        }
    }
}

/* The largest chain whose cells have 32-bit numbers is planned in full; one matrix more is refused. */
static void test_largest_chain(void **unused) {
    (void)unused;
    static int64_t ones[92682];
    for (size_t m = 0; m < 92682; m++) {
        ones[m] = 1;
    }
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.memory_limit = UINT64_MAX;
    options.algorithm = "wavefront";
    uint64_t bytes[2];
    for (size_t more = 0; more < 3; more++) {
        pdp_problem *problem = make_chain(ones, 92680 + more);
        pdp_plan *plan;
        pdp_status status = pdp_plan_create(&plan, problem, &options);
        assert_int_equal(status, more < 2 ? PDP_OK : PDP_NO_MEMORY);
        if (more < 2) {
            bytes[more] = pdp_plan_bytes(plan);
        } else {
            assert_in(pdp_plan_error(plan), "92681");
        }
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
    assert_true(bytes[1] > bytes[0]);
}

/* Sizes beyond every memory, where byte counts would wrap, are refused and not tried: by the problem above 2^62 cells,
 * by the plan below, if its method has a table. */
static void test_enormous(void **unused) {
    (void)unused;
    static const size_t refused[] = {SIZE_MAX, SIZE_MAX / 2 + 1, ((size_t)1 << 62) + 1};
    for (size_t s = 0; s < sizeof refused / sizeof *refused; s++) {
        const int64_t ones[] = {2, 1};
        pdp_sdp sdp = {refused[s], ones, 2, ones, 2, PDP_MIN, PDP_OVERFLOW_ERROR, 0};
        pdp_problem *problem;
        char message[96];
        snprintf(message, sizeof message, "n is %zu, and must be at most 4611686018427387904", refused[s]);
        assert_int_equal(pdp_problem_create_sdp(&problem, &sdp), PDP_BAD_INPUT);
        assert_string_equal(pdp_problem_error(problem), message);
        pdp_problem_free(problem);
    }
    static const size_t sizes[] = {(size_t)1 << 62, ((size_t)1 << 62) - 1, (size_t)1 << 61, (size_t)1 << 60,
                                   (size_t)1 << 40};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (size_t m = 0; m < method_count(PDP_LINEAR); m++) {
            pdp_options options = PDP_OPTIONS_DEFAULT;
            options.algorithm = pdp_algorithm_name(PDP_LINEAR, m);
            options.record = m % 2 == 1 && method_records(options.algorithm);
            sdp_instance instance = {.n = sizes[s], .k = 2, .offsets = {2, 1}, .presets = {1, 1}};
            if (!method_takes(options.algorithm, &instance)) {
                instance.op = PDP_ADD;
                instance.overflow = PDP_OVERFLOW_WRAP;
            }
            pdp_problem *problem = make_sdp(&instance);
            pdp_plan *plan;
            pdp_status status = pdp_plan_create(&plan, problem, &options);
            if (method_has_table(options.algorithm)) {
                assert_int_equal(status, PDP_NO_MEMORY);
                assert_in(pdp_plan_error(plan), m > 0 && method_records(options.algorithm) ? "addresses" : "bytes");
            } else {
                assert_int_equal(status, PDP_OK);
            }
            pdp_plan_free(plan);
            pdp_problem_free(problem);
        }
    }
}

/* A part of a row is that part of the row, and ends where it does. */
static void test_cells(void **unused) {
    (void)unused;
    const int64_t dims[] = {30, 35, 15, 5, 10};
    pdp_problem *problem = NULL;
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    assert_int_equal(pdp_problem_create_mcm(&problem, dims, 5), PDP_OK);
    assert_int_equal(pdp_plan_create(&plan, problem, NULL), PDP_OK);
    assert_int_equal(pdp_plan_run(plan, &solution), PDP_OK);
    const int64_t expected[5] = {0, 0, 0, 2625, 4375}; /* row 1 */
    for (size_t first = 0; first <= 5; first++) {
        for (size_t count = 0; first + count <= 5; count++) {
            int64_t cells[6] = {-1, -1, -1, -1, -1, -1};
            assert_int_equal(pdp_solution_cells(solution, 1, first, cells, count), PDP_OK);
            assert_memory_equal(cells, expected + first, count * sizeof *cells);
            assert_int_equal(cells[count], -1);
        }
    }
    int64_t cells[6];
    double reals[6];
    assert_int_equal(pdp_solution_cells(solution, 5, 0, cells, 1), PDP_BAD_INPUT);
    assert_true(pdp_solution_cell_feasible(solution, 0, 1));
    assert_false(pdp_solution_cell_feasible(solution, 1, 1));
    assert_false(pdp_solution_cell_feasible(solution, 5, 6));
    assert_false(pdp_solution_cell_feasible(NULL, 0, 1));
    assert_int_equal(pdp_solution_cells(solution, 0, 2, cells, 4), PDP_BAD_INPUT);
    assert_int_equal(pdp_solution_cells(solution, 0, 6, cells, 0), PDP_BAD_INPUT);
    assert_int_equal(pdp_solution_cells(solution, 0, 1, cells, SIZE_MAX), PDP_BAD_INPUT);
    assert_int_equal(pdp_solution_real_cells(solution, 0, 0, reals, 1), PDP_BAD_INPUT);
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
}

static void assert_nothing_known(const pdp_plan *plan, const pdp_solution *solution) {
    assert_string_equal(pdp_plan_algorithm(plan), "");
    assert_string_equal(pdp_plan_backend(plan), "");
    assert_string_equal(pdp_plan_type(plan), "");
    assert_string_equal(pdp_plan_note(plan), "");
    assert_int_equal(pdp_plan_threads(plan), 0);
    assert_int_equal(pdp_plan_guaranteed(plan), 0);
    assert_int_equal(pdp_plan_bytes(plan), 0);
    size_t rows = 7;
    size_t columns = 7;
    assert_null(pdp_solution_table(solution, &rows, &columns));
    assert_int_equal(rows + columns, 0);
    assert_int_equal(pdp_solution_value(solution), 0);
    assert_true(pdp_solution_real_value(solution) == 0);
    assert_int_equal(pdp_solution_is_real(solution), 0);
    assert_int_equal(pdp_solution_feasible(solution), 0);
    int64_t cells[7];
    double reals[7];
    assert_int_equal(pdp_solution_row(solution, 0, cells, 7), PDP_BAD_INPUT);
    assert_int_equal(pdp_solution_real_row(solution, 0, reals, 7), PDP_BAD_INPUT);
    assert_int_equal(pdp_solution_cells(solution, 0, 0, cells, 0), PDP_BAD_INPUT);
    assert_int_equal(pdp_solution_real_cells(solution, 0, 0, reals, 0), PDP_BAD_INPUT);
    size_t count = 7;
    assert_null(pdp_solution_decisions(solution, &count));
    assert_int_equal(count, 0);
    assert_null(pdp_solution_report(solution));
    assert_null(pdp_solution_splits(solution));
    assert_null(pdp_solution_order(solution));
    assert_null(pdp_solution_record(solution));
}

static int stop_at_once(void *context, double share) {
    (void)context;
    (void)share;
    return 1;
}

/* Of what failed, or is not there, nothing can be learnt but the reason: no half-filled table, no record. */
static void test_nothing_but_the_error(void **unused) {
    (void)unused;
    assert_nothing_known(NULL, NULL);
    pdp_problem *problem = make_chain(chain, 7);
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = "no such method";
    pdp_plan *plan;
    pdp_solution *solution;
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_BAD_INPUT);
    assert_int_equal(pdp_plan_run(plan, &solution), PDP_BAD_INPUT);
    assert_nothing_known(plan, solution);
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    options.algorithm = "sequential";
    options.splits = 1;
    options.on_progress = stop_at_once;
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    assert_int_equal(pdp_plan_run(plan, &solution), PDP_CANCELLED);
    assert_nothing_known(NULL, solution);
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    sdp_instance fibonacci = {.n = 200, .k = 2, .offsets = {2, 1}, .presets = {1, 1}, .op = PDP_ADD};
    problem = make_sdp(&fibonacci);
    options = (pdp_options)PDP_OPTIONS_DEFAULT;
    options.record = 1;
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    assert_int_equal(pdp_plan_run(plan, &solution), PDP_OVERFLOW);
    assert_nothing_known(NULL, solution);
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
}

/* What failed hands its reason on: problem to plan, plan to solution. NULL is a problem that failed. */
static void test_failed_objects(void **unused) {
    (void)unused;
    pdp_problem *problem;
    pdp_plan *plan;
    pdp_solution *solution;
    assert_int_equal(pdp_problem_create_mcm(&problem, (int64_t[]){4, 0}, 2), PDP_BAD_INPUT);
    assert_int_equal(pdp_plan_create(&plan, problem, NULL), PDP_BAD_INPUT);
    assert_in(pdp_plan_error(plan), "the problem is not valid: dimension 2 is 0");
    assert_int_equal(pdp_plan_run(plan, &solution), PDP_BAD_INPUT);
    assert_in(pdp_solution_error(solution), "the plan is not valid: the problem is not valid: dimension 2 is 0");
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    assert_int_equal(pdp_plan_create(&plan, NULL, NULL), PDP_BAD_INPUT);
    assert_in(pdp_plan_error(plan), "the problem is not valid");
    pdp_plan_free(plan);
    assert_int_equal(pdp_plan_run(NULL, &solution), PDP_BAD_INPUT);
    assert_in(pdp_solution_error(solution), "the plan is not valid");
    pdp_solution_free(solution);
    pdp_plan_free(NULL);
    pdp_solution_free(NULL);
    assert_string_equal(pdp_plan_error(NULL), "out of memory");
    assert_string_equal(pdp_solution_error(NULL), "out of memory");
}

static int hear_step(void *context, const pdp_step *step) {
    listener *l = context;
    assert_true(step->count > 0);
    return ++l->calls == l->stop_at;
}

/* Runs a method and expects a cancel at the given call, or none. */
static size_t run_with(const pdp_problem *problem, const char *algorithm, bool by_step, size_t stop_at) {
    listener l = {.stop_at = stop_at, .is_monotone = true};
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = algorithm;
    options.record = by_step;
    options.on_step = by_step ? hear_step : NULL;
    options.on_progress = by_step ? NULL : hear;
    options.context = &l;
    pdp_plan *plan;
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    pdp_solution *solution;
    assert_int_equal(pdp_plan_run(plan, &solution), stop_at > 0 ? PDP_CANCELLED : PDP_OK);
    assert_true(l.is_monotone);
    if (stop_at > 0) {
        assert_in(pdp_solution_error(solution), by_step ? "cancelled by the step" : "cancelled by the progress");
        assert_int_equal(l.calls, stop_at);
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return l.calls;
}

/* A callback that returns other than 0 ends the run with PDP_CANCELLED, at that call; the share of
 * progress never falls and never passes 1. */
static void test_callbacks(void **unused) {
    (void)unused;
    static mcm_instance big = {.n = 400};
    uint64_t state = test_seed();
    random_chain(&big, &state, 400, 50);
    static sdp_instance wide = {.n = 12000};
    random_offsets(&wide, &state, 1000, 1100);
    random_presets(&wide, &state, -9, 9);
    for (size_t kind = PDP_LINEAR; kind <= PDP_INTERVAL; kind++) {
        pdp_problem *small = kind == PDP_LINEAR ? make_fibonacci() : make_chain(chain, 7);
        pdp_problem *large = kind == PDP_LINEAR ? make_sdp(&wide) : make_mcm(&big);
        for (size_t m = 0; m < method_count((pdp_shape)kind); m++) {
            const char *name = pdp_algorithm_name((pdp_shape)kind, m);
            if (!method_records(name)) { /* those tell by the clock, not by the step */
                continue;
            }
            size_t calls = run_with(small, name, true, 0);
            assert_true(calls >= 10);
            run_with(small, name, true, 1);
            run_with(small, name, true, calls);
            calls = run_with(large, name, false, 0);
            assert_true(calls >= 2);
            run_with(large, name, false, calls);
        }
        pdp_problem_free(large);
        pdp_problem_free(small);
    }
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_unknown_method),
        cmocka_unit_test(test_refused_options),
        cmocka_unit_test(test_width_and_latency),
        cmocka_unit_test(test_struct_size),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_enormous),
        cmocka_unit_test(test_largest_chain),
        cmocka_unit_test(test_failed_objects),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_nothing_but_the_error),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
