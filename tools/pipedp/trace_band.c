/* One band of the picture: the boxes of ST, the arcs from the operands, the threads, and the same in words. */
#include <inttypes.h>

#include "svg.h"
#include "trace_picture.h"

enum { LABEL_EVERY = 40 };

void picture_draw_hazard(FILE *out, double x, double y) {
    fprintf(out,
            "<path d=\"M%.1f %.1fl6.5 11.5h-13z\" fill=\"%s\" stroke=\"white\"/><text x=\"%.1f\" y=\"%.1f\" "
            "font-size=\"8.5\" font-weight=\"bold\" fill=\"white\" text-anchor=\"middle\">!</text>\n",
            x, y - 7, SVG_HAZARD, x, y + 3.3);
}

void picture_draw_conflict(FILE *out, double x, double y) {
    fprintf(out, "<path d=\"M%.1f %.1fl6.5 6.5l-6.5 6.5l-6.5 -6.5z\" fill=\"%s\" stroke=\"white\"/>\n", x, y - 6.5,
            SVG_CONFLICT);
}

void picture_draw_tick(FILE *out, double x, double y) {
    fprintf(out,
            "<path class=\"tick\" d=\"M%.1f %.1fl2.5 2.7l4.7 -5.6\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n",
            x - 3.6, y + 0.4, SVG_INK);
}

/* ---- Boxes ---- */

static void fill_box(const picture *p, size_t slot, double y, double from, double to, const char *colour) {
    fprintf(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\" fill=\"%s\"/>\n",
            picture_slot_x(p, slot), y + p->box * (1 - to), p->cell, p->box * (to - from), colour);
}

/* What the cells hold before the step. Neighbours that are final are one rectangle: a long run has many. */
void picture_fill_boxes(const picture *p, double y) {
    const trace_progress *progress = &p->progress;
    for (size_t slot = 0; slot < progress->slots; slot++) {
        const uint32_t done = progress->done[slot];
        const uint32_t total = progress->total[slot];
        size_t end = slot;
        while (end < p->run->cells && progress->done[end] == progress->total[end]) {
            end++;
        }
        if (end > slot) {
            fprintf(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" fill=\"%s\"/>\n",
                    picture_slot_x(p, slot), y, p->cell * (double)(end - slot), p->box, SVG_FINAL);
            slot = end - 1;
        } else if (done > 0) {
            const double level = (double)done / total;
            fill_box(p, slot, y, 0, level, SVG_BEGUN);
            fprintf(p->out, "<path d=\"M%.1f %.1fh%.0f\" stroke=\"%s\"/>\n", picture_slot_x(p, slot),
                    y + p->box * (1 - level), p->cell, SVG_LINE);
        }
    }
}

typedef struct crowd {
    bool is_first; /* of the threads on its target */
    size_t count;
    uint32_t last_thread;
} crowd;

/* The threads of a step that share the target of its operation i. */
static crowd crowd_of(const pdp_operation *operations, size_t count, size_t i) {
    crowd c = {true, 0, 0};
    for (size_t k = 0; k < count; k++) {
        if (operations[k].target == operations[i].target) {
            c.is_first = c.is_first && k >= i;
            c.count++;
            c.last_thread = operations[k].thread;
        }
    }
    return c;
}

/* The terms that the step adds. */
static void fill_target(const picture *p, const pdp_operation *operation, const crowd *group, double y) {
    const size_t slot = trace_slot(p->run, operation->target);
    const bool is_cell = slot < p->run->cells;
    const double total = p->progress.total[slot];
    const double from = is_cell ? p->progress.done[slot] / total : 0;
    const double to = is_cell ? from + (double)group->count / total : 1;
    fputs("<g opacity=\"0.45\">", p->out);
    fill_box(p, slot, y, from, to, svg_colour(operation->thread - 1));
    fputs("</g>\n", p->out);
}

/* The frame of the box that is worked on, and who does. */
static void draw_thread(const picture *p, const pdp_operation *operation, const crowd *group, double y) {
    const char *colour = svg_colour(operation->thread - 1);
    const size_t slot = trace_slot(p->run, operation->target);
    char threads[32];
    const bool is_finished = slot < p->run->cells && p->progress.done[slot] + group->count == p->progress.total[slot];
    snprintf(threads, sizeof threads, group->count > 1 ? "%" PRIu32 "–%" PRIu32 : "%" PRIu32, operation->thread,
             group->last_thread);
    fprintf(p->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" fill=\"none\" stroke=\"%s\" "
            "stroke-width=\"%s\"/>\n",
            picture_slot_x(p, slot), y, p->cell, p->box, colour, is_finished ? "3" : "2");
    if (is_finished) {
        picture_draw_tick(p->out, picture_slot_centre(p, slot), y + p->box - (p->is_compact ? 6 : 7.5));
    }
    svg_badge(p->out, picture_slot_centre(p, slot), y + p->box + p->badge * 0.3, p->badge, colour, threads);
}

