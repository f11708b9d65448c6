// Where in the source we are, and how to refuse: what every part of the frontend shares.
//
// A refusal is an exception. It is thrown by fail() from whatever depth found that the program makes no
// sense, carries the position of the innermost expression being evaluated and the calls that led there, and
// is caught once, by emitKernel, which turns it into one error with notes. Blocks of half-built regions live
// on the C++ stack meanwhile and are destroyed as it unwinds.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_CONTEXT_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_CONTEXT_H

#include "compiler/frontends/python/values/Value.h"
#include "compiler/frontends/types/WorkMeter.h"
#include "compiler/model/Diagnostics.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/SMLoc.h"

#include <string>
#include <vector>

namespace nereid::python {

struct Refusal {
  llvm::SMRange range;
  std::string message;
  /// What a `raise` of the program raises: `ValueError`. Empty for what the compiler refuses.
  std::string errorClass = {};
  /// The program may be fine: what it asks for is only known elsewhere (see GuessLog.h).
  bool isUnknown = false;
  struct Note {
    llvm::SMRange range;
    std::string message;
  };
  std::vector<Note> notes = {};
};

class Context {
public:
  Context(Diagnostics &diagnostics, uint64_t compileLimit)
      : diagnostics(diagnostics), meter(compileLimit, [this](const llvm::Twine &reason) { fail(reason); }) {}
  Context(const Context &) = delete;

  Diagnostics &diagnostics;
  WorkMeter meter;

  /// Refuses the program at the current position, or at `where` if given.
  [[noreturn]] void fail(const llvm::Twine &message);
  [[noreturn]] void fail(llvm::SMRange where, const llvm::Twine &message);
  [[noreturn]] void fail(llvm::SMRange where, const llvm::Twine &message, Refusal::Note note);
  /// Refuses the use of what is not known here.
  [[noreturn]] void failUnknown(const Opaque &value, llvm::StringRef use = "used");
  void warn(const llvm::Twine &message);
  /// Warns, once in a kernel, that a bfloat16 and `other` give bfloat16.
  void warnOfBFloat16(llvm::StringRef other);

  /// The innermost node being evaluated.
  llvm::SMRange range;
  /// The variable that the value being computed is assigned to.
  llvm::StringRef assignedName;
  /// The calls that are being walked into, outermost first, each with what `range` and `assignedName` were.
  struct CallSite {
    llvm::SMRange range;
    llvm::StringRef assignedName;
    std::string callee;
    /// The callee is emitted as a function of its own, so that positions in it do not name the call.
    bool isApart = false;
    /// What the emission made of it (EmissionContext::getLocation).
    const void *location = nullptr;
  };
  std::vector<CallSite> calls;

private:
  bool warnedOfBFloat16 = false;
};

/// Moves the current position to a node for as long as it lives.
class PositionScope {
public:
  PositionScope(Context &context, llvm::SMRange range) : context(context), saved(context.range) {
    if (range.isValid())
      context.range = range;
  }
  ~PositionScope() { context.range = saved; }
  PositionScope(const PositionScope &) = delete;

private:
  Context &context;
  llvm::SMRange saved;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_CONTEXT_H
