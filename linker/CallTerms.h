// What a kernel object says to callers (its grid, the condition for taking it, the parameters they choose by,
// how Python calls it), as JSON: the same in kernel objects and in what `nereid inspect` prints.
#ifndef NEREID_LINKER_CALLTERMS_H
#define NEREID_LINKER_CALLTERMS_H

#include "linker/KernelObject.h"

#include "nlohmann/json_fwd.hpp"

namespace nereid {

/// Adds the terms that there are.
void addCallTerms(nlohmann::ordered_json &json, const KernelObject &object);

} // namespace nereid

#endif // NEREID_LINKER_CALLTERMS_H
