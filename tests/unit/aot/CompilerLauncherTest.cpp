// A launcher's command line, and what comes back from a process that was launched.
#include "aot/CompilerLauncher.h"
#include "aot/DependencyFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

using Words = std::vector<std::string>;

std::optional<Words> parse(llvm::StringRef text) {
  Diagnostics diagnostics;
  return parseLauncher(diagnostics.addSource("<--launcher>", text.str()), diagnostics);
}

std::string failureOf(llvm::StringRef text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parseLauncher(diagnostics.addSource("<--launcher>", text.str()), diagnostics)) << text.str();
  return llvm::join(diagnostics.takeTexts(), "");
}

TEST(CompilerLauncher, IsACommandLine) {
  EXPECT_EQ(parse("env  A='b c' \"D=e \\\" f\" G\\ H"), (Words{"env", "A=b c", "D=e \" f", "G H"}));
  EXPECT_EQ(parse("  "), Words());
  EXPECT_EQ(parse(" env\t'' \n\"\" "), (Words{"env", "", ""}));
}

TEST(CompilerLauncher, QuotesAsAShellDoes) {
  EXPECT_EQ(parse(R"(env 'a\b' "a\nb\\" a\\b 'a'"b"c "'" '"' \')"),
            (Words{"env", "a\\b", "a\\nb\\", "a\\b", "abc", "'", "\"", "'"}));
}

TEST(CompilerLauncher, IsRefusedWhereItIsWrong) {
  EXPECT_EQ(failureOf("env 'a b"), "<--launcher>:1:5: error: this quote is not closed\nenv 'a b\n    ^\n");
  EXPECT_EQ(failureOf("env x \"a\\\""),
            "<--launcher>:1:7: error: this quote is not closed\nenv x \"a\\\"\n      ^\n");
  EXPECT_EQ(failureOf("env a\\"),
            "<--launcher>:1:6: error: nothing stands behind this backslash\nenv a\\\n     ^\n");
  EXPECT_EQ(failureOf("  no-such-launcher -x"),
            "<--launcher>:1:3: error: cannot start the compiler launcher 'no-such-launcher': No such file or "
            "directory\n  no-such-launcher -x\n  ^~~~~~~~~~~~~~~~\n");
}

class Launching : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("nereid-launch", folder)); }
  void TearDown() override { (void)llvm::sys::fs::remove_directories(folder); }

  LaunchedResult launch(const std::string &script) {
    LaunchSettings settings;
    settings.launcher = {"env", "NEREID_TEST=yes"};
    settings.getCommand = [&](size_t job, const Target &target) {
      return std::vector<std::string>{"sh", "-c", script, std::to_string(job), target.str()};
    };
    settings.folder = folder.str().str();
    return launchCompile(settings, 17, *Target::parse("cuda:90a"), "x");
  }

  llvm::SmallString<128> folder;
};

TEST_F(Launching, PassesOnWhatARefusedCompilationSays) {
  LaunchedResult result = launch("echo \"k.py:1:2: error: $NEREID_TEST $0 $1\"; echo note >&2; exit 1");
  EXPECT_FALSE(result.objects.has_value());
  EXPECT_EQ(result.output, "k.py:1:2: error: yes 17 cuda:90a\nnote\n");
  EXPECT_EQ(result.error, "");
}

TEST_F(Launching, NamesTheCommandWhereSomethingElseWentWrong) {
  LaunchedResult result = launch("echo 'no slots'; exit 1");
  EXPECT_EQ(result.output, "no slots\n");
  EXPECT_NE(result.error.find("env NEREID_TEST=yes sh -c"), std::string::npos);
  EXPECT_NE(result.error.find("returned 1"), std::string::npos);
  EXPECT_NE(launch("exit 3").error.find("returned 3"), std::string::npos);
  EXPECT_NE(launch("kill -9 $$").error.find("was ended by a signal: Killed"), std::string::npos);
  EXPECT_NE(launch("exit 0").error.find("did not write what it should"), std::string::npos);
  EXPECT_NE(launch("echo x >\"$3\"; echo y >\"$5\"").error.find("is not a complete kernel object"),
            std::string::npos);
}

TEST(DependencyFile, IsReadAsItWasPrinted) {
  std::vector<std::string> inputs = {"plain.py",  "with space.py", "a#b$c.py", "back\\slash",
                                     "/abs/x.py", "a\tb",          "a\\ b",    "a\\\\ b",
                                     "at end\\",  "a\\#b",         "$$ $\\\\"};
  EXPECT_EQ(parseDependencyFile(cantFail(printDependencyFile("out put.nko", inputs))), inputs);
  EXPECT_TRUE(parseDependencyFile("").empty());
  EXPECT_TRUE(parseDependencyFile(cantFail(printDependencyFile("a", {}))).empty());
}

TEST(DependencyFile, HoldsNoLineEnds) {
  EXPECT_EQ(toString(printDependencyFile("out", {"a.py", "b\nc.py"}).takeError()),
            "a dependency file cannot name 'b\\0Ac.py', as there is the end of a line in it");
  EXPECT_EQ(toString(printDependencyFile("o\rut", {}).takeError()),
            "a dependency file cannot name 'o\\0Dut', as there is the end of a line in it");
}

} // namespace
