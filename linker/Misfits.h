// Targets that some variants do not fit: each must be served by another variant of the same C function.
//
// Build systems compile variants one by one, so that whoever compiles one cannot know whether a target that
// has too little shared memory for it is served by another. Kernel objects therefore say which targets they
// do not fit, and the link, which sees all of them, decides.
#ifndef NEREID_LINKER_MISFITS_H
#define NEREID_LINKER_MISFITS_H

#include "compiler/model/Diagnostics.h"
#include "linker/KernelObject.h"

#include "llvm/ADT/ArrayRef.h"

namespace nereid {

/// Warns of each target that a variant does not fit and another one serves; reports and returns false where
/// none does.
bool checkMisfits(llvm::ArrayRef<KernelObject> objects, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_LINKER_MISFITS_H
