#include "core/progress.h"

int pdp_progress_add(void *part, double share) {
    pdp_progress_part *p = part;
    pdp_progress_sum *sum = p->sum;
    pthread_mutex_lock(&sum->mutex);
    sum->done += (share - p->told) * p->work;
    p->told = share;
    if (!sum->is_cancelled) { /* once is enough: the others end by themselves */
        sum->is_cancelled = sum->all.report(sum->all.context, sum->done < sum->work ? sum->done / sum->work : 1) != 0;
    }
    const bool is_cancelled = sum->is_cancelled;
    pthread_mutex_unlock(&sum->mutex);
    return is_cancelled;
}

bool pdp_progress_is_cancelled(pdp_progress_sum *sum) {
    pthread_mutex_lock(&sum->mutex);
    const bool is_cancelled = sum->is_cancelled;
    pthread_mutex_unlock(&sum->mutex);
    return is_cancelled;
}
