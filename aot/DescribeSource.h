// What a Python file of kernels has to offer: their parameters, and the configurations that their authors
// would have @triton.autotune try. This is what one reads before writing a signature.
#ifndef NEREID_AOT_DESCRIBESOURCE_H
#define NEREID_AOT_DESCRIBESOURCE_H

#include "compiler/Diagnostics.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// Text for people, or one JSON object: {"source": …, "kernels": [{"name", "line", "parameters": [{"name",
/// "constexpr", "default"}], "configs": [{"constants": {…}, "num_warps", "num_stages"}]}]}. `default` says
/// whether a signature may leave the parameter out. Reports and returns nothing if the file cannot be read.
std::optional<std::string> describeSource(llvm::StringRef path, bool asJson,
                                          const std::vector<std::string> &importPaths,
                                          Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_DESCRIBESOURCE_H
