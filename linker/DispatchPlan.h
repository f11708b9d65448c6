// What a library will contain and how its calls choose: the linker's decisions, before any text is generated.
//
// Kernel objects are grouped by C function, which is a kernel under its own or another name. The objects of
// one kernel are its variants; their parameters become one list of C arguments (CallArguments.h). What a
// variant assumes of a call beyond that are its promises, each about a subject, which is an argument or
// something computed of arguments:
//
//     x=*fp32:16                 x is divisible by 16
//     n=i32:1, n=i32[0..4095]    n lies between these
//     D=64, to be chosen by      D equals 64
//     bias=None                  bias is null; where another variant has a pointer, that it is not
//     WHEN "m * n <= BLOCK"      m * n lies below BLOCK's value
//
// Of these a decision is made (Decision.h), which the library walks in a call. Of several variants that
// accept a call the one that comes first is taken. One whose promises include another's comes before it;
// otherwise the one that promises more, then the one that was given first.
//
// Variants that TUNE or AUTOTUNE made of one signature are tuned together: if one of them comes first, all of
// them that accept the call and whose code is for as good an architecture are there to be chosen from.
#ifndef NEREID_LINKER_DISPATCHPLAN_H
#define NEREID_LINKER_DISPATCHPLAN_H

#include "compiler/model/Diagnostics.h"
#include "linker/CallArguments.h"
#include "linker/Decision.h"
#include "linker/KernelObject.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// A number that calls have, of which variants promise ranges.
struct PlannedSubject {
  enum class Kind {
    /// An argument that is an integer or a dtype.
    Argument,
    /// 0 if a pointer is null or a number None, 1 if not.
    Presence,
    /// Which of `values` an argument has; -1 for another one.
    Value,
    /// An expression over the arguments.
    Expression,
    /// 1 if that is not 0, else 0.
    Truth,
    /// 1 if that overflows or divides by zero.
    Failure,
  };
  Kind kind = Kind::Argument;
  /// Argument, Presence, Value.
  unsigned argument = 0;
  std::vector<ConstantValue> values;
  /// Expression, Truth, Failure: C statements that set grid[0], and how it reads.
  std::vector<std::string> statements;
  std::string text;
  /// Truth: how its contrary reads.
  std::string contrary;
};

/// A tensor map that the launch makes for an image.
struct PlannedTensorMap {
  const TensorMap *map = nullptr;
  /// Which of the kernel's arguments holds the tensor's address.
  unsigned base = 0;
  /// C statements that compute TensorMap::extents, as gridC does the grid.
  std::vector<std::string> extentsC;
};

/// One target's code of one variant.
struct PlannedCode {
  const TargetCode *code = nullptr;
  std::vector<PlannedTensorMap> tensorMaps;
  /// The entry point of CPU code, unique in the library.
  std::string entrySymbol;
};

/// One signature of a kernel.
struct PlannedVariant {
  const KernelObject *object = nullptr;
  /// What messages call it: the object's title, and what tells it apart from others of that title.
  std::string title;
  /// Its place among the kernel's variants on the command line, which breaks ties.
  unsigned order = 0;
  const std::vector<KernelParameter> *parameters = nullptr;
  /// Indices into the kernel's arguments of those that the images take.
  std::vector<unsigned> passedArguments;
  /// In the order of normalizePromises.
  std::vector<Promise> promises;
  /// Of those that are tuned together, the same number from 1; 0 for one that was given as it is.
  unsigned tuningGroup = 0;
  /// Why no call ever gets it, if its promises contradict each other: the text of one.
  std::string contradiction;
  /// How much it promises: points and divisors first, then ranges, by how many others they lie within.
  unsigned specialization = 0, narrowness = 0;
  /// C statements that compute the grid from `void *const *arguments`; empty if callers give the grid.
  std::vector<std::string> gridC;
  /// The arguments that the grid is computed of.
  std::vector<unsigned> gridArguments;
  /// Where a target's code has a second form, that is behind the first.
  std::vector<PlannedCode> codes;

  /// `cuda:90a, cpu:x86-64-v3`.
  std::string listTargets() const;
};

/// The values of a key, in the order of PlannedTuning::key; nothing where one was not given.
using TuningKey = std::vector<std::optional<int64_t>>;

/// A graph of comparisons, the root first. Where `value` is none, `yes` is the number of a key.
struct TuningNode {
  static constexpr unsigned none = ~0U;
  unsigned value = none;
  int64_t bound = 0;
  unsigned yes = 0, no = 0;
};

/// One variant's code, and how long it took, or that it failed.
struct MeasuredCode {
  unsigned variant = 0, code = 0;
  double nanoseconds = 0;
  bool hasFailed = false;
};

/// What was measured on one device (TuningDecision.h).
struct TuningTable {
  std::string device;
  std::vector<TuningKey> keys;
  /// For each key, the fastest first, those that failed last.
  std::vector<std::vector<MeasuredCode>> measured;
  std::vector<TuningNode> nodes;
};

struct PlannedTuning {
  /// The arguments whose values are a key.
  std::vector<unsigned> key;
  std::vector<TuningTable> tables;
};

struct PlannedKernel {
  /// Of the C function, as the header has it for short. What is exported is DispatchPlan::getSymbol.
  std::string name;
  std::vector<PlannedArgument> arguments;
  /// First comes first.
  std::vector<PlannedVariant> variants;
  std::vector<PlannedSubject> subjects;
  Decision decision;
  PlannedTuning tuning;

  bool isTuned() const;
  bool hasGrid() const { return !variants.front().gridC.empty(); }
  /// True if the grid can be computed before a variant is chosen, because all have the same expression.
  bool hasCommonGrid() const;
  /// `n <= 1024`, `x is divisible by 16`, `bias is NULL`, for messages.
  std::string describe(const Promise &promise) const;
};

/// Kernels that are one for several element types (TypeFamilies.h).
struct TypeFamily {
  std::string name;
  /// Indices of the plan's kernels, two or more.
  std::vector<unsigned> members;
  /// The first argument of each group of those whose types go together.
  std::vector<unsigned> groups;
  /// For each argument whether its type differs among the members.
  std::vector<bool> isTyped;
  bool hasGrid = true;
};

struct DispatchPlan {
  std::string name;
  std::vector<PlannedKernel> kernels;
  std::vector<TypeFamily> families;

  bool hasBackend(Backend backend) const;
  /// The exported name of a kernel's C function, `vec_add_kernel`; that of the function which is given a grid
  /// is the same with `_grid`.
  std::string getSymbol(const PlannedKernel &kernel) const { return name + "_" + kernel.name; }
};

/// What each kernel's C functions are called beyond its own name.
llvm::ArrayRef<const char *> getFunctionSuffixes();

/// Groups and checks the objects. Reports and returns nothing if they cannot be one library. The plan refers
/// into `objects`.
std::optional<DispatchPlan> planDispatch(llvm::ArrayRef<KernelObject> objects, llvm::StringRef name,
                                         Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_LINKER_DISPATCHPLAN_H
