// Takes block pointers and tensor descriptors apart into tensors of pointers, whatever the target. For
//
//     p = tt.make_tensor_ptr base, [M, N], [stride, 1], [i, j] : ptr<tensor<16x32xf16>>
//     tt.load p {boundaryCheck = [0, 1]}
//
// row r and column c of the tile are at base + (i + r) * stride + (j + c), where i + r < M and j + c < N (and
// neither is negative). Loops carry a block pointer as its parts: base, shape, strides and offsets. What
// comes out of the body as it went in, which is most often all but the offsets, is taken out again, so that a
// stride of 1 remains a constant and passes after this one see which elements lie next to each other.
// Functions that take or return block pointers or descriptors are inlined, noinline or not.
#include "compiler/transforms/RewriteBlockPointers.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nereid {

namespace {

using mlir::Value;
using Values = llvm::SmallVector<Value, 4>;

struct Description {
  Value base;
  /// As i64; a descriptor has no offsets. A loop that moves an offset on by as much in each round then moves
  /// addresses on likewise, which a sum of i32 that may wrap around would hide.
  Values shape, strides, offsets;
  tt::PaddingOption padding = tt::PaddingOption::PAD_ZERO;
};

bool isDescription(mlir::Type type) {
  return tt::isTensorPointerType(type) || mlir::isa<tt::TensorDescType>(type);
}

class Rewriter {
public:
  mlir::LogicalResult rewriteBlock(mlir::Block &block);
  /// Erases what was replaced, once everything that used it is, and what loops carry for nothing.
  void finish(mlir::ModuleOp module);

private:
  mlir::LogicalResult rewrite(mlir::Operation *op);
  mlir::LogicalResult rewriteFor(mlir::scf::ForOp loop);
  mlir::LogicalResult rewriteWhile(mlir::scf::WhileOp loop);
  mlir::LogicalResult rewriteIf(mlir::scf::IfOp op);
  mlir::LogicalResult rewriteOther(mlir::Operation *op);

  /// The addresses of a tile's elements and where they may be accessed. Null `mask`: everywhere.
  struct Tile {
    Value pointers, mask;
  };
  /// `indices` are tensors of i64, one a dimension, shaped as the tile is.
  Tile address(mlir::OpBuilder &b, mlir::Location location, const Description &description,
               const Values &indices, llvm::ArrayRef<bool> checked);
  Tile address(mlir::OpBuilder &b, mlir::Location location, const Description &description,
               llvm::ArrayRef<int64_t> sizes, mlir::ValueRange offsets, llvm::ArrayRef<bool> checked);
  Value alongDimension(mlir::OpBuilder &b, mlir::Location location, Value vector,
                       llvm::ArrayRef<int64_t> sizes, unsigned dim);
  Value load(mlir::OpBuilder &b, mlir::Location location, const Tile &tile, tt::PaddingOption padding);
  Value toI64(mlir::OpBuilder &b, Value value);
  Value reshape(mlir::OpBuilder &b, Value value, mlir::Type type);

  /// The value, or the parts of what it describes.
  void appendParts(Value value, Values &parts);
  static void appendPartTypes(mlir::Type type, llvm::SmallVectorImpl<mlir::Type> &types);
  /// Takes from the front of `parts` what stands for `old` from now on. `like` is a description with the same
  /// number of parts, whose padding it has too.
  void bindParts(Value old, Value like, mlir::ValueRange &parts);

  llvm::DenseMap<Value, Description> descriptions;
  llvm::SmallVector<mlir::Operation *> dead;
  /// A loop carries parts, of which many may not change.
  bool carriesParts = false;
};

Value Rewriter::toI64(mlir::OpBuilder &b, Value value) {
  mlir::Type type = value.getType();
  mlir::Type wide = b.getI64Type();
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
    wide = tensor.clone(wide);
  if (wide == type)
    return value;
  if (auto constant = value.getDefiningOp<mlir::arith::ConstantOp>())
    if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(constant.getValue()))
      return mlir::arith::ConstantOp::create(b, value.getLoc(), b.getI64IntegerAttr(integer.getInt()));
  return mlir::arith::ExtSIOp::create(b, value.getLoc(), wide, value);
}

