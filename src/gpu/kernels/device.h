/* What kernels for devices are written in: C, and these macros. The same text runs as CUDA (nvcc, NVRTC), as OpenCL C
 * 1.2, and as plain C on fibres of the host (PDP_HOST), which is how it is tested where there is no GPU.
 *
 *   KERNEL(name, threads, m, bytes)
 *                            a kernel's head: all have the same arguments, and `threads` threads a group; registers are
 *                            to be left for m groups a multiprocessor; so many bytes are its POOL
 *   GLOBAL, LOCAL            before the target of a pointer: the device's memory, the group's
 *   SHARED(type, name, n)    an array of the group, declared at the top of a kernel
 *   POOL(type, name, n)      the same for one array that may be large: its bytes stand in the kernel's head
 *   THREAD, GROUP            this thread in its group, this group
 *   BARRIER()                for all threads of the group
 *   WARP_BARRIER()           for the 32 threads of a warp, which all others of the group also reach
 *   FENCE()                  what this thread wrote is seen by others before what it writes next
 *   ATOMIC_ADD(p, v)         on a uint32_t of the device's memory; gives the old value
 *   LOCAL_MIN(p, v)          the least of a uint32_t of the group and v
 *   LOAD(p), STORE(p, v)     a uint32_t through which groups tell each other that something is done
 *   SET(p, v)                the same after a FENCE, which counts for more than one
 *   WAIT(p)                  until it is not 0; other groups go on
 *   YIELD()                  in a loop that waits for another group
 *   COPY(type, to, from)     sends for 16 bytes of the device's memory, which are in the group's after COPIED() in the
 *                            same thread and a barrier
 *   HELD(d, data)            declares d, a problem's data of which what is used stays in registers
 *   UNKNOWN(x)               the compiler forgets what it knows of an int, and what follows from it
 *   BASE(type, p, n)         p + n, a pointer to the group's memory, of which the compiler forgets how it was found:
 *                            what is added and known while compiling costs neither instructions nor time to compile
 *   MOVED(x, p)              x, in another register than before; p is any even address. Four values that are
 *                            stored at once lie side by side: not already in the loop that makes them
 *   OVER(x, n), REST(x, n)   quotient and rest of an int that is not negative, which the compiler then knows
 *   PDP_PART(n)              in an #if around kernels: NVRTC compiles the parts of a text at the same time, from 0
 *                            on; for all others they are one */
#ifndef PDP_GPU_KERNELS_DEVICE_H
#define PDP_GPU_KERNELS_DEVICE_H

#define PDP_ON_DEVICE
#if defined(PDP_ONLY_PART)
#define PDP_PART(n) (PDP_ONLY_PART == (n))
#else
#define PDP_PART(n) 1
#endif
#define OVER(x, n) ((int)((uint32_t)(x) / (uint32_t)(n)))
#define REST(x, n) ((int)((uint32_t)(x) % (uint32_t)(n)))
#define PDP_ARGUMENTS                                                                                                  \
    PDP_DATA PDP_RESTRICT d, GLOBAL void *b0, GLOBAL void *b1, GLOBAL void *b2, GLOBAL void *b3, GLOBAL void *b4,      \
        int64_t n0, int64_t n1, int64_t n2, int64_t n3, int64_t n4, int64_t n5

#if defined(__CUDACC__)
#define PDP_RESTRICT __restrict__
#if defined(__CUDACC_RTC__)
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t; /* some NVRTCs have a long of 32 bits */
typedef unsigned long long uint64_t;
#define INT64_C(x) x##LL
#define INT64_MAX INT64_C(9223372036854775807)
#define INT64_MIN (-INT64_MAX - 1)
#else
#include <stdint.h>
#endif
#define GLOBAL
#define LOCAL
#define SHARED(type, name, n) __shared__ type name[n]
#define POOL(type, name, n) extern __shared__ type name[]
#define KERNEL(name, threads, m, bytes)                                                                                \
    extern "C" __device__ const unsigned name##_shared = bytes;                                                        \
    extern "C" __global__ void __launch_bounds__(threads, m) name(PDP_ARGUMENTS)
