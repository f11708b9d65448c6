// kernels/operators.py: every operator over every type. Integers are compared with C's operators on the same
// type, floats with the operation in double rounded once.
#include "tests/conformance/KernelRun.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace nereid;
using namespace nereid::test;

namespace {

const double inf = HUGE_VAL;
const double aNaN = std::nan("");

const char *spelled(const std::string &op) {
  static const std::pair<const char *, const char *> names[] = {
      {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "truediv"}, {"//", "floordiv"}, {"%", "mod"},
      {"&", "and"}, {"|", "or"},  {"^", "xor"}, {"<<", "shl"},    {">>", "shr"},      {"==", "eq"},
      {"!=", "ne"}, {"<", "lt"},  {"<=", "le"}, {">", "gt"},      {">=", "ge"}};
  for (auto [symbol, name] : names)
    if (op == symbol)
      return name;
  return "";
}

using OperatorCase = std::tuple<const char *, const char *>;
std::string nameOf(const testing::TestParamInfo<OperatorCase> &info) {
  return std::string(spelled(std::get<0>(info.param))) + "_" + std::get<1>(info.param);
}

bool isComparison(const std::string &op) {
  return op.find_first_of("=<>") == 0 && op != "<<" && op != ">>" ? true : op == "!=";
}

template <typename T> T applyInteger(const std::string &op, T x, T y) {
  using U = std::make_unsigned_t<T>;
  const unsigned bits = sizeof(T) * 8;
  if (op == "+")
    return static_cast<T>(U(x) + U(y));
  if (op == "-")
    return static_cast<T>(U(x) - U(y));
  if (op == "*")
    return static_cast<T>(static_cast<U>(uint64_t(x) * uint64_t(y)));
  if (op == "//")
    return static_cast<T>(x / y);
  if (op == "%")
    return static_cast<T>(x % y);
  if (op == "&")
    return x & y;
  if (op == "|")
    return x | y;
  if (op == "^")
    return x ^ y;
  if (op == "<<")
    return static_cast<T>(static_cast<U>(uint64_t(U(x)) << (uint64_t(y) % bits)));
  return static_cast<T>(x >> (uint64_t(y) % bits));
}

template <typename T> bool compare(const std::string &op, T x, T y) {
  return op == "=="   ? x == y
         : op == "!=" ? x != y
         : op == "<"  ? x < y
         : op == "<=" ? x <= y
         : op == ">"  ? x > y
                      : x >= y;
}

template <typename T>
void checkIntegers(const std::string &op, const std::string &type, const char *kernel = "binary") {
  const T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  std::vector<T> values = {0,
                           1,
                           2,
                           3,
                           7,
                           static_cast<T>(-1),
                           static_cast<T>(-7),
                           lowest,
                           highest,
                           static_cast<T>(lowest + 1),
                           static_cast<T>(highest - 1),
                           100};
  std::vector<uint64_t> x, y;
  std::vector<T> xs, ys;
  bool divides = op == "//" || op == "%", shifts = op == "<<" || op == ">>";
  for (T a : values)
    for (T b : values) {
      if (divides && (b == 0 || (std::is_signed_v<T> && a == lowest && b == static_cast<T>(-1))))
        b = 1;
      if (shifts)
        b = static_cast<T>(uint64_t(b) % (sizeof(T) * 8));
      xs.push_back(a);
      ys.push_back(b);
    }
  xs.resize(256, 1);
  ys.resize(256, 1);
  for (size_t i = 0; i < xs.size(); ++i) {
    x.push_back(static_cast<uint64_t>(std::make_unsigned_t<T>(xs[i])));
    y.push_back(static_cast<uint64_t>(std::make_unsigned_t<T>(ys[i])));
  }
  bool comparison = isComparison(op);
  std::string p = "*" + type + ", ";
  KernelRun run("operators.py", kernel, p + p + (comparison ? "*i8, " : p) + "\"" + op + "\", 256", "1");
  run.inputBits("x_ptr", x).inputBits("y_ptr", y).output("out_ptr", 256);
  ASSERT_TRUE(run.run()) << run.messages();
  std::vector<uint64_t> got = run.resultBits("out_ptr");
  for (size_t i = 0; i < got.size(); ++i) {
    uint64_t want = comparison
                        ? compare(op, xs[i], ys[i])
                        : static_cast<uint64_t>(std::make_unsigned_t<T>(applyInteger(op, xs[i], ys[i])));
    ASSERT_EQ(got[i], want) << int64_t(xs[i]) << " " << op << " " << int64_t(ys[i]);
  }
}

void checkIntegers(const std::string &op, const std::string &type, const char *kernel = "binary") {
  if (type == "i8")
    checkIntegers<int8_t>(op, type, kernel);
  else if (type == "i16")
    checkIntegers<int16_t>(op, type, kernel);
  else if (type == "i32")
    checkIntegers<int32_t>(op, type, kernel);
  else if (type == "i64")
    checkIntegers<int64_t>(op, type, kernel);
  else if (type == "u8")
    checkIntegers<uint8_t>(op, type, kernel);
  else if (type == "u16")
    checkIntegers<uint16_t>(op, type, kernel);
  else if (type == "u32")
    checkIntegers<uint32_t>(op, type, kernel);
  else
    checkIntegers<uint64_t>(op, type, kernel);
}

class IntegerOperator : public testing::TestWithParam<OperatorCase> {};

TEST_P(IntegerOperator, OnEdgesOfTheType) {
  auto [op, type] = GetParam();
  covers(std::string("x") + op + "y");
  checkIntegers(op, type);
}

INSTANTIATE_TEST_SUITE_P(
    Operators, IntegerOperator,
    testing::Combine(testing::Values("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>"),
                     testing::Values("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")),
    nameOf);
INSTANTIATE_TEST_SUITE_P(Comparisons, IntegerOperator,
                         testing::Combine(testing::Values("==", "!=", "<", "<=", ">", ">="),
                                          testing::Values("i8", "i32", "i64", "u8", "u32", "u64")),
                         nameOf);

class Augmented : public testing::TestWithParam<OperatorCase> {};

TEST_P(Augmented, Assigns) {
  auto [op, type] = GetParam();
  covers(std::string("x") + op + "=y");
  checkIntegers(op, type, "augmented");
}

INSTANTIATE_TEST_SUITE_P(Operators, Augmented,
                         testing::Combine(testing::Values("+", "-", "*", "//", "%", "&", "|", "^", "<<",
                                                          ">>"),
                                          testing::Values("i32")),
                         nameOf);

class FloatOperator : public testing::TestWithParam<OperatorCase> {};

TEST_P(FloatOperator, OnSpecialAndOrdinaryValues) {
  auto [opText, type] = GetParam();
  std::string op = opText;
  covers("x" + op + "y");
  ScalarKind kind = kindOf(type);
  std::vector<double> values = {0.0, -0.0, 1, -1, 1.5, -2.75, 3, 100, inf, -inf, aNaN, 0x1p-10};
  std::vector<double> x, y;
  for (double a : values)
    for (double b : values) {
      x.push_back(a);
      y.push_back(b);
    }
  std::vector<double> more = randomValues(256 - x.size(), 5, kind),
                      others = randomValues(256 - x.size(), 6, kind);
  x.insert(x.end(), more.begin(), more.end());
  y.insert(y.end(), others.begin(), others.end());
  std::vector<double> want;
  bool comparison = isComparison(op);
  for (size_t i = 0; i < 256; ++i) {
    double a = x[i], b = y[i];
    double r = op == "+"   ? a + b
               : op == "-" ? a - b
               : op == "*" ? a * b
               : op == "/" ? a / b
               : op == "%" ? std::fmod(a, b)
                           : compare(op, a, b);
    want.push_back(comparison ? r : roundTo(kind, r));
  }
  std::string p = std::string("*") + type + ", ";
  std::vector<double> got =
      compute("operators.py", "binary", p + p + (comparison ? "*i8, " : p) + "\"" + op + "\", 256",
              {{"x_ptr", x}, {"y_ptr", y}}, 256);
  if (op == "/" && kind == ScalarKind::FP32)
    expectClose(got, want, ulps(kind, 2)); // as exact as a GPU's approximate quotient
  else
    expectSame(got, want);
}

INSTANTIATE_TEST_SUITE_P(Operators, FloatOperator,
                         testing::Combine(testing::Values("+", "-", "*", "/", "%"),
                                          testing::Values("fp16", "bf16", "fp32", "fp64")),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Comparisons, FloatOperator,
                         testing::Combine(testing::Values("==", "!=", "<", "<=", ">", ">="),
                                          testing::Values("fp16", "bf16", "fp32", "fp64")),
                         nameOf);

struct NumberCase {
  const char *label, *op, *type, *result, *number;
  bool reversed;
  std::vector<double> x, want;
};

class WithNumber : public testing::TestWithParam<NumberCase> {};

TEST_P(WithNumber, Values) {
  const NumberCase &c = GetParam();
  covers(std::string("x") + c.op + "y");
  expectSame(compute("operators.py", "with_number",
                     std::string("*") + c.type + ", *" + c.result + ", \"" + c.op + "\", " + c.number + ", " +
                         (c.reversed ? "True" : "False") + ", " + std::to_string(c.x.size()),
                     {{"x_ptr", c.x}}, c.x.size()),
             c.want);
}

INSTANTIATE_TEST_SUITE_P(
    Operators, WithNumber,
    testing::Values(
        NumberCase{"add_uint8_wraps", "+", "u8", "i32", "200", false, {100, 1}, {44, 201}},
        NumberCase{"add_int8_wraps", "+", "i8", "i32", "100", true, {100, 1}, {-56, 101}},
        NumberCase{"add_int16_float", "+", "i16", "fp32", "0.5", false, {3, -3}, {3.5, -2.5}},
        NumberCase{"sub_reversed", "-", "i32", "i32", "10", true, {3, -3}, {7, 13}},
        NumberCase{"mul_half_keeps_half",
                   "*",
                   "fp16",
                   "fp32",
                   "0.1",
                   false,
                   {1, 2},
                   {0.0999755859375, 0.199951171875}},
        NumberCase{"truediv_integers_gives_float", "/", "i32", "fp32", "4", false, {3, -6}, {0.75, -1.5}},
        NumberCase{"truediv_reversed", "/", "fp32", "fp32", "1", true, {4, -0.5}, {0.25, -2}},
        NumberCase{"floordiv_negative", "//", "i32", "i32", "2", false, {-7, 7}, {-3, 3}},
        NumberCase{"floordiv_reversed", "//", "i32", "i32", "-7", true, {2, -2}, {-3, 3}},
        NumberCase{"mod_negative", "%", "i32", "i32", "4", false, {-7, 7}, {-3, 3}},
        NumberCase{"mod_float", "%", "fp32", "fp32", "2.5", false, {7, -7}, {2, -2}},
        NumberCase{"lt_number", "<", "fp32", "i8", "1", false, {0, 1}, {1, 0}},
        NumberCase{"lt_reversed", "<", "i32", "i8", "1", true, {0, 2}, {0, 1}},
        NumberCase{"shl_reversed", "<<", "i32", "i32", "1", true, {0, 5}, {1, 32}},
        NumberCase{"and_number", "&", "i64", "i64", "255", false, {511, 256}, {255, 0}}),
    [](const auto &info) { return std::string(info.param.label); });

TEST(Operators, Invert) {
  covers("~x");
  expectSame(compute("operators.py", "invert", "*i32, *i32, 4", {{"x_ptr", {0, -1, 5, 2147483647}}}, 4),
             {-1, 0, -6, -2147483648.0});
  expectSame(compute("operators.py", "invert", "*u8, *u8, 4", {{"x_ptr", {0, 255, 5, 128}}}, 4),
             {255, 0, 250, 127});
  expectSame(compute("operators.py", "invert_condition", "*i32, *i8, 4", {{"x_ptr", {0, 255, -5, 128}}}, 4),
             {1, 0, 1, 0});
}

TEST(Operators, LogicalOnBlocks) {
  covers("and or not tl.logical_and tl.logical_or");
  std::vector<Input> inputs = {{"x_ptr", {1, 1, 0, 0}}, {"y_ptr", {1, 0, 1, 0}}};
  for (const auto &[op, want] : {std::pair<const char *, std::vector<double>>{"and", {1, 0, 0, 0}},
                                 {"or", {1, 1, 1, 0}},
                                 {"not", {0, 0, 1, 1}},
                                 {"logical_and", {1, 0, 0, 0}},
                                 {"logical_or", {1, 1, 1, 0}}})
    expectSame(
        compute("operators.py", "logical", std::string("*i32, *i32, *i32, \"") + op + "\", 4", inputs, 4),
        want);
}

TEST(Operators, ScalarConditions) {
  covers("and if");
  KernelRun run("operators.py", "chained_comparison", "*i32, *i32, i32, i32", "4");
  run.input("x_ptr", {2, 3, 7, 8}).output("out_ptr", 4).scalar("lo", 2).scalar("hi", 7);
  ASSERT_TRUE(run.run()) << run.messages();
  expectSame(run.result("out_ptr"), {0, 1, 1, 0});
}

TEST(Operators, RunTimeScalarsDivideAsInC) {
  covers("x//y x%y");
  expectSame(compute("operators.py", "scalar_division", "*i32, *i32, *i32",
                     {{"x_ptr", {-7, 7, -7}}, {"y_ptr", {2, -2, -2}}}, 6, "3"),
             {-3, -1, -3, 1, 3, -1});
}

TEST(Operators, CompileTimeNumbersDivideAsInPython) {
  covers("constexpr x//y x%y x**y");
  expectSame(compute("operators.py", "constant_arithmetic", "*i32, -7, 2", {}, 15),
             {-4, 1, 49, -4, -27, -7 ^ 2, 7, 6, 0, -4, 1, 1, -7 + 3 + 2, 1, 7 - 3});
}

TEST(Operators, Pointers) {
  covers("ptr+x ptr-x");
  for (const char *type : {"fp32", "i32", "i64", "fp64"}) {
    std::string p = std::string("*") + type;
    expectSame(compute("operators.py", "pointer_arithmetic", p + ", " + p + ", 4",
                       {{"x_ptr", {0, 1, 2, 3, 4, 5, 6, 7}}}, 4),
               {10400, 20501, 30602, 40703});
  }
}

TEST(Operators, UnsignedOffsetsAreNotNegative) {
  covers("ptr+x");
  std::vector<double> i = {200, 255, 0, 128};
  expectSame(compute("operators.py", "unsigned_offsets", "*i32, *u8, *i32, 4",
                     {{"x_ptr", counting(256)}, {"i_ptr", i}}, 4),
             i);
}

} // namespace
