// Factors of warp groups' products that stay in registers from one product to another: those that a loop does
// not change, and computed ones that several products take.
//
// ptxas (12.8 and 13.0) gives the registers of such a factor away where threads may part between two products
// of a round: it takes a few instructions under one predicate for a branch, and behind that it no longer
// knows of the factor. Without a word: attention's queries were the probabilities from the second round on.
// So the machine code is looked at (targets/MachineCode.h), and where that may have happened the kernel is
// compiled again, with such factors in memory on chip.
#ifndef NEREID_COMPILER_TRANSFORMS_LASTINGFACTORS_H
#define NEREID_COMPILER_TRANSFORMS_LASTINGFACTORS_H

#include "mlir/IR/BuiltinOps.h"

namespace nereid {

/// On a module whose lasting factors have to be in memory; all left factors, where there were some even so.
constexpr llvm::StringLiteral lastingFactorsInMemoryName = "nereid.lasting_factors_in_memory",
                              factorsInMemoryName = "nereid.factors_in_memory";

/// On a module with left factors in registers that lastingFactorsInMemoryName would move.
constexpr llvm::StringLiteral movableFactorsName = "nereid.movable_factors";

/// Whether the module, behind the layout passes, has such factors in registers.
bool hasLastingFactors(mlir::ModuleOp module);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_LASTINGFACTORS_H
