/* The linear pipeline on a device, stamped for a recurrence and an element type:
 *
 *     T[i] = close(i, source(i) (+) term_0(T[i - a_0]) (+) ... (+) term_{k-1}(T[i - a_{k-1}])),   a_j <= i
 *
 * One group follows the chain from cell to cell for the whole table. The others take tickets, in the order of the
 * cells: for every block its parts, each a range of its greater offsets, whose sums go to memory; then, for every
 * sub-block of it, the offsets between, to whose sums those of the parts are added. What is left to the chain's group
 * are the near offsets. Whatever a ticket waits for was taken before it, or is the chain's.
 *
 * If all terms are in a list (see below) there are no parts, and the chain goes from sub-block to sub-block, a thread a
 * cell; what a sub-block has from cells before the last one was found by other warps while that was in work.
 *
 * Otherwise the chain goes in steps of 32 cells, a thread a cell. Terms between cells that are k steps apart are a
 * matrix of 32 by 32, which is the same for all steps, so a warp has its part of it in registers. Warp 0 has k = 0,
 * which is the chain itself, and k = 1; the others have k = 2, 3, ... and work for the step that follows. Those further
 * back are taken in windows, for a whole sub-block, while the one before it is in work.
 *
 * Where offsets are dense they are taken in windows: which of 32 consecutive offsets are there is a mask, the same for
 * all threads, and a thread has consecutive cells, so that it loads an operand once for all of them. All other offsets
 * are in a list, rising. The order in which a cell's terms are taken and partial sums are combined depends on nothing
 * but the offsets and the cell's place, so sums of floats are the same in every run. */
#define SOME(count) ((count) > 0 ? (count) : 1)

/* Terms that need to know their cell, or that could fail where there is none, are all in the list; those of many values
 * too, for which shared memory has no room. */
#if !defined(PDP_GUARDED) && PDP_NW * PDP_ELEM_BYTES <= 8
#define HAS_WINDOWS 1
#else
#define HAS_WINDOWS 0
#endif

#if defined(PDP_FLOATS)
#define IS_FLOAT 1
#else
#define IS_FLOAT 0
#endif

/* HAS_FEW: what is not unrolled is not in registers. ASIDE_LAST: see take_subs. */
#if defined(__OPENCL_C_VERSION__)
#define HAS_FEW 0
#define ASIDE_LAST 1
#else
#define HAS_FEW HAS_WINDOWS
#define ASIDE_LAST 0
#endif

/* Only whole numbers have a weight that is harmless. */
#if HAS_WINDOWS && PDP_NW <= 1 && PDP_NI == 0 && (defined(PDP_TYPE_I32) || defined(PDP_TYPE_I64))
#define CAN_BE_HARMLESS 1
#else
#define CAN_BE_HARMLESS 0
#endif
#define CAN_RESPOND (CAN_BE_HARMLESS && !PDP_CLOSES && HAS_FEW) /* in the list */

/* Sums of cells modulo P, a number of 31 bits, are reduced when all is added. */
#if HAS_WINDOWS && PDP_NI == 0 && defined(PDP_COUNTS) && PDP_ELEM_BYTES == 4
#define COUNTS_CELLS 1
typedef uint64_t wide;
#else
#define COUNTS_CELLS 0
typedef elem wide;
#endif

