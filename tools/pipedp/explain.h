/* --explain: why a plan is as it is, in words and as JSON. Nothing for a plan that was not asked to tell. */
#ifndef PIPEDP_EXPLAIN_H
#define PIPEDP_EXPLAIN_H

#include "json.h"
#include "pipedp.h"

void explain_print(FILE *out, const pdp_plan *plan);
void explain_write(json *writer, const pdp_plan *plan); /* the member "plan" */

#endif
