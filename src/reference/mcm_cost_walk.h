/* The walk of mcm_cost.c, for costs of type COST: EXCEEDS(a, b, c, d) is a * b > c * d, and WIDTH(name) makes names
 * that are used once. */
#define curve_break WIDTH(curve_break)
#define piece WIDTH(piece)
#define walk WIDTH(walk)
#define heap_merge WIDTH(heap_merge)
#define cut WIDTH(cut)
#define cost_under WIDTH(cost_under)
#define join WIDTH(join)
#define walk_round WIDTH(walk_round)

/* At x = rise/fall a curve's constant term grows by `rise`, and its slope falls by `fall`. */
typedef struct curve_break {
    COST rise;
    COST fall;
    uint32_t child; /* the first of those that are not behind it */
    uint32_t next;  /* of its parent's children; or the next free one */
} curve_break;

/* From the corner below in the stack to this one: what this piece of the polygon costs under an apex (the last line,
 * and the breaks before it), and alone. */
typedef struct piece {
    uint64_t weight; /* of this corner */
    COST slope;
    COST constant;
    COST alone;
    uint32_t top; /* of the heap: the last break */
} piece;

typedef struct walk {
    curve_break *breaks;
    piece *stack;
    uint32_t used; /* of the breaks */
    uint32_t free; /* those that are to be used again */
} walk;

static uint32_t heap_merge(curve_break *breaks, uint32_t a, uint32_t b) {
    if (a == NO_BREAK || b == NO_BREAK) {
        return a == NO_BREAK ? b : a;
    }
    const bool a_is_last = !EXCEEDS(breaks[b].rise, breaks[a].fall, breaks[a].rise, breaks[b].fall);
    const uint32_t parent = a_is_last ? a : b;
    const uint32_t child = a_is_last ? b : a;
    breaks[child].next = breaks[parent].child;
    breaks[parent].child = child;
    return parent;
}

/* Takes off the last break: its children become one heap, two by two and then from the last pair to the first. */
static void cut(walk *w, piece *f) {
    curve_break *breaks = w->breaks;
    const uint32_t last = f->top;
    uint32_t pairs = NO_BREAK;
    f->slope += breaks[last].fall;
    f->constant -= breaks[last].rise;
    f->top = NO_BREAK;
    for (uint32_t a = breaks[last].child; a != NO_BREAK;) {
        const uint32_t b = breaks[a].next;
        const uint32_t rest = b != NO_BREAK ? breaks[b].next : NO_BREAK;
        const uint32_t pair = heap_merge(breaks, a, b);
        breaks[pair].next = pairs;
        pairs = pair;
        a = rest;
    }
    while (pairs != NO_BREAK) {
        const uint32_t rest = breaks[pairs].next;
        f->top = heap_merge(breaks, f->top, pairs);
        pairs = rest;
    }
    breaks[last].next = w->free;
    w->free = last;
}

/* What the piece costs under an apex of weight x; asked for falling x. */
static COST cost_under(walk *w, piece *f, uint64_t x) {
    while (f->top != NO_BREAK && EXCEEDS(w->breaks[f->top].rise, 1, w->breaks[f->top].fall, x)) {
        cut(w, f);
    }
    return f->slope * x + f->constant;
}

/* The two pieces that meet at a corner which is heavier than the two others, and the line between those. */
static piece join(walk *w, uint64_t outer, piece left, piece right) {
    const COST line = (COST)outer * right.weight;
    piece f = {.weight = right.weight};
    f.alone = outer < right.weight ? left.alone + cost_under(w, &right, outer)
                                   : cost_under(w, &left, right.weight) + right.alone;
    f.slope = left.slope + right.slope;
    f.constant = left.constant + right.constant;
    f.top = heap_merge(w->breaks, left.top, right.top);
    while (f.top != NO_BREAK &&
           !EXCEEDS(f.alone - f.constant, w->breaks[f.top].fall, w->breaks[f.top].rise, f.slope - line)) {
        cut(w, &f);
    }
    const uint32_t own = w->free != NO_BREAK ? w->free : ++w->used;
    w->free = own == w->free ? w->breaks[own].next : w->free;
    w->breaks[f.top].next = NO_BREAK; /* of the only child (or of no break at all, which nobody reads) */
    w->breaks[own] = (curve_break){.rise = f.alone - f.constant, .fall = f.slope - line, .child = f.top};
    f.top = own;
    f.slope = line;
    f.constant = f.alone;
    return f;
}

/* From a lightest corner backwards to the same corner again. */
static COST walk_round(walk *w, const int64_t *dims, size_t corners) {
    piece *stack = w->stack;
    size_t depth = 1, at = 0;
    for (size_t m = 1; m < corners; m++) {
        at = dims[m] < dims[at] ? m : at;
    }
    const uint64_t lightest = (uint64_t)dims[at];
    uint64_t before = lightest;
    stack[0] = (piece){.weight = lightest};
    for (size_t m = 1; m < corners; m++) {
        at = at > 0 ? at - 1 : corners - 1;
        const uint64_t weight = (uint64_t)dims[at];
        piece f = {.weight = weight, .slope = (COST)before * weight};
        for (; stack[depth - 1].weight > weight; depth--) {
            f = join(w, stack[depth - 2].weight, stack[depth - 1], f);
        }
        stack[depth++] = f;
        before = weight;
    }
    piece f = {.weight = lightest, .slope = (COST)before * lightest};
    for (; depth > 2; depth--) {
        f = join(w, stack[depth - 2].weight, stack[depth - 1], f);
    }
    return stack[1].alone + f.alone;
}

/* The cost, once there is memory. */
static pdp_status WIDTH(find)(const int64_t *dims, size_t n, COST *cost, pdp_error *error) {
    walk w = {.breaks = pdp_array_allocate(n + 1, sizeof *w.breaks, error)};
    w.stack = w.breaks ? pdp_array_allocate(n + 1, sizeof *w.stack, error) : NULL;
    if (w.stack) {
        *cost = walk_round(&w, dims, n + 1);
    }
    free(w.breaks);
    free(w.stack);
    return error->status;
}

enum { WIDTH(bytes) = sizeof(curve_break) + sizeof(piece) };

#undef curve_break
#undef piece
#undef walk
#undef heap_merge
#undef cut
#undef cost_under
#undef join
#undef walk_round
#undef COST
#undef EXCEEDS
#undef WIDTH
