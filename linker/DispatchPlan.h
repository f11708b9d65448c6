// What a library will contain and how its calls choose: the linker's decisions, before any text is generated.
//
// Kernel objects are grouped by C function, which is a kernel under its own or another name. The objects of
// one kernel are its variants; they must agree on the C arguments (every parameter that is not a compile-time
// constant) because there is one C function for all of them. What a variant assumes beyond that, it assumes
// as traits: "x_ptr is divisible by 16", "n equals 1". Each trait that some variant of a kernel needs gets a
// bit; a call computes the bits that hold for its arguments, and a variant accepts the call if its own bits
// are among them. For example
//
//     *fp32:16, i32:16     needs bits 0 and 1        tried first
//     *fp32,    i32        needs none                tried last, accepts every call
#ifndef NEREID_LINKER_DISPATCHPLAN_H
#define NEREID_LINKER_DISPATCHPLAN_H

#include "compiler/model/Diagnostics.h"
#include "linker/KernelObject.h"

#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// An argument of the C function.
struct PlannedArgument {
  std::string name;
  bool isPointer = false;
  ScalarKind element = ScalarKind::Int32;
  /// No variant writes through the pointer.
  bool isConst = false;
  /// The bits of the traits that some variant needs of this argument.
  std::optional<unsigned> equalsOneBit;
  /// By the divisor, "is divisible by".
  std::map<unsigned, unsigned> divisibleBits;

  /// As signatures spell it: `*fp32`.
  std::string getType() const;
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
  /// Its place among the kernel's variants on the command line, which breaks ties.
  unsigned order = 0;
  const std::vector<KernelParameter> *parameters = nullptr;
  /// Indices into the kernel's arguments of those that the images take.
  std::vector<unsigned> passedArguments;
  /// The bits of the traits it needs.
  std::vector<unsigned> traits;
  /// How much they ask for: that of two that accept a call the one with more is taken.
  unsigned specialization = 0;
  /// C statements that compute the grid from `void *const *arguments`; empty if callers give the grid.
  std::vector<std::string> gridC;
  std::vector<PlannedCode> codes;
};

struct PlannedKernel {
  /// Of the C function, as the header has it for short. What is exported is DispatchPlan::getSymbol.
  std::string name;
  std::vector<PlannedArgument> arguments;
  /// Most specialized first; otherwise in the order of the command line.
  std::vector<PlannedVariant> variants;
  unsigned numTraits = 0;

  bool hasGrid() const { return !variants.front().gridC.empty(); }
  /// True if the grid can be computed before a variant is chosen, because all have the same expression.
  bool hasCommonGrid() const;
};

struct DispatchPlan {
  std::string name;
  std::vector<PlannedKernel> kernels;

  bool hasBackend(Backend backend) const;
  /// The exported name of a kernel's C function, `vec_add_kernel`; that of the function which is given a grid
  /// is the same with `_grid`.
  std::string getSymbol(const PlannedKernel &kernel) const { return name + "_" + kernel.name; }
};

/// Groups and checks the objects. Reports and returns nothing if they cannot be one library. The plan refers
/// into `objects`.
std::optional<DispatchPlan> planDispatch(llvm::ArrayRef<KernelObject> objects, llvm::StringRef name,
                                         Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_LINKER_DISPATCHPLAN_H
