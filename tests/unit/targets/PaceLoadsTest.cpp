// Loads down columns that wait for one another: which for which, and of which kernels.
#include "compiler/lowering/nvidia/ColumnNote.h"

#include "Generated.h"

#include "toolkits/Toolkits.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <map>

using namespace llvm;
using namespace nereid;

namespace {

/// A kernel of four warps whose rounds add up so many numbers, loaded as `note` says, of 16 bytes a lane or
/// four.
std::string makeColumn(unsigned numLoads, StringRef note = nvidia::columnNote, bool isWide = false) {
  std::string ir = "define ptx_kernel void @kernel__1(ptr addrspace(1) %p, i64 %n, i32 %m) #0 {\n"
                   "entry:\n  br label %loop\nloop:\n"
                   "  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n  %sum = phi i32 [ 0, %entry ], [ %s" +
                   std::to_string(numLoads) +
                   ", %loop ]\n  %s0 = add i32 %sum, %i\n"
                   "  %i64 = zext i32 %i to i64\n  %a0 = getelementptr i32, ptr addrspace(1) %p, i64 %i64\n";
  for (unsigned i = 0; i < numLoads; ++i) {
    std::string k = std::to_string(i), next = std::to_string(i + 1);
    ir += "  %a" + next + " = getelementptr i32, ptr addrspace(1) %a" + k + ", i64 %n\n";
    if (isWide)
      ir += "  %w" + k + " = call {i32, i32, i32, i32} asm \"ld.global.v4.b32 {$0, $1, $2, $3}, [$4]; " +
            note.str() + "\", \"=r,=r,=r,=r,l\"(ptr addrspace(1) %a" + k + ")\n  %v" + k +
            " = extractvalue {i32, i32, i32, i32} %w" + k + ", 3\n";
    else
      ir += "  %v" + k + " = call i32 asm \"ld.global.b32 $0, [$1]; " + note.str() +
            "\", \"=r,l\"(ptr addrspace(1) %a" + k + ")\n";
    ir += "  %s" + next + " = xor i32 %s" + k + ", %v" + k + "\n";
  }
  return ir +
         "  %next = add i32 %i, 1\n  %more = icmp slt i32 %next, %m\n"
         "  br i1 %more, label %loop, label %exit, !llvm.loop !0\nexit:\n  store i32 %s" +
         std::to_string(numLoads) +
         ", ptr addrspace(1) %p\n  ret void\n}\n"
         "attributes #0 = { \"nvvm.minctasm\"=\"1\" \"nvvm.reqntid\"=\"128\" }\n"
         "!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.disable\"}\n";
}

/// For each load the number of the one that its address waits for, counted from 1, or 0.
SmallVector<unsigned> findWaits(StringRef ptx) {
  std::map<StringRef, unsigned> loaded, waiting; // registers, and the loads' numbers
  SmallVector<unsigned> waits;
  for (StringRef line : split(ptx, '\n')) {
    auto [opcode, rest] = line.trim().split('\t');
    SmallVector<StringRef, 4> operands;
    rest.trim("; ").split(operands, ", ");
    opcode = opcode.rtrim();
    if (opcode == "mul.wide.u32" || opcode == "mad.wide.u32")
      waiting[operands[0]] = loaded[operands[1]];
    if (opcode == "add.s64")
      waiting[operands[0]] = std::max(waiting[operands[1]], waiting[operands[2]]);
    if (!line.trim().starts_with("ld.global"))
      continue;
    rest = line.trim().split(' ').second;
    waits.push_back(waiting[rest.split('[').second.take_until([](char c) { return c == ']' || c == '+'; })]);
    loaded[rest.ltrim("{ ").take_until([](char c) { return c == ','; })] = waits.size();
  }
  return waits;
}

struct Paced {
  SmallVector<unsigned> waits;
  /// Of the form with all loads under way, and for how many programs of a multiprocessor it is.
  SmallVector<unsigned> waitsOfForm;
  unsigned mostPrograms = 0;
};

/// By a ptxas that takes so many registers of each text.
Paced compile(const std::string &ir, unsigned registers, unsigned numWarps = 4) {
  std::string script = cantFail(findPtxas()) + " -arch sm_90 $input -o $2\n" +
                       "echo 'ptxas info : 0 bytes stack frame'\necho 'ptxas info : Used " +
                       std::to_string(registers) + " registers'";
  Generated generated = generateWithScript("cuda:90", script, ir, numWarps);
  EXPECT_TRUE(generated.ok) << generated.messages;
  Paced paced{findWaits(generated.result.images.back().bytes), {}};
  const KernelForm *form = findForm(generated.result, FormUse::SmallGrids);
  if (form && !contains(form->images.back().bytes, "prefetch")) {
    paced.waitsOfForm = findWaits(form->images.back().bytes);
    paced.mostPrograms = form->info.mostPrograms;
  }
  return paced;
}

using Waits = SmallVector<unsigned>;

TEST(NVIDIA, LoadsDownColumnsWaitForOneAnother) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // 128 registers leave room for 16 warps, which may have four loads each under way; all of a group wait for
  // the last one of the group before.
  Paced paced = compile(makeColumn(10), 128);
  EXPECT_EQ(paced.waits, Waits({0, 0, 0, 0, 4, 4, 4, 4, 8, 8}));
  EXPECT_EQ(paced.waitsOfForm, Waits(10, 0));
  EXPECT_EQ(paced.mostPrograms, 4u); // of four warps
  // Of 16 bytes a lane, half as many.
  EXPECT_EQ(compile(makeColumn(4, nvidia::columnNote, /*isWide=*/true), 128).waits, Waits({0, 0, 2, 2}));
  // 64 warps may have one each.
  EXPECT_EQ(compile(makeColumn(4), 32).waits, Waits({0, 1, 2, 3}));
  EXPECT_EQ(compile(makeColumn(4, nvidia::columnNote, /*isWide=*/true), 32).waits, Waits({0, 1, 2, 3}));
}

TEST(NVIDIA, FewLoadsDownColumnsStartAtOnce) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  auto startAtOnce = [](const Paced &paced, size_t numLoads) {
    return paced.waits == Waits(numLoads, 0) && paced.waitsOfForm.empty();
  };
  EXPECT_TRUE(startAtOnce(compile(makeColumn(4), 128), 4));
  EXPECT_TRUE(startAtOnce(compile(makeColumn(3), 32), 3));
  // Others do in any case.
  EXPECT_TRUE(startAtOnce(compile(makeColumn(10, ""), 128), 10));
}

TEST(NVIDIA, BlocksOfManyWarpsHaveNoFormWithAllColumnsAtOnce) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  std::string ir = makeColumn(4);
  ir.replace(ir.find("\"128\""), 5, "\"1024\"");
  Paced paced = compile(ir, 64, /*numWarps=*/32);
  EXPECT_EQ(paced.waits, Waits({0, 0, 2, 2}));
  EXPECT_TRUE(paced.waitsOfForm.empty());
}

} // namespace
