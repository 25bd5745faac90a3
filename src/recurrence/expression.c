/* Expressions: C's conditional expressions over numbers, names, look-ups, calls, sums and folds. */
#include <stdarg.h>
#include <string.h>

#include "recurrence/parser.h"

static uint32_t parse_conditional(pdp_parser *parser);
static uint32_t parse_atom(pdp_parser *parser);

/* ---- Nodes ------------------------------------------------------------------------------------ */

uint32_t pdp_parser_add_node(pdp_parser *parser, const pdp_node *node) {
    pdp_recurrence *recurrence = parser->recurrence;
    if (recurrence->node_count == PDP_MAX_NODES) {
        pdp_parser_fail(parser, node->place,
                        "too large: with every let put in place the file has more than %d operations", PDP_MAX_NODES);
        return 0;
    }
    uint32_t depth = 1;
    for (uint32_t c = 0; c < node->child_count; c++) {
        uint32_t below = parser->depth[node->child[c]] + 1u;
        depth = below > depth ? below : depth;
    }
    if (depth > PDP_MAX_DEPTH) {
        pdp_parser_fail(parser, node->place, "too deep: operations are nested more than %d times", PDP_MAX_DEPTH);
        return 0;
    }
    recurrence->nodes[recurrence->node_count] = *node;
    parser->depth[recurrence->node_count] = (uint8_t)depth;
    return recurrence->node_count++;
}

static uint32_t add_operation(pdp_parser *parser, pdp_place place, pdp_node_kind kind, pdp_op op,
                              const uint32_t *children, uint32_t count) {
    pdp_node node = {.kind = kind, .op = op, .child_count = count, .place = place};
    memcpy(node.child, children, count * sizeof *children);
    return pdp_parser_add_node(parser, &node);
}

static uint32_t add_leaf(pdp_parser *parser, pdp_place place, pdp_node_kind kind, uint32_t which) {
    return pdp_parser_add_node(parser, &(pdp_node){.kind = kind, .which = which, .place = place});
}

/* The parser and what it builds go no deeper than the tree may. */
static bool enter(pdp_parser *parser) {
    if (++parser->level > PDP_MAX_DEPTH) {
        pdp_parser_fail(parser, parser->token.place, "too deep: operations are nested more than %d times",
                        PDP_MAX_DEPTH);
        return false;
    }
    return true;
}

/* ---- Names with a meaning --------------------------------------------------------------------- */

typedef struct meaning {
    char name[8];
    pdp_shape shape;
    unsigned bit; /* PDP_NAME_... */
    pdp_node_kind kind;
    uint32_t which;
    const char *where;
} meaning;

static const meaning meanings[] = {
    {"i", PDP_INTERVAL, PDP_NAME_I, PDP_NODE_INDEX, PDP_INDEX_I, "leaf, empty, term, option and finish"},
    {"k", PDP_INTERVAL, PDP_NAME_K, PDP_NODE_INDEX, PDP_INDEX_K, "term"},
    {"j", PDP_INTERVAL, PDP_NAME_J, PDP_NODE_INDEX, PDP_INDEX_J, "term, option and finish"},
    {"l", PDP_INTERVAL, PDP_NAME_L, PDP_NODE_CELL, PDP_CELL_LEFT, "term"},
    {"r", PDP_INTERVAL, PDP_NAME_R, PDP_NODE_CELL, PDP_CELL_RIGHT, "term"},
    {"inside", PDP_INTERVAL, PDP_NAME_INSIDE, PDP_NODE_CELL, PDP_CELL_INSIDE, "option"},
    {"best", PDP_INTERVAL, PDP_NAME_BEST, PDP_NODE_CELL, PDP_CELL_BEST, "finish"},
    {"i", PDP_LINEAR, PDP_NAME_I, PDP_NODE_INDEX, PDP_INDEX_I, "preset, source, term and finish"},
    {"j", PDP_LINEAR, PDP_NAME_J, PDP_NODE_INDEX, PDP_INDEX_J, "offset and term"},
    {"s", PDP_LINEAR, PDP_NAME_S, PDP_NODE_CELL, PDP_CELL_SOURCE, "term"},
    {"best", PDP_LINEAR, PDP_NAME_BEST, PDP_NODE_CELL, PDP_CELL_BEST, "finish"},
};
enum { MEANING_COUNT = sizeof meanings / sizeof *meanings };

