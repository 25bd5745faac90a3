/* The tile pipeline on a device, stamped for one recurrence and element type:
 *
 *   M[i][i+1] = leaf(i),   M[i][j] = close(i, j, (+) over i<k<j of term(M[i][k], M[k][j], i, k, j))
 *
 * There is a batch of such problems, often of one alone. A group takes one tile after the other from a ticket counter,
 * tiles by their distance from the diagonal, so that whatever a tile waits for was taken before it; those on the
 * diagonal have a launch of their own. It holds the tile's sums in registers while it adds the products of finished
 * tiles, middle-out, since those in the middle are final first; then it finishes the tile itself, block by block, and
 * tells the others. Layout and names are those of the CPU's tiles (kernel_interval_abi.h). */

enum {
    PACK = 16 / PDP_ELEM_BYTES, /* elements that are loaded at once */
    ROWS = 4,                   /* of a thread's part of the tile, and its columns, in packs */
    COLUMNS = 8,
    COLUMN_THREADS = TILE / COLUMNS,
    /* k's that are in shared memory at once: as many as two stages have room for. */
    A_STRIDE = TILE + PACK,
    B_STRIDE = TILE + (PACK < 4 ? 0 : PANEL), /* two rows that are stored at once lie in different banks */
    A_K = A_STRIDE * PDP_NA + B_STRIDE * PDP_NB,
    CHUNK = A_K * PDP_ELEM_BYTES <= 1024               ? 16
            : A_K * PDP_ELEM_BYTES <= 2048             ? 8
            : A_K * PDP_ELEM_BYTES <= 4096 || PACK > 2 ? 4
                                                       : 2,
    STAGE = CHUNK * A_K,
    STAGES = STAGE * PDP_ELEM_BYTES <= 20480 ? 2 : 1,
    PACKS = TILE * CHUNK / PACK, /* of one operand */
    LOADS = (PACKS + THREADS - 1) / THREADS,
    PLACE_ROWS = THREADS / (CHUNK / PACK), /* of a between two packs of a thread, and panels of b */
    PLACE_PANELS = THREADS / (CHUNK * PANEL / PACK),
    BLOCK = 4, /* in which a tile is finished: one that a thread holds in registers */
    BLOCKS = TILE / BLOCK,
    LOOKERS = THREADS - 32, /* threads that look ahead to the next blocks; the others finish those in work */
    PAIRS = LOOKERS / 2,    /* of lookers: half a warp apart, two rows of a block each */
    MOST_PAIRS = 6,         /* for a block */
    FOUND_AT_ONCE = PDP_ELEM_BYTES == 4 ? MOST_PAIRS : 1,
    /* What is in shared memory while a tile is finished: the tile; of the two tiles on the diagonal that it reads what
     * is above their diagonal, if there is room; what is hoisted for columns, and for rows and k's if other hoisted
     * values are made of those; what lookers have found for a line, and for the next one, which is in the lower left
     * quarters of the tiles on the diagonal, if there are any. What is not written when the stages are in use is behind
     * them. */
    T_STRIDE = TILE + PACK,
    CELLS = T_STRIDE * TILE,
    IS_STAGED = !PDP_LITTLE_SHARED,
    FIRST_TILE = CELLS > STAGES *STAGE ? CELLS : STAGES *STAGE,
    SECOND_TILE = FIRST_TILE + CELLS,
    CLOSED_ROWS = THREADS / (PANEL / PACK), /* of a panel that all threads bring or write at once */
    SOME_PANELS = TILE / CLOSED_ROWS > 2 ? 1 : 2,
    COLUMN_HOISTS = 0, /* from the first that is hoisted on */
    ROW_HOISTS = COLUMN_HOISTS + PDP_NHJ * TILE,
    K_HOISTS = ROW_HOISTS + PDP_NHI * TILE,     /* of k's in the rows, and of those in the columns */
    IDENTITIES = K_HOISTS + 2 * PDP_NHK * TILE, /* two rows of a block */
    HOISTED = IDENTITIES + 2 * BLOCK,
    IS_JOINED = PDP_NHI + PDP_NHK > 0,
    /* Operands of which the first is the cell and the others are hoisted are made apart from each other: the others by
     * so many threads a k, so many packs of rows each. */
    IS_APART = IS_STAGED && IS_JOINED && PDP_A_IS_L,
    MAKERS = THREADS / CHUNK,
    MADE = TILE / PACK / MAKERS,
    FOUND_IN_LINE = TILE / 2 / BLOCK, /* pairs; other rows of what they found are FOUND_ROW further on */
    FOUND_STRIDE = IS_STAGED ? T_STRIDE : TILE / 2,
    FOUND_ROW = PAIRS / FOUND_IN_LINE * FOUND_STRIDE,
    FOUND_CELLS = BLOCK * FOUND_ROW,
    POOL_ELEMENTS = FIRST_TILE + HOISTED + 2 * (IS_STAGED ? CELLS : FOUND_CELLS),
    DIAGONAL_ELEMENTS = CELLS + HOISTED + 2 * FOUND_CELLS
};

#define ALIGNED __attribute__((aligned(16))) /* an array that is read and written by packs */

typedef struct ALIGNED pack {
    elem at[PACK];
} pack;

typedef struct __attribute__((aligned(2 * PDP_ELEM_BYTES))) two {
    elem at[2];
} two;

/* The tile at `position` of a term order: see pdp_tile_middle. */
PDP_INLINE int tile_middle(int distance, int position) {
    const int step = OVER(position + 1, 2), centre = OVER(distance, 2);
    return REST(position, 2) == REST(distance, 2) ? centre + step : centre - step;
}

/* ---- Products of tiles ---- */

typedef struct fetched {
    pack a[LOADS];
    pack b[LOADS];
    elem hk[SOME(PDP_NHK)]; /* what is hoisted for one of the k's */
} fetched;

/* Where a thread's first pack of each operand is: its row of a and its k, its panel of b and where it is in there. The
 * next ones are PLACE_ROWS rows on, and PLACE_PANELS panels. */
typedef struct place {
    int row, k;
    int panel, rest;
} place;

PDP_INLINE place place_of(int thread) {
    const place p = {OVER(thread, CHUNK / PACK), REST(thread, CHUNK / PACK) * PACK, OVER(thread, CHUNK * PANEL / PACK),
                     REST(thread, CHUNK * PANEL / PACK) * PACK};
    return p;
}

