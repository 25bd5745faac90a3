/* Figures 5 and 6: the triangular table of a matrix chain with its linear numbers, and the operands of a cell. */
#include <inttypes.h>
#include <string.h>

#include "json.h"
#include "svg.h"
#include "text_measure.h"
#include "trace.h"

enum { CELL = 44, MARGIN = 28, TABLE_LEFT = 66, TABLE_TOP = 92, LINE = 18 };

/* The chosen cell, of matrices row .. column. Its term j (from 1) takes (row, row+j-1) and (row+j, column). */
typedef struct choice {
    size_t n;
    size_t cell; /* 0: none */
    size_t row;
    size_t column;
    size_t terms;
} choice;

static uint64_t left_operand(const choice *c, size_t term) {
    return pdp_mcm_cell_number(c->n, c->row, c->row + term - 1);
}

static uint64_t right_operand(const choice *c, size_t term) {
    return pdp_mcm_cell_number(c->n, c->row + term, c->column);
}

static choice find_cell(size_t n, size_t cell) {
    choice c = {.n = n, .cell = cell};
    for (size_t row = 1; row <= n && cell > 0; row++) {
        for (size_t column = row; column <= n; column++) {
            if (pdp_mcm_cell_number(n, row, column) == cell) {
                c.row = row;
                c.column = column;
                c.terms = column - row;
            }
        }
    }
    return c;
}

/* The term that has the cell as an operand, from 1; 0 if none has. */
static size_t term_of(const choice *c, size_t row, size_t column) {
    if (c->cell == 0 || (row == c->row && column == c->column)) {
        return 0;
    }
    if (row == c->row && column < c->column) {
        return column - row + 1;
    }
    return column == c->column && row > c->row ? row - c->row : 0;
}

/* a, b, ..., z, aa, ab, ...: both operands of a term bear its name. */
static const char *term_name(size_t term, char name[3]) {
    const size_t index = term - 1;
    const size_t first = index / 26;
    name[0] = (char)(first > 0 ? 'a' + (int)first - 1 : 'a' + (int)index);
    name[1] = (char)(first > 0 ? 'a' + (int)(index % 26) : '\0');
    name[2] = '\0';
    return name;
}

static void write_term(FILE *out, const choice *c, size_t term) {
    fprintf(out, "f(ST[%" PRIu64 "],ST[%" PRIu64 "])", left_operand(c, term), right_operand(c, term));
}

/* ---- Text ---- */

/* A cell in a column of `width`: its number and the name of its term, or brackets for the chosen one. */
static void write_text_cell(FILE *out, const choice *c, size_t row, size_t column, int width, bool colour) {
    const size_t term = term_of(c, row, column);
    const bool is_chosen = c->cell > 0 && row == c->row && column == c->column;
    char text[32];
    char name[3] = "";
    if (term > 0) {
        term_name(term, name);
    }
    snprintf(text, sizeof text, "%s%" PRIu64 "%s", is_chosen ? "[" : "", pdp_mcm_cell_number(c->n, row, column),
             is_chosen ? "]" : name);
    /* What follows the number is hung into the gap after it, so that the numbers stay aligned. */
    const int tail = is_chosen ? 1 : (int)strlen(name);
    const int room = c->cell == 0 ? 0 : c->terms > 26 ? 2 : 1;
    const char *shade = is_chosen ? "\033[1;7m" : term > 0 ? "\033[1;36m" : NULL;
    fprintf(out, "%*s", width - (int)strlen(text) - (room - tail), "");
    fprintf(out, "%s%s%s%*s", colour && shade ? shade : "", text, colour && shade ? "\033[0m" : "",
            column < c->n ? room - tail : 0, "");
}

static void write_text(const choice *c, FILE *out, bool colour) {
    const size_t n = c->n;
    const int room = c->cell == 0 ? 0 : c->terms > 26 ? 3 : 2; /* for brackets and names */
    const int width = text_digits(n * (n + 1) / 2) + 2 + room;
    const int label = text_digits(n) + 4;
    fprintf(out, "%*s", label, "");
    for (size_t column = 1; column <= n; column++) {
        fprintf(out, "%*zu%*s", width - (room > 0 ? room - 1 : 0), column, room > 0 && column < n ? room - 1 : 0, "");
    }
    fputc('\n', out);
    for (size_t row = 1; row <= n; row++) {
        fprintf(out, "%*zu%*s", label, row, (int)(row - 1) * width, "");
        for (size_t column = row; column <= n; column++) {
            write_text_cell(out, c, row, column, width, colour);
        }
        fputc('\n', out);
    }
    if (c->cell == 0) {
        return;
    }
    fprintf(out, "\nST[%zu]", c->cell);
    for (size_t term = 1; term <= c->terms; term++) {
        fputs(term == 1 ? " = " : " ↓ ", out);
        write_term(out, c, term);
    }
    fputs(c->terms == 0 ? " is preset: it has no operands.\n" : "\n", out);
}

/* ---- Picture ---- */

