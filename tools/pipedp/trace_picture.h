/* The picture of a run while it is drawn: its measures, and a band of it. */
#ifndef PIPEDP_TRACE_PICTURE_H
#define PIPEDP_TRACE_PICTURE_H

#include "trace_view.h"

enum { PICTURE_MARGIN = 28, PICTURE_LINE = 14 };

typedef struct picture {
    FILE *out;
    const trace *run;
    trace_progress progress; /* before the step that is drawn */
    uint32_t flags;          /* of all the operations */
    bool has_pairs;          /* some operation has two operands */
    bool is_compact;
    double cell; /* sizes: of a box, of the room for arcs above and badges below it */
    double box;
    double arc_limit;   /* the height of the longest arc */
    double longest_arc; /* its length */
    double arcs;
    double badge;
    double band;
    double top;  /* of the first band */
    double left; /* where the first box, the words and the page's right edge are */
    double words;
    double right;
    size_t words_lines; /* in a column of words; 0: no words */
    double words_width; /* of such a column */
    double bottom;
} picture;

static inline double picture_slot_x(const picture *p, size_t slot) {
    const double scratch_gap = slot >= p->run->cells ? p->cell * 0.6 : 0;
    return p->left + (double)slot * p->cell + scratch_gap;
}

static inline double picture_slot_centre(const picture *p, size_t slot) {
    return picture_slot_x(p, slot) + p->cell / 2;
}

/* Grows with the distance, so that the arcs to one cell are nested. */
static inline double picture_arc_height(const picture *p, double distance) {
    const double share = distance / (p->longest_arc + p->cell);
    return 8 + (p->arc_limit - 8) * share * 1.5 / (share + 0.5);
}

/* What the cells hold before the step, for boxes whose top is at y. */
void picture_fill_boxes(const picture *p, double y);

/* The step, from its label to its words. */
void picture_draw_band(const picture *p, const trace_step *step, double top);

/* Hazards are triangles and conflicts are diamonds, so that they can be told without colour. */
void picture_draw_hazard(FILE *out, double x, double y);
void picture_draw_conflict(FILE *out, double x, double y);

/* A cell that gets its last term. */
void picture_draw_tick(FILE *out, double x, double y);

/* What makes the arc from the second operand another than that from the first. */
#define PICTURE_SECOND_ARC "stroke-dasharray=\"4 2.5\""

#endif
