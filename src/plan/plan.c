/* Which method, which type, what it needs, and running it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compile/module.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/threads.h"
#include "cpu/ceiling.h"
#include "cpu/data.h"
#include "cpu/hu_shing.h"
#include "cpu/interval.h"
#include "cpu/kernel.h"
#include "cpu/linear.h"
#include "gpu/arena.h"
#include "gpu/ceiling.h"
#include "gpu/paper.h"
#include "gpu/solve.h"
#include "plan/type.h"
#include "reference/reference.h"
#include "schedule/machine.h"
#include "solution/solution.h"

typedef enum method_kind {
    PLAIN,     /* the textbook's loops: the paper's problems in C, others by the interpreter */
    ENGINE,    /* tiles or blocks */
    HU_SHING,  /* matrix chain without a table */
    STEP_EXACT /* the paper's methods, on the step-exact machine alone */
} method_kind;

/* Terms from which on a GPU is worth the time that its driver takes to start: seconds on a CPU. The environment may
 * have another opinion, in PIPEDP_GPU_TERMS. */
static double gpu_terms(void) {
    const char *text = getenv("PIPEDP_GPU_TERMS");
    char *end = NULL;
    const double terms = text ? strtod(text, &end) : -1;
    return end && end != text && *end == '\0' && terms >= 0 ? terms : 1e11;
}

typedef struct method {
    const char *name;
    method_kind kind;
    bool guaranteed;
    pdp_schedule_function *schedule; /* on the step-exact machine, or NULL */
} method;

static const method linear_methods[] = {
    {"sequential", PLAIN, true, pdp_schedule_sdp_sequential},
    {"blocks", ENGINE, true, NULL},
    {"naive", STEP_EXACT, true, pdp_schedule_sdp_naive},
    {"tournament", STEP_EXACT, true, pdp_schedule_sdp_tournament},
    {"pipeline", STEP_EXACT, true, pdp_schedule_sdp_pipeline},
    {"pipeline2", STEP_EXACT, true, pdp_schedule_sdp_pipeline2},
    {0},
};

static const method interval_methods[] = {
    {"sequential", PLAIN, true, pdp_schedule_mcm_sequential},
    {"tiles", ENGINE, true, NULL},
    {"hu-shing", HU_SHING, true, NULL},
    {"tournament", STEP_EXACT, true, pdp_schedule_mcm_tournament},
    {"pipeline", STEP_EXACT, true, pdp_schedule_mcm_pipeline},
    {"wavefront", STEP_EXACT, true, pdp_schedule_mcm_wavefront},
    {"pipeline-printed", STEP_EXACT, false, pdp_schedule_mcm_pipeline_printed},
    {0},
};

struct pdp_plan {
    const pdp_problem *problem;
    const method *method;
    pdp_options options;
    pdp_watch watch;
    pdp_schedule schedule; /* at its start, if the machine runs it */
    bool on_machine;
    pdp_level level;
    pdp_stamp stamp;
    pdp_kernel kernel;  /* of an engine on the CPU */
    pdp_device *device; /* that runs the engine instead, and the kernels it has loaded */
    bool owns_device;
    pdp_program *program;
    int threads;
    uint64_t bytes;
    char note[320];
    pdp_error error;
};

/* Of a method, a type or a backend. */
static bool is_auto(const char *wish) {
    return !wish || strcmp(wish, "auto") == 0;
}

static const method *methods_of(pdp_shape shape) {
    return shape == PDP_LINEAR ? linear_methods : interval_methods;
}

const char *pdp_algorithm_name(pdp_shape shape, size_t index) {
    const size_t count = shape == PDP_LINEAR ? sizeof linear_methods / sizeof *linear_methods
                                             : sizeof interval_methods / sizeof *interval_methods;
    return index < count ? methods_of(shape)[index].name : NULL;
}

/* ---- Choosing ---- */

