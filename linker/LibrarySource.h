// The C text of a library: its header and its dispatch source, from the templates and a plan.
#ifndef NEREID_LINKER_LIBRARYSOURCE_H
#define NEREID_LINKER_LIBRARYSOURCE_H

#include "linker/DispatchPlan.h"
#include "linker/PythonFunction.h"

#include <string>

namespace nereid {

/// A row of the library's table of images: one piece of code that a device may choose.
struct PlannedImage {
  unsigned kernel = 0;
  unsigned variant = 0;
  const PlannedCode *code = nullptr;
  /// GPU: the symbol of the binary in the image object.
  std::string dataSymbol;
  bool hasMachineCode = false;
  bool hasPTX = false;
  /// Whose code it is: `code`, or that of an earlier row whose code is the same but for the name.
  const PlannedCode *stored = nullptr;
};

/// What follows a C function's name in the symbol that programs compiled with the header refer to, so that
/// they don't link, or load, with a library whose function is another: `__nrd2_5f3c21ab`, the number of the
/// ABI and a hash of the parameters. Without a kernel just `__nrd2`, for functions that are the same in every
/// library.
std::string getSymbolTag(const PlannedKernel &kernel);
std::string getSymbolTag();

/// NRD_ABI_VERSION of what is generated.
unsigned getABIVersion();

/// The names of the parameters in generated headers: the kernel's own, or others where those mean something
/// in C.
std::vector<std::string> getParameterNames(const PlannedKernel &kernel, const DispatchPlan &plan);

/// The text of NAME.h.
std::string generateHeader(const DispatchPlan &plan);

/// The text of NAME.c. `images` are sorted by kernel, then by variant; `functions` are what the library
/// exports for Python.
std::string generateSource(const DispatchPlan &plan, llvm::ArrayRef<PlannedImage> images,
                           llvm::ArrayRef<PythonFunction> functions);

} // namespace nereid

#endif // NEREID_LINKER_LIBRARYSOURCE_H
