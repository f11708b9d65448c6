// Rows a number of 64 bits apart that is known only when the kernel runs: each address from the one before.
#include "compiler/targets/nvidia/ShareAddresses.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/ExecutionEngine.h"
#include "llvm/ExecutionEngine/GenericValue.h"
#include "llvm/ExecutionEngine/Interpreter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace llvm;

namespace {

constexpr unsigned numRows = 32;

/// A function that stores the number of each row, counted by `operation`, in its first column.
std::string rows(const std::string &operation, const std::string &widening = "sext") {
  std::string text = "define void @f(ptr addrspace(1) %p, i32 %tile, i64 %stride, i64 %column) {\n"
                     "  %first = shl i32 %tile, 5\n";
  for (unsigned i = 0; i < numRows; ++i) {
    std::string n = std::to_string(i), row = i ? "%r" + n : "%first";
    if (i)
      text += "  " + row + " = " + operation + " i32 %first, " + n + "\n";
    text += "  %w" + n + " = " + widening + " i32 " + row + " to i64\n";
    text += "  %m" + n + " = mul i64 %stride, %w" + n + "\n";
    text += "  %q" + n + " = getelementptr i16, ptr addrspace(1) %p, i64 %m" + n + "\n";
    text += "  %a" + n + " = getelementptr i16, ptr addrspace(1) %q" + n + ", i64 %column\n";
    text += "  store i16 " + n + ", ptr addrspace(1) %a" + n + "\n";
  }
  return text + "  ret void\n}\n";
}

std::unique_ptr<Module> parse(const std::string &text, LLVMContext &context) {
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  return module;
}

unsigned countProducts(const Module &module) {
  return count_if(instructions(*module.getFunction("f")),
                  [](const Instruction &instruction) { return instruction.getOpcode() == Instruction::Mul; });
}

/// What the function leaves in memory, of which the pointer shows the middle.
std::vector<int16_t> run(std::unique_ptr<Module> module, int32_t tile, int64_t stride) {
  std::vector<int16_t> memory(1 << 17, -1);
  std::string error;
  std::unique_ptr<ExecutionEngine> engine(
      EngineBuilder(std::move(module)).setEngineKind(EngineKind::Interpreter).setErrorStr(&error).create());
  EXPECT_TRUE(engine) << error;
  std::vector<GenericValue> arguments(4);
  arguments[0] = PTOGV(memory.data() + memory.size() / 2);
  arguments[1].IntVal = APInt(32, tile, /*isSigned=*/true);
  arguments[2].IntVal = APInt(64, stride, /*isSigned=*/true);
  arguments[3].IntVal = APInt(64, 3);
  engine->runFunction(engine->FindFunctionNamed("f"), arguments);
  return memory;
}

void expectSameStores(const std::string &text) {
  LLVMContext context;
  for (int32_t tile : {-3, -1, 0, 1, 4})
    for (int64_t stride : {-100, -1, 0, 1, 5, 300}) {
      std::unique_ptr<Module> changed = parse(text, context);
      nereid::shareAddresses(*changed);
      ASSERT_FALSE(verifyModule(*changed, &errs()));
      EXPECT_EQ(run(std::move(changed), tile, stride), run(parse(text, context), tile, stride))
          << tile << ", " << stride;
    }
}

} // namespace

TEST(ShareAddresses, RowsAreAStepApart) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(rows("or disjoint"), context);
  nereid::shareAddresses(*module);
  // The first row's, and the step's.
  EXPECT_LE(countProducts(*module), 2u);
  expectSameStores(rows("or disjoint"));
}

TEST(ShareAddresses, RowsWithoutASign) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(rows("add nuw", "zext nneg"), context);
  nereid::shareAddresses(*module);
  EXPECT_LE(countProducts(*module), 2u);
}

// Where it may run over, the next row's number is not one more.
TEST(ShareAddresses, RowsThatMayRunOver) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(rows("add"), context);
  nereid::shareAddresses(*module);
  EXPECT_EQ(countProducts(*module), numRows);
  expectSameStores(rows("add"));
}

// What does not run over as a number without a sign may become a negative one.
TEST(ShareAddresses, RowsThatMayChangeTheirSign) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(rows("add nuw"), context);
  nereid::shareAddresses(*module);
  EXPECT_EQ(countProducts(*module), numRows);
}
