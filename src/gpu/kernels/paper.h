/* The paper's methods in int64, step by step as on the step-exact machine (src/schedule/). A launch does the steps
 * n3 <= s < n4 with n5 groups: one step, or all of them with the groups meeting after each. THREADS, and COMBINE for
 * the operator, are defined before this text, PAPER_CHAIN too for a matrix chain, PAPER_WEIGHTS for an S-DP with
 * weights.
 */

/* ---- Operators ---- */

PDP_INLINE int64_t combine_min(int64_t a, int64_t b, int64_t modulus) {
    return a < b ? a : b;
}
PDP_INLINE int64_t combine_max(int64_t a, int64_t b, int64_t modulus) {
    return a > b ? a : b;
}
PDP_INLINE int64_t combine_and(int64_t a, int64_t b, int64_t modulus) {
    return a & b;
}
PDP_INLINE int64_t combine_or(int64_t a, int64_t b, int64_t modulus) {
    return a | b;
}
PDP_INLINE int64_t combine_xor(int64_t a, int64_t b, int64_t modulus) {
    return a ^ b;
}
PDP_INLINE int64_t combine_gcd(int64_t a, int64_t b, int64_t modulus) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
PDP_INLINE int64_t combine_add_wrap(int64_t a, int64_t b, int64_t modulus) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
PDP_INLINE int64_t combine_mul_wrap(int64_t a, int64_t b, int64_t modulus) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}
/* Values modulo P are in 0 .. P-1, and P is at most 2^63 - 1. */
PDP_INLINE int64_t combine_add_mod(int64_t a, int64_t b, int64_t modulus) {
    const uint64_t sum = (uint64_t)a + (uint64_t)b;
    return (int64_t)(sum >= (uint64_t)modulus ? sum - (uint64_t)modulus : sum);
}
PDP_INLINE int64_t combine_mul_mod(int64_t a, int64_t b, int64_t modulus) {
#if defined(__OPENCL_C_VERSION__) /* which has nothing wider: by doubling */
    int64_t product = 0;
    for (; b != 0; b >>= 1) {
        product = (b & 1) != 0 ? combine_add_mod(product, a, modulus) : product;
        a = combine_add_mod(a, a, modulus);
    }
    return product;
#else
    return (int64_t)((unsigned __int128)a * (unsigned __int128)b % (unsigned __int128)modulus);
#endif
}

/* ---- Steps ---- */

#define ID ((int64_t)GROUP * THREADS + THREAD)

/* Words of b3. */
enum { ARRIVED = 0, TREES = 1 };

/* Waits until all groups have come here so often that `arrivals` are counted; they count on beyond 32 bits. */
PDP_INLINE void meet(GLOBAL uint32_t *words, uint32_t arrivals) {
    BARRIER();
    if (THREAD == 0) {
        FENCE();
        ATOMIC_ADD(words + ARRIVED, 1u);
        while ((int32_t)(LOAD(words + ARRIVED) - arrivals) < 0) {
            YIELD();
        }
        FENCE();
    }
    BARRIER();
}

#define MEET_AFTER(s)                                                                                                  \
    if ((s) + 1 < n4) {                                                                                                \
        meet((GLOBAL uint32_t *)b3, (uint32_t)((s) + 1 - n3) * (uint32_t)n5);                                          \
    }

/* All threads' values, the first `count` of which count, into slots[0]. */
PDP_INLINE void tree(LOCAL int64_t *slots, int64_t value, int64_t count, int64_t modulus) {
    slots[THREAD] = value;
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        BARRIER();
        if (THREAD < stride && THREAD + stride < count) {
            slots[THREAD] = COMBINE(slots[THREAD], slots[THREAD + stride], modulus);
        }
    }
}

/* A tournament of `count` values, one of each thread, in two levels: a tree in each group, and one of the groups'
 * winners in the group that comes last. Threads beyond the count may have any value, and whole groups of such threads
 * do not come here. */
