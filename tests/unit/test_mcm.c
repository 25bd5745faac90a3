/* Matrix chain: every guaranteed method against a brute force and a textbook loop, the decisions and
 * the order included. */
#include "support.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Oracles ---- */

/* The least cost of a chain over all its orders, without the recurrence. A product removes the
 * dimension between two matrices: removing dimension m when l and r are its neighbours still there
 * costs p[l]*p[m]*p[r]. So: least[set] over the sets of inner dimensions already removed. */
static int64_t brute_force(const int64_t *p, size_t n) {
    int64_t least[1 << 8];
    const unsigned all = (1u << (n - 1)) - 1; /* bit m-1: dimension m, 1 <= m < n */
    least[0] = 0;
    for (unsigned set = 1; set <= all; set++) {
        least[set] = INT64_MAX;
        for (size_t m = 1; m < n; m++) {
            if ((set >> (m - 1) & 1) == 0) {
                continue;
            }
            const unsigned before = set & ~(1u << (m - 1)); /* m is removed last of the set */
            size_t l = m - 1;
            size_t r = m + 1;
            while (l > 0 && (before >> (l - 1) & 1) != 0) {
                l--;
            }
            while (r < n && (before >> (r - 1) & 1) != 0) {
                r++;
            }
            int64_t cost = least[before] + p[l] * p[m] * p[r];
            least[set] = cost < least[set] ? cost : least[set];
        }
    }
    return least[all];
}

/* The textbook loop, diagonal by diagonal, with the smallest k on ties. */
static void textbook(const mcm_instance *chain, int64_t *cost, int64_t *split) {
    const size_t n = chain->n;
    const int64_t *p = chain->dims;
    memset(cost, 0, (n + 1) * (n + 1) * sizeof *cost);
    memset(split, 0, (n + 1) * (n + 1) * sizeof *split);
    for (size_t length = 2; length <= n; length++) {
        for (size_t i = 0; i + length <= n; i++) {
            const size_t j = i + length;
            const size_t at = i * (n + 1) + j;
            for (size_t k = i + 1; k < j; k++) {
                int64_t c = cost[i * (n + 1) + k] + cost[k * (n + 1) + j] + p[i] * p[k] * p[j];
                if (split[at] == 0 || c < cost[at]) {
                    cost[at] = c;
                    split[at] = (int64_t)k;
                }
            }
        }
    }
}

/* Reads an order back: the cost of the text from *at on, whose matrices begin with first+1; moves *at
 * behind it and *end to its last matrix. Checks each bracket's split against the table of splits. */
static int64_t read_order(const char **at, const mcm_instance *chain, const int64_t *splits, size_t first,
                          size_t *end) {
    if (**at == 'A') {
        CHECK(isdigit((unsigned char)(*at)[1]) && (*at)[1] != '0', "order at '%.20s'", *at);
        char *behind;
        unsigned long number = strtoul(*at + 1, &behind, 10);
        CHECK(number == first + 1, "matrix %lu where %zu belongs", number, first + 1);
        *at = behind;
        *end = first + 1;
        return 0;
    }
    CHECK(**at == '(', "order at '%.20s'", *at);
    ++*at;
    size_t middle;
    int64_t cost = read_order(at, chain, splits, first, &middle);
    cost += read_order(at, chain, splits, middle, end);
    CHECK(**at == ')', "order at '%.20s'", *at);
    ++*at;
    CHECK(!splits || splits[first * (chain->n + 1) + *end] == (int64_t)middle, "split (%zu,%zu)", first, *end);
    return cost + chain->dims[first] * chain->dims[middle] * chain->dims[*end];
}

/* ---- The comparison ---- */

