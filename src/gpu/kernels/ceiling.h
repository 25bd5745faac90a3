/* How fast the inner update of a recurrence can be on a device: the sums of a thread's micro-tile stay in registers;
 * its operands come from shared memory, or half of them stay in registers too. Nothing is waited for, so the best of
 * the shapes is the ceiling of every kernel that does these updates. Stamped like interval.h and linear.h, in their
 * place. */
#ifndef PDP_GPU_KERNELS_CEILING_H
#define PDP_GPU_KERNELS_CEILING_H

/* ---- What the driver (gpu/ceiling.c) knows of the kernels ---- */

enum {
    CEILING_THREADS = 128,
    CEILING_DEPTH = 8, /* updates of a sum in a round, in several steps: what one loads, no other has */
    CEILING_OFFSETS = 32
};

/* Number, rows and columns of a micro-tile, and whether the operands of its columns come from shared memory too. */
#define INTERVAL_CEILINGS(SHAPE)                                                                                       \
    SHAPE(0, 4, 8, 1)                                                                                                  \
    SHAPE(1, 8, 4, 1)                                                                                                  \
    SHAPE(2, 4, 4, 1)                                                                                                  \
    SHAPE(3, 8, 8, 1)                                                                                                  \
    SHAPE(4, 2, 8, 1)                                                                                                  \
    SHAPE(5, 8, 2, 1)                                                                                                  \
    SHAPE(6, 6, 8, 1)                                                                                                  \
    SHAPE(7, 4, 8, 0)                                                                                                  \
    SHAPE(8, 2, 8, 0)                                                                                                  \
    SHAPE(9, 4, 4, 0)                                                                                                  \
    SHAPE(10, 8, 8, 0)
/* Number, consecutive cells, and offsets whose operands are loaded at once; whether weights come from shared memory. */
#define LINEAR_CEILINGS(SHAPE)                                                                                         \
    SHAPE(0, 4, 4, 1)                                                                                                  \
    SHAPE(1, 8, 8, 1)                                                                                                  \
    SHAPE(2, 12, 4, 1)                                                                                                 \
    SHAPE(3, 16, 16, 1)                                                                                                \
    SHAPE(4, 16, 8, 1)                                                                                                 \
    SHAPE(5, 24, 8, 1)                                                                                                 \
    SHAPE(6, 32, 16, 1)                                                                                                \
    SHAPE(7, 16, 16, 0)

#if defined(PDP_ON_DEVICE)

#define SOME(count) ((count) > 0 ? (count) : 1)

enum { PACK = 16 / PDP_ELEM_BYTES };

typedef struct __attribute__((aligned(16))) pack {
    elem at[PACK];
} pack;

/* Packs that lie `stride` apart. */
PDP_INLINE void load_some(elem *to, const LOCAL pack *from, const int stride, const int count) {
    UNROLLED for (int q = 0; q < count; q += PACK) {
        const pack x = from[q / PACK * stride];
        UNROLLED for (int e = 0; e < PACK; e++) {
            to[q + e] = x.at[e];
        }
    }
}

PDP_INLINE void fill(LOCAL pack *packs, int count) {
    for (int x = THREAD; x < count; x += CEILING_THREADS) {
        for (int e = 0; e < PACK; e++) {
            packs[x].at[e] = (elem)(1 + (x * PACK + e) % 61);
        }
    }
    BARRIER();
}

#if defined(PDP_NW)

enum {
    MOST = 32, /* cells */
    MOST_OFFSETS = 16,
    OPERANDS = (2 * MOST + CEILING_THREADS + CEILING_OFFSETS) / PACK,
    PACKS = OPERANDS + SOME(PDP_NW) * CEILING_OFFSETS / PACK
};

/* c[i] (+)= term(s[i - a]) */
PDP_INLINE void run_ceiling(PDP_DATA d, const LOCAL pack *operands, GLOBAL elem *to, int64_t rounds, int is_kept,
                            const int cells, const int offsets, const int in_shared) {
    elem sum[MOST], s[2 * MOST], iv[SOME(PDP_NI)], w[SOME(PDP_NW)][MOST_OFFSETS];
    hoist_i(d, 0, iv);
    load_some(sum, operands + THREAD / PACK, 1, cells);
    UNROLLED for (int v = 0; v < PDP_NW; v++) {
        load_some(w[v], operands + OPERANDS + v * CEILING_OFFSETS / PACK, 1, MOST_OFFSETS);
    }
    for (int64_t round = 0; round < rounds; round++) {
        UNROLL(1) for (int a = 0; a < CEILING_OFFSETS; a += offsets) {
            load_some(s, operands + (THREAD + a) / PACK, 1, cells + offsets);
            UNROLLED for (int v = 0; v < PDP_NW && in_shared; v++) {
                load_some(w[v], operands + OPERANDS + (v * CEILING_OFFSETS + a) / PACK, 1, offsets);
            }
            UNROLLED for (int u = 0; u < offsets; u++) {
                elem values[SOME(PDP_NW)];
                UNROLLED for (int v = 0; v < PDP_NW; v++) {
                    values[v] = w[v][u];
                }
                UNROLLED for (int r = 0; r < cells; r++) {
                    sum[r] = update(d, sum[r], s[offsets + r - u], values, iv, 0, 0);
                }
            }
        }
    }
    if (is_kept) {
        UNROLLED for (int r = 0; r < cells; r++) {
            to[r] = sum[r];
        }
    }
}

