/* Equations of a table of sums, many in one or one by one: see pdp_witness_sums and pdp_witness_row. */
#include <stdlib.h>

#include "core/memory.h"
#include "solution/witness.h"

/* ---- Rings in which random weights are multiplied ---- */

typedef enum ring_kind { EXACT, RESIDUES, BINARY } ring_kind;

/* Of a number with every byte at every place. */
typedef struct products {
    uint64_t of[8][256];
} products;

typedef struct ring {
    ring_kind kind;
    uint64_t modulus;
} ring;

/* A random weight and what it is multiplied by. */
typedef struct weights {
    ring ring;
    uint64_t weight;         /* r */
    products products;       /* BINARY */
    uint64_t powers[8][256]; /* r to the power of every byte at every place */
} weights;

static const uint64_t mersenne = (UINT64_C(1) << 61) - 1;

static uint64_t ring_add(const ring *f, uint64_t a, uint64_t b) {
    /* Numbers are below the modulus. */
    return f->kind == BINARY ? a ^ b : a >= f->modulus - b ? a - (f->modulus - b) : a + b;
}

static uint64_t ring_negate(const ring *f, uint64_t a) {
    return f->kind == BINARY || a == 0 ? a : f->modulus - a;
}

/* Polynomials over two elements, modulo x^64 + x^4 + x^3 + x + 1. */
static inline uint64_t shift_binary(uint64_t a) {
    return (a << 1) ^ ((a >> 63) != 0 ? UINT64_C(0x1B) : 0);
}

/* Four bits at a time. */
static uint64_t multiply_binary(uint64_t a, uint64_t b) {
    uint64_t multiples[16] = {0, a}, product = 0;
    for (unsigned x = 2; x < 16; x++) {
        multiples[x] = x % 2 == 0 ? shift_binary(multiples[x / 2]) : multiples[x - 1] ^ a;
    }
    for (unsigned digit = 16; digit-- > 0;) {
        const uint64_t over = product >> 60;
        product = (product << 4) ^ over ^ over << 1 ^ over << 3 ^ over << 4 ^ multiples[b >> 4 * digit & 15];
    }
    return product;
}

static uint64_t ring_multiply(const ring *f, uint64_t a, uint64_t b) {
    const pdp_uwide product = (pdp_uwide)a * b;
    switch (f->kind) {
    case BINARY: return multiply_binary(a, b);
    case EXACT: {
        const uint64_t folded = (uint64_t)(product & mersenne) + (uint64_t)(product >> 61);
        return folded >= mersenne ? folded - mersenne : folded;
    }
    default: return (uint64_t)(product >> 64) == 0 ? (uint64_t)product % f->modulus : (uint64_t)(product % f->modulus);
    }
}

static inline uint64_t multiply_by(const products *p, uint64_t a) {
    uint64_t product = 0;
    for (unsigned byte = 0; byte < 8; byte++) {
        product ^= p->of[byte][a >> 8 * byte & 255];
    }
    return product;
}

/* r times a: what is done for every cell. */
static inline uint64_t weigh(const weights *w, uint64_t a) {
    return w->ring.kind == BINARY ? multiply_by(&w->products, a) : ring_multiply(&w->ring, w->weight, a);
}

static uint64_t weight_power(const weights *w, uint64_t exponent) {
    uint64_t power = w->powers[0][exponent & 255];
    for (unsigned byte = 1; byte < 8 && exponent >> 8 * byte != 0; byte++) {
        power = ring_multiply(&w->ring, power, w->powers[byte][exponent >> 8 * byte & 255]);
    }
    return power;
}

/* a times r, `count` times. */
static uint64_t weigh_often(const weights *w, uint64_t a, size_t count) {
    if (count > 8) {
        return ring_multiply(&w->ring, a, weight_power(w, count));
    }
    for (; count > 0; count--) {
        a = weigh(w, a);
    }
    return a;
}

static uint64_t ring_from(const ring *f, pdp_wide value) {
    if (f->kind == BINARY) {
        return (uint64_t)value;
    }
    if (value >= 0 && value < (pdp_wide)f->modulus) { /* as residues are */
        return (uint64_t)value;
    }
    const pdp_wide rest = value % (pdp_wide)f->modulus;
    return (uint64_t)(rest < 0 ? rest + (pdp_wide)f->modulus : rest);
}

uint64_t pdp_witness_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Sums of the products with bits. */
static void make_products(products *p, uint64_t a) {
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t *row = p->of[bit / 8];
        const unsigned own = 1U << bit % 8;
        row[0] = 0;
        for (unsigned x = 0; x < own; x++) {
            row[own + x] = row[x] ^ a;
        }
        a = shift_binary(a);
    }
}

/* A weight that has an inverse, so that the first of several cells counts as much as the last; and its powers, as far
 * as they are asked for. */