/* Fetches k's first .. first+CHUNK-1 of tiles a and b. */
PDP_INLINE void fetch(PDP_DATA d, fetched *f, const GLOBAL elem *a, const GLOBAL elem *b, int first, int k0) {
    /* What follows from THREAD is found again: it would be in registers all the time, or worse, in memory. */
    int thread = THREAD;
    UNKNOWN(thread);
    const place at = place_of(thread);
    const GLOBAL elem *from_a = a + (OVER(first, PANEL) * (TILE * PANEL) + REST(first, PANEL) + at.row * PANEL + at.k);
    const GLOBAL elem *from_b = b + (first * PANEL + at.panel * (TILE * PANEL) + at.rest);
    if (IS_APART) {
        hoist_k(d, k0 + first + OVER(thread, MAKERS), f->hk);
    }
    UNROLLED for (int q = 0; q < LOADS; q++) {
        if (PACKS % THREADS == 0 || thread < PACKS) {
            f->a[q] = *(const GLOBAL pack *)(from_a + q * (PLACE_ROWS * PANEL));
            f->b[q] = *(const GLOBAL pack *)(from_b + q * (PLACE_PANELS * TILE * PANEL));
        }
    }
}

/* The operands that are hoisted for the tile's rows and the k's. */
PDP_INLINE void stage_hoists(PDP_DATA d, LOCAL elem *pool, int to, const fetched *f) {
    const int row = REST(THREAD, MAKERS) * PACK;
    const LOCAL elem *rows = BASE(const elem, pool, POOL_ELEMENTS - HOISTED + ROW_HOISTS + row);
    LOCAL elem *to_a = BASE(elem, pool, to + (CHUNK + OVER(THREAD, MAKERS)) * A_STRIDE + row);
    UNROLLED for (int q = 0; q < MADE; q++) {
        elem hi[PACK][SOME(PDP_NHI)];
        pack made[SOME(PDP_NHA)];
        UNROLLED for (int v = 0; v < PDP_NHI; v++) {
            const pack x = *(const LOCAL pack *)(rows + v * TILE + q * MAKERS * PACK);
            UNROLLED for (int e = 0; e < PACK; e++) {
                hi[e][v] = x.at[e];
            }
        }
        UNROLLED for (int e = 0; e < PACK; e++) {
            elem h[SOME(PDP_NHA)];
            join_a(d, hi[e], f->hk, h);
            UNROLLED for (int v = 0; v < PDP_NHA; v++) {
                made[v].at[e] = h[v];
            }
        }
        UNROLLED for (int v = 0; v < PDP_NHA; v++) {
            *(LOCAL pack *)(to_a + v * CHUNK * A_STRIDE + q * MAKERS * PACK) = made[v];
        }
    }
}

/* Puts them into shared memory as operands: a by columns, b by rows. */
PDP_INLINE void stage(PDP_DATA d, LOCAL elem *pool, int to, const fetched *f, int i0, int k0, int j0) {
    const place at = place_of(THREAD);
    const int b_row = OVER(at.rest, PANEL), first_column = at.panel * PANEL + REST(at.rest, PANEL);
    LOCAL elem *to_a = BASE(elem, pool, to + at.k * A_STRIDE + at.row);
    LOCAL elem *to_b = BASE(elem, pool, to + CHUNK * A_STRIDE * PDP_NA + b_row * B_STRIDE + first_column);
    UNROLLED for (int q = 0; q < LOADS; q++) {
        if (PACKS % THREADS != 0 && THREAD >= PACKS) {
            continue;
        }
        const int row = at.row + q * PLACE_ROWS, column = first_column + q * PLACE_PANELS * PANEL;
        UNROLLED for (int e = 0; e < PACK; e++) {
            elem h[SOME(PDP_NHA)], made[SOME(PDP_NA)];
            if (IS_APART) {
                made[0] = f->a[q].at[e];
            } else {
                hoist_a(d, i0 + row < 0 ? 0 : i0 + row, (int64_t)(k0 + at.k) + e, h);
                s_make_a(d, f->a[q].at[e], h, made);
            }
            UNROLLED for (int v = 0; v < (IS_APART ? 1 : PDP_NA); v++) {
                to_a[(v * CHUNK + e) * A_STRIDE + q * PLACE_ROWS] = made[v];
            }
        }
        pack made_b[SOME(PDP_NB)];
        UNROLLED for (int e = 0; e < PACK; e++) {
            elem h[SOME(PDP_NHB)], made[SOME(PDP_NB)];
            hoist_b(d, k0 + b_row, j0 + column + e, h);
            s_make_b(d, f->b[q].at[e], h, made);
            UNROLLED for (int v = 0; v < PDP_NB; v++) {
                made_b[v].at[e] = made[v];
            }
        }
        UNROLLED for (int v = 0; v < PDP_NB; v++) {
            *(LOCAL pack *)(to_b + v * CHUNK * B_STRIDE + q * PLACE_PANELS * PANEL) = made_b[v];
        }
    }
    if (IS_APART) {
        stage_hoists(d, pool, to, f);
    }
}

/* A thread's part of the tile. */
typedef struct ALIGNED part {
    elem sum[ROWS][COLUMNS];
    int row; /* its first, and its first column */
    int column;
    elem hoisted[COLUMNS][SOME(PDP_NHJ)];
} part;

/* From its first column to column c. */
PDP_INLINE int part_step(int c) {
    return c / PACK * (COLUMN_THREADS * PACK) + c % PACK;
}

PDP_INLINE void part_open(PDP_DATA d, part *p, int j0) {
    p->row = OVER(THREAD, COLUMN_THREADS) * ROWS;
    p->column = REST(THREAD, COLUMN_THREADS) * PACK;
    UNROLLED for (int c = 0; c < COLUMNS; c++) {
        const int j = j0 + p->column + part_step(c);
        hoist_j(d, j < 0 ? 0 : j, p->hoisted[c]);
        UNROLLED for (int r = 0; r < ROWS; r++) {
            p->sum[r][c] = PDP_IDENTITY;
        }
    }
}

/* sum (+)= a (x) b for the k's in shared memory. */
PDP_INLINE void part_add(PDP_DATA d, part *p, const LOCAL elem *pool, int from, int i0, int k0, int j0) {
    const LOCAL elem *from_a = BASE(const elem, pool, from + p->row);
    const LOCAL elem *from_b = BASE(const elem, pool, from + CHUNK * A_STRIDE * PDP_NA + p->column);
    UNROLLED for (int k = 0; k < CHUNK; k++) {
        elem a[ROWS][PDP_NA], b[COLUMNS][PDP_NB];
        UNROLLED for (int v = 0; v < PDP_NA; v++) {
            UNROLLED for (int r = 0; r < ROWS; r += PACK) {
                const pack x = *(const LOCAL pack *)(from_a + (v * CHUNK + k) * A_STRIDE + r);
                UNROLLED for (int e = 0; e < PACK; e++) {
                    a[r + e][v] = x.at[e];
                }
            }
        }
        UNROLLED for (int v = 0; v < PDP_NB; v++) {
            UNROLLED for (int c = 0; c < COLUMNS; c += PACK) {
                const pack x = *(const LOCAL pack *)(from_b + (v * CHUNK + k) * B_STRIDE + part_step(c));
                UNROLLED for (int e = 0; e < PACK; e++) {
                    b[c + e][v] = x.at[e];
                }
            }
        }
        UNROLLED for (int r = 0; r < ROWS; r++) {
            UNROLLED for (int c = 0; c < COLUMNS; c++) {
                p->sum[r][c] = update(d, p->sum[r][c], a[r], b[c], p->hoisted[c], i0 + p->row + r, k0 + k,
                                      j0 + p->column + part_step(c));
            }
        }
    }
}

