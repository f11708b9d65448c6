// Files of cases for `nereid tune`: what is read, and where each mistake is said to be.
#include "aot/tuning/TuningCases.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

struct Reading {
  Diagnostics diagnostics;
  std::optional<std::vector<TuningGroup>> groups;
  std::string messages;

  explicit Reading(llvm::StringRef text) {
    int fd = -1;
    llvm::SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("cases", "json", fd, path));
    llvm::raw_fd_ostream(fd, /*shouldClose=*/true) << text;
    groups = readTuningCases(path, diagnostics);
    llvm::raw_string_ostream stream(messages);
    diagnostics.flush(stream);
    (void)llvm::sys::fs::remove(path);
    if (llvm::StringRef(messages).starts_with(path))
      messages = messages.substr(path.size());
  }
};

void expectRefused(llvm::StringRef text, const std::string &beginning) {
  Reading reading(text);
  EXPECT_FALSE(reading.groups.has_value());
  EXPECT_EQ(reading.messages.substr(0, beginning.size()), beginning);
}

TEST(TuningCases, ValuesMakeAllCombinations) {
  Reading reading(R"json({"cases": [{"function": "matmul", "key": ["M"],
    "values": {"M": [64, 3], "N": {"from": 8, "to": 40, "times": 2}, "K": {"from": 1, "to": 8, "plus": 3}, "R": 5},
    "arguments": {"a": {"shape": ["M * K", 2], "contents": {"integers": [-2, "M - 1"]}},
                  "starts": {"shape": ["R + 1"], "contents": {"indices": "K"}}, "stride": "K + 1", "scale": 0.5,
                  "bias": null, "n": 7, "on": true}, "tolerance": 0.25}]})json");
  ASSERT_TRUE(reading.groups.has_value()) << reading.messages;
  ASSERT_EQ(reading.groups->size(), 1u);
  const TuningGroup &group = reading.groups->front();
  EXPECT_EQ(group.functions, std::vector<llvm::StringRef>{"matmul"});
  EXPECT_EQ(group.key, std::vector<llvm::StringRef>{"M"});
  EXPECT_EQ(group.tolerance, 0.25);
  ASSERT_EQ(group.countCases(), 2u * 3 * 3);
  // The document's objects are read in the order of their keys: K, M, N, R.
  EXPECT_EQ(group.getCase(0), (std::map<std::string, int64_t>{{"K", 1}, {"M", 64}, {"N", 8}, {"R", 5}}));
  EXPECT_EQ(group.getCase(1), (std::map<std::string, int64_t>{{"K", 1}, {"M", 64}, {"N", 16}, {"R", 5}}));
  EXPECT_EQ(group.getCase(17), (std::map<std::string, int64_t>{{"K", 7}, {"M", 3}, {"N", 32}, {"R", 5}}));

  const TuningArgument &a = group.arguments.at("a");
  ASSERT_EQ(a.shape.size(), 2u);
  EXPECT_EQ(llvm::cantFail(a.shape[0]->evaluateAll(group.getCase(17))).front(), 21);
  ASSERT_TRUE(a.contents.has_value());
  EXPECT_EQ(a.contents->kind, TensorContents::Kind::Integers);
  ASSERT_EQ(a.contents->numbers.size(), 2u);
  EXPECT_EQ(llvm::cantFail(a.contents->numbers[0]->evaluateAll(group.getCase(0))).front(), -2);
  EXPECT_EQ(llvm::cantFail(a.contents->numbers[1]->evaluateAll(group.getCase(0))).front(), 63);
  const TuningArgument &starts = group.arguments.at("starts");
  ASSERT_TRUE(starts.contents.has_value());
  EXPECT_EQ(starts.contents->kind, TensorContents::Kind::Indices);
  EXPECT_EQ(llvm::cantFail(starts.contents->numbers.at(0)->evaluateAll(group.getCase(17))).front(), 7);
  EXPECT_EQ(llvm::cantFail(group.arguments.at("stride").expression->evaluateAll(group.getCase(0))).front(),
            2);
  EXPECT_EQ(group.arguments.at("scale").number, 0.5);
  EXPECT_TRUE(group.arguments.at("bias").isNull());
  EXPECT_FALSE(group.arguments.at("n").isNull());
  EXPECT_EQ(group.arguments.at("on").number, 1);
}

