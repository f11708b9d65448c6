// Back ends from LLVM IR on: each takes a small module written by hand and must produce a well-formed image.
#include "Generated.h"

#include "compiler/model/Occupancy.h"
#include "toolkits/Toolkits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace nereid;

namespace {

const Image *findImage(const CompileResult &result, Stage kind) {
  for (const Image &image : result.images)
    if (image.kind == kind)
      return &image;
  return nullptr;
}

/// Opens an image as ELF and looks for a defined symbol in either symbol table.
struct ELFImage {
  std::unique_ptr<object::ObjectFile> file;
  const object::ELFObjectFileBase *elf = nullptr;

  explicit ELFImage(StringRef bytes) {
    auto parsed = object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, "image"));
    if (!parsed) {
      ADD_FAILURE() << toString(parsed.takeError());
      return;
    }
    file = std::move(*parsed);
    elf = dyn_cast<object::ELFObjectFileBase>(file.get());
  }
  bool defines(StringRef name) const {
    for (const object::ELFSymbolRef &symbol : elf->symbols())
      if (Expected<StringRef> found = symbol.getName(); found && *found == name)
        return !(cantFail(symbol.getFlags()) & object::SymbolRef::SF_Undefined);
    return false;
  }
};

// *out = exp(*in), through the vendor's math library.
const char *nvidiaIR = R"(
declare float @__nv_expf(float)
define ptx_kernel void @kernel__1(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load float, ptr addrspace(1) %in
  %y = call float @__nv_expf(float %x)
  store float %y, ptr addrspace(1) %out
  ret void
}
)";

const char *amdIR = R"(
declare float @__ocml_exp_f32(float)
declare float @__ocml_erf_f32(float)
define protected amdgpu_kernel void @kernel__1(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = load float, ptr addrspace(1) %in
  %y = call float @__ocml_exp_f32(float %x)
  %z = call float @__ocml_erf_f32(float %y)
  store float %z, ptr addrspace(1) %out
  ret void
}
)";

const char *cpuIR = R"(
define void @kernel__1(ptr noalias %a, ptr noalias %b, ptr noalias %c) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr float, ptr %a, i64 %i
  %pb = getelementptr float, ptr %b, i64 %i
  %pc = getelementptr float, ptr %c, i64 %i
  %va = load float, ptr %pa
  %vb = load float, ptr %pb
  %s = fadd float %va, %vb
  store float %s, ptr %pc
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, 1024
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
)";

bool hasLibdevice() { return !cantFail(findLibdevice()).empty(); }

class NVIDIAArch : public testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(NVIDIAArch, PTXNamesTheArchitectureAndTheOldestVersionThatHasIt) {
  auto [arch, version] = GetParam();
  Generated generated = generate(std::string("cuda:") + arch, R"(
    define ptx_kernel void @kernel__1(ptr addrspace(1) %out) {
      store float 1.0, ptr addrspace(1) %out
      ret void
    })",
                                 Stage::PTX);
  ASSERT_TRUE(generated.ok) << generated.messages;
  const std::string &ptx = generated.result.stageOutput;
  EXPECT_TRUE(contains(ptx, std::string(".target sm_") + arch + "\n")) << ptx;
  EXPECT_TRUE(contains(ptx, std::string(".version ") + version + "\n")) << ptx;
  EXPECT_TRUE(contains(ptx, ".visible .entry kernel__1(")) << ptx;
}

TEST_P(NVIDIAArch, CubinDefinesTheKernel) {
  if (!hasPtxas() || !hasLibdevice())
    GTEST_SKIP() << "no CUDA toolkit here";
  Generated generated = generate(std::string("cuda:") + GetParam().first, nvidiaIR);
  ASSERT_TRUE(generated.ok) << generated.messages;
  ASSERT_EQ(generated.result.images.size(), 2u);
  const Image *cubin = findImage(generated.result, Stage::Cubin);
  ASSERT_TRUE(cubin);
  ELFImage elf(cubin->bytes);
  ASSERT_TRUE(elf.elf);
  EXPECT_EQ(elf.elf->getEMachine(), ELF::EM_CUDA);
  EXPECT_TRUE(elf.defines("kernel__1"));
}

INSTANTIATE_TEST_SUITE_P(
    Architectures, NVIDIAArch,
    testing::Values(std::pair("75", "8.0"), std::pair("80", "8.0"), std::pair("86", "8.0"),
                    std::pair("87", "8.0"), std::pair("89", "8.1"), std::pair("90", "8.0"),
                    std::pair("90a", "8.0"), std::pair("100", "8.6"), std::pair("100a", "8.6"),
                    std::pair("103", "8.8"), std::pair("103a", "8.8"), std::pair("120", "8.7"),
                    std::pair("120a", "8.7"), std::pair("121", "8.8"), std::pair("121a", "8.8")),
    [](const auto &info) { return std::string(info.param.first); });

