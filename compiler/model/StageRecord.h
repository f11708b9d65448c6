// A stage of a kernel as it was on its way to an image, and which lines of the source each of its lines comes
// from.
//
// One example: in PTX of add.py, whose line 9 is `tl.store(y + i, x + 1)`, the instructions add.f32 and
// st.global are on two lines of the text, both of which have the place {add.py, 9}. A line that was inlined
// has the places of the callee and of the call.
#ifndef NEREID_COMPILER_MODEL_STAGERECORD_H
#define NEREID_COMPILER_MODEL_STAGERECORD_H

#include "compiler/model/Stage.h"

#include <string>
#include <utility>
#include <vector>

namespace nereid {

/// The lines of sources that the lines of a text come from. All lines count from 1.
class LineMap {
public:
  struct Place {
    /// An index into getFiles().
    unsigned file = 0;
    unsigned line = 0;
    bool operator==(const Place &other) const { return file == other.file && line == other.line; }
  };

  LineMap() = default;
  /// As another one has them.
  LineMap(std::vector<std::string> files, std::vector<std::vector<Place>> lines)
      : files(std::move(files)), lines(std::move(lines)) {}

  void add(unsigned textLine, llvm::StringRef file, unsigned line);

  /// As they were named to the compiler.
  const std::vector<std::string> &getFiles() const { return files; }
  /// For each line of the text up to the last that has any, in the order in which they were added.
  const std::vector<std::vector<Place>> &getLines() const { return lines; }

private:
  std::vector<std::string> files;
  std::vector<std::vector<Place>> lines;
};

struct StageRecord {
  Stage stage = Stage::TTIR;
  /// Its text, or the bytes of a stage that has none.
  std::string text;
  /// Empty unless CompileRequest::mapsStages asks for it.
  LineMap map;
};

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_STAGERECORD_H
