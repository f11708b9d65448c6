// Which of several ways to run ptxas is taken, by what it says of each: a script in its place takes registers
// as a test wants it to.
#include "Generated.h"
#include "KernelsForPtxas.h"

#include "toolkits/Toolkits.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace nereid;

namespace {

constexpr const char *loadOne =
    "  %v = call i32 asm sideeffect \"ld.global.b32 $0, [$1];\", \"=r,l\"(ptr addrspace(1) %p)\n";

TEST(NVIDIA, KernelsWithProductsGiveUpRegistersForBlocks) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // How many registers ptxas takes with and without a word on occupancy, and whether it then spills.
  auto compile = [](unsigned with, unsigned without, StringRef frame, StringRef instruction,
                    StringRef frameWith = "0") {
    std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
                         "grep -q minnctapersm $input && n=" + std::to_string(with) + " frame='" +
                         frameWith.str() + " bytes stack frame' || { n=" + std::to_string(without) +
                         " frame='" + frame.str() + " bytes stack frame'; }\n" +
                         "echo \"ptxas info : $frame\"; echo \"ptxas info : Used $n registers\"";
    std::string ir = "define ptx_kernel void @kernel__1() #0 {\n  call void asm sideeffect \"// " +
                     instruction.str() +
                     "\", \"\"()\n  ret void\n}\n"
                     "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n";
    Generated generated = generateWithScript("cuda:90", script, ir);
    EXPECT_TRUE(generated.ok && generated.result.images.size() == 2) << generated.messages;
    bool isFree = !contains(generated.result.images.back().bytes, "minnctapersm");
    EXPECT_EQ(generated.result.info.resources->registers, isFree ? without : with);
    return isFree;
  };
  EXPECT_TRUE(compile(200, 64, "0", "mma.sync"));
  EXPECT_TRUE(compile(200, 150, "0", "mma.sync"));
  EXPECT_TRUE(compile(160, 120, "0", "mma.sync"));
  EXPECT_FALSE(compile(200, 64, "8", "mma.sync"));
  // A few bytes that are spilled for latency's sake keep nobody from looking.
  EXPECT_TRUE(compile(255, 64, "0", "mma.sync", "8"));
  EXPECT_FALSE(compile(255, 64, "0", "mma.sync", "64"));
  // Three blocks of four warps in any case.
  EXPECT_FALSE(compile(160, 140, "0", "mma.sync"));
  // Warps that hand registers to one another count on those of the launch.
  EXPECT_FALSE(compile(200, 64, "0", "mma.sync setmaxnreg"));
}

TEST(NVIDIA, OneMoreBlockIsAskedForWhereAFewRegistersDecide) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas takes if told to fit one block, or left to itself, and what if told to fit four.
  auto compile = [](unsigned registers, StringRef report, unsigned numWarps = 4, unsigned blocks = 4) {
    std::string number = std::to_string(registers);
    std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
                         "echo 'ptxas info : 0 bytes stack frame'\n" + "grep -q 'minnctapersm " +
                         std::to_string(blocks) + "' $input && { " + report.str() +
                         "; } || echo 'ptxas info : Used " + number + " registers'";
    std::string ir = "define ptx_kernel void @kernel__1() #0 {\n  call void asm sideeffect \"// mma.sync\", "
                     "\"\"()\n  ret void\n}\n"
                     "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n";
    Generated generated = generateWithScript("cuda:90", script, ir, numWarps);
    EXPECT_TRUE(generated.ok && generated.result.images.size() == 2) << generated.messages;
    EXPECT_EQ(generated.messages, "");
    return contains(generated.result.images.back().bytes, "minnctapersm " + std::to_string(blocks));
  };
  std::string fits = "echo 'ptxas info : Used 128 registers'";
  EXPECT_TRUE(compile(148, fits));
  EXPECT_FALSE(compile(148, "echo 'ptxas info : 8 bytes stack frame'; " + fits));
  EXPECT_FALSE(compile(148, "echo 'Register allocation failed'; exit 1"));
  // A few bytes count less than a second block.
  EXPECT_TRUE(compile(154, "echo 'ptxas info : 8 bytes stack frame'; " + fits, 8, 2));
  EXPECT_FALSE(compile(154, "echo 'ptxas info : 64 bytes stack frame'; " + fits, 8, 2));
  // Two blocks now, and three would take a third fewer registers.
  EXPECT_FALSE(compile(255, fits));
  // The third block of 4 warps is worth a few bytes, but two blocks more without them are worth more.
  std::string third = "echo 'ptxas info : 8 bytes stack frame'; echo 'ptxas info : Used 168 registers'";
  EXPECT_TRUE(compile(206, third, 4, 3));
  EXPECT_TRUE(compile(206, fits, 4, 4));
  // Enough warps.
  EXPECT_FALSE(compile(80, "echo 'ptxas info : Used 64 registers'", 8, 4));
  EXPECT_TRUE(compile(107, "echo 'ptxas info : Used 80 registers'", 8, 3));
}

