// Where the values of a JSON text stand in it.
//
// nlohmann/json, which reads and checks our JSON, does not say where a value came from. Errors in a manifest
// must point at their line, so this walks the same text once more and notes the range of each value under its
// JSON pointer (RFC 6901): "/kernels/0/grid". It is only ever given text that nlohmann/json has accepted.
#ifndef NEREID_AOT_JSONPOSITIONS_H
#define NEREID_AOT_JSONPOSITIONS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nereid {

class JsonScanner;

class JsonPositions {
public:
  explicit JsonPositions(llvm::StringRef text);

  /// The text of a value, quotes included; of the whole document if there is no such value.
  llvm::StringRef find(llvm::StringRef pointer) const;
  /// The key under which a value stands, with its quotes; of an element of a list the same as `find`.
  llvm::StringRef findKey(llvm::StringRef pointer) const;
  /// The second of two keys of one object that are spelled alike, with its quotes; empty if there is none.
  /// nlohmann/json takes the later value and says nothing.
  llvm::StringRef getRepeatedKey() const { return repeatedKey; }

private:
  /// Notes the value that begins here, and all in it; returns its number.
  unsigned walk(JsonScanner &scanner);
  /// The number of a value, if there is one at that pointer.
  std::optional<unsigned> findNumber(llvm::StringRef pointer) const;

  llvm::StringRef text, repeatedKey;
  /// The values, numbered as they begin: the document is 0. A pointer is followed member by member, since to
  /// keep each value's own would take memory that grows with the square of the text.
  std::vector<llvm::StringRef> values;
  /// The key of each value, with its quotes; empty if it has none.
  std::vector<llvm::StringRef> keys;
  /// Keys that are spelled with escapes, as they read.
  std::deque<std::string> decodedKeys;
  llvm::DenseMap<std::pair<unsigned, llvm::StringRef>, unsigned> members;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> elements;
};

/// The first number that is spelled so, in a text that need not be JSON behind it; the whole text if there is
/// none.
llvm::StringRef findJsonNumber(llvm::StringRef text, llvm::StringRef spelling);

} // namespace nereid

#endif // NEREID_AOT_JSONPOSITIONS_H
