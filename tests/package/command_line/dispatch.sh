#!/usr/bin/env bash
# Variants of one function: chosen by values, by conditions, by ranges and by null pointers, called through generated C.
#
#   dispatch.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

# run LIBRARY: the program main.c with a library of that name, made as C and as C++ without warnings.
run() {
  local strict="-Wall -Wextra -Wpedantic -Werror -I out"
  "$nereid" link "$1".nko -n "$1" -o out --source >log 2>&1 || fail "link"
  ! [ -s log ] || fail "messages of the linker"
  gcc -std=c11 $strict -c "out/$1.c" -o "out/$1.o" >log 2>&1 || fail "the library as C"
  g++ -std=c++11 -x c++ $strict -Wold-style-cast -c "out/$1.c" -o out/cxx.o >log 2>&1 || fail "the library as C++"
  printf '#include "%s.h"\n' "$1" >header.cpp
  g++ -std=c++11 $strict -Wold-style-cast -fsyntax-only header.cpp >log 2>&1 || fail "the header as C++"
  gcc -std=c11 $strict main.c "out/$1.o" "out/$1_images.o" -lm -lpthread -ldl -o main >log 2>&1 || fail "the program"
  ./main >log 2>&1 || fail "the results are wrong"
}

cat >kernels.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def scaled(x_ptr, y_ptr, bias_ptr, n, BLOCK: tl.constexpr, MODE: tl.constexpr, CAUSAL: tl.constexpr, FACTOR: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    if bias_ptr is not None:
        x += tl.load(bias_ptr + offsets, mask=mask)
    if MODE == "double":
        x = 2 * x
    elif MODE is None:
        x = -x
    if CAUSAL:
        x += BLOCK
    if FACTOR is not None:
        x *= FACTOR
    tl.store(y_ptr + offsets, x, mask=mask)


@triton.jit
def cast(y_ptr, n, DTYPE: tl.constexpr):
    tl.store(y_ptr, (n * 1.1).to(DTYPE).to(tl.float32))


# As public kernels have it: a row is one block, which must be large enough.
@triton.jit
def row_sum(x_ptr, out_ptr, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + row * n_cols + columns, mask=columns < n_cols, other=0.0)
    tl.store(out_ptr + row, tl.sum(x, axis=0) + 0.0 * BLOCK_SIZE)


@triton.jit
def mix(x_ptr, w_ptr, y_ptr, scale, n):
    offsets = tl.program_id(0) * 64 + tl.arange(0, 64)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    w = tl.load(w_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(y_ptr + offsets, x * w * scale, mask=mask)


@triton.jit
def scaled_by(x_ptr, y_ptr, scale, shift, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    if scale is not None:
        x *= scale
    if shift is not None:
        x += shift
    tl.store(y_ptr + offsets, x, mask=mask)


@triton.jit
def tiles(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(1) * n
    tl.store(y_ptr + row + offsets, 2 * tl.load(x_ptr + row + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def tell(out_ptr, n, m, WHICH: tl.constexpr):
    tl.store(out_ptr, WHICH + 0 * n + 0 * m)
PY

echo "-- by value: every kind of value, in its place among the arguments, and a pointer that may be null"
"$nereid" compile kernels.py -k scaled -t cpu:x86-64-v2 -g "cdiv(n, BLOCK)" --dispatch "MODE, CAUSAL" --dispatch BLOCK,FACTOR \
  -s 'x_ptr=*fp32, y_ptr=*fp32, bias_ptr=[*fp32,None], n=i32, BLOCK=[64,128], MODE=["double",None,"same"], CAUSAL=[True,False], FACTOR=[None,0.5]' \
  -o values.nko >log 2>&1 || fail "compile"
cat >main.c <<'C'
#include "values.h"
#include <stdio.h>
#include <string.h>
static int check(const char *words) {
  if (strstr(values_last_error(), words))
    return 1;
  fprintf(stderr, "expected '%s' in: %s\n", words, values_last_error());
  return 0;
}
int main(void) {
  /* The types are as declared here. */
  nrd_status (*function)(nrd_stream, const float *, float *, const float *, int32_t, int32_t, const char *, bool,
                         nrd_optional_f64) = values_scaled;
  float x[200], y[200], bias[200];
  int block, mode, causal, with_bias, half, i, wrong = 0;
  char text[8];
  for (i = 0; i < 200; ++i) {
    x[i] = (float)i;
    bias[i] = 1000;
  }
  for (block = 64; block <= 128; block += 64)
    for (mode = 0; mode < 3; ++mode)
      for (causal = 0; causal < 2; ++causal)
        for (with_bias = 0; with_bias < 2; ++with_bias)
          for (half = 0; half < 2; ++half) {
            strcpy(text, mode == 0 ? "double" : "same"); /* Texts are compared, not their addresses. */
            if (function(nrd_cpu_stream(), x, y, with_bias ? bias : NULL, 200, block, mode == 1 ? NULL : text, causal,
                         half ? nrd_some_f64(0.5) : nrd_none_f64()) != NRD_OK) {
              fprintf(stderr, "%s\n", values_last_error());
              return 1;
            }
            for (i = 0; i < 200; ++i) {
              float expected = x[i] + (with_bias ? 1000 : 0);
              expected = mode == 0 ? 2 * expected : mode == 1 ? -expected : expected;
              expected += causal ? (float)block : 0;
              wrong += y[i] != (half ? expected / 2 : expected);
            }
          }
  /* Without a match the values there are. */
  wrong += scaled(nrd_cpu_stream(), x, y, NULL, 200, 96, "same", true, nrd_none_f64()) != NRD_ERROR_NO_VARIANT;
  wrong += !check("BLOCK=96 is none of the values that variants have, 64 and 128") +
           !strstr(values_last_error(), "n=200, ") + !!strstr(values_last_error(), "divisible");
  wrong += !check("needs BLOCK == 64");
  wrong += scaled(nrd_cpu_stream(), x, y, NULL, 200, 64, "triple", true, nrd_none_f64()) != NRD_ERROR_NO_VARIANT;
  wrong += !check("MODE=\"triple\" is none of the values that variants have, \"double\", None and \"same\"");
  wrong += scaled(nrd_cpu_stream(), x, y, NULL, 200, 64, "same", true, nrd_some_f64(0.25)) != NRD_ERROR_NO_VARIANT;
  wrong += !check("FACTOR=0.25 is none of the values that variants have, None and 0.5");
  /* A number that looks like another one is told from it, and what the call had is never cut off. */
  wrong += scaled(nrd_cpu_stream(), x, y, NULL, 200, 64, "same", true, nrd_some_f64((double)0.1f)) != NRD_ERROR_NO_VARIANT;
  wrong += !check("FACTOR=0.10000000149011612 is none of");
  wrong += strlen(values_last_error()) < 1200 || !check(" more; the call had x_ptr=") ||
           strcmp(values_last_error() + strlen(values_last_error()) - 26, "FACTOR=0.10000000149011612") != 0;
  wrong += scaled(nrd_cpu_stream(), x, NULL, NULL, 200, 64, "same", true, nrd_none_f64()) != NRD_ERROR_INVALID_ARGUMENT;
  wrong += !check("argument 'y_ptr' is a null pointer");
  wrong += scaled(nrd_cpu_stream(), x, y, (const float *)((const char *)bias + 1), 200, 64, "same", true,
                  nrd_none_f64()) != NRD_ERROR_INVALID_ARGUMENT;
  wrong += !check("is not aligned to its elements");
  return wrong;
}
C
run values

"$nereid" compile kernels.py -k cast -t cpu:x86-64-v2 -g 1 --dispatch DTYPE -s 'y_ptr=*fp32, n=i32, DTYPE=[float16, bfloat16, float32]' \
  -o dtypes.nko >log 2>&1 || fail "compile"
cat >main.c <<'C'
#include "dtypes.h"
#include <string.h>
int main(void) {
  float f16, bf16, f32, no;
  if (cast(nrd_cpu_stream(), &f16, 1, NRD_FP16) || cast(nrd_cpu_stream(), &bf16, 1, NRD_BF16) ||
      cast(nrd_cpu_stream(), &f32, 1, NRD_FP32) || cast(nrd_cpu_stream(), &no, 1, NRD_FP64) != NRD_ERROR_NO_VARIANT)
    return 1;
  if (!strstr(dtypes_last_error(), "DTYPE=float64 is none of the values that variants have, float16, bfloat16 and float32"))
    return 2;
  return f16 != 1.099609375f || bf16 != 1.1015625f || f32 != 1.1f;
}
C
run dtypes

echo "-- by promises: divisors beyond 16"
for signature in "*fp32:64, *fp32, i32:32, 1024" "*fp32, *fp32, i32, 1024"; do
  "$nereid" compile kernels.py -k row_sum -t cpu:x86-64-v2 -g 1 -s "$signature" -o "wide${signature:5:1}.nko" >log 2>&1 || fail "compile"
done
"$nereid" link wide:.nko wide,.nko -n wide -o out --source >log 2>&1 || fail "link"
cat >main.c <<'C'
#include "wide.h"
#include <string.h>
static int is_chosen(const float *x, int n, const char *words) {
  char text[2048];
  float sum;
  return row_sum_explain(nrd_cpu_stream(), x, &sum, n, text, sizeof text) == NRD_OK && strstr(text, words) &&
         row_sum(nrd_cpu_stream(), x, &sum, n) == NRD_OK && sum == (float)n;
}
int main(void) {
  _Alignas(64) float x[200];
  int i;
  for (i = 0; i < 200; ++i)
    x[i] = 1;
  return !(is_chosen(x, 64, "variant 0 runs, '*fp32:64, *fp32, i32:32") && is_chosen(x, 48, "needs n_cols is divisible by 32") &&
           is_chosen(x + 8, 64, "needs x_ptr is divisible by 64") && is_chosen(x + 16, 96, "variant 0 runs"));
}
C
gcc -std=c11 -Wall -Wextra -Werror -I out main.c out/wide.c out/wide_images.o -lm -lpthread -ldl -o main >log 2>&1 || fail "the program"
./main >log 2>&1 || fail "the wrong variants"

echo "-- a grid of what the kernel does not take, for variants that differ in tiles"
tiles=("$nereid" compile kernels.py -k tiles -t cpu:x86-64-v2 -s "*fp32, *fp32, i32")
"${tiles[@]}" --tune "BLOCK=[32,64]" -g "cdiv(n, BLOCK), argument(rows), min(argument(rows), 1)" -o rows.nko >log 2>&1 || fail "compile"
cat >main.c <<'C'
#include "rows.h"
#include <string.h>
int main(void) {
  nrd_status (*function)(nrd_stream, const float *, float *, int32_t, int64_t) = rows_tiles;
  float x[300], y[300];
  char text[2048];
  uint32_t number;
  int i, wrong = 0;
  for (i = 0; i < 300; ++i)
    x[i] = (float)i;
  for (number = 0; number < 3; ++number) {
    memset(y, 0, sizeof y);
    wrong += (number == 2 ? function(nrd_cpu_stream(), x, y, 90, 3) : tiles_force(nrd_cpu_stream(), number, x, y, 90, 3)) != NRD_OK;
    for (i = 0; i < 300; ++i)
      wrong += y[i] != (i < 270 ? 2 * x[i] : 0);
  }
  wrong += tiles_explain(nrd_cpu_stream(), x, y, 90, 3, text, sizeof text) != NRD_OK || !strstr(text, "estimated to be");
  wrong += function(nrd_cpu_stream(), NULL, NULL, 90, 0) != NRD_OK;
  wrong += function(nrd_cpu_stream(), x, y, 90, -1) != NRD_ERROR_INVALID_ARGUMENT || !strstr(rows_last_error(), "3 x -1 x -1 programs");
  return wrong;
}
C
run rows
# `nereid run` takes what the grid needs like any argument: here five programs, each of which adds 1.
cat >counted.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def count(out_ptr, step):
    tl.atomic_add(out_ptr, step)
PY
python3 - <<'PY'
import struct
header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open("counted.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<i", 0))
PY
count() { "$nereid" run counted.py -k count -s "*i32, i32" -g "argument(rows)" --arg out_ptr=@counted.npy --arg step=1 --out out_ptr=got.npy "$@"; }
count --arg rows=5 >log 2>&1 || fail "run with a number of the grid"
got=$(python3 -c 'import struct; print(struct.unpack("<i", open("got.npy", "rb").read()[-4:])[0])')
[ "$got" = 5 ] || fail "ran $got programs instead of 5"
! count >log 2>&1 || fail "accepted without a number of the grid"
grep -qF "no value for 'rows', which the grid needs: add --arg rows=VALUE" log || fail "missing number of the grid"
! count --arg rows=many >log 2>&1 || fail "accepted a word for a number of the grid"
grep -qF "'rows' is a number of the grid: expected an integer" log || fail "word for a number of the grid"
refused_grid() { # ERROR OPTION…
  local expected=$1
  shift
  ! "${tiles[@]}" "$@" -o none.nko >log 2>&1 || fail "accepted: $*"
  grep -qF "$expected" log || fail "expected '$expected'"
}
refused_grid "'n' is a parameter of the kernel, and needs no 'argument'" -g "argument(n)" --tune "BLOCK=[32,64]"
refused_grid "'rows' is not a parameter of the kernel; its integers are n, BLOCK. 'argument(rows)' makes it" -g rows --tune "BLOCK=64"
refused_grid "a condition is about the kernel's own parameters" -g 1 --tune "BLOCK=64" --when "argument(rows) > 1"
refused_grid "expected the name of an argument here" -g "argument(3)" --tune "BLOCK=64"

echo "-- by value, beside numbers that only the call knows: floats, integers, None"
"$nereid" compile kernels.py -k scaled_by -t cpu:x86-64-v2 -g "cdiv(n, BLOCK)" --dispatch scale,shift \
  -s 'x_ptr=*fp32, y_ptr=*fp32, scale=[fp32,None,0.1,2], shift=[i32:16,None,-1], n=i32, BLOCK=64' -o numbers.nko >log 2>&1 ||
  fail "compile"
cat >main.c <<'C'
#include "numbers.h"
#include <stdio.h>
#include <string.h>
static nrd_status (*function)(nrd_stream, const float *, float *, nrd_optional_f32, nrd_optional_i64, int32_t) =
    numbers_scaled_by;
/* 0 if it gives `result` for 3, and the variant is one whose signature has `words`. */
static int check(nrd_optional_f32 scale, nrd_optional_i64 shift, float result, const char *words) {
  float x[70], y[70];
  char text[4096], *end;
  int i, wrong = 0;
  for (i = 0; i < 70; ++i)
    x[i] = 3;
  if (function(nrd_cpu_stream(), x, y, scale, shift, 70) != NRD_OK ||
      numbers_scaled_by_explain(nrd_cpu_stream(), x, y, scale, shift, 70, text, sizeof text) != NRD_OK) {
    fprintf(stderr, "%s\n", numbers_last_error());
    return 1;
  }
  for (i = 0; i < 70; ++i)
    wrong += y[i] != result;
  if ((end = strchr(text, '\n')))
    *end = '\0';
  if (wrong || !strstr(text, words))
    fprintf(stderr, "%d wrong, expected %s: %s\n", wrong, words, text);
  return wrong || !strstr(text, words);
}
int main(void) {
  float x[1] = {1}, y[1];
  int wrong = check(nrd_some_f32(7.5f), nrd_none_i64(), 22.5f, "scale=fp32, shift=None") +
              check(nrd_none_f32(), nrd_none_i64(), 3, "scale=None, shift=None") +
              check(nrd_some_f32(0.1f), nrd_none_i64(), 3 * 0.1f, "scale=0.1, shift=None") +
              check(nrd_some_f32(2), nrd_some_i64(-1), 5, "scale=2, shift=-1") +
              check(nrd_some_f32(2), nrd_some_i64(-16), -10, "scale=2, shift=i32:16") +
              check(nrd_none_f32(), nrd_some_i64(-1), 2, "scale=None, shift=-1") +
              check(nrd_some_f32(-2), nrd_some_i64(32), 26, "scale=fp32, shift=i32:16");
  wrong += function(nrd_cpu_stream(), x, y, nrd_none_f32(), nrd_some_i64(5), 1) != NRD_ERROR_NO_VARIANT;
  wrong += !strstr(numbers_last_error(), "shift is divisible by 16") || !strstr(numbers_last_error(), "shift == -1") ||
           !strstr(numbers_last_error(), "had x_ptr=") || !strstr(numbers_last_error(), "scale=None, shift=5");
  /* None and what no i32 has, from where the promise about its 32 bits is kept. */
  wrong += function(nrd_cpu_stream(), x, y, nrd_some_f32(1), nrd_some_i64(INT64_C(1) << 40), 1) != NRD_ERROR_NO_VARIANT;
  return wrong;
}
C
run numbers

# Halves have types of their own, and are compared by their bits: either zero is 0, and 0.1 is what a call can pass for it.
for type in fp16 bf16; do
  "$nereid" compile kernels.py -k scaled_by -t cpu:x86-64-v2 -g "cdiv(n, BLOCK)" --dispatch scale,shift \
    -s "x_ptr=*fp32, y_ptr=*fp32, scale=[$type,None,0.1,0], shift=[$type,-2], n=i32, BLOCK=64" -o halves.nko >log 2>&1 ||
    fail "compile"
  cat >main.c <<C
#include "halves.h"
#include <stdio.h>
#include <string.h>
typedef nrd_${type/fp/f} half;
static nrd_status (*function)(nrd_stream, const float *, float *, nrd_optional_${type/fp/f}, half, int32_t) = halves_scaled_by;
static half of(float value) {
  half result;
  __extension__ _Float16 number = __extension__(_Float16) value;
  if (strcmp("$type", "fp16"))
    memcpy(&result, (char *)&value + 2, 2);
  else
    memcpy(&result, &number, 2);
  return result;
}
static int check(nrd_optional_${type/fp/f} scale, half shift, float result, const char *words) {
  float x[1] = {3}, y[1] = {-1};
  char text[4096], *end;
  if (function(nrd_cpu_stream(), x, y, scale, shift, 1) != NRD_OK || y[0] != result ||
      halves_scaled_by_explain(nrd_cpu_stream(), x, y, scale, shift, 1, text, sizeof text) != NRD_OK) {
    fprintf(stderr, "%g: %s\n", (double)y[0], halves_last_error());
    return 1;
  }
  if ((end = strchr(text, '\n')))
    *end = '\0';
  if (!strstr(text, words))
    fprintf(stderr, "expected %s: %s\n", words, text);
  return !strstr(text, words);
}
int main(void) {
  half nearest = {strcmp("$type", "fp16") ? 0x3dcd : 0x2e66}; /* 0.1 */
  return check(nrd_some_${type/fp/f}(of(2)), of(-2), 4, "scale=$type, shift=-2") ||
         check(nrd_some_${type/fp/f}(of(2)), of(0.5f), 6.5f, "scale=$type, shift=$type") ||
         check(nrd_none_${type/fp/f}(), of(0.5f), 3.5f, "scale=None, shift=$type") ||
         check(nrd_some_${type/fp/f}(nearest), of(-2), 3 * 0.1f - 2, "scale=0.1, shift=-2") ||
         check(nrd_some_${type/fp/f}(of(0)), of(-2), -2, "scale=0, shift=-2") ||
         check(nrd_some_${type/fp/f}(of(-0.0f)), of(-2), -2, "scale=0, shift=-2");
}
C
  run halves
done
"$nereid" compile kernels.py -k scaled_by -t cpu:x86-64-v2 --dispatch scale,shift \
  -s "x_ptr=*fp32, y_ptr=*fp32, scale=[fp16,70000.0], shift=None, n=i32, BLOCK=64" -o halves.nko >log 2>&1 || fail "compile"
refused "where calls cannot pass it; a function of another name can have it (FUNCTION" "$nereid" link halves.nko -n halves -o out

# Without None the argument is the number itself.
"$nereid" compile kernels.py -k scaled_by -t cpu:x86-64-v2 -g "cdiv(n, BLOCK)" --dispatch scale,shift \
  -s 'x_ptr=*fp32, y_ptr=*fp32, scale=[fp32,0.1], shift=[fp64,-2], n=i32, BLOCK=64' -o plain.nko >log 2>&1 || fail "compile"
cat >main.c <<'C'
#include "plain.h"
#include <string.h>
int main(void) {
  nrd_status (*function)(nrd_stream, const float *, float *, float, double, int32_t) = plain_scaled_by;
  float x[1] = {3}, y[1] = {0};
  char text[2000];
  int wrong = function(nrd_cpu_stream(), x, y, 0.1f, -2.0, 1) != NRD_OK || y[0] != 3 * 0.1f - 2;
  wrong += plain_scaled_by_explain(nrd_cpu_stream(), x, y, 0.1f, -2.0, 1, text, sizeof text) != NRD_OK ||
           !strstr(text, "variant 0 runs, 'x_ptr=*fp32, y_ptr=*fp32, scale=0.1, shift=-2, ") ||
           !strstr(text, "scale == 0.1") || !strstr(text, "shift == -2");
  wrong += function(nrd_cpu_stream(), x, y, 0.5f, 0.25, 1) != NRD_OK || y[0] != 1.75f;
  return wrong;
}
C
run plain

echo "-- by condition: the smallest block that the row fits in"
"$nereid" compile kernels.py -k row_sum -t cpu:x86-64-v2 -g 3 --when "n_cols <= BLOCK_SIZE" \
  -s 'x_ptr=*fp32, out_ptr=*fp32, n_cols=i32, BLOCK_SIZE=[2048,512,1024]' -o conditions.nko >log 2>&1 || fail "compile"
cat >main.c <<'C'
#include "conditions.h"
#include <stdio.h>
#include <string.h>
static float x[3 * 3000];
static int has(const char *text, const char *words) {
  if (strstr(text, words))
    return 1;
  fprintf(stderr, "expected '%s' in: %s\n", words, text);
  return 0;
}
int main(void) {
  float out[3];
  char text[1000], little[20];
  const nrd_variant *list;
  const nrd_dim3 grid = {1, 1, 1};
  int n, i, wrong = 0;
  for (i = 0; i < 3 * 3000; ++i)
    x[i] = 1;
  for (n = 1; n <= 2048; n += n < 500 ? 163 : n < 530 ? 1 : 89) {
    memset(out, 0, sizeof out);
    wrong += row_sum(nrd_cpu_stream(), x, out, n) != NRD_OK;
    wrong += out[0] != n || out[1] != n || out[2] != n;
  }
  wrong += row_sum(nrd_cpu_stream(), x, out, 2049) != NRD_ERROR_NO_VARIANT;
  /* The nearest first: what misses by the least. */
  wrong += !has(conditions_last_error(), "): 'x_ptr=*fp32, out_ptr=*fp32, n_cols=i32, BLOCK_SIZE=2048' needs n_cols <= "
                                         "2048; 'x_ptr=*fp32, out_ptr=*fp32, n_cols=i32, BLOCK_SIZE=1024' needs n_cols <= 1024; ");
  /* What there is, which one would run and why, and another one than that. */
  wrong += conditions_row_sum_variants(&list) != 3;
  wrong += !has(list[0].signature, "BLOCK_SIZE=512") || !has(list[2].targets, "cpu:x86-64-v2");
  wrong += !has(list[1].condition, "n_cols <= BLOCK_SIZE") || !has(list[1].source, "kernels.py");
  wrong += row_sum_explain(nrd_cpu_stream(), x, out, 700, text, sizeof text) != NRD_OK;
  wrong += !has(text, "variant 1 runs, 'x_ptr=*fp32, out_ptr=*fp32, n_cols=i32, BLOCK_SIZE=1024' for cpu:x86-64-v2, as "
                      "n_cols <= 1024\n");
  wrong += !has(text, "variant 0, 'x_ptr=*fp32, out_ptr=*fp32, n_cols=i32, BLOCK_SIZE=512', needs n_cols <= 512\n");
  wrong += !has(text, "BLOCK_SIZE=2048', accepts the call too, but comes later");
  wrong += row_sum_explain(nrd_cpu_stream(), x, out, 3000, text, sizeof text) != NRD_ERROR_NO_VARIANT;
  wrong += !has(text, "no variant accepts this call") || !has(text, "variant 2,");
  wrong += row_sum_explain(nrd_cpu_stream(), x, out, 700, little, sizeof little) != NRD_OK || strlen(little) != 19;
  wrong += row_sum_explain(nrd_cpu_stream(), x, out, 700, NULL, 0) != NRD_OK;
  wrong += row_sum_explain(nrd_cuda_stream(NULL), x, out, 700, text, sizeof text) != NRD_ERROR_NO_VARIANT;
  wrong += !has(text, "this library has no CUDA code");
  out[0] = 0;
  wrong += row_sum_force(nrd_cpu_stream(), 2, x, out, 100) != NRD_OK || out[0] != 100;
  wrong += row_sum_force_grid(nrd_cpu_stream(), 1, grid, x, out, 300) != NRD_OK || out[0] != 300;
  wrong += row_sum_force(nrd_cpu_stream(), 0, x, out, 700) != NRD_ERROR_NO_VARIANT;
  wrong += !has(conditions_last_error(), "variant 0, 'x_ptr=*fp32, out_ptr=*fp32, n_cols=i32, BLOCK_SIZE=512', does not "
                                         "accept this call: it needs n_cols <= 512");
  wrong += row_sum_force(nrd_cpu_stream(), 3, x, out, 700) != NRD_ERROR_INVALID_ARGUMENT;
  wrong += !has(conditions_last_error(), "there is no variant 3: they are numbered from 0 to 2");
  {
    const float *input = x;
    float *output = out;
    int32_t n = 700;
    const void *arguments[3];
    uint32_t number = UINT32_MAX;
    const char *target = "";
    arguments[0] = &input;
    arguments[1] = &output;
    arguments[2] = &n;
    wrong += conditions_row_sum_choose_packed(nrd_cpu_stream(), arguments, &number, &target) != NRD_OK;
    wrong += number != 1 || strncmp(target, "cpu:", 4) != 0;
    number = 2;
    wrong += conditions_row_sum_choose_packed(nrd_cpu_stream(), arguments, &number, &target) != NRD_OK || number != 2;
    number = 0;
    wrong += conditions_row_sum_choose_packed(nrd_cpu_stream(), arguments, &number, &target) != NRD_ERROR_NO_VARIANT;
    wrong += !has(conditions_last_error(), "does not accept this call: it needs n_cols <= 512");
    out[0] = 0;
    wrong += conditions_row_sum_force_packed(nrd_cpu_stream(), 2, NULL, arguments) != NRD_OK || out[0] != 700;
    n = 300;
    out[0] = 0;
    wrong += conditions_row_sum_force_packed(nrd_cpu_stream(), 1, &grid, arguments) != NRD_OK || out[0] != 300;
    wrong += conditions_row_sum_force_packed(nrd_cuda_stream(NULL), 1, NULL, arguments) != NRD_ERROR_NO_VARIANT;
  }
  return wrong;
}
C
run conditions

echo "-- by ranges and widths: which variant a number comes to"
for which in "n=i32, m=i64, WHICH=1" "n=i64, m=i64, WHICH=2" "n=i64[0..99], m=i64, WHICH=3" "n=i64:1, m=i64, WHICH=4" \
  "n=i32:16, m=i64, WHICH=5" "n=i64, m=i64[1000..], WHICH=6"; do
  "$nereid" compile kernels.py -k tell -t cpu:x86-64-v2 -g 1 -s "out_ptr=*i64, $which" -o "ranges${which: -1}.nko" >log 2>&1 ||
    fail "compile"
done
cat ranges?.nko >ranges.nko
for which in "n * m <= 50 and m != 0 and n / m == 2 @7" "n + m == 9000000000000000000 or n * 4 + 1 == m @8"; do
  "$nereid" compile kernels.py -k tell -t cpu:x86-64-v2 -g 1 -s "out_ptr=*i64, n=i64, m=i64, WHICH=${which: -1}" \
    --when "${which% @*}" -o more.nko >log 2>&1 || fail "compile"
  cat more.nko >>ranges.nko
done
cat >main.c <<'C'
#include "ranges.h"
#include <stdio.h>
static int tells(int64_t n, int64_t m, int64_t expected) {
  int64_t which = -1;
  if (tell(nrd_cpu_stream(), &which, n, m) != NRD_OK || which != expected) {
    fprintf(stderr, "n %lld, m %lld: %lld, not %lld\n", (long long)n, (long long)m, (long long)which, (long long)expected);
    return 0;
  }
  return 1;
}
int main(void) {
  int right = tells(1, 1, 4) + tells(32, 5000, 5) + tells(5, 7, 3) + tells(500, 7, 1) + tells(-5, 7, 1) +
              tells(INT64_C(1) << 40, 7, 2) + tells(INT64_C(1) << 40, 1000, 6) + tells(INT64_C(-2147483648), 7, 5) +
              tells(INT64_C(-2147483649), 7, 2) + tells(INT64_C(4000000000), 2, 2) +
              /* 10 / 5, where the range of n decides first: both are one range, the first that was given comes first. */
              tells(-10, -5, 7) +
              /* Sums and products beyond 64 bits do not hold; the left side decides before the right one is computed. */
              tells(INT64_C(1) << 62, INT64_C(1) << 62, 6) + tells(INT64_C(8999999999999999001), 999, 8) +
              tells(1000, 0, 1);
  return right != 14;
}
C
"$nereid" link ranges.nko -n ranges -o out --source >log 2>&1 || fail "link"
run ranges

echo "-- by type: a function for each, and one for all"
"$nereid" compile kernels.py -k mix -t cpu:x86-64-v2 -g "cdiv(n, 64)" \
  -s 'x_ptr=*[fp16,bf16,fp32], w_ptr=*[fp32,fp64], y_ptr=*[fp16,bf16,fp32], scale=[fp32,fp64], n=i32' -o types.nko >log 2>&1 ||
  fail "compile"
cat >main.c <<'C'
#include "types.h"
#include <stdio.h>
#include <string.h>
int main(void) {
  nrd_status (*typed)(nrd_stream, const nrd_f16 *, const float *, nrd_f16 *, float, int32_t) = types_mix_fp16_fp32;
  nrd_status (*generic)(nrd_stream, nrd_dtype, const void *, nrd_dtype, const void *, void *, const void *, int32_t) =
      types_mix;
  nrd_f16 half = {0x4000}, half_out = {0}; /* 2 */
  float single = 3, single_out = 0, weight = 4, scale = 2;
  double wide_weight = 5, wide_scale = 10;
  const nrd_dim3 grid = {1, 1, 1};
  if (typed(nrd_cpu_stream(), &half, &weight, &half_out, scale, 1) != NRD_OK || half_out.bits != 0x4C00) /* 16 */
    return 1;
  half_out.bits = 0;
  if (generic(nrd_cpu_stream(), NRD_FP16, &half, NRD_FP32, &weight, &half_out, &scale, 1) != NRD_OK || half_out.bits != 0x4C00)
    return 2;
  if (mix(nrd_cpu_stream(), NRD_FP32, &single, NRD_FP64, &wide_weight, &single_out, &wide_scale, 1) != NRD_OK ||
      single_out != 150)
    return 3;
  if (mix(nrd_cpu_stream(), NRD_FP32, &single, NRD_FP64, &wide_weight, &single_out, NULL, 1) != NRD_ERROR_INVALID_ARGUMENT ||
      !strstr(types_last_error(), "argument 'scale' is a null pointer"))
    return 9;
  if (mix_grid(nrd_cpu_stream(), grid, NRD_FP32, &single, NRD_FP32, &weight, &single_out, &scale, 1) != NRD_OK ||
      single_out != 24)
    return 4;
  if (mix(nrd_cpu_stream(), NRD_I8, &single, NRD_FP64, &wide_weight, &single_out, &wide_scale, 1) != NRD_ERROR_NO_VARIANT)
    return 5;
  puts(types_last_error());
  return !strstr(types_last_error(), "mix: there is no function for the types x_ptr_dtype=int8, w_ptr_dtype=float64; there are "
                                     "mix_fp16_fp32, mix_fp16_fp64, mix_bf16_fp32, ");
}
C
run types

# A parameter that is called as the function for all would call a dtype.
cat >taken.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def taken(x, x_dtype):
    tl.store(x, x_dtype)
PY
"$nereid" compile taken.py -k taken -t cpu:x86-64-v2 -g 1 -s 'x=*[fp32,fp64], x_dtype=i32' -o taken.nko >log 2>&1 || fail "compile"
cat >main.c <<'C'
#include "taken.h"
int main(void) {
  double x = 0;
  return taken(nrd_cpu_stream(), NRD_FP64, &x, 7) != NRD_OK || x != 7;
}
C
run taken

echo "-- what is wrong is said where it is"
refused "<condition>:1:10: error: expected a number, a name or '(' here" \
  "$nereid" compile kernels.py -k tell -t cpu -s "*i64, i32, i32, 1" --when "n <= 2 + " -o bad.nko
refused "<condition>:1:1: error: 'k' is not a parameter of the kernel" \
  "$nereid" compile kernels.py -k tell -t cpu:x86-64-v2 -s "*i64, i32, i32, 1" --when "k < 3" -o bad.nko
refused "<dispatch>:1:7: error: 'SIZE' is not a parameter of the kernel" \
  "$nereid" compile kernels.py -k tell -t cpu:x86-64-v2 -s "*i64, i32, i32, 1" --dispatch WHICH,SIZE -o bad.nko
refused "<dispatch>:1:7: error: expected the name of a parameter" \
  "$nereid" compile kernels.py -k tell -t cpu -s "*i64, i32, i32, 1" --dispatch WHICH,2 -o bad.nko
refused "<signature>:1:17: error: this list is not closed" \
  "$nereid" compile kernels.py -k tell -t cpu -s "*i64, i32, i32, [1, 2" -o bad.nko
refused "error: a list makes several signatures of this one" \
  "$nereid" compile kernels.py -k tell -t cpu:x86-64-v2 -s "*i64, i32, i32, [1, 2]" --emit ttir
[ ! -e bad.nko ] || fail "an object of what was refused"
"$nereid" compile kernels.py -k tell -t cpu:x86-64-v2 -g 1 -s "*i64, i32, i32, [1,2]" -o twins.nko >log 2>&1 || fail "compile"
refused "no call can tell apart two variants of 'tell' for cpu:x86-64-v2" "$nereid" link twins.nko -n twins -o out
expect "they differ in WHICH (1 and 2); give them conditions (WHEN in CMake"
# A value beside a run-time argument: how calls could choose, if they can.
"$nereid" compile kernels.py -k tell -t cpu:x86-64-v2 -s 'out_ptr=*i32, n=[i32, 64], m=i32, WHICH=1' -o beside.nko >log 2>&1 || fail "compile"
refused "calls can choose between them if 'n' is named to be chosen by (DISPATCH" "$nereid" link beside.nko -n beside -o out
for types in "scale=[fp32, 1e300], n=i32" "scale=fp32, n=[u16, 65536]"; do
  "$nereid" compile kernels.py -k mix -t cpu:x86-64-v2 --dispatch n,scale -s "x_ptr=*fp32, w_ptr=*fp32, y_ptr=*fp32, $types" \
    -o beside.nko >log 2>&1 || fail "compile"
  refused "where calls cannot pass it; a function of another name can have it (FUNCTION" "$nereid" link beside.nko -n beside -o out
done

echo "-- the same from a manifest, with places in it"
cat >manifest.json <<'JSON'
{"name": "listed", "targets": ["cpu:x86-64-v2"], "kernels": [
  {"source": "kernels.py", "kernel": "row_sum", "grid": "3", "when": "n_cols <= BLOCK_SIZE",
   "signatures": ["*fp32, *fp32, i32, [512, 1024]",
                  {"signature": "*fp32, *fp32, i32, 4096", "when": "n_cols > 1024 and n_cols <= BLOCK_SIZE"}]},
  {"source": "kernels.py", "kernel": "tell", "grid": "1", "dispatch": ["WHICH"],
   "signatures": ["*i64, i32, i32, [1,2,3]"]}]}
JSON
"$nereid" build manifest.json -o out >log 2>&1 || fail "build"
"$nereid" inspect out/liblisted.so >log
expect "when n_cols > 1024 and n_cols <= BLOCK_SIZE"
expect "tell(out_ptr: *i64, n: i32, m: i32, WHICH: i32)"
sed -i 's/"when": "n_cols > 1024/"when": "n_cols > = 1024/' manifest.json
refused "manifest.json:4:78: error: expected a number" "$nereid" build manifest.json -o out
sed -i 's/n_cols > = 1024/n_cols > 1024/; s/\["WHICH"\]/["WHAT"]/' manifest.json
refused "manifest.json:5:73: error: 'WHAT' is not a parameter" "$nereid" build manifest.json -o out
sed -i 's/\["WHAT"\]/["A B"]/' manifest.json
refused "manifest.json:5:72: error: expected the name of a parameter" "$nereid" build manifest.json -o out
echo "-- a target that a variant does not fit is left to the others"
cat >large.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def count(x_ptr, out_ptr, BINS: tl.constexpr):
    bins = tl.histogram(tl.load(x_ptr + tl.arange(0, 128)), BINS)
    tl.store(out_ptr + tl.arange(0, BINS), bins)
PY
cat >fit.json <<'JSON'
{"name": "fit", "kind": "source", "targets": ["cuda:80"], "kernels": [
  {"source": "large.py", "kernel": "count", "dispatch": ["BINS"],
   "signatures": ["*i32, *i32, [256, 65536]"]}]}
JSON
"$nereid" build fit.json -o fit >log 2>&1 || fail "the variant that fits is not enough"
expect "fit.json:3:20: warning: '*i32, *i32, 65536' is left out for cuda:80, as it needs"
expect "another signature serves that target"
grep -q "i32, 256  for cuda:80" fit/fit.h || fail "the variant that fits is not there"
sed -i 's/\[256, 65536\]/65536/' fit.json
refused "bytes of shared memory for a block, but cuda:80 has" "$nereid" build fit.json -o fit

echo "-- all as it should be"
