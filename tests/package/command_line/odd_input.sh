#!/usr/bin/env bash
# Input that is legal but rare, which must work or be refused with the right cause: names with letters beyond ASCII, files
# as editors on other systems write them, and things said twice.
#
#   odd_input.sh NEREID
set -u
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
export NEREID_PTXAS=none
# Letters beyond ASCII, in every name that goes into a library. The second kernel's name differs in such letters alone.
cat >greek.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def σκάλα(x_ptr, λ, u03BB, ÐΔ: tl.constexpr):
    offsets = tl.program_id(0) + tl.arange(0, ÐΔ)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets) * λ + u03BB)


@triton.jit
def σκάλΩ(x_ptr, λ, u03BB, ÐΔ: tl.constexpr):
    tl.store(x_ptr, λ)
PY
signature='x_ptr=*i32, λ=i32, u03BB=i32, ÐΔ=2'
for target in cpu:x86-64-v2 cuda:90a hip:gfx942; do
  exits 0 "" "$nereid" compile greek.py -k σκάλα -s "$signature" -t $target --emit llir -o a.ll
  exits 0 "" "$nereid" compile greek.py -k σκάλΩ -s "$signature" -t $target --emit llir -o b.ll
  [ "$(grep -Eo '[$A-Za-z0-9_.]*__[0-9a-f]{16}' a.ll | sort -u)" != "$(grep -Eo '[$A-Za-z0-9_.]*__[0-9a-f]{16}' b.ll | sort -u)" ] ||
    fail "two kernels have one symbol on $target"
done
exits 1 "^<kernel>:1:1: error: the kernel 'σκάλα' .* cannot be a C function of that name, because it is not an identifier" \
  "$nereid" compile greek.py -k σκάλα -s "$signature" -t cpu -g "λ" -o greek.nko
[ ! -e greek.nko ] || fail "a refused kernel object was written"
exits 0 "" "$nereid" compile greek.py -k σκάλα --function scale -s "$signature" -t cpu:x86-64-v2,cuda:90a,hip:gfx942 \
  -g "cdiv(λ * ÐΔ, ÐΔ * ÐΔ)" -o greek.nko
exits 0 "" "$nereid" link greek.nko -n greek -o .
cat >main.c <<'C'
#include "greek.h"
int main(void) {
  int32_t x[2] = {1, 2};
  return scale(nrd_cpu_stream(), x, 2, 10) != NRD_OK || x[0] != 12 || x[1] != 14;
}
C
cc -Wall -Wextra -Werror -I. main.c -L. -lgreek -Wl,-rpath,. -o main 2>stderr || fail "the header is no C"
./main || fail "the library computes something else"
LC_ALL=C grep -q '[^ -~]' <(grep -v '^ \*\|^/\*' greek.h) && fail "the header has letters that not every compiler takes"
exits 1 "^<grid>:1:1: error: 'μ' is not a parameter of the kernel" \
  "$nereid" compile greek.py -k σκάλα --function scale -s "$signature" -t cpu -g "μ" -o mu.nko

# Folders whose names C compilers trip over, or take for something else. The library is the same to the last byte.
for cc in cc gcc clang; do
  command -v $cc >stdout || continue
  exits 0 "" env CC="$cc -g" "$nereid" link greek.nko -n greek --output=plain
  for name in 'quo"te' 'back\slash' $'new\nline' '100%' 'a b' 'é' $'\xff' 'a=b' -x @x 'a,b' "it's" "\$HOME" '#;&|*?'; do
    exits 0 "" env CC="$cc -g" "$nereid" link greek.nko -n greek --output="$name"
    for file in plain/*; do cmp -s "$file" "./$name/${file#*/}" || fail "$file is another one in '$name' by $cc"; done
    [ "$(ls -A plain)" = "$(ls -A -- "$name")" ] || fail "something was left in '$name'"
    rm -r -- "./$name"
  done
done
# So for the folder of temporary files, in which NVIDIA's packer would find another file behind the comma.
printf '#!/bin/sh\necho "$@" >%s/packed\nexit 1\n' "$work" >fatbinary
chmod +x fatbinary
mkdir 'a,b'
exits 1 "returned 1" env TMPDIR="$work/a,b" NEREID_FATBINARY="$work/fatbinary" "$nereid" link greek.nko -n greek -o plain
[ -s packed ] && ! grep -q 'a,b' packed || fail "not one path: $(cat packed)"
[ -z "$(ls -A 'a,b')" ] || fail "something was left: $(ls -A 'a,b')"

