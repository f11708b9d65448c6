#!/usr/bin/env bash
# triton-compile and triton-link without Triton: names and hashes as triton.tools.compile forms them (known from it), C files
# that compile with and without CUDA's headers, in C and in C++, what the driver is asked for, and errors.
# compare_with_triton.sh compares with Triton itself.
#
#   triton_tools.sh NEREID
set -u
nereid=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=$work/failures
: >"$failures"

fail() {
  printf 'FAILED: %s\n' "$1"
  [ -e stderr ] && sed 's/^/    /' stderr
  printf 'x' >>"$failures"
}

# expect STATUS 'regular expression' COMMAND…
expect() {
  local status=$1 pattern=$2 got
  shift 2
  timeout 120 "$@" >stdout 2>stderr
  got=$?
  [ "$got" -eq "$status" ] || fail "status $got instead of $status: $*"
  [ -z "$pattern" ] || grep -Eq -- "$pattern" stderr || fail "no /$pattern/ on stderr: $*"
}
is() { [ "$1" = "$2" ] || { rm -f stderr; fail "$3: '$1' instead of '$2'"; }; }
cc=${CC:-gcc}
build() { expect 0 "" "$cc" -Wall -Wextra -Werror -I . "$@"; }

# As hashed by triton.tools.compile of Triton 3.6.
strides="i32, i32, i32, i32, i32:1, i32:16, i32:1, i32:16, i32:1"
expect 0 "" "$nereid" triton-compile "$here/kernel.py" -n kernel -s "*fp32:16, *fp16:16, *fp16:16, $strides, 16, 16, 16" \
  -g "M/16, N/16, 1" -t cuda:90:32 -on matmul_fp16 -o matmul_fp16
is "$(ls matmul*)" "$(printf 'matmul_fp16.75e64dbd_0d1d2d34567c8d9c10d11c121314.%s\n' c h)" "the files' names"
is "$(grep -c '^// tt-linker: matmul_fp16_75e64dbd_0d1d2d34567c8d9c10d11c121314:CUdeviceptr C, .*int32_t stride_bn:16x16x16x1x1x1_warps1xstages3$' matmul*.h)" \
  1 "the line for linkers"
expect 0 "" "$nereid" triton-compile "$here/kernel.py" --kernel-name=kernel --sig "*fp32:16, *fp16:16, *fp16:16, ${strides//:16/}, 16, 16, 16" \
  --gr "M/16, N/16, 1" --target cuda:90:32 -on=matmul_fp16 -ns=3 -w 1 -o matmul_fp16
for tile in 16 32; do
  for pair in ":16," ",:16" ",:16"; do
    "$nereid" triton-compile "$here/kernel.py" -n kernel -g "M/BLOCK_M, N/BLOCK_N, 1" -t cuda:90:32 --out-name matmul_fp16 -o matmul_fp16 -ns 4 \
      -s "*fp32:16, *fp16:16, *fp16:16, i32, i32, i32, i32, i32:1, i32${pair%,*}, i32:1, i32${pair#*,}, i32:1, $tile, $tile, 16" || fail "$tile $pair"
  done
