// Some instructions have no word in LLVM IR, such as a load under a mask: NVIDIALowering writes them as
// inline assembly, and passes know them again by its text.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_INLINEASSEMBLY_H
#define NEREID_COMPILER_TARGETS_NVIDIA_INLINEASSEMBLY_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class InlineAsm;
class Instruction;
} // namespace llvm

namespace nereid {

/// The assembly that an instruction calls; null for everything else.
const llvm::InlineAsm *getInlineAssembly(const llvm::Instruction &instruction);

/// Its text, as in `@$1 ld.global.b32 $0, [$2];`; empty for everything else.
llvm::StringRef getAssemblyText(const llvm::Instruction &instruction);

/// Whether it loads from global memory, or stores there, in either way.
bool loadsGlobalMemory(const llvm::Instruction &instruction);
bool storesGlobalMemory(const llvm::Instruction &instruction);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_INLINEASSEMBLY_H
