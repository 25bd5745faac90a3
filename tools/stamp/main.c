/* Writes the kernels that are built into the library. Runs while it is built.
 *   stamp NAME TYPE OPERATOR SYMBOL OUT.c    the kernel of a built-in recurrence; OPERATOR is - where the file has its
 * own */
#include <stdlib.h>
#include <string.h>

#include "cpu/kernel.h"

static bool find_type(const char *name, pdp_stamp *stamp) {
    static const char *const names[] = {"i32", "i64", "f32", "f64", "u32", "u64", "checked"};
    stamp->short_products = strcmp(name, "i64s") == 0;
    for (size_t x = 0; x < sizeof names / sizeof *names; x++) {
        if (strcmp(name, stamp->short_products ? "i64s" : names[x]) == 0) {
            stamp->type = stamp->short_products ? PDP_TYPE_I64 : (pdp_machine_type)x;
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv) {
    pdp_recurrence *recurrence = NULL;
    pdp_stamp stamp = {0};
    size_t length = 0;
    char key[PDP_KEY_SIZE];
    if (argc != 6 || !find_type(argv[2], &stamp)) {
        fputs("usage: stamp NAME TYPE OPERATOR SYMBOL OUT.c\n", stderr);
        return 2;
    }
    if (pdp_recurrence_load(&recurrence, argv[1]) != PDP_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], pdp_recurrence_error(recurrence));
        return 1;
    }
    stamp.combine = recurrence->combine;
    if (strcmp(argv[3], "-") != 0 && !pdp_op_find(&stamp.combine, argv[3])) {
        fprintf(stderr, "no operator '%s'\n", argv[3]);
        return 1;
    }
    bool all_given = true; /* what is optional is left out */
    for (uint32_t x = 0; x < recurrence->input_count; x++) {
        all_given &= !recurrence->inputs[x].is_optional;
    }
    pdp_stamp_complete(&stamp, recurrence, recurrence->element, recurrence->source != PDP_NO_NODE && all_given,
                       (1u << recurrence->option_count) - 1);
    char *text = pdp_kernel_text(recurrence, &stamp, &length);
    FILE *out = text ? fopen(argv[5], "w") : NULL;
    if (!out) {
        perror(argv[5]);
        return 1;
    }
    pdp_kernel_key(key, text, length);
    fprintf(out,
            "#define PDP_JOIN(name, level) name##_##level\n#define PDP_NAME(name, level) PDP_JOIN(name, level)\n"
            "#define PDP_KERNEL_SYMBOL PDP_NAME(pdp_kernel_%s, PDP_STAMP_LEVEL)\n"
            "#define PDP_BUILTIN_SYMBOL PDP_NAME(pdp_builtin_%s, PDP_STAMP_LEVEL)\n",
            argv[4], argv[4]);
    fputs(text, out);
    fprintf(
        out,
        "\ntypedef struct pdp_builtin_kernel {\n    const char *key;\n    const void *kernel;\n} pdp_builtin_kernel;\n"
        "const pdp_builtin_kernel PDP_BUILTIN_SYMBOL = {\"%s\", &PDP_KERNEL_SYMBOL};\n",
        key);
    free(text);
    pdp_recurrence_free(recurrence);
    return fclose(out) == 0 ? 0 : 1;
}
