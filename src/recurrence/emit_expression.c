#include "recurrence/emit_expression.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "recurrence/canonise.h"

bool pdp_slots_find(const pdp_recurrence *r, const pdp_slots *slots, uint32_t node, uint32_t *at) {
    for (uint32_t x = 0; x < slots->count; x++) {
        if (pdp_trees_compare(r, slots->node[x], node) == 0) {
            *at = x;
            return true;
        }
    }
    return false;
}

static const char *find_slot(const pdp_emitter *e, uint32_t node, bool *is_vector) {
    for (int s = 0; s < 4 && e->slots[s]; s++) {
        uint32_t at;
        if (pdp_slots_find(e->r, e->slots[s], node, &at)) {
            *is_vector = e->slots[s]->are_vectors;
            return e->slots[s]->name[at];
        }
    }
    return NULL;
}

bool pdp_emit_has_vector(const pdp_emitter *e, uint32_t node) {
    bool is_vector = false;
    if (find_slot(e, node, &is_vector)) {
        return is_vector;
    }
    const pdp_node *n = &e->r->nodes[node];
    for (uint32_t c = 0; c < n->child_count; c++) {
        if (pdp_emit_has_vector(e, n->child[c])) {
            return true;
        }
    }
    return false;
}

static bool is_float(const pdp_emitter *e) {
    return e->stamp->type == PDP_TYPE_F32 || e->stamp->type == PDP_TYPE_F64;
}

/* Plain numbers are computed in 128 bits too: they may be on their way beyond 64. */
static bool is_checked(const pdp_emitter *e) {
    return e->stamp->type == PDP_TYPE_WIDE;
}

/* What GNU vector operators and kernel_vector.h can do. */
static bool operator_fits_vectors(const pdp_emitter *e, const pdp_node *n) {
    switch (n->kind) {
    case PDP_NODE_BINARY:
        switch (n->op) {
        case PDP_OP_MUL: return !e->stamp->modular;
        case PDP_OP_DIVIDE: return is_float(e) && n->is_real;
        case PDP_OP_REMAINDER: return false;
        case PDP_OP_SHIFT_LEFT:
        case PDP_OP_SHIFT_RIGHT: return !pdp_emit_has_vector(e, n->child[1]);
        default: return true;
        }
    case PDP_NODE_CALL: return n->op == PDP_OP_MIN || n->op == PDP_OP_MAX || n->op == PDP_OP_ABS;
    case PDP_NODE_FOLD: return n->op <= PDP_OP_XOR && !(n->op == PDP_OP_MUL && e->stamp->modular);
    case PDP_NODE_MULADD: return !e->stamp->modular;
    case PDP_NODE_UNARY:
    case PDP_NODE_CONDITIONAL: return true;
    default: return false;
    }
}

bool pdp_emit_fits_vectors(const pdp_emitter *e, uint32_t node) {
    bool is_vector = false;
    if (find_slot(e, node, &is_vector)) {
        return true;
    }
    const pdp_node *n = &e->r->nodes[node];
    if (n->kind == PDP_NODE_INDEX || n->kind == PDP_NODE_CELL) {
        return false; /* known to scalars only */
    }
    if (n->kind == PDP_NODE_FOLD && e->r->nodes[n->child[0]].uses != 0) {
        return false; /* as many rounds as an index says, which differs from lane to lane */
    }
    for (uint32_t c = 0; c < n->child_count; c++) {
        if (!pdp_emit_fits_vectors(e, n->child[c])) {
            return false;
        }
    }
    return !pdp_emit_has_vector(e, node) || operator_fits_vectors(e, n);
}

/* ---- Whole numbers: plain int64 ---- */

