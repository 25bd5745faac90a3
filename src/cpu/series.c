/* A cell is known only after all cells before it, so the product with the weights cannot be taken at once. It is cut:
 * cells are worked in blocks, blocks of blocks, and so on. What a block gives to a later one of the same parent is a
 * middle product of the block and 2*block weights: one transform of the block when it is known, one transform of each
 * window of the weights at the start, a sum of products of transforms for each block that is begun, and one transform
 * back. Inside the smallest blocks cells are added to each other as they come.
 *
 * All that is done modulo each prime of the ring; a cell is put together from its residues when it is complete. */
#include "cpu/series.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum {
    BASE = 64,          /* cells of the smallest block */
    FACTOR = 16,        /* blocks of a block of the next level */
    MOST_WINDOWS = 40,  /* of the highest level, before there is another; costs about what a level does */
    LOG_MOST_SIZE = 19, /* of a transform: beyond, windows cost less than transforms that leave the cache */
    MOST_LEVELS = 5,
    REPORT_CELLS = 1 << 14,
    PAD = PDP_NTT_LEAST,
    NEAREST = PAD + BASE + PAD
};

typedef struct level {
    size_t block;
    unsigned log_size; /* of 2 * block */
    size_t windows;    /* window q: the weights from (q-1) * block on, q = 1 .. windows */
    uint32_t *weights[PDP_RING_MOST];
    uint32_t *cells[PDP_RING_MOST]; /* transforms of the last `windows` blocks: block c at c % windows */
} level;

typedef struct series {
    const pdp_series_job *job;
    pdp_ring ring;
    level levels[MOST_LEVELS];
    int top;
    int64_t *table;
    size_t origin; /* where the highest level's block begins */
    /* Of the cells of that block, for each prime: */
    uint32_t *sums[PDP_RING_MOST];              /* what they have so far */
    uint32_t *residues[PDP_RING_MOST];          /* what they are */
    uint32_t *nearest[PDP_RING_MOST];           /* weights[d] * 2^32 at PAD + d for d < BASE, 0 before */
    uint32_t scale[MOST_LEVELS][PDP_RING_MOST]; /* 2^64 over the length of the level's transforms */
    uint32_t *product;
    void *memory;
    size_t reported;
    size_t failed;
    pdp_progress progress;
    pdp_error *error;
} series;

/* ---- Sizes ---- */

/* Levels without their arrays; returns the highest. */
static int make_levels(level levels[MOST_LEVELS], size_t longest) {
    size_t block = BASE;
    for (int l = 0;; l++, block *= FACTOR) {
        const size_t reached = longest / block + 1;
        unsigned log_size = 1;
        while ((size_t)1 << log_size < 2 * block) {
            log_size++;
        }
        const bool is_top = reached <= MOST_WINDOWS || (2 * block) * FACTOR > (size_t)1 << LOG_MOST_SIZE;
        levels[l] = (level){.block = block, .log_size = log_size, .windows = is_top ? reached : FACTOR - 1};
        if (is_top) {
            return l;
        }
    }
}

/* 32-bit numbers for one prime, but for the product. */
static uint64_t count_words(const level levels[MOST_LEVELS], int top) {
    uint64_t words = 2 * levels[top].block + NEAREST;
    for (int l = 0; l <= top; l++) {
        words += (uint64_t)4 * levels[l].windows * levels[l].block;
    }
    return words;
}

const char *pdp_series_refuse(const pdp_series_job *job) {
    level levels[MOST_LEVELS];
    const int top = make_levels(levels, job->longest);
    return pdp_ring_count(job->kind, job->modulus, job->bits, levels[top].log_size) == 0
               ? "its weights are too large for the primes that it has"
               : NULL;
}

uint64_t pdp_series_bytes(const pdp_series_job *job) {
    level levels[MOST_LEVELS];
    const int top = make_levels(levels, job->longest);
    const unsigned count = pdp_ring_count(job->kind, job->modulus, job->bits, levels[top].log_size);
    const uint64_t words = count * count_words(levels, top) + 2 * levels[top].block;
    return pdp_bytes_add(words * sizeof(uint32_t), pdp_ring_bytes(count, levels[top].log_size));
}

