#!/usr/bin/env bash
# The keywords PYTHON and PYTHON_CALL of an installed Nereid: a package in the build folder, for a kernel that the
# project describes and for one with annotations.
#
#   cmake.sh PREFIX
set -euo pipefail
# shellcheck source=python_test.sh
. "$(dirname "$0")/python_test.sh"
prefix=$nereid

cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(app C)
find_package(Nereid CONFIG REQUIRED)
add_triton_kernel(copies
  SOURCE kernels.py  KERNEL add
  SIGNATURE "x=*fp32, y=None, out=*fp32, n=i32, SCALE=1, BLOCK=64"
  GRID "cdiv(n, BLOCK)"
  PYTHON_CALL "n=x.numel()" "contiguous(x, out)"
  PYTHON  VERSION 2.1.0  OUTVAR copies)
add_triton_kernel(annotated SOURCE kernels.py TARGETS cpu PYTHON)
file(WRITE ${CMAKE_BINARY_DIR}/folder "${copies_PYTHON}")
# Two that are linked into one program, with kernels of the same name.
foreach(name one two)
  add_triton_kernel(${name} SOURCE kernels.py KERNEL nothing SIGNATURE "*fp32, *fp32, *fp32, i32" GRID 1
    TARGETS cpu:x86-64-v2 STATIC VISIBILITY default)
endforeach()
add_executable(both both.c)
target_link_libraries(both PRIVATE one two)
if(STATIC_TOO)
  add_triton_kernel(archive SOURCE kernels.py TARGETS cpu PYTHON STATIC)
endif()
CMAKE
cat >both.c <<'C'
#define NRD_NO_SHORT_NAMES 1
#include "one.h"
#include "two.h"
int main(void) {
  float x[16] = {0};
  return one_nothing(nrd_cpu_stream(), x, x, x, 1) != NRD_OK || two_nothing(nrd_cpu_stream(), x, x, x, 1) != NRD_OK;
}
C
run cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix"
run cmake --build build
run build/both
folder=$(cat build/folder)
run env PYTHONPATH="$(dirname "$folder"):build/nereid/annotated" "$python" -c '
import inspect, copies, annotated
assert copies.__version__ == "2.1.0"
assert str(inspect.signature(copies.add)) == "(x, out, *, grid=None, stream=None)", inspect.signature(copies.add)
assert len(annotated.rms_norm.variants()) == 2, annotated.rms_norm.variants()'
refused "PYTHON needs a library that is SHARED" cmake -S . -B build -DSTATIC_TOO=ON
