// Layouts in which threads scan runs of neighbouring elements.
//
// What was loaded element by element, because nothing is known of the addresses, has a layout in which a
// warp's 32 lanes hold 32 neighbouring elements, eight times. A scan then takes five steps of lanes for each
// of the eight, and the totals of 32 segments go through memory on chip. Of eight elements that a thread has
// in a row, it scans seven itself and takes five steps of lanes for the last, and there are four segments,
// one of each warp.
//
// Operands and results change places through memory for that, so it has to save much: what is combined is
// more than a sum, as an element and its index, or there are many segments. A sum of what is loaded down
// columns stays as it is all the same: the programs wait for their lines, which what changes places takes
// room from in the first cache. FlagGems's scan_part_sum_abc_kernel, 4096 columns of as many rows, takes 363
// us on an H200 by such a layout, and 352 without.
#ifndef NEREID_COMPILER_TRANSFORMS_SCANLAYOUT_H
#define NEREID_COMPILER_TRANSFORMS_SCANLAYOUT_H

#include "compiler/dialects/ttg/Dialect.h"

namespace nereid {

/// A layout for the operands and results of a scan that makes up for their conversions; null if there is
/// none.
mlir::Attribute findGatheredLayout(tt::ScanOp scan);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_SCANLAYOUT_H
