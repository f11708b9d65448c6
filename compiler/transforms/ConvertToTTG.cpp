// From tt to ttg: every tensor gets a layout.
//
// At first each gets the default layout of its shape, which makes the IR valid and is rarely what stays: the
// passes after this one choose layouts for memory accesses and carry them through the program. Where an
// operation ties layouts together (a reduction's result is a slice of its source, expand_dims wants a slice),
// a ttg.convert_layout stands between what it demands and the default:
//
//     %m = tt.reduce %x           : tensor<32x128xf32, #default2d> -> tensor<32xf32, #sliceOfDefault2d>
//     %c = ttg.convert_layout %m  : tensor<32xf32, #sliceOfDefault2d> -> tensor<32xf32, #default1d>
#include "compiler/transforms/LayoutPropagation.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"

namespace nereid {

using mlir::Attribute;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

struct ConvertToTTG : mlir::PassWrapper<ConvertToTTG, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertToTTG)

  ConvertToTTG() = default;
  ConvertToTTG(const ConvertToTTG &other) : PassWrapper(other) {}
  ConvertToTTG(const Target &aTarget, unsigned aNumWarps) {
    target = aTarget.str();
    numWarps = aNumWarps;
    threadsPerWarp = aTarget.warpSize;
  }

  llvm::StringRef getArgument() const final { return "nereid-convert-tt-to-ttg"; }
  llvm::StringRef getDescription() const final { return "Give every tensor a layout"; }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<ttg::TTGDialect>();
  }

  void runOnOperation() final;

private:
  RankedTensorType convert(RankedTensorType type) {
    return mlir::cast<RankedTensorType>(withLayout(type, getDefaultLayout(type, numWarps, threadsPerWarp)));
  }
  mlir::Type convert(mlir::Type type) {
    auto tensor = mlir::dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.getEncoding() ? convert(tensor) : type;
  }
  void convertTypes(Operation *op);
  mlir::LogicalResult tieLayouts(Operation *op);

  Option<std::string> target{*this, "target", llvm::cl::desc("Target, such as cuda:90"),
                             llvm::cl::init("cuda:90")};
  Option<unsigned> numWarps{*this, "num-warps", llvm::cl::desc("Warps in a block"), llvm::cl::init(4)};
  Option<unsigned> threadsPerWarp{*this, "threads-per-warp", llvm::cl::desc("Lanes in a warp"),
                                  llvm::cl::init(32)};
};

void ConvertToTTG::convertTypes(Operation *op) {
  for (Value result : op->getResults())
    if (auto tensor = mlir::dyn_cast<RankedTensorType>(result.getType()); tensor && !tensor.getEncoding())
      setLayout(result, convert(tensor).getEncoding());
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      for (mlir::BlockArgument argument : block.getArguments())
        argument.setType(convert(argument.getType()));
  if (auto function = mlir::dyn_cast<tt::FuncOp>(op)) {
    auto convertAll = [&](mlir::TypeRange types) {
      return llvm::map_to_vector(types, [&](mlir::Type type) { return convert(type); });
    };
    mlir::FunctionType type = function.getFunctionType();
    function.setFunctionType(
        mlir::FunctionType::get(&getContext(), convertAll(type.getInputs()), convertAll(type.getResults())));
  }
}

/// Inserts a conversion of `operand` to the layout before its user.
static void convertOperand(mlir::OpOperand &operand, Attribute layout) {
  Value value = operand.get();
  if (getLayout(value) == layout)
    return;
  OpBuilder builder(operand.getOwner());
  operand.set(ttg::ConvertLayoutOp::create(builder, operand.getOwner()->getLoc(),
                                           withLayout(value.getType(), layout), value));
}

/// Gives the results this layout and converts them back to the one they had for their users.
static void convertResults(Operation *op, Attribute layout) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    if (!mlir::isa<RankedTensorType>(result.getType()) || getLayout(result) == layout)
      continue;
    mlir::Type oldType = result.getType();
    setLayout(result, layout);
    auto back = ttg::ConvertLayoutOp::create(builder, op->getLoc(), oldType, result);
    result.replaceAllUsesExcept(back, back);
  }
}

