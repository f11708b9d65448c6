# add_triton_kernel(NAME
#   SOURCE kernels/add.py          the file with the kernel: .py, .tc, .ttir or .mlir
#   KERNEL add_kernel              its name there
#   [FUNCTION add_f16]             the C function's name, if it should not be the kernel's
#   SIGNATURE "*fp32:16, i32" …    one or more specializations; where several accept a call, the more special one runs.
#                                  May be left out for .tc, .ttir and .mlir, which say their types themselves.
#                                  HEAD_DIM=[64,128] stands for a signature with each value
#   [WHEN "n <= BLOCK"]            the condition under which a call may take the signatures in front of it
#   [DISPATCH HEAD_DIM CAUSAL …]   compile-time parameters that callers pass, so that a call takes the variant with its
#                                  values
#   [GRID "cdiv(n, BLOCK)"]        how many programs a call runs; without it callers always give the grid
#   [TARGETS cpu cuda:80 …]        what to compile for; cpu if nothing is said
#   [NUM_WARPS 4] [NUM_STAGES 3]   for GPUs
#   [CONFIG 0]                     complete the signatures with this configuration of @triton.autotune
#   [DEBUG]                        check assertions and integer overflow where the kernels run
#   [DEBUG_INFO]                   line tables for debuggers and profilers
#   [MAXNREG 128]                  the most registers of a thread on a GPU
#   [NO_TENSOR_MAPS]               tiles of tensor descriptors are copied by the threads on every GPU
#   [LAUNCH_COOPERATIVE_GRID]      on GPUs all programs of a grid run at a time, or the launch fails
#   [LAUNCH_PDL]                   on NVIDIA GPUs a launch may begin before the last has ended; the kernel waits itself
#   [DEFINITIONS NAME=VALUE …]     what module-level names of the kernel's file mean; in .tc macros
#   [WERROR]                       make every warning of the compiler an error
#   [COMPILE_LIMIT 10000000]       how many steps the kernel's own Python may take while it is compiled
#   [IMPORT_PATHS folder …]        where the file's imports and #includes are looked for, besides its own folder
#   [STATIC])                      make libNAME.a instead of libNAME.so
#
# makes the library target NAME, with NAME.h for whatever links to it. Each signature is compiled by a command of its
# own, so that they are compiled in parallel and only what changed is compiled again: the kernel's file and every file
# that it imports are watched. The library itself is compiled from one generated C file with the project's C compiler,
# or its C++ compiler if the project has no C, plus an object that `nereid link` writes.
#
# To install: install(TARGETS NAME EXPORT …) as for any library; the header is its PUBLIC_HEADER.
cmake_policy(PUSH)
# DEPFILE with absolute paths (3.20), and LANGUAGE CXX for a .c file (CMP0119).
cmake_policy(VERSION 3.20...3.31)

