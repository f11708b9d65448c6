// Messages travel as plain text, between threads and through sets that drop repeated ones, and are coloured
// last, by their form: `place: error: message`, and below it perhaps a line of a file and a line of marks.
// The file's line may look like anything, so a message with a line and a column is not over before its marks.
#include "compiler/model/PrintDiagnostic.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

namespace {

struct Kind {
  StringRef word;
  raw_ostream::Colors color;
};

constexpr Kind kinds[] = {{"error", raw_ostream::RED},
                          {"warning", raw_ostream::MAGENTA},
                          {"remark", raw_ostream::BLUE},
                          {"note", raw_ostream::CYAN}};

/// The first line of a message, taken apart.
struct Headline {
  StringRef place, message;
  const Kind *kind = nullptr;
};

Headline readHeadline(StringRef line) {
  Headline best;
  size_t first = StringRef::npos;
  for (const Kind &kind : kinds) {
    size_t at = line.find((": " + kind.word + ": ").str());
    if (at >= first)
      continue;
    first = at;
    best = {line.take_front(at + 1), line.drop_front(at + kind.word.size() + 4), &kind};
  }
  return best;
}

/// `file.py:3:5:`
bool hasLineAndColumn(StringRef place) {
  auto [file, column] = place.drop_back().rsplit(':');
  StringRef line = file.rsplit(':').second;
  return !line.empty() && !column.empty() && all_of(line, isDigit) && all_of(column, isDigit);
}

bool isMarks(StringRef line) {
  return line.contains('^') && line.find_first_not_of(" ~^") == StringRef::npos;
}

} // namespace

void printDiagnostic(raw_ostream &os, StringRef text) {
  if (!os.colors_enabled()) {
    os << text;
    return;
  }
  bool isInside = false;
  while (!text.empty()) {
    StringRef line = text.take_until([](char c) { return c == '\n'; });
    StringRef end = text.substr(line.size(), 1);
    text = text.drop_front(line.size() + end.size());
    if (isInside && isMarks(line)) {
      os.changeColor(raw_ostream::GREEN, /*Bold=*/true) << line;
      os.resetColor() << end;
      isInside = false;
      continue;
    }
    Headline headline;
    if (!isInside)
      headline = readHeadline(line);
    if (!headline.kind) {
      os << line << end;
      continue;
    }
    isInside = hasLineAndColumn(headline.place);
    os.changeColor(raw_ostream::SAVEDCOLOR, /*Bold=*/true) << headline.place << ' ';
    os.changeColor(headline.kind->color, /*Bold=*/true) << headline.kind->word << ": ";
    os.resetColor();
    // A note is told in passing.
    if (headline.kind->word != "note")
      os.changeColor(raw_ostream::SAVEDCOLOR, /*Bold=*/true);
    os << headline.message;
    os.resetColor() << end;
  }
}

} // namespace nereid
