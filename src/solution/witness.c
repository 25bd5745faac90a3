#include "solution/witness.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "problem/linear_form.h"

size_t pdp_witness_first(const pdp_solution *solution) {
    if (!solution->table && !solution->tiles.cells && !solution->cells) {
        return SIZE_MAX;
    }
    if (solution->first == 0) {
        return 0;
    }
    const size_t first = solution->first + pdp_problem_reach(solution->problem);
    return first < solution->n ? first : SIZE_MAX;
}

static bool is_real(const pdp_witness *w) {
    return pdp_element_is_real(w->element);
}

static pdp_bindings bind(const pdp_witness *w) {
    pdp_bindings b = pdp_problem_bindings(w->solution->problem);
    b.element = is_real(w) ? w->element : b.element;
    return b;
}

/* How far sums of so many floats, none larger than this, may be from each other. */
static double tolerance(const pdp_witness *w, double count, double largest) {
    return 8 * (count + 1) * (w->element == PDP_ELEMENT_F32 ? (double)FLT_EPSILON : DBL_EPSILON) * largest;
}

/* What counts for a tolerance. */
static double magnitude(pdp_value value) {
    return isfinite(value.real) ? fabs(value.real) : 0;
}

/* An infinity agrees with itself alone, and what is not a number with nothing. Only a sum whose terms are together as
 * large as a float gets may be infinite here and not there: that depends on their order. */
static bool agree(const pdp_witness *w, pdp_value found, pdp_value value, double count, double largest, double spread) {
    if (!is_real(w)) {
        return found.whole == value.whole;
    }
    largest = fmax(largest, magnitude(found));
    const double a = found.real, b = value.real, most = w->element == PDP_ELEMENT_F32 ? (double)FLT_MAX : DBL_MAX;
    const pdp_op combine = w->solution->problem->combine;
    if (isinf(a) && isfinite(b)) {
        return combine != PDP_OP_MIN && combine != PDP_OP_MAX && largest > most / 2;
    }
    return (a <= b && a >= b) || (isfinite(a) && isfinite(b) && fabs(a - b) <= spread + tolerance(w, count, largest));
}

static void print_number(const pdp_witness *w, pdp_value value, char text[48]) {
    const pdp_solution *solution = w->solution;
    if (is_real(w)) {
        snprintf(text, 48, "%.17g", value.real);
    } else if (pdp_solution_is_infeasible(solution, value)) {
        snprintf(text, 48, "none");
    } else if (pdp_wide_fits(value.whole)) {
        snprintf(text, 48, "%" PRId64, (int64_t)value.whole);
    } else if (value.whole >= 0 && value.whole <= UINT64_MAX) {
        snprintf(text, 48, "%" PRIu64, (uint64_t)value.whole);
    } else {
        snprintf(text, 48, "beyond int64");
    }
}

/* What the interpreter could not do, it did not do: an index or a divisor that the solve never met. */
static pdp_status fail_binding(const pdp_bindings *b, pdp_error *error) {
    return pdp_error_set(error, PDP_WRONG, "the answer is wrong: %.250s", b->error.text);
}

/* ---- Terms ---- */

/* The term for the indices and cells that are bound. */
static pdp_value evaluate_term(const pdp_witness *w, pdp_bindings *b) {
    const pdp_recurrence *r = b->recurrence;
    if (!is_real(w)) {
        return pdp_interpret_element(b, r->term);
    }
    const pdp_value inner = pdp_interpret_element(b, r->inner);
    if (r->after == PDP_NO_NODE) {
        return inner;
    }
    b->cells[PDP_CELL_BEST] = inner;
    return pdp_interpret_element(b, r->after);
}

static pdp_value finish(pdp_bindings *b, pdp_value best) {
    b->cells[PDP_CELL_BEST] = best;
    return b->recurrence->finish == PDP_NO_NODE ? best : pdp_interpret_element(b, b->recurrence->finish);
}

static bool option_holds(const pdp_problem *problem, pdp_bindings *b, uint32_t x) {
    const pdp_option_clause *option = &problem->recurrence->options[x];
    return problem->has_option[x] && (option->condition == PDP_NO_NODE || pdp_interpret_truth(b, option->condition));
}

/* An infeasible cell, of which there are no terms. */
static bool is_missing(const pdp_witness *w, pdp_value cell) {
    return pdp_problem_can_miss(w->solution->problem) && pdp_solution_is_infeasible(w->solution, cell);
}

