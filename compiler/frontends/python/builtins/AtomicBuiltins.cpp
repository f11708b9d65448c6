// tl.atomic_add and its like.
#include "compiler/frontends/python/builtins/LanguageTable.h"
#include "compiler/frontends/semantics/Atomics.h"

using namespace llvm;

namespace nereid::python {

static tt::MemSemantic semanticOf(Emitter &emitter, const Value &value) {
  if (value.isNone() || (value.isStr() && value.asStr().empty()))
    return tt::MemSemantic::ACQUIRE_RELEASE;
  if (value.isStr())
    if (auto known = tt::symbolizeMemSemantic(value.asStr()))
      return *known;
  emitter.fail("memory order " + value.repr() +
               " is not known; there are 'acquire', 'release', 'acq_rel' and 'relaxed'");
}

static tt::MemSyncScope scopeOf(Emitter &emitter, const Value &value) {
  if (value.isNone() || (value.isStr() && value.asStr().empty()))
    return tt::MemSyncScope::GPU;
  if (value.isStr())
    if (auto known = tt::symbolizeMemSyncScope(value.asStr()))
      return *known;
  emitter.fail("memory scope " + value.repr() + " is not known; there are 'gpu', 'cta' and 'sys'");
}

void addAtomicBuiltins(LanguageTable &table) {
  for (auto [name, kind] : {std::pair<const char *, AtomicKind>{"atomic_add", AtomicKind::Add},
                            {"atomic_max", AtomicKind::Max},
                            {"atomic_min", AtomicKind::Min},
                            {"atomic_and", AtomicKind::And},
                            {"atomic_or", AtomicKind::Or},
                            {"atomic_xor", AtomicKind::Xor},
                            {"atomic_xchg", AtomicKind::Exchange}})
    table.add(("tl." + Twine(name)).str(), "pointer, val, mask=None, sem=None, scope=None",
              [name = name, kind = kind](Emitter &emitter, Arguments &arguments) -> Value {
                Tensor pointer = emitter.toTensor(arguments[0]), value = emitter.toTensor(arguments[1]);
                std::optional<Tensor> mask;
                if (!arguments[2].isNone())
                  mask = emitter.toTensor(arguments[2]);
                AtomicOperation operation{kind, ("tl." + Twine(name)).str(),
                                          semanticOf(emitter, arguments[3]), scopeOf(emitter, arguments[4])};
                return makeAtomic(emitter, operation, pointer, value, mask);
              });
  table.add("tl.atomic_cas", "pointer, cmp, val, sem=None, scope=None",
            [](Emitter &emitter, Arguments &arguments) -> Value {
              AtomicOperation operation{AtomicKind::CompareAndSwap, "tl.atomic_cas",
                                        semanticOf(emitter, arguments[3]), scopeOf(emitter, arguments[4])};
              Tensor pointer = emitter.toTensor(arguments[0]), value = emitter.toTensor(arguments[2]);
              return makeCompareAndSwap(emitter, operation, pointer, emitter.toTensor(arguments[1]), value);
            });
  table.addMethods({"atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor",
                    "atomic_xchg", "atomic_cas"});
}

} // namespace nereid::python
