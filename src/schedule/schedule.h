/* Who does what when: the paper's methods as sequences of rounds. Nothing here knows values. */
#ifndef PDP_SCHEDULE_SCHEDULE_H
#define PDP_SCHEDULE_SCHEDULE_H

#include <stdbool.h>

#include "problem/problem.h"
#include "schedule/round.h"

typedef struct pdp_schedule pdp_schedule;

struct pdp_schedule {
    /* The round of the next step; false when all is done. A step may be idle. */
    bool (*next)(pdp_schedule *schedule, pdp_round *round);
    size_t threads;      /* most that are active in a round */
    size_t cells;        /* of the table */
    size_t presets;      /* cells that are final from the start, the first ones */
    size_t addresses;    /* cells and scratch slots */
    uint64_t operations; /* all there will be */

    size_t n;
    const size_t *offsets; /* S-DP */
    size_t offset_count;

    /* Where it stands: a cell or the head of the pipeline, its diagonal and row (matrix chain), and
     * the term, round or stride within it, as each method needs. */
    size_t cell;
    size_t diagonal;
    size_t row;
    size_t at;
};

/* Sets a schedule to its start; allocates nothing. Fails with PDP_NO_MEMORY when there are more
 * addresses than 32 bits number. */
typedef pdp_status pdp_schedule_function(pdp_schedule *schedule, const pdp_problem *problem, pdp_error *error);

pdp_schedule_function pdp_schedule_sdp_sequential;
pdp_schedule_function pdp_schedule_sdp_naive;
pdp_schedule_function pdp_schedule_sdp_tournament;
pdp_schedule_function pdp_schedule_sdp_pipeline;
pdp_schedule_function pdp_schedule_sdp_pipeline2;

pdp_schedule_function pdp_schedule_mcm_sequential;
pdp_schedule_function pdp_schedule_mcm_tournament;
pdp_schedule_function pdp_schedule_mcm_pipeline;
pdp_schedule_function pdp_schedule_mcm_pipeline_printed;
pdp_schedule_function pdp_schedule_mcm_wavefront;

/* Shared by the two kinds: the limit on addresses. */
pdp_status pdp_schedule_check_size(const pdp_schedule *schedule, pdp_error *error);

/* One merging round of a tournament among `count` values, the first at `home`, the others in the
 * scratch slots from `scratch` on: slots 0, 2h, 4h, ... take in slots h, 3h, 5h, ... The tree is
 * contiguous, so the order of the values is kept. The operand is the only one: the left for S-DP, the
 * right for a matrix chain. */
void pdp_schedule_merge(pdp_round *round, pdp_shape kind, size_t count, size_t stride, size_t home, size_t scratch);

#endif
