#include "gpu/interval_trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/memory.h"
#include "gpu/kernels/interval_abi.h"
#include "gpu/solve.h"
#include "schedule/tile_trace.h"

static uint64_t tile_count(uint64_t side) {
    return side * (side + 1) / 2;
}

/* A tile is opened, has its products, is finished, and is final. */
uint64_t pdp_gpu_trace_events(uint64_t side) {
    return 3 * tile_count(side) + side * (side - 1) * (side - 2) / 6;
}

uint64_t pdp_gpu_trace_bytes(uint64_t events) {
    return pdp_bytes_multiply(EVENTS + EVENT_WORDS * events, sizeof(uint32_t));
}

/* All but the last event are the start of a piece of work, which has an end too. */
static uint64_t trace_events(uint64_t side) {
    return 2 * (pdp_gpu_trace_events(side) - tile_count(side));
}

static uint64_t trace_bytes(uint64_t side) {
    return pdp_bytes_add(sizeof(pdp_tile_trace), pdp_bytes_multiply(trace_events(side) + 1, sizeof(pdp_tile_event)));
}

uint64_t pdp_gpu_trace_work_bytes(uint64_t side) {
    uint64_t bytes = pdp_bytes_add(pdp_gpu_trace_bytes(pdp_gpu_trace_events(side)), trace_bytes(side));
    bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(tile_count(side), sizeof(size_t)));
    return pdp_bytes_add(bytes, pdp_tile_trace_check_bytes(side));
}

/* What a group does with a tile ends what it did with it before: `last` is the number of that event, from 1. False if
 * the problem has no such event left. */
static bool add_event(pdp_tile_trace *trace, size_t *last, const uint32_t *event) {
    const uint32_t what = event[EVENT_WHAT], row = event[EVENT_ROW], column = event[EVENT_COLUMN];
    const uint32_t products = column > row ? column - row - 1 : 0;
    if (trace->count >= trace_events(trace->side)) { /* it may add two, and there is room for one more */
        return false;
    }
    if (what != EVENT_OPENS && *last > 0) {
        trace->events[trace->count] = trace->events[*last - 1];
        trace->events[trace->count++].is_end = true;
    }
    if (what != EVENT_IS_FINAL) {
        pdp_tile_event *start = &trace->events[trace->count++];
        *start = (pdp_tile_event){.thread = event[EVENT_GROUP], .row = row, .column = column};
        start->finishes = what == EVENT_FINISHES;
        start->first = start->finishes ? products : what == EVENT_OPENS ? 0 : what;
        start->end = start->first + (what < EVENT_OPENS);
        *last = trace->count;
    }
    return true;
}

static pdp_status share_events(const uint32_t *words, uint64_t events, const int64_t *problems,
                               pdp_solution *const *solutions, size_t count, pdp_error *error) {
    const int64_t *end = problems + (count - 1) * PROBLEM_WORDS;
    const uint64_t tiles = (uint64_t)end[PROBLEM_FIRST] + tile_count((uint64_t)end[PROBLEM_SIDE]);
    size_t *last = pdp_array_allocate(tiles, sizeof *last, error);
    for (uint64_t x = 0; last && x < events && error->status == PDP_OK; x++) {
        const uint32_t *event = words + EVENTS + x * EVENT_WORDS;
        const uint32_t number = event[EVENT_PROBLEM], row = event[EVENT_ROW], column = event[EVENT_COLUMN];
        const int64_t *own = problems + (size_t)number * PROBLEM_WORDS;
        if (number >= count || column >= own[PROBLEM_SIDE] || row > column ||
            !add_event(solutions[number]->trace, last + own[PROBLEM_FIRST] + tile_count(column) + row, event)) {
            pdp_error_set(error, PDP_DEVICE,
                          "event %" PRIu64 " of the trace, of problem %" PRIu32 " and tile (%" PRIu32 ",%" PRIu32
                          "), is one too many",
                          x, number + 1, row, column);
        }
    }
    free(last);
    return error->status;
}

pdp_status pdp_gpu_trace_take(const uint32_t *words, uint64_t events, const int64_t *problems,
                              pdp_solution *const *solutions, size_t count, pdp_error *error) {
    if (words[EVENT_COUNT] != events) {
        return pdp_error_set(error, PDP_DEVICE, "the trace of the device has %" PRIu32 " events, not %" PRIu64,
                             words[EVENT_COUNT], events);
    }
    for (size_t x = 0; x < count; x++) {
        const uint64_t side = (uint64_t)problems[x * PROBLEM_WORDS + PROBLEM_SIDE];
        pdp_tile_trace *trace = solutions[x]->trace = pdp_array_allocate(trace_bytes(side), 1, error);
        if (!trace) {
            return error->status;
        }
        trace->side = side;
    }
    if (share_events(words, events, problems, solutions, count, error) != PDP_OK) {
        return error->status;
    }
    for (size_t x = 0; x < count; x++) {
        if (solutions[x]->error.status == PDP_OK) {
            pdp_error found = {0};
            pdp_tile_trace_check(solutions[x]->trace, &solutions[x]->record, &found);
            pdp_gpu_take_record(solutions[x], &found);
        }
    }
    return PDP_OK;
}
