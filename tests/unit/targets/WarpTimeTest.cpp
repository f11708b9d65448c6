// How long a warp takes for machine code that is put together here, word by word.
#include "compiler/targets/nvidia/WarpTime.h"

#include "compiler/targets/nvidia/Instructions.h"

#include "gtest/gtest.h"

#include <string>

namespace nereid {
namespace {

constexpr unsigned none = 7, anything = 0x210; // FADD, say

struct Step {
  unsigned operation = anything;
  unsigned stall = 1, counter = none, waits = 0; // a bit for each counter
};

/// The code of these steps, of which the last one, if it is a branch, goes back to the step `back`.
std::string makeCode(const std::vector<Step> &steps, unsigned back = 0) {
  std::string code(steps.size() * Instruction::bytes, '\0');
  for (unsigned i = 0; i != steps.size(); ++i) {
    const Step &step = steps[i];
    uint64_t lower = step.operation;
    if (step.operation == operation::branch) {
      int64_t distance = (int64_t(back) - int64_t(i) - 1) * int64_t(Instruction::bytes) / 4;
      lower |= uint64_t(distance & 0xff) << 16 | uint64_t(distance >> 8) << 34;
    }
    uint64_t upper = uint64_t(step.stall) << 41 | uint64_t(step.counter) << 46 | uint64_t(none) << 49 |
                     uint64_t(step.waits) << 52;
    llvm::support::endian::write64le(&code[i * Instruction::bytes], lower);
    llvm::support::endian::write64le(&code[i * Instruction::bytes + 8], upper);
  }
  return code;
}

uint64_t countCycles(const std::vector<Step> &steps) { return measureWarp(makeCode(steps)).cycles; }

TEST(WarpTime, AddsUpWhatTheSchedulerIsTold) {
  EXPECT_EQ(measureWarp("").cycles, 0u);
  EXPECT_EQ(countCycles({{.stall = 4}, {.stall = 6}, {.stall = 0}}), 11u);
  EXPECT_EQ(measureWarp(makeCode({{}, {}, {.operation = operation::globalLoad, .counter = 0}})).instructions,
            3u);
}

TEST(WarpTime, WaitsForWhatIsNamedAndForNothingElse) {
  const Step load{.operation = operation::globalLoad, .counter = 2}, use{.waits = 1 << 2};
  uint64_t memory = countCycles({load, use}) - 1;
  EXPECT_GT(memory, 100u);
  EXPECT_EQ(countCycles({load, {.waits = 1 << 3}}), 2u);
  // Loads under way together are waited for once, one behind the other twice.
  EXPECT_EQ(countCycles({load, load, use}), memory + 2);
  EXPECT_EQ(countCycles({load, use, load, use}), 2 * memory + 2);
  // What is on chip is there sooner.
  EXPECT_LT(countCycles({{.operation = operation::sharedLoad, .counter = 2}, use}), memory);
}

TEST(WarpTime, RoundsOfLoopsCountMoreThanOnce) {
  // What a round loads is used in the next one, behind ten cycles of other things.
  const Step load{.operation = operation::globalLoad, .counter = 0};
  std::string code = makeCode({{}, {.waits = 1}, load, {.stall = 10}, {.operation = operation::branch}}, 1);
  uint64_t memory = countCycles({load, {.waits = 1}}) - 1;
  EXPECT_EQ((measureWarp(code).cycles - 14) % (memory + 1), 0u);
  EXPECT_GT(measureWarp(code).cycles, 2 * memory);
  EXPECT_EQ((measureWarp(code).instructions - 5) % 4, 0u);
}

TEST(WarpTime, RoundsOfInnermostLoopsAlone) {
  std::vector<Step> steps(6);
  steps[3].operation = operation::branch;
  uint64_t inner = measureWarp(makeCode(steps, 1)).instructions;
  EXPECT_GT(inner, 6u);
  steps[5].operation = operation::branch;
  EXPECT_EQ(measureWarp(makeCode(steps, 1)).instructions, inner);
  // Behind a kernel stands a branch to itself.
  EXPECT_EQ(measureWarp(makeCode({{}, {.operation = operation::branch}}, 1)).instructions, 2u);
}

} // namespace
} // namespace nereid
