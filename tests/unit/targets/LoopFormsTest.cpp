// Which forms a kernel has beside its first, for grids of few programs or of few turns: by what ptxas says of
// each, with a script in its place that takes registers as a test wants it to.
#include "Generated.h"

#include "toolkits/Toolkits.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace nereid;

namespace {

/// A kernel that loads a number in each of `rounds` rounds; of 16 warps, if its attributes do not say
/// otherwise.
std::string makeLoop(StringRef rounds, StringRef attributes = "\"nvvm.reqntid\"=\"512\"") {
  return R"(
define ptx_kernel void @kernel__1(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %both, %loop ]
  %at = add i32 %i, %t
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %at
  %v = load i32, ptr addrspace(1) %a
  %both = xor i32 %sum, %v
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, )" +
         rounds.str() + R"(
  br i1 %more, label %loop, label %end
end:
  store i32 %both, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
attributes #0 = { )" +
         attributes.str() + " }";
}

TEST(NVIDIA, LoopsHaveAFormForFewerTurns) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas takes of a kernel of four warps for latency, if told to fit a block more, and by itself. Which
  // of them is the second form: the blocks that it was told to fit.
  auto compile = [](unsigned forLatency, unsigned oneMore, unsigned byItself) -> std::optional<unsigned> {
    std::string script =
        cantFail(findPtxas()) + " -arch sm_90 $input -o $2\ncase $(grep minnctapersm $input) in *' 1') n=" +
        std::to_string(forLatency) + ";; '') n=" + std::to_string(byItself) +
        ";; *) n=" + std::to_string(oneMore) +
        ";; esac\necho 'ptxas info : 0 bytes stack frame'\necho \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript(
        "cuda:90", script, makeLoop("%n", "\"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\""), 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    EXPECT_EQ(generated.result.info.resources->registers, forLatency);
    const KernelForm *form = findForm(generated.result, FormUse::FewerTurns);
    if (!form)
      return std::nullopt;
    unsigned blocks = 0;
    StringRef ptx = form->images.back().bytes;
    size_t at = ptx.find("minnctapersm ");
    if (at != StringRef::npos)
      ptx.substr(at + StringRef("minnctapersm ").size()).consumeInteger(10, blocks);
    return blocks;
  };
  EXPECT_EQ(compile(128, 96, 64), 5u);
  EXPECT_EQ(compile(128, 128, 64), std::nullopt);
  // Of 12 blocks one more is little.
  EXPECT_EQ(compile(40, 39, 32), 0u);
  EXPECT_EQ(compile(40, 39, 40), std::nullopt);
}

TEST(NVIDIA, LoopsOfManyWarpsHaveAFormForFewPrograms) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas takes of a kernel of 16 warps by itself, and what for latency.
  auto compile = [](unsigned byItself, unsigned forLatency, StringRef frame, bool hasLoop = true) {
    std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
                         "grep -q 'minnctapersm 1$' $input && { n=" + std::to_string(forLatency) +
                         "; frame=" + frame.str() + "; } || { n=" + std::to_string(byItself) +
                         "; frame=0; }\necho \"ptxas info : $frame bytes stack frame\"\n" +
                         "echo \"ptxas info : Used $n registers\"";
    std::string ir = makeLoop(hasLoop ? "%n" : "0");
    Generated generated = generateWithScript("cuda:90", script, ir, 16);
    EXPECT_TRUE(generated.ok) << generated.messages;
    EXPECT_EQ(generated.result.info.resources->registers, byItself);
    const KernelForm *form = findForm(generated.result, FormUse::FewPrograms);
    if (form) {
      EXPECT_EQ(form->info.resources->registers, forLatency);
      EXPECT_TRUE(contains(form->images.back().bytes, ".minnctapersm 1\n"));
    }
    return form != nullptr;
  };
  EXPECT_TRUE(compile(64, 73, "0"));
  EXPECT_FALSE(compile(64, 73, "8"));
  // As many blocks as without.
  EXPECT_FALSE(compile(64, 60, "0"));
  EXPECT_FALSE(compile(80, 90, "0"));
  EXPECT_FALSE(compile(64, 73, "0", /*hasLoop=*/false));
}

