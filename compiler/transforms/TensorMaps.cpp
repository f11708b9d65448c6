// Parameters that are tensor maps, and the memory that their tiles need. See TensorMaps.h.
#include "compiler/transforms/TensorMaps.h"

#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/transforms/PlainMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace nereid {

using mlir::Value;

std::optional<unsigned> getParameter(tt::FuncOp kernel, Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

/// `depth` bounds the length of the text.
static std::optional<std::string> describe(tt::FuncOp kernel, Value value, unsigned depth) {
  llvm::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
    return constant.isNegative() ? std::nullopt : std::optional(std::to_string(constant.getSExtValue()));
  if (std::optional<unsigned> parameter = getParameter(kernel, value))
    return "$" + std::to_string(*parameter);
  mlir::Operation *op = value.getDefiningOp();
  if (!op || !depth)
    return std::nullopt;
  if (mlir::isa<mlir::arith::ExtSIOp>(op))
    return describe(kernel, op->getOperand(0), depth - 1);
  llvm::StringRef symbol = mlir::isa<mlir::arith::AddIOp>(op)   ? " + "
                           : mlir::isa<mlir::arith::SubIOp>(op) ? " - "
                           : mlir::isa<mlir::arith::MulIOp>(op) ? " * "
                                                                : "";
  if (symbol.empty())
    return std::nullopt;
  std::optional<std::string> left = describe(kernel, op->getOperand(0), depth - 1),
                             right = describe(kernel, op->getOperand(1), depth - 1);
  if (!left || !right)
    return std::nullopt;
  return "(" + *left + symbol.str() + *right + ")";
}

std::optional<std::string> describeForLaunch(tt::FuncOp kernel, Value value) {
  constexpr unsigned mostOperations = 6; // one in another
  return describe(kernel, value, mostOperations);
}

Value addTensorMap(tt::FuncOp kernel, tt::TensorDescType type, unsigned base, llvm::StringRef extents,
                   bool isOrdered, mlir::Location location) {
  mlir::Builder builder(kernel.getContext());
  llvm::SmallVector<mlir::NamedAttribute> parts{
      builder.getNamedAttr(tensorMapBaseName, builder.getI32IntegerAttr(base)),
      builder.getNamedAttr(tensorMapExtentsName, builder.getStringAttr(extents))};
  if (isOrdered)
    parts.push_back(builder.getNamedAttr(tensorMapOrderedName, builder.getUnitAttr()));
  mlir::NamedAttribute attribute = builder.getNamedAttr(tensorMapAttr, builder.getDictionaryAttr(parts));
  unsigned index = kernel.getNumArguments();
  if (mlir::failed(kernel.insertArgument(index, type, builder.getDictionaryAttr(attribute), location)))
    return {};
  return kernel.getArgument(index);
}

bool isTensorMap(Value descriptor) {
  if (descriptor.getDefiningOp<ttng::ReinterpretTensorDescOp>())
    return true;
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(descriptor);
  auto function = argument ? mlir::dyn_cast<tt::FuncOp>(argument.getOwner()->getParentOp()) : tt::FuncOp();
  return function && function.getArgAttr(argument.getArgNumber(), tensorMapAttr);
}

static mlir::DictionaryAttr getParts(mlir::BlockArgument argument) {
  auto function = mlir::cast<tt::FuncOp>(argument.getOwner()->getParentOp());
  return function.getArgAttrOfType<mlir::DictionaryAttr>(argument.getArgNumber(), tensorMapAttr);
}

Value getTensorMapBase(Value descriptor) {
  if (auto made = descriptor.getDefiningOp<ttng::ReinterpretTensorDescOp>()) {
    for (mlir::Operation *user : made.getRawDesc().getUsers())
      if (auto create = mlir::dyn_cast<ttng::TensormapCreateOp>(user))
        return create.getGlobalAddress();
    return made.getRawDesc();
  }
  auto argument = mlir::cast<mlir::BlockArgument>(descriptor);
  return argument.getOwner()->getArgument(
      getParts(argument).getAs<mlir::IntegerAttr>(tensorMapBaseName).getInt());
}

bool isOrderedTensorMap(Value descriptor) {
  if (auto made = descriptor.getDefiningOp<ttng::ReinterpretTensorDescOp>())
    return made->hasAttr(orderedTensorMapAttr);
  return getParts(mlir::cast<mlir::BlockArgument>(descriptor)).contains(tensorMapOrderedName);
}

ttg::MemDescType getTileMemory(tt::TensorDescType descriptor) {
  mlir::RankedTensorType tile = descriptor.getSignlessBlockType();
  int64_t columns = tile.getShape().back(), rows = tile.getNumElements() / columns;
  return ttg::MemDescType::get({rows, columns}, tile.getElementType(), tile.getEncoding(),
                               ttg::SharedMemorySpaceAttr::get(tile.getContext()), /*mutableMemory=*/true);
}

llvm::SmallVector<int64_t> getTileBox(llvm::ArrayRef<int64_t> shape, mlir::Attribute memory) {
  constexpr int64_t most = 256;
  llvm::SmallVector<int64_t> box;
  for (int64_t size : shape)
    box.push_back(std::min(size, most));
  if (auto matrix = mlir::dyn_cast<ttg::NVMMASharedEncodingAttr>(memory))
    box.back() =
        std::min<int64_t>(box.back(), matrix.getSwizzlingByteWidth() * 8 / matrix.getElementBitWidth());
  return box;
}

ttg::MemDescType getTileBarriers(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape) {
  return ttg::MemDescType::get(shape, mlir::IntegerType::get(context, 64),
                               getPlainLayout(context, /*order=*/{0}),
                               ttg::SharedMemorySpaceAttr::get(context), /*mutableMemory=*/true);
}

} // namespace nereid
