#!/usr/bin/env bash
# nereid tune on a GPU that is none: a driver that runs launches by itself, with times, wrong results and failures by the
# number of a block's threads (dispatch/fake_tuning_cuda.c).
#
#   tune_gpu.sh NEREID
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=shell_test.sh
. "$here/shell_test.sh"

gcc -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC "$here/../dispatch/fake_tuning_cuda.c" -o libcuda.so.1 -lpthread >log 2>&1 ||
  fail "the driver"
cat >copy.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)
PY
"$nereid" compile copy.py -k copy -s "x_ptr=*fp32, out_ptr=*fp32, n=i32, BLOCK=1024" -g "cdiv(n, BLOCK)" -t cuda:90 \
  --tune "num_warps=[1,2,4,8,16,32]" -o copy.nko >log 2>&1 || fail "compile"
"$nereid" link copy.nko -n copied -o out >log 2>&1 || fail "link"
cat >cases.json <<'JSON'
{"cases": [{"function": "copy", "values": {"n": [1000, 5000]},
            "arguments": {"x_ptr": {"shape": ["n"]}, "out_ptr": {"shape": ["n"]}}}]}
JSON
tune() { LD_LIBRARY_PATH=$work "$nereid" tune out/libcopied.so --cases cases.json --device cuda:0 -o results.json "$@"; }

tune >log 2>&1 || fail "tune"
expect "results.json: 6 measured on Fake GPU 0, 6 failed, 0 known before"
python3 - <<'PY' >log 2>&1 || fail "the results"
import json
results = json.load(open("results.json"))["measurements"]
assert len(results) == 12, results
for n in (1000, 5000):
    of = {m["variant"].split("num_warps=")[1].split()[0]: m for m in results if m["key"] == {"n": n}}
    for warps, time in (("1", 40e3), ("2", 20e3), ("32", 30e3)):
        m = of[warps]
        assert abs(m["nanoseconds"] - time) < 10 and m["spread"] < 0.01, m
        assert m["target"] == "cuda:90" and m["driver"] == "13000" and m["device"] == "Fake GPU 0", m
    assert of["2"]["outliers"] > 0 and of["1"]["outliers"] == 0, of
    assert of["4"]["failed"].startswith("its results differ from those of 3 other variants: 'out_ptr' by "), of["4"]
    assert "700" in of["8"]["failed"], of["8"]
    assert "701" in of["16"]["failed"] or "LAUNCH_OUT_OF_RESOURCES" in of["16"]["failed"], of["16"]
PY
tune --html >log 2>&1 || fail "tune again"
expect "results.json: 0 measured on Fake GPU 0, 0 failed, 12 known before"
grep -qF 'Fake GPU 0, driver 13000' results.html || fail "the page"

echo "-- another driver is another machine"
FAKE_DRIVER_VERSION=13010 tune >log 2>&1 || fail "tune with another driver"
expect "results.json: 6 measured on Fake GPU 0, 6 failed, 0 known before"
[ "$(grep -c '"driver":"13010"' results.json)" = 12 ] || fail "the new driver's"
[ "$(grep -c '"driver"' results.json)" = 12 ] || fail "the old driver's"

echo "-- what is slow at first is not slow"
FAKE_SLOW_START=1 LD_LIBRARY_PATH=$work "$nereid" tune out/libcopied.so --cases cases.json --device cuda:0 -o started.json >log 2>&1 ||
  fail "tune what starts slowly"
grep -q 'num_warps=1 .*"nanoseconds":\(40000\|39999\|40000\.[0-9]*\|39999\.[0-9]*\),' started.json || fail "$(grep 'num_warps=1 ' started.json)"

echo "-- no results file"
for file in /dev/zero "$work"; do
  ! "$nereid" tune --merge "$file" -o merged.json >log 2>&1 || fail "merged $file"
  expect "cannot open '$file': it is a d"
  ! "$nereid" link copy.nko -n copied -o out2 --tuning "$file" >log 2>&1 || fail "linked with $file"
  expect "cannot open '$file': it is a d"