static void draw_cell(FILE *out, const choice *c, size_t row, size_t column) {
    const size_t term = term_of(c, row, column);
    const bool is_chosen = c->cell > 0 && row == c->row && column == c->column;
    const double x = (double)(TABLE_LEFT + CELL * (column - 1));
    const double y = (double)(TABLE_TOP + CELL * (row - 1));
    /* Without a chosen cell the shades tell the diagonals apart; the presets are always shaded as final. */
    const bool is_odd = (column - row) % 2 == 1;
    const bool is_shaded = c->cell == 0 && !is_odd;
    const char *plain = term > 0 ? "white" : row == column ? SVG_FINAL : is_shaded ? SVG_BEGUN : "white";
    const char *fill = is_chosen ? SVG_INK : plain;
    fprintf(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"%s\"/>\n", x, y, CELL,
            CELL, fill, SVG_LINE);
    if (term > 0) {
        char name[3];
        const char *shade = svg_colour(term - 1);
        fprintf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"%s\" fill-opacity=\"0.18\" "
                "stroke=\"%s\" stroke-width=\"2.5\"/>\n",
                x + 2, y + 2, CELL - 4, CELL - 4, shade, shade);
        svg_badge(out, x + CELL - 10, y + 10, 14, shade, term_name(term, name));
    }
    svg_text(out, x + CELL / 2.0 - (term > 0 ? 3 : 0), y + CELL / 2.0 + (term > 0 ? 8 : 5.5),
             is_chosen ? "fill=\"white\" font-weight=\"bold\"" : "", "%" PRIu64,
             pdp_mcm_cell_number(c->n, row, column));
}

/* A term of the formula with its badge; all of them are as wide as the widest, so that they stand in columns. */
static double term_width(size_t n) {
    return 7.9 * (double)(14 + 2 * text_digits(n * (n + 1) / 2)) + 24;
}

/* The formula, its terms in the colours of the table, broken where the line is full. Without a stream it is
 * only measured. Returns the y of the last line. */
static double draw_formula(FILE *out, const choice *c, double y, double width) {
    const double left = MARGIN + 7.9 * (double)(text_digits(c->cell) + 8);
    double x = left;
    if (out) {
        svg_text(out, MARGIN, y, "font-family=\"monospace\" font-size=\"13\" font-weight=\"bold\"",
                 c->terms == 0 ? "ST[%zu] is preset: it has no operands." : "ST[%zu] =", c->cell);
    }
    for (size_t term = 1; term <= c->terms; term++) {
        if (term > 1 && x + term_width(c->n) > width - MARGIN + 24) {
            x = left;
            y += LINE;
        }
        if (out) {
            char name[3];
            svg_badge(out, x + 4, y - 4.5, 13, svg_colour(term - 1), term_name(term, name));
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-family=\"monospace\" font-size=\"13\">", x + 15, y);
            write_term(out, c, term);
            fputs(term < c->terms ? " ↓</text>\n" : "</text>\n", out);
        }
        x += term_width(c->n);
    }
    return y;
}

static void draw(const choice *c, FILE *out) {
    const size_t n = c->n;
    const double side = (double)(n * CELL);
    const double least_width = c->terms > 0 ? 720 : 420; /* room for three terms */
    const double width = TABLE_LEFT + side + MARGIN < least_width ? least_width : TABLE_LEFT + side + MARGIN;
    const double below = TABLE_TOP + side + 34;
    const double bottom = c->cell > 0 ? draw_formula(NULL, c, below, width) + 6 : TABLE_TOP + side;
    svg_begin(out, width, bottom + MARGIN);
    svg_text(out, MARGIN, 38, "font-size=\"17\" font-weight=\"bold\"", "Matrix chain: the table of %zu matri%s", n,
             n == 1 ? "x" : "ces");
    fprintf(out, "<g font-size=\"12\" fill=\"%s\" text-anchor=\"middle\">\n", SVG_MUTED);
    for (size_t i = 1; i <= n; i++) {
        const double centre = (double)(CELL * i) - CELL / 2.0;
        svg_text(out, TABLE_LEFT + centre, TABLE_TOP - 9, "", "%zu", i);
        svg_text(out, TABLE_LEFT - 14, TABLE_TOP + centre + 4, "", "%zu", i);
    }
    svg_text(out, TABLE_LEFT, TABLE_TOP - 26, "text-anchor=\"start\" font-style=\"italic\"", "column");
    svg_text(out, TABLE_LEFT - 27, TABLE_TOP - 9, "text-anchor=\"end\" font-style=\"italic\"", "row");
    fputs("</g>\n<g font-size=\"15\" text-anchor=\"middle\">\n", out);
    for (size_t row = 1; row <= n; row++) {
        for (size_t column = row; column <= n; column++) {
            draw_cell(out, c, row, column);
        }
    }
    fputs("</g>\n", out);
    if (c->cell > 0) {
        draw_formula(out, c, below, width);
    }
    svg_end(out);
}

/* ---- JSON ---- */

static void write_json(const choice *c, FILE *out) {
    json writer;
    json_begin(&writer, out);
    json_open_object(&writer, NULL);
    json_put_unsigned(&writer, "n", c->n);
    json_open_array(&writer, "cells"); /* in the order of their numbers: diagonal by diagonal */
    for (size_t d = 0; d < c->n; d++) {
        for (size_t row = 1; row + d <= c->n; row++) {
            json_open_object(&writer, NULL);
            json_put_unsigned(&writer, "number", pdp_mcm_cell_number(c->n, row, row + d));
            json_put_unsigned(&writer, "row", row);
            json_put_unsigned(&writer, "column", row + d);
            json_close_object(&writer);
        }
    }
    json_close_array(&writer);
    if (c->cell > 0) {
        json_put_unsigned(&writer, "cell", c->cell);
        json_open_array(&writer, "terms");
        for (size_t term = 1; term <= c->terms; term++) {
            json_open_object(&writer, NULL);
            json_put_unsigned(&writer, "left", left_operand(c, term));
            json_put_unsigned(&writer, "right", right_operand(c, term));
            json_close_object(&writer);
        }
        json_close_array(&writer);
    }
    json_close_object(&writer);
    json_end(&writer);
}

void layout_write(size_t n, size_t cell, layout_format format, FILE *out, bool colour) {
    const choice c = find_cell(n, cell);
    switch (format) {
    case LAYOUT_TEXT: write_text(&c, out, colour); break;
    case LAYOUT_SVG: draw(&c, out); break;
    case LAYOUT_JSON: write_json(&c, out); break;
    }
}
