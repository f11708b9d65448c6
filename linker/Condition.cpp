// Folds what the compile-time values decide, then walks down from the root through the operators that say
// `and`.
#include "linker/Condition.h"

#include "linker/GridExpressionNodes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nereid {

using Node = GridExpression::Node;
using Operator = GridExpression::Operator;

/// How tightly an operator binds, and how it is written; functions have no sign.
static std::pair<unsigned, const char *> spell(Operator op) {
  switch (op) {
  case Operator::Or:
    return {1, " or "};
  case Operator::And:
    return {2, " and "};
  case Operator::Not:
    return {3, "not "};
  case Operator::Lt:
    return {4, " < "};
  case Operator::Le:
    return {4, " <= "};
  case Operator::Gt:
    return {4, " > "};
  case Operator::Ge:
    return {4, " >= "};
  case Operator::Eq:
    return {4, " == "};
  case Operator::Ne:
    return {4, " != "};
  case Operator::Add:
    return {5, " + "};
  case Operator::Sub:
    return {5, " - "};
  case Operator::Mul:
    return {6, " * "};
  case Operator::Div:
    return {6, " / "};
  case Operator::Mod:
    return {6, " % "};
  case Operator::Neg:
    return {7, "-"};
  case Operator::CDiv:
  case Operator::Min:
  case Operator::Max:
  case Operator::NextPowerOf2:
    break;
  }
  return {8, ""};
}

/// The comparison that says the same with its sides exchanged, or the opposite.
static Operator exchange(Operator op) {
  switch (op) {
  case Operator::Lt:
    return Operator::Gt;
  case Operator::Le:
    return Operator::Ge;
  case Operator::Gt:
    return Operator::Lt;
  case Operator::Ge:
    return Operator::Le;
  default:
    return op;
  }
}
static Operator negate(Operator op) {
  switch (op) {
  case Operator::Lt:
    return Operator::Ge;
  case Operator::Le:
    return Operator::Gt;
  case Operator::Gt:
    return Operator::Le;
  case Operator::Ge:
    return Operator::Lt;
  case Operator::Eq:
    return Operator::Ne;
  default:
    return Operator::Eq;
  }
}

class ConditionReader {
public:
  ConditionReader(const GridExpression &condition, ArrayRef<KernelParameter> parameters,
                  function_ref<std::string(StringRef)> nameToC)
      : nodes(condition.nodes), root(condition.dimensions.front()), nameToC(nameToC) {
    for (const KernelParameter &parameter : parameters)
      if (parameter.constant) {
        if (const bool *boolean = std::get_if<bool>(&*parameter.constant))
          constants[parameter.name] = *boolean;
        else if (const int64_t *integer = std::get_if<int64_t>(&*parameter.constant))
          constants[parameter.name] = *integer;
      }
  }

  std::string printAll(bool isContrary) {
    fold();
    return print(root, isContrary);
  }

  std::vector<ConditionPart> read() {
    fold();
    // What must hold, and whether as it stands or its opposite.
    SmallVector<std::pair<size_t, bool>> open = {{root, true}};
    while (!open.empty()) {
      auto [index, isPlain] = open.pop_back_val();
      const Node &node = nodes[index];
      if (values[index]) {
        if ((*values[index] != 0) != isPlain)
          addNever(index, isPlain);
      } else if (isOperator(node, Operator::Not)) {
        open.push_back({node.operands.front(), !isPlain});
      } else if (std::optional<size_t> rest = withoutKnownSide(node)) {
        open.push_back({*rest, isPlain});
      } else if (isOperator(node, isPlain ? Operator::And : Operator::Or)) {
        open.push_back({node.operands.back(), isPlain});
        open.push_back({node.operands.front(), isPlain});
      } else if (!addComparison(index, isPlain)) {
        addOther(index, isPlain);
      }
    }
    return std::move(parts);
  }

private:
  static bool isOperator(const Node &node, Operator op) {
    return node.kind == Node::Kind::Operator && node.op == op;
  }

  static bool isComparison(const Node &node) {
    return node.kind == Node::Kind::Operator && spell(node.op).first == 4;
  }

  /// The side of an `and` or `or` that decides, where the other one is known not to.
  std::optional<size_t> withoutKnownSide(const Node &node) const {
    if (!isOperator(node, Operator::And) && !isOperator(node, Operator::Or))
      return std::nullopt;
    for (bool isLeft : {true, false}) {
      std::optional<int64_t> value = values[isLeft ? node.operands.front() : node.operands.back()];
      if (value && (*value != 0) == (node.op == Operator::And))
        return isLeft ? node.operands.back() : node.operands.front();
    }
    return std::nullopt;
  }

