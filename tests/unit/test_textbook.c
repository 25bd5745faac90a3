/* The textbook solvers against answers printed in textbooks, closed forms, and enumerations that know
 * no recurrence: all orders of removing the points between two ends, all search trees by all orders of
 * insertion, all sequences of parts, all pairings of bases, all parse trees. */
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reference/textbook.h"

enum { MOST = 12 }; /* points of an interval table in the enumerations */

static int64_t table[MOST * MOST];
static uint64_t sets[MOST * MOST];
static double reals[MOST * MOST];

/* What is not written must not be 0 by chance. */
static void spoil_tables(void) {
    memset(table, 0x5a, sizeof table);
    memset(sets, 0x5a, sizeof sets);
    memset(reals, 0x5a, sizeof reals);
}

static void assert_near(double value, double expected, double tolerance) {
    CHECK(fabs(value - expected) <= tolerance, "%.17g, not %.17g", value, expected);
}

/* The next permutation in lexicographic order; false after the last. */
static bool permute(size_t *a, size_t n) {
    size_t i = n;
    while (i > 1 && a[i - 2] >= a[i - 1]) {
        i--;
    }
    if (i <= 1) {
        return false;
    }
    size_t j = n - 1;
    while (a[j] <= a[i - 2]) {
        j--;
    }
    size_t kept = a[i - 2];
    a[i - 2] = a[j];
    a[j] = kept;
    for (size_t l = i - 1, r = n - 1; l < r; l++, r--) {
        kept = a[l];
        a[l] = a[r];
        a[r] = kept;
    }
    return true;
}

/* ---- Chains, polygons, piles ----------------------------------------------------------------- */

typedef struct points {
    const int64_t *numbers;
    const double *x;
    const double *y;
} points;

typedef double removal_cost(const points *data, size_t l, size_t m, size_t r);

static double cost_of_product(const points *data, size_t l, size_t m, size_t r) {
    return (double)(data->numbers[l] * data->numbers[m] * data->numbers[r]);
}

static double cost_of_merge(const points *data, size_t l, size_t m, size_t r) {
    (void)m; /* where the two piles met does not matter */
    double size = 0;
    for (size_t t = l; t < r; t++) {
        size += (double)data->numbers[t];
    }
    return size;
}

static double distance(const points *data, size_t a, size_t b) {
    double dx = data->x[a] - data->x[b];
    double dy = data->y[a] - data->y[b];
    return sqrt(dx * dx + dy * dy);
}

static double cost_of_perimeter(const points *data, size_t l, size_t m, size_t r) {
    return distance(data, l, m) + distance(data, m, r) + distance(data, l, r);
}

/* The points between i and j are removed one by one, in every order there is. Removing m while l and r are
 * its neighbours is a product of matrices, a triangle cut off, or a merge of two piles. */
static double enumerate_removals(const points *data, removal_cost *cost, size_t i, size_t j) {
    size_t order[MOST];
    for (size_t t = 0; t + i + 1 < j; t++) {
        order[t] = i + 1 + t;
    }
    double best = j - i < 2 ? 0 : INFINITY;
    for (bool more = j - i >= 2; more; more = permute(order, j - i - 1)) {
        bool gone[MOST] = {false};
        double total = 0;
        for (size_t t = 0; t + i + 1 < j; t++) {
            size_t l = order[t] - 1;
            size_t r = order[t] + 1;
            while (gone[l]) {
                l--;
            }
            while (gone[r]) {
                r++;
            }
            total += cost(data, l, order[t], r);
            gone[order[t]] = true;
        }
        best = fmin(best, total);
    }
    return best;
}

/* Every cell of the integer table is the enumeration's value, exactly, and 0 below the diagonal. */
static void check_by_removals(const int64_t *numbers, removal_cost *cost, size_t n) {
    const points data = {numbers, NULL, NULL};
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= n; j++) {
            double expected = i < j ? enumerate_removals(&data, cost, i, j) : 0;
            CHECK((double)table[i * (n + 1) + j] == expected, "cell (%zu,%zu) of n %zu: %" PRId64 ", not %g", i, j, n,
                  table[i * (n + 1) + j], expected);
        }
    }
}

/* CLRS, section 15.2: the six matrices and the whole table m. */
static void test_mcm_of_clrs(void **state) {
    (void)state;
    const int64_t dims[] = {30, 35, 15, 5, 10, 20, 25};
    const int64_t m[6][6] = {{0, 15750, 7875, 9375, 11875, 15125},
                             {0, 0, 2625, 4375, 7125, 10500},
                             {0, 0, 0, 750, 2500, 5375},
                             {0, 0, 0, 0, 1000, 3500},
                             {0, 0, 0, 0, 0, 5000},
                             {0}};
    spoil_tables();
    assert_true(pdp_textbook_solve_mcm(dims, 6, table) == PDP_TEXTBOOK_FITS);
    for (size_t r = 1; r <= 6; r++) {
        for (size_t c = r; c <= 6; c++) {
            assert_int_equal(table[(r - 1) * 7 + c], m[r - 1][c - 1]);
        }
    }
}

static void test_mcm_by_enumeration(void **state) {
    (void)state;
    uint64_t random = test_seed();
    for (size_t round = 0; round < campaign(100, 1000); round++) {
        int64_t dims[MOST];
        size_t n = 1 + round % 7;
        for (size_t m = 0; m <= n; m++) {
            dims[m] = pdp_random_between(&random, 0, 9);
        }
        spoil_tables();
        assert_true(pdp_textbook_solve_mcm(dims, n, table) == PDP_TEXTBOOK_FITS);
        check_by_removals(dims, cost_of_product, n);
    }
}

