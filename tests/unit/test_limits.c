/* Values at the ends of the types: for every built-in recurrence of whole numbers, random small problems are taken to
 * the point where one more in one of their numbers makes a cell too large, and solved on both sides of it. A cell
 * overflows if its own value does not fit, and only then; what is met on the way to it does not count.
 *
 * The oracle are the textbook solvers, in 128 bits. Each is solved as int64, and, by the same text with a line `type
 * i32`, as int32; by every method that takes it, at every vector level, in the type that the bounds choose and in such
 * as are asked for. An overflow has to be reported, with its first cell; without one all cells have to be right. The
 * limits between the types, where nothing overflows, are taken in the same way. Floats have no end to wrap at. */
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/kernel.h"
#include "problem/bound.h"
#include "reference/textbook.h"

enum { MOST = 160, MOST_FIELDS = 6, SIDES = 4 };

/* A list of numbers, or one (a parameter). */
typedef struct field {
    const char *name;
    size_t count;
    int64_t items[MOST];
} field;

typedef struct instance {
    const struct family *family;
    field fields[MOST_FIELDS]; /* those without a name are not given */
    char text[MOST + 1];       /* nussinov's, cyk's */
    pdp_operator op;
    size_t size;     /* points or cells */
    int64_t *moved;  /* the number that is taken to the limit; NULL if none is */
    int64_t nearest; /* what it can be, on the side of the small values */
    int64_t farthest;
} instance;

typedef void draw_function(instance *x, uint64_t *random, int64_t limit);
typedef size_t solve_function(const instance *x, int64_t *table);

typedef struct family {
    const char *name;
    draw_function *draw;
    solve_function *solve;
    unsigned share;   /* of the problems that are drawn */
    bool is_interval; /* otherwise linear */
    bool may_miss;    /* cells of INT64_MAX are infeasible */
    bool never_wraps; /* residues and bits: they have no other types */
} family;

static int64_t between(uint64_t *random, int64_t low, int64_t high) {
    return pdp_random_between(random, low, high);
}

/* Up to `limit`, all lengths in bits alike. */
static int64_t draw_size(uint64_t *random, int64_t limit) {
    int bits = 1;
    while (bits < 63 && limit >> bits != 0) {
        bits++;
    }
    const int64_t size = between(random, 0, (int64_t)(UINT64_MAX >> (64 - between(random, 1, bits))));
    return size < limit ? size : limit;
}

static int64_t draw_signed(uint64_t *random, int64_t limit) {
    return between(random, 0, 1) == 0 ? draw_size(random, limit) : -draw_size(random, limit);
}

static field *put(instance *x, const char *name, size_t count) {
    field *f = x->fields;
    while (f->name) {
        f++;
    }
    f->name = name;
    f->count = count;
    return f;
}

static void put_one(instance *x, const char *name, int64_t value) {
    put(x, name, 1)->items[0] = value;
}

static void fill(field *f, uint64_t *random, int64_t least, int64_t limit) {
    for (size_t m = 0; m < f->count; m++) {
        f->items[m] = least < 0 ? draw_signed(random, limit) : least + draw_size(random, limit - least);
    }
}

static const field *get(const instance *x, const char *name) {
    for (const field *f = x->fields; f < x->fields + MOST_FIELDS && f->name; f++) {
        if (strcmp(f->name, name) == 0) {
            return f;
        }
    }
    return NULL;
}

static const int64_t *items_of(const instance *x, const char *name) {
    const field *f = get(x, name);
    return f ? f->items : NULL;
}

/* Some item of the field. */
static void move(instance *x, field *f, uint64_t *random, int64_t nearest, int64_t farthest) {
    if (f->count > 0) {
        x->moved = &f->items[between(random, 0, (int64_t)f->count - 1)];
        x->nearest = nearest;
        x->farthest = farthest;
    }
}

/* Now and then beyond a tile, or several blocks. */
static size_t draw_length(uint64_t *random, size_t most) {
    const int64_t kind = between(random, 0, 399);
    return (size_t)between(random, 1, kind == 0 ? (int64_t)most : kind < 40 ? 20 : 8);
}

/* ---- Interval ---- */

static void draw_chain(instance *x, uint64_t *random, int64_t limit, const char *name) {
    x->size = draw_length(random, 70) + 1;
    field *p = put(x, name, x->size);
    fill(p, random, 1, between(random, 0, 1) == 0 ? 100 : limit);
    move(x, p, random, 1, INT64_MAX);
}

static void draw_mcm(instance *x, uint64_t *random, int64_t limit) {
    draw_chain(x, random, limit, "p");
}

static void draw_product(instance *x, uint64_t *random, int64_t limit) {
    draw_chain(x, random, limit, "v");
}