/* ---- Finishing ---- */

/* Four elements, which are one pack or two, `step` elements from one to the other in shared memory. Not in loops: those
 * take long to compile. */
PDP_INLINE void load_four(elem *to, const LOCAL elem *from, const int step) {
    const pack x = *(const LOCAL pack *)from, y = *(const LOCAL pack *)(from + (PACK < BLOCK ? step : 0));
    to[0] = x.at[0];
    to[1] = x.at[1];
    to[2] = y.at[PACK - 2];
    to[3] = y.at[PACK - 1];
}

PDP_INLINE void store_four(LOCAL elem *to, const elem *from, const int step) {
    pack x, y;
    x.at[0] = from[0];
    x.at[1] = from[1];
    if (PACK < BLOCK) {
        y.at[0] = from[2];
        y.at[1] = from[3];
        *(LOCAL pack *)(to + step) = y;
    } else {
        x.at[PACK - 2] = from[2];
        x.at[PACK - 1] = from[3];
    }
    *(LOCAL pack *)to = x;
}

/* A tile that is finished, and where it lies. */
typedef struct frame {
    PDP_DATA d;
    LOCAL elem *cells; /* of the tile: row by row, T_STRIDE apart; then the rest of what is in shared memory */
    const GLOBAL elem *table;
    const GLOBAL elem *rows; /* the tiles (I,I) and (J,J) */
    const GLOBAL elem *columns;
    int i0, j0;
    int row, column; /* of tiles */
    int on_diagonal; /* known while compiling: such tiles have a kernel of their own */
    /* This thread's number while the tile is finished, counted from a warp that differs from tile to tile: the first
     * has the most to do, and warps of several groups with the same number share a scheduler. The compiler is not to
     * know it, or it keeps what follows from it while products are added. */
    int thread;
    /* In shared memory: M[i][k] for k in the tile's rows, M[k][j] for k in its columns, what is hoisted, what was found
     * for lines with an even number, and what lies between that and the others. */
    int first, second, hoisted, found, next_found;
    elem identity; /* here, since what is done one after the other has no time for memory */
} frame;

PDP_INLINE frame frame_of(PDP_DATA d, LOCAL elem *pool, const GLOBAL elem *table, int row, int column, int room,
                          int turn, const int on_diagonal) {
    int thread = (THREAD + turn * 32) & (THREADS - 1);
    UNKNOWN(thread);
    const frame f = {d,
                     pool,
                     table,
                     table + tile_number(row, row) * (TILE * TILE),
                     table + tile_number(column, column) * (TILE * TILE),
                     row * TILE - room,
                     column * TILE - room,
                     row,
                     column,
                     on_diagonal,
                     thread,
                     on_diagonal ? 0 : FIRST_TILE,
                     on_diagonal ? 0 : SECOND_TILE,
                     on_diagonal ? CELLS : POOL_ELEMENTS - HOISTED,
                     on_diagonal ? CELLS + HOISTED : FIRST_TILE + (IS_STAGED ? TILE / 2 * T_STRIDE : 0),
                     on_diagonal || !IS_STAGED ? FOUND_CELLS : CELLS,
                     PDP_IDENTITY};
    return f;
}

PDP_INLINE void hoist_pair(const frame *f, int row, int k, elem *out) {
    const int i = f->i0 + row;
    hoist_a(f->d, i < 0 ? 0 : i, k < 0 ? 0 : k, out);
}

/* Sends for the tiles on the diagonal. */
PDP_INLINE void bring_diagonal(const frame *f) {
    const int own_row = OVER(f->thread, PANEL / PACK), own_column = REST(f->thread, PANEL / PACK) * PACK;
    UNROLL(SOME_PANELS) for (int panel = 0; panel < (IS_STAGED ? TILE / PANEL : 0); panel++) {
        const int column = panel * PANEL + own_column;
        const GLOBAL elem *rows = f->rows + (panel * (TILE * PANEL) + f->thread * PACK);
        const GLOBAL elem *columns = f->columns + (panel * (TILE * PANEL) + f->thread * PACK);
        LOCAL elem *to = BASE(elem, f->cells, FIRST_TILE + own_row * T_STRIDE + column);
        UNROLLED for (int row = 0; row < TILE; row += CLOSED_ROWS) {
            if (column + PACK > own_row + row) {
                COPY(pack, to + row * T_STRIDE, rows + row * PANEL);
                COPY(pack, to + (SECOND_TILE - FIRST_TILE) + row * T_STRIDE, columns + row * PANEL);
            }
        }
    }
}

PDP_INLINE void store_hoists(const elem *from, const int count, LOCAL elem *to, const int stride) {
    UNROLLED for (int v = 0; v < count; v++) {
        to[v * stride] = from[v];
    }
}

/* What is behind the stages, before they are used. */
PDP_INLINE void finish_early(const frame *f) {
    if (!f->on_diagonal) {
        bring_diagonal(f);
    }
    const int at = REST(f->thread, TILE);
    const int i = f->i0 + at < 0 ? 0 : f->i0 + at, j = f->j0 + at < 0 ? 0 : f->j0 + at;
    LOCAL elem *hoisted = f->cells + f->hoisted;
    if (f->thread < 2 * BLOCK) {
        hoisted[IDENTITIES + f->thread] = f->identity;
    }
    elem hj[SOME(PDP_NHJ)], hi[SOME(PDP_NHI)], hk[2][SOME(PDP_NHK)];
    if (f->thread < TILE) {
        hoist_j(f->d, j, hj);
        store_hoists(hj, PDP_NHJ, hoisted + COLUMN_HOISTS + at, TILE);
        hoist_row(f->d, i, hi);
        store_hoists(hi, PDP_NHI, hoisted + ROW_HOISTS + at, TILE);
    } else {
        hoist_k(f->d, i, hk[0]);
        store_hoists(hk[0], PDP_NHK, hoisted + K_HOISTS + at, 2 * TILE);
        hoist_k(f->d, j, hk[1]);
        store_hoists(hk[1], PDP_NHK, hoisted + K_HOISTS + TILE + at, 2 * TILE);
    }
}

