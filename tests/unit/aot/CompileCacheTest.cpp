// The parts of the compile cache: paths, entries, the folder.
#include "aot/cache/CacheEntry.h"
#include "aot/cache/CacheFolder.h"
#include "aot/cache/MovablePaths.h"
#include "aot/cache/PatientCalls.h"
#include "aot/cache/RequestKey.h"
#include "aot/cache/ToolIdentity.h"
#include "compiler/model/FilesRead.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <thread>

using namespace nereid;
using namespace llvm;

namespace {

TEST(MovablePaths, BelowAndAboveTheSource) {
  MovablePaths here("/home/ann/p/kernels/add.py"), there("/srv/p/kernels/add.py");
  for (auto [path, moved] : {std::pair("/home/ann/p/kernels/sizes.py", "/srv/p/kernels/sizes.py"),
                             {"/home/ann/p/lib/shapes.py", "/srv/p/lib/shapes.py"},
                             {"/home/ann/p/kernels/../x.py", "/srv/p/kernels/../x.py"},
                             {"/home/ann/p/kernels", "/srv/p/kernels"},
                             {"/home/ann/p", "/srv/p"},
                             {"/home/ann/p/kernelsmore/x.py", "/srv/p/kernelsmore/x.py"},
                             {"lib/x.py", "lib/x.py"}}) {
    EXPECT_EQ(here.unfold(here.fold(path)), path);
    EXPECT_EQ(there.unfold(here.fold(path)), moved);
  }
  // What lies further up than both have in common depends on how deep they are.
  EXPECT_EQ(here.unfold(here.fold("/opt/lib/x.py")), "/opt/lib/x.py");
  EXPECT_EQ(here.fold("/opt/lib/x.py"), MovablePaths("/home/bob/p/kernels/add.py").fold("/opt/lib/x.py"));
  EXPECT_NE(here.fold("/opt/lib/x.py"), there.fold("/opt/lib/x.py"));
  EXPECT_EQ(MovablePaths("/add.py").unfold(here.fold("/opt/lib/x.py")), std::nullopt);
  EXPECT_EQ(here.unfold("nonsense"), std::nullopt);
  EXPECT_EQ(here.unfold(""), std::nullopt);
}

TEST(MovablePaths, RelativeSources) {
  SmallString<128> current;
  ASSERT_FALSE(sys::fs::current_path(current));
  for (const char *source : {"add.py", "kernels/add.py", "../add.py", "./add.py"}) {
    MovablePaths paths(source);
    for (const std::string &path :
         {std::string("sizes.py"), std::string("kernels/sizes.py"), std::string("../lib/x.py"),
          std::string("./x.py"), current.str().str() + "/kernels/x.py", std::string("/opt/x.py")})
      EXPECT_EQ(paths.unfold(paths.fold(path)), path) << source;
  }
}

ResultConditions makeConditions(const std::string &digest) {
  ResultConditions conditions;
  conditions.files = {{"s0:/add.py", digest, ""}, {"s0:/\xff.py", std::string("\0\xfe", 2), "x.py"}};
  conditions.missed = {"s0:/sizes.py"};
  conditions.packages = {{"s0:", "kernels"}};
  conditions.searches = {{"ops", "s0:", {"a1:"}}};
  conditions.places = "here";
  conditions.currentFolder = "/";
  conditions.hasMessages = true;
  return conditions;
}

TEST(CacheEntry, ReadsBackWhatWasWritten) {
  CacheEntry entry;
  entry.add(makeConditions("one"), {{"a warning\n"}, "", std::string("\0object\xff", 8)});
  entry.add(makeConditions("two"), {{}, "too little", ""});
  std::optional<CacheEntry> read = CacheEntry::parse(entry.serialize("key"), "key");
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->size(), 2u);
  EXPECT_TRUE(read->getConditions(0) == makeConditions("two"));
  EXPECT_TRUE(read->getConditions(1) == makeConditions("one"));
  ASSERT_TRUE(read->getResult(0) && read->getResult(1));
  EXPECT_EQ(read->getResult(0)->misfit, "too little");
  EXPECT_EQ(read->getResult(1)->object, std::string("\0object\xff", 8));
  EXPECT_EQ(read->getResult(1)->messages, std::vector<std::string>{"a warning\n"});
  EXPECT_FALSE(CacheEntry::parse(entry.serialize("key"), "other"));
}

