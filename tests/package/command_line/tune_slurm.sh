#!/usr/bin/env bash
# nereid tune as a Slurm job array, on a cluster of one node that lives in a temporary folder: slurmctld, slurmd and munged
# as this user, on ports that are free. Skipped (77) where they are not installed.
#
#   tune_slurm.sh NEREID
set -euo pipefail
nereid=$1
PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch scancel python3; do
  command -v $program >/dev/null || { echo "there is no $program here"; exit 77; }
done
work=$(mktemp -d)
cd "$work"
stop() {
  for name in slurmd slurmctld munged; do
    [ -s $name.pid ] && kill "$(cat $name.pid)" 2>/dev/null || true
  done
  # slurmd waits for its jobs' keepers.
  for _ in $(seq 50); do
    if [ -s slurmd.pid ] || [ -s slurmctld.pid ]; then sleep 0.1; else break; fi
  done
  rm -rf "$work"
}
trap stop EXIT

fail() {
  echo "FAILED: $*" >&2
  for file in log slurmctld.log slurmd.log munged.log out-*.txt; do
    [ ! -e "$file" ] || { echo "== $file"; tail -n 30 "$file"; } >&2
  done
  exit 1
}
ports=($(python3 -c 'import socket
sockets = [socket.socket() for _ in range(2)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))'))
# Munge wants a folder that nobody else writes to.
chmod 755 .
(umask 077 && head -c 1024 /dev/urandom >munge.key)
munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
  --log-file="$work/munged.log" --seed-file="$work/munged.seed" >log 2>&1 || fail "munged"
host=$(hostname -s)
mkdir state spool
cat >slurm.conf <<CONF
ClusterName=nereid
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
KillWait=5
MinJobAge=300
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=100 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
slurmctld -c -f slurm.conf >log 2>&1 || fail "slurmctld"
slurmd -f slurm.conf >log 2>&1 || fail "slurmd"
for _ in $(seq 300); do
  if [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; then break; fi
  sleep 0.1
done
[ "$(sinfo -h -o %T 2>log)" = idle ] || fail "the node does not come up"

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
grep -qE "results.json|cancelled.json: [0-9]+ measured on .*, [1-9][0-9]* known before" out-1.txt || fail "nothing was known"
echo "-- done"
