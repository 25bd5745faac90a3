/* Sums with fixed weights, by power series and by Bostan and Mori's way to one cell, against the plain loop, bit for
 * bit: every kind of number, moduli of every kind, weights that are 0, negative or huge, shifts, sources, skipped
 * terms, offsets that repeat, sizes around the edges of blocks; overflows name the same cell. And the transforms
 * underneath, at every vector level, against the definition of a product. */
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/ring.h"
#include "plan/plan.h"
#include "solution/witness.h"

/* ---- Transforms ---- */

static uint32_t *draw_residues(size_t size, uint32_t modulus, uint64_t *random) {
    uint32_t *drawn = aligned_alloc(64, size * sizeof *drawn);
    assert_non_null(drawn);
    for (size_t x = 0; x < size; x++) {
        const uint64_t kind = pdp_random_next(random) % 8; /* the ends of the range more often */
        drawn[x] = kind == 0 ? modulus - 1 : kind == 1 ? 0 : (uint32_t)(pdp_random_next(random) % modulus);
    }
    return drawn;
}

/* c[t] = the sum of a[i] * b[t - i], indices modulo the size: all of them, or, where there are many, some. */
static void check_product(const pdp_ntt_modulus *m, unsigned log_size, const pdp_ntt_kernel *kernel, uint64_t *random) {
    const size_t size = (size_t)1 << log_size;
    const bool half = log_size > PDP_NTT_LOG_LEAST && pdp_random_next(random) % 2 == 0;
    uint32_t *a = draw_residues(size, m->modulus, random), *b = draw_residues(size, m->modulus, random);
    uint32_t *spectra[2] = {draw_residues(size, m->modulus, random), draw_residues(size, m->modulus, random)};
    uint32_t *product = draw_residues(size, m->modulus, random);
    memcpy(spectra[0], a, (half ? size / 2 : size) * sizeof *a); /* the rest is rubbish that must not matter */
    memcpy(spectra[1], b, size * sizeof *b);
    kernel->forward(m, spectra[0], log_size, half);
    kernel->forward(m, spectra[1], log_size, 0);
    const uint32_t *left[] = {spectra[0]}, *right[] = {spectra[1]};
    kernel->multiply(m, product, left, right, 1, size, 0);
    kernel->inverse(m, product, log_size, half);
    const uint32_t over = pdp_ntt_invert((uint32_t)(size % m->modulus), m->modulus);
    const uint64_t scale = (((uint64_t)1 << 32) % m->modulus) * over % m->modulus;
    for (size_t t = half ? size / 2 : 0; t<size; t += size> 512 ? size / 61 : 1) {
        uint64_t sum = 0;
        for (size_t i = 0; i < (half ? size / 2 : size); i++) {
            sum = (sum + (uint64_t)a[i] * b[(t - i) & (size - 1)]) % m->modulus;
        }
        CHECK(product[t] * scale % m->modulus == sum, "modulus %" PRIu32 ", size %zu, half %d, place %zu", m->modulus,
              size, half, t);
    }
    free(a);
    free(b);
    free(spectra[0]);
    free(spectra[1]);
    free(product);
}

/* Sums of up to 40 products, and a multiple that is added. */
static void check_sums(const pdp_ntt_modulus *m, const pdp_ntt_kernel *kernel, uint64_t *random) {
    enum { MOST = 40, SIZE = 2 * PDP_NTT_LEAST };
    const uint32_t *a[MOST], *b[MOST];
    const size_t count = pdp_random_next(random) % (MOST + 1);
    uint32_t *out = draw_residues(SIZE, m->modulus, random), *start = draw_residues(SIZE, m->modulus, random);
    const int adds = (int)(pdp_random_next(random) % 2);
    const uint64_t over = pdp_ntt_invert((uint32_t)(((uint64_t)1 << 32) % m->modulus), m->modulus);
    for (size_t c = 0; c < count; c++) {
        a[c] = draw_residues(SIZE, m->modulus, random);
        b[c] = draw_residues(SIZE, m->modulus, random);
    }
    memcpy(out, start, SIZE * sizeof *out);
    kernel->multiply(m, out, a, b, count, SIZE, adds);
    for (size_t x = 0; x < SIZE; x++) {
        uint64_t sum = adds ? start[x] : 0;
        for (size_t c = 0; c < count; c++) {
            sum = (sum + (uint64_t)a[c][x] * b[c][x] % m->modulus * over) % m->modulus;
        }
        CHECK(out[x] == sum, "modulus %" PRIu32 ", %zu products, place %zu", m->modulus, count, x);
    }
    const uint32_t factor = start[1];
    memcpy(out, start, SIZE * sizeof *out);
    kernel->add_multiple(m, out + 5, start + 3, factor, PDP_NTT_LEAST); /* at any address */
    for (size_t x = 5; x < 5 + PDP_NTT_LEAST; x++) {
        const uint64_t sum = (start[x] + (uint64_t)start[x - 2] * factor % m->modulus * over) % m->modulus;
        CHECK(out[x] == sum, "modulus %" PRIu32 ", a multiple, place %zu", m->modulus, x);
    }
    for (size_t c = 0; c < count; c++) {
        free((void *)a[c]);
        free((void *)b[c]);
    }
    free(out);
    free(start);
}

