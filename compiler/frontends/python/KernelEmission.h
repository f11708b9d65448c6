// A kernel for one specialization: its parameters get their types or values, and its body is walked.
#ifndef NEREID_COMPILER_FRONTENDS_PYTHON_KERNELEMISSION_H
#define NEREID_COMPILER_FRONTENDS_PYTHON_KERNELEMISSION_H

#include "compiler/frontends/python/KernelParameters.h"
#include "compiler/model/KernelInfo.h"

#include "llvm/ADT/MapVector.h"

#include <memory>
#include <string>
#include <vector>

namespace nereid::python {

class KernelEmission {
public:
  KernelEmission(Emitter &emitter, SourceModule &file, std::shared_ptr<const Function> kernel,
                 KernelInfo &info)
      : emitter(emitter), file(file), kernel(std::move(kernel)), info(info),
        parameters(parametersOf(emitter, *this->kernel)) {}

  /// Says what the signature makes of each parameter, here and in info.parameters.
  void bind(const Specialization &specialization);
  /// Writes the function into the emitter's module.
  void emit();

private:
  std::string listParameters() const;
  Value evaluateDefault(const DeclaredParameter &parameter);
  void bindMissing(const Specialization &specialization, size_t index);
  /// Appends to info.parameters what callers pass for a parameter: of a tuple, its elements; of a tensor
  /// descriptor, a pointer to the whole tensor, its sizes and the strides but the last, which is 1.
  void addEntries(const ParameterSpec &spec, const std::string &name);
  /// The value of a parameter, made of the arguments that were added for it, which are taken off the front.
  Value takeArgument(const ParameterSpec &spec, llvm::ArrayRef<Tensor> &arguments);

  Emitter &emitter;
  /// The file that is compiled, which may have the kernel from another one.
  SourceModule &file;
  std::shared_ptr<const Function> kernel;
  KernelInfo &info;
  std::vector<DeclaredParameter> parameters;
  /// Where the entries of each parameter start in info.parameters.
  std::vector<size_t> firstEntries;
  /// Compile-time parameters, and what the signature says of the others.
  Scope values;
  llvm::MapVector<llvm::StringRef, const ParameterSpec *> passed;
};

} // namespace nereid::python

#endif // NEREID_COMPILER_FRONTENDS_PYTHON_KERNELEMISSION_H
