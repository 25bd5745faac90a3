/* The step-exact machine: runs a schedule on a problem's data the way a synchronous parallel machine
 * would, round by round: all active threads read, then all compute, then all write. */
#ifndef PDP_SCHEDULE_MACHINE_H
#define PDP_SCHEDULE_MACHINE_H

#include "core/progress.h"
#include "schedule/schedule.h"

/* What to watch while it runs. */
typedef struct pdp_watch {
    bool record;
    uint32_t width;
    uint32_t latency;
    pdp_step_function *on_step; /* with record alone; may be NULL */
    void *context;
} pdp_watch;

/* Fills the table (in the shape of pdp_solution_table, zero on entry), and the record if one is asked
 * for. The schedule must stand at its start and is used up. */
pdp_status pdp_machine_run(const pdp_problem *problem, pdp_schedule *schedule, int64_t *table, const pdp_watch *watch,
                           pdp_record *record, pdp_progress progress, pdp_error *error);

/* Bytes that the run allocates, the table aside. */
uint64_t pdp_machine_bytes(const pdp_problem *problem, const pdp_schedule *schedule, const pdp_watch *watch);

#endif