# Line ends, a byte order mark, tabs.
printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n    tl.store(x, 7)\n' >plain.py
sed 's/$/\r/' plain.py >crlf.py
tr '\n' '\r' <plain.py >cr.py
{ printf '\xef\xbb\xbf'; cat plain.py; } >bom.py
sed 's/^    /\t/' plain.py >tab.py
"$nereid" compile plain.py -k k -s '*i32' -t cpu:x86-64-v2 --emit asm -o plain.s 2>stderr || fail "plain.py"
for file in crlf cr bom tab; do
  exits 0 "" "$nereid" compile $file.py -k k -s '*i32' -t cpu:x86-64-v2 --emit asm -o $file.s
  cmp -s <(grep -v '\.file' plain.s) <(grep -v '\.file' $file.s) || fail "$file.py gives other code"
done
exits 1 "^utf16\.py:1:1: error: invalid UTF-8 byte 0xff" \
  sh -c 'printf "\377\376k\0" >utf16.py; exec "$0" compile utf16.py -k k -s "*i32" -t cpu' "$nereid"

# No kernel at all to speak of.
printf 'import triton\n@triton.jit\ndef k():\n    pass\n' >empty.py
exits 0 "" "$nereid" compile empty.py -k k -s '' -t cpu:x86-64-v2,cuda:90a,hip:gfx942 -g 1 -o empty.nko
exits 0 "" "$nereid" link empty.nko -n empty -o .
exits 0 "" "$nereid" run empty.py -k k -s '' -g 2147483647,2,2
exits 1 "note: 'k' has no parameters" "$nereid" compile empty.py -k k -s 'i32' -t cpu -o none.nko
printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n    tl.store(x, tl.sum(tl.zeros((1 << 40,), tl.int32)))\n' >wide.py
exits 1 "^wide\.py:5:24: error: a size of a block may be at most 1048576, but this one is 1099511627776" \
  "$nereid" compile wide.py -k k -s '*i32' -t cpu

# What is said twice.
kernel='{"source": "plain.py", "kernel": "k", "targets": ["cpu:x86-64-v2"], "grid": "1", "signatures": ["*i32"]}'
printf '{"name": "lib",\n "kernels": [%s],\n "kernels": [%s]}' "$kernel" "$kernel" >m.json
exits 1 '^m\.json:3:2: error: the key "kernels" is given twice' "$nereid" build m.json -o out
printf '{"name": "lib",\n "kernels": [%s]}' "${kernel/\"grid\"/\"grid\": \"2\", \"grid\"}" >m.json
exits 1 '^m\.json:2:[0-9]*: error: the key "grid" is given twice' "$nereid" build m.json -o out
python3 - <<'PY'
import struct
header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open("x.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<i", 0))
PY
printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef k(x, y):\n    tl.store(x, 7)\n    tl.store(y, 8)\n' >two.py
exits 1 "^<--out>:1:3: error: 'x' is saved in 'got.npy' already" "$nereid" run two.py -k k -s '*i32, *i32' -g 1 \
  --arg x=@x.npy --arg y=@x.npy --out x=got.npy --out y=got.npy
[ ! -e got.npy ] || fail "an array was saved although another was to go there"
exits 0 "" "$nereid" run two.py -k k -s '*i32, *i32' -g 1 --arg x=@x.npy --arg y=@x.npy --out x=/dev/null --out y=/dev/null

# Mistakes in a manifest have their place there.
printf '{"name": "a b",\n "kernels": [%s]}' "$kernel" >m.json
exits 1 "^m\.json:1:10: error: 'a b' cannot be the name of a library" "$nereid" build m.json -o out
printf '{"name": "lib",\n "kernels": [%s]}' "${kernel/plain.py/none.py}" >m.json
exits 1 "^m\.json:2:25: error: cannot open 'none\.py': No such file" "$nereid" build m.json -o out
printf '{"name": "lib",\n "kernels": [%s]}' "${kernel/plain.py/x.npy}" >m.json
exits 1 "^m\.json:2:25: error: cannot compile 'x\.npy': expected a \.py" "$nereid" build m.json -o out
[ ! -e out ] || fail "a refused manifest left a folder"

# The right cause, in the user's words.
cat >copy.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)
PY
exits 1 "'m\.json' is not a complete kernel object: it does not begin like one" "$nereid" inspect m.json
exits 1 "cannot compile '': expected a \.py" "$nereid" compile '' -k k -s '*i32' -t cpu
exits 2 "compile-limit: expected an integer of 1 or more, not .0." "$nereid" compile plain.py -k k -s '*i32' -t cpu --compile-limit 0
exits 2 "output: an empty path" "$nereid" compile plain.py -k k -s '*i32' -t cpu:x86-64-v2 -o ''
exits 1 "^<-D>:1:1: error: 'empty\.nko' is compiled already, so nothing can be defined" "$nereid" inspect empty.nko -D A=1
exits 1 "error: 'k' cannot do with the registers that a thread may have here; a larger --maxnreg" \
  "$nereid" compile copy.py -k k -s '*i32, *i32, i32, 64' -t hip:gfx942 --maxnreg 1
finish "odd input"