static size_t solve_chain(const instance *x, int64_t *table) {
    return pdp_textbook_solve_mcm(x->fields[0].items, x->size - 1, table);
}

static void draw_obst(instance *x, uint64_t *random, int64_t limit) {
    const size_t n = draw_length(random, 70) - 1;
    x->size = n + 2;
    fill(put(x, "p", n), random, 0, limit);
    fill(put(x, "q", n + 1), random, 0, limit);
    move(x, &x->fields[n > 0 ? between(random, 0, 1) : 1], random, 0, INT64_MAX);
}

static size_t solve_obst(const instance *x, int64_t *table) {
    return pdp_textbook_solve_obst(x->fields[0].items, x->fields[1].items, x->size - 2, table);
}

static void draw_merge(instance *x, uint64_t *random, int64_t limit) {
    x->size = draw_length(random, 70) + 1;
    field *w = put(x, "w", x->size - 1);
    fill(w, random, 0, limit);
    move(x, w, random, 0, INT64_MAX);
}

static size_t solve_merge(const instance *x, int64_t *table) {
    return pdp_textbook_solve_merge(x->fields[0].items, x->size - 1, table);
}

static void draw_text(instance *x, uint64_t *random, const char *letters) {
    for (size_t m = 0; m + 1 < x->size; m++) {
        x->text[m] = letters[between(random, 0, (int64_t)strlen(letters) - 1)];
    }
}

static void draw_nussinov(instance *x, uint64_t *random, int64_t limit) {
    (void)limit;
    x->size = draw_length(random, 70) + 1;
    put_one(x, "loop", between(random, 0, 3));
    draw_text(x, random, "ACGU");
}

static size_t solve_nussinov(const instance *x, int64_t *table) {
    pdp_textbook_solve_nussinov(x->text, x->size - 1, (size_t)x->fields[0].items[0], table);
    return PDP_TEXTBOOK_FITS;
}

/* Sets that have their last bit. */
static void draw_cyk(instance *x, uint64_t *random, int64_t limit) {
    (void)limit;
    static const char *const names[] = {"A", "B", "C", "D"};
    x->size = draw_length(random, 30) + 1;
    for (int f = 0; f < 4; f++) {
        field *rules = put(x, names[f], 6);
        for (size_t q = 0; q < rules->count; q++) {
            rules->items[q] = between(random, 60, 63);
        }
    }
    put_one(x, "start", between(random, 60, 63));
    draw_text(x, random, "ab");
}

static size_t solve_cyk(const instance *x, int64_t *table) {
    uint64_t letters[2] = {0};
    int64_t word[MOST];
    for (size_t q = 0; q < 6; q++) {
        letters[q % 2] |= UINT64_C(1) << x->fields[3].items[q];
    }
    for (size_t m = 0; m + 1 < x->size; m++) {
        word[m] = x->text[m] - 'a';
    }
    const pdp_textbook_grammar grammar = {x->fields[0].items, x->fields[1].items, x->fields[2].items, 6, letters};
    pdp_textbook_solve_cyk(&grammar, word, x->size - 1, (uint64_t *)table);
    table[x->size - 1] &= (int64_t)(UINT64_C(1) << x->fields[4].items[0]);
    return PDP_TEXTBOOK_FITS;
}

/* ---- Linear ---- */

/* Offsets that fall, often as far as the paper wants them to, and as many presets as the first. */
static void draw_sdp_of(instance *x, uint64_t *random, int64_t limit, bool has_weights) {
    const size_t count = (size_t)between(random, 1, 5);
    int64_t *offsets = put(x, "a", count)->items;
    offsets[0] = between(random, (int64_t)count, 8);
    for (size_t j = 1; j < count; j++) {
        offsets[j] = between(random, (int64_t)(count - j), offsets[j - 1] - 1);
    }
    field *presets = put(x, "init", (size_t)offsets[0]);
    const int64_t length = (int64_t)draw_length(random, MOST - 10);
    x->size = (size_t)(offsets[0] + (between(random, 0, 9) == 0 ? 0 : length));
    put_one(x, "n", (int64_t)x->size);
    const bool is_mixed = between(random, 0, 1) == 0;
    fill(presets, random, is_mixed ? -1 : 0, x->op == PDP_MUL ? 3 : limit);
    field *moved = presets;
    if (has_weights) {
        field *weights = put(x, "w", count);
        const bool is_long = x->op != PDP_ADD || between(random, 0, 3) == 0;
        fill(weights, random, is_mixed ? -1 : 0, is_long ? limit : 5);
        moved = between(random, 0, 1) == 0 ? weights : moved;
    }
    if (between(random, 0, 3) == 0) {
        fill(put(x, "x", x->size), random, is_mixed ? -1 : 0, limit);
    }
    const bool is_down = between(random, 0, 1) == 0;
    move(x, moved, random, 0, is_down ? INT64_MIN : INT64_MAX);
}

