/* Vectors of the element type, one register wide, for the kernels that are stamped for a recurrence.
 *
 * The stamp defines, before this text:
 *   PDP_TYPE_I32, _I64, _F32, _F64, _U32, _U64 or _WIDE   the element type
 *   PDP_SCALAR        if the recurrence's expressions are not for vectors: vec is then the element itself
 *   PDP_SHORT_PRODUCTS  I64: every product is proven to be in 0 .. 2^52-1, as are its factors
 * The instruction set is the one the text is compiled for. Sums, products and comparisons are GNU vector
 * operators; what those lack (least, greatest, fused multiply-add) is written per instruction set, in
 * assembly, because the compilers' own headers take longer to read than a kernel takes to compile. */
#ifndef PDP_CPU_KERNEL_VECTOR_H
#define PDP_CPU_KERNEL_VECTOR_H

#if !defined(PDP_ON_DEVICE)
#include <stdint.h>

#define PDP_INLINE static inline __attribute__((always_inline, unused))
#define PDP_SEPARATE static __attribute__((noinline)) /* one copy: a kernel should take little time to compile */
#define PDP_SINGLE(name) __builtin_##name##f
#define PDP_DOUBLE(name) __builtin_##name
#define PDP_INF __builtin_inf()
#define PDP_FOLD(value, statements)                                                                                    \
    ({                                                                                                                 \
        statements;                                                                                                    \
        value;                                                                                                         \
    })

#if defined(PDP_LOOPS) /* loops of scalars, a hundred times over, would take a compiler half a minute */
#define PDP_UNROLLED
#elif defined(__clang__)
#define PDP_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define PDP_UNROLLED _Pragma("GCC unroll 32")
#endif
#endif

#if defined(PDP_TYPE_I32)
typedef int32_t elem;
typedef int32_t elem_mask;
#define PDP_ELEM_BYTES 4
#elif defined(PDP_TYPE_I64)
typedef int64_t elem;
typedef int64_t elem_mask;
#define PDP_ELEM_BYTES 8
#elif defined(PDP_TYPE_F32)
typedef float elem;
typedef int32_t elem_mask;
#define PDP_ELEM_BYTES 4
#elif defined(PDP_TYPE_F64)
typedef double elem;
typedef int64_t elem_mask;
#define PDP_ELEM_BYTES 8
#elif defined(PDP_TYPE_U32)
typedef uint32_t elem;
typedef int32_t elem_mask;
#define PDP_ELEM_BYTES 4
#elif defined(PDP_TYPE_U64)
typedef uint64_t elem;
typedef int64_t elem_mask;
#define PDP_ELEM_BYTES 8
#elif defined(PDP_TYPE_WIDE)
__extension__ typedef __int128 elem;
__extension__ typedef __int128 elem_mask;
#define PDP_ELEM_BYTES 16
#define PDP_SCALAR
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#define PDP_VECTOR_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__)
#define PDP_VECTOR_BYTES 32
#else
#define PDP_VECTOR_BYTES 16
#endif

#if defined(PDP_SCALAR)
#define PDP_LANES 1
typedef elem vec;
typedef elem_mask vec_mask;
typedef elem vec_loose;
#else
#define PDP_LANES (PDP_VECTOR_BYTES / PDP_ELEM_BYTES)
typedef elem vec __attribute__((vector_size(PDP_VECTOR_BYTES)));
typedef elem_mask vec_mask __attribute__((vector_size(PDP_VECTOR_BYTES)));
/* The same at any element's address. */
typedef elem vec_loose __attribute__((vector_size(PDP_VECTOR_BYTES), aligned(PDP_ELEM_BYTES), may_alias));
#endif

/* Hides from the compiler how a vector came about, so that it is made once and not at each use. */
#if defined(PDP_SCALAR)
#define PDP_OPAQUE_VECTOR(x) (void)(x)
#elif defined(__x86_64__)
#define PDP_OPAQUE_VECTOR(x) __asm__("" : "+v"(x))
#elif defined(__aarch64__)
#define PDP_OPAQUE_VECTOR(x) __asm__("" : "+w"(x))
#else
#define PDP_OPAQUE_VECTOR(x) (void)(x)
#endif

/* ---- Scalars ---- */

#if defined(PDP_TYPE_F32) || defined(PDP_TYPE_F64)
#define PDP_FLOATS
#endif
#if defined(PDP_TYPE_F32)
#define PDP_MATH(name) PDP_SINGLE(name)
#else
#define PDP_MATH(name) PDP_DOUBLE(name)
#endif

