#!/usr/bin/env bash
# What the tool says to bad input: one clear message with a position, the exit status of the contract (1 refused, 2 wrong
# usage), no file written, and the user's previous output left as it was.
#
#   bad_input.sh NEREID
set -u
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

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
PY
sig="*fp32, *fp32, *fp32, i32, 1024"
previous="the previous good output"

# expect STATUS 'regular expression' COMMAND…: runs it and checks the status, stderr, and that out.nko did not change.
expect() {
  printf '%s' "$previous" >out.nko
  exits "$@"
  [ "$(cat out.nko)" = "$previous" ] || fail "out.nko changed: $*"
  # A diagnostic that names a line also shows it, with a caret.
  if grep -Eq '^[^ ]+:[0-9]+:[0-9]+: error' stderr && ! grep -q '\^' stderr; then
    fail "no caret: $*"
  fi
  if [ -n "$(find . -name '*.tmp*' -print -quit)" ]; then
    fail "a temporary file was left: $*"
  fi
}

compile() { "$nereid" compile "$@" -o out.nko; }
# The kernel of a file made from standard input.
kernel_expect() {
  cat >bad.py
  expect 1 "$1" "$nereid" compile bad.py -k k -s "${2:-*fp32, i32}" -t cpu:x86-64-v3 -o out.nko
}
prologue=$'import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(x_ptr, n):\n'

# Syntax.
printf 'def f(:\n    pass\n' | kernel_expect '^bad\.py:1:7: error: '
printf '%s    x = (1 + 2\n' "$prologue" | kernel_expect "^bad\.py:6:9: error: '\(' was never closed"
printf '%s    x = 1\n      y = 2\n' "$prologue" | kernel_expect '^bad\.py:7:[0-9]+: error: unexpected indent'
printf '%s    s = "abc\n' "$prologue" | kernel_expect '^bad\.py:6:9: error: unterminated string literal'
printf 'def k(x):\n\treturn 1\n        return 2\n' | kernel_expect '^bad\.py:3:[0-9]+: error: '
head -c 300 /dev/urandom | kernel_expect 'error: '
printf '' | kernel_expect "error: .*'k'"

# Names and constructs.
printf '%s    tl.store(x_ptr, offset)\n' "$prologue" | kernel_expect "^bad\.py:6:21: error: .*'?offset'? is not defined"
printf '%s    tl.store(x_ptr, tl.foo(n))\n' "$prologue" | kernel_expect '^bad\.py:6:[0-9]+: error: .*foo'
printf '%s    try:\n        pass\n    finally:\n        pass\n' "$prologue" | kernel_expect '^bad\.py:6:5: error: .*not supported'
printf '%s    class C:\n        pass\n' "$prologue" | kernel_expect '^bad\.py:6:5: error: .*not supported'
printf '%s    yield n\n' "$prologue" | kernel_expect '^bad\.py:6:5: error: .*not supported'
printf '%s    x = tl.arange(0, 100)\n' "$prologue" | kernel_expect '^bad\.py:6:9: error: .*power of (2|two)'
printf '%s    x = tl.arange(0, 8) + tl.arange(0, 16)\n' "$prologue" | kernel_expect '^bad\.py:6:9: error: .*8.*16'
printf '%s    x = tl.load(n)\n' "$prologue" | kernel_expect '^bad\.py:6:[0-9]+: error: .*pointer'
printf '%s    x = tl.load()\n' "$prologue" | kernel_expect '^bad\.py:6:[0-9]+: error: .*pointer'
printf '%s    k2(n)\n' "$prologue" | kernel_expect "^bad\.py:6:5: error: .*'?k2'? is not defined"
printf '%s    if n > 0:\n        v = 1\n    tl.store(x_ptr, v)\n' "$prologue" | kernel_expect "error: .*'?v'? is not defined"

# Signatures.
expect 1 '^<signature>:1:20: error: .*i33' "$nereid" compile add.py -k add_kernel -s "*fp32,*fp32,*fp32, i33, 1024" -t cpu -o out.nko
expect 1 "error: .*no type for the parameter 'out_ptr'" "$nereid" compile add.py -k add_kernel -s "*fp32, *fp32" -t cpu -o out.nko
expect 1 'error: .*' "$nereid" compile add.py -k add_kernel -s "$sig, 5, 6" -t cpu -o out.nko
expect 1 "error: .*BLOCK" "$nereid" compile add.py -k add_kernel -s "*fp32, *fp32, *fp32, i32, *fp32" -t cpu -o out.nko
expect 1 "error: .*'?size'?" "$nereid" compile add.py -k add_kernel -s "x_ptr=*fp32, y_ptr=*fp32, out_ptr=*fp32, size=i32, BLOCK=64" -t cpu -o out.nko
expect 1 "error: .*n" "$nereid" compile add.py -k add_kernel -s "x_ptr=*fp32, y_ptr=*fp32, out_ptr=*fp32, BLOCK=64" -t cpu -o out.nko
expect 1 "^<signature>:1:2: error: unknown element type 'float'" "$nereid" compile add.py -k add_kernel -s "*float, *fp32, *fp32, i32, 64" -t cpu -o out.nko

