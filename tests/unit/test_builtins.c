/* Every built-in recurrence by the interpreter and by its engine, in every type, at every vector level and with several
 * numbers of threads, against the textbook solver cell by cell; and its decisions and report against its value.
 *
 * Whole numbers must be equal. Floats may differ from the textbook's by a few units in the last place per term; they
 * must be the same to the last bit whatever the number of threads, and under min and max whatever the method. */
#include "support.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/kernel.h"
#include "reference/textbook.h"

enum { MOST = 1 << 17, MOST_RULES = 40, MOST_TYPES = 4 };

/* The data of the instance at hand. */
static int64_t first[MOST];
static int64_t second[MOST];
static int64_t third[MOST];
static double real_first[MOST];
static double real_second[MOST];
static char text[MOST + 1];

typedef struct instance {
    const char *name;
    pdp_problem *problem;
    bool is_real;
    size_t rows;
    size_t columns;
    int64_t *whole; /* what must come out */
    double *real;
    double scale;     /* of floats: what the tolerance is relative to */
    double roundings; /* and how many of them a cell can have on its way */
    const char *types[MOST_TYPES];
    bool is_proven; /* every type must be accepted; otherwise the bounds may refuse some */
    bool has_sums;  /* floats are added: their order depends on the level */
} instance;

static char what[160]; /* is being run, for messages */

/* ---- Making instances ---- */

static const char *const whole_types[MOST_TYPES] = {"i32", "i64", "f32", "f64"};
static const char *const integer_types[MOST_TYPES] = {"i32", "i64"};
static const char *const real_types[MOST_TYPES] = {"f64", "f32"};

static void begin(instance *x, const char *name, size_t rows, size_t columns, const char *const *types) {
    pdp_recurrence *recurrence;
    assert_int_equal(pdp_recurrence_load(&recurrence, name), PDP_OK);
    *x = (instance){.name = name, .rows = rows, .columns = columns, .is_real = types == real_types};
    assert_int_equal(pdp_problem_create(&x->problem, recurrence), PDP_OK);
    pdp_recurrence_free(recurrence);
    memcpy(x->types, types, sizeof x->types);
    const size_t cells = rows * columns;
    x->whole = x->is_real ? NULL : malloc(cells * sizeof *x->whole);
    x->real = x->is_real ? malloc(cells * sizeof *x->real) : NULL;
    assert_true(x->whole || x->real);
    x->is_proven = true;
}

static void end(instance *x) {
    pdp_problem_free(x->problem);
    free(x->whole);
    free(x->real);
}

static void give(const instance *x, const char *name, const int64_t *data, size_t count) {
    CHECK(pdp_problem_set_whole(x->problem, name, data, count, 0) == PDP_OK, "%s", pdp_problem_error(x->problem));
}

static void give_one(const instance *x, const char *name, int64_t value) {
    give(x, name, &value, 1);
}

static void give_reals(const instance *x, const char *name, const double *data, size_t count) {
    CHECK(pdp_problem_set_real(x->problem, name, data, count, 0) == PDP_OK, "%s", pdp_problem_error(x->problem));
}

static void give_text(const instance *x, const char *name, const char *letters, size_t count) {
    CHECK(pdp_problem_set_text(x->problem, name, letters, count) == PDP_OK, "%s", pdp_problem_error(x->problem));
}

static void draw(int64_t *out, size_t count, uint64_t *random, int64_t low, int64_t high) {
    for (size_t m = 0; m < count; m++) {
        out[m] = pdp_random_between(random, low, high);
    }
}

static void draw_text(size_t count, const char *letters, uint64_t *random) {
    for (size_t m = 0; m < count; m++) {
        text[m] = letters[pdp_random_between(random, 0, (int64_t)strlen(letters) - 1)];
    }
    text[count] = '\0';
}

/* Interval: `size` points. Values stay below 2^24, so that every type is proven. */

static void build_mcm(instance *x, size_t size, uint64_t *random) {
    begin(x, "mcm", size, size, whole_types);
    draw(first, size, random, 1, size > 100 ? 30 : 50);
    give(x, "p", first, size);
    assert_true(pdp_textbook_solve_mcm(first, size - 1, x->whole) == PDP_TEXTBOOK_FITS);
}

static void build_triangulation_product(instance *x, size_t size, uint64_t *random) {
    begin(x, "triangulation_product", size, size, whole_types);
    draw(first, size, random, 1, pdp_random_between(random, 1, 30)); /* also all alike: ties */
    give(x, "v", first, size);
    assert_true(pdp_textbook_solve_mcm(first, size - 1, x->whole) == PDP_TEXTBOOK_FITS);
}

