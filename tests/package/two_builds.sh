#!/usr/bin/env bash
# Nereid's own builds are reproducible: builds all that ships once more, from a clone in another folder with a longer name, another day,
# language and umask, without the compiler cache, and compares the packages and the installed tree byte by byte.
#
#   two_builds.sh SOURCE BUILD [FOLDER]
#
# BUILD is the build of SOURCE's commit to compare with; what is missing of it is built. The second one is made in FOLDER, which stays, or in
# a temporary one. That is a quarter of an hour on two cores; `reproducible.sh` does a part of it in every test run.
set -euo pipefail
source=$(realpath "$1")
build=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
other=$(realpath -m "${3:-$work}")"/another folder, with a longer name/of the sources"

[ -z "$(git -C "$source" status --porcelain)" ] || { echo "two_builds: $source is not as it was committed" >&2; exit 2; }
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

cmake --build "$build" --target nereid dist >"$work/log" 2>&1 || { tail -30 "$work/log"; exit 1; }
cmake --install "$build" --prefix "$work/installed" >"$work/log"

rm -rf "$other"
git clone -q "$source" "$other"
(
  # With `||` behind it, no failure in here would end it by itself.
  export CCACHE_DISABLE=1 TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 HOME="$work"
  unset SOURCE_DATE_EPOCH
  umask 077
  cd "$other" &&
    cmake -G Ninja -S . -B "its build" -DNEREID_BUILD_TESTS=OFF -DCMAKE_BUILD_TYPE="$(cached CMAKE_BUILD_TYPE)" \
      -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)" -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" \
      -DCMAKE_CXX_FLAGS_RELEASE="$(cached CMAKE_CXX_FLAGS_RELEASE)" -DCMAKE_INSTALL_PREFIX="$(cached CMAKE_INSTALL_PREFIX)" &&
    cmake --build "its build" --target nereid dist &&
    cmake --install "its build" --prefix "$work/other installed"
) >"$work/log" 2>&1 || { tail -30 "$work/log"; exit 1; }

wrong=0 count=0
# compare FOLDER FOLDER: has the same files, folders and permissions to execute, with the same contents.
compare() {
  diff <(cd "$1" && find . -printf '%y %P\n' | sort) <(cd "$2" && find . -printf '%y %P\n' | sort) || wrong=1
  while IFS= read -r -d '' file; do
    count=$((count + 1))
    cmp "$1/$file" "$2/$file" || wrong=1
    [ "$([ -x "$1/$file" ]; echo $?)" = "$([ -x "$2/$file" ]; echo $?)" ] || { echo "$file: one may be executed"; wrong=1; }
  done < <(cd "$1" && find . -type f -print0)
}
compare "$work/installed" "$work/other installed"
compare "$build/dist" "$other/its build/dist"
echo "$count files that ship were compared, among them $(cd "$build/dist" && echo *)"
exit $wrong
