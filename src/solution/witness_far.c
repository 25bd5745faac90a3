/* One far cell of a sum with fixed weights, by another way than whoever found it: see pdp_witness_far. */
#include <inttypes.h>
#include <string.h>

#include "problem/linear_form.h"
#include "solution/witness.h"

enum { MOST_OFFSET = 48, MOST_ORDER = MOST_OFFSET + 1 };

typedef struct far_cell {
    const pdp_problem *problem;
    pdp_bindings b;
    bool is_mod; /* residues; otherwise numbers modulo 2^64, of which the signed ones fit */
    uint64_t modulus;
    size_t longest; /* offset */
    size_t order;   /* of the recurrence without its constant: longest + 1 */
    size_t start;   /* from this cell on every one has all its terms, and one before it too */
    bool is_near;   /* all cells up to the one that is wanted can be computed */
    size_t first;   /* cell of those below */
    uint64_t cells[2 * MOST_ORDER];
    uint64_t factors[MOST_ORDER + 1]; /* ST[i] is the sum of factors[d] * ST[i - d], d = 1 .. order */
    uint64_t power[MOST_ORDER];       /* of x, modulo the polynomial that this is */
} far_cell;

static uint64_t bring(const far_cell *f, pdp_wide value) {
    if (!f->is_mod) {
        return (uint64_t)value;
    }
    const pdp_wide rest = value % (pdp_wide)f->modulus;
    return (uint64_t)(rest < 0 ? rest + (pdp_wide)f->modulus : rest);
}

/* Factors are below 2^63, so that sums below 2^127 have room for a product. */
static inline void add_product(const far_cell *f, pdp_uwide *sum, uint64_t a, uint64_t b) {
    *sum += (pdp_uwide)a * b;
    if (f->is_mod && *sum >> 127 != 0) {
        *sum %= f->modulus;
    }
}

static inline uint64_t reduce(const far_cell *f, pdp_uwide sum) {
    return f->is_mod ? (uint64_t)(sum % f->modulus) : (uint64_t)sum;
}

/* ---- The recurrence ---- */

static bool is_of_form(const pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    return problem->shape == PDP_LINEAR && problem->combine == PDP_OP_ADD && problem->element != PDP_ELEMENT_F32 &&
           problem->element != PDP_ELEMENT_F64 && pdp_linear_form_of_term(r) != PDP_TERM_OTHER &&
           pdp_linear_form_finish_adds(r);
}

/* The term j of a cell that is `value`. */
static pdp_value evaluate_term(far_cell *f, size_t j, pdp_wide value) {
    f->b.j = (int64_t)j;
    f->b.cells[PDP_CELL_SOURCE] = (pdp_value){.whole = value};
    return pdp_interpret_element(&f->b, f->problem->recurrence->term);
}

/* From ST[i] = c + the sum of w[d] * ST[i - d], and the same for i - 1: the difference has no constant. */
static void find_factors(far_cell *f) {
    for (size_t d = 0; d <= f->order; d++) {
        f->factors[d] = 0;
    }
    f->factors[1] = 1;
    for (size_t j = 0; j < f->problem->offset_count; j++) {
        const size_t d = f->problem->offsets[j];
        if (d > f->longest) {
            continue;
        }
        const uint64_t one = bring(f, evaluate_term(f, j, 1).whole), none = bring(f, evaluate_term(f, j, 0).whole);
        const uint64_t weight = bring(f, (pdp_wide)one - (pdp_wide)none);
        f->factors[d] = bring(f, (pdp_wide)f->factors[d] + weight);
        f->factors[d + 1] = bring(f, (pdp_wide)f->factors[d + 1] - weight);
    }
}

/* Cells `first` .. last, as the file has them. */
static void fill_cells(far_cell *f, size_t last) {
    const pdp_recurrence *r = f->problem->recurrence;
    const bool is_signed = f->problem->element != PDP_ELEMENT_BITS && !f->is_mod;
    for (size_t i = f->first; i <= last; i++) {
        pdp_value sum = {.whole = 0};
        f->b.i = (int64_t)i;
        if (i < f->problem->preset_count) {
            sum = pdp_interpret_element(&f->b, r->preset_value);
        } else {
            sum = f->problem->has_source ? pdp_interpret_element(&f->b, r->source) : sum;
            for (size_t j = 0; j < f->problem->offset_count; j++) {
                const size_t offset = f->problem->offsets[j];
                if (offset <= i) {
                    const uint64_t cell = f->cells[i - offset - f->first];
                    const pdp_value term = evaluate_term(f, j, is_signed ? (pdp_wide)(int64_t)cell : (pdp_wide)cell);
                    sum = pdp_interpret_combine(&f->b, PDP_OP_ADD, sum, term);
                }
            }
            f->b.cells[PDP_CELL_BEST] = sum;
            sum = r->finish == PDP_NO_NODE ? sum : pdp_interpret_element(&f->b, r->finish);
        }
        f->cells[i - f->first] = bring(f, sum.whole);
    }
}

