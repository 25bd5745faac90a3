#include "gpu/cuda_api.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* NVIDIA's libraries start threads and do not survive being unmapped, so they stay for the life of the process. */
static void *open_file(const char *file) {
    return dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static const char *read_wish(const char *variable) {
    const char *wish = secure_getenv(variable);
    return wish && *wish ? wish : NULL;
}

static pdp_status refuse(pdp_error *error, const char *what, const char *advice) {
    const char *why = dlerror();
    return pdp_error_set(error, PDP_DEVICE, "no %s: %.120s; %s", what, why ? why : "not found", advice);
}

/* Both tables begin with nothing but pointers to functions, in the order of the names. Where one is missing, the
 * library is closed again. */
static pdp_status find_functions(void *table, const char *const *names, size_t count, void **library,
                                 pdp_error *error) {
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(*library, names[i]);
        if (!function) {
            pdp_cuda_library_close(*library);
            *library = NULL;
            return pdp_error_set(error, PDP_DEVICE,
                                 "the CUDA library has no %s: it is too old, update it or use --backend cpu", names[i]);
        }
        memcpy((char *)table + i * sizeof function, &function, sizeof function);
    }
    return PDP_OK;
}

#define NAME(result, name, parameters) #name,

pdp_status pdp_cuda_driver_open(pdp_cuda_driver *out, pdp_error *error) {
    static const char *const names[] = {PDP_CUDA_DRIVER(NAME)};
    const char *wish = read_wish("PIPEDP_CUDA_DRIVER");
    out->library = open_file(wish ? wish : "libcuda.so.1");
    if (!out->library) {
        return refuse(error, "CUDA driver", "install NVIDIA's driver, or use --backend cpu");
    }
    return find_functions(out, names, sizeof names / sizeof *names, &out->library, error);
}

pdp_status pdp_nvrtc_open(pdp_nvrtc *out, int driver_major, pdp_error *error) {
    static const char *const names[] = {PDP_NVRTC(NAME)};
    static const struct {
        int major;
        const char *file;
    } files[] = {{13, "libnvrtc.so.13"}, {12, "libnvrtc.so.12"}, {11, "libnvrtc.so.11.2"}, {0, "libnvrtc.so"}};
    const char *wish = read_wish("PIPEDP_NVRTC");
    out->library = wish ? open_file(wish) : NULL;
    for (size_t i = 0; !wish && !out->library && i < sizeof files / sizeof *files; i++) {
        out->library = files[i].major <= driver_major ? open_file(files[i].file) : NULL;
    }
    if (!out->library) {
        return refuse(error, "NVRTC library (libnvrtc.so)",
                      "install CUDA's NVRTC, name its file by PIPEDP_NVRTC, or use --backend cpu");
    }
    return find_functions(out, names, sizeof names / sizeof *names, &out->library, error);
}

void pdp_cuda_library_close(void *library) {
    if (library) {
        dlclose(library);
    }
}
