/* The chain of the linear pipeline, and its kernels. Sums, windows and lists, and the work of the groups that do not
 * follow the chain, are in linear_parts.h, which comes before. */

/* ---- What all chains have ---- */

PDP_INLINE elem close_cell(const frame *f, elem sum, int i) {
#if PDP_CLOSES
    return i < f->cells ? close(f->d, sum, i) : sum;
#else
    return sum;
#endif
}

/* Fences and waits for other groups take longer than a step, so the clerk goes its own way, where a barrier can be for
 * some warps only: it looks how far the chain is, tells the others, and fetches sums when they are there. Elsewhere it
 * does so between steps. The warps of a line have a barrier of their own, but for the last of a sub-block. */
#if defined(__CUDACC__)
/* Not bar.sync, which all threads have to meet at one place in the text. */
#define STEP_BARRIER() asm volatile("barrier.sync 1, %0;" ::"n"(THREADS - 32) : "memory")
#define LINE_BARRIER(is_last)                                                                                          \
    if (!(is_last)) {                                                                                                  \
        asm volatile("barrier.sync 2, %0;" ::"n"(32 * LINE) : "memory");                                               \
    }
/* Gates between the clerk and the warp that takes the sums: all threads of one arrive, those of the other wait until
 * they have done so more than n times, one time after the other. Older GPUs have but a count. */
PDP_INLINE uint64_t *gate(int slot) {
    __shared__ uint64_t gates[2 * MOST_AHEAD];
    return gates + slot;
}
#define FULL(super, ahead) gate((super) % (ahead))
#define EMPTY(super, ahead) gate(MOST_AHEAD + (super) % (ahead))
#if __CUDA_ARCH__ >= 800
#define ADDRESS(gate) "r"((uint32_t)__cvta_generic_to_shared(gate))
PDP_INLINE void gate_open(uint64_t *gate) {
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::ADDRESS(gate) : "memory");
}
PDP_INLINE void gate_arrive(uint64_t *gate) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::ADDRESS(gate) : "memory");
}
PDP_INLINE void gate_wait(uint64_t *gate, int n) {
    uint32_t is_open = 0;
    while (!is_open) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(is_open)
                     : ADDRESS(gate), "r"(n & 1)
                     : "memory");
    }
}
#else
PDP_INLINE void gate_open(uint64_t *gate) {
    *gate = 0;
}
PDP_INLINE void gate_arrive(uint64_t *gate) {
    __threadfence_block();
    __syncwarp();
    if (THREAD % 32 == 0) {
        *(volatile uint64_t *)gate = *gate + 1;
    }
}
PDP_INLINE void gate_wait(uint64_t *gate, int n) {
    while (*(volatile uint64_t *)gate <= (uint64_t)n) {
    }
    __threadfence_block();
}
#endif
/* How far the chain is, in steps or sub-blocks. */
PDP_INLINE void tell_clerk(const frame *f, int steps) { /* one thread: found here, since predicates are few */
    asm volatile(
        "{ .reg .pred p; .reg .b32 old, thread; mov.u32 thread, %%tid.x; setp.eq.u32 p, thread, 0;"
        "@p atom.release.cta.shared.exch.b32 old, [%0], %1; }" ::"r"((uint32_t)__cvta_generic_to_shared(f->shared)),
        "r"(steps)
        : "memory");
}
PDP_INLINE int ask_chain(const frame *f) {
    int steps;
    asm volatile("atom.acquire.cta.shared.or.b32 %0, [%1], 0;"
                 : "=r"(steps)
                 : "r"((uint32_t)__cvta_generic_to_shared(f->shared))
                 : "memory");
    return steps;
}
/* Before the first sub-block, which is that of f->first. */
PDP_INLINE void clerk_open(const frame *f, int steps) {
    if (THREAD < 2 * MOST_AHEAD) {
        gate_open(gate(THREAD));
    }
    tell_clerk(f, steps);
}
#define wait_for_totals(f, super, ahead) gate_wait(FULL(super, ahead), ((super) - (f)->first) / (ahead))
#define leave_totals(super, ahead) gate_arrive(EMPTY(super, ahead))
#else
#define STEP_BARRIER() BARRIER()
#define LINE_BARRIER(is_last) BARRIER()
#define tell_clerk(f, steps) ((void)(steps))
#define clerk_open(f, steps) ((void)(steps))
#define wait_for_totals(f, super, ahead) ((void)(super))
#define leave_totals(super, ahead) ((void)(super))
#endif

/* What a sub-block has from the tickets, in the group's memory. */
PDP_INLINE void fetch_totals(const frame *f, int super, const int to, const int ahead) {
    if (THREAD % 32 == 0) {
        record(f, READS_SUMS, super);
    }
    UNROLLED for (int r = 0; r < NEAR_OUTS; r++) {
        const int x = 32 * r + THREAD % 32;
        f->pool[to + super % ahead * SUB + x] = f->totals[(int64_t)(super % (SLOTS * SUBS)) * SUB + x];
    }
}

#if defined(__CUDACC__)
/* `steps`: of a sub-block. */
PDP_INLINE void do_clerk(const frame *f, int super, int end, const int steps, const int to, const int ahead) {
    int told = steps * super, fetched = super;
    while (told < steps * end) {
        const int done = ask_chain(f);
        const int room = done / steps + ahead < end ? done / steps + ahead : end;
        if (done > told) {
            if (THREAD % 32 == 0) {
                tell_cells(f, f->origin + done * (SUB / steps));
            }
            told = done;
        }
        /* The sums of as many as are there, one a thread. */
        const int mine = fetched + THREAD % 32;
        const uint32_t *ready = f->words + COUNTS + f->words[BLOCKS];
        const uint32_t is_ready = mine < room ? look_at(ready + mine) : 0;
        const int count = __ffs(~__ballot_sync(0xffffffffu, is_ready != 0)) - 1;
        if (THREAD % 32 < count) {
            LOAD(ready + mine);
        }
        __syncwarp();
        for (int x = fetched; x < fetched + count; x++) {
            if (x >= super + ahead) {
                gate_wait(EMPTY(x, ahead), (x - super) / ahead - 1);
            }
            fetch_totals(f, x, to, ahead);
            gate_arrive(FULL(x, ahead));
        }
        fetched += count;
    }
}
#endif

/* ---- The chain, by steps ---- */

#if HAS_WINDOWS
/* A thread's row of the matrix between two steps: the terms from the other's cells to its own. */
#if COUNTS_CELLS
typedef struct __attribute__((aligned(16))) halves {
    double low, high; /* of 16 bits */
} halves;
#endif

typedef struct matrix {
    elem w[STEP][SOME(PDP_NW)];
    uint32_t mask;
} matrix;

#define RING_AT(x) f->pool[(x) & (RING - 1)]
#define STEP_SUM(step, helper) f->pool[STEP_SUMS + (((step)&1) * HELPERS + (helper)) * STEP + THREAD % 32]

/* A term, if it is there. */
PDP_INLINE elem take(const frame *f, elem sum, elem s, const elem *w, const elem *iv, int is_there) {
    PDP_DATA d = f->d;
#if PDP_NW == 0 /* the choice does not wait for the sum */
    return PDP_COMBINE(sum, is_there ? update(d, f->identity, s, w, iv, 0, 0) : f->identity);
#else
    return is_there ? update(d, sum, s, w, iv, 0, 0) : sum;
#endif
}

