/* Figures 3, 4 and 7 as a picture: a band for each step with the array ST as a row of boxes. A box fills up with
 * the terms that its cell has got; arcs lead from the operands to the cell, badges name the threads. */
#include <inttypes.h>

#include "svg.h"
#include "trace_picture.h"

enum { HEADER = 104, WORDS_MAX_OPERATIONS = 18, COMPACT_FROM = 61 };

/* ---- Measures ---- */

static double wider(double a, double b) {
    return a > b ? a : b;
}

static void measure_arcs(picture *p) {
    double longest = 0;
    for (size_t i = 0; i < p->run->operation_count; i++) {
        const pdp_operation *operation = &p->run->operations[i];
        const double to = picture_slot_x(p, trace_slot(p->run, operation->target));
        for (size_t side = 0; side < 2; side++) {
            if (operation->operand[side] != PDP_NO_OPERAND) {
                const double from = picture_slot_x(p, trace_slot(p->run, operation->operand[side]));
                const double distance = from < to ? to - from : from - to;
                longest = distance > longest ? distance : longest;
            }
        }
    }
    p->arc_scale = wider(6 * p->cell, longest / 3);
    p->arcs = picture_arc_height(p, longest + p->cell / 2) + 12;
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
            width += trace_text_width(pieces[k].text) + (pieces[k].hazard || pieces[k].conflict);
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
    const uint64_t last = r == 0 ? 0 : run->steps[r - 1].number;
    const uint64_t next = r < run->step_count ? run->steps[r].number : run->record->steps + 1;
    return next > last + 1 ? next - last - 1 : 0;
}

static uint64_t count_conflicts(const pdp_record *record) {
    uint64_t conflicts = 0;
    for (uint32_t s = 0; s < record->substeps; s++) {
        conflicts += record->conflicts[s];
    }
    return conflicts;
}

/* What the title and the legend take, in fonts of ordinary width. */
static double measure_header(const trace *run) {
    char title[TRACE_TITLE_SIZE];
    trace_title(run, title);
    const double title_width = 10.2 * (double)trace_text_width(title);
    const double legend_width =
        500 + (run->record->hazards > 0 ? 190 : 0) + (count_conflicts(run->record) > 0 ? 240 : 0);
    return PICTURE_MARGIN + wider(title_width, legend_width);
}

static void measure(picture *p) {
    const trace *run = p->run;
    p->is_compact = p->progress.slots >= COMPACT_FROM;
    p->cell = p->is_compact ? 24 : 34;
    p->box = p->is_compact ? 22 : 28;
    p->arc_limit = p->is_compact ? 60 : 40;
    p->badge = p->is_compact ? 12 : 15;
    p->left = PICTURE_MARGIN + 76;
    measure_arcs(p);
    p->band = p->arcs + p->box + p->badge + 9;
    p->words = picture_slot_x(p, p->progress.slots) + 20;
    p->right = picture_slot_x(p, p->progress.slots);
    measure_words(p);
    p->right = wider(p->right, measure_header(run));
    p->bottom = HEADER;
    for (size_t r = 0; r <= run->step_count; r++) {
        p->bottom += idle_before(run, r) > 0 ? PICTURE_LINE * 2 : 0;
        p->bottom += r < run->step_count ? p->band : 0;
    }
    p->bottom += run->step_count == 0 ? p->band : 0;
}

/* ---- Header ---- */

static double draw_legend_box(const picture *p, double x, double y, double level, const char *fill, const char *label) {
    const double height = 15 * level;
    fprintf(p->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"%.1f\" fill=\"%s\"/>"
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"15\" fill=\"none\" stroke=\"%s\"/>\n",
            x, y + 4 - height, height, fill, x, y - 11, SVG_LINE);
    svg_text(p->out, x + 24, y, "", "%s", label);
    return x + 40 + 6.6 * (double)trace_text_width(label);
}

static void draw_legend(const picture *p, double y) {
    const pdp_record *record = p->run->record;
    double x = PICTURE_MARGIN;
    fprintf(p->out, "<g font-size=\"12\">\n");
    x = draw_legend_box(p, x, y, 1, SVG_FINAL, "final");
    x = draw_legend_box(p, x, y, 0.5, SVG_BEGUN, "begun");
    x = draw_legend_box(p, x, y, 0, "white", "untouched");
    x = draw_legend_box(p, x, y, 0.5, "#9fbadb", "added in this step");
    svg_badge(p->out, x + 8, y - 4, 15, svg_colour(0), "1");
    svg_text(p->out, x + 22, y, "", "thread 1");
    x += 92;
    if (record->hazards > 0) {
        picture_draw_hazard(p->out, x + 7, y - 5);
        svg_text(p->out, x + 20, y, "", "hazard: read, but not final");
        x += 200;
    }
    if (count_conflicts(record) > 0) {
        picture_draw_conflict(p->out, x + 7, y - 4.5);
        svg_text(p->out, x + 20, y, "", "conflict: several threads on one cell");
    }
    fputs("</g>\n", p->out);
}

static void draw_header(const picture *p) {
    const trace *run = p->run;
    const pdp_record *record = run->record;
    char title[TRACE_TITLE_SIZE];
    trace_title(run, title);
    svg_text(p->out, PICTURE_MARGIN, 38, "font-size=\"17\" font-weight=\"bold\"", "%s", title);
    svg_text(p->out, PICTURE_MARGIN, 59, "font-size=\"12\" fill=\"" SVG_MUTED "\"",
             "steps: %" PRIu64 "; operations: %" PRIu64 "; threads at once: %" PRIu32 "%s", record->steps,
             record->operations, record->threads, run->guaranteed ? "" : "; kept for study: the result may be wrong");
    draw_legend(p, 86);
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
        svg_text(p->out, picture_slot_centre(p, slot), p->is_compact ? 12 : 16, "", "%s", label);
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
    const uint64_t first = r == 0 ? 1 : p->run->steps[r - 1].number + 1;
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
    picture p = {.out = out, .run = run};
    if (!trace_progress_begin(&p.progress, run)) {
        return; /* beyond TRACE_SVG_MAX_CELLS, which the caller has refused */
    }
    measure(&p);
    svg_begin(out, p.right + PICTURE_MARGIN, p.bottom + PICTURE_MARGIN);
    draw_header(&p);
    define_row(&p);
    double y = HEADER;
    if (run->step_count == 0) {
        picture_fill_boxes(&p, y + p.arcs);
        fprintf(out, "<use xlink:href=\"#row\" y=\"%.1f\"/>\n", y + p.arcs);
        svg_text(out, PICTURE_MARGIN, y + 14, "font-size=\"12\"", "Every cell is preset: there is nothing to do.");
    }
    for (size_t r = 0; r < run->step_count; r++) {
        const trace_step *step = &run->steps[r];
        y = draw_idle(&p, r, y);
        draw_separator(&p, y);
        picture_draw_band(&p, step, y);
        trace_progress_advance(&p.progress, run, step);
        y += p.band;
    }
    draw_idle(&p, run->step_count, y);
    svg_end(out);
}
