/* The smallest key of all belongs to a preset or a source p, and so to every cell that p reaches by offsets: these are
 * settled, and nothing that comes later can change them. Then the next smallest key, and so on, as in Dijkstra's
 * algorithm. What is settled leaves a bit set; the cells that p reaches in one step and that are not settled yet are
 * the offsets' bits, moved up by p, and those of the set: 512 cells at a time, and groups without any are skipped.
 * Where offsets are dense, one key settles nearly everything after a few dozen steps. */
#include "cpu/settle.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "cpu/offset_set.h"

/* Words of the set that are looked at together, and how often 64 bits can become one: for 2^40 cells. */
enum { GROUP = PDP_OFFSET_PADDING, GROUP_CELLS = 64 * GROUP, MOST_TIERS = 6 };

/* What a step takes at least, and what it takes for a group, in operations. */
static const double step_work = 2, group_work = 5;

/* A preset or source that waits for its turn. */
typedef struct origin {
    int64_t key;
    size_t cell;
} origin;

typedef struct settler {
    const pdp_settle_job *job;
    pdp_offset_set offsets;
    int64_t *keys;
    uint64_t *open;              /* the cells that are not settled, a bit each, in whole groups */
    size_t left;                 /* how many */
    uint64_t *tiers[MOST_TIERS]; /* a bit for each group with such cells; for each word of that which is not 0; ... */
    size_t tier_count;
    origin *heap; /* the smallest key first */
    size_t heap_count;
    size_t *queue; /* settled by a step, and still to step from: in the order of their keys */
    size_t queue_head;
    size_t queue_end;
    unsigned by_items; /* so many steps more, before groups are tried again */
    double work;       /* operations so far */
    double told;       /* of them, when progress was last told */
} settler;

/* ---- Origins ---- */