static void check_order(const pdp_solution *solution, const mcm_instance *chain, const int64_t *splits, char **first) {
    char *order = pdp_solution_order(solution);
    assert_non_null(order);
    const char *at = order;
    size_t end;
    int64_t cost = read_order(&at, chain, splits, 0, &end);
    CHECK(*at == '\0' && end == chain->n, "the order ends at '%.20s'", at);
    CHECK(cost == pdp_solution_value(solution), "the order costs %" PRId64 ", the value is %" PRId64, cost,
          pdp_solution_value(solution));
    if (first && !*first) {
        *first = order;
        return;
    }
    CHECK(!first || strcmp(*first, order) == 0, "the order is %s, not %s", order, *first);
    free(order);
}

/* Every guaranteed method, with and without splits, gives the textbook's table and splits, and one and the same
 * order, whose cost is the value; without a table, the value and an order of that cost. */
static void check_all_methods(const mcm_instance *chain) {
    const size_t size = (chain->n + 1) * (chain->n + 1);
    int64_t *cost = malloc(size * sizeof *cost);
    int64_t *split = malloc(size * sizeof *split);
    assert_true(cost && split);
    textbook(chain, cost, split);
    pdp_problem *problem = make_mcm(chain);
    char *order = NULL;
    for (size_t m = 0; m < method_count(PDP_INTERVAL); m++) {
        const char *name = pdp_algorithm_name(PDP_INTERVAL, m);
        if (strcmp(name, "pipeline-printed") == 0 || !method_solves(problem, name)) {
            continue;
        }
        for (int variant = 0; variant < 3; variant++) {
            if ((variant == 1 && !method_has_table(name)) || (variant == 2 && !method_records(name))) {
                continue;
            }
            pdp_options options = PDP_OPTIONS_DEFAULT;
            options.splits = variant == 1;
            options.record = variant == 2;
            pdp_solution *solution = solve(problem, name, &options);
            size_t rows, columns;
            const int64_t *table = pdp_solution_table(solution, &rows, &columns);
            CHECK(pdp_solution_value(solution) == cost[chain->n], "the value");
            if (!method_has_table(name)) { /* of equally good orders it may find another */
                assert_true(!table && rows == 0 && columns == 0);
                check_order(solution, chain, NULL, NULL);
                pdp_solution_free(solution);
                continue;
            }
            CHECK(rows == chain->n + 1 && columns == chain->n + 1, "%zu x %zu", rows, columns);
            CHECK(memcmp(table, cost, size * sizeof *cost) == 0, "the table");
            const int64_t *splits = pdp_solution_splits(solution);
            CHECK(!splits == (variant != 1), "splits");
            CHECK(!splits || memcmp(splits, split, size * sizeof *split) == 0, "the splits");
            CHECK(!pdp_solution_record(solution) == (variant != 2), "the record");
            check_order(solution, chain, split, &order);
            pdp_solution_free(solution);
        }
    }
    pdp_problem_free(problem);
    free(order);
    free(cost);
    free(split);
}

static void assert_order(const int64_t *dims, size_t count, int64_t value, const char *expected) {
    mcm_instance chain = {.n = count - 1};
    memcpy(chain.dims, dims, count * sizeof *dims);
    check_all_methods(&chain);
    pdp_problem *problem = make_chain(dims, count);
    pdp_solution *solution = solve(problem, NULL, NULL);
    pdp_problem_free(problem); /* a solution outlives its problem */
    assert_true(pdp_solution_value(solution) == value);
    assert_true(pdp_solution_seconds(solution) >= 0);
    char *order = pdp_solution_order(solution);
    assert_string_equal(order, expected);
    free(order);
    pdp_solution_free(solution);
}

/* By hand: the textbook's example (Cormen et al.), and the smallest chains. */
static void test_examples(void **unused) {
    (void)unused;
    assert_order((int64_t[]){30, 35, 15, 5, 10, 20, 25}, 7, 15125, "((A1(A2A3))((A4A5)A6))");
    assert_order((int64_t[]){5, 10, 3, 12, 5, 50, 6}, 7, 2010, "((A1A2)((A3A4)(A5A6)))");
    assert_order((int64_t[]){10, 100, 5, 50}, 4, 7500, "((A1A2)A3)");
    assert_order((int64_t[]){3, 4}, 2, 0, "A1");
    assert_order((int64_t[]){3, 4, 5}, 3, 60, "(A1A2)");
}

