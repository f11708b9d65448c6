#!/usr/bin/env bash
# nereid tune on the CPU: what it measures and writes, what may go wrong with variants, and what must not lose measurements.
#
#   tune.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
mkdir tmp
export TMPDIR=$work/tmp

# How many measurements a file has that Python's EXPRESSION holds for.
count() { # FILE [EXPRESSION]
  python3 -c 'import json, sys
print(sum(1 for m in json.load(open(sys.argv[1]))["measurements"] if eval(sys.argv[2])))' "$1" "${2:-True}"
}
has() { # COUNT FILE [EXPRESSION]
  local found
  found=$(count "$2" "${3:-True}") || fail "'$2' is not JSON"
  [ "$found" = "$1" ] || { cat "$2" >&2; fail "expected $1 of ${3:-all} in '$2', not $found"; }
}

cat >kernels.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def row_sum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        sums += tl.load(x_ptr + row * n + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr + row, tl.sum(sums))


@triton.jit
def odd(x_ptr, out_ptr, n, ADD: tl.constexpr, STEP: tl.constexpr, FAR: tl.constexpr):
    offsets = tl.program_id(0) * 16 + tl.arange(0, 16)
    x = tl.load(x_ptr + FAR + offsets, mask=offsets < n)
    i = 0
    while i < n:
        tl.atomic_add(out_ptr, 0.0)
        i += STEP
    tl.store(out_ptr + offsets, x + ADD, mask=offsets < n)


@triton.jit
def bump(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, x + 1, mask=offsets < n)
PY
cat >manifest.json <<'JSON'
{"name": "tuned", "targets": ["cpu:x86-64-v2"], "kernels": [
  {"source": "kernels.py", "kernel": "row_sum", "grid": "8", "signatures": [
    {"signature": "*fp32, *fp32, i32, 16"},
    {"signature": "*fp32, *fp32, i32, 64", "when": "n > 0"},
    {"signature": "*fp32:16, *fp32, i32, 256", "when": "n > 100"}]},
  {"source": "kernels.py", "kernel": "odd", "grid": "cdiv(n, 16)", "signatures": [
    {"signature": "*fp32, *fp32, i32, 0, 16, 0"},
    {"signature": "*fp32:16, *fp32, i32, 0, 32, 0"},
    {"signature": "*fp32, *fp32:16, i32, 1, 16, 0"},
    {"signature": "*fp32:16, *fp32:16, i32, 0, 0, 0"},
    {"signature": "*fp32, *fp32, i32:16, 0, 16, 10000000000000"}]},
  {"source": "kernels.py", "kernel": "bump", "grid": "cdiv(n, BLOCK)", "signatures": [
    "*fp32, i32, 16", "*fp32:16, i32, 64"]}]}
JSON
cat >rows.json <<'JSON'
{"cases": [{"function": "row_sum", "values": {"n": [64, 200, 1000]},
            "arguments": {"x_ptr": {"shape": [8, "n"]}, "out_ptr": {"shape": [8]}}}]}
JSON
"$nereid" build manifest.json -o out >log 2>&1 || fail "build"

echo "-- measures what accepts each call, once"
"$nereid" tune out/libtuned.so --cases rows.json -o rows-results.json --html >log 2>&1 || fail "tune"
expect "[3/3] row_sum n=1000: 3 variants, the best in "
expect "rows-results.json: 8 measured on "
has 8 rows-results.json 'm["nanoseconds"] > 0 and m["runs"] + m["outliers"] >= 3 and m["function"] == "row_sum"'
has 2 rows-results.json 'm["key"] == {"n": 64} and m["target"] == "cpu:x86-64-v2"'
has 3 rows-results.json 'm.get("default")'
has 1 rows-results.json 'm.get("default") and m["key"]["n"] == 64 and m["variant"] == "*fp32, *fp32, i32, 64"'
"$nereid" tune out/libtuned.so --cases rows.json -o rows-results.json >log 2>&1 || fail "tune once more"
expect "rows-results.json: 0 measured on "
expect " 8 known before"
cp rows-results.json before.json
"$nereid" tune out/libtuned.so --cases rows.json -o rows-results.json --again --seconds 0.01 >log 2>&1 || fail "--again"
expect "rows-results.json: 8 measured on "
has 8 rows-results.json
[ -z "$(ls tmp)" ] || fail "left $(ls tmp)"

