/* How fast the inner update of a linear recurrence can be on this core: sums and the values hoisted for offset 0 and
 * cell 0 stay in registers; operands stay there too, or come aligned from the first cache, each for one update or for
 * two (of two terms). The best of the shapes, that is numbers of sums, is the ceiling of linear_accumulate. Stamped
 * like kernel_linear.h, in its place. */

#define PDP_CEILING_SOME(n) ((n) > 0 ? (n) : 1)
#define PDP_CEILING_STEPS 128 /* places at which a round's operands begin */
#define PDP_CEILING_SUMS 28   /* most of a shape */

typedef struct pdp_ceiling_operands {
    vec s[PDP_CEILING_STEPS + PDP_CEILING_SUMS];
    vec sums[PDP_CEILING_SUMS];
} pdp_ceiling_operands;

/* c[i] (+)= term(s[i - a]), of one or two terms a */
PDP_INLINE int64_t pdp_ceiling_shape(const pdp_kernel_data *data, pdp_ceiling_operands *restrict operands,
                                     int64_t rounds, const int vectors, const int terms, const int place) {
    elem values[PDP_NW + PDP_NI + 1] = {0};
    vec sum[PDP_CEILING_SUMS];
    vec w[2][PDP_CEILING_SOME(PDP_NW)];
    vec iv[PDP_CEILING_SOME(PDP_NI)];
    hoist_w(data, 0, values);
    hoist_i(data, 0, values + PDP_NW);
    for (int q = 0; q < PDP_NW; q++) {
        w[0][q] = w[1][q] = v_broadcast(values[q]);
        PDP_CEILING_OPAQUE(w[1][q]);
    }
    for (int q = 0; q < PDP_NI; q++) {
        iv[q] = v_broadcast(values[PDP_NW + q]);
    }
    vec s = operands->s[0];
    PDP_UNROLLED for (int v = 0; v < vectors; v++) {
        sum[v] = operands->sums[v];
    }
    for (int64_t round = 0; round < rounds; round++) {
        const vec *from = operands->s + round % PDP_CEILING_STEPS;
        __asm__ volatile("" : "+r"(from));
        PDP_UNROLLED for (int v = 0; v < vectors; v++) {
            if (place == PDP_CEILING_IN_L1) {
                s = from[v];
            }
            PDP_CEILING_OPAQUE(s);
            if (terms == 2) {
                const int other = v > 0 ? v - 1 : vectors - 1;
                sum[other] = update(data, sum[other], s, w[1], iv, 0, 0);
            }
            sum[v] = update(data, sum[v], s, w[0], iv, 0, 0);
        }
    }
    PDP_UNROLLED for (int v = 0; v < vectors; v++) {
        operands->sums[v] = sum[v];
    }
    return rounds * vectors * terms * PDP_LANES;
}

/* Sums in vectors, terms that an operand is for, and where the operands are. */
#define PDP_CEILING_SHAPES(SHAPE)                                                                                      \
    SHAPE(0, 6, 1, L1)                                                                                                 \
    SHAPE(1, 12, 1, L1)                                                                                                \
    SHAPE(2, 16, 1, L1)                                                                                                \
    SHAPE(3, 24, 1, L1)                                                                                                \
    SHAPE(4, 28, 1, L1)                                                                                                \
    SHAPE(5, 6, 2, L1)                                                                                                 \
    SHAPE(6, 12, 2, L1)                                                                                                \
    SHAPE(7, 16, 2, L1)                                                                                                \
    SHAPE(8, 24, 2, L1)                                                                                                \
    SHAPE(9, 8, 1, REGISTERS)                                                                                          \
    SHAPE(10, 16, 1, REGISTERS)
#define PDP_CEILING_NAME(shape, vectors, terms, place)                                                                 \
    [shape] = #vectors " vectors x " #terms " terms, operands in " #place,
#define PDP_CEILING_CASE(shape, vectors, terms, place)                                                                 \
    case shape: return pdp_ceiling_shape(data, operands, rounds, vectors, terms, PDP_CEILING_IN_##place);

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
