/* Random problems of both kinds: the reference against a check that does not go through it, and every
 * other method against the reference. Needs no test framework, so that anyone can run it anywhere. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "option_value.h"
#include "selftest.h"

static const struct argp_option options[] = {
    {"seed", 's', "S", 0, "Seed of the first problem (default 1)", 0},
    {"seconds", 't', "T", 0, "How long to go on (default 5)", 0},
    {"backend", 'b', "B", 0, "Compare cuda, opencl or host with the CPU instead", 0},
    {"json", 'j', 0, 0, "Write JSON", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    selftest *test = state->input;
    switch (key) {
    case 's': cli_check_value(state, "--seed", argument, option_parse_unsigned(argument, &test->seed)); return 0;
    case 't': cli_check_value(state, "--seconds", argument, option_parse_seconds(argument, &test->seconds)); return 0;
    case 'b': test->backend = argument; return 0;
    case 'j': test->json = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s' is one argument too many", argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc = "Solves random problems by every method and compares. Problem number m is drawn from seed S + m, so a "
           "failing one, at which it stops, is found again by its own seed.\vExamples:\n"
           "  pipedp selftest\n"
           "  pipedp selftest --seed 42 --seconds 60 --json\n"
           "  pipedp selftest --backend cuda --seconds 60",
};

void selftest_expect(selftest *test, bool holds, const char *format, ...) {
    test->comparisons++;
    if (holds) {
        return;
    }
    if (test->mismatches++ == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(test->what, sizeof test->what, format, arguments);
        va_end(arguments);
    }
}

/* Runs one method with everything recorded. NULL if it failed; then *status says how. Nothing is compiled: what is
 * built in is what is tested. */
static pdp_solution *solve(const pdp_problem *problem, const char *algorithm, bool record, pdp_status *status) {
    pdp_options run = PDP_OPTIONS_DEFAULT;
    run.algorithm = algorithm;
    run.record = record;
    run.splits = strcmp(algorithm, "hu-shing") != 0;
    run.compile = 0;
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    *status = pdp_plan_create(&plan, problem, &run);
    if (*status == PDP_OK) {
        *status = pdp_plan_run(plan, &solution);
    }
    pdp_plan_free(plan);
    if (*status != PDP_OK) {
        pdp_solution_free(solution);
        return NULL;
    }
    return solution;
}

/* The methods that do not run on the step-exact machine. */
static bool is_engine(const char *algorithm) {
    static const char *const names[] = {"tiles", "blocks", "hu-shing",    "knuth", "settle",
                                        "runs",  "series", "bostan-mori", "window"};
    bool is_one = false;
    for (size_t x = 0; x < sizeof names / sizeof *names; x++) {
        is_one |= strcmp(algorithm, names[x]) == 0;
    }
    return is_one;
}

static bool keeps_table(const char *algorithm) {
    return strcmp(algorithm, "hu-shing") != 0 && strcmp(algorithm, "bostan-mori") != 0 &&
           strcmp(algorithm, "window") != 0;
}

/* The table and the splits must be the reference's, where there are any; corrected schedules must be clean. */
static void compare_tables(selftest *test, const pdp_solution *reference, const pdp_solution *solution,
                           const char *name, const char *algorithm) {
    size_t rows = 0;
    size_t columns = 0;
    const int64_t *table = pdp_solution_table(reference, &rows, &columns);
    const int64_t *other = pdp_solution_table(solution, NULL, NULL);
    const int64_t *splits = pdp_solution_splits(reference);
    const pdp_record *record = pdp_solution_record(solution);
    const size_t bytes = rows * columns * sizeof *table;
    const bool has_table = keeps_table(algorithm);
    selftest_expect(test, pdp_solution_value(solution) == pdp_solution_value(reference), "%s, %s: another value", name,
                    algorithm);
    selftest_expect(test, !has_table || (table && other && memcmp(table, other, bytes) == 0),
                    "%s, %s: another table than the reference", name, algorithm);
    selftest_expect(test, !splits || !has_table || memcmp(splits, pdp_solution_splits(solution), bytes) == 0,
                    "%s, %s: other splits than the reference", name, algorithm);
    selftest_expect(test, !record || record->hazards == 0, "%s, %s: hazards", name, algorithm);
    selftest_expect(test, !record || !splits || record->conflicts[0] + record->conflicts[1] + record->conflicts[3] == 0,
                    "%s, %s: conflicts", name, algorithm);
}

