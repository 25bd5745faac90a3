/* A lower bound on the cost of a chain, proven from arcs: see arcs.h, and cpu/hu_shing.c for the words and for the
 * theorem that the least cost of an arc (u,v) under an apex x is, for 0 <= x <= light,
 *
 *     f(u,v)(x) = min(x*p[u]*p[v] + g(u,v),  f(u,m)(x) + f(m,v)(x))
 *     g(u,v)    = g of the near part + f of the far part at `light`
 *
 * where `light` is the lighter of p[u] and p[v], and its part of (u,m) and (m,v) is the near one. The solver has found
 * the breaks, and which arc cuts off which; here they are only looked at.
 *
 * Let every arc d have a break, rise/fall, and a *cutter*, an arc around it. The breaks of an arc are its own and those
 * inside it whose cutter is further out. With `product` = p[u]*p[m]*p[v] define
 *
 *     F(u,v)(x) = x*p[u]*p[v] + G(u,v) - sum over the breaks d of (u,v) of max(0, rise(d) - x*fall(d))
 *     G(u,v)    = G(u,m) + G(m,v) + product - sum over the d that (u,v) cuts off of max(0, rise(d) - light*fall(d))
 *
 * and F of a side like f, G as 0. Then F <= f, by induction, if for every arc (u,v)
 *
 *     1. m is not lighter than u and v, and (u,m) and (m,v) are arcs or sides;
 *     2. rise is `product` and the least of rise(d) and light*fall(d) of all d that it cuts off, and fall is
 *        p[u]*p[m] + p[m]*p[v] - p[u]*p[v] and fall(d) of all of them;
 *     3. none of these has its break before that of (u,v).
 *
 * F is not above the arc's own line: G less all max(0, rise(d) - light*fall(d)) of those that are not cut off is, by
 * its definition, F of the near part at `light`, less that part's product of ends times `light`, and F of the far part
 * at `light`; by induction that is no more than g. And under a lighter x those d only take more.
 *
 * F is not above F(u,m) + F(m,v): in the difference the breaks that are not cut off cancel, and what is to be shown is
 *
 *     x*(p[u]*p[v] - p[u]*p[m] - p[m]*p[v]) + product - sum over the cut d of max(0, rise(d) - light*fall(d))
 *         + sum over the cut d of max(0, rise(d) - x*fall(d))   <=   max(0, rise(u,v) - x*fall(u,v))
 *
 * By 2 and 3 the two sides are the same up to the break of (u,v). From there on the right one is 0; the left one is
 * convex, begins with 0, and is at `light` that weight's square times the heavier of p[u] and p[v], less the square
 * times p[m]: not above 0.
 *
 * The whole round is (0,m) and (m,last), both under the lightest corner, and costs in the same way at least the sum of
 * all products, less what each rise has left when its cutter has taken the least of rise and light*fall.
 *
 * Nothing here has to be guessed by the processor: that is why it takes a fraction of a second solve. */
#include "solution/arcs.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/wide.h"

/* What an arc's rise and fall have from those that it cuts off. */
typedef struct cut_off {
    uint64_t rise;
    uint64_t fall;
} cut_off;

typedef struct polygon {
    const pdp_arc *arcs;
    const uint64_t *weights;
    uint32_t count;
    uint32_t last;
    cut_off *from; /* for every arc */
} polygon;

/* All bits or none: which arcs have which parts is different every time, and is better not guessed. */
static inline uint32_t mask(bool is_set) {
    return -(uint32_t)is_set;
}

/* The corners of an arc are some, and its parts are sides or arcs: the one it names, and the one before it. The whole
 * round is a part of none: it would end within itself. */
static inline bool has_parts(const polygon *p, const pdp_arc *a, uint32_t before) {
    if (a->u >= a->m || a->m >= a->v || a->v > p->last || a->inside > before) {
        return false;
    }
    const pdp_arc *left = &p->arcs[a->inside], *right = &p->arcs[before];
    return ((((left->u ^ a->u) | (left->v ^ a->m)) & mask(a->m > a->u + 1)) |
            (((right->u ^ a->m) | (right->v ^ a->v)) & mask(a->v > a->m + 1))) == 0;
}

/* The arcs are the inner nodes of the tree whose leaves are the sides, for there are as many; and it has a root. */
static bool is_round(const polygon *p) {
    const pdp_arc *whole = &p->arcs[0];
    return has_parts(p, whole, p->count) && whole->u == 0 && whole->v == p->last &&
           p->weights[whole->m] >= p->weights[0] && whole->rise == 0 && whole->fall == 1;
}

/* Whether all holds that is said above, for every arc in turn; and what it proves. An arc that ends within another is
 * inside it, as they are a tree. In a sum that was right so far nothing is beyond 64 bits: a rise, and a fall times the
 * lighter end, are no more than twice the products of the arcs inside. */
static bool prove(const polygon *p, uint64_t *least) {
    uint64_t cost = 0;
    for (uint32_t number = 1; number <= p->count; number++) {
        const pdp_arc *a = &p->arcs[number];
        if (!has_parts(p, a, number - 1) || a->cutter > p->count || a->cutter == number) {
            return false;
        }
        const pdp_arc *cutter = &p->arcs[a->cutter];
        if (cutter->u > a->u || cutter->v < a->v || cutter->v > p->last) {
            return false;
        }
        const uint64_t u = p->weights[a->u], m = p->weights[a->m], v = p->weights[a->v], product = u * m * v;
        const uint64_t left = p->weights[cutter->u], right = p->weights[cutter->v];
        const uint64_t drop = (left < right ? left : right) * a->fall, taken = a->rise < drop ? a->rise : drop;
        if (m < u || m < v || a->rise != product + p->from[number].rise ||
            a->fall != m * (u + v) - u * v + p->from[number].fall ||
            (pdp_uwide)cutter->rise * a->fall > (pdp_uwide)a->rise * cutter->fall) {
            return false;
        }
        p->from[a->cutter].rise += taken;
        p->from[a->cutter].fall += a->fall;
        cost += product - (a->rise - taken);
    }
    *least = cost;
    return true;
}

/* The weights are those of the dimensions, the first corner's first and last. */
static bool has_weights(const pdp_arcs *arcs, const int64_t *dims, size_t n) {
    const size_t behind = n + 1 - arcs->first;
    return memcmp(arcs->weights, dims + arcs->first, behind * sizeof *dims) == 0 &&
           memcmp(arcs->weights + behind, dims, (arcs->first + 1) * sizeof *dims) == 0;
}

enum { FEW_ARCS = 128 }; /* for which the stack is enough, which takes no page that is new */

pdp_status pdp_arcs_prove(const pdp_arcs *arcs, const int64_t *dims, size_t n, uint64_t *least, pdp_error *error) {
    cut_off few[FEW_ARCS], *from = n <= FEW_ARCS ? few : pdp_pages_allocate(n * sizeof *from, error);
    if (from) {
        const polygon p = {arcs->all, arcs->weights, arcs->count, (uint32_t)n + 1, from};
        memset(from, 0, n * sizeof *from);
        if (arcs->count + (size_t)1 != n || arcs->first > n || !has_weights(arcs, dims, n) || !is_round(&p) ||
            !prove(&p, least)) {
            pdp_error_set(error, PDP_WRONG, "the answer is wrong: the arcs of the polygon do not fit together");
        }
    }
    if (from != few) {
        free(from);
    }
    return error->status;
}

void pdp_arcs_free(pdp_arcs *arcs) {
    free(arcs->all);
    free(arcs->weights);
    *arcs = (pdp_arcs){0};
}
