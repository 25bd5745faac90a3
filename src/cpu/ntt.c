#include "cpu/ntt.h"

#include <stdlib.h>

#include "core/memory.h"

const pdp_ntt_kernel *pdp_ntt_kernel_find(pdp_level level) {
    pdp_ntt_level best = {PDP_LEVEL_GENERIC, NULL}; /* of which there always is one */
    for (const pdp_ntt_level *x = pdp_ntt_kernels; x->kernel; x++) {
        best = x->level <= level && x->level >= best.level ? *x : best;
    }
    return best.kernel;
}

uint32_t pdp_ntt_power(uint32_t base, uint64_t exponent, uint32_t modulus) {
    uint64_t power = 1 % modulus, square = base % modulus;
    for (; exponent > 0; exponent >>= 1) {
        power = (exponent & 1) != 0 ? power * square % modulus : power;
        square = square * square % modulus;
    }
    return (uint32_t)power;
}

uint32_t pdp_ntt_invert(uint32_t a, uint32_t modulus) {
    int64_t rest = modulus, other = a % modulus, factor = 0, other_factor = 1; /* rest = factor * a */
    while (other != 0) {
        const int64_t quotient = rest / other, next = rest - quotient * other;
        const int64_t next_factor = factor - quotient * other_factor;
        rest = other;
        other = next;
        factor = other_factor;
        other_factor = next_factor;
    }
    return (uint32_t)(factor < 0 ? factor + modulus : factor);
}

/* A number whose 2^(log_size-1)th power is -1: that makes it a principal root of the order 2^log_size, whether the
 * modulus is prime or not. 0 if none is found: modulo a prime every other number leads to one. */
static uint32_t find_root(uint32_t modulus, unsigned log_size) {
    enum { TRIES = 64 };
    for (uint32_t x = 2; x < 2 + TRIES && x < modulus; x++) {
        const uint32_t root = pdp_ntt_power(x, (modulus - 1) >> log_size, modulus);
        if (pdp_ntt_power(root, (uint64_t)1 << (log_size - 1), modulus) == modulus - 1) {
            return root;
        }
    }
    return 0;
}

bool pdp_ntt_is_possible(uint64_t modulus, unsigned log_size) {
    return modulus < (uint64_t)1 << 31 && modulus > (uint64_t)1 << log_size &&
           (modulus - 1) % ((uint64_t)1 << log_size) == 0 && find_root((uint32_t)modulus, log_size) != 0;
}

/* roots[s] = root^(s with its bits reversed): the highest bit of s is the lowest of the power. */
static uint32_t *make_roots(const pdp_ntt_modulus *m, uint32_t root, pdp_error *error) {
    const size_t count = (size_t)1 << (m->log_size - 1);
    uint32_t *roots = pdp_pages_allocate((count + PDP_NTT_LEAST) * sizeof *roots, error);
    if (!roots) {
        return NULL;
    }
    roots[0] = m->one;
    unsigned bit = m->log_size - 1;
    for (size_t have = 1; have < count; have *= 2) {
        const uint32_t power = pdp_ntt_power(root, (uint64_t)1 << --bit, m->modulus);
        const uint32_t factor = pdp_ntt_multiply(m, power, m->square);
        for (size_t s = 0; s < have; s++) {
            roots[have + s] = pdp_ntt_multiply(m, roots[s], factor);
        }
    }
    for (size_t s = count; s < count + PDP_NTT_LEAST; s++) {
        roots[s] = 0; /* read in vectors, and not used */
    }
    return roots;
}

pdp_status pdp_ntt_modulus_create(pdp_ntt_modulus *out, uint32_t modulus, unsigned log_size, pdp_error *error) {
    const uint32_t root = find_root(modulus, log_size);
    uint32_t inverse = modulus; /* right in 3 bits, and in twice as many after every step */
    for (int step = 0; step < 4; step++) {
        inverse *= 2 - modulus * inverse;
    }
    const uint64_t one = ((uint64_t)1 << 32) % modulus;
    *out = (pdp_ntt_modulus){.modulus = modulus,
                             .inverse = inverse,
                             .one = (uint32_t)one,
                             .square = (uint32_t)(one * one % modulus),
                             .log_size = log_size};
    out->roots = make_roots(out, root, error);
    out->inverse_roots = out->roots ? make_roots(out, pdp_ntt_invert(root, modulus), error) : NULL;
    return error->status;
}

void pdp_ntt_modulus_free(pdp_ntt_modulus *m) {
    free((void *)m->roots);
    free((void *)m->inverse_roots);
}

uint64_t pdp_ntt_modulus_bytes(unsigned log_size) {
    return 2 * (((uint64_t)1 << (log_size - 1)) + PDP_NTT_LEAST) * sizeof(uint32_t);
}
