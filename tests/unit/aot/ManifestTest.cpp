// Manifests: what is read, and where each mistake is said to be.
#include "aot/Manifest.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

/// A file that is gone at the end of the test.
struct TemporaryFile {
  explicit TemporaryFile(llvm::StringRef text) {
    int fd = -1;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("manifest", "json", fd, path));
    llvm::raw_fd_ostream(fd, /*shouldClose=*/true) << text;
  }
  ~TemporaryFile() { (void)llvm::sys::fs::remove(path); }
  llvm::SmallString<128> path;
};

std::string refuse(llvm::StringRef text) {
  TemporaryFile file(text);
  Diagnostics diagnostics;
  EXPECT_FALSE(readManifest(file.path, diagnostics).has_value());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  diagnostics.flush(stream);
  EXPECT_TRUE(llvm::StringRef(messages).starts_with(file.path)) << messages;
  return llvm::StringRef(messages).drop_front(file.path.size()).str();
}

const char twoKernels[] = R"json({
    "name": "lib", "kind": "static", "targets": ["cpu", "cuda:90a"], "import_paths": ["common"],
    "kernels": [
      {"source": "k/add.py", "kernel": "add", "grid": "cdiv(n, B)", "num_warps": 8,
       "signatures": ["*fp32, i32, 16", {"signature": "*fp16, i32, 16", "num_warps": 2, "num_stages": 5}]},
      {"source": "/abs/mul.py", "kernel": "mul", "function": "mul_f32", "targets": ["hip:gfx942"],
       "signatures": ["*fp32"]}
    ]
})json";

TEST(Manifest, ReadsKernels) {
  TemporaryFile file(twoKernels);
  Diagnostics diagnostics;
  std::optional<Manifest> manifest = readManifest(file.path, diagnostics);
  ASSERT_TRUE(manifest.has_value());
  EXPECT_EQ(manifest->name, "lib");
  EXPECT_EQ(manifest->kind, "static");
  ASSERT_EQ(manifest->kernels.size(), 2u);
  const ManifestKernel &add = manifest->kernels[0];
  EXPECT_TRUE(llvm::StringRef(add.sourcePath).ends_with("/k/add.py")) << add.sourcePath;
  EXPECT_EQ(add.grid->str(), "cdiv(n, B)");
  ASSERT_EQ(add.targets.size(), 2u);
  ASSERT_EQ(add.variants.size(), 2u);
  EXPECT_EQ(add.variants[0].numWarps, 8u);
  EXPECT_FALSE(add.variants[0].numStages.has_value());
  EXPECT_EQ(add.variants[1].numWarps, 2u);
  EXPECT_EQ(add.variants[1].numStages, 5u);
  EXPECT_EQ(manifest->kernels[1].sourcePath, "/abs/mul.py");
  EXPECT_FALSE(add.function.has_value());
  ASSERT_TRUE(manifest->kernels[1].function.has_value());
  EXPECT_EQ(manifest->kernels[1].function->str(), "mul_f32");
  EXPECT_EQ(manifest->kernels[1].targets.front().str(), "hip:gfx942");
  // Errors in a signature must be able to point into the file.
  EXPECT_EQ(diagnostics.positionOf(rangeOf(add.variants[1].signature).Start).line, 5u);
}

TEST(Manifest, NestedTooDeeply) {
  std::string message = refuse("{\"name\":\n" + std::string(100000, '['));
  EXPECT_NE(message.find(":2:100: error: this is nested too deeply"), std::string::npos)
      << message.substr(0, 200);
}

TEST(Manifest, QuotesNoMoreThanCanBeRead) {
  std::string filler(1 << 20, 'a');
  std::string noString = refuse("{\"name\": \"" + filler);
  EXPECT_NE(noString.find("missing closing quote; last read: '…aaaa"), std::string::npos)
      << noString.substr(0, 200);
  EXPECT_LT(noString.size(), 1000u);
  std::string unknown = refuse("{\"name\": \"a\",\n \"" + filler + "\": 1}");
  EXPECT_NE(unknown.find("error: unknown key \"aaaa"), std::string::npos) << unknown.substr(0, 200);
  EXPECT_LT(unknown.size(), 1000u);
  std::string number = refuse("{\"name\": " + std::string(1 << 20, '9') + "e999}");
  EXPECT_NE(number.find(":1:10: error: the number 999"), std::string::npos) << number.substr(0, 200);
  EXPECT_LT(number.size(), 1000u);
}

TEST(Manifest, NumbersThatAreTooLargeBeforeWhatIsNoJSON) {
  // The text behind the number was not looked at when the number is refused.
  EXPECT_NE(refuse("{\"name\": \"1e999\", // 1e999\n \"kernels\": [1e999, [[[\"l\"]}")
                .find(":2:14: error: the number 1e999 is too large"),
            std::string::npos);
}

TEST(Manifest, PositionsOfKeysWithSlashes) {
  EXPECT_NE(refuse("{\"name\": \"a\",\n \"b/c\": 1}").find(":2:2: error: unknown key \"b/c\""),
            std::string::npos);
  EXPECT_NE(refuse("{\"kernels/0\": \"x\",\n \"kernels\": 1}").find("unknown key \"kernels/0\""),
            std::string::npos);
}

