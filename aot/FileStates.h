// What files held when they were first read, so that nothing is made of two states of one.
//
// A source is read more than once on the way to a library: for its annotations, for its configurations, and
// by each compilation. Each reading is right by itself, and a kernel object says what its own code was
// compiled from; but if somebody saves the file between two of them, what they give does not belong together.
#ifndef NEREID_AOT_FILESTATES_H
#define NEREID_AOT_FILESTATES_H

#include "compiler/model/Diagnostics.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <mutex>
#include <set>
#include <string>

namespace nereid {

/// May be asked by several threads at a time.
class FileStates {
public:
  /// digestOf what the file holds, which is read unless it has been before. Empty where it cannot be.
  std::string get(llvm::StringRef path);

  /// Takes note of what was read elsewhere. Reports, once a file, and returns false if that is not what the
  /// file held before.
  bool add(llvm::StringRef path, llvm::StringRef digest, Diagnostics &diagnostics);
  /// Whether that has been reported of any file.
  bool haveChanged() const;

private:
  mutable std::mutex mutex;
  std::map<std::string, std::string> digests;
  std::set<std::string> reported;
};

} // namespace nereid

#endif // NEREID_AOT_FILESTATES_H
