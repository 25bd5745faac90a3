/* Interval problems on a device, many at once: the driver of kernels/interval.h. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "gpu/arena.h"
#include "gpu/interval_trace.h"
#include "gpu/kernels/interval_abi.h"
#include "gpu/solve.h"

static const double FAST = 8e12; /* updates a second */
enum { MOST_LOOKERS = 1 << 16 };

/* A run of a batch, and what it has allocated on the device. */
typedef struct run {
    const pdp_gpu_job *job;
    pdp_solution *const *solutions; /* those with more points first */
    size_t count;
    pdp_progress progress;
    pdp_device *device;
    pdp_error error;   /* of all */
    pdp_data *data;    /* of each */
    int64_t *problems; /* as the kernels see them */
    int64_t *sums;     /* behind them */
    size_t side;       /* the most tiles in a row */
    pdp_arena arena;
    pdp_buffer table;
    pdp_buffer words;
    pdp_buffer problem_words;
    pdp_buffer values;
    pdp_buffer found; /* the queue of decisions, or splits */
    pdp_buffer trace; /* if the kernels record */
    uint64_t events;  /* in it */
    bool by_table;    /* the tables are read, and all else from them */
} run;

static pdp_tiles tiles_of(const pdp_problem *problem, const pdp_stamp *stamp) {
    pdp_tiles tiles = {
        .points = problem->n + 1, .tile = TILE, .panel = PANEL, .cell_bytes = pdp_machine_type_bytes(stamp->type)};
    pdp_tiles_bytes(&tiles); /* sets the rest */
    return tiles;
}

static uint64_t words_bytes(uint64_t side, uint64_t tile_count) {
    return pdp_bytes_multiply(COUNTS + side + tile_count, sizeof(uint32_t));
}

static uint64_t problems_bytes(uint64_t count, uint64_t side) {
    return (count * PROBLEM_WORDS + side + 1) * sizeof(int64_t);
}

/* At most n decisions and n cells without one: see decide_interval in solution/decisions.c. */
static uint64_t node_count(const pdp_problem *problem) {
    return 2 * (uint64_t)problem->n + 2;
}

static uint64_t queue_bytes(uint64_t nodes) {
    return pdp_bytes_multiply(NODES + NODE_WORDS * nodes, sizeof(uint32_t));
}

uint64_t pdp_gpu_interval_bytes(const pdp_problem *problem, const pdp_stamp *stamp, bool decisions, bool splits) {
    pdp_tiles tiles = tiles_of(problem, stamp);
    const uint64_t side = tiles.side;
    uint64_t bytes = pdp_bytes_add(pdp_tiles_bytes(&tiles), words_bytes(side, side * (side + 1) / 2));
    bytes = pdp_bytes_add(bytes, problems_bytes(1, side) + tiles.cell_bytes);
    bytes = pdp_bytes_add(bytes, decisions ? queue_bytes(node_count(problem)) : 0);
    bytes = pdp_bytes_add(bytes, stamp->records ? pdp_gpu_trace_bytes(pdp_gpu_trace_events(side)) : 0);
    return pdp_bytes_add(bytes, splits ? pdp_solution_table_bytes(problem) : 0);
}

uint64_t pdp_gpu_interval_record_bytes(const pdp_problem *problem, const pdp_stamp *stamp) {
    return pdp_gpu_trace_work_bytes(tiles_of(problem, stamp).side);
}

static int64_t first_tile(const run *r, size_t number) {
    return r->problems[number * PROBLEM_WORDS + PROBLEM_FIRST];
}

/* ---- The batch ---- */

/* The problems as the kernels see them. Returns the number of tiles. */
static uint64_t describe(run *r) {
    uint64_t tile_count = 0;
    for (size_t x = 0; x < r->count; x++) {
        const pdp_tiles tiles = tiles_of(r->solutions[x]->problem, r->job->stamp);
        int64_t *words = r->problems + x * PROBLEM_WORDS;
        words[PROBLEM_DATA] = (int64_t)r->arena.at[x];
        words[PROBLEM_FIRST] = (int64_t)tile_count;
        words[PROBLEM_SIDE] = (int64_t)tiles.side;
        words[PROBLEM_ROOM] = (int64_t)tiles.room;
        tile_count += (uint64_t)tiles.side * (tiles.side + 1) / 2;
    }
    size_t many = r->count; /* problems with more than s tiles in a row */
    for (size_t s = 0; s < r->side; s++) {
        while (r->problems[(many - 1) * PROBLEM_WORDS + PROBLEM_SIDE] <= (int64_t)s) {
            many--;
        }
        r->sums[s + 1] = r->sums[s] + (int64_t)many;
    }
    return tile_count;
}

