// The parameters of a kernel: what the file says of each, what the signature adds, and the function that
// takes those which are passed when the kernel runs.
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_KERNELPARAMETERS_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_KERNELPARAMETERS_H

#include "compiler/frontends/triton_c/emission/Emitter.h"
#include "compiler/model/KernelInfo.h"

#include <vector>

namespace nereid::triton_c {

class KernelParameters {
public:
  KernelParameters(Emitter &emitter, const Function &kernel) : emitter(emitter), kernel(kernel) {}

  /// Brings file and signature together, or refuses.
  void bind(const Specialization &specialization);
  /// Writes the kernel into a module.
  void emit(mlir::ModuleOp module);
  std::vector<KernelParameter> takeEntries() { return std::move(entries); }

private:
  void declare(const Declaration &parameter);
  void apply(const ParameterSpec &spec, size_t index);
  [[noreturn]] void refuse(const ParameterSpec &spec, size_t index, const llvm::Twine &message);

  Emitter &emitter;
  const Function &kernel;
  std::vector<KernelParameter> entries;
  std::vector<Type> types;
  /// What is promised of the value besides KernelParameter's traits: 8 of a multiple of 8.
};

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_KERNELPARAMETERS_H
