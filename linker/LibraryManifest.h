// The description that a library carries of itself, in its ELF section `.nereid`, and that of a kernel
// object, in the same form: JSON that `nereid inspect` shows.
#ifndef NEREID_LINKER_LIBRARYMANIFEST_H
#define NEREID_LINKER_LIBRARYMANIFEST_H

#include "linker/DispatchPlan.h"

#include <string>

namespace nereid {

/// The name of the section. Its contents are one JSON text a library, each ended by a NUL.
constexpr const char *manifestSectionName = ".nereid";

std::string describeLibrary(const DispatchPlan &plan);
std::string describeKernelObject(const KernelObject &object);

} // namespace nereid

#endif // NEREID_LINKER_LIBRARYMANIFEST_H