static pdp_status open_trace(run *r) {
    for (size_t x = 0; x < r->count; x++) {
        r->events += pdp_gpu_trace_events((uint64_t)r->problems[x * PROBLEM_WORDS + PROBLEM_SIDE]);
    }
    const uint64_t bytes = pdp_gpu_trace_bytes(r->events);
    if (pdp_device_allocate(r->device, &r->trace, bytes, &r->error) != PDP_OK) {
        return r->error.status;
    }
    return pdp_device_clear(r->device, r->trace, 0, bytes, &r->error);
}

/* The data of all problems, and all that the kernels need. */
static pdp_status prepare(run *r) {
    const uint64_t cell_bytes = pdp_machine_type_bytes(r->job->stamp->type);
    const uint64_t problem_bytes = problems_bytes(r->count, r->side);
    r->data = pdp_array_allocate(r->count, sizeof *r->data, &r->error);
    r->problems = r->data ? pdp_array_allocate(problem_bytes, 1, &r->error) : NULL;
    if (!r->problems) {
        return r->error.status;
    }
    r->sums = r->problems + r->count * PROBLEM_WORDS;
    for (size_t x = 0; x < r->count && r->error.status == PDP_OK; x++) {
        r->solutions[x]->type = r->job->stamp->type;
        pdp_data_create(&r->data[x], r->solutions[x]->problem, r->job->stamp, &r->error);
    }
    if (r->error.status != PDP_OK ||
        pdp_arena_create(&r->arena, r->device, r->data, r->count, r->job->stamp, &r->error) != PDP_OK) {
        return r->error.status;
    }
    const uint64_t tile_count = describe(r), state_bytes = words_bytes(r->side, tile_count);
    if (pdp_device_allocate(r->device, &r->table, tile_count * TILE * TILE * cell_bytes, &r->error) != PDP_OK ||
        pdp_device_allocate(r->device, &r->words, state_bytes, &r->error) != PDP_OK ||
        pdp_device_clear(r->device, r->words, 0, state_bytes, &r->error) != PDP_OK ||
        pdp_device_allocate(r->device, &r->problem_words, problem_bytes, &r->error) != PDP_OK ||
        pdp_device_write(r->device, r->problem_words, 0, r->problems, problem_bytes, &r->error) != PDP_OK) {
        return r->error.status;
    }
    if (r->job->stamp->records && open_trace(r) != PDP_OK) {
        return r->error.status;
    }
    return pdp_device_allocate(r->device, &r->values, r->count * cell_bytes, &r->error);
}

static void release(run *r) {
    const pdp_buffer buffers[] = {r->table, r->words, r->problem_words, r->values, r->found, r->trace};
    for (size_t x = 0; x < sizeof buffers / sizeof *buffers; x++) {
        pdp_device_release(r->device, buffers[x]);
    }
    pdp_arena_free(&r->arena, r->device);
    for (size_t x = 0; r->data && x < r->count; x++) {
        pdp_data_free(&r->data[x]);
    }
    free(r->data);
    free(r->problems);
}

static pdp_launch make_launch(const run *r, const char *kernel, uint64_t groups, uint32_t threads) {
    return (pdp_launch){.kernel = kernel,
                        .groups = (uint32_t)groups,
                        .threads = threads,
                        .data = r->arena.buffer,
                        .buffers = {r->table, r->words, r->problem_words, r->values, r->found},
                        .numbers = {(int64_t)r->side, (int64_t)r->count}};
}

/* ---- The tables ---- */

/* Tiles of a distance, of all problems. */
static uint64_t tiles_at(const run *r, size_t distance) {
    return (uint64_t)(r->sums[r->side] - r->sums[distance]);
}

/* Cells of distance d tiles have about d tiles of terms. */
static double updates_at(const run *r, size_t distance) {
    return (double)tiles_at(r, distance) * (double)distance * TILE * TILE * TILE;
}

/* Tiles of the distances first .. end-1; those on the diagonal have a kernel of their own. */
static pdp_status launch_tiles(run *r, size_t first, size_t end, uint64_t resident) {
    uint64_t groups = 0;
    for (size_t distance = first; distance < end; distance++) {
        groups += tiles_at(r, distance);
    }
    const char *kernel = r->job->stamp->is_quick ? "pdp_interval_quick" : first == 0 ? "pdp_diagonal" : "pdp_interval";
    pdp_launch launch = make_launch(r, kernel, groups < resident ? groups : resident, THREADS);
    launch.numbers[2] = (int64_t)first;
    launch.numbers[3] = (int64_t)end;
    launch.numbers[4] = r->sums[r->side] != (int64_t)(r->side * r->count);
    launch.buffers[4] = r->trace;
    launch.numbers[5] = (int64_t)r->events;
    if (pdp_device_clear(r->device, r->words, TICKET * sizeof(uint32_t), sizeof(uint32_t), &r->error) != PDP_OK) {
        return r->error.status;
    }
    return pdp_device_launch(r->device, r->job->program, &launch, &r->error);
}

