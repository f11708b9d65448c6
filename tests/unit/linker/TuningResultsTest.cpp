// Files of measured times: written and read, merged, and refused where they are damaged.
#include "linker/TuningResults.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

Measurement measure(const char *variant, int64_t n, double nanoseconds) {
  Measurement m;
  m.function = "add";
  m.device = "NVIDIA H200";
  m.target = "cuda:90a";
  m.key = {{"n", n}};
  m.variant = variant;
  m.nanoseconds = nanoseconds;
  m.spread = 0.25;
  m.runs = 30;
  m.outliers = 2;
  m.driver = "580";
  return m;
}

std::string refuse(llvm::StringRef text) {
  auto read = parseTuningResults(text, "t.json");
  EXPECT_FALSE(bool(read));
  return toString(read.takeError());
}

TEST(TuningResults, AreReadAsTheyWereWritten) {
  std::vector<Measurement> written = {measure("a", 3, 1.5), measure("b", INT64_MIN, 2e9)};
  written[1].failed = "results differ: \"x\"";
  std::string text = printTuningResults(written);
  auto read = parseTuningResults(text, "t.json");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  ASSERT_EQ(read->size(), 2u);
  EXPECT_TRUE(read->front().isSame(written[0]));
  EXPECT_TRUE(read->back().isSame(written[1]));
  EXPECT_FALSE(read->front().isSame(written[1]));
  EXPECT_EQ(read->front().nanoseconds, 1.5);
  EXPECT_EQ(read->front().spread, 0.25);
  EXPECT_EQ(read->front().runs, 30u);
  EXPECT_EQ(read->front().driver, "580");
  EXPECT_EQ(read->back().failed, written[1].failed);
  EXPECT_EQ(printTuningResults(*read), text);
  EXPECT_EQ(parseTuningResults(printTuningResults({}), "t.json")->size(), 0u);
}

TEST(TuningResults, LaterOnesReplaceTheSame) {
  std::vector<Measurement> measurements = {measure("a", 1, 10), measure("b", 1, 20)};
  mergeTuningResults(measurements, {measure("b", 1, 15), measure("b", 2, 7), measure("b", 2, 8)});
  ASSERT_EQ(measurements.size(), 3u);
  EXPECT_EQ(measurements[0].nanoseconds, 10);
  EXPECT_EQ(measurements[1].nanoseconds, 15);
  EXPECT_EQ(measurements[2].nanoseconds, 8);
}

TEST(TuningResults, DamagedOnesAreRefused) {
  std::string text = printTuningResults({measure("a", 1, 10)});
  for (size_t size = 0; size + 1 < text.size(); ++size) // all but the last line's end
    EXPECT_EQ(refuse(llvm::StringRef(text).take_front(size)),
              "'t.json' is no file of tuning results: it is not JSON, or not all of it is there");
  EXPECT_EQ(refuse("[]"), "'t.json' is no file of tuning results: it has no \"nereid_tuning\"");
  EXPECT_EQ(refuse("{\"nereid_tuning\": 9}"),
            "'t.json' is no file of tuning results: it is of format 9, and this Nereid reads 1");
  EXPECT_EQ(refuse("{\"nereid_tuning\": 1}"),
            "'t.json' is no file of tuning results: it has no list of \"measurements\"");
  EXPECT_EQ(refuse("{\"nereid_tuning\": 1, \"measurements\": [3]}"),
            "'t.json' is no file of tuning results: measurement 0 is no object");
  EXPECT_EQ(refuse("{\"nereid_tuning\": 1, \"measurements\": [{\"function\": 3}]}"),
            "'t.json' is no file of tuning results: measurement 0 needs a string as \"function\"");
  std::string negative = text;
  negative.replace(negative.find("10.0"), 4, "-1.0");
  EXPECT_EQ(refuse(negative), "'t.json' is no file of tuning results: measurement 0 needs a number that is "
                              "not negative as \"nanoseconds\"");
}

} // namespace
