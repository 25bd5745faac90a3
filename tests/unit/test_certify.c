/* Certificates: what each level says, that right answers always get theirs, and which share of the wrong ones that bit
 * flips make each level finds. */
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "solution/witness.h"

static pdp_problem *load(const char *name) {
    pdp_recurrence *recurrence;
    pdp_problem *problem;
    assert_int_equal(pdp_recurrence_load(&recurrence, name), PDP_OK);
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    pdp_recurrence_free(recurrence);
    return problem;
}

static pdp_problem *parse(const char *text) {
    pdp_recurrence *recurrence;
    pdp_problem *problem;
    const pdp_status status = pdp_recurrence_parse(&recurrence, text, strlen(text));
    CHECK(status == PDP_OK, "%s", pdp_recurrence_error(recurrence));
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    pdp_recurrence_free(recurrence);
    return problem;
}

static void set_random(pdp_problem *problem, const char *name, size_t count, int64_t low, int64_t high,
                       uint64_t *state) {
    int64_t *data = calloc(count, sizeof *data);
    assert_non_null(data);
    for (size_t x = 0; x < count; x++) {
        data[x] = pdp_random_between(state, low, high);
    }
    CHECK(pdp_problem_set_whole(problem, name, data, count, 0) == PDP_OK, "%s", pdp_problem_error(problem));
    free(data);
}

static void set_reals(pdp_problem *problem, const char *name, size_t count, double largest, uint64_t *state) {
    double *data = calloc(count, sizeof *data);
    assert_non_null(data);
    for (size_t x = 0; x < count; x++) {
        data[x] = largest * (double)pdp_random_between(state, 0, 1 << 20) / (1 << 20);
    }
    CHECK(pdp_problem_set_real(problem, name, data, count, 0) == PDP_OK, "%s", pdp_problem_error(problem));
    free(data);
}

static void set_letters(pdp_problem *problem, const char *name, const char *alphabet, size_t count, uint64_t *state) {
    char *text = calloc(count + 1, 1);
    assert_non_null(text);
    for (size_t x = 0; x < count; x++) {
        text[x] = alphabet[pdp_random_next(state) % strlen(alphabet)];
    }
    CHECK(pdp_problem_set_text(problem, name, text, count) == PDP_OK, "%s", pdp_problem_error(problem));
    free(text);
}

static void set_one(pdp_problem *problem, const char *name, int64_t value) {
    CHECK(pdp_problem_set_whole(problem, name, &value, 1, 0) == PDP_OK, "%s", pdp_problem_error(problem));
}

static void set_grammar(pdp_problem *problem) {
    const int64_t a[] = {0, 0, 1, 2, 3}, b[] = {1, 2, 2, 3, 1}, c[] = {2, 3, 1, 3, 2}, d[] = {1, 3, 2};
    pdp_problem_set_whole(problem, "A", a, 5, 0);
    pdp_problem_set_whole(problem, "B", b, 5, 0);
    pdp_problem_set_whole(problem, "C", c, 5, 0);
    pdp_problem_set_whole(problem, "D", d, 3, 0);
    pdp_problem_set_text(problem, "letter", "aab", 3);
}

static void set_sdp(pdp_problem *problem, const char *op, size_t n, uint64_t *state) {
    const int64_t offsets[] = {7, 4, 3, 1};
    pdp_problem_set_text(problem, "op", op, strlen(op));
    pdp_problem_set_whole(problem, "a", offsets, 4, 0);
    set_one(problem, "n", (int64_t)n + 7);
    set_random(problem, "init", 7, -50, 50, state);
}

/* A problem of every built-in recurrence, and of forms that they have not; `size` is about the number of items. */
static const char *const names[] = {"mcm",       "triangulation", "triangulation_product",
                                    "obst",      "merge",         "nussinov",
                                    "cyk",       "coins",         "knapsack",
                                    "rod",       "filter",        "lfsr",
                                    "renewal",   "compositions",  "compositions_mod",
                                    "sdp min",   "sdp add",       "sdp gcd",
                                    "sdp and",   "sdp mul",       "added",
                                    "scaled",    "own",           "infeasible",
                                    "logsumexp", "options",       "derivations"};
enum { KINDS = sizeof names / sizeof *names };

static pdp_problem *make_interval(const char *name, size_t size, uint64_t *state) {
    if (strcmp(name, "own") == 0) { /* that does not commute, and has no identity */
        pdp_problem *problem = parse("interval own\n input w[n]\n size n+1\n leaf w[i]\n term l + r + w[k]\n"
                                     " combine (x, y) x\n finish best - i + j\n");
        set_random(problem, "w", size, -9, 9, state);
        return problem;
    }
    if (strcmp(name, "logsumexp") == 0) {
        pdp_problem *problem =
            parse("interval own\n type f64\n input w[n]\n size n+1\n leaf w[i]\n term l + r\n combine logsumexp\n");
        set_reals(problem, "w", size, 1, state);
        return problem;
    }
    if (strcmp(name, "options") == 0) {
        pdp_problem *problem =
            parse("interval own\n input w[n]\n size n+1\n empty 1\n leaf w[i]\n term l + r + w[k]*j\n"
                  " option inside - w[i] if w[i] < 0\n option w[j-1]*i\n finish 2*best + i\n"
                  " combine min\n");
        set_random(problem, "w", size < 40 ? size : 40, -9, 9, state);
        return problem;
    }
    if (strcmp(name, "derivations") == 0) {
        pdp_problem *problem =
            parse("interval own\n type mod P\n param P = 1000003\n input w[n]\n size n+1\n empty 5*i\n"
                  " leaf w[i]\n term l*r + k\n option 3*inside + w[i]\n option j if i > 2\n"
                  " finish best - j\n combine add\n");
        set_random(problem, "w", size, -9, 9, state);
        return problem;
    }
    pdp_problem *problem = load(name);
    if (strcmp(name, "triangulation") == 0) {
        set_reals(problem, "x", size + 1, 100, state);
        set_reals(problem, "y", size + 1, 100, state);
    } else if (strcmp(name, "nussinov") == 0) {
        set_letters(problem, "s", "ACGU", size, state);
    } else if (strcmp(name, "cyk") == 0) {
        set_letters(problem, "s", "ab", size, state);
        set_grammar(problem);
    } else if (strcmp(name, "obst") == 0) {
        set_random(problem, "p", size, 0, 50, state);
        set_random(problem, "q", size + 1, 0, 50, state);
    } else if (strcmp(name, "merge") == 0) {
        set_random(problem, "w", size, 0, 50, state);
    } else {
        set_random(problem, strcmp(name, "mcm") == 0 ? "p" : "v", size + 1, 1, 50, state);
    }
    return problem;
}

