// Integers are 128 bits wide and every operation that could leave them is checked; see BigInt.
#include "compiler/frontends/python/evaluation/ConstantFolding.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;

namespace nereid::python {

using ast::CmpOp;
using ast::Operator;

static BigInt floorDivide(BigInt a, BigInt b) {
  BigInt quotient = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? quotient - 1 : quotient;
}

static double floorModulo(double a, double b) {
  double remainder = std::fmod(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

[[noreturn]] static void failOverflow(Context &context) {
  context.fail("this compile-time integer does not fit in 128 bits");
}

static Value power(Context &context, const Value &left, const Value &right) {
  if (left.isFloat() || right.isFloat() || right.asInt() < 0) {
    if (left.asDouble() == 0 && right.asDouble() < 0)
      context.fail("0 cannot be raised to a negative power");
    return std::pow(left.asDouble(), right.asDouble());
  }
  BigInt result = 1, base = left.asInt(), exponent = right.asInt();
  if (exponent > 127 && base != 0 && base != 1 && base != -1)
    failOverflow(context);
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
      failOverflow(context);
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base))
      failOverflow(context);
  }
  return result;
}

static Value foldFloats(Context &context, Operator op, double a, double b) {
  switch (op) {
  case Operator::Add:
    return a + b;
  case Operator::Sub:
    return a - b;
  case Operator::Mult:
    return a * b;
  default:
    break;
  }
  if (b == 0)
    context.fail("division by zero");
  switch (op) {
  case Operator::Div:
    return a / b;
  case Operator::FloorDiv:
    return std::floor(a / b);
  default:
    return floorModulo(a, b);
  }
}

static Value foldIntegers(Context &context, Operator op, BigInt a, BigInt b) {
  BigInt result = 0;
  switch (op) {
  case Operator::Add:
    if (__builtin_add_overflow(a, b, &result))
      failOverflow(context);
    return result;
  case Operator::Sub:
    if (__builtin_sub_overflow(a, b, &result))
      failOverflow(context);
    return result;
  case Operator::Mult:
    if (__builtin_mul_overflow(a, b, &result))
      failOverflow(context);
    return result;
  case Operator::Div:
  case Operator::FloorDiv:
  case Operator::Mod:
    if (b == 0)
      context.fail("division by zero");
    if (op == Operator::Div)
      return static_cast<double>(a) / static_cast<double>(b);
    if (b == -1) // the only quotient that can leave 128 bits
      return op == Operator::FloorDiv ? foldIntegers(context, Operator::Sub, 0, a) : Value(0);
    return op == Operator::FloorDiv ? floorDivide(a, b) : a - floorDivide(a, b) * b;
  case Operator::LShift:
  case Operator::RShift:
    if (b < 0)
      context.fail("negative shift count");
    if (op == Operator::RShift)
      return b > 127 ? BigInt(a < 0 ? -1 : 0) : a >> static_cast<int>(b);
    if (a != 0 && (b > 126 || (a << static_cast<int>(b)) >> static_cast<int>(b) != a))
      failOverflow(context);
    return a == 0 ? BigInt(0) : a << static_cast<int>(b);
  case Operator::BitAnd:
    return a & b;
  case Operator::BitOr:
    return a | b;
  case Operator::BitXor:
    return a ^ b;
  default:
    break;
  }
  context.fail("operator " + ast::getSpelling(op) + " is not supported between compile-time integers");
}

[[noreturn]] static void failOperands(Context &context, StringRef op, const Value &left, const Value &right) {
  for (const Value *value : {&left, &right})
    if (auto *opaque = value->object<const Opaque>())
      context.failUnknown(*opaque);
  context.fail("operator " + op + " does not go with " + left.describe() + " and " + right.describe());
}

