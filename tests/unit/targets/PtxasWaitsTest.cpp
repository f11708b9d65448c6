// Which of several ways to run ptxas is taken where loads wait for one another, or would: a script in its
// place has them wait as a test wants it to.
#include "Generated.h"
#include "KernelsForPtxas.h"

#include "toolkits/Toolkits.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace llvm;
using namespace nereid;

namespace {

/// A round of nine loads at neighbouring addresses, between barriers. In a script, `makeLoadsWait` has each
/// wait for the one before.
std::string makeNineLoads() {
  std::string body =
      "  %v = call i32 asm sideeffect \"{ .reg .b64 q; .reg .b32 d<9>; mov.b32 $0, 0; mov.b64 q, $1;";
  for (char i = '0'; i < '9'; ++i)
    body += std::string("\\0A ld.global.b32 d") + i + ", [q];\\0A cvt.u64.u32 q, " + i + "4; // d" + i +
            "\\0A add.s64 q, q, $1;";
  for (char i = '0'; i < '9'; ++i)
    body += std::string("\\0A xor.b32 $0, $0, d") + i + ";";
  return body + "\\0A bar.sync 0; }\", \"=r,l\"(ptr addrspace(1) %p)\n"
                "  store volatile i32 %v, ptr addrspace(1) %p\n"
                "  call void asm sideeffect \"bar.sync 0;\", \"\"()\n";
}

/// So many multiplications, each of what the one before has given.
std::string makeChain(unsigned length) {
  std::string body = "  %w = call i32 asm sideeffect \"mov.b32 $0, $1;";
  for (unsigned i = 0; i != length; ++i)
    body += "\\0A mad.lo.u32 $0, $0, $0, $0;";
  return body + "\", \"=r,r\"(i32 %v)\n  store volatile i32 %w, ptr addrspace(1) %p\n";
}

constexpr const char *makeLoadsWait = "sed -i -E 's/q, [0-9]+; .. (d[0-9])/q, \\1;/' $input";

TEST(NVIDIA, RegistersForLatencyInWhichLoadsWaitAreGivenUp) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas takes by itself, where no load waits for another. A fourth block of four warps fits with 128
  // registers, and the form for few programs is what it takes by itself again.
  auto compile = [](unsigned byItself, StringRef exchange) {
    std::string script = std::string(refuseFences) + "case $(grep minnctapersm $input) in *' 1') n=150; " +
                         makeLoadsWait + ";; '') n=" + std::to_string(byItself) +
                         ";; *' 4') n=128;; *) n=150; " + makeLoadsWait + ";; esac\n" +
                         cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\necho 'ptxas info : 0 bytes stack frame'\n"
                         "echo \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript("cuda:90", script, makeLoop(makeNineLoads(), 4, exchange), 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    const KernelForm *form = findForm(generated.result, FormUse::FewPrograms);
    return std::pair(generated.result.info.resources->registers, form ? form->info.resources->registers : 0);
  };
  EXPECT_EQ(compile(168, ""), std::pair(168u, 0u));
  EXPECT_EQ(compile(140, ""), std::pair(150u, 0u)); // no more registers for it
  EXPECT_EQ(compile(168, "// st.shared"), std::pair(128u, 168u));
}

/// Whether ptxas has its way with registers, by itself, where that has loads wait for the one before: those
/// that are numbered, in place of others. Then it may write more instructions for "// more".
bool isByItself(const std::string &body, StringRef waiting, unsigned registers, StringRef waitingByItself,
                unsigned byItself, unsigned moreInstructions = 0) {
  std::string more;
  for (unsigned i = 0; i != moreInstructions; ++i)
    more += "nanosleep.u32 1;";
  std::string script = std::string(refuseFences) + "n=" + std::to_string(registers) + "; waiting='[" +
                       waiting.str() + "]'\ngrep -q minnctapersm $input || { n=" + std::to_string(byItself) +
                       "; waiting='[" + waitingByItself.str() + "]'; sed -i 's|// more|" + more +
                       "|' $input; }\n" + "sed -i -E \"s/q, ${waiting}4; .. (d[0-9])/q, \\1;/\" $input\n" +
                       cantFail(findPtxas()) +
                       " -arch sm_90 $input -o $2\necho 'ptxas info : 0 bytes stack frame'\n"
                       "echo \"ptxas info : Used $n registers\"";
  Generated generated = generateWithScript("cuda:90", script, makeLoop(body, 4), 4);
  EXPECT_TRUE(generated.ok) << generated.messages;
  return generated.result.info.resources->registers == byItself;
}

