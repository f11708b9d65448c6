// The arguments of a kernel's C function: what callers pass, so that one function stands for all variants.
//
// An argument is a parameter that some variant takes at run time, or that is named to choose variants by
// (`dispatch`). The variants may have it in different ways:
//
//     n=i32        n=i64            int64_t n; the first variant takes calls whose n fits
//     bias=None    bias=*fp32       const float *bias, which may be NULL
//     s=0.5        s=fp32           float s, if s is named; 0.5 runs the first variant
//     s=None       s=fp32           nrd_optional_f32 s, if s is named; so with fp16, bf16 and fp64
//     D=64         D=128            int32_t D, if D is named; otherwise it is no argument
//
// The type of one that has values only comes from them: bool, int32_t or int64_t, double, const char *
// (texts, and names of functions), nrd_dtype. Where one of the values is None, numbers become
// nrd_optional_i64 and nrd_optional_f64, a text may be NULL, and a dtype NRD_NONE.
#ifndef NEREID_LINKER_CALLARGUMENTS_H
#define NEREID_LINKER_CALLARGUMENTS_H

#include "linker/KernelObject.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

/// An argument of the C function.
struct PlannedArgument {
  enum class Form {
    /// A pointer or a number, as the kernel takes it.
    Plain,
    /// Only values by which calls choose: what kernels never see.
    Text,
    DType,
    /// A number or None. The number comes first in its struct, and so lies where kernels look for it.
    OptionalInteger,
    OptionalFloat,
  };
  std::string name;
  Form form = Form::Plain;
  bool isPointer = false;
  ScalarKind element = ScalarKind::Int32;
  /// No variant writes through the pointer.
  bool isConst = false;
  /// Some variant has None in its place, so that it may be NULL.
  bool isNullable = false;
  /// It is named to choose variants by.
  bool isDispatched = false;
  /// Some variant takes it at run time.
  bool isTakenAtRunTime = false;

  /// As signatures spell it: `*fp32`; for other forms `text`, `dtype`, `i64 or None`, `fp64 or None`.
  std::string getType() const;
  bool isOptional() const { return form == Form::OptionalInteger || form == Form::OptionalFloat; }
  /// True for what can be compared with numbers: plain integers, and dtypes.
  bool isNumbered() const {
    return form == Form::DType || (form == Form::Plain && !isPointer && isInteger(element));
  }
};

/// The number that an integer, a boolean or a dtype is in C; nothing for other values. Dtypes are numbered
/// from 1 in the order of ScalarKind (nrd_dtype in types.h.in), and None among them is 0.
std::optional<int64_t> numberOf(const ConstantValue &value, PlannedArgument::Form form);

/// The number of an argument's type, one of the floats below, that a call gets which is given `value` for it.
double roundTo(ScalarKind element, double value);

/// The same number as its bits.
uint64_t bitsOf(ScalarKind element, double value);

/// What the types are called in C that have numbers of a type and None: `f16` of nrd_optional_f16. Empty for
/// a type that calls cannot choose by: integers, and floats of 8 bits.
llvm::StringRef getNameOfOptional(ScalarKind element);
bool hasOptionalFloat(ScalarKind element);

/// How a message or an equation writes a value: `64`, `True`, `"relu"`, `float16`.
std::string printValue(const ConstantValue &value);

/// The arguments that the objects of one C function have in common. Reports and returns nothing if one
/// function cannot stand for all of them.
std::optional<std::vector<PlannedArgument>> mergeArguments(llvm::ArrayRef<const KernelObject *> objects,
                                                           Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_LINKER_CALLARGUMENTS_H
