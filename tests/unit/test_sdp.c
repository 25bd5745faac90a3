/* S-DP: every method, operator and overflow policy against an oracle of its own. */
#include "support.h"

#include <string.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* ---- The oracle: Definition 1 of the paper cell by cell, sharing no code with the library ---- */

enum { MAX_CELLS = 2600 };

typedef struct answer {
    bool overflows;
    size_t cell; /* the first that does */
    int64_t table[MAX_CELLS];
} answer;

static bool fits(wide value) {
    return value >= INT64_MIN && value <= INT64_MAX;
}

static int64_t reduced(wide value, int64_t modulus) {
    wide rest = value % modulus;
    return (int64_t)(rest < 0 ? rest + modulus : rest);
}

static unsigned_wide magnitude(int64_t value) {
    return value < 0 ? (unsigned_wide)(-(wide)value) : (unsigned_wide)value;
}

static unsigned_wide euclid(unsigned_wide a, unsigned_wide b) {
    return b == 0 ? a : euclid(b, a % b);
}

/* The exact product if it fits: magnitude and sign apart, a magnitude beyond 2^64 only remembered. */
static bool exact_product(const int64_t *values, size_t count, int64_t *product) {
    unsigned_wide size = 1;
    bool is_huge = false;
    bool is_negative = false;
    for (size_t j = 0; j < count; j++) {
        if (values[j] == 0) {
            *product = 0;
            return true;
        }
        is_negative ^= values[j] < 0;
        size = is_huge ? size : size * magnitude(values[j]);
        is_huge |= size >> 64 != 0;
    }
    wide result = is_negative ? -(wide)size : (wide)size;
    *product = is_huge || !fits(result) ? 0 : (int64_t)result;
    return !is_huge && fits(result);
}

/* values[0] (x) ... (x) values[count-1]; false if it does not fit. */
static bool combine(const sdp_instance *s, const int64_t *values, size_t count, int64_t *result) {
    if (count == 1) {
        *result = values[0];
        return true;
    }
    if (s->op == PDP_MUL && s->overflow == PDP_OVERFLOW_ERROR) {
        return exact_product(values, count, result);
    }
    wide total = s->op == PDP_GCD ? (wide)magnitude(values[0]) : values[0];
    for (size_t j = 1; j < count; j++) {
        const int64_t v = values[j];
        switch (s->op) {
        case PDP_MIN: total = v < total ? v : total; break;
        case PDP_MAX: total = v > total ? v : total; break;
        case PDP_AND: total &= v; break;
        case PDP_OR: total |= v; break;
        case PDP_XOR: total ^= v; break;
        case PDP_GCD: total = (wide)euclid((unsigned_wide)total, magnitude(v)); break;
        case PDP_ADD: total += v; break;
        case PDP_MUL:
            total = s->overflow == PDP_OVERFLOW_MOD ? reduced(total * v, s->modulus)
                                                    : (wide)((unsigned_wide)total * (unsigned_wide)(wide)v);
            break;
        }
    }
    if (s->overflow == PDP_OVERFLOW_WRAP) { /* the low 64 bits; a product above kept 128, a ring's image of them */
        *result = (int64_t)(uint64_t)total;
        return true;
    }
    if (s->overflow == PDP_OVERFLOW_MOD) {
        *result = reduced(total, s->modulus);
        return true;
    }
    *result = (int64_t)total;
    return fits(total);
}

static const answer *ask_oracle(const sdp_instance *s) {
    static answer a;
    static int64_t values[MAX_PRESETS];
    a.overflows = false;
    for (size_t i = 0; i < s->n; i++) {
        if (i < (size_t)s->offsets[0]) {
            a.table[i] = s->overflow == PDP_OVERFLOW_MOD ? reduced(s->presets[i], s->modulus) : s->presets[i];
            continue;
        }
        for (size_t j = 0; j < s->k; j++) {
            values[j] = a.table[i - (size_t)s->offsets[j]];
        }
        if (!combine(s, values, s->k, &a.table[i])) {
            a.overflows = true;
            a.cell = i;
            break;
        }
    }
    return &a;
}

/* ---- The comparison ---- */

/* Every method gives the oracle's table, or names the oracle's first cell that overflows; and the same
 * with and without a record. */
static void check_all_methods(const sdp_instance *s) {
    const answer *expected = ask_oracle(s);
    pdp_problem *problem = make_sdp(s);
    for (size_t m = 0; m < method_count(PDP_LINEAR); m++) {
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = pdp_algorithm_name(PDP_LINEAR, m);
        if (!method_takes(options.algorithm, s)) {
            continue;
        }
        for (options.record = 0; options.record < (method_records(options.algorithm) ? 2 : 1); options.record++) {
            pdp_plan *plan;
            assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
            pdp_solution *solution;
            pdp_status status = pdp_plan_run(plan, &solution);
            CHECK(status == (expected->overflows ? PDP_OVERFLOW : PDP_OK), "%s: status %d, %s", options.algorithm,
                  (int)status, pdp_solution_error(solution));
            if (expected->overflows) {
                char message[96];
                snprintf(message, sizeof message, "cell %zu: the value (by %s) does not fit into int64", expected->cell,
                         pdp_operator_name(s->op));
                CHECK(strcmp(pdp_solution_error(solution), message) == 0, "%s: '%s', not '%s'", options.algorithm,
                      pdp_solution_error(solution), message);
            } else if (!method_has_table(options.algorithm)) {
                CHECK(pdp_solution_value(solution) == expected->table[s->n - 1], "%s: value", options.algorithm);
            } else {
                size_t rows, columns;
                const int64_t *table = pdp_solution_table(solution, &rows, &columns);
                CHECK(rows == 1 && columns == s->n, "%s: %zu x %zu", options.algorithm, rows, columns);
                for (size_t i = 0; i < s->n; i++) {
                    CHECK(table[i] == expected->table[i], "%s: cell %zu is %lld, not %lld", options.algorithm, i,
                          (long long)table[i], (long long)expected->table[i]);
                }
                CHECK(pdp_solution_value(solution) == expected->table[s->n - 1], "%s: value", options.algorithm);
            }
            pdp_solution_free(solution);
            pdp_plan_free(plan);
        }
    }
    pdp_problem_free(problem);
}

