/* A solution as a file that pipedp verify reads: docs/recurrences.md has its form. */
#ifndef PIPEDP_SAVE_H
#define PIPEDP_SAVE_H

#include <stdio.h>

#include "run.h"

#define SAVE_FORMAT "pipedp solution 1"

/* Returns an exit code; on failure has said why. A failed write shows up when the file is finished. */
int save_solution(FILE *out, const run_input *input, const run_front *front, const pdp_plan *plan,
                  const pdp_solution *solution);

/* The names of decisions in the file, by their kind. */
extern const char *const save_decision_names[3];

#endif
