// What the user is told when input is refused.
//
// Everything that reads text (the Python frontend, signatures, grids, manifests, IR text) reports through one
// Diagnostics object, which owns the text, so that every message can show its source line and a caret:
//
//     add.py:7:15: error: name 'offset' is not defined
//         x = tl.load(x_ptr + offset)
//                             ^~~~~~
//
// Positions are llvm::SMLoc, pointers into the text itself: a syntax-tree node stores a range in two
// pointers, and the line and column are only computed if there is something to say. Messages are collected,
// not printed, so that a caller decides when (and whether) to show them; nothing in the compiler writes to
// stderr by itself.
//
// MLIR's own diagnostics (from verifiers and passes) are brought in by MLIRDiagnosticBridge, which is in a
// file of its own.
#ifndef NEREID_COMPILER_MODEL_DIAGNOSTICS_H
#define NEREID_COMPILER_MODEL_DIAGNOSTICS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SMLoc.h"
#include "llvm/Support/SourceMgr.h"

#include <mutex>
#include <string>
#include <vector>

namespace nereid {

/// The range that covers `text`, a piece of text that a Diagnostics owns.
inline llvm::SMRange rangeOf(llvm::StringRef text) {
  return {llvm::SMLoc::getFromPointer(text.begin()), llvm::SMLoc::getFromPointer(text.end())};
}

class Diagnostics {
public:
  Diagnostics() = default;
  /// For one of several jobs that run at a time: collects messages of its own, and also knows the text of
  /// `parent`, which must outlive it and is given no more text meanwhile.
  explicit Diagnostics(const Diagnostics &parent)
      : parent(&parent), warningsAreErrors(parent.warningsAreErrors) {}
  Diagnostics &operator=(const Diagnostics &) = delete;

  /// Takes over `text` under the name `path` (as messages will show it) and returns a view that lives as long
  /// as this object, terminated by a NUL that is not part of the view.
  llvm::StringRef addSource(llvm::StringRef path, std::string text);

  /// Takes over text that stands for a piece of text added before and is spelled otherwise there, such as a
  /// string of JSON with escapes. What is reported in it is shown where that piece begins.
  llvm::StringRef addSource(llvm::SMLoc origin, std::string text);

  /// Reads a file and adds it. On failure reports "cannot open …" and returns a StringRef whose data() is
  /// null.
  llvm::StringRef addFile(llvm::StringRef path);

  /// Reports at a position in text that was added here. Of `range`, what lies on the first line is
  /// underlined.
  void error(llvm::SMRange range, const llvm::Twine &message);
  void error(llvm::SMLoc loc, const llvm::Twine &message) { error(llvm::SMRange(loc, loc), message); }
  void warning(llvm::SMRange range, const llvm::Twine &message);
  /// Adds to the message before it: the definition that was meant, the call that led here.
  void note(llvm::SMRange range, const llvm::Twine &message);

  /// Reports at a line and column (both from 1) of a file that was perhaps never added; its line is shown if
  /// it was.
  void report(llvm::SourceMgr::DiagKind kind, llvm::StringRef path, unsigned line, unsigned column,
              const llvm::Twine &message);

  /// Reports about something that has no position: a missing folder, a tool that failed.
  void error(const llvm::Twine &message);
  void warning(const llvm::Twine &message);

  /// From now on every warning is an error, and says that it was a warning.
  void treatWarningsAsErrors() { warningsAreErrors = true; }

  bool hasErrors() const { return errorCount != 0; }
  unsigned getErrorCount() const { return errorCount; }

  /// Line and column, both from 1, and the path of a position in text that was added here.
  struct Position {
    llvm::StringRef path;
    unsigned line = 0;
    unsigned column = 0;
  };
  Position positionOf(llvm::SMLoc loc) const;

  /// Prints everything collected so far, each message once, and forgets it (the counts stay).
  void flush(llvm::raw_ostream &os);
  /// The same as texts: each error or warning with the notes that belong to it.
  std::vector<std::string> takeTexts();

private:
  /// Where the piece of text begins that stands for the text of a position; no place if none does.
  llvm::SMLoc findOrigin(llvm::SMLoc loc) const;
  void add(llvm::SMDiagnostic diagnostic);
  /// A message with the line it points into; without one if the position is in no text known here.
  llvm::SMDiagnostic describe(llvm::SMRange range, llvm::SourceMgr::DiagKind kind,
                              const llvm::Twine &message) const;

  const Diagnostics *parent = nullptr;
  /// Guards `sources`, whose look-ups fill a cache, against the jobs that have this as their parent.
  mutable std::mutex mutex;
  mutable llvm::SourceMgr sources;
  std::vector<llvm::SMDiagnostic> pending;
  unsigned errorCount = 0;
  bool warningsAreErrors = false;
};

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_DIAGNOSTICS_H
