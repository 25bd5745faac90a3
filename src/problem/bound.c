/* Bounds by interval arithmetic over the recurrence's expressions and by induction over its cells.
 *
 * Two inductions are tried, and the tighter result is taken:
 *   along the tree   for terms l + r + w and s + w, where a cell of m leaves has m-1 inner nodes;
 *   by the hull      any term: the hull of all cells so far, one more length (or step) at a time, until it no longer
 *                    grows or proves nothing. */
#include "problem/bound.h"

#include <math.h>

#include "recurrence/canonise.h"

typedef struct range {
    pdp_wide low;
    pdp_wide high;
} range;

typedef struct bounder {
    const pdp_problem *problem;
    const pdp_recurrence *r;
    range inputs[PDP_MAX_INPUTS];
    range sums[PDP_MAX_INPUTS];
    range cells[PDP_CELL_SECOND + 1];
    range variables[PDP_MAX_FOLDS];
    pdp_wide reach; /* of all element nodes evaluated so far */
    bool short_products;
    bool needs_integers;
} bounder;

static pdp_wide cut(pdp_wide a) {
    return a > PDP_UNBOUNDED ? PDP_UNBOUNDED : a < -PDP_UNBOUNDED ? -PDP_UNBOUNDED : a;
}

static pdp_wide multiply(pdp_wide a, pdp_wide b) {
    pdp_wide product;
    if (__builtin_mul_overflow(a, b, &product)) {
        return (a < 0) == (b < 0) ? PDP_UNBOUNDED : -PDP_UNBOUNDED;
    }
    return cut(product);
}

static pdp_wide least(pdp_wide a, pdp_wide b) {
    return a < b ? a : b;
}

static pdp_wide most(pdp_wide a, pdp_wide b) {
    return a > b ? a : b;
}

static range make_range(pdp_wide a, pdp_wide b) {
    return (range){cut(a), cut(b)};
}

/* Whole numbers around a float. */
static range around(double low, double high) {
    const double limit = 0x1p100;
    const bool is_finite = low > -limit && high < limit;
    return is_finite ? (range){(pdp_wide)floor(low), (pdp_wide)ceil(high)} : (range){-PDP_UNBOUNDED, PDP_UNBOUNDED};
}

static bool fits_64(range a) {
    return a.low >= INT64_MIN && a.high <= INT64_MAX;
}

static range hull(range a, range b) {
    return (range){least(a.low, b.low), most(a.high, b.high)};
}

static range add(range a, range b) {
    return make_range(a.low + b.low, a.high + b.high);
}

static range product(range a, range b) {
    pdp_wide corners[4] = {multiply(a.low, b.low), multiply(a.low, b.high), multiply(a.high, b.low),
                           multiply(a.high, b.high)};
    range all = {corners[0], corners[0]};
    for (int x = 1; x < 4; x++) {
        all = hull(all, (range){corners[x], corners[x]});
    }
    return all;
}

static range scale(range a, pdp_wide count) {
    return make_range(multiply(a.low, count), multiply(a.high, count));
}

static pdp_wide magnitude(range a) {
    return most(a.high, -a.low);
}

/* What bits can make of two numbers: nothing with more bits than the larger of them; -8 has as many as 7. */
static range bits(range a, range b) {
    pdp_wide larger = most(most(a.high, b.high), -1 - least(a.low, b.low));
    pdp_wide power = 1;
    while (power <= larger && power < PDP_UNBOUNDED) {
        power *= 2;
    }
    bool is_negative = a.low < 0 || b.low < 0;
    return make_range(is_negative ? -power : 0, power - 1);
}

static range combine(pdp_op op, range a, range b) {
    switch (op) {
    case PDP_OP_MIN: return (range){least(a.low, b.low), least(a.high, b.high)};
    case PDP_OP_MAX: return (range){most(a.low, b.low), most(a.high, b.high)};
    case PDP_OP_ADD: return add(a, b);
    case PDP_OP_MUL: return product(a, b);
    case PDP_OP_AND:
    case PDP_OP_OR:
    case PDP_OP_XOR: return bits(a, b);
    case PDP_OP_GCD: return make_range(0, most(magnitude(a), magnitude(b)));
    default: return make_range(-PDP_UNBOUNDED, PDP_UNBOUNDED);
    }
}

