/* The way to one far cell of a sum, looked at step by step: see pdp_witness_steps. */
#include <stdlib.h>

#include "core/memory.h"
#include "problem/linear_form.h"
#include "solution/witness.h"

/* ---- Residues; modulus 0 is 2^64 ---- */

static uint64_t reduce(const pdp_witness_steps *w, pdp_uwide value) {
    return w->modulus == 0 ? (uint64_t)value : (uint64_t)(value % w->modulus);
}

static uint64_t bring(const pdp_witness_steps *w, pdp_wide value) {
    if (w->modulus == 0) {
        return (uint64_t)value;
    }
    const pdp_wide rest = value % (pdp_wide)w->modulus;
    return (uint64_t)(rest < 0 ? rest + (pdp_wide)w->modulus : rest);
}

static uint64_t add(const pdp_witness_steps *w, uint64_t a, uint64_t b) {
    return reduce(w, (pdp_uwide)a + b);
}

static uint64_t subtract(const pdp_witness_steps *w, uint64_t a, uint64_t b) {
    return a >= b || w->modulus == 0 ? a - b : a + (w->modulus - b);
}

static uint64_t multiply(const pdp_witness_steps *w, uint64_t a, uint64_t b) {
    return reduce(w, (pdp_uwide)a * b);
}

/* coefficients[0] + coefficients[step] * s + coefficients[2 * step] * s^2 + ..., so many of them. */
static uint64_t evaluate(const pdp_witness_steps *w, const int64_t *coefficients, size_t step, size_t count) {
    pdp_uwide sum = 0;
    for (size_t x = 0; x < count; x++) {
        sum += (pdp_uwide)(uint64_t)coefficients[x * step] * w->powers[x];
        if (sum >> 127 != 0 && w->modulus != 0) { /* residues are below 2^63 */
            sum %= w->modulus;
        }
    }
    return reduce(w, sum);
}

/* A point with an inverse, so that no coefficient is lost. */
static void draw_point(pdp_witness_steps *w) {
    uint64_t state = 1, point;
    if (w->modulus == 0) {
        point = pdp_random_next(&state) | 3; /* 1 - s, which the first fraction is multiplied with, is even but once */
    } else {
        do {
            point = (uint64_t)pdp_random_between(&state, 1, w->modulus > 1 ? (int64_t)w->modulus - 1 : 1);
        } while (pdp_witness_divisor(point, w->modulus) != 1);
    }
    w->powers[0] = reduce(w, 1);
    for (size_t x = 1; x < w->power_count; x++) {
        w->powers[x] = multiply(w, w->powers[x - 1], point);
    }
}

/* ---- The first fraction ---- */

/* The first cell that any later one reads. */
static size_t find_origin(const pdp_problem *problem, size_t longest) {
    return problem->preset_count > longest ? problem->preset_count - longest : 0;
}

/* From this cell on the source is always the same; or there is none in this problem. */
static size_t find_steady(const pdp_problem *problem) {
    const size_t from = pdp_linear_form_steady_from(problem);
    return from < problem->n || from == problem->preset_count ? from : SIZE_MAX;
}

static size_t count_powers(const pdp_problem *problem, size_t longest) {
    const size_t steady = find_steady(problem);
    const size_t cells = (steady == SIZE_MAX ? problem->n : steady) - find_origin(problem, longest);
    return (cells < longest ? longest : cells) + 3;
}

uint64_t pdp_witness_steps_bytes(const pdp_problem *problem) {
    const size_t longest = pdp_problem_reach(problem);
    return pdp_bytes_multiply(count_powers(problem, longest) + longest + 1, sizeof(uint64_t));
}

static uint64_t evaluate_term(pdp_witness_steps *w, size_t j, pdp_wide value) {
    w->b.j = (int64_t)j;
    w->b.cells[PDP_CELL_SOURCE] = (pdp_value){.whole = value};
    return bring(w, pdp_interpret_element(&w->b, w->problem->recurrence->term).whole);
}

/* x(i): the source, and what finish adds. */
static uint64_t evaluate_source(pdp_witness_steps *w, size_t i) {
    const pdp_recurrence *r = w->problem->recurrence;
    pdp_value value = {.whole = 0};
    w->b.i = (int64_t)i;
    value = w->problem->has_source ? pdp_interpret_element(&w->b, r->source) : value;
    w->b.cells[PDP_CELL_BEST] = value;
    return bring(w, (r->finish == PDP_NO_NODE ? value : pdp_interpret_element(&w->b, r->finish)).whole);
}

/* Cells from the origin on are the coefficients of U/V, V = 1 - the sum of weight * x^offset:
 *
 *   U = (presets * V, as far as there are presets) + the sum over all other cells i of (x(i) + shifts(i)) * x^i
 *
 * where shifts(i) are those of the terms that cell i has. U is taken times 1 - x, so that what is the same from some
 * cell on, for ever or to the last cell, is one power or two. */
