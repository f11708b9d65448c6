#!/usr/bin/env bash
# The C++ header and the Rust file beside a library's C header, in programs without a warning; and headers of one build
# with the library of another. Rust is left out where there is no rustc.
#
#   bindings.sh NEREID
set -euo pipefail
# shellcheck source=shell_test.sh
. "$(dirname "$0")/shell_test.sh"

cat >kernels.py <<'PY'
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, n, text, type, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * text + type, mask=i < n)


@triton.jit
def result(x_ptr, y_ptr, flag):
    if flag:
        tl.store(x_ptr, tl.load(y_ptr))


# Names that mean something in C, in this header, or in Rust, some of them whatever stands behind them.
@triton.jit
def Status(out_ptr, self, self_, Ok, Some, M_PI, NRD_OK, PRId8, PRId8_, EOF):
    tl.store(out_ptr, self + 10 * self_ + 100 * Ok + 1000 * Some + M_PI + NRD_OK + PRId8 + PRId8_ + EOF)
PY
scale_signature="*fp32, i32, fp32, i8, 64"
run "$nereid" compile kernels.py -k scale -s "$scale_signature" -t cpu:x86-64-v2,cuda:90 -g "cdiv(n, BLOCK)" -o scale.nko
run "$nereid" compile kernels.py -k result -s "*fp16, *fp16, i1" -t cpu:x86-64-v2 -o result.nko
run "$nereid" compile kernels.py -k Status -s "*i32, i32, i32, i32, i32, i32, i32, i32, i32, i32" -t cpu:x86-64-v2 -g 1 -o names.nko
run timeout 60 "$nereid" link scale.nko result.nko names.nko -n stream -o .
run "$nereid" link scale.nko -n other -o . --static
run "$nereid" link scale.nko -n union -o . --static
run "$nereid" compile kernels.py -k scale -s "x_ptr=*[fp32,fp64], n=i32, text=fp32, type=i8, BLOCK=64" -t cpu:x86-64-v2 \
  -g "cdiv(n, BLOCK)" -o typed.nko
run "$nereid" link typed.nko -n typed -o .

cat >main.cpp <<'C'
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include "stream.hpp"
#include "other.hpp"
#include "typed.hpp"
#include "union.hpp"
#include <cstring>
#include <utility>

