#!/usr/bin/env bash
# Variants that differ in nothing a call can see: made by --tune and --autotune, and chosen by measurements that are
# linked in, or by an estimate. The kernel stores its block's size, so that its results say which variant ran.
#
#   tuning.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

cat >kernels.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def block(y_ptr, n, m, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, BLOCK, mask=offsets < n)


@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=w) for b in (32, 64) for w in (1, 4)], key=["n"])
@triton.jit
def decorated(y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, BLOCK, mask=offsets < n)
PY

# Each line of standard input is a call: n and m. Prints the block of the variant that it got, or NAME_explain's text.
cat >main.c <<'C'
#include "lib.h"
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  static int32_t y[1 << 16];
  static char text[1 << 16];
  int n, m, i;
  while (scanf("%d %d", &n, &m) == 2) {
    nrd_dim3 grid = {0, 1, 1};
    nrd_status status;
    memset(y, 0, sizeof y);
    if (argc > 1 && !strcmp(argv[1], "explain")) {
      lib_block_explain(nrd_cpu_stream(), y, n, m, text, sizeof text);
      puts(text);
      continue;
    }
    grid.x = (uint32_t)(n + 63) / 64;
    status = argc > 1 ? lib_block_grid(nrd_cpu_stream(), grid, y, n, m) : lib_block(nrd_cpu_stream(), y, n, m);
    if (status != NRD_OK) {
      puts(lib_last_error());
      return 1;
    }
    for (i = 0; i < n; ++i)
      if (y[i] != y[0])
        return 2;
    printf("%d\n", (int)y[0]);
  }
  return 0;
}
C
# make OPTION…: the program, of all *.nko.
make() {
  local strict="-Wall -Wextra -Wpedantic -Werror -I out"
  "$nereid" link ./*.nko -n lib -o out --source "$@" >log 2>&1 || fail "link $*"
  gcc -std=c11 $strict -c out/lib.c -o out/lib.o >>log 2>&1 || fail "the library as C"
  g++ -std=c++11 -x c++ $strict -Wold-style-cast -c out/lib.c -o out/cxx.o >>log 2>&1 || fail "the library as C++"
  gcc -std=c11 $strict main.c out/lib.o out/lib_images.o -lm -lpthread -ldl -o main >>log 2>&1 || fail "the program"
}
# chosen "N M" BLOCK …
chosen() {
  while [ $# -gt 0 ]; do
    local got
    got=$(./main <<<"$1") || fail "the call $1"
    [ "$got" = "$2" ] || fail "block $got instead of $2 for $1"
    shift 2
  done
}

compile=("$nereid" compile kernels.py -k block -s '*i32, i32, i32' -t cpu:x86-64-v2)
"${compile[@]}" -g 'cdiv(n, BLOCK)' --tune 'BLOCK=[64, 128, 256], num_warps=[2,4]' -o block.nko >log 2>&1 || fail compile
"$nereid" inspect block.nko >log
[ "$(grep -c "kernel object" log)" = 3 ] || fail "warps are no difference on the CPU"
expect 'BLOCK=128, num_warps=2, num_stages=3'

# Numbers follow the lists, also where the first target knows no warps; beside a condition for those that need one.
"$nereid" compile kernels.py -k block -s '*i32, i32, i32' -t cpu:x86-64-v2,cuda:90 -g 'cdiv(n, BLOCK)' \
  --tune 'BLOCK=[64, 128], num_warps=[2,4]' --tune 'BLOCK=32' -o ordered.nko >log 2>&1 || fail compile
"$nereid" link ordered.nko -n ordered -o ordered --source >log 2>&1 || fail "link"
sed -n '/^static const nrd_variant nrd_listed_0/,/^}/s/.*"\(BLOCK=.*\), num_stages=3"},/\1/p' ordered/ordered.c >log
[ "$(cat log)" = "$(printf 'BLOCK=%s\n' '64, num_warps=2' '64, num_warps=4' '128, num_warps=2' '128, num_warps=4' '32, num_warps=4')" ] ||
  fail "the variants are in another order than the lists"
rm -r ordered ordered.nko

# An option that is listed is not that of all.
"$nereid" compile kernels.py -k block -s '*i32, i32, i32' -t cuda:90 -g 'cdiv(n, BLOCK)' --num-warps 8 --num-stages 5 --maxnreg 64 \
  --tune 'BLOCK=64, num_warps=[2,4]' --tune 'BLOCK=128, num_stages=2, maxnreg=32' -o listed.nko >log 2>&1 || fail "options of all"
"$nereid" inspect listed.nko >log
for tried in 'BLOCK=64, num_warps=2, num_stages=5, maxnreg=64' 'BLOCK=64, num_warps=4, num_stages=5, maxnreg=64' \
  'BLOCK=128, num_warps=8, num_stages=2, maxnreg=32'; do expect "$tried"; done

# Nothing measured: small grids are spread, and large ones have few programs.
make
chosen "10 1" 64 "60000 1" 256
./main explain <<<"10 1" >log
expect "of 3 variants it is estimated to be the fastest, as there are no times for"
expect "accepts the call too, but is estimated to be no faster"
# A grid that the caller gives is for the first variant.
[ "$(./main grid <<<"60000 1")" = 64 ] || fail "a given grid"

cat >results.py <<'PY'
"""results.py FILE DEVICE N,M:BLOCK=TIME,BLOCK=TIME… …"""
import json, sys
file, device = sys.argv[1:3]
if device == "this":
    device = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")][0]
measurements = []
for argument in sys.argv[3:]:
    key, times = argument.split(":")
    key = dict(zip("nm", map(int, key.split(",")))) if key else {}
    for item in times.split(","):
        block, time = item.split("=")
        entry = {"function": "block", "device": device, "target": "cpu:x86-64-v2", "key": key,
                 "variant": f"y_ptr=*i32, n=i32, m=i32, BLOCK={block}"}
        entry["failed" if time == "failed" else "nanoseconds"] = time if time == "failed" else float(time)
        measurements.append(entry)
json.dump({"nereid_tuning": 1, "measurements": measurements}, open(file, "w"))
PY
if grep -q '^model name' /proc/cpuinfo; then
  # The nearest key, of two values; the fastest that does not fail.
  python3 results.py r.json this 16,1:64=5,128=4,256=3 1024,1:64=1,128=2 1024,64:128=1,64=2 60000,1:256=failed,128=9,64=10
  make --tuning r.json
  ! [ -s log ] || fail "messages of the linker"
  chosen "1 1" 256 "16 1" 256 "130 1" 256 "132 1" 64 "1024 1" 64 "1024 64" 128 "1024 1000000" 128 "50000 1" 128
  ./main explain <<<"900 1" >log
  expect "of 3 variants it was the fastest for n=1024, m=1 on"
  expect ", with 1 ns"
  expect "accepts the call too, but was measured with 2 ns"
  expect "accepts the call too, but was not measured"
  ./main explain <<<"60000 1" >log
  expect "accepts the call too, but failed when it was measured"
  # For a caller's grid the fastest does not count if its grid is another one.
  [ "$(./main grid <<<"16 1")" = 64 ] || fail "a given grid and times"

  # Another machine's times are for that one, while there are some for this one; the later file counts; no key is a key.
  python3 results.py other.json "Another processor" 16,1:128=1
  python3 results.py more.json this 16,1:64=1
  make --tuning other.json --tuning r.json --tuning more.json
  chosen "16 1" 64 "1024 64" 128
  python3 results.py all.json this :256=1,64=2
  make --tuning all.json
  chosen "16 1" 256 "60000 5" 256
  # All that were measured failed: the estimate, of the others.
  python3 results.py failed.json this 16,1:64=failed,128=failed
  make --tuning failed.json
  chosen "10 1" 256
  ./main explain <<<"10 1" >log
  expect "it is estimated to be the fastest, as those that were measured failed for n=16, m=1 on "
  ! grep -q "no times for" log || fail "the device has times"
  # Times of this device, but of other variants of the kernel: of those for large n.
  "${compile[@]}" -g 'cdiv(n, BLOCK)' --when 'n >= 50000' --tune 'BLOCK=[512, 1024]' -o large.nko >log 2>&1 || fail compile
  python3 results.py large.json this 60000,1:512=1,1024=2
  make --tuning large.json
  chosen "60000 1" 512 "10 1" 64
  ./main explain <<<"10 1" >log
  expect "it is estimated to be the fastest, as none of them was measured on "
  ! grep -q "no times for" log || fail "the device has times"
  rm large.nko
fi
# A processor that was not measured takes the times of one that runs the same code.
python3 results.py other.json "Another processor" 16,1:128=1,64=2,256=3
make --tuning other.json
chosen "10 1" 128 "60000 1" 128

# What the library does not have is named, and does no harm.
python3 results.py strange.json this 16,1:32=1
make --tuning strange.json
expect "warning: the tuning results have times of variants of 'block' that the library does not have"
expect "BLOCK=32' for cpu:x86-64-v2"
refused "that the library does not have: " "$nereid" link block.nko -n lib -o strict --source --tuning strange.json --werror
refused "no stages are kept in the library: " "$nereid" link block.nko -n lib -o strict --source --stages --werror
[ ! -e strict ] || fail "something was linked in spite of --werror"
chosen "10 1" 64
sed 's/"block"/"other"/' strange.json >renamed.json
make --tuning renamed.json
expect "warning: the tuning results have times of 'other', and the library has no function of that name"

# Files that are none leave the library as it was.
cp -r out before
for damage in 's/nereid_tuning/something/' 's/: 1,/: 7,/' 's/"nanoseconds": [0-9.]*/"nanoseconds": -1/' 's/"key": {[^}]*}/"key": 5/'; do
  sed "$damage" strange.json >damaged.json
  refused "'damaged.json' is no file of tuning results" "$nereid" link block.nko -n lib -o out --source --tuning damaged.json
