// Ranges point into the text that Diagnostics owns, so that a message can show any node.
#include "ParseText.h"

#include <gtest/gtest.h>

using namespace nereid::python;

namespace {

llvm::StringRef textOf(llvm::SMRange range) {
  return {range.Start.getPointer(), static_cast<size_t>(range.End.getPointer() - range.Start.getPointer())};
}

TEST(SourceRange, NodesAndNames) {
  ParsedText parsed("@jit\ndef add(x, n: int):\n    return tl.load(x + (n))\n");
  ASSERT_TRUE(parsed.module);
  auto *function = llvm::cast<ast::FunctionDef>(parsed.module->body.front());
  EXPECT_EQ(textOf(function->nameRange), "add");
  EXPECT_EQ(textOf(function->range), "def add(x, n: int):\n    return tl.load(x + (n))");
  EXPECT_EQ(textOf(function->decorator_list.front()->range), "jit");
  EXPECT_EQ(textOf(function->args->args[1]->range), "n: int");
  auto *call = llvm::cast<ast::Call>(llvm::cast<ast::Return>(function->body.front())->value);
  EXPECT_EQ(textOf(llvm::cast<ast::Attribute>(call->func)->attrRange), "load");
  EXPECT_EQ(textOf(call->args.front()->range), "x + (n)");
  EXPECT_EQ(textOf(llvm::cast<ast::BinOp>(call->args.front())->right->range), "n");
  EXPECT_EQ(parsed.text.data(), parsed.module->range.Start.getPointer());

  auto position = parsed.diagnostics.positionOf(call->getLoc());
  EXPECT_EQ(position.path, "test.py");
  EXPECT_EQ(position.line, 3u);
  EXPECT_EQ(position.column, 12u);
}

TEST(SourceRange, ErrorsUnderlineWhatIsWrong) {
  ParsedText parsed("x = f(a, b c)\n");
  std::string out;
  llvm::raw_string_ostream stream(out);
  parsed.diagnostics.flush(stream);
  EXPECT_EQ(out, "test.py:1:10: error: invalid syntax. Perhaps you forgot a comma?\n"
                 "x = f(a, b c)\n"
                 "         ^~~\n");
}

} // namespace
