/* Types, dependences and what must fit together, once names are known and trees are built. */
#include <stdarg.h>

#include "recurrence/combine.h"
#include "recurrence/parser.h"
#include "recurrence/ranges.h"

static bool is_shift(const pdp_node *node) {
    return node->kind == PDP_NODE_BINARY && (node->op == PDP_OP_SHIFT_LEFT || node->op == PDP_OP_SHIFT_RIGHT);
}

/* A comparison or a logical operation: 0 or 1, whatever its operands are. */
static bool is_truth(const pdp_node *node) {
    return (node->kind == PDP_NODE_BINARY && node->op >= PDP_OP_LESS && node->op <= PDP_OP_LOGICAL_OR) ||
           (node->kind == PDP_NODE_UNARY && node->op == PDP_OP_NOT);
}

/* Bit operations and %, which floats do not have. */
static bool needs_whole(const pdp_node *node) {
    switch (node->kind) {
    case PDP_NODE_UNARY: return node->op == PDP_OP_FLIP;
    case PDP_NODE_FOLD: return node->op == PDP_OP_AND || node->op == PDP_OP_OR || node->op == PDP_OP_XOR;
    case PDP_NODE_BINARY:
        return is_shift(node) || node->op == PDP_OP_REMAINDER || node->op == PDP_OP_AND || node->op == PDP_OP_OR ||
               node->op == PDP_OP_XOR;
    default: return false;
    }
}

/* ---- Which inputs and parameters are whole in a file of floats ---------------------------------- */

typedef struct pdp_whole_names {
    bool input[PDP_MAX_INPUTS];
    bool param[PDP_MAX_PARAMS];
} pdp_whole_names;

/* The value of this tree must be whole, and so must all be that it is computed from. */
static void mark_whole(const pdp_recurrence *recurrence, pdp_whole_names *names, uint32_t root) {
    if (root == PDP_NO_NODE) {
        return;
    }
    const pdp_node *node = &recurrence->nodes[root];
    uint32_t first = 0;
    switch (node->kind) {
    case PDP_NODE_PARAM: names->param[node->which] = true; return;
    case PDP_NODE_LOOKUP:
    case PDP_NODE_SUM: names->input[node->which] = true; return; /* their indices are marked anyway */
    case PDP_NODE_CONDITIONAL:
    case PDP_NODE_FOLD: first = 1; break;
    default: break;
    }
    for (uint32_t c = first; c < node->child_count && !is_truth(node); c++) {
        mark_whole(recurrence, names, node->child[c]);
    }
}

static void mark_node(const pdp_recurrence *recurrence, pdp_whole_names *names, const pdp_node *node) {
    if (node->kind == PDP_NODE_LOOKUP || node->kind == PDP_NODE_SUM) {
        for (uint32_t c = 0; c < node->child_count; c++) {
            mark_whole(recurrence, names, node->child[c]);
        }
    } else if (node->kind == PDP_NODE_FOLD) {
        mark_whole(recurrence, names, node->child[0]);
    } else if (is_shift(node)) {
        mark_whole(recurrence, names, node->child[1]);
    }
    if (pdp_element_is_real(recurrence->element) && needs_whole(node)) {
        for (uint32_t c = 0; c < node->child_count; c++) {
            mark_whole(recurrence, names, node->child[c]);
        }
    }
}

