/* Batches against the same problems alone, bit for bit: problems of one kind and many sizes, whatever is asked of them,
 * by any number of threads and on devices; one that fails among others that do not; what is refused; memory limits,
 * rounds, progress.
 *
 *     unit_batch cpu|host|opencl|cuda
 *
 * It is skipped (exit code 77) where there is no such device. */
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24, LARGEST = 200, POINTS = LARGEST + 1 };

static const char *backend;
static pdp_device *device; /* NULL on the CPU */

/* ---- Problems ---- */

typedef struct recipe {
    const char *recurrence; /* a built-in's name, or a text */
    const char *type;
    bool is_first; /* also where a kernel takes long to compile */
} recipe;

static const recipe recipes[] = {
    {"mcm", NULL, true},
    {"coins", NULL, true},
    {"interval own\n input p[n]\n param gap >= 0\n size n\n empty p[i]\n leaf p[i] - i\n"
     " term max(l, r) + p[i]*p[k] - (k - p[k])*p[j]\n option inside + p[j] if j - i > gap\n finish best - p[j]\n"
     " combine min\n report tree\n",
     "i32", true},
    {"mcm", "i64", false},
    {"cyk", NULL, false},
    {"nussinov", "i32", false},
    {"interval floats\n type f64\n input p[n]\n size n\n leaf p[i]/7\n term l + r + p[i]*p[k]/3\n combine min\n", NULL,
     false},
    {"interval residues\n type mod P\n param P >= 2\n input p[n]\n size n\n leaf p[i]\n term l*r + p[k]\n"
     " combine add\n",
     NULL, false},
    {"sdp_added", NULL, false},
    {"linear residues\n type mod P\n param P >= 2\n param n >= 1\n input a[k] >= 1\n size n\n preset 1 : 1\n"
     " missing skip\n offset a[j]\n term 3*s\n combine add\n",
     NULL, false},
};
enum { RECIPES = sizeof recipes / sizeof *recipes };

static bool is_tried(const recipe *r) {
    return campaign(0, 1) || r->is_first || strcmp(backend, "cpu") == 0 || strcmp(backend, "host") == 0;
}

static void give_random(pdp_problem *problem, const char *name, size_t count, uint64_t *random, int64_t low,
                        int64_t high) {
    int64_t data[2 * POINTS];
    for (size_t x = 0; x < count; x++) {
        data[x] = pdp_random_between(random, low, high);
    }
    CHECK(pdp_problem_set_whole(problem, name, data, count, 0) == PDP_OK, "%s", pdp_problem_error(problem));
}

static void give_one(pdp_problem *problem, const char *name, int64_t value) {
    CHECK(pdp_problem_set_whole(problem, name, &value, 1, 0) == PDP_OK, "%s", pdp_problem_error(problem));
}

static void give_letters(pdp_problem *problem, const char *name, size_t count, uint64_t *random, const char *letters) {
    char text[POINTS];
    for (size_t x = 0; x < count; x++) {
        text[x] = letters[pdp_random_next(random) % strlen(letters)];
    }
    assert_int_equal(pdp_problem_set_text(problem, name, text, count), PDP_OK);
}

static pdp_recurrence *load(const char *recurrence) {
    pdp_recurrence *loaded;
    const pdp_status status = strchr(recurrence, '\n') ? pdp_recurrence_parse(&loaded, recurrence, strlen(recurrence))
                                                       : pdp_recurrence_load(&loaded, recurrence);
    CHECK(status == PDP_OK, "%s", pdp_recurrence_error(loaded));
    return loaded;
}