/* A bit for every cell of a step, whether its term for this thread's cell, k steps further on, is there. */
PDP_INLINE uint32_t matrix_mask(const frame *f, int k) {
    const uint64_t low = k > 0 ? f->local_masks[k - 1] : 0, high = k < MATRICES / 32 ? f->local_masks[k] : 0;
    uint32_t mask = (uint32_t)((high << 32 | low) >> (THREAD % 32 + 1)); /* the last cell's first */
    mask = mask >> 16 | mask << 16;
    mask = (mask >> 8 & 0x00ff00ffu) | (mask & 0x00ff00ffu) << 8;
    mask = (mask >> 4 & 0x0f0f0f0fu) | (mask & 0x0f0f0f0fu) << 4;
    mask = (mask >> 2 & 0x33333333u) | (mask & 0x33333333u) << 2;
    return (mask >> 1 & 0x55555555u) | (mask & 0x55555555u) << 1;
}

/* Between steps that are k apart. Weights of absent terms are harmless, if there is such a one. */
PDP_INLINE void matrix_load(const frame *f, matrix *m, int k) {
    m->mask = matrix_mask(f, k);
    UNROLLED for (int j = 0; j < STEP; j++) {
        const int a = k * STEP + THREAD % 32 - j, is_there = a > 0 && a < MATRICES;
        UNROLLED for (int v = 0; v < SOME(PDP_NW); v++) {
            m->w[j][v] = f->pool[NEAR_WEIGHTS + v * W_STRIDE + ROOM + (is_there ? a : 0)];
        }
    }
}

/* The sum of `to` and of so many terms s + w of consecutive cells; none of them has to wait for another. */
PDP_INLINE elem add_sure(const frame *f, elem sum, const elem (*w)[SOME(PDP_NW)], const LOCAL elem *from) {
    PDP_DATA d = f->d;
    elem part[4] = {sum, f->identity, f->identity, f->identity};
    UNROLLED for (int j = 0; j < STEP; j += PACK) {
        const pack x = *(const LOCAL pack *)(from + j);
        UNROLLED for (int e = 0; e < PACK; e++) {
            part[(j + e) % 4] = PDP_COMBINE(part[(j + e) % 4], s_add(x.at[e], w[j + e][0]));
        }
    }
    return PDP_COMBINE(PDP_COMBINE(part[0], part[1]), PDP_COMBINE(part[2], part[3]));
}

/* The terms from a step's cells. */
PDP_INLINE elem matrix_add(const frame *f, elem sum, const matrix *m, int step, const elem *iv) {
    PDP_DATA d = f->d;
    const int none = -(f->origin + step * STEP); /* so many of them are before the first */
    const uint32_t mask = none <= 0 ? m->mask : none < 32 ? m->mask & 0xffffffffu << none : 0;
    const LOCAL elem *from = &RING_AT(step * STEP);
    elem part[4] = {sum, f->identity, f->identity, f->identity};
    if (IS_HARMLESS(f) && none <= 0) {
        return add_sure(f, sum, m->w, from);
    }
    UNROLLED for (int j = 0; j < STEP; j += PACK) {
        const pack x = *(const LOCAL pack *)(from + j);
        UNROLLED for (int e = 0; e < PACK; e++) {
            part[e % 4] = take(f, part[e % 4], x.at[e], m->w[j + e], iv, (mask >> (j + e) & 1) != 0);
        }
    }
    return PDP_COMBINE(PDP_COMBINE(part[0], part[1]), PDP_COMBINE(part[2], part[3]));
}

/* What a step has from the one before it, which is final. */
PDP_INLINE elem add_step(const frame *f, int before, const elem *iv) {
    const int lane = THREAD % 32, i = f->origin + (before + 1) * STEP + lane;
    elem sum = f->identity, w[SOME(PDP_NW)];
    ROLLED for (int a = lane + 1; a <= lane + STEP && a <= i; a++) {
        if ((f->local_masks[a / 32] >> a % 32 & 1) != 0) {
            for (int v = 0; v < PDP_NW; v++) {
                w[v] = f->pool[NEAR_WEIGHTS + v * W_STRIDE + ROOM + a];
            }
            sum = update(f->d, sum, RING_AT((before + 1) * STEP + lane - a), w, iv, 0, 0);
        }
    }
    return sum;
}

/* The values of threads first .. first+BATCH-1 of the warp that follows the chain. */
PDP_INLINE void take_batch(const frame *f, elem *to, elem value, int first, int is_chain) {
#if defined(__CUDACC__)
    UNROLLED for (int j = 0; j < BATCH; j++) {
        to[j] = __shfl_sync(0xffffffffu, value, first + j);
    }
#else
    if (is_chain) {
        f->pool[SCRATCH + THREAD % 32] = value;
    }
    WARP_BARRIER();
    for (int j = 0; j < BATCH; j++) {
        to[j] = f->pool[SCRATCH + first + j];
    }
    WARP_BARRIER();
#endif
}

/* What the chain's warp knows from step to step. */
typedef struct chain {
    elem next; /* what the next step has from this one */
    matrix same;
    elem w[BATCH][SOME(PDP_NW)]; /* of the least offsets */
    uint32_t mask;
    uint32_t after; /* the mask to the next step, of whose matrix the rest is in the group's memory */
    int has_response;
    elem most; /* for sums: see chain_respond */
#if COUNTS_CELLS
    double ways[WAYS_HELD]; /* from a cell to this thread's in the next step; the others are in the group's memory */
#endif
} chain;

/* A batch of cells is known to all threads, which find its final values; each then takes what it needs of it. */
PDP_INLINE elem chain_windows(const frame *f, chain *c, elem sum, int step, const elem *iv, const elem *next_iv,
                              int is_chain) {
    PDP_DATA d = f->d;
    const uint32_t same = is_chain ? c->same.mask : 0, after = is_chain ? c->after : 0;
    BATCHES(s, c->mask != 0 && !c->has_response) {
        elem v[BATCH], v_iv[BATCH][SOME(PDP_NI)];
        take_batch(f, v, sum, s, is_chain);
        UNROLLED for (int x = 0; x < PDP_NI; x++) {
            elem values[BATCH];
            take_batch(f, values, iv[x], s, is_chain);
            UNROLLED for (int j = 0; j < BATCH; j++) {
                v_iv[j][x] = values[j];
            }
        }
        UNROLLED for (int j = 0; j < BATCH; j++) {
            UNROLLED for (int from = 0; from < j; from++) {
                v[j] = take(f, v[j], v[from], c->w[j - from], v_iv[j], (c->mask >> (j - from) & 1) != 0);
            }
            v[j] = close_cell(f, v[j], f->origin + step * STEP + s + j);
            sum = take(f, sum, v[j], c->same.w[s + j], iv, (same >> (s + j) & 1) != 0);
#if PDP_CLOSES
            sum = THREAD % 32 == s + j ? v[j] : sum;
#endif
        }
        UNROLLED for (int j = 0; j < BATCH; j++) {
            elem w[SOME(PDP_NW)];
            UNROLLED for (int x = 0; x < PDP_NW; x++) {
                w[x] = f->pool[NEAR_WEIGHTS + x * W_STRIDE + ROOM + STEP + THREAD % 32 - s - j];
            }
            c->next = take(f, c->next, v[j], w, next_iv, (after >> (s + j) & 1) != 0);
        }
    }
    return sum;
}

#if COUNTS_CELLS
/* The sum of what is known of this step's cells, each as often as there are ways from it to this thread's cell, or to
 * the one in the next step. Cells are there in halves, so that products have 47 bits, and sums of them are exact in
 * doubles, which are multiplied faster than whole numbers of 64 bits. */
