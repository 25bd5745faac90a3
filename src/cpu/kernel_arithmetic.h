/* The operations that emitted expressions are made of: s_ on elements, v_ on vectors, w_ on whole numbers, k_ on the
 * problem's data. Those that need the data (a modulus, a place for a fault) are macros that take it from `d`. */
#ifndef PDP_CPU_KERNEL_ARITHMETIC_H
#define PDP_CPU_KERNEL_ARITHMETIC_H

#if defined(__OPENCL_C_VERSION__)
#define PDP_UNLIKELY(condition) (condition)
#else
#define PDP_UNLIKELY(condition) __builtin_expect(condition, 0)
#endif

/* ---- Whole numbers ---- */

PDP_INLINE int64_t w_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}
PDP_INLINE int64_t w_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}
PDP_INLINE int64_t w_abs(int64_t a) {
    return a < 0 ? -a : a;
}
PDP_INLINE int64_t w_shift_left(int64_t a, int64_t b) {
    return b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b);
}
PDP_INLINE int64_t w_shift_right(int64_t a, int64_t b) {
    return b < 0 || b > 63 ? 0 : a >> b;
}

#if !defined(PDP_ON_DEVICE)
static __attribute__((noinline, cold, unused)) int ATOMIC_CLAIM(int64_t *p, int64_t value) {
    int64_t none = 0;
    return __atomic_compare_exchange_n(p, &none, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
#endif
PDP_SEPARATE void k_fail(PDP_DATA d, int64_t kind, int64_t input, int64_t axis, int64_t index) {
    /* The first to set the kind owns the rest. */
    if (ATOMIC_CLAIM(&k_fault()->kind, kind)) {
        k_fault()->input = input;
        k_fault()->axis = axis;
        k_fault()->index = index;
    }
}
PDP_INLINE int64_t w_divide(PDP_DATA d, int64_t a, int64_t b) {
    if (b == 0) {
        k_fail(d, 2, 0, 0, 0);
        return 0;
    }
    return b == -1 ? -a : a / b;
}
PDP_INLINE int64_t w_remainder(PDP_DATA d, int64_t a, int64_t b) {
    if (b == 0) {
        k_fail(d, 2, 0, 0, 0);
        return 0;
    }
    return b == -1 ? 0 : a % b;
}
PDP_INLINE int64_t k_index(PDP_DATA d, int64_t input, int64_t axis, int64_t index) {
    if (PDP_UNLIKELY(index < 0 || index >= d->extents[input][axis])) {
        k_fail(d, 1, input, axis, index);
        return 0;
    }
    return index;
}

/* Both ends of a sum are inside the input, or just behind it. */
PDP_INLINE int k_ends_fit(PDP_DATA d, int64_t input, int64_t a, int64_t b) {
    const uint64_t extent = (uint64_t)d->extents[input][0];
    if (PDP_UNLIKELY((uint64_t)a > extent || (uint64_t)b > extent)) {
        k_fail(d, 1, input, 0, (uint64_t)a > extent ? a : b);
        return 0;
    }
    return 1;
}

/* The sum of items a .. b-1 of an input, from its running sums. */
PDP_INLINE int64_t k_whole_sum(PDP_DATA d, int64_t input, int64_t a, int64_t b, int proven) {
    if ((!proven && !k_ends_fit(d, input, a, b)) || b <= a) {
        return 0;
    }
    return k_whole_sums(input)[b] - k_whole_sums(input)[a];
}

/* ---- Elements ---- */

#if defined(PDP_TYPE_WIDE)
/* Numbers are exact from -2^126 to 2^126-1, which holds every product of two that fit. There are three kinds of too
 * large. Beyond: a value that leaves that, but is one; sums and products keep it beyond, so that such a candidate loses
 * and such a cell is seen. Unknown: what is left when something as large is taken off again; it wins every comparison,
 * so that the cell is seen. Infinite: no value at all; stays infinite whatever is added. As in recurrence/interpret.h.
 */
#define PDP_EXACT ((elem)1 << 126)
#define PDP_BEYOND (PDP_EXACT + (PDP_EXACT >> 2))
#define PDP_UNKNOWN (-PDP_EXACT - (PDP_EXACT >> 1))
#define PDP_INFINITE (PDP_EXACT + (PDP_EXACT >> 1) + (PDP_EXACT >> 2))
/* The top bit is set if the number is one of the three. */
PDP_INLINE uint64_t k_excess(elem a) {
    return (uint64_t)(a >> 64) + (UINT64_C(1) << 62);
}
PDP_INLINE int s_is_beyond(elem a) {
    return k_excess(a) >> 63 != 0;
}
PDP_INLINE int s_is_infinite(elem a) {
    return a == PDP_INFINITE || a == -PDP_INFINITE;
}
PDP_INLINE int s_is_unknown(elem a) {
    return a == PDP_UNKNOWN;
}
PDP_SEPARATE elem k_add_large(elem a, elem b) {
    const elem much =
        (elem)1 << 96; /* as often as one may add, less than this comes to nothing beside what is beyond */
    if (s_is_infinite(a) || s_is_infinite(b)) {
        return s_is_infinite(a) ? a : b;
    }
    if (s_is_unknown(a) || s_is_unknown(b)) {
        return PDP_UNKNOWN;
    }
    if (!s_is_beyond(a) && !s_is_beyond(b)) {
        return a < 0 ? -PDP_BEYOND : PDP_BEYOND;
    }
    const elem large = s_is_beyond(a) ? a : b;
    const elem other = s_is_beyond(a) ? b : a;
    return large < 0 ? (other > much ? PDP_UNKNOWN : large) : (other < -much ? PDP_UNKNOWN : large);
}
PDP_INLINE elem s_add(elem a, elem b) {
    const elem sum = (elem)((unsigned __int128)a + (unsigned __int128)b);
    return PDP_UNLIKELY((k_excess(a) | k_excess(b) | k_excess(sum)) >> 63 != 0) ? k_add_large(a, b) : sum;
}
PDP_INLINE elem s_negate(elem a) {
    return PDP_UNLIKELY(s_is_unknown(a)) ? a : -a;
}
PDP_INLINE elem s_subtract(elem a, elem b) {
    return s_add(a, s_negate(b));
}
PDP_INLINE elem s_mul(elem a, elem b) {
    elem product;
    if (PDP_UNLIKELY(__builtin_mul_overflow(a, b, &product) || s_is_beyond(product))) {
        elem most = s_is_infinite(a) || s_is_infinite(b) ? PDP_INFINITE : PDP_BEYOND;
        return s_is_unknown(a) || s_is_unknown(b) ? PDP_UNKNOWN : (a < 0) == (b < 0) ? most : -most;
    }
    return product;
}
/* The unknown is less than all other values as it is. */
#define s_max(a, b) k_wide_max(a, b)
PDP_INLINE elem k_wide_max(elem a, elem b) {
    return PDP_UNLIKELY(s_is_unknown(a)) || (a > b && !s_is_unknown(b)) ? a : b;
}
#define s_muladd(a, b, c) s_add(s_mul(a, b), c)
#elif defined(PDP_MODULAR)
/* a and b are below the modulus, which is below half of the type's range: of a+b and a+b-P the one that is not negative
 * is the smaller as an unsigned number. */
PDP_INLINE elem k_modular_add(elem a, elem b, elem modulus) {
    const elem sum = a + b;
    return s_min(sum, sum - modulus);
}
PDP_INLINE elem k_modular_multiply(elem a, elem b, elem modulus) {
#if PDP_ELEM_BYTES == 4
    return (elem)((uint64_t)a * b % modulus);
#elif defined(__OPENCL_C_VERSION__) /* which has nothing wider: by doubling */
    elem product = 0;
    for (; b != 0; b >>= 1) {
        product = (b & 1) != 0 ? k_modular_add(product, a, modulus) : product;
        a = k_modular_add(a, a, modulus);
    }
    return product;
#else
    return (elem)((unsigned __int128)a * b % modulus);
#endif
}
#define s_add(a, b) k_modular_add(a, b, (elem)d->modulus)
#define s_subtract(a, b) k_modular_add(a, (elem)d->modulus - (b), (elem)d->modulus)
#define s_negate(a) k_modular_add(0, (elem)d->modulus - (a), (elem)d->modulus)
#define s_mul(a, b) k_modular_multiply(a, b, (elem)d->modulus)
#define s_muladd(a, b, c) s_add(s_mul(a, b), c)
#if !defined(PDP_SCALAR)
PDP_INLINE vec k_modular_add_vectors(vec a, vec b, vec modulus) {
    vec sum = a + b;
    return v_min(sum, sum - modulus);
}
#define v_add(a, b) k_modular_add_vectors(a, b, v_broadcast((elem)d->modulus))
#define v_subtract(a, b) k_modular_add_vectors(a, v_broadcast((elem)d->modulus) - (b), v_broadcast((elem)d->modulus))
#define v_negate(a) k_modular_add_vectors((vec){0}, v_broadcast((elem)d->modulus) - (a), v_broadcast((elem)d->modulus))
#endif
#else
#define s_add(a, b) ((elem)((a) + (b)))
#define s_subtract(a, b) ((elem)((a) - (b)))
#define s_mul(a, b) ((elem)((a) * (b)))
#endif
#if !defined(s_negate) && !defined(PDP_TYPE_WIDE)
#define s_negate(a) ((elem) - (a))
#endif

#if defined(PDP_FLOATS)
#define s_abs(a) PDP_MATH(fabs)(a)
#define s_sqrt(a) PDP_MATH(sqrt)(a)
#define s_exp(a) PDP_MATH(exp)(a)
#define s_log(a) PDP_MATH(log)(a)
#define s_pow(a, b) PDP_MATH(pow)(a, b)
#define s_divide(a, b) ((a) / (b))
PDP_INLINE elem k_whole_divide(PDP_DATA d, elem a, elem b) {
    if (b == 0) {
        k_fail(d, 2, 0, 0, 0);
        return 0;
    }
    return PDP_MATH(trunc)(a / b);
}
#define s_whole_divide(a, b) k_whole_divide(d, a, b)
PDP_INLINE elem s_logsumexp(elem a, elem b) {
    elem most = a > b ? a : b;
    elem least = a > b ? b : a;
    return most == (elem)PDP_INF || most == -(elem)PDP_INF ? most : most + PDP_MATH(log1p)(PDP_MATH(exp)(least - most));
}
#else
PDP_INLINE elem s_abs(elem a) {
#if defined(PDP_TYPE_WIDE)
    return a < 0 ? s_negate(a) : a;
#else
    return a < 0 ? -a : a;
#endif
}
PDP_INLINE elem k_divide(PDP_DATA d, elem a, elem b, int remainder) {
    if (b == 0) {
        k_fail(d, 2, 0, 0, 0);
        return 0;
    }
#if defined(PDP_TYPE_WIDE)
    if (s_is_unknown(b)) {
        return s_is_infinite(a) ? a : b;
    }
    if (s_is_beyond(a)) {
        return b < 0 && !remainder ? s_negate(a) : a;
    }
#endif
#if !defined(PDP_TYPE_U32) && !defined(PDP_TYPE_U64)
    if (b == -1) {
        return remainder ? 0 : -a;
    }
#endif
    return remainder ? a % b : a / b;
}
#define s_divide(a, b) k_divide(d, a, b, 0)
#define s_remainder(a, b) k_divide(d, a, b, 1)
#if defined(PDP_TYPE_WIDE)
#define PDP_BITS(name, sign)                                                                                           \
    PDP_INLINE elem name(elem a, elem b) {                                                                             \
        return s_is_beyond(a) ? a : s_is_beyond(b) ? b : a sign b;                                                     \
    }
PDP_BITS(s_and, &)
PDP_BITS(s_or, |)
PDP_BITS(s_xor, ^)
PDP_INLINE elem s_flip(elem a) {
    return s_is_unknown(a) ? a : ~a;
}
#else
#define s_and(a, b) ((elem)((a) & (b)))
#define s_or(a, b) ((elem)((a) | (b)))
#define s_xor(a, b) ((elem)((a) ^ (b)))
#define s_flip(a) ((elem) ~(a))
#endif
PDP_INLINE elem s_gcd(elem a, elem b) {
#if defined(PDP_TYPE_WIDE)
    if (s_is_beyond(a) || s_is_beyond(b)) {
        return s_is_beyond(a) ? a : b;
    }
#endif
    a = s_abs(a);
    b = s_abs(b);
    while (b != 0 && a != 1) { /* which most are soon */
        elem rest = b == 1 ? 0 : a % b;
        a = b;
        b = rest;
    }
    return a;
}
/* Distances outside the type's width leave nothing; the product form keeps a saturated value saturated. */
PDP_INLINE elem s_shift_left(elem a, int64_t b) {
#if defined(PDP_TYPE_WIDE)
    return b < 0 || b > 63 ? 0 : s_mul(a, (elem)1 << b);
#else
    return b < 0 || b >= 8 * PDP_ELEM_BYTES ? 0 : (elem)(a << b);
#endif
}
PDP_INLINE elem s_shift_right(elem a, int64_t b) {
#if defined(PDP_TYPE_WIDE)
    if (s_is_beyond(a)) {
        return a;
    }
#endif
    return b < 0 || b > 63 ? 0 : b >= 8 * PDP_ELEM_BYTES ? (elem)(a < 0 ? -1 : 0) : (elem)(a >> b);
}
#endif

#if defined(PDP_MODULAR)
PDP_INLINE elem k_modular_from(int64_t a, int64_t modulus) {
    int64_t rest = a % modulus;
    return (elem)(rest < 0 ? rest + modulus : rest);
}
#define s_from(a) k_modular_from(a, d->modulus)
#else
#define s_from(a) ((elem)(a))
#endif
#define s_from_truth(a) ((elem)((a) ? 1 : 0))

/* In doubles for floats: the difference of two long sums has lost many bits. */
PDP_INLINE elem k_sum(PDP_DATA d, int64_t input, int64_t a, int64_t b, int proven) {
    if (!proven && !k_ends_fit(d, input, a, b)) {
        return 0;
    }
#if defined(PDP_TYPE_F32)
    const elem sum = (elem)(k_sums(double, input)[b] - k_sums(double, input)[a]);
#else
    const elem sum = s_subtract(k_sums(elem, input)[b], k_sums(elem, input)[a]);
#endif
    return b <= a ? 0 : sum; /* after the lookups, so that loops over b need no branch */
}

#define k_identity_add() ((elem)0)
#define k_identity_or() ((elem)0)
#define k_identity_xor() ((elem)0)
#define k_identity_mul() ((elem)1)
#define k_identity_and() ((elem) ~(elem)0)
#if defined(PDP_TYPE_WIDE)
#define k_identity_min() PDP_INFINITE
#define k_identity_max() (-PDP_INFINITE)
#elif defined(PDP_FLOATS)
#define k_identity_min() ((elem)PDP_INF)
#define k_identity_max() (-(elem)PDP_INF)
#elif defined(PDP_TYPE_U32) || defined(PDP_TYPE_U64)
#define k_identity_min() ((elem)-1)
#define k_identity_max() ((elem)0)
#else
#define k_identity_max() ((elem)((uint64_t)1 << (8 * PDP_ELEM_BYTES - 1)))
#define k_identity_min() ((elem)~k_identity_max())
#endif

/* ---- Vectors ---- */

#if defined(PDP_SCALAR)
#define v_add s_add
#define v_subtract s_subtract
#define v_mul s_mul
#define v_negate s_negate
#define v_abs s_abs
#define v_divide s_divide
#define v_and s_and
#define v_or s_or
#define v_xor s_xor
#define v_flip s_flip
#define v_gcd s_gcd
#define v_logsumexp s_logsumexp
#define v_shift_left s_shift_left
#define v_shift_right s_shift_right
#define v_from_truth s_from_truth
#define v_mask(a) (a)
#undef v_muladd
#define v_muladd s_muladd
#else
#if !defined(v_add)
#define v_add(a, b) ((a) + (b))
#define v_subtract(a, b) ((a) - (b))
#define v_negate(a) (-(a))
#endif
#define v_mul(a, b) ((a) * (b))
#define v_divide(a, b) ((a) / (b))
#define v_and(a, b) ((a) & (b))
#define v_or(a, b) ((a) | (b))
#define v_xor(a, b) ((a) ^ (b))
#define v_flip(a) (~(a))
#define v_abs(a) v_max(a, -(a))
PDP_INLINE vec_mask v_mask(int truth) {
    return (vec_mask){0} - (elem_mask)(truth ? 1 : 0);
}
PDP_INLINE vec v_from_truth(vec_mask truth) {
    return v_select(truth, v_broadcast((elem)1), v_broadcast((elem)0));
}
#if !defined(PDP_FLOATS)
PDP_INLINE vec v_shift_left(vec a, int64_t b) {
    return b < 0 || b >= 8 * PDP_ELEM_BYTES ? (vec){0} : a << (elem)b;
}
PDP_INLINE vec v_shift_right(vec a, int64_t b) {
    return b < 0 || b > 63 ? (vec){0} : a >> (elem)(b >= 8 * PDP_ELEM_BYTES ? 8 * PDP_ELEM_BYTES - 1 : b);
}
#endif
#endif

#endif
