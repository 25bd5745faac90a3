/* FNV-1a with 128 bits: names files and finds damage. What a name stands for is compared in full, so
 * nothing rests on there being no collisions. */
#ifndef PDP_COMPILE_HASH_H
#define PDP_COMPILE_HASH_H

#include <stddef.h>

#include "core/wide.h"

static inline pdp_uwide pdp_hash(const char *data, size_t size) {
    const pdp_uwide prime = ((pdp_uwide)1 << 88) + 0x13b;
    pdp_uwide hash = ((pdp_uwide)UINT64_C(0x6c62272e07bb0142) << 64) + UINT64_C(0x62b821756295c58d);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)data[i]) * prime;
    }
    return hash;
}

#endif
