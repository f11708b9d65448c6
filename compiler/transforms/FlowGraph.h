// The order in which a function's operations may run, whatever the control flow is written in: branches
// between blocks, or the regions of scf.
//
// A step is a straight run of operations. It ends where control may go elsewhere or come in: at a terminator,
// and at an operation whose regions control enters (scf.for), behind which another step begins. Operations
// whose regions are only a way to write a function of scalars (tt.reduce) stand in a step like any other.
//
//     %0 = …                       step 0: %0, scf.for                 goes on to 1 and 2
//     scf.for … { %1 = … }         step 1: %1, scf.yield               goes on to 1 and 2
//     %2 = …                       step 2: %2, tt.return
//
// Values travel along: ValueFlow tells which values may arrive in a block's argument, or in the result of an
// operation with regions.
#ifndef NEREID_COMPILER_TRANSFORMS_FLOWGRAPH_H
#define NEREID_COMPILER_TRANSFORMS_FLOWGRAPH_H

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace nereid {

class FlowGraph {
public:
  struct Step {
    llvm::SmallVector<mlir::Operation *, 8> operations;
    llvm::SmallVector<unsigned, 2> next;
    /// The values that come to be as the step is entered: arguments of a block, results of the operation with
    /// regions that was left.
    mlir::ValueRange arrivals;
  };

  /// The first step is where the region is entered.
  explicit FlowGraph(mlir::Region &body);

  llvm::ArrayRef<Step> getSteps() const { return steps; }

  /// Carries a state along, from an empty one where the region is entered, until nothing changes:
  /// visit(operation, state) changes it, merge(state, other) adds what comes another way, and says whether
  /// that was anything new.
  template <typename State, typename Visit, typename Merge> void propagate(Visit visit, Merge merge) const {
    std::vector<State> atStart(steps.size());
    // Steps are numbered about as they run, so the lowest goes next.
    llvm::BitVector waiting(steps.size(), true);
    for (int number; (number = waiting.find_first()) >= 0;) {
      waiting.reset(number);
      State state = atStart[number];
      for (mlir::Operation *op : steps[number].operations)
        visit(op, state);
      for (unsigned next : steps[number].next)
        if (merge(atStart[next], state))
          waiting.set(next);
    }
  }

private:
  void add(mlir::Region &region);
  unsigned addStep(mlir::ValueRange arrivals);
  void connect(unsigned from, mlir::RegionBranchOpInterface op, mlir::RegionBranchPoint point,
               unsigned behind);

  std::vector<Step> steps;
  /// The steps at which each block begins and ends.
  llvm::DenseMap<mlir::Block *, unsigned> entries, ends;
};

/// Where the values come from that control flow hands around.
class ValueFlow {
public:
  explicit ValueFlow(mlir::Operation *root);

  /// The values that may arrive in `value`; none if it does not get its value from control flow.
  llvm::ArrayRef<mlir::Value> getSenders(mlir::Value value) const;

private:
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> senders;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_FLOWGRAPH_H
