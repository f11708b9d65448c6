// A recursive-descent parser over the grid's text, with Python's precedence for the operators it has
// (comparison, sum, product, sign). Nodes keep their range in the text, so that the check of names can point
// at them as well. They are kept in a list, operands first; an expression of thousands of terms is a long
// list, where it would be a tree as deep.
#include "linker/GridExpression.h"

#include "linker/GridExpressionNodes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nereid {

/// Names are Python's, with letters beyond ASCII, too.
static bool isPartOfName(char c) { return isAlnum(c) || c == '_' || !isASCII(c); }

GridExpression::GridExpression() = default;
GridExpression::GridExpression(GridExpression &&) = default;
GridExpression &GridExpression::operator=(GridExpression &&) = default;
GridExpression::~GridExpression() = default;

using Node = GridExpression::Node;
using Operator = GridExpression::Operator;

/// More than any grid needs, and little enough for a C compiler.
static constexpr size_t maxNodes = 10000;

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

class GridParser {
public:
  GridParser(StringRef text, std::vector<Node> &nodes, Diagnostics &diagnostics, size_t mostDimensions,
             bool isCondition)
      : position(text.begin()), end(text.end()), nodes(nodes), diagnostics(diagnostics),
        mostDimensions(mostDimensions), isCondition(isCondition), noun(isCondition ? "condition" : "grid") {}

  /// The dimensions, or an empty list after an error.
  std::vector<size_t> parse() {
    std::vector<size_t> dimensions;
    bool isTuple = !isCondition && enterTuple();
    do {
      skipSpace();
      if (isTuple && position == end && !dimensions.empty())
        break;
      if (dimensions.size() == mostDimensions) {
        constexpr size_t ofGrid = 3;
        if (mostDimensions == ofGrid)
          error("a grid has at most three dimensions");
        else if (isCondition)
          error("a condition is one expression: join several by 'and'");
        else
          error("expected at most " + Twine(mostDimensions) + " expressions");
        return {};
      }
      Index dimension = parseOr();
      if (!dimension)
        return {};
      dimensions.push_back(*dimension);
    } while (consume(","));
    skipSpace();
    if (position != end) {
      error(Twine("expected an operator") + (isCondition ? "" : " or ','") + " here, not '" + describeNext() +
            "'");
      return {};
    }
    return dimensions;
  }

private:
  /// Of a node; nothing after an error.
  using Index = std::optional<size_t>;

  /// Takes off the brackets of a tuple as Python writes a grid, `(cdiv(n, BLOCK), )` or `[4, 2]`, and says
  /// whether there were any. `(m) * (n)` and `(n)` are expressions.
  bool enterTuple() {
    StringRef text = rest().trim();
    if (text.size() < 2 || (text.front() != '(' && text.front() != '['))
      return false;
    unsigned depth = 0;
    bool isTuple = text.front() == '[';
    for (auto [index, c] : enumerate(text)) {
      if (c == '(' || c == '[')
        ++depth;
      else if (c == ',' && depth == 1)
        isTuple = true;
      else if ((c == ')' || c == ']') && --depth == 0 && index + 1 != text.size())
        return false;
    }
    if (!isTuple || depth != 0 || text.back() != (text.front() == '(' ? ')' : ']'))
      return false;
    position = text.begin() + 1;
    end = text.end() - 1;
    return true;
  }

  void skipSpace() {
    while (position != end && isSpace(*position))
      ++position;
  }

  StringRef rest() const { return StringRef(position, end - position); }

  bool consume(StringRef token) {
    skipSpace();
    if (!rest().starts_with(token))
      return false;
    position += token.size();
    return true;
  }

  /// What stands here, for a message: a whole word or number, or one character.
  std::string describeNext() {
    StringRef word = rest().take_while(isPartOfName);
    return (word.empty() ? rest().take_front(1) : word).str();
  }

  Index error(const Twine &message) {
    skipSpace();
    size_t length = position == end ? 0 : describeNext().size();
    diagnostics.error(rangeOf(StringRef(position, length)), message);
    return std::nullopt;
  }

  Index add(Node node) {
    if (nodes.size() == maxNodes)
      return error("this " + Twine(noun) + " is too long: it has more than " + Twine(maxNodes) +
                   " names, numbers and operators");
    nodes.push_back(std::move(node));
    return nodes.size() - 1;
  }