static const meaning *find_meaning(const pdp_recurrence *recurrence, const char *name) {
    for (size_t m = 0; m < MEANING_COUNT; m++) {
        if (meanings[m].shape == recurrence->shape && strcmp(meanings[m].name, name) == 0) {
            return &meanings[m];
        }
    }
    return NULL;
}

static const char *const words[] = {"if", "identity", "sum"};

typedef struct function {
    char name[5];
    pdp_op op;
    uint32_t arguments;
} function;

static const function functions[] = {{"min", PDP_OP_MIN, 2},   {"max", PDP_OP_MAX, 2}, {"abs", PDP_OP_ABS, 1},
                                     {"sqrt", PDP_OP_SQRT, 1}, {"exp", PDP_OP_EXP, 1}, {"log", PDP_OP_LOG, 1},
                                     {"pow", PDP_OP_POW, 2}};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

static const function *find_function(const char *name) {
    for (size_t f = 0; f < FUNCTION_COUNT; f++) {
        if (strcmp(functions[f].name, name) == 0) {
            return &functions[f];
        }
    }
    return NULL;
}

static bool is_reserved(const pdp_recurrence *recurrence, const char *name) {
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (strcmp(words[w], name) == 0) {
            return true;
        }
    }
    pdp_op op;
    return find_meaning(recurrence, name) || find_function(name) || pdp_op_find(&op, name);
}

/* ---- Declared names --------------------------------------------------------------------------- */

static uint32_t find_param(const pdp_recurrence *recurrence, const char *name) {
    for (uint32_t p = 0; p < recurrence->param_count; p++) {
        if (strcmp(recurrence->params[p].name, name) == 0) {
            return p;
        }
    }
    return PDP_NO_NODE;
}

static uint32_t find_input(const pdp_recurrence *recurrence, const char *name) {
    for (uint32_t n = 0; n < recurrence->input_count; n++) {
        if (strcmp(recurrence->inputs[n].name, name) == 0) {
            return n;
        }
    }
    return PDP_NO_NODE;
}

static uint32_t find_dim(const pdp_recurrence *recurrence, const char *name) {
    for (uint32_t d = 0; d < recurrence->dim_count; d++) {
        if (strcmp(recurrence->dims[d].name, name) == 0) {
            return d;
        }
    }
    return PDP_NO_NODE;
}

static const pdp_let *find_let(const pdp_parser *parser, const char *name) {
    for (uint32_t n = 0; n < parser->let_count; n++) {
        if (strcmp(parser->lets[n].name, name) == 0) {
            return &parser->lets[n];
        }
    }
    return NULL;
}

static const pdp_local *find_local(const pdp_parser *parser, const char *name) {
    for (uint32_t n = parser->local_count; n-- > 0;) {
        if (strcmp(parser->locals[n].name, name) == 0) {
            return &parser->locals[n];
        }
    }
    return NULL;
}

void pdp_parser_new_name(pdp_parser *parser, char *out, const char *what) {
    const pdp_recurrence *recurrence = parser->recurrence;
    const char *name = parser->token.name;
    if (parser->token.kind != PDP_TOKEN_NAME) {
        char text[64];
        snprintf(text, sizeof text, "a name for the %s", what);
        pdp_parser_expected(parser, text);
        return;
    }
    if (is_reserved(recurrence, name)) {
        pdp_parser_fail(parser, parser->token.place, "'%s' has a meaning of its own; expected another name for the %s",
                        name, what);
    }
    static const char *const kinds[] = {"a parameter", "an input", "a size", "a let"};
    bool taken[] = {find_param(recurrence, name) != PDP_NO_NODE, find_input(recurrence, name) != PDP_NO_NODE,
                    find_dim(recurrence, name) != PDP_NO_NODE, find_let(parser, name) != NULL};
    for (size_t t = 0; t < sizeof taken / sizeof *taken; t++) {
        if (taken[t]) {
            pdp_parser_fail(parser, parser->token.place, "'%s' is the name of %s already; expected another for the %s",
                            name, kinds[t], what);
        }
    }
    memcpy(out, name, PDP_NAME_SIZE);
    pdp_parser_advance(parser);
}