PDP_INLINE void tournament(GLOBAL int64_t *cell, int64_t value, int64_t count, int64_t modulus, LOCAL int64_t *slots,
                           LOCAL uint32_t *is_last, GLOBAL int64_t *winners, GLOBAL uint32_t *words) {
    const int64_t groups = (count + THREADS - 1) / THREADS;
    tree(slots, value, count - (int64_t)GROUP * THREADS, modulus);
    if (groups > 1) {
        if (THREAD == 0) {
            winners[GROUP] = slots[0];
            FENCE();
            *is_last = ATOMIC_ADD(words + TREES, 1u) == (uint32_t)(groups - 1);
            FENCE();
        }
        BARRIER();
        if (*is_last == 0) {
            return;
        }
        value = THREAD < groups ? winners[THREAD] : 0;
        for (int64_t g = THREAD + THREADS; g < groups; g += THREADS) {
            value = COMBINE(value, winners[g], modulus);
        }
        tree(slots, value, groups, modulus);
    }
    if (THREAD == 0) {
        *cell = slots[0];
        STORE(words + TREES, 0u);
    }
}

#if !defined(PAPER_CHAIN)
/* ---- S-DP: ST[i] = ST[i-a_1] (x) ... (x) ST[i-a_k] for a_1 <= i < n ----
 *
 * b0: ST; b1: the offsets; b4: weights w_j, which are added to the terms; n0: n; n1: k; n2: the modulus. Terms and
 * threads count from 0. */

#define SDP_ARGUMENTS                                                                                                  \
    GLOBAL int64_t *st = (GLOBAL int64_t *)b0;                                                                         \
    const GLOBAL uint32_t *offsets = (const GLOBAL uint32_t *)b1;                                                      \
    const GLOBAL int64_t *weights = (const GLOBAL int64_t *)b4;                                                        \
    const int64_t first = offsets[0];

#if defined(PAPER_WEIGHTS)
#define WEIGHT(j) weights[j]
#else
#define WEIGHT(j) ((void)weights, 0)
#endif
#define TERM(i, j) (st[(i)-offsets[j]] + WEIGHT(j)) /* term j of cell i */

/* Fig. 1: a step is a cell. */
KERNEL(pdp_paper_sequential, 1, 1, 0) {
    SDP_ARGUMENTS
    for (int64_t i = first + n3; i < first + n4; i++) {
        int64_t value = TERM(i, 0);
        for (int64_t j = 1; j < n1; j++) {
            value = COMBINE(value, TERM(i, j), n2);
        }
        st[i] = value;
    }
}

#if !defined(__OPENCL_C_VERSION__) || defined(cl_khr_int64_base_atomics)
#if defined(__CUDACC__)
#define SWAP_IF(p, old, next)                                                                                          \
    ((int64_t)atomicCAS((unsigned long long *)(p), (unsigned long long)(old), (unsigned long long)(next)))
#define PEEK(p) (*(volatile int64_t *)(p))
#elif defined(__OPENCL_C_VERSION__)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define SWAP_IF(p, old, next) atom_cmpxchg((volatile __global long *)(p), old, next)
#define PEEK(p) SWAP_IF(p, 0, 0)
#else
PDP_INLINE int64_t SWAP_IF(int64_t *p, int64_t old, int64_t next) {
    const int64_t seen = *p;
    *p = seen == old ? next : seen;
    return seen;
}
#define PEEK(p) (*(p))
#endif

/* A value that the cell had at any time will do to see that a term changes nothing: as the order of the terms is free,
 * it may have come just then. */
PDP_INLINE void combine_into(GLOBAL int64_t *cell, int64_t value, int64_t modulus) {
    int64_t old = PEEK(cell);
    for (;;) {
        const int64_t next = COMBINE(old, value, modulus);
        const int64_t seen = next == old ? old : SWAP_IF(cell, old, next);
        if (seen == old) {
            return;
        }
        old = seen;
    }
}

/* A thread for each offset but the first, all into the same cell, which got its first term in the step before: that is
 * final there, since a first offset of several is at least 2. */
KERNEL(pdp_paper_naive, THREADS, 4, 0) {
    SDP_ARGUMENTS
    for (int64_t s = n3; s < n4; s++) {
        if (ID == 0 && first + s + 1 < n0) {
            st[first + s + 1] = TERM(first + s + 1, 0);
        }
        for (int64_t j = ID + 1; j < n1; j += n5 * THREADS) {
            combine_into(st + first + s, TERM(first + s, j), n2);
        }
        MEET_AFTER(s)
    }
}
#endif

