// Types and declarations.
#include "compiler/frontends/triton_c/syntax/Parser.h"

#include "compiler/frontends/triton_c/syntax/ParserNesting.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace nereid::triton_c {

std::unique_ptr<TranslationUnit> parse(ArrayRef<Token> tokens, const ExpansionTable &expansions,
                                       semantics::WorkMeter &meter) {
  return Parser(tokens, expansions, meter).parseFile();
}

void Parser::fail(const Place &place, const Twine &message) {
  throw Refusal{expansions.inFile(place).getRange(), message.str(), expansions.explain(place)};
}

static std::string describe(const Token &token) {
  return token.kind == TokenKind::End ? "the end of the file" : "'" + token.text.str() + "'";
}

void Parser::failHere(const Twine &message) { fail(peek().place, message); }

const Token &Parser::take() {
  const Token &token = peek();
  if (next + 1 < tokens.size())
    ++next;
  return token;
}

bool Parser::accept(StringRef punctuator) {
  if (!peek().is(punctuator))
    return false;
  take();
  return true;
}

const Token &Parser::expect(StringRef punctuator, StringRef where) {
  if (!peek().is(punctuator))
    failHere("expected '" + punctuator + "' " + where + ", not " + describe(peek()));
  return take();
}

Place Parser::from(const Place &first) const {
  return expansions.span(first, next ? tokens[next - 1].place : first);
}

/// What C has and kernels do not.
void Parser::refuseUnsupported() {
  const Token &token = peek();
  if (token.isName("struct") || token.isName("union"))
    fail(token.place, "'" + token.text +
                          "' is not supported: values of a kernel are numbers, pointers and blocks of "
                          "them; pass the members one by one");
  if (token.isName("enum"))
    fail(token.place, "'enum' is not supported; write 'const int NAME = VALUE;' or #define");
  if (token.isName("switch") || token.isName("case") || token.isName("default"))
    fail(token.place, "'" + token.text + "' is not supported; use 'if' and 'else'");
  if (token.isName("goto"))
    fail(token.place, "'goto' is not supported; use loops, 'break' and 'return'");
  if (token.isName("asm") || token.isName("__asm__"))
    fail(token.place, "'" + token.text + "' is not supported");
}

/// The types of one word.
static std::optional<ScalarKind> findType(StringRef name) {
  return StringSwitch<std::optional<ScalarKind>>(name)
      .Cases({"bool", "_Bool", "int1"}, ScalarKind::Int1)
      .Cases({"int8", "int8_t"}, ScalarKind::Int8)
      .Cases({"int16", "int16_t"}, ScalarKind::Int16)
      .Cases({"int32", "int32_t"}, ScalarKind::Int32)
      .Cases({"int64", "int64_t", "ptrdiff_t", "intptr_t"}, ScalarKind::Int64)
      .Cases({"uint8", "uint8_t", "uchar"}, ScalarKind::UInt8)
      .Cases({"uint16", "uint16_t", "ushort"}, ScalarKind::UInt16)
      .Cases({"uint32", "uint32_t", "uint"}, ScalarKind::UInt32)
      .Cases({"uint64", "uint64_t", "size_t", "uintptr_t", "ulong"}, ScalarKind::UInt64)
      .Cases({"half", "float16", "_Float16"}, ScalarKind::FP16)
      .Cases({"bfloat16", "__bf16"}, ScalarKind::BF16)
      .Cases({"float", "float32"}, ScalarKind::FP32)
      .Cases({"double", "float64"}, ScalarKind::FP64)
      .Case("float8e4nv", ScalarKind::FP8E4NV)
      .Case("float8e4b8", ScalarKind::FP8E4B8)
      .Case("float8e4b15", ScalarKind::FP8E4B15)
      .Case("float8e5", ScalarKind::FP8E5)
      .Case("float8e5b16", ScalarKind::FP8E5B16)
      .Default(std::nullopt);
}

/// C's words that are put together to types.
static bool isTypeWord(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases({"void", "char", "short", "int", "long", "signed", "unsigned"}, true)
      .Default(false);
}

static bool isQualifier(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases(
          {"const", "volatile", "restrict", "__restrict", "__restrict__", "static", "inline", "__inline__"},
          true)
      .Cases({"register", "extern", "constexpr", "__device__", "__constant__", "auto"}, true)
      .Default(false);
}

bool Parser::startsType(size_t ahead) const {
  const Token &token = peek(ahead);
  return token.kind == TokenKind::Identifier &&
         (isTypeWord(token.text) || findType(token.text) || isQualifier(token.text) ||
          token.text == "__global__" || typedefs.count(token.text));
}

