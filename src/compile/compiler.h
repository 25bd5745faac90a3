/* The machine's C compiler: finding it, and running it in a folder. */
#ifndef PDP_COMPILE_COMPILER_H
#define PDP_COMPILE_COMPILER_H

#include <limits.h>
#include <sys/stat.h>

#include "compile/blob.h"
#include "core/error.h"

enum { PDP_COMPILER_LEVEL_FLAGS = 16 };

typedef struct pdp_compiler {
    char path[PATH_MAX];     /* as it is called: some programs go by it */
    char resolved[PATH_MAX]; /* with links followed */
    struct stat about;
    char level_flags[512];
    char *arguments[PDP_COMPILER_LEVEL_FLAGS + 24]; /* the first is the path; NULL at the end */
} pdp_compiler;

/* Finds it and puts its arguments together. Points into itself: not to be copied. */
pdp_status pdp_compiler_find(pdp_compiler *compiler, const char *level_flags, pdp_error *error);

/* Compiles PDP_WORK_SOURCE of an open folder. The caller frees the object. */
pdp_status pdp_compiler_run(const pdp_compiler *compiler, int folder, pdp_blob *object, pdp_error *error);

#endif
