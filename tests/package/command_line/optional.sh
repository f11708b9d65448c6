#!/usr/bin/env bash
# "optional" in a manifest: what does not compile is left out with a warning, and what is left is linked; "recorded" goes
# into the library as it is.
#
#   optional.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

cat >"$work/kernels.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def good_kernel(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, 7.0, mask=offsets < n)


@triton.jit
def bad_kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.store(x_ptr + nobody_knows, 7.0)
PY

# manifest EXTRA BLOCK: good_kernel with blocks of 32 and of BLOCK, and bad_kernel.
manifest() {
  printf '{"name": "mixed", "targets": ["cpu:x86-64-v2"], "recorded": {"format": 1}, %s "kernels": [
    {"source": "kernels.py", "kernel": "good_kernel", "dispatch": ["BLOCK"], "signatures": [
      {"signature": "*fp32, i32, 32", "recorded": {"identity": "0123abc", "launches": 3, "winners": [{"key": ["7"]}]}},
      "*fp32, i32, %s"]},
    {"source": "kernels.py", "kernel": "bad_kernel", "signatures": ["*fp32, i32, 32"]}]}' "$1" "$2" >"$work/manifest.json"
}

manifest "" 64
! "$nereid" build "$work/manifest.json" -o "$work/out" >"$work/log" 2>&1 || fail "a bad kernel was accepted"
[ ! -e "$work/out/libmixed.so" ] || fail "a library was written although a kernel is bad"

manifest '"optional": true,' 48 # which is no power of two
"$nereid" build "$work/manifest.json" -o "$work/out" >"$work/log" 2>&1 || fail "the optional kernels stopped the build"
grep -q "manifest\.json:[0-9]*:[0-9]*: warning: '\*fp32, i32, 32' of 'bad_kernel' is left out for cpu:x86-64-v2: .*nobody_knows" \
  "$work/log" || fail "nobody says that bad_kernel is left out"
grep -q "warning: '\*fp32, i32, 48' of 'good_kernel' is left out for cpu:x86-64-v2: " "$work/log" ||
  fail "nobody says that the block of 48 is left out"
grep -q ' good_kernel_grid(' "$work/out/mixed.h" || fail "the good kernel is missing"
! grep -q 'bad_kernel' "$work/out/mixed.h" || fail "the bad kernel is there"
"$nereid" inspect --json "$work/out/libmixed.so" >"$work/inspected"
grep -q '"identity": "0123abc"' "$work/inspected" || fail "what was recorded is not in the library"
grep -A 6 '"winners"' "$work/inspected" | grep -q '"7"' || fail "the winners are not in the library"

"$nereid" build "$work/manifest.json" -o "$work/strict" --werror >"$work/log" 2>&1 && fail "a warning was no error"

printf '{"name": "none", "targets": ["cpu:x86-64-v2"], "kernels": [{"source": "kernels.py", "kernel": "bad_kernel",
  "optional": true, "signatures": ["*fp32, i32, 32"]}]}' >"$work/none.json"
! "$nereid" build "$work/none.json" -o "$work/none" >"$work/log" 2>&1 || fail "a library of nothing was made"
grep -q "error: nothing is left" "$work/log" || fail "nobody says that nothing is left"

for wrong in '"optional": 1,' '"recorded": [],'; do
  manifest "$wrong" 64
  sed -i 's/"recorded": {"format": 1}, //' "$work/manifest.json"
  ! "$nereid" build "$work/manifest.json" -o "$work/out2" >"$work/log" 2>&1 || fail "$wrong was accepted"
  grep -q "manifest\.json:[0-9]*:[0-9]*: error: expected \"" "$work/log" || fail "nobody says what is wrong with $wrong"
done
echo "optional: all checks passed"