static pdp_level own_level(void) {
    pdp_level level;
    pdp_error error = {0};
    assert_int_equal(pdp_level_find(&level, &error), PDP_OK);
    return level;
}

static void test_transforms(void **state) {
    (void)state;
    static const uint32_t moduli[] = {998244353, 2130706433, 2013265921, 167772161, 12289, 163841};
    uint64_t random = test_seed();
    for (const pdp_ntt_level *x = pdp_ntt_kernels; x->kernel; x++) {
        for (size_t p = 0; p < sizeof moduli / sizeof *moduli && x->level <= own_level(); p++) {
            for (unsigned log_size = PDP_NTT_LOG_LEAST; log_size <= campaign(14, 18); log_size++) {
                pdp_ntt_modulus m;
                pdp_error error = {0};
                if (!pdp_ntt_is_possible(moduli[p], log_size)) {
                    assert_true(moduli[p] < 1000000);
                    continue;
                }
                assert_int_equal(pdp_ntt_modulus_create(&m, moduli[p], log_size, &error), PDP_OK);
                for (int round = 0; round < (log_size < 10 ? 8 : 1); round++) {
                    check_product(&m, log_size, x->kernel, &random);
                    check_sums(&m, x->kernel, &random);
                }
                pdp_ntt_modulus_free(&m);
            }
        }
    }
}

/* Sums that are exactly as large as a ring is made for come back, in every arithmetic. */
static void test_ring(void **state) {
    (void)state;
    uint64_t random = test_seed();
    for (int round = 0; round < 20000; round++) {
        const pdp_ring_kind kind = (pdp_ring_kind)(round % 3);
        const unsigned bits = (unsigned)pdp_random_between(&random, 1, kind == PDP_RING_EXACT ? 120 : 126);
        const int64_t modulus = (int64_t)(2 + pdp_random_next(&random) / 3) >> pdp_random_between(&random, 0, 60);
        pdp_ring ring;
        pdp_error error = {0};
        assert_int_equal(pdp_ring_create(&ring, kind, modulus < 2 ? 2 : modulus, bits, 5, own_level(), &error), PDP_OK);
        pdp_wide value = ((pdp_wide)(pdp_random_next(&random) >> 1) << 64 | pdp_random_next(&random)) >> (127 - bits);
        value = round % 7 == 0 ? ((pdp_wide)1 << (bits - 1)) - 1 + ((pdp_wide)1 << (bits - 1)) : value;
        value = round % 2 == 0 ? -value : value;
        uint32_t residues[PDP_RING_MOST];
        for (unsigned x = 0; x < ring.count; x++) {
            const pdp_wide rest = value % ring.moduli[x].modulus;
            residues[x] = (uint32_t)(rest < 0 ? rest + ring.moduli[x].modulus : rest);
        }
        const pdp_wide reduced = value % ring.modulus;
        const pdp_wide expected = kind == PDP_RING_EXACT  ? value
                                  : kind == PDP_RING_WRAP ? (pdp_wide)(int64_t)(uint64_t)value
                                  : reduced < 0           ? reduced + ring.modulus
                                                          : reduced;
        CHECK(pdp_ring_join(&ring, residues) == expected, "kind %d, %u bits, modulus %" PRId64 ", %u primes", kind,
              bits, ring.modulus, ring.count);
        pdp_ring_free(&ring);
    }
}

/* ---- Problems ---- */

enum { MOST_OFFSETS = 48, MOST_CELLS = 70000 };

typedef struct instance {
    char text[1024];
    size_t n;
    size_t k;
    size_t m;
    int64_t modulus; /* 0: none */
    int64_t offsets[MOST_OFFSETS];
    int64_t weights[MOST_OFFSETS];
    int64_t shifts[MOST_OFFSETS];
    int64_t presets[MOST_CELLS];
    int64_t sources[MOST_CELLS];
} instance;

static int64_t pick(uint64_t *random, const int64_t *from, size_t count) {
    return from[pdp_random_next(random) % count];
}

/* Near 0, near the ends of int64, or anywhere. */
static int64_t draw_number(uint64_t *random, int wildness) {
    switch (wildness == 0 ? 0 : pdp_random_next(random) % 6) {
    case 1: return INT64_MAX - pdp_random_between(random, 0, 3);
    case 2: return INT64_MIN + pdp_random_between(random, 0, 3);
    case 3: return (int64_t)pdp_random_next(random);
    default: return pdp_random_between(random, -3, 3);
    }
}