PDP_INLINE elem count_ways(const frame *f, const chain *c, const int to_next) {
    const LOCAL halves *from = (const LOCAL halves *)(f->pool + SCRATCH);
    const LOCAL double *ways = (const LOCAL double *)(f->pool + REAL_WAYS) + STEP + THREAD % 32;
    double low[2] = {0, 0}, high[2] = {0, 0};
    UNROLLED for (int j = 0; j < STEP; j++) {
        const halves x = from[j];
        const double w = !to_next ? ways[-j] : j < WAYS_HELD ? c->ways[j] : ways[(j - WAYS_HELD + 1) * STEP];
        low[j % 2] = fma(x.low, w, low[j % 2]);
        high[j % 2] = fma(x.high, w, high[j % 2]);
    }
    low[0] += low[1];
    high[0] += high[1];
    return reduce(f, (LOW_WORD(high[0]) << 16) + LOW_WORD(low[0]), fma(high[0], 65536.0, low[0]));
}
#else
/* What the next step has, from what is known of this one's cells. */
PDP_INLINE elem add_ways(const frame *f, const LOCAL elem *from) {
    PDP_DATA d = f->d;
    const LOCAL elem *ways = f->pool + WAYS + 2 * STEP + THREAD % 32;
    elem part[4] = {f->identity, f->identity, f->identity, f->identity};
    UNROLLED for (int j = 0; j < STEP; j += PACK) {
        const pack x = *(const LOCAL pack *)(from + j);
        UNROLLED for (int e = 0; e < PACK; e++) {
            part[(j + e) % 4] = PDP_COMBINE(part[(j + e) % 4], s_add(x.at[e], ways[-j - e]));
        }
    }
    return PDP_COMBINE(PDP_COMBINE(part[0], part[1]), PDP_COMBINE(part[2], part[3]));
}
#endif

/* Where terms are s + w and the least or greatest of them counts, the way from a cell to one of its step, or of the
 * next, is a weight too, so that the chain is a product with a matrix. In w of `same` it is from what is known of
 * cell j to this thread's. A sum that is not there must stay behind all values when such a weight is added, so
 * these must be small, and sums at most `most`: see find_harmless. Where terms are added, it is how many ways there
 * are; in w those to the next step. */
PDP_INLINE void chain_respond(const frame *f, chain *c, int warp, elem harmless) {
    PDP_DATA d = f->d;
    const int lane = THREAD % 32;
    LOCAL elem *ways = f->pool + WAYS + STEP; /* to a cell so many further on; none to those before it */
    elem mine[2] = {lane == 0 ? (elem)COUNTS_CELLS : harmless, harmless};
    c->most = (elem)(harmless / 2);
    c->has_response = (COUNTS_CELLS || IS_HARMLESS(f)) && !PDP_CLOSES;
    if (warp == 0) {
        ways[lane - STEP] = harmless;
    }
    ROLLED for (int from = 0; from < 2 * STEP; from++) {
        if (THREAD == from % STEP) {
            ways[from] = mine[from / STEP];
        }
        WARP_BARRIER();
        const elem way = ways[from];
        UNROLLED for (int x = 0; x < 2; x++) {
            const int a = lane + x * STEP - from;
            if (c->has_response && way != harmless && a > 0 && (f->local_masks[a / 32] >> a % 32 & 1) != 0) {
                mine[x] = PDP_COMBINE(mine[x], COUNTS_CELLS ? way : s_add(way, f->pool[NEAR_WEIGHTS + ROOM + a]));
            }
        }
    }
#if COUNTS_CELLS /* to the next step there are as many as to the cells of this one from which it is one term */
    LOCAL double *real = (LOCAL double *)(f->pool + REAL_WAYS);
    if (warp == 0) {
        real[lane] = 0;
        real[STEP + lane] = ways[lane];
    }
    UNROLLED for (int j = 0; j < STEP; j++) {
        elem sum = 0;
        ROLLED for (int by = warp == 0 ? j : STEP; by < STEP; by++) {
            const int a = STEP + lane - by;
            if ((f->local_masks[a / 32] >> a % 32 & 1) != 0) {
                sum = PDP_COMBINE(sum, ways[by - j]);
            }
        }
        if (j < WAYS_HELD) {
            c->ways[j] = sum;
        } else if (warp == 0) {
            real[(j - WAYS_HELD + 2) * STEP + lane] = sum;
        }
    }
    WARP_BARRIER();
#else
    ROLLED for (int x = 0; x < 2 * STEP; x++) {
        const elem way = ways[x];
        c->has_response &=
            way == harmless || (way < 0 ? (elem)-way : way) < (harmless < 0 ? (elem)-harmless : harmless) / 64;
    }
    if (c->has_response && warp == 0) {
        UNROLLED for (int j = 0; j < STEP; j++) {
            c->same.w[j][0] = lane >= j ? ways[lane >= j ? lane - j : 0] : harmless;
        }
    }
#endif
}

/* A near term of the list: the first are in the group's memory. None has an offset below 2 * STEP. */
PDP_INLINE int list_term(const frame *f, int t, elem *w) {
    UNROLLED for (int v = 0; v < PDP_NW; v++) {
        w[v] = t < ROOM ? f->pool[LIST_WEIGHTS + t * PDP_NW + v] : f->list_weights[(int64_t)t * PDP_NW + v];
    }
    return (int)(t < ROOM ? f->near_list[t] : f->offsets[t]);
}

/* Those that a helper has in registers: first, first + HELPERS, ... */
typedef struct few_terms {
    int offset[FEW]; /* or NO_OFFSET */
    elem w[FEW][SOME(PDP_NW)];
} few_terms;

PDP_INLINE void load_few(const frame *f, few_terms *few, int first) {
    UNROLLED for (int x = 0; x < FEW; x++) {
        few->offset[x] = NO_OFFSET;
        if (first + x * HELPERS < f->list_near) {
            few->offset[x] = list_term(f, first + x * HELPERS, few->w[x]);
        }
    }
}

PDP_INLINE void chain_step(const frame *f, chain *c, int step, int is_chain) {
    PDP_DATA d = f->d;
    const int lane = THREAD % 32, i = f->origin + step * STEP + lane;
    elem sum = PDP_COMBINE(c->next, STEP_SUM(step, 0)), iv[SOME(PDP_NI)], next_iv[SOME(PDP_NI)];
    elem other = STEP_SUM(step, HELPERS - 1);
    hoist_cell(f, i, iv);
    hoist_cell(f, i + STEP, next_iv);
    UNROLLED for (int x = 1; x < HELPERS - 2; x += 2) {
        const elem both = PDP_COMBINE(STEP_SUM(step, x), STEP_SUM(step, x + 1));
        sum = x == 1 ? PDP_COMBINE(sum, both) : sum;
        other = x == 1 ? other : PDP_COMBINE(other, both);
    }
    sum = PDP_COMBINE(sum, other);
    c->next = f->identity;
    if (c->has_response) {
        sum = COUNTS_CELLS ? sum : PDP_COMBINE(sum, c->most);
        if (is_chain) {
#if COUNTS_CELLS
            const halves both = {TO_DOUBLE(sum & 0xffff), TO_DOUBLE(sum >> 16)};
            ((LOCAL halves *)(f->pool + SCRATCH))[lane] = both;
#else
            f->pool[SCRATCH + lane] = sum;
#endif
        }
    } else if (c->mask == 0) {
        sum = close_cell(f, sum, i);
    }
    WARP_BARRIER();
    if (c->has_response) {
#if COUNTS_CELLS
        sum = count_ways(f, c, 0);
        c->next = count_ways(f, c, 1);
#else
        sum = add_sure(f, sum, c->same.w, f->pool + SCRATCH);
        c->next = add_ways(f, f->pool + SCRATCH);
#endif
    }
    sum = chain_windows(f, c, sum, step, iv, next_iv, is_chain);
    if (is_chain) {
        RING_AT(step * STEP + lane) = sum;
#if COUNTS_CELLS
        if ((step * STEP & (RING - 1)) < SUB) {
            f->pool[RING + (step * STEP & (RING - 1)) + lane] = sum;
        }
#endif
        if (i < f->cells) {
            f->table[i] = sum;
        }
    }
    WARP_BARRIER();
    if (c->mask == 0 && !c->has_response) {
        c->next = add_step(f, step, next_iv);
    }
}

