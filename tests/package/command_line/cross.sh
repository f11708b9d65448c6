#!/usr/bin/env bash
# Libraries for 64-bit Arm, made on any machine: what `cpu` stands for, the kind of the files, and, where Debian's
# cross-compiler and qemu are there, a program that runs. And libraries for musl, where musl-gcc is there.
#
#   cross.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

cat >kernel.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)
PY
compile=("$nereid" compile kernel.py -k scale -s "*fp32, i32, 64" -g "cdiv(n, BLOCK)")
run "${compile[@]}" -t cpu --host aarch64 -o arm.nko
run "${compile[@]}" -t cpu,cuda:90 --host x86_64 -o pc.nko
run "${compile[@]}" -t cuda:90 -o gpu.nko
run "$nereid" inspect arm.nko
expect "cpu:aarch64"
! grep -q x86-64 log || fail "code for x86-64 is there, too"
run "$nereid" inspect pc.nko
for level in v2 v3 v4; do expect "cpu:x86-64-$level"; done

# The object with the images: by its CPU code, and if there is none by --host.
run "$nereid" link arm.nko -n arm -o source --source
run readelf -h source/arm_images.o
expect AArch64
run "$nereid" link gpu.nko -n gpu -o source --source --host aarch64
run readelf -h source/gpu_images.o
expect AArch64
run "$nereid" link gpu.nko -n gpu -o source --source --host x86_64
run readelf -h source/gpu_images.o
expect X86-64
! "$nereid" link pc.nko -n pc -o source --source --host aarch64 >log 2>&1 || fail "code for x86-64 went into a library for Arm"
expect "its CPU code is not for the processors of '--host'"
# A C compiler for these processors would link it, and another one cannot: both is said before the linker has its own words.
other=aarch64
[ "$(uname -m)" != aarch64 ] || other=x86_64
run "${compile[@]}" -t cpu --host $other -o other.nko
for kind in shared static; do
  ! CC="cc -O1" "$nereid" link other.nko -n other -o none --$kind >log 2>&1 || fail "a library of two kinds of processors"
  expect "error: the library is for $other, and the C compiler '"
  expect "name one, CC=$other-linux-gnu-gcc"
  [ "$(wc -l <log)" = 1 ] || fail "not one message"
  if ! command -v $other-linux-gnu-gcc >/dev/null; then
    ! env -u CC "$nereid" link other.nko -n other -o none --$kind >log 2>&1 || fail "a library without a compiler"
    expect "error: no C compiler for $other was found (CC, $other-linux-gnu-gcc): install one"
    [ "$(wc -l <log)" = 1 ] || fail "not one message"
  fi
done
[ ! -e none ] || fail "something was left"
printf '{"name": "made", "targets": ["cpu"], "kernels": [{"source": "kernel.py", "kernel": "scale", "signatures": ["*fp32, i32, 64"]}]}' >manifest.json
run "$nereid" build manifest.json -o built --source --host aarch64 --depfile built/made.d
run readelf -h built/made_images.o
expect AArch64
run cat built/made.d
expect "built/made.h:"
expect kernel.py

# Another C library than glibc, in a static program and a shared library, where there is one.
if command -v musl-gcc >log; then
  cat >musl.c <<'C'
#include "pc.h"
int main(void) {
  static float x[100000];
  int i, wrong = 0;
  for (i = 0; i < 100000; ++i)
    x[i] = (float)i;
  wrong += scale(nrd_cpu_stream(), x, 100000) != NRD_OK || pc_num_threads() != 3;
  for (i = 0; i < 100000; ++i)
    wrong += x[i] != 2 * (float)i;
  pc_unload();
  return wrong != 0;
}
C
  if [ "$(uname -m)" = x86_64 ]; then
    for kind in shared static; do CC=musl-gcc run "$nereid" link pc.nko -n pc -o musl --$kind; done
    run musl-gcc -static musl.c -Imusl musl/libpc.a -lm -lpthread -o musl_static
    NEREID_NUM_THREADS=3 run ./musl_static
    run musl-gcc musl.c -Imusl -Lmusl -lpc -Wl,-rpath,"$work/musl" -o musl_shared
    NEREID_NUM_THREADS=3 run ./musl_shared
  fi
fi

gcc=aarch64-linux-gnu-gcc
if ! command -v $gcc >log; then
  echo "cross: the ELF headers are right; nothing was run, as there is no $gcc"
  exit 0
fi
for kind in shared static; do CC=$gcc run "$nereid" link arm.nko gpu.nko -n arm -o $kind --$kind; done
run readelf -h shared/libarm.so
expect AArch64
cat >main.c <<'C'
#include "arm.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int n = 100000, i, wrong = 0;
  float *x = malloc(sizeof *x * (size_t)n);
  for (i = 0; i < n; ++i)
    x[i] = (float)i;
  if (scale(nrd_cpu_stream(), x, n) != NRD_OK)
    puts(arm_last_error());
  for (i = 0; i < n; ++i)
    wrong += x[i] != 2 * (float)i;
  printf("%d wrong, %u threads\n", wrong, arm_num_threads());
  arm_unload();
  return wrong != 0;
}
C
run $gcc -O2 -Wall -Wextra -Werror main.c -Ishared -Lshared -larm -o main "-Wl,-rpath,$work/shared"
run $gcc -O2 -Wall -Wextra -Werror main.c -Istatic static/libarm.a -lm -lpthread -ldl -o main_static
if command -v qemu-aarch64 >log; then
  for program in main main_static; do
    NEREID_NUM_THREADS=3 run timeout 60 qemu-aarch64 -L /usr/aarch64-linux-gnu ./$program
    expect "0 wrong, 3 threads"
  done
  echo "cross: run with qemu-aarch64, all checks passed"
else
  echo "cross: compiled and linked; nothing was run, as there is no qemu-aarch64"
fi
