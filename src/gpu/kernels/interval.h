/* The tile pipeline on a device, stamped for one recurrence and element type:
 *
 *   M[i][i+1] = leaf(i),   M[i][j] = close(i, j, (+) over i<k<j of term(M[i][k], M[k][j], i, k, j))
 *
 * There is a batch of such problems, often of one alone. A group takes one tile after the other from a ticket counter,
 * tiles by their distance from the diagonal, so that whatever a tile waits for was taken before it. It holds the tile's
 * sums in registers while it adds the products of finished tiles, middle-out, since those in the middle are final
 * first; then it finishes the tile itself, block by block, and tells the others. Layout and names are those of the
 * CPU's tiles (kernel_interval_abi.h). */

enum {
    PACK = 16 / PDP_ELEM_BYTES, /* elements that are loaded at once */
    ROWS = 4,                   /* of a thread's part of the tile, and its columns, in packs */
    COLUMNS = 8,
    COLUMN_THREADS = TILE / COLUMNS,
    /* k's that are in shared memory at once: as many as two stages have room for. */
    A_STRIDE = TILE + PACK,
    A_K = A_STRIDE * PDP_NA + TILE * PDP_NB,
    CHUNK = A_K * PDP_ELEM_BYTES <= 1024               ? 16
            : A_K * PDP_ELEM_BYTES <= 2048             ? 8
            : A_K * PDP_ELEM_BYTES <= 4096 || PACK > 2 ? 4
                                                       : 2,
    STAGE = CHUNK * A_K,
    STAGES = STAGE * PDP_ELEM_BYTES <= 20480 ? 2 : 1,
    PACKS = TILE * CHUNK / PACK, /* of one operand */
    LOADS = (PACKS + THREADS - 1) / THREADS,
    T_STRIDE = TILE + 4,
    CELLS = T_STRIDE * TILE,
    /* While a tile is finished, the two tiles on the diagonal that it reads stand beside it in shared memory: of the
     * first what is above its diagonal, of the second the same, transposed, below it. OpenCL promises too little of
     * that memory for large elements. */
    IS_STAGED = PDP_ELEM_BYTES == 4 || !PDP_LITTLE_SHARED,
    /* There too, if there is room: what is hoisted for rows of the tile and k's of either tile on the diagonal. */
    IS_HOISTED =
        PDP_NHA > 0 && PDP_NHB == 0 && !PDP_LITTLE_SHARED && (2 + 2 * PDP_NHA) * CELLS * PDP_ELEM_BYTES <= 73728,
    HOISTS = 2 * CELLS,
    IS_AHEAD = PDP_ELEM_BYTES == 4, /* operands are loaded while others are used: there are registers for that */
    FINISH = (IS_STAGED ? 2 : 1) * CELLS + (IS_HOISTED ? 2 * PDP_NHA * CELLS : 0),
    POOL_ELEMENTS = STAGES * STAGE > FINISH ? STAGES *STAGE : FINISH,
    BLOCK = 4, /* in which a tile is finished: one that a thread holds in registers */
    BLOCKS = TILE / BLOCK,
    HELPERS = THREADS / BLOCKS /* threads that bring to a block what finished ones give it, each two cells */
};

#define SOME(count) ((count) > 0 ? (count) : 1)

typedef struct __attribute__((aligned(16))) pack {
    elem at[PACK];
} pack;

PDP_INLINE int64_t tile_number(int64_t row, int64_t column) {
    return column * (column + 1) / 2 + row;
}

/* The tile at `position` of a term order: see pdp_tile_middle. */
PDP_INLINE int tile_middle(int distance, int position) {
    const int step = (position + 1) / 2;
    return position % 2 == distance % 2 ? distance / 2 + step : distance / 2 - step;
}

/* ---- Products of tiles ---- */

typedef struct fetched {
    pack a[LOADS];
    pack b[LOADS];
} fetched;

/* Fetches k's first .. first+CHUNK-1 of tiles a and b. */
PDP_INLINE void fetch(fetched *f, const GLOBAL elem *a, const GLOBAL elem *b, int first) {
    const GLOBAL elem *a_panel = a + first / PANEL * (TILE * PANEL) + first % PANEL;
    UNROLLED for (int q = 0; q < LOADS; q++) {
        const int x = THREAD + q * THREADS;
        if (PACKS % THREADS == 0 || x < PACKS) {
            const int row = x / (CHUNK / PACK), k = x % (CHUNK / PACK) * PACK;
            f->a[q] = *(const GLOBAL pack *)(a_panel + row * PANEL + k);
            const int panel = x / (CHUNK * PANEL / PACK), rest = x % (CHUNK * PANEL / PACK) * PACK;
            f->b[q] = *(const GLOBAL pack *)(b + panel * (TILE * PANEL) + first * PANEL + rest);
        }
    }
}

