/* Number-theoretic transforms in vectors: the part that is compiled once for every vector level. */
#ifndef PDP_CPU_NTT_KERNEL_H
#define PDP_CPU_NTT_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* The shortest transform: one vector of the widest level. Tables of roots are longer by as much. */
enum { PDP_NTT_LOG_LEAST = 4, PDP_NTT_LEAST = 1 << PDP_NTT_LOG_LEAST };

/* Arithmetic modulo an odd number below 2^31 that has roots of unity of the order of the transforms. Residues are below
 * the modulus. A product is Montgomery's, a*b/2^32: of two factors one is kept times 2^32. */
typedef struct pdp_ntt_modulus {
    uint32_t modulus;
    uint32_t inverse; /* modulus * inverse = 1 mod 2^32 */
    uint32_t one;     /* 2^32, reduced */
    uint32_t square;  /* 2^64, reduced: a factor that takes a residue times 2^32 */
    unsigned log_size;
    /* roots[s] = w^(s with its bits reversed) for a root w of the order 2^log_size, times 2^32: the first 2^m of them
     * serve all transforms of the length 2^(m+1). */
    const uint32_t *roots;
    const uint32_t *inverse_roots;
} pdp_ntt_modulus;

/* All arrays begin at multiples of 64 bytes, but for those of `add_multiple`. */
typedef struct pdp_ntt_kernel {
    /* The values of a polynomial of 2^log_size coefficients at all roots of that order, in bit-reversed order: at
     * places 2s and 2s+1 those of roots[s] and -roots[s]. With `half`, which takes twice PDP_NTT_LEAST, its upper half
     * is taken for 0, whatever is there. */
    void (*forward)(const pdp_ntt_modulus *m, uint32_t *data, unsigned log_size, int half);
    /* Back again, times 2^log_size. With `half` only the upper half is there afterwards. */
    void (*inverse)(const pdp_ntt_modulus *m, uint32_t *data, unsigned log_size, int half);
    /* out[x] = the sum over c of a[c][x] * b[c][x] / 2^32, plus out[x] if `adds`. */
    void (*multiply)(const pdp_ntt_modulus *m, uint32_t *out, const uint32_t *const *a, const uint32_t *const *b,
                     size_t count, size_t size, int adds);
    /* out[x] += factor * a[x] / 2^32, `size` a multiple of PDP_NTT_LEAST. */
    void (*add_multiple)(const pdp_ntt_modulus *m, uint32_t *out, const uint32_t *a, uint32_t factor, size_t size);
} pdp_ntt_kernel;

#endif
