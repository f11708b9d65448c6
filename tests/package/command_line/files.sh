#!/usr/bin/env bash
# Files that are not what they should be, as input and as output: nothing hangs, no input is overwritten, and nothing is
# left behind by what was refused or interrupted.
#
#   files.sh NEREID
set -u
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

cat >add.py <<'PY'
import triton
import triton.language as tl
from helper import SIZE


@triton.jit
def add_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + SIZE, mask=mask)
PY
echo 'SIZE = 2' >helper.py
sig="*fp32, *fp32, i32, 4"
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n%s' "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }" "0123456789abcdef" >x.npy
cp x.npy y.npy

compile() { exits 1 "$1" "$nereid" compile add.py -k add_kernel -s "$sig" -t cuda:80 "${@:2}"; }
run() { exits 1 "$1" "$nereid" run add.py -k add_kernel -s "$sig" -g 1 --arg n=4 "${@:2}"; }

# No input is overwritten, under whatever name it is given as output.
inputs=(add.py helper.py x.npy y.npy)
before=$(sha256sum "${inputs[@]}")
ln -s add.py soft.py
ln helper.py hard.txt
compile "error: cannot write 'add.py': it is read as 'add.py'" --emit ttir -o add.py
compile "error: cannot write './add.py': it is read as 'add.py'" -o ./add.py
compile "error: cannot write 'soft.py': it is read as 'add.py'" -o soft.py
compile "error: cannot write 'helper.py': it is read as 'helper.py'" -o helper.py
compile "error: cannot write 'hard.txt': it is read as '.*helper.py'" --emit ptx -o hard.txt
compile "error: cannot write 'helper.py': it is read as 'helper.py'" -o out.nko --depfile helper.py
# Make's rules cannot name a file with the end of a line in it. All else that they give a meaning is escaped.
odd=$'a\nb'
mkdir "$odd" 'c d#e$f\ g'
for folder in "$odd" 'c d#e$f\ g'; do cp add.py helper.py "$folder"; done
exits 1 "error: a dependency file cannot name 'a\\\\0Ab/add.py', as there is the end of a line in it" \
  "$nereid" compile "$odd/add.py" -k add_kernel -s "$sig" -t cuda:80 -o out.nko --depfile out.d
[ ! -e out.nko ] && [ ! -e out.d ] || fail "an output was left"
"$nereid" compile "$odd/add.py" -k add_kernel -s "$sig" -t cpu:x86-64-v2 -o odd.nko 2>stderr || fail "a path with the end of a line in it"
"$nereid" compile 'c d#e$f\ g/add.py' -k add_kernel -s "$sig" -t cpu:x86-64-v2 -o odd.nko --depfile odd.d 2>stderr || fail "an odd path"
if command -v make >make.path; then
  printf 'include odd.d\nodd.nko:\n\t$(info $^)@:\n' >odd.mk
  touch 'c d#e$f\ g/helper.py'
  make -f odd.mk odd.nko >made || fail "make cannot read the rule"
  grep -qF 'c d#e$f\ g/helper.py' made || fail "the rule names other files: $(cat made)"
fi
# Nor is one output written over another.
ln -s . here
compile "error: cannot write 'out.nko': it is both --output and --depfile" -o out.nko --depfile out.nko
compile "error: cannot write 'here/out.nko': it is both --output and --stamp" -o out.nko --stamp here/out.nko
compile "error: cannot write './d': it is both --depfile and --stamp" -o out.nko --depfile d --stamp ./d
compile "error: cannot write 'add_kernel.nko': it is both the output and --stamp" --stamp add_kernel.nko
for emit in "--emit ptx -o out.ptx" "--emit ptx,llir -o out/"; do
  # shellcheck disable=SC2086 # words
  compile "error: cannot write 'helper.py': it is read as 'helper.py'" $emit --stamp helper.py
  # shellcheck disable=SC2086
  compile "error: cannot write 'd': it is both --depfile and --stamp" $emit --stamp d --depfile d
done
compile "error: cannot write 'out.ptx': it is both --output and --stamp" --emit ptx -o out.ptx --stamp out.ptx
mkdir out
compile "error: cannot write 'out/add_kernel.cuda-80.llir': it is both the output and --stamp" --emit ptx,llir -o out/ --stamp out/add_kernel.cuda-80.llir
rmdir out || fail "something was left: $(ls out)"
"$nereid" compile add.py -k add_kernel -s "$sig" -t cuda:80 --emit ptx -o /dev/null --depfile /dev/null --stamp /dev/null 2>stderr || fail "a device takes all"
compile "error: cannot write 'helper.py': it is read as 'helper.py'" -o out.nko --stamp helper.py
[ ! -e out.nko ] || fail "an output was left"
run "error: cannot write 'add.py': it is read as 'add.py'" --arg x_ptr=@x.npy --arg out_ptr=@y.npy --out out_ptr=add.py
run "error: cannot write 'x.npy': it is read as 'x.npy'" --arg x_ptr=@x.npy --arg out_ptr=@y.npy --out out_ptr=x.npy
"$nereid" compile add.py -k add_kernel -s "$sig" -t cpu:x86-64-v2 -g 1 -o good.nko 2>stderr || fail "cannot compile good.nko"
mkdir lib
cp good.nko lib/lib.h
exits 1 "error: cannot write 'lib/lib.h': it is read as 'lib/lib.h'" "$nereid" link lib/lib.h -n lib -o lib
exits 1 "error: cannot write 'good.nko': it is read as 'good.nko'" "$nereid" link good.nko -n new -o new --stamp good.nko
[ ! -e new ] || fail "a library was left"
cmp -s good.nko lib/lib.h || fail "link overwrote its input"
cat >lib/m.h <<'JSON'
{"name": "m", "kind": "source",
 "kernels": [{"source": "../add.py", "kernel": "add_kernel", "targets": ["cuda:80"], "signatures": ["*fp32, *fp32, i32, 4"]}]}
