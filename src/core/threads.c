#include "core/threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef _OPENMP
/* Quota and period in microseconds, from the file of the second or the two files of the first version of control
 * groups: whole processors, rounded up; 0 if there is no limit. */
static int quota_processors(void) {
    double quota = 0, period = 0;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (file) {
        if (fscanf(file, "%lf %lf", &quota, &period) != 2) { /* "max 100000" */
            quota = 0;
        }
        fclose(file);
    } else {
        const char *const names[2] = {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"};
        double *const values[2] = {&quota, &period};
        for (int x = 0; x < 2; x++) {
            file = fopen(names[x], "re");
            if (file) {
                if (fscanf(file, "%lf", values[x]) != 1) {
                    *values[x] = 0;
                }
                fclose(file);
            }
        }
    }
    if (quota <= 0 || period <= 0 || quota / period > 1e6) {
        return 0;
    }
    int processors = (int)(quota / period);
    return (double)processors * period < quota ? processors + 1 : processors;
}
#endif

int pdp_threads_available(void) {
#ifdef _OPENMP
    const char *asked = getenv("OMP_NUM_THREADS");
    cpu_set_t mask;
    int count = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
    int quota = quota_processors();
    if (quota > 0 && quota < count) {
        count = quota;
    }
    if (asked) {
        char *end;
        long number = strtol(asked, &end, 10); /* "4,2" asks for 4 at the outermost level */
        if (end != asked && number >= 1 && number <= 4096) {
            count = (int)number;
        }
    }
    return count < 1 ? 1 : count;
#else
    return 1;
#endif
}
