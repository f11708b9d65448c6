// What is computed early, and late, where registers are short.
#include "compiler/targets/nvidia/OrderForRegisters.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"

#include "gtest/gtest.h"

using namespace llvm;

namespace {

/// A function of a pointer with one block.
struct Code {
  LLVMContext context;
  Module module{"test", context};
  IRBuilder<> b{context};
  Function *function;
  BasicBlock *block;

  Code() {
    function = Function::Create(FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false),
                                Function::ExternalLinkage, "f", module);
    block = BasicBlock::Create(context, "entry", function);
    b.SetInsertPoint(block);
  }

  Value *load(unsigned i) {
    return b.CreateLoad(b.getFloatTy(), b.CreateConstGEP1_32(b.getFloatTy(), function->getArg(0), i));
  }
  void run(StringRef assembly) {
    b.CreateCall(InlineAsm::get(FunctionType::get(b.getVoidTy(), false), assembly, "~{memory}",
                                /*hasSideEffects=*/true));
  }
  void order(void (*orderBlocks)(Module &) = nereid::orderForRegisters) {
    b.CreateRetVoid();
    orderBlocks(module);
    EXPECT_FALSE(verifyModule(module, &errs()));
  }
  /// The place of an instruction in the block.
  long at(Value *value) const {
    return std::distance(block->begin(), cast<Instruction>(value)->getIterator());
  }
};

constexpr unsigned numResults = 64;

} // namespace

TEST(OrderForRegisters, SumsFollowWhatEndsByThem) {
  Code code;
  SmallVector<Value *> loads, products, sums;
  for (unsigned i = 0; i < 2 * numResults; ++i)
    loads.push_back(code.load(i));
  for (unsigned i = 0; i < numResults; ++i)
    products.push_back(code.b.CreateFMul(loads[2 * i], loads[2 * i + 1]));
  code.run("bar.sync 0;");
  for (unsigned i = 0; i < numResults; ++i)
    sums.push_back(code.b.CreateFAdd(products[i], products[i]));
  Value *total = sums[0];
  for (unsigned i = 1; i < numResults; ++i)
    total = code.b.CreateFAdd(total, sums[i]);
  code.b.CreateStore(total, code.function->getArg(0));
  code.order();
  // Each product takes the place of two numbers, and each sum that of a product.
  for (unsigned i = 0; i < numResults; ++i) {
    EXPECT_LT(code.at(products[i]), code.at(loads[2 * i + 1]) + 3);
    EXPECT_LT(code.at(sums[i]), code.at(products[i]) + 3);
  }
}

TEST(OrderForRegisters, ResultsAreComputedOneAfterTheOther) {
  Code code;
  // Assembly that only computes something has no place of its own.
  auto *type = FunctionType::get(code.b.getFloatTy(), {code.b.getFloatTy()}, false);
  auto *double_ = InlineAsm::get(type, "add.f32 $0, $1, $1;", "=f,f", /*hasSideEffects=*/false);
  SmallVector<Value *> elements, begun, ended;
  for (unsigned i = 0; i < numResults; ++i)
    elements.push_back(code.load(i));
  for (unsigned i = 0; i < numResults; ++i)
    begun.push_back(code.b.CreateCall(double_, {elements[i]}));
  for (unsigned i = 0; i < numResults; ++i)
    ended.push_back(code.b.CreateFMul(begun[i], begun[i]));
  for (unsigned i = 0; i < numResults; ++i)
    code.b.CreateStore(ended[i], code.b.CreateConstGEP1_32(code.b.getFloatTy(), code.function->getArg(0), i));
  code.order(nereid::orderByResults);
  for (unsigned i = 1; i < numResults; ++i) {
    EXPECT_LT(code.at(elements[i - 1]), code.at(elements[i])); // what reaches memory keeps its order
    EXPECT_LT(code.at(elements[i]), code.at(begun[0]));
    EXPECT_LT(code.at(ended[i - 1]), code.at(begun[i]));
    EXPECT_LT(code.at(begun[i]), code.at(ended[i]));
  }
}

TEST(OrderForRegisters, AssemblyThatReadsAClockKeepsItsPlace) {
  Code code;
  auto *type = FunctionType::get(code.b.getInt32Ty(), {}, false);
  auto *clock = InlineAsm::get(type, "mov.u32 $0, %clock;", "=r", /*hasSideEffects=*/false);
  SmallVector<Value *> times, loads;
  for (unsigned i = 0; i < numResults; ++i) {
    times.push_back(code.b.CreateCall(clock));
    loads.push_back(code.load(i));
  }
  for (unsigned i = 0; i < numResults; ++i) {
    code.b.CreateStore(times[i], code.function->getArg(0));
    code.b.CreateStore(loads[i], code.function->getArg(0));
  }
  code.order(nereid::orderByResults);
  for (unsigned i = 0; i < numResults; ++i)
    EXPECT_LT(code.at(times[i]), code.at(loads[i]));
}

