// What stands among the products or the loads of a loop, found in machine code of sm_90a that is put together
// here.
#include "compiler/targets/MachineCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <gtest/gtest.h>

using namespace nereid;

namespace {

// The lower halves of instructions of sm_90a, as nvdisasm shows them beside their text.
constexpr uint64_t product = 0x0060000c38187df0, // HGMMA.64x32x16.F32 R24, R56, gdesc[UR12], R24
    back = 0xffffffec00d0a947,                   // @!P2 BRA, 0x10b0 bytes back from behind itself
    ahead = 0x0000000000083947,                  // @P3 BRA, over two instructions
    other = 0x000000000000794d;                  // EXIT

std::string makeCode(std::initializer_list<std::pair<unsigned, uint64_t>> instructions) {
  constexpr unsigned count = 0x1100 / 16;
  std::string code(count * 16, '\0');
  for (unsigned i = 0; i < count; ++i)
    llvm::support::endian::write64le(&code[i * 16], other);
  for (auto [at, word] : instructions)
    llvm::support::endian::write64le(&code[at], word);
  return code;
}

// The loop goes from 0x10 to 0x10b0.
constexpr unsigned end = 0x10b0;

} // namespace

TEST(MachineCode, FindsProductsOfWarpGroups) {
  EXPECT_TRUE(hasWarpGroupProducts(makeCode({{0x100, product}})));
  EXPECT_FALSE(hasWarpGroupProducts(makeCode({{0x100, ahead}, {end, back}})));
  EXPECT_FALSE(hasWarpGroupProducts(""));
}

TEST(MachineCode, TellsWhetherLoopsOfProductsReachForLocalMemory) {
  constexpr uint64_t spill = 0x0000d40d01007387, // STL [R1+0xd4], R13
      reload = 0x0001500001107983;               // LDL.LU R16, [R1+0x150]
  for (uint64_t word : {spill, reload}) {
    EXPECT_FALSE(keepsProductLoopsInRegisters(makeCode({{0x100, product}, {0x200, word}, {end, back}})));
    EXPECT_FALSE(keepsProductLoopsInRegisters(makeCode({{0x100, product}, {0x200, word}})));
    EXPECT_TRUE(keepsProductLoopsInRegisters(makeCode({{0x100, product}, {end, back}, {end + 0x10, word}})));
  }
  EXPECT_FALSE(keepsProductLoopsInRegisters(makeCode({{0x100, ahead}, {end, back}})));
}

TEST(MachineCode, FindsBranchesAmongALoopsProducts) {
  EXPECT_TRUE(
      branchesAmongProducts(makeCode({{0x100, product}, {0x200, ahead}, {0x300, product}, {end, back}})));
}

TEST(MachineCode, KnowsProductsOfAllTypes) {
  constexpr uint64_t ofBytes = 0x03600000081879f1, // IGMMA.64x128x32.S8.S8 R24, gdesc[UR8], R24
      ofSmallFloats = 0x00e0000c38187df3;          // QGMMA.64x64x32.F32.E4M3.E4M3 R24, R56, gdesc[UR12], R24
  for (uint64_t word : {ofBytes, ofSmallFloats})
    EXPECT_TRUE(branchesAmongProducts(makeCode({{0x100, word}, {0x200, ahead}, {0x300, word}, {end, back}})));
}

TEST(MachineCode, CountsLoadsBehindStores) {
  constexpr uint64_t load = 0x0000201806067981, // LDG.E R6, desc[UR24][R6.64+0x20]
      store = 0x0010000810007988,               // STS.128 [R16+UR19+0x1000], R8
      barrier = 0x0000000000007b1d;             // BAR.SYNC.DEFER_BLOCKING 0x0
  std::string code = makeCode(
      {{0x100, load}, {0x200, store}, {0x300, load}, {0x400, load}, {0x500, barrier}, {0x600, load}});
  EXPECT_EQ(countGlobalLoads(code), 4u);
  EXPECT_EQ(countLoadsBehindStores(code), 2u);
}