Value Rewriter::reshape(mlir::OpBuilder &b, Value value, mlir::Type type) {
  return value.getType() == type
             ? value
             : tt::ReshapeOp::create(b, value.getLoc(), type, value, mlir::UnitAttr(), mlir::UnitAttr())
                   .getResult();
}

/// A vector as a tile of these sizes that varies along one dimension only.
Value Rewriter::alongDimension(mlir::OpBuilder &b, mlir::Location location, Value vector,
                               llvm::ArrayRef<int64_t> sizes, unsigned dim) {
  auto type = mlir::cast<mlir::RankedTensorType>(vector.getType());
  llvm::SmallVector<int64_t> shape{type.getDimSize(0)};
  for (unsigned other = 0; other < sizes.size(); ++other) {
    if (other == dim)
      continue;
    unsigned axis = other < dim ? 0 : shape.size();
    shape.insert(shape.begin() + axis, 1);
    vector = tt::ExpandDimsOp::create(b, location, type.clone(shape), vector, axis);
  }
  auto whole = type.clone(sizes);
  return vector.getType() == whole ? vector : tt::BroadcastOp::create(b, location, whole, vector).getResult();
}

Rewriter::Tile Rewriter::address(mlir::OpBuilder &b, mlir::Location location, const Description &description,
                                 const Values &indices, llvm::ArrayRef<bool> checked) {
  Tile tile;
  auto type = mlir::cast<mlir::RankedTensorType>(indices[0].getType());
  Value sum;
  auto splat = [&](Value scalar) { return tt::SplatOp::create(b, location, type, scalar).getResult(); };
  auto restrict = [&](Value condition) {
    tile.mask =
        tile.mask ? mlir::arith::AndIOp::create(b, location, tile.mask, condition).getResult() : condition;
  };
  for (unsigned d = 0; d < indices.size(); ++d) {
    Value term = mlir::arith::MulIOp::create(b, location, indices[d], splat(description.strides[d]));
    sum = sum ? mlir::arith::AddIOp::create(b, location, sum, term).getResult() : term;
    if (!checked[d])
      continue;
    using mlir::arith::CmpIPredicate;
    Value zero = mlir::arith::ConstantOp::create(b, location, b.getI64IntegerAttr(0));
    restrict(mlir::arith::CmpIOp::create(b, location, CmpIPredicate::sge, indices[d], splat(zero)));
    restrict(mlir::arith::CmpIOp::create(b, location, CmpIPredicate::slt, indices[d],
                                         splat(description.shape[d])));
  }
  auto pointerType = type.clone(description.base.getType());
  Value base = tt::SplatOp::create(b, location, pointerType, description.base);
  tile.pointers = tt::AddPtrOp::create(b, location, pointerType, base, sum);
  return tile;
}

Rewriter::Tile Rewriter::address(mlir::OpBuilder &b, mlir::Location location, const Description &description,
                                 llvm::ArrayRef<int64_t> sizes, mlir::ValueRange offsets,
                                 llvm::ArrayRef<bool> checked) {
  Values indices;
  for (unsigned d = 0; d < sizes.size(); ++d) {
    auto type = mlir::RankedTensorType::get({sizes[d]}, b.getI32Type());
    Value range = toI64(b, tt::MakeRangeOp::create(b, location, type, 0, uint32_t(sizes[d])));
    Value start = tt::SplatOp::create(b, location, range.getType(), toI64(b, offsets[d]));
    Value index = mlir::arith::AddIOp::create(b, location, start, range);
    indices.push_back(alongDimension(b, location, index, sizes, d));
  }
  return address(b, location, description, indices, checked);
}

