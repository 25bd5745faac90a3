/* Interval problems of which the work is little: a text that NVRTC is done with in a fraction of the time that it takes
 * for the pipeline. A launch has the tiles of one distance from the diagonal, a group each, and a thread has one cell
 * after the other; the table is the pipeline's. */

/* The cell with all its terms becomes what it is. */
PDP_INLINE elem close_quick(const problem *p, elem sum, int64_t i, int64_t j) {
    PDP_DATA d = p->d;
    (void)d, (void)i, (void)j;
#if PDP_CLOSES || PDP_OPTIONS_FIRST
    elem h[SOME(PDP_NHC)], with = PDP_IDENTITY;
#if PDP_OPTIONS
    with = option(d, i, j, j > i + 2 ? table_cell(p, i + 1, j - 1) : empty(d, i + 1));
#endif
    hoist_c(d, i, j, h);
    sum = close_cell(d, sum, with, h, i, j);
#endif
    return sum;
}

/* The terms of the k's first <= k < end. */
PDP_INLINE elem add_splits(const problem *p, elem sum, int64_t i, int64_t first, int64_t end, int64_t j) {
    UNROLL(4) for (int64_t k = first; k < end; k++) { /* operands of several are on their way at once */
        sum = add_split(p, sum, i, k, j);
    }
    return sum;
}

#if PDP_PART(0)
/* Tiles of distance n2. b0: the tables; b2: the problems; b3: their values; n0: the most tiles in a row; n1: problems;
 * n4: whether they are of several sizes. */
KERNEL(pdp_interval_quick, THREADS, 1, 0) {
    const GLOBAL int64_t *sums = n4 ? (const GLOBAL int64_t *)b2 + n1 * PROBLEM_WORDS : 0;
    const int distance = (int)n2;
    int number = 0;
    const int row = find_row(sums, n1, n0, distance, (uint32_t)GROUP, &number);
    const problem own = problem_at(d, b0, b2, number);
    GLOBAL elem *tile = own.table + tile_number(row, row + distance) * (TILE * TILE);
    const int64_t i0 = (int64_t)row * TILE - own.room, j0 = i0 + (int64_t)distance * TILE;
    /* First what other tiles give; those on the diagonal are taken with the tile itself. */
    for (int at = THREAD; at < TILE * TILE; at += THREADS) {
        const int r = OVER(REST(at, TILE * PANEL), PANEL), c = OVER(at, TILE * PANEL) * PANEL + REST(at, PANEL);
        const int64_t i = i0 + r;
        tile[at] = i < 0 ? PDP_IDENTITY : add_splits(&own, PDP_IDENTITY, i, i0 + TILE, j0, j0 + c);
    }
    /* Then cell by cell, those nearest to the diagonal first. */
    for (int step = distance == 0 ? TILE : 0; step < 2 * TILE - 1; step++) {
        BARRIER();
        for (int r = THREAD; r < TILE; r += THREADS) {
            const int c = r + step - (TILE - 1);
            const int64_t i = i0 + r, j = j0 + c;
            if (c < 0 || c >= TILE || i < 0) {
                continue;
            }
            GLOBAL elem *cell = tile + (OVER(c, PANEL) * (TILE * PANEL) + r * PANEL + REST(c, PANEL));
            if (j == i + 1) {
                *cell = leaf(own.d, i);
            } else {
                elem sum = add_splits(&own, *cell, i, i + 1, distance == 0 ? j : i0 + TILE, j);
                sum = add_splits(&own, sum, i, distance == 0 ? j : j0, j, j);
                *cell = close_quick(&own, sum, i, j);
            }
        }
    }
    BARRIER();
    if (THREAD == 0 && distance == own.side - 1) {
        ((GLOBAL elem *)b3)[number] = table_cell(&own, 0, (int64_t)own.side * TILE - own.room - 1);
    }
}
#endif
