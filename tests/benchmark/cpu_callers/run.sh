#!/usr/bin/env bash
# What calls on the CPU take, from one and from many threads, of one and of several libraries.
#
#   run.sh NEREID
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
nereid=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$nereid" compile "$here/kernels.py" -k add_kernel -s "*fp32, *fp32, *fp32, i32, 256" -t cpu -g "cdiv(n, BLOCK)" -o "$work/add.nko"
"$nereid" compile "$here/kernels.py" -k matmul_kernel -s "*fp32, *fp32, *fp32, i32, 64" -t cpu -o "$work/matmul.nko"
"$nereid" link "$work/add.nko" "$work/matmul.nko" -n lib -o "$work"
for i in 0 1 2 3; do cp "$work/liblib.so" "$work/lib$i.so"; done
cc -O2 -I"$work" "$here/callers.c" -o "$work/callers" -ldl -lpthread
run() { "$work/callers" "$work" "$@"; }
run 1 1 add 100 1000000
run 1 1 add 1000 300000
run 16 1 add 1000 100000
run 1 1 add 100000 2000
run 1 1 add 1000000 500
run 4 4 add 1000000 100
run 16 4 add 1000000 50
run 1 1 matmul 1024 5
run 4 4 matmul 512 10
run 16 4 matmul 512 5
# From inside of TBB's pool, where the machine has it.
if echo '#include <oneapi/tbb/parallel_for.h>' | c++ -fsyntax-only -x c++ - 2>/dev/null; then
  c++ -std=c++17 -O2 -I"$work" "$here/inside_tbb.cpp" -o "$work/inside_tbb" -ltbb -ldl -lpthread
  threads=$(nproc)
  for mode in alone pool single; do
    "$work/inside_tbb" "$work/lib0.so" "$mode" "$threads" add 1000000 100
    "$work/inside_tbb" "$work/lib0.so" "$mode" "$threads" matmul 512 10
  done
fi
