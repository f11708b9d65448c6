#!/usr/bin/env bash
# nereid build --shard: the parts of a build, linked wherever, are the library that one machine makes, to the last byte; a
# part that is missing is told.
#
#   shards.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

cat >amounts.py <<'PY'
EXTRA = 2
PY
cat >k.py <<'PY'
import triton
import triton.language as tl
from amounts import EXTRA


@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + EXTRA, mask=i < n)


@triton.jit
def row_sum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0))


@triton.autotune([triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64}, num_warps=8)], key=["n"])
@triton.jit
def twice(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)
PY
# Lists of types and values, what is tried, what differs from target to target, and a variant that one target is too small for.
cat >m.json <<'JSON'
{"name": "app", "targets": ["cpu:x86-64-v2", "cuda:80", "hip:gfx942"],
 "kernels": [
   {"source": "k.py", "kernel": "add", "grid": "cdiv(n, BLOCK)", "dispatch": ["BLOCK"],
    "signatures": ["*[fp32,fp16], *fp32, i32, BLOCK=[64,128]"]},
   {"source": "k.py", "kernel": "add", "function": "plus", "grid": "cdiv(n, BLOCK)",
    "signatures": ["*fp32, *fp32, i32, BLOCK=256",
                   {"signature": "*fp32:16, *fp32, i32, BLOCK=256", "num_warps": 8, "for": {"hip": {"constants": {"BLOCK": 128}}}}]},
   {"source": "k.py", "kernel": "add", "function": "optional", "optional": true, "targets": ["cpu:x86-64-v2", "cuda:80"],
    "dispatch": ["BLOCK"], "grid": "1", "signatures": ["*fp32, *fp32, i32, BLOCK=[48,64]", "*fp32, *fp32, i32, BLOCK=MISSING"]},
   {"source": "k.py", "kernel": "row_sum", "grid": "1", "targets": ["cpu:x86-64-v2", "cuda:80"],
    "signatures": [{"signature": "x_ptr=*fp32, out_ptr=*fp32, n=i32", "tune": "BLOCK=[64,128], num_warps=[2,4]"}]},
   {"source": "k.py", "kernel": "twice", "grid": "cdiv(n, BLOCK)", "autotune": true, "signatures": ["x_ptr=*fp32, n=i32"]}]}
JSON
run "$nereid" build m.json -o whole

# same DIR: it has the library that was built at once.
same() {
  local file
  for file in whole/*; do cmp "$file" "$1/$(basename "$file")" >log 2>&1 || fail "$file differs"; done
}

echo "-- parts in one folder, linked as the shell lists them"
for i in 1 2 3; do
  run "$nereid" build m.json -o all --shard $i/3
  expect "all/app-"
done
[ ! -e all/libapp.so ] || fail "a shard made a library"
variants=$(ls all/*.nko | wc -l)
run "$nereid" link all/*.nko -n app -o linked
same linked

echo "-- each in a folder of its own, in any order; every variant is in one of them"
for i in 1 2 3 4 5; do run "$nereid" build m.json -o part$i --shard $i/5 -j 1; done
[ "$(ls part?/*.nko | wc -l)" = "$variants" ] || fail "not every variant is in one shard"
[ "$(ls part?/*.nko | xargs -n 1 basename | sort -u | wc -l)" = "$variants" ] || fail "a variant is in two shards"
for i in 1 2 3 4 5; do
  count=$(ls part$i/*.nko | wc -l)
  [ "$count" -ge $((variants / 5 - 1)) ] && [ "$count" -le $((variants / 5 + 2)) ] || fail "shard $i has $count of $variants"
done
run "$nereid" link part3/*.nko part5/*.nko part1/*.nko part4/*.nko part2/*.nko -n app -o linked2
same linked2
mkdir renamed
for file in part?/*.nko; do cp "$file" "renamed/$(sha256sum <"$file" | cut -c 1-12).nko"; done
run "$nereid" link renamed/*.nko -n app -o linked3
same linked3

echo "-- a shard that was forgotten is told, and so is an object"
refused "variants are missing: shards 2 and 4 of 5; --allow-missing links what is there" \
  "$nereid" link part1/*.nko part3/*.nko part5/*.nko -n app -o lacking
[ ! -e lacking ] || fail "something was linked"
run "$nereid" link part1/*.nko part3/*.nko part5/*.nko -n app -o lacking --allow-missing
expect "warning: of the build that 'part1/"
refused "[--werror]" "$nereid" link part1/*.nko part3/*.nko part5/*.nko -n app -o strict --allow-missing --werror
[ ! -e strict ] || fail "something was linked in spite of --werror"
first=$(ls part1/*.nko | head -n 1)
mv "$first" taken.nko
refused "1 of $variants variants are missing; of shard 1 of 5 there are " "$nereid" link part?/*.nko -n app -o lacking
mv taken.nko "$first"

echo "-- what is left of another state of the source is not linked with the rest"
sed -i 's/\* 2, mask/* 3, mask/' k.py
run "$nereid" build m.json -o part1 --shard 1/5
refused "is of another build, so that the manifest, a source or an option was another one" \
  "$nereid" link part?/*.nko -n app -o lacking
sed -i 's/\* 3, mask/* 2, mask/' k.py
run "$nereid" build m.json -o part1 --shard 1/5

echo "-- nothing is written that is there already"
touch -d 2001-01-01 part1/*.nko whole/*
run "$nereid" build m.json -o part1 --shard 1/5
run "$nereid" build m.json -o whole
[ -z "$(find part1 whole -type f -newermt 2002-01-01)" ] || fail "written: $(find part1 whole -type f -newermt 2002-01-01)"

echo "-- more shards than variants"
for i in 20 99; do run "$nereid" build m.json -o few --shard $i/99; done
expect "nothing is to be done for shard 99 of 99"
# As `--shard "$PART"` is with a variable that is not set: the whole is not to be built in place of a part.
for shard in 6/5 0/5 5 ""; do
  exits 2 "--shard: expected I/N, .*not '$shard'" "$nereid" build m.json -o none --shard "$shard"
done
[ ! -e none ] || fail "something is written"

echo "-- options of a library are told to be the link's"
for option in --python --static --compress=size --sizes; do
  run "$nereid" build m.json -o few --shard 20/99 $option
  expect "warning: ${option%=*} has no effect with --shard"
done
refused "error: --python has no effect with --shard" "$nereid" build m.json -o none --shard 1/99 --python --werror
[ ! -e none ] || fail "something is written in spite of --werror"

echo "-- an error in one shard is that shard's, and all that can be compiled is"
sed -i 's/tl.sum(/tl.summ(/' k.py
code=0
for i in 1 2 3 4 5; do "$nereid" build m.json -o bad --shard $i/5 >log 2>&1 || code=$?; done
[ $code = 1 ] || fail "no shard was refused"
[ "$(ls bad/*.nko | wc -l)" -ge 7 ] || fail "what compiles was not compiled"
refused "variants are missing" "$nereid" link bad/*.nko -n app -o lacking

echo "-- and so is one in the manifest, which every shard finds"
sed -i 's/tl.summ(/tl.sum(/' k.py
sed 's/"signatures": \["x_ptr=\*fp32, n=i32"\]/"signatures": ["x_ptr=*fp32, n=i32", "x_ptr=*fp33, n=i32"]/' m.json >wrong.json
for i in 1 2; do refused "unknown element type 'fp33'" "$nereid" build wrong.json -o wrong --shard $i/2; done
refused "variants are missing" "$nereid" link wrong/*.nko -n app -o lacking
echo "-- done"