static void sink(origin *heap, size_t count, size_t at) {
    const origin moved = heap[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && heap[child + 1].key < heap[child].key;
        if (heap[child].key >= moved.key) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static size_t origin_count(const pdp_settle_job *job) {
    return job->has_source ? job->cells : job->preset_count;
}

static void make_heap(settler *s) {
    s->heap_count = origin_count(s->job);
    for (size_t i = 0; i < s->heap_count; i++) {
        s->heap[i] = (origin){s->keys[i], i};
    }
    for (size_t at = s->heap_count / 2; at-- > 0;) {
        sink(s->heap, s->heap_count, at);
    }
}

static size_t pop(settler *s) {
    const size_t cell = s->heap[0].cell;
    s->heap[0] = s->heap[--s->heap_count];
    if (s->heap_count > 0) {
        sink(s->heap, s->heap_count, 0);
    }
    for (size_t count = s->heap_count; count > 0; count /= 2) {
        s->work++;
    }
    return cell;
}

/* ---- Groups ---- */

static size_t group_count(size_t cells) {
    return (cells + GROUP_CELLS - 1) / GROUP_CELLS;
}

/* Words of the set and of its tiers, each of which has one more that stays 0. Sets where they begin if there is a
 * settler. */
static size_t count_words(size_t cells, settler *s, uint64_t *memory) {
    size_t words = group_count(cells) * GROUP;
    for (size_t t = 0, bits = group_count(cells); t == 0 || bits > 1; t++) {
        if (s) {
            s->tiers[t] = memory + words;
            s->tier_count = t + 1;
        }
        bits = (bits + 63) / 64;
        words += bits + 1;
    }
    return words;
}

static void open_cells(settler *s, uint64_t *memory) {
    const size_t cells = s->job->cells;
    s->open = memory;
    count_words(cells, s, memory);
    s->left = cells - s->job->preset_count;
    for (size_t i = s->job->preset_count; i < cells; i++) {
        s->open[i / 64] |= UINT64_C(1) << i % 64;
    }
    for (size_t group = s->job->preset_count / GROUP_CELLS; group < group_count(cells); group++) {
        for (size_t t = 0, bit = group; t < s->tier_count; t++, bit /= 64) {
            s->tiers[t][bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
}

/* The first group from here on that has open cells; SIZE_MAX if there is none. */
static size_t find_group(const settler *s, size_t group) {
    size_t t = 0;
    for (;; t++, group = group / 64 + 1) {
        if (t == s->tier_count) {
            return SIZE_MAX;
        }
        const uint64_t left = s->tiers[t][group / 64] >> group % 64;
        if (left != 0) {
            group += (size_t)__builtin_ctzll(left);
            break;
        }
    }
    while (t > 0) {
        group = 64 * group + (size_t)__builtin_ctzll(s->tiers[--t][group]);
    }
    return group;
}

/* After cells of the group were settled. */
static void check_group(settler *s, size_t group) {
    uint64_t any = 0;
    for (size_t x = 0; x < GROUP; x++) {
        any |= s->open[GROUP * group + x];
    }
    for (size_t t = 0, bit = group; any == 0 && t < s->tier_count; t++, bit /= 64) {
        s->tiers[t][bit / 64] &= ~(UINT64_C(1) << bit % 64);
        any = s->tiers[t][bit / 64];
    }
}

/* ---- Steps ---- */

/* Settles the open cells of a word's bits. One with a smaller source of its own waits for that. */
static void settle_bits(settler *s, size_t word, uint64_t bits, int64_t key) {
    for (; bits != 0; bits &= bits - 1) {
        const size_t cell = 64 * word + (size_t)__builtin_ctzll(bits);
        if (s->keys[cell] >= key) {
            s->keys[cell] = key;
            s->open[word] &= ~(bits & -bits);
            s->queue[s->queue_end++] = cell;
            s->left--;
        }
    }
}

/* What is open in the groups first .. last and an offset away from `from`. False if it gave up, since there are more
 * groups than the list of offsets is worth. */
static bool settle_by_groups(settler *s, size_t from, size_t first, size_t last, int64_t key) {
    const unsigned shift = from % 64;
    double left = (double)s->offsets.count;
    for (size_t group = find_group(s, first); group <= last; group = find_group(s, group + 1)) {
        s->work += group_work;
        left -= group_work;
        if (left < 0) {
            return false;
        }
        const uint64_t *offsets = s->offsets.words + ((ptrdiff_t)(GROUP * group) - (ptrdiff_t)(from / 64));
        const uint64_t *open = s->open + GROUP * group;
        uint64_t met[GROUP];
        uint64_t any = 0;
        for (ptrdiff_t x = 0; x < GROUP; x++) {
            met[x] = (offsets[x] << shift | offsets[x - 1] >> 1 >> (63 - shift)) & open[x];
            any |= met[x];
        }
        if (any != 0) {
            for (size_t x = 0; x < GROUP; x++) {
                settle_bits(s, GROUP * group + x, met[x], key);
            }
            check_group(s, group);
        }
    }
    return true;
}

/* The same by the list of offsets, where these are few. */
static void settle_by_items(settler *s, size_t from, int64_t key) {
    const size_t *items = s->offsets.items;
    for (size_t j = 0; j < s->offsets.count && items[j] < s->job->cells - from; j++) {
        const size_t cell = from + items[j];
        const uint64_t bit = s->open[cell / 64] & UINT64_C(1) << cell % 64;
        if (bit != 0) {
            settle_bits(s, cell / 64, bit, key);
            check_group(s, cell / GROUP_CELLS);
        }
    }
    s->work += (double)s->offsets.count;
}

/* Everything that is open and one step away. */
static void step(settler *s, size_t from, int64_t key) {
    const size_t end = s->job->cells;
    const size_t nearest = from + s->offsets.smallest;
    const size_t farthest = from + s->offsets.largest;
    s->work += step_work;
    if (nearest >= end) {
        return;
    }
    const size_t first = nearest / GROUP_CELLS;
    const size_t last = (farthest < end ? farthest : end - 1) / GROUP_CELLS;
    if (s->by_items > 0 || !settle_by_groups(s, from, first, last, key)) {
        settle_by_items(s, from, key);
        s->by_items = s->by_items > 0 ? s->by_items - 1 : 15;
    }
}

/* ---- All of it ---- */

static pdp_status tell(settler *s, pdp_progress progress, pdp_error *error) {
    if (s->work - s->told < 1e5) {
        return PDP_OK;
    }
    s->told = s->work;
    const double all = (double)(s->job->cells - s->job->preset_count);
    return pdp_progress_tell(progress, 1 - (double)s->left / all, error);
}

/* The cells that are left, term by term in rising order: all before them are done. */
static pdp_status finish_cells(settler *s, pdp_progress progress, pdp_error *error) {
    const size_t *items = s->offsets.items;
    const size_t words = group_count(s->job->cells) * GROUP;
    for (size_t w = 0; w < words; w++) {
        for (uint64_t bits = s->open[w]; bits != 0; bits &= bits - 1) {
            const size_t cell = 64 * w + (size_t)__builtin_ctzll(bits);
            int64_t best = s->keys[cell];
            for (size_t j = 0; j < s->offsets.count && items[j] <= cell; j++) {
                const int64_t key = s->keys[cell - items[j]];
                const int64_t term = key == PDP_SETTLE_NONE ? key : key + s->job->weight;
                best = term < best ? term : best;
            }
            s->keys[cell] = best;
            s->left--;
            s->work += (double)s->offsets.count;
            if (tell(s, progress, error) != PDP_OK) {
                return error->status;
            }
        }
    }
    return PDP_OK;
}

/* Takes the next origin; false if it is a source of a cell that something smaller has settled. */
static bool take_origin(settler *s, size_t *from) {
    *from = pop(s);
    if (*from >= s->job->preset_count) {
        const uint64_t bit = s->open[*from / 64] & UINT64_C(1) << *from % 64;
        if (bit == 0) {
            return false;
        }
        s->open[*from / 64] &= ~bit;
        s->left--;
        check_group(s, *from / GROUP_CELLS);
    }
    return true;
}

/* At the start of a round every key below the next one has settled all that it reaches. */
static pdp_status settle_in_order(settler *s, pdp_progress progress, pdp_error *error) {
    while (s->left > 0 && (s->heap_count > 0 || s->queue_head < s->queue_end)) {
        if (s->work >= (double)s->left * (double)s->offsets.count) {
            return finish_cells(s, progress, error);
        }
        const bool has_settled = s->queue_head < s->queue_end;
        size_t from = has_settled ? s->queue[s->queue_head] : 0;
        if (has_settled && (s->heap_count == 0 || s->keys[from] <= s->heap[0].key)) {
            s->queue_head++;
        } else if (!take_origin(s, &from)) {
            continue;
        }
        if (s->keys[from] != PDP_SETTLE_NONE) {
            step(s, from, s->keys[from] + s->job->weight);
        }
        if (tell(s, progress, error) != PDP_OK) {
            return error->status;
        }
    }
    return PDP_OK;
}

pdp_status pdp_settle_solve(const pdp_settle_job *job, int64_t *keys, pdp_progress progress, pdp_error *error) {
    settler s = {.job = job, .keys = keys};
    const size_t open = job->cells - job->preset_count;
    if (open == 0 || pdp_offset_set_create(&s.offsets, job->offsets, job->offset_count, job->cells, error) != PDP_OK) {
        return error->status;
    }
    uint64_t *memory = pdp_array_allocate(count_words(job->cells, NULL, NULL), sizeof *memory, error);
    s.heap = memory ? pdp_array_allocate(origin_count(job) + 1, sizeof *s.heap, error) : NULL;
    s.queue = s.heap ? pdp_array_allocate(open, sizeof *s.queue, error) : NULL;
    if (s.queue && s.offsets.count > 0) {
        open_cells(&s, memory);
        make_heap(&s);
        settle_in_order(&s, progress, error);
    }
    free(s.queue);
    free(s.heap);
    free(memory);
    pdp_offset_set_free(&s.offsets);
    return error->status;
}

/* ---- What it takes ---- */

uint64_t pdp_settle_bytes(const pdp_settle_job *job) {
    const size_t open = job->cells - job->preset_count;
    if (open == 0) {
        return 0;
    }
    const uint64_t set = pdp_bytes_multiply(count_words(job->cells, NULL, NULL), sizeof(uint64_t));
    const uint64_t heap = pdp_bytes_multiply(origin_count(job) + 1, sizeof(origin));
    const uint64_t queue = pdp_bytes_multiply(open, sizeof(size_t));
    const uint64_t offsets = pdp_offset_set_bytes(job->offsets, job->offset_count, job->cells);
    return pdp_bytes_add(pdp_bytes_add(set, heap), pdp_bytes_add(queue, offsets));
}

/* Offsets are the same modulo the greatest common divisor of their differences. Then no group is done before cells of
 * all remainders have had their turn: 1 if an origin reaches its own remainder alone, so that the others wait until
 * the last of them is next; about half if every step goes on to another one. The share of groups within reach that are
 * open when a step looks at them: 0 for most offsets. */
static double find_open_share(const pdp_settle_job *job) {
    size_t divisor = 0;
    for (size_t j = 1; j < job->offset_count && divisor != 1; j++) {
        const size_t a = job->offsets[j - 1], b = job->offsets[j];
        for (size_t rest = a > b ? a - b : b - a; rest > 0;) {
            const size_t next = divisor % rest;
            divisor = rest;
            rest = next;
        }
    }
    return divisor < 2 ? 0 : (1 - 1 / (double)divisor) * (job->offsets[0] % divisor == 0 ? 1 : 0.5);
}

/* A step looks into the groups that are open, or at every offset if that is less. Groups between an origin and the end
 * of its reach are soon done, but for two or three and for the last ones, in which gaps between offsets leave cells
 * open: the more of them the farther runs of offsets are apart, and the fewer the longer these are. The numbers are
 * fitted to measurements. */
double pdp_settle_operations(const pdp_settle_job *job) {
    double largest = 0;
    for (size_t j = 0; j < job->offset_count; j++) {
        largest = fmax(largest, job->offsets[j] < job->cells ? (double)job->offsets[j] : 0);
    }
    const double runs = 1 + (double)pdp_offset_runs(job->offsets, job->offset_count);
    const double count = (double)job->offset_count + 1;
    const double gaps = 20 * largest / runs / GROUP_CELLS / pow(count / runs, 0.9);
    const double groups = 2.2 + fmin(gaps, runs) + find_open_share(job) * largest / GROUP_CELLS;
    const double steps = (double)(job->cells - job->preset_count);
    return 0.2 * (double)origin_count(job) + 6 * count + steps * (step_work + fmin(count, group_work * groups));
}