/* The caller's struct may be older and shorter than ours: what it lacks keeps its default. */
static pdp_status copy_options(pdp_options *to, const pdp_options *from, pdp_error *error) {
    *to = (pdp_options)PDP_OPTIONS_DEFAULT;
    if (!from) {
        return PDP_OK;
    }
    if (from->struct_size < sizeof from->struct_size || from->struct_size > sizeof *from) {
        return pdp_error_set(error, PDP_BAD_INPUT,
                             "options.struct_size is %zu, and must be at most %zu: set it with PDP_OPTIONS_DEFAULT",
                             from->struct_size, sizeof *from);
    }
    memcpy(to, from, from->struct_size);
    if (to->width < 1 || to->width > 1024) {
        return pdp_error_set(error, PDP_BAD_INPUT, "width is %" PRIu32 ", and must be 1 to 1024", to->width);
    }
    if (to->latency < 1) {
        return pdp_error_set(error, PDP_BAD_INPUT, "latency is 0, and must be at least 1");
    }
    if (to->threads < 0 || to->threads > 4096) {
        return pdp_error_set(error, PDP_BAD_INPUT, "threads is %d, and must be 0 to 4096", to->threads);
    }
    return PDP_OK;
}

static pdp_status fail_unknown(pdp_error *error, const char *name, const method *methods) {
    char list[160] = "auto";
    for (const method *m = methods; m->name; m++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, ", %s", m->name);
    }
    return pdp_error_set(error, PDP_BAD_INPUT, "algorithm '%.40s' is not known here; there are %s", name, list);
}

static const method *find_method(pdp_shape shape, const char *name) {
    for (const method *m = methods_of(shape); m->name; m++) {
        if (strcmp(m->name, name) == 0) {
            return m;
        }
    }
    return NULL;
}

/* Why a method cannot solve a problem, or NULL. */
static const char *refuse(const pdp_plan *plan, const method *m) {
    const pdp_problem *problem = plan->problem;
    /* A device has an opinion of its own: it takes weights too. */
    const bool on_device = !is_auto(plan->options.backend) && strcmp(plan->options.backend, "cpu") != 0;
    if (((m->kind == STEP_EXACT && !on_device) || plan->options.record) && !pdp_problem_is_paper(problem)) {
        return problem->shape == PDP_LINEAR ? "it is for the paper's S-DP, without weights, source or skipped terms"
                                            : "it is for matrix chains whose cost is sure to fit into int64";
    }
    if (plan->options.record && !m->schedule) {
        return "it does not run on the step-exact machine";
    }
    if (m->kind == HU_SHING && !problem->dims) {
        return "it is for matrix chains whose cost is sure to fit into int64";
    }
    if (m->kind == HU_SHING && (plan->options.splits || plan->options.record)) {
        return "it has no table of splits";
    }
    if (m->kind == ENGINE && problem->shape == PDP_INTERVAL && problem->recurrence->combine_ordered) {
        return "its operator does not commute";
    }
    if (m->kind == ENGINE && problem->combine == PDP_OP_OWN && problem->recurrence->combine_identity == PDP_NO_NODE) {
        return "its operator has no identity";
    }
    return NULL;
}

/* Terms in all: what the interpreter would take about 50 ns for. */
static double term_count(const pdp_problem *problem) {
    const double n = (double)problem->n;
    return problem->shape == PDP_LINEAR ? n * (double)problem->offset_count : n * n * n / 6;
}

/* What the plain loops compute with. */
static pdp_machine_type plain_type(const pdp_problem *problem) {
    return pdp_problem_is_paper(problem) ? PDP_TYPE_I64 : pdp_reference_type(problem);
}

/* ---- Devices ---- */

/* Whether the device has the bytes that a run takes there. */
static pdp_status check_device_memory(const pdp_plan *plan, uint64_t bytes, pdp_error *error) {
    const uint64_t limit = plan->options.device_memory;
    uint64_t available = 0;
    if (pdp_device_count_free(plan->device, &available, error) != PDP_OK) {
        return error->status;
    }
    const uint64_t allowed = limit > 0 && limit < available ? limit : available;
    if (bytes > allowed) {
        return pdp_error_set(error, PDP_NO_MEMORY,
                             "method '%s' needs %" PRIu64 " bytes of device memory, and %" PRIu64 " are %s",
                             plan->method->name, bytes, allowed, allowed < available ? "allowed" : "free");
    }
    return PDP_OK;
}

