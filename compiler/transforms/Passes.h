// The passes on tt and ttg IR, a file each in this folder, and the pipelines that targets put together from
// them.
#ifndef NEREID_COMPILER_TRANSFORMS_PASSES_H
#define NEREID_COMPILER_TRANSFORMS_PASSES_H

#include "compiler/Target.h"

#include <memory>

namespace mlir {
class OpPassManager;
class Pass;
} // namespace mlir

namespace nereid {

/// What every frontend's output goes through, whatever the target: inlining, combining, canonical forms,
/// hoisting.
void addTTPasses(mlir::OpPassManager &passes);

/// From tt IR to ttg IR that a GPU lowering takes: layouts chosen, accesses coalesced, conversions removed
/// where they can be, scratch memory allocated (attributes `allocation.offset` on operations, `ttg.shared` on
/// the module) and barriers placed.
void addTTGPasses(mlir::OpPassManager &passes, const Target &target, unsigned numWarps, unsigned numStages);

/// Makes every pass known to nereid-opt by name.
void registerPasses();

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_PASSES_H