/* The paper's methods take a chain only if its cost is sure to fit into int64. */
static bool is_for_machine(const pdp_problem *problem) {
    pdp_options run = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan = NULL;
    run.algorithm = "pipeline";
    const bool is_taken = pdp_plan_create(&plan, problem, &run) != PDP_BAD_INPUT;
    pdp_plan_free(plan);
    return is_taken;
}

/* Every method that takes the problem against the reference, failures too. */
static void compare_methods(selftest *test, const pdp_problem *problem, pdp_shape kind, const char *name) {
    const bool for_machine = is_for_machine(problem);
    pdp_status expected;
    pdp_solution *reference = solve(problem, "sequential", false, &expected);
    selftest_expect(test, expected == PDP_OK || expected == PDP_OVERFLOW, "%s: the reference failed, status %d", name,
                    (int)expected);
    const char *algorithm;
    for (size_t m = 0; (algorithm = pdp_algorithm_name(kind, m)) != NULL; m++) {
        pdp_status status;
        if (!for_machine && strcmp(algorithm, "sequential") != 0 && !is_engine(algorithm)) {
            continue;
        }
        pdp_solution *solution = solve(problem, algorithm, for_machine && !is_engine(algorithm), &status);
        const bool is_refused =
            is_engine(algorithm) && status == PDP_BAD_INPUT; /* for this operator and type, or this problem */
        selftest_expect(test, status == expected || is_refused, "%s, %s: status %d instead of %d", name, algorithm,
                        (int)status, (int)expected);
        if (solution && reference && strcmp(algorithm, "pipeline-printed") == 0) { /* never less than the least */
            selftest_expect(test, pdp_solution_value(solution) >= pdp_solution_value(reference),
                            "%s, %s: below the optimum", name, algorithm);
        } else if (solution && reference) {
            compare_tables(test, reference, solution, name, algorithm);
        }
        pdp_solution_free(solution);
    }
    pdp_solution_free(reference);
}

/* The least cost of matrices i+1 .. j by trying every order: no table, so nothing shared with a solver. */
static int64_t try_all_orders(const int64_t *dims, size_t i, size_t j) {
    int64_t least = j == i + 1 ? 0 : INT64_MAX;
    for (size_t k = i + 1; k < j; k++) {
        int64_t cost = try_all_orders(dims, i, k) + try_all_orders(dims, k, j) + dims[i] * dims[k] * dims[j];
        least = cost < least ? cost : least;
    }
    return least;
}

static void test_mcm(selftest *test, uint64_t seed, uint64_t *state) {
    int64_t dims[81];
    size_t n = (size_t)pdp_random_between(state, 1, pdp_random_next(state) % 4 == 0 ? 80 : 9);
    int64_t largest = (int64_t[]){2, 4, 100, 1000000}[pdp_random_next(state) % 4];
    for (size_t m = 0; m <= n; m++) {
        dims[m] = pdp_random_between(state, 1, largest);
    }
    pdp_problem *problem = NULL;
    char name[64];
    snprintf(name, sizeof name, "seed %" PRIu64 ": mcm n=%zu", seed, n);
    pdp_status status = pdp_problem_create_mcm(&problem, dims, n + 1);
    selftest_expect(test, status == PDP_OK, "%s: refused: %s", name, pdp_problem_error(problem));
    if (status == PDP_OK) {
        const double bound = (double)(n - 1) * (double)largest * (double)largest * (double)largest;
        selftest_expect(test, is_for_machine(problem) || bound > 9e18, "%s: refused by the paper's methods", name);
        compare_methods(test, problem, PDP_INTERVAL, name);
        pdp_solution *solution = n <= 9 ? solve(problem, "auto", false, &status) : NULL;
        if (solution) {
            selftest_expect(test, pdp_solution_value(solution) == try_all_orders(dims, 0, n), "%s: not the least cost",
                            name);
        }
        pdp_solution_free(solution);
    }
    pdp_problem_free(problem);
}

