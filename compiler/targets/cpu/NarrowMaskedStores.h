// LLVM 22 stores too much for AVX-512 where a masked store has one lane, known when it compiles, and the
// value is truncated: of a block of bf16 of which only the first element is there, it writes the truncated
// lane as wide as it was before. So such stores become plain ones of that lane, after the optimizer has run.
#ifndef NEREID_COMPILER_TARGETS_CPU_NARROWMASKEDSTORES_H
#define NEREID_COMPILER_TARGETS_CPU_NARROWMASKEDSTORES_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Makes masked stores of a single known lane stores of a scalar.
void narrowMaskedStores(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_CPU_NARROWMASKEDSTORES_H
