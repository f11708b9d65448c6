// What frontends ask of the file system is written down, with the answers.
#include "compiler/model/FilesRead.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

#include <fstream>

using namespace nereid;
using namespace llvm;

namespace {

class FilesReadTest : public testing::Test {
protected:
  void SetUp() override {
    SmallString<128> path;
    ASSERT_FALSE(sys::fs::createUniqueDirectory("nereid-files", path));
    folder = path.str().str();
  }
  void TearDown() override { (void)sys::fs::remove_directories(folder); }
  void write(const std::string &name) { std::ofstream(folder + "/" + name) << name; }
  void makeFolder(const std::string &name) { ASSERT_FALSE(sys::fs::create_directory(folder + "/" + name)); }

  std::string folder;
  FilesRead files;
};

TEST_F(FilesReadTest, EachFileIsReadOnce) {
  files.addRead("a.py", "one");
  files.addRead("b.py", "two");
  files.addRead("a.py", "three");
  EXPECT_EQ(files.getPaths(), (std::vector<std::string>{"a.py", "b.py"}));
  EXPECT_EQ(files.getFiles()[0].digest, digestOf("one"));
  EXPECT_NE(files.getFiles()[0].digest, files.getFiles()[1].digest);
}

TEST_F(FilesReadTest, WhatIsNotThereIsRemembered) {
  write("there.py");
  makeFolder("folder.py");
  EXPECT_TRUE(files.isThere(folder + "/there.py"));
  EXPECT_FALSE(files.isThere(folder + "/missing.py"));
  EXPECT_FALSE(files.isThere(folder + "/folder.py"));
  EXPECT_EQ(files.getMissed(), (std::set<std::string>{folder + "/missing.py", folder + "/folder.py"}));
}

TEST_F(FilesReadTest, PackagesAreFoldersWithAMarker) {
  makeFolder("package");
  write("package/__init__.py");
  EXPECT_TRUE(files.isPackage(folder + "/package"));
  EXPECT_FALSE(files.isPackage(folder));
  EXPECT_FALSE(files.isPackage(""));
  EXPECT_EQ(files.getPackages(), (std::set<std::string>{folder + "/package"}));
  EXPECT_EQ(files.getMissed(), (std::set<std::string>{folder + "/__init__.py"}));
}

TEST_F(FilesReadTest, ParentsAreFoundByName) {
  EXPECT_EQ(files.findParents("ops", "/p/ops/deep/ops"), (std::vector<std::string>{"/p/ops/deep", "/p"}));
  EXPECT_EQ(files.findParents("ops", "/p/ops/../other"), (std::vector<std::string>{}));
  EXPECT_EQ(files.findParents("ops", "/p/ops/deep/ops").size(), 2u);
  ASSERT_EQ(files.getSearches().size(), 2u);
  EXPECT_EQ(files.getSearches()[0].parents.size(), 2u);
}

} // namespace