static void build_triangulation(instance *x, size_t size, uint64_t *random) {
    begin(x, "triangulation", size, size, real_types);
    for (size_t m = 0; m < size; m++) {
        double angle = ((double)m + (double)pdp_random_between(random, 0, 999) / 1000) * 6.28 / (double)size;
        real_first[m] = 100 * cos(angle);
        real_second[m] = 40 * sin(angle);
    }
    give_reals(x, "x", real_first, size);
    give_reals(x, "y", real_second, size);
    pdp_textbook_solve_triangulation(real_first, real_second, size - 1, x->real);
    x->scale = 1000 + x->real[size - 1];
    x->roundings = 8 * (double)size;
}

static void build_obst(instance *x, size_t size, uint64_t *random) {
    begin(x, "obst", size, size, whole_types);
    draw(first, size - 2, random, 0, 20);
    draw(second, size - 1, random, 0, 20);
    give(x, "p", first, size - 2);
    give(x, "q", second, size - 1);
    assert_true(pdp_textbook_solve_obst(first, second, size - 2, x->whole) == PDP_TEXTBOOK_FITS);
}

static void build_merge(instance *x, size_t size, uint64_t *random) {
    begin(x, "merge", size, size, whole_types);
    draw(first, size - 1, random, 0, 40);
    give(x, "w", first, size - 1);
    assert_true(pdp_textbook_solve_merge(first, size - 1, x->whole) == PDP_TEXTBOOK_FITS);
}

static void build_nussinov(instance *x, size_t size, uint64_t *random) {
    begin(x, "nussinov", size, size, whole_types);
    first[0] = pdp_random_between(random, 0, 5); /* the least loop */
    draw_text(size - 1, "ACGU", random);
    give_text(x, "s", text, size - 1);
    give_one(x, "loop", first[0]);
    pdp_textbook_solve_nussinov(text, size - 1, (size_t)first[0], x->whole);
}

/* Rules among few non-terminals (0, 1, 2, 63) or many; the first letters are a, b, c. */
static int64_t rules[3][MOST_RULES];
static size_t rule_count;
static int64_t leaf_symbols[MOST_RULES];
static char leaf_letters[MOST_RULES + 1];
static size_t leaf_count;
static int64_t start_symbol;

static int64_t draw_symbol(uint64_t *random, bool few) {
    static const int64_t symbols[] = {0, 1, 2, 63};
    return few ? symbols[pdp_random_between(random, 0, 3)] : pdp_random_between(random, 0, 63);
}

static void build_cyk(instance *x, size_t size, uint64_t *random) {
    static const char *const none[MOST_TYPES] = {NULL};
    const bool few = pdp_random_between(random, 0, 1) == 0;
    uint64_t letters[3] = {0};
    int64_t word[1024];
    begin(x, "cyk", size, size, none);
    rule_count = (size_t)pdp_random_between(random, few ? 4 : 20, few ? 10 : MOST_RULES);
    leaf_count = (size_t)pdp_random_between(random, 3, few ? 6 : 30);
    start_symbol = draw_symbol(random, few);
    for (size_t q = 0; q < 3 * rule_count; q++) {
        rules[q % 3][q / 3] = draw_symbol(random, few);
    }
    for (size_t q = 0; q < leaf_count; q++) {
        leaf_symbols[q] = draw_symbol(random, few);
        leaf_letters[q] = "abc"[q % 3];
        letters[q % 3] |= UINT64_C(1) << leaf_symbols[q];
    }
    draw_text(size - 1, "abc", random);
    for (size_t m = 0; m + 1 < size; m++) {
        word[m] = text[m] - 'a';
    }
    give_text(x, "s", text, size - 1);
    give(x, "A", rules[0], rule_count);
    give(x, "B", rules[1], rule_count);
    give(x, "C", rules[2], rule_count);
    give(x, "D", leaf_symbols, leaf_count);
    give_text(x, "letter", leaf_letters, leaf_count);
    give_one(x, "start", start_symbol);
    const pdp_textbook_grammar grammar = {rules[0], rules[1], rules[2], rule_count, letters};
    pdp_textbook_solve_cyk(&grammar, word, size - 1, (uint64_t *)x->whole);
    x->whole[size - 1] &= (int64_t)(UINT64_C(1) << start_symbol);
}

/* Linear: `size` cells. */

/* Offsets of low .. high, in no order, some of them twice, the largest first. Returns how many. */
static size_t draw_offsets(int64_t *out, uint64_t *random, size_t most, int64_t low, int64_t high) {
    const size_t count = (size_t)pdp_random_between(random, 1, (int64_t)most);
    draw(out, count, random, low, high);
    for (size_t j = 1; j < count; j++) {
        if (out[j] > out[0]) {
            const int64_t larger = out[j];
            out[j] = out[0];
            out[0] = larger;
        }
    }
    return count;
}

static const char *sdp_operator; /* of the S-DP at hand */
static bool has_source;

