// What stands for a program, as far as results depend on it: for nereid with the libraries that it runs with
// (LLVM above all, and the C library, whose mathematics LLVM folds constants with) the build IDs that the
// linker gave them, for everything else its contents.
#ifndef NEREID_AOT_CACHE_TOOLIDENTITY_H
#define NEREID_AOT_CACHE_TOOLIDENTITY_H

#include "compiler/model/Target.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace nereid {

/// This process's own, the same for every process of the same programs.
const std::string &getOwnIdentity();

/// Of what is used beside nereid itself for a back end: ptxas and libdevice, AMD's device libraries. Nothing
/// if something that the environment names is not there, which is for the compiler to report.
std::optional<std::string> getToolkitIdentity(Backend backend);

} // namespace nereid

#endif // NEREID_AOT_CACHE_TOOLIDENTITY_H
