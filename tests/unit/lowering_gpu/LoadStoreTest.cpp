// Loads, stores, masks and control flow, run on the host.
#include "EmulatedBlock.h"
#include "KernelText.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using namespace nereid::gpu;

namespace {

const char *vectorAdd = R"(
    %c = arith.constant 256 : i32
    %pid = tt.get_program_id x : i32
    %base = arith.muli %pid, %c : i32
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>
    %bases = tt.splat %base : i32 -> tensor<256xi32, #b>
    %offs = arith.addi %bases, %range : tensor<256xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<256xi32, #b>
    %mask = arith.cmpi slt, %offs, %ns : tensor<256xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %xp = tt.addptr %xs, %offs : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %other = arith.constant dense<-1.0> : tensor<256xf32, #b>
    %v = tt.load %xp, %mask, %other : tensor<256x!tt.ptr<f32>, #b>
    %w = arith.addf %v, %v : tensor<256xf32, #b>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %op = tt.addptr %os, %offs : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    tt.store %op, %w, %mask : tensor<256x!tt.ptr<f32>, #b>)";

struct LayoutCase {
  const char *layout;
  unsigned numWarps;
};

class VectorAdd : public testing::TestWithParam<LayoutCase> {};

} // namespace

TEST_P(VectorAdd, WritesExactlyTheMaskedElements) {
  for (unsigned n : {0u, 1u, 255u, 256u, 700u}) {
    std::vector<float> x(1024), out(1024, -7.0f);
    std::iota(x.begin(), x.end(), 1.0f);
    float *xPointer = x.data(), *outPointer = out.data();
    int32_t length = n;
    std::string ir =
        kernelModule("#b = " + std::string(GetParam().layout),
                     "%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32", vectorAdd, GetParam().numWarps);
    ASSERT_EQ(runOnHost(ir, {&xPointer, &outPointer, &length}, {4}), "");
    for (unsigned i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], i < n ? 2.0f * x[i] : -7.0f) << "element " << i << " of " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, VectorAdd,
    testing::Values(
        LayoutCase{
            "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>", 4},
        LayoutCase{
            "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>", 1},
        // More threads than elements: the upper warps hold copies.
        LayoutCase{
            "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>", 8},
        LayoutCase{
            "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], "
            "warpsPerCTA = [2, 2], order = [1, 0]}>}>",
            4}));

TEST(Store, CopiesAreStoredOnce) {
  // 128 threads hold 32 elements; were every copy to count, the sums would be four times as large.
  std::string ir = kernelModule(
      "#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
      "%out: !tt.ptr<i32>", R"(
    %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #b>
    %op = tt.addptr %os, %range : tensor<32x!tt.ptr<i32>, #b>, tensor<32xi32, #b>
    %t = arith.constant dense<true> : tensor<32xi1, #b>
    %old = tt.atomic_rmw add, relaxed, gpu, %op, %range, %t : (tensor<32x!tt.ptr<i32>, #b>, tensor<32xi32, #b>, tensor<32xi1, #b>) -> tensor<32xi32, #b>)");
  std::vector<int32_t> out(32, 100);
  int32_t *pointer = out.data();
  ASSERT_EQ(runOnHost(ir, {&pointer}), "");
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], 100 + i);
}

TEST(Atomic, ScalarResultReachesAllThreads) {
  // Every thread stores the old value it was given, at its own place.
  std::string ir = kernelModule(
      "#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
      "%counter: !tt.ptr<i32>, %out: !tt.ptr<i32>", R"(
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %old = tt.atomic_rmw add, acq_rel, gpu, %counter, %one, %true {allocation.offset = 0 : i32} : (!tt.ptr<i32>, i32, i1) -> i32
    %size = arith.constant 128 : i32
    %start = arith.muli %old, %size : i32
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %starts = tt.splat %start : i32 -> tensor<128xi32, #b>
    %offs = arith.addi %starts, %range : tensor<128xi32, #b>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %op = tt.addptr %os, %offs : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
    tt.store %op, %offs : tensor<128x!tt.ptr<i32>, #b>)",
      4, 16);
  int32_t counter = 0;
  std::vector<int32_t> out(3 * 128, -1);
  int32_t *counterPointer = &counter, *outPointer = out.data();
  ASSERT_EQ(runOnHost(ir, {&counterPointer, &outPointer}, {3}), "");
  EXPECT_EQ(counter, 3);
  for (int i = 0; i < 3 * 128; ++i)
    ASSERT_EQ(out[i], i);
}

