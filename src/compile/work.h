/* A temporary folder for one compilation: a folder and not a file, so that what the compiler leaves behind
 * when it is killed goes with it. */
#ifndef PDP_COMPILE_WORK_H
#define PDP_COMPILE_WORK_H

#include <stdbool.h>

#define PDP_WORK_PREFIX "work-"
#define PDP_WORK_SOURCE "source.c"
#define PDP_WORK_OBJECT "module.so"

/* Seconds after which a compilation is stopped, and after which its folder is surely an orphan. */
enum { PDP_WORK_SECONDS = 120, PDP_WORK_STALE_SECONDS = 600 };

typedef struct pdp_work {
    int folder;
    int parent;      /* the cache folder, or AT_FDCWD */
    char name[4096]; /* in the parent */
} pdp_work;

/* In the cache folder if there is one (-1: none) and it can be written, else in $TMPDIR or /tmp. The
 * caller closes the folder. */
bool pdp_work_create(pdp_work *out, int cache);

/* The folder and the files in it. */
void pdp_work_remove(int parent, const char *name);

#endif