TEST(NVIDIA, KernelsWithoutLoopsGiveUpRegistersForWarps) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas takes for latency's sake, if told to fit six blocks of four warps, and by itself. Which of
  // them is taken: the blocks that it was told to fit, 0 if none.
  struct Words {
    unsigned registers;
    StringRef frame;
    bool waits = false; // with a load at an address that has been loaded
  };
  auto compile = [](Words forLatency, Words sixBlocks, Words byItself) {
    std::string assemble = cantFail(findPtxas()) + " -arch sm_90 ";
    auto say = [&](Words words) {
      return "n=" + std::to_string(words.registers) + " frame=" + words.frame.str() +
             (words.waits ? " input=$2.ptx" : "");
    };
    std::string script = R"(cat > $2.ptx <<'.'
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel__1(.param .u64 p) {
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [p];
  ld.global.u64 %rd1, [%rd0];
  ld.global.u64 %rd2, [%rd1];
  st.global.u64 [%rd0], %rd2;
  ret;
}
.
case $(grep minnctapersm $input) in *' 1') )" +
                         say(forLatency) + ";; '') " + say(byItself) + ";; *) " + say(sixBlocks) +
                         ";; esac\n" + assemble + "$input -o $2\nrm $2.ptx\n" +
                         "echo \"ptxas info : $frame bytes stack frame\"\n" +
                         "echo \"ptxas info : Used $n registers\"";
    std::string ir = "define ptx_kernel void @kernel__1(ptr addrspace(1) %p) #0 {\n"
                     "  %v = load volatile i64, ptr addrspace(1) %p\n"
                     "  store volatile i64 %v, ptr addrspace(1) %p\n  ret void\n}\n"
                     "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n";
    Generated generated = generateWithScript("cuda:90", script, ir, 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    unsigned blocks = 0;
    StringRef ptx = generated.result.images.back().bytes;
    if (size_t at = ptx.find("minnctapersm "); at != StringRef::npos)
      ptx.substr(at + StringRef("minnctapersm ").size()).consumeInteger(10, blocks);
    return blocks;
  };
  EXPECT_EQ(compile({114, "0"}, {80, "0"}, {100, "0"}), 6u);
  // It cannot make do with 80, but takes no more than half of that by itself; of 8 warps, two thirds.
  EXPECT_EQ(compile({162, "0"}, {80, "184"}, {80, "0", true}), 0u);
  EXPECT_EQ(compile({162, "0"}, {80, "184"}, {116, "0", true}), 1u);
  EXPECT_EQ(compile({255, "8"}, {80, "184"}, {116, "0", true}), 0u);
  EXPECT_EQ(compile({252, "0"}, {80, "184"}, {168, "0", true}), 0u);
  EXPECT_EQ(compile({252, "0"}, {80, "184"}, {169, "0", true}), 1u);
  EXPECT_EQ(compile({255, "0"}, {80, "184"}, {116, "8", true}), 1u);
  // Where no more loads wait by itself, a block more is enough, be there warps enough or not.
  EXPECT_EQ(compile({162, "0"}, {80, "184"}, {116, "0"}), 0u);
  EXPECT_EQ(compile({40, "0"}, {40, "0"}, {32, "0"}), 0u);
  EXPECT_EQ(compile({64, "0"}, {64, "0"}, {40, "0"}), 0u);
  EXPECT_EQ(compile({64, "0"}, {64, "0"}, {40, "0", true}), 1u);
  // As many warps as there can be hide a wait or two.
  EXPECT_EQ(compile({44, "0"}, {44, "0"}, {32, "0", true}), 0u);
  EXPECT_EQ(compile({40, "0"}, {40, "0"}, {32, "8"}), 1u);
}

