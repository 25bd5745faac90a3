/* Interval problems on a device: the driver of kernels/interval.h. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "gpu/arena.h"
#include "gpu/kernels/interval_abi.h"
#include "gpu/solve.h"

static const double FAST = 8e12; /* updates a second */

/* A run, and what it has allocated on the device. */
typedef struct run {
    const pdp_gpu_job *job;
    pdp_solution *solution;
    pdp_device *device;
    pdp_error *error;
    pdp_tiles tiles; /* on the device: without cells here */
    pdp_arena arena;
    pdp_buffer table;
    pdp_buffer words;
    pdp_buffer queue;
    pdp_buffer splits;
} run;

static pdp_tiles tiles_of(const pdp_problem *problem, const pdp_stamp *stamp) {
    pdp_tiles tiles = {
        .points = problem->n + 1, .tile = TILE, .panel = PANEL, .cell_bytes = pdp_machine_type_bytes(stamp->type)};
    pdp_tiles_bytes(&tiles); /* sets the rest */
    return tiles;
}

static uint64_t words_bytes(const pdp_tiles *tiles) {
    const uint64_t side = tiles->side;
    return pdp_bytes_multiply(COUNTS + side + side * (side + 1) / 2, sizeof(uint32_t));
}

/* At most n decisions and n cells without one: see decide_interval in solution/decisions.c. */
static uint64_t node_count(const pdp_problem *problem) {
    return 2 * (uint64_t)problem->n + 2;
}

static uint64_t queue_bytes(const pdp_problem *problem) {
    return pdp_bytes_multiply(NODES + NODE_WORDS * node_count(problem), sizeof(uint32_t));
}

uint64_t pdp_gpu_interval_bytes(const pdp_problem *problem, const pdp_stamp *stamp, bool decisions, bool splits) {
    pdp_tiles tiles = tiles_of(problem, stamp);
    uint64_t bytes = pdp_bytes_add(pdp_tiles_bytes(&tiles), words_bytes(&tiles));
    bytes = pdp_bytes_add(bytes, decisions ? queue_bytes(problem) : 0);
    return pdp_bytes_add(bytes, splits ? pdp_solution_table_bytes(problem) : 0);
}

/* ---- The table ---- */

/* Cells of distance d tiles have about d tiles of terms. */
static double updates_of(const pdp_tiles *tiles, size_t distance) {
    return (double)(tiles->side - distance) * (double)distance * TILE * TILE * TILE;
}

static size_t tile_count(const pdp_tiles *tiles, size_t first, size_t end) {
    size_t count = 0;
    for (size_t distance = first; distance < end; distance++) {
        count += tiles->side - distance;
    }
    return count;
}

/* Tiles of the distances first .. end-1. */
static pdp_status launch_tiles(const run *r, size_t first, size_t end, size_t resident) {
    const size_t count = tile_count(&r->tiles, first, end);
    const pdp_launch launch = {
        .kernel = "pdp_interval",
        .groups = (uint32_t)(count < resident ? count : resident),
        .threads = THREADS,
        .data = r->arena.buffer,
        .buffers = {r->table, r->words},
        .numbers = {(int64_t)r->tiles.side, (int64_t)r->tiles.room, (int64_t)first, (int64_t)end},
    };
    if (pdp_device_clear(r->device, r->words, TICKET * sizeof(uint32_t), sizeof(uint32_t), r->error) != PDP_OK) {
        return r->error->status;
    }
    return pdp_device_launch(r->device, r->job->program, &launch, r->error);
}

