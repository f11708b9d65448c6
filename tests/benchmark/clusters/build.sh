#!/usr/bin/env bash
# Builds the library that compare.py measures: build.sh NEREID FOLDER
#
# A function is named for its kernel, the blocks of a cluster, the rows of a program's tile and its warps:
# matmul_2_256_8 has two blocks that compute 256 rows together. Of softmax, for the blocks alone.
set -euo pipefail
nereid=$1 folder=$2 here=$(dirname "$0")
mkdir -p "$folder"
arguments='*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16'
objects=()
for kernel in matmul matmul_tiles; do
  for variant in "1 128 256 8" "2 256 256 8" "2 128 256 4" "4 256 256 4"; do
    read -r blocks rows columns warps <<<"$variant"
    object=$folder/${kernel}_${blocks}_${rows}_$warps.nko
    "$nereid" compile "$here/kernels.py" -k $kernel -s "$arguments,$rows,$columns,64,8" -g 'cdiv(M,BM)*cdiv(N,BN)' -t cuda:90a \
      --num-ctas "$blocks" --num-warps "$warps" --num-stages 4 --function "$(basename "$object" .nko)" -o "$object"
    objects+=("$object")
  done
done
for blocks in 1 2 4 8; do
  object=$folder/softmax_$blocks.nko
  "$nereid" compile "$here/kernels.py" -k softmax -s '*fp32:16,*fp32:16,i32:16,32768' -t cuda:90a --num-ctas $blocks --num-warps 8 \
    --function softmax_$blocks -o "$object"
  objects+=("$object")
done
"$nereid" link "${objects[@]}" --name clusters -o "$folder"