static pdp_problem *make_linear(const char *name, size_t size, uint64_t *state) {
    const int64_t n = (int64_t)size;
    const bool is_sdp = strncmp(name, "sdp ", 4) == 0;
    const bool is_added = strcmp(name, "added") == 0;
    if (is_sdp || is_added || strcmp(name, "scaled") == 0) {
        pdp_problem *problem = load(is_sdp ? "sdp" : is_added ? "sdp_added" : "sdp_scaled");
        set_sdp(problem,
                is_sdp     ? name + 4
                : is_added ? "max"
                           : "add",
                strcmp(name, "sdp mul") == 0 ? 3
                : size > 60                  ? 60
                                             : size,
                state);
        if (!is_sdp) {
            set_random(problem, "w", 4, is_added ? -9 : -1, is_added ? 9 : 1, state);
            set_random(problem, "x", (size > 60 ? 60 : size) + 7, -9, 9, state);
        }
        return problem;
    }
    pdp_problem *problem = load(strcmp(name, "infeasible") == 0 ? "coins" : name);
    if (strcmp(name, "infeasible") == 0) {
        const int64_t coins[] = {4, 6};
        pdp_problem_set_whole(problem, "coin", coins, 2, 0);
        set_one(problem, "amount", 2 * n + 1);
    } else if (strcmp(name, "coins") == 0) {
        const int64_t coins[] = {5, 1, 3};
        pdp_problem_set_whole(problem, "coin", coins, 3, 0);
        set_one(problem, "amount", n);
    } else if (strcmp(name, "knapsack") == 0) {
        set_random(problem, "weight", 5, 2, 20, state);
        set_random(problem, "value", 5, 0, 50, state);
        set_one(problem, "capacity", n);
    } else if (strcmp(name, "rod") == 0) {
        set_random(problem, "price", 9, -5, 50, state);
        set_one(problem, "length", n);
    } else if (strcmp(name, "filter") == 0) {
        const int64_t offsets[] = {1, 2, 9};
        set_reals(problem, "x", size, 1, state);
        pdp_problem_set_whole(problem, "a", offsets, 3, 0);
        set_reals(problem, "w", 3, 0.4, state);
    } else if (strcmp(name, "lfsr") == 0) {
        const int64_t taps[] = {9, 4, 2, 2, 1};
        pdp_problem_set_whole(problem, "tap", taps, 5, 0);
        set_random(problem, "init", 9, 0, INT64_MAX, state);
        set_one(problem, "n", n + 9);
    } else if (strcmp(name, "renewal") == 0) {
        set_reals(problem, "f", 6, 0.3, state);
        set_one(problem, "time", n);
    } else {
        const int64_t parts[] = {11, 7, 7, 30};
        pdp_problem_set_whole(problem, "part", parts, 4, 0);
        set_one(problem, "total", strcmp(name, "compositions") == 0 && n > 300 ? 300 : n);
    }
    return problem;
}

static pdp_problem *make(const char *name, size_t size, uint64_t *state) {
    static const char *const interval[] = {
        "mcm",     "triangulation", "triangulation_product", "obst", "merge", "nussinov", "cyk", "own", "logsumexp",
        "options", "derivations"};
    for (size_t x = 0; x < sizeof interval / sizeof *interval; x++) {
        if (strcmp(name, interval[x]) == 0) {
            return make_interval(name, size, state);
        }
    }
    return make_linear(name, size, state);
}

static bool is_chain(const char *name) {
    return strcmp(name, "mcm") == 0 || strcmp(name, "triangulation_product") == 0;
}

/* Solves with every method that takes the problem; all answers are right, so all pass. */
static void check_right(const char *name, size_t size, int verify, const char *backend, uint64_t *state) {
    pdp_problem *problem = make(name, size, state);
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s: %s", name, pdp_problem_error(problem));
    const pdp_shape shape = pdp_recurrence_shape(pdp_problem_recurrence(problem));
    for (size_t m = 0; m < method_count(shape); m++) {
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = pdp_algorithm_name(shape, m);
        options.backend = backend;
        options.verify = verify;
        options.table = m % 2 == 0;
        options.decisions = 0; /* are made all the same */
        options.compile = backend != NULL;
        pdp_plan *plan = NULL;
        if (strcmp(options.algorithm, "pipeline-printed") == 0 ||
            (size > 1000 && strcmp(options.algorithm, "hu-shing") != 0) ||
            pdp_plan_create(&plan, problem, &options) == PDP_BAD_INPUT) {
            pdp_plan_free(plan);
            continue;
        }
        pdp_solution *solution;
        const pdp_status status = pdp_plan_run(plan, &solution);
        CHECK(status == PDP_OK, "%s %zu by %s: %s", name, size, options.algorithm, pdp_solution_error(solution));
        const char *text = NULL;
        const pdp_certificate level = pdp_solution_certificate(solution, &text);
        const bool has_second = verify > 1 && !strstr(text, "there is no second method: ");
        const bool is_far = strcmp(options.algorithm, "bostan-mori") == 0 && size <= 48;
        CHECK(level >= (is_chain(name) || has_second || is_far ? PDP_CERTIFIED : PDP_WITNESS), "%s %zu by %s: %s, %s",
              name, size, options.algorithm, pdp_certificate_name(level), text);
        CHECK(*text != '\0', "%s", name);
        pdp_solution_free(solution);
        pdp_plan_free(plan);
    }
    pdp_problem_free(problem);
}

