#!/usr/bin/env bash
# A driver that lacks one of its functions, each in turn: the message names what the library cannot do without, and it does
# without the rest.
#
#   missing_functions.sh PROGRAM FAKE_CUDA.c FAKE_HIP.c
set -euo pipefail
program=$1 fake_cuda=$2 fake_hip=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc}
$cc -O1 -fPIC -c "$fake_cuda" -o "$work/libcuda.so.1.o"
$cc -O1 -fPIC -c "$fake_hip" -o "$work/libamdhip64.so.o"
status=0
try() { # LIBRARY FUNCTION required|optional
  echo "{ local: $2; };" >"$work/script"
  mkdir -p "$work/$2"
  $cc -shared "$work/$1.o" -o "$work/$2/$1" -Wl,--version-script="$work/script" -pthread
  if ! LD_LIBRARY_PATH=$work/$2 "$program" "missing_${1:3:4}" "$2" "$3" 2>"$work/log"; then
    echo "FAILED: $2"
    cat "$work/log"
    status=1
  fi
}
for function in cuInit cuGetErrorName cuGetErrorString cuStreamGetCtx cuCtxGetCurrent cuCtxPushCurrent_v2 cuCtxPopCurrent_v2 \
  cuCtxGetDevice cuDeviceGetCount cuDeviceGet cuDeviceGetName cuDeviceGetAttribute cuModuleLoadData cuModuleUnload \
  cuModuleGetFunction cuFuncSetAttribute cuLaunchKernel; do
  try libcuda.so.1 $function required
done
for function in cuCtxGetId cuDevicePrimaryCtxGetState cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease_v2 cuLibraryLoadData cuLibraryUnload cuLibraryGetKernel cuKernelGetFunction cuKernelSetAttribute \
  cuStreamGetDevice cuLaunchKernelEx cuTensorMapEncodeTiled; do
  try libcuda.so.1 $function optional
done
for function in hipInit hipGetErrorName hipGetDeviceCount hipGetDevice hipSetDevice hipModuleLoadData hipModuleUnload \
  hipModuleGetFunction hipModuleLaunchKernel; do
  try libamdhip64.so $function required
done
for function in hipStreamGetDevice hipModuleLaunchCooperativeKernel; do
  try libamdhip64.so $function optional
done
exit $status
