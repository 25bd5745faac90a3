/* Indices as linear forms. An index like j-1 is a sum of i, k, j with constant factors and of parameters and sizes; its
 * least and largest value over all cells is again a sum of parameters and sizes, and that minus the input's extent
 * tells whether it stays inside. */
#include "recurrence/ranges.h"

#include <inttypes.h>
#include <string.h>

#include "recurrence/lexer.h"

/* A constant plus sizes and parameters, each with a factor. */
enum { SYMBOL_COUNT = PDP_MAX_DIMS + PDP_MAX_PARAMS };
typedef struct pdp_form {
    bool is_known;
    int64_t constant;
    int64_t factor[SYMBOL_COUNT]; /* dims, then params */
} pdp_form;

static pdp_form form_of_constant(int64_t constant) {
    return (pdp_form){.is_known = true, .constant = constant};
}

/* a + scale * b, not known where that leaves int64. */
static pdp_form form_add(pdp_form a, int64_t scale, pdp_form b) {
    int64_t product;
    a.is_known = a.is_known && (b.is_known || scale == 0) && !__builtin_mul_overflow(scale, b.constant, &product) &&
                 !__builtin_add_overflow(a.constant, product, &a.constant);
    for (uint32_t s = 0; s < SYMBOL_COUNT && a.is_known; s++) {
        a.is_known = !__builtin_mul_overflow(scale, b.factor[s], &product) &&
                     !__builtin_add_overflow(a.factor[s], product, &a.factor[s]);
    }
    return a;
}

static bool form_is_constant(const pdp_form *form) {
    static const int64_t none[SYMBOL_COUNT];
    return form->is_known && memcmp(form->factor, none, sizeof none) == 0;
}

/* ---- Expressions as forms ------------------------------------------------------------------------- */

/* The values of an expression: i, k, j with factors, and something between two forms. */
typedef struct pdp_bounds {
    pdp_form low;
    pdp_form high;
    int64_t index[3];
    bool is_reached; /* low and high are values it takes, not only bounds */
} pdp_bounds;

typedef struct pdp_prover {
    pdp_recurrence *recurrence;
    bool everywhere;                      /* sets index_everywhere, not index_proven */
    pdp_form variable_end[PDP_MAX_FOLDS]; /* of each fold that is open */
} pdp_prover;

static pdp_bounds bounds_of_form(pdp_form form) {
    return (pdp_bounds){.low = form, .high = form, .is_reached = true};
}

static pdp_bounds bounds_add(pdp_bounds a, int64_t scale, const pdp_bounds *b) {
    a.low = form_add(a.low, scale, scale < 0 ? b->high : b->low);
    a.high = form_add(a.high, scale, scale < 0 ? b->low : b->high);
    a.is_reached = a.is_reached && b->is_reached;
    for (int v = 0; v < 3; v++) {
        int64_t product;
        if (__builtin_mul_overflow(scale, b->index[v], &product) ||
            __builtin_add_overflow(a.index[v], product, &a.index[v])) {
            a.low.is_known = a.high.is_known = false;
            a.index[v] = 0;
        }
    }
    return a;
}

static bool bounds_are_constant(const pdp_bounds *bounds) {
    return form_is_constant(&bounds->low) && form_is_constant(&bounds->high) &&
           bounds->low.constant == bounds->high.constant && !bounds->index[0] && !bounds->index[1] && !bounds->index[2];
}

static pdp_bounds find_bounds(const pdp_prover *prover, uint32_t index);

static pdp_bounds find_binary_bounds(const pdp_prover *prover, const pdp_node *node) {
    pdp_bounds left = find_bounds(prover, node->child[0]);
    pdp_bounds right = find_bounds(prover, node->child[1]);
    pdp_bounds zero = bounds_of_form(form_of_constant(0));
    switch (node->op) {
    case PDP_OP_ADD: return bounds_add(left, 1, &right);
    case PDP_OP_SUBTRACT: return bounds_add(left, -1, &right);
    case PDP_OP_MUL:
        if (bounds_are_constant(&left)) {
            return bounds_add(zero, left.low.constant, &right);
        }
        if (bounds_are_constant(&right)) {
            return bounds_add(zero, right.low.constant, &left);
        }
        break;
    default: break;
    }
    return (pdp_bounds){.is_reached = false};
}

