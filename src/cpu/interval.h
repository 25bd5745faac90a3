/* The tile pipeline: an interval problem solved tile by tile, each tile as soon as what it reads is final. */
#ifndef PDP_CPU_INTERVAL_H
#define PDP_CPU_INTERVAL_H

#include "core/error.h"
#include "core/progress.h"
#include "cpu/kernel_interval_abi.h"
#include "schedule/tile_trace.h"
#include "solution/tiles.h"

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

/* Bytes that a run allocates besides the tiles. */
uint64_t pdp_interval_bytes(const pdp_interval_kernel *kernel, const pdp_tiles *tiles, int threads);

/* Fills the tiles. The result does not depend on the number of threads, not even in the last bit of a float. */
pdp_status pdp_interval_solve(const pdp_interval_run *run, pdp_tiles *tiles, pdp_error *error);

#endif
