/* Hu-Shing against the table: every chain that is small, random ones full of ties, shapes that are hard on
 * heaps and stacks, and the largest costs; the tree always costs what the value says. */
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/clock.h"
#include "cpu/hu_shing.h"
#include "reference/reference.h"

static void print_chain(const int64_t *dims, size_t n) {
    print_error("chain");
    for (size_t m = 0; m <= n && m < MAX_DIMS; m++) {
        print_error(" %" PRId64, dims[m]);
    }
    print_error("\n");
}

#define CHECK_CHAIN(condition, ...)                                                                                    \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_chain(dims, n);                                                                                      \
            CHECK(condition, __VA_ARGS__);                                                                             \
        }                                                                                                              \
    } while (0)

/* least[i][j] = min over i<k<j of least[i][k] + least[k][j] + p[i]*p[k]*p[j], and 0 for j = i+1. */
static int64_t table_value(const int64_t *p, size_t n) {
    static int64_t least[MAX_DIMS][MAX_DIMS];
    for (size_t length = 1; length <= n; length++) {
        for (size_t i = 0; i + length <= n; i++) {
            const size_t j = i + length;
            least[i][j] = length == 1 ? 0 : INT64_MAX;
            for (size_t k = i + 1; k < j; k++) {
                const int64_t cost = least[i][k] + least[k][j] + p[i] * p[k] * p[j];
                least[i][j] = cost < least[i][j] ? cost : least[i][j];
            }
        }
    }
    return n > 0 ? least[0][n] : 0;
}

typedef struct part {
    size_t i;
    size_t j;
    size_t place;
} part;

/* The cost of the tree, each part found at the place the header names. Every place is used once: there are
 * n-1 nodes, and two at one place would leave another's mark. */
static int64_t tree_cost(const int64_t *dims, size_t n, const size_t *tree) {
    part *stack = malloc((n + 1) * sizeof *stack);
    bool *is_used = calloc(n, sizeof *is_used);
    assert_true(stack && is_used);
    size_t depth = 0;
    int64_t cost = 0;
    stack[depth++] = (part){0, n, 0};
    while (depth > 0) {
        const part top = stack[--depth];
        if (top.j == top.i + 1) {
            continue;
        }
        CHECK_CHAIN(top.place < n - 1 && !is_used[top.place], "place %zu", top.place);
        is_used[top.place] = true;
        const size_t k = tree[top.place];
        CHECK_CHAIN(top.i < k && k < top.j, "%zu..%zu is split at %zu", top.i, top.j, k);
        cost += dims[top.i] * dims[k] * dims[top.j];
        stack[depth++] = (part){top.i, k, top.place + 1};
        stack[depth++] = (part){k, top.j, top.place + k - top.i};
    }
    free(stack);
    free(is_used);
    return cost;
}

static void check_second(const int64_t *dims, size_t n, int64_t value) {
    pdp_error error = {0};
    pdp_wide cost = -1;
    CHECK_CHAIN(pdp_reference_cost_mcm(dims, n, &cost, &error) == PDP_OK, "%s", error.text);
    CHECK_CHAIN(cost == value, "%" PRId64 " by the second opinion, %" PRId64 " by the first", (int64_t)cost, value);
}

/* The arcs prove that nothing costs less. */
static void check_proof(const pdp_arcs *arcs, const int64_t *dims, size_t n, int64_t value) {
    pdp_error error = {0};
    uint64_t least = 0;
    if (n < 2) {
        assert_null(arcs->all);
        return;
    }
    CHECK_CHAIN(pdp_arcs_prove(arcs, dims, n, &least, &error) == PDP_OK, "%s", error.text);
    CHECK_CHAIN(least == (uint64_t)value, "%" PRIu64 " is proven, the value is %" PRId64, least, value);
}

