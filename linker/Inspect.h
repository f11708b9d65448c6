// What a kernel object or a finished library holds, in words or as JSON: `nereid inspect`.
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

/// Describes a `.nko`, or an ELF file or archive that contains libraries made by `nereid link`. `asJson`
/// gives one JSON object; otherwise text for people.
llvm::Expected<std::string> inspect(llvm::StringRef path, bool asJson);

} // namespace nereid

#endif // NEREID_LINKER_INSPECT_H
