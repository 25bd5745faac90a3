/* Kernels as plain C on fibres of the calling thread: slow, and made to bring faults to light. The threads of a few
 * groups run in an order drawn from a seed, each until it waits; memory of a device or of a group begins as rubbish; a
 * barrier that some threads never reach is an error. */
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "compile/module.h"
#include "core/clock.h"
#include "core/memory.h"
#include "gpu/device.h"

#if !defined(__x86_64__) || defined(__CET__)
#include <ucontext.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#endif
#if defined(HAS_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/* What the kernels are compiled with: the build names its sanitizers here. */
#if !defined(PDP_HOST_FLAGS)
#define PDP_HOST_FLAGS ""
#endif

enum {
    RESIDENT = 3, /* groups that run at once */
    MOST_THREADS = 1024,
    STACK_BYTES = 1 << 16,
    SHARED_BYTES = 224 << 10, /* of a group: what NVIDIA's GPUs have, and leaves room for two of them */
    SHARED_ARRAYS = 64,
    SHARED_GAP = 64, /* between the arrays, where the address sanitizer sees who oversteps */
    RUBBISH = 0xA5
};

#define MOST_YIELDS UINT64_C(100000000) /* in a row, with nothing else happening */

/* As in kernels/device.h. */
typedef struct pdp_host_run {
    int thread;
    int group;
    void (*barrier)(void);
    void (*yield)(void);
    void *(*share)(size_t bytes);
} pdp_host_run;

typedef void kernel_function(void *data, void *b0, void *b1, void *b2, void *b3, void *b4, int64_t n0, int64_t n1,
                             int64_t n2, int64_t n3, int64_t n4, int64_t n5);

/* ---- Switching stacks ---- */

static void run_fibre(void);

#if defined(__x86_64__) && !defined(__CET__)
/* swapcontext asks the kernel for the signal mask at every switch, which would be nearly all of the time. A context is
 * the stack pointer, on a stack that holds what a called function has to preserve. */
typedef void *context;

__attribute__((visibility("hidden"))) void pdp_host_switch(void **from, void *to);
__asm__(".text\n"
        ".globl pdp_host_switch\n"
        ".hidden pdp_host_switch\n"
        ".type pdp_host_switch, @function\n"
        "pdp_host_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size pdp_host_switch, . - pdp_host_switch\n");

static void switch_context(context *from, context *to) {
    pdp_host_switch(from, *to);
}

/* Six registers, the function to "return" to, and no caller above it. */
static void make_context(context *out, char *stack, size_t size) {
    uintptr_t frame[8] = {[6] = (uintptr_t)run_fibre};
    *out = stack + size - sizeof frame;
    memcpy(*out, frame, sizeof frame);
}
#else
typedef ucontext_t context;

static void switch_context(context *from, context *to) {
    swapcontext(from, to);
}

static void make_context(context *out, char *stack, size_t size) {
    getcontext(out);
    out->uc_stack.ss_sp = stack;
    out->uc_stack.ss_size = size;
    out->uc_link = NULL;
    makecontext(out, run_fibre, 0);
}
#endif

/* ---- The scheduler ---- */

typedef struct group {
    int number;
    uint32_t waiting; /* threads at the barrier */
    uint32_t returned;
    size_t opened; /* bytes of the memory that some thread has asked for */
    char *memory;
} group;

typedef struct fibre {
    context context;
    const void *stack; /* of the calling thread: known to the address sanitizer alone */
    size_t stack_size;
    void *frames; /* the address sanitizer's */
    group *group;
    int thread;
    uint32_t shared_arrays;
    size_t shared_bytes;
} fibre;

typedef struct host {
    pdp_host_run run;
    uint64_t random;
    uint64_t held; /* bytes of buffers */
    double marks[2];
    /* For launches of at most so many threads a group. */
    uint32_t capacity;
    char *stacks;
    fibre *fibres;
    fibre **ready;
    char *shared;
    /* The launch that runs. */
    const pdp_launch *launch;
    kernel_function *kernel;
    group groups[RESIDENT];
    fibre caller;
    fibre *current;
    fibre *previous; /* that ran before the current one */
    uint32_t ready_count;
    uint32_t next_group;
    uint64_t yields; /* since anything else happened */
    const char *fault;
} host;

/* Kernels call barrier() and the like without an argument, as they do on a device; so what they call finds its
 * scheduler here. It is set for as long as a launch runs, all of which happens in one thread. */
static _Thread_local host *running;

/* What a fibre does first when it runs again, or for the first time. */
static void arrive(host *h) {
#if defined(HAS_ASAN)
    __sanitizer_finish_switch_fiber(h->current->frames, &h->previous->stack, &h->previous->stack_size);
#else
    (void)h;
#endif
}

