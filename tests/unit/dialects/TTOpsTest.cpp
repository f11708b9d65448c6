// What C++ code relies on beyond the text of tt operations: builders, questions about types, and the combiner
// of a reduction.
#include "compiler/dialects/tt/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace nereid;

namespace {

class TTOpsTest : public testing::Test {
protected:
  TTOpsTest() : builder(&context), location(builder.getUnknownLoc()) {
    context.loadDialect<tt::TTDialect, arith::ArithDialect>();
    module = ModuleOp::create(location);
    builder.setInsertionPointToEnd(module->getBody());
  }

  // A function of these arguments, with the builder inside of it.
  tt::FuncOp makeFunction(ArrayRef<Type> arguments) {
    auto function = tt::FuncOp::create(builder, location, "f", builder.getFunctionType(arguments, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    return function;
  }

  // Parses a module and gives the first operation of this kind.
  template <typename Op> Op parseFirst(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    Op found;
    module->walk([&](Op op) {
      if (!found)
        found = op;
    });
    return found;
  }

  MLIRContext context;
  OpBuilder builder;
  Location location;
  OwningOpRef<ModuleOp> module;
};

TEST_F(TTOpsTest, AccessedTypes) {
  Type f32 = builder.getF32Type();
  auto pointer = tt::PointerType::get(f32);
  auto tensor = RankedTensorType::get({8}, pointer);
  auto block = tt::PointerType::get(RankedTensorType::get({8, 4}, f32), 3);
  EXPECT_EQ(pointer.getAddressSpace(), 1);
  EXPECT_EQ(tt::getAccessedType(pointer), f32);
  EXPECT_EQ(tt::getAccessedType(tensor), RankedTensorType::get({8}, f32));
  EXPECT_EQ(tt::getAccessedType(block), RankedTensorType::get({8, 4}, f32));
  EXPECT_EQ(tt::getMaskType(pointer), builder.getI1Type());
  EXPECT_EQ(tt::getMaskType(tensor), RankedTensorType::get({8}, builder.getI1Type()));
  EXPECT_EQ(tt::getElementPointerType(block), tt::PointerType::get(f32, 3));
  EXPECT_FALSE(tt::isTensorPointerType(tensor));
  EXPECT_TRUE(tt::isTensorPointerType(block));
  EXPECT_EQ(tt::getElementBits(tensor), 64u);
  EXPECT_EQ(tt::getElementBits(builder.getF16Type()), 16u);
}

TEST_F(TTOpsTest, DescriptorsKeepTheSignOfTheirElements) {
  auto block = RankedTensorType::get({8}, builder.getI8Type());
  auto descriptor = tt::TensorDescType::get(&context, block, /*isSigned=*/false);
  EXPECT_TRUE(descriptor.getBlockType().getElementType().isUnsignedInteger(8));
  EXPECT_EQ(descriptor.getSignlessBlockType(), block);
}

TEST_F(TTOpsTest, BuildersInferTypes) {
  auto pointers = RankedTensorType::get({8}, tt::PointerType::get(builder.getF32Type()));
  tt::FuncOp function = makeFunction({pointers, RankedTensorType::get({8}, builder.getI1Type())});
  Value pointer = function.getArgument(0), mask = function.getArgument(1);
  Value loaded = tt::LoadOp::create(builder, location, pointer, mask, tt::CacheModifier::NONE,
                                    tt::EvictionPolicy::EVICT_LAST, /*isVolatile=*/false);
  EXPECT_EQ(loaded.getType(), RankedTensorType::get({8}, builder.getF32Type()));
  Value column = tt::ExpandDimsOp::create(builder, location, loaded, 1);
  EXPECT_EQ(column.getType(), RankedTensorType::get({8, 1}, builder.getF32Type()));
  Value row = tt::TransOp::create(builder, location, column, ArrayRef<int32_t>{1, 0});
  EXPECT_EQ(row.getType(), RankedTensorType::get({1, 8}, builder.getF32Type()));
  tt::StoreOp::create(builder, location, pointer, loaded, mask, tt::CacheModifier::NONE,
                      tt::EvictionPolicy::NORMAL);
  tt::ReturnOp::create(builder, location);
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(TTOpsTest, LoadsReadAndVolatileLoadsWrite) {
  auto pointer = tt::PointerType::get(builder.getF32Type());
  Value argument = makeFunction({pointer}).getArgument(0);
  auto load = [&](bool isVolatile) {
    return tt::LoadOp::create(builder, location, argument, tt::CacheModifier::NONE,
                              tt::EvictionPolicy::NORMAL, isVolatile);
  };
  EXPECT_TRUE(hasEffect<MemoryEffects::Read>(load(false)));
  EXPECT_FALSE(hasEffect<MemoryEffects::Write>(load(false)));
  EXPECT_TRUE(hasEffect<MemoryEffects::Write>(load(true)));
}

TEST_F(TTOpsTest, SingleCombiner) {
  auto reduce = [&](StringRef body) {
    std::string text = R"(tt.func @f(%x: tensor<8xf32>) {
      %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        )" + body.str() +
                       R"(
      }) : (tensor<8xf32>) -> f32
      tt.return
    })";
    return parseFirst<tt::ReduceOp>(text);
  };
  auto sum = reduce("%s = arith.addf %b, %a : f32\n tt.reduce.return %s : f32");
  ASSERT_TRUE(sum);
  EXPECT_TRUE(isa_and_nonnull<arith::AddFOp>(sum.getSingleCombiner()));
  // One operation, but not of both elements.
  EXPECT_FALSE(reduce("%s = arith.addf %a, %a : f32\n tt.reduce.return %s : f32").getSingleCombiner());
  EXPECT_FALSE(reduce("tt.reduce.return %a : f32").getSingleCombiner());
  EXPECT_FALSE(
      reduce("%s = arith.addf %a, %b : f32\n %t = arith.mulf %s, %b : f32\n tt.reduce.return %t : f32")
          .getSingleCombiner());
}

} // namespace
