#include "problem/linear_form.h"

static bool is_binary(const pdp_node *node, pdp_op op) {
    return node->kind == PDP_NODE_BINARY && node->op == op;
}

/* The node is the cell, to which things without a cell are added. */
static bool is_shifted(const pdp_recurrence *r, uint32_t index) {
    const pdp_node *n = &r->nodes[index];
    if (n->kind == PDP_NODE_CELL) {
        return true;
    }
    const bool left = n->child_count >= 2 && r->nodes[n->child[0]].has_cell;
    const bool right = n->child_count >= 2 && r->nodes[n->child[1]].has_cell;
    return (is_binary(n, PDP_OP_ADD) && left != right && is_shifted(r, n->child[left ? 0 : 1])) ||
           (is_binary(n, PDP_OP_SUBTRACT) && left && !right && is_shifted(r, n->child[0]));
}

/* Sums, differences and products of which no two factors have a cell. Depth is capped by the parser. */
static bool is_affine(const pdp_recurrence *r, uint32_t index) {
    const pdp_node *n = &r->nodes[index];
    if (!n->has_cell) {
        return (n->uses & PDP_USES_I) == 0;
    }
    if (n->kind == PDP_NODE_CELL) {
        return true;
    }
    if (n->kind == PDP_NODE_CONDITIONAL && r->nodes[n->child[0]].has_cell) {
        return false;
    }
    if (is_binary(n, PDP_OP_MUL) && r->nodes[n->child[0]].has_cell && r->nodes[n->child[1]].has_cell) {
        return false;
    }
    if (!is_binary(n, PDP_OP_MUL) && !is_binary(n, PDP_OP_ADD) && !is_binary(n, PDP_OP_SUBTRACT) &&
        !(n->kind == PDP_NODE_UNARY && n->op == PDP_OP_NEGATE) && n->kind != PDP_NODE_CONDITIONAL) {
        return false;
    }
    for (uint32_t c = 0; c < n->child_count; c++) {
        if (!is_affine(r, n->child[c])) {
            return false;
        }
    }
    return true;
}

pdp_term_form pdp_linear_form_of_term(const pdp_recurrence *r) {
    if (r->shape != PDP_LINEAR || !r->nodes[r->term].has_cell || !is_affine(r, r->term)) {
        return PDP_TERM_OTHER;
    }
    return r->nodes[r->term].kind == PDP_NODE_CELL ? PDP_TERM_CELL
           : is_shifted(r, r->term)                ? PDP_TERM_SHIFTED
                                                   : PDP_TERM_AFFINE;
}

bool pdp_linear_form_finish_adds(const pdp_recurrence *r) {
    return r->finish == PDP_NO_NODE || (r->nodes[r->finish].has_cell && is_shifted(r, r->finish));
}

/* No part without a cell uses the index. */
static bool is_free_of(const pdp_recurrence *r, uint32_t node, uint8_t uses) {
    const pdp_node *n = &r->nodes[node];
    if (!n->has_cell) {
        return (n->uses & uses) == 0;
    }
    for (uint32_t c = 0; c < n->child_count; c++) {
        if (!is_free_of(r, n->child[c], uses)) {
            return false;
        }
    }
    return true;
}

bool pdp_linear_form_has_shifts(const pdp_problem *problem) {
    const bool is_whole = pdp_element_is_whole(problem->element);
    const pdp_term_form form = pdp_linear_form_of_term(problem->recurrence);
    return is_whole && problem->recurrence->finish == PDP_NO_NODE &&
           (form == PDP_TERM_CELL || form == PDP_TERM_SHIFTED);
}

bool pdp_linear_form_is_uniform(const pdp_recurrence *r) {
    return is_free_of(r, r->term, PDP_USES_J);
}

bool pdp_linear_form_finish_is_steady(const pdp_recurrence *r) {
    return r->finish == PDP_NO_NODE || is_free_of(r, r->finish, PDP_USES_I);
}

/* From which i on it is always the same: of i only comparisons with what has no i in it are known. Depth is capped by
 * the parser. */
