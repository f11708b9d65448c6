// A cubin's machine code as text (SASS), as NVIDIA's nvdisasm shows it, with the lines that it comes from.
//
//     //## File "add.py", line 9
//             /*0120*/                   FADD R5, R4, 1 ;
//
// becomes the second line, which comes from line 9 of add.py.
#ifndef NEREID_AOT_MACHINECODETEXT_H
#define NEREID_AOT_MACHINECODETEXT_H

#include "linker/StageArchive.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace nereid {

/// The stage `sass` of a cubin with line tables; nothing where the tool at `nvdisasm` does not take it.
std::optional<ArchivedStage> disassembleCubin(llvm::StringRef cubin, llvm::StringRef nvdisasm);

/// Takes what nvdisasm printed apart.
ArchivedStage readDisassembly(llvm::StringRef text);

} // namespace nereid

#endif // NEREID_AOT_MACHINECODETEXT_H
