// See KernelParameters.h.
#include "compiler/frontends/python/KernelParameters.h"

using namespace llvm;

namespace nereid::python {

Value valueOf(Emitter &emitter, SourceModule &file, const ConstantValue &constant) {
  struct Visitor {
    Value operator()(std::monostate) { return {}; }
    Value operator()(bool value) { return value; }
    Value operator()(int64_t value) { return value; }
    Value operator()(double value) { return value; }
    Value operator()(const std::string &value) { return value; }
    Value operator()(const DTypeConstant &value) { return Type(value.kind); }
    Value operator()(const NameConstant &value) { return emitter.lookupQualified(file, value.text); }
    Emitter &emitter;
    SourceModule &file;
  };
  return std::visit(Visitor{emitter, file}, constant);
}

ConstantValue constantOf(const Value &value) {
  if (value.isNone())
    return std::monostate();
  if (value.isBool())
    return value.asBool();
  if (value.isInt() && value.asInt() >= INT64_MIN && value.asInt() <= INT64_MAX)
    return static_cast<int64_t>(value.asInt());
  if (value.isFloat())
    return value.asDouble();
  if (value.isType() && value.asType().isScalarNumber())
    return DTypeConstant{value.asType().getScalarKind()};
  if (auto *function = value.object<const Function>(); function && function->definition)
    return NameConstant{function->name};
  return value.str();
}

std::vector<DeclaredParameter> parametersOf(Emitter &emitter, const Function &kernel) {
  const ast::Arguments &arguments = kernel.getArguments();
  for (const ast::Arg *rest : {arguments.vararg, arguments.kwarg})
    if (rest)
      emitter.fail(rest->range,
                   "a kernel cannot have the parameter '*" + rest->arg + "'; list its parameters");
  std::vector<DeclaredParameter> parameters;
  for (const ast::Arg *node : concat<const ast::Arg *const>(arguments.posonlyargs, arguments.args))
    parameters.push_back({node, nullptr, emitter.isConstexprParameter(kernel, *node)});
  size_t firstDefault = parameters.size() - arguments.defaults.size();
  for (auto [index, value] : enumerate(arguments.defaults))
    parameters[firstDefault + index].defaultValue = value;
  for (auto [node, value] : zip(arguments.kwonlyargs, arguments.kw_defaults))
    parameters.push_back({node, value, emitter.isConstexprParameter(kernel, *node)});
  return parameters;
}

} // namespace nereid::python
