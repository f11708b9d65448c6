// What the frontend refuses once a file has been parsed: the messages, and where they point.
#include "tests/unit/frontend_triton_c/EmitTritonC.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

/// A kernel whose second line is the statement in question.
void expectStatementError(const std::string &statement, const std::string &messages) {
  expectTritonCError("__global__ void f(float *p, int n) { float x[16] = *(p + 0 ... 16); int i = n; int "
                     "b[16] = 0 ... 16;\n" +
                         statement + "\n}",
                     messages);
}

TEST(TritonCErrors, Shapes) {
  expectStatementError("float y[8] = x;", "2:14: error: a block of shape [16] cannot be broadcast to [8]\n");
  expectStatementError("int r[32] = x;", "2:13: error: a block of shape [16] cannot be broadcast to [32]\n");
  expectStatementError("float y[16] = x[:, newaxis];",
                       "2:15: error: a block of shape [16, 1] cannot be broadcast to [16]\n");
  expectStatementError("float y = x;",
                       "2:11: error: a block of type <[16], fp32> does not fit in a fp32; reduce it, or "
                       "declare a block\n");
  expectStatementError(
      "float a[16, 8] = 0, c[4, 8] = 0; a + c;",
      "2:34: error: blocks of shapes [16, 8] and [4, 8] do not go together: at dimension 0 they have "
      "16 and 4 elements\n");
  expectStatementError("float y[3] = 0;",
                       "2:9: error: the size of a block must be a power of 2, but this one is 3\n");
  expectStatementError("float y[n] = 0;",
                       "2:9: error: the size of a block must be a whole number that is known while "
                       "compiling: a literal, a macro, or arithmetic on them\n");
  expectStatementError("float y[1024, 2048] = 0;", "2:1: error: this block has more than 1048576 elements\n");
}

TEST(TritonCErrors, Ranges) {
  expectStatementError("int r[16] = 0 ... n;",
                       "2:19: error: the end of a range must be a whole number that is known while "
                       "compiling: a literal, a macro, or arithmetic on them\n");
  expectStatementError(
      "0 ... 12;",
      "2:1: error: a range has a power of 2 of numbers from 0 on, but this one, from 0 to before 12, has 12; "
      "'...' binds tighter than other operators, so put its bounds in parentheses\n");
}

TEST(TritonCErrors, Slices) {
  expectStatementError(
      "x[3];", "2:1: error: elements of a block cannot be taken one by one: this is of type <[16], fp32>\n");
  expectStatementError("x[:, 3];",
                       "2:6: error: parts of a block cannot be taken: write ':' for a whole axis\n");
  expectStatementError("x[:, :];",
                       "2:1: error: a block of type <[16], fp32> has 1 axis, but the brackets name 2\n");
  expectStatementError("i[+];", "2:1: error: a value of type int32 has no axes\n");
  expectStatementError("x[+] = 3;",
                       "2:1: error: parts of a block cannot be assigned to; choose between elements with "
                       "'?:'\n");
}

TEST(TritonCErrors, Names) {
  expectStatementError("y = 3;", "2:1: error: 'y' is not declared\n");
  expectStatementError("undefined(i);", "2:1: error: there is no function 'undefined'\n");
  expectStatementError("i(3);", "2:1: error: 'i' is a variable, not a function\n");
  expectStatementError("f = 3;", "2:1: error: 'f' is a function; call it\n");
  expectStatementError("int u; i = u;",
                       "2:12: error: 'u' is used before it has a value\n2:5: note: it is declared here\n");
  expectStatementError("const int c = 1; c = 2;",
                       "2:18: error: 'c' is const\n2:11: note: it is declared here\n");
  expectStatementError("{ int y = 1; } y = 2;", "2:16: error: 'y' is not declared\n");
}

