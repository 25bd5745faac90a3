#include "compile/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compile/blob.h"
#include "compile/cache.h"
#include "compile/compiler.h"
#include "compile/work.h"

struct pdp_module {
    void *handle;
    int descriptor; /* keeps its number, which is part of the name the loader knows the object by */
    bool was_cached;
};

/* Everything the object depends on. The compiler stands for its version by the identity of its file: to
 * ask it would cost a process at every start, and a new version comes as a new file. (A wrapper that
 * starts another compiler hides a change of that one; its older objects stay right, they are the same C.) */
static bool write_text(pdp_blob *text, const pdp_compiler *compiler, const char *source, size_t length) {
    FILE *stream = open_memstream(&text->data, &text->size);
    if (!stream) {
        return false;
    }
    fprintf(stream, "pipedp %s\n%s\n%s\n", pdp_version(), pdp_build_description(), pdp_cpu_level());
    fprintf(stream, "%s\n%ju %ju %jd %jd.%09ld\n", compiler->resolved, (uintmax_t)compiler->about.st_dev,
            (uintmax_t)compiler->about.st_ino, (intmax_t)compiler->about.st_size,
            (intmax_t)compiler->about.st_mtim.tv_sec, compiler->about.st_mtim.tv_nsec);
    for (size_t i = 0; compiler->arguments[i]; i++) {
        fprintf(stream, "%s\n", compiler->arguments[i]);
    }
    fwrite(source, 1, length, stream);
    return fclose(stream) == 0;
}

/* Compiles in the work folder. */
static pdp_status compile(pdp_blob *object, const pdp_compiler *compiler, const pdp_work *work, const char *key,
                          const char *source, size_t length, pdp_error *error) {
    char last_line[128];
    int last_length = snprintf(last_line, sizeof last_line, "\nconst char pdp_module_key[] = \"%s\";\n", key);
    int file = pdp_blob_create(work->folder, PDP_WORK_SOURCE);
    bool is_written = pdp_blob_append(file, source, length) && pdp_blob_append(file, last_line, (size_t)last_length);
    if (!pdp_blob_finish(file) || !is_written) {
        return pdp_error_set(error, PDP_IO, "the temporary folder '%.200s' cannot be written: %s", work->name,
                             strerror(errno));
    }
    return pdp_compiler_run(compiler, work->folder, object, error);
}

/* Loads the object from memory, so that nothing that happens to the file afterwards matters. The loader
 * hands out an object it already has when it knows one by the same name, and /proc/self/fd/N is the name of
 * whatever once was loaded from descriptor N: so the key is asked for, and on a mismatch the next number
 * tried. */
static pdp_status load(pdp_module *module, const pdp_blob *object, const char *key, pdp_error *error) {
    module->descriptor = memfd_create("pipedp", MFD_CLOEXEC);
    if (!pdp_blob_append(module->descriptor, object->data, object->size)) {
        return pdp_error_set(error, PDP_IO, "no memory file for the compiled code: %s", strerror(errno));
    }
    for (int attempt = 0; attempt < 64; attempt++) {
        char name[40];
        snprintf(name, sizeof name, "/proc/self/fd/%d", module->descriptor);
        module->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (!module->handle) {
            const char *why = dlerror();
            return pdp_error_set(error, PDP_IO, "the compiled code cannot be loaded: %.200s", why ? why : name);
        }
        const char *found = dlsym(module->handle, "pdp_module_key");
        if (found && strcmp(found, key) == 0) {
            return PDP_OK;
        }
        dlclose(module->handle);
        module->handle = NULL;
        int next = fcntl(module->descriptor, F_DUPFD_CLOEXEC, module->descriptor + 1);
        close(module->descriptor);
        module->descriptor = next;
    }
    return pdp_error_set(error, PDP_IO, "the compiled code cannot be loaded: other objects have all the names");
}