done
expect 0 "" "$nereid" triton-link matmul_fp16.*.h -o matmul
# Once more, with its own result among the headers.
expect 0 "" "$nereid" triton-link ./*.h --out matmul.h
"$cc" -shared -fPIC -o libcuda.so.1 -Wl,-soname,libcuda.so.1 "$here/recording_cuda.c" || fail "the driver"
build -o app "$here/app.c" ./*.c libcuda.so.1
RECORD_ARGUMENTS=pppiiiiii LD_LIBRARY_PATH=. ./app >out
is "$(head -1 out)" "3 algorithms" "algorithms"
# 3 stages: both divisible and neither; 4 stages: the first and the second alone, for each of two tiles.
is "$(grep -c cuLaunchKernel out)" 11 "launches"
is "$(grep -c 'grid 4 6 1 block 32 1 1 .* stream 0x5000: 10000 20000 30000 40 60 80 60 80 60$' out)" 3 "launches of small tiles that are divisible"
is "$(grep -c 'grid 2 3 1 block 32 1 1' out)" 3 "launches of large tiles"
is "$(grep -c 'a stride that is not 1: 1$' out)" 3 "refused strides"
is "$(grep -c 'not divisible: 1$' out)" 3 "refused pointers"
is "$(grep -c cuModuleLoadData out) $(grep -c cuModuleUnload out)" "6 6" "loads and unloads"
is "$(RECORD_FAILURE=cuLaunchKernel LD_LIBRARY_PATH=. ./app | grep -c ': 700$')" 11 "launches that fail"
# What cannot be loaded is tried again by the launch, which says why; what was loaded halfway is given back.
RECORD_FAILURE=cuModuleGetFunction LD_LIBRARY_PATH=. ./app >out
is "$(grep -c ': 700$' out) $(grep -c cuModuleLoadData out) $(grep -c cuModuleUnload out)" "11 17 17" "loads that fail"
# The functions' names, all of them; with the toolkit's header and as C++ where those are there.
is "$(nm --defined-only -g app | grep -Ec ' (load_|unload_)?matmul_fp16(_default|_get_num_algos|_kernels)?$')" 6 "the kernel's names"
for include in "${CUDA_HOME:-/usr/local/cuda}/include"; do
  [ -e "$include/cuda.h" ] && build -isystem "$include" -o app2 "$here/app.c" ./*.c libcuda.so.1
done
g++ --version >stdout 2>&1 && expect 0 "" g++ -x c++ -Wall -Wextra -Werror -I . -o app3 "$here/app.c" ./*.c libcuda.so.1

# Scalars of floating point come as double and reach the kernel as what it takes.
mkdir scalars && cd scalars || exit 1
expect 0 "" "$nereid" triton-compile "$here/kernel.py" -n scalars -s "*fp32, fp32, fp16, bf16, fp64, i1, i32, 64" -w 4 -g "(count + 63) / 64, 1, 1" -t cuda:80:32
expect 0 "" "$nereid" triton-link scalars.*.h -o scalars_api
cat >app.c <<'C'
#include "scalars_api.h"
#include <math.h>
#include <stdio.h>
int main(void) {
  double values[] = {1.5, 65519.99, 65520, -0x1p-24, 0x1.8p-25, 0x1p-25, 1.00048828125, 1.0048828125, 3e38, -INFINITY, NAN};
  for (unsigned i = 0; i < sizeof values / sizeof *values; ++i)
    if (scalars_default(0, 16, values[i], values[i], values[i], values[i], 4, 100))
      return 1;
  /* No programs: nothing is launched. */
  return scalars_default(0, 16, 0, 0, 0, 0, 1, 0) || scalars_get_num_algos() != 1 ||
         scalars(0, 16, 0, 0, 0, 0, 1, 1, 1) != CUDA_ERROR_INVALID_VALUE || scalars(0, 16, 0, 0, 0, 0, 1, 1, -1) != CUDA_ERROR_INVALID_VALUE;
}
C
build -o app ./*.c ../libcuda.so.1
RECORD_ARGUMENTS=pfhhdbi LD_LIBRARY_PATH=.. ./app >out || fail "scalars"
is "$(sed -n 's/.*grid 2 1 1 block 128 1 1 .*: 10 [^ ]* \([^ ]* [^ ]*\) [^ ]* 1 64$/\1/p' out | tr '\n' ',')" \
  "3e00 3fc0,7bff 4780,7c00 4780,8001 b380,1 3340,0 3300,3c00 3f80,3c05 3f81,7c00 7f62,fc00 ff80,7e00 7fc0," "scalars"
cd ..

# A compile-time value before arguments, an argument of 64 bits that is 1, and no argument at all.
mkdir order && cd order || exit 1
for hint in "" :16 :1; do
  expect 0 "" "$nereid" triton-compile "$here/kernel.py" -n fill -s "64, *i32, i32, i64$hint" -g "SIZE / 64, 1, 1" -t cuda:80
done
expect 0 "" "$nereid" triton-link fill.*.h -o api
is "$(grep -Ec '^CUresult fill\(CUstream stream, CUdeviceptr out, int32_t value, int64_t stride, int algo_id\);$' api.h)" 1 "the type of an argument that is 1"
is "$(grep -Ec '^  if \(stride (== 1|% 16 == 0)\)$' api.c)" 2 "the conditions"
build -c ./*.c
cd ..

# Headers of upstream's, as far as linkers read them; algorithms are numbered in their order.
mkdir theirs && cd theirs || exit 1
printf '%s\n' '// tt-linker: add_11111111_0d1d2c3:CUdeviceptr x, CUdeviceptr y, int32_t n:64x1_warps4xstages3' >one.h
printf '%s\n' '//tt-linker:   add_22222222_012d3:CUdeviceptr x, CUdeviceptr y, int64_t n:64_warps4xstages3' >two.h
printf '%s\r\n' 'int before;' '// tt-linker: add_33333333_0123:CUdeviceptr x, CUdeviceptr y, int64_t n:64_warps4xstages3' >three.h
printf '%s\n' '// tt-linker: sub_44444444_0:CUdeviceptr x:-0.5_warps4xstages3' >four.h
expect 0 "" "$nereid" triton-link one.h three.h two.h four.h one.h -o api
build -c api.c
is "$(grep -c 'add_64x1_warps4xstages3,$' api.c) $(grep -c 'return add_.*_0' api.c) $(grep -Ec '^CUresult (add|sub)\(' api.h)" "1 3 2" "what is linked"
is "$(grep -o 'return add_[23][0-9]*' api.c | tr '\n' ' ')" "return add_22222222 return add_33333333 " "the most special variant first"
is "$(grep -c sub_m0p5_warps4xstages3 api.h)" 3 "a name with a number"

# What is refused.
printf '%s\n' 'int before;' '// tt-linker: add_11111111_0d1:CUdeviceptr x:64_warps4xstages3' >bad.h
printf '%s\n' '// tt-linker: add_11111111:CUdeviceptr x:64' >name.h
printf '%s\n' '// tt-linker: add_11111111_1:CUdeviceptr x:64' >suffix.h
printf '%s\n' '// tt-linker: add_55555555_0:CUdeviceptr:64' >argument.h
printf '%s\n' '// tt-linker-backend: hip' '// tt-linker: add_66666666_0:hipDeviceptr_t x:64' >hip.h
link() { expect "$1" "$2" "$nereid" triton-link "${@:3}"; }
link 1 "^bad.h:2:15: error: 'add_11111111_0d1' takes \(CUdeviceptr x\), and so it is no variant of 'add_33333333_0123'" three.h bad.h -o bad
link 1 "^name.h:1:15: error: 'add_11111111' is no name of a compiled kernel" name.h -o bad
link 1 "^suffix.h:1:28: error: this does not say of each of the 1 arguments" suffix.h -o bad
link 1 "^argument.h:1:30: error: expected the type and the name of an argument" argument.h -o bad
link 1 "^hip.h:2:15: error: .* are for GPUs of different vendors" three.h hip.h -o bad
link 1 "error: cannot open 'missing.h'" missing.h -o bad
link 1 "error: no header describes a kernel" api.h -o bad
link 1 "error: cannot write 'one.h': it is read as 'one.h'" one.h -o one
link 0 "warning: --prefix changes nothing" one.h -o api --prefix my_
link 2 "out is required" one.h
link 2 "headers is required" -o api
link 2 "not expected: --frob" one.h -o api --frob
is "$(ls bad* missing* 2>/dev/null | tr '\n' ' ')" "bad.h " "what is left by what was refused"
cd ..

mkdir refused && cd refused || exit 1
compile() { expect "$1" "$2" "$nereid" triton-compile "$here/kernel.py" -n fill "${@:3}"; }
good=(-s "64, *i32, i32, i64" -t cuda:80 -g "1, 1, 1")
compile 2 "target.*frob|frob" "${good[@]}" --frob
compile 2 "not expected: other.py" "${good[@]}" other.py
compile 2 "signature is required" -g "1,1,1"
compile 2 "grid is required" -s "64"
compile 1 "^<signature>:1:5: error: .*only ':16' and ':1' can be promised" "${good[@]}" -s "64, *i32:8, i32, i64"
compile 1 "^<signature>:1:1: error: .*in their order, without names" "${good[@]}" -s "SIZE=64, out=*i32"
compile 1 "^<signature>:1:.*error: .*tensor descriptors cannot be passed" "${good[@]}" -s "64, tensordesc<fp16[64, 64]>, i32, i64"
compile 1 "^<signature>:1:6: error: unknown element type 'i33'" "${good[@]}" -s "64, *i33, i32, i64"
compile 1 "^<grid>:1:1: error: expected three expressions of C, separated by commas, and found 1" "${good[@]}" -g "1"
compile 1 "^<grid>:1:3: error: expected an expression" "${good[@]}" -g "1,,1"
compile 1 "^<grid>:1:7: error: '//' begins a comment in C; integers are divided with '/'" "${good[@]}" -g "value // 64, 1, 1"
compile 1 "^<grid>:1:2: error: this cannot stand" "${good[@]}" -g "1; exit(1), 1, 1"
compile 0 "^<grid>:1:1: warning: 'width' is neither an argument nor an integer" "${good[@]}" -g "width, 1, 1" -o warned
compile 1 "^<grid>:1:1: error: .*'width'" "${good[@]}" -g "width, 1, 1" --werror -o refused
compile 1 "^<target>:1:1: error: .*cuda or hip; for a CPU, 'nereid build'" "${good[@]}" -t cpu
compile 1 "^<target>:1:1: error: " "${good[@]}" -t cuda:90:64
compile 1 "^<out-name>:1:1: error: '1st' cannot begin the names of C functions" "${good[@]}" -on 1st
compile 1 "'missing'" "${good[@]}" -n missing
compile 1 "the folder 'nowhere' does not exist" "${good[@]}" -o nowhere/fill
compile 1 "<--num-warps>:1:1: error: the number of warps is 3" "${good[@]}" -w 3
is "$(ls | grep -vc '^warned\.\|^std')" 0 "what is left by what was refused"
cd ..

# More shared memory than a block has unasked; tensor maps would be the launch's to make, and are not used.
mkdir large && cd large || exit 1
expect 0 "" "$nereid" triton-compile "$here/kernel.py" -n transpose -s "*fp32:16, *fp32:16, 128" -w 8 -g "1, 1, 1" -t cuda:90
build -c ./*.c
is "$(grep -c 'cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, [0-9]*)' transpose.*.c)" 1 "shared memory"
expect 0 "" "$nereid" triton-compile "$here/kernel.py" -n copy_described -s "*fp32:16, *fp32:16, i32, 64" -g "size / 16, 1, 1" -t cuda:90
cd ..

# Without ptxas the driver assembles, which wants a text that ends.
mkdir text && cd text || exit 1
expect 0 "" env NEREID_PTXAS=none "$nereid" triton-compile "$here/kernel.py" -n fill -s "64, *i32, i32, i64" -g "1, 1, 1" -t cuda:80
expect 0 "" "$nereid" triton-link fill.*.h -o api
printf '%s\n' '#include "api.h"' 'int main(void) { return fill_default(0, 16, 5, 1); }' >app.c
build -o app ./*.c ../libcuda.so.1
is "$(RECORD_ARGUMENTS=pil LD_LIBRARY_PATH=.. ./app | sed -E -n -e 's/cuModuleLoadData (text)/\1/p' -e 's/.*: (10 5 1)$/\1/p' | tr -d '\n')" "  text10 5 1" "PTX"
is "$(tail -c +1 fill.*.c | grep -B1 '^};$' | head -1 | grep -Ec '0x00,$')" 1 "the end of PTX"
cd ..

# AMD's: files and names as upstream has them, with HIP's functions.
mkdir hip && cd hip || exit 1
expect 0 "" "$nereid" triton-compile "$here/kernel.py" -n fill -s "64, *i32:16, i32, i64:1" -g "1, 1, 1" -t hip:gfx942:64 -w 2
expect 0 "" "$nereid" triton-link fill.*.h -o api
is "$(ls ./*.cpp | wc -l)" 2 "C++ files"
is "$(grep -c 'hipModuleLaunchKernel(nrd_function, gX, gY, gZ, 128, 1, 1, 0, stream' fill.*.cpp)" 1 "the launch"
g++ --version >stdout 2>&1 && expect 0 "" g++ -Wall -Wextra -Werror -c ./*.cpp
cd ..

if [ -s "$failures" ]; then
  echo "$(wc -c <"$failures") of the checks failed"
  exit 1
fi