TEST(NVIDIA, LibdeviceIsLinkedAndResolved) {
  if (!hasLibdevice())
    GTEST_SKIP() << "no CUDA toolkit here";
  Generated generated = generate("cuda:80", nvidiaIR, Stage::PTX);
  ASSERT_TRUE(generated.ok) << generated.messages;
  const std::string &ptx = generated.result.stageOutput;
  EXPECT_FALSE(contains(ptx, "__nv_expf")) << ptx;
  EXPECT_FALSE(contains(ptx, "__nvvm_reflect")) << ptx;
  // With __CUDA_FTZ resolved to 1, as upstream compiles.
  EXPECT_TRUE(contains(ptx, "ex2.approx.ftz.f32")) << ptx;
}

TEST(NVIDIA, MissingLibdeviceIsAnErrorOnlyWhereItIsNeeded) {
  ScopedEnvironment wrong("NEREID_LIBDEVICE", "/nowhere/libdevice.10.bc");
  Generated generated = generate("cuda:80", nvidiaIR, Stage::PTX);
  EXPECT_FALSE(generated.ok);
  EXPECT_TRUE(contains(generated.messages, "NEREID_LIBDEVICE names '/nowhere/libdevice.10.bc'"))
      << generated.messages;
  generated = generate("cuda:80", "define ptx_kernel void @kernel__1() { ret void }", Stage::PTX);
  EXPECT_TRUE(generated.ok) << generated.messages;
}

TEST(NVIDIA, WithoutPtxasThereIsPTXAloneAfterAWarning) {
  ScopedEnvironment none("NEREID_PTXAS", "none");
  const char *ir = "define ptx_kernel void @kernel__1() { ret void }";
  Generated first = generate("cuda:80", ir), second = generate("cuda:90", ir);
  ASSERT_TRUE(first.ok && second.ok) << first.messages << second.messages;
  EXPECT_TRUE(contains(first.messages, "warning: ptxas was not found")) << first.messages;
  // Each kernel's, as any may come from the cache; whoever shows them shows them once.
  EXPECT_EQ(second.messages, first.messages);
  for (const Generated *generated : {&first, &second}) {
    ASSERT_EQ(generated->result.images.size(), 1u);
    EXPECT_EQ(generated->result.images[0].kind, Stage::PTX);
  }
  Generated cubin = generate("cuda:80", ir, Stage::Cubin);
  EXPECT_FALSE(cubin.ok);
  EXPECT_TRUE(contains(cubin.messages, "error: there is no cubin to print without ptxas")) << cubin.messages;
}

TEST(NVIDIA, PtxasThatIsNoProgramIsAnError) {
  ScopedEnvironment wrong("NEREID_PTXAS", "/nowhere/ptxas");
  Generated generated = generate("cuda:80", "define ptx_kernel void @kernel__1() { ret void }");
  EXPECT_FALSE(generated.ok);
  EXPECT_TRUE(contains(generated.messages, "NEREID_PTXAS names '/nowhere/ptxas'")) << generated.messages;
}

TEST(NVIDIA, PtxasTooOldForTheGPULeavesPTX) {
  // A stand-in for an old assembler: it says what ptxas says.
  SmallString<64> path;
  int descriptor = -1;
  ASSERT_FALSE(sys::fs::createTemporaryFile("ptxas", "sh", descriptor, path));
  {
    raw_fd_ostream script(descriptor, /*shouldClose=*/true);
    script << "#!/bin/sh\necho \"ptxas fatal   : Value 'sm_90a' is not defined for option 'gpu-name'\" "
              ">&2\nexit 1\n";
  }
  sys::fs::setPermissions(path, sys::fs::all_read | sys::fs::all_exe | sys::fs::owner_write);
  ScopedEnvironment old("NEREID_PTXAS", path.c_str());
  Generated generated = generate("cuda:90a", "define ptx_kernel void @kernel__1() { ret void }");
  sys::fs::remove(path);
  ASSERT_TRUE(generated.ok) << generated.messages;
  ASSERT_EQ(generated.result.images.size(), 1u);
  EXPECT_EQ(generated.result.images[0].kind, Stage::PTX);
  EXPECT_TRUE(contains(generated.messages, "too old for cuda:90a")) << generated.messages;
}