JSON
cp lib/m.h m.saved
exits 1 "error: cannot write 'lib/m.h': it is read as 'lib/m.h'" "$nereid" build lib/m.h -o lib
for option in "" "--shard 1/1"; do
  # shellcheck disable=SC2086 # two words
  exits 1 "error: cannot write 'lib/m.h': it is read as 'lib/m.h'" "$nereid" build lib/m.h -o stamped --stamp lib/m.h $option
done
cmp -s m.saved lib/m.h || fail "build overwrote its manifest"
exits 1 "error: cannot write 'new/new.h': it is both the output and --stamp" "$nereid" link good.nko -n new -o new --stamp new/new.h
exits 1 "error: cannot write 'd': it is both --depfile and --stamp" "$nereid" build lib/m.h -o stamped --depfile d --stamp d
exits 1 "error: cannot write 'new/m.c': it is both the output and --depfile" "$nereid" build lib/m.h -o new --depfile new/m.c
exits 1 "error: cannot write 'new/m-0.nko': it is both the output and --stamp" "$nereid" build lib/m.h -o new --shard 1/1 --stamp new/m-0.nko
[ ! -d new ] || rmdir new || fail "something was left: $(ls new)"
# An earlier output stays as it was where the new ones cannot all be written.
"$nereid" compile add.py -k add_kernel -s "$sig" -t cpu:x86-64-v2 -g 2 -o other.nko 2>stderr || fail "cannot compile other.nko"
"$nereid" link good.nko -n lib -o together --python >stdout 2>stderr || fail "cannot link"
cp good.nko out.nko
cp x.npy saved.npy
mkdir stages
"$nereid" compile add.py -k add_kernel -s "$sig" -t cuda:80 --emit ptx,llir -o stages/ 2>stderr || fail "cannot emit"
together=$(find together stages out.nko saved.npy -type f -print0 | sort -z | xargs -0 sha256sum)
stays() {
  exits 1 "$@"
  [ "$together" = "$(find together stages out.nko saved.npy -type f -print0 | sort -z | xargs -0 sha256sum)" ] || fail "an earlier output changed: ${*:2}"
  [ -z "$(find . -name '*.nereid-*')" ] || fail "something was left: $(find . -name '*.nereid-*')"
}
mv together/liblib.so liblib.so
mkdir together/liblib.so
together=$(find together stages out.nko saved.npy -type f -print0 | sort -z | xargs -0 sha256sum)
stays "error: cannot write 'together/liblib.so': it is a directory" "$nereid" link other.nko -n lib -o together --python
rmdir together/liblib.so
mv liblib.so together/
together=$(find together stages out.nko saved.npy -type f -print0 | sort -z | xargs -0 sha256sum)
stays "error: cannot write 'no/stamp': the folder 'no' does not exist" "$nereid" link other.nko -n lib -o together --python --stamp no/stamp
printf '{"name": "lib", "kernels": [{"source": "add.py", "kernel": "add_kernel", "grid": "3", "targets": ["cpu:x86-64-v2"], "signatures": ["%s"]}]}' "$sig" >m.json
stays "error: cannot write '/dev/full': No space left" "$nereid" build m.json -o together --python --depfile /dev/full
stays "error: cannot write 'no/stamp': the folder 'no' does not exist" "$nereid" build m.json -o together --python --depfile together/d --stamp no/stamp
compile=("$nereid" compile add.py -k add_kernel -s "$sig" -g 3 --num-warps 8)
stays "error: cannot write 'no/stamp'" "${compile[@]}" -t cuda:80 -o out.nko --depfile out.d --stamp no/stamp
stays "error: cannot write '/dev/full'" "${compile[@]}" -t cuda:80 -o out.nko --depfile /dev/full
stays "error: cannot write 'no/stamp'" "${compile[@]}" -t cuda:80 --emit ptx,llir -o stages/ --stamp no/stamp
stays "error: cannot write 'no/out.npy'" "$nereid" run add.py -k add_kernel -s "$sig" -g 1 --arg n=3 --arg x_ptr=@x.npy --arg out_ptr=@y.npy \
  --out x_ptr=saved.npy --out out_ptr=no/out.npy