static void find_whole_names(pdp_recurrence *recurrence) {
    pdp_whole_names names = {0};
    const uint32_t roots[] = {recurrence->size, recurrence->offset, recurrence->preset_count};
    for (size_t r = 0; r < sizeof roots / sizeof *roots; r++) {
        mark_whole(recurrence, &names, roots[r]);
    }
    for (uint32_t n = 0; n < recurrence->node_count; n++) {
        mark_node(recurrence, &names, &recurrence->nodes[n]);
    }
    if (recurrence->element == PDP_ELEMENT_MOD) {
        names.param[recurrence->modulus_param] = true;
    }
    bool is_float = pdp_element_is_real(recurrence->element);
    for (uint32_t n = 0; n < recurrence->input_count; n++) {
        pdp_input *input = &recurrence->inputs[n];
        input->is_element = !names.input[n] && !input->alphabet;
        input->is_real = is_float && input->is_element;
        for (uint32_t axis = 0; axis < 2; axis++) {
            mark_whole(recurrence, &names, input->extent[axis]);
        }
        if (!input->is_real) {
            mark_whole(recurrence, &names, input->range.lowest);
            mark_whole(recurrence, &names, input->range.highest);
        }
    }
    for (uint32_t p = recurrence->param_count; p-- > 0;) { /* a range names only parameters before its own */
        pdp_param *param = &recurrence->params[p];
        param->is_real = is_float && !names.param[p] && !param->is_operator;
        if (!param->is_real) {
            mark_whole(recurrence, &names, param->range.lowest);
            mark_whole(recurrence, &names, param->range.highest);
        }
    }
}

/* ---- Types and dependences of nodes --------------------------------------------------------------- */

static uint8_t uses_of_cell(const pdp_recurrence *recurrence, uint32_t cell) {
    switch ((pdp_cell)cell) {
    case PDP_CELL_LEFT: return PDP_USES_I | PDP_USES_K;
    case PDP_CELL_RIGHT: return PDP_USES_K | PDP_USES_J;
    case PDP_CELL_INSIDE:
    case PDP_CELL_SOURCE: return PDP_USES_I | PDP_USES_J;
    case PDP_CELL_BEST: return recurrence->shape == PDP_INTERVAL ? PDP_USES_I | PDP_USES_J : PDP_USES_I;
    default: return 0;
    }
}

/* Which children's types are the node's. An index is a whole number of no cell: it has none to give. */
static bool is_value_child(const pdp_node *node, uint32_t c) {
    return !((node->kind == PDP_NODE_FOLD && c == 0) || (is_shift(node) && c == 1));
}

static void infer(const pdp_recurrence *recurrence, pdp_node *node) {
    bool is_float = pdp_element_is_real(recurrence->element);
    node->uses = 0;
    node->has_cell = node->kind == PDP_NODE_CELL;
    node->is_real = node->kind == PDP_NODE_REAL || (node->kind == PDP_NODE_CELL && is_float) ||
                    (node->kind == PDP_NODE_CALL && node->op >= PDP_OP_SQRT);
    node->is_element = node->is_real || node->kind == PDP_NODE_CELL;
    if (node->kind == PDP_NODE_INDEX) {
        node->uses = (uint8_t)(1u << node->which);
    } else if (node->kind == PDP_NODE_CELL) {
        node->uses = uses_of_cell(recurrence, node->which);
    } else if (node->kind == PDP_NODE_PARAM) {
        node->is_real = node->is_element = recurrence->params[node->which].is_real;
    } else if (node->kind == PDP_NODE_LOOKUP || node->kind == PDP_NODE_SUM) {
        node->is_real = recurrence->inputs[node->which].is_real;
        node->is_element = recurrence->inputs[node->which].is_element;
    }
    for (uint32_t c = 0; c < node->child_count; c++) {
        const pdp_node *child = &recurrence->nodes[node->child[c]];
        bool is_condition = node->kind == PDP_NODE_CONDITIONAL && c == 0;
        node->uses |= child->uses;
        node->has_cell |= child->has_cell;
        node->is_element |= is_value_child(node, c) && child->is_element;
        node->is_real |= is_value_child(node, c) && !is_truth(node) && !is_condition && child->is_real;
    }
}

/* ---- Rules ---------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void fail_at(pdp_recurrence *recurrence, const pdp_node *node,
                                                          const char *format, ...) {
    char message[176];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    pdp_place_fail(&recurrence->error, recurrence->text, node->place, "%s", message);
}

/* An index, a bound, a distance or a size. */
static void require_plain(pdp_recurrence *recurrence, uint32_t root, const char *what) {
    if (root == PDP_NO_NODE) {
        return;
    }
    const pdp_node *node = &recurrence->nodes[root];
    if (node->is_real) {
        fail_at(recurrence, node, "expected a whole number: %s cannot be real", what);
    } else if (node->has_cell) {
        fail_at(recurrence, node, "%s cannot depend on a cell of the table", what);
    }
}

