#!/usr/bin/env bash
# nereid tune as a Slurm job array. Skipped (77) where Slurm is not installed.
#
#   tune_slurm.sh NEREID
set -euo pipefail
nereid=$1
# shellcheck source=slurm_cluster.sh
. "$(dirname "$0")/slurm_cluster.sh"

cat >copy.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)
PY
"$nereid" compile copy.py -k copy -s "x_ptr=*fp32, out_ptr=*fp32, n=i32" -g "cdiv(n, BLOCK)" -t cpu:x86-64-v2 \
  --tune "BLOCK=[64,256]" -o copy.nko >log 2>&1 || fail "compile"
"$nereid" link copy.nko -n copied -o lib >log 2>&1 || fail "link"
cat >cases.json <<'JSON'
{"cases": [{"function": "copy", "values": {"n": {"from": 100, "to": 115, "plus": 1}},
            "arguments": {"x_ptr": {"shape": ["n"]}, "out_ptr": {"shape": ["n"]}}}]}
JSON
cat >tune.sbatch <<SBATCH
#!/bin/bash
#SBATCH --array=1-3
#SBATCH --output=out-%a.txt
exec "$nereid" tune lib/libcopied.so --cases cases.json -o results.json --shard slurm --seconds 0.2
SBATCH

echo "-- three tasks measure all cases between them, into one file"
sbatch --wait tune.sbatch >log 2>&1 || fail "the job array"
[ "$(grep -c '"nanoseconds"' results.json)" = 32 ] || fail "not all was measured: $(cat results.json)"
python3 -m json.tool results.json >log 2>&1 || fail "the results are damaged"
# 6, 5 and 5 of 16 cases.
for task in 1:12 2:10 3:10; do
  grep -qF "results.json: ${task#*:} measured on " out-${task%:*}.txt || fail "task ${task%:*}"
done

echo "-- or each into its own, to be merged; tasks need not count from 1, and another step than 1 will do"
sed -i 's/array=1-3/array=10-14:4/; s/results.json/part-$SLURM_ARRAY_TASK_ID.json/' tune.sbatch
sbatch --wait tune.sbatch >log 2>&1 || fail "the second job array"
"$nereid" tune --merge part-10.json part-14.json -o whole.json >log 2>&1 || fail "merge"
[ "$(grep -c '"nanoseconds"' whole.json)" = 32 ] || fail "not all was merged"

echo "-- a job that is cancelled keeps what it has, and the next one goes on"
sed -i 's/"to": 115/"to": 1500/' cases.json
sed -i 's/array=10-14:4/array=1-2/; s/part-.*json/cancelled.json/; s/--shard slurm --seconds 0.2/--shard slurm/' tune.sbatch
job=$(sbatch --parsable tune.sbatch) || fail "the third job array"
for _ in $(seq 300); do
  if [ -e cancelled.json ] && [ "$(grep -c nanoseconds cancelled.json)" -gt 10 ]; then break; fi
  sleep 0.1
done
scancel "$job" || fail "scancel"
for _ in $(seq 300); do
  if [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; then break; fi
  sleep 0.1
done
kept=$(grep -c '"nanoseconds"' cancelled.json) || true
[ "$kept" -gt 10 ] && [ "$kept" -lt 2802 ] || fail "$kept were kept"
python3 -m json.tool cancelled.json >log 2>&1 || fail "the results are damaged"
grep -qF "interrupted: the same command goes on" out-1.txt || fail "it was not interrupted"
sed -i 's/"to": 1500/"to": 400/' cases.json
sbatch --wait tune.sbatch >log 2>&1 || fail "going on"
[ "$(grep -c '"nanoseconds"' cancelled.json)" -ge 602 ] || fail "not all was measured"
grep -qE "results.json|cancelled.json: [0-9]+ measured on .*, [1-9][0-9]* known before" out-[12].txt || fail "nothing was known"
echo "-- done"