static void write_text(instance *p, uint64_t *random, bool skips) {
    static const char *const types[] = {"",
                                        "",
                                        "  type i64\n",
                                        "  type i32\n",
                                        "  type bits\n",
                                        "  type mod P\n  param P >= 2\n",
                                        "  type mod P\n  param P >= 2\n"};
    static const char *const terms[] = {
        "s",        "s",  "w[j]*s",       "s*w[j]",          "w[j]*s + v[j]",
        "s - v[j]", "-s", "2*s - w[j]*s", "(s + v[j])*w[j]", "(j < 2 ? s : 3*s - v[j])"};
    static const char *const sources[] = {"",
                                          "",
                                          "",
                                          "  source x[i]\n",
                                          "  source 3\n",
                                          "  source i*i - 5\n",
                                          "  source 0\n",
                                          "  source i == 0\n",
                                          "  source i < 7 ? 3 : 30 > i ? -2 : 1\n",
                                          "  source 5 - (i >= m + 2)\n"};
    static const char *const finishes[] = {
        "", "", "", "  finish best + x[i]\n", "  finish best - 7\n", "  finish 2 + (best - i)\n"};
    const char *type = types[pdp_random_next(random) % 7];
    snprintf(p->text, sizeof p->text,
             "linear t\n%s  param n >= 1\n  input a[k] >= 1\n  input w[k]\n  input v[k]\n  input init[m]\n"
             "  input x[n]\n  size n\n  preset m : init[i]\n%s  offset a[j]\n%s  term %s\n%s  combine add\n",
             type, skips ? "  missing skip\n" : "", sources[pdp_random_next(random) % 10],
             terms[pdp_random_next(random) % 10], finishes[pdp_random_next(random) % 6]);
    static const int64_t moduli[] = {2,
                                     3,
                                     4,
                                     6,
                                     12289,
                                     65537,
                                     164737,
                                     998244353,
                                     1000000007,
                                     2013265921,
                                     2147483647,
                                     2147483648,
                                     2147483659,
                                     4294967296,
                                     INT64_C(2305843009213693951),
                                     INT64_C(1) << 62,
                                     INT64_MAX,
                                     INT64_MAX - 1};
    p->modulus = strstr(type, "mod") ? pick(random, moduli, sizeof moduli / sizeof *moduli) : 0;
}

static void draw(instance *p, uint64_t *random, size_t n, size_t longest) {
    const bool skips = pdp_random_next(random) % 2 == 0;
    const int wild_weights = pdp_random_next(random) % 4 == 0, wild_numbers = pdp_random_next(random) % 3 == 0;
    p->n = n;
    p->k = (size_t)pdp_random_between(random, 1, pdp_random_next(random) % 3 == 0 ? MOST_OFFSETS : 4);
    write_text(p, random, skips);
    int64_t greatest = 0;
    for (size_t j = 0; j < p->k; j++) {
        p->offsets[j] = pdp_random_between(random, 1, (int64_t)longest);
        greatest = p->offsets[j] > greatest ? p->offsets[j] : greatest;
        p->weights[j] = draw_number(random, wild_weights);
        p->shifts[j] = draw_number(random, wild_weights);
    }
    p->m = (size_t)(skips ? pdp_random_between(random, 0, 3) : greatest);
    p->m += pdp_random_next(random) % 4 == 0 ? (size_t)pdp_random_between(random, 0, 80) : 0;
    for (size_t i = 0; i < p->m || i < n; i++) {
        p->presets[i] = draw_number(random, wild_numbers);
        p->sources[i] = draw_number(random, wild_numbers);
    }
}

static pdp_problem *make(const instance *p) {
    pdp_recurrence *recurrence;
    pdp_problem *problem;
    const int64_t n = (int64_t)p->n;
    CHECK(pdp_recurrence_parse(&recurrence, p->text, strlen(p->text)) == PDP_OK, "%s\n%s", p->text,
          pdp_recurrence_error(recurrence));
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    pdp_recurrence_free(recurrence);
    pdp_problem_set_whole(problem, "n", &n, 1, 0);
    pdp_problem_set_whole(problem, "a", p->offsets, p->k, 0);
    pdp_problem_set_whole(problem, "w", p->weights, p->k, 0);
    pdp_problem_set_whole(problem, "v", p->shifts, p->k, 0);
    pdp_problem_set_whole(problem, "init", p->presets, p->m, 0);
    pdp_problem_set_whole(problem, "x", p->sources, p->n, 0);
    if (p->modulus > 0) {
        pdp_problem_set_whole(problem, "P", &p->modulus, 1, 0);
    }
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s\n%s", p->text, pdp_problem_error(problem));
    return problem;
}

/* Solves, if the method takes the problem: NULL if not. */
static pdp_solution *try_method(const pdp_problem *problem, const char *algorithm, const char **refusal) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    static char text[400];
    pdp_plan *plan;
    pdp_solution *solution = NULL;
    options.algorithm = algorithm;
    const pdp_status status = pdp_plan_create(&plan, problem, &options);
    snprintf(text, sizeof text, "%s", pdp_plan_error(plan));
    *refusal = text;
    if (status == PDP_OK) {
        pdp_plan_run(plan, &solution);
        assert_non_null(solution);
    }
    pdp_plan_free(plan);
    return solution;
}

static void print_instance(const instance *p) {
    print_error("%s  n = %zu, P = %" PRId64 ", %zu presets\n", p->text, p->n, p->modulus, p->m);
    for (size_t j = 0; j < p->k; j++) {
        print_error("  a %" PRId64 " w %" PRId64 " v %" PRId64 "\n", p->offsets[j], p->weights[j], p->shifts[j]);
    }
    for (size_t i = 0; i < p->n && i < 12; i++) {
        print_error("  init %" PRId64 " x %" PRId64 "\n", p->presets[i], p->sources[i]);
    }
}

