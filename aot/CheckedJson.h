// A JSON file of the user's, read key by key, with errors that point at what is wrong.
//
// nlohmann/json parses; this knows where each value stands. Values are named by JSON pointers (RFC 6901):
// "/cases/0/grid".
#ifndef NEREID_AOT_CHECKEDJSON_H
#define NEREID_AOT_CHECKEDJSON_H

#include "aot/JsonPositions.h"
#include "compiler/model/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include "nlohmann/json_fwd.hpp"

#include <memory>
#include <optional>
#include <string>

namespace nereid {

class CheckedJson {
public:
  /// Reads a file; reports and returns nothing if it is not JSON, nests too deeply, or has a key twice.
  static std::optional<CheckedJson> read(llvm::StringRef path, Diagnostics &diagnostics);
  CheckedJson(CheckedJson &&);
  ~CheckedJson();

  const nlohmann::json &getDocument() const { return *document; }

  /// Reports `message` at a value (of one that is not there, at the whole), and returns false.
  bool fail(llvm::StringRef pointer, const llvm::Twine &message) const;

  /// Where a value stands.
  llvm::SMRange rangeOfValue(llvm::StringRef pointer) const { return rangeOf(positions.find(pointer)); }

  /// Where the key stands under which a value is.
  llvm::SMRange rangeOfKey(llvm::StringRef pointer) const { return rangeOf(positions.findKey(pointer)); }

  /// True if the value is an object with no keys but these; reports and returns false otherwise.
  bool expectObject(const nlohmann::json &value, const std::string &pointer,
                    llvm::ArrayRef<llvm::StringRef> keys) const;

  /// A string's text, where possible as a view into the file itself, so that whoever reads it reports errors
  /// in place.
  llvm::StringRef view(const nlohmann::json &value, const std::string &pointer) const;

private:
  CheckedJson(llvm::StringRef path, llvm::StringRef text, Diagnostics &diagnostics);
  /// Reports and returns false where a text has a NUL.
  bool checkTexts(const nlohmann::json &value, const std::string &pointer) const;

  std::string path;
  llvm::StringRef text;
  Diagnostics &diagnostics;
  JsonPositions positions;
  std::unique_ptr<nlohmann::json> document;
};

/// `"a", "b"`.
std::string quoteList(llvm::ArrayRef<llvm::StringRef> words);

} // namespace nereid

#endif // NEREID_AOT_CHECKEDJSON_H
