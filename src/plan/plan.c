/* Which method, what it needs, and running it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/memory.h"
#include "reference/reference.h"
#include "schedule/machine.h"
#include "solution/solution.h"

typedef pdp_status reference_function(const pdp_problem *, int64_t *, pdp_progress, pdp_error *);

typedef struct method {
    const char *name;
    bool guaranteed;
    reference_function *solve;       /* on the CPU; NULL: on the step-exact machine alone */
    pdp_schedule_function *schedule; /* on the step-exact machine */
} method;

static const method sdp_methods[] = {
    {"sequential", true, pdp_reference_solve_sdp, pdp_schedule_sdp_sequential},
    {"naive", true, NULL, pdp_schedule_sdp_naive},
    {"tournament", true, NULL, pdp_schedule_sdp_tournament},
    {"pipeline", true, NULL, pdp_schedule_sdp_pipeline},
    {"pipeline2", true, NULL, pdp_schedule_sdp_pipeline2},
    {0},
};

static const method mcm_methods[] = {
    {"sequential", true, pdp_reference_solve_mcm, pdp_schedule_mcm_sequential},
    {"tournament", true, NULL, pdp_schedule_mcm_tournament},
    {"pipeline", true, NULL, pdp_schedule_mcm_pipeline},
    {"wavefront", true, NULL, pdp_schedule_mcm_wavefront},
    {"pipeline-printed", false, NULL, pdp_schedule_mcm_pipeline_printed},
    {0},
};

struct pdp_plan {
    const pdp_problem *problem;
    const method *method;
    pdp_options options;
    pdp_watch watch;
    pdp_schedule schedule; /* at its start, if the machine runs it */
    bool on_machine;
    uint64_t bytes;
    pdp_error error;
};

static const method *methods_of(pdp_kind kind) {
    return kind == PDP_SDP ? sdp_methods : mcm_methods;
}

const char *pdp_algorithm_name(pdp_kind kind, size_t index) {
    const size_t count =
        kind == PDP_SDP ? sizeof sdp_methods / sizeof *sdp_methods : sizeof mcm_methods / sizeof *mcm_methods;
    return index < count ? methods_of(kind)[index].name : NULL;
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

static pdp_status choose_method(pdp_plan *plan) {
    const method *methods = methods_of(plan->problem->kind);
    const char *name = plan->options.algorithm ? plan->options.algorithm : "auto";
    if (strcmp(name, "auto") == 0) {
        name = plan->options.record ? "pipeline" : "sequential";
    }
    for (const method *m = methods; m->name; m++) {
        if (strcmp(m->name, name) == 0) {
            plan->method = m;
            return PDP_OK;
        }
    }
    return fail_unknown(&plan->error, name, methods);
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
    if (!problem || problem->error.status != PDP_OK) {
        return pdp_error_set(&plan->error, PDP_BAD_INPUT, "the problem is not valid: %.200s",
                             pdp_problem_error(problem));
    }
    plan->problem = problem;
    if (copy_options(&plan->options, options, &plan->error) != PDP_OK || choose_method(plan) != PDP_OK) {
        return plan->error.status;
    }
    const pdp_options *o = &plan->options;
    plan->watch = (pdp_watch){o->record != 0, o->width, o->latency, o->record ? o->on_step : NULL, o->context};
    plan->bytes = pdp_solution_bytes(problem, problem->kind == PDP_MCM && o->splits);
    plan->on_machine = o->record || !plan->method->solve;
    if (plan->on_machine) {
        if (plan->method->schedule(&plan->schedule, problem, &plan->error) != PDP_OK) {
            return plan->error.status;
        }
        plan->bytes = pdp_bytes_add(plan->bytes, pdp_machine_bytes(problem, &plan->schedule, &plan->watch));
    }
    return check_memory(plan);
}

static bool is_good(const pdp_plan *plan) {
    return plan && plan->error.status == PDP_OK;
}

const char *pdp_plan_algorithm(const pdp_plan *plan) {
    return is_good(plan) ? plan->method->name : "";
}

const char *pdp_plan_backend(const pdp_plan *plan) {
    return !is_good(plan) ? "" : plan->on_machine ? "machine" : "cpu";
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

void pdp_plan_free(pdp_plan *plan) {
    free(plan);
}

/* ---- Running ---- */

pdp_status pdp_plan_run(const pdp_plan *plan, pdp_solution **out) {
    if (!is_good(plan)) {
        pdp_solution *failed = *out = calloc(1, sizeof *failed);
        return failed
                   ? pdp_error_set(&failed->error, PDP_BAD_INPUT, "the plan is not valid: %.200s", pdp_plan_error(plan))
                   : PDP_NO_MEMORY;
    }
    const pdp_problem *problem = plan->problem;
    const bool with_splits = problem->kind == PDP_MCM && plan->options.splits;
    const double start = pdp_clock_seconds();
    pdp_status status = pdp_solution_create(out, problem, with_splits);
    if (status != PDP_OK) {
        return status;
    }
    pdp_solution *solution = *out;
    pdp_progress progress = {plan->options.on_progress, plan->options.context};
    if (plan->on_machine) {
        pdp_schedule schedule = plan->schedule;
        status = pdp_machine_run(problem, &schedule, solution->table, &plan->watch, &solution->record, progress,
                                 &solution->error);
        solution->has_record = plan->watch.record;
    } else {
        status = plan->method->solve(problem, solution->table, progress, &solution->error);
    }
    if (status != PDP_OK) {
        pdp_solution_discard(solution);
    } else if (with_splits) {
        pdp_solution_fill_splits(solution);
    }
    solution->seconds = pdp_clock_seconds() - start;
    return status;
}
