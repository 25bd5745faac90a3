/* Evaluates the expressions of a recurrence over data: what the emitted code must equal.
 *
 * Whole numbers are exact from -2^126 to 2^126-1, which holds every product of two of int64. What leaves that becomes
 * +-PDP_WHOLE_BEYOND and stays there under further sums and products, so that a losing candidate is just a bad one, and
 * a cell that has it is seen. If something as large is taken off again, what is left is not known: PDP_WHOLE_UNKNOWN
 * wins every choice, so that the cell is seen too. Infinity is the identity of min and max: no value at all, whatever
 * is added.
 * Floats are doubles, in f32 files rounded to float after every operation. Bit sets are numbers modulo 2^64,
 * residues 0 .. modulus-1; a plain number that meets one is converted first. */
#ifndef PDP_RECURRENCE_INTERPRET_H
#define PDP_RECURRENCE_INTERPRET_H

#include "core/wide.h"
#include "recurrence/recurrence.h"

#define PDP_WHOLE_EXACT ((pdp_wide)1 << 126)
#define PDP_WHOLE_BEYOND (PDP_WHOLE_EXACT + (PDP_WHOLE_EXACT >> 2))
#define PDP_WHOLE_UNKNOWN (-PDP_WHOLE_EXACT - (PDP_WHOLE_EXACT >> 1))
#define PDP_WHOLE_INFINITY (PDP_WHOLE_EXACT + (PDP_WHOLE_EXACT >> 1) + (PDP_WHOLE_EXACT >> 2))

/* `real` if the node is one of floats, `whole` otherwise. */
typedef union pdp_value {
    pdp_wide whole;
    double real;
} pdp_value;

typedef struct pdp_bound_input {
    const int64_t *whole;       /* row by row; of an input that is not real */
    const double *real;         /* of one that is */
    const pdp_wide *whole_sums; /* for `sum`: [m] is the sum of the first m, extent[0] + 1 of them */
    const double *real_sums;
    int64_t extent[2];
} pdp_bound_input;

typedef struct pdp_bindings {
    const pdp_recurrence *recurrence;
    pdp_element element;       /* the recurrence's, or one that stands in for it */
    int64_t modulus;           /* PDP_ELEMENT_MOD */
    const int64_t *dims;       /* as the recurrence numbers them, as below */
    const int64_t *params;     /* of whole parameters */
    const double *real_params; /* of real ones */
    const pdp_bound_input *inputs;
    int64_t i, k, j;
    pdp_value cells[PDP_CELL_SECOND + 1]; /* by pdp_cell */
    int64_t variables[PDP_MAX_FOLDS];
    pdp_error error; /* the first that was met: an index out of bounds, a division by zero, a NaN; start it zeroed */
} pdp_bindings;

/* The value of the node with this index. After an error it is of no meaning. */
pdp_value pdp_interpret(pdp_bindings *bindings, uint32_t index);

/* Whether it is not 0, whatever kind it is of. */
bool pdp_interpret_truth(pdp_bindings *bindings, uint32_t index);

/* A value of the node's own kind as one of the element type: what a cell holds. */
pdp_value pdp_interpret_element(pdp_bindings *bindings, uint32_t node);

/* a (op) b for `combine`, min .. logsumexp or the file's own operator, on values of the element type. */
pdp_value pdp_interpret_combine(pdp_bindings *bindings, pdp_op op, pdp_value a, pdp_value b);

/* What combines with everything to itself. */
pdp_value pdp_interpret_identity(pdp_bindings *bindings, pdp_op op);

#endif
