// What was taken for granted while a kernel was compiled: answers that only the machine where the kernel's
// file would be run by Python has.
//
// `if fast_path():`, a module that is not here, an environment variable: each such question gets the answer
// that is most often right, and the answer is a guess. Most guesses of a file never matter. One that reaches
// the kernel is told to the user. So that this can be known, guesses are written down in the order in which
// they are made, and the value of a module's name remembers those that were made for it:
//
//     BLOCK = tl.constexpr(64 if fast_path() else 128)     evaluating BLOCK makes guess 0
//     def kernel(…): tl.arange(0, BLOCK)                   asking for BLOCK makes guess 0 again, and it is
//     told
//
// What is certain of the target (that it is an AMD GPU, say) is no guess, and neither is what the whole
// compiler presupposes: that Triton is there, and PyTorch.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_GUESSLOG_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_GUESSLOG_H

#include "compiler/frontends/python/values/Value.h"
#include "compiler/model/Diagnostics.h"

#include "llvm/ADT/SmallVector.h"

namespace nereid::python {

/// The source text of a node as messages quote it: on one line, and not too long of one.
std::string quoteSource(llvm::SMRange range);

class GuessLog {
public:
  using Id = unsigned;

  /// Writes a guess down: `message` names the expression and the answer, `reason` says why it is not known.
  void make(llvm::SMRange range, const llvm::Twine &message, llvm::StringRef reason = "");
  /// Makes guesses again, for a value that rests on them.
  void repeat(llvm::ArrayRef<Id> ids) { trail.append(ids.begin(), ids.end()); }

  /// A place in the order of guesses, for the two below.
  size_t mark() const { return trail.size(); }
  /// The guesses since then, each once.
  llvm::SmallVector<Id> since(size_t mark) const;
  /// Those since then have decided nothing.
  void forget(size_t mark) { trail.truncate(mark); }

  /// The guesses since `mark` are what makes a name of a file what it is.
  void attribute(size_t mark, llvm::StringRef name, llvm::StringRef module, const Value &value);
  /// Warns of all guesses since `mark`, in the order in which they were first made.
  void report(size_t mark, Diagnostics &diagnostics) const;

private:
  struct Guess {
    llvm::SMRange range;
    std::string message;
    std::string reason;
    /// `so that 'BLOCK' is 128; -D BLOCK=VALUE …`: which name brought it to whoever asked first.
    std::string effect;
  };
  std::vector<Guess> guesses;
  llvm::SmallVector<Id> trail;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_EVALUATION_GUESSLOG_H
