/* What a stamped linear kernel (kernel_linear.h) and the driver that runs it (linear.c) know of each other.
 * The text stands before the kernel's in what is compiled at run time, so it includes nothing but stdint.h. */
#ifndef PDP_CPU_KERNEL_LINEAR_ABI_H
#define PDP_CPU_KERNEL_LINEAR_ABI_H

#include <stdint.h>

/* The inputs and parameters, known to the stamped text alone. */
typedef struct pdp_kernel_data pdp_kernel_data;

#define PDP_LINEAR_GAPS 2

/* Some terms of the recurrence, in the order in which they are to be taken. */
typedef struct pdp_linear_terms {
    const int64_t *offsets;
    const int64_t *numbers; /* j: each term's place in the problem's list of offsets */
    const void *weights;    /* elem[count][values_per_offset] */
    int64_t count;
    /* The first terms are pairs whose second offset is the first less the lanes; then come pairs for which it is the
     * first less twice the lanes. */
    int64_t pairs[PDP_LINEAR_GAPS];
} pdp_linear_terms;

/* The cells in work: what they have accumulated so far, and the values hoisted for them. Cells from
 * `first` - lanes on have room, so that a vector may begin before the block. Cells are counted from the table's begin;
 * the recurrence knows cell i as origin + i. */
typedef struct pdp_linear_block {
    int64_t origin;
    void *sums;     /* elem: cell i at [i - first] */
    void *values;   /* elem: value q of cell i at [q * stride + i - first] */
    int64_t stride; /* elements */
    int64_t first;
    int64_t begin; /* cells to fill: those before are preset */
    int64_t end;
} pdp_linear_block;

/* The terms that are left when vectors are finished: those with offsets below the lanes, which read cells of the
 * vector they are added to; where the order is kept, all from the first of these on. They are added cell by cell, or,
 * if there are rounds, in vectors: a round has at most one term for a distance d, in entry lanes + d of a row of
 * 2 * lanes. */
typedef struct pdp_linear_near {
    pdp_linear_terms terms;
    const void *weights; /* elem[rounds][values_per_offset][2 * lanes] */
    const void *present; /* masks of elem's width, 0 or -1: [rounds][2 * lanes] */
    int64_t rounds;
} pdp_linear_near;

typedef struct pdp_linear_kernel {
    int32_t element_bytes;
    int32_t lanes;             /* elements a vector */
    int32_t group;             /* vectors held in registers: the most that one accumulate takes */
    int32_t values_per_offset; /* {j} values */
    int32_t values_per_cell;   /* {i} values */
    int32_t keeps_order;       /* terms must be taken in the given order */

    /* table[i] = preset(i), begin <= i < end */
    void (*preset)(const pdp_kernel_data *data, void *table, int64_t begin, int64_t end);
    /* The {j} values of the terms with these numbers. */
    void (*weigh)(const pdp_kernel_data *data, const int64_t *numbers, int64_t count, void *weights);
    /* Start values and {i} values of the block's cells. */
    void (*open)(const pdp_kernel_data *data, const pdp_linear_block *block);
    /* sum[i] = sum[i] (+) term(table[i - offset]) for all terms and the cells of `vectors` vectors from `cell`. */
    void (*accumulate)(const pdp_kernel_data *data, const pdp_linear_block *block, const pdp_linear_terms *terms,
                       const void *table, int64_t cell, int64_t vectors);
    /* Adds the near terms to the cells of whole vectors from `first` to `end`, which have all others, closes them, and
     * writes them to the table. */
    void (*finish)(const pdp_kernel_data *data, const pdp_linear_block *block, const pdp_linear_near *near, void *table,
                   int64_t first, int64_t end);
} pdp_linear_kernel;

#endif