static void close_device(pdp_plan *plan) {
    if (plan->owns_device) {
        pdp_device_free(plan->device);
    }
    plan->device = NULL;
    plan->owns_device = false;
    plan->program = NULL;
}

/* The caller's device, or one of our own. */
static pdp_status find_device(pdp_plan *plan, const char *backend, pdp_error *error) {
    plan->device = plan->options.device;
    plan->owns_device = !plan->device;
    if (plan->device && plan->device->error.status != PDP_OK) {
        return pdp_error_set(error, PDP_BAD_INPUT, "the device is not open: %.250s", plan->device->error.text);
    }
    if (plan->owns_device && pdp_device_open(&plan->device, backend) != PDP_OK) {
        return pdp_error_set(error, plan->device ? plan->device->error.status : PDP_NO_MEMORY, "%s",
                             pdp_device_error(plan->device));
    }
    return PDP_OK;
}

/* For a method of the paper. */
static pdp_status open_paper(pdp_plan *plan, const char *backend, pdp_error *error) {
    if (find_device(plan, backend, error) != PDP_OK) {
        return error->status;
    }
    const char *refusal = pdp_paper_refuses(plan->device, plan->problem, plan->method->name);
    if (refusal) {
        return pdp_error_set(error, PDP_BAD_INPUT, "method '%s' cannot solve this problem on backend '%.40s': %s",
                             plan->method->name, backend, refusal);
    }
    plan->stamp.type = PDP_TYPE_I64;
    return check_device_memory(plan, pdp_paper_bytes(plan->device, plan->problem, plan->method->name), error);
}

/* For an engine: everything that a run on the device needs but its memory. */
static pdp_status open_device(pdp_plan *plan, const char *backend, pdp_error *error) {
    const pdp_problem *problem = plan->problem;
    const pdp_options *o = &plan->options;
    if (pdp_type_choose(&plan->stamp, problem, plan->options.type, plan->level, true, error) != PDP_OK) {
        return error->status;
    }
    if (plan->stamp.type == PDP_TYPE_WIDE) {
        return pdp_error_set(error, PDP_BAD_INPUT,
                             "a value may not fit into 64 bits, and the kernel that checks that runs on the CPU alone");
    }
    if (find_device(plan, backend, error) != PDP_OK) {
        return error->status;
    }
    size_t length = 0;
    char *text = pdp_device_text(problem->recurrence, &plan->stamp, &length);
    if (!text) {
        return pdp_error_set_no_memory(error, PDP_MAX_TEXT);
    }
    pdp_device_lock(plan->device);
    pdp_status status = pdp_program_open(&plan->program, plan->device, text, length, error);
    pdp_device_unlock(plan->device);
    free(text);
    return status == PDP_OK
               ? check_device_memory(plan, pdp_gpu_bytes(problem, &plan->stamp, o->decisions, o->splits), error)
               : status;
}

/* The device that the user wants, or a GPU that is worth its start; a note says why not. */
static pdp_status choose_device(pdp_plan *plan) {
    const char *wish = plan->options.backend;
    const bool by_us = is_auto(wish);
    pdp_error error = {0};
    if (by_us ? plan->method->kind != ENGINE || term_count(plan->problem) < gpu_terms() : strcmp(wish, "cpu") == 0) {
        return PDP_OK;
    }
    const method_kind kind = plan->method->kind;
    const bool is_ordered = kind == ENGINE && plan->problem->recurrence->combine_ordered;
    if (kind == HU_SHING || plan->options.record || is_ordered) {
        return by_us ? PDP_OK
                     : pdp_error_set(&plan->error, PDP_BAD_INPUT, "method '%s' does not run on backend '%.40s'%s",
                                     plan->method->name, wish,
                                     is_ordered             ? ": its operator does not commute"
                                     : plan->options.record ? ": the step-exact machine keeps the record"
                                                            : "");
    }
    if ((kind == ENGINE ? open_device : open_paper)(plan, by_us ? "cuda" : wish, &error) == PDP_OK) {
        return PDP_OK;
    }
    const bool has_device = plan->device && plan->device->name[0] != '\0';
    close_device(plan);
    if (!by_us) {
        return pdp_error_set(&plan->error, error.status, "%s", error.text);
    }
    if (has_device) { /* where there is no GPU there is nothing to say */
        snprintf(plan->note, sizeof plan->note, "on the CPU: %.290s", error.text);
    }
    return PDP_OK;
}

