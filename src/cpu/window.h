/* A linear table of which only the last cells are kept: it is filled piece by piece, each behind so many of the cells
 * before it as its own cells read. */
#ifndef PDP_CPU_WINDOW_H
#define PDP_CPU_WINDOW_H

#include "core/progress.h"

typedef struct pdp_window {
    size_t cells; /* of the whole table */
    size_t kept; /* cells that stay in the end, and those before a piece that are there: at least the greatest offset */
    size_t piece; /* cells that are filled at once */
    size_t cell_bytes;
} pdp_window;

/* For a table of so many cells, of which a cell reads the last `reach`, and `wanted` are wanted in the end. */
pdp_window pdp_window_plan(size_t cells, size_t reach, size_t wanted, size_t cell_bytes);

/* Cells in memory at a time. */
size_t pdp_window_room(const pdp_window *window);

/* Fills the cells begin .. end-1; the first cell in memory is `origin`. The progress is that of these cells. */
typedef pdp_status pdp_window_fill(void *context, size_t origin, size_t begin, size_t end, pdp_progress progress);

/* Fills the table, and leaves the last `kept` cells at the begin of the memory, which has pdp_window_room cells. The
 * status is that of `fill`. */
pdp_status pdp_window_run(const pdp_window *window, void *memory, pdp_window_fill *fill, void *context,
                          pdp_progress progress);

#endif
