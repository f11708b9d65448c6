// The control characters beyond ASCII, U+0080 to U+009F, are two bytes each, and the second one alone is what
// some terminals obey: both are shown.
#include "compiler/model/PrintableText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace nereid {

static bool isControl(StringRef character) {
  unsigned char first = character.front();
  if (character.size() == 1)
    return (first < 0x20 && first != '\n' && first != '\t') || first >= 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

std::string makePrintable(StringRef text) {
  std::string shown;
  while (!text.empty()) {
    size_t size = std::min<size_t>(std::max(1u, getNumBytesForUTF8(text.front())), text.size());
    const UTF8 *begin = text.bytes_begin();
    if (!isLegalUTF8Sequence(begin, begin + size))
      size = 1;
    StringRef character = text.take_front(size);
    text = text.drop_front(size);
    if (!isControl(character)) {
      shown += character;
      continue;
    }
    for (unsigned char byte : character.bytes())
      shown += "\\x" + utohexstr(byte, /*LowerCase=*/true, 2);
  }
  return shown;
}

} // namespace nereid