/* The value, with and without a tree, the tree's cost, a second opinion and the proof are the same; returned. */
static int64_t solve_chain(const int64_t *dims, size_t n) {
    pdp_error error = {0};
    int64_t value = -1;
    int64_t alone = -1;
    size_t *tree = malloc((n + 1) * sizeof *tree);
    assert_non_null(tree);
    pdp_arcs arcs = {0};
    CHECK_CHAIN(pdp_hu_shing_solve(dims, n, &value, tree, &arcs, (pdp_progress){0}, &error) == PDP_OK, "%s",
                error.text);
    CHECK_CHAIN(pdp_hu_shing_solve(dims, n, &alone, NULL, NULL, (pdp_progress){0}, &error) == PDP_OK, "%s", error.text);
    CHECK_CHAIN(alone == value, "%" PRId64 " without a tree, %" PRId64 " with it", alone, value);
    check_second(dims, n, value);
    check_proof(&arcs, dims, n, value);
    pdp_arcs_free(&arcs);
    if (n >= 2) {
        const int64_t cost = tree_cost(dims, n, tree);
        CHECK_CHAIN(cost == value, "the tree costs %" PRId64 ", the value is %" PRId64, cost, value);
    }
    free(tree);
    return value;
}

static void check_chain(const int64_t *dims, size_t n) {
    const int64_t value = solve_chain(dims, n);
    const int64_t expected = table_value(dims, n);
    CHECK_CHAIN(value == expected, "%" PRId64 " instead of %" PRId64, value, expected);
}

static void test_known(void **state) {
    (void)state;
    static const int64_t dims[] = {30, 35, 15, 5, 10, 20, 25};
    static const int64_t expected[] = {0, 0, 15750, 7875, 9375, 11875, 15125};
    for (size_t n = 0; n <= 6; n++) {
        assert_int_equal(solve_chain(dims, n), expected[n]);
    }
}