enum {
    WARPS = THREADS / 32,
    HELPERS = WARPS - 2,        /* of the chain's warp; the last warp is the clerk, who deals with the other groups */
    PACK = 16 / PDP_ELEM_BYTES, /* elements that are loaded at once */
    /* Cells of a thread, for the parts. Their operands lie in rows of so many, and rows are so far apart that threads
     * of a warp do not meet in a bank. */
    OUTS = PDP_ELEM_BYTES == 4 && PDP_NI == 0 ? 16 : 8,
    STRIDE = OUTS + PACK,
    COVER = BLOCK / OUTS, /* threads for a block; the others have other windows */
    SPLITS = THREADS / COVER,
    LISTED = BLOCK / THREADS, /* cells of a thread, for the terms in the list */
    NEAR_OUTS = SUB / 32,     /* cells of a thread, for a sub-block */
    BATCH = IS_FLOAT ? 2 : 4, /* cells of a chain that all threads of a warp follow: predicates are but seven */
    RING = PDP_ELEM_BYTES == 16 ? 1024 : 2048, /* cells that the chain's group has */
    AHEAD = PDP_ELEM_BYTES == 16 ? 4 : 8,      /* sub-blocks whose sums it has */
    FEW = 6,                                   /* terms of the list that are in a helper's registers */
    ROOM = 6 * HELPERS,                        /* before the near weights, and for near terms of the list */
    NEAR_MASKS = NEAR / WINDOW,
    WEIGHTS = HAS_WINDOWS * PDP_NW, /* in shared memory */
    NEAR_VALUES = SOME(PDP_NW),
    /* Where things are in it: for a part, for a sub-block, and for the chain. */
    FAR_WEIGHTS = (BLOCK + CHUNK) / OUTS * STRIDE,
    FAR_SUMS = FAR_WEIGHTS + WEIGHTS * CHUNK,
    FAR_POOL = FAR_SUMS + BLOCK / OUTS * STRIDE,
    MIDDLE_SUMS = HAS_WINDOWS * (SUB + CHUNK), /* for every warp those of a sub-block */
    MIDDLE_WEIGHTS = MIDDLE_SUMS + 2 * WARPS * SUB,
    MIDDLE_POOL = MIDDLE_WEIGHTS + WEIGHTS * CHUNK,
    WARP_SUMS = RING + COUNTS_CELLS * SUB, /* behind the ring its first cells are there again */
    TOTALS = WARP_SUMS + HELPERS * SUB,    /* what a sub-block has from the tickets */
    STEP_SUMS = TOTALS + AHEAD * SUB,      /* for every helper, those of two steps */
    SCRATCH = STEP_SUMS + 2 * HELPERS * STEP,
    WAYS = SCRATCH + (COUNTS_CELLS ? 4 : 1) * STEP,
    REAL_WAYS = WAYS + 3 * STEP, /* if cells are counted */
    WAYS_HELD = 16,
    LIST_WEIGHTS = REAL_WAYS + COUNTS_CELLS * 2 * (2 + STEP - WAYS_HELD) * STEP,
    NEAR_WEIGHTS = LIST_WEIGHTS + ROOM * PDP_NW,
    W_STRIDE = ROOM + NEAR,
    CHAIN_POOL = NEAR_WEIGHTS + NEAR_VALUES * W_STRIDE,
    WINDOWS_POOL = HAS_WINDOWS * (FAR_POOL > CHAIN_POOL ? FAR_POOL : CHAIN_POOL),
    MORE_POOL = WINDOWS_POOL > MIDDLE_POOL ? WINDOWS_POOL : MIDDLE_POOL,
    NO_RING = 1 << 30,
    NO_OFFSET = 1 << 30, /* no cell has so many before it */
    /* If there is nothing but the list: */
    QUAD = 4,                 /* terms that are taken at once */
    LIST_STEP = WARPS * QUAD, /* terms that wait together */
    LINE = SUB / 32,          /* warps that follow the chain */
    ASIDE = WARPS - LINE - 1, /* warps that look ahead */
    LINE_FEW = HAS_FEW * 2,   /* quads that are in registers */
    LIST_FEW = HAS_FEW * (PDP_ELEM_BYTES == 4 ? 5 : 3),
    /* Terms that are in shared memory. The chain has no others, but for offsets that tickets cannot have. */
    LIST_ROOM = (PDP_ELEM_BYTES == 4 ? 256 : 128) / SOME(PDP_NW) / QUAD * QUAD,
    LIST_RING = PDP_ELEM_BYTES == 16 ? 1024 : 4096,
    LIST_NEAR = LIST_RING - SUB, /* greater offsets are not in the ring */
    LIST_AHEAD = PDP_ELEM_BYTES == 4   ? 16
                 : PDP_ELEM_BYTES == 8 ? 5
                                       : 4,
    MOST_AHEAD = 16,
    LIST_SUMS = LIST_RING + SUB, /* behind the ring its first cells are there again */
    LIST_TOTALS = LIST_SUMS + 2 * ASIDE * SUB,
    LINE_WEIGHTS = LIST_TOTALS + LIST_AHEAD * SUB,
    BASE = LINE_WEIGHTS +
           LIST_ROOM * PDP_NW,          /* what a sub-block has from those before it; first, ways: see list_respond */
    RESPONSE_QUADS = CAN_RESPOND * 4,   /* that may be */
    RESPONSE_FEW = LIST_FEW - LINE_FEW, /* that are in registers */
    RESPONSE_WEIGHTS = BASE + CAN_RESPOND * SUB,
    LIST_POOL = RESPONSE_WEIGHTS + RESPONSE_QUADS * QUAD,
    NOTED = ROOM > LIST_ROOM ? ROOM : LIST_ROOM,
    RESPONSES = 2 * NOTED, /* their offsets behind those of the list, and their number */
    SMALL = NEAR_MASKS + RESPONSES + RESPONSE_QUADS * QUAD + 1,
    POOL = MORE_POOL > LIST_POOL ? MORE_POOL : LIST_POOL
};

