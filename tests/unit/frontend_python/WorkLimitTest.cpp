// Compile-time Python that would take forever, fill the memory, or go deeper than the stack: it is refused in
// one message, where it stands, within seconds.
#include "tests/unit/frontend_python/EmitSource.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

namespace nereid::test {
namespace {

/// The body of a function that is run at compile time.
struct BodyCase {
  const char *name;
  const char *body;
};
void PrintTo(const BodyCase &body, std::ostream *os) { *os << body.name; }

/// A tenth of what kernels have, so that the tests take a tenth of the time.
constexpr uint64_t testLimit = 1'000'000;

std::string messagesOf(const std::string &body, uint64_t limit = testLimit) {
  return emitSource("import itertools\n"
                    "@triton.constexpr_function\n"
                    "def helper():\n" +
                        body +
                        "\n@triton.jit\n"
                        "def f(x, N: tl.constexpr = helper()):\n"
                        "    tl.store(x, 1)\n",
                    "*i32", {}, "cuda:90a", {}, limit)
      .messages;
}

class TooMuchWork : public ::testing::TestWithParam<BodyCase> {};

TEST_P(TooMuchWork, IsRefusedWhereItStands) {
  std::string messages = messagesOf(GetParam().body);
  EXPECT_NE(messages.find("error: this takes more than 1000000 steps at compile time"), std::string::npos)
      << messages;
  // In the function's body.
  unsigned line = 0;
  EXPECT_EQ(sscanf(messages.c_str(), "%u:", &line), 1) << messages;
  EXPECT_GE(line, 7u) << messages;
}

const BodyCase endless[] = {
    {"EmptyLoop", "    while True:\n        pass\n"},
    {"Counter", "    n = 0\n    while True:\n        n += 1\n"},
    {"NestedLoops", "    n = 0\n"
                    "    for i in range(100000):\n"
                    "        for j in range(100000):\n"
                    "            n = i ^ j\n"
                    "    return n\n"},
    {"CaughtAgainAndAgain", "    while True:\n"
                            "        try:\n"
                            "            while True:\n"
                            "                pass\n"
                            "        except Exception:\n"
                            "            pass\n"},
    {"ExponentialRecursion", "    return 0\n"
                             "def g(n):\n    return g(n - 1) + g(n - 1) if n else 1\n"
                             "H = g(60)\n"
                             "def helper():\n    return H\n"},
    {"Comprehension", "    return [0 for i in range(10000) for j in range(10000)]\n"},
    {"Generator", "    return sum(1 for i in range(10000) for j in range(10000))\n"},
    {"Product", "    return itertools.product(range(1000), repeat=4)\n"},
    {"ProductOfNothing", "    return itertools.product([], repeat=10**30)\n"},
    {"LongRange", "    return list(range(10**30))\n"},
    {"DoublingList", "    l = [1]\n    while True:\n        l = l + l\n"},
    {"DoublingInPlace", "    l = [1]\n    while True:\n        l.extend(l)\n"},
    {"DoublingText", "    s = 'x'\n    while True:\n        s = s + s\n"},
    {"Repeated", "    return [0] * 10**18\n"},
    {"RepeatedText", "    return 'x' * 10**18\n"},
    {"ManyTexts", "    s = 'x' * 1000000\n    l = []\n    while True:\n        l.append(s + 'y')\n"},
    {"Join", "    return ('x' * 1000000).join(['y'] * 100000)\n"},
    {"Replace", "    return ('x' * 100000).replace('x', 'y' * 100000)\n"},
    {"Format", "    return ('{0}' * 10000).format('y' * 100000)\n"},
    {"OldFormat", "    return ('%s' * 10000) % (('y' * 100000,) * 10000)\n"},
    {"FString", "    s = 'x'\n    while True:\n        s = f'{s}{s}'\n"},
    {"GrowingDict", "    d = {}\n    while True:\n        d[len(d)] = 0\n"},
    {"GrowingSet", "    s = set()\n    while True:\n        s.add(len(s))\n"},
    {"Closures", "    g = 0\n    while True:\n        g = lambda: g\n"},
    {"WideValue", "    x = (1,)\n    for i in range(64):\n        x = (x, x)\n    return str(x)\n"},
    {"ComparedWideValues", "    x, y = (1,), (1,)\n    for i in range(64):\n        x, y = (x, x), (y, y)\n"
                           "    return x == y\n"},
    {"Search", "    return ('a' * 400000).find('a' * 200000 + 'b')\n"},
};
INSTANTIATE_TEST_SUITE_P(Endless, TooMuchWork, ::testing::ValuesIn(endless),
                         [](const auto &info) { return std::string(info.param.name); });

class TooDeep : public ::testing::TestWithParam<BodyCase> {};

TEST_P(TooDeep, IsRefusedWhereItStands) {
  std::string messages = messagesOf(GetParam().body, defaultCompileLimit);
  EXPECT_NE(messages.find("error: this value is nested more than 1000 levels deep; does it hold itself?"),
            std::string::npos)
      << messages;
}

const BodyCase deep[] = {
    {"Shown", "    l = []\n    for i in range(100000):\n        l = [l]\n    return str(l)\n"},
    {"Compared",
     "    l, m = [], []\n    for i in range(100000):\n        l, m = [l], [m]\n    return l == m\n"},
    {"Ordered",
     "    l, m = [1], [2]\n    for i in range(100000):\n        l, m = [l], [m]\n    return l < m\n"},
    {"ComparedWithItself",
     "    l, m = [], []\n    l.append(m)\n    m.append(l)\n    return [l] == [m, 1] or l == m\n"},
    {"Affix", "    t = ['x']\n    t[0] = t\n    return 'y'.startswith(t)\n"},
    {"Class", "    t = [int]\n    t[0] = t\n    return isinstance(1, tuple(t))\n"},
    {"InASet",
     "    l, m = (), ()\n    for i in range(100000):\n        l, m = (l,), (m,)\n    return {l, m}\n"},
    {"AsAKey", "    l, m = (), ()\n    for i in range(100000):\n        l, m = (l,), (m,)\n"
               "    return {l: 1}[m]\n"},
};
INSTANTIATE_TEST_SUITE_P(Deep, TooDeep, ::testing::ValuesIn(deep),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(WorkLimit, DeepValuesMayBeMadeAndDestroyed) {
  for (const char *body : {"    l = []\n    for i in range(300000):\n        l = [l]\n    return 1\n",
                           "    d = {}\n    for i in range(200000):\n        d = {0: d}\n    return 1\n",
                           "    g = 0\n    for i in range(100000):\n        g = lambda: g\n    return 1\n"})
    EXPECT_EQ(messagesOf(body, defaultCompileLimit), "");
}

TEST(WorkLimit, MayBeRaised) {
  const char *body = "    n = 0\n    for i in range(200000):\n        n += i\n    return n\n";
  EXPECT_NE(messagesOf(body), "");
  EXPECT_EQ(messagesOf(body, defaultCompileLimit), "");
}

TEST(WorkLimit, WhatHoldsItselfIsShownAsPythonDoes) {
  EXPECT_EQ(messagesOf("    l = [1]\n"
                       "    l.append(l)\n"
                       "    d = {}\n"
                       "    d[0] = (d,)\n"
                       "    assert str(l) == '[1, [...]]' and str(d) == '{0: ({...},)}' and l == l\n"
                       "    return 1\n"),
            "");
}

TEST(WorkLimit, DeepArgumentsOfKernelsAreRefused) {
  // A kernel's assignments go through its values.
  Emission emission = emitSource("@triton.constexpr_function\n"
                                 "def helper():\n"
                                 "    l = []\n"
                                 "    l.append(l)\n"
                                 "    return l\n"
                                 "@triton.jit\n"
                                 "def f(x):\n"
                                 "    y = helper()\n"
                                 "    tl.store(x, 1)\n",
                                 "*i32");
  EXPECT_EQ(emission.messages,
            "11:5: error: this value is nested more than 1000 levels deep; does it hold itself?\n");
}

TEST(WorkLimit, ADefaultThatCallsItsFunction) {
  Emission emission = emitSource("def g(n=g()):\n"
                                 "    return n\n"
                                 "@triton.jit\n"
                                 "def f(x, N: tl.constexpr = g()):\n"
                                 "    tl.store(x, 1)\n",
                                 "*i32");
  EXPECT_NE(emission.messages.find("error: "), std::string::npos);
  EXPECT_EQ(emission.ir, "");
}

TEST(WorkLimit, WrittenOperationsCount) {
  Emission emission = emitSource("@triton.jit\n"
                                 "def f(x):\n"
                                 "    for i in tl.static_range(5000):\n"
                                 "        for j in tl.static_range(5000):\n"
                                 "            tl.store(x + i, j)\n",
                                 "*i32", {}, "cuda:90a", {}, testLimit);
  EXPECT_EQ(emission.messages.find("8:"), 0u) << emission.messages;
  EXPECT_NE(emission.messages.find("error: this takes more than 1000000 steps at compile time"),
            std::string::npos)
      << emission.messages;
}

TEST(WorkLimit, RecursiveKernelFunctionsCount) {
  Emission emission = emitSource("@triton.jit\n"
                                 "def g(x, n: tl.constexpr):\n"
                                 "    if n > 0:\n"
                                 "        g(x, n - 1)\n"
                                 "        g(x, n - 1)\n"
                                 "    tl.store(x, n)\n"
                                 "@triton.jit\n"
                                 "def f(x):\n"
                                 "    g(x, 60)\n",
                                 "*i32", {}, "cuda:90a", {}, testLimit);
  EXPECT_NE(emission.messages.find("error: this takes more than 1000000 steps at compile time"),
            std::string::npos)
      << emission.messages;
  // The calls at both ends of the recursion, not all of them.
  EXPECT_LE(std::count(emission.messages.begin(), emission.messages.end(), '\n'), 12) << emission.messages;
}

TEST(WorkLimit, LongTextInMessagesIsCut) {
  std::string messages = messagesOf("    raise ValueError('x' * 100000)\n");
  EXPECT_NE(messages.find("error: "), std::string::npos);
  EXPECT_LT(messages.size(), 4000u);
}

TEST(WorkLimit, KeysInNoOrderCanBeSorted) {
  EXPECT_EQ(messagesOf(
                "    xs = sorted([float('nan'), 2.0, 1.0] * 100)\n    assert len(xs) == 300\n    return 1\n"),
            "");
}

TEST(WorkLimit, InfinityCannotBeRounded) {
  EXPECT_NE(messagesOf("    return round(float('inf'))\n").find("cannot round inf to an integer"),
            std::string::npos);
}

} // namespace
} // namespace nereid::test
