/* Plans on a device: which one, whether it has the memory, and running there. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "gpu/arena.h"
#include "gpu/paper.h"
#include "gpu/solve.h"
#include "plan/plan.h"
#include "plan/type.h"

/* The device has to have the bytes that each problem takes there; a batch goes in as many rounds as it needs. */
static pdp_status check_memory(pdp_plan *plan, pdp_error *error) {
    const pdp_options *o = &plan->options;
    uint64_t available = 0;
    if (pdp_device_count_free(plan->device, &available, error) != PDP_OK) {
        return error->status;
    }
    const uint64_t allowed = o->device_memory > 0 && o->device_memory < available ? o->device_memory : available;
    plan->device_memory = allowed;
    for (size_t x = 0; x < plan->count; x++) {
        const pdp_problem *problem = plan->problems[x];
        const uint64_t bytes = plan->method->kind == PDP_ENGINE
                                   ? pdp_gpu_bytes(problem, &plan->stamp, o->decisions, o->splits)
                                   : pdp_paper_bytes(plan->device, problem, plan->method->name);
        if (bytes > allowed) {
            pdp_error_set(error, PDP_NO_MEMORY,
                          "method '%s' needs %" PRIu64 " bytes of device memory, and %" PRIu64 " are %s",
                          plan->method->name, bytes, allowed, allowed < available ? "allowed" : "free");
            return pdp_plan_name_problem(plan, x, error);
        }
    }
    return PDP_OK;
}

void pdp_plan_close_device(pdp_plan *plan) {
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
        if (plan->device && !plan->device->calls) { /* of which a plan knows more */
            return pdp_error_set(error, PDP_BAD_INPUT,
                                 "backend '%.40s' is not known; there are auto, cpu, cuda, opencl, host", backend);
        }
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
    for (size_t x = 0; x < plan->count; x++) {
        const char *refusal = pdp_paper_refuses(plan->device, plan->problems[x], plan->method->name);
        if (refusal) {
            pdp_error_set(error, PDP_BAD_INPUT, "method '%s' cannot solve this problem on backend '%.40s': %s",
                          plan->method->name, backend, refusal);
            return pdp_plan_name_problem(plan, x, error);
        }
    }
    plan->stamp.type = PDP_TYPE_I64;
    return check_memory(plan, error);
}

/* Seconds, about, that the quick kernels would take. */
static double quick_seconds(const pdp_plan *plan) {
    double cells = 0;
    for (size_t x = 0; x < plan->count; x++) {
        cells += (double)plan->problems[x]->n;
    }
    return plan->problem->shape == PDP_INTERVAL ? plan->terms / 4e11 + cells * 1e-5 : plan->terms / 5e9 + cells * 1e-7;
}

/* Loads the kernels. While a device has had little work by kernels that are still to be compiled, it gets those that
 * are compiled soon: the others would take ten times as long before they start. */
static pdp_status load_kernels(pdp_plan *plan, pdp_error *error) {
    static const double little = 0.1;
    size_t length = 0;
    char *text = pdp_device_text(plan->problem->recurrence, &plan->stamp, &length);
    const double seconds = quick_seconds(plan);
    if (text && plan->options.compile < 2 && !plan->stamp.records && plan->device->quick_seconds + seconds < little &&
        !pdp_program_is_compiled(plan->device, text, length)) {
        free(text);
        plan->device->quick_seconds += seconds;
        plan->stamp.is_quick = true;
        text = pdp_device_text(plan->problem->recurrence, &plan->stamp, &length);
    }
    if (!text) {
        return pdp_error_set_no_memory(error, PDP_MAX_TEXT);
    }
    const pdp_status status = pdp_program_open(&plan->program, plan->device, text, length, error);
    free(text);
    return status;
}

/* For an engine: everything that a run on the device needs but its memory. */
static pdp_status open_engine(pdp_plan *plan, const char *backend, pdp_error *error) {
    size_t widest = 0;
    if (pdp_type_choose(&plan->stamp, plan->problems, plan->count, plan->options.type, plan->level, true, &widest,
                        error) != PDP_OK) {
        return error->status;
    }
    plan->stamp.records = plan->options.record;
    if (plan->stamp.type == PDP_TYPE_WIDE) {
        pdp_error_set(error, PDP_BAD_INPUT,
                      "a value may not fit into 64 bits, and the kernel that checks that runs on the CPU alone");
        return pdp_plan_name_problem(plan, widest, error);
    }
    if (find_device(plan, backend, error) != PDP_OK) {
        return error->status;
    }
    pdp_device_lock(plan->device);
    const pdp_status status = load_kernels(plan, error);
    pdp_device_unlock(plan->device);
    return status == PDP_OK ? check_memory(plan, error) : status;
}

