// What a mask throws away is not computed for it.
#include "compiler/targets/DropMaskedBits.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <functional>
#include <memory>
#include <string>

using namespace llvm;

namespace nereid {
namespace {

/// What is behind `%masked =` once the pass has seen these instructions, in which each value has another use.
std::string getMasked(StringRef instructions, bool &isChanged) {
  LLVMContext context;
  SMDiagnostic error;
  std::string ir = "declare void @use32(i32)\ndeclare void @use64(i64)\n"
                   "define i64 @f(i32 %row, i32 %other, i64 %far) {\n" +
                   instructions.str() + "  ret i64 %masked\n}\n";
  std::unique_ptr<Module> module = parseAssemblyString(ir, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return "";
  Function &function = *module->getFunction("f");
  FunctionAnalysisManager analyses;
  isChanged = !DropMaskedBits().run(function, analyses).areAllPreserved();
  std::string text;
  raw_string_ostream stream(text);
  EXPECT_FALSE(verifyModule(*module, &stream)) << text;
  // Written out from its operands, as names of what is new are none.
  std::function<std::string(Value *)> write = [&](Value *value) -> std::string {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction) {
      std::string name;
      raw_string_ostream names(name);
      value->printAsOperand(names, /*PrintType=*/false);
      return name;
    }
    std::string operands;
    for (Value *operand : instruction->operands())
      operands += (operands.empty() ? "" : ", ") + write(operand);
    return std::string(instruction->getOpcodeName()) + "(" + operands + ")";
  };
  for (Instruction &instruction : function.getEntryBlock())
    if (instruction.getName() == "masked")
      return write(&instruction);
  return "";
}

std::string getMasked(StringRef instructions) {
  bool isChanged = false;
  std::string text = getMasked(instructions, isChanged);
  EXPECT_TRUE(isChanged);
  return text;
}

std::string getUnchanged(StringRef instructions) {
  bool isChanged = true;
  std::string text = getMasked(instructions, isChanged);
  EXPECT_FALSE(isChanged);
  return text;
}

TEST(DropMaskedBits, RowsThatAreCountedRoundAreOne) {
  EXPECT_EQ(getMasked("%next = or disjoint i32 %row, 16\n call void @use32(i32 %next)\n"
                      "%wide = zext i32 %next to i64\n call void @use64(i64 %wide)\n"
                      "%byte = shl i64 %wide, 7\n%masked = and i64 %byte, 1920\n"),
            "and(shl(zext(%row), 7), 1920)");
}

TEST(DropMaskedBits, LeavesWhatCounts) {
  EXPECT_EQ(getUnchanged("%next = or disjoint i32 %row, 8\n%wide = zext i32 %next to i64\n"
                         "%byte = shl i64 %wide, 7\n%masked = and i64 %byte, 1920\n"),
            "and(shl(zext(or(%row, 8)), 7), 1920)");
  EXPECT_EQ(getUnchanged("%next = add i64 %far, 8\n%masked = and i64 %next, 48\n"), "and(add(%far, 8), 48)");
  EXPECT_EQ(getUnchanged("%next = mul i64 %far, 3\n%masked = and i64 %next, 48\n"), "and(mul(%far, 3), 48)");
  EXPECT_EQ(getUnchanged("%next = shl i64 %far, %far\n%masked = and i64 %next, 48\n"),
            "and(shl(%far, %far), 48)");
}

TEST(DropMaskedBits, BitsCarryUpwards) {
  EXPECT_EQ(getMasked("%next = add i64 %far, 192\n%masked = and i64 %next, 48\n"), "and(%far, 48)");
  EXPECT_EQ(getMasked("%next = or i64 %far, 64\n%sum = add i64 %next, 8\n%masked = and i64 %sum, 48\n"),
            "and(add(%far, 8), 48)");
  EXPECT_EQ(getUnchanged("%next = or i64 %far, 1\n%sum = add i64 %next, 8\n%masked = and i64 %sum, 48\n"),
            "and(add(or(%far, 1), 8), 48)");
}

TEST(DropMaskedBits, GoesThroughWhatMovesBits) {
  EXPECT_EQ(getMasked("%next = xor i64 %far, 1024\n%low = lshr i64 %next, 4\n%masked = and i64 %low, 15\n"),
            "and(lshr(%far, 4), 15)");
  EXPECT_EQ(getMasked("%next = or i64 %far, 64\n%narrow = trunc i64 %next to i32\n"
                      "%both = or i32 %narrow, %other\n%wide = zext i32 %both to i64\n"
                      "%masked = and i64 %wide, 15\n"),
            "and(zext(or(trunc(%far), %other)), 15)");
}

} // namespace
} // namespace nereid
