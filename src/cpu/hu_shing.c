/* Hu and Shing's view of the chain: the dimensions are the weights of the corners of a polygon, a product
 * p[i]*p[k]*p[j] is the triangle of three corners, and an order is a triangulation.
 *
 * The corners are renumbered so that corner 0 is a lightest one, and it appears again as the last. An *arc*
 * (u,v) is a pair of corners lighter than all between them; m is the lightest between them. So (u,m) and (m,v)
 * are arcs or sides, and the arcs are the nodes of a binary tree, at most one for each m. By Hu and Shing's
 * theorem (in an optimal triangulation the lightest corner is joined to the second and the third lightest),
 * the polygon of an *apex* of weight x, at most as heavy as u and v, and the corners u..v has the least cost
 *
 *     f(u,v)(x) = min(x*p[u]*p[v] + g(u,v),  f(u,m)(x) + f(m,v)(x))    the arc is drawn, or it is not
 *     g(u,v) = g(u,m) + f(m,v)(p[u])  if p[u] <= p[v],  else  f(u,m)(p[v]) + g(m,v)
 *
 * where g is the least cost of the polygon u..v alone, whose apex is u or v. For a side f = x*p[u]*p[v] and
 * g = 0. The whole costs g(0,m) + g(m,last).
 *
 * f is concave and piecewise linear, and the arc's own line is flatter than every other piece of f. So a new
 * arc cuts off the last pieces of the sum and becomes the last piece itself: the *breaks* between pieces are
 * kept in a heap, largest x on top, and an arc is its own break for good. It is drawn under exactly those
 * apexes that are not before its break.
 *
 * Equal weights: f and g are continuous in the weights, and any order among equal corners is that of some
 * weights arbitrarily close by. So the earlier of equal corners counts as the lighter one, but the last, which
 * is corner 0 again, as lighter than all between. */
#include "cpu/hu_shing.h"

#include <stdlib.h>

#include "core/memory.h"
#include "core/wide.h"

enum { NO_ARC = 0 }; /* arcs count from 1; a side stands for itself */

typedef pdp_arc arc;

/* f and g of an arc or a side; in the stack, of the one from the corner below to this one. */
typedef struct curve {
    uint64_t slope; /* of the last piece */
    uint64_t constant;
    uint64_t alone; /* g */
    uint32_t top;   /* the heap of breaks */
    uint32_t arc;
    uint32_t corner;
} curve;

typedef struct chain {
    size_t corners;
    size_t first;      /* corner c is dims[(first + c) % corners] */
    uint64_t *weights; /* of the corners, the first again at the end */
    curve *stack;
    arc *arcs; /* children before parents */
    uint32_t arc_count;
    uint32_t *starts; /* for an order: starts[k] is where the node that is split at k begins */
    uint32_t *places; /* for an order: the next place of a node that begins at i */
    pdp_progress progress;
    pdp_error *error;
} chain;

/* Now and then. `share` counts to the number of corners for the arcs, and from there to twice that for the order. */
static pdp_status tell(const chain *c, size_t share) {
    return share % (1 << 18) == 0 ? pdp_progress_tell(c->progress, (double)share / (2 * (double)c->corners), c->error)
                                  : PDP_OK;
}

/* ---- The heap of breaks: skew heaps, whose merging needs no recursion ---- */

static inline bool is_break_before(const arc *a, const arc *b) {
    return (pdp_uwide)a->rise * b->fall < (pdp_uwide)b->rise * a->fall;
}

static uint32_t heap_merge(arc *arcs, uint32_t a, uint32_t b) {
    uint32_t top;
    uint32_t *link = &top;
    while (a != NO_ARC && b != NO_ARC) {
        if (is_break_before(&arcs[a], &arcs[b])) {
            uint32_t swap = a;
            a = b;
            b = swap;
        }
        *link = a;
        link = &arcs[a].heap[0];
        uint32_t rest = arcs[a].heap[1];
        arcs[a].heap[1] = arcs[a].heap[0];
        a = rest;
    }
    *link = a != NO_ARC ? a : b;
    return top;
}

/* Takes off the last break for an arc around it: the piece before it is the last now. */
static void curve_cut(curve *f, arc *arcs, uint32_t cutter) {
    arc *last = &arcs[f->top];
    last->cutter = cutter;
    f->slope += last->fall;
    f->constant -= last->rise;
    f->top = heap_merge(arcs, last->heap[0], last->heap[1]);
}