static void switch_to(host *h, fibre *next, bool is_end) {
    fibre *self = h->current;
    if (next == self) {
        return;
    }
    h->previous = self;
    h->current = next;
    if (next->group) {
        h->run.thread = next->thread;
        h->run.group = next->group->number;
    }
#if defined(HAS_ASAN)
    __sanitizer_start_switch_fiber(is_end ? NULL : &self->frames, next->stack, next->stack_size);
#else
    (void)is_end;
#endif
    switch_context(&self->context, &next->context);
    arrive(h);
}

/* Any of the fibres that can go on. */
static fibre *take_ready(host *h) {
    uint64_t drawn = ((pdp_random_next(&h->random) >> 32) * h->ready_count) >> 32;
    fibre *taken = h->ready[drawn];
    h->ready[drawn] = h->ready[--h->ready_count];
    return taken;
}

/* After a fault nothing comes back from here. */
static void run_another(host *h) {
    switch_to(h, h->fault || h->ready_count == 0 ? &h->caller : take_ready(h), false);
}

static void run_fibre(void) {
    host *h = running;
    arrive(h);
    const pdp_launch *launch = h->launch;
    void *b[PDP_LAUNCH_BUFFERS];
    const int64_t *n = launch->numbers;
    for (int i = 0; i < PDP_LAUNCH_BUFFERS; i++) {
        b[i] = (void *)launch->buffers[i]; /* NOLINT(performance-no-int-to-ptr) */
    }
    void *data = (void *)launch->data; /* NOLINT(performance-no-int-to-ptr) */
    h->kernel(data, b[0], b[1], b[2], b[3], b[4], n[0], n[1], n[2], n[3], n[4], n[5]);
    group *own = h->current->group;
    own->returned++;
    if (own->waiting > 0) {
        h->fault = "threads of a group wait at a barrier that others never reach";
    }
    h->yields = 0;
    switch_to(h, &h->caller, true);
}

/* ---- What kernels call ---- */

static void wait_at_barrier(void) {
    host *h = running;
    group *own = h->current->group;
    h->yields = 0;
    own->waiting++;
    if (own->returned > 0) {
        h->fault = "threads of a group wait at a barrier that others never reach";
    } else if (own->waiting == h->launch->threads) {
        own->waiting = 0;
        fibre *first = h->fibres + (size_t)(own - h->groups) * h->launch->threads;
        for (uint32_t i = 0; i < h->launch->threads; i++) {
            h->ready[h->ready_count++] = first + i;
        }
    }
    run_another(h);
}

static void yield(void) {
    host *h = running;
    if (++h->yields == MOST_YIELDS) {
        h->fault = "its threads wait for each other for ever";
        for (int i = 0; i < RESIDENT; i++) {
            if (h->groups[i].waiting > 0) {
                h->fault = "threads of a group wait at a barrier that others never reach";
            }
        }
    }
    h->ready[h->ready_count++] = h->current;
    run_another(h);
}

static void *share(size_t bytes) {
    host *h = running;
    fibre *self = h->current;
    if (bytes > SHARED_BYTES - self->shared_bytes || self->shared_arrays == SHARED_ARRAYS) {
        h->fault = "it asks for more than 224 KiB, or for more than 64 arrays, of memory of a group";
        run_another(h);
    }
    size_t at = self->shared_bytes + (size_t)SHARED_GAP * self->shared_arrays;
    char *array = self->group->memory + at;
    self->shared_bytes += (bytes + 15) / 16 * 16;
    self->shared_arrays++;
#if defined(HAS_ASAN)
    if (at + bytes > self->group->opened) {
        self->group->opened = at + bytes;
        __asan_unpoison_memory_region(array, bytes);
    }
#endif
    return array;
}

/* ---- Launches ---- */

enum { GROUP_BYTES = SHARED_BYTES + SHARED_ARRAYS * SHARED_GAP, STACK_STRIDE = 2 * STACK_BYTES };

/* Also of a host that has none. */
static void free_fibres(host *h) {
    if (h->stacks) {
        munmap(h->stacks, (size_t)RESIDENT * h->capacity * STACK_STRIDE);
    }
#if defined(HAS_ASAN)
    if (h->shared) {
        __asan_unpoison_memory_region(h->shared, (size_t)RESIDENT * GROUP_BYTES);
    }
#endif
    free(h->shared);
    free(h->fibres);
    free(h->ready);
    h->capacity = 0;
    h->stacks = NULL;
    h->shared = NULL;
    h->fibres = NULL;
    h->ready = NULL;
}

