/* The decisions in the words of the recurrence's `report` clause. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "solution/solution.h"

/* A part of an interval problem that is still to be written; `j` is 0 for a bracket to close. */
typedef struct pending {
    size_t i;
    size_t j;
    size_t depth; /* of a tree */
    unsigned bit; /* of a parse */
} pending;

/* ---- Items ---- */

/* "3 x 50 + 1 x 20": how often each offset was taken, in the order given. */
static void write_items(const pdp_solution *solution, const size_t *counts, FILE *out) {
    const pdp_problem *problem = solution->problem;
    const uint32_t shown = problem->recurrence->report_input;
    const pdp_bound_input *input = shown == PDP_NO_NODE ? NULL : &problem->inputs[shown];
    const char *between = "";
    for (size_t item = 0; item < problem->offset_count; item++) {
        if (counts[item] == 0) {
            continue;
        }
        fprintf(out, "%s%zu x ", between, counts[item]);
        if (!input) {
            fprintf(out, "%zu", problem->offsets[item]);
        } else if (input->whole) {
            fprintf(out, "%" PRId64, input->whole[item]);
        } else {
            fprintf(out, "%.10g", input->real[item]);
        }
        between = " + ";
    }
}

static bool report_items(const pdp_solution *solution, FILE *out) {
    pdp_error error;
    size_t *counts = pdp_array_allocate(solution->problem->offset_count, sizeof *counts, &error);
    for (size_t x = 0; counts && x < solution->decision_count; x++) {
        counts[solution->decisions[x].k]++;
    }
    if (counts) {
        write_items(solution, counts, out);
    }
    free(counts);
    return counts != NULL;
}

/* ---- Brackets ---- */

/* A pair of brackets around what an option takes in, a dot for every other item. */
static bool report_brackets(const pdp_solution *solution, FILE *out) {
    pdp_error error;
    char *text = pdp_array_allocate(solution->n, 1, &error);
    if (text) {
        memset(text, '.', solution->n);
        for (size_t x = 0; x < solution->decision_count; x++) {
            const pdp_decision *decision = &solution->decisions[x];
            if (decision->kind == PDP_OPTION) {
                text[decision->i] = '(';
                text[decision->j - 1] = ')';
            }
        }
        fwrite(text, 1, solution->n, out);
    }
    free(text);
    return text != NULL;
}

/* ---- Trees of decisions ---- */

/* What the points stand for shows in their number: as many as the items of the first input, they are those items, and
 * a split is a triangle of three; two more, and the inner ones are the items. */
typedef enum point_kind { PLAIN_POINTS, CORNERS, KEYS } point_kind;

static point_kind find_point_kind(const pdp_solution *solution) {
    const size_t points = solution->n + 1;
    const size_t items = solution->problem->recurrence->input_count > 0 && solution->problem->has_input[0]
                             ? (size_t)solution->problem->inputs[0].extent[0]
                             : 0;
    return points == items ? CORNERS : points == items + 2 ? KEYS : PLAIN_POINTS;
}

static void write_decision(const pdp_decision *decision, point_kind points, size_t depth, FILE *out) {
    enum { MOST_INDENTED = 40 }; /* a path of a million nodes is no triangle of blanks */
    const int indent = (int)(2 * (depth < MOST_INDENTED ? depth : MOST_INDENTED));
    if (decision->kind == PDP_OPTION) {
        fprintf(out, "%*soption %zu of %zu..%zu", indent, "", decision->k, decision->i, decision->j);
    } else if (points == CORNERS) {
        fprintf(out, "triangle %zu %zu %zu", decision->i, decision->k, decision->j);
    } else if (points == KEYS) {
        fprintf(out, "%*skey %zu of %zu..%zu", indent, "", decision->k - 1, decision->i, decision->j - 2);
    } else {
        fprintf(out, "%*ssplit %zu..%zu at %zu", indent, "", decision->i, decision->j, decision->k);
    }
}