TEST(NVIDIA, WhatPtxasWritesIsChecked) {
  for (auto [script, why] :
       {std::pair("exit 0", "it is empty"), std::pair("echo cubin > $2", "does not begin like an ELF file"),
        std::pair("printf '\\177ELF' > $2", "cubin for cuda:90"),
        std::pair("cp /bin/sh $2", "for another machine"), std::pair("rm -f $2", "cannot read")}) {
    Generated generated = generateWithScript("cuda:90", script);
    EXPECT_FALSE(generated.ok) << script;
    EXPECT_TRUE(contains(generated.messages, why)) << script << ": " << generated.messages;
    EXPECT_TRUE(generated.result.images.empty()) << script;
  }
}

TEST(NVIDIA, ACubinOfAnotherArchitectureOrKernelIsNotTaken) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  std::string real = cantFail(findPtxas());
  std::string ptx = "printf '.version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry ";
  Generated other = generateWithScript("cuda:90", ptx + "kernel__1() { ret; }\\n' > $2.ptx; " + real +
                                                      " -arch sm_80 $2.ptx -o $2; rm $2.ptx");
  EXPECT_FALSE(other.ok);
  EXPECT_TRUE(contains(other.messages, "it is for another architecture")) << other.messages;
  Generated unnamed = generateWithScript("cuda:80", ptx + "someone() { ret; }\\n' > $2.ptx; " + real +
                                                        " -arch sm_80 $2.ptx -o $2; rm $2.ptx");
  EXPECT_FALSE(unnamed.ok);
  EXPECT_TRUE(contains(unnamed.messages, "it does not define 'kernel__1'")) << unnamed.messages;
}

TEST(NVIDIA, PtxasThatHangsIsStopped) {
  ScopedEnvironment limit("NEREID_TOOL_TIMEOUT", "1");
  Generated generated = generateWithScript("cuda:90", "exec sleep 1000");
  EXPECT_FALSE(generated.ok);
  EXPECT_TRUE(contains(generated.messages, "did not finish within 1 s; NEREID_TOOL_TIMEOUT=SECONDS"))
      << generated.messages;
  ScopedEnvironment wrong("NEREID_TOOL_TIMEOUT", "soon");
  generated = generateWithScript("cuda:90", "exit 0");
  EXPECT_FALSE(generated.ok);
  EXPECT_TRUE(contains(generated.messages, "NEREID_TOOL_TIMEOUT is 'soon'")) << generated.messages;
}

/// Loads `count` numbers before it stores any: as many registers.
std::string makeWideKernel(StringRef convention, unsigned count) {
  std::string text = "define " + convention.str() + " void @kernel__1(ptr addrspace(1) %p) {\n";
  for (unsigned i = 0; i < count; ++i)
    text += "  %a" + std::to_string(i) + " = getelementptr i32, ptr addrspace(1) %p, i64 " +
            std::to_string(i) + "\n  %v" + std::to_string(i) + " = load volatile i32, ptr addrspace(1) %a" +
            std::to_string(i) + "\n";
  for (unsigned i = 0; i < count; ++i)
    text += "  store volatile i32 %v" + std::to_string(i) + ", ptr addrspace(1) %a" +
            std::to_string(count - 1 - i) + "\n";
  return text + "  ret void\n}\n";
}

TEST(NVIDIA, SpillsAreReported) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  Generated small = generate("cuda:90", makeWideKernel("ptx_kernel", 20));
  ASSERT_TRUE(small.ok && small.result.info.resources) << small.messages;
  EXPECT_EQ(small.messages, "");
  EXPECT_GE(small.result.info.resources->registers, 20u);
  EXPECT_EQ(small.result.info.resources->spilledBytes, 0u);
  Generated wide = generate("cuda:90", makeWideKernel("ptx_kernel", 300));
  ASSERT_TRUE(wide.ok && wide.result.info.resources) << wide.messages;
  EXPECT_EQ(wide.result.info.resources->registers, 255u);
  // 300 numbers and an address need more than 255 registers; at least the difference is spilled.
  EXPECT_GE(wide.result.info.resources->spilledBytes, 4u * 47);
  EXPECT_GE(wide.result.info.resources->localBytes, 4u * 47);
  EXPECT_TRUE(contains(wide.messages, "warning: 'kernel' needs more registers on cuda:90 than the 255"))
      << wide.messages;
  EXPECT_TRUE(contains(wide.messages, std::to_string(wide.result.info.resources->spilledBytes) +
                                          " bytes a thread are spilled"))
      << wide.messages;
}

