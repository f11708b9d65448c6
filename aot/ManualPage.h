// The manual page nereid(1).
#ifndef NEREID_AOT_MANUALPAGE_H
#define NEREID_AOT_MANUALPAGE_H

#include "aot/CommandDescriptions.h"

#include "llvm/ADT/ArrayRef.h"

namespace nereid {

/// In the macros of man(7).
std::string writeManualPage(llvm::ArrayRef<CommandDescription> commands);

} // namespace nereid

#endif // NEREID_AOT_MANUALPAGE_H
