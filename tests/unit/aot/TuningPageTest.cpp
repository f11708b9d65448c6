// The page that shows results: what is marked as chosen, what it gains, and what is not there.
#include "aot/tuning/TuningPage.h"

#include "aot/tuning/TuningProgress.h"

#include "llvm/ADT/StringRef.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

Measurement measure(const char *variant, int64_t n, double nanoseconds, bool isDefault = false) {
  Measurement m;
  m.function = "f";
  m.device = "GPU <1>";
  m.target = "cuda:90a";
  m.key = {{"n", n}};
  m.variant = variant;
  m.nanoseconds = nanoseconds;
  m.runs = 9;
  m.isDefault = isDefault;
  return m;
}

TEST(TuningPage, MarksTheFastestAndSaysWhatItGains) {
  std::string page = drawTuningPage({measure("slow", 1, 2000, true), measure("fast", 1, 500),
                                     measure("slow", 2, 1000, true), measure("fast", 2, 3000)});
  llvm::StringRef text(page);
  EXPECT_TRUE(text.contains("f <small>on GPU &lt;1&gt;</small>"));
  EXPECT_TRUE(text.contains("75.0 %"));
  // sqrt(0.25 * 1) of the time.
  EXPECT_TRUE(
      text.contains("takes 50.0 % off the time of the library's own choice on average, and up to 75.0 %; "
                    "for 1 of 2 keys another variant is faster"));
  EXPECT_EQ(text.count("class=\"mark\""), 4u);
  EXPECT_EQ(text.count("<tr class=\"chosen\">"), 2u);
  EXPECT_TRUE(text.contains("fast <small>cuda:90a, chosen 1 time"));
}

TEST(TuningPage, LivesWithFailuresAndNothing) {
  EXPECT_NE(drawTuningPage({}).find("Nothing has been measured yet"), std::string::npos);
  Measurement failed = measure("a", 1, 0, true);
  failed.failed = "no & never";
  std::string page = drawTuningPage(failed);
  EXPECT_NE(page.find("failed: no &amp; never"), std::string::npos);
  EXPECT_NE(page.find("none: all have failed"), std::string::npos);
  EXPECT_EQ(page.find("<svg"), std::string::npos);
  EXPECT_EQ(page.find("nan"), std::string::npos);
}

TEST(TuningProgress, SaysTimesShortly) {
  EXPECT_EQ(describeTime(640), "640 ns");
  EXPECT_EQ(describeTime(999.6), "1.00 us");
  EXPECT_EQ(describeTime(12340), "12.3 us");
  EXPECT_EQ(describeTime(2.5e9), "2.50 s");
  EXPECT_EQ(describeDuration(59.4), "59 s");
  EXPECT_EQ(describeDuration(200), "3 min");
  EXPECT_EQ(describeDuration(7800), "2 h 10 min");
}

} // namespace
