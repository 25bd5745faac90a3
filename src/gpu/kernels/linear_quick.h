/* Linear problems of which the work is little: a text that NVRTC is done with in a fraction of the time that it takes
 * for the pipeline. One group does everything, 32 cells at a time: terms from cells before those are shared out to the
 * warps, the others are added one cell after the other. All terms are in the list. */
#define SOME(count) ((count) > 0 ? (count) : 1)

enum { WARPS = THREADS / 32 };

/* The terms of a run. */
typedef struct terms {
    const GLOBAL elem *table;
    const GLOBAL uint32_t *offsets; /* rising */
    const GLOBAL uint32_t *numbers;
    const GLOBAL elem *weights;
} terms;

/* Adds term t to a sum of cell i, if the cell has it. */
PDP_INLINE elem add_listed(PDP_DATA d, const terms *l, elem sum, int t, int64_t i) {
    const int64_t a = l->offsets[t];
    elem w[SOME(PDP_NW)], iv[SOME(PDP_NI)];
    if (a <= i) {
        for (int v = 0; v < PDP_NW; v++) {
            w[v] = l->weights[(int64_t)t * PDP_NW + v];
        }
        hoist_i(d, i, iv);
        sum = update(d, sum, l->table[i - a], w, iv, i, l->numbers[t]);
    }
    return sum;
}

#if PDP_PART(0)
/* Cells n1 .. n0-1. b0: the table; b2: offsets and numbers of the terms; b3: weights; n4: how many terms there are, in
 * both halves. */
KERNEL(pdp_linear_quick, THREADS, 1, 0) {
    SHARED(elem, sums, THREADS);
    SHARED(uint32_t, begin, 33); /* the first term with an offset of so much, or more */
    const int count = (int)(n4 & 0xffffffff), warp = OVER(THREAD, 32), lane = REST(THREAD, 32);
    GLOBAL elem *table = (GLOBAL elem *)b0;
    const terms l = {table, (const GLOBAL uint32_t *)b2, (const GLOBAL uint32_t *)b2 + count, (const GLOBAL elem *)b3};
    if (THREAD < 33) {
        int t = 0;
        while (t < count && l.offsets[t] < (uint32_t)THREAD) {
            t++;
        }
        begin[THREAD] = (uint32_t)t;
    }
    for (int64_t first = n1; first < n0; first += 32) {
        BARRIER();
        const int64_t i = first + lane;
        elem sum = PDP_IDENTITY;
        for (int t = warp; t < count && i < n0; t += WARPS) {
            if (l.offsets[t] > (uint32_t)lane) {
                sum = add_listed(d, &l, sum, t, i);
            }
        }
        sums[THREAD] = sum;
        BARRIER();
        if (warp == 0 && i < n0) {
            for (int w = 1; w < WARPS; w++) {
                sum = PDP_COMBINE(sum, sums[w * 32 + lane]);
            }
            sum = PDP_COMBINE(source(d, i), sum);
        }
        for (int step = 0; step < 32; step++) { /* no barrier stands in a branch */
            const int near = lane - step;
            if (warp == 0 && near == 0 && i < n0) {
                table[i] = close(d, sum, i);
            }
            BARRIER();
            if (warp == 0 && near > 0 && i < n0) {
                for (int t = (int)begin[near]; t < (int)begin[near + 1]; t++) {
                    sum = add_listed(d, &l, sum, t, i);
                }
            }
        }
    }
}
#endif
