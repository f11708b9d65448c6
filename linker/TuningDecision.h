// What measurements say of a kernel's variants, as tables that a library carries.
//
// For each device that was measured there is a table: the keys that were measured, for each of them which
// variants ran how fast, and a graph of comparisons that leads from the key of a call to the nearest one. A
// key is the values of some integer arguments, in one order for all tables of a kernel. With `n` measured for
// 512, 4096 and 32768:
//
//     n < 1448?  yes ─▶ 512
//       no ─▶ n < 11585?  yes ─▶ 4096         where n is as many times 512 as 4096 is n
//         no ─▶ 32768
//
// Near is what has a small ratio: the distance of two keys is the root of the sum of the squares of the
// differences of their values' logarithms (of 1 + |value|, with its sign). To be found by comparing values
// one by one, each value of a call is first taken for the nearest that was measured in its place, and then
// the nearest key is looked for; a key that was measured is always found itself. (Where that takes too many
// comparisons for a table, because hundreds of keys have few values in common, it is one near by.) A
// measurement that does not have a value, as other ones of the same kernel do, holds for all of them.
#ifndef NEREID_LINKER_TUNINGDECISION_H
#define NEREID_LINKER_TUNINGDECISION_H

#include "compiler/model/Diagnostics.h"
#include "linker/DispatchPlan.h"
#include "linker/TuningResults.h"

#include <vector>

namespace nereid {

/// Leads from any values to the nearest of the keys, of which there are one or more, all as long.
std::vector<TuningNode> decideNearest(llvm::ArrayRef<TuningKey> keys);

/// Adds to the plan's kernels what was measured of their variants. Warns of what the library does not have.
void addTuning(DispatchPlan &plan, llvm::ArrayRef<Measurement> measurements, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_LINKER_TUNINGDECISION_H
