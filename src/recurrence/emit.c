/* Stamps: a recurrence's sub-expressions sorted by the indices they use, as the kernels want them. */
#include "recurrence/emit.h"

#include <inttypes.h>
#include <string.h>

#include "recurrence/canonise.h"
#include "recurrence/emit_expression.h"

/* The operands of the innermost update, and what they are made of. Interval: rows from l, i, k; columns from r, k, j;
 * ends from j. Linear: rows from the offset's number; ends from the cell's. */
typedef struct plan {
    pdp_slots rows, row_hoists;
    pdp_slots row_parts, k_parts; /* of which row_hoists can be made, if there are any: those of i, those of k */
    pdp_slots columns, column_hoists;
    pdp_slots ends;
    pdp_slots close_hoists;
    bool rows_are_l; /* the first is l, the others are hoisted as they are */
    bool columns_are_r;
    bool fits;      /* within the slots there are */
    bool is_vector; /* otherwise all is written in scalars, which have C's own ?: and && */
} plan;

/* A fold's variable is used outside of that fold. */
static bool has_free_variable(const pdp_recurrence *r, uint32_t node, uint32_t bound) {
    const pdp_node *n = &r->nodes[node];
    if (n->kind == PDP_NODE_VARIABLE) {
        return !(bound >> n->which & 1);
    }
    for (uint32_t c = 0; c < n->child_count; c++) {
        uint32_t inside = n->kind == PDP_NODE_FOLD && c == 1 ? bound | 1u << n->which : bound;
        if (has_free_variable(r, n->child[c], inside)) {
            return true;
        }
    }
    return false;
}

static bool add_slot(const pdp_recurrence *r, pdp_slots *slots, uint32_t node, const char *array) {
    uint32_t at;
    if (pdp_slots_find(r, slots, node, &at)) {
        return true;
    }
    if (slots->count == PDP_MOST_SLOTS) {
        return false;
    }
    slots->node[slots->count] = node;
    snprintf(slots->name[slots->count], sizeof slots->name[0], "%s[%" PRIu32 "]", array, slots->count);
    slots->count++;
    return true;
}

/* Children that are values; an index, a shift's distance or a fold's bound is not. */
static void value_children(const pdp_node *n, uint32_t *first, uint32_t *end) {
    bool shift = n->kind == PDP_NODE_BINARY && (n->op == PDP_OP_SHIFT_LEFT || n->op == PDP_OP_SHIFT_RIGHT);
    *first = n->kind == PDP_NODE_FOLD ? 1 : 0;
    *end = n->kind == PDP_NODE_LOOKUP || n->kind == PDP_NODE_SUM ? 0 : shift ? 1 : n->child_count;
}

/* A division by zero or an index outside of its input may be in it; or, of those, one that depends on a cell. */
static bool can_fail(const pdp_recurrence *r, uint32_t node, bool by_cells) {
    const pdp_node *n = &r->nodes[node];
    const bool divides = n->kind == PDP_NODE_BINARY && (n->op == PDP_OP_DIVIDE || n->op == PDP_OP_REMAINDER);
    if ((n->kind == PDP_NODE_LOOKUP || n->kind == PDP_NODE_SUM) && !n->index_proven && !by_cells) {
        return true;
    }
    if (divides && !n->is_real && (n->has_cell || !by_cells) &&
        (r->nodes[n->child[1]].kind != PDP_NODE_WHOLE || r->nodes[n->child[1]].number == 0)) {
        return true;
    }
    for (uint32_t c = 0; c < n->child_count; c++) {
        if (can_fail(r, n->child[c], by_cells)) {
            return true;
        }
    }
    return false;
}

/* Whether child c can be computed where nobody asked for it. What cannot is left to scalars, which ask first. */
static bool can_come_first(const pdp_recurrence *r, const pdp_node *n, uint32_t c) {
    const bool is_lazy =
        n->kind == PDP_NODE_CONDITIONAL
            ? c > 0
            : n->kind == PDP_NODE_BINARY && c == 1 && (n->op == PDP_OP_LOGICAL_AND || n->op == PDP_OP_LOGICAL_OR);
    return !is_lazy || !can_fail(r, n->child[c], false);
}

/* A plain number that depends on indices is known as a whole, or to scalars only: its parts are no elements. */
static bool splits_plain(const pdp_node *n) {
    return n->uses != 0 && !n->is_element;
}

/* A child that is no value depends on an index. */
static bool has_own_index(const pdp_recurrence *r, const pdp_node *n, uint32_t first, uint32_t end) {
    for (uint32_t c = 0; c < n->child_count; c++) {
        if ((c < first || c >= end) && r->nodes[n->child[c]].uses != 0) {
            return true;
        }
    }
    return false;
}