pdp_status pdp_plan_choose_device(pdp_plan *plan) {
    const char *wish = plan->options.backend;
    const bool by_us = pdp_wish_is_auto(wish);
    pdp_error error = {0};
    if (by_us ? plan->method->kind != PDP_ENGINE || !pdp_plan_device_pays(plan) : strcmp(wish, "cpu") == 0) {
        return PDP_OK;
    }
    const pdp_method_kind kind = plan->method->kind;
    const bool is_ordered = kind == PDP_ENGINE && plan->problem->recurrence->combine_ordered;
    const bool is_for_machine = kind != PDP_ENGINE && plan->options.record;
    if (kind == PDP_SHORTCUT || is_for_machine || is_ordered) {
        return by_us ? PDP_OK
                     : pdp_error_set(&plan->error, PDP_BAD_INPUT, "method '%s' does not run on backend '%.40s'%s",
                                     plan->method->name, wish,
                                     is_ordered       ? ": its operator does not commute"
                                     : is_for_machine ? ": the step-exact machine keeps the record"
                                                      : "");
    }
    if ((kind == PDP_ENGINE ? open_engine : open_paper)(plan, by_us ? "cuda" : wish, &error) == PDP_OK) {
        return PDP_OK;
    }
    const bool has_device = plan->device && plan->device->name[0] != '\0';
    pdp_plan_close_device(plan);
    if (!by_us) {
        return pdp_error_set(&plan->error, error.status, "%s", error.text);
    }
    if (has_device) { /* where there is no GPU there is nothing to say */
        pdp_plan_add_note(plan, "on the CPU: %s", error.text);
    }
    return PDP_OK;
}

/* The data, as it is and as it is sent, and what comes back. */
uint64_t pdp_plan_device_bytes(const pdp_plan *plan, const pdp_problem *problem) {
    uint64_t bytes = pdp_bytes_add(pdp_data_bytes(problem, &plan->stamp), pdp_arena_bytes(problem, &plan->stamp));
    bytes = pdp_bytes_add(bytes, sizeof(pdp_data));
    if (problem->shape == PDP_INTERVAL && plan->options.decisions) { /* the queue in which they are found */
        bytes = pdp_bytes_add(bytes, pdp_gpu_interval_bytes(problem, &plan->stamp, true, false) -
                                         pdp_gpu_interval_bytes(problem, &plan->stamp, false, false));
    }
    if (plan->method->kind != PDP_ENGINE) {
        return pdp_solution_table_bytes(problem);
    }
    bytes = pdp_bytes_add(bytes, pdp_gpu_record_bytes(problem, &plan->stamp));
    if (problem->shape == PDP_LINEAR || plan->options.table) {
        bytes = pdp_bytes_add(bytes, pdp_gpu_table_bytes(problem, &plan->stamp));
    }
    return bytes;
}

void pdp_plan_run_device(const pdp_plan *plan, pdp_solution **solutions, size_t count, pdp_progress progress) {
    const pdp_gpu_job job = {.device = plan->device,
                             .stamp = &plan->stamp,
                             .program = plan->program,
                             .memory = plan->device_memory,
                             .table = plan->options.table || (plan->options.verify && plan->options.last_cells > 0),
                             .last_cells = plan->options.last_cells,
                             .splits = plan->options.splits,
                             .decisions = plan->options.decisions,
                             .progress = progress};
    pdp_device_lock(plan->device);
    pdp_gpu_solve(&job, solutions, count);
    pdp_device_unlock(plan->device);
}

pdp_status pdp_plan_run_paper(const pdp_plan *plan, pdp_solution *solution) {
    double milliseconds = 0;
    if (pdp_solution_add_table(solution) != PDP_OK) {
        return solution->error.status;
    }
    pdp_device_lock(plan->device);
    pdp_paper_solve(plan->device, solution->problem, plan->method->name, plan->options.resident, solution->table,
                    &milliseconds, &solution->error);
    pdp_device_unlock(plan->device);
    solution->device_seconds = milliseconds / 1e3;
    return solution->error.status;
}