static pdp_bounds find_bounds(const pdp_prover *prover, uint32_t index) {
    const pdp_recurrence *recurrence = prover->recurrence;
    const pdp_node *node = &recurrence->nodes[index];
    const pdp_bounds unknown = {.is_reached = false};
    pdp_bounds bounds = bounds_of_form(form_of_constant(0));
    switch (node->kind) {
    case PDP_NODE_WHOLE: return bounds_of_form(form_of_constant(node->number));
    case PDP_NODE_DIM: bounds.low.factor[node->which] = bounds.high.factor[node->which] = 1; return bounds;
    case PDP_NODE_PARAM:
        bounds.low.factor[PDP_MAX_DIMS + node->which] = bounds.high.factor[PDP_MAX_DIMS + node->which] = 1;
        return node->is_real ? unknown : bounds;
    case PDP_NODE_INDEX: bounds.index[node->which] = 1; return bounds;
    case PDP_NODE_VARIABLE:
        bounds.high = form_add(prover->variable_end[node->which], -1, form_of_constant(1));
        bounds.is_reached = false;
        return bounds;
    case PDP_NODE_LOOKUP: {
        const pdp_input *input = &recurrence->inputs[node->which];
        bounds = unknown;
        if (input->alphabet) {
            bounds.low = form_of_constant(0);
            bounds.high = form_of_constant((int64_t)strlen(input->alphabet) - 1);
        }
        if (input->range.lowest != PDP_NO_NODE) {
            bounds.low = find_bounds(prover, input->range.lowest).low;
        }
        if (input->range.highest != PDP_NO_NODE) {
            bounds.high = find_bounds(prover, input->range.highest).high;
        }
        return bounds;
    }
    case PDP_NODE_UNARY: {
        pdp_bounds operand = find_bounds(prover, node->child[0]);
        return node->op == PDP_OP_NEGATE ? bounds_add(bounds, -1, &operand) : unknown;
    }
    case PDP_NODE_BINARY: return find_binary_bounds(prover, node);
    default: return unknown;
    }
}

static pdp_form find_form(const pdp_prover *prover, uint32_t node) {
    return node == PDP_NO_NODE ? form_of_constant(0) : find_bounds(prover, node).low;
}

/* ---- The cells a clause is for -------------------------------------------------------------------- */

/* Indices in a row, index v at least `step` of it above the one before (the first: above `start`), the last at most
 * start + steps + slack. A linear function takes its extremes where all the slack is in one gap, or behind the last. */
typedef struct pdp_chain {
    uint32_t count;
    pdp_index index[3];
    int64_t step[3];
    pdp_form start;
    pdp_form slack;
} pdp_chain;

typedef struct pdp_domain {
    uint32_t chain_count;
    pdp_chain chains[3];
    bool is_whole; /* all of it is evaluated, not only a part that depends on the data */
} pdp_domain;

/* Replaces the indices of a chain by their extremes. */
static void close_chain(pdp_bounds *bounds, const pdp_chain *chain) {
    int64_t behind = 0; /* factors of the indices from this one on, which move together */
    int64_t least = 0;
    int64_t most = 0;
    for (uint32_t v = chain->count; v-- > 0;) {
        int64_t *factor = &bounds->index[chain->index[v]];
        pdp_form step = form_of_constant(chain->step[v]);
        if (__builtin_add_overflow(behind, *factor, &behind)) {
            bounds->low.is_known = bounds->high.is_known = false;
            return;
        }
        least = behind < least ? behind : least;
        most = behind > most ? behind : most;
        bounds->low = form_add(bounds->low, behind, step);
        bounds->high = form_add(bounds->high, behind, step);
        *factor = 0;
    }
    bounds->low = form_add(form_add(bounds->low, behind, chain->start), least, chain->slack);
    bounds->high = form_add(form_add(bounds->high, behind, chain->start), most, chain->slack);
}

/* ---- Signs of forms -------------------------------------------------------------------------------- */

/* Adds to a total what a parameter or size adds at its least or, for a negative factor, at its largest. */
static bool add_least(const pdp_prover *prover, uint32_t symbol, int64_t factor, int64_t *total) {
    const pdp_recurrence *recurrence = prover->recurrence;
    int64_t extreme;
    if (symbol < PDP_MAX_DIMS) {
        if (factor < 0 || __builtin_sub_overflow(0, recurrence->dims[symbol].shift, &extreme)) {
            return false; /* a size has no upper end; an extent is at least 0 */
        }
    } else {
        const pdp_range *range = &recurrence->params[symbol - PDP_MAX_DIMS].range;
        uint32_t end = factor < 0 ? range->highest : range->lowest;
        pdp_form form = find_form(prover, end);
        if (end == PDP_NO_NODE || !form_is_constant(&form)) {
            return false;
        }
        extreme = form.constant;
    }
    int64_t product;
    return !__builtin_mul_overflow(factor, extreme, &product) && !__builtin_add_overflow(*total, product, total);
}