void pdp_parser_add_local(pdp_parser *parser, const pdp_token *name, uint32_t node) {
    if (is_reserved(parser->recurrence, name->name)) {
        pdp_parser_fail(parser, name->place, "'%s' has a meaning of its own; expected another name", name->name);
    } else if (parser->local_count == PDP_MAX_LOCALS) {
        pdp_parser_fail(parser, name->place, "too many names here; %d are the most", PDP_MAX_LOCALS);
    } else {
        pdp_local *local = &parser->locals[parser->local_count++];
        memcpy(local->name, name->name, PDP_NAME_SIZE);
        local->node = node;
        local->number = node == PDP_NO_NODE ? parser->variable_count++ : 0;
    }
}

/* ---- What a clause may name ------------------------------------------------------------------- */

/* "an input, a parameter or one of i, k, j" */
static void describe_names(const pdp_parser *parser, char *out, size_t size) {
    const pdp_clause *clause = parser->clause;
    char names[96] = "";
    size_t used = 0;
    uint32_t count = 0;
    for (uint32_t n = 0; n < parser->local_count; n++) {
        if (used < sizeof names - PDP_NAME_SIZE - 2) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", count++ ? ", " : "",
                                     parser->locals[n].name);
        }
    }
    for (size_t m = 0; m < MEANING_COUNT; m++) {
        if (meanings[m].shape == parser->recurrence->shape && (clause->names & meanings[m].bit) &&
            used < sizeof names - 10) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", count++ ? ", " : "", meanings[m].name);
        }
    }
    const char *declared = clause->has_inputs  ? "an input, a parameter"
                           : clause->has_sizes ? "a parameter or a size that an input binds"
                                               : "";
    snprintf(out, size, "%s%s%s%s", declared, *declared && count ? " or " : "", count > 1 ? "one of " : "", names);
}

static void fail_unknown(pdp_parser *parser, const pdp_token *name) {
    char expected[160];
    describe_names(parser, expected, sizeof expected);
    pdp_parser_fail(parser, name->place, "unknown name '%s'; expected %s", name->name, expected);
}

/* Is what this node names allowed in the clause at hand? `let` is the name it came through, or NULL. */
static void check_allowed(pdp_parser *parser, const pdp_node *node, pdp_place place, const char *let) {
    const pdp_clause *clause = parser->clause;
    const pdp_recurrence *recurrence = parser->recurrence;
    char through[PDP_NAME_SIZE + 24] = "";
    if (let) {
        snprintf(through, sizeof through, ", which '%s' uses,", let);
    }
    if (node->kind == PDP_NODE_INDEX || node->kind == PDP_NODE_CELL) {
        for (size_t m = 0; m < MEANING_COUNT; m++) {
            if (meanings[m].shape == recurrence->shape && meanings[m].kind == node->kind &&
                meanings[m].which == node->which && !(clause->names & meanings[m].bit)) {
                pdp_parser_fail(parser, place, "'%s'%s has no meaning in %s; it may be used in %s", meanings[m].name,
                                through, clause->name, meanings[m].where);
            }
        }
    } else if ((node->kind == PDP_NODE_LOOKUP || node->kind == PDP_NODE_SUM) && !clause->has_inputs) {
        pdp_parser_fail(parser, place, "the input '%s'%s has no meaning in %s", recurrence->inputs[node->which].name,
                        through, clause->name);
    } else if ((node->kind == PDP_NODE_PARAM || node->kind == PDP_NODE_DIM) && !clause->has_sizes) {
        const char *name =
            node->kind == PDP_NODE_DIM ? recurrence->dims[node->which].name : recurrence->params[node->which].name;
        pdp_parser_fail(parser, place, "'%s'%s has no meaning in %s", name, through, clause->name);
    } else if (node->kind == PDP_NODE_FOLD &&
               !clause->has_sizes) { /* it is tried out when it is read: it must be short */
        pdp_parser_fail(parser, place, "a fold%s has no meaning in %s", through, clause->name);
    }
}

