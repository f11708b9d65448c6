#!/usr/bin/env bash
# The compile cache on a real network file system: three machines with kernels of their own (User Mode Linux, in which
# this machine's files are the root), one of which serves a folder by NFS to two that build at the same time. One of them is
# killed now and then; the server cannot be reached for a while, comes back, and has forgotten everything.
#
#   network_cache.sh NEREID [MOUNT OPTIONS, vers=3,nolock]
#
# By hand, as root, with Debian's user-mode-linux nfs-kernel-server nfs-common kmod iproute2; a quarter of an hour.
set -euo pipefail
nereid=$(realpath "$1")
options=${2:-vers=3,nolock}
here=$(realpath "$(dirname "$0")")
for program in linux.uml rpc.nfsd mount.nfs modprobe ip; do
  PATH=$PATH:/sbin:/usr/sbin command -v $program >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
work=$(mktemp -d)
mkdir "$work/sync" "$work/project"
modules=(/usr/lib/uml/modules/*)
pids() { pgrep -f "linux[.]uml .*umid=$(basename "$work")-$1" || true; }
trap 'for role in server client1 client2; do kill -KILL $(pids $role) 2>/dev/null || true; done; rm -rf "$work"' EXIT

cat >"$work/project/k.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, n, BLOCK: tl.constexpr, AMOUNT: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) + AMOUNT, mask=i < n)
PY
cat >"$work/project/m.json" <<'JSON'
{"name": "app", "targets": ["cpu:x86-64-v2", "cuda:80", "hip:gfx942"], "kernels": [{"source": "k.py", "kernel": "add",
 "grid": "cdiv(n, BLOCK)", "dispatch": ["AMOUNT"], "signatures": ["*fp32, i32, BLOCK=64, AMOUNT=[1,2,3,4,5,6,7,8]"]}]}
JSON
# Not every machine has the vendors' tools.
export NEREID_PTXAS=none NEREID_FATBINARY=none
"$nereid" build "$work/project/m.json" -o "$work/reference" --no-cache --quiet 2>/dev/null

start() { # ROLE
  setsid linux.uml mem=768M root=/dev/root rootfstype=hostfs rootflags=/ rw init="$here/machine.sh" con=null con0=null,fd:1 con1=null \
    eth0=mcast,,239.192.168.7,1102 umid="$(basename "$work")-$1" role="$1" work="$work" nereid="$nereid" options="$options" \
    modules="${modules[0]}" >"$work/$1.console" 2>&1 </dev/null &
}
await() { # NAME…: what the machines write down when they come to it
  local name
  for name; do
    for _ in $(seq 1200); do [ ! -e "$work/sync/$name" ] || continue 2; sleep 0.5; done
    echo "FAILED: no machine came to '$name'" >&2
    tail -n 20 "$work"/*.log >&2
    exit 1
  done
}
for role in server client1 client2; do start $role; done
await cold1 cold2; echo "-- the clients build"
await gone1 gone2; echo "-- the server cannot be reached"
await back; echo "-- the server is back"
await end1 end2
wrong=0
for n in 1 2; do
  echo "-- client $n"
  grep -v '^+' "$work/client$n.log"
  [ "$(grep -c '^good' "$work/client$n.log")" = "$((11 - 3 * (n == 1)))" ] && ! grep -q '^WRONG' "$work/client$n.log" || wrong=1
  # Both builds beside the server that hangs, and none of those before.
  [ "$(sed '/^== the server hangs/,/^==/!d' "$work/client$n.log" | grep -c 'does not answer within 10 s')" = 2 ] || wrong=1
  ! sed '/^== the server hangs/,$d' "$work/client$n.log" | grep -q 'does not answer' || wrong=1
done
[ $wrong = 0 ] && echo "network_cache: all checks passed" || echo "network_cache: FAILED"
exit $wrong
