// `__aligned(16)` and `__multipleof(16)` become the trait that `:16` in a signature is, so that a library
// checks each call for it. A smaller number only tells the compiler, and nobody checks it.
#include "compiler/frontends/triton_c/KernelParameters.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/model/Divisor.h"
#include "compiler/model/SignaturePositions.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nereid::triton_c {

static std::string listTypes(ArrayRef<KernelParameter> entries) {
  std::string text;
  for (const KernelParameter &entry : entries)
    text += (text.empty() ? "" : ", ") + entry.name + "=" + (entry.isPointer ? "*" : "") +
            getScalarName(entry.element).str();
  return text;
}

void KernelParameters::refuse(const ParameterSpec &spec, size_t index, const Twine &message) {
  const Place &place = kernel.parameters[index].place;
  throw Refusal{spec.range,
                message.str(),
                {{emitter.expansions.inFile(place).getRange(), "the parameter is declared here"}}};
}

void KernelParameters::declare(const Declaration &parameter) {
  Type type = emitter.typeOf(parameter.type);
  const Type &scalar = type.isPointer() ? type.getElement() : type;
  if (type.isBlock())
    emitter.fail(parameter.place, "a parameter of a kernel is a number or a pointer, not a block");
  if (!scalar.isScalarNumber())
    emitter.fail(parameter.place, "a parameter of a kernel cannot be a pointer to pointers");
  KernelParameter entry;
  entry.name = parameter.name;
  entry.isPointer = type.isPointer();
  entry.element = scalar.getScalarKind();
  for (const Attribute &attribute : parameter.attributes) {
    bool isAligned = attribute.kind == Attribute::Kind::Aligned;
    if (!isAligned && attribute.kind != Attribute::Kind::MultipleOf) {
      if (attribute.kind != Attribute::Kind::Retune && !entry.isPointer)
        emitter.fail(attribute.place, "this attribute goes with a pointer");
      continue;
    }
    BigInt number = emitter.constantOf(attribute.value, "the value of this attribute");
    if (number < 1 || number > (BigInt(1) << 30))
      emitter.fail(attribute.place, "this must be a positive number, but is " + bigToString(number));
    if (isAligned && !entry.isPointer)
      emitter.fail(attribute.place, "'__aligned' goes with a pointer; of a number say __multipleof");
    if (!entry.isPointer && !scalar.isInteger())
      emitter.fail(attribute.place, "only of a pointer or an integer can this be promised");
    // What counts is the power of 2 in it.
    entry.divisibleBy = std::max(entry.divisibleBy, getDivisor(static_cast<uint64_t>(number)));
  }
  entries.push_back(std::move(entry));
  types.push_back(type);
}

void KernelParameters::apply(const ParameterSpec &spec, size_t index) {
  KernelParameter &entry = entries[index];
  std::string name = "the parameter '" + entry.name + "'";
  std::string declared = (entry.isPointer ? "*" : "") + getScalarName(entry.element).str();
  if (spec.elements || !spec.blockShape.empty())
    refuse(spec, index, name + " is of type " + declared + ", not a tuple or a tensor descriptor");
  if (spec.constant) {
    const Type &type = types[index];
    Value value;
    if (auto *integer = std::get_if<int64_t>(&*spec.constant))
      value = Value::integer(*integer, ScalarKind::Int64);
    else if (auto *boolean = std::get_if<bool>(&*spec.constant))
      value = Value::boolean(*boolean);
    else if (auto *number = std::get_if<double>(&*spec.constant))
      value = Value::floating(*number, ScalarKind::FP64);
    if (!value.isConstant() || entry.isPointer)
      refuse(spec, index, name + " is of type " + declared + ", for which '" + spec.str() + "' is no value");
    if (type.isInteger() && !value.isInteger())
      refuse(spec, index, name + " is an integer, for which " + spec.str() + " is no value");
    if (type.isInteger() &&
        (value.getInteger() < type.getMinInteger() || value.getInteger() > type.getMaxInteger()))
      refuse(spec, index, spec.str() + " does not fit in " + name + ", which is of type " + declared);
    entry.constant = *spec.constant;
    entry.divisibleBy = 1;
    return;
  }
  if (spec.isPointer != entry.isPointer || spec.element != entry.element) {
    ParameterSpec plain = spec;
    plain.name.clear();
    refuse(spec, index, name + " is of type " + declared + ", not " + plain.str());
  }
  entry.equalsOne = spec.equalsOne;
  entry.values = spec.values;
  entry.divisibleBy = spec.equalsOne ? 1 : std::max(entry.divisibleBy, spec.divisibleBy);
}

