/* The interval kernel, stamped for one recurrence and element type:
 *
 *   M[i][i+1] = leaf(i),   M[i][j] = close(i, j, (+) over i<k<j of term(M[i][k], M[k][j], i, k, j))
 *
 * The stamp has sorted the term's sub-expressions by the indices they use and defines, before this text:
 *   PDP_NHA, hoist_a(d,i,k,out)    values of {i,k} without a cell        PDP_NA, s_make_a, v_make_a(d,l,h,out)   with l
 *   PDP_NHB, hoist_b(d,k,j,out)    values of {k,j} without a cell        PDP_NB, s_make_b, v_make_b(d,r,h,out)   with r
 *   PDP_NHJ, hoist_j(d,j,out)      values of {j}
 *   update(d,c,a,b,jv,i,k,j)       c (+) term; the indices only mean something to scalars
 *   PDP_NHC, hoist_c(d,i,j,out)    values of {i,j} that closing needs
 *   PDP_OPTIONS, option(d,i,j,inside)  the options' fold, the identity where no condition holds
 *   PDP_CLOSES, close_cell(d,best,option,h)   finish(best (+) option)
 *   leaf(d,i), empty(d,i), PDP_IDENTITY (may use d), PDP_A_IS_L, PDP_B_IS_R (make_a gives l first and then h; make_b
 * gives r alone) Every index that reaches hoists, leaf and empty is a point of the problem. */
#ifndef PDP_TILE
#define PDP_TILE 64
#endif
#ifndef PDP_ROWS /* of a register block */
#define PDP_ROWS 4
#endif
#ifndef PDP_COLUMNS /* vectors of a register block: 32 registers hold 4 x 4 sums, 16 hold 4 x 2 */
#define PDP_COLUMNS (PDP_VECTOR_BYTES == 64 ? 4 : 2)
#endif
#ifndef PDP_BLOCK /* rows and columns of a block in finishing */
#define PDP_BLOCK (PDP_LANES > 8 ? PDP_LANES : 8)
#endif
#ifndef PDP_CHAINS /* blocks finished side by side, to hide the latency of a block's chain of cells */
#define PDP_CHAINS 4
#endif
#define PDP_PANEL (PDP_COLUMNS * PDP_LANES)
#define PDP_BLOCKS (PDP_TILE / PDP_BLOCK)
#define PDP_WIDTH (PDP_BLOCK / PDP_LANES) /* vectors of a block's row */
#define PDP_AT(i, j) ((j) / PDP_PANEL * PDP_TILE * PDP_PANEL + (i)*PDP_PANEL + (j) % PDP_PANEL)
#define PDP_CELLS (PDP_TILE * PDP_TILE)
#define PDP_SOME(n) ((n) > 0 ? (n) : 1) /* arrays have at least one item */

_Static_assert(PDP_TILE % PDP_PANEL == 0 && PDP_TILE % PDP_ROWS == 0 && PDP_TILE % PDP_BLOCK == 0 &&
                   PDP_BLOCK % PDP_LANES == 0 && (PDP_PANEL % PDP_BLOCK == 0 || PDP_BLOCK % PDP_PANEL == 0),
               "blocks must fill tiles");

PDP_INLINE int64_t pdp_point(const pdp_kernel_data *d, int64_t i) {
    return i < d->points ? i : d->points - 1;
}

/* ---- What is hoisted, for a tile of pairs, in the layout of a tile: one array per value. ---- */

