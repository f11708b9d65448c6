#!/usr/bin/env bash
# The compile cache: what a hit and a miss are, that results are the same with and without, and what is done
# about damage, processes that are killed, full disks, folders that cannot be written to, and other builds.
#
#   cache.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"
export NEREID_CACHE_DIR=$work/cache
unset NEREID_CACHE_SIZE NEREID_CACHE_READONLY

say() { echo "-- $*"; }

# counts HITS MISSES: since it was last asked.
hits=0 misses=0
counts() {
  local now
  now=$("$nereid" cache --json | tr -d ' ,"')
  local h m
  h=$(sed -n 's/^hits://p' <<<"$now") m=$(sed -n 's/^misses://p' <<<"$now")
  [ "$((h - hits)) $((m - misses))" = "$1 $2" ] || fail "expected $1 hits and $2 misses, not $((h - hits)) and $((m - misses))"
  hits=$h misses=$m
}
forget() { run "$nereid" cache clear; hits=0 misses=0; }
entries() { find "$NEREID_CACHE_DIR" -name 'llvmcache-*' ! -name '*-new-*' ! -name '*.timestamp'; }

project() { # FOLDER
  mkdir -p "$1/lib"
  cat >"$1/add.py" <<'PY'
import triton
import triton.language as tl
from sizes import FACTOR


@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr + at, x * FACTOR + 1, mask=at < n)
PY
  echo 'FACTOR = 2' >"$1/lib/sizes.py"
  cat >"$1/m.json" <<'JSON'
{"name": "adds", "targets": ["cpu:x86-64-v2", "cuda:80", "hip:gfx942"], "import_paths": ["lib"],
 "kernels": [{"source": "add.py", "kernel": "add", "grid": "cdiv(n, BLOCK)", "dispatch": ["BLOCK"],
              "signatures": ["*fp32, *fp32, i32, [64,128]"]}]}
JSON
}
one() { # [ARGUMENT…]: compiles the project of the current folder
  run "$nereid" compile add.py -k add -s '*fp32, *fp32, i32, 64' -t cpu:x86-64-v2 -I lib -o out.nko "$@"
}

project p
cd p

say "the second time is a hit, with the same bytes; so is one without the cache"
one; cp out.nko first.nko; counts 0 1
one; cmp out.nko first.nko || fail "a hit gives other bytes"; counts 1 0
one --depfile out.d; grep -q 'lib/sizes.py' out.d || fail "a hit forgets what was read"; counts 1 0
one --no-cache; cmp out.nko first.nko || fail "the cache changes bytes"; counts 0 0
NEREID_CACHE_DIR=off one; cmp out.nko first.nko || fail "the cache changes bytes"; counts 0 0

say "everything that the result depends on counts"
one -D FACTOR=3; counts 0 1
! cmp -s out.nko first.nko || fail "-D has no effect"
for more in '--num-warps 8' '--debug' '--debug-info' '--prefix-map /a=/b' '--num-stages 2' '--no-tensor-maps' '--exact-warps' '--exact-stages' '--compile-limit 999999'; do
  # shellcheck disable=SC2086
  one $more; counts 0 1
  # shellcheck disable=SC2086
  one $more; counts 1 0
done
echo 'FACTOR = 5' >lib/sizes.py
one; counts 0 1
! cmp -s out.nko first.nko || fail "an import that changed is not seen"
echo 'FACTOR = 2' >lib/sizes.py
one; cmp out.nko first.nko || fail "what it was before is not found"; counts 1 0
touch add.py lib/sizes.py; one; counts 1 0

say "a file that appears where it was looked for in vain counts"
echo 'FACTOR = 7' >sizes.py
one; counts 0 1
! cmp -s out.nko first.nko || fail "a file that comes first in the search is not seen"
rm sizes.py; one; cmp out.nko first.nko || fail "the file is gone again"; counts 1 0
mkdir sizes; echo 'FACTOR = 9' >sizes/__init__.py
one; counts 0 1
! cmp -s out.nko first.nko || fail "a package that comes first in the search is not seen"
rm -r sizes

