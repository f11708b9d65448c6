// Read off the effects that operations declare. See FunctionEffects.h.
#include "compiler/transforms/FunctionEffects.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"

namespace nereid {

using mlir::Operation;

bool looksAtOthers(tt::LoadOp load) {
  return load.getIsVolatile() || load.getCache() == tt::CacheModifier::CG ||
         load.getCache() == tt::CacheModifier::CV;
}

bool isOneLook(tt::LoadOp load) {
  return looksAtOthers(load) && (load.getCache() != tt::CacheModifier::CG || load.getIsVolatile() ||
                                 !mlir::isa<mlir::RankedTensorType>(load.getType()));
}

template <typename Effect> static bool hasGlobalEffect(mlir::MemoryEffectOpInterface op) {
  llvm::SmallVector<mlir::MemoryEffects::EffectInstance> effects;
  op.getEffects(effects);
  return llvm::any_of(effects, [](const mlir::MemoryEffects::EffectInstance &effect) {
    return mlir::isa<Effect>(effect.getEffect()) && !mlir::isa<ttg::SharedMemory>(effect.getResource());
  });
}

bool mayWriteGlobal(Operation *op) {
  // Prints and assertions claim to write so that they keep their places, and so do volatile loads.
  if (mlir::isa<tt::PrintOp, tt::AssertOp, tt::LoadOp, ttg::LocalBarrierOp, ttg::ClusterBarrierOp>(op))
    return false;
  // Memory of the program's own, in which nothing but tensor maps lies.
  if (mlir::isa<ttng::TensormapCreateOp, ttng::TensormapFenceproxyAcquireOp>(op))
    return false;
  auto interface = mlir::dyn_cast<mlir::MemoryEffectOpInterface>(op);
  return interface && hasGlobalEffect<mlir::MemoryEffects::Write>(interface);
}

bool mayReadGlobal(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        if (mlir::isa<tt::AtomicRMWOp>(inner) && inner->use_empty())
          return mlir::WalkResult::advance();
        auto interface = mlir::dyn_cast<mlir::MemoryEffectOpInterface>(inner);
        bool reads = interface ? hasGlobalEffect<mlir::MemoryEffects::Read>(interface)
                               : !inner->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>();
        return reads ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

FunctionEffects FunctionEffectsCache::get(tt::CallOp call) {
  auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(call, call.getCalleeAttr());
  return callee ? get(callee) : FunctionEffects{true, true, true, true};
}

FunctionEffects FunctionEffectsCache::get(tt::FuncOp function) {
  if (function.isExternal())
    return {true, true, true, true};
  // A function that calls itself does what the rest of it does.
  auto [it, isNew] = known.try_emplace(function);
  if (!isNew)
    return it->second;
  FunctionEffects effects;
  function.walk([&](Operation *op) {
    effects.readsGlobal |= mlir::isa<tt::LoadOp, tt::DescriptorLoadOp>(op);
    effects.writesGlobal |= mayWriteGlobal(op);
    effects.hasMovedLoads |= op->hasAttr(movedLoadAttr);
    effects.hasAsyncCopies |=
        mlir::isa<ttg::AsyncCopyGlobalToLocalOp, ttg::AsyncCommitGroupOp, ttg::AsyncWaitOp>(op);
    if (auto call = mlir::dyn_cast<tt::CallOp>(op)) {
      FunctionEffects inner = get(call);
      effects.readsGlobal |= inner.readsGlobal;
      effects.writesGlobal |= inner.writesGlobal;
      effects.hasMovedLoads |= inner.hasMovedLoads;
      effects.hasAsyncCopies |= inner.hasAsyncCopies;
    }
  });
  return known[function] = effects;
}

} // namespace nereid
