// Archives of stages: what went in comes out, whatever linkers put around it, and nothing else does.
#include "linker/StageArchive.h"

#include "nlohmann/json.hpp"

#include "gtest/gtest.h"

using namespace llvm;
using namespace nereid;

static std::string makeArchive(StringRef text) {
  StageRecord first, second;
  first.stage = Stage::TTIR;
  first.text = text.str();
  first.map.add(2, "/home/me/a.py", 9);
  first.map.add(2, "/home/me/b.py", 4);
  first.map.add(2, "/home/me/a.py", 9);
  first.map.add(3, "/home/me/a.py", 0); // is known to come from nowhere
  second.stage = Stage::PTX;
  second.text = "ret;";
  second.map.add(1, "/home/me/b.py", 4);
  return packStages({ArchivedStage(first), ArchivedStage(second)},
                    [](const std::string &path) { return ArchivedFile{path.substr(9), "text of " + path}; });
}

TEST(StageArchive, RoundTrip) {
  Expected<std::string> text = unpackStages(makeArchive("one\ntwo\nthree\n"));
  ASSERT_TRUE(bool(text)) << toString(text.takeError());
  auto json = nlohmann::json::parse(*text);
  EXPECT_EQ(json["files"].size(), 2u);
  EXPECT_EQ(json["files"][1]["name"], "b.py");
  EXPECT_EQ(json["files"][1]["text"], "text of /home/me/b.py");
  EXPECT_EQ(json["stages"][0]["stage"], "ttir");
  EXPECT_EQ(json["stages"][0]["text"], "one\ntwo\nthree\n");
  EXPECT_EQ(json["stages"][0]["lines"].dump(), "[[],[[0,9],[1,4]]]");
  EXPECT_EQ(json["stages"][1]["lines"].dump(), "[[[1,4]]]");
}

TEST(StageArchive, Damaged) {
  std::string archive = makeArchive("text");
  for (size_t size = 0; size < archive.size(); ++size) {
    Expected<std::string> text = unpackStages(StringRef(archive).take_front(size));
    EXPECT_FALSE(bool(text)) << size;
    consumeError(text.takeError());
  }
  // One that claims to be enormous takes no memory.
  archive.replace(0, 8, "\xff\xff\xff\xff\xff\xff\xff\x7f");
  Expected<std::string> text = unpackStages(archive);
  EXPECT_FALSE(bool(text));
  consumeError(text.takeError());
}

TEST(StageArchive, FoundInASectionOfSeveral) {
  std::string a = makeArchive("a"), b = makeArchive("b"), wrong = wrapArchive(makeArchive("c"));
  wrong.back() ^= 1;
  std::map<std::string, std::string> found;
  findArchives("NRDSnothing" + wrapArchive(a) + std::string(7, '\0') + wrong + wrapArchive(b) + "NRDS",
               found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[getArchiveName(a)], a);
  EXPECT_EQ(found[getArchiveName(b)], b);
}
