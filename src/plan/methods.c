/* The methods by name, and what each of them is for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/module.h"
#include "core/memory.h"
#include "cpu/hu_shing.h"
#include "cpu/knuth.h"
#include "plan/plan.h"
#include "plan/type.h"

/* ---- Matrix chain without a table ---- */

static const char *refuse_hu_shing(const pdp_plan *plan, const pdp_problem *problem) {
    if (!problem->dims) {
        return "it is for matrix chains whose cost is sure to fit into int64";
    }
    return plan->options.splits || plan->options.record ? "it has no table of splits" : NULL;
}

static uint64_t hu_shing_bytes(const pdp_plan *plan, const pdp_problem *problem) {
    return pdp_hu_shing_bytes(problem->n, plan->options.decisions);
}

static pdp_status run_hu_shing(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress) {
    const pdp_problem *problem = solution->problem;
    pdp_error *error = &solution->error;
    int64_t value = 0;
    size_t *tree = NULL;
    if (plan->options.decisions) {
        tree = pdp_array_allocate(problem->n, sizeof *tree, error);
        if (!tree) {
            return error->status;
        }
    }
    if (pdp_hu_shing_solve(problem->dims, problem->n, &value, tree, plan->options.verify ? &solution->arcs : NULL,
                           progress, error) == PDP_OK) {
        solution->value.whole = value;
        if (tree) {
            pdp_solution_take_tree(solution, tree);
        }
    }
    free(tree);
    return error->status;
}

/* A heap of breaks for every corner. */
static double hu_shing_operations(const pdp_plan *plan, const pdp_problem *problem) {
    (void)plan;
    return (double)problem->n * log2((double)problem->n + 2);
}

static const pdp_shortcut hu_shing = {refuse_hu_shing, NULL, hu_shing_bytes, run_hu_shing, hu_shing_operations, NULL};

/* ---- Monotone splits ---- */

static const char *refuse_knuth(const pdp_plan *plan, const pdp_problem *problem) {
    (void)plan;
    return pdp_knuth_refuse(problem);
}

static uint64_t knuth_bytes(const pdp_plan *plan, const pdp_problem *problem) {
    const bool keeps_steps = plan->options.decisions && !plan->options.splits;
    return pdp_bytes_add(pdp_knuth_bytes(problem, keeps_steps), pdp_data_bytes(problem, &plan->stamp));
}

/* Two splits a cell. */
static double knuth_operations(const pdp_plan *plan, const pdp_problem *problem) {
    (void)plan;
    return (double)problem->n * (double)problem->n;
}

bool pdp_knuth_has_few(const pdp_plan *plan) {
    double weights = 0;
    for (size_t x = 0; x < plan->count; x++) {
        weights += knuth_operations(plan, plan->problems[x]);
    }
    return weights <= 4e6;
}

/* A kernel that weighs, if there is one: the interpreter can do it too. */
static pdp_status open_weights(pdp_plan *plan) {
    const bool has_few = pdp_knuth_has_few(plan), can_compile = plan->options.compile && !pdp_module_is_off();
    size_t widest = 0;
    pdp_error error = {0};
    if (pdp_type_choose(&plan->stamp, plan->problems, plan->count, "i64", plan->level, false, &widest, &plan->error) !=
        PDP_OK) {
        return plan->error.status;
    }
    const bool is_ready = pdp_kernel_is_ready(plan->problem->recurrence, &plan->stamp, plan->level, can_compile);
    const bool may_compile = plan->options.compile && (is_ready || !has_few);
    if (pdp_kernel_open(&plan->kernel, plan->problem->recurrence, &plan->stamp, plan->level, may_compile, &error) ==
        PDP_NO_MEMORY) {
        plan->error = error;
    } else if (error.status != PDP_OK && !has_few) {
        pdp_plan_add_note(plan, "weights are interpreted, which is slow: %s", error.text);
    }
    return plan->error.status;
}

static pdp_status prepare_knuth(pdp_plan *plan, size_t *number) {
    const pdp_progress progress = {plan->options.on_progress, plan->options.context};
    if (open_weights(plan) != PDP_OK) {
        return plan->error.status;
    }
    for (size_t x = 0; x < plan->count && plan->error.status == PDP_OK; x++) {
        pdp_data data;
        const pdp_weights weights = {plan->problems[x], plan->kernel.kernel, &data};
        *number = x;
        if (pdp_data_create(&data, plan->problems[x], &plan->stamp, &plan->error) == PDP_OK) {
            pdp_knuth_check(&weights, progress, &plan->error);
            pdp_data_free(&data);
        }
    }
    return plan->error.status;
}