/* Below every stack lies memory that nobody may touch, so that an overflow is a fault and not another thread's data. */
static bool map_stacks(host *h, size_t count) {
    char *stacks = mmap(NULL, count * STACK_STRIDE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED) {
        return false;
    }
    h->stacks = stacks;
    for (size_t i = 0; i < count; i++) {
        if (mprotect(stacks + i * STACK_STRIDE + STACK_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE) != 0) {
            return false;
        }
    }
    return true;
}

static pdp_status make_fibres(host *h, uint32_t threads, pdp_error *error) {
    if (threads <= h->capacity) {
        return PDP_OK;
    }
    free_fibres(h);
    h->capacity = threads;
    size_t count = (size_t)RESIDENT * threads;
    h->shared = malloc((size_t)RESIDENT * GROUP_BYTES);
    h->fibres = calloc(count, sizeof *h->fibres);
    h->ready = malloc(count * sizeof(fibre *));
    if (!h->shared || !h->fibres || !h->ready || !map_stacks(h, count)) {
        free_fibres(h);
        pdp_error_set_no_memory(error, count * STACK_BYTES);
        return PDP_NO_MEMORY;
    }
    return PDP_OK;
}

/* The next group of the launch. */
static void start_group(host *h, group *own) {
    size_t slot = (size_t)(own - h->groups);
    *own = (group){.number = (int)h->next_group++, .memory = h->shared + slot * GROUP_BYTES};
#if defined(HAS_ASAN)
    __asan_unpoison_memory_region(own->memory, GROUP_BYTES);
#endif
    memset(own->memory, RUBBISH, GROUP_BYTES);
#if defined(HAS_ASAN)
    __asan_poison_memory_region(own->memory, GROUP_BYTES);
#endif
    for (uint32_t i = 0; i < h->launch->threads; i++) {
        size_t at = slot * h->launch->threads + i;
        char *stack = h->stacks + at * STACK_STRIDE + STACK_BYTES;
        size_t size = STACK_BYTES - at % 64 * 192; /* or their upper ends would all want the same lines of the cache */
        fibre *new = &h->fibres[at];
        *new = (fibre){.stack = stack, .stack_size = size, .group = own, .thread = (int)i};
#if defined(HAS_ASAN)
        __asan_unpoison_memory_region(stack, size);
#endif
        make_context(&new->context, stack, size);
        h->ready[h->ready_count++] = new;
    }
}

/* Until all groups have returned or a fault stops them. Fibres that a fault leaves behind are forgotten. */
static void run_groups(host *h) {
    running = h;
    h->caller = (fibre){.group = NULL};
    h->current = &h->caller;
    h->ready_count = 0;
    h->next_group = 0;
    h->yields = 0;
    h->fault = NULL;
    for (int i = 0; i < RESIDENT; i++) {
        h->groups[i] = (group){.returned = h->launch->threads}; /* free for the next */
    }
    while (!h->fault) {
        for (int i = 0; i < RESIDENT; i++) {
            if (h->groups[i].returned == h->launch->threads && h->next_group < h->launch->groups) {
                start_group(h, &h->groups[i]);
            }
        }
        if (h->ready_count == 0) {
            break;
        }
        run_another(h);
    }
    running = NULL;
}

static pdp_status launch_kernel(pdp_device *device, void *handle, const pdp_launch *launch, pdp_error *error) {
    host *h = device->state;
    pdp_host_run **told = pdp_module_symbol(handle, "pdp_host");
    void *kernel = pdp_module_symbol(handle, launch->kernel);
    if (!told || !kernel) {
        return pdp_error_set(error, PDP_DEVICE, "the program has no kernel %.60s", launch->kernel);
    }
    if (launch->threads == 0 || launch->threads > MOST_THREADS) {
        return pdp_error_set(error, PDP_DEVICE, "kernel %.60s: %" PRIu32 " threads a group, and 1 to %d are possible",
                             launch->kernel, launch->threads, MOST_THREADS);
    }
    pdp_status status = make_fibres(h, launch->threads, error);
    if (status != PDP_OK) {
        return status;
    }
    *told = &h->run;
    h->launch = launch;
    memcpy(&h->kernel, &kernel, sizeof kernel);
    run_groups(h);
    if (h->fault) {
        return pdp_error_set(error, PDP_DEVICE, "kernel %.60s: %s", launch->kernel, h->fault);
    }
    return PDP_OK;
}

static pdp_status wait_for_all(pdp_device *device, pdp_error *error) {
    (void)device;
    (void)error;
    return PDP_OK; /* a launch returns when it is done */
}

static pdp_status count_resident(pdp_device *device, void *handle, const char *kernel, uint32_t threads,
                                 uint32_t *groups, pdp_error *error) {
    (void)device;
    (void)threads;
    if (!pdp_module_symbol(handle, kernel)) {
        return pdp_error_set(error, PDP_DEVICE, "the program has no kernel %.60s", kernel);
    }
    *groups = RESIDENT;
    return PDP_OK;
}