say "tools count by what is in them"
printf '#!/bin/sh\necho "ptxas fatal : Value sm_80 is not defined for option gpu-name"; exit 1\n' >"$work/ptxas1"
sed "s/sm_80 is/'sm_80' is/; s/gpu-name/'gpu-name'/" "$work/ptxas1" >"$work/ptxas2"
sed -i "s/gpu-name/'gpu-name'/" "$work/ptxas1"
chmod +x "$work"/ptxas?
cuda() { run "$nereid" compile add.py -k add -s '*fp32, *fp32, i32, 64' -t cuda:80 -I lib -o cuda.nko; }
export NEREID_PTXAS=$work/ptxas1
cuda; counts 0 1; expect 'too old'
cuda; counts 1 0; expect 'too old'
cp "$work/ptxas1" "$work/ptxas3"; NEREID_PTXAS=$work/ptxas3 cuda; counts 1 0
NEREID_PTXAS=$work/ptxas2 cuda; counts 0 1
NEREID_PTXAS=none cuda; counts 0 1; expect 'ptxas was not found'
NEREID_PTXAS=none cuda; counts 1 0; expect 'ptxas was not found'
unset NEREID_PTXAS

say "messages are said again, and are errors where warnings are"
cat >warns.py <<'PY'
import triton
import triton.language as tl
if undecidable():
    N = 1
else:
    N = 2
@triton.jit
def f(x):
    tl.store(x, N)
PY
warned() { run "$nereid" compile warns.py -k f -s '*i32' -t cpu:x86-64-v2 -o w.nko; }
warned; cp log said; counts 0 1
if grep -q 'warning' said; then
  warned; cmp log said || fail "a hit says something else"; counts 1 0
  refused '[--werror]' "$nereid" compile warns.py -k f -s '*i32' -t cpu:x86-64-v2 -o w.nko --werror; counts 0 1
else fail "the kernel should give a warning"; fi

say "what is wrong is said each time"
sed 's/tl.store(x, N)/tl.store(x, M)/' warns.py >wrong.py
for _ in 1 2; do refused 'wrong.py:9' "$nereid" compile wrong.py -k f -s '*i32' -t cpu:x86-64-v2 -o w.nko; done
counts 0 2

say "targets that have too little are remembered with their reason"
cat >large.py <<'PY'
import triton
import triton.language as tl
@triton.jit
def count(x_ptr, out_ptr, BINS: tl.constexpr):
    bins = tl.histogram(tl.load(x_ptr + tl.arange(0, 128)), BINS)
    tl.store(out_ptr + tl.arange(0, BINS), bins)
PY
for i in 1 2; do
  refused 'shared memory' "$nereid" compile large.py -k count -s '*i32, *i32, 65536' -t cuda:80 -o l.nko
  cp log "refused$i"
done
cmp refused1 refused2 || fail "a misfit from the cache says something else"
counts 1 1
run "$nereid" compile large.py -k count -s '*i32, *i32, 65536' -t cuda:80 -o l.nko --allow-misfits
cp l.nko l1.nko
run "$nereid" compile large.py -k count -s '*i32, *i32, 65536' -t cuda:80 -o l.nko --allow-misfits --no-cache
cmp l.nko l1.nko || fail "misfits differ"
counts 1 0

say "another checkout of the project has the same results, by relative and by absolute paths"
cd "$work"; forget; project q
(cd p && run "$nereid" build m.json -o out); counts 0 6
(cd q && run "$nereid" build m.json -o out); counts 6 0
NEREID_CACHE_DIR=off run "$nereid" build q/m.json -o r
for file in libadds.so adds.h; do
  cmp "p/out/$file" "q/out/$file" && cmp "p/out/$file" "r/$file" || fail "$file differs from folder to folder"