/* In little time: nobody will want to know how far it is. */
static pdp_status fill_quickly(run *r) {
    for (size_t distance = 0; distance < r->side && r->error.status == PDP_OK; distance++) {
        launch_tiles(r, distance, distance + 1, UINT32_MAX);
    }
    return r->error.status;
}

/* In one launch if groups can wait for each other and nobody wants to know how far it is; otherwise in several. */
static pdp_status fill_tables(run *r) {
    uint32_t resident = 0;
    double all = 0, done = 0, since = 0;
    const double report = (r->device->pace > 0 ? r->device->pace : FAST) / 4; /* a quarter of a second */
    if (pdp_program_count_resident(r->job->program, "pdp_interval", THREADS, &resident, &r->error) != PDP_OK) {
        return r->error.status;
    }
    /* Where diagonals have few tiles, time is what it takes to finish one after the other: each has a multiprocessor.
     */
    if (5 * tiles_at(r, 0) <= 3 * (uint64_t)r->device->units && r->device->units < resident) {
        resident = r->device->units;
    }
    for (size_t distance = 0; distance < r->side; distance++) {
        all += updates_at(r, distance);
    }
    launch_tiles(r, 0, 1, UINT32_MAX);
    for (size_t first = 1, end = 1; first < r->side && r->error.status == PDP_OK; first = end) {
        do {
            since += updates_at(r, end++);
        } while (end < r->side && r->device->groups_meet && (!r->progress.report || since < report));
        launch_tiles(r, first, end, r->device->groups_meet ? resident : UINT32_MAX);
        if (r->progress.report && since >= report && pdp_device_wait(r->device, &r->error) == PDP_OK) {
            done += since;
            since = 0;
            pdp_progress_tell(r->progress, done < all ? done / all : 1, &r->error);
        }
    }
    return r->error.status;
}

/* A float that is no number is an error wherever it stands: the device looks for it in what is not read from there. */
static pdp_status look_at_numbers(run *r) {
    const uint64_t points = r->solutions[0]->n + 1, rows = pdp_bytes_multiply(r->count, points);
    if (r->by_table || !pdp_element_is_real(r->solutions[0]->problem->element)) {
        return PDP_OK;
    }
    pdp_launch launch = make_launch(r, "pdp_interval_numbers", rows < MOST_LOOKERS ? rows : MOST_LOOKERS, DECIDERS);
    launch.numbers[2] = launch.groups;
    launch.numbers[5] = (int64_t)points;
    return pdp_device_launch(r->device, r->job->program, &launch, &r->error);
}

static pdp_status run_kernels(run *r, double *milliseconds) {
    if (pdp_device_mark(r->device, 0, &r->error) != PDP_OK ||
        (r->job->stamp->is_quick ? fill_quickly : fill_tables)(r) != PDP_OK || look_at_numbers(r) != PDP_OK ||
        pdp_device_mark(r->device, 1, &r->error) != PDP_OK || pdp_device_wait(r->device, &r->error) != PDP_OK ||
        pdp_device_elapsed(r->device, milliseconds, &r->error) != PDP_OK ||
        pdp_arena_read_faults(&r->arena, r->device, r->data, r->count, &r->error) != PDP_OK) {
        return r->error.status;
    }
    for (size_t x = 0; x < r->count; x++) {
        if (r->data[x].fault.kind == NO_NUMBER) {
            r->by_table = true; /* which cell it is, the table tells */
        } else {
            pdp_data_check(&r->data[x], &r->solutions[x]->error);
        }
    }
    return PDP_OK;
}

/* ---- What is wanted of them ---- */

static pdp_status read_trace(run *r) {
    const uint64_t bytes = pdp_gpu_trace_bytes(r->events);
    uint32_t *words = pdp_pages_allocate(bytes, &r->error);
    if (words && pdp_device_read(r->device, r->trace, 0, words, bytes, &r->error) == PDP_OK) {
        pdp_gpu_trace_take(words, r->events, r->problems, r->solutions, r->count, &r->error);
    }
    free(words);
    return r->error.status;
}

