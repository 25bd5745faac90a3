/* The machine type of a problem's cells: the fastest that is proven to hold them. */
#ifndef PDP_PLAN_TYPE_H
#define PDP_PLAN_TYPE_H

#include "cpu/kernel.h"
#include "problem/problem.h"

/* Fills in the stamp for a problem. `type` is the user's wish, or NULL. PDP_BAD_INPUT when that is not known, not
 * proven or not for this kind of number. */
pdp_status pdp_type_choose(pdp_stamp *stamp, const pdp_problem *problem, const char *type, pdp_level level,
                           bool on_device, pdp_error *error);

/* "i32", ... as the user knows it. */
const char *pdp_type_name(const pdp_stamp *stamp, const pdp_problem *problem);

#endif
