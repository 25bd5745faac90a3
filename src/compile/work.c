#include "compile/work.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

static bool make_in_cache(pdp_work *work, int cache) {
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) {
        return false;
    }
    snprintf(work->name, sizeof work->name, PDP_WORK_PREFIX "%016" PRIx64, number);
    work->parent = cache;
    return mkdirat(cache, work->name, 0700) == 0;
}

static bool make_elsewhere(pdp_work *work) {
    const char *base = secure_getenv("TMPDIR");
    int length = snprintf(work->name, sizeof work->name, "%s/pipedp-XXXXXX", base && *base == '/' ? base : "/tmp");
    work->parent = AT_FDCWD;
    return length < (int)sizeof work->name && mkdtemp(work->name);
}

bool pdp_work_create(pdp_work *out, int cache) {
    if ((cache < 0 || !make_in_cache(out, cache)) && !make_elsewhere(out)) {
        return false;
    }
    out->folder = openat(out->parent, out->name, folder_flags);
    if (out->folder < 0) {
        int code = errno;
        unlinkat(out->parent, out->name, AT_REMOVEDIR);
        errno = code;
        return false;
    }
    return true;
}

void pdp_work_remove(int parent, const char *name) {
    int folder = openat(parent, name, folder_flags);
    DIR *listing = folder >= 0 ? fdopendir(folder) : NULL;
    if (listing) {
        for (struct dirent *item = readdir(listing); item; item = readdir(listing)) {
            unlinkat(folder, item->d_name, 0); /* refused for . and .. */
        }
        closedir(listing);
    } else if (folder >= 0) {
        close(folder);
    }
    unlinkat(parent, name, AT_REMOVEDIR);
}