static pdp_status read_values(run *r) {
    const size_t cell_bytes = pdp_machine_type_bytes(r->job->stamp->type);
    unsigned char *values = pdp_pages_allocate(r->count * cell_bytes, &r->error);
    if (values && pdp_device_read(r->device, r->values, 0, values, r->count * cell_bytes, &r->error) == PDP_OK) {
        for (size_t x = 0; x < r->count; x++) {
            if (r->solutions[x]->error.status == PDP_OK) {
                pdp_solution_take_value(r->solutions[x], values + x * cell_bytes);
            }
        }
    }
    free(values);
    return r->error.status;
}

static pdp_status read_tables(run *r) {
    for (size_t x = 0; x < r->count && r->error.status == PDP_OK; x++) {
        pdp_solution *solution = r->solutions[x];
        if (solution->error.status != PDP_OK) {
            continue;
        }
        pdp_tiles *tiles = &solution->tiles;
        *tiles = tiles_of(solution->problem, r->job->stamp);
        const uint64_t at = (uint64_t)first_tile(r, x) * TILE * TILE * tiles->cell_bytes;
        if (pdp_tiles_allocate(tiles, &r->error) == PDP_OK &&
            pdp_device_read(r->device, r->table, at, tiles->cells, pdp_tiles_bytes(tiles), &r->error) == PDP_OK) {
            pdp_solution_close(solution);
        }
    }
    return r->error.status;
}

/* Whether decisions are to be found for a problem. */
static bool is_decided(const run *r, size_t number) {
    return r->solutions[number]->error.status == PDP_OK && pdp_solution_has_decisions(r->solutions[number]);
}

/* The nodes below node `root`, counted from 1, into the order that decisions have: a node before those below it, and
 * the first of these first. There are `count` with a decision. */
static void order_nodes(pdp_solution *solution, const uint32_t *queue, uint32_t root, size_t count) {
    uint32_t *waiting = pdp_array_allocate(count + 1, sizeof *waiting, &solution->error);
    solution->decisions = waiting ? pdp_array_allocate(count, sizeof *solution->decisions, &solution->error) : NULL;
    size_t depth = 0;
    if (solution->decisions && root != 0) {
        waiting[depth++] = root;
    }
    while (depth > 0) {
        const uint32_t *node = queue + NODES + (size_t)(waiting[--depth] - 1) * NODE_WORDS;
        if (node[NODE_KIND] == 0) {
            continue;
        }
        solution->decisions[solution->decision_count++] =
            (pdp_decision){node[NODE_KIND] == 1 ? PDP_SPLIT : PDP_OPTION, node[NODE_I], node[NODE_K], node[NODE_J]};
        if (node[NODE_RIGHT] != 0) {
            waiting[depth++] = node[NODE_RIGHT];
        }
        if (node[NODE_LEFT] != 0) {
            waiting[depth++] = node[NODE_LEFT];
        }
    }
    free(waiting);
}

/* Gives the nodes of the queue to the problems whose they are. */
static pdp_status take_nodes(run *r, const uint32_t *queue) {
    size_t *counts = pdp_array_allocate(r->count, sizeof *counts, &r->error);
    if (!counts) {
        return r->error.status;
    }
    for (size_t x = 0; x < queue[PUSHED]; x++) {
        const uint32_t *node = queue + NODES + x * NODE_WORDS;
        counts[node[NODE_PROBLEM]] += node[NODE_KIND] != 0;
    }
    for (size_t x = 0, root = 0; x < r->count; x++) {
        if (is_decided(r, x)) {
            const bool has_root = r->solutions[x]->n > 1;
            root += has_root;
            order_nodes(r->solutions[x], queue, has_root ? (uint32_t)root : 0, counts[x]);
        }
    }
    free(counts);
    return PDP_OK;
}

/* A node for every problem that has decisions, M[0][n]. Returns how many, and the nodes that there can be. */
static uint32_t plant_roots(const run *r, uint32_t *queue, uint64_t *nodes) {
    uint32_t roots = 0;
    *nodes = 0;
    for (size_t x = 0; x < r->count; x++) {
        if (is_decided(r, x) && r->solutions[x]->n > 1) {
            uint32_t *node = queue + NODES + (size_t)roots++ * NODE_WORDS;
            node[NODE_IS_THERE] = 1;
            node[NODE_J] = (uint32_t)r->solutions[x]->n;
            node[NODE_PROBLEM] = (uint32_t)x;
            *nodes += node_count(r->solutions[x]->problem);
        }
    }
    queue[PUSHED] = queue[OPEN] = roots;
    return roots;
}

