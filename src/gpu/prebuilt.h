/* What nvcc made of the built-in recurrences' texts while the library was built. */
#ifndef PDP_GPU_PREBUILT_H
#define PDP_GPU_PREBUILT_H

typedef struct pdp_prebuilt {
    const char *key; /* of the text: see pdp_kernel_key */
    const char *begin;
    const char *end;
} pdp_prebuilt;

extern const pdp_prebuilt *const pdp_prebuilt_images[]; /* written by the build; ends with NULL */

#endif
