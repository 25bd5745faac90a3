/* The clauses of a .dp text. */
#include "recurrence/parser.h"
#include "recurrence/canonise.h"

#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* ---- Tokens and errors ------------------------------------------------------------------------ */

bool pdp_parser_failed(const pdp_parser *parser) {
    return parser->recurrence->error.status != PDP_OK;
}

void pdp_parser_fail(pdp_parser *parser, pdp_place place, const char *format, ...) {
    char message[176];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    pdp_place_fail(&parser->recurrence->error, parser->lexer.text, place, "%s", message);
    parser->token.kind = PDP_TOKEN_END;
}

void pdp_parser_expected(pdp_parser *parser, const char *what) {
    const pdp_token *token = &parser->token;
    switch (token->kind) {
    case PDP_TOKEN_END: pdp_parser_fail(parser, token->place, "expected %s, found the end of the file", what); break;
    case PDP_TOKEN_LINE_END:
        pdp_parser_fail(parser, token->place, "expected %s, found the end of the line", what);
        break;
    case PDP_TOKEN_STRING: pdp_parser_fail(parser, token->place, "expected %s, found a text", what); break;
    default:
        pdp_parser_fail(parser, token->place, "expected %s, found '%.*s'", what,
                        token->length < 40 ? (int)token->length : 40, token->start);
        break;
    }
}

void pdp_parser_advance(pdp_parser *parser) {
    parser->token = pdp_lexer_take(&parser->lexer);
}

bool pdp_parser_accept(pdp_parser *parser, int kind) {
    if (parser->token.kind != kind) {
        return false;
    }
    pdp_parser_advance(parser);
    return true;
}

void pdp_parser_expect(pdp_parser *parser, int kind) {
    if (!pdp_parser_accept(parser, kind)) {
        pdp_parser_expected(parser, (const char[]){'\'', (char)kind, '\'', '\0'});
    }
}

bool pdp_parser_accept_word(pdp_parser *parser, const char *word) {
    if (parser->token.kind != PDP_TOKEN_NAME || strcmp(parser->token.name, word) != 0) {
        return false;
    }
    pdp_parser_advance(parser);
    return true;
}

/* ---- Declarations ----------------------------------------------------------------------------- */

static const pdp_clause range_clause = {"a range", 0, false, true};

static void parse_type(pdp_parser *parser) {
    static const struct {
        char name[5];
        pdp_element element;
    } types[] = {{"i32", PDP_ELEMENT_I32}, {"i64", PDP_ELEMENT_I64},   {"f32", PDP_ELEMENT_F32},
                 {"f64", PDP_ELEMENT_F64}, {"bits", PDP_ELEMENT_BITS}, {"mod", PDP_ELEMENT_MOD}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        if (pdp_parser_accept_word(parser, types[t].name)) {
            parser->recurrence->element = types[t].element;
            if (types[t].element == PDP_ELEMENT_MOD) {
                if (parser->token.kind != PDP_TOKEN_NAME) {
                    pdp_parser_expected(parser, "the name of a parameter");
                    return;
                }
                memcpy(parser->modulus, parser->token.name, PDP_NAME_SIZE);
                parser->modulus_place = parser->token.place;
                pdp_parser_advance(parser);
            }
            return;
        }
    }
    pdp_parser_expected(parser, "a type: i32, i64, f32, f64, bits or mod");
}

/* >= lowest and <= highest, in any order. False if neither stands here. */
static bool parse_range_end(pdp_parser *parser, pdp_range *range) {
    uint32_t *end = parser->token.kind == PDP_TOKEN_GREATER_EQUAL ? &range->lowest
                    : parser->token.kind == PDP_TOKEN_LESS_EQUAL  ? &range->highest
                                                                  : NULL;
    if (!end) {
        return false;
    }
    if (*end != PDP_NO_NODE) {
        pdp_parser_fail(parser, parser->token.place, "a second '%.2s'; one is enough", parser->token.start);
        return true;
    }
    pdp_parser_advance(parser);
    *end = pdp_parser_range_end(parser, &range_clause);
    return true;
}