/* One of the three forms of S-DP, filled by one textbook solver. */
static void build_sdp_of(instance *x, const char *name, pdp_operator op, size_t size, uint64_t *random) {
    const bool grows = op == PDP_ADD || op == PDP_MUL;
    const bool is_bitwise = op == PDP_AND || op == PDP_OR || op == PDP_XOR || op == PDP_GCD;
    const bool has_weights = strcmp(name, "sdp") != 0;
    const int64_t least = grows ? (int64_t)size / 4 + 1 : 1; /* few generations, or sums leave every type */
    const int64_t limit = grows ? 1 : is_bitwise ? 1 << 20 : 1000;
    begin(x, name, 1, size, is_bitwise ? integer_types : whole_types);
    has_source = pdp_random_between(random, 0, 1) == 1;
    sdp_operator = pdp_operator_name(op);
    pdp_sdp sdp = {.n = size, .offsets = first, .presets = second, .op = op};
    sdp.offset_count = draw_offsets(first, random, grows ? 5 : 70, least, least + (int64_t)size / 2);
    sdp.preset_count = (size_t)first[0];
    draw(second, sdp.preset_count, random, -limit, limit);
    draw(third, sdp.offset_count, random, -limit, limit);
    static int64_t source[MOST];
    draw(source, size, random, -limit, limit);
    give(x, "a", first, sdp.offset_count);
    give(x, "init", second, sdp.preset_count);
    give_one(x, "n", (int64_t)size);
    give_text(x, "op", sdp_operator, strlen(sdp_operator));
    if (has_weights) {
        give(x, "w", third, sdp.offset_count);
    }
    if (has_source) {
        give(x, "x", source, size);
    }
    assert_true(pdp_textbook_solve_sdp(&sdp, has_weights ? third : NULL, has_source ? source : NULL, x->whole) ==
                PDP_TEXTBOOK_FITS);
    x->is_proven = !grows;
}

static void build_sdp(instance *x, size_t size, uint64_t *random) {
    build_sdp_of(x, "sdp", (pdp_operator)pdp_random_between(random, 0, 7), size, random);
}

static void build_sdp_added(instance *x, size_t size, uint64_t *random) {
    build_sdp_of(x, "sdp_added", pdp_random_between(random, 0, 1) == 0 ? PDP_MIN : PDP_MAX, size, random);
}

static void build_sdp_scaled(instance *x, size_t size, uint64_t *random) {
    build_sdp_of(x, "sdp_scaled", PDP_ADD, size, random);
}

static void build_coins(instance *x, size_t size, uint64_t *random) {
    begin(x, "coins", 1, size, whole_types);
    const size_t count = (size_t)pdp_random_between(random, 0, 40);
    draw(first, count, random, 2, (int64_t)size + 2); /* not all amounts can be paid */
    give(x, "coin", first, count);
    give_one(x, "amount", (int64_t)size - 1);
    pdp_textbook_solve_coins(first, count, size - 1, x->whole);
}

static void build_knapsack(instance *x, size_t size, uint64_t *random) {
    begin(x, "knapsack", 1, size, whole_types);
    const size_t count = (size_t)pdp_random_between(random, 0, 40);
    draw(first, count, random, 1, (int64_t)size + 2);
    draw(second, count, random, 0, 300);
    give(x, "weight", first, count);
    give(x, "value", second, count);
    give_one(x, "capacity", (int64_t)size - 1);
    assert_true(pdp_textbook_solve_knapsack(first, second, count, size - 1, x->whole) == PDP_TEXTBOOK_FITS);
}

static void build_rod(instance *x, size_t size, uint64_t *random) {
    begin(x, "rod", 1, size, whole_types);
    const size_t count = (size_t)pdp_random_between(random, 1, 90);
    draw(first, count, random, -300, 300);
    give(x, "price", first, count);
    give_one(x, "length", (int64_t)size - 1);
    assert_true(pdp_textbook_solve_rod(first, count, size - 1, x->whole) == PDP_TEXTBOOK_FITS);
}

static void build_compositions(instance *x, size_t size, uint64_t *random) {
    begin(x, "compositions", 1, size, whole_types);
    const int64_t least = size > 8 ? (int64_t)size / 4 : 1;
    const size_t count = draw_offsets(first, random, 20, least, (int64_t)size + 2);
    give(x, "part", first, count);
    give_one(x, "total", (int64_t)size - 1);
    assert_true(pdp_textbook_solve_compositions(first, count, size - 1, 0, x->whole) == PDP_TEXTBOOK_FITS);
    x->is_proven = false;
}

static void build_compositions_mod(instance *x, size_t size, uint64_t *random) {
    static const char *const none[MOST_TYPES] = {NULL};
    begin(x, "compositions_mod", 1, size, none);
    const bool is_short = pdp_random_between(random, 0, 1) == 0;
    const int64_t modulus = pdp_random_between(random, is_short ? 2 : INT64_C(1) << 40, is_short ? 999 : INT64_MAX);
    const size_t count = draw_offsets(first, random, 90, 1, (int64_t)size + 2);
    give(x, "part", first, count);
    give_one(x, "total", (int64_t)size - 1);
    give_one(x, "P", modulus);
    assert_true(pdp_textbook_solve_compositions(first, count, size - 1, modulus, x->whole) == PDP_TEXTBOOK_FITS);
}

