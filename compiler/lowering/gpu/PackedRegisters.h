// Narrow elements that travel together: a shuffle between lanes moves 32 bits, as many as two elements of f16
// or four of i8 have. Which of a thread's registers go together is told by bits of their numbers. Of eight
// registers and bit 0 it is neighbours, 0 and 1, 2 and 3, …; of bit 2, 0 and 4, 1 and 5, ….
#ifndef NEREID_COMPILER_LOWERING_GPU_PACKEDREGISTERS_H
#define NEREID_COMPILER_LOWERING_GPU_PACKEDREGISTERS_H

#include "compiler/lowering/gpu/Emitter.h"

namespace nereid::gpu {

/// The number of the `i`th register of a group, whose bits are in the order of `bits`.
uint32_t getInGroup(uint32_t group, uint32_t i, llvm::ArrayRef<unsigned> bits);

/// Groups of registers that differ in these bits of their numbers, each as one integer.
Registers packRegisters(Emitter &e, const Registers &registers, llvm::ArrayRef<unsigned> bits);

/// Back from that, where an element is of this type.
Registers unpackRegisters(Emitter &e, const Registers &registers, llvm::ArrayRef<unsigned> bits,
                          llvm::Type *element);

} // namespace nereid::gpu

#endif // NEREID_COMPILER_LOWERING_GPU_PACKEDREGISTERS_H
