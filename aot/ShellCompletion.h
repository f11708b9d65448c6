// What a shell needs to complete the options of `nereid` and their values.
#ifndef NEREID_AOT_SHELLCOMPLETION_H
#define NEREID_AOT_SHELLCOMPLETION_H

#include "aot/CommandDescriptions.h"

#include "llvm/ADT/ArrayRef.h"

namespace nereid {

std::string writeBashCompletion(llvm::ArrayRef<CommandDescription> commands);
std::string writeZshCompletion(llvm::ArrayRef<CommandDescription> commands);
std::string writeFishCompletion(llvm::ArrayRef<CommandDescription> commands);

} // namespace nereid

#endif // NEREID_AOT_SHELLCOMPLETION_H
