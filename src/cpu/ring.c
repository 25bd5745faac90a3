#include "cpu/ring.h"

/* The largest below 2^31 with roots of the order 2^23; together above 2^154. */
static const uint32_t primes[PDP_RING_MOST] = {2130706433, 2113929217, 2088763393, 2013265921, 1811939329};

static unsigned count_bits(pdp_uwide a) {
    unsigned bits = 0;
    for (; a > 0; a >>= 1) {
        bits++;
    }
    return bits;
}

unsigned pdp_ring_bits(pdp_uwide a, pdp_uwide b) {
    return count_bits(a) + count_bits(b);
}

unsigned pdp_ring_count(pdp_ring_kind kind, int64_t modulus, unsigned bits, unsigned log_size) {
    static const unsigned product_bits[PDP_RING_MOST] = {30, 61, 92, 123, 154}; /* of the first primes, rounded down */
    if (kind == PDP_RING_MOD && pdp_ntt_is_possible((uint64_t)modulus, log_size)) {
        return 1;
    }
    for (unsigned x = 0; x < PDP_RING_MOST && log_size <= PDP_RING_LOG_SIZE; x++) {
        if (product_bits[x] >= bits + 2) { /* one for the sign, and one more so that the last digit alone shows it */
            return x + 1;
        }
    }
    return 0;
}

pdp_status pdp_ring_create(pdp_ring *ring, pdp_ring_kind kind, int64_t modulus, unsigned bits, unsigned log_size,
                           pdp_level level, pdp_error *error) {
    *ring = (pdp_ring){.kind = kind,
                       .modulus = modulus,
                       .kernel = pdp_ntt_kernel_find(level),
                       .count = pdp_ring_count(kind, modulus, bits, log_size),
                       .is_direct = kind == PDP_RING_MOD && pdp_ntt_is_possible((uint64_t)modulus, log_size)};
    for (unsigned y = 0; y < ring->count && error->status == PDP_OK; y++) {
        pdp_ntt_modulus *m = &ring->moduli[y];
        pdp_ntt_modulus_create(m, ring->is_direct ? (uint32_t)modulus : primes[y], log_size, error);
        for (unsigned x = 0; x < y; x++) {
            ring->inverses[x][y] = pdp_ntt_multiply(m, pdp_ntt_invert(primes[x], m->modulus), m->square);
        }
    }
    return error->status;
}

void pdp_ring_free(pdp_ring *ring) {
    for (unsigned x = 0; x < ring->count; x++) {
        pdp_ntt_modulus_free(&ring->moduli[x]);
    }
}

uint64_t pdp_ring_bytes(unsigned count, unsigned log_size) {
    return count * pdp_ntt_modulus_bytes(log_size);
}

/* The sum, or more by the product of the primes if it is negative, is digit[0] + prime[0] * (digit[1] + prime[1] *
 * ( ... )), each digit below its prime. Primes fall, and a digit is less than twice the prime of any later one. */
static void find_digits(const pdp_ring *ring, const uint32_t *residues, int64_t *digits) {
    for (unsigned y = 0; y < ring->count; y++) {
        const pdp_ntt_modulus *m = &ring->moduli[y];
        uint32_t digit = residues[y];
        for (unsigned x = 0; x < y; x++) {
            const uint32_t known = (uint32_t)digits[x];
            const uint32_t less = known < m->modulus ? known : known - m->modulus;
            digit = pdp_ntt_multiply(m, digit < less ? digit + m->modulus - less : digit - less, ring->inverses[x][y]);
        }
        digits[y] = digit;
    }
}

static int64_t reduce(pdp_wide value, int64_t modulus) {
    const bool is_short = value >= INT64_MIN && value <= INT64_MAX; /* and its division fast */
    const int64_t rest = is_short ? (int64_t)value % modulus : (int64_t)(value % modulus);
    return rest < 0 ? rest + modulus : rest;
}

pdp_wide pdp_ring_join(const pdp_ring *ring, const uint32_t *residues) {
    int64_t digits[PDP_RING_MOST] = {0};
    if (ring->is_direct) {
        return residues[0];
    }
    find_digits(ring, residues, digits);
    unsigned x = ring->count - 1;
    if (digits[x] > ring->moduli[x].modulus / 2) {
        digits[x] -= ring->moduli[x].modulus;
    }
    if (ring->kind == PDP_RING_MOD) {
        int64_t sum = reduce(digits[x], ring->modulus);
        while (x-- > 0) {
            sum = reduce((pdp_wide)sum * ring->moduli[x].modulus + digits[x], ring->modulus);
        }
        return sum;
    }
    if (ring->kind == PDP_RING_WRAP) {
        uint64_t sum = (uint64_t)digits[x];
        while (x-- > 0) {
            sum = sum * ring->moduli[x].modulus + (uint64_t)digits[x];
        }
        return (int64_t)sum;
    }
    pdp_wide sum = digits[x];
    while (x-- > 0) {
        sum = sum * ring->moduli[x].modulus + digits[x];
    }
    return sum;
}
