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

/// Adds what is not declared by then.
static void addOuter(const StringSet<> &assigned, const StringSet<> &declared, StringSet<> &names) {
  for (const auto &entry : assigned)
    if (!declared.contains(entry.getKey()))
      names.insert(entry.getKey());
}

static void addDeclared(const Statement *statement, StringSet<> &declared) {
  for (const Declaration &declaration : statement->declarations)
    declared.insert(declaration.name);
}

void findAssignedNames(const Statement *statement, StringSet<> &names) {
  spendSteps(1);
  for (const Declaration &declaration : statement->declarations)
    if (declaration.initial)
      findAssignedNames(declaration.initial, names);
  StringSet<> declared;
  if (statement->initial) {
    findAssignedNames(statement->initial, names);
    addDeclared(statement->initial, declared);
  }
  StringSet<> assigned;
  for (const Expression *expression : {statement->expression, statement->step})
    if (expression)
      findAssignedNames(expression, assigned);
  // A block's own variables come to be one after the other.
  for (const Statement *inner : statement->body) {
    findAssignedNames(inner, assigned);
    if (statement->kind != Statement::Kind::Block)
      continue;
    addOuter(assigned, declared, names);
    assigned.clear();
    addDeclared(inner, declared);
  }
  addOuter(assigned, declared, names);
}

} // namespace nereid::triton_c