/* ---- The helpers of its warp ---- */

#if COUNTS_CELLS
/* The near offsets, two by two, lie where others have weights. Offsets from STEP to MATRICES: by windows, a helper
 * each. The others, falling: a helper has four turns for those of a sub-block. Where each begins is behind them. */
enum { STEP_PAIRS = 0, FALLING_PAIRS = HELPERS * WINDOW / 2, TURNS = FALLING_PAIRS + (NEAR - MATRICES) / 2 };
#define PAIRS(x) f->pool[NEAR_WEIGHTS + (x)]

PDP_INLINE int pair_add(const frame *f, int first, int count, int a) {
    if ((f->local_masks[a / WINDOW] >> a % WINDOW & 1) == 0) {
        return count;
    }
    PAIRS(first + count / 2) = count % 2 == 0 ? (elem)a : PAIRS(first + count / 2) | (elem)a << 16;
    return count + 1;
}

/* As many pairs as are taken at once, with none in the last ones. */
PDP_INLINE int pair_fill(const frame *f, int first, int count, int multiple) {
    for (; count % multiple != 0; count++) {
        PAIRS(first + count / 2) = count % 2 == 0 ? (elem)0 : PAIRS(first + count / 2);
    }
    return count;
}

/* The first two turns come when the last cells are not yet there: the offsets that they may have are greater. */
PDP_INLINE void find_pairs(const frame *f, int helper) {
    int count = 0, ends[4] = {0, 0, 0, 0};
    ROLLED for (int a = (helper + 1) * WINDOW; a < (helper + 2) * WINDOW; a++) {
        count = pair_add(f, STEP_PAIRS + helper * (WINDOW / 2), count, a);
    }
    count = pair_fill(f, STEP_PAIRS + helper * (WINDOW / 2), count, 8);
    PAIRS(TURNS + 4 * HELPERS + 1 + helper) = (elem)count / 2;
    if (helper == 0) {
        count = 0;
        ROLLED for (int a = NEAR - 1; a >= MATRICES; a--) {
            count = pair_add(f, FALLING_PAIRS, count, a);
            ends[0] = a >= 2 * SUB + STEP ? count / 4 : ends[0];
            ends[1] = a >= 2 * SUB ? count / 4 : ends[1];
        }
        ends[3] = pair_fill(f, FALLING_PAIRS, count, 4) / 4;
        ends[0] = ends[0] < ends[3] / 4 ? ends[0] : ends[3] / 4;
        ends[1] = ends[1] < ends[3] / 2 ? ends[1] : ends[3] / 2;
        ends[2] = (ends[1] + ends[3]) / 2;
        ROLLED for (int turn = 0; turn < 4; turn++) {
            const int begin = turn > 0 ? ends[turn - 1] : 0;
            ROLLED for (int x = 0; x < HELPERS; x++) {
                PAIRS(TURNS + turn * HELPERS + x) = (elem)(2 * (begin + (ends[turn] - begin) * x / HELPERS));
            }
        }
        PAIRS(TURNS + 4 * HELPERS) = (elem)(2 * ends[3]);
    }
}

/* Adds the terms of pairs with offsets above `least` to the sums of cell x and others 32 apart: two terms and a sum of
 * 64 bits are one sum. Where there is no cell the ring has 0. The next pairs are loaded meanwhile, be they there or
 * not. */
PDP_INLINE void add_pairs(const frame *f, wide *sum, int x, int first, int end, int least, const int outs,
                          const int at_once) {
    elem next[4];
    UNROLLED for (int q = 0; q < at_once; q++) {
        next[q] = PAIRS(first + q);
    }
    ROLLED for (int p = first; p < end; p += at_once) {
        int one[4], other[4];
        UNROLLED for (int q = 0; q < at_once; q++) {
            one[q] = (int)(next[q] & 0xffff);
            other[q] = (int)(next[q] >> 16);
            next[q] = PAIRS(p + at_once + q);
        }
        UNROLLED for (int q = 0; q < at_once; q++) {
            const LOCAL elem *from = &RING_AT(x - one[q]), *from_other = &RING_AT(x - other[q]);
            UNROLLED for (int r = 0; r < outs; r++) {
                const elem value = one[q] > least ? from[32 * r] : (elem)0;
                sum[r] += (uint64_t)value + (other[q] > least ? from_other[32 * r] : (elem)0);
            }
        }
    }
}
#endif

/* A term of the list for this thread's cell of a step, if it is there. */
PDP_INLINE elem help_term(const frame *f, elem sum, int step, int a, const elem *w, const elem *iv) {
    PDP_DATA d = f->d;
    const int lane = THREAD % 32, i = f->origin + step * STEP + lane, is_there = a <= i && i < f->cells;
    const elem made = update(d, sum, is_there ? RING_AT(step * STEP + lane - a) : (elem)0, w, iv, 0, 0);
    return is_there ? made : sum;
}

/* What a step has from those at least two before it, or a warp's share of it. */
PDP_INLINE void help_step(const frame *f, const chain *c, const few_terms *few, int step) {
    PDP_DATA d = f->d;
    const int lane = THREAD % 32, helper = THREAD / 32 - 1;
    const int x = step * STEP % SUB + lane;
    elem sum = f->identity, iv[SOME(PDP_NI)], w[SOME(PDP_NW)];
    hoist_cell(f, f->origin + step * STEP + lane, iv);
    const int k = helper + 2;
    if (f->dense > MATRICES) {
        sum = f->pool[WARP_SUMS + helper * SUB + x];
    }
#if COUNTS_CELLS /* what is less than two steps away is the chain's */
    wide pairs = sum;
    (void)k;
    add_pairs(f, &pairs, step * STEP + lane, STEP_PAIRS + helper * (WINDOW / 2),
              STEP_PAIRS + helper * (WINDOW / 2) + (int)PAIRS(TURNS + 4 * HELPERS + 1 + helper), STEP + lane, 1, 4);
    sum = wide_close(f, pairs);
#else
    if ((f->local_masks[k - 1] | (k < MATRICES / 32 ? f->local_masks[k] : 0)) != 0) {
        sum = matrix_add(f, sum, &c->same, step - k, iv);
    }
#endif
    if (f->list_near > 0) {
        UNROLLED for (int x = 0; x < FEW; x++) {
            sum = help_term(f, sum, step, few->offset[x], few->w[x], iv);
        }
    }
    ROLLED for (int t = FEW * HELPERS + helper; t < f->list_near; t += HELPERS) {
        const int a = list_term(f, t, w);
        sum = help_term(f, sum, step, a, w, iv);
    }
    if (helper == 0) {
        if (step * STEP % SUB == 0) {
            wait_for_totals(f, step * STEP / SUB, AHEAD);
        }
        sum = PDP_COMBINE(f->pool[TOTALS + step * STEP / SUB % AHEAD * SUB + x], sum);
        if (step * STEP % SUB == SUB - STEP) {
            leave_totals(step * STEP / SUB, AHEAD);
        }
    }
    STEP_SUM(step, helper) = sum;
}

