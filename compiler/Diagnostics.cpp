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

SMDiagnostic Diagnostics::describe(SMRange range, SourceMgr::DiagKind kind, const Twine &message) const {
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
  add(describe(range, SourceMgr::DK_Warning, message));
}

void Diagnostics::note(SMRange range, const Twine &message) {
  add(describe(range, SourceMgr::DK_Note, message));
}

void Diagnostics::report(SourceMgr::DiagKind kind, StringRef path, unsigned line, unsigned column,
                         const Twine &message) {
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
  add(SMDiagnostic("nereid", SourceMgr::DK_Warning, message.str()));
}

Diagnostics::Position Diagnostics::positionOf(SMLoc loc) const {
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