  Index makeOperator(Operator op, const char *start, ArrayRef<size_t> operands) {
    Node node;
    node.kind = Node::Kind::Operator;
    node.op = op;
    node.operands.assign(operands.begin(), operands.end());
    node.range = SMRange(SMLoc::getFromPointer(start), SMLoc::getFromPointer(position));
    return add(std::move(node));
  }

  /// A word of Python's, or a sign.
  bool consumeEither(StringRef word, StringRef sign) {
    skipSpace();
    if (rest().take_while(isPartOfName) == word) {
      position += word.size();
      return true;
    }
    return consume(sign);
  }

  Index parseOr() {
    return parseLogical(Operator::Or, "or", "||", [&] { return parseAnd(); });
  }

  Index parseAnd() {
    return parseLogical(Operator::And, "and", "&&", [&] { return parseNot(); });
  }

  Index parseLogical(Operator op, StringRef word, StringRef sign, function_ref<Index()> parseOperand) {
    skipSpace();
    const char *start = position;
    Index left = parseOperand();
    while (left && consumeEither(word, sign)) {
      size_t rightBegin = nodes.size();
      Index right = parseOperand();
      if (!right)
        return std::nullopt;
      left = makeOperator(op, start, {*left, *right});
      if (left)
        nodes[*left].rightBegin = rightBegin;
    }
    return left;
  }

  Index parseNot() {
    skipSpace();
    const char *start = position;
    bool isNot = !rest().starts_with("!=") && consumeEither("not", "!");
    if (!isNot)
      return parseComparison();
    DepthGuard guard(*this);
    Index operand = guard.exceeded() ? error("this " + Twine(noun) + " is nested too deeply") : parseNot();
    return operand ? makeOperator(Operator::Not, start, {*operand}) : std::nullopt;
  }

  Index parseComparison() {
    skipSpace();
    const char *start = position;
    Index left = parseSum();
    if (!left)
      return std::nullopt;
    static const std::pair<const char *, Operator> operators[] = {{"<=", Operator::Le}, {">=", Operator::Ge},
                                                                  {"==", Operator::Eq}, {"!=", Operator::Ne},
                                                                  {"<", Operator::Lt},  {">", Operator::Gt}};
    for (auto [token, op] : operators) {
      if (!consume(token))
        continue;
      Index right = parseSum();
      if (!right)
        return std::nullopt;
      left = makeOperator(op, start, {*left, *right});
      // In Python a < b < c means (a < b) and (b < c), in C something else; so it is neither here.
      skipSpace();
      if (position != end && StringRef("<>=!").contains(*position))
        return error("comparisons cannot be chained: use parentheses");
      return left;
    }
    return left;
  }

  Index parseSum() {
    skipSpace();
    const char *start = position;
    Index left = parseProduct();
    while (left) {
      Operator op;
      if (consume("+"))
        op = Operator::Add;
      else if (consume("-"))
        op = Operator::Sub;
      else
        return left;
      Index right = parseProduct();
      if (!right)
        return std::nullopt;
      left = makeOperator(op, start, {*left, *right});
    }
    return std::nullopt;
  }

  Index parseProduct() {
    skipSpace();
    const char *start = position;
    Index left = parseSign();
    while (left) {
      skipSpace();
      if (rest().starts_with("//"))
        return error("'//' is not an operator of " + Twine(noun) +
                     "s: '/' divides integers, and cdiv(a, b) rounds up");
      if (rest().starts_with("**"))
        return error("'**' is not an operator of " + Twine(noun) + "s");
      Operator op;
      if (consume("*"))
        op = Operator::Mul;
      else if (consume("/"))
        op = Operator::Div;
      else if (consume("%"))
        op = Operator::Mod;
      else
        return left;
      Index right = parseSign();
      if (!right)
        return std::nullopt;
      left = makeOperator(op, start, {*left, *right});
    }
    return std::nullopt;
  }