static void parse_default(pdp_parser *parser, pdp_param *param) {
    bool is_negative = pdp_parser_accept(parser, '-');
    pdp_token number = parser->token;
    if (number.kind == PDP_TOKEN_WHOLE && number.number <= (uint64_t)INT64_MAX + is_negative) {
        param->whole_default = is_negative ? (int64_t)(0 - number.number) : (int64_t)number.number;
        param->real_default = (double)param->whole_default;
    } else if (number.kind == PDP_TOKEN_REAL) {
        param->real_default = is_negative ? -number.real : number.real;
        bool fits = param->real_default >= -0x1p63 && param->real_default < 0x1p63;
        param->whole_default = fits ? (int64_t)param->real_default : 0;
    } else {
        pdp_parser_expected(parser, "a number within int64");
        return;
    }
    param->has_default = true;
    pdp_parser_advance(parser);
}

static void parse_param(pdp_parser *parser) {
    pdp_recurrence *recurrence = parser->recurrence;
    if (recurrence->param_count == PDP_MAX_PARAMS) {
        pdp_parser_fail(parser, parser->token.place, "too many parameters; %d are the most", PDP_MAX_PARAMS);
        return;
    }
    pdp_param param = {.range = {PDP_NO_NODE, PDP_NO_NODE}, .place = parser->token.place};
    pdp_parser_new_name(parser, param.name, "parameter");
    if (pdp_parser_accept_word(parser, "operator")) {
        param.is_operator = true;
    } else {
        while (parse_range_end(parser, &param.range)) {
        }
        if (pdp_parser_accept(parser, '=')) {
            parse_default(parser, &param);
        }
    }
    recurrence->params[recurrence->param_count++] = param;
}

/* n, n+1, 1+n, n-1: what binds n to a size. */
static bool find_shift(const pdp_recurrence *recurrence, uint32_t extent, int64_t *shift) {
    const pdp_node *node = &recurrence->nodes[extent];
    *shift = 0;
    if (node->kind == PDP_NODE_DIM) {
        return true;
    }
    if (node->kind != PDP_NODE_BINARY || (node->op != PDP_OP_ADD && node->op != PDP_OP_SUBTRACT)) {
        return false;
    }
    const pdp_node *left = &recurrence->nodes[node->child[0]];
    const pdp_node *right = &recurrence->nodes[node->child[1]];
    if (left->kind == PDP_NODE_DIM && right->kind == PDP_NODE_WHOLE) {
        *shift = node->op == PDP_OP_ADD ? right->number : -right->number;
        return true;
    }
    *shift = left->number;
    return left->kind == PDP_NODE_WHOLE && right->kind == PDP_NODE_DIM && node->op == PDP_OP_ADD;
}

static void parse_extent(pdp_parser *parser, pdp_input *input, uint32_t axis) {
    static const pdp_clause clause = {"an input's size", 0, false, true};
    pdp_recurrence *recurrence = parser->recurrence;
    pdp_place place = parser->token.place;
    parser->may_bind = true;
    parser->bound_dim = PDP_NO_NODE;
    input->extent[axis] = pdp_parser_expression(parser, &clause);
    parser->may_bind = false;
    if (parser->bound_dim == PDP_NO_NODE || pdp_parser_failed(parser)) {
        return;
    }
    pdp_dim *dim = &recurrence->dims[parser->bound_dim];
    dim->input = recurrence->input_count;
    dim->axis = axis;
    if (!find_shift(recurrence, input->extent[axis], &dim->shift)) {
        pdp_parser_fail(parser, place, "'%s' cannot be told from this size; expected %s, or it plus or minus a number",
                        dim->name, dim->name);
    }
}

