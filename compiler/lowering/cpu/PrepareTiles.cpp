// A loop in a matrix product carries tiles of pointers, `a_ptrs += BLOCK_K`. Kept as tiles they would be
// buffers of addresses, of whose structure nothing is known, and every access a gather. As a tile from before
// the loop plus a scalar that the loop carries, they keep their structure:
//
//     for … iter_args(p = p0): …; p = addptr p, splat(k)   becomes   for … iter_args(s = 0): p = addptr p0,
//     splat(s); …
#include "compiler/lowering/cpu/PrepareTiles.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/RewriteBlockPointers.h"
#include "compiler/transforms/RewriteScaledProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace nereid::cpu {

/// The scalar that every element of the tensor equals: made, if need be, with the builder. Null if it is not
/// one.
static mlir::Value getSplatScalar(mlir::OpBuilder &builder, mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto splat = mlir::dyn_cast<tt::SplatOp>(op))
    return mlir::isa<mlir::RankedTensorType>(splat.getSrc().getType()) ? mlir::Value() : splat.getSrc();
  if (mlir::isa<tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp>(op))
    return getSplatScalar(builder, op->getOperand(0));
  if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op))
    if (auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue()); dense && dense.isSplat())
      return mlir::arith::ConstantOp::create(
          builder, op->getLoc(), mlir::cast<mlir::TypedAttr>(dense.getSplatValue<mlir::Attribute>()));
  return {};
}

/// If `yielded` is `argument` advanced by splats only, the amounts.
static bool getAdvance(mlir::Value yielded, mlir::Value argument, mlir::OpBuilder &builder,
                       llvm::SmallVectorImpl<mlir::Value> &amounts) {
  while (yielded != argument) {
    mlir::Operation *op = yielded.getDefiningOp();
    if (!op || !mlir::isa<tt::AddPtrOp, mlir::arith::AddIOp>(op) ||
        op->getBlock() != argument.getParentBlock())
      return false;
    unsigned tile = 0;
    mlir::Value amount = getSplatScalar(builder, op->getOperand(1));
    if (!amount && mlir::isa<mlir::arith::AddIOp>(op)) {
      tile = 1;
      amount = getSplatScalar(builder, op->getOperand(0));
    }
    if (!amount)
      return false;
    amounts.push_back(amount);
    yielded = op->getOperand(tile);
  }
  return !amounts.empty();
}

/// Rebuilds a loop so that it carries, for each tile that it only advances, a scalar in place of the tile.
static void carryScalars(mlir::scf::ForOp loop) {
  mlir::Operation *yield = loop.getBody()->getTerminator();
  mlir::OpBuilder builder(yield);
  struct Advanced {
    unsigned position;
    mlir::Value next;
  };
  llvm::SmallVector<Advanced> advanced;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType());
    if (!type)
      continue;
    bool isPointer = mlir::isa<tt::PointerType>(type.getElementType());
    if (!isPointer && !mlir::isa<mlir::IntegerType>(type.getElementType()))
      continue;
    llvm::SmallVector<mlir::Value> amounts;
    if (!getAdvance(yield->getOperand(i), argument, builder, amounts))
      continue;
    // Offsets of pointers add up in 64 bits, those of integers as the integers do.
    mlir::Location location = yield->getLoc();
    mlir::Type scalarType = isPointer ? builder.getI64Type() : type.getElementType();
    mlir::Value sum;
    for (mlir::Value amount : amounts) {
      if (amount.getType() != scalarType)
        amount = mlir::arith::ExtSIOp::create(builder, location, scalarType, amount);
      sum = sum ? mlir::arith::AddIOp::create(builder, location, sum, amount).getResult() : amount;
    }
    advanced.push_back({unsigned(i), sum});
  }
  if (advanced.empty())
    return;

  builder.setInsertionPoint(loop);
  llvm::SmallVector<mlir::Value> initial(loop.getInitArgs());
  for (const Advanced &tile : advanced)
    initial[tile.position] = mlir::arith::ConstantOp::create(builder, loop.getLoc(),
                                                             builder.getIntegerAttr(tile.next.getType(), 0));
  auto replacement = mlir::scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                              loop.getUpperBound(), loop.getStep(), initial);
  replacement->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  replacement.setUnsignedCmp(loop.getUnsignedCmp());
  if (!replacement.getBody()->empty())
    replacement.getBody()->getTerminator()->erase();
  auto rebuild = [&](unsigned position, mlir::Value scalar) -> mlir::Value {
    mlir::Value tile = loop.getInitArgs()[position];
    auto type = mlir::cast<mlir::RankedTensorType>(tile.getType());
    mlir::Value offsets =
        tt::SplatOp::create(builder, loop.getLoc(), type.clone(scalar.getType()), scalar).getResult();
    if (mlir::isa<tt::PointerType>(type.getElementType()))
      return tt::AddPtrOp::create(builder, loop.getLoc(), type, tile, offsets);
    return mlir::arith::AddIOp::create(builder, loop.getLoc(), tile, offsets);
  };
  builder.setInsertionPointToStart(replacement.getBody());
  llvm::SmallVector<mlir::Value> arguments(replacement.getRegionIterArgs());
  for (const Advanced &tile : advanced)
    arguments[tile.position] = rebuild(tile.position, arguments[tile.position]);
  for (const Advanced &tile : advanced) {
    builder.setInsertionPoint(yield);
    mlir::Value before = replacement.getRegionIterArgs()[tile.position];
    yield->setOperand(tile.position,
                      mlir::arith::AddIOp::create(builder, yield->getLoc(), before, tile.next));
  }
  loop.getInductionVar().replaceAllUsesWith(replacement.getInductionVar());
  for (auto [old, value] : llvm::zip(loop.getRegionIterArgs(), arguments))
    old.replaceAllUsesWith(value);
  replacement.getBody()->getOperations().splice(replacement.getBody()->end(),
                                                loop.getBody()->getOperations());
  builder.setInsertionPointAfter(replacement);
  llvm::SmallVector<mlir::Value> results(replacement.getResults());
  for (const Advanced &tile : advanced)
    if (!loop.getResult(tile.position).use_empty())
      results[tile.position] = rebuild(tile.position, results[tile.position]);
  for (auto [old, value] : llvm::zip(loop.getResults(), results))
    if (!old.use_empty())
      old.replaceAllUsesWith(value);
  loop.erase();
}

mlir::LogicalResult prepareTiles(mlir::ModuleOp module) {
  if (mlir::failed(rewriteBlockPointers(module)) || mlir::failed(rewriteScaledProducts(module)))
    return mlir::failure();
  llvm::SmallVector<mlir::scf::ForOp> loops;
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::scf::ForOp loop) { loops.push_back(loop); });
  for (mlir::scf::ForOp loop : loops)
    carryScalars(loop);
  return mlir::success();
}

} // namespace nereid::cpu
