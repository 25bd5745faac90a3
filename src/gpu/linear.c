/* Linear problems on a device: the driver of kernels/linear.h and linear_parts.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "gpu/arena.h"
#include "gpu/kernels/linear_abi.h"
#include "gpu/solve.h"
#include "problem/bound.h"
#include "recurrence/emit_expression.h"
#include "schedule/block_trace.h"

#define MOST_CELLS (UINT64_C(1) << 30) /* the kernels count them, and offsets, in 32 bits */
#define WINDOW_BYTES 8                 /* of the values of an offset in a window: see HAS_WINDOWS */
#define DENSE_SHARE 16                 /* windows pay from one offset in so many */
#define PART_TERMS 1024
#define MOST_PARTS 128
#define TABLE_UNIT 16   /* cells by which a table is rounded up */
#define STARTERS 1024   /* groups at most that write presets and weights */
#define REPORT_BLOCKS 8 /* launches of a run that tells how far it is */

/* Where the terms are: in windows or in the list, in parts or in the blocks themselves. */
typedef struct layout {
    uint64_t element_bytes;
    uint64_t values; /* of an offset */
    uint64_t cells, blocks, supers;
    uint64_t count;       /* terms that reach any cell */
    uint64_t list_count;  /* of those, in the list */
    uint64_t least, most; /* offset */
    bool has_twins;       /* one of the least is there twice */
    uint64_t dense;       /* offsets below it are in windows, if they are not there twice */
    uint64_t parts, span;
    int64_t harmless; /* a weight of terms that are not there, or 0 */
    uint64_t events;  /* that there is room for, if the kernels record */
} layout;

typedef struct run {
    const pdp_gpu_job *job;
    const pdp_problem *problem;
    pdp_solution *solution;
    pdp_progress progress;
    pdp_device *device;
    pdp_error *error;
    layout layout;
    pdp_arena arena;
    pdp_buffer table, words, terms, weights, partials;
} run;

/* ---- Where everything goes ---- */

/* How many values of an offset the stamp's text has hoisted; all that there can be if that is not to be found out. */
static uint64_t count_values(const pdp_problem *problem, const pdp_stamp *stamp) {
    static const char name[] = "#define PDP_NW ";
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    uint64_t values = PDP_MOST_SLOTS;
    if (out) {
        pdp_emit_recurrence(out, problem->recurrence, stamp);
        if (fclose(out) == 0 && strstr(text, name)) {
            values = strtoull(strstr(text, name) + sizeof name - 1, NULL, 10);
        }
        free(text);
    }
    return values;
}

