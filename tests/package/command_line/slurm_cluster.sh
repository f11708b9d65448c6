# shellcheck shell=bash
# A Slurm cluster of one node in a folder of its own, which is the current one, for the tests that source this: slurmctld, slurmd
# and munged as this user, on ports that are free, with 2 processors. It ends with the test. Where they are not installed the test is skipped (77).
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
