#include "cpu/offset_set.h"

#include <stdlib.h>

#include "core/memory.h"

static size_t find_largest(const size_t *offsets, size_t count, size_t cells) {
    size_t largest = 0;
    for (size_t j = 0; j < count; j++) {
        largest = offsets[j] < cells && offsets[j] > largest ? offsets[j] : largest;
    }
    return largest;
}

static size_t count_words(size_t largest) {
    return largest / 64 + 1 + PDP_OFFSET_PADDING + PDP_OFFSET_PADDING;
}

static void fill_items(pdp_offset_set *set) {
    set->count = 0;
    for (size_t w = 0; w <= set->largest / 64; w++) {
        for (uint64_t left = set->words[w]; left != 0; left &= left - 1) {
            set->items[set->count++] = 64 * w + (size_t)__builtin_ctzll(left);
        }
    }
    set->smallest = set->count > 0 ? set->items[0] : 0;
}

pdp_status pdp_offset_set_create(pdp_offset_set *set, const size_t *offsets, size_t count, size_t cells,
                                 pdp_error *error) {
    *set = (pdp_offset_set){.largest = find_largest(offsets, count, cells)};
    uint64_t *words = pdp_array_allocate(count_words(set->largest), sizeof *words, error);
    set->items = words ? pdp_array_allocate(count, sizeof *set->items, error) : NULL;
    if (!set->items) {
        free(words);
        return error->status;
    }
    set->words = words + PDP_OFFSET_PADDING;
    for (size_t j = 0; j < count; j++) {
        if (offsets[j] < cells) {
            set->words[offsets[j] / 64] |= UINT64_C(1) << offsets[j] % 64;
        }
    }
    fill_items(set);
    return PDP_OK;
}

void pdp_offset_set_free(pdp_offset_set *set) {
    free(set->words ? set->words - PDP_OFFSET_PADDING : NULL);
    free(set->items);
    *set = (pdp_offset_set){0};
}

uint64_t pdp_offset_set_bytes(const size_t *offsets, size_t count, size_t cells) {
    const uint64_t items = pdp_bytes_multiply(count > 0 ? count : 1, sizeof(size_t));
    const uint64_t words = count_words(find_largest(offsets, count, cells));
    return pdp_bytes_add(items, pdp_bytes_multiply(words, sizeof(uint64_t)));
}

size_t pdp_offset_runs(const size_t *offsets, size_t count) {
    size_t runs = count > 0;
    for (size_t j = 1; j < count; j++) {
        runs += offsets[j - 1] != offsets[j] + 1 && offsets[j] != offsets[j - 1] + 1;
    }
    return runs;
}
