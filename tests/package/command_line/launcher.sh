#!/usr/bin/env bash
# NEREID_COMPILER_LAUNCHER: each compilation of a build is a process of its own behind a command of the user's, and the
# library is the same.
#
#   launcher.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

mkdir -p "my project/inc"
cd "my project"
echo 'EXTRA = 2' >inc/amounts.py
cat >k.py <<'PY'
import triton
import triton.language as tl
from amounts import EXTRA

WIDE = False


@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.device_assert(n > 0)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + (EXTRA if WIDE else 0), mask=i < n)


@triton.autotune([triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64}, num_warps=8)], key=["n"])
@triton.jit
def twice(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)
PY
cat >m.json <<'JSON'
{"name": "app", "targets": ["cpu:x86-64-v2", "cuda:80", "hip:gfx942"], "import_paths": ["inc"], "debug": true, "debug_info": true,
 "kernels": [
   {"source": "k.py", "kernel": "add", "grid": "cdiv(n, BLOCK)", "definitions": {"WIDE": true},
    "signatures": [{"signature": "*[fp32,fp16], *fp32, i32, BLOCK=64", "num_stages": 2, "when": "n <= 64"}]},
   {"source": "k.py", "kernel": "add", "function": "plus", "grid": "cdiv(n, BLOCK)",
    "signatures": [{"signature": "*fp32:16, *fp32, i32, BLOCK=128", "for": {"hip": {"num_warps": 8, "constants": {"BLOCK": 256}},
                                                                          "cuda": {"maxnreg": 64}}}]},
   {"source": "k.py", "kernel": "twice", "grid": "cdiv(n, BLOCK)", "autotune": true, "tensor_maps": false,
    "signatures": ["x_ptr=*fp32, n=i32"]}]}
JSON
cat >"launch it" <<'SH'
#!/bin/sh
echo "$@" >>"$LOG"
shift
exec "$@"
SH
chmod +x "launch it"
export NEREID_CACHE_DIR=off
export LOG=$PWD/launches
same() { for file in whole/*; do cmp "$file" "$1/$(basename "$file")" >log 2>&1 || fail "$file differs"; done; }

echo "-- every image is compiled by a process of its own"
run "$nereid" build m.json -o whole --depfile whole.d
export NEREID_COMPILER_LAUNCHER="'./launch it' 'two words'"
run "$nereid" build m.json -o launched -j 3 --depfile launched.d
same launched
sed 's/^launched/whole/' launched.d | cmp - whole.d || fail "the dependencies differ"
[ "$(wc -l <launches)" = 15 ] || fail "$(wc -l <launches) launches"
[ "$(grep -c "^two words .*nereid compile .*m.json" launches)" = 15 ] || fail "not the command: $(head -n 1 launches)"
[ "$(ls -A launched | wc -l)" = 4 ] || fail "something was left: $(ls -A launched)"

echo "-- options of the command line reach it"
options=(-t cpu:x86-64-v3,hip:gfx90a -D WIDE=False -I inc --prefix-map "$PWD=/there")
NEREID_COMPILER_LAUNCHER="" run "$nereid" build m.json -o whole "${options[@]}"
run "$nereid" build m.json -o launched "${options[@]}"
same launched
run "$nereid" build m.json -o launched --launcher "env -u LOG" --shard 1/2

echo "-- annotated sources, too"
cat >annotated.py <<'PY'
# nereid: targets = cpu:x86-64-v2, cuda:90a
import triton
import triton.language as tl


# nereid: grid = cdiv(n, 64)
# nereid: signature = *fp32, i32
@triton.jit
def half(x_ptr, n):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) / 2, mask=i < n)
PY
run "$nereid" build annotated.py -o launched
[ -e launched/libannotated.so ] || fail "no library"

echo "-- errors and warnings are as without it, each once"
sed 's/tl.device_assert(n > 0)/tl.static_assert(BLOCK == 64, "too wide")/' k.py >bad.py
sed 's/k\.py/bad.py/' m.json >bad.json
code=0
NEREID_COMPILER_LAUNCHER="" "$nereid" build bad.json -o bad --quiet 2>plain.txt || code=$?
[ $code = 1 ] || fail "status $code"
"$nereid" build bad.json -o bad --quiet 2>log && fail "accepted"
diff plain.txt log || fail "other messages"
grep -q "too wide" log || fail "not the error"
[ ! -e bad ] || fail "something was left"

echo "-- a launcher that cannot be started, that fails, or does nothing is told"
refused "cannot start the compiler launcher 'no-such-program': " env NEREID_COMPILER_LAUNCHER="no-such-program -x" "$nereid" build m.json -o out
expect "<NEREID_COMPILER_LAUNCHER>:1:1: error: "
refused "<--launcher>:1:9: error: this quote is not closed" "$nereid" build m.json -o out --launcher "env A=b 'unclosed"
refused "<NEREID_COMPILER_LAUNCHER>:1:6: error: nothing stands behind this backslash" \
  env NEREID_COMPILER_LAUNCHER='env a\' "$nereid" build m.json -o out
refused "returned 1" "$nereid" build m.json -o out --launcher false
expect "error: 'false "
refused "did not write what it should" "$nereid" build m.json -o out --launcher true
refused "no slots today" "$nereid" build m.json -o out --launcher "sh -c 'echo no slots today; exit 7'"
expect "returned 7"
refused "was ended by a signal: Killed" "$nereid" build m.json -o out --launcher "sh -c 'kill -9 \$\$'"
[ ! -e out ] || fail "something was left"

echo "-- a manifest that changes meanwhile does not become another library"
cat >meddle <<'SH'
#!/bin/sh
sed -i 's/"BLOCK": 256/"BLOCK": 512/; s/BLOCK=64/BLOCK=32/' m.json
exec "$@"
SH
chmod +x meddle
refused "it has changed since the build began" "$nereid" build m.json -o out --launcher ./meddle

echo "-- who interrupts the build ends what was launched"
for signal in INT TERM; do
  rm -f started
  env --default-signal=INT "$nereid" build annotated.py -o new --launcher "sh -c 'echo \$\$ >>started; sleep 60 & wait'" >stdout 2>stderr &
  for _ in $(seq 100); do [ -s started ] && break || sleep 0.1; done
  [ -s started ] || fail "not started"
  kill -$signal $!
  code=0
  wait $! || code=$?
  [ $code -gt 128 ] || fail "status $code after SIG$signal"
  [ ! -e new ] || fail "something was left: $(find new)"
  while read -r process; do
    # Nobody may be there to take note of its end.
    for _ in $(seq 50); do
      grep -q '^State:[[:space:]]*[^Z]' "/proc/$process/status" 2>stderr || break
      sleep 0.1
    done
    ! grep -q '^State:[[:space:]]*[^Z]' "/proc/$process/status" 2>stderr || fail "process $process lives on"
  done <started
done
echo "-- done"
