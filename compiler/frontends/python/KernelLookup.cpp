// See KernelLookup.h.
#include "compiler/frontends/python/KernelLookup.h"

#include "llvm/Support/SaveAndRestore.h"

#include <exception>

using namespace llvm;

namespace nereid::python {

StringRef symbolOf(const Function &kernel) {
  return StringRef(kernel.name).substr(StringRef(kernel.name).rfind('.') + 1);
}

/// The functions of a file that may be kernels, for a message.
static std::string listDecorated(SourceModule &file) {
  std::string kernels;
  std::vector<StringRef> names = file.getNames();
  llvm::sort(names);
  for (StringRef candidate : names)
    for (const SourceModule::Binding &binding : *file.getBindings(candidate))
      if (auto *definition = dyn_cast<ast::FunctionDef>(binding.statement)) {
        if (!definition->decorator_list.empty())
          kernels += (kernels.empty() ? "" : ", ") + candidate.str();
        for (const ast::Statement *statement : definition->body)
          if (auto *inner = dyn_cast<ast::FunctionDef>(statement); inner && !inner->decorator_list.empty())
            kernels += (kernels.empty() ? "" : ", ") + (candidate + "." + inner->name).str();
      } else if (auto *type = dyn_cast<ast::ClassDef>(binding.statement)) {
        for (const ast::Statement *statement : type->body)
          if (auto *method = dyn_cast<ast::FunctionDef>(statement);
              method && method->decorator_list.size() > 1)
            kernels += (kernels.empty() ? "" : ", ") + (candidate + "." + method->name).str();
      }
  return kernels;
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
  std::string kernels = listDecorated(file);
  emitter.fail("there is no kernel '" + name + "' in '" + path + "'" +
               (kernels.empty() ? "" : "; its decorated functions are " + kernels));
}

} // namespace nereid::python