static uint64_t round_up(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/* The terms that reach a cell, and how far their offsets lie apart. */
static void measure_terms(layout *l, const pdp_problem *problem) {
    uint64_t seen = 0;
    l->least = UINT64_MAX;
    for (size_t j = 0; j < problem->offset_count; j++) {
        const uint64_t a = problem->offsets[j];
        if (a < problem->n) {
            l->count++;
            l->least = a < l->least ? a : l->least;
            l->most = a > l->most ? a : l->most;
            if (a < (uint64_t)2 * STEP) {
                l->has_twins |= seen >> a & 1;
                seen |= UINT64_C(1) << a;
            }
        }
    }
}

/* Whether a term is a value, or a value and a weight that depends on the offset alone. */
static bool is_plain_term(const pdp_recurrence *r) {
    const pdp_node *n = &r->nodes[r->inner];
    if (n->kind == PDP_NODE_CELL) {
        return true;
    }
    if (n->kind != PDP_NODE_BINARY || n->op != PDP_OP_ADD) {
        return false;
    }
    const pdp_node *x = &r->nodes[n->child[0]], *y = &r->nodes[n->child[1]];
    const pdp_node *weight = x->kind == PDP_NODE_CELL ? y : x;
    return (x->kind == PDP_NODE_CELL || y->kind == PDP_NODE_CELL) && !weight->has_cell && weight->uses == PDP_USES_J;
}

/* Least and greatest of sums are not harmed by one of a value and a weight that is beyond all of them, if it still fits
 * the type. A third of its range is enough for the values; a little less leaves room for cells behind the last, and for
 * weights to be added to what stands for no value, which is a third. */
static int64_t find_harmless(const pdp_problem *problem, const pdp_stamp *stamp) {
    const bool is_min = stamp->combine == PDP_OP_MIN;
    const int64_t most = stamp->type == PDP_TYPE_I32 ? INT32_MAX : INT64_MAX;
    if ((stamp->type != PDP_TYPE_I32 && stamp->type != PDP_TYPE_I64) || stamp->modular || stamp->can_miss ||
        (!is_min && stamp->combine != PDP_OP_MAX) || problem->element == PDP_ELEMENT_BITS ||
        !is_plain_term(problem->recurrence) || pdp_bounds_find(problem).reach > most / 3 - most / 32) {
        return 0;
    }
    return is_min ? most - most / 3 : most / 3 - most;
}

/* Events at most: a part waits for every chunk of its offsets, and now and then for those of the list. */
static uint64_t most_events(const layout *l) {
    const uint64_t listed = l->count / STEP + 2;
    const uint64_t part = l->span / CHUNK + listed + 3, super = OWN / SUB + listed + SUB / STEP + 4;
    return l->blocks * l->parts * part + l->supers * super + 1; /* not 0 */
}

static layout lay_out(const pdp_problem *problem, const pdp_stamp *stamp) {
    layout l = {.element_bytes = pdp_machine_type_bytes(stamp->type),
                .values = count_values(problem, stamp),
                .cells = problem->n,
                .blocks = (problem->n - problem->preset_count + BLOCK - 1) / BLOCK,
                .supers = (problem->n - problem->preset_count + SUB - 1) / SUB};
    measure_terms(&l, problem);
    if (!stamp->is_quick && l.values * l.element_bytes <= WINDOW_BYTES && !l.has_twins &&
        pdp_emit_is_vector(problem->recurrence, stamp)) {
        l.dense = l.count * DENSE_SHARE > l.most ? round_up(l.most + 1, CHUNK) : l.least < SHORT_ROUND ? MATRICES : 0;
    }
    l.harmless = find_harmless(problem, stamp);
    if (l.dense > 0 && l.most >= OWN) {
        const uint64_t span = round_up(l.most + 1, CHUNK) - OWN;
        l.parts = l.count / PART_TERMS + 1;
        l.parts = l.parts < MOST_PARTS ? l.parts : MOST_PARTS;
        l.span = round_up((span + l.parts - 1) / l.parts, CHUNK);
        l.parts = (span + l.span - 1) / l.span;
    }
    l.events = stamp->records ? most_events(&l) : 0;
    return l;
}

static uint64_t table_bytes(const layout *l) {
    return pdp_bytes_multiply(round_up(l->cells, TABLE_UNIT), l->element_bytes);
}

static uint64_t state_bytes(const layout *l) {
    return (COUNTS + l->blocks + l->supers) * sizeof(uint32_t);
}

/* And the events behind them. */
static uint64_t words_bytes(const layout *l) {
    return state_bytes(l) + (l->events > 0 ? (EVENTS + EVENT_WORDS * l->events) * sizeof(uint32_t) : 0);
}

static uint64_t terms_bytes(const layout *l) {
    return (l->dense / WINDOW + 2 * l->count + 1) * sizeof(uint32_t);
}

static uint64_t weights_bytes(const layout *l) {
    return pdp_bytes_multiply(l->dense + l->count + 1, (l->values + 1) * l->element_bytes);
}

static uint64_t partials_bytes(const layout *l) {
    return SLOTS * (l->parts + 1) * BLOCK * l->element_bytes;
}

uint64_t pdp_gpu_linear_bytes(const pdp_problem *problem, const pdp_stamp *stamp) {
    const layout l = lay_out(problem, stamp);
    uint64_t bytes = pdp_bytes_add(table_bytes(&l), words_bytes(&l));
    bytes = pdp_bytes_add(bytes, pdp_bytes_add(terms_bytes(&l), weights_bytes(&l)));
    return pdp_bytes_add(bytes, partials_bytes(&l));
}

static pdp_block_trace empty_trace(const layout *l, const pdp_problem *problem) {
    return (pdp_block_trace){.cells = l->cells,
                             .presets = problem->preset_count,
                             .step = STEP,
                             .sub = SUB,
                             .subs = SUBS,
                             .parts = l->parts,
                             .slots = SLOTS};
}

uint64_t pdp_gpu_linear_record_bytes(const pdp_problem *problem, const pdp_stamp *stamp) {
    const layout l = lay_out(problem, stamp);
    const pdp_block_trace trace = empty_trace(&l, problem);
    return pdp_bytes_add(sizeof trace + l.events * sizeof *trace.events, pdp_block_trace_check_bytes(&trace));
}

/* ---- The terms ---- */

typedef struct term {
    uint32_t offset, number;
} term;

static int compare_terms(const void *a, const void *b) {
    const term *x = a, *y = b;
    return x->offset != y->offset ? (x->offset < y->offset ? -1 : 1)
                                  : (x->number > y->number) - (x->number < y->number);
}

/* Puts the terms that are not in windows, rising, before the others. */
static void fill_terms(layout *l, const pdp_problem *problem, uint32_t *masks, term *terms) {
    uint64_t end = l->count;
    for (size_t j = 0; j < problem->offset_count; j++) {
        const uint64_t a = problem->offsets[j];
        if (a >= problem->n) {
            continue;
        }
        const term made = {(uint32_t)a, (uint32_t)j};
        const uint32_t bit = UINT32_C(1) << a % WINDOW;
        if (a < l->dense && !(masks[a / WINDOW] & bit)) {
            masks[a / WINDOW] |= bit;
            terms[--end] = made;
        } else {
            terms[l->list_count++] = made;
        }
    }
    qsort(terms, l->list_count, sizeof *terms, compare_terms);
}

static pdp_status write_terms(run *r) {
    layout *l = &r->layout;
    uint32_t *words = pdp_array_allocate(terms_bytes(l), 1, r->error);
    term *terms = words ? pdp_array_allocate(l->count, sizeof *terms, r->error) : NULL;
    if (terms) {
        uint32_t *offsets = words + l->dense / WINDOW;
        fill_terms(l, r->problem, words, terms);
        for (uint64_t t = 0; t < l->count; t++) {
            offsets[t] = terms[t].offset;
            offsets[l->count + t] = terms[t].number;
        }
        pdp_device_write(r->device, r->terms, 0, words, terms_bytes(l), r->error);
    }
    free(terms);
    free(words);
    return r->error->status;
}

static pdp_status write_words(const run *r) {
    const layout *l = &r->layout;
    const uint32_t head[COUNTS] = {[PROGRESS] = (uint32_t)r->problem->preset_count,
                                   [PARTS] = (uint32_t)l->parts,
                                   [SPAN] = (uint32_t)l->span,
                                   [ROUND] = (uint32_t)(l->least < SUB ? l->least : SUB),
                                   [BLOCKS] = (uint32_t)l->blocks,
                                   [PLAIN] = l->harmless != 0};
    const int32_t half = (int32_t)l->harmless; /* of the number, or the number */
    const uint64_t last = l->values * (l->dense + l->count) * l->element_bytes;
    if (pdp_device_clear(r->device, r->words, 0, words_bytes(l), r->error) != PDP_OK) {
        return r->error->status;
    }
    if (l->harmless != 0 &&
        pdp_device_write(r->device, r->weights, last,
                         l->element_bytes == sizeof half ? (const void *)&half : (const void *)&l->harmless,
                         l->element_bytes, r->error) != PDP_OK) {
        return r->error->status;
    }
    const uint32_t room = (uint32_t)l->events;
    if (l->events > 0 && pdp_device_write(r->device, r->words, state_bytes(l) + EVENT_ROOM * sizeof room, &room,
                                          sizeof room, r->error) != PDP_OK) {
        return r->error->status;
    }
    return pdp_device_write(r->device, r->words, 0, head, sizeof head, r->error);
}

/* ---- The kernels ---- */

/* A launch for blocks or sub-blocks first .. end-1, or of so many threads. */
static pdp_launch make_launch(const run *r, const char *kernel, uint64_t groups, uint64_t first, uint64_t end) {
    const layout *l = &r->layout;
    return (pdp_launch){.kernel = kernel,
                        .groups = (uint32_t)groups,
                        .threads = THREADS,
                        .data = r->arena.buffer,
                        .buffers = {r->table, r->words, r->terms, r->weights, r->partials},
                        .numbers = {(int64_t)l->cells, (int64_t)r->problem->preset_count, (int64_t)first, (int64_t)end,
                                    (int64_t)(l->count << 32 | l->list_count), (int64_t)l->dense}};
}

static pdp_status start(const run *r) {
    const layout *l = &r->layout;
    const uint64_t presets = r->problem->preset_count;
    uint64_t groups = ((presets > l->count ? presets : l->count) + THREADS - 1) / THREADS;
    groups = groups < 1 ? 1 : groups > STARTERS ? STARTERS : groups;
    pdp_launch launch = make_launch(r, "pdp_linear_start", groups, groups * THREADS, 0);
    launch.numbers[4] = presets < l->cells ? launch.numbers[4] : 0; /* without terms a weight may not exist */
    return pdp_device_launch(r->device, r->job->program, &launch, r->error);
}

static pdp_status launch(const run *r, const char *kernel, uint64_t groups, uint64_t first, uint64_t end) {
    const pdp_launch launch = make_launch(r, kernel, groups, first, end);
    return groups == 0 ? PDP_OK : pdp_device_launch(r->device, r->job->program, &launch, r->error);
}

/* Blocks first .. end-1, by as many groups as run at once, at least the chain's and another. */
static pdp_status launch_blocks(const run *r, uint64_t first, uint64_t end, uint64_t resident) {
    const uint64_t groups = (end - first) * (r->layout.parts + SUBS) + 1;
    if (pdp_device_clear(r->device, r->words, TICKET * sizeof(uint32_t), 2 * sizeof(uint32_t), r->error) != PDP_OK) {
        return r->error->status;
    }
    return launch(r, "pdp_linear", groups < resident ? groups : resident, first, end);
}

/* A block, where groups cannot wait for each other. */
static pdp_status launch_block(const run *r, uint64_t block) {
    uint64_t end = (block + 1) * SUBS;
    end = end < r->layout.supers ? end : r->layout.supers;
    launch(r, "pdp_linear_part", r->layout.parts, block, 0);
    for (uint64_t super = block * SUBS; super < end && r->error->status == PDP_OK;) {
        const uint64_t next = end - super < TOGETHER ? end : super + TOGETHER;
        launch(r, "pdp_linear_middle", next - super, super, 0);
        launch(r, r->layout.dense > 0 ? "pdp_linear_chain" : "pdp_linear_list", 1, super, next);
        super = next;
    }
    return r->error->status;
}

/* In one launch if groups can wait for each other and nobody wants to know how far it is; in some if only that. */
static pdp_status fill_table(const run *r) {
    const pdp_progress progress = r->progress;
    const uint64_t blocks = r->layout.blocks;
    const uint64_t step = progress.report ? (blocks + REPORT_BLOCKS - 1) / REPORT_BLOCKS : blocks;
    uint32_t resident = 0;
    if (r->job->stamp->is_quick) {
        return launch(r, "pdp_linear_quick", blocks > 0 ? 1 : 0, 0, 0);
    }
    if (r->device->groups_meet &&
        pdp_program_count_resident(r->job->program, "pdp_linear", THREADS, &resident, r->error) != PDP_OK) {
        return r->error->status;
    }
    for (uint64_t block = 0; block < blocks && r->error->status == PDP_OK;) {
        if (r->device->groups_meet) {
            const uint64_t end = blocks - block < step ? blocks : block + step;
            launch_blocks(r, block, end, resident);
            block = end;
        } else {
            launch_block(r, block);
            block++;
        }
        if (progress.report && (block % step == 0 || block == blocks) && r->error->status == PDP_OK &&
            pdp_device_wait(r->device, r->error) == PDP_OK) {
            pdp_progress_tell(progress, (double)block / (double)blocks, r->error);
        }
    }
    return r->error->status;
}

/* ---- The solve ---- */

static pdp_status allocate(run *r, pdp_data *data) {
    const layout *l = &r->layout;
    if (l->cells > MOST_CELLS) {
        return pdp_error_set(r->error, PDP_NO_MEMORY, "%" PRIu64 " cells: at most %" PRIu64 " are solved on a device",
                             l->cells, MOST_CELLS);
    }
    if (pdp_arena_create(&r->arena, r->device, data, 1, r->job->stamp, r->error) != PDP_OK ||
        pdp_device_allocate(r->device, &r->table, table_bytes(l), r->error) != PDP_OK ||
        pdp_device_allocate(r->device, &r->words, words_bytes(l), r->error) != PDP_OK ||
        pdp_device_allocate(r->device, &r->terms, terms_bytes(l), r->error) != PDP_OK ||
        pdp_device_allocate(r->device, &r->weights, weights_bytes(l), r->error) != PDP_OK ||
        pdp_device_clear(r->device, r->weights, 0, weights_bytes(l), r->error) != PDP_OK) {
        return r->error->status;
    }
    return pdp_device_allocate(r->device, &r->partials, partials_bytes(l), r->error);
}

static pdp_status read_value(const run *r) {
    const layout *l = &r->layout;
    uint64_t cell;
    if (pdp_device_read(r->device, r->table, (l->cells - 1) * l->element_bytes, &cell, l->element_bytes, r->error) !=
        PDP_OK) {
        return r->error->status;
    }
    return pdp_solution_take_value(r->solution, &cell);
}

/* Of the table what is behind the first cells. */
static pdp_status read_table(const run *r, size_t first) {
    const layout *l = &r->layout;
    const uint64_t before = first * l->element_bytes;
    r->solution->first = first;
    r->solution->cells = pdp_pages_allocate(table_bytes(l) - before, r->error);
    if (!r->solution->cells || pdp_device_read(r->device, r->table, before, r->solution->cells,
                                               l->cells * l->element_bytes - before, r->error) != PDP_OK) {
        return r->error->status;
    }
    return pdp_solution_close(r->solution);
}

_Static_assert((int)READS_SUMS == (int)PDP_BLOCK_READS_SUMS && (int)STARTS_SUMS == (int)PDP_BLOCK_STARTS_SUMS &&
                   (int)STARTS_PART == (int)PDP_BLOCK_STARTS_PART && (int)HAS_CELLS == (int)PDP_BLOCK_HAS_CELLS &&
                   sizeof(pdp_block_event) == EVENT_WORDS * sizeof(uint32_t),
               "events are the same here and there");

/* Reads the trace, and has it checked. */
static pdp_status read_trace(const run *r) {
    const layout *l = &r->layout;
    const uint64_t at = state_bytes(l);
    uint32_t count = 0;
    if (pdp_device_read(r->device, r->words, at + EVENT_COUNT * sizeof count, &count, sizeof count, r->error) !=
        PDP_OK) {
        return r->error->status;
    }
    if (count > l->events) {
        return pdp_error_set(r->error, PDP_DEVICE, "the trace of the device has %" PRIu32 " events, not %" PRIu64,
                             count, l->events);
    }
    pdp_block_trace *trace = pdp_array_allocate(1, sizeof *trace + count * sizeof *trace->events, r->error);
    if (!trace) {
        return r->error->status;
    }
    *trace = empty_trace(l, r->problem);
    trace->count = count;
    r->solution->trace = trace;
    if (count > 0 && pdp_device_read(r->device, r->words, at + EVENTS * sizeof count, trace->events,
                                     count * sizeof *trace->events, r->error) != PDP_OK) {
        return r->error->status;
    }
    pdp_error found = {0};
    pdp_block_trace_check(trace, &r->solution->record, &found);
    return pdp_gpu_take_record(r->solution, &found);
}

static pdp_status solve(run *r, pdp_data *data, double *milliseconds) {
    if (allocate(r, data) != PDP_OK || write_terms(r) != PDP_OK || write_words(r) != PDP_OK ||
        pdp_device_mark(r->device, 0, r->error) != PDP_OK || start(r) != PDP_OK || fill_table(r) != PDP_OK ||
        pdp_device_mark(r->device, 1, r->error) != PDP_OK || pdp_device_wait(r->device, r->error) != PDP_OK ||
        pdp_device_elapsed(r->device, milliseconds, r->error) != PDP_OK ||
        pdp_arena_read_faults(&r->arena, r->device, data, 1, r->error) != PDP_OK ||
        pdp_data_check(data, r->error) != PDP_OK || (r->job->stamp->records && read_trace(r) != PDP_OK)) {
        return r->error->status;
    }
    /* Decisions are found here, and a cell that is not a number is named. */
    const pdp_element element = r->problem->element;
    const bool is_real = pdp_element_is_real(element);
    const uint64_t cells = r->layout.cells, last = r->job->last_cells < cells ? r->job->last_cells : cells;
    if (r->job->table || r->job->decisions || is_real) {
        return read_table(r, 0);
    }
    return last > 0 ? read_table(r, cells - last) : read_value(r);
}

pdp_status pdp_gpu_solve_linear(const pdp_gpu_job *job, pdp_solution *solution, pdp_progress progress,
                                double *kernel_milliseconds) {
    run r = {.job = job,
             .problem = solution->problem,
             .solution = solution,
             .progress = progress,
             .device = job->device,
             .error = &solution->error,
             .layout = lay_out(solution->problem, job->stamp)};
    pdp_data data;
    if (pdp_data_create(&data, r.problem, job->stamp, r.error) != PDP_OK) {
        return r.error->status;
    }
    solution->type = job->stamp->type;
    solve(&r, &data, kernel_milliseconds);
    const pdp_buffer buffers[] = {r.table, r.words, r.terms, r.weights, r.partials};
    for (size_t x = 0; x < sizeof buffers / sizeof *buffers; x++) {
        pdp_device_release(r.device, buffers[x]);
    }
    pdp_arena_free(&r.arena, r.device);
    pdp_data_free(&data);
    return r.error->status;
}