/* A cell overflows only if its own value does: not one below, not by a candidate that loses. */
static void test_mcm_overflow(void **state) {
    (void)state;
    const int64_t thirty = INT64_C(1) << 30;
    const int64_t just[] = {1, INT64_MAX, 1};
    const int64_t over[] = {2, INT64_C(1) << 62, 1};
    const int64_t far_over[] = {INT64_MAX, INT64_MAX, INT64_MAX};
    const int64_t empty[] = {INT64_MAX, INT64_MAX, 0};
    const int64_t loser[] = {thirty, 1, thirty, thirty}; /* splitting at 2 costs more than 2^90 */
    const int64_t second[] = {1, 1, INT64_MAX, 2};
    assert_true(pdp_textbook_solve_mcm(just, 2, table) == PDP_TEXTBOOK_FITS);
    assert_true(table[2] == INT64_MAX);
    assert_true(pdp_textbook_solve_mcm(over, 2, table) == 2);
    assert_true(pdp_textbook_solve_mcm(far_over, 2, table) == 2);
    assert_true(pdp_textbook_solve_mcm(empty, 2, table) == PDP_TEXTBOOK_FITS);
    assert_true(table[2] == 0);
    assert_true(pdp_textbook_solve_mcm(loser, 3, table) == PDP_TEXTBOOK_FITS);
    assert_true(table[3] == INT64_C(1) << 61);
    assert_true(pdp_textbook_solve_mcm(second, 3, table) == 1 * 4 + 3); /* (0,2) fits, (1,3) does not */
}

static void test_merge(void **state) {
    (void)state;
    const int64_t four[] = {3, 2, 4, 1};
    assert_true(pdp_textbook_solve_merge(four, 4, table) == PDP_TEXTBOOK_FITS);
    assert_int_equal(table[4], 20); /* 3+2, 4+1, then both */
    const int64_t huge[] = {INT64_MAX - 1, 1, 1};
    assert_true(pdp_textbook_solve_merge(huge, 2, table) == PDP_TEXTBOOK_FITS);
    assert_true(table[2] == INT64_MAX);
    assert_true(pdp_textbook_solve_merge(huge, 3, table) == 3); /* (0,2) fits, (0,3) does not */
    const int64_t low[] = {INT64_MIN + 1, -1, -1};
    assert_true(pdp_textbook_solve_merge(low, 2, table) == PDP_TEXTBOOK_FITS);
    assert_true(table[2] == INT64_MIN);
    assert_true(pdp_textbook_solve_merge(low, 3, table) == 3);
    uint64_t random = test_seed();
    for (size_t round = 0; round < campaign(100, 1000); round++) {
        int64_t piles[MOST];
        size_t n = 1 + round % 7;
        for (size_t m = 0; m < n; m++) {
            piles[m] = pdp_random_between(&random, -2, 9);
        }
        spoil_tables();
        assert_true(pdp_textbook_solve_merge(piles, n, table) == PDP_TEXTBOOK_FITS);
        check_by_removals(piles, cost_of_merge, n);
    }
}

/* Outer edges count once and diagonals twice: the square has one of sqrt 2, the hexagon three of sqrt 3. */
static void test_triangulation_of_regular_polygons(void **state) {
    (void)state;
    const double square_x[] = {0, 1, 1, 0};
    const double square_y[] = {0, 0, 1, 1};
    spoil_tables();
    pdp_textbook_solve_triangulation(square_x, square_y, 3, reals);
    assert_near(reals[3], 4 + 2 * sqrt(2), 1e-14);
    assert_near(reals[1 * 4 + 3], 2 + sqrt(2), 1e-14);
    const double h = sqrt(3) / 2;
    const double hexagon_x[] = {1, 0.5, -0.5, -1, -0.5, 0.5};
    const double hexagon_y[] = {0, h, h, 0, -h, -h};
    pdp_textbook_solve_triangulation(hexagon_x, hexagon_y, 5, reals);
    assert_near(reals[5], 6 + 6 * sqrt(3), 1e-13);
}

static void test_triangulation_by_enumeration(void **state) {
    (void)state;
    uint64_t random = test_seed();
    for (size_t round = 0; round < campaign(50, 500); round++) {
        double x[MOST];
        double y[MOST];
        size_t n = 1 + round % 7;
        for (size_t m = 0; m <= n; m++) { /* on an ellipse, in order: convex */
            double angle = ((double)m + (double)pdp_random_between(&random, 0, 999) / 1000) * 6.28 / (double)(n + 1);
            x[m] = 100 * cos(angle);
            y[m] = 40 * sin(angle);
        }
        const points data = {NULL, x, y};
        spoil_tables();
        pdp_textbook_solve_triangulation(x, y, n, reals);
        for (size_t i = 0; i <= n; i++) {
            for (size_t j = 0; j <= n; j++) {
                double expected = i < j ? enumerate_removals(&data, cost_of_perimeter, i, j) : 0;
                CHECK(fabs(reals[i * (n + 1) + j] - expected) <= 1e-12 * expected, "(%zu,%zu), n %zu", i, j, n);
            }
        }
    }
}

/* ---- Search trees ---------------------------------------------------------------------------- */

/* The cost of the tree that results from inserting the keys 1 .. n in the given order. */
static int64_t cost_of_tree(const size_t *order, size_t n, const int64_t *hits, const int64_t *misses) {
    size_t left[MOST] = {0};
    size_t right[MOST] = {0};
    for (size_t t = 1; t < n; t++) {
        size_t at = order[0];
        for (;;) {
            size_t *child = order[t] < at ? &left[at] : &right[at];
            if (*child == 0) {
                *child = order[t];
                break;
            }
            at = *child;
        }
    }
    int64_t cost = 0;
    for (size_t m = 0; m <= 2 * n; m++) { /* key t stands at 2t-1, the gap after it at 2t */
        int64_t visited = 1;
        size_t at = n > 0 ? order[0] : 0;
        while (at != 0 && 2 * at - 1 != m) {
            at = m < 2 * at - 1 ? left[at] : right[at];
            visited++;
        }
        cost += visited * (m % 2 == 1 ? hits[m / 2] : misses[m / 2]);
    }
    return cost;
}

static int64_t enumerate_trees(size_t n, const int64_t *hits, const int64_t *misses) {
    size_t order[MOST];
    for (size_t t = 0; t < n; t++) {
        order[t] = t + 1;
    }
    int64_t best = INT64_MAX;
    do {
        int64_t cost = cost_of_tree(order, n, hits, misses);
        best = cost < best ? cost : best;
    } while (permute(order, n));
    return best;
}