#define PDP_INLINE static __device__ __forceinline__
#define PDP_SEPARATE static __device__ __noinline__
#define THREAD ((int)threadIdx.x)
#define GROUP ((int)blockIdx.x)
#define BARRIER() __syncthreads()
#define WARP_BARRIER() __syncwarp()
#define FENCE() __threadfence()
#define ATOMIC_ADD(p, v) atomicAdd((unsigned *)(p), v)
#define LOCAL_MIN(p, v) ((void)atomicMin(p, v))
#define ATOMIC_CLAIM(p, v) (atomicCAS((unsigned long long *)(p), 0ull, (unsigned long long)(v)) == 0)
PDP_INLINE uint32_t LOAD(const uint32_t *p) {
    uint32_t value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
PDP_INLINE void STORE(uint32_t *p, uint32_t value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}
PDP_INLINE void SET(uint32_t *p, uint32_t value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}
#define YIELD() __nanosleep(50)
/* Asks without ordering anything first: every ordered load empties the first-level cache of the whole multiprocessor.
 */
PDP_INLINE void WAIT(const uint32_t *p) {
    uint32_t value = 0;
    while (value == 0) {
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
        if (value == 0) {
            YIELD();
        }
    }
    LOAD(p);
}
#define COPY(type, to, from)                                                                                           \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(to)),            \
                 "l"(__cvta_generic_to_global(from))                                                                   \
                 : "memory")