static void test_right_answers(void **unused) {
    (void)unused;
    static const size_t sizes[] = {2, 3, 4, 8, 17, 60, 101, 130};
    uint64_t state = test_seed();
    for (size_t k = 0; k < KINDS; k++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            check_right(names[k], sizes[s], 1, NULL, &state);
        }
        check_right(names[k], 12, 2, NULL, &state);
    }
    check_right("mcm", 21000, 1, NULL, &state); /* where the check has a thread of its own */
    check_right("mcm", 100, 1, "host", &state);
    check_right("compositions_mod", 100, 1, "host", &state);
}

/* Floats of the other size, and long sums: what rounding does is no fault. */
static void test_floats(void **unused) {
    (void)unused;
    static const char *const types[] = {"f32", "f64"};
    static const char *const kinds[] = {"triangulation", "filter", "renewal"};
    uint64_t state = test_seed() + 1;
    for (int round = 0; round < 60; round++) {
        const char *name = kinds[round % 3];
        pdp_problem *problem = make(name, (size_t)pdp_random_between(&state, 2, 150), &state);
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.type = types[round / 3 % 2];
        options.verify = 1;
        options.algorithm = round % 3 == 0 ? "tiles" : "blocks";
        pdp_solution *solution = solve(problem, options.algorithm, &options);
        assert_int_equal(pdp_solution_certificate(solution, NULL), PDP_WITNESS);
        pdp_solution_free(solution);
        pdp_problem_free(problem);
    }
}

/* ---- Flipped bits ---- */

typedef struct tally {
    size_t flips, wrong, by_witness, by_all;
} tally;

/* One bit of the cell that a place stands for. */
static void flip(unsigned char *cells, size_t bytes, uint64_t *state, size_t *at) {
    const size_t bit = (size_t)pdp_random_between(state, 0, (int64_t)(8 * bytes) - 1);
    cells[bit / 8] ^= (unsigned char)(1u << bit % 8);
    *at = bit / 64;
}

/* After a fault the cells behind it are computed from what is there: T[i][j] for the rows above, or columns behind. */
static void spread(int64_t *table, const int64_t *p, size_t n, size_t at) {
    const size_t width = n + 1, row = at / width, column = at % width;
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 2; j <= n; j++) {
            if (i > row || (i == row && j <= column)) {
                continue; /* done before it */
            }
            int64_t least = INT64_MAX;
            for (size_t k = i + 1; k < j; k++) {
                const int64_t cost = (int64_t)((uint64_t)table[i * width + k] + (uint64_t)table[k * width + j] +
                                               (uint64_t)(p[i] * p[k] * p[j]));
                least = cost < least ? cost : least;
            }
            table[i * width + j] = least;
        }
    }
}

/* What the run does after the table is filled, on one with a fault in it. */
static pdp_status finish_run(const pdp_plan *plan, pdp_solution *solution, tally *t, int64_t right) {
    pdp_error error = {0};
    if (pdp_solution_close(solution) == PDP_OVERFLOW) { /* in 128 bits: an error anyway */
        t->flips++;
        return PDP_OVERFLOW;
    }
    assert_int_equal(pdp_solution_decide(solution, pdp_solution_split, solution), PDP_OK);
    const pdp_witness witness = {solution, PDP_ELEMENT_WHOLE};
    const bool is_wrong = pdp_solution_value(solution) != right;
    const bool is_found = solution->decisions && pdp_witness_decisions(&witness, &error) == PDP_WRONG;
    const pdp_status status = pdp_plan_certify(plan, solution);
    CHECK(status == PDP_OK || status == PDP_WRONG, "status %d", (int)status);
    CHECK(status == PDP_WRONG || !is_wrong || pdp_solution_certificate(solution, NULL) != PDP_CERTIFIED,
          "%" PRId64 " is certified, and %" PRId64 " is right", pdp_solution_value(solution), right);
    CHECK(!is_found || status == PDP_WRONG, "found, and passed");
    t->flips++;
    t->wrong += is_wrong;
    t->by_witness += is_wrong && is_found;
    t->by_all += is_wrong && status == PDP_WRONG;
    return status;
}

static void print_tally(const char *what, const tally *t, const char *all) {
    const double wrong = t->wrong > 0 ? (double)t->wrong : 1;
    print_message("%s: %zu bits flipped, %zu wrong optima; the decisions find %.2f %%, %s %.2f %%\n", what, t->flips,
                  t->wrong, 100 * (double)t->by_witness / wrong, all, 100 * (double)t->by_all / wrong);
}

/* Matrix chains: faults that lie in the finished table, and faults that spread to what is computed later. No wrong
 * optimum is ever certified: all are found. */
