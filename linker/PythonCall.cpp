// A recursive descent that writes Python as it reads it: the language is a part of Python, so that all there
// is to do is to refuse the rest of that, and to mark what is asked of tensors.
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

  bool parseItem() {
    StringRef name = peekName();
    if (!name.empty() && isAssigned(rest.drop_front(name.size()))) {
      item.target = takeName();
      consume("=");
      StringRef function = peekName();
      if (is_contained({"empty_like", "zeros_like", "empty", "zeros"}, function))
        return parseAllocation(takeName());
      item.kind = PythonCallItem::Kind::Compute;
      if (!parseExpression(item.text))
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
    if (!parseExpression(item.text))
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
      item.text = "(";
      while (true) {
        StringRef name = peekName();
        if (name == "like" && isAssigned(rest.drop_front(name.size()))) {
          takeName();
          consume("=");
          item.like = takeName();
          break;
        }
        if (!parseExpression(item.text))
          return false;
        item.text += ", ";
        if (!consume(","))
          return fail("expected another size, or 'like=' and the tensor whose device it is to have");
      }
      if (item.like.empty())
        return fail("expected the name of a tensor");
      item.text += ")";
    }
    item.names.push_back({item.like, true});
    return expect(")");
  }

  bool parseExpression(std::string &out) {
    if (++depth > 200)
      return fail("this is nested too deeply");
    bool ok = parseOr(out);
    --depth;
    return ok;
  }

  bool parseOr(std::string &out) {
    if (!parseAnd(out))
      return false;
    while (consumeWord("or")) {
      out += " or ";
      if (!parseAnd(out))
        return false;
    }
    return true;
  }

  bool parseAnd(std::string &out) {
    if (!parseNot(out))
      return false;
    while (consumeWord("and")) {
      out += " and ";
      if (!parseNot(out))
        return false;
    }
    return true;
  }

  bool parseNot(std::string &out) {
    while (consumeWord("not"))
      out += "not ";
    return parseComparison(out);
  }

  bool parseComparison(std::string &out) {
    if (!parseSum(out))
      return false;
    while (true) {
      skipSpace();
      StringRef op;
      for (StringRef candidate : {"==", "!=", "<=", ">=", "<", ">"})
        if (op.empty() && rest.starts_with(candidate))
          op = candidate;
      if (op.empty())
        return true;
      consume(op);
      hasComparison = true;
      out += (" " + op + " ").str();
      if (!parseSum(out))
        return false;
    }
  }

  bool parseSum(std::string &out) {
    if (!parseProduct(out))
      return false;
    while (true) {
      skipSpace();
      if (!rest.starts_with("+") && !rest.starts_with("-"))
        return true;
      out += (" " + rest.take_front(1) + " ").str();
      rest = rest.drop_front();
      if (!parseProduct(out))
        return false;
    }
  }

  bool parseProduct(std::string &out) {
    if (!parseUnary(out))
      return false;
    while (true) {
      skipSpace();
      StringRef op = rest.starts_with("//") ? "//" : rest.take_front(1);
      if (rest.starts_with("**"))
        return fail("there is no operator '**'");
      if (op != "//" && op != "*" && op != "/" && op != "%")
        return true;
      rest = rest.drop_front(op.size());
      out += (" " + op + " ").str();
      if (!parseUnary(out))
        return false;
    }
  }

  bool parseUnary(std::string &out) {
    while (consume("-"))
      out += "-";
    return parsePrimary(out);
  }

  bool parseNumber(std::string &out) {
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
    // Python takes no leading zeros.
    out += number.getAsInteger(10, integer) ? number.str() : utostr(integer);
    return true;
  }

  bool parsePrimary(std::string &out) {
    skipSpace();
    if (rest.empty())
      return fail("expected an expression");
    if (consume("(")) {
      out += "(";
      if (!parseExpression(out) || !expect(")"))
        return false;
      out += ")";
      return true;
    }
    if (isDigit(rest.front()) || rest.front() == '.')
      return parseNumber(out);
    StringRef name = takeName();
    if (name.empty())
      return fail("expected a name, a number or '('");
    if (is_contained({"True", "False", "None"}, name)) {
      out += name;
      return true;
    }
    skipSpace();
    if (rest.starts_with("("))
      return parseFunction(name, out);
    if (rest.starts_with("."))
      return parseQuestion(name, out);
    item.names.push_back({name, false});
    out += name;
    return true;
  }

  /// `cdiv(a, b)`
  bool parseFunction(StringRef name, std::string &out) {
    if (!is_contained({"cdiv", "min", "max", "next_power_of_2"}, name)) {
      diagnostics.error(rangeOf(name), "there is no function '" + name +
                                           "' here: expected cdiv, min, max or next_power_of_2");
      return false;
    }
    consume("(");
    out += "_" + name.str() + "(";
    unsigned count = 0;
    do {
      if (count++)
        out += ", ";
      if (!parseExpression(out))
        return false;
    } while (consume(","));
    if (name == "cdiv" ? count != 2 : name == "next_power_of_2" ? count != 1 : count < 2) {
      diagnostics.error(rangeOf(name), "'" + name + "' does not take " + Twine(count) +
                                           (count == 1 ? " argument" : " arguments"));
      return false;
    }
    out += ")";
    return expect(")");
  }

  /// `x.shape[0]`
  bool parseQuestion(StringRef tensor, std::string &out) {
    consume(".");
    item.names.push_back({tensor, true});
    StringRef what = takeName();
    if (what == "ndim") {
      out += ("{ndim:" + tensor + "}").str();
      return true;
    }
    if (what == "numel") {
      out += ("{numel:" + tensor + "}").str();
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
    out += ((what == "stride" ? "{stride:" : "{size:") + tensor + ":" + (isNegative ? "-" : "") +
            Twine(index) + "}")
               .str();
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
    if (isTensor && item.kind != PythonCallItem::Kind::Allocate && item.text != "None")
      return fail(item.target, "'" + item.target +
                                   "' is a tensor, which 'empty_like(x)', 'zeros_like(x)', "
                                   "'empty(…, like=x)' or 'zeros(…, like=x)' makes");
    if (!isTensor && item.kind == PythonCallItem::Kind::Allocate)
      return fail(item.target, "'" + item.target + "' is a number, not a tensor");
    pending.erase(item.target);
  }
  return true;
}

} // namespace nereid
