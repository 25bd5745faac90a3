/* A CUDA driver and an NVRTC in one shared object, for tests without a GPU: memory is the host's, copies are real,
 * launches do nothing. NVRTC may be called by several threads at once. PIPEDP_CUDA_DRIVER and PIPEDP_NVRTC name it.
 *
 *   STUB_CUDA_FAIL    the number of the call that fails, from 1 on
 *   STUB_CUDA_CODE    its code; otherwise 2 (out of memory) for an allocation, 700 (illegal address) for other calls;
 *                     a call of NVRTC fails with a code of its own
 *   STUB_CUDA_MEMORY  bytes of the device, otherwise 1 GiB
 *   STUB_CUDA_LOG     a file that gets, at the end of the process, the calls and what is still open, as JSON
 *
 * What gives something back does so even if it fails: nothing is left for the caller to do about it. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cuda_api.h"

#define EXPORT(result, name, parameters) __attribute__((visibility("default"))) result name parameters;
PDP_CUDA_DRIVER(EXPORT)
PDP_NVRTC(EXPORT)

static const char cubin[] = "0: no code"; /* and the part of the text that it is of */

static struct {
    _Atomic long calls;
    long launches;
    const char *failed;
    _Atomic long memory, modules, contexts, events, programs; /* open ones */
    size_t bytes;
} stub;
static _Thread_local long depth; /* of this thread's stack of contexts */

__attribute__((destructor)) static void write_log(void) {
    const char *name = getenv("STUB_CUDA_LOG");
    FILE *log = name ? fopen(name, "w") : NULL;
    if (log) {
        fprintf(log, "{\"calls\": %ld, \"launches\": %ld, \"failed\": \"%s\", \"open\": ", stub.calls, stub.launches,
                stub.failed ? stub.failed : "");
        fprintf(log, "{\"memory\": %ld, \"modules\": %ld, \"contexts\": %ld, \"events\": %ld, ", stub.memory,
                stub.modules, stub.contexts, stub.events);
        fprintf(log, "\"programs\": %ld, \"pushed\": %ld}}\n", stub.programs, depth);
        fclose(log);
    }
}

static long read_number(const char *variable, long otherwise) {
    const char *text = getenv(variable);
    return text ? strtol(text, NULL, 10) : otherwise;
}

/* Counts a call. */
static bool fails(const char *name) {
    bool is_failure = ++stub.calls == read_number("STUB_CUDA_FAIL", 0);
    if (is_failure) {
        stub.failed = name;
    }
    return is_failure;
}

static unsigned call(const char *name) {
    bool is_allocation = strcmp(name, "cuMemAlloc_v2") == 0;
    return fails(name) ? (unsigned)read_number("STUB_CUDA_CODE", is_allocation ? 2 : 700) : 0;
}

/* The same for a call that needs a context. */
static unsigned call_inside(const char *name) {
    unsigned code = call(name);
    return code == 0 && depth == 0 ? 201 : code;
}

static unsigned call_nvrtc(const char *name) {
    const unsigned internal_error = 11;
    bool is_compilation = strcmp(name, "nvrtcCompileProgram") == 0;
    return !fails(name) ? 0 : is_compilation ? PDP_NVRTC_COMPILATION : internal_error;
}

/* ---- The device -------------------------------------------------------------------------------- */

pdp_cuda_code cuGetErrorName(pdp_cuda_code code, const char **name) {
    *name = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : NULL;
    return *name ? 0 : 1;
}

pdp_cuda_code cuInit(unsigned flags) {
    (void)flags;
    return call("cuInit");
}

pdp_cuda_code cuDriverGetVersion(int *version) {
    *version = 13000;
    return call("cuDriverGetVersion");
}

pdp_cuda_code cuDeviceGet(pdp_cuda_ordinal *device, int ordinal) {
    *device = ordinal;
    return call("cuDeviceGet");
}

pdp_cuda_code cuDeviceGetName(char *name, int size, pdp_cuda_ordinal device) {
    snprintf(name, (size_t)size, "stub %d", device);
    return call("cuDeviceGetName");
}

