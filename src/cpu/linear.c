/* The blocked engine.
 *
 * Cells are worked in blocks of a few thousand. An offset of at least the block's size reads only cells before
 * the block, so these far terms are added to all of its cells at once, a register group of vectors at a time; the
 * others are added to smaller blocks inside it in the same way, down to one vector, whose last terms the
 * kernel adds lane by lane. What is added at one level is cut into passes: ranges of offsets whose operands, for
 * one register group, fit into the first cache.
 *
 * A vector load that crosses a cache line takes two. So in a dense pass the terms are grouped by
 * a mod lanes, and the terms of class r are added to vectors of cells that begin r after a multiple of the lanes:
 * their operands are then aligned. The sums are not, but they are touched once a class, the operands once a term.
 *
 * Threads take blocks in turn. Passes come in falling order of offsets, so most of a block's work needs only
 * cells that were final long ago; a thread waits where the next pass needs cells that another has in work. */
#include "cpu/linear.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/memory.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

#define ALIGNMENT 64
#define BLOCK_BYTES (12 << 10)   /* sums of a block */
#define WIDE_BYTES (64 << 10)    /* the same at most where offsets lie far apart, ... */
#define WIDE_TERMS 64            /* ... so many times as far as they do, ... */
#define WIDE_BACK 64             /* ... and so many times in the greatest offset, for as many threads as there are */
#define PASS_BYTES (24 << 10)    /* operands of a pass for one cell: most of a 32 KiB cache */
#define PASS_LEAST 16            /* terms of a pass, however far apart: sums are loaded and stored once for them */
#define PASS_MOST 8192           /* and at most, so that a pass is soon over */
#define CLASS_COST 10            /* of loading and storing unaligned sums, in aligned updates */
#define BLOCKS_BACK 16           /* that the greatest offset reaches at least, so that threads can work on several */
#define THREAD_BLOCKS 4          /* of these for a thread */
#define THREAD_UPDATES (1 << 23) /* fewer are not worth a thread */
#define LEVELS 4                 /* block, register group, small group, vector */
#define SMALL_GROUP 4            /* vectors */
#define NEAR_FEW 4               /* terms below the lanes that are added cell by cell */
#define REPORT_SECONDS 0.02
#define REPORT_UPDATES (1 << 16) /* of vectors, after which a thread looks at the clock */
#define LEAST_BLOCKS 16          /* however few cells there are */

typedef struct term_segment {
    int64_t begin, end;             /* of the terms */
    int64_t pairs[PDP_LINEAR_GAPS]; /* of them, as in pdp_linear_terms */
    int64_t residue;                /* modulo the lanes, if the pass is by classes */
} term_segment;

typedef struct term_pass {
    size_t first_segment, end_segment;
    int64_t least, greatest; /* offset */
    int64_t count;
    bool by_class;
} term_pass;

typedef struct block_level {
    int64_t size; /* cells; no offset of its passes is below it */
    size_t first_pass, end_pass;
} block_level;

typedef struct plan {
    const pdp_linear_job *job;
    const pdp_linear_kernel *kernel;
    int64_t lanes, element_bytes;
    int64_t presets;
    int64_t start; /* cells to fill, from the vector in which the presets end */
    int64_t end;
    int64_t count;    /* terms that reach any cell */
    int64_t greatest; /* offset of those */
    int64_t *offsets, *numbers, *spare_offsets, *spare_numbers;
    unsigned char *weights, *near_weights, *near_present;
    block_level levels[LEVELS];
    int level_count;
    term_pass *passes;
    size_t pass_count;
    term_segment *segments;
    size_t segment_count;
    int64_t near_begin;
    int64_t rounds;
} plan;

/* ---- The plan ---- */