/* All 87,380 chains with n <= 7 and dimensions 1..4. */
static void test_exhaustive(void **state) {
    (void)state;
    for (size_t n = 0; n <= 7; n++) {
        for (size_t number = 0; number < (size_t)1 << 2 * (n + 1); number++) {
            int64_t dims[8];
            for (size_t m = 0; m <= n; m++) {
                dims[m] = (int64_t)(number >> 2 * m & 3) + 1;
            }
            check_chain(dims, n);
        }
    }
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Random dimensions up to 2*most: plain, a mountain, every other one heavier, the same from both ends; begun
 * anywhere in the round. */
static void random_shape(int64_t *dims, size_t n, int64_t most, uint64_t *random) {
    const int64_t shape = pdp_random_between(random, 0, 3);
    int64_t drawn[MAX_DIMS];
    for (size_t m = 0; m <= n; m++) {
        drawn[m] = pdp_random_between(random, 1, most);
    }
    if (shape == 1) {
        qsort(drawn, n + 1, sizeof *drawn, compare);
    }
    const size_t first = (size_t)pdp_random_between(random, 0, (int64_t)n);
    for (size_t m = 0; m <= n; m++) {
        int64_t *dim = &dims[(first + m) % (n + 1)];
        switch (shape) {
        case 1: *dim = drawn[2 * m <= n ? 2 * m : 2 * (n - m) + 1]; break;
        case 2: *dim = drawn[m] + (m % 2 == 0 ? 0 : most); break;
        case 3: *dim = drawn[2 * m <= n ? m : n - m]; break;
        default: *dim = drawn[m];
        }
    }
}

static void test_random(void **state) {
    (void)state;
    static const int64_t most[] = {2, 3, 4, 6, 10, 100, 1000, 20000};
    uint64_t random = test_seed();
    for (size_t count = 0; count < 100000; count++) {
        int64_t dims[61];
        const size_t n = (size_t)pdp_random_between(&random, 1, 60);
        random_shape(dims, n, most[count % 8], &random);
        check_chain(dims, n);
    }
    for (size_t count = 0; count < campaign(8, 80); count++) {
        int64_t dims[601];
        random_shape(dims, 600, most[count % 8], &random);
        check_chain(dims, 600);
    }
}

/* The largest r whose square, or cube, is at most `room`. */
static int64_t whole_root(int64_t room, bool is_cube) {
    int64_t r = 0;
    for (int64_t bit = INT64_C(1) << 31; bit > 0; bit /= 2) {
        const int64_t tried = r + bit;
        r = tried <= room / tried / (is_cube ? tried : 1) ? tried : r;
    }
    return r;
}

/* (n-1) times the product of the three largest dimensions is as large as it may be. */
static void test_largest_costs(void **state) {
    (void)state;
    uint64_t random = test_seed();
    for (size_t n = 2; n <= 40; n++) {
        const int64_t room = INT64_MAX / (int64_t)(n - 1);
        const int64_t root = whole_root(room, true);
        for (size_t count = 0; count < 200; count++) {
            int64_t dims[41];
            for (size_t m = 0; m <= n; m++) {
                const int64_t low = count % 2 == 0 ? 1 : root - 3;
                dims[m] = pdp_random_between(&random, low, root);
            }
            check_chain(dims, n);
        }
        for (size_t heavy = 0; heavy <= n; heavy++) { /* one that is as heavy as can be, or two */
            int64_t dims[41];
            for (size_t m = 0; m <= n; m++) {
                dims[m] = m == heavy ? room : 1;
            }
            check_chain(dims, n);
            dims[heavy] = whole_root(room, false);
            dims[(heavy + 1 + n / 2) % (n + 1)] = dims[heavy];
            check_chain(dims, n);
        }
    }
}

/* ---- A million matrices ---- */

typedef enum shape {
    UNIFORM,
    TWO_VALUES,
    EQUAL,
    ASCENDING,
    DESCENDING,
    ZIGZAG,
    ALTERNATING,
    VALLEY,
    MOUNTAIN,
    MANY_MOUNTAINS,
    RULER,
    FAN,
    SHAPES
} shape;

static int64_t dimension(shape which, size_t m, size_t n, uint64_t *random) {
    const int64_t at = (int64_t)(10000 * m / n); /* 0 .. 10000 */
    switch (which) {
    case UNIFORM: return pdp_random_between(random, 1, 10000);
    case TWO_VALUES: return pdp_random_between(random, 5, 6);
    case EQUAL: return 7;
    case ASCENDING: return 1 + at;
    case DESCENDING: return 10001 - at;
    case ZIGZAG: return m % 2 == 0 ? 1 + at : 20002 - at;
    case ALTERNATING: return m % 2 == 0 ? 1 : 9999;
    case VALLEY: return 1 + llabs(at - 5000);
    case MOUNTAIN: return 10000 - llabs(at - 5000);
    case MANY_MOUNTAINS: return 10 + at / 100 + 500 - llabs((int64_t)(m % 1000) - 500);
    case RULER: return 1 + 400 * __builtin_ctzll(m + 1); /* minima within minima */
    default: return m == n / 3 ? 1 : 2 + at + (int64_t)(m % 7);
    }
}

/* All equal, every order costs (n-1)*p^3; sorted, the lightest end is in every product; alternating with ones,
 * each pair of heavy and light first: n/2 products at the heavy ones, and the ones left over. */
static void check_known_value(shape which, const int64_t *dims, size_t n, int64_t value) {
    int64_t fan = 0;
    for (size_t m = 1; m < n; m++) {
        fan += which == ASCENDING ? dims[0] * dims[m] * dims[m + 1] : dims[m - 1] * dims[m] * dims[n];
    }
    if (which == EQUAL || which == ASCENDING || which == DESCENDING) {
        CHECK(value == fan, "shape %d: %" PRId64 " instead of %" PRId64, (int)which, value, fan);
    } else if (which == ALTERNATING) {
        const int64_t half = (int64_t)(n / 2);
        CHECK(value == half * 9999 + half - 1, "alternating: %" PRId64, value);
    }
}

static void test_large(void **state) {
    (void)state;
    const size_t n = campaign(200000, 1000000);
    uint64_t random = test_seed();
    int64_t *dims = malloc((n + 1) * sizeof *dims);
    size_t *tree = malloc(n * sizeof *tree);
    assert_true(dims && tree);
    for (shape which = 0; which < SHAPES; which++) {
        for (size_t m = 0; m <= n; m++) {
            dims[m] = dimension(which, m, n, &random);
        }
        pdp_error error = {0};
        int64_t value;
        const double start = pdp_clock_seconds();
        pdp_arcs arcs = {0};
        assert_int_equal(pdp_hu_shing_solve(dims, n, &value, tree, &arcs, (pdp_progress){0}, &error), PDP_OK);
        const double seconds = pdp_clock_seconds() - start;
        check_proof(&arcs, dims, n, value);
        pdp_arcs_free(&arcs);
        print_message("shape %d, n = %zu: %.3f s\n", (int)which, n, seconds);
        CHECK(seconds < 20, "shape %d took %.1f s", (int)which, seconds); /* n^2 is hours; sanitizers take 5 times */
        CHECK(tree_cost(dims, n, tree) == value, "shape %d, value %" PRId64, (int)which, value);
        check_known_value(which, dims, n, value);
    }
    free(dims);
    free(tree);
}

/* The same in 128 bits, what leaves them as good as none. */
static pdp_wide table_value_wide(const int64_t *p, size_t n) {
    static pdp_wide least[MAX_DIMS][MAX_DIMS];
    const pdp_wide none = (pdp_wide)1 << 125;
    for (size_t length = 1; length <= n; length++) {
        for (size_t i = 0; i + length <= n; i++) {
            const size_t j = i + length;
            least[i][j] = length == 1 ? 0 : none;
            for (size_t k = i + 1; k < j; k++) {
                pdp_wide cost;
                if (!__builtin_mul_overflow((pdp_wide)p[i] * p[k], p[j], &cost) && cost < none) {
                    cost = least[i][k] + least[k][j] < none ? least[i][k] + least[k][j] + cost : none;
                    least[i][j] = cost < least[i][j] ? cost : least[i][j];
                }
            }
        }
    }
    return n > 0 ? least[0][n] : 0;
}

/* The second opinion where costs are not sure to fit: dimensions of all sizes, light ones between heavy ones. */
static void test_unsure(void **state) {
    (void)state;
    uint64_t random = test_seed();
    size_t fit = 0, beyond = 0;
    for (size_t round = 0; round < campaign(20000, 500000); round++) {
        int64_t dims[MAX_DIMS];
        const size_t n = (size_t)pdp_random_between(&random, 2, 24);
        const unsigned bits = (unsigned)pdp_random_between(&random, 1, 62),
                       light = (unsigned)pdp_random_between(&random, 1, 20);
        for (size_t m = 0; m <= n; m++) {
            const unsigned own = pdp_random_between(&random, 0, 1) != 0 ? bits : light;
            dims[m] = 1 + (int64_t)(pdp_random_next(&random) >> (64 - own));
        }
        pdp_error error = {0};
        pdp_wide cost = -1;
        const pdp_wide expected = table_value_wide(dims, n);
        CHECK_CHAIN(pdp_reference_cost_mcm(dims, n, &cost, &error) == PDP_OK, "%s", error.text);
        CHECK_CHAIN(pdp_wide_fits(expected) ? cost == expected : !pdp_wide_fits(cost), "round %zu", round);
        *(pdp_wide_fits(expected) ? &fit : &beyond) += 1;
    }
    print_message("%zu costs fit, %zu do not\n", fit, beyond);
    assert_true(fit > 1000 && beyond > 1000);
}

/* ---- Proofs of what is not so ---- */

typedef struct liar {
    pdp_arc arcs[MAX_DIMS];
    uint64_t weights[MAX_DIMS];
    uint32_t around[MAX_DIMS]; /* the arcs around the one that is made */
    size_t depth;
    pdp_arcs all;
    int64_t care; /* how seldom it takes no lightest corner */
    uint64_t *random;
} liar;

static int64_t draw(liar *l, int64_t most) {
    return pdp_random_between(l->random, 0, most);
}

/* A corner between, most often a lightest one. */
static uint32_t draw_middle(liar *l, uint32_t u, uint32_t v) {
    uint32_t m = u + 1 + (uint32_t)draw(l, v - u - 2);
    for (uint32_t k = u + 1; k < v && draw(l, l->care) != 0; k++) {
        m = l->weights[k] < l->weights[m] || (l->weights[k] == l->weights[m] && draw(l, 1) == 0) ? k : m;
    }
    return m;
}

/* The arcs of (u,v), children first; numbers are given beforehand, since cutters are. */
static void draw_arcs(liar *l, uint32_t number, uint32_t u, uint32_t v) {
    const uint32_t m = draw_middle(l, u, v);
    const uint32_t left = (number == 0 ? l->all.count + 1 : number) - (v - m);
    const size_t out = (size_t)draw(l, draw(l, 2) == 0 ? (int64_t)l->depth : 1);
    l->arcs[number] = (pdp_arc){.u = u, .m = m, .v = v, .inside = m > u + 1 ? left : 0};
    l->arcs[number].cutter = out < l->depth ? l->around[l->depth - 1 - out] : 0;
    l->around[l->depth++] = number;
    if (m > u + 1) {
        draw_arcs(l, left, u, m);
    }
    if (v > m + 1) {
        draw_arcs(l, number == 0 ? l->all.count : number - 1, m, v);
    }
    l->depth--;
}

/* Puts one arc in the place of another, but for who cuts it off. */
static void repeat_arc(liar *l) {
    const int64_t count = l->all.count;
    pdp_arc *to = &l->arcs[pdp_random_between(l->random, 1, count)];
    const uint32_t cutter = to->cutter;
    *to = l->arcs[pdp_random_between(l->random, 1, count)];
    to->cutter = cutter;
}

/* Gives every arc the rise and fall that it has by those it cuts off, whatever they are. */
static void make_consistent(liar *l) {
    pdp_arc *arcs = l->arcs;
    arcs[0].fall = 1;
    for (uint32_t x = 1; x <= l->all.count; x++) {
        const uint64_t u = l->weights[arcs[x].u], m = l->weights[arcs[x].m], v = l->weights[arcs[x].v];
        const uint64_t light = u < v ? u : v;
        arcs[x].rise = u * m * v;
        arcs[x].fall = u * m + m * v - u * v;
        for (uint32_t d = 1; d < x; d++) {
            if (arcs[d].cutter == x) {
                arcs[x].rise += arcs[d].rise < light * arcs[d].fall ? arcs[d].rise : light * arcs[d].fall;
                arcs[x].fall += arcs[d].fall;
            }
        }
    }
}

/* Whatever arcs and cutters are drawn, what is proven is not more than the least cost; and not all is refused, and not
 * all that is proven is the least cost. */
static void test_liars(void **state) {
    (void)state;
    uint64_t random = test_seed() + 7;
    size_t proven = 0, less = 0;
    const size_t rounds = campaign(300000, 5000000);
    for (size_t round = 0; round < rounds; round++) {
        int64_t dims[MAX_DIMS];
        const size_t n = (size_t)pdp_random_between(&random, 2, round % 4 == 0 ? 12 : 6);
        random_shape(dims, n, round % 3 == 0 ? 100 : 9, &random);
        liar l = {.random = &random, .all = {.count = (uint32_t)n - 1}, .care = round % 5 == 0 ? 2 : 40};
        for (size_t m = 0; m <= n; m++) {
            l.all.first = dims[m] < dims[l.all.first] ? m : l.all.first;
        }
        l.all.first = pdp_random_between(&random, 0, 20) == 0 ? 0 : l.all.first;
        for (size_t m = 0; m <= n + 1; m++) {
            l.weights[m] = (uint64_t)dims[(l.all.first + m) % (n + 1)];
        }
        l.all.all = l.arcs;
        l.all.weights = l.weights;
        draw_arcs(&l, 0, 0, (uint32_t)n + 1);
        if (round % 7 == 0) {
            repeat_arc(&l);
        }
        make_consistent(&l);
        pdp_error error = {0};
        uint64_t least = 0;
        if (pdp_arcs_prove(&l.all, dims, n, &least, &error) == PDP_OK) {
            const uint64_t right = (uint64_t)table_value(dims, n);
            CHECK_CHAIN(least <= right, "round %zu: %" PRIu64 " is proven, the least cost is %" PRIu64, round, least,
                        right);
            proven++;
            less += least < right;
        }
    }
    print_message("%zu drawn: %zu prove something, %zu of them less than is so\n", rounds, proven, less);
    CHECK(proven > rounds / 50 && less > 0, "%zu and %zu of %zu", proven, less, rounds);
}

/* A bit of what a proof goes by is turned over: it proves nothing, or nothing that is not so. */
static void test_flipped_arcs(void **state) {
    (void)state;
    uint64_t random = test_seed() + 8;
    size_t found = 0, harmless = 0;
    for (size_t round = 0; round < campaign(20000, 500000); round++) {
        int64_t dims[MAX_DIMS], value;
        const size_t n = (size_t)pdp_random_between(&random, 2, 30);
        random_shape(dims, n, 100, &random);
        pdp_error error = {0};
        pdp_arcs arcs = {0};
        assert_int_equal(pdp_hu_shing_solve(dims, n, &value, NULL, &arcs, (pdp_progress){0}, &error), PDP_OK);
        struct {
            void *memory;
            size_t bytes;
        } places[] = {{arcs.all, n * sizeof *arcs.all},
                      {arcs.weights, (n + 2) * sizeof *arcs.weights},
                      {&arcs.count, sizeof arcs.count},
                      {&arcs.first, sizeof arcs.first}};
        const size_t place = pdp_random_between(&random, 0, 9) < 7 ? 0 : (size_t)pdp_random_between(&random, 1, 3);
        const size_t bit = (size_t)pdp_random_between(&random, 0, (int64_t)(8 * places[place].bytes) - 1);
        ((unsigned char *)places[place].memory)[bit / 8] ^= (unsigned char)(1u << bit % 8);
        uint64_t least = 0;
        if (pdp_arcs_prove(&arcs, dims, n, &least, &error) == PDP_OK) {
            CHECK_CHAIN(least <= (uint64_t)value, "round %zu, bit %zu of %zu", round, bit, place);
            CHECK_CHAIN(place == 0 || place == 3, "round %zu, bit %zu of %zu", round, bit, place); /* equal weights */
            harmless++;
        } else {
            assert_int_equal(error.status, PDP_WRONG);
            assert_in(error.text, "the arcs of the polygon do not fit together");
            found++;
        }
        pdp_arcs_free(&arcs);
    }
    print_message("%zu flipped bits are found, %zu are of no matter\n", found, harmless);
    assert_true(found > harmless);
}

static void test_limits(void **state) {
    (void)state;
    pdp_error error = {0};
    int64_t value;
    const int64_t dims[1] = {1}; /* refused before it is read */
    assert_int_equal(pdp_hu_shing_solve(dims, (size_t)1 << 31, &value, NULL, NULL, (pdp_progress){0}, &error),
                     PDP_BAD_INPUT);
    assert_in(error.text, "2147483648 matrices");
    assert_int_equal(pdp_hu_shing_bytes(1, true), 0);
    assert_int_equal(pdp_hu_shing_bytes(2, false), 96 * 3 + 8);
    assert_int_equal(pdp_hu_shing_bytes(1000000, true), 104 * 1000001 + 8);
    assert_true(pdp_hu_shing_bytes(SIZE_MAX - 1, true) == UINT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),         cmocka_unit_test(test_exhaustive),   cmocka_unit_test(test_random),
        cmocka_unit_test(test_largest_costs), cmocka_unit_test(test_large),        cmocka_unit_test(test_unsure),
        cmocka_unit_test(test_liars),         cmocka_unit_test(test_flipped_arcs), cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