TEST(NVIDIA, BlocksAreCountedByWhatRunsOutFirst) {
  auto count = [](StringRef name, BlockNeeds block) {
    return countResidentBlocks(block, cantFail(nereid::Target::parse(name)));
  };
  EXPECT_EQ(count("cuda:90a", {4, 114, 9 * 1024}), 4u);
  EXPECT_EQ(count("cuda:90a", {4, 64, 9 * 1024}), 8u);
  EXPECT_EQ(count("cuda:90a", {4, 64, 56 * 1024}), 4u);
  EXPECT_EQ(count("cuda:90a", {8, 32, 0}), 8u);
  EXPECT_EQ(count("cuda:90a", {1, 32, 0}), 32u);
  EXPECT_EQ(count("cuda:75", {8, 32, 0}), 4u);
}

// Figures of NVIDIA's occupancy calculator.
TEST(NVIDIA, WhatBoundsTheBlocksOfAMultiprocessor) {
  auto limits = [](StringRef name, BlockNeeds block) {
    Occupancy occupancy = getOccupancy(block, getMultiprocessor(cantFail(nereid::Target::parse(name))));
    return std::to_string(occupancy.warps) + " " + join(occupancy.getLimits(), "+");
  };
  EXPECT_EQ(limits("cuda:90a", {4, 32, 0}), "64 registers+warps");
  EXPECT_EQ(limits("cuda:90a", {4, 33, 0}), "48 registers");
  EXPECT_EQ(limits("cuda:90a", {4, 24, 0}), "64 warps");
  EXPECT_EQ(limits("cuda:90a", {1, 24, 0}), "32 blocks");
  EXPECT_EQ(limits("cuda:90a", {4, 32, 100 * 1024}), "8 shared memory");
  EXPECT_EQ(limits("cuda:90a", {8, 255, 0}), "8 registers");
  EXPECT_EQ(limits("cuda:80", {4, 32, 163 * 1024}), "4 shared memory");
  EXPECT_EQ(limits("cuda:86", {1, 32, 0}), "16 blocks");
  EXPECT_EQ(limits("cuda:89", {1, 32, 0}), "24 blocks");
  EXPECT_EQ(limits("cuda:86", {4, 32, 0}), "48 warps");
  EXPECT_EQ(limits("cuda:75", {8, 64, 0}), "32 registers+warps");
  EXPECT_EQ(limits("cuda:75", {8, 64, 32 * 1024}), "16 shared memory");
}

// LLVM says in its assembly how many waves of these registers a SIMD has room for.
TEST(AMD, OccupancyIsWhatLLVMSays) {
  for (const char *name :
       {"hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1100", "hip:gfx1151", "hip:gfx1201"})
    for (unsigned number : {8, 24, 40, 64, 65, 96, 100, 128, 168, 200, 250}) {
      std::string ir = R"(
define amdgpu_kernel void @kernel__1() "amdgpu-flat-work-group-size"="1,64" {
  call void asm sideeffect "; uses them", "~{v)" +
                       std::to_string(number - 1) + R"(}"()
  ret void
}
)";
      Generated generated = generate(name, ir, Stage::AMDGCN, 1, /*mapsStages=*/true);
      ASSERT_TRUE(generated.ok) << name << ": " << generated.messages;
      StringRef text = generated.result.stageOutput;
      unsigned waves = 0, scalars = 0;
      StringRef said = text.split("; Occupancy: ").second, sgprs = text.split("; TotalNumSgprs: ").second;
      ASSERT_FALSE(said.consumeInteger(10, waves)) << text.str();
      ASSERT_FALSE(sgprs.consumeInteger(10, scalars));
      Multiprocessor unit = getMultiprocessor(cantFail(nereid::Target::parse(name)));
      Occupancy occupancy = getOccupancy({/*numWarps=*/1, number, 0, scalars}, unit);
      EXPECT_EQ(std::min(occupancy.byRegisters, occupancy.byWarps), waves * unit.partitions)
          << name << " " << number;
    }
}

