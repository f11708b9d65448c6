// Steps are made region by region, from the interfaces that MLIR's own control flow answers. See FlowGraph.h.
#include "compiler/transforms/FlowGraph.h"

namespace nereid {

using mlir::Block;
using mlir::Operation;
using mlir::Region;
using mlir::Value;

FlowGraph::FlowGraph(Region &body) { add(body); }

unsigned FlowGraph::addStep(mlir::ValueRange arrivals) {
  steps.push_back({{}, {}, arrivals});
  return steps.size() - 1;
}

void FlowGraph::connect(unsigned from, mlir::RegionBranchOpInterface op, mlir::RegionBranchPoint point,
                        unsigned behind) {
  llvm::SmallVector<mlir::RegionSuccessor> successors;
  op.getSuccessorRegions(point, successors);
  for (mlir::RegionSuccessor successor : successors)
    steps[from].next.push_back(successor.isParent() ? behind
                                                    : entries.lookup(&successor.getSuccessor()->front()));
}

void FlowGraph::add(Region &region) {
  for (Block &block : region)
    entries[&block] = addStep(block.getArguments());
  for (Block &block : region) {
    unsigned current = entries.lookup(&block);
    for (Operation &op : block) {
      steps[current].operations.push_back(&op);
      auto branching = mlir::dyn_cast<mlir::RegionBranchOpInterface>(op);
      if (!branching)
        continue;
      for (Region &inner : op.getRegions())
        add(inner);
      unsigned behind = addStep(op.getResults());
      connect(current, branching, mlir::RegionBranchPoint::parent(), behind);
      for (Region &inner : op.getRegions())
        for (Block &last : inner)
          if (auto leaving = mlir::dyn_cast<mlir::RegionBranchTerminatorOpInterface>(last.getTerminator()))
            connect(ends.lookup(&last), branching, leaving, behind);
      current = behind;
    }
    ends[&block] = current;
    for (Block *successor : block.getSuccessors())
      steps[current].next.push_back(entries.lookup(successor));
  }
}

ValueFlow::ValueFlow(Operation *root) {
  root->walk([&](Operation *op) {
    if (auto branching = mlir::dyn_cast<mlir::RegionBranchOpInterface>(op)) {
      mlir::RegionBranchInverseSuccessorMapping mapping;
      branching.getSuccessorInputOperandMapping(mapping);
      for (auto &[value, operands] : mapping)
        for (mlir::OpOperand *operand : operands)
          senders[value].push_back(operand->get());
    }
    if (auto branch = mlir::dyn_cast<mlir::BranchOpInterface>(op))
      for (auto [index, block] : llvm::enumerate(op->getSuccessors())) {
        mlir::SuccessorOperands operands = branch.getSuccessorOperands(index);
        for (auto [i, argument] : llvm::enumerate(block->getArguments()))
          if (Value operand = operands[i])
            senders[argument].push_back(operand);
      }
  });
}

llvm::ArrayRef<Value> ValueFlow::getSenders(Value value) const {
  auto it = senders.find(value);
  return it == senders.end() ? llvm::ArrayRef<Value>() : llvm::ArrayRef<Value>(it->second);
}

} // namespace nereid
