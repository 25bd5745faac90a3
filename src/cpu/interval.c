#include "cpu/interval.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "core/clock.h"
#include "core/memory.h"

enum { MOST_PRODUCTS = 8 }; /* in one piece of work, so that a tile nearer to the diagonal does not wait for long */

typedef struct tile_state {
    uint32_t next; /* of its term order: those before are in */
    bool is_busy;  /* a thread works on it, or it waits in the heap */
    bool is_done;
} tile_state;

/* What the threads share. Everything but the two atomics is only touched under the lock. */
typedef struct pipeline {
    const pdp_interval_run *run;
    pdp_tiles *tiles;
    tile_state *states; /* in the order of the tiles */
    uint64_t *heap;     /* of tiles with work, nearest to the diagonal first: distance << 32 | row */
    size_t heap_count;
    size_t left; /* tiles that are not done */
    double work_done;
    atomic_flag lock;
    atomic_bool cancelled;
} pipeline;

typedef struct piece {
    uint32_t row;
    uint32_t column;
    uint32_t first; /* of the term order */
    uint32_t end;
    bool finishes;
} piece;

uint64_t pdp_interval_bytes(const pdp_interval_kernel *kernel, const pdp_tiles *tiles, int threads) {
    uint64_t count = (uint64_t)tiles->side * (tiles->side + 1) / 2;
    return pdp_bytes_add(pdp_bytes_multiply(count, sizeof(tile_state) + sizeof(uint64_t)),
                         pdp_bytes_multiply((uint64_t)threads, kernel->scratch_bytes));
}

/* ---- Under the lock ---- */

static void acquire(pipeline *p) {
    while (atomic_flag_test_and_set_explicit(&p->lock, memory_order_acquire)) {
        sched_yield(); /* whoever holds the lock may need this very core */
    }
}

static void release(pipeline *p) {
    atomic_flag_clear_explicit(&p->lock, memory_order_release);
}

static tile_state *state_at(const pipeline *p, uint32_t row, uint32_t column) {
    return &p->states[(size_t)column * ((size_t)column + 1) / 2 + row];
}

static void push(pipeline *p, uint64_t key) {
    size_t at = p->heap_count++;
    for (; at > 0 && p->heap[(at - 1) / 2] > key; at = (at - 1) / 2) {
        p->heap[at] = p->heap[(at - 1) / 2];
    }
    p->heap[at] = key;
}

static uint64_t pop(pipeline *p) {
    uint64_t least = p->heap[0];
    uint64_t key = p->heap[--p->heap_count];
    size_t at = 0;
    for (size_t child = 1; child < p->heap_count; child = 2 * at + 1) {
        child += child + 1 < p->heap_count && p->heap[child + 1] < p->heap[child] ? 1 : 0;
        if (p->heap[child] >= key) {
            break;
        }
        p->heap[at] = p->heap[child];
        at = child;
    }
    p->heap[at] = key;
    return least;
}

/* The products of a tile that can be done now, in its term order, and whether it can be finished after them. Only this
 * order decides the order of a float's sum, whatever the threads do. */
static piece next_piece(const pipeline *p, uint32_t row, uint32_t column) {
    uint32_t distance = column - row;
    uint32_t products = distance > 0 ? distance - 1 : 0;
    piece work = {row, column, state_at(p, row, column)->next, 0, false};
    for (work.end = work.first; work.end < products && work.end - work.first < MOST_PRODUCTS; work.end++) {
        uint32_t middle = row + pdp_tile_middle(distance, work.end);
        if (!state_at(p, row, middle)->is_done || !state_at(p, middle, column)->is_done) {
            return work;
        }
    }
    /* The neighbours on the left and below are the last of what a tile reads to become final. */
    work.finishes = work.end == products &&
                    (distance == 0 || (state_at(p, row, column - 1)->is_done && state_at(p, row + 1, column)->is_done));
    return work;
}

static void queue_if_ready(pipeline *p, uint32_t row, uint32_t column) {
    tile_state *state = state_at(p, row, column);
    if (state->is_busy || state->is_done) {
        return;
    }
    piece work = next_piece(p, row, column);
    if (work.end > work.first || work.finishes) {
        state->is_busy = true;
        push(p, (uint64_t)(column - row) << 32 | row);
    }
}

static void note(const pipeline *p, const piece *work, int thread, bool is_end) {
    if (p->run->listener) {
        pdp_tile_event event = {(uint32_t)thread, work->row,      work->column, work->first,
                                work->end,        work->finishes, is_end};
        p->run->listener(p->run->listener_context, &event);
    }
}

static bool take_work(pipeline *p, int thread, piece *work) {
    bool found = p->heap_count > 0;
    if (found) {
        uint64_t key = pop(p);
        uint32_t row = (uint32_t)key;
        *work = next_piece(p, row, row + (uint32_t)(key >> 32));
        note(p, work, thread, false);
    }
    return found;
}

/* A tile that became final is the left operand of those right of it and the right operand of those above it. */
static void return_work(pipeline *p, int thread, const piece *work) {
    tile_state *state = state_at(p, work->row, work->column);
    note(p, work, thread, true);
    state->next = work->end;
    state->is_busy = false;
    p->work_done += (double)(work->end - work->first) + (work->finishes ? 1 : 0);
    if (!work->finishes) {
        queue_if_ready(p, work->row, work->column);
        return;
    }
    state->is_done = true;
    p->left--;
    for (size_t column = (size_t)work->column + 1; column < p->tiles->side; column++) {
        queue_if_ready(p, work->row, (uint32_t)column);
    }
    for (uint32_t row = 0; row < work->row; row++) {
        queue_if_ready(p, row, work->column);
    }
}

