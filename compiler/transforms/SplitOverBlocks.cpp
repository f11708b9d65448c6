// Divides a program among the blocks of a cluster (num_ctas): each works on its part of every tensor.
//
// The module says how many blocks there are (`ttg.num-ctas`). Behind this pass the program is one of a single
// block, which knows its number; no later pass has to know of clusters. Rows of a softmax, for two blocks:
//
//     %i = tt.make_range {0, 64}                %n = ttg.block_in_cluster
//                                               %i = tt.make_range {0, 32} + 32 * %n
//     %x = tt.load … : tensor<64x256xf32>       %x = tt.load … : tensor<32x256xf32>
//     %m = tt.reduce %x {axis = 1}              %m = tt.reduce %x {axis = 1}    rows are whole
//
// A tensor is divided along one axis, or each block has the whole (BlockParts.h). Which form a value is
// needed in is found first (BlockForms.h). Then each operation is made anew for each form of its results, and
// a ttg.exchange_blocks makes what is needed elsewhere in another form.
//
// What is whole and has an effect is done by the first block alone: stores of scalars and of tiles that are
// smaller than the cluster, atomic accesses, prints. Results go from there to all, so that all blocks take
// the same branches: what they wait for each other for is reached by all or none. Loads that look at what
// others write are among these.
//
// Of accesses to global memory, an attribute says how they are divided; OrderBlocks.cpp needs to know.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/transforms/BlockForms.h"
#include "compiler/transforms/BlockOrder.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassRegistry.h"

namespace nereid {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct SplitOverBlocks : mlir::PassWrapper<SplitOverBlocks, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitOverBlocks)

  llvm::StringRef getArgument() const final { return "nereid-tt-split-over-blocks"; }
  llvm::StringRef getDescription() const final { return "Divide a program among the blocks of a cluster"; }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<ttg::TTGDialect, mlir::ub::UBDialect>();
  }
  void runOnOperation() final;
};

RankedTensorType getTensor(mlir::Type type) { return mlir::dyn_cast<RankedTensorType>(type); }

class Splitter {
public:
  Splitter(tt::FuncOp function, BlockForms &forms)
      : function(function), forms(forms), parts(forms.getParts()) {}

  void rewrite();

private:
  RankedTensorType getWhole(Value value) const { return forms.getWhole(value); }
  Value getVersion(Value value, int axis) { return versions.lookup({value, axis}); }
  void setVersion(Value value, int axis, Value version) { versions[{value, axis}] = version; }
  void makeExchanges(OpBuilder &builder, Value value, int axis);
  void setOperands(Operation *op, Operation *original, int axis);
  void rewriteInPlace(Operation *op);
  void doOnce(Operation *op);
  void rewriteReduction(tt::ReduceOp op, int axis);
  void makeCopy(Operation *op, int axis);
  Value getBlockOffset(OpBuilder &builder, mlir::Location location, int64_t partSize);
  void setTensorTypes();

  tt::FuncOp function;
  BlockForms &forms;
  const BlockParts &parts;
  /// What there is of each value in each form.
  llvm::DenseMap<std::pair<Value, int>, Value> versions;
  Value block, isFirst;
};

Value Splitter::getBlockOffset(OpBuilder &builder, mlir::Location location, int64_t partSize) {
  Value size = mlir::arith::ConstantIntOp::create(builder, location, partSize, 32);
  return mlir::arith::MulIOp::create(builder, location, block, size);
}

/// Makes the other forms that are needed of a value that is there along `axis`.
void Splitter::makeExchanges(OpBuilder &builder, Value value, int axis) {
  RankedTensorType whole = getWhole(value);
  for (int wanted : forms.getDemands(value))
    if (!getVersion(value, wanted)) {
      auto type = mlir::Type(parts.getPart(whole, wanted));
      setVersion(value, wanted,
                 ttg::ExchangeBlocksOp::create(builder, value.getLoc(), type, getVersion(value, axis), axis,
                                               wanted, /*fromFirst=*/false));
    }
}