int main() {
  float x[100] = {};
  nrd_f16 a = {1}, b = {2};
  nereid::stream::loaded first(nrd::stream::cpu());
  nereid::stream::loaded guard(std::move(first));
  nereid::stream::set_num_threads(2);
  x[99] = 4;
  nereid::stream::scale(nrd::stream::cpu(), x, 100, 2.0f, 1);
  nereid::stream::scale_grid(nrd_cpu_stream(), nrd_dim3{2, 1, 1}, x, 100, 2.0f, 1);
  nereid::other::scale(nrd::stream::cpu(1), x, 100, 1.0f, 0);
  nereid::stream::result_grid(nrd::stream::cpu(), {1, 1, 1}, &a, &b, true);
  /* Kernels of several types are overloads. */
  double y[2] = {1, 2};
  float z[2] = {1, 2};
  nereid::typed::scale(nrd::stream::cpu(), y, 2, 3.0f, 0);
  nereid::typed::scale(nrd::stream::cpu(), z, 2, 5.0f, 0);
  nereid::typed::scale_fp64_grid(nrd::stream::cpu(), {1, 1, 1}, y, 2, 1.0f, 1);
  if (y[1] != 7 || z[1] != 10)
    return 8;
  /* One for all types takes the type when it is called. */
  nereid::typed::scale(nrd::stream::cpu(), NRD_FP64, y, 2, 3.0f, 0);
  nereid::typed::scale_grid(nrd::stream::cpu(), {1, 1, 1}, NRD_FP32, z, 2, 2.0f, 0);
  if (y[1] != 21 || z[1] != 20 ||
      nereid::typed::scale(std::nothrow, nrd::stream::cpu(), NRD_FP16, y, 2, 3.0f, 0).status() != NRD_ERROR_NO_VARIANT ||
      nereid::typed::scale_explain(nrd::stream::cpu(), NRD_FP64, y, 2, 1.0f, 1).find("scale_fp64") == std::string::npos)
    return 14;
  /* What there is to choose from, what would be, and what shall be. */
  const nrd::variants variants = nereid::stream::scale_variants();
  if (variants.size() != 1 || !std::strstr(variants[0].signature, "fp32, i8, 64") || variants.end() != variants.begin() + 1)
    return 10;
  if (nereid::stream::scale_explain(nrd::stream::cpu(), x, 100, 2.0f, 1).find("variant 0 runs") == std::string::npos ||
      nereid::typed::scale_explain(nrd::stream::cpu(), y, 2, 1.0f, 1).find("scale_fp64") == std::string::npos)
    return 11;
  char text[30] = {};
  if (!nereid::stream::scale_explain(std::nothrow, nrd::stream::cpu(), x, 100, 2.0f, 1, text, sizeof text) ||
      std::strlen(text) != sizeof text - 1)
    return 12;
  float w[2] = {1, 2};
  nereid::stream::scale_force(nrd::stream::cpu(), 0, w, 2, 2.0f, 1);
  nereid::typed::scale_force_grid(nrd::stream::cpu(), 0, {1, 1, 1}, w, 2, 2.0f, 0);
  if (w[1] != 10 || nereid::stream::scale_force(std::nothrow, nrd::stream::cpu(), 1, w, 2, 2.0f, 1).status() !=
                        NRD_ERROR_INVALID_ARGUMENT)
    return 13;
  const nrd_allocator allocator = {[](void *, nrd_stream, std::size_t, std::size_t) -> void * { return nullptr; }, nullptr,
                                   nullptr};
  nereid::stream::set_allocator(&allocator);
  nereid::stream::set_allocator(nullptr);
  int32_t sum = 0;
  nereid::stream::Status(nrd::stream::cpu(), &sum, 1, 2, 3, 4, 0, 0, 0, 0, 0);
  if (sum != 4321)
    return 9;
  if (nereid::union_::scale_variants().size() != 1)
    return 15;
  if (x[0] != 3 || x[99] != 19 || a.bits != 2 || nereid::other::num_threads() != 2)
    return 1;
  nrd::result result = nereid::stream::scale(std::nothrow, nrd::stream::cpu(), nullptr, 100, 2.0f, 1);
  if (result || result.status() != NRD_ERROR_INVALID_ARGUMENT || !std::strstr(result.message(), "'x_ptr' is a null"))
    return 2;
  if (!nereid::stream::scale(std::nothrow, nrd::stream::cpu(), nullptr, 0, 2.0f, 1))
    return 3;
  try {
    nereid::stream::scale(nrd::stream::hip(nullptr), x, 100, 2.0f, 1);
    return 4;
  } catch (const nrd::error &caught) {
    if (caught.status() != NRD_ERROR_NO_VARIANT || !std::strstr(caught.what(), "no HIP code"))
      return 5;
  }
  try {
    nereid::stream::loaded none(nrd::stream::hip(nullptr));
    return 6;
  } catch (const std::runtime_error &caught) {
    if (std::strcmp(caught.what(), nereid::stream::last_error()) != 0)
      return 7;
  }
  return 0;
}
C
cat >value.cpp <<'C'
#include "stream.hpp"

int main() {
  float x[1] = {3};
  nereid::stream::loaded guard(std::nothrow, nrd::stream::cpu());
  return guard.result() && nereid::stream::scale(std::nothrow, nrd::stream::cpu(), x, 1, 2.0f, 1) && x[0] == 7 ? 0 : 1;
}
C
flags=(-Wall -Wextra -Wpedantic -Wold-style-cast -Wconversion -Wshadow -Wzero-as-null-pointer-constant -Werror -I.)
libraries=(-L. -lstream -ltyped libother.a libunion.a -lm -lpthread -ldl "-Wl,-rpath,$work")
for compiler in g++ clang++-22; do
  command -v $compiler >log || continue
  for std in c++17 c++20; do
    run $compiler -std=$std "${flags[@]}" main.cpp -o main "${libraries[@]}"
    run ./main
    run $compiler -std=$std -fno-exceptions "${flags[@]}" value.cpp -o value "${libraries[@]}"
    run ./value
  done
