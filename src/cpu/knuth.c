#include "cpu/knuth.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/memory.h"
#include "problem/bound.h"
#include "recurrence/canonise.h"

enum { TILE = 32 }; /* what the cells of a tile read, some four others, stays in a cache of the second level */

const char *pdp_knuth_refuse(const pdp_problem *problem) {
    if (!problem->recurrence->monotone) {
        return "its recurrence does not say monotone";
    }
    if (!pdp_recurrence_is_weighed(problem->recurrence) ||
        (problem->combine != PDP_OP_MIN && problem->combine != PDP_OP_MAX)) {
        return "it is for the least or the largest l + r, to which finish adds a weight of i and j";
    }
    if (problem->element != PDP_ELEMENT_WHOLE && problem->element != PDP_ELEMENT_I64) {
        return "it is for whole numbers of 64 bits that are exact";
    }
    if (!problem->keeps_plain) {
        return "what it makes of indices and parameters alone may not fit into 64 bits";
    }
    /* Room for sums of two. */
    return pdp_bounds_find(problem).reach > INT64_MAX / 4 ? "its values are not sure to fit into int64" : NULL;
}

/* ---- Weights ---- */

/* M[i][j] as if its terms came to 0. */
static pdp_wide weigh_cell(pdp_bindings *b, size_t i, size_t j) {
    b->i = (int64_t)i;
    b->j = (int64_t)j;
    b->cells[PDP_CELL_BEST] = (pdp_value){.whole = 0};
    const uint32_t steps[] = {b->recurrence->after, b->recurrence->finish};
    for (int x = 0; x < 2; x++) {
        if (steps[x] != PDP_NO_NODE) {
            b->cells[PDP_CELL_BEST] = pdp_interpret_element(b, steps[x]);
        }
    }
    return b->cells[PDP_CELL_BEST].whole;
}

/* w(i,j) .. w(i,end-1), j >= i+2. The interpreter's errors stay in the bindings, the kernel's in its data. */
static void weigh(const pdp_weights *weights, pdp_bindings *b, size_t i, size_t j, size_t end, int64_t *out) {
    if (weights->kernel) {
        weights->kernel->weigh(&weights->data->kernel, (int64_t)i, (int64_t)j, (int64_t)(end - j), out);
        return;
    }
    for (size_t x = j; x < end; x++) {
        out[x - j] = (int64_t)weigh_cell(b, i, x);
    }
}

static pdp_status find_fault(const pdp_weights *weights, const pdp_bindings *b, pdp_error *error) {
    if (b->error.status != PDP_OK) {
        *error = b->error;
    } else if (weights->kernel) {
        pdp_data_check(weights->data, error);
    }
    return error->status;
}

/* ---- The check ---- */

static pdp_status fail_quadrangle(size_t i, size_t j, const int64_t *row, const int64_t *below, int64_t sign,
                                  pdp_error *error) {
    return pdp_error_set(error, PDP_BAD_INPUT,
                         "its weights break the quadrangle inequality: w(%zu,%zu) + w(%zu,%zu) is %" PRId64
                         ", and w(%zu,%zu) + w(%zu,%zu) is %" PRId64,
                         i, j, i + 1, j + 1, sign * (row[j] + below[j + 1]), i, j + 1, i + 1, j,
                         sign * (row[j + 1] + below[j]));
}

static pdp_status fail_whole(const size_t part[2], int64_t of_part, const size_t whole[2], int64_t of_whole,
                             int64_t sign, pdp_error *error) {
    return pdp_error_set(
        error, PDP_BAD_INPUT, "a part weighs %s than the whole: w(%zu,%zu) is %" PRId64 ", and w(%zu,%zu) is %" PRId64,
        sign > 0 ? "more" : "less", part[0], part[1], sign * of_part, whole[0], whole[1], sign * of_whole);
}