static void parse_alphabet(pdp_parser *parser, pdp_input *input) {
    pdp_token text = parser->token;
    if (text.kind != PDP_TOKEN_STRING || text.length == 0) {
        pdp_parser_expected(parser, "letters between '\"'");
        return;
    }
    for (uint32_t c = 1; c < text.length; c++) {
        if (memchr(text.start, text.start[c], c)) {
            pdp_place place = {text.place.line, text.place.column + 1 + c};
            pdp_parser_fail(parser, place, "'%c' is in the alphabet already", text.start[c]);
            return;
        }
    }
    input->alphabet = strndup(text.start, text.length);
    if (!input->alphabet) {
        pdp_error_set_no_memory(&parser->recurrence->error, text.length + 1);
        return;
    }
    pdp_parser_advance(parser);
}

static void parse_input(pdp_parser *parser) {
    pdp_recurrence *recurrence = parser->recurrence;
    if (recurrence->input_count == PDP_MAX_INPUTS) {
        pdp_parser_fail(parser, parser->token.place, "too many inputs; %d are the most", PDP_MAX_INPUTS);
        return;
    }
    uint32_t first_dim = recurrence->dim_count;
    pdp_input *input = &recurrence->inputs[recurrence->input_count];
    *input = (pdp_input){
        .extent = {PDP_NO_NODE, PDP_NO_NODE}, .range = {PDP_NO_NODE, PDP_NO_NODE}, .place = parser->token.place};
    pdp_parser_new_name(parser, input->name, "input");
    pdp_parser_expect(parser, '[');
    parse_extent(parser, input, 0);
    if (pdp_parser_accept(parser, ',')) {
        parse_extent(parser, input, 1);
    }
    pdp_parser_expect(parser, ']');
    if (pdp_parser_accept_word(parser, "in")) {
        parse_alphabet(parser, input);
    } else {
        while (parse_range_end(parser, &input->range)) {
        }
    }
    input->is_optional = pdp_parser_accept_word(parser, "optional");
    if (input->is_optional && recurrence->dim_count > first_dim) {
        pdp_parser_fail(parser, input->place,
                        "'%s' is optional and cannot bind the size '%s'; expected one that is known", input->name,
                        recurrence->dims[first_dim].name);
    }
    for (uint32_t d = first_dim; d < recurrence->dim_count; d++) {
        if (strcmp(recurrence->dims[d].name, input->name) == 0) {
            pdp_parser_fail(parser, input->place, "'%s' is the input and its size; expected two names", input->name);
        }
    }
    recurrence->input_count++;
}

static void parse_let_clause(pdp_parser *parser) {
    static const pdp_clause clause = {"let", PDP_NAME_ALL, true, true};
    if (parser->let_count == PDP_MAX_LETS) {
        pdp_parser_fail(parser, parser->token.place, "too many lets; %d are the most", PDP_MAX_LETS);
        return;
    }
    pdp_let let = {.first_argument = parser->variable_count};
    pdp_parser_new_name(parser, let.name, "let");
    if (pdp_parser_accept(parser, '(')) {
        let.has_arguments = true;
        do {
            if (parser->token.kind != PDP_TOKEN_NAME) {
                pdp_parser_expected(parser, "a name for the argument");
            } else if (let.argument_count == PDP_MAX_ARGUMENTS) {
                pdp_parser_fail(parser, parser->token.place, "too many arguments; %d are the most", PDP_MAX_ARGUMENTS);
            }
            pdp_parser_add_local(parser, &parser->token, PDP_NO_NODE);
            let.argument_count++;
            pdp_parser_advance(parser);
        } while (pdp_parser_accept(parser, ','));
        pdp_parser_expect(parser, ')');
    }
    pdp_parser_expect(parser, '=');
    let.body = pdp_parser_expression(parser, &clause);
    parser->local_count = 0;
    parser->lets[parser->let_count++] = let;
}

/* ---- Clauses of the recurrence itself ---------------------------------------------------------- */

static void parse_size(pdp_parser *parser) {
    static const pdp_clause clause = {"size", 0, false, true};
    parser->recurrence->size = pdp_parser_expression(parser, &clause);
}