TEST(NVIDIA, ProductsThatWaitForOneAnotherAreReported) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  // What ptxas says of a kernel of two functions, once for each.
  auto say = [&](StringRef lines) {
    return generateWithScript("cuda:90a",
                              ("printf '.version 8.0\n.target sm_90a\n.address_size 64\n"
                               ".visible .entry kernel__1() { ret; }\n' > $2.ptx; " +
                               cantFail(findPtxas()) + " -arch sm_90a $2.ptx -o $2; rm $2.ptx\n" + lines)
                                  .str());
  };
  std::string serialized = "Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
                           "insufficient register resources for the wgmma pipeline in the function";
  Generated once = say("echo \"ptxas info    : (C7510) " + serialized + " 'kernel__1'\"\n" +
                       "echo \"ptxas info    : (C7510) " + serialized + " 'helper'\"");
  ASSERT_TRUE(once.ok) << once.messages;
  EXPECT_EQ(once.messages,
            "nereid: warning: 'kernel' on cuda:90a: products of warp groups (wgmma) wait for one another in "
            "the whole kernel; ptxas (C7510) says that they are serialized due to insufficient "
            "register resources for the wgmma pipeline\n");
  Generated other =
      say("echo \"ptxas warning : Potential Performance Loss: 'setmaxnreg' ignored to allow debugging.\"");
  ASSERT_TRUE(other.ok) << other.messages;
  EXPECT_EQ(other.messages,
            "nereid: warning: 'kernel' on cuda:90a is slower than it could be; ptxas says: 'setmaxnreg' "
            "ignored to allow debugging.\n");
  EXPECT_EQ(say("echo 'ptxas info    : 0 bytes gmem'").messages, "");
}

TEST(AMD, SpillsAreReported) {
  Generated small = generate("hip:gfx1100", makeWideKernel("protected amdgpu_kernel", 20));
  ASSERT_TRUE(small.ok && small.result.info.resources) << small.messages;
  EXPECT_EQ(small.messages, "");
  EXPECT_GE(small.result.info.resources->registers, 20u);
  Generated wide = generate("hip:gfx1100", makeWideKernel("protected amdgpu_kernel", 600));
  ASSERT_TRUE(wide.ok && wide.result.info.resources) << wide.messages;
  EXPECT_GT(wide.result.info.resources->spilledBytes, 4u * 300);
  EXPECT_GE(wide.result.info.resources->localBytes, wide.result.info.resources->spilledBytes);
  EXPECT_TRUE(contains(wide.messages, "warning: 'kernel' needs more registers on hip:gfx1100"))
      << wide.messages;
}

// A kernel's own assembly may need a later language than the kernel.
TEST(NVIDIA, AssemblyGetsTheVersionThatItNeeds) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  Generated generated = generate("cuda:90a", R"(
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel__1(ptr addrspace(1) %p) {
  call void asm sideeffect "red.global.add.v2.f32 [$0], {$1, $2};", "l,r,r"(ptr addrspace(1) %p, i32 1, i32 2)
  ret void
}
)");
  EXPECT_TRUE(generated.ok) << generated.messages;
  EXPECT_EQ(generated.messages, "");
  EXPECT_NE(findImage(generated.result, Stage::Cubin), nullptr);
  const Image *ptx = findImage(generated.result, Stage::PTX);
  ASSERT_NE(ptx, nullptr);
  EXPECT_TRUE(StringRef(ptx->bytes).contains("\n.version 8.1\n")) << ptx->bytes;
}

TEST(NVIDIA, WhatPtxasRefusesIsReportedInItsWords) {
  if (!hasPtxas())
    GTEST_SKIP() << "no CUDA toolkit here";
  Generated generated = generate("cuda:80", R"(
    define ptx_kernel void @kernel__1() {
      call void asm sideeffect "no.such.instruction;", ""()
      ret void
    })");
  EXPECT_FALSE(generated.ok);
  EXPECT_TRUE(contains(generated.messages, "ptxas refused the PTX of 'kernel'")) << generated.messages;
  EXPECT_TRUE(contains(generated.messages, "no.such.instruction") ||
              contains(generated.messages, "Not a name of any known instruction"))
      << generated.messages;
}

class AMDArch : public testing::TestWithParam<std::pair<const char *, unsigned>> {};

TEST_P(AMDArch, CodeObjectDefinesTheKernelForTheGPU) {
  auto [arch, machine] = GetParam();
  Generated generated = generate(std::string("hip:") + arch, amdIR);
  ASSERT_TRUE(generated.ok) << generated.messages;
  ASSERT_EQ(generated.result.images.size(), 1u);
  ASSERT_EQ(generated.result.images[0].kind, Stage::HSACO);
  ELFImage elf(generated.result.images[0].bytes);
  ASSERT_TRUE(elf.elf);
  EXPECT_EQ(elf.elf->getEMachine(), ELF::EM_AMDGPU);
  EXPECT_EQ(elf.elf->getEType(), ELF::ET_DYN);
  EXPECT_EQ(elf.elf->getPlatformFlags() & ELF::EF_AMDGPU_MACH, machine);
  // The runtime finds a kernel by its descriptor.
  EXPECT_TRUE(elf.defines("kernel__1.kd"));
  // Version 5 of the format.
  EXPECT_EQ(elf.elf->getEIdentABIVersion(), ELF::ELFABIVERSION_AMDGPU_HSA_V5);
}