/* The moduli lie on both sides of 2^31, and so do the numbers of matrix chains; some amounts cannot be paid. */
static void fill(pdp_problem *problem, const char *recurrence, size_t n, uint64_t *random) {
    if (strcmp(recurrence, "mcm") == 0) {
        give_random(problem, "p", n + 1, random, 1, pdp_random_next(random) % 4 == 0 ? 9999 : 30);
    } else if (strcmp(recurrence, "coins") == 0) {
        give_random(problem, "coin", 3, random, 3, 30);
        give_one(problem, "amount", (int64_t)n);
    } else if (strcmp(recurrence, "nussinov") == 0) {
        give_letters(problem, "s", n, random, "ACGU");
        give_one(problem, "loop", pdp_random_between(random, 0, 2));
    } else if (strcmp(recurrence, "cyk") == 0) {
        give_letters(problem, "s", n, random, "ab");
        give_random(problem, "A", 9, random, 0, 3);
        give_random(problem, "B", 9, random, 0, 3);
        give_random(problem, "C", 9, random, 0, 3);
        give_random(problem, "D", 3, random, 0, 3);
        assert_int_equal(pdp_problem_set_text(problem, "letter", "aab", 3), PDP_OK);
    } else if (strcmp(recurrence, "sdp_added") == 0) {
        assert_int_equal(pdp_problem_set_text(problem, "op", "min", 3), PDP_OK);
        const int64_t offsets[] = {(int64_t)n, 1};
        assert_int_equal(pdp_problem_set_whole(problem, "a", offsets, n > 1 ? 2 : 1, 0), PDP_OK);
        give_random(problem, "init", n, random, -99, 99);
        give_random(problem, "w", n > 1 ? 2 : 1, random, -99, 99);
        give_one(problem, "n", 3 * (int64_t)n);
    } else if (strstr(recurrence, "linear residues")) {
        give_random(problem, "a", 2, random, 1, 9);
        give_one(problem, "n", (int64_t)n);
        give_one(problem, "P", pdp_random_next(random) % 2 ? 1000003 : INT64_C(1) << 40);
    } else {
        give_random(problem, "p", n + 1, random, 1, 9);
        if (strstr(recurrence, "param gap")) {
            give_one(problem, "gap", pdp_random_between(random, 0, 3));
        } else if (strstr(recurrence, "param P")) {
            give_one(problem, "P", pdp_random_next(random) % 2 ? 1000003 : INT64_C(1) << 40);
        }
    }
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s", pdp_problem_error(problem));
}

/* Some share a recurrence, others have one of their own. */
static void make_problems(pdp_problem **problems, size_t count, const char *recurrence, const size_t *sizes,
                          uint64_t *random) {
    pdp_recurrence *shared = load(recurrence);
    for (size_t x = 0; x < count; x++) {
        pdp_recurrence *own = x % 3 == 2 ? load(recurrence) : NULL;
        assert_int_equal(pdp_problem_create(&problems[x], own ? own : shared), PDP_OK);
        fill(problems[x], recurrence, sizes[x], random);
        pdp_recurrence_free(own);
    }
    pdp_recurrence_free(shared);
}

static void free_problems(pdp_problem **problems, size_t count) {
    for (size_t x = 0; x < count; x++) {
        pdp_problem_free(problems[x]);
    }
}

static void free_solutions(pdp_solution **solutions, size_t count) {
    for (size_t x = 0; x < count; x++) {
        pdp_solution_free(solutions[x]);
    }
}

/* ---- Comparing ---- */

static pdp_options make_options(const char *type, int wish) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.backend = backend;
    options.device = device;
    options.type = type;
    options.table = wish != 1;
    options.decisions = wish != 2;
    options.splits = wish == 0;
    return options;
}

static bool same_tables(const pdp_solution *one, const pdp_solution *other, size_t rows, size_t columns) {
    static int64_t cells[2][3 * POINTS];
    static double reals[2][3 * POINTS];
    const bool is_real = pdp_solution_is_real(other);
    for (size_t row = 0; row < rows; row++) {
        for (int s = 0; s < 2; s++) {
            const pdp_solution *solution = s == 0 ? one : other;
            const pdp_status status = is_real ? pdp_solution_real_row(solution, row, reals[s], columns)
                                              : pdp_solution_row(solution, row, cells[s], columns);
            if (status != PDP_OK) {
                return false;
            }
        }
        if (memcmp(is_real ? (void *)reals[0] : (void *)cells[0], is_real ? (void *)reals[1] : (void *)cells[1],
                   columns * sizeof(int64_t)) != 0) {
            return false;
        }
    }
    return true;
}

static bool same_decisions(const pdp_solution *one, const pdp_solution *other) {
    size_t counts[2];
    const pdp_decision *a = pdp_solution_decisions(one, &counts[0]);
    const pdp_decision *b = pdp_solution_decisions(other, &counts[1]);
    bool same = counts[0] == counts[1] && !a == !b;
    for (size_t x = 0; same && x < counts[0]; x++) {
        same = a[x].kind == b[x].kind && a[x].i == b[x].i && a[x].k == b[x].k && a[x].j == b[x].j;
    }
    return same;
}