/* A cell at a time. b2: the groups' winners. */
KERNEL(pdp_paper_tournament, THREADS, 4, 0) {
    SHARED(int64_t, slots, THREADS);
    SHARED(uint32_t, is_last, 1);
    SDP_ARGUMENTS
    const int64_t all = n5 * THREADS, count = n1 < all ? n1 : all;
    for (int64_t s = n3; s < n4; s++) {
        int64_t value = ID < n1 ? TERM(first + s, ID) : 0;
        for (int64_t j = ID + all; j < n1; j += all) {
            value = COMBINE(value, TERM(first + s, j), n2);
        }
        tournament(st + first + s, value, count, n2, slots, is_last, (GLOBAL int64_t *)b2, (GLOBAL uint32_t *)b3);
        MEET_AFTER(s)
    }
}

/* Fig. 2: in the step with head i thread j adds term j to cell i - j. Its operand was final before this step, and no
 * other thread is at its cell, so reads and writes of a step need no order. */
KERNEL(pdp_paper_pipeline, THREADS, 4, 0) {
    SDP_ARGUMENTS
    const int64_t own = ID < n1 ? offsets[ID] : 0, own_weight = ID < n1 ? WEIGHT(ID) : 0;
    for (int64_t s = n3; s < n4; s++) {
        const int64_t head = first + s;
        for (int64_t j = ID; j < n1 && j <= s; j += n5 * THREADS) {
            const int64_t i = head - j;
            if (i < n0) {
                const int64_t value = j == ID ? st[i - own] + own_weight : TERM(i, j);
                st[i] = j == 0 ? value : COMBINE(st[i], value, n2);
            }
        }
        MEET_AFTER(s)
    }
}

/* The 2-by-2 pipeline: thread j adds terms 2j and 2j+1 to cell i - j. */
KERNEL(pdp_paper_pipeline2, THREADS, 4, 0) {
    SDP_ARGUMENTS
    for (int64_t s = n3; s < n4; s++) {
        const int64_t head = first + s;
        for (int64_t j = ID; 2 * j < n1 && j <= s; j += n5 * THREADS) {
            const int64_t i = head - j;
            if (i < n0) {
                int64_t value = TERM(i, 2 * j);
                value = j == 0 ? value : COMBINE(st[i], value, n2);
                st[i] = 2 * j + 1 < n1 ? COMBINE(value, TERM(i, 2 * j + 1), n2) : value;
            }
        }
        MEET_AFTER(s)
    }
}

#else
/* ---- Matrix chain: M[i][j] = min over i<k<j of M[i][k] + M[k][j] + p[i] p[k] p[j] ----
 *
 * b0: the cells, diagonal by diagonal: see src/schedule/layout.h; b1: p; n0: matrices. Cells and rows count from 0, the
 * terms of a cell and its splits from 1. */

PDP_INLINE int64_t address_of(int64_t n, int64_t d, int64_t row) {
    return d * (2 * n - d + 1) / 2 + row;
}

PDP_INLINE int64_t diagonal_of(int64_t n, int64_t address) {
    const double b = 2.0 * (double)n + 1;
    int64_t d = (int64_t)((b - sqrt(b * b - 8.0 * (double)address)) / 2);
    while (address_of(n, d, 0) > address) { /* rounding, at most */
        d--;
    }
    while (address_of(n, d + 1, 0) <= address) {
        d++;
    }
    return d;
}

/* In which order the terms come: src/schedule/term_order.h. */
enum { PRINTED, SMALLER_FIRST, ZERO_DELAY };

PDP_INLINE int64_t split_of(int order, int64_t n, int64_t d, int64_t j) {
    const int64_t u = d - j, lo = (u >> 1) + 1, hi = d - (u >> 1);
    const int64_t flip = order == ZERO_DELAY && d == n - 2 && (n % 2 == 1 || j > 2);
    return order == PRINTED ? j : ((u + flip) & 1) != 0 ? lo : hi;
}

PDP_INLINE int64_t term(const GLOBAL int64_t *cells, const GLOBAL int64_t *p, int64_t n, int64_t d, int64_t row,
                        int64_t split) {
    return cells[address_of(n, split - 1, row)] + cells[address_of(n, d - split, row + split)] +
           p[row] * p[row + split] * p[row + d + 1];
}