static bool is_never_negative(const pdp_prover *prover, const pdp_form *form) {
    int64_t least = form->constant;
    for (uint32_t s = 0; s < SYMBOL_COUNT; s++) {
        if (form->factor[s] != 0 && !add_least(prover, s, form->factor[s], &least)) {
            return false;
        }
    }
    return form->is_known && least >= 0;
}

/* Negative whatever the parameters, once the sizes are large enough. */
static bool becomes_negative(const pdp_prover *prover, const pdp_form *form) {
    int64_t negated = 0; /* the least of the form negated: the largest of the form */
    bool falls = false;
    if (!form->is_known || __builtin_sub_overflow(0, form->constant, &negated)) {
        return false;
    }
    for (uint32_t s = 0; s < SYMBOL_COUNT; s++) {
        int64_t factor = form->factor[s];
        if (factor == 0) {
            continue;
        }
        if (s < PDP_MAX_DIMS) {
            if (factor > 0) {
                return false;
            }
            falls = true;
        } else if (factor == INT64_MIN || !add_least(prover, s, -factor, &negated)) {
            return false;
        }
    }
    return falls || negated > 0;
}

/* ---- Messages -------------------------------------------------------------------------------------- */

/* "n + 1" */
static void describe_form(const pdp_recurrence *recurrence, const pdp_form *form, char *out, size_t size) {
    size_t used = 0;
    *out = '\0';
    for (uint32_t s = 0; s < SYMBOL_COUNT && used + 64 < size; s++) {
        int64_t factor = form->factor[s];
        const char *name = s < PDP_MAX_DIMS ? recurrence->dims[s].name : recurrence->params[s - PDP_MAX_DIMS].name;
        const char *sign = factor < 0 ? (used ? " - " : "-") : (used ? " + " : "");
        uint64_t size_of_factor = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
        if (size_of_factor == 1) {
            used += (size_t)snprintf(out + used, size - used, "%s%s", sign, name);
        } else if (size_of_factor > 1) {
            used += (size_t)snprintf(out + used, size - used, "%s%" PRIu64 "*%s", sign, size_of_factor, name);
        }
    }
    if (used == 0) {
        snprintf(out, size, "%" PRId64, form->constant);
    } else if (form->constant != 0) {
        uint64_t magnitude = form->constant < 0 ? 0 - (uint64_t)form->constant : (uint64_t)form->constant;
        snprintf(out + used, size - used, " %c %" PRIu64, form->constant < 0 ? '-' : '+', magnitude);
    }
}

/* ---- Look-ups -------------------------------------------------------------------------------------- */

/* Is child `c`, an index of 0 .. end-1, inside? Refused if it cannot be and nothing keeps it from being evaluated. */
static bool check_index(pdp_prover *prover, const pdp_domain *domain, const pdp_node *node, uint32_t c, pdp_form end,
                        bool is_guarded) {
    pdp_recurrence *recurrence = prover->recurrence;
    pdp_bounds bounds = find_bounds(prover, node->child[c]);
    bool is_refusable = !is_guarded && bounds.is_reached && (domain->is_whole || bounds.index[PDP_INDEX_I] == 0);
    for (uint32_t n = 0; n < domain->chain_count; n++) {
        close_chain(&bounds, &domain->chains[n]);
    }
    const char *name = recurrence->inputs[node->which].name;
    pdp_form last = form_add(end, -1, form_of_constant(1));
    pdp_form room = form_add(last, -1, bounds.high);
    char extreme[160];
    char end_text[160];
    if (is_refusable && becomes_negative(prover, &bounds.low)) {
        describe_form(recurrence, &bounds.low, extreme, sizeof extreme);
        pdp_place_fail(&recurrence->error, recurrence->text, node->place, "the index of '%s' goes down to %s", name,
                       extreme);
    } else if (is_refusable && becomes_negative(prover, &room)) {
        describe_form(recurrence, &bounds.high, extreme, sizeof extreme);
        describe_form(recurrence, &last, end_text, sizeof end_text);
        pdp_place_fail(&recurrence->error, recurrence->text, node->place,
                       "the index of '%s' goes up to %.60s; %.60s is the last", name, extreme, end_text);
    }
    return is_never_negative(prover, &bounds.low) && is_never_negative(prover, &room);
}

