/* Which cells of a linear table are infeasible: there is no way to reach them. */
#ifndef PIPEDP_INFEASIBLE_H
#define PIPEDP_INFEASIBLE_H

#include <stdbool.h>

#include "pipedp.h"

/* How a problem's infeasible cells are given by the library. */
typedef struct infeasible {
    bool chooses; /* by min or max: floats of that end are infeasible */
    bool is_max;
    bool can_miss; /* whole cells can be infeasible */
} infeasible;

/* Of a linear problem that has been checked. False without memory. */
bool infeasible_find(infeasible *out, const pdp_problem *problem);

bool infeasible_is_whole(const infeasible *how, int64_t cell);
bool infeasible_is_real(const infeasible *how, double cell);

#endif
