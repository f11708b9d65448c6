#!/usr/bin/env bash
# A library from a manifest: one kernel for two element types as two C functions, with few lines of progress in a log.
#
#   manifest.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
mkdir "$work/kernels"

cat >"$work/kernels/double.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(x_ptr + offsets, 2 * tl.load(x_ptr + offsets, mask=mask), mask=mask)
PY

# kernel FUNCTION TYPE: six variants of the kernel, so that there are twelve images in all.
kernel() {
  printf '{"source": "kernels/double.py", "kernel": "double_kernel", "function": "%s", "grid": "cdiv(n, BLOCK)",
           "signatures": ["*%s:16, i32:16, 32", "*%s, i32:16, 32", "*%s:16, i32, 32", "*%s, i32, 32",
                          "*%s:16, i32:1, 32", "*%s, i32:1, 32"]}' "$1" "$2" "$2" "$2" "$2" "$2" "$2"
}
printf '{"name": "doubling", "targets": ["cpu:x86-64-v2"], "kernels": [%s, %s]}' \
  "$(kernel double_f32 fp32)" "$(kernel double_f64 fp64)" >"$work/manifest.json"

"$nereid" build "$work/manifest.json" -o "$work/out" >"$work/log" 2>&1 || fail "the manifest was refused"
for name in double_f32 double_f32_grid double_f64 double_f64_grid; do
  grep -q "nrd_status $name(" "$work/out/doubling.h" || fail "no function $name"
done
grep -q '^\[12/12\] double_kernel for cpu:x86-64-v2$' "$work/log" || fail "no last line of progress"
[ "$(grep -c '^\[' "$work/log")" -le 10 ] || fail "more than ten lines of progress"

cat >"$work/main.c" <<'C'
#include "doubling.h"
int main(void) {
  float x[3] = {1, 2, 3};
  double y[3] = {4, 5, 6};
  if (double_f32(nrd_cpu_stream(), x, 3) != NRD_OK || double_f64(nrd_cpu_stream(), y, 3) != NRD_OK)
    return 1;
  return x[2] != 6 || y[0] != 8;
}
C
cc -I"$work/out" "$work/main.c" -o "$work/main" -L"$work/out" -ldoubling -Wl,-rpath,"$work/out" >"$work/log" 2>&1 ||
  fail "the program does not compile"
"$work/main" || fail "the results are wrong"

sed -i 's/double_f64/double-f64/' "$work/manifest.json"
! "$nereid" build "$work/manifest.json" -o "$work/out" >"$work/log" 2>&1 || fail "a bad name was accepted"
grep -q "manifest\.json:[0-9]*:[0-9]*: error: 'double-f64' cannot be the name of a C function" "$work/log" ||
  fail "the bad name is not said to be one"

# What several variants are warned of is said once, with how many, and what some of them are warned of, with which.
cat >"$work/kernels/warned.py" <<'PY'
import triton
import triton.language as tl
from nowhere import marked


@marked
@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (32, 64)], key=["n"],
                 prune_configs_by={"early_config_prune": lambda configs, args: configs})
@triton.jit
def warned(x_ptr, n, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), n)
PY
cat >"$work/warned.json" <<'JSON'
{"name": "warned", "targets": ["cpu:x86-64-v2", "cpu:x86-64-v3"], "kernels": [
  {"source": "kernels/warned.py", "kernel": "warned", "grid": "cdiv(n, BLOCK)", "autotune": true,
   "signatures": ["*i32:16, i32:16", "*i32, i32"]},
  {"source": "kernels/double.py", "kernel": "double_kernel", "grid": "cdiv(n, BLOCK)", "signatures": ["*i32, i32, 32"]}]}
