// The backward walk from everything that writes. See ReadOnlyArguments.h.
#include "compiler/transforms/ReadOnlyArguments.h"

#include "compiler/dialects/ttg/Dialect.h"

#include "llvm/ADT/DenseSet.h"

namespace nereid {

using mlir::Operation;
using mlir::Value;

static bool isPointerLike(mlir::Type type) {
  return mlir::isa<tt::PointerType, tt::TensorDescType>(mlir::getElementTypeOrSelf(type));
}

namespace {

class Search {
public:
  llvm::BitVector findWritten(tt::FuncOp function);

private:
  /// Operands of `op` whose memory it may change, or whose address it lets out of sight.
  void addWrittenOperands(Operation *op, llvm::SmallVectorImpl<Value> &written);
  /// Values that `value` may have come from.
  void addOrigins(Value value, llvm::SmallVectorImpl<Value> &origins);

  /// Finished functions, and those being looked at, of which the worst is assumed: all arguments written.
  llvm::DenseMap<Operation *, llvm::BitVector> functions;
};

} // namespace

llvm::BitVector Search::findWritten(tt::FuncOp function) {
  auto [known, isNew] = functions.try_emplace(function, llvm::BitVector(function.getNumArguments(), true));
  if (!isNew || function.isExternal())
    return known->second;

  llvm::SmallVector<Value> work;
  function.getBody().walk([&](Operation *op) { addWrittenOperands(op, work); });
  llvm::DenseSet<Value> seen;
  llvm::BitVector written(function.getNumArguments());
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!isPointerLike(value.getType()) || !seen.insert(value).second)
      continue;
    addOrigins(value, work);
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
      if (argument.getOwner() == &function.getBody().front())
        written.set(argument.getArgNumber());
  }
  functions[function] = written;
  return written;
}

void Search::addWrittenOperands(Operation *op, llvm::SmallVectorImpl<Value> &written) {
  if (auto call = mlir::dyn_cast<tt::CallOp>(op)) {
    auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(call, call.getCalleeAttr());
    llvm::BitVector bits = callee ? findWritten(callee) : llvm::BitVector(call.getArgOperands().size(), true);
    for (auto [i, operand] : llvm::enumerate(call.getArgOperands()))
      if (bits[i])
        written.push_back(operand);
    return;
  }
  // Control flow passes pointers on; that is followed by addOrigins.
  if (op->hasTrait<mlir::OpTrait::IsTerminator>() ||
      mlir::isa<mlir::RegionBranchOpInterface, mlir::BranchOpInterface, tt::MapElementwiseOp>(op))
    return;
  bool hidesAddress = mlir::isa<tt::PtrToIntOp>(op) ||
                      (mlir::isa<tt::BitcastOp>(op) && !isPointerLike(op->getResult(0).getType()));
  bool mayWrite = !mlir::isMemoryEffectFree(op) && !mlir::hasSingleEffect<mlir::MemoryEffects::Read>(op);
  // A volatile load claims to write so that it stays where it is; copies write to memory on chip.
  if (mlir::isa<tt::LoadOp, tt::PrintOp, tt::AssertOp, ttg::AsyncCopyGlobalToLocalOp>(op) ||
      !(hidesAddress || mayWrite))
    return;
  llvm::append_range(written, op->getOperands());
}

void Search::addOrigins(Value value, llvm::SmallVectorImpl<Value> &origins) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  unsigned index = argument ? argument.getArgNumber() : mlir::cast<mlir::OpResult>(value).getResultNumber();

  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op)) {
    unsigned carried = argument ? index - 1 : index; // the first block argument is the induction variable
    origins.push_back(loop.getInitArgs()[carried]);
    origins.push_back(loop.getBody()->getTerminator()->getOperand(carried));
    return;
  }
  if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op)) {
    if (argument && argument.getOwner()->getParent() == &loop.getBefore()) {
      origins.push_back(loop.getInits()[index]);
      origins.push_back(loop.getYieldOp()->getOperand(index));
    } else {
      origins.push_back(loop.getConditionOp().getArgs()[index]);
    }
    return;
  }
  if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op)) {
    origins.push_back(branch.thenYield().getOperand(index));
    origins.push_back(branch.elseYield().getOperand(index));
    return;
  }
  if (argument && !argument.getOwner()->isEntryBlock()) {
    for (auto it = argument.getOwner()->pred_begin(), end = argument.getOwner()->pred_end(); it != end;
         ++it) {
      auto branch = mlir::dyn_cast<mlir::BranchOpInterface>((*it)->getTerminator());
      if (branch)
        origins.push_back(branch.getSuccessorOperands(it.getSuccessorIndex())[index]);
    }
    return;
  }
  if (argument && mlir::isa<tt::FuncOp>(op))
    return;
  // Anything else makes its results (or its region's arguments) out of its operands, or of what its regions
  // give.
  llvm::append_range(origins, op->getOperands());
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      if (!block.empty())
        llvm::append_range(origins, block.back().getOperands());
}

llvm::BitVector findReadOnlyArguments(tt::FuncOp function) {
  llvm::BitVector readOnly = Search().findWritten(function);
  readOnly.flip();
  for (auto [i, type] : llvm::enumerate(function.getFunctionType().getInputs()))
    if (!isPointerLike(type))
      readOnly.reset(i);
  return readOnly;
}

} // namespace nereid