Value Rewriter::load(mlir::OpBuilder &b, mlir::Location location, const Tile &tile,
                     tt::PaddingOption padding) {
  Value other;
  if (tile.mask) {
    auto type = mlir::cast<mlir::RankedTensorType>(tt::getAccessedType(tile.pointers.getType()));
    mlir::TypedAttr element = b.getZeroAttr(type.getElementType());
    if (auto real = mlir::dyn_cast<mlir::FloatType>(type.getElementType());
        real && padding == tt::PaddingOption::PAD_NAN)
      element = b.getFloatAttr(real, llvm::APFloat::getNaN(real.getFloatSemantics()));
    other = mlir::arith::ConstantOp::create(b, location, mlir::DenseElementsAttr::get(type, element));
  }
  return tt::LoadOp::create(b, location, tile.pointers, tile.mask, other, tt::CacheModifier::NONE,
                            tt::EvictionPolicy::NORMAL, false);
}

/// Whether two values are the same, or computed in the same way from the same values.
static bool areEquivalent(Value a, Value b, unsigned depth = 4) {
  if (a == b)
    return true;
  mlir::Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || !depth || x->getNumResults() != 1 || x->getNumRegions() || !mlir::isPure(x))
    return false;
  return x->getName() == y->getName() && a.getType() == b.getType() &&
         x->getAttrDictionary() == y->getAttrDictionary() &&
         x->getPropertiesAsAttribute() == y->getPropertiesAsAttribute() &&
         llvm::equal(x->getOperands(), y->getOperands(),
                     [&](Value left, Value right) { return areEquivalent(left, right, depth - 1); });
}

void Rewriter::appendParts(Value value, Values &parts) {
  if (!isDescription(value.getType())) {
    parts.push_back(value);
    return;
  }
  const Description &description = descriptions[value];
  parts.push_back(description.base);
  for (const Values *list : {&description.shape, &description.strides, &description.offsets})
    parts.append(*list);
}

void Rewriter::appendPartTypes(mlir::Type type, llvm::SmallVectorImpl<mlir::Type> &types) {
  if (!isDescription(type)) {
    types.push_back(type);
    return;
  }
  mlir::MLIRContext *context = type.getContext();
  bool isPointer = tt::isTensorPointerType(type);
  auto block = isPointer
                   ? mlir::cast<mlir::RankedTensorType>(mlir::cast<tt::PointerType>(type).getPointeeType())
                   : mlir::cast<tt::TensorDescType>(type).getBlockType();
  mlir::Type element = block.getElementType();
  if (element.isInteger())
    element = mlir::IntegerType::get(context, element.getIntOrFloatBitWidth());
  int space = isPointer ? mlir::cast<tt::PointerType>(type).getAddressSpace() : 1;
  types.push_back(tt::PointerType::get(element, space));
  types.append((isPointer ? 3 : 2) * block.getRank(), mlir::IntegerType::get(context, 64));
}

void Rewriter::bindParts(Value old, Value like, mlir::ValueRange &parts) {
  if (!isDescription(old.getType())) {
    old.replaceAllUsesWith(parts.front());
    parts = parts.drop_front();
    return;
  }
  Description description = descriptions[like];
  auto take = [&](Value &part) {
    part = parts.front();
    parts = parts.drop_front();
  };
  take(description.base);
  for (Values *list : {&description.shape, &description.strides, &description.offsets})
    llvm::for_each(*list, take);
  descriptions[old] = description;
}

/// What a loop's body yields: the parts, as they were before the loop where the body makes them anew.
static Values yieldedParts(const Values &parts, mlir::ValueRange initial) {
  Values yielded;
  for (auto [part, before] : llvm::zip_equal(parts, initial))
    yielded.push_back(areEquivalent(part, before) ? before : part);
  return yielded;
}