static pdp_status run_knuth(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress) {
    pdp_data data;
    const pdp_weights weights = {solution->problem, plan->kernel.kernel, &data};
    if (pdp_data_create(&data, solution->problem, &plan->stamp, &solution->error) == PDP_OK) {
        pdp_knuth_solve(solution, &weights, plan->options.decisions, progress);
        pdp_data_free(&data);
    }
    return solution->error.status;
}

static const pdp_shortcut knuth = {refuse_knuth, NULL, knuth_bytes, run_knuth, knuth_operations, prepare_knuth};

/* ---- All of them ---- */

static const pdp_method linear_methods[] = {
    {"sequential", PDP_PLAIN, true, pdp_schedule_sdp_sequential, NULL},
    {"blocks", PDP_ENGINE, true, NULL, NULL},
    {"settle", PDP_SHORTCUT, true, NULL, &pdp_method_settle},
    {"runs", PDP_SHORTCUT, true, NULL, &pdp_method_runs},
    {"series", PDP_SHORTCUT, true, NULL, &pdp_method_series},
    {"bostan-mori", PDP_SHORTCUT, true, NULL, &pdp_method_bostan_mori},
    {"window", PDP_SHORTCUT, true, NULL, &pdp_method_window},
    {"naive", PDP_STEP_EXACT, true, pdp_schedule_sdp_naive, NULL},
    {"tournament", PDP_STEP_EXACT, true, pdp_schedule_sdp_tournament, NULL},
    {"pipeline", PDP_STEP_EXACT, true, pdp_schedule_sdp_pipeline, NULL},
    {"pipeline2", PDP_STEP_EXACT, true, pdp_schedule_sdp_pipeline2, NULL},
    {0},
};

static const pdp_method interval_methods[] = {
    {"sequential", PDP_PLAIN, true, pdp_schedule_mcm_sequential, NULL},
    {"tiles", PDP_ENGINE, true, NULL, NULL},
    {"hu-shing", PDP_SHORTCUT, true, NULL, &hu_shing},
    {"knuth", PDP_SHORTCUT, true, NULL, &knuth},
    {"tournament", PDP_STEP_EXACT, true, pdp_schedule_mcm_tournament, NULL},
    {"pipeline", PDP_STEP_EXACT, true, pdp_schedule_mcm_pipeline, NULL},
    {"wavefront", PDP_STEP_EXACT, true, pdp_schedule_mcm_wavefront, NULL},
    {"pipeline-printed", PDP_STEP_EXACT, false, pdp_schedule_mcm_pipeline_printed, NULL},
    {0},
};

const pdp_method *pdp_methods_of(pdp_shape shape) {
    return shape == PDP_LINEAR ? linear_methods : interval_methods;
}

const char *pdp_algorithm_name(pdp_shape shape, size_t index) {
    const size_t count = shape == PDP_LINEAR ? sizeof linear_methods / sizeof *linear_methods
                                             : sizeof interval_methods / sizeof *interval_methods;
    return index < count ? pdp_methods_of(shape)[index].name : NULL;
}

const pdp_method *pdp_method_find(pdp_shape shape, const char *name) {
    for (const pdp_method *m = pdp_methods_of(shape); m->name; m++) {
        if (strcmp(m->name, name) == 0) {
            return m;
        }
    }
    return NULL;
}

const char *pdp_method_refuse(const pdp_plan *plan, const pdp_problem *problem, const pdp_method *m) {
    /* A device has an opinion of its own: it takes weights too. */
    const bool on_device = !pdp_wish_is_auto(plan->options.backend) && strcmp(plan->options.backend, "cpu") != 0;
    const bool records = plan->options.record && !(on_device && m->kind == PDP_ENGINE); /* that has its own */
    if (((m->kind == PDP_STEP_EXACT && !on_device) || records) && !pdp_problem_is_paper(problem)) {
        return problem->shape == PDP_LINEAR ? "it is for the paper's S-DP, without weights, source or skipped terms"
                                            : "it is for matrix chains whose cost is sure to fit into int64";
    }
    if (records && !m->schedule) {
        return "it does not run on the step-exact machine";
    }
    if (m->kind == PDP_ENGINE && problem->shape == PDP_INTERVAL && problem->recurrence->combine_ordered) {
        return "its operator does not commute";
    }
    if (m->kind == PDP_ENGINE && problem->combine == PDP_OP_OWN &&
        problem->recurrence->combine_identity == PDP_NO_NODE) {
        return "its operator has no identity";
    }
    if (m->kind == PDP_ENGINE && !problem->keeps_plain) {
        return "what it makes of indices and parameters alone may not fit into the 64 bits of a kernel";
    }
    return m->shortcut ? m->shortcut->refuse(plan, problem) : NULL;
}
