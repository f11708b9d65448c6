// Text as it is shown to people, wherever it comes from: a name with an escape sequence in it must not speak
// to the terminal.
#ifndef NEREID_COMPILER_MODEL_PRINTABLETEXT_H
#define NEREID_COMPILER_MODEL_PRINTABLETEXT_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid {

/// The text with `\x1b` for each control character, and for each byte that is no UTF-8. Ends of lines and
/// tabs stay.
std::string makePrintable(llvm::StringRef text);

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_PRINTABLETEXT_H
