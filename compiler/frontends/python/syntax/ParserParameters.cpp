// Parameters of functions and lambdas, and type parameters.
#include "compiler/frontends/python/syntax/ParserImpl.h"

#include "llvm/ADT/DenseSet.h"

using namespace llvm;

namespace nereid::python {

const ast::Arg *Parser::parseParameter(bool isLambda, bool isStar) {
  const char *start = here();
  if (at(TokenKind::LeftParen))
    failHere(isLambda ? "Lambda expression parameters cannot be parenthesized"
                      : "Function parameters cannot be parenthesized");
  StringRef name = parseIdentifier();
  const ast::Expression *annotation = nullptr;
  if (!isLambda && accept(TokenKind::Colon))
    annotation = isStar ? parseStarExpression() : parseExpression();
  auto *arg = make<ast::Arg>(start);
  arg->arg = name;
  arg->annotation = annotation;
  return arg;
}

/// At the equals sign.
const ast::Expression *Parser::parseDefault(TokenKind closing) {
  const Token &equal = advance();
  if (at(closing) || at(TokenKind::Comma))
    fail(equal.getRange(), "expected default value expression");
  return parseExpression();
}

/// Up to the closing parenthesis or colon, which stays.
const ast::Arguments *Parser::parseParameters(TokenKind closing, bool isLambda) {
  Vector<ast::Arg> posonlyargs, args, kwonlyargs;
  ExpressionVector defaults, kwDefaults;
  auto *arguments = context.make<ast::Arguments>(SMRange());
  const Token *star = nullptr;
  bool seenSlash = false;
  SmallDenseSet<StringRef> names;
  auto parseUnique = [&](bool isStar) {
    const ast::Arg *arg = parseParameter(isLambda, isStar);
    if (!names.insert(arg->arg).second)
      fail(arg->range, "duplicate parameter '" + arg->arg + "' in function definition");
    return arg;
  };

  while (!at(closing)) {
    if (arguments->kwarg)
      failHere("arguments cannot follow var-keyword argument");
    if (at(TokenKind::StarStar)) {
      if (star && !arguments->vararg && kwonlyargs.empty())
        fail(star->getRange(), "named arguments must follow bare *");
      advance();
      arguments->kwarg = parseUnique(/*isStar=*/false);
      if (at(TokenKind::Equal))
        failHere("var-keyword argument cannot have default value");
    } else if (at(TokenKind::Star)) {
      if (star)
        failHere("* argument may appear only once");
      star = &advance();
      if (!at(TokenKind::Comma) && !at(closing)) {
        arguments->vararg = parseUnique(/*isStar=*/true);
        if (at(TokenKind::Equal))
          failHere("var-positional argument cannot have default value");
      }
    } else if (at(TokenKind::Slash)) {
      if (seenSlash)
        failHere("/ may appear only once");
      if (star)
        failHere("/ must be ahead of *");
      if (args.empty())
        failHere("at least one argument must precede /");
      seenSlash = true;
      advance();
      posonlyargs.swap(args);
    } else {
      const ast::Arg *arg = parseUnique(/*isStar=*/false);
      const ast::Expression *value = at(TokenKind::Equal) ? parseDefault(closing) : nullptr;
      if (star) {
        kwonlyargs.push_back(arg);
        kwDefaults.push_back(value);
      } else {
        if (value)
          defaults.push_back(value);
        else if (!defaults.empty())
          fail(arg->range, "parameter without a default follows parameter with a default");
        args.push_back(arg);
      }
    }
    if (!at(closing))
      expect(TokenKind::Comma);
  }
  if (star && !arguments->vararg && kwonlyargs.empty())
    fail(star->getRange(), "named arguments must follow bare *");

  arguments->posonlyargs = copy(posonlyargs);
  arguments->args = copy(args);
  arguments->kwonlyargs = copy(kwonlyargs);
  arguments->kw_defaults = copy(kwDefaults);
  arguments->defaults = copy(defaults);
  return arguments;
}

const ast::TypeParam *Parser::parseTypeParam() {
  const char *start = here();
  bool isTuple = accept(TokenKind::Star);
  bool isSpec = !isTuple && accept(TokenKind::StarStar);
  StringRef name = parseIdentifier();
  if (isTuple || isSpec) {
    if (at(TokenKind::Colon)) {
      advance();
      const ast::Expression *bound = parseExpression();
      fail(bound->range, Twine("cannot use ") + (isa<ast::Tuple>(bound) ? "constraints" : "bound") +
                             " with " + (isTuple ? "TypeVarTuple" : "ParamSpec"));
    }
    ast::TypeParam *param = nullptr;
    if (isTuple)
      param = make<ast::TypeVarTuple>(start);
    else
      param = make<ast::ParamSpec>(start);
    param->name = name;
    return param;
  }
  const ast::Expression *bound = accept(TokenKind::Colon) ? parseExpression() : nullptr;
  auto *param = make<ast::TypeVar>(start);
  param->name = name;
  param->bound = bound;
  return param;
}

/// `[T: int, *Ts, **P]`, if there is one.
ast::TypeParams Parser::parseTypeParams() {
  if (!accept(TokenKind::LeftBracket))
    return {};
  if (at(TokenKind::RightBracket))
    failHere("Type parameter list cannot be empty");
  Vector<ast::TypeParam> params;
  do {
    params.push_back(parseTypeParam());
    if (!at(TokenKind::RightBracket))
      expect(TokenKind::Comma);
  } while (!accept(TokenKind::RightBracket));
  return copy(params);
}

} // namespace nereid::python
