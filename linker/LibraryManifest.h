// The description that a library carries of itself, in its ELF section `.nereid`, and that of a kernel
// object, in the same form: JSON that `nereid inspect` shows.
#ifndef NEREID_LINKER_LIBRARYMANIFEST_H
#define NEREID_LINKER_LIBRARYMANIFEST_H

#include "linker/DispatchPlan.h"

#include <map>
#include <string>

namespace nereid {

/// The name of the section. Its contents are one JSON text a library, each ended by a NUL.
constexpr const char *manifestSectionName = ".nereid";

/// What of a library is known once its images are packed.
struct StoredCode {
  /// The bytes that the library has for a target's code; 0 where another variant's is the same code.
  uint64_t bytes = 0;
  /// Whether they are compressed.
  bool isCompressed = false;
  /// The variant's code, or the other one that is kept for it.
  const PlannedCode *kept = nullptr;
};

/// `stored` has the codes of the plan.
std::string describeLibrary(const DispatchPlan &plan, const std::map<const PlannedCode *, StoredCode> &stored,
                            bool withStages);
std::string describeKernelObject(const KernelObject &object);

} // namespace nereid

#endif // NEREID_LINKER_LIBRARYMANIFEST_H