done
run "$nereid" build "$work/p/m.json" -o r; counts 0 6
run "$nereid" build "$work/q/m.json" -o r; counts 6 0
echo 'FACTOR = 4' >q/lib/sizes.py
run "$nereid" build "$work/q/m.json" -o r; counts 0 6
! cmp -s r/libadds.so p/out/libadds.so || fail "the import of the other checkout was taken"
echo 'FACTOR = 2' >q/lib/sizes.py

say "a path that is in the result belongs to it"
cat >p/asserts.py <<'PY'
import triton
import triton.language as tl
@triton.jit(debug=True)
def check(x_ptr):
    tl.device_assert(tl.load(x_ptr) > 0, "positive")
    tl.store(x_ptr, 1)
PY
cp p/asserts.py q
for folder in p q p q; do
  run "$nereid" compile "$work/$folder/asserts.py" -k check -s '*i32' -t cpu:x86-64-v2 -o "$folder.nko"
  run "$nereid" compile "$work/$folder/asserts.py" -k check -s '*i32' -t cpu:x86-64-v2 -o plain.nko --no-cache
  cmp "$folder.nko" plain.nko || fail "the result has the path of another folder"
done

say "so does the link remember what its programs made"
cd "$work/p"
printf '#!/bin/sh\necho x >>"%s/compiled"; exec cc "$@"\n' "$work" >"$work/mycc"; chmod +x "$work/mycc"
linked() { : >"$work/compiled"; CC=$work/mycc run "$nereid" build m.json -o out; }
# Asked for its version, compiling, linking.
linked; [ "$(wc -l <"$work/compiled")" = 3 ] || fail "the compiler was not called as expected"; cp out/libadds.so first.so
linked; [ "$(wc -l <"$work/compiled")" = 2 ] || fail "the dispatch code was compiled again"
cmp out/libadds.so first.so || fail "what is remembered differs"
echo '# another' >>"$work/mycc"
linked; [ "$(wc -l <"$work/compiled")" = 3 ] || fail "another compiler was not called"
mkdir -p "$work/headers"; echo '#include_next <stdint.h>' >"$work/headers/stdint.h"
CPATH=$work/headers linked; [ "$(wc -l <"$work/compiled")" = 3 ] || fail "CPATH has no effect"
CPATH=$work/headers linked; [ "$(wc -l <"$work/compiled")" = 2 ] || fail "the dispatch code was compiled again"
echo '/* changed */' >>"$work/headers/stdint.h"
CPATH=$work/headers linked; [ "$(wc -l <"$work/compiled")" = 3 ] || fail "a header that changed is not seen"
CC="$work/mycc -g" run "$nereid" build m.json -o out; cp out/libadds.so first.so
CC="$work/mycc -g" run "$nereid" build m.json -o out --no-cache; cmp out/libadds.so first.so || fail "the cache changes the library"

say "stages are remembered like images, and are not counted"
cd "$work/p"; forget
at() { printf '%s' "-k add -s *fp32,*fp32,i32,64 -I lib -t $1"; }
for case in 'cpu:x86-64-v2 ttir' 'cpu:x86-64-v2 asm' 'cpu:x86-64-v2 obj' 'cuda:80 ttgir' 'cuda:80 ptx' 'cuda:80 llir' 'hip:gfx942 amdgcn' 'hip:gfx942 hsaco'; do
  read -r target stage <<<"$case"
  # shellcheck disable=SC2046
  emitted() { run "$nereid" compile add.py $(at "$target") --emit "$stage" --time --depfile one.d "$@"; }
  emitted -o whole --no-cache; cp one.d plain.d; ! grep -q 'read from the cache' log || fail "--no-cache takes $case from the cache"
  emitted -o whole2; ! grep -q 'read from the cache' log || fail "$case was taken from another entry"
  emitted -o cached; expect 'read from the cache'
  cmp whole cached && cmp whole whole2 || fail "the cache changes $case"
  sed 's/^[^:]*//' one.d >d1; sed 's/^[^:]*//' plain.d >d2; cmp d1 d2 || fail "a hit of $case forgets what was read"