/* On ties the smallest k: with equal dimensions every order costs the same, and every split is i+1. */
static void test_ties(void **unused) {
    (void)unused;
    assert_order((int64_t[]){2, 2, 2, 2, 2}, 5, 24, "(A1(A2(A3A4)))");
    static const size_t sizes[] = {1, 2, 3, 4, 5, 12, 50};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        mcm_instance chain = {.n = sizes[s]};
        for (size_t m = 0; m <= chain.n; m++) {
            chain.dims[m] = 3;
        }
        check_all_methods(&chain);
    }
}

/* The brute force over all orders, for every interval of random chains of up to 9 matrices. */
static void test_brute_force(void **unused) {
    (void)unused;
    uint64_t state = test_seed();
    static const int64_t most[] = {2, 4, 10, 100, 1000000};
    for (size_t round = 0; round < campaign(250, 30000); round++) {
        static mcm_instance chain;
        random_chain(&chain, &state, 1 + round % 9, most[pdp_random_between(&state, 0, 4)]);
        check_all_methods(&chain);
        pdp_problem *problem = make_mcm(&chain);
        pdp_solution *solution = solve(problem, NULL, NULL);
        const int64_t *table = pdp_solution_table(solution, NULL, NULL);
        for (size_t i = 0; i <= chain.n; i++) {
            for (size_t j = 0; j <= chain.n; j++) {
                int64_t expected = i < j ? brute_force(chain.dims + i, j - i) : 0;
                CHECK(table[i * (chain.n + 1) + j] == expected, "T[%zu][%zu] is not %" PRId64, i, j, expected);
            }
        }
        pdp_solution_free(solution);
        pdp_problem_free(problem);
    }
}

/* Every chain of up to 4 matrices with dimensions 1 to 3. */
static void test_all_small(void **unused) {
    (void)unused;
    for (size_t n = 1; n <= 4; n++) {
        mcm_instance chain = {.n = n};
        size_t instances = 1;
        for (size_t m = 0; m <= n; m++) {
            instances *= 3;
        }
        for (size_t code = 0; code < instances; code++) {
            size_t rest = code;
            for (size_t m = 0; m <= n; m++) {
                chain.dims[m] = (int64_t)(1 + rest % 3);
                rest /= 3;
            }
            check_all_methods(&chain);
        }
    }
}

/* Random chains of up to 120 matrices: thousands of small ones, some large, a few with costs close to
 * int64's end. */
static void test_random_chains(void **unused) {
    (void)unused;
    uint64_t state = test_seed() + 1;
    static mcm_instance chain;
    for (size_t round = 0; round < campaign(250, 30000); round++) {
        random_chain(&chain, &state, (size_t)pdp_random_between(&state, 1, 25), pdp_random_between(&state, 1, 60));
        check_all_methods(&chain);
    }
    for (size_t round = 0; round < campaign(20, 800); round++) {
        random_chain(&chain, &state, (size_t)pdp_random_between(&state, 26, 120), round % 4 == 0 ? 420000 : 50);
        check_all_methods(&chain);
    }
}

/* Chains that go only one way are the deepest orders: the text's stack is at its limit. */
static void test_deep_orders(void **unused) {
    (void)unused;
    mcm_instance chain = {.n = 300};
    for (size_t m = 0; m <= 300; m++) {
        chain.dims[m] = (int64_t)m + 1;
    }
    check_all_methods(&chain);
    for (size_t m = 0; m <= 300; m++) {
        chain.dims[m] = 301 - (int64_t)m;
    }
    check_all_methods(&chain);
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),    cmocka_unit_test(test_ties),          cmocka_unit_test(test_all_small),
        cmocka_unit_test(test_brute_force), cmocka_unit_test(test_random_chains), cmocka_unit_test(test_deep_orders),
    };
    return cmocka_run_group_tests_name("mcm", tests, NULL, NULL);
}