/* Puts the sums into shared memory, and what else is where the stages were. */
PDP_INLINE void finish_open(const frame *f, const part *p) {
    LOCAL elem *to = BASE(elem, f->cells, p->row * T_STRIDE + p->column);
    UNROLLED for (int r = 0; r < ROWS; r++) {
        UNROLLED for (int c = 0; c < COLUMNS; c += BLOCK) {
            ALIGNED elem four[BLOCK];
            UNROLLED for (int e = 0; e < BLOCK; e++) {
                four[e] = MOVED(p->sum[r][c + e], f->table);
            }
            store_four(to + r * T_STRIDE + part_step(c), four, COLUMN_THREADS * PACK);
        }
    }
    COPIED();
}

/* Writes the tile that is finished into the table. */
PDP_INLINE void finish_close(const frame *f, GLOBAL elem *tile) {
    const LOCAL elem *cells =
        BASE(const elem, f->cells, OVER(f->thread, PANEL / PACK) * T_STRIDE + REST(f->thread, PANEL / PACK) * PACK);
    GLOBAL elem *to = tile + f->thread * PACK;
    UNROLLED for (int panel = 0; panel < TILE / PANEL; panel++) {
        UNROLLED for (int row = 0; row < TILE; row += CLOSED_ROWS) {
            *(GLOBAL pack *)(to + panel * (TILE * PANEL) + row * PANEL) =
                *(const LOCAL pack *)(cells + row * T_STRIDE + panel * PANEL);
        }
    }
}

/* The same of a tile on the diagonal. */
PDP_INLINE void load_far(elem *to, const GLOBAL elem *tile, int row, int column) {
    const GLOBAL elem *from = tile + (OVER(column, PANEL) * (TILE * PANEL) + REST(column, PANEL) + row * PANEL);
    UNROLLED for (int q = 0; q < BLOCK; q++) {
        to[q] = from[q];
    }
}

/* M[i][k] for row + r and four k's, which count from 0 in the tile's rows and from TILE in its columns; rows and
 * columns count in the tile. What is known while compiling is added last, so that it costs nothing. */
PDP_INLINE void load_left(const frame *f, elem *to, int row, const int r, int k, int by_column) {
    if (IS_STAGED || by_column || f->on_diagonal) {
        const LOCAL elem *from = BASE(const elem, f->cells, (by_column ? -TILE : f->first) + row * T_STRIDE + k);
        load_four(to, from + r * T_STRIDE, PACK);
    } else {
        load_far(to, f->rows, row + r, k);
    }
}

/* M[k+q][j] for four columns. */
PDP_INLINE void load_right(const frame *f, elem *to, int k, const int q, int column, int by_column) {
    if (IS_STAGED || !by_column || f->on_diagonal) {
        const LOCAL elem *from =
            BASE(const elem, f->cells, (by_column ? f->second - TILE * T_STRIDE : 0) + k * T_STRIDE + column);
        load_four(to, from + q * T_STRIDE, PACK);
    } else {
        load_far(to, f->columns, k - TILE + q, column);
    }
}

PDP_INLINE int point_of(const frame *f, int k, int by_column) {
    return (by_column ? f->j0 - TILE : f->i0) + k;
}

/* Of four rows, columns or k's in a row what is hoisted, from `at` on. */
PDP_INLINE void load_values(const frame *f, elem *to, const int count, int at, const int stride) {
    const LOCAL elem *from = BASE(const elem, f->cells, f->hoisted + at);
    UNROLLED for (int v = 0; v < count; v++) {
        ALIGNED elem four[BLOCK];
        load_four(four, from + v * stride, PACK);
        to[v] = four[0], to[count + v] = four[1], to[2 * count + v] = four[2], to[3 * count + v] = four[3];
    }
}

PDP_INLINE void load_column_hoists(const frame *f, elem (*to)[SOME(PDP_NHJ)], int column) {
    load_values(f, &to[0][0], PDP_NHJ, COLUMN_HOISTS + column, TILE);
}

/* Of two rows, or of four. */
PDP_INLINE void load_row_hoists(const frame *f, elem (*to)[SOME(PDP_NHI)], int row, const int rows) {
    if (rows == BLOCK) {
        load_values(f, &to[0][0], PDP_NHI, ROW_HOISTS + row, TILE);
        return;
    }
    const LOCAL elem *from = BASE(const elem, f->cells, f->hoisted + ROW_HOISTS + row);
    UNROLLED for (int v = 0; v < PDP_NHI; v++) {
        const two x = *(const LOCAL two *)(from + v * TILE);
        to[0][v] = x.at[0], to[1][v] = x.at[1];
    }
}

/* What is hoisted for some rows from `row` on, of which `hi` is known, and four k's. */
PDP_INLINE void load_hoists(const frame *f, elem (*to)[BLOCK][SOME(PDP_NHA)], elem (*hi)[SOME(PDP_NHI)], int row,
                            const int rows, int k, int by_column) {
    elem hk[BLOCK][SOME(PDP_NHK)];
    load_values(f, &hk[0][0], PDP_NHK, K_HOISTS + k, 2 * TILE);
    UNROLLED for (int r = 0; r < (PDP_NHA > 0 ? rows : 0); r++) {
        UNROLLED for (int q = 0; q < BLOCK; q++) {
            if (IS_JOINED) {
                join_a(f->d, hi[r], hk[q], to[r][q]);
            } else {
                hoist_pair(f, row + r, point_of(f, k, by_column) + q, to[r][q]);
            }
        }
    }
}

/* What is hoisted for four k's and four columns. */
PDP_INLINE void load_b_hoists(const frame *f, elem (*to)[BLOCK][SOME(PDP_NHB)], int k, int column, int by_column) {
    const int first = point_of(f, k, by_column), j0 = f->j0 + column;
    UNROLLED for (int q = 0; q < (PDP_NHB > 0 ? BLOCK : 0); q++) {
        UNROLLED for (int c = 0; c < BLOCK; c++) {
            hoist_b(f->d, first + q < 0 ? 0 : first + q, j0 + c < 0 ? 0 : j0 + c, to[q][c]);
        }
    }
}

/* What some rows of a block need for four k's. */
typedef struct ALIGNED operands_of_four {
    elem left[BLOCK][BLOCK];
    elem right[BLOCK][BLOCK];
    elem hoists[BLOCK][BLOCK][SOME(PDP_NHA)];
    elem b_hoists[BLOCK][BLOCK][SOME(PDP_NHB)];
} operands_of_four;

PDP_INLINE void load_operands(const frame *f, operands_of_four *o, elem (*hi)[SOME(PDP_NHI)], int row, const int rows,
                              int column, int k, int by_column) {
    UNROLLED for (int r = 0; r < rows; r++) {
        load_left(f, o->left[r], row, r, k, by_column);
    }
    load_hoists(f, o->hoists, hi, row, rows, k, by_column);
    UNROLLED for (int q = 0; q < BLOCK; q++) {
        load_right(f, o->right[q], k, q, column, by_column);
    }
    load_b_hoists(f, o->b_hoists, k, column, by_column);
}