/* CLRS, section 15.5: five keys and the whole table e, in hundredths. */
static void test_obst_of_clrs(void **state) {
    (void)state;
    const int64_t hits[] = {15, 10, 5, 10, 20};
    const int64_t misses[] = {5, 10, 5, 5, 5, 10};
    const int64_t e[6][6] = {
        {5, 45, 90, 125, 175, 275}, {10, 40, 70, 120, 200}, {5, 25, 60, 130}, {5, 30, 90}, {5, 50}, {10}};
    spoil_tables();
    assert_true(pdp_textbook_solve_obst(hits, misses, 5, table) == PDP_TEXTBOOK_FITS);
    for (size_t i = 0; i < 7; i++) {
        for (size_t j = 0; j < 7; j++) {
            assert_int_equal(table[i * 7 + j], i < j ? e[i][j - i - 1] : 0);
        }
    }
}

static void test_obst_by_enumeration(void **state) {
    (void)state;
    uint64_t random = test_seed();
    for (size_t round = 0; round < campaign(60, 600); round++) {
        int64_t hits[MOST];
        int64_t misses[MOST];
        size_t n = round % 7;
        for (size_t t = 0; t <= n; t++) {
            hits[t] = pdp_random_between(&random, 0, 9);
            misses[t] = pdp_random_between(&random, 0, 9);
        }
        spoil_tables();
        assert_true(pdp_textbook_solve_obst(hits, misses, n, table) == PDP_TEXTBOOK_FITS);
        for (size_t i = 0; i <= n + 1; i++) {
            for (size_t j = 0; j <= n + 1; j++) {
                int64_t expected = i < j ? enumerate_trees(j - i - 1, hits + i, misses + i) : 0;
                CHECK(table[i * (n + 2) + j] == expected, "cell (%zu,%zu) of %zu keys", i, j, n);
            }
        }
    }
}

static void test_obst_overflow(void **state) {
    (void)state;
    const int64_t hits[] = {INT64_MAX, 1};
    const int64_t misses[] = {0, 0, 0};
    assert_true(pdp_textbook_solve_obst(hits, misses, 1, table) == PDP_TEXTBOOK_FITS);
    assert_true(table[2] == INT64_MAX);
    assert_true(pdp_textbook_solve_obst(hits, misses, 2, table) == 3); /* (0,2) and (1,3) fit, (0,3) does not */
}

/* ---- Base pairs ------------------------------------------------------------------------------ */

/* The most pairs, over all ways to match bases from `at` on among themselves, of pairs that are allowed and do
 * not cross one that is there. partner[t] is n for a base without one. */
static int64_t enumerate_pairings(const char *bases, size_t n, size_t loop, size_t *partner, size_t at) {
    if (at == n) {
        return 0;
    }
    int64_t best = enumerate_pairings(bases, n, loop, partner, at + 1);
    for (size_t k = at + loop + 1; k < n && partner[at] == n; k++) {
        bool is_allowed = partner[k] == n;
        const char a = bases[at];
        const char b = bases[k];
        is_allowed &= (a == 'A' && b == 'U') || (a == 'U' && (b == 'A' || b == 'G')) || (a == 'C' && b == 'G') ||
                      (a == 'G' && (b == 'C' || b == 'U'));
        for (size_t t = 0; t < at; t++) { /* t < at < partner[t] < k */
            is_allowed &= partner[t] == n || partner[t] < at || partner[t] > k;
        }
        if (is_allowed) {
            partner[at] = k;
            partner[k] = at;
            int64_t pairs = 1 + enumerate_pairings(bases, n, loop, partner, at + 1);
            best = pairs > best ? pairs : best;
            partner[at] = n;
            partner[k] = n;
        }
    }
    return best;
}

static void check_pairings(const char *bases, size_t n, size_t loop) {
    spoil_tables();
    pdp_textbook_solve_nussinov(bases, n, loop, table);
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= n; j++) {
            size_t partner[MOST];
            for (size_t t = 0; i < j && t < j - i; t++) {
                partner[t] = j - i;
            }
            int64_t expected = i < j ? enumerate_pairings(bases + i, j - i, loop, partner, 0) : 0;
            CHECK(table[i * (n + 1) + j] == expected, "(%zu,%zu) of %.*s, loop %zu", i, j, (int)n, bases, loop);
        }
    }
}

/* All sequences of 5 bases, and random ones of up to 11. */
static void test_nussinov_by_enumeration(void **state) {
    (void)state;
    char bases[MOST];
    for (unsigned code = 0; code < 1024; code++) {
        for (unsigned t = 0; t < 5; t++) {
            bases[t] = "ACGU"[code >> (2 * t) & 3];
        }
        check_pairings(bases, 5, code % 4);
        check_pairings(bases, 5, 0);
    }
    uint64_t random = test_seed();
    for (size_t round = 0; round < campaign(60, 600); round++) {
        size_t n = 6 + round % 6;
        for (size_t t = 0; t < n; t++) {
            bases[t] = "ACGU"[pdp_random_between(&random, 0, 3)];
        }
        check_pairings(bases, n, round % 5);
    }
}

/* Durbin et al., section 10.2: three pairs. A hairpin needs room for its loop. */
static void test_nussinov_of_durbin(void **state) {
    (void)state;
    pdp_textbook_solve_nussinov("GGGAAAUCC", 9, 0, table);
    assert_int_equal(table[9], 3);
    pdp_textbook_solve_nussinov("GGGAAAUCC", 9, 3, table);
    assert_int_equal(table[9], 3); /* 0-8, 1-7, 2-6 */
    pdp_textbook_solve_nussinov("GGGAAAUCC", 9, 4, table);
    assert_int_equal(table[9], 2);
    pdp_textbook_solve_nussinov("GAAAC", 5, 3, table);
    assert_int_equal(table[5], 1);
    pdp_textbook_solve_nussinov("GAAAC", 5, 4, table);
    assert_int_equal(table[5], 0);
}

/* ---- Grammars -------------------------------------------------------------------------------- */