/* ROLLED: before loops whose unrolling would only make the text long. BATCHES: those of a step, or none; no barrier is
 * in a branch (see GROUPS_MEET). HERE: the multiprocessor. SURE: what makes checks needless, where a second text
 * without them is worth its length. */
#if defined(__CUDACC__)
#define ROLLED _Pragma("unroll 1")
#define BATCHES(s, any)                                                                                                \
    if (any)                                                                                                           \
    UNROLLED for (int s = 0; s < STEP; s += BATCH)
PDP_INLINE uint32_t find_here(void) {
    uint32_t place;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(place));
    return place;
}
#define HERE find_here()
#else
#if defined(__OPENCL_C_VERSION__)
#define ROLLED __attribute__((opencl_unroll_hint(1)))
#define SURE(condition) 0
#undef UNROLLED
#define UNROLLED ROLLED
#else
#define ROLLED
#endif
#define BATCHES(s, any) ROLLED for (int s = (any) ? 0 : STEP; s < STEP; s += BATCH)
#define HERE ((uint32_t)GROUP)
#endif
#if !defined(SURE)
#define SURE(condition) (condition)
#endif

#define IS_HARMLESS(f) (CAN_BE_HARMLESS && (f)->is_plain)

typedef struct __attribute__((aligned(16))) pack {
    elem at[PACK];
} pack;

/* Where things are, and the block in work. */
typedef struct frame {
    PDP_DATA d;
    GLOBAL elem *table;
    GLOBAL uint32_t *words;
    GLOBAL elem *partials;        /* of SLOTS blocks, the parts' sums */
    GLOBAL elem *totals;          /* behind them, those of the sub-blocks */
    const GLOBAL uint32_t *masks; /* of all windows: offsets below `dense` */
    const GLOBAL uint32_t *offsets;
    const GLOBAL uint32_t *numbers;
    const GLOBAL elem *weights;      /* value v of offset a in a window at [v * dense + a] */
    const GLOBAL elem *list_weights; /* value v of term t at [t * PDP_NW + v] */
    LOCAL elem *pool;
    LOCAL uint32_t *local_masks;
    LOCAL uint32_t *near_list; /* offsets, then numbers, of the first terms */
    LOCAL uint32_t *shared;
    elem identity;  /* here, since what the chain does has no time for memory */
    double inverse; /* of the modulus */
    int cells;
    int dense;
    int list_count;
    int list_near;                             /* of those, which are the chain's */
    int inmost_quads, inner_quads, line_quads; /* quads that have an offset below STEP, SUB, 2 * SUB */
    int response_quads;                        /* or -1: see list_respond */
    int parts;
    int round;
    int is_plain;
    int origin;     /* the first cell that is not preset */
    int first;      /* cell of the block, or of the sub-block; of the chain, its first sub-block */
    uint32_t known; /* cells that are final */
} frame;

/* ---- Sums ---- */

#if COUNTS_CELLS
/* Conversions between doubles and whole numbers, which take long, by sums with 2^52: then the number is in the low
 * bits. LOW_WORD is of a whole number below 2^52, NEAREST of one that is near to a number below 2^51, and may be -1. */
#if defined(__CUDACC__)
#define TO_DOUBLE(word) (__hiloint2double(0x43300000, (int)(word)) - 4503599627370496.0)
#define LOW_WORD(x) ((uint32_t)__double2loint((x) + 4503599627370496.0))
#define NEAREST(x) ((uint32_t)__double2loint((x) + 6755399441055744.0))
#else
#define TO_DOUBLE(word) ((double)(word))
#define LOW_WORD(x) ((uint32_t)(uint64_t)(x))
#define NEAREST(x) ((uint32_t)(int64_t)floor((x) + 0.5))
#endif

/* The rest of a number, of which the low word is known, and which is less than 2^50 times the modulus; its relative
 * error is less than 2^-52. The quotient is the right one or less by one. */
PDP_INLINE elem reduce(const frame *f, uint32_t low, double number) {
    const uint32_t modulus = (uint32_t)f->d->modulus;
    const uint32_t rest = low - NEAREST(fma(number, f->inverse, -0.75)) * modulus;
    return rest < rest - modulus ? rest : rest - modulus;
}
#endif

PDP_INLINE wide wide_update(PDP_DATA d, wide sum, elem s, const elem *w, const elem *iv, int64_t i, int64_t j) {
#if COUNTS_CELLS
    (void)d, (void)w, (void)iv, (void)i, (void)j;
    return sum + s;
#else
    return update(d, sum, s, w, iv, i, j);
#endif
}

