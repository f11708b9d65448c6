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

/// Goes through a text line by line, and knows which lines begin a message.
template <typename Visit> void visitLines(StringRef text, Visit visit) {
  bool isInside = false;
  while (!text.empty()) {
    StringRef line = text.take_until([](char c) { return c == '\n'; });
    StringRef end = text.substr(line.size(), 1);
    text = text.drop_front(line.size() + end.size());
    bool areMarks = isInside && isMarks(line);
    Headline headline;
    if (!isInside)
      headline = readHeadline(line);
    visit(line, end, headline, areMarks);
    isInside = headline.kind ? hasLineAndColumn(headline.place) : isInside && !areMarks;
  }
}

} // namespace

void printDiagnostic(raw_ostream &os, StringRef text) {
  if (!os.colors_enabled()) {
    os << text;
    return;
  }
  visitLines(text, [&](StringRef line, StringRef end, const Headline &headline, bool areMarks) {
    if (areMarks) {
      os.changeColor(raw_ostream::GREEN, /*Bold=*/true) << line;
      os.resetColor() << end;
      return;
    }
    if (!headline.kind) {
      os << line << end;
      return;
    }
    os.changeColor(raw_ostream::SAVEDCOLOR, /*Bold=*/true) << headline.place << ' ';
    os.changeColor(headline.kind->color, /*Bold=*/true) << headline.kind->word << ": ";
    os.resetColor();
    // A note is told in passing.
    if (headline.kind->word != "note")
      os.changeColor(raw_ostream::SAVEDCOLOR, /*Bold=*/true);
    os << headline.message;
    os.resetColor() << end;
  });
}

std::vector<StringRef> splitDiagnostics(StringRef text) {
  std::vector<StringRef> messages;
  visitLines(text, [&](StringRef line, StringRef end, const Headline &headline, bool) {
    bool begins = messages.empty() || (headline.kind && headline.kind->word != "note");
    const char *from = begins ? line.begin() : messages.back().begin();
    if (begins)
      messages.emplace_back();
    messages.back() = StringRef(from, line.end() + end.size() - from);
  });
  return messages;
}

bool isWarning(StringRef text) {
  Headline headline = readHeadline(text.take_until([](char c) { return c == '\n'; }));
  return headline.kind && headline.kind->word == "warning";
}

} // namespace nereid
