/* Figures 3, 4 and 7 as a picture: a band for each step with the array ST as a row of boxes. A box fills up with
 * the terms that its cell has got; arcs lead from the operands to the cell, badges name the threads. */
#include <inttypes.h>

#include "svg.h"
#include "text_measure.h"
#include "trace_picture.h"

enum { HEADER_LINE = 20, WORDS_MAX_OPERATIONS = 18, COMPACT_FROM = 61 };

/* ---- Measures ---- */

static double wider(double a, double b) {
    return a > b ? a : b;
}

static void measure_arcs(picture *p) {
    for (size_t i = 0; i < p->run->operation_count; i++) {
        const pdp_operation *operation = &p->run->operations[i];
        const double to = picture_slot_x(p, trace_slot(p->run, operation->target));
        for (size_t side = 0; side < 2; side++) {
            if (operation->operand[side] != PDP_NO_OPERAND) {
                const double from = picture_slot_x(p, trace_slot(p->run, operation->operand[side]));
                p->longest_arc = wider(p->longest_arc, from < to ? to - from : from - to);
            }
        }
        p->has_pairs =
            p->has_pairs || (operation->operand[0] != PDP_NO_OPERAND && operation->operand[1] != PDP_NO_OPERAND);
    }
    p->arc_limit = wider(36, p->longest_arc * 0.08);
    p->arcs = p->arc_limit + 14;
}

static void measure_words(picture *p) {
    const trace *run = p->run;
    size_t most_operations = 0;
    for (size_t r = 0; r < run->step_count; r++) {
        most_operations = run->steps[r].count > most_operations ? run->steps[r].count : most_operations;
    }
    size_t widest = 0;
    for (size_t i = 0; i < run->operation_count; i++) {
        trace_piece pieces[TRACE_MAX_PIECES];
        const size_t count = trace_describe(run, &run->operations[i], pieces);
        size_t width = 3;
        for (size_t k = 0; k < count; k++) {
            width += text_columns(pieces[k].text) + (pieces[k].hazard || pieces[k].conflict);
        }
        widest = width > widest ? width : widest;
    }
    if (most_operations == 0 || most_operations > WORDS_MAX_OPERATIONS) {
        return;
    }
    p->words_lines = (size_t)(p->band / PICTURE_LINE);
    p->words_width = (double)widest * 6.7;
    const size_t columns = (most_operations + p->words_lines - 1) / p->words_lines;
    p->right += 20 + p->words_width * (double)columns;
}

/* Steps in which nobody works before step r, or at the end for r = step_count. */
static uint64_t idle_before(const trace *run, size_t r) {
    const uint64_t last = r == 0 ? run->first_step - 1 : run->steps[r - 1].number;
    const uint64_t next = r < run->step_count ? run->steps[r].number : run->last_step + 1;
    return next > last + 1 ? next - last - 1 : 0;
}

static bool has_second_legend(const picture *p) {
    return p->has_pairs || (p->flags & (TRACE_HAZARD | TRACE_CONFLICT)) != 0;
}

/* What the title and the legend take, in fonts of ordinary width. */
static double measure_header(const picture *p) {
    char text[TRACE_TITLE_SIZE];
    trace_title(p->run, text);
    const double title_width = 10.2 * (double)text_columns(text);
    trace_initial_values(p->run, text);
    const double values_width = 7 * (double)text_columns(text);
    const double marks_width = (p->has_pairs ? 250 : 0) + ((p->flags & TRACE_HAZARD) != 0 ? 200 : 0) +
                               ((p->flags & TRACE_CONFLICT) != 0 ? 240 : 0);
    return PICTURE_MARGIN + wider(wider(title_width, values_width), wider(marks_width, 660));
}

