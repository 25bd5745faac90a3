/* The decisions behind the values of interval problems, found again from their tables. */
#if PDP_PART(1)
/* Whether k gives M[i][j] its value. */
PDP_INLINE int is_split(const problem *p, elem cell, int64_t i, int64_t k, int64_t j) {
    PDP_DATA d = p->d;
    elem sum = add_split(p, PDP_IDENTITY, i, k, j);
#if PDP_CLOSES
    elem h[SOME(PDP_NHC)];
    hoist_c(d, i, j, h);
    sum = close_cell(d, sum, PDP_IDENTITY, h, i, j);
#endif
    (void)d;
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

#if defined(PDP_TYPE_F32) || defined(PDP_TYPE_F64)
/* Says whether a cell is no number, which need not show in the value. n1: problems; n2: groups; n5: the most points. */
KERNEL(pdp_interval_numbers, DECIDERS, 1, 0) {
    for (int64_t row = GROUP; row < n1 * n5; row += n2) {
        const problem p = problem_at(d, b0, b2, row / n5);
        const int64_t points = (int64_t)p.side * TILE - p.room, i = row % n5;
        for (int64_t j = i + 1 + THREAD; j < points; j += DECIDERS) {
            const elem cell = table_cell(&p, i, j);
            if (cell != cell) {
                k_fail(p.d, NO_NUMBER, 0, 0, 0);
            }
        }
    }
}
#endif
#endif