mlir::LogicalResult Rewriter::rewriteFor(mlir::scf::ForOp loop) {
  mlir::OpBuilder b(loop);
  Values initial;
  for (Value value : loop.getInitArgs())
    appendParts(value, initial);
  auto replacement = mlir::scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                              loop.getStep(), initial);
  replacement->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  replacement.setUnsignedCmp(loop.getUnsignedCmp());
  if (!replacement.getBody()->empty())
    replacement.getBody()->getTerminator()->erase();
  loop.getInductionVar().replaceAllUsesWith(replacement.getInductionVar());
  mlir::ValueRange arguments = replacement.getRegionIterArgs();
  for (auto [argument, before] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    bindParts(argument, before, arguments);
  replacement.getBody()->getOperations().splice(replacement.getBody()->end(),
                                                loop.getBody()->getOperations());
  if (mlir::failed(rewriteBlock(*replacement.getBody())))
    return mlir::failure();
  mlir::Operation *yield = replacement.getBody()->getTerminator();
  Values parts;
  for (Value value : yield->getOperands())
    appendParts(value, parts);
  yield->setOperands(yieldedParts(parts, initial));
  mlir::ValueRange results = replacement.getResults();
  for (auto [result, before] : llvm::zip_equal(loop.getResults(), loop.getInitArgs()))
    bindParts(result, before, results);
  dead.push_back(loop);
  carriesParts = true;
  return mlir::success();
}

mlir::LogicalResult Rewriter::rewriteWhile(mlir::scf::WhileOp loop) {
  mlir::OpBuilder b(loop);
  Values initial;
  for (Value value : loop.getInits())
    appendParts(value, initial);
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Type type : loop.getResultTypes())
    appendPartTypes(type, types);
  auto replacement = mlir::scf::WhileOp::create(b, loop.getLoc(), types, initial);
  replacement->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  /// Moves a block of the loop to a region of its replacement and rewrites it. `likes` are descriptions like
  /// its arguments.
  auto move = [&](mlir::Block &from, mlir::Region &region, mlir::TypeRange types, mlir::ValueRange likes) {
    mlir::Block &to = region.emplaceBlock();
    for (mlir::Type type : types)
      to.addArgument(type, loop.getLoc());
    mlir::ValueRange arguments = to.getArguments();
    for (auto [argument, like] : llvm::zip_equal(from.getArguments(), likes))
      bindParts(argument, like, arguments);
    to.getOperations().splice(to.end(), from.getOperations());
    return rewriteBlock(to);
  };
  if (mlir::failed(move(*loop.getBeforeBody(), replacement.getBefore(), mlir::ValueRange(initial).getTypes(),
                        loop.getInits())))
    return mlir::failure();
  auto condition = mlir::cast<mlir::scf::ConditionOp>(replacement.getBeforeBody()->getTerminator());
  // They are replaced by their parts, but still say what the body's arguments are like.
  Values forwarded(condition.getArgs()), parts;
  for (Value value : forwarded)
    appendParts(value, parts);
  condition.getArgsMutable().assign(parts);
  if (mlir::failed(move(*loop.getAfterBody(), replacement.getAfter(), types, forwarded)))
    return mlir::failure();
  mlir::Operation *yield = replacement.getAfterBody()->getTerminator();
  parts.clear();
  for (Value value : yield->getOperands())
    appendParts(value, parts);
  yield->setOperands(yieldedParts(parts, initial));
  mlir::ValueRange results = replacement.getResults();
  for (auto [result, like] : llvm::zip_equal(loop.getResults(), forwarded))
    bindParts(result, like, results);
  dead.push_back(loop);
  carriesParts = true;
  return mlir::success();
}

