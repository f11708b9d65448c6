// Compiles tt IR text for the CPU and runs it in this process.
//
// Every kernel of these tests runs on each x86-64 level that the machine has, since each takes other paths
// through the lowering (no fused multiply-add, no half conversions, no masked moves on the lower ones).
// GuardedArray puts inaccessible pages around an array, so that a lane that touches memory it must not ends
// the test.
#ifndef NEREID_TESTS_UNIT_LOWERING_CPU_KERNELRUNNER_H
#define NEREID_TESTS_UNIT_LOWERING_CPU_KERNELRUNNER_H

#include "compiler/model/KernelFailure.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nereid::test {

/// The levels to test: those this machine runs.
std::vector<std::string> getTestedLevels();

class Kernel {
public:
  /// `ir` is the text of a module with one public function.
  Kernel(const std::string &ir, const std::string &level);
  ~Kernel();
  Kernel(Kernel &&);

  bool isValid() const { return entry != nullptr; }
  /// What was wrong with the text, if it is not valid.
  const std::string &getErrors() const { return errors; }
  const std::string &getLLVMIR() const { return llvmIR; }
  /// What the last run said of its assertions.
  const KernelFailure &getFailure() const { return failure; }

  /// Runs all programs of the grid. Arguments: pointers and scalars.
  template <typename... Arguments> void run(std::vector<uint32_t> grid, Arguments... arguments) {
    std::vector<void *> pointers{static_cast<void *>(&arguments)...};
    runPrograms(grid, pointers, 0, ~uint64_t(0));
  }
  void runPrograms(std::vector<uint32_t> grid, std::vector<void *> arguments, uint64_t first, uint64_t last);
  /// The same with the record of a failed assertion that several threads share.
  void runShared(std::vector<uint32_t> grid, std::vector<void *> arguments, uint64_t first, uint64_t last,
                 KernelFailure &shared);

private:
  struct State;
  std::unique_ptr<State> state;
  using Entry = void (*)(void *const *, const uint32_t *, uint64_t, uint64_t, void *, KernelFailure *);
  Entry entry = nullptr;
  uint64_t scratchBytes = 0;
  KernelFailure failure;
  std::string errors, llvmIR;
};

/// An array whose last element ends where an inaccessible page begins (or whose first element stands behind
/// one).
class GuardedPages {
public:
  explicit GuardedPages(size_t bytes, bool atStart = false);
  ~GuardedPages();
  GuardedPages(const GuardedPages &) = delete;
  void *get() const { return data; }

private:
  void *mapping;
  size_t mappedBytes;
  void *data;
};

template <typename T> class GuardedArray {
public:
  explicit GuardedArray(size_t count, bool atStart = false)
      : pages(count * sizeof(T), atStart), count(count) {}
  T *data() { return static_cast<T *>(pages.get()); }
  T &operator[](size_t i) { return data()[i]; }
  size_t size() const { return count; }

private:
  GuardedPages pages;
  size_t count;
};

// f16 and bf16 by their bits, with the conversions done by the test's own code.
float fromHalf(uint16_t bits);
uint16_t toHalf(double value);
float fromBFloat(uint16_t bits);
uint16_t toBFloat(float value);

/// Runs the body for each level, with the level in messages.
void forEachLevel(const std::function<void(const std::string &)> &body);

/// The distance of two floats in units of the last place; 0 for two NaN.
int64_t ulpDistance(float a, float b);

} // namespace nereid::test

#endif // NEREID_TESTS_UNIT_LOWERING_CPU_KERNELRUNNER_H
