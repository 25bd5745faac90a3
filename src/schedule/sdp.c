/* The S-DP methods: ST[i] = ST[i-a_1] (x) ... (x) ST[i-a_k] for a_1 <= i < n. */
#include "core/memory.h"
#include "schedule/schedule.h"

/* Thread t adds term j (from 0) to cell i. */
static inline void put(pdp_round *round, const pdp_schedule *schedule, size_t t, size_t i, size_t j) {
    size_t at = round->count++;
    round->left_count = round->count;
    round->thread[at] = (uint32_t)t;
    round->target[at] = (uint32_t)i;
    round->left[at] = (uint32_t)(i - schedule->offsets[j]);
    round->flags[at] = (uint8_t)((j == 0 ? PDP_STORES : 0u) | (j == schedule->offset_count - 1 ? PDP_FINISHES : 0u));
}

static void start(pdp_round *round) {
    round->count = 0;
    round->left_count = 0;
    round->right_count = 0;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t most(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Fig. 1: one thread, one term a step. */
static bool next_sequential(pdp_schedule *s, pdp_round *round) {
    if (s->cell == s->n) {
        return false;
    }
    start(round);
    put(round, s, 0, s->cell, s->at);
    if (++s->at == s->offset_count) {
        s->at = 0;
        s->cell++;
    }
    return true;
}

/* A thread for each offset, all into the same cell. */
static bool next_naive(pdp_schedule *s, pdp_round *round) {
    if (s->cell == s->n) {
        return false;
    }
    start(round);
    for (size_t j = 0; j < s->offset_count; j++) {
        put(round, s, j, s->cell, j);
    }
    s->cell++;
    return true;
}

/* A cell at a time: one step brings its k values into k slots, the first of which is the cell itself;
 * then each step halves the number of slots. `at` is the stride, 0 for the bringing step. */
static bool next_tournament(pdp_schedule *s, pdp_round *round) {
    const size_t k = s->offset_count;
    if (s->cell == s->n) {
        return false;
    }
    if (s->at == 0) {
        start(round);
        for (size_t j = 0; j < k; j++) {
            put(round, s, j, s->cell, j);
            round->target[j] = (uint32_t)(j == 0 ? s->cell : s->cells + j - 1);
            round->flags[j] = (uint8_t)(PDP_STORES | (k == 1 ? PDP_FINISHES : 0u));
        }
    } else {
        pdp_schedule_merge(round, PDP_LINEAR, k, s->at, s->cell, s->cells);
    }
    s->at = s->at == 0 ? 1 : 2 * s->at;
    if (s->at >= k) {
        s->at = 0;
        s->cell++;
    }
    return true;
}

/* Fig. 2: in the step with head i, thread j adds term j to cell i - j + 1 (all from 1 as printed; from
 * 0 here, cell i - j). Cells a_1 .. n-1 alone take part. */
static bool next_pipeline(pdp_schedule *s, pdp_round *round) {
    const size_t head = s->cell;
    const size_t k = s->offset_count;
    if (s->presets == s->n || head > s->n + k - 2) {
        return false;
    }
    start(round);
    size_t from = head >= s->n ? head - s->n + 1 : 0;
    size_t to = least(k, head - s->presets + 1);
    for (size_t j = from; j < to; j++) {
        put(round, s, j, head - j, j);
    }
    s->cell++;
    return true;
}

/* The 2-by-2 pipeline: thread j has terms 2j and 2j+1 of cell head - j, read in two substeps, so that the
 * offsets read in one differ by at least 2 from thread to thread. Only the last thread can lack a
 * second term. */
static bool next_pipeline2(pdp_schedule *s, pdp_round *round) {
    const size_t head = s->cell;
    const size_t stages = (s->offset_count + 1) / 2;
    if (s->presets == s->n || head > s->n + stages - 2) {
        return false;
    }
    start(round);
    size_t from = head >= s->n ? head - s->n + 1 : 0;
    size_t to = least(stages, head - s->presets + 1);
    for (size_t j = from; j < to; j++) {
        put(round, s, j, head - j, 2 * j);
        if (2 * j + 1 < s->offset_count) {
            size_t at = round->right_count++;
            round->right[at] = (uint32_t)(head - j - s->offsets[2 * j + 1]);
            round->flags[at] |= (uint8_t)(2 * j + 1 == s->offset_count - 1 ? PDP_FINISHES : 0u);
        }
    }
    s->cell++;
    return true;
}

static pdp_status begin(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error,
                        bool (*next)(pdp_schedule *, pdp_round *), size_t threads, size_t scratch) {
    size_t first = problem->offsets[0];
    *schedule = (pdp_schedule){
        .next = next,
        .threads = threads,
        .cells = problem->n,
        .presets = first,
        .addresses = pdp_bytes_add(problem->n, scratch),
        .operations = (uint64_t)(problem->n - first) * problem->offset_count,
        .n = problem->n,
        .offsets = problem->offsets,
        .offset_count = problem->offset_count,
        .cell = first,
    };
    return pdp_schedule_check_size(schedule, error);
}

pdp_status pdp_schedule_sdp_sequential(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error) {
    return begin(schedule, problem, error, next_sequential, 1, 0);
}

pdp_status pdp_schedule_sdp_naive(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error) {
    return begin(schedule, problem, error, next_naive, problem->offset_count, 0);
}

pdp_status pdp_schedule_sdp_tournament(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error) {
    size_t k = problem->offset_count;
    pdp_status status = begin(schedule, problem, error, next_tournament, k, k - 1);
    schedule->operations += (uint64_t)(problem->n - problem->offsets[0]) * (k - 1);
    return status;
}

pdp_status pdp_schedule_sdp_pipeline(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error) {
    size_t in_flight = most(1, least(problem->offset_count, problem->n - problem->offsets[0]));
    return begin(schedule, problem, error, next_pipeline, in_flight, 0);
}

pdp_status pdp_schedule_sdp_pipeline2(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error) {
    size_t stages = (problem->offset_count + 1) / 2;
    size_t in_flight = most(1, least(stages, problem->n - problem->offsets[0]));
    pdp_status status = begin(schedule, problem, error, next_pipeline2, in_flight, 0);
    schedule->operations = (uint64_t)(problem->n - problem->offsets[0]) * stages;
    return status;
}