/* f(x), for an arc around it; for this x and smaller ones from now on: the breaks behind x are cut off. */
static uint64_t curve_value(curve *f, arc *arcs, uint64_t x, uint32_t cutter) {
    while (f->top != NO_ARC && arcs[f->top].rise > (pdp_uwide)x * arcs[f->top].fall) {
        curve_cut(f, arcs, cutter);
    }
    return f->slope * x + f->constant;
}

/* ---- The arcs, children before parents ---- */

static curve side_curve(const chain *c, uint32_t v) {
    return (curve){.slope = c->weights[v - 1] * c->weights[v], .corner = v};
}

/* f and g of the arc (u,v) from those of (u,m) and (m,v). */
static curve join(chain *c, uint32_t u, curve left, curve right) {
    arc *arcs = c->arcs;
    const uint32_t m = left.corner;
    const uint32_t v = right.corner;
    const uint64_t flat = c->weights[u] * c->weights[v];
    curve f = {.arc = ++c->arc_count, .corner = v};
    if (c->weights[u] <= c->weights[v]) {
        f.alone = left.alone + curve_value(&right, arcs, c->weights[u], f.arc);
    } else {
        f.alone = curve_value(&left, arcs, c->weights[v], f.arc) + right.alone;
    }
    f.slope = left.slope + right.slope;
    f.constant = left.constant + right.constant;
    f.top = heap_merge(arcs, left.top, right.top);
    /* The new line meets the last piece at (alone - constant) / (slope - flat); where that is not behind the
     * last break, the piece is above the line from its beginning. The difference is positive: one part's constant
     * is its `alone`, the other's is less than its value. */
    while (f.top != NO_ARC &&
           (pdp_uwide)(f.alone - f.constant) * arcs[f.top].fall <= (pdp_uwide)arcs[f.top].rise * (f.slope - flat)) {
        curve_cut(&f, arcs, f.arc);
    }
    arcs[f.arc] = (arc){.rise = f.alone - f.constant,
                        .fall = f.slope - flat,
                        .u = u,
                        .m = m,
                        .v = v,
                        .inside = left.arc,
                        .heap = {f.top, NO_ARC}};
    f.top = f.arc;
    f.slope = flat;
    f.constant = f.alone;
    return f;
}

/* The recurrence above, from the inside to the outside. The stack holds corners of which each is not lighter
 * than the one below, with the curve from there; what a lighter corner takes off is an m. */
static pdp_status least_cost(chain *c, int64_t *cost) {
    const uint32_t last = (uint32_t)c->corners;
    curve *stack = c->stack;
    size_t depth = 1;
    stack[0] = (curve){.corner = 0}; /* as light as any */
    for (uint32_t v = 1; v < last; v++) {
        curve f = side_curve(c, v);
        while (c->weights[stack[depth - 1].corner] > c->weights[v]) {
            depth--;
            f = join(c, stack[depth - 1].corner, stack[depth], f);
        }
        stack[depth++] = f;
        if (tell(c, v) != PDP_OK) {
            return PDP_CANCELLED;
        }
    }
    curve f = side_curve(c, last);
    while (depth > 2) {
        depth--;
        f = join(c, stack[depth - 1].corner, stack[depth], f);
    }
    c->arcs[f.arc].apex = last; /* of (m,last); that of (0,m) is 0 as it is. If these are sides, of no arc. */
    c->arcs[NO_ARC] = (arc){.fall = 1, .m = stack[1].corner, .v = last, .inside = stack[1].arc}; /* the whole round */
    *cost = (int64_t)(stack[1].alone + f.alone);
    return PDP_OK;
}

/* ---- The order ---- */

static size_t original(const chain *c, uint32_t corner) {
    const size_t at = c->first + corner;
    return at < c->corners ? at : at - c->corners;
}

/* A triangle is the node smallest..largest split at the corner between. There is none if the apex is an end. */
static void draw(chain *c, uint32_t apex, uint32_t u, uint32_t v) {
    if (apex == u || apex == v) {
        return;
    }
    const size_t a = original(c, apex);
    const size_t b = original(c, u);
    const size_t d = original(c, v);
    size_t low = a < b ? a : b;
    size_t high = a < b ? b : a;
    low = d < low ? d : low;
    high = d > high ? d : high;
    c->starts[a + b + d - low - high] = (uint32_t)low;
}

static void pass_apex(chain *c, uint32_t apex, uint32_t u, uint32_t v, uint32_t inside) {
    if (v > u + 1) {
        c->arcs[inside].apex = apex;
    } else {
        draw(c, apex, u, v);
    }
}