mlir::LogicalResult Rewriter::rewriteIf(mlir::scf::IfOp op) {
  for (mlir::Region *region : {&op.getThenRegion(), &op.getElseRegion()})
    for (mlir::Block &block : *region)
      if (mlir::failed(rewriteBlock(block)))
        return mlir::failure();
  if (llvm::none_of(op.getResultTypes(), isDescription))
    return mlir::success();
  // Every part that differs between the branches becomes a result of its own.
  mlir::Operation *yields[2] = {op.thenYield(), op.elseYield()};
  Values passed[2];
  llvm::SmallVector<std::function<void(mlir::ValueRange)>> binders;
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    Value result = op.getResult(i);
    auto pass = [&](Value onTrue, Value onFalse, std::function<void(Value)> use) {
      if (onTrue == onFalse) {
        use(onTrue);
        return;
      }
      unsigned at = passed[0].size();
      passed[0].push_back(onTrue);
      passed[1].push_back(onFalse);
      binders.push_back([=](mlir::ValueRange results) { use(results[at]); });
    };
    Value sides[2] = {yields[0]->getOperand(i), yields[1]->getOperand(i)};
    if (!isDescription(result.getType())) {
      unsigned at = passed[0].size();
      passed[0].push_back(sides[0]);
      passed[1].push_back(sides[1]);
      binders.push_back([=](mlir::ValueRange results) { Value(result).replaceAllUsesWith(results[at]); });
      continue;
    }
    Description a = descriptions[sides[0]], c = descriptions[sides[1]];
    descriptions[result] = a;
    pass(a.base, c.base, [=](Value value) { descriptions[result].base = value; });
    auto passList = [&](Values &x, Values &y, Values Description::*member) {
      for (unsigned d = 0; d < x.size(); ++d)
        pass(x[d], y[d], [=](Value value) { (descriptions[result].*member)[d] = value; });
    };
    passList(a.shape, c.shape, &Description::shape);
    passList(a.strides, c.strides, &Description::strides);
    passList(a.offsets, c.offsets, &Description::offsets);
  }
  mlir::OpBuilder b(op);
  for (unsigned side : {0, 1})
    yields[side]->setOperands(passed[side]);
  auto replacement = mlir::scf::IfOp::create(b, op.getLoc(), mlir::ValueRange(passed[0]).getTypes(),
                                             op.getCondition(), true, true);
  replacement.getThenRegion().takeBody(op.getThenRegion());
  replacement.getElseRegion().takeBody(op.getElseRegion());
  for (auto &bind : binders)
    bind(replacement.getResults());
  dead.push_back(op);
  return mlir::success();
}