/* Where the arc from an operand comes down on its target: arcs to one cell are nested, so the nearest operand's
 * comes down first, seen from the operands' side. */
static double landing_x(const picture *p, const trace_step *step, uint32_t target, uint32_t operand) {
    const pdp_operation *operations = p->run->operations + step->first;
    size_t arcs = 0;
    size_t inner = 0;
    for (size_t i = 0; i < step->count; i++) {
        for (size_t side = 0; side < 2 && operations[i].target == target; side++) {
            const uint32_t other = operations[i].operand[side];
            arcs += other != PDP_NO_OPERAND;
            inner += other != PDP_NO_OPERAND && other > operand;
        }
    }
    const double room = p->cell * 0.6;
    const double gap = arcs > 1 && room / (double)(arcs - 1) < 10 ? room / (double)(arcs - 1) : 10;
    return picture_slot_centre(p, trace_slot(p->run, target)) + gap * ((double)inner - (double)(arcs - 1) / 2);
}

/* On a cell, beside the arcs that come down on it. */
static double hazard_x(const picture *p, uint32_t number) {
    return picture_slot_x(p, trace_slot(p->run, number)) + p->cell - 7;
}

static void draw_arc(const picture *p, const trace_step *step, const pdp_operation *operation, size_t side, double y) {
    const uint32_t operand = operation->operand[side];
    const bool is_hazard = (operation->flags & (side == 0 ? PDP_LEFT_HAZARD : PDP_RIGHT_HAZARD)) != 0;
    const bool is_conflict = (operation->flags & (side == 0 ? PDP_LEFT_CONFLICT : PDP_RIGHT_CONFLICT)) != 0;
    const char *colour = is_hazard ? SVG_HAZARD : is_conflict ? SVG_CONFLICT : svg_colour(operation->thread - 1);
    /* A hazard starts at the triangle on its cell. */
    const double from = is_hazard ? hazard_x(p, operand) : picture_slot_centre(p, trace_slot(p->run, operand));
    const double to = landing_x(p, step, operation->target, operand);
    const double distance = from < to ? to - from : from - to;
    const double control =
        y - picture_arc_height(p, distance) * 4 / 3; /* a cubic reaches three quarters of the way to its controls */
    fprintf(p->out,
            "<path d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s/>"
            "<path d=\"M%.1f %.1fl-2.8 -6h5.6z\" fill=\"%s\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"%s\"/>\n",
            from, y, from, control, to, control, to, y - 4, colour,
            is_hazard       ? "2.6"
            : p->is_compact ? "1"
                            : "1.3",
            side == 1 ? " " PICTURE_SECOND_ARC : "", to, y, colour, from, y, colour);
}

static bool is_target(const picture *p, const trace_step *step, uint32_t number) {
    for (size_t i = 0; i < step->count; i++) {
        if (p->run->operations[step->first + i].target == number) {
            return true;
        }
    }
    return false;
}

/* Hazards on the upper edge of the box, conflicts on the lower one, or under the badge where there is one. */
static void draw_marks(const picture *p, const trace_step *step, const pdp_operation *operation, double y) {
    const uint32_t numbers[3] = {operation->operand[0], operation->operand[1], operation->target};
    static const uint32_t hazards[3] = {PDP_LEFT_HAZARD, PDP_RIGHT_HAZARD, 0};
    static const uint32_t conflicts[3] = {PDP_LEFT_CONFLICT, PDP_RIGHT_CONFLICT, PDP_TARGET_CONFLICT};
    for (size_t i = 0; i < 3; i++) {
        if ((operation->flags & conflicts[i]) != 0) {
            const double below = is_target(p, step, numbers[i]) ? p->badge * 0.8 + 6 : 2;
            picture_draw_conflict(p->out, picture_slot_centre(p, trace_slot(p->run, numbers[i])), y + p->box + below);
        }
        if ((operation->flags & hazards[i]) != 0) {
            picture_draw_hazard(p->out, hazard_x(p, numbers[i]), y - 2);
        }
    }
}