/// Gives an operation that is computed along `axis`, or its copy, operands in the forms that fit.
void Splitter::setOperands(Operation *op, Operation *original, int axis) {
  llvm::SmallVector<int, 4> axes = forms.getOperandAxes(original, axis);
  for (auto [operand, operandAxis] : llvm::zip_equal(op->getOpOperands(), axes))
    if (RankedTensorType type = getWhole(operand.get()))
      operand.set(getVersion(operand.get(), parts.canSplit(type, operandAxis) ? operandAxis : wholeTensor));
}

/// By the first block alone. Results go from there to all.
void Splitter::doOnce(Operation *op) {
  OpBuilder builder(op);
  mlir::Location location = op->getLoc();
  bool hasResults = !op->use_empty() || llvm::any_of(op->getResults(), [&](Value result) {
    return !forms.getDemands(result).empty();
  });
  auto ifFirst = mlir::scf::IfOp::create(
      builder, location, hasResults ? mlir::TypeRange(op->getResultTypes()) : mlir::TypeRange(), isFirst,
      /*addThenBlock=*/true, /*addElseBlock=*/hasResults);
  ifFirst->setAttr(firstBlockAttr, builder.getUnitAttr());
  mlir::Block *then = ifFirst.thenBlock();
  llvm::SmallVector<Value> results;
  if (hasResults) {
    builder.setInsertionPointAfter(ifFirst);
    for (auto [result, received] : llvm::zip_equal(op->getResults(), ifFirst.getResults())) {
      Value sent = ttg::ExchangeBlocksOp::create(builder, location, result.getType(), received, wholeTensor,
                                                 wholeTensor, /*fromFirst=*/true);
      results.push_back(sent);
      if (getWhole(result)) {
        setVersion(result, wholeTensor, sent);
        makeExchanges(builder, result, wholeTensor);
      } else {
        result.replaceAllUsesWith(sent);
      }
    }
  }
  if (then->empty() || !then->back().hasTrait<mlir::OpTrait::IsTerminator>()) {
    op->moveBefore(then, then->end());
    builder.setInsertionPointToEnd(then);
    mlir::scf::YieldOp::create(builder, location,
                               hasResults ? mlir::ValueRange(op->getResults()) : mlir::ValueRange());
  } else {
    op->moveBefore(then, then->begin());
  }
  if (!hasResults)
    return;
  builder.setInsertionPointToEnd(ifFirst.elseBlock());
  llvm::SmallVector<Value> nothing;
  for (mlir::Type type : op->getResultTypes())
    nothing.push_back(mlir::ub::PoisonOp::create(builder, location, type));
  mlir::scf::YieldOp::create(builder, location, nothing);
}

/// A tile's first row or column where the block's part begins.
void moveTile(OpBuilder &builder, Operation *op, mlir::MutableOperandRange indices, tt::TensorDescType type,
              Value offset) {
  mlir::OpOperand &rows = indices[type.getBlockType().getRank() - 2];
  rows.set(mlir::arith::AddIOp::create(builder, op->getLoc(), rows.get(), offset));
}

void Splitter::rewriteInPlace(Operation *op) {
  int axis = forms.getPlace(op);
  setOperands(op, op, axis);
  if (mayAccessGlobal(op))
    setBlockAxis(op, axis);
  bool isWrite = mlir::isa<tt::StoreOp, tt::DescriptorStoreOp, tt::DescriptorReduceOp, tt::PrintOp>(op);
  if (axis == wholeTensor && (isWrite || (forms.hasOnePlace(op) && op->getNumResults() != 0)))
    return doOnce(op);
  OpBuilder builder(op);
  if (axis != wholeTensor) {
    if (auto store = mlir::dyn_cast<tt::DescriptorStoreOp>(op))
      moveTile(builder, op, store.getIndicesMutable(), store.getDesc().getType(),
               getBlockOffset(builder, op->getLoc(), getTensor(store.getSrc().getType()).getDimSize(0)));
    else if (auto reduce = mlir::dyn_cast<tt::DescriptorReduceOp>(op))
      moveTile(builder, op, reduce.getIndicesMutable(), reduce.getDesc().getType(),
               getBlockOffset(builder, op->getLoc(), getTensor(reduce.getSrc().getType()).getDimSize(0)));
  }
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    if (RankedTensorType whole = getWhole(result)) {
      result.setType(parts.getPart(whole, axis));
      setVersion(result, axis, result);
      makeExchanges(builder, result, axis);
    }
}