# Kernels, files, targets, stages, grids.
expect 1 "error: .*'sub_kernel'.*" "$nereid" compile add.py -k sub_kernel -s "$sig" -t cpu -o out.nko
expect 1 "error: cannot open 'missing.py'" "$nereid" compile missing.py -k k -s "$sig" -t cpu -o out.nko
expect 1 "error: cannot compile '\\.'" "$nereid" compile . -k k -s "$sig" -t cpu -o out.nko
printf 'x\n' >add.txt
expect 1 "error: .*add\.txt" "$nereid" compile add.txt -k k -s "$sig" -t cpu -o out.nko
expect 1 "^<target>:1:5: error: unknown target 'cuda:81'" "$nereid" compile add.py -k add_kernel -s "$sig" -t cpu,cuda:81 -o out.nko
expect 1 "error: target cuda:80 has no stage 'asm'" "$nereid" compile add.py -k add_kernel -s "$sig" -t cuda:80 --emit asm -o out.nko
expect 1 "error: unknown stage 'foo'" "$nereid" compile add.py -k add_kernel -s "$sig" -t cuda:80 --emit foo -o out.nko
expect 1 "^<grid>:1:9: error: " "$nereid" compile add.py -k add_kernel -s "$sig" -t cpu -g "cdiv(n, " -o out.nko
expect 1 "^<grid>:1:[0-9]+: error: .*size" "$nereid" compile add.py -k add_kernel -s "$sig" -t cpu -g "cdiv(size, BLOCK)" -o out.nko
expect 1 "^<grid>:1:[0-9]+: error: .*x_ptr" "$nereid" compile add.py -k add_kernel -s "$sig" -t cpu -g "x_ptr" -o out.nko
expect 1 "error: .*warps" "$nereid" compile add.py -k add_kernel -s "$sig" -t cpu --num-warps 3 -o out.nko
expect 1 "error: cannot write 'no/such/out.nko': the folder 'no/such' does not exist" \
  "$nereid" compile add.py -k add_kernel -s "$sig" -t cpu -o no/such/out.nko
expect 1 "error: cannot write '/proc/out.nko'" "$nereid" compile add.py -k add_kernel -s "$sig" -t cpu -o /proc/out.nko

expect 1 "error: cannot write '/dev/full'" "$nereid" compile add.py -k add_kernel -s "$sig" -t cuda:80 --emit ptx -o /dev/full
expect 1 "error: cannot write 'no/such.d'" "$nereid" compile add.py -k add_kernel -s "$sig" -t cpu -o out.nko --depfile no/such.d
ln -sf /dev/zero zero.py
expect 1 "error: cannot open .zero.py.: it is a device" "$nereid" compile zero.py -k k -s "" -t cpu -o out.nko

# Triton IR.
printf 'module {\n  tt.func public @k(%%x: !tt.ptr<f32>) {\n    %%0 = tt.foo %%x\n    tt.return\n  }\n}\n' >bad.ttir
expect 1 "^bad\.ttir:3:10: error: " "$nereid" compile bad.ttir -k k -s "*fp32" -t cpu -o out.nko

# Kernel objects and libraries.
"$nereid" compile add.py -k add_kernel -s "$sig" -t cpu:x86-64-v2 -g "cdiv(n, BLOCK)" -o good.nko || fail "cannot compile good.nko"
size=$(stat -c %s good.nko)
for keep in 0 1 16 100 $((size / 2)) $((size - 1)); do
  head -c "$keep" good.nko >cut.nko
  expect 1 "error: .*cut\.nko" "$nereid" link cut.nko -n lib -o .
  expect 1 "error: .*cut\.nko" "$nereid" inspect cut.nko
done
"$nereid" compile add.py -k add_kernel -s "$sig" -t cpu -g "cdiv(n, BLOCK)" -o whole.nko || fail "cannot compile whole.nko"
"$nereid" link whole.nko -n lib -o static --static 2>stderr || fail "cannot link whole.nko"
size=$(stat -c %s static/liblib.a)
for keep in 0 7 8 60 $(seq 500 1500 $((size - 100))) $((size - 100)); do
  head -c "$keep" static/liblib.a >cut.a
  expect 1 "error: .*cut\.a" "$nereid" inspect cut.a
