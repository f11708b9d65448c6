#!/usr/bin/env bash
# What --debug and --debug-info do, from outside: assertions that stop `nereid run` and a library's call, line tables
# on all targets, and a crash that a debugger explains.
#
#   debugging.sh NEREID LLVM_BIN
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
llvm=$2
mkdir kernels

cat >kernels/k.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def scaled(x, factor):
    y = tl.exp2(x * factor)  # HELPER
    return y + 1.0


@triton.jit(noinline=True)
def bounded(total, limit):
    return tl.minimum(total, limit)  # APART


@triton.jit
def joined(a, b):
    return a + b  # COMBINE


@triton.jit
def total(x_ptr, out_ptr, n, limit, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0.0)  # LOAD
        acc += scaled(x, 3.0)  # CALL
    assert n < limit
    result = bounded(tl.reduce(acc, 0, joined), 1e30)
    tl.store(out_ptr + tl.program_id(0), result)  # STORE
PY
line() { grep -n "# $1" kernels/k.py | cut -d: -f1; }
signature="*fp32, *fp32, i32, i32, 64"
object() { "$nereid" compile kernels/k.py -k total -s "$signature" "$@"; }

# ---- Line tables.

# has TARGET MARK… < rows: the numbers of the marked lines are among them.
has() {
  local target=$1 rows
  shift
  rows=$(cat)
  for mark in "$@"; do
    grep -qx "$(line "$mark")" <<<"$rows" || fail "$target: no instruction of the line marked $mark"
  done
}
dwarf_lines() { "$llvm/llvm-dwarfdump" --debug-line "$1" | awk '/^0x/ {print $2}' | sort -u; }

for target in cpu:x86-64-v2 cpu:x86-64-v4; do
  object -t $target --emit obj -o k.o --debug-info
  dwarf_lines k.o | has $target LOAD HELPER COMBINE APART STORE
done
object -t cpu:aarch64 --emit obj -o k.o --debug-info
dwarf_lines k.o | has cpu:aarch64 LOAD HELPER COMBINE APART STORE
object -t hip:gfx942 --emit hsaco -o k.hsaco --debug-info
dwarf_lines k.hsaco | has hip:gfx942 LOAD HELPER COMBINE STORE
object -t cuda:90a --emit ptx -o k.ptx --debug-info
awk '$1 == ".loc" {print $3}' k.ptx | sort -u | has cuda:90a LOAD HELPER COMBINE STORE
if [ "${NEREID_PTXAS:-}" != none ] &&
  { command -v ptxas >/dev/null || [ -n "${NEREID_PTXAS:-}" ] || [ -x /usr/local/cuda/bin/ptxas ]; }; then
  object -t cuda:90a --emit cubin -o k.cubin --debug-info
  "$llvm/llvm-readelf" -S k.cubin | grep debug_line  >/dev/null || fail "the cubin has no line table"
fi
# Paths are those that were given, or what the map makes of them.
object -t cpu:x86-64-v2 --emit obj -o k.o --debug-info --prefix-map kernels=src/gpu
"$llvm/llvm-dwarfdump" --debug-line k.o | grep -E 'src/gpu(/k.py)?"' >/dev/null || fail "the prefix map is ignored"
if grep -q "$work" k.o; then fail "the object holds a path of this machine"; fi
# What is replaced may hold a '='.
cp -r kernels a=b
"$nereid" compile a=b/k.py -k total -s "$signature" -t cpu:x86-64-v2 --emit obj -o k.o --debug-info --prefix-map a=b=src/gpu
"$llvm/llvm-dwarfdump" --debug-line k.o | grep -E 'src/gpu(/k.py)?"' >/dev/null || fail "the prefix map ends at the first '='"
# Nothing of it without.
object -t cpu:x86-64-v2 --emit obj -o k.o
if "$llvm/llvm-readelf" -S k.o | grep -E 'debug_line|eh_frame' >/dev/null; then fail "line tables nobody asked for"; fi

# ---- A crash in a library, seen by a debugger.