TEST(NVIDIA, RowsWithoutLoopsHaveAFormForFewPrograms) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // Sums of so many vectors of a thread, each of products with another one. By itself ptxas loads few of them
  // at a time, so that more blocks run.
  auto compile = [](unsigned numVectors) {
    std::string ir =
        "define ptx_kernel void @kernel__1(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n) #0 {\n"
        "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %x0 = zext i32 %t to i64\n"
        "  %s0 = fadd <4 x float> zeroinitializer, zeroinitializer\n";
    for (unsigned i = 0; i < numVectors; ++i) {
      auto add = [&](StringRef line) {
        std::string text = line.str();
        for (size_t at; (at = text.find('#')) != std::string::npos;)
          text.replace(at, 1, std::to_string(i));
        for (size_t at; (at = text.find('+')) != std::string::npos;)
          text.replace(at, 1, std::to_string(i + 1));
        ir += "  " + text + "\n";
      };
      add("%x+ = add i64 %x#, %n");
      add("%a# = getelementptr <4 x float>, ptr addrspace(1) %p, i64 %x+");
      add("%b# = getelementptr <4 x float>, ptr addrspace(1) %q, i64 %x+");
      add("%v# = load <4 x float>, ptr addrspace(1) %a#, align 16");
      add("%w# = load <4 x float>, ptr addrspace(1) %b#, align 16");
      add("%m# = fmul <4 x float> %v#, %w#");
      add("%s+ = fadd <4 x float> %s#, %m#");
    }
    std::string sum = "%s" + std::to_string(numVectors);
    ir += "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
          "  store <4 x float> " +
          sum +
          ", ptr addrspace(1) %p, align 16\n  ret void\n}\n"
          "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
          "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
          "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n";
    Generated generated = generate("cuda:90", ir, std::nullopt, /*numWarps=*/4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    const KernelForm *form = findForm(generated.result, FormUse::FewPrograms);
    if (form) {
      EXPECT_GT(form->info.resources->registers, generated.result.info.resources->registers);
      EXPECT_TRUE(contains(form->images.back().bytes, ".minnctapersm 1\n"));
    }
    return form != nullptr;
  };
  EXPECT_TRUE(compile(5));
  EXPECT_FALSE(compile(2));
}

TEST(NVIDIA, LoopsHaveAFormForSmallGrids) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // For how many programs of a multiprocessor the form is. A round loads so much, and may store.
  auto compile = [&](StringRef type, bool stores, bool mayBeUnrolled = false) {
    std::string ir = R"(
define ptx_kernel void @kernel__1(ptr addrspace(1) %p, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi TYPE [ zeroinitializer, %entry ], [ %both, %loop ]
  %a = getelementptr TYPE, ptr addrspace(1) %p, i32 %i
  %v = load TYPE, ptr addrspace(1) %a
  %both = xor TYPE %sum, %v
  %at = getelementptr TYPE, ptr addrspace(1) %out, i32 %i
  STORE
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  store TYPE %both, ptr addrspace(1) %out
  ret void
}
attributes #0 = { "nvvm.minctasm"="1" "nvvm.reqntid"="128" }
!0 = distinct !{!0, !1}
!1 = !{!"UNROLL"}
)";
    auto replace = [&](StringRef word, StringRef by) {
      for (size_t at; (at = ir.find(word)) != std::string::npos;)
        ir.replace(at, word.size(), by);
    };
    replace("STORE", stores ? "store TYPE %both, ptr addrspace(1) %at" : "");
    replace("TYPE", type);
    replace("UNROLL", mayBeUnrolled ? "llvm.loop.mustprogress" : "llvm.loop.unroll.disable");
    Generated generated = generate("cuda:90", ir, std::nullopt, /*numWarps=*/4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    // The first form does not ask ahead.
    EXPECT_FALSE(contains(generated.result.images.back().bytes, "prefetch"));
    const KernelForm *form = findForm(generated.result, FormUse::SmallGrids);
    if (form) {
      EXPECT_TRUE(contains(form->images.back().bytes, "prefetch.global.L2"));
    }
    return form ? form->info.mostPrograms : 0;
  };
  EXPECT_EQ(compile("<4 x i32>", /*stores=*/true), 14u);
  EXPECT_EQ(compile("i16", /*stores=*/true), 112u);
  // More than a round's loads are under way already.
  EXPECT_EQ(compile("<4 x i32>", /*stores=*/true, /*mayBeUnrolled=*/true), 0u);
  // What nothing holds back is asked for only by much at a time.
  EXPECT_EQ(compile("<4 x i32>", /*stores=*/false), 14u);
  EXPECT_EQ(compile("i16", /*stores=*/false), 0u);
}

TEST(NVIDIA, LongProgramsHaveAFormForSmallGrids) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // Of so many instructions, each of which waits for the one before. By itself ptxas takes 40 registers.
  auto compile = [](unsigned length, unsigned forLatency) {
    std::string ir = "define ptx_kernel void @kernel__1(ptr addrspace(1) %p) #0 {\n"
                     "  %v = load i32, ptr addrspace(1) %p\n"
                     "  %w = call i32 asm sideeffect \"bar.sync 0; mov.b32 $0, $1;";
    for (unsigned i = 0; i < length; ++i)
      ir += " mad.lo.u32 $0, $0, $0, 1;";
    ir += "\", \"=r,r\"(i32 %v)\n  store i32 %w, ptr addrspace(1) %p\n  ret void\n}\n"
          "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n";
    std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
                         "grep -q 'minnctapersm 1$' $input && n=" + std::to_string(forLatency) +
                         " || n=40\necho 'ptxas info : 0 bytes stack frame'\n"
                         "echo \"ptxas info : Used $n registers\"";
    Generated generated = generateWithScript("cuda:90", script, ir, 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    EXPECT_EQ(generated.result.info.resources->registers, 40u);
    const KernelForm *form = findForm(generated.result, FormUse::SmallGrids);
    return form ? form->info.mostPrograms : 0;
  };
  EXPECT_EQ(compile(1100, 56), 9u);
  EXPECT_EQ(compile(1100, 40), 0u); // as many blocks
  EXPECT_EQ(compile(100, 56), 0u);
}

