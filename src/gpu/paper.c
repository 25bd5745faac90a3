#include "gpu/paper.h"

#include <stdlib.h>
#include <string.h>

#include "core/embedded.h"
#include "core/memory.h"
#include "problem/bound.h"
#include "schedule/layout.h"

enum {
    MAX_MATRICES = 92680, /* with more, the cells are more than 32 bits number */
    WORDS_BYTES = 8,
    LAUNCH_TERMS = 1 << 20 /* of one thread: more would take longer than a display's watchdog waits */
};

/* ---- Methods ---- */

typedef enum method_kind {
    SEQUENTIAL,
    NAIVE,
    TOURNAMENT,
    PIPELINE,
    PIPELINE2,
    CHAIN_TOURNAMENT,
    CHAIN_PIPELINE,
    CHAIN_PRINTED,
    CHAIN_WAVEFRONT
} method_kind;

typedef struct paper_method {
    const char *name;
    const char *kernel;
    pdp_shape shape;
    method_kind kind;
} paper_method;

static const paper_method methods[] = {
    {"sequential", "pdp_paper_sequential", PDP_LINEAR, SEQUENTIAL},
    {"naive", "pdp_paper_naive", PDP_LINEAR, NAIVE},
    {"tournament", "pdp_paper_tournament", PDP_LINEAR, TOURNAMENT},
    {"pipeline", "pdp_paper_pipeline", PDP_LINEAR, PIPELINE},
    {"pipeline2", "pdp_paper_pipeline2", PDP_LINEAR, PIPELINE2},
    {"tournament", "pdp_paper_tournament", PDP_INTERVAL, CHAIN_TOURNAMENT},
    {"pipeline", "pdp_paper_pipeline", PDP_INTERVAL, CHAIN_PIPELINE},
    {"pipeline-printed", "pdp_paper_pipeline_printed", PDP_INTERVAL, CHAIN_PRINTED},
    {"wavefront", "pdp_paper_wavefront", PDP_INTERVAL, CHAIN_WAVEFRONT},
};

