// The types of the tt dialect, and what operations ask about pointer types.
//
// A load or store takes a scalar pointer, a tensor of pointers, or a block pointer; getAccessedType says what
// it moves: !tt.ptr<f32> moves f32, tensor<8x!tt.ptr<f32>> moves tensor<8xf32>, !tt.ptr<tensor<8x4xf32>>
// moves tensor<8x4xf32>.
#include "compiler/dialects/tt/Dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialects/tt/Types.cpp.inc"

using namespace mlir;

namespace nereid::tt {

void TTDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialects/tt/Types.cpp.inc"
      >();
}

Type PointerType::parse(AsmParser &parser) {
  Type pointee;
  int addressSpace = 1;
  auto location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseType(pointee))
    return Type();
  if (succeeded(parser.parseOptionalComma()) && parser.parseInteger(addressSpace))
    return Type();
  if (parser.parseGreater())
    return Type();
  return parser.getChecked<PointerType>(location, pointee.getContext(), pointee, addressSpace);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << "<" << getPointeeType();
  if (getAddressSpace() != 1)
    printer << ", " << getAddressSpace();
  printer << ">";
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee,
                                  int addressSpace) {
  if (addressSpace < 0)
    return emitError() << "address space of a pointer must not be negative, but is " << addressSpace;
  Type element = pointee;
  if (auto tensor = dyn_cast<RankedTensorType>(pointee))
    element = tensor.getElementType();
  if (!isa<IntegerType, FloatType, PointerType, TensorDescType>(element))
    return emitError()
           << "a pointer must point to an integer, a floating-point number, a pointer, or a tensor of "
              "them, but points to "
           << pointee;
  return success();
}

RankedTensorType TensorDescType::getSignlessBlockType() const {
  RankedTensorType block = getBlockType();
  auto integer = dyn_cast<IntegerType>(block.getElementType());
  if (!integer || integer.isSignless())
    return block;
  return block.clone(IntegerType::get(getContext(), integer.getWidth()));
}

bool isTensorPointerType(Type type) {
  auto pointer = dyn_cast<PointerType>(type);
  return pointer && isa<RankedTensorType>(pointer.getPointeeType());
}

Type getAccessedType(Type pointerLike) {
  if (auto pointer = dyn_cast<PointerType>(pointerLike))
    return pointer.getPointeeType();
  if (auto tensor = dyn_cast<RankedTensorType>(pointerLike))
    if (auto pointer = dyn_cast<PointerType>(tensor.getElementType()))
      return tensor.clone(pointer.getPointeeType());
  return pointerLike;
}

Type getMaskType(Type pointerLike) {
  return withElementType(getAccessedType(pointerLike), IntegerType::get(pointerLike.getContext(), 1));
}

Type getElementPointerType(Type blockPointer) {
  auto pointer = cast<PointerType>(blockPointer);
  return PointerType::get(getElementTypeOrSelf(pointer.getPointeeType()), pointer.getAddressSpace());
}

Type withElementType(Type type, Type elementType) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(elementType);
  return elementType;
}

unsigned getElementBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

} // namespace nereid::tt
