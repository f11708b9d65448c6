// Names, widths and ranges of the language's types.
#include "compiler/frontends/types/Types.h"

#include "compiler/model/FloatFormat.h"

#include "llvm/ADT/APFloat.h"

using namespace llvm;

namespace nereid::semantics {

StringRef getTypeName(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::Int1:
    return "int1";
  case ScalarKind::Int8:
    return "int8";
  case ScalarKind::Int16:
    return "int16";
  case ScalarKind::Int32:
    return "int32";
  case ScalarKind::Int64:
    return "int64";
  case ScalarKind::UInt8:
    return "uint8";
  case ScalarKind::UInt16:
    return "uint16";
  case ScalarKind::UInt32:
    return "uint32";
  case ScalarKind::UInt64:
    return "uint64";
  case ScalarKind::FP8E4NV:
    return "fp8e4nv";
  case ScalarKind::FP8E4B8:
    return "fp8e4b8";
  case ScalarKind::FP8E4B15:
    return "fp8e4b15";
  case ScalarKind::FP8E5:
    return "fp8e5";
  case ScalarKind::FP8E5B16:
    return "fp8e5b16";
  case ScalarKind::FP16:
    return "fp16";
  case ScalarKind::BF16:
    return "bf16";
  case ScalarKind::FP32:
    return "fp32";
  case ScalarKind::FP64:
    return "fp64";
  }
  return "";
}

std::string getLanguageName(ScalarKind kind) {
  StringRef name = getTypeName(kind);
  if (name.starts_with("fp"))
    return ("float" + name.drop_front(2)).str();
  if (name.starts_with("bf"))
    return ("bfloat" + name.drop_front(2)).str();
  return name.str();
}

std::string shapeToString(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string bigToString(BigInt value) {
  bool negative = value < 0;
  unsigned __int128 magnitude =
      negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(magnitude % 10)));
    magnitude /= 10;
  } while (magnitude);
  return negative ? "-" + digits : digits;
}

Type Type::pointer(const Type &pointee, bool isConst) {
  Type type;
  type.kind = Kind::Pointer;
  type.inner = std::make_shared<const Type>(pointee);
  type.constPointee = isConst;
  return type;
}

Type Type::block(const Type &element, ArrayRef<int64_t> shape) {
  if (shape.empty())
    return element;
  Type type;
  type.kind = Kind::Block;
  type.inner = std::make_shared<const Type>(element);
  type.shape.assign(shape.begin(), shape.end());
  return type;
}

Type Type::descriptor(const Type &block) {
  Type type;
  type.kind = Kind::Descriptor;
  type.inner = std::make_shared<const Type>(block);
  return type;
}

int64_t Type::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Type Type::withElement(const Type &element) const { return isBlock() ? block(element, shape) : element; }

bool Type::isInteger() const { return isScalarNumber() && scalarKind <= ScalarKind::UInt64; }

bool Type::isSignedInteger() const {
  return isScalarNumber() && scalarKind >= ScalarKind::Int8 && scalarKind <= ScalarKind::Int64;
}

bool Type::isFP8() const {
  return isScalarNumber() && scalarKind >= ScalarKind::FP8E4NV && scalarKind <= ScalarKind::FP8E5B16;
}

unsigned Type::getMantissaWidth() const {
  switch (scalarKind) {
  case ScalarKind::FP8E4NV:
  case ScalarKind::FP8E4B8:
  case ScalarKind::FP8E4B15:
    return 3;
  case ScalarKind::FP8E5:
  case ScalarKind::FP8E5B16:
    return 2;
  case ScalarKind::FP16:
    return 10;
  case ScalarKind::BF16:
    return 7;
  case ScalarKind::FP32:
    return 23;
  case ScalarKind::FP64:
    return 52;
  default:
    return 0;
  }
}

BigInt Type::getMinInteger() const { return isSignedInteger() ? -(BigInt(1) << (getBits() - 1)) : BigInt(0); }

BigInt Type::getMaxInteger() const {
  return (BigInt(1) << (isSignedInteger() ? getBits() - 1 : getBits())) - 1;
}

std::string Type::str() const {
  switch (kind) {
  case Kind::Void:
    return "void";
  case Kind::Scalar:
    return getTypeName(scalarKind).str();
  case Kind::Pointer:
    return (constPointee ? "const_pointer<" : "pointer<") + inner->str() + ">";
  case Kind::Block:
    return "<" + shapeToString(shape) + ", " + inner->str() + ">";
  case Kind::Descriptor:
    return "tensor_descriptor<" + inner->str() + ">";
  }
  return "";
}

const fltSemantics &getFloatSemantics(ScalarKind kind) {
  const fltSemantics *format = getFloatFormat(kind);
  return format ? *format : APFloat::IEEEsingle();
}

bool operator==(const Type &a, const Type &b) {
  if (a.kind != b.kind)
    return false;
  switch (a.kind) {
  case Type::Kind::Void:
    return true;
  case Type::Kind::Scalar:
    return a.scalarKind == b.scalarKind;
  case Type::Kind::Pointer:
    return a.constPointee == b.constPointee && *a.inner == *b.inner;
  case Type::Kind::Block:
    return a.shape == b.shape && *a.inner == *b.inner;
  case Type::Kind::Descriptor:
    return *a.inner == *b.inner;
  }
  return false;
}

} // namespace nereid::semantics