/* S -> AB | BC, A -> BA | a, B -> CC | b, C -> AB | a (Hopcroft, Motwani and Ullman, section 7.4.4). */
static const pdp_textbook_grammar baaba = {
    .a = (const int64_t[]){0, 0, 1, 2, 3},
    .b = (const int64_t[]){1, 2, 2, 3, 1},
    .c = (const int64_t[]){2, 3, 1, 3, 2},
    .rule_count = 5,
    .letters = (const uint64_t[]){1 << 1 | 1 << 3, 1 << 2},
};

/* Their table for the word baaba. */
static void test_cyk_of_hopcroft(void **state) {
    (void)state;
    enum { S = 1, A = 2, B = 4, C = 8 };
    const int64_t word[] = {1, 0, 0, 1, 0};
    const uint64_t expected[5][5] = {
        {B, S | A, 0, 0, S | A | C}, {A | C, B, B, S | A | C}, {A | C, S | C, B}, {B, S | A}, {A | C}};
    spoil_tables();
    pdp_textbook_solve_cyk(&baaba, word, 5, sets);
    for (size_t i = 0; i <= 5; i++) {
        for (size_t j = 0; j <= 5; j++) {
            assert_int_equal(sets[i * 6 + j], i < j ? expected[i][j - i - 1] : 0);
        }
    }
}

/* A parse tree with the root A over the letters i .. j-1 exists: all trees are tried. */
static bool find_tree(const pdp_textbook_grammar *g, const int64_t *word, int64_t root, size_t i, size_t j) {
    if (j == i + 1) {
        return (g->letters[word[i]] >> root & 1) != 0;
    }
    for (size_t q = 0; q < g->rule_count; q++) {
        for (size_t k = i + 1; g->a[q] == root && k < j; k++) {
            if (find_tree(g, word, g->b[q], i, k) && find_tree(g, word, g->c[q], k, j)) {
                return true;
            }
        }
    }
    return false;
}

/* Random grammars over the non-terminals 0 .. 2 and 63. */
static void test_cyk_by_enumeration(void **state) {
    (void)state;
    const int64_t symbols[] = {0, 1, 2, 63};
    uint64_t random = test_seed();
    for (size_t round = 0; round < campaign(200, 2000); round++) {
        int64_t rules[3][6];
        uint64_t letters[3];
        int64_t word[MOST];
        const size_t n = 1 + round % 6;
        for (size_t q = 0; q < 18; q++) {
            rules[q % 3][q / 3] = symbols[pdp_random_between(&random, 0, 3)];
        }
        for (size_t t = 0; t < 3; t++) {
            letters[t] = UINT64_C(1) << symbols[pdp_random_between(&random, 0, 3)];
        }
        for (size_t t = 0; t < n; t++) {
            word[t] = pdp_random_between(&random, 0, 2);
        }
        const pdp_textbook_grammar grammar = {rules[0], rules[1], rules[2], 6, letters};
        spoil_tables();
        pdp_textbook_solve_cyk(&grammar, word, n, sets);
        for (size_t cell = 0; cell < (n + 1) * (n + 1); cell++) {
            const size_t i = cell / (n + 1);
            const size_t j = cell % (n + 1);
            for (size_t s = 0; s < 4; s++) {
                bool is_found = (sets[cell] >> symbols[s] & 1) != 0;
                CHECK(is_found == (i < j && find_tree(&grammar, word, symbols[s], i, j)), "(%zu,%zu)", i, j);
            }
        }
    }
}

/* Sums of products of n and bracketed sums: the grammar and a reader by hand accept the same words.
 * E 0, T 1, F 2, X = + T 3, Y = * F 4, Z = E ) 5, and + * ( ) 6 .. 9. Letters: n + * ( ) are 0 .. 4. */
static const pdp_textbook_grammar arithmetic = {
    .a = (const int64_t[]){0, 0, 0, 1, 1, 2, 3, 4, 5},
    .b = (const int64_t[]){0, 1, 8, 1, 8, 8, 6, 7, 0},
    .c = (const int64_t[]){3, 4, 5, 4, 5, 5, 1, 2, 9},
    .rule_count = 9,
    .letters = (const uint64_t[]){7, 1 << 6, 1 << 7, 1 << 8, 1 << 9},
};

/* Operands and operators take turns, brackets open before operands and close after them. */
static bool is_arithmetic(const int64_t *word, size_t n) {
    bool wants_operand = true;
    int depth = 0;
    for (size_t t = 0; t < n; t++) {
        const bool begins = word[t] == 0 || word[t] == 3;
        if (begins != wants_operand) {
            return false;
        }
        depth += (word[t] == 3) - (word[t] == 4);
        if (depth < 0) {
            return false;
        }
        wants_operand = word[t] != 0 && word[t] != 4;
    }
    return depth == 0 && !wants_operand;
}

static void test_cyk_on_arithmetic(void **state) {
    (void)state;
    size_t words = 1;
    for (size_t n = 1; n <= 6; n++) {
        words *= 5;
        for (size_t code = 0; code < words; code++) {
            int64_t word[6];
            for (size_t t = 0, rest = code; t < n; t++, rest /= 5) {
                word[t] = (int64_t)(rest % 5);
            }
            pdp_textbook_solve_cyk(&arithmetic, word, n, sets);
            CHECK((sets[n] & 1) == is_arithmetic(word, n), "word %zu of length %zu", code, n);
        }
    }
}

/* ---- S-DP ------------------------------------------------------------------------------------ */

__extension__ typedef __int128 wide;

typedef struct sdp_case {
    pdp_sdp sdp;
    const int64_t *weights;
    const int64_t *x;
} sdp_case;

static wide modulo(wide value, int64_t modulus) {
    return (value % modulus + modulus) % modulus;
}

static wide apply_operator(const sdp_case *c, wide a, wide b) {
    wide result = 0;
    switch (c->sdp.op) {
    case PDP_MIN: return a <= b ? a : b;
    case PDP_MAX: return a >= b ? a : b;
    case PDP_ADD: result = a + b; break;
    case PDP_MUL: result = a * b; break;
    case PDP_AND: return a & b;
    case PDP_OR: return a | b;
    case PDP_XOR: return a ^ b;
    case PDP_GCD:
        for (wide d = 1; d <= 1000; d++) {
            result = a % d == 0 && b % d == 0 && (a != 0 || b != 0) ? d : result;
        }
        return result;
    }
    switch (c->sdp.overflow) {
    case PDP_OVERFLOW_MOD: return modulo(result, c->sdp.modulus);
    case PDP_OVERFLOW_WRAP: return (int64_t)(uint64_t)result;
    default: return result;
    }
}

