#include <stdlib.h>

#include "pipedp.h"

const char *pdp_version(void) {
    return PDP_VERSION;
}

const char *pdp_build_description(void) {
    return PDP_BUILD_TYPE " by " PDP_COMPILER ", sanitizers: " PDP_SANITIZERS ", optional parts: " PDP_PARTS;
}

const char *pdp_cpu_level(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        return "x86-64-v4";
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
        return "x86-64-v3";
    }
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt")) {
        return "x86-64-v2";
    }
    return "x86-64-v1";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "unknown";
#endif
}