INSTANTIATE_TEST_SUITE_P(Architectures, AMDArch,
                         testing::Values(std::pair("gfx90a", unsigned(ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A)),
                                         std::pair("gfx942", unsigned(ELF::EF_AMDGPU_MACH_AMDGCN_GFX942)),
                                         std::pair("gfx950", unsigned(ELF::EF_AMDGPU_MACH_AMDGCN_GFX950)),
                                         std::pair("gfx1100", unsigned(ELF::EF_AMDGPU_MACH_AMDGCN_GFX1100)),
                                         std::pair("gfx1101", unsigned(ELF::EF_AMDGPU_MACH_AMDGCN_GFX1101)),
                                         std::pair("gfx1151", unsigned(ELF::EF_AMDGPU_MACH_AMDGCN_GFX1151)),
                                         std::pair("gfx1200", unsigned(ELF::EF_AMDGPU_MACH_AMDGCN_GFX1200)),
                                         std::pair("gfx1201", unsigned(ELF::EF_AMDGPU_MACH_AMDGCN_GFX1201))),
                         [](const auto &info) { return std::string(info.param.first); });

TEST(AMD, MathLibraryVanishesIntoTheKernel) {
  Generated generated = generate("hip:gfx942", amdIR, Stage::AMDGCN);
  ASSERT_TRUE(generated.ok) << generated.messages;
  const std::string &text = generated.result.stageOutput;
  EXPECT_FALSE(contains(text, "__ocml")) << text;
  EXPECT_FALSE(contains(text, "__oclc")) << text;
  EXPECT_TRUE(contains(text, "v_exp_f32")) << text;
}

TEST(AMD, UndefinedSymbolsAreTheLinkersErrorAndTheLinkerLivesOn) {
  Generated generated = generate("hip:gfx1100", R"(
    @missing = external addrspace(1) global i32
    define protected amdgpu_kernel void @kernel__1() {
      store i32 1, ptr addrspace(1) @missing
      ret void
    })");
  EXPECT_FALSE(generated.ok);
  EXPECT_TRUE(contains(generated.messages, "undefined symbol: missing")) << generated.messages;
  generated = generate("hip:gfx1100", "define protected amdgpu_kernel void @kernel__1() { ret void }");
  EXPECT_TRUE(generated.ok) << generated.messages;
}

TEST(AMD, InlineAssemblyErrorsAreReported) {
  Generated generated = generate("hip:gfx1100", R"(
    define protected amdgpu_kernel void @kernel__1() {
      call void asm sideeffect "no_such_instruction v0", ""()
      ret void
    })");
  EXPECT_FALSE(generated.ok);
  EXPECT_TRUE(contains(generated.messages, "error: in inline assembly: ")) << generated.messages;
  EXPECT_TRUE(contains(generated.messages, "no_such_instruction")) << generated.messages;
}

TEST(AMD, InlineAssemblyErrorsHaveThePlaceOfTheirCall) {
  Generated generated = generate("hip:gfx1100", R"(
    define protected amdgpu_kernel void @kernel__1() {
      call void asm sideeffect "s_nop 0", ""(), !nereid.place !0
      call void asm sideeffect "s_nop 0\0Ano_such_instruction v0", ""(), !nereid.place !1
      ret void
    }
    !0 = !{!"kernels/a.py", i32 3, i32 5}
    !1 = !{!"kernels/a.py", i32 7, i32 9})");
  EXPECT_FALSE(generated.ok);
  EXPECT_TRUE(contains(generated.messages,
                       "kernels/a.py:7:9: error: in inline assembly: invalid instruction in "
                       "'no_such_instruction v0'\n"))
      << generated.messages;
}

TEST(CPU, ObjectsForEveryLevelDefineTheKernel) {
  for (auto [target, machine] :
       {std::pair("cpu:x86-64-v2", ELF::EM_X86_64), std::pair("cpu:x86-64-v3", ELF::EM_X86_64),
        std::pair("cpu:x86-64-v4", ELF::EM_X86_64), std::pair("cpu:aarch64", ELF::EM_AARCH64)}) {
    Generated generated = generate(target, cpuIR);
    ASSERT_TRUE(generated.ok) << target << ": " << generated.messages;
    ASSERT_EQ(generated.result.images.size(), 1u);
    ELFImage elf(generated.result.images[0].bytes);
    ASSERT_TRUE(elf.elf);
    EXPECT_EQ(elf.elf->getEMachine(), machine);
    EXPECT_EQ(elf.elf->getEType(), ELF::ET_REL);
    EXPECT_TRUE(elf.defines("kernel__1"));
  }
}

