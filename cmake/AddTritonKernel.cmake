# add_triton_kernel(NAME
#   SOURCE kernels/add.py          the file with the kernel: .py, .tc, .ttir or .mlir
#   KERNEL add_kernel              its name there
#   [FUNCTION add_f16]             the C function's name, if it should not be the kernel's
#   SIGNATURE "*fp32:16, i32" …    one or more specializations; where several accept a call, the more special one runs.
#                                  May be left out for .tc, .ttir, .ttgir and .mlir, which say their types themselves. Without
#                                  KERNEL and SIGNATURE, annotations in a .py or .tc say what to compile.
#                                  HEAD_DIM=[64,128] stands for a signature with each value. With KERNEL alone, the annotations
#                                  of that kernel count
#   [WHEN "n <= BLOCK"]            the condition under which a call may take the signatures in front of it
#   [DISPATCH HEAD_DIM CAUSAL …]   compile-time parameters that callers pass, so that a call takes the variant with its
#                                  values
#   [PYTHON_CALL "n=x.numel()" …]  what calls from Python need not say, as it follows from their tensors
#   [GRID "cdiv(n, BLOCK)"]        how many programs a call runs; without it callers always give the grid
#   [TARGETS cpu cuda:80 …]        what to compile for; cpu if nothing is said
#   [NUM_WARPS 4] [NUM_STAGES 3]   for GPUs. These two, MAXNREG, CONFIG and FOR, behind one of several SIGNATUREs, are for
#                                  that one's signatures
#   [TUNE "BLOCK=[64,128], num_warps=[4,8]" …]
#                                  compile-time values and options to try: every combination becomes a variant, and calls
#                                  take the best one. Several texts are tried one after the other
#   [AUTOTUNE]                     try the configurations of @triton.autotune
#   [TUNING results.json …]        measurements by `nereid tune`, which calls choose by; for the whole library
#   [CONFIG 0]                     complete the signatures with this configuration of @triton.autotune
#   [FOR "hip: num_warps=8, B=64"] what holds for some targets only: these options, and compile-time values
#   [DEBUG]                        check assertions and integer overflow where the kernels run
#   [DEBUG_INFO]                   line tables for debuggers and profilers
#   [NUM_CTAS 2]                   blocks, a cluster, that run a program together (NVIDIA, from sm_90 on)
#   [MAXNREG 128]                  the most registers of a thread on a GPU
#   [NO_TENSOR_MAPS]               tiles of tensor descriptors are copied by the threads on every GPU
#   [EXACT_WARPS]                  NUM_WARPS warps run each program, too, where they spill registers and more would not
#   [EXACT_STAGES]                 NUM_STAGES 1 has no loads run ahead, too, where that is expected to pay
#   [LAUNCH_COOPERATIVE_GRID]      on GPUs all programs of a grid run at a time, or the launch fails
#   [LAUNCH_PDL]                   on NVIDIA GPUs a launch may begin before the last has ended; the kernel waits itself
#   [DEFINITIONS NAME=VALUE …]     what module-level names of the kernel's file mean; in .tc macros
#   [WERROR]                       make every warning of the compiler an error
#   [COMPILER_LAUNCHER nice …]     what to put before each command that compiles; the variable NEREID_COMPILER_LAUNCHER if
#                                  nothing is said, a command line or a list, which the environment variable of that name
#                                  sets at first
#   [COMPILE_LIMIT 10000000]       how many steps the kernel's own Python may take while it is compiled
#   [IMPORT_PATHS folder …]        where the file's imports and #includes are looked for, besides its own folder
#   [COMPRESS speed|size]          compress images for GPUs: such that every driver unpacks them, or more
#   [STAGES]                       keep the stages on the way to each image in the library, for `nereid inspect --html`
#   [PYTHON]                       also make a folder that Python imports, beside the headers: OUTVAR's _PYTHON
#   [STATIC | SHARED]              libNAME.a or libNAME.so; if neither is said as BUILD_SHARED_LIBS says, or else shared
#   [VISIBILITY default|hidden]    whether what the library is linked into exports its functions: not if it is static
#   [VERSION 1.2.0] [SOVERSION 1]  as the properties of a target
#   [NAMESPACE app]                make the target known as app::NAME as well
#   [FOLDER kernels]               where IDEs show the target
#   [INCLUDE_DESTINATION include]  where the headers will be installed, relative to the prefix
#   [FILE_SET kernel_headers]      make the headers a file set of the target (CMake 3.23), not its PUBLIC_HEADER
#   [OUTVAR prefix])               set prefix_HEADER, _CXX_HEADER, _RUST, _SOURCE, _IMAGES, _OBJECTS, _INCLUDE_DIR,
#                                  _PYTHON
#
# makes the library target NAME, with NAME.h and NAME.hpp for whatever links to it. Each signature is compiled by a command
# of its own, so that they are compiled in parallel and only what changed is compiled again: the kernel's file and every
# file that it imports are watched. The library itself is compiled from one generated C file with the project's C
# compiler, or its C++ compiler if the project has no C, plus an object that `nereid link` writes.
#
# add_triton_library(NAME [what all kernels share]
#   KERNEL add_kernel SOURCE … SIGNATURE … …
#   KERNEL mul_kernel SOURCE … SIGNATURE … …)
#
# puts several kernels into one library. What stands before the first KERNEL is the library's, or holds for each kernel that
# does not say otherwise. The same kernel may come several times, with other options for other TARGETS.
#
# add_triton_library(NAME MANIFEST m.json [DEBUG] [DEBUG_INFO] [WERROR] [DEFINITIONS …] [IMPORT_PATHS …] [what is the library's])
#
# makes it of a manifest, whose own name and kind of library do not matter.
#
# To install: install(TARGETS NAME EXPORT …) as for any library; the headers are its PUBLIC_HEADER.
cmake_policy(PUSH)
# DEPFILE with absolute paths (3.20), and LANGUAGE CXX for a .c file (CMP0119).
cmake_policy(VERSION 3.20...3.31)

set(NEREID_COMPILER_LAUNCHER "$ENV{NEREID_COMPILER_LAUNCHER}" CACHE STRING
    "A command that is put before each command that compiles a Triton kernel")

# The functions are known everywhere, also where the variables of find_package are not.
set_property(GLOBAL PROPERTY NEREID_EXECUTABLE "${NEREID_EXECUTABLE}")

