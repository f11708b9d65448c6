// Where a round of a loop computes tiles with many elements, LLVM and ptxas leave the operations in about the
// order in which the program has them, tile after tile, so that all elements of a tile wait for the last of
// them to be computed:
//
//     %a0 = fmul %x0, %s                                %a0 = fmul %x0, %s
//     %a1 = fmul %x1, %s                                %b0 = fadd %a0, %y0      %x0, %y0 and %a0 end here
//     …                                          →      %a1 = fmul %x1, %s
//     %b0 = fadd %a0, %y0                               %b1 = fadd %a1, %y1
//     %b1 = fadd %a1, %y1                               …
//     …
//
// Where registers do not suffice, most of these tiles go to local memory and back. It is better then to
// compute things when they are needed, and early if more ends by that than begins.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_ORDERFORREGISTERS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_ORDERFORREGISTERS_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Orders the instructions of large blocks for few registers. Whatever reaches memory or waits for other
/// threads keeps its order. For code that is generated next: LLVM's other passes do not keep the order.
void orderForRegisters(llvm::Module &module);

/// Orders them so that nothing is computed before it is needed: of elements that are stored, one is computed
/// after the other, from what was loaded to the end.
void orderByResults(llvm::Module &module);

/// As orderForRegisters, but for blocks that start products of warp groups, such as what is made of a product
/// behind its loop.
void orderBesideProducts(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_ORDERFORREGISTERS_H
