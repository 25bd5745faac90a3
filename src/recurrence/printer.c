/* A recurrence as text again, in normal form: read and printed again it is the same. */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recurrence/recurrence.h"

/* How tightly expressions bind; binary operators are in between. */
enum {
    TIGHT_CONDITIONAL = 0,
    TIGHT_OR = 1,
    TIGHT_SHIFT = 8,
    TIGHT_SUM = 9,
    TIGHT_PRODUCT = 10,
    TIGHT_UNARY = 11,
    TIGHT_ATOM = 12
};

typedef struct pdp_printer {
    FILE *out;
    const pdp_recurrence *recurrence;
    char variables[PDP_MAX_FOLDS][PDP_NAME_SIZE];
} pdp_printer;

static void print_node(const pdp_printer *printer, uint32_t index, uint32_t tightness);

static bool is_declared(const pdp_recurrence *recurrence, const char *name) {
    bool found = false;
    for (uint32_t p = 0; p < recurrence->param_count; p++) {
        found |= strcmp(recurrence->params[p].name, name) == 0;
    }
    for (uint32_t n = 0; n < recurrence->input_count; n++) {
        found |= strcmp(recurrence->inputs[n].name, name) == 0;
    }
    for (uint32_t d = 0; d < recurrence->dim_count; d++) {
        found |= strcmp(recurrence->dims[d].name, name) == 0;
    }
    return found;
}

/* The tree does not keep the names of folds' variables: q, q1, ... or, where that is taken, q_, q__, ... */
static void name_variables(pdp_printer *printer) {
    for (uint32_t v = 0; v < PDP_MAX_FOLDS; v++) {
        char *name = printer->variables[v];
        snprintf(name, PDP_NAME_SIZE, v == 0 ? "q" : "q%u", v);
        for (size_t length = strlen(name); length < PDP_NAME_SIZE - 1 && is_declared(printer->recurrence, name);) {
            name[length++] = '_';
            name[length] = '\0';
        }
    }
}

/* The shortest text that is read as the same number; with a point or an exponent, so that it stays real. */
static void print_real(FILE *out, double value) {
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (fabs(strtod(text, NULL) - value) <= 0) {
            break;
        }
    }
    fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

typedef struct pdp_operator_text {
    const char *text;
    uint32_t tightness;
} pdp_operator_text;

static pdp_operator_text find_operator(pdp_op op) {
    switch (op) {
    case PDP_OP_LOGICAL_OR: return (pdp_operator_text){" || ", 1};
    case PDP_OP_LOGICAL_AND: return (pdp_operator_text){" && ", 2};
    case PDP_OP_OR: return (pdp_operator_text){" | ", 3};
    case PDP_OP_XOR: return (pdp_operator_text){" ^ ", 4};
    case PDP_OP_AND: return (pdp_operator_text){" & ", 5};
    case PDP_OP_EQUAL: return (pdp_operator_text){" == ", 6};
    case PDP_OP_NOT_EQUAL: return (pdp_operator_text){" != ", 6};
    case PDP_OP_LESS: return (pdp_operator_text){" < ", 7};
    case PDP_OP_LESS_EQUAL: return (pdp_operator_text){" <= ", 7};
    case PDP_OP_GREATER: return (pdp_operator_text){" > ", 7};
    case PDP_OP_GREATER_EQUAL: return (pdp_operator_text){" >= ", 7};
    case PDP_OP_SHIFT_LEFT: return (pdp_operator_text){" << ", TIGHT_SHIFT};
    case PDP_OP_SHIFT_RIGHT: return (pdp_operator_text){" >> ", TIGHT_SHIFT};
    case PDP_OP_ADD: return (pdp_operator_text){" + ", TIGHT_SUM};
    case PDP_OP_SUBTRACT: return (pdp_operator_text){" - ", TIGHT_SUM};
    case PDP_OP_MUL: return (pdp_operator_text){"*", TIGHT_PRODUCT};
    case PDP_OP_DIVIDE: return (pdp_operator_text){"/", TIGHT_PRODUCT};
    default: return (pdp_operator_text){"%", TIGHT_PRODUCT};
    }
}

static uint32_t find_tightness(const pdp_node *node) {
    switch (node->kind) {
    case PDP_NODE_CONDITIONAL: return TIGHT_CONDITIONAL;
    case PDP_NODE_BINARY: return find_operator(node->op).tightness;
    case PDP_NODE_MULADD: return TIGHT_SUM;
    case PDP_NODE_UNARY: return TIGHT_UNARY;
    default: return TIGHT_ATOM;
    }
}

static void print_children(const pdp_printer *printer, const pdp_node *node) {
    for (uint32_t c = 0; c < node->child_count; c++) {
        fputs(c == 0 ? "" : ", ", printer->out);
        print_node(printer, node->child[c], TIGHT_CONDITIONAL);
    }
}

static const char *function_name(pdp_op op) {
    switch (op) {
    case PDP_OP_ABS: return "abs";
    case PDP_OP_SQRT: return "sqrt";
    case PDP_OP_EXP: return "exp";
    case PDP_OP_LOG: return "log";
    case PDP_OP_POW: return "pow";
    default: return pdp_op_name(op);
    }
}