/* Rows that are none get what nobody reads. */
PDP_INLINE void add_operands(const frame *f, elem (*sum)[BLOCK], const operands_of_four *o, elem (*hj)[SOME(PDP_NHJ)],
                             int row, const int rows, int column, int k, int by_column) {
    UNROLLED for (int q = 0; q < BLOCK; q++) {
        UNROLLED for (int r = 0; r < rows; r++) {
            UNROLLED for (int c = 0; c < BLOCK; c++) {
                sum[r][c] = add_term(f->d, sum[r][c], o->left[r][q], o->right[q][c], o->hoists[r][q], o->b_hoists[q][c],
                                     hj[c], f->i0 + row + r, point_of(f, k, by_column) + q, f->j0 + column + c);
            }
        }
    }
}

/* Blocks on a line from the upper left to the lower right, which are finished together: all at `step` from the lower
 * left corner, or from the diagonal. How they are shared out to those who look ahead: half warps, or quarters, have a
 * part of each. */
typedef struct line {
    int first; /* row of blocks */
    int shift; /* from it to the column of blocks */
    int pairs; /* for a block */
    int width; /* from pair to pair of a block */
} line;

PDP_INLINE line line_at(const frame *f, int step) {
    const int shift = f->on_diagonal ? step : step - (BLOCKS - 1);
    const int is_long = (uint32_t)(shift + (BLOCKS / 2 - 1)) < BLOCKS - 1; /* more than half as many as there can be */
    const line l = {-shift > 0 ? -shift : 0, shift, is_long ? PAIRS / BLOCKS : PAIRS / (BLOCKS / 2),
                    is_long ? BLOCKS : BLOCKS / 2};
    return l;
}

/* Where that is which a pair has found for the line at `step`. */
PDP_INLINE int found_at(const frame *f, int step, int pair) {
    return f->found + REST(step, 2) * f->next_found + OVER(pair, FOUND_IN_LINE) * FOUND_STRIDE +
           REST(pair, FOUND_IN_LINE) * BLOCK;
}

PDP_INLINE void combine_four(PDP_DATA d, elem *sum, const LOCAL elem *found) {
    ALIGNED elem four[BLOCK];
    load_four(four, found, PACK);
    UNROLLED for (int c = 0; c < BLOCK; c++) {
        sum[c] = PDP_COMBINE(sum[c], four[c]);
    }
    (void)d;
}

/* Adds what blocks before the line in work give to two rows of one of the next line, of some k's. These are, in blocks,
 * those in its rows, and then as if they came next those in its columns; on the diagonal they are the same. */
PDP_INLINE void look_ahead(const frame *f, elem (*sum)[BLOCK], elem (*hi)[SOME(PDP_NHI)], elem (*hj)[SOME(PDP_NHJ)],
                           int row, int column, int k, int end, int pairs) {
    const LOCAL elem *left_row = BASE(const elem, f->cells, f->first + row * T_STRIDE);
    const LOCAL elem *left_column = BASE(const elem, f->cells, row *T_STRIDE - TILE);
    const LOCAL elem *right_row = BASE(const elem, f->cells, column);
    const LOCAL elem *right_column = BASE(const elem, f->cells, f->second + column - TILE * T_STRIDE);
    do {
        operands_of_four o;
        int by_column = k >= BLOCKS;
        UNKNOWN(by_column); /* or the compiler makes two loops of this one, which threads of a warp take in turn */
        if (IS_STAGED) {
            const LOCAL elem *left = BASE(const elem, by_column ? left_column : left_row, k *BLOCK);
            const LOCAL elem *right = BASE(const elem, by_column ? right_column : right_row, k *(BLOCK * T_STRIDE));
            load_four(o.left[0], left, PACK);
            load_four(o.left[1], left + T_STRIDE, PACK);
            UNROLLED for (int q = 0; q < BLOCK; q++) {
                load_four(o.right[q], right + q * T_STRIDE, PACK);
            }
            load_hoists(f, o.hoists, hi, row, 2, k * BLOCK, by_column);
            load_b_hoists(f, o.b_hoists, k * BLOCK, column, by_column);
        } else {
            load_operands(f, &o, hi, row, 2, column, k * BLOCK, by_column);
        }
        add_operands(f, sum, &o, hj, row, 2, column, k * BLOCK, by_column);
        k += pairs;
    } while (k < end);
}

/* What one of a pair finds for the line at `step`: what blocks that were finished before the line in work give to two
 * rows of a block of the next one, of every k in its turn; and those of the first pair, what the block has. The k's, in
 * blocks, are x+2 and more in its rows and, as if they came next, those of less than y-1 in its columns; on the
 * diagonal they are the same. */
PDP_INLINE void look_at_line(const frame *f, LOCAL elem *to, int step, int pair, int r) {
    const line at = line_at(f, step);
    const int part = at.width == BLOCKS ? OVER(pair, BLOCKS) : OVER(pair, BLOCKS / 2);
    const int x = at.first + (pair & (at.width - 1)), y = x + at.shift;
    const int row = x * BLOCK + r, column = y * BLOCK, is_block = x < BLOCKS && y < BLOCKS;
    const int end = !is_block ? 0 : f->on_diagonal ? y - 1 : BLOCKS + y - 1 > BLOCKS ? BLOCKS + y - 1 : BLOCKS;
    /* All come from memory: a value that the compiler knows would be moved there on every way to the loop. */
    const int is_first = is_block && part == 0, stride = is_first ? T_STRIDE : BLOCK;
    const LOCAL elem *own = BASE(const elem, f->cells, is_first ? row *T_STRIDE + column : f->hoisted + IDENTITIES);
    ALIGNED elem sum[2][BLOCK];
    load_four(sum[0], own, PACK);
    load_four(sum[1], own + stride, PACK);
    const int k = (x + 2 < BLOCKS ? x + 2 : BLOCKS) + part;
    if (k < end) {
        elem hi[2][SOME(PDP_NHI)], hj[BLOCK][SOME(PDP_NHJ)];
        load_row_hoists(f, hi, row, 2);
        load_column_hoists(f, hj, column);
        look_ahead(f, sum, hi, hj, row, column, k, end, at.pairs);
    }
    store_four(to, sum[0], PACK);
    store_four(to + FOUND_ROW, sum[1], PACK);
}

/* Adds to two rows of block (x, y), from `r` on, what was found ahead, and what its neighbours give: the blocks below
 * it and before it. */
