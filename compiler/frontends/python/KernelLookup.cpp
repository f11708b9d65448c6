// See KernelLookup.h.
#include "compiler/frontends/python/KernelLookup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <exception>

using namespace llvm;

namespace nereid::python {

StringRef symbolOf(const Function &kernel) {
  return StringRef(kernel.name).substr(StringRef(kernel.name).rfind('.') + 1);
}

std::vector<std::string> listNested(const SourceModule &file) {
  std::vector<std::string> nested;
  for (const NestedFunction &function : findNested(file)) {
    // In a class, one of the decorators is @staticmethod.
    size_t least = function.isInFunction() ? 1 : 2;
    if (function.getKernel()->decorator_list.size() >= least)
      nested.push_back(function.name);
  }
  llvm::sort(nested);
  nested.erase(llvm::unique(nested), nested.end());
  return nested;
}

/// The functions of a file that may be kernels, for a message.
static std::string listDecorated(const SourceModule &file) {
  std::vector<std::string> kernels = listNested(file);
  for (StringRef candidate : file.getNames())
    for (const SourceModule::Binding &binding : *file.getBindings(candidate)) {
      auto *definition = dyn_cast<ast::FunctionDef>(binding.statement);
      if (definition && !definition->decorator_list.empty())
        kernels.push_back(candidate.str());
    }
  llvm::sort(kernels);
  kernels.erase(llvm::unique(kernels), kernels.end());
  return join(kernels, ", ");
}

/// Refuses a kernel that stands on the side of an `if` that is not taken.
static void failForBranch(Emitter &emitter, SourceModule &file, const SourceModule::Binding &binding,
                          StringRef name) {
  const SourceModule::Guard *guard = emitter.findUntakenBranch(file, binding);
  if (!guard || !isa<ast::FunctionDef>(binding.statement))
    return;
  bool isElse = guard->kind == SourceModule::Guard::Kind::IfFalse;
  emitter.fail(binding.statement->range,
               "'" + name + "' is not defined, as it stands " +
                   (isElse ? "in the 'else' of a condition that holds here"
                           : "under a condition that does not hold here"),
               {cast<ast::If>(guard->statement)->test->range, "the condition"});
}

std::shared_ptr<const Function> findFunction(Emitter &emitter, SourceModule &file, StringRef name) {
  std::string path = file.getPath().str();
  auto kernelIn = [](const std::optional<Value> &value) -> std::shared_ptr<const Function> {
    if (!value || !value->object<const Function>())
      return nullptr;
    auto function = value->get<std::shared_ptr<const Function>>();
    return function->kind == Function::Kind::Jit && function->definition ? function : nullptr;
  };
  // A static method is named as in Python, `Class.kernel`, and so is what stands in a function.
  if (name.contains('.'))
    if (auto kernel = kernelIn(emitter.lookupNested(file, name)))
      return kernel;
  std::optional<Value> value;
  std::exception_ptr refusal;
  try {
    auto [first, members] = name.split('.');
    value = emitter.lookupGlobal(file, first);
    while (value && !members.empty()) {
      StringRef member;
      std::tie(member, members) = members.split('.');
      value = emitter.findAttribute(*value, member);
    }
  } catch (Refusal &refused) {
    if (refused.message.empty())
      throw;
    refusal = std::current_exception();
  }
  if (auto kernel = kernelIn(value))
    return kernel;
  if (!value && !refusal)
    if (auto kernel = kernelIn(emitter.lookupNested(file, name)))
      return kernel;
  // The name may have gone on to the function that launches the kernel (`kernel = f` before it), or to an
  // object that does (`f = cached(f)`), whatever that is.
  if (const auto *bindings = file.getBindings(name))
    for (const SourceModule::Binding &binding : reverse(*bindings)) {
      SaveAndRestore asOf(file.asOf, binding.statement->range.End.getPointer());
      try {
        if (auto kernel = kernelIn(emitter.lookupGlobal(file, name)))
          return kernel;
      } catch (Refusal &refused) {
        if (refused.message.empty())
          throw;
      }
    }
  if (refusal)
    std::rethrow_exception(refusal);
  if (value && value->object<const Function>()) {
    auto function = value->get<std::shared_ptr<const Function>>();
    emitter.fail(function->getRange(), "'" + name + "' is not decorated with @triton.jit");
  }
  if (value && value->object<const Opaque>())
    emitter.fail("'" + name + "' in '" + path +
                 "' is not a kernel: " + value->object<const Opaque>()->reason);
  if (value)
    emitter.fail("'" + name + "' in '" + path + "' is not a kernel (" + value->describe() + ")");
  if (const auto *bindings = file.getBindings(name))
    failForBranch(emitter, file, bindings->back(), name);
  std::string kernels = listDecorated(file);
  emitter.fail("there is no kernel '" + name + "' in '" + path + "'" +
               (kernels.empty() ? "" : "; its decorated functions are " + kernels));
}

} // namespace nereid::python
