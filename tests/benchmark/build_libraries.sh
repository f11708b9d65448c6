#!/usr/bin/env bash
# Compiles tests/benchmark/kernels.py into one library a configuration, for gpu_compare.py.
#
#   build_libraries.sh NEREID OUT [TARGETS]
set -euo pipefail
nereid=$1
out=$2
targets=${3:-cuda:90a,cpu}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"

# one NAME KERNEL SIGNATURE GRID WARPS
one() {
  "$nereid" compile "$here/kernels.py" -k "$2" -s "$3" -g "$4" --num-warps "$5" -t "$targets" -o "$out/$1.nko"
  "$nereid" link "$out/$1.nko" -n "$1" -o "$out" --shared
}

for type in fp32 fp16; do
  one add_$type add_kernel "*$type:16, *$type:16, *$type:16, i32:16, 1024" "cdiv(n, BLOCK)" 4
  # The grid of a kernel with one row a program is its number of rows, which is not among its arguments.
  for warps in 4 8 16; do
    "$nereid" compile "$here/kernels.py" -k softmax_kernel -s "*$type:16, *$type:16, i32:16, i32:16, 8192" \
      --num-warps $warps -t "$targets" -o "$out/softmax_${type}_$warps.nko"
    "$nereid" link "$out/softmax_${type}_$warps.nko" -n softmax_${type}_$warps -o "$out" --shared
    "$nereid" compile "$here/kernels.py" -k layer_norm_kernel \
      -s "*$type:16, *$type:16, *$type:16, *$type:16, i32:16, i32:16, fp32, 8192" \
      --num-warps $warps -t "$targets" -o "$out/layer_norm_${type}_$warps.nko"
    "$nereid" link "$out/layer_norm_${type}_$warps.nko" -n layer_norm_${type}_$warps -o "$out" --shared
  done
done
