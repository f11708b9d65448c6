// Memory on chip as the program sees it, run on the host: whatever the swizzle and the view, a tensor that
// was written comes back in any layout, and an asynchronous copy is there after its wait and not before.
#include "EmulatedBlock.h"
#include "KernelText.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace nereid::gpu;

namespace {

constexpr unsigned rows = 64, columns = 64, bufferBytes = rows * columns * 4;

const char *const writer =
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
const char *const matrix =
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";

struct Memory {
  const char *name, *shared;
};
void PrintTo(const Memory &memory, std::ostream *os) { *os << memory.name; }

struct Reader {
  const char *name, *layout;
};
void PrintTo(const Reader &reader, std::ostream *os) { *os << reader.name; }

const Memory memories[] = {
    {"plain", "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"},
    {"swizzled", "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"},
    {"halfSwizzled", "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>"},
    {"columnsFirst", "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>"},
    {"matrix128", "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"},
    {"matrix64", "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>"},
    {"matrix32", "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>"},
    {"matrixPlain", "#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>"},
    {"matrixTransposed",
     "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>"},
    // Of eight elements that a thread writes together, the registers are not neighbours.
    {"rowsOfMatrices", "#ttg.shared_linear<{offset = [[32, 0], [0, 1], [0, 2], [8, 0], [16, 0], [1, 0], [2, "
                       "0], [4, 0], [0, 4], "
                       "[1, 8], [8, 16], [16, 32]], block = []}, alignment = 16>"},
};
const Reader readers[] = {
    {"asWritten", writer},
    {"downColumns",
     "#ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>"},
    {"leftOperand", "#ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>"},
    {"rightOperand", "#ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>"},
    {"accumulator", "#mma"},
    {"groupOperand",
     "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = "
     "[4, 1], instrShape = [16, 64, 16]}>, kWidth = 2}>"},
};

class SharedMemory : public testing::TestWithParam<std::tuple<Memory, Reader>> {};

std::string layouts(const char *shared, const char *reader) {
  return "#w = " + std::string(writer) + "\n#mma = " + matrix + "\n#s = " + shared + "\n#r = " + reader +
         "\n#smem = #ttg.shared_memory";
}

/// Stores %v, of rows x columns of $T in layout #r, by its elements' numbers.
std::string storeResult(const std::string &type, unsigned height, unsigned width) {
  return flatIndex("r", "#r", height, width) +
         substitute(R"(
    %os = tt.splat %out : !tt.ptr<$T> -> tensor<$Mx$Nx!tt.ptr<$T>, #r>
    %op = tt.addptr %os, %rflat : tensor<$Mx$Nx!tt.ptr<$T>, #r>, tensor<$Mx$Nxi32, #r>
    tt.store %op, %v : tensor<$Mx$Nx!tt.ptr<$T>, #r>)",
                    {{"T", type}, {"M", std::to_string(height)}, {"N", std::to_string(width)}});
}

/// %n: the element numbers as i16.
std::string numbers() {
  return flatIndex("w", "#w", rows, columns) +
         "\n    %n = arith.trunci %wflat : tensor<64x64xi32, #w> to tensor<64x64xi16, #w>\n";
}

std::vector<uint16_t> run(const std::string &ir, size_t count) {
  std::vector<uint16_t> out(count, 0xEEEE);
  uint16_t *pointer = out.data();
  EXPECT_EQ(runOnHost(ir, {&pointer}), "");
  return out;
}

} // namespace

TEST_P(SharedMemory, GivesBackWhatWasWritten) {
  auto [memory, reader] = GetParam();
  std::string body = numbers() + R"(
    %m = ttg.local_alloc %n {allocation.offset = 256 : i32} : (tensor<64x64xi16, #w>) -> !ttg.memdesc<64x64xi16, #s, #smem>
    ttg.local_barrier
    %v = ttg.local_load %m : !ttg.memdesc<64x64xi16, #s, #smem> -> tensor<64x64xi16, #r>)" +
                     storeResult("i16", rows, columns);
  std::vector<uint16_t> out = run(
      kernelModule(layouts(memory.shared, reader.layout), "%out: !tt.ptr<i16>", body, 4, 256 + bufferBytes),
      rows * columns);
  for (unsigned i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], i) << "element " << i;
}

TEST_P(SharedMemory, SeesOneBufferOfARing) {
  auto [memory, reader] = GetParam();
  std::string body = numbers() + R"(
    %ring = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<3x64x64xi16, #s, #smem, mutable>
    %c2 = arith.constant 2 : i32
    %m = ttg.memdesc_index %ring[%c2] : !ttg.memdesc<3x64x64xi16, #s, #smem, mutable> -> !ttg.memdesc<64x64xi16, #s, #smem, mutable, 3x64x64>
    ttg.local_store %n, %m : tensor<64x64xi16, #w> -> !ttg.memdesc<64x64xi16, #s, #smem, mutable, 3x64x64>
    ttg.local_barrier
    %v = ttg.local_load %m : !ttg.memdesc<64x64xi16, #s, #smem, mutable, 3x64x64> -> tensor<64x64xi16, #r>)" +
                     storeResult("i16", rows, columns);
  std::vector<uint16_t> out =
      run(kernelModule(layouts(memory.shared, reader.layout), "%out: !tt.ptr<i16>", body, 4, 3 * bufferBytes),
          rows * columns);
  for (unsigned i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], i) << "element " << i;
}

