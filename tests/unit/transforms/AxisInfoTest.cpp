// AxisInfoAnalysis against evaluation: random programs over integers are run on concrete numbers, and
// everything that the analysis claims about a value must hold for the numbers it had.
#include "compiler/transforms/AxisInfo.h"

#include "compiler/dialects/tt/Dialect.h"

#include "gtest/gtest.h"

#include <random>

using namespace nereid;
namespace arith = mlir::arith;
using mlir::Value;

namespace {

constexpr int64_t rows = 4, columns = 32;
using Numbers = std::vector<int64_t>; // row by row

/// A random program over tensors of rows x columns i32, and the value of each tensor in it. Numbers stay
/// small, so that nothing wraps around.
class RandomProgram {
public:
  RandomProgram(mlir::MLIRContext &context, unsigned seed) : builder(&context), engine(seed) {
    loc = builder.getUnknownLoc();
    module = mlir::ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    mlir::Type i32 = builder.getI32Type();
    auto promise = [&](int64_t divisibility) {
      return builder.getDictionaryAttr(
          builder.getNamedAttr("tt.divisibility", builder.getI32IntegerAttr(divisibility)));
    };
    auto function = tt::FuncOp::create(builder, loc, "f", builder.getFunctionType({i32, i32}, {}),
                                       llvm::ArrayRef<mlir::NamedAttribute>(), {promise(16), promise(1)});
    mlir::Block *entry = function.getBody().empty() ? function.addEntryBlock() : &function.getBody().front();
    builder.setInsertionPointToEnd(entry);
    type = mlir::RankedTensorType::get({rows, columns}, i32);

    int64_t first = 16 * between(-3, 3), second = between(-9, 9);
    argumentsArePositive = first >= 0 && second >= 0;
    addSplat(entry->getArgument(0), first);
    addSplat(entry->getArgument(1), second);
    for (int64_t constant : {0, 1, 2, 3, 4, 8, 15, 16, -16, 24})
      if (below(2))
        addConstant(constant);
    addRange(0);
    addRange(1);
    if (below(2))
      addRange(1, 8);
    for (int i = 0; i != 12; ++i)
      addOperation();
    tt::ReturnOp::create(builder, loc);
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::pair<Value, Numbers>> values;
  bool argumentsArePositive = false;

private:
  unsigned below(unsigned bound) { return std::uniform_int_distribution<unsigned>(0, bound - 1)(engine); }
  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }

  void addSplat(Value scalar, int64_t number) {
    values.push_back({tt::SplatOp::create(builder, loc, type, scalar), Numbers(rows * columns, number)});
  }
  void addConstant(int64_t number) {
    auto attr = mlir::DenseElementsAttr::get(type, builder.getI32IntegerAttr(number));
    values.push_back({arith::ConstantOp::create(builder, loc, attr), Numbers(rows * columns, number)});
  }
  void addRange(unsigned axis, int64_t start = 0) {
    int64_t size = axis == 0 ? rows : columns;
    auto line = mlir::RankedTensorType::get({size}, builder.getI32Type());
    llvm::SmallVector<int64_t> shape = {axis == 0 ? rows : 1, axis == 0 ? 1 : columns};
    Value range = tt::MakeRangeOp::create(builder, loc, line, start, start + size);
    Value expanded = tt::ExpandDimsOp::create(
        builder, loc, mlir::RankedTensorType::get(shape, builder.getI32Type()), range, 1 - axis);
    Numbers numbers;
    for (int64_t r = 0; r != rows; ++r)
      for (int64_t c = 0; c != columns; ++c)
        numbers.push_back(start + (axis == 0 ? r : c));
    values.push_back({tt::BroadcastOp::create(builder, loc, type, expanded), numbers});
  }

  template <typename Op> void add(const Numbers &numbers, Value a, Value b) {
    for (int64_t number : numbers)
      if (std::abs(number) > 1000000)
        return;
    values.push_back({Op::create(builder, loc, a, b), numbers});
  }

