// Facts about the target under the names that PyTorch and Triton's driver give them. For a CPU only what is
// certain is answered: that it is no AMD GPU, say, but not what compute capability it has.

#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/python/evaluation/Evaluator.h"
#include "compiler/frontends/python/host/Host.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid::python {

/// (9, 0) for sm_90, (9, 4) for gfx942, as PyTorch has them.
static Value capabilityOf(const Target &target) {
  if (target.backend == Backend::CUDA) {
    int64_t capability = target.getComputeCapability();
    return Value::tuple({Value(capability / 10), Value(capability % 10)});
  }
  // gfx942: a major version, a minor one and a stepping, of which the last two have one digit each.
  StringRef digits = StringRef(target.arch).drop_until(isDigit).take_while(isAlnum);
  int64_t major = 0, minor = 0;
  if (digits.size() < 3 || digits.drop_back(2).getAsInteger(10, major) ||
      digits.take_back(2).take_front(1).getAsInteger(16, minor))
    return Value::opaque("torch.cuda.get_device_capability", "the target's version is not known");
  return Value::tuple({Value(major), Value(minor)});
}

std::optional<Value> Host::findFact(StringRef name) const {
  bool isCUDA = target.backend == Backend::CUDA, isHIP = target.backend == Backend::HIP;
  // The versions are those of the toolkits that the targets are known from.
  if (name == "torch.version.hip")
    return isHIP ? Value("6.4") : Value();
  if (name == "torch.version.cuda")
    return isCUDA ? Value("13.0") : Value();
  if (name == "torch.version.xpu")
    return Value();
  if (const Value *constant = builtins.findConstant(name))
    return *constant;
  if (const Builtin *function = builtins.find(name))
    return Value(function);
  return std::nullopt;
}

/// A condition such as `if is_cuda():` is decided while compiling, so that the other branch need not suit
/// this target.
static void addTargetInfo(BuiltinTable &table) {
  table.add("tl.target_info.is_cuda", "", [](Evaluator &evaluator, Arguments &) -> Value {
    return evaluator.target.backend == Backend::CUDA;
  });
  table.add("tl.target_info.is_hip", "", [](Evaluator &evaluator, Arguments &) -> Value {
    return evaluator.target.backend == Backend::HIP;
  });
  for (auto [name, arch] : {std::pair<const char *, const char *>{"cdna3", "gfx942"}, {"cdna4", "gfx950"}})
    table.add(("tl.target_info.is_hip_" + Twine(name)).str(), "",
              [arch = arch](Evaluator &evaluator, Arguments &) -> Value {
                return evaluator.target.backend == Backend::HIP && evaluator.target.arch == arch;
              });
  table.add("tl.target_info.cuda_capability_geq", "major, minor=0",
            [](Evaluator &evaluator, Arguments &arguments) -> Value {
              BigInt wanted = wholeNumber(evaluator, arguments[0], "a compute capability") * 10 +
                              wholeNumber(evaluator, arguments[1], "a compute capability");
              return evaluator.target.backend == Backend::CUDA &&
                     BigInt(evaluator.target.getComputeCapability()) >= wanted;
            });
  // A record: `.backend`, `.arch` (90 for CUDA, a name for the others) and `.warp_size`.
  table.add("tl.target_info.current_target", "", [](Evaluator &evaluator, Arguments &) -> Value {
    const Target &target = evaluator.target;
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

void addMachineFacts(BuiltinTable &table) {
  addTargetInfo(table);
  table.add("torch.cuda.is_available", "", [](Evaluator &, Arguments &) -> Value { return true; });
  table.add("torch.cuda.get_device_capability", "device=None",
            [](Evaluator &evaluator, Arguments &) { return capabilityOf(evaluator.target); });
  table.addAlias("triton.driver.get_current_target", "tl.target_info.current_target");
}

} // namespace nereid::python
