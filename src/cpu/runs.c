/* Level l of a table is D_l[i] = T[i-2^l+1] (x) ... (x) T[i], shorter at the table's start. It doubles:
 *     D_0 = T,    D_l+1[i] = D_l[i] (x) D_l[i-2^l]
 * A run of r offsets low .. high with 2^l <= r < 2^(l+1) is covered by two windows of 2^l cells, which overlap:
 *     T[i-high] (x) ... (x) T[i-low] = D_l[i-low] (x) D_l[i-(high-2^l+1)]
 * So every run is one or two terms (level, offset). Cells are worked in blocks: a term whose offset is at least as
 * large as the block reads nothing of it, and is added to all of it at once; nearer ones in smaller blocks; the nearest
 * cell by cell, with the levels that they need. When a block is done, its levels are.
 *
 * Of a level no more is kept than terms and the next level reach back to. */
#include "cpu/runs.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "cpu/offset_set.h"

enum { BLOCK = 16384, SMALL_BLOCK = 64, MOST_LEVELS = 64, TERMS_AT_ONCE = 64 };

typedef struct window {
    unsigned char *data;
    size_t base;     /* the cell at its start */
    size_t capacity; /* cells */
    size_t reach;    /* how far back it is read */
} window;

typedef struct runner {
    const pdp_runs_job *job;
    pdp_runs_term *terms; /* by their offsets, rising */
    size_t term_count;
    size_t near; /* so many terms are nearer than an inner block, ... */
    size_t far;  /* ... and those from here on at least a block away */
    size_t inner;
    unsigned highest_near; /* level of the near terms */
    window levels[MOST_LEVELS];
    unsigned level_count;
} runner;

/* ---- Terms ---- */

/* One or two terms a run; without `terms` they are only counted. */
static size_t list_terms(const pdp_offset_set *set, pdp_runs_term *terms) {
    size_t count = 0;
    for (size_t j = 0; j < set->count;) {
        const size_t low = set->items[j];
        size_t length = 1;
        while (j + length < set->count && set->items[j + length] == low + length) {
            length++;
        }
        const unsigned level = 63 - (unsigned)__builtin_clzll(length);
        const size_t second = low + length - ((size_t)1 << level);
        const size_t needed = second > low ? 2 : 1;
        if (terms) {
            terms[count] = (pdp_runs_term){low, level};
            terms[count + needed - 1] = (pdp_runs_term){second, level};
        }
        count += needed;
        j += length;
    }
    return count;
}

static void sort_terms(runner *r) {
    const size_t smallest = r->terms[0].offset;
    r->inner = SMALL_BLOCK;
    while (r->inner < BLOCK && 2 * r->inner <= smallest) {
        r->inner *= 2;
    }
    for (size_t t = 0; t < r->term_count; t++) {
        const pdp_runs_term *term = &r->terms[t];
        window *level = &r->levels[term->level];
        level->reach = term->offset > level->reach ? term->offset : level->reach;
        r->level_count = term->level + 1 > r->level_count ? term->level + 1 : r->level_count;
        r->near += term->offset < r->inner;
        r->far += term->offset < BLOCK;
        r->highest_near = term->offset < r->inner && term->level > r->highest_near ? term->level : r->highest_near;
    }
    for (unsigned l = 1; l < r->level_count; l++) {
        window *level = &r->levels[l];
        const size_t half = l + 1 < r->level_count ? (size_t)1 << l : 0;
        level->reach = half > level->reach ? half : level->reach;
        const size_t wanted = 2 * (level->reach + BLOCK);
        level->capacity = wanted < r->job->cells ? wanted : r->job->cells;
    }
}

/* PDP_OK with no terms if there are no offsets. */
static pdp_status open_terms(runner *r, pdp_error *error) {
    const pdp_runs_job *job = r->job;
    pdp_offset_set set;
    if (pdp_offset_set_create(&set, job->offsets, job->offset_count, job->cells, error) != PDP_OK) {
        return error->status;
    }
    r->term_count = list_terms(&set, NULL);
    r->terms = pdp_array_allocate(r->term_count, sizeof *r->terms, error);
    if (r->terms && r->term_count > 0) {
        list_terms(&set, r->terms);
        sort_terms(r);
    }
    pdp_offset_set_free(&set);
    return error->status;
}

/* ---- Levels ---- */