static void draw_sdp(instance *x, uint64_t *random, int64_t limit) {
    const bool grows = between(random, 0, 3) != 0;
    x->op = grows ? (between(random, 0, 1) == 0 ? PDP_ADD : PDP_MUL) : (pdp_operator)between(random, 0, 7);
    draw_sdp_of(x, random, limit, false);
}

static void draw_sdp_added(instance *x, uint64_t *random, int64_t limit) {
    x->op = between(random, 0, 1) == 0 ? PDP_MIN : PDP_MAX;
    draw_sdp_of(x, random, limit, true);
}

static void draw_sdp_scaled(instance *x, uint64_t *random, int64_t limit) {
    x->op = PDP_ADD;
    draw_sdp_of(x, random, limit, true);
}

static size_t solve_sdp(const instance *x, int64_t *table) {
    const pdp_sdp sdp = {.n = x->size,
                         .offsets = x->fields[0].items,
                         .offset_count = x->fields[0].count,
                         .presets = x->fields[1].items,
                         .preset_count = x->fields[1].count,
                         .op = x->op};
    return pdp_textbook_solve_sdp(&sdp, items_of(x, "w"), items_of(x, "x"), table);
}

static void draw_coins(instance *x, uint64_t *random, int64_t limit) {
    (void)limit;
    x->size = draw_length(random, MOST);
    fill(put(x, "coin", (size_t)between(random, 0, 4)), random, 1, 9);
    put_one(x, "amount", (int64_t)x->size - 1);
}

static size_t solve_coins(const instance *x, int64_t *table) {
    pdp_textbook_solve_coins(x->fields[0].items, x->fields[0].count, x->size - 1, table);
    return PDP_TEXTBOOK_FITS;
}

static void draw_knapsack(instance *x, uint64_t *random, int64_t limit) {
    x->size = draw_length(random, MOST);
    const size_t count = (size_t)between(random, 0, 4);
    fill(put(x, "weight", count), random, 1, 9);
    field *values = put(x, "value", count);
    fill(values, random, 0, limit);
    put_one(x, "capacity", (int64_t)x->size - 1);
    move(x, values, random, 0, INT64_MAX);
}

static size_t solve_knapsack(const instance *x, int64_t *table) {
    return pdp_textbook_solve_knapsack(x->fields[0].items, x->fields[1].items, x->fields[0].count, x->size - 1, table);
}

static void draw_rod(instance *x, uint64_t *random, int64_t limit) {
    x->size = draw_length(random, MOST);
    field *prices = put(x, "price", (size_t)between(random, 1, 9));
    const bool is_down = between(random, 0, 1) == 0;
    fill(prices, random, -1, limit);
    for (size_t m = 0; is_down && m < prices->count; m++) {
        prices->items[m] = prices->items[m] > 0 ? -prices->items[m] : prices->items[m];
    }
    put_one(x, "length", (int64_t)x->size - 1);
    move(x, prices, random, 0, is_down ? INT64_MIN : INT64_MAX);
}

static size_t solve_rod(const instance *x, int64_t *table) {
    return pdp_textbook_solve_rod(x->fields[0].items, x->fields[0].count, x->size - 1, table);
}

/* What is moved is the total. */
static void draw_compositions(instance *x, uint64_t *random, int64_t limit) {
    (void)limit;
    field *parts = put(x, "part", (size_t)between(random, 1, 12));
    fill(parts, random, 1, 3);
    field *total = put(x, "total", 1);
    total->items[0] = between(random, 0, 9);
    x->size = (size_t)total->items[0] + 1;
    move(x, total, random, 0, MOST - 1);
}

static size_t solve_compositions(const instance *x, int64_t *table) {
    const size_t total = (size_t)x->fields[1].items[0];
    return pdp_textbook_solve_compositions(x->fields[0].items, x->fields[0].count, total, 0, table);
}

/* Residues near the largest modulus of 31, 32 and 63 bits: sums of two have to fit. */
static void draw_compositions_mod(instance *x, uint64_t *random, int64_t limit) {
    static const int64_t moduli[] = {INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MAX / 2};
    draw_compositions(x, random, limit);
    x->moved = NULL;
    x->fields[1].items[0] = between(random, 0, MOST - 1);
    x->size = (size_t)x->fields[1].items[0] + 1;
    put_one(x, "P", moduli[between(random, 0, 3)] + between(random, -5, 0));
}