#if COUNTS_CELLS
/* The same by pairs. The first turn comes a step earlier, so that there are four. */
PDP_INLINE void help_windows(const frame *f, near_sums *s, int super, int phase) {
    const int helper = THREAD / 32 - 1, turn = (phase + 1) % (SUB / STEP), place = TURNS + turn * HELPERS + helper;
    const int x = (turn == 0 ? super + 1 : super) * SUB + THREAD % 32;
    if (turn == 0) {
        near_open(f, s, 0, 0);
    }
    add_pairs(f, s->sum, x, FALLING_PAIRS + (int)PAIRS(place), FALLING_PAIRS + (int)PAIRS(place + 1), 0, NEAR_OUTS, 2);
    UNROLLED for (int r = 0; r < NEAR_OUTS; r++) {
        if (turn == SUB / STEP - 1) {
            f->pool[WARP_SUMS + helper * SUB + THREAD % 32 + 32 * r] = wide_close(f, s->sum[r]);
        }
    }
}
#else
/* A window of a sub-block. */
PDP_INLINE void help_window(const frame *f, near_sums *s, int super, int k) {
    PDP_DATA d = f->d;
    const int x = super * SUB + THREAD % 32 * NEAR_OUTS, at = x - k * WINDOW;
    const uint32_t mask = k < NEAR_MASKS ? f->local_masks[k] : 0;
    const LOCAL elem *weights = f->pool + NEAR_WEIGHTS + ROOM + k * WINDOW;
    if (mask != 0 && (k + 1) * WINDOW > f->origin + super * SUB) {
        add_guarded(d, s->sum, s->iv, f->pool, at, weights, W_STRIDE, mask, NEAR_OUTS, NEAR_OUTS, RING, f->origin + x,
                    k * WINDOW);
    } else if (mask != 0 && IS_HARMLESS(f)) {
        add_sure_window(d, s->sum, f->pool, at, weights);
    } else if (mask != 0) {
        add_window(d, s->sum, s->iv, f->pool, at, weights, W_STRIDE, mask, NEAR_OUTS, NEAR_OUTS, RING);
    }
}

/* The windows for the sub-block that follows, while this one is in work. The nearest come last: of it they need the
 * first step. */
PDP_INLINE void help_windows(const frame *f, near_sums *s, int super, int phase) {
    const int helper = THREAD / 32 - 1, last = SUB / STEP - 2;
    if (phase == 0) {
        near_open(f, s, f->origin + super * SUB + THREAD % 32 * NEAR_OUTS, 1);
    }
    if (phase <= last) {
        help_window(f, s, super, MATRICES / WINDOW + (last - phase) * HELPERS + helper);
    }
    if (phase == last) {
        near_store(f, f->pool + WARP_SUMS + helper * SUB + THREAD % 32 * NEAR_OUTS, s);
    }
}

#endif

/* What the driver put behind all weights. */
PDP_INLINE elem find_harmless(const frame *f) {
    return f->list_weights[PDP_NW * (f->numbers - f->offsets)];
}

/* Everything that the chain's group has, but the sums. */
PDP_INLINE void chain_open(frame *f, int super) {
    const int first = super * SUB - RING;
    f->first = super;
    clerk_open(f, super * (SUB / STEP));
    for (int x = THREAD; x < RING; x += THREADS) {
        RING_AT(first + x) = f->origin + first + x >= 0 ? f->table[f->origin + first + x] : (elem)0;
#if COUNTS_CELLS
        if (((first + x) & (RING - 1)) < SUB) {
            f->pool[RING + ((first + x) & (RING - 1))] = RING_AT(first + x);
        }
#endif
    }
    for (int x = THREAD; x < ROOM && x < f->list_near; x += THREADS) {
        f->near_list[x] = f->offsets[x];
        for (int v = 0; v < PDP_NW; v++) {
            f->pool[LIST_WEIGHTS + x * PDP_NW + v] = f->list_weights[x * PDP_NW + v];
        }
    }
    for (int x = THREAD; x < NEAR_MASKS; x += THREADS) {
        f->local_masks[x] = x * WINDOW < f->dense ? f->masks[x] : 0;
    }
#if COUNTS_CELLS
    BARRIER();
    if (THREAD < HELPERS) {
        find_pairs(f, THREAD);
    }
#endif
    for (int x = THREAD; x < (COUNTS_CELLS ? 0 : W_STRIDE); x += THREADS) {
        const int a = x - ROOM, is_there = a >= 0 && a < f->dense && (f->masks[a / 32] >> a % 32 & 1) != 0;
        for (int v = 0; v < NEAR_VALUES; v++) {
            f->pool[NEAR_WEIGHTS + v * W_STRIDE + x] = !is_there     ? find_harmless(f)
                                                       : PDP_NW == 0 ? (elem)0
                                                                     : f->weights[v * f->dense + a];
        }
    }
    BARRIER();
}

/* Sub-blocks super .. end-1. Begins one before them, with what the first needs from its helpers. */
PDP_INLINE void take_steps(const frame *f, int super, int end, const int is_chain, const int is_helper,
                           const int is_clerk) {
    PDP_DATA d = f->d;
    const int warp = THREAD / 32, steps = SUB / STEP;
    near_sums s;
    chain c;
    few_terms few;
    c.next = f->identity;
    near_open(f, &s, f->origin, 0);
    load_few(f, &few, warp == 0 ? f->list_near : warp - 1);
    elem iv[SOME(PDP_NI)];
    c.mask = f->local_masks[0];
    UNROLLED for (int j = 1; j < BATCH; j++) {
        UNROLLED for (int v = 0; v < PDP_NW; v++) {
            c.w[j][v] = f->pool[NEAR_WEIGHTS + v * W_STRIDE + ROOM + j];
        }
    }
    matrix_load(f, &c.same, warp == 0 ? 0 : warp + 1);
    if (is_chain) {
        hoist_cell(f, f->origin + super * SUB + THREAD % 32, iv);
        c.next = add_step(f, steps * super - 1, iv);
        c.after = matrix_mask(f, 1);
        c.has_response = 0;
#if CAN_BE_HARMLESS || COUNTS_CELLS
        chain_respond(f, &c, warp, COUNTS_CELLS ? (elem)0 : find_harmless(f));
#endif
    }
    ROLLED for (int step = steps * (super - 1) - COUNTS_CELLS; step < steps * end; step++) {
        const int phase = step & (steps - 1), next = (step + 2 * steps) / steps - 1;
        if (is_clerk && warp == WARPS - 1 && phase == steps - 2 && next < end) {
#if GROUPS_MEET
            WAIT(f->words + COUNTS + f->words[BLOCKS] + next);
#endif
            fetch_totals(f, next, TOTALS, AHEAD);
        }
        if (is_chain && step >= steps * super) {
            chain_step(f, &c, step, warp == 0);
        }
        if (is_helper && warp > 0 && warp <= HELPERS && step + 1 >= steps * super && step + 1 < steps * end) {
            help_step(f, &c, &few, step + 1);
        }
        WARP_BARRIER();
        if (is_helper && warp > 0 && warp <= HELPERS && next < end && f->dense > MATRICES) {
            help_windows(f, &s, next, phase);
        }
        STEP_BARRIER();
        if (is_chain && step >= steps * super) {
            tell_clerk(f, step + 1);
        }
        if (is_clerk && phase == steps - 1 && step >= steps * super && THREAD == THREADS - 1) {
            tell_cells(f, f->origin + next * SUB);
        }
    }
}