  Index parseSign() {
    skipSpace();
    const char *start = position;
    // Written signs nest only as deep as parentheses may.
    if (consume("-")) {
      DepthGuard guard(*this);
      Index operand = guard.exceeded() ? error("this " + Twine(noun) + " is nested too deeply") : parseSign();
      return operand ? makeOperator(Operator::Neg, start, {*operand}) : std::nullopt;
    }
    return parseAtom();
  }

  Index parseAtom() {
    skipSpace();
    if (position == end)
      return error("expected a number, a name or '(' here");
    const char *start = position;
    if (isDigit(*position))
      return parseNumber();
    if (isPartOfName(*position)) {
      StringRef name = rest().take_while(isPartOfName);
      position += name.size();
      skipSpace();
      // `triton.cdiv(n, BLOCK)`, as launchers write it.
      if ((name == "triton" || name == "tl") && consume(".")) {
        name = rest().take_while(isPartOfName);
        position += name.size();
        skipSpace();
      }
      if (position != end && *position == '(')
        return parseCall(start, name);
      Node node;
      node.range = rangeOf(name);
      if (name == "True" || name == "False") {
        node.literal = name == "True";
        return add(std::move(node));
      }
      if (name == "and" || name == "or" || name == "not") {
        position = name.begin();
        return error("expected a number, a name or '(' here, not '" + name + "'");
      }
      node.kind = Node::Kind::Name;
      node.name = name.str();
      return add(std::move(node));
    }
    if (!consume("("))
      return error(Twine("expected a number, a name or '(' here, not '") + describeNext() + "'");
    DepthGuard guard(*this);
    if (guard.exceeded())
      return error("this " + Twine(noun) + " is nested too deeply");
    Index inner = parseOr();
    if (inner && !consume(")"))
      return error("expected ')' here");
    return inner;
  }

  Index parseNumber() {
    StringRef digits = rest().take_while([](char c) { return isAlnum(c) || c == '_' || c == '.'; });
    Node node;
    std::string plain = digits.str();
    llvm::erase(plain, '_');
    if (StringRef(plain).getAsInteger(0, node.literal) ||
        (plain.size() > 1 && plain[0] == '0' && isDigit(plain[1])))
      return error("'" + digits + "' is not a 64-bit integer");
    position += digits.size();
    node.range = rangeOf(digits);
    return add(std::move(node));
  }

  /// `argument(rows)`: what the kernel does not take, and its C function does.
  Index parseArgument(const char *start) {
    if (isCondition) {
      position = start;
      return error("a condition is about the kernel's own parameters");
    }
    consume("(");
    skipSpace();
    StringRef name = rest().take_while(isPartOfName);
    if (name.empty() || isDigit(name.front()))
      return error("expected the name of an argument here");
    position += name.size();
    if (!consume(")"))
      return error("expected ')' here");
    Node node;
    node.kind = Node::Kind::Name;
    node.name = name.str();
    node.isArgument = true;
    node.range = rangeOf(name);
    return add(std::move(node));
  }

  Index parseCall(const char *start, StringRef name) {
    if (name == "argument")
      return parseArgument(start);
    std::optional<Operator> op = StringSwitch<std::optional<Operator>>(name)
                                     .Case("cdiv", Operator::CDiv)
                                     .Case("min", Operator::Min)
                                     .Case("max", Operator::Max)
                                     .Case("next_power_of_2", Operator::NextPowerOf2)
                                     .Default(std::nullopt);
    if (!op) {
      position = start;
      return error("'" + name + "' is not a function of " + noun +
                   "s: there are cdiv, min, max and next_power_of_2" +
                   (isCondition ? "" : ", and argument(name) for what the kernel does not take"));
    }
    consume("(");
    DepthGuard guard(*this);
    if (guard.exceeded())
      return error("this " + Twine(noun) + " is nested too deeply");
    SmallVector<size_t> operands;
    do {
      Index operand = parseOr();
      if (!operand)
        return std::nullopt;
      operands.push_back(*operand);
    } while (consume(","));
    if (!consume(")"))
      return error("expected ',' or ')' here");
    bool takesAnyNumber = *op == Operator::Min || *op == Operator::Max;
    size_t least = *op == Operator::NextPowerOf2 ? 1 : 2;
    if (takesAnyNumber ? operands.size() < least : operands.size() != least) {
      position = start;
      return error(Twine(name) + (takesAnyNumber ? " takes two or more arguments"
                                  : least == 1   ? " takes one argument"
                                                 : " takes two arguments"));
    }
    if (operands.size() == 1)
      return makeOperator(*op, start, {operands[0]});
    // min(a, b, c) is min(min(a, b), c).
    Index result = operands[0];
    for (size_t operand : drop_begin(operands))
      if (result)
        result = makeOperator(*op, start, {*result, operand});
    return result;
  }