/* Look-ups of a tree, whose depth is capped. */
static void check_tree(pdp_prover *prover, const pdp_domain *domain, uint32_t root, bool is_guarded) {
    pdp_recurrence *recurrence = prover->recurrence;
    pdp_node *node = &recurrence->nodes[root];
    for (uint32_t c = 0; c < node->child_count; c++) {
        bool is_lazy = (node->kind == PDP_NODE_CONDITIONAL && c > 0) ||
                       (node->kind == PDP_NODE_BINARY && c == 1 &&
                        (node->op == PDP_OP_LOGICAL_AND || node->op == PDP_OP_LOGICAL_OR));
        bool is_body = node->kind == PDP_NODE_FOLD && c == 1;
        if (is_body) {
            pdp_bounds end = find_bounds(prover, node->child[0]);
            for (uint32_t n = 0; n < domain->chain_count; n++) {
                close_chain(&end, &domain->chains[n]);
            }
            prover->variable_end[node->which] = end.high;
        }
        check_tree(prover, domain, node->child[c], is_guarded || is_lazy || is_body);
    }
    if (node->kind != PDP_NODE_LOOKUP && node->kind != PDP_NODE_SUM) {
        return;
    }
    bool is_sum = node->kind == PDP_NODE_SUM; /* whose ends may stand behind the last */
    bool is_proven = true;
    for (uint32_t c = 0; c < node->child_count; c++) {
        pdp_form extent = find_form(prover, recurrence->inputs[node->which].extent[is_sum ? 0 : c]);
        pdp_form end = form_add(extent, is_sum, form_of_constant(1));
        is_proven &= check_index(prover, domain, node, c, end, is_guarded);
    }
    *(prover->everywhere ? &node->index_everywhere : &node->index_proven) = is_proven;
}

static void check_clause(pdp_prover *prover, const pdp_domain *domain, uint32_t root, bool is_guarded) {
    if (root != PDP_NO_NODE) {
        check_tree(prover, domain, root, is_guarded);
    }
}

/* i alone, from start to the form `end`, not included. */
static pdp_domain domain_of_cells(pdp_form start, pdp_form end) {
    pdp_form slack = form_add(form_add(end, -1, start), -1, form_of_constant(1));
    return (pdp_domain){1, {{1, {PDP_INDEX_I}, {0}, start, slack}}, true};
}

static void check_interval(pdp_prover *prover, pdp_form size) {
    const pdp_recurrence *recurrence = prover->recurrence;
    pdp_form zero = form_of_constant(0);
    pdp_form slack = form_add(size, -1, form_of_constant(3));
    pdp_domain points = domain_of_cells(zero, size);
    pdp_domain leaves = domain_of_cells(zero, form_add(size, -1, form_of_constant(1)));
    pdp_domain splits = {1, {{3, {PDP_INDEX_I, PDP_INDEX_K, PDP_INDEX_J}, {0, 1, 1}, zero, slack}}, true};
    pdp_domain cells = {1, {{2, {PDP_INDEX_I, PDP_INDEX_J}, {0, 2}, zero, slack}}, true};
    check_clause(prover, &points, recurrence->empty, false);
    check_clause(prover, &leaves, recurrence->leaf, false);
    check_clause(prover, &splits, recurrence->term, false);
    check_clause(prover, &cells, recurrence->finish, false);
    for (uint32_t o = 0; o < recurrence->option_count; o++) {
        check_clause(prover, &cells, recurrence->options[o].condition, false);
        check_clause(prover, &cells, recurrence->options[o].value, recurrence->options[o].condition != PDP_NO_NODE);
    }
}