TEST(NVIDIA, LoopsBetweenBarriersMakeUpForALoadThatWaits) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // Five blocks of four warps in place of four.
  EXPECT_TRUE(isByItself(makeNineLoads(), "-", 112, "0", 96));
  EXPECT_FALSE(isByItself(makeNineLoads(), "-", 112, "0", 104)); // as many blocks
  std::string alone = makeNineLoads();
  for (size_t at; (at = alone.find("bar.sync 0;")) != std::string::npos;)
    alone.erase(at, strlen("bar.sync 0;"));
  EXPECT_FALSE(isByItself(alone, "-", 112, "0", 96));
}

TEST(NVIDIA, WarpsDoNotMakeUpForManyInstructionsMore) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  std::string body = makeNineLoads() + "  call void asm sideeffect \"// more\", \"\"()\n";
  EXPECT_TRUE(isByItself(body, "-", 112, "-", 64, 0));
  EXPECT_TRUE(isByItself(body, "-", 112, "-", 64, 1));
  EXPECT_FALSE(isByItself(body, "-", 112, "-", 64, 20));
}

TEST(NVIDIA, FewWarpsDoNotMakeUpForMoreLoadsThatWaitInTurn) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  EXPECT_TRUE(isByItself(makeNineLoads(), "0", 112, "0", 96));
  EXPECT_FALSE(isByItself(makeNineLoads(), "0", 112, "01", 96));
  EXPECT_TRUE(isByItself(makeNineLoads(), "0", 72, "01", 56)); // nine blocks in place of seven
}

TEST(NVIDIA, SchedulersThatAreKeptBusyNeedNoMoreWarps) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // Of 36 warps, each with so many multiplications in eight chains, or of 64 if ptxas is left to itself.
  auto isByItself = [](unsigned length) {
    std::string assembly = "{ .reg .b32 a<8>; ld.global.b32 a0, [$0];";
    for (char chain = '1'; chain != '8'; ++chain)
      assembly += std::string("\\0A add.u32 a") + chain + ", a0, " + chain + ";";
    for (unsigned i = 0; i != length; ++i)
      for (char chain = '0'; chain != '8'; ++chain) {
        std::string a = std::string("a") + chain;
        assembly += "\\0A mad.lo.u32 " + a + ", " + a + ", " + a + ", " + a + ";";
      }
    for (char chain = '1'; chain != '8'; ++chain)
      assembly += std::string("\\0A xor.b32 a0, a0, a") + chain + ";";
    std::string ir = "define ptx_kernel void @kernel__1(ptr addrspace(1) %p) #0 {\n"
                     "  call void asm sideeffect \"" +
                     assembly +
                     "\\0A st.global.b32 [$0], a0; // shfl.sync"
                     "\\0A }\", \"l\"(ptr addrspace(1) %p)\n  ret void\n}\n"
                     "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n";
    std::string script = std::string(refuseFences) + "grep -q minnctapersm $input && n=56 || n=32\n" +
                         cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\necho 'ptxas info : 0 bytes stack frame'\n"
                         "echo \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript("cuda:90", script, ir, 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return generated.result.info.resources->registers == 32;
  };
  EXPECT_TRUE(isByItself(4));
  EXPECT_FALSE(isByItself(128));
}

TEST(NVIDIA, RoundsOfManyBytesKeepRegistersForLoadsThatWouldWait) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // Five blocks of four warps in place of three, for rounds of nine vectors.
  std::string body = makeNineLoads();
  for (char i = '0'; i < '9'; ++i) {
    std::string scalar = std::string("ld.global.b32 d") + i + ",";
    body.replace(body.find(scalar), scalar.size(), std::string("ld.global.v4.b32 {d") + i + ", x, y, z},");
  }
  StringRef declarations = ".reg .b32 d<9>;";
  body.insert(body.find(declarations.str()) + declarations.size(), " .reg .b32 x, y, z;");
  EXPECT_TRUE(isByItself(body, "-", 146, "-", 96));
  EXPECT_TRUE(isByItself(body, "-", 146, "0", 96));
  EXPECT_FALSE(isByItself(body, "-", 146, "0-7", 96));
}

/// What needs more conditions than there are predicates, and what needs them once more.
std::pair<std::string, std::string> makeManyConditions() {
  std::string before, behind;
  for (unsigned i = 0; i != 9; ++i) {
    std::string number = std::to_string(i), condition = "%c" + number;
    auto use = [&](const std::string &name, unsigned ifSo) {
      return "  %" + name + number + " = select i1 " + condition + ", i32 " + std::to_string(ifSo + i) +
             ", i32 " + std::to_string(ifSo + i + 10) +
             "\n  call void asm sideeffect \"// $0\", \"r\"(i32 %" + name + number + ")\n";
    };
    before += "  " + condition + " = icmp sgt i32 %n, " + std::to_string(3 * i) + "\n" + use("b", 100);
    behind += use("d", 200);
  }
  return {before, behind};
}

