#include "gpu/ceiling.h"

#include <math.h>
#include <stdlib.h>

#include "cpu/kernel.h"
#include "gpu/arena.h"
#include "gpu/kernels/ceiling.h"

static const double LEAST_MILLISECONDS = 3; /* of a measurement: a launch takes some microseconds */

typedef struct micro_tile {
    const char *kernel;
    const char *name;
    int64_t updates; /* of a thread in a round */
} micro_tile;

#define IN_SHARED_0 ", half of the operands in registers"
#define IN_SHARED_1 ", operands in shared memory"
#define INTERVAL_SHAPE(number, rows, columns, in_shared)                                                               \
    {"pdp_ceiling_" #number, #rows " x " #columns IN_SHARED_##in_shared, INT64_C(1) * (rows) * (columns)*CEILING_DEPTH},
#define LINEAR_SHAPE(number, cells, offsets, in_shared)                                                                \
    {"pdp_ceiling_" #number, #cells " cells x " #offsets " offsets" IN_SHARED_##in_shared,                             \
     INT64_C(1) * (cells)*CEILING_OFFSETS},
static const micro_tile interval_shapes[] = {INTERVAL_CEILINGS(INTERVAL_SHAPE){NULL, NULL, 0}};
static const micro_tile linear_shapes[] = {LINEAR_CEILINGS(LINEAR_SHAPE){NULL, NULL, 0}};

struct pdp_device_ceiling {
    pdp_device *device;
    const micro_tile *shapes;
    pdp_program *program;
    pdp_arena arena;
    pdp_buffer cycles;
    double best;    /* rate so far, */
    double clock;   /* and the cycles a second at which it was seen */
    double a_cycle; /* updates that the pipes of a multiprocessor allow, 0 if not known */
    const char *assumed;
    pdp_error error;
};

/* ---- The pipe bound ---- */

/* Instructions of an update. */
typedef struct counts {
    double products; /* with a sum */
    double sums;
    bool is_known;
} counts;

/* Known before the innermost loop, or a cell. */
static bool is_operand(const pdp_recurrence *r, const pdp_node *n) {
    const uint8_t all = r->shape == PDP_INTERVAL ? PDP_USES_I | PDP_USES_K | PDP_USES_J : PDP_USES_I | PDP_USES_J;
    return n->kind == PDP_NODE_CELL || (n->uses & all) != all;
}

static void count_node(counts *c, const pdp_recurrence *r, uint32_t node) {
    const pdp_node *n = &r->nodes[node];
    if (is_operand(r, n)) {
        return;
    }
    const bool is_sum = n->kind == PDP_NODE_BINARY && (n->op == PDP_OP_ADD || n->op == PDP_OP_SUBTRACT);
    const bool is_product = n->kind == PDP_NODE_MULADD || (n->kind == PDP_NODE_BINARY && n->op == PDP_OP_MUL);
    c->sums += is_sum;
    c->products += is_product;
    c->is_known &= is_sum || is_product;
    for (uint32_t x = 0; x < n->child_count; x++) {
        count_node(c, r, n->child[x]);
    }
}

/* Cycles that an update takes of a multiprocessor of compute capability 9.0, which does 128 instructions in one. */
static void find_bound(pdp_device_ceiling *ceiling, const pdp_recurrence *r, const pdp_stamp *stamp) {
    const bool chooses = stamp->combine == PDP_OP_MIN || stamp->combine == PDP_OP_MAX;
    const bool adds = stamp->combine == PDP_OP_ADD;
    counts c = {.is_known = ceiling->device->capability[0] == 9 && (chooses || adds)};
    double cycles = 0;
    count_node(&c, r, r->inner);
    switch (stamp->type) {
    case PDP_TYPE_I32:
    case PDP_TYPE_U32: {
        /* A sum goes with the min after it; without one, two min go together. A sum modulo P is a sum and such a min.
         */
        const double sums = c.sums + (adds ? 1 : 0), fused = chooses ? 1 : stamp->modular ? sums : 0;
        const double least = chooses && c.sums == 0 ? 0.5 : fused;
        const double all = c.products + sums + least - (chooses && c.sums > 0 ? 1 : 0);
        cycles = fmax(all / 128, fmax(c.products, least) / 64);
        c.is_known = c.is_known && !(stamp->modular && c.products > 0);
        ceiling->assumed =
            "of 128 instructions a clock and multiprocessor 64 products (IMAD) and 64 least or greatest of "
            "sums (VIADDMNMX) or of three (VIMNMX3), as an SM 9.0 has them";
        break;
    }
    case PDP_TYPE_F32:
        cycles = fmax((c.products + c.sums + 1) / 128, chooses ? 1.0 / 64 : 0);
        ceiling->assumed = "128 instructions a clock and multiprocessor, of these 64 least or greatest, as an SM 9.0";
        break;
    case PDP_TYPE_F64:
        cycles = (c.products + c.sums + 1) / 64;
        ceiling->assumed = "64 sums, products and comparisons of doubles a clock and multiprocessor, as an SM 9.0";
        break;
    default: c.is_known = false;
    }
    ceiling->a_cycle = c.is_known ? 1 / cycles : 0;
}

double pdp_device_ceiling_pipe_bound(const pdp_device_ceiling *ceiling, const char **assumed) {
    const bool is_known = ceiling && ceiling->error.status == PDP_OK && ceiling->a_cycle > 0 && ceiling->clock > 0;
    *assumed = is_known ? ceiling->assumed : "";
    return is_known ? ceiling->a_cycle * ceiling->clock * ceiling->device->units : 0;
}

/* ---- The measurement ---- */

static pdp_status load(pdp_device_ceiling *ceiling, const pdp_problem *problem, const pdp_stamp *stamp) {
    pdp_error *error = &ceiling->error;
    pdp_device *device = ceiling->device;
    size_t length = 0;
    char *text = pdp_device_ceiling_text(problem->recurrence, stamp, &length);
    if (!text) {
        return pdp_error_set_no_memory(error, PDP_MAX_TEXT);
    }
    pdp_data data;
    if (pdp_data_create(&data, problem, stamp, error) == PDP_OK) {
        pdp_device_lock(device);
        if (pdp_program_open(&ceiling->program, device, text, length, error) == PDP_OK &&
            pdp_arena_create(&ceiling->arena, device, &data, 1, stamp, error) == PDP_OK) {
            pdp_device_allocate(device, &ceiling->cycles, 2 * sizeof(int64_t), error);
        }
        pdp_device_unlock(device);
        pdp_data_free(&data);
    }
    free(text);
    return error->status;
}

pdp_status pdp_device_ceiling_open(pdp_device_ceiling **out, pdp_device *device, const pdp_problem *problem,
                                   const pdp_stamp *stamp) {
    pdp_device_ceiling *ceiling = *out = calloc(1, sizeof *ceiling);
    if (!ceiling) {
        return PDP_NO_MEMORY;
    }
    if (!device || problem->n < 2) { /* the update is run at i=0, k=1, j=2 */
        return pdp_error_set(&ceiling->error, PDP_BAD_INPUT,
                             "the plan has no kernel on a device that could be measured");
    }
    ceiling->device = device;
    ceiling->shapes = problem->shape == PDP_INTERVAL ? interval_shapes : linear_shapes;
    if (load(ceiling, problem, stamp) == PDP_OK) {
        find_bound(ceiling, problem->recurrence, stamp);
    }
    return ceiling->error.status;
}

const char *pdp_device_ceiling_error(const pdp_device_ceiling *ceiling) {
    return ceiling ? ceiling->error.text : "out of memory";
}

const char *pdp_device_ceiling_shape(const pdp_device_ceiling *ceiling, size_t shape) {
    const size_t count = !ceiling || ceiling->error.status != PDP_OK ? 0
                         : ceiling->shapes == interval_shapes        ? sizeof interval_shapes / sizeof *interval_shapes
                                                                     : sizeof linear_shapes / sizeof *linear_shapes;
    return shape < count ? ceiling->shapes[shape].name : NULL;
}

/* Milliseconds of so many rounds. */
static pdp_status run(pdp_device_ceiling *ceiling, const micro_tile *s, uint32_t groups, int64_t rounds,
                      double *milliseconds, int64_t cycles[2]) {
    pdp_device *device = ceiling->device;
    pdp_error *error = &ceiling->error;
    const pdp_launch launch = {.kernel = s->kernel,
                               .groups = groups,
                               .threads = CEILING_THREADS,
                               .data = ceiling->arena.buffer,
                               .buffers = {ceiling->cycles, ceiling->cycles},
                               .numbers = {rounds}};
    if (pdp_device_mark(device, 0, error) != PDP_OK ||
        pdp_device_launch(device, ceiling->program, &launch, error) != PDP_OK ||
        pdp_device_mark(device, 1, error) != PDP_OK || pdp_device_wait(device, error) != PDP_OK ||
        pdp_device_elapsed(device, milliseconds, error) != PDP_OK) {
        return error->status;
    }
    return pdp_device_read(device, ceiling->cycles, 0, cycles, 2 * sizeof *cycles, error);
}

/* The best over 1, 2, ... groups a multiprocessor. */
static double measure(pdp_device_ceiling *ceiling, const micro_tile *s) {
    uint32_t resident = 0;
    if (pdp_program_count_resident(ceiling->program, s->kernel, CEILING_THREADS, &resident, &ceiling->error) !=
        PDP_OK) {
        return 0;
    }
    const uint32_t units =
        ceiling->device->units > 0 && ceiling->device->units <= resident ? ceiling->device->units : 1;
    double best = 0, milliseconds = 0;
    int64_t rounds = 16, cycles[2] = {0};                             /* and nanoseconds */
    if (run(ceiling, s, units, 1, &milliseconds, cycles) != PDP_OK) { /* a driver may compile at the first launch */
        return 0;
    }
    for (uint32_t groups = units; groups <= resident; groups += units) {
        for (;; rounds *= milliseconds < LEAST_MILLISECONDS / 8 ? 8 : 2) {
            if (run(ceiling, s, groups, rounds, &milliseconds, cycles) != PDP_OK) {
                return 0;
            }
            if (milliseconds >= LEAST_MILLISECONDS) {
                break;
            }
        }
        const double rate = (double)groups * CEILING_THREADS * (double)(rounds * s->updates) / (1e-3 * milliseconds);
        best = rate > best ? rate : best;
        if (rate > ceiling->best) {
            ceiling->best = rate;
            ceiling->clock = cycles[1] > 0 ? (double)cycles[0] / (1e-9 * (double)cycles[1]) : 0;
        }
    }
    return best;
}

double pdp_device_ceiling_measure(pdp_device_ceiling *ceiling, size_t shape) {
    if (!pdp_device_ceiling_shape(ceiling, shape)) {
        return 0;
    }
    pdp_device_lock(ceiling->device);
    const double rate = measure(ceiling, &ceiling->shapes[shape]);
    pdp_device_unlock(ceiling->device);
    return rate;
}

void pdp_device_ceiling_free(pdp_device_ceiling *ceiling) {
    if (!ceiling) {
        return;
    }
    if (ceiling->device) {
        pdp_device_lock(ceiling->device);
        pdp_arena_free(&ceiling->arena, ceiling->device);
        pdp_device_release(ceiling->device, ceiling->cycles);
        pdp_device_unlock(ceiling->device);
    }
    free(ceiling);
}