done
size=$(wc -c <strange.json)
for length in 0 1 20 $((size / 2)) $((size - 1)); do
  head -c "$length" strange.json >damaged.json
  refused "'damaged.json' is no file of tuning results" "$nereid" link block.nko -n lib -o out --source --tuning damaged.json
done
refused "cannot open 'missing.json'" "$nereid" link block.nko -n lib -o out --source --tuning missing.json
diff -r before out >log || fail "a refused file changed the library"

# What is tried where it cannot be.
refused "'block' is tried with several values of 'BLOCK' and has no grid expression" sh -c \
  "$(printf '%q ' "${compile[@]}") --tune 'BLOCK=[64,128]' -o nogrid.o && $nereid link nogrid.o -n lib -o out"
refused "<tune>:1:13: error: 'TILE' is neither a parameter of 'block' nor one of the options" \
  "${compile[@]}" --tune 'BLOCK=[64], TILE=2' -o refused.o
refused "expected names with values to be tried" "${compile[@]}" --tune '64' -o refused.o
refused "expected 'num_warps' to be integers" "${compile[@]}" --tune 'BLOCK=64, num_warps=True' -o refused.o
refused "the signature has it as well" "$nereid" compile kernels.py -k block -s 'y_ptr=*i32, n=i32, m=i32, BLOCK=8' \
  -t cpu --tune 'BLOCK=[64]' -o refused.o