static const char *operator_text(pdp_op op) {
    switch (op) {
    case PDP_OP_ADD: return "+";
    case PDP_OP_MUL: return "*";
    case PDP_OP_AND: return "&";
    case PDP_OP_OR: return "|";
    case PDP_OP_XOR: return "^";
    case PDP_OP_SUBTRACT: return "-";
    case PDP_OP_DIVIDE: return "/";
    case PDP_OP_REMAINDER: return "%";
    case PDP_OP_SHIFT_LEFT: return "<<";
    case PDP_OP_SHIFT_RIGHT: return ">>";
    case PDP_OP_LESS: return "<";
    case PDP_OP_LESS_EQUAL: return "<=";
    case PDP_OP_GREATER: return ">";
    case PDP_OP_GREATER_EQUAL: return ">=";
    case PDP_OP_EQUAL: return "==";
    case PDP_OP_NOT_EQUAL: return "!=";
    case PDP_OP_LOGICAL_AND: return "&&";
    case PDP_OP_LOGICAL_OR: return "||";
    default: return "?";
    }
}

static bool is_truth(const pdp_node *n) {
    return (n->kind == PDP_NODE_BINARY && n->op >= PDP_OP_LESS && n->op <= PDP_OP_LOGICAL_OR) ||
           (n->kind == PDP_NODE_UNARY && n->op == PDP_OP_NOT);
}

/* input[index], the index checked unless the checker has proven it. */
static void emit_lookup_index(const pdp_emitter *e, const pdp_node *n) {
    for (uint32_t axis = 0; axis < n->child_count; axis++) {
        if (axis == 1) {
            fprintf(e->out, " * d->extents[%" PRIu32 "][1] + ", n->which);
        }
        if (n->index_proven) {
            fputc('(', e->out);
            pdp_emit_whole(e, n->child[axis]);
            fputc(')', e->out);
        } else {
            fprintf(e->out, "k_index(d, %" PRIu32 ", %" PRIu32 ", ", n->which, axis);
            pdp_emit_whole(e, n->child[axis]);
            fputc(')', e->out);
        }
    }
}

static void emit_sum(const pdp_emitter *e, const pdp_node *n, const char *function) {
    fprintf(e->out, "%s(d, %" PRIu32 ", ", function, n->which);
    pdp_emit_whole(e, n->child[0]);
    fputs(", ", e->out);
    pdp_emit_whole(e, n->child[1]);
    fprintf(e->out, ", %d)", n->index_proven ? 1 : 0);
}

static void emit_call(const pdp_emitter *e, const char *name, const pdp_node *n,
                      void emit(const pdp_emitter *, uint32_t)) {
    fprintf(e->out, "%s(", name);
    for (uint32_t c = 0; c < n->child_count; c++) {
        fputs(c == 0 ? "" : ", ", e->out);
        emit(e, n->child[c]);
    }
    fputc(')', e->out);
}

static const char *fold_start(pdp_op op) {
    switch (op) {
    case PDP_OP_MIN: return "INT64_MAX";
    case PDP_OP_MAX: return "INT64_MIN";
    case PDP_OP_MUL: return "1";
    case PDP_OP_AND: return "-1";
    default: return "0";
    }
}

static void emit_whole_fold(const pdp_emitter *e, const pdp_node *n) {
    fprintf(e->out, "PDP_FOLD(f%" PRIu32 ", int64_t f%" PRIu32 " = %s; for (int64_t q%" PRIu32 " = 0; q%" PRIu32 " < ",
            n->which, n->which, fold_start(n->op), n->which, n->which);
    pdp_emit_whole(e, n->child[0]);
    fprintf(e->out, "; q%" PRIu32 "++) f%" PRIu32 " = ", n->which, n->which);
    if (n->op == PDP_OP_MIN || n->op == PDP_OP_MAX) {
        fprintf(e->out, "w_%s(f%" PRIu32 ", ", n->op == PDP_OP_MIN ? "min" : "max", n->which);
    } else {
        fprintf(e->out, "(f%" PRIu32 " %s ", n->which, operator_text(n->op));
    }
    pdp_emit_whole(e, n->child[1]);
    fputs("))", e->out);
}

static void emit_whole_binary(const pdp_emitter *e, const pdp_node *n) {
    switch (n->op) {
    case PDP_OP_DIVIDE: fputs("w_divide(d, ", e->out); break;
    case PDP_OP_REMAINDER: fputs("w_remainder(d, ", e->out); break;
    case PDP_OP_SHIFT_LEFT: fputs("w_shift_left(", e->out); break;
    case PDP_OP_SHIFT_RIGHT: fputs("w_shift_right(", e->out); break;
    default:
        fputc('(', e->out);
        pdp_emit_whole(e, n->child[0]);
        fprintf(e->out, " %s ", operator_text(n->op));
        pdp_emit_whole(e, n->child[1]);
        fputc(')', e->out);
        return;
    }
    pdp_emit_whole(e, n->child[0]);
    fputs(", ", e->out);
    pdp_emit_whole(e, n->child[1]);
    fputc(')', e->out);
}