/* A float that is no number is not lost in a choice: the cell shows it. */
#if defined(PDP_KEEPS_NAN)
PDP_INLINE elem s_min(elem a, elem b) {
    return a < b || a != a ? a : b;
}
PDP_INLINE elem s_max(elem a, elem b) {
    return a > b || a != a ? a : b;
}
#elif defined(PDP_ON_DEVICE) && defined(PDP_TYPE_F32) /* one instruction there */
#define s_min(a, b) PDP_MATH(fmin)(a, b)
#define s_max(a, b) PDP_MATH(fmax)(a, b)
#else
PDP_INLINE elem s_min(elem a, elem b) {
    return a < b ? a : b;
}
PDP_INLINE elem s_max(elem a, elem b) {
    return a > b ? a : b;
}
#endif
PDP_INLINE elem s_select(elem_mask condition, elem a, elem b) {
    return condition ? a : b;
}
PDP_INLINE elem s_muladd(elem a, elem b, elem c) {
#if defined(PDP_FLOATS)
    return PDP_MATH(fma)(a, b, c);
#elif defined(__CUDACC__) && defined(PDP_TYPE_I32)
    /* The compiler would rather add c to what is added next, and so lose the instruction that adds and compares. */
    elem result;
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
#else
    return a * b + c;
#endif
}

/* ---- Vectors ---- */

#if defined(PDP_SCALAR)

#define v_min s_min
#define v_max s_max
#define v_select s_select
#define v_muladd s_muladd
PDP_INLINE vec v_broadcast(elem a) {
    return a;
}
PDP_INLINE vec v_lane(vec a, int lane) {
    (void)lane;
    return a;
}
PDP_INLINE elem v_first(vec a) {
    return a;
}
/* True in the lanes above `lane`. */
PDP_INLINE vec_mask v_above(int lane) {
    return lane < 0;
}
PDP_INLINE vec_mask v_only(int lane) {
    return lane == 0;
}

#else

PDP_INLINE vec v_broadcast(elem a) {
    return a - (vec){0};
}

/* a where the mask is -1, b where it is 0. */
PDP_INLINE vec v_select(vec_mask condition, vec a, vec b) {
    return (vec)((condition & (vec_mask)a) | (~condition & (vec_mask)b));
}

#define PDP_BINARY(name, instruction)                                                                                  \
    PDP_INLINE vec name(vec a, vec b) {                                                                                \
        vec result;                                                                                                    \
        __asm__(instruction " %2, %1, %0" : "=v"(result) : "v"(a), "v"(b));                                            \
        return result;                                                                                                 \
    }
#define PDP_BINARY_SSE(name, instruction)                                                                              \
    PDP_INLINE vec name(vec a, vec b) {                                                                                \
        __asm__(instruction " %1, %0" : "+x"(a) : "x"(b));                                                             \
        return a;                                                                                                      \
    }
#define PDP_COMPARED(name, relation)                                                                                   \
    PDP_INLINE vec name(vec a, vec b) {                                                                                \
        return v_select(a relation b, a, b);                                                                           \
    }

#if defined(PDP_KEEPS_NAN)
#define PDP_LEAST v_least
#define PDP_GREATEST v_greatest
#else
#define PDP_LEAST v_min
#define PDP_GREATEST v_max
#endif
#if PDP_VECTOR_BYTES >= 32 && defined(PDP_TYPE_F64)
PDP_BINARY(PDP_LEAST, "vminpd")
PDP_BINARY(PDP_GREATEST, "vmaxpd")
#elif PDP_VECTOR_BYTES >= 32 && defined(PDP_TYPE_F32)
PDP_BINARY(PDP_LEAST, "vminps")
PDP_BINARY(PDP_GREATEST, "vmaxps")
#elif PDP_VECTOR_BYTES >= 32 && defined(PDP_TYPE_I32)
PDP_BINARY(PDP_LEAST, "vpminsd")
PDP_BINARY(PDP_GREATEST, "vpmaxsd")
#elif PDP_VECTOR_BYTES >= 32 && defined(PDP_TYPE_U32)
PDP_BINARY(PDP_LEAST, "vpminud")
PDP_BINARY(PDP_GREATEST, "vpmaxud")
#elif PDP_VECTOR_BYTES >= 64 && defined(PDP_TYPE_I64)
PDP_BINARY(PDP_LEAST, "vpminsq")
PDP_BINARY(PDP_GREATEST, "vpmaxsq")
#elif PDP_VECTOR_BYTES >= 64 && defined(PDP_TYPE_U64)
PDP_BINARY(PDP_LEAST, "vpminuq")
PDP_BINARY(PDP_GREATEST, "vpmaxuq")
#elif PDP_VECTOR_BYTES >= 32 && defined(PDP_TYPE_I64)
/* AVX2 compares 64-bit integers but has no least and greatest. */
PDP_INLINE vec PDP_LEAST(vec a, vec b) {
    vec result;
    __asm__("vpcmpgtq %2, %1, %0\n\tvblendvpd %0, %2, %1, %0" : "=&x"(result) : "x"(a), "x"(b));
    return result;
}
PDP_INLINE vec PDP_GREATEST(vec a, vec b) {
    vec result;
    __asm__("vpcmpgtq %2, %1, %0\n\tvblendvpd %0, %1, %2, %0" : "=&x"(result) : "x"(a), "x"(b));
    return result;
}
#elif defined(__SSE4_2__) && defined(PDP_TYPE_F64)
PDP_BINARY_SSE(PDP_LEAST, "minpd")
PDP_BINARY_SSE(PDP_GREATEST, "maxpd")
#elif defined(__SSE4_2__) && defined(PDP_TYPE_F32)
PDP_BINARY_SSE(PDP_LEAST, "minps")
PDP_BINARY_SSE(PDP_GREATEST, "maxps")
#elif defined(__SSE4_2__) && defined(PDP_TYPE_I32)
PDP_BINARY_SSE(PDP_LEAST, "pminsd")
PDP_BINARY_SSE(PDP_GREATEST, "pmaxsd")
#elif defined(__SSE4_2__) && defined(PDP_TYPE_U32)
PDP_BINARY_SSE(PDP_LEAST, "pminud")
PDP_BINARY_SSE(PDP_GREATEST, "pmaxud")
#else
PDP_COMPARED(PDP_LEAST, <)
PDP_COMPARED(PDP_GREATEST, >)
#endif
#if defined(PDP_KEEPS_NAN)
/* Of two that do not compare the second comes out: alone, the first would be lost. */
PDP_INLINE vec v_min(vec a, vec b) {
    return v_select((vec_mask)(a != a), a, v_least(a, b));
}
PDP_INLINE vec v_max(vec a, vec b) {
    return v_select((vec_mask)(a != a), a, v_greatest(a, b));
}
#endif