/* Opens the kernel; a note says why not, if the interpreter can take over. */
static pdp_status open_kernel(pdp_plan *plan, bool is_asked_for) {
    const pdp_problem *problem = plan->problem;
    pdp_error error = {0};
    if (pdp_type_choose(&plan->stamp, problem, plan->options.type, plan->level, false, &plan->error) != PDP_OK) {
        return plan->error.status;
    }
    /* A few terms are interpreted before a compiler has started. */
    const bool may_compile = plan->options.compile && (is_asked_for || term_count(problem) > 2e5);
    pdp_kernel_open(&plan->kernel, problem->recurrence, &plan->stamp, plan->level, may_compile, &error);
    if (error.status == PDP_OK) {
        return PDP_OK;
    }
    if (is_asked_for || error.status == PDP_NO_MEMORY) {
        return pdp_error_set(&plan->error, error.status, "no kernel for '%s': %.250s", problem->recurrence->name,
                             error.text);
    }
    plan->method = find_method(problem->shape, "sequential");
    plan->stamp.type = plain_type(problem);
    if (may_compile || !plan->options.compile || pdp_module_is_off()) {
        snprintf(plan->note, sizeof plan->note, "interpreted, which is slow: %.250s", error.text);
    }
    return PDP_OK;
}

static pdp_status choose_method(pdp_plan *plan) {
    const pdp_problem *problem = plan->problem;
    const char *name = plan->options.algorithm;
    const bool by_us = is_auto(name);
    if (by_us) {
        const char *backend = plan->options.backend;
        const bool on_cpu = is_auto(backend) || strcmp(backend, "cpu") == 0;
        const bool without_table =
            on_cpu && problem->dims && !plan->options.table && !plan->options.splits && is_auto(plan->options.type);
        const char *engine = problem->shape == PDP_INTERVAL ? "tiles" : "blocks";
        name = plan->options.record                                ? "pipeline"
               : without_table                                     ? "hu-shing"
               : refuse(plan, find_method(problem->shape, engine)) ? "sequential"
                                                                   : engine;
    }
    plan->method = find_method(problem->shape, name);
    if (!plan->method) {
        return fail_unknown(&plan->error, name, methods_of(problem->shape));
    }
    const char *refusal = refuse(plan, plan->method);
    if (refusal) {
        return pdp_error_set(&plan->error, PDP_BAD_INPUT, "method '%s' cannot solve this problem: %s", name, refusal);
    }
    if (choose_device(plan) != PDP_OK || plan->device) {
        return plan->error.status;
    }
    if (plan->method->kind == ENGINE) {
        return open_kernel(plan, !by_us);
    }
    plan->stamp.type = plain_type(problem);
    if (!is_auto(plan->options.type) && strcmp(plan->options.type, pdp_type_name(&plan->stamp, problem)) != 0) {
        return pdp_error_set(&plan->error, PDP_BAD_INPUT, "method '%s' computes with %s, not with %.40s", name,
                             pdp_type_name(&plan->stamp, problem), plan->options.type);
    }
    return PDP_OK;
}

/* ---- Bytes ---- */

static pdp_tiles empty_tiles(const pdp_plan *plan) {
    const pdp_interval_kernel *kernel = plan->kernel.kernel;
    pdp_tiles tiles = {
        .points = plan->problem->n + 1, .tile = kernel->tile, .panel = kernel->panel, .cell_bytes = kernel->elem_bytes};
    pdp_tiles_bytes(&tiles); /* sets the number of tiles */
    return tiles;
}

static pdp_linear_job linear_job(const pdp_plan *plan, const pdp_data *data) {
    const pdp_problem *problem = plan->problem;
    return (pdp_linear_job){.kernel = plan->kernel.kernel,
                            .data = data ? &data->kernel : NULL,
                            .cells = problem->n,
                            .preset_count = problem->preset_count,
                            .offsets = (const int64_t *)problem->offsets,
                            .offset_count = problem->offset_count,
                            .threads = (unsigned)plan->threads};
}

