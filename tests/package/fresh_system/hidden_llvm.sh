#!/usr/bin/env bash
# The packages, each unpacked as its installer does it, on this machine with all of LLVM, of AMD's libraries and of this
# source tree hidden: a fresh system that costs nothing to make. chroot.sh beside this file makes real ones.
#
#   hidden_llvm.sh SOURCE BUILD
#
# Status 77 where mounts are not allowed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if [ "${3:-}" != inside ]; then
  # As root, or as a user who may be root of a namespace of his own.
  for options in -m -rm; do
    if unshare $options mount -t tmpfs none /mnt 2>/dev/null; then
      exec unshare $options bash "$0" "$1" "$2" inside
    fi
  done
  echo "skipped: this system lets nobody mount anything"
  exit 77
fi
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

echo "-- making the packages"
cmake --build "$build" --target nereid_portable >"$work/log" 2>&1 || { cat "$work/log"; fail "the program"; }
make_packages() { # FOLDER
  cmake "-DSOURCE=$source" "-DBUILD=$build" "-DOUTPUT=$1" -DPYTHON=python3 -DQUICK=ON -DCMAKE_CPACK_COMMAND=cpack \
    -P "$source/packaging/Packages.cmake" >"$work/log" 2>&1 || { cat "$work/log"; fail "the packages"; }
}
make_packages "$work/dist"
ls -l "$work/dist"
[ "$(ls "$work/dist" | wc -l)" = 3 ] || fail "not three packages"

echo "-- the same bytes in another folder, at another time, for another user's habits"
(umask 077 && export TZ=Asia/Tokyo LC_ALL=C && make_packages "$work/once more/dist")
diff -r "$work/dist" "$work/once more/dist" || fail "the packages differ"
rm -r "$work/once more"

echo "-- unpacking them"
mkdir -p "$work/a tar" "$work/deb"
tar xzf "$work"/dist/*.tar.gz -C "$work/a tar" --strip-components=1
python3 "$here/install_wheel.py" "$work"/dist/*.whl "$work/environment" || fail "the wheel"
dpkg-deb -x "$work"/dist/*.deb "$work/deb" || fail "the .deb"
cmp "$work/a tar/bin/nereid" "$work/deb/usr/bin/nereid"
cmp "$work/a tar/bin/nereid" "$work/environment/bin/nereid"
cp "$here/use_nereid.sh" "$work"
examples="$work/a tar/share/doc/nereid/examples"

hide() { if [ -d "$1" ]; then mount -t tmpfs none "$1"; elif [ -e "$1" ]; then mount --bind /dev/null "$1"; fi; }
cd "$work"
for path in /usr/lib/llvm-* /usr/lib/*-linux-gnu/lib{LLVM,MLIR}*.so* /usr/lib/*-linux-gnu/amdgcn /usr/local/cuda* "$source"; do
  hide "$path"
done
[ ! -e "$source/CMakeLists.txt" ] || fail "the sources are not hidden"

# The .deb is the same tree at another place, so that the least is asked of it.
for prefix in "$work/a tar" "$work/environment" "$work/deb/usr"; do
  echo "-- $prefix"
  if [ "$prefix" = "$work/deb/usr" ]; then examples=; fi
  PATH="$prefix/bin:/usr/bin:/bin" bash use_nereid.sh nereid "$examples" || fail "$prefix"
done