/* a * b + c: one rounding in floats, on every machine. */
#if PDP_VECTOR_BYTES >= 32 && defined(PDP_TYPE_F64)
PDP_INLINE vec v_muladd(vec a, vec b, vec c) {
    __asm__("vfmadd231pd %2, %1, %0" : "+v"(c) : "v"(a), "v"(b));
    return c;
}
#elif PDP_VECTOR_BYTES >= 32 && defined(PDP_TYPE_F32)
PDP_INLINE vec v_muladd(vec a, vec b, vec c) {
    __asm__("vfmadd231ps %2, %1, %0" : "+v"(c) : "v"(a), "v"(b));
    return c;
}
#elif defined(PDP_TYPE_I64) && defined(PDP_SHORT_PRODUCTS) && PDP_VECTOR_BYTES >= 64 && defined(__AVX512IFMA__)
PDP_INLINE vec v_muladd(vec a, vec b, vec c) {
    __asm__("vpmadd52luq %2, %1, %0" : "+v"(c) : "v"(a), "v"(b));
    return c;
}
#elif defined(PDP_TYPE_F32) || defined(PDP_TYPE_F64)
PDP_INLINE vec v_muladd(vec a, vec b, vec c) {
    for (int lane = 0; lane < PDP_LANES; lane++) {
        c[lane] = s_muladd(a[lane], b[lane], c[lane]);
    }
    return c;
}
#else
PDP_INLINE vec v_muladd(vec a, vec b, vec c) {
    return a * b + c;
}
#endif

PDP_INLINE elem v_first(vec a) {
    return a[0];
}
PDP_INLINE vec_mask v_lanes(void) {
    vec_mask lanes;
    for (int lane = 0; lane < PDP_LANES; lane++) {
        lanes[lane] = lane;
    }
    return lanes;
}
/* True in the lanes above `lane`, and in that lane alone. */
PDP_INLINE vec_mask v_above(int lane) {
    return v_lanes() > (elem_mask)lane;
}
PDP_INLINE vec_mask v_only(int lane) {
    return v_lanes() == (elem_mask)lane;
}

/* One lane in all of them. */
#if PDP_VECTOR_BYTES == 64 && PDP_ELEM_BYTES == 8
PDP_INLINE vec v_lane(vec a, int lane) {
    vec_mask where = (elem_mask)lane - (vec_mask){0};
    vec result;
    __asm__("vpermq %1, %2, %0" : "=v"(result) : "v"(a), "v"(where));
    return result;
}
#elif PDP_VECTOR_BYTES >= 32 && PDP_ELEM_BYTES == 4
PDP_INLINE vec v_lane(vec a, int lane) {
    vec_mask where = (elem_mask)lane - (vec_mask){0};
    vec result;
    __asm__("vpermd %1, %2, %0" : "=v"(result) : "v"(a), "v"(where));
    return result;
}
#else
PDP_INLINE vec v_lane(vec a, int lane) {
    return v_broadcast(a[lane]);
}
#endif

#endif

#endif
