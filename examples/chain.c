/* Solves the textbook's matrix chain through the public header alone.
 *
 *     cc chain.c $(pkg-config --cflags --libs pipedp) -o chain && ./chain
 */
#include <inttypes.h>
#include <pipedp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const int64_t dims[] = {30, 35, 15, 5, 10, 20, 25};
    pdp_problem *problem = NULL;
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    char *order = NULL;
    int failed = 1;
    if (pdp_problem_create_mcm(&problem, dims, 7) != PDP_OK) {
        fprintf(stderr, "%s\n", pdp_problem_error(problem));
    } else if (pdp_plan_create(&plan, problem, NULL) != PDP_OK) {
        fprintf(stderr, "%s\n", pdp_plan_error(plan));
    } else if (pdp_plan_run(plan, &solution) != PDP_OK) {
        fprintf(stderr, "%s\n", pdp_solution_error(solution));
    } else if ((order = pdp_solution_order(solution)) != NULL) {
        printf("%" PRId64 " multiplications by %s, found by %s\n", pdp_solution_value(solution), order,
               pdp_plan_algorithm(plan));
        failed = 0;
    }
    free(order);
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    return failed;
}