/* A stable one: the weights' sizes add up to less than 1. */
static void build_filter(instance *x, size_t size, uint64_t *random) {
    begin(x, "filter", 1, size, real_types);
    const size_t count = draw_offsets(first, random, size > 10000 ? 3000 : 90, 1, (int64_t)size + 2);
    for (size_t j = 0; j < count; j++) {
        real_second[j] = (double)pdp_random_between(random, -1000, 1000) / (1010 * (double)count);
    }
    for (size_t i = 0; i < size; i++) {
        real_first[i] = (double)pdp_random_between(random, -1000, 1000) / 997;
    }
    give_reals(x, "x", real_first, size);
    give(x, "a", first, count);
    give_reals(x, "w", real_second, count);
    pdp_textbook_solve_filter(real_first, size, first, real_second, count, x->real);
    x->scale = 100;
    x->roundings = 2 * (double)count;
    x->has_sums = true;
}

static void build_lfsr(instance *x, size_t size, uint64_t *random) {
    begin(x, "lfsr", 1, size, integer_types);
    const size_t count = draw_offsets(first, random, 30, 1, (int64_t)size + 2);
    const bool is_short = pdp_random_between(random, 0, 1) == 0;
    draw(second, (size_t)first[0], random, 0, is_short ? INT32_MAX : INT64_MAX);
    give(x, "tap", first, count);
    give(x, "init", second, (size_t)first[0]);
    give_one(x, "n", (int64_t)size);
    pdp_textbook_solve_lfsr(first, count, (const uint64_t *)second, (size_t)first[0], size, (uint64_t *)x->whole);
    x->is_proven = is_short;
}

static void build_renewal(instance *x, size_t size, uint64_t *random) {
    begin(x, "renewal", 1, size, real_types);
    const size_t count = (size_t)pdp_random_between(random, 1, 90);
    for (size_t t = 0; t < count; t++) {
        real_first[t] = (double)pdp_random_between(random, 0, 1000) / (1000 * (double)count);
    }
    give_reals(x, "f", real_first, count);
    give_one(x, "time", (int64_t)size - 1);
    pdp_textbook_solve_renewal(real_first, count, size, x->real);
    x->scale = 100;
    x->roundings = 2 * (double)count;
    x->has_sums = true;
}

typedef void build_function(instance *x, size_t size, uint64_t *random);

static const struct builtin {
    const char *name;
    build_function *build;
} builtins[] = {
    {"mcm", build_mcm},
    {"triangulation", build_triangulation},
    {"triangulation_product", build_triangulation_product},
    {"obst", build_obst},
    {"merge", build_merge},
    {"nussinov", build_nussinov},
    {"cyk", build_cyk},
    {"sdp", build_sdp},
    {"sdp_added", build_sdp_added},
    {"sdp_scaled", build_sdp_scaled},
    {"coins", build_coins},
    {"knapsack", build_knapsack},
    {"rod", build_rod},
    {"compositions", build_compositions},
    {"compositions_mod", build_compositions_mod},
    {"filter", build_filter},
    {"lfsr", build_lfsr},
    {"renewal", build_renewal},
};
enum { BUILTINS = sizeof builtins / sizeof *builtins, INTERVALS = 7 };

/* ---- Running them ---- */

/* The levels of this machine, the best last. */
static pdp_level best_level(void) {
    pdp_level level;
    pdp_error error = {0};
    unsetenv("PIPEDP_LEVEL");
    assert_int_equal(pdp_level_find(&level, &error), PDP_OK);
    return level;
}

/* NULL where there is no kernel and none may be compiled, or where the bounds do not prove the type. */
static pdp_solution *try_engine(const instance *x, const char *type, int threads, bool may_compile) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = x->rows > 1 ? "tiles" : "blocks";
    options.type = type;
    options.threads = threads;
    options.compile = may_compile;
    snprintf(what, sizeof what, "%s (%zu), %s, type %s, %d threads, level %s", x->name, x->columns, options.algorithm,
             type ? type : "auto", threads, getenv("PIPEDP_LEVEL") ? getenv("PIPEDP_LEVEL") : "of the machine");
    pdp_plan *plan;
    pdp_solution *solution = NULL;
    if (pdp_plan_create(&plan, x->problem, &options) == PDP_OK) {
        CHECK(pdp_plan_run(plan, &solution) == PDP_OK, "%s: %s", what, pdp_solution_error(solution));
        assert_string_equal(pdp_plan_algorithm(plan), options.algorithm);
    } else {
        const char *why = pdp_plan_error(plan);
        const bool is_missing = !may_compile && strstr(why, "compiling is switched off");
        CHECK(is_missing || (!x->is_proven && type && strstr(why, "holds numbers up to")), "%s: %s", what, why);
    }
    pdp_plan_free(plan);
    return solution;
}