TEST(NVIDIA, ConditionsAreNotComparedAgainWhereMoreLoadsWait) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  auto [before, behind] = makeManyConditions();
  std::string ir = makeLoop(makeNineLoads(), 4, "// more");
  ir.insert(ir.find("  br label %loop"), before);
  ir.insert(ir.find("  ret void"), behind);
  // Whether they are compared again, by which the code is shorter, if by that these loads wait for others.
  auto isAgain = [&](StringRef waiting) {
    std::string more;
    for (unsigned i = 0; i != 100; ++i)
      more += "nanosleep.u32 1;";
    std::string script = std::string(refuseFences) + "grep -q again $input && waiting='[" + waiting.str() +
                         "]' || { waiting='-'; sed -i 's|// more|" + more + "|' $input; }\n" +
                         "sed -i -E \"s/q, ${waiting}4; .. (d[0-9])/q, \\1;/\" $input\n" +
                         cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\necho 'ptxas info : 0 bytes stack frame'\n"
                         "echo 'ptxas info : Used 64 registers'";
    Generated generated = generateWithScript("cuda:90", script, ir, 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return contains(generated.result.images.back().bytes, "%again");
  };
  EXPECT_TRUE(isAgain("-"));
  EXPECT_FALSE(isAgain("0-7"));
}

TEST(NVIDIA, ConditionsAreComparedAgainWhereThatStartsLoadsTogether) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  auto [before, behind] = makeManyConditions();
  // What ptxas takes if they are, and whether loads wait for one another then, or if they are not; and the
  // bytes that it spills if they are.
  auto isAgain = [before = before, behind = behind](unsigned registers, bool againWait = false,
                                                    bool wait = true, const std::string &arithmetic = "",
                                                    unsigned bytes = 0) {
    std::string ir = "define ptx_kernel void @kernel__1(ptr addrspace(1) %p, i32 %n) #0 {\n" + before +
                     "  call void asm sideeffect \"bar.sync 0;\", \"\"()\n" + makeNineLoads() + arithmetic +
                     behind + "  ret void\n}\n" +
                     "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n";
    std::string script = std::string(refuseFences) + "grep -q relaxed $input && exit 1\n" +
                         "grep -q %again $input && { n=" + std::to_string(registers) +
                         " frame=" + std::to_string(bytes) + "; " + (againWait ? makeLoadsWait : "true") +
                         "; } || { n=40 frame=0; " + (wait ? makeLoadsWait : "true") + "; }\n" +
                         cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\necho \"ptxas info : $frame bytes stack frame\"\n"
                         "echo \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript("cuda:90", script, ir, 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return contains(generated.result.images.back().bytes, "%again");
  };
  EXPECT_TRUE(isAgain(40));
  EXPECT_TRUE(isAgain(48)); // 40 warps in place of 48
  EXPECT_FALSE(isAgain(40, /*againWait=*/true));
  EXPECT_FALSE(
      isAgain(32, /*againWait=*/true, /*wait=*/false, makeChain(8000))); // more warps, that each wait
  // Long computations keep the schedulers busy in either case, for which fewer warps win nothing.
  EXPECT_TRUE(isAgain(40, /*againWait=*/false, /*wait=*/true, makeChain(1200)));
  EXPECT_FALSE(isAgain(48, /*againWait=*/false, /*wait=*/true, makeChain(1200)));
  // A few bytes are worth it.
  EXPECT_TRUE(isAgain(40, /*againWait=*/false, /*wait=*/true, "", 32));
  EXPECT_FALSE(isAgain(40, /*againWait=*/false, /*wait=*/true, "", 40));
}

TEST(NVIDIA, RoundsOfLoadsThatWaitMakeRoomForOtherWarps) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas takes for 32 blocks of one warp. All loads wait for one another, or none.
  auto areAll = [](unsigned registers, bool wait) {
    std::string script = std::string("case $(grep minnctapersm $input) in *' 32') n=") +
                         std::to_string(registers) + ";; *) n=95;; esac\n" + (wait ? makeLoadsWait : "true") +
                         "\n" + cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\necho 'ptxas info : 0 bytes stack frame'\n"
                         "echo \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript("cuda:90", script, makeLoop(makeNineLoads(), 1), 1);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return generated.result.info.resources->registers == registers;
  };
  EXPECT_TRUE(areAll(64, /*wait=*/true));
  EXPECT_FALSE(areAll(80, /*wait=*/true)); // 24 blocks, in place of 20
  EXPECT_FALSE(areAll(64, /*wait=*/false));
}

