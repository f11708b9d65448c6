#!/usr/bin/env bash
# One program, built with Triton's tools and with ours: files, symbols, and what the driver is asked for are the same; and
# either linker takes the headers of either compiler.
#
#   compare_with_triton.sh NEREID PYTHON      (a Python that has Triton 3.6; it is skipped if there is none)
set -euo pipefail
nereid=$1
python=${2:-}
if [ -z "$python" ] || ! "$python" -c 'import triton, sys; sys.exit(not triton.__version__.startswith("3.6"))' 2>/dev/null; then
  echo "skipped: no Python with Triton 3.6"
  exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cuda=$("$python" -c 'import triton, os; print(os.path.join(os.path.dirname(triton.__file__), "backends/nvidia/include"))')
export TRITON_CACHE_DIR=$work/cache RECORD_ARGUMENTS=pppiiiiii
cd "$work"
gcc -shared -fPIC -o libcuda.so.1 -Wl,-soname,libcuda.so.1 "$here/recording_cuda.c"

compile_all() { # FOLDER COMMAND…
  local folder=$1 tile first second
  shift
  mkdir -p "$folder"
  (
    cd "$folder"
    for tile in 16 32; do
      for first in "" ":16"; do
        for second in "" ":16"; do
          "$@" -n kernel --signature "*fp32:16, *fp16:16, *fp16:16, i32, i32, i32, i32, i32:1, i32$first, i32:1, i32$second, i32:1, $tile, $tile, 16" \
            --out-name matmul_fp16 -o matmul_fp16 -w 1 -ns 3 -g "M/$tile, N/$tile, 1" --target cuda:90:32 "$here/kernel.py"
        done
      done
    done
  )
}
# The order of the headers, which is that of the algorithms, is the pattern's, and so that of the hashes.
link() { (cd "$1" && shift && "$@" matmul_fp16.*.h -o matmul); }
ours_link=("$nereid" triton-link)
triton_link=("$python" -m triton.tools.link)
run() { # FOLDER
  (cd "$1" && gcc -w -include stdlib.h -I "$cuda" -I . -o app "$here/app.c" ./*.c "$work/libcuda.so.1" && LD_LIBRARY_PATH=$work ./app) >"$1.out"
}
# What differs by design: how much shared memory a kernel needs, and that Triton's code asks the device how much there is.
same() { sed -E -e '/cuDeviceGetAttribute/d' -e 's/ shared [0-9]+//' "$1.out"; }

compile_all triton "$python" "$here/compile_without_gpu.py"
compile_all ours "$nereid" triton-compile
diff <(ls triton) <(ls ours)
for folder in triton ours; do
  cp -r $folder "$folder"_by_triton
  cp -r $folder "$folder"_by_ours
  link "$folder"_by_triton "${triton_link[@]}"
  link "$folder"_by_ours "${ours_link[@]}"
done
# Every second variant from either compiler.
mkdir mixed
turn=0
for header in triton/*.h; do
  from=$([ $((turn++ % 2)) = 0 ] && echo triton || echo ours)
  base=$(basename "$header" .h)
  cp "$from/$base.h" "$from/$base.c" mixed
done
cp -r mixed mixed_by_triton
link mixed "${ours_link[@]}"
link mixed_by_triton "${triton_link[@]}"

# HIP: Triton's linker has no place for it, so one kernel each, as C++.
hip=${cuda/nvidia/amd}
for folder in hip_triton hip_ours; do
  mkdir $folder
  command=("$nereid" triton-compile)
  [ $folder = hip_ours ] || command=("$python" "$here/compile_without_gpu.py")
  (
    cd $folder
    "${command[@]}" -n fill -s "64, *i32:16, i32, i64:1" -g "1, 1, 1" -w 2 --target hip:gfx942:64 "$here/kernel.py"
    g++ -w -D__HIP_PLATFORM_AMD__ -include stdlib.h -I "$hip" -c ./*.cpp
    nm -g --defined-only ./*.o | awk '{print $NF}' | sort >../$folder.symbols
  )
done
diff <(ls hip_triton) <(ls hip_ours)
diff hip_triton.symbols hip_ours.symbols

folders="triton_by_triton triton_by_ours ours_by_triton ours_by_ours mixed mixed_by_triton"
for folder in $folders; do
  run $folder
  nm -g --defined-only $folder/app | awk '$3 ~ /matmul/ {print $3}' | sort >"$folder.symbols"
  diff triton_by_triton.symbols "$folder.symbols"
  diff <(same triton_by_triton) <(same "$folder")
done
echo "$(wc -l <triton_by_triton.symbols) symbols and $(grep -c cuLaunchKernel triton_by_triton.out) launches are the same in: $folders"