static void check_whole_row(const instance *x, const pdp_solution *solution, size_t row, int64_t *cells) {
    const int64_t *expected = x->whole + row * x->columns;
    assert_int_equal(pdp_solution_row(solution, row, cells, x->columns), PDP_OK);
    for (size_t column = 0; column < x->columns; column++) {
        CHECK(cells[column] == expected[column], "%s: cell (%zu,%zu) is %" PRId64 ", not %" PRId64, what, row, column,
              cells[column], expected[column]);
    }
}

static void check_real_row(const instance *x, const pdp_solution *solution, size_t row, double *cells, bool is_single) {
    const double *expected = x->real + row * x->columns;
    const double tolerance = x->scale * x->roundings * (is_single ? (double)FLT_EPSILON : DBL_EPSILON);
    assert_int_equal(pdp_solution_real_row(solution, row, cells, x->columns), PDP_OK);
    for (size_t column = 0; column < x->columns; column++) {
        CHECK(fabs(cells[column] - expected[column]) <= tolerance, "%s: cell (%zu,%zu) is %.17g, not %.17g", what, row,
              column, cells[column], expected[column]);
    }
}

/* Against the textbook; and, to the last bit, against a table of floats, if there is one: it is filled otherwise. */
static void check_table(const instance *x, const pdp_solution *solution, bool is_single, double *bits, bool has_bits) {
    int64_t *cells = malloc(x->columns * sizeof *cells);
    double *reals = malloc(x->columns * sizeof *reals);
    assert_true(cells && reals);
    assert_int_equal(pdp_solution_is_real(solution), x->is_real);
    for (size_t row = 0; row < x->rows; row++) {
        if (!x->is_real) {
            check_whole_row(x, solution, row, cells);
            continue;
        }
        check_real_row(x, solution, row, reals, is_single);
        const size_t bytes = x->columns * sizeof *reals;
        CHECK(!has_bits || memcmp(bits + row * x->columns, reals, bytes) == 0, "%s: row %zu has other floats", what,
              row);
        memcpy(bits + row * x->columns, reals, bytes);
    }
    free(cells);
    free(reals);
}

/* The decisions and the report are those of the interpreter: ties are broken alike everywhere. */
static void check_same_decisions(const pdp_solution *solution, const pdp_solution *reference) {
    size_t count;
    size_t wanted;
    const pdp_decision *decisions = pdp_solution_decisions(solution, &count);
    const pdp_decision *expected = pdp_solution_decisions(reference, &wanted);
    CHECK(count == wanted, "%s: %zu decisions, not %zu", what, count, wanted);
    for (size_t m = 0; m < count; m++) {
        CHECK(decisions[m].kind == expected[m].kind && decisions[m].i == expected[m].i &&
                  decisions[m].k == expected[m].k && decisions[m].j == expected[m].j,
              "%s: decision %zu differs", what, m);
    }
    char *report = pdp_solution_report(solution);
    char *expected_report = pdp_solution_report(reference);
    CHECK(!report == !expected_report && (!report || strcmp(report, expected_report) == 0), "%s: another report", what);
    free(report);
    free(expected_report);
    assert_int_equal(pdp_solution_feasible(solution), pdp_solution_feasible(reference));
}

static const int thread_counts[] = {1, 2, 3, 8};

/* One type at one level: all numbers of threads, or one that goes round. Returns whether it ran. */
static bool run_type(const instance *x, const char *type, const pdp_solution *reference, bool all_threads,
                     bool may_compile) {
    static size_t turn;
    const bool is_single = type && strcmp(type, "f32") == 0;
    double *bits = x->is_real ? malloc(x->rows * x->columns * sizeof *bits) : NULL;
    bool has_run = false;
    for (size_t t = 0; t < (all_threads ? 4 : 1); t++) {
        const int threads = thread_counts[all_threads ? t : turn++ % 4];
        pdp_solution *solution = try_engine(x, type, threads, may_compile);
        if (solution) {
            check_table(x, solution, is_single, bits, has_run);
            if (reference && !is_single) {
                check_same_decisions(solution, reference);
            }
            has_run = true;
        }
        pdp_solution_free(solution);
    }
    free(bits);
    return has_run;
}

/* What the interpreter makes of it, to the last bit: NULL if it would take long. */
static pdp_solution *run_reference(const instance *x, double *bits) {
    if (x->rows > 140) {
        return NULL;
    }
    snprintf(what, sizeof what, "%s (%zu), sequential", x->name, x->columns);
    pdp_solution *reference = solve(x->problem, "sequential", NULL);
    check_table(x, reference, false, bits, false);
    return reference;
}

