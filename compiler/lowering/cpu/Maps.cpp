// tt.map_elementwise: scalar code, which may branch, run for each element (or pack of neighbours along the
// last axis).
#include "compiler/lowering/cpu/FunctionLowering.h"

using namespace llvm;

namespace nereid::cpu {

namespace {

class MapSink : public Sink {
public:
  MapSink(FunctionLowering &lowering, tt::MapElementwiseOp map) : lowering(lowering), map(map) {}

  void getInputs(SmallVectorImpl<mlir::Value> &values, SmallVectorImpl<mlir::Value> &masks) override {}
  bool needsSingleLanes() override { return true; }
  void begin(const NestShape &nest) override {
    for (mlir::Value result : map.getResult())
      lowering.getBuffer(result);
  }
  void evaluate(const Indices &indices, unsigned copy) override {
    IRBuilder<> &b = lowering.getBuilder();
    elements.clear();
    arguments.clear();
    for (unsigned i = 0; i < map.getPack(); ++i) {
      Indices element = indices;
      Index &last = element.back();
      last.base = b.CreateAdd(b.CreateMul(last.base, b.getInt64(map.getPack())), b.getInt64(i));
      last.level = lowering.getEvaluator().getLevel();
      last.isChunk = false;
      elements.push_back(element);
    }
    for (mlir::Value source : map.getSrcs())
      for (const Indices &element : elements)
        arguments.push_back(lowering.getEvaluator().evaluate(source, element));
  }
  void commit(const Indices &indices, unsigned copy) override {
    if (lowering.hasFailed())
      return;
    SmallVector<Value *> results = lowering.emitScalarRegion(map.getScalarOp(), arguments);
    if (lowering.hasFailed())
      return;
    unsigned next = 0;
    for (mlir::Value result : map.getResult())
      for (const Indices &element : elements)
        lowering.getEvaluator().writeBuffer(lowering.getBuffer(result), element, results[next++]);
  }

private:
  FunctionLowering &lowering;
  tt::MapElementwiseOp map;
  SmallVector<Indices> elements;
  SmallVector<Value *> arguments;
};

} // namespace

void FunctionLowering::emitMap(tt::MapElementwiseOp map) {
  SmallVector<int64_t> shape(mlir::cast<mlir::RankedTensorType>(map.getSrcs().front().getType()).getShape());
  if (shape.back() % map.getPack() != 0) {
    map.emitError("the last axis is no multiple of the pack");
    return fail();
  }
  shape.back() /= map.getPack();
  MapSink sink(*this, map);
  loops.emit(shape, {&sink}, {});
}

SmallVector<Value *> FunctionLowering::emitScalarRegion(mlir::Region &region, ArrayRef<Value *> arguments) {
  for (auto [argument, value] : llvm::zip(region.getArguments(), arguments))
    values.scalars[argument] = value;
  // Returns lead to one block, whose phis are the results.
  BasicBlock *exit = BasicBlock::Create(b.getContext(), "mapped", function);
  SmallVector<PHINode *> phis;
  {
    IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(exit);
    for (mlir::Block &block : region)
      if (mlir::Operation *last = block.getTerminator();
          mlir::isa<tt::MapElementwiseReturnOp, tt::ReduceReturnOp, tt::ScanReturnOp>(last))
        if (phis.empty())
          for (mlir::Type type : last->getOperandTypes())
            phis.push_back(b.CreatePHI(emitter.registerType(type), 2));
  }
  regionExit = exit;
  regionResults = phis;
  emitRegions(region);
  regionExit = nullptr;
  b.SetInsertPoint(exit);
  return SmallVector<Value *>(phis.begin(), phis.end());
}

} // namespace nereid::cpu