/* Where warps can go their own way, each has but what it needs in its registers. */
PDP_INLINE void follow_chain(frame *f, int super, int end) {
    chain_open(f, super);
#if defined(__CUDACC__)
    if (THREAD / 32 == 0) {
        take_steps(f, super, end, 1, 0, 0);
    } else if (THREAD / 32 <= HELPERS) {
        take_steps(f, super, end, 0, 1, 0);
    } else {
        do_clerk(f, super, end, SUB / STEP, TOTALS, AHEAD);
    }
#else
    take_steps(f, super, end, 1, 1, 1);
#endif
}
#endif

/* ---- The chain of a list ---- */

#define LIST_AT(x) f->pool[(x) & (LIST_RING - 1)]
#define LIST_SUM(super, aside) f->pool[LIST_SUMS + (((super)&1) * ASIDE + (aside)) * SUB]

/* A quad of the chain's terms: the first are in the group's memory. */
PDP_INLINE void near_quad(const frame *f, quad *q, int number) {
    const int t = number * QUAD;
    if (t >= LIST_ROOM) {
        load_quad(f, q, t, f->list_near);
        return;
    }
    UNROLLED for (int e = 0; e < QUAD; e++) {
        q->offset[e] = (int)f->near_list[t + e];
        q->number[e] = (int)f->near_list[LIST_ROOM + t + e];
        UNROLLED for (int v = 0; v < PDP_NW; v++) {
            q->w[e][v] = f->pool[LINE_WEIGHTS + (t + e) * PDP_NW + v];
        }
    }
}

/* A cell's terms from places low .. high-1 of its sub-block; those before it are negative. A term that is not there
 * reads what no other thread writes. Where terms cannot fail a choice is faster than a branch, and none of them waits
 * for another. */
PDP_INLINE elem line_quad(const frame *f, elem sum, const quad *q, int super, int low, int high, const elem *iv) {
    PDP_DATA d = f->d;
    const int x = THREAD % SUB, i = f->origin + super * SUB + x;
    elem s[QUAD];
    UNROLLED for (int e = 0; e < QUAD; e++) {
        const int from = x - q->offset[e], is_there = from >= low && from < high;
        s[e] = LIST_AT(super * SUB + (is_there ? from : x));
    }
    UNROLLED for (int e = 0; e < QUAD; e++) {
        const int from = x - q->offset[e], is_there = from >= low && from < high;
#if defined(PDP_GUARDED)
        sum = is_there ? update(d, sum, s[e], q->w[e], iv, i, q->number[e]) : sum;
    }
    return sum;
#else
        const elem made = update(d, f->identity, s[e], q->w[e], iv, i, q->number[e]);
        s[e] = is_there ? made : f->identity;
    }
    return PDP_COMBINE(sum, PDP_COMBINE(PDP_COMBINE(s[0], s[1]), PDP_COMBINE(s[2], s[3])));
#endif
}

/* The first quads, which are in registers if they are few. */
PDP_INLINE elem line_quads(const frame *f, elem sum, const quad *few, int count, int super, int low, int high,
                           const elem *iv) {
    UNROLLED for (int x = 0; x < LINE_FEW; x++) {
        if (x < count) {
            sum = line_quad(f, sum, &few[x], super, low, high, iv);
        }
    }
    ROLLED for (int x = LINE_FEW; x < count; x++) {
        quad q;
        near_quad(f, &q, x);
        sum = line_quad(f, sum, &q, super, low, high, iv);
    }
    return sum;
}

#if CAN_RESPOND
/* Where terms are s + w and the least or greatest of them counts, what a cell has from another one of its sub-block by
 * any number of terms is a term too, with a longer offset. If these are not too many, a sub-block needs no stages.
 * Finds them: the best way to a cell so many further on, as in chain_respond. */
PDP_INLINE void list_respond(frame *f) {
    PDP_DATA d = f->d;
    const int x = THREAD, count = list_below(f, SUB);
    const elem harmless = find_harmless(f);
    LOCAL elem *ways = f->pool + BASE;
    LOCAL uint32_t *found = f->near_list + RESPONSES;
    elem mine = x == 0 ? (elem)0 : harmless;
    ROLLED for (int from = 0; from < SUB; from++) {
        if (x == from) {
            ways[x] = mine;
        }
        BARRIER();
        ROLLED for (int t = 0; t < count && x < SUB && ways[from] != harmless; t++) {
            if ((int)f->near_list[t] == x - from) {
                mine = PDP_COMBINE(mine, s_add(ways[from], PDP_NW > 0 ? f->pool[LINE_WEIGHTS + t * PDP_NW] : (elem)0));
            }
        }
    }
    BARRIER();
    if (x == 0) {
        int number = 0;
        ROLLED for (int a = 1; a < SUB; a++) {
            const elem way = ways[a], most = (elem)(harmless / 64);
            const int is_small = (way < 0 ? -way : way) < (most < 0 ? -most : most);
            if (way != harmless && is_small && number < RESPONSE_QUADS * QUAD) {
                found[number] = (uint32_t)a;
                f->pool[RESPONSE_WEIGHTS + number] = way;
            }
            number = way == harmless ? number : is_small ? number + 1 : NO_OFFSET;
        }
        found[RESPONSE_QUADS * QUAD] = (uint32_t)number;
        ROLLED for (; number < RESPONSE_QUADS * QUAD; number++) {
            found[number] = NO_OFFSET;
            f->pool[RESPONSE_WEIGHTS + number] = 0;
        }
    }
    BARRIER();
    const int number = (int)found[RESPONSE_QUADS * QUAD];
    f->response_quads = number <= RESPONSE_QUADS * QUAD ? (number + QUAD - 1) / QUAD : -1;
}

PDP_INLINE void response_quad(const frame *f, quad *q, int number) {
    UNROLLED for (int e = 0; e < QUAD; e++) {
        q->offset[e] = (int)f->near_list[RESPONSES + number * QUAD + e];
        q->w[e][0] = f->pool[RESPONSE_WEIGHTS + number * QUAD + e];
    }
}

PDP_INLINE elem add_response(const frame *f, elem sum, const quad *q) {
    PDP_DATA d = f->d;
    const int x = THREAD % SUB;
    elem s[QUAD];
    UNROLLED for (int e = 0; e < QUAD; e++) {
        s[e] = f->pool[BASE + (x >= q->offset[e] ? x - q->offset[e] : x)];
    }
    UNROLLED for (int e = 0; e < QUAD; e++) {
        s[e] = x >= q->offset[e] ? s_add(s[e], q->w[e][0]) : f->identity;
    }
    return PDP_COMBINE(sum, PDP_COMBINE(PDP_COMBINE(s[0], s[1]), PDP_COMBINE(s[2], s[3])));
}

#endif

PDP_INLINE void line_finish(const frame *f, elem sum, int super) {
    const int x = THREAD % SUB, i = f->origin + super * SUB + x;
    sum = close_cell(f, sum, i);
    LIST_AT(super * SUB + x) = sum;
    if (super % (LIST_RING / SUB) == 0) {
        f->pool[LIST_RING + x] = sum;
    }
    if (i < f->cells) {
        f->table[i] = sum;
    }
}

