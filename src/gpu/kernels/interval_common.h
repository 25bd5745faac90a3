/* What all kernels for interval problems know of them (the driver's side is interval_abi.h). */
#define SOME(count) ((count) > 0 ? (count) : 1)

PDP_INLINE int64_t tile_number(int64_t row, int64_t column) {
    return (int64_t)((uint64_t)(column * (column + 1)) / 2) + row;
}

/* A problem of the batch. */
typedef struct problem {
    PDP_DATA d;
    GLOBAL elem *table;
    int64_t first; /* the number of its first tile */
    int side;
    int room;
} problem;

PDP_INLINE problem problem_at(PDP_DATA d, GLOBAL void *table, const GLOBAL void *problems, int64_t number) {
    const GLOBAL int64_t *words = (const GLOBAL int64_t *)problems + number * PROBLEM_WORDS;
    const problem found = {(PDP_DATA)((const GLOBAL char *)d + words[PROBLEM_DATA]),
                           (GLOBAL elem *)table + words[PROBLEM_FIRST] * (TILE * TILE), words[PROBLEM_FIRST],
                           (int)words[PROBLEM_SIDE], (int)words[PROBLEM_ROOM]};
    return found;
}

/* The sums behind the problems (interval_abi.h), which need not be read if all problems are of one size. */
PDP_INLINE int64_t sum_at(const GLOBAL int64_t *sums, int64_t count, int64_t s) {
    return sums ? sums[s] : s * count;
}

/* Which tile a ticket of a distance stands for. Tiles are counted row by row, in a row by the problems that have it.
 * These are the first, all that have more than row + distance tiles in a row. */
PDP_INLINE int find_row(const GLOBAL int64_t *sums, int64_t count, int64_t side, int distance, uint32_t ticket,
                        int *number) {
    const int64_t before = sum_at(sums, count, distance);
    int row = (int)(ticket / (uint32_t)(sum_at(sums, count, distance + 1) - before)), end = row + 1;
    if (sums && ticket >= sums[distance + end] - before) { /* not all problems have that many rows */
        for (end = (int)side - distance; end - row > 1;) {
            const int middle = OVER(row + end, 2);
            if (ticket >= sums[distance + middle] - before) {
                row = middle;
            } else {
                end = middle;
            }
        }
    }
    *number = (int)(ticket + before - sum_at(sums, count, distance + row));
    return row;
}

/* ---- Cells ---- */

PDP_INLINE elem table_cell(const problem *p, int64_t i, int64_t j) {
    const int row = (int)i + p->room, column = (int)j + p->room, r = REST(row, TILE), c = REST(column, TILE);
    return p->table[tile_number(OVER(row, TILE), OVER(column, TILE)) * (TILE * TILE) +
                    (OVER(c, PANEL) * (TILE * PANEL) + r * PANEL + REST(c, PANEL))];
}

PDP_INLINE elem add_term(PDP_DATA d, elem sum, elem l, elem r, const elem *ha, const elem *hb, const elem *hj,
                         int64_t i, int64_t k, int64_t j) {
    elem a[SOME(PDP_NA)], b[SOME(PDP_NB)];
    s_make_a(d, l, ha, a);
    s_make_b(d, r, hb, b);
    return update(d, sum, a, b, hj, i, k, j);
}

/* What M[i][k] and M[k][j] give to M[i][j]. */
PDP_INLINE elem add_split(const problem *p, elem sum, int64_t i, int64_t k, int64_t j) {
    PDP_DATA d = p->d;
    elem ha[SOME(PDP_NHA)], hb[SOME(PDP_NHB)], hj[SOME(PDP_NHJ)];
    hoist_a(d, i, k, ha);
    hoist_b(d, k, j, hb);
    hoist_j(d, j, hj);
    return add_term(d, sum, table_cell(p, i, k), table_cell(p, k, j), ha, hb, hj, i, k, j);
}