TEST(CacheEntry, EveryByteIsChecked) {
  CacheEntry entry;
  entry.add(makeConditions("one"), {{"a warning\n"}, "", "object"});
  const std::string good = entry.serialize("key");
  for (size_t at = 0; at != good.size(); ++at) {
    std::string bad = good;
    bad[at] ^= 4;
    std::optional<CacheEntry> read = CacheEntry::parse(bad, "key");
    EXPECT_FALSE(read && read->getResult(0)) << at;
    read = CacheEntry::parse(StringRef(good).take_front(at), "key");
    EXPECT_FALSE(read && read->getResult(0)) << at;
  }
}

TEST(CacheEntry, TheNewestStay) {
  CacheEntry entry;
  for (int i = 0; i != 40; ++i)
    entry.add(makeConditions(std::to_string(i)), {{}, "", std::to_string(i)});
  entry.add(makeConditions("35"), {{}, "", "again"});
  std::optional<CacheEntry> read = CacheEntry::parse(entry.serialize("key"), "key");
  ASSERT_TRUE(read && read->size() > 4);
  EXPECT_LT(read->size(), 40u);
  EXPECT_EQ(read->getResult(0)->object, "again");
  EXPECT_EQ(read->getResult(1)->object, "39");
  for (size_t i = 1; i != read->size(); ++i)
    EXPECT_NE(read->getConditions(i).files[0].digest, "35");
}

TEST(CacheFolder, Sizes) {
  EXPECT_EQ(parseSize("17"), 17u);
  EXPECT_EQ(parseSize("3k"), 3072u);
  EXPECT_EQ(parseSize("2 MiB"), 2u << 20);
  EXPECT_EQ(parseSize("5GB"), uint64_t(5) << 30);
  EXPECT_EQ(parseSize("1T"), uint64_t(1) << 40);
  for (const char *text : {"", "G", "-1", "5X", "5Gx", "99999999999T"})
    EXPECT_EQ(parseSize(text), std::nullopt) << text;
}

class CacheFolderTest : public testing::Test {
protected:
  void SetUp() override {
    SmallString<128> path;
    ASSERT_FALSE(sys::fs::createUniqueDirectory("nereid-cache", path));
    settings.folder = path.str().str() + "/deep/cache";
    settings.isNamed = true;
  }
  void TearDown() override {
    (void)sys::fs::remove_directories(sys::path::parent_path(sys::path::parent_path(settings.folder)));
  }
  static std::string textOf(std::unique_ptr<MemoryBuffer> buffer) {
    return buffer ? buffer->getBuffer().str() : "none";
  }

  CacheSettings settings;
};

TEST_F(CacheFolderTest, EntriesAreReplacedWhole) {
  CacheFolder folder(settings);
  EXPECT_EQ(textOf(folder.read("a")), "none");
  EXPECT_EQ(folder.getContents().entries, 0u);
  EXPECT_FALSE(errorToBool(folder.write("a", "one")));
  EXPECT_FALSE(errorToBool(folder.write("a", "three")));
  EXPECT_EQ(textOf(folder.read("a")), "three");
  EXPECT_EQ(folder.getContents().entries, 1u);
  EXPECT_EQ(folder.getContents().bytes, 5u);
  folder.remove("a");
  EXPECT_EQ(textOf(folder.read("a")), "none");
}

TEST_F(CacheFolderTest, CountsUses) {
  CacheFolder folder(settings);
  EXPECT_FALSE(folder.count(1, 1, 0));
  EXPECT_EQ(folder.getContents().hits, 0u) << "there is no folder yet";
  ASSERT_FALSE(errorToBool(folder.write("a", "one")));
  EXPECT_FALSE(folder.count(3, 2, 3));
  EXPECT_FALSE(folder.count(1000, 0, 0));
  EXPECT_EQ(folder.getContents().hits, 1003u);
  EXPECT_EQ(folder.getContents().misses, 2u);
  EXPECT_FALSE(errorToBool(folder.clear()));
  EXPECT_EQ(folder.getContents().hits, 0u);
  EXPECT_EQ(folder.getContents().entries, 0u);
}

TEST_F(CacheFolderTest, StaysWithinItsSize) {
  settings.mostBytes = 100 << 10;
  CacheFolder folder(settings);
  const std::string text(10 << 10, 'x');
  for (int i = 0; i != 30; ++i) {
    ASSERT_FALSE(errorToBool(folder.write(std::to_string(i), text)));
    if (folder.count(0, 1, text.size()))
      ASSERT_FALSE(errorToBool(folder.trim()));
    EXPECT_LE(folder.getContents().bytes, settings.mostBytes);
  }
  EXPECT_GE(folder.getContents().entries, 5u);
}

