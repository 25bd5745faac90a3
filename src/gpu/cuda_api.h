/* What is used of CUDA's driver and of NVRTC, declared here so that the library builds without CUDA and starts without
 * it: both libraries are opened at run time. cuda_api_check.c compares all of this with CUDA's own headers.
 *
 * The driver is libcuda.so.1, NVRTC the newest libnvrtc.so that the driver can follow. The environment variables
 * PIPEDP_CUDA_DRIVER and PIPEDP_NVRTC name other files, for an NVRTC in an unusual place or for a test's stub. */
#ifndef PDP_GPU_CUDA_API_H
#define PDP_GPU_CUDA_API_H

#include <stddef.h>

#include "core/error.h"

/* Handles have the tags that CUDA gives them, so that their types are the same; enums are unsigned, as compilers have
 * them that hold no negative value. */
typedef unsigned pdp_cuda_code;
typedef unsigned pdp_cuda_attribute;
typedef int pdp_cuda_ordinal;
typedef unsigned long long pdp_cuda_address;
typedef struct CUctx_st *pdp_cuda_context;
typedef struct CUmod_st *pdp_cuda_module;
typedef struct CUfunc_st *pdp_cuda_function;
typedef struct CUevent_st *pdp_cuda_event;
typedef struct CUstream_st *pdp_cuda_stream;
typedef unsigned pdp_nvrtc_code;
typedef struct _nvrtcProgram *pdp_nvrtc_program; /* NOLINT(bugprone-reserved-identifier): the name is NVIDIA's */

enum {
    PDP_CUDA_OUT_OF_MEMORY = 2,
    PDP_CUDA_INVALID_IMAGE = 200,
    PDP_CUDA_NO_BINARY_FOR_GPU = 209,
    PDP_CUDA_UNSUPPORTED_PTX_VERSION = 222,
    PDP_CUDA_NOT_FOUND = 500,
    PDP_CUDA_DYNAMIC_SHARED_BYTES = 8, /* attribute of a function */
    PDP_CUDA_MULTIPROCESSORS = 16,     /* attributes of a device */
    PDP_CUDA_CAPABILITY_MAJOR = 75,
    PDP_CUDA_CAPABILITY_MINOR = 76,
    PDP_NVRTC_COMPILATION = 6
};

/* F(result, name, parameters). Names with a version are those that cuda.h means by the name without. */
#define PDP_CUDA_DRIVER(F)                                                                                             \
    F(pdp_cuda_code, cuGetErrorName, (pdp_cuda_code, const char **))                                                   \
    F(pdp_cuda_code, cuInit, (unsigned))                                                                               \
    F(pdp_cuda_code, cuDriverGetVersion, (int *))                                                                      \
    F(pdp_cuda_code, cuDeviceGet, (pdp_cuda_ordinal *, int))                                                           \
    F(pdp_cuda_code, cuDeviceGetName, (char *, int, pdp_cuda_ordinal))                                                 \
    F(pdp_cuda_code, cuDeviceTotalMem_v2, (size_t *, pdp_cuda_ordinal))                                                \
    F(pdp_cuda_code, cuDeviceGetAttribute, (int *, pdp_cuda_attribute, pdp_cuda_ordinal))                              \
    F(pdp_cuda_code, cuDevicePrimaryCtxRetain, (pdp_cuda_context *, pdp_cuda_ordinal))                                 \
    F(pdp_cuda_code, cuDevicePrimaryCtxRelease_v2, (pdp_cuda_ordinal))                                                 \
    F(pdp_cuda_code, cuCtxPushCurrent_v2, (pdp_cuda_context))                                                          \
    F(pdp_cuda_code, cuCtxPopCurrent_v2, (pdp_cuda_context *))                                                         \
    F(pdp_cuda_code, cuStreamSynchronize, (pdp_cuda_stream))                                                           \
    F(pdp_cuda_code, cuMemGetInfo_v2, (size_t *, size_t *))                                                            \
    F(pdp_cuda_code, cuMemAlloc_v2, (pdp_cuda_address *, size_t))                                                      \
    F(pdp_cuda_code, cuMemFree_v2, (pdp_cuda_address))                                                                 \
    F(pdp_cuda_code, cuMemcpyHtoD_v2, (pdp_cuda_address, const void *, size_t))                                        \
    F(pdp_cuda_code, cuMemcpyDtoH_v2, (void *, pdp_cuda_address, size_t))                                              \
    F(pdp_cuda_code, cuMemsetD8Async, (pdp_cuda_address, unsigned char, size_t, pdp_cuda_stream))                      \
    F(pdp_cuda_code, cuModuleLoadData, (pdp_cuda_module *, const void *))                                              \
    F(pdp_cuda_code, cuModuleUnload, (pdp_cuda_module))                                                                \
    F(pdp_cuda_code, cuModuleGetFunction, (pdp_cuda_function *, pdp_cuda_module, const char *))                        \
    F(pdp_cuda_code, cuModuleGetGlobal_v2, (pdp_cuda_address *, size_t *, pdp_cuda_module, const char *))              \
    F(pdp_cuda_code, cuFuncSetAttribute, (pdp_cuda_function, pdp_cuda_attribute, int))                                 \
    F(pdp_cuda_code, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, pdp_cuda_function, int, size_t))             \
    F(pdp_cuda_code, cuLaunchKernel,                                                                                   \
      (pdp_cuda_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, pdp_cuda_stream,       \
       void **, void **))                                                                                              \
    F(pdp_cuda_code, cuEventCreate, (pdp_cuda_event *, unsigned))                                                      \
    F(pdp_cuda_code, cuEventDestroy_v2, (pdp_cuda_event))                                                              \
    F(pdp_cuda_code, cuEventRecord, (pdp_cuda_event, pdp_cuda_stream))                                                 \
    F(pdp_cuda_code, cuEventElapsedTime, (float *, pdp_cuda_event, pdp_cuda_event))