TEST(TritonCErrors, Types) {
  expectStatementError(
      "int *q = p;",
      "2:10: error: a value of type pointer<fp32> is no pointer<int32>; a cast makes it one\n");
  expectStatementError("int *q = 5;",
                       "2:10: error: a value of type int32 is no pointer<int32>; a cast makes it one\n");
  expectStatementError("i = p;",
                       "2:1: error: a value of type pointer<fp32> is no int32; a cast makes it one\n");
  expectStatementError(
      "x % 2;", "2:1: error: '%' takes integers, not operands of type <[16], fp32> and int32; use fmod\n");
  expectStatementError("x << 2;",
                       "2:1: error: '<<' takes integers, not operands of type <[16], fp32> and int32\n");
  expectStatementError(
      "x ^ x;", "2:1: error: '^' takes integers, not operands of type <[16], fp32> and <[16], fp32>; a "
                "matrix is transposed by '^' before it\n");
  expectStatementError("p * 2;",
                       "2:1: error: '*' does not go with operands of type pointer<fp32> and int32\n");
  expectStatementError("*i;",
                       "2:1: error: '*' takes a pointer or a block of pointers, not a value of type int32\n");
  expectStatementError("~x;", "2:1: error: this operator does not go with a value of type <[16], fp32>\n");
  expectStatementError("const float *q = p; *q = 1;",
                       "2:21: error: cannot store through a pointer to const\n");
  expectStatementError("\"text\";", "2:1: error: a text can only be what printf or static_assert says\n");
  expectStatementError(
      "i + 1 = 2;", "2:1: error: this cannot be assigned to: expected a variable, *p, *?(mask)p or p[i]\n");
  expectStatementError("i = 1 / 0;", "2:5: error: division by zero\n");
  expectStatementError("i = 1 << 40;", "2:5: error: this shift leaves the number's bits\n");
}

TEST(TritonCErrors, Products) {
  expectStatementError("x @ x;",
                       "2:1: error: '@' takes two blocks of the same rank, 2 or more, not <[16], fp32> and "
                       "<[16], fp32>\n");
}

TEST(TritonCErrors, ProductsOfMatrices) {
  const std::string start = "float a[16, 32] = 0, c[16, 16] = 0; int8 s[32, 16] = 0; int w[16, 16] = 0; ";
  expectStatementError(start + "a @ c;",
                       "2:76: error: the inner dimensions of '@' differ: <[16, 32], fp32> has 32 columns "
                       "and <[16, 16], fp32> has 16 rows\n");
  expectStatementError(start + "w @ w;", "2:76: error: of integers, '@' only takes int8, not int32\n");
  expectStatementError(start + "i @ w;",
                       "2:76: error: '@' takes two blocks of the same rank, 2 or more, not int32 and "
                       "<[16, 16], int32>\n");
  expectStatementError("^x;",
                       "2:1: error: a block of two dimensions or more can be transposed, not a value of type "
                       "<[16], fp32>\n");
}

TEST(TritonCErrors, ControlFlow) {
  expectStatementError("if (x > 0) i = 1;",
                       "2:5: error: a condition must be a scalar, but this is a block of type "
                       "<[16], int1>; choose between elements with '?:', or reduce it first\n");
  expectStatementError("while (1);",
                       "2:1: error: this loop does not end: its condition is always true, and nothing in it "
                       "leaves it\n");
  expectStatementError("break;", "2:1: error: 'break' stands in no loop\n");
  expectStatementError("continue;", "2:1: error: 'continue' stands in no loop\n");
  expectStatementError("return 1;", "2:1: error: 'f' returns void, so 'return' has no value\n");
  expectStatementError("x > 0 ? (i = 1) : 0;",
                       "2:10: error: a variable cannot be assigned in an arm of a '?:' that is "
                       "chosen for each element\n");
  expectStatementError("static_assert(sizeof(int) == 8, \"eight\");",
                       "2:15: error: static assertion failed: eight\n");
  expectStatementError("static_assert(n == 8);",
                       "2:15: error: what static_assert checks must be known while compiling\n");
}

TEST(TritonCErrors, Builtins) {
  expectStatementError("get_program_id(3);", "2:1: error: the axis of the grid must be 0, 1 or 2, not 3\n");
  expectStatementError("get_program_id();",
                       "2:1: error: 'get_program_id' takes 1 argument, but is given 0\n");
  expectStatementError("exp(p);", "2:1: error: 'exp' takes numbers, not a value of type pointer<fp32>\n");
  expectStatementError("atomic_add(i, 1);",
                       "2:1: error: 'atomic_add' takes a pointer or a block of pointers, not a value "
                       "of type int32\n");
  expectStatementError("printf(\"%d %d\", 1);",
                       "2:1: error: the text of 'printf' has 2 conversions, but there is 1 value\n");
  expectStatementError("printf(\"%y\", 1);", "2:8: error: 'printf' does not know this conversion\n");
  expectStatementError("min(1);", "2:1: error: 'min' takes 2 arguments, but is given 1\n");
  expectStatementError("bitcast<double>(x);",
                       "2:1: error: cannot take the bits of fp32 as fp64: they have 32 and 64 bits\n");
}

