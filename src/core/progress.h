/* How a long run tells how far it is, and hears that it should stop. */
#ifndef PDP_CORE_PROGRESS_H
#define PDP_CORE_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

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

/* Several runs, one after the other or at the same time, of which the listener is told as of one. */
typedef struct pdp_progress_sum {
    pdp_progress all;
    double work; /* of all of them */
    double done;
    bool is_cancelled;
    pthread_mutex_t mutex; /* PTHREAD_MUTEX_INITIALIZER */
} pdp_progress_sum;

/* One of them. */
typedef struct pdp_progress_part {
    pdp_progress_sum *sum;
    double work;
    double told; /* share of it */
} pdp_progress_part;

/* A pdp_progress_function whose context is the part. */
int pdp_progress_add(void *part, double share);

bool pdp_progress_is_cancelled(pdp_progress_sum *sum);

/* What to give to the run. */
static inline pdp_progress pdp_progress_of(pdp_progress_part *part) {
    return (pdp_progress){part->sum->all.report ? pdp_progress_add : NULL, part};
}

#endif
