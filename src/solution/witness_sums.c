/* All equations of a table of sums in one: see pdp_witness_sums. */
#include <stdlib.h>
#include <string.h>

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
    uint64_t weight;         /* r */
    products products;       /* BINARY */
    uint64_t powers[8][256]; /* r to the power of every byte at every place */
} ring;

static const uint64_t mersenne = (UINT64_C(1) << 61) - 1;

static uint64_t ring_add(const ring *f, uint64_t a, uint64_t b) {
    /* Numbers are below the modulus. */
    return f->kind == BINARY ? a ^ b : a >= f->modulus - b ? a - (f->modulus - b) : a + b;
}

static uint64_t ring_negate(const ring *f, uint64_t a) {
    return f->kind == BINARY || a == 0 ? a : f->modulus - a;
}

/* Polynomials over two elements, modulo x^64 + x^4 + x^3 + x + 1. */
static uint64_t multiply_binary(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    for (; b != 0; b >>= 1) {
        product ^= (b & 1) != 0 ? a : 0;
        a = (a << 1) ^ ((a >> 63) != 0 ? UINT64_C(0x1B) : 0);
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
static inline uint64_t ring_step(const ring *f, uint64_t a) {
    if (f->kind != BINARY) {
        return ring_multiply(f, f->weight, a);
    }
    return multiply_by(&f->products, a);
}

static uint64_t ring_power(const ring *f, uint64_t exponent) {
    uint64_t power = f->powers[0][exponent & 255];
    for (unsigned byte = 1; byte < 8 && exponent >> 8 * byte != 0; byte++) {
        power = ring_multiply(f, power, f->powers[byte][exponent >> 8 * byte & 255]);
    }
    return power;
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
        a = (a << 1) ^ ((a >> 63) != 0 ? UINT64_C(0x1B) : 0);
    }
}

/* A weight that has an inverse, so that the first of several cells counts as much as the last; and its powers, as far
 * as they are asked for. */
static void draw_weight(ring *f, uint64_t most, uint64_t *state) {
    do {
        f->weight = f->kind == BINARY ? pdp_random_next(state)
                                      : (uint64_t)pdp_random_between(state, 1, (int64_t)f->modulus - 1);
    } while (f->weight == 0 || (f->kind == RESIDUES && pdp_witness_divisor(f->weight, f->modulus) != 1));
    uint64_t base = f->weight;
    products by_base;
    for (unsigned byte = 0; byte < 8 && (byte == 0 || most >> 8 * byte != 0); byte++) {
        uint64_t *powers = f->powers[byte];
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
        make_products(&f->products, f->weight);
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

static bool choose_ring(const pdp_problem *problem, ring *f) {
    const pdp_recurrence *r = problem->recurrence;
    const bool is_plain = r->nodes[r->inner].kind == PDP_NODE_CELL;
    if (r->shape != PDP_LINEAR || r->finish != PDP_NO_NODE || r->after != PDP_NO_NODE || !is_scaled(r)) {
        return false;
    }
    const bool is_whole = problem->element == PDP_ELEMENT_WHOLE || problem->element == PDP_ELEMENT_I32 ||
                          problem->element == PDP_ELEMENT_I64;
    const bool is_odd = problem->element == PDP_ELEMENT_MOD && problem->modulus % 2 == 1;
    if (problem->combine == PDP_OP_XOR) {
        f->kind = BINARY;
        return is_plain && (is_whole || problem->element == PDP_ELEMENT_BITS);
    }
    f->kind = is_whole ? EXACT : RESIDUES;
    f->modulus = is_whole ? mersenne : (uint64_t)problem->modulus;
    return problem->combine == PDP_OP_ADD && (is_whole || (is_odd && problem->modulus >= 1 << 20));
}

/* ---- The pass ---- */

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
static size_t make_events(const pdp_problem *problem, const ring *f, size_t first, size_t end, event *events) {
    pdp_bindings b = pdp_problem_bindings(problem);
    size_t count = 0;
    b.cells[PDP_CELL_SOURCE] = (pdp_value){.whole = 1};
    for (size_t j = 0; j < problem->offset_count; j++) {
        const size_t offset = problem->offsets[j];
        if (offset >= end) {
            continue;
        }
        b.j = (int64_t)j;
        const uint64_t factor = ring_from(f, pdp_interpret_element(&b, problem->recurrence->inner).whole);
        const uint64_t change = ring_multiply(f, factor, ring_power(f, offset));
        events[count++] = (event){end - offset - 1, change};
        if (offset < first) {
            events[count++] = (event){first - offset - 1, ring_negate(f, change)};
        }
    }
    qsort(events, count, sizeof *events, compare_events);
    return count;
}

/* Left side minus right side, from the last cell to the first: `above` has all that the factors have changed for since,
 * `part` what they have not; each cell makes both heavier by r. */
static uint64_t add_equations(const pdp_solution *solution, const ring *f, size_t first, size_t end,
                              const event *events, size_t count) {
    const pdp_problem *problem = solution->problem;
    pdp_bindings b = pdp_problem_bindings(problem);
    uint64_t above = 0, part = 0, sources = 0;
    uint64_t factor = ring_power(f, 0); /* of cells that are on the left side */
    size_t next = 0;
    for (size_t m = end; m-- > 0 && (m >= first || next < count || factor != 0);) {
        const bool leaves = m + 1 == first;
        if (leaves || (next < count && events[next].cell == m)) {
            above = ring_add(f, above, ring_multiply(f, factor, part));
            part = 0;
            factor = leaves ? ring_add(f, factor, ring_negate(f, ring_power(f, 0))) : factor;
            for (; next < count && events[next].cell == m; next++) {
                factor = ring_add(f, factor, ring_negate(f, events[next].change));
            }
            if (m < first && next == count && factor == 0) {
                break; /* the cell may not be there */
            }
        }
        above = ring_step(f, above);
        part = ring_add(f, ring_step(f, part), ring_from(f, pdp_solution_cell(solution, 0, m).whole));
        if (problem->has_source) {
            sources = ring_step(f, sources);
            if (m >= first) {
                b.i = (int64_t)m;
                sources =
                    ring_add(f, sources, ring_from(f, pdp_interpret_element(&b, problem->recurrence->source).whole));
            }
        }
    }
    above = ring_add(f, above, ring_multiply(f, factor, part));
    return ring_add(f, above, ring_negate(f, sources));
}

uint64_t pdp_witness_sums_bytes(const pdp_problem *problem) {
    return pdp_bytes_multiply(problem->offset_count, 2 * sizeof(event) * 2); /* sorting may take as many again */
}

pdp_status pdp_witness_sums(const pdp_witness *witness, size_t count, size_t *checked, pdp_error *error) {
    const pdp_solution *solution = witness->solution;
    const pdp_problem *problem = solution->problem;
    const size_t least = solution->shape == PDP_LINEAR ? pdp_witness_first(solution) : 0;
    const size_t begin = problem->preset_count > least ? problem->preset_count : least; /* of cells with equations */
    uint64_t state = 1;
    ring f;
    memset(&f, 0, sizeof f);
    *checked = 0;
    if (!choose_ring(problem, &f) || begin >= solution->n) {
        return PDP_OK;
    }
    const size_t all = solution->n - begin;
    count = count < all ? count : all;
    const size_t first = begin + (size_t)pdp_random_between(&state, 0, (int64_t)(all - count));
    event *events = pdp_array_allocate(2 * problem->offset_count, sizeof *events, error);
    if (!events) {
        return error->status;
    }
    draw_weight(&f, first + count, &state);
    const size_t changes = make_events(problem, &f, first, first + count, events);
    if (add_equations(solution, &f, first, first + count, events, changes) != 0) {
        pdp_error_set(error, PDP_WRONG,
                      "the answer is wrong: of the cells %zu to %zu one is not what its terms come to", first,
                      first + count - 1);
    }
    free(events);
    *checked = count;
    return error->status;
}