static void draw_weight(weights *w, uint64_t most, uint64_t *state) {
    const ring *f = &w->ring;
    do {
        w->weight = f->kind == BINARY ? pdp_random_next(state)
                                      : (uint64_t)pdp_random_between(state, 1, (int64_t)f->modulus - 1);
    } while (w->weight == 0 || (f->kind == RESIDUES && pdp_witness_divisor(w->weight, f->modulus) != 1));
    uint64_t base = w->weight;
    products by_base;
    for (unsigned byte = 0; byte < 8 && (byte == 0 || most >> 8 * byte != 0); byte++) {
        uint64_t *powers = w->powers[byte];
        powers[0] = 1;
        if (f->kind == BINARY) {
            make_products(&by_base, base);
        }
        for (unsigned x = 1; x < 256; x++) {
            powers[x] =
                f->kind == BINARY ? multiply_by(&by_base, powers[x - 1]) : ring_multiply(f, powers[x - 1], base);
        }
        base = f->kind == BINARY ? multiply_by(&by_base, powers[255]) : ring_multiply(f, powers[255], base);
    }
    if (f->kind == BINARY) {
        make_products(&w->products, w->weight);
    }
}

/* ---- The recurrence ---- */

/* s, or s times something that depends on the offset's number alone. */
static bool is_scaled(const pdp_recurrence *r) {
    const pdp_node *inner = &r->nodes[r->inner];
    if (inner->kind == PDP_NODE_CELL) {
        return true;
    }
    if (inner->kind != PDP_NODE_BINARY || inner->op != PDP_OP_MUL) {
        return false;
    }
    const pdp_node *a = &r->nodes[inner->child[0]], *b = &r->nodes[inner->child[1]];
    const pdp_node *cell = a->has_cell ? a : b, *factor = a->has_cell ? b : a;
    return cell->kind == PDP_NODE_CELL && !factor->has_cell && (factor->uses & PDP_USES_I) == 0;
}

/* s alone. */
static bool is_plain(const pdp_recurrence *r) {
    return r->nodes[r->inner].kind == PDP_NODE_CELL;
}

static bool choose_ring(const pdp_problem *problem, ring *f) {
    const pdp_recurrence *r = problem->recurrence;
    if (r->shape != PDP_LINEAR || r->finish != PDP_NO_NODE || r->after != PDP_NO_NODE || !is_scaled(r)) {
        return false;
    }
    const bool is_whole = pdp_element_is_whole(problem->element);
    const bool is_odd = problem->element == PDP_ELEMENT_MOD && problem->modulus % 2 == 1;
    if (problem->combine == PDP_OP_XOR) {
        f->kind = BINARY;
        return is_plain(r) && (is_whole || problem->element == PDP_ELEMENT_BITS);
    }
    f->kind = is_whole ? EXACT : RESIDUES;
    f->modulus = is_whole ? mersenne : (uint64_t)problem->modulus;
    return problem->combine == PDP_OP_ADD && (is_whole || (is_odd && problem->modulus >= 1 << 20));
}

static uint64_t evaluate_source(const ring *f, pdp_bindings *b, size_t i) {
    b->i = (int64_t)i;
    return ring_from(f, pdp_interpret_element(b, b->recurrence->source).whole);
}

/* What the term of an offset is multiplied by. */
static uint64_t evaluate_factor(const ring *f, pdp_bindings *b, size_t j) {
    b->j = (int64_t)j;
    b->cells[PDP_CELL_SOURCE] = (pdp_value){.whole = 1};
    return ring_from(f, pdp_interpret_element(b, b->recurrence->inner).whole);
}

/* Cells that have equations, `count` of them in a row, all if there are no more: from where on is drawn. */
static size_t choose_row(const pdp_solution *solution, size_t *count, uint64_t *state) {
    const size_t least = pdp_witness_first(solution), presets = solution->problem->preset_count;
    const size_t begin = presets > least ? presets : least;
    const size_t all = begin < solution->n ? solution->n - begin : 0;
    *count = *count < all ? *count : all;
    return begin + (size_t)pdp_random_between(state, 0, (int64_t)(all - *count));
}

static pdp_status fail_row(size_t first, size_t count, pdp_error *error) {
    return pdp_error_set(error, PDP_WRONG,
                         "the answer is wrong: of the cells %zu to %zu one is not what its terms come to", first,
                         first + count - 1);
}

/* ---- All in one ---- */

/* The factor of r^m ST[m] on the right side changes at cells: from m on (and for all below, until the next one) it has
 * `change` more. */
typedef struct event {
    uint64_t cell;
    uint64_t change;
} event;

static int compare_events(const void *one, const void *other) {
    const event *a = one, *b = other;
    return (a->cell < b->cell) - (a->cell > b->cell); /* the last cell first */
}

/* ST[m] is in the equations of the cells m + offset, of which those from `first` to end-1 are looked at. */
static size_t make_events(const pdp_problem *problem, const weights *w, size_t first, size_t end, event *events) {
    const ring *f = &w->ring;
    pdp_bindings b = pdp_problem_bindings(problem);
    size_t count = 0;
    for (size_t j = 0; j < problem->offset_count; j++) {
        const size_t offset = problem->offsets[j];
        if (offset >= end) {
            continue;
        }
        const uint64_t change = ring_multiply(f, evaluate_factor(f, &b, j), weight_power(w, offset));
        events[count++] = (event){end - offset - 1, change};
        if (offset < first) {
            events[count++] = (event){first - offset - 1, ring_negate(f, change)};
        }
    }
    qsort(events, count, sizeof *events, compare_events);
    return count;
}

