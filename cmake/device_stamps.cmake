# The kernels for GPUs that nvcc makes of the built-in recurrences, so that they need no compiler when they are run. Without
# nvcc they are compiled when they are first needed, from the same texts.
find_program(PIPEDP_NVCC nvcc HINTS /usr/local/cuda/bin)
if(PIPEDP_NVCC)
  option(PIPEDP_CUDA "Build the built-in recurrences for NVIDIA GPUs" ON)
else()
  message(STATUS "No nvcc: kernels for GPUs are compiled when they are first needed")
endif()

set(prebuilt_declarations "")
set(prebuilt_entries "")
if(PIPEDP_NVCC AND PIPEDP_CUDA)
  set(PIPEDP_CUDA_TARGETS -gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=compute_80
      CACHE STRING "What nvcc builds for: machine code, and one that the driver translates for other GPUs")
  set(device_stamps mcm:i32:- mcm:i64:- mcm:f32:- mcm:f64:- triangulation:f64:- obst:i32:- obst:i64:- merge:i32:-
      merge:i64:- nussinov:i32:- cyk:u64:- sdp:i32:min sdp:i64:min sdp:i32:max sdp:i64:max sdp_added:i32:min
      sdp_added:i64:min sdp_added:i32:max sdp_added:i64:max coins:i32:- knapsack:i32:- knapsack:i64:- rod:i32:- rod:i64:-
      compositions:i64:- compositions_mod:u32:- filter:f64:- lfsr:i32:- renewal:f64:-)
  foreach(stamp ${device_stamps})
    string(REPLACE ":" ";" fields ${stamp})
    string(REPLACE ":" "_" symbol ${stamp})
    string(REPLACE "_-" "" symbol ${symbol})
    set(base ${PROJECT_BINARY_DIR}/stamps/${symbol}_device)
    add_custom_command(OUTPUT ${base}.c ${base}.fatbin DEPENDS pipedp_stamp
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/stamps
      COMMAND pipedp_stamp ${fields} - ${base}.cu
      COMMAND ${PIPEDP_NVCC} -w -std=c++17 -fmad=false ${PIPEDP_CUDA_TARGETS} -fatbin -o ${base}.fatbin ${base}.cu
      COMMAND pipedp_stamp ${fields} ${symbol} ${base}.c ${base}.fatbin
      VERBATIM)
    target_sources(pipedp_rest PRIVATE ${base}.c)
    set_source_files_properties(${base}.c PROPERTIES COMPILE_OPTIONS -w OBJECT_DEPENDS ${base}.fatbin)
    string(APPEND prebuilt_declarations "extern const pdp_prebuilt pdp_prebuilt_${symbol};\n")
    string(APPEND prebuilt_entries "    &pdp_prebuilt_${symbol},\n")
  endforeach()
endif()
file(CONFIGURE OUTPUT prebuilt_images.c CONTENT "#include <stddef.h>\n
#include \"gpu/prebuilt.h\"\n
${prebuilt_declarations}
const pdp_prebuilt *const pdp_prebuilt_images[] = {
${prebuilt_entries}    NULL,
};
")
target_sources(pipedp_rest PRIVATE ${PROJECT_BINARY_DIR}/prebuilt_images.c)

# Our declarations of the driver's functions against NVIDIA's own.
find_path(PIPEDP_CUDA_INCLUDE cuda.h HINTS /usr/local/cuda/include)
if(PIPEDP_CUDA_INCLUDE AND EXISTS ${PIPEDP_CUDA_INCLUDE}/nvrtc.h)
  add_library(cuda_api_check OBJECT src/gpu/cuda_api_check.c)
  target_include_directories(cuda_api_check PRIVATE src include)
  target_include_directories(cuda_api_check SYSTEM PRIVATE ${PIPEDP_CUDA_INCLUDE})
  target_link_libraries(cuda_api_check PRIVATE pipedp_settings)
endif()
