/* The loops for one operator and one type. Before this stand ELEM, COMBINE(a, b) and NAME(name), and ONE_BY_ONE where
 * that takes least with what others have left; compilers make vectors of all but the last. Included several times, so
 * without a guard. */

#ifndef ONE_BY_ONE
static void NAME(combine_eight)(ELEM *restrict to, const void *const *from, size_t length) {
    const ELEM *restrict a = from[0], *restrict b = from[1], *restrict c = from[2], *restrict d = from[3];
    const ELEM *restrict e = from[4], *restrict f = from[5], *restrict g = from[6], *restrict h = from[7];
    for (size_t x = 0; x < length; x++) {
        const ELEM one = COMBINE(COMBINE(to[x], a[x]), COMBINE(b[x], c[x]));
        const ELEM other = COMBINE(COMBINE(d[x], e[x]), COMBINE(f[x], g[x]));
        to[x] = COMBINE(COMBINE(one, other), h[x]);
    }
}
#endif

static void NAME(combine_one)(ELEM *restrict to, const ELEM *restrict from, size_t length) {
    for (size_t x = 0; x < length; x++) {
        to[x] = COMBINE(to[x], from[x]);
    }
}

static void NAME(combine)(void *to, const void *const *from, size_t count, size_t length) {
    size_t t = 0;
#ifndef ONE_BY_ONE
    for (; t + 8 <= count; t += 8) {
        NAME(combine_eight)(to, from + t, length);
    }
#endif
    for (; t < count; t++) {
        NAME(combine_one)(to, from[t], length);
    }
}

static void NAME(pair)(void *to, const void *a, const void *b, size_t length) {
    ELEM *restrict out = to;
    const ELEM *one = a, *other = b;
    for (size_t x = 0; x < length; x++) {
        out[x] = COMBINE(one[x], other[x]);
    }
}

static void NAME(add)(void *to, size_t length, int64_t weight, bool can_miss, int64_t none) {
    ELEM *out = to;
    for (size_t x = 0; x < length; x++) {
        out[x] = can_miss && out[x] == (ELEM)none ? out[x] : (ELEM)(out[x] + (ELEM)weight);
    }
}

static void NAME(run_chain)(const pdp_runs_chain *chain) {
    ELEM *table = chain->levels[0];
    for (size_t x = 0; x < chain->length; x++) {
        const size_t cell = chain->first + x;
        ELEM best = table[x];
        for (size_t t = 0; t < chain->term_count && chain->terms[t].offset <= cell; t++) {
            const ELEM *level = (const ELEM *)chain->levels[chain->terms[t].level] + x;
            best = COMBINE(best, *(level - chain->terms[t].offset));
        }
        table[x] = chain->can_miss && best == (ELEM)chain->none ? best : (ELEM)(best + (ELEM)chain->weight);
        for (unsigned l = 0; l < chain->highest; l++) {
            const ELEM *level = (const ELEM *)chain->levels[l] + x;
            const size_t half = (size_t)1 << l;
            ((ELEM *)chain->levels[l + 1])[x] = half <= cell ? COMBINE(*level, *(level - half)) : *level;
        }
    }
}