TEST(NVIDIA, LongProgramsSpillAFewBytesForWarps) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // Whether 80 registers and so many bytes are taken, by which there are three blocks of eight warps, for a
  // program of one load and so many instructions.
  auto areThree = [](unsigned registers, StringRef frame, unsigned instructions) {
    std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
                         "grep -q 'minnctapersm 3' $input && n=80 frame=" + frame.str() +
                         " || { n=" + std::to_string(registers) +
                         " frame=0; }\necho \"ptxas info : $frame bytes stack frame\"\n" +
                         "echo \"ptxas info : Used $n registers\"";
    std::string steps;
    for (unsigned i = 0; i != instructions; ++i)
      steps += "nanosleep.u32 1;";
    std::string ir = "define ptx_kernel void @kernel__1(ptr addrspace(1) %p) #0 {\n" + std::string(loadOne) +
                     "  call void asm sideeffect \"" + steps +
                     "\", \"\"()\n  store i32 %v, ptr addrspace(1) %p\n  ret void\n}\n"
                     "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"256\" }\n";
    Generated generated = generateWithScript("cuda:90", script, ir, 8);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return generated.result.info.resources->registers == 80;
  };
  EXPECT_TRUE(areThree(106, "32", 100));
  EXPECT_FALSE(areThree(106, "40", 100));
  EXPECT_FALSE(areThree(106, "32", 10));
  EXPECT_TRUE(areThree(106, "0", 10));
}

TEST(NVIDIA, RowsOfManyLoadsKeepRegistersForThem) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // Whether what ptxas makes of rows by itself is taken, with 32 registers in place of 202, if one so many
  // loads after the other waits by that, and half of them otherwise.
  auto isByItself = [](unsigned waits) {
    auto makeChain = [](unsigned loads) {
      std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n"
                         ".visible .entry kernel__1(.param .u64 p) {\n  .reg .b64 %rd<2>;\n"
                         "  ld.param.u64 %rd0, [p];\n  mov.u64 %rd1, %rd0;\n";
      for (unsigned i = 0; i != loads; ++i)
        text += "  ld.global.u64 %rd1, [%rd1];\n";
      return text + "  st.global.u64 [%rd0], %rd1;\n  ret;\n}\n";
    };
    std::string script = "case $(grep minnctapersm $input) in '') n=32 text='" + makeChain(waits + 1) +
                         "';; *' 1') n=202 text='" + makeChain(waits / 2 + 1) + "';; *) n=80 text='" +
                         makeChain(waits / 2 + 1) + "';; esac\necho \"$text\" > $2.ptx\n" +
                         cantFail(findPtxas()) + " -arch sm_90 $2.ptx -o $2\nrm $2.ptx\n" +
                         "echo \"ptxas info : 0 bytes stack frame\"\n" +
                         "echo \"ptxas info : Used $n registers\"";
    std::string ir =
        "define ptx_kernel void @kernel__1() #0 {\n  call void asm sideeffect \"// shfl.sync\", \"\"()\n"
        "  ret void\n}\nattributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n";
    Generated generated = generateWithScript("cuda:90", script, ir, 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return generated.result.info.resources->registers == 32;
  };
  EXPECT_TRUE(isByItself(40));
  EXPECT_TRUE(isByItself(127));
  EXPECT_FALSE(isByItself(128));
  EXPECT_FALSE(isByItself(250));
}

