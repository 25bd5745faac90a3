/* The machine type of a problem's cells: the fastest that is proven to hold them. */
#ifndef PDP_PLAN_TYPE_H
#define PDP_PLAN_TYPE_H

#include "cpu/kernel.h"
#include "problem/problem.h"

/* Fills in the stamp for problems of one kind. `type` is the user's wish, or NULL. *widest is the number, from 0, of
 * the problem with the largest values, which decide. PDP_BAD_INPUT when the wish is not known, not proven or not for
 * this kind of number. */
pdp_status pdp_type_choose(pdp_stamp *stamp, const pdp_problem *const *problems, size_t count, const char *type,
                           pdp_level level, bool on_device, size_t *widest, pdp_error *error);

/* "i32", ... as the user knows it. */
const char *pdp_type_name(const pdp_stamp *stamp, const pdp_problem *problem);

#endif
