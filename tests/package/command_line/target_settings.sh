#!/usr/bin/env bash
# What holds for some targets only, said on the command line, in a manifest and in annotations: the same library each time.
#
#   target_settings.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

cat >plain.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr, KIND: tl.constexpr = 1):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * BLOCK * KIND, mask=i < n)
PY
targets=cpu:x86-64-v2,cuda:80,cuda:90a,hip:gfx90a,hip:gfx942
sed '/^@triton.jit/i\
# nereid: grid = cdiv(n, BLOCK)\
# nereid: targets = cpu:x86-64-v2, cuda:80, cuda:90a, hip:gfx90a, hip:gfx942\
# nereid: num_warps = 2\
# nereid: for = hip: num_warps=8, BLOCK=64\
# nereid: signature = *fp32, i32, 128\
# nereid: for = cuda:90a: num_warps=16, num_stages=2\
# nereid: for = hip:gfx942: KIND=3, waves_per_eu=2\
# nereid: for = cpu: BLOCK=16' plain.py >annotated.py
cat >manifest.json <<'JSON'
{"name": "manifest", "targets": ["cpu:x86-64-v2", "cuda:80", "cuda:90a", "hip:gfx90a", "hip:gfx942"], "kernels": [
  {"source": "plain.py", "kernel": "scale", "grid": "cdiv(n, BLOCK)", "num_warps": 2,
   "for": {"hip": {"num_warps": 8, "constants": {"BLOCK": 64}}},
   "signatures": [{"signature": "*fp32, i32, 128",
                   "for": {"cuda:90a": {"num_warps": 16, "num_stages": 2},
                           "hip:gfx942": {"waves_per_eu": 2, "constants": {"KIND": 3}}, "cpu": {"constants": {"BLOCK": 16}}}}]}]}
JSON
"$nereid" compile plain.py -k scale -s "*fp32, i32, 128" -t $targets -g "cdiv(n, BLOCK)" --num-warps 2 \
  --for "hip: num_warps=8, BLOCK=64" --for "cuda:90a: num_warps=16, num_stages=2" \
  --for "hip:gfx942: KIND=3, waves_per_eu=2" --for "cpu:BLOCK=16" -o scale.nko >log 2>&1 || fail "compile"
"$nereid" link scale.nko -n manifest -o linked >log 2>&1 || fail "link"
"$nereid" build manifest.json -o built >log 2>&1 || fail "build"
"$nereid" build annotated.py -n manifest -o annotated >log 2>&1 || fail "build of annotations"
for folder in linked built annotated; do
  "$nereid" inspect --json $folder/libmanifest.so | sed '/"source":/d; /"file"/d; /"path"/d; /"asked_by"/d; /"asked_signature"/d; /"source_hash"/d; /"sha256"/d' >$folder.json
done
cmp built.json linked.json || fail "the manifest makes something else"
cmp built.json annotated.json || fail "annotations make something else"
"$nereid" inspect built/libmanifest.so >log
python3 - linked/libmanifest.so "$nereid" <<'PY' >log 2>&1 || fail "the settings of a target are wrong"
import json, subprocess, sys
library = json.loads(subprocess.check_output([sys.argv[2], "inspect", "--json", sys.argv[1]]))
found = {}
def visit(value, signature=None):
    if isinstance(value, dict):
        signature = value.get("signature", signature)
        if "images" in value:
            found[value["target"]] = (signature, value.get("num_warps"), value.get("num_stages"))
        for inner in value.values():
            visit(inner, signature)
    elif isinstance(value, list):
        for inner in value:
            visit(inner, signature)
visit(library)
print(json.dumps(library, indent=1))
print(found)
assert found["cuda:80"] == ("*fp32, i32, 128", 2, 3)
assert found["cuda:90a"] == ("*fp32, i32, 128", 16, 2)
assert found["hip:gfx90a"] == ("*fp32, i32, 64", 8, 3)
assert found["hip:gfx942"] == ("*fp32, i32, 64, KIND=3", 8, 3)
assert found["cpu:x86-64-v2"][0] == "*fp32, i32, 16"
PY
cat >main.c <<'C'
#include "manifest.h"
int main(void) {
  float x[40];
  for (int i = 0; i < 40; ++i)
    x[i] = 1;
  if (scale(nrd_cpu_stream(), x, 40) != NRD_OK)
    return 1;
  return x[0] != 16 || x[39] != 16;
}
C
cc -Ibuilt main.c -o main -Lbuilt -lmanifest -Wl,-rpath,"$work/built" >log 2>&1 || fail "the program does not compile"
./main || fail "the CPU's tiles or their grid are wrong"

# The code that AMD's options make differs.
for waves in 1 8; do
  "$nereid" compile plain.py -k scale -s "*fp32, i32, 4096" -t hip:gfx942 --for "hip: waves_per_eu=$waves" --emit llir >$waves.ll
done
! cmp -s 1.ll 8.ll || fail "waves_per_eu has no effect"

"$nereid" inspect --json annotated.py >log
expect '"for"'
expect '"BLOCK": "64"'

refused() { # EXPECTED MANIFEST
  printf '%s' "$2" >bad.json
  ! "$nereid" build bad.json -o bad >log 2>&1 || fail "accepted: $2"
  expect "$1"
  [ "$(grep -c "error:" log)" = 1 ] || fail "not one error"
}
kernel='"source": "plain.py", "kernel": "scale", "signatures": ["*fp32, i32, 128"]'
start='{"name": "a", "targets": ["hip:gfx942"], "kernels": [{'
refused "bad.json:1:146: error: " "$start$kernel, \"for\": {\"hip\": 8}}]}"
refused "unknown target 'hop'" "$start$kernel, \"for\": {\"hop\": {\"num_warps\": 8}}}]}"
refused "bad.json:1:160: error: expected \"num_warps\", an integer from 1" "$start$kernel, \"for\": {\"hip\": {\"num_warps\": 0}}}]}"
refused "'scale' has no parameter 'BLCOK'" "$start$kernel, \"for\": {\"hip\": {\"constants\": {\"BLCOK\": 8}}}}]}"
refused "expected a compile-time value" "$start$kernel, \"for\": {\"hip\": {\"constants\": {\"BLOCK\": \"8, KIND=2\"}}}}]}"
refused "the number of warps is 3" "$start$kernel, \"for\": {\"hip\": {\"num_warps\": 3}}}]}"
! "$nereid" compile plain.py -k scale -s "*fp32, i32, 128" -t cpu --for "num_warps=8" -o a.nko >log 2>&1 || fail "accepted"
expect "<--for>:1:1: error: expected TARGET: NAME=VALUE"
sed -i 's/for = cpu: BLOCK=16/for = cpu: BLOCK=x_ptr+/' annotated.py
! "$nereid" build annotated.py -o bad >log 2>&1 || fail "accepted"
grep -q "annotated.py:12:[0-9]*: error: " log || fail "the mistake is not shown in place"
echo "target settings: all checks passed"
