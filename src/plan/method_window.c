/* Linear problems of which only the last cells are kept, by the engine, or by the interpreter where there is none. */
#include "cpu/window.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "plan/plan.h"
#include "reference/reference.h"

static pdp_window make_window(const pdp_plan *plan, const pdp_problem *problem) {
    const size_t greatest = pdp_problem_reach(problem), reach = greatest > 0 ? greatest : 1;
    const uint64_t checked = plan->options.verify ? reach + 1024 : 0; /* with all that they read */
    const uint64_t most = plan->options.last_cells > checked ? plan->options.last_cells : checked;
    const uint64_t wanted = most < problem->n ? most : problem->n;
    return pdp_window_plan(problem->n, reach, wanted, pdp_machine_type_bytes(plan->stamp.type));
}

static const char *refuse_window(const pdp_plan *plan, const pdp_problem *problem) {
    (void)plan;
    (void)problem;
    return NULL; /* whatever the plain loop solves */
}

static pdp_status open_engine(pdp_plan *plan) {
    const pdp_problem *problem = plan->problem;
    const char *refusal = pdp_method_refuse(plan, problem, pdp_method_find(problem->shape, "blocks"));
    if (!refusal && pdp_plan_open_kernel(plan, false) != PDP_OK) {
        return plan->error.status;
    }
    if (refusal) {
        plan->stamp.type = pdp_reference_type(problem);
        pdp_plan_add_note(plan, "interpreted, which is slow: %s", refusal);
    }
    if (plan->options.decisions == 1 && (problem->combine == PDP_OP_MIN || problem->combine == PDP_OP_MAX)) {
        pdp_plan_add_note(plan, "no decisions: method 'window' keeps the last cells alone");
    }
    plan->options.decisions = 0;
    return PDP_OK;
}

/* What the engine sees in memory: cells from `origin` on, of which `ready` are there. */
static pdp_linear_job make_job(const pdp_plan *plan, const pdp_problem *problem, const pdp_data *data, size_t origin,
                               size_t ready, size_t end) {
    pdp_linear_job job = pdp_plan_linear_job(plan, problem, data, plan->count > 1 ? 1 : plan->threads);
    job.origin = origin;
    job.cells = end - origin;
    job.preset_count = origin > 0 ? ready : job.preset_count < job.cells ? job.preset_count : job.cells;
    return job;
}

static uint64_t window_bytes(const pdp_plan *plan, const pdp_problem *problem) {
    const pdp_window window = make_window(plan, problem);
    const size_t room = pdp_window_room(&window);
    uint64_t bytes = pdp_bytes_multiply(room, window.cell_bytes);
    if (plan->kernel.kernel) {
        const pdp_linear_job job = make_job(plan, problem, NULL, 0, 0, room);
        bytes = pdp_bytes_add(pdp_linear_table_bytes(&job), pdp_linear_scratch_bytes(&job));
        bytes = pdp_bytes_add(bytes, pdp_data_bytes(problem, &plan->stamp));
    }
    return bytes;
}

typedef struct context {
    const pdp_plan *plan;
    pdp_solution *solution;
    pdp_data data;
} context;

static pdp_status fill_by_engine(context *c, size_t origin, size_t begin, size_t end, pdp_progress progress) {
    const pdp_linear_job job = make_job(c->plan, c->solution->problem, &c->data, origin, begin - origin, end);
    pdp_error *error = &c->solution->error;
    return pdp_linear_solve(&job, c->solution->cells, progress, error) == PDP_OK ? pdp_data_check(&c->data, error)
                                                                                 : error->status;
}

static pdp_status fill(void *given, size_t origin, size_t begin, size_t end, pdp_progress progress) {
    context *c = given;
    c->solution->first = origin;
    const pdp_status status = c->plan->kernel.kernel ? fill_by_engine(c, origin, begin, end, progress)
                                                     : pdp_reference_fill_linear(c->solution, begin, end, progress);
    return status == PDP_OK ? pdp_solution_check_cells(c->solution, begin, end) : status;
}

static pdp_status run_window(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress) {
    const pdp_window window = make_window(plan, solution->problem);
    const size_t room = pdp_window_room(&window);
    const pdp_linear_job job = make_job(plan, solution->problem, NULL, 0, 0, room);
    context c = {.plan = plan, .solution = solution};
    pdp_error *error = &solution->error;
    solution->type = plan->stamp.type;
    solution->cells = pdp_pages_allocate(
        plan->kernel.kernel ? pdp_linear_table_bytes(&job) : pdp_bytes_multiply(room, window.cell_bytes), error);
    if (!solution->cells ||
        (plan->kernel.kernel && pdp_data_create(&c.data, solution->problem, &plan->stamp, error) != PDP_OK)) {
        return error->status;
    }
    if (pdp_window_run(&window, solution->cells, fill, &c, progress) == PDP_OK) {
        solution->first = window.cells - window.kept;
        void *fewer = realloc(solution->cells, window.kept * window.cell_bytes);
        solution->cells = fewer ? fewer : solution->cells;
        pdp_solution_close(solution);
    }
    pdp_data_free(&c.data);
    return error->status;
}

const pdp_shortcut pdp_method_window = {refuse_window, open_engine, window_bytes, run_window, NULL, NULL};