/* ---- Let: the body is copied to where the name is used ----------------------------------------- */

typedef struct substitution {
    const pdp_let *let; /* NULL: copy as it is */
    const uint32_t *arguments;
    pdp_place place; /* of the use */
} substitution;

/* A tree again, with arguments put in. It goes no deeper than PDP_MAX_DEPTH, and pdp_parser_add_node caps what it
 * makes. */
static uint32_t copy_tree(pdp_parser *parser, uint32_t root, const substitution *use) {
    pdp_node node = parser->recurrence->nodes[root];
    if (pdp_parser_failed(parser)) {
        return 0;
    }
    const pdp_let *let = use->let;
    if (let && node.kind == PDP_NODE_VARIABLE && node.which >= let->first_argument &&
        node.which - let->first_argument < let->argument_count) {
        return copy_tree(parser, use->arguments[node.which - let->first_argument],
                         &(substitution){.place = use->place});
    }
    if (let) {
        check_allowed(parser, &node, use->place, let->name);
    }
    for (uint32_t c = 0; c < node.child_count; c++) {
        node.child[c] = copy_tree(parser, node.child[c], use);
    }
    return pdp_parser_add_node(parser, &node);
}

static uint32_t parse_let(pdp_parser *parser, const pdp_token *name, const pdp_let *let) {
    uint32_t arguments[PDP_MAX_ARGUMENTS] = {0};
    uint32_t count = 0;
    if (let->has_arguments) {
        pdp_parser_expect(parser, '(');
        do {
            uint32_t argument = parse_conditional(parser);
            if (count < PDP_MAX_ARGUMENTS) {
                arguments[count] = argument;
            }
            count++;
        } while (pdp_parser_accept(parser, ','));
        pdp_parser_expect(parser, ')');
        if (count != let->argument_count) {
            pdp_parser_fail(parser, name->place, "'%s' takes %u argument%s, not %u", name->name, let->argument_count,
                            let->argument_count == 1 ? "" : "s", count);
            return 0;
        }
    }
    return copy_tree(parser, let->body, &(substitution){let, arguments, name->place});
}

/* ---- Atoms ------------------------------------------------------------------------------------ */

static uint32_t parse_function(pdp_parser *parser, const pdp_token *name, const function *called) {
    uint32_t arguments[3] = {0};
    uint32_t count = 0;
    pdp_parser_expect(parser, '(');
    do {
        uint32_t argument = parse_conditional(parser);
        if (count < 3) {
            arguments[count] = argument;
        }
        count++;
    } while (pdp_parser_accept(parser, ','));
    pdp_parser_expect(parser, ')');
    if (count != called->arguments) {
        pdp_parser_fail(parser, name->place, "'%s' takes %u argument%s, not %u", called->name, called->arguments,
                        called->arguments == 1 ? "" : "s", count);
        return 0;
    }
    return add_operation(parser, name->place, PDP_NODE_CALL, called->op, arguments, count);
}

/* sum(w, a, b) */
static uint32_t parse_sum(pdp_parser *parser, const pdp_token *name) {
    pdp_parser_expect(parser, '(');
    pdp_token input = parser->token;
    pdp_node node = {.kind = PDP_NODE_SUM, .child_count = 2, .place = name->place};
    node.which = input.kind == PDP_TOKEN_NAME ? find_input(parser->recurrence, input.name) : PDP_NO_NODE;
    if (node.which == PDP_NO_NODE) {
        pdp_parser_expected(parser, "the name of an input");
        return 0;
    }
    if (parser->recurrence->inputs[node.which].extent[1] != PDP_NO_NODE) {
        pdp_parser_fail(parser, input.place, "'%s' has two sizes; expected a list to sum", input.name);
    }
    check_allowed(parser, &node, input.place, NULL);
    pdp_parser_advance(parser);
    for (uint32_t c = 0; c < 2; c++) {
        pdp_parser_expect(parser, ',');
        node.child[c] = parse_conditional(parser);
    }
    pdp_parser_expect(parser, ')');
    return pdp_parser_failed(parser) ? 0 : pdp_parser_add_node(parser, &node);
}