/* A cell at a time. b2: the groups' winners. */
KERNEL(pdp_paper_tournament, THREADS, 4, 0) {
    SHARED(int64_t, slots, THREADS);
    SHARED(uint32_t, is_last, 1);
    GLOBAL int64_t *cells = (GLOBAL int64_t *)b0;
    const GLOBAL int64_t *p = (const GLOBAL int64_t *)b1;
    const int64_t all = n5 * THREADS;
    for (int64_t s = n3; s < n4; s++) {
        const int64_t d = diagonal_of(n0, n0 + s), row = n0 + s - address_of(n0, d, 0);
        if ((int64_t)GROUP * THREADS < d) {
            int64_t value = ID < d ? term(cells, p, n0, d, row, ID + 1) : 0;
            for (int64_t t = ID + all; t < d; t += all) {
                value = COMBINE(value, term(cells, p, n0, d, row, t + 1), 0);
            }
            tournament(cells + n0 + s, value, d < all ? d : all, 0, slots, is_last, (GLOBAL int64_t *)b2,
                       (GLOBAL uint32_t *)b3);
        }
        MEET_AFTER(s)
    }
}

/* Fig. 8: in the step with this head thread j adds term j to cell head - j + 1, if that has so many. */
PDP_INLINE void chain_step(const GLOBAL int64_t *from, GLOBAL int64_t *to, const GLOBAL int64_t *p, int64_t n,
                           int64_t head, int64_t all, int order) {
    for (int64_t j = ID + 1; j <= n && head - j + 1 >= n; j += all) {
        const int64_t x = head - j + 1;
        if (x < n * (n + 1) / 2) {
            const int64_t d = diagonal_of(n, x);
            if (j <= d) {
                const int64_t value = term(from, p, n, d, x - address_of(n, d, 0), split_of(order, n, d, j));
                to[x] = j == 1 ? value : COMBINE(from[x], value, 0);
            } else if (order == PRINTED && j == d + 1) {
                to[x] = from[x];
            }
        }
    }
}

/* Middle-out no unfinished cell is read: the step is done in place. */
KERNEL(pdp_paper_pipeline, THREADS, 4, 0) {
    GLOBAL int64_t *cells = (GLOBAL int64_t *)b0;
    for (int64_t s = n3; s < n4; s++) {
        chain_step(cells, cells, (const GLOBAL int64_t *)b1, n0, n0 + s, n5 * THREADS, ZERO_DELAY);
        MEET_AFTER(s)
    }
}

/* As printed a thread may read a cell that another one writes in the same step, and has to see what it was before. So
 * there are two tables (b0, b4), and steps read in turn from one and write to the other. A cell's thread after its last
 * term brings the final value to the other table too; from then on it is in both. */
KERNEL(pdp_paper_pipeline_printed, THREADS, 4, 0) {
    GLOBAL int64_t *even = (GLOBAL int64_t *)b0, *odd = (GLOBAL int64_t *)b4;
    for (int64_t s = n3; s < n4; s++) {
        chain_step(s % 2 == 0 ? odd : even, s % 2 == 0 ? even : odd, (const GLOBAL int64_t *)b1, n0, n0 + s,
                   n5 * THREADS, PRINTED);
        MEET_AFTER(s)
    }
}

/* All cells of diagonal d take their term j in step 2(d-1) + j, counted from 1; each has its own thread. Every diagonal
 * in flight has whole groups for itself. */
KERNEL(pdp_paper_wavefront, THREADS, 4, 0) {
    GLOBAL int64_t *cells = (GLOBAL int64_t *)b0;
    for (int64_t s = n3; s < n4; s++) {
        const int64_t t = s + 1, lowest = (t + 4) / 3, last = (t + 1) / 2, highest = last < n0 - 1 ? last : n0 - 1;
        const int64_t wide = (n0 - lowest + THREADS - 1) / THREADS;
        for (int64_t g = GROUP; g < (highest - lowest + 1) * wide; g += n5) {
            const int64_t d = lowest + g / wide, row = g % wide * THREADS + THREAD, j = t - 2 * (d - 1);
            if (row < n0 - d) {
                GLOBAL int64_t *cell = cells + address_of(n0, d, row);
                const int64_t value =
                    term(cells, (const GLOBAL int64_t *)b1, n0, d, row, split_of(SMALLER_FIRST, n0, d, j));
                *cell = j == 1 ? value : COMBINE(*cell, value, 0);
            }
        }
        MEET_AFTER(s)
    }
}
#endif