/* Lets the device find the nodes, from the roots. */
static pdp_status grow_queue(run *r, const uint32_t *start, uint32_t roots, uint64_t nodes) {
    uint32_t resident = 1;
    if (pdp_device_allocate(r->device, &r->found, queue_bytes(nodes), &r->error) != PDP_OK ||
        pdp_device_clear(r->device, r->found, 0, queue_bytes(nodes), &r->error) != PDP_OK ||
        pdp_device_write(r->device, r->found, 0, start, queue_bytes(roots), &r->error) != PDP_OK ||
        (r->device->groups_meet && pdp_program_count_resident(r->job->program, "pdp_interval_decide", DECIDERS,
                                                              &resident, &r->error) != PDP_OK)) {
        return r->error.status;
    }
    pdp_launch launch = make_launch(r, "pdp_interval_decide", nodes < resident ? nodes : resident, DECIDERS);
    launch.numbers[5] = (int64_t)nodes;
    return pdp_device_launch(r->device, r->job->program, &launch, &r->error);
}

static pdp_status find_decisions(run *r) {
    uint32_t *start = pdp_array_allocate(queue_bytes(r->count), 1, &r->error);
    uint64_t nodes = 0;
    if (!start) {
        return r->error.status;
    }
    const uint32_t roots = plant_roots(r, start, &nodes);
    uint32_t head[NODES] = {0};
    uint32_t *queue = NULL;
    if (roots == 0) {
        take_nodes(r, start);
    } else if (grow_queue(r, start, roots, nodes) == PDP_OK &&
               pdp_device_read(r->device, r->found, 0, head, sizeof head, &r->error) == PDP_OK) {
        const uint64_t used = queue_bytes(head[PUSHED]);
        queue = pdp_pages_allocate(used, &r->error);
        if (queue && pdp_device_read(r->device, r->found, 0, queue, used, &r->error) == PDP_OK) {
            take_nodes(r, queue);
        }
    }
    free(queue);
    free(start);
    return r->error.status;
}

/* One problem after the other: a table of splits is large. */
static pdp_status find_splits(run *r) {
    for (size_t x = 0; x < r->count && r->error.status == PDP_OK; x++) {
        if (!is_decided(r, x)) {
            continue;
        }
        const size_t points = r->solutions[x]->n + 1;
        const uint64_t bytes = (uint64_t)points * points * sizeof(int64_t);
        if (!r->found && pdp_device_allocate(r->device, &r->found, bytes, &r->error) != PDP_OK) {
            return r->error.status; /* no later one is larger */
        }
        pdp_launch launch = make_launch(r, "pdp_interval_splits", points, DECIDERS);
        launch.numbers[5] = (int64_t)x;
        if (pdp_device_clear(r->device, r->found, 0, bytes, &r->error) == PDP_OK &&
            pdp_device_launch(r->device, r->job->program, &launch, &r->error) == PDP_OK) {
            pdp_device_read(r->device, r->found, 0, r->solutions[x]->splits, bytes, &r->error);
        }
    }
    pdp_device_release(r->device, r->found);
    r->found = 0;
    return r->error.status;
}

static pdp_status solve(run *r, double *milliseconds) {
    const pdp_gpu_job *job = r->job;
    /* Where nothing was chosen, a report is read from the table itself. */
    const bool chooses = job->stamp->combine == PDP_OP_MIN || job->stamp->combine == PDP_OP_MAX;
    r->by_table = job->table || (job->decisions && !chooses);
    if (prepare(r) != PDP_OK || run_kernels(r, milliseconds) != PDP_OK ||
        (job->stamp->records && read_trace(r) != PDP_OK) || (r->by_table ? read_tables : read_values)(r) != PDP_OK ||
        (job->splits && find_splits(r) != PDP_OK)) {
        return r->error.status;
    }
    return job->decisions ? find_decisions(r) : PDP_OK;
}

void pdp_gpu_solve_interval(const pdp_gpu_job *job, pdp_solution *const *solutions, size_t count, pdp_progress progress,
                            double *kernel_milliseconds) {
    run r = {.job = job,
             .solutions = solutions,
             .count = count,
             .progress = progress,
             .device = job->device,
             .side = tiles_of(solutions[0]->problem, job->stamp).side};
    if (solve(&r, kernel_milliseconds) != PDP_OK) {
        for (size_t x = 0; x < count; x++) {
            solutions[x]->error = solutions[x]->error.status == PDP_OK ? r.error : solutions[x]->error;
        }
    }
    release(&r);
}