/* or[q<m] atom */
static uint32_t parse_fold(pdp_parser *parser, const pdp_token *name, pdp_op op) {
    if (op > PDP_OP_XOR) {
        pdp_parser_fail(parser, name->place, "a fold is by min, max, add, mul, and, or or xor, not '%s'", name->name);
    }
    if (!enter(parser)) {
        return 0;
    }
    pdp_node node = {.kind = PDP_NODE_FOLD, .op = op, .child_count = 2, .place = name->place};
    check_allowed(parser, &node, name->place, NULL);
    pdp_parser_expect(parser, '[');
    pdp_token variable = parser->token;
    if (variable.kind != PDP_TOKEN_NAME) {
        pdp_parser_expected(parser, "a name for the fold's variable");
        return 0;
    }
    pdp_parser_advance(parser);
    pdp_parser_expect(parser, '<');
    node.child[0] = parse_conditional(parser);
    pdp_parser_expect(parser, ']');
    uint32_t outside = parser->local_count;
    node.which = parser->variable_count;
    pdp_parser_add_local(parser, &variable, PDP_NO_NODE);
    node.child[1] = parse_atom(parser);
    parser->local_count = outside;
    parser->level--;
    return pdp_parser_failed(parser) ? 0 : pdp_parser_add_node(parser, &node);
}

/* w[i] or c[i,j] */
static uint32_t parse_lookup(pdp_parser *parser, const pdp_token *name) {
    pdp_node node = {.kind = PDP_NODE_LOOKUP, .place = name->place};
    node.which = find_input(parser->recurrence, name->name);
    if (node.which == PDP_NO_NODE) {
        pdp_parser_fail(parser, name->place, "'%s' is not an input; expected the name of one before '['", name->name);
        return 0;
    }
    check_allowed(parser, &node, name->place, NULL);
    uint32_t wanted = parser->recurrence->inputs[node.which].extent[1] == PDP_NO_NODE ? 1 : 2;
    pdp_parser_expect(parser, '[');
    do {
        uint32_t index = parse_conditional(parser);
        if (node.child_count < 2) {
            node.child[node.child_count] = index;
        }
        node.child_count++;
    } while (pdp_parser_accept(parser, ','));
    pdp_parser_expect(parser, ']');
    if (node.child_count != wanted) {
        pdp_parser_fail(parser, name->place, "'%s' takes %s, not %u", name->name,
                        wanted == 1 ? "one index" : "two indices", node.child_count);
    }
    return pdp_parser_failed(parser) ? 0 : pdp_parser_add_node(parser, &node);
}

/* A name that an extent binds: `n` in `input p[n+1]`. */
static uint32_t bind_dim(pdp_parser *parser, const pdp_token *name) {
    pdp_recurrence *recurrence = parser->recurrence;
    if (recurrence->dim_count == PDP_MAX_DIMS) {
        pdp_parser_fail(parser, name->place, "too many sizes; %d are the most", PDP_MAX_DIMS);
        return 0;
    }
    parser->bound_dim = recurrence->dim_count;
    memcpy(recurrence->dims[recurrence->dim_count].name, name->name, PDP_NAME_SIZE);
    return add_leaf(parser, name->place, PDP_NODE_DIM, recurrence->dim_count++);
}