TEST(Manifest, WhatIsSpelledWithEscapesHasItsPlace) {
  const char *begin =
      "{\"name\": \"a\", \"targets\": [\"cpu\"], \"kernels\": [{\"source\": \"k.py\", \"kernel\": "
      "\"k\", \"signatures\": [\"i32\"],\n ";
  auto refuseIn = [&](const char *entry) { return refuse(begin + std::string(entry) + "}]}"); };
  EXPECT_NE(refuseIn("\"gr\\u0069\": 1").find(":2:2: error: unknown key \"gri\""), std::string::npos);
  EXPECT_NE(refuseIn("\"\\u0066or\": {\"h\\u0070i\": {}}").find(":2:15: error: unknown target 'hpi'"),
            std::string::npos);
  EXPECT_NE(refuseIn("\"for\": {\"hpi\": {}}").find(":2:11: error: unknown target 'hpi'"), std::string::npos);
  EXPECT_NE(refuseIn("\"definitions\": {\"1x\": 2}").find(":2:18: error: '1x' is not a name"),
            std::string::npos);
  EXPECT_NE(refuseIn("\"definitions\": [\"=2\"]").find(":2:18: error: '' is not a name"), std::string::npos);
  EXPECT_NE(refuseIn("\"dispatch\": [\"B\", \"\\u0031\"]").find(":2:20: error: expected the name"),
            std::string::npos);
  EXPECT_NE(refuseIn("\"for\": {\"cpu\": {\"constants\": {\"B\": \"x y\"}}}")
                .find(":2:32: error: 'x y' is neither"),
            std::string::npos);
}

TEST(Manifest, TextsHaveNoNUL) {
  // A file would be opened, and a function found, under what stands before it.
  const std::string expected = "error: a text with a NUL (\\u0000) is no name of anything";
  EXPECT_NE(refuse("{\"name\": \"a\", \"kernels\": [\n {\"source\": \"k.py\\u0000.txt\"}]}")
                .find(":2:13: " + expected),
            std::string::npos);
  EXPECT_NE(refuse("{\"name\": \"a\", \"definitions\":\n {\"A\\u0000\": 1}}").find(expected),
            std::string::npos);
}

TEST(Manifest, KeysAreGivenOnce) {
  EXPECT_NE(refuse("{\"name\": \"a\", // \"name\"\n \"kernels\": [],\n \"name\": \"b\"}")
                .find(":3:2: error: the key \"name\" is given twice"),
            std::string::npos);
  EXPECT_NE(refuse("{\"name\": \"a\", \"definitions\": {\"A\": 1,\n \"A\": 1}, \"kernels\": []}")
                .find(":2:2: error: the key \"A\" is given twice"),
            std::string::npos);
  // Of two objects, each may have it.
  EXPECT_EQ(refuse("{\"name\": \"a\", \"definitions\": {\"name\": 1}, \"kernels\": []}").find("given twice"),
            std::string::npos);
}

TEST(Manifest, PointsAtMistakes) {
  EXPECT_EQ(refuse("{\n  \"name\": }").substr(0, 6), ":2:11:");
  EXPECT_NE(refuse("[]").find(":1:1: error: expected an object with \""), std::string::npos);
  EXPECT_NE(refuse("{\"kernels\": []}").find("expected \"name\""), std::string::npos);
  EXPECT_NE(refuse("{\"name\": \"a\",\n \"kernels\": []}").find(":2:13: error: expected \"kernels\""),
            std::string::npos);
  EXPECT_NE(refuse("{\"name\": \"a\",\n \"kernel\": []}").find(":2:2: error: unknown key \"kernel\""),
            std::string::npos);
  const char *head = "{\"name\": \"a\", \"targets\": [\"cpu\"], \"kernels\": [\n";
  auto inKernel = [&](const char *body) { return refuse(std::string(head) + body + "]}"); };
  EXPECT_NE(inKernel("{\"kernel\": \"k\"}").find(":2:1: error: expected \"source\""), std::string::npos);
  EXPECT_NE(inKernel("{\"source\": \"s\", \"kernel\": 3}").find(":2:27: error: expected \"kernel\""),
            std::string::npos);
  EXPECT_NE(inKernel("{\"source\": \"s\", \"kernel\": \"k\", \"function\": 3}")
                .find(":2:44: error: expected \"function\", a string"),
            std::string::npos);
  EXPECT_NE(inKernel("{\"source\": \"s\", \"kernel\": \"k\"}").find("expected \"signatures\""),
            std::string::npos);
  EXPECT_NE(
      inKernel("{\"source\": \"s\", \"kernel\": \"k\", \"signatures\": [3]}").find("expected an object"),
      std::string::npos);
  EXPECT_NE(inKernel("{\"source\": \"s\", \"kernel\": \"k\", \"signatures\": [\"\"], \"num_warps\": 0}")
                .find("expected \"num_warps\", an integer from 1"),
            std::string::npos);
  EXPECT_NE(
      refuse(
          "{\"name\": \"a\", \"kernels\": [{\"source\": \"s\", \"kernel\": \"k\", \"signatures\": [\"\"]}]}")
          .find("expected \"targets\""),
      std::string::npos);
}

} // namespace
