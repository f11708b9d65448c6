// What is told of passes that break the IR, which no pass of ours is known to do.
#include "compiler/driver/RunPasses.h"
#include "compiler/driver/MLIRDiagnosticBridge.h"

#include "compiler/dialects/tt/Dialect.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/Passes.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

/// Makes the type of the first addition's result another than that of its operands.
struct BreakAddition : mlir::PassWrapper<BreakAddition, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakAddition)
  llvm::StringRef getArgument() const final { return "break-addition"; }
  void runOnOperation() final {
    getOperation().walk([&](mlir::arith::AddIOp add) {
      add.getResult().setType(mlir::IntegerType::get(&getContext(), 16));
      return mlir::WalkResult::interrupt();
    });
  }
};

/// Fails, with a reason or without.
struct Fail : mlir::PassWrapper<Fail, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Fail)
  explicit Fail(bool saysWhy) : saysWhy(saysWhy) {}
  llvm::StringRef getArgument() const final { return "fail"; }
  void runOnOperation() final {
    if (saysWhy)
      getOperation()->getRegion(0).front().front().emitError("this tile is too large");
    signalPassFailure();
  }
  bool saysWhy;
};

class RunPasses : public testing::Test {
protected:
  RunPasses() : context(mlir::MLIRContext::Threading::DISABLED), bridge(context, diagnostics) {
    context.loadDialect<tt::TTDialect, mlir::arith::ArithDialect>();
    const char *source = "tt.func public @k(%p: !tt.ptr<i32>, %n: i32) {\n"
                         "  %m = arith.addi %n, %n : i32\n"
                         "  tt.store %p, %m : !tt.ptr<i32>\n"
                         "  tt.return\n"
                         "}\n";
    diagnostics.addSource("k.py", source);
    module = mlir::parseSourceString<mlir::ModuleOp>(source, mlir::ParserConfig(&context), "k.py");
  }

  bool run(llvm::function_ref<void(mlir::OpPassManager &)> addPasses) {
    bool ok = runPasses(*module, diagnostics, addPasses);
    EXPECT_EQ(ok, !diagnostics.hasErrors());
    llvm::raw_string_ostream stream(messages);
    diagnostics.flush(stream);
    return ok;
  }

  mlir::MLIRContext context;
  Diagnostics diagnostics;
  MLIRDiagnosticBridge bridge;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string messages;
};

TEST_F(RunPasses, ValidIRIsNothingToSpeakOf) {
  ASSERT_TRUE(module);
  EXPECT_TRUE(run([](mlir::OpPassManager &passes) { passes.addPass(mlir::createCSEPass()); }));
  EXPECT_EQ(messages, "");
}

TEST_F(RunPasses, ThePassThatBreaksTheIRIsNamedAtThePlaceInTheKernel) {
  ASSERT_TRUE(module);
  EXPECT_FALSE(run([](mlir::OpPassManager &passes) {
    passes.addPass(mlir::createCSEPass());
    passes.addPass(std::make_unique<BreakAddition>());
    passes.addPass(mlir::createCSEPass());
  }));
  EXPECT_EQ(
      messages,
      "k.py:2:8: error: internal compiler error: the pass 'break-addition' made invalid IR of this; this "
      "is a bug in Nereid, please report it together with the kernel\n"
      "  %m = arith.addi %n, %n : i32\n"
      "       ^\n");
}

TEST_F(RunPasses, APassThatFailsWithoutAReason) {
  ASSERT_TRUE(module);
  EXPECT_FALSE(run([](mlir::OpPassManager &passes) { passes.addPass(std::make_unique<Fail>(false)); }));
  EXPECT_NE(
      messages.find("error: internal compiler error: the pass 'fail' failed without a reason; this is a "
                    "bug in Nereid, please report it together with the kernel"),
      std::string::npos)
      << messages;
}

TEST_F(RunPasses, WhatAPassSaysOfTheKernelIsShownAsItIs) {
  ASSERT_TRUE(module);
  EXPECT_FALSE(run([](mlir::OpPassManager &passes) { passes.addPass(std::make_unique<Fail>(true)); }));
  EXPECT_NE(messages.find("k.py:1:1: error: this tile is too large\n"), std::string::npos) << messages;
  EXPECT_EQ(messages.find("internal"), std::string::npos) << messages;
}

TEST_F(RunPasses, OwnIRIsBlamedOnItsAuthor) {
  ASSERT_TRUE(module);
  EXPECT_TRUE(verifyOwnIR(*module, "the frontend"));
  module->walk(
      [&](mlir::arith::AddIOp add) { add.getResult().setType(mlir::IntegerType::get(&context, 16)); });
  EXPECT_FALSE(verifyOwnIR(*module, "the frontend"));
  llvm::raw_string_ostream stream(messages);
  diagnostics.flush(stream);
  EXPECT_EQ(
      messages.find("k.py:2:8: error: internal compiler error: the frontend made invalid IR of this; this "
                    "is a bug in Nereid, please report it"),
      0u)
      << messages;
  EXPECT_EQ(messages.find("op requires"), std::string::npos) << messages;
}

} // namespace
