#include "schedule/block_trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/memory.h"
#include "schedule/checker.h"

enum { READ, COMBINE, SUBSTEPS, WIDTH = 32 };

/* What a part or a sub-block has come to. */
enum { NOTHING, STARTED, MADE, TAKEN };

typedef struct replay {
    const pdp_block_trace *trace;
    pdp_checker *checker; /* of steps of cells, then of parts, then of sub-blocks */
    uint8_t *states;      /* of parts, then of sub-blocks */
    uint64_t steps, parts, supers;
    uint64_t final; /* cells */
    uint64_t taken; /* sub-blocks, by the chain */
    uint32_t active;
    pdp_record *record;
    pdp_error *error;
} replay;

static uint64_t divide_up(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

static replay start(const pdp_block_trace *t) {
    const uint64_t left = t->cells - t->presets;
    replay r = {.trace = t, .final = t->presets};
    r.supers = divide_up(left, t->sub);
    r.steps = r.supers * divide_up(t->sub, t->step); /* the last ones may be behind the last cell */
    r.parts = divide_up(r.supers, t->subs) * t->parts;
    return r;
}

uint64_t pdp_block_trace_check_bytes(const pdp_block_trace *trace) {
    const replay r = start(trace);
    return pdp_bytes_add(pdp_checker_bytes(r.steps + r.parts + r.supers, WIDTH), r.parts + r.supers + 1);
}

static pdp_status fail(replay *r, const char *what, uint64_t place, const pdp_block_event *e, const char *why) {
    return pdp_error_set(r->error, PDP_BAD_INPUT, "%s %" PRIu64 ", thread %" PRIu32 ": %s", what, place, e->thread,
                         why);
}

/* Whether it is final. */
static bool read_address(replay *r, const pdp_block_event *e, uint64_t address) {
    const uint32_t at = (uint32_t)address;
    pdp_checker_read(r->checker, READ, &e->thread, &at, 1);
    return pdp_checker_is_final(r->checker, at);
}

static pdp_status read_cells(replay *r, const pdp_block_event *e) {
    const uint64_t presets = r->trace->presets;
    if (e->place > r->trace->cells) {
        return fail(r, "cell", e->place, e, "there is no such cell");
    }
    if (e->place > presets && !read_address(r, e, (e->place - 1 - presets) / r->trace->step)) {
        return fail(r, "cell", e->place - 1, e, "is read before it is final");
    }
    return PDP_OK;
}

static pdp_status finish_cells(replay *r, const pdp_block_event *e) {
    const uint64_t presets = r->trace->presets, step = r->trace->step;
    if (e->place <= r->final || e->place > presets + r->steps * step || (e->place - presets) % step != 0) {
        return fail(r, "cell", e->place, e, "is not where the next cells end");
    }
    if (e->place > presets + r->taken * r->trace->sub) {
        return fail(r, "cell", e->place - 1, e, "is final before the sums of its sub-block were taken");
    }
    for (uint64_t x = (r->final - presets) / step; x < (e->place - presets) / step; x++) {
        pdp_checker_finish(r->checker, (uint32_t)x);
    }
    r->final = e->place;
    return PDP_OK;
}

/* A part or a sub-block goes from one state to the next. */
static pdp_status advance(replay *r, const pdp_block_event *e, bool is_part, uint8_t state) {
    const char *what = is_part ? "part" : "sub-block";
    if (e->place >= (is_part ? r->parts : r->supers)) {
        return fail(r, what, e->place, e, "there is no such one");
    }
    const uint64_t at = is_part ? e->place : r->parts + e->place;
    if (r->states[at] != state - 1) {
        static const char *const texts[] = {"is started twice", "is made without a start, or twice",
                                            "is taken before it is made, or twice"};
        return fail(r, what, e->place, e, texts[state - STARTED]);
    }
    r->states[at] = state;
    if (state == STARTED) {
        r->active++;
        r->record->steps++;
        r->record->operations += r->active;
        r->record->threads = r->active > r->record->threads ? r->active : r->record->threads;
    } else if (state == MADE) {
        r->active--;
        pdp_checker_finish(r->checker, (uint32_t)(r->steps + at));
    }
    return PDP_OK;
}

/* Its sums go where those of an earlier block were, whose sub-blocks must have read them. */
static pdp_status start_part(replay *r, const pdp_block_event *e) {
    const pdp_block_trace *t = r->trace;
    if (advance(r, e, true, STARTED) != PDP_OK) {
        return r->error->status;
    }
    const uint64_t block = e->place / t->parts;
    for (uint64_t x = 0; block >= t->slots && x < t->subs; x++) {
        if (r->states[r->parts + (block - t->slots) * t->subs + x] < MADE) {
            return fail(r, "part", e->place, e, "takes the place of sums that were not read yet");
        }
    }
    return PDP_OK;
}

static pdp_status start_sums(replay *r, const pdp_block_event *e) {
    const pdp_block_trace *t = r->trace;
    if (advance(r, e, false, STARTED) != PDP_OK) {
        return r->error->status;
    }
    for (uint64_t x = e->place / t->subs * t->parts; x < (e->place / t->subs + 1) * t->parts; x++) {
        if (!read_address(r, e, r->steps + x)) {
            return pdp_error_set(r->error, PDP_BAD_INPUT,
                                 "sub-block %" PRIu32 ", thread %" PRIu32 ": reads part %" PRIu64 " before it is there",
                                 e->place, e->thread, x);
        }
    }
    if (e->place >= t->slots * t->subs && r->states[r->parts + e->place - t->slots * t->subs] < TAKEN) {
        return fail(r, "sub-block", e->place, e, "takes the place of sums that were not read yet");
    }
    return PDP_OK;
}

/* The chain takes them one after the other. */
static pdp_status take_sums(replay *r, const pdp_block_event *e) {
    if (e->place != r->taken) {
        return fail(r, "sub-block", e->place, e, "is taken out of order");
    }
    r->taken++;
    return advance(r, e, false, TAKEN);
}

static pdp_status replay_all(replay *r) {
    for (size_t x = 0; x < r->trace->count && r->error->status == PDP_OK; x++) {
        const pdp_block_event *e = &r->trace->events[x];
        switch (e->what) {
        case PDP_BLOCK_READS_CELLS: read_cells(r, e); break;
        case PDP_BLOCK_HAS_CELLS: finish_cells(r, e); break;
        case PDP_BLOCK_STARTS_PART: start_part(r, e); break;
        case PDP_BLOCK_HAS_PART: advance(r, e, true, MADE); break;
        case PDP_BLOCK_STARTS_SUMS: start_sums(r, e); break;
        case PDP_BLOCK_HAS_SUMS: advance(r, e, false, MADE); break;
        case PDP_BLOCK_READS_SUMS: take_sums(r, e); break;
        default: fail(r, "event", x, e, "is of no kind");
        }
    }
    if (r->error->status == PDP_OK && r->final < r->trace->cells) {
        pdp_error_set(r->error, PDP_BAD_INPUT, "cell %" PRIu64 " is never final", r->final);
    }
    return r->error->status;
}

pdp_status pdp_block_trace_check(const pdp_block_trace *trace, pdp_record *record, pdp_error *error) {
    replay r = start(trace);
    const size_t addresses = r.steps + r.parts + r.supers;
    r.record = record;
    r.error = error;
    *record = (pdp_record){.substeps = SUBSTEPS};
    r.states = pdp_array_allocate(r.parts + r.supers + 1, sizeof *r.states, error);
    if (r.states && pdp_checker_create(&r.checker, addresses, addresses, 0, WIDTH, 1, error) == PDP_OK) {
        replay_all(&r);
        pdp_checker_report(r.checker, record);
        record->cost_serial = record->cost_dmm = record->cost_umm = 0; /* of whole blocks they say nothing */
        record->utilisation =
            record->steps > 0 ? (double)record->operations / ((double)record->threads * (double)record->steps) : 0;
    }
    pdp_checker_free(r.checker);
    free(r.states);
    return error->status;
}