#define PDP_NVRTC(F)                                                                                                   \
    F(const char *, nvrtcGetErrorString, (pdp_nvrtc_code))                                                             \
    F(pdp_nvrtc_code, nvrtcVersion, (int *, int *))                                                                    \
    F(pdp_nvrtc_code, nvrtcGetNumSupportedArchs, (int *))                                                              \
    F(pdp_nvrtc_code, nvrtcGetSupportedArchs, (int *))                                                                 \
    F(pdp_nvrtc_code, nvrtcCreateProgram,                                                                              \
      (pdp_nvrtc_program *, const char *, const char *, int, const char *const *, const char *const *))                \
    F(pdp_nvrtc_code, nvrtcDestroyProgram, (pdp_nvrtc_program *))                                                      \
    F(pdp_nvrtc_code, nvrtcCompileProgram, (pdp_nvrtc_program, int, const char *const *))                              \
    F(pdp_nvrtc_code, nvrtcGetProgramLogSize, (pdp_nvrtc_program, size_t *))                                           \
    F(pdp_nvrtc_code, nvrtcGetProgramLog, (pdp_nvrtc_program, char *))                                                 \
    F(pdp_nvrtc_code, nvrtcGetCUBINSize, (pdp_nvrtc_program, size_t *))                                                \
    F(pdp_nvrtc_code, nvrtcGetCUBIN, (pdp_nvrtc_program, char *))                                                      \
    F(pdp_nvrtc_code, nvrtcGetPTXSize, (pdp_nvrtc_program, size_t *))                                                  \
    F(pdp_nvrtc_code, nvrtcGetPTX, (pdp_nvrtc_program, char *))

#define PDP_CUDA_MEMBER(result, name, parameters) result(*name) parameters;
typedef struct pdp_cuda_driver {
    PDP_CUDA_DRIVER(PDP_CUDA_MEMBER)
    void *library; /* NULL: not opened */
} pdp_cuda_driver;

typedef struct pdp_nvrtc {
    PDP_NVRTC(PDP_CUDA_MEMBER)
    void *library;
} pdp_nvrtc;

/* PDP_DEVICE: there is no such library, or it lacks a function, and what to do about it. */
pdp_status pdp_cuda_driver_open(pdp_cuda_driver *out, pdp_error *error);

/* One of the driver's major version or older: what a newer one makes, the driver does not take. */
pdp_status pdp_nvrtc_open(pdp_nvrtc *out, int driver_major, pdp_error *error);

/* Closes what one of them opened; takes NULL. */
void pdp_cuda_library_close(void *library);

#endif