TEST(NVIDIA, ProductsHaveAFormForFewerTurns) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas takes of a kernel of four warps with products, and what if told to make room for more blocks.
  auto compile = [](unsigned byItself, unsigned forMore, StringRef frame = "0") -> unsigned {
    std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
                         "case $(grep minnctapersm $input) in *' 1'|'') n=" + std::to_string(byItself) +
                         " frame=0;; *) n=" + std::to_string(forMore) + " frame=" + frame.str() +
                         ";; esac\necho \"ptxas info : $frame bytes stack frame\"\n" +
                         "echo \"ptxas info : Used $n registers\"";
    std::string ir =
        "define ptx_kernel void @kernel__1() #0 {\n  call void asm sideeffect \"// mma.sync\", \"\"()\n"
        "  ret void\n}\nattributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n";
    Generated generated = generateWithScript("cuda:90", script, ir, 4);
    EXPECT_TRUE(generated.ok) << generated.messages;
    EXPECT_EQ(generated.result.info.resources->registers, byItself);
    const KernelForm *form = findForm(generated.result, FormUse::FewerTurns);
    return form ? form->info.resources->registers : 0;
  };
  EXPECT_EQ(compile(80, 64), 64u);
  EXPECT_EQ(compile(80, 80), 0u);
  EXPECT_EQ(compile(80, 64, /*frame=*/"8"), 0u);
  // Of few blocks one more would be much.
  EXPECT_EQ(compile(168, 136), 0u);
}

TEST(NVIDIA, ProductsHaveAFormForLatency) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas takes of a kernel with products for latency's sake where 168 registers make room for more
  // blocks, if by these so many of a round's shuffles wait one for the other, and none otherwise; 0 if there
  // is no such form.
  auto compile = [](unsigned waiting, StringRef frame = "0", StringRef behind = "") -> unsigned {
    auto makeRounds = [](unsigned length) {
      constexpr unsigned shuffles = 12;
      std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n"
                         ".visible .entry kernel__1(.param .u64 p) {\n  .reg .b64 %rd<2>;\n"
                         "  .reg .b32 %r<20>;\n  .reg .pred %p;\n  ld.param.u64 %rd0, [p];\n"
                         "  ld.global.u32 %r0, [%rd0];\n  mov.u32 %r1, %tid.x;\nagain:\n";
      auto name = [](unsigned number) { return "%r" + std::to_string(number); };
      for (unsigned i = 0; i != shuffles; ++i)
        text += "  shfl.sync.bfly.b32 " + name(2 + i) + ", " + (i < length ? name(1 + i) : name(1)) + ", " +
                std::to_string(1 + i) + ", 31, -1;\n";
      for (unsigned i = 0; i != shuffles; ++i)
        text += "  xor.b32 %r1, %r1, " + name(2 + i) + ";\n";
      return text + "  sub.s32 %r0, %r0, 1;\n  setp.ne.s32 %p, %r0, 0;\n  @%p bra again;\n"
                    "  st.global.u32 [%rd0], %r1;\n  ret;\n}\n";
    };
    std::string script =
        "case $(grep minnctapersm $input) in *' 1') n=224 frame=" + frame.str() + " text='" + makeRounds(0) +
        "';; *) n=168 frame=0 text='" + makeRounds(waiting) + "';; esac\necho \"$text\" > $2.ptx\n" +
        cantFail(findPtxas()) + " -arch sm_90 $2.ptx -o $2\nrm $2.ptx\n" +
        "echo \"ptxas info : $frame bytes stack frame\"\n" + "echo \"ptxas info : Used $n registers\"";
    std::string ir = "define ptx_kernel void @kernel__1() #0 {\n  call void asm sideeffect \"// mma.sync" +
                     behind.str() +
                     "\", \"\"()\n"
                     "  ret void\n}\nattributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"32\" }\n";
    Generated generated = generateWithScript("cuda:90", script, ir, 1);
    EXPECT_TRUE(generated.ok) << generated.messages;
    EXPECT_EQ(generated.result.info.resources->registers, behind.empty() ? 168u : 224u);
    const KernelForm *form = findForm(generated.result, FormUse::FewPrograms);
    return form ? form->info.resources->registers : 0;
  };
  EXPECT_EQ(compile(12), 224u);
  EXPECT_EQ(compile(0), 0u);
  EXPECT_EQ(compile(12, "0", " setmaxnreg"), 0u);
}

} // namespace
