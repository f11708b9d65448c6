# Finds MLIR, LLVM and lld 22, and sets the compiler flags that every target shares.
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
find_package(LLD REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/lld)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "Nereid is written against LLVM 22, and this is ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
separate_arguments(nereid_llvm_definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${nereid_llvm_definitions})

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # The precompiled header must not carry a time stamp, or ccache never finds it again.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  # Nothing says where it was built. In a Release build nothing would anyway, as it has no assertions and no debug
  # information (the test reproducible sees to that).
  add_compile_options($<$<NOT:$<CONFIG:Release>>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.>)
  add_compile_options(-Wall -Wextra -Wno-unused-parameter)
  add_link_options(-fuse-ld=lld)
endif()

find_program(NEREID_CCACHE ccache)
if(NEREID_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${NEREID_CCACHE})
endif()