/* Here, while a device computes: the data, as it is and as it is sent, and what comes back. */
static uint64_t device_run_bytes(const pdp_plan *plan) {
    const pdp_problem *problem = plan->problem;
    uint64_t bytes = pdp_bytes_add(pdp_data_bytes(problem, &plan->stamp), pdp_arena_bytes(problem, &plan->stamp));
    if (plan->method->kind != ENGINE) {
        return pdp_solution_table_bytes(problem);
    }
    if (problem->shape == PDP_LINEAR || plan->options.table) {
        bytes = pdp_bytes_add(bytes, pdp_gpu_table_bytes(problem, &plan->stamp));
    }
    return bytes;
}

static uint64_t engine_bytes(const pdp_plan *plan) {
    uint64_t bytes = pdp_data_bytes(plan->problem, &plan->stamp);
    if (plan->problem->shape == PDP_LINEAR) {
        pdp_linear_job job = linear_job(plan, NULL);
        return pdp_bytes_add(bytes, pdp_bytes_add(pdp_linear_table_bytes(&job), pdp_linear_scratch_bytes(&job)));
    }
    pdp_tiles tiles = empty_tiles(plan);
    bytes = pdp_bytes_add(bytes, pdp_tiles_bytes(&tiles));
    return pdp_bytes_add(bytes, pdp_interval_bytes(plan->kernel.kernel, &tiles, plan->threads));
}

static uint64_t count_bytes(const pdp_plan *plan) {
    const pdp_problem *problem = plan->problem;
    uint64_t bytes = sizeof(pdp_solution);
    if (plan->on_machine) {
        bytes = pdp_bytes_add(bytes, pdp_machine_bytes(problem, &plan->schedule, &plan->watch));
    }
    if (plan->device) {
        bytes = pdp_bytes_add(bytes, device_run_bytes(plan));
    } else if (plan->method->kind == ENGINE) {
        bytes = pdp_bytes_add(bytes, engine_bytes(plan));
    } else if (plan->method->kind == HU_SHING) {
        bytes = pdp_bytes_add(bytes, pdp_hu_shing_bytes(problem->n, plan->options.decisions));
    } else if (pdp_problem_is_paper(problem)) {
        bytes = pdp_bytes_add(bytes, pdp_solution_table_bytes(problem));
    } else {
        bytes = pdp_bytes_add(bytes, pdp_reference_bytes(problem));
    }
    if (problem->shape == PDP_INTERVAL && plan->options.splits) {
        bytes = pdp_bytes_add(bytes, pdp_solution_table_bytes(problem));
    }
    const bool chooses = problem->combine == PDP_OP_MIN || problem->combine == PDP_OP_MAX;
    if (problem->shape == PDP_LINEAR && plan->options.decisions && chooses) {
        const uint64_t most = pdp_solution_most_steps(problem);
        bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(most > 0 ? most : 1, sizeof(pdp_decision)));
    }
    if (problem->shape == PDP_INTERVAL && (plan->options.decisions || plan->options.splits)) {
        /* and the parts that wait on the way to them */
        bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(problem->n + 1, sizeof(pdp_decision) + 4 * sizeof(size_t)));
    }
    return bytes;
}

static pdp_status check_memory(pdp_plan *plan) {
    uint64_t limit = plan->options.memory_limit;
    uint64_t allowed = limit > 0 ? limit : pdp_memory_available();
    if (plan->bytes == UINT64_MAX) { /* saturated: see pdp_bytes_multiply */
        return pdp_error_set(&plan->error, PDP_NO_MEMORY, "method '%s' needs more than 2^64 bytes", plan->method->name);
    }
    if (plan->bytes > allowed) {
        return pdp_error_set(&plan->error, PDP_NO_MEMORY, "method '%s' needs %" PRIu64 " bytes, and %" PRIu64 " are %s",
                             plan->method->name, plan->bytes, allowed, limit > 0 ? "allowed" : "free");
    }
    return PDP_OK;
}

