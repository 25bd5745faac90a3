/* Problems: what is refused, with the value and its place in the text, and what is not. */
#include "support.h"

#include <inttypes.h>
#include <string.h>

#include "problem/problem.h"

static void assert_chain_refused(const int64_t *dims, size_t count, const char *message) {
    pdp_problem *problem;
    assert_int_equal(pdp_problem_create_mcm(&problem, dims, count), PDP_BAD_INPUT);
    assert_in(pdp_problem_error(problem), message);
    pdp_problem_free(problem);
}

/* No dimensions, or one, make no chain. */
static void test_chain_too_short(void **unused) {
    (void)unused;
    assert_chain_refused(NULL, 0, "there are 0 dimensions, and must be at least 2");
    assert_chain_refused((int64_t[]){5}, 1, "there is 1 dimension, and must be at least 2");
}

/* Zero and negative dimensions are named with their place, wherever they stand. */
static void test_chain_dimensions(void **unused) {
    (void)unused;
    assert_chain_refused((int64_t[]){0, 5}, 2, "dimension 1 is 0, and must be at least 1");
    assert_chain_refused((int64_t[]){5, 0, 5}, 3, "dimension 2 is 0");
    assert_chain_refused((int64_t[]){5, 6, -7}, 3, "dimension 3 is -7");
    assert_chain_refused((int64_t[]){INT64_MIN, 6}, 2, "dimension 1 is -9223372036854775808");
    for (size_t bad = 0; bad < 6; bad++) {
        int64_t dims[6] = {1, 2, 3, 4, 5, 6};
        dims[bad] = -(int64_t)bad;
        char message[64];
        snprintf(message, sizeof message, "dimension %zu is -%zu,", bad + 1, bad);
        assert_chain_refused(dims, 6, bad == 0 ? "dimension 1 is 0," : message);
    }
}

/* What a chain costs, by the methods that check: the value, or the first cell that does not fit. The others take it
 * exactly if (n-1) times the product of the three largest dimensions is within int64. */
static void check_cost(const int64_t *dims, size_t count, bool is_sure, int64_t value, const char *overflow) {
    static const char *const methods[] = {"sequential", "tiles", "hu-shing", "wavefront"};
    pdp_problem *problem = make_chain(dims, count);
    for (size_t m = 0; m < 4; m++) {
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = methods[m];
        pdp_plan *plan;
        pdp_solution *solution;
        pdp_status status = pdp_plan_create(&plan, problem, &options);
        if (m >= 2 && !is_sure) {
            CHECK(status == PDP_BAD_INPUT, "%s", methods[m]);
            assert_in(pdp_plan_error(plan), "it is for matrix chains whose cost is sure to fit into int64");
            pdp_plan_free(plan);
            continue;
        }
        CHECK(status == PDP_OK, "%s: %s", methods[m], pdp_plan_error(plan));
        status = pdp_plan_run(plan, &solution);
        CHECK(status == (overflow ? PDP_OVERFLOW : PDP_OK), "%s: %s", methods[m], pdp_solution_error(solution));
        if (overflow) {
            char message[96];
            snprintf(message, sizeof message, "cell %s: the value (by min) does not fit into int64", overflow);
            assert_string_equal(pdp_solution_error(solution), message);
        } else {
            CHECK(pdp_solution_value(solution) == value, "%s: %" PRId64, methods[m], pdp_solution_value(solution));
        }
        pdp_solution_free(solution);
        pdp_plan_free(plan);
    }
    pdp_problem_free(problem);
}