/* The largest sub-trees without a cell that depend on an index. */
static bool collect_hoists(const pdp_recurrence *r, uint32_t node, pdp_slots *slots, const char *array) {
    const pdp_node *n = &r->nodes[node];
    uint32_t first, end;
    if (!n->has_cell && n->uses != 0 && !has_free_variable(r, node, 0)) {
        return add_slot(r, slots, node, array);
    }
    value_children(n, &first, &end);
    if (splits_plain(n) || has_own_index(r, n, first, end)) {
        return false;
    }
    for (uint32_t c = first; c < end; c++) {
        if (!can_come_first(r, n, c) || !collect_hoists(r, n->child[c], slots, array)) {
            return false;
        }
    }
    return true;
}

/* The largest sub-trees of a tree without cells that depend on i alone, or on k alone, if they are all there is. */
static bool collect_parts(const pdp_recurrence *r, uint32_t node, pdp_slots *by_i, pdp_slots *by_k) {
    const pdp_node *n = &r->nodes[node];
    uint32_t first, end;
    if (n->uses == 0) {
        return true;
    }
    if ((n->uses == PDP_USES_I || n->uses == PDP_USES_K) && !has_free_variable(r, node, 0)) {
        return add_slot(r, n->uses == PDP_USES_I ? by_i : by_k, node, n->uses == PDP_USES_I ? "hi" : "hk");
    }
    value_children(n, &first, &end);
    if (splits_plain(n) || has_own_index(r, n, first, end)) {
        return false;
    }
    for (uint32_t c = first; c < end; c++) {
        if (!can_come_first(r, n, c) || !collect_parts(r, n->child[c], by_i, by_k)) {
            return false;
        }
    }
    return true;
}

/* The operands of the innermost update: the largest sub-trees that are known outside of its loop. */
static bool collect_operands(const pdp_recurrence *r, uint32_t node, plan *p) {
    const pdp_node *n = &r->nodes[node];
    const bool interval = r->shape == PDP_INTERVAL;
    uint32_t first, end;
    if (n->uses != 0 && !has_free_variable(r, node, 0)) {
        if (interval && !(n->uses & PDP_USES_J)) {
            return add_slot(r, &p->rows, node, "a");
        }
        if (interval && n->uses == PDP_USES_J && !n->has_cell) {
            return add_slot(r, &p->ends, node, "jv");
        }
        if (interval && !(n->uses & PDP_USES_I)) {
            return add_slot(r, &p->columns, node, "b");
        }
        if (!interval && n->uses == PDP_USES_J && !n->has_cell) {
            return add_slot(r, &p->rows, node, "w");
        }
        if (!interval && n->uses == PDP_USES_I && !n->has_cell) {
            return add_slot(r, &p->ends, node, "iv");
        }
    }
    if (splits_plain(n)) {
        return false;
    }
    value_children(n, &first, &end);
    for (uint32_t c = first; c < end; c++) {
        if (!can_come_first(r, n, c) || !collect_operands(r, n->child[c], p)) {
            return false;
        }
    }
    return true;
}

static bool is_cell(const pdp_recurrence *r, uint32_t node, pdp_cell cell) {
    return r->nodes[node].kind == PDP_NODE_CELL && r->nodes[node].which == cell;
}

/* Any node that is this cell. */
static uint32_t find_cell(const pdp_recurrence *r, pdp_cell cell) {
    for (uint32_t x = 0; x < r->node_count; x++) {
        if (is_cell(r, x, cell)) {
            return x;
        }
    }
    return PDP_NO_NODE;
}

/* l (or r) first, so that the tile itself can serve as the first operand. */
static void put_cell_first(const pdp_recurrence *r, pdp_slots *slots, pdp_cell cell) {
    for (uint32_t x = 1; x < slots->count; x++) {
        if (is_cell(r, slots->node[x], cell)) {
            uint32_t node = slots->node[x];
            memmove(slots->node + 1, slots->node, x * sizeof *slots->node);
            slots->node[0] = node;
        }
    }
}

static bool finish_side(const pdp_recurrence *r, pdp_slots *operands, pdp_slots *hoists, pdp_cell cell,
                        const char *array, bool *is_plain) {
    uint32_t self = find_cell(r, cell);
    if (operands->count == 0 && (self == PDP_NO_NODE || !add_slot(r, operands, self, array))) {
        return false;
    }
    put_cell_first(r, operands, cell);
    *is_plain = is_cell(r, operands->node[0], cell);
    for (uint32_t x = 0; x < operands->count; x++) {
        /* Operands are made for whole tiles, also where there is no cell to divide by. */
        if (can_fail(r, operands->node[x], true) || !collect_hoists(r, operands->node[x], hoists, "h")) {
            return false;
        }
        *is_plain &= x == 0 || (hoists->count == x && hoists->node[x - 1] == operands->node[x]);
    }
    return true;
}

/* Where values that depend on i and k are to be made of those of i and those of k: not of more than there is room for,
 * and not where making one could fail, since it may be made for what is no cell. */