/* Values of {i,k}, or of {k,j}; for pairs that are no cell (second <= first) whatever the nearest cell has. */
#define PDP_HOIST_TILE(name, hoist, count)                                                                             \
    static void name(const pdp_kernel_data *d, elem *out, int64_t first0, int64_t second0) {                           \
        for (int64_t p = 0; p < PDP_TILE; p += PDP_PANEL) {                                                            \
            for (int64_t x = 0; x < PDP_TILE; x++) {                                                                   \
                int64_t first = pdp_point(d, first0 + x);                                                              \
                elem *row = out + p * PDP_TILE + x * PDP_PANEL;                                                        \
                int64_t begin = second0 + p;                                                                           \
                int64_t valid = d->points - begin < PDP_PANEL ? d->points - begin : PDP_PANEL;                         \
                for (int64_t y = begin <= first ? first + 1 - begin : 0; y < valid; y++) {                             \
                    elem values[PDP_SOME(count)];                                                                      \
                    hoist(d, first, begin + y, values);                                                                \
                    for (int v = 0; v < count; v++) {                                                                  \
                        row[v * PDP_CELLS + y] = values[v];                                                            \
                    }                                                                                                  \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
#if PDP_NHA > 0
PDP_HOIST_TILE(pdp_hoist_a_tile, hoist_a, PDP_NHA)
#endif
#if PDP_NHB > 0
PDP_HOIST_TILE(pdp_hoist_b_tile, hoist_b, PDP_NHB)
#endif

PDP_INLINE void pdp_hoist_columns(const pdp_kernel_data *d, elem *out, int64_t j0) {
    for (int64_t y = 0; y < PDP_TILE; y++) {
        elem values[PDP_SOME(PDP_NHJ)];
        hoist_j(d, pdp_point(d, j0 + y), values);
        for (int v = 0; v < PDP_NHJ; v++) {
            out[v * PDP_TILE + y] = values[v];
        }
    }
}

typedef struct pdp_scratch {
    elem a[PDP_SOME(PDP_NA) * PDP_CELLS];      /* product: the values of make_a, or the hoisted ones if l comes first */
    elem b[PDP_SOME(PDP_NB) * PDP_CELLS];      /* product: the values of make_b */
    elem ha[2][PDP_SOME(PDP_NHA) * PDP_CELLS]; /* finish: hoisted over (I,I) and over (I,J) */
    elem hb[2][PDP_SOME(PDP_NHB) * PDP_CELLS]; /* finish: hoisted over (I,J) and over (J,J) */
    elem columns[PDP_SOME(PDP_NHJ) * PDP_TILE];
    elem unused[PDP_CELLS]; /* a target for chains that have no block */
} pdp_scratch;

/* ---- Products ---- */

/* A register block: rows i .. i+PDP_ROWS-1 of a panel of columns, over all k of the tile.
 *   c[i][j] (+)= term(a[i][k], b[k][j]) */
PDP_INLINE void pdp_register_block(const pdp_kernel_data *d, elem *restrict c, const elem *const *a,
                                   const elem *const *b, const elem *columns, int64_t i, int64_t k0, int64_t j0,
                                   int64_t i0) {
    vec sum[PDP_ROWS][PDP_COLUMNS];
    vec jv[PDP_COLUMNS][PDP_SOME(PDP_NHJ)];
    for (int x = 0; x < PDP_ROWS; x++) {
        for (int y = 0; y < PDP_COLUMNS; y++) {
            sum[x][y] = *(const vec *)(c + (i + x) * PDP_PANEL + y * PDP_LANES);
        }
    }
    for (int y = 0; y < PDP_COLUMNS; y++) {
        for (int v = 0; v < PDP_NHJ; v++) {
            jv[y][v] = *(const vec *)(columns + v * PDP_TILE + y * PDP_LANES);
        }
    }
    for (int64_t p = 0; p < PDP_TILE; p += PDP_PANEL) {
        const elem *rows[PDP_NA];
        for (int v = 0; v < PDP_NA; v++) {
            rows[v] = a[v] + p * PDP_TILE + i * PDP_PANEL;
        }
        for (int64_t k = 0; k < PDP_PANEL; k++) {
            vec bv[PDP_COLUMNS][PDP_NB];
            for (int y = 0; y < PDP_COLUMNS; y++) {
                for (int v = 0; v < PDP_NB; v++) {
                    bv[y][v] = *(const vec *)(b[v] + (p + k) * PDP_PANEL + y * PDP_LANES);
                }
            }
            for (int x = 0; x < PDP_ROWS; x++) {
                vec av[PDP_NA];
                for (int v = 0; v < PDP_NA; v++) {
                    av[v] = v_broadcast(rows[v][x * PDP_PANEL + k]);
                }
                for (int y = 0; y < PDP_COLUMNS; y++) {
                    sum[x][y] = update(d, sum[x][y], av, bv[y], jv[y], i0 + i + x, k0 + p + k, j0 + y);
                }
            }
        }
    }
    for (int x = 0; x < PDP_ROWS; x++) {
        for (int y = 0; y < PDP_COLUMNS; y++) {
            *(vec *)(c + (i + x) * PDP_PANEL + y * PDP_LANES) = sum[x][y];
        }
    }
}

#if !PDP_A_IS_L
static void pdp_make_a_tile(const pdp_kernel_data *d, elem *out, const elem *tile) {
    for (int64_t at = 0; at < PDP_CELLS; at++) {
        elem hoisted[PDP_SOME(PDP_NHA)], values[PDP_NA];
        for (int v = 0; v < PDP_NHA; v++) {
            hoisted[v] = out[v * PDP_CELLS + at];
        }
        s_make_a(d, tile[at], hoisted, values);
        for (int v = 0; v < PDP_NA; v++) {
            out[v * PDP_CELLS + at] = values[v];
        }
    }
}
#endif
#if !PDP_B_IS_R
static void pdp_make_b_tile(const pdp_kernel_data *d, elem *out, const elem *tile) {
    for (int64_t at = 0; at < PDP_CELLS; at++) {
        elem hoisted[PDP_SOME(PDP_NHB)], values[PDP_NB];
        for (int v = 0; v < PDP_NHB; v++) {
            hoisted[v] = out[v * PDP_CELLS + at];
        }
        s_make_b(d, tile[at], hoisted, values);
        for (int v = 0; v < PDP_NB; v++) {
            out[v * PDP_CELLS + at] = values[v];
        }
    }
}
#endif

static void pdp_product(const void *data, void *c, const void *a, const void *b, int64_t i0, int64_t k0, int64_t j0,
                        void *scratch_bytes) {
    const pdp_kernel_data *d = data;
    pdp_scratch *scratch = scratch_bytes;
    const elem *av[PDP_NA];
    const elem *bv[PDP_NB];
#if PDP_NHA > 0
    pdp_hoist_a_tile(d, scratch->a, i0, k0);
#endif
#if PDP_A_IS_L
    av[0] = a;
    for (int v = 1; v < PDP_NA; v++) {
        av[v] = scratch->a + (v - 1) * PDP_CELLS;
    }
#else
    pdp_make_a_tile(d, scratch->a, a);
    for (int v = 0; v < PDP_NA; v++) {
        av[v] = scratch->a + v * PDP_CELLS;
    }
#endif
#if PDP_NHB > 0
    pdp_hoist_b_tile(d, scratch->b, k0, j0);
#endif
#if PDP_B_IS_R
    bv[0] = b;
#else
    pdp_make_b_tile(d, scratch->b, b);
    for (int v = 0; v < PDP_NB; v++) {
        bv[v] = scratch->b + v * PDP_CELLS;
    }
#endif
    pdp_hoist_columns(d, scratch->columns, j0);
    for (int64_t p = 0; p < PDP_TILE; p += PDP_PANEL) {
        const elem *panels[PDP_NB];
        for (int v = 0; v < PDP_NB; v++) {
            panels[v] = bv[v] + p * PDP_TILE;
        }
        for (int64_t i = 0; i < PDP_TILE; i += PDP_ROWS) {
            pdp_register_block(d, (elem *)c + p * PDP_TILE, av, panels, scratch->columns + p, i, k0, j0 + p, i0);
        }
    }
}

/* ---- Finishing ---- */

typedef struct pdp_finishing {
    const pdp_kernel_data *d;
    const pdp_tile_frame *frame;
    pdp_scratch *scratch;
    elem *tile;
    const elem *rows;
    const elem *columns;
} pdp_finishing;

/* A block's rows a.., columns b.. over k0 <= k < k1 of its tile row (l from the tile on the diagonal, r from this one)
 * or of its tile column (l from this one, r from the tile on the diagonal). All operands are final. */
static __attribute__((noinline)) void pdp_block_product(const pdp_finishing *f, int64_t a, int64_t b, int64_t k0,
                                                        int64_t k1, int by_column) {
    const elem *left = by_column ? f->tile : f->rows;
    const elem *right = by_column ? f->columns : f->tile;
    const elem *ha = f->scratch->ha[by_column];
    const elem *hb = f->scratch->hb[by_column];
    int64_t k_origin = by_column ? f->frame->j0 : f->frame->i0;
    for (int w = 0; w < PDP_WIDTH; w++) {
        int64_t j = b + w * PDP_LANES;
        vec sum[PDP_BLOCK];
        vec jv[PDP_SOME(PDP_NHJ)];
        for (int x = 0; x < PDP_BLOCK; x++) {
            sum[x] = *(const vec *)(f->tile + PDP_AT(a + x, j));
        }
        for (int v = 0; v < PDP_NHJ; v++) {
            jv[v] = *(const vec *)(f->scratch->columns + v * PDP_TILE + j);
        }
        for (int64_t k = k0; k < k1; k++) {
            vec hbv[PDP_SOME(PDP_NHB)], bv[PDP_NB];
            for (int v = 0; v < PDP_NHB; v++) {
                hbv[v] = *(const vec *)(hb + v * PDP_CELLS + PDP_AT(k, j));
            }
            v_make_b(f->d, *(const vec *)(right + PDP_AT(k, j)), hbv, bv);
            for (int x = 0; x < PDP_BLOCK; x++) {
                vec hav[PDP_SOME(PDP_NHA)], av[PDP_NA];
                for (int v = 0; v < PDP_NHA; v++) {
                    hav[v] = v_broadcast(ha[v * PDP_CELLS + PDP_AT(a + x, k)]);
                }
                v_make_a(f->d, v_broadcast(left[PDP_AT(a + x, k)]), hav, av);
                sum[x] = update(f->d, sum[x], av, bv, jv, f->frame->i0 + a + x, k_origin + k, f->frame->j0 + j);
            }
        }
        for (int x = 0; x < PDP_BLOCK; x++) {
            *(vec *)(f->tile + PDP_AT(a + x, j)) = sum[x];
        }
    }
}

/* M[i][j], wherever it is: i and j count from the tile's corner, i <= PDP_TILE, j >= -1. */
PDP_INLINE elem pdp_near_cell(const pdp_finishing *f, int64_t i, int64_t j) {
    const elem *tile =
        i < PDP_TILE ? (j >= 0 ? f->tile : f->frame->left) : (j >= 0 ? f->frame->below : f->frame->corner);
    return tile[PDP_AT(i < PDP_TILE ? i : 0, j >= 0 ? j : PDP_TILE - 1)];
}

typedef struct pdp_closing {
    elem option[PDP_BLOCK] __attribute__((aligned(64)));
    elem hoisted[PDP_SOME(PDP_NHC)][PDP_BLOCK] __attribute__((aligned(64)));
} pdp_closing;

/* What closing the cells of row i, columns b.. needs besides their sums. */
PDP_INLINE void pdp_prepare_closing(const pdp_finishing *f, pdp_closing *closing, int64_t i, int64_t b) {
    int64_t row = f->frame->i0 + i;
    int64_t column = f->frame->j0 + b;
    int64_t end = f->d->points - column < PDP_BLOCK ? f->d->points - column : PDP_BLOCK;
    int64_t begin = column <= row + 1 ? row + 2 - column : 0;
    if (row >= f->d->points) {
        return;
    }
    (void)closing;
    (void)end;
    (void)begin;
#if PDP_OPTIONS
    elem inside[PDP_BLOCK];
    for (int64_t y = begin; y < end; y++) {
        inside[y] = pdp_near_cell(f, i + 1, b + y - 1);
    }
    if (column + begin == row + 2 && begin < end) {
        inside[begin] = empty(f->d, row + 1);
    }
    for (int64_t y = begin; y < end; y++) {
        closing->option[y] = option(f->d, row, column + y, inside[y]);
    }
#endif
#if PDP_NHC > 0
    for (int64_t y = begin; y < end; y++) {
        elem values[PDP_NHC];
        hoist_c(f->d, row, column + y, values);
        for (int v = 0; v < PDP_NHC; v++) {
            closing->hoisted[v][y] = values[v];
        }
    }
#endif
}

/* Blocks side by side: block x has its corner at (a[x], b[x]) of its tile. What is left are the k within the block's
 * own rows (unless it is on the diagonal) and within its own columns, in that order: rows from the bottom, and in a row
 * cell after cell, since M[i][k] has to be closed before it is the left operand of M[i][j], j > k. */
static void pdp_finish_blocks(const pdp_finishing *chains, const int64_t *a, const int64_t *b) {
    int64_t begin[PDP_CHAINS];
    for (int x = 0; x < PDP_CHAINS; x++) {
        begin[x] = chains[x].frame->i0 + a[x] == chains[x].frame->j0 + b[x] ? 1 : 0;
    }
    for (int64_t i = PDP_BLOCK - 1; i >= 0; i--) {
        vec sum[PDP_CHAINS][PDP_WIDTH];
        vec jv[PDP_CHAINS][PDP_WIDTH][PDP_SOME(PDP_NHJ)];
        pdp_closing closing[PDP_CHAINS];
        int64_t leaf_lane[PDP_CHAINS];
        vec leaf_value[PDP_CHAINS];
        for (int x = 0; x < PDP_CHAINS; x++) {
            const pdp_finishing *f = &chains[x];
            int64_t row = f->frame->i0 + a[x] + i;
            leaf_lane[x] = row + 1 - (f->frame->j0 + b[x]);
            leaf_value[x] = v_broadcast(
                leaf_lane[x] >= 0 && leaf_lane[x] < PDP_BLOCK && row + 1 < f->d->points ? leaf(f->d, row) : (elem)0);
            for (int w = 0; w < PDP_WIDTH; w++) {
                int64_t j = b[x] + w * PDP_LANES;
                sum[x][w] = *(const vec *)(f->tile + PDP_AT(a[x] + i, j));
                for (int v = 0; v < PDP_NHJ; v++) {
                    jv[x][w][v] = *(const vec *)(f->scratch->columns + v * PDP_TILE + j);
                }
            }
            for (int64_t k = begin[x] ? PDP_BLOCK : i + 1; k < PDP_BLOCK; k++) {
                vec hav[PDP_SOME(PDP_NHA)], av[PDP_NA];
                for (int v = 0; v < PDP_NHA; v++) {
                    hav[v] = v_broadcast(f->scratch->ha[0][v * PDP_CELLS + PDP_AT(a[x] + i, a[x] + k)]);
                }
                v_make_a(f->d, v_broadcast(f->rows[PDP_AT(a[x] + i, a[x] + k)]), hav, av);
                for (int w = 0; w < PDP_WIDTH; w++) {
                    int64_t j = b[x] + w * PDP_LANES;
                    vec hbv[PDP_SOME(PDP_NHB)], bv[PDP_NB];
                    for (int v = 0; v < PDP_NHB; v++) {
                        hbv[v] = *(const vec *)(f->scratch->hb[0] + v * PDP_CELLS + PDP_AT(a[x] + k, j));
                    }
                    v_make_b(f->d, *(const vec *)(f->tile + PDP_AT(a[x] + k, j)), hbv, bv);
                    sum[x][w] =
                        update(f->d, sum[x][w], av, bv, jv[x][w], row, f->frame->i0 + a[x] + k, f->frame->j0 + j);
                }
            }
            pdp_prepare_closing(f, &closing[x], a[x] + i, b[x]);
        }
        for (int u = 0; u < PDP_WIDTH; u++) {
            for (int lane = 0; lane < PDP_LANES; lane++) {
                int64_t k = u * PDP_LANES + lane;
                for (int x = 0; x < PDP_CHAINS; x++) {
                    const pdp_finishing *f = &chains[x];
                    vec closed = sum[x][u];
#if PDP_CLOSES
                    vec hcv[PDP_SOME(PDP_NHC)];
                    for (int v = 0; v < PDP_NHC; v++) {
                        hcv[v] = *(const vec *)(closing[x].hoisted[v] + u * PDP_LANES);
                    }
                    closed = close_cell(f->d, closed, *(const vec *)(closing[x].option + u * PDP_LANES), hcv);
#endif
                    if (leaf_lane[x] == k) {
                        closed = leaf_value[x];
                    }
                    sum[x][u] = v_select(v_only(lane), closed, sum[x][u]);
                    if (begin[x] && k <= i) {
                        continue;
                    }
                    vec hav[PDP_SOME(PDP_NHA)], av[PDP_NA];
                    for (int v = 0; v < PDP_NHA; v++) {
                        hav[v] = v_broadcast(f->scratch->ha[1][v * PDP_CELLS + PDP_AT(a[x] + i, b[x] + k)]);
                    }
                    v_make_a(f->d, v_lane(closed, lane), hav, av);
                    for (int w = PDP_LANES == 1 ? u + 1 : u; w < PDP_WIDTH; w++) {
                        int64_t j = b[x] + w * PDP_LANES;
                        vec hbv[PDP_SOME(PDP_NHB)], bv[PDP_NB];
                        for (int v = 0; v < PDP_NHB; v++) {
                            hbv[v] = *(const vec *)(f->scratch->hb[1] + v * PDP_CELLS + PDP_AT(b[x] + k, j));
                        }
                        v_make_b(f->d, *(const vec *)(f->columns + PDP_AT(b[x] + k, j)), hbv, bv);
                        vec updated = update(f->d, sum[x][w], av, bv, jv[x][w], f->frame->i0 + a[x] + i,
                                             f->frame->j0 + b[x] + k, f->frame->j0 + j);
                        sum[x][w] = w == u ? v_select(v_above(lane), updated, sum[x][w]) : updated;
                    }
                }
            }
        }
        for (int x = 0; x < PDP_CHAINS; x++) {
            for (int w = 0; w < PDP_WIDTH; w++) {
                *(vec *)(chains[x].tile + PDP_AT(a[x] + i, b[x] + w * PDP_LANES)) = sum[x][w];
            }
        }
    }
}

/* Blocks of a tile in order of their distance from its lower left corner (from the diagonal, if it lies there): those
 * at the same distance do not depend on each other. */
static void pdp_finish(const void *data, const pdp_tile_frame *frame, void *scratch_bytes) {
    const pdp_kernel_data *d = data;
    pdp_scratch *scratch = scratch_bytes;
    const int on_diagonal = frame->i0 == frame->j0;
    const pdp_finishing f = {d, frame, scratch, frame->tile, frame->rows, frame->columns};
    pdp_finishing idle = f;
    idle.tile = scratch->unused;
    pdp_hoist_columns(d, scratch->columns, frame->j0);
#if PDP_NHA > 0
    pdp_hoist_a_tile(d, scratch->ha[0], frame->i0, frame->i0);
    pdp_hoist_a_tile(d, scratch->ha[1], frame->i0, frame->j0);
#endif
#if PDP_NHB > 0
    pdp_hoist_b_tile(d, scratch->hb[0], frame->i0, frame->j0);
    pdp_hoist_b_tile(d, scratch->hb[1], frame->j0, frame->j0);
#endif
    const int64_t distances = on_diagonal ? PDP_BLOCKS : 2 * PDP_BLOCKS - 1;
    for (int64_t distance = 0; distance < distances; distance++) {
        pdp_finishing chains[PDP_CHAINS];
        int64_t a[PDP_CHAINS], b[PDP_CHAINS];
        int count = 0;
        for (int64_t x = 0; x < PDP_BLOCKS; x++) {
            int64_t y = on_diagonal ? x + distance : distance - (PDP_BLOCKS - 1 - x);
            int last = x == PDP_BLOCKS - 1;
            if (y >= 0 && y < PDP_BLOCKS) {
                a[count] = x * PDP_BLOCK;
                b[count] = y * PDP_BLOCK;
                chains[count] = f;
                if (on_diagonal) {
                    pdp_block_product(&f, a[count], b[count], a[count] + PDP_BLOCK, b[count], 0);
                } else {
                    pdp_block_product(&f, a[count], b[count], a[count] + PDP_BLOCK, PDP_TILE, 0);
                    pdp_block_product(&f, a[count], b[count], 0, b[count], 1);
                }
                count++;
            }
            if (count == PDP_CHAINS || (last && count > 0)) {
                for (; count < PDP_CHAINS; count++) {
                    chains[count] = idle;
                    a[count] = a[0];
                    b[count] = b[0];
                }
                pdp_finish_blocks(chains, a, b);
                count = 0;
            }
        }
    }
}

static void pdp_start(const void *data, void *tile) {
    const pdp_kernel_data *d = data;
    (void)d;
    for (int64_t at = 0; at < PDP_CELLS; at++) {
        ((elem *)tile)[at] = PDP_IDENTITY;
    }
}

static int64_t pdp_split(const void *data, const void *cell, const void *row, const void *column, int64_t i,
                         int64_t j) {
    const pdp_kernel_data *d = data;
    elem hc[PDP_SOME(PDP_NHC)], hj[PDP_SOME(PDP_NHJ)];
    vec hcv[PDP_SOME(PDP_NHC)], jv[PDP_SOME(PDP_NHJ)];
    hoist_c(d, i, j, hc);
    hoist_j(d, j, hj);
    for (int v = 0; v < PDP_NHC; v++) {
        hcv[v] = v_broadcast(hc[v]);
    }
    for (int v = 0; v < PDP_NHJ; v++) {
        jv[v] = v_broadcast(hj[v]);
    }
    for (int64_t k = i + 1; k < j; k++) {
        elem ha[PDP_SOME(PDP_NHA)], hb[PDP_SOME(PDP_NHB)];
        vec hav[PDP_SOME(PDP_NHA)], hbv[PDP_SOME(PDP_NHB)], av[PDP_NA], bv[PDP_NB];
        hoist_a(d, i, k, ha);
        hoist_b(d, k, j, hb);
        for (int v = 0; v < PDP_NHA; v++) {
            hav[v] = v_broadcast(ha[v]);
        }
        for (int v = 0; v < PDP_NHB; v++) {
            hbv[v] = v_broadcast(hb[v]);
        }
        v_make_a(d, v_broadcast(((const elem *)row)[k - i - 1]), hav, av);
        v_make_b(d, v_broadcast(((const elem *)column)[k - i - 1]), hbv, bv);
        vec sum = update(d, v_broadcast(PDP_IDENTITY), av, bv, jv, i, k, j);
#if PDP_CLOSES
        sum = close_cell(d, sum, v_broadcast(PDP_IDENTITY), hcv);
#endif
        if (v_first(sum) == *(const elem *)cell) {
            return k;
        }
    }
    (void)hcv;
    return 0;
}

const pdp_interval_kernel PDP_KERNEL_SYMBOL = {sizeof(elem), PDP_TILE,    PDP_PANEL,  sizeof(pdp_scratch),
                                               pdp_start,    pdp_product, pdp_finish, pdp_split};