static const char *symbol_of(const pdp_node *node) {
    switch (node->op) {
    case PDP_OP_REMAINDER: return "%";
    case PDP_OP_AND: return node->kind == PDP_NODE_FOLD ? "and" : "&";
    case PDP_OP_OR: return node->kind == PDP_NODE_FOLD ? "or" : "|";
    case PDP_OP_XOR: return node->kind == PDP_NODE_FOLD ? "xor" : "^";
    case PDP_OP_SHIFT_LEFT: return "<<";
    case PDP_OP_SHIFT_RIGHT: return ">>";
    case PDP_OP_FLIP: return "~";
    case PDP_OP_SQRT: return "sqrt";
    case PDP_OP_EXP: return "exp";
    case PDP_OP_LOG: return "log";
    case PDP_OP_POW: return "pow";
    default: return "abs";
    }
}

/* Modulo P there are sums and products, and a choice between them. */
static bool is_modular(const pdp_node *node) {
    switch (node->kind) {
    case PDP_NODE_FOLD: return node->op == PDP_OP_ADD || node->op == PDP_OP_MUL;
    case PDP_NODE_UNARY: return node->op == PDP_OP_NEGATE;
    case PDP_NODE_BINARY: return node->op == PDP_OP_ADD || node->op == PDP_OP_SUBTRACT || node->op == PDP_OP_MUL;
    case PDP_NODE_CALL: return false;
    default: return true;
    }
}

static void check_node(pdp_recurrence *recurrence, const pdp_node *node) {
    bool is_float = pdp_element_is_real(recurrence->element);
    if (node->kind == PDP_NODE_LOOKUP || node->kind == PDP_NODE_SUM) {
        for (uint32_t c = 0; c < node->child_count; c++) {
            require_plain(recurrence, node->child[c], "an index");
        }
    } else if (node->kind == PDP_NODE_FOLD) {
        require_plain(recurrence, node->child[0], "the end of a fold");
    } else if (is_shift(node)) {
        require_plain(recurrence, node->child[1], "the distance of a shift");
    } else if (node->kind == PDP_NODE_REAL && !is_float) {
        fail_at(recurrence, node, "a real number needs a float type; expected 'type f32' or 'type f64' above");
    } else if (node->kind == PDP_NODE_CALL && node->op >= PDP_OP_SQRT && !is_float) {
        fail_at(recurrence, node, "%s needs a float type; expected 'type f32' or 'type f64' above", symbol_of(node));
    } else if (node->kind == PDP_NODE_CALL && node->op == PDP_OP_ABS && recurrence->element == PDP_ELEMENT_BITS) {
        fail_at(recurrence, node, "%s has no meaning in a file of sets, which have no sign", symbol_of(node));
    }
    bool has_element = false;
    for (uint32_t c = 0; c < node->child_count; c++) {
        bool is_choice = node->kind == PDP_NODE_CONDITIONAL && c > 0;
        has_element |= is_value_child(node, c) && !is_choice && recurrence->nodes[node->child[c]].is_element;
    }
    if (is_float && needs_whole(node) && has_element) {
        fail_at(recurrence, node, "'%s' needs whole numbers, and floats are in it", symbol_of(node));
    }
    bool is_test = node->kind == PDP_NODE_CONDITIONAL;
    if (recurrence->element == PDP_ELEMENT_MOD && has_element && (is_test || !is_modular(node))) {
        fail_at(recurrence, node,
                "numbers modulo %s have only + - * and ?:", recurrence->params[recurrence->modulus_param].name);
    }
}