static pdp_value evaluate_at(pdp_bindings *b, size_t i, uint32_t node) {
    const int64_t own = b->i;
    b->i = (int64_t)i;
    const pdp_value value = pdp_interpret_element(b, node);
    b->i = own;
    return value;
}

/* ---- Decisions: intervals ---- */

typedef struct part {
    size_t i;
    size_t j;
    pdp_value value;
} part;

typedef struct tree {
    const pdp_witness *w;
    pdp_bindings b;
    part *parts; /* those that are evaluated and wait for what they are part of */
    size_t count;
    double largest; /* of floats, so far */
    pdp_error *error;
} tree;

/* The value of the part (i,j): a leaf, nothing at all, or what was evaluated last. */
static pdp_status take_part(tree *t, size_t i, size_t j, pdp_value *value) {
    const pdp_recurrence *r = t->b.recurrence;
    if (j <= i + 1) {
        const uint32_t node = j == i ? r->empty : r->leaf;
        *value = node == PDP_NO_NODE ? (pdp_value){.whole = 0} : evaluate_at(&t->b, i, node);
        return PDP_OK;
    }
    if (t->count == 0 || t->parts[t->count - 1].i != i || t->parts[t->count - 1].j != j) {
        return pdp_error_set(t->error, PDP_WRONG,
                             "the answer is wrong: cell (%zu, %zu) is used, and no decision is of it", i, j);
    }
    *value = t->parts[--t->count].value;
    return PDP_OK;
}

static pdp_status fail_decision(const tree *t, size_t number, const pdp_decision *d) {
    return pdp_error_set(t->error, PDP_WRONG,
                         "the answer is wrong: decision %zu, number %zu at (%zu, %zu), is not one of this problem",
                         number + 1, d->k, d->i, d->j);
}

static pdp_status evaluate_split(tree *t, const pdp_decision *d, pdp_value *value) {
    pdp_value left = {.whole = 0}, right = {.whole = 0};
    if (take_part(t, d->i, d->k, &left) != PDP_OK || take_part(t, d->k, d->j, &right) != PDP_OK) {
        return t->error->status;
    }
    t->b.i = (int64_t)d->i;
    t->b.k = (int64_t)d->k;
    t->b.j = (int64_t)d->j;
    t->b.cells[PDP_CELL_LEFT] = left;
    t->b.cells[PDP_CELL_RIGHT] = right;
    *value = finish(&t->b, evaluate_term(t->w, &t->b));
    return PDP_OK;
}

static pdp_status evaluate_option(tree *t, size_t number, const pdp_decision *d, pdp_value *value) {
    t->b.i = (int64_t)d->i;
    t->b.j = (int64_t)d->j;
    if (take_part(t, d->i + 1, d->j - 1, &t->b.cells[PDP_CELL_INSIDE]) != PDP_OK) {
        return t->error->status;
    }
    if (!option_holds(t->w->solution->problem, &t->b, (uint32_t)d->k)) {
        return fail_decision(t, number, d);
    }
    *value = finish(&t->b, pdp_interpret_element(&t->b, t->b.recurrence->options[d->k].value));
    return PDP_OK;
}

/* From the last to the first: what is a part of another comes before it, the left part last. */
static pdp_status evaluate_tree(tree *t, pdp_value *value) {
    const pdp_solution *solution = t->w->solution;
    const size_t n = solution->n;
    for (size_t x = solution->decision_count; x-- > 0;) {
        const pdp_decision *d = &solution->decisions[x];
        const bool is_split = d->kind == PDP_SPLIT;
        if (d->j > n || d->j < d->i + 2 || (!is_split && d->kind != PDP_OPTION) ||
            (is_split ? d->k <= d->i || d->k >= d->j : d->k >= t->b.recurrence->option_count)) {
            return fail_decision(t, x, d);
        }
        pdp_value own = {.whole = 0};
        if ((is_split ? evaluate_split(t, d, &own) : evaluate_option(t, x, d, &own)) != PDP_OK) {
            return t->error->status;
        }
        if (t->b.error.status != PDP_OK) {
            return fail_binding(&t->b, t->error);
        }
        if (t->count > n) { /* more than any tree has */
            return fail_decision(t, x, d);
        }
        t->largest = is_real(t->w) ? fmax(t->largest, magnitude(own)) : 0;
        t->parts[t->count++] = (part){d->i, d->j, own};
    }
    pdp_status status = take_part(t, 0, n, value);
    if (status == PDP_OK && t->count > 0) {
        const part *left = &t->parts[t->count - 1];
        return pdp_error_set(t->error, PDP_WRONG, "the answer is wrong: the decision of (%zu, %zu) is of no use",
                             left->i, left->j);
    }
    return status;
}

