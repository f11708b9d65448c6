// Facts about the target under the names that PyTorch and Triton's driver give them. For a CPU only what is
// certain is answered: that it is no AMD GPU, say, but not what compute capability it has.
#include "compiler/frontends/python/MachineFacts.h"

#include "compiler/frontends/python/Emitter.h"

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

std::optional<Value> findMachineFact(Emitter &emitter, StringRef name) {
  bool isCUDA = emitter.target.backend == Backend::CUDA, isHIP = emitter.target.backend == Backend::HIP;
  // The versions are those of the toolkits that the targets are known from.
  if (name == "torch.version.hip")
    return isHIP ? Value("6.4") : Value();
  if (name == "torch.version.cuda")
    return isCUDA ? Value("13.0") : Value();
  if (name == "torch.version.xpu")
    return Value();
  if (isCUDA || isHIP)
    if (const Builtin *question = BuiltinTable::get().find(name))
      return Value(question);
  return std::nullopt;
}

void addMachineFacts(BuiltinTable &table) {
  table.add("torch.cuda.is_available", "", [](Emitter &, Arguments &) -> Value { return true; });
  table.add("torch.cuda.get_device_capability", "device=None",
            [](Emitter &emitter, Arguments &) { return capabilityOf(emitter.target); });
  table.addAlias("triton.driver.get_current_target", "tl.target_info.current_target");
}

} // namespace nereid::python
