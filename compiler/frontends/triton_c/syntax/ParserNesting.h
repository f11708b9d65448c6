// What keeps hostile files off the stack: the parser refuses what is nested too deep, and with it the tree
// that all later walks go down.
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_PARSERNESTING_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_PARSERNESTING_H

#include "compiler/frontends/triton_c/syntax/Parser.h"

namespace nereid::triton_c {

/// Levels of brackets and statements; and of operators in one expression, where `a + a + …` has as many as
/// signs.
constexpr unsigned deepestNesting = 200, deepestExpression = 500;

class Parser::Nesting {
public:
  explicit Nesting(Parser &parser) : parser(parser) {
    if (++parser.depth > deepestNesting)
      parser.failHere("this is nested more than " + llvm::Twine(deepestNesting) + " levels deep");
  }
  ~Nesting() { --parser.depth; }
  Nesting(const Nesting &) = delete;

private:
  Parser &parser;
};

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_PARSERNESTING_H