/* ---- Powers of x ---- */

static bool is_large(const far_cell *f) {
    return f->is_mod && f->modulus >> 60 != 0;
}

/* sum + a[0] * b[0] + a[1] * b[step] + ... */
static pdp_uwide add_products(const far_cell *f, pdp_uwide sum, const uint64_t *a, const uint64_t *b, ptrdiff_t step,
                              size_t count) {
    if (is_large(f)) {
        for (size_t x = 0; x < count; x++, b += step) {
            add_product(f, &sum, a[x], *b);
        }
        return sum;
    }
    for (size_t x = 0; x < count; x++, b += step) { /* 256 products have room, or the last 64 bits alone count */
        sum += (pdp_uwide)a[x] * *b;
    }
    return sum;
}

/* The power becomes its square, or x times that. */
static void square(far_cell *f, bool times_x) {
    const size_t order = f->order;
    pdp_uwide product[2 * MOST_ORDER] = {0};
    uint64_t rest[2 * MOST_ORDER];
    for (size_t m = 0; m + 1 < 2 * order; m++) { /* power[x] * power[m - x], for x < m - x twice */
        const size_t first = m < order ? 0 : m - order + 1;
        const pdp_uwide half = add_products(f, 0, f->power + first, f->power + m - first, -1, (m + 1) / 2 - first);
        const uint64_t middle = m % 2 == 0 ? f->power[m / 2] : 0;
        product[m + times_x] = 2 * (is_large(f) ? reduce(f, half) : half) + (pdp_uwide)middle * middle;
    }
    for (size_t m = 2 * order; m-- > 0;) { /* each above the order adds to the lower ones */
        const size_t from = m < order ? order : m + 1, end = m < order ? m + order + 1 : 2 * order;
        rest[m] = reduce(f, add_products(f, product[m], rest + from, f->factors + from - m, 1, end - from));
    }
    memcpy(f->power, rest, order * sizeof *rest);
}

/* ST[first + steps] as a sum of the first cells. */
static uint64_t find_cell(far_cell *f, uint64_t steps) {
    pdp_uwide sum = 0;
    memset(f->power, 0, sizeof f->power);
    f->power[0] = 1;
    for (unsigned bit = 64; bit-- > 0;) {
        if (steps >> bit != 0) {
            square(f, (steps >> bit & 1) != 0);
        }
    }
    for (size_t m = 0; m < f->order; m++) {
        add_product(f, &sum, f->power[m], f->cells[m]);
    }
    return reduce(f, sum);
}

/* Everything but the cells; false if the problem is not of the form. */
static bool open_far(far_cell *f, const pdp_problem *problem) {
    const size_t presets = problem->preset_count, last = problem->n - 1;
    *f = (far_cell){.problem = problem, .is_mod = problem->element == PDP_ELEMENT_MOD};
    for (size_t j = 0; problem->shape == PDP_LINEAR && presets < problem->n && j < problem->offset_count; j++) {
        const size_t offset = problem->offsets[j];
        f->longest = offset > f->longest && offset <= last ? offset : f->longest; /* of those that some cell has */
    }
    if (!is_of_form(problem) || f->longest > MOST_OFFSET) {
        return false;
    }
    f->b = pdp_problem_bindings(problem);
    f->modulus = (uint64_t)problem->modulus;
    f->order = f->longest + 1;
    f->start = presets > f->longest ? presets : f->longest;
    f->first = f->start - f->longest;
    f->first = last < f->first ? last : f->first; /* a preset that nothing reads */
    f->is_near = last - f->first < 2 * (size_t)MOST_ORDER;
    return f->is_near || pdp_linear_form_steady_from(problem) == presets;
}

bool pdp_witness_is_far(const pdp_problem *problem) {
    far_cell f;
    return open_far(&f, problem);
}

pdp_status pdp_witness_far(const pdp_witness *witness, bool *is_checked, pdp_error *error) {
    const pdp_problem *problem = witness->solution->problem;
    const size_t last = problem->n - 1;
    far_cell f;
    *is_checked = false;
    if (!open_far(&f, problem)) {
        return PDP_OK;
    }
    find_factors(&f);
    fill_cells(&f, f.is_near ? last : f.start);
    const uint64_t found = f.is_near ? f.cells[last - f.first] : find_cell(&f, last - f.first);
    *is_checked = f.b.error.status == PDP_OK;
    if (*is_checked && found != bring(&f, witness->solution->value.whole)) {
        return pdp_error_set(error, PDP_WRONG, "the answer is wrong: cell %zu is not what powers of x come to", last);
    }
    return PDP_OK;
}
