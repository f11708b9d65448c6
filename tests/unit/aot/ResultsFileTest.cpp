// The file that measurements are kept in: by several at a time, damaged, and where it cannot be written.
#include "aot/tuning/ResultsFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace nereid;
using llvm::toString;

namespace {

Measurement measure(int64_t n, double nanoseconds) {
  Measurement m;
  m.function = "f";
  m.device = "d";
  m.target = "cpu:x86-64-v2";
  m.key = {{"n", n}};
  m.variant = "v";
  m.nanoseconds = nanoseconds;
  return m;
}

class ResultsFileTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("results", folder)); }
  void TearDown() override { (void)llvm::sys::fs::remove_directories(folder); }
  std::string path(const char *name = "r.json") const { return (folder + "/" + name).str(); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code))
      names.push_back(it->path());
    return names;
  }
  std::string contents() const { return (*llvm::MemoryBuffer::getFile(path()))->getBuffer().str(); }

  llvm::SmallString<128> folder;
};

TEST_F(ResultsFileTest, ChangesOfOthersStay) {
  ResultsFile one(path()), other(path());
  EXPECT_EQ(toString(one.load()), "");
  EXPECT_EQ(toString(one.add(measure(1, 10))), "");
  EXPECT_EQ(toString(other.add(measure(2, 20))), "");
  EXPECT_EQ(toString(one.add({measure(1, 11), measure(3, 30)})), "");
  EXPECT_EQ(one.get().size(), 3u);
  auto read = readTuningResults(path());
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ((*read)[0].nanoseconds, 11);
  EXPECT_EQ((*read)[1].key.at("n"), 2);
  EXPECT_EQ(files(), std::vector<std::string>{path()});
}

TEST_F(ResultsFileTest, ManyProcessesLoseNothing) {
  constexpr int processes = 4, each = 25;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    pid_t child = fork();
    if (child == 0) {
      ResultsFile file(path());
      bool isDone = true;
      for (int i = 0; i < each; ++i)
        isDone &= toString(file.add(measure(p * each + i, 1))).empty();
      _exit(isDone ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  auto read = readTuningResults(path());
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(read->size(), size_t(processes * each));
  EXPECT_EQ(files(), std::vector<std::string>{path()});
}

TEST_F(ResultsFileTest, WhatALeftProcessDidIsNoObstacle) {
  for (const char *name : {"r.json.lock", "r.json.partial"}) {
    std::error_code code;
    llvm::raw_fd_ostream(path(name), code) << "half a fi";
  }
  ResultsFile file(path());
  EXPECT_EQ(toString(file.add(measure(1, 10))), "");
  EXPECT_EQ(files(), std::vector<std::string>{path()});
}

TEST_F(ResultsFileTest, DamagedFilesAreLeftAlone) {
  std::error_code code;
  llvm::raw_fd_ostream(path(), code) << "{\"nereid_tuning\": 1, \"measurem";
  std::string before = contents();
  ResultsFile file(path());
  EXPECT_NE(toString(file.load()).find("is no file of tuning results"), std::string::npos);
  EXPECT_NE(toString(file.add(measure(1, 10))).find("is no file of tuning results"), std::string::npos);
  EXPECT_EQ(contents(), before);
  EXPECT_TRUE(file.hasUnsaved());
  // What is added once it is well again has both.
  ASSERT_FALSE(llvm::sys::fs::remove(path()));
  EXPECT_EQ(toString(file.add(measure(2, 20))), "");
  EXPECT_FALSE(file.hasUnsaved());
  EXPECT_EQ(llvm::cantFail(readTuningResults(path())).size(), 2u);
}

TEST_F(ResultsFileTest, LinksStayLinks) {
  ASSERT_FALSE(llvm::sys::fs::create_directory(path("real")));
  ResultsFile(path("real/x.json")).add({}).operator bool();
  ASSERT_FALSE(llvm::sys::fs::create_link("real/x.json", path()));
  ResultsFile file(path());
  EXPECT_EQ(toString(file.add(measure(1, 10))), "");
  EXPECT_TRUE(llvm::sys::fs::is_symlink_file(path()));
  EXPECT_EQ(llvm::cantFail(readTuningResults(path("real/x.json"))).size(), 1u);
}

TEST_F(ResultsFileTest, FoldersThatAreMissingAreNamed) {
  ResultsFile file(path("none/r.json"));
  EXPECT_EQ(toString(file.load()), "");
  EXPECT_EQ(toString(file.add({})),
            "cannot write '" + path("none/r.json.lock") + "': No such file or directory");
}

} // namespace