void pdp_emit_whole(const pdp_emitter *e, uint32_t node) {
    const pdp_node *n = &e->r->nodes[node];
    static const char index_names[] = "ikj";
    if (is_truth(n) && n->is_element) { /* compares elements: a truth, used as 0 or 1 */
        fputs("(int64_t)(", e->out);
        pdp_emit_truth(e, node);
        fputc(')', e->out);
        return;
    }
    switch (n->kind) {
    case PDP_NODE_WHOLE:
        fprintf(e->out, n->number == INT64_MIN ? "INT64_MIN" : "INT64_C(%" PRId64 ")", n->number);
        break;
    case PDP_NODE_INDEX: fputc(index_names[n->which], e->out); break;
    case PDP_NODE_PARAM: fprintf(e->out, "d->params[%" PRIu32 "]", n->which); break;
    case PDP_NODE_DIM: fprintf(e->out, "d->dims[%" PRIu32 "]", n->which); break;
    case PDP_NODE_VARIABLE: fprintf(e->out, "q%" PRIu32, n->which); break;
    case PDP_NODE_LOOKUP:
        fprintf(e->out, "k_wholes(%" PRIu32 ")[", n->which);
        emit_lookup_index(e, n);
        fputc(']', e->out);
        break;
    case PDP_NODE_SUM: emit_sum(e, n, "k_whole_sum"); break;
    case PDP_NODE_FOLD: emit_whole_fold(e, n); break;
    case PDP_NODE_UNARY:
        fputs(n->op == PDP_OP_NEGATE ? "(-" : n->op == PDP_OP_NOT ? "(!" : "(~", e->out);
        pdp_emit_whole(e, n->child[0]);
        fputc(')', e->out);
        break;
    case PDP_NODE_BINARY: emit_whole_binary(e, n); break;
    case PDP_NODE_CONDITIONAL:
        fputc('(', e->out);
        pdp_emit_truth(e, n->child[0]);
        fputs(" ? ", e->out);
        pdp_emit_whole(e, n->child[1]);
        fputs(" : ", e->out);
        pdp_emit_whole(e, n->child[2]);
        fputc(')', e->out);
        break;
    case PDP_NODE_CALL:
        emit_call(e, n->op == PDP_OP_MIN ? "w_min" : n->op == PDP_OP_MAX ? "w_max" : "w_abs", n, pdp_emit_whole);
        break;
    default: fputs("0", e->out); break; /* floats and cells are no whole numbers: the checker has refused them */
    }
}

/* ---- Truth ---- */

static bool compares_elements(const pdp_emitter *e, const pdp_node *n) {
    return e->r->nodes[n->child[0]].is_element || e->r->nodes[n->child[1]].is_element || is_checked(e);
}

/* Whether an expression may be evaluated where the recurrence does not ask for it: nothing in it can fail, and it is
 * no loop. Without branches a compiler makes vectors of a row of conditions. */
static bool can_always_run(const pdp_emitter *e, uint32_t node) {
    const pdp_node *n = &e->r->nodes[node];
    if (n->kind == PDP_NODE_FOLD || ((n->kind == PDP_NODE_LOOKUP || n->kind == PDP_NODE_SUM) && !n->index_proven) ||
        (n->kind == PDP_NODE_BINARY && (n->op == PDP_OP_DIVIDE || n->op == PDP_OP_REMAINDER))) {
        return false;
    }
    for (uint32_t c = 0; c < n->child_count; c++) {
        if (!can_always_run(e, n->child[c])) {
            return false;
        }
    }
    return true;
}