static int64_t round_up(int64_t value, int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/* Whether classes pay for a pass of so many terms over so many vectors. */
static bool prefer_classes(const plan *p, int64_t count, int64_t vectors) {
    if (p->kernel->keeps_order || p->lanes == 1) {
        return false;
    }
    const double lines = 1.0 + (double)(p->lanes * p->element_bytes) / ALIGNMENT;
    const double direct = (double)vectors * (lines * (double)count + CLASS_COST / 2.0);
    return (double)(vectors + 1) * (double)(count + CLASS_COST * p->lanes) < direct;
}

/* Sums of a block. Where a pass has more cells between its offsets than the first cache holds, its operands come from
 * further away; in a longer block those of one term are also those of the next ones, a little later. */
static int64_t block_bytes(int64_t count, int64_t greatest, int64_t element_bytes, bool keeps_order) {
    const int64_t most = WIDE_BYTES / element_bytes, apart = greatest / (count > 0 ? count : 1);
    int64_t wide = apart < most / WIDE_TERMS ? apart * WIDE_TERMS : most;
    wide = greatest / WIDE_BACK < wide ? greatest / WIDE_BACK : wide;
    return wide * element_bytes > BLOCK_BYTES && !keeps_order ? wide * element_bytes : BLOCK_BYTES;
}

/* Sizes of the levels: the block, then register groups. A pass by classes takes one vector more than the
 * block has; where most passes are dense, sizes are such that this makes whole groups. */
static void set_level_sizes(plan *p) {
    for (int64_t t = 0; t < p->count; t++) {
        p->greatest = p->offsets[t] > p->greatest ? p->offsets[t] : p->greatest;
    }
    const int64_t group = p->kernel->group;
    const int64_t span = PASS_BYTES / p->element_bytes;
    const double density = (double)p->count / (double)(p->greatest > 0 ? p->greatest : 1);
    const int64_t extra = prefer_classes(p, (int64_t)(density * (double)span), group) ? 1 : 0;
    int64_t block = block_bytes(p->count, p->greatest, p->element_bytes, p->kernel->keeps_order) / p->element_bytes;
    block = p->greatest / BLOCKS_BACK < block ? p->greatest / BLOCKS_BACK : block;
    block = (p->end - p->start) / LEAST_BLOCKS < block ? (p->end - p->start) / LEAST_BLOCKS : block;
    int64_t groups = block / (group * p->lanes);
    groups = groups > 1 ? groups : 1;
    const int64_t sizes[LEVELS] = {group * groups - extra, group - extra, SMALL_GROUP, 1};
    for (int l = 0; l < LEVELS; l++) {
        if (p->level_count == 0 || sizes[l] * p->lanes < p->levels[p->level_count - 1].size) {
            p->levels[p->level_count++].size = sizes[l] * p->lanes;
        }
    }
}

/* Sorts the terms by falling offsets; equal ones keep their order. Byte by byte, from the lowest. */
static void sort_terms(plan *p) {
    int64_t all_bits = 0;
    bool sorted = true;
    for (int64_t t = 0; t < p->count; t++) {
        all_bits |= p->offsets[t];
        sorted = sorted && (t == 0 || p->offsets[t - 1] >= p->offsets[t]);
    }
    for (int shift = 0; !sorted && all_bits >> shift != 0; shift += 8) {
        int64_t position[257] = {0};
        for (int64_t t = 0; t < p->count; t++) {
            position[256 - ((p->offsets[t] >> shift) & 255)]++;
        }
        for (int digit = 0; digit < 256; digit++) {
            position[digit + 1] += position[digit];
        }
        for (int64_t t = 0; t < p->count; t++) {
            const int64_t to = position[255 - ((p->offsets[t] >> shift) & 255)]++;
            p->spare_offsets[to] = p->offsets[t];
            p->spare_numbers[to] = p->numbers[t];
        }
        int64_t *swap = p->offsets;
        p->offsets = p->spare_offsets;
        p->spare_offsets = swap;
        swap = p->numbers;
        p->numbers = p->spare_numbers;
        p->spare_numbers = swap;
    }
}

/* Copies a term from the spare arrays. */
static void put_term(plan *p, int64_t to, int64_t from) {
    p->offsets[to] = p->spare_offsets[from];
    p->numbers[to] = p->spare_numbers[from];
}

static void copy_to_spare(plan *p, int64_t begin, int64_t end) {
    memcpy(p->spare_offsets + begin, p->offsets + begin, (size_t)(end - begin) * sizeof(int64_t));
    memcpy(p->spare_numbers + begin, p->numbers + begin, (size_t)(end - begin) * sizeof(int64_t));
}

/* Orders the terms begin .. end-1, which are sorted by class: pairs of each gap, then those without a partner. */
static void pair_terms(plan *p, term_segment *segment) {
    copy_to_spare(p, segment->begin, segment->end);
    const int64_t *offsets = p->spare_offsets;
    int64_t to = segment->begin;
    for (int64_t kind = 0; kind <= PDP_LINEAR_GAPS; kind++) {
        bool paired = false;
        for (int64_t t = segment->begin; t < segment->end; t += paired ? 2 : 1) {
            const int64_t apart = t + 1 < segment->end ? offsets[t] - offsets[t + 1] : 0;
            paired = apart > 0 && apart % p->lanes == 0 && apart <= PDP_LINEAR_GAPS * p->lanes;
            if (paired && apart / p->lanes == kind + 1) {
                put_term(p, to++, t);
                put_term(p, to++, t + 1);
                segment->pairs[kind]++;
            } else if (!paired && kind == PDP_LINEAR_GAPS) {
                put_term(p, to++, t);
            }
        }
    }
}

/* Orders the terms begin .. end-1 by class and by pairs; a segment for each class, or one for all. */
static void make_segments(plan *p, int64_t begin, int64_t end, bool by_class) {
    if (p->kernel->keeps_order || p->lanes == 1) {
        p->segments[p->segment_count++] = (term_segment){.begin = begin, .end = end};
        return;
    }
    copy_to_spare(p, begin, end);
    int64_t to = begin;
    for (int64_t residue = 0; residue < p->lanes; residue++) {
        for (int64_t t = begin; t < end; t++) {
            if (p->spare_offsets[t] % p->lanes == residue) {
                put_term(p, to++, t);
            }
        }
    }
    while (begin < end) {
        term_segment made = {.begin = begin, .end = begin, .residue = by_class ? p->offsets[begin] % p->lanes : 0};
        while (made.end < end && (!by_class || p->offsets[made.end] % p->lanes == made.residue)) {
            made.end++;
        }
        pair_terms(p, &made);
        p->segments[p->segment_count++] = made;
        begin = made.end;
    }
}

/* One pass of the level, from `begin` and not beyond `end`; returns where it ends. */
static int64_t make_pass(plan *p, const block_level *level, int64_t begin, int64_t end) {
    int64_t span = PASS_BYTES / p->element_bytes;
    if (level == p->levels && !p->kernel->keeps_order && p->offsets[begin] / 2 < span) {
        span = p->offsets[begin] / 2; /* not to wait with all for the operands of the nearest */
    }
    term_pass made = {p->segment_count, 0, p->offsets[begin], p->offsets[begin], 0, false};
    int64_t t = begin;
    for (; t < end && t - begin < PASS_MOST; t++) {
        const int64_t least = p->offsets[t] < made.least ? p->offsets[t] : made.least;
        const int64_t greatest = p->offsets[t] > made.greatest ? p->offsets[t] : made.greatest;
        if (t - begin >= PASS_LEAST && greatest - least > span) {
            break;
        }
        made.least = least;
        made.greatest = greatest;
    }
    made.count = t - begin;
    made.by_class = prefer_classes(p, made.count, level->size / p->lanes);
    make_segments(p, begin, t, made.by_class);
    made.end_segment = p->segment_count;
    p->passes[p->pass_count++] = made;
    return t;
}

/* Gives each level the terms, next in the order, whose offsets are at least its size. Levels below the block's that
 * get none are left out. */
static void make_passes(plan *p) {
    const int level_count = p->level_count;
    int64_t t = 0;
    p->level_count = 0;
    for (int l = 0; l < level_count && (l < 2 || p->count - t > NEAR_FEW); l++) {
        int64_t end = t;
        while (end < p->count && p->offsets[end] >= p->levels[l].size) {
            end++;
        }
        if (l > 0 && t == end) {
            continue;
        }
        block_level *level = &p->levels[p->level_count++];
        level->size = p->levels[l].size;
        level->first_pass = p->pass_count;
        while (t < end) {
            t = make_pass(p, level, t, end);
        }
        level->end_pass = p->pass_count;
    }
    p->near_begin = t;
}

/* Rounds of the terms with offsets below the lanes: the most with one and the same. None if the terms are few. */
static int64_t count_rounds(const pdp_linear_job *job) {
    int64_t seen[ALIGNMENT] = {0};
    int64_t rounds = 0;
    int64_t near = 0;
    for (size_t j = 0; j < job->offset_count && !job->kernel->keeps_order; j++) {
        if (job->offsets[j] < job->kernel->lanes) {
            const int64_t times = ++seen[job->offsets[j]];
            rounds = times > rounds ? times : rounds;
            near++;
        }
    }
    return near > NEAR_FEW ? rounds : 0;
}

/* Rows of weights by distance for the terms that stay inside a vector; see pdp_linear_near. */
static pdp_status make_near_rounds(plan *p, pdp_error *error) {
    const size_t row = 2 * (size_t)p->lanes;
    const size_t size = (size_t)p->element_bytes;
    const size_t values = (size_t)p->kernel->values_per_offset;
    size_t seen[ALIGNMENT] = {0};
    p->rounds = count_rounds(p->job);
    p->near_weights = pdp_array_allocate((size_t)p->rounds * values * row, size, error);
    p->near_present = pdp_array_allocate((size_t)p->rounds * row, size, error);
    if (!p->near_weights || !p->near_present) {
        return PDP_NO_MEMORY;
    }
    for (int64_t t = p->near_begin; t < p->count && p->rounds > 0; t++) {
        const size_t round = seen[p->offsets[t]]++;
        const size_t entry = (size_t)(p->lanes + p->offsets[t]);
        memset(p->near_present + (round * row + entry) * size, 0xff, size);
        for (size_t q = 0; q < values; q++) {
            memcpy(p->near_weights + ((round * values + q) * row + entry) * size,
                   p->weights + ((size_t)t * values + q) * size, size);
        }
    }
    return PDP_OK;
}

static size_t most_passes(size_t terms) {
    return terms / PASS_LEAST + LEVELS;
}

/* A pass by classes has at least CLASS_COST terms a class, whatever the lanes: see prefer_classes. */
static size_t most_segments(size_t terms) {
    return terms / CLASS_COST + most_passes(terms);
}

static void plan_free(plan *p) {
    free(p->offsets);
    free(p->numbers);
    free(p->spare_offsets);
    free(p->spare_numbers);
    free(p->weights);
    free(p->near_weights);
    free(p->near_present);
    free(p->passes);
    free(p->segments);
}

static pdp_status plan_create(plan *p, const pdp_linear_job *job, pdp_error *error) {
    const int64_t lanes = job->kernel->lanes;
    *p = (plan){.job = job, .kernel = job->kernel, .lanes = lanes, .element_bytes = job->kernel->element_bytes};
    p->end = (int64_t)job->cells;
    p->presets = (int64_t)(job->preset_count < job->cells ? job->preset_count : job->cells);
    p->start = p->presets == p->end ? p->end : p->presets / lanes * lanes;
    p->offsets = pdp_array_allocate(job->offset_count, sizeof(int64_t), error);
    p->numbers = pdp_array_allocate(job->offset_count, sizeof(int64_t), error);
    p->spare_offsets = pdp_array_allocate(job->offset_count, sizeof(int64_t), error);
    p->spare_numbers = pdp_array_allocate(job->offset_count, sizeof(int64_t), error);
    p->passes = pdp_array_allocate(most_passes(job->offset_count), sizeof(term_pass), error);
    p->segments = pdp_array_allocate(most_segments(job->offset_count), sizeof(term_segment), error);
    p->weights =
        pdp_array_allocate(job->offset_count * (size_t)job->kernel->values_per_offset, (size_t)p->element_bytes, error);
    if (!p->offsets || !p->numbers || !p->spare_offsets || !p->spare_numbers || !p->passes || !p->segments ||
        !p->weights) {
        return PDP_NO_MEMORY;
    }
    for (size_t j = 0; j < job->offset_count; j++) {
        if (job->offsets[j] < p->end) {
            p->offsets[p->count] = job->offsets[j];
            p->numbers[p->count++] = (int64_t)j;
        }
    }
    set_level_sizes(p);
    if (!job->kernel->keeps_order) {
        sort_terms(p);
    }
    make_passes(p);
    free(p->spare_offsets);
    free(p->spare_numbers);
    p->spare_offsets = p->spare_numbers = NULL;
    if (p->start < p->end) { /* else there is no term, and a weight may not exist */
        job->kernel->weigh(job->data, p->numbers, p->count, p->weights);
    }
    return make_near_rounds(p, error);
}

/* ---- The run ---- */

typedef struct run {
    const plan *plan;
    unsigned char *table;
    pdp_progress progress;
    pdp_error *error;
    pdp_status status;  /* the calling thread's */
    double reported_at; /* likewise */
    atomic_int_least64_t next_block;
    atomic_int_least64_t final; /* cells before this are in the table */
    atomic_int_least64_t done;  /* terms times vectors */
    atomic_bool stop;
} run;

/* What one thread works with. */
typedef struct worker {
    run *run;
    bool reports;    /* it is the calling thread */
    int64_t updates; /* since it looked at the clock */
    pdp_linear_block block;
} worker;

/* Tells how far the run is, if it is time. False if the run is to stop. */
static bool check_in(worker *w) {
    run *r = w->run;
    if (w->updates < REPORT_UPDATES) {
        return true;
    }
    w->updates = 0;
    if (w->reports && r->progress.report) {
        const double now = pdp_clock_seconds();
        if (now - r->reported_at >= REPORT_SECONDS) {
            const double all = (double)r->plan->count * (double)(r->plan->end - r->plan->start);
            const double share = (double)atomic_load_explicit(&r->done, memory_order_relaxed) * (double)r->plan->lanes /
                                 (all > 0 ? all : 1);
            r->reported_at = now;
            r->status = pdp_progress_tell(r->progress, share < 1 ? share : 1, r->error);
            if (r->status != PDP_OK) {
                atomic_store(&r->stop, true);
            }
        }
    }
    return !atomic_load_explicit(&r->stop, memory_order_relaxed);
}

/* Waits until the cells before this one are final. False if the run is to stop. */
static bool wait_for(worker *w, int64_t cell) {
    for (unsigned spins = 0; atomic_load_explicit(&w->run->final, memory_order_acquire) < cell; spins++) {
        if (spins % 64 == 63) {
            w->updates = REPORT_UPDATES;
            if (!check_in(w)) {
                return false;
            }
            sched_yield();
        }
    }
    return true;
}

static pdp_linear_terms take_terms(const plan *p, int64_t begin, int64_t end) {
    const size_t bytes = (size_t)p->kernel->values_per_offset * (size_t)p->element_bytes;
    return (pdp_linear_terms){
        p->offsets + begin, p->numbers + begin, p->weights + (size_t)begin * bytes, end - begin, {0}};
}

static pdp_linear_terms take_segment(const plan *p, const term_segment *segment) {
    pdp_linear_terms terms = take_terms(p, segment->begin, segment->end);
    memcpy(terms.pairs, segment->pairs, sizeof terms.pairs);
    return terms;
}

static void accumulate(worker *w, pdp_linear_terms terms, int64_t cell, int64_t vectors) {
    const plan *p = w->run->plan;
    w->updates += terms.count * vectors;
    for (; vectors > 0; vectors -= p->kernel->group, cell += p->kernel->group * p->lanes) {
        p->kernel->accumulate(p->job->data, &w->block, &terms, w->run->table, cell,
                              vectors < p->kernel->group ? vectors : p->kernel->group);
    }
}

/* All terms of the pass, for cells so far from the table's begin that all have all operands. */
static bool add_whole_pass(worker *w, const term_pass *pass, int64_t first, int64_t end) {
    const plan *p = w->run->plan;
    const int64_t start = pass->by_class ? first - p->lanes : first;
    const int64_t stride = p->kernel->group * p->lanes;
    for (int64_t cell = start; cell < end; cell += stride) {
        const int64_t vectors = cell + stride < end ? p->kernel->group : (end - cell) / p->lanes;
        for (size_t s = pass->first_segment; s < pass->end_segment; s++) {
            const term_segment *segment = &p->segments[s];
            accumulate(w, take_segment(p, segment), cell + segment->residue, vectors);
        }
        if (!check_in(w)) {
            return false;
        }
    }
    return true;
}

/* Where some cells have no operand: terms that all have are still taken together, the others one by one. */
static bool add_part_of_pass(worker *w, const term_pass *pass, int64_t first, int64_t end) {
    const plan *p = w->run->plan;
    for (size_t s = pass->first_segment; s < pass->end_segment; s++) {
        const term_segment *segment = &p->segments[s];
        const int64_t start = pass->by_class ? first - p->lanes + segment->residue : first;
        for (int64_t t = segment->begin; t < segment->end;) {
            int64_t together = t;
            while (together < segment->end && p->offsets[together] <= start) {
                together++;
            }
            if (together > t) {
                accumulate(w, take_terms(p, t, together), start, (end - first) / p->lanes + (pass->by_class ? 1 : 0));
                t = together;
            } else {
                const int64_t cell = p->offsets[t] > first ? p->offsets[t] : first;
                if (cell < end) {
                    accumulate(w, take_terms(p, t, t + 1), cell, (end - cell + p->lanes - 1) / p->lanes);
                }
                t++;
            }
            if (!check_in(w)) {
                return false;
            }
        }
    }
    return true;
}

/* sum[i] = sum[i] (+) term(T[i - a]) for the pass's terms and first <= i < end, whole vectors. Vectors that
 * do not begin at a multiple of the lanes reach beyond the end, into sums that are not theirs. */
static bool add_pass(worker *w, const term_pass *pass, int64_t first, int64_t end) {
    const plan *p = w->run->plan;
    if (pass->least >= end) {
        return true;
    }
    if (!pass->by_class && pass->greatest <= first) {
        return add_whole_pass(w, pass, first, end);
    }
    unsigned char saved[ALIGNMENT];
    unsigned char *beyond = (unsigned char *)w->block.sums + (end - w->block.first) * p->element_bytes;
    memcpy(saved, beyond, (size_t)(p->lanes * p->element_bytes));
    const bool whole = pass->by_class && pass->greatest + p->lanes <= first;
    const bool go_on = whole ? add_whole_pass(w, pass, first, end) : add_part_of_pass(w, pass, first, end);
    memcpy(beyond, saved, (size_t)(p->lanes * p->element_bytes));
    return go_on;
}

/* T[i] for first <= i < end, whose sums have the terms of all levels above this one: blocks of this level's
 * size in order, each with this level's terms at once and then the levels below inside it. */
static bool fill_cells(worker *w, int l, int64_t first, int64_t end) {
    const plan *p = w->run->plan;
    if (l == p->level_count || l == LEVELS) {
        const pdp_linear_near near = {take_terms(p, p->near_begin, p->count), p->near_weights, p->near_present,
                                      p->rounds};
        p->kernel->finish(p->job->data, &w->block, &near, w->run->table, first, end);
        w->updates += near.terms.count * (end - first);
        return check_in(w);
    }
    const block_level *level = &p->levels[l];
    for (int64_t cell = first; cell < end; cell += level->size) {
        const int64_t stop = cell + level->size < end ? cell + level->size : end;
        for (size_t i = level->first_pass; i < level->end_pass; i++) {
            if (!add_pass(w, &p->passes[i], cell, stop)) {
                return false;
            }
        }
        if (!fill_cells(w, l + 1, cell, stop)) {
            return false;
        }
        if (l == 1 && stop < end) { /* the end is its block's to publish: cells are final once, in order */
            atomic_store_explicit(&w->run->final, stop, memory_order_release);
        }
    }
    return true;
}

/* Start values for the block's sums. Lanes that hold no cell of it, and those that read a cell before it is final,
 * compute nothing that counts; for them there is zero, and in the table the start value, so that they compute with
 * values like any other. */
static void open_block(worker *w, int64_t end) {
    const plan *p = w->run->plan;
    const pdp_linear_block *block = &w->block;
    const size_t bytes = (size_t)p->element_bytes;
    unsigned char *sums = block->sums;
    memset(sums - (size_t)p->lanes * bytes, 0, (size_t)(p->lanes + block->begin - block->first) * bytes);
    memset(sums + (size_t)(block->end - block->first) * bytes, 0, (size_t)(end + p->lanes - block->end) * bytes);
    p->kernel->open(p->job->data, block);
    memcpy(w->run->table + (size_t)block->begin * bytes, sums + (size_t)(block->begin - block->first) * bytes,
           (size_t)(end - block->begin) * bytes);
}

/* The block's far terms as their operands become final, then the rest of it. */
static bool fill_block(worker *w) {
    const plan *p = w->run->plan;
    const pdp_linear_block *block = &w->block;
    const int64_t end = round_up(block->end, p->lanes);
    const int64_t vectors = (end - block->first) / p->lanes;
    int64_t left = p->count;
    open_block(w, end);
    for (size_t i = p->levels[0].first_pass; i < p->levels[0].end_pass; i++) {
        const term_pass *pass = &p->passes[i];
        /* A vector too far, because of those that begin between multiples of the lanes. */
        const int64_t need = end - pass->least + 2 * p->lanes;
        if (!wait_for(w, need < block->first ? need : block->first) || !add_pass(w, pass, block->first, end)) {
            return false;
        }
        atomic_fetch_add_explicit(&w->run->done, pass->count * vectors, memory_order_relaxed);
        left -= pass->count;
    }
    if (!wait_for(w, block->first) || !fill_cells(w, 1, block->first, end)) {
        return false;
    }
    atomic_store_explicit(&w->run->final, end, memory_order_release);
    atomic_fetch_add_explicit(&w->run->done, left * vectors, memory_order_relaxed);
    return true;
}

/* Elements of a block's sums, or of one of its {i} values, with a vector before and one after. */
static int64_t row_elements(const plan *p) {
    return round_up(p->levels[0].size + 2 * p->lanes, ALIGNMENT);
}

static void work(run *r, unsigned char *scratch, bool reports) {
    const plan *p = r->plan;
    const int64_t row = row_elements(p);
    worker w = {.run = r, .reports = reports, .block.origin = (int64_t)p->job->origin};
    w.block.sums = scratch + p->lanes * p->element_bytes;
    w.block.values = (unsigned char *)w.block.sums + row * p->element_bytes;
    w.block.stride = row;
    bool go_on = true;
    while (go_on) {
        w.block.first = p->start + p->levels[0].size * atomic_fetch_add(&r->next_block, 1);
        if (w.block.first >= p->end) {
            break;
        }
        w.block.begin = w.block.first > p->presets ? w.block.first : p->presets;
        w.block.end = w.block.first + p->levels[0].size < p->end ? w.block.first + p->levels[0].size : p->end;
        go_on = fill_block(&w);
    }
    if (go_on && reports) {
        wait_for(&w, p->end);
    }
}

/* As many threads as there is work for, and as blocks can be in work at once. */
static size_t count_threads(const plan *p) {
    const double updates = (double)p->count * (double)(p->end - p->start);
    const int64_t back = p->greatest / (THREAD_BLOCKS * p->levels[0].size);
    int64_t threads = p->job->threads;
    threads = back < threads ? back : threads;
    threads = updates < (double)threads * THREAD_UPDATES ? (int64_t)(updates / THREAD_UPDATES) : threads;
    return threads > 1 ? (size_t)threads : 1;
}

/* Runs the threads, each on its own scratch. */
static pdp_status run_threads(run *r, pdp_error *error) {
    const plan *p = r->plan;
    const size_t count = count_threads(p);
    const size_t bytes = (size_t)(row_elements(p) * p->element_bytes * (1 + p->kernel->values_per_cell));
    unsigned char *scratch = pdp_array_allocate(count + 1, bytes, error);
    if (!scratch) {
        return PDP_NO_MEMORY;
    }
    unsigned char *aligned = scratch + (ALIGNMENT - (uintptr_t)scratch % ALIGNMENT);
#if defined(_OPENMP)
#pragma omp parallel num_threads((int)count)
    work(r, aligned + (size_t)omp_get_thread_num() * bytes, omp_get_thread_num() == 0);
#else
    work(r, aligned, true);
#endif
    free(scratch);
    return r->status;
}

pdp_status pdp_linear_solve(const pdp_linear_job *job, void *table, pdp_progress progress, pdp_error *error) {
    plan p;
    pdp_status status = plan_create(&p, job, error);
    if (status == PDP_OK) {
        run r = {.plan = &p, .table = table, .progress = progress, .error = error};
        r.reported_at = pdp_clock_seconds();
        atomic_init(&r.next_block, 0);
        atomic_init(&r.final, p.start);
        atomic_init(&r.done, 0);
        atomic_init(&r.stop, false);
        if (job->origin == 0) {
            job->kernel->preset(job->data, table, 0, p.presets);
        }
        if (p.start < p.end) {
            status = run_threads(&r, error);
        }
    }
    plan_free(&p);
    return status;
}

uint64_t pdp_linear_table_bytes(const pdp_linear_job *job) {
    const uint64_t lanes = (uint64_t)job->kernel->lanes;
    return pdp_bytes_multiply(pdp_bytes_add(job->cells, lanes - 1) / lanes,
                              lanes * (uint64_t)job->kernel->element_bytes);
}

uint64_t pdp_linear_scratch_bytes(const pdp_linear_job *job) {
    const uint64_t size = (uint64_t)job->kernel->element_bytes;
    const uint64_t values = (uint64_t)job->kernel->values_per_offset;
    const uint64_t term = 4 * sizeof(int64_t) + values * size;
    const uint64_t round = (1 + values) * 2 * (uint64_t)job->kernel->lanes * size;
    int64_t count = 0, greatest = 0;
    for (size_t j = 0; j < job->offset_count; j++) {
        const bool reaches = job->offsets[j] < (int64_t)job->cells;
        count += reaches;
        greatest = reaches && job->offsets[j] > greatest ? job->offsets[j] : greatest;
    }
    const uint64_t sums = (uint64_t)block_bytes(count, greatest, (int64_t)size, job->kernel->keeps_order);
    const uint64_t block = (sums + (uint64_t)(4 * ALIGNMENT) * size) * (1 + (uint64_t)job->kernel->values_per_cell);
    uint64_t bytes = pdp_bytes_multiply(job->offset_count, term);
    bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(most_passes(job->offset_count), sizeof(term_pass)));
    bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(most_segments(job->offset_count), sizeof(term_segment)));
    bytes = pdp_bytes_add(bytes, pdp_bytes_multiply((uint64_t)count_rounds(job), round));
    return pdp_bytes_add(bytes, pdp_bytes_multiply((uint64_t)job->threads + 1, block));
}
