/* NVIDIA GPUs, by CUDA's driver. The device's primary context, which other users of CUDA in this process share, is
 * current during our calls alone, so any thread may make them. All work goes through the default stream. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compile/module.h"
#include "core/memory.h"
#include "gpu/cuda_api.h"
#include "gpu/device.h"
#include "gpu/nvrtc.h"

typedef struct cuda {
    pdp_cuda_driver driver;
    pdp_nvrtc nvrtc; /* opened when it is first needed */
    int version;     /* of the driver: 13000 is 13.0 */
    pdp_cuda_ordinal ordinal;
    pdp_cuda_context context;
    pdp_cuda_event events[2];
} cuda;

enum { KERNELS = 16, KERNEL_NAME = 48 };

typedef struct cuda_program {
    pdp_cuda_module modules[PDP_NVRTC_PARTS]; /* NULL behind the last */
    pdp_blob images[PDP_NVRTC_PARTS];         /* that they were loaded from, if the text was compiled */
    int count;                                /* of the kernels that were already looked up */
    char names[KERNELS][KERNEL_NAME];
    pdp_cuda_function functions[KERNELS];
    unsigned shared[KERNELS]; /* bytes of a group's memory that are given at the launch */
} cuda_program;

/* ---- Errors ------------------------------------------------------------------------------------ */

#define LOST "the device is lost to this process; the CPU still works"
#define FOREIGN "the driver does not take this code: update it, or name an older NVRTC by PIPEDP_NVRTC"

typedef struct code_advice {
    pdp_cuda_code first, last;
    bool is_fatal; /* the context is broken for good: every further call would fail with the same code */
    const char *text;
} code_advice;

static const code_advice advices[] = {
    {2, 2, false, "the device's memory is taken: free some, or use --backend cpu"},
    {3, 3, false, "the driver did not start: see if nvidia-smi works, or use --backend cpu"},
    {4, 4, true, LOST},
    {34, 34, false, "this libcuda.so.1 is the toolkit's stub: let the loader find the driver's own first"},
    {35, 36, false, "the driver is too old: update it, or use --backend cpu"},
    {46, 46, false, "another process has the device for itself: wait for it, or use --backend cpu"},
    {100, 100, false, "there is no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it: use --backend cpu"},
    {101, 101, false, "CUDA_VISIBLE_DEVICES names no GPU that is there: change it, or use --backend cpu"},
    {200, 200, false, FOREIGN},
    {209, 209, false, FOREIGN},
    {214, 214, true, "a memory error of the hardware, see nvidia-smi -q; " LOST},
    {218, 218, false, FOREIGN},
    {220, 220, true, "an error of the hardware, see nvidia-smi -q; " LOST},
    {221, 221, false, "libnvidia-ptxjitcompiler.so is missing: it comes with the driver"},
    {222, 222, false, FOREIGN},
    {226, 226, true, LOST},
    {304, 304, false, "the operating system refused: see if this user may open /dev/nvidia*, or use --backend cpu"},
    {700, 700, true, LOST},
    {701, 701, false, "this GPU has too few registers or too little shared memory: use --backend cpu"},
    {702, 702, true, "a kernel ran longer than the display's watchdog allows; " LOST},
    {709, 710, true, LOST},
    {714, 719, true, LOST},
    {721, 721, true, LOST},
    {802, 802, false, "the system is still starting, or its fabric manager does not run: try again later"},
    {803, 803, false, "the driver's library and its kernel module differ: restart the machine after an update"},
    {804, 804, false, "this GPU does not take a compatibility driver: use the installed one, or --backend cpu"},
    {805, 809, false, "the MPS server does not answer or is full: see its log, or use --backend cpu"},
    {810, 810, true, LOST},
    {999, 999, true, "the driver does not say why, see if nvidia-smi works; " LOST},
};