static unsigned char *find(const runner *r, unsigned level, size_t cell) {
    return r->levels[level].data + (cell - r->levels[level].base) * r->job->kernel->bytes;
}

static pdp_status open_levels(runner *r, void *table, pdp_error *error) {
    r->levels[0].data = table;
    for (unsigned l = 1; l < r->level_count && error->status == PDP_OK; l++) {
        window *level = &r->levels[l];
        level->data = pdp_pages_allocate(pdp_bytes_multiply(level->capacity, r->job->kernel->bytes), error);
    }
    return error->status;
}

/* Room for the cells up to `end`, of which those before `begin` are done: what is no longer read makes way. */
static void make_room(runner *r, size_t begin, size_t end) {
    const size_t bytes = r->job->kernel->bytes;
    for (unsigned l = 1; l < r->level_count; l++) {
        window *level = &r->levels[l];
        if (end > level->base + level->capacity) {
            const size_t base = begin - level->reach;
            memmove(level->data, find(r, l, base), (begin - base) * bytes);
            level->base = base;
        }
    }
}

/* The levels above `lowest`, of cells whose lower levels are done. */
static void raise(const runner *r, unsigned lowest, size_t begin, size_t end) {
    const pdp_runs_kernel *kernel = r->job->kernel;
    size_t half = 1;
    for (unsigned l = 0; l + 1 < r->level_count; l++, half *= 2) {
        if (l < lowest) {
            continue;
        }
        const size_t middle = half < begin ? begin : half < end ? half : end;
        memcpy(find(r, l + 1, begin), find(r, l, begin), (middle - begin) * kernel->bytes);
        if (middle < end) {
            kernel->pair(find(r, l + 1, middle), find(r, l, middle), find(r, l, middle - half), end - middle);
        }
    }
}

/* ---- Blocks ---- */

/* Adds the terms first .. last-1 to the cells of a block that none of them reads. */
static void add_terms(const runner *r, size_t first, size_t last, size_t begin, size_t end) {
    const pdp_runs_kernel *kernel = r->job->kernel;
    const void *from[TERMS_AT_ONCE];
    size_t count = 0;
    for (size_t t = first; t < last && r->terms[t].offset < end; t++) {
        const size_t offset = r->terms[t].offset;
        if (offset > begin) { /* the table's start is inside of it */
            const void *start = find(r, r->terms[t].level, 0);
            kernel->combine(find(r, 0, offset), &start, 1, end - offset);
            continue;
        }
        from[count++] = find(r, r->terms[t].level, begin - offset);
        if (count == TERMS_AT_ONCE) {
            kernel->combine(find(r, 0, begin), from, count, end - begin);
            count = 0;
        }
    }
    kernel->combine(find(r, 0, begin), from, count, end - begin);
}

static void complete(const runner *r, size_t begin, size_t end) {
    const pdp_runs_job *job = r->job;
    add_terms(r, r->near, r->far, begin, end);
    if (r->near > 0) {
        void *levels[MOST_LEVELS];
        for (unsigned l = 0; l < r->level_count; l++) {
            levels[l] = find(r, l, begin);
        }
        const pdp_runs_chain chain = {.levels = levels,
                                      .highest = r->highest_near,
                                      .terms = r->terms,
                                      .term_count = r->near,
                                      .first = begin,
                                      .length = end - begin,
                                      .weight = job->weight,
                                      .can_miss = job->can_miss,
                                      .none = job->none};
        job->kernel->run_chain(&chain);
    } else if (job->weight != 0) {
        job->kernel->add(find(r, 0, begin), end - begin, job->weight, job->can_miss, job->none);
    }
    raise(r, r->highest_near, begin, end);
}

/* At the start of a block all cells before it are done, on all levels. */
static pdp_status run_blocks(runner *r, pdp_progress progress, pdp_error *error) {
    const pdp_runs_job *job = r->job;
    size_t end = 0;
    for (size_t begin = 0; begin < job->cells; begin = end) {
        const bool is_preset = begin < job->preset_count;
        const size_t limit = is_preset ? job->preset_count : job->cells;
        end = limit - begin > BLOCK ? begin + BLOCK : limit;
        make_room(r, begin, end);
        if (is_preset) {
            raise(r, 0, begin, end);
            continue;
        }
        add_terms(r, r->far, r->term_count, begin, end);
        for (size_t at = begin; at < end; at += r->inner) {
            complete(r, at, end - at > r->inner ? at + r->inner : end);
        }
        if (pdp_progress_tell(progress, (double)end / (double)job->cells, error) != PDP_OK) {
            return error->status;
        }
    }
    return PDP_OK;
}

