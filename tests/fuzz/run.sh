#!/usr/bin/env bash
# Runs the fuzzers, two at a time, for MINUTES each, from seeds made of this repository's tests. Stops at the first crash,
# hang (20 s for one input) or leak of memory beyond 4 GB, and leaves the input that did it.
#
#   run.sh BUILD MINUTES [FUZZER…]
set -euo pipefail
build=$(cd "$1" && pwd)
minutes=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
tests=$(dirname "$here")
fuzzers=("$@")
[ ${#fuzzers[@]} -gt 0 ] || fuzzers=(fuzz_compiletime fuzz_files fuzz_python fuzz_tritonc fuzz_tritonir fuzz_text)
work=$build/fuzz
mkdir -p "$work"/{compiletime,files,python,tritonc,tritonir,text}

# One seed a kernel: its file, with the signature that the harness of the conformance tests logs.
if [ -z "$(ls -A "$work/python")" ] || [ -z "$(ls -A "$work/files")" ] || [ -z "$(ls -A "$work/compiletime")" ] ||
  [ -z "$(ls -A "$work/tritonc")" ]; then
  python3 "$here/seeds.py" "$tests" "$work"
fi

run() {
  local name=$1 corpus=$work/${1#fuzz_}
  mkdir -p "$work/crashes"
  # What the compiler holds at exit is not a leak: contexts live as long as the process. LLVM's bump allocators poison
  # what they have not handed out; the shared libraries, which are not instrumented, do not unpoison it.
  ASAN_OPTIONS=detect_leaks=0:allow_user_poisoning=0 \
    "$build/tests/fuzz/$name" "$corpus" -max_total_time=$((minutes * 60)) -timeout=20 -rss_limit_mb=4096 \
    -max_len=20000 -artifact_prefix="$work/crashes/$name-" -print_final_stats=1 >"$work/$name.log" 2>&1 || {
    tail -40 "$work/$name.log"
    return 1
  }
  grep -E 'stat::number_of_executed_units' "$work/$name.log" | sed "s/^/$name: /"
}

status=0
pids=()
for fuzzer in "${fuzzers[@]}"; do
  run "$fuzzer" &
  pids+=($!)
  if [ ${#pids[@]} -eq 2 ]; then
    wait "${pids[0]}" || status=1
    pids=("${pids[1]}")
  fi
done
for pid in "${pids[@]}"; do
  wait "$pid" || status=1
done
exit $status
