// The arithmetic of #if: whole numbers of 64 bits, with C's operators and precedence. A name that is no macro
// is 0.
#include "compiler/frontends/triton_c/syntax/Literals.h"
#include "compiler/frontends/triton_c/syntax/Preprocessor.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace nereid::triton_c {

namespace {

constexpr unsigned deepestNesting = 200;

class Evaluator {
public:
  Evaluator(ArrayRef<Token> tokens, const Place &where) : tokens(tokens), where(where) {}

  int64_t evaluate() {
    int64_t value = conditional();
    if (!tokens.empty())
      refuse("expected the end of the condition");
    return value;
  }

private:
  [[noreturn]] void refuse(const Twine &message) {
    // A place in a macro's body is shown as it is: who reads conditions knows their macros.
    throw Refusal{(tokens.empty() ? where : tokens.front().place).getRange(), message.str()};
  }
  bool take(StringRef punctuator) {
    if (tokens.empty() || !tokens.front().is(punctuator))
      return false;
    tokens = tokens.drop_front();
    return true;
  }

  int64_t conditional() {
    if (++depth > deepestNesting)
      refuse("this condition is nested more than " + Twine(deepestNesting) + " levels deep");
    int64_t value = binary(0);
    if (take("?")) {
      bool saved = isDead;
      isDead = saved || !value;
      int64_t first = conditional();
      if (!take(":"))
        refuse("expected ':'");
      isDead = saved || value;
      int64_t second = conditional();
      isDead = saved;
      value = value ? first : second;
    }
    --depth;
    return value;
  }

  static unsigned precedenceOf(StringRef op) {
    return StringSwitch<unsigned>(op)
        .Case("||", 1)
        .Case("&&", 2)
        .Case("|", 3)
        .Case("^", 4)
        .Case("&", 5)
        .Cases({"==", "!="}, 6)
        .Cases({"<", ">", "<=", ">="}, 7)
        .Cases({"<<", ">>"}, 8)
        .Cases({"+", "-"}, 9)
        .Cases({"*", "/", "%"}, 10)
        .Default(0);
  }

  int64_t binary(unsigned least) {
    int64_t left = unary();
    while (!tokens.empty() && tokens.front().kind == TokenKind::Punctuator) {
      Token op = tokens.front();
      unsigned precedence = precedenceOf(op.text);
      if (!precedence || precedence <= least)
        break;
      tokens = tokens.drop_front();
      // What does not count may divide by zero.
      bool saved = isDead;
      if ((op.is("&&") && !left) || (op.is("||") && left))
        isDead = true;
      int64_t right = binary(precedence);
      isDead = saved;
      left = apply(op, left, right);
    }
    return left;
  }

  int64_t apply(const Token &op, int64_t a, int64_t b) {
    auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
    if (op.is("/") || op.is("%")) {
      if (b == 0) {
        if (isDead)
          return 0;
        throw Refusal{op.place.getRange(), "division by zero"};
      }
      if (b == -1)
        return op.is("/") ? static_cast<int64_t>(0 - ua) : 0;
      return op.is("/") ? a / b : a % b;
    }
    return StringSwitch<int64_t>(op.text)
        .Case("||", a || b)
        .Case("&&", a && b)
        .Case("|", a | b)
        .Case("^", a ^ b)
        .Case("&", a & b)
        .Case("==", a == b)
        .Case("!=", a != b)
        .Case("<", a < b)
        .Case(">", a > b)
        .Case("<=", a <= b)
        .Case(">=", a >= b)
        .Case("<<", ub < 64 ? static_cast<int64_t>(ua << ub) : 0)
        .Case(">>", ub < 64 ? a >> ub : 0)
        .Case("+", static_cast<int64_t>(ua + ub))
        .Case("-", static_cast<int64_t>(ua - ub))
        .Default(static_cast<int64_t>(ua * ub));
  }

  int64_t unary() {
    if (++depth > deepestNesting)
      refuse("this condition is nested more than " + Twine(deepestNesting) + " levels deep");
    int64_t value = 0;
    if (take("!"))
      value = !unary();
    else if (take("-"))
      value = static_cast<int64_t>(0 - static_cast<uint64_t>(unary()));
    else if (take("+"))
      value = unary();
    else if (take("~"))
      value = ~unary();
    else if (take("(")) {
      value = conditional();
      if (!take(")"))
        refuse("expected ')'");
    } else {
      value = primary();
    }
    --depth;
    return value;
  }

  int64_t primary() {
    if (tokens.empty())
      refuse("expected a number at the end of this condition");
    Token token = tokens.front();
    if (token.kind == TokenKind::Identifier) {
      tokens = tokens.drop_front();
      return 0;
    }
    if (token.kind != TokenKind::Number && token.kind != TokenKind::Character)
      refuse("expected a number, not '" + token.text + "'");
    Literal literal = readLiteral(token);
    if (literal.isFloat)
      refuse("a condition is about whole numbers");
    tokens = tokens.drop_front();
    return static_cast<int64_t>(literal.integer);
  }

  ArrayRef<Token> tokens;
  Place where;
  unsigned depth = 0;
  /// In an operand whose value does not count.
  bool isDead = false;
};

} // namespace

int64_t evaluateInteger(ArrayRef<Token> tokens, const Place &where) {
  return Evaluator(tokens, where).evaluate();
}

} // namespace nereid::triton_c
