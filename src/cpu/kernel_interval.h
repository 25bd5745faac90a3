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
 *   PDP_CLOSES, close_cell(d,best,option,h,i,j)   finish(best (+) option); the indices are for scalars
 *   PDP_OPTIONS_FIRST              the options may come before the terms: then nothing closes
 *   leaf(d,i), empty(d,i), PDP_IDENTITY (may use d), PDP_A_IS_L, PDP_B_IS_R (make_a gives l first and then h; make_b
 * gives r alone) Every index that reaches hoists, leaf and empty is a point of the problem. */
#ifndef PDP_TILE
#define PDP_TILE 64
#endif
#ifndef PDP_COLUMNS /* vectors of a register block: 32 registers hold 4 x 4 or 2 x 8 sums, 16 hold 4 x 2 */
#define PDP_COLUMNS (PDP_VECTOR_BYTES < 64 ? 2 : PDP_ELEM_BYTES == 8 ? 8 : 4)
#endif
#ifndef PDP_ROWS
#define PDP_ROWS (PDP_COLUMNS == 8 ? 2 : 4)
#endif
#ifndef PDP_BLOCK /* rows and columns of a block in finishing */
#define PDP_BLOCK (PDP_LANES > 8 ? PDP_LANES : 8)
#endif
#ifndef PDP_CHAINS /* blocks finished side by side, to hide the latency of a block's chain of cells */
#define PDP_CHAINS (PDP_LANES > 1 ? 4 : 1)
#endif
#define PDP_PANEL (PDP_COLUMNS * PDP_LANES)
#define PDP_BLOCKS (PDP_TILE / PDP_BLOCK)
#define PDP_WIDTH (PDP_BLOCK / PDP_LANES) /* vectors of a block's row */
#define PDP_AT(i, j) ((j) / PDP_PANEL * PDP_TILE * PDP_PANEL + (i)*PDP_PANEL + (j) % PDP_PANEL)
#define PDP_IN(x) ((x) / PDP_PANEL * PDP_TILE * PDP_PANEL + (x) % PDP_PANEL) /* column x of a block, in a row */
#define PDP_CELLS (PDP_TILE * PDP_TILE)
/* Bytes of the next product's operands that are fetched for each k of a register block. */
#define PDP_FETCH (2 * PDP_ELEM_BYTES * PDP_ROWS * PDP_PANEL / PDP_TILE)
#define PDP_SOME(n) ((n) > 0 ? (n) : 1) /* arrays have at least one item */

_Static_assert(PDP_TILE % PDP_PANEL == 0 && PDP_TILE % PDP_ROWS == 0 && PDP_TILE % PDP_BLOCK == 0 &&
                   PDP_BLOCK % PDP_LANES == 0 && (PDP_PANEL % PDP_BLOCK == 0 || PDP_BLOCK % PDP_PANEL == 0),
               "blocks must fill tiles");

/* Rows before point 0 are no cells; what is hoisted for them is that of point 0. */
PDP_INLINE int64_t pdp_point(int64_t i) {
    return i > 0 ? i : 0;
}

/* ---- What is hoisted, for a tile of pairs, in the layout of a tile: one array per value. ---- */

