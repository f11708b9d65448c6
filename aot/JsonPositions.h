// Where the values of a JSON text stand in it.
//
// nlohmann/json, which reads and checks our JSON, does not say where a value came from. Errors in a manifest
// must point at their line, so this walks the same text once more and notes the range of each value under its
// JSON pointer (RFC 6901): "/kernels/0/grid". It is only ever given text that nlohmann/json has accepted.
#ifndef NEREID_AOT_JSONPOSITIONS_H
#define NEREID_AOT_JSONPOSITIONS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace nereid {

class JsonPositions {
public:
  explicit JsonPositions(llvm::StringRef text);

  /// The text of a value, quotes included; of the whole document if there is no such value.
  llvm::StringRef find(llvm::StringRef pointer) const;

private:
  void skipSpace();
  llvm::StringRef takeString();
  void walk(const std::string &pointer);

  llvm::StringRef text;
  size_t at = 0;
  llvm::StringMap<llvm::StringRef> values;
};

} // namespace nereid

#endif // NEREID_AOT_JSONPOSITIONS_H