/* The first cell of row i that breaks a condition; row i+1 is below. */
static pdp_status name_cell(size_t i, size_t points, const int64_t *row, const int64_t *below, int64_t sign,
                            pdp_error *error) {
    for (size_t j = i + 2; j < points; j++) {
        if (j + 1 < points && row[j] > row[j + 1]) {
            return fail_whole((size_t[]){i, j}, row[j], (size_t[]){i, j + 1}, row[j + 1], sign, error);
        }
        if (j > i + 2 && below[j] > row[j]) {
            return fail_whole((size_t[]){i + 1, j}, below[j], (size_t[]){i, j}, row[j], sign, error);
        }
        if (j > i + 2 && j + 1 < points && row[j] + below[j + 1] > row[j + 1] + below[j]) {
            return fail_quadrangle(i, j, row, below, sign, error);
        }
    }
    return PDP_OK;
}

/* Whether row i keeps to all conditions: a loop without branches. */
static bool keeps_to_all(size_t i, size_t points, const int64_t *row, const int64_t *below) {
    int64_t broken = i + 3 < points && row[i + 2] > row[i + 3];
    for (size_t j = i + 3; j + 1 < points; j++) {
        broken |= (row[j] > row[j + 1]) | (below[j] > row[j]) | (row[j] - row[j + 1] > below[j] - below[j + 1]);
    }
    return !broken && (i + 3 >= points || below[points - 1] <= row[points - 1]);
}

pdp_status pdp_knuth_check(const pdp_weights *weights, pdp_progress progress, pdp_error *error) {
    const size_t points = weights->problem->n + 1;
    const int64_t sign = weights->problem->combine == PDP_OP_MIN ? 1 : -1; /* under max all is turned round */
    pdp_bindings b = pdp_problem_bindings(weights->problem);
    int64_t *rows = pdp_array_allocate(2 * points, sizeof *rows, error);
    for (size_t i = points - 1; rows && i-- > 0;) {
        int64_t *row = rows + i % 2 * points;
        const int64_t *below = rows + (i + 1) % 2 * points;
        if (i + 2 < points) {
            weigh(weights, &b, i, i + 2, points, row + i + 2);
        }
        for (size_t j = i + 2; sign < 0 && j < points; j++) {
            row[j] = -row[j];
        }
        if (find_fault(weights, &b, error) != PDP_OK ||
            (!keeps_to_all(i, points, row, below) && name_cell(i, points, row, below, sign, error) != PDP_OK) ||
            (i % 256 == 0 && pdp_progress_tell(progress, 0, error) != PDP_OK)) {
            break;
        }
    }
    free(rows);
    return error->status;
}

/* ---- Room ---- */

/* What is sure to fit into 32 bits, in half the memory. If neither leaves nor weights are negative, a part costs no
 * more than the whole (the whole's tree, cut down to the part, is a tree over it), and that no more than the tree that
 * is split in the middle. */
static bool fits_short(const pdp_problem *problem) {
    const size_t n = problem->n;
    struct {
        size_t i, j;
    } waiting[64] = {{0, n}}; /* at most one a halving */
    size_t depth = 1;
    pdp_wide cost = 0;
    pdp_bindings b = pdp_problem_bindings(problem);
    if (problem->combine != PDP_OP_MIN) {
        return false;
    }
    for (size_t i = 0; i + 2 <= n; i++) { /* others weigh no less */
        if (weigh_cell(&b, i, i + 2) < 0) {
            return false;
        }
    }
    while (depth > 0 && cost <= INT32_MAX && b.error.status == PDP_OK) {
        const size_t i = waiting[--depth].i, j = waiting[depth].j, k = i + (j - i) / 2;
        if (j == i + 1) {
            b.i = (int64_t)i;
            const pdp_wide leaf = pdp_interpret_element(&b, problem->recurrence->leaf).whole;
            cost += leaf < 0 ? (pdp_wide)INT32_MAX + 1 : leaf;
            continue;
        }
        cost += weigh_cell(&b, i, j);
        waiting[depth].i = i;
        waiting[depth++].j = k;
        waiting[depth].i = k;
        waiting[depth++].j = j;
    }
    return b.error.status == PDP_OK && cost <= INT32_MAX;
}

static pdp_tiles make_tiles(const pdp_problem *problem, bool is_short) {
    return (pdp_tiles){.points = problem->n + 1,
                       .tile = TILE,
                       .panel = TILE,
                       .cell_bytes = is_short ? sizeof(int32_t) : sizeof(int64_t)};
}