static const code_advice *find_advice(pdp_cuda_code code) {
    static const code_advice other = {0, 0, false, "use --backend cpu, which needs no driver"};
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++) {
        if (code >= advices[i].first && code <= advices[i].last) {
            return &advices[i];
        }
    }
    return &other;
}

/* Every call's code comes here. */
static pdp_status check(pdp_device *device, const char *call, pdp_cuda_code code, pdp_error *error) {
    if (code == 0) {
        return PDP_OK;
    }
    const cuda *state = device->state;
    const char *name = NULL;
    if (state->driver.cuGetErrorName(code, &name) != 0 || !name) {
        name = "an unknown code";
    }
    const code_advice *advice = find_advice(code);
    device->is_lost = device->is_lost || advice->is_fatal;
    return pdp_error_set(error, code == PDP_CUDA_OUT_OF_MEMORY ? PDP_NO_MEMORY : PDP_DEVICE,
                         "%s failed with %u (%s): %s", call, code, name, advice->text);
}

#define CALL(name, ...) check(device, #name, ((cuda *)device->state)->driver.name(__VA_ARGS__), error)

/* ---- The context ------------------------------------------------------------------------------- */

static pdp_status enter(pdp_device *device, pdp_error *error) {
    const cuda *state = device->state;
    if (device->is_lost) {
        return pdp_error_set(error, PDP_DEVICE, "%s: " LOST, device->name);
    }
    return CALL(cuCtxPushCurrent_v2, state->context);
}

/* Gives back the status, unless leaving is all that failed. */
static pdp_status leave(pdp_device *device, pdp_status status, pdp_error *error) {
    const cuda *state = device->state;
    pdp_cuda_context context;
    pdp_error second;
    pdp_status left = check(device, "cuCtxPopCurrent_v2", state->driver.cuCtxPopCurrent_v2(&context),
                            status == PDP_OK ? error : &second);
    return status == PDP_OK ? left : status;
}

/* Gives back what is not NULL or 0. That is tried on a lost device too, and there is nobody to tell if it fails. */
static void give_back(pdp_device *device, pdp_buffer buffer, pdp_cuda_module module, const pdp_cuda_event events[2]) {
    const cuda *state = device->state;
    pdp_error nobody;
    pdp_error *error = &nobody;
    bool is_inside = CALL(cuCtxPushCurrent_v2, state->context) == PDP_OK;
    if (buffer) {
        (void)CALL(cuMemFree_v2, buffer);
    }
    if (module) {
        (void)CALL(cuModuleUnload, module);
    }
    for (int i = 0; events && i < 2; i++) {
        if (events[i]) {
            (void)CALL(cuEventDestroy_v2, events[i]);
        }
    }
    if (is_inside) {
        (void)leave(device, PDP_OK, error);
    }
}

/* ---- Opening and closing ----------------------------------------------------------------------- */

/* The first device: CUDA_VISIBLE_DEVICES says which one that is. */
static pdp_status describe(pdp_device *device, pdp_error *error) {
    cuda *state = device->state;
    size_t bytes = 0;
    int units = 0;
    if (CALL(cuInit, 0) != PDP_OK || CALL(cuDriverGetVersion, &state->version) != PDP_OK ||
        CALL(cuDeviceGet, &state->ordinal, 0) != PDP_OK ||
        CALL(cuDeviceGetName, device->name, sizeof device->name, state->ordinal) != PDP_OK ||
        CALL(cuDeviceTotalMem_v2, &bytes, state->ordinal) != PDP_OK ||
        CALL(cuDeviceGetAttribute, &units, PDP_CUDA_MULTIPROCESSORS, state->ordinal) != PDP_OK ||
        CALL(cuDeviceGetAttribute, &device->capability[0], PDP_CUDA_CAPABILITY_MAJOR, state->ordinal) != PDP_OK ||
        CALL(cuDeviceGetAttribute, &device->capability[1], PDP_CUDA_CAPABILITY_MINOR, state->ordinal) != PDP_OK) {
        return error->status;
    }
    if (device->capability[0] < 7) {
        return pdp_error_set(error, PDP_DEVICE,
                             "%s has compute capability %d.%d, and the kernels need 7.0: use --backend cpu",
                             device->name, device->capability[0], device->capability[1]);
    }
    snprintf(device->driver, sizeof device->driver, "CUDA %d.%d", state->version / 1000, state->version % 1000 / 10);
    device->memory_total = bytes;
    device->units = (uint32_t)units;
    device->groups_meet = true;
    return PDP_OK;
}