/* A sub-block, in stages of cells that do not depend on each other; if such cells are very few, a stage is a warp's,
 * and they are its rounds. After a stage later cells take what it has for them. */
PDP_INLINE void do_line(const frame *f, const quad *few, int super, const elem *iv, int is_line) {
    PDP_DATA d = f->d;
    const int x = THREAD % SUB, first = f->origin + super * SUB, is_cell = is_line && first + x < f->cells;
    const int stage = f->round < SHORT_ROUND ? STEP : f->round;
    elem sum = f->identity;
    if (is_line) {
        UNROLLED for (int aside = 0; aside < ASIDE; aside++) {
            sum = aside == 0 ? (&LIST_SUM(super, 0))[x] : PDP_COMBINE(sum, (&LIST_SUM(super, aside))[x]);
        }
        sum = line_quads(f, sum, few, f->line_quads, super, is_cell ? -first : 0, 0, iv);
    }
#if CAN_RESPOND
    if (f->response_quads >= 0) {
        if (is_line) { /* a sum that is not there stays behind all values, as in chain_respond */
            f->pool[BASE + x] = PDP_COMBINE(sum, (elem)(f->identity / 2));
        }
        LINE_BARRIER(0);
        UNROLLED for (int q = 0; q < RESPONSE_QUADS; q++) {
            quad other;
            if (q < f->response_quads) {
                if (q >= RESPONSE_FEW) {
                    response_quad(f, &other, q);
                }
                sum = add_response(f, sum, q < RESPONSE_FEW ? &few[LINE_FEW + q] : &other);
            }
        }
        if (is_line) {
            line_finish(f, sum, super);
        }
        return;
    }
#endif
    ROLLED for (int low = 0; low < SUB; low += stage) {
        const int high = low + stage < SUB ? low + stage : SUB;
        ROLLED for (int begin = low; begin < high; begin += f->round) {
            if (is_line && x >= begin && x < begin + f->round && x < high) {
                if (begin > low && is_cell) {
                    sum = line_quads(f, sum, few, f->inmost_quads, super, low, begin, iv);
                }
                line_finish(f, sum, super);
            }
            WARP_BARRIER();
        }
        LINE_BARRIER(high == SUB);
        if (is_cell && x >= high) {
            sum = line_quads(f, sum, few, f->inner_quads, super, low, high, iv);
        }
    }
}

/* The operands of a quad for a thread's cells of a sub-block, which are 32 apart. What is cut off at the ring's end
 * lies behind it too. Those that are not there are read all the same: nobody writes there now. */
typedef struct operands {
    elem of[QUAD][NEAR_OUTS];
} operands;

PDP_INLINE void aside_load(const frame *f, operands *s, const quad *q, int super) {
    UNROLLED for (int e = 0; e < QUAD; e++) {
        const LOCAL elem *from = &LIST_AT(super * SUB + THREAD % 32 - q->offset[e]);
        UNROLLED for (int r = 0; r < NEAR_OUTS; r++) {
            s->of[e][r] = from[32 * r];
        }
    }
}

PDP_INLINE void aside_add(const frame *f, near_sums *to, const operands *s, const quad *q, int super,
                          const int is_sure) {
    PDP_DATA d = f->d;
    UNROLLED for (int e = 0; e < QUAD; e++) {
        UNROLLED for (int r = 0; r < NEAR_OUTS; r++) {
            const int i = f->origin + super * SUB + THREAD % 32 + 32 * r;
            if (is_sure || (q->offset[e] <= i && i < f->cells)) {
                to->sum[r] = wide_update(d, to->sum[r], s->of[e][r], q->w[e], to->iv[r], i, q->number[e]);
            }
        }
    }
}

/* What a sub-block has from those before the last one, while that is in work: a warp has every ASIDE-th quad. The
 * operands of those in registers are on their way while the quad before is added. */
PDP_INLINE void look_aside(const frame *f, const quad *few, int super) {
    PDP_DATA d = f->d;
    const int aside = THREAD / 32 - LINE, lane = THREAD % 32, first = f->origin + super * SUB;
    const int is_whole = first >= LIST_NEAR && first + SUB <= f->cells;
    near_sums sums;
    operands s[2];
    near_open(f, &sums, first + lane, 32);
    if (LIST_FEW > 0) {
        aside_load(f, &s[0], &few[0], super);
    }
    UNROLLED for (int x = 0; x < LIST_FEW; x++) {
        const int number = f->line_quads + aside + x * ASIDE;
        if (x + 1 < LIST_FEW) {
            aside_load(f, &s[(x + 1) % 2], &few[x + 1], super);
        }
        if (SURE(is_whole && (number + 1) * QUAD <= f->list_near)) {
            aside_add(f, &sums, &s[x % 2], &few[x], super, 1);
        } else if (number * QUAD < f->list_near) {
            aside_add(f, &sums, &s[x % 2], &few[x], super, 0);
        }
    }
    ROLLED for (int number = f->line_quads + aside + LIST_FEW * ASIDE; number * QUAD < f->list_near; number += ASIDE) {
        quad q;
        near_quad(f, &q, number);
        aside_load(f, &s[0], &q, super);
        if (SURE(is_whole && (number + 1) * QUAD <= f->list_near)) {
            aside_add(f, &sums, &s[0], &q, super, 1);
        } else {
            aside_add(f, &sums, &s[0], &q, super, 0);
        }
    }
    if (aside == 0) {
        wait_for_totals(f, super, LIST_AHEAD);
    }
    UNROLLED for (int r = 0; r < NEAR_OUTS; r++) {
        const int x = 32 * r + lane;
        const elem sum = wide_close(f, sums.sum[r]);
        (&LIST_SUM(super, aside))[x] =
            aside == 0 ? PDP_COMBINE(f->pool[LIST_TOTALS + super % LIST_AHEAD * SUB + x], sum) : sum;
    }
    if (aside == 0) {
        leave_totals(super, LIST_AHEAD);
    }
}

PDP_INLINE int quads_below(const frame *f, int offset) {
    return (list_below(f, offset) + QUAD - 1) / QUAD;
}

PDP_INLINE void list_open(frame *f, int super) {
    const int first = super * SUB - LIST_RING;
    f->first = super;
    clerk_open(f, super);
    f->inmost_quads = quads_below(f, STEP);
    f->inner_quads = quads_below(f, SUB);
    f->line_quads = quads_below(f, 2 * SUB);
    for (int x = THREAD; x < LIST_RING + SUB; x += THREADS) {
        const int i = f->origin + first + ((x - first) & (LIST_RING - 1));
        f->pool[x] = i >= 0 ? f->table[i] : (elem)0;
    }
    for (int x = THREAD; x < LIST_ROOM; x += THREADS) {
        const int is_there = x < f->list_near;
        f->near_list[x] = is_there ? f->offsets[x] : NO_OFFSET;
        f->near_list[LIST_ROOM + x] = is_there ? f->numbers[x] : 0;
        for (int v = 0; v < PDP_NW; v++) {
            f->pool[LINE_WEIGHTS + x * PDP_NW + v] = is_there ? f->list_weights[x * PDP_NW + v] : (elem)0;
        }
    }
    BARRIER();
    f->response_quads = -1;
#if CAN_RESPOND
    if (IS_HARMLESS(f) && list_below(f, SUB) <= RESPONSE_QUADS * QUAD) {
        list_respond(f);
    }
#endif
}