/// Where the reduced axis is divided, each block reduces its part, and all reduce what the blocks have:
///
///     tensor<64x128> along 0  →  tensor<32x128> along 0 : tensor<128>  →  expand_dims : tensor<1x128>
///                             →  exchange_blocks from 0 to -1 : tensor<2x128>  →  along 0 : tensor<128>
void Splitter::rewriteReduction(tt::ReduceOp op, int axis) {
  OpBuilder builder(op);
  mlir::Location location = op.getLoc();
  auto reduce = [&](mlir::ValueRange sources, unsigned along) {
    auto copy = mlir::cast<tt::ReduceOp>(builder.insert(op->clone()));
    copy->setOperands(sources);
    copy.setAxis(along);
    auto type = getTensor(sources.front().getType());
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + along);
    for (auto [source, result] : llvm::zip_equal(sources, copy.getResults())) {
      mlir::Type element = getTensor(source.getType()).getElementType();
      result.setType(shape.empty() ? element : mlir::Type(RankedTensorType::get(shape, element)));
    }
    return copy;
  };
  llvm::SmallVector<Value> sources;
  for (Value source : op.getSrcs())
    sources.push_back(getVersion(source, axis));
  tt::ReduceOp made = reduce(sources, op.getAxis());
  if (axis == int(op.getAxis())) {
    llvm::SmallVector<Value> gathered;
    for (Value result : made.getResults()) {
      RankedTensorType type = getTensor(result.getType());
      llvm::SmallVector<int64_t> shape{1};
      if (type)
        shape.append(type.getShape().begin(), type.getShape().end());
      mlir::Type element = type ? type.getElementType() : result.getType();
      auto one = RankedTensorType::get(shape, element);
      Value row = type ? Value(tt::ExpandDimsOp::create(builder, location, one, result, 0))
                       : Value(tt::SplatOp::create(builder, location, one, result));
      shape[0] = parts.getNumBlocks();
      gathered.push_back(ttg::ExchangeBlocksOp::create(builder, location,
                                                       mlir::Type(RankedTensorType::get(shape, element)), row,
                                                       /*from=*/0, wholeTensor, /*fromFirst=*/false));
    }
    made = reduce(gathered, 0);
  }
  int resultAxis = forms.getResultAxis(op, axis);
  for (auto [result, value] : llvm::zip_equal(op.getResults(), made.getResults())) {
    if (!getWhole(result)) {
      result.replaceAllUsesWith(value);
      continue;
    }
    setVersion(result, resultAxis, value);
    makeExchanges(builder, result, resultAxis);
  }
}

void Splitter::makeCopy(Operation *op, int axis) {
  if (auto reduce = mlir::dyn_cast<tt::ReduceOp>(op))
    return rewriteReduction(reduce, axis);
  OpBuilder builder(op);
  mlir::Location location = op->getLoc();
  Operation *copy = builder.insert(op->clone());
  setOperands(copy, op, axis);
  for (auto [result, made] : llvm::zip_equal(op->getResults(), copy->getResults()))
    if (RankedTensorType whole = getWhole(result)) {
      made.setType(parts.getPart(whole, axis));
      setVersion(result, axis, made);
    }
  if (mayAccessGlobal(copy))
    setBlockAxis(copy, axis);
  if (axis != wholeTensor) {
    builder.setInsertionPoint(copy);
    if (auto load = mlir::dyn_cast<tt::DescriptorLoadOp>(copy)) {
      moveTile(builder, copy, load.getIndicesMutable(), load.getDesc().getType(),
               getBlockOffset(builder, location, getTensor(load.getType()).getDimSize(0)));
    } else if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(copy)) {
      auto elements = mlir::cast<mlir::DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(mlir::DenseElementsAttr::get(getTensor(constant.getType()),
                                                         elements.getSplatValue<mlir::Attribute>()));
    } else if (auto range = mlir::dyn_cast<tt::MakeRangeOp>(copy)) {
      auto type = mlir::cast<RankedTensorType>(range.getType());
      range.setEnd(range.getStart() + type.getDimSize(0));
      builder.setInsertionPointAfter(copy);
      Value offset = getBlockOffset(builder, location, type.getDimSize(0));
      offset = tt::SplatOp::create(builder, location, type, offset);
      setVersion(op->getResult(0), axis,
                 mlir::arith::AddIOp::create(builder, location, offset, range.getResult()));
    }
  }
}

