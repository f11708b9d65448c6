#!/usr/bin/env bash
# Triton-C from the command line: compile, run, build, inspect, -D and -I, and errors as a user sees them.
#
#   triton_c.sh NEREID
set -u
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
mkdir include
cat >include/sizes.tch <<'TC'
#pragma once
#ifndef TILE
#define TILE 16
#endif
TC
cat >scale.tc <<'TC'
#include "sizes.tch"
// y = a * x, TILE elements a program.
__global__ void scale(TYPE *x __readonly __aligned(16), TYPE *y __writeonly, TYPE a, int n) {
  int r[TILE] = get_program_id(0) * TILE + 0 ... TILE;
  bool check[TILE] = r < n;
  *?(check)(y + r) = a * (check ? *(x + r) : 0);
}
TC
python3 - <<'PY'
import struct
def save(name, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%df" % len(values), *values))
save("x.npy", [float(i) for i in range(40)])
save("y.npy", [-1.0] * 41)
PY
options=(-k scale -D TYPE=float -I include)

# The signature may be left out, and the grid may name macros: those of the command line and those of the file.
"$nereid" run scale.tc "${options[@]}" -g 'cdiv(n, TILE)' --arg x=@x.npy --arg y=@y.npy --arg a=2 --arg n=40 \
  --out y=got.npy 2>stderr || fail "run"
python3 - <<'PY' || fail "what run computed"
import struct
got = struct.unpack("<41f", open("got.npy", "rb").read()[-41 * 4:])
assert got == tuple([2.0 * i for i in range(40)] + [-1.0]), got
PY
"$nereid" run scale.tc "${options[@]}" -D TILE=64 -s 'a=3.0' -g 'cdiv(n, TILE)' --arg x=@x.npy --arg y=@y.npy \
  --arg n=40 --out y=got.npy 2>stderr || fail "run with a value in the signature"
python3 - <<'PY' || fail "what run computed with a value in the signature"
import struct
got = struct.unpack("<41f", open("got.npy", "rb").read()[-41 * 4:])
assert got == tuple([3.0 * i for i in range(40)] + [-1.0]), got
PY

# Every stage of every back end.
for target in cpu:x86-64-v3 cuda:90a hip:gfx942; do
  for stage in ttir llir; do
    "$nereid" compile scale.tc "${options[@]}" -t "$target" --emit "$stage" -o "$stage.txt" 2>stderr ||
      fail "--emit $stage for $target"
  done
done
grep -q 'tt.func public @scale(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}' ttir.txt || fail "the IR of scale.tc"

# A kernel object says what it is made of; what was included is among its dependencies.
"$nereid" compile scale.tc "${options[@]}" -t cpu:x86-64-v3 -g 'cdiv(n, TILE)' -o scale.nko --depfile scale.d 2>stderr ||
  fail "compile"
grep -q 'include/sizes.tch' scale.d || fail "the included file is not in the dependencies"
"$nereid" inspect scale.nko >stdout 2>stderr || fail "inspect of a kernel object"
grep -Eq 'signature +\*fp32:16, \*fp32, fp32, i32$' stdout || fail "the signature of a kernel object"
grep -Eq 'defined +TYPE=float$' stdout || fail "the definitions of a kernel object"
"$nereid" inspect scale.tc -D TYPE=half -I include --json >stdout 2>stderr || fail "inspect of a source"
python3 -c 'import json; k = json.load(open("stdout"))["kernels"]; assert [k[0]["name"], k[0]["line"], [p["name"] for p in k[0]["parameters"]]] == ["scale", 3, ["x", "y", "a", "n"]], k' ||
  fail "the kernels of a source"

# A manifest, with other sizes and types for each variant.
cat >manifest.json <<'JSON'
{"name": "scales", "targets": ["cpu:x86-64-v2"], "import_paths": ["include"], "kernels": [
  {"source": "scale.tc", "kernel": "scale", "function": "scale_f32", "grid": "cdiv(n, TILE)",
   "definitions": {"TYPE": "float"}, "signatures": ["", {"signature": "n=i32:16", "definitions": {"TILE": 256}}]},
  {"source": "scale.tc", "kernel": "scale", "function": "scale_f64", "grid": "cdiv(n, TILE)",
   "definitions": ["TYPE=double"], "signatures": ["*fp64:16, *fp64, fp64, i32"]}]}
JSON
"$nereid" build manifest.json -o out 2>stderr || fail "build"
grep -q 'scale_f32(nrd_stream stream, const float \*x, float \*y, float a, int32_t n)' out/scales.h || fail "the header: f32"
grep -q 'scale_f64(nrd_stream stream, const double \*x, double \*y, double a, int32_t n)' out/scales.h ||
  fail "the header: f64"

# What the source promises of an argument is checked where the kernel is called.
cat >rows.tc <<'TC'
__global__ void rows(float *y, int n __multipleof(8)) { *(y + (0 ... 8)) = n; }
TC
"$nereid" compile rows.tc -k rows -g 1 -t cpu -o rows.nko 2>stderr || fail "compile of rows.tc"
"$nereid" link rows.nko -n rows -o rows_out --shared 2>stderr || fail "link of rows.nko"
cat >rows.c <<'C'
#include "rows.h"
#include <stdio.h>
int main(void) {
  float y[8];
  nrd_status eight = rows_rows(nrd_cpu_stream(), y, 24), four = rows_rows(nrd_cpu_stream(), y, 20);
  puts(rows_last_error());
  return eight == NRD_OK && y[7] == 24 && four == NRD_ERROR_NO_VARIANT ? 0 : 1;
}
C
cc -Irows_out rows.c rows_out/librows.so -o rows_app 2>stderr && LD_LIBRARY_PATH=rows_out ./rows_app >stderr || fail "a call with 20, not 24"
grep -q "i32:8" stderr || fail "a refused call that does not say what the library has"

# refused PATTERN COMMAND…: exit status 1, a message, no output.
refused() {
  local pattern=$1
  shift
  rm -f out.nko
  "$@" -o out.nko >stdout 2>stderr
  [ $? = 1 ] || fail "status of $*"
  tr '\n' '~' <stderr >line
  grep -Eq "$pattern" line || fail "no message like $pattern"
  [ -e out.nko ] && fail "an output of what was refused"
}
compile=("$nereid" compile scale.tc -k scale -t cpu:x86-64-v2)
refused "^scale\.tc:1:10: error: there is no file 'sizes\.tch'.*~#include \"sizes\.tch\"~ +\^" "${compile[@]}" -D TYPE=float
refused "^scale\.tc:3:23: error: 'TYPE' is not the name of a type" "${compile[@]}" -I include
refused "^scale\.tc:4:9: error: the size of a block must be a power of 2, but this one is 12.*<-D>:1:6: note: expanded from macro 'TILE'" \
  "${compile[@]}" -I include -D TYPE=float -D TILE=12
refused "^<signature>:1:1: error: the parameter 'n' is of type i32, not i64.*scale\.tc:3:[0-9]+: note: the parameter is declared here" \
  "${compile[@]}" -I include -D TYPE=float -s 'n=i64'
refused "^<kernel>:1:1: error: there is no kernel 'scall' in 'scale\.tc'; its kernels are scale" \
  "$nereid" compile scale.tc -k scall -t cpu:x86-64-v2 -I include -D TYPE=float
printf 'struct S { int x; };\n__global__ void k(int *p) {}\n' >struct.tc
refused "^struct\.tc:1:1: error: 'struct' is not supported" "$nereid" compile struct.tc -k k -t cpu:x86-64-v2
refused "cannot open 'none\.tc'" "$nereid" compile none.tc -k k -t cpu:x86-64-v2
printf '__global__ void k(float *p) { *p = *p * 2.0; }\n' >double.tc
"$nereid" compile double.tc -k k -t cpu:x86-64-v2 -o double.nko 2>stderr || fail "a double nobody asked for"
grep -q 'warning: a number without suffix is a double' stderr || fail "no warning of a double"
refused "error: .*a number without suffix is a double" "$nereid" compile double.tc -k k -t cpu:x86-64-v2 --werror
finish "triton c"