static void test_flips_in_chains(void **unused) {
    (void)unused;
    uint64_t state = test_seed() + 2;
    const size_t flips = campaign(12000, 200000);
    for (int spreads = 0; spreads < 2; spreads++) {
        tally t = {0};
        while (t.flips < flips / 2) {
            mcm_instance chain;
            random_chain(&chain, &state, (size_t)pdp_random_between(&state, 2, 14), 30);
            pdp_problem *problem = make_mcm(&chain);
            pdp_options options = PDP_OPTIONS_DEFAULT;
            options.algorithm = "sequential";
            pdp_plan *plan;
            assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
            for (int x = 0; x < 100; x++) {
                pdp_solution *solution;
                plan->options.decisions = plan->options.verify = 0;
                assert_int_equal(pdp_plan_run(plan, &solution), PDP_OK);
                plan->options.decisions = plan->options.verify = 1;
                const int64_t right = pdp_solution_value(solution);
                size_t at = 0;
                flip((unsigned char *)solution->table, (chain.n + 1) * (chain.n + 1) * sizeof(int64_t), &state, &at);
                if (spreads) {
                    spread(solution->table, chain.dims, chain.n, at);
                }
                finish_run(plan, solution, &t, right);
                pdp_solution_free(solution);
            }
            pdp_plan_free(plan);
            pdp_problem_free(problem);
        }
        print_tally(spreads ? "chains, faults that spread" : "chains, faults in the finished table", &t,
                    "what makes an answer certified");
        CHECK(t.by_all == t.wrong, "%zu of %zu were found", t.by_all, t.wrong);
        assert_true(t.wrong > 100);
    }
}

/* Recurrences that choose, by the engines' own tables: whatever the decisions do not come to is found. */
static void test_flips_in_tables(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"obst", "merge", "nussinov", "coins", "knapsack", "rod", "added"};
    uint64_t state = test_seed() + 3;
    const size_t flips = campaign(8000, 100000);
    tally t = {0};
    for (size_t round = 0; t.flips < flips; round++) {
        pdp_problem *problem = make(kinds[round % 7], (size_t)pdp_random_between(&state, 3, 40), &state);
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.compile = 0;
        options.threads = 1;
        pdp_plan *plan;
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
        for (int x = 0; x < 50; x++) {
            pdp_solution *solution;
            size_t at = 0;
            plan->options.decisions = plan->options.verify = 0;
            assert_int_equal(pdp_plan_run(plan, &solution), PDP_OK);
            plan->options.decisions = plan->options.verify = 1;
            const int64_t right = pdp_solution_value(solution);
            const size_t cell = pdp_machine_type_bytes(solution->type);
            if (solution->tiles.cells) {
                const size_t i = (size_t)pdp_random_between(&state, 0, (int64_t)solution->n - 1);
                const size_t j = (size_t)pdp_random_between(&state, (int64_t)i + 1, (int64_t)solution->n);
                flip((unsigned char *)pdp_tiles_cell(&solution->tiles, i, j), cell, &state, &at);
            } else {
                flip(solution->cells, solution->n * cell, &state, &at);
            }
            finish_run(plan, solution, &t, right);
            pdp_solution_free(solution);
        }
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
    print_tally("other tables, faults in the finished table", &t, "all that makes an answer a witness");
    /* What is left are answers that can be had, and are not the best. */
    CHECK(t.by_all * 20 >= t.wrong * 19, "%zu of %zu were found", t.by_all, t.wrong);
    assert_true(t.wrong > 100);
}

/* Tables of sums: a random sum over all cells finds every single fault, as they do one by one; a few cells drawn at
 * random hardly any. */
static void test_flips_in_sums(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"compositions", "compositions_mod", "lfsr", "sdp add", "scaled"};
    uint64_t state = test_seed() + 4;
    for (size_t k = 0; k < 5; k++) {
        size_t flips = 0, by_sums = 0, by_row = 0, by_cells = 0;
        for (int round = 0; round < 20; round++) {
            pdp_problem *problem = make(kinds[k], (size_t)pdp_random_between(&state, 40, 300), &state);
            pdp_solution *solution = solve(problem, "sequential", NULL);
            for (int x = 0; x < 20; x++) {
                const pdp_witness witness = {solution, solution->problem->element};
                const size_t bytes = solution->table ? sizeof(int64_t) : pdp_machine_type_bytes(solution->type);
                unsigned char *cells = solution->table ? (unsigned char *)solution->table : solution->cells;
                const size_t at = (size_t)pdp_random_between(&state, (int64_t)solution->problem->preset_count,
                                                             (int64_t)solution->n - 1);
                const unsigned bit =
                    (unsigned)pdp_random_between(&state, 0, 28); /* residues stay below their modulus */
                pdp_error errors[3] = {{0}, {0}, {0}};
                size_t checked[3];
                cells[at * bytes + bit / 8] ^= (unsigned char)(1u << bit % 8);
                pdp_witness_sums(&witness, SIZE_MAX, &checked[0], &errors[0]);
                pdp_witness_cells(&witness, 20, &checked[1], &errors[1]);
                pdp_witness_row(&witness, SIZE_MAX, &checked[2], &errors[2]);
                assert_int_equal(checked[0], solution->n - solution->problem->preset_count);
                assert_int_equal(checked[2], checked[0]);
                flips++;
                by_sums += errors[0].status == PDP_WRONG;
                by_cells += errors[1].status == PDP_WRONG;
                by_row += errors[2].status == PDP_WRONG;
                cells[at * bytes + bit / 8] ^= (unsigned char)(1u << bit % 8);
            }
            pdp_solution_free(solution);
            pdp_problem_free(problem);
        }
        print_message("%s: %zu bits flipped; a random sum finds %.2f %%, some cells drawn at random %.2f %%\n",
                      kinds[k], flips, 100.0 * (double)by_sums / (double)flips,
                      100.0 * (double)by_cells / (double)flips);
        CHECK(by_sums == flips, "%s: %zu of %zu", kinds[k], by_sums, flips);
        CHECK(by_row == flips, "%s: %zu of %zu one by one", kinds[k], by_row, flips);
    }
}

