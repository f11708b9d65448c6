// What a GPU has for one block, checked before code is generated: past it every launch would fail.
#ifndef NEREID_COMPILER_TARGETS_GPULIMITS_H
#define NEREID_COMPILER_TARGETS_GPULIMITS_H

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nereid {

struct KernelInfo;
struct Target;

/// Reports at the kernel, and returns false, if a block needs more than its GPU has.
bool checkLimits(mlir::ModuleOp module, const Target &target, const KernelInfo &info);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_GPULIMITS_H
