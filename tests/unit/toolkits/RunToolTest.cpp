// Programs of toolkits as they are run: what ptxas makes of a text must not differ from run to run.
#include "toolkits/RunTool.h"

#include <gtest/gtest.h>

#include <sys/personality.h>

using namespace nereid;

static std::string run(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments) {
  llvm::Expected<ToolResult> result = runTool(program, arguments);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return "";
  }
  EXPECT_EQ(result->exitCode, 0) << result->output;
  return result->output;
}

TEST(RunTool, ProgramsGetTheSameAddresses) {
  constexpr unsigned long asked = 0xffffffff;
  int before = ::personality(asked);
  ASSERT_NE(before, -1);
  if (::personality(unsigned(before) | ADDR_NO_RANDOMIZE) == -1)
    GTEST_SKIP() << "not allowed here";
  ::personality(unsigned(before));
  std::string first = run("/bin/cat", {"/proc/self/maps"});
  EXPECT_NE(first.find("[stack]"), std::string::npos);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(run("/bin/cat", {"/proc/self/maps"}), first);
  EXPECT_EQ(::personality(asked), before);
}
