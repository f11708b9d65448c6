// What every part of the emission shares: where operations go, where in the source we are, and how to refuse.
//
// A refusal is an exception. It is thrown by fail() from whatever depth found that the program makes no
// sense, carries the position of the innermost expression being emitted and the calls that led there, and is
// caught once, by emitKernel, which turns it into one error with notes. Blocks of half-built regions live on
// the C++ stack meanwhile and are destroyed as it unwinds.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_CONTEXT_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_CONTEXT_H

#include "compiler/Diagnostics.h"
#include "compiler/frontends/python/Value.h"

#include "mlir/IR/Builders.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::python {

struct Refusal {
  llvm::SMRange range;
  std::string message;
  /// What a `raise` of the program raises: `ValueError`. Empty for what the compiler refuses.
  std::string errorClass = {};
  struct Note {
    llvm::SMRange range;
    std::string message;
  };
  std::vector<Note> notes = {};
};

class Context {
public:
  Context(mlir::MLIRContext &mlirContext, Diagnostics &diagnostics)
      : builder(&mlirContext), diagnostics(diagnostics) {}

  mlir::OpBuilder builder;
  Diagnostics &diagnostics;

  mlir::MLIRContext *getMLIRContext() { return builder.getContext(); }

  /// Refuses the program at the current position, or at `where` if given.
  [[noreturn]] void fail(const llvm::Twine &message);
  [[noreturn]] void fail(llvm::SMRange where, const llvm::Twine &message);
  [[noreturn]] void fail(llvm::SMRange where, const llvm::Twine &message, Refusal::Note note);
  void warn(const llvm::Twine &message);

  /// The position of the expression or statement being emitted. Names given in assignments go on top, the
  /// calls that are being inlined below.
  mlir::Location getLocation();
  mlir::Location getLocation(llvm::SMLoc where);

  template <typename Op, typename... Args> Op create(Args &&...args) {
    return Op::create(builder, getLocation(), std::forward<Args>(args)...);
  }

  /// The innermost node being emitted.
  llvm::SMRange range;
  /// The variable that the value being emitted is assigned to.
  llvm::StringRef assignedName;
  /// The calls being inlined, outermost first.
  struct CallSite {
    llvm::SMRange range;
    std::string callee;
    /// Absent for a call of a function that is emitted apart.
    std::optional<mlir::Location> location;
  };
  std::vector<CallSite> calls;

private:
  struct CachedLocation {
    const char *where = nullptr;
    size_t depth = 0;
    llvm::StringRef name;
    std::optional<mlir::Location> location;
  } cached;
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

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_CONTEXT_H
