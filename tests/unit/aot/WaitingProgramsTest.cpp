// Programs that wait for each other on the CPU: how many threads they get, and when they are given up.
#include "aot/WaitingPrograms.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace llvm;
using namespace nereid;

TEST(WaitingPrograms, AllMeet) {
  std::atomic<unsigned> arrived{0};
  Error error = runWaitingPrograms(200, 2, 0, [&](uint64_t, void *) {
    for (++arrived; arrived < 200;)
      yieldWhileWaiting();
    return true;
  });
  EXPECT_FALSE(bool(error)) << toString(std::move(error));
  EXPECT_EQ(arrived, 200u);
}

TEST(WaitingPrograms, InOrderNeedsFewThreads) {
  std::atomic<uint64_t> done{0};
  WaitingLimits limits = {4, 0.2};
  Error error = runWaitingPrograms(
      5000, 2, 100,
      [&](uint64_t program, void *scratch) {
        static_cast<char *>(scratch)[99] = 1;
        while (done != program)
          yieldWhileWaiting();
        ++done;
        return true;
      },
      limits);
  EXPECT_FALSE(bool(error)) << toString(std::move(error));
  EXPECT_EQ(done, 5000u);
}

TEST(WaitingPrograms, WhatTakesLongDoesNotWait) {
  std::atomic<int> now{0}, most{0};
  Error error = runWaitingPrograms(12, 2, 0, [&](uint64_t, void *) {
    most = std::max<int>(most, ++now);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --now;
    return true;
  });
  EXPECT_FALSE(bool(error)) << toString(std::move(error));
  EXPECT_LE(most, 2);
}

TEST(WaitingPrograms, GivenUp) {
  std::atomic<unsigned> arrived{0};
  WaitingLimits limits = {16, 0.2};
  Error error = runWaitingPrograms(
      1000, 2, 0,
      [&](uint64_t, void *) {
        for (++arrived; arrived < 1000;)
          yieldWhileWaiting();
        return true;
      },
      limits);
  EXPECT_EQ(
      toString(std::move(error)),
      "its programs wait for each other, and of the 1000 in this grid only 16 can run at once: that is the "
      "limit on a CPU");
  EXPECT_EQ(arrived, 16u);
}

TEST(WaitingPrograms, AFailureEndsThoseThatWaitForIt) {
  std::atomic<unsigned> ended{0};
  Error error = runWaitingPrograms(50, 2, 0, [&](uint64_t program, void *) {
    while (program != 20)
      yieldWhileWaiting();
    ++ended;
    return false;
  });
  EXPECT_FALSE(bool(error)) << toString(std::move(error));
  EXPECT_EQ(ended, 1u);
}
