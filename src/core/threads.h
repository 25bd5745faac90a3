/* How many threads this process may use. */
#ifndef PDP_CORE_THREADS_H
#define PDP_CORE_THREADS_H

/* At least 1: OMP_NUM_THREADS if it is set, otherwise the processors of the affinity mask, and no more than the control
 * group's quota pays for. 1 in a library without OpenMP. */
int pdp_threads_available(void);

#endif