done

if command -v rustc >log; then
  cat >main.rs <<'RS'
use std::os::raw::c_void;
mod other;
mod stream;
mod typed;

unsafe extern "C" fn give_nothing(_: *mut c_void, _: stream::Stream, _: usize, _: usize) -> *mut c_void {
    std::ptr::null_mut()
}

fn main() {
    let mut x = [1.0f32; 100];
    let here = stream::Stream::cpu();
    let guard = stream::Loaded::new(here).unwrap();
    unsafe {
        stream::scale(here, x.as_mut_ptr(), 100, 2.0, 1).unwrap();
        let grid = stream::Grid { x: 2, y: 1, z: 1 };
        stream::scale_grid(stream::Stream::cpu_with_threads(1), grid, x.as_mut_ptr(), 100, 2.0, 1).unwrap();
        other::scale(other::Stream::cpu(), x.as_mut_ptr(), 100, 1.0, 0).unwrap();
        let mut a = stream::types::f16 { bits: 1 };
        let b = stream::types::f16 { bits: 2 };
        stream::result_grid(here, stream::Grid { x: 1, y: 1, z: 1 }, &mut a, &b, true).unwrap();
        assert!(a.bits == 2 && x[0] == 7.0 && x[99] == 7.0);
        let failure = stream::scale(here, std::ptr::null_mut(), 100, 2.0, 1).unwrap_err();
        assert!(failure.status == stream::Status::INVALID_ARGUMENT);
        assert!(failure.to_string().contains("'x_ptr' is a null pointer"));
        let variants = stream::scale_variants();
        assert!(variants.len() == 1 && variants[0].signature().contains("fp32, i8, 64"));
        assert!(variants[0].condition().is_none() && variants[0].targets() == "cpu:x86-64-v2, cuda:90");
        assert!(variants[0].source().ends_with("kernels.py") && variants[0].tuning().is_none());
        let words = stream::scale_explain(here, x.as_mut_ptr(), 100, 2.0, 1).unwrap();
        assert!(words.contains("variant 0 runs"));
        let failure = stream::scale_explain(stream::Stream::hip(std::ptr::null_mut()), x.as_mut_ptr(), 100, 2.0, 1);
        assert!(failure.unwrap_err().status == stream::Status::NO_VARIANT);
        stream::scale_force(here, 0, x.as_mut_ptr(), 100, 2.0, 1).unwrap();
        stream::scale_force_grid(here, 0, grid, x.as_mut_ptr(), 100, 1.0, 0).unwrap();
        assert!(x[99] == 15.0);
        let failure = stream::scale_force(here, 7, x.as_mut_ptr(), 100, 2.0, 1).unwrap_err();
        assert!(failure.to_string().contains("there is no variant 7"));
        let mut y = [2.0f64; 3];
        let all = y.as_mut_ptr() as *mut c_void;
        let there = typed::Stream::cpu();
        typed::scale(there, typed::types::DType::FP64, all, 3, 4.0, 1).unwrap();
        typed::scale_grid(there, typed::Grid { x: 1, y: 1, z: 1 }, typed::types::DType::FP64, all, 2, 2.0, 0).unwrap();
        assert!(y == [18.0, 18.0, 9.0]);
        let words = typed::scale_explain(there, typed::types::DType::FP32, all, 3, 4.0, 1).unwrap();
        assert!(words.contains("scale_fp32"));
        let failure = typed::scale(there, typed::types::DType::FP16, all, 3, 4.0, 1).unwrap_err();
        assert!(failure.status == typed::Status::NO_VARIANT && failure.message.contains("x_ptr_dtype=float16"));
        let allocator = stream::Allocator { allocate: give_nothing, release: None, user: std::ptr::null_mut() };
        stream::set_allocator(Some(&allocator));
        stream::set_allocator(None);
        let mut sum = 0i32;
        stream::Status_(here, &mut sum, 1, 2, 3, 4, 0, 0, 0, 0, 0).unwrap();
        assert!(sum == 4321);
    }
    stream::set_num_threads(3).unwrap();
    assert!(other::num_threads() == 3);
    drop(guard);
}
RS
  for edition in 2015 2018 2021 2024; do
    run rustc --edition $edition -D warnings main.rs -L . -C link-arg=-Wl,-rpath,"$work" -l dylib=stream -l dylib=typed -l static=other -o rust
    run ./rust
  done
  echo "-- Rust: checked with $(rustc --version)"