double pdp_series_operations(const pdp_series_job *job) {
    level levels[MOST_LEVELS];
    const int top = make_levels(levels, job->longest);
    const unsigned count = pdp_ring_count(job->kind, job->modulus, job->bits, levels[top].log_size);
    double each =
        BASE; /* products for a cell and a prime, with their sums; two transforms of twice the block a block */
    for (int l = 0; l <= top; l++) {
        each += 2 * levels[l].log_size + (l == top ? 2.0 : 1.0) * (double)levels[l].windows;
    }
    const double presets = (double)job->preset_count; /* are only transformed: measured, 0.4 of a cell */
    return ((double)job->cells - 0.6 * presets) * each * count;
}

/* ---- The start ---- */

static uint32_t *take(uint32_t **next, size_t words) {
    uint32_t *taken = *next;
    *next += words;
    return taken;
}

/* The windows of a level, transformed. */
static void transform_weights(series *s, int l, unsigned x) {
    const pdp_series_job *job = s->job;
    level *v = &s->levels[l];
    for (size_t q = 0; q < v->windows; q++) {
        uint32_t *window = v->weights[x] + q * 2 * v->block;
        for (size_t t = 0; t < 2 * v->block; t++) {
            const size_t d = q * v->block + t;
            window[t] = d > 0 && d <= job->longest ? pdp_ring_residue(&s->ring, x, job->weights[d]) : 0;
        }
        s->ring.kernel->forward(&s->ring.moduli[x], window, v->log_size, 0);
    }
}

static pdp_status create(series *s, const pdp_series_job *job, int64_t *table, pdp_error *error) {
    *s = (series){.job = job, .table = table, .error = error, .failed = SIZE_MAX};
    s->top = make_levels(s->levels, job->longest);
    const level *highest = &s->levels[s->top];
    if (pdp_ring_create(&s->ring, job->kind, job->modulus, job->bits, highest->log_size, job->level, error) != PDP_OK) {
        return error->status;
    }
    const uint64_t words = s->ring.count * count_words(s->levels, s->top) + 2 * highest->block;
    s->memory = pdp_pages_allocate(words * sizeof(uint32_t), error);
    if (!s->memory) {
        return error->status;
    }
    uint32_t *next = s->memory;
    s->product = take(&next, 2 * highest->block);
    for (unsigned x = 0; x < s->ring.count; x++) {
        const pdp_ntt_modulus *m = &s->ring.moduli[x];
        s->sums[x] = take(&next, highest->block);
        s->residues[x] = take(&next, highest->block);
        s->nearest[x] = take(&next, NEAREST);
        memset(s->nearest[x], 0, NEAREST * sizeof(uint32_t));
        for (size_t d = 1; d < BASE && d <= job->longest; d++) {
            s->nearest[x][PAD + d] = pdp_ntt_multiply(m, pdp_ring_residue(&s->ring, x, job->weights[d]), m->square);
        }
        for (int l = 0; l <= s->top; l++) {
            level *v = &s->levels[l];
            v->weights[x] = take(&next, v->windows * 2 * v->block);
            v->cells[x] = take(&next, v->windows * 2 * v->block);
            transform_weights(s, l, x);
            const uint32_t length = (uint32_t)(((uint64_t)2 * v->block) % m->modulus);
            s->scale[l][x] = (uint32_t)((uint64_t)m->square * pdp_ntt_invert(length, m->modulus) % m->modulus);
        }
    }
    return PDP_OK;
}

static void destroy(series *s) {
    pdp_ring_free(&s->ring);
    free(s->memory);
}

/* ---- The run ---- */

/* sums[i] += what the blocks before number c of the same parent give to its cells, which begin at `at`. */
static void pull(series *s, int l, size_t c, size_t at) {
    const level *v = &s->levels[l];
    const size_t size = 2 * v->block;
    const size_t count = c < v->windows ? c : v->windows;
    const uint32_t *cells[FACTOR], *weights[FACTOR];
    for (unsigned x = 0; x < s->ring.count && count > 0; x++) {
        const pdp_ntt_modulus *m = &s->ring.moduli[x];
        uint32_t *sums = s->sums[x] + (at - s->origin);
        for (size_t begin = 1; begin <= count; begin += FACTOR) {
            size_t q = begin;
            for (; q <= count && q < begin + FACTOR; q++) {
                cells[q - begin] = v->cells[x] + (c - q) % v->windows * size;
                weights[q - begin] = v->weights[x] + (q - 1) * size;
            }
            s->ring.kernel->multiply(m, s->product, cells, weights, q - begin, size, begin > 1);
        }
        s->ring.kernel->inverse(m, s->product, v->log_size, 1);
        s->ring.kernel->add_multiple(m, sums, s->product + v->block, s->scale[l][x], v->block);
    }
}