PDP_INLINE void add_neighbours(const frame *f, int x, int y, int r, int step) {
    PDP_DATA d = f->d;
    const int row = x * BLOCK + r, column = y * BLOCK;
    const int below = f->on_diagonal ? y > x + 1 : x + 1 < BLOCKS, before = f->on_diagonal ? y > x + 2 : y > 0;
    const line l = line_at(f, step);
    const int found = found_at(f, step, x - l.first) + r * FOUND_ROW,
              next = OVER(l.width, FOUND_IN_LINE) * FOUND_STRIDE;
    LOCAL elem *cells = BASE(elem, f->cells, row * T_STRIDE + column);
    ALIGNED elem sum[2][BLOCK];
    elem hj[BLOCK][SOME(PDP_NHJ)], hi[2][SOME(PDP_NHI)];
    load_column_hoists(f, hj, column);
    load_row_hoists(f, hi, row, 2);
    UNROLLED for (int q = 0; q < 2; q++) { /* with what the block had */
        load_four(sum[q], BASE(const elem, f->cells, found) + q * FOUND_ROW, PACK);
    }
    UNROLL(FOUND_AT_ONCE) for (int part = 1; part < MOST_PAIRS; part++) {
        if (part < l.pairs) {
            const LOCAL elem *own = BASE(const elem, f->cells, found + part * next);
            UNROLLED for (int q = 0; q < 2; q++) {
                combine_four(d, sum[q], own + q * FOUND_ROW);
            }
        }
    }
    UNROLLED for (int by_column = 0; by_column < 2; by_column++) {
        const int k = (by_column ? BLOCKS + y - 1 : x + 1) * BLOCK;
        if (by_column ? before : below) {
            operands_of_four o;
            load_operands(f, &o, hi, row, 2, column, k, by_column);
            add_operands(f, sum, &o, hj, row, 2, column, k, by_column);
        }
    }
    store_four(cells, sum[0], PACK);
    store_four(cells + T_STRIDE, sum[1], PACK);
    (void)d;
}

/* M[i+1][j-1], which may lie in another tile. */
PDP_INLINE elem inside_cell(const frame *f, int row, int column) {
    if (f->j0 + column <= f->i0 + row + 2) {
        return empty(f->d, f->i0 + row + 1);
    }
    if (row + 1 < TILE && column > 0) {
        return f->cells[(row + 1) * T_STRIDE + column - 1];
    }
    const int64_t below = row + 1 == TILE, left = column == 0;
    const GLOBAL elem *tile = f->table + tile_number(f->row + below, f->column - left) * (TILE * TILE);
    const int r = REST(row + 1, TILE), c = REST(column + TILE - 1, TILE);
    return tile[OVER(c, PANEL) * (TILE * PANEL) + r * PANEL + REST(c, PANEL)];
}

/* A block in the registers of a thread, and what its cells need of the tiles on the diagonal. */
typedef struct ALIGNED block {
    elem cell[BLOCK][BLOCK];
    elem left[BLOCK][BLOCK];  /* M[i][k], k in its rows */
    elem right[BLOCK][BLOCK]; /* M[k][j], k in its columns */
    elem row_hoists[BLOCK][BLOCK][SOME(PDP_NHA)];
    elem column_hoists[BLOCK][BLOCK][SOME(PDP_NHA)];
    elem row_b_hoists[BLOCK][BLOCK][SOME(PDP_NHB)];
    elem column_b_hoists[BLOCK][BLOCK][SOME(PDP_NHB)];
    elem hj[BLOCK][SOME(PDP_NHJ)];
    elem inside[BLOCK][BLOCK]; /* of those in the lowest row and the first column */
} block;

PDP_INLINE void block_open(const frame *f, block *b, int row0, int column0, const int is_triangle) {
    const LOCAL elem *cells = BASE(const elem, f->cells, row0 *T_STRIDE + column0);
    elem hi[BLOCK][SOME(PDP_NHI)];
    load_column_hoists(f, b->hj, column0);
    load_row_hoists(f, hi, row0, BLOCK);
    load_hoists(f, b->row_hoists, hi, row0, BLOCK, row0, 0);
    load_b_hoists(f, b->row_b_hoists, row0, column0, 0);
    if (!is_triangle) {
        load_b_hoists(f, b->column_b_hoists, TILE + column0, column0, 1);
        load_hoists(f, b->column_hoists, hi, row0, BLOCK, TILE + column0, 1);
    }
    UNROLLED for (int r = 0; r < BLOCK; r++) {
        load_four(b->cell[r], cells + r * T_STRIDE, PACK);
        if (!is_triangle) {
            load_left(f, b->left[r], row0, r, row0, 0);
            load_right(f, b->right[r], TILE + column0, r, column0, 1);
        }
    }
#if PDP_OPTIONS
    UNROLLED for (int r = 0; r < BLOCK; r++) {
        UNROLLED for (int c = 0; c < BLOCK; c++) {
            if (!is_triangle && (r == BLOCK - 1 || c == 0)) {
                b->inside[r][c] = f->i0 + row0 + r < 0 ? f->identity : inside_cell(f, row0 + r, column0 + c);
            }
        }
    }
#endif
}

/* A cell that is no leaf, with all its terms, becomes what it is. One that is none stays as it is; what it asks for is
 * that of one which is there. */
PDP_INLINE elem close_one(const frame *f, const block *b, elem sum, int row0, int column0, const int r, const int c,
                          const int is_triangle) {
    (void)f, (void)b, (void)row0, (void)column0, (void)is_triangle;
#if PDP_CLOSES || PDP_OPTIONS_FIRST
    PDP_DATA d = f->d;
    int i = f->i0 + row0 + r, j = f->j0 + column0 + c;
    const int is_cell = i >= 0;
    if (is_triangle && !is_cell) {
        return sum;
    }
    i = is_cell ? i : 0;
    j = is_cell || j > 2 ? j : 2;
    elem h[SOME(PDP_NHC)], with = f->identity;
#if PDP_OPTIONS
    const elem inside = is_triangle && c == r + 2  ? empty(d, i + 1)
                        : r == BLOCK - 1 || c == 0 ? b->inside[r][c]
                                                   : b->cell[r + 1][c - 1];
    with = option(d, i, j, inside);
#endif
    hoist_c(d, i, j, h);
    const elem closed = close_cell(d, sum, with, h, i, j);
    sum = is_cell ? closed : sum;
#endif
    return sum;
}

/* The cells of block (x, y) by their distance from its lower left corner, in one thread: what is left are the k in the
 * block's own rows and columns, those that were final first coming first. On the diagonal these are the same, and the
 * cells below it are none. Rows that are none get what nobody reads. */
