/* S-DP by hand: Fibonacci, and what the operators do at the ends of int64, by every method. */
#include "support.h"

#include <string.h>

/* Every method fills the table with these numbers. */
static void assert_table(const sdp_instance *s, const int64_t *expected) {
    pdp_problem *problem = make_sdp(s);
    for (size_t m = 0; m < method_count(PDP_LINEAR); m++) {
        if (!method_takes(pdp_algorithm_name(PDP_LINEAR, m), s)) {
            continue;
        }
        pdp_solution *solution = solve(problem, pdp_algorithm_name(PDP_LINEAR, m), NULL);
        const int64_t *table = pdp_solution_table(solution, NULL, NULL);
        for (size_t i = 0; table && i < s->n; i++) {
            CHECK(table[i] == expected[i], "cell %zu is %lld, not %lld", i, (long long)table[i],
                  (long long)expected[i]);
        }
        CHECK(pdp_solution_value(solution) == expected[s->n - 1], "value");
        assert_null(pdp_solution_splits(solution));
        assert_null(pdp_solution_order(solution));
        pdp_solution_free(solution);
    }
    pdp_problem_free(problem);
}

/* Every method stops with PDP_OVERFLOW and names this cell. */
static void assert_overflows(const sdp_instance *s, size_t cell) {
    pdp_problem *problem = make_sdp(s);
    for (size_t m = 0; m < method_count(PDP_LINEAR); m++) {
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = pdp_algorithm_name(PDP_LINEAR, m);
        if (!method_takes(options.algorithm, s)) {
            continue;
        }
        pdp_plan *plan;
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
        pdp_solution *solution;
        pdp_status status = pdp_plan_run(plan, &solution);
        CHECK(status == PDP_OVERFLOW, "%s: status %d", options.algorithm, (int)status);
        char message[32];
        snprintf(message, sizeof message, "cell %zu: ", cell);
        CHECK(strncmp(pdp_solution_error(solution), message, strlen(message)) == 0, "%s: %s", options.algorithm,
              pdp_solution_error(solution));
        pdp_solution_free(solution);
        pdp_plan_free(plan);
    }
    pdp_problem_free(problem);
}

/* The paper's example: Fibonacci. */
static void test_fibonacci(void **unused) {
    (void)unused;
    const sdp_instance s = {.n = 12, .k = 2, .offsets = {2, 1}, .presets = {1, 1}, .op = PDP_ADD};
    assert_table(&s, (int64_t[]){1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144});
}

/* The example of the command line, by hand: min with offsets 5, 3, 1. */
static void test_min_example(void **unused) {
    (void)unused;
    const sdp_instance s = {.n = 12, .k = 3, .offsets = {5, 3, 1}, .presets = {9, 4, 7, 2, 8}};
    assert_table(&s, (int64_t[]){9, 4, 7, 2, 8, 7, 2, 2, 2, 2, 2, 2});
}

/* F(92) from 0, 1 is INT64_MAX's last Fibonacci number: index 91 counted from 1, 1; 92 overflows. Wrapped
 * and reduced it goes on. */
static void test_fibonacci_overflow(void **unused) {
    (void)unused;
    sdp_instance s = {.n = 92, .k = 2, .offsets = {2, 1}, .presets = {1, 1}, .op = PDP_ADD};
    pdp_problem *problem = make_sdp(&s);
    pdp_solution *solution = solve(problem, NULL, NULL);
    assert_true(pdp_solution_value(solution) == INT64_C(7540113804746346429));
    pdp_solution_free(solution);
    pdp_problem_free(problem);
    s.n = 93;
    assert_overflows(&s, 92);
    s.n = 200; /* later cells overflow too: the first is named */
    assert_overflows(&s, 92);
    s.n = 93;
    s.overflow = PDP_OVERFLOW_WRAP;
    problem = make_sdp(&s);
    solution = solve(problem, "pipeline", NULL);
    assert_true(pdp_solution_value(solution) == (int64_t)UINT64_C(12200160415121876738));
    pdp_solution_free(solution);
    pdp_problem_free(problem);
    s.overflow = PDP_OVERFLOW_MOD;
    s.modulus = 1000000007;
    problem = make_sdp(&s);
    solution = solve(problem, "tournament", NULL);
    assert_true(pdp_solution_value(solution) == (int64_t)(UINT64_C(12200160415121876738) % 1000000007));
    pdp_solution_free(solution);
    pdp_problem_free(problem);
}