/* The same many times over: count >= 1 values of a range. */
static range combine_many(pdp_op op, range a, pdp_wide count) {
    switch (op) {
    case PDP_OP_ADD: return hull(a, scale(a, count));
    case PDP_OP_MUL: {
        bool grows = count > 1 && magnitude(a) > 1;
        return grows ? make_range(-PDP_UNBOUNDED, PDP_UNBOUNDED) : hull(a, product(a, a));
    }
    case PDP_OP_MIN:
    case PDP_OP_MAX: return a;
    default: return combine(op, a, a);
    }
}

static range evaluate(bounder *b, uint32_t node);

/* A product that the kernel adds to something. */
static range fused_product(bounder *b, range x, range y) {
    const pdp_wide limit = (pdp_wide)1 << 52;
    range xy = product(x, y);
    if (x.low < 0 || y.low < 0 || x.high >= limit || y.high >= limit || xy.high >= limit) {
        b->short_products = false;
    }
    b->reach = most(b->reach, magnitude(xy));
    return xy;
}

/* Ranges leave out what rounding adds: a number that stays below 2^100 it does not make infinite, but one that is 1 or
 * more by a difference it can make 0. */
static bool is_rounded(const pdp_node *n) {
    return n->is_real && n->kind != PDP_NODE_REAL && n->kind != PDP_NODE_PARAM && n->kind != PDP_NODE_LOOKUP;
}

static range evaluate_binary(bounder *b, const pdp_node *n) {
    const range truth = {0, 1};
    range x = evaluate(b, n->child[0]);
    range y = evaluate(b, n->child[1]);
    switch (n->op) {
    case PDP_OP_SUBTRACT: return make_range(x.low - y.high, x.high - y.low);
    case PDP_OP_DIVIDE:
    case PDP_OP_REMAINDER:
        b->needs_integers |= n->is_element;
        if (n->is_real && ((y.low < 1 && y.high > -1) || is_rounded(&b->r->nodes[n->child[1]]))) { /* by less than 1 */
            return make_range(-PDP_UNBOUNDED, PDP_UNBOUNDED);
        }
        return n->op == PDP_OP_DIVIDE ? make_range(-magnitude(x), magnitude(x))
                                      : make_range(x.low < 0 ? -magnitude(y) : 0, x.high > 0 ? magnitude(y) : 0);
    case PDP_OP_SHIFT_LEFT:
        b->needs_integers |= n->is_element;
        x = y.high > 63 ? make_range(-PDP_UNBOUNDED, PDP_UNBOUNDED)
                        : hull((range){0, 0}, scale(x, (pdp_wide)1 << (y.high < 0 ? 0 : (int)y.high)));
        return b->problem->element == PDP_ELEMENT_BITS && !fits_64(x) /* there it is a set, also as a plain number */
                   ? (range){INT64_MIN, INT64_MAX}
                   : x;
    case PDP_OP_SHIFT_RIGHT: b->needs_integers |= n->is_element; return hull((range){x.low < 0 ? -1 : 0, 0}, x);
    case PDP_OP_AND:
    case PDP_OP_OR:
    case PDP_OP_XOR:
        b->needs_integers |= n->is_element;
        if (n->op == PDP_OP_AND && (x.low >= 0 || y.low >= 0)) { /* no more than what is not negative */
            return make_range(0, y.low < 0 ? x.high : x.low < 0 ? y.high : least(x.high, y.high));
        }
        return bits(x, y);
    case PDP_OP_MUL: /* a term that is a product is added to the sum */
        return n == &b->r->nodes[b->r->inner] ? fused_product(b, x, y) : product(x, y);
    case PDP_OP_ADD: return add(x, y);
    default: return truth;
    }
}

static range evaluate_multiply_add(bounder *b, const pdp_node *n) {
    range x = evaluate(b, n->child[0]);
    range y = evaluate(b, n->child[1]);
    return add(fused_product(b, x, y), evaluate(b, n->child[2]));
}

/* What a fold over nothing is. */
static range empty_fold(const pdp_node *n) {
    const pdp_wide value = n->op == PDP_OP_MIN   ? (n->is_element ? PDP_UNBOUNDED : INT64_MAX)
                           : n->op == PDP_OP_MAX ? (n->is_element ? -PDP_UNBOUNDED : INT64_MIN)
                           : n->op == PDP_OP_MUL ? 1
                           : n->op == PDP_OP_AND ? -1
                                                 : 0;
    return (range){value, value};
}

