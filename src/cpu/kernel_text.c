/* The texts of stamps. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compile/hash.h"
#include "core/embedded.h"
#include "cpu/kernel.h"

enum { MOST_KERNELS = 3 }; /* files that come last */

static const char *kernel_file(const char *name) {
    for (size_t x = 0; pdp_kernel_files[x].name; x++) {
        if (strcmp(pdp_kernel_files[x].name, name) == 0) {
            return pdp_kernel_files[x].text;
        }
    }
    return "";
}

/* The layers of a stamp: what comes before its type's vectors, before the recurrence, and after it. */
static char *stamp_text(const pdp_recurrence *recurrence, const pdp_stamp *stamp, const char *base, const char *abi,
                        const char *const kernels[MOST_KERNELS], size_t *length) {
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out) {
        return NULL;
    }
    pdp_emit_type(out, recurrence, stamp);
    fputs(kernel_file(base), out);
    fputs(kernel_file("kernel_vector"), out);
    fputs(kernel_file("kernel_data_abi"), out);
    fputs(kernel_file("kernel_arithmetic"), out);
    fputs(kernel_file(abi), out);
    pdp_emit_recurrence(out, recurrence, stamp);
    fputs("#ifndef PDP_KERNEL_SYMBOL\n#define PDP_KERNEL_SYMBOL pdp_kernel\n#endif\n", out);
    for (int x = 0; x < MOST_KERNELS && kernels[x]; x++) {
        fputs(kernel_file(kernels[x]), out);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

char *pdp_kernel_text(const pdp_recurrence *recurrence, const pdp_stamp *stamp, size_t *length) {
    const bool interval = recurrence->shape == PDP_INTERVAL;
    const char *const kernels[MOST_KERNELS] = {interval ? "kernel_interval" : "kernel_linear"};
    return stamp_text(recurrence, stamp, "", interval ? "kernel_interval_abi" : "kernel_linear_abi", kernels, length);
}

char *pdp_ceiling_text(const pdp_recurrence *recurrence, const pdp_stamp *stamp, size_t *length) {
    const bool interval = recurrence->shape == PDP_INTERVAL;
    const char *const kernels[MOST_KERNELS] = {interval ? "kernel_ceiling_interval" : "kernel_ceiling_linear"};
    return stamp_text(recurrence, stamp, "", "kernel_ceiling_abi", kernels, length);
}

static char *device_text(const pdp_recurrence *recurrence, const pdp_stamp *stamp, const char *abi,
                         const char *const kernels[MOST_KERNELS], size_t *length) {
    pdp_stamp scalar = *stamp;
    scalar.for_device = true;
    scalar.short_products = false;
    return stamp_text(recurrence, &scalar, "device", abi, kernels, length);
}

char *pdp_device_text(const pdp_recurrence *recurrence, const pdp_stamp *stamp, size_t *length) {
    const bool quick = stamp->is_quick;
    const char *const interval[MOST_KERNELS] = {"interval_common", quick ? "interval_quick" : "interval",
                                                "interval_decide"};
    const char *const linear[MOST_KERNELS] = {"linear_parts", "linear", "linear_start"};
    const char *const linear_quick[MOST_KERNELS] = {"linear_quick", "linear_start"};
    return recurrence->shape == PDP_INTERVAL
               ? device_text(recurrence, stamp, "interval_abi", interval, length)
               : device_text(recurrence, stamp, "linear_abi", quick ? linear_quick : linear, length);
}

char *pdp_device_ceiling_text(const pdp_recurrence *recurrence, const pdp_stamp *stamp, size_t *length) {
    const char *const kernels[MOST_KERNELS] = {"ceiling"};
    return device_text(recurrence, stamp, "", kernels, length);
}

void pdp_kernel_key(char *key, const char *text, size_t length) {
    const pdp_uwide hash = pdp_hash(text, length);
    snprintf(key, PDP_KEY_SIZE, "%016" PRIx64 "%016" PRIx64, (uint64_t)(hash >> 64), (uint64_t)hash);
}

/* The type a recurrence would be emitted for if there is no wish: what its element is. */
static pdp_machine_type own_type(const pdp_recurrence *recurrence) {
    switch (recurrence->element) {
    case PDP_ELEMENT_I32: return PDP_TYPE_I32;
    case PDP_ELEMENT_F32: return PDP_TYPE_F32;
    case PDP_ELEMENT_F64: return PDP_TYPE_F64;
    case PDP_ELEMENT_BITS: return PDP_TYPE_U64;
    case PDP_ELEMENT_MOD: return PDP_TYPE_U32;
    default: return PDP_TYPE_I64;
    }
}

char *pdp_recurrence_emit(const pdp_recurrence *recurrence, const char *type) {
    static const char *const names[] = {"i32", "i64", "f32", "f64", "u32", "u64", "checked"};
    if (!recurrence || recurrence->error.status != PDP_OK) {
        return NULL;
    }
    const pdp_machine_type own = own_type(recurrence);
    const bool own_is_real = own == PDP_TYPE_F32 || own == PDP_TYPE_F64;
    pdp_stamp stamp = {.type = own, .combine = recurrence->combine};
    for (size_t x = 0; type && x < sizeof names / sizeof *names; x++) {
        const bool is_real = x == PDP_TYPE_F32 || x == PDP_TYPE_F64;
        if (strcmp(type, names[x]) == 0) {
            if ((own_is_real && !is_real) || ((own == PDP_TYPE_U32 || own == PDP_TYPE_U64) && own != x)) {
                return NULL;
            }
            stamp.type = (pdp_machine_type)x;
            type = NULL;
        }
    }
    if (type) {
        return NULL;
    }
    pdp_stamp_complete(&stamp, recurrence, recurrence->element, recurrence->source != PDP_NO_NODE,
                       (1u << recurrence->option_count) - 1);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) {
        return NULL;
    }
    pdp_emit_type(out, recurrence, &stamp);
    fputs("/* here: kernel_vector.h, kernel_data_abi.h, kernel_arithmetic.h */\n", out);
    pdp_emit_recurrence(out, recurrence, &stamp);
    fprintf(out, "/* here: kernel_%s.h */\n", recurrence->shape == PDP_INTERVAL ? "interval" : "linear");
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