/* INT64_MAX = 7*7*73*127*337*92737*649657. */
static void test_cost_bound(void **unused) {
    (void)unused;
    const int64_t a = INT64_C(7) * 7 * 73 * 127;
    const int64_t b = INT64_C(337) * 92737;
    const int64_t c = 649657;
    const int64_t most = INT64_MAX;
    assert_true(a * b * c == most);
    check_cost((int64_t[]){a, b, c}, 3, true, most, NULL);
    check_cost((int64_t[]){c, 1, b, a}, 3, true, c * b, NULL);
    check_cost((int64_t[]){a, b, c + 1}, 3, false, 0, "(0, 2)");
    check_cost((int64_t[]){a, b, c, 1}, 4, false, b * c + a * b, NULL);
    check_cost((int64_t[]){a, b, c, 2}, 4, false, 2 * (b * c + a * b), NULL);
    check_cost((int64_t[]){a, b, c + 1, 1}, 4, false, 0, "(0, 2)"); /* though no best order multiplies these first */
    check_cost((int64_t[]){1, a, b, c + 1}, 4, false, 0, "(1, 3)");
    check_cost((int64_t[]){most, 1, 1}, 3, true, most, NULL);
    check_cost((int64_t[]){1, most, 1}, 3, true, most, NULL);
    check_cost((int64_t[]){most, 2, 1}, 3, false, 0, "(0, 2)");
    check_cost((int64_t[]){most, 1, 1, 1}, 4, false, 0, "(0, 3)");
    check_cost((int64_t[]){most - 1, 1, 1, 1}, 4, false, most, NULL);
    check_cost((int64_t[]){most / 2, 1, 1, 1}, 4, true, most / 2 + 1, NULL);
    check_cost((int64_t[]){most / 2 + 1, 1, 1, 1}, 4, false, most / 2 + 2, NULL);
    check_cost((int64_t[]){most, most, most}, 3, false, 0, "(0, 2)");
    check_cost((int64_t[]){most, most, most, most, most, most}, 6, false, 0, "(3, 5)");
    check_cost((int64_t[]){most, most}, 2, true, 0, NULL); /* one matrix costs nothing */
}

/* At the bound itself every method still computes the exact cost. */
static void test_cost_at_the_bound(void **unused) {
    (void)unused;
    const int64_t dims[] = {31252369, 454279, 649657};
    const int64_t thin[] = {INT64_MAX / 2, 1, 1, 1};
    for (size_t m = 0; m < method_count(PDP_INTERVAL); m++) {
        pdp_problem *problem = make_chain(dims, 3);
        if (!method_solves(problem, pdp_algorithm_name(PDP_INTERVAL, m))) {
            pdp_problem_free(problem);
            continue;
        }
        pdp_solution *solution = solve(problem, pdp_algorithm_name(PDP_INTERVAL, m), NULL);
        assert_true(pdp_solution_value(solution) == INT64_MAX);
        pdp_solution_free(solution);
        pdp_problem_free(problem);
        problem = make_chain(thin, 4);
        solution = solve(problem, pdp_algorithm_name(PDP_INTERVAL, m), NULL);
        assert_true(pdp_solution_value(solution) == INT64_MAX / 2 + 1);
        pdp_solution_free(solution);
        pdp_problem_free(problem);
    }
}

/* A good S-DP problem, from which each refusal differs in one thing. */
static const int64_t good_offsets[] = {5, 3, 1};
static const int64_t good_presets[] = {9, 4, 7, 2, 8, 0, 0};

static pdp_sdp good_sdp(void) {
    return (pdp_sdp){12, good_offsets, 3, good_presets, 5, PDP_MIN, PDP_OVERFLOW_ERROR, 0};
}

static void assert_sdp_refused(pdp_sdp sdp, const char *message) {
    pdp_problem *problem;
    assert_int_equal(pdp_problem_create_sdp(&problem, &sdp), PDP_BAD_INPUT);
    assert_in(pdp_problem_error(problem), message);
    pdp_problem_free(problem);
}

/* n = 0, and a_1 > n. */
static void test_sdp_size(void **unused) {
    (void)unused;
    pdp_sdp sdp = good_sdp();
    sdp.n = 0;
    assert_sdp_refused(sdp, "n is 0, and must be at least 1");
    sdp.n = 4;
    assert_sdp_refused(sdp, "offset 1 is 5, and must be at most n, which is 4");
    const int64_t huge[] = {INT64_MAX, 1};
    sdp = good_sdp();
    sdp.offsets = huge;
    sdp.offset_count = 2;
    assert_sdp_refused(sdp, "offset 1 is 9223372036854775807, and must be at most n, which is 12");
    sdp = good_sdp();
    sdp.n = 5; /* a_1 = n: nothing to compute, and right */
    pdp_problem *problem;
    assert_int_equal(pdp_problem_create_sdp(&problem, &sdp), PDP_OK);
    pdp_problem_free(problem);
}

