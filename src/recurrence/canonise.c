#include "recurrence/canonise.h"

#include <stdlib.h>

enum { MOST_PARTS = 64, MOST_NODES = 2 * PDP_MAX_NODES };

/* Summands or factors of one sum or product, flattened. */
typedef struct parts {
    uint32_t node[MOST_PARTS];
    bool negative[MOST_PARTS];
    uint32_t count;
} parts;

/* The room is made by pdp_recurrence_canonise. */
static uint32_t add_node(pdp_recurrence *recurrence, pdp_node node) {
    if (recurrence->node_count >= MOST_NODES) {
        return PDP_NO_NODE;
    }
    recurrence->nodes[recurrence->node_count] = node;
    return recurrence->node_count++;
}

/* An operation on up to three nodes, with what it inherits from them. */
static uint32_t make(pdp_recurrence *r, pdp_node_kind kind, pdp_op op, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t children[3] = {a, b, c};
    pdp_node node = {.kind = kind, .op = op, .is_element = true};
    for (uint32_t x = 0; x < 3 && children[x] != PDP_NO_NODE; x++) {
        const pdp_node *child = &r->nodes[children[x]];
        node.child[node.child_count++] = children[x];
        node.uses |= child->uses;
        node.has_cell |= child->has_cell;
        node.is_real |= child->is_real;
        node.place = child->place;
    }
    return node.child_count == 0 ? PDP_NO_NODE : add_node(r, node);
}

static uint32_t binary(pdp_recurrence *r, pdp_op op, uint32_t a, uint32_t b) {
    return a == PDP_NO_NODE || b == PDP_NO_NODE ? PDP_NO_NODE : make(r, PDP_NODE_BINARY, op, a, b, PDP_NO_NODE);
}

static uint32_t multiply_add(pdp_recurrence *r, uint32_t a, uint32_t b, uint32_t c) {
    return a == PDP_NO_NODE || b == PDP_NO_NODE || c == PDP_NO_NODE ? PDP_NO_NODE
                                                                    : make(r, PDP_NODE_MULADD, PDP_OP_ADD, a, b, c);
}

static bool is_binary(const pdp_node *node, pdp_op op) {
    return node->kind == PDP_NODE_BINARY && node->op == op;
}

static bool is_cell(const pdp_node *node, pdp_cell cell) {
    return node->kind == PDP_NODE_CELL && node->which == cell;
}

/* Whether it is a whole number, and which: also of sums and products of such, and 0 times what cannot fail. */
static bool is_constant(const pdp_recurrence *r, uint32_t id, int64_t *value) {
    const pdp_node *node = &r->nodes[id];
    int64_t a = 0, b = 0;
    if (node->kind == PDP_NODE_WHOLE) {
        *value = node->number;
        return true;
    }
    if (node->kind != PDP_NODE_BINARY || node->is_real) {
        return false;
    }
    const bool has_a = is_constant(r, node->child[0], &a), has_b = is_constant(r, node->child[1], &b);
    const pdp_node *other = &r->nodes[node->child[has_a ? 1 : 0]];
    if (node->op == PDP_OP_MUL && has_a != has_b && (has_a ? a : b) == 0) {
        *value = 0;
        return other->kind == PDP_NODE_INDEX || other->kind == PDP_NODE_DIM || other->kind == PDP_NODE_PARAM;
    }
    return has_a && has_b &&
           (node->op == PDP_OP_ADD        ? !__builtin_add_overflow(a, b, value)
            : node->op == PDP_OP_SUBTRACT ? !__builtin_sub_overflow(a, b, value)
            : node->op == PDP_OP_MUL      ? !__builtin_mul_overflow(a, b, value)
                                          : false);
}

