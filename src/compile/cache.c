#include "compile/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compile/hash.h"

/* ---- The folder ------------------------------------------------------------------------------- */

/* The folder that ours lies in. The specification of XDG_CACHE_HOME says to ignore a relative one. */
static bool find_base(char path[PATH_MAX]) {
    const char *cache = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    int length = -1;
    if (cache && *cache == '/') {
        length = snprintf(path, PATH_MAX, "%s", cache);
    } else if (home && *home == '/') {
        length = snprintf(path, PATH_MAX, "%s/.cache", home);
    }
    return length > 0 && length < PATH_MAX;
}

static int open_base(char path[PATH_MAX], bool may_create) {
    const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    int base = open(path, flags);
    if (base < 0 && errno == ENOENT && may_create) {
        for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
            *slash = '\0';
            mkdir(path, 0700); /* if it fails, so does the open below */
            *slash = '/';
        }
        mkdir(path, 0700);
        base = open(path, flags);
    }
    return base;
}

static pdp_status check_folder(int folder, const char *base, pdp_error *error) {
    struct stat about;
    if (fstat(folder, &about) != 0) {
        return pdp_error_set(error, PDP_IO, "the cache folder '%.150s/pipedp': %s", base, strerror(errno));
    }
    if (!S_ISDIR(about.st_mode)) {
        return pdp_error_set(error, PDP_IO, "the cache folder '%.150s/pipedp' is %s", base,
                             S_ISLNK(about.st_mode) ? "a symbolic link, which is not followed" : "not a folder");
    }
    if (about.st_uid != geteuid()) {
        return pdp_error_set(error, PDP_IO, "the cache folder '%.150s/pipedp' belongs to user %ju, not to user %ju",
                             base, (uintmax_t)about.st_uid, (uintmax_t)geteuid());
    }
    if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return pdp_error_set(error, PDP_IO,
                             "the cache folder '%.150s/pipedp' can be written by others: its mode is %03o", base,
                             (unsigned)about.st_mode & 0777u);
    }
    return PDP_OK;
}

pdp_status pdp_cache_open(int *folder, bool may_create, pdp_error *error) {
    char path[PATH_MAX];
    *folder = -1;
    int base = find_base(path) ? open_base(path, may_create) : -1;
    if (base < 0) {
        return PDP_OK;
    }
    /* O_PATH, so that a folder we may not even read is still looked at, and refused. */
    const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    int opened = openat(base, "pipedp", flags);
    if (opened < 0 && errno == ENOENT && may_create) {
        mkdirat(base, "pipedp", 0700); /* if it fails, so does openat, unless somebody else was faster */
        opened = openat(base, "pipedp", flags);
    }
    close(base);
    pdp_status status = opened >= 0 ? check_folder(opened, path, error) : PDP_OK;
    if (status != PDP_OK) {
        close(opened);
        return status;
    }
    *folder = opened;
    return PDP_OK;
}

/* ---- Entries ---------------------------------------------------------------------------------- */

typedef struct trailer {
    char magic[8];
    uint64_t object_size;
    uint64_t text_size;
    uint64_t hash[2]; /* of the object */
} trailer;

static trailer make_trailer(const pdp_blob *object, const pdp_blob *text) {
    pdp_uwide hash = pdp_hash(object->data, object->size);
    return (trailer){.magic = "pipedp1",
                     .object_size = object->size,
                     .text_size = text->size,
                     .hash = {(uint64_t)(hash >> 64), (uint64_t)hash}};
}

void pdp_entry_name(pdp_entry *entry) {
    pdp_uwide hash = pdp_hash(entry->text.data, entry->text.size);
    snprintf(entry->key, sizeof entry->key, "%016" PRIx64 "%016" PRIx64, (uint64_t)(hash >> 64), (uint64_t)hash);
    snprintf(entry->file, sizeof entry->file, "%s.so", entry->key);
}