/* Floats under min and max come out of every method alike. */
static void check_same_floats(const instance *x, double *bits) {
    pdp_solution *solution = try_engine(x, NULL, 2, true);
    check_table(x, solution, false, bits, true);
    pdp_solution_free(solution);
}

/* Runs an instance in every way there is. `ran` counts the runs of each type. Kernels that are not built in are
 * compiled for the best level alone; in the long tier for all. */
static pdp_solution *run_all(const instance *x, pdp_level best, size_t *ran) {
    double *bits = x->is_real ? malloc(x->rows * x->columns * sizeof *bits) : NULL;
    pdp_solution *reference = run_reference(x, bits);
    for (pdp_level level = PDP_LEVEL_GENERIC; level <= best; level++) {
        assert_int_equal(setenv("PIPEDP_LEVEL", pdp_level_name(level), 1), 0);
        const bool may_compile = level == best || campaign(0, 1);
        for (size_t t = 0; t < MOST_TYPES && (t == 0 || x->types[t]); t++) {
            const bool all_threads = level == best && (x->columns == 129 || x->has_sums);
            ran[t] += run_type(x, x->types[t], reference, all_threads, may_compile);
        }
    }
    unsetenv("PIPEDP_LEVEL");
    run_type(x, NULL, reference, false, true);
    if (x->is_real && !x->has_sums && reference) {
        check_same_floats(x, bits);
    }
    free(bits);
    return reference;
}

/* ---- What the decisions come to ---- */

typedef struct walk {
    const instance *x;
    const pdp_decision *decisions;
    size_t count;
    size_t at;
    double value;
} walk;

static double distance(size_t a, size_t b) {
    return hypot(real_first[a] - real_first[b], real_second[a] - real_second[b]);
}

static double add_up(const int64_t *numbers, size_t from, size_t to) {
    double sum = 0;
    for (size_t m = from; m < to; m++) {
        sum += (double)numbers[m];
    }
    return sum;
}

/* What a split of (i,j) at k costs by the problem's definition. */
static double cost_of_split(const instance *x, size_t i, size_t k, size_t j) {
    if (strcmp(x->name, "triangulation") == 0) {
        return distance(i, k) + distance(k, j) + distance(i, j);
    }
    if (strcmp(x->name, "obst") == 0) {
        return add_up(first, i, j - 1) + add_up(second, i, j);
    }
    if (strcmp(x->name, "merge") == 0) {
        return add_up(first, i, j);
    }
    return strcmp(x->name, "nussinov") == 0 ? 0 : (double)(first[i] * first[k] * first[j]);
}

static void walk_tree(walk *w, size_t i, size_t j) { /* NOLINT(misc-no-recursion) */
    if (j <= i + 1) {
        w->value += j == i + 1 && strcmp(w->x->name, "obst") == 0 ? (double)second[i] : 0;
        return;
    }
    CHECK(w->at < w->count, "%s: no decision for (%zu,%zu)", what, i, j);
    const pdp_decision d = w->decisions[w->at++];
    CHECK(d.i == i && d.j == j, "%s: a decision for (%zu,%zu), not for (%zu,%zu)", what, d.i, d.j, i, j);
    if (d.kind == PDP_OPTION) { /* a pair of bases */
        const char pair[] = {text[i], text[j - 1], '\0'};
        CHECK(strstr("AU UA CG GC GU UG", pair) && (int64_t)(j - 1 - i) > first[0], "%s: no pair", what);
        w->value += 1;
        walk_tree(w, i + 1, j - 1);
        return;
    }
    CHECK(d.kind == PDP_SPLIT && i < d.k && d.k < j, "%s: a split of (%zu,%zu) at %zu", what, i, j, d.k);
    w->value += cost_of_split(w->x, i, d.k, j);
    walk_tree(w, i, d.k);
    walk_tree(w, d.k, j);
}

/* The steps lead from the last cell to one that needs none; what they add up to, that cell's value included. */
static double walk_chain(walk *w) {
    const instance *x = w->x;
    const bool is_sdp = strncmp(x->name, "sdp", 3) == 0;
    size_t i = x->columns - 1;
    for (; w->at < w->count; w->at++) {
        const pdp_decision d = w->decisions[w->at];
        const size_t offset = strcmp(x->name, "rod") == 0 ? d.k + 1 : (size_t)first[d.k];
        CHECK(d.kind == PDP_STEP && d.i == i && d.j + offset == i, "%s: step %zu from %zu to %zu", what, d.k, d.i, d.j);
        w->value += strcmp(x->name, "coins") == 0       ? 1
                    : strcmp(x->name, "knapsack") == 0  ? (double)second[d.k]
                    : strcmp(x->name, "rod") == 0       ? (double)first[d.k]
                    : strcmp(x->name, "sdp_added") == 0 ? (double)third[d.k]
                                                        : 0;
        i = d.j;
    }
    CHECK(i < (is_sdp ? (size_t)first[0] : 1) || strcmp(x->name, "knapsack") == 0 || (is_sdp && has_source),
          "%s: the steps end in cell %zu", what, i);
    return w->value + (is_sdp ? (double)x->whole[i] : 0);
}