static range evaluate_fold(bounder *b, const pdp_node *n) {
    range bound = evaluate(b, n->child[0]);
    b->needs_integers |= n->is_element && (n->op == PDP_OP_AND || n->op == PDP_OP_OR || n->op == PDP_OP_XOR);
    if (bound.high < 1) {
        b->variables[n->which] = (range){0, 0};
        evaluate(b, n->child[1]); /* which kernels have all the same */
        return empty_fold(n);
    }
    b->variables[n->which] = (range){0, bound.high - 1};
    range body = combine_many(n->op, evaluate(b, n->child[1]), bound.high);
    return bound.low < 1 ? hull(body, empty_fold(n)) : body;
}

static range evaluate_node(bounder *b, uint32_t node) {
    const pdp_node *n = &b->r->nodes[node];
    const pdp_wide last = (pdp_wide)b->problem->n;
    switch (n->kind) {
    case PDP_NODE_WHOLE: return make_range(n->number, n->number);
    case PDP_NODE_INDEX:
        return b->r->shape == PDP_LINEAR && n->which == PDP_INDEX_J ? make_range(0, (pdp_wide)b->problem->offset_count)
                                                                    : make_range(0, last);
    case PDP_NODE_CELL: return b->cells[n->which];
    case PDP_NODE_REAL: return around(n->real, n->real);
    case PDP_NODE_PARAM:
        if (n->is_real) {
            return around(b->problem->real_params[n->which], b->problem->real_params[n->which]);
        }
        return make_range(b->problem->params[n->which], b->problem->params[n->which]);
    case PDP_NODE_DIM: return make_range(b->problem->sizes[n->which], b->problem->sizes[n->which]);
    case PDP_NODE_LOOKUP: return b->inputs[n->which];
    case PDP_NODE_SUM: return b->sums[n->which];
    case PDP_NODE_VARIABLE: return b->variables[n->which];
    case PDP_NODE_FOLD: return evaluate_fold(b, n);
    case PDP_NODE_UNARY: {
        range x = evaluate(b, n->child[0]);
        b->needs_integers |= n->op == PDP_OP_FLIP;
        return n->op == PDP_OP_NEGATE ? make_range(-x.high, -x.low)
               : n->op == PDP_OP_NOT  ? (range){0, 1}
                                      : make_range(-x.high - 1, -x.low - 1);
    }
    case PDP_NODE_BINARY: return evaluate_binary(b, n);
    case PDP_NODE_CONDITIONAL:
        evaluate(b, n->child[0]);
        return hull(evaluate(b, n->child[1]), evaluate(b, n->child[2]));
    case PDP_NODE_CALL: {
        range x = evaluate(b, n->child[0]);
        return n->op == PDP_OP_ABS ? make_range(0, magnitude(x))
                                   : combine(n->op, x, n->child_count > 1 ? evaluate(b, n->child[1]) : x);
    }
    case PDP_NODE_MULADD: return evaluate_multiply_add(b, n);
    default: return make_range(-PDP_UNBOUNDED, PDP_UNBOUNDED);
    }
}

static range evaluate(bounder *b, uint32_t node) {
    range found = evaluate_node(b, node);
    b->reach = most(b->reach, magnitude(found));
    return found;
}

/* Of `count` floats: their range, and that of sums of some in a row. */
static void read_reals(bounder *b, uint32_t x, const double *items, size_t count) {
    double low = items[0], high = items[0], positive = 0, negative = 0;
    for (size_t m = 0; m < count; m++) {
        low = items[m] < low ? items[m] : low;
        high = items[m] > high ? items[m] : high;
        positive += items[m] > 0 ? items[m] : 0;
        negative += items[m] > 0 ? 0 : items[m];
    }
    b->inputs[x] = around(low, high);
    b->sums[x] = around(negative, positive);
}

