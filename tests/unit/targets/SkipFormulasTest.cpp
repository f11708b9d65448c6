// The dearer of two formulas is computed where a thread needs it.
#include "compiler/targets/nvidia/SkipFormulas.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace llvm;

namespace {

struct Code {
  LLVMContext context;
  std::unique_ptr<Module> module;

  explicit Code(const std::string &body) {
    SMDiagnostic error;
    module = parseAssemblyString("declare float @llvm.nvvm.ex2.approx.ftz.f32(float)\n"
                                 "define void @f(ptr %p, ptr %q) {\n" +
                                     body + "  ret void\n}\nattributes #0 = { nounwind memory(none) }\n",
                                 error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    nereid::skipFormulas(*module);
    EXPECT_FALSE(verifyModule(*module, &errs()));
  }
  Function &function() { return *module->getFunction("f"); }
  /// Blocks that compute exponentials, and how many each of them does.
  std::vector<unsigned> countExponentials() {
    std::vector<unsigned> counts;
    for (BasicBlock &block : function())
      if (unsigned count = count_if(block, [](Instruction &instruction) {
            auto *call = dyn_cast<CallInst>(&instruction);
            return call && call->getCalledFunction() && call->getCalledFunction()->isIntrinsic();
          }))
        counts.push_back(count);
    return counts;
  }
};

/// A function of number `i` by two formulas, one of them with two special functions.
std::string formulas(unsigned i, bool isDearTrue = true, bool isCheapShort = false) {
  std::string n = std::to_string(i), text;
  auto add = [&](const std::string &line) { text += "  %" + line + "\n"; };
  add("d1_" + n + " = call float @llvm.nvvm.ex2.approx.ftz.f32(float %x" + n + ")");
  add("d2_" + n + " = fadd float %d1_" + n + ", 1.0");
  add("d3_" + n + " = call float asm \"rcp.approx.ftz.f32 $0, $1;\", \"=f,f\"(float %d2_" + n + ") #0");
  add("s_" + n + " = fmul float %x" + n + ", %x" + n);
  add("c1_" + n + " = fmul float %s_" + n + ", 2.0");
  add("c2_" + n + " = fadd float %c1_" + n + ", 3.0");
  add("c3_" + n + " = fmul float %c2_" + n + ", %x" + n);
  add("o_" + n + " = fcmp " + (isDearTrue ? "oge" : "olt") + " float %x" + n + ", 1.0");
  std::string dear = "float %d3_" + n, cheap = isCheapShort ? "float 0.0" : "float %c3_" + n;
  add("y_" + n + " = select i1 %o_" + n + ", " + (isDearTrue ? dear + ", " + cheap : cheap + ", " + dear));
  return text;
}

std::string load(unsigned i) {
  std::string n = std::to_string(i);
  return "  %p" + n + " = getelementptr float, ptr %p, i32 " + n + "\n  %x" + n + " = load float, ptr %p" +
         n + "\n";
}

std::string store(unsigned i) {
  std::string n = std::to_string(i);
  return "  %q" + n + " = getelementptr float, ptr %q, i32 " + n + "\n  store float %y_" + n + ", ptr %q" +
         n + "\n";
}

std::string repeat(unsigned count, function_ref<std::string(unsigned)> write) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += write(i);
  return text;
}

} // namespace

TEST(SkipFormulas, FourElementsShareABranch) {
  for (bool isDearTrue : {true, false}) {
    Code code(repeat(8, load) + repeat(8, [&](unsigned i) { return formulas(i, isDearTrue); }) +
              repeat(8, store));
    EXPECT_EQ(code.countExponentials(), (std::vector<unsigned>{4, 4}));
    // Each behind a branch of its own; the cheap formulas are computed by all.
    EXPECT_EQ(code.function().size(), 5u);
    for (BasicBlock &block : code.function())
      for (Instruction &instruction : block)
        if (instruction.getName().starts_with("c3_"))
          EXPECT_TRUE(isa<BranchInst>(block.getTerminator()) &&
                      block.getTerminator()->getNumSuccessors() == 2);
  }
}

TEST(SkipFormulas, WhatIsStoredBetweenEndsAGroup) {
  Code code(repeat(2, [](unsigned i) { return load(i) + formulas(i) + store(i); }));
  EXPECT_EQ(code.countExponentials(), (std::vector<unsigned>{1, 1}));
}

TEST(SkipFormulas, LoadsAreStartedBeforeTheBranch) {
  Code code(load(0) + formulas(0) + load(1) + store(0) +
            "  %z = fadd float %x1, %x1\n  store float %z, ptr %q\n");
  for (Instruction &instruction : code.function().getEntryBlock())
    if (instruction.getName() == "x1")
      return;
  ADD_FAILURE() << "the load is behind the branch";
}

TEST(SkipFormulas, GuardsAndCodeWithProductsAreLeftAlone) {
  Code guard(load(0) + formulas(0, true, /*isCheapShort=*/true) + store(0));
  EXPECT_EQ(guard.function().size(), 1u);
  Code product(load(0) + formulas(0) + store(0) + "  call void asm sideeffect \"mma.sync;\", \"\"()\n");
  EXPECT_EQ(product.function().size(), 1u);
}
