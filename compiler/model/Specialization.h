// Which instance of a kernel to compile: a type or a compile-time value for each of its parameters.
//
// It is written as upstream's ahead-of-time compiler writes signatures, by position,
//
//     *fp32:16, *fp32:16, i32:16, 1024
//
// or by name, in any order:  x_ptr=*fp32:16, n=i32, BLOCK=1024.  `*T` is a pointer to T; `:16` promises that
// the argument is divisible by 16 (a pointer: its address); `:1` that it equals 1, which makes it a
// compile-time constant for the kernel, although callers still pass it. Anything that is not a type is a
// compile-time value: an integer, a float, True, False, None, a quoted string, a dtype name in quotes or as
// the value of a named parameter, or the name of something in the kernel's file. `tensordesc<fp16[64, 64]>`
// is a tensor descriptor made by the host, over blocks of 64 x 64; parentheses around a list of these make a
// tuple, and around `ptr=*fp32, size=i32` a named tuple. `n=i32[0..4095]` promises a range, either end of
// which may be left out, and `n=i32:<4096` is short for one.
//
// A list stands for several signatures: `HEAD_DIM=[64, 128], CAUSAL=[True, False]` for all four pairs, in the
// order of nested loops. Lists of element types, `x=*[fp16, fp32], y=*[fp16, fp32]`, move together where
// their texts are the same.
#ifndef NEREID_COMPILER_MODEL_SPECIALIZATION_H
#define NEREID_COMPILER_MODEL_SPECIALIZATION_H

#include "compiler/model/Diagnostics.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nereid {

/// Element types, named as signatures and triton.language name them.
enum class ScalarKind {
  Int1,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  FP8E4NV,
  FP8E4B8,
  FP8E4B15,
  FP8E5,
  FP8E5B16,
  FP16,
  BF16,
  FP32,
  FP64,
};

/// `i32`, `u8`, `fp16`, `fp8e4nv`: the signature's spelling, which is also Triton's name when it prints a
/// type.
llvm::StringRef getScalarName(ScalarKind kind);
/// The width in bits: 1 for Int1, 8 for UInt8 and the fp8 kinds.
unsigned getScalarBits(ScalarKind kind);
/// The size in memory, in bytes; an Int1 takes one.
unsigned getScalarBytes(ScalarKind kind);
bool isInteger(ScalarKind kind);
/// True for integers that are never negative, Int1 (0 or 1) among them.
bool isUnsigned(ScalarKind kind);
/// Reads getScalarName's spellings, `u1` for `i1`, and also those of triton.language (`int32`, `float16`,
/// `float8e5`, …).
std::optional<ScalarKind> parseScalarKind(llvm::StringRef name);

/// A dtype as a compile-time value: `tl.float16` passed for a parameter.
struct DTypeConstant {
  ScalarKind kind;
};
/// What the kernel's file knows by a name, most often a function that is passed for a parameter: `gelu`,
/// `ops.gelu`, or, of a module that the file does not import, `package.ops:gelu`.
struct NameConstant {
  std::string text;
};
/// std::monostate is None.
using ConstantValue =
    std::variant<std::monostate, bool, int64_t, double, std::string, DTypeConstant, NameConstant>;

/// The integers from `least` to `most`, both included.
struct IntegerRange {
  int64_t least = INT64_MIN;
  int64_t most = INT64_MAX;
  bool operator==(const IntegerRange &other) const { return least == other.least && most == other.most; }
};

/// All values of an integer type, as far as an int64_t has them.
IntegerRange getValues(ScalarKind kind);

/// What a signature says of one parameter.
struct ParameterSpec {
  /// Empty where the signature is positional.
  std::string name;
  /// The compile-time value, or nothing for an argument passed at run time.
  std::optional<ConstantValue> constant;
  /// Meaningful where there is no constant.
  bool isPointer = false;
  ScalarKind element = ScalarKind::Int32;
  /// See Divisor.h.
  unsigned divisibleBy = 1;
  bool equalsOne = false;
  /// Where the integer is promised to lie, if that is less than its type has.
  std::optional<IntegerRange> values;
  /// The sizes of the blocks of a tensor descriptor that the host passes; otherwise empty.
  std::vector<int64_t> blockShape;
  /// The elements of a tuple; those of a named tuple have the fields' names, all of them.
  std::optional<std::vector<ParameterSpec>> elements;
  /// Where the text of this parameter stands, for messages.
  llvm::SMRange range;

  /// `*fp32:16`, `i32`, `1024`, `tensordesc<fp16[64, 64]>`, `(*fp32, 4)`.
  std::string str() const;
};

struct Specialization {
  std::vector<ParameterSpec> parameters;
  bool named = false;
  llvm::SMRange range;
  /// The element types chosen of its lists, `fp16` or `fp16_fp32`, or empty: what tells apart the C functions
  /// that such lists make.
  std::string typeSuffix;

  /// The normal form, which reads back as the same specialization.
  std::string str() const;
};

/// Reads a signature. `text` must be a view that diagnostics.addSource returned, so that errors can point
/// into it. Returns nothing after reporting what is wrong, which a list is.
std::optional<Specialization> parseSignature(llvm::StringRef text, Diagnostics &diagnostics);

/// Reads a signature that may have lists: all those that it stands for, the first list's values changing
/// last.
std::optional<std::vector<Specialization>> parseSignatures(llvm::StringRef text, Diagnostics &diagnostics);

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_SPECIALIZATION_H