mlir::LogicalResult Rewriter::rewrite(mlir::Operation *op) {
  mlir::OpBuilder b(op);
  mlir::Location location = op->getLoc();
  auto describe = [&](Value value) -> const Description & { return descriptions[value]; };
  auto blockShape = [&](Value descriptor) {
    return mlir::cast<tt::TensorDescType>(descriptor.getType()).getBlockType().getShape();
  };
  auto all = [](llvm::ArrayRef<int64_t> sizes) { return llvm::SmallVector<bool>(sizes.size(), true); };
  auto check = [&](llvm::ArrayRef<int32_t> dims, unsigned rank) {
    llvm::SmallVector<bool> checked(rank, false);
    for (int32_t dim : dims)
      checked[dim] = true;
    return checked;
  };

  if (auto make = mlir::dyn_cast<tt::MakeTensorPtrOp>(op)) {
    Description description{make.getBase(), Values(make.getShape()), Values(make.getStrides()), {}};
    for (Value offset : make.getOffsets())
      description.offsets.push_back(toI64(b, offset));
    descriptions[make] = description;
    dead.push_back(op);
    return mlir::success();
  }
  if (auto make = mlir::dyn_cast<tt::MakeTensorDescOp>(op)) {
    Description description{make.getBase(), {}, Values(make.getStrides()), {}, make.getPadding()};
    for (Value extent : make.getShape())
      description.shape.push_back(toI64(b, extent));
    descriptions[make] = description;
    dead.push_back(op);
    return mlir::success();
  }
  if (auto advance = mlir::dyn_cast<tt::AdvanceOp>(op)) {
    Description description = describe(advance.getPtr());
    for (auto [offset, amount] : llvm::zip(description.offsets, advance.getOffsets()))
      offset = mlir::arith::AddIOp::create(b, location, offset, toI64(b, amount));
    descriptions[advance] = description;
    dead.push_back(op);
    return mlir::success();
  }
  if (auto load = mlir::dyn_cast<tt::LoadOp>(op); load && isDescription(load.getPtr().getType())) {
    auto shape = mlir::cast<mlir::RankedTensorType>(load.getType()).getShape();
    const Description &description = describe(load.getPtr());
    Tile tile = address(b, location, description, shape, description.offsets,
                        check(load.getBoundaryCheck(), shape.size()));
    load.getResult().replaceAllUsesWith(
        this->load(b, location, tile, load.getPadding().value_or(tt::PaddingOption::PAD_ZERO)));
    dead.push_back(op);
    return mlir::success();
  }
  if (auto store = mlir::dyn_cast<tt::StoreOp>(op); store && isDescription(store.getPtr().getType())) {
    auto shape = mlir::cast<mlir::RankedTensorType>(store.getValue().getType()).getShape();
    const Description &description = describe(store.getPtr());
    Tile tile = address(b, location, description, shape, description.offsets,
                        check(store.getBoundaryCheck(), shape.size()));
    tt::StoreOp::create(b, location, tile.pointers, store.getValue(), tile.mask, store.getCache(),
                        store.getEvict());
    dead.push_back(op);
    return mlir::success();
  }
  if (auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(op)) {
    if (isTensorMap(load.getDesc()))
      return mlir::success();
    auto shape = blockShape(load.getDesc());
    Tile tile = address(b, location, describe(load.getDesc()), shape, load.getIndices(), all(shape));
    Value value = this->load(b, location, tile, describe(load.getDesc()).padding);
    load.getResult().replaceAllUsesWith(reshape(b, value, load.getType()));
    dead.push_back(op);
    return mlir::success();
  }
  if (auto store = mlir::dyn_cast<tt::DescriptorStoreOp>(op)) {
    if (isTensorMap(store.getDesc()))
      return mlir::success();
    auto shape = blockShape(store.getDesc());
    Tile tile = address(b, location, describe(store.getDesc()), shape, store.getIndices(), all(shape));
    Value value = reshape(b, store.getSrc(), tt::getAccessedType(tile.pointers.getType()));
    tt::StoreOp::create(b, location, tile.pointers, value, tile.mask, tt::CacheModifier::NONE,
                        tt::EvictionPolicy::NORMAL);
    dead.push_back(op);
    return mlir::success();
  }
  if (auto reduce = mlir::dyn_cast<tt::DescriptorReduceOp>(op)) {
    auto shape = blockShape(reduce.getDesc());
    mlir::Type element =
        mlir::cast<tt::TensorDescType>(reduce.getDesc().getType()).getBlockType().getElementType();
    bool isUnsigned = element.isUnsignedInteger(), isFloat = mlir::isa<mlir::FloatType>(element);
    tt::RMWOp kind;
    switch (reduce.getKind()) {
    case tt::DescriptorReduceKind::ADD:
      kind = isFloat ? tt::RMWOp::FADD : tt::RMWOp::ADD;
      break;
    case tt::DescriptorReduceKind::MIN:
      kind = isUnsigned ? tt::RMWOp::UMIN : tt::RMWOp::MIN;
      break;
    case tt::DescriptorReduceKind::MAX:
      kind = isUnsigned ? tt::RMWOp::UMAX : tt::RMWOp::MAX;
      break;
    case tt::DescriptorReduceKind::AND:
      kind = tt::RMWOp::AND;
      break;
    case tt::DescriptorReduceKind::OR:
      kind = tt::RMWOp::OR;
      break;
    case tt::DescriptorReduceKind::XOR:
      kind = tt::RMWOp::XOR;
      break;
    default:
      return op->emitError("this kind of descriptor reduction is not supported yet");
    }
    Tile tile = address(b, location, describe(reduce.getDesc()), shape, reduce.getIndices(), all(shape));
    Value value = reshape(b, reduce.getSrc(), tt::getAccessedType(tile.pointers.getType()));
    tt::AtomicRMWOp::create(b, location, value.getType(), kind, tile.pointers, value, tile.mask,
                            tt::MemSemantic::RELAXED, tt::MemSyncScope::GPU);
    dead.push_back(op);
    return mlir::success();
  }
  bool isGather = mlir::isa<tt::DescriptorGatherOp>(op);
  if (isGather || mlir::isa<tt::DescriptorScatterOp>(op)) {
    Value rows = op->getOperand(1), column = op->getOperand(2);
    mlir::Type tileType = isGather ? op->getResult(0).getType() : op->getOperand(3).getType();
    auto shape = mlir::cast<mlir::RankedTensorType>(tileType).getShape();
    auto rangeType = mlir::RankedTensorType::get({shape[1]}, b.getI32Type());
    Value range = toI64(b, tt::MakeRangeOp::create(b, location, rangeType, 0, uint32_t(shape[1])));
    Value start = tt::SplatOp::create(b, location, range.getType(), toI64(b, column));
    Value columns = mlir::arith::AddIOp::create(b, location, start, range);
    Values indices{alongDimension(b, location, toI64(b, rows), shape, 0),
                   alongDimension(b, location, columns, shape, 1)};
    const Description &description = describe(op->getOperand(0));
    Tile tile = address(b, location, description, indices, {true, true});
    if (isGather)
      op->getResult(0).replaceAllUsesWith(this->load(b, location, tile, description.padding));
    else
      tt::StoreOp::create(b, location, tile.pointers, op->getOperand(3), tile.mask, tt::CacheModifier::NONE,
                          tt::EvictionPolicy::NORMAL);
    dead.push_back(op);
    return mlir::success();
  }
  if (auto select = mlir::dyn_cast<mlir::arith::SelectOp>(op); select && isDescription(select.getType())) {
    Description a = describe(select.getTrueValue()), c = describe(select.getFalseValue());
    auto pick = [&](Value &x, Value y) {
      if (x != y)
        x = mlir::arith::SelectOp::create(b, location, select.getCondition(), x, y);
    };
    pick(a.base, c.base);
    for (auto member : {&Description::shape, &Description::strides, &Description::offsets})
      for (auto [x, y] : llvm::zip(a.*member, c.*member))
        pick(x, y);
    descriptions[select.getResult()] = a;
    dead.push_back(op);
    return mlir::success();
  }
  return rewriteOther(op);
}