static void split_hoists(const pdp_recurrence *r, plan *p) {
    bool splits = true;
    for (uint32_t x = 0; x < p->row_hoists.count; x++) {
        splits = splits && !can_fail(r, p->row_hoists.node[x], false) &&
                 collect_parts(r, p->row_hoists.node[x], &p->row_parts, &p->k_parts);
    }
    if (!splits || p->row_parts.count + 2 * p->k_parts.count > 6) {
        p->row_parts.count = p->k_parts.count = 0;
    }
}

static void make_plan(const pdp_recurrence *r, plan *p) {
    memset(p, 0, sizeof *p);
    p->rows.are_vectors = p->columns.are_vectors = p->ends.are_vectors = true;
    p->fits = collect_operands(r, r->inner, p);
    if (r->shape == PDP_INTERVAL) {
        p->fits = p->fits && finish_side(r, &p->rows, &p->row_hoists, PDP_CELL_LEFT, "a", &p->rows_are_l) &&
                  finish_side(r, &p->columns, &p->column_hoists, PDP_CELL_RIGHT, "b", &p->columns_are_r);
        p->columns_are_r = p->columns_are_r && p->columns.count == 1;
        const uint32_t closing[2] = {r->after, r->finish};
        for (int x = 0; x < 2; x++) {
            p->fits = p->fits && (closing[x] == PDP_NO_NODE || collect_hoists(r, closing[x], &p->close_hoists, "h"));
        }
    }
    if (!p->fits) { /* too many for registers anyway: scalars find everything by index */
        memset(p, 0, sizeof *p);
        p->rows.are_vectors = p->columns.are_vectors = p->ends.are_vectors = true;
        if (r->shape == PDP_INTERVAL) {
            const pdp_cell cells[2] = {PDP_CELL_LEFT, PDP_CELL_RIGHT};
            for (int x = 0; x < 2; x++) {
                uint32_t cell = find_cell(r, cells[x]);
                if (cell != PDP_NO_NODE) {
                    add_slot(r, x == 0 ? &p->rows : &p->columns, cell, x == 0 ? "a" : "b");
                }
            }
            p->rows_are_l = p->columns_are_r = true;
        }
    }
    split_hoists(r, p);
}

/* A cell under a name, as a list of slots of its own. */
static pdp_slots cell_slot(const pdp_recurrence *r, pdp_cell cell, const char *name, bool is_vector) {
    pdp_slots slots = {.count = 0, .are_vectors = is_vector};
    uint32_t node = find_cell(r, cell);
    if (node != PDP_NO_NODE) {
        slots.node[0] = node;
        snprintf(slots.name[0], sizeof slots.name[0], "%s", name);
        slots.count = 1;
    }
    return slots;
}

static bool all_fit(const pdp_emitter *e, const pdp_slots *operands) {
    for (uint32_t x = 0; x < operands->count; x++) {
        if (!pdp_emit_fits_vectors(e, operands->node[x])) {
            return false;
        }
    }
    return true;
}

static bool combine_fits_vectors(const pdp_recurrence *r, const pdp_stamp *stamp) {
    if (stamp->combine == PDP_OP_GCD || stamp->combine == PDP_OP_LOGSUMEXP ||
        (stamp->combine == PDP_OP_MUL && stamp->modular)) {
        return false;
    }
    if (stamp->combine == PDP_OP_OWN) {
        pdp_slots x = cell_slot(r, PDP_CELL_FIRST, "x", true), y = cell_slot(r, PDP_CELL_SECOND, "y", true);
        const pdp_emitter e = {NULL, r, stamp, {&x, &y}};
        return pdp_emit_fits_vectors(&e, r->combine_own);
    }
    return true;
}

bool pdp_emit_is_vector(const pdp_recurrence *r, const pdp_stamp *stamp) {
    plan p;
    make_plan(r, &p);
    if (!p.fits || stamp->type == PDP_TYPE_WIDE || !combine_fits_vectors(r, stamp)) {
        return false;
    }
    if (r->shape == PDP_LINEAR) {
        pdp_slots s = cell_slot(r, PDP_CELL_SOURCE, "s", true);
        const pdp_emitter update = {NULL, r, stamp, {&p.rows, &p.ends, &s}};
        return pdp_emit_fits_vectors(&update, r->inner);
    }
    pdp_slots l = cell_slot(r, PDP_CELL_LEFT, "l", true), right = cell_slot(r, PDP_CELL_RIGHT, "r", true);
    pdp_slots best = cell_slot(r, PDP_CELL_BEST, "best", true);
    p.row_hoists.are_vectors = p.column_hoists.are_vectors = p.close_hoists.are_vectors = true;
    const pdp_emitter update = {NULL, r, stamp, {&p.rows, &p.columns, &p.ends}};
    const pdp_emitter row = {NULL, r, stamp, {&l, &p.row_hoists}};
    const pdp_emitter column = {NULL, r, stamp, {&right, &p.column_hoists}};
    const pdp_emitter close = {NULL, r, stamp, {&best, &p.close_hoists}};
    return pdp_emit_fits_vectors(&update, r->inner) && all_fit(&row, &p.rows) && all_fit(&column, &p.columns) &&
           (r->after == PDP_NO_NODE || pdp_emit_fits_vectors(&close, r->after)) &&
           (r->finish == PDP_NO_NODE || pdp_emit_fits_vectors(&close, r->finish));
}

