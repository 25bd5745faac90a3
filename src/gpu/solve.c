#include "gpu/solve.h"

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

pdp_status pdp_gpu_solve(const pdp_gpu_job *job, pdp_solution *solution) {
    double milliseconds = 0;
    if (job->problem->shape == PDP_INTERVAL) {
        pdp_gpu_solve_interval(job, solution, &milliseconds);
    } else if (pdp_gpu_solve_linear(job, solution, &milliseconds) == PDP_OK && job->decisions) {
        pdp_solution_decide(solution, pdp_solution_split, solution); /* its table is here anyway */
    }
    solution->device_seconds = milliseconds / 1e3;
    return solution->error.status;
}
