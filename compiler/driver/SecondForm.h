// A second form of a kernel, for grids that another trade of memory on chip suits better (FormUse).
//
// Rings of buffers with one less leave room for other blocks, and with one more a block is done sooner. Which
// is better depends on how many programs there are, which only the dispatch stub knows: so where both differ
// enough the kernel has both. Which of them comes first is told in ShorterRings.h.
#ifndef NEREID_COMPILER_DRIVER_SECONDFORM_H
#define NEREID_COMPILER_DRIVER_SECONDFORM_H

#include "compiler/model/CompileResult.h"

#include <optional>

namespace nereid {

struct Target;

bool hasFormForTurns(const CompileResult &result);

/// For which grids a second form of the kernel is worth a try. A turn is the less of the whole the more
/// programs run at a time.
std::optional<FormUse> findUseOfSecondForm(const CompileResult &result, const Target &target);

/// Adds a form, or drops it if it is no better than the one that there is: if not fewer of its blocks run at
/// a time where it is for few programs, or not more where it is for fewer turns. More than `mostBlocks` are
/// too many.
void addSecondForm(FormUse use, CompileResult form, const Target &target, CompileResult &result,
                   unsigned mostBlocks = ~0u);

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_SECONDFORM_H
