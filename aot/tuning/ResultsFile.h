// The file that `nereid tune` keeps its measurements in, which nothing makes lose one.
//
// Each change is made under a lock: the file is read again, what is new is merged into it, the whole is
// written beside it and moved into its place. So several processes may measure into one file, one that is
// killed leaves either the old or the new file, and a full disk the old one.
#ifndef NEREID_AOT_TUNING_RESULTSFILE_H
#define NEREID_AOT_TUNING_RESULTSFILE_H

#include "compiler/model/Diagnostics.h"
#include "linker/TuningResults.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace nereid {

/// Reports why results could not be read, in the file if it is there.
void reportResultsError(llvm::Error error, Diagnostics &diagnostics);

class ResultsFile {
public:
  explicit ResultsFile(llvm::StringRef path) : path(path.str()) {}

  /// What the file holds; a file that is not there holds nothing.
  llvm::Error load();

  /// Adds `more`. What could not be written is kept, and written by the next call that can.
  llvm::Error add(llvm::ArrayRef<Measurement> more);

  /// As of the last load or add, with all that was ever added.
  const std::vector<Measurement> &get() const { return measurements; }
  bool hasUnsaved() const { return !unsaved.empty(); }
  llvm::ArrayRef<Measurement> getUnsaved() const { return unsaved; }

private:
  llvm::Error save();

  std::string path;
  std::vector<Measurement> measurements, unsaved;
};

} // namespace nereid

#endif // NEREID_AOT_TUNING_RESULTSFILE_H