static void check_whole_roots(pdp_recurrence *recurrence) {
    require_plain(recurrence, recurrence->size, "size");
    require_plain(recurrence, recurrence->offset, "offset");
    require_plain(recurrence, recurrence->preset_count, "the count of presets");
    for (uint32_t n = 0; n < recurrence->input_count; n++) {
        const pdp_input *input = &recurrence->inputs[n];
        require_plain(recurrence, input->extent[0], "a size");
        require_plain(recurrence, input->extent[1], "a size");
        if (!input->is_real) {
            require_plain(recurrence, input->range.lowest, "the range of whole numbers");
            require_plain(recurrence, input->range.highest, "the range of whole numbers");
        }
    }
    for (uint32_t p = 0; p < recurrence->param_count; p++) {
        const pdp_param *param = &recurrence->params[p];
        if (param->is_real) {
            continue;
        }
        require_plain(recurrence, param->range.lowest, "the range of whole numbers");
        require_plain(recurrence, param->range.highest, "the range of whole numbers");
        if (param->has_default && (param->real_default < (double)param->whole_default ||
                                   param->real_default > (double)param->whole_default)) {
            pdp_place_fail(&recurrence->error, recurrence->text, param->place,
                           "expected a whole number: '%s' is one, and its default %g is not", param->name,
                           param->real_default);
        }
    }
}

static void check_combine(pdp_recurrence *recurrence) {
    if (recurrence->combine == PDP_OP_OWN) {
        pdp_combine_recognise(recurrence);
    }
    const char *reason = recurrence->combine_param == PDP_NO_NODE
                             ? pdp_recurrence_refuse_combine(recurrence, recurrence->combine)
                             : NULL;
    if (reason) {
        pdp_place_fail(&recurrence->error, recurrence->text, recurrence->combine_place, "'%s' does not fit: %s",
                       pdp_op_name(recurrence->combine), reason);
    }
    if (recurrence->combine == PDP_OP_OWN && recurrence->error.status == PDP_OK) {
        pdp_combine_check_own(recurrence);
    }
    if (recurrence->combine == PDP_OP_OWN && recurrence->combine_identity == PDP_NO_NODE && recurrence->missing_skip) {
        pdp_place_fail(&recurrence->error, recurrence->text, recurrence->combine_place,
                       "a cell may have no term; expected 'identity' and the value of such a cell");
    }
}

/* ---- Clauses that need each other ------------------------------------------------------------------ */

/* The first node under a root for which the condition holds, or PDP_NO_NODE. Trees are no deeper than PDP_MAX_DEPTH. */
static uint32_t find_node(const pdp_recurrence *recurrence, uint32_t root,
                          bool holds(const pdp_recurrence *, const pdp_node *)) {
    if (root == PDP_NO_NODE || holds(recurrence, &recurrence->nodes[root])) {
        return root;
    }
    for (uint32_t c = 0; c < recurrence->nodes[root].child_count; c++) {
        uint32_t found = find_node(recurrence, recurrence->nodes[root].child[c], holds);
        if (found != PDP_NO_NODE) {
            return found;
        }
    }
    return PDP_NO_NODE;
}

static bool is_inside(const pdp_recurrence *recurrence, const pdp_node *node) {
    (void)recurrence;
    return node->kind == PDP_NODE_CELL && node->which == PDP_CELL_INSIDE;
}

static bool is_optional_input(const pdp_recurrence *recurrence, const pdp_node *node) {
    return (node->kind == PDP_NODE_LOOKUP || node->kind == PDP_NODE_SUM) && recurrence->inputs[node->which].is_optional;
}

/* a[j], of an input whose size is a name alone: j runs over it. */
static bool tells_offset_count(const pdp_recurrence *recurrence, const pdp_node *node) {
    if (node->kind != PDP_NODE_LOOKUP || node->child_count != 1) {
        return false;
    }
    const pdp_node *index = &recurrence->nodes[node->child[0]];
    return index->kind == PDP_NODE_INDEX && index->which == PDP_INDEX_J &&
           recurrence->nodes[recurrence->inputs[node->which].extent[0]].kind == PDP_NODE_DIM;
}

