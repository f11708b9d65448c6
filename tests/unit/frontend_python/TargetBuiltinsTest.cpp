// What depends on the target that a kernel is compiled for, and functions that kernels bring along.
#include "tests/unit/frontend_python/EmitSource.h"

#include "gtest/gtest.h"

using namespace nereid::test;

namespace {

TEST(TargetInfo, DecidesBranches) {
  const std::string source = "from triton.language.target_info import is_cuda, is_hip, cuda_capability_geq\n"
                             "@triton.jit\ndef f(p):\n"
                             "    if is_cuda():\n"
                             "        tl.store(p, 90 if cuda_capability_geq(9, 0) else 80)\n"
                             "    elif is_hip():\n"
                             "        tl.static_assert(tl.target_info.current_target().arch == 'gfx942')\n"
                             "        tl.store(p, 942 if tl.target_info.is_hip_cdna3() else 0)\n"
                             "    else:\n"
                             "        tl.store(p, 1)\n";
  for (auto [target, constant] : {std::pair{"cuda:90a", "constant 90 "},
                                  {"cuda:80", "constant 80 "},
                                  {"hip:gfx942", "constant 942 "},
                                  {"cpu:x86-64-v3", "constant 1 "}}) {
    Emission emission = emitSource(source, "*i32", {}, target);
    EXPECT_EQ(emission.messages, "");
    EXPECT_NE(emission.ir.find(constant), std::string::npos) << target << "\n" << emission.ir;
  }
}

TEST(TargetInfo, CUDAInstructionsAreForCUDA) {
  const std::string source = "@triton.jit\ndef f(p):\n"
                             "    tl.store(p, tl.extra.cuda.smid() + tl.extra.cuda.num_threads())\n";
  Emission emission = emitSource(source, "*i32");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("mov.u32 $0, %smid;"), std::string::npos) << emission.ir;
  EXPECT_NE(emission.ir.find("constant 128 "), std::string::npos) << emission.ir;
  EXPECT_EQ(emitSource(source, "*i32", {}, "cpu:x86-64-v3").messages,
            "6:17: error: triton.language.extra.cuda.smid is for NVIDIA GPUs only\n");
}

TEST(TargetInfo, WaitingForGridsIsNothingOnACPU) {
  const std::string source = "@triton.jit\ndef f(p):\n"
                             "    tl.extra.cuda.gdc_wait()\n"
                             "    tl.store(p, 1)\n"
                             "    tl.extra.cuda.gdc_launch_dependents()\n";
  Emission cuda = emitSource(source, "*i32"), cpu = emitSource(source, "*i32", {}, "cpu:x86-64-v3");
  EXPECT_EQ(cuda.messages + cpu.messages, "");
  EXPECT_NE(cuda.ir.find("griddepcontrol.wait"), std::string::npos) << cuda.ir;
  EXPECT_EQ(cpu.ir.find("griddepcontrol"), std::string::npos) << cpu.ir;
}

TEST(ExternFunctions, PickTheirFormByTypes) {
  const std::string source =
      "from triton.language import core\n"
      "@core.extern\n"
      "def norm(x, y, _semantic=None):\n"
      "    return core.extern_elementwise('', '', [x, y], {\n"
      "        (core.dtype('fp32'), core.dtype('fp32')): ('my_normf', core.dtype('fp32')),\n"
      "        (core.dtype('fp64'), core.dtype('fp64')): ('my_norm', core.dtype('fp64'))},\n"
      "        is_pure=True, _semantic=_semantic)\n"
      "@triton.jit\ndef f(p):\n"
      "    tl.store(p + tl.arange(0, 16), norm(tl.load(p + tl.arange(0, 16)), tl.load(p)))\n";
  Emission single = emitSource(source, "*fp32"), wide = emitSource(source, "*fp64");
  EXPECT_EQ(single.messages + wide.messages, "");
  EXPECT_NE(single.ir.find("\"my_normf\"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>"),
            std::string::npos)
      << single.ir;
  EXPECT_NE(wide.ir.find("\"my_norm\""), std::string::npos) << wide.ir;
  EXPECT_NE(emitSource(source, "*fp16").messages.find("tl.extern_elementwise has no form for (fp16, fp16)"),
            std::string::npos);
}

TEST(Atomics, TakeTheTypesThatTritonTakes) {
  auto messages = [](const std::string &call, const std::string &type) {
    return emitSource("@triton.jit\ndef f(p):\n    tl." + call + "\n", type).messages;
  };
  EXPECT_EQ(messages("atomic_add(p, 1)", "*fp16") + messages("atomic_add(p, 1)", "*bf16") +
                messages("atomic_cas(p, 0, 1)", "*i16") + messages("atomic_max(p, 1)", "*fp64"),
            "");
  EXPECT_EQ(messages("atomic_add(p, 1)", "*i16"),
            "6:5: error: tl.atomic_add does not go with elements of type int16\n");
  EXPECT_EQ(messages("atomic_xchg(p, 1)", "*fp16"),
            "6:5: error: tl.atomic_xchg does not go with elements of type fp16\n");
  EXPECT_EQ(messages("atomic_or(p, 1)", "*i8"),
            "6:5: error: tl.atomic_or does not go with elements of type int8\n");
}

TEST(Random, WideOffsetsFillTwoWords) {
  const std::string source = "@triton.jit\ndef f(p):\n"
                             "    tl.store(p, tl.randint(3, tl.load(p)))\n";
  Emission emission = emitSource(source, "*i64");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("arith.shr"), std::string::npos) << emission.ir;
  EXPECT_EQ(emitSource(source, "*i32").ir.find("arith.shr"), std::string::npos);
}

TEST(Loops, MayHaveAHintOnTheirCondition) {
  Emission emission = emitSource("@triton.jit\ndef f(p, n):\n    i = 0\n"
                                 "    while tl.condition(i < n, disable_licm=True):\n        i += 1\n"
                                 "    tl.store(p, i)\n",
                                 "*i32, i32");
  EXPECT_EQ(emission.messages, "");
  EXPECT_NE(emission.ir.find("scf.while"), std::string::npos) << emission.ir;
}

} // namespace
