// What a Python file of kernels has to offer: their parameters, and the configurations that their authors
// would have @triton.autotune try. This is what one reads before writing a signature.
#ifndef NEREID_AOT_DESCRIBESOURCE_H
#define NEREID_AOT_DESCRIBESOURCE_H

#include "compiler/model/SourceSetting.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// Text for people, or one JSON object: {"source": …, "kernels": [{"name", "line", "parameters": [{"name",
/// "constexpr", "default"}], "configs": [{"constants": {…}, "num_warps", "num_stages"}], "autotune": {…},
/// "configs_problem", "annotations"}]}. `default` says whether a signature may leave the parameter out; a
/// configuration has "num_ctas", "maxnreg", "pre_hook" and "ir_override" where it sets them; "autotune" is
/// the source text of the other arguments of @triton.autotune; "annotations" are what a manifest's kernel
/// has. Reports and returns nothing if the file cannot be read.
std::optional<std::string> describeSource(llvm::StringRef path, bool asJson, const SourceSetting &setting,
                                          Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_DESCRIBESOURCE_H