/* The definition, unrolled down to the presets, without a table. */
static wide unroll(const sdp_case *c, size_t i) {
    const bool reduces = c->sdp.overflow == PDP_OVERFLOW_MOD;
    if (i < (size_t)c->sdp.offsets[0]) {
        return reduces ? modulo(c->sdp.presets[i], c->sdp.modulus) : c->sdp.presets[i];
    }
    wide value = 0;
    for (size_t j = 0; j < c->sdp.offset_count; j++) {
        wide operand = unroll(c, i - (size_t)c->sdp.offsets[j]);
        if (c->weights) {
            operand = c->sdp.op == PDP_ADD ? operand * c->weights[j] : operand + c->weights[j];
        }
        value = j == 0 ? operand : apply_operator(c, value, operand);
    }
    value = c->x ? apply_operator(c, c->x[i], value) : value;
    return reduces ? modulo(value, c->sdp.modulus) : value;
}

static void test_sdp_by_unrolling(void **state) {
    (void)state;
    uint64_t random = test_seed();
    for (size_t round = 0; round < campaign(4000, 40000); round++) {
        int64_t offsets[] = {0, pdp_random_between(&random, 2, 3), 1};
        int64_t presets[5];
        int64_t weights[3];
        int64_t x[12];
        int64_t cells[12];
        offsets[0] = offsets[1] + pdp_random_between(&random, 1, 2);
        for (size_t t = 0; t < 12; t++) {
            x[t] = pdp_random_between(&random, -2, 2);
            presets[t % 5] = pdp_random_between(&random, -3, 3);
            weights[t % 3] = pdp_random_between(&random, -3, 3);
        }
        const pdp_operator op = (pdp_operator)(round % 8);
        const bool has_policy = op == PDP_ADD || op == PDP_MUL;
        const bool has_weights = op == PDP_MIN || op == PDP_MAX || op == PDP_ADD;
        const sdp_case c = {
            .sdp = {.n = (size_t)offsets[0] + (op == PDP_MUL ? 4 : 7),
                    .offsets = offsets,
                    .offset_count = (size_t)pdp_random_between(&random, 1, 3),
                    .presets = presets,
                    .preset_count = (size_t)offsets[0],
                    .op = op,
                    .overflow = has_policy ? (pdp_overflow)pdp_random_between(&random, 0, 2) : PDP_OVERFLOW_ERROR,
                    .modulus = pdp_random_between(&random, 2, 99)},
            .weights = has_weights && pdp_random_between(&random, 0, 1) == 1 ? weights : NULL,
            .x = pdp_random_between(&random, 0, 1) == 1 ? x : NULL,
        };
        assert_true(pdp_textbook_solve_sdp(&c.sdp, c.weights, c.x, cells) == PDP_TEXTBOOK_FITS);
        for (size_t i = 0; i < c.sdp.n; i++) {
            CHECK(cells[i] == unroll(&c, i), "op %s, policy %d, cell %zu: %" PRId64, pdp_operator_name(op),
                  (int)c.sdp.overflow, i, cells[i]);
        }
    }
}

static pdp_sdp fibonacci(pdp_operator op, const int64_t *presets, pdp_overflow overflow, size_t n) {
    static const int64_t offsets[] = {2, 1};
    return (pdp_sdp){.n = n,
                     .offsets = offsets,
                     .offset_count = 2,
                     .presets = presets,
                     .preset_count = 2,
                     .op = op,
                     .overflow = overflow,
                     .modulus = INT64_MAX};
}

/* The paper's example, up to the largest Fibonacci number of int64, and past it by each policy. */
static void test_sdp_fibonacci(void **state) {
    (void)state;
    const int64_t ones[] = {1, 1};
    int64_t f[93];
    pdp_sdp sdp = fibonacci(PDP_ADD, ones, PDP_OVERFLOW_ERROR, 93);
    assert_true(pdp_textbook_solve_sdp(&sdp, NULL, NULL, f) == 92);
    assert_true(f[91] == INT64_C(7540113804746346429));
    const uint64_t next = UINT64_C(12200160415121876738);
    sdp.overflow = PDP_OVERFLOW_WRAP;
    assert_true(pdp_textbook_solve_sdp(&sdp, NULL, NULL, f) == PDP_TEXTBOOK_FITS);
    assert_true(f[92] == (int64_t)next);
    sdp.overflow = PDP_OVERFLOW_MOD;
    assert_true(pdp_textbook_solve_sdp(&sdp, NULL, NULL, f) == PDP_TEXTBOOK_FITS);
    assert_true(f[92] == (int64_t)(next - INT64_MAX));
}

/* The edges of int64: sums of products that leave 128 bits and come back, products that return by a
 * factor 0, the one gcd that does not fit, and both sides of each end of the range. */
