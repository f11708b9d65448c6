// What the user says a name of the source means, `-D NAME=VALUE`: in Python the value of a module-level name.
//
// Kernel files choose block sizes and branches by what is only known where they run. A definition answers
// such a question: whatever the file would make of the name, it has this value. Plain NAME is a name of the
// file that is compiled; MODULE:NAME, as in `-D package.sizes:BLOCK=64`, one of a file that it imports.
#ifndef NEREID_COMPILER_MODEL_DEFINITION_H
#define NEREID_COMPILER_MODEL_DEFINITION_H

#include "compiler/model/Diagnostics.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

struct Definition {
  /// Empty for the file that is compiled.
  std::string module;
  std::string name;
  /// The text after the `=`, which a Diagnostics owns; a NUL follows it.
  llvm::StringRef value;
  /// Where the name stands, for messages.
  llvm::SMRange range;

  /// `package.sizes:BLOCK`.
  std::string getQualifiedName() const { return module.empty() ? name : module + ":" + name; }
  /// The normal form, which reads back as the same definition.
  std::string str() const { return getQualifiedName() + "=" + value.rtrim().str(); }
};

/// Reads `NAME=VALUE`. `text` must be all of a text that diagnostics.addSource returned. Returns nothing
/// after reporting what is wrong.
std::optional<Definition> parseDefinition(llvm::StringRef text, Diagnostics &diagnostics);

/// Adds those of `more` to `definitions`; of two for one name, that of `more` counts.
void addDefinitions(std::vector<Definition> &definitions, const std::vector<Definition> &more);

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_DEFINITION_H
