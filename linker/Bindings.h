// The C++ and the Rust file of a library, which stand beside its C header and add no code to the library.
#ifndef NEREID_LINKER_BINDINGS_H
#define NEREID_LINKER_BINDINGS_H

#include "linker/DispatchPlan.h"

#include <string>

namespace nereid {

/// The text of NAME.hpp.
std::string generateCxxHeader(const DispatchPlan &plan);

/// The text of NAME.rs.
std::string generateRustModule(const DispatchPlan &plan);

} // namespace nereid

#endif // NEREID_LINKER_BINDINGS_H