TEST(NVIDIA, EightWarpsThatMeetInLoopsMakeRoomForASecondBlock) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas says of the frame and registers if told to fit two blocks, in place of 178 registers.
  auto areTwo = [](StringRef exchange, unsigned numWarps, StringRef frame) {
    std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
                         "grep -q 'minnctapersm 2' $input && n=128 frame=" + frame.str() +
                         " || { n=178 frame=0; }\necho \"ptxas info : $frame bytes stack frame\"\n" +
                         "echo \"ptxas info : Used $n registers\"";
    std::string ir =
        makeLoop(loadOne + ("  call void asm sideeffect \"" + exchange + "\", \"\"()\n").str(), numWarps);
    Generated generated = generateWithScript("cuda:90", script, ir, numWarps);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return generated.result.info.resources->registers == 128;
  };
  EXPECT_TRUE(areTwo("bar.sync 0;", 8, "24"));
  EXPECT_FALSE(areTwo("bar.sync 0;", 8, "64"));
  EXPECT_FALSE(areTwo("", 8, "24"));
  EXPECT_FALSE(areTwo("bar.sync 0;", 4, "24"));
}

TEST(NVIDIA, ABlockOfSixteenWarpsThatMultipliesMakesRoomForASecond) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  auto compile = [](StringRef instruction, unsigned times, unsigned numWarps) {
    std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
                         "grep -q 'minnctapersm 2' $input && n=64 || n=104\n" +
                         "echo 'ptxas info : 0 bytes stack frame'; echo \"ptxas info : Used $n registers\"";
    std::string steps = "// ";
    for (unsigned i = 0; i < times; ++i)
      steps += instruction.str();
    std::string ir = makeLoop(loadOne, numWarps, steps);
    return generateWithScript("cuda:90", script, ir, numWarps).result.info.resources->registers;
  };
  EXPECT_EQ(compile("fma.rn.f32 ", 300, 16), 64u);
  EXPECT_EQ(compile("mma.sync ", 1, 16), 104u);
  // Of eight warps there are two blocks.
  EXPECT_EQ(compile("fma.rn.f32 ", 300, 8), 104u);
}

TEST(NVIDIA, ArraysStayInMemoryWhereThatLetsMoreWarpsRun) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  auto compile = [](StringRef ofRegisters, StringRef ofMemory) {
    std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
                         "grep -q 0xffffffff $input && { " + ofMemory.str() + "; } || { " +
                         ofRegisters.str() + "; }";
    std::string ir = "define ptx_kernel void @kernel__1(ptr addrspace(1) %p, i32 %i) #0 {\n"
                     "  %a = alloca [7 x i32], align 4\n"
                     "  %v = load i32, ptr addrspace(1) %p\n"
                     "  %q = getelementptr i32, ptr %a, i32 %i\n"
                     "  store i32 %v, ptr %q\n  %w = load i32, ptr %a\n"
                     "  store i32 %w, ptr addrspace(1) %p\n  ret void\n}\n"
                     "attributes #0 = { \"nvvm.reqntid\"=\"128\" }\n";
    Generated generated = generateWithScript("cuda:90", script, ir);
    EXPECT_TRUE(generated.ok && generated.messages.empty()) << generated.messages;
    bool isKept = contains(generated.result.images.back().bytes, "0xffffffff");
    EXPECT_EQ(generated.result.info.resources->localBytes, isKept ? 32u : 0u);
    return isKept;
  };
  auto report = [](unsigned registers, unsigned frame, unsigned spilled) {
    return "echo 'ptxas info : " + std::to_string(frame) + " bytes stack frame, " + std::to_string(spilled) +
           " bytes spill stores'; echo 'ptxas info : Used " + std::to_string(registers) + " registers'";
  };
  EXPECT_TRUE(compile(report(40, 0, 0), report(32, 32, 0)));
  // As many warps.
  EXPECT_FALSE(compile(report(40, 0, 0), report(38, 32, 0)));
  EXPECT_FALSE(compile(report(40, 0, 0), report(32, 32, 8)));
}