/* Compiles, loads, and only what could be loaded goes into the cache, if there is one. */
static pdp_status make_anew(pdp_module *module, const pdp_compiler *compiler, int cache, const pdp_entry *entry,
                            const char *source, size_t length, pdp_error *error) {
    pdp_work work;
    if (!pdp_work_create(&work, cache)) {
        return pdp_error_set(error, PDP_IO, "no temporary folder to compile in: %s", strerror(errno));
    }
    pdp_blob object = {NULL, 0};
    pdp_status status = compile(&object, compiler, &work, entry->key, source, length, error);
    if (status == PDP_OK) {
        status = load(module, &object, entry->key, error);
    }
    if (status == PDP_OK && work.parent == cache) {
        pdp_cache_store(cache, &work, entry, &object);
    }
    free(object.data);
    pdp_work_remove(work.parent, work.name);
    close(work.folder);
    return status;
}

static pdp_status make(pdp_module *module, const pdp_compiler *compiler, const char *source, size_t length,
                       pdp_error *error) {
    pdp_entry entry = {.key = ""};
    if (!write_text(&entry.text, compiler, source, length)) {
        free(entry.text.data);
        return pdp_error_set_no_memory(error, length);
    }
    pdp_entry_name(&entry);
    int cache;
    pdp_status status = pdp_cache_open(&cache, true, error);
    if (status == PDP_OK) {
        pdp_blob object = {NULL, 0};
        module->was_cached = cache >= 0 && pdp_cache_load(cache, &entry, &object);
        if (module->was_cached) {
            status = load(module, &object, entry.key, error);
            free(object.data);
        } else {
            status = make_anew(module, compiler, cache, &entry, source, length, error);
        }
    }
    if (cache >= 0) {
        close(cache);
    }
    free(entry.text.data);
    return status;
}

bool pdp_module_is_cached(const char *source, size_t length, const char *level_flags) {
    pdp_compiler compiler;
    pdp_error error = {0};
    pdp_entry entry = {.key = ""};
    int cache = -1;
    bool is_there = false;
    if (pdp_compiler_find(&compiler, level_flags, &error) == PDP_OK &&
        write_text(&entry.text, &compiler, source, length) && pdp_cache_open(&cache, false, &error) == PDP_OK) {
        pdp_entry_name(&entry);
        is_there = cache >= 0 && faccessat(cache, entry.file, F_OK, 0) == 0;
    }
    if (cache >= 0) {
        close(cache);
    }
    free(entry.text.data);
    return is_there;
}

bool pdp_module_is_off(void) {
    const char *wish = getenv("PIPEDP_COMPILE");
    return wish && strcmp(wish, "0") == 0;
}

pdp_status pdp_module_open(pdp_module **out, const char *source, size_t length, const char *level_flags,
                           pdp_error *error) {
    *out = NULL;
    if (pdp_module_is_off()) {
        return pdp_error_set(error, PDP_BAD_INPUT, "compiling is switched off by PIPEDP_COMPILE=0");
    }
    pdp_compiler compiler;
    pdp_status status = pdp_compiler_find(&compiler, level_flags, error);
    if (status != PDP_OK) {
        return status;
    }
    pdp_module *module = calloc(1, sizeof *module);
    if (!module) {
        return pdp_error_set_no_memory(error, sizeof *module);
    }
    module->descriptor = -1;
    status = make(module, &compiler, source, length, error);
    if (status != PDP_OK) {
        pdp_module_close(module);
        return status;
    }
    *out = module;
    return PDP_OK;
}

void *pdp_module_symbol(const pdp_module *module, const char *name) {
    return dlsym(module->handle, name);
}

bool pdp_module_was_cached(const pdp_module *module) {
    return module->was_cached;
}

void pdp_module_close(pdp_module *module) {
    if (module) {
        if (module->handle) {
            dlclose(module->handle);
        }
        if (module->descriptor >= 0) {
            close(module->descriptor);
        }
        free(module);
    }
}