/* A sum that leaves int64 on the way and comes back is no overflow; wrapped it is the same. */
static void test_sum_comes_back(void **unused) {
    (void)unused;
    sdp_instance s = {
        .n = 4, .k = 3, .offsets = {3, 2, 1}, .presets = {INT64_MAX, INT64_MAX, -INT64_MAX}, .op = PDP_ADD};
    assert_table(&s, (int64_t[]){INT64_MAX, INT64_MAX, -INT64_MAX, INT64_MAX});
    s.overflow = PDP_OVERFLOW_WRAP;
    assert_table(&s, (int64_t[]){INT64_MAX, INT64_MAX, -INT64_MAX, INT64_MAX});
    const sdp_instance low = {
        .n = 5, .k = 4, .offsets = {4, 3, 2, 1}, .presets = {INT64_MIN, INT64_MIN, INT64_MAX, 1}, .op = PDP_ADD};
    assert_table(&low, (int64_t[]){INT64_MIN, INT64_MIN, INT64_MAX, 1, INT64_MIN});
    const sdp_instance at_the_end = {.n = 3, .k = 2, .offsets = {2, 1}, .presets = {INT64_MAX, 1}, .op = PDP_ADD};
    assert_overflows(&at_the_end, 2);
    const sdp_instance below = {.n = 3, .k = 2, .offsets = {2, 1}, .presets = {INT64_MIN, -1}, .op = PDP_ADD};
    assert_overflows(&below, 2);
}

/* A zero factor makes a product 0, however large it was before; the order does not matter. */
static void test_zero_factor(void **unused) {
    (void)unused;
    for (size_t zero = 0; zero < 5; zero++) {
        sdp_instance s = {.n = 6, .k = 5, .op = PDP_MUL};
        consecutive_offsets(&s, 5);
        int64_t expected[6];
        for (size_t i = 0; i < 5; i++) {
            s.presets[i] = i == zero ? 0 : i % 2 == 0 ? INT64_MIN : INT64_MAX;
            expected[i] = s.presets[i];
        }
        expected[5] = 0;
        assert_table(&s, expected);
        s.presets[zero] = -1;
        assert_overflows(&s, 5);
    }
}

/* Products around -2^63: the only value whose sign decides whether it fits. */
static void test_products_at_the_end(void **unused) {
    (void)unused;
    sdp_instance s = {.n = 3, .k = 2, .offsets = {2, 1}, .presets = {INT64_MIN, -1}, .op = PDP_MUL};
    assert_overflows(&s, 2);
    s.presets[1] = 1;
    assert_table(&s, (int64_t[]){INT64_MIN, 1, INT64_MIN});
    s.overflow = PDP_OVERFLOW_WRAP;
    s.presets[1] = -1;
    assert_table(&s, (int64_t[]){INT64_MIN, -1, INT64_MIN});
    const int64_t half = INT64_C(1) << 62;
    const sdp_instance back = {.n = 4, .k = 3, .offsets = {3, 2, 1}, .presets = {half, 2, -1}, .op = PDP_MUL};
    assert_table(&back, (int64_t[]){half, 2, -1, INT64_MIN}); /* 2^63 on the way */
    const sdp_instance twice = {.n = 4, .k = 3, .offsets = {3, 2, 1}, .presets = {INT64_MIN, -1, -1}, .op = PDP_MUL};
    assert_table(&twice, (int64_t[]){INT64_MIN, -1, -1, INT64_MIN});
    /* 2^63 + 2^k - ... : the products next to the end, with a sign to come: 3 * 3074457345618258603 = 2^63 + 1. */
    const sdp_instance beyond = {
        .n = 4, .k = 3, .offsets = {3, 2, 1}, .presets = {3, INT64_C(3074457345618258603), -1}, .op = PDP_MUL};
    assert_overflows(&beyond, 3);
}

/* Gcd is of absolute values; gcd(INT64_MIN, 0) = 2^63 does not fit, gcd(INT64_MIN, 6) = 2 does; of one
 * value there is nothing to combine, and it stays as it is. */
