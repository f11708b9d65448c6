// Outputs that change together or not at all.
#include "linker/OutputSet.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <fstream>

using namespace nereid;
using namespace llvm;

namespace {

class OutputSetTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("nereid-outputs", folder));
    write("old", "as it was");
    write("other", "so was this");
  }
  void TearDown() override { (void)sys::fs::remove_directories(folder); }

  std::string path(StringRef name) { return (folder + "/" + name).str(); }
  void write(StringRef name, StringRef text) { std::ofstream(path(name)) << text.str(); }
  std::string read(StringRef name) {
    auto buffer = MemoryBuffer::getFile(path(name));
    return buffer ? (*buffer)->getBuffer().str() : "(missing)";
  }
  std::vector<std::string> list() {
    std::vector<std::string> names;
    std::error_code error;
    for (sys::fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error))
      names.push_back(it->path().substr(folder.size() + 1));
    llvm::sort(names);
    return names;
  }
  static std::string messageOf(Error error) { return error ? toString(std::move(error)) : ""; }
  static bool isDone(Error error) { return messageOf(std::move(error)).empty(); }

  SmallString<128> folder;
};

TEST_F(OutputSetTest, ChangesNothingBeforeAllIsThere) {
  {
    OutputSet outputs;
    EXPECT_TRUE(isDone(outputs.add(path("old"), "new")));
    EXPECT_TRUE(isDone(outputs.add(path("one"), "new")));
    EXPECT_EQ(read("old"), "as it was");
    EXPECT_EQ(read("one"), "(missing)");
    EXPECT_TRUE(isDone(outputs.commit()));
    EXPECT_EQ(read("old"), "new");
    EXPECT_EQ(read("one"), "new");
  }
  EXPECT_EQ(list(), (std::vector<std::string>{"old", "one", "other"}));
  {
    OutputSet outputs;
    EXPECT_TRUE(isDone(outputs.add(path("old"), "newer")));
    EXPECT_TRUE(isDone(outputs.addFolder(path("package"))));
    EXPECT_EQ(messageOf(outputs.add(path("no/such"), "new")),
              "cannot write '" + path("no/such") + "': the folder '" + path("no") + "' does not exist");
    EXPECT_EQ(messageOf(outputs.add(folder, "new")),
              "cannot write '" + folder.str().str() + "': it is a directory");
  }
  EXPECT_EQ(read("old"), "new");
  EXPECT_EQ(list(), (std::vector<std::string>{"old", "one", "other"}));
}

TEST_F(OutputSetTest, TakesBackWhatCannotBeCompleted) {
  auto fail = [&](auto spoil) {
    write("made", "made elsewhere");
    OutputSet outputs;
    EXPECT_TRUE(isDone(outputs.add(path("old"), "new")));
    EXPECT_TRUE(isDone(outputs.add(path("fresh"), "new")));
    EXPECT_TRUE(isDone(outputs.addFolder(path("package"))));
    EXPECT_TRUE(isDone(outputs.addMade(path("package/made"), path("made"))));
    EXPECT_TRUE(isDone(outputs.add(path("other"), "new")));
    spoil(outputs);
    EXPECT_FALSE(isDone(outputs.commit()));
  };
  auto expectAllAsBefore = [&] {
    EXPECT_EQ(read("old"), "as it was");
    EXPECT_EQ(read("other"), "so was this");
    EXPECT_EQ(list(), (std::vector<std::string>{"old", "other"}));
  };
  fail([](OutputSet &outputs) { EXPECT_TRUE(isDone(outputs.add("/dev/full", "new"))); });
  expectAllAsBefore();
  fail([&](OutputSet &outputs) { outputs.setStamp(path("no/stamp")); });
  expectAllAsBefore();
  // Somebody is faster.
  fail([&](OutputSet &) {
    ASSERT_FALSE(sys::fs::remove(path("other")));
    ASSERT_FALSE(sys::fs::create_directory(path("other")));
  });
  EXPECT_EQ(read("old"), "as it was");
  EXPECT_EQ(read("fresh"), "(missing)");
}

TEST_F(OutputSetTest, KeepsFilesThatNeedNotChange) {
  ASSERT_FALSE(sys::fs::create_hard_link(path("old"), path("same")));
  OutputSet outputs;
  EXPECT_TRUE(isDone(outputs.add(path("old"), "as it was")));
  EXPECT_TRUE(isDone(outputs.addMade(path("same"), path("old"))));
  EXPECT_TRUE(isDone(outputs.commit()));
  EXPECT_TRUE(sys::fs::equivalent(path("old"), path("same")));
}

} // namespace