static void evaluate_first(pdp_witness_steps *w, uint64_t *weights, size_t longest) {
    const pdp_problem *problem = w->problem;
    const size_t steady = find_steady(problem), end = steady == SIZE_MAX ? problem->n : steady + 1;
    const size_t presets = problem->preset_count, origin = find_origin(problem, longest), count = presets - origin;
    const uint64_t difference = subtract(w, reduce(w, 1), w->powers[1]);
    const uint64_t after = steady != SIZE_MAX ? 0 : w->powers[problem->n - origin];
    uint64_t shifts = 0, sources = 0, before = 0, cells = 0, lower = 0;
    weights[0] = reduce(w, 1);
    for (size_t j = 0; j < problem->offset_count; j++) {
        const size_t offset = problem->offsets[j];
        if (offset < problem->n) {
            const uint64_t shift = evaluate_term(w, j, 0), weight = subtract(w, evaluate_term(w, j, 1), shift);
            const size_t from = (offset > presets ? offset : presets) - origin;
            weights[offset] = subtract(w, weights[offset], weight);
            shifts = add(w, shifts, multiply(w, shift, subtract(w, w->powers[from], after)));
        }
    }
    for (size_t d = 0; d <= longest; d++) { /* V up to x^d, which is as far as the last preset but d sees */
        lower = add(w, lower, multiply(w, weights[d], w->powers[d]));
        if (d < count) {
            w->b.i = (int64_t)(presets - 1 - d);
            const uint64_t preset = bring(w, pdp_interpret_element(&w->b, problem->recurrence->preset_value).whole);
            cells = add(w, cells, multiply(w, multiply(w, preset, w->powers[count - 1 - d]), lower));
        }
    }
    for (size_t i = presets; i < end; i++) { /* what one has more than the one before it, as long as that changes */
        const uint64_t source = evaluate_source(w, i);
        sources = add(w, sources, multiply(w, subtract(w, source, before), w->powers[i - origin]));
        before = source;
    }
    sources = subtract(w, sources, multiply(w, before, after));
    w->upper = add(w, add(w, multiply(w, cells, difference), shifts), sources);
    w->lower = lower;
}

/* Whether it is the first fraction, be it as it is or both polynomials times 1 - x. */
static bool is_first(const pdp_witness_steps *w, uint64_t upper, uint64_t lower) {
    const uint64_t difference = subtract(w, reduce(w, 1), w->powers[1]);
    return (lower == multiply(w, w->lower, difference) && upper == w->upper) ||
           (lower == w->lower && multiply(w, upper, difference) == w->upper);
}

pdp_status pdp_witness_steps_create(pdp_witness_steps *w, const pdp_problem *problem, pdp_error *error) {
    const size_t longest = pdp_problem_reach(problem), count = count_powers(problem, longest);
    *w = (pdp_witness_steps){.problem = problem,
                             .b = pdp_problem_bindings(problem),
                             .modulus = problem->element == PDP_ELEMENT_MOD ? (uint64_t)problem->modulus : 0,
                             .power_count = count,
                             .cell = problem->n - 1 - find_origin(problem, longest)};
    w->powers = pdp_array_allocate(count + longest + 1, sizeof *w->powers, error);
    if (w->powers) {
        draw_point(w);
        evaluate_first(w, w->powers + count, longest);
    }
    return error->status;
}

void pdp_witness_steps_free(pdp_witness_steps *w) {
    free(w->powers);
    w->powers = NULL;
}

/* ---- A step ---- */

void pdp_witness_steps_watch(void *context, const int64_t *upper, size_t upper_count, const int64_t *lower,
                             size_t lower_count) {
    pdp_witness_steps *w = context;
    if (upper_count == 0 || lower_count == 0 || upper_count > w->power_count || lower_count > w->power_count ||
        (uint64_t)lower[0] != reduce(w, 1)) {
        w->is_wrong = true;
        return;
    }
    const uint64_t u = evaluate(w, upper, 1, upper_count), v = evaluate(w, lower, 1, lower_count);
    w->is_wrong |= w->count == 0 ? !is_first(w, u, v) : u != w->upper || v != w->lower;
    /* U(x) = U0(xx) + x U1(xx), and so with V: what U(x)V(-x) and V(x)V(-x) come to where xx is the point. */
    const uint64_t point = w->powers[1];
    const uint64_t u0 = evaluate(w, upper, 2, (upper_count + 1) / 2), u1 = evaluate(w, upper + 1, 2, upper_count / 2);
    const uint64_t v0 = evaluate(w, lower, 2, (lower_count + 1) / 2), v1 = evaluate(w, lower + 1, 2, lower_count / 2);
    const bool is_odd = w->count < 64 && (w->cell >> w->count & 1) != 0;
    w->upper = is_odd ? subtract(w, multiply(w, u1, v0), multiply(w, u0, v1))
                      : subtract(w, multiply(w, u0, v0), multiply(w, point, multiply(w, u1, v1)));
    w->lower = subtract(w, multiply(w, v0, v0), multiply(w, point, multiply(w, v1, v1)));
    w->value = (uint64_t)upper[0]; /* over 1 */
    w->count++;
}

pdp_status pdp_witness_steps_close(const pdp_witness_steps *w, pdp_wide value, pdp_error *error) {
    const bool is_last = w->count > 64 || (w->count > 0 && w->cell >> (w->count - 1) == 0);
    if (w->b.error.status == PDP_OK && !w->is_wrong && is_last && w->value == (uint64_t)value) {
        return PDP_OK;
    }
    return pdp_error_set(error, PDP_WRONG, "the answer is wrong: cell %zu is not what the steps to it come to",
                         w->problem->n - 1);
}