/* Left side minus right side, from the last cell to the first: `above` has all that the factors have changed for since,
 * `part` what they have not; each cell makes both heavier by r, `above` when it is needed. */
static uint64_t add_equations(const pdp_solution *solution, const weights *w, size_t first, size_t end,
                              const event *events, size_t count) {
    const ring *f = &w->ring;
    const pdp_problem *problem = solution->problem;
    pdp_bindings b = pdp_problem_bindings(problem);
    uint64_t above = 0, part = 0, sources = 0;
    uint64_t factor = 1; /* of cells that are on the left side */
    size_t next = 0, behind = 0;
    for (size_t m = end; m-- > 0 && (m >= first || next < count || factor != 0);) {
        const bool leaves = m + 1 == first;
        if (leaves || (next < count && events[next].cell == m)) {
            above = ring_add(f, weigh_often(w, above, behind), ring_multiply(f, factor, part));
            part = 0;
            behind = 0;
            factor = leaves ? ring_add(f, factor, ring_negate(f, 1)) : factor;
            for (; next < count && events[next].cell == m; next++) {
                factor = ring_add(f, factor, ring_negate(f, events[next].change));
            }
            if (m < first && next == count && factor == 0) {
                break; /* the cell may not be there */
            }
        }
        behind++;
        part = ring_add(f, weigh(w, part), ring_from(f, pdp_solution_cell(solution, 0, m).whole));
        if (problem->has_source) {
            sources = weigh(w, sources);
            sources = m >= first ? ring_add(f, sources, evaluate_source(f, &b, m)) : sources;
        }
    }
    above = ring_add(f, weigh_often(w, above, behind), ring_multiply(f, factor, part));
    return ring_add(f, above, ring_negate(f, sources));
}

uint64_t pdp_witness_sums_bytes(const pdp_problem *problem) {
    return pdp_bytes_multiply(problem->offset_count, 2 * sizeof(event) * 2); /* sorting may take as many again */
}

pdp_status pdp_witness_sums(const pdp_witness *witness, size_t count, size_t *checked, pdp_error *error) {
    const pdp_solution *solution = witness->solution;
    const pdp_problem *problem = solution->problem;
    uint64_t state = 1;
    weights w;
    *checked = 0;
    if (!choose_ring(problem, &w.ring)) {
        return PDP_OK;
    }
    const size_t first = choose_row(solution, &count, &state);
    event *events = pdp_room_allocate(2 * problem->offset_count, sizeof *events, error);
    if (events && count > 0) {
        draw_weight(&w, first + count, &state);
        const size_t changes = make_events(problem, &w, first, first + count, events);
        if (add_equations(solution, &w, first, first + count, events, changes) != 0) {
            fail_row(first, count, error);
        }
        *checked = count;
    }
    free(events);
    return error->status;
}

/* ---- One by one ---- */

static bool row_holds(const pdp_solution *solution, const ring *f, size_t first, size_t end, const uint64_t *factors) {
    const pdp_problem *problem = solution->problem;
    pdp_bindings b = pdp_problem_bindings(problem);
    for (size_t i = first; i < end; i++) {
        uint64_t sum = problem->has_source ? evaluate_source(f, &b, i) : 0;
        for (size_t j = 0; j < problem->offset_count; j++) {
            if (problem->offsets[j] <= i) {
                const uint64_t cell = ring_from(f, pdp_solution_cell(solution, 0, i - problem->offsets[j]).whole);
                sum = ring_add(f, sum, factors ? ring_multiply(f, factors[j], cell) : cell);
            }
        }
        if (sum != ring_from(f, pdp_solution_cell(solution, 0, i).whole)) {
            return false;
        }
    }
    return true;
}

pdp_status pdp_witness_row(const pdp_witness *witness, size_t count, size_t *checked, pdp_error *error) {
    const pdp_solution *solution = witness->solution;
    const pdp_problem *problem = solution->problem;
    pdp_bindings b = pdp_problem_bindings(problem);
    uint64_t state = 1, *factors = NULL;
    ring f;
    *checked = 0;
    if (!choose_ring(problem, &f)) {
        return PDP_OK;
    }
    if (!is_plain(problem->recurrence)) {
        factors = pdp_room_allocate(problem->offset_count, sizeof *factors, error);
        for (size_t j = 0; factors && j < problem->offset_count; j++) {
            factors[j] = evaluate_factor(&f, &b, j);
        }
    }
    const size_t first = choose_row(solution, &count, &state);
    if (error->status == PDP_OK && !row_holds(solution, &f, first, first + count, factors)) {
        fail_row(first, count, error);
    }
    free(factors);
    *checked = count;
    return error->status;
}
