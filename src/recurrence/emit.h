/* C from a recurrence: what stands before the kernel's text in a stamp. */
#ifndef PDP_RECURRENCE_EMIT_H
#define PDP_RECURRENCE_EMIT_H

#include <stdio.h>

#include "recurrence/recurrence.h"

/* The type in which a kernel computes. */
typedef enum pdp_machine_type {
    PDP_TYPE_I32,
    PDP_TYPE_I64,
    PDP_TYPE_F32,
    PDP_TYPE_F64,
    PDP_TYPE_U32,
    PDP_TYPE_U64,
    PDP_TYPE_WIDE /* 128 bits that saturate: the checked kernel */
} pdp_machine_type;

/* What a stamp is made for, besides the recurrence. */
typedef struct pdp_stamp {
    pdp_machine_type type;
    pdp_op combine;      /* the operator, also where the recurrence leaves it to a parameter */
    bool modular;        /* sums and products modulo d->modulus */
    bool short_products; /* I64: factors and products are proven to be in 0 .. 2^52-1 */
    bool keeps_nan;      /* floats not proven to stay finite: choices keep what is no number */
    bool has_source;     /* linear: the source clause holds, its inputs are given */
    uint32_t options;    /* interval: which option clauses hold, a bit each */
    bool can_miss;       /* linear: a cell may have no term, and then stays infeasible */
    bool for_device;     /* a thread a cell: everything in scalars */
    bool records;        /* the kernels write down who reads what when */
    bool is_quick;       /* a text for little work, which is soon compiled */
} pdp_stamp;

/* Fills in what follows from the element type, the source clause (if what it uses is given) and the options that hold.
 * `type` and `combine` must be set. */
void pdp_stamp_complete(pdp_stamp *stamp, const pdp_recurrence *recurrence, pdp_element element, bool has_source,
                        uint32_t options);

/* Writes the stamp's definitions. The text's order is: pdp_emit_type, then the kernel's vectors and arithmetic, then
 * pdp_emit_recurrence, then the kernel itself. */
void pdp_emit_type(FILE *out, const pdp_recurrence *recurrence, const pdp_stamp *stamp);
void pdp_emit_recurrence(FILE *out, const pdp_recurrence *recurrence, const pdp_stamp *stamp);

/* The recurrence's expressions have a form for vectors. */
bool pdp_emit_is_vector(const pdp_recurrence *recurrence, const pdp_stamp *stamp);

#endif