else
  echo "-- Rust: left out, there is no rustc"
fi

# A header goes with libraries whose functions are the same. Another kernel, variant or name of the file does not matter.
cat >user.c <<'C'
#include "stream.h"
int main(void) {
  float x[1] = {3};
  return scale(nrd_cpu_stream(), x, 1, 2, 1) != NRD_OK || x[0] != 7;
}
C
run cc -I. user.c -o user -L. -lstream "-Wl,-rpath,$work"
run "$nereid" compile kernels.py -k scale -s "*fp32, i32:16, fp32, i8, 64" -t cpu:x86-64-v2 -g "cdiv(n, BLOCK)" -o variant.nko
run "$nereid" link variant.nko scale.nko -n stream -o .
run ./user
# A parameter that is wider is told when the program is loaded, or linked; nothing is called.
run "$nereid" compile kernels.py -k scale -s "*fp32, i64, fp32, i8, 64" -t cpu:x86-64-v2 -g "cdiv(n, BLOCK)" -o wide.nko
run "$nereid" link wide.nko -n stream -o new
cp new/libstream.so .
code=0
./user >log 2>&1 || code=$?
[ $code = 127 ] || fail "a program ran with a library whose function is another"
expect "undefined symbol: stream_scale__nrd2_"
! cc -I. user.c -o user -Lnew -lstream >log 2>&1 || fail "a header was linked with a library whose function is another"
expect "stream_scale__nrd2_"
cp new/stream.h .
run cc -I. user.c -o user -L. -lstream "-Wl,-rpath,$work"
run ./user
# The plain name is there as well.
run cc -I. -DNRD_NO_ABI_CHECK user.c -o user -L. -lstream "-Wl,-rpath,$work"
nm -D user >log
expect " stream_scale"
! grep -q __nrd2 log || fail "the plain names were not used"
run ./user
# Headers whose types differ are not for one file.
sed 's/\(define NRD_ABI_VERSION\|NRD_ABI_VERSION !=\) [0-9]*/\1 99/' new/stream.h >later.h
printf '#include "other.h"\n#include "later.h"\n' >both.c
! cc -I. -c both.c -o both.o >log 2>&1 || fail "headers with different types were accepted"
expect "#error"
expect "make them by one"

# What a static library is linked into does not export its functions.
printf 'int use(void);\n#include "other.h"\nint use(void) { return other_load(nrd_cpu_stream()); }\n' >plugin.c
run cc -fPIC -shared -I. plugin.c libother.a -o plugin.so -lm -lpthread -ldl
nm -D --defined-only plugin.so >log
expect " use"
! grep -q other_ log || fail "the functions of a static library are exported"

# A compiler that optimizes while linking leaves objects that archives do not list; and what such a program, or one without
# unused sections, is linked to still finds the pool of threads that the others use.
cat >two.c <<'C'
#define NRD_NO_SHORT_NAMES
#include "first.h"
#include "second.h"
int main(void) {
  float x[1] = {1};
  return first_scale(nrd_cpu_stream(), x, 1, 2, 0) || second_scale(nrd_cpu_stream(), x, 1, 2, 0) || x[0] != 4 ||
         first_set_num_threads(5) || second_num_threads() != 5;
}
C
for options in -flto "-ffunction-sections -fdata-sections -Wl,--gc-sections"; do
  for name in first second; do CC="gcc $options" run "$nereid" link scale.nko -n $name -o two --static; done
  # shellcheck disable=SC2086
  run gcc $options -Itwo two.c two/libfirst.a two/libsecond.a -o two/main -lm -lpthread -ldl
  run two/main
done
echo "bindings: all checks passed"