/// `"%s: %5.2f" % (name, x)`.
static Value formatOldStyle(Context &context, StringRef format, const Value &values) {
  std::vector<Value> arguments = values.isTuple() ? values.asTuple().elements : std::vector<Value>{values};
  std::string text;
  size_t next = 0;
  while (!format.empty()) {
    text += format.take_until([](char c) { return c == '%'; });
    format = format.drop_until([](char c) { return c == '%'; });
    if (!format.consume_front("%"))
      break;
    if (format.consume_front("%")) {
      text += '%';
      continue;
    }
    StringRef specification =
        format.take_while([](char c) { return isDigit(c) || StringRef("-+ #.").contains(c); });
    format = format.drop_front(specification.size());
    char kind = format.empty() ? ' ' : format.front();
    if (next >= arguments.size() || !StringRef("sriduxXofFeEgG").contains(kind))
      context.fail("this format string does not fit its values");
    format = format.drop_front();
    const Value &value = arguments[next++];
    // What `-` says here, `<` says in a format specification; text is put on the right, too.
    std::string translated = specification.consume_front("-") ? "<"
                             : specification.starts_with("0") ? ""
                                                              : ">";
    translated += specification.str();
    std::string shown =
        kind == 's' || kind == 'r'
            ? formatValue(context, kind == 'r' ? value.repr() : value.str(), translated)
            : formatValue(context, value, translated + (kind == 'i' || kind == 'u' ? 'd' : kind));
    spendBytes(shown.size());
    text += shown;
  }
  return text;
}

static std::optional<Value> foldSets(Operator op, const std::vector<Value> &left,
                                     const std::vector<Value> &right) {
  if (op != Operator::BitOr && op != Operator::BitAnd && op != Operator::Sub && op != Operator::BitXor)
    return std::nullopt;
  auto isIn = [](const Value &element, const std::vector<Value> &set) {
    spendSteps(set.size() / 16);
    return any_of(set, [&](const Value &other) { return equalValues(element, other); });
  };
  std::vector<Value> result;
  for (const Value &element : left)
    if (op == Operator::BitOr || isIn(element, right) == (op == Operator::BitAnd))
      result.push_back(element);
  if (op == Operator::BitOr || op == Operator::BitXor)
    for (const Value &element : right)
      if (!isIn(element, left))
        result.push_back(element);
  return Value::set(std::move(result));
}

Value foldBinary(Context &context, Operator op, const Value &left, const Value &right) {
  if (left.isNumber() && right.isNumber()) {
    if (op == Operator::Pow)
      return power(context, left, right);
    bool bitwise = op == Operator::BitAnd || op == Operator::BitOr || op == Operator::BitXor ||
                   op == Operator::LShift || op == Operator::RShift || op == Operator::MatMult;
    if (left.isFloat() || right.isFloat()) {
      if (bitwise)
        failOperands(context, ast::getSpelling(op), left, right);
      return foldFloats(context, op, left.asDouble(), right.asDouble());
    }
    Value result = foldIntegers(context, op, left.asInt(), right.asInt());
    bool keepsBool = op == Operator::BitAnd || op == Operator::BitOr || op == Operator::BitXor;
    return left.isBool() && right.isBool() && keepsBool ? Value(result.asInt() != 0) : result;
  }
  if (left.isStr() && right.isStr() && op == Operator::Add)
    return left.asStr() + right.asStr();
  if (left.isTuple() && right.isTuple() && op == Operator::Add && !left.asTuple().isSet) {
    const auto &more = right.asTuple().elements;
    spendSteps(left.asTuple().elements.size() + more.size());
    std::vector<Value> elements = left.asTuple().elements;
    elements.insert(elements.end(), more.begin(), more.end());
    return left.asTuple().isList ? Value::list(std::move(elements)) : Value::tuple(std::move(elements));
  }
  if (left.isTuple() && right.isTuple() && left.asTuple().isSet && right.asTuple().isSet)
    if (auto result = foldSets(op, left.asTuple().elements, right.asTuple().elements))
      return *result;
  if (left.object<DictObject>() && right.object<DictObject>() && op == Operator::BitOr) {
    spendSteps(left.object<DictObject>()->entries.size() * 2 * stepsOfElement);
    auto merged = std::make_shared<DictObject>(*left.object<DictObject>());
    for (auto &[key, value] : right.object<DictObject>()->entries)
      merged->set(key, value);
    return merged;
  }
  if (op == Operator::Mult && (left.isIntLike() != right.isIntLike())) {
    const Value &sequence = left.isIntLike() ? right : left;
    BigInt count = left.isIntLike() ? left.asInt() : right.asInt();
    // Before anything is filled: the product of the two may be of any size.
    uint64_t times = static_cast<uint64_t>(std::clamp<BigInt>(count, 0, UINT64_MAX));
    if (sequence.isStr())
      spendBytes(SaturatingMultiply<uint64_t>(sequence.asStr().size(), times));
    if (sequence.isTuple())
      spendSteps(SaturatingMultiply<uint64_t>(sequence.asTuple().elements.size(), times));
    if (sequence.isStr() && sequence.asStr().empty())
      return "";
    if (sequence.isTuple() && sequence.asTuple().elements.empty())
      count = 0;
    if (sequence.isStr()) {
      std::string text;
      for (BigInt i = 0; i < count; ++i)
        text += sequence.asStr();
      return text;
    }
    if (sequence.isTuple()) {
      std::vector<Value> elements;
      for (BigInt i = 0; i < count; ++i)
        elements.insert(elements.end(), sequence.asTuple().elements.begin(),
                        sequence.asTuple().elements.end());
      return sequence.asTuple().isList ? Value::list(std::move(elements)) : Value::tuple(std::move(elements));
    }
  }
  if (left.isStr() && op == Operator::Mod)
    return formatOldStyle(context, left.asStr(), right);
  failOperands(context, ast::getSpelling(op), left, right);
}

