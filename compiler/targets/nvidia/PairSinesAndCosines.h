// Rotary embeddings take the sine and the cosine of the same angles. libdevice's `__nv_sinf` and `__nv_cosf`
// each bring the angle into the first octant by themselves. LLVM finds that they do the same with small
// angles, but not in their other branch, for large ones: a loop over the digits of 2/π, of which a tile's
// elements then have twice as many copies, and registers that wait for all of them. `__nv_sincosf` has that
// branch once, and gives the same bits.
//
//     %s = call float @__nv_sinf(float %x)          call void @__nv_sincosf(float %x, ptr %sine, ptr %cosine)
//     %c = call float @__nv_cosf(float %x)    =>    %s = load float, ptr %sine
//                                                   %c = load float, ptr %cosine
//
// The two places in memory are gone once the function is inlined.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_PAIRSINESANDCOSINES_H
#define NEREID_COMPILER_TARGETS_NVIDIA_PAIRSINESANDCOSINES_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// For a module that libdevice is not linked to yet.
void pairSinesAndCosines(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_PAIRSINESANDCOSINES_H