static void test_gcd(void **unused) {
    (void)unused;
    sdp_instance s = {.n = 3, .k = 2, .offsets = {2, 1}, .presets = {INT64_MIN, 0}, .op = PDP_GCD};
    assert_overflows(&s, 2);
    s.presets[1] = INT64_MIN;
    assert_overflows(&s, 2);
    s.presets[1] = 6;
    assert_table(&s, (int64_t[]){INT64_MIN, 6, 2});
    const sdp_instance signs = {.n = 6, .k = 2, .offsets = {2, 1}, .presets = {-12, 18}, .op = PDP_GCD};
    assert_table(&signs, (int64_t[]){-12, 18, 6, 6, 6, 6});
    const sdp_instance zero = {.n = 5, .k = 2, .offsets = {2, 1}, .presets = {0, -7}, .op = PDP_GCD};
    assert_table(&zero, (int64_t[]){0, -7, 7, 7, 7});
    const sdp_instance one = {.n = 4, .k = 1, .offsets = {2}, .presets = {-8, INT64_MIN}, .op = PDP_GCD};
    assert_table(&one, (int64_t[]){-8, INT64_MIN, -8, INT64_MIN});
    /* 2^63 on the way is no overflow: gcd(gcd(INT64_MIN, 0), 24) = 8. */
    const sdp_instance through = {.n = 4, .k = 3, .offsets = {3, 2, 1}, .presets = {INT64_MIN, 0, 24}, .op = PDP_GCD};
    assert_table(&through, (int64_t[]){INT64_MIN, 0, 24, 8});
}

/* Modulo: presets are reduced first, into 0 .. P-1; moduli up to 2^63 - 1 are exact. */
static void test_modulus(void **unused) {
    (void)unused;
    sdp_instance s = {.n = 4,
                      .k = 2,
                      .offsets = {2, 1},
                      .presets = {-1, 12},
                      .op = PDP_ADD,
                      .overflow = PDP_OVERFLOW_MOD,
                      .modulus = 5};
    assert_table(&s, (int64_t[]){4, 2, 1, 3});
    s.modulus = INT64_MAX;
    s.presets[0] = -1;
    s.presets[1] = INT64_MIN; /* = -(P+1), so P-1 */
    assert_table(&s, (int64_t[]){INT64_MAX - 1, INT64_MAX - 1, INT64_MAX - 2, INT64_MAX - 3});
    s.op = PDP_MUL; /* (-1) * (-1) */
    assert_table(&s, (int64_t[]){INT64_MAX - 1, INT64_MAX - 1, 1, INT64_MAX - 1});
    s.modulus = 2;
    s.presets[0] = INT64_MIN;
    s.presets[1] = INT64_MAX;
    assert_table(&s, (int64_t[]){0, 1, 0, 0});
}

/* Bits are those of two's complement. */
static void test_bits(void **unused) {
    (void)unused;
    sdp_instance s = {.n = 3, .k = 2, .offsets = {2, 1}, .presets = {-8, 13}, .op = PDP_AND};
    assert_table(&s, (int64_t[]){-8, 13, 8});
    s.op = PDP_OR;
    assert_table(&s, (int64_t[]){-8, 13, -3});
    s.op = PDP_XOR;
    assert_table(&s, (int64_t[]){-8, 13, -11});
}

/* Tables without a computed cell: all presets. */
static void test_presets_alone(void **unused) {
    (void)unused;
    const sdp_instance one = {.n = 1, .k = 1, .offsets = {1}, .presets = {-5}, .op = PDP_MUL};
    assert_table(&one, (int64_t[]){-5});
    const sdp_instance three = {.n = 3, .k = 2, .offsets = {3, 1}, .presets = {INT64_MAX, INT64_MAX, 2}, .op = PDP_ADD};
    assert_table(&three, (int64_t[]){INT64_MAX, INT64_MAX, 2});
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fibonacci),
        cmocka_unit_test(test_min_example),
        cmocka_unit_test(test_fibonacci_overflow),
        cmocka_unit_test(test_sum_comes_back),
        cmocka_unit_test(test_zero_factor),
        cmocka_unit_test(test_products_at_the_end),
        cmocka_unit_test(test_gcd),
        cmocka_unit_test(test_modulus),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_presets_alone),
    };
    return cmocka_run_group_tests_name("sdp_values", tests, NULL, NULL);
}