/* Every window of cells, also those that hold no fault; sources and weights; and forms that have no such sum. */
static void test_windows(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"compositions", "compositions_mod", "lfsr", "sdp add", "scaled"};
    uint64_t state = test_seed() + 5;
    for (int round = 0; round < 100; round++) {
        pdp_problem *problem = make(kinds[round % 5], (size_t)pdp_random_between(&state, 8, 200), &state);
        pdp_solution *solution = solve(problem, "sequential", NULL);
        const pdp_witness witness = {solution, solution->problem->element};
        for (size_t count = 1; count < 40; count += 3) {
            pdp_error error = {0};
            size_t checked = 0;
            CHECK(pdp_witness_sums(&witness, count, &checked, &error) == PDP_OK, "%s: %s", kinds[round % 5],
                  error.text);
            assert_true(checked > 0);
            const size_t summed = checked;
            CHECK(pdp_witness_row(&witness, count, &checked, &error) == PDP_OK, "%s: %s", kinds[round % 5], error.text);
            assert_int_equal(checked, summed);
        }
        pdp_solution_free(solution);
        pdp_problem_free(problem);
    }
    static const char *const others[] = {"filter", "renewal", "coins", "sdp gcd", "sdp min", "mcm"};
    for (size_t k = 0; k < 6; k++) {
        pdp_problem *problem = make(others[k], 30, &state);
        pdp_solution *solution = solve(problem, "sequential", NULL);
        const pdp_witness witness = {solution, solution->problem->element};
        pdp_error error = {0};
        size_t checked = 1;
        assert_int_equal(pdp_witness_sums(&witness, 10, &checked, &error), PDP_OK);
        assert_int_equal(checked, 0);
        checked = 1;
        assert_int_equal(pdp_witness_row(&witness, 10, &checked, &error), PDP_OK);
        assert_int_equal(checked, 0);
        pdp_solution_free(solution);
        pdp_problem_free(problem);
    }
}

/* What looks like a sum and is none, or is one of another kind: the random sum keeps away from it, and right answers
 * pass. */
static void test_other_sums(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "linear a\n input a[k] >= 1\n size 40\n preset 3 : i+1\n missing skip\n offset a[j]\n term s\n finish best/2\n"
        " combine add\n",
        "linear a\n input a[k] >= 1\n size 40\n preset 3 : i+1\n missing skip\n offset a[j]\n term (s*i)%1000\n"
        " combine add\n",
        "linear a\n type mod P\n param P = 97\n input a[k] >= 1\n size 40\n preset 3 : i+1\n missing skip\n offset "
        "a[j]\n"
        " term s*i\n combine add\n",
        "linear a\n type mod P\n param P = 97\n input a[k] >= 1\n size 40\n preset 3 : i+1\n missing skip\n offset "
        "a[j]\n"
        " term s + j\n combine add\n",
        "linear a\n type mod P\n param P = 97\n input a[k] >= 1\n size 40\n preset 3 : i+1\n missing skip\n offset "
        "a[j]\n"
        " term s*s\n combine add\n",
        "linear a\n type bits\n input a[k] >= 1\n size 40\n preset 3 : i+1\n missing skip\n offset a[j]\n term s*a[j]\n"
        " combine xor\n",
        "linear a\n type mod P\n param P = 6\n input a[k] >= 1\n size 40\n preset 3 : i+1\n missing skip\n offset "
        "a[j]\n"
        " source i\n term (j+1)*s\n combine add\n",
        "linear a\n type mod P\n param P = 1099511627776\n input a[k] >= 1\n size 40\n preset 3 : i+1\n missing skip\n"
        " offset a[j]\n source i\n term (j+1)*s\n combine add\n",
        "linear a\n type bits\n input a[k] >= 1\n size 90\n preset 3 : i+1\n missing skip\n offset a[j]\n source i*i\n"
        " term s*(3 - 5*j)\n combine add\n",
        /* and what is one: with a source, modulo much, of words */
        "linear a\n type mod P\n param P = 1048579\n input a[k] >= 1\n size 40\n preset 3 : i+1\n missing skip\n "
        "offset a[j]\n"
        " source i\n term (j+1)*s\n combine add\n",
        "linear a\n type mod P\n param P = 9223372036854775783\n input a[k] >= 1\n size 40\n preset 3 : i+1\n"
        " missing skip\n offset a[j]\n term s*(7-j)\n combine add\n",
        "linear a\n type bits\n input a[k] >= 1\n size 90\n preset 3 : i+1\n missing skip\n offset a[j]\n source i*i\n"
        " term s\n combine xor\n"};
    enum { TEXTS = sizeof texts / sizeof *texts, NO_SUMS = 9 };
    const int64_t offsets[] = {5, 1, 3, 5, 30};
    for (size_t t = 0; t < TEXTS; t++) {
        pdp_problem *problem = parse(texts[t]);
        pdp_problem_set_whole(problem, "a", offsets, 5, 0);
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.verify = 1;
        options.compile = 0;
        pdp_solution *solution = solve(problem, "sequential", &options);
        const char *text = NULL;
        assert_int_equal(pdp_solution_certificate(solution, &text), PDP_WITNESS);
        CHECK((strstr(text, "in a row") != NULL) == (t >= NO_SUMS), "%s: %s", texts[t], text);
        for (size_t at = solution->problem->preset_count; t >= NO_SUMS && at < solution->n; at++) {
            const pdp_witness witness = {solution, solution->problem->element};
            uint64_t *cell = (uint64_t *)solution->cells + at;
            const uint64_t right = *cell;
            pdp_error error = {0};
            size_t checked = 0;
            const uint64_t wrong[] = {right == 0 ? 1 : right - 1, right + (uint64_t)solution->problem->modulus};
            for (size_t x = 0; x < 2 && wrong[x] != right; x++) { /* the second of residues alone, and none itself */
                *cell = wrong[x];
                error = (pdp_error){0};
                assert_int_equal(pdp_witness_sums(&witness, SIZE_MAX, &checked, &error), PDP_WRONG);
                error = (pdp_error){0};
                assert_int_equal(pdp_witness_row(&witness, SIZE_MAX, &checked, &error), PDP_WRONG);
            }
            *cell = right;
        }
        pdp_solution_free(solution);
        pdp_problem_free(problem);
    }
}