cat >main.c <<'C'
#include "sums.h"
int main(void) {
  static float x[1000];
  return (int)total(nrd_cpu_stream(), x, (float *)64, 1000, 2000);
}
C
object -t cpu -g 1 --debug-info -o k.nko
"$nereid" link k.nko -n sums -o out --shared >/dev/null
cc -Iout main.c -Lout -lsums -Wl,-rpath,"$PWD/out" -o main
if command -v gdb >/dev/null; then
  gdb -batch -nx -ex run -ex bt ./main >gdb.log 2>&1 </dev/null || true
  # Where ptrace is not allowed there is nothing to see.
  if grep -q SIGSEGV gdb.log; then
    grep -q "k.py:$(line STORE)" gdb.log || { cat gdb.log >&2; fail "the debugger does not know the line of the store"; }
    if grep -q warning gdb.log; then cat gdb.log >&2; fail "the debugger does not like the tables"; fi
    grep -q '^#[0-9]* .*\bmain ()' gdb.log || { cat gdb.log >&2; fail "the stack cannot be unwound"; }
  fi
fi
# The same from the tables: an instruction of the helper lies in the helper, called in its line of the kernel.
object -t cpu:x86-64-v3 --emit obj -o k.o --debug-info
address=$("$llvm/llvm-dwarfdump" --debug-line k.o | awk -v line="$(line HELPER)" '/^0x/ && $2 == line && !found++ {print $1}')
"$llvm/llvm-symbolizer" --obj=k.o "$address" >symbols.log
grep -q '^scaled' symbols.log && grep -q "k.py:$(line CALL)" symbols.log && grep -q '^total' symbols.log ||
  { cat symbols.log >&2; fail "the symbolizer does not see through the inlined call"; }
"$llvm/llvm-readelf" -S k.o | grep eh_frame  >/dev/null || fail "there is nothing to unwind by"

# ---- Assertions.

python3 - <<'PY'
import struct
def npy(path, descr, count, raw):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (descr, count)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + raw)
npy("x.npy", "<f4", 100, struct.pack("<100f", *range(100)))
npy("out.npy", "<f4", 4, struct.pack("<4f", *[-1.0] * 4))
PY
run() {
  "$nereid" run kernels/k.py -k total -s "$signature" -g 4 --arg x_ptr=@x.npy --arg out_ptr=@out.npy "$@" \
    --out out_ptr=result.npy >run.log 2>&1
}
run --arg n=100 --arg limit=50 || fail "assertions are checked although nobody asked"
run --debug --arg n=100 --arg limit=101 || { cat run.log >&2; fail "an assertion that holds fails"; }
rm -f result.npy
status=0
run --debug --arg n=100 --arg limit=100 || status=$?
[ $status -eq 1 ] || fail "exit status $status for a failed assertion"
grep -q "^kernels/k.py:$(grep -n 'assert n' kernels/k.py | cut -d: -f1):[0-9]*: error: assertion failed in program (., 0, 0): n < limit" run.log ||
  { cat run.log >&2; fail "the assertion is not told of"; }
grep -q '\^' run.log || fail "the assertion is not pointed at"
[ ! -e result.npy ] || fail "outputs were saved after a failed assertion"

cat >main.c <<'C'
#include "sums.h"
#include <stdio.h>
int main(void) {
  static float x[1000], out[4];
  nrd_status status = total(nrd_cpu_stream(), x, out, 1000, 1000);
  printf("%d %s\n", (int)status, sums_last_error());
  return total(nrd_cpu_stream(), x, out, 1000, 1001) != NRD_OK;
}
C
printf '{"name": "sums", "targets": ["cpu"], "debug": true, "prefix_map": ["kernels/="], "kernels": [
  {"source": "kernels/k.py", "kernel": "total", "grid": "4", "signatures": ["%s"]}]}' "$signature" >manifest.json
"$nereid" build manifest.json -o out >/dev/null
cc -Iout main.c -Lout -lsums -Wl,-rpath,"$PWD/out" -o main
./main >main.log 2>&1 || { cat main.log >&2; fail "the library's call fails although the assertion holds"; }
grep -q '^7 total: .*k.py:[0-9]*: assertion failed in program (., 0, 0): n < limit$' main.log ||
  { cat main.log >&2; fail "the library does not tell of the assertion"; }
