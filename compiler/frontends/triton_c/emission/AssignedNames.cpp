// Which names are assigned to below a node, as they are spelled: of a shadowed name too, which then is
// carried by a loop in vain and dropped again.
#include "compiler/frontends/triton_c/emission/Emitter.h"

using namespace llvm;

namespace nereid::triton_c {

void findAssignedNames(const Expression *expression, StringSet<> &names) {
  spendSteps(1);
  bool assigns =
      expression->kind == Expression::Kind::Assign || expression->kind == Expression::Kind::Increment;
  if (assigns && expression->operands[0]->kind == Expression::Kind::Name)
    names.insert(expression->operands[0]->text);
  for (const Expression *operand : expression->operands)
    findAssignedNames(operand, names);
  for (const SubscriptItem &item : expression->items)
    if (item.index)
      findAssignedNames(item.index, names);
}

void findAssignedNames(const Statement *statement, StringSet<> &names) {
  spendSteps(1);
  for (const Declaration &declaration : statement->declarations)
    if (declaration.initial)
      findAssignedNames(declaration.initial, names);
  for (const Expression *expression : {statement->expression, statement->step})
    if (expression)
      findAssignedNames(expression, names);
  if (statement->initial)
    findAssignedNames(statement->initial, names);
  for (const Statement *inner : statement->body)
    findAssignedNames(inner, names);
}

} // namespace nereid::triton_c