static void test_sdp_edges(void **state) {
    (void)state;
    int64_t cells[8];
    const int64_t offsets[] = {7, 6, 5, 4, 3, 2, 1};
    const int64_t least[] = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    int64_t weights[] = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX, INT64_MAX, 3};
    pdp_sdp sdp = {.n = 8, .offsets = offsets, .offset_count = 7, .presets = least, .preset_count = 7, .op = PDP_ADD};
    assert_true(pdp_textbook_solve_sdp(&sdp, weights, NULL, cells) == PDP_TEXTBOOK_FITS);
    assert_true(cells[7] == 0); /* 3*2^126 - 3*(2^126 - 2^63) - 3*2^63 */
    weights[6] = 4;
    assert_true(pdp_textbook_solve_sdp(&sdp, weights, NULL, cells) == PDP_TEXTBOOK_FITS);
    assert_true(cells[7] == INT64_MIN);
    weights[6] = 2;
    assert_true(pdp_textbook_solve_sdp(&sdp, weights, NULL, cells) == 7); /* 2^63 */
    const int64_t x[] = {0, 0, 0, 0, 0, 0, 0, -1};
    assert_true(pdp_textbook_solve_sdp(&sdp, weights, x, cells) == PDP_TEXTBOOK_FITS);
    assert_true(cells[7] == INT64_MAX);
    weights[6] = INT64_MIN;
    assert_true(pdp_textbook_solve_sdp(&sdp, weights, NULL, cells) == 7);

    const int64_t zero_last[] = {INT64_MIN, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MIN, -1, 0};
    const int64_t no_zero[] = {INT64_MIN, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MIN, -1, 1};
    sdp.op = PDP_MUL;
    sdp.presets = zero_last;
    assert_true(pdp_textbook_solve_sdp(&sdp, NULL, NULL, cells) == PDP_TEXTBOOK_FITS);
    assert_true(cells[7] == 0);
    sdp.presets = no_zero;
    assert_true(pdp_textbook_solve_sdp(&sdp, NULL, NULL, cells) == 7);
    const int64_t edge[] = {INT64_MIN, -1};
    const int64_t half[] = {INT64_C(1) << 62, -2};
    sdp = fibonacci(PDP_MUL, edge, PDP_OVERFLOW_ERROR, 3);
    assert_true(pdp_textbook_solve_sdp(&sdp, NULL, NULL, cells) == 2);
    sdp.presets = half;
    assert_true(pdp_textbook_solve_sdp(&sdp, NULL, NULL, cells) == PDP_TEXTBOOK_FITS);
    assert_true(cells[2] == INT64_MIN);

    sdp = fibonacci(PDP_GCD, least, PDP_OVERFLOW_ERROR, 3);
    assert_true(pdp_textbook_solve_sdp(&sdp, NULL, NULL, cells) == 2);
    const int64_t up[] = {1, 0};
    const int64_t most[] = {INT64_MAX, INT64_MAX - 1};
    sdp = fibonacci(PDP_MIN, most, PDP_OVERFLOW_ERROR, 3);
    assert_true(pdp_textbook_solve_sdp(&sdp, up, NULL, cells) == PDP_TEXTBOOK_FITS); /* the loser does not fit */
    sdp.op = PDP_MAX;
    assert_true(pdp_textbook_solve_sdp(&sdp, up, NULL, cells) == 2);
}

/* ---- Sequences of parts ---------------------------------------------------------------------- */

enum { MOST_TOTAL = 10 };

/* What all the sequences of parts with a sum of i have in common. */
typedef struct tally {
    int64_t count[MOST_TOTAL + 1];
    int64_t shortest[MOST_TOTAL + 1];
    int64_t best[MOST_TOTAL + 1];  /* the largest sum of values */
    double weight[MOST_TOTAL + 1]; /* the sum of the products of weights */
} tally;

typedef struct part_list {
    const int64_t *parts;
    const int64_t *values;
    const double *weights;
    size_t count;
} part_list;

static void extend(const part_list *list, size_t total, int64_t length, int64_t value, double weight, tally *all) {
    all->shortest[total] = all->count[total] == 0 || length < all->shortest[total] ? length : all->shortest[total];
    all->best[total] = all->count[total] == 0 || value > all->best[total] ? value : all->best[total];
    all->weight[total] += weight;
    all->count[total]++;
    for (size_t j = 0; j < list->count; j++) {
        if (total + (size_t)list->parts[j] <= MOST_TOTAL) {
            extend(list, total + (size_t)list->parts[j], length + 1, value + list->values[j], weight * list->weights[j],
                   all);
        }
    }
}

/* Sequences of the parts, and of the pieces 1, 2, ... with the same values and weights. */
static void tally_sequences(const part_list *list, tally *of_parts, tally *of_pieces) {
    const int64_t pieces[] = {1, 2, 3};
    *of_parts = (tally){.count = {0}};
    *of_pieces = (tally){.count = {0}};
    extend(list, 0, 0, 0, 1, of_parts);
    extend(&(part_list){pieces, list->values, list->weights, list->count}, 0, 0, 0, 1, of_pieces);
}

/* Coins, knapsack, rod and compositions: four questions about the same sequences. */
static void check_best_sequences(const part_list *list, const tally *of_parts, const tally *of_pieces) {
    int64_t coins[MOST_TOTAL + 1];
    int64_t knapsack[MOST_TOTAL + 1];
    int64_t rod[MOST_TOTAL + 1];
    const size_t k = list->count;
    pdp_textbook_solve_coins(list->parts, k, MOST_TOTAL, coins);
    assert_true(pdp_textbook_solve_knapsack(list->parts, list->values, k, MOST_TOTAL, knapsack) == PDP_TEXTBOOK_FITS);
    assert_true(pdp_textbook_solve_rod(list->values, k, MOST_TOTAL, rod) == PDP_TEXTBOOK_FITS);
    int64_t best = 0; /* with room left over */
    for (size_t i = 0; i <= MOST_TOTAL; i++) {
        const bool is_feasible = of_parts->count[i] > 0;
        best = is_feasible && of_parts->best[i] > best ? of_parts->best[i] : best;
        CHECK(coins[i] == (is_feasible ? of_parts->shortest[i] : INT64_MAX), "coins %zu", i);
        CHECK(knapsack[i] == best, "knapsack %zu", i);
        CHECK(rod[i] == of_pieces->best[i], "rod %zu", i);
    }
    for (int64_t modulus = 0; modulus < 6; modulus++) {
        int64_t counts[MOST_TOTAL + 1];
        assert_true(pdp_textbook_solve_compositions(list->parts, k, MOST_TOTAL, modulus, counts) == PDP_TEXTBOOK_FITS);
        for (size_t i = 0; i <= MOST_TOTAL; i++) {
            int64_t expected = modulus > 0 ? of_parts->count[i] % modulus : of_parts->count[i];
            CHECK(counts[i] == expected, "compositions %zu, modulus %" PRId64, i, modulus);
        }
    }
}