static void check_linear(pdp_prover *prover, pdp_form size) {
    const pdp_recurrence *recurrence = prover->recurrence;
    pdp_form zero = form_of_constant(0);
    pdp_form one = form_of_constant(1);
    pdp_form presets = find_form(prover, recurrence->preset_count);
    pdp_form offsets = zero;
    offsets.factor[recurrence->offset_dim] = 1;
    pdp_chain offset = {1, {PDP_INDEX_J}, {0}, zero, form_add(offsets, -1, one)};
    pdp_domain all_offsets = {1, {offset}, true};
    pdp_domain preset = domain_of_cells(zero, presets);
    pdp_domain cells = domain_of_cells(presets, size);
    /* Cell 0 has no term: offsets are at least 1. With `missing skip` neither have others. */
    bool is_zero = form_is_constant(&presets) && presets.constant < 1;
    pdp_domain terms = domain_of_cells(is_zero ? one : presets, size);
    terms.chains[terms.chain_count++] = offset;
    terms.is_whole = !recurrence->missing_skip;
    check_clause(prover, &all_offsets, recurrence->offset, false);
    check_clause(prover, &preset, recurrence->preset_value, false);
    check_clause(prover, &cells, recurrence->source, false);
    check_clause(prover, &terms, recurrence->term, false);
    check_clause(prover, &cells, recurrence->finish, false);
}

/* Kernels compute some of a term's parts for whole tiles or blocks, also where there is no term. */
static void check_everywhere(pdp_prover *prover, pdp_form size) {
    const pdp_recurrence *recurrence = prover->recurrence;
    const pdp_form zero = form_of_constant(0), one = form_of_constant(1);
    pdp_form last[3] = {form_add(size, -1, one), form_add(size, -1, one), form_add(size, -1, one)};
    pdp_domain domain = {.chain_count = 3};
    if (recurrence->shape == PDP_LINEAR) {
        last[PDP_INDEX_J] = form_of_constant(-1);
        last[PDP_INDEX_J].factor[recurrence->offset_dim] = 1;
    }
    for (pdp_index v = PDP_INDEX_I; v <= PDP_INDEX_J; v++) {
        domain.chains[v] = (pdp_chain){1, {v}, {0}, zero, last[v]};
    }
    prover->everywhere = true;
    check_clause(prover, &domain, recurrence->term, true);
}

pdp_status pdp_ranges_check_indices(pdp_recurrence *recurrence) {
    pdp_prover prover = {.recurrence = recurrence};
    pdp_form size = find_form(&prover, recurrence->size);
    if (recurrence->shape == PDP_INTERVAL) {
        check_interval(&prover, size);
    } else {
        check_linear(&prover, size);
    }
    check_everywhere(&prover, size);
    return recurrence->error.status;
}

/* ---- Constants ------------------------------------------------------------------------------------- */

static void check_range(pdp_prover *prover, const pdp_range *range, const char *name) {
    pdp_recurrence *recurrence = prover->recurrence;
    if (range->lowest == PDP_NO_NODE || range->highest == PDP_NO_NODE) {
        return;
    }
    pdp_form low = find_form(prover, range->lowest);
    pdp_form high = find_form(prover, range->highest);
    if (form_is_constant(&low) && form_is_constant(&high) && low.constant > high.constant) {
        pdp_place_fail(&recurrence->error, recurrence->text, recurrence->nodes[range->highest].place,
                       "nothing is in the range of '%s': %" PRId64 " is below %" PRId64, name, high.constant,
                       low.constant);
    }
}

static void check_default(pdp_prover *prover, const pdp_param *param) {
    pdp_recurrence *recurrence = prover->recurrence;
    const uint32_t ends[2] = {param->range.lowest, param->range.highest};
    for (int e = 0; e < 2; e++) {
        pdp_form form = find_form(prover, ends[e]);
        if (ends[e] == PDP_NO_NODE || !form_is_constant(&form)) {
            continue;
        }
        bool is_below =
            param->is_real ? param->real_default < (double)form.constant : param->whole_default < form.constant;
        bool is_above =
            param->is_real ? param->real_default > (double)form.constant : param->whole_default > form.constant;
        if (e == 0 ? is_below : is_above) {
            pdp_place_fail(&recurrence->error, recurrence->text, param->place,
                           "the default of '%s' is %s %" PRId64 ", the end of its range", param->name,
                           e == 0 ? "below" : "above", form.constant);
        }
    }
}

pdp_status pdp_ranges_check_constants(pdp_recurrence *recurrence) {
    pdp_prover prover = {.recurrence = recurrence};
    for (uint32_t n = 0; n < recurrence->input_count; n++) {
        check_range(&prover, &recurrence->inputs[n].range, recurrence->inputs[n].name);
    }
    for (uint32_t p = 0; p < recurrence->param_count; p++) {
        check_range(&prover, &recurrence->params[p].range, recurrence->params[p].name);
        if (recurrence->params[p].has_default) {
            check_default(&prover, &recurrence->params[p]);
        }
    }
    return recurrence->error.status;
}
