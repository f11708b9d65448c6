// Expressions, from the loosest operator to the tightest.
#include "compiler/frontends/triton_c/syntax/ParserNesting.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace nereid::triton_c {

namespace {

struct OperatorInfo {
  const char *text;
  BinaryOperator op;
  unsigned precedence;
};

} // namespace

static constexpr OperatorInfo operators[] = {
    {"*", BinaryOperator::Multiply, 10},  {"/", BinaryOperator::Divide, 10},
    {"%", BinaryOperator::Remainder, 10}, {"@", BinaryOperator::MatrixMultiply, 10},
    {"+", BinaryOperator::Add, 9},        {"-", BinaryOperator::Subtract, 9},
    {"<<", BinaryOperator::ShiftLeft, 8}, {">>", BinaryOperator::ShiftRight, 8},
    {"<", BinaryOperator::Less, 7},       {"<=", BinaryOperator::LessEqual, 7},
    {">", BinaryOperator::Greater, 7},    {">=", BinaryOperator::GreaterEqual, 7},
    {"==", BinaryOperator::Equal, 6},     {"!=", BinaryOperator::NotEqual, 6},
    {"&", BinaryOperator::And, 5},        {"^", BinaryOperator::Xor, 4},
    {"|", BinaryOperator::Or, 3},         {"&&", BinaryOperator::LogicalAnd, 2},
    {"||", BinaryOperator::LogicalOr, 1},
};

StringRef getSpelling(BinaryOperator op) {
  for (const OperatorInfo &info : operators)
    if (info.op == op)
      return info.text;
  return "";
}

static const OperatorInfo *findOperator(const Token &token) {
  if (token.kind != TokenKind::Punctuator)
    return nullptr;
  for (const OperatorInfo &info : operators)
    if (token.text == info.text)
      return &info;
  return nullptr;
}

Expression *Parser::make(Expression::Kind kind, const Place &place,
                         std::vector<const Expression *> operands) {
  meter.spend(20);
  unit->expressions.push_back(std::make_unique<Expression>());
  Expression *expression = unit->expressions.back().get();
  expression->kind = kind;
  expression->place = place;
  expression->focus = place;
  for (const Expression *operand : operands)
    expression->depth = std::max(expression->depth, operand->depth + 1);
  expression->operands = std::move(operands);
  if (expression->depth > deepestExpression)
    fail(place, "this expression has more than " + Twine(deepestExpression) +
                    " levels of operators; keep parts of it in variables");
  return expression;
}

const Expression *Parser::parseExpression() {
  const Expression *left = parseAssignment();
  while (peek().is(",")) {
    Place comma = take().place;
    const Expression *right = parseAssignment();
    Expression *pair =
        make(Expression::Kind::Comma, expansions.span(left->place, right->place), {left, right});
    pair->focus = comma;
    left = pair;
  }
  return left;
}

const Expression *Parser::parseAssignment() {
  const Expression *left = parseConditional();
  const Token &token = peek();
  if (token.kind != TokenKind::Punctuator)
    return left;
  std::optional<BinaryOperator> op;
  if (!token.is("=")) {
    bool isCompound = token.text.size() > 1 && token.text.ends_with("=");
    StringRef spelling = token.text.drop_back();
    for (const OperatorInfo &info : operators)
      if (isCompound && spelling == info.text &&
          (info.precedence >= 8 || (info.precedence >= 3 && info.precedence <= 5)))
        op = info.op;
    if (!op)
      return left;
  }
  take();
  Nesting nesting(*this);
  const Expression *right = parseAssignment();
  Expression *assignment =
      make(Expression::Kind::Assign, expansions.span(left->place, right->place), {left, right});
  assignment->op = op;
  assignment->focus = token.place;
  return assignment;
}

const Expression *Parser::parseConditional() {
  const Expression *condition = parseBinary(0);
  if (!peek().is("?"))
    return condition;
  const Place question = take().place;
  Nesting nesting(*this);
  const Expression *first = parseExpression();
  expect(":", "in a conditional expression");
  const Expression *second = parseConditional();
  Expression *conditional =
      make(Expression::Kind::Conditional, expansions.span(condition->place, second->place),
           {condition, first, second});
  conditional->focus = question;
  return conditional;
}

/// Whether no operand can follow, so that `^` before it belongs to what came before.
bool Parser::endsOperand(size_t ahead) const {
  const Token &token = peek(ahead);
  return token.kind == TokenKind::End || token.is(")") || token.is("]") || token.is(";") || token.is(",") ||
         token.is(":") || token.is("@") || token.is("}");
}