#define CHECK_INSTANCE(condition, ...)                                                                                 \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_instance(p);                                                                                         \
            CHECK(condition, __VA_ARGS__);                                                                             \
        }                                                                                                              \
    } while (0)

typedef struct counts {
    size_t solved[2];
    size_t overflows[2];
    size_t refused[2];
    size_t checked; /* once more, by powers of x */
    size_t watched; /* step by step */
} counts;

/* The same error, or the same value, and by series the same table. */
static void compare_solutions(const instance *p, const char *name, const pdp_solution *found,
                              const pdp_solution *expected) {
    CHECK_INSTANCE(strcmp(pdp_solution_error(found), pdp_solution_error(expected)) == 0, "%s: '%s' instead of '%s'",
                   name, pdp_solution_error(found), pdp_solution_error(expected));
    CHECK_INSTANCE(pdp_solution_value(found) == pdp_solution_value(expected), "%s: %" PRId64 " instead of %" PRId64,
                   name, pdp_solution_value(found), pdp_solution_value(expected));
    const int64_t *table = pdp_solution_table(expected, NULL, NULL);
    const int64_t *other = pdp_solution_table(found, NULL, NULL);
    CHECK_INSTANCE(!table || !other == (strcmp(name, "series") != 0), "%s: the table", name);
    for (size_t i = 0; table && other && i < p->n; i++) {
        CHECK_INSTANCE(table[i] == other[i], "%s: cell %zu is %" PRId64 " instead of %" PRId64, name, i, other[i],
                       table[i]);
    }
}

/* Powers of x find the value right, and another one wrong, whoever has found it. */
static void check_far(const instance *p, pdp_solution *found, counts *seen) {
    const pdp_witness witness = {found, found->problem->element};
    pdp_error error = {0};
    bool is_checked = false;
    CHECK_INSTANCE(pdp_witness_far(&witness, &is_checked, &error) == PDP_OK, "powers of x: %s", error.text);
    found->value.whole += 1;
    const pdp_status status = pdp_witness_far(&witness, &is_checked, &error);
    CHECK_INSTANCE(status == (is_checked ? PDP_WRONG : PDP_OK), "powers of x do not find a wrong value");
    seen->checked += is_checked;
}

/* The fractions on the way to a far cell. */
typedef struct trail {
    struct {
        int64_t *upper, *lower;
        size_t upper_count, lower_count;
    } steps[65];
    size_t count;
} trail;

