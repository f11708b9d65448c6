// How long a build will still take.
#include "aot/Progress.h"

#include "gtest/gtest.h"

using namespace nereid;

namespace {

TEST(TimeLeft, IsNotKnownBeforeAnythingIsDone) {
  TimeLeft left;
  left.add("cpu");
  EXPECT_FALSE(left.get(10).has_value());
}

TEST(TimeLeft, CountsEachKindByItsOwn) {
  TimeLeft left;
  for (int i = 0; i < 10; ++i)
    left.add("cpu");
  for (int i = 0; i < 5; ++i)
    left.add("cuda:90a");
  left.add("hip:gfx942");
  left.finish("cpu", 1);
  left.finish("cuda:90a", 5);
  // Nine of a second, four of five, one of three as the average; in a third of that time, as three are done
  // at a time.
  EXPECT_DOUBLE_EQ(*left.get(2), (9 * 1 + 4 * 5 + 1 * 3) / 3.0);
}

TEST(TimeLeft, IsNothingAtTheEnd) {
  TimeLeft left;
  left.add("cpu");
  left.finish("cpu", 1);
  EXPECT_EQ(*left.get(1), 0);
}

} // namespace