function(add_triton_kernel name)
  set(flags STATIC SHARED DEBUG DEBUG_INFO WERROR NO_TENSOR_MAPS LAUNCH_COOPERATIVE_GRID LAUNCH_PDL)
  set(single SOURCE KERNEL FUNCTION GRID NUM_WARPS NUM_STAGES MAXNREG CONFIG COMPILE_LIMIT)
  set(several SIGNATURE WHEN DISPATCH TARGETS DEFINITIONS IMPORT_PATHS)
  set(keywords ${flags} ${single} ${several})
  cmake_parse_arguments(PARSE_ARGV 1 ARG "${flags}" "${single}" "${several}")
  set(where "add_triton_kernel(${name}):")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${where} unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${where} no value is given for ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  # Of these files a signature only says what they leave open, which may be nothing.
  if(NOT ARG_SIGNATURE AND ARG_SOURCE MATCHES "\\.(tc|ttir|mlir)$")
    set(ARG_SIGNATURE " ")
  endif()
  foreach(required SOURCE KERNEL SIGNATURE)
    if(NOT DEFINED ARG_${required})
      message(FATAL_ERROR "${where} ${required} is missing")
    endif()
  endforeach()
  if(ARG_STATIC AND ARG_SHARED)
    message(FATAL_ERROR "${where} a library is STATIC or SHARED, not both")
  endif()
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "${where} the library's functions begin with its name, so it must be an identifier of C")
  endif()
  if(NOT ARG_TARGETS)
    set(ARG_TARGETS cpu)
  endif()
  list(REMOVE_DUPLICATES ARG_TARGETS)
  list(JOIN ARG_TARGETS "," targets)
  get_filename_component(source "${ARG_SOURCE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT EXISTS "${source}")
    get_property(generated SOURCE "${source}" PROPERTY GENERATED)
    if(NOT generated)
      message(FATAL_ERROR "${where} there is no file ${source}")
    endif()
  endif()

  set(options "")
  if(DEFINED ARG_FUNCTION)
    list(APPEND options --function "${ARG_FUNCTION}")
  endif()
  if(DEFINED ARG_GRID)
    list(APPEND options --grid "${ARG_GRID}")
  endif()
  if(DEFINED ARG_DISPATCH)
    list(JOIN ARG_DISPATCH "," dispatch)
    list(APPEND options --dispatch "${dispatch}")
  endif()
  if(DEFINED ARG_NUM_WARPS)
    list(APPEND options --num-warps "${ARG_NUM_WARPS}")
  endif()
  if(DEFINED ARG_NUM_STAGES)
    list(APPEND options --num-stages "${ARG_NUM_STAGES}")
  endif()
  if(DEFINED ARG_CONFIG)
    list(APPEND options --config "${ARG_CONFIG}")
  endif()
  if(ARG_DEBUG)
    list(APPEND options --debug)
  endif()
  if(ARG_DEBUG_INFO)
    list(APPEND options --debug-info)
  endif()
  # Images name files as the project does, wherever it lies.
  if(ARG_DEBUG OR ARG_DEBUG_INFO)
    list(APPEND options --prefix-map "${PROJECT_SOURCE_DIR}/=")
  endif()
  if(DEFINED ARG_MAXNREG)
    list(APPEND options --maxnreg "${ARG_MAXNREG}")
  endif()
  if(ARG_NO_TENSOR_MAPS)
    list(APPEND options --no-tensor-maps)
  endif()
  if(ARG_LAUNCH_COOPERATIVE_GRID)
    list(APPEND options --launch-cooperative-grid)
  endif()
  if(ARG_LAUNCH_PDL)
    list(APPEND options --launch-pdl)
  endif()
  if(ARG_WERROR)
    list(APPEND options --werror)
  endif()
  foreach(definition IN LISTS ARG_DEFINITIONS)
    list(APPEND options -D "${definition}")
  endforeach()
  if(DEFINED ARG_COMPILE_LIMIT)
    list(APPEND options --compile-limit "${ARG_COMPILE_LIMIT}")
  endif()
  foreach(path IN LISTS ARG_IMPORT_PATHS)
    get_filename_component(path "${path}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND options --import-path "${path}")
  endforeach()

  # Kernel objects know their source by its path in the project, which is where they are compiled: so that they are the
  # same wherever that lies. Their names do not depend on that either.
  set(project_folder "${PROJECT_SOURCE_DIR}")
  string(FIND "${source}" "${PROJECT_BINARY_DIR}/" at)
  if(at EQUAL 0)
    set(project_folder "${PROJECT_BINARY_DIR}")
  endif()
  file(RELATIVE_PATH source_name "${project_folder}" "${source}")
  string(REPLACE "${PROJECT_SOURCE_DIR}/" "" identity "${options}")
  string(REPLACE "${PROJECT_BINARY_DIR}/" "" identity "${identity}")

  # WHEN belongs to the signatures between it and the WHEN or SIGNATURE before it. Signatures and conditions may hold
  # semicolons, so they are variables rather than lists.
  set(count 0)
  set(first 0)
  set(place "")
  math(EXPR last "${ARGC} - 1")
  foreach(i RANGE 1 ${last})
    set(word "${ARGV${i}}")
    if(word MATCHES "^(SIGNATURE|WHEN)$")
      if(place STREQUAL "WHEN")
        message(FATAL_ERROR "${where} a condition is missing after WHEN")
      endif()
      set(place "${word}")
      if(word STREQUAL "SIGNATURE")
        set(first ${count})
      elseif(first EQUAL count)
        message(FATAL_ERROR "${where} WHEN follows the signatures that it is a condition of")
      endif()
    elseif(word MATCHES "^[A-Z_]+$" AND word IN_LIST keywords)
      set(place "")
    elseif(place STREQUAL "SIGNATURE")
      set(signature_${count} "${word}")
      set(condition_${count} "")
      math(EXPR count "${count} + 1")
    elseif(place STREQUAL "WHEN")
      math(EXPR end "${count} - 1")
      foreach(j RANGE ${first} ${end})
        set(condition_${j} "${word}")
      endforeach()
      set(first ${count})
      set(place "SIGNATURE")
    endif()
  endforeach()
  if(count EQUAL 0)
    set(signature_0 " ")
    set(condition_0 "")
    set(count 1)
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/nereid/${name}")
  file(MAKE_DIRECTORY "${folder}")
  # A signature with lists is compiled by a command for each that it stands for.
  set(all 0)
  math(EXPR end "${count} - 1")
  foreach(i RANGE ${end})
    if(signature_${i} MATCHES "\\[" AND EXISTS "${NEREID_EXECUTABLE}")
      execute_process(COMMAND "${NEREID_EXECUTABLE}" signatures "${signature_${i}}"
        OUTPUT_VARIABLE lines ERROR_VARIABLE problem RESULT_VARIABLE result)
      string(REGEX REPLACE "\n$" "" lines "${lines}")
      if(NOT result EQUAL 0)
        message(FATAL_ERROR "${where} ${problem}")
      endif()
      # Line after line; a list would be cut at semicolons, and not at those between brackets.
      while(NOT lines STREQUAL "")
        # The types that the signature's lists have chosen, a tab, the signature.
        string(FIND "${lines}" "\t" tab)
        string(FIND "${lines}\n" "\n" newline)
        string(SUBSTRING "${lines}" 0 ${tab} suffix_of_${all})
        math(EXPR begin "${tab} + 1")
        math(EXPR length "${newline} - ${begin}")
        string(SUBSTRING "${lines}" ${begin} ${length} text_of_${all})
        set(condition_of_${all} "${condition_${i}}")
        math(EXPR all "${all} + 1")
        string(SUBSTRING "${lines}\n" ${newline} -1 lines)
        string(REGEX REPLACE "^\n" "" lines "${lines}")
        string(REGEX REPLACE "\n$" "" lines "${lines}")
      endwhile()
    else()
      set(suffix_of_${all} "")
      set(text_of_${all} "${signature_${i}}")
      set(condition_of_${all} "${condition_${i}}")
      math(EXPR all "${all} + 1")
    endif()
  endforeach()

  set(objects "")
  math(EXPR end "${all} - 1")
  foreach(i RANGE ${end})
    set(signature "${text_of_${i}}")
    set(own_options "")
    if(NOT condition_of_${i} STREQUAL "")
      list(APPEND own_options --when "${condition_of_${i}}")
    endif()
    if(NOT suffix_of_${i} STREQUAL "")
      set(function "${ARG_KERNEL}")
      string(REGEX REPLACE "^.*\\." "" function "${function}")
      if(DEFINED ARG_FUNCTION)
        set(function "${ARG_FUNCTION}")
      endif()
      list(APPEND own_options --function "${function}_${suffix_of_${i}}" --family "${function}")
    endif()
    # Make does not run a command again because its text changed. The file's name changes with it instead.
    string(SHA256 hash "${source_name};${ARG_KERNEL};${signature};${targets};${identity};${own_options}")
    string(SUBSTRING "${hash}" 0 12 hash)
    set(object "${folder}/${ARG_KERNEL}-${hash}.nko")
    if(object IN_LIST objects)
      message(FATAL_ERROR "${where} the signature '${signature}' is given twice")
    endif()
    add_custom_command(
      OUTPUT "${object}"
      COMMAND "${NEREID_EXECUTABLE}" compile "${source}" --kernel "${ARG_KERNEL}" --signature "${signature}"
              --target "${targets}" ${options} ${own_options} --output "${object}" --depfile "${object}.d"
      DEPENDS "${source}" "${NEREID_EXECUTABLE}"
      DEPFILE "${object}.d"
      WORKING_DIRECTORY "${project_folder}"
      COMMENT "Compiling Triton kernel ${ARG_KERNEL} (${signature}) for ${targets}"
      VERBATIM)
    list(APPEND objects "${object}")
  endforeach()

  # Written only if it changes: what makes Make link again after a signature was removed, or the order was changed.
  set(list_file "${folder}/${name}.list")
  string(REPLACE ";" "\n" list_text "${objects}")
  file(CONFIGURE OUTPUT "${list_file}" CONTENT "${list_text}\n" @ONLY)
  set(header "${folder}/${name}.h")
  set(generated_source "${folder}/${name}.c")
  set(images "${folder}/${name}_images.o")
  add_custom_command(
    OUTPUT "${header}" "${header}pp" "${folder}/${name}.rs" "${generated_source}" "${images}"
    COMMAND "${NEREID_EXECUTABLE}" link ${objects} --name "${name}" --output "${folder}" --source
    DEPENDS ${objects} "${list_file}" "${NEREID_EXECUTABLE}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
    COMMENT "Linking Triton kernel library ${name}"
    VERBATIM)

  if(ARG_STATIC)
    set(kind STATIC)
  else()
    set(kind SHARED)
  endif()
  add_library(${name} ${kind} "${generated_source}" "${header}" "${header}pp" "${images}")
  set_source_files_properties("${images}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  # Nobody debugs it, and a launch should cost as little in a project that is built without optimization. If the project
  # asks for debug information all the same, that must not name the folder of this build.
  set_source_files_properties("${generated_source}" PROPERTIES
    COMPILE_OPTIONS "-O2;-fdebug-prefix-map=${CMAKE_BINARY_DIR}=.")
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("C" IN_LIST languages)
    set_target_properties(${name} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON LINKER_LANGUAGE C)
  elseif("CXX" IN_LIST languages)
    set_source_files_properties("${generated_source}" PROPERTIES LANGUAGE CXX)
    set_target_properties(${name} PROPERTIES CXX_STANDARD 17 LINKER_LANGUAGE CXX)
  else()
    message(FATAL_ERROR "${where} the project needs the language C or CXX")
  endif()
  set_target_properties(${name} PROPERTIES
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    POSITION_INDEPENDENT_CODE ON
    PUBLIC_HEADER "${header};${header}pp")
  if(DEFINED CMAKE_INSTALL_INCLUDEDIR)
    set(include_folder "${CMAKE_INSTALL_INCLUDEDIR}")
  else()
    set(include_folder include)
  endif()
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${folder}>" "$<INSTALL_INTERFACE:${include_folder}>")
  # By their plain names, so that a project which imports the library needs to find no package.
  target_link_libraries(${name} PRIVATE m pthread ${CMAKE_DL_LIBS})
  target_link_options(${name} PRIVATE "LINKER:--as-needed")
endfunction()

cmake_policy(POP)
