#include "gpu/solve.h"

#include <stdlib.h>

#include "core/clock.h"
#include "core/memory.h"
#include "gpu/arena.h"

uint64_t pdp_gpu_bytes(const pdp_problem *problem, const pdp_stamp *stamp, bool decisions, bool splits) {
    return pdp_bytes_add(pdp_arena_bytes(problem, stamp),
                         problem->shape == PDP_INTERVAL ? pdp_gpu_interval_bytes(problem, stamp, decisions, splits)
                                                        : pdp_gpu_linear_bytes(problem, stamp));
}

uint64_t pdp_gpu_table_bytes(const pdp_problem *problem, const pdp_stamp *stamp) {
    return problem->shape == PDP_INTERVAL ? pdp_gpu_interval_bytes(problem, stamp, false, false)
                                          : pdp_gpu_linear_bytes(problem, stamp);
}

uint64_t pdp_gpu_record_bytes(const pdp_problem *problem, const pdp_stamp *stamp) {
    return !stamp->records                  ? 0
           : problem->shape == PDP_INTERVAL ? pdp_gpu_interval_record_bytes(problem, stamp)
                                            : pdp_gpu_linear_record_bytes(problem, stamp);
}

pdp_status pdp_gpu_take_record(pdp_solution *solution, const pdp_error *found) {
    solution->has_record = found->status == PDP_OK;
    return solution->has_record
               ? PDP_OK
               : pdp_error_set(&solution->error, found->status == PDP_BAD_INPUT ? PDP_DEVICE : found->status,
                               "the trace of the device: %.280s", found->text);
}

double pdp_gpu_updates(const pdp_problem *problem) {
    const double n = (double)problem->n;
    return problem->shape == PDP_INTERVAL ? n * n * n / 6 + n : n * (double)(problem->offset_count + 1);
}

static int compare_points(const void *a, const void *b) {
    const size_t x = (*(pdp_solution *const *)a)->n, y = (*(pdp_solution *const *)b)->n;
    return (x < y) - (x > y);
}

/* How many of the solutions can be computed at once, at least the first; and their updates. */
static size_t count_round(const pdp_gpu_job *job, pdp_solution *const *solutions, size_t count, double *updates) {
    const bool is_interval = solutions[0]->shape == PDP_INTERVAL;
    uint64_t bytes = 0;
    size_t taken = 0;
    *updates = 0;
    while (taken < count && (taken == 0 || is_interval)) {
        const pdp_problem *problem = solutions[taken]->problem;
        bytes = pdp_bytes_add(bytes, pdp_gpu_bytes(problem, job->stamp, job->decisions, job->splits));
        if (taken > 0 && bytes > job->memory) {
            break;
        }
        *updates += pdp_gpu_updates(problem);
        taken++;
    }
    return taken;
}

static void solve_round(const pdp_gpu_job *job, pdp_solution *const *solutions, size_t count, pdp_progress_part *part) {
    const double start = pdp_clock_seconds();
    double milliseconds = 0;
    if (solutions[0]->shape == PDP_INTERVAL) {
        pdp_gpu_solve_interval(job, solutions, count, pdp_progress_of(part), &milliseconds);
    } else if (pdp_gpu_solve_linear(job, solutions[0], pdp_progress_of(part), &milliseconds) == PDP_OK &&
               job->decisions) {
        pdp_solution_decide(solutions[0], pdp_solution_split, solutions[0]); /* its table is here anyway */
    }
    const double seconds = pdp_clock_seconds() - start;
    for (size_t x = 0; x < count; x++) {
        const double due = pdp_gpu_updates(solutions[x]->problem) / part->work;
        solutions[x]->seconds = due * seconds;
        solutions[x]->device_seconds = due * milliseconds / 1e3;
    }
}

void pdp_gpu_solve(const pdp_gpu_job *job, pdp_solution **solutions, size_t count) {
    pdp_progress_sum sum = {.all = job->progress, .mutex = PTHREAD_MUTEX_INITIALIZER};
    for (size_t x = 0; x < count; x++) {
        sum.work += pdp_gpu_updates(solutions[x]->problem);
    }
    qsort(solutions, count, sizeof(pdp_solution *), compare_points);
    for (size_t first = 0, taken = 0; first < count; first += taken) {
        pdp_progress_part part = {.sum = &sum};
        if (sum.is_cancelled) {
            pdp_error_set(&solutions[first]->error, PDP_CANCELLED, "cancelled by the progress callback");
            taken = 1;
            continue;
        }
        taken = count_round(job, solutions + first, count - first, &part.work);
        solve_round(job, solutions + first, taken, &part);
        if (job->progress.report && first + taken < count) { /* the last round has told it, or need not */
            pdp_progress_add(&part, 1);
        }
    }
}