mlir::LogicalResult Rewriter::rewriteOther(mlir::Operation *op) {
  if (op->getNumResults() == 1 && isTensorMap(op->getResult(0)))
    return mlir::success();
  if (auto ifOp = mlir::dyn_cast<mlir::scf::IfOp>(op))
    return rewriteIf(ifOp);
  bool touches =
      llvm::any_of(op->getOperandTypes(), isDescription) || llvm::any_of(op->getResultTypes(), isDescription);
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op); loop && touches)
    return rewriteFor(loop);
  if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op); loop && touches)
    return rewriteWhile(loop);
  // A terminator's operands are replaced by the operation around it.
  if (touches && !mlir::isa<mlir::scf::YieldOp, mlir::scf::ConditionOp>(op))
    return op->emitError() << "'" << op->getName()
                           << "' with a block pointer or a descriptor is not supported yet";
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      if (mlir::failed(rewriteBlock(block)))
        return mlir::failure();
  return mlir::success();
}

mlir::LogicalResult Rewriter::rewriteBlock(mlir::Block &block) {
  for (mlir::BlockArgument argument : block.getArguments())
    if (isDescription(argument.getType()) && !descriptions.count(argument) && !isTensorMap(argument)) {
      mlir::emitError(argument.getLoc()) << "a block pointer or descriptor passed here is not supported yet";
      return mlir::failure();
    }
  for (mlir::Operation &op : llvm::make_early_inc_range(block))
    if (mlir::failed(rewrite(&op)))
      return mlir::failure();
  return mlir::success();
}

