/* Running a plan. */
#include <stdlib.h>

#include "core/clock.h"
#include "core/memory.h"
#include "cpu/interval.h"
#include "plan/plan.h"
#include "reference/reference.h"

bool pdp_plan_is_large(const pdp_plan *plan, const pdp_problem *problem) {
    const double terms = pdp_problem_terms(problem);
    return plan->count == 1 || (terms >= 4e6 && terms * plan->threads > plan->terms); /* more than a thread's share */
}

bool pdp_plan_drops_table(const pdp_plan *plan) {
    const pdp_problem *problem = plan->problem;
    const bool chooses = problem->combine == PDP_OP_MIN || problem->combine == PDP_OP_MAX;
    /* Where nothing was chosen, a report is read from the table itself. */
    return problem->shape == PDP_INTERVAL && !plan->options.table && (chooses || plan->options.decisions != 1);
}

pdp_tiles pdp_plan_tiles(const pdp_plan *plan, const pdp_problem *problem) {
    const pdp_interval_kernel *kernel = plan->kernel.kernel;
    pdp_tiles tiles = {
        .points = problem->n + 1, .tile = kernel->tile, .panel = kernel->panel, .cell_bytes = kernel->elem_bytes};
    pdp_tiles_bytes(&tiles); /* sets the number of tiles */
    return tiles;
}

pdp_linear_job pdp_plan_linear_job(const pdp_plan *plan, const pdp_problem *problem, const pdp_data *data,
                                   int threads) {
    return (pdp_linear_job){.kernel = plan->kernel.kernel,
                            .data = data ? &data->kernel : NULL,
                            .cells = problem->n,
                            .preset_count = problem->preset_count,
                            .offsets = (const int64_t *)problem->offsets,
                            .offset_count = problem->offset_count,
                            .threads = (unsigned)threads};
}

/* ---- Decisions ---- */

typedef struct split_context {
    const pdp_interval_kernel *kernel;
    const pdp_data *data;
    const pdp_solution *solution;
} split_context;

/* Tile by tile: the k is often one of the first. */
static size_t split_by_kernel(void *context, size_t i, size_t j) {
    const split_context *c = context;
    const pdp_tiles *tiles = &c->solution->tiles;
    const size_t tile = tiles->tile, row = i + tiles->room, column = j + tiles->room;
    const size_t above = row / tile, beside = column / tile;
    const size_t down = pdp_tiles_within(tiles, row % tile, 0), along = pdp_tiles_within(tiles, 0, column % tile);
    const unsigned char *cell = pdp_tiles_at(tiles, above, beside);
    size_t found = 0;
    for (size_t at = (row + 1) / tile; at * tile < column && found == 0; at++) {
        const unsigned char *left = pdp_tiles_at(tiles, above, at), *right = pdp_tiles_at(tiles, at, beside);
        found = (size_t)c->kernel->split(&c->data->kernel, cell + down + along, left + down, right + along, (int64_t)i,
                                         (int64_t)j, (int64_t)(at * tile - tiles->room));
    }
    return found;
}

static pdp_status decide(const pdp_plan *plan, const pdp_data *data, pdp_solution *solution) {
    split_context context = {plan->kernel.kernel, data, solution};
    const bool by_kernel = data && solution->shape == PDP_INTERVAL;
    if (!plan->options.decisions && !solution->splits) {
        return PDP_OK;
    }
    return by_kernel ? pdp_solution_decide(solution, split_by_kernel, &context)
                     : pdp_solution_decide(solution, pdp_solution_split, solution);
}

/* ---- A problem ---- */

static pdp_status run_engine(const pdp_plan *plan, pdp_solution *solution, int threads, pdp_progress progress) {
    pdp_data data;
    pdp_error *error = &solution->error;
    if (pdp_data_create(&data, solution->problem, &plan->stamp, error) != PDP_OK) {
        return error->status;
    }
    solution->type = plan->stamp.type;
    if (solution->shape == PDP_INTERVAL) {
        solution->tiles = pdp_plan_tiles(plan, solution->problem);
        pdp_interval_run run = {
            .kernel = plan->kernel.kernel, .data = &data.kernel, .threads = threads, .progress = progress};
        if (pdp_tiles_allocate(&solution->tiles, error) == PDP_OK) {
            pdp_interval_solve(&run, &solution->tiles, error);
        }
    } else {
        pdp_linear_job job = pdp_plan_linear_job(plan, solution->problem, &data, threads);
        solution->cells = pdp_pages_allocate(pdp_linear_table_bytes(&job), error);
        if (solution->cells) {
            pdp_linear_solve(&job, solution->cells, progress, error);
        }
    }
    if (error->status == PDP_OK && pdp_data_check(&data, error) == PDP_OK && pdp_solution_close(solution) == PDP_OK) {
        decide(plan, &data, solution);
    }
    pdp_data_free(&data);
    return error->status;
}

