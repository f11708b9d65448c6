#!/usr/bin/env bash
# What libraries export and what their headers declare: two libraries with a kernel of one name in one program, kernels
# named like functions of the C library, and the warnings of C and C++ compilers.
#
#   symbols.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

# Each library's kernel is called `apply`, and does something else; `exp` writes 7.
for operation in plus minus; do
  sign=$([ $operation = plus ] && echo + || echo -)
  cat >$operation.py <<PY
import triton
import triton.language as tl


@triton.jit
def apply(x_ptr, register, stream, grid, n):
    tl.store(x_ptr, tl.load(x_ptr) $sign n)


@triton.jit
def exp(x_ptr, MODE: tl.constexpr):
    tl.store(x_ptr, 7.0)
PY
  run "$nereid" compile $operation.py -k apply -s "*fp32, i32, i32, i32, i32" -t cpu:x86-64-v2 -g n -o $operation.nko
  run "$nereid" link $operation.nko -n $operation -o .
done

# With a constant that must not be taken for C.
seven='*fp32, "/* ??/ */ \"// ??="'
# The kernel's own name is refused with what to do about it, before anything is compiled, and by the linker.
refused() { # EXPECTED COMMAND…
  local expected=$1
  shift
  ! "$@" >log 2>&1 || fail "accepted: $*"
  [ "$(grep -c 'error:' log)" = 1 ] || fail "not one message: $*"
  grep -qF -- "$expected" log || fail "expected '$expected' of $*"
}
declared="because the C library declares that name"
refused "the kernel 'exp' of 'plus.py' cannot be a C function of that name, $declared" \
  "$nereid" compile plus.py -k exp -s "$seven" -t cpu:x86-64-v2 -g 1 -o exp.nko
grep -qF 'FUNCTION in CMake' log || fail "the message does not name the way out"
refused "<function>:1:1: error: 'read' cannot be the name of a C function, $declared" \
  "$nereid" compile plus.py -k exp --function read -s "$seven" -t cpu:x86-64-v2 -g 1 -o exp.nko
refused "'co_await' cannot be the name of a C function, because it is a keyword of C or C++" \
  "$nereid" compile plus.py -k exp --function co_await -s "$seven" -t cpu:x86-64-v2 -g 1 -o exp.nko
[ ! -e exp.nko ] || fail "a refused kernel object was written"
run "$nereid" compile plus.py -k exp --function set_seven -s "$seven" -t cpu:x86-64-v2 -g 1 -o exp.nko
run "$nereid" link exp.nko -n seven -o .
run "$nereid" link exp.nko -n quiet -o static --static

# Nothing is exported but what begins with the library's name, and what a loader of the TVM FFI looks up in this library.
for library in plus minus seven; do
  nm -D --defined-only lib$library.so >log
  ! grep -vE " (${library}|__tvm_ffi)_" log || fail "lib$library.so exports other names"
  [ -s log ] || fail "lib$library.so exports nothing"
done
nm -g --defined-only static/libquiet.a >log
! grep -E ' [A-Za-z] ' log | grep -vE ' quiet_' || fail "libquiet.a defines other names"

# A program of its own `apply`, which links to both; a file for each library with the short name; one with both headers.
cat >one.c <<'C'
#include "plus.h"
float one(float x);
float one(float x) { return apply(nrd_cpu_stream(), &x, 0, 0, 0, 1) == NRD_OK ? x : -100; }
C
cat >two.c <<'C'
#include "minus.h"
float two(float x);
float two(float x) {
  nrd_dim3 grid = {1, 1, 1};
  return apply_grid(nrd_cpu_stream(), grid, &x, 0, 0, 0, 1) == NRD_OK ? x : -100;
}
C
cat >main.c <<'C'
#include "minus.h"
#include "seven.h"
/* The short names of these are those of the two above. */
#define NRD_NO_SHORT_NAMES 1
#include "plus.h"
#include "quiet.h"
#include <math.h>
#include <stdio.h>
float one(float x), two(float x);
int main(void) {
  float a = 10, b = 10, c = 0, d = 0;
  volatile double zero = 0;
  plus_apply(nrd_cpu_stream(), &a, 0, 0, 0, 1);
  apply(nrd_cpu_stream(), &b, 0, 0, 0, 1);
  set_seven(nrd_cpu_stream(), &c);
  quiet_set_seven(nrd_cpu_stream(), &d);
  if (a != 11 || b != 9 || c != 7 || d != 7 || one(10) != 11 || two(10) != 9 || exp(zero) != 1) {
    printf("%g %g %g %g %g %g %g\n", a, b, c, d, one(10), two(10), exp(zero));
    return 1;
  }
  return 0;
}
C
link=(-I. -Istatic -L. -lplus -lminus -lseven static/libquiet.a -lm -lpthread -ldl -Wl,-rpath,.)
flags=(-Wall -Wextra -Wpedantic -Werror)
for compiler in cc clang-22; do
  command -v $compiler >log || continue
  for std in c99 c11 gnu17; do
    run $compiler -std=$std "${flags[@]}" -Wmissing-prototypes -Wstrict-prototypes main.c one.c two.c -o main "${link[@]}"
  done
done
run ./main
for compiler in c++ clang++-22; do
  command -v $compiler >log || continue
  for std in c++11 c++20; do
    for file in one two main; do run $compiler -x c++ -std=$std "${flags[@]}" -I. -Istatic -c $file.c -o $file.o; done
  done
  run $compiler main.o one.o two.o -o main_cxx "${link[@]}"
  run ./main_cxx
done

# In C++ libraries whose functions differ in their arguments are overloads: one name for both types.
cat >double.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def twice(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) * 2)
PY
for type in fp32 fp64; do
  run "$nereid" compile double.py -k twice -s "*$type" -t cpu:x86-64-v2 -g 1 -o twice.nko
  run "$nereid" link twice.nko -n twice_$type -o . --static
done
cat >overload.cpp <<'C'
#include "twice_fp32.h"
#include "twice_fp64.h"
int main() {
  float x = 1;
  double y = 2;
  return twice(nrd_cpu_stream(), &x) != NRD_OK || twice(nrd_cpu_stream(), &y) != NRD_OK || x != 2 || y != 4;
}
C
run c++ "${flags[@]}" -I. overload.cpp libtwice_fp32.a libtwice_fp64.a -lm -lpthread -ldl -o overload
run ./overload

# Parameters may have any name of Python's: one that C keeps for itself because of how it begins, the name that such a
# one would become, a keyword, a macro.
cat >names.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def names(x_ptr, _M, arg_M, nrd_n, register, errno, __dunder):
    tl.store(x_ptr, _M + arg_M + nrd_n + register + errno + __dunder)
PY
run "$nereid" compile names.py -k names -s "*i32, i32, i32, i32, i32, i32, i32" -t cpu:x86-64-v2 -g 1 -o names.nko
run timeout 20 "$nereid" link names.nko -n names_library -o . --static
cat >names.c <<'C'
#include "names_library.h"
int main(void) {
  int32_t x = 0;
  return names(nrd_cpu_stream(), &x, 1, 2, 4, 8, 16, 32) != NRD_OK || x != 63;
}
C
run cc "${flags[@]}" -I. names.c libnames_library.a -lm -lpthread -ldl -o names
run ./names
echo "symbols: all checks passed"
