// A thread that loads eight vectors of a row has eight masks, and selects by them again what it loaded:
//
//     x = tl.load(row + columns, mask=columns < n, other=-inf)
//     total += tl.sum(tl.where(columns < n, x, 0))
//
// Conditions live in predicate registers, of which a thread has seven, one or two for the loop. Where they do
// not suffice, ptxas does not move them elsewhere: it puts the last loads behind the sums of the first, when
// those have no more use for theirs. Then the round waits for memory twice. A mask that is a number, all bits
// set or none, lies in any register, and a selection by it is one instruction as before:
//
//     @%p2 ld.global.v4 {%r1, …}, …                  selp.b32 %r9, -1, 0, %p2
//     …                                        →     @%p2 ld.global.v4 {%r1, …}, …
//     selp.f32 %r5, %r1, 0, %p2                      and.b32 %r5, %r1, %r9
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_MASKSASNUMBERS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_MASKSASNUMBERS_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Where a block of code loads with more masks than there are predicates, and selects by them later, has
/// those selections take numbers. For what the optimizer has left, which would make selections by conditions
/// of them again.
void keepMasksAsNumbers(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_MASKSASNUMBERS_H