bool pdp_cache_load(int folder, const pdp_entry *entry, pdp_blob *object) {
    if (!pdp_blob_read(object, folder, entry->file)) {
        return false;
    }
    const pdp_blob *text = &entry->text;
    size_t rest = text->size + sizeof(trailer);
    if (object->size > rest) {
        object->size -= rest;
        trailer expected = make_trailer(object, text);
        const char *found = object->data + object->size;
        if (memcmp(found, text->data, text->size) == 0 && memcmp(found + text->size, &expected, sizeof expected) == 0) {
            utimensat(folder, entry->file, NULL, AT_SYMLINK_NOFOLLOW); /* used just now */
            return true;
        }
    }
    free(object->data);
    *object = (pdp_blob){NULL, 0};
    return false;
}

/* ---- Keeping it small ------------------------------------------------------------------------- */

typedef struct kept {
    char file[PDP_CACHE_KEY_LENGTH + 4];
    struct timespec used;
    uint64_t size;
} kept;

typedef struct kept_list {
    kept *items;
    size_t count;
    size_t capacity;
} kept_list;

/* The name has the length of an entry's. */
static void list_add(kept_list *list, const char *file, const struct stat *about) {
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 64;
        kept *items = realloc(list->items, capacity * sizeof *items);
        if (!items) {
            return; /* it will be seen next time */
        }
        list->items = items;
        list->capacity = capacity;
    }
    kept *item = &list->items[list->count++];
    memcpy(item->file, file, sizeof item->file);
    item->used = about->st_mtim;
    item->size = (uint64_t)about->st_size;
}

static int compare_latest_first(const void *left, const void *right) {
    const struct timespec *a = &((const kept *)left)->used;
    const struct timespec *b = &((const kept *)right)->used;
    if (a->tv_sec != b->tv_sec) {
        return a->tv_sec < b->tv_sec ? 1 : -1;
    }
    return (a->tv_nsec < b->tv_nsec) - (a->tv_nsec > b->tv_nsec);
}

/* Lists the entries, and removes work folders whose compilation ended without removing them. */
static void list_folder(kept_list *list, int folder, DIR *listing) {
    for (struct dirent *item = readdir(listing); item; item = readdir(listing)) {
        const char *name = item->d_name;
        struct stat about;
        if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        if (strncmp(name, PDP_WORK_PREFIX, strlen(PDP_WORK_PREFIX)) == 0) {
            if (about.st_mtime < time(NULL) - PDP_WORK_STALE_SECONDS) {
                pdp_work_remove(folder, name);
            }
        } else if (strlen(name) == PDP_CACHE_KEY_LENGTH + 3 && strcmp(name + PDP_CACHE_KEY_LENGTH, ".so") == 0) {
            list_add(list, name, &about);
        }
    }
}

static void trim(int folder) {
    int readable = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = readable >= 0 ? fdopendir(readable) : NULL;
    if (!listing) {
        if (readable >= 0) {
            close(readable);
        }
        return;
    }
    kept_list list = {NULL, 0, 0};
    list_folder(&list, folder, listing);
    closedir(listing);
    if (list.count > 0) {
        qsort(list.items, list.count, sizeof *list.items, compare_latest_first);
    }
    uint64_t bytes = 0;
    for (size_t i = 0; i < list.count; i++) {
        bytes += list.items[i].size;
        if (i >= PDP_CACHE_ENTRIES || bytes > (uint64_t)PDP_CACHE_MEGABYTES << 20) {
            unlinkat(folder, list.items[i].file, 0);
        }
    }
    free(list.items);
}

void pdp_cache_store(int folder, const pdp_work *work, const pdp_entry *entry, const pdp_blob *object) {
    trailer last = make_trailer(object, &entry->text);
    int file = pdp_blob_create(work->folder, "entry");
    bool is_written = pdp_blob_append(file, object->data, object->size) &&
                      pdp_blob_append(file, entry->text.data, entry->text.size) &&
                      pdp_blob_append(file, &last, sizeof last);
    if (pdp_blob_finish(file) && is_written) {
        renameat(work->folder, "entry", folder, entry->file); /* or it stays behind and goes with the folder */
        trim(folder);
    }
}
