/* Allocation with checked sizes, and byte counts that saturate instead of wrapping. */
#ifndef PDP_CORE_MEMORY_H
#define PDP_CORE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* count * size, UINT64_MAX where that does not fit: such a count is over every limit. */
uint64_t pdp_bytes_multiply(uint64_t count, uint64_t size);
uint64_t pdp_bytes_add(uint64_t a, uint64_t b);

/* Zeroed memory for count items, or NULL with the error set. At least one byte, so that NULL always
 * means failure. */
void *pdp_array_allocate(size_t count, size_t size, pdp_error *error);

/* The same, not zeroed: for room of which most may never be touched. */
void *pdp_room_allocate(size_t count, size_t size, pdp_error *error);

/* Memory for a large table, aligned to 64 bytes, in large pages where there are any; not zeroed. Freed with free(). */
void *pdp_pages_allocate(uint64_t bytes, pdp_error *error);

#endif
