/* The linear kernel, stamped for a recurrence and an element type:
 *
 *     T[i] = close(i, source(i) (+) term_0(T[i - a_0]) (+) ... (+) term_{k-1}(T[i - a_{k-1}])),   a_j <= i
 *
 * Before this text stand kernel_vector.h, kernel_linear_abi.h, and the emitted definitions
 *   PDP_NW, PDP_NI     {j} values an offset, {i} values a cell
 *   hoist_w, hoist_i   which compute them
 *   update             c (+) term(s); for every lane of a vector, of which some may hold no cell: it must not trap
 *   source, preset, close
 *   PDP_CLOSES         1 if close is more than its argument
 *   PDP_ORDERED        1 if terms must be taken in the given order
 *   PDP_KERNEL_SYMBOL  the name to export, if it is not pdp_kernel */
#ifndef PDP_CPU_KERNEL_LINEAR_H
#define PDP_CPU_KERNEL_LINEAR_H

#ifndef PDP_KERNEL_SYMBOL
#define PDP_KERNEL_SYMBOL pdp_kernel
#endif

/* Keeps a compiler from computing every address of a group anew. */
#if defined(__GNUC__)
#define PDP_OPAQUE_POINTER(p) __asm__("" : "+r"(p))
#else
#define PDP_OPAQUE_POINTER(p) (void)(p)
#endif
#if defined(PDP_SCALAR)
#define PDP_FIRST_LANE(x) (x)
#else
#define PDP_FIRST_LANE(x) ((x)[0])
#endif

/* Accumulators held in registers. Of 32 or 16 registers some are left for a weight, constants and what update
 * needs on its way; the {i} values of an accumulator are held with it. */
#ifndef PDP_GROUP
#if defined(PDP_SCALAR)
#define PDP_GROUP 4
#elif PDP_VECTOR_BYTES == 64 || defined(__aarch64__)
#define PDP_GROUP (26 / (1 + PDP_NI))
#else
#define PDP_GROUP (12 / (1 + PDP_NI))
#endif
#endif
#define PDP_SMALL_GROUP (PDP_GROUP < 4 ? PDP_GROUP : 4)

/* Arrays of the values, of which there may be none. */
#define PDP_ROOM_W (PDP_NW + (PDP_NW == 0))
#define PDP_ROOM_I (PDP_NI + (PDP_NI == 0))

static void linear_preset(const pdp_kernel_data *data, void *table, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
        ((elem *)table)[i] = preset(data, i);
    }
}

static void linear_weigh(const pdp_kernel_data *data, const int64_t *numbers, int64_t count, void *weights) {
    elem w[PDP_ROOM_W] = {0};
    for (int64_t t = 0; t < count; t++) {
        hoist_w(data, numbers[t], w);
        for (int q = 0; q < PDP_NW; q++) {
            ((elem *)weights)[t * PDP_NW + q] = w[q];
        }
    }
}

static void linear_open(const pdp_kernel_data *data, const pdp_linear_block *block) {
    elem values[PDP_ROOM_I] = {0};
    for (int64_t i = block->begin; i < block->end; i++) {
        ((elem *)block->sums)[i - block->first] = source(data, block->origin + i);
        hoist_i(data, block->origin + i, values);
        for (int q = 0; q < PDP_NI; q++) {
            ((elem *)block->values)[q * block->stride + i - block->first] = values[q];
        }
    }
}

PDP_INLINE void linear_load_values(const pdp_linear_block *block, int64_t cell, vec *iv) {
    for (int q = 0; q < PDP_NI; q++) {
        iv[q] = *(const vec_loose *)((const elem *)block->values + q * block->stride + (cell - block->first));
    }
}

PDP_INLINE void linear_load_weights(const pdp_linear_terms *terms, int64_t t, vec *w) {
    for (int q = 0; q < PDP_NW; q++) {
        w[q] = v_broadcast(((const elem *)terms->weights)[t * PDP_NW + q]);
    }
}

/* The pairs of terms from t on: their second offset is the first less `gap` vectors, so that an operand of the first
 * is, `gap` vectors before it, also one of the second. */