void pdp_emit_truth(const pdp_emitter *e, uint32_t node) {
    const pdp_node *n = &e->r->nodes[node];
    bool vector = pdp_emit_has_vector(e, node);
    bool is_vector = false;
    const bool is_known = find_slot(e, node, &is_vector) != NULL;
    if (!is_truth(n) || is_known) {
        fputc('(', e->out);
        if (is_known || n->is_element || is_checked(e)) { /* where it is known the indices may not be */
            pdp_emit_element(e, node);
        } else {
            pdp_emit_whole(e, node);
        }
        fputs(" != 0)", e->out);
        return;
    }
    if (n->kind == PDP_NODE_UNARY) {
        fputs(vector ? "(~" : "(!", e->out);
        pdp_emit_truth(e, n->child[0]);
        fputc(')', e->out);
        return;
    }
    bool logical = n->op == PDP_OP_LOGICAL_AND || n->op == PDP_OP_LOGICAL_OR;
    bool both = logical && (vector || can_always_run(e, n->child[1]));
    fputc('(', e->out);
    for (uint32_t c = 0; c < 2; c++) {
        if (c == 1) {
            fprintf(e->out, " %s ", both ? (n->op == PDP_OP_LOGICAL_AND ? "&" : "|") : operator_text(n->op));
        }
        if (logical) {
            bool lifts = vector && !pdp_emit_has_vector(e, n->child[c]);
            fputs(lifts ? "v_mask(" : "", e->out);
            pdp_emit_truth(e, n->child[c]);
            fputs(lifts ? ")" : "", e->out);
        } else if (vector) {
            pdp_emit_vector(e, n->child[c]);
        } else if (compares_elements(e, n)) {
            pdp_emit_element(e, n->child[c]);
        } else {
            pdp_emit_whole(e, n->child[c]);
        }
    }
    fputc(')', e->out);
}

/* ---- Elements ---- */

void pdp_emit_vector(const pdp_emitter *e, uint32_t node) {
    bool vector = pdp_emit_has_vector(e, node);
    fputs(vector ? "" : "v_broadcast(", e->out);
    pdp_emit_element(e, node);
    fputs(vector ? "" : ")", e->out);
}

static void emit_operand(const pdp_emitter *e, uint32_t node, char prefix) {
    if (prefix == 'v') {
        pdp_emit_vector(e, node);
    } else {
        pdp_emit_element(e, node);
    }
}

static const char *function_of(pdp_op op) {
    switch (op) {
    case PDP_OP_MIN: return "min";
    case PDP_OP_MAX: return "max";
    case PDP_OP_ADD: return "add";
    case PDP_OP_MUL: return "mul";
    case PDP_OP_AND: return "and";
    case PDP_OP_OR: return "or";
    case PDP_OP_XOR: return "xor";
    case PDP_OP_GCD: return "gcd";
    case PDP_OP_LOGSUMEXP: return "logsumexp";
    case PDP_OP_SUBTRACT: return "subtract";
    case PDP_OP_DIVIDE: return "divide";
    case PDP_OP_REMAINDER: return "remainder";
    case PDP_OP_SHIFT_LEFT: return "shift_left";
    case PDP_OP_SHIFT_RIGHT: return "shift_right";
    case PDP_OP_ABS: return "abs";
    case PDP_OP_SQRT: return "sqrt";
    case PDP_OP_EXP: return "exp";
    case PDP_OP_LOG: return "log";
    case PDP_OP_POW: return "pow";
    case PDP_OP_NEGATE: return "negate";
    case PDP_OP_FLIP: return "flip";
    default: return "own";
    }
}

static void emit_element_fold(const pdp_emitter *e, const pdp_node *n, char prefix) {
    const char *type = prefix == 'v' ? "vec" : "elem";
    fprintf(e->out, "PDP_FOLD(f%" PRIu32 ", %s f%" PRIu32 " = ", n->which, type, n->which);
    if (prefix == 'v') {
        fprintf(e->out, "v_broadcast(k_identity_%s())", function_of(n->op));
    } else {
        fprintf(e->out, "k_identity_%s()", function_of(n->op));
    }
    fprintf(e->out, "; for (int64_t q%" PRIu32 " = 0; q%" PRIu32 " < ", n->which, n->which);
    pdp_emit_whole(e, n->child[0]);
    fprintf(e->out, "; q%" PRIu32 "++) f%" PRIu32 " = %c_%s(f%" PRIu32 ", ", n->which, n->which, prefix,
            function_of(n->op), n->which);
    emit_operand(e, n->child[1], prefix);
    fputs("))", e->out);
}

