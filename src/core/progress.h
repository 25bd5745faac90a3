/* How a long run tells how far it is, and hears that it should stop. */
#ifndef PDP_CORE_PROGRESS_H
#define PDP_CORE_PROGRESS_H

#include "core/error.h"

typedef struct pdp_progress {
    pdp_progress_function *report; /* NULL: nobody asked */
    void *context;
} pdp_progress;

/* PDP_CANCELLED, with the error set, if the listener wants to stop. */
static inline pdp_status pdp_progress_tell(pdp_progress progress, double share, pdp_error *error) {
    if (progress.report && progress.report(progress.context, share) != 0) {
        return pdp_error_set(error, PDP_CANCELLED, "cancelled by the progress callback");
    }
    return PDP_OK;
}

#endif
