/* Writes the kernels that are built into the library. Runs while it is built.
 *   stamp NAME TYPE OPERATOR SYMBOL OUT.c    the kernel of a built-in recurrence; OPERATOR is - where the file has its
 *                                            own; SYMBOL is - for a device's text
 *   stamp NAME TYPE OPERATOR SYMBOL OUT.c IMAGE    what a compiler made of the device's text, as a pdp_prebuilt */
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

static void write_kernel(FILE *out, const char *symbol, const char *text, const char *key) {
    fprintf(out,
            "#define PDP_JOIN(name, level) name##_##level\n#define PDP_NAME(name, level) PDP_JOIN(name, level)\n"
            "#define PDP_KERNEL_SYMBOL PDP_NAME(pdp_kernel_%s, PDP_STAMP_LEVEL)\n"
            "#define PDP_BUILTIN_SYMBOL PDP_NAME(pdp_builtin_%s, PDP_STAMP_LEVEL)\n",
            symbol, symbol);
    fputs(text, out);
    fprintf(
        out,
        "\ntypedef struct pdp_builtin_kernel {\n    const char *key;\n    const void *kernel;\n} pdp_builtin_kernel;\n"
        "const pdp_builtin_kernel PDP_BUILTIN_SYMBOL = {\"%s\", &PDP_KERNEL_SYMBOL};\n",
        key);
}

/* The image's bytes by the assembler: as numbers in C they would take the compiler long. */
static void write_image(FILE *out, const char *symbol, const char *file, const char *key) {
    fprintf(out,
            "#include \"gpu/prebuilt.h\"\n"
            "__asm__(\".section .rodata\\n.balign 16\\npdp_image_%s_begin:\\n.incbin \\\"%s\\\"\\n\"\n"
            "        \"pdp_image_%s_end:\\n.previous\\n\");\n"
            "extern const char pdp_image_%s_begin[], pdp_image_%s_end[];\n"
            "const pdp_prebuilt pdp_prebuilt_%s = {\"%s\", pdp_image_%s_begin, pdp_image_%s_end};\n",
            symbol, file, symbol, symbol, symbol, symbol, key, symbol, symbol);
}

int main(int argc, char **argv) {
    pdp_recurrence *recurrence = NULL;
    pdp_stamp stamp = {0};
    size_t length = 0;
    char key[PDP_KEY_SIZE];
    if (argc < 6 || argc > 7 || !find_type(argv[2], &stamp)) {
        fputs("usage: stamp NAME TYPE OPERATOR SYMBOL|-|-- OUT.c [IMAGE]\n", stderr); /* or the text; the quick one */
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
    stamp.is_quick = strcmp(argv[4], "--") == 0;
    const bool is_text = strcmp(argv[4], "-") == 0 || stamp.is_quick;
    char *text = is_text || argc == 7 ? pdp_device_text(recurrence, &stamp, &length)
                                      : pdp_kernel_text(recurrence, &stamp, &length);
    FILE *out = text ? fopen(argv[5], "w") : NULL;
    if (!out) {
        perror(argv[5]);
        return 1;
    }
    pdp_kernel_key(key, text, length);
    if (is_text) {
        fputs(text, out);
    } else if (argc == 7) {
        write_image(out, argv[4], argv[6], key);
    } else {
        write_kernel(out, argv[4], text, key);
    }
    free(text);
    pdp_recurrence_free(recurrence);
    return fclose(out) == 0 ? 0 : 1;
}
