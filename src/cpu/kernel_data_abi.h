/* A problem's data as a stamped kernel sees it. Arrays of values are in the element type, arrays of indices in int64;
 * only those that the recurrence uses are there. On a device the arrays stand behind the struct, and instead of a
 * pointer there is their distance in bytes from its begin. */
#ifndef PDP_CPU_KERNEL_DATA_ABI_H
#define PDP_CPU_KERNEL_DATA_ABI_H

#if defined(PDP_ON_DEVICE)
#define PDP_POINTER(type) int64_t
#else
#include <stdint.h>
#define PDP_POINTER(type) type *
#endif

enum { PDP_KERNEL_NAMES = 16 }; /* most inputs, parameters and sizes of a recurrence */

/* The first fault that a thread met: an index outside an input, or a division by zero. */
typedef struct pdp_kernel_fault {
    int64_t kind; /* 0: none; 1: index; 2: division by zero; others: gpu/kernels/ */
    int64_t input;
    int64_t axis;
    int64_t index;
} pdp_kernel_fault;

typedef struct pdp_kernel_data {
    int64_t points; /* of an interval problem, cells of a linear one */
    int64_t first;  /* cell of a linear problem that has a term */
    int64_t dims[PDP_KERNEL_NAMES];
    int64_t params[PDP_KERNEL_NAMES];
    double real_params[PDP_KERNEL_NAMES];
    PDP_POINTER(const void) elements[PDP_KERNEL_NAMES];
    PDP_POINTER(const int64_t) wholes[PDP_KERNEL_NAMES];
    /* sums[x][a]: the first a items of input x, added up; of floats in doubles. And the same in int64. */
    PDP_POINTER(const void) sums[PDP_KERNEL_NAMES];
    PDP_POINTER(const int64_t) whole_sums[PDP_KERNEL_NAMES];
    int64_t extents[PDP_KERNEL_NAMES][2];
    int64_t identity;     /* of the combination, for whole elements of 64 bits or fewer ... */
    double real_identity; /* ... and for floats, also those that hold whole numbers */
    int64_t limit;        /* a value beyond it is no value: closing brings it back to the identity */
    int64_t modulus;
    PDP_POINTER(pdp_kernel_fault) fault;
} pdp_kernel_data;

#if defined(PDP_ON_DEVICE)
typedef const GLOBAL pdp_kernel_data *PDP_DATA;
#define PDP_AT_DISTANCE(type, bytes) ((GLOBAL type *)((const GLOBAL char *)d + (bytes)))
#else
typedef const pdp_kernel_data *PDP_DATA;
#define PDP_AT_DISTANCE(type, pointer) ((type *)(pointer))
#endif

/* Array x, from `d`. */
#define k_elements(x) PDP_AT_DISTANCE(const elem, d->elements[x])
#define k_wholes(x) PDP_AT_DISTANCE(const int64_t, d->wholes[x])
#define k_sums(type, x) PDP_AT_DISTANCE(const type, d->sums[x])
#define k_whole_sums(x) PDP_AT_DISTANCE(const int64_t, d->whole_sums[x])
#define k_fault() PDP_AT_DISTANCE(pdp_kernel_fault, d->fault)

#endif