/* Progress goes to 1 and stays there while a second method works, which is asked to stop as the first is. */
static void test_cancelled(void **unused) {
    (void)unused;
    uint64_t state = 5;
    pdp_problem *problem = make("nussinov", 300, &state);
    for (size_t stop_at = 0; stop_at < 2; stop_at++) {
        listener l = {.stop_at = stop_at, .is_monotone = true};
        pdp_options options = PDP_OPTIONS_DEFAULT;
        pdp_plan *plan;
        pdp_solution *solution;
        options.algorithm = "tiles"; /* which is done before it tells of it: the first call is the second method's */
        options.verify = 2;
        options.on_progress = hear;
        options.context = &l;
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
        assert_int_equal(pdp_plan_run(plan, &solution), stop_at > 0 ? PDP_CANCELLED : PDP_OK);
        assert_int_equal(pdp_solution_certificate(solution, NULL), stop_at > 0 ? PDP_UNCHECKED : PDP_CERTIFIED);
        assert_string_equal(pdp_solution_error(solution), stop_at > 0 ? "cancelled by the progress callback" : "");
        assert_true(l.is_monotone && l.last >= 1);
        pdp_solution_free(solution);
        pdp_plan_free(plan);
    }
    pdp_problem_free(problem);
}

/* ---- The public functions ---- */

static void test_claims(void **unused) {
    (void)unused;
    const int64_t dims[] = {30, 35, 15, 5, 10, 20, 25};
    pdp_problem *problem = make_chain(dims, 7);
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan;
    pdp_solution *solution, *checked;
    size_t count = 0;
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    assert_int_equal(pdp_plan_run(plan, &solution), PDP_OK);
    assert_int_equal(pdp_solution_certificate(solution, NULL), PDP_UNCHECKED);
    const pdp_decision *decisions = pdp_solution_decisions(solution, &count);
    pdp_claim claim = {sizeof claim, 1, 15125, 0, decisions, count};
    const char *text = NULL;
    assert_int_equal(pdp_plan_verify(plan, &claim, &checked), PDP_OK);
    assert_int_equal(pdp_solution_certificate(checked, &text), PDP_CERTIFIED);
    assert_string_equal(text,
                        "the value is what the 5 decisions come to; so is the least cost by Hu and Shing's method");
    assert_true(pdp_solution_value(checked) == 15125);
    pdp_solution_free(checked);
    claim.value++;
    assert_int_equal(pdp_plan_verify(plan, &claim, &checked), PDP_WRONG);
    assert_string_equal(pdp_solution_error(checked),
                        "the answer is wrong: its decisions come to 15125, and the value is 15126");
    assert_int_equal(pdp_solution_certificate(checked, &text), PDP_UNCHECKED);
    assert_string_equal(text, "");
    pdp_solution_free(checked);
    claim.decisions = NULL; /* then it is solved */
    assert_int_equal(pdp_plan_verify(plan, &claim, &checked), PDP_WRONG);
    assert_string_equal(pdp_solution_error(checked), "the answer is wrong: it is claimed to be 15126, and is 15125");
    pdp_solution_free(checked);
    claim.feasible = 0;
    assert_int_equal(pdp_plan_verify(plan, &claim, &checked), PDP_WRONG);
    assert_string_equal(pdp_solution_error(checked), "the answer is wrong: it is claimed to be none, and is 15125");
    pdp_solution_free(checked);
    claim.struct_size = 3;
    assert_int_equal(pdp_plan_verify(plan, &claim, &checked), PDP_BAD_INPUT);
    assert_in(pdp_solution_error(checked), "claim.struct_size is 3");
    pdp_solution_free(checked);
    assert_int_equal(pdp_plan_verify(NULL, &claim, &checked), PDP_BAD_INPUT);
    pdp_solution_free(checked);
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    options.verify = 3;
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_BAD_INPUT);
    assert_string_equal(pdp_plan_error(plan), "verify is 3, and must be 0 to 2");
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    assert_string_equal(pdp_certificate_name(PDP_CERTIFIED), "certified");
    assert_string_equal(pdp_certificate_name((pdp_certificate)7), "");
}

/* A problem of floats from a text: its one input, and for a line its offsets and weights too. */
static pdp_problem *make_floats(const char *text, const double *values, size_t count) {
    static const int64_t offset = 1;
    static const double weight = 0.3;
    pdp_problem *problem = parse(text);
    assert_int_equal(pdp_problem_set_real(problem, "x", values, count, 0), PDP_OK);
    if (strncmp(text, "linear", 6) == 0) {
        assert_int_equal(pdp_problem_set_whole(problem, "a", &offset, 1, 0), PDP_OK);
        assert_int_equal(pdp_problem_set_real(problem, "w", &weight, 1, 0), PDP_OK);
    }
    return problem;
}

#define FLOAT_TREE(type)                                                                                               \
    "interval own\n type " type "\n input x[n]\n size n+1\n leaf x[i]\n term l + r*0.3\n combine min\n"
#define FLOAT_LINE(type)                                                                                               \
    "linear own\n type " type "\n input x[n]\n input a[k] >= 1\n input w[k]\n size n\n missing skip\n offset a[j]\n"   \
    " source x[i]\n term w[j]*s\n combine add\n"