static void measure(picture *p) {
    const trace *run = p->run;
    p->is_compact = p->progress.slots >= COMPACT_FROM;
    p->cell = p->is_compact ? 24 : 34;
    p->box = p->is_compact ? 24 : 30;
    p->badge = p->is_compact ? 12 : 15;
    p->left = PICTURE_MARGIN + 76;
    measure_arcs(p);
    p->band = p->arcs + p->box + p->badge + 11;
    p->words = picture_slot_x(p, p->progress.slots) + 20;
    p->right = picture_slot_x(p, p->progress.slots);
    measure_words(p);
    p->right = wider(p->right, measure_header(p));
    p->top = 104 + (run->kind == PDP_LINEAR ? HEADER_LINE : 0) + (has_second_legend(p) ? HEADER_LINE : 0);
    p->bottom = p->top;
    for (size_t r = 0; r <= run->step_count; r++) {
        p->bottom += idle_before(run, r) > 0 ? PICTURE_LINE * 2 : 0;
        p->bottom += r < run->step_count ? p->band : 0;
    }
    p->bottom += run->record->steps == 0 ? p->band : 0;
}

/* ---- Header ---- */

static double draw_legend_box(const picture *p, double x, double y, double level, const char *fill, const char *label) {
    const double height = 15 * level;
    fprintf(p->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"%.1f\" fill=\"%s\"/>"
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"15\" fill=\"none\" stroke=\"%s\"/>\n",
            x, y + 4 - height, height, fill, x, y - 11, SVG_LINE);
    svg_text(p->out, x + 24, y, "", "%s", label);
    return x + 40 + 6.6 * (double)text_columns(label);
}

static void draw_legend(const picture *p, double y) {
    double x = PICTURE_MARGIN;
    fprintf(p->out, "<g font-size=\"12\">\n");
    x = draw_legend_box(p, x, y, 1, SVG_FINAL, "final");
    x = draw_legend_box(p, x, y, 0.5, SVG_BEGUN, "begun");
    x = draw_legend_box(p, x, y, 0, "white", "untouched");
    x = draw_legend_box(p, x, y, 0.5, "#9fbadb", "added in this step");
    picture_draw_tick(p->out, x + 4, y - 4);
    svg_text(p->out, x + 14, y, "", "finished in this step");
    x += 156;
    svg_badge(p->out, x + 8, y - 4, 15, svg_colour(0), "1");
    svg_text(p->out, x + 22, y, "", "thread 1");
    fputs("</g>\n", p->out);
}

static double draw_legend_arc(const picture *p, double x, double y, const char *attributes, const char *label) {
    fprintf(p->out, "<path d=\"M%.1f %.1fh24\" stroke=\"%s\" stroke-width=\"1.3\" %s/>\n", x, y - 4, svg_colour(0),
            attributes);
    svg_text(p->out, x + 30, y, "", "%s", label);
    return x + 46 + 6.6 * (double)text_columns(label);
}

/* The second line of the legend: arcs and marks. */
static void draw_mark_legend(const picture *p, double y) {
    const bool is_sdp = p->run->kind == PDP_LINEAR;
    double x = PICTURE_MARGIN;
    fprintf(p->out, "<g font-size=\"12\">\n");
    if (p->has_pairs) {
        x = draw_legend_arc(p, x, y, "", is_sdp ? "first read" : "left operand");
        x = draw_legend_arc(p, x, y, PICTURE_SECOND_ARC, is_sdp ? "second read" : "right operand");
    }
    if ((p->flags & TRACE_HAZARD) != 0) {
        picture_draw_hazard(p->out, x + 7, y - 5);
        svg_text(p->out, x + 20, y, "", "hazard: read, but not final");
        x += 200;
    }
    if ((p->flags & TRACE_CONFLICT) != 0) {
        picture_draw_conflict(p->out, x + 7, y - 4.5);
        svg_text(p->out, x + 20, y, "", "conflict: several threads on one cell");
    }
    fputs("</g>\n", p->out);
}