pdp_status pdp_plan_create(pdp_plan **out, const pdp_problem *problem, const pdp_options *options) {
    pdp_plan *plan = *out = calloc(1, sizeof *plan);
    if (!plan) {
        return PDP_NO_MEMORY;
    }
    if (!problem || pdp_problem_check((pdp_problem *)problem) != PDP_OK) {
        return pdp_error_set(&plan->error, PDP_BAD_INPUT, "the problem is not valid: %.280s",
                             pdp_problem_error(problem));
    }
    plan->problem = problem;
    if (copy_options(&plan->options, options, &plan->error) != PDP_OK ||
        pdp_level_find(&plan->level, &plan->error) != PDP_OK || choose_method(plan) != PDP_OK) {
        return plan->error.status;
    }
    const pdp_options *o = &plan->options;
    const bool is_small = term_count(problem) < 4e6; /* done before a second thread has started */
    plan->threads = plan->method->kind != ENGINE || plan->device ? 1
                    : o->threads > 0                             ? o->threads
                    : is_small                                   ? 1
                                                                 : pdp_threads_available();
    plan->watch = (pdp_watch){o->record != 0, o->width, o->latency, o->record ? o->on_step : NULL, o->context};
    plan->on_machine = o->record || (plan->method->kind == STEP_EXACT && !plan->device);
    if (plan->on_machine && plan->method->schedule(&plan->schedule, problem, &plan->error) != PDP_OK) {
        return plan->error.status;
    }
    plan->bytes = count_bytes(plan);
    return check_memory(plan);
}

static bool is_good(const pdp_plan *plan) {
    return plan && plan->error.status == PDP_OK;
}

const char *pdp_plan_algorithm(const pdp_plan *plan) {
    return is_good(plan) ? plan->method->name : "";
}

const char *pdp_plan_type(const pdp_plan *plan) {
    return is_good(plan) ? pdp_type_name(&plan->stamp, plan->problem) : "";
}

const char *pdp_plan_note(const pdp_plan *plan) {
    return is_good(plan) ? plan->note : "";
}

int pdp_plan_threads(const pdp_plan *plan) {
    return is_good(plan) ? plan->threads : 0;
}

const char *pdp_plan_backend(const pdp_plan *plan) {
    return !is_good(plan) ? "" : plan->device ? plan->device->calls->name : plan->on_machine ? "machine" : "cpu";
}

int pdp_plan_guaranteed(const pdp_plan *plan) {
    return is_good(plan) && plan->method->guaranteed;
}

uint64_t pdp_plan_bytes(const pdp_plan *plan) {
    return is_good(plan) ? plan->bytes : 0;
}

const char *pdp_plan_error(const pdp_plan *plan) {
    return plan ? plan->error.text : "out of memory";
}

/* Interval: cells of distance d from the diagonal have d-1 terms. Linear: a cell has the terms whose offset it has. */
double pdp_plan_updates(const pdp_plan *plan) {
    if (!is_good(plan)) {
        return 0;
    }
    const pdp_problem *problem = plan->problem;
    const double n = (double)problem->n;
    if (problem->shape == PDP_INTERVAL) {
        return (n + 1) * n * (n - 1) / 6;
    }
    double updates = 0;
    for (size_t j = 0; j < problem->offset_count; j++) {
        size_t first = problem->offsets[j] > problem->preset_count ? problem->offsets[j] : problem->preset_count;
        updates += first < problem->n ? (double)(problem->n - first) : 0;
    }
    return updates;
}

pdp_status pdp_ceiling_create(pdp_ceiling **out, const pdp_plan *plan) {
    const bool has_kernel = is_good(plan) && plan->method->kind == ENGINE && !plan->device;
    return pdp_ceiling_open(out, has_kernel ? plan->problem : NULL, has_kernel ? &plan->stamp : NULL,
                            has_kernel ? plan->level : PDP_LEVEL_GENERIC);
}

pdp_status pdp_device_ceiling_create(pdp_device_ceiling **out, const pdp_plan *plan) {
    const bool has_kernel = is_good(plan) && plan->method->kind == ENGINE && plan->device;
    return pdp_device_ceiling_open(out, has_kernel ? plan->device : NULL, has_kernel ? plan->problem : NULL,
                                   has_kernel ? &plan->stamp : NULL);
}

void pdp_plan_free(pdp_plan *plan) {
    if (plan) {
        pdp_kernel_close(&plan->kernel);
        close_device(plan);
        free(plan);
    }
}