done
expect 1 "error: .*missing\.nko" "$nereid" link missing.nko -n lib -o .
expect 1 "error: .*add\.py" "$nereid" link add.py -n lib -o .
expect 1 "error: .*" "$nereid" link good.nko -n 'not a name' -o .
expect 1 "error: .*no/such" "$nereid" link good.nko -n lib -o no/such/dir
expect 1 "error: .*/proc" "$nereid" link good.nko -n lib -o /proc/none

# A link that fails leaves the library that was there.
"$nereid" link good.nko -n lib -o lib 2>stderr || fail "cannot link good.nko"
before=$(sha256sum lib/* | sha256sum)
expect 1 "error: .*cut\.nko" "$nereid" link cut.nko -n lib -o lib
expect 1 "error: .*" env CC=/bin/false "$nereid" link good.nko -n lib -o lib
[ "$(sha256sum lib/* | sha256sum)" = "$before" ] || fail "a failed link changed the library"

# Manifests.
printf '{"name": "lib",\n "kernels": [{"source": "add.py", "kernel": "add_kernel", "targets": ["cpu:x86-64-v2"],\n "signatures": ["*fp32, *fp32, *fp32, i33, 64"]}]}' >m.json
expect 1 "^m\.json:3:39: error: .*i33" "$nereid" build m.json -o out
printf '{"name": "lib",\n "kernels": [{"source": "add.py", "kernel": "add_kernel", "targets": ["gpu"],\n "signatures": ["*fp32"]}]}' >m.json
expect 1 "^m\.json:2:72: error: unknown target 'gpu'" "$nereid" build m.json -o out
printf '{"name": ' >m.json
expect 1 "^m\.json:1:[0-9]+: error: this is not JSON" "$nereid" build m.json -o out
# Where values stand is noted in memory that grows with the text alone.
awk 'BEGIN {k = "a"; while (length(k) < 100000) k = k k; print "{\"name\": \"lib\", \"" k "\": [0"; for (i = 0; i < 100000; ++i) print ",0"; print "]}"}' >m.json
expect 1 "error: unknown key \"aaaa" bash -c 'ulimit -v 4000000; exec "$0" build m.json -o out' "$nereid"
expect 1 "error: cannot open 'none.json'" "$nereid" build none.json -o out

# Running.
expect 1 "error: no value for parameter 'x_ptr'" "$nereid" run add.py -k add_kernel -s "$sig" -g "1" --arg n=3
expect 1 "error: cannot open 'none.npy'" "$nereid" run add.py -k add_kernel -s "$sig" -g "1" --arg x_ptr=@none.npy
expect 1 "error: .*add\.py' is not a usable \.npy file" "$nereid" run add.py -k add_kernel -s "$sig" -g "1" --arg x_ptr=@add.py
expect 1 "error: this machine cannot run cuda:80 code" "$nereid" run add.py -k add_kernel -s "$sig" -t cuda:80 -g "1"
# Four floats where the kernel is told of a billion, and of one more.
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n%s' "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }" "0123456789abcdef" >x.npy
expect 1 "error: the kernel accessed memory outside of its arrays" "$nereid" run add.py -k add_kernel -s "$sig" \
  -g "cdiv(n, BLOCK)" --arg x_ptr=@x.npy --arg y_ptr=@x.npy --arg out_ptr=@x.npy --arg n=1000000000
expect 1 "error: the kernel accessed memory outside of its arrays" "$nereid" run add.py -k add_kernel -s "$sig" \
  -g "cdiv(n, BLOCK)" --arg x_ptr=@x.npy --arg y_ptr=@x.npy --arg out_ptr=@x.npy --arg n=5
expect 0 "" "$nereid" run add.py -k add_kernel -s "$sig" \
  -g "cdiv(n, BLOCK)" --arg x_ptr=@x.npy --arg y_ptr=@x.npy --arg out_ptr=@x.npy --arg n=4
expect 0 "" "$nereid" compile add.py -k add_kernel -s "$sig" -t cpu --emit asm

# Wrong usage.
expect 2 "." "$nereid"
expect 2 "unknown command 'frobnicate'" "$nereid" frobnicate
expect 2 "." "$nereid" compile add.py
expect 2 "." "$nereid" compile add.py -k add_kernel -s "$sig" -t cpu --num-warps four
expect 2 "." "$nereid" compile add.py -k add_kernel -s "$sig" -t cpu --no-such-option
expect 2 "." "$nereid" link good.nko -n lib -o . --shared --static

finish "bad input"
