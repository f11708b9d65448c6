#!/bin/bash
# Links nereid with LLVM's archives in place of its shared libraries, for a machine that has neither.
#
#     static_nereid.sh BUILD OUT        BUILD: a build folder of Nereid
set -euo pipefail
build=$(cd "$1" && pwd) out=$(realpath -m "$2")
llvm=$(dirname "$(sed -n 's/^LLVM_DIR:PATH=\(.*\)\/cmake\/llvm$/\1/p' "$build/CMakeCache.txt")/x")

# The build's own command, with the archives in place of the shared libraries.
command=$(cd "$build" && ninja -t commands nereid | tail -n 1 | sed -e 's|^: && ||' -e 's| && .*$||')
archives=()
for word in $command; do
  case $word in
  *libMLIR.so* | *libLLVM.so* | *libLLVM-*.so* | *liblld*.a | */libz.so | */libzstd.so | -Wl,-rpath,*) ;;
  aot/nereid) archives+=("$out") ;;
  *) archives+=("$word") ;;
  esac
done
cd "$build"
# Polly is only named by LLVM's link-time optimization, which is not used.
"${archives[@]}" -Wl,--start-group "$llvm"/liblldELF.a "$llvm"/liblldCommon.a \
  $(ls "$llvm"/libMLIR*.a | grep -v -e CAPI -e Lsp) "$llvm"/libLLVM*.a -Wl,--end-group -Wl,--gc-sections \
  -Wl,--strip-all -Wl,--defsym=_Z18getPollyPluginInfov=0 -static-libstdc++ -static-libgcc -Wl,-Bstatic -lz -lzstd \
  -Wl,-Bdynamic
"$out" targets > /dev/null # fails if something is missing
