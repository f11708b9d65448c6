// A number for a piece of compiled code that tells whether another one is the same, so that a library stores
// it once.
#ifndef NEREID_LINKER_IMAGEDIGEST_H
#define NEREID_LINKER_IMAGEDIGEST_H

#include "linker/KernelObject.h"

#include <cstdint>
#include <vector>

namespace nereid {

/// The same for code of one target that differs at most in the kernel's symbol.
std::vector<uint8_t> digestImages(const TargetCode &code);

} // namespace nereid

#endif // NEREID_LINKER_IMAGEDIGEST_H
