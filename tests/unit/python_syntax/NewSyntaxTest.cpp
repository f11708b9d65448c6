// Syntax that Python 3.11 does not have, or that its own trees cannot vouch for (positions within f-strings),
// and the constructs whose reading takes more than one token. The expected trees are what CPython 3.12's
// `ast` gives.
#include "ParseText.h"

#include <gtest/gtest.h>

using namespace nereid::python;

namespace {

// Quotes of the same kind, backslashes and comments may stand in a field (PEP 701).
TEST(NewSyntax, FStringsNestQuotes) {
  EXPECT_EQ(show("x = f\"{a[\"b\"]}\"\n"),
            R"(Module
 body: Assign 1:0-1:15
  targets: Name 1:0-1:1 id=x ctx=Store
  value: JoinedStr 1:4-1:15
   values: FormattedValue 1:6-1:14 conversion=-1
    value: Subscript 1:7-1:13 ctx=Load
     value: Name 1:7-1:8 id=a ctx=Load
     slice: Constant 1:9-1:12 value="b"
)");
  EXPECT_EQ(show("f'{'\\n'.join(a)}'\n"),
            R"(Module
 body: Expr 1:0-1:17
  value: JoinedStr 1:0-1:17
   values: FormattedValue 1:2-1:16 conversion=-1
    value: Call 1:3-1:15
     func: Attribute 1:3-1:12 attr=join ctx=Load
      value: Constant 1:3-1:7 value="\n"
     args: Name 1:13-1:14 id=a ctx=Load
)");
  EXPECT_EQ(show("f\"\"\"{\n    a  # why\n    + b\n}\"\"\"\n"),
            R"(Module
 body: Expr 1:0-4:4
  value: JoinedStr 1:0-4:4
   values: FormattedValue 1:4-4:1 conversion=-1
    value: BinOp 2:4-3:7 op=Add
     left: Name 2:4-2:5 id=a ctx=Load
     right: Name 3:6-3:7 id=b ctx=Load
)");
  EXPECT_EQ(show("f'{f'{f'{1}'}'}'\n"),
            R"(Module
 body: Expr 1:0-1:16
  value: JoinedStr 1:0-1:16
   values: FormattedValue 1:2-1:15 conversion=-1
    value: JoinedStr 1:3-1:14
     values: FormattedValue 1:5-1:13 conversion=-1
      value: JoinedStr 1:6-1:12
       values: FormattedValue 1:8-1:11 conversion=-1
        value: Constant 1:9-1:10 value=0x1
)");
}

// Conversions, format specifiers with fields in them, and `=`.
TEST(NewSyntax, FStringFields) {
  EXPECT_EQ(show("f'{a!r:>{w}.2f}'\n"),
            R"(Module
 body: Expr 1:0-1:16
  value: JoinedStr 1:0-1:16
   values: FormattedValue 1:2-1:15 conversion=114
    value: Name 1:3-1:4 id=a ctx=Load
    format_spec: JoinedStr 1:6-1:14
     values: Constant 1:7-1:8 value=">"
     values: FormattedValue 1:8-1:11 conversion=-1
      value: Name 1:9-1:10 id=w ctx=Load
     values: Constant 1:11-1:14 value=".2f"
)");
  EXPECT_EQ(show("f'{a = }{b=!s}{c=:x}'\n"),
            R"(Module
 body: Expr 1:0-1:21
  value: JoinedStr 1:0-1:21
   values: Constant 1:3-1:7 value="a = "
   values: FormattedValue 1:2-1:8 conversion=114
    value: Name 1:3-1:4 id=a ctx=Load
   values: Constant 1:9-1:11 value="b="
   values: FormattedValue 1:8-1:14 conversion=115
    value: Name 1:9-1:10 id=b ctx=Load
   values: Constant 1:15-1:17 value="c="
   values: FormattedValue 1:14-1:20 conversion=-1
    value: Name 1:15-1:16 id=c ctx=Load
    format_spec: JoinedStr 1:17-1:19
     values: Constant 1:18-1:19 value="x"
)");
  EXPECT_EQ(show("f'{{{a}}}'\n"),
            R"(Module
 body: Expr 1:0-1:10
  value: JoinedStr 1:0-1:10
   values: Constant 1:2-1:4 value="{"
   values: FormattedValue 1:4-1:7 conversion=-1
    value: Name 1:5-1:6 id=a ctx=Load
   values: Constant 1:7-1:9 value="}"
)");
  EXPECT_EQ(show("f'{a:%H:%M}'\n"),
            R"(Module
 body: Expr 1:0-1:12
  value: JoinedStr 1:0-1:12
   values: FormattedValue 1:2-1:11 conversion=-1
    value: Name 1:3-1:4 id=a ctx=Load
    format_spec: JoinedStr 1:4-1:10
     values: Constant 1:5-1:10 value="%H:%M"
)");
  EXPECT_EQ(show("f'{(x:=5)}{y:=5}'\n"),
            R"(Module
 body: Expr 1:0-1:17
  value: JoinedStr 1:0-1:17
   values: FormattedValue 1:2-1:10 conversion=-1
    value: NamedExpr 1:4-1:8
     target: Name 1:4-1:5 id=x ctx=Store
     value: Constant 1:7-1:8 value=0x5
   values: FormattedValue 1:10-1:16 conversion=-1
    value: Name 1:11-1:12 id=y ctx=Load
    format_spec: JoinedStr 1:12-1:15
     values: Constant 1:13-1:15 value="=5"
)");
  EXPECT_EQ(show("f'{a != b}{lambda_!r}'\n"),
            R"(Module
 body: Expr 1:0-1:22
  value: JoinedStr 1:0-1:22
   values: FormattedValue 1:2-1:10 conversion=-1
    value: Compare 1:3-1:9 ops=NotEq
     left: Name 1:3-1:4 id=a ctx=Load
     comparators: Name 1:8-1:9 id=b ctx=Load
   values: FormattedValue 1:10-1:21 conversion=114
    value: Name 1:11-1:18 id=lambda_ ctx=Load
)");
  EXPECT_EQ(show("f'{*a, b}'\n"),
            R"(Module
 body: Expr 1:0-1:10
  value: JoinedStr 1:0-1:10
   values: FormattedValue 1:2-1:9 conversion=-1
    value: Tuple 1:3-1:8 ctx=Load
     elts: Starred 1:3-1:5 ctx=Load
      value: Name 1:4-1:5 id=a ctx=Load
     elts: Name 1:7-1:8 id=b ctx=Load
)");
  EXPECT_EQ(show("f'{yield_}' 'c' u'd' f'e{f}'\n"),
            R"(Module
 body: Expr 1:0-1:28
  value: JoinedStr 1:0-1:28
   values: FormattedValue 1:2-1:10 conversion=-1
    value: Name 1:3-1:9 id=yield_ ctx=Load
   values: Constant 1:12-1:24 value="cde"
   values: FormattedValue 1:24-1:27 conversion=-1
    value: Name 1:25-1:26 id=f ctx=Load
)");
  EXPECT_EQ(show("rf'\\{a}\\n'\n"),
            R"(Module
 body: Expr 1:0-1:10
  value: JoinedStr 1:0-1:10
   values: Constant 1:3-1:4 value="\\"
   values: FormattedValue 1:4-1:7 conversion=-1
    value: Name 1:5-1:6 id=a ctx=Load
   values: Constant 1:7-1:9 value="\\n"
)");
  EXPECT_EQ(show("f'\\N{BULLET}{a}\\x41'\n"),
            R"(Module
 body: Expr 1:0-1:20
  value: JoinedStr 1:0-1:20
   values: Constant 1:2-1:12 value="•"
   values: FormattedValue 1:12-1:15 conversion=-1
    value: Name 1:13-1:14 id=a ctx=Load
   values: Constant 1:15-1:19 value="A"
)");
  EXPECT_EQ(show("f''\n"),
            R"(Module
 body: Expr 1:0-1:3
  value: JoinedStr 1:0-1:3
)");
}

// PEP 695.
TEST(NewSyntax, TypeAliases) {
  EXPECT_EQ(show("type X = int\n"),
            R"(Module
 body: TypeAlias 1:0-1:12
  name: Name 1:5-1:6 id=X ctx=Store
  value: Name 1:9-1:12 id=int ctx=Load
)");
  EXPECT_EQ(show("type X[T, *Ts, **P] = f[T]\n"),
            R"(Module
 body: TypeAlias 1:0-1:26
  name: Name 1:5-1:6 id=X ctx=Store
  type_params: TypeVar 1:7-1:8 name=T
  type_params: TypeVarTuple 1:10-1:13 name=Ts
  type_params: ParamSpec 1:15-1:18 name=P
  value: Subscript 1:22-1:26 ctx=Load
   value: Name 1:22-1:23 id=f ctx=Load
   slice: Name 1:24-1:25 id=T ctx=Load
)");
  EXPECT_EQ(show("type = 1\ntype(x)\ntype[a] = b\n"),
            R"(Module
 body: Assign 1:0-1:8
  targets: Name 1:0-1:4 id=type ctx=Store
  value: Constant 1:7-1:8 value=0x1
 body: Expr 2:0-2:7
  value: Call 2:0-2:7
   func: Name 2:0-2:4 id=type ctx=Load
   args: Name 2:5-2:6 id=x ctx=Load
 body: Assign 3:0-3:11
  targets: Subscript 3:0-3:7 ctx=Store
   value: Name 3:0-3:4 id=type ctx=Load
   slice: Name 3:5-3:6 id=a ctx=Load
  value: Name 3:10-3:11 id=b ctx=Load
)");
  EXPECT_EQ(show("type match = type\n"),
            R"(Module
 body: TypeAlias 1:0-1:17
  name: Name 1:5-1:10 id=match ctx=Store
  value: Name 1:13-1:17 id=type ctx=Load
)");
}

// PEP 695.
TEST(NewSyntax, TypeParameters) {
  EXPECT_EQ(show("def f[T: int, *Ts, **P](a: T) -> T: pass\n"),
            R"(Module
 body: FunctionDef 1:0-1:40 name=f
  args: arguments
   args: arg 1:24-1:28 arg=a
    annotation: Name 1:27-1:28 id=T ctx=Load
  body: Pass 1:36-1:40
  returns: Name 1:33-1:34 id=T ctx=Load
  type_params: TypeVar 1:6-1:12 name=T
   bound: Name 1:9-1:12 id=int ctx=Load
  type_params: TypeVarTuple 1:14-1:17 name=Ts
  type_params: ParamSpec 1:19-1:22 name=P
)");
  EXPECT_EQ(show("class C[T: (a, b)](B, k=1): pass\n"),
            R"(Module
 body: ClassDef 1:0-1:32 name=C
  bases: Name 1:19-1:20 id=B ctx=Load
  keywords: keyword 1:22-1:25 arg=k
   value: Constant 1:24-1:25 value=0x1
  body: Pass 1:28-1:32
  type_params: TypeVar 1:8-1:17 name=T
   bound: Tuple 1:11-1:17 ctx=Load
    elts: Name 1:12-1:13 id=a ctx=Load
    elts: Name 1:15-1:16 id=b ctx=Load
)");
  EXPECT_EQ(show("async def f[T](): pass\n"),
            R"(Module
 body: AsyncFunctionDef 1:0-1:22 name=f
  args: arguments
  body: Pass 1:18-1:22
  type_params: TypeVar 1:12-1:13 name=T
)");
}

// match, case and _ are names wherever they start no match statement.
TEST(NewSyntax, SoftKeywords) {
  EXPECT_EQ(show("match = case = _ = 1\n"),
            R"(Module
 body: Assign 1:0-1:20
  targets: Name 1:0-1:5 id=match ctx=Store
  targets: Name 1:8-1:12 id=case ctx=Store
  targets: Name 1:15-1:16 id=_ ctx=Store
  value: Constant 1:19-1:20 value=0x1
)");
  EXPECT_EQ(show("match(x)\nmatch[x]\nmatch.x\nmatch * a\n"),
            R"(Module
 body: Expr 1:0-1:8
  value: Call 1:0-1:8
   func: Name 1:0-1:5 id=match ctx=Load
   args: Name 1:6-1:7 id=x ctx=Load
 body: Expr 2:0-2:8
  value: Subscript 2:0-2:8 ctx=Load
   value: Name 2:0-2:5 id=match ctx=Load
   slice: Name 2:6-2:7 id=x ctx=Load
 body: Expr 3:0-3:7
  value: Attribute 3:0-3:7 attr=x ctx=Load
   value: Name 3:0-3:5 id=match ctx=Load
 body: Expr 4:0-4:9
  value: BinOp 4:0-4:9 op=Mult
   left: Name 4:0-4:5 id=match ctx=Load
   right: Name 4:8-4:9 id=a ctx=Load
)");
  EXPECT_EQ(show("match(x):\n  case _: pass\n"),
            R"(Module
 body: Match 1:0-2:14
  subject: Name 1:6-1:7 id=x ctx=Load
  cases: match_case
   pattern: MatchAs 2:7-2:8
   body: Pass 2:10-2:14
)");
  EXPECT_EQ(show("match -x:\n  case -1: pass\n"),
            R"(Module
 body: Match 1:0-2:15
  subject: UnaryOp 1:6-1:8 op=USub
   operand: Name 1:7-1:8 id=x ctx=Load
  cases: match_case
   pattern: MatchValue 2:7-2:9
    value: UnaryOp 2:7-2:9 op=USub
     operand: Constant 2:8-2:9 value=0x1
   body: Pass 2:11-2:15
)");
  EXPECT_EQ(show("match x, *y:\n  case (a, *_), b: pass\n"),
            R"(Module
 body: Match 1:0-2:23
  subject: Tuple 1:6-1:11 ctx=Load
   elts: Name 1:6-1:7 id=x ctx=Load
   elts: Starred 1:9-1:11 ctx=Load
    value: Name 1:10-1:11 id=y ctx=Load
  cases: match_case
   pattern: MatchSequence 2:7-2:17
    patterns: MatchSequence 2:7-2:14
     patterns: MatchAs 2:8-2:9 name=a
     patterns: MatchStar 2:11-2:13
    patterns: MatchAs 2:16-2:17 name=b
   body: Pass 2:19-2:23
)");
  EXPECT_EQ(show("match match:\n  case case: case\n"),
            R"(Module
 body: Match 1:0-2:17
  subject: Name 1:6-1:11 id=match ctx=Load
  cases: match_case
   pattern: MatchAs 2:7-2:11 name=case
   body: Expr 2:13-2:17
    value: Name 2:13-2:17 id=case ctx=Load
)");
  EXPECT_EQ(show("print(match, case, type)\n"),
            R"(Module
 body: Expr 1:0-1:24
  value: Call 1:0-1:24
   func: Name 1:0-1:5 id=print ctx=Load
   args: Name 1:6-1:11 id=match ctx=Load
   args: Name 1:13-1:17 id=case ctx=Load
   args: Name 1:19-1:23 id=type ctx=Load
)");
}

// All kinds of patterns.
TEST(NewSyntax, Patterns) {
  EXPECT_EQ(show("match x:\n case 1 | -2.5 | 3 - 4j | 'a' 'b' | None | True | a.b: pass\n case [a, *rest] if "
                 "rest: pass\n case (a) | () | (a,): pass\n case {'k': v, a.b: 1, **rest}: pass\n case C(1, "
                 "k=_) as c: pass\n case 1, 2: pass\n"),
            R"(Module
 body: Match 1:0-7:16
  subject: Name 1:6-1:7 id=x ctx=Load
  cases: match_case
   pattern: MatchOr 2:6-2:53
    patterns: MatchValue 2:6-2:7
     value: Constant 2:6-2:7 value=0x1
    patterns: MatchValue 2:10-2:14
     value: UnaryOp 2:10-2:14 op=USub
      operand: Constant 2:11-2:14 value=float:4004000000000000
    patterns: MatchValue 2:17-2:23
     value: BinOp 2:17-2:23 op=Sub
      left: Constant 2:17-2:18 value=0x3
      right: Constant 2:21-2:23 value=complex:4010000000000000
    patterns: MatchValue 2:26-2:33
     value: Constant 2:26-2:33 value="ab"
    patterns: MatchSingleton 2:36-2:40 value=None
    patterns: MatchSingleton 2:43-2:47 value=True
    patterns: MatchValue 2:50-2:53
     value: Attribute 2:50-2:53 attr=b ctx=Load
      value: Name 2:50-2:51 id=a ctx=Load
   body: Pass 2:55-2:59
  cases: match_case
   pattern: MatchSequence 3:6-3:16
    patterns: MatchAs 3:7-3:8 name=a
    patterns: MatchStar 3:10-3:15 name=rest
   guard: Name 3:20-3:24 id=rest ctx=Load
   body: Pass 3:26-3:30
  cases: match_case
   pattern: MatchOr 4:6-4:21
    patterns: MatchAs 4:7-4:8 name=a
    patterns: MatchSequence 4:12-4:14
    patterns: MatchSequence 4:17-4:21
     patterns: MatchAs 4:18-4:19 name=a
   body: Pass 4:23-4:27
  cases: match_case
   pattern: MatchMapping 5:6-5:30 rest=rest
    keys: Constant 5:7-5:10 value="k"
    keys: Attribute 5:15-5:18 attr=b ctx=Load
     value: Name 5:15-5:16 id=a ctx=Load
    patterns: MatchAs 5:12-5:13 name=v
    patterns: MatchValue 5:20-5:21
     value: Constant 5:20-5:21 value=0x1
   body: Pass 5:32-5:36
  cases: match_case
   pattern: MatchAs 6:6-6:20 name=c
    pattern: MatchClass 6:6-6:15 kwd_attrs=k
     cls: Name 6:6-6:7 id=C ctx=Load
     patterns: MatchValue 6:8-6:9
      value: Constant 6:8-6:9 value=0x1
     kwd_patterns: MatchAs 6:13-6:14
   body: Pass 6:22-6:26
  cases: match_case
   pattern: MatchSequence 7:6-7:10
    patterns: MatchValue 7:6-7:7
     value: Constant 7:6-7:7 value=0x1
    patterns: MatchValue 7:9-7:10
     value: Constant 7:9-7:10 value=0x2
   body: Pass 7:12-7:16
)");
}

// except* makes a TryStar.
TEST(NewSyntax, ExceptStar) {
  EXPECT_EQ(show("try: pass\nexcept* A as e: pass\nexcept* (B, C): pass\nelse: pass\nfinally: pass\n"),
            R"(Module
 body: TryStar 1:0-5:13
  body: Pass 1:5-1:9
  handlers: ExceptHandler 2:0-2:20 name=e
   type: Name 2:8-2:9 id=A ctx=Load
   body: Pass 2:16-2:20
  handlers: ExceptHandler 3:0-3:20
   type: Tuple 3:8-3:14 ctx=Load
    elts: Name 3:9-3:10 id=B ctx=Load
    elts: Name 3:12-3:13 id=C ctx=Load
   body: Pass 3:16-3:20
  orelse: Pass 4:6-4:10
  finalbody: Pass 5:9-5:13
)");
}

// The parenthesis may enclose the items, or be part of an expression.
TEST(NewSyntax, ParenthesizedWith) {
  EXPECT_EQ(show("with (a as b, c as d,): pass\n"),
            R"(Module
 body: With 1:0-1:28
  items: withitem
   context_expr: Name 1:6-1:7 id=a ctx=Load
   optional_vars: Name 1:11-1:12 id=b ctx=Store
  items: withitem
   context_expr: Name 1:14-1:15 id=c ctx=Load
   optional_vars: Name 1:19-1:20 id=d ctx=Store
  body: Pass 1:24-1:28
)");
  EXPECT_EQ(show("with (a, b): pass\n"),
            R"(Module
 body: With 1:0-1:17
  items: withitem
   context_expr: Name 1:6-1:7 id=a ctx=Load
  items: withitem
   context_expr: Name 1:9-1:10 id=b ctx=Load
  body: Pass 1:13-1:17
)");
  EXPECT_EQ(show("with (a, b) as c: pass\n"),
            R"(Module
 body: With 1:0-1:22
  items: withitem
   context_expr: Tuple 1:5-1:11 ctx=Load
    elts: Name 1:6-1:7 id=a ctx=Load
    elts: Name 1:9-1:10 id=b ctx=Load
   optional_vars: Name 1:15-1:16 id=c ctx=Store
  body: Pass 1:18-1:22
)");
  EXPECT_EQ(show("with (a): pass\n"),
            R"(Module
 body: With 1:0-1:14
  items: withitem
   context_expr: Name 1:6-1:7 id=a ctx=Load
  body: Pass 1:10-1:14
)");
  EXPECT_EQ(show("with (a).b, c: pass\n"),
            R"(Module
 body: With 1:0-1:19
  items: withitem
   context_expr: Attribute 1:5-1:10 attr=b ctx=Load
    value: Name 1:6-1:7 id=a ctx=Load
  items: withitem
   context_expr: Name 1:12-1:13 id=c ctx=Load
  body: Pass 1:15-1:19
)");
  EXPECT_EQ(show("with (yield): pass\n"),
            R"(Module
 body: With 1:0-1:18
  items: withitem
   context_expr: Yield 1:6-1:11
  body: Pass 1:14-1:18
)");
  EXPECT_EQ(show("async def f():\n  async with (a as b): pass\n"),
            R"(Module
 body: AsyncFunctionDef 1:0-2:27 name=f
  args: arguments
  body: AsyncWith 2:2-2:27
   items: withitem
    context_expr: Name 2:14-2:15 id=a ctx=Load
    optional_vars: Name 2:19-2:20 id=b ctx=Store
   body: Pass 2:23-2:27
)");
}

// Stars in subscripts, returns, annotations and assignments.
TEST(NewSyntax, StarExpressions) {
  EXPECT_EQ(show("x[*a]\n"),
            R"(Module
 body: Expr 1:0-1:5
  value: Subscript 1:0-1:5 ctx=Load
   value: Name 1:0-1:1 id=x ctx=Load
   slice: Tuple 1:2-1:4 ctx=Load
    elts: Starred 1:2-1:4 ctx=Load
     value: Name 1:3-1:4 id=a ctx=Load
)");
  EXPECT_EQ(show("x[*a, 1:2]\n"),
            R"(Module
 body: Expr 1:0-1:10
  value: Subscript 1:0-1:10 ctx=Load
   value: Name 1:0-1:1 id=x ctx=Load
   slice: Tuple 1:2-1:9 ctx=Load
    elts: Starred 1:2-1:4 ctx=Load
     value: Name 1:3-1:4 id=a ctx=Load
    elts: Slice 1:6-1:9
     lower: Constant 1:6-1:7 value=0x1
     upper: Constant 1:8-1:9 value=0x2
)");
  EXPECT_EQ(show("def f(*args: *Ts): return *a, b\n"),
            R"(Module
 body: FunctionDef 1:0-1:31 name=f
  args: arguments
   vararg: arg 1:7-1:16 arg=args
    annotation: Starred 1:13-1:16 ctx=Load
     value: Name 1:14-1:16 id=Ts ctx=Load
  body: Return 1:19-1:31
   value: Tuple 1:26-1:31 ctx=Load
    elts: Starred 1:26-1:28 ctx=Load
     value: Name 1:27-1:28 id=a ctx=Load
    elts: Name 1:30-1:31 id=b ctx=Load
)");
  EXPECT_EQ(show("a, *b = *c, d\n"),
            R"(Module
 body: Assign 1:0-1:13
  targets: Tuple 1:0-1:5 ctx=Store
   elts: Name 1:0-1:1 id=a ctx=Store
   elts: Starred 1:3-1:5 ctx=Store
    value: Name 1:4-1:5 id=b ctx=Store
  value: Tuple 1:8-1:13 ctx=Load
   elts: Starred 1:8-1:10 ctx=Load
    value: Name 1:9-1:10 id=c ctx=Load
   elts: Name 1:12-1:13 id=d ctx=Load
)");
  EXPECT_EQ(show("for x in *a, b: pass\n"),
            R"(Module
 body: For 1:0-1:20
  target: Name 1:4-1:5 id=x ctx=Store
  iter: Tuple 1:9-1:14 ctx=Load
   elts: Starred 1:9-1:11 ctx=Load
    value: Name 1:10-1:11 id=a ctx=Load
   elts: Name 1:13-1:14 id=b ctx=Load
  body: Pass 1:16-1:20
)");
  EXPECT_EQ(show("{**a, 'b': c}\n"),
            R"(Module
 body: Expr 1:0-1:13
  value: Dict 1:0-1:13
   keys: None
   keys: Constant 1:6-1:9 value="b"
   values: Name 1:3-1:4 id=a ctx=Load
   values: Name 1:11-1:12 id=c ctx=Load
)");
  EXPECT_EQ(show("f(*a, b, *c, k=1, **d)\n"),
            R"(Module
 body: Expr 1:0-1:22
  value: Call 1:0-1:22
   func: Name 1:0-1:1 id=f ctx=Load
   args: Starred 1:2-1:4 ctx=Load
    value: Name 1:3-1:4 id=a ctx=Load
   args: Name 1:6-1:7 id=b ctx=Load
   args: Starred 1:9-1:11 ctx=Load
    value: Name 1:10-1:11 id=c ctx=Load
   keywords: keyword 1:13-1:16 arg=k
    value: Constant 1:15-1:16 value=0x1
   keywords: keyword 1:18-1:21
    value: Name 1:20-1:21 id=d ctx=Load
)");
}

// Positional-only, keyword-only, defaults and annotations.
TEST(NewSyntax, Parameters) {
  EXPECT_EQ(show("def f(a, b=1, /, c=2, *, d, e=3, **k): pass\n"),
            R"(Module
 body: FunctionDef 1:0-1:43 name=f
  args: arguments
   posonlyargs: arg 1:6-1:7 arg=a
   posonlyargs: arg 1:9-1:10 arg=b
   args: arg 1:17-1:18 arg=c
   kwonlyargs: arg 1:25-1:26 arg=d
   kwonlyargs: arg 1:28-1:29 arg=e
   kw_defaults: None
   kw_defaults: Constant 1:30-1:31 value=0x3
   kwarg: arg 1:35-1:36 arg=k
   defaults: Constant 1:11-1:12 value=0x1
   defaults: Constant 1:19-1:20 value=0x2
  body: Pass 1:39-1:43
)");
  EXPECT_EQ(show("lambda a, /, *b, c=1: d\n"),
            R"(Module
 body: Expr 1:0-1:23
  value: Lambda 1:0-1:23
   args: arguments
    posonlyargs: arg 1:7-1:8 arg=a
    vararg: arg 1:14-1:15 arg=b
    kwonlyargs: arg 1:17-1:18 arg=c
    kw_defaults: Constant 1:19-1:20 value=0x1
   body: Name 1:22-1:23 id=d ctx=Load
)");
  EXPECT_EQ(show("lambda: 0\n"),
            R"(Module
 body: Expr 1:0-1:9
  value: Lambda 1:0-1:9
   args: arguments
   body: Constant 1:8-1:9 value=0x0
)");
}

// Continuation, tabs, form feeds, comments and semicolons.
TEST(NewSyntax, Layout) {
  EXPECT_EQ(show("if a:\n\tb\n\n  # c\n\td; e;\nf\n"),
            R"(Module
 body: If 1:0-5:6
  test: Name 1:3-1:4 id=a ctx=Load
  body: Expr 2:1-2:2
   value: Name 2:1-2:2 id=b ctx=Load
  body: Expr 5:1-5:2
   value: Name 5:1-5:2 id=d ctx=Load
  body: Expr 5:4-5:5
   value: Name 5:4-5:5 id=e ctx=Load
 body: Expr 6:0-6:1
  value: Name 6:0-6:1 id=f ctx=Load
)");
  EXPECT_EQ(show("x = 1 + \\\n  2\n"),
            R"(Module
 body: Assign 1:0-2:3
  targets: Name 1:0-1:1 id=x ctx=Store
  value: BinOp 1:4-2:3 op=Add
   left: Constant 1:4-1:5 value=0x1
   right: Constant 2:2-2:3 value=0x2
)");
  EXPECT_EQ(show("\fif a:\n  \f  b\n"),
            R"(Module
 body: If 1:1-2:6
  test: Name 1:4-1:5 id=a ctx=Load
  body: Expr 2:5-2:6
   value: Name 2:5-2:6 id=b ctx=Load
)");
  EXPECT_EQ(show("(a,\n# c\n\n  b)\n"),
            R"(Module
 body: Expr 1:0-4:4
  value: Tuple 1:0-4:4 ctx=Load
   elts: Name 1:1-1:2 id=a ctx=Load
   elts: Name 4:2-4:3 id=b ctx=Load
)");
  EXPECT_EQ(show("if a:\n    pass\n  # less\n    # more\n"),
            R"(Module
 body: If 1:0-2:8
  test: Name 1:3-1:4 id=a ctx=Load
  body: Pass 2:4-2:8
)");
}

} // namespace
