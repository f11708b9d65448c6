// Python's `//` is the grid's `/`; they differ for negative numbers only, of which sizes are none.
#include "compiler/frontends/python/emission/HeuristicConditions.h"

#include "compiler/frontends/python/syntax/Ast.h"

#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace llvm;

namespace nereid::python {

namespace {

class ConditionPrinter {
public:
  /// `arguments` is what the lambda calls its dictionary.
  explicit ConditionPrinter(StringRef arguments) : arguments(arguments) {}

  using Text = std::optional<std::string>;

  Text print(const ast::Expression *expression) const {
    if (auto *subscript = dyn_cast<ast::Subscript>(expression)) {
      auto *name = dyn_cast<ast::Name>(subscript->value);
      auto *key = dyn_cast<ast::Constant>(subscript->slice);
      if (!name || name->id != arguments || !key || key->type != ast::Constant::Type::Str)
        return std::nullopt;
      return key->text.str();
    }
    if (auto *constant = dyn_cast<ast::Constant>(expression)) {
      if (constant->isBool())
        return std::string(constant->type == ast::Constant::Type::True ? "1" : "0");
      if (constant->type != ast::Constant::Type::Int || constant->words.size() != 1 ||
          constant->words[0] > uint64_t(INT64_MAX))
        return std::nullopt;
      return utostr(constant->words[0]);
    }
    if (auto *operation = dyn_cast<ast::BinOp>(expression))
      return join(print(operation->left), getSign(operation->op), print(operation->right));
    if (auto *operation = dyn_cast<ast::UnaryOp>(expression)) {
      Text operand = print(operation->operand);
      if (!operand || operation->op == ast::UnaryOperator::Invert)
        return std::nullopt;
      return (operation->op == ast::UnaryOperator::Not    ? "(not "
              : operation->op == ast::UnaryOperator::USub ? "(-"
                                                          : "(") +
             *operand + ")";
    }
    if (auto *operation = dyn_cast<ast::BoolOp>(expression)) {
      StringRef sign = operation->op == ast::BoolOperator::And ? "and" : "or";
      Text all = print(operation->values.front());
      for (const ast::Expression *value : operation->values.drop_front())
        all = join(all, sign, print(value));
      return all;
    }
    if (auto *comparison = dyn_cast<ast::Compare>(expression))
      return printComparison(*comparison);
    if (auto *call = dyn_cast<ast::Call>(expression))
      return printCall(*call);
    return std::nullopt;
  }

  /// Whether an expression is True or False, rather than a number.
  static bool isCondition(const ast::Expression *expression) {
    if (auto *operation = dyn_cast<ast::BoolOp>(expression))
      return all_of(operation->values, isCondition);
    auto *operation = dyn_cast<ast::UnaryOp>(expression);
    return isa<ast::Compare>(expression) || (operation && operation->op == ast::UnaryOperator::Not);
  }

private:
  static Text join(const Text &left, StringRef sign, const Text &right) {
    if (!left || !right || sign.empty())
      return std::nullopt;
    return "(" + *left + " " + sign.str() + " " + *right + ")";
  }

  static StringRef getSign(ast::Operator op) {
    switch (op) {
    case ast::Operator::Add:
      return "+";
    case ast::Operator::Sub:
      return "-";
    case ast::Operator::Mult:
      return "*";
    case ast::Operator::FloorDiv:
      return "/";
    case ast::Operator::Mod:
      return "%";
    default:
      return "";
    }
  }

  static StringRef getSign(ast::CmpOp op) {
    switch (op) {
    case ast::CmpOp::Lt:
      return "<";
    case ast::CmpOp::LtE:
      return "<=";
    case ast::CmpOp::Gt:
      return ">";
    case ast::CmpOp::GtE:
      return ">=";
    case ast::CmpOp::Eq:
      return "==";
    case ast::CmpOp::NotEq:
      return "!=";
    default:
      return "";
    }
  }

  Text printComparison(const ast::Compare &comparison) const {
    Text all, left = print(comparison.left);
    for (size_t i = 0; i < comparison.ops.size(); ++i) {
      Text right = print(comparison.comparators[i]), part = join(left, getSign(comparison.ops[i]), right);
      if (!part)
        return std::nullopt;
      all = i == 0 ? part : join(all, "and", part);
      left = right;
    }
    return all;
  }

  Text printCall(const ast::Call &call) const {
    // `triton.cdiv`, `min`
    auto *attribute = dyn_cast<ast::Attribute>(call.func);
    auto *own = dyn_cast<ast::Name>(call.func);
    StringRef name = attribute ? attribute->attr : own ? own->id : "";
    bool isKnown = (name == "cdiv" && call.args.size() == 2) ||
                   (name == "next_power_of_2" && call.args.size() == 1) ||
                   (own && (name == "min" || name == "max"));
    if (!isKnown || !call.keywords.empty() || call.args.empty())
      return std::nullopt;
    std::string text = name.str() + "(";
    for (size_t i = 0; i < call.args.size(); ++i) {
      Text argument = print(call.args[i]);
      if (!argument)
        return std::nullopt;
      text += (i ? ", " : "") + *argument;
    }
    return text + ")";
  }

  StringRef arguments;
};

} // namespace

std::vector<std::pair<std::string, std::string>> findHeuristicConditions(const Function &kernel) {
  std::vector<std::pair<std::string, std::string>> conditions;
  for (const auto &[parameter, value] : kernel.heuristics) {
    auto *function = value.object<const Function>();
    if (!function || !function->lambda || function->lambda->args->args.size() != 1 ||
        !ConditionPrinter::isCondition(function->lambda->body))
      continue;
    ConditionPrinter printer(function->lambda->args->args[0]->arg);
    if (auto text = printer.print(function->lambda->body))
      conditions.push_back({parameter, *text});
  }
  return conditions;
}

} // namespace nereid::python