/* ---- The device ---- */

static pdp_status open_host(pdp_device *device, pdp_error *error) {
    uint64_t seed = 1;
    const char *wish = getenv("PIPEDP_HOST_SEED");
    if (wish && *wish) {
        char *end;
        seed = strtoull(wish, &end, 10);
        if (*end != '\0') {
            return pdp_error_set(error, PDP_BAD_INPUT, "PIPEDP_HOST_SEED is '%.40s', and must be a number", wish);
        }
    }
    host *h = pdp_array_allocate(1, sizeof *h, error);
    if (!h) {
        return PDP_NO_MEMORY;
    }
    h->run = (pdp_host_run){.barrier = wait_at_barrier, .yield = yield, .share = share};
    h->random = seed;
    device->state = h;
    device->memory_total = pdp_memory_available();
    device->pace = 1e7;
    device->units = RESIDENT;
    device->groups_meet = true;
    snprintf(device->name, sizeof device->name, "host fibres");
    snprintf(device->driver, sizeof device->driver, "pipedp %s", pdp_version());
    return PDP_OK;
}

static void close_host(pdp_device *device) {
    host *h = device->state;
    if (h) {
        free_fibres(h);
        free(h);
        device->state = NULL;
    }
}

static pdp_status find_free_memory(pdp_device *device, uint64_t *bytes, pdp_error *error) {
    const host *h = device->state;
    (void)error;
    *bytes = device->memory_total > h->held ? device->memory_total - h->held : 0;
    return PDP_OK;
}

static void *address(pdp_buffer buffer, uint64_t at) {
    return (char *)buffer + at; /* NOLINT(performance-no-int-to-ptr) */
}

static pdp_status allocate(pdp_device *device, pdp_buffer *out, uint64_t bytes, pdp_error *error) {
    host *h = device->state;
    uint64_t most;
    void *memory = NULL;
    find_free_memory(device, &most, error);
    if (bytes > most || posix_memalign(&memory, 256, bytes > 0 ? (size_t)bytes : 1) != 0) {
        return pdp_error_set(error, PDP_NO_MEMORY,
                             "out of memory for host fibres: %" PRIu64 " bytes wanted, %" PRIu64 " free", bytes, most);
    }
    memset(memory, RUBBISH, (size_t)bytes);
    h->held += malloc_usable_size(memory);
    *out = (uintptr_t)memory;
    return PDP_OK;
}

static void release(pdp_device *device, pdp_buffer buffer) {
    host *h = device->state;
    void *memory = address(buffer, 0);
    h->held -= malloc_usable_size(memory);
    free(memory);
}

static pdp_status write_buffer(pdp_device *device, pdp_buffer buffer, uint64_t at, const void *from, uint64_t bytes,
                               pdp_error *error) {
    (void)device;
    (void)error;
    memcpy(address(buffer, at), from, (size_t)bytes);
    return PDP_OK;
}

static pdp_status read_buffer(pdp_device *device, pdp_buffer buffer, uint64_t at, void *to, uint64_t bytes,
                              pdp_error *error) {
    (void)device;
    (void)error;
    memcpy(to, address(buffer, at), (size_t)bytes);
    return PDP_OK;
}

static pdp_status clear(pdp_device *device, pdp_buffer buffer, uint64_t at, uint64_t bytes, pdp_error *error) {
    (void)device;
    (void)error;
    memset(address(buffer, at), 0, (size_t)bytes);
    return PDP_OK;
}

static pdp_status load(pdp_device *device, void **handle, const char *text, size_t length, const void *prebuilt,
                       size_t prebuilt_size, pdp_error *error) {
    (void)device;
    (void)prebuilt;
    (void)prebuilt_size;
    pdp_module *module;
    pdp_status status = pdp_module_open(&module, text, length, PDP_HOST_FLAGS, error);
    *handle = module;
    return status;
}

static void unload(pdp_device *device, void *handle) {
    (void)device;
    pdp_module_close(handle);
}

static pdp_status mark(pdp_device *device, int which, pdp_error *error) {
    host *h = device->state;
    (void)error;
    h->marks[which] = pdp_clock_seconds();
    return PDP_OK;
}

static pdp_status find_elapsed(pdp_device *device, double *milliseconds, pdp_error *error) {
    const host *h = device->state;
    (void)error;
    *milliseconds = 1e3 * (h->marks[1] - h->marks[0]);
    return PDP_OK;
}

const pdp_device_calls pdp_host_calls = {.name = "host",
                                         .open = open_host,
                                         .close = close_host,
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