/* Puts them into shared memory as operands: a by columns, b by rows. */
PDP_INLINE void stage(PDP_DATA d, LOCAL elem *to, const fetched *f, int64_t i0, int64_t k0, int64_t j0) {
    LOCAL elem *to_b = to + CHUNK * A_STRIDE * PDP_NA;
    UNROLLED for (int q = 0; q < LOADS; q++) {
        const int x = THREAD + q * THREADS;
        if (PACKS % THREADS != 0 && x >= PACKS) {
            continue;
        }
        const int row = x / (CHUNK / PACK), k = x % (CHUNK / PACK) * PACK;
        const int panel = x / (CHUNK * PANEL / PACK), rest = x % (CHUNK * PANEL / PACK) * PACK;
        const int b_row = rest / PANEL, column = panel * PANEL + rest % PANEL;
        UNROLLED for (int e = 0; e < PACK; e++) {
            elem h[SOME(PDP_NHA)], made[SOME(PDP_NA)];
            hoist_a(d, i0 + row < 0 ? 0 : i0 + row, k0 + k + e, h);
            s_make_a(d, f->a[q].at[e], h, made);
            UNROLLED for (int v = 0; v < PDP_NA; v++) {
                to[(v * CHUNK + k + e) * A_STRIDE + row] = made[v];
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
            *(LOCAL pack *)(to_b + (v * CHUNK + b_row) * TILE + column) = made_b[v];
        }
    }
}

/* A thread's part of the tile. */
typedef struct part {
    int row; /* its first, and its first column */
    int column;
    elem sum[ROWS][COLUMNS];
    elem hoisted[COLUMNS][SOME(PDP_NHJ)];
} part;

PDP_INLINE int part_column(const part *p, int c) {
    return p->column + c / PACK * (COLUMN_THREADS * PACK) + c % PACK;
}

PDP_INLINE void part_open(PDP_DATA d, part *p, int64_t j0) {
    p->row = THREAD / COLUMN_THREADS * ROWS;
    p->column = THREAD % COLUMN_THREADS * PACK;
    UNROLLED for (int c = 0; c < COLUMNS; c++) {
        hoist_j(d, j0 + part_column(p, c), p->hoisted[c]);
        UNROLLED for (int r = 0; r < ROWS; r++) {
            p->sum[r][c] = PDP_IDENTITY;
        }
    }
}

/* sum (+)= a (x) b for the k's in shared memory. */
PDP_INLINE void part_add(PDP_DATA d, part *p, const LOCAL elem *from, int64_t i0, int64_t k0, int64_t j0) {
    const LOCAL elem *from_b = from + CHUNK * A_STRIDE * PDP_NA;
    UNROLLED for (int k = 0; k < CHUNK; k++) {
        elem a[ROWS][PDP_NA], b[COLUMNS][PDP_NB];
        UNROLLED for (int v = 0; v < PDP_NA; v++) {
            UNROLLED for (int r = 0; r < ROWS; r += PACK) {
                const pack x = *(const LOCAL pack *)(from + (v * CHUNK + k) * A_STRIDE + p->row + r);
                UNROLLED for (int e = 0; e < PACK; e++) {
                    a[r + e][v] = x.at[e];
                }
            }
        }
        UNROLLED for (int v = 0; v < PDP_NB; v++) {
            UNROLLED for (int c = 0; c < COLUMNS; c += PACK) {
                const pack x = *(const LOCAL pack *)(from_b + (v * CHUNK + k) * TILE + part_column(p, c));
                UNROLLED for (int e = 0; e < PACK; e++) {
                    b[c + e][v] = x.at[e];
                }
            }
        }
        UNROLLED for (int r = 0; r < ROWS; r++) {
            UNROLLED for (int c = 0; c < COLUMNS; c++) {
                p->sum[r][c] =
                    update(d, p->sum[r][c], a[r], b[c], p->hoisted[c], i0 + p->row + r, k0 + k, j0 + part_column(p, c));
            }
        }
    }
}

/* ---- Finishing ---- */

/* A tile that is finished, and where it lies. */
typedef struct frame {
    PDP_DATA d;
    LOCAL elem *cells; /* of the tile: row by row, T_STRIDE apart; then those of the tiles on the diagonal */
    const GLOBAL elem *table;
    const GLOBAL elem *rows; /* the tiles (I,I) and (J,J) */
    const GLOBAL elem *columns;
    int64_t i0, j0;
    int row, column; /* of tiles */
    int on_diagonal;
} frame;

PDP_INLINE elem add_term(PDP_DATA d, elem sum, elem l, elem r, const elem *ha, const elem *hj, int64_t i, int64_t k,
                         int64_t j) {
    elem hb[SOME(PDP_NHB)], a[SOME(PDP_NA)], b[SOME(PDP_NB)];
    hoist_b(d, k < 0 ? 0 : k, j, hb);
    s_make_a(d, l, ha, a);
    s_make_b(d, r, hb, b);
    return update(d, sum, a, b, hj, i, k, j);
}

/* M[i][k] and M[k][j] for k of the tile's own rows, or of its columns: rows and columns count in the tile. */
PDP_INLINE elem row_cell(const frame *f, int row, int k) {
    return f->on_diagonal ? f->cells[row * T_STRIDE + k]
           : IS_STAGED    ? f->cells[CELLS + row * T_STRIDE + k]
                          : f->rows[k / PANEL * (TILE * PANEL) + row * PANEL + k % PANEL];
}

PDP_INLINE elem column_cell(const frame *f, int k, int column) {
    return f->on_diagonal ? f->cells[k * T_STRIDE + column]
           : IS_STAGED    ? f->cells[CELLS + column * T_STRIDE + k]
                          : f->columns[column / PANEL * (TILE * PANEL) + k * PANEL + column % PANEL];
}

/* Brings the tiles on the diagonal, and hoists. */
PDP_INLINE void stage_diagonal(const frame *f) {
    LOCAL elem *to = f->cells + CELLS;
    if (IS_STAGED && !f->on_diagonal) {
        UNROLLED for (int q = 0; q < TILE * TILE / PACK / THREADS; q++) {
            const int at = (THREAD + q * THREADS) * PACK;
            const int row = at / PANEL % TILE, column = at / (TILE * PANEL) * PANEL + at % PANEL;
            const pack a = *(const GLOBAL pack *)(f->rows + at), b = *(const GLOBAL pack *)(f->columns + at);
            UNROLLED for (int e = 0; e < PACK; e++) {
                if (column + e > row) {
                    to[row * T_STRIDE + column + e] = a.at[e];
                    to[(column + e) * T_STRIDE + row] = b.at[e];
                }
            }
        }
    }
    for (int at = IS_HOISTED ? THREAD : TILE * TILE; at < TILE * TILE; at += THREADS) {
        const int row = at / TILE, k = at % TILE;
        const int64_t i = f->i0 + row < 0 ? 0 : f->i0 + row;
        elem ha[SOME(PDP_NHA)];
        UNROLLED for (int by_column = 0; by_column < 2; by_column++) {
            const int64_t k0 = (by_column ? f->j0 : f->i0) + k;
            hoist_a(f->d, i, k0 < 0 ? 0 : k0, ha);
            UNROLLED for (int v = 0; v < PDP_NHA; v++) {
                f->cells[HOISTS + (2 * v + by_column) * CELLS + row * T_STRIDE + k] = ha[v];
            }
        }
    }
}

/* What is hoisted for a row of the tile, and k in its rows or its columns. */
PDP_INLINE void hoist_row(const frame *f, int row, int k, int by_column, elem *out) {
    const int64_t i = f->i0 + row < 0 ? 0 : f->i0 + row, k0 = (by_column ? f->j0 : f->i0) + k;
    if (IS_HOISTED) {
        UNROLLED for (int v = 0; v < PDP_NHA; v++) {
            out[v] = f->cells[HOISTS + (2 * v + by_column) * CELLS + row * T_STRIDE + k];
        }
    } else {
        hoist_a(f->d, i, k0 < 0 ? 0 : k0, out);
    }
}

/* Four cells of a row of the tile, or of those beside it. */
PDP_INLINE void load_four(elem *to, const LOCAL elem *from) {
    UNROLLED for (int q = 0; q < BLOCK; q += PACK) {
        const pack x = *(const LOCAL pack *)(from + q);
        UNROLLED for (int e = 0; e < PACK; e++) {
            to[q + e] = x.at[e];
        }
    }
}

/* The operands of one row and two columns for four k's in a row. */
typedef struct operands_of_four {
    elem l[BLOCK];
    elem right[2][BLOCK];
    elem ha[BLOCK][SOME(PDP_NHA)];
} operands_of_four;

PDP_INLINE void load_operands(const frame *f, operands_of_four *o, int row, int column, int k, const int by_column) {
    const LOCAL elem *cells = f->cells + row * T_STRIDE;
    if (IS_STAGED) {
        load_four(o->l, by_column || f->on_diagonal ? cells + k : cells + CELLS + k);
    }
    if (IS_STAGED && by_column) {
        load_four(o->right[0], f->cells + CELLS + column * T_STRIDE + k);
        load_four(o->right[1], f->cells + CELLS + (column + 1) * T_STRIDE + k);
    }
    UNROLLED for (int v = 0; v < (IS_HOISTED ? PDP_NHA : 0); v++) {
        elem four[BLOCK];
        load_four(four, cells + HOISTS + (2 * v + by_column) * CELLS + k);
        UNROLLED for (int q = 0; q < BLOCK; q++) {
            o->ha[q][v] = four[q];
        }
    }
    UNROLLED for (int q = 0; q < BLOCK; q++) {
        if (!IS_STAGED) {
            o->l[q] = by_column ? cells[k + q] : row_cell(f, row, k + q);
        }
        if (!IS_HOISTED) {
            hoist_row(f, row, k + q, by_column, o->ha[q]);
        }
        UNROLLED for (int c = 0; c < 2; c++) {
            if (!by_column) {
                o->right[c][q] = f->cells[(k + q) * T_STRIDE + column + c];
            } else if (!IS_STAGED) {
                o->right[c][q] = column_cell(f, k + q, column + c);
            }
        }
    }
}

/* What finished blocks give to a row and two columns, k in the tile's own rows or in its columns. While four k's are
 * added, the operands of the next four are on their way, if there are registers for them. Rows that are none get what
 * nobody reads. */
PDP_INLINE void add_blocks(const frame *f, elem *sum, elem (*hj)[SOME(PDP_NHJ)], int row, int column, int first,
                           int end, const int by_column) {
    PDP_DATA d = f->d;
    operands_of_four o, next;
    if (IS_AHEAD && first < end) {
        load_operands(f, &next, row, column, first * BLOCK, by_column);
    }
    for (int at = first; at < end; at++) {
        if (IS_AHEAD) {
            o = next;
            load_operands(f, &next, row, column, (at + 1 < end ? at + 1 : at) * BLOCK, by_column);
        } else {
            load_operands(f, &o, row, column, at * BLOCK, by_column);
        }
        UNROLLED for (int q = 0; q < BLOCK; q++) {
            const int64_t k = (by_column ? f->j0 : f->i0) + at * BLOCK + q;
            elem a[SOME(PDP_NA)], b[SOME(PDP_NB)], hb[SOME(PDP_NHB)];
            s_make_a(d, o.l[q], o.ha[q], a);
            UNROLLED for (int c = 0; c < 2; c++) {
                hoist_b(d, k, f->j0 + column + c, hb);
                s_make_b(d, o.right[c][q], hb, b);
                sum[c] = update(d, sum[c], a, b, hj[c], f->i0 + row, k, f->j0 + column + c);
            }
        }
    }
}

/* What finished blocks give to block (x, y): to one row of it and two columns. */
PDP_INLINE void block_products(const frame *f, int x, int y) {
    PDP_DATA d = f->d;
    const int helper = THREAD % HELPERS;
    const int row = x * BLOCK + helper / 2, column = y * BLOCK + helper % 2 * 2;
    LOCAL elem *cells = f->cells + row * T_STRIDE + column;
    elem sum[2] = {cells[0], cells[1]}, hj[2][SOME(PDP_NHJ)];
    hoist_j(d, f->j0 + column, hj[0]);
    hoist_j(d, f->j0 + column + 1, hj[1]);
    add_blocks(f, sum, hj, row, column, x + 1, f->on_diagonal ? y : BLOCKS, 0);
    if (!f->on_diagonal) { /* where rows and columns are the same */
        add_blocks(f, sum, hj, row, column, 0, y, 1);
    }
    cells[0] = sum[0];
    cells[1] = sum[1];
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
    const int r = (row + 1) % TILE, c = (column + TILE - 1) % TILE;
    return tile[c / PANEL * (TILE * PANEL) + r * PANEL + c % PANEL];
}

/* A cell that is no leaf, with all its terms, becomes what it is. */
PDP_INLINE elem close_one(const frame *f, elem sum, int row, int column) {
    PDP_DATA d = f->d;
    const int64_t i = f->i0 + row, j = f->j0 + column;
    (void)i, (void)j;
#if PDP_CLOSES || PDP_OPTIONS_FIRST
    elem h[SOME(PDP_NHC)], with = PDP_IDENTITY;
#if PDP_OPTIONS
    with = option(d, i, j, inside_cell(f, row, column));
#endif
    hoist_c(d, i, j, h);
    sum = close_cell(d, sum, with, h, i, j);
#endif
    return sum;
}

/* The cells of block (x, y) by their distance from its lower left corner, in one thread: what is left are the k in the
 * block's own rows and columns. On the diagonal these are the same, and the cells below it are none. Rows that are none
 * get what nobody reads. */
PDP_INLINE void block_cells(const frame *f, int x, int y, const int is_triangle) {
    PDP_DATA d = f->d;
    const int row0 = x * BLOCK, column0 = y * BLOCK;
    const int64_t i0 = f->i0 + row0, j0 = f->j0 + column0;
    elem cell[BLOCK][BLOCK], hj[BLOCK][SOME(PDP_NHJ)];
    UNROLLED for (int r = 0; r < BLOCK; r++) {
        load_four(cell[r], f->cells + (row0 + r) * T_STRIDE + column0);
        hoist_j(d, j0 + r, hj[r]);
    }
    UNROLLED for (int distance = is_triangle ? BLOCK : 0; distance < 2 * BLOCK - 1; distance++) {
        UNROLLED for (int r = BLOCK - 1; r >= 0; r--) {
            const int c = distance - (BLOCK - 1 - r);
            if (c < 0 || c >= BLOCK) {
                continue;
            }
            elem sum = cell[r][c], ha[SOME(PDP_NHA)];
            UNROLLED for (int k = r + 1; k < (is_triangle ? c : BLOCK); k++) {
                const elem l = is_triangle ? cell[r][k] : row_cell(f, row0 + r, row0 + k);
                hoist_row(f, row0 + r, row0 + k, 0, ha);
                sum = add_term(d, sum, l, cell[k][c], ha, hj[c], i0 + r, i0 + k, j0 + c);
            }
            UNROLLED for (int k = 0; k < (is_triangle ? 0 : c); k++) {
                const elem right = column_cell(f, column0 + k, column0 + c);
                hoist_row(f, row0 + r, column0 + k, 1, ha);
                sum = add_term(d, sum, cell[r][k], right, ha, hj[c], i0 + r, j0 + k, j0 + c);
            }
            if (is_triangle ? c == r + 1 : r == BLOCK - 1 && c == 0 && j0 == i0 + BLOCK) {
                sum = i0 + r >= 0 ? leaf(d, i0 + r) : sum;
            } else if (PDP_CLOSES || PDP_OPTIONS_FIRST) {
                sum = i0 + r >= 0 ? close_one(f, sum, row0 + r, column0 + c) : sum;
            }
            cell[r][c] = sum;
            f->cells[(row0 + r) * T_STRIDE + column0 + c] = sum;
        }
    }
}

/* All that is left of a tile whose sums have the products of other tiles: blocks by their distance from its lower left
 * corner, or from the diagonal. */
PDP_INLINE void finish_tile(const frame *f) {
    const int x = THREAD / HELPERS;
    for (int step = 0; step < (f->on_diagonal ? BLOCKS : 2 * BLOCKS - 1); step++) {
        const int y = f->on_diagonal ? x + step : x + step - (BLOCKS - 1);
        const int is_active = y >= 0 && y < BLOCKS && f->i0 + (x + 1) * BLOCK > 0;
        if (is_active) {
            block_products(f, x, y);
        }
        BARRIER();
        if (is_active && THREAD % HELPERS == 0) {
            if (f->on_diagonal && step == 0) {
                block_cells(f, x, y, 1);
            } else {
                block_cells(f, x, y, 0);
            }
        }
        BARRIER();
    }
}

/* ---- The pipeline ---- */

/* The operands of the product at a position of the tile's term order, when they are final. */
typedef struct operands {
    const GLOBAL elem *a;
    const GLOBAL elem *b;
    int64_t k0;
} operands;

PDP_INLINE operands next_operands(const GLOBAL elem *table, GLOBAL uint32_t *flags, int complete, int row, int distance,
                                  int position, int64_t i0) {
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
#endif
    const operands next = {table + a * (TILE * TILE), table + b * (TILE * TILE), i0 + middle * TILE};
    return next;
}

/* The products of tile (row, row + distance) with finished tiles. */
PDP_INLINE void add_products(PDP_DATA d, part *p, LOCAL elem *pool, const GLOBAL elem *table, GLOBAL uint32_t *flags,
                             int complete, int row, int distance, int64_t i0) {
    const int64_t j0 = i0 + distance * TILE;
    const int chunks = (distance - 1) * (TILE / CHUNK);
    operands o = {0, 0, 0};
    fetched f;
    if (chunks > 0) {
        o = next_operands(table, flags, complete, row, distance, 0, i0);
        fetch(&f, o.a, o.b, 0);
    }
    for (int x = 0; x < chunks;
         x++) { /* no barrier stands in a branch here: some compilers of OpenCL suffer from that */
        LOCAL elem *buffer = pool + (STAGES > 1 ? (x & 1) * STAGE : 0);
        const int64_t k0 = o.k0 + x % (TILE / CHUNK) * CHUNK;
        if (STAGES == 1) {
            BARRIER();
        }
        stage(d, buffer, &f, i0, k0, j0);
        BARRIER();
        if (x + 1 < chunks) { /* on their way while the sums are done */
            if ((x + 1) % (TILE / CHUNK) == 0) {
                o = next_operands(table, flags, complete, row, distance, (x + 1) / (TILE / CHUNK), i0);
            }
            fetch(&f, o.a, o.b, (x + 1) % (TILE / CHUNK) * CHUNK);
        }
        part_add(d, p, buffer, i0, k0, j0);
    }
}

/* A problem of the batch. */
typedef struct problem {
    PDP_DATA d;
    GLOBAL elem *table;
    int side;
    int room;
} problem;

PDP_INLINE problem problem_at(PDP_DATA d, GLOBAL void *table, const GLOBAL void *problems, int64_t number) {
    const GLOBAL int64_t *words = (const GLOBAL int64_t *)problems + number * PROBLEM_WORDS;
    const problem found = {(PDP_DATA)((const GLOBAL char *)d + words[PROBLEM_DATA]),
                           (GLOBAL elem *)table + words[PROBLEM_FIRST] * (TILE * TILE), (int)words[PROBLEM_SIDE],
                           (int)words[PROBLEM_ROOM]};
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
            const int middle = (row + end) / 2;
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

/* Tiles of the distances n2 <= .. < n3. b0: the tables; b1: the words; b2: the problems; b3: their values; n0: the most
 * tiles in a row; n1: problems; n4: whether they are of several sizes. */
KERNEL(pdp_interval, THREADS, PDP_ELEM_BYTES == 4 ? 3 : 2, POOL_ELEMENTS *PDP_ELEM_BYTES) {
    POOL(pack, packs, POOL_ELEMENTS / PACK);
    SHARED(uint32_t, words, 2);
    LOCAL elem *pool = (LOCAL elem *)packs;
    GLOBAL uint32_t *state = (GLOBAL uint32_t *)b1;
    const GLOBAL int64_t *sums = n4 ? (const GLOBAL int64_t *)b2 + n1 * PROBLEM_WORDS : 0;
    int distance = (int)n2;
    uint32_t before = 0; /* tiles of this launch with a smaller distance */
    problem own = problem_at(d, b0, b2, 0);
    for (;;) {
        BARRIER();
        if (THREAD == 0) {
            words[0] = ATOMIC_ADD(state + TICKET, 1u);
            words[1] = LOAD(state + COMPLETE);
        }
        BARRIER();
        const uint32_t ticket = words[0];
        const int complete = (int)words[1];
        while (distance < n3 && ticket - before >= sum_at(sums, n1, n0) - sum_at(sums, n1, distance)) {
            before += (uint32_t)(sum_at(sums, n1, n0) - sum_at(sums, n1, distance));
            distance++;
        }
        if (distance >= n3) {
            return;
        }
        int number = 0;
        const int row = find_row(sums, n1, n0, distance, ticket - before, &number);
        if (n1 > 1) {
            own = problem_at(d, b0, b2, number);
        }
        const int column = row + distance;
        const int64_t i0 = (int64_t)row * TILE - own.room, j0 = (int64_t)column * TILE - own.room;
        GLOBAL uint32_t *flags = state + COUNTS + n0 + (own.table - (GLOBAL elem *)b0) / (TILE * TILE);
        part p;
        part_open(own.d, &p, j0);
        add_products(own.d, &p, pool, own.table, flags, complete, row, distance, i0);
        const frame f = {own.d,
                         pool,
                         own.table,
                         own.table + tile_number(row, row) * (TILE * TILE),
                         own.table + tile_number(column, column) * (TILE * TILE),
                         i0,
                         j0,
                         row,
                         column,
                         distance == 0};
        if (THREAD == 0 &&
            distance > 0) { /* finished last: the neighbours, and what lies on the diagonal before them */
            WAIT(flags + tile_number(row, column - 1));
            WAIT(flags + tile_number(row + 1, column));
        }
        BARRIER();
        UNROLLED for (int r = 0; r < ROWS; r++) {
            UNROLLED for (int c = 0; c < COLUMNS; c++) {
                pool[(p.row + r) * T_STRIDE + part_column(&p, c)] = p.sum[r][c];
            }
        }
        stage_diagonal(&f);
        BARRIER();
        finish_tile(&f);
        GLOBAL elem *tile = own.table + tile_number(row, column) * (TILE * TILE);
        for (int at = THREAD; at < TILE * TILE; at += THREADS) {
            const int panel = at / (TILE * PANEL), r = at / PANEL % TILE, c = at % PANEL;
            tile[at] = pool[r * T_STRIDE + panel * PANEL + c];
        }
        if (THREAD == 0 && row == 0 && j0 + TILE == own.d->points) { /* the last tile: in its corner is the value */
            ((GLOBAL elem *)b3)[number] = pool[-i0 * T_STRIDE + TILE - 1];
        }
        FENCE();
        BARRIER();
        if (THREAD == 0) {
            STORE(flags + tile_number(row, column), 1u);
            const uint32_t others = ATOMIC_ADD(state + COUNTS + distance, 1u);
            FENCE();
            if (others + 1 == sum_at(sums, n1, n0) - sum_at(sums, n1, distance)) {
                STORE(state + COMPLETE, (uint32_t)(distance + 1));
            }
        }
    }
}

/* ---- Decisions ---- */

PDP_INLINE elem table_cell(const problem *p, int64_t i, int64_t j) {
    const int64_t row = i + p->room, column = j + p->room;
    const int r = (int)(row % TILE), c = (int)(column % TILE);
    return p->table[tile_number(row / TILE, column / TILE) * (TILE * TILE) + c / PANEL * (TILE * PANEL) + r * PANEL +
                    c % PANEL];
}

/* Whether k gives M[i][j] its value. */
PDP_INLINE int is_split(const problem *p, elem cell, int64_t i, int64_t k, int64_t j) {
    PDP_DATA d = p->d;
    elem ha[SOME(PDP_NHA)], hj[SOME(PDP_NHJ)];
    hoist_a(d, i, k, ha);
    hoist_j(d, j, hj);
    elem sum = add_term(d, PDP_IDENTITY, table_cell(p, i, k), table_cell(p, k, j), ha, hj, i, k, j);
#if PDP_CLOSES
    elem h[SOME(PDP_NHC)];
    hoist_c(d, i, j, h);
    sum = close_cell(d, sum, PDP_IDENTITY, h, i, j);
#endif
    return sum == cell;
}

PDP_INLINE uint32_t push_node(GLOBAL uint32_t *queue, uint32_t number, int64_t i, int64_t j) {
    if (j < i + 2) {
        return 0;
    }
    const uint32_t at = ATOMIC_ADD(queue + PUSHED, 1u);
    GLOBAL uint32_t *node = queue + NODES + (int64_t)at * NODE_WORDS;
    node[NODE_I] = (uint32_t)i;
    node[NODE_J] = (uint32_t)j;
    node[NODE_PROBLEM] = number;
    FENCE();
    STORE(node + NODE_IS_THERE, 1u);
    return at + 1;
}

/* Writes a node's answer, and pushes what is below it. */
PDP_INLINE void answer_node(const problem *p, GLOBAL uint32_t *queue, GLOBAL uint32_t *node, uint32_t k) {
    const int64_t i = node[NODE_I], j = node[NODE_J];
    const uint32_t number = node[NODE_PROBLEM];
    ATOMIC_ADD(queue + OPEN, 2u); /* at most so many come, before this one goes */
    uint32_t pushed = 0;
    node[NODE_KIND] = 0;
    node[NODE_LEFT] = node[NODE_RIGHT] = 0;
    if (k != 0xffffffffu) {
        node[NODE_KIND] = 1;
        node[NODE_K] = k;
        node[NODE_LEFT] = push_node(queue, number, i, k);
        node[NODE_RIGHT] = push_node(queue, number, k, j);
    } else {
#if PDP_OPTIONS
        const elem inside = j > i + 2 ? table_cell(p, i + 1, j - 1) : empty(p->d, i + 1);
        const int chosen = find_option(p->d, i, j, inside, table_cell(p, i, j));
        if (chosen >= 0) {
            node[NODE_KIND] = 2;
            node[NODE_K] = (uint32_t)chosen;
            node[NODE_LEFT] = push_node(queue, number, i + 1, j - 1);
        }
#endif
    }
    pushed = (node[NODE_LEFT] != 0) + (node[NODE_RIGHT] != 0);
    ATOMIC_ADD(queue + OPEN, pushed - 3u);
}

/* The smallest k of every cell that the decisions behind the values go through. b0: the tables; b2: the problems; b4:
 * the queue, in which are the first nodes; n5: nodes that it has room for. */
KERNEL(pdp_interval_decide, DECIDERS, 1, 0) {
    SHARED(uint32_t, words, 2);
    GLOBAL uint32_t *queue = (GLOBAL uint32_t *)b4;
    for (;;) {
        BARRIER();
        if (THREAD == 0) {
            const uint32_t ticket = ATOMIC_ADD(queue + TAKEN, 1u);
            GLOBAL uint32_t *node = queue + NODES + (int64_t)ticket * NODE_WORDS;
            int is_there = ticket < n5 && LOAD(node + NODE_IS_THERE) != 0;
            while (!is_there && LOAD(queue + OPEN) != 0) {
                YIELD();
                is_there = ticket < n5 && LOAD(node + NODE_IS_THERE) != 0;
            }
            words[0] = is_there ? ticket : 0xffffffffu;
            words[1] = 0xffffffffu;
        }
        BARRIER();
        if (words[0] == 0xffffffffu) {
            return;
        }
        GLOBAL uint32_t *node = queue + NODES + (int64_t)words[0] * NODE_WORDS;
        const problem p = problem_at(d, b0, b2, node[NODE_PROBLEM]);
        const int64_t i = node[NODE_I], j = node[NODE_J];
        const elem cell = table_cell(&p, i, j);
        uint32_t least = 0xffffffffu;
        for (int64_t first = i + 1; first < j && least == 0xffffffffu; first += DECIDERS) {
            const int64_t k = first + THREAD;
            if (k < j && is_split(&p, cell, i, k, j)) {
                LOCAL_MIN(words + 1, (uint32_t)k);
            }
            BARRIER();
            least = words[1];
            BARRIER();
        }
        if (THREAD == 0) {
            answer_node(&p, queue, node, least);
        }
    }
}

/* The same for all cells of problem n5, a thread each, in the shape of a square table: b4. */
KERNEL(pdp_interval_splits, DECIDERS, 1, 0) {
    const problem p = problem_at(d, b0, b2, n5);
    const int64_t points = (int64_t)p.side * TILE - p.room;
    GLOBAL int64_t *splits = (GLOBAL int64_t *)b4;
    const int64_t i = GROUP;
    for (int64_t j = i + 2 + THREAD; j < points; j += DECIDERS) {
        const elem cell = table_cell(&p, i, j);
        int64_t k = i + 1;
        while (k < j && !is_split(&p, cell, i, k, j)) {
            k++;
        }
        splits[i * points + j] = k < j ? k : 0;
    }
}
