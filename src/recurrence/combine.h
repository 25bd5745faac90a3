/* A user's own operator. */
#ifndef PDP_RECURRENCE_COMBINE_H
#define PDP_RECURRENCE_COMBINE_H

#include "recurrence/recurrence.h"

/* Tries the operator on random values: refused with a counter-example if it is not associative or its identity is
 * none; if it does not commute, combine_ordered is set. */
pdp_status pdp_combine_check_own(pdp_recurrence *recurrence);

/* An own operator that is one of those with a name becomes that one. */
void pdp_combine_recognise(pdp_recurrence *recurrence);

#endif
