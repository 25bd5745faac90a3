/* A problem's data as a stamped kernel sees it. Arrays of values are in the element type, arrays of indices in int64;
 * only those that the recurrence uses are there. */
#ifndef PDP_CPU_KERNEL_DATA_ABI_H
#define PDP_CPU_KERNEL_DATA_ABI_H

#include <stdint.h>

enum { PDP_KERNEL_NAMES = 16 }; /* most inputs, parameters and sizes of a recurrence */

/* The first fault that a thread met: an index outside an input, or a division by zero. */
typedef struct pdp_kernel_fault {
    int64_t kind; /* 0: none; 1: index; 2: division by zero */
    int64_t input;
    int64_t axis;
    int64_t index;
} pdp_kernel_fault;

typedef struct pdp_kernel_data {
    int64_t points; /* of an interval problem, cells of a linear one */
    int64_t dims[PDP_KERNEL_NAMES];
    int64_t params[PDP_KERNEL_NAMES];
    double real_params[PDP_KERNEL_NAMES];
    const void *elements[PDP_KERNEL_NAMES];
    const int64_t *wholes[PDP_KERNEL_NAMES];
    const void *sums[PDP_KERNEL_NAMES]; /* sums[x][a]: the first a items of input x, added up; of floats in doubles */
    const int64_t *whole_sums[PDP_KERNEL_NAMES]; /* the same in int64 */
    int64_t extents[PDP_KERNEL_NAMES][2];
    int64_t identity;     /* of the combination, for whole elements of 64 bits or fewer ... */
    double real_identity; /* ... and for floats, also those that hold whole numbers */
    int64_t limit;        /* a value beyond it is no value: closing brings it back to the identity */
    int64_t modulus;
    pdp_kernel_fault *fault;
} pdp_kernel_data;

#endif