/* Names, look-ups, calls, sums, folds. */
static void print_atom(const pdp_printer *printer, const pdp_node *node) {
    static const char *const indices[] = {"i", "k", "j"};
    static const char *const cells[] = {"l", "r", "inside", "s", "best", "x", "y"};
    const pdp_recurrence *recurrence = printer->recurrence;
    FILE *out = printer->out;
    switch (node->kind) {
    case PDP_NODE_WHOLE: fprintf(out, "%" PRId64, node->number); break;
    case PDP_NODE_REAL: print_real(out, node->real); break;
    case PDP_NODE_INDEX: fputs(indices[node->which], out); break;
    case PDP_NODE_CELL: fputs(cells[node->which], out); break;
    case PDP_NODE_PARAM: fputs(recurrence->params[node->which].name, out); break;
    case PDP_NODE_DIM: fputs(recurrence->dims[node->which].name, out); break;
    case PDP_NODE_VARIABLE: fputs(printer->variables[node->which], out); break;
    case PDP_NODE_LOOKUP:
        fprintf(out, "%s[", recurrence->inputs[node->which].name);
        print_children(printer, node);
        fputc(']', out);
        break;
    case PDP_NODE_SUM:
        fprintf(out, "sum(%s, ", recurrence->inputs[node->which].name);
        print_children(printer, node);
        fputc(')', out);
        break;
    case PDP_NODE_FOLD:
        fprintf(out, "%s[%s < ", pdp_op_name(node->op), printer->variables[node->which]);
        print_node(printer, node->child[0], TIGHT_CONDITIONAL);
        fputs("] ", out);
        print_node(printer, node->child[1], TIGHT_ATOM);
        break;
    default:
        fprintf(out, "%s(", function_name(node->op));
        print_children(printer, node);
        fputc(')', out);
        break;
    }
}

/* In brackets if it binds less tightly than its place wants. Trees are no deeper than PDP_MAX_DEPTH. */
static void print_node(const pdp_printer *printer, uint32_t index, uint32_t tightness) {
    const pdp_node *node = &printer->recurrence->nodes[index];
    FILE *out = printer->out;
    uint32_t own = find_tightness(node);
    fputs(own < tightness ? "(" : "", out);
    switch (node->kind) {
    case PDP_NODE_UNARY:
        fputc(node->op == PDP_OP_NEGATE ? '-' : node->op == PDP_OP_NOT ? '!' : '~', out);
        print_node(printer, node->child[0], TIGHT_UNARY);
        break;
    case PDP_NODE_BINARY:
        print_node(printer, node->child[0], own);
        fputs(find_operator(node->op).text, out);
        print_node(printer, node->child[1], own + 1);
        break;
    case PDP_NODE_MULADD:
        print_node(printer, node->child[0], TIGHT_PRODUCT);
        fputc('*', out);
        print_node(printer, node->child[1], TIGHT_PRODUCT + 1);
        fputs(" + ", out);
        print_node(printer, node->child[2], TIGHT_SUM + 1);
        break;
    case PDP_NODE_CONDITIONAL:
        print_node(printer, node->child[0], TIGHT_OR);
        fputs(" ? ", out);
        print_node(printer, node->child[1], TIGHT_CONDITIONAL);
        fputs(" : ", out);
        print_node(printer, node->child[2], TIGHT_CONDITIONAL);
        break;
    default: print_atom(printer, node); break;
    }
    fputs(own < tightness ? ")" : "", out);
}

/* ---- Clauses --------------------------------------------------------------------------------------- */

static void print_clause(const pdp_printer *printer, const char *name, uint32_t node) {
    if (node != PDP_NO_NODE) {
        fprintf(printer->out, "  %-7s ", name);
        print_node(printer, node, TIGHT_CONDITIONAL);
        fputc('\n', printer->out);
    }
}

static void print_range(const pdp_printer *printer, const pdp_range *range) {
    if (range->lowest != PDP_NO_NODE) {
        fputs(" >= ", printer->out);
        print_node(printer, range->lowest, TIGHT_SHIFT);
    }
    if (range->highest != PDP_NO_NODE) {
        fputs(" <= ", printer->out);
        print_node(printer, range->highest, TIGHT_SHIFT);
    }
}

static void print_param(const pdp_printer *printer, const pdp_param *param) {
    FILE *out = printer->out;
    fprintf(out, "  param   %s%s", param->name, param->is_operator ? " operator" : "");
    print_range(printer, &param->range);
    if (param->has_default) {
        fputs(" = ", out);
        if (param->is_real) {
            print_real(out, param->real_default);
        } else {
            fprintf(out, "%" PRId64, param->whole_default);
        }
    }
    fputc('\n', out);
}