static size_t memory_total(void) {
    return (size_t)read_number("STUB_CUDA_MEMORY", 1L << 30);
}

pdp_cuda_code cuDeviceTotalMem_v2(size_t *bytes, pdp_cuda_ordinal device) {
    (void)device;
    *bytes = memory_total();
    return call("cuDeviceTotalMem_v2");
}

pdp_cuda_code cuDeviceGetAttribute(int *value, pdp_cuda_attribute attribute, pdp_cuda_ordinal device) {
    (void)device;
    *value = attribute == PDP_CUDA_MULTIPROCESSORS ? 132 : attribute == PDP_CUDA_CAPABILITY_MAJOR ? 9 : 0;
    return call("cuDeviceGetAttribute");
}

/* ---- The context ------------------------------------------------------------------------------- */

static char the_context;

pdp_cuda_code cuDevicePrimaryCtxRetain(pdp_cuda_context *context, pdp_cuda_ordinal device) {
    (void)device;
    unsigned code = call("cuDevicePrimaryCtxRetain");
    *context = code == 0 ? (pdp_cuda_context)(void *)&the_context : NULL;
    stub.contexts += code == 0;
    return code;
}

pdp_cuda_code cuDevicePrimaryCtxRelease_v2(pdp_cuda_ordinal device) {
    (void)device;
    stub.contexts--;
    return call("cuDevicePrimaryCtxRelease_v2");
}

pdp_cuda_code cuCtxPushCurrent_v2(pdp_cuda_context context) {
    unsigned code = context ? call("cuCtxPushCurrent_v2") : 201;
    depth += code == 0;
    return code;
}

pdp_cuda_code cuCtxPopCurrent_v2(pdp_cuda_context *context) {
    unsigned code = call_inside("cuCtxPopCurrent_v2");
    depth--;
    *context = (pdp_cuda_context)(void *)&the_context;
    return code;
}

pdp_cuda_code cuStreamSynchronize(pdp_cuda_stream stream) {
    (void)stream;
    return call_inside("cuStreamSynchronize");
}

/* ---- Memory ------------------------------------------------------------------------------------ */

enum { HEAD = 64 }; /* before each piece of memory, for its size */

pdp_cuda_code cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
    *total = memory_total();
    *free_bytes = *total - stub.bytes;
    return call_inside("cuMemGetInfo_v2");
}

pdp_cuda_code cuMemAlloc_v2(pdp_cuda_address *out, size_t bytes) {
    unsigned code = call_inside("cuMemAlloc_v2");
    if (code != 0 || bytes == 0) {
        return code != 0 ? code : 1;
    }
    char *piece = bytes <= memory_total() - stub.bytes ? calloc(1, bytes + HEAD) : NULL;
    if (!piece) {
        return PDP_CUDA_OUT_OF_MEMORY;
    }
    memcpy(piece, &bytes, sizeof bytes);
    stub.memory++;
    stub.bytes += bytes;
    *out = (pdp_cuda_address)(size_t)(piece + HEAD);
    return 0;
}

static void *pointer(pdp_cuda_address address) {
    return (void *)(size_t)address; /* NOLINT(performance-no-int-to-ptr): it was one */
}

pdp_cuda_code cuMemFree_v2(pdp_cuda_address address) {
    char *piece = (char *)pointer(address) - HEAD;
    size_t bytes;
    memcpy(&bytes, piece, sizeof bytes);
    stub.memory--;
    stub.bytes -= bytes;
    free(piece);
    return call_inside("cuMemFree_v2");
}

pdp_cuda_code cuMemcpyHtoD_v2(pdp_cuda_address to, const void *from, size_t bytes) {
    unsigned code = call_inside("cuMemcpyHtoD_v2");
    if (code == 0) {
        memcpy(pointer(to), from, bytes);
    }
    return code;
}

pdp_cuda_code cuMemcpyDtoH_v2(void *to, pdp_cuda_address from, size_t bytes) {
    unsigned code = call_inside("cuMemcpyDtoH_v2");
    if (code == 0) {
        memcpy(to, pointer(from), bytes);
    }
    return code;
}

