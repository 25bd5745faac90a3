/* Whole numbers, residues modulo P and numbers modulo 2^64 in transforms: as residues modulo so many primes that their
 * sums of products are known exactly, or modulo P itself where P has roots of unity. */
#ifndef PDP_CPU_RING_H
#define PDP_CPU_RING_H

#include "core/wide.h"
#include "cpu/ntt.h"

enum {
    PDP_RING_MOST = 5,     /* primes */
    PDP_RING_LOG_SIZE = 23 /* of the longest transform that they all have */
};

typedef enum pdp_ring_kind { PDP_RING_EXACT, PDP_RING_WRAP, PDP_RING_MOD } pdp_ring_kind;

typedef struct pdp_ring {
    pdp_ring_kind kind;
    int64_t modulus; /* PDP_RING_MOD */
    const pdp_ntt_kernel *kernel;
    pdp_ntt_modulus moduli[PDP_RING_MOST];
    unsigned count;
    bool is_direct;                                  /* the one modulus is the ring's */
    uint32_t inverses[PDP_RING_MOST][PDP_RING_MOST]; /* [x][y]: 1 / prime x modulo prime y */
} pdp_ring;

/* Bits of the largest sum of products of which `a` is the largest factor, and `b` the sum of the other factors, all
 * without their signs. */
unsigned pdp_ring_bits(pdp_uwide a, pdp_uwide b);

/* How many primes hold sums of so many bits and a sign; 1 if the ring's modulus itself does. 0 if there are none. */
unsigned pdp_ring_count(pdp_ring_kind kind, int64_t modulus, unsigned bits, unsigned log_size);

/* For transforms up to the length 2^log_size. The count must not be 0. PDP_NO_MEMORY on failure; freed in any case. */
pdp_status pdp_ring_create(pdp_ring *ring, pdp_ring_kind kind, int64_t modulus, unsigned bits, unsigned log_size,
                           pdp_level level, pdp_error *error);
void pdp_ring_free(pdp_ring *ring);
uint64_t pdp_ring_bytes(unsigned count, unsigned log_size);

/* The residue of a number modulo prime x. */
static inline uint32_t pdp_ring_residue(const pdp_ring *ring, unsigned x, int64_t value) {
    const int64_t modulus = ring->moduli[x].modulus;
    const int64_t rest = value % modulus;
    return (uint32_t)(rest < 0 ? rest + modulus : rest);
}

/* A sum from its residues: exact, or 0 .. P-1, or within int64. */
pdp_wide pdp_ring_join(const pdp_ring *ring, const uint32_t *residues);

#endif
