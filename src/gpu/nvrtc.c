#include "gpu/nvrtc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "compile/cache.h"
#include "compile/work.h"
#include "core/memory.h"

enum { OPTIONS = 5 };

typedef struct nvrtc_target {
    int version[2]; /* of NVRTC */
    bool is_ptx;
    char architecture[40];
    const char *options[OPTIONS]; /* points into itself: not to be copied */
} nvrtc_target;

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
    const char *const options[OPTIONS] = {out->architecture, "-default-device", "--fmad=false", "-std=c++17",
                                          "-device-int128"};
    for (int i = 0; i < OPTIONS; i++) {
        out->options[i] = options[i];
    }
    return status;
}

/* Everything the image depends on; the source comes last. */
static bool write_text(pdp_blob *text, const nvrtc_target *target, const char *source, size_t length) {
    FILE *stream = open_memstream(&text->data, &text->size);
    if (!stream) {
        return false;
    }
    fprintf(stream, "pipedp %s\nNVRTC %d.%d\n", pdp_version(), target->version[0], target->version[1]);
    for (int i = 0; i < OPTIONS; i++) {
        fprintf(stream, "%s\n", target->options[i]);
    }
    fwrite(source, 1, length, stream);
    return fclose(stream) == 0;
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

/* The source ends in a zero. */
static pdp_status compile(const pdp_nvrtc *nvrtc, const nvrtc_target *target, const char *source, pdp_blob *image,
                          pdp_error *error) {
    pdp_nvrtc_program program = NULL;
    pdp_status status = CALL(nvrtcCreateProgram, &program, source, "pipedp.cu", 0, NULL, NULL);
    if (status != PDP_OK) {
        return status;
    }
    pdp_nvrtc_code code = nvrtc->nvrtcCompileProgram(program, OPTIONS, target->options);
    status = code == PDP_NVRTC_COMPILATION ? report_failure(nvrtc, program, error)
                                           : check(nvrtc, "nvrtcCompileProgram", code, error);
    if (status == PDP_OK) {
        status = fetch(nvrtc, program, target->is_ptx, image, error);
    }
    (void)nvrtc->nvrtcDestroyProgram(&program); /* the image is there, or another error came first */
    return status;
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

pdp_status pdp_nvrtc_compile(const pdp_nvrtc *nvrtc, const int capability[2], const char *text, size_t length,
                             pdp_blob *image, pdp_error *error) {
    nvrtc_target target;
    *image = (pdp_blob){NULL, 0};
    pdp_status status = choose_target(&target, nvrtc, capability, error);
    if (status != PDP_OK) {
        return status;
    }
    pdp_entry entry = {.key = ""};
    if (!write_text(&entry.text, &target, text, length)) {
        free(entry.text.data);
        return pdp_error_set_no_memory(error, length);
    }
    pdp_entry_name(&entry);
    int cache;
    status = pdp_cache_open(&cache, error);
    if (status == PDP_OK && (cache < 0 || !pdp_cache_load(cache, &entry, image))) {
        status = compile(nvrtc, &target, entry.text.data + (entry.text.size - length), image, error);
        if (status == PDP_OK) {
            store(cache, &entry, image);
        }
    }
    if (cache >= 0) {
        close(cache);
    }
    free(entry.text.data);
    if (status != PDP_OK) {
        free(image->data);
        *image = (pdp_blob){NULL, 0};
    }
    return status;
}