PDP_INLINE elem wide_close(const frame *f, wide sum) {
#if COUNTS_CELLS
    return reduce(f, (uint32_t)sum, (double)sum);
#else
    (void)f;
    return sum;
#endif
}

/* ---- What is recorded ---- */

/* In a run that is to be checked, one thread of a group numbers what the group does, after it has waited for others and
 * before it tells them. Other runs know nothing of it. */
#if defined(PDP_RECORDS)
PDP_INLINE void record(const frame *f, uint32_t what, int place) {
    GLOBAL uint32_t *trace = f->words + COUNTS + f->words[BLOCKS] + (f->cells - f->origin + SUB - 1) / SUB;
    const uint32_t number = ATOMIC_ADD(trace + EVENT_COUNT, 1u);
    if (number < trace[EVENT_ROOM]) {
        GLOBAL uint32_t *event = trace + EVENTS + (int64_t)number * EVENT_WORDS;
        event[EVENT_GROUP] = (uint32_t)GROUP;
        event[EVENT_WHAT] = what;
        event[EVENT_PLACE] = (uint32_t)place;
    }
    FENCE();
}
#else
#define record(f, what, place) ((void)0)
#endif
#define RECORD(f, what, place)                                                                                         \
    if (THREAD == 0) {                                                                                                 \
        record(f, what, place);                                                                                        \
    }

/* ---- Waiting ---- */

/* OpenCL's groups cannot meet: there whatever a launch needs is done before it. Some OpenCL compilers copy all that
 * follows a barrier for every branch around it, so no barrier of these kernels is inside a branch but where it waits.
 */
#if defined(__OPENCL_C_VERSION__)
#define GROUPS_MEET 0
#else
#define GROUPS_MEET 1
#endif

