// How a call from Python gets what a kernel needs: by default a Python function has the kernel's parameters,
// and this text says which of them follow from others.
//
//     M=x.shape[0], N=x.shape[1], stride_xm=x.stride(0)     computed of the tensors, and no arguments any
//     more out=empty_like(x), sums=zeros(M, like=x)              made if the call does not give it, and
//     returned eps=1e-6                                              a default contiguous(x, w), w.shape[0]
//     == N                     checked before anything runs
//
// These are separated by commas, and are worked through in their order: `N` may be used behind
// `N=x.shape[1]`. An expression is Python's, over arguments, `x.shape[i]`, `x.stride(i)` (in elements),
// `x.ndim` and `x.numel()`, with + - * / // %, comparisons, and, or, not, and the functions cdiv, min, max
// and next_power_of_2.
#ifndef NEREID_LINKER_PYTHONCALL_H
#define NEREID_LINKER_PYTHONCALL_H

#include "compiler/model/Diagnostics.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nereid {

/// One entry of the text.
struct PythonCallItem {
  enum class Kind { Compute, Allocate, Default, Contiguous, Check };
  Kind kind = Kind::Compute;
  /// The argument that is computed, made or given a default.
  llvm::StringRef target;
  /// Python, in which what is asked of a tensor is `{size:x:0}`, `{stride:x:0}`, `{ndim:x}` or `{numel:x}`.
  /// Of Allocate the sizes as a tuple, or empty if they are those of `like`.
  std::string text;
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

} // namespace nereid

#endif // NEREID_LINKER_PYTHONCALL_H
