#include "core/wide.h"
#include "pipedp.h"

uint64_t pdp_random_next(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

int64_t pdp_random_between(uint64_t *state, int64_t low, int64_t high) {
    uint64_t size = (uint64_t)high - (uint64_t)low + 1;
    if (size == 0) { /* all of int64 */
        return (int64_t)pdp_random_next(state);
    }
    uint64_t threshold = (0 - size) % size; /* 2^64 mod size */
    pdp_uwide product;
    do {
        product = (pdp_uwide)pdp_random_next(state) * size;
    } while ((uint64_t)product < threshold);
    return (int64_t)((uint64_t)low + (uint64_t)(product >> 64));
}