static void print_input(const pdp_printer *printer, const pdp_input *input) {
    FILE *out = printer->out;
    fprintf(out, "  input   %s[", input->name);
    print_node(printer, input->extent[0], TIGHT_CONDITIONAL);
    if (input->extent[1] != PDP_NO_NODE) {
        fputs(", ", out);
        print_node(printer, input->extent[1], TIGHT_CONDITIONAL);
    }
    fputc(']', out);
    if (input->alphabet) {
        fprintf(out, " in \"%s\"", input->alphabet);
    }
    print_range(printer, &input->range);
    fputs(input->is_optional ? " optional\n" : "\n", out);
}

/* In the order of the file, in which names come before their use. */
static void print_declarations(const pdp_printer *printer) {
    const pdp_recurrence *recurrence = printer->recurrence;
    uint32_t p = 0;
    uint32_t n = 0;
    while (p < recurrence->param_count || n < recurrence->input_count) {
        const pdp_place *param = &recurrence->params[p < recurrence->param_count ? p : 0].place;
        const pdp_place *input = &recurrence->inputs[n < recurrence->input_count ? n : 0].place;
        bool is_param = n == recurrence->input_count ||
                        (p < recurrence->param_count &&
                         (param->line < input->line || (param->line == input->line && param->column < input->column)));
        if (is_param) {
            print_param(printer, &recurrence->params[p++]);
        } else {
            print_input(printer, &recurrence->inputs[n++]);
        }
    }
}

static void print_type(const pdp_printer *printer) {
    static const char *const types[] = {"", "i32", "i64", "f32", "f64", "bits", "mod "};
    const pdp_recurrence *recurrence = printer->recurrence;
    if (recurrence->element != PDP_ELEMENT_WHOLE) {
        fprintf(printer->out, "  type    %s%s\n", types[recurrence->element],
                recurrence->element == PDP_ELEMENT_MOD ? recurrence->params[recurrence->modulus_param].name : "");
    }
}

static void print_combine(const pdp_printer *printer) {
    const pdp_recurrence *recurrence = printer->recurrence;
    FILE *out = printer->out;
    fputs("  combine ", out);
    if (recurrence->combine_param != PDP_NO_NODE) {
        fputs(recurrence->params[recurrence->combine_param].name, out);
    } else if (recurrence->combine != PDP_OP_OWN) {
        fputs(pdp_op_name(recurrence->combine), out);
    } else {
        fputs("(x, y) ", out);
        print_node(printer, recurrence->combine_own, TIGHT_CONDITIONAL);
        if (recurrence->combine_identity != PDP_NO_NODE) {
            fputs(" identity ", out);
            print_node(printer, recurrence->combine_identity, TIGHT_CONDITIONAL);
        }
    }
    fputc('\n', out);
}

static void print_clauses(const pdp_printer *printer) {
    static const char *const reports[] = {"", "parens", "brackets", "tree", "items"};
    const pdp_recurrence *recurrence = printer->recurrence;
    FILE *out = printer->out;
    print_clause(printer, "size", recurrence->size);
    if (recurrence->preset_count != PDP_NO_NODE) {
        fputs("  preset  ", out);
        print_node(printer, recurrence->preset_count, TIGHT_OR);
        fputs(" : ", out);
        print_node(printer, recurrence->preset_value, TIGHT_CONDITIONAL);
        fputc('\n', out);
    }
    fputs(recurrence->missing_skip ? "  missing skip\n" : "", out);
    print_clause(printer, "offset", recurrence->offset);
    print_clause(printer, "source", recurrence->source);
    print_clause(printer, "empty", recurrence->empty);
    print_clause(printer, "leaf", recurrence->leaf);
    print_clause(printer, "term", recurrence->term);
    for (uint32_t o = 0; o < recurrence->option_count; o++) {
        print_clause(printer, "option", recurrence->options[o].value);
        print_clause(printer, "    if", recurrence->options[o].condition);
    }
    print_clause(printer, "finish", recurrence->finish);
    print_combine(printer);
    fputs(recurrence->monotone ? "  monotone\n" : "", out);
    if (recurrence->report != PDP_REPORT_NONE) {
        bool has_input = recurrence->report_input != PDP_NO_NODE;
        fprintf(out, "  report  %s%s%s\n", reports[recurrence->report], has_input ? " " : "",
                has_input ? recurrence->inputs[recurrence->report_input].name : "");
    }
}

char *pdp_recurrence_print(const pdp_recurrence *recurrence) {
    char *text = NULL;
    size_t size = 0;
    if (!recurrence || recurrence->error.status != PDP_OK) {
        return NULL;
    }
    pdp_printer printer = {.out = open_memstream(&text, &size), .recurrence = recurrence};
    if (!printer.out) {
        return NULL;
    }
    locale_t numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* a point is a point everywhere */
    locale_t before = uselocale(numbers);
    name_variables(&printer);
    fprintf(printer.out, "%s %s\n", recurrence->shape == PDP_INTERVAL ? "interval" : "linear", recurrence->name);
    print_type(&printer);
    print_declarations(&printer);
    print_clauses(&printer);
    uselocale(before);
    if (numbers) {
        freelocale(numbers);
    }
    bool is_whole = !ferror(printer.out);
    if (fclose(printer.out) != 0 || !is_whole) {
        free(text);
        return NULL;
    }
    return text;
}
