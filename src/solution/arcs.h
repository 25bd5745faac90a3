/* The arcs of a matrix chain that Hu and Shing's method has found, and a proof by them that no order costs less. */
#ifndef PDP_SOLUTION_ARCS_H
#define PDP_SOLUTION_ARCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* See cpu/hu_shing.c for what an arc is. */
typedef struct pdp_arc {
    uint64_t rise; /* the break is at x = rise/fall: the constant term grows by `rise` there, ... */
    uint64_t fall; /* ... and the slope falls by `fall` */
    uint32_t u;
    uint32_t m;
    uint32_t v;
    uint32_t inside;  /* the arc (u,m); the arc (m,v) is the one before this */
    uint32_t cutter;  /* the arc that cuts this one's break off; 0 if none does */
    uint32_t apex;    /* this and the rest are the solver's own: of the triangulation, */
    uint32_t heap[2]; /* and the children in the heap of breaks */
} pdp_arc;

typedef struct pdp_arcs {
    pdp_arc *all;      /* children before parents; the first, of no break, is the whole round: (0,m) and (m,last) */
    uint64_t *weights; /* of the corners, the first again at the end */
    uint32_t count;    /* of arcs, without the first */
    size_t first;      /* corner c is dims[(first + c) % (n + 1)] */
} pdp_arcs;

/* What no order of the chain dims[0 .. n], n >= 2, costs less than: with the arcs of an optimal order this is what it
 * costs. PDP_WRONG if they do not fit together. Nothing is taken on trust: whatever the arcs say, *least is a lower
 * bound. The dimensions are such as pdp_hu_shing_solve takes. Allocates 16 bytes a corner, and frees them again. */
pdp_status pdp_arcs_prove(const pdp_arcs *arcs, const int64_t *dims, size_t n, uint64_t *least, pdp_error *error);

void pdp_arcs_free(pdp_arcs *arcs);

#endif