static void read_inputs(bounder *b) {
    for (uint32_t x = 0; x < b->r->input_count; x++) {
        const pdp_bound_input *input = &b->problem->inputs[x];
        pdp_wide positive = 0, negative = 0;
        size_t count = (size_t)input->extent[0] * (size_t)(input->extent[1] > 0 ? input->extent[1] : 1);
        if (input->real && count > 0) {
            read_reals(b, x, input->real, count);
            continue;
        }
        count = input->whole ? count : 0;
        int64_t low = count > 0 ? input->whole[0] : 0, high = low;
        for (size_t m = 0; m < count; m++) {
            const int64_t item = input->whole[m];
            low = item < low ? item : low;
            high = item > high ? item : high;
            positive += item > 0 ? item : 0;
            negative += item > 0 ? 0 : item;
        }
        b->inputs[x] = count > 0 ? (range){low, high} : b->inputs[x];
        b->sums[x] = (range){cut(negative), cut(positive)};
    }
}

/* ---- Along the tree ---- */

/* The node is a sum that has the cell (and `other`, unless it is PDP_CELL_BEST twice) once each, and nothing else of a
 * cell in it: *rest becomes the range of what is added. */
static bool is_sum_of(bounder *b, uint32_t node, pdp_cell cell, int *found, range *rest) {
    const pdp_node *n = &b->r->nodes[node];
    if (n->kind == PDP_NODE_CELL) {
        *found += n->which == cell ? 1 : n->which == PDP_CELL_RIGHT && cell == PDP_CELL_LEFT ? 16 : 256;
        return true;
    }
    if (!n->has_cell) {
        *rest = add(*rest, evaluate(b, node));
        return true;
    }
    if (n->kind == PDP_NODE_MULADD && !b->r->nodes[n->child[0]].has_cell && !b->r->nodes[n->child[1]].has_cell) {
        *rest = add(*rest, product(evaluate(b, n->child[0]), evaluate(b, n->child[1])));
        return is_sum_of(b, n->child[2], cell, found, rest);
    }
    if (n->kind == PDP_NODE_BINARY && n->op == PDP_OP_ADD) {
        return is_sum_of(b, n->child[0], cell, found, rest) && is_sum_of(b, n->child[1], cell, found, rest);
    }
    if (n->kind == PDP_NODE_BINARY && n->op == PDP_OP_SUBTRACT && !b->r->nodes[n->child[1]].has_cell) {
        range less = evaluate(b, n->child[1]);
        *rest = add(*rest, (range){-less.high, -less.low});
        return is_sum_of(b, n->child[0], cell, found, rest);
    }
    return false;
}

/* best + something, or absent. */
static bool is_added(bounder *b, uint32_t node, range *rest) {
    int found = 0;
    return node == PDP_NO_NODE || (is_sum_of(b, node, PDP_CELL_BEST, &found, rest) && found == 1);
}

/* One end of a cell's range over m leaves is at most m*C - W: W is what an inner node adds, C what a leaf brings so
 * that leaves (C - W), splits ((aC - W) + (bC - W) + W) and options (inside has two leaves fewer) all keep to it.
 * `sign` is -1 for the lower end, which is the upper end of the negated values. */
static pdp_wide tree_end(range node, range leaf, range option, bool has_option, pdp_wide leaves, int sign) {
    pdp_wide w = sign > 0 ? node.high : -node.low;
    pdp_wide c = most((sign > 0 ? leaf.high : -leaf.low) + w, 0);
    if (has_option) {
        pdp_wide o = sign > 0 ? option.high : -option.low;
        c = most(c, most(o, o + w) / 2 + 1);
    }
    return cut(multiply(leaves, c) - w);
}

static bool bound_tree(bounder *b, range *out) {
    const pdp_recurrence *r = b->r;
    range node = {0, 0}, closing = {0, 0}, option = {0, 0};
    int found = 0;
    if ((b->problem->combine != PDP_OP_MIN && b->problem->combine != PDP_OP_MAX) ||
        !is_sum_of(b, r->inner, PDP_CELL_LEFT, &found, &node) || found != 17 || !is_added(b, r->finish, &closing)) {
        return false;
    }
    range after = {0, 0};
    if (!is_added(b, r->after, &after)) {
        return false;
    }
    node = add(add(node, after), closing);
    bool has_option = false;
    for (uint32_t x = 0; x < r->option_count; x++) {
        range rest = {0, 0};
        found = 0;
        if (!is_sum_of(b, r->options[x].value, PDP_CELL_INSIDE, &found, &rest) || found > 1) {
            return false;
        }
        rest = add(rest, closing);
        if (r->empty != PDP_NO_NODE) {
            rest = hull(rest, add(rest, evaluate(b, r->empty)));
        }
        option = has_option ? hull(option, rest) : rest;
        has_option = true;
    }
    range leaf = evaluate(b, r->leaf);
    pdp_wide leaves = (pdp_wide)b->problem->n;
    out->high = most(leaf.high, tree_end(node, leaf, option, has_option, leaves, 1));
    out->low = -most(-leaf.low, tree_end(node, leaf, option, has_option, leaves, -1));
    return true;
}