static pdp_status run_plain(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress) {
    const pdp_problem *problem = solution->problem;
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

static pdp_status run_paper(const pdp_plan *plan, pdp_solution *solution) {
    if (pdp_plan_run_paper(plan, solution) == PDP_OK && pdp_solution_close(solution) == PDP_OK) {
        decide(plan, NULL, solution);
    }
    return solution->error.status;
}

static void solve(const pdp_plan *plan, pdp_solution *solution, int threads, pdp_progress progress) {
    const double start = pdp_clock_seconds();
    if (plan->device) {
        run_paper(plan, solution);
    } else if (plan->method->kind == PDP_ENGINE) {
        run_engine(plan, solution, threads, progress);
    } else if (plan->method->shortcut) {
        plan->method->shortcut->run(plan, solution, progress);
    } else {
        run_plain(plan, solution, progress);
    }
    solution->seconds = pdp_clock_seconds() - start;
}

/* What was solved is checked, if that is wanted, and what is not is dropped. */
static void certify(const pdp_plan *plan, pdp_solution *solution) {
    if (solution->error.status == PDP_OK && plan->options.verify) {
        pdp_plan_certify(plan, solution);
    }
    pdp_arcs_free(&solution->arcs);
    if (plan->options.decisions == PDP_DECISIONS_TO_CHECK) {
        pdp_solution_drop_decisions(solution);
    }
    if (pdp_plan_drops_table(plan)) {
        pdp_tiles_free(&solution->tiles);
    }
    if (solution->error.status != PDP_OK) {
        pdp_solution_discard(solution);
    }
}

/* Everything but an engine on a device. */
static void run_one(const pdp_plan *plan, pdp_solution *solution, int threads, pdp_progress progress) {
    solve(plan, solution, threads, progress);
    certify(plan, solution);
}

/* ---- Several ---- */

/* One of several, unless they are cancelled already. */
static void run_part(const pdp_plan *plan, pdp_solution *solution, int threads, pdp_progress_sum *sum) {
    pdp_progress_part part = {sum, pdp_problem_terms(solution->problem), 0};
    const pdp_progress progress = pdp_progress_of(&part);
    if (pdp_progress_is_cancelled(sum)) {
        pdp_error_set(&solution->error, PDP_CANCELLED, "cancelled by the progress callback");
        return;
    }
    run_one(plan, solution, threads, progress);
    if (progress.report) {
        progress.report(progress.context, 1);
    }
}

/* Large problems one after the other, all threads on each; then the others, a thread each. */
static void run_all(const pdp_plan *plan, pdp_solution *const *solutions, size_t count, pdp_progress progress) {
    pdp_progress_sum sum = {.all = progress, .work = plan->terms, .mutex = PTHREAD_MUTEX_INITIALIZER};
    for (size_t x = 0; x < count; x++) {
        if (pdp_plan_is_large(plan, solutions[x]->problem)) {
            run_part(plan, solutions[x], plan->threads, &sum);
        }
    }
    const int threads = plan->threads;
    (void)threads; /* without OpenMP */
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic)
#endif
    for (size_t x = 0; x < count; x++) {
        if (!pdp_plan_is_large(plan, solutions[x]->problem)) {
            run_part(plan, solutions[x], 1, &sum);
        }
    }
}