static const paper_method *find_method(pdp_shape shape, const char *name) {
    for (size_t x = 0; x < sizeof methods / sizeof *methods; x++) {
        if (methods[x].shape == shape && strcmp(methods[x].name, name) == 0) {
            return &methods[x];
        }
    }
    return NULL;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t divide_up(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

static uint64_t chain_cells(uint64_t n) {
    return n * (n + 1) / 2;
}

static uint64_t count_stages(method_kind kind, const pdp_problem *problem) {
    return kind == PIPELINE2 ? divide_up(problem->offset_count, 2) : problem->offset_count;
}

static uint64_t count_steps(method_kind kind, const pdp_problem *problem) {
    const uint64_t n = problem->n;
    switch (kind) {
    case SEQUENTIAL:
    case NAIVE:
    case TOURNAMENT: return n - problem->offsets[0];
    case PIPELINE:
    case PIPELINE2: return n == problem->offsets[0] ? 0 : n - problem->offsets[0] + count_stages(kind, problem) - 1;
    case CHAIN_TOURNAMENT: return chain_cells(n) - n;
    case CHAIN_PIPELINE:
    case CHAIN_PRINTED: return n < 2 ? 0 : chain_cells(n) - 2;
    case CHAIN_WAVEFRONT: return n < 2 ? 0 : 3 * n - 5;
    }
    return 0;
}

/* Groups that have work in a step; some more in the wavefront, where each diagonal has its own. */
static uint64_t count_groups(method_kind kind, const pdp_problem *problem, uint64_t step, uint64_t threads) {
    const uint64_t n = problem->n;
    switch (kind) {
    case SEQUENTIAL: return 1;
    case NAIVE:
    case TOURNAMENT: return divide_up(problem->offset_count, threads);
    case PIPELINE:
    case PIPELINE2:
        return divide_up(least(count_stages(kind, problem), step + 1), threads); /* stage j begins in step j */
    case CHAIN_TOURNAMENT:
    case CHAIN_PIPELINE:
    case CHAIN_PRINTED: return divide_up(n, threads);
    case CHAIN_WAVEFRONT: {
        const uint64_t lowest = (step + 5) / 3;
        const uint64_t highest = least((step + 2) / 2, n - 1);
        return lowest > highest ? 0 : (highest - lowest + 1) * divide_up(n - lowest, threads);
    }
    }
    return 0;
}

/* Threads of a group. On the host few, so that small problems have several groups. */
static uint32_t count_threads(const pdp_device *device, method_kind kind) {
    return kind == SEQUENTIAL ? 1 : device->calls == &pdp_host_calls ? 32 : 256;
}

/* ---- Refusing ---- */

/* Definition 1 with a weight added to each term: s + w[j], whatever the expression of w[j] is. */
static bool has_weights(const pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    const pdp_node *term = &r->nodes[r->inner];
    if ((problem->combine != PDP_OP_MIN && problem->combine != PDP_OP_MAX) || problem->element != PDP_ELEMENT_WHOLE ||
        problem->has_source || r->missing_skip || r->finish != PDP_NO_NODE || r->after != PDP_NO_NODE ||
        problem->offset_count == 0 || problem->preset_count != problem->offsets[0] || term->kind != PDP_NODE_BINARY ||
        term->op != PDP_OP_ADD) {
        return false;
    }
    const bool is_first = r->nodes[term->child[0]].kind == PDP_NODE_CELL;
    const pdp_node *cell = &r->nodes[term->child[is_first ? 0 : 1]];
    const pdp_node *weight = &r->nodes[term->child[is_first ? 1 : 0]];
    if (cell->kind != PDP_NODE_CELL || weight->has_cell || (weight->uses & ~PDP_USES_J) != 0) {
        return false;
    }
    for (size_t j = 1; j < problem->offset_count; j++) {
        if (problem->offsets[j] >= problem->offsets[j - 1]) {
            return false;
        }
    }
    return true;
}

static const char *refuse_sdp(const pdp_problem *problem) {
    if (problem->n >= UINT32_MAX) {
        return "it has 4294967294 cells at most on a device";
    }
    if (!problem->presets) {
        return pdp_bounds_find(problem).reach > INT64_MAX ? "a value may not fit into int64" : NULL;
    }
    if ((problem->op == PDP_ADD || problem->op == PDP_MUL) && problem->overflow == PDP_OVERFLOW_ERROR) {
        return "a device does not see overflows; add and mul must wrap or be modulo a number";
    }
    for (size_t i = 0; problem->op == PDP_GCD && i < problem->offsets[0]; i++) {
        if (problem->presets[i] == INT64_MIN) {
            return "the absolute value of a preset, 2^63, does not fit into int64";
        }
    }
    return NULL;
}

const char *pdp_paper_refuses(const pdp_device *device, const pdp_problem *problem, const char *method) {
    const paper_method *m = find_method(problem->shape, method);
    if (!m) {
        return "it does not run on a device";
    }
    if (!pdp_problem_is_paper(problem) && (problem->shape == PDP_INTERVAL || !has_weights(problem))) {
        return problem->shape == PDP_LINEAR
                   ? "it is for the paper's S-DP, also with weights that are added, but without source or skipped terms"
                   : "it is for matrix chains whose cost is sure to fit into int64";
    }
    if (m->kind == NAIVE && device->lacks_wide_atomics) {
        return "the device has no atomic operations on 64 bits (cl_khr_int64_base_atomics)";
    }
    if (problem->shape == PDP_INTERVAL) {
        return problem->n > MAX_MATRICES ? "it takes 92680 matrices at most" : NULL;
    }
    return refuse_sdp(problem);
}

/* ---- The kernels' text ---- */

static const char *kernel_file(const char *name) {
    for (size_t x = 0; pdp_kernel_files[x].name; x++) {
        if (strcmp(pdp_kernel_files[x].name, name) == 0) {
            return pdp_kernel_files[x].text;
        }
    }
    return "";
}

static char *write_text(const pdp_problem *problem, uint32_t threads, size_t *length) {
    static const char *const policies[] = {
        [PDP_OVERFLOW_ERROR] = "", [PDP_OVERFLOW_WRAP] = "_wrap", [PDP_OVERFLOW_MOD] = "_mod"};
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out) {
        return NULL;
    }
    fprintf(out, "#define THREADS %u\n", (unsigned)threads);
    if (problem->shape == PDP_LINEAR) {
        /* With weights there is no policy, and the two kinds of operators begin alike. */
        fprintf(out, "#define COMBINE combine_%s%s\n%s", pdp_op_name(problem->combine),
                problem->presets ? policies[problem->overflow] : "", problem->presets ? "" : "#define PAPER_WEIGHTS\n");
    } else {
        fputs("#define COMBINE combine_min\n#define PAPER_CHAIN\n", out);
    }
    fputs(kernel_file("device"), out);
    fputs(kernel_file("kernel_data_abi"), out);
    fputs(kernel_file("paper"), out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static pdp_status open_program(pdp_program **out, pdp_device *device, const pdp_problem *problem, pdp_error *error) {
    size_t length = 0;
    char *text = write_text(problem, count_threads(device, PIPELINE), &length);
    if (!text) {
        return pdp_error_set_no_memory(error, 1 << 16);
    }
    pdp_status status = pdp_program_open(out, device, text, length, error);
    free(text);
    return status;
}

/* ---- Memory ---- */

/* Bytes of the buffers as the kernels have them: the table; offsets or dimensions; winners of a tournament's groups;
 * words; weights or the second table. */
static void count_buffers(const pdp_device *device, const pdp_problem *problem, method_kind kind,
                          uint64_t bytes[PDP_LAUNCH_BUFFERS]) {
    const bool is_sdp = problem->shape == PDP_LINEAR;
    const uint64_t cells = is_sdp ? problem->n : chain_cells(problem->n);
    const uint64_t groups = count_groups(kind, problem, 0, count_threads(device, kind));
    bytes[0] = cells * sizeof(int64_t);
    bytes[1] = is_sdp ? problem->offset_count * sizeof(uint32_t) : (problem->n + 1) * sizeof(int64_t);
    bytes[2] = kind == TOURNAMENT || kind == CHAIN_TOURNAMENT ? groups * sizeof(int64_t) : 0;
    bytes[3] = WORDS_BYTES;
    bytes[4] = kind == CHAIN_PRINTED         ? bytes[0]
               : is_sdp && !problem->presets ? problem->offset_count * sizeof(int64_t)
                                             : 0;
}

uint64_t pdp_paper_bytes(const pdp_device *device, const pdp_problem *problem, const char *method) {
    uint64_t bytes[PDP_LAUNCH_BUFFERS];
    uint64_t sum = 0;
    count_buffers(device, problem, find_method(problem->shape, method)->kind, bytes);
    for (int x = 0; x < PDP_LAUNCH_BUFFERS; x++) {
        sum += bytes[x];
    }
    return sum;
}

/* Weights are what is left of the terms without their cells. */
static pdp_status write_weights(pdp_device *device, const pdp_problem *problem, pdp_buffer buffer, int64_t *first,
                                pdp_error *error) {
    pdp_bindings bindings = pdp_problem_bindings(problem);
    int64_t *weights = pdp_array_allocate(problem->offset_count, sizeof *weights, error);
    if (!weights) {
        return error->status;
    }
    for (size_t j = 0; j < problem->offset_count; j++) {
        bindings.j = (int64_t)j;
        weights[j] = (int64_t)pdp_interpret_element(&bindings, problem->recurrence->inner).whole;
    }
    *first = weights[0];
    if (bindings.error.status != PDP_OK) {
        *error = bindings.error;
    } else {
        pdp_device_write(device, buffer, 0, weights, problem->offset_count * sizeof *weights, error);
    }
    free(weights);
    return error->status;
}

static pdp_status write_sdp(pdp_device *device, const pdp_problem *problem, method_kind kind, const pdp_buffer *buffers,
                            int64_t *table, pdp_error *error) {
    const size_t first = problem->offsets[0];
    const size_t cells = kind == NAIVE && problem->n > first ? first + 1 : first;
    pdp_bindings bindings = pdp_problem_bindings(problem);
    int64_t weight = 0;
    if (!problem->presets && write_weights(device, problem, buffers[4], &weight, error) != PDP_OK) {
        return error->status;
    }
    for (size_t i = 0; i < first; i++) {
        bindings.i = (int64_t)i;
        table[i] = problem->presets
                       ? problem->presets[i]
                       : (int64_t)pdp_interpret_element(&bindings, problem->recurrence->preset_value).whole;
    }
    if (cells > first) { /* the first term of the first cell: see the kernel */
        table[first] = table[0] + weight;
    }
    if (pdp_device_write(device, buffers[0], 0, table, cells * sizeof *table, error) != PDP_OK) {
        return error->status;
    }
    uint32_t *offsets = pdp_array_allocate(problem->offset_count, sizeof *offsets, error);
    if (!offsets) {
        return error->status;
    }
    for (size_t j = 0; j < problem->offset_count; j++) {
        offsets[j] = (uint32_t)problem->offsets[j];
    }
    pdp_status status =
        pdp_device_write(device, buffers[1], 0, offsets, problem->offset_count * sizeof *offsets, error);
    free(offsets);
    return status;
}

/* All cells are 0: those of single matrices stay so, and the printed pipeline reads some before they are begun. */
static pdp_status write_chain(pdp_device *device, const pdp_problem *problem, const pdp_buffer *buffers,
                              pdp_error *error) {
    const uint64_t bytes = chain_cells(problem->n) * sizeof(int64_t);
    if (pdp_device_clear(device, buffers[0], 0, bytes, error) != PDP_OK ||
        (buffers[4] && pdp_device_clear(device, buffers[4], 0, bytes, error) != PDP_OK)) {
        return error->status;
    }
    return pdp_device_write(device, buffers[1], 0, problem->dims, (problem->n + 1) * sizeof(int64_t), error);
}

static pdp_status read_table(pdp_device *device, const pdp_problem *problem, pdp_buffer buffer, int64_t *table,
                             pdp_error *error) {
    const size_t n = problem->n;
    if (problem->shape == PDP_LINEAR) {
        return pdp_device_read(device, buffer, 0, table, n * sizeof *table, error);
    }
    const uint64_t bytes = chain_cells(n) * sizeof(int64_t);
    int64_t *cells = pdp_pages_allocate(bytes, error);
    if (!cells) {
        return error->status;
    }
    pdp_status status = pdp_device_read(device, buffer, 0, cells, bytes, error);
    for (size_t d = 0; status == PDP_OK && d < n; d++) {
        for (size_t i = 0; i < n - d; i++) {
            table[i * (n + 1) + i + d + 1] = cells[pdp_layout_address(n, d, i)];
        }
    }
    free(cells);
    return status;
}

/* ---- Running ---- */

/* All steps in one launch, of at most as many groups as run at once. */
static pdp_status launch_resident(pdp_device *device, const pdp_problem *problem, method_kind kind,
                                  const pdp_program *program, pdp_launch *launch, pdp_error *error) {
    const uint64_t steps = count_steps(kind, problem);
    uint32_t most = 1;
    uint64_t groups = 1;
    if (device->groups_meet && kind != SEQUENTIAL &&
        pdp_program_count_resident(program, launch->kernel, launch->threads, &most, error) != PDP_OK) {
        return error->status;
    }
    /* The wavefront is widest at half of its steps, the others at the end. */
    for (uint64_t part = 1; part <= 2; part++) {
        const uint64_t wanted = count_groups(kind, problem, steps * part / 2 - (part == 2), launch->threads);
        groups = wanted > groups ? wanted : groups;
    }
    launch->groups = (uint32_t)least(groups, most);
    launch->numbers[3] = 0;
    launch->numbers[4] = (int64_t)steps;
    launch->numbers[5] = launch->groups;
    return pdp_device_launch(device, program, launch, error);
}

/* A launch a step; of a single thread some steps more. */
static pdp_status launch_steps(pdp_device *device, const pdp_problem *problem, method_kind kind,
                               const pdp_program *program, pdp_launch *launch, pdp_error *error) {
    const uint64_t steps = count_steps(kind, problem);
    const uint64_t at_once = kind == SEQUENTIAL ? LAUNCH_TERMS / least(problem->offset_count, LAUNCH_TERMS) : 1;
    for (uint64_t s = 0; s < steps; s += at_once) {
        launch->groups = (uint32_t)count_groups(kind, problem, s, launch->threads);
        launch->numbers[3] = (int64_t)s;
        launch->numbers[4] = (int64_t)least(s + at_once, steps);
        launch->numbers[5] = launch->groups;
        if (launch->groups > 0 && pdp_device_launch(device, program, launch, error) != PDP_OK) {
            return error->status;
        }
    }
    return PDP_OK;
}

static pdp_status run(pdp_device *device, const pdp_problem *problem, const paper_method *m, bool resident,
                      pdp_launch *launch, int64_t *table, double *kernel_milliseconds, pdp_error *error) {
    const uint64_t steps = count_steps(m->kind, problem);
    uint64_t bytes[PDP_LAUNCH_BUFFERS];
    pdp_buffer *buffers = launch->buffers;
    pdp_program *program;
    count_buffers(device, problem, m->kind, bytes);
    for (int x = 0; x < PDP_LAUNCH_BUFFERS; x++) {
        if (bytes[x] > 0 && pdp_device_allocate(device, &buffers[x], bytes[x], error) != PDP_OK) {
            return error->status;
        }
    }
    const bool is_sdp = problem->shape == PDP_LINEAR;
    if (open_program(&program, device, problem, error) != PDP_OK ||
        pdp_device_clear(device, buffers[3], 0, WORDS_BYTES, error) != PDP_OK ||
        (is_sdp ? write_sdp(device, problem, m->kind, buffers, table, error)
                : write_chain(device, problem, buffers, error)) != PDP_OK ||
        pdp_device_mark(device, 0, error) != PDP_OK ||
        (steps == 0 ? PDP_OK
         : resident ? launch_resident(device, problem, m->kind, program, launch, error)
                    : launch_steps(device, problem, m->kind, program, launch, error)) != PDP_OK ||
        pdp_device_mark(device, 1, error) != PDP_OK || pdp_device_wait(device, error) != PDP_OK ||
        pdp_device_elapsed(device, kernel_milliseconds, error) != PDP_OK) {
        return error->status;
    }
    /* The printed pipeline's odd steps write to its second table. */
    const bool is_second = m->kind == CHAIN_PRINTED && steps > 0 && steps % 2 == 0;
    return read_table(device, problem, buffers[is_second ? 4 : 0], table, error);
}

pdp_status pdp_paper_solve(pdp_device *device, const pdp_problem *problem, const char *method, bool resident,
                           int64_t *table, double *kernel_milliseconds, pdp_error *error) {
    const paper_method *m = find_method(problem->shape, method);
    pdp_launch launch = {.kernel = m->kernel, .threads = count_threads(device, m->kind)};
    launch.numbers[0] = (int64_t)problem->n;
    launch.numbers[1] = (int64_t)problem->offset_count;
    launch.numbers[2] = problem->modulus;
    pdp_status status = run(device, problem, m, resident, &launch, table, kernel_milliseconds, error);
    for (int x = 0; x < PDP_LAUNCH_BUFFERS; x++) {
        pdp_device_release(device, launch.buffers[x]);
    }
    return status;
}
