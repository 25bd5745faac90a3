/* What the stamped ceilings (kernel_ceiling_interval.h, kernel_ceiling_linear.h) share with each other and with
 * ceiling.c. */
#ifndef PDP_CPU_KERNEL_CEILING_ABI_H
#define PDP_CPU_KERNEL_CEILING_ABI_H

#include <stdint.h>

/* The inputs and parameters, known to the stamped text alone. */
typedef struct pdp_kernel_data pdp_kernel_data;

/* The update of a recurrence alone: sums in registers, operands in registers or in the first cache. */
typedef struct pdp_ceiling_kernel {
    int64_t shape_count;
    const char *const *shapes; /* their names */
    int64_t bytes;             /* of operands that a run reads and of sums that it leaves behind; aligned to 64 */
    void (*fill)(void *operands);
    /* `rounds` rounds of a shape; returns how many updates that were. */
    int64_t (*run)(const pdp_kernel_data *data, int64_t shape, void *operands, int64_t rounds);
} pdp_ceiling_kernel;

/* The compiler is not to know that a vector is the same in every round. */
#if defined(PDP_SCALAR)
#define PDP_CEILING_OPAQUE(x) __asm__ volatile("" : "+rm"(x))
#elif defined(__x86_64__)
#define PDP_CEILING_OPAQUE(x) __asm__ volatile("" : "+v"(x))
#elif defined(__aarch64__)
#define PDP_CEILING_OPAQUE(x) __asm__ volatile("" : "+w"(x))
#else
#define PDP_CEILING_OPAQUE(x) __asm__ volatile("" : "+m"(x))
#endif

#define PDP_CEILING_IN_L1 0
#define PDP_CEILING_IN_REGISTERS 1

#endif