/* A name alone. */
static uint32_t parse_name(pdp_parser *parser, const pdp_token *name) {
    const pdp_recurrence *recurrence = parser->recurrence;
    const pdp_local *local = find_local(parser, name->name);
    if (local) {
        return local->node == PDP_NO_NODE ? add_leaf(parser, name->place, PDP_NODE_VARIABLE, local->number)
                                          : copy_tree(parser, local->node, &(substitution){.place = name->place});
    }
    const meaning *found = find_meaning(recurrence, name->name);
    const pdp_let *let = find_let(parser, name->name);
    if (let && !let->has_arguments) {
        return parse_let(parser, name, let);
    }
    pdp_node node = {.kind = PDP_NODE_PARAM, .which = find_param(recurrence, name->name), .place = name->place};
    if (found) {
        node.kind = found->kind;
        node.which = found->which;
    } else if (node.which == PDP_NO_NODE) {
        node.kind = PDP_NODE_DIM;
        node.which = find_dim(recurrence, name->name);
    }
    if (node.which != PDP_NO_NODE) {
        if (node.kind == PDP_NODE_PARAM && recurrence->params[node.which].is_operator) {
            pdp_parser_fail(parser, name->place, "'%s' is an operator, not a number", name->name);
        }
        check_allowed(parser, &node, name->place, NULL);
        return pdp_parser_add_node(parser, &node);
    }
    if (let) {
        pdp_parser_fail(parser, name->place, "'%s' takes %u argument%s; expected '(' after it", name->name,
                        let->argument_count, let->argument_count == 1 ? "" : "s");
    } else if (find_input(recurrence, name->name) != PDP_NO_NODE) {
        pdp_parser_fail(parser, name->place, "'%s' is an input; expected an index after it: %s[...]", name->name,
                        name->name);
    } else if (parser->may_bind && parser->bound_dim == PDP_NO_NODE && !is_reserved(recurrence, name->name)) {
        return bind_dim(parser, name);
    } else {
        fail_unknown(parser, name);
    }
    return 0;
}

static uint32_t parse_named(pdp_parser *parser) {
    pdp_token name = parser->token;
    pdp_op op;
    pdp_parser_advance(parser);
    if (parser->token.kind == '[') {
        return pdp_op_find(&op, name.name) ? parse_fold(parser, &name, op) : parse_lookup(parser, &name);
    }
    if (parser->token.kind != '(') {
        return parse_name(parser, &name);
    }
    const function *called = find_function(name.name);
    const pdp_let *let = find_let(parser, name.name);
    if (strcmp(name.name, "sum") == 0) {
        return parse_sum(parser, &name);
    }
    if (called) {
        return parse_function(parser, &name, called);
    }
    if (let && let->has_arguments) {
        return parse_let(parser, &name, let);
    }
    pdp_parser_fail(parser, name.place,
                    "'%s' is not a function; expected a let or one of min, max, abs, sqrt, exp, log, pow, sum",
                    name.name);
    return 0;
}

static uint32_t parse_atom(pdp_parser *parser) {
    pdp_token token = parser->token;
    uint32_t inner;
    switch (token.kind) {
    case PDP_TOKEN_NAME:
        if (strcmp(token.name, "if") != 0 && strcmp(token.name, "identity") != 0) {
            return parse_named(parser);
        }
        break;
    case PDP_TOKEN_WHOLE:
        if (token.number > INT64_MAX) {
            pdp_parser_fail(parser, token.place, "the number is too large; 9223372036854775807 is the largest");
        }
        pdp_parser_advance(parser);
        return pdp_parser_add_node(
            parser, &(pdp_node){.kind = PDP_NODE_WHOLE, .number = (int64_t)token.number, .place = token.place});
    case PDP_TOKEN_REAL:
        pdp_parser_advance(parser);
        return pdp_parser_add_node(parser,
                                   &(pdp_node){.kind = PDP_NODE_REAL, .real = token.real, .place = token.place});
    case '(':
        pdp_parser_advance(parser);
        inner = parse_conditional(parser);
        pdp_parser_expect(parser, ')');
        return inner;
    default: break;
    }
    pdp_parser_expected(parser, "a number, a name or '('");
    return 0;
}

/* ---- Operators -------------------------------------------------------------------------------- */

