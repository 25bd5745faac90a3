/* The trace of the linear pipeline on a device: who read what when, and whether that was in order. One group follows
 * the chain of cells, which become final from the first on. Others add up, for every block, parts of its terms, and
 * then for every sub-block the rest of them, with those sums; what the chain takes. */
#ifndef PDP_SCHEDULE_BLOCK_TRACE_H
#define PDP_SCHEDULE_BLOCK_TRACE_H

#include <stddef.h>

#include "core/error.h"

/* What happened, and `place`. */
enum {
    PDP_BLOCK_READS_CELLS, /* cells before this one are read */
    PDP_BLOCK_HAS_CELLS,   /* they are final */
    PDP_BLOCK_STARTS_PART, /* a part of a block, counted over all blocks */
    PDP_BLOCK_HAS_PART,    /* its sums are there */
    PDP_BLOCK_STARTS_SUMS, /* the sums of the parts are read for a sub-block */
    PDP_BLOCK_HAS_SUMS,    /* its own are there */
    PDP_BLOCK_READS_SUMS   /* the chain takes them */
};

typedef struct pdp_block_event {
    uint32_t thread; /* or group */
    uint32_t what;
    uint32_t place;
} pdp_block_event;

/* One block of memory, freed with free(). */
typedef struct pdp_block_trace {
    uint64_t cells, presets;
    uint64_t step;  /* cells; so many become final at once, or a multiple */
    uint64_t sub;   /* cells of a sub-block */
    uint64_t subs;  /* of a block */
    uint64_t parts; /* of a block */
    uint64_t slots; /* blocks whose sums are kept: those of a later one take their place */
    size_t count;   /* events, in the order in which they happened */
    pdp_block_event events[];
} pdp_block_trace;

/* Goes through the trace with the checker of schedules: cells, parts and sums of sub-blocks are final when they are
 * read, nothing is overwritten before it was read, and each is made once. PDP_BAD_INPUT otherwise, naming it. The
 * record's steps are the starts of parts and of sub-blocks; it has no costs. */
pdp_status pdp_block_trace_check(const pdp_block_trace *trace, pdp_record *record, pdp_error *error);
uint64_t pdp_block_trace_check_bytes(const pdp_block_trace *trace); /* without its events */

#endif
