/* A chain's least cost and nothing else: the second opinion on whoever has solved it.
 *
 * The theory is that of cpu/hu_shing.c, whose words are used here; the code is not. The polygon is walked round the
 * other way, so that ties fall otherwise and the arcs are joined in another order; breaks are kept in pairing heaps;
 * and since nobody asks for an order, what was cut off is forgotten, and its place is used again, so that the memory
 * which is touched is that of the breaks which are still there, few for most chains. */
#include <stdlib.h>

#include "core/memory.h"
#include "core/wide.h"
#include "reference/reference.h"

enum { NO_BREAK = 0 }; /* breaks count from 1 */

/* Under apexes lighter than `from` a curve's slope is more by `fall`, and its constant term less by `rise`. */
typedef struct curve_break {
    pdp_uwide rise;
    pdp_uwide fall;
    uint64_t from;
    uint32_t child; /* the first of those that are not behind it */
    uint32_t next;  /* of its parent's children; or the next free one */
} curve_break;

/* What a piece of the polygon costs under an apex: the last line, and the breaks before it. */
typedef struct curve {
    pdp_uwide slope;
    pdp_uwide constant;
    uint32_t top; /* of the heap: the last break */
} curve;

/* From the corner below in the stack to this one. The last line of its curve is the product of the two corners times
 * the apex, and what it costs alone. It begins at a break of the piece's own, which most often is cut off by the next
 * join and never gets to a heap. A side has no break: one beyond every apex, with nothing behind it, is cut off at
 * once, so that nobody has to guess which pieces are sides. */
typedef struct piece {
    uint64_t weight; /* of this corner */
    pdp_uwide alone;
    pdp_uwide rise; /* 0 for a side, and so is fall */
    pdp_uwide fall;
    uint64_t from;
    uint32_t rest; /* of the breaks: the heap's last */
} piece;

typedef struct walk {
    curve_break *breaks; /* the first is none, and from 0 on */
    piece *stack;        /* downwards, towards the breaks */
    uint32_t used;       /* of the breaks */
    uint32_t free;       /* those that are to be used again */
} walk;

static inline uint32_t heap_merge(curve_break *breaks, uint32_t a, uint32_t b) {
    if (a == NO_BREAK || b == NO_BREAK) {
        return a == NO_BREAK ? b : a;
    }
    const bool a_is_last = breaks[a].from >= breaks[b].from;
    const uint32_t parent = a_is_last ? a : b;
    const uint32_t child = a_is_last ? b : a;
    breaks[child].next = breaks[parent].child;
    breaks[parent].child = child;
    return parent;
}

/* Children become one heap, two by two and then from the last pair to the first. */
static uint32_t heap_unite(curve_break *breaks, uint32_t first) {
    uint32_t pairs = NO_BREAK, top = NO_BREAK;
    for (uint32_t a = first; a != NO_BREAK;) {
        const uint32_t b = breaks[a].next;
        const uint32_t rest = breaks[b].next;
        const uint32_t pair = heap_merge(breaks, a, b);
        breaks[pair].next = pairs;
        pairs = pair;
        a = rest;
    }
    while (pairs != NO_BREAK) {
        const uint32_t rest = breaks[pairs].next;
        top = heap_merge(breaks, top, pairs);
        pairs = rest;
    }
    return top;
}

/* Takes off the last break, which seldom has more than one child. */
static inline void cut(walk *w, curve *f) {
    curve_break *last = &w->breaks[f->top];
    const uint32_t number = f->top;
    f->slope += last->fall;
    f->constant -= last->rise;
    f->top = w->breaks[last->child].next == NO_BREAK ? last->child : heap_unite(w->breaks, last->child);
    last->next = w->free;
    w->free = number;
}

/* The breaks of a piece as a heap: its own, which is behind the rest. */
static uint32_t heap_make(walk *w, const piece *p) {
    if (p->fall == 0) {
        return NO_BREAK;
    }
    const uint32_t number = w->free != NO_BREAK ? w->free : ++w->used;
    curve_break *own = &w->breaks[number];
    w->free = w->free != NO_BREAK ? own->next : NO_BREAK;
    w->breaks[p->rest].next = NO_BREAK;
    own->rise = p->rise;
    own->fall = p->fall;
    own->from = p->from;
    own->child = p->rest;
    return number;
}

/* Two pieces that meet at a corner heavier than their two others become one: the line between those is drawn, or it is
 * not. All products are costs: no break is behind the lighter of the two. */