static size_t solve_compositions_mod(const instance *x, int64_t *table) {
    const size_t total = (size_t)x->fields[1].items[0];
    return pdp_textbook_solve_compositions(x->fields[0].items, x->fields[0].count, total, x->fields[2].items[0], table);
}

static void draw_lfsr(instance *x, uint64_t *random, int64_t limit) {
    field *taps = put(x, "tap", (size_t)between(random, 1, 4));
    fill(taps, random, 1, 8);
    field *words = put(x, "init", 8);
    fill(words, random, 0, limit);
    x->size = 8 + draw_length(random, MOST - 8);
    put_one(x, "n", (int64_t)x->size);
    move(x, words, random, 0, INT64_MAX);
}

static size_t solve_lfsr(const instance *x, int64_t *table) {
    pdp_textbook_solve_lfsr(x->fields[0].items, x->fields[0].count, (const uint64_t *)x->fields[1].items, 8, x->size,
                            (uint64_t *)table);
    return PDP_TEXTBOOK_FITS;
}

static const family families[] = {
    {"mcm", draw_mcm, solve_chain, 4, .is_interval = true},
    {"triangulation_product", draw_product, solve_chain, 2, .is_interval = true},
    {"obst", draw_obst, solve_obst, 3, .is_interval = true},
    {"merge", draw_merge, solve_merge, 3, .is_interval = true},
    {"nussinov", draw_nussinov, solve_nussinov, 1, .is_interval = true},
    {"cyk", draw_cyk, solve_cyk, 1, .is_interval = true, .never_wraps = true},
    {"sdp", draw_sdp, solve_sdp, 6, .is_interval = false},
    {"sdp_added", draw_sdp_added, solve_sdp, 4, .is_interval = false},
    {"sdp_scaled", draw_sdp_scaled, solve_sdp, 4, .is_interval = false},
    {"coins", draw_coins, solve_coins, 1, .may_miss = true},
    {"knapsack", draw_knapsack, solve_knapsack, 3, .is_interval = false},
    {"rod", draw_rod, solve_rod, 3, .is_interval = false},
    {"compositions", draw_compositions, solve_compositions, 3, .is_interval = false},
    {"compositions_mod", draw_compositions_mod, solve_compositions_mod, 1, .never_wraps = true},
    {"lfsr", draw_lfsr, solve_lfsr, 1, .is_interval = false},
};
enum { FAMILIES = sizeof families / sizeof *families };

/* ---- What is right ---- */

static int64_t table[MOST * MOST];

/* The first cell, in the order of the plain loops, that is not within low .. high; SIZE_MAX if all are. The table has
 * the cells before it. */
static size_t first_misfit(instance *x, int64_t low, int64_t high) {
    if (x->moved && x->family->draw == draw_compositions) {
        x->size = (size_t)*x->moved + 1;
    }
    const size_t beyond = x->family->solve(x, table);
    const size_t rows = x->family->is_interval ? x->size : 1;
    for (size_t row = rows; row-- > 0;) {
        for (size_t column = rows > 1 ? row + 1 : 0; column < x->size; column++) {
            const size_t at = row * x->size + column;
            const bool is_missing = x->family->may_miss && table[at] == INT64_MAX;
            if (at == beyond || (!is_missing && !x->family->never_wraps && (table[at] < low || table[at] > high))) {
                return at;
            }
        }
    }
    return SIZE_MAX;
}

/* The last of the moved number's values with which all cells are within the limits; the next one breaks them. */
static bool find_edge(instance *x, int64_t low, int64_t high) {
    if (!x->moved) {
        return false;
    }
    const int64_t before = *x->moved;
    __extension__ __int128 good = x->nearest, bad = x->farthest;
    *x->moved = x->nearest;
    bool has_edge = first_misfit(x, low, high) == SIZE_MAX;
    *x->moved = x->farthest;
    has_edge = has_edge && first_misfit(x, low, high) != SIZE_MAX;
    while (has_edge && bad - good != 1 && good - bad != 1) {
        *x->moved = (int64_t)((good + bad) / 2);
        *(first_misfit(x, low, high) == SIZE_MAX ? &good : &bad) = *x->moved;
    }
    *x->moved = has_edge ? (int64_t)good : before;
    return has_edge;
}

/* ---- Solving ---- */

typedef struct tally {
    size_t fitting;
    size_t beyond;
    size_t narrow;         /* of the fitting: at the limits between types */
    size_t methods[2][16]; /* by shape: how often each of them has solved one */
} tally;

static pdp_level best_level(void) {
    pdp_level level;
    pdp_error error = {0};
    unsetenv("PIPEDP_LEVEL");
    assert_int_equal(pdp_level_find(&level, &error), PDP_OK);
    return level;
}