/* Offsets are positive and strictly decreasing; the first that is not is named with its value. */
static void test_sdp_offsets(void **unused) {
    (void)unused;
    pdp_sdp sdp = good_sdp();
    sdp.offset_count = 0;
    assert_sdp_refused(sdp, "there are no offsets");
    static const struct {
        int64_t offsets[3];
        const char *message;
    } cases[] = {
        {{5, 5, 1}, "offset 2 is 5, and must be less than offset 1, which is 5"},
        {{5, 1, 1}, "offset 3 is 1, and must be less than offset 2, which is 1"},
        {{5, 3, 4}, "offset 3 is 4, and must be less than offset 2, which is 3"},
        {{1, 3, 5}, "offset 2 is 3, and must be less than offset 1, which is 1"},
        {{5, 3, 0}, "offset 3 is 0, and must be positive"},
        {{5, -3, 1}, "offset 2 is -3, and must be positive"},
        {{0, 3, 1}, "offset 1 is 0, and must be positive"},
        {{INT64_MIN, 3, 1}, "offset 1 is -9223372036854775808, and must be positive"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        sdp = good_sdp();
        sdp.offsets = cases[c].offsets;
        assert_sdp_refused(sdp, cases[c].message);
    }
}

/* Fewer or more presets than a_1. */
static void test_sdp_presets(void **unused) {
    (void)unused;
    pdp_sdp sdp = good_sdp();
    static const size_t counts[] = {0, 4, 6, 7};
    for (size_t c = 0; c < 4; c++) {
        sdp.preset_count = counts[c];
        char message[80];
        snprintf(message, sizeof message, "there are %zu initial values, and must be 5, as many as offset 1",
                 counts[c]);
        assert_sdp_refused(sdp, message);
    }
}

/* Operators and policies that are not, policies that do not go with the operator, moduli below 2. */
static void test_sdp_operator(void **unused) {
    (void)unused;
    pdp_sdp sdp = good_sdp();
    sdp.op = (pdp_operator)8;
    assert_sdp_refused(sdp, "operator 8 is not known");
    sdp = good_sdp();
    sdp.overflow = (pdp_overflow)3;
    assert_sdp_refused(sdp, "overflow policy 3 is not known");
    for (unsigned op = PDP_MIN; op <= PDP_GCD; op++) {
        for (unsigned policy = PDP_OVERFLOW_WRAP; policy <= PDP_OVERFLOW_MOD; policy++) {
            sdp = good_sdp();
            sdp.op = (pdp_operator)op;
            sdp.overflow = (pdp_overflow)policy;
            sdp.modulus = 7;
            char message[64];
            snprintf(message, sizeof message, "overflow policy '%s' is for add and mul, not for %s",
                     policy == PDP_OVERFLOW_WRAP ? "wrap" : "mod", pdp_operator_name((pdp_operator)op));
            if (op != PDP_ADD && op != PDP_MUL) {
                assert_sdp_refused(sdp, message);
            }
        }
    }
    static const int64_t moduli[] = {1, 0, -1, INT64_MIN};
    for (size_t m = 0; m < 4; m++) {
        sdp = good_sdp();
        sdp.op = PDP_ADD;
        sdp.overflow = PDP_OVERFLOW_MOD;
        sdp.modulus = moduli[m];
        char message[64];
        snprintf(message, sizeof message, "the modulus is %" PRId64 ", and must be at least 2", moduli[m]);
        assert_sdp_refused(sdp, message);
    }
}

/* Names and operators belong to each other, one to one. */
static void test_operator_names(void **unused) {
    (void)unused;
    static const char *const names[] = {"min", "max", "add", "mul", "and", "or", "xor", "gcd"};
    for (unsigned op = 0; op < 8; op++) {
        assert_string_equal(pdp_operator_name((pdp_operator)op), names[op]);
        pdp_operator found;
        assert_int_equal(pdp_operator_find(&found, names[op]), PDP_OK);
        assert_int_equal(found, op);
    }
    assert_string_equal(pdp_operator_name((pdp_operator)8), "unknown");
    static const char *const none[] = {"", "mi", "minn", "MIN", "plus", "unknown"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        pdp_operator found = PDP_XOR;
        assert_int_equal(pdp_operator_find(&found, none[i]), PDP_BAD_INPUT);
    }
}

/* The data is copied: what the caller does to it afterwards changes nothing. */
static void test_copies(void **unused) {
    (void)unused;
    int64_t dims[] = {30, 35, 15, 5, 10, 20, 25};
    pdp_problem *problem = make_chain(dims, 7);
    memset(dims, 0, sizeof dims);
    pdp_solution *solution = solve(problem, NULL, NULL);
    assert_true(pdp_solution_value(solution) == 15125);
    pdp_solution_free(solution);
    pdp_problem_free(problem);

    sdp_instance s = {.n = 10, .k = 2, .offsets = {2, 1}, .presets = {1, 1}, .op = PDP_ADD};
    problem = make_sdp(&s);
    memset(s.offsets, 0, sizeof s.offsets);
    memset(s.presets, 0, sizeof s.presets);
    solution = solve(problem, NULL, NULL);
    assert_true(pdp_solution_value(solution) == 55);
    pdp_solution_free(solution);
    pdp_problem_free(problem);
}

/* Plans and solutions read the problem's data: while there is one, nothing is set; and the problem may go before them.
 */
static void test_set_again(void **unused) {
    (void)unused;
    static const int64_t dims[] = {30, 35, 15, 5, 10, 20, 25};
    pdp_recurrence *recurrence;
    assert_int_equal(pdp_recurrence_load(&recurrence, "mcm"), PDP_OK);
    for (int has_plan = 0; has_plan <= 1; has_plan++) {
        pdp_problem *problem;
        pdp_plan *plan;
        pdp_solution *solution = NULL;
        assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
        assert_int_equal(pdp_problem_set_whole(problem, "p", dims, 3, 0), PDP_OK);
        assert_int_equal(pdp_plan_create(&plan, problem, NULL), PDP_OK);
        pdp_plan_free(plan);
        assert_int_equal(pdp_problem_set_whole(problem, "p", dims, 7, 0), PDP_OK); /* nobody has it any more */
        assert_int_equal(pdp_plan_create(&plan, problem, NULL), PDP_OK);
        if (!has_plan) {
            assert_int_equal(pdp_plan_run(plan, &solution), PDP_OK);
            pdp_plan_free(plan);
        }
        assert_int_equal(pdp_problem_set_whole(problem, "p", dims, 2, 0), PDP_BAD_INPUT);
        assert_string_equal(pdp_problem_error(problem),
                            "p is set again while there is a plan or a solution of the problem");
        pdp_problem_free(problem);
        if (has_plan) {
            assert_int_equal(pdp_plan_run(plan, &solution), PDP_OK);
            pdp_plan_free(plan);
        }
        assert_true(pdp_solution_value(solution) == 15125);
        pdp_solution_free(solution);
    }
    pdp_recurrence_free(recurrence);
}

/* A least of nothing is none, for which `missing skip` makes room; a sum of nothing is 0. */
static void test_no_offsets(void **unused) {
    (void)unused;
    static const char *const ends[] = {"combine min", "combine (x, y) x", "missing skip\n combine min", "combine add",
                                       "combine max\n source i"};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        char text[200];
        pdp_recurrence *recurrence;
        pdp_problem *problem;
        const int length = snprintf(
            text, sizeof text, "linear a\n input o[k]\n size 5\n preset 2 : 7\n offset o[j]\n term s\n %s\n", ends[e]);
        assert_int_equal(pdp_recurrence_parse(&recurrence, text, (size_t)length), PDP_OK);
        assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
        assert_int_equal(pdp_problem_set_whole(problem, "o", NULL, 0, 0), PDP_OK);
        assert_int_equal(pdp_problem_check(problem), e < 2 ? PDP_BAD_INPUT : PDP_OK);
        assert_string_equal(pdp_problem_error(problem), e < 2 ? "there are 0 offsets, and so nothing for cell 2" : "");
        pdp_problem_free(problem);
        pdp_recurrence_free(recurrence);
    }
}

/* Every function that takes NULL does. */
static void test_null(void **unused) {
    (void)unused;
    assert_string_equal(pdp_problem_error(NULL), "out of memory");
    pdp_problem_free(NULL);
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_too_short),
        cmocka_unit_test(test_chain_dimensions),
        cmocka_unit_test(test_cost_bound),
        cmocka_unit_test(test_cost_at_the_bound),
        cmocka_unit_test(test_sdp_size),
        cmocka_unit_test(test_sdp_offsets),
        cmocka_unit_test(test_sdp_presets),
        cmocka_unit_test(test_sdp_operator),
        cmocka_unit_test(test_operator_names),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_set_again),
        cmocka_unit_test(test_no_offsets),
        cmocka_unit_test(test_null),
    };
    return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
