// Processes that measure: what they say, how they end, and what interrupts waiting for them.
#include "aot/tuning/WorkerProcess.h"

#include "gtest/gtest.h"

#include "nlohmann/json.hpp"

#include <csignal>
#include <thread>
#include <unistd.h>

using namespace nereid;
using nlohmann::json;
using Outcome = WorkerProcess::Outcome;

namespace {

TEST(WorkerProcess, TalksBothWays) {
  InterruptGuard guard;
  WorkerProcess worker([](MessageChannel &channel) {
    while (auto message = channel.receive())
      channel.send({{"twice", message->at("n").get<int>() * 2}});
  });
  ASSERT_EQ(toString(worker.start()), "");
  for (int n : {1, 21, 1000}) {
    json answer;
    ASSERT_TRUE(worker.send({{"n", n}}));
    ASSERT_EQ(worker.receive(answer, 60), Outcome::Message);
    EXPECT_EQ(answer, json({{"twice", 2 * n}}));
  }
}

TEST(WorkerProcess, TellsHowItEnded) {
  InterruptGuard guard;
  json message;
  WorkerProcess crashing([](MessageChannel &channel) {
    channel.send({{"last", "words"}});
    raise(SIGSEGV);
  });
  ASSERT_EQ(toString(crashing.start()), "");
  EXPECT_EQ(crashing.receive(message, 60), Outcome::Message);
  EXPECT_EQ(crashing.receive(message, 60), Outcome::Ended);
  EXPECT_EQ(crashing.describeEnd(), "it was ended by SIGSEGV (Segmentation fault)");
  EXPECT_FALSE(crashing.isRunning());
  EXPECT_FALSE(crashing.send({}));

  WorkerProcess leaving([](MessageChannel &) { _exit(3); });
  ASSERT_EQ(toString(leaving.start()), "");
  EXPECT_EQ(leaving.receive(message, 60), Outcome::Ended);
  EXPECT_EQ(leaving.describeEnd(), "it ended its process with status 3");
  // It can be started again.
  ASSERT_EQ(toString(leaving.start()), "");
  EXPECT_EQ(leaving.receive(message, 60), Outcome::Ended);
}

TEST(WorkerProcess, TimesOut) {
  InterruptGuard guard;
  json message;
  WorkerProcess worker([](MessageChannel &) {
    while (true)
      pause();
  });
  ASSERT_EQ(toString(worker.start()), "");
  EXPECT_EQ(worker.receive(message, 0.05), Outcome::TimedOut);
  worker.stop();
  EXPECT_FALSE(worker.isRunning());
}

TEST(WorkerProcess, NonsenseIsNoMessage) {
  InterruptGuard guard;
  json message;
  WorkerProcess worker([](MessageChannel &channel) {
    channel.send("not an object");
    channel.send({{"kind", "done"}});
  });
  ASSERT_EQ(toString(worker.start()), "");
  EXPECT_EQ(worker.receive(message, 60), Outcome::Message);
  EXPECT_EQ(message, json::object());
  EXPECT_EQ(worker.receive(message, 60), Outcome::Message);
  EXPECT_EQ(message.at("kind"), "done");
}

TEST(WorkerProcess, SignalsInterruptWaiting) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    InterruptGuard guard;
    EXPECT_EQ(InterruptGuard::getSignal(), 0);
    WorkerProcess worker([](MessageChannel &channel) { channel.receive(); });
    ASSERT_EQ(toString(worker.start()), "");
    // Before the wait: it is not missed.
    raise(signal);
    json message;
    EXPECT_EQ(worker.receive(message, 60), Outcome::Interrupted);
    EXPECT_EQ(InterruptGuard::getSignal(), signal);
  }
}

} // namespace