static inline piece join(walk *w, const piece *left, const piece *right) {
    const uint64_t outer = left[1].weight, middle = left->weight, inner = right->weight;
    const bool is_outer = outer < inner;
    const uint64_t light = is_outer ? outer : inner, heavy = is_outer ? inner : outer;
    const piece *near = is_outer ? left : right, *far = is_outer ? right : left; /* from light */
    const pdp_uwide line = (pdp_uwide)light * heavy;
    curve f = {(pdp_uwide)middle * heavy, far->alone, far->rest};
    if (__builtin_expect(far->from > light, 1)) {
        f.slope += far->fall;
        f.constant -= far->rise;
        while (w->breaks[f.top].from > light) {
            cut(w, &f);
        }
    } else {
        f.top = heap_make(w, far);
    }
    const pdp_uwide alone = near->alone + f.slope * light + f.constant;
    f.slope += (pdp_uwide)middle * light;
    f.constant += near->alone;
    /* The line is the lower one from where it meets the last piece. If that is not behind the last break, the piece
     * is above the line from its beginning. */
    const bool is_above = alone - f.constant <= (f.slope - line) * near->from;
    if (__builtin_expect((f.top == NO_BREAK) & is_above, 1)) {
        f.slope += near->fall;
        f.constant -= near->rise;
        f.top = near->rest;
    } else {
        f.top = heap_merge(w->breaks, f.top, heap_make(w, near));
    }
    while (__builtin_expect(alone - f.constant <= (f.slope - line) * w->breaks[f.top].from, 0)) {
        cut(w, &f);
    }
    const pdp_uwide rise = alone - f.constant, fall = f.slope - line;
    return (piece){inner, alone, rise, fall, (uint64_t)((rise + fall - 1) / fall), f.top};
}

/* From a lightest corner backwards to the same corner again. */
static pdp_uwide walk_round(walk *w, const int64_t *dims, size_t corners) {
    size_t at = 0;
    uint64_t lightest = (uint64_t)dims[0];
    for (size_t m = 1; m < corners; m++) {
        if ((uint64_t)dims[m] < lightest) {
            lightest = (uint64_t)dims[m];
            at = m;
        }
    }
    piece *top = w->stack;
    w->breaks[NO_BREAK] = (curve_break){.from = 0};
    *top = (piece){.weight = lightest};
    for (size_t m = 1; m <= corners; m++) {
        const bool is_again = m == corners; /* the lightest: all that is left is joined, but the first two */
        at = at > 0 ? at - 1 : corners - 1;
        const uint64_t weight = (uint64_t)dims[at], least = is_again ? 0 : weight;
        const piece *bottom = w->stack - is_again;
        top[-1] = (piece){.weight = weight, .from = (weight < top->weight ? weight : top->weight) + 1};
        for (; top->weight > least && top < bottom; top++) {
            *top = join(w, top, top - 1);
        }
        top--;
    }
    return w->stack[-1].alone + w->stack[-2].alone;
}

/* Where neighbours' products fit into 63 bits, so do those of corners between which all others are heavier: then a
 * triangle under a lightest corner costs less than 2^95, and there are fewer than 2^31 of them. */
static bool neighbours_fit(const int64_t *dims, size_t corners) {
    bool fit = true;
    for (size_t m = 0; m < corners && fit; m++) {
        const int64_t next = dims[m + 1 < corners ? m + 1 : 0];
        fit = pdp_wide_fits((pdp_wide)dims[m] * next);
    }
    return fit;
}

/* A piece for every corner: it is in the stack, or joined, which leaves one break at most, or has yet to come. The
 * lightest corner stands there twice, and no break. */
static size_t count_pieces(size_t n) {
    return n + 3;
}

uint64_t pdp_reference_cost_bytes(size_t n) {
    return pdp_bytes_multiply(count_pieces(n), sizeof(piece));
}

pdp_status pdp_reference_cost_mcm(const int64_t *dims, size_t n, pdp_wide *cost, pdp_error *error) {
    *cost = 0;
    if (n < 2) {
        return PDP_OK;
    }
    if (n > INT32_MAX) {
        return pdp_error_set(error, PDP_BAD_INPUT, "%zu matrices: more than %d are not supported", n, INT32_MAX);
    }
    if (!neighbours_fit(dims, n + 1)) { /* some triangle of every order has the two */
        *cost = (pdp_wide)INT64_MAX + 1;
        return PDP_OK;
    }
    piece *room = pdp_room_allocate(count_pieces(n), sizeof *room, error);
    if (room) {
        walk w = {.breaks = (curve_break *)room, .stack = room + count_pieces(n) - 1};
        *cost = (pdp_wide)walk_round(&w, dims, n + 1);
        free(room);
    }
    return error->status;
}
