/* The matrix-chain methods: M[i][j] = min over i<k<j of f(M[i][k], M[k][j]). */
#include "schedule/layout.h"
#include "schedule/schedule.h"
#include "schedule/term_order.h"

/* With more, the cells alone are more than 32 bits number. */
enum { MAX_MATRICES = 92680 };

/* Thread t adds the split s to the cell in row i of diagonal d. */
static inline void put(pdp_round *round, size_t n, size_t t, size_t address, size_t d, size_t i, size_t s,
                       unsigned flags) {
    size_t at = round->count++;
    round->left_count = round->count;
    round->right_count = round->count;
    round->thread[at] = (uint32_t)t;
    round->target[at] = (uint32_t)address;
    round->left[at] = (uint32_t)pdp_layout_address(n, s - 1, i);
    round->right[at] = (uint32_t)pdp_layout_address(n, d - s, i + s);
    round->i[at] = (uint32_t)i;
    round->k[at] = (uint32_t)(i + s);
    round->j[at] = (uint32_t)(i + d + 1);
    round->flags[at] = (uint8_t)flags;
}

/* What term j (from 1) of d does to its cell. */
static inline unsigned term_flags(size_t j, size_t d) {
    return (j == 1 ? PDP_STORES : 0u) | (j == d ? PDP_FINISHES : 0u);
}

static void start(pdp_round *round) {
    round->count = 0;
    round->left_count = 0;
    round->right_count = 0;
}

/* The next cell along the linear array. */
static void next_cell(pdp_schedule *s) {
    s->cell++;
    if (++s->row == s->n - s->diagonal) {
        s->row = 0;
        s->diagonal++;
    }
}

/* One thread, one term a step. */
static bool next_sequential(pdp_schedule *s, pdp_round *round) {
    if (s->cell == s->cells) {
        return false;
    }
    start(round);
    size_t j = ++s->at;
    put(round, s->n, 0, s->cell, s->diagonal, s->row, j, term_flags(j, s->diagonal));
    if (j == s->diagonal) {
        s->at = 0;
        next_cell(s);
    }
    return true;
}

/* A cell at a time: one step computes its d terms into d slots, the first of which is the cell itself;
 * then each step halves the number of slots. `at` is the stride, 0 for the computing step. */
static bool next_tournament(pdp_schedule *s, pdp_round *round) {
    const size_t d = s->diagonal;
    if (s->cell == s->cells) {
        return false;
    }
    if (s->at == 0) {
        start(round);
        for (size_t t = 0; t < d; t++) {
            size_t slot = t == 0 ? s->cell : s->cells + t - 1;
            put(round, s->n, t, slot, d, s->row, t + 1, PDP_STORES | (d == 1 ? PDP_FINISHES : 0u));
        }
    } else {
        pdp_schedule_merge(round, PDP_INTERVAL, d, s->at, s->cell, s->cells);
    }
    s->at = s->at == 0 ? 1 : 2 * s->at;
    if (s->at >= d) {
        s->at = 0;
        next_cell(s);
    }
    return true;
}

/* Fig. 8: in the step with head x, thread j adds term j to cell x - j + 1, if that cell has so many
 * terms. Going down the array from the head, j grows and the number of terms does not, so the active
 * threads are consecutive. */
__attribute__((always_inline)) static inline bool next_in_pipeline(pdp_schedule *s, pdp_round *round,
                                                                   size_t (*order)(size_t, size_t, size_t)) {
    const size_t n = s->n;
    if (s->presets == s->cells || s->cell + 2 > s->cells + n - 1) { /* the last head is cells + n - 3 */
        return false;
    }
    start(round);
    pdp_round local = *round; /* its pointers stay in registers: a store to a flag may be one to anything */
    size_t j = s->cell >= s->cells ? s->cell - s->cells + 2 : 1;
    size_t address = s->cell - (j - 1);
    size_t d = s->diagonal;
    size_t row = s->row;
    while (address >= s->presets && j <= d) {
        put(&local, n, j - 1, address, d, row, order(n, d, j), term_flags(j, d));
        address--;
        j++;
        if (row-- == 0) {
            d--;
            row = n - d - 1;
        }
    }
    *round = local;
    if (s->cell + 1 < s->cells) {
        next_cell(s);
    } else { /* the head has left the table: the group is entered at its last cell */
        s->cell++;
    }
    return true;
}

