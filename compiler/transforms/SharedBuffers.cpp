// Descriptors are followed backwards. See SharedBuffers.h.
#include "compiler/transforms/SharedBuffers.h"

#include "compiler/transforms/ScratchMemory.h"

#include "mlir/IR/Matchers.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

/// The descriptors that `value` is a view of, or one of; empty where it is none of a descriptor.
static llvm::SmallVector<Value, 2> getViewed(Value value, const ValueFlow &flow) {
  llvm::SmallVector<Value, 2> sources(flow.getSenders(value));
  Operation *op = value.getDefiningOp();
  if (sources.empty() && op && mlir::isPure(op))
    for (Value operand : op->getOperands())
      if (mlir::isa<ttg::MemDescType>(operand.getType()))
        sources.push_back(operand);
  return sources;
}

SharedBuffers::Origins SharedBuffers::getOrigins(Value descriptor) {
  auto [it, isNew] = origins.try_emplace(descriptor);
  if (!isNew)
    return it->second;
  Origins &result = it->second;
  llvm::SetVector<Value> reached;
  reached.insert(descriptor);
  for (unsigned i = 0; i < reached.size(); ++i) {
    Value value = reached[i];
    if (auto alloc = value.getDefiningOp<ttg::LocalAllocOp>()) {
      result.allocations.push_back(alloc);
      continue;
    }
    llvm::SmallVector<Value, 2> sources = getViewed(value, flow);
    result.unknown |= sources.empty();
    reached.insert_range(sources);
  }
  return result;
}

/// The one buffer of several that a constant index chooses, of all of them in `whole`.
static ByteRange getChosen(ttg::MemDescIndexOp op, ByteRange whole) {
  ttg::MemDescType source = op.getSrc().getType();
  llvm::APInt index;
  uint64_t count = source.getShape().front();
  if (whole.end - whole.begin != getBufferBytes(source) ||
      !mlir::matchPattern(op.getIndex(), mlir::m_ConstantInt(&index)) || index.uge(count))
    return whole;
  unsigned bytes = (whole.end - whole.begin) / count;
  unsigned begin = whole.begin + index.getZExtValue() * bytes;
  return {begin, begin + bytes};
}

SharedBuffers::Ranges SharedBuffers::getBytes(Value descriptor) {
  if (auto it = bytes.find(descriptor); it != bytes.end())
    return it->second;
  // Around loops, ranges are handed on until there are no more.
  llvm::MapVector<Value, Ranges> found;
  found.insert({descriptor, {}});
  for (unsigned i = 0; i < found.size(); ++i)
    for (Value source : getViewed(found.begin()[i].first, flow))
      found.insert({source, {}});
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[value, ranges] : found) {
      Ranges arriving;
      llvm::SmallVector<Value, 2> sources = getViewed(value, flow);
      if (auto alloc = value.getDefiningOp<ttg::LocalAllocOp>()) {
        unsigned begin = getAllocationOffset(alloc).value_or(0);
        arriving.push_back({begin, begin + getBufferBytes(alloc.getType())});
      } else if (sources.empty()) {
        arriving.push_back(ByteRange::all());
      }
      for (Value source : sources)
        llvm::append_range(arriving, found[source]);
      for (ByteRange range : arriving) {
        if (auto index = value.getDefiningOp<ttg::MemDescIndexOp>())
          range = getChosen(index, range);
        if (llvm::is_contained(ranges, range))
          continue;
        ranges.push_back(range);
        changed = true;
      }
    }
  }
  for (auto &[value, ranges] : found)
    bytes[value] = std::move(ranges);
  return bytes[descriptor];
}

void replaceMemory(Value old, Value buffer) {
  for (mlir::OpOperand &use : llvm::make_early_inc_range(old.getUses())) {
    auto trans = mlir::dyn_cast<ttg::MemDescTransOp>(use.getOwner());
    if (!trans) {
      use.set(buffer);
      continue;
    }
    auto source = mlir::cast<ttg::MemDescType>(buffer.getType());
    ttg::MemDescType view = trans.getType();
    llvm::ArrayRef<int64_t> whole = source.getAllocShape();
    llvm::SmallVector<int64_t> shape(whole.drop_back(source.getRank()));
    for (int32_t axis : trans.getOrder())
      shape.push_back(whole.take_back(source.getRank())[axis]);
    auto type = ttg::MemDescType::get(view.getShape(), view.getElementType(), view.getEncoding(),
                                      view.getMemorySpace(), source.getMutableMemory(), shape);
    mlir::OpBuilder builder(trans);
    Value seen = ttg::MemDescTransOp::create(builder, trans.getLoc(), type, buffer, trans.getOrderAttr());
    replaceMemory(trans.getResult(), seen);
    trans.erase();
  }
}

} // namespace nereid
