// How a call from Python gets what a kernel needs: by default a Python function has the kernel's parameters,
// and this text says which of them follow from others.
//
//     M=x.shape[0], N=x.shape[1]                  computed of the tensors, and no arguments any more
//     out=empty_like(x), sums=zeros(M, like=x)    made if the call does not give it, and returned
//     eps=1e-6                                    a default
//     contiguous(x, w), w.shape[0] == N           checked before anything runs
//
// These are separated by commas, and are worked through in their order: `N` may be used behind
// `N=x.shape[1]`. An expression is Python's, over arguments, `x.shape[i]`, `x.stride(i)` (in elements),
// `x.ndim` and `x.numel()`, with + - * / // %, comparisons, and, or, not, and the functions cdiv, min, max
// and next_power_of_2.
#ifndef NEREID_LINKER_PYTHONCALL_H
#define NEREID_LINKER_PYTHONCALL_H

#include "compiler/model/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nereid {

/// One step of an expression, which takes its operands from a stack and leaves its result there.
struct PythonStep {
  enum class Kind {
    /// `text` is the number, or the argument that is meant.
    Integer,
    Real,
    True,
    False,
    None,
    Argument,
    /// Of the tensor `text`; of the first two, the axis `axis`, which counts from the end if it is negative.
    Size,
    Stride,
    Dimensions,
    Elements,
    Negate,
    Not,
    NextPowerOf2,
    /// Of two operands: an operator, or a function, as Python spells it.
    Binary,
    /// What follows, up to End, is computed only if the operand is true (And) or false (Or); otherwise the
    /// operand is the result.
    And,
    Or,
    /// A comparison `text` that another one follows, `a < b < c`: leaves `b`. What follows, up to End, is
    /// computed only if it holds; otherwise its own result is that of the whole.
    Chain,
    End,
  };
  Kind kind;
  llvm::StringRef text;
  int axis = 0;
};

/// One entry of the text.
struct PythonCallItem {
  enum class Kind { Compute, Allocate, Default, Contiguous, Check };
  Kind kind = Kind::Compute;
  /// The argument that is computed, made or given a default.
  llvm::StringRef target;
  /// The expression. Of Allocate each of `numSizes` sizes leaves a value; there are none if they are those of
  /// `like`.
  std::vector<PythonStep> steps;
  unsigned numSizes = 0;
  /// As it was written, for messages.
  llvm::StringRef written;
  /// Allocate: `empty` or `zeros`, and the tensor that it is to be like.
  llvm::StringRef function, like;
  /// The arguments that it speaks of, and whether as tensors.
  std::vector<std::pair<llvm::StringRef, bool>> names;
};

struct PythonCall {
  std::vector<PythonCallItem> items;

  /// `text` must be a view that diagnostics.addSource returned. Returns nothing after reporting what is
  /// wrong.
  static std::optional<PythonCall> parse(llvm::StringRef text, Diagnostics &diagnostics);

  /// What a name stands for.
  enum class Subject { Missing, CompileTime, Number, Pointer, Unknown };
  /// Checks that names are what their use says, and that nothing is used before it is computed.
  bool check(llvm::function_ref<Subject(llvm::StringRef)> find, Diagnostics &diagnostics) const;
};

/// The values that the steps leave, as Python. What is asked of a tensor becomes `{size:x:0}`,
/// `{stride:x:0}`, `{ndim:x}` or `{numel:x}`, and functions begin with an underscore: `_cdiv`. `nameOf`
/// prints arguments.
std::vector<std::string> printInPython(llvm::ArrayRef<PythonStep> steps,
                                       llvm::function_ref<std::string(llvm::StringRef)> nameOf);

} // namespace nereid

#endif // NEREID_LINKER_PYTHONCALL_H