void Splitter::setTensorTypes() {
  for (const BlockForms::Slot &slot : forms.getSlots())
    for (Value receiver : slot.receivers)
      receiver.setType(parts.getPart(getWhole(receiver), *slot.axis));
  for (auto [descriptor, axis] : forms.getDescriptorAxes()) {
    auto type = mlir::cast<tt::TensorDescType>(descriptor.getType());
    if (axis != wholeTensor)
      descriptor.setType(tt::TensorDescType::get(
          type.getContext(), parts.getPart(type.getBlockType(), type.getBlockType().getRank() - 2)));
  }
  function.setFunctionType(mlir::FunctionType::get(
      function.getContext(), function.getBody().front().getArgumentTypes(), function.getResultTypes()));
}

void Splitter::rewrite() {
  mlir::Block &entry = function.getBody().front();
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(&entry);
  block = ttg::BlockInClusterOp::create(builder, function.getLoc(), builder.getI32Type());
  Value zero = mlir::arith::ConstantIntOp::create(builder, function.getLoc(), 0, 32);
  isFirst =
      mlir::arith::CmpIOp::create(builder, function.getLoc(), mlir::arith::CmpIPredicate::eq, block, zero);
  setTensorTypes();

  auto arrive = [&](mlir::Block &block, OpBuilder &builder) {
    for (mlir::BlockArgument argument : block.getArguments())
      if (getWhole(argument)) {
        const BlockForms::Slot *slot = forms.getSlot(argument);
        int axis = slot ? *slot->axis : wholeTensor;
        setVersion(argument, axis, argument);
        makeExchanges(builder, argument, axis);
      }
  };
  auto arriveAll = [&](mlir::Region &region) {
    for (mlir::Block &block : region) {
      OpBuilder atStart(&block, &block == &entry
                                    ? mlir::Block::iterator(isFirst.getDefiningOp()->getNextNode())
                                    : block.begin());
      arrive(block, atStart);
    }
  };
  arriveAll(function.getBody());
  std::vector<Operation *> replaced;
  for (Operation *op : forms.getOperations()) {
    if (mlir::isa<mlir::RegionBranchOpInterface>(op)) {
      for (mlir::Region &region : op->getRegions())
        arriveAll(region);
      OpBuilder behind(op->getContext());
      behind.setInsertionPointAfter(op);
      for (Value result : op->getResults())
        if (getWhole(result)) {
          int axis = *forms.getSlot(result)->axis;
          setVersion(result, axis, result);
          makeExchanges(behind, result, axis);
        }
    } else if (op->hasTrait<mlir::OpTrait::IsTerminator>() && !mlir::isa<tt::ReturnOp>(op)) {
      continue; // below
    } else if (forms.isInPlace(op)) {
      rewriteInPlace(op);
    } else {
      for (int axis : forms.getComputed(op))
        makeCopy(op, axis);
      for (Value result : op->getResults())
        if (getWhole(result) && !mlir::isa<tt::ReduceOp>(op) && !forms.getComputed(op).empty()) {
          OpBuilder behind(op);
          makeExchanges(behind, result, forms.getComputedAxis(op, wholeTensor));
        }
      replaced.push_back(op);
    }
  }
  for (const BlockForms::Slot &slot : forms.getSlots())
    for (mlir::OpOperand *sender : slot.senders)
      sender->set(getVersion(sender->get(), *slot.axis));
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
}

void SplitOverBlocks::runOnOperation() {
  int64_t numBlocks = ttg::getNumCTAs(getOperation());
  if (numBlocks == 1)
    return;
  for (auto function : getOperation().getOps<tt::FuncOp>())
    if (!function.isExternal()) {
      BlockForms forms(function, numBlocks);
      if (mlir::failed(forms.find()))
        return signalPassFailure();
      Splitter(function, forms).rewrite();
    }
}

} // namespace

std::unique_ptr<mlir::Pass> createSplitOverBlocksPass() { return std::make_unique<SplitOverBlocks>(); }

} // namespace nereid
