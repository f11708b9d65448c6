// Functions that have two formulas, each good for a part of all numbers, may be written so that both are
// computed and one is chosen. CUDA 13's tanh is: near 0 a polynomial, elsewhere one by an exponential and a
// reciprocal, for which a multiprocessor has an eighth of the units that it has for sums and products. Where
// a program's numbers are alike, as logits under a cap, one formula is computed for nothing. So the dearer
// one of a few elements is computed behind a branch, which a warp passes by if none of its threads needs it:
//
//     %a = dear formula of %x                        %b = cheap formula of %x
//     %b = cheap formula of %x                       %c = |%x| >= 0.6
//     %c = |%x| >= 0.6                        →      br (%c | the others' conditions), then, on
//     %y = select %c, %a, %b                       then:
//     … three more elements                          %a = dear formula of %x
//                                                    %chosen = select %c, %a, %b
//                                                    …
//                                                  on:
//                                                    %y = phi [%chosen, then], [%b, before]
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_SKIPFORMULAS_H
#define NEREID_COMPILER_TARGETS_NVIDIA_SKIPFORMULAS_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Does that for all selections of code that multiplies no matrices. For what the optimizer has left, which
/// would compute both again.
void skipFormulas(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_SKIPFORMULAS_H
