#!/usr/bin/env bash
# Guesses, -D and --werror, everywhere a source is compiled: compile, run, build and inspect. What was compiled shows in
# what the kernel computes.
#
#   definitions.sh NEREID
set -u
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
cat >guess.py <<'PY'
import triton
import triton.language as tl
from fast_kernels import fast_path

BLOCK = tl.constexpr(64 if fast_path() else 128)


@triton.jit
def block(out_ptr):
    tl.store(out_ptr, BLOCK)


@triton.autotune(configs=[triton.Config({"SIZE": 8 if fast_path() else 16}), triton.Config({"SIZE": 32})], key=[])
@triton.jit
def tuned(out_ptr, SIZE: tl.constexpr):
    tl.store(out_ptr, SIZE)
PY
python3 - <<'PY'
import struct
header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open("out.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<i", -1))
PY

# runs EXPECTED KERNEL ARGUMENT…: what the kernel stores when it is run so.
runs() {
  local expected=$1 kernel=$2 got
  shift 2
  "$nereid" run guess.py -k "$kernel" -s '*i32' -g 1 --arg out_ptr=@out.npy --out out_ptr=got.npy "$@" 2>stderr ||
    fail "status of run $*"
  got=$(python3 -c 'import struct; print(struct.unpack("<i", open("got.npy", "rb").read()[-4:])[0])')
  [ "$got" = "$expected" ] || fail "got $got instead of $expected: $*"
}
warning="guess.py:5:28: warning: 'fast_path\(\)' is not known when kernels are compiled and is taken to be False, so that \
'BLOCK' is 128; -D BLOCK=VALUE says otherwise"
runs 128 block
grep -Eq "$warning" stderr || fail "no warning of the guess"
[ "$(grep -c 'warning' stderr)" = 1 ] || fail "not one warning"
runs 64 block -D BLOCK=64
[ -s stderr ] && fail "a warning of what was answered"
runs 64 block -D 'fast_path=lambda: True' --werror
runs 16 tuned --config 0
grep -q 'guess.py:13:.*fast_path' stderr || fail "no warning of the guess in the configurations"
runs 8 tuned --config 0 -D 'fast_path=lambda: True' --werror
runs 16 tuned --config 0 --function other_name

compile=("$nereid" compile guess.py -t cpu:x86-64-v3 -o out.nko -k block -s '*i32')
exits 1 "guess.py:5:28: error: .*fast_path.* \[--werror\]" "${compile[@]}" --werror
exits 1 "<-D>:1:1: error: 'guess.py' has no module-level name 'BLOK'; did you mean 'BLOCK'" "${compile[@]}" -D BLOK=1
exits 1 "<-D>:1:1: error: 'BLOCK' is defined twice" "${compile[@]}" -D BLOCK=1 -D BLOCK=2
exits 1 "<-D>:1:1: error: 'BLOCK' is given no value" "${compile[@]}" -D BLOCK
exits 1 "<-D>:1:7: error: name 'fast' is not defined; a string is written with quotes" "${compile[@]}" -D BLOCK=fast
"$nereid" compile guess.py -t cpu -k block -s '*i32' -D BLOCK=1 --emit ttir -o text.ttir 2>stderr || fail "--emit with -D"
exits 1 "Triton IR has no names" "$nereid" compile text.ttir -t cpu:x86-64-v3 -k block -s '*i32' -o out.nko -D BLOCK=1
exits 1 "<kernel>:1:1: error: there is no kernel 'blok'" "$nereid" compile guess.py -t cpu -k blok -s '*i32'
exits 1 "<--num-warps>:1:1: error: the number of warps is 3" "${compile[@]}" --num-warps 3
[ -e out.nko ] && fail "what was refused left an output"

# One warning for all targets, and the definitions in the object and in the symbol.
"$nereid" compile guess.py -t cpu,hip:gfx942 -k block -s '*i32' -o a.nko 2>stderr || fail "compile"
[ "$(grep -c 'warning' stderr)" = 1 ] || fail "a warning for each target"
"${compile[@]}" -D BLOCK=64 2>stderr || fail "compile -D"
"$nereid" inspect out.nko | grep 'defined *BLOCK=64' >/dev/null || fail "inspect shows no definition"
symbol() {
  "$nereid" compile guess.py -t cpu -k block -s '*i32' --emit llir "$@" 2>/dev/null | grep -o 'block__[0-9a-f]*' | sed -n 1p
}
[ -n "$(symbol)" ] || fail "no symbol"
[ "$(symbol -D BLOCK=64)" != "$(symbol -D BLOCK=32)" ] || fail "two variants have one symbol"
[ "$(symbol -D BLOCK=64)" = "$(symbol -D BLOCK=64)" ] || fail "one variant has two symbols"