/* The twelve meaningful pairs of operator and policy. */
enum { PAIRS = 12 };

static void set_pair(sdp_instance *s, size_t pair, int64_t modulus) {
    s->op = pair < 8 ? (pdp_operator)pair : pair % 2 == 0 ? PDP_ADD : PDP_MUL;
    s->overflow = pair < 8 ? PDP_OVERFLOW_ERROR : pair < 10 ? PDP_OVERFLOW_WRAP : PDP_OVERFLOW_MOD;
    s->modulus = s->overflow == PDP_OVERFLOW_MOD ? modulus : 0;
}

/* Presets of one of several kinds: tiny, with signs and zeros; all of int64; its ends; common factors. */
static void fill_presets(sdp_instance *s, uint64_t *state, size_t flavour) {
    static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX, -(INT64_C(1) << 62)};
    switch (flavour % 5) {
    case 0: random_presets(s, state, -2, 2); return;
    case 1: random_presets(s, state, INT64_MIN, INT64_MAX); return;
    case 2: random_presets(s, state, -1000000, 1000000); return;
    default: random_presets(s, state, 0, 7); break;
    }
    for (int64_t i = 0; i < s->offsets[0]; i++) {
        s->presets[i] = flavour % 5 == 3 ? ends[s->presets[i]] : (s->presets[i] - 3) * 30030;
    }
}

static int64_t random_modulus(uint64_t *state) {
    switch (pdp_random_between(state, 0, 3)) {
    case 0: return pdp_random_between(state, 2, 10);
    case 1: return 1000000007;
    case 2: return pdp_random_between(state, INT64_MAX - 3, INT64_MAX);
    default: return pdp_random_between(state, 2, INT64_MAX);
    }
}

/* Random instances of every operator and policy. */
static void test_random_instances(void **unused) {
    (void)unused;
    static sdp_instance s;
    uint64_t state = test_seed();
    for (size_t round = 0; round < campaign(6000, 200000); round++) {
        size_t first = (size_t)pdp_random_between(&state, 1, round % 10 == 0 ? 90 : 20);
        random_offsets(&s, &state, (size_t)pdp_random_between(&state, 1, (int64_t)first), first);
        s.n = first + (size_t)pdp_random_between(&state, 0, 60);
        set_pair(&s, round % PAIRS, random_modulus(&state));
        fill_presets(&s, &state, (size_t)pdp_random_between(&state, 0, 4));
        check_all_methods(&s);
    }
}

/* The sizes at which loops begin and end: n = 1, 2, a_1; a_1 + 1; k = 1 and k = a_1; primes; k around
 * powers of two. */
static void test_nasty_sizes(void **unused) {
    (void)unused;
    static const size_t sizes[][3] = {/* n, k, a_1 */
                                      {1, 1, 1},       {2, 1, 1},       {2, 1, 2},       {2, 2, 2},     {3, 2, 2},
                                      {3, 1, 3},       {3, 3, 3},       {4, 3, 3},       {5, 1, 4},     {7, 7, 7},
                                      {8, 7, 7},       {9, 7, 7},       {13, 11, 11},    {97, 13, 89},  {101, 1, 97},
                                      {100, 15, 15},   {100, 16, 16},   {100, 17, 17},   {80, 31, 40},  {80, 32, 40},
                                      {80, 33, 40},    {200, 63, 64},   {200, 64, 64},   {200, 65, 65}, {65, 64, 64},
                                      {300, 127, 128}, {300, 128, 200}, {300, 129, 129}, {260, 1, 255}};
    static sdp_instance s;
    uint64_t state = test_seed() + 1;
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        for (size_t pair = 0; pair < PAIRS; pair++) {
            for (size_t flavour = 0; flavour < 5; flavour++) {
                s.n = sizes[size][0];
                random_offsets(&s, &state, sizes[size][1], sizes[size][2]);
                set_pair(&s, pair, random_modulus(&state));
                fill_presets(&s, &state, flavour);
                check_all_methods(&s);
            }
        }
    }
}

/* Larger ones, so that warps, strides and the reference's own loops are long. */
static void test_large(void **unused) {
    (void)unused;
    static sdp_instance s;
    uint64_t state = test_seed() + 2;
    for (size_t round = 0; round < campaign(12, 120); round++) {
        random_offsets(&s, &state, (size_t)pdp_random_between(&state, 1, 1000), 1100);
        s.n = 1100 + (size_t)pdp_random_between(&state, 0, 400);
        set_pair(&s, round % PAIRS, 998244353);
        fill_presets(&s, &state, round / PAIRS + 1);
        check_all_methods(&s);
    }
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_instances),
        cmocka_unit_test(test_nasty_sizes),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests_name("sdp", tests, NULL, NULL);
}