static pdp_status cuda_open(pdp_device *device, pdp_error *error) {
    cuda *state = pdp_array_allocate(1, sizeof *state, error);
    device->state = state;
    if (!state) {
        return error->status;
    }
    if (pdp_cuda_driver_open(&state->driver, error) != PDP_OK || describe(device, error) != PDP_OK ||
        CALL(cuDevicePrimaryCtxRetain, &state->context, state->ordinal) != PDP_OK || enter(device, error) != PDP_OK) {
        return error->status;
    }
    pdp_status status = CALL(cuEventCreate, &state->events[0], 0);
    if (status == PDP_OK) {
        status = CALL(cuEventCreate, &state->events[1], 0);
    }
    return leave(device, status, error);
}

static void cuda_close(pdp_device *device) {
    cuda *state = device->state;
    if (!state) {
        return;
    }
    if (state->context) {
        pdp_error nobody;
        pdp_error *error = &nobody;
        give_back(device, 0, NULL, state->events);
        (void)CALL(cuDevicePrimaryCtxRelease_v2, state->ordinal);
    }
    pdp_cuda_library_close(state->nvrtc.library);
    pdp_cuda_library_close(state->driver.library);
    free(state);
    device->state = NULL;
}

/* ---- Memory ------------------------------------------------------------------------------------ */

static pdp_status cuda_free_memory(pdp_device *device, uint64_t *bytes, pdp_error *error) {
    size_t free_bytes = 0;
    size_t total = 0;
    pdp_status status = enter(device, error);
    if (status == PDP_OK) {
        status = leave(device, CALL(cuMemGetInfo_v2, &free_bytes, &total), error);
    }
    *bytes = free_bytes;
    return status;
}

static void cuda_release(pdp_device *device, pdp_buffer buffer) {
    give_back(device, buffer, NULL, NULL);
}

/* In the context. Also where so much is free, it may not be in one piece. */
static pdp_status take(pdp_device *device, pdp_cuda_address *out, uint64_t bytes, pdp_error *error) {
    const cuda *state = device->state;
    size_t free_bytes = 0;
    size_t total = 0;
    pdp_status status = CALL(cuMemGetInfo_v2, &free_bytes, &total);
    if (status != PDP_OK) {
        return status;
    }
    pdp_cuda_code code = PDP_CUDA_OUT_OF_MEMORY;
    if (bytes <= free_bytes) {
        code = state->driver.cuMemAlloc_v2(out, bytes > 0 ? bytes : 1);
    }
    if (code != PDP_CUDA_OUT_OF_MEMORY) {
        return check(device, "cuMemAlloc_v2", code, error);
    }
    return pdp_error_set(error, PDP_NO_MEMORY, "this needs %" PRIu64 " bytes of device memory, and %zu are free%s",
                         bytes, free_bytes,
                         bytes <= free_bytes ? ", not in one piece (cuMemAlloc_v2 failed with 2)" : "");
}

static pdp_status cuda_allocate(pdp_device *device, pdp_buffer *out, uint64_t bytes, pdp_error *error) {
    pdp_cuda_address address = 0;
    *out = 0;
    pdp_status status = enter(device, error);
    if (status == PDP_OK) {
        status = leave(device, take(device, &address, bytes, error), error);
    }
    if (status == PDP_OK) {
        *out = address;
    } else if (address) {
        cuda_release(device, address);
    }
    return status;
}