static void parse_term(pdp_parser *parser) {
    static const pdp_clause clauses[] = {
        [PDP_LINEAR] = {"term", PDP_NAME_I | PDP_NAME_J | PDP_NAME_S, true, true},
        [PDP_INTERVAL] = {"term", PDP_NAME_I | PDP_NAME_K | PDP_NAME_J | PDP_NAME_L | PDP_NAME_R, true, true}};
    parser->recurrence->term = pdp_parser_expression(parser, &clauses[parser->recurrence->shape]);
}

static void parse_option(pdp_parser *parser) {
    static const pdp_clause clause = {"option", PDP_NAME_I | PDP_NAME_J | PDP_NAME_INSIDE, true, true};
    pdp_recurrence *recurrence = parser->recurrence;
    if (recurrence->option_count == PDP_MAX_OPTIONS) {
        pdp_parser_fail(parser, parser->token.place, "too many options; %d are the most", PDP_MAX_OPTIONS);
        return;
    }
    pdp_option_clause option = {.condition = PDP_NO_NODE};
    option.value = pdp_parser_expression(parser, &clause);
    if (pdp_parser_accept_word(parser, "if")) {
        option.condition = pdp_parser_expression(parser, &clause);
    }
    recurrence->options[recurrence->option_count++] = option;
}

static void parse_finish(pdp_parser *parser) {
    static const pdp_clause clauses[] = {
        [PDP_LINEAR] = {"finish", PDP_NAME_I | PDP_NAME_BEST, true, true},
        [PDP_INTERVAL] = {"finish", PDP_NAME_I | PDP_NAME_J | PDP_NAME_BEST, true, true}};
    parser->recurrence->finish = pdp_parser_expression(parser, &clauses[parser->recurrence->shape]);
}

/* (x, y) expression [identity expression] */
static void parse_own_operator(pdp_parser *parser) {
    static const pdp_clause own = {"combine", 0, false, false};
    static const pdp_clause identity = {"identity", 0, false, false};
    pdp_recurrence *recurrence = parser->recurrence;
    pdp_token names[2];
    for (uint32_t n = 0; n < 2; n++) {
        names[n] = parser->token;
        if (names[n].kind != PDP_TOKEN_NAME) {
            pdp_parser_expected(parser, "a name for the operand");
            return;
        }
        pdp_parser_advance(parser);
        pdp_parser_expect(parser, n == 0 ? ',' : ')');
    }
    if (strcmp(names[0].name, names[1].name) == 0) {
        pdp_parser_fail(parser, names[1].place, "both operands are called '%s'", names[1].name);
    }
    for (uint32_t n = 0; n < 2; n++) {
        pdp_node cell = {.kind = PDP_NODE_CELL, .which = PDP_CELL_FIRST + n, .place = names[n].place};
        pdp_parser_add_local(parser, &names[n], pdp_parser_add_node(parser, &cell));
    }
    recurrence->combine = PDP_OP_OWN;
    recurrence->combine_own = pdp_parser_expression(parser, &own);
    parser->local_count = 0;
    if (pdp_parser_accept_word(parser, "identity")) {
        recurrence->combine_identity = pdp_parser_expression(parser, &identity);
    }
}

static void parse_combine(pdp_parser *parser) {
    pdp_recurrence *recurrence = parser->recurrence;
    recurrence->combine_place = parser->token.place;
    if (pdp_parser_accept(parser, '(')) {
        parse_own_operator(parser);
        return;
    }
    if (parser->token.kind != PDP_TOKEN_NAME) {
        pdp_parser_expected(parser, "an operator's name or (x, y)");
        return;
    }
    if (!pdp_op_find(&recurrence->combine, parser->token.name)) {
        for (uint32_t p = 0; p < recurrence->param_count; p++) {
            if (recurrence->params[p].is_operator && strcmp(recurrence->params[p].name, parser->token.name) == 0) {
                recurrence->combine_param = p;
            }
        }
        if (recurrence->combine_param == PDP_NO_NODE) {
            pdp_parser_fail(parser, parser->token.place,
                            "unknown operator '%s'; expected min, max, add, mul, and, or, xor, gcd, logsumexp, "
                            "an operator parameter or (x, y)",
                            parser->token.name);
        }
    }
    pdp_parser_advance(parser);
}

