#include "schedule/round.h"

#include <stdlib.h>

#include "core/memory.h"

enum { ARRAYS = 7 };

uint64_t pdp_round_bytes(size_t threads) {
    return pdp_bytes_multiply(threads, ARRAYS * sizeof(uint32_t) + sizeof(uint8_t));
}

pdp_status pdp_round_create(pdp_round *round, size_t threads, pdp_error *error) {
    uint32_t *memory = pdp_array_allocate(threads, ARRAYS * sizeof(uint32_t) + sizeof(uint8_t), error);
    if (!memory) {
        return error->status;
    }
    round->memory = memory;
    uint32_t **arrays[ARRAYS] = {&round->thread, &round->target, &round->left, &round->right,
                                 &round->i,      &round->k,      &round->j};
    for (size_t a = 0; a < ARRAYS; a++) {
        *arrays[a] = memory + a * threads;
    }
    round->flags = (uint8_t *)(memory + ARRAYS * threads);
    return PDP_OK;
}

void pdp_round_free(pdp_round *round) {
    free(round->memory);
}