/* ---- Running ---- */

typedef struct split_context {
    const pdp_interval_kernel *kernel;
    const pdp_data *data;
    const pdp_solution *solution;
    unsigned char *row; /* of M[i][k], and then as many of M[k][j] */
} split_context;

static size_t split_by_kernel(void *context, size_t i, size_t j) {
    const split_context *c = context;
    const pdp_tiles *tiles = &c->solution->tiles;
    const size_t bytes = tiles->cell_bytes;
    unsigned char *column = c->row + tiles->points * bytes;
    for (size_t k = i + 1; k < j; k++) {
        memcpy(c->row + (k - i - 1) * bytes, pdp_tiles_cell(tiles, i, k), bytes);
        memcpy(column + (k - i - 1) * bytes, pdp_tiles_cell(tiles, k, j), bytes);
    }
    return (size_t)c->kernel->split(&c->data->kernel, pdp_tiles_cell(tiles, i, j), c->row, column, (int64_t)i,
                                    (int64_t)j);
}

static pdp_status decide(const pdp_plan *plan, const pdp_data *data, pdp_solution *solution) {
    split_context context = {plan->kernel.kernel, data, solution, NULL};
    const bool by_kernel = data && solution->shape == PDP_INTERVAL;
    if (!plan->options.decisions && !solution->splits) {
        return PDP_OK;
    }
    if (by_kernel) {
        context.row = pdp_pages_allocate(2 * (solution->n + 1) * solution->tiles.cell_bytes, &solution->error);
        if (!context.row) {
            return solution->error.status;
        }
    }
    pdp_status status = by_kernel ? pdp_solution_decide(solution, split_by_kernel, &context)
                                  : pdp_solution_decide(solution, pdp_solution_split, solution);
    free(context.row);
    return status;
}

static pdp_status run_engine(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress) {
    pdp_data data;
    pdp_error *error = &solution->error;
    if (pdp_data_create(&data, plan->problem, &plan->stamp, error) != PDP_OK) {
        return error->status;
    }
    solution->type = plan->stamp.type;
    if (solution->shape == PDP_INTERVAL) {
        solution->tiles = empty_tiles(plan);
        pdp_interval_run run = {
            .kernel = plan->kernel.kernel, .data = &data.kernel, .threads = plan->threads, .progress = progress};
        if (pdp_tiles_allocate(&solution->tiles, error) == PDP_OK) {
            pdp_interval_solve(&run, &solution->tiles, error);
        }
    } else {
        pdp_linear_job job = linear_job(plan, &data);
        solution->cells = pdp_pages_allocate(pdp_linear_table_bytes(&job), error);
        if (solution->cells) {
            pdp_linear_solve(&job, solution->cells, progress, error);
        }
    }
    if (error->status == PDP_OK && pdp_data_check(&data, plan->problem, error) == PDP_OK &&
        pdp_solution_close(solution) == PDP_OK) {
        decide(plan, &data, solution);
    }
    pdp_data_free(&data);
    return error->status;
}

static pdp_status run_device(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress) {
    const pdp_gpu_job job = {.device = plan->device,
                             .problem = plan->problem,
                             .stamp = &plan->stamp,
                             .program = plan->program,
                             .table = plan->options.table,
                             .decisions = plan->options.decisions,
                             .progress = progress};
    pdp_device_lock(plan->device);
    pdp_gpu_solve(&job, solution);
    pdp_device_unlock(plan->device);
    return solution->error.status;
}

static pdp_status run_paper(const pdp_plan *plan, pdp_solution *solution) {
    pdp_error *error = &solution->error;
    double milliseconds = 0;
    if (pdp_solution_add_table(solution) != PDP_OK) {
        return error->status;
    }
    pdp_device_lock(plan->device);
    pdp_paper_solve(plan->device, plan->problem, plan->method->name, plan->options.resident, solution->table,
                    &milliseconds, error);
    pdp_device_unlock(plan->device);
    solution->device_seconds = milliseconds / 1e3;
    if (error->status == PDP_OK && pdp_solution_close(solution) == PDP_OK) {
        decide(plan, NULL, solution);
    }
    return error->status;
}