TEST(TuningCases, FunctionsWordsAndGrids) {
  Reading reading(
      R"json({"cases": [{"function": ["f_fp16", "f_bf16"], "values": {"n": 100}, "grid": "cdiv(n, 32), 2",
    "arguments": {"x": {"shape": ["n"]}, "mode": {"text": "relu"}, "out": {"dtype": "bf16"}}}]})json");
  ASSERT_TRUE(reading.groups.has_value()) << reading.messages;
  const TuningGroup &group = reading.groups->front();
  EXPECT_EQ(group.functions, (std::vector<llvm::StringRef>{"f_fp16", "f_bf16"}));
  EXPECT_FALSE(group.arguments.at("x").contents.has_value());
  EXPECT_EQ(group.arguments.at("mode").text, "relu");
  EXPECT_FALSE(group.arguments.at("mode").isNull());
  EXPECT_EQ(group.arguments.at("out").dtype, ScalarKind::BF16);
  EXPECT_EQ(llvm::cantFail(group.grid->evaluate(group.getCase(0))), (std::array<int64_t, 3>{4, 2, 1}));
}

TEST(TuningCases, MistakesAreShownInPlace) {
  expectRefused("{\"cases\": [{\"function\": [\"f\",\n3]}]}", ":2:1: error: expected a name");
  expectRefused("{\"cases\": [{\"function\": \"f\", \"grid\":\n7}]}", ":2:1: error: expected \"grid\"");
  expectRefused("{\"cases\": [{\"function\": \"f\", \"arguments\": {\"d\":\n{\"dtype\": \"long\"}}}]}",
                ":2:11: error: 'long' is no dtype");
  expectRefused("{}", ":1:1: error: expected \"cases\", a list with a group or more");
  expectRefused("{\"cases\": [\n  {\"values\": {}}]}", ":2:3: error: expected \"function\"");
  expectRefused("{\"cases\": [{\"function\": \"f\",\n\"value\": 1}]}", ":2:1: error: unknown key \"value\"");
  expectRefused("{\"cases\": [{\"function\": \"f\", \"values\":\n{\"M\": 9223372036854775808}}]}",
                ":2:7: error: expected an integer, a list");
  expectRefused("{\"cases\": [{\"function\": \"f\", \"values\":\n{\"M\": []}}]}",
                ":2:7: error: expected an integer, a list");
  expectRefused(
      "{\"cases\": [{\"function\": \"f\", \"values\":\n{\"M\": {\"from\": 2, \"to\": 1, \"plus\": 1}}}]}",
      ":2:7: error: the range is empty");
  expectRefused(
      "{\"cases\": [{\"function\": \"f\", \"values\":\n{\"M\": {\"from\": 0, \"to\": 1, \"times\": 2}}}]}",
      ":2:7: error: a range that grows");
  expectRefused("{\"cases\": [{\"function\": \"f\", \"values\":\n{\"M\": {\"from\": 1, \"to\": 9}}}]}",
                ":2:7: error: expected either");
  expectRefused("{\"cases\": [{\"function\": \"f\", \"values\":\n{\"M\": {\"from\": 1, \"to\": 1000000000, "
                "\"plus\": 1}}}]}",
                ":2:7: error: these are more than 100000 values");
  expectRefused("{\"cases\": [{\"function\": \"f\", \"arguments\": {\"x\":\n{\"shape\": [\"M\"]}}}]}",
                ":2:12: error: 'M' is not among the \"values\"");
  expectRefused("{\"cases\": [{\"function\": \"f\", \"arguments\": {\"x\":\n\"1 +\"}}]}", ":2:");
  expectRefused("{\"cases\": [{\"function\": \"f\", \"arguments\": {\"x\":\n{\"shape\": [2], \"contents\": "
                "\"odd\"}}}]}",
                ":2:28: error: expected \"normal\"");
  expectRefused("{\"cases\": [{\"function\": \"f\", \"arguments\": {\"x\":\n{\"shape\": [2], \"contents\": "
                "{\"integers\": [0, \"M\"]}}}}]}",
                ":2:45: error: 'M' is not among the \"values\"");
  expectRefused("{\"cases\": [{\"function\": \"f\", \"arguments\": {\"x\":\n{\"shape\": [2], \"contents\": "
                "{\"indices\": 0.5}}}}]}",
                ":2:40: error: expected an integer or an expression");
  expectRefused("{\"cases\": [{\"function\": \"f\", \"key\": [\"M\",\n\"M\"]}]}",
                ":2:1: error: 'M' is in the key already");
  expectRefused("{\"cases\": [", ":1:12: error: this is not JSON");
}

} // namespace
