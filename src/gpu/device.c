/* Devices as the public header has them, and the programs they have loaded. */
#include "gpu/device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/kernel.h"
#include "gpu/prebuilt.h"

struct pdp_program {
    pdp_program *next;
    pdp_device *device;
    void *handle; /* the backend's */
    char key[PDP_KEY_SIZE];
};

static const pdp_device_calls *const backends[] = {&pdp_cuda_calls, &pdp_opencl_calls, &pdp_host_calls, NULL};

pdp_status pdp_device_open(pdp_device **out, const char *backend) {
    pdp_device *device = *out = calloc(1, sizeof *device);
    if (!device) {
        return PDP_NO_MEMORY;
    }
    pthread_mutex_init(&device->mutex, NULL);
    for (size_t x = 0; backend && backends[x]; x++) {
        if (strcmp(backends[x]->name, backend) == 0) {
            device->calls = backends[x];
            return device->calls->open(device, &device->error);
        }
    }
    return pdp_error_set(&device->error, PDP_BAD_INPUT, "backend '%.40s' is not known; there are cuda, opencl, host",
                         backend ? backend : "");
}

void pdp_device_free(pdp_device *device) {
    if (!device) {
        return;
    }
    while (device->programs) {
        pdp_program *program = device->programs;
        device->programs = program->next;
        device->calls->unload(device, program->handle);
        free(program);
    }
    if (device->calls) {
        device->calls->close(device);
    }
    pthread_mutex_destroy(&device->mutex);
    free(device);
}

static bool is_good(const pdp_device *device) {
    return device && device->calls && device->error.status == PDP_OK;
}

const char *pdp_device_error(const pdp_device *device) {
    return device ? device->error.text : "out of memory";
}

const char *pdp_device_backend(const pdp_device *device) {
    return is_good(device) ? device->calls->name : "";
}

const char *pdp_device_name(const pdp_device *device) {
    return is_good(device) ? device->name : "";
}

const char *pdp_device_driver(const pdp_device *device) {
    return is_good(device) ? device->driver : "";
}

int pdp_device_capability(const pdp_device *device) {
    return is_good(device) ? 10 * device->capability[0] + device->capability[1] : 0;
}

int pdp_device_units(const pdp_device *device) {
    return is_good(device) ? (int)device->units : 0;
}

uint64_t pdp_device_memory(const pdp_device *device) {
    return is_good(device) ? device->memory_total : 0;
}

uint64_t pdp_device_memory_free(pdp_device *device) {
    pdp_error error = {0};
    uint64_t bytes = 0;
    return is_good(device) && pdp_device_count_free(device, &bytes, &error) == PDP_OK ? bytes : 0;
}

/* No call is made to a device that is lost. */
static pdp_status check(const pdp_device *device, pdp_error *error) {
    return device->is_lost
               ? pdp_error_set(error, PDP_DEVICE,
                               "%s: the device was lost after a fault; a new process can use it again", device->name)
               : PDP_OK;
}

/* ---- Programs ---- */

static pdp_program *find_loaded(const pdp_device *device, const char *key) {
    pdp_program *program = device->programs;
    while (program && strcmp(program->key, key) != 0) {
        program = program->next;
    }
    return program;
}

/* NULL if there is none. */
static const pdp_prebuilt *find_prebuilt(const char *key) {
    const pdp_prebuilt *const *prebuilt = pdp_prebuilt_images;
    while (*prebuilt && strcmp((*prebuilt)->key, key) != 0) {
        prebuilt++;
    }
    return *prebuilt;
}

bool pdp_program_is_compiled(pdp_device *device, const char *text, size_t length) {
    char key[PDP_KEY_SIZE];
    pdp_kernel_key(key, text, length);
    return !device->calls->is_compiled || find_loaded(device, key) || find_prebuilt(key) ||
           device->calls->is_compiled(device, text, length);
}