done
all() { rm -rf "$1"; run "$nereid" compile add.py $(at "$2") --emit all --time -o "$1/" "${@:3}"; }
for target in cpu:x86-64-v2 cuda:80 hip:gfx942; do
  all plain.all $target --no-cache; all cached.all $target; all cached.all $target; expect 'read from the cache'
  diff -r plain.all cached.all || fail "the cache changes the stages of $target"
done
counts 0 0
# Ways to ask for stages that differ in nothing else.
run "$nereid" compile add.py $(at cuda:80) --emit ttir,llir -o some/; run "$nereid" compile add.py $(at cuda:80) --emit ttgir,llir -o others/
[ "$(echo others/*)" = "others/add.cuda-80.llir others/add.cuda-80.ttgir" ] || fail "other stages than were asked for: $(ls others)"
echo 'FACTOR = 6' >lib/sizes.py
all cached.all cuda:80; ! grep -q 'read from the cache' log && ! cmp -s plain.all/add.cuda-80.ttir cached.all/add.cuda-80.ttir || fail "an import that changed is not seen in stages"
echo 'FACTOR = 2' >lib/sizes.py
for _ in 1 2; do
  run "$nereid" compile warns.py -k f -s '*i32' -t cpu:x86-64-v2 --emit ttir -o w.ttir; cmp log "$work/p/said" || fail "stages from the cache say something else"
  refused '[--werror]' "$nereid" compile warns.py -k f -s '*i32' -t cpu:x86-64-v2 --emit ttir -o w.ttir --werror
done
# Kept stages: tools are asked once.
ptxas=$("$nereid" --version | sed -n 's/^ptxas: \(.*\), .*/\1/p')
printf '#!/bin/sh\necho ptxas >>"%s/called"\nexec "%s" "$@"\n' "$work" "$ptxas" >"$work/ptxas4"
printf '#!/bin/sh\necho nvdisasm >>"%s/called"\necho "//## File \\"add.py\\", line 9"; echo "/*0000*/ NOP ;"\n' "$work" >"$work/nvdisasm4"
chmod +x "$work/ptxas4" "$work/nvdisasm4"
if [ -n "$ptxas" ]; then export NEREID_PTXAS=$work/ptxas4 NEREID_NVDISASM=$work/nvdisasm4; else echo "without a cubin, as there is no ptxas"; fi
kept() { : >"$work/called"; run "$nereid" compile add.py $(at cuda:80) --stages -o "$@"; }
kept plain.nko --no-cache; [ -z "$ptxas" ] || grep -q nvdisasm "$work/called" || fail "nothing was disassembled"
forget
kept first.nko; cmp plain.nko first.nko || fail "the cache changes kept stages"
kept second.nko --time; cmp plain.nko second.nko || fail "the cache changes kept stages"
[ ! -s "$work/called" ] || fail "kept stages were made again by $(sort -u "$work/called" | xargs)"
counts 1 1
if [ -n "$ptxas" ]; then
  echo '# another' >>"$work/nvdisasm4"; kept second.nko
  [ "$(cat "$work/called")" = nvdisasm ] || fail "not the other disassembler alone was called: $(cat "$work/called")"
  unset NEREID_PTXAS NEREID_NVDISASM
fi

say "damage is found, and repaired"
cd "$work/p"; forget
one; cp out.nko first.nko; counts 0 1
file=$(entries); size=$(stat -c %s "$file"); cp "$file" "$work/good"
flip() { # OFFSET
  python3 -c 'import sys; b = bytearray(open(sys.argv[1], "rb").read()); b[int(sys.argv[3])] ^= 32; open(sys.argv[2], "wb").write(b)' \
    "$work/good" "$file" "$1"
}
offsets="0 8 15 16 47 48 100 $((size / 3)) $((size - 1))"
tried=0
for at in $offsets; do
  flip "$at"
  one; cmp out.nko first.nko || fail "byte $at is damaged, and that is linked"
  cmp "$file" "$work/good" || fail "byte $at is damaged, and stays so"
  tried=$((tried + 1))
