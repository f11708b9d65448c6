// What a call may do out of sight, as far as the order of memory accesses between threads is concerned.
#ifndef NEREID_COMPILER_TRANSFORMS_FUNCTIONEFFECTS_H
#define NEREID_COMPILER_TRANSFORMS_FUNCTIONEFFECTS_H

#include "compiler/dialects/tt/Dialect.h"

namespace nereid {

/// The attribute of a load that RematerializeLayouts has given another layout than its neighbours have: it
/// reads elements that other threads access before and after. Between it and a write of global memory there
/// has to be a barrier.
constexpr llvm::StringLiteral movedLoadAttr = "ttg.moved";

/// Whether the operation itself, which is no call, may change global memory as the program sees it.
bool mayWriteGlobal(mlir::Operation *op);

/// Whether the program may see global memory through what the operation, or one within it, reads. An atomic
/// operation whose old value nobody uses shows nothing.
bool mayReadGlobal(mlir::Operation *op);

/// Whether the load is to see what other programs have written while this one runs: it is volatile, or goes
/// around caches.
bool looksAtOthers(tt::LoadOp load);

/// Whether such a load happens once for all who use an element, as an atomic access does: programs take
/// branches by what they see, and two looks may see different things. Tiles are loaded past the first cache
/// for speed as well.
bool isOneLook(tt::LoadOp load);

struct FunctionEffects {
  bool readsGlobal = false;
  bool writesGlobal = false;
  bool hasMovedLoads = false;
  bool hasAsyncCopies = false;
};

/// Remembers what functions do, those that they call included. Of functions without a body the worst is
/// assumed.
class FunctionEffectsCache {
public:
  FunctionEffects get(tt::CallOp call);

private:
  FunctionEffects get(tt::FuncOp function);
  llvm::DenseMap<mlir::Operation *, FunctionEffects> known;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_FUNCTIONEFFECTS_H
