/* Compiled once for every vector level: see cmake/stamps.cmake. */
#include "cpu/ntt_kernel.h"

#define PDP_TYPE_U32
#include "cpu/kernel_vector.h"

typedef uint64_t vec_pair __attribute__((vector_size(PDP_VECTOR_BYTES)));

/* Elements of a transform that stay in the first cache while all their stages are done. */
enum { CHUNK = 1 << 12 };

/* ---- Arithmetic ---- */

/* The products of the even lanes, 64 bits each. */
PDP_INLINE vec_pair multiply_even(vec_pair a, vec_pair b) {
#if defined(__x86_64__) && PDP_VECTOR_BYTES >= 32
    vec_pair result;
    __asm__("vpmuludq %2, %1, %0" : "=v"(result) : "v"(a), "v"(b));
    return result;
#elif defined(__x86_64__)
    __asm__("pmuludq %1, %0" : "+x"(a) : "x"(b));
    return a;
#else
    return (a & UINT32_MAX) * (b & UINT32_MAX);
#endif
}

typedef struct field {
    vec modulus;
    vec inverse;
} field;

PDP_INLINE field open_field(const pdp_ntt_modulus *m) {
    return (field){v_broadcast(m->modulus), v_broadcast(m->inverse)};
}

/* a, b < P: of a+b and a+b-P the one that is not negative is the smaller as an unsigned number. */
PDP_INLINE vec add(vec a, vec b, const field *f) {
    const vec sum = a + b;
    return v_min(sum, sum - f->modulus);
}

PDP_INLINE vec subtract(vec a, vec b, const field *f) {
    const vec rest = a - b;
    return v_min(rest, rest + f->modulus);
}

/* The multiple of P with the same low half. */
PDP_INLINE vec_pair match_low_half(vec_pair a, const field *f) {
    return multiply_even(multiply_even(a, (vec_pair)f->inverse), (vec_pair)f->modulus);
}

PDP_INLINE vec multiply(vec a, vec b, const field *f) {
    const vec_pair even = multiply_even((vec_pair)a, (vec_pair)b);
    const vec_pair odd = multiply_even((vec_pair)a >> 32, (vec_pair)b >> 32);
    const vec high = (vec)((even - match_low_half(even, f)) >> 32 | (odd - match_low_half(odd, f)));
    return v_min(high, high + f->modulus);
}

/* ---- Lanes ---- */

#define PARTNER(lane, half) ((lane) ^ (half))
#define TWIDDLE(lane, half) (((lane) & (half)) != 0 ? PDP_LANES + (lane) / (2 * (half)) : (lane))
#if PDP_LANES == 16
#define SHUFFLE(a, b, from, half)                                                                                      \
    __builtin_shufflevector(a, b, from(0, half), from(1, half), from(2, half), from(3, half), from(4, half),           \
                            from(5, half), from(6, half), from(7, half), from(8, half), from(9, half), from(10, half), \
                            from(11, half), from(12, half), from(13, half), from(14, half), from(15, half))
#elif PDP_LANES == 8
#define SHUFFLE(a, b, from, half)                                                                                      \
    __builtin_shufflevector(a, b, from(0, half), from(1, half), from(2, half), from(3, half), from(4, half),           \
                            from(5, half), from(6, half), from(7, half))
#else
#define SHUFFLE(a, b, from, half)                                                                                      \
    __builtin_shufflevector(a, b, from(0, half), from(1, half), from(2, half), from(3, half))
#endif

/* A stage whose partners stand in one vector, number `place` of its transform: x + w*y and x - w*y, or in the inverse
 * x + y and w*(x - y). The lanes of x are multiplied by one. */