/* Transforms block number c, which is known. */
static void push(series *s, int l, size_t c, size_t at) {
    const level *v = &s->levels[l];
    for (unsigned x = 0; x < s->ring.count; x++) {
        uint32_t *to = v->cells[x] + c % v->windows * 2 * v->block;
        memcpy(to, s->residues[x] + (at - s->origin), v->block * sizeof *to);
        s->ring.kernel->forward(&s->ring.moduli[x], to, v->log_size, 1);
    }
}

/* The cell from its sums; false if it does not fit. */
static bool close_cell(series *s, size_t i) {
    const pdp_series_job *job = s->job;
    const size_t place = i - s->origin;
    uint32_t residues[PDP_RING_MOST];
    for (unsigned x = 0; x < s->ring.count; x++) {
        residues[x] = s->sums[x][place];
    }
    pdp_wide value = pdp_ring_join(&s->ring, residues);
    if (job->source) {
        value += job->source(job->context, i);
    }
    if (job->kind == PDP_RING_EXACT && (value < job->lowest || value > job->highest)) {
        s->failed = i;
        return false;
    }
    if (job->kind == PDP_RING_MOD && value >= job->modulus) {
        value -= job->modulus;
    }
    s->table[i] = (int64_t)(uint64_t)value;
    return true;
}

static void find_residues(series *s, size_t begin, size_t end) {
    for (unsigned x = 0; x < s->ring.count; x++) {
        for (size_t i = begin; i < end; i++) {
            s->residues[x][i - s->origin] = pdp_ring_residue(&s->ring, x, s->table[i]);
        }
    }
}

/* The cells of a smallest block: each is added to those after it. */
static bool fill_cells(series *s, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        if (i >= s->job->preset_count) {
            if (!close_cell(s, i)) {
                return false;
            }
            find_residues(s, i, i + 1);
        }
        const size_t place = i - first;
        const size_t begin = place / PAD * PAD; /* whole vectors: weights of what is not after it are 0 */
        for (unsigned x = 0; x < s->ring.count; x++) {
            s->ring.kernel->add_multiple(&s->ring.moduli[x], s->sums[x] + (first - s->origin) + begin,
                                         s->nearest[x] + PAD + begin - place, s->residues[x][i - s->origin],
                                         BASE - begin);
        }
    }
    return true;
}

/* Starts a block of the highest level. */
static void open_block(series *s, size_t first, size_t end) {
    s->origin = first;
    for (unsigned x = 0; x < s->ring.count; x++) {
        memset(s->sums[x], 0, s->levels[s->top].block * sizeof(uint32_t));
    }
    find_residues(s, first, s->job->preset_count < end ? s->job->preset_count : end);
}

/* ST[i] for first <= i < end, whose sums have all terms from cells before `first`: blocks of this level in order, each
 * with what those before it give. */
static bool fill(series *s, int l, size_t first, size_t end) {
    const size_t block = s->levels[l].block;
    size_t c = 0;
    for (size_t at = first; at < end; at += block, c++) {
        const size_t stop = end - at > block ? at + block : end;
        if (l == s->top) {
            open_block(s, at, stop);
        }
        if (stop > s->job->preset_count) {
            pull(s, l, c, at);
            if (l == 0 ? !fill_cells(s, at, stop) : !fill(s, l - 1, at, stop)) {
                return false;
            }
        }
        if (stop < end) {
            push(s, l, c, at);
        }
        if (stop >= s->reported + REPORT_CELLS) {
            s->reported = stop;
            if (pdp_progress_tell(s->progress, (double)stop / (double)s->job->cells, s->error) != PDP_OK) {
                return false;
            }
        }
    }
    return true;
}

pdp_status pdp_series_solve(const pdp_series_job *job, int64_t *table, size_t *failed, pdp_progress progress,
                            pdp_error *error) {
    series s;
    if (create(&s, job, table, error) == PDP_OK) {
        s.progress = progress;
        fill(&s, s.top, 0, job->cells);
    }
    *failed = s.failed;
    destroy(&s);
    return error->status != PDP_OK ? error->status : s.failed != SIZE_MAX ? PDP_OVERFLOW : PDP_OK;
}
