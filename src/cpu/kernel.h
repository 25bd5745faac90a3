/* Kernels stamped for a recurrence and a type: those built into the library, and those compiled when they are needed.
 */
#ifndef PDP_CPU_KERNEL_H
#define PDP_CPU_KERNEL_H

#include "compile/module.h"
#include "recurrence/emit.h"

/* The vector levels, lowest first. A kernel runs on every processor of its level or above. */
typedef enum pdp_level { PDP_LEVEL_GENERIC, PDP_LEVEL_V2, PDP_LEVEL_V3, PDP_LEVEL_V4, PDP_LEVEL_COUNT } pdp_level;

/* This machine's level, or the one that PIPEDP_LEVEL names (generic, x86-64-v2, ...), if the machine has it.
 * PDP_BAD_INPUT otherwise. */
pdp_status pdp_level_find(pdp_level *out, pdp_error *error);
const char *pdp_level_name(pdp_level level);

/* The processor multiplies 52-bit integers in vectors. */
bool pdp_level_has_short_products(pdp_level level);

/* A kernel built into the library. */
typedef struct pdp_builtin_kernel {
    const char *key;    /* of its text: see pdp_kernel_key */
    const void *kernel; /* pdp_interval_kernel or pdp_linear_kernel */
} pdp_builtin_kernel;

typedef struct pdp_builtin_level {
    pdp_level level;
    const pdp_builtin_kernel *kernel;
} pdp_builtin_level;

extern const pdp_builtin_level pdp_builtin_kernels[]; /* written by the build; ends with a NULL kernel */

/* A kernel, and what keeps it loaded. */
typedef struct pdp_kernel {
    const void *kernel;
    pdp_module *module; /* NULL: built in */
} pdp_kernel;

/* The whole text of a stamp: what the compiler sees. The caller frees it; NULL without memory. */
char *pdp_kernel_text(const pdp_recurrence *recurrence, const pdp_stamp *stamp, size_t *length);
char *pdp_ceiling_text(const pdp_recurrence *recurrence, const pdp_stamp *stamp, size_t *length); /* see ceiling.h */

/* The text for a device, the same for all kinds of them: see gpu/kernels/device.h. */
char *pdp_device_text(const pdp_recurrence *recurrence, const pdp_stamp *stamp, size_t *length);
char *pdp_device_ceiling_text(const pdp_recurrence *recurrence, const pdp_stamp *stamp, size_t *length);

/* The compiler's arguments for a level. */
const char *pdp_level_flags(pdp_level level, const pdp_stamp *stamp);

enum { PDP_KEY_SIZE = 33 };

/* Names a text: 32 hexadecimal digits. */
void pdp_kernel_key(char *key, const char *text, size_t length);

/* Finds the kernel, or compiles it if it may: otherwise PDP_BAD_INPUT. */
pdp_status pdp_kernel_open(pdp_kernel *out, const pdp_recurrence *recurrence, const pdp_stamp *stamp, pdp_level level,
                           bool may_compile, pdp_error *error);
/* Whether no compiler has to run for that. */
bool pdp_kernel_is_ready(const pdp_recurrence *recurrence, const pdp_stamp *stamp, pdp_level level, bool may_compile);
void pdp_kernel_close(pdp_kernel *kernel);

#endif