void Rewriter::finish(mlir::ModuleOp module) {
  // They use each other, and block arguments of loops among them.
  for (mlir::Operation *op : dead)
    op->dropAllReferences();
  for (mlir::Operation *op : dead) {
    op->dropAllUses();
    op->erase();
  }
  if (!carriesParts)
    return;
  mlir::RewritePatternSet patterns(module.getContext());
  mlir::scf::ForOp::getCanonicalizationPatterns(patterns, module.getContext());
  mlir::scf::WhileOp::getCanonicalizationPatterns(patterns, module.getContext());
  // That there is more to fold than it cares to is no failure.
  (void)mlir::applyPatternsGreedily(module, std::move(patterns));
}

bool touchesDescriptions(tt::FuncOp function) {
  return llvm::any_of(function.getArgumentTypes(), isDescription) ||
         llvm::any_of(function.getResultTypes(), isDescription);
}

/// Puts the bodies of functions that take or return descriptions in place of their calls.
mlir::LogicalResult inlineCalls(mlir::ModuleOp module) {
  llvm::SmallVector<tt::CallOp> calls;
  module.walk([&](tt::CallOp call) { calls.push_back(call); });
  // A body may have calls as well; a function that calls itself would never end.
  constexpr size_t limit = 10000;
  for (size_t i = 0; i < calls.size(); ++i) {
    tt::CallOp call = calls[i];
    auto callee = module.lookupSymbol<tt::FuncOp>(call.getCallee());
    if (!callee || !touchesDescriptions(callee))
      continue;
    if (!callee.getBody().hasOneBlock() || i > limit)
      return call.emitError(
          "a call that passes block pointers or descriptors to a function with branches, or that "
          "calls itself, is not supported yet");
    mlir::OpBuilder b(call);
    mlir::IRMapping mapping;
    mapping.map(callee.getArguments(), call.getOperands());
    for (mlir::Operation &op : callee.getBody().front().without_terminator()) {
      mlir::Operation *copy = b.clone(op, mapping);
      copy->walk([&](mlir::Operation *inner) {
        inner->setLoc(mlir::CallSiteLoc::get(inner->getLoc(), call.getLoc()));
        if (auto innerCall = mlir::dyn_cast<tt::CallOp>(inner))
          calls.push_back(innerCall);
      });
    }
    for (auto [result, value] :
         llvm::zip_equal(call.getResults(), callee.getBody().front().getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
  }
  for (auto function : llvm::make_early_inc_range(module.getOps<tt::FuncOp>()))
    if (function.isPrivate() && touchesDescriptions(function))
      function.erase();
  return mlir::success();
}

struct RewriteBlockPointers : mlir::PassWrapper<RewriteBlockPointers, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RewriteBlockPointers)

  llvm::StringRef getArgument() const final { return "nereid-tt-rewrite-block-pointers"; }
  llvm::StringRef getDescription() const final {
    return "Turn block pointers and descriptors into tensors of pointers";
  }
  void runOnOperation() final {
    if (mlir::failed(rewriteBlockPointers(getOperation())))
      signalPassFailure();
  }
};

} // namespace

mlir::LogicalResult rewriteBlockPointers(mlir::ModuleOp module) {
  bool found = false;
  module.walk([&](mlir::Operation *op) {
    found |= llvm::any_of(op->getOperandTypes(), isDescription) ||
             llvm::any_of(op->getResultTypes(), isDescription);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        found |= llvm::any_of(block.getArgumentTypes(), isDescription);
  });
  if (!found)
    return mlir::success();
  if (mlir::failed(inlineCalls(module)))
    return mlir::failure();
  Rewriter rewriter;
  for (auto function : module.getOps<tt::FuncOp>())
    for (mlir::Block &block : function.getBody())
      if (mlir::failed(rewriter.rewriteBlock(block)))
        return mlir::failure();
  rewriter.finish(module);
  return mlir::success();
}

std::unique_ptr<mlir::Pass> createRewriteBlockPointersPass() {
  return std::make_unique<RewriteBlockPointers>();
}

} // namespace nereid
