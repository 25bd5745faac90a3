/* Moduli for number-theoretic transforms, with their tables of roots. */
#ifndef PDP_CPU_NTT_H
#define PDP_CPU_NTT_H

#include <stdbool.h>

#include "core/error.h"
#include "cpu/kernel.h"
#include "cpu/ntt_kernel.h"

typedef struct pdp_ntt_level {
    pdp_level level;
    const pdp_ntt_kernel *kernel;
} pdp_ntt_level;

extern const pdp_ntt_level pdp_ntt_kernels[]; /* written by the build; ends with a NULL kernel */

/* The best that this level can run. */
const pdp_ntt_kernel *pdp_ntt_kernel_find(pdp_level level);

/* The modulus is odd, below 2^31, and has a principal root of unity of the order 2^log_size: transforms up to that
 * length are possible. It need not be a prime. */
bool pdp_ntt_is_possible(uint64_t modulus, unsigned log_size);

/* For a modulus of which this is so. PDP_NO_MEMORY on failure; freed in any case. */
pdp_status pdp_ntt_modulus_create(pdp_ntt_modulus *out, uint32_t modulus, unsigned log_size, pdp_error *error);
void pdp_ntt_modulus_free(pdp_ntt_modulus *m);
uint64_t pdp_ntt_modulus_bytes(unsigned log_size);

/* a * b / 2^32 */
static inline uint32_t pdp_ntt_multiply(const pdp_ntt_modulus *m, uint32_t a, uint32_t b) {
    const uint64_t product = (uint64_t)a * b;
    const uint64_t multiple = (uint64_t)((uint32_t)product * m->inverse) * m->modulus;
    const uint32_t high = (uint32_t)(product >> 32) - (uint32_t)(multiple >> 32);
    return product < multiple ? high + m->modulus : high;
}

uint32_t pdp_ntt_power(uint32_t base, uint64_t exponent, uint32_t modulus);

/* 1/a modulo an odd number; `a` must have one. */
uint32_t pdp_ntt_invert(uint32_t a, uint32_t modulus);

#endif