int pdp_trees_compare(const pdp_recurrence *r, uint32_t a, uint32_t b) {
    const pdp_node *x = &r->nodes[a];
    const pdp_node *y = &r->nodes[b];
    const int64_t keys[][2] = {{y->has_cell, x->has_cell}, {x->uses, y->uses},
                               {x->kind, y->kind},         {x->op, y->op},
                               {x->which, y->which},       {x->child_count, y->child_count},
                               {x->number, y->number}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (keys[k][0] != keys[k][1]) {
            return keys[k][0] < keys[k][1] ? -1 : 1;
        }
    }
    if (x->real < y->real || x->real > y->real) {
        return x->real < y->real ? -1 : 1;
    }
    for (uint32_t c = 0; c < x->child_count; c++) {
        int order = pdp_trees_compare(r, x->child[c], y->child[c]);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

/* Without what adds 0 or multiplies by 1, without a double minus, and without the lesser of twice the same. Depth is
 * capped by the parser. */
static uint32_t simplify(pdp_recurrence *r, uint32_t id) {
    if (id == PDP_NO_NODE) {
        return id;
    }
    pdp_node *node = &r->nodes[id];
    for (uint32_t c = 0; c < node->child_count; c++) {
        node->child[c] = simplify(r, node->child[c]);
    }
    if (node->kind == PDP_NODE_CALL && (node->op == PDP_OP_MIN || node->op == PDP_OP_MAX) &&
        pdp_trees_compare(r, node->child[0], node->child[1]) == 0) {
        return node->child[0];
    }
    const bool is_sum = is_binary(node, PDP_OP_ADD) || is_binary(node, PDP_OP_SUBTRACT);
    if (!is_sum && !is_binary(node, PDP_OP_MUL)) {
        return id;
    }
    for (const pdp_node *last = &r->nodes[node->child[1]];
         is_sum && last->kind == PDP_NODE_UNARY && last->op == PDP_OP_NEGATE && last->is_element;
         last = &r->nodes[node->child[1]]) {
        node->op = node->op == PDP_OP_ADD ? PDP_OP_SUBTRACT : PDP_OP_ADD;
        node->child[1] = last->child[0];
    }
    for (uint32_t c = node->op == PDP_OP_SUBTRACT ? 1 : 0; c < 2; c++) {
        const uint32_t other = node->child[1 - c];
        int64_t value = 0;
        if (is_constant(r, node->child[c], &value) && value == (is_sum ? 0 : 1) &&
            r->nodes[other].is_element == node->is_element && r->nodes[other].is_real == node->is_real) {
            return other;
        }
    }
    return id;
}

/* Flattens a sum or a product into its parts; false when there are too many. */
static bool flatten(const pdp_recurrence *r, uint32_t id, pdp_op op, bool negative, parts *out) {
    const pdp_node *node = &r->nodes[id];
    if (is_binary(node, op) || (op == PDP_OP_ADD && is_binary(node, PDP_OP_SUBTRACT))) {
        bool flips = node->op == PDP_OP_SUBTRACT;
        return flatten(r, node->child[0], op, negative, out) && flatten(r, node->child[1], op, negative != flips, out);
    }
    if (out->count == MOST_PARTS) {
        return false;
    }
    out->node[out->count] = id;
    out->negative[out->count++] = negative;
    return true;
}

static void remove_part(parts *p, uint32_t x) {
    p->count--;
    p->node[x] = p->node[p->count];
    p->negative[x] = p->negative[p->count];
}

static void sort_parts(const pdp_recurrence *r, parts *p) {
    for (uint32_t x = 1; x < p->count; x++) {
        for (uint32_t y = x; y > 0 && pdp_trees_compare(r, p->node[y - 1], p->node[y]) > 0; y--) {
            uint32_t node = p->node[y];
            bool negative = p->negative[y];
            p->node[y] = p->node[y - 1];
            p->negative[y] = p->negative[y - 1];
            p->node[y - 1] = node;
            p->negative[y - 1] = negative;
        }
    }
}

/* ---- Sums over neighbouring places ---- */

/* The places first .. end-1 of an input, each end an index (or NO_INDEX) and a number behind it. */
typedef struct stretch {
    uint32_t index[2];
    int64_t number[2];
} stretch;

enum { NO_INDEX = UINT8_MAX, MOST_NUMBER = 1 << 30 };

static bool find_place(const pdp_recurrence *r, uint32_t id, uint32_t *index, int64_t *number) {
    const pdp_node *node = &r->nodes[id];
    const bool is_less = is_binary(node, PDP_OP_SUBTRACT);
    *index = NO_INDEX;
    *number = 0;
    if (is_less || is_binary(node, PDP_OP_ADD)) {
        const bool is_second = !is_less && r->nodes[node->child[1]].kind == PDP_NODE_INDEX;
        if (!is_constant(r, node->child[is_second ? 0 : 1], number) || *number <= -MOST_NUMBER) {
            return false;
        }
        *number = is_less ? -*number : *number;
        node = &r->nodes[node->child[is_second ? 1 : 0]];
    }
    if (node->kind == PDP_NODE_INDEX) {
        *index = node->which;
    } else if (node->kind != PDP_NODE_WHOLE || __builtin_add_overflow(*number, node->number, number)) {
        return false;
    }
    return *number > -MOST_NUMBER && *number < MOST_NUMBER;
}

/* Of a sum or a single number whose places are proven to be there: it cannot fail. */
static bool find_stretch(const pdp_recurrence *r, uint32_t id, stretch *s) {
    const pdp_node *node = &r->nodes[id];
    const bool is_sum = node->kind == PDP_NODE_SUM;
    if ((!is_sum && (node->kind != PDP_NODE_LOOKUP || node->child_count != 1)) || !node->index_proven ||
        !find_place(r, node->child[0], &s->index[0], &s->number[0]) ||
        !find_place(r, node->child[is_sum ? 1 : 0], &s->index[1], &s->number[1])) {
        return false;
    }
    s->number[1] += is_sum ? 0 : 1;
    return true;
}

/* Whether it never ends before it begins, where i < k < j. */
static bool is_forward(const pdp_recurrence *r, const stretch *s) {
    const uint32_t first = s->index[0], end = s->index[1];
    if (first == end) {
        return s->number[0] <= s->number[1];
    }
    return r->shape == PDP_INTERVAL && end != NO_INDEX && first < end &&
           s->number[0] <= s->number[1] + (int64_t)(end - first);
}

/* What is added and taken away goes, and two sums of which one begins where the other ends become one: then they no
 * longer depend on where that is. Only for whole numbers, whose sums come to the same in any order. */
static bool join_pair(pdp_recurrence *r, parts *p, uint32_t x, uint32_t y) {
    const pdp_node *one = &r->nodes[p->node[x]], *other = &r->nodes[p->node[y]];
    stretch a, b;
    if (x == y || one->which != other->which || !find_stretch(r, p->node[x], &a) || !find_stretch(r, p->node[y], &b)) {
        return false;
    }
    if (p->negative[x] != p->negative[y]) {
        if (a.index[0] != b.index[0] || a.number[0] != b.number[0] || a.index[1] != b.index[1] ||
            a.number[1] != b.number[1]) {
            return false;
        }
        remove_part(p, x > y ? x : y);
        remove_part(p, x > y ? y : x);
        return true;
    }
    if (other->kind != PDP_NODE_SUM || a.index[1] != b.index[0] || a.number[1] != b.number[0] || !is_forward(r, &a) ||
        !is_forward(r, &b)) {
        return false;
    }
    pdp_node sum = *other;
    sum.child[0] = one->child[0];
    sum.uses = r->nodes[sum.child[0]].uses | r->nodes[sum.child[1]].uses;
    sum.index_everywhere = one->index_everywhere && other->index_everywhere;
    const uint32_t joined = add_node(r, sum);
    if (joined == PDP_NO_NODE) {
        return false;
    }
    p->node[y] = joined;
    remove_part(p, x);
    return true;
}

static void join_sums(pdp_recurrence *r, parts *p) {
    if (!pdp_element_is_whole(r->element)) {
        return;
    }
    for (uint32_t pair = 0; pair < p->count * p->count;) {
        pair = join_pair(r, p, pair / p->count, pair % p->count) ? 0 : pair + 1;
    }
}

/* ---- Sums and products ---- */

/* Whether a node belongs to the operands known before the innermost index: interval, what i and k alone decide (its
 * rows); linear, what the offset alone decides. */
static bool is_row(const pdp_recurrence *r, const pdp_node *node) {
    return r->shape == PDP_INTERVAL ? !(node->uses & PDP_USES_J) : !(node->uses & PDP_USES_I);
}

static bool is_column(const pdp_recurrence *r, const pdp_node *node) {
    return r->shape == PDP_INTERVAL ? !(node->uses & PDP_USES_I) : !(node->uses & PDP_USES_J);
}

static uint32_t canonise(pdp_recurrence *r, uint32_t id, bool top);

/* u * v: u from the row factors, v from the rest. A product of one kind of factors has v = PDP_NO_NODE. */
static bool split_product(pdp_recurrence *r, uint32_t id, uint32_t *u, uint32_t *v) {
    parts factors = {.count = 0};
    *u = *v = PDP_NO_NODE;
    if (!flatten(r, id, PDP_OP_MUL, false, &factors)) {
        return false;
    }
    for (uint32_t x = 0; x < factors.count; x++) {
        factors.node[x] = canonise(r, factors.node[x], false);
        if (factors.node[x] == PDP_NO_NODE) {
            return false;
        }
    }
    sort_parts(r, &factors);
    for (uint32_t x = 0; x < factors.count; x++) {
        uint32_t *side = is_row(r, &r->nodes[factors.node[x]]) ? u : v;
        *side = *side == PDP_NO_NODE ? factors.node[x] : binary(r, PDP_OP_MUL, *side, factors.node[x]);
        if (*side == PDP_NO_NODE) {
            return false;
        }
    }
    if (*u == PDP_NO_NODE) {
        *u = *v;
        *v = PDP_NO_NODE;
    }
    return true;
}

static uint32_t add_signed(pdp_recurrence *r, uint32_t sum, uint32_t part, bool negative) {
    if (sum != PDP_NO_NODE) {
        return binary(r, negative ? PDP_OP_SUBTRACT : PDP_OP_ADD, sum, part);
    }
    return negative ? make(r, PDP_NODE_UNARY, PDP_OP_NEGATE, part, PDP_NO_NODE, PDP_NO_NODE) : part;
}

typedef struct groups {
    uint32_t after;
    uint32_t row;
    uint32_t column;
    uint32_t product; /* the sum so far, from the row on */
} groups;

/* Sorts one summand into its group; false when there is no room. */
static bool place_summand(pdp_recurrence *r, uint32_t id, bool negative, bool may_go_after, groups *g,
                          parts *products) {
    const pdp_node *node = &r->nodes[id];
    uint8_t varying = r->shape == PDP_INTERVAL ? PDP_USES_K : PDP_USES_J;
    uint32_t *group = NULL;
    if (may_go_after && !(node->uses & varying) && !node->has_cell) {
        group = &g->after;
    } else if (is_row(r, node)) {
        group = &g->row;
    } else if (is_column(r, node)) {
        group = &g->column;
    }
    if (!group) {
        products->node[products->count] = id;
        products->negative[products->count++] = negative;
        return true;
    }
    *group = add_signed(r, *group, id, negative);
    return *group != PDP_NO_NODE;
}

/* (row sums + products of a row and a column part) + column sums. */
static uint32_t canonise_sum(pdp_recurrence *r, uint32_t id, bool top) {
    parts summands = {.count = 0}, products = {.count = 0};
    groups g = {PDP_NO_NODE, PDP_NO_NODE, PDP_NO_NODE, PDP_NO_NODE};
    /* A linear cell's source is combined with the terms, and must not get what is theirs. */
    const bool may_go_after = top && (r->combine == PDP_OP_MIN || r->combine == PDP_OP_MAX) &&
                              r->combine_param == PDP_NO_NODE && r->source == PDP_NO_NODE &&
                              r->element != PDP_ELEMENT_BITS; /* whose sums wrap around, and then change places */
    if (!flatten(r, id, PDP_OP_ADD, false, &summands)) {
        return PDP_NO_NODE;
    }
    join_sums(r, &summands);
    for (uint32_t x = 0; x < summands.count; x++) {
        summands.node[x] = canonise(r, summands.node[x], false);
        if (summands.node[x] == PDP_NO_NODE) {
            return PDP_NO_NODE;
        }
    }
    sort_parts(r, &summands);
    for (uint32_t x = 0; x < summands.count; x++) {
        if (!place_summand(r, summands.node[x], summands.negative[x], may_go_after, &g, &products)) {
            return PDP_NO_NODE;
        }
    }
    uint32_t sum = g.row;
    for (uint32_t x = 0; x < products.count; x++) {
        const pdp_node node = r->nodes[products.node[x]];
        if (is_binary(&node, PDP_OP_MUL) && sum != PDP_NO_NODE) {
            uint32_t factor = node.child[0];
            if (products.negative[x]) {
                factor = make(r, PDP_NODE_UNARY, PDP_OP_NEGATE, factor, PDP_NO_NODE, PDP_NO_NODE);
            }
            sum = multiply_add(r, factor, node.child[1], sum);
        } else {
            sum = add_signed(r, sum, products.node[x], products.negative[x]);
        }
        if (sum == PDP_NO_NODE) {
            return PDP_NO_NODE;
        }
    }
    if (g.column != PDP_NO_NODE) {
        sum = sum == PDP_NO_NODE ? g.column : binary(r, PDP_OP_ADD, sum, g.column);
    }
    if (g.after != PDP_NO_NODE) {
        pdp_node best = {.kind = PDP_NODE_CELL, .which = PDP_CELL_BEST, .has_cell = true, .is_element = true};
        best.uses = r->shape == PDP_INTERVAL ? PDP_USES_I | PDP_USES_J : PDP_USES_I;
        best.is_real = r->nodes[id].is_real;
        r->after = binary(r, PDP_OP_ADD, add_node(r, best), g.after);
        return r->after == PDP_NO_NODE ? PDP_NO_NODE : sum;
    }
    return sum;
}

/* The canonical form of a tree; `top` for the term itself, whose constant summands may go to `after`. PDP_NO_NODE when
 * there is no room. Depth is capped by the parser. */
static uint32_t canonise(pdp_recurrence *r, uint32_t id, bool top) {
    const pdp_node node = r->nodes[id];
    if (!node.is_element || node.child_count == 0 || !node.has_cell) {
        if (!(is_binary(&node, PDP_OP_MUL) && node.is_element)) {
            return id;
        }
    }
    if (is_binary(&node, PDP_OP_ADD) || is_binary(&node, PDP_OP_SUBTRACT)) {
        return canonise_sum(r, id, top);
    }
    if (is_binary(&node, PDP_OP_MUL)) {
        uint32_t u, v;
        if (!split_product(r, id, &u, &v)) {
            return PDP_NO_NODE;
        }
        return v == PDP_NO_NODE ? u : binary(r, PDP_OP_MUL, u, v);
    }
    pdp_node copy = node;
    bool changed = false;
    for (uint32_t x = 0; x < node.child_count && node.kind != PDP_NODE_LOOKUP && node.kind != PDP_NODE_SUM; x++) {
        copy.child[x] = canonise(r, node.child[x], false);
        if (copy.child[x] == PDP_NO_NODE) {
            return PDP_NO_NODE;
        }
        changed |= copy.child[x] != node.child[x];
    }
    return changed ? add_node(r, copy) : id;
}

/* Both factors of a square are one tree, which the interpreter walks once. */
static void share_operands(pdp_recurrence *r) {
    for (uint32_t id = 0; id < r->node_count; id++) {
        pdp_node *node = &r->nodes[id];
        if ((node->kind == PDP_NODE_BINARY || node->kind == PDP_NODE_MULADD) &&
            pdp_trees_compare(r, node->child[0], node->child[1]) == 0) {
            node->child[1] = node->child[0];
        }
    }
}

pdp_status pdp_recurrence_canonise(pdp_recurrence *r) {
    pdp_node *nodes = realloc(r->nodes, MOST_NODES * sizeof *nodes);
    if (!nodes) {
        return pdp_error_set_no_memory(&r->error, MOST_NODES * sizeof *nodes);
    }
    r->nodes = nodes;
    r->after = PDP_NO_NODE;
    r->term = simplify(r, r->term);
    r->leaf = simplify(r, r->leaf);
    r->finish = simplify(r, r->finish);
    if (r->finish != PDP_NO_NODE && is_cell(&r->nodes[r->finish], PDP_CELL_BEST)) {
        r->finish = PDP_NO_NODE;
    }
    r->inner = canonise(r, r->term, true);
    if (r->inner == PDP_NO_NODE) {
        return pdp_error_set(&r->error, PDP_BAD_INPUT, "the term of %s has too many parts", r->name);
    }
    if (r->after != PDP_NO_NODE && !r->nodes[r->inner].has_cell) {
        r->after = PDP_NO_NODE; /* nothing but a constant is left to combine */
        r->inner = r->term;
    }
    share_operands(r);
    nodes = realloc(r->nodes, r->node_count * sizeof *nodes);
    r->nodes = nodes ? nodes : r->nodes;
    return PDP_OK;
}

static bool is_point_lookup(const pdp_recurrence *r, uint32_t id, pdp_index at, uint32_t *input) {
    const pdp_node *node = &r->nodes[id];
    if (node->kind != PDP_NODE_LOOKUP || node->child_count != 1 || (*input != PDP_NO_NODE && node->which != *input)) {
        return false;
    }
    *input = node->which;
    const pdp_node *index = &r->nodes[node->child[0]];
    return index->kind == PDP_NODE_INDEX && index->which == at;
}

uint32_t pdp_recurrence_chain_input(const pdp_recurrence *r) {
    uint32_t input = PDP_NO_NODE;
    int64_t leaf = 0;
    if (r->shape != PDP_INTERVAL || (r->element != PDP_ELEMENT_WHOLE && r->element != PDP_ELEMENT_I64) ||
        r->combine != PDP_OP_MIN || r->option_count > 0 || r->combine_param != PDP_NO_NODE ||
        r->finish != PDP_NO_NODE || r->after != PDP_NO_NODE) {
        return PDP_NO_NODE;
    }
    const pdp_node *sum = &r->nodes[r->inner];
    if (!is_constant(r, r->leaf, &leaf) || leaf != 0 || !is_binary(sum, PDP_OP_ADD) ||
        !is_cell(&r->nodes[sum->child[1]], PDP_CELL_RIGHT)) {
        return PDP_NO_NODE;
    }
    const pdp_node *fused = &r->nodes[sum->child[0]];
    if (fused->kind != PDP_NODE_MULADD || !is_cell(&r->nodes[fused->child[2]], PDP_CELL_LEFT)) {
        return PDP_NO_NODE;
    }
    const pdp_node *product = &r->nodes[fused->child[0]];
    if (!is_binary(product, PDP_OP_MUL) || !is_point_lookup(r, product->child[0], PDP_INDEX_I, &input) ||
        !is_point_lookup(r, product->child[1], PDP_INDEX_K, &input) ||
        !is_point_lookup(r, fused->child[1], PDP_INDEX_J, &input)) {
        return PDP_NO_NODE;
    }
    return input;
}

/* best plus or minus what has no cell in it; or not there at all. */
static bool adds_to_best(const pdp_recurrence *r, uint32_t id) {
    while (id != PDP_NO_NODE && !is_cell(&r->nodes[id], PDP_CELL_BEST)) {
        const pdp_node *node = &r->nodes[id];
        const bool is_sum = is_binary(node, PDP_OP_ADD);
        if (!is_sum && !is_binary(node, PDP_OP_SUBTRACT)) {
            return false;
        }
        const bool is_first = r->nodes[node->child[0]].has_cell;
        if (is_first == r->nodes[node->child[1]].has_cell || (!is_sum && !is_first)) {
            return false;
        }
        id = node->child[is_first ? 0 : 1];
    }
    return true;
}

bool pdp_recurrence_is_weighed(const pdp_recurrence *r) {
    const pdp_node *sum = &r->nodes[r->inner];
    return r->shape == PDP_INTERVAL && r->option_count == 0 && is_binary(sum, PDP_OP_ADD) &&
           is_cell(&r->nodes[sum->child[0]], PDP_CELL_LEFT) && is_cell(&r->nodes[sum->child[1]], PDP_CELL_RIGHT) &&
           adds_to_best(r, r->after) && adds_to_best(r, r->finish);
}

static bool keeps_infinity(const pdp_recurrence *r, uint32_t id) {
    const pdp_node *n = &r->nodes[id];
    bool has_cell[3] = {false, false, false};
    uint32_t with_cell = 0;
    for (uint32_t c = 0; c < n->child_count && c < 3; c++) {
        has_cell[c] = r->nodes[n->child[c]].has_cell;
        with_cell += has_cell[c];
    }
    switch (n->kind) {
    case PDP_NODE_CELL: return true;
    case PDP_NODE_CONDITIONAL:
        return !has_cell[0] && with_cell == 2 && keeps_infinity(r, n->child[1]) && keeps_infinity(r, n->child[2]);
    case PDP_NODE_MULADD: return with_cell == 1 && has_cell[2] && keeps_infinity(r, n->child[2]);
    case PDP_NODE_BINARY:
        return with_cell == 1 && (n->op == PDP_OP_ADD || (n->op == PDP_OP_SUBTRACT && has_cell[0])) &&
               keeps_infinity(r, n->child[has_cell[0] ? 0 : 1]);
    default: return false;
    }
}

bool pdp_recurrence_keeps_infinity(const pdp_recurrence *r) {
    const uint32_t steps[3] = {r->inner, r->after, r->finish};
    bool keeps = true;
    for (int x = 0; x < 3; x++) {
        keeps &= steps[x] == PDP_NO_NODE || keeps_infinity(r, steps[x]);
    }
    return keeps;
}
