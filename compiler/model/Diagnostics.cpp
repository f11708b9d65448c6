// Collects messages as llvm::SMDiagnostic and prints them itself: SMDiagnostic shows no caret in a line that
// is not plain ASCII, and the whole of a line however long it is. Here a line is shown as the terminal will:
// tabs as spaces, bytes that are no text as '?', characters two columns wide counted as two, and of a long
// line the part around the caret.
#include "compiler/model/Diagnostics.h"

#include "compiler/model/InputFile.h"
#include "compiler/model/PrintDiagnostic.h"
#include "compiler/model/PrintableText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace llvm;

namespace nereid {

StringRef Diagnostics::addSource(StringRef path, std::string text) {
  auto buffer = MemoryBuffer::getMemBufferCopy(text, path);
  StringRef view = buffer->getBuffer();
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  return view;
}

StringRef Diagnostics::addSource(SMLoc origin, std::string text) {
  auto buffer = MemoryBuffer::getMemBufferCopy(text);
  StringRef view = buffer->getBuffer();
  sources.AddNewSourceBuffer(std::move(buffer), origin);
  return view;
}

SMLoc Diagnostics::findOrigin(SMLoc loc) const {
  for (const Diagnostics *owner = this; owner; owner = owner->parent) {
    std::lock_guard<std::mutex> lock(owner->mutex);
    if (unsigned id = owner->sources.FindBufferContainingLoc(loc))
      return owner->sources.getParentIncludeLoc(id);
  }
  return SMLoc();
}

StringRef Diagnostics::addFile(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readInputFile(path, largestText, /*isText=*/true);
  if (!buffer) {
    error(toString(buffer.takeError()));
    return StringRef();
  }
  StringRef view = (*buffer)->getBuffer();
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  return view;
}

void Diagnostics::add(SMDiagnostic diagnostic) {
  if (diagnostic.getKind() == SourceMgr::DK_Error)
    ++errorCount;
  pending.push_back(std::move(diagnostic));
}

SMDiagnostic Diagnostics::describe(SMRange range, SourceMgr::DiagKind kind, const Twine &message) const {
  for (SMLoc origin = findOrigin(range.Start); origin.isValid(); origin = findOrigin(origin))
    range = SMRange(origin, origin);
  for (const Diagnostics *owner = this; owner; owner = owner->parent) {
    std::lock_guard<std::mutex> lock(owner->mutex);
    unsigned id = owner->sources.FindBufferContainingLoc(range.Start);
    if (!id)
      continue;
    return owner->sources.GetMessage(range.Start, kind, message, range);
  }
  return SMDiagnostic("nereid", kind, message.str());
}

void Diagnostics::error(SMRange range, const Twine &message) {
  add(describe(range, SourceMgr::DK_Error, message));
}

void Diagnostics::warning(SMRange range, const Twine &message) {
  StringRef suffix = warningsAreErrors ? " [--werror]" : "";
  add(describe(range, warningsAreErrors ? SourceMgr::DK_Error : SourceMgr::DK_Warning, message + suffix));
}

void Diagnostics::note(SMRange range, const Twine &message) {
  add(describe(range, SourceMgr::DK_Note, message));
}

void Diagnostics::report(SourceMgr::DiagKind kind, StringRef path, unsigned line, unsigned column,
                         const Twine &message) {
  if (warningsAreErrors && kind == SourceMgr::DK_Warning)
    return report(SourceMgr::DK_Error, path, line, column, message + " [--werror]");
  auto findSource = [&]() -> unsigned {
    for (unsigned id = 1; id <= sources.getNumBuffers(); ++id)
      if (sources.getMemoryBuffer(id)->getBufferIdentifier() == path)
        return id;
    return 0;
  };
  // IR may speak of the file that it once came from; if that is here, its line can be shown too.
  unsigned id = findSource();
  if (!id && sys::fs::is_regular_file(path))
    if (auto buffer = MemoryBuffer::getFile(path))
      id = sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  SMLoc loc = id ? sources.FindLocForLineAndColumn(id, line, column) : SMLoc();
  if (loc.isValid())
    add(sources.GetMessage(loc, kind, message));
  else
    add(SMDiagnostic((path + ":" + Twine(line) + ":" + Twine(column)).str(), kind, message.str()));
}

void Diagnostics::error(const Twine &message) {
  add(SMDiagnostic("nereid", SourceMgr::DK_Error, message.str()));
}

void Diagnostics::warning(const Twine &message) {
  StringRef suffix = warningsAreErrors ? " [--werror]" : "";
  add(SMDiagnostic("nereid", warningsAreErrors ? SourceMgr::DK_Error : SourceMgr::DK_Warning,
                   (message + suffix).str()));
}

Diagnostics::Position Diagnostics::positionOf(SMLoc loc) const {
  for (SMLoc origin = findOrigin(loc); origin.isValid(); origin = findOrigin(origin))
    loc = origin;
  for (const Diagnostics *owner = this; owner; owner = owner->parent) {
    std::lock_guard<std::mutex> lock(owner->mutex);
    unsigned id = owner->sources.FindBufferContainingLoc(loc);
    if (!id)
      continue;
    auto [line, column] = owner->sources.getLineAndColumn(loc, id);
    return {owner->sources.getMemoryBuffer(id)->getBufferIdentifier(), line, column};
  }
  return {};
}

namespace {

/// A source line as it is shown, and where each of its bytes begins in that.
struct ShownLine {
  std::string text;
  std::vector<unsigned> columns;
  unsigned width = 0;
};

ShownLine show(StringRef line) {
  ShownLine shown;
  auto put = [&](StringRef bytes, StringRef as, unsigned width) {
    shown.columns.insert(shown.columns.end(), bytes.size(), shown.width);
    shown.text += as;
    shown.width += width;
  };
  while (!line.empty()) {
    unsigned char c = line.front();
    if (c == '\t') {
      unsigned spaces = 8 - shown.width % 8;
      put(line.take_front(1), std::string(spaces, ' '), spaces);
      line = line.drop_front(1);
      continue;
    }
    unsigned size = std::min<size_t>(std::max(1u, getNumBytesForUTF8(c)), line.size());
    StringRef character = line.take_front(size);
    int width = sys::unicode::columnWidthUTF8(character);
    if (width < 0) {
      put(line.take_front(1), "?", 1);
      line = line.drop_front(1);
    } else {
      put(character, character, width);
      line = line.drop_front(size);
    }
  }
  shown.columns.push_back(shown.width);
  return shown;
}

/// Of a line so long that nobody could find the caret, leaves what surrounds it.
StringRef cutAround(StringRef line, int &column) {
  constexpr size_t limit = 400;
  constexpr size_t around = 100;
  if (line.size() <= limit)
    return line;
  size_t begin = static_cast<size_t>(column) > around ? column - around : 0;
  // Not in the middle of a character.
  while (begin > 0 && (line[begin] & 0xC0) == 0x80)
    --begin;
  column -= static_cast<int>(begin);
  return line.substr(begin, 2 * around);
}

void print(raw_ostream &os, const SMDiagnostic &diagnostic) {
  static const char *const kinds[] = {"error", "warning", "remark", "note"};
  if (!diagnostic.getFilename().empty())
    os << makePrintable(diagnostic.getFilename()) << ':';
  if (diagnostic.getLineNo() > 0) {
    os << diagnostic.getLineNo() << ':';
    if (diagnostic.getColumnNo() >= 0)
      os << diagnostic.getColumnNo() + 1 << ':';
  }
  os << ' ' << kinds[diagnostic.getKind()] << ": " << makePrintable(diagnostic.getMessage()) << '\n';
  if (diagnostic.getLineNo() <= 0 || diagnostic.getColumnNo() < 0)
    return;

  int column = std::min<int>(diagnostic.getColumnNo(), diagnostic.getLineContents().size());
  int shift = column;
  ShownLine line = show(cutAround(diagnostic.getLineContents(), column));
  shift -= column;
  auto columnOf = [&](int byte) {
    return line.columns[std::clamp<int>(byte - shift, 0, line.columns.size() - 1)];
  };
  std::string marks(line.width + 1, ' ');
  for (auto [begin, end] : diagnostic.getRanges())
    for (unsigned at = columnOf(begin); at < columnOf(end); ++at)
      marks[at] = '~';
  marks[columnOf(column + shift)] = '^';
  os << line.text << '\n' << StringRef(marks).rtrim() << '\n';
}

} // namespace

std::vector<std::string> Diagnostics::takeTexts() {
  std::vector<std::string> texts;
  std::string last;
  for (const SMDiagnostic &diagnostic : pending) {
    std::string text;
    raw_string_ostream stream(text);
    print(stream, diagnostic);
    // A verifier and the pass manager may both speak of the same thing.
    if (text == last)
      continue;
    if (diagnostic.getKind() == SourceMgr::DK_Note && !texts.empty())
      texts.back() += text;
    else
      texts.push_back(text);
    last = std::move(text);
  }
  pending.clear();
  // What a file is read for once for each signature and target, is said each time.
  std::set<std::string> seen;
  erase_if(texts, [&](const std::string &text) { return !seen.insert(text).second; });
  return texts;
}

void Diagnostics::flush(raw_ostream &os) {
  for (const std::string &text : takeTexts())
    printDiagnostic(os, text);
}

} // namespace nereid