#define STAGE_IN_LANES(half)                                                                                           \
    PDP_INLINE vec forward_in_lanes_##half(vec a, const uint32_t *roots, size_t place, vec one, const field *f) {      \
        const vec w = *(const vec_loose *)(roots + place * (PDP_LANES / (2 * (half))));                                \
        const vec_mask is_y = (v_lanes() & (half)) != 0;                                                               \
        a = multiply(a, SHUFFLE(one, w, TWIDDLE, half), f);                                                            \
        return add(v_select(is_y, f->modulus - a, a), SHUFFLE(a, a, PARTNER, half), f);                                \
    }                                                                                                                  \
    PDP_INLINE vec inverse_in_lanes_##half(vec a, const uint32_t *roots, size_t place, vec one, const field *f) {      \
        const vec w = *(const vec_loose *)(roots + place * (PDP_LANES / (2 * (half))));                                \
        const vec_mask is_y = (v_lanes() & (half)) != 0;                                                               \
        a = add(v_select(is_y, f->modulus - a, a), SHUFFLE(a, a, PARTNER, half), f);                                   \
        return multiply(a, SHUFFLE(one, w, TWIDDLE, half), f);                                                         \
    }
STAGE_IN_LANES(1)
STAGE_IN_LANES(2)
#if PDP_LANES >= 8
STAGE_IN_LANES(4)
#endif
#if PDP_LANES >= 16
STAGE_IN_LANES(8)
#endif

static void forward_lanes(const pdp_ntt_modulus *m, uint32_t *data, size_t begin, size_t end) {
    const field f = open_field(m);
    const vec one = v_broadcast(m->one);
    for (size_t place = begin / PDP_LANES; place < end / PDP_LANES; place++) {
        vec *at = (vec *)(data + place * PDP_LANES);
        vec a = *at;
#if PDP_LANES >= 16
        a = forward_in_lanes_8(a, m->roots, place, one, &f);
#endif
#if PDP_LANES >= 8
        a = forward_in_lanes_4(a, m->roots, place, one, &f);
#endif
        a = forward_in_lanes_2(a, m->roots, place, one, &f);
        *at = forward_in_lanes_1(a, m->roots, place, one, &f);
    }
}

static void inverse_lanes(const pdp_ntt_modulus *m, uint32_t *data, size_t begin, size_t end) {
    const field f = open_field(m);
    const vec one = v_broadcast(m->one);
    for (size_t place = begin / PDP_LANES; place < end / PDP_LANES; place++) {
        vec *at = (vec *)(data + place * PDP_LANES);
        vec a = inverse_in_lanes_1(*at, m->inverse_roots, place, one, &f);
        a = inverse_in_lanes_2(a, m->inverse_roots, place, one, &f);
#if PDP_LANES >= 8
        a = inverse_in_lanes_4(a, m->inverse_roots, place, one, &f);
#endif
#if PDP_LANES >= 16
        a = inverse_in_lanes_8(a, m->inverse_roots, place, one, &f);
#endif
        *at = a;
    }
}

/* ---- Stages across vectors ---- */

/* x, y become x + w*y, x - w*y. */
PDP_INLINE void forward_pair(vec *x, vec *y, vec w, const field *f) {
    const vec product = multiply(*y, w, f);
    *y = subtract(*x, product, f);
    *x = add(*x, product, f);
}

/* x, y become x + y, w*(x - y). */
PDP_INLINE void inverse_pair(vec *x, vec *y, vec w, const field *f) {
    const vec rest = subtract(*x, *y, f);
    *x = add(*x, *y, f);
    *y = multiply(rest, w, f);
}

/* One stage of the blocks in begin .. end-1: block s of 2*half elements, those of its upper half times roots[s]. */
static void forward_stage(const pdp_ntt_modulus *m, uint32_t *data, size_t begin, size_t end, size_t half) {
    const field f = open_field(m);
    for (size_t block = begin; block < end; block += 2 * half) {
        const vec w = v_broadcast(m->roots[block / (2 * half)]);
        for (size_t x = block; x < block + half; x += PDP_LANES) {
            forward_pair((vec *)(data + x), (vec *)(data + x + half), w, &f);
        }
    }
}