namespace {

struct Meeting {
  const char *operation, *type;
};

class AtomicMeeting : public testing::TestWithParam<Meeting> {
protected:
  /// Has 256 elements, each with a value of its own, accessed at 40 places, at `places[i]` where `i < n`.
  template <typename T> void run(llvm::function_ref<T(T, T)> combine) {
    std::string ir = kernelModule(
        "#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
        substitute("%places: !tt.ptr<i32>, %x: !tt.ptr<$T>, %out: !tt.ptr<$T>, %n: i32",
                   {{"T", GetParam().type}}),
        substitute(R"(
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<256xi32, #b>
    %m = arith.cmpi slt, %range, %ns : tensor<256xi32, #b>
    %ps = tt.splat %places : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
    %pp = tt.addptr %ps, %range : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    %place = tt.load %pp : tensor<256x!tt.ptr<i32>, #b>
    %xs = tt.splat %x : !tt.ptr<$T> -> tensor<256x!tt.ptr<$T>, #b>
    %xp = tt.addptr %xs, %range : tensor<256x!tt.ptr<$T>, #b>, tensor<256xi32, #b>
    %v = tt.load %xp : tensor<256x!tt.ptr<$T>, #b>
    %os = tt.splat %out : !tt.ptr<$T> -> tensor<256x!tt.ptr<$T>, #b>
    %op = tt.addptr %os, %place : tensor<256x!tt.ptr<$T>, #b>, tensor<256xi32, #b>
    %old = tt.atomic_rmw $O, acq_rel, gpu, %op, %v, %m : (tensor<256x!tt.ptr<$T>, #b>, tensor<256x$T, #b>, tensor<256xi1, #b>) -> tensor<256x$T, #b>)",
                   {{"T", GetParam().type}, {"O", GetParam().operation}}));
    std::vector<T> x(256);
    for (unsigned i = 0; i < x.size(); ++i)
      x[i] = static_cast<T>(i * 37 % 251) - 100; // whole numbers, the sums of which are exact
    // All elements at one place, warps at a place each, sorted places that end within warps, any places.
    for (unsigned run : {256u, 32u, 20u, 0u})
      for (unsigned n : {256u, 200u, 32u, 7u, 0u}) {
        std::vector<int32_t> places(256);
        for (unsigned i = 0; i < places.size(); ++i)
          places[i] = run ? i / run : i * 29 % 40;
        std::vector<T> out(40, 11), expected = out;
        for (unsigned i = 0; i < n; ++i)
          expected[places[i]] = combine(expected[places[i]], x[i]);
        int32_t *placesPointer = places.data(), count = n;
        T *xPointer = x.data(), *outPointer = out.data();
        ASSERT_EQ(runOnHost(ir, {&placesPointer, &xPointer, &outPointer, &count}), "");
        ASSERT_EQ(out, expected) << "runs of " << run << ", " << n << " elements";
      }
  }
};

} // namespace

TEST_P(AtomicMeeting, ChangesMemoryAsOneByOne) {
  llvm::StringRef operation = GetParam().operation, type = GetParam().type;
  if (type == "f32")
    run<float>([](float a, float b) { return a + b; });
  else if (type == "f64")
    run<double>([](double a, double b) { return a + b; });
  else if (type == "i64")
    run<int64_t>([](int64_t a, int64_t b) { return a + b; });
  else
    run<int32_t>([&](int32_t a, int32_t b) {
      auto left = static_cast<uint32_t>(a), right = static_cast<uint32_t>(b);
      return operation == "add"    ? a + b
             : operation == "max"  ? std::max(a, b)
             : operation == "min"  ? std::min(a, b)
             : operation == "umax" ? static_cast<int32_t>(std::max(left, right))
             : operation == "umin" ? static_cast<int32_t>(std::min(left, right))
             : operation == "and"  ? a & b
             : operation == "or"   ? a | b
             : operation == "xor"  ? a ^ b
                                   : -1;
    });
}

INSTANTIATE_TEST_SUITE_P(Operations, AtomicMeeting,
                         testing::Values(Meeting{"add", "i32"}, Meeting{"add", "i64"}, Meeting{"max", "i32"},
                                         Meeting{"min", "i32"}, Meeting{"umax", "i32"},
                                         Meeting{"umin", "i32"}, Meeting{"and", "i32"}, Meeting{"or", "i32"},
                                         Meeting{"xor", "i32"}, Meeting{"fadd", "f32"},
                                         Meeting{"fadd", "f64"}),
                         [](const testing::TestParamInfo<Meeting> &info) {
                           return std::string(info.param.operation) + "_" + info.param.type;
                         });

TEST(ControlFlow, LoopCarriesTensorsAndScalars) {
  // out[i] = sum over rows of x[row * 64 + i], and the number of rows where the row number is even, by an if.
  std::string ir = kernelModule(
      "#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>",
      "%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %even: !tt.ptr<i32>, %n: i32", R"(
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %zero = arith.constant dense<0> : tensor<64xi32, #b>
    %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %count = %c0) -> (tensor<64xi32, #b>, i32) : i32 {
      %start = arith.muli %i, %c64 : i32
      %row = tt.addptr %x, %start : !tt.ptr<i32>, i32
      %rows = tt.splat %row : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
      %p = tt.addptr %rows, %range : tensor<64x!tt.ptr<i32>, #b>, tensor<64xi32, #b>
      %v = tt.load %p : tensor<64x!tt.ptr<i32>, #b>
      %next = arith.addi %acc, %v : tensor<64xi32, #b>
      %bit = arith.andi %i, %c1 : i32
      %isEven = arith.cmpi eq, %bit, %c0 : i32
      %counted = scf.if %isEven -> i32 {
        %more = arith.addi %count, %c1 : i32
        scf.yield %more : i32
      } else {
        scf.yield %count : i32
      }
      scf.yield %next, %counted : tensor<64xi32, #b>, i32
    }
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %op = tt.addptr %os, %range : tensor<64x!tt.ptr<i32>, #b>, tensor<64xi32, #b>
    tt.store %op, %sum#0 : tensor<64x!tt.ptr<i32>, #b>
    tt.store %even, %sum#1 : !tt.ptr<i32>)",
      1);
  std::vector<int32_t> x(5 * 64), out(64);
  std::iota(x.begin(), x.end(), 3);
  int32_t even = -1, n = 5;
  int32_t *xPointer = x.data(), *outPointer = out.data(), *evenPointer = &even;
  ASSERT_EQ(runOnHost(ir, {&xPointer, &outPointer, &evenPointer, &n}), "");
  EXPECT_EQ(even, 3);
  for (int i = 0; i < 64; ++i) {
    int expected = 0;
    for (int row = 0; row < 5; ++row)
      expected += x[row * 64 + i];
    EXPECT_EQ(out[i], expected);
  }
}

TEST(Errors, UnsupportedOperationsAreNamed) {
  std::string ir = kernelModule("", "", R"(
    %0 = ttg.global_scratch_alloc {alignment = 8 : i32, nbytes = 100 : i32} : !tt.ptr<i8>)");
  EXPECT_NE(runOnHost(ir, {}).find("'ttg.global_scratch_alloc' is not supported on this target yet"),
            std::string::npos);
}

TEST(Errors, TensorsNeedLayouts) {
  std::string ir = kernelModule("", "", R"(
    %0 = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>)");
  EXPECT_NE(runOnHost(ir, {}).find("a value of type 'tensor<128xi32>' can't be lowered for a GPU"),
            std::string::npos);
}

TEST(Errors, BlocksHaveAtMost1024Threads) {
  EXPECT_NE(runOnHost(kernelModule("", "", "", 64), {}).find("64 warps are more than"), std::string::npos);
}