/* Renewal and impulse response: the sums of the products of weights. */
static void check_weighted_sequences(const part_list *list, const tally *of_parts, const tally *of_pieces) {
    const double impulse[MOST_TOTAL + 1] = {1};
    double u[MOST_TOTAL + 1];
    double y[MOST_TOTAL + 1];
    pdp_textbook_solve_renewal(list->weights, list->count, MOST_TOTAL + 1, u);
    pdp_textbook_solve_filter(impulse, MOST_TOTAL + 1, list->parts, list->weights, list->count, y);
    for (size_t i = 0; i <= MOST_TOTAL; i++) {
        CHECK(fabs(u[i] - of_pieces->weight[i]) < 1e-9, "renewal %zu", i);
        CHECK(fabs(y[i] - of_parts->weight[i]) < 1e-9, "impulse response %zu", i);
    }
}

static void test_sequences_by_enumeration(void **state) {
    (void)state;
    uint64_t random = test_seed();
    for (size_t round = 0; round < campaign(100, 1000); round++) {
        int64_t parts[3];
        int64_t values[3];
        double weights[3];
        for (size_t j = 0; j < 3; j++) {
            parts[j] = pdp_random_between(&random, 1, MOST_TOTAL + 2);
            values[j] = pdp_random_between(&random, -3, 9);
            weights[j] = (double)pdp_random_between(&random, -8, 8) / 8;
        }
        const part_list list = {parts, values, weights, 1 + round % 3};
        tally of_parts;
        tally of_pieces;
        tally_sequences(&list, &of_parts, &of_pieces);
        check_best_sequences(&list, &of_parts, &of_pieces);
        check_weighted_sequences(&list, &of_parts, &of_pieces);
    }
}

/* Euro cents; the amounts where taking the largest coin first goes wrong; 23 is the largest that 5 and 7
 * do not make. */
static void test_coins(void **state) {
    (void)state;
    int64_t cells[400];
    const int64_t euro[] = {1, 2, 5, 10, 20, 50, 100, 200};
    pdp_textbook_solve_coins(euro, 8, 399, cells);
    assert_int_equal(cells[388], 8);
    assert_int_equal(cells[99], 6); /* 50+20+20+5+2+2 */
    const int64_t odd[] = {4, 1, 3};
    pdp_textbook_solve_coins(odd, 3, 6, cells);
    assert_int_equal(cells[6], 2);
    const int64_t sparse[] = {7, 5};
    pdp_textbook_solve_coins(sparse, 2, 399, cells);
    assert_true(cells[23] == INT64_MAX);
    for (size_t i = 24; i < 400; i++) {
        assert_true(cells[i] != INT64_MAX);
    }
}

/* CLRS, section 15.1: the price list and the best revenues. */
static void test_rod_of_clrs(void **state) {
    (void)state;
    const int64_t prices[] = {1, 5, 8, 9, 10, 17, 17, 20, 24, 30};
    const int64_t revenue[] = {0, 1, 5, 8, 10, 13, 17, 18, 22, 25, 30};
    int64_t cells[11];
    assert_true(pdp_textbook_solve_rod(prices, 10, 10, cells) == PDP_TEXTBOOK_FITS);
    assert_memory_equal(cells, revenue, sizeof revenue);
    const int64_t huge[] = {0, INT64_MAX / 2, 0};
    assert_true(pdp_textbook_solve_rod(huge, 3, 6, cells) == 6);
    assert_true(cells[5] == INT64_MAX - 1);
}

static void test_knapsack(void **state) {
    (void)state;
    int64_t cells[101];
    const int64_t sizes[] = {1, 3, 4, 5};
    const int64_t values[] = {10, 40, 50, 70};
    assert_true(pdp_textbook_solve_knapsack(sizes, values, 4, 8, cells) == PDP_TEXTBOOK_FITS);
    assert_int_equal(cells[8], 110);
    const int64_t large[] = {5, 10, 15};
    const int64_t worth[] = {10, 30, 20};
    assert_true(pdp_textbook_solve_knapsack(large, worth, 3, 100, cells) == PDP_TEXTBOOK_FITS);
    assert_int_equal(cells[100], 300);
    assert_int_equal(cells[4], 0);
    assert_int_equal(cells[19], 40);
    const int64_t huge[] = {INT64_MAX / 3};
    const int64_t two[] = {2};
    assert_true(pdp_textbook_solve_knapsack(two, huge, 1, 100, cells) == 8);
    assert_true(cells[7] == INT64_MAX / 3 * 3);
}

/* Fibonacci and tribonacci numbers, powers of two, and where they leave int64. */
static void test_compositions(void **state) {
    (void)state;
    int64_t cells[100];
    const int64_t parts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const int64_t tribonacci[] = {1, 1, 2, 4, 7, 13, 24, 44, 81, 149};
    assert_true(pdp_textbook_solve_compositions(parts, 3, 9, 0, cells) == PDP_TEXTBOOK_FITS);
    assert_memory_equal(cells, tribonacci, sizeof tribonacci);
    assert_true(pdp_textbook_solve_compositions(parts, 10, 10, 0, cells) == PDP_TEXTBOOK_FITS);
    assert_int_equal(cells[10], 512);
    assert_true(pdp_textbook_solve_compositions(parts, 2, 99, 0, cells) == 92);
    assert_true(cells[91] == INT64_C(7540113804746346429));
    assert_true(pdp_textbook_solve_compositions(parts, 2, 99, 1000000007, cells) == PDP_TEXTBOOK_FITS);
    assert_int_equal(cells[91], INT64_C(7540113804746346429) % 1000000007);
    assert_int_equal(cells[99], 687995182); /* the hundredth Fibonacci number */
}

/* ---- Signals --------------------------------------------------------------------------------- */

/* Poles r and s give the impulse response (r^(i+1) - s^(i+1)) / (r - s), whatever the order of the offsets and
 * with a weight split over two of them. */
static void test_filter_impulse_response(void **state) {
    (void)state;
    const double r = 0.9;
    const double s = -0.5;
    const int64_t offsets[] = {2, 1, 2};
    const double weights[] = {-r * s - 0.25, r + s, 0.25};
    const double x[40] = {1};
    double y[40];
    pdp_textbook_solve_filter(x, 40, offsets, weights, 3, y);
    for (size_t i = 0; i < 40; i++) {
        double power = (double)i + 1;
        double expected = (pow(r, power) - pow(s, power)) / (r - s);
        CHECK(fabs(y[i] - expected) < 1e-14, "y[%zu] = %.17g", i, y[i]);
    }
}