done
counts 0 "$tried"
for length in 0 8 60 $((size - 1)); do
  head -c "$length" "$work/good" >"$file"
  one; cmp out.nko first.nko || fail "an entry cut to $length bytes is linked"
  cmp "$file" "$work/good" || fail "an entry cut to $length bytes stays"
done
counts 0 4
head -c 5000 /dev/urandom >"$file"; one; cmp out.nko first.nko || fail "noise is linked"; counts 0 1
# All entries of a build, those of the link among them.
run "$nereid" build m.json -o out --no-cache; cp out/libadds.so first.so
run "$nereid" build m.json -o out
for part in 2 3; do
  for file in $(entries); do cp "$file" "$work/good"; flip $(($(stat -c %s "$file") * (part - 1) / part)); done
  run "$nereid" build m.json -o out; cmp out/libadds.so first.so || fail "damage is linked"
done
for file in $(entries); do : >"$file"; done
run "$nereid" build m.json -o out; cmp out/libadds.so first.so || fail "empty files are linked"
forget; one; file=$(entries); counts 0 1
# The right contents of another entry.
one --num-stages 7; counts 0 1
for other in $(entries); do [ "$other" = "$file" ] || cp "$file" "$other"; done
one --num-stages 7; counts 0 1
rm -f "$file"; mkdir "$file"; one; cmp out.nko first.nko || fail "a folder in place of an entry"; rm -r "$file"

say "an unused size is bounded, and what was used last stays"
forget
one; first=$(entries); touch -d '2 days ago' "$first"
one --num-stages 5; second=$(entries | grep -vF "$first"); touch -d '1 day ago' "$second"
one; run "$nereid" cache trim --size "$(stat -c %s "$first")"
[ "$(entries)" = "$first" ] || fail "not the least recently used entry went"
for stages in 1 2 4 5 6 7 8; do NEREID_CACHE_SIZE=20K one --num-stages $stages; done
[ "$(du -sb --apparent-size "$NEREID_CACHE_DIR" | cut -f1)" -lt 40000 ] || fail "the folder outgrew NEREID_CACHE_SIZE"
exits 2 'no size' "$nereid" cache trim --size much
exits 1 "NEREID_CACHE_SIZE is 'much'" env NEREID_CACHE_SIZE=much "$nereid" cache
run "$nereid" cache; expect "$NEREID_CACHE_DIR"
touch "$NEREID_CACHE_DIR/mine"
run "$nereid" cache clear; [ "$(ls "$NEREID_CACHE_DIR")" = mine ] || fail "clear leaves entries, or takes more"
rm "$NEREID_CACHE_DIR/mine"; hits=0 misses=0

say "a folder that cannot be written to is no error, and is told once"
quiet() { [ ! -s log ] || fail "this should be silent"; }
: >"$work/file"
NEREID_CACHE_DIR=$work/file/cache run "$nereid" build m.json -o out -t cpu:x86-64-v2 --werror
[ "$(grep -c 'cannot write to the cache folder' log)" = 1 ] || fail "that is to be said once"
XDG_CACHE_HOME=$work/file env -u NEREID_CACHE_DIR "$nereid" compile add.py -k add -s '*fp32, *fp32, i32, 64' \
  -t cpu:x86-64-v2 -I lib -o out.nko >log 2>&1 || fail "no folder for a cache"
quiet
one; counts 0 1
NEREID_CACHE_READONLY=1 one; quiet; one --num-stages 4; NEREID_CACHE_READONLY=1 one --num-stages 6; quiet
[ "$(entries | wc -l)" = 2 ] || fail "a cache that is only to be read is written to"
forget

