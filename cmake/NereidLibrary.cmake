# nereid_library(NAME [MLIR] SOURCES file… [LINK library…])
#
# A static library in this house. MLIR's headers take 40 s and more to read on the machines this is built on, so every
# library that needs them says MLIR and shares one precompiled header, compiled once; the others must not pay for it.
# Includes are written from the repository's root ("compiler/layouts/LinearLayout.h"), so that a dependency that points
# the wrong way shows in the #include line.
function(nereid_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_MLIR)
    target_precompile_headers(${name} REUSE_FROM nereid_pch)
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