mlir::LogicalResult ConvertToTTG::tieLayouts(Operation *op) {
  if (auto dot = mlir::dyn_cast<tt::DotOp>(op)) {
    // The layout in which threads multiply element by element; products on tensor cores choose their own.
    // Each thread has a square of the result, as large as there are elements for, since it reuses rows and
    // columns.
    auto type = mlir::cast<RankedTensorType>(dot.getD().getType());
    int64_t forEachThread = type.getNumElements() / (numWarps * threadsPerWarp);
    llvm::SmallVector<unsigned, 4> sizePerThread(type.getRank(), 1), order;
    for (unsigned d = type.getRank(); d--;)
      order.push_back(d);
    for (unsigned d : {order[0], order[1]})
      sizePerThread[d] = forEachThread >= 16 ? 4 : forEachThread >= 4 ? 2 : 1;
    Attribute layout = ttg::BlockedEncodingAttr::get(&getContext(), type.getShape(), sizePerThread, order,
                                                     numWarps, threadsPerWarp);
    for (unsigned i : {0u, 1u})
      convertOperand(op->getOpOperand(i),
                     ttg::DotOperandEncodingAttr::get(op->getContext(), i, layout, /*kWidth=*/0));
    convertOperand(op->getOpOperand(2), layout);
    convertResults(op, layout);
    return mlir::success();
  }
  if (mlir::isa<tt::ExpandDimsOp, tt::BroadcastOp>(op)) {
    convertOperand(op->getOpOperand(0), inferOperandLayout(op, getLayout(op->getResult(0))));
    return mlir::success();
  }
  if (mlir::isa<tt::ReduceOp, tt::TransOp, tt::ReshapeOp, tt::JoinOp, tt::SplitOp>(op)) {
    bool hasTensorResult = llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if (!hasTensorResult)
      return mlir::success();
    Attribute layout = inferResultLayout(op, getLayout(op->getOperand(0)));
    if (!layout && mlir::isa<tt::SplitOp>(op)) {
      // The default layout puts the two halves into different threads. Take one that a join would make.
      auto half = mlir::cast<RankedTensorType>(op->getResult(0).getType());
      if (Attribute joined = inferOperandLayout(op, half.getEncoding())) {
        convertOperand(op->getOpOperand(0), joined);
        layout = inferResultLayout(op, joined);
      }
    }
    if (!layout)
      return op->emitOpError("has no layout for its result");
    convertResults(op, layout);
  }
  return mlir::success();
}

/// Writes concatenations along the first axis as a join, whose new axis becomes the outermost: tt.cat itself
/// would need layouts in which a thread's part of the result is its parts of both sources.
static void rewriteConcatenations(mlir::ModuleOp module) {
  module.walk([](tt::CatOp cat) {
    OpBuilder builder(cat);
    RankedTensorType source = cat.getLhs().getType();
    llvm::SmallVector<int64_t> joined(source.getShape()), outermost{2};
    joined.push_back(2);
    outermost.append(source.getShape().begin(), source.getShape().end());
    llvm::SmallVector<int32_t> order{int32_t(source.getRank())};
    for (int32_t d = 0; d < source.getRank(); ++d)
      order.push_back(d);
    Value both = tt::JoinOp::create(builder, cat.getLoc(), source.clone(joined), cat.getLhs(), cat.getRhs());
    both = tt::TransOp::create(builder, cat.getLoc(), source.clone(outermost), both,
                               builder.getDenseI32ArrayAttr(order));
    cat.getResult().replaceAllUsesWith(tt::ReshapeOp::create(builder, cat.getLoc(), cat.getType(), both,
                                                             mlir::UnitAttr(), mlir::UnitAttr()));
    cat.erase();
  });
}

void ConvertToTTG::runOnOperation() {
  mlir::ModuleOp module = getOperation();
  rewriteConcatenations(module);
  mlir::WalkResult checked = module.walk([](Operation *op) {
    for (Value operand : op->getOperands())
      if (tt::isTensorPointerType(operand.getType())) {
        op->emitError("block pointers must be rewritten as tensors of pointers before layouts are chosen");
        return mlir::WalkResult::interrupt();
      }
    return mlir::WalkResult::advance();
  });
  if (checked.wasInterrupted())
    return signalPassFailure();
  ttg::setModuleAttributes(module, numWarps, threadsPerWarp, ttg::getNumCTAs(module), target);
  module.walk([&](Operation *op) { convertTypes(op); });
  mlir::WalkResult walked = module.walk([&](Operation *op) {
    return mlir::failed(tieLayouts(op)) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  if (walked.wasInterrupted())
    signalPassFailure();
}

} // namespace

std::unique_ptr<mlir::Pass> createConvertToTTGPass() { return std::make_unique<ConvertToTTG>(); }

std::unique_ptr<mlir::Pass> createConvertToTTGPass(const Target &target, unsigned numWarps) {
  return std::make_unique<ConvertToTTG>(target, numWarps);
}

} // namespace nereid