/* s + w, of which one is chosen or there is but one: at most as many steps as the smallest offset allows. */
static bool bound_chain(bounder *b, range start, range *out) {
    range step = {0, 0};
    int found = 0;
    size_t smallest = SIZE_MAX;
    const bool is_alone = b->problem->combine == PDP_OP_ADD && b->problem->offset_count == 1;
    if ((b->problem->combine != PDP_OP_MIN && b->problem->combine != PDP_OP_MAX && !is_alone) ||
        !is_sum_of(b, b->r->inner, PDP_CELL_SOURCE, &found, &step) || found != 1 || !is_added(b, b->r->finish, &step) ||
        !is_added(b, b->r->after, &step)) {
        return false;
    }
    if (is_alone && b->problem->has_source) {
        step = add(step, evaluate(b, b->r->source));
    }
    for (size_t j = 0; j < b->problem->offset_count; j++) {
        smallest = b->problem->offsets[j] < smallest ? b->problem->offsets[j] : smallest;
    }
    pdp_wide steps = b->problem->offset_count == 0 ? 0 : (pdp_wide)(b->problem->n / smallest + 1);
    out->low = cut(start.low + multiply(steps, least(step.low, 0)));
    out->high = cut(start.high + multiply(steps, most(step.high, 0)));
    return true;
}

/* ---- By the hull ---- */

static range close(bounder *b, range sum) {
    b->cells[PDP_CELL_BEST] = sum;
    if (b->r->after != PDP_NO_NODE) {
        b->cells[PDP_CELL_BEST] = evaluate(b, b->r->after);
    }
    for (uint32_t x = 0; x < b->r->option_count; x++) {
        const range best = b->cells[PDP_CELL_BEST];
        const range option = evaluate(b, b->r->options[x].value);
        b->cells[PDP_CELL_BEST] = hull(hull(best, option), combine(b->problem->combine, best, option));
    }
    return b->r->finish == PDP_NO_NODE ? b->cells[PDP_CELL_BEST] : evaluate(b, b->r->finish);
}

static void set_cells(bounder *b, range all) {
    b->cells[PDP_CELL_LEFT] = b->cells[PDP_CELL_RIGHT] = b->cells[PDP_CELL_SOURCE] = all;
    b->cells[PDP_CELL_INSIDE] =
        b->r->shape == PDP_INTERVAL && b->r->empty != PDP_NO_NODE ? hull(all, evaluate(b, b->r->empty)) : all;
}

/* A cell whose terms are all skipped is what its operator makes of nothing; where that is no value, it is infeasible.
 */
static range or_nothing(const bounder *b, range sum) {
    const pdp_op op = b->problem->combine;
    const bool can_be = b->r->shape == PDP_LINEAR && b->r->missing_skip && !b->problem->has_source;
    if (!can_be || op == PDP_OP_MIN || op == PDP_OP_MAX) {
        return sum;
    }
    const pdp_wide identity = op == PDP_OP_MUL ? 1 : op == PDP_OP_AND ? -1 : 0;
    return hull(sum, (range){identity, identity});
}

/* A cell from cells within `all`: of up to `terms` terms, and of a source. */
static range grow(bounder *b, range all, pdp_wide terms) {
    set_cells(b, all);
    range sum = combine_many(b->problem->combine, evaluate(b, b->r->inner), terms > 0 ? terms : 1);
    if (b->problem->has_source) {
        range source = evaluate(b, b->r->source);
        sum = hull(hull(sum, source), combine(b->problem->combine, sum, source));
    }
    return hull(all, close(b, or_nothing(b, sum)));
}

