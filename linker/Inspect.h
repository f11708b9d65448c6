// What a kernel object or a finished library holds, in words, as JSON or as a page: `nereid inspect`.
//
// A finished library carries its own description: an ELF section `.nereid` with a JSON text (kernels, their
// arguments, variants, images and what each needs), written by the linker. So nothing has to be guessed from
// the machine code, and a library can be asked on a machine that has neither its sources nor a GPU.
#ifndef NEREID_LINKER_INSPECT_H
#define NEREID_LINKER_INSPECT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace nereid {

enum class InspectForm {
  Text,
  /// As docs/inspect.md describes it.
  Json,
  /// HTML that needs nothing beside itself.
  Page
};

/// Describes a `.nko`, or an ELF file or archive that contains libraries made by `nereid link`.
llvm::Expected<std::string> inspect(llvm::StringRef path, InspectForm form);

/// The table of sizes by kernel and target alone.
llvm::Expected<std::string> describeSizes(llvm::StringRef path);

} // namespace nereid

#endif // NEREID_LINKER_INSPECT_H
