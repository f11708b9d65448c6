#!/usr/bin/env bash
# What `nereid` says of itself: --version, of which the parts are looked for as a build does it, and --cmake-dir, from
# wherever it was put.
#
#   questions.sh NEREID
set -u
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

says() { grep -qxE -- "$1" stdout || fail "expected the line '$1' in $(cat stdout)"; }
here=$PWD

# The first line is for scripts.
exits 0 "" "$nereid" --version
sed -n 1p stdout | grep -qxE 'nereid [0-9]+\.[0-9]+\.[0-9]+' || fail "the first line is '$(sed -n 1p stdout)'"
says 'LLVM: 22\.[0-9]+\.[0-9]+'
says 'host: [a-z0-9_]+-.*'

# The tools that a build would use.
cat >ptxas <<'SH'
#!/bin/sh
echo "ptxas: NVIDIA (R) Ptx optimizing assembler"
echo "Cuda compilation tools, release 98.7, V98.7.65"
SH
chmod +x ptxas
mkdir bitcode empty
touch libdevice.10.bc bitcode/ocml.bc
exits 0 "" env NEREID_PTXAS="$here/ptxas" NEREID_FATBINARY=none NEREID_LIBDEVICE="$here/libdevice.10.bc" \
  NEREID_ROCM_BITCODE="$here/bitcode" CC="$here/ptxas -m64" "$nereid" --version
says "ptxas: $here/ptxas, 98\.7\.65"
says "fatbinary: none"
says "libdevice: $here/libdevice.10.bc"
says "ROCm device libraries: $here/bitcode"
says "C compiler: $here/ptxas -m64"
exits 0 "" env NEREID_PTXAS="$here/missing" NEREID_LIBDEVICE="$here/missing" CC=/none/cc "$nereid" --version
says "ptxas: none \(NEREID_PTXAS names '$here/missing', which is not a program\)"
says "libdevice: none \(NEREID_LIBDEVICE names '$here/missing', which does not exist\)"
says "C compiler: none \(the C compiler '/none/cc', which CC names, was not found\)"
exits 0 "" env -u CC PATH="$here/empty" "$nereid" --version
says "C compiler: none \(no C compiler was found .*"
exits 0 "" env NEREID_PTXAS="$here/ptxas" NEREID_FATBINARY=none "$nereid" --version --json
python3 - ptxas <<'PY' || fail "the JSON"
import json, os
report = json.load(open("stdout"))
assert report["ptxas"] == {"path": os.path.abspath("ptxas"), "version": "98.7.65"}, report
assert report["fatbinary"] is None, report
assert report["llvm"].startswith("22."), report
PY

# What is installed is found from the program's own path, also through a link.
exits 1 "no CMake package is installed with" "$nereid" --cmake-dir
mkdir -p "moved here/bin" "moved here/lib/cmake/Nereid" "moved here/lib/nereid/amdgcn/bitcode"
cp "$nereid" "moved here/bin/nereid"
touch "moved here/lib/nereid/amdgcn/bitcode/ocml.bc"
ln -s "moved here/bin/nereid" link
for program in "moved here/bin/nereid" ./link; do
  exits 0 "" "$program" --cmake-dir
  says "$here/moved here/lib/cmake/Nereid"
  exits 0 "" env -u ROCM_PATH -u NEREID_ROCM_BITCODE "$program" --version
  says "ROCm device libraries: $here/moved here/lib/nereid/amdgcn/bitcode"
done
mv "moved here/lib" "moved here/share"
exits 0 "" ./link --cmake-dir
says "$here/moved here/share/cmake/Nereid"

# An answer that cannot be written is an error.
for question in --version --help "compile --help" "cache trim --help" targets "targets --json" cache "completion bash" manual "signatures i32"; do
  exits 1 "nereid: error: cannot write to the standard output: " sh -c '"$0" "$@" >/dev/full' "$nereid" $question
done
finish questions