static void parse_report(pdp_parser *parser) {
    pdp_recurrence *recurrence = parser->recurrence;
    static const struct {
        char name[9];
        pdp_shape shape;
        pdp_report_kind kind;
    } kinds[] = {{"parens", PDP_INTERVAL, PDP_REPORT_PARENS},
                 {"brackets", PDP_INTERVAL, PDP_REPORT_BRACKETS},
                 {"tree", PDP_INTERVAL, PDP_REPORT_TREE},
                 {"items", PDP_LINEAR, PDP_REPORT_ITEMS}};
    recurrence->report_place = parser->token.place;
    for (size_t r = 0; r < sizeof kinds / sizeof *kinds; r++) {
        if (kinds[r].shape == recurrence->shape && pdp_parser_accept_word(parser, kinds[r].name)) {
            recurrence->report = kinds[r].kind;
        }
    }
    if (recurrence->report == PDP_REPORT_NONE) {
        pdp_parser_expected(parser, recurrence->shape == PDP_INTERVAL ? "parens, brackets or tree" : "items");
    }
    if (recurrence->report != PDP_REPORT_ITEMS || parser->token.kind != PDP_TOKEN_NAME) {
        return;
    }
    recurrence->report_place = parser->token.place;
    for (uint32_t n = 0; n < recurrence->input_count; n++) {
        if (pdp_parser_accept_word(parser, recurrence->inputs[n].name)) {
            recurrence->report_input = n;
            return;
        }
    }
    pdp_parser_expected(parser, "the name of an input");
}

static void parse_leaf(pdp_parser *parser) {
    static const pdp_clause clause = {"leaf", PDP_NAME_I, true, true};
    parser->recurrence->leaf = pdp_parser_expression(parser, &clause);
}

static void parse_empty(pdp_parser *parser) {
    static const pdp_clause clause = {"empty", PDP_NAME_I, true, true};
    parser->recurrence->empty = pdp_parser_expression(parser, &clause);
}

static void parse_monotone(pdp_parser *parser) {
    parser->recurrence->monotone = true;
}

static void parse_offset(pdp_parser *parser) {
    static const pdp_clause clause = {"offset", PDP_NAME_J, true, true};
    parser->recurrence->offset = pdp_parser_expression(parser, &clause);
}

static void parse_source(pdp_parser *parser) {
    static const pdp_clause clause = {"source", PDP_NAME_I, true, true};
    parser->recurrence->source = pdp_parser_expression(parser, &clause);
}

static void parse_preset(pdp_parser *parser) {
    static const pdp_clause count = {"preset's count", 0, false, true};
    static const pdp_clause value = {"preset", PDP_NAME_I, true, true};
    parser->recurrence->preset_count = pdp_parser_expression(parser, &count);
    pdp_parser_expect(parser, ':');
    parser->recurrence->preset_value = pdp_parser_expression(parser, &value);
}

static void parse_missing(pdp_parser *parser) {
    parser->recurrence->missing_skip = pdp_parser_accept_word(parser, "skip");
    if (!parser->recurrence->missing_skip) {
        pdp_parser_expected(parser, "skip");
    }
}

/* ---- The file ---------------------------------------------------------------------------------- */

enum { IN_LINEAR = 1 << PDP_LINEAR, IN_INTERVAL = 1 << PDP_INTERVAL, IN_BOTH = IN_LINEAR | IN_INTERVAL };

