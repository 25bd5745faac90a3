/* The offsets of a linear recurrence as a set: one bit each, and in rising order, each once. */
#ifndef PDP_CPU_OFFSET_SET_H
#define PDP_CPU_OFFSET_SET_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* Words of 0 before the first and after the last. */
enum { PDP_OFFSET_PADDING = 8 };

/* Those below the number of cells: no cell has a term at any other. */
typedef struct pdp_offset_set {
    uint64_t *words; /* bit a % 64 of word a / 64; padded */
    size_t *items;   /* rising */
    size_t count;
    size_t smallest; /* both 0 if there is none */
    size_t largest;
} pdp_offset_set;

/* Offsets are positive, in any order, and may repeat. PDP_NO_MEMORY leaves nothing to free. */
pdp_status pdp_offset_set_create(pdp_offset_set *set, const size_t *offsets, size_t count, size_t cells,
                                 pdp_error *error);
void pdp_offset_set_free(pdp_offset_set *set);

/* What pdp_offset_set_create allocates. */
uint64_t pdp_offset_set_bytes(const size_t *offsets, size_t count, size_t cells);

/* Runs of offsets that follow on each other, in a list that rises or falls; others count as runs of one. */
size_t pdp_offset_runs(const size_t *offsets, size_t count);

#endif