TEST(NVIDIA, ManyBarriersAreWorthMoreBlocksThanLatency) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas takes of eight warps for latency, by itself, and if told to fit a second block.
  auto isByItself = [](unsigned numBarriers, unsigned byItself) {
    std::string script = cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\ncase $(grep minnctapersm $input) in *' 1') n=147;;" +
                         " '') n=" + std::to_string(byItself) +
                         ";; *) n=126;; esac\necho 'ptxas info : 0 bytes stack frame'\n" +
                         "echo \"ptxas info : Used $n registers\"";
    std::string barriers;
    for (unsigned i = 0; i < numBarriers; ++i)
      barriers += "bar.sync 0;";
    std::string ir = makeLoop(loadOne, /*numWarps=*/8, barriers);
    Generated generated = generateWithScript("cuda:90", script, ir, 8);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return generated.result.info.resources->registers == byItself;
  };
  EXPECT_TRUE(isByItself(12, 64));
  EXPECT_FALSE(isByItself(11, 64));
  // As many blocks.
  EXPECT_FALSE(isByItself(12, 136));
}

TEST(NVIDIA, LoadsOfRowsAreKeptTogetherWhereRegistersAreLeft) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // Rows of 128 bytes a thread, whose lanes exchange something. What ptxas takes if it may order the loads,
  // each of which then waits for the one before, and if they are kept together, whether or not they still do.
  std::string ir = "define ptx_kernel void @kernel__1(ptr addrspace(1) %p) #0 {\n"
                   "  %x = call i32 asm sideeffect \"{ .reg .b64 q; .reg .b32 b, c, d; mov.b64 q, $1;";
  for (unsigned i = 0; i < 8; ++i)
    ir += "\\0A ld.global.v4.b32 {$0, b, c, d}, [q];\\0A mul.wide.u32 q, d, 4; add.s64 q, q, $1;";
  ir += "}\", \"=r,l\"(ptr addrspace(1) %p)\n"
        "  call void asm sideeffect \"bar.sync 0;\", \"\"()\n"
        "  store volatile i32 %x, ptr addrspace(1) %p\n  ret void\n}\n"
        "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n";
  auto areTogether = [&](unsigned free, unsigned together, bool helps = true) {
    std::string spread = helps ? "sed -i 's/mul.wide.u32 q, d, 4/mov.b64 q, 64/g' $input" : "true";
    std::string script = "if grep -q relaxed $input; then n=" + std::to_string(together) + "; " + spread +
                         "; else n=" + std::to_string(free) + "; fi\n" + cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\n"
                         "echo 'ptxas info : 0 bytes stack frame'\necho \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript("cuda:90", script, ir, 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return contains(generated.result.images.back().bytes, "ld.relaxed");
  };
  EXPECT_TRUE(areTogether(96, 112));
  EXPECT_FALSE(areTogether(96, 112, /*helps=*/false));
  EXPECT_FALSE(areTogether(96, 200));
  EXPECT_TRUE(areTogether(255, 240));
  EXPECT_FALSE(areTogether(255, 255));
}

