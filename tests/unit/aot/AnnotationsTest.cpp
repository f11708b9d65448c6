// Annotations: what comments of a kernel's source are read as, and where each mistake is said to be.
#include "aot/Annotations.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

KernelDeclaration declare(const char *name, unsigned line) {
  KernelDeclaration declaration;
  declaration.name = name;
  declaration.line = line;
  return declaration;
}

struct Reading {
  Diagnostics diagnostics;
  std::optional<std::vector<ManifestKernel>> kernels;
  std::string messages;

  Reading(const char *path, const char *text, std::vector<KernelDeclaration> declarations) {
    kernels = readAnnotations(path, diagnostics.addSource(path, text), declarations, diagnostics);
    llvm::raw_string_ostream stream(messages);
    diagnostics.flush(stream);
  }
};

std::string refuse(const char *text) {
  Reading reading("k.py", text, {declare("kernel", 100)});
  EXPECT_FALSE(reading.kernels.has_value());
  return reading.messages;
}

void expectBeginning(const std::string &text, const std::string &beginning) {
  EXPECT_EQ(text.substr(0, beginning.size()), beginning);
}

TEST(Annotations, BelongToTheNextKernel) {
  Reading reading("k.py",
                  "# nereid: grid = cdiv(n, BLOCK)\n"
                  "# nereid: targets = cpu, cuda:90a\n"
                  "# nereid: num_warps = 8\n"
                  "# nereid: signature = *fp32:16, i32, BLOCK=64\n"
                  "# nereid: signature = *fp32, i32, BLOCK=64\n"
                  "# nereid: num_warps = 2\n"
                  "# nereid: define = WIDE=True\n"
                  "@triton.jit\n"
                  "def first(x, n, BLOCK: tl.constexpr):\n"
                  "    pass\n"
                  "@triton.jit\n"
                  "def other(x):\n"
                  "    pass\n"
                  "    # nereid: signature = *i8\n"
                  "@triton.jit\n"
                  "def last(x):\n",
                  {declare("last", 16), declare("first", 9), declare("other", 12)});
  ASSERT_TRUE(reading.kernels.has_value()) << reading.messages;
  ASSERT_EQ(reading.kernels->size(), 2u);
  const ManifestKernel &first = reading.kernels->front(), &last = reading.kernels->back();
  EXPECT_EQ(first.kernel, "first");
  EXPECT_EQ(first.sourcePath, "k.py");
  EXPECT_EQ(*first.grid, "cdiv(n, BLOCK)");
  ASSERT_EQ(first.targets.size(), 2u);
  EXPECT_EQ(first.targets[1], "cuda:90a");
  ASSERT_EQ(first.variants.size(), 2u);
  EXPECT_EQ(first.variants[0].signature, "*fp32:16, i32, BLOCK=64");
  EXPECT_EQ(first.variants[0].numWarps, 8u);
  EXPECT_TRUE(first.variants[0].definitions.empty());
  EXPECT_EQ(first.variants[1].numWarps, 2u);
  ASSERT_EQ(first.variants[1].definitions.size(), 1u);
  EXPECT_EQ(first.variants[1].definitions[0].str(), "WIDE=True");
  EXPECT_EQ(last.kernel, "last");
  EXPECT_TRUE(last.targets.empty());
  EXPECT_EQ(
      reading.diagnostics.positionOf(llvm::SMLoc::getFromPointer(last.variants[0].signature.begin())).line,
      14u);
}

TEST(Annotations, AreCommentsOnly) {
  Reading python("k.py",
                 "text = '# nereid: signature = 1' \"\"\"\n# nereid: signature = 2\n\"\"\"\n"
                 "quote = '\\'' # nereid: signature = 3\n",
                 {declare("kernel", 100)});
  ASSERT_TRUE(python.kernels.has_value()) << python.messages;
  ASSERT_EQ(python.kernels->size(), 1u);
  ASSERT_EQ(python.kernels->front().variants.size(), 1u);
  EXPECT_EQ(python.kernels->front().variants[0].signature, "3");

  Reading c("k.tc",
            "/* // nereid: signature = 1 */ \"// nereid: signature = 2\" // nereid: signature = 3\r\n",
            {declare("kernel", 100)});
  ASSERT_TRUE(c.kernels.has_value()) << c.messages;
  ASSERT_EQ(c.kernels->front().variants.size(), 1u);
  EXPECT_EQ(c.kernels->front().variants[0].signature, "3");
}

TEST(Annotations, MistakesAreShownInPlace) {
  expectBeginning(refuse("\n# nereid: nonsense\n"),
                  "k.py:2:11: error: expected 'nereid: KEY = VALUE', such as 'nereid: signature = *fp32");
  expectBeginning(refuse("# nereid: warps = 2\n"),
                  "k.py:1:11: error: unknown key 'warps': expected one of signature, ");
  expectBeginning(refuse("# nereid: num_warps = two\n"),
                  "k.py:1:23: error: expected 'num_warps', an integer from 1 to 1024\n# ner");
  expectBeginning(refuse("# nereid: grid = 1\n# nereid: grid = 2\n"),
                  "k.py:2:11: error: 'grid' is given twice\n# n");
  expectBeginning(refuse("# nereid: signature = i32\n# nereid: grid = 2\n"),
                  "k.py:2:11: error: 'grid' is for all of the kernel's signatur");
  expectBeginning(refuse("# nereid: grid = 2\n"),
                  "k.py:1:11: error: 'kernel' is annotated, but has no '# nereid: signature = …'\n# ne");
  // What was meant as one is no comment that nobody reads.
  for (const char *meant :
       {"Nereid: grid = 2", "nereid grid = 2", "nereid : signature=i32", "NEREID: Tune = B=[1,2]"})
    expectBeginning(refuse(("# nereid: signature = i32\n#   " + std::string(meant) + "\n").c_str()),
                    "k.py:2:5: error: expected '# nereid: KEY = VALUE'");
  Reading prose("k.py",
                "# Nereid = the sea. nereid compiles grid = 2; nereid: no\n# nereid: signature = i32\n",
                {declare("kernel", 100)});
  EXPECT_TRUE(prose.kernels.has_value()) << prose.messages;
  expectBeginning(refuse("# nereid: debug = yes\n"),
                  "k.py:1:19: error: expected 'debug' to be true or false");
  Reading reading("k.py", "def kernel(): pass\n# nereid: signature = i32\n", {declare("kernel", 1)});
  EXPECT_FALSE(reading.kernels.has_value());
  expectBeginning(reading.messages, "k.py:2:11: error: no kernel follows this annotation\n# ner");
}

} // namespace