static pdp_recurrence *recurrences[FAMILIES][2]; /* as they are, and with cells of int32 */

static void load_recurrences(void) {
    for (size_t f = 0; f < FAMILIES; f++) {
        assert_int_equal(pdp_recurrence_load(&recurrences[f][0], families[f].name), PDP_OK);
        for (size_t x = 0; pdp_builtin_name(x) && !families[f].never_wraps; x++) {
            if (strcmp(pdp_builtin_name(x), families[f].name) == 0) {
                char text[8192];
                const char *all = pdp_builtin_text(x);
                const char *head = strstr(all, families[f].is_interval ? "\ninterval " : "\nlinear ");
                assert_non_null(head);
                const char *rest = strchr(head + 1, '\n');
                snprintf(text, sizeof text, "%.*s\n  type i32%s", (int)(rest - all), all, rest);
                assert_int_equal(pdp_recurrence_parse(&recurrences[f][1], text, strlen(text)), PDP_OK);
            }
        }
    }
}

static void free_recurrences(void) {
    for (size_t f = 0; f < FAMILIES; f++) {
        pdp_recurrence_free(recurrences[f][0]);
        pdp_recurrence_free(recurrences[f][1]);
    }
}

static char what[400]; /* is being solved */

static void describe(const instance *x, const char *method, const char *type, const char *level, bool is_short) {
    int used = snprintf(what, sizeof what, "%s%s, method %s, type %s, level %s, op %s:", x->family->name,
                        is_short ? " as i32" : "", method, type ? type : "auto", level, pdp_operator_name(x->op));
    for (const field *f = x->fields; f < x->fields + MOST_FIELDS && f->name; f++) {
        for (size_t m = 0; m < f->count && used < (int)sizeof what - 40; m++) {
            used += snprintf(what + used, sizeof what - (size_t)used, "%s%s%" PRId64, m == 0 ? " " : ",",
                             m == 0 ? f->name : "", f->items[m]);
        }
    }
}

static pdp_problem *make_problem(const instance *x, const pdp_recurrence *recurrence) {
    pdp_problem *problem;
    const char *op = pdp_operator_name(x->op);
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    for (const field *f = x->fields; f < x->fields + MOST_FIELDS && f->name; f++) {
        CHECK(pdp_problem_set_whole(problem, f->name, f->items, f->count, 0) == PDP_OK, "%s: %s", what,
              pdp_problem_error(problem));
    }
    if (x->family->solve == solve_sdp) {
        assert_int_equal(pdp_problem_set_text(problem, "op", op, strlen(op)), PDP_OK);
    }
    if (x->text[0] != '\0') {
        assert_int_equal(pdp_problem_set_text(problem, "s", x->text, x->size - 1), PDP_OK);
    }
    if (x->family->solve == solve_cyk) {
        assert_int_equal(pdp_problem_set_text(problem, "letter", "ababab", 6), PDP_OK);
    }
    CHECK(pdp_problem_check(problem) == PDP_OK, "%s: %s", what, pdp_problem_error(problem));
    return problem;
}

/* What is proven of the values holds. */
static void check_bounds(const instance *x, const pdp_problem *problem) {
    const pdp_bounds bounds = pdp_bounds_find(problem);
    for (size_t row = 0; bounds.reach < PDP_UNBOUNDED && row < (x->family->is_interval ? x->size : 1); row++) {
        for (size_t column = x->family->is_interval ? row + 1 : 0; column < x->size; column++) {
            const int64_t cell = table[row * x->size + column];
            const bool is_missing = x->family->may_miss && cell == INT64_MAX;
            CHECK(is_missing ||
                      (cell >= bounds.low && cell <= bounds.high && cell <= bounds.reach && cell >= -bounds.reach),
                  "%s: cell (%zu, %zu) is %" PRId64 ", and the bounds are %g to %g, reach %g", what, row, column, cell,
                  (double)bounds.low, (double)bounds.high, (double)bounds.reach);
        }
    }
}

static void check_cells(const instance *x, const pdp_solution *solution, bool has_table) {
    int64_t cells[MOST];
    const size_t rows = x->family->is_interval ? x->size : 1;
    const bool is_set = x->family->solve == solve_cyk; /* in which the empty one is no answer */
    const bool has_value = is_set ? table[x->size - 1] != 0 : !x->family->may_miss || table[x->size - 1] != INT64_MAX;
    CHECK(pdp_solution_feasible(solution) == has_value, "%s: feasible", what);
    CHECK(!has_value || pdp_solution_value(solution) == table[x->size - 1],
          "%s: the value is %" PRId64 ", not %" PRId64, what, pdp_solution_value(solution), table[x->size - 1]);
    for (size_t row = 0; has_table && row < rows; row++) {
        assert_int_equal(pdp_solution_row(solution, row, cells, x->size), PDP_OK);
        for (size_t column = rows > 1 ? row + 1 : 0; column < x->size; column++) {
            CHECK(cells[column] == table[row * x->size + column], "%s: cell (%zu, %zu) is %" PRId64 ", not %" PRId64,
                  what, row, column, cells[column], table[row * x->size + column]);
        }
    }
}