TEST(OrderForRegisters, BlocksThatStartProductsAreLeftAlone) {
  // Whether each sum of two numbers comes before the next number, which another block's products do not
  // hinder.
  auto isOrdered = [](StringRef first, StringRef behind) {
    Code code;
    code.run(first);
    BasicBlock *next = BasicBlock::Create(code.context, "next", code.function);
    code.b.CreateBr(next);
    code.b.SetInsertPoint(code.block = next);
    code.run(behind);
    SmallVector<Value *> loads, sums;
    for (unsigned i = 0; i < 2 * numResults; ++i)
      loads.push_back(code.load(i));
    for (unsigned i = 0; i < numResults; ++i)
      sums.push_back(code.b.CreateFAdd(loads[2 * i], loads[2 * i + 1]));
    Value *total = sums[0];
    for (unsigned i = 1; i < numResults; ++i)
      total = code.b.CreateFAdd(total, sums[i]);
    code.b.CreateStore(total, code.function->getArg(0));
    code.order(nereid::orderBesideProducts);
    return code.at(sums[0]) < code.at(loads[2]);
  };
  EXPECT_TRUE(isOrdered("wgmma.mma_async;", "wgmma.wait_group.sync.aligned 0;"));
  EXPECT_FALSE(isOrdered("bar.sync 0;", "wgmma.mma_async;"));
}

TEST(OrderForRegisters, ExpressionsThatEndMoreComeBeforeBarriers) {
  Code code;
  SmallVector<Value *> loads, results;
  for (unsigned i = 0; i < 4 * numResults; ++i)
    loads.push_back(code.load(i));
  code.run("bar.sync 0;");
  Instruction *barrier = &code.block->back();
  // A number of four, by way of two of four that are used again.
  for (unsigned i = 0; i < numResults; ++i) {
    Value *left = code.b.CreateFMul(loads[4 * i], loads[4 * i + 1]);
    Value *right = code.b.CreateFMul(loads[4 * i + 2], loads[4 * i + 3]);
    Value *more = code.b.CreateFMul(loads[4 * i], loads[4 * i + 3]);
    Value *most = code.b.CreateFMul(loads[4 * i + 1], loads[4 * i + 2]);
    results.push_back(code.b.CreateFAdd(code.b.CreateFAdd(left, right), code.b.CreateFAdd(more, most)));
  }
  for (unsigned i = 0; i < numResults; ++i)
    code.b.CreateStore(results[i],
                       code.b.CreateConstGEP1_32(code.b.getFloatTy(), code.function->getArg(0), i));
  code.order();
  for (Value *result : results)
    EXPECT_LT(code.at(result), code.at(barrier));
}

TEST(OrderForRegisters, NothingComesBetweenProductsOfAGroup) {
  Code code;
  SmallVector<Value *> loads;
  for (unsigned i = 0; i < 2 * numResults; ++i)
    loads.push_back(code.load(i));
  code.run("wgmma.fence.sync.aligned;");
  Instruction *fence = &code.block->back();
  SmallVector<Value *> products;
  for (unsigned i = 0; i < 4; ++i) {
    Value *factor = code.b.CreateFAdd(loads[i], loads[i]);
    products.push_back(
        code.b.CreateCall(InlineAsm::get(FunctionType::get(code.b.getVoidTy(), {code.b.getFloatTy()}, false),
                                         "wgmma.mma_async $0;", "f,~{memory}", /*hasSideEffects=*/true),
                          {factor}));
  }
  code.run("wgmma.commit_group.sync.aligned;");
  for (unsigned i = 4; i < 2 * numResults; i += 2)
    code.b.CreateStore(code.b.CreateFMul(loads[i], loads[i + 1]), code.function->getArg(0));
  code.order();
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(code.at(products[i]), code.at(fence) + 1 + i);
}

TEST(OrderForRegisters, EffectsKeepTheirOrder) {
  Code code;
  SmallVector<Value *> effects;
  for (unsigned i = 0; i < 2 * numResults; ++i) {
    Value *loaded = code.load(i);
    effects.push_back(loaded);
    effects.push_back(code.b.CreateStore(code.b.CreateFAdd(loaded, loaded), code.function->getArg(0)));
  }
  code.order();
  for (size_t i = 1; i < effects.size(); ++i)
    EXPECT_LT(code.at(effects[i - 1]), code.at(effects[i]));
}
