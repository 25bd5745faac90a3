/* A device that runs kernels: an NVIDIA GPU by CUDA's driver, what OpenCL offers, or fibres of this process, on which
 * kernels are tested where there is no GPU. All run the same texts (kernels/), whose kernels all have the same
 * arguments: the problem's data, some buffers, some numbers.
 *
 * Calls are made in order, one after the other: pdp_device_lock is for who shares a device. Launches return at once;
 * what they do is done after pdp_device_wait or pdp_device_read, and a fault that they met is reported there. */
#ifndef PDP_GPU_DEVICE_H
#define PDP_GPU_DEVICE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "pipedp.h"

typedef uint64_t pdp_buffer; /* memory of a device; 0: none */
typedef struct pdp_program pdp_program;

enum { PDP_LAUNCH_BUFFERS = 5, PDP_LAUNCH_NUMBERS = 6 };

typedef struct pdp_launch {
    const char *kernel; /* its name in the program */
    uint32_t groups;
    uint32_t threads; /* a group, as the kernel's head has it */
    pdp_buffer data;  /* 0: none */
    pdp_buffer buffers[PDP_LAUNCH_BUFFERS];
    int64_t numbers[PDP_LAUNCH_NUMBERS];
} pdp_launch;

/* What a backend can do. Every call that returns a status has set the error if it is not PDP_OK: PDP_NO_MEMORY with the
 * bytes wanted and free, PDP_DEVICE for everything else that the device's driver refused, with the call's name, its
 * code and what the user can do. After a fault that the device does not survive, every further call is PDP_DEVICE. */
typedef struct pdp_device_calls {
    const char *name; /* "cuda", "opencl", "host" */
    pdp_status (*open)(pdp_device *device, pdp_error *error);
    void (*close)(pdp_device *device); /* what open has made; also after it failed */
    pdp_status (*free_memory)(pdp_device *device, uint64_t *bytes, pdp_error *error);
    pdp_status (*allocate)(pdp_device *device, pdp_buffer *out, uint64_t bytes, pdp_error *error);
    void (*release)(pdp_device *device, pdp_buffer buffer);
    pdp_status (*write)(pdp_device *device, pdp_buffer buffer, uint64_t at, const void *from, uint64_t bytes,
                        pdp_error *error);
    pdp_status (*read)(pdp_device *device, pdp_buffer buffer, uint64_t at, void *to, uint64_t bytes, pdp_error *error);
    pdp_status (*clear)(pdp_device *device, pdp_buffer buffer, uint64_t at, uint64_t bytes, pdp_error *error);
    /* The text's kernels, compiled (or taken from a cache on disk) and loaded. `prebuilt` is what the build made of the
     * text for this backend, or NULL. *handle is the backend's. */
    pdp_status (*load)(pdp_device *device, void **handle, const char *text, size_t length, const void *prebuilt,
                       size_t prebuilt_size, pdp_error *error);
    void (*unload)(pdp_device *device, void *handle);
    /* Whether a load would not have to compile the text; NULL where that takes no time worth knowing of. */
    bool (*is_compiled)(pdp_device *device, const char *text, size_t length);
    pdp_status (*launch)(pdp_device *device, void *handle, const pdp_launch *launch, pdp_error *error);
    pdp_status (*wait)(pdp_device *device, pdp_error *error);
    /* How many groups of a kernel run at once. */
    pdp_status (*count_resident)(pdp_device *device, void *handle, const char *kernel, uint32_t threads,
                                 uint32_t *groups, pdp_error *error);
    /* Remembers this moment of the device's work, 0 or 1; milliseconds between the two, after a wait. */
    pdp_status (*mark)(pdp_device *device, int which, pdp_error *error);
    pdp_status (*elapsed)(pdp_device *device, double *milliseconds, pdp_error *error);
} pdp_device_calls;

extern const pdp_device_calls pdp_cuda_calls;
extern const pdp_device_calls pdp_opencl_calls;
extern const pdp_device_calls pdp_host_calls;

/* The public pdp_device. */
struct pdp_device {
    const pdp_device_calls *calls; /* NULL if it was never opened */
    void *state;                   /* the backend's */
    bool is_lost;
    /* Set by open. */
    char name[128];
    char driver[64];
    uint64_t memory_total;
    int capability[2];       /* of an NVIDIA GPU; 0 otherwise */
    uint32_t units;          /* multiprocessors */
    bool groups_meet;        /* groups that run at once can wait for each other */
    double pace;             /* updates a second, about: how often a run reports; 0: a fast GPU's */
    double quick_seconds;    /* that runs of quick kernels have taken, about */
    bool lacks_wide_atomics; /* of 64 bits: OpenCL without cl_khr_int64_base_atomics */
    pdp_program *programs;   /* loaded */
    pthread_mutex_t mutex;
    pdp_error error;
};

/* ---- Programs ---- */

/* Finds the text's program among those that the device has already loaded, or loads it; it stays with the device. */
pdp_status pdp_program_open(pdp_program **out, pdp_device *device, const char *text, size_t length, pdp_error *error);

/* Whether that takes no compiler. */
bool pdp_program_is_compiled(pdp_device *device, const char *text, size_t length);

/* ---- The calls, checked ---- */

pdp_status pdp_device_allocate(pdp_device *device, pdp_buffer *out, uint64_t bytes, pdp_error *error);
void pdp_device_release(pdp_device *device, pdp_buffer buffer); /* takes 0 */
pdp_status pdp_device_write(pdp_device *device, pdp_buffer buffer, uint64_t at, const void *from, uint64_t bytes,
                            pdp_error *error);
pdp_status pdp_device_read(pdp_device *device, pdp_buffer buffer, uint64_t at, void *to, uint64_t bytes,
                           pdp_error *error);
pdp_status pdp_device_clear(pdp_device *device, pdp_buffer buffer, uint64_t at, uint64_t bytes, pdp_error *error);
pdp_status pdp_device_launch(pdp_device *device, const pdp_program *program, const pdp_launch *launch,
                             pdp_error *error);
pdp_status pdp_device_wait(pdp_device *device, pdp_error *error);
pdp_status pdp_device_mark(pdp_device *device, int which, pdp_error *error);
pdp_status pdp_device_elapsed(pdp_device *device, double *milliseconds, pdp_error *error);
pdp_status pdp_program_count_resident(const pdp_program *program, const char *kernel, uint32_t threads,
                                      uint32_t *groups, pdp_error *error);

/* Bytes that are free. */
pdp_status pdp_device_count_free(pdp_device *device, uint64_t *bytes, pdp_error *error);

/* For one run at a time. */
void pdp_device_lock(pdp_device *device);
void pdp_device_unlock(pdp_device *device);

#endif