/* What differs from the solution of the problem alone, or NULL. */
static const char *compare(const pdp_problem *problem, pdp_shape shape, const pdp_solution *found,
                           const pdp_solution *alone, const pdp_options *options) {
    const size_t columns = pdp_problem_size(problem), rows = shape == PDP_INTERVAL ? columns : 1;
    const double reals[] = {pdp_solution_real_value(found), pdp_solution_real_value(alone)};
    if (pdp_solution_feasible(found) != pdp_solution_feasible(alone) ||
        pdp_solution_value(found) != pdp_solution_value(alone) || memcmp(&reals[0], &reals[1], sizeof *reals) != 0) {
        return "the value";
    }
    if (options->table && !same_tables(found, alone, rows, columns)) {
        return "the table";
    }
    if (!same_decisions(found, alone)) {
        return "a decision";
    }
    const int64_t *a = pdp_solution_splits(found), *b = pdp_solution_splits(alone);
    if (!a != !b || (a && memcmp(a, b, columns * columns * sizeof *a) != 0)) {
        return "the splits";
    }
    char *reports[] = {pdp_solution_report(found), pdp_solution_report(alone)};
    const bool same = !reports[0] == !reports[1] && (!reports[0] || strcmp(reports[0], reports[1]) == 0);
    free(reports[0]);
    free(reports[1]);
    return same ? NULL : "the report";
}

static pdp_solution *solve_alone(const pdp_problem *problem, const char *algorithm, const pdp_options *options) {
    pdp_options own = *options;
    pdp_plan *plan;
    pdp_solution *solution = NULL;
    own.algorithm = algorithm;
    own.device_memory = 0;
    own.on_progress = NULL;
    own.type = NULL; /* each the one that it needs */
    CHECK(pdp_plan_create(&plan, problem, &own) == PDP_OK && pdp_plan_run(plan, &solution) == PDP_OK, "%s%s",
          pdp_plan_error(plan), pdp_solution_error(solution));
    pdp_plan_free(plan);
    return solution;
}

static void check_batch(pdp_problem **problems, size_t count, const recipe *r, const pdp_options *options) {
    pdp_recurrence *recurrence = load(r->recurrence);
    const pdp_shape shape = pdp_recurrence_shape(recurrence);
    pdp_recurrence_free(recurrence);
    pdp_plan *plan;
    pdp_solution *found[MOST];
    CHECK(pdp_plan_batch(&plan, problems, count, options) == PDP_OK, "%s: %s", r->recurrence, pdp_plan_error(plan));
    assert_int_equal(pdp_plan_count(plan), count);
    const pdp_status status = pdp_plan_run_batch(plan, found);
    for (size_t x = 0; x < count; x++) {
        CHECK(*pdp_solution_error(found[x]) == '\0', "%s, problem %zu: %s", r->recurrence, x + 1,
              pdp_solution_error(found[x]));
        assert_string_equal(pdp_solution_backend(found[x]), backend);
        pdp_solution *alone = solve_alone(problems[x], pdp_plan_algorithm(plan), options);
        const char *difference = compare(problems[x], shape, found[x], alone, options);
        CHECK(!difference, "%s, problem %zu of %zu, size %zu, threads %d, table %d, decisions %d: %s differs",
              r->recurrence, x + 1, count, pdp_problem_size(problems[x]), options->threads, options->table,
              options->decisions, difference);
        pdp_solution_free(alone);
    }
    assert_int_equal(status, PDP_OK);
    free_solutions(found, count);
    pdp_plan_free(plan);
}

/* Sizes around the edges of tiles, of one size and mixed; any number of threads. */
static void test_same(void **unused) {
    (void)unused;
    static const size_t sizes[] = {1, 2, 3, 17, 62, 63, 64, 65, 127, 128, 129, LARGEST};
    static const int threads[] = {1, 2, 3, 8};
    static const size_t counts[] = {1, 2, 13, MOST};
    uint64_t random = test_seed();
    for (size_t x = 0; x < RECIPES; x++) {
        for (size_t round = 0; round < (is_tried(&recipes[x]) ? campaign(2, 60) : 0); round++) {
            const size_t count = counts[round % 4];
            size_t own[MOST];
            pdp_problem *problems[MOST];
            for (size_t p = 0; p < count; p++) {
                own[p] = p > 0 && round % 4 == 2 ? own[0] : sizes[pdp_random_next(&random) % 12];
            }
            make_problems(problems, count, recipes[x].recurrence, own, &random);
            for (int wish = 0; wish < 3; wish++) {
                pdp_options options = make_options(recipes[x].type, wish);
                options.threads = threads[(round + (size_t)wish) % 4];
                check_batch(problems, count, &recipes[x], &options);
            }
            free_problems(problems, count);
        }
    }
}