static void draw_words(const picture *p, const pdp_operation *operation, double x, double y) {
    trace_piece pieces[TRACE_MAX_PIECES];
    const size_t count = trace_describe(p->run, operation, pieces);
    fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\">", x, y);
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].hazard || pieces[i].conflict) {
            fprintf(p->out, "<tspan fill=\"%s\" font-weight=\"bold\">%s!</tspan>",
                    pieces[i].hazard ? SVG_HAZARD : SVG_CONFLICT, pieces[i].text);
        } else {
            fprintf(p->out, pieces[i].final ? "<tspan dx=\"4\" fill=\"" SVG_MUTED "\">%s</tspan>" : "%s",
                    pieces[i].text);
        }
    }
    fputs("</text>\n", p->out);
}

/* What the threads do, beside the boxes: in the middle of the band, and in columns when there is a lot. */
static void draw_all_words(const picture *p, const trace_step *step, double top) {
    const size_t lines = step->count < p->words_lines ? step->count : p->words_lines;
    const double middle = top + p->arcs + p->box / 2;
    const double centred = middle - PICTURE_LINE * (double)lines / 2 - 4;
    const double lowest = top + p->band - PICTURE_LINE * (double)lines - 5;
    const double start = centred < lowest ? centred : lowest;
    fputs("<g font-family=\"monospace\" font-size=\"11\">\n", p->out);
    for (size_t i = 0; i < step->count; i++) {
        const size_t column = i / lines;
        const size_t line = i % lines + 1;
        draw_words(p, &p->run->operations[step->first + i], p->words + p->words_width * (double)column,
                   start + PICTURE_LINE * (double)line);
    }
    fputs("</g>\n", p->out);
}

/* "Step 3" and what is to be said about it; along a long array again and again. */
static void draw_label(const picture *p, const trace_step *step, double top) {
    const uint32_t flags = trace_flags(p->run->operations + step->first, step->count);
    const double y = top + p->arcs + 15;
    int line = 0; /* under the number of the step */
    fputs("<g font-size=\"11\">\n", p->out);
    svg_text(p->out, PICTURE_MARGIN, y, "font-weight=\"bold\" font-size=\"13\"", "Step %" PRIu64, step->number);
    if ((flags & TRACE_HAZARD) != 0) {
        svg_text(p->out, PICTURE_MARGIN, y + 14 * ++line, "font-weight=\"bold\" fill=\"" SVG_HAZARD "\"", "hazard");
    }
    if ((flags & TRACE_CONFLICT) != 0) {
        svg_text(p->out, PICTURE_MARGIN, y + 14 * (line + 1), "font-weight=\"bold\" fill=\"" SVG_CONFLICT "\"",
                 "conflict");
    }
    for (size_t slot = LABEL_EVERY; slot + LABEL_EVERY / 4 < p->run->cells; slot += LABEL_EVERY) {
        svg_text(p->out, picture_slot_x(p, slot), top + p->arcs + p->box + p->badge + 9,
                 "font-size=\"10\" fill=\"" SVG_MUTED "\"", "Step %" PRIu64, step->number);
    }
    fputs("</g>\n", p->out);
}

void picture_draw_band(const picture *p, const trace_step *step, double top) {
    const pdp_operation *operations = p->run->operations + step->first;
    const double y = top + p->arcs;
    draw_label(p, step, top);
    picture_fill_boxes(p, y);
    for (size_t pass = 0; pass < 2; pass++) { /* the badges on top of all boxes */
        for (size_t i = 0; i < step->count; i++) {
            const crowd group = crowd_of(operations, step->count, i);
            if (group.is_first) {
                (pass == 0 ? fill_target : draw_thread)(p, &operations[i], &group, y);
            }
        }
        if (pass == 0) {
            fprintf(p->out, "<use xlink:href=\"#row\" y=\"%.1f\"/>\n", y);
        }
    }
    for (size_t i = 0; i < step->count; i++) {
        for (size_t side = 0; side < 2; side++) {
            if (operations[i].operand[side] != PDP_NO_OPERAND) {
                draw_arc(p, step, &operations[i], side, y);
            }
        }
    }
    for (size_t i = 0; i < step->count; i++) {
        draw_marks(p, step, &operations[i], y);
    }
    if (p->words_lines > 0) {
        draw_all_words(p, step, top);
    }
}
