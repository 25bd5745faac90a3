/* Files that appear whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

struct pdp_file {
    FILE *stream;
    char *path;      /* with symbolic links followed, so that a link stays a link */
    char *temporary; /* NULL when the target is a device or a pipe and is written directly */
    pdp_error error;
};

static pdp_status fail(pdp_file *file, const char *path, const char *what, int code) {
    return pdp_error_set(&file->error, PDP_IO, "'%.200s' %s: %s", path, what, strerror(code));
}

/* Opens a new file in the target's folder. The name is its own, not longer than the target's has to be;
 * it holds the process and a counter, and O_EXCL settles races. */
static int open_temporary(pdp_file *file, mode_t mode) {
    const char *slash = strrchr(file->path, '/');
    int folder = slash ? (int)(slash - file->path) + 1 : 0;
    size_t size = (size_t)folder + 64;
    file->temporary = malloc(size);
    if (!file->temporary) {
        errno = ENOMEM;
        return -1;
    }
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(file->temporary, size, "%.*s.pipedp-%ld-%u.tmp", folder, file->path, (long)getpid(), attempt);
        int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0 || errno != EEXIST) {
            return descriptor;
        }
    }
    return -1;
}

/* A copy of standard output or standard error, if that is this file; -1 otherwise. */
static int duplicate_standard(const struct stat *about) {
    for (int standard = STDOUT_FILENO; standard <= STDERR_FILENO; standard++) {
        struct stat other;
        if (fstat(standard, &other) == 0 && other.st_dev == about->st_dev && other.st_ino == about->st_ino) {
            return fcntl(standard, F_DUPFD_CLOEXEC, 0);
        }
    }
    return -1;
}

pdp_status pdp_file_create(pdp_file **out, const char *path) {
    pdp_file *file = *out = calloc(1, sizeof *file);
    if (!file) {
        return PDP_NO_MEMORY;
    }
    if (!path) {
        return pdp_error_set(&file->error, PDP_BAD_INPUT, "path is NULL");
    }
    struct stat about;
    bool exists = stat(path, &about) == 0;
    if (exists && S_ISDIR(about.st_mode)) {
        return fail(file, path, "cannot be written", EISDIR);
    }
    struct stat link;
    if (!exists && (*path == '\0' || lstat(path, &link) == 0)) { /* no name, or a link to nowhere */
        return fail(file, path, "cannot be written", ENOENT);
    }
    file->path = exists ? realpath(path, NULL) : strdup(path);
    if (!file->path) {
        return fail(file, path, "cannot be written", errno);
    }
    int descriptor = exists ? duplicate_standard(&about) : -1;
    if (descriptor >= 0) {
        /* Whoever says /dev/stdout wants it where standard output stands, not in place of the file behind it. */
    } else if (exists && !S_ISREG(about.st_mode)) {
        descriptor = open(file->path, O_WRONLY | O_CLOEXEC);
    } else if (exists && access(file->path, W_OK) != 0) {
        descriptor = -1; /* a rename would replace even a file we may not write */
    } else {
        descriptor = open_temporary(file, 0666);
    }
    if (descriptor >= 0 && exists && file->temporary) {
        /* The new file keeps the old one's permissions; if that is refused, its own will do. */
        (void)!fchmod(descriptor, about.st_mode & 07777);
    }
    file->stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!file->stream) {
        int code = errno;
        if (descriptor >= 0) {
            close(descriptor);
            if (file->temporary) {
                unlink(file->temporary);
            }
        }
        free(file->temporary);
        file->temporary = NULL;
        return fail(file, path, "cannot be written", code);
    }
    return PDP_OK;
}

FILE *pdp_file_stream(pdp_file *file) {
    return file ? file->stream : NULL;
}

/* Forgets the temporary file, removing it. */
static void discard(pdp_file *file) {
    if (file->stream) {
        fclose(file->stream);
        file->stream = NULL;
    }
    if (file->temporary) {
        unlink(file->temporary);
        free(file->temporary);
        file->temporary = NULL;
    }
}

pdp_status pdp_file_finish(pdp_file *file) {
    FILE *stream = file ? file->stream : NULL;
    if (!stream) { /* never opened, or finished already: the error, if any, is there */
        return file ? file->error.status : PDP_NO_MEMORY;
    }
    errno = 0;
    bool written = fflush(stream) == 0 && !ferror(stream);
    /* On the disk before it takes the old file's place, or a crash could leave neither. */
    if (written && file->temporary && fsync(fileno(stream)) != 0 && errno != EINVAL) {
        written = false;
    }
    int code = errno;
    file->stream = NULL;
    if (fclose(stream) != 0 && written) {
        written = false;
        code = errno;
    }
    if (!written) {
        discard(file);
        return fail(file, file->path, "cannot be written", code != 0 ? code : EIO);
    }
    return PDP_OK;
}

pdp_status pdp_file_commit(pdp_file *file) {
    pdp_status status = pdp_file_finish(file);
    if (status != PDP_OK || !file->temporary) {
        return status;
    }
    if (rename(file->temporary, file->path) != 0) {
        int code = errno;
        discard(file);
        return fail(file, file->path, "cannot be written", code);
    }
    free(file->temporary);
    file->temporary = NULL;
    return PDP_OK;
}

const char *pdp_file_error(const pdp_file *file) {
    return file ? file->error.text : "out of memory";
}

void pdp_file_free(pdp_file *file) {
    if (file) {
        discard(file);
        free(file->path);
        free(file);
    }
}