/* The splits of a row rise with j by n in all: in a row of bits, the one for j stands behind as many ones as there were
 * cells, and behind as many zeros as the split is beyond the first. */
static size_t step_words(size_t n) {
    return (2 * n + 63) / 64;
}

uint64_t pdp_knuth_bytes(const pdp_problem *problem, bool with_decisions) {
    const size_t points = problem->n + 1;
    pdp_tiles tiles = make_tiles(problem, fits_short(problem));
    const uint64_t lists = pdp_bytes_multiply(points, sizeof(size_t) + sizeof(uint32_t));
    const uint64_t steps = pdp_bytes_multiply(points, 8 * step_words(problem->n));
    return pdp_bytes_add(pdp_bytes_add(pdp_tiles_bytes(&tiles), lists), with_decisions ? steps : 0);
}

/* ---- Solving ---- */

typedef struct work {
    const pdp_weights *weights;
    pdp_bindings bindings;
    pdp_solution *solution;
    size_t points;
    void *cells;         /* M[i][j] is at column[j] + TILE * (i + room) */
    size_t *column;      /* where a point's column begins */
    size_t room;         /* see pdp_tiles */
    uint32_t *below;     /* K(i+1,j) for the row i that comes next; for the leaf (j-1,j) it is j-1 */
    uint32_t left[TILE]; /* K(i,j) for the last j so far, by i % TILE; for the leaf (i,i+1) it is i+1 */
    uint64_t *steps;     /* see step_words; or NULL */
} work;

static inline int64_t load(const void *cells, size_t at, bool is_short) {
    return is_short ? ((const int32_t *)cells)[at] : ((const int64_t *)cells)[at];
}

static inline void store(void *cells, size_t at, int64_t value, bool is_short) {
    if (is_short) {
        ((int32_t *)cells)[at] = (int32_t)value;
    } else {
        ((int64_t *)cells)[at] = value;
    }
}

/* The cells (i,j) .. (i,end-1), of which none is a leaf: what they read is there.
 *   M[i][j] = w(i,j) + min over K(i,j-1) <= k <= K(i+1,j) of M[i][k] + M[k][j] */
__attribute__((always_inline)) static inline void
fill_row(work *w, size_t i, size_t j, size_t end, const int64_t *weight, const bool is_short, const bool is_max) {
    void *const cells = w->cells;
    const size_t *const column = w->column;
    const size_t room = w->room;
    const size_t row = TILE * (i + room);
    uint64_t *const steps = w->steps ? w->steps + i * step_words(w->points - 1) : NULL;
    int64_t *const splits = w->solution->splits ? w->solution->splits + i * w->points : NULL;
    size_t best = w->left[i % TILE];
    for (; j < end; j++) {
        const size_t own = column[j];
        const size_t last = w->below[j];
        size_t k = best;
        int64_t least = load(cells, column[k] + row, is_short) + load(cells, own + TILE * (k + room), is_short);
        for (k++; k <= last; k++) {
            const int64_t term =
                load(cells, column[k] + row, is_short) + load(cells, own + TILE * (k + room), is_short);
            const bool is_better = is_max ? term > least : term < least;
            least = is_better ? term : least;
            best = is_better ? k : best;
        }
        store(cells, own + row, least + *weight++, is_short);
        w->below[j] = (uint32_t)best;
        if (steps) {
            const size_t at = (j - i - 1) + (best - i - 1);
            steps[at / 64] |= (uint64_t)1 << at % 64;
        }
        if (splits) {
            splits[j] = (int64_t)best;
        }
    }
    w->left[i % TILE] = (uint32_t)best;
}