echo "-- the page needs nothing else, and shows times, choices and gains"
python3 - rows-results.html <<'PY' >log 2>&1 || fail "the page"
import re, sys, xml.dom.minidom
page = open(sys.argv[1]).read()
assert not re.search(r"https?:|src=|<link|@import|url\(", page)
charts = re.findall(r"<svg.*?</svg>", page, re.S)
assert len(charts) == 1
chart = xml.dom.minidom.parseString(charts[0])
assert len(chart.getElementsByTagName("title")) == 8
marks = [e.tagName for e in chart.getElementsByTagName("*") if e.getAttribute("class") == "mark"]
assert sorted(marks) == ["circle"] * 3 + ["path"] * 3, marks
assert page.count("<table>") == 2 and "n=1000" in page and "gain" in page
PY
printf '%s' '{"nereid_tuning": 1, "measurements": [{"function": "<b>f", "device": "a&b", "target": "cuda:90", "key": {},
  "variant": "\"<script>\"", "failed": "</td><script>"}]}' >evil.json
"$nereid" tune -o evil.json --html=evil.html >log 2>&1 || fail "a page of failures"
grep -qF '&lt;b&gt;f' evil.html || fail "no function"
[ "$(grep -c '<script>' evil.html)" = 1 ] || fail "it is not escaped"

echo "-- a manifest is built first, its mistakes and those of cases are shown in place"
"$nereid" tune manifest.json --cases rows.json -o built.json >log 2>&1 || fail "tune a manifest"
has 8 built.json
[ -z "$(ls tmp)" ] || fail "left $(ls tmp)"
printf '{"name": "tuned",\n "kernel": 3}' >wrong.json
refused "wrong.json:2:2: error: unknown key" "$nereid" tune wrong.json --cases rows.json -o new.json
cases() { # ERROR CASES
  printf '{"cases": [\n%s]}' "$2" >cases.json
  refused "$1" "$nereid" tune out/libtuned.so --cases cases.json -o new.json
  ! [ -e new.json ] || fail "new.json was written"
}
arguments='"x_ptr": {"shape": [8, "n"]}, "out_ptr": {"shape": [8]}'
cases "cases.json:2:15: error: the library has no function 'row': it has 'row_sum', 'odd', 'bump'" '{"function": "row"}'
cases "cases.json:2:1: error: 'row_sum' takes 'n' (i32), which is neither among" \
  '{"function": "row_sum", "arguments": {"x_ptr": null, "out_ptr": null}}'
cases "cases.json:2:66: error: 'row_sum' has no argument 'BLOCK'" \
  '{"function": "row_sum", "values": {"n": 3}, "arguments":{"BLOCK":3}}'
cases "error: 'x_ptr' of 'row_sum' is *fp32: expected a tensor" \
  '{"function": "row_sum", "values": {"n": 3}, "arguments": {"x_ptr": 3, "out_ptr": null}}'
cases "cases.json:2:1: error: 'x_ptr' of 'row_sum' is a tensor and cannot be a value" \
  '{"function": "row_sum", "values": {"x_ptr": 3}}'
cases "cases.json:2:34: error: 'x_ptr' is no integer argument of 'row_sum', by which calls could choose: it has 'n'" \
  "{\"function\": \"row_sum\", \"key\": [\"x_ptr\"], \"values\": {\"n\": 3}, \"arguments\": {$arguments}}"
cases "have the same key, {}" \
  "{\"function\": \"row_sum\", \"key\": [], \"values\": {\"n\": [3, 4]}, \"arguments\": {$arguments}}"
refused "--device is 'cpu', 'cuda:N' or 'hip:N'" \
  "$nereid" tune out/libtuned.so --cases rows.json -o new.json --device gpu