/* One problem is large enough for all threads, the others are not; and all methods that are there. */
static void test_methods(void **unused) {
    (void)unused;
    if (device) {
        skip();
    }
    static const size_t sizes[] = {5, 130, 3, LARGEST, 1, 60};
    uint64_t random = test_seed();
    pdp_problem *problems[7];
    mcm_instance chain;
    make_problems(problems, 6, "mcm", sizes, &random);
    random_chain(&chain, &random, 350, 20);
    problems[6] = make_mcm(&chain);
    for (size_t m = 0; m < method_count(PDP_INTERVAL); m++) {
        pdp_options options = make_options(NULL, 1);
        options.algorithm = pdp_algorithm_name(PDP_INTERVAL, m);
        if ((method_records(options.algorithm) && strcmp(options.algorithm, "sequential") != 0) ||
            !method_solves(problems[0], options.algorithm)) {
            continue;
        }
        for (options.threads = 0; options.threads < 5; options.threads += 2) {
            check_batch(problems, 7, &recipes[0], &options);
        }
    }
    free_problems(problems, 7);
}

/* ---- Failures ---- */

/* One that overflows and one that divides by zero: they say so, and the others are solved. */
static void test_one_fails(void **unused) {
    (void)unused;
    static const int64_t good[] = {3, 4, 5, 6}, large[] = {INT64_C(1) << 31, INT64_C(1) << 31, INT64_C(1) << 31, 2};
    const int64_t *chains[] = {good, large, good};
    pdp_problem *problems[3];
    pdp_solution *solutions[3];
    pdp_plan *plan;
    pdp_options options = make_options(NULL, 1);
    for (size_t x = 0; x < 3; x++) {
        problems[x] = make_chain(chains[x], 4);
    }
    if (device) { /* the kernel that checks runs on the CPU alone */
        assert_int_equal(pdp_plan_batch(&plan, problems, 3, &options), PDP_BAD_INPUT);
        assert_in(pdp_plan_error(plan), "problem 2: a value may not fit into 64 bits");
    } else {
        assert_int_equal(pdp_plan_batch(&plan, problems, 3, &options), PDP_OK);
        assert_string_equal(pdp_plan_type(plan), "checked");
        assert_int_equal(pdp_plan_run_batch(plan, solutions), PDP_OVERFLOW);
        assert_in(pdp_solution_error(solutions[1]), "does not fit into int64");
        assert_int_equal(pdp_solution_value(solutions[0]), 150);
        assert_int_equal(pdp_solution_value(solutions[2]), 150);
        free_solutions(solutions, 3);
    }
    pdp_plan_free(plan);
    free_problems(problems, 3);

    static const char dividing[] = "interval a\n input p[n]\n size n\n leaf p[i]\n term l + r / p[k]\n combine min\n";
    static const int64_t lists[][4] = {{1, 2, 3, 4}, {1, 0, 3, 4}, {1, 2, 3, 4}};
    pdp_recurrence *recurrence = load(dividing);
    for (size_t x = 0; x < 3; x++) {
        assert_int_equal(pdp_problem_create(&problems[x], recurrence), PDP_OK);
        assert_int_equal(pdp_problem_set_whole(problems[x], "p", lists[x], 4, 0), PDP_OK);
    }
    pdp_recurrence_free(recurrence);
    options.algorithm = "tiles";
    CHECK(pdp_plan_batch(&plan, problems, 3, &options) == PDP_OK, "%s", pdp_plan_error(plan));
    assert_int_equal(pdp_plan_run_batch(plan, solutions), PDP_BAD_INPUT);
    assert_in(pdp_solution_error(solutions[1]), "divides by zero");
    assert_null(pdp_solution_decisions(solutions[1], NULL));
    assert_string_equal(pdp_solution_error(solutions[0]), "");
    assert_int_equal(pdp_solution_value(solutions[0]), pdp_solution_value(solutions[2]));
    free_solutions(solutions, 3);
    pdp_plan_free(plan);
    free_problems(problems, 3);
}

