/* A lower bound on the cost of a chain, proven from arcs: see arcs.h, and cpu/hu_shing.c for the words and for the
 * theorem that the least cost is
 *
 *     f(u,v)(x) = min(x*p[u]*p[v] + g(u,v),  f(u,m)(x) + f(m,v)(x))
 *     g(u,v) = g of the near part + f of the far part at `light`
 *
 * where `light` is the lighter of p[u] and p[v], its part of (u,m) and (m,v) is the near one, and apexes x are at most
 * as heavy as `light`. The solver has found the breaks, and which arc cuts off which; here they are only looked at.
 *
 * Let every arc d have a break, rise/fall, and a *cutter*, an arc around it. The breaks of an arc are its own and those
 * inside it whose cutter is further out. Define lower bounds F of f and G of g by
 *
 *     F(u,v)(x) = x*p[u]*p[v] + G(u,v) - sum over the breaks d of (u,v) of max(0, rise(d) - x*fall(d))
 *     G(u,v) = G of the near part + F of the far part at `light`
 *
 * F <= x*p[u]*p[v] + G holds whatever the breaks are. F(u,v) <= F(u,m) + F(m,v) says that for 0 <= x <= light
 *
 *     x*p[u]*p[v] + G(u,v) - [x*p[u]*p[m] + G(u,m)] - [x*p[m]*p[v] + G(m,v)]
 *         + sum over the d that (u,v) cuts off of max(0, rise(d) - x*fall(d))   <=   max(0, rise(u,v) - x*fall(u,v))
 *
 * Let (u,v) have the rise and fall that make the left side, without its max, the right side without its own: both are
 * given by p, the cut ones and `light`. If then no d that is cut off has its break before that of (u,v), the two sides
 * are the same up to there. From there on the right side is 0 and the left one is convex, 0 at its beginning and not
 * above 0 at `light`, if there no d of the near part counts. So by induction F <= f and G <= g if for every arc d
 *
 *     1. its corners are heavier the deeper they are, and the parts of an arc are arcs or sides, up to the whole round;
 *     2. its cutter is around it, and has its break not behind that of d;
 *     3. its break is not behind the lighter end of its cutter's part that d is in, so that d counts for no G inside
 *        that part, and, if that is the near one, not for the cutter's either;
 *     4. rise and fall are as above: p[u]*p[m]*p[v] and the least of rise(d) and light*fall(d) of all that are cut off,
 *        and p[u]*p[m] + p[m]*p[v] - p[u]*p[v] and fall(d) of all that are cut off.
 *
 * G of the whole round is the sum of all p[u]*p[m]*p[v], less what F of the far parts is below its line at `light`.
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

/* Whether all holds that is said above, for every arc in turn; and what it proves. In a sum that was right so far
 * nothing is beyond 64 bits: a rise, and a fall times an end, is no more than twice the products of the arcs inside. */
static bool prove(const polygon *p, uint64_t *least) {
    uint64_t cost = 0;
    for (uint32_t number = 1; number <= p->count; number++) {
        const pdp_arc *a = &p->arcs[number];
        if (!has_parts(p, a, number - 1) || a->cutter > p->count) {
            return false;
        }
        const pdp_arc *cutter = &p->arcs[a->cutter];
        const bool is_left = a->u < cutter->m;
        const uint32_t end = cutter->v ^ ((cutter->m ^ cutter->v) & mask(is_left)); /* of the part that it is in */
        if (a->u < cutter->u || a->v > end || cutter->v > p->last) {
            return false;
        }
        const uint64_t u = p->weights[a->u], m = p->weights[a->m], v = p->weights[a->v], product = u * m * v;
        const uint64_t left = p->weights[cutter->u], right = p->weights[cutter->v];
        const uint64_t drop = (left < right ? left : right) * a->fall, taken = a->rise < drop ? a->rise : drop;
        if (m < u || m < v || a->rise != product + p->from[number].rise ||
            a->fall != m * (u + v) - u * v + p->from[number].fall || a->rise > (is_left ? left : right) * a->fall ||
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
