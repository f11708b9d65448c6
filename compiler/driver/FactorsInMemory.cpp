// See FactorsInMemory.h.
#include "compiler/driver/FactorsInMemory.h"

#include "compiler/driver/ResidentBlocks.h"
#include "compiler/driver/SecondForm.h"
#include "compiler/model/CompileResult.h"
#include "compiler/transforms/LastingFactors.h"

#include "mlir/IR/BuiltinOps.h"

namespace nereid {

/// Whether so much is spilled that factors in memory on chip are sure to be better, if they leave registers:
/// much, or some by which other blocks had to find room.
static bool spillsForFactors(const KernelInfo &info) {
  constexpr unsigned manyBytes = 64, allRegisters = 254;
  return info.resources->localBytes >= manyBytes ||
         (info.resources->localBytes && info.resources->registers < allRegisters);
}

bool mayWantFactorsInMemory(mlir::ModuleOp module, const CompileResult &result, const Target &target) {
  if (!result.hasMovableFactors || !result.mayMoveFactors || !result.info.resources ||
      module->hasAttr(lastingFactorsInMemoryName))
    return false;
  constexpr unsigned fewBlocks = 2;
  unsigned blocks = countBlocks(result.info, target), registers = result.info.resources->registers;
  unsigned least = blocks == fewBlocks ? registers * 13 / 20 : registers * 7 / 10;
  return spillsForFactors(result.info) ||
         (blocks <= fewBlocks && countBlocks(result.info, least, target) > blocks);
}

bool isBetterWithFactorsInMemory(const KernelInfo &other, const KernelInfo &now, const Target &target) {
  unsigned blocks = countBlocks(now, target), otherBlocks = countBlocks(other, target);
  // Of local memory, for which nothing else has to be given up.
  constexpr unsigned fewBytes = 32;
  unsigned bytes = now.resources->localBytes, otherBytes = other.resources->localBytes;
  if (spillsForFactors(now))
    return 5 * otherBytes <= 4 * bytes && (otherBlocks >= blocks || 5 * otherBytes <= bytes);
  return otherBlocks > blocks && otherBytes <= fewBytes;
}

bool mayHaveFewerTurnsWithFactorsInMemory(mlir::ModuleOp module, const CompileResult &result,
                                          const Target &target) {
  const KernelInfo &info = result.info;
  if (!result.hasMovableFactors || !result.mayMoveFactors || !info.resources || info.numCTAs > 1 ||
      module->hasAttr(lastingFactorsInMemoryName) || hasFormForTurns(result))
    return false;
  constexpr unsigned someBlocks = 3;
  unsigned blocks = countBlocks(info, target);
  return blocks >= someBlocks && countBlocks(info, info.resources->registers * 3 / 4, target) > blocks;
}

} // namespace nereid
