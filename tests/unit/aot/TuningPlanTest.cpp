// Cases brought together with a library's functions: keys, shards, and what does not fit.
#include "aot/tuning/TuningPlan.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace nereid;

namespace {

TunableArgument argument(const char *name, const char *type, TunableArgument::Kind kind,
                         ScalarKind element = ScalarKind::Int32) {
  TunableArgument result;
  result.name = name;
  result.type = type;
  result.kind = kind;
  result.element = element;
  return result;
}

/// f(x: *fp32, n: i32, eps: fp32, mode: text, out: dtype)
TunableFunction makeFunction(const char *name) {
  using Kind = TunableArgument::Kind;
  TunableFunction function;
  function.name = name;
  function.arguments = {argument("x", "*fp32", Kind::Pointer, ScalarKind::FP32),
                        argument("n", "i32", Kind::Number),
                        argument("eps", "fp32", Kind::Number, ScalarKind::FP32),
                        argument("mode", "text", Kind::Text), argument("out", "dtype", Kind::DType)};
  return function;
}

struct Planning {
  Diagnostics diagnostics;
  std::vector<TunableFunction> functions = {makeFunction("f"), makeFunction("g")};
  std::optional<std::vector<TuningGroup>> groups;
  std::optional<std::vector<TuningTask>> tasks;
  std::string messages;

  explicit Planning(llvm::StringRef text, Shard shard = {}) {
    int fd = -1;
    llvm::SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("cases", "json", fd, path));
    llvm::raw_fd_ostream(fd, /*shouldClose=*/true) << text;
    groups = readTuningCases(path, diagnostics);
    if (groups)
      tasks = planTuning(*groups, functions, shard, diagnostics);
    llvm::raw_string_ostream stream(messages);
    diagnostics.flush(stream);
    (void)llvm::sys::fs::remove(path);
    if (llvm::StringRef(messages).starts_with(path))
      messages = messages.substr(path.size());
  }
};

const std::string arguments =
    R"("arguments": {"x": {"shape": ["n"]}, "eps": 0.5, "mode": {"text": "a"}, "out": {"dtype": "fp16"}})";

TEST(TuningPlan, TasksHaveKeysOfIntegerArguments) {
  Planning planning(
      "{\"cases\": [{\"function\": [\"f\", \"g\"], \"values\": {\"n\": [1, 2], \"helper\": 7}, " + arguments +
      "}]}");
  ASSERT_TRUE(planning.tasks.has_value()) << planning.messages;
  ASSERT_EQ(planning.tasks->size(), 4u);
  EXPECT_EQ((*planning.tasks)[1].describe(), "f helper=7 n=2");
  EXPECT_EQ((*planning.tasks)[1].key, (std::map<std::string, int64_t>{{"n", 2}}));
  EXPECT_EQ((*planning.tasks)[2].describe(), "g helper=7 n=1");
}

TEST(TuningPlan, KeysMayBeComputed) {
  Planning planning(R"json({"cases": [{"function": "f", "key": ["n"], "values": {"rows": [1, 2]},
    "arguments": {"x": null, "n": "rows * 3", "eps": 1, "mode": null, "out": null}}]})json");
  ASSERT_TRUE(planning.tasks.has_value()) << planning.messages;
  EXPECT_EQ(planning.tasks->back().key, (std::map<std::string, int64_t>{{"n", 6}}));
}

TEST(TuningPlan, ShardsTakeTurns) {
  std::string text =
      "{\"cases\": [{\"function\": \"f\", \"values\": {\"n\": [1, 2, 3, 4, 5]}, " + arguments + "}]}";
  Planning first(text, {0, 2}), second(text, {1, 2}), none(text, {7, 8});
  ASSERT_TRUE(first.tasks && second.tasks && none.tasks);
  ASSERT_EQ(first.tasks->size(), 3u);
  EXPECT_EQ((*first.tasks)[1].key.at("n"), 3);
  ASSERT_EQ(second.tasks->size(), 2u);
  EXPECT_EQ((*second.tasks)[1].key.at("n"), 4);
  EXPECT_EQ(none.tasks->size(), 0u);
}

TEST(TuningPlan, MistakesAreShownInPlace) {
  auto refuse = [](const std::string &text, const std::string &beginning) {
    Planning planning("{\"cases\": [\n" + text + "]}");
    EXPECT_FALSE(planning.tasks.has_value());
    EXPECT_EQ(planning.messages.substr(0, beginning.size()), beginning);
  };
  refuse(R"({"function": ["f", "h"], "values": {"n": 1}, )" + arguments + "}",
         ":2:21: error: the library has no function 'h': it has 'f', 'g'");
  refuse(R"({"function": "f", "values": {"x": 1, "n": 1}})", ":2:1: error: 'x' of 'f' is a tensor");
  refuse(R"({"function": "f", "values": {"n": 1}, "arguments": {"x": {"text": "a"}}})",
         ":2:58: error: 'x' of 'f' is *fp32: expected a tensor");
  refuse(R"({"function": "f", "values": {"n": 1}, "arguments": {"x": null, "eps": null}})",
         ":2:71: error: 'eps' of 'f' is fp32: expected a number or an expression");
  refuse(R"({"function": "f", "arguments": {"x": null, "n": 0.5}})",
         ":2:49: error: 'n' of 'f' is i32: expected an integer");
  refuse(R"({"function": "f", "arguments": {"x": null, "n": 1, "eps": 1, "mode": 3}})",
         ":2:70: error: 'mode' of 'f' is text: expected {\"text\"");
  refuse(R"({"function": "f", "key": ["eps"], "values": {"n": 1}, )" + arguments + "}",
         ":2:28: error: 'eps' is no integer argument of 'f'");
  refuse(R"({"function": "f", "key": ["n"], "values": {"n": 1, "m": [2, 3]}, )" + arguments + "}",
         ":2:28: error: the cases m=2 n=1 and m=3 n=1 have the same key, {n=1}");
  refuse(
      R"({"function": "f", "key": ["n"], "values": {"m": 0}, "arguments": {"x": null, "n": "1 / m", "eps": 1,
            "mode": null, "out": null}})",
      ":2:83: error: ");
}

TEST(TuningPlan, FunctionsWithoutAGridNeedOne) {
  Diagnostics diagnostics;
  TunableFunction function = makeFunction("f");
  function.arguments.resize(1);
  function.hasGrid = false;
  TuningGroup group;
  group.functions = {"f"};
  group.arguments.emplace("x", TuningArgument());
  EXPECT_FALSE(planTuning(group, function, {}, diagnostics).has_value());
  group.grid = std::make_shared<GridExpression>(
      *GridExpression::parse(diagnostics.addSource("<grid>", "4"), diagnostics));
  EXPECT_TRUE(planTuning(group, function, {}, diagnostics).has_value());
}

} // namespace