TEST(PatientCalls, WhatDoesNotAnswerIsLeftToItself) {
  auto done = std::make_shared<std::atomic<bool>>(false);
  auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(endsWithin(std::chrono::milliseconds(20), [done] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    *done = true;
  }));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(400));
  EXPECT_TRUE(endsWithin(std::chrono::seconds(30), [done] {
    while (!*done)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }));
}

TEST(RequestKey, EveryFieldCounts) {
  Diagnostics diagnostics;
  auto text = diagnostics.addSource("<D>", "N=1");
  auto sign = [&](const char *signature) {
    return [&diagnostics, signature](CompileRequest &r) {
      r.specialization = *parseSignature(diagnostics.addSource("<signature>", signature), diagnostics);
    };
  };
  std::vector<std::function<void(CompileRequest &)>> changes = {
      [](CompileRequest &) {},
      [](CompileRequest &r) { r.kernel = "g"; },
      [](CompileRequest &r) { r.sourcePath = "/p/other.py"; },
      [](CompileRequest &r) { r.target = cantFail(Target::parse("cpu:x86-64-v3")); },
      [](CompileRequest &r) { r.numWarps = 8; },
      [](CompileRequest &r) { r.numStages = 4; },
      [](CompileRequest &r) { r.numCTAs = 2; },
      [](CompileRequest &r) { r.maxRegisters = 4; },
      [](CompileRequest &r) { r.wavesPerEU = 4; },
      [](CompileRequest &r) { r.useTensorMaps = false; },
      [](CompileRequest &r) { r.hasExactWarps = true; },
      [](CompileRequest &r) { r.hasExactStages = true; },
      [](CompileRequest &r) { r.isCooperative = true; },
      [](CompileRequest &r) { r.overlapsWithLast = true; },
      [](CompileRequest &r) { r.warpSpecialize = true; },
      [](CompileRequest &r) { r.warpSpecialize = false; },
      [](CompileRequest &r) { r.importPaths = {"/p/lib"}; },
      [](CompileRequest &r) { r.importPaths = {"/p/lib2"}; },
      [](CompileRequest &r) { r.debug = true; },
      [](CompileRequest &r) { r.sourceInfo.lineTables = true; },
      [](CompileRequest &r) { r.sourceInfo.prefixMap = {{"a", "b"}}; },
      [&](CompileRequest &r) { r.definitions = {*parseDefinition(text, diagnostics)}; },
      [](CompileRequest &r) { r.compileLimit = 7; },
      [](CompileRequest &r) { r.emit = Stage::TTIR; },
      [](CompileRequest &r) { r.keptStages = {Stage::TTIR, Stage::LLIR}; },
      [](CompileRequest &r) { r.keptStages = {Stage::TTIR, Stage::PTX}; },
      [](CompileRequest &r) { r.mapsStages = true; },
      sign("i32"),
      sign("x=i32"),
      sign("i32[0..4]"),
      sign("0.1"),
      sign("0.1000000000000001"),
      sign("\"0.1\""),
      sign("(i32, 4)"),
      sign("tensordesc<fp16[64, 64]>"),
      sign("tensordesc<fp16[64, 32]>"),
  };
  std::set<std::string> keys;
  for (auto &change : changes) {
    CompileRequest request;
    request.sourcePath = "/p/add.py";
    request.kernel = "f";
    request.target = cantFail(Target::parse("cpu:x86-64-v2"));
    change(request);
    auto key = makeRequestKey(request, digestOf("text"), MovablePaths(request.sourcePath));
    ASSERT_TRUE(key.has_value());
    EXPECT_TRUE(keys.insert(*key).second) << keys.size();
    EXPECT_EQ(key, makeRequestKey(request, digestOf("text"), MovablePaths(request.sourcePath)));
    EXPECT_NE(key, makeRequestKey(request, digestOf("other"), MovablePaths(request.sourcePath)));
  }
}

TEST(ToolIdentity, IsTheSameInAProcess) {
  EXPECT_EQ(getOwnIdentity().size(), 32u);
  EXPECT_EQ(getToolkitIdentity(Backend::CPU), getToolkitIdentity(Backend::CPU));
}

} // namespace