static int64_t *copy_numbers(const int64_t *numbers, size_t count) {
    int64_t *copy = calloc(count, sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

static void add_step(void *context, const int64_t *upper, size_t upper_count, const int64_t *lower,
                     size_t lower_count) {
    trail *t = context;
    assert_true(t->count < 65);
    t->steps[t->count].upper = copy_numbers(upper, upper_count);
    t->steps[t->count].lower = copy_numbers(lower, lower_count);
    t->steps[t->count].upper_count = upper_count;
    t->steps[t->count++].lower_count = lower_count;
}

/* What the witness says of the trail, as far as `count` steps. */
static bool trail_holds(const pdp_problem *problem, const trail *t, size_t count, pdp_wide value) {
    pdp_witness_steps witness;
    pdp_error error = {0};
    assert_int_equal(pdp_witness_steps_create(&witness, problem, &error), PDP_OK);
    for (size_t x = 0; x < count; x++) {
        pdp_witness_steps_watch(&witness, t->steps[x].upper, t->steps[x].upper_count, t->steps[x].lower,
                                t->steps[x].lower_count);
    }
    const pdp_status status = pdp_witness_steps_close(&witness, value, &error);
    pdp_witness_steps_free(&witness);
    return status == PDP_OK;
}

/* One number of one fraction becomes another. The highest bit of the first one's may get lost. */
static bool finds_change(const instance *p, const pdp_problem *problem, trail *t, pdp_wide value, uint64_t *random) {
    const size_t x = (size_t)pdp_random_between(random, 0, (int64_t)t->count - 1);
    const bool is_upper = pdp_random_between(random, 0, 1) != 0;
    const size_t count = is_upper ? t->steps[x].upper_count : t->steps[x].lower_count;
    int64_t *number =
        (is_upper ? t->steps[x].upper : t->steps[x].lower) + pdp_random_between(random, 0, (int64_t)count - 1);
    const int64_t own = *number;
    *number = p->modulus > 0 ? (int64_t)(((pdp_wide)own + pdp_random_between(random, 1, p->modulus - 1)) % p->modulus)
                             : (int64_t)((uint64_t)own ^ UINT64_C(1) << pdp_random_between(random, 0, x > 0 ? 63 : 62));
    const bool is_found = !trail_holds(problem, t, t->count, value);
    *number = own;
    return is_found;
}

/* Right steps hold; wrong ones, too few of them and another value do not. */
static void check_steps(const instance *p, const pdp_problem *problem, counts *seen, uint64_t *random) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    static trail t;
    pdp_plan *plan;
    pdp_solution *solution;
    options.algorithm = "bostan-mori";
    options.verify = 1;
    assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
    const pdp_status status = pdp_plan_run(plan, &solution);
    CHECK_INSTANCE(status == PDP_OK, "checked: %s", pdp_solution_error(solution));
    CHECK_INSTANCE(pdp_solution_certificate(solution, NULL) != PDP_UNCHECKED, "unchecked");
    t.count = 0;
    assert_int_equal(pdp_plan_solve_far(plan, solution, add_step, &t, (pdp_progress){0}), PDP_OK);
    const pdp_wide value = solution->value.whole;
    if (t.count > 0) {
        CHECK_INSTANCE(trail_holds(problem, &t, t.count, value), "the steps do not hold");
        CHECK_INSTANCE(!trail_holds(problem, &t, t.count - 1, value), "one step less");
        CHECK_INSTANCE(!trail_holds(problem, &t, t.count, value + 1), "another value");
        const bool is_found = finds_change(p, problem, &t, value, random);
        CHECK_INSTANCE(is_found || (p->modulus > 0 && (p->modulus < 1 << 20 || p->modulus % 2 == 0)),
                       "a wrong number is not found");
        seen->watched++;
    }
    for (size_t x = 0; x < t.count; x++) {
        free(t.steps[x].upper);
        free(t.steps[x].lower);
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
}

static void compare(const instance *p, counts *seen, uint64_t *random) {
    pdp_problem *problem = make(p);
    const char *refusal;
    pdp_solution *expected = try_method(problem, "sequential", &refusal);
    assert_non_null(expected);
    for (int method = 0; method < 2; method++) {
        const char *name = method == 0 ? "series" : "bostan-mori";
        pdp_solution *found = try_method(problem, name, &refusal);
        if (!found) {
            seen->refused[method]++;
            const bool is_known = strstr(refusal, method == 0 ? "may leave 120 bits" : "are not proven to fit") != NULL;
            CHECK_INSTANCE(is_known && p->modulus == 0 && !strstr(p->text, "bits"), "%s: %s", name, refusal);
            continue;
        }
        compare_solutions(p, name, found, expected);
        const bool failed = *pdp_solution_error(expected) != '\0';
        *(failed ? &seen->overflows[method] : &seen->solved[method]) += 1;
        if (!failed) {
            check_far(p, found, seen);
        }
        if (!failed && method == 1) {
            check_steps(p, problem, seen, random);
        }
        pdp_solution_free(found);
    }
    pdp_solution_free(expected);
    pdp_problem_free(problem);
}

static void test_small(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 5, 16, 17, 63, 64, 65, 66, 127, 128, 129, 200, 255, 256, 257, 500};
    uint64_t random = test_seed();
    counts seen = {0};
    static instance p;
    for (size_t round = 0; round < campaign(6000, 100000); round++) {
        const size_t n = (size_t)pick(&random, sizes, sizeof sizes / sizeof *sizes);
        const int64_t spans[] = {1, 2, 7, 63, 64, 65, (int64_t)n, (int64_t)n + 5};
        draw(&p, &random, n, (size_t)pick(&random, spans, 8));
        compare(&p, &seen, &random);
    }
    print_message("series: %zu solved, %zu overflows, %zu refused; bostan-mori: %zu, %zu, %zu; checked: %zu, %zu\n",
                  seen.solved[0], seen.overflows[0], seen.refused[0], seen.solved[1], seen.overflows[1],
                  seen.refused[1], seen.checked, seen.watched);
    assert_true(seen.checked > seen.solved[1] / 2);
    assert_true(seen.solved[0] > 2000 && seen.overflows[0] > 300 && seen.solved[1] > 2000);
}

/* Blocks of two and three levels. */
static void test_levels(void **state) {
    (void)state;
    static const int64_t sizes[] = {2560, 3000, 4097, 6000}, long_sizes[] = {41000, 65536, 65537};
    uint64_t random = test_seed();
    counts seen = {0};
    static instance p;
    for (size_t round = 0; round < campaign(60, 1000); round++) {
        const bool is_long = round % 12 == 0;
        const size_t n = (size_t)(is_long ? pick(&random, long_sizes, 3) : pick(&random, sizes, 4));
        do {
            draw(&p, &random, n, is_long ? n - 1 : n);
        } while (is_long && p.k > 4);
        compare(&p, &seen, &random);
    }
    assert_true(seen.solved[0] > 10);
}

/* Blocks of all four levels, and more windows than a level has: against the engine, in the long tier. */
static void test_largest(void **state) {
    (void)state;
    const size_t lengths[] = {(size_t)1 << 21, (size_t)3 << 22};
    uint64_t random = test_seed();
    for (size_t x = 0; x < campaign(0, 2); x++) {
        const size_t n = lengths[x] + lengths[x] / 2;
        const int64_t offsets[] = {(int64_t)lengths[x], 700001, 1000, 3};
        int64_t *presets = malloc(lengths[x] * sizeof *presets);
        assert_non_null(presets);
        for (size_t i = 0; i < lengths[x]; i++) {
            presets[i] = (int64_t)pdp_random_next(&random);
        }
        const pdp_sdp sdp = {n, offsets, 4, presets, lengths[x], PDP_ADD, PDP_OVERFLOW_MOD, 998244353};
        pdp_problem *problem;
        assert_int_equal(pdp_problem_create_sdp(&problem, &sdp), PDP_OK);
        pdp_solution *expected = solve(problem, "blocks", NULL), *found = solve(problem, "series", NULL);
        const int64_t *table = pdp_solution_table(expected, NULL, NULL), *other = pdp_solution_table(found, NULL, NULL);
        for (size_t i = 0; i < n; i++) {
            CHECK(table[i] == other[i], "cell %zu of %zu is %" PRId64 " instead of %" PRId64, i, n, other[i], table[i]);
        }
        pdp_solution_free(expected);
        pdp_solution_free(found);
        pdp_problem_free(problem);
        free(presets);
    }
}

/* ---- One far cell ---- */

enum { MOST_ORDER = 24 };

/* a * b, or a + b, modulo the modulus, or modulo 2^64 if it is 0. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t modulus) {
    return modulus == 0 ? a * b : (uint64_t)((pdp_uwide)a * b % modulus);
}

static uint64_t add(uint64_t a, uint64_t b, uint64_t modulus) {
    return modulus == 0 ? a + b : (uint64_t)(((pdp_uwide)a + b) % modulus);
}

/* The product of two polynomials modulo x^order - the sum of weights[d] * x^(order-d). */
static void multiply_powers(uint64_t *a, const uint64_t *b, const uint64_t *weights, size_t order, uint64_t modulus) {
    uint64_t product[2 * MOST_ORDER] = {0};
    for (size_t x = 0; x < order; x++) {
        for (size_t y = 0; y < order; y++) {
            product[x + y] = add(product[x + y], multiply(a[x], b[y], modulus), modulus);
        }
    }
    for (size_t power = 2 * order; power-- > order;) {
        for (size_t d = 1; d <= order; d++) {
            product[power - d] = add(product[power - d], multiply(product[power], weights[d], modulus), modulus);
        }
    }
    memcpy(a, product, order * sizeof *a);
}

/* Cell N as a sum of the first `order` cells: the coefficients of x^N. */
static uint64_t far_cell(const uint64_t *weights, const uint64_t *cells, size_t order, uint64_t n, uint64_t modulus) {
    uint64_t power[MOST_ORDER + 1] = {0}, base[MOST_ORDER + 1] = {0}, sum = 0;
    const uint64_t one = modulus == 1 ? 0 : 1;
    power[0] = one;
    base[order > 1 ? 1 : 0] = order > 1 ? one : weights[1];
    for (; n > 0; n >>= 1) {
        if ((n & 1) != 0) {
            multiply_powers(power, base, weights, order, modulus);
        }
        uint64_t copy[MOST_ORDER + 1];
        memcpy(copy, base, sizeof copy);
        multiply_powers(base, copy, weights, order, modulus);
    }
    for (size_t x = 0; x < order; x++) {
        sum = add(sum, multiply(power[x], cells[x], modulus), modulus);
    }
    return sum;
}

static pdp_solution *solve_far(const pdp_problem *problem, int64_t at, const char **error) {
    static char text[400];
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan;
    pdp_solution *solution = NULL;
    options.algorithm = "bostan-mori";
    options.at = at;
    if (pdp_plan_create(&plan, problem, &options) == PDP_OK) {
        pdp_plan_run(plan, &solution);
    }
    snprintf(text, sizeof text, "%s%s", pdp_plan_error(plan), solution ? pdp_solution_error(solution) : "");
    *error = text;
    pdp_plan_free(plan);
    return solution;
}

static void test_fibonacci(void **state) {
    (void)state;
    static const struct {
        int64_t modulus;
        int64_t at;
        int64_t value;
    } known[] = {{1000000007, INT64_C(1000000000000000000), 209783453},
                 {1000000007, 100, 687995182},
                 {10, 60, 0}, /* the last digits repeat after 60 */
                 {10, 1000000000000 % 60 + 60 * INT64_C(10000000000), 5},
                 {2, INT64_C(3000000000000000000), 0},
                 {1000, INT64_C(1500000000000000001), 1},
                 {INT64_MAX, 90, 2880067194370816120}};
    for (size_t x = 0; x < sizeof known / sizeof *known; x++) {
        sdp_instance s = {.n = 2,
                          .k = 2,
                          .offsets = {2, 1},
                          .presets = {0, 1},
                          .op = PDP_ADD,
                          .overflow = PDP_OVERFLOW_MOD,
                          .modulus = known[x].modulus};
        pdp_problem *problem = make_sdp(&s);
        const char *error;
        pdp_solution *solution = solve_far(problem, known[x].at, &error);
        CHECK(pdp_solution_value(solution) == known[x].value, "cell %" PRId64 " is %" PRId64 " modulo %" PRId64 ", %s",
              known[x].at, pdp_solution_value(solution), known[x].modulus, error);
        pdp_solution_free(solution);
        pdp_problem_free(problem);
    }
}

/* Cells up to 2^62 against powers of x; the table that is asked for has as many cells as there are presets. */
static void test_far(void **state) {
    (void)state;
    static const int64_t moduli[] = {
        0, 2, 3, 4, 6, 998244353, 1000000007, 2147483647, 4294967296, INT64_C(2305843009213693951), INT64_MAX};
    static const char text[] = "linear t\n%s  input a[k] >= 1\n  input w[k]\n  input init[m]\n  size m\n"
                               "  preset m : init[i]\n  offset a[j]\n  term w[j]*s\n  combine add\n";
    uint64_t random = test_seed();
    static instance p;
    for (size_t round = 0; round < campaign(400, 10000); round++) {
        const size_t order = (size_t)pdp_random_between(&random, 1, MOST_ORDER);
        uint64_t weights[MOST_ORDER + 1] = {0}, cells[MOST_ORDER];
        p.modulus = pick(&random, moduli, sizeof moduli / sizeof *moduli);
        snprintf(p.text, sizeof p.text, text, p.modulus > 0 ? "  type mod P\n  param P >= 2\n" : "  type bits\n");
        p.k = p.m = order;
        for (size_t d = 1; d <= order; d++) {
            const uint64_t drawn = pdp_random_next(&random) >> pdp_random_between(&random, 1, 63);
            weights[d] = p.modulus > 0 ? drawn % (uint64_t)p.modulus : drawn;
            p.offsets[d - 1] = (int64_t)d;
            p.weights[d - 1] = (int64_t)weights[d];
            p.presets[d - 1] = draw_number(&random, 1);
            const pdp_wide rest = p.modulus > 0 ? (pdp_wide)p.presets[d - 1] % p.modulus : p.presets[d - 1];
            cells[d - 1] = (uint64_t)(rest < 0 && p.modulus > 0 ? rest + p.modulus : rest);
        }
        pdp_recurrence *recurrence;
        pdp_problem *problem;
        assert_int_equal(pdp_recurrence_parse(&recurrence, p.text, strlen(p.text)), PDP_OK);
        assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
        pdp_recurrence_free(recurrence);
        pdp_problem_set_whole(problem, "a", p.offsets, p.k, 0);
        pdp_problem_set_whole(problem, "w", p.weights, p.k, 0);
        pdp_problem_set_whole(problem, "init", p.presets, p.m, 0);
        if (p.modulus > 0) {
            pdp_problem_set_whole(problem, "P", &p.modulus, 1, 0);
        }
        const int64_t at = (int64_t)(pdp_random_next(&random) >> pdp_random_between(&random, 2, 63));
        const char *error;
        pdp_solution *solution = solve_far(problem, at, &error);
        const uint64_t expected = far_cell(weights, cells, order, (uint64_t)at, (uint64_t)p.modulus);
        CHECK((uint64_t)pdp_solution_value(solution) == expected && *error == '\0',
              "order %zu, modulus %" PRId64 ", cell %" PRId64 ": %" PRIu64 " instead of %" PRIu64 " %s", order,
              p.modulus, at, (uint64_t)pdp_solution_value(solution), expected, error);
        pdp_solution_free(solution);
        pdp_problem_free(problem);
    }
}

/* Beyond the last cell is what a longer table has there: with steady sources and shifts, skipped terms and more presets
 * than cells; a source that is a list ends with it. */
static void test_beyond(void **state) {
    (void)state;
    uint64_t random = test_seed();
    static instance p;
    size_t compared = 0, ended = 0;
    for (size_t round = 0; round < campaign(1500, 20000); round++) {
        const size_t all = (size_t)pdp_random_between(&random, 2, 300);
        draw(&p, &random, all, (size_t)pdp_random_between(&random, 1, 40));
        if (!strstr(p.text, "mod") && !strstr(p.text, "bits")) {
            continue;
        }
        pdp_problem *whole = make(&p);
        const char *error;
        pdp_solution *expected = try_method(whole, "sequential", &error);
        assert_string_equal(pdp_solution_error(expected), "");
        p.n = (size_t)pdp_random_between(&random, 1, (int64_t)all - 1);
        pdp_problem *problem = make(&p);
        const int64_t at = pdp_random_between(&random, 0, (int64_t)all - 1);
        pdp_solution *found = solve_far(problem, at, &error);
        const bool has_list = strstr(p.text, "x[i]\n") != NULL;
        if (has_list && (size_t)at >= p.n && (size_t)at >= p.m) {
            CHECK(strstr(error, "index") != NULL, "'%s'\n%s", error, p.text);
            ended++;
        } else {
            int64_t cell = 0;
            assert_int_equal(pdp_solution_cells(expected, 0, (size_t)at, &cell, 1), PDP_OK);
            CHECK(*error == '\0' && pdp_solution_value(found) == cell,
                  "%scell %" PRId64 " of %zu: %" PRId64 " instead of %" PRId64 " %s", p.text, at, p.n,
                  pdp_solution_value(found), cell, error);
            compared++;
        }
        pdp_solution_free(found);
        pdp_solution_free(expected);
        pdp_problem_free(problem);
        pdp_problem_free(whole);
    }
    assert_true(compared > 200 && ended > 20);
}

/* Who is refused hears why. */
static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *method;
        const char *why;
    } refused[] = {
        {"linear t\n input a[k] >= 1\n size 9\n preset 9 : 1\n offset a[j]\n term s\n combine max\n", "series",
         "it is for sums, by the operator add"},
        {"linear t\n type f64\n input a[k] >= 1\n size 9\n preset 9 : 1\n offset a[j]\n term s\n combine add\n",
         "series", "it is for whole numbers and residues, not for floats"},
        {"linear t\n input a[k] >= 1\n size 9\n preset 9 : 1\n offset a[j]\n term s*i\n combine add\n", "series",
         "it is for terms that are a cell times a weight, the same for every i"},
        {"linear t\n input a[k] >= 1\n size 9\n preset 9 : 1\n offset a[j]\n term s*s\n combine add\n", "bostan-mori",
         "it is for terms that are a cell times a weight, the same for every i"},
        {"linear t\n input a[k] >= 1\n size 9\n preset 9 : 1\n offset a[j]\n term s\n finish 2*best\n combine add\n",
         "bostan-mori", "its finish clause does more than to add"},
        {"linear t\n input a[k] >= 1\n size 99\n missing skip\n preset 1 : 1\n offset a[j]\n term s << 59\n"
         " combine add\n",
         "series", "the same for every i"},
        {"linear t\n input a[k] >= 1\n size 99\n missing skip\n preset 1 : 1\n offset a[j]\n"
         " term 1000000000000000000*s\n combine add\n",
         "series", "a sum of its terms may leave 120 bits"},
        {"linear t\n input a[k] >= 1\n size 99\n missing skip\n preset 1 : 1\n offset a[j]\n"
         " term 9000000000000000000*9000000000000000000*s\n combine add\n",
         "series", "a sum of its terms may leave 120 bits"},
        {"linear t\n input a[k] >= 1\n size 99\n missing skip\n preset 1 : 1\n offset a[j]\n term 2*s\n combine add\n",
         "bostan-mori", "its cells are not proven to fit, and it sees but one of them"},
        {"linear t\n type bits\n input a[k] >= 1\n size 10000000\n missing skip\n source i\n offset a[j]\n term s\n"
         " combine add\n",
         "bostan-mori",
         "its offsets are too long for the transforms that it has, or its source changes with i for too long"},
    };
    for (size_t x = 0; x < sizeof refused / sizeof *refused; x++) {
        pdp_recurrence *recurrence;
        pdp_problem *problem;
        int64_t offsets[256]; /* as many as make 2^128 of numbers that are cut off at 2^120 */
        const char *error;
        for (size_t j = 0; j < 256; j++) {
            offsets[j] = 1 + (int64_t)j % 2;
        }
        CHECK(pdp_recurrence_parse(&recurrence, refused[x].text, strlen(refused[x].text)) == PDP_OK, "%s",
              pdp_recurrence_error(recurrence));
        assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
        pdp_recurrence_free(recurrence);
        pdp_problem_set_whole(problem, "a", offsets, 256, 0);
        assert_null(try_method(problem, refused[x].method, &error));
        assert_in(error, refused[x].why);
        pdp_problem_free(problem);
    }
}

