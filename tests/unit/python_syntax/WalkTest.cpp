// Walks over trees, and what they tell about the scope that code stands in.
#include "ParseText.h"

#include "compiler/frontends/python/syntax/AstQueries.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace nereid::python {
namespace {

std::string namesIn(StringRef text) {
  ParsedText tree(text.str());
  EXPECT_NE(tree.module, nullptr) << text.str();
  auto names = ast::findAssignedNames(tree.module->body);
  llvm::sort(names);
  return llvm::join(names, " ");
}

TEST(AssignedNames, OfEveryKindOfStatement) {
  for (const char *text : {"a = 1",
                           "a: int = 1",
                           "a += 1",
                           "(a, [*b]) = x",
                           "for a in x: pass",
                           "for x[0] in y:\n  a = 1",
                           "while x:\n  a = 1",
                           "while x: pass\nelse:\n  a = 1",
                           "with x as a: pass",
                           "with x:\n  a = 1",
                           "try:\n  a = 1\nfinally: pass",
                           "try: pass\nexcept E as a: pass",
                           "try: pass\nexcept E:\n  a = 1",
                           "try: pass\nexcept* E:\n  a = 1",
                           "try: pass\nfinally:\n  a = 1",
                           "match x:\n  case [a]: pass",
                           "match x:\n  case {'k': 1, **a}: pass",
                           "match x:\n  case C(k=a): pass",
                           "match x:\n  case 1:\n    a = 1",
                           "match x:\n  case 1 if (a := 1): pass",
                           "import a",
                           "import a.x",
                           "import x as a",
                           "from x import a",
                           "from x import y as a",
                           "def a(): pass",
                           "async def a(): pass",
                           "class a: pass",
                           "type a = int",
                           "async def f():\n  pass\na = 1"})
    EXPECT_NE((" " + namesIn(text) + " ").find(" a "), std::string::npos) << text;
}

TEST(AssignedNames, OfEveryKindOfExpression) {
  for (const char *around : {"f(@)",
                             "f(k=@)",
                             "f(*[@])",
                             "f(**{1: @})",
                             "{@: 1}",
                             "{1: @}",
                             "{@}",
                             "[@]",
                             "(@, 1)",
                             "x[@]",
                             "x[1:@]",
                             "x[@:1]",
                             "x[::@]",
                             "f'{@}'",
                             "f'{x:{@}}'",
                             "(@).y",
                             "-(@)",
                             "x + (@)",
                             "x < (@)",
                             "x and (@)",
                             "(@) if x else y",
                             "y if (@) else x",
                             "[x for x in y if (@)]",
                             "lambda x=(@): x",
                             "await (@)",
                             "yield (@)",
                             "yield from (@)"}) {
    std::string text = around;
    text.replace(text.find('@'), 1, "(a := 1)");
    EXPECT_EQ(namesIn("async def f(z):\n  pass\n" + text), "a f") << text;
  }
  for (const char *statement :
       {"assert x, (a := 1)", "raise (a := 1)", "raise E from (a := 1)", "del x[(a := 1)]", "return (a := 1)",
        "x: (a := 1)", "x[(a := 1)] = 1", "x[(a := 1)] += 1"})
    EXPECT_NE(namesIn(statement).find('a'), std::string::npos) << statement;
}

TEST(AssignedNames, OfOtherScopesAreTheirOwn) {
  EXPECT_EQ(namesIn("def f():\n  a = 1"), "f");
  EXPECT_EQ(namesIn("class C:\n  a = 1"), "C");
  EXPECT_EQ(namesIn("lambda a: (b := 1)"), "");
  EXPECT_EQ(namesIn("[a for a in x]"), "");
  EXPECT_EQ(namesIn("a[0] = 1\na.b = 1\ndel a"), "");
  EXPECT_EQ(namesIn("from a import *"), "");
}

TEST(Returns, AreFoundInEveryBlock) {
  auto returns = [](StringRef text) {
    ParsedText tree(text.str());
    EXPECT_NE(tree.module, nullptr) << text.str();
    return ast::containsReturn(tree.module->body);
  };
  for (const char *text :
       {"return", "if x:\n  return", "if x: pass\nelse:\n  return", "for x in y:\n  return",
        "for x in y: pass\nelse:\n  return", "while x:\n  return", "while x: pass\nelse:\n  return",
        "with x:\n  return", "try:\n  return\nfinally: pass", "try: pass\nexcept:\n  return",
        "try: pass\nexcept: pass\nelse:\n  return", "try: pass\nfinally:\n  return",
        "match x:\n  case 1:\n    return"})
    EXPECT_TRUE(returns(text)) << text;
  for (const char *text : {"pass", "def f():\n  return", "class C:\n  def f():\n    return"})
    EXPECT_FALSE(returns(text)) << text;
}

} // namespace
} // namespace nereid::python