const Expression *Parser::parseBinary(unsigned leastPrecedence) {
  const Expression *left = parseRange();
  while (const OperatorInfo *info = findOperator(peek())) {
    if (info->precedence <= leastPrecedence)
      break;
    const Token &token = take();
    const Expression *right = parseBinary(info->precedence);
    Expression *binary =
        make(Expression::Kind::Binary, expansions.span(left->place, right->place), {left, right});
    binary->op = info->op;
    binary->focus = token.place;
    left = binary;
  }
  return left;
}

const Expression *Parser::parseRange() {
  const Expression *first = parseUnary();
  if (!peek().is("..."))
    return first;
  const Token &dots = take();
  const Expression *last = parseUnary();
  Expression *range =
      make(Expression::Kind::Range, expansions.span(first->place, last->place), {first, last});
  range->focus = dots.place;
  return range;
}

const Expression *Parser::parseUnary() {
  const Token &token = peek();
  if (token.is("++") || token.is("--")) {
    take();
    Nesting nesting(*this);
    const Expression *operand = parseUnary();
    Expression *increment = make(Expression::Kind::Increment, from(token.place), {operand});
    increment->isPrefix = true;
    increment->increments = token.is("++");
    increment->focus = token.place;
    return increment;
  }
  // `*?(mask)p`
  if (token.is("*") && peek(1).is("?")) {
    Nesting nesting(*this);
    take();
    take();
    expect("(", "before the mask of '*?'");
    const Expression *mask = parseExpression();
    expect(")", "after the mask of '*?'");
    const Expression *pointer = parseUnary();
    Expression *masked = make(Expression::Kind::MaskedDereference, from(token.place), {mask, pointer});
    masked->focus = token.place;
    return masked;
  }
  if (token.is("&"))
    failHere("variables of a kernel have no address; compute pointers from its arguments");
  auto op = token.kind != TokenKind::Punctuator ? std::nullopt
                                                : StringSwitch<std::optional<UnaryOperator>>(token.text)
                                                      .Case("+", UnaryOperator::Plus)
                                                      .Case("-", UnaryOperator::Minus)
                                                      .Case("~", UnaryOperator::Complement)
                                                      .Case("!", UnaryOperator::Not)
                                                      .Case("*", UnaryOperator::Dereference)
                                                      .Case("^", UnaryOperator::Transpose)
                                                      .Default(std::nullopt);
  if (op) {
    take();
    Nesting nesting(*this);
    const Expression *operand = parseUnary();
    Expression *unary = make(Expression::Kind::Unary, from(token.place), {operand});
    unary->unary = *op;
    unary->focus = token.place;
    return unary;
  }
  if (token.isName("sizeof")) {
    take();
    Nesting nesting(*this);
    Expression *size = make(Expression::Kind::SizeOf, token.place);
    if (peek().is("(") && startsType(1)) {
      take();
      size->type = parseTypeName();
      expect(")", "after the type");
    } else {
      const Expression *operand = parseUnary();
      size->operands.push_back(operand);
      size->depth = operand->depth + 1;
    }
    size->place = from(token.place);
    return size;
  }
  if (token.is("(") && startsType(1)) {
    take();
    Nesting nesting(*this);
    TypeName type = parseTypeName();
    expect(")", "after the type");
    const Expression *operand = parseUnary();
    Expression *cast = make(Expression::Kind::Cast, from(token.place), {operand});
    cast->type = std::move(type);
    return cast;
  }
  return parsePostfix();
}

SubscriptItem Parser::parseItem() {
  const Token &token = peek();
  SubscriptItem item;
  item.place = token.place;
  bool isAlone = peek(1).is(",") || peek(1).is("]");
  auto single = [&](SubscriptItem::Kind kind) {
    take();
    item.kind = kind;
    return item;
  };
  if (token.is(":") && isAlone)
    return single(SubscriptItem::Kind::All);
  if (token.isName("newaxis") && isAlone)
    return single(SubscriptItem::Kind::NewAxis);
  if (token.is("+") && isAlone)
    return single(SubscriptItem::Kind::Sum);
  if (token.isName("max") && isAlone)
    return single(SubscriptItem::Kind::Max);
  if (token.isName("min") && isAlone)
    return single(SubscriptItem::Kind::Min);
  if (isAlone && token.kind == TokenKind::Punctuator)
    failHere("'" + token.text + "' is no reduction; there are +, min and max");
  if (token.is(":"))
    failHere("parts of a block cannot be taken: write ':' for a whole axis");
  item.kind = SubscriptItem::Kind::Index;
  item.index = parseConditional();
  if (peek().is(":"))
    failHere("parts of a block cannot be taken: write ':' for a whole axis");
  item.place = item.index->place;
  return item;
}