/* In one launch if groups can wait for each other and nobody wants to know how far it is; otherwise in several. */
static pdp_status fill_table(const run *r) {
    const pdp_progress progress = r->job->progress;
    const size_t side = r->tiles.side;
    uint32_t resident = 0;
    double all = 0, done = 0, since = 0;
    const double report = (r->device->pace > 0 ? r->device->pace : FAST) / 4; /* a quarter of a second */
    if (pdp_program_count_resident(r->job->program, "pdp_interval", THREADS, &resident, r->error) != PDP_OK) {
        return r->error->status;
    }
    for (size_t distance = 0; distance < side; distance++) {
        all += updates_of(&r->tiles, distance);
    }
    for (size_t first = 0, end = 0; first < side && r->error->status == PDP_OK; first = end) {
        do {
            since += updates_of(&r->tiles, end++);
        } while (end < side && r->device->groups_meet && (!progress.report || since < report));
        launch_tiles(r, first, end, r->device->groups_meet ? resident : SIZE_MAX);
        if (progress.report && since >= report && pdp_device_wait(r->device, r->error) == PDP_OK) {
            done += since;
            since = 0;
            pdp_progress_tell(progress, done < all ? done / all : 1, r->error);
        }
    }
    return r->error->status;
}

/* ---- What is wanted of it ---- */

static pdp_status read_value(const run *r) {
    unsigned char cell[sizeof(pdp_wide)];
    const size_t at = pdp_tiles_offset(&r->tiles, 0, r->solution->n);
    if (pdp_device_read(r->device, r->table, at, cell, r->tiles.cell_bytes, r->error) != PDP_OK) {
        return r->error->status;
    }
    return pdp_solution_take_value(r->solution, cell);
}

static pdp_status read_table(const run *r) {
    r->solution->tiles = r->tiles;
    if (pdp_tiles_allocate(&r->solution->tiles, r->error) != PDP_OK) {
        return r->error->status;
    }
    const uint64_t bytes = pdp_tiles_bytes(&r->solution->tiles);
    if (pdp_device_read(r->device, r->table, 0, r->solution->tiles.cells, bytes, r->error) != PDP_OK) {
        return r->error->status;
    }
    return pdp_solution_close(r->solution);
}