static const struct {
    char name[9];
    int shapes;
    int required; /* in recurrences of these shapes */
    bool is_repeated;
    void (*parse)(pdp_parser *parser);
} clauses[] = {{"type", IN_BOTH, 0, false, parse_type},
               {"param", IN_BOTH, 0, true, parse_param},
               {"input", IN_BOTH, 0, true, parse_input},
               {"let", IN_BOTH, 0, true, parse_let_clause},
               {"size", IN_BOTH, IN_BOTH, false, parse_size},
               {"preset", IN_LINEAR, 0, false, parse_preset},
               {"missing", IN_LINEAR, 0, false, parse_missing},
               {"offset", IN_LINEAR, IN_LINEAR, false, parse_offset},
               {"source", IN_LINEAR, 0, false, parse_source},
               {"empty", IN_INTERVAL, 0, false, parse_empty},
               {"leaf", IN_INTERVAL, IN_INTERVAL, false, parse_leaf},
               {"term", IN_BOTH, IN_BOTH, false, parse_term},
               {"option", IN_INTERVAL, 0, true, parse_option},
               {"finish", IN_BOTH, 0, false, parse_finish},
               {"combine", IN_BOTH, IN_BOTH, false, parse_combine},
               {"monotone", IN_INTERVAL, 0, false, parse_monotone},
               {"report", IN_BOTH, 0, false, parse_report}};
enum { CLAUSE_COUNT = sizeof clauses / sizeof *clauses };

static void fail_clause(pdp_parser *parser) {
    char list[128] = "";
    size_t used = 0;
    for (size_t c = 0; c < CLAUSE_COUNT; c++) {
        if (clauses[c].shapes & 1 << parser->recurrence->shape) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", clauses[c].name);
        }
    }
    pdp_parser_fail(parser, parser->token.place, "unknown clause '%s'; expected one of %s", parser->token.name, list);
}

static void parse_clause(pdp_parser *parser) {
    pdp_token word = parser->token;
    pdp_shape shape = parser->recurrence->shape;
    for (size_t c = 0; c < CLAUSE_COUNT; c++) {
        if (strcmp(word.name, clauses[c].name) != 0) {
            continue;
        }
        if (!(clauses[c].shapes & 1 << shape)) {
            pdp_parser_fail(parser, word.place, "'%s' belongs to %s recurrences; this one is %s", word.name,
                            shape == PDP_LINEAR ? "interval" : "linear", shape == PDP_LINEAR ? "linear" : "interval");
        } else if (!clauses[c].is_repeated && (parser->seen & 1u << c)) {
            pdp_parser_fail(parser, word.place, "a second '%s'; one is enough", word.name);
        }
        parser->seen |= 1u << c;
        pdp_parser_advance(parser);
        clauses[c].parse(parser);
        return;
    }
    fail_clause(parser);
}

static void end_line(pdp_parser *parser) {
    if (parser->token.kind != PDP_TOKEN_END && !pdp_parser_accept(parser, PDP_TOKEN_LINE_END)) {
        pdp_parser_expected(parser, "the end of the line");
    }
}

static void parse_file(pdp_parser *parser) {
    pdp_recurrence *recurrence = parser->recurrence;
    pdp_parser_advance(parser);
    if (pdp_parser_accept_word(parser, "interval")) {
        recurrence->shape = PDP_INTERVAL;
    } else if (!pdp_parser_accept_word(parser, "linear")) {
        pdp_parser_expected(parser, "'linear' or 'interval'");
    }
    recurrence->place = parser->token.place;
    if (parser->token.kind != PDP_TOKEN_NAME) {
        pdp_parser_expected(parser, "a name for the recurrence");
    }
    memcpy(recurrence->name, parser->token.name, PDP_NAME_SIZE);
    pdp_parser_advance(parser);
    end_line(parser);
    while (parser->token.kind != PDP_TOKEN_END) {
        parse_clause(parser);
        end_line(parser);
    }
    for (size_t c = 0; c < CLAUSE_COUNT; c++) {
        if ((clauses[c].required & 1 << recurrence->shape) && !(parser->seen & 1u << c)) {
            pdp_parser_fail(parser, recurrence->place, "'%s' has no %s", recurrence->name, clauses[c].name);
        }
    }
    if (recurrence->element == PDP_ELEMENT_MOD) {
        for (uint32_t p = 0; p < recurrence->param_count; p++) {
            if (!recurrence->params[p].is_operator && strcmp(recurrence->params[p].name, parser->modulus) == 0) {
                recurrence->modulus_param = p;
            }
        }
        if (recurrence->modulus_param == PDP_NO_NODE) {
            pdp_parser_fail(parser, parser->modulus_place, "unknown name '%s'; expected a parameter", parser->modulus);
        }
    }
}