/* What is infinite or no number agrees with itself at most, decisions or none, and a sum is never without a value. */
static void test_float_claims(void **unused) {
    (void)unused;
    static const double small[] = {1, 2}, large[] = {1e308, 1e308, 1e308}, endless = (double)INFINITY;
    const pdp_decision split = {PDP_SPLIT, 0, 1, 2};
    const struct {
        const char *text;
        const double *values;
        size_t count;
        pdp_claim claim;
        pdp_status expected;
    } cases[] = {
        {FLOAT_TREE("f64"), small, 2, {sizeof(pdp_claim), 1, 0, 1.6, &split, 1}, PDP_OK},
        {FLOAT_TREE("f64"), small, 2, {sizeof(pdp_claim), 1, 0, 1.7, &split, 1}, PDP_WRONG},
        {FLOAT_TREE("f64"), small, 2, {sizeof(pdp_claim), 1, 0, (double)NAN, &split, 1}, PDP_BAD_INPUT},
        {FLOAT_TREE("f64"), small, 2, {sizeof(pdp_claim), 1, 0, -endless, &split, 1}, PDP_WRONG},
        {FLOAT_TREE("f64"), small, 2, {sizeof(pdp_claim), 1, 0, -endless, NULL, 0}, PDP_WRONG},
        {FLOAT_LINE("f64"), small, 2, {sizeof(pdp_claim), 1, 0, 2.3, NULL, 0}, PDP_OK},
        {FLOAT_LINE("f64"), small, 2, {sizeof(pdp_claim), 1, 0, endless, NULL, 0}, PDP_WRONG},
        {FLOAT_LINE("f64"), small, 2, {sizeof(pdp_claim), 0, 0, 0, NULL, 0}, PDP_WRONG},
        {FLOAT_LINE("f32"), large, 3, {sizeof(pdp_claim), 1, 0, 5, NULL, 0}, PDP_WRONG},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int verify = 1; verify <= 2; verify++) {
            pdp_problem *problem = make_floats(cases[c].text, cases[c].values, cases[c].count);
            pdp_options options = PDP_OPTIONS_DEFAULT;
            pdp_plan *plan;
            pdp_solution *checked;
            options.verify = verify;
            assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
            assert_int_equal(pdp_plan_verify(plan, &cases[c].claim, &checked), cases[c].expected);
            pdp_solution_free(checked);
            pdp_plan_free(plan);
            pdp_problem_free(problem);
        }
    }
}

/* Checks compute with the floats that the method has: those of the file by the interpreter, those that are asked for
 * by a kernel, also where that fills a window. */
