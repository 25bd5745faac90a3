/* Kernel texts compiled by NVRTC, and kept in the cache on disk (compile/cache.h). */
#ifndef PDP_GPU_NVRTC_H
#define PDP_GPU_NVRTC_H

#include <stdbool.h>

#include "compile/blob.h"
#include "gpu/cuda_api.h"

enum { PDP_NVRTC_PARTS = 4 };

/* Images of a text that are in the cache, if all parts are. The caller frees them. */
bool pdp_nvrtc_find(const int capability[2], const char *text, size_t length, pdp_blob images[PDP_NVRTC_PARTS]);

/* Images that cuModuleLoadData takes, for a device of that compute capability: code for it, or PTX where this NVRTC is
 * older than the device. There is one for every part of the text (PDP_PART in kernels/device.h); the others have no
 * data. Parts are compiled at the same time, each in a thread. The text ends in a zero. The caller frees the images.
 * PDP_DEVICE: a failed compilation, with NVRTC's first words. PDP_IO: a cache folder that others could write to. */
pdp_status pdp_nvrtc_compile(const pdp_nvrtc *nvrtc, const int capability[2], const char *text, size_t length,
                             pdp_blob images[PDP_NVRTC_PARTS], pdp_error *error);

#endif
