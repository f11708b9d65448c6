#!/usr/bin/env bash
# Installs each package on a fresh Debian, made by debootstrap, as its users would, and uses it there. Run by hand, as
# root and with a network; a system takes a minute to make and half a GiB of disk, and is made once in FOLDER.
#
#   chroot.sh DIST FOLDER [SUITE…]      DIST: the folder with the packages, build/dist. SUITE: bookworm, trixie, …
#
#     cmake --build build --target dist
#     tests/package/fresh_system/chroot.sh build/dist /var/tmp/fresh bookworm trixie
#
# NEREID_DEBIAN_MIRROR names another one than deb.debian.org. Ubuntu's suites need Ubuntu's, and its keys:
#
#     NEREID_DEBIAN_MIRROR=http://archive.ubuntu.com/ubuntu NEREID_DEBOOTSTRAP="--components=main,universe --no-check-gpg" \
#       tests/package/fresh_system/chroot.sh build/dist /var/tmp/fresh jammy
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dist=$(realpath "$1")
folder=$2
shift 2
mkdir -p "$folder"
folder=$(realpath "$folder")

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# inside SYSTEM COMMAND…: in the system, with nothing of this one's environment but what a proxy needs. There is no /proc
# for the .tar.gz, and there is for the others: the system's own loader needs it to find libraries beside a program.
inside() {
  local system=$1 mount=:
  shift
  [ "$(basename "$system")" = tar ] || mount='mount -t proc none "$0/proc"'
  unshare -m bash -c "$mount"' && exec "$@"' "$system" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} chroot "$system" "$@"
}

# fresh SUITE NAME: a copy of the suite's base system, with the packages and the test in /packages.
fresh() {
  rm -rf "$folder/$2"
  cp -a "$folder/$1" "$folder/$2"
  mkdir "$folder/$2/packages"
  cp "$dist"/nereid* "$here/use_nereid.sh" "$folder/$2/packages"
  cp /etc/resolv.conf "$folder/$2/etc/resolv.conf" 2>/dev/null || true
}
log() { "$@" >"$folder/log" 2>&1 || { tail -40 "$folder/log" >&2; fail "$*"; }; }

[ $# -gt 0 ] || set -- bookworm
for suite; do
  if [ ! -e "$folder/$suite/made" ]; then
    echo "== $suite: making the system"
    rm -rf "${folder:?}/$suite"
    log debootstrap --variant=minbase ${NEREID_DEBOOTSTRAP:-} "$suite" "$folder/$suite" ${NEREID_DEBIAN_MIRROR:-}
    touch "$folder/$suite/made"
  fi
  install="apt-get install -q -y --no-install-recommends"

  echo "== $suite: tar.gz, without a compiler"
  fresh "$suite" tar
  inside "$folder/tar" sh -c 'mkdir -p "/opt/my tools" && tar xzf /packages/*.tar.gz -C "/opt/my tools"'
  inside "$folder/tar" sh -c 'exec bash /packages/use_nereid.sh "$(echo /opt/my\ tools/nereid-*/bin/nereid)"' || fail "tar.gz"

  echo "== $suite: tar.gz, with clang"
  log inside "$folder/tar" apt-get update
  log inside "$folder/tar" $install clang libc6-dev
  # A link on the path leads to the program.
  inside "$folder/tar" sh -c 'ln -s "$(echo /opt/my\ tools/nereid-*/bin/nereid)" /usr/local/bin/nereid'
  inside "$folder/tar" bash /packages/use_nereid.sh nereid || fail "tar.gz with clang"
  rm -rf "$folder/tar"

  echo "== $suite: .deb"
  fresh "$suite" deb
  log inside "$folder/deb" apt-get update
  log inside "$folder/deb" sh -c "$install /packages/*.deb"
  inside "$folder/deb" bash /packages/use_nereid.sh nereid || fail ".deb"
  log inside "$folder/deb" $install cmake make
  inside "$folder/deb" bash /packages/use_nereid.sh nereid /usr/share/doc/nereid/examples || fail ".deb with CMake"
  cp -r "$folder/deb/usr/share/doc/nereid/examples" "$folder/examples"
  log inside "$folder/deb" apt-get purge -y nereid
  [ -z "$(find "$folder/deb/usr" -name '*nereid*' -print -quit)" ] || fail "something is left of the .deb"
  rm -rf "$folder/deb"

  echo "== $suite: wheel"
  fresh "$suite" wheel
  log inside "$folder/wheel" apt-get update
  log inside "$folder/wheel" $install python3-venv gcc libc6-dev cmake ninja-build
  log inside "$folder/wheel" python3 -m venv /environment
  log inside "$folder/wheel" sh -c '/environment/bin/pip install --no-index /packages/*.whl'
  mv "$folder/examples" "$folder/wheel/packages/examples"
  inside "$folder/wheel" bash -c '. /environment/bin/activate; exec bash /packages/use_nereid.sh nereid /packages/examples' ||
    fail "wheel"
  if [ -e "$here/../../../python/nereid" ]; then
    inside "$folder/wheel" /environment/bin/python -c 'import nereid' || fail "the modules"
  fi
  log inside "$folder/wheel" /environment/bin/pip uninstall -y nereid
  [ -z "$(find "$folder/wheel/environment" -type f -iname '*nereid*' -print -quit)" ] || fail "something is left of the wheel"
  rm -rf "$folder/wheel"
done
echo "all packages work"
