// lld as a function: makes AMD's loadable form, a shared ELF object, of one relocatable object.
#ifndef NEREID_COMPILER_TARGETS_LINKCODEOBJECT_H
#define NEREID_COMPILER_TARGETS_LINKCODEOBJECT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace nereid {

llvm::Expected<std::string> linkCodeObject(llvm::StringRef object);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_LINKCODEOBJECT_H