/* A search tree, which has methods of its own. */
static void test_obst(selftest *test, uint64_t seed, uint64_t *state) {
    int64_t hits[80], misses[81];
    pdp_recurrence *recurrence = NULL;
    pdp_problem *problem = NULL;
    const size_t n = (size_t)pdp_random_between(state, 1, pdp_random_next(state) % 4 == 0 ? 80 : 9);
    const int64_t largest = (int64_t[]){1, 3, 1000, (int64_t)1 << 40}[pdp_random_next(state) % 4];
    for (size_t m = 0; m <= n; m++) {
        hits[m % n] = pdp_random_between(state, 0, largest);
        misses[m] = pdp_random_between(state, 0, largest);
    }
    char name[64];
    snprintf(name, sizeof name, "seed %" PRIu64 ": obst n=%zu", seed, n);
    if (pdp_recurrence_load(&recurrence, "obst") == PDP_OK && pdp_problem_create(&problem, recurrence) == PDP_OK &&
        pdp_problem_set_whole(problem, "p", hits, n, 0) == PDP_OK &&
        pdp_problem_set_whole(problem, "q", misses, n + 1, 0) == PDP_OK) {
        compare_methods(test, problem, PDP_INTERVAL, name);
    } else {
        selftest_expect(test, false, "%s: refused: %s", name, pdp_problem_error(problem));
    }
    pdp_problem_free(problem);
    pdp_recurrence_free(recurrence);
}

/* a*b modulo m by doubling, for m below 2^63: slow, and nothing that a solver does. */
static uint64_t multiply_modulo(uint64_t a, uint64_t b, uint64_t m) {
    uint64_t product = 0;
    for (; b > 0; b >>= 1) {
        product = (b & 1) != 0 ? (product + a) % m : product;
        a = 2 * a % m;
    }
    return product;
}

