// What an expression evaluates to: a number known while compiling, or a value of the IR.
//
// A number keeps its C type and is folded as C would compute it, so that `2 * TM` may be the size of a block;
// it becomes an arith.constant where an operation needs it. Blocks are always values of the IR.
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_EMISSION_VALUE_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_EMISSION_VALUE_H

#include "compiler/frontends/semantics/Tensor.h"

#include <cmath>
#include <variant>

namespace nereid::triton_c {

using namespace semantics;

struct Value {
  Value() = default;
  Value(const Tensor &tensor) : type(tensor.type), handle(tensor.handle) {}
  /// A number of a type that it fits.
  static Value integer(BigInt number, ScalarKind kind = ScalarKind::Int32) {
    Value value;
    value.type = kind;
    value.number = number;
    return value;
  }
  static Value floating(double number, ScalarKind kind) {
    Value value;
    value.type = kind;
    value.number = number;
    return value;
  }
  static Value boolean(bool number) { return integer(number, ScalarKind::Int1); }
  /// A variable without a value.
  static Value undefined(const Type &type) {
    Value value;
    value.type = type;
    return value;
  }

  bool isConstant() const { return number.index() != 0; }
  bool isInteger() const { return number.index() == 1; }
  bool isVoid() const { return type.isVoid(); }
  bool isUndefined() const { return !isVoid() && !isConstant() && !handle; }
  bool isBlock() const { return type.isBlock(); }
  BigInt getInteger() const { return std::get<BigInt>(number); }
  double getDouble() const {
    return isInteger() ? static_cast<double>(getInteger()) : std::get<double>(number);
  }
  bool isZero() const { return isInteger() ? getInteger() == 0 : getDouble() == 0; }

  /// The very same value, so that nothing has to choose between the two.
  bool isSame(const Value &other) const {
    if (isConstant() && number.index() == 2 && other.number.index() == 2)
      return type == other.type && getDouble() == other.getDouble() &&
             std::signbit(getDouble()) == std::signbit(other.getDouble());
    return number == other.number && handle == other.handle && type == other.type;
  }

  Type type;
  std::variant<std::monostate, BigInt, double> number;
  /// Null for a number.
  mlir::Value handle;
  /// A double only because its literal has no suffix.
  bool isPlainDouble = false;
};

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_EMISSION_VALUE_H
