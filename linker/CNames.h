// Names of libraries, kernels and parameters become names in generated C, where not every name will do.
#ifndef NEREID_LINKER_CNAMES_H
#define NEREID_LINKER_CNAMES_H

#include "llvm/ADT/StringRef.h"

namespace nereid {

/// True if `name` consists of ASCII letters, digits and underscores and does not begin with a digit.
bool isCIdentifier(llvm::StringRef name);

/// True for keywords of C and of C++, which includes the header too, and for names that begin with `__`.
bool isReservedInC(llvm::StringRef name);

} // namespace nereid

#endif // NEREID_LINKER_CNAMES_H