/* Whether something is chosen anywhere: by the operator, by a call or by a fold. */
static bool has_choice(const pdp_recurrence *r, pdp_op combine) {
    bool has = combine == PDP_OP_MIN || combine == PDP_OP_MAX || combine == PDP_OP_LOGSUMEXP;
    for (uint32_t x = 0; x < r->node_count && !has; x++) {
        const pdp_node *n = &r->nodes[x];
        has = (n->kind == PDP_NODE_CALL || n->kind == PDP_NODE_FOLD) && (n->op == PDP_OP_MIN || n->op == PDP_OP_MAX);
    }
    return has;
}

void pdp_stamp_complete(pdp_stamp *stamp, const pdp_recurrence *recurrence, pdp_element element, bool has_source,
                        uint32_t options) {
    /* Sets have no infinity: theirs is the largest of them. */
    const bool chooses = (stamp->combine == PDP_OP_MIN || stamp->combine == PDP_OP_MAX) && element != PDP_ELEMENT_BITS;
    stamp->modular = element == PDP_ELEMENT_MOD;
    stamp->keeps_nan = pdp_element_is_real(element) && has_choice(recurrence, stamp->combine);
    stamp->has_source = has_source;
    stamp->options = options;
    stamp->can_miss = recurrence->shape == PDP_LINEAR && recurrence->missing_skip && !has_source && chooses;
}

/* ---- Writing ---- */

static const char *combine_name(pdp_op op) {
    static const char *const names[] = {"min", "max", "add", "mul", "and", "or", "xor", "gcd", "logsumexp", "own"};
    return names[op];
}

static bool emits_vectors(const pdp_recurrence *r, const pdp_stamp *stamp) {
    return !stamp->for_device && pdp_emit_is_vector(r, stamp);
}

static bool has_fold(const pdp_recurrence *r) {
    for (uint32_t x = 0; x < r->node_count; x++) {
        if (r->nodes[x].kind == PDP_NODE_FOLD) {
            return true;
        }
    }
    return false;
}

void pdp_emit_type(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp) {
    static const char *const types[] = {"I32", "I64", "F32", "F64", "U32", "U64", "WIDE"};
    fprintf(out, "#define PDP_TYPE_%s\n", types[stamp->type]);
    if (stamp->modular) {
        fputs("#define PDP_MODULAR\n", out);
    }
    if (stamp->keeps_nan) {
        fputs("#define PDP_KEEPS_NAN\n", out);
    }
    if (stamp->short_products) {
        fputs("#define PDP_SHORT_PRODUCTS\n", out);
    }
    if (stamp->records) {
        fputs("#define PDP_RECORDS\n", out);
    }
    const bool is_vector = pdp_emit_is_vector(r, stamp);
    if (stamp->type != PDP_TYPE_WIDE && (!is_vector || stamp->for_device)) {
        fputs("#define PDP_SCALAR\n", out);
    }
    if (!is_vector) { /* what is computed for cells that are none could fail */
        fputs("#define PDP_GUARDED\n", out);
    }
    if (!is_vector && has_fold(r)) {
        fputs("#define PDP_LOOPS\n", out);
    }
}

#define D "PDP_DATA d"

static bool looks_up_everywhere(const pdp_recurrence *r, uint32_t node) {
    const pdp_node *n = &r->nodes[node];
    bool does = (n->kind != PDP_NODE_LOOKUP && n->kind != PDP_NODE_SUM) || n->index_everywhere;
    for (uint32_t c = 0; c < n->child_count && does; c++) {
        does = looks_up_everywhere(r, n->child[c]);
    }
    return does;
}

/* void NAME(d, int64_t FIRST, int64_t SECOND, elem *out): the values of slots, from nothing but indices. Engines ask
 * for whole tiles and blocks of them, also where there is no term. What could fail there is, instead, that of a term:
 * `nearest` are statements that bring the indices to one; or it is 0 where `none` says that there is no term. */
static void emit_hoist(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp, const char *name,
                       const char *indices, const pdp_slots *slots, const char *none, const char *nearest) {
    const pdp_emitter e = {out, r, stamp, {NULL}};
    bool is_safe = true;
    fprintf(out, "PDP_INLINE void %s(" D ", %s, elem *out) {\n    (void)d, (void)out;\n", name, indices);
    for (uint32_t x = 0; x < slots->count; x++) {
        is_safe = is_safe && !can_fail(r, slots->node[x], false) && looks_up_everywhere(r, slots->node[x]);
    }
    if (!is_safe && none) {
        fprintf(out, "    if (%s) {\n        for (int v = 0; v < %" PRIu32 "; v++) {\n            out[v] = 0;\n", none,
                slots->count);
        fprintf(out, "        }\n        return;\n    }\n%s", nearest);
    }
    for (uint32_t x = 0; x < slots->count; x++) {
        fprintf(out, "    out[%" PRIu32 "] = ", x);
        pdp_emit_element(&e, slots->node[x]);
        fputs(";\n", out);
    }
    fputs("}\n", out);
}

