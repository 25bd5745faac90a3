/* Kernels by OpenCL 1.2. The library is opened at run time (libOpenCL.so.1, or the file that PIPEDP_OPENCL names), so
 * that a program of ours starts without it. PIPEDP_OPENCL_DEVICE chooses a device by its number over all platforms;
 * otherwise the first GPU is taken, or the first device of any other kind. */
#include "gpu/device.h"

#if defined(PDP_HAS_OPENCL)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/cache.h"
#include "core/memory.h"

/* ---- The library's functions ---- */

#define FUNCTIONS(X)                                                                                                   \
    X(clBuildProgram)                                                                                                  \
    X(clCreateBuffer)                                                                                                  \
    X(clCreateCommandQueue)                                                                                            \
    X(clCreateContext)                                                                                                 \
    X(clCreateKernelsInProgram)                                                                                        \
    X(clCreateProgramWithBinary)                                                                                       \
    X(clCreateProgramWithSource)                                                                                       \
    X(clEnqueueFillBuffer)                                                                                             \
    X(clEnqueueMarkerWithWaitList)                                                                                     \
    X(clEnqueueNDRangeKernel)                                                                                          \
    X(clEnqueueReadBuffer)                                                                                             \
    X(clEnqueueWriteBuffer)                                                                                            \
    X(clFinish)                                                                                                        \
    X(clGetDeviceIDs)                                                                                                  \
    X(clGetDeviceInfo)                                                                                                 \
    X(clGetEventProfilingInfo)                                                                                         \
    X(clGetKernelInfo)                                                                                                 \
    X(clGetMemObjectInfo)                                                                                              \
    X(clGetPlatformIDs)                                                                                                \
    X(clGetPlatformInfo)                                                                                               \
    X(clGetProgramBuildInfo)                                                                                           \
    X(clGetProgramInfo)                                                                                                \
    X(clReleaseCommandQueue)                                                                                           \
    X(clReleaseContext)                                                                                                \
    X(clReleaseEvent)                                                                                                  \
    X(clReleaseKernel)                                                                                                 \
    X(clReleaseMemObject)                                                                                              \
    X(clReleaseProgram)                                                                                                \
    X(clSetKernelArg)

#define DECLARE(name) __typeof__(name) *name;
#define LOCATE(name) {#name, offsetof(functions, name)},

typedef struct functions {
    FUNCTIONS(DECLARE)
} functions;

static const struct {
    const char *name;
    size_t at;
} places[] = {FUNCTIONS(LOCATE)};

typedef struct opencl {
    void *library;
    functions f;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_event marks[2];
    cl_ulong largest_buffer;
    uint64_t held; /* bytes of buffers */
    char platform_version[128];
    char driver_version[128];
    char options[96];
} opencl;

typedef struct program {
    cl_program program;
    cl_uint count;
    cl_kernel *kernels;
} program;

/* ---- Errors ---- */

static const struct {
    cl_int code;
    const char *name;
    const char *advice;
} codes[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND", "install the driver of the device, or PoCL"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", "install the OpenCL driver of the device, or PoCL"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE", "another process may have it, or its driver be broken"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE", "this OpenCL driver brings no compiler; take another"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE", ""},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES", ""},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", ""},
    {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE", "this driver does not measure times"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE", "the driver's compiler refuses the kernels"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE", "the driver may be too old: OpenCL 1.2 is needed"},
    {CL_INVALID_DEVICE, "CL_INVALID_DEVICE", "PIPEDP_OPENCL_DEVICE may choose another device"},
    {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE", "the device was lost; start the program again"},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS", "the driver may be too old: OpenCL 1.2 is needed"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE", "the device takes no groups of so many threads"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE", "the device takes no groups of so many threads"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE", "the device takes no buffers of so many bytes"},
};

/* `bytes` is what was wanted, 0 if nothing is known of that. */
static pdp_status fail(pdp_device *device, const char *call, cl_int code, uint64_t bytes, pdp_error *error) {
    const opencl *o = device->state;
    const char *name = "an error";
    const char *advice = "the driver may be broken; PIPEDP_OPENCL_DEVICE may choose another device";
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].code == code) {
            name = codes[i].name;
            advice = codes[i].advice;
        }
    }
    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY) {
        uint64_t most = device->memory_total > o->held ? device->memory_total - o->held : 0;
        char wanted[40] = "";
        if (bytes > 0) {
            snprintf(wanted, sizeof wanted, "%" PRIu64 " bytes wanted, ", bytes);
        }
        return pdp_error_set(error, PDP_NO_MEMORY,
                             "%s: %s (%d): %sat most %" PRIu64 " of the device's %" PRIu64
                             " bytes free; a smaller problem or a lower limit of device memory may fit",
                             call, name, code, wanted, most, device->memory_total);
    }
    /* What a queue says whose device is gone. */
    device->is_lost = device->is_lost || code == CL_INVALID_COMMAND_QUEUE || code == CL_DEVICE_NOT_AVAILABLE;
    return pdp_error_set(error, PDP_DEVICE, "%s: %s (%d): %s", call, name, code, advice);
}

