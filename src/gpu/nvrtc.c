#include "gpu/nvrtc.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/cache.h"
#include "compile/work.h"
#include "core/memory.h"

enum { OPTIONS = 8 };

typedef struct nvrtc_target {
    int version[2]; /* of NVRTC */
    bool is_ptx;
    char architecture[40];
} nvrtc_target;

/* A part of a text, and what becomes of it. */
typedef struct nvrtc_job {
    const pdp_nvrtc *nvrtc;
    const nvrtc_target *target;
    const int *capability;
    const char *source;
    size_t length;
    const char *options[OPTIONS]; /* one is the part: not to be copied */
    int option_count;
    int number; /* of the part */
    pdp_blob image;
    pthread_t thread;
    pdp_error error;
    bool has_thread;
    char part[32];
} nvrtc_job;

static pdp_status check(const pdp_nvrtc *nvrtc, const char *call, pdp_nvrtc_code code, pdp_error *error) {
    if (code == 0) {
        return PDP_OK;
    }
    return pdp_error_set(error, PDP_DEVICE,
                         "%s failed with %u (%s): libnvrtc.so and libnvrtc-builtins.so must be of one version, 11.5 or "
                         "newer; PIPEDP_NVRTC names another one, --backend cpu needs none",
                         call, code, nvrtc->nvrtcGetErrorString(code));
}

#define CALL(name, ...) check(nvrtc, #name, nvrtc->name(__VA_ARGS__), error)

/* The newest architecture that both NVRTC and the device know; 0: none. */
static pdp_status find_architecture(const pdp_nvrtc *nvrtc, int newest, int *out, pdp_error *error) {
    int count = 0;
    *out = 0;
    pdp_status status = CALL(nvrtcGetNumSupportedArchs, &count);
    if (status != PDP_OK) {
        return status;
    }
    int *known = pdp_array_allocate((size_t)count, sizeof *known, error);
    if (!known) {
        return error->status;
    }
    status = CALL(nvrtcGetSupportedArchs, known);
    for (int i = 0; status == PDP_OK && i < count; i++) {
        if (known[i] <= newest && known[i] > *out) {
            *out = known[i];
        }
    }
    free(known);
    return status;
}

static pdp_status choose_target(nvrtc_target *out, const pdp_nvrtc *nvrtc, const int capability[2], pdp_error *error) {
    const int wanted = 10 * capability[0] + capability[1];
    int found = 0;
    pdp_status status = CALL(nvrtcVersion, &out->version[0], &out->version[1]);
    if (status == PDP_OK) {
        status = find_architecture(nvrtc, wanted, &found, error);
    }
    if (status == PDP_OK && found == 0) {
        status = pdp_error_set(error, PDP_DEVICE,
                               "NVRTC %d.%d no longer knows GPUs of compute capability %d.%d: name an older one by "
                               "PIPEDP_NVRTC, or use --backend cpu",
                               out->version[0], out->version[1], capability[0], capability[1]);
    }
    out->is_ptx = found != wanted;
    snprintf(out->architecture, sizeof out->architecture, "--gpu-architecture=%s_%d", out->is_ptx ? "compute" : "sm",
             found);
    return status;
}

/* Without warnings: the first words of a log are to be the error's. Where there is a loop in every update, of which a
 * megabyte of code would be made, the last option leaves out much of what is usually done; older versions do not know
 * it. */
static void choose_options(nvrtc_job *job) {
    snprintf(job->part, sizeof job->part, "-DPDP_ONLY_PART=%d", job->number);
    const char *const options[OPTIONS] = {
        job->target->architecture, job->part, "-default-device",    "--fmad=false", "-std=c++17",
        "-device-int128",          "-w",      "--Ofast-compile=min"};
    memcpy(job->options, options, sizeof options);
    job->option_count = job->target->version[0] >= 13 && strstr(job->source, "PDP_FOLD(f") ? OPTIONS : OPTIONS - 1;
}

/* The first words of a failed compilation, on one line. */
static pdp_status report_failure(const pdp_nvrtc *nvrtc, pdp_nvrtc_program program, pdp_error *error) {
    size_t size = 0;
    pdp_status status = CALL(nvrtcGetProgramLogSize, program, &size);
    if (status != PDP_OK) {
        return status;
    }
    char *log = pdp_array_allocate(size + 1, 1, error);
    if (!log) {
        return error->status;
    }
    status = CALL(nvrtcGetProgramLog, program, log);
    for (char *c = log; *c; c++) {
        *c = *c == '\n' ? ' ' : *c;
    }
    if (status == PDP_OK) {
        status =
            pdp_error_set(error, PDP_DEVICE, "nvrtcCompileProgram failed with %d: %.200s", PDP_NVRTC_COMPILATION, log);
    }
    free(log);
    return status;
}

static pdp_status fetch(const pdp_nvrtc *nvrtc, pdp_nvrtc_program program, bool is_ptx, pdp_blob *image,
                        pdp_error *error) {
    pdp_status status =
        is_ptx ? CALL(nvrtcGetPTXSize, program, &image->size) : CALL(nvrtcGetCUBINSize, program, &image->size);
    if (status != PDP_OK) {
        return status;
    }
    image->data = pdp_array_allocate(image->size, 1, error);
    if (!image->data) {
        return error->status;
    }
    return is_ptx ? CALL(nvrtcGetPTX, program, image->data) : CALL(nvrtcGetCUBIN, program, image->data);
}