static pdp_status cuda_write(pdp_device *device, pdp_buffer buffer, uint64_t at, const void *from, uint64_t bytes,
                             pdp_error *error) {
    pdp_status status = enter(device, error);
    return status == PDP_OK ? leave(device, CALL(cuMemcpyHtoD_v2, buffer + at, from, bytes), error) : status;
}

static pdp_status cuda_read(pdp_device *device, pdp_buffer buffer, uint64_t at, void *to, uint64_t bytes,
                            pdp_error *error) {
    pdp_status status = enter(device, error);
    return status == PDP_OK ? leave(device, CALL(cuMemcpyDtoH_v2, to, buffer + at, bytes), error) : status;
}

static pdp_status cuda_clear(pdp_device *device, pdp_buffer buffer, uint64_t at, uint64_t bytes, pdp_error *error) {
    pdp_status status = enter(device, error);
    return status == PDP_OK ? leave(device, CALL(cuMemsetD8Async, buffer + at, 0, bytes, NULL), error) : status;
}

/* ---- Programs ---------------------------------------------------------------------------------- */

/* *is_foreign: the driver finds nothing in the image that is for this device. */
static pdp_status load_image(pdp_device *device, pdp_cuda_module *module, const void *image, bool *is_foreign,
                             pdp_error *error) {
    const cuda *state = device->state;
    *is_foreign = false;
    pdp_status status = enter(device, error);
    if (status == PDP_OK) {
        pdp_cuda_code code = state->driver.cuModuleLoadData(module, image);
        *is_foreign = code == PDP_CUDA_INVALID_IMAGE || code == PDP_CUDA_NO_BINARY_FOR_GPU ||
                      code == PDP_CUDA_UNSUPPORTED_PTX_VERSION;
        status = leave(device, check(device, "cuModuleLoadData", code, error), error);
    }
    return status;
}

static pdp_status load_images(pdp_device *device, cuda_program *program, bool *is_foreign, pdp_error *error) {
    pdp_status status = PDP_OK;
    *is_foreign = false;
    for (int i = 0; i < PDP_NVRTC_PARTS && status == PDP_OK && program->images[i].data; i++) {
        status = load_image(device, &program->modules[i], program->images[i].data, is_foreign, error);
    }
    return status;
}

static void drop_images(pdp_device *device, cuda_program *program) {
    for (int i = 0; i < PDP_NVRTC_PARTS; i++) {
        if (program->modules[i]) {
            give_back(device, 0, program->modules[i], NULL);
        }
        free(program->images[i].data);
        program->modules[i] = NULL;
        program->images[i] = (pdp_blob){NULL, 0};
    }
}

/* What was compiled once, also by another process; false, without an error, if it is to be compiled. */
static bool load_cached(pdp_device *device, cuda_program *program, const char *text, size_t length, pdp_error *error) {
    bool is_foreign = true;
    pdp_error first = {0};
    if (!pdp_nvrtc_find(device->capability, text, length, program->images)) {
        return false;
    }
    if (load_images(device, program, &is_foreign, &first) != PDP_OK) {
        drop_images(device, program);
        if (!is_foreign) { /* it will not be better later */
            *error = first;
            return true;
        }
        return false;
    }
    return true;
}

static pdp_status load_text(pdp_device *device, cuda_program *program, const char *text, size_t length,
                            pdp_error *error) {
    cuda *state = device->state;
    bool is_foreign;
    if (pdp_module_is_off()) {
        return pdp_error_set(error, PDP_DEVICE,
                             "compiling is switched off by PIPEDP_COMPILE=0, and these kernels were not built in for "
                             "%s: use --backend cpu",
                             device->name);
    }
    if (load_cached(device, program, text, length, error)) {
        return error->status;
    }
    pdp_status status = PDP_OK;
    if (!state->nvrtc.library) {
        status = pdp_nvrtc_open(&state->nvrtc, state->version / 1000, error);
    }
    if (status == PDP_OK) {
        status = pdp_nvrtc_compile(&state->nvrtc, device->capability, text, length, program->images, error);
    }
    return status == PDP_OK ? load_images(device, program, &is_foreign, error) : status;
}