pdp_status pdp_runs_solve(const pdp_runs_job *job, void *table, pdp_progress progress, pdp_error *error) {
    runner r = {.job = job};
    if (open_terms(&r, error) == PDP_OK && r.term_count > 0 && open_levels(&r, table, error) == PDP_OK) {
        run_blocks(&r, progress, error);
    }
    for (unsigned l = 1; l < r.level_count; l++) {
        free(r.levels[l].data);
    }
    free(r.terms);
    return error->status;
}

/* ---- What it takes ---- */

uint64_t pdp_runs_bytes(const pdp_runs_job *job) {
    runner r = {.job = job};
    pdp_error error = {0};
    const uint64_t set = pdp_offset_set_bytes(job->offsets, job->offset_count, job->cells);
    if (open_terms(&r, &error) != PDP_OK) {
        return pdp_bytes_multiply(job->cells, MOST_LEVELS * job->kernel->bytes); /* at most */
    }
    const uint64_t terms = pdp_bytes_multiply(r.term_count > 0 ? r.term_count : 1, sizeof *r.terms);
    uint64_t levels = 0;
    for (unsigned l = 1; l < r.level_count; l++) {
        levels = pdp_bytes_add(levels, pdp_bytes_multiply(r.levels[l].capacity, job->kernel->bytes));
    }
    free(r.terms);
    return pdp_bytes_add(terms, set > levels ? set : levels); /* the set is gone when the levels come */
}

/* Measured, for a cell. Near terms are added cell by cell, and so are the levels that they need, each when the one
 * before it is done: these have a rate of their own. Others in terms that are added to vectors of 4 bytes; those of a
 * small block take longer, and cells themselves, of which no level has a table, less long. */
static const double near_term = 14, near_chain = 12, cell_work = 19, level_work = 5;
static const double small_block_weight = 1.7, cell_weight = 0.82;

/* A gcd all at the rate of near terms, for no vectors help it: fewer of them are 1 near by and in levels. */
static const double gcd_near_term = 22, gcd_term = 13, gcd_cell_work = 14, gcd_level_work = 21;

static double count_work(const pdp_runs_job *job, double *near) {
    runner r = {.job = job};
    pdp_error error = {0};
    *near = 0;
    if (open_terms(&r, &error) != PDP_OK) {
        return (double)INFINITY;
    }
    const double open = (double)(job->cells - job->preset_count), all = (double)job->cells;
    const double near_terms = (double)r.near + r.highest_near, others = (double)(r.term_count - r.near);
    const double width = job->kernel ? (double)job->kernel->bytes / 4 : 1;
    double work = 0;
    if (job->kernel && job->kernel->op == PDP_OP_GCD) {
        work = (gcd_near_term * near_terms + gcd_cell_work + gcd_term * others) * open +
               gcd_level_work * (double)r.level_count * all;
        *near = work;
    } else {
        double terms = others + (small_block_weight - 1) * (double)(r.far - r.near);
        for (size_t t = r.near; t < r.term_count; t++) {
            terms -= r.terms[t].level == 0 ? 1 - cell_weight : 0;
        }
        *near = (near_term * near_terms + (r.near > 0 ? near_chain : 0)) * open;
        work = *near + (cell_work + width * terms) * open + level_work * width * (double)r.level_count * all;
    }
    free(r.terms);
    return work;
}

double pdp_runs_operations(const pdp_runs_job *job) {
    double near;
    return count_work(job, &near);
}

double pdp_runs_near(const pdp_runs_job *job) {
    double near;
    count_work(job, &near);
    return near;
}

const pdp_runs_kernel *pdp_runs_kernel_find(pdp_op op, size_t bytes, pdp_level level) {
    const pdp_runs_level *best = NULL;
    for (const pdp_runs_level *x = pdp_runs_levels; x->kernels; x++) {
        best = x->level <= level && (!best || x->level > best->level) ? x : best;
    }
    const pdp_runs_kernel *kernel = best ? best->kernels : NULL;
    while (kernel && kernel->bytes != 0 && !(kernel->op == op && kernel->bytes == bytes)) {
        kernel++;
    }
    return kernel && kernel->bytes != 0 ? kernel : NULL;
}