/* A chain's tree as it lies: a million matrices are not interpreted one by one. The left part of i..j, split at k, is
 * the next decision, and the right part the one k-i behind it; so every decision but the first is a part of one before
 * it, by which its i and j are known to be right. False if anything is wrong, for evaluate_tree to say what. */
static bool evaluate_chain(const pdp_solution *solution, pdp_value *value) {
    const int64_t *p = solution->problem->dims; /* no order's cost is beyond int64 */
    const pdp_decision *all = solution->decisions;
    const size_t count = solution->decision_count;
    size_t first = 0, last = solution->n; /* of the part that is next, */
    size_t is_next = SIZE_MAX;            /* if there is one: all bits, or none */
    int64_t cost = 0;
    if (count + 1 != solution->n) {
        return false;
    }
    for (size_t x = 0; x < count; x++) {
        const size_t i = all[x].i, k = all[x].k, j = all[x].j;
        /* Bits that differ, of parts that are there: what is tested is whether all is right, and nothing has to be
         * guessed. */
        if ((((i ^ first) | (j ^ last)) & is_next) != 0 || all[x].kind != PDP_SPLIT || k <= i || k >= j) {
            return false;
        }
        const size_t has_right = -(size_t)(j > k + 1);
        const pdp_decision *right = &all[x + ((k - i) & has_right)];
        if ((((right->i ^ k) | (right->j ^ j)) & has_right) != 0) {
            return false;
        }
        cost += p[i] * p[k] * p[j];
        first = i;
        last = k;
        is_next = -(size_t)(k > i + 1);
    }
    value->whole = cost;
    return true;
}

/* ---- Decisions: steps ---- */

/* So that it is what its operator makes of nothing: of sets the largest, or none, and otherwise infeasible. */
static bool has_no_terms(const pdp_problem *problem, size_t i) {
    bool has_none = !pdp_problem_can_miss(problem);
    for (size_t j = 0; j < problem->offset_count && has_none; j++) {
        has_none = problem->offsets[j] > i;
    }
    return has_none;
}

static pdp_status evaluate_steps(const pdp_witness *w, pdp_value *value, double *largest, pdp_error *error) {
    const pdp_solution *solution = w->solution;
    const pdp_problem *problem = solution->problem;
    const size_t count = solution->decision_count;
    const bool can_repeat = pdp_linear_form_has_shifts(problem);
    size_t last = SIZE_MAX; /* the offset that was interpreted, and what its term has added */
    pdp_wide added = 0;
    pdp_bindings b = bind(w);
    size_t at = count > 0 ? solution->decisions[count - 1].j : solution->n - 1;
    if (at >= solution->n || (at >= problem->preset_count && !problem->has_source && !has_no_terms(problem, at))) {
        return pdp_error_set(error, PDP_WRONG, "the answer is wrong: the steps begin at cell %zu, which needs another",
                             at);
    }
    b.i = (int64_t)at;
    *value = at < problem->preset_count ? pdp_interpret_element(&b, problem->recurrence->preset_value)
             : problem->has_source      ? finish(&b, pdp_interpret_element(&b, problem->recurrence->source))
                                        : finish(&b, pdp_interpret_identity(&b, problem->combine));
    for (size_t x = count; x-- > 0;) {
        const pdp_decision *d = &solution->decisions[x];
        if (d->kind != PDP_STEP || d->j != at || d->i >= solution->n || d->i < problem->preset_count ||
            d->k >= problem->offset_count || d->i <= d->j || d->i - d->j != problem->offsets[d->k]) {
            return pdp_error_set(error, PDP_WRONG,
                                 "the answer is wrong: step %zu, from cell %zu to cell %zu by offset %zu, is none",
                                 x + 1, d->i, d->j, d->k);
        }
        at = d->i;
        if (d->k == last && !pdp_solution_is_infeasible(solution, *value)) {
            value->whole += added;
            continue;
        }
        b.i = (int64_t)d->i;
        b.j = (int64_t)d->k;
        b.cells[PDP_CELL_SOURCE] = *value;
        const pdp_value own = is_missing(w, *value) ? *value : finish(&b, evaluate_term(w, &b));
        if (can_repeat && !pdp_solution_is_infeasible(solution, *value)) {
            last = d->k;
            added = own.whole - value->whole;
        }
        *value = own;
        *largest = is_real(w) ? fmax(*largest, magnitude(*value)) : 0;
        if (b.error.status != PDP_OK) {
            return fail_binding(&b, error);
        }
    }
    return at == solution->n - 1
               ? PDP_OK
               : pdp_error_set(error, PDP_WRONG, "the answer is wrong: the steps end at cell %zu", at);
}