# The keywords of a kernel and those of a library, and where the compiler is. A macro, as variables of this file may be out
# of scope where the functions are called.
macro(_nereid_set_keywords)
  get_property(NEREID_EXECUTABLE GLOBAL PROPERTY NEREID_EXECUTABLE)
  set(kernel_flags DEBUG DEBUG_INFO WERROR NO_TENSOR_MAPS EXACT_WARPS EXACT_STAGES LAUNCH_COOPERATIVE_GRID LAUNCH_PDL
      AUTOTUNE)
  set(kernel_values SOURCE KERNEL FUNCTION GRID NUM_WARPS NUM_STAGES NUM_CTAS MAXNREG CONFIG COMPILE_LIMIT)
  set(kernel_lists SIGNATURE WHEN FOR DISPATCH PYTHON_CALL TUNE TARGETS DEFINITIONS IMPORT_PATHS COMPILER_LAUNCHER)
  # Those of them that each SIGNATURE may have for itself.
  set(signature_values NUM_WARPS NUM_STAGES NUM_CTAS MAXNREG CONFIG)
  set(library_flags STATIC SHARED PYTHON STAGES)
  set(library_lists TUNING)
  set(library_values COMPRESS VISIBILITY VERSION SOVERSION NAMESPACE FOLDER INCLUDE_DESTINATION FILE_SET OUTVAR)
endmacro()

# The arguments of a function from the number `first` on, as text for cmake_language(EVAL CODE): a list would be cut at the
# semicolons of signatures, and not at those between their brackets. Sets `quoted`.
macro(_nereid_quote_arguments first)
  set(quoted "")
  set(i ${first})
  while(i LESS ARGC)
    string(APPEND quoted " [=====[${ARGV${i}}]=====]")
    math(EXPR i "${i} + 1")
  endwhile()
endmacro()

# Sets the variable to the keyword that a word looks like, whatever its case: Targets, NUMWARPS, num-stages, SIGNTURE. Nothing if
# there is none.
function(_nereid_find_meant variable word keywords)
  set(${variable} "" PARENT_SCOPE)
  if(NOT word MATCHES "^[A-Za-z][A-Za-z0-9_-]+$")
    return()
  endif()
  string(TOUPPER "${word}" plain)
  string(REGEX REPLACE "[_-]" "" plain "${plain}")
  string(LENGTH "${plain}" length)
  set(like "")
  foreach(keyword IN LISTS keywords)
    string(REPLACE "_" "" other "${keyword}")
    if(plain STREQUAL other)
      set(${variable} "${keyword}" PARENT_SCOPE)
      return()
    endif()
    string(LENGTH "${other}" other_length)
    # Short words are like too much.
    if(length GREATER 3 AND other_length GREATER 3 AND like STREQUAL "")
      string(FIND "${other}" "${plain}" other_begins)
      string(FIND "${plain}" "${other}" plain_begins)
      # Behind what both begin with: a letter more, less, another one, or two that have changed places.
      set(i 0)
      while(i LESS length AND i LESS other_length)
        string(SUBSTRING "${plain}" ${i} 1 letter)
        string(SUBSTRING "${other}" ${i} 1 other_letter)
        if(NOT letter STREQUAL other_letter)
          break()
        endif()
        math(EXPR i "${i} + 1")
      endwhile()
      # Marks at the end, so that there is something to take letters from.
      string(SUBSTRING "${plain}--" ${i} -1 rest)
      string(SUBSTRING "${other}--" ${i} -1 other_rest)
      string(SUBSTRING "${rest}" 0 1 first)
      string(SUBSTRING "${rest}" 1 1 second)
      string(SUBSTRING "${rest}" 1 -1 shorter)
      string(SUBSTRING "${other_rest}" 1 -1 other_shorter)
      string(SUBSTRING "${rest}" 2 -1 swapped)
      string(PREPEND swapped "${second}${first}")
      if(other_begins EQUAL 0 OR plain_begins EQUAL 0 OR shorter STREQUAL other_shorter OR rest STREQUAL other_shorter
         OR shorter STREQUAL other_rest OR swapped STREQUAL other_rest)
        set(like "${keyword}")
      endif()
    endif()
  endforeach()
  set(${variable} "${like}" PARENT_SCOPE)
endfunction()