#define NO_TERMS "d->points < 3"
#define NEAREST(index, least, most) "    " index " = w_max(" least ", w_min(" index ", " most "));\n"
#define NEAREST_K NEAREST("k", "1", "d->points - 2")

/* What is hoisted for i and k, from what is hoisted for each. */
static void emit_join(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp, const plan *p) {
    const pdp_emitter e = {out, r, stamp, {&p->row_parts, &p->k_parts}};
    fprintf(out, "#define PDP_NHI %" PRIu32 "\n#define PDP_NHK %" PRIu32 "\n", p->row_parts.count, p->k_parts.count);
    emit_hoist(out, r, stamp, "hoist_row", "int64_t i", &p->row_parts, NO_TERMS, NEAREST("i", "0", "d->points - 3"));
    emit_hoist(out, r, stamp, "hoist_k", "int64_t k", &p->k_parts, NO_TERMS, NEAREST_K);
    fputs("PDP_INLINE void join_a(" D ", const elem *hi, const elem *hk, elem *out) {\n"
          "    (void)d, (void)hi, (void)hk, (void)out;\n",
          out);
    for (uint32_t x = 0; x < (p->row_parts.count + p->k_parts.count > 0 ? p->row_hoists.count : 0); x++) {
        fprintf(out, "    out[%" PRIu32 "] = ", x);
        pdp_emit_element(&e, p->row_hoists.node[x]);
        fputs(";\n", out);
    }
    fputs("}\n", out);
}

/* Operands from a cell and what was hoisted, as scalars and as vectors. */
static void emit_make(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp, const char *name, pdp_cell which,
                      const char *cell_name, const pdp_slots *operands, pdp_slots hoists, bool is_vector) {
    for (int vectors = 0; vectors < 2; vectors++) {
        pdp_slots cell = cell_slot(r, which, cell_name, vectors && is_vector);
        const char *type = vectors ? "vec" : "elem";
        hoists.are_vectors = vectors && is_vector;
        const pdp_emitter e = {out, r, stamp, {&cell, &hoists}};
        fprintf(out, "PDP_INLINE void %c_%s(" D ", %s %s, const %s *h, %s *out) {\n    (void)d, (void)%s, (void)h;\n",
                vectors ? 'v' : 's', name, type, cell_name, type, type, cell_name);
        for (uint32_t x = 0; x < operands->count; x++) {
            fprintf(out, "    out[%" PRIu32 "] = ", x);
            if (vectors) {
                pdp_emit_vector(&e, operands->node[x]);
            } else {
                pdp_emit_element(&e, operands->node[x]);
            }
            fputs(";\n", out);
        }
        fputs("}\n", out);
    }
}

/* A function of indices alone. */
static void emit_scalar(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp, const char *name, uint32_t node) {
    const pdp_emitter e = {out, r, stamp, {NULL}};
    fprintf(out, "PDP_INLINE elem %s(" D ", int64_t i) {\n    (void)d, (void)i;\n    return ", name);
    if (node == PDP_NO_NODE) {
        fputs("PDP_IDENTITY", out);
    } else {
        pdp_emit_element(&e, node);
    }
    fputs(";\n}\n", out);
}

