#!/usr/bin/env bash
# What a user does with the installed package, each case in a new folder outside of this tree.
#
#   package_test.sh CASE PREFIX      the case's name (the functions below), and where Nereid is installed
#
# Prints what it does; the first thing that is not as it should be ends it with 1.
set -euo pipefail

case_name=$1
prefix=$2
tests=$(cd "$(dirname "$0")" && pwd)
nereid=$prefix/bin/nereid
work=$(mktemp -d "${TMPDIR:-/tmp}/nereid-package.XXXXXX")
trap 'rm -rf "$work"' EXIT
# A space, to see that nothing is taken apart at it.
project="$work/my project"
log=$work/log

fail() {
  echo "FAILED: $*" >&2
  if [ -f "$log" ]; then tail -40 "$log" >&2; fi
  exit 1
}
say() { echo "-- $*"; }
expect() { grep -qF -- "$1" "$log" || fail "expected '$1' in the output"; }
expect_not() { ! grep -qF -- "$1" "$log" || fail "did not expect '$1' in the output"; }

configure() { # SOURCE BUILD [ARGUMENT…]
  local source=$1 build=$2
  shift 2
  cmake -S "$source" -B "$build" "-DCMAKE_PREFIX_PATH=$prefix" "$@" >"$log" 2>&1 || fail "cannot configure $source"
  expect_not "CMake Warning"
}
build() { cmake --build "$1" >"$log" 2>&1 || fail "cannot build $1"; }

# File systems keep times in steps; make compares them.
wait_a_tick() { sleep 1.1; }