/* ---- Trees: what is in use, and folds by their depth -------------------------------------------- */

uint32_t pdp_recurrence_roots(pdp_recurrence *recurrence, uint32_t *roots[PDP_MAX_ROOTS]) {
    uint32_t *fields[PDP_MAX_ROOTS] = {&recurrence->size,
                                       &recurrence->term,
                                       &recurrence->finish,
                                       &recurrence->combine_own,
                                       &recurrence->combine_identity,
                                       &recurrence->leaf,
                                       &recurrence->empty,
                                       &recurrence->offset,
                                       &recurrence->source,
                                       &recurrence->preset_count,
                                       &recurrence->preset_value};
    uint32_t field_count = 11;
    for (uint32_t o = 0; o < recurrence->option_count; o++) {
        fields[field_count++] = &recurrence->options[o].value;
        fields[field_count++] = &recurrence->options[o].condition;
    }
    for (uint32_t n = 0; n < recurrence->input_count; n++) {
        fields[field_count++] = &recurrence->inputs[n].extent[0];
        fields[field_count++] = &recurrence->inputs[n].extent[1];
        fields[field_count++] = &recurrence->inputs[n].range.lowest;
        fields[field_count++] = &recurrence->inputs[n].range.highest;
    }
    for (uint32_t p = 0; p < recurrence->param_count; p++) {
        fields[field_count++] = &recurrence->params[p].range.lowest;
        fields[field_count++] = &recurrence->params[p].range.highest;
    }
    uint32_t count = 0;
    for (uint32_t f = 0; f < field_count; f++) {
        if (*fields[f] != PDP_NO_NODE) {
            roots[count++] = fields[f];
        }
    }
    return count;
}

/* Variables were numbered through the file; from here on the number is that of the folds around. */
static void number_folds(pdp_parser *parser, uint32_t root, uint32_t *open, uint32_t open_count) {
    pdp_node *node = &parser->recurrence->nodes[root];
    if (node->kind == PDP_NODE_VARIABLE) {
        uint32_t found = open_count;
        while (found > 0 && open[found - 1] != node->which) {
            found--;
        }
        node->which = found - 1;
    }
    for (uint32_t c = 0; c < node->child_count; c++) {
        bool is_body = node->kind == PDP_NODE_FOLD && c == 1;
        if (is_body) {
            if (open_count == PDP_MAX_FOLDS) {
                pdp_parser_fail(parser, node->place, "too deep: folds are nested more than %d times", PDP_MAX_FOLDS);
                return;
            }
            open[open_count] = node->which;
            node->which = open_count;
        }
        number_folds(parser, node->child[c], open, open_count + is_body);
    }
}

/* Drops the nodes that no clause uses: bodies of lets, and arguments that were copied. */
static void compact(pdp_recurrence *recurrence, uint32_t **roots, uint32_t root_count) {
    uint32_t moved[PDP_MAX_NODES] = {0};
    for (uint32_t r = 0; r < root_count; r++) {
        moved[*roots[r]] = 1;
    }
    for (uint32_t n = recurrence->node_count; n-- > 0;) {
        for (uint32_t c = 0; moved[n] && c < recurrence->nodes[n].child_count; c++) {
            moved[recurrence->nodes[n].child[c]] = 1;
        }
    }
    uint32_t kept = 0;
    for (uint32_t n = 0; n < recurrence->node_count; n++) {
        if (moved[n]) {
            pdp_node node = recurrence->nodes[n];
            for (uint32_t c = 0; c < node.child_count; c++) {
                node.child[c] = moved[node.child[c]];
            }
            moved[n] = kept;
            recurrence->nodes[kept++] = node;
        }
    }
    for (uint32_t r = 0; r < root_count; r++) {
        *roots[r] = moved[*roots[r]];
    }
    recurrence->node_count = kept;
    pdp_node *fitting = realloc(recurrence->nodes, (kept + !kept) * sizeof *fitting);
    recurrence->nodes = fitting ? fitting : recurrence->nodes;
}

