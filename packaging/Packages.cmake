# Makes the packages: run by the target `dist`, in its folder.
#
#   cmake -DSOURCE=… -DBUILD=… -DOUTPUT=… -DPYTHON=python3 [-DKINDS="TGZ;DEB;wheel"] [-DQUICK=ON] -P Packages.cmake
#
# QUICK compresses the .deb in seconds, for a test; otherwise that takes most of a minute, for a third less.
#
# The same sources give the same bytes: every file's time is that of the commit, or what SOURCE_DATE_EPOCH says
# (https://reproducible-builds.org/specs/source-date-epoch).
set(epoch "$ENV{SOURCE_DATE_EPOCH}")
if(epoch STREQUAL "")
  execute_process(COMMAND git -C "${SOURCE}" log -1 --format=%ct OUTPUT_VARIABLE epoch ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(NOT epoch MATCHES "^[0-9]+$")
  set(epoch 1577836800) # 2020, for sources without a history
endif()
set(ENV{SOURCE_DATE_EPOCH} ${epoch})
set(ENV{TZ} UTC)
if(NOT KINDS)
  set(KINDS DEB TGZ wheel)
endif()

# CMake takes the time of SOURCE_DATE_EPOCH too.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(READ "${BUILD}/packaging/changelog.in" changelog)
file(WRITE "${BUILD}/packaging/changelog" "${changelog}${date}\n")
execute_process(COMMAND gzip -9nc "${BUILD}/packaging/changelog" OUTPUT_FILE "${BUILD}/packaging/changelog.Debian.gz"
  COMMAND_ERROR_IS_FATAL ANY)
set(compression "")
if(QUICK)
  set(compression -D CPACK_DEBIAN_COMPRESSION_TYPE=zstd)
endif()
foreach(kind IN LISTS KINDS)
  if(kind STREQUAL "wheel")
    set(tree "${OUTPUT}/tree")
    file(REMOVE_RECURSE "${tree}")
    foreach(component dist dist_other)
      execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --component ${component} --prefix "${tree}"
        OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
    execute_process(COMMAND "${PYTHON}" "${SOURCE}/packaging/wheel.py" "${tree}" "${BUILD}/packaging/wheel.json" "${OUTPUT}"
      COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE_RECURSE "${tree}")
  else()
    # Folders are as open as any, whatever the umask of who packs them.
    execute_process(COMMAND sh -c "umask 022 && exec \"$@\"" sh "${CMAKE_CPACK_COMMAND}" --config "${BUILD}/CPackConfig.cmake" -G ${kind}
      -B "${OUTPUT}" ${compression}
      OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE_RECURSE "${OUTPUT}/_CPack_Packages")
    if(kind STREQUAL "TGZ")
      file(GLOB archives "${OUTPUT}/nereid-*.tar.gz")
      foreach(archive IN LISTS archives)
        execute_process(COMMAND "${PYTHON}" "${SOURCE}/packaging/sort_archive.py" "${archive}" COMMAND_ERROR_IS_FATAL ANY)
      endforeach()
    endif()
  endif()
endforeach()