uint64_t pdp_witness_bytes(const pdp_problem *problem) {
    return problem->shape == PDP_INTERVAL ? pdp_bytes_multiply((uint64_t)problem->n + 1, sizeof(part)) : 0;
}

pdp_status pdp_witness_decisions(const pdp_witness *w, pdp_error *error) {
    const pdp_solution *solution = w->solution;
    pdp_value value = {.whole = 0};
    double largest = 0;
    if (solution->shape == PDP_LINEAR) {
        evaluate_steps(w, &value, &largest, error);
    } else if (!solution->problem->dims || !evaluate_chain(solution, &value)) {
        tree t = {.w = w, .b = bind(w), .error = error};
        t.parts = pdp_room_allocate(solution->n + 1, sizeof *t.parts, error);
        if (t.parts) {
            evaluate_tree(&t, &value);
        }
        largest = t.largest;
        free(t.parts);
    }
    if (error->status == PDP_OK && !agree(w, value, solution->value, (double)solution->decision_count, largest, 0)) {
        char texts[2][48];
        print_number(w, value, texts[0]);
        print_number(w, solution->value, texts[1]);
        pdp_error_set(error, PDP_WRONG, "the answer is wrong: its decisions come to %s, and the value is %s", texts[0],
                      texts[1]);
    }
    return error->status;
}

/* ---- Cells ---- */

/* What was combined so far, and the size of what it was combined from. */
typedef struct total {
    pdp_value value;
    bool is_empty; /* an own operator need not have an identity */
    double largest;
    double spread; /* what finish may make of a rounding */
    size_t terms;
} total;

static void add_term(const pdp_witness *w, pdp_bindings *b, total *sum, pdp_value term) {
    sum->value = sum->is_empty ? term : pdp_interpret_combine(b, w->solution->problem->combine, sum->value, term);
    sum->is_empty = false;
    sum->terms++;
    if (is_real(w)) {
        sum->largest = fmax(sum->largest + magnitude(term), magnitude(sum->value));
    }
}

static total start_total(const pdp_witness *w, pdp_bindings *b) {
    const pdp_problem *problem = w->solution->problem;
    const bool has_identity = problem->combine != PDP_OP_OWN || problem->recurrence->combine_identity != PDP_NO_NODE;
    return (total){.value = has_identity ? pdp_interpret_identity(b, problem->combine) : (pdp_value){.whole = 0},
                   .is_empty = !has_identity};
}

/* The cell that a sum comes to. Floats may have been added in another order, and finish may make much of that. */
static void close_total(const pdp_witness *w, pdp_bindings *b, total *sum) {
    const pdp_value before = sum->value;
    sum->value = finish(b, before);
    const pdp_op combine = w->solution->problem->combine;
    const bool is_sum = is_real(w) && combine != PDP_OP_MIN && combine != PDP_OP_MAX;
    if (!is_sum || b->recurrence->finish == PDP_NO_NODE || b->error.status != PDP_OK) {
        return;
    }
    const double error = tolerance(w, (double)sum->terms, fmax(sum->largest, magnitude(before)));
    for (int side = -1; side <= 1; side += 2) {
        const double other = finish(b, (pdp_value){.real = before.real + side * error}).real;
        sum->spread = fmax(sum->spread, magnitude((pdp_value){.real = other - sum->value.real}));
    }
    b->error = (pdp_error){0}; /* of a number that is beside the sum */
}