say "a cache folder that is named without saying where is passed over"
for xdg in "" relative; do
  XDG_CACHE_HOME=$xdg HOME=$work/home env -u NEREID_CACHE_DIR "$nereid" cache >log || fail "nereid cache"
  expect "$work/home/.cache/nereid"
done
XDG_CACHE_HOME= HOME= env -u NEREID_CACHE_DIR "$nereid" cache >log || fail "nereid cache"
expect "There is no cache"
one; NEREID_CACHE_READONLY=no one --num-stages 4
[ "$(entries | wc -l)" = 2 ] || fail "NEREID_CACHE_READONLY=no is yes"
forget

say "a full disk costs what would be kept, and nothing else"
mkdir -p "$work/small"
if mount -t tmpfs -o size=16k none "$work/small" 2>/dev/null; then
  (
    trap 'umount "$work/small"' EXIT
    NEREID_CACHE_DIR=$work/small run "$nereid" build m.json -o out
    [ "$(grep -c 'cannot write to the cache folder' log)" = 1 ] || fail "that is to be said once"
    NEREID_CACHE_DIR=$work/small run "$nereid" build m.json -o out
    NEREID_CACHE_DIR=off run "$nereid" build m.json -o plain
    cmp out/libadds.so plain/libadds.so || fail "a full disk changes what is linked"
  ) || fail "a full disk"
else
  echo "skipped: no file system of a few bytes can be mounted here"
fi

say "a folder that does not answer is given up"
forget; run "$nereid" build m.json -o out; cp out/libadds.so first.so
# As a server that hangs does: nobody ever opens them for writing.
for file in $(entries); do rm "$file"; mkfifo "$file"; done
for jobs in 1 3; do
  NEREID_CACHE_TIMEOUT=1 run timeout 120 "$nereid" build m.json -o out -j $jobs --werror
  [ "$(grep -c "the cache folder '$NEREID_CACHE_DIR' does not answer within 1 s; the build goes on without it" log)" = 1 ] || fail "that is to be said once"
  cmp out/libadds.so first.so || fail "a folder that does not answer changes what is linked"
done
exits 1 "NEREID_CACHE_TIMEOUT is 'soon'" env NEREID_CACHE_TIMEOUT=soon "$nereid" build m.json -o out
rm "$NEREID_CACHE_DIR"/llvmcache-*

say "builds at the same time share the folder"
forget; run "$nereid" build m.json -o out; expected=$(entries | wc -l)
forget
for i in 1 2 3 4; do "$nereid" build m.json -o "out$i" >"log$i" 2>&1 & done
wait
for i in 2 3 4; do cmp out1/libadds.so "out$i/libadds.so" || fail "builds at the same time differ"; done
[ "$(entries | wc -l)" = "$expected" ] || fail "other entries than those of one build"
hits=0 misses=0
counted=$("$nereid" cache --json | awk -F'[:,]' '/"(hits|misses)"/ { sum += $2 } END { print sum }')
[ "$counted" = 24 ] || fail "expected 24 hits and misses, not $counted"

say "builds that are killed leave nothing wrong"
forget
for delay in 0.02 0.05 0.08 0.11 0.14 0.17 0.2 0.25 0.3 0.4; do
  "$nereid" build m.json -o killed >/dev/null 2>&1 &
  sleep $delay
  kill -9 $! 2>/dev/null || true
  wait $! 2>/dev/null || true
done
run "$nereid" build m.json -o killed
cmp killed/libadds.so out1/libadds.so || fail "a build that was killed left something wrong"
# The folder may go at any time.
(for _ in $(seq 40); do rm -rf "$NEREID_CACHE_DIR"; sleep 0.01; done) &
for _ in 1 2 3; do run "$nereid" build m.json -o killed; cmp killed/libadds.so out1/libadds.so || fail "without a folder"; done
wait

echo "cache: all checks passed"