static void parse_text(pdp_recurrence *recurrence, size_t length) {
    pdp_parser parser = {.recurrence = recurrence};
    pdp_lexer_start(&parser.lexer, recurrence->text, length, &recurrence->error);
    parse_file(&parser);
    uint32_t *roots[PDP_MAX_ROOTS];
    if (!pdp_parser_failed(&parser)) {
        uint32_t root_count = pdp_recurrence_roots(recurrence, roots);
        for (uint32_t r = 0; r < root_count; r++) {
            uint32_t open[PDP_MAX_FOLDS];
            number_folds(&parser, *roots[r], open, 0);
        }
        compact(recurrence, roots, root_count);
    }
    if (!pdp_parser_failed(&parser)) {
        pdp_recurrence_check(recurrence);
    }
}

static void release(pdp_recurrence *recurrence) {
    for (uint32_t n = 0; n < PDP_MAX_INPUTS; n++) { /* the last may be half read */
        free(recurrence->inputs[n].alphabet);
    }
    free(recurrence->nodes);
    free(recurrence->text);
}

pdp_status pdp_recurrence_parse(pdp_recurrence **out, const char *text, size_t length) {
    pdp_recurrence *recurrence = *out = calloc(1, sizeof *recurrence);
    if (!recurrence) {
        return PDP_NO_MEMORY;
    }
    recurrence->size = recurrence->term = recurrence->inner = recurrence->after = recurrence->finish = PDP_NO_NODE;
    recurrence->combine_param = recurrence->combine_own = recurrence->combine_identity = PDP_NO_NODE;
    recurrence->leaf = recurrence->empty = recurrence->offset = recurrence->source = PDP_NO_NODE;
    recurrence->preset_count = recurrence->preset_value = recurrence->offset_dim = PDP_NO_NODE;
    recurrence->report_input = recurrence->modulus_param = PDP_NO_NODE;
    if (length > PDP_MAX_TEXT) {
        return pdp_error_set(&recurrence->error, PDP_BAD_INPUT, "the text has %zu bytes; %d are the most", length,
                             PDP_MAX_TEXT);
    }
    recurrence->nodes = pdp_array_allocate(PDP_MAX_NODES, sizeof *recurrence->nodes, &recurrence->error);
    recurrence->text = pdp_array_allocate(length + 1, 1, &recurrence->error);
    if (recurrence->nodes && recurrence->text) {
        if (length > 0) {
            memcpy(recurrence->text, text, length);
        }
        locale_t numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* a point is a point everywhere */
        locale_t before = uselocale(numbers);
        parse_text(recurrence, length);
        if (recurrence->error.status == PDP_OK) {
            pdp_recurrence_canonise(recurrence);
        }
        uselocale(before);
        if (numbers) {
            freelocale(numbers);
        }
    }
    if (recurrence->error.status != PDP_OK) {
        pdp_error error = recurrence->error;
        release(recurrence);
        *recurrence = (pdp_recurrence){.error = error};
    }
    return recurrence->error.status;
}

pdp_recurrence *pdp_recurrence_share(const pdp_recurrence *recurrence) {
    pdp_recurrence *shared = (pdp_recurrence *)recurrence;
    shared->users++;
    return shared;
}

void pdp_recurrence_free(pdp_recurrence *recurrence) {
    if (recurrence && recurrence->users-- == 0) {
        release(recurrence);
        free(recurrence);
    }
}