static range bound_hull(bounder *b, range start) {
    /* Rounds of a second or two: what grows slowly for longer is not proven. Of floats those of a millisecond, since
     * without a proof they have their engine all the same. */
    const size_t patience = (size_t)1 << (pdp_element_is_real(b->problem->element) ? 12 : 24);
    range all = start;
    pdp_wide terms = b->r->shape == PDP_INTERVAL ? (pdp_wide)b->problem->n : (pdp_wide)b->problem->offset_count;
    for (size_t round = 0; round < b->problem->n; round++) {
        range next = grow(b, all, terms);
        if (next.low == all.low && next.high == all.high) {
            break;
        }
        all = next;
        if (magnitude(all) >= PDP_UNBOUNDED) {
            break;
        }
        if (round == patience) {
            return make_range(-PDP_UNBOUNDED, PDP_UNBOUNDED);
        }
    }
    return all;
}

/* l + r + w is a candidate for a cell, and so within `all` but for what closing still adds: the two operands are not
 * both at their largest. On the way to it there is at most one of them and w. */
static void reach_along_tree(bounder *b, range all) {
    const range none = {0, 0};
    range after = none, closing = none;
    is_added(b, b->r->after, &after);
    is_added(b, b->r->finish, &closing);
    b->reach = cut(magnitude(all) + magnitude(after) + magnitude(closing));
    set_cells(b, all);
    for (int side = 0; side < 2; side++) {
        b->cells[PDP_CELL_LEFT] = side == 0 ? all : none;
        b->cells[PDP_CELL_RIGHT] = side == 0 ? none : all;
        evaluate(b, b->r->inner);
    }
    close(b, all);
}

pdp_bounds pdp_bounds_find(const pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    bounder b = {.problem = problem, .r = r, .short_products = true};
    range start = {0, 0}, all = {0, 0};
    read_inputs(&b);
    /* Kernels have all clauses, also those that this problem does not need. */
    if (r->empty != PDP_NO_NODE) {
        evaluate(&b, r->empty);
    }
    const range preset = r->preset_value != PDP_NO_NODE ? evaluate(&b, r->preset_value) : start;
    if (r->shape == PDP_INTERVAL) {
        start = evaluate(&b, r->leaf);
    } else {
        bool has_presets = problem->preset_count > 0;
        start = has_presets ? preset : start;
        if (problem->has_source) {
            range source = evaluate(&b, r->source);
            start = has_presets ? hull(start, source) : source;
        }
    }
    const pdp_wide reach = b.reach;
    const bool short_products = b.short_products;
    start = or_nothing(&b, start);
    const bool is_bounded = r->shape == PDP_INTERVAL ? bound_tree(&b, &all) : bound_chain(&b, start, &all);
    if (!is_bounded) {
        all = bound_hull(&b, start);
    }
    /* Once more with the cells known: what is met on the way to a cell. */
    b.short_products = short_products;
    if (is_bounded && r->shape == PDP_INTERVAL) {
        reach_along_tree(&b, all);
    } else {
        b.reach = magnitude(all);
        grow(&b, all, 1);
        if (problem->combine == PDP_OP_ADD || problem->combine == PDP_OP_MUL) {
            grow(&b, all, r->shape == PDP_INTERVAL ? (pdp_wide)problem->n : (pdp_wide)problem->offset_count);
        }
    }
    set_cells(&b, all);
    for (uint32_t x = 0; x < r->option_count; x++) {
        if (r->options[x].condition != PDP_NO_NODE) {
            evaluate(&b, r->options[x].condition);
        }
    }
    b.reach = most(b.reach, reach);
    b.needs_integers |= problem->combine >= PDP_OP_AND && problem->combine != PDP_OP_LOGSUMEXP;
    if (pdp_problem_can_miss(problem) && !pdp_recurrence_keeps_infinity(r)) {
        b.reach = PDP_UNBOUNDED; /* 128 bits know what is infinite */
    }
    if (problem->combine == PDP_OP_OWN) {
        b.reach = PDP_UNBOUNDED; /* what an own operator does on its way is not looked into */
    }
    return (pdp_bounds){all.low, all.high, b.reach, b.short_products, b.needs_integers};
}

/* ---- Plain numbers ---- */

static bool is_plain(const pdp_node *n) {
    return !n->is_element && !n->is_real;
}

/* What becomes of a plain number that a kernel computes in 64 bits. */
typedef enum plain_use {
    AS_NUMBER,
    AS_SET,    /* of which the lower 64 bits are all there is */
    AS_ELEMENT /* of whole numbers: it is computed in a type that holds it */
} plain_use;