TEST(CPU, LoopsUseTheVectorsOfTheLevel) {
  auto assembly = [](StringRef target) { return generate(target, cpuIR, Stage::Asm).result.stageOutput; };
  std::string v2 = assembly("cpu:x86-64-v2"), v3 = assembly("cpu:x86-64-v3"), v4 = assembly("cpu:x86-64-v4");
  EXPECT_TRUE(contains(v2, "xmm"));
  EXPECT_FALSE(contains(v2, "ymm"));
  EXPECT_TRUE(contains(v3, "ymm"));
  EXPECT_FALSE(contains(v3, "zmm"));
  EXPECT_TRUE(contains(v4, "zmm"));
}

// LLVM 22 would store 32 bits here.
TEST(CPU, MaskedStoresOfOneLaneStoreNoMore) {
  Generated generated = generate("cpu:x86-64-v4", R"(
    define void @kernel__1(ptr %arguments, ptr %grid, i64 %first, i64 %last, ptr %scratch) {
      %x = load <8 x i32>, ptr %arguments
      %high = lshr <8 x i32> %x, splat (i32 16)
      %narrow = trunc nuw <8 x i32> %high to <8 x i16>
      call void @llvm.masked.store.v8i16.p0(<8 x i16> %narrow, ptr align 2 %grid,
        <8 x i1> <i1 false, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
      ret void
    }
  )",
                                 Stage::LLIR);
  ASSERT_TRUE(generated.ok) << generated.messages;
  EXPECT_FALSE(contains(generated.result.stageOutput, "call void @llvm.masked.store"))
      << generated.result.stageOutput;
  EXPECT_TRUE(contains(generated.result.stageOutput, "store i16")) << generated.result.stageOutput;
}

TEST(CPU, MaskedLoadsStayMasked) {
  // Two products of the same row, so that fusing the first with its load would need a copy.
  Generated generated = generate("cpu:x86-64-v4", R"(
    declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, <16 x i1>, <16 x float>)
    define void @kernel__1(ptr %row, i16 %bits, <16 x float> %b, <16 x float> %c, ptr %out) {
      %mask = bitcast i16 %bits to <16 x i1>
      %x = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %row, <16 x i1> %mask, <16 x float> zeroinitializer)
      %product = fmul <16 x float> %x, %b
      %sum = fadd <16 x float> %product, %c
      %kept = select <16 x i1> %mask, <16 x float> %sum, <16 x float> zeroinitializer
      %more = fadd <16 x float> %kept, %b
      %all = fadd <16 x float> %more, %c
      store <16 x float> %all, ptr %out
      ret void
    })",
                                 Stage::Asm);
  ASSERT_TRUE(generated.ok) << generated.messages;
  for (StringRef line : split(generated.result.stageOutput, '\n'))
    if (line.contains("vmovups\t(%rdi)"))
      EXPECT_TRUE(line.contains("{%k")) << line.str();
  EXPECT_TRUE(contains(generated.result.stageOutput, "(%rdi)")) << generated.result.stageOutput;
}

/// A function that gathers and scatters eight floats `count` times, under a mask that only a run knows.
std::string makeGathers(unsigned count) {
  std::string ir = "define void @kernel__1(ptr %in, ptr %out, <8 x i64> %at, <8 x i1> %mask) {\n"
                   "  %from = getelementptr float, ptr %in, <8 x i64> %at\n";
  for (unsigned i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    ir += "  %from" + n + " = getelementptr float, <8 x ptr> %from, i64 " + n + "\n  %to" + n +
          " = getelementptr float, ptr %out, <8 x i64> %at\n  %value" + n +
          " = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %from" + n +
          ", <8 x i1> %mask, <8 x float> splat (float 3.0))\n"
          "  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %value" +
          n + ", <8 x ptr> align 4 %to" + n + ", <8 x i1> %mask)\n";
  }
  return ir + "  ret void\n}\n";
}

TEST(CPU, VeryManyMaskedGathersAreNoBranches) {
  // A branch for each lane would be thousands of blocks.
  std::string many = makeGathers(70);
  for (StringRef target : {"cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:aarch64"}) {
    Generated generated = generate(target, many, Stage::LLIR);
    ASSERT_TRUE(generated.ok) << generated.messages;
    EXPECT_FALSE(contains(generated.result.stageOutput, " call <8 x float> @llvm.masked.gather"))
        << target.str();
    EXPECT_FALSE(contains(generated.result.stageOutput, " call void @llvm.masked.scatter")) << target.str();
    // What the mask leaves out goes to the stack.
    EXPECT_TRUE(contains(generated.result.stageOutput, "alloca [4 x i8], align 4")) << target.str();
    EXPECT_TRUE(generate(target, many).ok) << target.str();
  }
  // AVX-512 has gathers, and few are left to the code generator.
  for (auto [target, ir] : {std::pair("cpu:x86-64-v4", many), std::pair("cpu:x86-64-v3", makeGathers(3))})
    EXPECT_TRUE(contains(generate(target, ir, Stage::LLIR).result.stageOutput,
                         " call <8 x float> @llvm.masked.gather"))
        << target;
}