static void check_refusal(pdp_problem *const *problems, size_t count, const pdp_options *options, pdp_status expected,
                          const char *part) {
    pdp_plan *plan;
    pdp_solution *solutions[MOST];
    const pdp_status status = pdp_plan_batch(&plan, problems, count, options);
    CHECK(status == expected && strstr(pdp_plan_error(plan), part), "%d '%s' instead of '%s'", (int)status,
          pdp_plan_error(plan), part);
    assert_int_equal(pdp_plan_count(plan), 0);
    assert_int_equal(pdp_plan_run_batch(plan, solutions), PDP_BAD_INPUT);
    pdp_plan_free(plan);
}

/* Problems of different kinds, of which the number is named; and what is for one problem alone. */
static void test_refusals(void **unused) {
    (void)unused;
    static const int64_t dims[] = {3, 4, 5, 6}, large[] = {300, 4000, 5000, 6000}, n = 9;
    pdp_problem *problems[3] = {make_chain(dims, 4), make_chain(large, 4), NULL};
    pdp_options options = make_options(NULL, 0);
    check_refusal(problems, 0, &options, PDP_BAD_INPUT, "there are no problems");
    check_refusal(problems, 3, &options, PDP_BAD_INPUT, "problem 3: the problem is not valid");
    options.type = "i32";
    check_refusal(problems, 2, &options, PDP_BAD_INPUT, "problem 2: type i32 holds numbers up to");
    options.type = NULL;
    options.memory_limit = 300;
    check_refusal(problems, 2, &options, PDP_NO_MEMORY, "bytes, and 300 are allowed");
    options.memory_limit = 0;

    pdp_recurrence *recurrence = load("coins");
    assert_int_equal(pdp_problem_create(&problems[2], recurrence), PDP_OK);
    assert_int_equal(pdp_problem_set_whole(problems[2], "coin", dims, 4, 0), PDP_OK);
    check_refusal(problems, 3, &options, PDP_BAD_INPUT, "problem 3: the problem is not valid");
    assert_int_equal(pdp_problem_set_whole(problems[2], "amount", &n, 1, 0), PDP_BAD_INPUT);
    pdp_problem_free(problems[2]);
    assert_int_equal(pdp_problem_create(&problems[2], recurrence), PDP_OK);
    pdp_recurrence_free(recurrence);
    assert_int_equal(pdp_problem_set_whole(problems[2], "coin", dims, 4, 0), PDP_OK);
    assert_int_equal(pdp_problem_set_whole(problems[2], "amount", &n, 1, 0), PDP_OK);
    check_refusal(problems, 3, &options, PDP_BAD_INPUT,
                  "problem 3 is not of one kind with the first: its recurrence is another");
    pdp_problem_free(problems[2]);

    pdp_sdp sdp = {4, (const int64_t[]){1}, 1, dims, 1, PDP_MIN, PDP_OVERFLOW_ERROR, 0};
    pdp_problem *lines[2];
    assert_int_equal(pdp_problem_create_sdp(&lines[0], &sdp), PDP_OK);
    sdp.op = PDP_MAX;
    assert_int_equal(pdp_problem_create_sdp(&lines[1], &sdp), PDP_OK);
    options = make_options(NULL, 1);
    check_refusal(lines, 2, &options, PDP_BAD_INPUT, "its operator is another");
    free_problems(lines, 2);

    pdp_plan *plan;
    pdp_solution *solution;
    assert_int_equal(pdp_plan_batch(&plan, problems, 2, &options), PDP_OK);
    assert_int_equal(pdp_plan_run(plan, &solution), PDP_BAD_INPUT);
    assert_in(pdp_solution_error(solution), "the plan is for 2 problems");
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    if (!device) {
        options.record = 1;
        check_refusal(problems, 2, &options, PDP_BAD_INPUT, "the step-exact machine solves one problem");
    }
    free_problems(problems, 2);
}

/* ---- Limits ---- */

/* A batch that a device has no room for goes in rounds, after each of which it reports; a problem that it has no room
 * for is named. */
