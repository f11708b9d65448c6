// What a kernel can ask of the target it is compiled for, and what only NVIDIA GPUs have:
// triton.language.target_info and triton.language.extra.cuda. A condition such as `if is_cuda():` is decided
// while compiling, so that the other branch need not suit this target.
#include "compiler/frontends/python/ConstantFolding.h"
#include "compiler/frontends/python/Emitter.h"

using namespace llvm;

namespace nereid::python {

static void addTargetInfo(BuiltinTable &table) {
  table.add("tl.target_info.is_cuda", "",
            [](Emitter &emitter, Arguments &) -> Value { return emitter.target.backend == Backend::CUDA; });
  table.add("tl.target_info.is_hip", "",
            [](Emitter &emitter, Arguments &) -> Value { return emitter.target.backend == Backend::HIP; });
  for (auto [name, arch] : {std::pair<const char *, const char *>{"cdna3", "gfx942"}, {"cdna4", "gfx950"}})
    table.add(("tl.target_info.is_hip_" + Twine(name)).str(), "",
              [arch = arch](Emitter &emitter, Arguments &) -> Value {
                return emitter.target.backend == Backend::HIP && emitter.target.arch == arch;
              });
  table.add("tl.target_info.cuda_capability_geq", "major, minor=0",
            [](Emitter &emitter, Arguments &arguments) -> Value {
              BigInt wanted = wholeNumber(emitter, arguments[0], "a compute capability") * 10 +
                              wholeNumber(emitter, arguments[1], "a compute capability");
              return emitter.target.backend == Backend::CUDA &&
                     BigInt(emitter.target.getComputeCapability()) >= wanted;
            });
  // A record: `.backend`, `.arch` (90 for CUDA, a name for the others) and `.warp_size`.
  table.add("tl.target_info.current_target", "", [](Emitter &emitter, Arguments &) -> Value {
    const Target &target = emitter.target;
    auto record = std::make_shared<TupleObject>();
    record->className = "GPUTarget";
    record->fields = {"backend", "arch", "warp_size"};
    bool isCUDA = target.backend == Backend::CUDA;
    record->elements = {Value(isCUDA                           ? "cuda"
                              : target.backend == Backend::HIP ? "hip"
                                                               : "cpu"),
                        isCUDA ? Value(static_cast<int64_t>(target.getComputeCapability()))
                               : Value(target.arch),
                        Value(static_cast<int64_t>(target.warpSize))};
    return record;
  });
}

/// A function that is one instruction of NVIDIA's, without operands.
static void addInstruction(BuiltinTable &table, StringRef name, StringRef assembly, StringRef constraint,
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
                  emitter.create<tt::ElementwiseInlineAsmOp>(type.toMLIR(emitter.getMLIRContext()), assembly,
                                                             constraint, isPure, 1u, mlir::ValueRange());
              return hasResult ? Value(Tensor{op->getResult(0), type}) : Value();
            });
}

void addTargetBuiltins(BuiltinTable &table) {
  addTargetInfo(table);
  addInstruction(table, "globaltimer", "mov.u64 $0, %globaltimer;", "=l", ScalarKind::Int64, false);
  addInstruction(table, "smid", "mov.u32 $0, %smid;", "=r", ScalarKind::Int32, true);
  addInstruction(table, "gdc_wait", "griddepcontrol.wait; // dummy $0", "=r", ScalarKind::Int32, false,
                 false);
  addInstruction(table, "gdc_launch_dependents", "griddepcontrol.launch_dependents; // dummy $0", "=r",
                 ScalarKind::Int32, false, false);
  table.add("tl.extra.cuda.num_warps", "",
            [](Emitter &emitter, Arguments &) -> Value { return static_cast<int64_t>(emitter.numWarps); });
  table.add("tl.extra.cuda.num_threads", "", [](Emitter &emitter, Arguments &) -> Value {
    return static_cast<int64_t>(emitter.numWarps) * 32;
  });
}

} // namespace nereid::python