TEST(CPU, VeryManyBlocksLeaveOutWhatIsQuadraticInThem) {
  // Where an address is computed and used in different blocks, CodeGenPrepare computes it again where it is
  // used.
  auto countBlocks = [](unsigned blocks) {
    std::string ir = "define void @kernel__1(ptr %p, i64 %n, i1 %c) {\n"
                     "  %far = getelementptr i8, ptr %p, i64 %n\n  br label %b0\n";
    for (unsigned i = 0; i < blocks; ++i)
      ir += "b" + std::to_string(i) + ":\n  store volatile i32 " + std::to_string(i) +
            ", ptr %far\n  br i1 %c, label %b" + std::to_string(i + 1) + ", label %b" +
            std::to_string(blocks) + "\n";
    ir += "b" + std::to_string(blocks) + ":\n  ret void\n}\n";
    Generated generated = generate("cpu:x86-64-v3", ir, Stage::Asm);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return StringRef(generated.result.stageOutput).count("(%rdi,%rsi)");
  };
  EXPECT_GT(countBlocks(100), 50u);
  EXPECT_LT(countBlocks(3000), 50u);
}

TEST(CPU, CrowdedBlocksLeaveOutWhatComparesAllAccesses) {
  // Fifty values at a time are loaded and then stored, more than there are registers: the scheduler brings
  // each store to its load.
  auto makeMoves = [](unsigned count) {
    std::string ir = "define void @kernel__1(ptr noalias %q, ptr noalias %p) {\n";
    for (unsigned begin = 0; begin < count; begin += 50) {
      for (unsigned i = begin; i < begin + 50; ++i) {
        std::string n = std::to_string(i);
        ir += "  %a" + n + " = getelementptr i32, ptr %q, i64 " + std::to_string(3 * i) + "\n  %v" + n +
              " = load i32, ptr %a" + n + "\n";
      }
      for (unsigned i = begin; i < begin + 50; ++i) {
        std::string n = std::to_string(i);
        ir += "  %w" + n + " = mul i32 %v" + n + ", " + std::to_string(2 * i + 1) + "\n  %b" + n +
              " = getelementptr i32, ptr %p, i64 " + std::to_string(5 * i) + "\n  store i32 %w" + n +
              ", ptr %b" + n + "\n";
      }
    }
    return ir + "  ret void\n}\n";
  };
  auto countSpills = [&](unsigned count) {
    Generated generated = generate("cpu:x86-64-v3", makeMoves(count), Stage::Asm);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return StringRef(generated.result.stageOutput).count("(%rsp)");
  };
  EXPECT_LT(countSpills(200), 100u);
  EXPECT_GT(countSpills(1500), 1000u);
  auto countVectorStores = [&](unsigned count) {
    std::string ir = "define void @kernel__1(ptr %p, i32 %x) {\n";
    for (unsigned i = 0; i < count; ++i)
      ir += "  %a" + std::to_string(i) + " = getelementptr i32, ptr %p, i64 " + std::to_string(i) +
            "\n  store i32 %x, ptr %a" + std::to_string(i) + "\n";
    Generated generated = generate("cpu:x86-64-v3", ir + "  ret void\n}\n", Stage::LLIR);
    EXPECT_TRUE(generated.ok) << generated.messages;
    return StringRef(generated.result.stageOutput).count("store <");
  };
  EXPECT_GT(countVectorStores(200), 20u);
  EXPECT_EQ(countVectorStores(1500), 0u);
}

TEST(Backends, UnusedFunctionsVanish) {
  Generated generated = generate("cpu:x86-64-v3", R"(
    define i32 @helper(i32 %x) { %y = add i32 %x, 1  ret i32 %y }
    define i32 @kernel__1(i32 %x) { %y = call i32 @helper(i32 %x)  ret i32 %y }
  )",
                                 Stage::LLIR);
  ASSERT_TRUE(generated.ok) << generated.messages;
  EXPECT_FALSE(contains(generated.result.stageOutput, "@helper")) << generated.result.stageOutput;
  EXPECT_TRUE(contains(generated.result.stageOutput, "@kernel__1")) << generated.result.stageOutput;
}

} // namespace