TEST(NVIDIA, BranchesOfDeviceFunctionsAreKeptWhereTheyLetMoreWarpsRun) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // Of libdevice, as far as that matters here: a question, and an addition for some.
  const char *ir = R"(
    @ftz = private constant [11 x i8] c"__CUDA_FTZ\00"
    declare i32 @__nvvm_reflect(ptr)
    declare float @llvm.nvvm.fma.rn.f(float, float, float)
    declare float @llvm.nvvm.fma.rn.ftz.f(float, float, float)
    define float @__nv_logf(float %x) alwaysinline nounwind {
      %isLarge = fcmp ogt float %x, 1.0e3
      br i1 %isLarge, label %large, label %end
    large:
      %answer = call i32 @__nvvm_reflect(ptr @ftz)
      %flushes = icmp ne i32 %answer, 0
      br i1 %flushes, label %flushed, label %kept
    flushed:
      %a = call float @llvm.nvvm.fma.rn.ftz.f(float %x, float %x, float %x)
      br label %end
    kept:
      %b = call float @llvm.nvvm.fma.rn.f(float %x, float %x, float %x)
      br label %end
    end:
      %y = phi float [ %x, %0 ], [ %a, %flushed ], [ %b, %kept ]
      ret float %y
    }
    define ptx_kernel void @kernel__1(ptr addrspace(1) %p) #0 {
      %x = load float, ptr addrspace(1) %p
      %y = call float @__nv_logf(float %x)
      store float %y, ptr addrspace(1) %p
      ret void
    }
    attributes #0 = { "nvvm.minctasm"="1" "nvvm.reqntid"="512" }
    )";
  // What ptxas takes if there is no branch, and if there is one.
  auto keeps = [&](unsigned without, unsigned with, StringRef frame = "0") {
    std::string script =
        cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
        "grep -q 'bra' $input && { n=" + std::to_string(with) + " frame=" + frame.str() +
        "; } || { n=" + std::to_string(without) + " frame=0; }\n" +
        "echo \"ptxas info : $frame bytes stack frame\"; echo \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript("cuda:90", script, ir, 16);
    EXPECT_TRUE(generated.ok && generated.result.images.size() == 2) << generated.messages;
    const std::string &ptx = generated.result.images.back().bytes;
    EXPECT_FALSE(contains(ptx, "__nvvm_reflect"));
    return contains(ptx, "bra");
  };
  EXPECT_TRUE(keeps(82, 32));
  EXPECT_FALSE(keeps(82, 32, "8"));
  EXPECT_FALSE(keeps(82, 80));
  EXPECT_FALSE(keeps(64, 32)); // two blocks of 16 warps do
}

TEST(NVIDIA, FewerSpillsAreNotWorthMuchLongerCode) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // The address of what a round reads is computed before the loop, or in it, where that is said to spill less
  // and takes so many barriers more.
  std::string ir = R"(
define ptx_kernel void @kernel__1(ptr addrspace(1) %p, i32 %n) {
entry:
  %offset = xor i32 %n, 64
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void asm sideeffect "st.shared.b32 [$0], $1;", "r,r"(i32 %offset, i32 %i)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
)";
  auto isSunk = [&](unsigned numBarriers) {
    std::string barriers;
    for (unsigned i = 0; i < numBarriers; ++i)
      barriers += "bar.sync 0;";
    std::string script = "bytes=152; if grep -q sunk $input; then bytes=88; sed -i 's/ret;/" + barriers +
                         "ret;/' $input; fi\n" + cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\n"
                         "echo \"ptxas info : $bytes bytes stack frame, $bytes bytes spill stores\"\n"
                         "echo 'ptxas info : Used 255 registers'";
    Generated generated = generateWithScript("cuda:90", script, ir);
    EXPECT_TRUE(generated.ok && generated.result.images.size() == 2) << generated.messages;
    return contains(generated.result.images.back().bytes, "sunk");
  };
  EXPECT_TRUE(isSunk(0));
  EXPECT_FALSE(isSunk(100));
}

TEST(NVIDIA, LoadsOfRoundsWithProductsStartTogether) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // The second load of a round waits for the first one, but not where ptxas is told to make room for the
  // three blocks that there are, if that helps.
  std::string ir = R"(