/* A line for each decision, those of a part below it. */
static bool report_decisions(const pdp_solution *solution, FILE *out) {
    const point_kind points = find_point_kind(solution);
    pdp_error error;
    pending *stack = pdp_array_allocate(solution->n + 1, sizeof *stack, &error); /* a path of the tree waits */
    size_t top = 0;
    size_t at = 0;
    if (stack) {
        stack[top++] = (pending){.j = solution->n};
    }
    while (top > 0 && at < solution->decision_count) {
        const pending part = stack[--top];
        const pdp_decision *decision = &solution->decisions[at];
        if (decision->i != part.i || decision->j != part.j) { /* pre-order: this part has none */
            continue;
        }
        fputs(at++ > 0 ? "\n" : "", out);
        write_decision(decision, points, part.depth, out);
        if (decision->kind == PDP_OPTION) {
            stack[top++] = (pending){.i = part.i + 1, .j = part.j - 1, .depth = part.depth + 1};
        } else {
            stack[top++] = (pending){.i = decision->k, .j = part.j, .depth = part.depth + 1};
            stack[top++] = (pending){.i = part.i, .j = decision->k, .depth = part.depth + 1};
        }
    }
    free(stack);
    return stack != NULL;
}

/* ---- Parses ---- */

/* The value of M[i][j] if it had the one term of l and r. */
static uint64_t close_term(pdp_bindings *bindings, uint64_t l, uint64_t r) {
    const pdp_recurrence *recurrence = bindings->recurrence;
    const uint32_t steps[] = {recurrence->inner, recurrence->after, recurrence->finish};
    bindings->cells[PDP_CELL_LEFT] = (pdp_value){.whole = l};
    bindings->cells[PDP_CELL_RIGHT] = (pdp_value){.whole = r};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        if (steps[s] != PDP_NO_NODE) {
            bindings->cells[PDP_CELL_BEST] = pdp_interpret_element(bindings, steps[s]);
        }
    }
    return (uint64_t)bindings->cells[PDP_CELL_BEST].whole;
}

/* The first element of `set` that alone, on the left or on the right of `other`, makes the term have the bit; 64 if
 * there is none. */
static unsigned find_element(pdp_bindings *bindings, uint64_t set, uint64_t other, bool is_left, unsigned bit) {
    for (unsigned x = 0; x < 64; x++) {
        const uint64_t one = UINT64_C(1) << x;
        if ((set & one) != 0 && (close_term(bindings, is_left ? one : other, is_left ? other : one) >> bit & 1) != 0) {
            return x;
        }
    }
    return 64;
}

/* The smallest k at which the bit of M[i][j] comes from one bit of each of M[i][k] and M[k][j]. 0 if there is none. */
static size_t find_split(const pdp_solution *solution, const pending *part, unsigned bits[2]) {
    pdp_bindings bindings = pdp_problem_bindings(solution->problem);
    bindings.i = (int64_t)part->i;
    bindings.j = (int64_t)part->j;
    for (size_t k = part->i + 1; k < part->j; k++) {
        const uint64_t l = (uint64_t)pdp_solution_cell(solution, part->i, k).whole;
        const uint64_t r = (uint64_t)pdp_solution_cell(solution, k, part->j).whole;
        bindings.k = (int64_t)k;
        if ((close_term(&bindings, l, r) >> part->bit & 1) == 0) {
            continue;
        }
        bits[0] = find_element(&bindings, l, r, true, part->bit);
        bits[1] = bits[0] < 64 ? find_element(&bindings, r, UINT64_C(1) << bits[0], false, part->bit) : 64;
        if (bits[1] < 64) {
            return k;
        }
    }
    return 0;
}

/* The text that is parsed: the first with a letter for each place. */
static uint32_t find_text(const pdp_solution *solution) {
    const pdp_problem *problem = solution->problem;
    for (uint32_t x = 0; x < problem->recurrence->input_count; x++) {
        if (problem->recurrence->inputs[x].alphabet && problem->has_input[x] &&
            (size_t)problem->inputs[x].extent[0] == solution->n) {
            return x;
        }
    }
    return PDP_NO_NODE;
}

