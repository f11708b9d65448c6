// What is said about source that is not Python, and where. The messages are CPython's wherever it has one
// that fits; places are at least as exact.
#include "ParseText.h"

#include <gtest/gtest.h>

using namespace nereid::python;

namespace {

// A missing colon is named where the header ends.
TEST(SyntaxError, Colons) {
  EXPECT_EQ(show("if x\n  pass\n"), "1:5: expected ':'");
  EXPECT_EQ(show("while True\n  pass\n"), "1:11: expected ':'");
  EXPECT_EQ(show("for x in y\n  pass\n"), "1:11: expected ':'");
  EXPECT_EQ(show("class C\n  pass\n"), "1:8: expected ':'");
  EXPECT_EQ(show("def f()\n  pass\n"), "1:8: expected ':'");
  EXPECT_EQ(show("def f(x) -> int\n  pass\n"), "1:16: expected ':'");
  EXPECT_EQ(show("else_ = 1\ntry\n  pass\n"), "2:4: expected ':'");
  EXPECT_EQ(show("with open(x) as f\n  pass\n"), "1:18: expected ':'");
  EXPECT_EQ(show("match x\n  case 1: pass\n"), "1:8: expected ':'");
  EXPECT_EQ(show("match x:\n  case 1\n    pass\n"), "2:9: expected ':'");
}

// Indentation and what belongs into a block.
TEST(SyntaxError, Blocks) {
  EXPECT_EQ(show("if x:\npass\n"), "2:1: expected an indented block after 'if' statement on line 1");
  EXPECT_EQ(show("for x in y:\npass\n"), "2:1: expected an indented block after 'for' statement on line 1");
  EXPECT_EQ(show("def f():\n\nx = 1\n"),
            "3:1: expected an indented block after function definition on line 1");
  EXPECT_EQ(show("class C:\n"), "1:9: expected an indented block after class definition on line 1");
  EXPECT_EQ(show("try:\npass\n"), "2:1: expected an indented block after 'try' statement on line 1");
  EXPECT_EQ(show("try:\n  pass\nx = 1\n"), "3:1: expected 'except' or 'finally' block");
  EXPECT_EQ(show("if x:\n  a\n b\n"), "3:2: unindent does not match any outer indentation level");
  EXPECT_EQ(show(" x = 1\n"), "1:2: unexpected indent");
  EXPECT_EQ(show("if x:\n\ta\n        b\n"), "3:9: inconsistent use of tabs and spaces in indentation");
  EXPECT_EQ(show("try:\n  pass\nexcept A, B:\n  pass\n"),
            "3:8: multiple exception types must be parenthesized");
  EXPECT_EQ(show("try:\n  pass\nexcept* :\n  pass\n"), "3:9: expected one or more exception types");
  EXPECT_EQ(show("try:\n  pass\nexcept A:\n  pass\nexcept* B:\n  pass\n"),
            "5:1: cannot have both 'except' and 'except*' on the same 'try'");
  EXPECT_EQ(show("if x:\n  pass\n else:\n  pass\n"),
            "3:2: unindent does not match any outer indentation level");
}

// Brackets and strings that are not closed, or closed twice.
TEST(SyntaxError, Brackets) {
  EXPECT_EQ(show("x = 'abc\ny = 1\n"), "1:5: unterminated string literal (detected at line 1)");
  EXPECT_EQ(show("x = \"\"\"abc\n"), "1:5: unterminated triple-quoted string literal (detected at line 1)");
  EXPECT_EQ(show("x = f'abc\n"), "1:5: unterminated f-string literal (detected at line 1)");
  EXPECT_EQ(show("x = (1,\ny = 2\n"), "1:5: '(' was never closed");
  EXPECT_EQ(show("x = [1, 2\n"), "1:5: '[' was never closed");
  EXPECT_EQ(show("f(1, 2]\n"), "1:7: closing parenthesis ']' does not match opening parenthesis '('");
  EXPECT_EQ(show("x = 1)\n"), "1:6: unmatched ')'");
  EXPECT_EQ(show("(a,\n b]\n"),
            "2:3: closing parenthesis ']' does not match opening parenthesis '(' on line 1");
}

// What cannot be assigned to, annotated or deleted.
TEST(SyntaxError, Targets) {
  EXPECT_EQ(show("if x = 3:\n  pass\n"), "1:4: invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
  EXPECT_EQ(show("if f(x) = 3:\n  pass\n"),
            "1:4: cannot assign to function call here. Maybe you meant '==' instead of '='?");
  EXPECT_EQ(show("1 = x\n"), "1:1: cannot assign to literal here. Maybe you meant '==' instead of '='?");
  EXPECT_EQ(show("f() = 1\n"),
            "1:1: cannot assign to function call here. Maybe you meant '==' instead of '='?");
  EXPECT_EQ(show("a + b = c\n"),
            "1:1: cannot assign to expression here. Maybe you meant '==' instead of '='?");
  EXPECT_EQ(show("None = 1\n"), "1:1: cannot assign to None");
  EXPECT_EQ(show("(a, 1) = x\n"), "1:5: cannot assign to literal");
  EXPECT_EQ(show("a, b += 1\n"), "1:1: 'tuple' is an illegal expression for augmented assignment");
  EXPECT_EQ(show("f() += 1\n"), "1:1: 'function call' is an illegal expression for augmented assignment");
  EXPECT_EQ(show("(a, b): int = 1\n"), "1:1: only single target (not tuple) can be annotated");
  EXPECT_EQ(show("[a]: int\n"), "1:1: only single target (not list) can be annotated");
  EXPECT_EQ(show("del f()\n"), "1:5: cannot delete function call");
  EXPECT_EQ(show("del *a, b\n"), "1:5: cannot delete starred");
  EXPECT_EQ(show("for f() in x: pass\n"), "1:5: cannot assign to function call");
  EXPECT_EQ(show("with a as f(): pass\n"), "1:11: cannot assign to function call");
  EXPECT_EQ(show("[x for 1 in y]\n"), "1:8: cannot assign to literal");
  EXPECT_EQ(show("f(a.b=1)\n"), "1:3: expression cannot contain assignment, perhaps you meant \"==\"?");
  EXPECT_EQ(show("f(True=1)\n"), "1:3: cannot assign to True");
  EXPECT_EQ(show("(x := 1) = 2\n"),
            "1:2: cannot assign to named expression here. Maybe you meant '==' instead of '='?");
  EXPECT_EQ(show("(a.b := 1)\n"), "1:2: cannot use assignment expressions with attribute");
  EXPECT_EQ(show("yield = 1\nx = (yield) = 2\n"), "1:1: assignment to yield expression not possible");
}

// Arguments of calls.
TEST(SyntaxError, Calls) {
  EXPECT_EQ(show("f(a=1, 2)\n"), "1:8: positional argument follows keyword argument");
  EXPECT_EQ(show("f(**a, 2)\n"), "1:8: positional argument follows keyword argument unpacking");
  EXPECT_EQ(show("f(**a, *b)\n"), "1:8: iterable argument unpacking follows keyword argument unpacking");
  EXPECT_EQ(show("f(x for x in y, 1)\n"), "1:3: Generator expression must be parenthesized");
  EXPECT_EQ(show("f(a=)\n"), "1:3: expected argument value expression");
}

// Parameters of functions and type parameters.
TEST(SyntaxError, Parameters) {
  EXPECT_EQ(show("def f(a=1, b): pass\n"),
            "1:12: parameter without a default follows parameter with a default");
  EXPECT_EQ(show("def f(*): pass\n"), "1:7: named arguments must follow bare *");
  EXPECT_EQ(show("def f(*, **k): pass\n"), "1:7: named arguments must follow bare *");
  EXPECT_EQ(show("def f(**k, a): pass\n"), "1:12: arguments cannot follow var-keyword argument");
  EXPECT_EQ(show("def f(a, /, b, /): pass\n"), "1:16: / may appear only once");
  EXPECT_EQ(show("def f(*a, *b): pass\n"), "1:11: * argument may appear only once");
  EXPECT_EQ(show("def f(*a=1): pass\n"), "1:9: var-positional argument cannot have default value");
  EXPECT_EQ(show("def f(a=): pass\n"), "1:8: expected default value expression");
  EXPECT_EQ(show("def f((a)): pass\n"), "1:7: Function parameters cannot be parenthesized");
  EXPECT_EQ(show("lambda *: 1\n"), "1:8: named arguments must follow bare *");
  EXPECT_EQ(show("class C[*T: int]: pass\n"), "1:13: cannot use bound with TypeVarTuple");
  EXPECT_EQ(show("type X[**P: (int,)] = 1\n"), "1:13: cannot use constraints with ParamSpec");
}

// Literals of numbers.
TEST(SyntaxError, ParametersOfOneName) {
  EXPECT_EQ(show("def k(p, p):\n  pass\n"), "1:10: duplicate parameter 'p' in function definition");
  EXPECT_EQ(show("def k(p, /, *p):\n  pass\n"), "1:14: duplicate parameter 'p' in function definition");
  EXPECT_EQ(show("def k(p, *, q: int, q=1):\n  pass\n"),
            "1:21: duplicate parameter 'q' in function definition");
  EXPECT_EQ(show("f = lambda a, **a: a\n"), "1:17: duplicate parameter 'a' in function definition");
}

TEST(SyntaxError, Numbers) {
  EXPECT_EQ(show("x = 1abc\n"), "1:5: invalid decimal literal");
  EXPECT_EQ(show("x = 0777\n"), "1:5: leading zeros in decimal integer literals are not permitted; use an 0o "
                                "prefix for octal integers");
  EXPECT_EQ(show("x = 0o8\n"), "1:5: invalid digit '8' in octal literal");
  EXPECT_EQ(show("x = 0b2\n"), "1:5: invalid digit '2' in binary literal");
  EXPECT_EQ(show("x = 0xg\n"), "1:5: invalid hexadecimal literal");
  EXPECT_EQ(show("x = 1__0\n"), "1:5: invalid decimal literal");
  EXPECT_EQ(show("x = 5j5\n"), "1:5: invalid imaginary literal");
}

// Replacement fields.
TEST(SyntaxError, FStrings) {
  EXPECT_EQ(show("x = f'{a\n'"), "2:1: f-string: expecting '}'");
  EXPECT_EQ(show("f'{}'\n"), "1:4: f-string: valid expression required before '}'");
  EXPECT_EQ(show("f'{a!x}'\n"), "1:6: f-string: invalid conversion character 'x': expected 's', 'r', or 'a'");
  EXPECT_EQ(show("f'{a! r}'\n"), "1:7: f-string: conversion type must come right after the exclamation mark");
  EXPECT_EQ(show("f'{lambda x: 1}'\n"),
            "1:4: f-string: lambda expressions are not allowed without parentheses");
  EXPECT_EQ(show("f'}'\n"), "1:3: f-string: single '}' is not allowed");
  EXPECT_EQ(show("f'{a:{b:{c:{d}}}}'\n"), "1:12: f-string: expressions nested too deeply");
  EXPECT_EQ(show("f'{a'\n"), "1:5: f-string: expecting '}'");
}

// Escapes and prefixes.
TEST(SyntaxError, Strings) {
  EXPECT_EQ(show("b'é'\n"), "1:3: bytes can only contain ASCII literal characters");
  EXPECT_EQ(show("'a' b'b'\n"), "1:1: cannot mix bytes and nonbytes literals");
  EXPECT_EQ(show("'\\x1'\n"), "1:2: truncated \\xXX escape");
  EXPECT_EQ(show("'\\N{NO SUCH NAME}'\n"), "1:2: unknown Unicode character name");
}

// Patterns of match statements.
TEST(SyntaxError, Patterns) {
  EXPECT_EQ(show("[a, b for a in c]\n"), "1:2: did you forget parentheses around the comprehension target?");
  EXPECT_EQ(show("match x:\n  case a.b as _: pass\n"), "2:15: cannot use '_' as a target");
  EXPECT_EQ(show("match x:\n  case A(b=1, c): pass\n"), "2:15: positional patterns follow keyword patterns");
  EXPECT_EQ(show("match x:\n  case 1 + 2: pass\n"), "2:12: imaginary number required in complex literal");
}

// Lists, sets, dictionaries and comprehensions.
TEST(SyntaxError, Displays) {
  EXPECT_EQ(show("f(a b)\n"), "1:3: invalid syntax. Perhaps you forgot a comma?");
  EXPECT_EQ(show("[1 2]\n"), "1:2: invalid syntax. Perhaps you forgot a comma?");
  EXPECT_EQ(show("{1: 2 3: 4}\n"), "1:5: invalid syntax. Perhaps you forgot a comma?");
  EXPECT_EQ(show("f'{a b}'\n"), "1:4: invalid syntax. Perhaps you forgot a comma?");
  EXPECT_EQ(show("(*a)\n"), "1:2: cannot use starred expression here");
  EXPECT_EQ(show("[*a for a in b]\n"), "1:2: iterable unpacking cannot be used in comprehension");
  EXPECT_EQ(show("{**a for a in b}\n"), "1:2: dict unpacking cannot be used in dict comprehension");
  EXPECT_EQ(show("{1: *a}\n"), "1:5: cannot use a starred expression in a dictionary value");
  EXPECT_EQ(show("{1:}\n"), "1:3: expression expected after dictionary key and ':'");
  EXPECT_EQ(show("{1: 2, 3}\n"), "1:8: ':' expected after dictionary key");
}

// Everything else.
TEST(SyntaxError, Others) {
  EXPECT_EQ(show("x = lambda a 1\n"), "1:14: invalid syntax");
  EXPECT_EQ(show("x = 1 +\n"), "1:8: invalid syntax");
  EXPECT_EQ(show("x = = 1\n"), "1:5: invalid syntax");
  EXPECT_EQ(show("x = a b\n"), "1:7: invalid syntax");
  EXPECT_EQ(show("from x import a,\n"), "1:16: trailing comma not allowed without surrounding parentheses");
  EXPECT_EQ(show("import\n"), "1:7: Expected one or more names after 'import'");
  EXPECT_EQ(show("print 'x'\n"), "1:1: Missing parentheses in call to 'print'. Did you mean print(...)?");
  EXPECT_EQ(show("exec x\n"), "1:1: Missing parentheses in call to 'exec'. Did you mean exec(...)?");
  EXPECT_EQ(show("a \\ b\n"), "1:4: unexpected character after line continuation character");
  EXPECT_EQ(show("x = $\n"), "1:5: invalid syntax");
  EXPECT_EQ(show("x = a ? b\n"), "1:7: invalid syntax");
  EXPECT_EQ(show("x = €\n"), "1:5: invalid character '€' (U+20AC)");
  EXPECT_EQ(show("x = a b\n"), "1:6: invalid non-printable character U+00A0");
  EXPECT_EQ(show("f'{*}'\n"), "1:5: invalid syntax");
  EXPECT_EQ(show("x := 1\n"), "1:3: invalid syntax");
  EXPECT_EQ(show("x if y\n"), "1:1: expected 'else' after 'if' expression");
  EXPECT_EQ(show("@a\nx = 1\n"), "2:1: invalid syntax");
  EXPECT_EQ(show("async x\n"), "1:7: invalid syntax");
  EXPECT_EQ(show("match x:\n  case {**_}: pass\n"), "2:11: invalid syntax");
  EXPECT_EQ(show("match x:\n  case *a: pass\n"), "2:10: invalid syntax");
  EXPECT_EQ(show("type X\n"), "1:6: invalid syntax");
  EXPECT_EQ(show("return x y\n"), "1:10: invalid syntax");
  EXPECT_EQ(show("global x.y\n"), "1:9: invalid syntax");
  EXPECT_EQ(show("raise x from\n"), "1:13: invalid syntax");
  EXPECT_EQ(show("x = {a, **b}\n"), "1:9: invalid syntax");
  EXPECT_EQ(show("'a' 'b' c\n"), "1:9: invalid syntax");
  EXPECT_EQ(show("\\\n"), "1:1: unexpected EOF while parsing");
}

} // namespace