PDP_INLINE int64_t linear_accumulate_pairs(const pdp_kernel_data *data, const pdp_linear_terms *terms, int64_t t,
                                           const elem *table, vec *sum, vec iv[][PDP_ROOM_I], const int64_t vectors,
                                           const int64_t gap) {
    vec w[PDP_ROOM_W];
    vec w_second[PDP_ROOM_W];
    for (const int64_t end = t + 2 * terms->pairs[gap - 1]; t < end; t += 2) {
        const elem *operands = table - terms->offsets[t];
        PDP_OPAQUE_POINTER(operands);
        linear_load_weights(terms, t, w);
        linear_load_weights(terms, t + 1, w_second);
        PDP_UNROLLED for (int64_t v = 0; v < vectors + gap; v++) {
            vec s = *(const vec_loose *)(operands + v * PDP_LANES);
            PDP_OPAQUE_VECTOR(s);
            if (v >= gap) {
                sum[v - gap] = update(data, sum[v - gap], s, w_second, iv[v - gap], 0, 0);
            }
            if (v < vectors) {
                sum[v] = update(data, sum[v], s, w, iv[v], 0, 0);
            }
        }
    }
    return t;
}

/* sum[i] = sum[i] (+) term(T[i - a]) for all terms, `vectors` vectors at once, which stay in registers. */
PDP_INLINE void linear_accumulate_group(const pdp_kernel_data *data, const pdp_linear_block *block,
                                        const pdp_linear_terms *terms, const elem *table, int64_t cell,
                                        const int64_t vectors) {
    elem *sums = (elem *)block->sums + (cell - block->first);
    vec sum[PDP_GROUP];
    vec iv[PDP_GROUP][PDP_ROOM_I];
    vec w[PDP_ROOM_W];
    PDP_UNROLLED for (int64_t v = 0; v < vectors; v++) {
        sum[v] = *(const vec_loose *)(sums + v * PDP_LANES);
        linear_load_values(block, cell + v * PDP_LANES, iv[v]);
    }
    int64_t t = 0;
#if !defined(PDP_SCALAR)
    if (vectors > 2) {
        t = linear_accumulate_pairs(data, terms, t, table + cell, sum, iv, vectors, 1);
        t = linear_accumulate_pairs(data, terms, t, table + cell, sum, iv, vectors, 2);
    }
#endif
    for (; t < terms->count; t++) {
        const elem *operands = table + (cell - terms->offsets[t]);
        PDP_OPAQUE_POINTER(operands);
        linear_load_weights(terms, t, w);
        PDP_UNROLLED for (int64_t v = 0; v < vectors; v++) {
            const vec s = *(const vec_loose *)(operands + v * PDP_LANES);
            sum[v] = update(data, sum[v], s, w, iv[v], block->origin + cell + v, terms->numbers[t]);
        }
    }
    PDP_UNROLLED for (int64_t v = 0; v < vectors; v++) {
        *(vec_loose *)(sums + v * PDP_LANES) = sum[v];
    }
}

static void linear_accumulate(const pdp_kernel_data *data, const pdp_linear_block *block, const pdp_linear_terms *terms,
                              const void *table, int64_t cell, int64_t vectors) {
    if (vectors == PDP_GROUP) {
        linear_accumulate_group(data, block, terms, table, cell, PDP_GROUP);
        return;
    }
    const int64_t small = PDP_SMALL_GROUP;
    for (; vectors >= small; vectors -= small, cell += small * PDP_LANES) {
        linear_accumulate_group(data, block, terms, table, cell, PDP_SMALL_GROUP);
    }
    for (; vectors > 0; vectors--, cell += PDP_LANES) {
        linear_accumulate_group(data, block, terms, table, cell, 1);
    }
}

/* T[i] = close(sum[i] (+) the terms that are left, in their order), cell by cell. */
static void linear_finish_cells(const pdp_kernel_data *data, const pdp_linear_block *block,
                                const pdp_linear_terms *terms, elem *table, int64_t begin, int64_t end) {
    vec w[PDP_ROOM_W];
    vec iv[PDP_ROOM_I];
    for (int64_t i = begin; i < end; i++) {
        vec sum = v_broadcast(((const elem *)block->sums)[i - block->first]);
        for (int q = 0; q < PDP_NI; q++) {
            iv[q] = v_broadcast(((const elem *)block->values)[q * block->stride + i - block->first]);
        }
        for (int64_t t = 0; t < terms->count; t++) {
            if (terms->offsets[t] <= i) {
                linear_load_weights(terms, t, w);
                sum = update(data, sum, v_broadcast(table[i - terms->offsets[t]]), w, iv, block->origin + i,
                             terms->numbers[t]);
            }
        }
        table[i] = close(data, PDP_FIRST_LANE(sum), block->origin + i);
    }
}

