#!/bin/sh
# The first and only program of a machine of network_cache.sh: the server, or one of the clients. What these say is in $work/ROLE.log.
export PATH=/usr/sbin:/sbin:/usr/bin:/bin
mount -t proc proc /proc
mount -t tmpfs run /run
exec >"$work/$role.log" 2>&1
mkdir -p /run/rpcbind /run/nfs /run/modules
mount --bind "$modules" /run/modules
load() { # MODULE…: with what it needs, from where they lie
  for module; do modprobe -d /run/root "$module" || echo "no module $module"; done
}
mkdir -p "/run/root/lib/modules/$(uname -r)"
mount --bind "$modules" "/run/root/lib/modules/$(uname -r)"
load nfs nfsv3 nfsv4
ip link set lo up
mark() { : >"$work/sync/$1"; }
await() { while [ ! -e "$work/sync/$1" ]; do sleep 0.3; done; }

serve() {
  ip addr add 10.9.0.1/24 dev eth0 && ip link set eth0 up
  load nfsd
  mount -t nfsd nfsd /proc/fs/nfsd
  mount -t tmpfs var /var/lib/nfs
  mkdir -p /var/lib/nfs/sm /var/lib/nfs/v4recovery /var/lib/nfs/nfsdcld /var/lib/nfs/rpc_pipefs
  touch /var/lib/nfs/etab /var/lib/nfs/rmtab /var/lib/nfs/state
  mount -t tmpfs -o size=600m files /srv
  mkdir -m 1777 /srv/cache
  rpcbind -w
  exportfs -o rw,no_root_squash,insecure,fsid=1,no_subtree_check '*:/srv'
  rpc.mountd
  # Nobody was here before whose locks would have to be waited for.
  echo 10 >/proc/fs/nfsd/nfsv4leasetime
  echo 10 >/proc/fs/nfsd/nfsv4gracetime
  rpc.nfsd 4
  await gone1
  await gone2
  sleep 1.5
  ip link set eth0 down
  await hung1
  await hung2
  ip link set eth0 up
  mark back
  await forget1
  await forget2
  # Another file system in its place: what clients know of the old one is stale.
  exportfs -ua
  mount -t tmpfs -o size=600m files /srv
  mkdir -m 1777 /srv/cache
  exportfs -o rw,no_root_squash,insecure,fsid=1,no_subtree_check '*:/srv'
  mark forgotten
  await end1
  await end2
}

build() { # NAME
  begin=$(date +%s)
  timeout 300 "$nereid" build "$work/project/m.json" -o "/run/$1" --quiet >"/run/$1.log" 2>&1
  code=$?
  same=WRONG
  [ $code = 0 ] && cmp "/run/$1/libapp.so" "$work/reference/libapp.so" && same=good
  echo "$same $1: status $code after $(($(date +%s) - begin)) s; $(grep -F 'cache' "/run/$1.log")"
  [ $same = good ] || cat "/run/$1.log"
}

use() { # NUMBER
  ip addr add "10.9.0.1$1/24" dev eth0 && ip link set eth0 up
  until mount -t nfs -o "$options" 10.9.0.1:/srv /run/nfs 2>/dev/null; do sleep 1; done
  export NEREID_CACHE_DIR=/run/nfs/cache HOME=/run TMPDIR=/run NEREID_PTXAS=none NEREID_FATBINARY=none
  grep nfs /proc/mounts
  mark "mounted$1"; await mounted1; await mounted2
  echo "== both at once, nothing cached"
  build cold
  mark "cold$1"; await cold1; await cold2
  build warm
  "$nereid" cache
  mark "warm$1"; await warm1; await warm2
  echo "== one is killed"
  [ "$1" = 1 ] && { "$nereid" cache clear; mark cleared; }
  await cleared
  for i in 1 2 3; do
    if [ "$1" = 1 ]; then
      "$nereid" build "$work/project/m.json" -o /run/killed --quiet >/dev/null 2>&1 &
      sleep "$i"
      kill -KILL $!
      wait $! 2>/dev/null
    else
      build "beside$i"
    fi
  done
  mark "killed$1"; await killed1; await killed2
  build after
  [ "$1" = 1 ] && { "$nereid" cache clear; mark cleared2; }
  await cleared2
  echo "== the server hangs"
  mark "gone$1"
  build gone
  build hung
  mark "hung$1"
  await back
  echo "== the server is back"
  # The client's kernel looks after it now and then.
  ls /run/nfs/cache >/dev/null
  build back
  mark "forget$1"
  await forgotten
  echo "== the server has forgotten all"
  build stale
  build last
  mark "end$1"
  await end1
  await end2
}

case $role in
server) serve ;;
client1) use 1 ;;
client2) use 2 ;;
esac
sync
halt -f