refused "'block' has no configurations that can be read" "${compile[@]}" --autotune -o refused.o
refused "--emit shows one variant at a time" "${compile[@]}" --tune 'BLOCK=64' --emit ttir
[ -e refused.o ] && fail "a refused list left an output"

# The configurations of a decorator; those that are the same for a target are one. Manifests and annotations.
"$nereid" compile kernels.py -k decorated -s '*i32, i32' -t cpu:x86-64-v2,cuda:80 -g 'cdiv(n, BLOCK)' --autotune -o d.o >log 2>&1 ||
  fail "compile --autotune"
"$nereid" inspect d.o >log
[ "$(grep -c "kernel object" log)" = 4 ] && [ "$(grep -c "cpu:x86-64-v2" log)" = 2 ] || fail "configurations of two targets"
cat >manifest.json <<'JSON'
{"name": "made", "targets": ["cpu:x86-64-v2"], "tuning": "other.json", "kernels": [
  {"source": "kernels.py", "kernel": "block", "grid": "cdiv(n, BLOCK)", "tune": ["BLOCK=[64,128]", "BLOCK=256"],
   "signatures": ["*i32, i32, i32", {"signature": "*i64, i32, i32", "when": "n < 3", "tune": "BLOCK=8"}]},
  {"source": "kernels.py", "kernel": "decorated", "grid": "cdiv(n, BLOCK)", "autotune": true, "signatures": ["*i32, i32"]}]}