pdp_status pdp_program_open(pdp_program **out, pdp_device *device, const char *text, size_t length, pdp_error *error) {
    char key[PDP_KEY_SIZE];
    pdp_kernel_key(key, text, length);
    *out = find_loaded(device, key);
    if (*out) {
        return PDP_OK;
    }
    const pdp_prebuilt *prebuilt = find_prebuilt(key);
    const char *image = prebuilt ? prebuilt->begin : NULL;
    const size_t image_size = prebuilt ? (size_t)(prebuilt->end - image) : 0;
    pdp_program *program = calloc(1, sizeof *program);
    if (!program) {
        return pdp_error_set_no_memory(error, sizeof *program);
    }
    pdp_status status = check(device, error);
    if (status == PDP_OK) {
        status = device->calls->load(device, &program->handle, text, length, image, image_size, error);
    }
    if (status != PDP_OK) {
        free(program);
        return status;
    }
    program->device = device;
    memcpy(program->key, key, sizeof key);
    program->next = device->programs;
    *out = device->programs = program;
    return PDP_OK;
}

/* ---- Calls ---- */

pdp_status pdp_device_allocate(pdp_device *device, pdp_buffer *out, uint64_t bytes, pdp_error *error) {
    *out = 0;
    return check(device, error) != PDP_OK ? error->status : device->calls->allocate(device, out, bytes, error);
}

void pdp_device_release(pdp_device *device, pdp_buffer buffer) {
    if (buffer) {
        device->calls->release(device, buffer);
    }
}

pdp_status pdp_device_write(pdp_device *device, pdp_buffer buffer, uint64_t at, const void *from, uint64_t bytes,
                            pdp_error *error) {
    return check(device, error) != PDP_OK ? error->status
                                          : device->calls->write(device, buffer, at, from, bytes, error);
}

pdp_status pdp_device_read(pdp_device *device, pdp_buffer buffer, uint64_t at, void *to, uint64_t bytes,
                           pdp_error *error) {
    return check(device, error) != PDP_OK ? error->status : device->calls->read(device, buffer, at, to, bytes, error);
}

pdp_status pdp_device_clear(pdp_device *device, pdp_buffer buffer, uint64_t at, uint64_t bytes, pdp_error *error) {
    return check(device, error) != PDP_OK ? error->status : device->calls->clear(device, buffer, at, bytes, error);
}

pdp_status pdp_device_launch(pdp_device *device, const pdp_program *program, const pdp_launch *launch,
                             pdp_error *error) {
    return check(device, error) != PDP_OK ? error->status
                                          : device->calls->launch(device, program->handle, launch, error);
}

pdp_status pdp_device_wait(pdp_device *device, pdp_error *error) {
    return check(device, error) != PDP_OK ? error->status : device->calls->wait(device, error);
}

pdp_status pdp_device_mark(pdp_device *device, int which, pdp_error *error) {
    return check(device, error) != PDP_OK ? error->status : device->calls->mark(device, which, error);
}

pdp_status pdp_device_elapsed(pdp_device *device, double *milliseconds, pdp_error *error) {
    return check(device, error) != PDP_OK ? error->status : device->calls->elapsed(device, milliseconds, error);
}

pdp_status pdp_program_count_resident(const pdp_program *program, const char *kernel, uint32_t threads,
                                      uint32_t *groups, pdp_error *error) {
    pdp_device *device = program->device;
    return check(device, error) != PDP_OK
               ? error->status
               : device->calls->count_resident(device, program->handle, kernel, threads, groups, error);
}

pdp_status pdp_device_count_free(pdp_device *device, uint64_t *bytes, pdp_error *error) {
    pdp_device_lock(device);
    pdp_status status = check(device, error);
    if (status == PDP_OK) {
        status = device->calls->free_memory(device, bytes, error);
    }
    pdp_device_unlock(device);
    return status;
}

void pdp_device_lock(pdp_device *device) {
    pthread_mutex_lock(&device->mutex);
}

void pdp_device_unlock(pdp_device *device) {
    pthread_mutex_unlock(&device->mutex);
}