/* The error is of that cell. */
static void check_overflow(const instance *x, const pdp_solution *solution, size_t misfit) {
    char cell[64];
    if (x->family->is_interval) {
        snprintf(cell, sizeof cell, "cell (%zu, %zu): ", misfit / x->size, misfit % x->size);
    } else {
        snprintf(cell, sizeof cell, "cell %zu: ", misfit);
    }
    CHECK(strncmp(pdp_solution_error(solution), cell, strlen(cell)) == 0, "%s: '%s' is not of %s", what,
          pdp_solution_error(solution), cell);
}

/* A plan by this method and in this type; NULL if it is refused for a reason it may have. */
static pdp_plan *make_plan(const pdp_problem *problem, pdp_options *options, bool must_take) {
    pdp_plan *plan;
    if (pdp_plan_create(&plan, problem, options) == PDP_OK) {
        return plan;
    }
    CHECK(!must_take, "%s: %s", what, pdp_plan_error(plan));
    pdp_plan_free(plan);
    return NULL;
}

/* A method, drawn; every other time the engine. */
static const char *draw_method(pdp_shape shape, uint64_t *random) {
    const char *engine = shape == PDP_INTERVAL ? "tiles" : "blocks";
    const size_t number = (size_t)between(random, 0, 2 * (int64_t)method_count(shape) - 1);
    const char *method = number < method_count(shape) ? pdp_algorithm_name(shape, number) : engine;
    return strcmp(method, "pipeline-printed") == 0 ? engine : method; /* which may be wrong */
}

/* Some way to solve it: the first of a few that takes it, or else the one that always does. */
static pdp_plan *draw_plan(const instance *x, const pdp_problem *problem, bool is_short, uint64_t *random) {
    static const char *const types[] = {NULL, NULL, "i64", "i32", "f32", "f64"};
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.memory_limit = UINT64_C(1) << 30;
    options.threads = 1;
    options.decisions = between(random, 0, 1) == 0;
    const pdp_level best = best_level();
    const pdp_level own = (pdp_level)between(random, PDP_LEVEL_GENERIC, (int64_t)best);
    const char *level = pdp_level_name(own);
    setenv("PIPEDP_LEVEL", level, 1);
    /* Kernels that are not built in take a second each. */
    options.compile = own == best && campaign(0, 1) == 1;
    pdp_plan *plan = NULL;
    for (int attempt = 0; attempt < 2 && !plan; attempt++) {
        options.algorithm = draw_method(x->family->is_interval ? PDP_INTERVAL : PDP_LINEAR, random);
        options.type = x->family->never_wraps ? NULL : types[between(random, 0, 5)];
        describe(x, options.algorithm, options.type, level, is_short);
        plan = make_plan(problem, &options, false);
    }
    if (!plan) {
        options.algorithm = NULL;
        options.type = NULL;
        describe(x, "auto", NULL, level, is_short);
        plan = make_plan(problem, &options, true);
    }
    return plan;
}

