/* One expression as C. */
#ifndef PDP_RECURRENCE_EMIT_EXPRESSION_H
#define PDP_RECURRENCE_EMIT_EXPRESSION_H

#include "recurrence/emit.h"

enum { PDP_MOST_SLOTS = 16 };

/* Sub-trees that have been computed elsewhere, by the name under which they are known here. */
typedef struct pdp_slots {
    uint32_t node[PDP_MOST_SLOTS];
    char name[PDP_MOST_SLOTS][12];
    uint32_t count;
    bool are_vectors;
} pdp_slots;

typedef struct pdp_emitter {
    FILE *out;
    const pdp_recurrence *r;
    const pdp_stamp *stamp;
    const pdp_slots *slots[4]; /* those that hold here; NULL after the last */
} pdp_emitter;

/* The slot that a tree equal to this one is in, or false. */
bool pdp_slots_find(const pdp_recurrence *r, const pdp_slots *slots, uint32_t node, uint32_t *at);

/* The node's value in the element type, as a vector if there is one in it; as a whole number (an index, a bound); as a
 * truth value, or a vector's mask. */
void pdp_emit_element(const pdp_emitter *e, uint32_t node);
void pdp_emit_whole(const pdp_emitter *e, uint32_t node);
void pdp_emit_truth(const pdp_emitter *e, uint32_t node);

/* The element as a vector, broadcast if need be. */
void pdp_emit_vector(const pdp_emitter *e, uint32_t node);

bool pdp_emit_has_vector(const pdp_emitter *e, uint32_t node);

/* No part of the expression is beyond what vectors can do, given the slots. */
bool pdp_emit_fits_vectors(const pdp_emitter *e, uint32_t node);

#endif