JSON
for launcher in "" "env A=1"; do
  "$nereid" build "$work/warned.json" --launcher "$launcher" -o "$work/out" >"$work/log" 2>&1 || fail "warnings"
  for words in "warning: decorator 'marked' is not known" "warning: 'warned' has Triton drop configurations"; do
    [ "$(grep -c "$words" "$work/log")" = 1 ] || fail "not once: $words"
  done
  [ "$(grep -c "^nereid: note: this concerns 4 of 5 variants: 'warned(\*i32:16, i32:16) BLOCK=32 " "$work/log")" = 2 ] ||
    fail "the number of variants"
done

# Variants that cannot be one function are shown where the manifest has them.
refused() { # EXPECTED SIGNATURES
  printf '{"name": "doubling", "targets": ["cpu:x86-64-v2"], "kernels": [{"source": "kernels/double.py",\n"kernel": "double_kernel", "signatures": [\n%s]}]}' \
    "$2" >"$work/manifest.json"
  ! "$nereid" build "$work/manifest.json" -o "$work/out" >"$work/log" 2>&1 || fail "accepted: $2"
  grep -qF "$1" "$work/log" || fail "expected: $1"
}
refused "manifest.json:4:2: error: the variants of 'double_kernel' do not have the same C arguments: '*fp16, i32, 32' of \
'kernels/double.py' takes (x_ptr *fp16, n i32), and '*fp32, i32, 32' of 'kernels/double.py' takes (x_ptr *fp32, n i32)" \
  '"*fp32, i32, 32",
"*fp16, i32, 32"'
refused "manifest.json:4:2: error: of the variants of 'double_kernel', '*fp32, 17, 32' of 'kernels/double.py' has the compile-time \
value 17 for 'n', which '*fp32, i32, 32' of" '"*fp32, i32, 32",
"*fp32, 17, 32"'
refused "manifest.json:4:2: error: 'double_kernel' with the signature '*fp32, i32, 32' is given twice for cpu:x86-64-v2" '"*fp32, i32, 32",
"*fp32, i32, 32"'

# Every value that is refused is shown where it stands, also one that is spelled with escapes, or refused by the link.
placed() { # EXPECTED LINE…: the third line is the one with the wrong value
  printf '{"name": "doubling", "targets": ["cpu:x86-64-v2"], "kernels": [{"source": "kernels/double.py",\n"kernel": "double_kernel",\n%s\n}]}' \
    "$2" >"$work/manifest.json"
  ! "$nereid" build "$work/manifest.json" -o "$work/out" >"$work/log" 2>&1 || fail "accepted: $2"
  grep -qF -A 2 "$1" "$work/log" || fail "expected: $1"
  grep -A 2 -F "$1" "$work/log" | tail -1 | grep -qE '^ *\^~*$' || fail "no caret: $1"
}
good='"signatures": ["*fp32, i32, 32"]'
placed "manifest.json:3:51: error: '" "$good, \"definitions\": {\"BLOK\": 1}"
placed "manifest.json:3:58: error: '' is not a name" "$good, \"definitions\": [\"A=1\", \"=2\"]"
placed "manifest.json:3:44: error: unknown target 'hpi'" "$good, \"for\": {\"hpi\": {\"num_warps\": 8}}"
placed "manifest.json:3:43: error: unknown target 'hpi'" "$good, \"for\": {\"hp\\u0069\": {\"num_warps\": 8}}"
placed "manifest.json:3:67: error: 'double_kernel' has no parameter 'B'" "$good, \"for\": {\"cpu\": {\"constants\": {  \"B\": 8}}}"
placed "manifest.json:3:67: error: expected the name of a parameter" "$good, \"for\": {\"cpu\": {\"constants\": {  \"b-c\": 8}}}"
placed "manifest.json:3:43: error: 'N' is not a parameter" "$good, \"grid\": \"cdiv(\\u004e, 32)\""
placed "manifest.json:3:35: error: unknown key \"grid2\"" "$good, \"gri\\u00642\": \"1\""
placed "manifest.json:3:16: error: this string is not closed" '"signatures": ["*fp32, i32, \"32"]'
printf '{"targets": ["cpu:x86-64-v2"],\n"name": "pthread",\n"kernels": [{"source": "kernels/double.py", "kernel": "double_kernel", %s}]}' \
  "$good" >"$work/manifest.json"
! "$nereid" build "$work/manifest.json" -o "$work/out" >"$work/log" 2>&1 || fail "the library pthread"
grep -qF "manifest.json:2:10: error: the library would export 'pthread_" "$work/log" || fail "no place for the library's name"
printf '{"name": "doubling", "targets": ["cpu:x86-64-v2"],\n"tuning": ["none.json"],\n"kernels": [{"source": "kernels/double.py", "kernel": "double_kernel", %s}]}' \
  "$good" >"$work/manifest.json"
! "$nereid" build "$work/manifest.json" -o "$work/out" >"$work/log" 2>&1 || fail "results that are not there"
grep -qE "manifest.json:2:13: error: cannot open '.*none.json'" "$work/log" || fail "no place for the tuning results"

# What is wrong with several variants is said once, and which ones they are.
cat >"$work/kernels/small.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def small(x_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK < 100, "too large")
    tl.store(x_ptr + tl.arange(0, BLOCK), n)
PY
cat >"$work/manifest.json" <<'JSON'
{"name": "a", "targets": ["cpu:x86-64-v2", "cuda:90a"], "kernels": [
  {"source": "kernels/small.py", "kernel": "small", "dispatch": ["BLOCK"], "signatures": [
    "*fp32, i32, [64, 128, 256]", "*fp32:16, i32, [64, 512]", "*fp32, i32:16, 33"]}]}
JSON
! "$nereid" build "$work/manifest.json" -o "$work/out" >"$work/log" 2>&1 || fail "accepted"
grep -qF "manifest.json:3:6: error: 4 of 6 variants could not be compiled: '*fp32, i32, 128', '*fp32, i32, 256', \
'*fp32:16, i32, 512', '*fp32, i32:16, 33'" "$work/log" || fail "the variants that failed are not named"
[ "$(grep -c "too large" "$work/log")" = 2 ] || fail "the reason is not said once"
echo "manifest: all checks passed"
