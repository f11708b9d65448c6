// How deep JSON from outside may nest.
//
// nlohmann/json reads any depth, and then prints and walks what it read by recursion; so do we. Nothing that
// Nereid writes or documents nests more than ten deep. Every text that may come from anywhere (manifests,
// kernel objects, the descriptions in libraries) is therefore looked at first.
#ifndef NEREID_LINKER_JSONDEPTH_H
#define NEREID_LINKER_JSONDEPTH_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace nereid {

constexpr unsigned maxJsonDepth = 100;

/// Where the text opens a list or object that nests more than maxJsonDepth deep, if it does. The text need
/// not be JSON; comments may be in it.
std::optional<size_t> findJsonTooDeep(llvm::StringRef text);

} // namespace nereid

#endif // NEREID_LINKER_JSONDEPTH_H