/* ---- Opening ---- */

static pdp_status open_library(opencl *o, pdp_error *error) {
    const char *wish = secure_getenv("PIPEDP_OPENCL");
    const char *file = wish && *wish ? wish : "libOpenCL.so.1";
    if (!(wish && *wish) && dlsym(RTLD_DEFAULT, "clGetPlatformIDs")) {
        file = NULL; /* one that is already there, as oclgrind is: two would get in each other's way */
    }
    /* It stays in the process: drivers leave threads behind. */
    o->library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!o->library) {
        const char *why = dlerror();
        return pdp_error_set(error, PDP_DEVICE,
                             "OpenCL cannot be opened (%.150s): install libOpenCL.so.1, or name it by PIPEDP_OPENCL",
                             why ? why : "");
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        void *symbol = dlsym(o->library, places[i].name);
        if (!symbol) {
            return pdp_error_set(error, PDP_DEVICE, "OpenCL has no %s: version 1.2 is needed", places[i].name);
        }
        memcpy((char *)&o->f + places[i].at, &symbol, sizeof symbol);
    }
    return PDP_OK;
}

enum { MOST_PLATFORMS = 16, MOST_DEVICES = 64 };

typedef struct found {
    cl_platform_id platforms[MOST_DEVICES];
    cl_device_id devices[MOST_DEVICES];
    cl_uint count;
} found;

/* The devices of all platforms. A platform that is broken does not hide the others. */
static pdp_status find_devices(pdp_device *device, found *out, pdp_error *error) {
    const opencl *o = device->state;
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint count = 0;
    out->count = 0;
    cl_int code = o->f.clGetPlatformIDs(MOST_PLATFORMS, platforms, &count);
    if (code != CL_SUCCESS) {
        return fail(device, "clGetPlatformIDs", code, 0, error);
    }
    cl_int last = CL_DEVICE_NOT_FOUND;
    for (cl_uint x = 0; x < count && x < MOST_PLATFORMS && out->count < MOST_DEVICES; x++) {
        cl_uint more = 0;
        cl_uint room = MOST_DEVICES - out->count;
        code = o->f.clGetDeviceIDs(platforms[x], CL_DEVICE_TYPE_ALL, room, out->devices + out->count, &more);
        last = code != CL_SUCCESS ? code : last;
        more = code != CL_SUCCESS ? 0 : more < room ? more : room;
        for (cl_uint i = 0; i < more; i++) {
            out->platforms[out->count++] = platforms[x];
        }
    }
    return out->count > 0 ? PDP_OK : fail(device, "clGetDeviceIDs", last, 0, error);
}

static pdp_status ask(pdp_device *device, cl_device_info what, void *answer, size_t size, pdp_error *error) {
    const opencl *o = device->state;
    cl_int code = o->f.clGetDeviceInfo(o->device, what, size, answer, NULL);
    return code == CL_SUCCESS ? PDP_OK : fail(device, "clGetDeviceInfo", code, 0, error);
}