/* Nodes into the order that decisions have: a node before those below it, and the first of these first. */
static pdp_status order_nodes(const run *r, const uint32_t *queue, size_t count) {
    pdp_solution *solution = r->solution;
    size_t *waiting = pdp_array_allocate(count + 1, sizeof *waiting, r->error);
    solution->decisions = waiting ? pdp_array_allocate(count, sizeof *solution->decisions, r->error) : NULL;
    size_t depth = 0;
    if (solution->decisions) {
        waiting[depth++] = 1;
    }
    while (depth > 0) {
        const uint32_t *node = queue + NODES + (waiting[--depth] - 1) * NODE_WORDS;
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
    return r->error->status;
}

static pdp_status find_decisions(run *r) {
    const size_t n = r->solution->n;
    const uint32_t start[NODES + NODE_WORDS] = {
        [PUSHED] = 1, [OPEN] = 1, [NODES + NODE_IS_THERE] = 1, [NODES + NODE_J] = (uint32_t)n};
    const uint64_t bytes = queue_bytes(r->job->problem);
    uint32_t resident = 1;
    if (pdp_device_allocate(r->device, &r->queue, bytes, r->error) != PDP_OK ||
        pdp_device_clear(r->device, r->queue, 0, bytes, r->error) != PDP_OK ||
        pdp_device_write(r->device, r->queue, 0, start, sizeof start, r->error) != PDP_OK ||
        pdp_program_count_resident(r->job->program, "pdp_interval_decide", DECIDERS, &resident, r->error) != PDP_OK) {
        return r->error->status;
    }
    const pdp_launch launch = {.kernel = "pdp_interval_decide",
                               .groups = !r->device->groups_meet ? 1
                                         : n < resident          ? (uint32_t)n
                                                                 : resident,
                               .threads = DECIDERS,
                               .data = r->arena.buffer,
                               .buffers = {r->table, 0, r->queue},
                               .numbers = {0, (int64_t)r->tiles.room, 0, 0, (int64_t)node_count(r->job->problem)}};
    uint32_t head[NODES];
    if (pdp_device_launch(r->device, r->job->program, &launch, r->error) != PDP_OK ||
        pdp_device_read(r->device, r->queue, 0, head, sizeof head, r->error) != PDP_OK) {
        return r->error->status;
    }
    const size_t used = (NODES + NODE_WORDS * (size_t)head[PUSHED]) * sizeof(uint32_t);
    uint32_t *queue = pdp_pages_allocate(used, r->error);
    if (queue && pdp_device_read(r->device, r->queue, 0, queue, used, r->error) == PDP_OK) {
        order_nodes(r, queue, head[PUSHED]);
    }
    free(queue);
    return r->error->status;
}

static pdp_status find_splits(run *r) {
    const size_t points = r->solution->n + 1;
    const uint64_t bytes = pdp_solution_table_bytes(r->job->problem);
    if (pdp_device_allocate(r->device, &r->splits, bytes, r->error) != PDP_OK ||
        pdp_device_clear(r->device, r->splits, 0, bytes, r->error) != PDP_OK) {
        return r->error->status;
    }
    const pdp_launch launch = {.kernel = "pdp_interval_splits",
                               .groups = (uint32_t)points,
                               .threads = DECIDERS,
                               .data = r->arena.buffer,
                               .buffers = {r->table, 0, 0, r->splits},
                               .numbers = {0, (int64_t)r->tiles.room, 0, 0, (int64_t)points}};
    if (pdp_device_launch(r->device, r->job->program, &launch, r->error) != PDP_OK) {
        return r->error->status;
    }
    return pdp_device_read(r->device, r->splits, 0, r->solution->splits, bytes, r->error);
}

static pdp_status solve(run *r, pdp_data *data, double *milliseconds) {
    const pdp_problem *problem = r->job->problem;
    if (pdp_arena_create(&r->arena, r->device, data, problem, r->job->stamp, r->error) != PDP_OK ||
        pdp_device_allocate(r->device, &r->table, pdp_tiles_bytes(&r->tiles), r->error) != PDP_OK ||
        pdp_device_allocate(r->device, &r->words, words_bytes(&r->tiles), r->error) != PDP_OK ||
        pdp_device_clear(r->device, r->words, 0, words_bytes(&r->tiles), r->error) != PDP_OK ||
        pdp_device_mark(r->device, 0, r->error) != PDP_OK || fill_table(r) != PDP_OK ||
        pdp_device_mark(r->device, 1, r->error) != PDP_OK || pdp_device_wait(r->device, r->error) != PDP_OK ||
        pdp_device_elapsed(r->device, milliseconds, r->error) != PDP_OK ||
        pdp_arena_check(&r->arena, r->device, data, problem, r->error) != PDP_OK) {
        return r->error->status;
    }
    /* Where nothing was chosen, a report is read from the table itself. */
    const bool chooses = problem->combine == PDP_OP_MIN || problem->combine == PDP_OP_MAX;
    const bool by_table = r->job->table || (r->job->decisions && !chooses);
    if ((by_table ? read_table(r) : read_value(r)) != PDP_OK || !pdp_solution_has_decisions(r->solution)) {
        return r->error->status;
    }
    if (r->solution->splits && find_splits(r) != PDP_OK) {
        return r->error->status;
    }
    return r->job->decisions ? find_decisions(r) : PDP_OK;
}

pdp_status pdp_gpu_solve_interval(const pdp_gpu_job *job, pdp_solution *solution, double *kernel_milliseconds) {
    run r = {.job = job,
             .solution = solution,
             .device = job->device,
             .error = &solution->error,
             .tiles = tiles_of(job->problem, job->stamp)};
    pdp_data data;
    if (pdp_data_create(&data, job->problem, job->stamp, r.error) != PDP_OK) {
        return r.error->status;
    }
    solution->type = job->stamp->type;
    solve(&r, &data, kernel_milliseconds);
    const pdp_buffer buffers[] = {r.table, r.words, r.queue, r.splits};
    for (size_t x = 0; x < sizeof buffers / sizeof *buffers; x++) {
        pdp_device_release(r.device, buffers[x]);
    }
    pdp_arena_free(&r.arena, r.device);
    pdp_data_free(&data);
    return r.error->status;
}