[ ! -e out.d ] && [ ! -e together/d ] || fail "a rule of nothing was left"
[ "$(sha256sum "${inputs[@]}")" = "$before" ] || fail "an input was changed"
# An array may be saved where it came from.
exits 0 "" "$nereid" run add.py -k add_kernel -s "$sig" -g 1 --arg n=4 --arg x_ptr=@x.npy --arg out_ptr=@y.npy --out out_ptr=y.npy
cmp -s x.npy y.npy && fail "the array was not saved"

# Only regular files of a sensible size are read.
mkfifo pipe.py pipe.npy pipe.json pipe.nko
ln -s /dev/zero device.py
mkdir folder.py folder.nko
truncate -s 1T huge.py huge.npy huge.json huge.nko
for kind in "pipe it is a pipe" "huge it is larger than" "device it is a device" "folder it is a directory"; do
  name=${kind%% *}
  reason=${kind#* }
  if [ -e $name.py ]; then
    exits 1 "error: cannot open '$name.py': $reason" "$nereid" compile $name.py -k k -s "" -t cpu -o out.nko
    exits 1 "error: cannot open '$name.py': $reason" "$nereid" inspect $name.py
    printf 'import triton\nfrom %s import f\n@triton.jit\ndef k(x):\n    f(x)\n' $name >importing.py
    [ -d $name.py ] || exits 1 "error: cannot open '$name.py': $reason" "$nereid" compile importing.py -k k -s "*fp32" -t cpu -o out.nko
  fi
  [ ! -e $name.json ] || exits 1 "error: cannot open '$name.json': $reason" "$nereid" build $name.json -o out
  if [ -e $name.nko ]; then
    exits 1 "error: cannot open '$name.nko': $reason" "$nereid" link $name.nko -n lib -o lib
    exits 1 "error: cannot open '$name.nko': $reason" "$nereid" inspect $name.nko
  fi
  [ ! -e $name.npy ] || run "^<--arg>:1:7: error: cannot open '$name.npy': $reason" --arg x_ptr=@$name.npy --arg out_ptr=@y.npy
done

# What a header does not say is not guessed.
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': 12, 'fortran_order': False, 'shape': (4,), }" >bad.npy
run "error: 'bad.npy' is not a usable .npy file: its header is not" --arg x_ptr=@bad.npy --arg out_ptr=@y.npy
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,), }" >bad.npy
run "error: 'bad.npy' is not a usable .npy file: structured element types" --arg x_ptr=@bad.npy --arg out_ptr=@y.npy

# Manifests in the user's words, and with comments.
printf '{"name": 1e999}' >m.json
exits 1 "^m\.json:1:10: error: the number 1e999 is too large" "$nereid" build m.json -o out
printf '{"name": /* } , ] */ "lib", // "\n "kernels": [/* ] */ 3]}' >m.json
exits 1 "^m\.json:2:22: error: expected an object" "$nereid" build m.json -o out

# Nothing is left of what was refused.
cat >m.json <<'JSON'
{"name": "m", "kernels": [{"source": "add.py", "kernel": "none", "targets": ["cuda:80"], "signatures": ["*fp32, *fp32, i32, 4"]}]}
JSON
exits 1 "error: there is no kernel 'none'" "$nereid" build m.json -o out
[ ! -e out ] || fail "an empty folder was left by a build"
exits 1 "error: " env CC=/bin/false "$nereid" link good.nko -n lib -o out
[ ! -e out ] || fail "an empty folder was left by a link"
mkdir kept
exits 1 "error: " env CC=/bin/false "$nereid" link good.nko -n lib -o kept
[ -d kept ] || fail "a folder was removed that was there before"
[ -z "$(ls -A kept)" ] || fail "something was left in a folder"

# Nor of what was interrupted.
printf '#!/bin/sh\necho >%s\nexec sleep 5\n' "$work/started" >slow
chmod +x slow
for signal in INT TERM HUP; do
  for folder in new kept; do
    rm -f started
    # A program in the background of a script ignores SIGINT unless it is told not to.
    env --default-signal=INT CC="$work/slow" "$nereid" link good.nko -n lib -o $folder >stdout 2>stderr &
    for _ in $(seq 300); do [ -e started ] && break || sleep 0.1; done
    kill -$signal $!
    wait $!
    status=$?
    [ $status -gt 128 ] || fail "status $status after SIG$signal"
    [ "$folder" = kept ] || [ ! -e new ] || fail "a folder was left by SIG$signal: $(find new)"
    [ -z "$(ls -A kept)" ] || fail "something was left in a folder by SIG$signal: $(find kept)"
  done
done

# A folder for temporary files that cannot be used is named.
exits 1 "error: .*'/no/such/folder'" env TMPDIR=/no/such/folder CC=cc "$nereid" link good.nko -n lib -o kept

finish "files"