/* ---- Outside of it ---- */

static void do_work(const pipeline *p, const piece *work, void *scratch) {
    const pdp_interval_kernel *kernel = p->run->kernel;
    const pdp_tiles *tiles = p->tiles;
    const uint32_t distance = work->column - work->row;
    const int64_t size = (int64_t)tiles->tile;
    const int64_t room = (int64_t)tiles->room;
    const int64_t i0 = (int64_t)work->row * size - room;
    const int64_t j0 = (int64_t)work->column * size - room;
    void *tile = pdp_tiles_at(tiles, work->row, work->column);
    if (work->first == 0) { /* also when there are no products; a second time only if nothing has been added yet */
        kernel->start(p->run->data, tile);
    }
    for (uint32_t position = work->first; position < work->end; position++) {
        const uint32_t middle = work->row + pdp_tile_middle(distance, position);
        const uint32_t after = position + 1 < work->end ? work->row + pdp_tile_middle(distance, position + 1) : middle;
        const void *next[] = {pdp_tiles_at(tiles, work->row, after), pdp_tiles_at(tiles, after, work->column)};
        kernel->product(p->run->data, tile, pdp_tiles_at(tiles, work->row, middle),
                        pdp_tiles_at(tiles, middle, work->column), i0, (int64_t)middle * size - room, j0, next,
                        scratch);
    }
    if (work->finishes) {
        const pdp_tile_frame frame = {
            .i0 = i0,
            .j0 = j0,
            .tile = tile,
            .rows = pdp_tiles_at(tiles, work->row, work->row),
            .columns = pdp_tiles_at(tiles, work->column, work->column),
            .left = distance > 0 ? pdp_tiles_at(tiles, work->row, work->column - 1) : NULL,
            .below = distance > 0 ? pdp_tiles_at(tiles, work->row + 1, work->column) : NULL,
            .corner = distance > 1 ? pdp_tiles_at(tiles, work->row + 1, work->column - 1) : NULL,
        };
        kernel->finish(p->run->data, &frame, scratch);
    }
}

static void tell_progress(pipeline *p, double done) {
    const double side = (double)p->tiles->side;
    const double all = side * (side + 1) / 2 + side * (side - 1) * (side - 2) / 6;
    const pdp_progress *progress = &p->run->progress;
    if (progress->report && progress->report(progress->context, done / all) != 0) {
        atomic_store(&p->cancelled, true);
    }
}

/* What one thread does until all tiles are done. */
static void work_along(pipeline *p, int thread, void *scratch) {
    double told = pdp_clock_seconds();
    for (bool has_work = false, is_over = false; !is_over;) {
        piece work = {0};
        acquire(p);
        has_work = take_work(p, thread, &work);
        is_over = !has_work && p->left == 0;
        release(p);
        if (has_work) {
            do_work(p, &work, scratch);
            acquire(p);
            return_work(p, thread, &work);
            release(p);
        } else if (!is_over) {
            sched_yield();
        }
        if (thread == 0 && pdp_clock_seconds() - told > 0.02) {
            acquire(p);
            double done = p->work_done;
            release(p);
            tell_progress(p, done);
            told = pdp_clock_seconds();
        }
        is_over |= atomic_load_explicit(&p->cancelled, memory_order_relaxed);
    }
}

static void run_threads(pipeline *p, int threads, unsigned char *scratch, size_t scratch_bytes) {
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
    work_along(p, omp_get_thread_num(), scratch + (size_t)omp_get_thread_num() * scratch_bytes);
#else
    (void)threads;
    (void)scratch_bytes;
    work_along(p, 0, scratch);
#endif
}

pdp_status pdp_interval_solve(const pdp_interval_run *run, pdp_tiles *tiles, pdp_error *error) {
    const size_t count = tiles->side * (tiles->side + 1) / 2;
    const size_t scratch_bytes = (run->kernel->scratch_bytes + (size_t)63) / 64 * 64;
    const int threads = run->threads < 1 ? 1 : run->threads;
    pipeline p = {.run = run, .tiles = tiles, .left = count, .lock = ATOMIC_FLAG_INIT};
    p.states = pdp_array_allocate(count, sizeof *p.states, error);
    p.heap = p.states ? pdp_array_allocate(count, sizeof *p.heap, error) : NULL;
    void *scratch = p.heap ? pdp_pages_allocate((uint64_t)scratch_bytes * (uint64_t)threads, error) : NULL;
    if (scratch) {
        /* Lanes that hold no cell compute with what happens to lie there; as floats, leftovers can be slow. */
        memset(scratch, 0, scratch_bytes * (size_t)threads);
        for (size_t x = 0; x < tiles->side; x++) {
            queue_if_ready(&p, (uint32_t)x, (uint32_t)x);
        }
        run_threads(&p, threads, scratch, scratch_bytes);
        if (atomic_load(&p.cancelled)) {
            pdp_error_set(error, PDP_CANCELLED, "cancelled by the progress callback");
        }
    }
    free(scratch);
    free(p.heap);
    free(p.states);
    return error->status;
}
