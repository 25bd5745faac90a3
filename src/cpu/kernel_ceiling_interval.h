/* How fast the inner update of an interval recurrence can be on this core: sums of a register block stay in registers;
 * its operands stay there too, or come from the first cache as they do in a tile product. The best of the shapes is
 * the ceiling of that product. Stamped like kernel_interval.h, in its place. */

#define PDP_CEILING_SOME(n) ((n) > 0 ? (n) : 1)
#define PDP_CEILING_DEPTH 32 /* values of k */
#define PDP_CEILING_ROWS 12  /* most of a shape */
#define PDP_CEILING_COLUMNS 8

typedef struct pdp_ceiling_operands {
    vec b[PDP_NB][PDP_CEILING_DEPTH][PDP_CEILING_COLUMNS];
    vec columns[PDP_CEILING_SOME(PDP_NHJ)][PDP_CEILING_COLUMNS];
    vec sums[PDP_CEILING_ROWS][PDP_CEILING_COLUMNS];
    elem a[PDP_NA][PDP_CEILING_ROWS][PDP_CEILING_DEPTH];
} pdp_ceiling_operands;

/* The next operands; those that stay in registers only seem to be others. */
PDP_INLINE void pdp_ceiling_load_b(const pdp_ceiling_operands *operands, vec *bv, int64_t k, int y, const int place) {
    PDP_UNROLLED for (int v = 0; v < PDP_NB && place == PDP_CEILING_IN_L1; v++) {
        bv[v] = operands->b[v][k][y];
    }
}
PDP_INLINE void pdp_ceiling_load_a(const pdp_ceiling_operands *operands, vec *av, int64_t k, int x, const int place) {
    PDP_UNROLLED for (int v = 0; v < PDP_NA; v++) {
        if (place == PDP_CEILING_IN_L1) {
            av[v] = v_broadcast(operands->a[v][x][k]);
        } else {
            PDP_CEILING_OPAQUE(av[v]);
        }
    }
}

/* c[i][j] (+)= term(a[i][k], b[k][j]) */
PDP_INLINE int64_t pdp_ceiling_shape(const pdp_kernel_data *d, pdp_ceiling_operands *restrict operands, int64_t rounds,
                                     const int rows, const int columns, const int place) {
    vec sum[PDP_CEILING_ROWS][PDP_CEILING_COLUMNS];
    vec jv[PDP_CEILING_COLUMNS][PDP_CEILING_SOME(PDP_NHJ)];
    vec bv[PDP_CEILING_COLUMNS][PDP_NB];
    vec av[PDP_NA];
    pdp_ceiling_load_a(operands, av, 0, 0, PDP_CEILING_IN_L1);
    PDP_UNROLLED for (int y = 0; y < columns; y++) {
        PDP_UNROLLED for (int x = 0; x < rows; x++) {
            sum[x][y] = operands->sums[x][y];
        }
        PDP_UNROLLED for (int v = 0; v < PDP_NHJ; v++) {
            jv[y][v] = operands->columns[v][y];
        }
        pdp_ceiling_load_b(operands, bv[y], 0, y, PDP_CEILING_IN_L1);
    }
    for (int64_t round = 0; round < rounds; round++) {
        for (int64_t k = 0; k < PDP_CEILING_DEPTH; k++) {
            PDP_UNROLLED for (int y = 0; y < columns; y++) {
                pdp_ceiling_load_b(operands, bv[y], k, y, place);
            }
            PDP_UNROLLED for (int x = 0; x < rows; x++) {
                pdp_ceiling_load_a(operands, av, k, x, place);
                PDP_UNROLLED for (int y = 0; y < columns; y++) {
                    sum[x][y] = update(d, sum[x][y], av, bv[y], jv[y], 0, 1, 2);
                }
            }
        }
        __asm__ volatile("" ::: "memory");
    }
    PDP_UNROLLED for (int y = 0; y < columns; y++) {
        PDP_UNROLLED for (int x = 0; x < rows; x++) {
            operands->sums[x][y] = sum[x][y];
        }
    }
    return rounds * PDP_CEILING_DEPTH * rows * columns * PDP_LANES;
}

/* Rows, columns in vectors, and where the operands are. Some fill 32 registers, some 16. */
#define PDP_CEILING_SHAPES(SHAPE)                                                                                      \
    SHAPE(0, 4, 4, L1)                                                                                                 \
    SHAPE(1, 8, 2, L1)                                                                                                 \
    SHAPE(2, 5, 4, L1)                                                                                                 \
    SHAPE(3, 6, 3, L1)                                                                                                 \
    SHAPE(4, 12, 2, L1)                                                                                                \
    SHAPE(5, 2, 8, L1)                                                                                                 \
    SHAPE(6, 4, 2, L1)                                                                                                 \
    SHAPE(7, 6, 2, L1)                                                                                                 \
    SHAPE(8, 3, 3, L1)                                                                                                 \
    SHAPE(9, 4, 4, REGISTERS)                                                                                          \
    SHAPE(10, 10, 2, REGISTERS)                                                                                        \
    SHAPE(11, 8, 1, REGISTERS)
#define PDP_CEILING_NAME(shape, rows, columns, place) [shape] = #rows " x " #columns " vectors, operands in " #place,
#define PDP_CEILING_CASE(shape, rows, columns, place)                                                                  \
    case shape: return pdp_ceiling_shape(data, operands, rounds, rows, columns, PDP_CEILING_IN_##place);

static void pdp_ceiling_fill(void *operands) {
    elem *items = operands;
    for (int64_t x = 0; x < (int64_t)(sizeof(pdp_ceiling_operands) / sizeof(elem)); x++) {
        items[x] = (elem)(1 + x % 61);
    }
}

static int64_t pdp_ceiling_run(const pdp_kernel_data *data, int64_t shape, void *operands, int64_t rounds) {
    switch (shape) {
        PDP_CEILING_SHAPES(PDP_CEILING_CASE)
    default: return 0;
    }
}

static const char *const pdp_ceiling_names[] = {PDP_CEILING_SHAPES(PDP_CEILING_NAME)};

const pdp_ceiling_kernel PDP_KERNEL_SYMBOL = {sizeof pdp_ceiling_names / sizeof *pdp_ceiling_names, pdp_ceiling_names,
                                              sizeof(pdp_ceiling_operands), pdp_ceiling_fill, pdp_ceiling_run};