/* M[i][j] once more. */
static total evaluate_interval_cell(const pdp_witness *w, pdp_bindings *b, size_t i, size_t j) {
    const pdp_solution *solution = w->solution;
    const pdp_recurrence *r = b->recurrence;
    total sum = start_total(w, b);
    b->i = (int64_t)i;
    b->j = (int64_t)j;
    if (j == i + 1) {
        sum.value = pdp_interpret_element(b, r->leaf);
        return sum;
    }
    for (size_t k = i + 1; k < j; k++) {
        b->k = (int64_t)k;
        b->cells[PDP_CELL_LEFT] = pdp_solution_cell(solution, i, k);
        b->cells[PDP_CELL_RIGHT] = pdp_solution_cell(solution, k, j);
        add_term(w, b, &sum, evaluate_term(w, b));
    }
    if (j > i + 2) {
        b->cells[PDP_CELL_INSIDE] = pdp_solution_cell(solution, i + 1, j - 1);
    } else if (r->empty != PDP_NO_NODE) {
        b->cells[PDP_CELL_INSIDE] = evaluate_at(b, i + 1, r->empty);
    }
    for (uint32_t x = 0; x < r->option_count; x++) {
        if (option_holds(solution->problem, b, x)) {
            add_term(w, b, &sum, pdp_interpret_element(b, r->options[x].value));
        }
    }
    close_total(w, b, &sum);
    return sum;
}

/* ST[i] once more. */
static total evaluate_linear_cell(const pdp_witness *w, pdp_bindings *b, size_t i) {
    const pdp_solution *solution = w->solution;
    const pdp_problem *problem = solution->problem;
    total sum = start_total(w, b);
    b->i = (int64_t)i;
    if (i < problem->preset_count) {
        sum.value = pdp_interpret_element(b, problem->recurrence->preset_value);
        return sum;
    }
    if (problem->has_source) { /* as it is: gcd would make it positive */
        sum.is_empty = true;
        add_term(w, b, &sum, pdp_interpret_element(b, problem->recurrence->source));
    }
    for (size_t j = 0; j < problem->offset_count; j++) {
        if (problem->offsets[j] <= i) {
            b->j = (int64_t)j;
            b->cells[PDP_CELL_SOURCE] = pdp_solution_cell(solution, 0, i - problem->offsets[j]);
            if (!is_missing(w, b->cells[PDP_CELL_SOURCE])) {
                add_term(w, b, &sum, evaluate_term(w, b));
            }
        }
    }
    if (!is_missing(w, sum.value)) {
        close_total(w, b, &sum);
    }
    return sum;
}

/* A cell's value against what its terms come to. */
static pdp_status check_cell(const pdp_witness *w, pdp_bindings *b, size_t i, size_t j, pdp_value value, size_t *terms,
                             pdp_error *error) {
    const bool is_linear = w->solution->shape == PDP_LINEAR;
    const total sum = is_linear ? evaluate_linear_cell(w, b, j) : evaluate_interval_cell(w, b, i, j);
    char texts[2][48], where[48];
    *terms = sum.terms;
    if (b->error.status != PDP_OK) {
        return fail_binding(b, error);
    }
    if (agree(w, sum.value, value, (double)sum.terms, sum.largest, sum.spread)) {
        return PDP_OK;
    }
    print_number(w, sum.value, texts[0]);
    print_number(w, value, texts[1]);
    if (is_linear) {
        snprintf(where, sizeof where, "cell %zu", j);
    } else {
        snprintf(where, sizeof where, "cell (%zu, %zu)", i, j);
    }
    return pdp_error_set(error, PDP_WRONG, "the answer is wrong: %s is %s, and its terms come to %s", where, texts[1],
                         texts[0]);
}

pdp_status pdp_witness_cells(const pdp_witness *w, double terms, size_t *checked, pdp_error *error) {
    const pdp_solution *solution = w->solution;
    const bool is_linear = solution->shape == PDP_LINEAR;
    const size_t last = is_linear ? solution->n - 1 : solution->n;
    const int64_t first = is_linear ? (int64_t)pdp_witness_first(solution) : 0;
    uint64_t state = 1;
    pdp_bindings b = bind(w);
    size_t own = 0;
    *checked = 1;
    check_cell(w, &b, 0, last, solution->value, &own, error);
    double left = terms - (double)own;
    while (error->status == PDP_OK && left > 0 && (is_linear ? (int64_t)last > first : last > 1)) {
        const size_t i = is_linear ? 0 : (size_t)pdp_random_between(&state, 0, (int64_t)last - 1);
        const size_t j = (size_t)pdp_random_between(&state, is_linear ? first : (int64_t)i + 1, (int64_t)last);
        check_cell(w, &b, i, j, pdp_solution_cell(solution, i, j), &own, error);
        ++*checked;
        left -= (double)own + 1;
    }
    return error->status;
}