# A manifest: for all kernels, for one, for one signature; the command line comes first.
cat >manifest.json <<'JSON'
{"name": "guesses", "targets": ["cpu:x86-64-v3"], "definitions": {"BLOCK": 1},
 "kernels": [{"source": "guess.py", "kernel": "block", "function": "one", "grid": "1", "signatures": ["*i32"]},
             {"source": "guess.py", "kernel": "block", "function": "two", "grid": "1", "definitions": ["BLOCK=1 + 1"],
              "signatures": ["*i32", {"signature": "*i32:16", "definitions": {"BLOCK": "3"}}]}]}
JSON
"$nereid" build manifest.json -o lib --werror >stdout 2>stderr || fail "build"
stored() {
  cat >main.c <<'C'
#include "guesses.h"
#include <stdio.h>
int main(void) {
  _Alignas(16) int32_t out[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
  if (one(nrd_cpu_stream(), out + 1) || two(nrd_cpu_stream(), out + 2) || two(nrd_cpu_stream(), out + 4))
    return 1;
  printf("%d %d %d\n", out[1], out[2], out[4]);
  return 0;
}
C
  cc -Ilib main.c -o main -Llib -lguesses -Wl,-rpath,lib && ./main
}
[ "$(stored)" = "1 2 3" ] || fail "the manifest's definitions: $(stored)"
"$nereid" inspect lib/libguesses.so --json >inspect.json
python3 - <<'PY' || fail "definitions of the library"
import json
kernels = json.load(open("inspect.json"))["libraries"][0]["kernels"]
found = sorted(variant["definitions"][0] for kernel in kernels for variant in kernel["variants"])
assert found == ["BLOCK=1", "BLOCK=1 + 1", "BLOCK=3"], found
PY
"$nereid" build manifest.json -o lib -D BLOCK=9 >stdout 2>stderr || fail "build -D"
[ "$(stored)" = "9 9 9" ] || fail "-D over the manifest: $(stored)"
sed -i 's/"BLOCK": 1}/"BLOK": 1}/' manifest.json
exits 1 "manifest.json:1:[0-9]*: error: .*has no module-level name 'BLOK'" "$nereid" build manifest.json -o lib
sed -i 's/"BLOK": 1}/"BLOCK": [1]}/' manifest.json
exits 1 "manifest.json:1:.*error: expected a number, a boolean, null or a string" "$nereid" build manifest.json -o lib

# A Python file's configurations under a definition, and for a target.
"$nereid" inspect guess.py >stdout 2>stderr || fail "inspect"
grep -q 'config 0: SIZE=16' stdout || fail "inspect guesses otherwise: $(cat stdout)"
"$nereid" inspect guess.py -D 'fast_path=lambda: True' >stdout 2>stderr || fail "inspect -D"
grep -q 'config 0: SIZE=8' stdout || fail "inspect knows no definition: $(cat stdout)"
exits 1 "no module-level name 'BLOK'" "$nereid" inspect guess.py -D BLOK=1

# Folders to look for imports in that are none: said where they are asked for, and looked for nowhere.
printf '{"name": "paths", "import_paths": ["nowhere", "guess.py", "."], "targets": ["cpu:x86-64-v2"], "kernels": [
  {"source": "small.py", "kernel": "small", "signatures": ["*i32"]}]}' >paths.json
printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef small(x):\n    tl.store(x, 1)\n' >small.py
"$nereid" build paths.json -o lib --quiet -I elsewhere -I . >stdout 2>stderr || fail "build with folders that are none"
[ "$(grep -o '^.*warning: imports are not.*' stderr)" = "<-I>:1:1: warning: imports are not looked for in 'elsewhere': there is no such folder
paths.json:1:37: warning: imports are not looked for in 'nowhere': there is no such folder
paths.json:1:48: warning: imports are not looked for in 'guess.py': it is no folder" ] || fail "folders that are none"
exits 1 "paths.json:1:37: error: imports are not looked for in 'nowhere'" "$nereid" build paths.json -o lib --werror --quiet
exits 1 "<-I>:1:1: error: imports are not looked for in 'elsewhere'" \
  "$nereid" compile small.py -k small -s '*i32' -t cpu:x86-64-v2 -o small.nko -I elsewhere --werror
finish "definitions"
