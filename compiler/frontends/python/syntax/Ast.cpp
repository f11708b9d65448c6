// Names of the nodes and operators.
#include "compiler/frontends/python/syntax/Ast.h"

#include "compiler/frontends/python/syntax/AstFields.h"

using namespace llvm;

namespace nereid::python::ast {

StringRef getKindName(NodeKind kind) {
  switch (kind) {
  // These are written in lower case in Python.
  case NodeKind::Comprehension:
    return "comprehension";
  case NodeKind::Arguments:
    return "arguments";
  case NodeKind::Arg:
    return "arg";
  case NodeKind::Keyword:
    return "keyword";
  case NodeKind::Alias:
    return "alias";
  case NodeKind::WithItem:
    return "withitem";
  case NodeKind::MatchCase:
    return "match_case";
  default:
    break;
  }
  switch (kind) {
#define NO_FIELD(NAME)
#define NAME_OF_NODE(CLASS, FIELDS)                                                                          \
  case NodeKind::CLASS:                                                                                      \
    return #CLASS;
    NEREID_PYTHON_NODES(NAME_OF_NODE, NO_FIELD)
  }
  llvm_unreachable("every kind has a name");
}

StringRef getName(ExprContext context) {
  static const char *const names[] = {"Load", "Store", "Del"};
  return names[static_cast<unsigned>(context)];
}

StringRef getName(BoolOperator op) { return op == BoolOperator::And ? "And" : "Or"; }

StringRef getName(Operator op) {
  static const char *const names[] = {"Add",    "Sub",    "Mult",  "MatMult", "Div",    "Mod",     "Pow",
                                      "LShift", "RShift", "BitOr", "BitXor",  "BitAnd", "FloorDiv"};
  return names[static_cast<unsigned>(op)];
}

StringRef getName(UnaryOperator op) {
  static const char *const names[] = {"Invert", "Not", "UAdd", "USub"};
  return names[static_cast<unsigned>(op)];
}

StringRef getName(CmpOp op) {
  static const char *const names[] = {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn"};
  return names[static_cast<unsigned>(op)];
}

StringRef getSpelling(BoolOperator op) { return op == BoolOperator::And ? "and" : "or"; }

StringRef getSpelling(Operator op) {
  static const char *const spellings[] = {"+",  "-",  "*", "@", "/", "%", "**",
                                          "<<", ">>", "|", "^", "&", "//"};
  return spellings[static_cast<unsigned>(op)];
}

StringRef getSpelling(UnaryOperator op) {
  static const char *const spellings[] = {"~", "not", "+", "-"};
  return spellings[static_cast<unsigned>(op)];
}

StringRef getSpelling(CmpOp op) {
  static const char *const spellings[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};
  return spellings[static_cast<unsigned>(op)];
}

APInt Constant::getInt() const {
  APInt wide(static_cast<unsigned>(words.size() * 64 + 1), words);
  return wide.trunc(wide.getActiveBits() + 1);
}

} // namespace nereid::python::ast