Value foldUnary(Context &context, ast::UnaryOperator op, const Value &operand) {
  if (auto *opaque = operand.object<const Opaque>())
    context.failUnknown(*opaque);
  if (op == ast::UnaryOperator::Not)
    return !operand.isTruthy();
  if (operand.isFloat() && op != ast::UnaryOperator::Invert)
    return op == ast::UnaryOperator::USub ? -operand.asDouble() : operand.asDouble();
  if (operand.isIntLike()) {
    switch (op) {
    case ast::UnaryOperator::USub:
      return foldIntegers(context, Operator::Sub, 0, operand.asInt());
    case ast::UnaryOperator::Invert:
      return ~operand.asInt();
    default:
      return operand.asInt();
    }
  }
  context.fail("unary " + ast::getSpelling(op) + " does not go with " + operand.describe());
}

int orderValues(Context &context, const Value &left, const Value &right) {
  if (left.isNumber() && right.isNumber()) {
    if (left.isFloat() || right.isFloat()) {
      double a = left.asDouble(), b = right.asDouble();
      return a < b ? -1 : a > b ? 1 : 0;
    }
    return left.asInt() < right.asInt() ? -1 : left.asInt() > right.asInt() ? 1 : 0;
  }
  spendSteps(1);
  if (left.isStr() && right.isStr()) {
    spendSteps(std::min(left.asStr().size(), right.asStr().size()) / 1024);
    return left.asStr().compare(right.asStr());
  }
  if (left.isTuple() && right.isTuple()) {
    NestingGuard guard;
    const auto &a = left.asTuple().elements, &b = right.asTuple().elements;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      if (int order = equalValues(a[i], b[i]) ? 0 : orderValues(context, a[i], b[i]))
        return order;
    return a.size() < b.size() ? -1 : a.size() > b.size();
  }
  failOperands(context, "<", left, right);
}

static bool contains(Context &context, const Value &container, const Value &value) {
  if (container.isStr() && value.isStr()) {
    size_t size = container.asStr().size(), sought = value.asStr().size();
    spendSteps(size / 1024 + size / 64 * sought / 64);
    return StringRef(container.asStr()).contains(value.asStr());
  }
  for (const Value &element : iterate(context, container))
    if (equalValues(element, value))
      return true;
  return false;
}

