/* Which look-ups stay inside their input whatever the data, which leave it for certain, and constant ranges. */
#ifndef PDP_RECURRENCE_RANGES_H
#define PDP_RECURRENCE_RANGES_H

#include "recurrence/recurrence.h"

/* Sets index_proven; refuses an index that leaves its input in some cell of every problem that is large enough. */
pdp_status pdp_ranges_check_indices(pdp_recurrence *recurrence);

/* Refuses empty ranges and defaults outside their range, where these are constants. */
pdp_status pdp_ranges_check_constants(pdp_recurrence *recurrence);

#endif