  struct DepthGuard {
    explicit DepthGuard(GridParser &parser) : parser(parser) { ++parser.depth; }
    ~DepthGuard() { --parser.depth; }
    bool exceeded() const { return parser.depth > 100; }
    GridParser &parser;
  };

  const char *position;
  const char *end;
  std::vector<Node> &nodes;
  Diagnostics &diagnostics;
  const size_t mostDimensions;
  const bool isCondition;
  const char *noun;
  unsigned depth = 0;
};

} // namespace

std::optional<GridExpression> GridExpression::parse(StringRef text, Diagnostics &diagnostics,
                                                    size_t mostDimensions) {
  GridExpression grid;
  grid.dimensions = GridParser(text, grid.nodes, diagnostics, mostDimensions, /*isCondition=*/false).parse();
  if (grid.dimensions.empty())
    return std::nullopt;
  return grid;
}

std::optional<GridExpression> GridExpression::parseCondition(StringRef text, Diagnostics &diagnostics) {
  GridExpression condition;
  condition.isCondition = true;
  condition.dimensions = GridParser(text, condition.nodes, diagnostics, 1, /*isCondition=*/true).parse();
  if (condition.dimensions.empty())
    return std::nullopt;
  return condition;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// What an expression may depend on.
static std::string adviseOnNames(StringRef name, ArrayRef<KernelParameter> parameters, bool isCondition) {
  std::string names;
  for (const KernelParameter &parameter : parameters) {
    bool isNumber = parameter.constant ? std::holds_alternative<int64_t>(*parameter.constant)
                                       : !parameter.isPointer && isInteger(parameter.element);
    if (isNumber)
      names += (names.empty() ? "" : ", ") + parameter.name;
  }
  std::string advice = names.empty() ? "; it has no integers" : "; its integers are " + names;
  return isCondition ? advice
                     : advice + ". 'argument(" + name.str() +
                           ")' makes it an argument of the C function; a grid of anything else is for "
                           "callers to give";
}

bool GridExpression::check(ArrayRef<KernelParameter> parameters, Diagnostics &diagnostics) const {
  bool valid = true;
  const char *what = isCondition ? "condition" : "grid";
  auto checkName = [&](const Node &node) {
    auto fail = [&](const Twine &message) {
      diagnostics.error(node.range, message);
      valid = false;
    };
    const KernelParameter *parameter =
        find_if(parameters, [&](const KernelParameter &p) { return p.name == node.name; });
    if (node.isArgument && parameter == parameters.end())
      return;
    if (node.isArgument)
      return fail("'" + node.name + "' is a parameter of the kernel, and needs no 'argument'");
    if (parameter == parameters.end())
      return fail("'" + node.name + "' is not a parameter of the kernel" +
                  adviseOnNames(node.name, parameters, isCondition));
    if (parameter->constant) {
      if (!std::holds_alternative<int64_t>(*parameter->constant) &&
          !std::holds_alternative<bool>(*parameter->constant))
        fail("'" + node.name + "' is not an integer here, so a " + what + " cannot depend on it");
      return;
    }
    if (parameter->isPointer || !isInteger(parameter->element))
      fail(Twine("'") + node.name + "' is a " + (parameter->isPointer ? "pointer" : "floating-point number") +
           ", so a " + what + " cannot depend on it");
  };
  for (const Node &node : nodes)
    if (node.kind == Node::Kind::Name)
      checkName(node);
  return valid;
}

std::vector<std::string> GridExpression::getNames() const {
  std::vector<std::string> names;
  StringSet<> seen;
  for (const Node &node : nodes)
    if (node.kind == Node::Kind::Name && seen.insert(node.name).second)
      names.push_back(node.name);
  return names;
}

std::vector<std::string> GridExpression::getArguments() const {
  std::vector<std::string> names;
  for (const Node &node : nodes)
    if (node.isArgument && !is_contained(names, node.name))
      names.push_back(node.name);
  return names;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static Expected<int64_t> divide(int64_t a, int64_t b, Operator op) {
  if (b == 0)
    return createStringError("the grid divides by zero");
  if (a == std::numeric_limits<int64_t>::min() && b == -1)
    return createStringError("the grid overflows");
  if (op == Operator::Mod)
    return a % b;
  // cdiv rounds up: truncation already has, unless the quotient is positive and there is a remainder.
  return a / b + (op == Operator::CDiv && a % b != 0 && (a < 0) == (b < 0));
}

Expected<int64_t> applyGridOperator(Operator op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflow = false;
  switch (op) {
  case Operator::Add:
    overflow = AddOverflow(a, b, result);
    break;
  case Operator::Sub:
    overflow = SubOverflow(a, b, result);
    break;
  case Operator::Mul:
    overflow = MulOverflow(a, b, result);
    break;
  case Operator::Neg:
    overflow = SubOverflow(int64_t(0), a, result);
    break;
  case Operator::Div:
  case Operator::Mod:
  case Operator::CDiv:
    return divide(a, b, op);
  case Operator::Lt:
    return a < b;
  case Operator::Le:
    return a <= b;
  case Operator::Gt:
    return a > b;
  case Operator::Ge:
    return a >= b;
  case Operator::Eq:
    return a == b;
  case Operator::Ne:
    return a != b;
  case Operator::Min:
    return std::min(a, b);
  case Operator::Max:
    return std::max(a, b);
  case Operator::NextPowerOf2:
    overflow = a > int64_t(1) << 62;
    result = a < 1 || overflow ? 0 : static_cast<int64_t>(PowerOf2Ceil(a));
    break;
  case Operator::And:
    return a != 0 && b != 0;
  case Operator::Or:
    return a != 0 || b != 0;
  case Operator::Not:
    return a == 0;
  }
  if (overflow)
    return createStringError("the grid overflows");
  return result;
}

Expected<std::vector<int64_t>>
GridExpression::evaluateAll(const std::map<std::string, int64_t> &values) const {
  // What goes wrong is an error only if the value is needed, which `and` and `or` decide.
  struct Result {
    int64_t value = 0;
    std::string problem;
  };
  std::vector<Result> results;
  for (const Node &node : nodes) {
    Result result;
    if (node.kind == Node::Kind::Literal) {
      result.value = node.literal;
    } else if (node.kind == Node::Kind::Name) {
      auto value = values.find(node.name);
      if (value == values.end())
        return createStringError("the grid needs a value for '" + node.name + "'");
      result.value = value->second;
    } else {
      const Result &left = results[node.operands.front()], &right = results[node.operands.back()];
      bool isDecided = left.problem.empty() && ((node.op == Operator::And && left.value == 0) ||
                                                (node.op == Operator::Or && left.value != 0));
      result.problem = !left.problem.empty() || isDecided ? left.problem : right.problem;
      if (result.problem.empty()) {
        Expected<int64_t> value =
            isDecided ? int64_t(left.value != 0) : applyGridOperator(node.op, left.value, right.value);
        if (value)
          result.value = *value;
        else
          result.problem = toString(value.takeError());
      }
    }
    results.push_back(std::move(result));
  }
  std::vector<int64_t> all;
  for (size_t dimension : dimensions) {
    if (!results[dimension].problem.empty())
      return createStringError(results[dimension].problem);
    all.push_back(results[dimension].value);
  }
  return all;
}

Expected<std::array<int64_t, 3>>
GridExpression::evaluate(const std::map<std::string, int64_t> &values) const {
  Expected<std::vector<int64_t>> all = evaluateAll(values);
  if (!all)
    return all.takeError();
  std::array<int64_t, 3> grid = {1, 1, 1};
  copy(*all, grid.begin());
  return grid;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static const char *functionOf(Operator op) {
  switch (op) {
  case Operator::Add:
    return "nrd_grid_add";
  case Operator::Sub:
    return "nrd_grid_sub";
  case Operator::Mul:
    return "nrd_grid_mul";
  case Operator::Neg:
    return "nrd_grid_neg";
  case Operator::Div:
    return "nrd_grid_div";
  case Operator::Mod:
    return "nrd_grid_mod";
  case Operator::CDiv:
    return "nrd_grid_cdiv";
  case Operator::Min:
    return "nrd_grid_min";
  case Operator::Max:
    return "nrd_grid_max";
  case Operator::NextPowerOf2:
    return "nrd_grid_next_power_of_2";
  case Operator::Lt:
    return "<";
  case Operator::Le:
    return "<=";
  case Operator::Gt:
    return ">";
  case Operator::Ge:
    return ">=";
  case Operator::Eq:
    return "==";
  case Operator::Ne:
    return "!=";
  case Operator::Not:
    return "!";
  case Operator::And:
    return "nrd_grid_and";
  case Operator::Or:
    return "nrd_grid_or";
  }
  return "";
}

/// `flag` is where a failure of this operator is noted; `rightFlag` where `and` and `or` find those of their
/// right side.
static std::string printOperator(Operator op, ArrayRef<std::string> operands, StringRef flag,
                                 StringRef rightFlag) {
  StringRef function = functionOf(op);
  if (op == Operator::Not)
    return "(int64_t)!" + operands[0];
  if (!function.starts_with("nrd_"))
    return "(int64_t)(" + operands[0] + " " + function.str() + " " + operands[1] + ")";
  std::string text = function.str() + "(" + flag.str() + ", " + join(operands, ", ");
  return text + (op == Operator::And || op == Operator::Or ? ", " + rightFlag.str() : "") + ")";
}

/// The number of the flag that each node sets: 0, or that of the nearest `and` or `or` that it is on the
/// right side of, as its failure counts only if that is needed.
static std::vector<unsigned> numberFlags(ArrayRef<Node> nodes, std::vector<unsigned> &ofRightSides) {
  std::vector<unsigned> flags(nodes.size(), 0);
  ofRightSides.assign(nodes.size(), 0);
  unsigned count = 0;
  for (size_t index = nodes.size(); index-- != 0;) {
    const Node &node = nodes[index];
    if (node.kind != Node::Kind::Operator || (node.op != Operator::And && node.op != Operator::Or))
      continue;
    ofRightSides[index] = ++count;
    for (size_t inner = node.rightBegin; inner <= node.operands.back(); ++inner)
      flags[inner] = count;
  }
  return flags;
}

std::vector<std::string> GridExpression::printC(function_ref<std::string(StringRef)> nameToC) const {
  std::vector<std::string> statements, texts;
  size_t numVariables = 0;
  std::vector<unsigned> ofRightSides, flags = numberFlags(nodes, ofRightSides);
  auto flagName = [](unsigned flag) { return flag == 0 ? std::string("bad") : "&f" + std::to_string(flag); };
  for (unsigned flag = 1; flag <= *max_element(ofRightSides); ++flag)
    statements.push_back("int f" + std::to_string(flag) + " = 0;");
  for (auto [index, node] : enumerate(nodes)) {
    if (node.kind == Node::Kind::Literal) {
      texts.push_back("INT64_C(" + std::to_string(node.literal) + ")");
      continue;
    }
    if (node.kind == Node::Kind::Name) {
      texts.push_back(nameToC(node.name));
      // What a name may set: an unsigned number may be too large.
      if (StringRef name = texts.back(); name.consume_front("nrd_grid_unsigned(bad,") && flags[index])
        texts.back() = ("nrd_grid_unsigned(" + flagName(flags[index]) + "," + name).str();
      continue;
    }
    SmallVector<std::string, 2> operands;
    for (size_t operand : node.operands)
      operands.push_back(texts[operand]);
    texts.push_back(
        printOperator(node.op, operands, flagName(flags[index]), "f" + std::to_string(ofRightSides[index])));
    if (is_contained(dimensions, index))
      continue;
    std::string variable = "t" + std::to_string(numVariables++);
    statements.push_back("const int64_t " + variable + " = " + texts.back() + ";");
    texts.back() = variable;
  }
  for (auto [i, dimension] : enumerate(dimensions))
    statements.push_back("grid[" + std::to_string(i) + "] = " + texts[dimension] + ";");
  return statements;
}

} // namespace nereid