JSON
sed -i 's/"signature": "\*i64, i32, i32", "when": "n < 3"/"signature": "*i32, i32:16, i32", "when": "n < 3"/' manifest.json
"$nereid" build manifest.json -o made --depfile made.d >log 2>&1 || fail "build"
grep -q other.json made.d || fail "the build does not depend on the times"
"$nereid" inspect made/libmade.so >log
[ "$(grep -c "y_ptr=" log)" = 6 ] || fail "the variants of a manifest"
sed 's/^@triton.jit$/# nereid: grid = cdiv(n, BLOCK)\n# nereid: signature = *i32, i32, i32\n# nereid: tune = BLOCK=[64,128]\n# nereid: tune = BLOCK=32\n@triton.jit/;/^@triton.autotune/,$d' \
  kernels.py >annotated.py
"$nereid" build annotated.py -t cpu:x86-64-v2 -o made >log 2>&1 || fail "build an annotated file"
"$nereid" inspect made/libannotated.so >log
[ "$(grep -c "y_ptr=" log)" = 3 ] || fail "the variants of annotations"
# What heuristics decide by the arguments of a call is a variant for each answer, in whichever order decorators stand, and
# those of all configurations are tried together.
cat >even.py <<'PY'
import triton
import triton.language as tl


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0, "HAS": lambda args: args["x_ptr"] is not None})
@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (32, 64)], key=["n"],
                 prune_configs_by={"early_config_prune": lambda configs, args: configs})
@triton.heuristics({"SMALL": lambda args: args["n"] < 100 and not args["n"] >= 2 * args["BLOCK"]})
@triton.jit
def even(y_ptr, x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, SMALL: tl.constexpr, HAS: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, BLOCK + 1000 * EVEN + 2000 * SMALL + 4000 * HAS, mask=offsets < n)
PY
cat >even.c <<'C'
#include "even.h"
#include <stdio.h>
int main(void) {
  static int32_t y[256], x[256];
  int n, i, has, blocks = 0;
  for (n = 1; n <= 256; ++n)
    for (has = 0; has < 2; ++has) {
      if (even_even(nrd_cpu_stream(), y, has ? x : NULL, n) != NRD_OK) {
        puts(even_last_error());
        return 1;
      }
      for (i = 0; i < n; ++i) {
        int block = y[i] % 1000;
        if (y[i] != y[0] || (block != 32 && block != 64) ||
            y[i] != block + 1000 * (n % block == 0) + 2000 * (n < 100 && n < 2 * block) + 4000 * has) {
          printf("n=%d: %d\n", n, (int)y[i]);
          return 1;
        }
        blocks |= block;
      }
    }
  return blocks == 96 ? 0 : 1;
}
C
for pointer in '*i32' None; do
  "$nereid" compile even.py -k even -s "*i32, $pointer, i32" --autotune -g 'cdiv(n, BLOCK)' -t cpu:x86-64-v2 -o "even$pointer.o" >log 2>&1 ||
    fail "compile heuristics"
  expect "warning: 'even' has Triton drop configurations by the arguments of a call (prune_configs_by)"
done
"$nereid" link even*.o -n even -o out --source >log 2>&1 || fail "link heuristics"
! grep -q error log || fail "link heuristics"
gcc -std=c11 -Wall -Wextra -Werror -I out even.c out/even.c out/even_images.o -lm -lpthread -ldl -o even >log 2>&1 || fail "the program with heuristics"
./even >log 2>&1 || fail "heuristics"

# No compiler has anything to say of what is generated, where nothing was measured either, and with its optimizer on.
run "$nereid" compile kernels.py -k decorated -s '*i32, i32' -t cpu:x86-64-v2,cuda:80 -g 'cdiv(n, BLOCK)' --autotune --function other -o other.o
run "$nereid" link d.o other.o -n two -o two --source
for optimize in -O2 -O3; do
  run gcc -std=c11 $optimize -fPIC -Wall -Wextra -Werror -c two/two.c -o two.o
done
echo "variants to be tried are made and chosen"