/* From the outside to the inside: an arc that is drawn closes a triangle with the apex above it, and begins a
 * polygon with an apex of its own. An arc at whose end the apex is counts as drawn: its break is not behind
 * the lighter of its ends. */
static pdp_status triangulate(chain *c) {
    for (uint32_t number = c->arc_count; number > NO_ARC; number--) {
        if (tell(c, 2 * c->corners - number) != PDP_OK) {
            return PDP_CANCELLED;
        }
        const arc *a = &c->arcs[number];
        uint32_t apex = a->apex;
        if (a->rise <= (pdp_uwide)c->weights[apex] * a->fall) {
            draw(c, apex, a->u, a->v);
            apex = c->weights[a->u] <= c->weights[a->v] ? a->u : a->v;
        }
        pass_apex(c, apex, a->u, a->m, a->inside);
        pass_apex(c, apex, a->m, a->v, number - 1);
    }
    return PDP_OK;
}

/* Pre-order is by beginning, and the longer first among those that begin together: of them, the one with the
 * larger split. */
static void sort_splits(chain *c, size_t *tree) {
    const size_t n = c->corners - 1;
    for (size_t k = 1; k < n; k++) {
        c->places[c->starts[k] + 1]++;
    }
    for (size_t i = 1; i < n; i++) {
        c->places[i] += c->places[i - 1];
    }
    for (size_t k = n - 1; k > 0; k--) {
        tree[c->places[c->starts[k]]++] = k;
    }
}

/* ---- Memory ---- */

static void chain_free(chain *c) {
    free(c->weights);
    free(c->stack);
    free(c->arcs);
    free(c->starts);
    free(c->places);
}

static pdp_status chain_allocate(chain *c, bool with_tree, pdp_error *error) {
    c->weights = pdp_room_allocate(c->corners + 1, sizeof *c->weights, error);
    c->stack = c->weights ? pdp_room_allocate(c->corners, sizeof *c->stack, error) : NULL;
    c->arcs = c->stack ? pdp_pages_allocate(pdp_bytes_multiply(c->corners, sizeof *c->arcs), error) : NULL;
    if (c->arcs && with_tree) {
        c->starts = pdp_array_allocate(c->corners, sizeof *c->starts, error);
        c->places = c->starts ? pdp_array_allocate(c->corners, sizeof *c->places, error) : NULL;
        return c->places ? PDP_OK : PDP_NO_MEMORY;
    }
    return c->arcs ? PDP_OK : PDP_NO_MEMORY;
}

uint64_t pdp_hu_shing_bytes(size_t n, bool with_tree) {
    const chain *c = NULL; /* for the sizes */
    const uint64_t corner_bytes = sizeof *c->weights + sizeof *c->stack + sizeof *c->arcs +
                                  (with_tree ? sizeof *c->starts + sizeof *c->places : 0);
    return n < 2 ? 0 : pdp_bytes_add(pdp_bytes_multiply((uint64_t)n + 1, corner_bytes), sizeof *c->weights);
}

pdp_status pdp_hu_shing_solve(const int64_t *dims, size_t n, int64_t *value, size_t *tree, pdp_arcs *arcs,
                              pdp_progress progress, pdp_error *error) {
    *value = 0;
    if (n < 2) {
        return PDP_OK;
    }
    if (n > INT32_MAX) {
        return pdp_error_set(error, PDP_BAD_INPUT, "%zu matrices: more than %d are not supported", n, INT32_MAX);
    }
    chain c = {.corners = n + 1, .progress = progress, .error = error};
    pdp_status status = chain_allocate(&c, tree != NULL, error);
    if (status == PDP_OK) {
        for (size_t m = 1; m <= n; m++) {
            c.first = dims[m] < dims[c.first] ? m : c.first;
        }
        for (uint32_t corner = 0; corner <= c.corners; corner++) {
            c.weights[corner] = (uint64_t)dims[original(&c, corner)];
        }
        status = least_cost(&c, value);
        if (status == PDP_OK && tree) {
            status = triangulate(&c);
        }
        if (status == PDP_OK && tree) {
            sort_splits(&c, tree);
        }
    }
    if (status == PDP_OK && arcs) {
        *arcs = (pdp_arcs){c.arcs, c.weights, c.arc_count, c.first};
        c.arcs = NULL;
        c.weights = NULL;
    }
    chain_free(&c);
    return status;
}