static void check_linear(pdp_recurrence *recurrence) {
    uint32_t found = find_node(recurrence, recurrence->offset, tells_offset_count);
    if (found == PDP_NO_NODE) {
        found = find_node(recurrence, recurrence->term, tells_offset_count);
    }
    if (found == PDP_NO_NODE) {
        fail_at(recurrence, &recurrence->nodes[recurrence->offset],
                "nothing says how far j runs; expected an input a[k] used as a[j] in offset or term");
        return;
    }
    uint32_t extent = recurrence->inputs[recurrence->nodes[found].which].extent[0];
    recurrence->offset_dim = recurrence->nodes[extent].which;
    if (recurrence->preset_count == PDP_NO_NODE && !recurrence->missing_skip) {
        pdp_place_fail(&recurrence->error, recurrence->text, recurrence->place,
                       "'%s' has neither preset nor 'missing skip', and the first cell has no terms", recurrence->name);
    }
    if (recurrence->report_input != PDP_NO_NODE) {
        const pdp_input *input = &recurrence->inputs[recurrence->report_input];
        const pdp_node *size = &recurrence->nodes[input->extent[0]];
        if (input->extent[1] != PDP_NO_NODE || size->kind != PDP_NODE_DIM || size->which != recurrence->offset_dim) {
            pdp_place_fail(&recurrence->error, recurrence->text, recurrence->report_place,
                           "the items are numbered by j; expected an input with %s values",
                           recurrence->dims[recurrence->offset_dim].name);
        }
    }
}

static void check_interval(pdp_recurrence *recurrence) {
    for (uint32_t o = 0; o < recurrence->option_count; o++) {
        const uint32_t roots[] = {recurrence->options[o].value, recurrence->options[o].condition};
        for (int r = 0; r < 2; r++) {
            uint32_t inside = find_node(recurrence, roots[r], is_inside);
            if (inside != PDP_NO_NODE && recurrence->empty == PDP_NO_NODE) {
                fail_at(recurrence, &recurrence->nodes[inside],
                        "'inside' of two neighbours is M[i][i]; expected the clause 'empty' to say what that is");
            }
        }
    }
    if (recurrence->report == PDP_REPORT_BRACKETS && recurrence->option_count == 0) {
        pdp_place_fail(&recurrence->error, recurrence->text, recurrence->report_place,
                       "a pair of brackets is a cell that takes an option; expected an option");
    }
}

static void check_optional(pdp_recurrence *recurrence) {
    const uint32_t roots[] = {recurrence->term,  recurrence->finish, recurrence->leaf,
                              recurrence->empty, recurrence->offset, recurrence->preset_value};
    for (size_t r = 0; r < sizeof roots / sizeof *roots; r++) {
        uint32_t found = find_node(recurrence, roots[r], is_optional_input);
        if (found != PDP_NO_NODE) {
            const pdp_node *node = &recurrence->nodes[found];
            fail_at(recurrence, node, "'%s' is optional; it may be used in source and option",
                    recurrence->inputs[node->which].name);
        }
    }
}

pdp_status pdp_recurrence_check(pdp_recurrence *recurrence) {
    find_whole_names(recurrence);
    for (uint32_t n = 0; n < recurrence->node_count; n++) {
        infer(recurrence, &recurrence->nodes[n]);
        check_node(recurrence, &recurrence->nodes[n]);
    }
    check_whole_roots(recurrence);
    check_optional(recurrence);
    if (recurrence->shape == PDP_LINEAR) {
        check_linear(recurrence);
    } else {
        check_interval(recurrence);
    }
    if (recurrence->error.status == PDP_OK) {
        check_combine(recurrence);
    }
    if (recurrence->error.status == PDP_OK) {
        pdp_ranges_check_constants(recurrence);
        pdp_ranges_check_indices(recurrence);
    }
    return recurrence->error.status;
}