/* Two stages at once, of `half` and half/2. */
static void forward_two_stages(const pdp_ntt_modulus *m, uint32_t *data, size_t begin, size_t end, size_t half) {
    const field f = open_field(m);
    const size_t quarter = half / 2;
    for (size_t block = begin; block < end; block += 2 * half) {
        const size_t s = block / (2 * half);
        const vec w = v_broadcast(m->roots[s]);
        const vec lower = v_broadcast(m->roots[2 * s]), upper = v_broadcast(m->roots[2 * s + 1]);
        for (uint32_t *at = data + block; at < data + block + quarter; at += PDP_LANES) {
            vec a = *(vec *)at, b = *(vec *)(at + quarter);
            vec c = *(vec *)(at + half), d = *(vec *)(at + half + quarter);
            forward_pair(&a, &c, w, &f);
            forward_pair(&b, &d, w, &f);
            forward_pair(&a, &b, lower, &f);
            forward_pair(&c, &d, upper, &f);
            *(vec *)at = a;
            *(vec *)(at + quarter) = b;
            *(vec *)(at + half) = c;
            *(vec *)(at + half + quarter) = d;
        }
    }
}

static void inverse_stage(const pdp_ntt_modulus *m, uint32_t *data, size_t begin, size_t end, size_t half) {
    const field f = open_field(m);
    for (size_t block = begin; block < end; block += 2 * half) {
        const vec w = v_broadcast(m->inverse_roots[block / (2 * half)]);
        for (size_t x = block; x < block + half; x += PDP_LANES) {
            inverse_pair((vec *)(data + x), (vec *)(data + x + half), w, &f);
        }
    }
}

/* Two stages at once, of half/2 and `half`. */
static void inverse_two_stages(const pdp_ntt_modulus *m, uint32_t *data, size_t begin, size_t end, size_t half) {
    const field f = open_field(m);
    const size_t quarter = half / 2;
    for (size_t block = begin; block < end; block += 2 * half) {
        const size_t s = block / (2 * half);
        const vec w = v_broadcast(m->inverse_roots[s]);
        const vec lower = v_broadcast(m->inverse_roots[2 * s]), upper = v_broadcast(m->inverse_roots[2 * s + 1]);
        for (uint32_t *at = data + block; at < data + block + quarter; at += PDP_LANES) {
            vec a = *(vec *)at, b = *(vec *)(at + quarter);
            vec c = *(vec *)(at + half), d = *(vec *)(at + half + quarter);
            inverse_pair(&a, &b, lower, &f);
            inverse_pair(&c, &d, upper, &f);
            inverse_pair(&a, &c, w, &f);
            inverse_pair(&b, &d, w, &f);
            *(vec *)at = a;
            *(vec *)(at + quarter) = b;
            *(vec *)(at + half) = c;
            *(vec *)(at + half + quarter) = d;
        }
    }
}

/* ---- Transforms ---- */

static int is_odd_power(size_t size) {
    return __builtin_ctzll(size) % 2 != 0;
}

/* All stages of `half` and below for the blocks in begin .. end-1. */
static void forward_rest(const pdp_ntt_modulus *m, uint32_t *data, size_t begin, size_t end, size_t half) {
    if (half >= PDP_LANES && is_odd_power(2 * half / PDP_LANES)) {
        forward_stage(m, data, begin, end, half);
        half /= 2;
    }
    for (; half >= PDP_LANES; half /= 4) {
        forward_two_stages(m, data, begin, end, half);
    }
    forward_lanes(m, data, begin, end);
}

static void ntt_forward(const pdp_ntt_modulus *m, uint32_t *data, unsigned log_size, int half_given) {
    const size_t size = (size_t)1 << log_size;
    size_t half = size / 2;
    if (half_given) { /* x + w*0 and x - w*0 */
        for (size_t x = 0; x < half; x += PDP_NTT_LEAST / 2) {
            __builtin_memcpy(data + half + x, data + x, PDP_NTT_LEAST / 2 * sizeof *data);
        }
        half /= 2;
    }
    for (; 2 * half > CHUNK; half /= 4) {
        forward_two_stages(m, data, 0, size, half);
    }
    const size_t chunk = size < CHUNK ? size : CHUNK;
    for (size_t begin = 0; begin < size; begin += chunk) {
        forward_rest(m, data, begin, begin + chunk, half);
    }
}

