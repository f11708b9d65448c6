// A processor without gathers gets each as a branch and a load for every lane. A kernel with hundreds of
// masked gathers, of a static_range for one, then has thousands of branches, over which passes of the code
// generator take minutes. So in such kernels every lane loads: those that the mask leaves out, from a spare
// word on the stack. Scatters likewise.
#ifndef NEREID_COMPILER_TARGETS_CPU_FLATTENGATHERS_H
#define NEREID_COMPILER_TARGETS_CPU_FLATTENGATHERS_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Makes masked gathers and scatters plain accesses of each lane, in functions that have very many of them.
void flattenGathers(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_CPU_FLATTENGATHERS_H
