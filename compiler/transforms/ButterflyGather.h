// Gathers in which elements change places by twos: each takes the one whose place along the axis differs in
// certain bits, always the same.
//
//     %along = tt.make_range {0, 32}
//     %other = arith.xori %along, dense<4>
//     %y = tt.gather %x[%other] {axis = 0}             y[i] = x[i ^ 4]
//
// That is what sorting networks are made of (tl.sort, tl.topk). A tensor that is turned round (tl.flip) is
// such a gather, too: 31 - i is i ^ 31. Where those bits are registers or lanes, and not warps, other
// registers or one shuffle each do it, without memory on chip and its barriers.
#ifndef NEREID_COMPILER_TRANSFORMS_BUTTERFLYGATHER_H
#define NEREID_COMPILER_TRANSFORMS_BUTTERFLYGATHER_H

#include "compiler/dialects/tt/Dialect.h"

#include <optional>

namespace nereid {

/// A thread's register r becomes register r ^ registers of lane l ^ lanes, if it is lane l.
struct Butterfly {
  uint32_t registers = 0, lanes = 0;
};

/// The bits in which all places along the axis differ from their own; none for other gathers.
std::optional<uint64_t> getDifference(tt::GatherOp op);

/// Whether it is such a gather, whatever its layout: then layouts pass it as they pass arithmetic.
bool isButterfly(tt::GatherOp op);

/// None for other gathers, and where warps would have to meet.
std::optional<Butterfly> getButterfly(tt::GatherOp op);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_BUTTERFLYGATHER_H