static pdp_status choose_device(pdp_device *device, cl_platform_id *platform, pdp_error *error) {
    opencl *o = device->state;
    found all = {.count = 0};
    cl_uint chosen = 0;
    pdp_status status = find_devices(device, &all, error);
    const char *wish = getenv("PIPEDP_OPENCL_DEVICE");
    if (status == PDP_OK && wish && *wish) {
        char *end;
        unsigned long number = strtoul(wish, &end, 10);
        if (*end != '\0' || number >= all.count) {
            return pdp_error_set(error, PDP_BAD_INPUT, "PIPEDP_OPENCL_DEVICE is '%.40s', and must be from 0 to %u",
                                 wish, all.count - 1);
        }
        chosen = (cl_uint)number;
    } else {
        for (cl_uint i = all.count; status == PDP_OK && i-- > 0;) {
            cl_device_type type = 0;
            o->device = all.devices[i];
            status = ask(device, CL_DEVICE_TYPE, &type, sizeof type, error);
            chosen = (type & CL_DEVICE_TYPE_GPU) ? i : chosen;
        }
    }
    o->device = all.devices[chosen];
    *platform = all.platforms[chosen];
    return status;
}

static pdp_status describe(pdp_device *device, cl_platform_id platform, pdp_error *error) {
    opencl *o = device->state;
    char name[256];
    char extensions[8192];
    cl_device_fp_config doubles = 0;
    cl_device_fp_config singles = 0;
    cl_ulong memory = 0;
    cl_uint units = 0;
    const struct {
        cl_device_info what;
        void *answer;
        size_t size;
    } questions[] = {{CL_DEVICE_NAME, name, sizeof name},
                     {CL_DEVICE_EXTENSIONS, extensions, sizeof extensions},
                     {CL_DRIVER_VERSION, o->driver_version, sizeof o->driver_version},
                     {CL_DEVICE_DOUBLE_FP_CONFIG, &doubles, sizeof doubles},
                     {CL_DEVICE_SINGLE_FP_CONFIG, &singles, sizeof singles},
                     {CL_DEVICE_GLOBAL_MEM_SIZE, &memory, sizeof memory},
                     {CL_DEVICE_MAX_MEM_ALLOC_SIZE, &o->largest_buffer, sizeof o->largest_buffer},
                     {CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units}};
    cl_int code =
        o->f.clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof o->platform_version, o->platform_version, NULL);
    if (code != CL_SUCCESS) {
        return fail(device, "clGetPlatformInfo", code, 0, error);
    }
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        pdp_status status = ask(device, questions[i].what, questions[i].answer, questions[i].size, error);
        if (status != PDP_OK) {
            return status;
        }
    }
    snprintf(device->name, sizeof device->name, "%.127s", name);
    device->lacks_wide_atomics = !strstr(extensions, "cl_khr_int64_base_atomics");
    snprintf(device->driver, sizeof device->driver, "%.63s", o->platform_version);
    if (doubles == 0) {
        return pdp_error_set(error, PDP_DEVICE,
                             "%.120s has no double precision (cl_khr_fp64); PIPEDP_OPENCL_DEVICE may choose another "
                             "device",
                             name);
    }
    device->memory_total = memory;
    device->units = units;
    snprintf(o->options, sizeof o->options, "-cl-std=CL1.2%s",
             singles & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
    return PDP_OK;
}

static pdp_status open_opencl(pdp_device *device, pdp_error *error) {
    opencl *o = device->state = pdp_array_allocate(1, sizeof *o, error);
    if (!o) {
        return PDP_NO_MEMORY;
    }
    cl_platform_id platform = NULL;
    pdp_status status = open_library(o, error);
    if (status == PDP_OK) {
        status = choose_device(device, &platform, error);
    }
    if (status == PDP_OK) {
        status = describe(device, platform, error);
    }
    if (status != PDP_OK) {
        return status;
    }
    cl_int code;
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    o->context = o->f.clCreateContext(properties, 1, &o->device, NULL, NULL, &code);
    if (!o->context) {
        return fail(device, "clCreateContext", code, 0, error);
    }
    o->queue = o->f.clCreateCommandQueue(o->context, o->device, CL_QUEUE_PROFILING_ENABLE, &code);
    return o->queue ? PDP_OK : fail(device, "clCreateCommandQueue", code, 0, error);
}

