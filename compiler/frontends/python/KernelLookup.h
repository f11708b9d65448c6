// From the name of a kernel to the function that bears it, wherever in a file that stands.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_KERNELLOOKUP_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_KERNELLOOKUP_H

#include "compiler/frontends/python/emission/Emitter.h"

#include <memory>
#include <string>
#include <vector>

namespace nereid::python {

/// What a kernel is called in an image: `kernel` of `Class.kernel`.
llvm::StringRef symbolOf(const Function &kernel);

/// What stands with decorators in the functions and classes of a file, and so may be a kernel:
/// `Class.kernel`, `Class.method.kernel`.
std::vector<std::string> listNested(const SourceModule &file);

/// The kernel of that name, or a refusal that says what there is instead.
std::shared_ptr<const Function> findFunction(Emitter &emitter, SourceModule &file, llvm::StringRef name);

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_KERNELLOOKUP_H
