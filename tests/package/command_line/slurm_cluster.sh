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
  stop_cluster
  [ -s munged.pid ] && kill "$(cat munged.pid)" 2>/dev/null || true
  # The keeper of a job that has ended may write a last line meanwhile, to a folder that is being removed.
  for _ in $(seq 50); do
    if rm -rf "$work" 2>/dev/null; then return; fi
    sleep 0.1
  done
}
stop_cluster() {
  local name pids=()
  for name in slurmd slurmctld; do
    [ ! -s $name.pid ] || pids+=("$(cat $name.pid)")
  done
  # slurmd waits for its jobs' keepers; slurmctld saves its state after its file is gone.
  for _ in $(seq 50); do
    if ! kill "${pids[@]}" 2>/dev/null; then break; fi
    sleep 0.1
  done
}
trap stop EXIT

fail() {
  echo "FAILED: $*" >&2
  for file in log slurmctld.log slurmd.log munged.log out-*.txt; do
    [ ! -e "$file" ] || { echo "== $file"; tail -n 30 "$file"; } >&2
  done
  exit 1
}
# Munge wants a folder that nobody else writes to.
chmod 755 .
(umask 077 && head -c 1024 /dev/urandom >munge.key)
munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
  --log-file="$work/munged.log" --seed-file="$work/munged.seed" >log 2>&1 || fail "munged"
host=$(hostname -s)
export SLURM_CONF=$work/slurm.conf

# Whether the cluster comes up. Another program may take a port between the moment that it is found free and that the daemons
# ask for it.
start_cluster() {
  local ports
  rm -rf state spool
  mkdir state spool
  ports=($(python3 -c 'import socket
sockets = [socket.socket() for _ in range(2)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))'))
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
  slurmctld -c -f slurm.conf >log 2>&1 && slurmd -f slurm.conf >>log 2>&1 || return 1
  for _ in $(seq 300); do
    if [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; then return 0; fi
    sleep 0.1
  done
  return 1
}
start_cluster || { stop_cluster; start_cluster; } || { stop_cluster; start_cluster; } || fail "the node does not come up"