static uint32_t parse_unary(pdp_parser *parser) {
    pdp_place place = parser->token.place;
    pdp_op op;
    switch (parser->token.kind) {
    case '-': op = PDP_OP_NEGATE; break;
    case '!': op = PDP_OP_NOT; break;
    case '~': op = PDP_OP_FLIP; break;
    default: return parse_atom(parser);
    }
    if (!enter(parser)) {
        return 0;
    }
    pdp_parser_advance(parser);
    uint32_t operand = parse_unary(parser);
    parser->level--;
    return add_operation(parser, place, PDP_NODE_UNARY, op, &operand, 1);
}

/* How tightly a binary operator binds, 0 for what is none. */
static uint32_t find_binary(int kind, pdp_op *op) {
    static const struct {
        int kind;
        pdp_op op;
        uint32_t tightness;
    } operators[] = {{PDP_TOKEN_LOGICAL_OR, PDP_OP_LOGICAL_OR, 1},
                     {PDP_TOKEN_LOGICAL_AND, PDP_OP_LOGICAL_AND, 2},
                     {'|', PDP_OP_OR, 3},
                     {'^', PDP_OP_XOR, 4},
                     {'&', PDP_OP_AND, 5},
                     {PDP_TOKEN_EQUAL, PDP_OP_EQUAL, 6},
                     {PDP_TOKEN_NOT_EQUAL, PDP_OP_NOT_EQUAL, 6},
                     {'<', PDP_OP_LESS, 7},
                     {PDP_TOKEN_LESS_EQUAL, PDP_OP_LESS_EQUAL, 7},
                     {'>', PDP_OP_GREATER, 7},
                     {PDP_TOKEN_GREATER_EQUAL, PDP_OP_GREATER_EQUAL, 7},
                     {PDP_TOKEN_SHIFT_LEFT, PDP_OP_SHIFT_LEFT, 8},
                     {PDP_TOKEN_SHIFT_RIGHT, PDP_OP_SHIFT_RIGHT, 8},
                     {'+', PDP_OP_ADD, 9},
                     {'-', PDP_OP_SUBTRACT, 9},
                     {'*', PDP_OP_MUL, 10},
                     {'/', PDP_OP_DIVIDE, 10},
                     {'%', PDP_OP_REMAINDER, 10}};
    for (size_t o = 0; o < sizeof operators / sizeof *operators; o++) {
        if (operators[o].kind == kind) {
            *op = operators[o].op;
            return operators[o].tightness;
        }
    }
    return 0;
}

/* Operators that bind at least this tightly; of equal ones the left comes first. */
static uint32_t parse_binary(pdp_parser *parser, uint32_t tightness) {
    uint32_t left = parse_unary(parser);
    for (;;) {
        pdp_op op;
        pdp_place place = parser->token.place;
        uint32_t found = find_binary(parser->token.kind, &op);
        if (found < tightness || found == 0) {
            return left;
        }
        pdp_parser_advance(parser);
        uint32_t operands[2] = {left, parse_binary(parser, found + 1)};
        if (pdp_parser_failed(parser)) {
            return 0;
        }
        left = add_operation(parser, place, PDP_NODE_BINARY, op, operands, 2);
    }
}

static uint32_t parse_conditional(pdp_parser *parser) {
    if (!enter(parser)) {
        return 0;
    }
    uint32_t parts[3];
    parts[0] = parse_binary(parser, 1);
    pdp_place place = parser->token.place;
    if (pdp_parser_accept(parser, '?')) {
        parts[1] = parse_conditional(parser);
        pdp_parser_expect(parser, ':');
        parts[2] = parse_conditional(parser);
        if (!pdp_parser_failed(parser)) {
            parts[0] = add_operation(parser, place, PDP_NODE_CONDITIONAL, PDP_OP_MIN, parts, 3);
        }
    }
    parser->level--;
    return parts[0];
}

uint32_t pdp_parser_expression(pdp_parser *parser, const pdp_clause *clause) {
    parser->clause = clause;
    parser->level = 0;
    return parse_conditional(parser);
}

uint32_t pdp_parser_range_end(pdp_parser *parser, const pdp_clause *clause) {
    pdp_op op;
    parser->clause = clause;
    parser->level = 0;
    return parse_binary(parser, find_binary(PDP_TOKEN_SHIFT_LEFT, &op));
}