whole_road() { # GENERATOR
  local generator=$1 out=$work/out
  cp -r "$tests/app" "$project"
  configure "$project" "$out" -G "$generator" -DCMAKE_BUILD_TYPE=Release

  say "building and running"
  build "$out"
  expect "Compiling Triton kernel add_kernel"
  "$out/app" || fail "the results are wrong"

  say "nothing but the C library, libm and threads is needed"
  readelf -d "$out/libvector_add.so" | grep NEEDED >"$log"
  ! grep -vE 'lib(c|m|pthread|dl)\.so|ld-linux' "$log" || fail "the library needs more"
  readelf -SW "$out/libvector_add.so" >"$log"
  for section in .nv_fatbin .hip_fatbin .nereid; do expect "$section"; done

  say "inspect describes what was built"
  "$nereid" inspect "$out/libvector_add.so" >"$log" || fail "inspect"
  grep -q 'all programs at a time' "$log" || fail "LAUNCH_COOPERATIVE_GRID"
  for words in "add_kernel(x_ptr: const *fp32, y_ptr: const *fp32, out_ptr: *fp32, n: i32)" cuda:90a hip:gfx942 \
    cpu:x86-64-v3 "grid cdiv(n, BLOCK)"; do expect "$words"; done

  say "a second build does nothing"
  build "$out"
  expect_not "Compiling Triton"
  expect_not "Linking"

  say "touching a kernel file compiles what is made from it, and nothing else, as nothing comes out that was not there"
  wait_a_tick
  touch "$project/kernels/add.py"
  build "$out"
  expect "Compiling Triton kernel add_kernel"
  expect_not "scale_kernel"
  expect_not "Linking"
  expect_not "Building"
  say "and that is known the next time"
  build "$out"
  expect_not "Compiling Triton"

  say "a kernel object that is lost is made again"
  local lost
  lost=$(ls "$out"/nereid/vector_add/*.nko | head -n 1)
  rm "$lost"
  build "$out"
  [ -e "$lost" ] || fail "the kernel object is not there"
  rm "$out/nereid/vector_add/vector_add.h"
  build "$out"
  [ -e "$out/nereid/vector_add/vector_add.h" ] || fail "the header is not there"
  "$out/app" || fail "the results are wrong"

  say "changing a file that it imports compiles and links it"
  wait_a_tick
  sed -i 's/constexpr(2)/constexpr(3)/' "$project/kernels/amounts.py"
  build "$out"
  expect "Compiling Triton kernel add_kernel"
  expect "Linking Triton kernel library vector_add"
  expect_not "scale_kernel"
  expect_not "Linking Triton kernel library scaling"
  ! "$out/app" >"$log" || fail "the imported file's change did not reach the library"
  configure "$project" "$out" -DEXTRA=3
  build "$out"
  "$out/app" >"$log" || fail "the results are wrong after the change"
  build "$out"
  expect_not "Compiling Triton"

  say "touching the C program compiles no kernel"
  wait_a_tick
  touch "$project/main.c"
  build "$out"
  expect_not "Compiling Triton"

  say "a kernel that does not compile stops the build and keeps the old library"
  wait_a_tick
  cp "$project/kernels/add.py" "$work/good.py"
  sed -i 's/x + y + EXTRA/x + y + MISSING/' "$project/kernels/add.py"
  local before
  before=$(sha256sum "$out/libvector_add.so")
  ! cmake --build "$out" >"$log" 2>&1 || fail "a bad kernel was built"
  expect "add.py:14:41: error:"
  expect "MISSING"
  [ "$before" = "$(sha256sum "$out/libvector_add.so")" ] || fail "the old library is gone"
  "$out/app" >"$log" || fail "the old library does not work any more"
  cp "$work/good.py" "$project/kernels/add.py"
  build "$out"
  "$out/app" >"$log" || fail "the mended kernel gives wrong results"

  say "a signature that is taken away is gone from the library"
  sed -i '/"\*fp32:16, /d; s/^ *"\*fp32, \*fp32, \*fp32, i32, 1024"/SIGNATURE &/' "$project/CMakeLists.txt"
  build "$out"
  "$nereid" inspect "$out/libvector_add.so" >"$log"
  expect "*fp32, *fp32, *fp32, i32, 1024"
  expect_not ":16"
  "$out/app" >"$log" || fail "the results are wrong with one variant"
  [ "$(ls "$out"/nereid/vector_add/*.nko | wc -l)" = 1 ] || fail "its kernel object is still there"
}

ninja() { whole_road Ninja; }
make() { whole_road "Unix Makefiles"; }

cxx_only() {
  mkdir -p "$project"
  cp -r "$tests/app" "$tests/cxx_app" "$project"
  configure "$project/cxx_app" "$work/out" -G Ninja
  build "$work/out"
  "$work/out/cxx_app" || fail "the results are wrong"
  readelf -d "$work/out/libscale_fp32.so" | grep NEEDED >"$log"
  expect_not "libstdc++"
}

export_and_find() {
  cp -r "$tests/app" "$project"
  configure "$project" "$work/out" -G Ninja -DCMAKE_BUILD_TYPE=Release
  build "$work/out"
  cmake --install "$work/out" --prefix "$work/first place" >"$log" || fail "cannot install"
  # Moved, so that nothing can be found where it was.
  mv "$work/first place" "$work/second place"
  rm -rf "$work/out" "$project"
  cmake -S "$tests/consumer" -B "$work/consumer" -G Ninja "-DCMAKE_PREFIX_PATH=$work/second place" >"$log" 2>&1 ||
    fail "cannot configure the consumer"
  build "$work/consumer"
  "$work/consumer/consumer" || fail "the consumer's results are wrong"
}

moved_prefix() {
  cp -r "$prefix" "$work/elsewhere"
  prefix=$work/elsewhere
  cp -r "$tests/app" "$project"
  configure "$project" "$work/out" -G Ninja
  grep -qF "$work/elsewhere" "$work/out/CMakeCache.txt" || fail "another package was found"
  build "$work/out"
  "$work/out/app" || fail "the results are wrong"
}

# One project in two folders, also in the order of their names and with debug information, gives the same bytes: and so
# none of them says where it was built.
two_folders() {
  local folder files
  for folder in "$work/a" "$work/a longer/path"; do
    mkdir -p "$folder"
    cp -r "$tests/app" "$folder/source"
    # A kernel that the build makes, and one that is given with its whole path.
    cat >>"$folder/source/CMakeLists.txt" <<'CMAKE'
file(COPY kernels/scale.py DESTINATION ${CMAKE_CURRENT_BINARY_DIR}/generated)
add_triton_kernel(made SOURCE ${CMAKE_CURRENT_BINARY_DIR}/generated/scale.py KERNEL scale_kernel
  SIGNATURE "*fp32, fp32, i32, 64" TARGETS cuda:90a)
add_triton_kernel(whole SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/kernels/scale.py KERNEL scale_kernel
  SIGNATURE "*fp32, fp32, i32, 64" TARGETS hip:gfx942)
CMAKE
    configure "$folder/source" "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo
    build "$folder/build"
    (cd "$folder/build" &&
      find . \( -name '*.nko' -o -name 'lib*' -o -name '*_images.o' -o -path './nereid/*.[ch]' -o -path './nereid/*.hpp' -o -path './nereid/*.rs' \) | sort) >"$folder/files"
  done
  cmp "$work/a/files" "$work/a longer/path/files" || fail "the files have other names"
  # Of each of the libraries the header, the source, the images and the kernel objects.
  [ "$(wc -l <"$work/a/files")" -ge 27 ] || fail "not the files that were expected: $(cat "$work/a/files")"
  while read -r file; do
    cmp "$work/a/build/$file" "$work/a longer/path/build/$file" || fail "$file differs"
    ! grep -aqF "$work" "$work/a/build/$file" || fail "$file says where it was built"
  done <"$work/a/files"
  "$nereid" inspect --json "$work/a/build/libvector_add.so" >"$log"
  expect '"source": "kernels/add.py"'
  "$nereid" inspect --json "$work/a/build/libmade.so" >"$log"
  expect '"source": "generated/scale.py"'

  say "the same by hand, and from a manifest"
  for folder in "$work/a" "$work/a longer/path"; do
    cd "$folder/source"
    "$nereid" compile "$PWD/kernels/scale.py" -k scale_kernel -s "*fp32, fp32, i32, 256" -t cpu,cuda:90a \
      -g "cdiv(n, BLOCK)" -o scale.nko >"$log" 2>&1 || fail "compile"
    "$nereid" link scale.nko -n scaling -o "$PWD/shared" >"$log" 2>&1 || fail "link"
    CC="cc -g" "$nereid" link scale.nko -n scaling -o "$PWD/static" --static >"$log" 2>&1 || fail "link"
    printf '{"name": "scaling", "targets": ["cpu"], "kernels": [{"source": "kernels/scale.py", "kernel": "scale_kernel",
      "signatures": ["*fp32, fp32, i32, 256"]}]}' >manifest.json
    cd /
    "$nereid" build "$folder/source/manifest.json" -o "$folder/source/built" >"$log" 2>&1 || fail "build"
  done
  diff -r "$work/a/source" "$work/a longer/path/source" || fail "the results differ"
  ! grep -raF "$work" "$work/a/source" >"$log" || fail "the results say where they were built"
}

# The largest example: a model of many kernels that generates tokens, compared with a reference.
transformer() {
  cp -r "$tests/../../examples/06-transformer" "$project"
  configure "$project" "$work/out" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTARGETS=cpu
  build "$work/out"
  (cd "$work/out" && ./transformer) >"$log" 2>&1 || fail "the results are wrong"
  expect "transformer: all results are right"
  say "the same tokens in every run, whatever runs beside it"
  (cd "$work/out" && for i in 1 2; do
    NEREID_NUM_THREADS=$i ./transformer --bench --layers 1 --prompt 16 --tokens 6 | grep '^  tokens:' >"$work/tokens$i"
  done)
  cmp "$work/tokens1" "$work/tokens2" || fail "the tokens differ"
  say "what it does not know, it says"
  ! "$work/out/transformer" --device tpu >"$log" 2>&1 || fail "accepted"
  expect "usage:"
}

# Lists, values that calls choose by, and conditions, each signature compiled by a command of its own.
variants() {
  mkdir -p "$project"
  cat >"$project/rows.py" <<'PY'
import triton
import triton.language as tl
from nowhere import marked


@marked
@triton.jit
def row_sum(x_ptr, out_ptr, n_cols, BLOCK_SIZE: tl.constexpr, MODE: tl.constexpr):
    columns = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + columns, mask=columns < n_cols, other=0.0)
    if MODE == "a;b [c":
        x = x * 2
    tl.store(out_ptr, tl.sum(x, axis=0))
PY
  cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(variants LANGUAGES C)
find_package(Nereid CONFIG REQUIRED)
add_triton_kernel(rows
  SOURCE    rows.py
  KERNEL    row_sum
  SIGNATURE [=[x_ptr=*fp32, out_ptr=*fp32, n_cols=i32, BLOCK_SIZE=[1024, 512], MODE=["a;b [c", None]]=]
            [=[x_ptr=*fp32, out_ptr=*fp32, n_cols=i32, BLOCK_SIZE=256, MODE=[None, "a;b [c"]]=]
  WHEN      "n_cols <= BLOCK_SIZE"
            "x_ptr=*fp32, out_ptr=*fp32, n_cols=i32, BLOCK_SIZE=4096, MODE=None"
  SIGNATURE "x_ptr=*fp32, out_ptr=*fp32, n_cols=i32, BLOCK_SIZE=2048, MODE=None" WHEN "n_cols < 2000 and n_cols > 1024"
  DISPATCH  MODE
  GRID      "1")
add_executable(main main.c)
target_link_libraries(main PRIVATE rows)
CMAKE
  cat >"$project/main.c" <<'C'
#include "rows.h"
#include <stdio.h>
static float x[5000];
static int sum(int n, const char *mode, float expected) {
  float out = -1;
  if (row_sum(nrd_cpu_stream(), x, &out, n, mode) == NRD_OK && out == expected)
    return 1;
  fprintf(stderr, "n %d: %g, not %g (%s)\n", n, (double)out, (double)expected, rows_last_error());
  return 0;
}
int main(void) {
  int i;
  for (i = 0; i < 5000; ++i)
    x[i] = 1;
  return !(sum(100, NULL, 100) && sum(300, "a;b [c", 600) && sum(1000, NULL, 1000) && sum(1500, NULL, 1500) &&
           sum(3000, NULL, 3000) && row_sum(nrd_cpu_stream(), x, x, 1500, "a;b [c") == NRD_ERROR_NO_VARIANT);
}
C
  configure "$project" "$work/out" -G Ninja
  build "$work/out"
  [ "$(grep -c "Compiling Triton kernel row_sum" "$log")" = 8 ] || fail "not eight commands"
  # What all of them are warned of is said once.
  [ "$(grep -c "warning: decorator 'marked' is not known and is ignored" "$log")" = 1 ] || fail "not one warning"
  expect "note: this concerns all 8 variants"
  build "$work/out"
  expect_not "warning"
  "$work/out/main" || fail "the results are wrong"
  wait_a_tick
  sed -i 's/n_cols < 2000/n_cols < 1999/' "$project/CMakeLists.txt"
  build "$work/out"
  [ "$(grep -c "Compiling Triton kernel row_sum" "$log")" = 1 ] || fail "not the one command that changed"
  [ "$(grep -c "warning: decorator 'marked'" "$log")" = 1 ] || fail "the library is not warned of"

  say "a warning that changes alone is shown"
  wait_a_tick
  sed -i 's/^from nowhere/# More.\nfrom nowhere/' "$project/rows.py"
  build "$work/out"
  [ "$(grep -c "rows.py:7:2: warning: decorator 'marked'" "$log")" = 1 ] || fail "not the new warning"

  say "warnings are shown with the errors of the command that has both"
  sed -i 's/tl.sum(x, axis=0)/tl.sum(x, axis=7)/' "$project/rows.py"
  wait_a_tick
  ! cmake --build "$work/out" -- -k 0 >"$log" 2>&1 || fail "an axis that is not there"
  expect "rows.py:7:2: warning: decorator 'marked'"
}

# Options and values that one of several SIGNATUREs has, or some targets only.
settings() {
  mkdir -p "$project"
  cat >"$project/scale.py" <<'PY'
import triton
import triton.language as tl

LABEL = ""


@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr, KIND: tl.constexpr = 1, MODE: tl.constexpr = ""):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    TIMES: tl.constexpr = 100 if LABEL == "a;b $c" and MODE == "a;b:c='d" else 1
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * BLOCK * KIND * TIMES, mask=i < n)
PY
  cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(settings LANGUAGES C)
find_package(Nereid CONFIG REQUIRED)
# Of no meaning.
set(ALL_NUM_WARPS 3)
set(ARG_FOR "a")
set(group_0 7)
add_triton_kernel(one
  SOURCE scale.py KERNEL scale NUM_WARPS 2 GRID "cdiv(n, BLOCK)" DEFINITIONS [[LABEL="a;b $c"]]
  TARGETS cpu:x86-64-v2 cuda:90a hip:gfx942
  SIGNATURE "*fp32, n=i32, BLOCK=[64,128]" WHEN "n <= BLOCK"  NUM_STAGES 2  FOR "hip: num_warps=8, BLOCK=32"
  SIGNATURE "*fp32, i32, 256"  NUM_WARPS 16  FOR "cuda:90a: num_warps=4" "hip, cuda: num_stages=4, KIND=3"
            [[cpu: KIND=2, MODE="a;b:c='d"]])
# One SIGNATURE: what stands behind it is for all, wherever.
add_triton_kernel(simple SOURCE scale.py KERNEL scale SIGNATURE "*fp32, i32, 256" "*fp32:16, i32, 256"
  TARGETS cuda:90a NUM_WARPS 8 MAXNREG 64)
add_triton_library(several
  TARGETS cuda:90a hip:gfx942  NUM_WARPS 1  NUM_STAGES 5  FOR "hip: BLOCK=16"
  KERNEL scale SOURCE scale.py FUNCTION first SIGNATURE "*fp32, i32, 256"
  KERNEL scale SOURCE scale.py FUNCTION second SIGNATURE "*fp32, i32, 512" NUM_WARPS 2
         SIGNATURE "*fp32:16, i32, 512" FOR "hip: BLOCK=8")
add_executable(main main.c)
target_link_libraries(main PRIVATE one)
CMAKE
  cat >"$project/main.c" <<'C'
#include "one.h"
int main(void) {
  float x[300];
  for (int i = 0; i < 300; ++i)
    x[i] = 1;
  if (scale(nrd_cpu_stream(), x, 300) != NRD_OK || x[299] != 51200 || scale(nrd_cpu_stream(), x, 100) != NRD_OK)
    return 1;
  return x[0] != 51200.0f * 128 || x[150] != 51200;
}
C
  configure "$project" "$work/out" -G Ninja
  build "$work/out"
  "$work/out/main" || fail "the results are wrong"
  for library in one simple several; do "$nereid" inspect --json "$work/out/lib$library.so" >"$work/$library.json"; done
  python3 - "$work" >"$log" 2>&1 <<'PY' || fail "the options are wrong"
import json, sys
def read(name):
    return {(kernel["name"], variant["signature"], target["target"]): (target.get("num_warps"), target.get("num_stages"))
            for kernel in json.load(open(f"{sys.argv[1]}/{name}.json"))["libraries"][0]["kernels"]
            for variant in kernel["variants"] for target in variant["targets"]}
one = read("one")
print(one)
for block in 64, 128:
    assert one["scale", f"*fp32, n=i32, BLOCK={block}", "cuda:90a"] == (2, 2)
# What the list stands for is one variant there.
assert one["scale", "*fp32, n=i32, BLOCK=32", "hip:gfx942"] == (8, 2)
assert one["scale", "*fp32, i32, 256, KIND=3", "cuda:90a"] == (4, 4)
assert one["scale", "*fp32, i32, 256, KIND=3", "hip:gfx942"] == (16, 4)
assert ("scale", """*fp32, i32, 256, KIND=2, MODE="a;b:c='d\"""", "cpu:x86-64-v2") in one
assert len(one) == 8
assert set(read("simple").values()) == {(8, 3)} and len(read("simple")) == 2
several = read("several")
print(several)
assert several["first", "*fp32, i32, 256", "cuda:90a"] == (1, 5)
assert several["first", "*fp32, i32, 16", "hip:gfx942"] == (1, 5)
assert several["second", "*fp32, i32, 16", "hip:gfx942"] == (2, 5)
assert several["second", "*fp32:16, i32, 8", "hip:gfx942"] == (1, 5)
PY
  say "a changed setting compiles what it is for again, and nothing else"
  wait_a_tick
  sed -i 's/cuda:90a: num_warps=4/cuda:90a: num_warps=2/' "$project/CMakeLists.txt"
  build "$work/out"
  [ "$(grep -c "Compiling Triton kernel" "$log")" = 1 ] || fail "not the one command that changed"
}

# A command before each that compiles: from the environment, a variable or a keyword, for kernels and for manifests.
launcher() {
  mkdir -p "$project"
  cp "$tests/app/kernels/scale.py" "$project"
  printf '#!/bin/sh\necho "$@" >>"%s"\nshift\nexec "$@"\n' "$work/launches" >"$project/launch it"
  chmod +x "$project/launch it"
  cp "$project/launch it" "$work/launch"
  printf '{"name": "made", "targets": ["cpu:x86-64-v2", "cuda:80"], "kernels": [{"source": "scale.py", "kernel": "scale_kernel",
    "signatures": ["*fp32, fp32, i32, 64"]}]}' >"$project/m.json"
  cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(launcher LANGUAGES C)
find_package(Nereid CONFIG REQUIRED)
add_triton_kernel(one SOURCE scale.py KERNEL scale_kernel SIGNATURE "*fp32, fp32, i32, 64" TARGETS cpu:x86-64-v2)
add_triton_kernel(two SOURCE scale.py KERNEL scale_kernel SIGNATURE "*fp32, fp32, i32, 128" TARGETS cpu:x86-64-v2
  COMPILER_LAUNCHER "${CMAKE_CURRENT_SOURCE_DIR}/launch it" "of two")
add_triton_library(made MANIFEST m.json)
CMAKE
  local generator
  for generator in Ninja "Unix Makefiles"; do
    rm -rf "$work/launches" "$work/out"
    NEREID_CACHE_DIR=off NEREID_COMPILER_LAUNCHER="'$work/launch' 'of all'" configure "$project" "$work/out" -G "$generator"
    NEREID_CACHE_DIR=off build "$work/out"
    cp "$work/launches" "$log"
    [ "$(grep -c '^of all .*nereid compile .*--output .*/one/' "$log")" = 1 ] || fail "the variable"
    [ "$(grep -c '^of two .*nereid compile .*--output .*/two/' "$log")" = 1 ] || fail "the keyword"
    [ "$(grep -c '^of all .*nereid compile .*m.json --variant' "$log")" = 2 ] || fail "the manifest"
    [ "$(wc -l <"$log")" = 4 ] || fail "not four launches"
  done
}

# Generator expressions in every keyword that takes them, also such as leave nothing, and a static library that others
# import and link into a shared one.
expressions() {
  mkdir -p "$project/user"
  cp "$tests/app/kernels/scale.py" "$project"
  cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(expressions LANGUAGES C)
add_subdirectory(find)
option(BUILD_SHARED_LIBS "" OFF)
set(two "$<IF:$<BOOL:1>,2,4>")
set(made "${CMAKE_CURRENT_BINARY_DIR}/made/scale.py")
add_custom_command(OUTPUT "${made}" DEPENDS scale.py
  COMMAND ${CMAKE_COMMAND} -E copy "${CMAKE_CURRENT_SOURCE_DIR}/scale.py" "${made}")
set_source_files_properties("${made}" PROPERTIES GENERATED ON)
add_triton_library(k
  TARGETS cpu:x86-64-v2 $<$<BOOL:1>:cuda:90a> $<$<BOOL:0>:hip:gfx942>  DEFINITIONS $<$<BOOL:0>:NONE=1>
  KERNEL scale_kernel SOURCE scale.py FUNCTION one
    SIGNATURE "*fp32, fp32, i32, BLOCK=$<IF:$<BOOL:1>,64,32>" GRID "cdiv(n, $<IF:$<BOOL:1>,BLOCK,1>)"
    NUM_WARPS ${two} NUM_STAGES ${two} MAXNREG $<IF:$<BOOL:1>,64,4>
    IMPORT_PATHS $<$<BOOL:1>:${CMAKE_CURRENT_SOURCE_DIR}> $<$<BOOL:0>:none>  FOR $<$<BOOL:0>:none>
  KERNEL scale_kernel SOURCE "${made}" FUNCTION $<IF:$<BOOL:1>,two,three>
    SIGNATURE "*fp32, fp32, i32, BLOCK=[$<IF:$<BOOL:1>,64,4>,128]" WHEN "n <= $<IF:$<BOOL:1>,BLOCK,1>"
    FOR "cuda: num_warps=$<IF:$<BOOL:1>,8,1>" DISPATCH $<$<BOOL:0>:BLOCK>)
install(TARGETS k EXPORT k)
install(EXPORT k NAMESPACE app:: FILE kConfig.cmake DESTINATION lib/cmake/k)
# Of the names of the system's libraries.
add_library(m INTERFACE)
add_executable(main main.c)
target_link_libraries(main PRIVATE k)
CMAKE
  # Where the functions come from, and no variable does.
  mkdir -p "$project/find"
  echo 'find_package(Nereid CONFIG REQUIRED)' >"$project/find/CMakeLists.txt"
  cat >"$project/main.c" <<'C'
#include "k.h"
int main(void) {
  float x[4] = {1, 1, 1, 1};
  nrd_dim3 grid = {1, 1, 1};
  return k_one(nrd_cpu_stream(), x, 2, 4) != NRD_OK || k_two_grid(nrd_cpu_stream(), grid, x, 2, 4) != NRD_OK || x[3] != 4;
}
C
  cat >"$project/user/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES C)
find_package(k CONFIG REQUIRED)
add_library(plug SHARED plug.c)
target_link_libraries(plug PRIVATE app::k)
CMAKE
  printf '#include "k.h"\nint plug(void);\nint plug(void) { return (int)k_one(nrd_cpu_stream(), 0, 0, 0); }\n' \
    >"$project/user/plug.c"
  local generator
  for generator in Ninja "Unix Makefiles"; do
    rm -rf "$work/out"
    configure "$project" "$work/out" -G "$generator"
    build "$work/out"
    "$work/out/main" || fail "the results are wrong"
    build "$work/out"
    expect_not "Triton"
  done
  say "checkers of the project's sources leave the generated one alone"
  configure "$project" "$work/checked" -G Ninja -DCMAKE_C_CLANG_TIDY=/bin/false
  cmake --build "$work/checked" --target k >"$log" 2>&1 || fail "the library was checked"
  ! cmake --build "$work/checked" --target main >"$log" 2>&1 || fail "the program was not checked"
  "$nereid" inspect "$work/out/libk.a" >"$log"
  expect "2 warps of 32, at most 64 registers a thread"
  expect "8 warps of 32"
  expect_not "hip"
  cmake --install "$work/out" --prefix "$work/installed" >"$log" || fail "cannot install"
  cmake -S "$project/user" -B "$work/user" "-DCMAKE_PREFIX_PATH=$work/installed" >"$log" 2>&1 || fail "cannot configure"
  build "$work/user"
  nm -D --defined-only "$work/user/libplug.so" >"$log"
  expect plug
  expect_not "k_"

  say "several configurations that differ"
  sed -i 's/IF:$<BOOL:1>,64,32/IF:$<CONFIG:Debug>,64,32/' "$project/CMakeLists.txt"
  ! cmake -S "$project" -B "$work/multi" -G "Ninja Multi-Config" "-DCMAKE_PREFIX_PATH=$prefix" >"$log" 2>&1 || fail "accepted"
  tr -s ' \n' ' ' <"$log" >"$log.words"
  mv "$log.words" "$log"
  expect 'arguments cannot depend on $<CONFIG>'
}

# Kills all processes of a session. Their groups differ, as Ninja gives each command one of its own, so that a signal to the
# group of a build leaves its compilers running, and writing.
kill_session() { # SESSION
  local stat fields found=1
  while [ $found = 1 ]; do
    found=0
    for stat in /proc/[0-9]*/stat; do
      # pid (name) state parent group session …, where a name may hold anything. A process that has ended by now has no such file.
      fields=($(sed 's/.*) //' "$stat" 2>/dev/null)) || continue
      if [ "${fields[3]-}" = "$1" ] && [ "${fields[0]}" != Z ]; then
        stat=${stat#/proc/}
        kill -9 "${stat%/stat}" 2>/dev/null && found=1 || true
      fi
    done
  done
}

# Builds that are killed in the middle leave no half of a file, whatever they were about to write.
killed() {
  mkdir -p "$project"
  cp "$tests/app/kernels/scale.py" "$project"
  cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(killed LANGUAGES C)
find_package(Nereid CONFIG REQUIRED)
add_triton_kernel(many SOURCE scale.py KERNEL scale_kernel TARGETS cpu cuda:80 hip:gfx942
  SIGNATURE "*fp32, fp32, i32, [16,32,64,128,256,512,1024,2048]" DISPATCH BLOCK GRID "cdiv(n, BLOCK)")
add_triton_library(made MANIFEST manifest.json)
add_executable(main main.c)
target_link_libraries(main PRIVATE many made)
CMAKE
  cat >"$project/manifest.json" <<'JSON'
{"name": "made", "targets": ["cpu"], "kernels": [{"source": "scale.py", "kernel": "scale_kernel", "function": "grow",
  "dispatch": ["BLOCK"], "grid": "cdiv(n, BLOCK)", "signatures": ["*fp32, fp32, i32, [16,32,64,128]"]}]}
JSON
  cat >"$project/main.c" <<'C'
#include "made.h"
#include "many.h"
int main(void) {
  float x[40] = {1, 1};
  return scale_kernel(nrd_cpu_stream(), x, 2, 40, 2048) != NRD_OK || grow(nrd_cpu_stream(), x, 2, 40, 64) != NRD_OK || x[1] != 4;
}
C
  local delay file times=0
  for delay in 0.2 0.5 0.9 1.4 2; do
    configure "$project" "$work/out" -G Ninja
    touch "$project/scale.py"
    setsid cmake --build "$work/out" -j 4 >"$log" 2>&1 &
    local session=$!
    sleep $delay
    if kill -0 $session 2>/dev/null; then times=$((times + 1)); fi
    kill_session $session
    wait $session || true
    while IFS= read -r -d '' file; do
      "$nereid" inspect "$file" >"$log" 2>&1 || fail "$file is half a file"
    done < <(find "$work/out" \( -name '*.nko' -o -name 'lib*.so' \) -print0)
  done
  [ $times -gt 0 ] || fail "no build was killed"
  configure "$project" "$work/out" -G Ninja
  build "$work/out"
  "$work/out/main" || fail "the results are wrong"
  [ -z "$(find "$work/out" -name '*.nereid-*')" ] || fail "temporary files stay forever"
  build "$work/out"
  expect_not "Triton"
}

# A target that has too little for one variant, compiled by a command of its own, is left to the others.
misfits() {
  mkdir -p "$project"
  cat >"$project/large.py" <<'PY'
import triton
import triton.language as tl
from sizes import FIRST


@triton.jit
def count(x_ptr, out_ptr, n, BINS: tl.constexpr):
    bins = tl.histogram(tl.load(x_ptr + tl.arange(0, 128)), BINS)
    tl.store(out_ptr + tl.arange(0, BINS), bins + n + FIRST)
PY
  echo 'FIRST = 0' >"$project/sizes.py"
  cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(misfits LANGUAGES C)
find_package(Nereid CONFIG REQUIRED)
add_triton_kernel(fit SOURCE large.py KERNEL count TARGETS cuda:80 hip:gfx942 cpu:x86-64-v2 ${OPTIONS}
  SIGNATURE "*i32, *i32, i32, 65536" WHEN "n > 256"
  SIGNATURE "*i32, *i32, i32, 256" ${MORE})
CMAKE
  configure "$project" "$work/out" -G Ninja
  build "$work/out"
  for target in cuda:80 hip:gfx942; do
    expect "warning: '*i32, *i32, i32, 65536' of 'large.py' is left out for $target, as it needs"
  done
  expect "another variant of 'count' serves that target"
  expect_not "error"
  "$nereid" inspect "$work/out/libfit.so" >"$log"
  [ "$(grep -c "^      cpu:x86-64-v2 " "$log")" = 2 ] && [ "$(grep -c "^      cuda:80 " "$log")" = 1 ] ||
    fail "the wrong variants are there"
  for object in "$work"/out/nereid/fit/*.nko; do "$nereid" inspect "$object"; done >"$log"
  [ "$(grep -cE "(cuda:80|hip:gfx942) +left out, as it needs" "$log")" = 2 ] || fail "inspect does not say what is left out"

  say "the files that it was made of are watched"
  build "$work/out"
  expect_not "Triton"
  wait_a_tick
  echo 'FIRST = 1' >"$project/sizes.py"
  build "$work/out"
  [ "$(grep -c "Compiling Triton kernel" "$log")" = 2 ] || fail "not both variants were compiled again"

  say "too many warps for a block"
  configure "$project" "$work/out" "-DMORE=FOR;hip: num_warps=32;WHEN;n < 1000"
  sed -i 's/MORE})/MORE}\n  SIGNATURE "*i32, *i32, i32, 128")/' "$project/CMakeLists.txt"
  build "$work/out"
  expect "left out for hip:gfx942, as it has 32 warps of 64 lanes, and a block of hip:gfx942 at most 1024 lanes"

  say "where no variant serves it, the link fails, and names all"
  sed -i 's/, 256" /, 65536" WHEN "n < 5" /; s/, 128"/, 32768"/' "$project/CMakeLists.txt"
  configure "$project" "$work/out" -DMORE=
  ! cmake --build "$work/out" >"$log" 2>&1 || fail "accepted"
  for size in 65536 32768; do
    expect "error: no variant of 'count' serves hip:gfx942: '*i32, *i32, i32, $size' of 'large.py' does not fit, as it needs"
  done

  say "WERROR makes it an error"
  configure "$project" "$work/out" -DOPTIONS=WERROR
  ! cmake --build "$work/out" >"$log" 2>&1 || fail "accepted"
  expect "large.py"
  expect "bytes of shared memory for a block, but cuda:80 has"
}

# Variants to be tried, in one kernel and in a library of several, chosen by results that the link depends on.
tuning() {
  local out=$work/out
  mkdir -p "$project"
  cat >"$project/block.py" <<'PY'
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": block}) for block in (32, 64)], key=["n"])
@triton.jit
def block(y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, BLOCK, mask=offsets < n)
PY
  cat >"$project/main.c" <<'C'
#include "made.h"
#include "several.h"
#include <stdio.h>
int main(void) {
  static int32_t y[256];
  if (made_block(nrd_cpu_stream(), y, 200) != NRD_OK)
    return 1;
  printf("made %d\n", (int)y[0]);
  if (several_block(nrd_cpu_stream(), y, 200) != NRD_OK)
    return 1;
  printf("several %d\n", (int)y[0]);
  return 0;
}
C
  cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(tuning C)
find_package(Nereid CONFIG REQUIRED)
add_triton_kernel(made SOURCE block.py KERNEL block SIGNATURE "*i32, i32" GRID "cdiv(n, BLOCK)" TARGETS cpu:x86-64-v2
  TUNE "BLOCK=[16,128], num_warps=[2,4]" "BLOCK=256" TUNING results.json)
add_triton_library(several TUNING results.json TARGETS cpu:x86-64-v2
  KERNEL block SOURCE block.py SIGNATURE "*i32, i32" GRID "cdiv(n, BLOCK)" AUTOTUNE)
add_executable(app main.c)
target_compile_definitions(app PRIVATE NRD_NO_SHORT_NAMES)
target_link_libraries(app PRIVATE made several)
CMAKE
  cat >"$work/measure.py" <<'PY'
import json, sys
measurements = [
    {"function": "block", "device": "a processor that is like this one", "target": "cpu:x86-64-v2", "key": {"n": 100},
     "variant": f"y_ptr=*i32, n=i32, BLOCK={block}", "nanoseconds": 1 if str(block) in sys.argv[1:] else 2}
    for block in (16, 32, 64, 128, 256)]
print(json.dumps({"nereid_tuning": 1, "measurements": measurements}))
PY
  # With the blocks that are the fastest.
  python3 "$work/measure.py" 128 32 >"$project/results.json"
  configure "$project" "$out"
  build "$out"
  "$out/app" >"$log" || fail "the program"
  expect "made 128"
  expect "several 32"

  say "other results link again, and compile nothing again"
  wait_a_tick
  python3 "$work/measure.py" 16 64 >"$project/results.json"
  build "$out"
  expect_not "Compiling Triton kernel"
  "$out/app" >"$log" || fail "the program"
  expect "made 16"
  expect "several 64"

  say "results that are not there, and values that cannot be tried"
  sed -i 's/results.json)/missing.json)/' "$project/CMakeLists.txt"
  ! cmake -S "$project" -B "$work/other" "-DCMAKE_PREFIX_PATH=$prefix" >"$log" 2>&1 || fail "missing results"
  expect "there is no file"
  sed -i 's/missing.json)/results.json)/;s/num_warps=/num_wraps=/' "$project/CMakeLists.txt"
  configure "$project" "$out"
  ! cmake --build "$out" >"$log" 2>&1 || fail "a value that is none"
  expect "'num_wraps' is neither a parameter of 'block' nor one of the options"
}

# Several kernels in a library, names and versions, the kind of library, generators.
features() {
  mkdir -p "$project"
  cp -r "$tests/app" "$tests/features" "$project"
  local source=$project/features

  say "Ninja, shared"
  configure "$source" "$work/out" -G Ninja -DCMAKE_BUILD_TYPE=Debug
  build "$work/out"
  "$work/out/features" || fail "the results are wrong"
  [ "$(readlink "$work/out/libnumbers.so")" = libnumbers.so.1 ] || fail "there is no SOVERSION"
  [ -f "$work/out/libnumbers.so.1.2.3" ] || fail "there is no VERSION"
  [ -f "$work/out/libmade.so" ] && [ -f "$work/out/libannotated.a" ] || fail "the kinds of libraries are wrong"
  [ -f "$work/out/numbers_copy.rs" ] || fail "OUTVAR's file was not there in time"
  nm -g "$work/out/libannotated.a" >"$log"
  expect "T annotated_triple"
  readelf -sW "$work/out/libannotated.a" >"$log"
  ! grep annotated_triple "$log" | grep -q HIDDEN || fail "VISIBILITY default was not heeded"
  "$nereid" inspect "$work/out/libnumbers.so" >"$log"
  expect "hip:gfx942"
  expect "512"
  expect "8 warps"
  expect "asked by   CMakeLists.txt, add_triton_library(numbers)"
  expect "with its stages"
  grep -Eq 'hip:gfx942 .*compressed to [0-9]+' "$log" || fail "COMPRESS was not heeded"

  say "a manifest, and what it names, are watched"
  build "$work/out"
  expect_not "Triton"
  wait_a_tick
  touch "$project/app/kernels/scale.py"
  build "$work/out"
  expect "Building Triton kernel library made"
  expect_not "library annotated"
  wait_a_tick
  touch "$source/manifest.json"
  build "$work/out"
  expect "Building Triton kernel library made"
  expect_not "Compiling Triton kernel"

  say "a generator expression that changes compiles again"
  configure "$source" "$work/out" -DMORE=7
  build "$work/out"
  expect "Compiling Triton kernel add_kernel"
  "$work/out/features" || fail "the results are wrong after the change"

  say "headers go where their file set goes"
  cmake --install "$work/out" --prefix "$work/installed" >"$log" || fail "cannot install"
  [ -f "$work/installed/headers/of/kernels/filed.h" ] && [ -f "$work/installed/headers/of/kernels/filed.hpp" ] ||
    fail "the headers are elsewhere"
  mkdir -p "$work/filed"
  printf 'cmake_minimum_required(VERSION 3.23)\nproject(user LANGUAGES CXX)\nfind_package(filed CONFIG REQUIRED)
add_library(user main.cpp)\ntarget_link_libraries(user filed)\n' >"$work/filed/CMakeLists.txt"
  printf '#include <filed.hpp>\n' >"$work/filed/main.cpp"
  cmake -S "$work/filed" -B "$work/filed/out" "-DCMAKE_PREFIX_PATH=$work/installed" >"$log" 2>&1 || fail "cannot configure"
  build "$work/filed/out"

  say "Makefiles, static"
  configure "$source" "$work/make" -G "Unix Makefiles" -DBUILD_SHARED_LIBS=OFF
  build "$work/make"
  "$work/make/features" || fail "the results are wrong"
  [ -f "$work/make/libnumbers.a" ] && [ -f "$work/make/libmade.so" ] || fail "BUILD_SHARED_LIBS was not heeded"
  readelf -sW "$work/make/libnumbers.a" >"$log"
  grep 'numbers_scale_grid$' "$log" | grep -q HIDDEN || fail "a static library re-exports"

  say "several configurations"
  sed -i 's/\$<IF:[^ ]*>/${MORE}/' "$source/CMakeLists.txt"
  configure "$source" "$work/multi" -G "Ninja Multi-Config"
  for configuration in Debug Release; do
    cmake --build "$work/multi" --config $configuration >"$log" 2>&1 || fail "cannot build $configuration"
    "$work/multi/$configuration/features" || fail "the results are wrong"
  done
  expect_not "Compiling Triton kernel"
}

# Kernels of one library, some of which say themselves what is to be made of them; and warnings of the link.
groups() {
  mkdir -p "$project"
  cat >"$project/noted.py" <<'PY'
import triton
import triton.language as tl


# nereid: grid = cdiv(n, BLOCK)
# nereid: targets = cpu:x86-64-v2
# nereid: signature = *fp32:16, i32, 64
# nereid: signature = *fp32, i32, [32, 128]
# nereid: when = n <= 4 * BLOCK
# nereid: signature = *fp32, i32, 16
@triton.jit
def triple(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 3, mask=i < n)


# nereid: signature = this is nobody's
@triton.jit
def other(x_ptr):
    tl.store(x_ptr, 1)


@triton.jit
def halve(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) / 2, mask=i < n)
PY
  cat >"$project/noted.tc" <<'TC'
// nereid: grid = 1
// nereid: signature = x=*fp32, n=i32
__global__ void fill(float *x, int n) { for (int i = 0; i < n; ++i) x[i] = 6.0f; }
__global__ void clear(float *x, int n) { for (int i = 0; i < n; ++i) x[i] = 0.0f; }
TC
  cat >"$project/main.c" <<'C'
#include "mixed.h"
#include <stdio.h>
int main(void) {
  float x[101];
  const nrd_variant *list;
  int i, wrong = 0;
  for (i = 0; i < 101; ++i)
    x[i] = 2;
  wrong += triple(nrd_cpu_stream(), x, 101) != NRD_OK || halve(nrd_cpu_stream(), x, 101) != NRD_OK;
  for (i = 0; i < 101; ++i)
    wrong += x[i] != 3;
  printf("%d wrong, %u variants\n", wrong, (unsigned)mixed_triple_variants(&list));
  return wrong;
}
C
  cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(groups C)
find_package(Nereid CONFIG REQUIRED)
add_triton_library(mixed
  KERNEL triple SOURCE noted.py
  KERNEL halve SOURCE noted.py SIGNATURE "*fp32, i32, 64" GRID "cdiv(n, BLOCK)" TARGETS cpu:x86-64-v2)
add_executable(app main.c)
target_link_libraries(app PRIVATE mixed)
CMAKE
  local out=$work/out generator
  for generator in Ninja "Unix Makefiles"; do
    rm -rf "$out"
    configure "$project" "$out" -G "$generator"
    build "$out"
    expect "Compiling Triton kernel triple (as annotated) for the targets that are named there"
    "$out/app" >"$log" || fail "the results are wrong"
    expect "0 wrong, 4 variants"
    "$nereid" inspect "$out/libmixed.so" >"$log"
    expect "asked by   CMakeLists.txt, add_triton_library(mixed)"
    expect_not "x86-64-v3"

    say "$generator: another annotation compiles that kernel again"
    wait_a_tick
    sed -i 's/signature = \*fp32, i32, 16/signature = *fp32, i32, 256/' "$project/noted.py"
    build "$out"
    "$out/app" >"$log" || fail "the results are wrong"
    "$nereid" inspect "$out/libmixed.so" >"$log"
    expect "*fp32, i32, 256"
    sed -i 's/signature = \*fp32, i32, 256/signature = *fp32, i32, 16/' "$project/noted.py"
  done

  say "targets of the call come before those of the file; one kernel by itself; what has no annotations"
  cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(groups C)
find_package(Nereid CONFIG REQUIRED)
add_triton_kernel(alone SOURCE noted.py KERNEL triple TARGETS cpu:x86-64-v3)
# Of Triton-C some functions have annotations, and others say their types themselves.
add_triton_library(filled KERNEL fill SOURCE noted.tc TARGETS cpu:x86-64-v2
                          KERNEL clear SOURCE noted.tc TARGETS cpu:x86-64-v2)
add_triton_kernel(lost SOURCE noted.py KERNEL halve TARGETS cpu)
CMAKE
  rm -rf "$out"
  configure "$project" "$out" -G Ninja
  cmake --build "$out" --target alone filled >"$log" 2>&1 || fail "cannot build"
  "$nereid" inspect "$out/libalone.so" >"$log"
  expect "x86-64-v3"
  expect_not "x86-64-v2"
  "$nereid" inspect "$out/libfilled.so" >"$log"
  grep -q 'grid 1' "$log" || fail "the annotations of noted.tc were not read"
  ! cmake --build "$out" --target lost >"$log" 2>&1 || fail "a kernel without annotations"
  expect "no annotations of"
  expect "are for 'halve'"

  say "WERROR reaches the link"
  cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(groups C)
find_package(Nereid CONFIG REQUIRED)
set(signatures "*fp32, i32, 64" WHEN "n < 10" "*fp32, i32, 32" WHEN "n < 5 and n > 7" "*fp32, i32, 16")
add_triton_kernel(lenient SOURCE noted.py KERNEL halve SIGNATURE ${signatures} TARGETS cpu:x86-64-v2)
add_triton_kernel(strict SOURCE noted.py KERNEL halve SIGNATURE ${signatures} TARGETS cpu:x86-64-v2 WERROR)
add_triton_library(strict_library WERROR KERNEL halve SOURCE noted.py SIGNATURE ${signatures} TARGETS cpu:x86-64-v2)
CMAKE
  rm -rf "$out"
  configure "$project" "$out" -G Ninja
  cmake --build "$out" --target lenient >"$log" 2>&1 || fail "a warning stopped the build"
  expect "is never chosen"
  for library in strict strict_library; do
    ! cmake --build "$out" --target $library >"$log" 2>&1 || fail "a warning did not stop the build"
    expect "is never chosen"
    expect "[--werror]"
  done
}

# With a toolchain file for another processor; left out where there is no such compiler.
cross() {
  if ! command -v aarch64-linux-gnu-gcc >"$log"; then
    say "left out: there is no aarch64-linux-gnu-gcc"
    return
  fi
  mkdir -p "$project"
  cp -r "$tests/app" "$project"
  cat >"$work/toolchain.cmake" <<'CMAKE'
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
CMAKE
  configure "$project/app" "$work/out" -G Ninja "-DCMAKE_TOOLCHAIN_FILE=$work/toolchain.cmake"
  build "$work/out"
  readelf -h "$work/out/libvector_add.so" >"$log"
  expect AArch64
  "$nereid" inspect "$work/out/libvector_add.so" >"$log"
  expect "cpu:aarch64"
  expect "cuda:90a"
  expect_not "x86-64"
  if command -v qemu-aarch64 >"$log"; then
    qemu-aarch64 -L /usr/aarch64-linux-gnu "$work/out/app" || fail "the results are wrong"
  fi
}

# Mistakes in a CMakeLists.txt are told when it is configured.
bad_calls() {
  mkdir -p "$project"
  cp -r "$tests/app/kernels" "$project"
  try() { # EXPECTED CALL
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(bad LANGUAGES C)\nfind_package(Nereid CONFIG REQUIRED)\n%s\n' \
      "$2" >"$project/CMakeLists.txt"
    rm -rf "$work/out"
    ! cmake -S "$project" -B "$work/out" "-DCMAKE_PREFIX_PATH=$prefix" -G Ninja >"$log" 2>&1 || fail "accepted: $2"
    tr -s ' \n' ' ' <"$log" >"$log.words"
    mv "$log.words" "$log"
    expect "$1"
  }
  try "KERNEL is missing" 'add_triton_kernel(a SOURCE kernels/add.py SIGNATURE i32)'
  try "SIGNATURE is missing" 'add_triton_kernel(a SOURCE kernels/add.py KERNEL k)'
  try "there is no file" 'add_triton_kernel(a SOURCE kernels/none.py KERNEL k SIGNATURE i32)'
  try "unknown arguments: FAST" 'add_triton_kernel(a FAST SOURCE kernels/add.py KERNEL k SIGNATURE i32)'
  try "unknown arguments: TARGET (is TARGETS meant?)" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 TARGET cpu)'
  try "unknown arguments: VERSIONS (is VERSION meant?)" \
    'add_triton_kernel(a VERSIONS SOURCE kernels/add.py KERNEL k SIGNATURE i32)'
  try "unknown target 'cuda:79'; there are cpu cpu:x86-64-v2" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 TARGETS cpu cuda:79)'
  try "VISIBILITY is default or hidden" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 VISIBILITY none)'
  try "VISIBILITY hidden is for a library that is STATIC" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 VISIBILITY hidden)'
  try "there is no KERNEL and no MANIFEST" 'add_triton_library(a TARGETS cpu)'
  try "add_triton_library(a): k: SOURCE is missing" 'add_triton_library(a KERNEL k SIGNATURE i32)'
  try "not both" 'add_triton_library(a MANIFEST m.json KERNEL k SIGNATURE i32)'
  try "add_triton_library(a): k: unknown arguments: STATIC" \
    'add_triton_library(a KERNEL k SOURCE kernels/add.py SIGNATURE i32 STATIC)'
  try "there is no file" 'add_triton_library(a MANIFEST none.json)'
  try "must be an identifier of C" 'add_triton_kernel(a-b SOURCE kernels/add.py KERNEL k SIGNATURE i32)'
  try "WHEN follows the signatures that it is a condition of" 'add_triton_kernel(a SOURCE kernels/add.py KERNEL k WHEN "n < 5" SIGNATURE i32)'
  try "no value is given for WHEN" 'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 WHEN GRID 1)'
  try "<signature>:1:3: error: this list is not closed" 'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE "D=[1, 2")'
  try "is given twice" 'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 i32)'
  try "GRID is given twice" 'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 GRID 1 GRID 2)'
  try "NUM_WARPS is given twice" 'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 NUM_WARPS 1 NUM_WARPS 1)'
  try "unknown arguments: TARGET (is TARGETS meant?)" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 WHEN "n < 5" TARGET cpu)'
  try "unknown arguments: FOLDERS (is FOLDER meant?)" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 FOR "hip: B=1" FOLDERS x)'
  # Keywords in another case or with a letter too many are no signatures.
  try "unknown arguments: Targets (is TARGETS meant?)" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 Targets cpu cuda:80)'
  try "unknown arguments: num_warps (is NUM_WARPS meant?)" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE "*fp32, i32" num_warps 8)'
  try "unknown arguments: NumWarps (is NUM_WARPS meant?)" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 TARGETS cpu NumWarps 8)'
  try "unknown arguments: SIGNTURE (is SIGNATURE meant?)" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k TARGETS cpu SIGNTURE i32)'
  try "unknown arguments: Grid (is GRID meant?)" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 WHEN "n < 5" Grid 1)'
  try "unknown arguments: werror (is WERROR meant?)" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 DEFINITIONS A=1 werror)'
  try "unknown arguments: Import_Path (is IMPORT_PATHS meant?)" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 TUNE "B=[1,2]" Import_Path kernels)'
  try "unknown arguments: Namespace (is NAMESPACE meant?)" \
    'add_triton_library(a TARGETS cpu Namespace b KERNEL k SOURCE kernels/add.py SIGNATURE i32)'
  try "unknown arguments: Kernel (is KERNEL meant?)" \
    'add_triton_library(a TARGETS cpu KERNEL k SOURCE kernels/add.py SIGNATURE i32 Kernel j SOURCE kernels/add.py SIGNATURE i32)'
  # Names of parameters are the kernel's, and nobody else's.
  try "unknown arguments: TARGET (is TARGETS meant?)" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 DISPATCH BLOCK TARGET cpu)'
  try "unknown arguments: Targets (is TARGETS meant?)" \
    'add_triton_library(a KERNEL k SOURCE kernels/add.py SIGNATURE i32 DISPATCH BLOCK Targets cpu)'
  try "unknown arguments: TARGET (is TARGETS meant?)" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 PYTHON_CALL "n=x.numel()" TARGET cpu)'
  try "COMPRESS is speed or size, not 'fast'" 'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 COMPRESS fast)'
  # Of a kernel without a signature the annotations count, which then say everything.
  printf '# nereid: signature = i32\n' >>"$project/kernels/noted.py"
  try "GRID is for the annotations of kernels/noted.py to say, as there is no SIGNATURE" \
    'add_triton_kernel(a SOURCE kernels/noted.py KERNEL k GRID 1)'
  try "a): k: NUM_WARPS is for the annotations of kernels/noted.py to say" \
    'add_triton_library(a NUM_WARPS 2 KERNEL k SOURCE kernels/noted.py)'
  try "FOR: unknown target 'hpi'; there are cpu cuda hip, and cpu cpu:x86" \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 FOR "cuda:80, hpi: B=1")'
  try 'FOR: expected "TARGET: NAME=VALUE"' \
    'add_triton_kernel(a SOURCE kernels/add.py KERNEL k SIGNATURE i32 FOR NUM_WARPS=8)'
}

# What the tool refuses: exit code 1, one message, nothing left behind.
bad_files() {
  mkdir -p "$work/objects"
  cd "$work/objects"
  refused() { # EXPECTED COMMAND…
    local expected=$1 code=0
    shift
    "$@" >"$log" 2>&1 || code=$?
    [ "$code" = 1 ] || fail "exit code $code: $*"
    expect "$expected"
    [ "$(grep -c 'error:' "$log")" = 1 ] || fail "not one message: $*"
  }
  "$nereid" compile "$tests/app/kernels/scale.py" -k scale_kernel -s "*fp32, fp32, i32, 256" -t cpu \
    -g "cdiv(n, BLOCK)" -o scale.nko >"$log" 2>&1 || fail "compile"
  "$nereid" link scale.nko -n scaling -o out >"$log" 2>&1 || fail "link"
  [ "$(ls out)" = "$(printf 'libscaling.so\nscaling.h\nscaling.hpp\nscaling.rs')" ] || fail "not just the library is there"
  before=$(cat out/* | sha256sum)

  head -c 1000 scale.nko >short.nko
  refused "'short.nko' is not a complete kernel object" "$nereid" link short.nko -n scaling -o out
  refused "'short.nko' is not a complete kernel object" "$nereid" inspect short.nko
  refused "cannot open 'none.nko'" "$nereid" link none.nko -n scaling -o out
  refused "cannot be the name of a library" "$nereid" link scale.nko -n sca-ling -o out
  refused "scale.nko" "$nereid" link scale.nko -n scaling -o scale.nko
  refused "/proc" "$nereid" link scale.nko -n scaling -o /proc/out
  refused "/proc" "$nereid" compile "$tests/app/kernels/scale.py" -k scale_kernel -s "*fp32, fp32, i32, 256" -t cpu \
    -o /proc/scale.nko
  CC=/bin/false refused "/bin/false" "$nereid" link scale.nko -n scaling -o out
  [ "$before" = "$(cat out/* | sha256sum)" ] || fail "the old library is not as it was"
  [ "$(ls -A out)" = "$(printf 'libscaling.so\nscaling.h\nscaling.hpp\nscaling.rs')" ] || fail "something half-written stayed"
}

"$case_name"
say "$case_name: all as it should be"
