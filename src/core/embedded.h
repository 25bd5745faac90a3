/* Text files that the build puts into the library. */
#ifndef PDP_CORE_EMBEDDED_H
#define PDP_CORE_EMBEDDED_H

#include <stddef.h>

typedef struct pdp_embedded_text {
    const char *name;
    const char *text;
} pdp_embedded_text;

extern const pdp_embedded_text pdp_builtin_files[]; /* src/recurrence/builtin, in the order of `pipedp list` */
extern const pdp_embedded_text pdp_kernel_files[];  /* the kernels' texts, src/cpu/kernel_*.h */

#endif