refused "has no code for cuda:0" "$nereid" tune out/libtuned.so --cases rows.json -o new.json --device cuda:0
refused "cannot write 'no/such/folder/r.json.lock'" \
  "$nereid" tune out/libtuned.so --cases rows.json -o no/such/folder/r.json
refused "holds no library that nereid made" "$nereid" tune /bin/sh --cases rows.json -o new.json
"$nereid" build manifest.json -o out --static >log 2>&1 || fail "build a static library"
refused "'out/libtuned.a' is a static library, which cannot be opened" "$nereid" tune out/libtuned.a --cases rows.json -o new.json
code=0
"$nereid" tune out/libtuned.so -o new.json >log 2>&1 || code=$?
[ "$code" = 2 ] || fail "no cases: exit code $code"
cat >impossible.json <<'JSON'
{"cases": [{"function": "row_sum", "values": {"n": [64, 3000000000]},
            "arguments": {"x_ptr": {"shape": [8, 100]}, "out_ptr": {"shape": [8]}}},
           {"function": "row_sum", "values": {"n": 65},
            "arguments": {"x_ptr": {"shape": [8, "0 - 1"]}, "out_ptr": {"shape": [8]}}}]}
JSON
refused "row_sum n=3000000000 cannot be measured: its type, i32, does not have 3000000000" \
  "$nereid" tune out/libtuned.so --cases impossible.json -o possible.json
expect "impossible.json:4:36: error: row_sum n=65 cannot be measured: a tensor's axis cannot be -1 long"
has 2 possible.json

echo "-- variants that crash, hang or differ have failed, and the others have not"
cat >odd.json <<'JSON'
{"cases": [{"function": "odd", "values": {"n": [4096, 100]},
            "arguments": {"x_ptr": {"shape": ["n"]}, "out_ptr": {"shape": ["n"]}}}]}
JSON
"$nereid" tune out/libtuned.so --cases odd.json -o odd-results.json --timeout 3 >log 2>&1 || fail "odd variants"
has 4 odd-results.json '"nanoseconds" in m and "failed" not in m'
has 2 odd-results.json '"its results differ from those of 2 other variants: '"'out_ptr'"' by" in m.get("failed", "")'
has 2 odd-results.json '"it did not end within 3 seconds" in m.get("failed", "")'
has 1 odd-results.json '"it was ended by SIGSEGV" in m.get("failed", "") and m["key"] == {"n": 4096}'
has 9 odd-results.json
expect "odd.json:1:12: warning: odd n=4096: '*fp32, *fp32, i32:16, 0, 16, 10000000000000' for cpu:x86-64-v2 has failed: it was"
expect "4 measured on "
expect ", 5 failed, "
"$nereid" tune out/libtuned.so --cases odd.json -o odd-results.json >log 2>&1 || fail "odd variants again"
expect " 9 known before"

echo "-- kernels that update in place find the same each time"
cat >bump.json <<'JSON'
{"cases": [{"function": "bump", "values": {"n": 1000},
            "arguments": {"x_ptr": {"shape": ["n"], "contents": "indices"}}}]}
JSON
"$nereid" tune out/libtuned.so --cases bump.json -o bump-results.json >log 2>&1 || fail "in place"
has 2 bump-results.json '"nanoseconds" in m'
! grep -q warning log || fail "a warning"
sed 's/, "contents": "indices"//' bump.json >nan.json
"$nereid" tune out/libtuned.so --cases nan.json -o nan-results.json >log 2>&1 || fail "in place, without contents"
expect "nan.json:2:36: warning: 'x_ptr' is NaN everywhere once a variant has run"

echo "-- contents may depend on the values; a key that two groups have is measured once, and that is said"
cat >gather.py <<'PY'
import triton
import triton.language as tl