static pdp_status run_hu_shing(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress) {
    const pdp_problem *problem = plan->problem;
    pdp_error *error = &solution->error;
    int64_t value = 0;
    size_t *tree = NULL;
    if (plan->options.decisions) {
        tree = pdp_array_allocate(problem->n, sizeof *tree, error);
        if (!tree) {
            return error->status;
        }
    }
    if (pdp_hu_shing_solve(problem->dims, problem->n, &value, tree, progress, error) == PDP_OK) {
        solution->value.whole = value;
        if (tree) {
            pdp_solution_take_tree(solution, tree);
        }
    }
    free(tree);
    return error->status;
}

static pdp_status run_plain(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress) {
    const pdp_problem *problem = plan->problem;
    pdp_error *error = &solution->error;
    if (plan->on_machine || pdp_problem_is_paper(problem)) {
        pdp_schedule schedule = plan->schedule;
        if (pdp_solution_add_table(solution) != PDP_OK) {
            return error->status;
        }
        if (plan->on_machine) {
            pdp_machine_run(problem, &schedule, solution->table, &plan->watch, &solution->record, progress, error);
            solution->has_record = plan->watch.record;
        } else if (problem->shape == PDP_LINEAR) {
            pdp_reference_solve_sdp(problem, solution->table, progress, error);
        } else {
            pdp_reference_solve_mcm(problem, solution->table, progress, error);
        }
    } else if (problem->shape == PDP_LINEAR) {
        pdp_reference_solve_linear(solution, progress);
    } else {
        pdp_reference_solve_interval(solution, progress);
    }
    if (error->status == PDP_OK && pdp_solution_close(solution) == PDP_OK) {
        decide(plan, NULL, solution);
    }
    return error->status;
}

/* The same on the CPU, after the device has failed. */
static pdp_status run_on_cpu(const pdp_plan *plan, pdp_solution **out) {
    pdp_options options = plan->options;
    pdp_solution *failed = *out;
    pdp_status status = failed->error.status;
    pdp_plan *other = NULL;
    options.backend = "cpu";
    options.device = NULL;
    if (pdp_plan_create(&other, plan->problem, &options) == PDP_OK) {
        status = pdp_plan_run(other, out);
        if (status == PDP_OK) {
            snprintf((*out)->note, sizeof(*out)->note, "on the CPU: %.290s", failed->error.text);
        }
        pdp_solution_free(failed);
    }
    pdp_plan_free(other);
    return status;
}

pdp_status pdp_plan_run(const pdp_plan *plan, pdp_solution **out) {
    if (!is_good(plan)) {
        pdp_solution *failed = *out = calloc(1, sizeof *failed);
        return failed
                   ? pdp_error_set(&failed->error, PDP_BAD_INPUT, "the plan is not valid: %.200s", pdp_plan_error(plan))
                   : PDP_NO_MEMORY;
    }
    const double start = pdp_clock_seconds();
    pdp_status status = pdp_solution_create(out, plan->problem);
    if (status != PDP_OK) {
        return status;
    }
    pdp_solution *solution = *out;
    pdp_progress progress = {plan->options.on_progress, plan->options.context};
    solution->backend = pdp_plan_backend(plan);
    if (plan->options.splits && solution->shape == PDP_INTERVAL) {
        solution->splits =
            pdp_array_allocate((solution->n + 1) * (solution->n + 1), sizeof *solution->splits, &solution->error);
        status = solution->error.status;
    }
    if (status == PDP_OK) {
        const bool is_engine = plan->method->kind == ENGINE;
        status = plan->device && !is_engine       ? run_paper(plan, solution)
                 : plan->device                   ? run_device(plan, solution, progress)
                 : is_engine                      ? run_engine(plan, solution, progress)
                 : plan->method->kind == HU_SHING ? run_hu_shing(plan, solution, progress)
                                                  : run_plain(plan, solution, progress);
    }
    if (status != PDP_OK) {
        pdp_solution_discard(solution);
    }
    solution->seconds = pdp_clock_seconds() - start;
    const bool is_devices_fault = status == PDP_DEVICE || status == PDP_NO_MEMORY;
    return plan->device && is_devices_fault && is_auto(plan->options.backend) ? run_on_cpu(plan, out) : status;
}