TEST(NVIDIA, LoadsThatWaitForOneAnotherAreStartedTogether) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // With a fence behind them ptxas takes so many registers, and 40 without, where all of the round's loads
  // wait for one another, or none.
  auto isFenced = [](unsigned registers, bool wait = true, bool fencedWait = false,
                     const std::string &arithmetic = "") {
    std::string script = "grep -q fence.acq_rel $input && { n=" + std::to_string(registers) + "; " +
                         (fencedWait ? makeLoadsWait : "true") + "; } || { n=40; " +
                         (wait ? makeLoadsWait : "true") + "; }\n" + cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\necho 'ptxas info : 0 bytes stack frame'\n"
                         "echo \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript("cuda:90", script, makeLoop(makeNineLoads() + arithmetic, 4), 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return generated.result.info.resources->registers == registers;
  };
  EXPECT_TRUE(isFenced(48));
  EXPECT_TRUE(isFenced(80)); // 24 warps in place of 48, each with nine loads in place of one
  EXPECT_FALSE(isFenced(96));
  EXPECT_FALSE(isFenced(48, /*wait=*/false));
  EXPECT_FALSE(isFenced(48, /*wait=*/true, /*fencedWait=*/true));
  // 40 warps do a long computation about as fast as 48, but not 24.
  EXPECT_TRUE(isFenced(48, /*wait=*/true, /*fencedWait=*/false, makeChain(2000)));
  EXPECT_FALSE(isFenced(80, /*wait=*/true, /*fencedWait=*/false, makeChain(2000)));
}

TEST(NVIDIA, LoadsAreKeptInOrderWhereThatStartsThemTogether) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // A round's loads wait for one another, unless they are kept in the order that they are written in.
  auto areKept = [](unsigned registers, const std::string &arithmetic = "") {
    std::string script = std::string(refuseFences) +
                         "grep -q relaxed $input && n=" + std::to_string(registers) + " || { n=40; " +
                         makeLoadsWait + "; }\n" + cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\necho 'ptxas info : 0 bytes stack frame'\n"
                         "echo \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript("cuda:90", script, makeLoop(makeNineLoads() + arithmetic, 4), 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return contains(generated.result.images.back().bytes, "ld.relaxed");
  };
  EXPECT_TRUE(areKept(40));
  EXPECT_FALSE(areKept(48));                  // fewer warps
  EXPECT_FALSE(areKept(40, makeChain(8000))); // of which little is their wait
}

TEST(NVIDIA, RoundsOfFewRegistersFillMultiprocessors) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas takes by itself, and whether loads wait for one another where it makes room for 16 blocks.
  auto areFull = [](const std::string &body, unsigned registers, bool wait) {
    std::string script = std::string(refuseFences) + "case $(grep minnctapersm $input) in *' 16') n=32; " +
                         (wait ? makeLoadsWait : "true") + ";; *) n=" + std::to_string(registers) +
                         ";; esac\n" + cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\necho 'ptxas info : 0 bytes stack frame'\n"
                         "echo \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript("cuda:90", script, makeLoop(body, 4), 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return generated.result.info.resources->registers == 32;
  };
  std::string alone = makeNineLoads();
  for (size_t at; (at = alone.find("bar.sync 0;")) != std::string::npos;)
    alone.erase(at, strlen("bar.sync 0;"));
  EXPECT_TRUE(areFull(alone, 40, /*wait=*/false));
  EXPECT_FALSE(areFull(alone, 40, /*wait=*/true));
  EXPECT_FALSE(areFull(alone, 48, /*wait=*/false));
  EXPECT_FALSE(areFull(makeNineLoads(), 40, /*wait=*/false));
}

TEST(NVIDIA, LoadsThatWaitForOneAnotherAreNotKeptInOrder) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // Rounds of 384 bytes a thread. If they are kept in order, each load is at an address that the one before
  // has loaded.
  std::string body = "  %v = call i32 asm sideeffect \"{ .reg .b64 q; .reg .b32 b, c, d; mov.b64 q, $1;";
  for (unsigned i = 0; i < 24; ++i)
    body += "\\0A ld.global.v4.b32 {$0, b, c, d}, [q];\\0A mov.b64 q, 64; add.s64 q, q, $1;";
  body += "}\", \"=r,l\"(ptr addrspace(1) %p)\n  store volatile i32 %v, ptr addrspace(1) %p\n";
  std::string ir = makeLoop(body, /*numWarps=*/4);
  auto areTogether = [&](bool wait) {
    std::string change = wait ? "sed -i 's/mov.b64 q, 64/mul.wide.u32 q, d, 4/g' $input" : "true";
    std::string script = "if grep -q relaxed $input; then " + change + "; fi\n" + cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\n"
                         "echo 'ptxas info : 0 bytes stack frame'\necho 'ptxas info : Used 96 registers'";
    Generated generated = generateWithScript("cuda:90", script, ir, 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return contains(generated.result.images.back().bytes, "ld.relaxed");
  };
  EXPECT_TRUE(areTogether(/*wait=*/false));
  EXPECT_FALSE(areTogether(/*wait=*/true));
}

} // namespace
