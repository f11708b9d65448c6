// Printing what a Diagnostics has collected: in colours where the stream has them on.
#ifndef NEREID_COMPILER_MODEL_PRINTDIAGNOSTIC_H
#define NEREID_COMPILER_MODEL_PRINTDIAGNOSTIC_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

namespace nereid {

/// Prints a text of Diagnostics::takeTexts(), a message with its notes. If colours are enabled for `os`, the
/// place and the message are bold, the word that says how bad it is has a colour, and so has what marks the
/// place in the line below.
void printDiagnostic(llvm::raw_ostream &os, llvm::StringRef text);

/// What was printed, cut into messages with their notes. What stands before the first one is one of its own.
std::vector<llvm::StringRef> splitDiagnostics(llvm::StringRef text);
/// Whether a text is a warning.
bool isWarning(llvm::StringRef text);

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_PRINTDIAGNOSTIC_H