static bool next_pipeline(pdp_schedule *s, pdp_round *round) {
    return next_in_pipeline(s, round, pdp_term_order_zero_delay);
}

static bool next_pipeline_printed(pdp_schedule *s, pdp_round *round) {
    return next_in_pipeline(s, round, pdp_term_order_printed);
}

/* The diagonals d with 2(d-1) < t <= 2(d-1) + d; none in step 2. */
static size_t lowest_in_flight(size_t t) {
    return (t + 4) / 3;
}

static size_t highest_in_flight(size_t t, size_t n) {
    return (t + 1) / 2 < n - 1 ? (t + 1) / 2 : n - 1;
}

/* All cells of diagonal d start in step 2(d-1) + 1 and take a term a step; each has its own thread.
 * `at` is the number of steps done. */
static bool next_wavefront(pdp_schedule *s, pdp_round *round) {
    const size_t n = s->n;
    if (n < 2 || s->at == 3 * n - 5) {
        return false;
    }
    start(round);
    size_t t = ++s->at;
    for (size_t d = lowest_in_flight(t); d <= highest_in_flight(t, n); d++) {
        size_t j = t - 2 * (d - 1);
        size_t split = pdp_term_order_smaller_first(n, d, j);
        for (size_t row = 0; row < n - d; row++) {
            size_t address = pdp_layout_address(n, d, row);
            put(round, n, address - n, address, d, row, split, term_flags(j, d));
        }
    }
    return true;
}

/* Most cells in flight at once in the wavefront. */
static size_t count_wavefront_threads(size_t n) {
    size_t most = 1;
    for (size_t t = 1; n >= 2 && t <= 3 * n - 5; t++) {
        size_t lowest = lowest_in_flight(t);
        size_t highest = highest_in_flight(t, n);
        if (lowest > highest) {
            continue;
        }
        size_t active = (2 * n - lowest - highest) * (highest - lowest + 1) / 2; /* sum of n - d */
        most = active > most ? active : most;
    }
    return most;
}

static pdp_status begin(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error,
                        bool (*next)(pdp_schedule *, pdp_round *), size_t threads, size_t scratch) {
    size_t n = problem->n;
    if (n > MAX_MATRICES) {
        return pdp_error_set(error, PDP_NO_MEMORY,
                             "the step-exact machine takes up to 92680 matrices, and there are %zu", n);
    }
    size_t cells = n * (n + 1) / 2;
    *schedule = (pdp_schedule){
        .next = next,
        .threads = threads,
        .cells = cells,
        .presets = n,
        .addresses = cells + scratch,
        .operations = (uint64_t)n * (n - 1) / 2 * (n + 1) / 3,
        .n = n,
        .cell = n,
        .diagonal = 1,
    };
    return pdp_schedule_check_size(schedule, error);
}

pdp_status pdp_schedule_mcm_sequential(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error) {
    return begin(schedule, problem, error, next_sequential, 1, 0);
}

pdp_status pdp_schedule_mcm_tournament(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error) {
    size_t n = problem->n;
    size_t most_terms = n > 1 ? n - 1 : 1;
    pdp_status status = begin(schedule, problem, error, next_tournament, most_terms, most_terms - 1);
    /* Besides a term each, d - 1 merges for each of the n - d cells of diagonal d. */
    schedule->operations = 2 * schedule->operations - (uint64_t)n * (n - 1) / 2;
    return status;
}

pdp_status pdp_schedule_mcm_pipeline(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error) {
    return begin(schedule, problem, error, next_pipeline, problem->n, 0);
}

pdp_status pdp_schedule_mcm_pipeline_printed(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error) {
    return begin(schedule, problem, error, next_pipeline_printed, problem->n, 0);
}

pdp_status pdp_schedule_mcm_wavefront(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error) {
    size_t threads = problem->n <= MAX_MATRICES ? count_wavefront_threads(problem->n) : 1;
    return begin(schedule, problem, error, next_wavefront, threads, 0);
}
