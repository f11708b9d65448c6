// A maximum of floats that were halves, stored as a half, is a maximum of halves, and LLVM's optimizer makes
// it that. CPUs that convert halves but do not compute with them then call the C library for each lane, where
// one vector instruction on floats would do. So such functions become functions of floats again, after the
// optimizer has run. (Sums and products of halves are generated well as they are.)
#ifndef NEREID_COMPILER_TARGETS_CPU_WIDENHALFFUNCTIONS_H
#define NEREID_COMPILER_TARGETS_CPU_WIDENHALFFUNCTIONS_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Makes extrema, roundings and square roots of f16 those of f32. The results stay the same to the bit.
void widenHalfFunctions(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_CPU_WIDENHALFFUNCTIONS_H