/* Values of {i,k}, or of {k,j}; for pairs that are no cell (second <= first) whatever the nearest cell has. */
#define PDP_HOIST_TILE(name, hoist, count)                                                                             \
    static void name(const pdp_kernel_data *d, elem *out, int64_t first0, int64_t second0) {                           \
        for (int64_t p = 0; p < PDP_TILE; p += PDP_PANEL) {                                                            \
            for (int64_t x = 0; x < PDP_TILE; x++) {                                                                   \
                int64_t first = pdp_point(first0 + x);                                                                 \
                elem *row = out + p * PDP_TILE + x * PDP_PANEL;                                                        \
                int64_t begin = second0 + p;                                                                           \
                for (int64_t y = begin <= first ? first + 1 - begin : 0; y < PDP_PANEL; y++) {                         \
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
        hoist_j(d, pdp_point(j0 + y), values);
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
                                   int64_t i0, const char *next) {
    vec sum[PDP_ROWS][PDP_COLUMNS];
    vec jv[PDP_COLUMNS][PDP_SOME(PDP_NHJ)];
    PDP_UNROLLED for (int x = 0; x < PDP_ROWS; x++) {
        PDP_UNROLLED for (int y = 0; y < PDP_COLUMNS; y++) {
            sum[x][y] = *(const vec *)(c + (i + x) * PDP_PANEL + y * PDP_LANES);
        }
    }
    PDP_UNROLLED for (int y = 0; y < PDP_COLUMNS; y++) {
        PDP_UNROLLED for (int v = 0; v < PDP_NHJ; v++) {
            jv[y][v] = *(const vec *)(columns + v * PDP_TILE + y * PDP_LANES);
        }
    }
    for (int64_t p = 0; p < PDP_TILE; p += PDP_PANEL) {
        const elem *rows[PDP_NA];
        PDP_UNROLLED for (int v = 0; v < PDP_NA; v++) {
            rows[v] = a[v] + p * PDP_TILE + i * PDP_PANEL;
        }
        for (int64_t k = 0; k < PDP_PANEL; k++, next += PDP_FETCH) {
            vec bv[PDP_COLUMNS][PDP_NB];
            __builtin_prefetch(next, 0, 2);
            PDP_UNROLLED for (int y = 0; y < PDP_COLUMNS; y++) {
                PDP_UNROLLED for (int v = 0; v < PDP_NB; v++) {
                    bv[y][v] = *(const vec *)(b[v] + (p + k) * PDP_PANEL + y * PDP_LANES);
                }
            }
            PDP_UNROLLED for (int x = 0; x < PDP_ROWS; x++) {
                vec av[PDP_NA];
                PDP_UNROLLED for (int v = 0; v < PDP_NA; v++) {
                    av[v] = v_broadcast(rows[v][x * PDP_PANEL + k]);
                }
                PDP_UNROLLED for (int y = 0; y < PDP_COLUMNS; y++) {
                    sum[x][y] = update(d, sum[x][y], av, bv[y], jv[y], i0 + i + x, k0 + p + k, j0 + y);
                }
            }
        }
    }
    PDP_UNROLLED for (int x = 0; x < PDP_ROWS; x++) {
        PDP_UNROLLED for (int y = 0; y < PDP_COLUMNS; y++) {
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
                        const void *const *next, void *scratch_bytes) {
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
        for (int64_t i = i0 < 0 ? -i0 / PDP_ROWS * PDP_ROWS : 0; i < PDP_TILE; i += PDP_ROWS) {
            const int64_t done = (p * PDP_TILE + i * PDP_PANEL) * PDP_FETCH * PDP_TILE / (PDP_ROWS * PDP_PANEL);
            const int64_t bytes = PDP_CELLS * PDP_ELEM_BYTES;
            const char *fetched = done < bytes ? (const char *)next[0] + done : (const char *)next[1] + (done - bytes);
            pdp_register_block(d, (elem *)c + p * PDP_TILE, av, panels, scratch->columns + p, i, k0, j0 + p, i0,
                               fetched);
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
PDP_SEPARATE void pdp_block_product(const pdp_finishing *f, int64_t a, int64_t b, int64_t k0, int64_t k1,
                                    int by_column) {
    const elem *left = by_column ? f->tile : f->rows;
    const elem *right = by_column ? f->columns : f->tile;
    const elem *ha = f->scratch->ha[by_column];
    const elem *hb = f->scratch->hb[by_column];
    int64_t k_origin = by_column ? f->frame->j0 : f->frame->i0;
    for (int w = 0; w < PDP_WIDTH; w++) {
        int64_t j = b + w * PDP_LANES;
        vec sum[PDP_BLOCK];
        vec jv[PDP_SOME(PDP_NHJ)];
        PDP_UNROLLED for (int x = 0; x < PDP_BLOCK; x++) {
            sum[x] = *(const vec *)(f->tile + PDP_AT(a + x, j));
        }
        PDP_UNROLLED for (int v = 0; v < PDP_NHJ; v++) {
            jv[v] = *(const vec *)(f->scratch->columns + v * PDP_TILE + j);
        }
        for (int64_t k = k0; k < k1; k++) {
            vec hbv[PDP_SOME(PDP_NHB)], bv[PDP_NB];
            PDP_UNROLLED for (int v = 0; v < PDP_NHB; v++) {
                hbv[v] = *(const vec *)(hb + v * PDP_CELLS + PDP_AT(k, j));
            }
            v_make_b(f->d, *(const vec *)(right + PDP_AT(k, j)), hbv, bv);
            PDP_UNROLLED for (int x = 0; x < PDP_BLOCK; x++) {
                vec hav[PDP_SOME(PDP_NHA)], av[PDP_NA];
                PDP_UNROLLED for (int v = 0; v < PDP_NHA; v++) {
                    hav[v] = v_broadcast(ha[v * PDP_CELLS + PDP_AT(a + x, k)]);
                }
                v_make_a(f->d, v_broadcast(left[PDP_AT(a + x, k)]), hav, av);
                sum[x] = update(f->d, sum[x], av, bv, jv, f->frame->i0 + a + x, k_origin + k, f->frame->j0 + j);
            }
        }
        PDP_UNROLLED for (int x = 0; x < PDP_BLOCK; x++) {
            *(vec *)(f->tile + PDP_AT(a + x, j)) = sum[x];
        }
    }
}

typedef struct pdp_closing {
    elem option[PDP_BLOCK] __attribute__((aligned(64)));
    elem hoisted[PDP_SOME(PDP_NHC)][PDP_BLOCK] __attribute__((aligned(64)));
} pdp_closing;

#if PDP_OPTIONS
/* M[i+1][j-1] for the columns of a block's row; what lies outside of the tile is its neighbours'. */
PDP_INLINE void pdp_copy_inside(const pdp_finishing *f, elem *inside, int64_t i, int64_t b) {
    const int64_t below = (i + 1) % PDP_TILE;
    const elem *tile = below > 0 ? f->tile : f->frame->below;
    const elem *left = below > 0 ? f->frame->left : f->frame->corner;
    inside[0] = b > 0 ? tile[PDP_AT(below, b - 1)] : left ? left[PDP_AT(below, PDP_TILE - 1)] : (elem)0;
    for (int64_t y = 1; y < PDP_BLOCK; y++) {
        inside[y] = tile[PDP_AT(below, b) + PDP_IN(y - 1)];
    }
}
#endif

/* What closing the cells of row i, columns b.. needs besides their sums. */
PDP_INLINE void pdp_prepare_closing(const pdp_finishing *f, pdp_closing *closing, int64_t i, int64_t b) {
    const int64_t row = f->frame->i0 + i;
    const int64_t column = f->frame->j0 + b;
    const int64_t end = row < 0 ? 0 : PDP_BLOCK;
    const int64_t begin = column <= row + 1 ? row + 2 - column : 0;
    (void)closing;
    (void)end;
    (void)begin;
#if PDP_OPTIONS
    const pdp_kernel_data *d = f->d;
    for (int64_t y = 0; y < PDP_BLOCK; y++) {
        closing->option[y] = PDP_IDENTITY;
    }
    if (begin < end) {
        elem inside[PDP_BLOCK];
        pdp_copy_inside(f, inside, i, b);
        if (column + begin == row + 2) {
            inside[begin] = empty(d, row + 1);
        }
        for (int64_t y = begin; y < end; y++) {
            closing->option[y] = option(d, row, column + y, inside[y]);
        }
    }
#endif
#if PDP_NHC > 0
    for (int v = 0; v < PDP_NHC && (begin > 0 || end < PDP_BLOCK); v++) {
        for (int y = 0; y < PDP_BLOCK; y++) {
            closing->hoisted[v][y] = 0;
        }
    }
    for (int64_t y = begin; y < end; y++) {
        elem values[PDP_NHC];
        hoist_c(f->d, row, column + y, values);
        for (int v = 0; v < PDP_NHC; v++) {
            closing->hoisted[v][y] = values[v];
        }
    }
#endif
}

/* A whole vector of a row closed. */
PDP_INLINE vec pdp_close(const pdp_finishing *f, const pdp_closing *closing, vec sum, int64_t i, int64_t b, int w) {
    (void)f;
    (void)closing;
    (void)i;
    (void)b;
    (void)w;
#if PDP_CLOSES || PDP_OPTIONS_FIRST
    vec hcv[PDP_SOME(PDP_NHC)];
    for (int v = 0; v < PDP_NHC; v++) {
        hcv[v] = *(const vec *)(closing->hoisted[v] + w * PDP_LANES);
    }
    sum = close_cell(f->d, sum, *(const vec *)(closing->option + w * PDP_LANES), hcv, f->frame->i0 + i,
                     f->frame->j0 + b + w * PDP_LANES);
#endif
    return sum;
}

/* A block that is finished beside others, by where its operands lie. Rows are PDP_PANEL apart in all of them. */
typedef struct pdp_chain {
    elem *cells;
    const elem *left;  /* M[i][k] for k in the block's rows, and what is hoisted for it */
    const elem *ha[2]; /* the second for k in its columns */
    const elem *hb[2];
    const elem *right; /* M[k][j] for k in the block's columns */
    const elem *columns;
    const pdp_finishing *f;
    int64_t a, b;
} pdp_chain;

PDP_INLINE pdp_chain pdp_chain_make(const pdp_finishing *f, int64_t a, int64_t b) {
    return (pdp_chain){.cells = f->tile + PDP_AT(a, b),
                       .left = f->rows + PDP_AT(a, a),
                       .ha = {f->scratch->ha[0] + PDP_AT(a, a), f->scratch->ha[1] + PDP_AT(a, b)},
                       .hb = {f->scratch->hb[0] + PDP_AT(a, b), f->scratch->hb[1] + PDP_AT(b, b)},
                       .right = f->columns + PDP_AT(b, b),
                       .columns = f->scratch->columns + b,
                       .f = f,
                       .a = a,
                       .b = b};
}

/* sum (+)= term(l, M[k][j]) for one k and vector w of row i, k in the block's rows (side 0) or columns (side 1). */
PDP_INLINE vec pdp_chain_add(const pdp_chain *chain, vec sum, vec l, int64_t i, int64_t k, int w, const int side) {
    const pdp_tile_frame *frame = chain->f->frame;
    const elem *right = side ? chain->right : chain->cells;
    vec hav[PDP_SOME(PDP_NHA)], av[PDP_NA], hbv[PDP_SOME(PDP_NHB)], bv[PDP_NB], jv[PDP_SOME(PDP_NHJ)];
    PDP_UNROLLED for (int v = 0; v < PDP_NHA; v++) {
        hav[v] = v_broadcast(chain->ha[side][v * PDP_CELLS + i * PDP_PANEL + PDP_IN(k)]);
    }
    PDP_UNROLLED for (int v = 0; v < PDP_NHB; v++) {
        hbv[v] = *(const vec *)(chain->hb[side] + v * PDP_CELLS + k * PDP_PANEL + PDP_IN(w * PDP_LANES));
    }
    PDP_UNROLLED for (int v = 0; v < PDP_NHJ; v++) {
        jv[v] = *(const vec *)(chain->columns + v * PDP_TILE + w * PDP_LANES);
    }
    v_make_a(chain->f->d, l, hav, av);
    v_make_b(chain->f->d, *(const vec *)(right + k * PDP_PANEL + PDP_IN(w * PDP_LANES)), hbv, bv);
    return update(chain->f->d, sum, av, bv, jv, frame->i0 + chain->a + i,
                  side ? frame->j0 + chain->b + k : frame->i0 + chain->a + k, frame->j0 + chain->b + w * PDP_LANES);
}

typedef struct pdp_open_row {
    vec sum[PDP_WIDTH];
    vec_mask leaf[PDP_WIDTH]; /* the lane that is a leaf, if there is one */
    pdp_closing closing;
} pdp_open_row;

/* Row i of the block with what k in the block's own rows gives it, and the leaf in its place. */
PDP_SEPARATE void pdp_chain_open(const pdp_chain *chain, pdp_open_row *open, int64_t i, int on_diagonal) {
    const pdp_tile_frame *frame = chain->f->frame;
    const int64_t row = frame->i0 + chain->a + i;
    const int64_t leaf_column = row + 1 - (frame->j0 + chain->b);
    for (int w = 0; w < PDP_WIDTH; w++) {
        open->sum[w] = *(const vec *)(chain->cells + i * PDP_PANEL + PDP_IN(w * PDP_LANES));
        open->leaf[w] = v_only(-1);
    }
    for (int64_t k = on_diagonal ? PDP_BLOCK : i + 1; k < PDP_BLOCK; k++) {
        const vec l = v_broadcast(chain->left[i * PDP_PANEL + PDP_IN(k)]);
        PDP_UNROLLED for (int w = 0; w < PDP_WIDTH; w++) {
            open->sum[w] = pdp_chain_add(chain, open->sum[w], l, i, k, w, 0);
        }
    }
    pdp_prepare_closing(chain->f, &open->closing, chain->a + i, chain->b);
#if PDP_OPTIONS_FIRST
    for (int w = 0; w < PDP_WIDTH; w++) {
        open->sum[w] = pdp_close(chain->f, &open->closing, open->sum[w], chain->a + i, chain->b, w);
    }
#endif
    if (leaf_column >= 0 && leaf_column < PDP_BLOCK && row >= 0) {
        const vec value = v_broadcast(leaf(chain->f->d, row));
        for (int w = 0; w < PDP_WIDTH; w++) {
            open->leaf[w] = v_only((int)(leaf_column - w * PDP_LANES));
            open->sum[w] = v_select(open->leaf[w], value, open->sum[w]);
        }
    }
}

/* The cells of vector w as they would be if no more terms came; leaves are what they are. */
PDP_INLINE vec pdp_chain_close(const pdp_chain *chain, const pdp_open_row *open, vec sum, int64_t i, int w) {
#if PDP_CLOSES
    return v_select(open->leaf[w], sum, pdp_close(chain->f, &open->closing, sum, chain->a + i, chain->b, w));
#else
    (void)chain;
    (void)open;
    (void)i;
    (void)w;
    return sum;
#endif
}

/* Blocks side by side. What is left are the k within the block's own rows (unless it is on the diagonal) and within its
 * own columns, in that order: rows from the bottom, and in a row cell after cell, since M[i][k] has to be closed before
 * it is the left operand of M[i][j], j > k. */
static void pdp_finish_blocks(const pdp_chain *chains, const int on_diagonal) {
    for (int64_t i = PDP_BLOCK - 1; i >= 0; i--) {
        pdp_open_row open[PDP_CHAINS];
        vec sum[PDP_CHAINS][PDP_WIDTH];
        PDP_UNROLLED for (int x = 0; x < PDP_CHAINS; x++) {
            pdp_chain_open(&chains[x], &open[x], i, on_diagonal);
            PDP_UNROLLED for (int w = 0; w < PDP_WIDTH; w++) {
                sum[x][w] = open[x].sum[w];
            }
        }
        PDP_UNROLLED for (int u = 0; u < PDP_WIDTH; u++) {
            const int64_t skipped = on_diagonal ? i + 1 - u * PDP_LANES : 0;
            for (int lane = skipped > 0 ? (int)skipped : 0; lane < PDP_LANES; lane++) {
                const int64_t k = u * PDP_LANES + lane;
                vec_mask above = v_above(lane);
                PDP_OPAQUE_VECTOR(above);
                PDP_UNROLLED for (int x = 0; x < PDP_CHAINS; x++) {
                    const vec l = v_lane(pdp_chain_close(&chains[x], &open[x], sum[x][u], i, u), lane);
                    if (PDP_LANES > 1) {
                        const vec added = pdp_chain_add(&chains[x], sum[x][u], l, i, k, u, 1);
                        sum[x][u] = v_select(above, added, sum[x][u]);
                    }
                    PDP_UNROLLED for (int w = u + 1; w < PDP_WIDTH; w++) {
                        sum[x][w] = pdp_chain_add(&chains[x], sum[x][w], l, i, k, w, 1);
                    }
                }
            }
        }
        PDP_UNROLLED for (int x = 0; x < PDP_CHAINS; x++) {
            PDP_UNROLLED for (int w = 0; w < PDP_WIDTH; w++) {
                *(vec *)(chains[x].cells + i * PDP_PANEL + PDP_IN(w * PDP_LANES)) =
                    pdp_chain_close(&chains[x], &open[x], sum[x][w], i, w);
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
        pdp_chain chains[PDP_CHAINS];
        int count = 0;
        for (int64_t x = 0; x < PDP_BLOCKS; x++) {
            int64_t y = on_diagonal ? x + distance : distance - (PDP_BLOCKS - 1 - x);
            int last = x == PDP_BLOCKS - 1;
            if (y >= 0 && y < PDP_BLOCKS && frame->i0 + (x + 1) * PDP_BLOCK > 0) {
                const int64_t a = x * PDP_BLOCK;
                const int64_t b = y * PDP_BLOCK;
                if (on_diagonal) {
                    pdp_block_product(&f, a, b, a + PDP_BLOCK, b, 0);
                } else {
                    pdp_block_product(&f, a, b, a + PDP_BLOCK, PDP_TILE, 0);
                    pdp_block_product(&f, a, b, 0, b, 1);
                }
                chains[count++] = pdp_chain_make(&f, a, b);
            }
            if (count == PDP_CHAINS || (last && count > 0)) {
                for (; count < PDP_CHAINS; count++) {
                    chains[count] = pdp_chain_make(&idle, chains[0].a, chains[0].b);
                }
                pdp_finish_blocks(chains, on_diagonal && distance == 0);
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

static int64_t pdp_split(const void *data, const void *cell, const void *row, const void *column, int64_t i, int64_t j,
                         int64_t k0) {
    const pdp_kernel_data *d = data;
    const int64_t first = i < k0 ? k0 : i + 1, end = j < k0 + PDP_TILE ? j : k0 + PDP_TILE;
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
    for (int64_t k = first; k < end; k++) {
        const uint64_t at = (uint64_t)(k - k0); /* division by a panel's width is a shift */
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
        v_make_a(d, v_broadcast(((const elem *)row)[PDP_IN(at)]), hav, av);
        v_make_b(d, v_broadcast(((const elem *)column)[at * PDP_PANEL]), hbv, bv);
        vec sum = update(d, v_broadcast(PDP_IDENTITY), av, bv, jv, i, k, j);
#if PDP_CLOSES
        sum = close_cell(d, sum, v_broadcast(PDP_IDENTITY), hcv, i, j);
#endif
        if (v_first(sum) == *(const elem *)cell) {
            return k;
        }
    }
    (void)hcv;
    return 0;
}

#if PDP_WEIGHS
#define PDP_WEIGHED 32 /* cells at a time */
_Static_assert(PDP_WEIGHED % PDP_LANES == 0, "vectors must fill what is weighed at a time");

PDP_INLINE void pdp_weigh_some(const pdp_kernel_data *d, int64_t i, int64_t j, const int64_t count, int64_t *out) {
    elem hoisted[PDP_SOME(PDP_NHC)][PDP_WEIGHED] __attribute__((aligned(64)));
    elem weights[PDP_WEIGHED] __attribute__((aligned(64)));
    for (int64_t y = 0; y < count; y++) {
        elem values[PDP_SOME(PDP_NHC)];
        hoist_c(d, i, j + y, values);
        for (int v = 0; v < PDP_NHC; v++) {
            hoisted[v][y] = values[v];
        }
    }
    for (int64_t y = 0; y < count; y += PDP_LANES) {
        vec hcv[PDP_SOME(PDP_NHC)], weight = v_broadcast(0);
        for (int v = 0; v < PDP_NHC; v++) {
            hcv[v] = *(const vec *)(hoisted[v] + y);
        }
        (void)hcv;
#if PDP_CLOSES
        weight = close_cell(d, weight, weight, hcv, i, j + y);
#endif
        *(vec *)(weights + y) = weight;
    }
    __builtin_memcpy(out, weights, (uint64_t)count * sizeof *out);
}

static void pdp_weigh(const void *data, int64_t i, int64_t j, int64_t count, int64_t *out) {
    for (; count >= PDP_WEIGHED; count -= PDP_WEIGHED, j += PDP_WEIGHED, out += PDP_WEIGHED) {
        pdp_weigh_some(data, i, j, PDP_WEIGHED, out); /* so many that the loops have no rest */
    }
    pdp_weigh_some(data, i, j, count, out);
}
#else
#define pdp_weigh 0
#endif

const pdp_interval_kernel PDP_KERNEL_SYMBOL = {
    sizeof(elem), PDP_TILE, PDP_PANEL, sizeof(pdp_scratch), pdp_start, pdp_product, pdp_finish, pdp_split, pdp_weigh};
