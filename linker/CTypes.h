// What arguments are in C, and how C text is written: for everything that generates some.
#ifndef NEREID_LINKER_CTYPES_H
#define NEREID_LINKER_CTYPES_H

#include "linker/CallArguments.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

/// `float`, `nrd_f16`.
llvm::StringRef scalarTypeInC(ScalarKind kind);

/// The type with the space or star before the name: `const float *`, `int32_t `.
std::string typeInC(const PlannedArgument &argument);

/// An expression for the value of an argument that `arguments[index]` points to.
std::string loadInC(const PlannedArgument &argument, unsigned index);

/// The same, of a number that may be None the number alone.
std::string loadNumberInC(const PlannedArgument &argument, unsigned index);

/// A literal of type int64_t.
std::string numberInC(int64_t value);

/// A literal of type double.
std::string numberInC(double value);

/// A string literal.
std::string quoteInC(llvm::StringRef text);

} // namespace nereid

#endif // NEREID_LINKER_CTYPES_H
