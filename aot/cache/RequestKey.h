// What a result depends on as far as it is known before compiling: the request, the source's text, the tools.
#ifndef NEREID_AOT_CACHE_REQUESTKEY_H
#define NEREID_AOT_CACHE_REQUESTKEY_H

#include "aot/cache/MovablePaths.h"
#include "compiler/model/CompileRequest.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace nereid {

/// In hexadecimal, fit for a file's name. `sourceDigest` is digestOf the source's text. Nothing where no key
/// can say it: a tool that the environment names is missing.
std::optional<std::string> makeRequestKey(const CompileRequest &request, llvm::StringRef sourceDigest,
                                          const MovablePaths &paths);

/// Where the parts of the request stand that messages point to, with the lines there.
std::string describePlaces(const CompileRequest &request, const Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_AOT_CACHE_REQUESTKEY_H
