// What ChooseThreadProducts decides, for all shapes and orders in memory: every thread has its share of the
// result, no read of a factor makes lanes wait for one another at the banks of memory on chip, and as many
// lanes as can be are served at a time.
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/dialects/ttg/SharedLayouts.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/model/Target.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace nereid;

namespace {

struct Shape {
  unsigned m, n, k, warps;
};

/// A product of two loaded tiles, whose rows or columns are contiguous.
std::string makeProduct(const Shape &shape, bool rowsOfA, bool rowsOfB) {
  auto tile = [](const std::string &name, unsigned rows, unsigned columns, bool areRows) {
    std::string type = "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x!tt.ptr<f32>>";
    std::string run = areRows ? "[1, " + std::to_string(columns) + "]" : "[" + std::to_string(rows) + ", 1]";
    return std::pair("%" + name + ": " + type + " {tt.contiguity = dense<" + run +
                         "> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}",
                     "  %" + name + "v = tt.load %" + name + " : " + type + "\n");
  };
  auto matrix = [](unsigned rows, unsigned columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
  };
  auto [a, loadA] = tile("a", shape.m, shape.k, rowsOfA);
  auto [b, loadB] = tile("b", shape.k, shape.n, rowsOfB);
  std::string sum = matrix(shape.m, shape.n);
  return "tt.func @f(" + a + ", " + b + ", %c: " + sum + ") -> " + sum + " {\n" + loadA + loadB +
         "  %d = tt.dot %av, %bv, %c : " + matrix(shape.m, shape.k) + " * " + matrix(shape.k, shape.n) +
         " -> " + sum + "\n  tt.return %d : " + sum + "\n}";
}

/// The passes over the banks that one read of a warp takes, of `width` elements along `kept` for each lane.
/// As many lanes are served at a time as fill all banks once, or twice as many if each reads what a neighbour
/// reads, or the neighbour's neighbour: so it was measured on an H200 for all sets of lanes.
unsigned countPasses(const LinearLayout &result, const LinearLayout &toOffset, unsigned keptAxis,
                     unsigned width) {
  constexpr unsigned banks = 32, lanes = 32;
  auto getOffset = [&](unsigned lane) {
    uint32_t kept = result.apply({{Dim::Lane, lane}}, tensorDim(keptAxis));
    return toOffset.apply({{tensorDim(keptAxis), kept}, {tensorDim(1 - keptAxis), 0}}, Dim::Offset);
  };
  unsigned atATime = std::min(lanes, banks / width), passes = 0;
  if (atATime != lanes && (getOffset(1) == getOffset(0) || getOffset(2) == getOffset(0)))
    atATime *= 2;
  for (unsigned first = 0; first != lanes; first += atATime) {
    std::map<unsigned, std::set<uint32_t>> asked;
    for (unsigned lane = first; lane != first + atATime; ++lane)
      asked[getOffset(lane) / width % (banks / width)].insert(getOffset(lane) / width);
    size_t most = 0;
    for (auto &[bank, places] : asked)
      most = std::max(most, places.size());
    passes += most;
  }
  return passes;
}

/// So many neighbours along the axis, up to a vector, are in one thread.
unsigned countNeighbours(const LinearLayout &result, unsigned axis) {
  unsigned neighbours = 1;
  auto isStep = [&](unsigned bit) {
    return result.getBasis(Dim::Register, bit, tensorDim(axis)) == neighbours;
  };
  while (neighbours < 4 && llvm::any_of(llvm::seq(result.getInBits(Dim::Register)), isStep))
    neighbours *= 2;
  return neighbours;
}

unsigned countLanes(const LinearLayout &result, unsigned axis) {
  unsigned lanes = 1;
  for (unsigned bit : llvm::seq(result.getInBits(Dim::Lane)))
    lanes *= result.getBasis(Dim::Lane, bit, tensorDim(axis)) ? 2 : 1;
  return lanes;
}

class ThreadProducts : public testing::TestWithParam<Shape> {};

TEST_P(ThreadProducts, ReadInFewPasses) {
  Shape shape = GetParam();
  for (bool rowsOfA : {true, false})
    for (bool rowsOfB : {true, false}) {
      SCOPED_TRACE(testing::Message()
                   << (rowsOfA ? "rows" : "columns") << " and " << (rowsOfB ? "rows" : "columns"));
      mlir::MLIRContext context;
      context.loadDialect<tt::TTDialect, ttg::TTGDialect, ttng::TTNGDialect, mlir::arith::ArithDialect>();
      auto module = mlir::parseSourceString<mlir::ModuleOp>(makeProduct(shape, rowsOfA, rowsOfB), &context);
      ASSERT_TRUE(module);
      Target target = llvm::cantFail(Target::parse("cuda:90"));
      mlir::PassManager passes(&context);
      passes.addPass(createConvertToTTGPass(target, shape.warps));
      passes.addPass(createCoalescePass());
      passes.addPass(createChooseThreadProductsPass(target));
      ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
      ttg::LocalDotOp product;
      module->walk([&](ttg::LocalDotOp op) { product = op; });
      ASSERT_TRUE(product);

      LinearLayout result = ttg::toLinearLayout(product.getType());
      EXPECT_EQ(result.getInSize(Dim::Register), shape.m * shape.n / (32 * shape.warps));
      for (bool isLeft : {true, false}) {
        auto memory = mlir::cast<ttg::MemDescType>((isLeft ? product.getA() : product.getB()).getType());
        bool isAlongDepth = isLeft ? rowsOfA : !rowsOfB;
        unsigned axis = isLeft ? 0 : 1;
        unsigned width = isAlongDepth ? 4 : countNeighbours(result, axis),
                 least = countLanes(result, axis) == 32 ? width : std::max(1u, width / 2);
        EXPECT_EQ(countPasses(result, ttg::toSharedLayout(memory).invert(), axis, width), least)
            << (isLeft ? "left" : "right");
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ThreadProducts,
                         testing::Values(Shape{16, 16, 16, 1}, Shape{16, 16, 64, 1}, Shape{16, 16, 16, 4},
                                         Shape{32, 32, 32, 4}, Shape{64, 64, 32, 4}, Shape{64, 64, 64, 8},
                                         Shape{32, 64, 64, 4}, Shape{64, 32, 32, 2}, Shape{128, 64, 64, 8},
                                         Shape{128, 128, 32, 4}, Shape{16, 128, 32, 4},
                                         Shape{256, 16, 64, 4}),
                         [](const auto &info) {
                           const Shape &s = info.param;
                           return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" +
                                  std::to_string(s.k) + "_" + std::to_string(s.warps);
                         });

} // namespace
