// LLVM 22 loads too much for AVX-512 where a product is masked as one of its operands is: it makes the load
// an operand of the fused multiplication, whose mask then guards the access, and takes it out again as a load
// without a mask where that saves a copy. A row that ends where its memory does is read past its end. So
// arithmetic gets such loads through a fence, which costs no instruction but keeps the load one of its own.
#ifndef NEREID_COMPILER_TARGETS_CPU_FENCEMASKEDLOADS_H
#define NEREID_COMPILER_TARGETS_CPU_FENCEMASKEDLOADS_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Puts a fence between masked loads of floats and the arithmetic on them. For what the optimizer has left,
/// which a fence would hinder.
void fenceMaskedLoads(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_CPU_FENCEMASKEDLOADS_H