/* Source and finish beyond 2^126, of opposite signs: that they cancel is not known, and so the cell does not fit, by
 * whatever method. */
static void test_saturated(void **state) {
    (void)state;
    static const char text[] =
        "linear t\n input x[n]\n input a[k] >= 1\n size n\n missing skip\n offset a[j]\n"
        " source x[i]*x[i]*x[i]\n term s\n finish best - (x[i]+1)*(x[i]+1)*(x[i]+1)\n combine add\n";
    static const char *const methods[] = {"sequential", "series", "window"};
    static const int64_t values[] = {1, 2, 5000000000000000000, 3}, offsets[] = {1, 2};
    for (size_t m = 0; m < 3; m++) {
        pdp_recurrence *recurrence;
        pdp_problem *problem;
        pdp_plan *plan;
        pdp_solution *solution;
        pdp_options options = PDP_OPTIONS_DEFAULT;
        assert_int_equal(pdp_recurrence_parse(&recurrence, text, sizeof text - 1), PDP_OK);
        assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
        pdp_recurrence_free(recurrence);
        pdp_problem_set_whole(problem, "x", values, 4, 0);
        pdp_problem_set_whole(problem, "a", offsets, 2, 0);
        options.algorithm = methods[m];
        options.table = 0;
        assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
        assert_int_equal(pdp_plan_run(plan, &solution), PDP_OVERFLOW);
        assert_string_equal(pdp_solution_error(solution), "cell 2: the value (by add) does not fit into int64");
        pdp_solution_free(solution);
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transforms), cmocka_unit_test(test_ring),    cmocka_unit_test(test_small),
        cmocka_unit_test(test_levels),     cmocka_unit_test(test_largest), cmocka_unit_test(test_fibonacci),
        cmocka_unit_test(test_far),        cmocka_unit_test(test_beyond),  cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_saturated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
