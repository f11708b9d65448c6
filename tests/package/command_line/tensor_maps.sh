#!/usr/bin/env bash
# Who copies the tiles of tensor descriptors: the GPU by tensor maps, where it can and unless it is told not to, by the
# command line or a manifest; else the threads.
#
#   tensor_maps.sh NEREID
set -u
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
export NEREID_PTXAS=none
cat >tiles.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def add_tiles(x, y, out, rows, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS
    total = tl.zeros([ROWS, COLUMNS], tl.float32)
    for column in range(0, 4096, COLUMNS):
        total += x.load([row, column])
        total += y.load([0, row, column]).reshape(ROWS, COLUMNS)
    out.store([row, 0], total)
PY
signature() { # ROWS COLUMNS
  echo "tensordesc<fp32[$1, $2]>, tensordesc<fp32[1, $1, $2]>, tensordesc<fp32[$1, $2]>, i32, $1, $2"
}
tiles() { # TARGET ROWS COLUMNS [OPTION …]
  "$nereid" compile tiles.py -k add_tiles -s "$(signature "$2" "$3")" -t "$1" --emit ttgir -o tiles.ttgir "${@:4}" \
    2>stderr || fail "compile $*"
  grep -c 'async_tma_copy' tiles.ttgir
}

for target in cuda:90 cuda:90a cuda:100 cuda:120; do
  [ "$(tiles $target 16 64)" -ge 3 ] || fail "tensor maps for $target"
done
[ "$(tiles cuda:80 16 64)" = 0 ] || fail "no tensor maps for cuda:80"
[ "$(tiles cuda:90a 16 64 --no-tensor-maps)" = 0 ] || fail "--no-tensor-maps"
[ "$(tiles cuda:90a 16 64 --tensor-maps)" -ge 3 ] || fail "--tensor-maps"

# Four tiles together do not fit into memory on chip, but those of one product after the other do.
cat >products.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def products(x, y, out_ptr, DEPTH: tl.constexpr):
    a, b, c, d = x.load([0, 0]), y.load([0, 0]), x.load([0, DEPTH]), y.load([DEPTH, 0])
    total = tl.dot(c, d, tl.dot(a, b))
    row, column = tl.arange(0, 128), tl.arange(0, 128)
    tl.store(out_ptr + row[:, None] * 128 + column[None, :], total)
PY
for depth in 64 256; do
  "$nereid" compile products.py -k products -t cuda:90a --num-warps 8 --emit ttgir -o products.ttgir \
    -s "tensordesc<fp16[128, $depth]>, tensordesc<fp16[$depth, 128]>, *fp32:16, $depth" 2>stderr || fail "depth $depth"
  copies=$(grep -c async_tma_copy products.ttgir)
  if [ $depth = 64 ]; then [ "$copies" = 4 ]; else [ "$copies" = 0 ]; fi || fail "$copies copies of depth $depth"
done

# As many as fit beside other parameters; the threads do the rest.
cat >many.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def many(x, y, COUNT: tl.constexpr):
    total = tl.zeros([32, 32], tl.float32)
    for i in tl.static_range(COUNT):
        total += tl.make_tensor_descriptor(x, [32 + i, 32], [32, 1], [32, 32]).load([i, 0])
    tl.make_tensor_descriptor(y, [32, 32], [32, 1], [32, 32]).store([0, 0], total)
PY
"$nereid" compile many.py -k many -s '*fp32:16, *fp32:16, 40' -t cuda:90a -o many.nko 2>stderr || fail "40 descriptors"
"$nereid" compile many.py -k many -s '*fp32:16, *fp32:16, 40' -t cuda:90a --emit ptx -o many.ptx 2>stderr
[ "$(grep -c 'param .align 64 .b8' many.ptx)" = 24 ] || fail "24 tensor maps"

manifest() { # MORE OF THE KERNEL
  cat >manifest.json <<JSON
{"name": "tiles", "kind": "source", "targets": ["cuda:90a"],
 "kernels": [{"source": "tiles.py", "kernel": "add_tiles", "grid": "cdiv(rows, ROWS)",
              "signatures": ["$(signature 16 64)"]$1}]}
JSON
  rm -rf out
  "$nereid" build manifest.json -o out 2>stderr
}
manifest '' || fail "build"
grep -q 'NRD_MAX_TENSOR_MAPS 3' out/tiles.c || fail "tensor maps from a manifest"
manifest ', "tensor_maps": false' || fail "build without tensor maps"
grep -q 'NRD_MAX_TENSOR_MAPS 0' out/tiles.c || fail "no tensor maps from a manifest"
manifest ', "tensor_maps": 1' && fail "a number for tensor_maps"
grep -q 'expected "tensor_maps", true or false' stderr || fail "what tensor_maps may be"
finish "tensor maps"