/* A solution for every problem; *good of them, into which can be solved. */
static pdp_solution **create_solutions(const pdp_plan *plan, pdp_solution **out, size_t *good) {
    pdp_error none = {0}; /* a solution that is not there tells the same */
    pdp_solution **solutions = pdp_array_allocate(plan->count, sizeof(pdp_solution *), &none);
    *good = 0;
    for (size_t x = 0; x < plan->count; x++) {
        pdp_solution *solution = NULL;
        if (!solutions || pdp_solution_create(&solution, plan->problems[x]) != PDP_OK) {
            continue;
        }
        out[x] = solution;
        solution->backend = pdp_plan_backend(plan);
        solution->patience = pdp_certify_patience(plan, plan->problems[x]);
        if (plan->options.splits && solution->shape == PDP_INTERVAL) {
            solution->splits =
                pdp_array_allocate((solution->n + 1) * (solution->n + 1), sizeof *solution->splits, &solution->error);
        }
        if (solution->error.status == PDP_OK) {
            solutions[(*good)++] = solution;
        }
    }
    return solutions;
}

/* The first failure. */
static pdp_status find_failure(const pdp_plan *plan, pdp_solution *const *solutions) {
    pdp_status status = PDP_OK;
    for (size_t x = 0; x < plan->count && status == PDP_OK; x++) {
        status = solutions[x] ? solutions[x]->error.status : PDP_NO_MEMORY;
    }
    return status;
}

/* Everything on the CPU, after the device has failed. */
static pdp_status run_on_cpu(const pdp_plan *plan, pdp_solution **out, size_t failed) {
    pdp_options options = plan->options;
    pdp_status status = out[failed]->error.status;
    pdp_plan *other = NULL;
    options.backend = "cpu";
    options.device = NULL;
    options.decisions = plan->options.decisions != PDP_DECISIONS_TO_CHECK && plan->options.decisions;
    if (pdp_plan_batch(&other, (pdp_problem *const *)plan->problems, plan->count, &options) == PDP_OK) {
        const pdp_error why = out[failed]->error;
        for (size_t x = 0; x < plan->count; x++) {
            pdp_solution_free(out[x]);
        }
        status = pdp_plan_run_batch(other, out);
        for (size_t x = 0; x < plan->count; x++) {
            if (out[x] && out[x]->error.status == PDP_OK) {
                snprintf(out[x]->note, sizeof out[x]->note, "on the CPU: %.290s", why.text);
            }
        }
    }
    pdp_plan_free(other);
    return status;
}

pdp_status pdp_plan_run_batch(const pdp_plan *plan, pdp_solution **out) {
    for (size_t x = 0; plan && x < plan->count; x++) {
        out[x] = NULL;
    }
    if (!plan || plan->error.status != PDP_OK) {
        return PDP_BAD_INPUT;
    }
    const pdp_progress progress = {plan->options.on_progress, plan->options.context};
    size_t good = 0;
    pdp_solution **solutions = create_solutions(plan, out, &good);
    if (good > 0 && plan->device && plan->method->kind == PDP_ENGINE) {
        pdp_plan_run_device(plan, solutions, good, progress);
        for (size_t x = 0; x < good; x++) {
            certify(plan, solutions[x]);
        }
    } else if (good > 0 && plan->count == 1) {
        run_one(plan, solutions[0], plan->threads, progress);
    } else if (good > 0) {
        run_all(plan, solutions, good, progress);
    }
    free(solutions);
    for (size_t x = 0; plan->device && pdp_wish_is_auto(plan->options.backend) && x < plan->count; x++) {
        const pdp_status status = out[x] ? out[x]->error.status : PDP_OK;
        if (status == PDP_DEVICE || status == PDP_NO_MEMORY) {
            return run_on_cpu(plan, out, x);
        }
    }
    return find_failure(plan, out);
}

pdp_status pdp_plan_run(const pdp_plan *plan, pdp_solution **out) {
    if (plan && plan->error.status == PDP_OK && plan->count == 1) {
        return pdp_plan_run_batch(plan, out);
    }
    pdp_solution *failed = *out = calloc(1, sizeof *failed);
    if (!failed) {
        return PDP_NO_MEMORY;
    }
    return plan && plan->error.status == PDP_OK
               ? pdp_error_set(&failed->error, PDP_BAD_INPUT, "the plan is for %zu problems: use pdp_plan_run_batch",
                               plan->count)
               : pdp_error_set(&failed->error, PDP_BAD_INPUT, "the plan is not valid: %.200s", pdp_plan_error(plan));
}