static size_t find_steady(pdp_bindings *b, uint32_t node) {
    const pdp_recurrence *r = b->recurrence;
    const pdp_node *n = &r->nodes[node];
    if (n->kind == PDP_NODE_CELL || (n->uses & PDP_USES_I) == 0) {
        return 0;
    }
    if (n->kind == PDP_NODE_BINARY && n->op >= PDP_OP_LESS && n->op <= PDP_OP_NOT_EQUAL) {
        for (uint32_t c = 0; c < 2; c++) {
            const pdp_node *index = &r->nodes[n->child[c]], *other = &r->nodes[n->child[1 - c]];
            if (index->kind == PDP_NODE_INDEX && (other->uses & PDP_USES_I) == 0 && !other->is_real &&
                !other->has_cell) {
                const pdp_wide edge = pdp_interpret(b, n->child[1 - c]).whole;
                return edge < 0 ? 0 : edge < PTRDIFF_MAX ? (size_t)edge + 1 : SIZE_MAX;
            }
        }
    }
    if (n->kind != PDP_NODE_BINARY && n->kind != PDP_NODE_UNARY && n->kind != PDP_NODE_CONDITIONAL &&
        n->kind != PDP_NODE_CALL) {
        return SIZE_MAX;
    }
    size_t from = 0;
    for (uint32_t c = 0; c < n->child_count; c++) {
        const size_t own = find_steady(b, n->child[c]);
        from = own > from ? own : from;
    }
    return from;
}

size_t pdp_linear_form_steady_from(const pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    pdp_bindings bindings = pdp_problem_bindings(problem);
    const size_t source = problem->has_source ? find_steady(&bindings, r->source) : 0;
    const size_t finish = r->finish == PDP_NO_NODE ? 0 : find_steady(&bindings, r->finish);
    const size_t from = source > finish ? source : finish;
    return bindings.error.status != PDP_OK ? SIZE_MAX : from > problem->preset_count ? from : problem->preset_count;
}

/* a - b, or a + b, of the element type. */
static pdp_wide add(const pdp_bindings *b, pdp_wide x, pdp_wide y) {
    const pdp_wide sum = x + y;
    if (b->element == PDP_ELEMENT_BITS) {
        return (pdp_wide)(uint64_t)sum;
    }
    return b->element != PDP_ELEMENT_MOD ? sum : sum < 0 ? sum + b->modulus : sum % b->modulus;
}

/* Item j of the list that terms combine with their cells by the operator, if they do nothing else: most recurrences
 * need no interpreter for that, which would take a long list longer than some methods take to solve it. */
static bool read_list(const pdp_bindings *b, pdp_op op, size_t j, pdp_wide *item) {
    const pdp_node *nodes = b->recurrence->nodes, *term = &nodes[b->recurrence->term];
    if (!is_binary(term, op) || pdp_element_is_real(b->element)) {
        return false;
    }
    const uint32_t cell = nodes[term->child[0]].kind == PDP_NODE_CELL ? 0 : 1;
    const pdp_node *list = &nodes[term->child[1 - cell]];
    if (nodes[term->child[cell]].kind != PDP_NODE_CELL || list->kind != PDP_NODE_LOOKUP || list->child_count != 1) {
        return false;
    }
    const pdp_node *index = &nodes[list->child[0]];
    const pdp_bound_input *input = &b->inputs[list->which];
    if (index->kind != PDP_NODE_INDEX || index->which != PDP_INDEX_J || !input->whole ||
        (int64_t)j >= input->extent[0]) {
        return false;
    }
    const int64_t value = input->whole[j];
    *item = b->element == PDP_ELEMENT_BITS  ? (pdp_wide)(uint64_t)value
            : b->element == PDP_ELEMENT_MOD ? add(b, value % b->modulus, 0)
                                            : value;
    return true;
}

void pdp_linear_form_weigh(pdp_bindings *b, pdp_term_form form, size_t j, pdp_wide *scale, pdp_wide *shift) {
    const uint32_t term = b->recurrence->term;
    *scale = 1;
    *shift = 0;
    if (form == PDP_TERM_CELL || (form == PDP_TERM_SHIFTED && read_list(b, PDP_OP_ADD, j, shift)) ||
        (form == PDP_TERM_AFFINE && read_list(b, PDP_OP_MUL, j, scale))) {
        return;
    }
    b->j = (int64_t)j;
    b->cells[PDP_CELL_SOURCE] = (pdp_value){.whole = 0};
    *shift = pdp_interpret_element(b, term).whole;
    if (form == PDP_TERM_AFFINE) {
        b->cells[PDP_CELL_SOURCE] = (pdp_value){.whole = 1};
        *scale = add(b, pdp_interpret_element(b, term).whole, -*shift);
    }
}

pdp_wide pdp_linear_form_source(pdp_bindings *b, const pdp_problem *problem, size_t i) {
    const pdp_recurrence *r = problem->recurrence;
    pdp_value sum = {.whole = 0};
    b->i = (int64_t)i;
    if (problem->has_source) {
        sum = pdp_interpret_element(b, r->source);
    }
    if (r->finish != PDP_NO_NODE) {
        b->cells[PDP_CELL_BEST] = sum; /* which it adds to: so what is too large for either stays so */
        sum = pdp_interpret_element(b, r->finish);
    }
    return sum.whole;
}