# Sets the variable to whether a word stands in a file, or may: if the file is yet to be made.
function(_nereid_file_has_word variable file word)
  get_filename_component(path "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  set(${variable} ON PARENT_SCOPE)
  if(EXISTS "${path}" AND NOT IS_DIRECTORY "${path}")
    file(STRINGS "${path}" lines LIMIT_COUNT 1 REGEX "(^|[^A-Za-z0-9_])${word}([^A-Za-z0-9_]|$)")
    if(lines STREQUAL "")
      set(${variable} OFF PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Refuses what cmake_parse_arguments has left over, and what it has taken for an element of the list before it: TARGET, which
# is no keyword, behind SIGNATURE.
function(_nereid_check_arguments where keywords unparsed missing)
  set(unknown "${unparsed}")
  foreach(list IN ITEMS SIGNATURE FOR TUNE PYTHON_CALL DISPATCH TARGETS DEFINITIONS IMPORT_PATHS COMPILER_LAUNCHER TUNING)
    set(holds_files OFF)
    if(list MATCHES "^(IMPORT_PATHS|COMPILER_LAUNCHER|TUNING)$")
      set(holds_files ON)
    endif()
    set(is_misspelled OFF)
    foreach(value IN LISTS ARG_${list})
      # Folders and programs are called as anybody likes, most of them in small letters.
      set(meant "")
      if(holds_files AND (NOT value MATCHES "^[A-Z]" OR EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${value}"))
        continue()
      endif()
      # Parameters may be called like one, STAGE or KERNEL_SIZE, where the kernel's file has them.
      if(list STREQUAL "DISPATCH" AND NOT is_misspelled)
        _nereid_find_meant(meant "${value}" "${keywords}")
        set(has_word ON)
        if(NOT meant STREQUAL "")
          _nereid_file_has_word(has_word "${ARG_SOURCE}" "${value}")
        endif()
        if(has_word)
          continue()
        endif()
      endif()
      # What follows a misspelled keyword is meant for that.
      if(NOT is_misspelled)
        _nereid_find_meant(meant "${value}" "${keywords}")
      endif()
      if(value MATCHES "^[A-Z][A-Z0-9_]+$" OR NOT meant STREQUAL "")
        list(APPEND unknown "${value}")
        set(is_misspelled ON)
      endif()
    endforeach()
  endforeach()
  if(NOT unknown STREQUAL "")
    list(GET unknown 0 first)
    _nereid_find_meant(meant "${first}" "${keywords}")
    set(hint "")
    if(NOT meant STREQUAL "")
      set(hint " (is ${meant} meant?)")
    endif()
    list(JOIN unknown " " unknown)
    message(FATAL_ERROR "${where} unknown arguments: ${unknown}${hint}")
  endif()
  if(NOT missing STREQUAL "")
    message(FATAL_ERROR "${where} no value is given for ${missing}")
  endif()
endfunction()

# Sets a variable to words as a command line.
function(_nereid_quote_words variable)
  set(text "")
  foreach(word IN LISTS ARGN)
    string(REPLACE "\\" "\\\\" word "${word}")
    string(REPLACE "\"" "\\\"" word "${word}")
    string(APPEND text " \"${word}\"")
  endforeach()
  string(STRIP "${text}" text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# The words of the launcher: of a list its elements, and of one text, unless it is a file, those of a command line.
function(_nereid_get_launcher variable)
  set(launcher "${NEREID_COMPILER_LAUNCHER}")
  if(DEFINED ARG_COMPILER_LAUNCHER)
    set(launcher "${ARG_COMPILER_LAUNCHER}")
  endif()
  list(LENGTH launcher length)
  if(length EQUAL 1 AND NOT EXISTS "${launcher}")
    separate_arguments(launcher UNIX_COMMAND "${launcher}")
  endif()
  set(${variable} "${launcher}" PARENT_SCOPE)
endfunction()

# Adds a command that makes files, `outputs`: the rest is as for add_custom_command. What would be the same is not written,
# so that nothing that depends on it is made again. Ninja takes note of that, as CMake tells it to. Make goes by times alone,
# and would run the command each time: for it the command has a stamp, which it touches at its end, and the outputs have a
# rule that only makes sure that they are there.
function(_nereid_add_command outputs stamp)
  # As text: lists would be cut at semicolons, and not at those between brackets.
  set(keyword "")
  set(i 2)
  while(i LESS ARGC)
    if("${ARGV${i}}" MATCHES "^(COMMAND|DEPENDS|DEPFILE|WORKING_DIRECTORY|COMMENT)$")
      set(keyword "${ARGV${i}}")
      set(text_${keyword} "")
    else()
      string(APPEND text_${keyword} " [=====[${ARGV${i}}]=====]")
    endif()
    math(EXPR i "${i} + 1")
  endwhile()
  set(made "")
  set(are_there "")
  list(REMOVE_ITEM outputs "")
  foreach(output IN LISTS outputs)
    string(APPEND made " [=====[${output}]=====]")
    string(APPEND are_there " test -e [=====[${output}]=====] &&")
  endforeach()
  set(depfile "")
  if(DEFINED text_DEPFILE)
    set(depfile "DEPFILE ${text_DEPFILE}")
  endif()
  set(rest "WORKING_DIRECTORY ${text_WORKING_DIRECTORY} VERBATIM")
  if(CMAKE_GENERATOR MATCHES "Makefiles")
    string(APPEND text_COMMAND " --stamp [=====[${stamp}]=====]")
    cmake_language(EVAL CODE "
      add_custom_command(OUTPUT [=====[${stamp}]=====] COMMAND ${text_COMMAND} DEPENDS ${text_DEPENDS} ${depfile}
                         COMMENT ${text_COMMENT} ${rest})
      add_custom_command(OUTPUT ${made} COMMAND ${are_there} : || ${text_COMMAND} DEPENDS [=====[${stamp}]=====]
                         COMMENT [[]] ${rest})")
  else()
    cmake_language(EVAL CODE "
      add_custom_command(OUTPUT ${made} COMMAND ${text_COMMAND} DEPENDS ${text_DEPENDS} ${depfile}
                         COMMENT ${text_COMMENT} ${rest})")
  endif()
endfunction()

# Sets `known` to all targets. They are asked for once.
function(_nereid_get_known_targets where)
  get_property(known GLOBAL PROPERTY NEREID_KNOWN_TARGETS)
  if(NOT known)
    execute_process(COMMAND "${NEREID_EXECUTABLE}" targets --json RESULT_VARIABLE code OUTPUT_VARIABLE text
                    ERROR_VARIABLE errors)
    if(NOT code EQUAL 0)
      message(FATAL_ERROR "${where} cannot run ${NEREID_EXECUTABLE}: ${errors} (${code})")
    endif()
    string(JSON count LENGTH "${text}")
    math(EXPR last "${count} - 1")
    foreach(i RANGE ${last})
      string(JSON target GET "${text}" ${i} target)
      list(APPEND known "${target}")
    endforeach()
    set_property(GLOBAL PROPERTY NEREID_KNOWN_TARGETS "${known}")
  endif()
  set(known "${known}" PARENT_SCOPE)
endfunction()

# Sets the variable to the targets with commas between them, without those that generator expressions leave empty.
macro(_nereid_join_targets variable)
  list(JOIN ARG_TARGETS "," ${variable})
  if(${variable} MATCHES "\\$<")
    set(${variable} "$<JOIN:$<FILTER:${ARG_TARGETS},INCLUDE,.>,$<COMMA>>")
  endif()
endmacro()

# Refuses targets that the compiler does not know.
function(_nereid_check_targets where)
  _nereid_get_known_targets("${where}")
  foreach(target IN LISTS ARG_TARGETS)
    # A third field is the size of a warp.
    string(REGEX REPLACE "^([^:]+:[^:]+):[0-9]+$" "\\1" plain "${target}")
    if(NOT plain MATCHES "\\$<" AND NOT plain IN_LIST known)
      list(JOIN known " " known)
      message(FATAL_ERROR "${where} unknown target '${target}'; there are ${known}")
    endif()
  endforeach()
endfunction()

# The same for those in a text of FOR, `hip, cuda:80: num_warps=8`, which may be back ends as well.
function(_nereid_check_settings where text)
  if(text MATCHES "\\$<")
    return()
  endif()
  _nereid_get_known_targets("${where}")
  if(NOT text MATCHES "^([^=]*):[^:=]*=")
    message(FATAL_ERROR "${where} FOR: expected \"TARGET: NAME=VALUE\", such as \"hip: num_warps=8, BLOCK=64\", not \"${text}\"")
  endif()
  string(REPLACE "," ";" targets "${CMAKE_MATCH_1}")
  list(TRANSFORM known REPLACE ":.*" "" OUTPUT_VARIABLE backends)
  list(REMOVE_DUPLICATES backends)
  foreach(target IN LISTS targets)
    string(STRIP "${target}" target)
    string(REGEX REPLACE "^([^:]+:[^:]+):[0-9]+$" "\\1" plain "${target}")
    if(NOT plain IN_LIST known AND NOT plain IN_LIST backends)
      list(JOIN backends " " backends)
      list(JOIN known " " known)
      message(FATAL_ERROR "${where} FOR: unknown target '${target}'; there are ${backends}, and ${known}")
    endif()
  endforeach()
endfunction()

# Generator expressions are for the commands to see; where one folder serves several configurations, they must not differ.
function(_nereid_check_expressions where)
  get_property(is_multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(is_multi AND "${ARGN}" MATCHES "\\$<.*CONFIG")
    message(FATAL_ERROR "${where} with a generator for several configurations, arguments cannot depend on $<CONFIG>")
  endif()
endfunction()

# The processors that the project is compiled for: what `cpu` means, and the kind of the object with the images.
function(_nereid_get_host variable)
  set(${variable} "" PARENT_SCOPE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
    set(${variable} --host aarch64 PARENT_SCOPE)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    set(${variable} --host x86_64 PARENT_SCOPE)
  endif()
endfunction()

function(_nereid_find_source where variable file)
  get_filename_component(source "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT EXISTS "${source}")
    get_property(generated SOURCE "${source}" PROPERTY GENERATED)
    if(NOT generated)
      message(FATAL_ERROR "${where} there is no file ${source}")
    endif()
  endif()
  set(${variable} "${source}" PARENT_SCOPE)
endfunction()

# Appends what `nereid compile` and `nereid build` both take, of the caller's ARG_ variables, to the list `options`.
macro(_nereid_add_source_options options)
  if(ARG_DEBUG)
    list(APPEND ${options} --debug)
  endif()
  if(ARG_DEBUG_INFO)
    list(APPEND ${options} --debug-info)
  endif()
  # Images name files as the project does, wherever it lies.
  if(ARG_DEBUG OR ARG_DEBUG_INFO)
    list(APPEND ${options} --prefix-map "${PROJECT_SOURCE_DIR}/=")
  endif()
  if(ARG_WERROR)
    list(APPEND ${options} --werror)
  endif()
  foreach(definition IN LISTS ARG_DEFINITIONS)
    string(REPLACE ";" "\\;" definition "${definition}")
    list(APPEND ${options} -D "${definition}")
  endforeach()
  foreach(path IN LISTS ARG_IMPORT_PATHS)
    if(NOT path MATCHES "^\\$<")
      get_filename_component(path "${path}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    string(REPLACE ";" "\\;" path "${path}")
    list(APPEND ${options} --import-path "${path}")
  endforeach()
endmacro()

# Reads what belongs to signatures, of the caller's arguments from the number 3 on: sets count, signature_0 …, condition_0 …,
# group_0 … (of which SIGNATURE each is, from 1), and nereid_setting_GROUP_KEYWORD, where the group 0 is for all. Signatures and
# conditions may hold semicolons, so they are variables rather than lists.
macro(_nereid_read_signatures)
  set(count 0)
  set(first 0)
  set(place "")
  set(group 0)
  set(given "")
  set(i 3)
  while(i LESS ARGC)
    set(word "${ARGV${i}}")
    math(EXPR i "${i} + 1")
    set(is_keyword OFF)
    if(word MATCHES "^[A-Z_]+$" AND word IN_LIST keywords)
      set(is_keyword ON)
    endif()
    if(is_keyword AND place STREQUAL "WHEN")
      message(FATAL_ERROR "${where} a condition is missing after WHEN")
    endif()
    if(is_keyword AND word STREQUAL "SIGNATURE")
      math(EXPR group "${group} + 1")
      set(first ${count})
      set(place SIGNATURE)
    elseif(is_keyword)
      set(place "${word}")
      if(word STREQUAL "WHEN" AND first EQUAL count)
        message(FATAL_ERROR "${where} WHEN follows the signatures that it is a condition of")
      endif()
      if(word IN_LIST signature_values)
        set(entry "${word} ${group}")
      elseif(word IN_LIST kernel_values OR word IN_LIST library_values)
        set(entry "${word}")
      else()
        set(entry "")
      endif()
      if(NOT entry STREQUAL "" AND entry IN_LIST given)
        message(FATAL_ERROR "${where} ${word} is given twice")
      endif()
      list(APPEND given "${entry}")
    elseif(place STREQUAL "SIGNATURE")
      # Behind a condition, where cmake_parse_arguments has taken it for another one.
      _nereid_find_meant(meant "${word}" "${keywords}")
      if(word MATCHES "^[A-Z][A-Z0-9_]+$" OR NOT meant STREQUAL "")
        set(hint "")
        if(NOT meant STREQUAL "")
          set(hint " (is ${meant} meant?)")
        endif()
        message(FATAL_ERROR "${where} unknown arguments: ${word}${hint}")
      endif()
      set(signature_${count} "${word}")
      set(condition_${count} "")
      set(group_${count} ${group})
      math(EXPR count "${count} + 1")
    elseif(place STREQUAL "WHEN")
      # It belongs to the signatures between it and the WHEN or SIGNATURE before it.
      math(EXPR end "${count} - 1")
      foreach(j RANGE ${first} ${end})
        set(condition_${j} "${word}")
      endforeach()
      set(first ${count})
      set(place "SIGNATURE")
    elseif(place STREQUAL "FOR")
      _nereid_check_settings("${where}" "${word}")
      string(REPLACE ";" "\\;" word "${word}")
      list(APPEND nereid_setting_${group}_FOR "${word}")
    elseif(place IN_LIST signature_values)
      set(nereid_setting_${group}_${place} "${word}")
    endif()
  endwhile()
  if(count EQUAL 0)
    set(signature_0 " ")
    set(condition_0 "")
    set(group_0 0)
    set(count 1)
  endif()
endmacro()

# Appends the options that only the signatures of a group have to the list `options`.
macro(_nereid_add_signature_options options group)
  foreach(keyword IN LISTS signature_values)
    string(REPLACE "_" "-" option "${keyword}")
    string(TOLOWER "--${option}" option)
    if(DEFINED nereid_setting_${group}_${keyword})
      list(APPEND ${options} ${option} "${nereid_setting_${group}_${keyword}}")
    elseif(DEFINED nereid_setting_0_${keyword})
      list(APPEND ${options} ${option} "${nereid_setting_0_${keyword}}")
    elseif(DEFINED NEREID_ALL_${keyword})
      list(APPEND ${options} ${option} "${NEREID_ALL_${keyword}}")
    endif()
  endforeach()
  # The last one of several that say the same counts.
  set(settings "${NEREID_ALL_FOR}")
  if(DEFINED nereid_setting_0_FOR)
    set(settings "${nereid_setting_0_FOR}")
  endif()
  if(NOT ${group} EQUAL 0 AND DEFINED nereid_setting_${group}_FOR)
    list(APPEND settings "${nereid_setting_${group}_FOR}")
  endif()
  foreach(text IN LISTS settings)
    string(REPLACE ";" "\\;" text "${text}")
    list(APPEND ${options} --for "${text}")
  endforeach()
endmacro()

# Sets is_annotated where the annotations of a kernel's file say what is to be made of it: if nobody says a signature, and the
# file has some or is yet to be made. Of .tc, which may do without a signature, if nobody says anything else either.
macro(_nereid_find_annotations where)
  set(is_annotated OFF)
  if(NOT DEFINED ARG_SIGNATURE AND "${ARG_SOURCE}" MATCHES "\\.(py|tc)$")
    get_filename_component(annotated_file "${ARG_SOURCE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    set(annotations "")
    if(EXISTS "${annotated_file}")
      file(STRINGS "${annotated_file}" annotations LIMIT_COUNT 1 REGEX "(#|//)[ \t]*nereid:")
    elseif("${ARG_SOURCE}" MATCHES "\\.py$")
      set(annotations "perhaps")
    endif()
    if(NOT annotations STREQUAL "")
      set(is_annotated ON)
    endif()
  endif()
  if(is_annotated)
    foreach(keyword FUNCTION GRID NUM_WARPS NUM_STAGES NUM_CTAS MAXNREG CONFIG COMPILE_LIMIT WHEN FOR DISPATCH PYTHON_CALL TUNE
            AUTOTUNE NO_TENSOR_MAPS EXACT_WARPS EXACT_STAGES LAUNCH_COOPERATIVE_GRID LAUNCH_PDL)
      if(DEFINED ARG_${keyword} AND NOT "${ARG_${keyword}}" STREQUAL "FALSE")
        if("${ARG_SOURCE}" MATCHES "\\.tc$")
          set(is_annotated OFF)
          break()
        endif()
        message(FATAL_ERROR "${where} ${keyword} is for the annotations of ${ARG_SOURCE} to say, as there is no SIGNATURE")
      endif()
    endforeach()
  endif()
endmacro()

# Adds the commands that compile one kernel, which the caller's ARG_ variables describe, and the arguments that follow, of
# which those are; appends the kernel objects to the list `objects_variable`.
function(_nereid_compile_kernel where name objects_variable)
  _nereid_set_keywords()
  set(keywords ${kernel_flags} ${kernel_values} ${kernel_lists} ${library_flags} ${library_values} ${library_lists})
  _nereid_find_annotations("${where}")
  # Of these files a signature only says what they leave open, which may be nothing.
  if(NOT is_annotated AND NOT ARG_SIGNATURE AND ARG_SOURCE MATCHES "\\.(tc|ttir|ttgir|mlir)$")
    set(ARG_SIGNATURE " ")
  endif()
  foreach(required SOURCE KERNEL SIGNATURE)
    if(NOT DEFINED ARG_${required} AND NOT (is_annotated AND required STREQUAL "SIGNATURE"))
      message(FATAL_ERROR "${where} ${required} is missing")
    endif()
  endforeach()
  if(NOT ARG_TARGETS AND NOT is_annotated)
    set(ARG_TARGETS cpu)
  endif()
  list(REMOVE_DUPLICATES ARG_TARGETS)
  _nereid_check_targets("${where}")
  _nereid_join_targets(targets)
  list(JOIN ARG_TARGETS "," shown_targets)
  if(NOT ARG_TARGETS)
    set(shown_targets "the targets that are named there")
  endif()
  _nereid_find_source("${where}" source "${ARG_SOURCE}")
  _nereid_get_host(host)
  _nereid_get_launcher(launcher)

  set(options "")
  if(DEFINED ARG_GRID)
    list(APPEND options --grid "${ARG_GRID}")
  endif()
  if(DEFINED ARG_DISPATCH)
    list(JOIN ARG_DISPATCH "," dispatch)
    list(APPEND options --dispatch "${dispatch}")
  endif()
  foreach(text IN LISTS ARG_PYTHON_CALL)
    string(REPLACE ";" "\\;" text "${text}")
    list(APPEND options --python-call "${text}")
  endforeach()
  foreach(values IN LISTS ARG_TUNE)
    string(REPLACE ";" "\\;" values "${values}")
    list(APPEND options --tune "${values}")
  endforeach()
  if(ARG_AUTOTUNE)
    list(APPEND options --autotune)
  endif()
  # What one variant has no room for on a target, another one may serve: the link knows.
  if(NOT ARG_WERROR)
    list(APPEND options --allow-misfits)
  endif()
  if(ARG_NO_TENSOR_MAPS)
    list(APPEND options --no-tensor-maps)
  endif()
  if(ARG_EXACT_WARPS)
    list(APPEND options --exact-warps)
  endif()
  if(ARG_EXACT_STAGES)
    list(APPEND options --exact-stages)
  endif()
  if(ARG_LAUNCH_COOPERATIVE_GRID)
    list(APPEND options --launch-cooperative-grid)
  endif()
  if(ARG_LAUNCH_PDL)
    list(APPEND options --launch-pdl)
  endif()
  if(DEFINED ARG_COMPILE_LIMIT)
    list(APPEND options --compile-limit "${ARG_COMPILE_LIMIT}")
  endif()
  if(ARG_STAGES)
    list(APPEND options --stages)
  endif()
  _nereid_add_source_options(options)

  _nereid_read_signatures()
  _nereid_check_expressions("${where}" ${options} ${ARG_SIGNATURE} ${targets})
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

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/nereid/${name}")
  file(MAKE_DIRECTORY "${folder}")
  # A signature with lists is compiled by a command for each that it stands for.
  set(all 0)
  math(EXPR end "${count} - 1")
  foreach(i RANGE ${end})
    # What generator expressions make of it is not known yet: then one command compiles all.
    if(signature_${i} MATCHES "\\[" AND NOT signature_${i} MATCHES "\\$<" AND EXISTS "${NEREID_EXECUTABLE}")
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
        set(group_of_${all} ${group_${i}})
        math(EXPR all "${all} + 1")
        string(SUBSTRING "${lines}\n" ${newline} -1 lines)
        string(REGEX REPLACE "^\n" "" lines "${lines}")
        string(REGEX REPLACE "\n$" "" lines "${lines}")
      endwhile()
    else()
      set(suffix_of_${all} "")
      set(text_of_${all} "${signature_${i}}")
      set(condition_of_${all} "${condition_${i}}")
      set(group_of_${all} ${group_${i}})
      math(EXPR all "${all} + 1")
    endif()
  endforeach()

  # The file that calls, and the function's name and the library's, which messages begin with.
  file(RELATIVE_PATH list_name "${PROJECT_SOURCE_DIR}" "${NEREID_LIST_FILE}")
  string(REGEX REPLACE ":.*$" "" call "${where}")
  set(asked_by "${list_name}, ${call}")
  set(objects "${${objects_variable}}")
  math(EXPR end "${all} - 1")
  foreach(i RANGE ${end})
    set(signature "${text_of_${i}}")
    set(own_options "")
    if(NOT condition_of_${i} STREQUAL "")
      string(REPLACE ";" "\\;" condition "${condition_of_${i}}")
      list(APPEND own_options --when "${condition}")
    endif()
    _nereid_add_signature_options(own_options ${group_of_${i}})
    _nereid_check_expressions("${where}" ${own_options})
    if(NOT suffix_of_${i} STREQUAL "")
      set(function "${ARG_KERNEL}")
      string(REGEX REPLACE "^.*\\." "" function "${function}")
      if(DEFINED ARG_FUNCTION)
        set(function "${ARG_FUNCTION}")
      endif()
      list(APPEND own_options --function "${function}_${suffix_of_${i}}" --family "${function}")
    elseif(DEFINED ARG_FUNCTION)
      list(APPEND own_options --function "${ARG_FUNCTION}")
    endif()
    # Make does not run a command again because its text changed. The file's name changes with it instead.
    string(SHA256 hash "${source_name};${ARG_KERNEL};${signature};${is_annotated};${targets};${host};${identity};${own_options}")
    string(SUBSTRING "${hash}" 0 12 hash)
    string(GENEX_STRIP "${ARG_KERNEL}" stem)
    set(object "${folder}/${stem}-${hash}.nko")
    if(object IN_LIST objects)
      message(FATAL_ERROR "${where} the signature '${signature}' is given twice")
    endif()
    set(shown_signature "${signature}")
    # One word, as lists do not keep a [ in a text apart from what is behind it.
    set(what "--signature=${signature}")
    if(is_annotated)
      set(shown_signature "as annotated")
      set(what --annotated)
    endif()
    set(target_option "")
    if(ARG_TARGETS)
      string(REPLACE ";" "\\;" target_list "${targets}")
      list(APPEND target_option --target "${target_list}")
    endif()
    # All signatures have most warnings in common: the link shows them, each once.
    _nereid_add_command("${object};${object}.warnings" "${object}.stamp"
      COMMAND ${launcher} "${NEREID_EXECUTABLE}" compile "${source}" --kernel "${ARG_KERNEL}" "${what}"
              ${target_option} ${host} ${options} ${own_options} --output "${object}" --depfile "${object}.d"
              --defer-warnings --asked-by "${asked_by}"
      DEPENDS "${source}" "${NEREID_EXECUTABLE}"
      DEPFILE "${object}.d"
      WORKING_DIRECTORY "${project_folder}"
      COMMENT "Compiling Triton kernel ${ARG_KERNEL} (${shown_signature}) for ${shown_targets}")
    list(APPEND objects "${object}")
  endforeach()

  set(${objects_variable} "${objects}" PARENT_SCOPE)
endfunction()

# What the library's files are called: sets header, cxx_header, rust, generated_source and images.
macro(_nereid_name_files name)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/nereid/${name}")
  file(MAKE_DIRECTORY "${folder}")
  set(header "${folder}/${name}.h")
  set(cxx_header "${folder}/${name}.hpp")
  set(rust "${folder}/${name}.rs")
  set(generated_source "${folder}/${name}.c")
  set(images "${folder}/${name}_images.o")
  set(python_folder "${folder}/${name}")
  set(python_files "")
  set(library_options "")
  if(ARG_PYTHON)
    foreach(file __init__.py __init__.pyi _nereid.py _nereid_build.py pyproject.toml py.typed)
      list(APPEND python_files "${python_folder}/${file}")
    endforeach()
    list(APPEND library_options --python)
    if(DEFINED ARG_VERSION)
      list(APPEND library_options --package-version "${ARG_VERSION}")
    endif()
  endif()
  if(DEFINED ARG_COMPRESS)
    list(APPEND library_options "--compress=${ARG_COMPRESS}")
  endif()
  if(ARG_STAGES)
    list(APPEND library_options --stages)
  endif()
endmacro()

# The files of TUNING: sets `files` to their paths, and `options` to the linker's options for them.
function(_nereid_find_tuning where files options)
  set(found "")
  set(found_options "")
  foreach(file IN LISTS ARG_TUNING)
    _nereid_find_source("${where}" path "${file}")
    list(APPEND found "${path}")
    list(APPEND found_options --tuning "${path}")
  endforeach()
  set(${files} "${found}" PARENT_SCOPE)
  set(${options} "${found_options}" PARENT_SCOPE)
endfunction()

# Adds the command that links kernel objects to the files of a library.
function(_nereid_link where name objects)
  _nereid_name_files(${name})
  _nereid_get_host(host)
  _nereid_find_tuning("${where}" tuning_files tuning)
  list(TRANSFORM objects APPEND .warnings OUTPUT_VARIABLE warnings)
  set(warnings_as_errors "")
  if(ARG_WERROR)
    set(warnings_as_errors --werror)
  endif()
  # Written only if it changes: what makes Make link again after a signature was removed, or the order was changed.
  set(list_file "${folder}/${name}.list")
  string(REPLACE ";" "\n" list_text "${objects};${tuning_files};${library_options};${warnings_as_errors}")
  # What is left of signatures that are no more, and of commands that were killed.
  file(GLOB others "${folder}/*.nko" "${folder}/*.nko.d" "${folder}/*.nko.stamp" "${folder}/*.nko.warnings" "${folder}/*.nereid-*" "${folder}/.nereid-*")
  foreach(other IN LISTS others)
    string(REGEX REPLACE "\\.(d|stamp|warnings)$" "" object "${other}")
    if(NOT object IN_LIST objects)
      file(REMOVE_RECURSE "${other}")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT "${list_file}" CONTENT "${list_text}\n" @ONLY)
  _nereid_add_command("${header};${cxx_header};${rust};${generated_source};${images};${python_files}" "${folder}/${name}.stamp"
    COMMAND "${NEREID_EXECUTABLE}" link ${objects} --name "${name}" --output "${folder}" --source ${host}
            --deferred-warnings ${warnings_as_errors} ${tuning} ${library_options}
    DEPENDS ${objects} ${warnings} ${tuning_files} "${list_file}" "${NEREID_EXECUTABLE}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}"
    COMMENT "Linking Triton kernel library ${name}")
endfunction()

# Refuses a library that cannot be, before anything is added.
function(_nereid_check_library where name)
  if(ARG_STATIC AND ARG_SHARED)
    message(FATAL_ERROR "${where} a library is STATIC or SHARED, not both")
  endif()
  set(is_static OFF)
  if(ARG_STATIC OR (NOT ARG_SHARED AND DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS))
    set(is_static ON)
  endif()
  if(ARG_PYTHON AND is_static)
    message(FATAL_ERROR "${where} PYTHON needs a library that is SHARED")
  endif()
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "${where} the library's functions begin with its name, so it must be an identifier of C")
  endif()
  if(DEFINED ARG_VISIBILITY AND NOT ARG_VISIBILITY MATCHES "^(default|hidden)$")
    message(FATAL_ERROR "${where} VISIBILITY is default or hidden, not '${ARG_VISIBILITY}'")
  endif()
  if("${ARG_VISIBILITY}" STREQUAL "hidden" AND NOT is_static)
    message(FATAL_ERROR "${where} VISIBILITY hidden is for a library that is STATIC: of a shared one nobody could call anything")
  endif()
  if(DEFINED ARG_COMPRESS AND NOT ARG_COMPRESS MATCHES "^(none|speed|size)$" AND NOT ARG_COMPRESS MATCHES "\\$<")
    message(FATAL_ERROR "${where} COMPRESS is speed or size, not '${ARG_COMPRESS}'")
  endif()
  if(DEFINED ARG_FILE_SET AND CMAKE_VERSION VERSION_LESS 3.23)
    message(FATAL_ERROR "${where} FILE_SET needs CMake 3.23, and this is ${CMAKE_VERSION}")
  endif()
endfunction()

# Makes the target, from files that a command added before writes. The caller's ARG_ variables say how.
function(_nereid_add_library where name objects)
  _nereid_name_files(${name})
  if(ARG_STATIC)
    set(kind STATIC)
  elseif(ARG_SHARED OR NOT DEFINED BUILD_SHARED_LIBS OR BUILD_SHARED_LIBS)
    set(kind SHARED)
  else()
    set(kind STATIC)
  endif()
  add_library(${name} ${kind} "${generated_source}" "${header}" "${cxx_header}" "${images}")
  set_source_files_properties("${images}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  # Nobody debugs it, and a launch should cost as little in a project that is built without optimization. If the project
  # asks for debug information all the same, that must not name the folder of this build.
  set_source_files_properties("${generated_source}" PROPERTIES
    COMPILE_OPTIONS "-O2;-fdebug-prefix-map=${CMAKE_BINARY_DIR}=.")
  set(definitions "")
  if("${ARG_VISIBILITY}" STREQUAL "hidden" OR (kind STREQUAL "STATIC" AND NOT DEFINED ARG_VISIBILITY))
    list(APPEND definitions NRD_HIDDEN)
  endif()
  # Symbols of the TVM FFI do not name the library, and two static ones may have kernels of the same name.
  if(kind STREQUAL "STATIC")
    list(APPEND definitions NRD_NO_TVM_FFI)
  endif()
  set_source_files_properties("${generated_source}" PROPERTIES COMPILE_DEFINITIONS "${definitions}")
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
    POSITION_INDEPENDENT_CODE ON)
  # What checks a project's sources has nothing to say of generated ones.
  foreach(checker CLANG_TIDY CPPCHECK CPPLINT INCLUDE_WHAT_YOU_USE)
    set_target_properties(${name} PROPERTIES C_${checker} "" CXX_${checker} "")
  endforeach()
  foreach(property VERSION SOVERSION FOLDER)
    if(DEFINED ARG_${property})
      set_target_properties(${name} PROPERTIES ${property} "${ARG_${property}}")
    endif()
  endforeach()
  if(DEFINED ARG_NAMESPACE)
    string(REGEX REPLACE "::$" "" namespace "${ARG_NAMESPACE}")
    add_library(${namespace}::${name} ALIAS ${name})
  endif()
  if(DEFINED ARG_FILE_SET)
    # What it is installed to is where importing projects look.
    target_sources(${name} PUBLIC FILE_SET ${ARG_FILE_SET} TYPE HEADERS BASE_DIRS "${folder}"
                                  FILES "${header}" "${cxx_header}")
  else()
    if(DEFINED ARG_INCLUDE_DESTINATION)
      set(include_folder "${ARG_INCLUDE_DESTINATION}")
    elseif(DEFINED CMAKE_INSTALL_INCLUDEDIR)
      set(include_folder "${CMAKE_INSTALL_INCLUDEDIR}")
    else()
      set(include_folder include)
    endif()
    set_target_properties(${name} PROPERTIES PUBLIC_HEADER "${header};${cxx_header}")
    target_include_directories(${name} PUBLIC
      "$<BUILD_INTERFACE:${folder}>" "$<INSTALL_INTERFACE:${include_folder}>")
  endif()
  if(ARG_PYTHON)
    # Under the name that the package loads, whatever the target's file is called.
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND "${CMAKE_COMMAND}" -E copy "$<TARGET_FILE:${name}>" "${python_folder}/lib${name}.so" VERBATIM)
  endif()
  # By their plain names, so that a project which imports the library needs to find no package; and as options, as the
  # project may have a target called `m`.
  list(TRANSFORM CMAKE_DL_LIBS PREPEND "-l" OUTPUT_VARIABLE dl_libraries)
  target_link_libraries(${name} PRIVATE -lm -lpthread ${dl_libraries})
  target_link_options(${name} PRIVATE "LINKER:--as-needed")
endfunction()

# The variables that OUTVAR asks for, in the scope of the function's caller.
macro(_nereid_set_outputs name objects)
  if(DEFINED ARG_OUTVAR)
    _nereid_name_files(${name})
    set(${ARG_OUTVAR}_HEADER "${header}" PARENT_SCOPE)
    set(${ARG_OUTVAR}_CXX_HEADER "${cxx_header}" PARENT_SCOPE)
    set(${ARG_OUTVAR}_RUST "${rust}" PARENT_SCOPE)
    set(${ARG_OUTVAR}_SOURCE "${generated_source}" PARENT_SCOPE)
    set(${ARG_OUTVAR}_IMAGES "${images}" PARENT_SCOPE)
    set(${ARG_OUTVAR}_OBJECTS "${objects}" PARENT_SCOPE)
    set(${ARG_OUTVAR}_INCLUDE_DIR "${folder}" PARENT_SCOPE)
    if(ARG_PYTHON)
      set(${ARG_OUTVAR}_PYTHON "${python_folder}" PARENT_SCOPE)
    endif()
  endif()
endmacro()

function(add_triton_kernel name)
  set(NEREID_LIST_FILE "${CMAKE_CURRENT_LIST_FILE}")
  _nereid_set_keywords()
  cmake_parse_arguments(PARSE_ARGV 1 ARG "${kernel_flags};${library_flags}" "${kernel_values};${library_values}"
                        "${kernel_lists};${library_lists}")
  set(where "add_triton_kernel(${name}):")
  set(keywords ${kernel_flags} ${library_flags} ${kernel_values} ${library_values} ${kernel_lists} ${library_lists})
  _nereid_check_arguments("${where}" "${keywords}" "${ARG_UNPARSED_ARGUMENTS}" "${ARG_KEYWORDS_MISSING_VALUES}")
  _nereid_check_library("${where}" ${name})
  set(objects "")
  _nereid_name_files(${name})
  if(ARG_SOURCE MATCHES "\\.(py|tc)$" AND NOT DEFINED ARG_KERNEL AND NOT DEFINED ARG_SIGNATURE)
    # Then annotations of the file say what is to be made of it.
    set(ARG_MANIFEST "${ARG_SOURCE}")
    unset(ARG_SOURCE)
    _nereid_build_manifest("${where}" ${name})
  else()
    _nereid_quote_arguments(1)
    cmake_language(EVAL CODE "_nereid_compile_kernel([[${where}]] ${name} objects ${quoted})")
    _nereid_link("${where}" ${name} "${objects}")
  endif()
  _nereid_add_library("${where}" ${name} "${objects}")
  _nereid_set_outputs(${name} "${objects}")
endfunction()

# One kernel of several: a function, so that nothing of it is left for the next one. What it does not say is as the library
# says, in the caller's NEREID_ALL_ variables.
function(_nereid_compile_group where name objects_variable)
  _nereid_set_keywords()
  cmake_parse_arguments(PARSE_ARGV 3 ARG "${kernel_flags}" "${kernel_values}" "${kernel_lists}")
  set(where "${where} ${ARG_KERNEL}:")
  _nereid_check_arguments("${where}" "${kernel_flags};${kernel_values};${kernel_lists}" "${ARG_UNPARSED_ARGUMENTS}"
                          "${ARG_KEYWORDS_MISSING_VALUES}")
  foreach(keyword IN LISTS kernel_values kernel_lists)
    if(NOT DEFINED ARG_${keyword} AND DEFINED NEREID_ALL_${keyword})
      set(ARG_${keyword} "${NEREID_ALL_${keyword}}")
    endif()
  endforeach()
  foreach(keyword IN LISTS kernel_flags)
    if(NEREID_ALL_${keyword})
      set(ARG_${keyword} ON)
    endif()
  endforeach()
  _nereid_quote_arguments(3)
  cmake_language(EVAL CODE "_nereid_compile_kernel([[${where}]] ${name} ${objects_variable} ${quoted})")
  set(${objects_variable} "${${objects_variable}}" PARENT_SCOPE)
endfunction()

function(add_triton_library name)
  set(NEREID_LIST_FILE "${CMAKE_CURRENT_LIST_FILE}")
  _nereid_set_keywords()
  set(where "add_triton_library(${name}):")
  # What stands before the first KERNEL, as those arguments that came before it.
  set(first ${ARGC})
  foreach(i RANGE 1 ${ARGC})
    if(i LESS ARGC AND "${ARGV${i}}" STREQUAL "KERNEL" AND first EQUAL ARGC)
      set(first ${i})
    endif()
  endforeach()
  set(shared "")
  set(i 1)
  while(i LESS first)
    string(REPLACE ";" "\\;" value "${ARGV${i}}")
    list(APPEND shared "${value}")
    math(EXPR i "${i} + 1")
  endwhile()
  set(values ${kernel_values} MANIFEST)
  list(REMOVE_ITEM values KERNEL)
  cmake_parse_arguments(ARG "${kernel_flags};${library_flags}" "${values};${library_values}"
                        "${kernel_lists};${library_lists}" ${shared})
  set(keywords ${kernel_flags} ${library_flags} ${values} ${library_values} ${kernel_lists} ${library_lists} KERNEL)
  _nereid_check_arguments("${where}" "${keywords}" "${ARG_UNPARSED_ARGUMENTS}" "${ARG_KEYWORDS_MISSING_VALUES}")
  _nereid_check_library("${where}" ${name})
  foreach(keyword IN ITEMS SIGNATURE WHEN)
    if(DEFINED ARG_${keyword})
      message(FATAL_ERROR "${where} ${keyword} belongs to a kernel, behind its KERNEL")
    endif()
  endforeach()
  _nereid_name_files(${name})
  set(objects "")
  if(DEFINED ARG_MANIFEST AND first LESS ARGC)
    message(FATAL_ERROR "${where} the kernels are those of a MANIFEST, or follow as KERNEL …, not both")
  elseif(DEFINED ARG_MANIFEST)
    _nereid_build_manifest("${where}" ${name})
  elseif(first EQUAL ARGC)
    message(FATAL_ERROR "${where} there is no KERNEL and no MANIFEST")
  else()
    foreach(keyword IN LISTS kernel_flags values kernel_lists)
      if(DEFINED ARG_${keyword})
        set(NEREID_ALL_${keyword} "${ARG_${keyword}}")
      endif()
    endforeach()
    set(group "")
    set(i ${first})
    while(i LESS ARGC)
      string(APPEND group " [=====[${ARGV${i}}]=====]")
      math(EXPR i "${i} + 1")
      if(i EQUAL ARGC OR "${ARGV${i}}" STREQUAL "KERNEL")
        cmake_language(EVAL CODE "_nereid_compile_group([[${where}]] ${name} objects ${group})")
        set(group "")
      endif()
    endwhile()
    _nereid_link("${where}" ${name} "${objects}")
  endif()
  _nereid_add_library("${where}" ${name} "${objects}")
  _nereid_set_outputs(${name} "${objects}")
endfunction()

# Adds the command that makes a library's files from a manifest.
function(_nereid_build_manifest where name)
  _nereid_name_files(${name})
  _nereid_get_host(host)
  _nereid_find_source("${where}" manifest "${ARG_MANIFEST}")
  foreach(keyword SOURCE FUNCTION GRID NUM_WARPS NUM_STAGES NUM_CTAS MAXNREG CONFIG COMPILE_LIMIT SIGNATURE WHEN
          FOR DISPATCH PYTHON_CALL TUNE)
    if(DEFINED ARG_${keyword})
      message(FATAL_ERROR "${where} ${keyword} is for ${ARG_MANIFEST} to say")
    endif()
  endforeach()
  set(options "")
  if(ARG_TARGETS)
    _nereid_check_targets("${where}")
    _nereid_join_targets(targets)
    string(REPLACE ";" "\\;" targets "${targets}")
    list(APPEND options --target "${targets}")
  endif()
  _nereid_add_source_options(options)
  _nereid_find_tuning("${where}" tuning_files tuning)
  list(APPEND options ${tuning})
  _nereid_check_expressions("${where}" ${options})
  _nereid_get_launcher(launcher)
  if(NOT launcher STREQUAL "")
    _nereid_quote_words(launcher ${launcher})
    list(APPEND options --launcher "${launcher}")
  endif()
  _nereid_add_command("${header};${cxx_header};${rust};${generated_source};${images};${python_files}" "${folder}/${name}.stamp"
    COMMAND "${NEREID_EXECUTABLE}" build "${manifest}" --name "${name}" --output "${folder}" --source ${host} ${options}
            ${library_options}
            --depfile "${folder}/${name}.d"
    DEPENDS "${manifest}" ${tuning_files} "${NEREID_EXECUTABLE}"
    DEPFILE "${folder}/${name}.d"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    COMMENT "Building Triton kernel library ${name} from ${ARG_MANIFEST}")
endfunction()

cmake_policy(POP)
