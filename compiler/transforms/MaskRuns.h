// How a mask changes along a run of neighbours. What switches a vector's elements is mostly a comparison of
// neighbouring numbers with the end of a row:
//
//     offsets          0    1    2    3  |  4    5    6    7
//     offsets < 6      1    1    1    1  |  1    1    0    0       falls, within each vector at most once
//
// So all elements of a vector are on if its last one is, and none is if its first one is not.
#ifndef NEREID_COMPILER_TRANSFORMS_MASKRUNS_H
#define NEREID_COMPILER_TRANSFORMS_MASKRUNS_H

#include "compiler/transforms/AxisInfo.h"

#include <optional>

namespace nereid {

enum class MaskRun { Constant, Falling, Rising };

/// How the mask changes along axis `d` in each run of `width` elements that begins at a multiple of that; no
/// answer where it may change in other ways, as one that two comparisons make together.
std::optional<MaskRun> getMaskRunAlong(const AxisInfoAnalysis &axes, mlir::Value mask, unsigned d,
                                       int64_t width);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_MASKRUNS_H