/* The rows first .. last-1 of the tile whose columns are j .. end-1: from the last row on. */
static void fill_tile(work *w, size_t first, size_t last, size_t j, size_t end) {
    const bool is_short = w->solution->type == PDP_TYPE_I32;
    const bool is_max = w->solution->problem->combine == PDP_OP_MAX;
    for (size_t i = last; i-- > first;) {
        int64_t weights[TILE];
        if (j <= i + 1 && i + 1 < end) {
            w->bindings.i = (int64_t)i;
            const int64_t leaf =
                (int64_t)pdp_interpret_element(&w->bindings, w->solution->problem->recurrence->leaf).whole;
            store(w->cells, w->column[i + 1] + TILE * (i + w->room), leaf, is_short);
            w->left[i % TILE] = (uint32_t)i + 1;
            w->below[i + 1] = (uint32_t)i;
        }
        const size_t begin = j < i + 2 ? i + 2 : j;
        if (begin >= end) {
            continue;
        }
        weigh(w->weights, &w->bindings, i, begin, end, weights);
        if (is_max) {
            fill_row(w, i, begin, end, weights, false, true);
        } else if (is_short) {
            fill_row(w, i, begin, end, weights, true, false);
        } else {
            fill_row(w, i, begin, end, weights, false, false);
        }
    }
}

/* Rows of tiles from the last to the first, and in a row from the diagonal on. */
static void fill(work *w, pdp_progress progress) {
    const size_t side = w->solution->tiles.side;
    for (size_t x = side; x-- > 0 && w->solution->error.status == PDP_OK;) {
        const size_t first = x == 0 ? 0 : x * TILE - w->room;
        const size_t last = (x + 1) * TILE - w->room;
        for (size_t y = x; y < side; y++) {
            fill_tile(w, first, last, y == 0 ? 0 : y * TILE - w->room, (y + 1) * TILE - w->room);
        }
        const double left = (double)x / (double)side;
        if (find_fault(w->weights, &w->bindings, &w->solution->error) == PDP_OK) {
            pdp_progress_tell(progress, 1 - left * left, &w->solution->error);
        }
    }
}

static size_t find_split(void *context, size_t i, size_t j) {
    const work *w = context;
    if (w->solution->splits) {
        return (size_t)w->solution->splits[i * w->points + j];
    }
    const uint64_t *word = w->steps + i * step_words(w->points - 1);
    size_t before = j - i - 2; /* ones that are others' */
    size_t passed = 0;
    for (; (size_t)__builtin_popcountll(*word) <= before; word++, passed += 64) {
        before -= (size_t)__builtin_popcountll(*word);
    }
    uint64_t left = *word;
    for (; before > 0; before--) {
        left &= left - 1;
    }
    return passed + (size_t)__builtin_ctzll(left) - (j - i - 1) + i + 1;
}

pdp_status pdp_knuth_solve(pdp_solution *solution, const pdp_weights *weights, bool with_decisions,
                           pdp_progress progress) {
    const pdp_problem *problem = solution->problem;
    pdp_error *error = &solution->error;
    const bool is_short = fits_short(problem);
    work w = {
        .weights = weights, .bindings = pdp_problem_bindings(problem), .solution = solution, .points = problem->n + 1};
    solution->type = is_short ? PDP_TYPE_I32 : PDP_TYPE_I64;
    solution->tiles = make_tiles(problem, is_short);
    if (pdp_tiles_allocate(&solution->tiles, error) != PDP_OK) {
        return error->status;
    }
    w.cells = solution->tiles.cells;
    w.room = solution->tiles.room;
    w.column = pdp_array_allocate(w.points, sizeof *w.column, error);
    w.below = w.column ? pdp_array_allocate(w.points, sizeof *w.below, error) : NULL;
    if (w.below && with_decisions && !solution->splits) {
        w.steps = pdp_array_allocate(w.points, step_words(problem->n) * sizeof *w.steps, error);
    }
    for (size_t j = 1; w.column && j < w.points; j++) { /* column 0 has no cells */
        const size_t tile = (j + w.room) / TILE;
        w.column[j] = tile * (tile + 1) / 2 * TILE * TILE + (j + w.room) % TILE;
    }
    if (w.column && w.below && error->status == PDP_OK) {
        fill(&w, progress);
    }
    if (error->status == PDP_OK && pdp_solution_close(solution) == PDP_OK && (with_decisions || solution->splits)) {
        pdp_solution_decide(solution, find_split, &w);
    }
    free(w.steps);
    free(w.below);
    free(w.column);
    return error->status;
}
