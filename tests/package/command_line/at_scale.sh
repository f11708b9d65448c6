#!/usr/bin/env bash
# nereid build with much to do: all errors are told, in the same order however many are compiled at a time; how far it is; how much
# memory; what an interruption leaves.
#
#   at_scale.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
export NEREID_CACHE_DIR=$work/cache

cat >k.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, n, BLOCK: tl.constexpr, AMOUNT: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.static_assert(AMOUNT != 3, "not three")
    tl.static_assert(AMOUNT != 7, "not seven")
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) + AMOUNT, mask=i < n)
PY
# manifest AMOUNTS [MORE]
manifest() {
  printf '{"name": "app", "targets": ["cpu:x86-64-v2", "cuda:80", "hip:gfx942"], "kernels": [{"source": "k.py", "kernel": "add",
    "grid": "cdiv(n, BLOCK)", "dispatch": ["AMOUNT"], "signatures": ["*fp32, i32, BLOCK=64, AMOUNT=[%s]"%s]}]}' "$1" "${2:-}" >m.json
}

echo "-- every error is told, once, in the order of the manifest"
manifest 1,2
run "$nereid" build m.json -o lib
before=$(sha256sum lib/*)
manifest 0,1,2,3,4,5,6,7,8 ', "*fp32, i32, BLOCK=64, AMOUNT=", "*fp33, i32, 64, 9"'
for jobs in 1 4; do
  code=0
  "$nereid" build m.json -o lib -j $jobs --quiet >out 2>"errors$jobs" || code=$?
  [ $code = 1 ] || fail "status $code"
done
cp errors1 log
cmp errors1 errors4 || fail "the messages depend on -j"
for words in "not three" "not seven" "expected a type or a value after '='" "unknown element type 'fp33'"; do
  [ "$(grep -c "error: .*$words" log)" = 1 ] || fail "not one error of '$words'"
done
expect "2 of 9 variants could not be compiled"
[ "$(grep -n 'error:.*not three' log | cut -d: -f1)" -lt "$(grep -n 'error:.*not seven' log | cut -d: -f1)" ] || fail "another order"
[ "$before" = "$(sha256sum lib/*)" ] || fail "the earlier library is not as it was"
echo "-- and what was compiled is not lost"
manifest 0,1,2,4,5,6,8
run "$nereid" build m.json -o lib
[ "$(find cache -type f | wc -l)" -ge 21 ] || fail "not everything was kept: $(find cache -type f | wc -l)"

echo "-- progress is lines in a log, and what one asks for"
manifest "$(seq -s, 20 31)"
run "$nereid" build m.json -o lib --no-cache
[ "$(grep -c '^\[' log)" -le 10 ] && grep -q '^\[36/36\] ' log || fail "not up to ten lines"
run "$nereid" build m.json -o lib --no-cache --progress none
! grep -q '^\[' log || fail "progress although none was wanted"
run "$nereid" build m.json -o lib --no-cache --quiet
[ ! -s log ] || fail "something was said"
run "$nereid" build m.json -o lib --no-cache --progress line
grep -q $'\r\x1b\\[K\\[36/36\\] ' log || fail "no line that is rewritten"

exits 2 "^--progress: lines not in \{auto,line,plain,none\}" "$nereid" build m.json -o lib --progress lines
exits 2 "^--progress: 2 not in" "$nereid" build m.json -o lib --progress 2

echo "-- however little memory there is, one at a time is compiled"
run "$nereid" build m.json -o lib --no-cache --memory 1M -j 8
for memory in lots 0 ""; do exits 2 "--memory: " "$nereid" build m.json -o lib --memory "$memory"; done

echo "-- one compile is one thread"
"$nereid" compile k.py -k add -s "*fp32, i32, BLOCK=4096, AMOUNT=1" -t cpu:x86-64-v3,cuda:80,cuda:90a,hip:gfx942,hip:gfx90a -o k.nko --no-cache &
most=0
while kill -0 $! 2>stderr; do
  threads=$(ls "/proc/$!/task" 2>stderr | wc -l) || true
  [ "$threads" -le $most ] || most=$threads
done
wait $!
[ $most = 1 ] || fail "$most threads"

echo "-- an interruption leaves nothing half done, and what is finished is used"
manifest "$(seq -s, 100 180)"
"$nereid" cache clear >log 2>&1 || fail "cache clear"
for signal in INT TERM; do
  env --default-signal=INT "$nereid" build m.json -o new --progress plain >out 2>log &
  for _ in $(seq 300); do [ "$(wc -l <log)" -lt 3 ] || break; sleep 0.02; done
  kill -$signal $!
  code=0
  wait $! || code=$?
  [ $code -gt 128 ] || fail "status $code after SIG$signal"
  [ ! -e new ] || fail "something was left: $(find new)"
done
kept=$(find cache -type f | wc -l)
[ "$kept" -ge 3 ] || fail "nothing was kept"
run "$nereid" build m.json -o new
[ -e new/libapp.so ] || fail "no library"
echo "-- done"
