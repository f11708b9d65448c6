// The types of values in a kernel, as a kernel author knows them: `int32`, `pointer<fp16>`, `<[128, 64],
// fp32>`.
//
// MLIR's integers have no sign, Triton's have, and the sign decides which division, comparison, shift or
// conversion is meant. So every run-time value of the frontend is a value of the IR together with one of
// these. A block is a tensor of compile-time shape, called block in messages as Triton does; a scalar is a
// value without a shape.
#ifndef NEREID_COMPILER_FRONTENDS_TYPES_TYPES_H
#define NEREID_COMPILER_FRONTENDS_TYPES_TYPES_H

#include "compiler/model/Specialization.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace llvm {
struct fltSemantics;
} // namespace llvm

namespace nereid::semantics {

using Shape = llvm::SmallVector<int64_t, 4>;

/// An integer of compile-time arithmetic. Python's have no limit; 128 bits hold every value a kernel can use,
/// and arithmetic that would leave them is reported.
using BigInt = __int128;

class Type {
public:
  enum class Kind { Void, Scalar, Pointer, Block, Descriptor };

  Type() = default;
  Type(ScalarKind scalar) : kind(Kind::Scalar), scalarKind(scalar) {}
  static Type pointer(const Type &pointee, bool isConst = false);
  static Type block(const Type &element, llvm::ArrayRef<int64_t> shape);
  /// A tensor descriptor over blocks of this type.
  static Type descriptor(const Type &block);

  Kind getKind() const { return kind; }
  bool isVoid() const { return kind == Kind::Void; }
  bool isScalarNumber() const { return kind == Kind::Scalar; }
  bool isPointer() const { return kind == Kind::Pointer; }
  bool isBlock() const { return kind == Kind::Block; }
  bool isDescriptor() const { return kind == Kind::Descriptor; }
  /// A pointer to a block, as tl.make_block_ptr returns.
  bool isBlockPointer() const { return isPointer() && inner->isBlock(); }

  ScalarKind getScalarKind() const { return scalarKind; }
  /// What a pointer points to, what a block is made of, what blocks a descriptor describes.
  const Type &getElement() const { return *inner; }
  /// The type without its shape: the element of a block, anything else itself.
  const Type &getScalar() const { return isBlock() ? *inner : *this; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const;
  /// The same shape with other elements.
  Type withElement(const Type &element) const;
  bool isConstPointer() const { return isPointer() && constPointee; }

  // Of a scalar number (false for anything else).
  bool isBool() const { return isScalarNumber() && scalarKind == ScalarKind::Int1; }
  bool isInteger() const;
  /// int1 counts as unsigned, as in Triton.
  bool isSignedInteger() const;
  bool isUnsignedInteger() const { return isInteger() && !isSignedInteger(); }
  bool isFloat() const { return isScalarNumber() && !isInteger(); }
  bool isFP8() const;
  bool isStandardFloat() const { return isFloat() && !isFP8(); }
  bool is(ScalarKind k) const { return isScalarNumber() && scalarKind == k; }
  unsigned getBits() const { return getScalarBits(scalarKind); }
  /// Bits after the leading one of a float.
  unsigned getMantissaWidth() const;
  BigInt getMinInteger() const;
  BigInt getMaxInteger() const;

  /// `int32`, `pointer<fp16>`, `<[128], int1>`.
  std::string str() const;

  friend bool operator==(const Type &a, const Type &b);
  friend bool operator!=(const Type &a, const Type &b) { return !(a == b); }

private:
  Kind kind = Kind::Void;
  ScalarKind scalarKind = ScalarKind::Int32;
  bool constPointee = false;
  std::shared_ptr<const Type> inner;
  Shape shape;
};

/// Triton's name of a number type: `int32`, `uint8`, `fp8e5`, `bf16`.
llvm::StringRef getTypeName(ScalarKind kind);
/// The attribute of triton.language that names it: `int32`, `float8e5`, `bfloat16`.
std::string getLanguageName(ScalarKind kind);
/// The format of a float other than fp8e4b15, which LLVM does not know.
const llvm::fltSemantics &getFloatSemantics(ScalarKind kind);
std::string shapeToString(llvm::ArrayRef<int64_t> shape);
std::string bigToString(BigInt value);

} // namespace nereid::semantics

#endif // NEREID_COMPILER_FRONTENDS_TYPES_TYPES_H