/* An own operator, and the identity of whatever operator there is. */
static void emit_operator(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp) {
    if (stamp->combine == PDP_OP_OWN) {
        for (int vectors = 0; vectors < (emits_vectors(r, stamp) ? 2 : 1); vectors++) {
            pdp_slots x = cell_slot(r, PDP_CELL_FIRST, "x", vectors), y = cell_slot(r, PDP_CELL_SECOND, "y", vectors);
            const pdp_emitter e = {out, r, stamp, {&x, &y}};
            const char *type = vectors ? "vec" : "elem";
            fprintf(out, "PDP_INLINE %s k_own_%c(" D ", %s x, %s y) {\n    (void)d;\n    return ", type,
                    vectors ? 'v' : 's', type, type);
            if (vectors) {
                pdp_emit_vector(&e, r->combine_own);
            } else {
                pdp_emit_element(&e, r->combine_own);
            }
            fputs(";\n}\n", out);
        }
        fprintf(out, "#define s_own(x, y) k_own_s(d, x, y)\n#define v_own(x, y) k_own_%c(d, x, y)\n",
                emits_vectors(r, stamp) ? 'v' : 's');
    }
    if (stamp->for_device && stamp->combine == PDP_OP_GCD) {
        fputs("PDP_INLINE elem k_combine(elem x, elem y) {\n    return y == 0 ? x : x == 0 ? y : s_gcd(x, y);\n}\n"
              "#define PDP_COMBINE(x, y) k_combine(x, y)\n",
              out);
    } else if (stamp->for_device) {
        fprintf(out, "#define PDP_COMBINE(x, y) s_%s(x, y)\n", combine_name(stamp->combine));
    }
    bool bounded = (stamp->combine == PDP_OP_MIN || stamp->combine == PDP_OP_MAX) && stamp->type < PDP_TYPE_U32;
    bool floats = stamp->type == PDP_TYPE_F32 || stamp->type == PDP_TYPE_F64;
    if (stamp->combine == PDP_OP_LOGSUMEXP) {
        fputs("#define PDP_IDENTITY (-(elem)PDP_INF)\n", out);
    } else if (stamp->combine == PDP_OP_GCD) {
        fputs("#define PDP_IDENTITY ((elem)0)\n", out);
    } else if (stamp->combine == PDP_OP_OWN) {
        const pdp_emitter e = {out, r, stamp, {NULL}};
        fputs("#define PDP_IDENTITY ((elem)", out);
        pdp_emit_element(&e, r->combine_identity);
        fputs(")\n", out);
    } else if (bounded) {
        fprintf(out, "#define PDP_IDENTITY ((elem)d->%s)\n", floats ? "real_identity" : "identity");
    } else {
        fprintf(out, "#define PDP_IDENTITY k_identity_%s()\n", combine_name(stamp->combine));
    }
}

/* What is made of an infeasible cell is infeasible, whatever the arithmetic makes of it. */
static bool guards_infinity(const pdp_recurrence *r, const pdp_stamp *stamp) {
    return stamp->can_miss && !pdp_recurrence_keeps_infinity(r);
}

/* c (+) the inner term. */
static void emit_update_result(const pdp_emitter *e) {
    const bool guards = guards_infinity(e->r, e->stamp);
    const pdp_node *inner = &e->r->nodes[e->r->inner];
    bool fuses = e->stamp->combine == PDP_OP_ADD && !e->stamp->modular && inner->kind == PDP_NODE_BINARY &&
                 inner->op == PDP_OP_MUL;
    fputs("    return ", e->out);
    if (fuses) {
        fputs("v_muladd(", e->out);
        pdp_emit_vector(e, inner->child[0]);
        fputs(", ", e->out);
        pdp_emit_vector(e, inner->child[1]);
        fputs(", c);\n}\n", e->out);
        return;
    }
    fprintf(e->out, "%sv_%s(c, ", guards ? "v_select(s == v_broadcast(PDP_IDENTITY), c, " : "",
            combine_name(e->stamp->combine));
    pdp_emit_vector(e, e->r->inner);
    fputs(guards ? "));\n}\n" : ");\n}\n", e->out);
}

static void emit_close(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp, const plan *p) {
    pdp_slots hoists = p->close_hoists, best = cell_slot(r, PDP_CELL_BEST, "best", p->is_vector);
    hoists.are_vectors = p->is_vector;
    const pdp_emitter e = {out, r, stamp, {&best, &hoists}};
    fputs("PDP_INLINE vec close_cell(" D ", vec best, vec option, const vec *h, int64_t i, int64_t j) {\n"
          "    (void)d, (void)option, (void)h, (void)i, (void)j;\n"
          "#if defined(PDP_GUARDED)\n    if (i < 0 || j < i + 2) {\n        return best;\n    }\n#endif\n",
          out);
    if (r->after != PDP_NO_NODE) {
        fputs("    best = ", out);
        pdp_emit_vector(&e, r->after);
        fputs(";\n", out);
    }
    if (stamp->options != 0) {
        fprintf(out, "    best = v_%s(best, option);\n", combine_name(stamp->combine));
    }
    fputs("    return ", out);
    if (r->finish != PDP_NO_NODE) {
        pdp_emit_vector(&e, r->finish);
    } else {
        fputs("best", out);
    }
    fputs(";\n}\n", out);
}

static void emit_options(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp) {
    pdp_slots inside = cell_slot(r, PDP_CELL_INSIDE, "inside", false);
    const pdp_emitter e = {out, r, stamp, {&inside}};
    fputs("PDP_INLINE elem option(" D ", int64_t i, int64_t j, elem inside) {\n"
          "    (void)d, (void)i, (void)j, (void)inside;\n    elem best = PDP_IDENTITY;\n",
          out);
    for (uint32_t x = 0; x < r->option_count; x++) {
        const pdp_option_clause *clause = &r->options[x];
        if (!(stamp->options >> x & 1)) {
            continue;
        }
        fputs("    best = ", out);
        if (clause->condition != PDP_NO_NODE) {
            pdp_emit_truth(&e, clause->condition);
            fputs(" ? ", out);
        }
        fprintf(out, "s_%s(best, ", combine_name(stamp->combine));
        pdp_emit_element(&e, clause->value);
        fputs(clause->condition != PDP_NO_NODE ? ") : best;\n" : ");\n", out);
    }
    fputs("    return best;\n}\n", out);
}

