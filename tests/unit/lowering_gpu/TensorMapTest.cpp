// Tensor maps that programs make: tensors whose addresses come from memory, and what the emulated block says
// of programs that use a map before they may.
#include "EmulatedBlock.h"

#include <gtest/gtest.h>

#include <memory>

using namespace nereid::gpu;

namespace {

struct alignas(16) Piece {
  float numbers[4];
};

/// Rows of so many floats, at an address that a map can begin at.
struct Tensor {
  Tensor(unsigned rows, unsigned columns) : pieces((rows * columns + 3) / 4) {
    for (unsigned i = 0; i < rows * columns; ++i)
      data()[i] = float(i % 97) + 0.25f;
  }
  float *data() { return pieces.data()->numbers; }
  std::vector<Piece> pieces;
};

} // namespace

// Each program has a tensor of its own, of which it sums tiles side by side. Some rows and columns of the
// tiles lie outside, and one tensor has no rows at all.
TEST(TensorMaps, AreMadeOfLoadedAddresses) {
  const char *ir = R"(
module {
  tt.func public @sum(%bases: !tt.ptr<!tt.ptr<f32>>, %rows: !tt.ptr<i32>, %out: !tt.ptr<f32>, %k: i32) {
    %zero = arith.constant 0 : i32
    %eight = arith.constant 8 : i32
    %step = arith.constant 32 : i32
    %unit = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<16x32xf32>
    %id = tt.get_program_id x : i32
    %pb = tt.addptr %bases, %id : !tt.ptr<!tt.ptr<f32>>, i32
    %base = tt.load %pb : !tt.ptr<!tt.ptr<f32>>
    %pm = tt.addptr %rows, %id : !tt.ptr<i32>, i32
    %m = tt.load %pm : !tt.ptr<i32>
    %pitch = arith.extsi %k : i32 to i64
    %d = tt.make_tensor_descriptor %base, [%m, %k], [%pitch, %unit] : !tt.ptr<f32>, !tt.tensordesc<tensor<16x32xf32>>
    %sum = scf.for %i = %zero to %k step %step iter_args(%s = %none) -> (tensor<16x32xf32>) : i32 {
      %x = tt.descriptor_load %d[%eight, %i] : !tt.tensordesc<tensor<16x32xf32>> -> tensor<16x32xf32>
      %next = arith.addf %s, %x : tensor<16x32xf32>
      scf.yield %next : tensor<16x32xf32>
    }
    %size = arith.constant 512 : i32
    %first = arith.muli %id, %size : i32
    %own = tt.addptr %out, %first : !tt.ptr<f32>, i32
    %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
    %ps = tt.splat %own : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
    %pp = tt.addptr %ps, %range : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
    %flat = tt.reshape %sum : tensor<16x32xf32> -> tensor<512xf32>
    tt.store %pp, %flat : tensor<512x!tt.ptr<f32>>
    tt.return
  }
}
)";
  constexpr unsigned columns = 104;
  int32_t rows[] = {30, 0, 9, 21};
  std::vector<Tensor> tensors;
  std::vector<float *> bases;
  for (int32_t count : rows)
    tensors.emplace_back(count + 1, columns);
  for (Tensor &tensor : tensors)
    bases.push_back(tensor.data());
  std::vector<float> out(4 * 512, -1);
  float **pb = bases.data(), *po = out.data();
  int32_t *pm = rows, k = columns;
  EXPECT_EQ(runOnHost(ir, {&pb, &pm, &po, &k}, {4}), "");
  for (unsigned p = 0; p < 4; ++p)
    for (unsigned i = 0; i < 16; ++i)
      for (unsigned j = 0; j < 32; ++j) {
        float expected = 0;
        for (unsigned column = j; column < columns; column += 32)
          if (8 + int(i) < rows[p])
            expected += bases[p][(8 + i) * columns + column];
        EXPECT_EQ(out[p * 512 + i * 32 + j], expected) << p << ": " << i << ", " << j;
      }
}

namespace {

/// Copies a tile by a map, with `before` and `behind` around the start of the copy.
std::string runCopy(const std::string &before, const std::string &behind = "") {
  std::string ir = R"(
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 1536 : i32,
                   ttg.global_scratch_memory_size = 128 : i32} {
  tt.func public @copy(%base: !tt.ptr<f32>, %map: !tt.ptr<i8>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c32 = arith.constant 32 : i32
    %pitch = arith.constant 128 : i64
    %odd = arith.constant 132 : i64
    %true = arith.constant true
    %buffer = ttg.local_alloc {allocation.offset = 0 : i32, alignment = 1024 : i32} : () -> !ttg.memdesc<8x32xf32, #tile, #smem, mutable>
    %barrier = ttg.local_alloc {allocation.offset = 1024 : i32, alignment = 16 : i32} : () -> !ttg.memdesc<1xi64, #plain, #smem, mutable>
    ttng.init_barrier %barrier, 1 : !ttg.memdesc<1xi64, #plain, #smem, mutable>
    ttg.local_barrier
    ttng.barrier_expect %barrier, 1024, %true : !ttg.memdesc<1xi64, #plain, #smem, mutable>
)" + before + R"(
    %d = ttng.reinterpret_tensor_descriptor %map : !tt.ptr<i8> to !tt.tensordesc<tensor<8x32xf32, #tile>>
    ttng.async_tma_copy_global_to_local %d[%c0, %c0] %buffer, %barrier, %true : !tt.tensordesc<tensor<8x32xf32, #tile>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<8x32xf32, #tile, #smem, mutable>
)" + behind + R"(
    ttng.wait_barrier %barrier, %c0 : !ttg.memdesc<1xi64, #plain, #smem, mutable>
    tt.return
  }
}
)";
  Tensor tensor(8, 32);
  float *base = tensor.data();
  return runOnHost(ir, {&base});
}

std::string create(const std::string &pitch) {
  return "ttng.tensormap_create %map, %base, [%c32, %c8], [%c32, %c8], [" + pitch +
         "], [%c1, %c1] {allocation.offset = 1280 : i32, elem_type = 2 : i32, fill_mode = 0 : i32, "
         "interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f32>, i32, i32, i32, "
         "i32, "
         "i64, i32, i32) -> ()\n";
}

const std::string acquire = "ttng.tensormap_fenceproxy_acquire %map : !tt.ptr<i8>\n";

} // namespace

TEST(TensorMaps, AreUsedBehindTheirFence) {
  std::string made = create("%pitch");
  EXPECT_EQ(runCopy(made + acquire), "");
  EXPECT_EQ(runCopy(made), "a tile is copied by a tensor map without a fence before");
  EXPECT_EQ(runCopy(made + acquire + made), "a tile is copied by a tensor map without a fence before");
  EXPECT_EQ(runCopy(""), "a tile is copied by a tensor map that is not made yet");
  EXPECT_EQ(runCopy(acquire + made), "a tensor map is acquired that is none");
  EXPECT_EQ(runCopy(made + acquire, made),
            "a tensor map is made anew while copies by the old one are under way");
  EXPECT_EQ(runCopy(create("%odd") + acquire), "a tensor map is made of what the GPU cannot copy");
}