static uint64_t size_of(int64_t value) {
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* By halving and subtracting, not by division. */
static uint64_t binary_gcd(uint64_t a, uint64_t b) {
    uint64_t twos = 1;
    while (a != 0 && b != 0 && a != b) {
        if (a % 2 == 0 && b % 2 == 0) {
            a /= 2;
            b /= 2;
            twos *= 2;
        } else if (a % 2 == 0) {
            a /= 2;
        } else if (b % 2 == 0) {
            b /= 2;
        } else if (a > b) {
            a -= b;
        } else {
            b -= a;
        }
    }
    return twos * (a != 0 ? a : b);
}

/* One term more, in 64 bits: where the table has a value at all, wrapping around comes to the same. */
static uint64_t add_term(const pdp_sdp *sdp, uint64_t value, uint64_t next) {
    const uint64_t modulus = (uint64_t)sdp->modulus;
    const bool is_modular = sdp->overflow == PDP_OVERFLOW_MOD;
    switch (sdp->op) {
    case PDP_MIN: return (int64_t)value < (int64_t)next ? value : next;
    case PDP_MAX: return (int64_t)value > (int64_t)next ? value : next;
    case PDP_ADD: return is_modular ? (value + next) % modulus : value + next;
    case PDP_MUL: return is_modular ? multiply_modulo(value, next, modulus) : value * next;
    case PDP_AND: return value & next;
    case PDP_OR: return value | next;
    case PDP_XOR: return value ^ next;
    case PDP_GCD: return binary_gcd(size_of((int64_t)value), size_of((int64_t)next));
    }
    return 0;
}

/* Each cell once more, from the finished table and without the solvers' arithmetic. */
static void check_cells(selftest *test, const pdp_sdp *sdp, const int64_t *table, const char *name) {
    for (size_t i = (size_t)sdp->offsets[0]; i < sdp->n; i++) {
        uint64_t value = (uint64_t)table[i - (size_t)sdp->offsets[0]];
        for (size_t j = 1; j < sdp->offset_count; j++) {
            value = add_term(sdp, value, (uint64_t)table[i - (size_t)sdp->offsets[j]]);
        }
        if (value != (uint64_t)table[i]) {
            selftest_expect(test, false, "%s: cell %zu is wrong", name, i);
            return;
        }
    }
    selftest_expect(test, true, "%s", name);
}

static void test_sdp(selftest *test, uint64_t seed, uint64_t *state) {
    enum { MOST = 64 };
    int64_t offsets[MOST];
    int64_t presets[MOST];
    size_t largest = (size_t)pdp_random_between(state, 1, MOST);
    size_t k = 0;
    for (size_t a = largest; a > 0; a--) {
        if (a == largest || pdp_random_next(state) % 2 == 0) {
            offsets[k++] = (int64_t)a;
        }
    }
    bool small = pdp_random_next(state) % 2 == 0;
    for (size_t i = 0; i < largest; i++) {
        presets[i] = small ? pdp_random_between(state, -9, 9) : (int64_t)pdp_random_next(state);
    }
    pdp_sdp sdp = {.n = largest + (size_t)pdp_random_between(state, 0, 100),
                   .offsets = offsets,
                   .offset_count = k,
                   .presets = presets,
                   .preset_count = largest,
                   .op = (pdp_operator)(pdp_random_next(state) % 8),
                   .modulus = pdp_random_between(state, 2, INT64_MAX)};
    if (sdp.op == PDP_ADD || sdp.op == PDP_MUL) {
        sdp.overflow = (pdp_overflow)(pdp_random_next(state) % 3);
    }
    char name[96];
    snprintf(name, sizeof name, "seed %" PRIu64 ": sdp n=%zu k=%zu %s", seed, sdp.n, k, pdp_operator_name(sdp.op));
    pdp_problem *problem = NULL;
    pdp_status status = pdp_problem_create_sdp(&problem, &sdp);
    selftest_expect(test, status == PDP_OK, "%s: refused: %s", name, pdp_problem_error(problem));
    if (status == PDP_OK) {
        compare_methods(test, problem, PDP_LINEAR, name);
        pdp_solution *solution = solve(problem, "auto", false, &status);
        if (solution) {
            check_cells(test, &sdp, pdp_solution_table(solution, NULL, NULL), name);
        }
        pdp_solution_free(solution);
    }
    pdp_problem_free(problem);
}

static void report(const selftest *test) {
    if (test->json) {
        json writer;
        json_begin(&writer, stdout);
        json_open_object(&writer, NULL);
        json_put_unsigned(&writer, "seed", test->seed);
        json_put_unsigned(&writer, "problems", test->problems);
        if (test->backend) {
            json_put_string(&writer, "backend", test->backend);
            json_put_unsigned(&writer, "skipped", test->skipped);
        }
        json_put_unsigned(&writer, "comparisons", test->comparisons);
        json_put_unsigned(&writer, "mismatches", test->mismatches);
        if (test->mismatches > 0) {
            json_put_string(&writer, "first_mismatch", test->what);
        }
        json_close_object(&writer);
        json_end(&writer);
    } else {
        printf("%" PRIu64 " problems from seed %" PRIu64 ", ", test->problems, test->seed);
        if (test->backend) {
            printf("%" PRIu64 " skipped that %s does not take, ", test->skipped, test->backend);
        }
        printf("%" PRIu64 " comparisons, %" PRIu64 " mismatches\n", test->comparisons, test->mismatches);
    }
    if (test->mismatches > 0) {
        cli_fail(EXIT_MISMATCH, "mismatch: %s", test->what);
    }
}

static void test_next(selftest *test) {
    uint64_t seed = test->seed + test->problems++;
    uint64_t state = seed;
    if (test->backend) {
        selftest_on_device(test, seed);
    } else { /* one of each kind */
        test_mcm(test, seed, &state);
        test_obst(test, seed, &state);
        test_sdp(test, seed, &state);
    }
}

int command_selftest(int argc, char **argv) {
    selftest test = {.seed = 1, .seconds = 5};
    cli_parse(&argp, argc, argv, &test);
    if (test.backend) {
        pdp_status status = pdp_device_open(&test.device, test.backend);
        if (status != PDP_OK) {
            int code = cli_fail(cli_exit_code(status), "%s", pdp_device_error(test.device));
            pdp_device_free(test.device);
            return code;
        }
    }
    double start = cli_now();
    cli_start_progress(0, NULL);
    do {
        test_next(&test);
        cli_show_progress(NULL, test.seconds > 0 ? (cli_now() - start) / test.seconds : 1);
    } while (test.mismatches == 0 && cli_now() - start < test.seconds);
    cli_clear_progress();
    pdp_device_free(test.device);
    report(&test);
    return test.mismatches > 0 ? EXIT_MISMATCH : EXIT_DONE;
}
