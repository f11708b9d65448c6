// A compilation that faults must become a message, and leave the process able to run the next one.
#include "compiler/driver/CrashGuard.h"

#include "compiler/model/Diagnostics.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <csignal>
#include <thread>
#include <vector>

using namespace nereid;

namespace {

std::string messages(Diagnostics &diagnostics) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  diagnostics.flush(stream);
  return text;
}

TEST(CrashGuard, ReturnsWhatTheBodyReturns) {
  Diagnostics diagnostics;
  EXPECT_TRUE(runGuarded(diagnostics, [] { return true; }));
  EXPECT_FALSE(runGuarded(diagnostics, [] { return false; }));
  EXPECT_FALSE(diagnostics.hasErrors());
}

TEST(CrashGuard, FatalErrorsBecomeMessages) {
  Diagnostics diagnostics;
  EXPECT_FALSE(
      runGuarded(diagnostics, []() -> bool { llvm::report_fatal_error("cannot select: a fishing rod"); }));
  EXPECT_NE(messages(diagnostics)
                .find("error: internal compiler error: cannot select: a fishing rod; this is a bug"),
            std::string::npos);
}

TEST(CrashGuard, FaultsBecomeMessagesAndWorkGoesOn) {
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(runGuarded(diagnostics, [&] { return std::raise(signal) == 0; }));
    EXPECT_NE(
        messages(diagnostics).find("error: internal compiler error: the compiler crashed; this is a bug"),
        std::string::npos);
    EXPECT_TRUE(runGuarded(diagnostics, [] { return true; }));
  }
}

TEST(CrashGuard, EachThreadHasItsOwn) {
  std::vector<std::thread> threads;
  std::vector<std::string> texts(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      Diagnostics diagnostics;
      runGuarded(diagnostics,
                 [&]() -> bool { llvm::report_fatal_error(llvm::Twine("number ") + llvm::Twine(i)); });
      texts[i] = messages(diagnostics);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 4; ++i)
    EXPECT_NE(texts[i].find("number " + std::to_string(i) + ";"), std::string::npos) << texts[i];
}

} // namespace