TypeName Parser::parseScalarType(bool *isKernel) {
  refuseUnsupported();
  TypeName type;
  const Place first = peek().place;
  bool isSigned = false, isUnsigned = false, hasWord = false, isVoid = false;
  unsigned longs = 0;
  bool isChar = false, isShort = false, isInt = false, isOther = false, isConst = false;
  for (; peek().kind == TokenKind::Identifier; take()) {
    const Token &token = peek();
    if (token.isName("__global__")) {
      if (!isKernel)
        fail(token.place, "'__global__' stands before the definition of a kernel");
      *isKernel = true;
      continue;
    }
    if (token.isName("auto"))
      fail(token.place, "'auto' is not supported; write the type");
    if (token.isName("extern"))
      fail(token.place,
           "'extern' is not supported: functions are defined in the file or in what it includes");
    if (isQualifier(token.text)) {
      isConst |= token.text == "const" || token.text == "constexpr" || token.text == "__constant__";
      continue;
    }
    bool isWord = isTypeWord(token.text);
    auto single = findType(token.text);
    auto alias = typedefs.find(token.text);
    if (!isWord && !single && alias == typedefs.end())
      break;
    // A name of a variable may be that of a type which was defined with typedef.
    if (hasWord && !isWord && (alias != typedefs.end() || isOther))
      break;
    if (isOther || (single && hasWord))
      fail(token.place, "'" + token.text + "' does not go with the type before it");
    if (single) {
      type.scalar = single;
      isOther = true;
    } else if (!isWord) {
      type = alias->second;
      isOther = true;
    }
    isSigned |= token.isName("signed");
    isUnsigned |= token.isName("unsigned");
    isVoid |= token.isName("void");
    isChar |= token.isName("char");
    isShort |= token.isName("short");
    isInt |= token.isName("int");
    longs += token.isName("long");
    hasWord = true;
  }
  if (!hasWord) {
    if (peek().kind == TokenKind::Identifier)
      failHere("'" + peek().text + "' is not the name of a type");
    failHere("expected a type, not " + describe(peek()));
  }
  type.isConst |= isConst;
  type.place = from(first);
  if (isOther)
    return type;
  bool isNumber = isSigned || isUnsigned || isChar || isShort || isInt || longs;
  if ((isVoid && isNumber) || (isSigned && isUnsigned) || isChar + isShort + (longs != 0) > 1 || longs > 2 ||
      (isChar && isInt))
    fail(type.place, "these words do not make a type");
  if (!isVoid) {
    if (isChar)
      type.scalar = isUnsigned ? ScalarKind::UInt8 : ScalarKind::Int8;
    else if (isShort)
      type.scalar = isUnsigned ? ScalarKind::UInt16 : ScalarKind::Int16;
    else if (longs)
      type.scalar = isUnsigned ? ScalarKind::UInt64 : ScalarKind::Int64;
    else
      type.scalar = isUnsigned ? ScalarKind::UInt32 : ScalarKind::Int32;
  }
  return type;
}

void Parser::parsePointers(TypeName &type, std::vector<Attribute> *attributes) {
  while (true) {
    if (accept("*")) {
      if (!type.pointers)
        type.pointsToConst = type.isConst;
      type.isConst = false;
      ++type.pointers;
      if (type.pointers > 8)
        failHere("this is a pointer to pointers of too many levels");
    } else if (peek().kind == TokenKind::Identifier && isQualifier(peek().text)) {
      type.isConst |= take().text == "const";
    } else if (!attributes || !parseAttribute(*attributes)) {
      return;
    }
  }
}

void Parser::parseShape(TypeName &type) {
  if (!peek().is("["))
    return;
  Nesting nesting(*this);
  const Place first = take().place;
  type.hasShape = true;
  if (peek().is("]"))
    failHere("the sizes of a block are missing: write x[16] or x[16, 32]");
  do
    type.shape.push_back(parseConditional());
  while (accept(","));
  expect("]", "after the sizes of a block");
  if (peek().is("["))
    fail(from(first), "a block has all its sizes in one pair of brackets: x[16, 32]");
  if (type.shape.size() > 16)
    fail(from(first), "a block of more than 16 dimensions");
}

TypeName Parser::parseTypeName() {
  TypeName type = parseScalarType();
  const Place first = type.place;
  parsePointers(type, nullptr);
  parseShape(type);
  type.place = from(first);
  return type;
}

bool Parser::parseAttribute(std::vector<Attribute> &attributes) {
  const Token &token = peek();
  if (token.kind != TokenKind::Identifier)
    return false;
  auto kind = StringSwitch<std::optional<Attribute::Kind>>(token.text)
                  .Cases({"__noalias", "__noalias__"}, Attribute::Kind::NoAlias)
                  .Cases({"__readonly", "__readonly__"}, Attribute::Kind::ReadOnly)
                  .Cases({"__writeonly", "__writeonly__"}, Attribute::Kind::WriteOnly)
                  .Cases({"__aligned", "__aligned__"}, Attribute::Kind::Aligned)
                  .Cases({"__multipleof", "__multipleof__"}, Attribute::Kind::MultipleOf)
                  .Cases({"__retune", "__retune__"}, Attribute::Kind::Retune)
                  .Default(std::nullopt);
  if (!kind)
    return false;
  take();
  Attribute attribute{*kind, nullptr, token.place};
  if (*kind == Attribute::Kind::Aligned || *kind == Attribute::Kind::MultipleOf) {
    expect("(", ("after '" + token.text + "'").str());
    attribute.value = parseConditional();
    expect(")", ("after the value of '" + token.text + "'").str());
    attribute.place = from(token.place);
  }
  attributes.push_back(attribute);
  return true;
}