static void test_short_floats(void **unused) {
    (void)unused;
    static const double values[] = {1.1, 2.7, 3.3, 1.9, 0.7};
    static const struct {
        const char *text, *algorithm, *type, *expected;
    } cases[] = {{FLOAT_TREE("f32"), "sequential", "auto", "f32"}, {FLOAT_LINE("f32"), "sequential", "auto", "f32"},
                 {FLOAT_TREE("f64"), "tiles", "f32", "f32"},       {FLOAT_LINE("f64"), "blocks", "f32", "f32"},
                 {FLOAT_LINE("f64"), "window", "f32", "f32"},      {FLOAT_LINE("f64"), "window", "auto", "f64"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pdp_problem *problem = make_floats(cases[c].text, values, 5);
        pdp_options options = PDP_OPTIONS_DEFAULT;
        pdp_plan *plan;
        pdp_solution *solution;
        options.algorithm = cases[c].algorithm;
        options.type = cases[c].type;
        options.table = strcmp(cases[c].algorithm, "window") != 0;
        options.verify = 1;
        if (pdp_plan_create(&plan, problem, &options) == PDP_OK) { /* there may be no compiler */
            assert_string_equal(pdp_plan_type(plan), cases[c].expected);
            const pdp_status status = pdp_plan_run(plan, &solution);
            assert_string_equal(pdp_solution_error(solution), "");
            assert_int_equal(status, PDP_OK);
            assert_int_equal(pdp_solution_certificate(solution, NULL), PDP_WITNESS);
            pdp_solution_free(solution);
        } else {
            assert_in(pdp_plan_error(plan), "no kernel for");
            assert_string_not_equal(cases[c].algorithm, "sequential");
        }
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
}

/* Steps are found in the floats that the cells were computed with, by the functions of those; and a sum that finish
 * makes much of may be rounded otherwise. */
static void test_float_steps(void **unused) {
    (void)unused;
    enum { MOST = 64 };
#define STEPS(type, rest)                                                                                              \
    "linear own\n type " type "\n input a[k] >= 1\n input w[k]\n param n\n size n\n preset 1 : 0\n missing skip\n"     \
    " offset a[j]\n term s + w[j]\n combine min\n report items a\n" rest
    static const struct {
        const char *text, *type;
        size_t k;
        int64_t n, offsets[5];
        double weights[5];
    } cases[] = {
        {STEPS("f64", ""), "f32", 3, 41, {3, 5, 7}, {0.1, 0.17, 0.23}},
        {STEPS("f32", ""), "f64", 3, 41, {3, 5, 7}, {0.1, 0.17, 0.23}},
        {STEPS("f32", " finish pow(1+abs(best), 1.3) - best*0.3\n"),
         NULL,
         5,
         117,
         {3, 5, 7, 11, 13},
         {2.767, 0.039, 2.629, 0.348, 2.43}},
        {"linear own\n type f64\n input a[k] >= 1\n input w[k]\n param n\n size n\n preset k : 1\n offset a[j]\n"
         " term w[j]*s\n finish (best - 1)*1000000 + 1\n combine add\n",
         NULL,
         MOST,
         MOST + 1,
         {0},
         {0}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t offsets[MOST];
        double weights[MOST], sum = 0;
        uint64_t state = test_seed();
        for (size_t j = 0; j < MOST; j++) {
            offsets[j] = (int64_t)j + 1;
            weights[j] = (double)pdp_random_between(&state, 1, 1000);
            sum += weights[j];
        }
        for (size_t j = 0; j < cases[c].k; j++) {
            offsets[j] = cases[c].offsets[0] > 0 ? cases[c].offsets[j] : offsets[j];
            weights[j] = cases[c].offsets[0] > 0 ? cases[c].weights[j] : weights[j] / sum;
        }
        pdp_problem *problem = parse(cases[c].text);
        assert_int_equal(pdp_problem_set_whole(problem, "n", &cases[c].n, 1, 0), PDP_OK);
        assert_int_equal(pdp_problem_set_whole(problem, "a", offsets, cases[c].k, 0), PDP_OK);
        assert_int_equal(pdp_problem_set_real(problem, "w", weights, cases[c].k, 0), PDP_OK);
        pdp_options options = PDP_OPTIONS_DEFAULT;
        pdp_plan *plan;
        pdp_solution *solution;
        options.algorithm = "blocks";
        options.type = cases[c].type;
        options.decisions = options.verify = 1;
        if (pdp_plan_create(&plan, problem, &options) == PDP_OK) { /* there may be no compiler */
            pdp_plan_run(plan, &solution);
            assert_string_equal(pdp_solution_error(solution), "");
            assert_int_equal(pdp_solution_certificate(solution, NULL), PDP_WITNESS);
            pdp_solution_free(solution);
        } else {
            assert_in(pdp_plan_error(plan), "no kernel for");
        }
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
}

/* A random tree of the chain i..j, as decisions are in a solution. */
static size_t draw_tree(pdp_decision *decisions, size_t i, size_t j, uint64_t *state) {
    if (j < i + 2) {
        return 0;
    }
    const size_t k = (size_t)pdp_random_between(state, (int64_t)i + 1, (int64_t)j - 1);
    decisions[0] = (pdp_decision){PDP_SPLIT, i, k, j};
    const size_t left = draw_tree(decisions + 1, i, k, state);
    return 1 + left + draw_tree(decisions + 1 + left, k, j, state);
}

/* How many decisions the tree of the chain i..j has; more than any if they are none. */
static size_t measure_tree(const pdp_decision *decisions, size_t count, size_t i, size_t j) {
    if (j < i + 2) {
        return 0;
    }
    if (count == 0 || decisions->kind != PDP_SPLIT || decisions->i != i || decisions->j != j || decisions->k <= i ||
        decisions->k >= j) {
        return 1000;
    }
    const size_t left = measure_tree(decisions + 1, count - 1, i, decisions->k);
    return left >= count ? 1000 : 1 + left + measure_tree(decisions + 1 + left, count - 1 - left, decisions->k, j);
}

/* Matrices of one number: what is no tree costs as much as one, so that it shows in nothing else. */
static void test_claimed_trees(void **unused) {
    (void)unused;
    enum { MOST = 9, ROUNDS = 3000 };
    uint64_t state = test_seed() + 6;
    size_t trees = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t dims[MOST + 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
        const size_t n = (size_t)pdp_random_between(&state, 2, MOST);
        pdp_problem *problem = make_chain(dims, n + 1);
        pdp_plan *plan;
        pdp_solution *checked;
        pdp_decision decisions[MOST];
        size_t count = draw_tree(decisions, 0, n, &state);
        pdp_decision *one = &decisions[pdp_random_between(&state, 0, (int64_t)count - 1)];
        const size_t number = (size_t)pdp_random_between(&state, 0, (int64_t)n + 1);
        switch (pdp_random_between(&state, 0, 6)) {
        case 0: one->i = number; break;
        case 1: one->j = number; break;
        case 2: one->k = number; break;
        case 3: one->kind = PDP_STEP; break;
        case 4: *one = decisions[pdp_random_between(&state, 0, (int64_t)count - 1)]; break;
        case 5: decisions[count++] = *one; break;
        default: count--; break;
        }
        const pdp_claim claim = {sizeof claim, 1, (int64_t)n - 1, 0, decisions, count};
        const bool is_tree = measure_tree(decisions, count, 0, n) == count;
        assert_int_equal(pdp_plan_create(&plan, problem, NULL), PDP_OK);
        const pdp_status status = pdp_plan_verify(plan, &claim, &checked);
        CHECK(status == (is_tree ? PDP_OK : PDP_WRONG), "seed %" PRIu64 ", round %d: %s", test_seed(), round,
              is_tree ? pdp_solution_error(checked) : "what is no tree was taken");
        trees += is_tree;
        pdp_solution_free(checked);
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
    assert_true(trees > ROUNDS / 20 && trees < ROUNDS / 2);
}

static void test_fields(void **unused) {
    (void)unused;
    uint64_t state = 1;
    pdp_problem *problem = make("added", 10, &state);
    pdp_field_data data;
    pdp_field field;
    size_t x = 0;
    assert_int_equal(pdp_problem_check(problem), PDP_OK);
    for (; pdp_recurrence_field(pdp_problem_recurrence(problem), x, &field); x++) {
        assert_true(pdp_problem_field(problem, x, &data));
        if (strcmp(field.name, "op") == 0) {
            assert_string_equal(data.name, "max");
        } else if (strcmp(field.name, "n") == 0) {
            assert_true(data.whole[0] == 17 && data.rows == 1);
        } else if (strcmp(field.name, "a") == 0) {
            assert_true(data.whole[0] == 7 && data.rows == 4 && data.columns == 0 && !data.real);
        }
    }
    assert_false(pdp_problem_field(problem, x, &data));
    assert_false(pdp_problem_field(NULL, 0, &data));
    assert_null(pdp_problem_recurrence(NULL));
    pdp_problem_free(problem);
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_answers),   cmocka_unit_test(test_floats),
        cmocka_unit_test(test_flips_in_chains), cmocka_unit_test(test_flips_in_tables),
        cmocka_unit_test(test_flips_in_sums),   cmocka_unit_test(test_windows),
        cmocka_unit_test(test_other_sums),      cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_claims),          cmocka_unit_test(test_claimed_trees),
        cmocka_unit_test(test_fields),          cmocka_unit_test(test_float_claims),
        cmocka_unit_test(test_short_floats),    cmocka_unit_test(test_float_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