pdp_cuda_code cuMemsetD8Async(pdp_cuda_address to, unsigned char value, size_t bytes, pdp_cuda_stream stream) {
    (void)stream;
    unsigned code = call_inside("cuMemsetD8Async");
    if (code == 0) {
        memset(pointer(to), value, bytes);
    }
    return code;
}

/* ---- Kernels ----------------------------------------------------------------------------------- */

/* A handle is a byte of memory, so that one given back twice is found. */
static unsigned make(void **out, unsigned code, _Atomic long *open) {
    *out = code == 0 ? calloc(1, 1) : NULL;
    *open += *out != NULL;
    return code == 0 && !*out ? PDP_CUDA_OUT_OF_MEMORY : code;
}

pdp_cuda_code cuModuleLoadData(pdp_cuda_module *module, const void *image) {
    unsigned code = call_inside("cuModuleLoadData");
    void *handle;
    code = make(&handle, code == 0 && !image ? 1 : code, &stub.modules);
    if (handle) {
        memcpy(handle, image, 1);
    }
    *module = handle;
    return code;
}

pdp_cuda_code cuModuleUnload(pdp_cuda_module module) {
    stub.modules--;
    free(module);
    return call_inside("cuModuleUnload");
}

pdp_cuda_code cuModuleGetFunction(pdp_cuda_function *function, pdp_cuda_module module, const char *name) {
    *function = (pdp_cuda_function)(void *)module;
    unsigned code = call_inside("cuModuleGetFunction");
    if (code != 0 || !module || !name) {
        return code != 0 ? code : 400;
    }
    char part = strstr(name, "_decide") || strstr(name, "_splits") || strstr(name, "_start") ? '1' : '0';
    char own;
    memcpy(&own, module, 1);
    return (own == '0' || own == '1') && own != part ? PDP_CUDA_NOT_FOUND : 0;
}

pdp_cuda_code cuModuleGetGlobal_v2(pdp_cuda_address *address, size_t *size, pdp_cuda_module module, const char *name) {
    static const unsigned none = 0; /* bytes that a kernel wants of its group's memory */
    unsigned code = call_inside("cuModuleGetGlobal");
    *address = (pdp_cuda_address)(uintptr_t)&none;
    *size = sizeof none;
    return code == 0 && (!module || !name) ? 400 : code;
}

pdp_cuda_code cuFuncSetAttribute(pdp_cuda_function function, pdp_cuda_attribute attribute, int value) {
    (void)attribute, (void)value;
    unsigned code = call_inside("cuFuncSetAttribute");
    return code == 0 && !function ? 400 : code;
}

pdp_cuda_code cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, pdp_cuda_function function, int threads,
                                                          size_t shared) {
    (void)shared;
    *count = 2;
    unsigned code = call_inside("cuOccupancyMaxActiveBlocksPerMultiprocessor");
    return code == 0 && (!function || threads <= 0) ? 400 : code;
}

pdp_cuda_code cuLaunchKernel(pdp_cuda_function function, unsigned groups, unsigned groups_y, unsigned groups_z,
                             unsigned threads, unsigned threads_y, unsigned threads_z, unsigned shared,
                             pdp_cuda_stream stream, void **arguments, void **extra) {
    (void)shared;
    (void)stream;
    (void)extra;
    unsigned code = call_inside("cuLaunchKernel");
    bool is_good = function && arguments && groups > 0 && groups_y == 1 && groups_z == 1 && threads > 0 &&
                   threads <= 1024 && threads_y == 1 && threads_z == 1;
    stub.launches += code == 0 && is_good;
    return code == 0 && !is_good ? 1 : code;
}

/* ---- Events ------------------------------------------------------------------------------------ */

pdp_cuda_code cuEventCreate(pdp_cuda_event *event, unsigned flags) {
    (void)flags;
    void *handle;
    unsigned code = make(&handle, call_inside("cuEventCreate"), &stub.events);
    *event = handle;
    return code;
}

