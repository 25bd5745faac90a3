#include "core/threads.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
/* The first line of a file; "" if there is none. */
static void read_line(const char *path, char *line, size_t size) {
    FILE *file = fopen(path, "re");
    line[0] = '\0';
    if (file) {
        if (!fgets(line, (int)size, file)) {
            line[0] = '\0';
        }
        fclose(file);
    }
}

/* Processors that so much time in such a period makes, rounded up; 0 if it is no limit ("max", -1). */
static int count_processors(const char *quota, const char *period) {
    const double share = strtod(quota, NULL) / strtod(period, NULL);
    return share > 0 && share < 1e6 ? (int)share + ((int)share < share ? 1 : 0) : 0;
}

/* The least limit of a control group and those around it, by the files of both versions; 0 if there is none. */
static int group_processors(const char *root, char *group) {
    char path[600];
    char quota[64];
    char period[64];
    int least = 0;
    for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
        *end = '\0';
        snprintf(path, sizeof path, "%s%s/cpu.max", root, group);
        read_line(path, quota, sizeof quota);
        snprintf(period, sizeof period, "%s", quota + strcspn(quota, " "));
        if (quota[0] == '\0') {
            snprintf(path, sizeof path, "%s%s/cpu.cfs_quota_us", root, group);
            read_line(path, quota, sizeof quota);
            snprintf(path, sizeof path, "%s%s/cpu.cfs_period_us", root, group);
            read_line(path, period, sizeof period);
        }
        const int processors = count_processors(quota, period);
        least = processors > 0 && (least == 0 || processors < least) ? processors : least;
    }
    return least;
}

/* "4:cpu,cpuacct:/a/b" in the first version of control groups, "0::/a/b" in the second. A container sees its own group
 * as the root. */
static int quota_processors(void) {
    char line[512];
    int least = 0;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file)) {
        char *names = strchr(line, ':');
        char *group = names ? strchr(names + 1, ':') : NULL;
        if (!group) {
            continue;
        }
        *group++ = ',';
        group[strcspn(group, "\n")] = '\0';
        const bool is_second = strncmp(line, "0:,", 3) == 0;
        *names = ',';
        if (is_second || strstr(names, ",cpu,")) {
            const int processors = group_processors(is_second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu", group);
            least = processors > 0 && (least == 0 || processors < least) ? processors : least;
        }
    }
    if (file) {
        fclose(file);
    }
    return least;
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
