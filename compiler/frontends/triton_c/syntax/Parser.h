// Tokens to a syntax tree, by recursive descent.
//
// The grammar is C's, less what has no meaning in a kernel, plus the page of Triton-C. From the tightest:
//
//     x[:, newaxis]  f(x)  x++              (T)x  -x  !x  ~x  *p  *?(mask)p  ^x  ++x
//     a ... b                                so that  row * TM + 0 ... TM  is a range behind a sum
//     *  /  %  @      +  -      <<  >>      <  <=  >  >=      ==  !=      &      ^      |      &&      ||
//     ?:                                     =  +=  …          ,
//
// `^` before an operand, or behind one where none follows, transposes; between two it is C's xor.
#ifndef NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_PARSER_H
#define NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_PARSER_H

#include "compiler/frontends/triton_c/syntax/Ast.h"
#include "compiler/frontends/types/WorkMeter.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

namespace nereid::triton_c {

/// Throws a Refusal at the first thing that is no Triton-C. `tokens` end with End.
std::unique_ptr<TranslationUnit> parse(llvm::ArrayRef<Token> tokens, const ExpansionTable &expansions,
                                       semantics::WorkMeter &meter);

class Parser {
public:
  Parser(llvm::ArrayRef<Token> tokens, const ExpansionTable &expansions, semantics::WorkMeter &meter)
      : tokens(tokens), expansions(expansions), meter(meter), unit(std::make_unique<TranslationUnit>()) {}

  std::unique_ptr<TranslationUnit> parseFile();

private:
  class Nesting;

  // Parser.cpp: tokens, types, declarations
  const Token &peek(size_t ahead = 0) const { return tokens[std::min(next + ahead, tokens.size() - 1)]; }
  const Token &take();
  bool accept(llvm::StringRef punctuator);
  const Token &expect(llvm::StringRef punctuator, llvm::StringRef where);
  [[noreturn]] void fail(const Place &place, const llvm::Twine &message);
  [[noreturn]] void failHere(const llvm::Twine &message);
  Place from(const Place &first) const;

  void refuseUnsupported();
  bool startsType(size_t ahead = 0) const;
  /// Qualifiers and the name of a scalar type.
  TypeName parseScalarType(bool *isKernel = nullptr);
  void parsePointers(TypeName &type, std::vector<Attribute> *attributes);
  void parseShape(TypeName &type);
  /// In a cast: all of it.
  TypeName parseTypeName();
  bool parseAttribute(std::vector<Attribute> &attributes);
  void parseAttributes(std::vector<Attribute> &attributes) {
    while (parseAttribute(attributes))
      ;
  }
  /// The variable behind the type: pointers, name, shape, attributes, initial value.
  Declaration parseDeclarator(const TypeName &type, bool isParameter);
  void parseTopLevel();
  void parseFunction(TypeName result, bool isKernel);
  void parseTypedef();

  // ParserStatements.cpp
  const Statement *parseStatement();
  Statement *parseBlock();
  Statement *parseDeclarations();
  const Statement *parseStaticAssert();
  const Statement *parseLoop();
  const Statement *parseIf();
  Statement *make(Statement::Kind kind, const Place &place);
  void adopt(Statement *parent, const Statement *child, bool isLoop = false);

  // ParserExpressions.cpp
  const Expression *parseExpression();
  const Expression *parseAssignment();
  const Expression *parseConditional();
  const Expression *parseBinary(unsigned leastPrecedence);
  const Expression *parseRange();
  const Expression *parseUnary();
  const Expression *parsePostfix();
  const Expression *parsePrimary();
  const Expression *parseCallOrName();
  const Expression *parseSubscript(const Expression *base);
  SubscriptItem parseItem();
  Expression *make(Expression::Kind kind, const Place &place, std::vector<const Expression *> operands = {});
  bool endsOperand(size_t ahead) const;

  llvm::ArrayRef<Token> tokens;
  size_t next = 0;
  const ExpansionTable &expansions;
  semantics::WorkMeter &meter;
  std::unique_ptr<TranslationUnit> unit;
  llvm::StringMap<TypeName> typedefs;
  unsigned depth = 0;
};

} // namespace nereid::triton_c

#endif // NEREID_COMPILER_FRONTENDS_TRITON_C_SYNTAX_PARSER_H