define ptx_kernel void @kernel__1(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void asm sideeffect "bar.sync 0; // mma.sync", ""()
  %x = call i32 asm sideeffect "{ .reg .b64 q; .reg .b32 a; ld.global.b32 a, [$1]; mul.wide.u32 q, a, 4; add.s64 q, q, $1; ld.global.b32 $0, [q]; add.u32 $0, $0, a; }", "=r,l"(ptr addrspace(1) %p)
  store volatile i32 %x, ptr addrspace(1) %p
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
attributes #0 = { "nvvm.reqntid"="128" }
)";
  auto areTogether = [&](StringRef where) {
    std::string script = "grep -q '" + where.str() +
                         "' $input && sed -i 's/mul.wide.u32 q, a, 4/mov.b64 q, 64/' $input\n" +
                         cantFail(findPtxas()) +
                         " -arch sm_90 $input -o $2\n"
                         "echo 'ptxas info : 0 bytes stack frame'; echo 'ptxas info : Used 168 registers'";
    Generated generated = generateWithScript("cuda:90", script, ir);
    EXPECT_TRUE(generated.ok && generated.result.images.size() == 2) << generated.messages;
    return contains(generated.result.images.back().bytes, "minnctapersm 3");
  };
  EXPECT_TRUE(areTogether("minnctapersm 3"));
  EXPECT_FALSE(areTogether("minnctapersm 4"));
}

TEST(NVIDIA, RowsThatMeetMakeRoomForABlockMore) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas says of the frame if told to fit five blocks of eight warps, in place of four.
  auto areFive = [](StringRef exchange, StringRef frame) {
    std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
                         "grep -q 'minnctapersm 5' $input && n=48 frame=" + frame.str() +
                         " || { n=56 frame=0; }\necho \"ptxas info : $frame bytes stack frame\"\n" +
                         "echo \"ptxas info : Used $n registers\"";
    std::string ir = "define ptx_kernel void @kernel__1() #0 {\n  call void asm sideeffect \"" +
                     exchange.str() +
                     "\", \"\"()\n  ret void\n}\n"
                     "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"256\" }\n";
    Generated generated = generateWithScript("cuda:90", script, ir, 8);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return generated.result.info.resources->registers == 48;
  };
  EXPECT_TRUE(areFive("bar.sync 0; // st.shared", "0"));
  EXPECT_FALSE(areFive("bar.sync 0; // st.shared", "8"));
  EXPECT_FALSE(areFive("// st.shared", "0"));
  // Nothing is exchanged.
  EXPECT_FALSE(areFive("bar.sync 0;", "0"));
}

TEST(NVIDIA, LoopsOfFewWarpsMakeRoomForABlockMore) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas takes by itself, and what if told to fit a block of four warps more, with loads in their
  // order.
  auto isOneMore = [](unsigned registers, unsigned blocks, unsigned fewer, StringRef behind) {
    std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" + "grep -q 'minnctapersm " +
                         std::to_string(blocks) +
                         "' $input && grep -q ld.relaxed $input && n=" + std::to_string(fewer) +
                         " || n=" + std::to_string(registers) +
                         "\necho 'ptxas info : 0 bytes stack frame'\necho \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript("cuda:90", script, makeLoop(loadOne, 4, behind));
    EXPECT_TRUE(generated.ok) << generated.messages;
    return generated.result.info.resources->registers == fewer;
  };
  StringRef exchange = "bar.sync 0; // st.shared";
  EXPECT_TRUE(isOneMore(154, 4, 128, exchange));
  EXPECT_FALSE(isOneMore(154, 4, 128, "bar.sync 0;"));
  // There are enough warps.
  EXPECT_FALSE(isOneMore(128, 5, 96, exchange));
}