/* "3 x 50 + 1 x 20": so many items, as many as there are steps. */
static void check_items(const char *report, size_t steps) {
    size_t items = 0;
    for (const char *at = report; at && *at && strcmp(report, "nothing") != 0;) {
        char *after;
        items += strtoul(at, &after, 10);
        CHECK(strncmp(after, " x ", 3) == 0, "%s: report '%s'", what, report);
        at = strstr(after, " + ");
        at = at ? at + 3 : NULL;
    }
    CHECK(items == steps, "%s: report '%s' has not %zu items", what, report, steps);
}

/* "((..))": as many brackets as pairs, each with its partner. */
static void check_brackets(const char *report, size_t length, double pairs) {
    double opened = 0;
    int depth = 0;
    CHECK(strlen(report) == length, "%s: report '%s'", what, report);
    for (const char *at = report; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        opened += *at == '(' ? 1 : 0;
        assert_true(depth >= 0);
    }
    CHECK(depth == 0 && opened == pairs, "%s: report '%s'", what, report);
}

/* "(A0 (A1 'b') (A2 'a'))": a tree by the rules, over the word. Returns its root; *at moves behind it. */
static int64_t check_parse(const char **at, size_t *letter) { /* NOLINT(misc-no-recursion) */
    char *after;
    CHECK(strncmp(*at, "(A", 2) == 0, "%s: parse '%s'", what, *at);
    const int64_t symbol = strtol(*at + 2, &after, 10);
    *at = after + 1;
    bool is_rule = false;
    if (**at == '\'') {
        CHECK((*at)[1] == text[*letter], "%s: parse '%s', not of letter %zu", what, *at, *letter);
        for (size_t q = 0; q < leaf_count; q++) {
            is_rule |= leaf_symbols[q] == symbol && leaf_letters[q] == text[*letter];
        }
        ++*letter;
        *at += 3;
    } else {
        const int64_t left = check_parse(at, letter);
        ++*at;
        const int64_t right = check_parse(at, letter);
        for (size_t q = 0; q < rule_count; q++) {
            is_rule |= rules[0][q] == symbol && rules[1][q] == left && rules[2][q] == right;
        }
    }
    CHECK(is_rule && **at == ')', "%s: no rule for A%" PRId64, what, symbol);
    ++*at;
    return symbol;
}

static void check_word(const instance *x, const pdp_solution *reference) {
    char *report = pdp_solution_report(reference);
    const char *at = report;
    size_t letter = 0;
    assert_int_equal(report != NULL, x->whole[x->columns - 1] != 0);
    if (report) {
        CHECK(check_parse(&at, &letter) == start_symbol && letter == x->columns - 1 && *at == '\0', "%s: '%s'", what,
              report);
    }
    free(report);
}

/* The value once more from the decisions alone. */
static void check_decisions(const instance *x, const pdp_solution *reference) {
    walk w = {.x = x};
    w.decisions = pdp_solution_decisions(reference, &w.count);
    snprintf(what, sizeof what, "the decisions of %s (%zu)", x->name, x->columns);
    if (strcmp(x->name, "cyk") == 0) {
        check_word(x, reference);
        return;
    }
    if (!w.decisions) {
        const bool chooses = strcmp(x->name, "coins") == 0 && !pdp_solution_feasible(reference);
        const bool is_other_sdp =
            strncmp(x->name, "sdp", 3) == 0 && strcmp(sdp_operator, "min") != 0 && strcmp(sdp_operator, "max") != 0;
        CHECK(chooses || is_other_sdp || x->has_sums || strcmp(x->name, "lfsr") == 0 ||
                  strncmp(x->name, "compositions", 12) == 0,
              "%s: there are none", what);
        return;
    }
    if (x->rows > 1) {
        walk_tree(&w, 0, x->columns - 1);
    } else {
        w.value = walk_chain(&w);
    }
    const double value = x->is_real ? pdp_solution_real_value(reference) : (double)pdp_solution_value(reference);
    CHECK(w.at == w.count && fabs(w.value - value) <= x->scale * x->roundings * DBL_EPSILON, "%s: %g, not %g", what,
          w.value, value);
    char *report = pdp_solution_report(reference);
    if (strcmp(x->name, "nussinov") == 0) {
        check_brackets(report, x->columns - 1, value);
    } else if (x->rows == 1 && strncmp(x->name, "sdp", 3) != 0) {
        check_items(report, w.count);
    }
    assert_true(report || strncmp(x->name, "sdp", 3) == 0);
    free(report);
}

