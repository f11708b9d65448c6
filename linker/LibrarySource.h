// The C text of a library: its header and its dispatch source, from the templates and a plan.
#ifndef NEREID_LINKER_LIBRARYSOURCE_H
#define NEREID_LINKER_LIBRARYSOURCE_H

#include "linker/DispatchPlan.h"

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
};

/// The text of NAME.h.
std::string generateHeader(const DispatchPlan &plan);

/// The text of NAME.c. `images` are sorted by kernel, then by variant.
std::string generateSource(const DispatchPlan &plan, llvm::ArrayRef<PlannedImage> images);

} // namespace nereid

#endif // NEREID_LINKER_LIBRARYSOURCE_H