static void cuda_unload(pdp_device *device, void *handle) {
    drop_images(device, handle);
    free(handle);
}

static bool cuda_is_compiled(pdp_device *device, const char *text, size_t length) {
    pdp_blob images[PDP_NVRTC_PARTS];
    const bool found = pdp_nvrtc_find(device->capability, text, length, images);
    for (int i = 0; i < PDP_NVRTC_PARTS && found; i++) {
        free(images[i].data);
    }
    return found;
}

static pdp_status cuda_load(pdp_device *device, void **handle, const char *text, size_t length, const void *prebuilt,
                            size_t prebuilt_size, pdp_error *error) {
    (void)prebuilt_size; /* the image knows it */
    *handle = NULL;
    cuda_program *program = pdp_array_allocate(1, sizeof *program, error);
    if (!program) {
        return error->status;
    }
    bool is_foreign = true;
    pdp_status status = PDP_OK;
    if (prebuilt) {
        pdp_error first; /* not an error if the text helps */
        status = load_image(device, &program->modules[0], prebuilt, &is_foreign, &first);
        if (status != PDP_OK && !is_foreign) {
            *error = first;
        }
    }
    if (is_foreign) {
        status = load_text(device, program, text, length, error);
    }
    if (status != PDP_OK) {
        cuda_unload(device, program);
        return status;
    }
    *handle = program;
    return PDP_OK;
}

/* Of the group's memory a text may declare only so much; what a kernel wants beyond that stands in a variable beside it
 * (POOL in kernels/device.h). */
static pdp_status find_shared(pdp_device *device, pdp_cuda_module module, const char *name, pdp_cuda_function function,
                              unsigned *bytes, pdp_error *error) {
    char variable[KERNEL_NAME + 8];
    pdp_cuda_address address = 0;
    size_t size = 0;
    *bytes = 0;
    snprintf(variable, sizeof variable, "%s_shared", name);
    if (CALL(cuModuleGetGlobal_v2, &address, &size, module, variable) != PDP_OK ||
        CALL(cuMemcpyDtoH_v2, bytes, address, sizeof *bytes) != PDP_OK) {
        return error->status;
    }
    return CALL(cuFuncSetAttribute, function, PDP_CUDA_DYNAMIC_SHARED_BYTES, (int)*bytes);
}

/* The part in whose code a kernel's name is; the first if that cannot be seen. The driver could be asked for it in
 * every part, but what looks for errors of programs would take its answers for some. */
static int find_part(const cuda_program *program, const char *name) {
    for (int i = 0; i < PDP_NVRTC_PARTS && program->images[i].data; i++) {
        if (memmem(program->images[i].data, program->images[i].size, name, strlen(name) + 1)) {
            return i;
        }
    }
    return 0;
}

/* In the context. Kernels that were asked for are remembered: looking up takes as long as a short launch. */
static pdp_status find_kernel(pdp_device *device, cuda_program *program, const char *name, int *out, pdp_error *error) {
    for (*out = 0; *out < program->count; (*out)++) {
        if (strcmp(program->names[*out], name) == 0) {
            return PDP_OK;
        }
    }
    if (program->count == KERNELS || strlen(name) >= KERNEL_NAME) {
        return pdp_error_set(error, PDP_DEVICE, "kernel '%.40s': no room for its name", name);
    }
    const cuda *state = device->state;
    pdp_cuda_function *function = &program->functions[*out];
    int part = find_part(program, name);
    pdp_cuda_code code = state->driver.cuModuleGetFunction(function, program->modules[part], name);
    while (code == PDP_CUDA_NOT_FOUND && part + 1 < PDP_NVRTC_PARTS && program->modules[part + 1]) {
        code = state->driver.cuModuleGetFunction(function, program->modules[++part], name);
    }
    if (check(device, "cuModuleGetFunction", code, error) != PDP_OK ||
        find_shared(device, program->modules[part], name, *function, &program->shared[*out], error) != PDP_OK) {
        return error->status;
    }
    memcpy(program->names[program->count++], name, strlen(name) + 1);
    return PDP_OK;
}