/* ---- The tests ---- */

static const size_t interval_sizes[] = {2, 3, 4, 5, 63, 64, 65, 66, 127, 128, 129, 130, 197, 263};
static const size_t linear_sizes[] = {1, 2, 3, 4, 31, 63, 64, 65, 127, 128, 129, 251, 1009, 2053};

static void check_builtin(const struct builtin *b, const size_t *sizes, size_t count, pdp_level best) {
    size_t ran[MOST_TYPES] = {0};
    const char *types[MOST_TYPES] = {NULL};
    uint64_t random = test_seed();
    for (size_t round = 0; round < campaign(1, 10); round++) {
        for (size_t s = 0; s < count; s++) {
            instance x;
            b->build(&x, sizes[s], &random);
            pdp_solution *reference = run_all(&x, best, ran);
            if (reference) {
                check_decisions(&x, reference);
            }
            pdp_solution_free(reference);
            memcpy(types, x.types, sizeof types);
            end(&x);
        }
    }
    for (size_t t = 0; t < MOST_TYPES && (t == 0 || types[t]); t++) {
        CHECK(ran[t] > 0, "%s never ran in %s", b->name, types[t] ? types[t] : "its type");
    }
}

static void test_interval(void **unused) {
    (void)unused;
    const pdp_level best = best_level();
    for (size_t b = 0; b < INTERVALS; b++) {
        check_builtin(&builtins[b], interval_sizes, sizeof interval_sizes / sizeof *interval_sizes, best);
    }
}

static void test_linear(void **unused) {
    (void)unused;
    const pdp_level best = best_level();
    for (size_t b = INTERVALS; b < BUILTINS; b++) {
        check_builtin(&builtins[b], linear_sizes, sizeof linear_sizes / sizeof *linear_sizes, best);
    }
}

/* The table of this test has every built-in, in the library's order. */
static void test_all_are_here(void **unused) {
    (void)unused;
    for (size_t b = 0; b < BUILTINS; b++) {
        assert_string_equal(pdp_builtin_name(b), builtins[b].name);
    }
    assert_null(pdp_builtin_name(BUILTINS));
}

/* The vectors of no x86 level: one kernel of each kind, which is compiled here. */
static void test_generic(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    assert_int_equal(setenv("PIPEDP_LEVEL", "generic", 1), 0);
    for (size_t b = 0; b < BUILTINS; b++) {
        if (b == 0 || b == 1 || b == 5 || b == 8 || b == 15) { /* mcm, triangulation, nussinov, sdp_added, filter */
            instance x;
            builtins[b].build(&x, 130, &random);
            assert_true(run_type(&x, x.types[0], NULL, true, true));
            end(&x);
        }
    }
    unsetenv("PIPEDP_LEVEL");
}

/* So large that the threads have work: many rows of tiles; 2^23 terms for each thread. */
static void test_threads(void **unused) {
    (void)unused;
    uint64_t random = test_seed();
    static build_function *const builders[] = {build_mcm, build_nussinov, build_filter};
    for (size_t m = 0; m < sizeof builders / sizeof *builders; m++) {
        instance x;
        builders[m](&x, m < 2 ? 577 : 30000, &random);
        assert_true(run_type(&x, m < 2 ? "i32" : "f64", NULL, true, true));
        end(&x);
    }
}

/* Less data than a table needs is refused, and nothing else is. */
static void test_too_small(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        const char *message;
        const char *inputs[5];
    } cases[] = {
        {"mcm", "the number of points is 1, and must be 2 to", {"p"}},
        {"triangulation", "the number of points is 1", {"x", "y"}},
        {"triangulation_product", "the number of points is 1", {"v"}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        instance x;
        begin(&x, cases[c].name, 2, 2, whole_types);
        for (size_t n = 0; cases[c].inputs[n]; n++) {
            give_one(&x, cases[c].inputs[n], 7);
        }
        assert_int_equal(pdp_problem_check(x.problem), PDP_BAD_INPUT);
        assert_in(pdp_problem_error(x.problem), cases[c].message);
        end(&x);
    }
    instance x;
    begin(&x, "filter", 1, 1, real_types);
    give(&x, "a", first, 0);
    give_reals(&x, "x", real_first, 0);
    give_reals(&x, "w", real_first, 0);
    assert_int_equal(pdp_problem_check(x.problem), PDP_BAD_INPUT);
    assert_in(pdp_problem_error(x.problem), "the number of cells is 0, and must be 1 to");
    end(&x);
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_are_here), cmocka_unit_test(test_interval), cmocka_unit_test(test_linear),
        cmocka_unit_test(test_generic),      cmocka_unit_test(test_threads),  cmocka_unit_test(test_too_small),
    };
    return cmocka_run_group_tests_name("builtins", tests, NULL, NULL);
}