Value foldComparison(Context &context, CmpOp op, const Value &left, const Value &right) {
  switch (op) {
  case CmpOp::Is:
    return identicalValues(left, right);
  case CmpOp::IsNot:
    return !identicalValues(left, right);
  case CmpOp::In:
    return contains(context, right, left);
  case CmpOp::NotIn:
    return !contains(context, right, left);
  default:
    break;
  }
  for (const Value *value : {&left, &right})
    if (value->object<const Opaque>())
      failOperands(context, ast::getSpelling(op), left, right);
  if (op == CmpOp::Eq || op == CmpOp::NotEq)
    return equalValues(left, right) == (op == CmpOp::Eq);
  bool unordered =
      left.isNumber() && right.isNumber() && (std::isnan(left.asDouble()) || std::isnan(right.asDouble()));
  if (unordered)
    return false;
  bool comparable = (left.isNumber() && right.isNumber()) || (left.isStr() && right.isStr()) ||
                    (left.isTuple() && right.isTuple());
  if (!comparable)
    failOperands(context, ast::getSpelling(op), left, right);
  int order = orderValues(context, left, right);
  switch (op) {
  case CmpOp::Lt:
    return order < 0;
  case CmpOp::LtE:
    return order <= 0;
  case CmpOp::Gt:
    return order > 0;
  default:
    return order >= 0;
  }
}

BigInt wholeNumber(Context &context, const Value &value, StringRef what) {
  if (value.isIntLike())
    return value.asInt();
  if (value.isTensor())
    context.fail(what + " must be known at compile time (a tl.constexpr), but is a " + value.describe());
  context.fail(what + " must be an integer, not " + value.describe());
}

Value foldSubscript(Context &context, const Value &container, const Value &index) {
  if (auto *dict = container.object<DictObject>()) {
    if (const Value *value = dict->find(index))
      return *value;
    context.fail("key " + index.repr() + " is not in this dict");
  }
  if (!container.isTuple() && !container.isStr()) {
    if (auto *opaque = container.object<const Opaque>())
      context.failUnknown(*opaque);
    context.fail(container.describe() + " cannot be indexed");
  }
  int64_t size = static_cast<int64_t>(container.isTuple() ? container.asTuple().elements.size()
                                                          : container.asStr().size());
  if (auto *slice = index.object<SliceObject>()) {
    int64_t step =
        slice->step.isNone() ? 1 : static_cast<int64_t>(wholeNumber(context, slice->step, "a slice's step"));
    if (step == 0)
      context.fail("a slice's step cannot be zero");
    auto bound = [&](const Value &value, int64_t absent) {
      if (value.isNone())
        return absent;
      int64_t position = static_cast<int64_t>(wholeNumber(context, value, "a slice's bound"));
      if (position < 0)
        position += size;
      return std::clamp<int64_t>(position, step > 0 ? 0 : -1, step > 0 ? size : size - 1);
    };
    int64_t start = bound(slice->start, step > 0 ? 0 : size - 1),
            stop = bound(slice->stop, step > 0 ? size : -1);
    std::vector<Value> elements;
    std::string text;
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
      if (container.isStr())
        text += container.asStr()[i];
      else
        elements.push_back(container.asTuple().elements[i]);
    }
    if (container.isStr())
      return text;
    return container.asTuple().isList ? Value::list(std::move(elements)) : Value::tuple(std::move(elements));
  }
  BigInt position = wholeNumber(context, index, "an index of a " + container.describe());
  BigInt wrapped = position < 0 ? position + size : position;
  if (wrapped < 0 || wrapped >= size)
    context.fail("index " + bigToString(position) + " is out of range for a " + container.describe() +
                 " of " + Twine(size));
  if (container.isStr())
    return std::string(1, container.asStr()[static_cast<size_t>(wrapped)]);
  return container.asTuple().elements[static_cast<size_t>(wrapped)];
}