static pdp_status launch_inside(pdp_device *device, cuda_program *program, const pdp_launch *launch, pdp_error *error) {
    pdp_launch copy = *launch;
    void *arguments[1 + PDP_LAUNCH_BUFFERS + PDP_LAUNCH_NUMBERS] = {&copy.data};
    for (int i = 0; i < PDP_LAUNCH_BUFFERS; i++) {
        arguments[1 + i] = &copy.buffers[i];
    }
    for (int i = 0; i < PDP_LAUNCH_NUMBERS; i++) {
        arguments[1 + PDP_LAUNCH_BUFFERS + i] = &copy.numbers[i];
    }
    int kernel = 0;
    pdp_status status = find_kernel(device, program, launch->kernel, &kernel, error);
    return status == PDP_OK ? CALL(cuLaunchKernel, program->functions[kernel], launch->groups, 1, 1, launch->threads, 1,
                                   1, program->shared[kernel], NULL, arguments, NULL)
                            : status;
}

static pdp_status cuda_launch(pdp_device *device, void *handle, const pdp_launch *launch, pdp_error *error) {
    pdp_status status = enter(device, error);
    return status == PDP_OK ? leave(device, launch_inside(device, handle, launch, error), error) : status;
}

static pdp_status cuda_wait(pdp_device *device, pdp_error *error) {
    pdp_status status = enter(device, error);
    return status == PDP_OK ? leave(device, CALL(cuStreamSynchronize, NULL), error) : status;
}

static pdp_status cuda_count_resident(pdp_device *device, void *handle, const char *kernel, uint32_t threads,
                                      uint32_t *groups, pdp_error *error) {
    cuda_program *program = handle;
    int at = 0;
    int count = 0;
    pdp_status status = enter(device, error);
    if (status == PDP_OK) {
        status = find_kernel(device, program, kernel, &at, error);
        if (status == PDP_OK) {
            status = CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, &count, program->functions[at], (int)threads,
                          program->shared[at]);
        }
        status = leave(device, status, error);
    }
    *groups = (uint32_t)count * device->units;
    return status;
}

/* ---- Time -------------------------------------------------------------------------------------- */

static pdp_status cuda_mark(pdp_device *device, int which, pdp_error *error) {
    const cuda *state = device->state;
    pdp_status status = enter(device, error);
    return status == PDP_OK ? leave(device, CALL(cuEventRecord, state->events[which], NULL), error) : status;
}

static pdp_status cuda_elapsed(pdp_device *device, double *milliseconds, pdp_error *error) {
    const cuda *state = device->state;
    float found = 0;
    pdp_status status = enter(device, error);
    if (status == PDP_OK) {
        status = leave(device, CALL(cuEventElapsedTime, &found, state->events[0], state->events[1]), error);
    }
    *milliseconds = (double)found;
    return status;
}

const pdp_device_calls pdp_cuda_calls = {
    .name = "cuda",
    .open = cuda_open,
    .close = cuda_close,
    .free_memory = cuda_free_memory,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .write = cuda_write,
    .read = cuda_read,
    .clear = cuda_clear,
    .load = cuda_load,
    .unload = cuda_unload,
    .is_compiled = cuda_is_compiled,
    .launch = cuda_launch,
    .wait = cuda_wait,
    .count_resident = cuda_count_resident,
    .mark = cuda_mark,
    .elapsed = cuda_elapsed,
};
