// The regions of reductions, scans and maps: scalar code whose arguments and returned values must match the
// tensors outside, and which may touch no memory where elements are combined in any order.
#include "compiler/dialects/tt/Dialect.h"

using namespace mlir;

namespace nereid::tt {

namespace {

LogicalResult verifyArguments(Operation *op, Region &region, ArrayRef<Type> expected) {
  Block &block = region.front();
  if (block.getNumArguments() != expected.size())
    return op->emitOpError("needs a region of ")
           << expected.size() << " arguments, but it has " << block.getNumArguments();
  for (auto [index, type] : llvm::enumerate(expected))
    if (block.getArgument(index).getType() != type)
      return op->emitOpError("needs a region whose argument ")
             << index << " has type " << type << ", but it has type " << block.getArgument(index).getType();
  return success();
}

LogicalResult verifyReturned(Operation *op, Operation *terminator, ArrayRef<Type> expected) {
  if (terminator->getNumOperands() != expected.size())
    return terminator->emitOpError("returns ")
           << terminator->getNumOperands() << " values to a region that gives " << expected.size();
  for (auto [index, type] : llvm::enumerate(expected))
    if (terminator->getOperand(index).getType() != type)
      return terminator->emitOpError("returns ") << terminator->getOperand(index).getType() << " as value "
                                                 << index << ", which must be " << type;
  return success();
}

// Combines a pair of elements of each source: the left ones, then the right ones.
template <typename Return, typename Op> LogicalResult verifyCombiner(Op op) {
  SmallVector<Type> elements = op.getElementTypes();
  SmallVector<Type> arguments(elements);
  arguments.append(elements.begin(), elements.end());
  if (failed(verifyArguments(op, op.getCombineOp(), arguments)))
    return failure();
  Block &block = op.getCombineOp().front();
  auto terminator = block.empty() ? Return() : dyn_cast<Return>(block.back());
  if (!terminator)
    return op.emitOpError("needs a region that ends with '") << Return::getOperationName() << "'";
  if (failed(verifyReturned(op, terminator, elements)))
    return failure();
  // A call says nothing of memory itself. Upstream's frontend writes one for each combine function, and what
  // that function does is seen here once it is inlined. Assertions may be made in any order.
  for (Operation &inner : block)
    if (!isa<CallOp, AssertOp>(inner) && !isMemoryEffectFree(&inner))
      return inner.emitOpError("touches memory inside of '")
             << Op::getOperationName() << "', whose order of combining is not fixed";
  return success();
}

} // namespace

LogicalResult ReduceOp::verifyRegions() { return verifyCombiner<ReduceReturnOp>(*this); }
LogicalResult ScanOp::verifyRegions() { return verifyCombiner<ScanReturnOp>(*this); }

LogicalResult MapElementwiseOp::verifyRegions() {
  if (getScalarOp().empty())
    return emitOpError("needs a region with a block");
  auto repeat = [&](auto types) {
    SmallVector<Type> repeated;
    for (Type type : types)
      repeated.append(getPack(), getElementTypeOrSelf(type));
    return repeated;
  };
  if (failed(verifyArguments(*this, getScalarOp(), repeat(getSrcs().getTypes()))))
    return failure();
  SmallVector<Type> results = repeat(getResultTypes());
  for (Block &block : getScalarOp()) {
    if (block.getNumSuccessors() > 0)
      continue;
    auto terminator =
        block.empty() ? MapElementwiseReturnOp() : dyn_cast<MapElementwiseReturnOp>(block.back());
    if (!terminator)
      return emitOpError("needs a region whose ends are 'tt.map_elementwise.return'");
    if (failed(verifyReturned(*this, terminator, results)))
      return failure();
  }
  return success();
}

} // namespace nereid::tt