static void draw_header(const picture *p) {
    static const char small[] = "font-size=\"12\" fill=\"" SVG_MUTED "\"";
    const trace *run = p->run;
    const pdp_record *record = run->record;
    char text[TRACE_TITLE_SIZE];
    double y = 59;
    trace_title(run, text);
    svg_text(p->out, PICTURE_MARGIN, 38, "font-size=\"17\" font-weight=\"bold\"", "%s", text);
    trace_initial_values(run, text);
    if (text[0] != '\0') {
        svg_text(p->out, PICTURE_MARGIN, y, small, "%s", text);
        y += HEADER_LINE;
    }
    if (run->last_step - run->first_step + 1 < record->steps) {
        snprintf(text, sizeof text, ", shown: %" PRIu64 "–%" PRIu64, run->first_step, run->last_step);
    } else {
        text[0] = '\0';
    }
    svg_text(p->out, PICTURE_MARGIN, y, small,
             "steps: %" PRIu64 "%s; operations: %" PRIu64 "; threads at once: %" PRIu32 "%s", record->steps, text,
             record->operations, record->threads, run->guaranteed ? "" : "; kept for study: the result may be wrong");
    draw_legend(p, y + 27);
    if (has_second_legend(p)) {
        draw_mark_legend(p, y + 27 + HEADER_LINE);
    }
}

/* The empty boxes with their numbers, which every band shows again. */
static void define_row(const picture *p) {
    fprintf(p->out, "<defs><g id=\"row\" fill=\"none\" stroke=\"%s\">\n", SVG_LINE);
    for (size_t slot = 0; slot < p->progress.slots; slot++) {
        fprintf(p->out, "<rect x=\"%.1f\" y=\"0\" width=\"%.0f\" height=\"%.0f\"%s/>\n", picture_slot_x(p, slot),
                p->cell, p->box, slot >= p->run->cells ? " stroke-dasharray=\"3 2\"" : "");
    }
    fprintf(p->out, "<g stroke=\"none\" fill=\"%s\" font-size=\"%s\" text-anchor=\"middle\">\n", SVG_INK,
            p->is_compact ? "9" : "12");
    for (size_t slot = 0; slot < p->progress.slots; slot++) {
        char label[16];
        trace_slot_label(p->run, slot, label);
        svg_text(p->out, picture_slot_centre(p, slot), p->is_compact ? 11 : 14.5, "", "%s", label);
    }
    fputs("</g></g></defs>\n", p->out);
}

static void draw_separator(const picture *p, double y) {
    fprintf(p->out, "<path d=\"M%d %.1fH%.1f\" stroke=\"%s\"/>\n", PICTURE_MARGIN, y, p->right, SVG_PALE_LINE);
}

static double draw_idle(const picture *p, size_t r, double y) {
    const uint64_t idle = idle_before(p->run, r);
    if (idle == 0) {
        return y;
    }
    draw_separator(p, y);
    const uint64_t first = r == 0 ? p->run->first_step : p->run->steps[r - 1].number + 1;
    if (idle == 1) {
        svg_text(p->out, PICTURE_MARGIN, y + 18, "font-weight=\"bold\" font-size=\"13\"", "Step %" PRIu64, first);
    } else {
        svg_text(p->out, PICTURE_MARGIN, y + 18, "font-weight=\"bold\" font-size=\"13\"", "Steps %" PRIu64 "–%" PRIu64,
                 first, first + idle - 1);
    }
    svg_text(p->out, p->left, y + 18, "font-style=\"italic\" font-size=\"12\" fill=\"" SVG_MUTED "\"",
             "idle: no thread works");
    return y + PICTURE_LINE * 2;
}

void trace_write_svg(const trace *run, FILE *out) {
    picture p = {.out = out, .run = run, .progress = run->start};
    p.flags = trace_flags(run->operations, run->operation_count);
    measure(&p);
    svg_begin(out, p.right + PICTURE_MARGIN, p.bottom + PICTURE_MARGIN);
    draw_header(&p);
    define_row(&p);
    double y = p.top;
    if (run->record->steps == 0) {
        picture_fill_boxes(&p, y + p.arcs);
        fprintf(out, "<use xlink:href=\"#row\" y=\"%.1f\"/>\n", y + p.arcs);
        svg_text(out, PICTURE_MARGIN, y + 14, "font-size=\"12\"", "Every cell is preset: there is nothing to do.");
    }
    for (size_t r = 0; r < run->step_count; r++) {
        const trace_step *step = &run->steps[r];
        y = draw_idle(&p, r, y);
        draw_separator(&p, y);
        picture_draw_band(&p, step, y);
        trace_progress_advance(&p.progress, run, run->operations + step->first, step->count);
        y += p.band;
    }
    draw_idle(&p, run->step_count, y);
    svg_end(out);
}
