// Collects messages as llvm::SMDiagnostic, which already knows how to print a line with its caret and range.
#include "compiler/Diagnostics.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nereid {

StringRef Diagnostics::addSource(StringRef path, std::string text) {
  auto buffer = MemoryBuffer::getMemBufferCopy(text, path);
  StringRef view = buffer->getBuffer();
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  return view;
}

StringRef Diagnostics::addFile(StringRef path) {
  if (sys::fs::is_directory(path)) {
    error("cannot open '" + path + "': it is a directory");
    return StringRef();
  }
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer) {
    error("cannot open '" + path + "': " + buffer.getError().message());
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

void Diagnostics::error(SMRange range, const Twine &message) {
  add(sources.GetMessage(range.Start, SourceMgr::DK_Error, message, range));
}

void Diagnostics::warning(SMRange range, const Twine &message) {
  add(sources.GetMessage(range.Start, SourceMgr::DK_Warning, message, range));
}

void Diagnostics::note(SMRange range, const Twine &message) {
  add(sources.GetMessage(range.Start, SourceMgr::DK_Note, message, range));
}

void Diagnostics::report(SourceMgr::DiagKind kind, StringRef path, unsigned line, unsigned column,
                         const Twine &message) {
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id) {
    if (sources.getMemoryBuffer(id)->getBufferIdentifier() != path)
      continue;
    SMLoc loc = sources.FindLocForLineAndColumn(id, line, column);
    if (loc.isValid()) {
      add(sources.GetMessage(loc, kind, message));
      return;
    }
  }
  // SMDiagnostic counts columns from 0 and prints one more.
  add(SMDiagnostic(sources, SMLoc(), path, static_cast<int>(line), column ? static_cast<int>(column) - 1 : -1,
                   kind, message.str(), "", {}));
}

void Diagnostics::error(const Twine &message) {
  add(SMDiagnostic("nereid", SourceMgr::DK_Error, message.str()));
}

void Diagnostics::warning(const Twine &message) {
  add(SMDiagnostic("nereid", SourceMgr::DK_Warning, message.str()));
}

Diagnostics::Position Diagnostics::positionOf(SMLoc loc) const {
  unsigned id = sources.FindBufferContainingLoc(loc);
  if (!id)
    return {};
  auto [line, column] = sources.getLineAndColumn(loc, id);
  return {sources.getMemoryBuffer(id)->getBufferIdentifier(), line, column};
}

void Diagnostics::flush(raw_ostream &os) {
  std::string last;
  for (const SMDiagnostic &diagnostic : pending) {
    std::string text;
    raw_string_ostream stream(text);
    diagnostic.print(nullptr, stream, /*ShowColors=*/false);
    // A verifier and the pass manager may both speak of the same thing.
    if (text != last)
      os << text;
    last = std::move(text);
  }
  pending.clear();
}

} // namespace nereid
