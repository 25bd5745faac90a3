/* Compares cuda_api.h with CUDA's own headers; compiled where they are, and never linked. */
#include <cuda.h>
#include <nvrtc.h>

#include "gpu/cuda_api.h"

#define SAME_TYPE(table, name)                                                                                         \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), __typeof__(((table *)0)->name)), #name);
#define SAME_DRIVER(result, name, parameters) SAME_TYPE(pdp_cuda_driver, name)
#define SAME_NVRTC(result, name, parameters) SAME_TYPE(pdp_nvrtc, name)
PDP_CUDA_DRIVER(SAME_DRIVER)
PDP_NVRTC(SAME_NVRTC)

#define SAME_VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)
SAME_VALUE(PDP_CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME_VALUE(PDP_CUDA_INVALID_IMAGE, CUDA_ERROR_INVALID_IMAGE);
SAME_VALUE(PDP_CUDA_NO_BINARY_FOR_GPU, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME_VALUE(PDP_CUDA_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME_VALUE(PDP_CUDA_NOT_FOUND, CUDA_ERROR_NOT_FOUND);
SAME_VALUE(PDP_CUDA_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_VALUE(PDP_CUDA_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(PDP_CUDA_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(PDP_NVRTC_COMPILATION, NVRTC_ERROR_COMPILATION);
