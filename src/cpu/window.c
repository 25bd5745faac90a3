#include "cpu/window.h"

#include <string.h>

enum {
    UNIT = 64,               /* cells; whole vectors of every type */
    PIECE_BYTES = 512 << 10, /* half of a second cache, and much more work than it is to begin a piece */
};

pdp_window pdp_window_plan(size_t cells, size_t reach, size_t wanted, size_t cell_bytes) {
    size_t kept = reach > wanted ? reach : wanted;
    kept = kept < cells ? (kept + UNIT - 1) / UNIT * UNIT : cells;
    const size_t piece = PIECE_BYTES / cell_bytes;
    return (pdp_window){.cells = cells,
                        .kept = kept < cells ? kept : cells,
                        .piece = piece > kept ? piece : kept, /* so that a cell is moved once at most */
                        .cell_bytes = cell_bytes};
}

size_t pdp_window_room(const pdp_window *w) {
    return w->cells - w->kept < w->piece ? w->cells : w->kept + w->piece;
}

/* The share of a piece as a share of the whole. */
typedef struct part {
    pdp_progress whole;
    double begin;
    double share;
} part;

static int tell_part(void *context, double share) {
    const part *p = context;
    return p->whole.report(p->whole.context, p->begin + p->share * share);
}

pdp_status pdp_window_run(const pdp_window *w, void *memory, pdp_window_fill *fill, void *context,
                          pdp_progress progress) {
    const size_t room = pdp_window_room(w);
    unsigned char *cells = memory;
    size_t origin = 0, begin = 0;
    pdp_status status = PDP_OK;
    while (status == PDP_OK) {
        const size_t end = w->cells - origin < room ? w->cells : origin + room;
        part own = {progress, (double)begin / (double)w->cells, (double)(end - begin) / (double)w->cells};
        status = fill(context, origin, begin, end, (pdp_progress){progress.report ? tell_part : NULL, &own});
        memmove(cells, cells + (end - w->kept - origin) * w->cell_bytes, w->kept * w->cell_bytes);
        if (end == w->cells) {
            break;
        }
        origin = end - w->kept;
        begin = end;
    }
    return status;
}