void KernelParameters::bind(const Specialization &specialization) {
  for (const Declaration &parameter : kernel.parameters)
    declare(parameter);
  if (kernel.result.pointers || kernel.result.scalar)
    emitter.fail(kernel.place, "a kernel returns void: what it computes it writes through pointers");
  std::string list = "'" + kernel.name + "' has the parameters " + listTypes(entries);
  Refusal::Note note{emitter.expansions.inFile(kernel.place).getRange(), list};
  size_t given = specialization.parameters.size();
  size_t byPosition = countByPosition(specialization);
  if (byPosition > entries.size() || (!specialization.named && given && given != entries.size()))
    throw Refusal{given > entries.size() ? specialization.parameters[entries.size()].range
                                         : specialization.range,
                  "the signature has " + std::to_string(given) + (given == 1 ? " parameter" : " parameters") +
                      ", but '" + kernel.name + "' has " + std::to_string(entries.size()),
                  {note}};
  std::vector<bool> seen(entries.size(), false);
  for (size_t position = 0; position < given; ++position) {
    const ParameterSpec &spec = specialization.parameters[position];
    size_t index = position;
    if (!spec.name.empty()) {
      index = find_if(entries, [&](const KernelParameter &entry) { return entry.name == spec.name; }) -
              entries.begin();
      if (index == entries.size())
        throw Refusal{spec.range, "'" + kernel.name + "' has no parameter '" + spec.name + "'", {note}};
      if (seen[index])
        throw Refusal{spec.range, "the signature gives the parameter '" + spec.name + "' twice", {note}};
    }
    seen[index] = true;
    apply(spec, index);
  }
}

void KernelParameters::emit(mlir::ModuleOp module) {
  mlir::OpBuilder &builder = emitter.builder;
  mlir::Location location = emitter.getLocation(kernel.place);
  module->setLoc(location);
  SmallVector<mlir::Type> argumentTypes;
  SmallVector<mlir::DictionaryAttr> attributes;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].isPassedToImage())
      continue;
    argumentTypes.push_back(toMLIR(types[i], builder.getContext()));
    SmallVector<mlir::NamedAttribute, 1> promises;
    if (entries[i].divisibleBy > 1)
      promises.push_back(builder.getNamedAttr(
          "tt.divisibility", builder.getI32IntegerAttr(static_cast<int32_t>(entries[i].divisibleBy))));
    attributes.push_back(mlir::DictionaryAttr::get(builder.getContext(), promises));
  }
  builder.setInsertionPointToEnd(module.getBody());
  auto function =
      tt::FuncOp::create(builder, location, kernel.name, builder.getFunctionType(argumentTypes, {}));
  for (auto [index, attribute] : enumerate(attributes))
    if (!attribute.empty())
      function.setArgAttrs(index, attribute);
  function.setVisibility(mlir::SymbolTable::Visibility::Public);
  // Spelled out, as upstream prints it.
  function->setAttr(mlir::SymbolTable::getVisibilityAttrName(), builder.getStringAttr("public"));
  function->setAttr("noinline", builder.getBoolAttr(false));
  mlir::Block &block = function.getBody().emplaceBlock();
  std::vector<Value> values;
  for (size_t i = 0; i < entries.size(); ++i) {
    const KernelParameter &entry = entries[i];
    if (entry.isPassedToImage()) {
      mlir::Location named = emitter.getLocation(kernel.parameters[i].place, entry.name);
      values.push_back(Tensor{block.addArgument(toMLIR(types[i], builder.getContext()), named), types[i]});
      continue;
    }
    Value value = Value::integer(1, ScalarKind::Int64);
    if (entry.constant) {
      if (auto *integer = std::get_if<int64_t>(&*entry.constant))
        value = Value::integer(*integer, ScalarKind::Int64);
      else if (auto *boolean = std::get_if<bool>(&*entry.constant))
        value = Value::boolean(*boolean);
      else
        value = Value::floating(std::get<double>(*entry.constant), ScalarKind::FP64);
    }
    values.push_back(emitter.convert(value, types[i]));
  }
  builder.setInsertionPointToStart(&block);
  emitter.emitKernel(kernel, values);
}

} // namespace nereid::triton_c
