#!/usr/bin/env bash
# nereid build as a Slurm job array, and a job behind it that links. Skipped (77) where Slurm is not installed.
#
#   build_slurm.sh NEREID
set -euo pipefail
nereid=$(realpath "$1")
# shellcheck source=slurm_cluster.sh
. "$(dirname "$0")/slurm_cluster.sh"

cat >add.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1, mask=i < n)
PY
cat >app.json <<'JSON'
{"name": "app", "targets": ["cpu:x86-64-v2", "cuda:80"], "kernels": [
  {"source": "add.py", "kernel": "add", "grid": "cdiv(n, BLOCK)", "dispatch": ["BLOCK"],
   "signatures": ["*[fp32,fp16], *fp32, i32, BLOCK=[32,64,128]"]}]}
JSON
export NEREID_CACHE_DIR=off
"$nereid" build app.json -o whole >log 2>&1 || fail "build"
cat >build.sbatch <<SBATCH
#!/bin/bash
#SBATCH --array=1-4
#SBATCH --output=out-%a.txt
exec "$nereid" build app.json -o parts --shard slurm
SBATCH

echo "-- four tasks compile all variants between them, and another job links when they are done"
job=$(sbatch --parsable build.sbatch) || fail "the job array"
sbatch --wait --dependency="afterok:$job" --output=out-link.txt \
  --wrap "'$nereid' link parts/*.nko -n app -o lib" >log 2>&1 || fail "the job that links"
[ "$(ls parts/*.nko | wc -l)" = 6 ] || fail "not six objects: $(ls parts)"
cmp whole/libapp.so lib/libapp.so >log || fail "another library"

echo "-- a launcher may be srun"
NEREID_COMPILER_LAUNCHER="srun --quiet --ntasks=1 --overlap" "$nereid" build app.json -o launched -j 2 >log 2>&1 || fail "srun"
cmp whole/libapp.so launched/libapp.so >log || fail "another library"
echo "-- done"
