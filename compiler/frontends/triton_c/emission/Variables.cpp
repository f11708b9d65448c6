// Declarations, scopes, and the values that variables have.
#include "compiler/dialects/tt/Dialect.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/triton_c/emission/Emitter.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace nereid::triton_c {

BigInt Emitter::constantOf(const Expression *expression, StringRef what) {
  Value value = evaluate(expression);
  if (!value.isInteger())
    fail(expression->place, what + " must be a whole number that is known while compiling: a literal, a "
                                   "macro, or arithmetic on them");
  return value.getInteger();
}

Type Emitter::typeOf(const TypeName &name, bool mayBeVoid) {
  PlaceScope scope(*this, name.place);
  Type type;
  if (name.scalar)
    type = *name.scalar;
  else if (!name.pointers && !mayBeVoid)
    fail("a value cannot be of type void");
  else if (name.pointers)
    type = ScalarKind::Int8; // void * points to bytes
  for (unsigned i = 0; i < name.pointers; ++i)
    type = Type::pointer(type, i == 0 && name.pointsToConst);
  if (!name.hasShape)
    return type;
  Shape shape;
  BigInt count = 1;
  for (const Expression *size : name.shape) {
    BigInt number = constantOf(size, "the size of a block");
    if (number < 1 || number > 1048576 || !isPowerOf2_64(static_cast<uint64_t>(number)))
      fail(size->place, "the size of a block must be a power of 2, but this one is " + bigToString(number));
    shape.push_back(static_cast<int64_t>(number));
    count *= number;
    if (count > 1048576)
      fail("this block has more than 1048576 elements");
  }
  return Type::block(type, shape);
}

size_t Emitter::declare(StringRef name, const Type &type, const Place &where, Value value, bool isConst) {
  meter.spend(4);
  size_t index = variables.size();
  variables.push_back({name, type, where, std::move(value), isConst});
  if (!name.empty())
    variablesByName[name].push_back(index);
  return index;
}

std::optional<size_t> Emitter::find(StringRef name) const {
  auto found = variablesByName.find(name);
  if (found == variablesByName.end() || found->second.empty())
    return std::nullopt;
  size_t index = found->second.back();
  if (frames.empty() || index < frames.back().base)
    return std::nullopt;
  return index;
}

void Emitter::closeScope(size_t size) {
  while (variables.size() > size) {
    if (!variables.back().name.empty())
      variablesByName[variables.back().name].pop_back();
    variables.pop_back();
  }
}

std::vector<Value> Emitter::takeValues() const {
  meter.spend(2 * variables.size());
  std::vector<Value> values;
  for (const Variable &variable : variables)
    values.push_back(variable.value);
  return values;
}

void Emitter::setValues(ArrayRef<Value> values) {
  for (auto [variable, value] : zip(variables, values))
    variable.value = value;
}

Tensor Emitter::materialize(const Value &value) {
  if (!value.isUndefined())
    return toTensor(value);
  const Type &scalar = value.type.getScalar();
  Tensor zero = makeConstant(*this, BigInt(0), scalar.isPointer() ? Type(ScalarKind::Int64) : scalar);
  if (scalar.isPointer())
    zero = {create<tt::IntToPtrOp>(toMLIR(scalar, getMLIRContext()), zero.handle), scalar};
  return splat(*this, zero, value.type.getShape());
}

/// What `__multipleof` and `__aligned` say of a variable goes to whatever makes its value.
void Emitter::promise(const Declaration &declaration, const Value &value) {
  for (const Attribute &attribute : declaration.attributes) {
    if (!attribute.value)
      continue;
    BigInt number = constantOf(attribute.value, "the value of this attribute");
    if (number < 1 || number > (1 << 30) || !isPowerOf2_64(static_cast<uint64_t>(number)))
      fail(attribute.place, "this must be a power of 2, but is " + bigToString(number));
    mlir::Operation *producer = value.handle ? value.handle.getDefiningOp() : nullptr;
    if (!producer)
      continue;
    size_t rank = std::max<size_t>(1, value.type.getShape().size());
    SmallVector<int32_t> numbers(rank, 1);
    numbers.back() = static_cast<int32_t>(number);
    auto type = mlir::RankedTensorType::get({static_cast<int64_t>(rank)}, builder.getI32Type());
    producer->setAttr("tt.divisibility", mlir::DenseIntElementsAttr::get(type, numbers));
  }
}

void Emitter::execute(const Declaration &declaration) {
  PlaceScope scope(*this, declaration.place);
  Type type = typeOf(declaration.type);
  Value value = Value::undefined(type);
  if (declaration.initial) {
    SaveAndRestore naming(assignedName, StringRef(declaration.name));
    value = evaluate(declaration.initial);
    PlaceScope initial(*this, declaration.initial->place);
    value = convertToShape(value, type);
  }
  promise(declaration, value);
  declare(declaration.name, type, declaration.place, value, declaration.type.isConst);
}

} // namespace nereid::triton_c
