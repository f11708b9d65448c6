#!/usr/bin/env bash
# What a user does with an installed package, on a system that has neither LLVM nor Nereid's sources: run there, by
# hidden_llvm.sh beside this file or in a chroot by chroot.sh.
#
#   use_nereid.sh NEREID [EXAMPLES]     the program, and a folder with the examples 01-vector-add and the like
#
# Where there is no C compiler it sees to it that this is said. With EXAMPLES, CMake and a build tool it builds one.
set -euo pipefail
nereid=$1
examples=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset CC NEREID_ROCM_BITCODE ROCM_PATH CMAKE_PREFIX_PATH
unset NEREID_PTXAS NEREID_FATBINARY NEREID_LIBDEVICE CUDA_HOME CUDA_PATH

fail() {
  echo "FAILED: $*" >&2
  [ ! -e log ] || cat log >&2
  exit 1
}
run() { "$@" >log 2>&1 || fail "$*"; }
expect() { grep -qF -- "$1" log || fail "expected '$1'"; }

run "$nereid" --version
cat log
expect "LLVM: 22."
! grep -q "ROCm device libraries: none" log || fail "AMD's libraries are not in the package"
if command -v ldd >/dev/null; then
  run ldd "$(command -v "$nereid")"
  ! grep -E 'not found|LLVM|MLIR|libz|stdc' log || fail "it needs libraries that a package should hold"
fi

prefix=$("$nereid" --cmake-dir)
prefix=${prefix%/*/cmake/Nereid}
for file in man/man1/nereid.1.gz bash-completion/completions/nereid fish/vendor_completions.d/nereid.fish; do
  [ -s "$prefix/share/$file" ] || fail "there is no $prefix/share/$file"
done

cat >add.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@triton.jit
def count_kernel(out_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, 3 * offsets)


@triton.jit
def bessel_kernel(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.math.erf(tl.extra.libdevice.cyl_bessel_i0(tl.load(x_ptr + offsets))))
PY
cat >main.c <<'C'
#include "vector_add.h"
#include <stdio.h>
int main(void) {
  static float x[1000], y[1000], out[1000];
  int i;
  for (i = 0; i < 1000; ++i) {
    x[i] = (float)i;
    y[i] = (float)(2 * i);
  }
  if (add_kernel(nrd_cpu_stream(), x, y, out, 1000) != NRD_OK) {
    fprintf(stderr, "%s\n", vector_add_last_error());
    return 1;
  }
  for (i = 0; i < 1000; ++i)
    if (out[i] != (float)(3 * i))
      return 1;
  return 0;
}
C
cc=
for name in cc gcc clang; do
  if command -v $name >/dev/null; then cc=$name; break; fi
done

echo "-- compile, link, inspect"
signature="*fp32:16, *fp32:16, *fp32:16, i32, 256"
run "$nereid" compile add.py -k add_kernel -s "$signature" -t cpu,cuda:80,cuda:90a,hip:gfx942 -g "cdiv(n, BLOCK)" -o add.nko
run "$nereid" compile add.py -k bessel_kernel -s "*fp32, 64" -t hip:gfx942 --emit hsaco -o bessel.hsaco
run "$nereid" link add.nko -n vector_add -o source --source
if [ -n "$cc" ]; then
  run "$nereid" link add.nko -n vector_add -o .
  run "$nereid" inspect libvector_add.so
  for words in cpu:x86-64-v3 cuda:90a hip:gfx942; do expect $words; done
  run $cc main.c -o app -L. -lvector_add -Wl,-rpath,.
  run ./app
else
  ! "$nereid" link add.nko -n vector_add -o . >log 2>&1 || fail "linked without a compiler"
  expect "no C compiler was found"
fi

echo "-- run"
# A NumPy file of 512 zeros.
printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<i4', 'fortran_order': False, 'shape': (512,), }" >zeros.npy
head -c 2048 /dev/zero >>zeros.npy
run "$nereid" run add.py -k count_kernel -s "*i32, 128" -g 4 --arg out_ptr=@zeros.npy --out out_ptr=out.npy
tail -c +129 out.npy | od -An -v -t d4 -w4 | awk '$1 != 3 * (NR - 1) { wrong = 1 } END { exit wrong || NR != 512 }' ||
  fail "the numbers are wrong"

if [ -n "$cc" ]; then
  echo "-- build from a manifest"
  printf '{"name": "adding", "targets": ["cpu", "hip:gfx90a"], "kernels": [{"source": "add.py", "kernel": "add_kernel",
    "grid": "cdiv(n, BLOCK)", "signatures": ["*fp32, *fp32, *fp32, i32, 256"]}]}' >manifest.json
  run "$nereid" build manifest.json -o built
  [ -s built/libadding.so ] || fail "there is no library"
fi

if [ -n "$examples" ] && [ -n "$cc" ] && command -v cmake >/dev/null; then
  generator="Unix Makefiles"
  ! command -v ninja >/dev/null || generator=Ninja
  example="$examples/01-vector-add"
  if command -v nereid >/dev/null; then
    echo "-- CMake finds the package by itself, as its program is on the path ($generator)"
    run cmake -S "$example" -B build -G "$generator" -DCMAKE_BUILD_TYPE=Release
    run cmake --build build
    (cd build && ctest --output-on-failure) >log 2>&1 || fail "the example's results are wrong"
    expect "100% tests passed"
  fi
  echo "-- CMake finds the package where --cmake-dir says"
  run cmake -S "$example" -B other -G "$generator" "-DNereid_DIR=$("$nereid" --cmake-dir)"
else
  echo "-- no example is built: CMake, a compiler or the examples are not here"
fi
echo "all checks passed"