static void solve_somehow(const instance *x, const pdp_problem *problem, bool is_short, size_t misfit, tally *t,
                          uint64_t *random) {
    const pdp_shape shape = x->family->is_interval ? PDP_INTERVAL : PDP_LINEAR;
    pdp_plan *plan = draw_plan(x, problem, is_short, random);
    pdp_solution *solution;
    const pdp_status status = pdp_plan_run(plan, &solution);
    const char *name = pdp_plan_algorithm(plan);
    CHECK(status == (misfit == SIZE_MAX ? PDP_OK : PDP_OVERFLOW), "%s: %s: status %d, %s", what, name, (int)status,
          pdp_solution_error(solution));
    if (misfit == SIZE_MAX) {
        check_cells(x, solution, method_has_table(name));
    } else {
        check_overflow(x, solution, misfit);
    }
    for (size_t m = 0; pdp_algorithm_name(shape, m); m++) {
        t->methods[shape][m] += strcmp(pdp_algorithm_name(shape, m), name) == 0;
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
}

static void check_case(instance *x, bool is_short, tally *t, uint64_t *random) {
    const int64_t low = is_short ? INT32_MIN : INT64_MIN, high = is_short ? INT32_MAX : INT64_MAX;
    const size_t misfit = first_misfit(x, low, high);
    describe(x, "none", NULL, "none", is_short);
    pdp_problem *problem = make_problem(x, recurrences[x->family - families][is_short]);
    if (misfit == SIZE_MAX && !x->family->never_wraps) {
        check_bounds(x, problem);
    }
    solve_somehow(x, problem, is_short, misfit, t, random);
    pdp_problem_free(problem);
    *(misfit == SIZE_MAX ? &t->fitting : &t->beyond) += 1;
}

static const family *draw_family(uint64_t *random) {
    int64_t all = 0;
    for (size_t f = 0; f < FAMILIES; f++) {
        all += families[f].share;
    }
    int64_t at = between(random, 0, all - 1);
    size_t f = 0;
    for (; at >= families[f].share; f++) {
        at -= families[f].share;
    }
    return &families[f];
}

/* The moved number next to the edge, or some way from it, on either side. */
static void place(instance *x, int64_t edge, int side, uint64_t *random) {
    const int64_t way = x->farthest > x->nearest ? 1 : -1;
    __extension__ const __int128 room =
        side % 2 == 0 ? ((__int128)edge - x->nearest) * way : ((__int128)x->farthest - edge) * way - 1;
    const int64_t steps = side < 2 ? 0 : draw_size(random, room < 1000 ? (int64_t)room : 1000);
    *x->moved = side % 2 == 0 ? edge - way * steps : edge + way * (1 + steps);
}

/* Some problem of a recurrence, on both sides of its limit. */
static void check_instance(uint64_t *random, tally *t) {
    static const int64_t narrow[] = {1 << 24, INT32_MAX / 8, INT32_MAX, INT64_C(1) << 53, INT64_MAX / 8};
    const family *f = draw_family(random);
    const bool is_short = !f->never_wraps && between(random, 0, 1) == 0;
    const bool is_narrow = !is_short && between(random, 0, 5) == 0;
    const int64_t high = is_short ? INT32_MAX : is_narrow ? narrow[between(random, 0, 4)] : INT64_MAX;
    static instance x;
    memset(&x, 0, sizeof x);
    x.family = f;
    f->draw(&x, random, 1 + draw_size(random, high - 1));
    const bool has_edge = find_edge(&x, is_short || high == INT64_MAX ? -high - 1 : -high, high);
    const int64_t edge = has_edge ? *x.moved : 0;
    for (int side = 0; side < (has_edge ? SIDES : 1); side++) {
        if (has_edge) {
            place(&x, edge, side, random);
        }
        check_case(&x, is_short, t, random);
        t->narrow += is_narrow;
    }
}

static void test_limits(void **state) {
    (void)state;
    const size_t cases = campaign(30000, 1000000);
    uint64_t random = test_seed();
    tally t = {0};
    load_recurrences();
    while (t.fitting + t.beyond - t.narrow < cases) {
        check_instance(&random, &t);
    }
    print_message("%zu problems within the type, %zu beyond it; %zu more at the limits between types\n",
                  t.fitting - t.narrow, t.beyond, t.narrow);
    CHECK(t.beyond > cases / 3 && t.fitting - t.narrow > cases / 3, "both sides of the limit have to be seen");
    for (size_t x = 0; x < method_count(PDP_LINEAR) + method_count(PDP_INTERVAL); x++) {
        const pdp_shape shape = x < method_count(PDP_LINEAR) ? PDP_LINEAR : PDP_INTERVAL;
        const size_t m = shape == PDP_LINEAR ? x : x - method_count(PDP_LINEAR);
        print_message("  %s %zu", pdp_algorithm_name(shape, m), t.methods[shape][m]);
    }
    print_message("\n");
    free_recurrences();
}

/* ---- Sums that come back ---- */

/* Products of up to 126 bits, most of which cancel: the sum is exact as long as it is within -2^126 .. 2^126-1 on its
 * way. If it was not, and comes back, the cell is reported as one that does not fit. Never is it something else. */
static void test_cancelling(void **state) {
    (void)state;
    const size_t cases = campaign(2000, 50000);
    uint64_t random = test_seed();
    size_t right = 0, reported = 0;
    load_recurrences();
    for (size_t c = 0; c < cases; c++) {
        static instance x;
        memset(&x, 0, sizeof x);
        x.family = &families[8];
        assert_string_equal(x.family->name, "sdp_scaled");
        x.op = PDP_ADD;
        x.size = 5;
        memcpy(put(&x, "a", 4)->items, (int64_t[]){4, 3, 2, 1}, 4 * sizeof(int64_t));
        int64_t *presets = put(&x, "init", 4)->items;
        int64_t *weights = put(&x, "w", 4)->items;
        put_one(&x, "n", 5);
        const int64_t limit = between(&random, 0, 1) == 0 ? draw_size(&random, INT64_MAX) : INT64_MAX;
        for (int half = 0; half < 2; half++) { /* w*s - w*(s + a little), in two places */
            const int64_t w = between(&random, -limit, limit), s = between(&random, 9 - INT64_MAX, INT64_MAX - 9);
            weights[half] = w;
            weights[3 - half] = -w;
            presets[half] = s;
            presets[3 - half] = s + between(&random, -2, 2);
        }
        const size_t misfit = first_misfit(&x, INT64_MIN, INT64_MAX);
        __extension__ __int128 upper = 0; /* of the sum, without its lowest 32 bits */
        bool leaves = false;
        for (int j = 0; j < 4; j++) {
            upper += (__extension__(__int128) weights[j] * presets[j]) >> 32;
            leaves |=
                upper >= ((__extension__(__int128) 1) << 94) - 4 || upper <= -((__extension__(__int128) 1) << 94) + 4;
        }
        const char *const methods[] = {"sequential", "blocks", "window"};
        pdp_options options = PDP_OPTIONS_DEFAULT;
        options.algorithm = methods[c % 3];
        describe(&x, options.algorithm, NULL, "of the machine", false);
        pdp_problem *problem = make_problem(&x, recurrences[8][0]);
        pdp_plan *plan = make_plan(problem, &options, true);
        pdp_solution *solution;
        const pdp_status status = pdp_plan_run(plan, &solution);
        if (status == PDP_OK) {
            CHECK(misfit == SIZE_MAX, "%s: the overflow is not reported", what);
            check_cells(&x, solution, false);
        } else {
            CHECK(misfit != SIZE_MAX || leaves, "%s: %s", what, pdp_solution_error(solution));
            check_overflow(&x, solution, 4);
        }
        *(status == PDP_OK ? &right : &reported) += 1;
        pdp_solution_free(solution);
        pdp_plan_free(plan);
        pdp_problem_free(problem);
    }
    print_message("%zu sums are right, %zu reported\n", right, reported);
    assert_true(right > cases / 3);
    free_recurrences();
}

/* ---- Cells without terms ---- */

/* A cell whose terms are all skipped is 1 under mul, whatever the presets are, and what reads it grows from there. */
static void test_skipped(void **state) {
    (void)state;
    static const char text[] = "linear grow\n  input a[k] >= 1\n  param n >= 0\n  size n+1\n  preset 1 : 0\n"
                               "  missing skip\n  offset a[j]\n  term s*1000\n  combine mul\n";
    pdp_recurrence *recurrence;
    pdp_problem *problem;
    const int64_t offset = 2;
    assert_int_equal(pdp_recurrence_parse(&recurrence, text, sizeof text - 1), PDP_OK);
    assert_int_equal(pdp_problem_create(&problem, recurrence), PDP_OK);
    assert_int_equal(pdp_problem_set_whole(problem, "a", &offset, 1, 0), PDP_OK);
    for (int64_t n = 0; n <= 15; n++) { /* 1000^7 does not fit */
        assert_int_equal(pdp_problem_set_whole(problem, "n", &n, 1, 0), PDP_OK);
        assert_int_equal(pdp_problem_check(problem), PDP_OK);
        for (int m = 0; m < 2; m++) {
            pdp_options options = PDP_OPTIONS_DEFAULT;
            options.algorithm = m == 0 ? "sequential" : "blocks";
            pdp_plan *plan;
            pdp_solution *solution;
            assert_int_equal(pdp_plan_create(&plan, problem, &options), PDP_OK);
            assert_int_equal(pdp_plan_run(plan, &solution), n == 15 ? PDP_OVERFLOW : PDP_OK);
            int64_t expected = n % 2;
            for (int64_t x = 3; x <= n; x += 2) {
                expected = n % 2 == 0 || n == 15 ? 0 : expected * 1000;
            }
            assert_int_equal(pdp_solution_value(solution), expected);
            pdp_solution_free(solution);
            pdp_plan_free(plan);
        }
    }
    pdp_problem_free(problem);
    pdp_recurrence_free(recurrence);
}

/* Every built-in recurrence is here, but for those of floats. */
static void test_families(void **state) {
    (void)state;
    for (size_t b = 0; pdp_builtin_name(b); b++) {
        bool is_here = strstr(pdp_builtin_text(b), "type    f64") != NULL;
        for (size_t f = 0; f < FAMILIES; f++) {
            is_here |= strcmp(families[f].name, pdp_builtin_name(b)) == 0;
        }
        CHECK(is_here, "%s is not tested", pdp_builtin_name(b));
    }
}

int main(void) {
    use_test_cache();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_families), cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_cancelling), cmocka_unit_test(test_skipped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
