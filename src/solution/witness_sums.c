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

/* A random weight. */
typedef struct weights {
    ring ring;
    uint64_t weight;
    products products; /* BINARY */
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

/* The weight times a: what is done for every cell. */
static inline uint64_t weigh(const weights *w, uint64_t a) {
    return w->ring.kind == BINARY ? multiply_by(&w->products, a) : ring_multiply(&w->ring, w->weight, a);
}

static uint64_t weight_power(const weights *w, uint64_t exponent) {
    uint64_t power = 1, square = w->weight;
    for (; exponent > 0; exponent /= 2) {
        power = exponent % 2 == 1 ? ring_multiply(&w->ring, power, square) : power;
        square = ring_multiply(&w->ring, square, square);
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

/* A cell; false if it is no residue, which as a number of the ring could still be right. */
static inline bool take_cell(const pdp_solution *solution, const ring *f, size_t m, uint64_t *cell) {
    const pdp_wide value = pdp_solution_cell(solution, 0, m).whole;
    *cell = ring_from(f, value);
    return f->kind != RESIDUES || *cell == (pdp_uwide)value;
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

/* A weight that has an inverse, so that the first of several cells counts as much as the last. */
static void draw_weight(weights *w, uint64_t *state) {
    const ring *f = &w->ring;
    do {
        w->weight = f->kind == BINARY ? pdp_random_next(state)
                                      : (uint64_t)pdp_random_between(state, 1, (int64_t)f->modulus - 1);
    } while (w->weight == 0 || (f->kind == RESIDUES && pdp_witness_divisor(w->weight, f->modulus) != 1));
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

enum { CHUNK = 256 }; /* cells that are read at a time */

typedef struct summand {
    uint64_t offset;
    uint64_t factor;
} summand;

static int compare_summands(const void *one, const void *other) {
    const summand *a = one, *b = other;
    return (a->offset < b->offset) - (a->offset > b->offset); /* the greatest first */
}

/* Those of cells before `end`. Offsets mostly come in order. */
static size_t make_summands(const pdp_problem *problem, const ring *f, size_t end, summand *summands) {
    pdp_bindings b = pdp_problem_bindings(problem);
    const bool plain = is_plain(problem->recurrence);
    size_t count = 0;
    bool is_sorted = true;
    for (size_t j = 0; j < problem->offset_count; j++) {
        if (problem->offsets[j] < end) {
            summands[count] = (summand){problem->offsets[j], plain ? 1 : evaluate_factor(f, &b, j)};
            is_sorted &= count == 0 || summands[count].offset <= summands[count - 1].offset;
            count++;
        }
    }
    if (!is_sorted) {
        qsort(summands, count, sizeof *summands, compare_summands);
    }
    return count;
}

/* The sum so far times the factors of those that read this cell from the cell `reader`; `next` goes on behind them. */
static uint64_t take_summands(const ring *f, const summand *summands, size_t count, size_t *next, size_t cell,
                              size_t reader, uint64_t sum) {
    uint64_t taken = 0;
    for (; *next < count && summands[*next].offset + cell == reader; ++*next) {
        const uint64_t factor = summands[*next].factor;
        taken = ring_add(f, taken, factor == 1 ? sum : ring_multiply(f, factor, sum));
    }
    return taken;
}

/* With q(m) = ST[m] + w ST[m-1] + w^2 ST[m-2] + ... the cells from `first` to end-1, the last as it is and each one
 * before it with one w more, are q(end-1) - w^(end-first) q(first-1), and what an offset reads for them is the same of
 * the cells that far back. So q is needed at two cells for each offset, and where it begins does not matter. Whether
 * left side and right side are the same. */
static bool equations_hold(const pdp_solution *solution, const weights *w, size_t first, size_t end,
                           const summand *summands, size_t count) {
    const ring *f = &w->ring;
    const pdp_problem *problem = solution->problem;
    pdp_bindings b = pdp_problem_bindings(problem);
    const size_t reach = count > 0 ? (size_t)summands[0].offset : 0, begin = first > reach ? first - reach : 0;
    uint64_t q = 0, before = 0, right = 0, right_before = 0, sources = 0;
    size_t next = 0, next_before = 0;
    while (next_before < count && summands[next_before].offset + begin >= first) {
        next_before++; /* q is 0 there */
    }
    uint64_t cells[CHUNK];
    bool is_good = true;
    for (size_t m = begin; m < end; m++) {
        if ((m - begin) % CHUNK == 0) { /* none waits for another, as sums do */
            for (size_t x = 0; x < CHUNK && m + x < end; x++) {
                is_good &= take_cell(solution, f, m + x, &cells[x]);
            }
        }
        q = ring_add(f, weigh(w, q), cells[(m - begin) % CHUNK]);
        if (next_before < count && summands[next_before].offset + m + 1 == first) {
            right_before = ring_add(f, right_before, take_summands(f, summands, count, &next_before, m, first - 1, q));
        }
        if (next < count && summands[next].offset + m + 1 == end) {
            right = ring_add(f, right, take_summands(f, summands, count, &next, m, end - 1, q));
        }
        before = m + 1 == first ? q : before;
        if (problem->has_source && m >= first) {
            sources = ring_add(f, weigh(w, sources), evaluate_source(f, &b, m));
        }
    }
    const uint64_t left = ring_add(f, q, ring_negate(f, ring_add(f, right, sources)));
    const uint64_t left_before = ring_add(f, before, ring_negate(f, right_before));
    return is_good && left == ring_multiply(f, weight_power(w, end - first), left_before);
}

uint64_t pdp_witness_sums_bytes(const pdp_problem *problem) {
    return pdp_bytes_multiply(problem->offset_count, 2 * sizeof(summand)); /* sorting may take as many again */
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
    summand *summands = pdp_room_allocate(problem->offset_count, sizeof *summands, error);
    if (summands && count > 0) {
        draw_weight(&w, &state);
        const size_t used = make_summands(problem, &w.ring, first + count, summands);
        if (!equations_hold(solution, &w, first, first + count, summands, used)) {
            fail_row(first, count, error);
        }
        *checked = count;
    }
    free(summands);
    return error->status;
}

/* ---- One by one ---- */

static bool row_holds(const pdp_solution *solution, const ring *f, size_t first, size_t end, const uint64_t *factors) {
    const pdp_problem *problem = solution->problem;
    pdp_bindings b = pdp_problem_bindings(problem);
    bool is_good = true;
    for (size_t i = first; i < end && is_good; i++) {
        uint64_t sum = problem->has_source ? evaluate_source(f, &b, i) : 0, cell;
        for (size_t j = 0; j < problem->offset_count; j++) {
            if (problem->offsets[j] <= i) {
                is_good &= take_cell(solution, f, i - problem->offsets[j], &cell);
                sum = ring_add(f, sum, factors ? ring_multiply(f, factors[j], cell) : cell);
            }
        }
        is_good &= take_cell(solution, f, i, &cell) && cell == sum;
    }
    return is_good;
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