#if defined(__CUDACC__)
/* Orders nothing: the load that does empties the first-level cache. */
PDP_INLINE uint32_t look_at(const uint32_t *p) {
    uint32_t value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
#else
#define look_at(p) LOAD(p)
#endif

#if GROUPS_MEET
PDP_INLINE uint32_t wait_until(const frame *f, GLOBAL uint32_t *word, uint32_t least) {
    if (THREAD == 0) {
        while (look_at(word) < least) {
            YIELD();
        }
        f->shared[1] = LOAD(word);
    }
    BARRIER();
    const uint32_t value = f->shared[1];
    BARRIER();
    return value;
}
#else
#define wait_until(f, word, least) ((void)(word), 0u)
#endif

PDP_INLINE void wait_for_cells(frame *f, int cells) {
    if (GROUPS_MEET && cells > 0 && f->known < (uint32_t)cells) {
        f->known = wait_until(f, f->words + PROGRESS, (uint32_t)cells);
    }
}

/* By one thread, after all have met. */
PDP_INLINE void tell_cells(const frame *f, int cells) {
    record(f, HAS_CELLS, cells);
    STORE(f->words + PROGRESS, (uint32_t)cells);
}

/* ---- Windows ---- */

/* Rows of `outs` elements, `stride` apart. */
PDP_INLINE int row_place(int x, const int outs, const int stride) {
    return x / outs * stride + x % outs;
}

PDP_INLINE void load_row(elem *to, const LOCAL elem *from, const int outs) {
    UNROLLED for (int r = 0; r < outs; r += PACK) {
        const pack x = *(const LOCAL pack *)(from + r);
        UNROLLED for (int e = 0; e < PACK; e++) {
            to[r + e] = x.at[e];
        }
    }
}

PDP_INLINE void store_row(LOCAL elem *to, const elem *from, const int outs) {
    UNROLLED for (int r = 0; r < outs; r += PACK) {
        pack x;
        UNROLLED for (int e = 0; e < PACK; e++) {
            x.at[e] = from[r + e];
        }
        *(LOCAL pack *)(to + r) = x;
    }
}

/* The terms of `outs` offsets for `outs` cells, whose operands are in two rows. */
PDP_INLINE void add_row(PDP_DATA d, wide *sum, elem (*iv)[SOME(PDP_NI)], const elem *high, const elem *low,
                        const LOCAL elem *weights, const int w_stride, uint32_t mask, const int outs) {
    UNROLLED for (int first = 0; first < outs; first += PACK) {
        pack w[SOME(PDP_NW)];
        UNROLLED for (int v = 0; v < PDP_NW; v++) {
            w[v] = *(const LOCAL pack *)(weights + v * w_stride + first);
        }
        UNROLLED for (int u = first; u < first + PACK; u++) {
            if ((mask >> u & 1) != 0) {
                elem values[SOME(PDP_NW)];
                UNROLLED for (int v = 0; v < PDP_NW; v++) {
                    values[v] = w[v].at[u - first];
                }
                UNROLLED for (int r = 0; r < outs; r++) {
                    const elem s = r >= u ? high[r - u] : low[outs + r - u];
                    sum[r] = wide_update(d, sum[r], s, values, iv[r], 0, 0);
                }
            }
        }
    }
}

/* The terms of a window. `at` is the place of the first cell's operand at the window's first offset, the first of a
 * row; places are counted modulo `ring`. */
PDP_INLINE void add_window(PDP_DATA d, wide *sum, elem (*iv)[SOME(PDP_NI)], const LOCAL elem *rows, int at,
                           const LOCAL elem *weights, const int w_stride, uint32_t mask, const int outs,
                           const int stride, const int ring) {
    elem even[OUTS], odd[OUTS];
    load_row(even, rows + (at & (ring - 1)), outs);
    for (int k = 0; k < WINDOW; k += 2 * outs) {
        load_row(odd, rows + ((at - (k / outs + 1) * stride) & (ring - 1)), outs);
        add_row(d, sum, iv, even, odd, weights + k, w_stride, mask >> k, outs);
        load_row(even, rows + ((at - (k / outs + 2) * stride) & (ring - 1)), outs);
        add_row(d, sum, iv, odd, even, weights + k + outs, w_stride, mask >> (k + outs), outs);
    }
}

#if !COUNTS_CELLS
/* The same where absent terms are harmless, so that nothing has to be asked. */
PDP_INLINE void add_sure_window(PDP_DATA d, elem *sum, const LOCAL elem *rows, int at, const LOCAL elem *weights) {
    elem high[NEAR_OUTS], low[NEAR_OUTS], w[NEAR_OUTS];
    load_row(high, rows + (at & (RING - 1)), NEAR_OUTS);
    UNROLL(2) for (int k = 0; k < WINDOW; k += NEAR_OUTS) {
        load_row(low, rows + ((at - k - NEAR_OUTS) & (RING - 1)), NEAR_OUTS);
        load_row(w, weights + k, NEAR_OUTS);
        UNROLLED for (int u = 0; u < NEAR_OUTS; u++) {
            UNROLLED for (int r = 0; r < NEAR_OUTS; r++) {
                sum[r] = PDP_COMBINE(sum[r], s_add(r >= u ? high[r - u] : low[NEAR_OUTS + r - u], w[u]));
            }
        }
        UNROLLED for (int r = 0; r < NEAR_OUTS; r++) {
            high[r] = low[r];
        }
    }
}

#endif

/* The same where some cells have fewer before them than the offset: cell i0 is the first, and a0 the first offset. */
PDP_INLINE void add_guarded(PDP_DATA d, wide *sum, elem (*iv)[SOME(PDP_NI)], const LOCAL elem *rows, int at,
                            const LOCAL elem *weights, const int w_stride, uint32_t mask, const int outs,
                            const int stride, const int ring, int i0, int a0) {
    ROLLED for (int u = 0; u < WINDOW; u++) {
        if ((mask >> u & 1) != 0) {
            elem values[SOME(PDP_NW)];
            for (int v = 0; v < PDP_NW; v++) {
                values[v] = weights[v * w_stride + u];
            }
            UNROLLED for (int r = 0; r < outs; r++) {
                if (a0 + u <= i0 + r) {
                    const int place = row_place(at + r - u, outs, stride) & (ring - 1);
                    sum[r] = wide_update(d, sum[r], rows[place], values, iv[r], 0, 0);
                }
            }
        }
    }
}

/* ---- The list ---- */

PDP_INLINE void hoist_cell(const frame *f, int i, elem *iv) {
    hoist_i(f->d, i < f->cells ? i : f->cells - 1, iv);
}

/* Terms of the list with offsets below this one. */
PDP_INLINE int list_below(const frame *f, int offset) {
    int low = 0, high = f->list_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (f->offsets[middle] < (uint32_t)offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

PDP_INLINE void list_load_weights(const frame *f, int t, elem *w) {
    for (int v = 0; v < PDP_NW; v++) {
        w[v] = f->list_weights[(int64_t)t * PDP_NW + v];
    }
}

/* Some terms of it that follow each other, and that are taken together so that their loads do not wait for each other.
 */
typedef struct quad {
    int offset[QUAD]; /* or NO_OFFSET */
    int number[QUAD];
    elem w[QUAD][SOME(PDP_NW)];
} quad;

/* From term t on, of those before `end`. */
PDP_INLINE void load_quad(const frame *f, quad *q, int t, int end) {
    UNROLLED for (int e = 0; e < QUAD; e++) {
        const int is_there = t + e < end;
        q->offset[e] = is_there ? (int)f->offsets[t + e] : NO_OFFSET;
        q->number[e] = is_there ? (int)f->numbers[t + e] : 0;
        UNROLLED for (int v = 0; v < PDP_NW; v++) {
            q->w[e][v] = is_there ? f->list_weights[(int64_t)(t + e) * PDP_NW + v] : (elem)0;
        }
    }
}

/* ---- A part of a block ---- */

#if HAS_WINDOWS
typedef struct far_sums {
    wide rows[OUTS]; /* of consecutive cells */
    elem rows_iv[OUTS][SOME(PDP_NI)];
    wide list[LISTED]; /* THREADS apart */
    elem list_iv[LISTED][SOME(PDP_NI)];
} far_sums;

PDP_INLINE void far_open(const frame *f, far_sums *s) {
    PDP_DATA d = f->d;
    UNROLLED for (int r = 0; r < OUTS; r++) {
        s->rows[r] = PDP_IDENTITY;
        hoist_cell(f, f->first + THREAD % COVER * OUTS + r, s->rows_iv[r]);
    }
    UNROLLED for (int q = 0; q < LISTED; q++) {
        s->list[q] = PDP_IDENTITY;
        hoist_cell(f, f->first + THREAD + q * THREADS, s->list_iv[q]);
    }
}

/* The windows of the offsets low .. low+length-1. */
PDP_INLINE void far_windows(frame *f, far_sums *s, int low, int length) {
    HELD(d, f->d);
    LOCAL elem *weights = f->pool + FAR_WEIGHTS;
    const int begin = f->first - low - length;
    RECORD(f, READS_CELLS, begin + BLOCK + length);
    BARRIER();
    for (int x = THREAD; x < BLOCK + length; x += THREADS) {
        f->pool[row_place(x, OUTS, STRIDE)] = begin + x >= 0 ? f->table[begin + x] : (elem)0;
    }
    for (int x = THREAD; x < length; x += THREADS) {
        for (int v = 0; v < PDP_NW; v++) {
            weights[v * CHUNK + x] = f->weights[v * f->dense + low + x];
        }
    }
    if (THREAD < length / WINDOW) {
        f->local_masks[THREAD] = f->masks[low / WINDOW + THREAD];
    }
    BARRIER();
    const int x = THREAD % COVER * OUTS;
    const int own = length / SPLITS, end = (THREAD / COVER + 1) * own;
    ROLLED for (int k = end - own; k < end; k += WINDOW) {
        const uint32_t mask = f->local_masks[k / WINDOW];
        const int at = x + length - k;
        if (low + k + WINDOW > f->first) {
            add_guarded(d, s->rows, s->rows_iv, f->pool, at, weights + k, CHUNK, mask, OUTS, STRIDE, NO_RING,
                        f->first + x, low + k);
        } else if (mask != 0) {
            add_window(d, s->rows, s->rows_iv, f->pool, row_place(at, OUTS, STRIDE), weights + k, CHUNK, mask, OUTS,
                       STRIDE, NO_RING);
        }
    }
}

/* The terms of the list with offsets low .. end-1. */
PDP_INLINE void far_list(frame *f, far_sums *s, int low, int end) {
    PDP_DATA d = f->d;
    const int last = list_below(f, low);
    for (int t = list_below(f, end); t > last;) {
        const int stop = t - LIST_STEP > last ? t - LIST_STEP : last;
        wait_for_cells(f, f->first + BLOCK - (int)f->offsets[stop]);
        RECORD(f, READS_CELLS, f->first + BLOCK - (int)f->offsets[stop]);
        for (t--; t >= stop; t--) {
            const int a = (int)f->offsets[t], j = (int)f->numbers[t];
            elem w[SOME(PDP_NW)];
            list_load_weights(f, t, w);
            UNROLLED for (int q = 0; q < LISTED; q++) {
                const int i = f->first + THREAD + q * THREADS;
                if (a <= i && i < f->cells) {
                    s->list[q] = wide_update(d, s->list[q], f->table[i - a], w, s->list_iv[q], i, j);
                }
            }
        }
        t = stop;
    }
}

/* All terms with offsets low .. end-1, in falling chunks. */
PDP_INLINE void far_add(frame *f, far_sums *s, int low, int end) {
    const int most = f->first + BLOCK; /* a greater offset has no cell */
    int length, top = (most + SUB - 1) / SUB * SUB;
    top = top < f->dense ? top : f->dense;
    for (top = top < end ? top : end; top > low; top -= length) {
        length = top % CHUNK > 0 ? top % CHUNK : CHUNK;
        wait_for_cells(f, most - (top - length));
        far_windows(f, s, top - length, length);
    }
    far_list(f, s, low, end < most ? end : most);
}

/* Leaves the sums in memory: those of the list, and then those of the windows. */
PDP_INLINE void far_close(const frame *f, const far_sums *s, GLOBAL elem *to) {
    PDP_DATA d = f->d;
    LOCAL elem *sums = f->pool + FAR_SUMS;
    UNROLLED for (int q = 0; q < LISTED; q++) {
        sums[row_place(THREAD + q * THREADS, OUTS, STRIDE)] = wide_close(f, s->list[q]);
    }
    BARRIER();
    for (int split = 0; split < SPLITS && f->dense > NEAR; split++) {
        if (THREAD / COVER == split) {
            LOCAL elem *row = sums + THREAD % COVER * STRIDE;
            elem sum[OUTS];
            load_row(sum, row, OUTS);
            UNROLLED for (int r = 0; r < OUTS; r++) {
                sum[r] = PDP_COMBINE(sum[r], wide_close(f, s->rows[r]));
            }
            store_row(row, sum, OUTS);
        }
        BARRIER();
    }
    UNROLLED for (int q = 0; q < LISTED; q++) {
        to[THREAD + q * THREADS] = sums[row_place(THREAD + q * THREADS, OUTS, STRIDE)];
    }
    FENCE();
    BARRIER();
}

PDP_INLINE void do_part(frame *f, int block, int part) {
    const int span = (int)f->words[SPAN], low = OWN + part * span;
    far_sums s;
    f->first = f->origin + block * BLOCK;
    far_open(f, &s);
    wait_for_cells(f, f->first - (SLOTS - 1) * BLOCK); /* until the slot is free */
    RECORD(f, STARTS_PART, block * f->parts + part);
    far_add(f, &s, low, low + span);
    far_close(f, &s, f->partials + ((int64_t)(block % SLOTS) * f->parts + part) * BLOCK);
    RECORD(f, HAS_PART, block * f->parts + part);
    if (THREAD == 0) {
        ATOMIC_ADD(f->words + COUNTS + block, 1u);
    }
}
#endif

/* ---- The offsets between, for a sub-block ---- */

/* What a warp has of it: every thread some consecutive cells; for terms in the list, cells 32 apart. */
typedef struct near_sums {
    wide sum[NEAR_OUTS];
    elem iv[NEAR_OUTS][SOME(PDP_NI)];
} near_sums;

PDP_INLINE void near_open(const frame *f, near_sums *s, int first, int step) {
    UNROLLED for (int r = 0; r < NEAR_OUTS; r++) {
        s->sum[r] = f->identity;
        hoist_cell(f, first + r * step, s->iv[r]);
    }
}

#if HAS_WINDOWS
/* The windows of the offsets low .. low+length-1. */
PDP_INLINE void middle_windows(const frame *f, near_sums *s, int low, int length) {
    HELD(d, f->d);
    LOCAL elem *weights = f->pool + MIDDLE_WEIGHTS;
    const int begin = f->first - low - length, x = THREAD % 32 * NEAR_OUTS;
    RECORD(f, READS_CELLS, begin + SUB + length);
    BARRIER();
    for (int y = THREAD; y < SUB + length; y += THREADS) {
        f->pool[y] = begin + y >= 0 ? f->table[begin + y] : (elem)0;
    }
    for (int y = THREAD; y < length; y += THREADS) {
        for (int v = 0; v < PDP_NW; v++) {
            weights[v * CHUNK + y] = f->weights[v * f->dense + low + y];
        }
    }
    if (THREAD < length / WINDOW) {
        f->local_masks[THREAD] = f->masks[low / WINDOW + THREAD];
    }
    BARRIER();
    ROLLED for (int k = THREAD / 32 * WINDOW; k < length; k += WARPS * WINDOW) {
        const uint32_t mask = f->local_masks[k / WINDOW];
        if (low + k + WINDOW > f->first) {
            add_guarded(d, s->sum, s->iv, f->pool, x + length - k, weights + k, CHUNK, mask, NEAR_OUTS, NEAR_OUTS,
                        NO_RING, f->first + x, low + k);
        } else if (mask != 0) {
            add_window(d, s->sum, s->iv, f->pool, x + length - k, weights + k, CHUNK, mask, NEAR_OUTS, NEAR_OUTS,
                       NO_RING);
        }
    }
}
#endif

PDP_INLINE void middle_quad(const frame *f, near_sums *s, const quad *q, const int is_sure) {
    PDP_DATA d = f->d;
    UNROLLED for (int e = 0; e < QUAD; e++) {
        UNROLLED for (int r = 0; r < NEAR_OUTS; r++) {
            const int a = q->offset[e], i = f->first + THREAD % 32 + 32 * r;
            if (is_sure || (a <= i && i < f->cells)) {
                s->sum[r] = wide_update(d, s->sum[r], f->table[i - a], q->w[e], s->iv[r], i, q->number[e]);
            }
        }
    }
}

/* The terms of the list, a quad a warp; the last cells that they wait for are those of the first. */
PDP_INLINE void middle_list(frame *f, near_sums *s, int most) {
    const int last = f->list_near, end = list_below(f, most);
    for (int t = last + (end - last + LIST_STEP - 1) / LIST_STEP * LIST_STEP; t > last;) {
        quad q;
        t -= LIST_STEP;
        load_quad(f, &q, t + THREAD / 32 * QUAD, end);
        wait_for_cells(f, f->first + SUB - (int)f->offsets[t]);
        RECORD(f, READS_CELLS, f->first + SUB - (int)f->offsets[t]);
        if (SURE(q.offset[QUAD - 1] <= f->first && f->first + SUB <= f->cells)) {
            middle_quad(f, s, &q, 1);
        } else {
            middle_quad(f, s, &q, 0);
        }
    }
}

PDP_INLINE void near_store(const frame *f, LOCAL elem *to, const near_sums *s) {
    elem sum[NEAR_OUTS];
    UNROLLED for (int r = 0; r < NEAR_OUTS; r++) {
        sum[r] = wide_close(f, s->sum[r]);
    }
    store_row(to, sum, NEAR_OUTS);
}

/* What a cell has from the parts, and its source. */
PDP_INLINE elem add_parts(const frame *f, int block, int x) {
    PDP_DATA d = f->d;
    const int i = f->origin + block * BLOCK + x;
    const GLOBAL elem *from = f->partials + (int64_t)(block % SLOTS) * f->parts * BLOCK + x;
    elem sum = PDP_IDENTITY;
    if (i < f->cells) {
        sum = source(d, i);
    }
    for (int part = 0; part < f->parts; part++) {
        sum = PDP_COMBINE(sum, from[part * BLOCK]);
    }
    return sum;
}

PDP_INLINE void do_middle(frame *f, int super) {
    PDP_DATA d = f->d;
    LOCAL elem *sums = f->pool + MIDDLE_SUMS;
    const int lane = THREAD % 32, warp = THREAD / 32;
    near_sums s, list;
    elem sum = PDP_IDENTITY;
    f->first = f->origin + super * SUB;
    near_open(f, &s, f->first + lane * NEAR_OUTS, 1);
    near_open(f, &list, f->first + lane, 32);
    wait_for_cells(f, f->first - (SLOTS - 1) * BLOCK); /* until the slot is free */
    if (f->parts > 0) {
        wait_until(f, f->words + COUNTS + super / SUBS, (uint32_t)f->parts);
    }
    RECORD(f, STARTS_SUMS, super);
    if (THREAD < SUB) {
        sum = add_parts(f, super / SUBS, super % SUBS * SUB + THREAD);
    }
    int most = f->first + SUB; /* a greater offset has no cell */
#if HAS_WINDOWS
    most = f->dense == 0 || most < OWN ? most : OWN;
    int length, top = (most + SUB - 1) / SUB * SUB;
    for (top = top < f->dense ? top : f->dense; top > NEAR; top -= length) {
        length = top % CHUNK > 0 ? top % CHUNK : CHUNK;
        length = top - NEAR >= 2 * CHUNK ? length : SUB; /* those wait for the newest cells */
        wait_for_cells(f, f->first + SUB - (top - length));
        middle_windows(f, &s, top - length, length);
    }
#endif
    middle_list(f, &list, most);
#if HAS_WINDOWS
    BARRIER();
    near_store(f, sums + (WARPS + warp) * SUB + lane * NEAR_OUTS, &s);
#endif
    UNROLLED for (int r = 0; r < NEAR_OUTS; r++) {
        sums[warp * SUB + 32 * r + lane] = wide_close(f, list.sum[r]);
    }
    BARRIER();
    if (THREAD < SUB) {
        UNROLLED for (int x = 0; x < WARPS; x++) {
            sum = PDP_COMBINE(sum, sums[x * SUB + THREAD]);
        }
        UNROLLED for (int x = WARPS; x < 2 * WARPS && f->dense > NEAR; x++) {
            sum = PDP_COMBINE(sum, sums[x * SUB + THREAD]);
        }
        f->totals[(int64_t)(super % (SLOTS * SUBS)) * SUB + THREAD] = sum;
    }
    BARRIER();
    RECORD(f, HAS_SUMS, super);
    if (THREAD == 0) {
        STORE(f->words + COUNTS + f->words[BLOCKS] + super, 1u);
    }
}