TEST(MachineCode, CountsLoadsBehindWaitsForOthers) {
  constexpr uint64_t load = 0x0000201806067981, // LDG.E R6, desc[UR24][R6.64+0x20]
      barrier = 0x0000000000007b1d;             // BAR.SYNC.DEFER_BLOCKING 0x0
  auto make = [&](std::initializer_list<std::pair<unsigned, uint64_t>> words,
                  std::initializer_list<unsigned> waits) {
    std::string code = makeCode(words);
    constexpr uint64_t none = uint64_t(7) << 46, third = uint64_t(2) << 46;
    for (unsigned at = 0; at < code.size(); at += 16) {
      bool isLoad = llvm::support::endian::read64le(&code[at]) == load;
      uint64_t waitsForThird = llvm::is_contained(waits, at) ? uint64_t(1) << (52 + 2) : 0;
      llvm::support::endian::write64le(&code[at + 8], (isLoad ? third : none) | waitsForThird);
    }
    return code;
  };
  auto count = [&](std::initializer_list<std::pair<unsigned, uint64_t>> words,
                   std::initializer_list<unsigned> waits) {
    return countLoopLoadsBehindWaits(make(words, waits));
  };
  EXPECT_EQ(count({{0x100, load}, {0x200, load}, {0x300, load}, {end, back}}, {0x180}), 2u);
  EXPECT_EQ(count({{0x100, load}, {0x200, load}, {0x300, load}, {end, back}}, {0x380}), 0u);
  // Nothing loads when that waits.
  EXPECT_EQ(count({{0x200, load}, {0x300, load}, {end, back}}, {0x100}), 0u);
  // What is behind a barrier or a branch anyway, or in no loop.
  EXPECT_EQ(count({{0x100, load}, {0x200, barrier}, {0x300, load}, {end, back}}, {0x180}), 0u);
  EXPECT_EQ(count({{0x100, load}, {0x200, ahead}, {0x300, load}, {end, back}}, {0x180}), 0u);
  EXPECT_EQ(count({{0x100, load}, {0x300, load}}, {0x180}), 0u);
  // With those in no loop, of which one may end in front of what follows the kernel: a branch to itself.
  constexpr uint64_t self = 0xfffffffc00fc7947; // BRA to itself
  EXPECT_EQ(countLoadsBehindWaits(make({{0x100, load}, {0x300, load}, {end, self}}, {0x180})), 1u);
  EXPECT_EQ(countLoadsBehindWaits(make({{0x100, load}, {0x300, load}, {end, back}}, {0x180})), 1u);
  // Waits with loads in front and behind, of which one is enough.
  auto countWaits = [&](std::initializer_list<std::pair<unsigned, uint64_t>> words,
                        std::initializer_list<unsigned> waits) {
    return countWaitsBetweenLoads(make(words, waits));
  };
  EXPECT_EQ(countWaits({{0x100, load}, {0x200, load}, {0x300, load}}, {0x180, 0x280, 0x380}), 2u);
  EXPECT_EQ(countWaits({{0x100, load}, {0x200, load}, {0x300, load}, {0x400, load}}, {0x280}), 1u);
  EXPECT_EQ(countWaits({{0x100, load}, {0x200, barrier}, {0x300, load}}, {0x180}), 0u);
}

TEST(MachineCode, PassesOverBranchesBeforeAndBehindALoopsProducts) {
  EXPECT_FALSE(branchesAmongProducts(
      makeCode({{0x50, ahead}, {0x100, product}, {0x300, product}, {0x400, ahead}, {end, back}})));
  EXPECT_FALSE(branchesAmongProducts(makeCode({{0x100, product}, {0x300, product}, {end, back}})));
}

TEST(MachineCode, PassesOverBranchesAmongProductsOutsideOfLoops) {
  EXPECT_FALSE(branchesAmongProducts(makeCode({{0x100, product}, {0x200, ahead}, {0x300, product}})));
  EXPECT_FALSE(branchesAmongProducts(makeCode({{0x100, product}, {0x200, ahead}, {end, back}})));
}

TEST(MachineCode, TakesWhatIsNoCodeForCodeWithoutProducts) {
  EXPECT_FALSE(branchesAmongProducts(""));
  EXPECT_FALSE(branchesAmongProducts("too short"));
  EXPECT_TRUE(findCode("no cubin", "kernel").empty());
}
