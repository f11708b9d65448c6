// What accesses of shared memory cost: their number, and for each the waves in which banks deliver its words.
// Sixteen reads of 16 bytes without conflicts cost 16 * (1 + 4), as each wave brings a warp 128 bytes.
#ifndef NEREID_COMPILER_LAYOUTS_BANKWAVES_H
#define NEREID_COMPILER_LAYOUTS_BANKWAVES_H

#include "compiler/layouts/LinearLayout.h"

namespace nereid {

/// The waves that one access of a warp takes: the most words that any bank has to deliver to lanes that are
/// served together. `offsets` maps (lane, …) to where the lane's vector begins, in elements.
unsigned countWaves(const LinearLayout &offsets, unsigned accessBytes, unsigned elementBytes);

/// Accesses of `width` elements each, through which a thread reaches all of its registers. `offsets` maps
/// (register, lane, …) to elements.
unsigned getAccessCost(const LinearLayout &offsets, unsigned width, unsigned elementBytes);

} // namespace nereid

#endif // NEREID_COMPILER_LAYOUTS_BANKWAVES_H