static pdp_status compile(nvrtc_job *job) {
    const pdp_nvrtc *nvrtc = job->nvrtc;
    pdp_error *error = &job->error;
    pdp_nvrtc_program program = NULL;
    pdp_status status = CALL(nvrtcCreateProgram, &program, job->source, "pipedp.cu", 0, NULL, NULL);
    if (status != PDP_OK) {
        return status;
    }
    pdp_nvrtc_code code = nvrtc->nvrtcCompileProgram(program, job->option_count, job->options);
    status = code == PDP_NVRTC_COMPILATION ? report_failure(nvrtc, program, error)
                                           : check(nvrtc, "nvrtcCompileProgram", code, error);
    if (status == PDP_OK) {
        status = fetch(nvrtc, program, job->target->is_ptx, &job->image, error);
    }
    (void)nvrtc->nvrtcDestroyProgram(&program); /* the image is there, or another error came first */
    return status;
}

/* ---- The cache ---- */

/* Everything the image is for; the source comes last. Not the version of NVRTC: what another one has made is as good,
 * and need not be opened for it. */
static bool name_entry(const nvrtc_job *job, pdp_entry *entry) {
    FILE *stream = open_memstream(&entry->text.data, &entry->text.size);
    if (!stream) {
        return false;
    }
    fprintf(stream, "pipedp %s\ncompute capability %d.%d\npart %d\n", pdp_version(), job->capability[0],
            job->capability[1], job->number);
    fwrite(job->source, 1, job->length, stream);
    if (fclose(stream) != 0) {
        return false;
    }
    pdp_entry_name(entry);
    return true;
}

static void store(int cache, const pdp_entry *entry, const pdp_blob *image) {
    pdp_work work;
    if (cache >= 0 && pdp_work_create(&work, cache)) {
        if (work.parent == cache) {
            pdp_cache_store(cache, &work, entry, image);
        }
        pdp_work_remove(work.parent, work.name);
        close(work.folder);
    }
}

/* The image, compiled, or from the cache if that is what is wanted. */
static void make_image(nvrtc_job *job, bool is_cached) {
    pdp_entry entry = {.key = ""};
    int cache = -1;
    if (!name_entry(job, &entry)) {
        pdp_error_set_no_memory(&job->error, job->length);
    } else if (pdp_cache_open(&cache, true, &job->error) == PDP_OK) {
        if (is_cached) {
            (void)(cache >= 0 && pdp_cache_load(cache, &entry, &job->image));
        } else if (compile(job) == PDP_OK) {
            store(cache, &entry, &job->image);
        }
    }
    if (cache >= 0) {
        close(cache);
    }
    free(entry.text.data);
}

static void *run_job(void *job) {
    make_image(job, false);
    return NULL;
}

static int count_parts(const char *text) {
    char name[32];
    int count = 0;
    do {
        snprintf(name, sizeof name, "PDP_PART(%d)", ++count);
    } while (count < PDP_NVRTC_PARTS && strstr(text, name));
    return count;
}

static void free_images(pdp_blob *images, int count) {
    for (int i = 0; i < count; i++) {
        free(images[i].data);
        images[i] = (pdp_blob){NULL, 0};
    }
}

bool pdp_nvrtc_find(const int capability[2], const char *text, size_t length, pdp_blob images[PDP_NVRTC_PARTS]) {
    const int parts = count_parts(text);
    memset(images, 0, PDP_NVRTC_PARTS * sizeof *images);
    for (int i = 0; i < parts; i++) {
        nvrtc_job job = {.capability = capability, .source = text, .length = length, .number = i};
        make_image(&job, true);
        images[i] = job.image;
        if (!job.image.data) {
            free_images(images, i);
            return false;
        }
    }
    return true;
}

pdp_status pdp_nvrtc_compile(const pdp_nvrtc *nvrtc, const int capability[2], const char *text, size_t length,
                             pdp_blob images[PDP_NVRTC_PARTS], pdp_error *error) {
    nvrtc_target target;
    nvrtc_job jobs[PDP_NVRTC_PARTS];
    const int parts = count_parts(text);
    pdp_status status = PDP_OK;
    memset(images, 0, PDP_NVRTC_PARTS * sizeof *images);
    if (choose_target(&target, nvrtc, capability, error) != PDP_OK) {
        return error->status;
    }
    for (int i = parts - 1; i >= 0; i--) { /* the first in this thread, and others that get none */
        jobs[i] = (nvrtc_job){
            .nvrtc = nvrtc, .target = &target, .capability = capability, .source = text, .length = length, .number = i};
        choose_options(&jobs[i]);
        jobs[i].has_thread = i > 0 && pthread_create(&jobs[i].thread, NULL, run_job, &jobs[i]) == 0;
        if (!jobs[i].has_thread) {
            make_image(&jobs[i], false);
        }
    }
    for (int i = 0; i < parts; i++) {
        if (jobs[i].has_thread) {
            pthread_join(jobs[i].thread, NULL);
        }
        images[i] = jobs[i].image;
        if (status == PDP_OK && jobs[i].error.status != PDP_OK) {
            *error = jobs[i].error;
            status = error->status;
        }
    }
    if (status != PDP_OK) {
        free_images(images, parts);
    }
    return status;
}