pdp_cuda_code cuEventDestroy_v2(pdp_cuda_event event) {
    stub.events--;
    free(event);
    return call_inside("cuEventDestroy_v2");
}

pdp_cuda_code cuEventRecord(pdp_cuda_event event, pdp_cuda_stream stream) {
    (void)stream;
    unsigned code = call_inside("cuEventRecord");
    return code == 0 && !event ? 400 : code;
}

pdp_cuda_code cuEventElapsedTime(float *milliseconds, pdp_cuda_event start, pdp_cuda_event end) {
    *milliseconds = 1;
    unsigned code = call_inside("cuEventElapsedTime");
    return code == 0 && (!start || !end) ? 400 : code;
}

/* ---- NVRTC ------------------------------------------------------------------------------------- */

const char *nvrtcGetErrorString(pdp_nvrtc_code code) {
    return code == PDP_NVRTC_COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_INTERNAL_ERROR";
}

pdp_nvrtc_code nvrtcVersion(int *major, int *minor) {
    *major = 13;
    *minor = 0;
    return call_nvrtc("nvrtcVersion");
}

pdp_nvrtc_code nvrtcGetNumSupportedArchs(int *count) {
    *count = 2;
    return call_nvrtc("nvrtcGetNumSupportedArchs");
}

pdp_nvrtc_code nvrtcGetSupportedArchs(int *known) {
    known[0] = 80;
    known[1] = 90;
    return call_nvrtc("nvrtcGetSupportedArchs");
}

pdp_nvrtc_code nvrtcCreateProgram(pdp_nvrtc_program *program, const char *text, const char *name, int count,
                                  const char *const *headers, const char *const *names) {
    (void)name;
    (void)count;
    (void)headers;
    (void)names;
    unsigned code = call_nvrtc("nvrtcCreateProgram");
    void *handle;
    code = make(&handle, code == 0 && !text ? 3 : code, &stub.programs);
    *program = handle;
    return code;
}

pdp_nvrtc_code nvrtcDestroyProgram(pdp_nvrtc_program *program) {
    stub.programs--;
    free(*program);
    *program = NULL;
    return call_nvrtc("nvrtcDestroyProgram");
}

pdp_nvrtc_code nvrtcCompileProgram(pdp_nvrtc_program program, int count, const char *const *options) {
    static const char name[] = "-DPDP_ONLY_PART=";
    for (int i = 0; i < count; i++) {
        if (strncmp(options[i], name, sizeof name - 1) == 0) {
            memcpy(program, options[i] + sizeof name - 1, 1);
        }
    }
    return call_nvrtc("nvrtcCompileProgram");
}

/* A log, a cubin and PTX are all the same few bytes. */
static unsigned give_size(const char *name, size_t *size) {
    *size = sizeof cubin;
    return call_nvrtc(name);
}

static unsigned give_bytes(const char *name, pdp_nvrtc_program program, char *bytes) {
    memcpy(bytes, cubin, sizeof cubin);
    memcpy(bytes, program, 1);
    return call_nvrtc(name);
}

pdp_nvrtc_code nvrtcGetProgramLogSize(pdp_nvrtc_program program, size_t *size) {
    (void)program;
    return give_size("nvrtcGetProgramLogSize", size);
}

pdp_nvrtc_code nvrtcGetProgramLog(pdp_nvrtc_program program, char *log) {
    return give_bytes("nvrtcGetProgramLog", program, log);
}

pdp_nvrtc_code nvrtcGetCUBINSize(pdp_nvrtc_program program, size_t *size) {
    (void)program;
    return give_size("nvrtcGetCUBINSize", size);
}

pdp_nvrtc_code nvrtcGetCUBIN(pdp_nvrtc_program program, char *image) {
    return give_bytes("nvrtcGetCUBIN", program, image);
}

pdp_nvrtc_code nvrtcGetPTXSize(pdp_nvrtc_program program, size_t *size) {
    (void)program;
    return give_size("nvrtcGetPTXSize", size);
}

pdp_nvrtc_code nvrtcGetPTX(pdp_nvrtc_program program, char *image) {
    return give_bytes("nvrtcGetPTX", program, image);
}