static void test_rounds(void **unused) {
    (void)unused;
    if (!device) {
        skip();
    }
    static const size_t sizes[] = {10, 100, 64, 130, 63, 5, 129, 130};
    uint64_t random = test_seed();
    for (size_t x = 0; x < 2; x++) {
        pdp_problem *problems[8];
        pdp_plan *plan;
        make_problems(problems, 8, recipes[x].recurrence, sizes, &random);
        pdp_options options = make_options(NULL, 0);
        options.device_memory = 1000;
        assert_int_equal(pdp_plan_batch(&plan, problems + 3, 5, &options), PDP_NO_MEMORY);
        uint64_t needed = 0;
        CHECK(sscanf(strstr(pdp_plan_error(plan), "needs"), "needs %" SCNu64 " bytes of device memory", &needed) == 1,
              "%s", pdp_plan_error(plan));
        assert_in(pdp_plan_error(plan), "problem 1: ");
        pdp_plan_free(plan);
        listener rounds[3] = {0}; /* with room for one of the largest, for two, for all */
        for (size_t room = 0; room < 3; room++) {
            options.device_memory = room < 2 ? (room + 1) * needed : 0;
            options.on_progress = hear;
            options.context = &rounds[room];
            check_batch(problems, 8, &recipes[x], &options);
        }
        CHECK(x > 0 || (rounds[0].calls > rounds[1].calls && rounds[1].calls > rounds[2].calls), "%zu, %zu, %zu calls",
              rounds[0].calls, rounds[1].calls, rounds[2].calls);
        free_problems(problems, 8);
    }
}

/* Other orders of the fibres. */
static void test_host_seeds(void **unused) {
    (void)unused;
    if (strcmp(backend, "host") != 0) {
        skip();
    }
    static const size_t sizes[] = {130, 64, 3, 129, 70, 130};
    uint64_t random = test_seed();
    pdp_device *first = device;
    for (size_t seed = 2; seed < 2 + campaign(3, 100); seed++) {
        const recipe *r = &recipes[seed % 2 == 0 ? 0 : 2];
        char text[24];
        pdp_problem *problems[6];
        snprintf(text, sizeof text, "%zu", seed);
        setenv("PIPEDP_HOST_SEED", text, 1);
        assert_int_equal(pdp_device_open(&device, backend), PDP_OK);
        make_problems(problems, 6, r->recurrence, sizes, &random);
        const pdp_options options = make_options(r->type, (int)(seed % 3));
        check_batch(problems, 6, r, &options);
        free_problems(problems, 6);
        pdp_device_free(device);
    }
    unsetenv("PIPEDP_HOST_SEED");
    device = first;
}

/* The shares are those of the whole batch; who cancels it is not asked again, and what was not solved says so. */
static void test_progress(void **unused) {
    (void)unused;
    static const size_t sizes[] = {100, 100, 64, 130, 63, 5, 129, 130};
    uint64_t random = test_seed();
    pdp_problem *problems[8];
    make_problems(problems, 8, "mcm", sizes, &random);
    for (size_t stop_at = 0; stop_at < 4; stop_at++) {
        listener l = {.stop_at = stop_at, .is_monotone = true};
        pdp_options options = make_options(NULL, 0);
        pdp_plan *plan;
        pdp_solution *solutions[8];
        options.on_progress = hear;
        options.context = &l;
        options.threads = (int)stop_at;
        CHECK(pdp_plan_batch(&plan, problems, 8, &options) == PDP_OK, "%s", pdp_plan_error(plan));
        const pdp_status status = pdp_plan_run_batch(plan, solutions);
        size_t cancelled = 0;
        for (size_t x = 0; x < 8; x++) {
            cancelled += *pdp_solution_error(solutions[x]) != '\0';
        }
        assert_true(l.is_monotone);
        if (stop_at == 0 || l.calls < stop_at) {
            assert_int_equal(status, PDP_OK);
            assert_true(device || l.last > 0.999);
        } else {
            assert_int_equal(status, PDP_CANCELLED);
            assert_int_equal(l.calls, stop_at);
            assert_true(cancelled > 0);
        }
        free_solutions(solutions, 8);
        pdp_plan_free(plan);
    }
    free_problems(problems, 8);
}

int main(int argc, char **argv) {
    backend = argc > 1 ? argv[1] : "cpu";
    use_test_cache();
    if (strcmp(backend, "cpu") != 0) {
        const pdp_status status = pdp_device_open(&device, backend);
        if (status != PDP_OK) {
            printf("skipped: %s\n", pdp_device_error(device));
            pdp_device_free(device);
            return status == PDP_DEVICE ? 77 : 1;
        }
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),     cmocka_unit_test(test_methods),    cmocka_unit_test(test_one_fails),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_host_seeds), cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_progress),
    };
    const int failed = cmocka_run_group_tests_name(backend, tests, NULL, NULL);
    pdp_device_free(device);
    return failed;
}