TEST_P(SharedMemory, SeesAPart) {
  auto [memory, reader] = GetParam();
  std::string body = numbers() + R"(
    %m = ttg.local_alloc %n {allocation.offset = 0 : i32} : (tensor<64x64xi16, #w>) -> !ttg.memdesc<64x64xi16, #s, #smem>
    ttg.local_barrier
    %p = ttg.memdesc_subslice %m[32, 16] : !ttg.memdesc<64x64xi16, #s, #smem> -> !ttg.memdesc<32x16xi16, #s, #smem, 64x64>
    %v = ttg.local_load %p : !ttg.memdesc<32x16xi16, #s, #smem, 64x64> -> tensor<32x16xi16, #r>)" +
                     storeResult("i16", 32, 16);
  std::vector<uint16_t> out =
      run(kernelModule(layouts(memory.shared, reader.layout), "%out: !tt.ptr<i16>", body, 4, bufferBytes),
          32 * 16);
  for (unsigned i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], (i / 16 + 32) * columns + i % 16 + 16) << "element " << i;
}

INSTANTIATE_TEST_SUITE_P(Layouts, SharedMemory,
                         testing::Combine(testing::ValuesIn(memories), testing::ValuesIn(readers)));

// Two buffers, a copy under way to one of them: what the wait says is there, and nothing else.
static std::string copies(const std::string &wait) {
  return R"(
    %one = arith.constant dense<4096> : tensor<64x64xi32, #w>
    %next = arith.addi %wflat, %one : tensor<64x64xi32, #w>
    %xs = tt.splat %x : !tt.ptr<i16> -> tensor<64x64x!tt.ptr<i16>, #w>
    %xp = tt.addptr %xs, %wflat : tensor<64x64x!tt.ptr<i16>, #w>, tensor<64x64xi32, #w>
    %xq = tt.addptr %xs, %next : tensor<64x64x!tt.ptr<i16>, #w>, tensor<64x64xi32, #w>
    %limit = arith.constant dense<4096> : tensor<64x64xi32, #w>
    %half = arith.constant dense<2048> : tensor<64x64xi32, #w>
    %mask = arith.cmpi slt, %wflat, %half : tensor<64x64xi32, #w>
    %ring = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<2x64x64xi16, #s, #smem, mutable>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %m0 = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<2x64x64xi16, #s, #smem, mutable> -> !ttg.memdesc<64x64xi16, #s, #smem, mutable, 2x64x64>
    %m1 = ttg.memdesc_index %ring[%c1] : !ttg.memdesc<2x64x64xi16, #s, #smem, mutable> -> !ttg.memdesc<64x64xi16, #s, #smem, mutable, 2x64x64>
    %t0 = ttg.async_copy_global_to_local %xp, %m0 : tensor<64x64x!tt.ptr<i16>, #w> -> <64x64xi16, #s, #smem, mutable, 2x64x64>
    %g0 = ttg.async_commit_group tokens %t0
    %t1 = ttg.async_copy_global_to_local %xq, %m1 mask %mask : tensor<64x64x!tt.ptr<i16>, #w> -> <64x64xi16, #s, #smem, mutable, 2x64x64>
    %g1 = ttg.async_commit_group tokens %t1
)" + wait;
}

static std::vector<uint16_t> runCopies(const std::string &wait, const std::string &buffer) {
  std::string body = flatIndex("w", "#w", rows, columns) + copies(wait) +
                     substitute(R"(
    ttg.local_barrier
    %v = ttg.local_load $M : !ttg.memdesc<64x64xi16, #s, #smem, mutable, 2x64x64> -> tensor<64x64xi16, #r>)",
                                {{"M", buffer}}) +
                     storeResult("i16", rows, columns);
  std::string ir = kernelModule(layouts(memories[1].shared, writer),
                                "%x: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i16>", body, 4,
                                2 * bufferBytes);
  alignas(16) static uint16_t x[2 * rows * columns];
  for (unsigned i = 0; i < 2 * rows * columns; ++i)
    x[i] = i + 1;
  std::vector<uint16_t> out(rows * columns, 0xEEEE);
  uint16_t *pointer = out.data(), *xPointer = x;
  EXPECT_EQ(runOnHost(ir, {&xPointer, &pointer}), "");
  return out;
}

TEST(AsyncCopy, IsThereAfterItsWait) {
  std::vector<uint16_t> first = runCopies("    %w = ttg.async_wait {num = 1 : i32}\n", "%m0");
  for (unsigned i = 0; i < first.size(); ++i)
    ASSERT_EQ(first[i], i + 1) << "element " << i;
  // Masked elements become zeros.
  std::vector<uint16_t> second = runCopies("    %w = ttg.async_wait {num = 0 : i32}\n", "%m1");
  for (unsigned i = 0; i < second.size(); ++i)
    ASSERT_EQ(second[i], i < 2048 ? i + 4097 : 0) << "element " << i;
}

TEST(AsyncCopy, IsNotThereBefore) {
  std::vector<uint16_t> early = runCopies("    %w = ttg.async_wait {num = 1 : i32}\n", "%m1");
  EXPECT_EQ(early, std::vector<uint16_t>(rows * columns, 0x7f7f)) << "memory that was never written";
}