/* The number of the option that gives M[i][j] its value, -1 if none does. */
static void emit_find_option(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp, const plan *p) {
    pdp_slots inside = cell_slot(r, PDP_CELL_INSIDE, "inside", false),
              best = cell_slot(r, PDP_CELL_BEST, "best", false);
    const pdp_emitter value = {out, r, stamp, {&inside}}, finish = {out, r, stamp, {&best, &p->close_hoists}};
    fputs("PDP_INLINE int find_option(" D ", int64_t i, int64_t j, elem inside, elem cell) {\n"
          "    elem best, h[PDP_NHC + 1];\n    hoist_c(d, i, j, h);\n    (void)inside, (void)h;\n",
          out);
    for (uint32_t x = 0; x < r->option_count; x++) {
        const pdp_option_clause *clause = &r->options[x];
        if (!(stamp->options >> x & 1)) {
            continue;
        }
        fputs("    if (", out);
        if (clause->condition != PDP_NO_NODE) {
            pdp_emit_truth(&value, clause->condition);
        } else {
            fputc('1', out);
        }
        fputs(") {\n        best = ", out);
        pdp_emit_element(&value, clause->value);
        if (r->finish != PDP_NO_NODE) {
            fputs(";\n        best = ", out);
            pdp_emit_element(&finish, r->finish);
        }
        fprintf(out, ";\n        if (best == cell) {\n            return %" PRIu32 ";\n        }\n    }\n", x);
    }
    fputs("    return -1;\n}\n", out);
}

/* Options read cells of the row below alone, so all of a row can be had before its terms, if nothing stands between
 * them and the terms, and the order in which they are combined does not matter. */
static bool options_come_first(const pdp_recurrence *r, const pdp_stamp *stamp) {
    const bool rounds = (stamp->type == PDP_TYPE_F32 || stamp->type == PDP_TYPE_F64) && stamp->combine != PDP_OP_MIN &&
                        stamp->combine != PDP_OP_MAX;
    return r->after == PDP_NO_NODE && r->finish == PDP_NO_NODE && stamp->combine != PDP_OP_OWN && !rounds;
}

static void emit_interval(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp, const plan *p) {
    const bool closes = r->after != PDP_NO_NODE || r->finish != PDP_NO_NODE || stamp->options != 0;
    const bool early = stamp->options != 0 && options_come_first(r, stamp);
    const bool weighs = r->monotone && pdp_recurrence_is_weighed(r) && stamp->type == PDP_TYPE_I64;
    fprintf(out,
            "#define PDP_NHA %" PRIu32 "\n#define PDP_NA %" PRIu32 "\n#define PDP_NHB %" PRIu32
            "\n#define PDP_NB %" PRIu32 "\n#define PDP_NHJ %" PRIu32 "\n#define PDP_NHC %" PRIu32
            "\n#define PDP_OPTIONS %d\n#define PDP_OPTIONS_FIRST %d\n#define PDP_CLOSES %d\n"
            "#define PDP_A_IS_L %d\n#define PDP_B_IS_R %d\n#define PDP_WEIGHS %d\n",
            p->row_hoists.count, p->rows.count, p->column_hoists.count, p->columns.count, p->ends.count,
            p->close_hoists.count, stamp->options != 0, early, closes && !early, p->rows_are_l, p->columns_are_r,
            weighs);
    emit_hoist(out, r, stamp, "hoist_a", "int64_t i, int64_t k", &p->row_hoists, NO_TERMS,
               NEAREST_K NEAREST("i", "0", "k - 1"));
    if (stamp->for_device) {
        emit_join(out, r, stamp, p);
    }
    emit_make(out, r, stamp, "make_a", PDP_CELL_LEFT, "l", &p->rows, p->row_hoists, p->is_vector);
    emit_hoist(out, r, stamp, "hoist_b", "int64_t k, int64_t j", &p->column_hoists, NO_TERMS,
               NEAREST_K NEAREST("j", "k + 1", "d->points - 1"));
    emit_make(out, r, stamp, "make_b", PDP_CELL_RIGHT, "r", &p->columns, p->column_hoists, p->is_vector);
    emit_hoist(out, r, stamp, "hoist_j", "int64_t j", &p->ends, NO_TERMS, NEAREST("j", "2", "d->points - 1"));
    emit_hoist(out, r, stamp, "hoist_c", "int64_t i, int64_t j", &p->close_hoists, NULL, NULL); /* for cells alone */
    const pdp_emitter update = {out, r, stamp, {&p->rows, &p->columns, &p->ends}};
    fputs("PDP_INLINE vec update(" D
          ", vec c, const vec *a, const vec *b, const vec *jv, int64_t i, int64_t k, int64_t j) {\n"
          "    (void)d, (void)a, (void)b, (void)jv, (void)i, (void)k, (void)j;\n"
          "#if defined(PDP_GUARDED)\n    if (i < 0) {\n        return c;\n    }\n#endif\n",
          out);
    emit_update_result(&update);
    if (closes) {
        emit_close(out, r, stamp, p);
    }
    if (stamp->options != 0) {
        emit_options(out, r, stamp);
    }
    if (stamp->options != 0 && stamp->for_device) {
        emit_find_option(out, r, stamp, p);
    }
    emit_scalar(out, r, stamp, "leaf", r->leaf);
    emit_scalar(out, r, stamp, "empty", r->empty);
}