PDP_INLINE void block_cells(const frame *f, int x, int y, const int is_triangle) {
    PDP_DATA d = f->d;
    const int row0 = x * BLOCK, column0 = y * BLOCK;
    const int i0 = f->i0 + row0, j0 = f->j0 + column0;
    block b;
    block_open(f, &b, row0, column0, is_triangle);
    UNROLLED for (int distance = is_triangle ? BLOCK : 0; distance < 2 * BLOCK - 1; distance++) {
        UNROLLED for (int r = BLOCK - 1; r >= 0; r--) {
            const int c = distance - (BLOCK - 1 - r);
            if (c < 0 || c >= BLOCK) {
                continue;
            }
            elem sum = b.cell[r][c];
            UNROLLED for (int far = BLOCK - 1; far > 0; far--) {
                const int below = r + far, before = c - far;
                if (is_triangle ? below < c : below < BLOCK) {
                    const elem l = is_triangle ? b.cell[r][below] : b.left[r][below];
                    sum = add_term(d, sum, l, b.cell[below][c], b.row_hoists[r][below], b.row_b_hoists[below][c],
                                   b.hj[c], i0 + r, i0 + below, j0 + c);
                }
                if (!is_triangle && before >= 0) {
                    sum = add_term(d, sum, b.cell[r][before], b.right[before][c], b.column_hoists[r][before],
                                   b.column_b_hoists[before][c], b.hj[c], i0 + r, j0 + before, j0 + c);
                }
            }
            if (is_triangle ? c == r + 1 : r == BLOCK - 1 && c == 0 && j0 == i0 + BLOCK) {
                sum = i0 + r >= 0 ? leaf(d, i0 + r) : sum;
            } else {
                sum = close_one(f, &b, sum, row0, column0, r, c, is_triangle);
            }
            b.cell[r][c] = sum;
        }
    }
    LOCAL elem *cells = BASE(elem, f->cells, row0 * T_STRIDE + column0);
    UNROLLED for (int r = 0; r < BLOCK; r++) {
        store_four(cells + r * T_STRIDE, b.cell[r], PACK);
    }
}

/* All that is left of a tile whose sums have the products of other tiles: blocks by their distance from its lower left
 * corner, or from the diagonal. One warp finishes those of a line, two threads a block for what the neighbours give and
 * then one; the others look ahead to the next line. */
PDP_INLINE void finish_tile(const frame *f) {
    const int steps = f->on_diagonal ? BLOCKS : 2 * BLOCKS - 1;
    const int x = REST(f->thread, BLOCKS), looker = f->thread - (THREADS - LOOKERS);
    /* When a block of row x is the thread's for the first time, and how often it looks: one of them is never. Moved, or
     * the compiler would find all this again in every step. */
    const int is_cell = looker < 0 && f->i0 + (x + 1) * BLOCK > 0;
    const int first = MOVED(is_cell ? (f->on_diagonal ? -x : BLOCKS - 1 - x) : steps, f->table);
    const int looks_before = MOVED(looker < 0 ? 0 : steps - 1, f->table);
    const int pair = MOVED(looker < 0 ? 0 : OVER(looker, 32) * 16 + REST(looker, 16), f->table);
    const int r = REST(OVER(f->thread, 16), 2) * 2;
    const int own = MOVED(found_at(f, 0, pair) + r * FOUND_ROW, f->table);
    for (int step = 0; step < steps; step++) {
        const int y = step - first, is_active = (uint32_t)y < BLOCKS;
        if (is_active && step > 0) {
            add_neighbours(f, x, y, r, step);
        } else if (step < looks_before) {
            look_at_line(f, BASE(elem, f->cells, own + REST(step + 1, 2) * f->next_found), step + 1, pair, r);
        }
        WARP_BARRIER();
        if (is_active && f->thread < BLOCKS) {
            if (f->on_diagonal && step == 0) {
                block_cells(f, x, y, 1);
            } else {
                block_cells(f, x, y, 0);
            }
        }
        BARRIER();
    }
}

/* ---- What is recorded ---- */

/* In a run that is to be checked the first thread of a group numbers what the group does, after it has waited for
 * others and before it tells them. Other runs know nothing of it. */
#if defined(PDP_RECORDS)
typedef struct recorder {
    GLOBAL uint32_t *trace;
    int64_t room; /* in events */
    uint32_t problem, row, column;
} recorder;

PDP_INLINE void record(const recorder *r, uint32_t what) {
    if (THREAD == 0) {
        const uint32_t number = ATOMIC_ADD(r->trace + EVENT_COUNT, 1u);
        if (number < r->room) {
            GLOBAL uint32_t *event = r->trace + EVENTS + (int64_t)number * EVENT_WORDS;
            event[EVENT_GROUP] = (uint32_t)GROUP;
            event[EVENT_PROBLEM] = r->problem;
            event[EVENT_ROW] = r->row;
            event[EVENT_COLUMN] = r->column;
            event[EVENT_WHAT] = what;
        }
        FENCE();
    }
}

#define RECORDER(name, number, row, distance)                                                                          \
    const recorder name = {(GLOBAL uint32_t *)b4, n5, (uint32_t)(number), (uint32_t)(row),                             \
                           (uint32_t)((row) + (distance))}
#else
typedef int recorder;
#define RECORDER(name, number, row, distance) const recorder name = 0
#define record(r, what) ((void)0)
#endif

/* ---- The pipeline ---- */

/* The operands of the product at a position of the tile's term order, when they are final. */
typedef struct operands {
    const GLOBAL elem *a;
    const GLOBAL elem *b;
    int k0;
} operands;

PDP_INLINE operands next_operands(const recorder *r, const GLOBAL elem *table, GLOBAL uint32_t *flags, int complete,
                                  int row, int distance, int position, int i0) {
    const int middle = tile_middle(distance, position);
    const int64_t a = tile_number(row, row + middle), b = tile_number(row + middle, row + distance);
#if PDP_GROUPS_MEET /* otherwise a launch has one distance, and all before it are complete */
    if (middle >= complete || distance - middle >= complete) {
        if (THREAD == 0) {
            WAIT(flags + a);
            WAIT(flags + b);
        }
        BARRIER();
    }
    record(r, (uint32_t)position);
#endif
    const operands next = {table + a * (TILE * TILE), table + b * (TILE * TILE), i0 + middle * TILE};
    return next;
}