/* All stages below `half` for the blocks in begin .. end-1. */
static void inverse_begin(const pdp_ntt_modulus *m, uint32_t *data, size_t begin, size_t end, size_t half) {
    size_t at = PDP_LANES;
    inverse_lanes(m, data, begin, end);
    for (; 2 * at < half; at *= 4) {
        inverse_two_stages(m, data, begin, end, 2 * at);
    }
    if (at < half) {
        inverse_stage(m, data, begin, end, at);
    }
}

static void ntt_inverse(const pdp_ntt_modulus *m, uint32_t *data, unsigned log_size, int half_wanted) {
    const size_t size = (size_t)1 << log_size;
    const size_t last = half_wanted ? size / 2 : size; /* stages below this one */
    const size_t chunk = size < CHUNK ? size : CHUNK;
    size_t half = last < chunk ? last : chunk;
    for (size_t begin = 0; begin < size; begin += chunk) {
        inverse_begin(m, data, begin, begin + chunk, half);
    }
    for (; 2 * half < last; half *= 4) {
        inverse_two_stages(m, data, 0, size, 2 * half);
    }
    if (half < last) {
        inverse_stage(m, data, 0, size, half);
    }
    if (half_wanted) { /* x - y: the last stage has the root 1 alone */
        const field f = open_field(m);
        for (size_t x = 0; x < last; x += PDP_LANES) {
            vec *upper = (vec *)(data + last + x);
            *upper = subtract(*(vec *)(data + x), *upper, &f);
        }
    }
}

/* ---- Products ---- */

static void ntt_multiply(const pdp_ntt_modulus *m, uint32_t *out, const uint32_t *const *a, const uint32_t *const *b,
                         size_t count, size_t size, int adds) {
    enum { TOGETHER = 4 }; /* products below 2^62, whose sum is below 2^64 */
    const field f = open_field(m);
    const vec_pair high_half = (vec_pair){0} - ((uint64_t)1 << 32);
    for (size_t x = 0; x < size; x += PDP_LANES) {
        vec sum = adds ? *(const vec *)(out + x) : (vec){0};
        for (size_t c = 0; c < count;) {
            const size_t end = c + TOGETHER < count ? c + TOGETHER : count;
            vec_pair even = {0}, odd = {0};
            for (; c < end; c++) {
                const vec_pair left = *(const vec_pair *)(a[c] + x), right = *(const vec_pair *)(b[c] + x);
                even += multiply_even(left, right);
                odd += multiply_even(left >> 32, right >> 32);
            }
            vec high = (vec)(even >> 32 | (odd & high_half)); /* below 2P */
            high = v_min(high, high - f.modulus);
            const vec low = (vec)(match_low_half(even, &f) >> 32 | (match_low_half(odd, &f) & high_half));
            sum = add(sum, subtract(high, low, &f), &f);
        }
        *(vec *)(out + x) = sum;
    }
}

static void ntt_add_multiple(const pdp_ntt_modulus *m, uint32_t *out, const uint32_t *a, uint32_t factor, size_t size) {
    const field f = open_field(m);
    const vec w = v_broadcast(factor);
    for (size_t x = 0; x < size; x += PDP_LANES) {
        vec_loose *at = (vec_loose *)(out + x);
        *at = add(*at, multiply(*(const vec_loose *)(a + x), w, &f), &f);
    }
}

#define JOIN(name, level) name##_##level
#define NAME(name, level) JOIN(name, level)
extern const pdp_ntt_kernel NAME(pdp_ntt_kernel, PDP_STAMP_LEVEL);
const pdp_ntt_kernel NAME(pdp_ntt_kernel, PDP_STAMP_LEVEL) = {
    .forward = ntt_forward,
    .inverse = ntt_inverse,
    .multiply = ntt_multiply,
    .add_multiple = ntt_add_multiple,
};
