// Programs that wait for other programs.
//
//     while tl.atomic_add(arrived, 0) < tl.num_programs(0):
//         pass
//
// On a GPU, the programs of a grid that fits run at once, and kernels rely on it: grid barriers, split sums
// whose last part is awaited, locks. Threads of a CPU run one program after the other, so that a program that
// waits for a later one would wait forever. Such kernels are known by their loops: what a loop repeats
// without storing anything, while it looks at memory that others change, is a wait. It lets other threads run
// at each turn, and the runtime gives its kernel as many threads as it takes to get on
// (templates/cpu_loader.c.in).
#ifndef NEREID_COMPILER_LOWERING_CPU_WAITING_H
#define NEREID_COMPILER_LOWERING_CPU_WAITING_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::cpu {

/// Whether all that the loop does is to read memory, by atomic operations or volatile loads, and to compute.
bool isWaitingLoop(mlir::scf::WhileOp loop);

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_WAITING_H
