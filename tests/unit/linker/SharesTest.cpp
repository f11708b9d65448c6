// Parts of divided builds: brought into the build's order, and refused where one is missing.
#include "linker/Shares.h"
#include "Samples.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace nereid;

namespace {

/// One of ten variants, of the shard that every third is in.
KernelObject makePart(uint64_t variant, uint64_t shards = 3, const char *build = "ab12") {
  constexpr uint64_t variants = 10;
  KernelObject object = makeObject({makePointer("x")}, "*fp32", {"cuda:90a"});
  object.path = build + std::string("-") + std::to_string(variant) + ".nko";
  uint64_t shard = variant % shards;
  object.share = {build, variant, variants, shard + 1, shards, (variants - shard + shards - 1) / shards};
  return object;
}

class Shares : public testing::Test {
protected:
  bool bring(bool mayLack = false) {
    bool ok = bringSharesTogether(objects, mayLack, diagnostics);
    messages.clear();
    raw_string_ostream stream(messages);
    diagnostics.flush(stream);
    return ok;
  }
  std::string paths() const {
    std::string text;
    for (const KernelObject &object : objects)
      text += object.path + " ";
    return text;
  }

  std::vector<KernelObject> objects;
  Diagnostics diagnostics;
  std::string messages;
};

TEST_F(Shares, AreWrittenAndRead) {
  Expected<KernelObject> read = parseKernelObject(serializeKernelObject(makePart(7)), "file.nko");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  ASSERT_TRUE(read->share.has_value());
  EXPECT_EQ(read->share->build, "ab12");
  EXPECT_EQ(read->share->variant, 7u);
  EXPECT_EQ(read->share->variants, 10u);
  EXPECT_EQ(read->share->shard, 2u);
  EXPECT_EQ(read->share->shards, 3u);
  EXPECT_EQ(read->share->variantsOfShard, 3u);
  KernelObject wrong = makePart(7);
  wrong.share->variant = 10;
  Expected<KernelObject> refused = parseKernelObject(serializeKernelObject(wrong), "file.nko");
  EXPECT_NE(toString(refused.takeError()).find("no part of the build"), std::string::npos);
}

TEST_F(Shares, AreLinkedInTheOrderOfTheBuild) {
  for (uint64_t variant : {3, 0, 9, 6, 8, 2, 5, 7, 1, 4})
    objects.push_back(makePart(variant));
  // What is no part keeps its place.
  KernelObject other = makeObject({makePointer("x")}, "*fp16", {"cuda:90a"});
  other.path = "other.nko";
  objects.insert(objects.begin() + 2, other);
  EXPECT_TRUE(bring()) << messages;
  EXPECT_EQ(messages, "");
  EXPECT_EQ(paths(), "ab12-0.nko ab12-1.nko other.nko ab12-2.nko ab12-3.nko ab12-4.nko ab12-5.nko ab12-6.nko "
                     "ab12-7.nko ab12-8.nko ab12-9.nko ");
}

TEST_F(Shares, MissingOnesAreNamed) {
  for (uint64_t variant : {0, 3, 6, 9, 2, 5, 8})
    objects.push_back(makePart(variant));
  EXPECT_FALSE(bring());
  EXPECT_NE(messages.find("error: of the build that 'ab12-0.nko' is a part of, 3 of 10 variants are missing: "
                          "shard 2 of 3; --allow-missing links what is there"),
            std::string::npos)
      << messages;
  EXPECT_TRUE(bring(/*mayLack=*/true));
  EXPECT_NE(messages.find("warning: of the build"), std::string::npos) << messages;
}

TEST_F(Shares, OneObjectOfAShardMayBeMissing) {
  for (uint64_t variant = 0; variant < 9; ++variant)
    objects.push_back(makePart(variant));
  EXPECT_FALSE(bring());
  EXPECT_NE(messages.find("1 of 10 variants are missing; of shard 1 of 3 there are 3 of 4"),
            std::string::npos)
      << messages;
}

TEST_F(Shares, DivisionsMayDiffer) {
  for (uint64_t variant = 0; variant < 10; ++variant)
    objects.push_back(makePart(variant, variant < 5 ? 3 : 2));
  EXPECT_TRUE(bring()) << messages;
}

TEST_F(Shares, WhatIsLeftOfAnEarlierBuildIsRefused) {
  for (uint64_t variant = 0; variant < 10; ++variant)
    objects.push_back(makePart(variant, 3, "new"));
  objects.push_back(makePart(4, 3, "old"));
  EXPECT_FALSE(bring());
  EXPECT_NE(messages.find("of the build that 'old-4.nko' is a part of, 9 of 10 variants are missing"),
            std::string::npos)
      << messages;
  EXPECT_NE(messages.find("'new-0.nko' is of another build"), std::string::npos) << messages;
  // Two builds that are complete are one library.
  for (uint64_t variant : {0, 1, 2, 3, 5, 6, 7, 8, 9})
    objects.push_back(makePart(variant, 1, "old"));
  EXPECT_TRUE(bring()) << messages;
}

} // namespace
