#include "core/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

uint64_t pdp_bytes_multiply(uint64_t count, uint64_t size) {
    uint64_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? UINT64_MAX : bytes;
}

uint64_t pdp_bytes_add(uint64_t a, uint64_t b) {
    uint64_t bytes;
    return __builtin_add_overflow(a, b, &bytes) ? UINT64_MAX : bytes;
}

void *pdp_array_allocate(size_t count, size_t size, pdp_error *error) {
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory) {
        pdp_error_set_no_memory(error, pdp_bytes_multiply(count, size));
    }
    return memory;
}

void *pdp_room_allocate(size_t count, size_t size, pdp_error *error) {
    const uint64_t bytes = pdp_bytes_multiply(count, size);
    void *memory = bytes > SIZE_MAX ? NULL : malloc(bytes > 0 ? (size_t)bytes : 1);
    if (!memory) {
        pdp_error_set_no_memory(error, bytes);
    }
    return memory;
}

/* The number in a file like /sys/fs/cgroup/memory.max, or UINT64_MAX if there is none ("max"). */
static uint64_t read_number(const char *path) {
    FILE *file = fopen(path, "re");
    if (!file) {
        return UINT64_MAX;
    }
    char line[32];
    bool has_number = fgets(line, sizeof line, file) && line[0] >= '0' && line[0] <= '9';
    fclose(file);
    return has_number ? strtoull(line, NULL, 10) : UINT64_MAX;
}

/* The number behind a name in a file of lines like "MemAvailable:  123 kB"; 0 if it is not there. */
static uint64_t read_value(const char *path, const char *name) {
    FILE *file = fopen(path, "re");
    if (!file) {
        return 0;
    }
    uint64_t value = 0;
    char line[128];
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) == 0) {
            value = strtoull(line + strlen(name), NULL, 10);
            break;
        }
    }
    fclose(file);
    return value;
}

static uint64_t read_machine_available(void) {
    uint64_t kilobytes = read_value("/proc/meminfo", "MemAvailable:");
    return kilobytes > 0 ? pdp_bytes_multiply(kilobytes, 1024) : UINT64_MAX;
}

uint64_t pdp_memory_available(void) {
    uint64_t machine = read_machine_available();
    uint64_t limit = read_number("/sys/fs/cgroup/memory.max");
    if (limit == UINT64_MAX) {
        return machine;
    }
    uint64_t used = read_number("/sys/fs/cgroup/memory.current");
    uint64_t cache = read_value("/sys/fs/cgroup/memory.stat", "inactive_file "); /* the kernel gives it back */
    used -= cache < used ? cache : used;
    uint64_t group = used < limit ? limit - used : 0;
    return group < machine ? group : machine;
}

void *pdp_pages_allocate(uint64_t bytes, pdp_error *error) {
    const size_t large_page = (size_t)1 << 21;
    size_t alignment = bytes >= 2 * large_page ? large_page : 64;
    void *memory = NULL;
    if (bytes > SIZE_MAX - large_page || posix_memalign(&memory, alignment, bytes > 0 ? (size_t)bytes : 1) != 0) {
        pdp_error_set_no_memory(error, bytes);
        return NULL;
    }
    if (alignment == large_page) {
        madvise(memory, (size_t)bytes, MADV_HUGEPAGE); /* a wish: without it the table only takes more page faults */
    }
    return memory;
}
