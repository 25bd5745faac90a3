/* What the groups of a device have recorded of their work on tiles: see kernels/interval_abi.h. */
#ifndef PDP_GPU_INTERVAL_TRACE_H
#define PDP_GPU_INTERVAL_TRACE_H

#include "solution/solution.h"

/* Events of a problem with so many tiles in a row; bytes on the device; and of all that is made of them here. */
uint64_t pdp_gpu_trace_events(uint64_t side);
uint64_t pdp_gpu_trace_bytes(uint64_t events);
uint64_t pdp_gpu_trace_work_bytes(uint64_t side);

/* Gives every solution the trace of its problem, and the record of its check. PDP_DEVICE if the trace is not in order:
 * the solution's own error, which names the tile, or that of all. `problems` are the problems as the kernels see them.
 */
pdp_status pdp_gpu_trace_take(const uint32_t *words, uint64_t events, const int64_t *problems,
                              pdp_solution *const *solutions, size_t count, pdp_error *error);

#endif