#else

enum {
    MOST = 8,         /* rows or columns */
    LINE = 64 + PACK, /* operands of a k */
    STEP = 4,         /* k's in a row without a jump */
    COLUMN_THREADS = 8,
    OPERANDS = PDP_NA * CEILING_DEPTH * LINE / PACK,
    PACKS = OPERANDS + PDP_NB * CEILING_DEPTH * LINE / PACK + MOST
};

/* c[i][j] (+)= term(a[i][k], b[k][j]) */
PDP_INLINE void run_ceiling(PDP_DATA d, const LOCAL pack *operands, GLOBAL elem *to, int64_t rounds, int is_kept,
                            const int rows, const int columns, const int in_shared) {
    elem sum[MOST][MOST], a[MOST][PDP_NA], b[MOST][PDP_NB], hj[MOST][SOME(PDP_NHJ)], line[MOST];
    const LOCAL pack *row = operands + THREAD / COLUMN_THREADS * rows / PACK;
    const LOCAL pack *column = operands + OPERANDS + THREAD % COLUMN_THREADS;
    UNROLLED for (int v = 0; v < PDP_NHJ; v++) {
        load_some(line, column + v % CEILING_DEPTH * (LINE / PACK), COLUMN_THREADS, columns);
        UNROLLED for (int c = 0; c < columns; c++) {
            hj[c][v] = line[c];
        }
    }
    UNROLLED for (int v = 0; v < PDP_NB; v++) {
        load_some(line, column + v * CEILING_DEPTH * (LINE / PACK), COLUMN_THREADS, columns);
        UNROLLED for (int c = 0; c < columns; c++) {
            b[c][v] = line[c];
        }
    }
    UNROLLED for (int x = 0; x < rows * columns; x++) {
        sum[x / columns][x % columns] = PDP_IDENTITY;
    }
    for (int64_t round = 0; round < rounds; round++) {
        UNROLL(1) for (int first = 0; first < CEILING_DEPTH; first += STEP) {
            UNROLLED for (int k = first; k < first + STEP; k++) {
                UNROLLED for (int v = 0; v < PDP_NA; v++) {
                    load_some(line, row + (v * CEILING_DEPTH + k) * (LINE / PACK), 1, rows);
                    UNROLLED for (int r = 0; r < rows; r++) {
                        a[r][v] = line[r];
                    }
                }
                UNROLLED for (int v = 0; v < PDP_NB && in_shared; v++) {
                    load_some(line, column + (v * CEILING_DEPTH + k) * (LINE / PACK), COLUMN_THREADS, columns);
                    UNROLLED for (int c = 0; c < columns; c++) {
                        b[c][v] = line[c];
                    }
                }
                UNROLLED for (int r = 0; r < rows; r++) {
                    UNROLLED for (int c = 0; c < columns; c++) {
                        sum[r][c] = update(d, sum[r][c], a[r], b[c], hj[c], 0, 1, 2);
                    }
                }
            }
        }
    }
    if (is_kept) {
        UNROLLED for (int r = 0; r < rows; r++) {
            UNROLLED for (int c = 0; c < columns; c++) {
                to[r * MOST + c] = sum[r][c];
            }
        }
    }
}

#endif

#if defined(__CUDACC__)
#define CYCLES() ((int64_t)clock64())
PDP_INLINE int64_t NANOSECONDS(void) {
    int64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
#else
#define CYCLES() ((int64_t)0)
#define NANOSECONDS() ((int64_t)0)
#endif

/* n0: rounds; b0: what the sums would go to if anybody wanted them (n1), which the compiler does not know; b1: how many
 * cycles and nanoseconds it took, 0 if that is not known: of the same time, whatever of the rest the compiler puts
 * there.
 */
#define CEILING(number, rows, columns, in_shared)                                                                      \
    KERNEL(pdp_ceiling_##number, CEILING_THREADS, 1, 0) {                                                              \
        SHARED(pack, operands, PACKS);                                                                                 \
        const int64_t start = CYCLES(), began = NANOSECONDS();                                                         \
        fill(operands, PACKS);                                                                                         \
        run_ceiling(d, operands, (GLOBAL elem *)b0, n0, n1 != 0, rows, columns, in_shared);                            \
        if (GROUP == 0 && THREAD == 0) {                                                                               \
            ((GLOBAL int64_t *)b1)[0] = CYCLES() - start;                                                              \
            ((GLOBAL int64_t *)b1)[1] = NANOSECONDS() - began;                                                         \
        }                                                                                                              \
    }

#if defined(PDP_NW)
LINEAR_CEILINGS(CEILING)
#else
INTERVAL_CEILINGS(CEILING)
#endif

#endif

#endif
