// Output files: whole or not at all, and dependency rules.
#include "aot/OutputFile.h"
#include "aot/DependencyFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <unistd.h>

using namespace nereid;

namespace {

class OutputFile : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("nereid-output", folder)); }
  void TearDown() override { (void)llvm::sys::fs::remove_directories(folder); }

  std::string pathTo(llvm::StringRef name) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return std::string(path);
  }
  static std::string read(llvm::StringRef path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "(missing)";
  }
  std::string messages() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    diagnostics.flush(stream);
    return text;
  }

  llvm::SmallString<128> folder;
  Diagnostics diagnostics;
};

TEST_F(OutputFile, ReplacesAWholeFile) {
  EXPECT_TRUE(writeOutputFile(pathTo("a"), "first, and long", diagnostics));
  EXPECT_TRUE(writeOutputFile(pathTo("a"), "second", diagnostics));
  EXPECT_EQ(read(pathTo("a")), "second");
  std::error_code error;
  unsigned count = 0;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error))
    ++count;
  EXPECT_EQ(count, 1u) << "a temporary file was left";
}

TEST_F(OutputFile, LeavesAFileAloneThatHasTheseBytes) {
  using Clock = llvm::sys::TimePoint<>;
  auto timeOf = [&](llvm::StringRef name) {
    llvm::sys::fs::file_status status;
    EXPECT_FALSE(llvm::sys::fs::status(pathTo(name), status));
    return status.getLastModificationTime();
  };
  EXPECT_TRUE(writeOutputFile(pathTo("a"), "the same", diagnostics));
  const Clock past = std::chrono::time_point_cast<Clock::duration>(llvm::sys::toTimePoint(1'000'000'000));
  auto makeOld = [&] {
    int descriptor = -1;
    ASSERT_FALSE(llvm::sys::fs::openFileForWrite(pathTo("a"), descriptor, llvm::sys::fs::CD_OpenExisting,
                                                 llvm::sys::fs::OF_Append));
    ASSERT_FALSE(llvm::sys::fs::setLastAccessAndModificationTime(descriptor, past));
    ::close(descriptor);
  };
  makeOld();
  EXPECT_TRUE(writeOutputFile(pathTo("a"), "the same", diagnostics));
  EXPECT_EQ(timeOf("a"), past);
  EXPECT_TRUE(writeOutputFile(pathTo("a"), "the Same", diagnostics));
  EXPECT_EQ(read(pathTo("a")), "the Same");
  EXPECT_NE(timeOf("a"), past);

  // A stamp says when, also where nothing was written.
  auto stamp = [&](llvm::StringRef name) {
    OutputSet outputs;
    outputs.setStamp(pathTo(name));
    return isDone(outputs.commit(), diagnostics);
  };
  makeOld();
  EXPECT_TRUE(stamp("a"));
  EXPECT_NE(timeOf("a"), past);
  EXPECT_EQ(read(pathTo("a")), "the Same");
  EXPECT_TRUE(stamp("new"));
  EXPECT_EQ(read(pathTo("new")), "");
  EXPECT_FALSE(stamp("no/new"));
}

TEST_F(OutputFile, TakesPercentSignsAsTheyAre) {
  std::string path = pathTo("100%%/a%b%%%");
  ASSERT_FALSE(llvm::sys::fs::create_directory(pathTo("100%%")));
  EXPECT_TRUE(writeOutputFile(path, "text", diagnostics)) << messages();
  EXPECT_EQ(read(path), "text");
}

TEST_F(OutputFile, NamesAFolderThatIsMissing) {
  EXPECT_FALSE(writeOutputFile(pathTo("no/a"), "x", diagnostics));
  EXPECT_NE(messages().find("the folder '" + pathTo("no") + "' does not exist"), std::string::npos);
  EXPECT_FALSE(writeOutputFile(folder, "x", diagnostics));
  EXPECT_NE(messages().find("it is a directory"), std::string::npos);
}

TEST_F(OutputFile, WritesThroughLinksAndDevices) {
  EXPECT_TRUE(writeOutputFile(pathTo("real"), "old", diagnostics));
  ASSERT_FALSE(llvm::sys::fs::create_link(pathTo("real"), pathTo("link")));
  EXPECT_TRUE(writeOutputFile(pathTo("link"), "new", diagnostics));
  EXPECT_TRUE(llvm::sys::fs::is_symlink_file(pathTo("link")));
  EXPECT_EQ(read(pathTo("real")), "new");

  ASSERT_FALSE(llvm::sys::fs::create_link("later", pathTo("dangling")));
  EXPECT_TRUE(writeOutputFile(pathTo("dangling"), "made", diagnostics));
  EXPECT_TRUE(llvm::sys::fs::is_symlink_file(pathTo("dangling")));
  EXPECT_EQ(read(pathTo("later")), "made");

  EXPECT_TRUE(writeOutputFile("/dev/null", "x", diagnostics));
  llvm::sys::fs::file_status status;
  ASSERT_FALSE(llvm::sys::fs::status("/dev/null", status));
  EXPECT_EQ(status.type(), llvm::sys::fs::file_type::character_file);
  EXPECT_FALSE(writeOutputFile("/dev/full", "x", diagnostics));
  EXPECT_NE(messages().find("cannot write '/dev/full': No space left on device"), std::string::npos);
}

TEST_F(OutputFile, MakesTheLastFolderOnly) {
  EXPECT_TRUE(OutputFolder().prepare(pathTo("new"), diagnostics));
  EXPECT_FALSE(OutputFolder().prepare(pathTo("no/new"), diagnostics));
  EXPECT_TRUE(writeOutputFile(pathTo("file"), "x", diagnostics));
  EXPECT_FALSE(OutputFolder().prepare(pathTo("file"), diagnostics));
}

TEST_F(OutputFile, TakesEmptyFoldersAwayThatItMade) {
  {
    OutputFolder folder;
    EXPECT_TRUE(folder.prepare(pathTo("new"), diagnostics));
    EXPECT_TRUE(llvm::sys::fs::is_directory(pathTo("new")));
    // It is there now, and stays for whoever made it.
    EXPECT_TRUE(OutputFolder().prepare(pathTo("new"), diagnostics));
    EXPECT_TRUE(llvm::sys::fs::is_directory(pathTo("new")));
  }
  EXPECT_FALSE(llvm::sys::fs::exists(pathTo("new")));
  {
    OutputFolder folder;
    EXPECT_TRUE(folder.prepare(pathTo("new"), diagnostics));
    EXPECT_TRUE(writeOutputFile(pathTo("new/file"), "x", diagnostics));
  }
  EXPECT_EQ(read(pathTo("new/file")), "x");
}

TEST_F(OutputFile, IsNoneOfTheInputs) {
  EXPECT_TRUE(writeOutputFile(pathTo("input"), "x", diagnostics));
  ASSERT_FALSE(llvm::sys::fs::create_link(pathTo("input"), pathTo("soft")));
  ASSERT_FALSE(llvm::sys::fs::create_hard_link(pathTo("input"), pathTo("hard")));
  for (const char *name : {"input", "soft", "hard", "./input"})
    EXPECT_FALSE(checkIsNoInput(pathTo(name), {pathTo("other"), pathTo("input")}, diagnostics)) << name;
  EXPECT_FALSE(checkIsNoInput(pathTo("new"), {pathTo("new")}, diagnostics));
  EXPECT_TRUE(checkIsNoInput(pathTo("other"), {pathTo("input")}, diagnostics));
  EXPECT_TRUE(checkIsNoInput("-", {"-"}, diagnostics));
}

TEST(DependencyFile, EscapesWhatMakeReads) {
  EXPECT_EQ(cantFail(printDependencyFile("out dir/a.nko", {"x.py", "a b#c$d.py", "e\\ f"})),
            "out\\ dir/a.nko: \\\n  x.py \\\n  a\\ b\\#c$$d.py \\\n  e\\\\\\ f\n");
}

} // namespace
