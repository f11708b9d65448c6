// The list of files that an output was made from, in the form that Make and Ninja read.
#ifndef NEREID_AOT_DEPENDENCYFILE_H
#define NEREID_AOT_DEPENDENCYFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace nereid {

/// One rule, `output: input input`, with the characters escaped that Make gives a meaning. A path that holds
/// the end of a line is an error.
llvm::Expected<std::string> printDependencyFile(llvm::StringRef output, llvm::ArrayRef<std::string> inputs);

/// The inputs of a rule that was printed so.
std::vector<std::string> parseDependencyFile(llvm::StringRef text);

} // namespace nereid

#endif // NEREID_AOT_DEPENDENCYFILE_H