#define COPIED() asm volatile("cp.async.wait_all;" ::: "memory")
#define UNROLLED _Pragma("unroll")
#define PDP_PRAGMA(text) _Pragma(#text)
#define UNROLL(n) PDP_PRAGMA(unroll n)
#define UNKNOWN(x) asm volatile("" : "+r"(x))
PDP_INLINE void *base_of(const void *p, uint32_t bytes) {
    uint32_t address = (uint32_t)__cvta_generic_to_shared(p) + bytes;
    asm("" : "+r"(address));
    return __cvta_shared_to_generic(address);
}
#define BASE(type, p, n) ((type *)base_of(p, (uint32_t)(n) * (uint32_t)sizeof(type)))
#define PDP_MOVED(type, bits, letter, word)                                                                            \
    PDP_INLINE type moved(type x, uint64_t zero) {                                                                     \
        asm("xor.b" #bits " %0, %0, %1;" : "+" letter(x) : word((uint##bits##_t)zero));                                \
        return x;                                                                                                      \
    }
PDP_MOVED(int32_t, 32, "r", "r")
PDP_MOVED(uint32_t, 32, "r", "r")
PDP_MOVED(float, 32, "f", "r")
PDP_MOVED(int64_t, 64, "l", "l")
PDP_MOVED(uint64_t, 64, "l", "l")
PDP_MOVED(double, 64, "d", "l")
#define MOVED(x, p) moved(x, (uint64_t)(p)&1)
#define HELD(d, data)                                                                                                  \
    const pdp_kernel_data held = *(data);                                                                              \
    PDP_DATA d = &held
#define PDP_LITTLE_SHARED 0 /* less than 64 KiB of memory for a group */
#define PDP_GROUPS_MEET 1
#define PDP_SINGLE(name) name##f
#define PDP_DOUBLE(name) name
#define PDP_INF __longlong_as_double(0x7ff0000000000000ll)
#define PDP_FOLD(value, statements)                                                                                    \
    [&] {                                                                                                              \
        statements;                                                                                                    \
        return value;                                                                                                  \
    }() /* NVRTC has no statements in expressions */

#elif defined(__OPENCL_C_VERSION__)
#define PDP_RESTRICT restrict
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef char int8_t;
typedef uchar uint8_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
#define INT64_C(x) x##L
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN
#define GLOBAL __global
#define LOCAL __local
#define SHARED(type, name, n) __local type name[n]
#define POOL(type, name, n) __local type name[n]
#define KERNEL(name, threads, m, bytes)                                                                                \
    __kernel __attribute__((reqd_work_group_size(threads, 1, 1))) void name(PDP_ARGUMENTS)
#define PDP_INLINE static inline
#define PDP_SEPARATE static
#define THREAD ((int)get_local_id(0))
#define GROUP ((int)get_group_id(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define WARP_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#define ATOMIC_ADD(p, v) atomic_add((volatile __global uint *)(p), v)
#define LOCAL_MIN(p, v) ((void)atomic_min(p, v))
#define ATOMIC_CLAIM(p, v) (atomic_cmpxchg((volatile __global uint *)(p), 0u, (uint)(v)) == 0)
#define LOAD(p) atomic_or((volatile __global uint *)(p), 0u)
#define STORE(p, v) ((void)atomic_xchg((volatile __global uint *)(p), v))
#define SET(p, v) STORE(p, v)
#define YIELD() ((void)0)
#define WAIT(p)                                                                                                        \
    while (LOAD(p) == 0) {                                                                                             \
    }
#define COPY(type, to, from) ((void)(*(LOCAL type *)(to) = *(const GLOBAL type *)(from)))
#define COPIED() ((void)0)
#define UNROLLED
#define UNROLL(n)
#define UNKNOWN(x) ((void)0)
#define BASE(type, p, n) ((p) + (n))
#define MOVED(x, p) (x)
#define HELD(d, data) PDP_DATA d = (data)
#define PDP_LITTLE_SHARED 1
#define PDP_GROUPS_MEET 0
#define PDP_SINGLE(name) name
#define PDP_DOUBLE(name) name
#define PDP_INF ((double)INFINITY)
#define PDP_FOLD(value, statements)                                                                                    \
    ({                                                                                                                 \
        statements;                                                                                                    \
        value;                                                                                                         \
    })

#else /* the host */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#define PDP_HOST
#define PDP_RESTRICT restrict
/* What the fibres' scheduler (gpu/host.c) and this text know of each other. */
typedef struct pdp_host_run {
    int thread; /* of the fibre that runs */
    int group;
    void (*barrier)(void);
    void (*yield)(void);
    void *(*share)(size_t bytes); /* the next array of the group: in every thread the same */
} pdp_host_run;
extern pdp_host_run *pdp_host;
pdp_host_run *pdp_host;
#define GLOBAL
#define LOCAL
#define POOL(type, name, n) SHARED(type, name, n)
#define SHARED(type, name, n) type *name = pdp_host->share((n) * sizeof(type))
#define KERNEL(name, threads, m, bytes) void name(PDP_ARGUMENTS)
#define PDP_INLINE static inline __attribute__((unused))
#define PDP_SEPARATE static __attribute__((unused))
#define THREAD (pdp_host->thread)
#define GROUP (pdp_host->group)
#define BARRIER() pdp_host->barrier()
#define WARP_BARRIER() pdp_host->barrier()
#define FENCE() ((void)0)
PDP_INLINE uint32_t ATOMIC_ADD(uint32_t *p, uint32_t v) {
    *p += v;
    return *p - v;
}
#define LOCAL_MIN(p, v) ((void)(*(p) = *(p) < (v) ? *(p) : (v)))
#define ATOMIC_CLAIM(p, v) (*(p) == 0 ? (*(p) = (v), 1) : 0)
#define LOAD(p) (*(p))
#define STORE(p, v) ((void)(*(p) = (v)))
#define SET(p, v) STORE(p, v)
#define YIELD() pdp_host->yield()
#define WAIT(p)                                                                                                        \
    while (*(volatile const uint32_t *)(p) == 0) {                                                                     \
        YIELD();                                                                                                       \
    }
#define COPY(type, to, from) ((void)(*(LOCAL type *)(to) = *(const GLOBAL type *)(from)))
#define COPIED() ((void)0)
#define UNROLLED
#define UNROLL(n)
#define UNKNOWN(x) ((void)0)
#define BASE(type, p, n) ((p) + (n))
#define MOVED(x, p) (x)
#define HELD(d, data) PDP_DATA d = (data)
#define PDP_LITTLE_SHARED 0
#define PDP_GROUPS_MEET 1
#define PDP_SINGLE(name) name##f
#define PDP_DOUBLE(name) name
#define PDP_INF ((double)INFINITY)
#define PDP_FOLD(value, statements)                                                                                    \
    ({                                                                                                                 \
        statements;                                                                                                    \
        value;                                                                                                         \
    })
#endif

#endif