/* Sub-blocks super .. end-1. Begins one before them, with what the first has from aside. Where all warps go the same
 * way that comes before the line, so that fibres show what is not final; but PoCL's optimiser (3.1) loses it there. */
PDP_INLINE void take_subs(const frame *f, int super, int end, const int is_line, const int is_aside,
                          const int is_clerk) {
    const int warp = THREAD / 32;
    quad few[SOME(LIST_FEW)];
    elem iv[SOME(PDP_NI)];
    UNROLLED for (int x = 0; x < LIST_FEW; x++) {
        near_quad(f, &few[x], warp < LINE ? x : f->line_quads + (warp - LINE) + x * ASIDE);
    }
#if CAN_RESPOND
    UNROLLED for (int x = 0; x < RESPONSE_FEW; x++) {
        if (is_line && warp < LINE) {
            response_quad(f, &few[LINE_FEW + x], x);
        }
    }
#endif
    hoist_cell(f, f->origin + super * SUB + THREAD % SUB, iv);
    ROLLED for (int now = super - 1; now < end; now++) {
        if (is_clerk) {
            if (warp == WARPS - 1 && now + 1 < end) {
#if GROUPS_MEET
                WAIT(f->words + COUNTS + f->words[BLOCKS] + now + 1);
#endif
                fetch_totals(f, now + 1, LIST_TOTALS, LIST_AHEAD);
            }
            BARRIER();
        }
        const int looks = is_aside && warp >= LINE && warp < WARPS - 1 && now + 1 < end;
        if (looks && !ASIDE_LAST) {
            look_aside(f, few, now + 1);
        }
        if (is_line) {
            do_line(f, few, now, iv, warp < LINE && now >= super);
            hoist_cell(f, f->origin + (now + 1) * SUB + THREAD % SUB, iv);
        }
        if (looks && ASIDE_LAST) {
            look_aside(f, few, now + 1);
        }
        STEP_BARRIER();
        if (is_line && now >= super) {
            tell_clerk(f, now + 1);
        }
        if (is_clerk && now >= super && THREAD == THREADS - 1) {
            tell_cells(f, f->origin + (now + 1) * SUB);
        }
    }
}

PDP_INLINE void follow_list(frame *f, int super, int end) {
    list_open(f, super);
#if defined(__CUDACC__)
    if (THREAD / 32 < LINE) {
        take_subs(f, super, end, 1, 0, 0);
    } else if (THREAD / 32 < WARPS - 1) {
        take_subs(f, super, end, 0, 1, 0);
    } else {
        do_clerk(f, super, end, 1, LIST_TOTALS, LIST_AHEAD);
    }
#else
    take_subs(f, super, end, 1, 1, 1);
#endif
}

/* ---- The kernels ---- */

PDP_INLINE frame make_frame(PDP_ARGUMENTS, LOCAL elem *pool, LOCAL uint32_t *small) {
    const int dense = (int)n5, all = (int)(n4 >> 32);
    GLOBAL uint32_t *words = (GLOBAL uint32_t *)b1;
    const GLOBAL uint32_t *terms = (const GLOBAL uint32_t *)b2;
    frame f = {d,
               (GLOBAL elem *)b0,
               words,
               (GLOBAL elem *)b4,
               (GLOBAL elem *)b4 + (int64_t)SLOTS * words[PARTS] * BLOCK,
               terms,
               terms + dense / WINDOW,
               terms + dense / WINDOW + all,
               (const GLOBAL elem *)b3,
               (const GLOBAL elem *)b3 + PDP_NW * dense,
               pool,
               small,
               small + NEAR_MASKS,
               small + SMALL,
               PDP_IDENTITY,
               COUNTS_CELLS ? 1 / (double)d->modulus : 0,
               (int)n0,
               dense,
               (int)(n4 & 0xffffffff),
               0,
               0,
               0,
               0,
               -1,
               (int)words[PARTS],
               (int)words[ROUND],
               (int)words[PLAIN],
               (int)n1,
               0,
               0};
    f.list_near = list_below(&f, dense > MATRICES ? NEAR : dense > 0 ? RING - 2 * SUB : LIST_NEAR);
    if (dense == 0 && f.list_near > LIST_ROOM) {
        const int least = list_below(&f, TOGETHER * SUB);
        f.list_near = least > LIST_ROOM ? least : LIST_ROOM;
    }
    return f;
}

#define FRAME                                                                                                          \
    SHARED(pack, packs, POOL / PACK + 1);                                                                              \
    SHARED(uint32_t, small, SMALL + 2);                                                                                \
    HOLD(data, d);                                                                                                     \
    frame f = make_frame(data, b0, b1, b2, b3, b4, n0, n1, n2, n3, n4, n5, (LOCAL elem *)packs, small)

/* What is counted needs the modulus all the time. */
#if COUNTS_CELLS
#define HOLD(d, data) HELD(d, data)
#else
#define HOLD(d, data) PDP_DATA d = (data)
#endif

/* b0: the table; b1: the words; b2: masks, offsets and numbers of the list; b3: weights; b4: sums of parts and of
 * sub-blocks. n0: cells; n1: those that are preset; n2, n3: the first block and the one behind the last; n4: terms in
 * the list, and in the upper half how many terms there are; n5: offsets in windows. If groups cannot meet, each
 * has a kernel: n2 is then the block or, as n3, a sub-block, and a group takes the part or sub-block of its number. */
#if PDP_PART(0)
#if GROUPS_MEET
KERNEL(pdp_linear, THREADS, 2, 0) {
    FRAME;
    const int tickets = f.parts + SUBS, supers = (f.cells - f.origin + SUB - 1) / SUB;
    const int first = (int)n2 * SUBS, end = (int)n3 * SUBS < supers ? (int)n3 * SUBS : supers;
    f.known = wait_until(&f, f.words + PROGRESS, 0);
    for (;;) {
        if (THREAD == 0) { /* whoever is where the chain is leaves it alone */
            f.shared[0] = look_at(f.words + PLACE) == HERE + 1 ? 0xffffffffu : ATOMIC_ADD(f.words + TICKET, 1u);
        }
        BARRIER();
        const uint32_t taken = f.shared[0];
        BARRIER();
        if (taken == 0) {
            if (THREAD == 0) {
                STORE(f.words + PLACE, HERE + 1);
            }
#if HAS_WINDOWS
            if (f.dense > 0) {
                follow_chain(&f, first, end);
                return;
            }
#endif
            follow_list(&f, first, end);
            return;
        }
        const int64_t ticket = (int64_t)taken - 1;
        if (ticket >= (n3 - n2) * tickets) {
            return;
        }
        const int block = (int)(n2 + ticket / tickets), part = (int)(ticket % tickets);
#if HAS_WINDOWS
        if (part < f.parts) {
            do_part(&f, block, part);
            continue;
        }
#endif
        if (block * SUBS + part - f.parts < supers) {
            do_middle(&f, block * SUBS + part - f.parts);
        }
    }
}
#else
#if HAS_WINDOWS
KERNEL(pdp_linear_part, THREADS, 2, 0) {
    FRAME;
    do_part(&f, (int)n2, GROUP);
}
KERNEL(pdp_linear_chain, THREADS, 2, 0) {
    FRAME;
    follow_chain(&f, (int)n2, (int)n3);
}
#endif
KERNEL(pdp_linear_middle, THREADS, 2, 0) {
    FRAME;
    do_middle(&f, (int)n2 + GROUP);
}
KERNEL(pdp_linear_list, THREADS, 2, 0) {
    FRAME;
    follow_list(&f, (int)n2, (int)n3);
}
#endif
#endif
