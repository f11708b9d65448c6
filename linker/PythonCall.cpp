// A recursive descent that writes steps as it reads. The language is a part of Python, so that printing it is
// a matter of parentheses.
#include "linker/PythonCall.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace nereid {

namespace {

bool isNameStart(char c) { return isAlpha(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool isNameCharacter(char c) { return isNameStart(c) || isDigit(c); }

class PythonCallParser {
public:
  PythonCallParser(StringRef text, Diagnostics &diagnostics)
      : text(text), rest(text), diagnostics(diagnostics) {}

  std::optional<PythonCall> parse() {
    PythonCall call;
    do {
      skipSpace();
      if (rest.empty() && !call.items.empty())
        break; // A comma at the end.
      item = {};
      const char *begin = rest.data();
      if (!parseItem())
        return std::nullopt;
      item.written = StringRef(begin, rest.data() - begin).rtrim();
      call.items.push_back(std::move(item));
    } while (consume(","));
    skipSpace();
    if (!rest.empty())
      return fail("expected a comma, or the end"), std::nullopt;
    return call;
  }

private:
  bool fail(const Twine &message) {
    diagnostics.error(rest.empty() ? rangeOf(text) : rangeOf(rest.take_front(1)), message);
    return false;
  }

  void skipSpace() { rest = rest.ltrim(" \t\r\n"); }

  bool consume(StringRef token) {
    skipSpace();
    return rest.consume_front(token);
  }

  bool expect(StringRef token) { return consume(token) || fail("expected '" + token + "'"); }

  /// A name, or nothing; what follows it stays.
  StringRef peekName() {
    skipSpace();
    if (rest.empty() || !isNameStart(rest.front()))
      return {};
    return rest.take_while(isNameCharacter);
  }

  bool consumeWord(StringRef word) {
    if (peekName() != word)
      return false;
    rest = rest.drop_front(word.size());
    return true;
  }

  StringRef takeName() {
    StringRef name = peekName();
    rest = rest.drop_front(name.size());
    return name;
  }

  /// True behind a name if it is given a value, `N=`, which is no comparison.
  static bool isAssigned(StringRef after) {
    after = after.ltrim();
    return after.consume_front("=") && !after.starts_with("=");
  }

  void addStep(PythonStep::Kind kind, StringRef stepText = {}, int axis = 0) {
    item.steps.push_back({kind, stepText, axis});
  }

  bool parseItem() {
    StringRef name = peekName();
    if (!name.empty() && isAssigned(rest.drop_front(name.size()))) {
      item.target = takeName();
      consume("=");
      StringRef function = peekName();
      if (is_contained({"empty_like", "zeros_like", "empty", "zeros"}, function))
        return parseAllocation(takeName());
      item.kind = PythonCallItem::Kind::Compute;
      if (!parseExpression())
        return false;
      if (item.names.empty())
        item.kind = PythonCallItem::Kind::Default;
      return true;
    }
    if (name == "contiguous" && rest.drop_front(name.size()).ltrim().starts_with("(")) {
      takeName();
      item.kind = PythonCallItem::Kind::Contiguous;
      consume("(");
      do {
        StringRef tensor = takeName();
        if (tensor.empty())
          return fail("expected the name of a tensor");
        item.names.push_back({tensor, true});
      } while (consume(","));
      return expect(")");
    }
    item.kind = PythonCallItem::Kind::Check;
    hasComparison = false;
    if (!parseExpression())
      return false;
    return hasComparison ||
           fail("expected 'NAME = VALUE', 'contiguous(x)', or a comparison, which is checked");
  }

  /// `empty_like(x)`, `empty(M, N, like=x)`.
  bool parseAllocation(StringRef function) {
    item.kind = PythonCallItem::Kind::Allocate;
    item.function = function.take_front(5);
    if (!expect("("))
      return false;
    if (function.ends_with("_like")) {
      item.like = takeName();
      if (item.like.empty())
        return fail("expected the name of a tensor");
    } else {
      while (true) {
        StringRef name = peekName();
        if (name == "like" && isAssigned(rest.drop_front(name.size()))) {
          takeName();
          consume("=");
          item.like = takeName();
          break;
        }
        if (!parseExpression())
          return false;
        ++item.numSizes;
        if (!consume(","))
          return fail("expected another size, or 'like=' and the tensor whose device it is to have");
      }
      if (item.like.empty())
        return fail("expected the name of a tensor");
    }
    item.names.push_back({item.like, true});
    return expect(")");
  }

  bool parseExpression() {
    if (++depth > 200)
      return fail("this is nested too deeply");
    bool ok = parseOr();
    --depth;
    return ok;
  }

  bool parseOr() {
    if (!parseAnd())
      return false;
    while (consumeWord("or")) {
      addStep(PythonStep::Kind::Or);
      if (!parseAnd())
        return false;
      addStep(PythonStep::Kind::End);
    }
    return true;
  }

  bool parseAnd() {
    if (!parseNot())
      return false;
    while (consumeWord("and")) {
      addStep(PythonStep::Kind::And);
      if (!parseNot())
        return false;
      addStep(PythonStep::Kind::End);
    }
    return true;
  }

  bool parseNot() {
    unsigned count = 0;
    while (consumeWord("not"))
      ++count;
    if (!parseComparison())
      return false;
    while (count--)
      addStep(PythonStep::Kind::Not);
    return true;
  }

  StringRef consumeComparison() {
    for (StringRef candidate : {"==", "!=", "<=", ">=", "<", ">"})
      if (consume(candidate))
        return candidate;
    return {};
  }

  bool parseComparison() {
    if (!parseSum())
      return false;
    unsigned numChained = 0;
    for (StringRef op = consumeComparison(); !op.empty();) {
      hasComparison = true;
      if (!parseSum())
        return false;
      StringRef next = consumeComparison();
      numChained += !next.empty();
      addStep(next.empty() ? PythonStep::Kind::Binary : PythonStep::Kind::Chain, op);
      op = next;
    }
    while (numChained--)
      addStep(PythonStep::Kind::End);
    return true;
  }

  bool parseSum() {
    if (!parseProduct())
      return false;
    while (true) {
      skipSpace();
      if (!rest.starts_with("+") && !rest.starts_with("-"))
        return true;
      StringRef op = rest.take_front(1);
      rest = rest.drop_front();
      if (!parseProduct())
        return false;
      addStep(PythonStep::Kind::Binary, op);
    }
  }

  bool parseProduct() {
    if (!parseUnary())
      return false;
    while (true) {
      skipSpace();
      StringRef op = rest.starts_with("//") ? "//" : rest.take_front(1);
      if (rest.starts_with("**"))
        return fail("there is no operator '**'");
      if (op != "//" && op != "*" && op != "/" && op != "%")
        return true;
      rest = rest.drop_front(op.size());
      if (!parseUnary())
        return false;
      addStep(PythonStep::Kind::Binary, op);
    }
  }

  bool parseUnary() {
    unsigned count = 0;
    while (consume("-"))
      ++count;
    if (!parsePrimary())
      return false;
    while (count--)
      addStep(PythonStep::Kind::Negate);
    return true;
  }

  bool parseNumber() {
    StringRef number = rest;
    while (!rest.empty() && (isAlnum(rest.front()) || rest.front() == '.' ||
                             ((rest.front() == '-' || rest.front() == '+') &&
                              toLower(number[rest.data() - number.data() - 1]) == 'e')))
      rest = rest.drop_front();
    number = number.drop_back(rest.size());
    double value;
    uint64_t integer;
    if ((number.contains_insensitive("x") || number.size() > 60 || number.getAsDouble(value)) &&
        number.getAsInteger(10, integer)) {
      diagnostics.error(rangeOf(number), "expected a number");
      return false;
    }
    bool isInteger = !number.getAsInteger(10, integer);
    addStep(isInteger ? PythonStep::Kind::Integer : PythonStep::Kind::Real, number);
    return true;
  }

  bool parsePrimary() {
    skipSpace();
    if (rest.empty())
      return fail("expected an expression");
    if (consume("("))
      return parseExpression() && expect(")");
    if (isDigit(rest.front()) || rest.front() == '.')
      return parseNumber();
    StringRef name = takeName();
    if (name.empty())
      return fail("expected a name, a number or '('");
    if (is_contained({"True", "False", "None"}, name)) {
      addStep(name == "True"    ? PythonStep::Kind::True
              : name == "False" ? PythonStep::Kind::False
                                : PythonStep::Kind::None);
      return true;
    }
    skipSpace();
    if (rest.starts_with("("))
      return parseFunction(name);
    if (rest.starts_with("."))
      return parseQuestion(name);
    item.names.push_back({name, false});
    addStep(PythonStep::Kind::Argument, name);
    return true;
  }

  /// `cdiv(a, b)`
  bool parseFunction(StringRef name) {
    if (!is_contained({"cdiv", "min", "max", "next_power_of_2"}, name)) {
      diagnostics.error(rangeOf(name), "there is no function '" + name +
                                           "' here: expected cdiv, min, max or next_power_of_2");
      return false;
    }
    consume("(");
    unsigned count = 0;
    do {
      if (!parseExpression())
        return false;
      if (++count > 1)
        addStep(PythonStep::Kind::Binary, name);
    } while (consume(","));
    if (name == "next_power_of_2")
      addStep(PythonStep::Kind::NextPowerOf2);
    if (name == "cdiv" ? count != 2 : name == "next_power_of_2" ? count != 1 : count < 2) {
      diagnostics.error(rangeOf(name), "'" + name + "' does not take " + Twine(count) +
                                           (count == 1 ? " argument" : " arguments"));
      return false;
    }
    return expect(")");
  }

  /// `x.shape[0]`
  bool parseQuestion(StringRef tensor) {
    consume(".");
    item.names.push_back({tensor, true});
    StringRef what = takeName();
    if (what == "ndim") {
      addStep(PythonStep::Kind::Dimensions, tensor);
      return true;
    }
    if (what == "numel") {
      addStep(PythonStep::Kind::Elements, tensor);
      return expect("(") && expect(")");
    }
    bool isShape = what == "shape";
    if (!isShape && what != "stride" && what != "size") {
      diagnostics.error(what.empty() ? rangeOf(tensor) : rangeOf(what),
                        "of a tensor there are shape[i], size(i), stride(i), ndim and numel()");
      return false;
    }
    if (!expect(isShape ? "[" : "("))
      return false;
    bool isNegative = consume("-");
    skipSpace();
    StringRef digits = rest.take_while(isDigit);
    unsigned index;
    if (digits.getAsInteger(10, index) || index > 64)
      return fail("expected the number of an axis");
    rest = rest.drop_front(digits.size());
    addStep(what == "stride" ? PythonStep::Kind::Stride : PythonStep::Kind::Size, tensor,
            isNegative ? -int(index) : int(index));
    return expect(isShape ? "]" : ")");
  }

  StringRef text, rest;
  Diagnostics &diagnostics;
  PythonCallItem item;
  bool hasComparison = false;
  unsigned depth = 0;
};

} // namespace

std::optional<PythonCall> PythonCall::parse(StringRef text, Diagnostics &diagnostics) {
  return PythonCallParser(text, diagnostics).parse();
}

bool PythonCall::check(function_ref<Subject(StringRef)> find, Diagnostics &diagnostics) const {
  StringSet<> pending;
  for (const PythonCallItem &item : items)
    if (item.kind != PythonCallItem::Kind::Default && !item.target.empty())
      pending.insert(item.target);
  StringSet<> given;
  auto fail = [&](StringRef name, const Twine &message) {
    diagnostics.error(rangeOf(name), message);
    return false;
  };
  auto checkName = [&](StringRef name) {
    switch (find(name)) {
    case Subject::Missing:
      return fail(name, "'" + name + "' is not a parameter of the kernel");
    case Subject::CompileTime:
      return fail(name, "'" + name +
                            "' is a compile-time value, which calls do not pass (DISPATCH makes it an "
                            "argument)");
    default:
      return true;
    }
  };
  for (const PythonCallItem &item : items) {
    for (auto [name, isTensor] : item.names) {
      if (!checkName(name))
        return false;
      if (find(name) != Subject::Unknown && (find(name) == Subject::Pointer) != isTensor)
        return fail(name, isTensor ? "'" + name + "' is a number, not a tensor"
                                   : "'" + name + "' is a tensor: expected " + name +
                                         ".shape[i], stride(i), ndim or numel()");
      if (pending.contains(name))
        return fail(name, "'" + name + "' is used before it is given a value");
    }
    if (item.target.empty())
      continue;
    if (!checkName(item.target))
      return false;
    if (!given.insert(item.target).second)
      return fail(item.target, "'" + item.target + "' is given a value twice");
    if (find(item.target) == Subject::Unknown) {
      pending.erase(item.target);
      continue;
    }
    bool isTensor = find(item.target) == Subject::Pointer;
    bool isNone = item.steps.size() == 1 && item.steps.front().kind == PythonStep::Kind::None;
    if (isTensor && item.kind != PythonCallItem::Kind::Allocate && !isNone)
      return fail(item.target, "'" + item.target +
                                   "' is a tensor, which 'empty_like(x)', 'zeros_like(x)', "
                                   "'empty(…, like=x)' or 'zeros(…, like=x)' makes");
    if (!isTensor && item.kind == PythonCallItem::Kind::Allocate)
      return fail(item.target, "'" + item.target + "' is a number, not a tensor");
    pending.erase(item.target);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {

class PythonPrinter {
public:
  explicit PythonPrinter(function_ref<std::string(StringRef)> nameOf) : nameOf(nameOf) {}

  std::vector<std::string> print(ArrayRef<PythonStep> steps) {
    for (const PythonStep &step : steps)
      add(step);
    std::vector<std::string> texts;
    for (Value &value : values)
      texts.push_back(std::move(value.text));
    return texts;
  }

private:
  /// How tightly Python's operators bind.
  enum Binding { OfOr = 1, OfAnd, OfNot, OfComparison, OfSum, OfProduct, OfSign, OfPrimary };
  struct Value {
    std::string text;
    Binding binding;
  };

  Value take() {
    Value value = std::move(values.back());
    values.pop_back();
    return value;
  }

  static std::string bracket(Value value, int least) {
    return value.binding < least ? "(" + value.text + ")" : std::move(value.text);
  }

  void push(std::string text, Binding binding = OfPrimary) { values.push_back({std::move(text), binding}); }

  static Binding bindingOf(StringRef op) {
    return op == "+" || op == "-"                              ? OfSum
           : op == "*" || op == "/" || op == "//" || op == "%" ? OfProduct
                                                               : OfComparison;
  }

  void addBinary(StringRef op) {
    Value right = take(), left = take();
    if (isAlpha(op.front())) {
      // min and max of several are nested.
      push("_" + op.str() + "(" + left.text + ", " + right.text + ")");
      return;
    }
    Binding binding = bindingOf(op);
    // A comparison of a comparison would be a chain.
    push(bracket(std::move(left), binding + (binding == OfComparison)) + " " + op.str() + " " +
             bracket(std::move(right), binding + 1),
         binding);
  }

  void add(const PythonStep &step) {
    uint64_t integer;
    switch (step.kind) {
    case PythonStep::Kind::Integer: // Python takes no leading zeros.
      return push(step.text.getAsInteger(10, integer) ? step.text.str() : utostr(integer));
    case PythonStep::Kind::Real:
      return push(step.text.str());
    case PythonStep::Kind::True:
      return push("True");
    case PythonStep::Kind::False:
      return push("False");
    case PythonStep::Kind::None:
      return push("None");
    case PythonStep::Kind::Argument:
      return push(nameOf(step.text));
    case PythonStep::Kind::Size:
      return push("{size:" + nameOf(step.text) + ":" + itostr(step.axis) + "}");
    case PythonStep::Kind::Stride:
      return push("{stride:" + nameOf(step.text) + ":" + itostr(step.axis) + "}");
    case PythonStep::Kind::Dimensions:
      return push("{ndim:" + nameOf(step.text) + "}");
    case PythonStep::Kind::Elements:
      return push("{numel:" + nameOf(step.text) + "}");
    case PythonStep::Kind::Negate:
      return push("-" + bracket(take(), OfSign), OfSign);
    case PythonStep::Kind::Not:
      return push("not " + bracket(take(), OfNot), OfNot);
    case PythonStep::Kind::NextPowerOf2:
      return push("_next_power_of_2(" + take().text + ")");
    case PythonStep::Kind::Binary:
      return addBinary(step.text);
    case PythonStep::Kind::Or:
      return open({bracket(take(), OfOr) + " or ", OfOr});
    case PythonStep::Kind::And:
      return open({bracket(take(), OfAnd) + " and ", OfAnd});
    case PythonStep::Kind::Chain:
      // The next comparison goes on behind this one.
      addBinary(step.text);
      values.back().binding = OfPrimary;
      return open({"", OfComparison});
    case PythonStep::Kind::End: {
      Value left = std::move(opened.back());
      opened.pop_back();
      if (left.binding != OfComparison)
        push(left.text + bracket(take(), left.binding + 1), left.binding);
      return;
    }
    }
  }

  void open(Value left) { opened.push_back(std::move(left)); }

  function_ref<std::string(StringRef)> nameOf;
  std::vector<Value> values, opened;
};

} // namespace

std::vector<std::string> printInPython(ArrayRef<PythonStep> steps,
                                       function_ref<std::string(StringRef)> nameOf) {
  return PythonPrinter(nameOf).print(steps);
}

} // namespace nereid