Declaration Parser::parseDeclarator(const TypeName &type, bool isParameter) {
  Declaration declaration;
  declaration.type = type;
  parsePointers(declaration.type, &declaration.attributes);
  const Token &name = peek();
  if (name.kind != TokenKind::Identifier || isTypeWord(name.text) || isQualifier(name.text))
    failHere("expected a name after the type, not " + describe(name));
  take();
  declaration.name = name.text.str();
  declaration.place = name.place;
  if (peek().is("("))
    failHere("functions are defined at the top of the file, not in other functions");
  parseAttributes(declaration.attributes);
  parseShape(declaration.type);
  parseAttributes(declaration.attributes);
  declaration.type.place = type.place;
  if (peek().is("=")) {
    if (isParameter)
      failHere("a parameter has no value of its own");
    take();
    if (peek().is("{"))
      failHere("blocks are not made of lists in braces; use a range, 0 ... 16, or a number for all elements");
    declaration.initial = parseAssignment();
  }
  return declaration;
}

void Parser::parseTypedef() {
  take();
  TypeName type = parseScalarType();
  const Place first = type.place;
  parsePointers(type, nullptr);
  const Token &name = take();
  if (name.kind != TokenKind::Identifier)
    fail(name.place, "expected a name, not " + describe(name));
  if (peek().is("["))
    failHere("a typedef of a block is not supported: give the shape with each variable");
  expect(";", "after a typedef");
  type.place = from(first);
  typedefs[name.text] = type;
}

void Parser::parseFunction(TypeName result, bool isKernel) {
  auto function = std::make_unique<Function>();
  function->isKernel = isKernel;
  function->result = std::move(result);
  const Token &name = take();
  function->name = name.text.str();
  function->place = name.place;
  expect("(", "after the name of the function");
  if (peek().isName("void") && peek(1).is(")"))
    take();
  if (!accept(")")) {
    do {
      if (peek().is("..."))
        failHere("functions of any number of arguments are not supported");
      TypeName type = parseScalarType();
      function->parameters.push_back(parseDeclarator(type, /*isParameter=*/true));
      for (size_t i = 0; i + 1 < function->parameters.size(); ++i)
        if (function->parameters[i].name == function->parameters.back().name)
          fail(function->parameters.back().place,
               "two parameters are called '" + function->parameters[i].name + "'");
    } while (accept(","));
    expect(")", "after the parameters of the function");
  }
  // A declaration says nothing that the definition does not.
  if (accept(";"))
    return;
  if (!peek().is("{"))
    failHere("expected the body of '" + function->name + "', not " + describe(peek()));
  function->body = parseBlock();
  for (const auto &other : unit->functions)
    if (other->name == function->name) {
      Place place = function->place;
      throw Refusal{expansions.inFile(place).getRange(),
                    "'" + function->name + "' is defined twice",
                    {{expansions.inFile(other->place).getRange(), "it is defined here as well"}}};
    }
  unit->functions.push_back(std::move(function));
}

void Parser::parseTopLevel() {
  meter.spend(1);
  if (accept(";"))
    return;
  if (peek().isName("typedef"))
    return parseTypedef();
  if (peek().isName("static_assert") || peek().isName("_Static_assert")) {
    unit->assertions.push_back(parseStaticAssert());
    return;
  }
  bool isKernel = false;
  TypeName type = parseScalarType(&isKernel);
  TypeName result = type;
  std::vector<Attribute> attributes;
  size_t mark = next;
  parsePointers(result, &attributes);
  // `float[TM, TN] f(…)`, as in a cast.
  parseShape(result);
  if (peek().kind == TokenKind::Identifier && peek(1).is("("))
    return parseFunction(result, isKernel);
  next = mark;
  do {
    Declaration constant = parseDeclarator(type, /*isParameter=*/false);
    if (!constant.type.isConst || !constant.initial)
      fail(constant.place,
           "a variable outside of functions must be const and have a value: all that a kernel can write "
           "is its own variables and what its arguments point to");
    unit->constants.push_back(std::move(constant));
  } while (accept(","));
  expect(";", "after a declaration");
}

std::unique_ptr<TranslationUnit> Parser::parseFile() {
  while (peek().kind != TokenKind::End)
    parseTopLevel();
  return std::move(unit);
}

} // namespace nereid::triton_c
