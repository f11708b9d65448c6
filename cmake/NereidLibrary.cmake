# nereid_library(NAME [MLIR] SOURCES file… [LINK library…])
#
# A static library in this house. MLIR's headers take 40 s and more to read on the machines this is built on, so every
# library that needs them says MLIR and shares one precompiled header, compiled once; the others must not pay for it.
# Includes are written from the repository's root ("compiler/layouts/LinearLayout.h"), so that a dependency that points
# the wrong way shows in the #include line.
#
# nereid_use_precompiled_header(NAME) does the same for an executable, which must be compiled like a library for it:
# a header compiled with -fPIC can't be used with -fPIE.
function(nereid_use_precompiled_header name)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${name} REUSE_FROM nereid_pch)
  # The word MLIR stands for the header and for the libraries behind it.
  target_link_libraries(${name} PUBLIC MLIR LLVM)
endfunction()

function(nereid_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  # For packaging, which links all of them once more.
  set_property(GLOBAL APPEND PROPERTY NEREID_LIBRARIES ${name})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_MLIR)
    nereid_use_precompiled_header(${name})
  endif()
endfunction()

# nereid_tablegen(NAME FILE.td output generator [output generator …])
#
# Runs mlir-tblgen over FILE.td of the current folder; the target NAME stands for the outputs.
function(nereid_tablegen name source)
  set(LLVM_TARGET_DEFINITIONS ${source})
  set(outputs ${ARGN})
  while(outputs)
    list(POP_FRONT outputs output generator)
    separate_arguments(flags UNIX_COMMAND "${generator}")
    mlir_tablegen(${output} ${flags} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR})
  endwhile()
  add_public_tablegen_target(${name})
endfunction()