static void close_opencl(pdp_device *device) {
    opencl *o = device->state;
    if (!o) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (o->marks[i]) {
            o->f.clReleaseEvent(o->marks[i]);
        }
    }
    if (o->queue) {
        o->f.clReleaseCommandQueue(o->queue);
    }
    if (o->context) {
        o->f.clReleaseContext(o->context);
    }
    if (o->library) {
        dlclose(o->library);
    }
    free(o);
    device->state = NULL;
}

/* ---- Memory ---- */

static cl_mem memory_of(pdp_buffer buffer) {
    return (cl_mem)buffer; /* NOLINT(performance-no-int-to-ptr) */
}

/* OpenCL does not say what other processes have taken. */
static pdp_status find_free_memory(pdp_device *device, uint64_t *bytes, pdp_error *error) {
    const opencl *o = device->state;
    (void)error;
    *bytes = device->memory_total > o->held ? device->memory_total - o->held : 0;
    return PDP_OK;
}

static pdp_status allocate(pdp_device *device, pdp_buffer *out, uint64_t bytes, pdp_error *error) {
    opencl *o = device->state;
    uint64_t most;
    find_free_memory(device, &most, error);
    bytes = bytes > 0 ? bytes : 1;
    if (bytes > most || bytes > o->largest_buffer) {
        return pdp_error_set(error, PDP_NO_MEMORY,
                             "out of memory of %.80s: %" PRIu64 " bytes wanted, %" PRIu64 " free, and no buffer can "
                             "have more than %" PRIu64,
                             device->name, bytes, most, (uint64_t)o->largest_buffer);
    }
    cl_int code;
    cl_mem memory = o->f.clCreateBuffer(o->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    if (!memory) {
        return fail(device, "clCreateBuffer", code, bytes, error);
    }
    o->held += bytes;
    *out = (uintptr_t)memory;
    return PDP_OK;
}

static void release(pdp_device *device, pdp_buffer buffer) {
    opencl *o = device->state;
    size_t bytes = 0;
    if (o->f.clGetMemObjectInfo(memory_of(buffer), CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS) {
        o->held -= bytes;
    }
    o->f.clReleaseMemObject(memory_of(buffer));
}

/* Commands for no bytes at all are refused by OpenCL. */

static pdp_status write_buffer(pdp_device *device, pdp_buffer buffer, uint64_t at, const void *from, uint64_t bytes,
                               pdp_error *error) {
    const opencl *o = device->state;
    cl_int code = bytes == 0 ? CL_SUCCESS
                             : o->f.clEnqueueWriteBuffer(o->queue, memory_of(buffer), CL_TRUE, (size_t)at,
                                                         (size_t)bytes, from, 0, NULL, NULL);
    return code == CL_SUCCESS ? PDP_OK : fail(device, "clEnqueueWriteBuffer", code, bytes, error);
}

static pdp_status read_buffer(pdp_device *device, pdp_buffer buffer, uint64_t at, void *to, uint64_t bytes,
                              pdp_error *error) {
    const opencl *o = device->state;
    cl_int code = bytes == 0 ? CL_SUCCESS
                             : o->f.clEnqueueReadBuffer(o->queue, memory_of(buffer), CL_TRUE, (size_t)at, (size_t)bytes,
                                                        to, 0, NULL, NULL);
    return code == CL_SUCCESS ? PDP_OK : fail(device, "clEnqueueReadBuffer", code, bytes, error);
}

static pdp_status clear(pdp_device *device, pdp_buffer buffer, uint64_t at, uint64_t bytes, pdp_error *error) {
    const opencl *o = device->state;
    const cl_uchar zero = 0;
    cl_int code = bytes == 0 ? CL_SUCCESS
                             : o->f.clEnqueueFillBuffer(o->queue, memory_of(buffer), &zero, sizeof zero, (size_t)at,
                                                        (size_t)bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? PDP_OK : fail(device, "clEnqueueFillBuffer", code, bytes, error);
}

/* ---- Programs ---- */

/* Everything the driver's binary depends on; the source comes last. */
static bool write_text(pdp_blob *text, const pdp_device *device, const char *source, size_t length) {
    const opencl *o = device->state;
    FILE *stream = open_memstream(&text->data, &text->size);
    if (!stream) {
        return false;
    }
    fprintf(stream, "pipedp %s\nOpenCL\n%s\n%s\n%s\n%s\n", pdp_version(), o->platform_version, device->name,
            o->driver_version, o->options);
    fwrite(source, 1, length, stream);
    return fclose(stream) == 0;
}

/* The compiler's first words, on one line. */
static pdp_status describe_failure(pdp_device *device, cl_program built, pdp_error *error) {
    const opencl *o = device->state;
    size_t size = 0;
    char *log = NULL;
    if (o->f.clGetProgramBuildInfo(built, o->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS) {
        log = calloc(1, size + 1);
    }
    if (log) {
        o->f.clGetProgramBuildInfo(built, o->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    }
    for (char *c = log; c && *c; c++) {
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    }
    pdp_error_set(error, PDP_DEVICE, "clBuildProgram: CL_BUILD_PROGRAM_FAILURE (%d): %.220s", CL_BUILD_PROGRAM_FAILURE,
                  log && *log ? log : "the compiler said nothing");
    free(log);
    return PDP_DEVICE;
}

static pdp_status build(pdp_device *device, cl_program built, pdp_error *error) {
    const opencl *o = device->state;
    cl_int code = o->f.clBuildProgram(built, 1, &o->device, o->options, NULL, NULL);
    return code == CL_SUCCESS                 ? PDP_OK
           : code == CL_BUILD_PROGRAM_FAILURE ? describe_failure(device, built, error)
                                              : fail(device, "clBuildProgram", code, 0, error);
}

/* From an earlier build's binary: false if the driver does not take it any more. */
static bool build_binary(pdp_device *device, cl_program *out, const pdp_blob *binary) {
    const opencl *o = device->state;
    pdp_error ignored = {PDP_OK, ""};
    const unsigned char *data = (const unsigned char *)binary->data;
    cl_int code;
    *out = o->f.clCreateProgramWithBinary(o->context, 1, &o->device, &binary->size, &data, NULL, &code);
    if (*out && build(device, *out, &ignored) == PDP_OK) {
        return true;
    }
    if (*out) {
        o->f.clReleaseProgram(*out);
        *out = NULL;
    }
    return false;
}

/* Keeps the binary, where there is a cache and the driver gives one. */
static void store(const pdp_device *device, cl_program built, int cache, const pdp_entry *entry) {
    const opencl *o = device->state;
    pdp_work work;
    pdp_blob binary = {NULL, 0};
    if (cache < 0 ||
        o->f.clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof binary.size, &binary.size, NULL) != CL_SUCCESS ||
        binary.size == 0 || !pdp_work_create(&work, cache)) {
        return;
    }
    binary.data = malloc(binary.size);
    if (binary.data && work.parent == cache &&
        o->f.clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof binary.data, &binary.data, NULL) == CL_SUCCESS) {
        pdp_cache_store(cache, &work, entry, &binary);
    }
    free(binary.data);
    pdp_work_remove(work.parent, work.name);
    close(work.folder);
}

static pdp_status build_source(pdp_device *device, cl_program *out, const char *source, size_t length,
                               pdp_error *error) {
    const opencl *o = device->state;
    cl_int code;
    *out = o->f.clCreateProgramWithSource(o->context, 1, &source, &length, &code);
    return *out ? build(device, *out, error) : fail(device, "clCreateProgramWithSource", code, length, error);
}

static pdp_status make_program(pdp_device *device, cl_program *out, const char *source, size_t length,
                               pdp_error *error) {
    const opencl *o = device->state;
    pdp_entry entry = {.key = ""};
    if (!write_text(&entry.text, device, source, length)) {
        free(entry.text.data);
        return pdp_error_set_no_memory(error, length);
    }
    pdp_entry_name(&entry);
    /* PoCL has its own cache, by kernel; asked for a binary, it would compile all kernels, also those that are not
     * going to run. */
    int cache = -1;
    bool is_pocl = strstr(o->platform_version, "PoCL") != NULL;
    pdp_blob binary = {NULL, 0};
    pdp_status status = is_pocl ? PDP_OK : pdp_cache_open(&cache, true, error);
    if (status == PDP_OK &&
        (cache < 0 || !pdp_cache_load(cache, &entry, &binary) || !build_binary(device, out, &binary))) {
        status = build_source(device, out, source, length, error);
        if (status == PDP_OK) {
            store(device, *out, cache, &entry);
        }
    }
    if (cache >= 0) {
        close(cache);
    }
    free(binary.data);
    free(entry.text.data);
    return status;
}

static pdp_status make_kernels(pdp_device *device, program *p, pdp_error *error) {
    const opencl *o = device->state;
    cl_uint count = 0;
    cl_int code = o->f.clCreateKernelsInProgram(p->program, 0, NULL, &count);
    if (code == CL_SUCCESS) {
        p->kernels = pdp_array_allocate(count, sizeof(cl_kernel), error);
        if (!p->kernels) {
            return PDP_NO_MEMORY;
        }
        code = o->f.clCreateKernelsInProgram(p->program, count, p->kernels, NULL);
    }
    if (code != CL_SUCCESS) {
        return fail(device, "clCreateKernelsInProgram", code, 0, error);
    }
    p->count = count;
    return PDP_OK;
}

static void unload(pdp_device *device, void *handle) {
    const opencl *o = device->state;
    program *p = handle;
    for (cl_uint i = 0; i < p->count; i++) {
        o->f.clReleaseKernel(p->kernels[i]);
    }
    if (p->program) {
        o->f.clReleaseProgram(p->program);
    }
    free(p->kernels);
    free(p);
}

static pdp_status load(pdp_device *device, void **handle, const char *text, size_t length, const void *prebuilt,
                       size_t prebuilt_size, pdp_error *error) {
    (void)prebuilt;
    (void)prebuilt_size;
    *handle = NULL;
    program *p = pdp_array_allocate(1, sizeof *p, error);
    if (!p) {
        return PDP_NO_MEMORY;
    }
    pdp_status status = make_program(device, &p->program, text, length, error);
    if (status == PDP_OK) {
        status = make_kernels(device, p, error);
    }
    if (status != PDP_OK) {
        unload(device, p);
        return status;
    }
    *handle = p;
    return PDP_OK;
}

/* ---- Launches ---- */

static pdp_status find_kernel(pdp_device *device, const program *p, const char *name, cl_kernel *out,
                              pdp_error *error) {
    const opencl *o = device->state;
    for (cl_uint i = 0; i < p->count; i++) {
        char found_name[128];
        cl_int code = o->f.clGetKernelInfo(p->kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof found_name, found_name, NULL);
        if (code != CL_SUCCESS) {
            return fail(device, "clGetKernelInfo", code, 0, error);
        }
        if (strcmp(found_name, name) == 0) {
            *out = p->kernels[i];
            return PDP_OK;
        }
    }
    return pdp_error_set(error, PDP_DEVICE, "the program has no kernel %.60s", name);
}

static pdp_status launch_kernel(pdp_device *device, void *handle, const pdp_launch *launch, pdp_error *error) {
    const opencl *o = device->state;
    cl_kernel kernel;
    pdp_status status = find_kernel(device, handle, launch->kernel, &kernel, error);
    if (status != PDP_OK || launch->groups == 0) {
        return status;
    }
    for (cl_uint i = 0; i < 1 + PDP_LAUNCH_BUFFERS + PDP_LAUNCH_NUMBERS; i++) {
        cl_mem memory = memory_of(i == 0 ? launch->data : i <= PDP_LAUNCH_BUFFERS ? launch->buffers[i - 1] : 0);
        cl_long number = i <= PDP_LAUNCH_BUFFERS ? 0 : launch->numbers[i - 1 - PDP_LAUNCH_BUFFERS];
        cl_int code = i <= PDP_LAUNCH_BUFFERS ? o->f.clSetKernelArg(kernel, i, sizeof(cl_mem), &memory)
                                              : o->f.clSetKernelArg(kernel, i, sizeof number, &number);
        if (code != CL_SUCCESS) {
            return fail(device, "clSetKernelArg", code, 0, error);
        }
    }
    size_t threads = launch->threads;
    size_t all = threads * launch->groups;
    cl_int code = o->f.clEnqueueNDRangeKernel(o->queue, kernel, 1, NULL, &all, &threads, 0, NULL, NULL);
    return code == CL_SUCCESS ? PDP_OK : fail(device, "clEnqueueNDRangeKernel", code, 0, error);
}

static pdp_status wait_for_all(pdp_device *device, pdp_error *error) {
    const opencl *o = device->state;
    cl_int code = o->f.clFinish(o->queue);
    return code == CL_SUCCESS ? PDP_OK : fail(device, "clFinish", code, 0, error);
}

/* OpenCL does not tell. */
static pdp_status count_resident(pdp_device *device, void *handle, const char *kernel, uint32_t threads,
                                 uint32_t *groups, pdp_error *error) {
    cl_kernel found_kernel;
    (void)threads;
    *groups = device->units;
    return find_kernel(device, handle, kernel, &found_kernel, error);
}

static pdp_status mark(pdp_device *device, int which, pdp_error *error) {
    opencl *o = device->state;
    if (o->marks[which]) {
        o->f.clReleaseEvent(o->marks[which]);
        o->marks[which] = NULL;
    }
    cl_int code = o->f.clEnqueueMarkerWithWaitList(o->queue, 0, NULL, &o->marks[which]);
    return code == CL_SUCCESS ? PDP_OK : fail(device, "clEnqueueMarkerWithWaitList", code, 0, error);
}

static pdp_status find_elapsed(pdp_device *device, double *milliseconds, pdp_error *error) {
    const opencl *o = device->state;
    cl_ulong times[2]; /* nanoseconds */
    for (int i = 0; i < 2; i++) {
        cl_int code =
            o->f.clGetEventProfilingInfo(o->marks[i], CL_PROFILING_COMMAND_END, sizeof *times, &times[i], NULL);
        if (code != CL_SUCCESS) {
            return fail(device, "clGetEventProfilingInfo", code, 0, error);
        }
    }
    *milliseconds = 1e-6 * (double)(times[1] - times[0]);
    return PDP_OK;
}

const pdp_device_calls pdp_opencl_calls = {.name = "opencl",
                                           .open = open_opencl,
                                           .close = close_opencl,
                                           .free_memory = find_free_memory,
                                           .allocate = allocate,
                                           .release = release,
                                           .write = write_buffer,
                                           .read = read_buffer,
                                           .clear = clear,
                                           .load = load,
                                           .unload = unload,
                                           .launch = launch_kernel,
                                           .wait = wait_for_all,
                                           .count_resident = count_resident,
                                           .mark = mark,
                                           .elapsed = find_elapsed};

#else

static pdp_status refuse(pdp_device *device, pdp_error *error) {
    (void)device;
    return pdp_error_set(error, PDP_DEVICE, "this build has no OpenCL: the headers were not there");
}

static void close_nothing(pdp_device *device) {
    (void)device;
}

/* A device that did not open gets no other call. */
const pdp_device_calls pdp_opencl_calls = {.name = "opencl", .open = refuse, .close = close_nothing};

#endif