std::vector<Value> iterate(Context &context, const Value &iterable) {
  if (iterable.isTuple()) {
    spendSteps(iterable.asTuple().elements.size());
    return iterable.asTuple().elements;
  }
  std::vector<Value> elements;
  auto add = [&](Value element) {
    spendSteps(stepsOfElement);
    elements.push_back(std::move(element));
  };
  if (auto *dict = iterable.object<DictObject>()) {
    for (auto &entry : dict->entries)
      add(entry.first);
    return elements;
  }
  if (iterable.isStr()) {
    for (char c : iterable.asStr())
      add(std::string(1, c));
    return elements;
  }
  if (auto *range = iterable.object<RangeObject>()) {
    BigInt start = wholeNumber(context, range->bounds[0], "a range's start");
    BigInt end = wholeNumber(context, range->bounds[1], "a range's end");
    BigInt step = wholeNumber(context, range->bounds[2], "a range's step");
    if (step == 0)
      context.fail("a range's step cannot be zero");
    for (BigInt i = start; step > 0 ? i < end : i > end;) {
      add(i);
      if (__builtin_add_overflow(i, step, &i))
        break;
    }
    return elements;
  }
  if (auto *opaque = iterable.object<const Opaque>())
    context.failUnknown(*opaque);
  context.fail("cannot go through the elements of a " + iterable.describe());
}

std::string formatValue(Context &context, const Value &value, StringRef specification) {
  if (specification.empty())
    return value.str();
  // [fill][align][sign][#][0][width][,][.precision][type]
  char fill = ' ', align = 0, sign = '-', type = 0;
  bool alternate = false;
  StringRef rest = specification;
  auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  if (rest.size() > 1 && isAlign(rest[1])) {
    fill = rest[0];
    align = rest[1];
    rest = rest.drop_front(2);
  } else if (!rest.empty() && isAlign(rest[0])) {
    align = rest[0];
    rest = rest.drop_front();
  }
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-' || rest[0] == ' ')) {
    sign = rest[0];
    rest = rest.drop_front();
  }
  alternate = rest.consume_front("#");
  if (rest.consume_front("0") && !align) {
    fill = '0';
    align = '=';
  }
  unsigned width = 0, precision = 6;
  rest.consumeInteger(10, width);
  rest.consume_front(",");
  bool hasPrecision = rest.consume_front(".") && !rest.consumeInteger(10, precision);
  if (!rest.empty()) {
    type = rest[0];
    rest = rest.drop_front();
  }
  if (!rest.empty() || width > 1000 || precision > 100)
    context.fail("the format specification '" + specification + "' is not supported");
  std::string text;
  raw_string_ostream os(text);
  bool negative = false;
  if (value.isNumber() && std::string("fFeEgG%").find(type ? type : '?') != std::string::npos) {
    std::string pattern = "%." + std::to_string(precision) + (type == '%' ? 'f' : type);
    double number = value.asDouble() * (type == '%' ? 100 : 1);
    negative = std::signbit(number);
    char buffer[512];
    int length = snprintf(buffer, sizeof(buffer), pattern.c_str(), std::fabs(number));
    os << StringRef(buffer, std::min<size_t>(length < 0 ? 0 : length, sizeof(buffer) - 1))
       << (type == '%' ? "%" : "");
  } else if (value.isIntLike() && std::string("xXobd").find(type ? type : '?') != std::string::npos) {
    negative = value.asInt() < 0;
    APInt bits(128, {static_cast<uint64_t>(negative ? -value.asInt() : value.asInt()),
                     static_cast<uint64_t>((negative ? -value.asInt() : value.asInt()) >> 64)});
    unsigned radix = type == 'o' ? 8 : type == 'b' ? 2 : type == 'd' ? 10 : 16;
    SmallString<64> digits;
    bits.toString(digits, radix, /*Signed=*/false);
    os << (alternate ? (radix == 16  ? "0x"
                        : radix == 8 ? "0o"
                        : radix == 2 ? "0b"
                                     : "")
                     : "")
       << (type == 'x' ? digits.str().lower() : std::string(digits.str()));
  } else {
    os << value.str();
    if (hasPrecision && value.isStr())
      text = text.substr(0, precision);
  }
  std::string prefix = negative ? "-" : sign != '-' && value.isNumber() && type ? std::string(1, sign) : "";
  size_t missing = width > text.size() + prefix.size() ? width - text.size() - prefix.size() : 0;
  if (!align)
    align = value.isNumber() ? '>' : '<';
  size_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
  if (align == '=')
    return prefix + std::string(missing, fill) + text;
  return std::string(before, fill) + prefix + text + std::string(missing - before, fill);
}

} // namespace nereid::python
