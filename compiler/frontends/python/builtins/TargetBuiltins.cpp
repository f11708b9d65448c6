// What a kernel can ask of the target it is compiled for, and what only NVIDIA GPUs have:
// triton.language.target_info and triton.language.extra.cuda. A condition such as `if is_cuda():` is decided
// while compiling, so that the other branch need not suit this target.
#include "compiler/dialects/tt/WarpQuestions.h"
#include "compiler/frontends/python/builtins/LanguageTable.h"

using namespace llvm;

namespace nereid::python {

/// A function that is one instruction of NVIDIA's, without operands.
static void addInstruction(LanguageTable &table, StringRef name, StringRef assembly, StringRef constraint,
                           ScalarKind result, bool isPure, bool hasResult = true) {
  table.add(("tl.extra.cuda." + name).str(), "",
            [name = name.str(), assembly = assembly.str(), constraint = constraint.str(), result, isPure,
             hasResult](Emitter &emitter, Arguments &) -> Value {
              // What orders this grid after the one before it: on a CPU each grid ends before the next
              // begins.
              if (!hasResult && emitter.target.backend == Backend::CPU)
                return {};
              if (emitter.target.backend != Backend::CUDA)
                emitter.fail("triton.language.extra.cuda." + name + " is for NVIDIA GPUs only");
              Type type = result;
              auto op =
                  emitter.create<tt::ElementwiseInlineAsmOp>(toMLIR(type, emitter.getMLIRContext()), assembly,
                                                             constraint, isPure, 1u, mlir::ValueRange());
              return hasResult ? Value(Tensor{op->getResult(0), type}) : Value();
            });
}

static int64_t readNumWarps(Emitter &emitter) {
  emitter.module->setAttr(tt::readsNumWarpsName, mlir::UnitAttr::get(emitter.module.getContext()));
  return emitter.numWarps;
}

void addTargetBuiltins(LanguageTable &table) {
  addInstruction(table, "globaltimer", "mov.u64 $0, %globaltimer;", "=l", ScalarKind::Int64, false);
  addInstruction(table, "smid", "mov.u32 $0, %smid;", "=r", ScalarKind::Int32, true);
  addInstruction(table, "gdc_wait", "griddepcontrol.wait; // dummy $0", "=r", ScalarKind::Int32, false,
                 false);
  addInstruction(table, "gdc_launch_dependents", "griddepcontrol.launch_dependents; // dummy $0", "=r",
                 ScalarKind::Int32, false, false);
  table.add("tl.extra.cuda.num_warps", "",
            [](Emitter &emitter, Arguments &) -> Value { return readNumWarps(emitter); });
  table.add("tl.extra.cuda.num_threads", "",
            [](Emitter &emitter, Arguments &) -> Value { return readNumWarps(emitter) * 32; });
}

} // namespace nereid::python
