#include "schedule/tile_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "schedule/checker.h"

enum { LEFT, RIGHT, COMBINE = 3, SUBSTEPS, WIDTH = 32, FINISHED = -1 }; /* substeps of an interval problem */

/* What is known at a moment. */
typedef struct replay {
    pdp_checker *checker;
    uint32_t *next;    /* product of each tile's order; FINISHED */
    uint32_t *threads; /* at work, rising, */
    uint32_t *targets; /* and on which tile */
    size_t count;
    pdp_record *record;
    pdp_error *error;
} replay;

static size_t tile_count(size_t side) {
    return side * (side + 1) / 2;
}

static uint32_t address_of(uint32_t row, uint32_t column) {
    return (uint32_t)((size_t)column * ((size_t)column + 1) / 2 + row);
}

uint64_t pdp_tile_trace_check_bytes(size_t side) {
    const size_t tiles = tile_count(side);
    return pdp_bytes_add(pdp_checker_bytes(tiles, WIDTH),
                         pdp_bytes_multiply(3 * (uint64_t)tiles + 2, sizeof(uint32_t)));
}

static pdp_status fail(replay *r, const pdp_tile_event *e, const char *what) {
    return pdp_error_set(r->error, PDP_BAD_INPUT, "tile (%" PRIu32 ",%" PRIu32 "), thread %" PRIu32 ": %s", e->row,
                         e->column, e->thread, what);
}

static void read_tile(replay *r, const pdp_tile_event *e, uint32_t substep, uint32_t row, uint32_t column) {
    const uint32_t address = address_of(row, column);
    pdp_checker_read(r->checker, substep, &e->thread, &address, 1);
    if (!pdp_checker_is_final(r->checker, address)) {
        pdp_error_set(r->error, PDP_BAD_INPUT,
                      "tile (%" PRIu32 ",%" PRIu32 "), thread %" PRIu32 ": reads tile (%" PRIu32 ",%" PRIu32
                      ") before it is final",
                      e->row, e->column, e->thread, row, column);
    }
}

/* All that a piece of work reads. */
static pdp_status replay_reads(replay *r, const pdp_tile_event *e) {
    const uint32_t distance = e->column - e->row;
    for (uint32_t position = e->first; position < e->end; position++) {
        const uint32_t middle = e->row + pdp_tile_middle(distance, position);
        read_tile(r, e, LEFT, e->row, middle);
        read_tile(r, e, RIGHT, middle, e->column);
    }
    if (distance > 0) {
        read_tile(r, e, LEFT, e->row, e->row);
        read_tile(r, e, RIGHT, e->column, e->column);
    }
    if (e->finishes && distance > 0) {
        read_tile(r, e, LEFT, e->row, e->column - 1);
        read_tile(r, e, RIGHT, e->row + 1, e->column);
    }
    if (e->finishes && distance > 1) {
        read_tile(r, e, RIGHT, e->row + 1, e->column - 1);
    }
    return r->error->status;
}

/* The first of the threads at work that is not below this one. */
static size_t find_thread(const replay *r, uint32_t thread) {
    size_t at = 0;
    while (at < r->count && r->threads[at] < thread) {
        at++;
    }
    return at;
}

static pdp_status replay_start(replay *r, const pdp_tile_event *e) {
    const uint32_t address = address_of(e->row, e->column);
    const uint32_t products = e->column > e->row ? e->column - e->row - 1 : 0;
    const size_t at = find_thread(r, e->thread);
    if (r->next[address] == (uint32_t)FINISHED) {
        return fail(r, e, "goes on after its finish");
    }
    if (e->first != r->next[address] || e->end < e->first || e->end > products || (e->finishes && e->end != products)) {
        return pdp_error_set(r->error, PDP_BAD_INPUT,
                             "tile (%" PRIu32 ",%" PRIu32 "), thread %" PRIu32 ": products %" PRIu32 " to %" PRIu32
                             "%s, where %" PRIu32 " of %" PRIu32 " are done",
                             e->row, e->column, e->thread, e->first, e->end, e->finishes ? " and its finish" : "",
                             r->next[address], products);
    }
    if (at < r->count && r->threads[at] == e->thread) {
        return fail(r, e, "starts before it has ended with another tile");
    }
    if (replay_reads(r, e) != PDP_OK) {
        return r->error->status;
    }
    memmove(r->threads + at + 1, r->threads + at, (r->count - at) * sizeof *r->threads);
    memmove(r->targets + at + 1, r->targets + at, (r->count - at) * sizeof *r->targets);
    r->threads[at] = e->thread;
    r->targets[at] = address;
    r->count++;
    pdp_checker_combine(r->checker, COMBINE, r->threads, r->targets, r->count);
    if (pdp_checker_is_shared(r->checker, address)) {
        return fail(r, e, "two threads are at work on it");
    }
    r->record->steps++;
    r->record->operations += r->count;
    r->record->threads = r->count > r->record->threads ? (uint32_t)r->count : r->record->threads;
    return PDP_OK;
}

static pdp_status replay_end(replay *r, const pdp_tile_event *e) {
    const uint32_t address = address_of(e->row, e->column);
    const size_t at = find_thread(r, e->thread);
    if (at == r->count || r->threads[at] != e->thread || r->targets[at] != address) {
        return fail(r, e, "ends what it has not started");
    }
    r->count--;
    memmove(r->threads + at, r->threads + at + 1, (r->count - at) * sizeof *r->threads);
    memmove(r->targets + at, r->targets + at + 1, (r->count - at) * sizeof *r->targets);
    r->next[address] = e->finishes ? (uint32_t)FINISHED : e->end;
    if (e->finishes) {
        pdp_checker_finish(r->checker, address);
    }
    return PDP_OK;
}

static pdp_status replay_all(replay *r, const pdp_tile_trace *trace) {
    for (size_t x = 0; x < trace->count && r->error->status == PDP_OK; x++) {
        const pdp_tile_event *e = &trace->events[x];
        if (e->column >= trace->side || e->row > e->column) {
            return fail(r, e, "there is no such tile");
        }
        (e->is_end ? replay_end : replay_start)(r, e);
    }
    for (uint32_t column = 0; column < trace->side && r->error->status == PDP_OK; column++) {
        for (uint32_t row = 0; row <= column; row++) {
            if (r->next[address_of(row, column)] != (uint32_t)FINISHED) {
                return pdp_error_set(r->error, PDP_BAD_INPUT, "tile (%" PRIu32 ",%" PRIu32 ") is never finished", row,
                                     column);
            }
        }
    }
    return r->error->status;
}

pdp_status pdp_tile_trace_check(const pdp_tile_trace *trace, pdp_record *record, pdp_error *error) {
    const size_t tiles = tile_count(trace->side);
    replay r = {.record = record, .error = error};
    *record = (pdp_record){.substeps = SUBSTEPS};
    /* A thread more than there are tiles is at work on one that another has. */
    r.next = pdp_array_allocate(3 * tiles + 2, sizeof *r.next, error);
    if (r.next && pdp_checker_create(&r.checker, tiles, tiles, 0, WIDTH, 1, error) == PDP_OK) {
        r.threads = r.next + tiles;
        r.targets = r.threads + tiles + 1;
        replay_all(&r, trace);
        pdp_checker_report(r.checker, record);
        record->cost_serial = record->cost_dmm = record->cost_umm = 0; /* of whole tiles they say nothing */
        record->utilisation =
            record->steps > 0 ? (double)record->operations / ((double)record->threads * (double)record->steps) : 0;
    }
    pdp_checker_free(r.checker);
    free(r.next);
    return error->status;
}
