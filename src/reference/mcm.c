#include "reference/reference.h"

/* M[i][j] = min over i<k<j of M[i][k] + M[k][j] + p[i]*p[k]*p[j], and M[i][i+1] = 0.
 *
 * Row by row from the last: when row i is filled, all rows below it are final. Within the row k runs
 * before j, so that M[i][k] has had all its own splits (they are smaller than k) when it is used. */
pdp_status pdp_reference_solve_mcm(const pdp_problem *problem, int64_t *table, pdp_progress progress,
                                   pdp_error *error) {
    const size_t n = problem->n;
    const size_t width = n + 1;
    const int64_t *p = problem->dims;
    for (size_t i = n; i-- > 0;) {
        int64_t *row = table + i * width;
        for (size_t j = i + 2; j <= n; j++) {
            row[j] = INT64_MAX;
        }
        for (size_t k = i + 1; k < n; k++) {
            const int64_t *below = table + k * width;
            const int64_t left = row[k];
            const int64_t weight = p[i] * p[k];
            for (size_t j = k + 1; j <= n; j++) {
                int64_t cost = left + below[j] + weight * p[j];
                row[j] = cost < row[j] ? cost : row[j];
            }
        }
        double rest = (double)i / (double)n; /* the work left is that of a chain of i matrices and rows of n */
        if (pdp_progress_tell(progress, 1 - rest * rest * (3 - 2 * rest), error) != PDP_OK) {
            return error->status;
        }
    }
    return PDP_OK;
}