TEST(TritonCErrors, Functions) {
  expectTritonCError("int g(int x) { return g(x); }\n__global__ void f() { g(1); }",
                     "1:23: error: 'g' calls itself: functions are inlined, so they cannot\n"
                     "1:5: note: 'g' is defined here\n2:23: note: called from here\n");
  expectTritonCError("int g(int *q) { return q; }\n__global__ void f(int *p) { g(p); }",
                     "1:24: error: a value of type pointer<int32> is no int32; a cast makes it one\n"
                     "2:29: note: called from here\n");
  expectTritonCError("int g(int a) { return a; }\n__global__ void f() { g(1, 2); }",
                     "2:23: error: 'g' takes 1 argument, but is given 2\n1:5: note: 'g' is defined here\n");
  expectTritonCError(
      "__global__ void g() {}\n__global__ void f() { g(); }",
      "2:23: error: 'g' is a kernel, which only a launch can call\n1:17: note: 'g' is defined here\n");
  expectTritonCError("void g() {}\n__global__ void f() { int x = g(); }",
                     "2:31: error: this has no value: the function returns void\n");
  expectTritonCError("int g() {}\n__global__ void f() { g(); }",
                     "1:5: error: 'g' returns no value\n2:23: note: called from here\n");
  expectTritonCError("const int A = B;\n__global__ void f() {}", "1:15: error: 'B' is not declared\n");
  expectTritonCError("static_assert(1 > 2, \"no\");\n__global__ void f() {}",
                     "1:15: error: static assertion failed: no\n");
}

TEST(TritonCErrors, Kernels) {
  expectTritonCError("__global__ int f() { return 1; }",
                     "1:16: error: a kernel returns void: what it computes it writes through pointers\n");
  expectTritonCError(
      "void f() {}",
      "nereid: error: kernel.tc: 'f' is not a kernel\n1:6: note: __global__ before it would make it one\n");
  expectTritonCError("__global__ void g() {}",
                     "nereid: error: kernel.tc: there is no kernel 'f' in 'kernel.tc'; its kernels are g\n");
  expectTritonCError("__global__ void f(int x[16]) {}",
                     "1:23: error: a parameter of a kernel is a number or a pointer, not a block\n");
  expectTritonCError("__global__ void f(float **p) {}",
                     "1:27: error: a parameter of a kernel cannot be a pointer to pointers\n");
}

TEST(TritonCErrors, MacrosAreExplained) {
  expectTritonCError("#define ROWS rows + x\n__global__ void f() {\n  int rows = 3;\n  int r[16] = ROWS;\n}",
                     "4:15: error: 'x' is not declared\n1:21: note: expanded from macro 'ROWS'\n");
  expectTritonCError(
      "#define LOAD(p, m) *?(m)(p + LANES)\n#define LANES 0 ... 12\n__global__ void f(float *p) {\n"
      "  LOAD(p, true);\n}",
      "4:3: error: a range has a power of 2 of numbers from 0 on, but this one, from 0 to before 12, has 12; "
      "'...' binds tighter than other operators, so put its bounds in parentheses\n"
      "2:15: note: expanded from macro 'LANES'\n1:30: note: expanded from macro 'LOAD'\n");
}

TEST(TritonCErrors, ADoubleThatNobodyAskedFor) {
  TritonCEmission emission = emitTritonC("__global__ void f(float *p) {\n  float x = *p;\n  *p = x * 2.0;\n  "
                                         "*p = x * 3.0;\n  double d = x * 4.0f;\n}");
  EXPECT_EQ(emission.messages, "3:8: warning: a number without suffix is a double, and what it is combined "
                               "with (fp32) is converted to "
                               "double as well; write 'f' behind the number for float\n");
  EXPECT_EQ(emitTritonC("__global__ void f(double *p) { *p = *p * 2.0 + 1.0 / 3.0; }").messages, "");
}

} // namespace
} // namespace nereid::test