TEST(NVIDIA, ElementsAreComputedOneAfterTheOtherForMoreWarps) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // 80 elements, and two steps of each. What ptxas takes for them step after step, and element after element,
  // and what that takes longer.
  constexpr unsigned numElements = 80;
  auto step = [](const std::string &to, const std::string &from, unsigned i, const char *name) {
    return "  " + to + " = call i32 asm \"add.u32 $0, $1, " + std::to_string(i) + "; // " + name +
           std::to_string(i) + ".\", \"=r,r\"(i32 " + from + ")\n";
  };
  std::string first, second, stores;
  for (unsigned i = 0; i != numElements; ++i) {
    std::string number = std::to_string(i);
    first += step("%a" + number, "%n", i, "a");
    second += step("%b" + number, "%a" + number, i, "b");
    stores += "  store volatile i32 %b" + number + ", ptr addrspace(1) %p\n";
  }
  std::string ir = "define ptx_kernel void @kernel__1(ptr addrspace(1) %p, i32 %n) #0 {\n"
                   "  call void asm sideeffect \"// more\", \"\"()\n" +
                   first + second + stores + "  ret void\n}\n" +
                   "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n";
  auto compile = [&](unsigned registers, unsigned ordered, unsigned steps) {
    std::string more;
    for (unsigned i = 0; i != steps; ++i)
      more += "nanosleep.u32 1;";
    std::string script =
        std::string(refuseFences) + "n=" + std::to_string(registers) +
        "\nif [ $(grep -n '// b0[.]' $input | cut -d: -f1) -lt $(grep -n '// a1[.]' $input | "
        "cut -d: -f1) ]; then n=" +
        std::to_string(ordered) + "; sed -i 's|// more|" + more + "|' $input; fi\n" + cantFail(findPtxas()) +
        " -arch sm_90 $input -o $2\necho 'ptxas info : 0 bytes stack frame'\n"
        "echo \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript("cuda:90", script, ir, 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    const KernelForm *form = findForm(generated.result, FormUse::FewPrograms);
    return std::pair(generated.result.info.resources->registers, form ? form->info.resources->registers : 0);
  };
  EXPECT_EQ(compile(56, 32, 0), std::pair(32u, 0u));
  EXPECT_EQ(compile(56, 48, 0), std::pair(56u, 0u)); // hardly more warps
  // A grid that has nothing of them has the first text, which is faster. It is for all, if it is much faster.
  EXPECT_EQ(compile(56, 32, 20), std::pair(32u, 56u));
  EXPECT_EQ(compile(56, 32, 200), std::pair(56u, 0u));
}

TEST(NVIDIA, LongTextsAreAssembledOnce) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // How often ptxas runs on a loop whose text has so many bytes more. What it takes calls for other tries.
  auto countRuns = [](size_t more) {
    std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
                         "grep -q 'minnctapersm 1$' $input && n=150 || n=100\n"
                         "echo 'ptxas info : 0 bytes stack frame'\necho \"ptxas info : Used $n registers\"\n"
                         "echo run >> $NEREID_TEST_RUNS";
    llvm::SmallString<128> runs;
    EXPECT_FALSE(sys::fs::createTemporaryFile("nereid-runs", "txt", runs));
    FileRemover remover(runs);
    ScopedEnvironment environment("NEREID_TEST_RUNS", runs.c_str());
    Generated generated =
        generateWithScript("cuda:90", script, makeLoop(loadOne, 4, "// " + std::string(more, 'x')), 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return cantFail(errorOrToExpected(MemoryBuffer::getFile(runs)))->getBuffer().count("run");
  };
  EXPECT_GT(countRuns(0), 1u);
  EXPECT_EQ(countRuns(1 << 20), 1u);
}

TEST(NVIDIA, RegistersForLatencyThatSpillAreGivenUp) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  auto isByItself = [](unsigned spilled, StringRef instruction = "mma.sync") {
    std::string bytes = std::to_string(spilled);
    std::string script =
        cantFail(findPtxas()) +
        " -arch sm_90 $input -o $2\ngrep -q minnctapersm $input && n=255 bytes=152 || { n=217 bytes=" +
        bytes +
        "; }\necho \"ptxas info : $bytes bytes stack frame, $bytes bytes spill stores, $bytes bytes "
        "spill loads\"\necho \"ptxas info : Used $n registers\"";
    std::string ir = "define ptx_kernel void @kernel__1() #0 {\n  call void asm sideeffect \"// " +
                     instruction.str() +
                     "\", \"\"()\n  ret void\n}\n"
                     "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"32\" }\n";
    Generated generated = generateWithScript("cuda:90", script, ir, 1);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return !contains(generated.result.images.back().bytes, "minnctapersm");
  };
  EXPECT_TRUE(isByItself(0));
  EXPECT_TRUE(isByItself(96));
  EXPECT_FALSE(isByItself(160));
  EXPECT_FALSE(isByItself(0, "mma.sync setmaxnreg"));
}

} // namespace