/* A gcd of a source alone is the source, with its sign: devices, which combine it with sums that may be of no terms,
 * take the sign away where there is a term. */
static void emit_source(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp) {
    const bool has_sign = !stamp->for_device || stamp->combine != PDP_OP_GCD || !stamp->has_source;
    const uint32_t source = stamp->has_source ? r->source : PDP_NO_NODE;
    emit_scalar(out, r, stamp, has_sign ? "source" : "signed_source", source);
    if (!has_sign) {
        fputs("PDP_INLINE elem source(" D ", int64_t i) {\n    const elem own = signed_source(d, i);\n"
              "    return i < d->first ? own : s_gcd(own, 0);\n}\n",
              out);
    }
}

static void emit_linear_close(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp) {
    bool ordered = stamp->combine == PDP_OP_MIN || stamp->combine == PDP_OP_MAX;
    bool floats = stamp->type == PDP_TYPE_F32 || stamp->type == PDP_TYPE_F64;
    bool clamps = stamp->can_miss && ordered && !floats && stamp->type != PDP_TYPE_WIDE;
    pdp_slots best = cell_slot(r, PDP_CELL_BEST, "best", false);
    const pdp_emitter e = {out, r, stamp, {&best}};
    fprintf(out, "#define PDP_CLOSES %d\n", clamps || r->after != PDP_NO_NODE || r->finish != PDP_NO_NODE);
    fputs("PDP_INLINE elem close(" D ", elem best, int64_t i) {\n    (void)d, (void)i;\n", out);
    if (guards_infinity(r, stamp)) {
        fputs("    if (best == PDP_IDENTITY) {\n        return best;\n    }\n", out);
    }
    const uint32_t steps[2] = {r->after, r->finish};
    for (int x = 0; x < 2; x++) {
        if (steps[x] != PDP_NO_NODE) {
            fputs("    best = ", out);
            pdp_emit_element(&e, steps[x]);
            fputs(";\n", out);
        }
    }
    if (clamps) {
        fprintf(out, "    best = best %s (elem)d->limit ? PDP_IDENTITY : best;\n",
                stamp->combine == PDP_OP_MIN ? ">" : "<");
    }
    fputs("    return best;\n}\n", out);
}

static void emit_linear(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp, const plan *p) {
    fprintf(out, "#define PDP_NW %" PRIu32 "\n#define PDP_NI %" PRIu32 "\n#define PDP_ORDERED %d\n", p->rows.count,
            p->ends.count, r->combine_ordered);
    if (stamp->modular && stamp->combine == PDP_OP_ADD && !stamp->can_miss &&
        r->nodes[r->inner].kind == PDP_NODE_CELL) {
        fputs("#define PDP_COUNTS /* terms are cells, whose sum is taken */\n", out);
    }
    emit_hoist(out, r, stamp, "hoist_w", "int64_t j", &p->rows, NULL, NULL); /* for terms alone */
    emit_hoist(out, r, stamp, "hoist_i", "int64_t i", &p->ends, "i < d->first", "");
    pdp_slots s = cell_slot(r, PDP_CELL_SOURCE, "s", p->is_vector);
    const pdp_emitter update = {out, r, stamp, {&p->rows, &p->ends, &s}};
    fputs("PDP_INLINE vec update(" D ", vec c, vec s, const vec *w, const vec *iv, int64_t i, int64_t j) {\n"
          "    (void)d, (void)s, (void)w, (void)iv, (void)i, (void)j;\n",
          out);
    emit_update_result(&update);
    emit_linear_close(out, r, stamp);
    emit_source(out, r, stamp);
    emit_scalar(out, r, stamp, "preset", r->preset_value);
}

void pdp_emit_recurrence(FILE *out, const pdp_recurrence *r, const pdp_stamp *stamp) {
    plan p;
    make_plan(r, &p);
    p.is_vector = emits_vectors(r, stamp);
    p.rows.are_vectors = p.columns.are_vectors = p.ends.are_vectors = p.is_vector;
    emit_operator(out, r, stamp);
    if (r->shape == PDP_INTERVAL) {
        emit_interval(out, r, stamp, &p);
    } else {
        emit_linear(out, r, stamp, &p);
    }
}
