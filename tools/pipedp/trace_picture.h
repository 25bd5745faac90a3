/* The picture of a run while it is drawn: its measures, and a band of it. */
#ifndef PIPEDP_TRACE_PICTURE_H
#define PIPEDP_TRACE_PICTURE_H

#include "trace_view.h"

enum { PICTURE_MARGIN = 28, PICTURE_LINE = 14 };

typedef struct picture {
    FILE *out;
    const trace *run;
    trace_progress progress; /* before the step that is drawn */
    bool is_compact;
    double cell; /* sizes: of a box, of the room for arcs above and badges below it */
    double box;
    double arc_limit; /* no arc is higher; one of length arc_scale is about half as high */
    double arc_scale;
    double arcs;
    double badge;
    double band;
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

/* Grows with the distance, so that the arcs to one cell are nested, but not beyond the limit. */
static inline double picture_arc_height(const picture *p, double distance) {
    return 8 + (p->arc_limit - 8) * distance / (distance + p->arc_scale);
}

/* What the cells hold before the step, for boxes whose top is at y. */
void picture_fill_boxes(const picture *p, double y);

/* The step, from its label to its words. */
void picture_draw_band(const picture *p, const trace_step *step, double top);

/* Hazards are triangles and conflicts are diamonds, so that they can be told without colour. */
void picture_draw_hazard(FILE *out, double x, double y);
void picture_draw_conflict(FILE *out, double x, double y);

#endif
