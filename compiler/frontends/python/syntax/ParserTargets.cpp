// What may stand left of `=`, behind `for`, `as` and `del`. Targets are parsed as expressions and marked
// afterwards, because only what follows (`a, b = …`, `a, b`) tells which of the two they were.
#include "compiler/frontends/python/syntax/ParserImpl.h"

using namespace llvm;

namespace nereid::python {

const ast::Expression *Parser::findInvalidTarget(const ast::Expression *target, ast::ExprContext ctx) {
  if (isa<ast::Name, ast::Attribute, ast::Subscript>(target))
    return nullptr;
  if (auto *starred = dyn_cast<ast::Starred>(target))
    return ctx == ast::ExprContext::Del ? target : findInvalidTarget(starred->value, ctx);
  ast::Expressions elements;
  if (auto *list = dyn_cast<ast::List>(target))
    elements = list->elts;
  else if (auto *tuple = dyn_cast<ast::Tuple>(target))
    elements = tuple->elts;
  else
    return target;
  for (const ast::Expression *element : elements)
    if (const ast::Expression *invalid = findInvalidTarget(element, ctx))
      return invalid;
  return nullptr;
}

/// Only this function writes to nodes that are finished.
static void markTarget(const ast::Expression *target, ast::ExprContext ctx) {
  switch (target->kind) {
  case ast::NodeKind::Name:
    const_cast<ast::Name *>(cast<ast::Name>(target))->ctx = ctx;
    return;
  case ast::NodeKind::Attribute:
    const_cast<ast::Attribute *>(cast<ast::Attribute>(target))->ctx = ctx;
    return;
  case ast::NodeKind::Subscript:
    const_cast<ast::Subscript *>(cast<ast::Subscript>(target))->ctx = ctx;
    return;
  case ast::NodeKind::Starred:
    const_cast<ast::Starred *>(cast<ast::Starred>(target))->ctx = ctx;
    markTarget(cast<ast::Starred>(target)->value, ctx);
    return;
  case ast::NodeKind::List:
    const_cast<ast::List *>(cast<ast::List>(target))->ctx = ctx;
    for (const ast::Expression *element : cast<ast::List>(target)->elts)
      markTarget(element, ctx);
    return;
  case ast::NodeKind::Tuple:
    const_cast<ast::Tuple *>(cast<ast::Tuple>(target))->ctx = ctx;
    for (const ast::Expression *element : cast<ast::Tuple>(target)->elts)
      markTarget(element, ctx);
    return;
  default:
    llvm_unreachable("findInvalidTarget found nothing");
  }
}

void Parser::setContext(const ast::Expression *target, ast::ExprContext ctx) {
  if (const ast::Expression *invalid = findInvalidTarget(target, ctx))
    failTarget(invalid, ctx == ast::ExprContext::Del ? "delete" : "assign to");
  markTarget(target, ctx);
}

/// Stops before `in`, which a comparison would take.
const ast::Expression *Parser::parseTargetElement() {
  const char *start = here();
  if (!accept(TokenKind::Star))
    return parseBitOr();
  const ast::Expression *value = parseBitOr();
  auto *starred = make<ast::Starred>(start);
  starred->value = value;
  return starred;
}

const ast::Expression *Parser::parseTargetList() {
  const char *start = here();
  return parseTupleRest(start, parseTargetElement(), &Parser::parseTargetElement);
}

} // namespace nereid::python