/* The products of tile (row, row + distance) with finished tiles. */
PDP_INLINE void add_products(const recorder *r, PDP_DATA d, part *p, LOCAL elem *pool, const GLOBAL elem *table,
                             GLOBAL uint32_t *flags, int complete, int row, int distance, int i0) {
    const int j0 = i0 + distance * TILE;
    const int chunks = (distance - 1) * (TILE / CHUNK);
    operands o = {0, 0, 0};
    fetched f;
    if (chunks > 0) {
        o = next_operands(r, table, flags, complete, row, distance, 0, i0);
        fetch(d, &f, o.a, o.b, 0, o.k0);
    }
    /* No barrier stands in a branch here: some compilers of OpenCL suffer from that. */
    for (int x = 0; x < chunks; x++) {
        const int buffer = STAGES > 1 ? (x & 1) * STAGE : 0;
        const int k0 = o.k0 + REST(x, TILE / CHUNK) * CHUNK;
        if (STAGES == 1) {
            BARRIER();
        }
        stage(d, pool, buffer, &f, i0, k0, j0);
        BARRIER();
        if (x + 1 < chunks) { /* on their way while the sums are done */
            if (REST(x + 1, TILE / CHUNK) == 0) {
                o = next_operands(r, table, flags, complete, row, distance, OVER(x + 1, TILE / CHUNK), i0);
            }
            fetch(d, &f, o.a, o.b, REST(x + 1, TILE / CHUNK) * CHUNK, o.k0);
        }
        part_add(d, p, pool, buffer, i0, k0, j0);
    }
}

#if PDP_PART(0)
/* Tiles of the distances n2 <= .. < n3, from 1 on. b0: the tables; b1: the words; b2: the problems; b3: their values;
 * n0: the most tiles in a row; n1: problems; n4: whether they are of several sizes. If it is recorded, b4: the events;
 * n5: how many there is room for. */
KERNEL(pdp_interval, THREADS, PDP_ELEM_BYTES == 4 ? 3 : 2, POOL_ELEMENTS *PDP_ELEM_BYTES) {
    POOL(pack, packs, POOL_ELEMENTS / PACK);
    SHARED(uint32_t, words, 2);
    LOCAL elem *pool = BASE(elem, (LOCAL elem *)packs, 0);
    GLOBAL uint32_t *state = (GLOBAL uint32_t *)b1;
    const GLOBAL int64_t *sums = n4 ? (const GLOBAL int64_t *)b2 + n1 * PROBLEM_WORDS : 0;
    int distance = (int)n2;
    uint32_t before = 0; /* tiles of this launch with a smaller distance */
    problem own = problem_at(d, b0, b2, 0);
    if (PDP_GROUPS_MEET && THREAD == 0) {
        words[0] = ATOMIC_ADD(state + TICKET, 1u);
    }
    BARRIER();
    for (;;) {
#if !PDP_GROUPS_MEET
        if (THREAD == 0) {
            words[0] = ATOMIC_ADD(state + TICKET, 1u);
        }
        BARRIER();
#endif
        const uint32_t ticket = words[0];
        if (THREAD == 32) {
            words[1] = LOAD(state + COMPLETE);
        }
        while (distance < n3 && ticket - before >= sum_at(sums, n1, n0) - sum_at(sums, n1, distance)) {
            before += (uint32_t)(sum_at(sums, n1, n0) - sum_at(sums, n1, distance));
            distance++;
        }
        if (distance >= n3) {
            return;
        }
        int number = 0;
        int row = find_row(sums, n1, n0, distance, ticket - before, &number);
        if (n1 > 1) {
            own = problem_at(d, b0, b2, number);
        }
        GLOBAL uint32_t *flags = state + COUNTS + n0 + own.first;
        RECORDER(recorded, number, row, distance);
        record(&recorded, EVENT_OPENS);
#if !PDP_GROUPS_MEET /* all operands are final; and where they are read, PoCL (3.1) does not know which thread it is   \
                      */
        for (int position = 0; position < distance - 1; position++) {
            record(&recorded, (uint32_t)position);
        }
#endif
        frame f = frame_of(own.d, pool, own.table, row, row + distance, own.room, row + number, 0);
        finish_early(&f);
        part p;
        part_open(own.d, &p, f.j0);
        BARRIER();
        add_products(&recorded, own.d, &p, pool, own.table, flags, (int)words[1], row, distance, f.i0);
        UNKNOWN(row); /* so that the frame is not in registers while products are added */
        f = frame_of(own.d, pool, own.table, row, row + distance, own.room, row + number, 0);
        const int column = f.column;
        /* Options read cells of the neighbours, which were operands, or are on the diagonal. */
        record(&recorded, EVENT_FINISHES);
        BARRIER();
        if (PDP_GROUPS_MEET && THREAD == 0) { /* the next, which comes while others have work */
            words[0] = ATOMIC_ADD(state + TICKET, 1u);
        }
        finish_open(&f, &p);
        BARRIER();
        finish_tile(&f);
        finish_close(&f, own.table + tile_number(row, column) * (TILE * TILE));
        if (THREAD == 0 && distance == own.side - 1) { /* the last tile: in its corner is the value */
            ((GLOBAL elem *)b3)[number] = pool[own.room * T_STRIDE + TILE - 1];
        }
        BARRIER();
        record(&recorded, EVENT_IS_FINAL);
        if (THREAD == 0) {
            FENCE();
            SET(flags + tile_number(row, column), 1u);
            const uint32_t others = ATOMIC_ADD(state + COUNTS + distance, 1u);
            if (others + 1 == sum_at(sums, n1, n0) - sum_at(sums, n1, distance)) {
                FENCE();
                STORE(state + COMPLETE, (uint32_t)(distance + 1));
            }
        }
    }
}
#endif

#if PDP_PART(2)
/* Tiles on the diagonal, a group each: before all others. Arguments as above. Its name does not begin with that of the
 * other: oclgrind would give that one the memory of both. */
KERNEL(pdp_diagonal, THREADS, PDP_ELEM_BYTES == 4 ? 4 : 2, DIAGONAL_ELEMENTS *PDP_ELEM_BYTES) {
    POOL(pack, packs, DIAGONAL_ELEMENTS / PACK);
    LOCAL elem *pool = BASE(elem, (LOCAL elem *)packs, 0);
    const GLOBAL int64_t *sums = n4 ? (const GLOBAL int64_t *)b2 + n1 * PROBLEM_WORDS : 0;
    int number = 0;
    const int row = find_row(sums, n1, n0, 0, (uint32_t)GROUP, &number);
    const problem own = problem_at(d, b0, b2, number);
    const frame f = frame_of(own.d, pool, own.table, row, row, own.room, 0, 1);
    RECORDER(recorded, number, row, 0);
    record(&recorded, EVENT_OPENS);
    finish_early(&f);
    for (int at = THREAD; at < CELLS; at += THREADS) {
        pool[at] = f.identity;
    }
    record(&recorded, EVENT_FINISHES);
    BARRIER();
    finish_tile(&f);
    finish_close(&f, own.table + tile_number(row, row) * (TILE * TILE));
    if (THREAD == 0 && own.side == 1) { /* the only tile: in its corner is the value */
        ((GLOBAL elem *)b3)[number] = pool[own.room * T_STRIDE + TILE - 1];
    }
    record(&recorded, EVENT_IS_FINAL);
}
#endif
