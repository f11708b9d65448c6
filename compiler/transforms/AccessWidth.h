// How many of a thread's registers one memory instruction may cover, for a load or store of a tensor with a
// layout.
#ifndef NEREID_COMPILER_TRANSFORMS_ACCESSWIDTH_H
#define NEREID_COMPILER_TRANSFORMS_ACCESSWIDTH_H

#include "compiler/transforms/AxisInfo.h"

namespace nereid {

/// For a tensor of pointers with an encoding: the largest power of two w such that registers [0, w), [w, 2w),
/// … each hold consecutive elements in memory, beginning at a multiple of w elements' size, with one mask
/// value for all of them (`mask` may be null), of at most `maxBits` together. 1 for a scalar pointer.
unsigned getAccessElements(const AxisInfoAnalysis &axes, mlir::Value pointer, mlir::Value mask,
                           unsigned maxBits = 128);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_ACCESSWIDTH_H