/* The lower bits of the operands make those of the result. */
static bool keeps_lower_bits(const pdp_node *n) {
    switch (n->kind) {
    case PDP_NODE_BINARY:
        return n->op == PDP_OP_ADD || n->op == PDP_OP_SUBTRACT || n->op == PDP_OP_MUL || n->op == PDP_OP_AND ||
               n->op == PDP_OP_OR || n->op == PDP_OP_XOR || n->op == PDP_OP_SHIFT_LEFT;
    case PDP_NODE_UNARY: return n->op == PDP_OP_NEGATE || n->op == PDP_OP_FLIP;
    default: return n->kind == PDP_NODE_CONDITIONAL || n->child_count == 0;
    }
}

static bool is_index(const pdp_node *n, uint32_t child) {
    switch (n->kind) {
    case PDP_NODE_LOOKUP:
    case PDP_NODE_SUM: return true;
    case PDP_NODE_FOLD: return child == 0;
    case PDP_NODE_BINARY: return child == 1 && (n->op == PDP_OP_SHIFT_LEFT || n->op == PDP_OP_SHIFT_RIGHT);
    default: return false;
    }
}

/* Whether it is 0 is all that counts. */
static bool is_condition(const pdp_node *n, uint32_t child) {
    return n->kind == PDP_NODE_CONDITIONAL ? child == 0
           : n->kind == PDP_NODE_BINARY    ? n->op == PDP_OP_LOGICAL_AND || n->op == PDP_OP_LOGICAL_OR
                                           : n->kind == PDP_NODE_UNARY && n->op == PDP_OP_NOT;
}

static bool plain_fits(bounder *b, uint32_t node, plain_use use) {
    const pdp_node *n = &b->r->nodes[node];
    const bool makes_set = b->problem->element == PDP_ELEMENT_BITS && n->op == PDP_OP_SHIFT_LEFT;
    if (is_plain(n) && (n->kind == PDP_NODE_FOLD || (use == AS_SET && !keeps_lower_bits(n)))) {
        use = AS_NUMBER;
    }
    if (is_plain(n) && use == AS_NUMBER && !fits_64(evaluate(b, node))) {
        return false;
    }
    for (uint32_t c = 0; c < n->child_count; c++) {
        const bool is_number = is_index(n, c) || (use == AS_SET && is_condition(n, c));
        if (n->kind == PDP_NODE_FOLD && c == 1) {
            b->variables[n->which] = (range){0, most(evaluate(b, n->child[0]).high, 1) - 1};
        }
        if (!plain_fits(b, n->child[c], is_number ? AS_NUMBER : makes_set ? AS_SET : use)) {
            return false;
        }
    }
    return true;
}

/* Is there anything to compute? */
static bool has_plain(const pdp_recurrence *r, uint32_t node) {
    const pdp_node *n = &r->nodes[node];
    bool found = is_plain(n) && n->child_count > 0;
    for (uint32_t c = 0; c < n->child_count && !found; c++) {
        found = has_plain(r, n->child[c]);
    }
    return found;
}

bool pdp_bounds_keep_plain(const pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    uint32_t clauses[9 + 2 * PDP_MAX_OPTIONS] = {r->leaf,         r->empty,       r->inner,
                                                 r->after,        r->finish,      r->source,
                                                 r->preset_value, r->combine_own, r->combine_identity};
    size_t count = 9;
    for (uint32_t x = 0; x < r->option_count; x++) {
        clauses[count++] = r->options[x].value;
        clauses[count++] = r->options[x].condition;
    }
    const bool is_whole = problem->element == PDP_ELEMENT_WHOLE || problem->element == PDP_ELEMENT_I32 ||
                          problem->element == PDP_ELEMENT_I64;
    const plain_use use = is_whole ? AS_ELEMENT : problem->element == PDP_ELEMENT_BITS ? AS_SET : AS_NUMBER;
    bounder b = {.problem = problem, .r = r};
    bool has_read = false, fits = true;
    for (size_t x = 0; x < count && fits; x++) {
        if (clauses[x] != PDP_NO_NODE && has_plain(r, clauses[x])) {
            if (!has_read) {
                read_inputs(&b);
                has_read = true;
            }
            fits = plain_fits(&b, clauses[x], use);
        }
    }
    return fits;
}
