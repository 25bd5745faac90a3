#include "cpu/kernel.h"

#include <stdlib.h>
#include <string.h>

static const char *const level_names[PDP_LEVEL_COUNT] = {"generic", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

const char *pdp_level_name(pdp_level level) {
    return level_names[level];
}

pdp_status pdp_level_find(pdp_level *out, pdp_error *error) {
    const char *own = pdp_cpu_level();
    const char *forced = getenv("PIPEDP_LEVEL");
    pdp_level level = PDP_LEVEL_GENERIC;
    for (pdp_level x = PDP_LEVEL_GENERIC; x < PDP_LEVEL_COUNT; x++) {
        if (strcmp(level_names[x], own) == 0) {
            level = x;
        }
    }
    *out = level;
    if (!forced || forced[0] == '\0') {
        return PDP_OK;
    }
    for (pdp_level x = PDP_LEVEL_GENERIC; x <= level; x++) {
        if (strcmp(level_names[x], forced) == 0) {
            *out = x;
            return PDP_OK;
        }
    }
    return pdp_error_set(error, PDP_BAD_INPUT,
                         "PIPEDP_LEVEL is '%.40s', and must be a level of this processor: generic to %s", forced,
                         level_names[level]);
}

bool pdp_level_has_short_products(pdp_level level) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return level == PDP_LEVEL_V4 && __builtin_cpu_supports("avx512ifma");
#else
    (void)level;
    return false;
#endif
}

/* ---- Finding ---- */

/* The best that this level can run. Kernels in scalars are built for the lowest level alone. */
static const void *find_builtin(const char *key, pdp_level level) {
    const pdp_builtin_level *best = NULL;
    for (const pdp_builtin_level *x = pdp_builtin_kernels; x->kernel; x++) {
        if (x->level <= level && strcmp(x->kernel->key, key) == 0 && (!best || x->level > best->level)) {
            best = x;
        }
    }
    return best ? best->kernel->kernel : NULL;
}

const char *pdp_level_flags(pdp_level level, const pdp_stamp *stamp) {
    static const char *const flags[PDP_LEVEL_COUNT] = {"", "-march=x86-64-v2", "-march=x86-64-v3", "-march=x86-64-v4"};
    return stamp->short_products ? "-march=x86-64-v4 -mavx512ifma" : flags[level];
}

pdp_status pdp_kernel_open(pdp_kernel *out, const pdp_recurrence *recurrence, const pdp_stamp *stamp, pdp_level level,
                           bool may_compile, pdp_error *error) {
    size_t length = 0;
    char key[PDP_KEY_SIZE];
    *out = (pdp_kernel){NULL, NULL};
    char *text = pdp_kernel_text(recurrence, stamp, &length);
    if (!text) {
        return pdp_error_set_no_memory(error, PDP_MAX_TEXT);
    }
    pdp_kernel_key(key, text, length);
    out->kernel = find_builtin(key, level);
    if (!out->kernel && !may_compile) {
        pdp_error_set(error, PDP_BAD_INPUT, "compiling is switched off");
    } else if (!out->kernel &&
               pdp_module_open(&out->module, text, length, pdp_level_flags(level, stamp), error) == PDP_OK) {
        out->kernel = pdp_module_symbol(out->module, "pdp_kernel");
    }
    free(text);
    return error->status;
}

bool pdp_kernel_is_ready(const pdp_recurrence *recurrence, const pdp_stamp *stamp, pdp_level level, bool may_compile) {
    size_t length = 0;
    char key[PDP_KEY_SIZE];
    char *text = pdp_kernel_text(recurrence, stamp, &length);
    if (!text) {
        return false;
    }
    pdp_kernel_key(key, text, length);
    const bool is_ready =
        find_builtin(key, level) || (may_compile && pdp_module_is_cached(text, length, pdp_level_flags(level, stamp)));
    free(text);
    return is_ready;
}

void pdp_kernel_close(pdp_kernel *kernel) {
    pdp_module_close(kernel->module);
    *kernel = (pdp_kernel){NULL, NULL};
}
