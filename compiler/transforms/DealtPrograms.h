// How many programs a kernel is launched with, where its own loop says so.
//
// A persistent kernel deals its tiles out to programs that each take every n-th:
//
//     for tile in range(tl.program_id(0), tiles, NUM_SMS):
//
// More than NUM_SMS of them would do work twice. So a multiprocessor has one, as a rule, and it is no loss if
// there is no room for a second.
#ifndef NEREID_COMPILER_TRANSFORMS_DEALTPROGRAMS_H
#define NEREID_COMPILER_TRANSFORMS_DEALTPROGRAMS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace nereid {

/// The most programs that share the work of the kernel around `loop`, if that or a loop around it deals it
/// out. A guess that only speed may depend on: nothing proves that each program begins somewhere else.
std::optional<unsigned> countDealtPrograms(mlir::scf::ForOp loop);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_DEALTPROGRAMS_H