done

echo "-- kernels without a grid expression get the case's"
"$nereid" compile copy.py -k copy -s "x_ptr=*fp32, out_ptr=*fp32, n=i32, BLOCK=1024" -t cuda:90 --tune "num_warps=[1,2]" \
  -o plain.nko >log 2>&1 || fail "compile"
"$nereid" link plain.nko -n plain -o out >log 2>&1 || fail "link"
sed 's/"arguments"/"grid": "cdiv(n, 1024)", "arguments"/' cases.json >plain.json
LD_LIBRARY_PATH=$work "$nereid" tune out/libplain.so --cases plain.json --device cuda:0 -o plain-results.json >log 2>&1 ||
  fail "tune without a grid"
expect "plain-results.json: 4 measured on Fake GPU 0, 0 failed"

echo "-- what is not there is said"
code=0
LD_LIBRARY_PATH=$work "$nereid" tune out/libcopied.so --cases cases.json --device cuda:9 -o none.json >log 2>&1 || code=$?
[ "$code" = 1 ] || fail "exit code $code"
expect "error: there is no GPU 9"
sed -i 's/\[1000, 5000\]/[1000, 2000000000]/' cases.json
code=0
tune >log 2>&1 || code=$?
[ "$code" = 1 ] || fail "exit code $code"
expect "copy n=2000000000 cannot be measured: no memory for a tensor of 8000000000 bytes"

echo "-- nothing measured: few programs take the tile that has the most under way"
cat >product.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def product(x_ptr, w_ptr, out_ptr, rows, columns, depth, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles = tl.cdiv(columns, BN)
    m, n = tl.program_id(0) // tiles * BM, tl.program_id(0) % tiles * BN
    x = tl.make_tensor_descriptor(x_ptr, [rows, depth], [depth, 1], [BM, BK])
    w = tl.make_tensor_descriptor(w_ptr, [columns, depth], [depth, 1], [BN, BK])
    out = tl.make_tensor_descriptor(out_ptr, [rows, columns], [columns, 1], [BM, BN])
    sums = tl.zeros((BM, BN), tl.float32)
    for k in range(0, depth, BK):
        sums = tl.dot(x.load([m, k]), w.load([n, k]).T, sums)
    out.store([m, n], sums.to(tl.float16))
PY
"$nereid" compile product.py -k product -s "*fp16:16, *fp16:16, *fp16:16, i32, i32:16, i32:16" -t cuda:90a -g "cdiv(rows, BM) * cdiv(columns, BN)" \
  --num-stages 4 --tune "BM=64, BN=[32,64], BK=[64,128]" --tune "BM=128, BN=256, BK=64, num_warps=8, num_stages=3" -o product.nko >log 2>&1 || fail "compile"
"$nereid" link product.nko -n products -o out >log 2>&1 || fail "link"
cat >main.c <<'C'
#include "products.h"
#include <stdio.h>
int main(void) {
  char text[2000];
  static _Alignas(16) nrd_f16 x[8];
  int rows;
  while (scanf("%d", &rows) == 1) {
    if (product_explain(nrd_cuda_stream((void *)16), x, x, x, rows, 2048, 2048, text, sizeof text) != NRD_OK)
      return 1;
    printf("%.*s\n", (int)(strstr(text, " runs") - text), text);
  }
}
C
gcc -include string.h -Iout main.c -Lout -lproducts -Wl,-rpath,"$PWD/out" -o main >log 2>&1 || fail "main"
# The device is as large as an H200: multiprocessors, and what each has of threads, shared memory and registers.
echo "4 256 2048" | LD_LIBRARY_PATH=$work FAKE_SIZES="132 2048 233472 65536" ./main >log 2>&1 || fail "explain"
[ "$(grep -oE 'variant [0-9]' log | xargs)" = "variant 3 variant 3 variant 4" ] || fail "not BN=64, BK=128 twice, then BM=128"