const Expression *Parser::parseSubscript(const Expression *base) {
  Nesting nesting(*this);
  const Place open = take().place;
  Expression *subscript = make(Expression::Kind::Subscript, base->place, {base});
  subscript->focus = open;
  do {
    subscript->items.push_back(parseItem());
    if (const Expression *index = subscript->items.back().index)
      subscript->depth = std::max(subscript->depth, index->depth + 1);
    if (subscript->items.size() > 32)
      failHere("too many axes between these brackets");
  } while (accept(","));
  expect("]", "after the axes");
  subscript->place = from(base->place);
  return subscript;
}

const Expression *Parser::parsePostfix() {
  const Expression *expression = parsePrimary();
  while (true) {
    const Token &token = peek();
    if (token.is("[")) {
      expression = parseSubscript(expression);
    } else if (token.is("++") || token.is("--")) {
      take();
      Expression *increment = make(Expression::Kind::Increment, from(expression->place), {expression});
      increment->increments = token.is("++");
      increment->focus = token.place;
      expression = increment;
    } else if (token.is("^") && endsOperand(1)) {
      take();
      Expression *transpose = make(Expression::Kind::Unary, from(expression->place), {expression});
      transpose->unary = UnaryOperator::Transpose;
      transpose->focus = token.place;
      expression = transpose;
    } else if (token.is(".") || token.is("->")) {
      failHere("values of a kernel have no members: 'struct' is not supported");
    } else if (token.is("(")) {
      failHere("only functions can be called, by their names");
    } else {
      return expression;
    }
  }
}

const Expression *Parser::parseCallOrName() {
  const Token &token = take();
  // bitcast<float>(x), and bitcast(float, x)
  if (token.isName("bitcast")) {
    Nesting nesting(*this);
    std::optional<TypeName> type;
    if (accept("<")) {
      type = parseTypeName();
      expect(">", "after the type");
    }
    expect("(", "after 'bitcast'");
    if (!type) {
      type = parseTypeName();
      expect(",", "after the type");
    }
    const Expression *operand = parseAssignment();
    expect(")", "after the operand of 'bitcast'");
    Expression *cast = make(Expression::Kind::Call, from(token.place), {operand});
    cast->text = "bitcast";
    cast->type = std::move(type);
    cast->focus = token.place;
    return cast;
  }
  if (!peek().is("(")) {
    Expression *name = make(Expression::Kind::Name, token.place);
    name->text = token.text.str();
    return name;
  }
  Nesting nesting(*this);
  take();
  std::vector<const Expression *> arguments;
  if (!accept(")")) {
    do
      arguments.push_back(parseAssignment());
    while (accept(","));
    expect(")", ("after the arguments of '" + token.text + "'").str());
  }
  Expression *call = make(Expression::Kind::Call, from(token.place), std::move(arguments));
  call->text = token.text.str();
  call->focus = token.place;
  return call;
}

const Expression *Parser::parsePrimary() {
  const Token &token = peek();
  auto literal = [&](auto read) {
    try {
      return read();
    } catch (Refusal &refusal) {
      fail(token.place, refusal.message);
    }
  };
  if (token.is("(")) {
    take();
    Nesting nesting(*this);
    const Expression *inner = parseExpression();
    expect(")", "after an expression in parentheses");
    return inner;
  }
  if (token.kind == TokenKind::Number || token.kind == TokenKind::Character) {
    take();
    Expression *number = make(Expression::Kind::Number, token.place);
    number->literal = literal([&] { return readLiteral(token); });
    return number;
  }
  if (token.kind == TokenKind::String) {
    Expression *string = make(Expression::Kind::String, token.place);
    while (peek().kind == TokenKind::String) {
      const Token &part = take();
      string->text += literal([&] { return readString(part); });
    }
    meter.spend(string->text.size() / 16);
    string->place = from(token.place);
    return string;
  }
  refuseUnsupported();
  if (token.kind == TokenKind::Identifier) {
    static constexpr StringLiteral words[] = {"if",    "else",     "for",    "while", "do",
                                              "break", "continue", "return", "const", "__global__"};
    for (StringRef word : words)
      if (token.text == word)
        failHere("expected an expression, not '" + word + "'");
    return parseCallOrName();
  }
  if (token.kind == TokenKind::End)
    failHere("expected an expression, not the end of the file");
  failHere("expected an expression, not '" + token.text + "'");
}

} // namespace nereid::triton_c
