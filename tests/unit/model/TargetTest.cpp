// Target names.
#include "compiler/model/Target.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

std::string refuse(llvm::StringRef text) {
  llvm::Expected<Target> target = Target::parse(text);
  EXPECT_FALSE(static_cast<bool>(target));
  return target ? "" : llvm::toString(target.takeError());
}

TEST(Target, ReadsEveryKnownName) {
  for (const KnownTarget &known : getKnownTargets()) {
    llvm::Expected<Target> target = Target::parse(known.name);
    ASSERT_TRUE(static_cast<bool>(target)) << known.name;
    if (llvm::StringRef(known.name) != "cpu") {
      EXPECT_EQ(target->str(), known.name);
    }
  }
}

TEST(Target, KnowsWarps) {
  EXPECT_EQ(llvm::cantFail(Target::parse("cuda:90a")).warpSize, 32u);
  EXPECT_EQ(llvm::cantFail(Target::parse("cuda:80:32")).warpSize, 32u);
  EXPECT_EQ(llvm::cantFail(Target::parse("hip:gfx942")).warpSize, 64u);
  EXPECT_EQ(llvm::cantFail(Target::parse("hip:gfx942:64")).warpSize, 64u);
  EXPECT_EQ(llvm::cantFail(Target::parse("hip:gfx1100")).warpSize, 32u);
  EXPECT_EQ(llvm::cantFail(Target::parse("cpu:x86-64-v3")).warpSize, 1u);
}

TEST(Target, KnowsComputeCapability) {
  EXPECT_EQ(llvm::cantFail(Target::parse("cuda:90a")).getComputeCapability(), 90u);
  EXPECT_EQ(llvm::cantFail(Target::parse("cuda:120")).getComputeCapability(), 120u);
  EXPECT_EQ(llvm::cantFail(Target::parse("hip:gfx942")).getComputeCapability(), 0u);
}

#if defined(__x86_64__)
TEST(Target, PlainCPUStandsForEveryLevel) {
  std::vector<Target> targets = llvm::cantFail(Target::parseGroup("cpu"));
  ASSERT_EQ(targets.size(), 3u);
  EXPECT_EQ(targets[0].str(), "cpu:x86-64-v2");
  EXPECT_EQ(targets[2].str(), "cpu:x86-64-v4");
}
#endif

TEST(Target, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refuse("metal"), "unknown target 'metal': expected cpu, cuda:ARCH or hip:ARCH");
  EXPECT_NE(refuse("cuda").find("names no architecture: expected one of cuda:75, cuda:80"),
            std::string::npos);
  EXPECT_NE(refuse("cuda:81").find("unknown target 'cuda:81': expected one of cuda:75"), std::string::npos);
  EXPECT_NE(refuse("hip:90").find("expected one of hip:gfx90a"), std::string::npos);
  EXPECT_EQ(refuse("cuda:90:64"), "target 'cuda:90:64': a warp of cuda:90 has 32 lanes, not 64");
  EXPECT_NE(refuse("cuda:90:32:1").find("too many fields"), std::string::npos);
  EXPECT_NE(refuse("").find("unknown target ''"), std::string::npos);
}

} // namespace
