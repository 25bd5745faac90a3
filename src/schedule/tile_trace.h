/* The trace of a tile pipeline, on the CPU or on a device: who worked on which tile when, and whether that was in
 * order.
 */
#ifndef PDP_SCHEDULE_TILE_TRACE_H
#define PDP_SCHEDULE_TILE_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

/* The start of a piece of work, or its end: products of tile (row, column) with the middle tiles of its term order from
 * `first` to `end`, and its finish. There may be no products; the tiles on the diagonal are read all the same. */
typedef struct pdp_tile_event {
    uint32_t thread; /* or group */
    uint32_t row;
    uint32_t column;
    uint32_t first; /* positions in the term order, see pdp_tile_middle */
    uint32_t end;
    bool finishes;
    bool is_end; /* otherwise the start of the piece */
} pdp_tile_event;

/* One block of memory, freed with free(). */
typedef struct pdp_tile_trace {
    size_t side;  /* tiles in a row */
    size_t count; /* events, in the order in which they happened */
    pdp_tile_event events[];
} pdp_tile_trace;

/* The middle tile that comes at `position` in the term order of a tile `distance` from the diagonal, counted from the
 * tile's row: from the middle outwards, since those are final first. An even distance has one centre, then the tiles
 * below and above it in turn; an odd one has two centres. */
static inline uint32_t pdp_tile_middle(uint32_t distance, uint32_t position) {
    const uint32_t step = (position + 1) / 2;
    return position % 2 == distance % 2 ? distance / 2 + step : distance / 2 - step;
}

/* Goes through the trace with the checker of schedules, tiles in the place of cells: whatever a piece of work reads is
 * final when it starts, no two threads are at work on one tile, and each tile has every product once, in its order, and
 * is then finished, once. PDP_BAD_INPUT otherwise, naming the tile. The record's steps are the starts of pieces, of its
 * threads a tile each; it has no costs. */
pdp_status pdp_tile_trace_check(const pdp_tile_trace *trace, pdp_record *record, pdp_error *error);
uint64_t pdp_tile_trace_check_bytes(size_t side);

#endif
