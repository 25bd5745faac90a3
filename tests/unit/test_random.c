/* The random numbers: the same on every machine, and fair. */
#include "support.h"

static void assert_sequence(uint64_t seed, const uint64_t *expected, size_t count) {
    uint64_t state = seed;
    for (size_t i = 0; i < count; i++) {
        assert_true(pdp_random_next(&state) == expected[i]);
    }
}

/* The generator is SplitMix64: the published outputs for two seeds. */
static void test_known_values(void **unused) {
    (void)unused;
    static const uint64_t of_1234567[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                          UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                          UINT64_C(16408922859458223821)};
    static const uint64_t of_0[] = {UINT64_C(0xE220A8397B1DCDAF), UINT64_C(0x6E789E6AA1B965F4),
                                    UINT64_C(0x06C45D188009454F), UINT64_C(0xF88BB8A8724C81EC)};
    assert_sequence(1234567, of_1234567, 5);
    assert_sequence(0, of_0, 4);
}

/* Every draw lies in its range, a range of one number included. */
static void test_range(void **unused) {
    (void)unused;
    static const int64_t ranges[][2] = {{0, 0},
                                        {-5, -5},
                                        {INT64_MAX, INT64_MAX},
                                        {INT64_MIN, INT64_MIN},
                                        {-3, 4},
                                        {INT64_MIN, INT64_MIN + 1},
                                        {INT64_MAX - 2, INT64_MAX},
                                        {INT64_MIN, 0},
                                        {-1, INT64_MAX},
                                        {INT64_MIN + 1, INT64_MAX}};
    uint64_t state = test_seed();
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        for (int draw = 0; draw < 2000; draw++) {
            int64_t value = pdp_random_between(&state, ranges[r][0], ranges[r][1]);
            assert_true(value >= ranges[r][0] && value <= ranges[r][1]);
        }
    }
}

/* All of int64: the draw itself, and one draw each. */
static void test_full_range(void **unused) {
    (void)unused;
    uint64_t state = 99;
    uint64_t same = 99;
    for (int draw = 0; draw < 1000; draw++) {
        int64_t value = pdp_random_between(&state, INT64_MIN, INT64_MAX);
        assert_true((uint64_t)value == pdp_random_next(&same));
    }
}

/* The documented rule, step by step: the high half of draw * size, redrawn while the low half is below
 * 2^64 mod size. The size 3 * 2^62 is redrawn a quarter of the time. */
static void test_rule(void **unused) {
    (void)unused;
    __extension__ typedef unsigned __int128 wide;
    const uint64_t sizes[] = {3, 10, UINT64_C(3) << 62, (UINT64_C(1) << 63) + 1};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint64_t size = sizes[s];
        const uint64_t rest = (uint64_t)(((wide)1 << 64) % size);
        uint64_t state = s;
        uint64_t same = s;
        for (int draw = 0; draw < 1000; draw++) {
            int64_t value = pdp_random_between(&state, INT64_MIN, (int64_t)((uint64_t)INT64_MIN + (size - 1)));
            wide product;
            do {
                product = (wide)pdp_random_next(&same) * size;
            } while ((uint64_t)product < rest);
            assert_true((uint64_t)value - (uint64_t)INT64_MIN == (uint64_t)(product >> 64));
        }
    }
}

/* Rough uniformity: 7 classes over 70,000 draws, each within 5 % of its share. */
static void test_uniform(void **unused) {
    (void)unused;
    unsigned seen[7] = {0};
    uint64_t state = test_seed();
    for (int draw = 0; draw < 70000; draw++) {
        seen[pdp_random_between(&state, -3, 3) + 3]++;
    }
    for (int class = 0; class < 7; class ++) {
        assert_in_range(seen[class], 9500, 10500);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values), cmocka_unit_test(test_range),   cmocka_unit_test(test_full_range),
        cmocka_unit_test(test_rule),         cmocka_unit_test(test_uniform),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
