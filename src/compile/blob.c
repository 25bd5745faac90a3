#include "compile/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const off_t largest = (off_t)128 << 20; /* twice what the compiler may write */

static bool is_ours(const struct stat *about) {
    return S_ISREG(about->st_mode) && about->st_uid == geteuid() && (about->st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           about->st_size <= largest;
}

static bool read_all(int descriptor, char *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t count = read(descriptor, data + done, size - done);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return false;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

bool pdp_blob_read(pdp_blob *out, int folder, const char *name) {
    /* Non-blocking, for a pipe of that name would keep us waiting. */
    int descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    struct stat about;
    bool is_good = fstat(descriptor, &about) == 0 && is_ours(&about);
    out->size = is_good ? (size_t)about.st_size : 0;
    out->data = is_good ? malloc(out->size + 1) : NULL;
    is_good = out->data && read_all(descriptor, out->data, out->size);
    close(descriptor);
    if (!is_good) {
        free(out->data);
        *out = (pdp_blob){NULL, 0};
        return false;
    }
    out->data[out->size] = '\0';
    return true;
}

int pdp_blob_create(int folder, const char *name) {
    return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

bool pdp_blob_append(int descriptor, const void *data, size_t size) {
    const char *bytes = data;
    for (size_t done = 0; done < size;) {
        ssize_t count = write(descriptor, bytes + done, size - done);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return descriptor >= 0;
}

bool pdp_blob_finish(int descriptor) {
    return descriptor >= 0 && close(descriptor) == 0;
}
