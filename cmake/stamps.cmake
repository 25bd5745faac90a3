# The kernels that are built into the library: which recurrence, in which types, with which operator. Others are
# compiled when they are first needed, from the same texts. Sets stamp_libraries.

set(stamps
  mcm:i32:- mcm:i64:- mcm:i64s:- mcm:f32:- mcm:f64:- triangulation:f64:-
  obst:i32:- obst:i64:- merge:i32:- merge:i64:- nussinov:i32:- cyk:u64:-
  sdp:i32:min sdp:i64:min sdp:i32:max sdp:i64:max sdp_added:i32:min sdp_added:i64:min sdp_added:i32:max sdp_added:i64:max
  coins:i32:- knapsack:i32:- knapsack:i64:- rod:i32:- rod:i64:- compositions:i64:- compositions_mod:u32:-
  filter:f64:- lfsr:i32:- lfsr:i64:- renewal:f64:-)
set(scalar_stamps mcm:checked:- obst:checked:- merge:checked:- knapsack:checked:- rod:checked:- compositions:checked:-
  sdp:checked:add)
set(levels v2 v3 v4)
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(levels generic)
endif()
if(PIPEDP_SANITIZE) # instrumented kernels take long to compile: one level, and of each kind of kernel one
  set(levels v3)
  set(stamps mcm:i32:- nussinov:i32:- obst:i32:- sdp_added:i32:min filter:f64:-)
  set(scalar_stamps mcm:checked:- compositions:checked:-)
endif()
set(PIPEDP_LEVELS "${levels}" CACHE STRING "Vector levels to build kernels for")

add_executable(pipedp_stamp tools/stamp/main.c $<TARGET_OBJECTS:pipedp_front>)
target_include_directories(pipedp_stamp PRIVATE include src)
target_link_libraries(pipedp_stamp PRIVATE pipedp_settings m)

set(march_v2 -march=x86-64-v2)
set(march_v3 -march=x86-64-v3)
set(march_v4 -march=x86-64-v4)
set(number_v2 PDP_LEVEL_V2)
set(number_v3 PDP_LEVEL_V3)
set(number_v4 PDP_LEVEL_V4)
set(number_generic PDP_LEVEL_GENERIC)

set(declarations "")
set(entries "")
set(transforms "") # the same of src/cpu/ntt_kernel.c
# Stamps the kernels of a list and compiles them for a level.
function(add_stamps level)
  foreach(stamp ${ARGN})
    string(REPLACE ":" ";" fields ${stamp})
    list(GET fields 0 name)
    list(GET fields 1 type)
    list(GET fields 2 op)
    string(REPLACE ":" "_" symbol ${stamp})
    string(REPLACE "_-" "" symbol ${symbol})
    if(type STREQUAL i64s AND NOT level STREQUAL v4)
      continue() # its products are an extension of that level
    endif()
    set(source ${PROJECT_BINARY_DIR}/stamps/${symbol}_${level}.c)
    add_custom_command(OUTPUT ${source} DEPENDS pipedp_stamp
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/stamps
      COMMAND pipedp_stamp ${name} ${type} ${op} ${symbol} ${source} VERBATIM)
    if(type STREQUAL i64s)
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -mavx512ifma)
    endif()
    list(APPEND sources ${source})
    string(APPEND declarations "extern const pdp_builtin_kernel pdp_builtin_${symbol}_${level};\n")
    string(APPEND entries "    {${number_${level}}, &pdp_builtin_${symbol}_${level}},\n")
  endforeach()
  string(APPEND declarations "extern const pdp_ntt_kernel pdp_ntt_kernel_${level};\n")
  string(APPEND transforms "    {${number_${level}}, &pdp_ntt_kernel_${level}},\n")
  add_library(pipedp_stamps_${level} OBJECT ${sources} ${PROJECT_SOURCE_DIR}/src/cpu/ntt_kernel.c)
  target_include_directories(pipedp_stamps_${level} PRIVATE src)
  set_target_properties(pipedp_stamps_${level} PROPERTIES POSITION_INDEPENDENT_CODE ON C_EXTENSIONS ON)
  target_compile_definitions(pipedp_stamps_${level} PRIVATE PDP_STAMP_LEVEL=${level})
  # As src/compile/compiler.c does it: what floats give must not depend on who compiles.
  target_compile_options(pipedp_stamps_${level} PRIVATE -w -O2 -ftree-vectorize -fwrapv -ffp-contract=off -fno-math-errno
                         -fno-trapping-math ${march_${level}})
  if(PIPEDP_SANITIZE)
    target_compile_options(pipedp_stamps_${level} PRIVATE -fsanitize=${PIPEDP_SANITIZE} -fno-sanitize-recover=all)
  endif()
  set(declarations "${declarations}" PARENT_SCOPE)
  set(entries "${entries}" PARENT_SCOPE)
  set(transforms "${transforms}" PARENT_SCOPE)
endfunction()

# The loops that know no recurrence, for a level.
set(runs_declarations "")
set(runs_entries "")
function(add_runs level)
  add_library(pipedp_runs_${level} OBJECT src/cpu/runs_kernel.c)
  set_target_properties(pipedp_runs_${level} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(pipedp_runs_${level} PRIVATE include src)
  target_link_libraries(pipedp_runs_${level} PRIVATE pipedp_settings)
  target_compile_definitions(pipedp_runs_${level} PRIVATE PDP_STAMP_LEVEL=${level})
  target_compile_options(pipedp_runs_${level} PRIVATE -ftree-vectorize ${march_${level}})
  set(runs_declarations "${runs_declarations}extern const pdp_runs_kernel pdp_runs_kernels_${level}[];\n" PARENT_SCOPE)
  set(runs_entries "${runs_entries}    {${number_${level}}, pdp_runs_kernels_${level}},\n" PARENT_SCOPE)
endfunction()

set(stamp_libraries "")
set(vector_levels ${PIPEDP_LEVELS})
foreach(level ${vector_levels})
  if(NOT level STREQUAL generic)
    add_stamps(${level} ${stamps})
    add_runs(${level})
    list(APPEND stamp_libraries pipedp_stamps_${level} pipedp_runs_${level})
  endif()
endforeach()
if(generic IN_LIST vector_levels)
  add_stamps(generic ${stamps} ${scalar_stamps})
else()
  add_stamps(generic ${scalar_stamps})
endif()
add_runs(generic)
list(APPEND stamp_libraries pipedp_stamps_generic pipedp_runs_generic)
file(CONFIGURE OUTPUT builtin_kernels.c CONTENT "#include \"cpu/ntt.h\"\n#include \"cpu/runs_kernel.h\"\n
${declarations}${runs_declarations}
const pdp_builtin_level pdp_builtin_kernels[] = {
${entries}    {PDP_LEVEL_GENERIC, NULL},
};
const pdp_runs_level pdp_runs_levels[] = {
${runs_entries}    {PDP_LEVEL_GENERIC, NULL},
};
const pdp_ntt_level pdp_ntt_kernels[] = {
${transforms}    {PDP_LEVEL_GENERIC, NULL},
};
")
target_sources(pipedp_rest PRIVATE ${PROJECT_BINARY_DIR}/builtin_kernels.c)
