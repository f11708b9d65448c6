// Atomic read-modify-write and compare-and-swap.
//
// The operation for a type is chosen here: max and min of signed integers, of unsigned ones, and of floats,
// whose bits order like integers as long as the sign is looked at: of two non-negative floats the greater has
// the greater bits as a signed integer, of two negative ones the smaller bits as an unsigned integer.
#include "compiler/frontends/python/builtins/LanguageTable.h"
#include "compiler/frontends/python/emission/Arithmetic.h"
#include "compiler/frontends/python/emission/Broadcasting.h"
#include "compiler/frontends/python/emission/Casting.h"
#include "compiler/frontends/python/emission/TypePromotion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;

namespace nereid::python {

static tt::MemSemantic semanticOf(Emitter &emitter, const Value &value) {
  if (value.isNone() || (value.isStr() && value.asStr().empty()))
    return tt::MemSemantic::ACQUIRE_RELEASE;
  if (value.isStr())
    if (auto known = tt::symbolizeMemSemantic(value.asStr()))
      return *known;
  emitter.fail("memory order " + value.repr() +
               " is not known; there are 'acquire', 'release', 'acq_rel' and 'relaxed'");
}

static tt::MemSyncScope scopeOf(Emitter &emitter, const Value &value) {
  if (value.isNone() || (value.isStr() && value.asStr().empty()))
    return tt::MemSyncScope::GPU;
  if (value.isStr())
    if (auto known = tt::symbolizeMemSyncScope(value.asStr()))
      return *known;
  emitter.fail("memory scope " + value.repr() + " is not known; there are 'gpu', 'cta' and 'sys'");
}

struct AtomicOperands {
  Tensor pointer, value, mask;
};

static AtomicOperands operandsOf(Emitter &emitter, StringRef name, const Value &pointer, const Value &value,
                                 const Value &mask) {
  AtomicOperands operands;
  operands.pointer = emitter.toTensor(pointer);
  const Type scalar = operands.pointer.type.getScalar();
  if (!scalar.isPointer() || scalar.isBlockPointer())
    emitter.fail("tl." + name + " takes a pointer or a block of pointers, not a value of type " +
                 operands.pointer.type.str());
  if (scalar.isConstPointer())
    emitter.fail("cannot store through a pointer to const");
  const Type &element = scalar.getElement();
  // As Triton: of 16 bits, all can be compared and swapped, and floats be added to.
  bool isNarrow = element.isScalarNumber() && element.getBits() == 16;
  if (!element.isScalarNumber() || element.getBits() < 16 ||
      (isNarrow && name != "atomic_cas" && (element.isInteger() || name != "atomic_add")))
    emitter.fail("tl." + name + " does not go with elements of type " + element.str());
  operands.value = emitter.toTensor(value);
  operands.mask = mask.isNone() ? emitNumber(emitter, true, ScalarKind::Int1)
                                : castToBool(emitter, emitter.toTensor(mask));
  if (operands.pointer.type.isBlock()) {
    operands.value = broadcastTo(emitter, operands.value, operands.pointer.type.getShape());
    operands.mask = broadcastTo(emitter, operands.mask, operands.pointer.type.getShape());
  } else if (operands.value.type.isBlock() || operands.mask.type.isBlock()) {
    emitter.fail("the value and the mask of tl." + name + " must be scalars, as the pointer is one");
  }
  operands.value = castTo(emitter, operands.value, element);
  return operands;
}

static Tensor emitAtomic(Emitter &emitter, tt::RMWOp op, const Tensor &pointer, const Tensor &value,
                         const Tensor &mask, tt::MemSemantic semantic, tt::MemSyncScope scope) {
  return {emitter.create<tt::AtomicRMWOp>(value.handle.getType(), op, pointer.handle, value.handle,
                                          mask.handle, semantic, scope),
          value.type};
}

static Value emitAtomicExtreme(Emitter &emitter, bool isMax, const AtomicOperands &operands,
                               tt::MemSemantic semantic, tt::MemSyncScope scope) {
  auto [pointer, value, mask] = operands;
  const Type scalar = value.type.getScalar();
  auto op = [&](bool max, bool isSigned) {
    return max ? (isSigned ? tt::RMWOp::MAX : tt::RMWOp::UMAX)
               : (isSigned ? tt::RMWOp::MIN : tt::RMWOp::UMIN);
  };
  if (scalar.isInteger())
    return emitAtomic(emitter, op(isMax, scalar.isSignedInteger()), pointer, value, mask, semantic, scope);
  if (!scalar.is(ScalarKind::FP32) && !scalar.is(ScalarKind::FP64))
    emitter.fail(Twine("tl.atomic_") + (isMax ? "max" : "min") + " does not go with elements of type " +
                 scalar.str());
  bool wide = scalar.is(ScalarKind::FP64);
  Type bits = wide ? ScalarKind::Int64 : ScalarKind::Int32,
       unsignedBits = wide ? ScalarKind::UInt64 : ScalarKind::UInt32;
  Tensor asSigned = bitcastTo(emitter, value, bits), asUnsigned = bitcastTo(emitter, value, unsignedBits);
  Tensor signedPointer = castTo(emitter, pointer, Type::pointer(bits));
  Tensor unsignedPointer = castTo(emitter, pointer, Type::pointer(unsignedBits));
  // The sign bit, not a comparison with zero, tells -0.0 from 0.0.
  Tensor negative = emitComparison(emitter, Comparison::Less, asSigned, Value(0));
  Tensor positive = emitComparison(emitter, Comparison::GreaterEqual, asSigned, Value(0));
  Tensor ifPositive = emitAtomic(emitter, op(isMax, true), signedPointer, asSigned,
                                 emitBinary(emitter, ast::Operator::BitAnd, mask, positive), semantic, scope);
  Tensor ifNegative = emitAtomic(emitter, op(!isMax, false), unsignedPointer, asUnsigned,
                                 emitBinary(emitter, ast::Operator::BitAnd, mask, negative), semantic, scope);
  Tensor result{emitter.create<mlir::arith::SelectOp>(positive.handle, ifPositive.handle, ifNegative.handle),
                asSigned.type};
  return bitcastTo(emitter, result, scalar);
}

void addAtomicBuiltins(LanguageTable &table) {
  enum class Kind { Add, Max, Min, And, Or, Xor, Exchange };
  for (auto [name, kind] : {std::pair<const char *, Kind>{"atomic_add", Kind::Add},
                            {"atomic_max", Kind::Max},
                            {"atomic_min", Kind::Min},
                            {"atomic_and", Kind::And},
                            {"atomic_or", Kind::Or},
                            {"atomic_xor", Kind::Xor},
                            {"atomic_xchg", Kind::Exchange}})
    table.add(("tl." + Twine(name)).str(), "pointer, val, mask=None, sem=None, scope=None",
              [name = name, kind = kind](Emitter &emitter, Arguments &arguments) -> Value {
                auto operands = operandsOf(emitter, name, arguments[0], arguments[1], arguments[2]);
                auto semantic = semanticOf(emitter, arguments[3]);
                auto scope = scopeOf(emitter, arguments[4]);
                const Type scalar = operands.value.type.getScalar();
                if (kind == Kind::Max || kind == Kind::Min)
                  return emitAtomicExtreme(emitter, kind == Kind::Max, operands, semantic, scope);
                tt::RMWOp op = kind == Kind::Add   ? (scalar.isFloat() ? tt::RMWOp::FADD : tt::RMWOp::ADD)
                               : kind == Kind::And ? tt::RMWOp::AND
                               : kind == Kind::Or  ? tt::RMWOp::OR
                               : kind == Kind::Xor ? tt::RMWOp::XOR
                                                   : tt::RMWOp::XCHG;
                bool bitwise = kind == Kind::And || kind == Kind::Or || kind == Kind::Xor;
                if (bitwise && !scalar.isInteger())
                  emitter.fail("tl." + Twine(name) + " takes integers, not " + scalar.str());
                return emitAtomic(emitter, op, operands.pointer, operands.value, operands.mask, semantic,
                                  scope);
              });
  table.add("tl.atomic_cas", "pointer, cmp, val, sem=None, scope=None",
            [](Emitter &emitter, Arguments &arguments) -> Value {
              auto operands = operandsOf(emitter, "atomic_cas", arguments[0], arguments[2], Value());
              Tensor expected = emitter.toTensor(arguments[1]);
              if (operands.pointer.type.isBlock())
                expected = broadcastTo(emitter, expected, operands.pointer.type.getShape());
              else if (expected.type.isBlock())
                emitter.fail("what tl.atomic_cas compares with must be a scalar, as the pointer is one");
              expected = castTo(emitter, expected, operands.value.type.getScalar());
              return Tensor{emitter.create<tt::AtomicCASOp>(
                                operands.value.handle.getType(), operands.pointer.handle, expected.handle,
                                operands.value.handle, semanticOf(emitter, arguments[3]),
                                scopeOf(emitter, arguments[4])),
                            operands.value.type};
            });
  table.addMethods({"atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor",
                    "atomic_xchg", "atomic_cas"});
}

} // namespace nereid::python
