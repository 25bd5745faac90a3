/* The tile pipeline: an interval problem solved tile by tile, each tile as soon as what it reads is final. */
#ifndef PDP_CPU_INTERVAL_H
#define PDP_CPU_INTERVAL_H

#include <stdbool.h>

#include "core/error.h"
#include "core/progress.h"
#include "cpu/kernel_interval_abi.h"
#include "solution/tiles.h"

/* One piece of work, as it was done: products of tile (row, column) with the middle tiles of its term order from
 * `first` to `end`, and its finish. Pieces are recorded when they start and when they end. */
typedef struct pdp_tile_event {
    uint32_t thread;
    uint32_t row;
    uint32_t column;
    uint32_t first; /* positions in the term order, see pdp_tile_middle */
    uint32_t end;
    bool finishes;
    bool is_end; /* otherwise the start of the piece */
} pdp_tile_event;

/* Called under a lock, in the order in which things happened. */
typedef void pdp_tile_listener(void *context, const pdp_tile_event *event);

typedef struct pdp_interval_run {
    const pdp_interval_kernel *kernel;
    const void *data; /* the kernel's */
    int threads;
    pdp_progress progress;
    pdp_tile_listener *listener; /* may be NULL */
    void *listener_context;
} pdp_interval_run;

/* The middle tile that comes at `position` in the term order of a tile `distance` from the diagonal, counted from the
 * tile's row: from the middle outwards, since those are final first. */
uint32_t pdp_tile_middle(uint32_t distance, uint32_t position);

/* Bytes that a run allocates besides the tiles. */
uint64_t pdp_interval_bytes(const pdp_interval_kernel *kernel, const pdp_tiles *tiles, int threads);

/* Fills the tiles. The result does not depend on the number of threads, not even in the last bit of a float. */
pdp_status pdp_interval_solve(const pdp_interval_run *run, pdp_tiles *tiles, pdp_error *error);

#endif