static void write_leaf(const pdp_solution *solution, uint32_t text, const pending *part, FILE *out) {
    const pdp_problem *problem = solution->problem;
    if (text != PDP_NO_NODE && part->j == part->i + 1) {
        const char *alphabet = problem->recurrence->inputs[text].alphabet;
        fprintf(out, "(A%u '%c')", part->bit, alphabet[problem->inputs[text].whole[part->i]]);
    } else {
        fprintf(out, "(A%u %zu..%zu)", part->bit, part->i, part->j);
    }
}

/* A cell is a set of 64, of which the recurrence keeps no decisions: "(A0 (A1 'b') (A2 'a'))" for the first element of
 * the last cell, each element with the two it comes from. */
static bool report_parse(const pdp_solution *solution, FILE *out) {
    const uint32_t text = find_text(solution);
    pdp_error error;
    /* A path of the tree, with its brackets. */
    pending *stack = pdp_array_allocate(2 * solution->n + 1, sizeof *stack, &error);
    size_t top = 0;
    bool is_first = true;
    if (stack) {
        stack[top++] = (pending){.j = solution->n, .bit = (unsigned)__builtin_ctzll((uint64_t)solution->value.whole)};
    }
    while (top > 0) {
        const pending part = stack[--top];
        unsigned bits[2];
        if (part.j == 0) {
            fputc(')', out);
            continue;
        }
        fputs(is_first ? "" : " ", out);
        is_first = false;
        const size_t k = find_split(solution, &part, bits);
        if (k == 0) {
            write_leaf(solution, text, &part, out);
            continue;
        }
        fprintf(out, "(A%u", part.bit);
        stack[top++] = (pending){.j = 0};
        stack[top++] = (pending){.i = k, .j = part.j, .bit = bits[1]};
        stack[top++] = (pending){.i = part.i, .j = k, .bit = bits[0]};
    }
    free(stack);
    return stack != NULL;
}

/* ---- All of them ---- */

typedef bool report_function(const pdp_solution *solution, FILE *out);

static report_function *choose_report(const pdp_solution *solution) {
    const pdp_report_kind kind = solution->problem->recurrence->report;
    const bool has_cells = solution->table || solution->tiles.cells;
    if (solution->problem->element == PDP_ELEMENT_BITS) {
        const bool has_parse = solution->shape == PDP_INTERVAL && solution->problem->combine == PDP_OP_OR && has_cells;
        return kind == PDP_REPORT_TREE && has_parse ? report_parse : NULL;
    }
    if (!solution->decisions) {
        return NULL;
    }
    if (solution->shape == PDP_LINEAR) {
        return kind == PDP_REPORT_ITEMS ? report_items : NULL;
    }
    return kind == PDP_REPORT_BRACKETS                            ? report_brackets
           : kind == PDP_REPORT_PARENS || kind == PDP_REPORT_TREE ? report_decisions
                                                                  : NULL;
}

char *pdp_solution_report(const pdp_solution *solution) {
    if (!pdp_solution_feasible(solution)) {
        return NULL;
    }
    if (solution->problem->recurrence->report == PDP_REPORT_PARENS) {
        char *order = pdp_solution_order(solution);
        if (order) { /* NULL also when there are options among the decisions, which brackets alone do not show */
            return order;
        }
    }
    report_function *report = choose_report(solution);
    char *text = NULL;
    size_t length = 0;
    FILE *out = report ? open_memstream(&text, &length) : NULL;
    if (!out) {
        return NULL;
    }
    const bool is_written = report(solution, out);
    if (is_written && ftell(out) == 0) {
        fputs("nothing", out);
    }
    if (fclose(out) != 0 || !is_written) {
        free(text);
        return NULL;
    }
    return text;
}

const char *pdp_recurrence_report(const pdp_recurrence *recurrence) {
    static const char *const names[] = {"", "parens", "brackets", "tree", "items"};
    return recurrence && recurrence->error.status == PDP_OK ? names[recurrence->report] : "";
}

size_t pdp_problem_size(const pdp_problem *problem) {
    const bool is_good = problem && problem->is_checked && problem->error.status == PDP_OK;
    return is_good ? problem->n + (problem->shape == PDP_INTERVAL ? 1 : 0) : 0;
}