  void fold() {
    for (const Node &node : nodes) {
      std::optional<int64_t> value;
      if (node.kind == Node::Kind::Literal) {
        value = node.literal;
      } else if (node.kind == Node::Kind::Name) {
        if (auto constant = constants.find(node.name); constant != constants.end())
          value = constant->second;
      } else {
        std::optional<int64_t> left = values[node.operands.front()], right = values[node.operands.back()];
        if (left && node.op == Operator::And && *left == 0) {
          value = 0;
        } else if (left && node.op == Operator::Or && *left != 0) {
          value = 1;
        } else if (left && right) {
          if (Expected<int64_t> result = applyGridOperator(node.op, *left, *right))
            value = *result;
          else
            consumeError(result.takeError());
        }
      }
      values.push_back(value);
      begins.push_back(node.kind == Node::Kind::Operator ? begins[node.operands.front()] : values.size() - 1);
    }
  }

  /// As text, with what is known put in; or its contrary, `n != 4` for `n == 4`.
  std::string print(size_t root, bool isContrary = false) const {
    std::vector<std::string> texts(root + 1);
    std::vector<unsigned> precedences(root + 1, 8);
    for (size_t index = begins[root]; index <= root; ++index) {
      const Node &node = nodes[index];
      if (values[index]) {
        texts[index] = std::to_string(*values[index]);
        continue;
      }
      if (node.kind == Node::Kind::Name) {
        texts[index] = node.name;
        continue;
      }
      bool isExchanged = isContrary && index == root && isComparison(node);
      auto [precedence, sign] = spell(isExchanged ? negate(node.op) : node.op);
      precedences[index] = precedence;
      // The right operand of an operator that binds as tightly needs brackets, as do comparisons on either
      // side.
      auto operand = [&, least = precedence](size_t which, bool isRight) {
        unsigned own = precedences[which];
        bool isPlain = own > least || (own == least && !isRight && least != 4);
        return isPlain ? texts[which] : "(" + texts[which] + ")";
      };
      size_t left = node.operands.front(), right = node.operands.back();
      if (node.op == Operator::NextPowerOf2)
        texts[index] = "next_power_of_2(" + texts[left] + ")";
      else if (node.op == Operator::CDiv || node.op == Operator::Min || node.op == Operator::Max)
        texts[index] = std::string(node.op == Operator::CDiv  ? "cdiv"
                                   : node.op == Operator::Min ? "min"
                                                              : "max") +
                       "(" + texts[left] + ", " + texts[right] + ")";
      else if (node.operands.size() == 1)
        texts[index] = sign + operand(left, false);
      else
        texts[index] = operand(left, false) + sign + operand(right, true);
    }
    if (!isContrary || (!values[root] && isComparison(nodes[root])))
      return texts[root];
    if (isOperator(nodes[root], Operator::Not))
      return texts[nodes[root].operands.front()];
    return nodes[root].kind == Node::Kind::Operator ? "not (" + texts[root] + ")" : "not " + texts[root];
  }

  /// The expression below a node by itself, for its C text. What is known is a literal in it.
  std::vector<std::string> printC(size_t root) const {
    GridExpression part;
    size_t begin = begins[root];
    // A node that is known stands for all below it.
    std::vector<size_t> places(root + 1, 0);
    std::vector<bool> isBelowKnown(root + 1, false);
    for (size_t index = root + 1; index-- > begin;)
      if (values[index] || isBelowKnown[index])
        for (size_t operand : nodes[index].operands)
          isBelowKnown[operand] = true;
    for (size_t index = begin; index <= root; ++index) {
      places[index] = part.nodes.size();
      if (isBelowKnown[index])
        continue;
      Node node = nodes[index];
      if (values[index]) {
        node.kind = Node::Kind::Literal;
        node.literal = *values[index];
        node.operands.clear();
      } else {
        for (size_t &operand : node.operands)
          operand = places[operand];
        if (isOperator(node, Operator::And) || isOperator(node, Operator::Or))
          node.rightBegin = places[node.rightBegin];
      }
      part.nodes.push_back(std::move(node));
    }
    part.dimensions = {part.nodes.size() - 1};
    return part.printC(nameToC);
  }