#if !defined(PDP_SCALAR) && !PDP_ORDERED

/* The near terms whose operands stand in the vector before this one. */
PDP_INLINE vec linear_pull(const pdp_kernel_data *data, const pdp_linear_terms *terms, const elem *table, int64_t cell,
                           vec sum, const vec *iv) {
    for (int64_t t = 0; t < terms->count; t++) {
        vec w[PDP_ROOM_W];
        linear_load_weights(terms, t, w);
        vec s = *(const vec_loose *)(table + (cell - terms->offsets[t]));
        vec_mask own = v_above((int)terms->offsets[t] - 1);
        sum = v_select(own, sum, update(data, sum, s, w, iv, 0, 0));
    }
    return sum;
}

/* The near terms whose operand is the final cell in this lane: one update a round serves all distances. */
PDP_INLINE vec linear_push(const pdp_kernel_data *data, const pdp_linear_near *near, int lane, vec sum, const vec *iv,
                           vec_mask unset) {
    const vec s = v_lane(sum, lane);
    for (int64_t round = 0; round < near->rounds; round++) {
        vec w[PDP_ROOM_W];
        for (int q = 0; q < PDP_NW; q++) {
            w[q] = *(const vec_loose *)((const elem *)near->weights + (round * PDP_NW + q) * 2 * PDP_LANES +
                                        (PDP_LANES - lane));
        }
        const elem *present = (const elem *)near->present + round * 2 * PDP_LANES + (PDP_LANES - lane);
        vec_mask reached = (vec_mask) * (const vec_loose *)present;
        sum = v_select(reached & unset, update(data, sum, s, w, iv, 0, 0), sum);
    }
    return sum;
}

/* T[i] = close(sum[i] (+) term(T[i - a]) for the a < lanes), in a vector one lane after the other. */
static void linear_finish_vector(const pdp_kernel_data *data, const pdp_linear_block *block,
                                 const pdp_linear_near *near, elem *table, int64_t cell) {
    vec sum = *(const vec_loose *)((const elem *)block->sums + (cell - block->first));
    vec iv[PDP_ROOM_I];
    linear_load_values(block, cell, iv);
    if (cell >= PDP_LANES) {
        sum = linear_pull(data, &near->terms, table, cell, sum, iv);
    }
    const vec_mask unset = v_above(cell < block->begin ? (int)(block->begin - cell) - 1 : -1);
    sum = v_select(unset, sum, *(const vec_loose *)(table + cell));
    for (int lane = 0; lane < PDP_LANES && cell + lane < block->end; lane++) {
#if PDP_CLOSES
        if (cell + lane >= block->begin) {
            vec closed = v_broadcast(close(data, sum[lane], block->origin + cell + lane));
            sum = v_select(v_only(lane), closed, sum);
        }
#endif
        sum = linear_push(data, near, lane, sum, iv, unset);
    }
    *(vec_loose *)(table + cell) = sum;
}

#endif

static void linear_finish(const pdp_kernel_data *data, const pdp_linear_block *block, const pdp_linear_near *near,
                          void *table, int64_t first, int64_t end) {
#if !defined(PDP_SCALAR) && !PDP_ORDERED
    if (near->rounds > 0) {
        for (int64_t cell = first; cell < end; cell += PDP_LANES) {
            linear_finish_vector(data, block, near, table, cell);
        }
        return;
    }
#endif
    first = first < block->begin ? block->begin : first;
    end = end < block->end ? end : block->end;
#if !PDP_CLOSES
    if (near->terms.count == 0) {
        for (int64_t i = first; i < end; i++) {
            ((elem *)table)[i] = ((const elem *)block->sums)[i - block->first];
        }
        return;
    }
#endif
    linear_finish_cells(data, block, &near->terms, table, first, end);
}

extern const pdp_linear_kernel PDP_KERNEL_SYMBOL;
const pdp_linear_kernel PDP_KERNEL_SYMBOL = {
    .element_bytes = PDP_ELEM_BYTES,
    .lanes = PDP_LANES,
    .group = PDP_GROUP,
    .values_per_offset = PDP_NW,
    .values_per_cell = PDP_NI,
#if PDP_ORDERED
    .keeps_order = 1,
#endif
    .preset = linear_preset,
    .weigh = linear_weigh,
    .open = linear_open,
    .accumulate = linear_accumulate,
    .finish = linear_finish,
};

#endif
