// The types of the ttg dialect: !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable, 4x64x32> is a mutable view
// of two of the four buffers of an allocation.
#include "compiler/dialects/ttg/Dialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialects/ttg/Types.cpp.inc"

using namespace mlir;

namespace nereid::ttg {

void TTGDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialects/ttg/Types.cpp.inc"
      >();
}

Type MemDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, allocShape;
  Type elementType;
  Attribute encoding, memorySpace;
  bool mutableMemory = false;
  auto location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() || parser.parseAttribute(encoding) ||
      parser.parseComma() || parser.parseAttribute(memorySpace))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("mutable"))) {
      mutableMemory = true;
      if (succeeded(parser.parseOptionalComma()) &&
          parser.parseDimensionList(allocShape, /*allowDynamic=*/false, /*withTrailingX=*/false))
        return {};
    } else if (parser.parseDimensionList(allocShape, /*allowDynamic=*/false, /*withTrailingX=*/false)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<MemDescType>(location, parser.getContext(), shape, elementType, encoding,
                                        memorySpace, mutableMemory, allocShape.empty() ? shape : allocShape);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t size : getShape())
    printer << size << "x";
  printer << getElementType() << ", " << getEncoding() << ", " << getMemorySpace();
  if (getMutableMemory())
    printer << ", mutable";
  if (getAllocShape() != getShape()) {
    printer << ", ";
    llvm::interleave(getAllocShape(), printer.getStream(), "x");
  }
  printer << ">";
}

LogicalResult MemDescType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                  Type elementType, Attribute encoding, Attribute memorySpace,
                                  bool mutableMemory, ArrayRef<int64_t> allocShape) {
  if (shape.empty())
    return emitError() << "memory needs at least one axis";
  for (int64_t size : llvm::concat<const int64_t>(shape, allocShape))
    if (size <= 0)
      return emitError() << "memory needs positive sizes, but one is " << size;
  if (!isa<IntegerType, FloatType, tt::PointerType>(elementType))
    return emitError() << "memory holds numbers or pointers, not " << elementType;
  if (isDistributedLayout(encoding))
    return emitError() << "memory needs a layout of memory, but has one over threads: " << encoding;
  if (isa<SharedMemorySpaceAttr>(memorySpace) && !isSharedLayout(encoding))
    return emitError() << "shared memory needs a layout of shared memory, but has " << encoding;
  // Buffers along the first axis share the layout of each.
  std::optional<unsigned> rank = getLayoutRank(encoding);
  if (rank && shape.size() != *rank && shape.size() != *rank + 1)
    return emitError() << "a layout of " << *rank << " axes does not fit memory of " << shape.size();
  if (allocShape.size() < shape.size())
    return emitError() << "an allocation has at least as many axes as a view of it";
  for (auto [view, whole] : llvm::zip(llvm::reverse(shape), llvm::reverse(allocShape)))
    if (view > whole)
      return emitError() << "a view of size " << view << " does not fit its allocation of size " << whole;
  return success();
}

} // namespace nereid::ttg