  /// Whether what is below a node may overflow or divide by zero.
  bool mayFail(size_t root) const {
    std::vector<size_t> open = {root};
    while (!open.empty()) {
      size_t index = open.back();
      open.pop_back();
      const Node &node = nodes[index];
      if (values[index])
        continue;
      // A number that may be beyond 64 bits with a sign.
      if (node.kind == Node::Kind::Name && StringRef(nameToC(node.name)).contains("(bad, "))
        return true;
      if (node.kind != Node::Kind::Operator)
        continue;
      switch (node.op) {
      case Operator::Div:
      case Operator::Mod:
      case Operator::CDiv:
        if (std::optional<int64_t> divisor = values[node.operands.back()]; !divisor || *divisor <= 0)
          return true;
        break;
      case Operator::Add:
      case Operator::Sub:
      case Operator::Mul:
      case Operator::Neg:
      case Operator::NextPowerOf2:
        return true;
      default:
        break;
      }
      append_range(open, node.operands);
    }
    return false;
  }

  void addNever(size_t index, bool isPlain) {
    ConditionPart part;
    part.kind = ConditionPart::Kind::Never;
    part.text = printKnown(index, isPlain);
    parts.push_back(std::move(part));
  }

  /// How something that is known was written, `BLOCK > 512`: its value alone would explain nothing.
  std::string printKnown(size_t index, bool isPlain) const {
    SMRange range = nodes[index].range;
    StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
    return (isPlain ? "" : "not ") + text.trim().str();
  }

  void addOther(size_t index, bool isPlain) {
    ConditionPart part;
    part.subject = print(index);
    part.contrary = print(index, /*isContrary=*/true);
    part.subjectC = printC(index);
    part.mayFail = mayFail(index);
    part.isContrary = !isPlain;
    part.text = isPlain ? part.subject : part.contrary;
    if (!isPlain && nodes[index].kind == Node::Kind::Name) {
      part.kind = ConditionPart::Kind::Range;
      part.range = {0, 0};
      part.isParameter = true;
    }
    parts.push_back(std::move(part));
  }

  /// A comparison with a known number, as a range.
  bool addComparison(size_t index, bool isPlain) {
    const Node &node = nodes[index];
    if (!isComparison(node))
      return false;
    size_t subject = node.operands.front(), other = node.operands.back();
    Operator op = isPlain ? node.op : negate(node.op);
    if (values[subject]) {
      std::swap(subject, other);
      op = exchange(op);
    }
    if (!values[other] || op == Operator::Ne)
      return false;
    int64_t number = *values[other];
    ConditionPart part;
    part.text = print(index, !isPlain);
    if (isDivisibility(subject, op, number, part)) {
      parts.push_back(std::move(part));
      return true;
    }
    part.kind = ConditionPart::Kind::Range;
    part.subject = print(subject);
    part.subjectC = printC(subject);
    part.mayFail = mayFail(subject);
    part.isParameter = nodes[subject].kind == Node::Kind::Name;
    bool isEmpty = (op == Operator::Lt && number == INT64_MIN) || (op == Operator::Gt && number == INT64_MAX);
    if (isEmpty)
      part.kind = ConditionPart::Kind::Never;
    else if (op == Operator::Lt || op == Operator::Le)
      part.range.most = number - (op == Operator::Lt);
    else if (op == Operator::Gt || op == Operator::Ge)
      part.range.least = number + (op == Operator::Gt);
    else
      part.range = {number, number};
    parts.push_back(std::move(part));
    return true;
  }

  /// `n % 16 == 0`.
  bool isDivisibility(size_t subject, Operator op, int64_t number, ConditionPart &part) const {
    const Node &node = nodes[subject];
    if (op != Operator::Eq || number != 0 || !isOperator(node, Operator::Mod))
      return false;
    size_t name = node.operands.front();
    std::optional<int64_t> divisor = values[node.operands.back()];
    constexpr int64_t mostDivisor = 1 << 30;
    if (nodes[name].kind != Node::Kind::Name || !divisor || *divisor < 2 || *divisor > mostDivisor ||
        !isPowerOf2_64(*divisor))
      return false;
    part.kind = ConditionPart::Kind::Divisible;
    part.subject = nodes[name].name;
    part.isParameter = true;
    part.divisor = static_cast<unsigned>(*divisor);
    return true;
  }

  const std::vector<Node> &nodes;
  size_t root;
  function_ref<std::string(StringRef)> nameToC;
  std::map<std::string, int64_t> constants;
  /// What each node is, where that is known, and where the nodes below it begin.
  std::vector<std::optional<int64_t>> values;
  std::vector<size_t> begins;
  std::vector<ConditionPart> parts;
};

std::vector<ConditionPart> readCondition(const GridExpression &condition,
                                         ArrayRef<KernelParameter> parameters,
                                         function_ref<std::string(StringRef)> nameToC) {
  return ConditionReader(condition, parameters, nameToC).read();
}

std::string printCondition(const GridExpression &condition, bool isContrary) {
  auto nameToC = [](StringRef name) { return name.str(); };
  return ConditionReader(condition, {}, nameToC).printAll(isContrary);
}

} // namespace nereid
