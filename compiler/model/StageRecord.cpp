// See StageRecord.h.
#include "compiler/model/StageRecord.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid {

void LineMap::add(unsigned textLine, llvm::StringRef file, unsigned line) {
  if (textLine == 0 || line == 0)
    return;
  size_t index = 0;
  while (index != files.size() && files[index] != file)
    ++index;
  if (index == files.size())
    files.push_back(file.str());
  if (lines.size() < textLine)
    lines.resize(textLine);
  std::vector<Place> &places = lines[textLine - 1];
  Place place{static_cast<unsigned>(index), line};
  if (!llvm::is_contained(places, place))
    places.push_back(place);
}

} // namespace nereid
