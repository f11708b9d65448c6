// The sinks that write a tile: through pointers, or into a buffer.
#include "compiler/lowering/cpu/FunctionLowering.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace nereid::cpu {

namespace {

class FillSink : public Sink {
public:
  FillSink(FunctionLowering &lowering, mlir::Value value, const Buffer &buffer)
      : lowering(lowering), value(value), buffer(buffer) {}

  void getInputs(SmallVectorImpl<mlir::Value> &values, SmallVectorImpl<mlir::Value> &masks) override {
    values.push_back(value);
  }
  bool allowsFlattening() override { return true; }
  bool allowsColumns() override { return true; }
  void evaluate(const Indices &indices, unsigned copy) override {
    results[copy] = lowering.getEvaluator().evaluate(value, indices);
  }
  void commit(const Indices &indices, unsigned copy) override {
    lowering.getEvaluator().writeBuffer(buffer, indices, results[copy]);
  }

private:
  FunctionLowering &lowering;
  mlir::Value value;
  Buffer buffer;
  Value *results[maximumCopies];
};

class StoreSink : public Sink {
public:
  StoreSink(FunctionLowering &lowering, tt::StoreOp store) : lowering(lowering), store(store) {}

  void getInputs(SmallVectorImpl<mlir::Value> &values, SmallVectorImpl<mlir::Value> &masks) override {
    values.push_back(store.getValue());
    values.push_back(store.getPtr());
    if (store.getMask()) {
      values.push_back(store.getMask());
      masks.push_back(store.getMask());
    }
  }
  mlir::Value getWrittenPointers() override { return store.getPtr(); }
  void evaluate(const Indices &indices, unsigned copy) override {
    TileEvaluator &evaluator = lowering.getEvaluator();
    State &state = states[copy];
    state.mask = store.getMask() ? evaluator.evaluateMask(store.getMask(), indices) : nullptr;
    auto *constant = dyn_cast_or_null<Constant>(state.mask);
    state.isMaskedOff = constant && constant->isNullValue();
    if (state.isMaskedOff)
      return;
    state.value = evaluator.evaluate(store.getValue(), indices);
    state.access = evaluator.getAccess(store.getPtr(), indices);
  }
  void commit(const Indices &indices, unsigned copy) override {
    State &state = states[copy];
    if (state.isMaskedOff || lowering.hasFailed())
      return;
    lowering.getEvaluator().store(state.access, mlir::getElementTypeOrSelf(store.getValue().getType()),
                                  state.value, state.mask);
  }

private:
  struct State {
    Value *mask = nullptr, *value = nullptr;
    TileEvaluator::Access access;
    bool isMaskedOff = false;
  };
  FunctionLowering &lowering;
  tt::StoreOp store;
  State states[maximumCopies];
};

} // namespace

std::unique_ptr<Sink> createFillSink(FunctionLowering &lowering, mlir::Value value, const Buffer &buffer) {
  return std::make_unique<FillSink>(lowering, value, buffer);
}

std::unique_ptr<Sink> createStoreSink(FunctionLowering &lowering, tt::StoreOp store) {
  return std::make_unique<StoreSink>(lowering, store);
}

} // namespace nereid::cpu