static void emit_element_binary(const pdp_emitter *e, const pdp_node *n, char prefix) {
    const bool divides_wholes = n->op == PDP_OP_DIVIDE && is_float(e) && !n->is_real; /* (l > r)/2 */
    fprintf(e->out, "%c_%s(", prefix, divides_wholes ? "whole_divide" : function_of(n->op));
    emit_operand(e, n->child[0], prefix);
    fputs(", ", e->out);
    if (n->op == PDP_OP_SHIFT_LEFT || n->op == PDP_OP_SHIFT_RIGHT) {
        pdp_emit_whole(e, n->child[1]); /* a distance is no element */
    } else {
        emit_operand(e, n->child[1], prefix);
    }
    fputc(')', e->out);
}

static void emit_element_leaf(const pdp_emitter *e, uint32_t node) {
    const pdp_node *n = &e->r->nodes[node];
    switch (n->kind) {
    case PDP_NODE_REAL: fprintf(e->out, "(elem)%a", n->real); break;
    case PDP_NODE_PARAM:
        fprintf(e->out,
                e->r->params[n->which].is_real ? "(elem)d->real_params[%" PRIu32 "]" : "s_from(d->params[%" PRIu32 "])",
                n->which);
        break;
    case PDP_NODE_LOOKUP:
        fprintf(e->out, "k_elements(%" PRIu32 ")[", n->which);
        emit_lookup_index(e, n);
        fputc(']', e->out);
        break;
    case PDP_NODE_SUM: emit_sum(e, n, "k_sum"); break;
    default: /* indices, sizes, numbers and whatever is made of them alone */
        fputs("s_from(", e->out);
        pdp_emit_whole(e, node);
        fputc(')', e->out);
        break;
    }
}

void pdp_emit_element(const pdp_emitter *e, uint32_t node) {
    const pdp_node *n = &e->r->nodes[node];
    bool is_vector = false;
    const char *slot = find_slot(e, node, &is_vector);
    if (slot) {
        fputs(slot, e->out);
        return;
    }
    char prefix = pdp_emit_has_vector(e, node) ? 'v' : 's';
    if (is_truth(n)) {
        fprintf(e->out, "%c_from_truth(", prefix);
        pdp_emit_truth(e, node);
        fputc(')', e->out);
        return;
    }
    bool is_plain = !n->is_element && !n->is_real && !(is_checked(e) && n->kind != PDP_NODE_FOLD);
    if (is_plain || n->child_count == 0 || n->kind == PDP_NODE_LOOKUP || n->kind == PDP_NODE_SUM) {
        emit_element_leaf(e, node);
        return;
    }
    switch (n->kind) {
    case PDP_NODE_BINARY: emit_element_binary(e, n, prefix); break;
    case PDP_NODE_FOLD: emit_element_fold(e, n, prefix); break;
    case PDP_NODE_CONDITIONAL:
        if (prefix == 'v') {
            bool lifts = !pdp_emit_has_vector(e, n->child[0]);
            fputs(lifts ? "v_select(v_mask(" : "v_select(", e->out);
            pdp_emit_truth(e, n->child[0]);
            fputs(lifts ? "), " : ", ", e->out);
        } else {
            fputc('(', e->out);
            pdp_emit_truth(e, n->child[0]);
            fputs(" ? ", e->out);
        }
        emit_operand(e, n->child[1], prefix);
        fputs(prefix == 'v' ? ", " : " : ", e->out);
        emit_operand(e, n->child[2], prefix);
        fputc(')', e->out);
        break;
    default: /* calls, unary operators, multiply-add: functions of their children */
        fprintf(e->out, "%c_%s(", prefix, n->kind == PDP_NODE_MULADD ? "muladd" : function_of(n->op));
        for (uint32_t c = 0; c < n->child_count; c++) {
            fputs(c == 0 ? "" : ", ", e->out);
            emit_operand(e, n->child[c], prefix);
        }
        fputc(')', e->out);
        break;
    }
}
