# Writes down which version of glibc a program needs at least, and refuses one that needs libraries that a fresh system
# may not have.
#
#   cmake -DPROGRAM=… -DREADELF=llvm-readelf -DOUTPUT=glibc-version -P CheckNeeds.cmake
execute_process(COMMAND "${READELF}" --needed-libs --version-info "${PROGRAM}"
  OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n\t]+\\.so[.0-9]*" libraries "${text}")
list(REMOVE_DUPLICATES libraries)
list(FILTER libraries EXCLUDE REGEX "^(lib(c|m|gcc_s|pthread|dl|rt)\\.so\\.[0-9]+|ld-linux.*)$")
if(libraries)
  message(FATAL_ERROR "${PROGRAM} needs ${libraries}, which is not part of every system")
endif()
string(REGEX MATCHALL "GLIBC_[0-9.]+" versions "${text}")
list(TRANSFORM versions REPLACE "GLIBC_" "")
list(SORT versions COMPARE NATURAL ORDER DESCENDING)
list(GET versions 0 newest)
file(WRITE "${OUTPUT}" "${newest}\n")
message(STATUS "${PROGRAM}: glibc ${newest} or newer")