/* A second-order low-pass settles on the constant it is fed; an echo comes back at half the height. */
static void test_filter_step_and_echo(void **state) {
    (void)state;
    const int64_t offsets[] = {1, 2};
    const double weights[] = {1.5610180758007182, -0.6413515380575631};
    double x[200];
    double y[200];
    for (size_t i = 0; i < 200; i++) {
        x[i] = 1 - weights[0] - weights[1];
    }
    pdp_textbook_solve_filter(x, 200, offsets, weights, 2, y);
    assert_near(y[199], 1, 1e-9);
    const int64_t delay = 50;
    const double half = 0.5;
    memset(x, 0, sizeof x);
    x[3] = 8;
    pdp_textbook_solve_filter(x, 200, &delay, &half, 1, y);
    for (size_t i = 0; i < 200; i++) {
        assert_true(y[i] == (i % 50 == 3 ? ldexp(8, -(int)(i / 50)) : 0));
    }
}

static bool has_period(const uint64_t *s, size_t n, size_t period) {
    return memcmp(s, s + period, (n - period) * sizeof *s) == 0;
}

/* x^16 + x^5 + x^3 + x^2 + 1 is primitive: the period is 2^16 - 1 = 3*5*17*257 and no divisor of it, and a
 * period has 2^15 ones. A tap listed three times counts once. */
static void test_lfsr_period(void **state) {
    (void)state;
    enum { PERIOD = 65535 };
    static uint64_t s[2 * PERIOD];
    const int64_t taps[] = {16, 14, 13, 11, 14, 14};
    const size_t factors[] = {3, 5, 17, 257};
    const uint64_t presets[16] = {1};
    for (size_t count = 4; count <= 6; count += 2) {
        memset(s, 0x5a, sizeof s);
        pdp_textbook_solve_lfsr(taps, count, presets, 16, 2 * (size_t)PERIOD, s);
        assert_true(has_period(s, 2 * (size_t)PERIOD, PERIOD));
        uint64_t ones = 0;
        for (size_t i = 0; i < PERIOD; i++) {
            ones += s[i];
        }
        assert_int_equal(ones, 1 << 15);
        for (size_t f = 0; f < 4; f++) {
            assert_false(has_period(s, 2 * (size_t)PERIOD, PERIOD / factors[f]));
        }
    }
}

/* The 64 bits of the words are registers of their own, here of x^7 + x + 1 with period 127. */
static void test_lfsr_words(void **state) {
    (void)state;
    const int64_t taps[] = {6, 7};
    uint64_t random = test_seed();
    uint64_t presets[7];
    uint64_t words[300];
    for (size_t i = 0; i < 7; i++) {
        presets[i] = pdp_random_next(&random);
    }
    pdp_textbook_solve_lfsr(taps, 2, presets, 7, 300, words);
    assert_true(has_period(words, 300, 127));
    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned shift_register = 0; /* bit t: the output t+1 steps ago */
        for (size_t i = 0; i < 300; i++) {
            unsigned out = (shift_register >> 6 ^ shift_register >> 5) & 1;
            out = i < 7 ? (unsigned)(presets[i] >> bit & 1) : out;
            CHECK((words[i] >> bit & 1) == out, "bit %u of word %zu", bit, i);
            shift_register = shift_register << 1 | out;
        }
    }
}

/* Geometric intervals have no memory; fixed ones come on time; a die's tend to one in the mean interval. */
static void test_renewal(void **state) {
    (void)state;
    double f[200];
    double u[200];
    for (size_t t = 1; t <= 200; t++) {
        f[t - 1] = 0.3 * pow(0.7, (double)t - 1);
    }
    pdp_textbook_solve_renewal(f, 200, 200, u);
    assert_true(u[0] == 1);
    for (size_t i = 1; i < 200; i++) {
        CHECK(fabs(u[i] - 0.3) < 1e-13, "u[%zu] = %.17g", i, u[i]);
    }
    const double third[] = {0, 0, 1};
    pdp_textbook_solve_renewal(third, 3, 200, u);
    for (size_t i = 0; i < 200; i++) {
        assert_true(u[i] == (i % 3 == 0 ? 1 : 0));
    }
    const double die[] = {1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0};
    pdp_textbook_solve_renewal(die, 6, 200, u);
    assert_near(u[2], 7 / 36.0, 1e-15);
    assert_near(u[199], 2 / 7.0, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mcm_of_clrs),
        cmocka_unit_test(test_mcm_by_enumeration),
        cmocka_unit_test(test_mcm_overflow),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_triangulation_of_regular_polygons),
        cmocka_unit_test(test_triangulation_by_enumeration),
        cmocka_unit_test(test_obst_of_clrs),
        cmocka_unit_test(test_obst_by_enumeration),
        cmocka_unit_test(test_obst_overflow),
        cmocka_unit_test(test_nussinov_by_enumeration),
        cmocka_unit_test(test_nussinov_of_durbin),
        cmocka_unit_test(test_cyk_of_hopcroft),
        cmocka_unit_test(test_cyk_by_enumeration),
        cmocka_unit_test(test_cyk_on_arithmetic),
        cmocka_unit_test(test_sdp_by_unrolling),
        cmocka_unit_test(test_sdp_fibonacci),
        cmocka_unit_test(test_sdp_edges),
        cmocka_unit_test(test_sequences_by_enumeration),
        cmocka_unit_test(test_coins),
        cmocka_unit_test(test_rod_of_clrs),
        cmocka_unit_test(test_knapsack),
        cmocka_unit_test(test_compositions),
        cmocka_unit_test(test_filter_impulse_response),
        cmocka_unit_test(test_filter_step_and_echo),
        cmocka_unit_test(test_lfsr_period),
        cmocka_unit_test(test_lfsr_words),
        cmocka_unit_test(test_renewal),
    };
    return cmocka_run_group_tests_name("textbook", tests, NULL, NULL);
}