  void addOperation() {
    Value a, b;
    Numbers x, y;
    std::tie(a, x) = values[below(values.size())];
    std::tie(b, y) = values[below(values.size())];
    auto combine = [&](auto function) {
      Numbers result;
      for (size_t i = 0; i != x.size(); ++i)
        result.push_back(function(x[i], y[i]));
      return result;
    };
    bool divisorIsFine = llvm::all_of(y, [](int64_t n) { return n != 0; });
    bool positive =
        llvm::all_of(x, [](int64_t n) { return n >= 0; }) && llvm::all_of(y, [](int64_t n) { return n > 0; });
    bool shiftIsFine = llvm::all_of(y, [](int64_t n) { return n >= 0 && n < 8; });
    switch (below(15)) {
    case 0:
    case 1:
      return add<arith::AddIOp>(combine(std::plus<>()), a, b);
    case 2:
      return add<arith::SubIOp>(combine(std::minus<>()), a, b);
    case 3:
      return add<arith::MulIOp>(combine(std::multiplies<>()), a, b);
    case 4:
      // Quotients of what is below zero are understood where that is seen: something is taken away.
      if (divisorIsFine && (positive || argumentsArePositive))
        add<arith::DivSIOp>(combine(std::divides<>()), a, b);
      return;
    case 5:
      // What the analysis says of remainders is for indices, which are not negative.
      if (positive)
        add<arith::RemSIOp>(combine(std::modulus<>()), a, b);
      return;
    case 6:
      if (positive)
        add<arith::DivUIOp>(combine(std::divides<>()), a, b);
      return;
    case 7:
      if (positive)
        add<arith::RemUIOp>(combine(std::modulus<>()), a, b);
      return;
    case 8:
      return add<arith::AndIOp>(combine(std::bit_and<>()), a, b);
    case 9:
      return add<arith::OrIOp>(combine(std::bit_or<>()), a, b);
    case 10:
      if (shiftIsFine)
        add<arith::ShLIOp>(combine([](int64_t m, int64_t n) { return m << n; }), a, b);
      return;
    case 11:
      if (shiftIsFine)
        add<arith::ShRSIOp>(combine([](int64_t m, int64_t n) { return m >> n; }), a, b);
      return;
    case 12:
      return add<arith::MinSIOp>(combine([](int64_t m, int64_t n) { return std::min(m, n); }), a, b);
    case 13:
      return add<arith::MaxSIOp>(combine([](int64_t m, int64_t n) { return std::max(m, n); }), a, b);
    case 14: {
      using Predicate = arith::CmpIPredicate;
      struct Comparison {
        Predicate predicate;
        bool (*holds)(int64_t, int64_t);
      };
      const Comparison comparisons[] = {{Predicate::slt, [](int64_t m, int64_t n) { return m < n; }},
                                        {Predicate::sle, [](int64_t m, int64_t n) { return m <= n; }},
                                        {Predicate::sgt, [](int64_t m, int64_t n) { return m > n; }},
                                        {Predicate::sge, [](int64_t m, int64_t n) { return m >= n; }},
                                        {Predicate::eq, [](int64_t m, int64_t n) { return m == n; }}};
      const Comparison &comparison = comparisons[below(5)];
      Numbers condition = combine(comparison.holds), selected;
      Value compared = arith::CmpIOp::create(builder, loc, comparison.predicate, a, b);
      checkedConditions.push_back({compared, condition});
      const auto [c, z] = values[below(values.size())];
      const auto [d, w] = values[below(values.size())];
      for (size_t i = 0; i != condition.size(); ++i)
        selected.push_back(condition[i] ? z[i] : w[i]);
      Value select = arith::SelectOp::create(builder, loc, compared, c, d);
      values.push_back({select, selected});
      return;
    }
    }
  }

public:
  std::vector<std::pair<Value, Numbers>> checkedConditions;

private:
  mlir::OpBuilder builder;
  mlir::Location loc = mlir::UnknownLoc::get(builder.getContext());
  mlir::RankedTensorType type;
  std::mt19937 engine;
};

void check(Value value, const Numbers &numbers, const AxisInfo &info) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os);
  auto at = [&](int64_t r, int64_t c) { return numbers[r * columns + c]; };
  for (unsigned d : {0u, 1u}) {
    int64_t size = d == 0 ? rows : columns, other = d == 0 ? columns : rows;
    ASSERT_TRUE(llvm::isPowerOf2_64(info.contiguity[d]) && info.contiguity[d] <= size) << text;
    ASSERT_TRUE(llvm::isPowerOf2_64(info.constancy[d]) && info.constancy[d] <= size) << text;
    for (int64_t o = 0; o != other; ++o)
      for (int64_t i = 0; i != size; ++i) {
        auto read = [&](int64_t index) { return d == 0 ? at(index, o) : at(o, index); };
        int64_t runStart = i - i % info.contiguity[d];
        ASSERT_EQ(read(i), read(runStart) + i - runStart)
            << "contiguity " << info.contiguity[d] << " of " << text;
        ASSERT_EQ(read(i), read(i - i % info.constancy[d]))
            << "constancy " << info.constancy[d] << " of " << text;
        ASSERT_EQ(read(runStart) % info.divisibility[d], 0)
            << "divisibility " << info.divisibility[d] << " of " << text;
      }
  }
  for (int64_t number : numbers) {
    if (info.constant)
      ASSERT_EQ(number, *info.constant) << text;
    if (info.nonNegative)
      ASSERT_GE(number, 0) << text;
    ASSERT_EQ(number % info.getDivisibilityOfAll(), 0) << text;
  }
}

TEST(AxisInfo, ClaimsHoldInRandomPrograms) {
  mlir::MLIRContext context;
  context.loadDialect<tt::TTDialect, arith::ArithDialect>();
  for (unsigned seed = 0; seed != 2000; ++seed) {
    RandomProgram program(context, seed);
    AxisInfoAnalysis axes(*program.module);
    for (auto &[value, numbers] : program.values)
      check(value, numbers, axes.get(value));
    for (auto &[value, numbers] : program.checkedConditions)
      check(value, numbers, axes.get(value));
    if (HasFatalFailure()) {
      program.module->dump();
      FAIL() << "seed " << seed;
    }
  }
}

} // namespace