# nereid: grid = argument(rows)
# nereid: targets = cpu:x86-64-v2
# nereid: tune = BLOCK=[16,64]
# nereid: signature = *fp32, *i32, *i32, *fp32, i32
@triton.jit
def gather(table_ptr, index_ptr, start_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    index = tl.load(index_ptr + row)
    start = tl.load(start_ptr + row)
    for first in range(0, width, BLOCK):
        offsets = first + tl.arange(0, BLOCK)
        x = tl.load(table_ptr + index * width + offsets, mask=offsets < width)
        tl.store(out_ptr + start + offsets, x, mask=offsets < width)
PY
gather() { # LARGEST FILE: two groups for the same key
  cat >gather.json <<JSON
{"cases": [
  {"function": "gather", "key": ["width"], "values": {"width": [50, 1000], "rows": 8, "words": 70000},
   "arguments": {"table_ptr": {"shape": ["words", "width"]}, "out_ptr": {"shape": ["rows", "width"]},
                 "index_ptr": {"shape": ["rows"], "contents": {"integers": ["0", "$1"]}},
                 "start_ptr": {"shape": ["rows"], "contents": {"indices": "width"}}}},
  {"function": "gather", "key": ["width"], "values": {"width": [50, 60], "rows": 4, "words": 10},
   "arguments": {"table_ptr": {"shape": ["words", "width"]}, "out_ptr": {"shape": ["rows", "width"]},
                 "index_ptr": {"shape": ["rows"], "contents": {"integers": [0, 9]}},
                 "start_ptr": {"shape": ["rows"], "contents": {"indices": "width"}}}}]}
JSON
  "$nereid" build gather.py -o out >log 2>&1 || fail "build"
  "$nereid" tune out/libgather.so --cases gather.json -o "$2" --seconds 0.05 >log 2>&1
}
gather "words - 1" gathered.json || fail "contents by expressions"
has 6 gathered.json '"nanoseconds" in m'
expect "gather.json:6:3: warning: gather rows=4 width=50 words=10: a group of cases before this one was measured for the same key, {width=50}"
[ "$(grep -c warning log)" = 1 ] || fail "not one warning"
! gather "words - 100000" none.json || fail "there is no such integer"
expect "gather.json:4:31: error: gather rows=8 width=50 words=70000 cannot be measured: there is no integer from 0 to -30000"
! gather "words * words" none.json || fail "there is no such i32"
expect "its type, *i32, does not have 4900000000"

echo "-- results of several processes: shards, merging, one file for all"
"$nereid" tune out/libtuned.so --cases rows.json -o part1.json --shard 1/2 >log 2>&1 || fail "shard 1"
"$nereid" tune out/libtuned.so --cases rows.json -o part2.json --shard 2/2 >log 2>&1 || fail "shard 2"
has 5 part1.json 'm["key"]["n"] != 200'
has 3 part2.json
"$nereid" tune --merge part1.json part2.json -o whole.json --html >log 2>&1 || fail "merge"
has 8 whole.json
[ -s whole.html ] || fail "no page"
head -c 300 whole.json >damaged.json
refused "damaged.json:" "$nereid" tune --merge damaged.json -o whole.json
expect "error: this is not JSON: syntax error"
refused "damaged.json:" "$nereid" tune out/libtuned.so --cases rows.json -o damaged.json
[ "$(wc -c <damaged.json)" = 300 ] || fail "the damaged file was changed"
printf '{"nereid_tuning": 1, "measurements": [\n  {"function": "f",\n   "device": 3}]}' >wrong.json
refused 'wrong.json:3:14: error: this is no file of tuning results: measurement 0 needs a string as "device"' \
  "$nereid" tune --merge wrong.json -o whole.json
printf '{"nereid_tuning":\n 7}' >wrong.json
refused 'wrong.json:2:2: error: this is no file of tuning results: it is of format 7' "$nereid" tune -o wrong.json --html
has 8 whole.json
cp out/libtuned.so kept.so
refused "a page's name ends in .html, and 'out/libtuned.so' does not" \
  bash -c '"$0" tune -o whole.json --html out/libtuned.so || exit 1' "$nereid"
cmp -s kept.so out/libtuned.so || fail "a page was written over a library"
refused "--shard" "$nereid" tune out/libtuned.so --cases rows.json -o n.json --shard slurm
for shard in 0/2 3/2 x 1/ ""; do
  code=0
  "$nereid" tune out/libtuned.so --cases rows.json -o n.json --shard "$shard" >log 2>&1 || code=$?
  [ $code = 2 ] || fail "--shard '$shard': status $code"
done
SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=2 \
  "$nereid" tune out/libtuned.so --cases rows.json -o slurm.json --shard slurm >log 2>&1 || fail "as in a job array"
has 3 slurm.json 'm["key"]["n"] == 200'
pids=()
for i in 1 2 3; do
  "$nereid" tune out/libtuned.so --cases rows.json -o together.json --shard $i/3 --seconds 0.1 >log$i 2>&1 &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || fail "three at a time"; done
has 8 together.json
ls together.json.* 2>/dev/null && fail "something is left"

echo "-- interrupted or killed, it keeps what it has, and goes on from there"
cat >many.json <<'JSON'
{"cases": [{"function": "row_sum", "values": {"n": {"from": 101, "to": 400, "plus": 1}},
            "arguments": {"x_ptr": {"shape": [8, "n"]}, "out_ptr": {"shape": [8]}}}]}
JSON
for signal in INT TERM KILL; do
  rm -f many-results.json
  "$nereid" tune out/libtuned.so --cases many.json -o many-results.json --seconds 0.2 >log 2>&1 &
  pid=$!
  for _ in $(seq 200); do
    if [ -e many-results.json ] && [ "$(grep -c nanoseconds many-results.json)" -gt 5 ]; then break; fi
    sleep 0.05
  done
  kill -$signal $pid
  code=0
  wait $pid 2>/dev/null || code=$?
  number=$(kill -l $signal)
  [ "$code" = $((128 + number)) ] || fail "SIG$signal: exit code $code"
  kept=$(count many-results.json)
  [ "$kept" -gt 5 ] && [ "$kept" -lt 900 ] || fail "SIG$signal: $kept were kept"
  [ $signal = KILL ] || expect "interrupted: the same command goes on"
done
"$nereid" tune out/libtuned.so --cases many.json -o many-results.json --seconds 0.01 >log 2>&1 || fail "going on"
expect "$((900 - kept)) measured on "
has 900 many-results.json

echo "-- where results cannot be written, the old ones stay and the new ones are put elsewhere"
cp many-results.json full.json
code=0
(
  ulimit -f 16
  exec "$nereid" tune out/libtuned.so --cases rows.json -o full.json
) >log 2>&1 || code=$?
[ "$code" = 1 ] || fail "a full disk: exit code $code"
expect "cannot write '$(pwd -P)/full.json.partial': File too large"
cmp -s many-results.json full.json || fail "the results were changed"
"$nereid" tune out/libtuned.so --cases many.json -o filling.json --seconds 0.001 --shard 1/2 >log 2>&1 || fail "half"
limit=$(($(wc -c <many-results.json) * 3 / 4096))
code=0
(
  ulimit -f "$limit"
  exec "$nereid" tune out/libtuned.so --cases many.json -o filling.json --seconds 0.001
) >log 2>&1 || code=$?
[ "$code" = 1 ] || fail "a disk that fills: exit code $code"
expect "warning: cannot write '$(pwd -P)/filling.json.partial': File too large; measurements are kept until they can be saved"
kept=$(count filling.json)
[ "$kept" -ge 450 ] && [ "$kept" -lt 900 ] || fail "$kept were kept on a full disk"
rescued=$(ls tmp/nereid-tuning-*.json)
expect "what is missing there is in '$work/$rescued'"
has $((900 - kept)) "$rescued"
"$nereid" tune --merge "$rescued" -o filling.json >log 2>&1 || fail "merging what was rescued"
has 900 filling.json
# The folder of temporary files may be as full; what no folder takes is printed.
set +e
(
  ulimit -f 40
  TMPDIR=$work/nowhere exec "$nereid" tune out/libtuned.so --cases many.json -o printed.json --seconds 0.001
) 2>log | cat >printed
code=${PIPESTATUS[0]}
set -e
[ "$code" = 1 ] || fail "no room anywhere: exit code $code"
expect "what is missing there follows on the standard output"
sed -n '/^{"nereid_tuning"/,/^]}/p' printed >missing.json
has $((900 - $(count printed.json))) missing.json
echo "-- done"
