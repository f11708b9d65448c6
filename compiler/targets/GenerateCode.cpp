// Only the back end that is asked for is registered: starting all of LLVM's takes longer than compiling a
// small kernel.
#include "compiler/targets/GenerateCode.h"

#include "compiler/targets/AssemblyPlaces.h"
#include "compiler/targets/CrowdedBlocks.h"

#include "llvm/IR/AssemblyAnnotationWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

// llvm/Support/TargetSelect.h declares these for every target that this LLVM has, by macros; these four are
// ours. Which of them exist depends on the LLVM that is linked with, and the packages we build against have
// them all.
#define NEREID_DECLARE_BACKEND(name)                                                                         \
  extern "C" {                                                                                               \
  void LLVMInitialize##name##TargetInfo();                                                                   \
  void LLVMInitialize##name##Target();                                                                       \
  void LLVMInitialize##name##TargetMC();                                                                     \
  void LLVMInitialize##name##AsmPrinter();                                                                   \
  }
NEREID_DECLARE_BACKEND(NVPTX)
NEREID_DECLARE_BACKEND(AMDGPU)
NEREID_DECLARE_BACKEND(X86)
NEREID_DECLARE_BACKEND(AArch64)
#undef NEREID_DECLARE_BACKEND
// Inline assembly is parsed when object code is written. PTX is only ever text, so NVPTX has no parser.
extern "C" void LLVMInitializeAMDGPUAsmParser();
extern "C" void LLVMInitializeX86AsmParser();
extern "C" void LLVMInitializeAArch64AsmParser();

using namespace llvm;

namespace nereid {

/// Registers the back end of a triple, once a process.
static void initializeBackend(Triple::ArchType arch) {
  static std::once_flag nvptx, amdgpu, x86, aarch64;
  switch (arch) {
  case Triple::nvptx64:
    std::call_once(nvptx, [] {
      LLVMInitializeNVPTXTargetInfo();
      LLVMInitializeNVPTXTarget();
      LLVMInitializeNVPTXTargetMC();
      LLVMInitializeNVPTXAsmPrinter();
    });
    return;
  case Triple::amdgcn:
    std::call_once(amdgpu, [] {
      LLVMInitializeAMDGPUTargetInfo();
      LLVMInitializeAMDGPUTarget();
      LLVMInitializeAMDGPUTargetMC();
      LLVMInitializeAMDGPUAsmPrinter();
      LLVMInitializeAMDGPUAsmParser();
    });
    return;
  case Triple::x86_64:
    std::call_once(x86, [] {
      LLVMInitializeX86TargetInfo();
      LLVMInitializeX86Target();
      LLVMInitializeX86TargetMC();
      LLVMInitializeX86AsmPrinter();
      LLVMInitializeX86AsmParser();
    });
    return;
  case Triple::aarch64:
    std::call_once(aarch64, [] {
      LLVMInitializeAArch64TargetInfo();
      LLVMInitializeAArch64Target();
      LLVMInitializeAArch64TargetMC();
      LLVMInitializeAArch64AsmPrinter();
      LLVMInitializeAArch64AsmParser();
    });
    return;
  default:
    return;
  }
}

std::unique_ptr<TargetMachine> createTargetMachine(StringRef tripleName, StringRef cpu, StringRef features) {
  Triple triple(tripleName);
  initializeBackend(triple.getArch());
  std::string ignored;
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, ignored);
  if (!target)
    return nullptr;
  TargetOptions options;
  // `a * b + c` may become one instruction with one rounding, as upstream allows by default.
  options.AllowFPOpFusion = FPOpFusion::Fast;
  options.NoTrappingFPMath = true;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, cpu, features, options, Reloc::PIC_, std::nullopt, CodeGenOptLevel::Aggressive));
}

void setTarget(Module &module, const TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
}

namespace {

/// Leaves out passes that improve addresses, where a function is too long for them:
///
///  - straight-line strength reduction, which takes time quadratic in the number of instructions: 0.4 s for
///    1,700 and 11 s for 6,700, beside a tenth of that for all other passes;
///  - CodeGenPrepare, which takes time quadratic in the number of blocks: 8 s for 7,000, beside 4 s for the
///    rest;
///  - on CPUs the machine scheduler, where a block is crowded (CrowdedBlocks.h).
class SkipQuadraticPasses : public OptPassGate {
public:
  SkipQuadraticPasses(bool manyInstructions, bool manyBlocks, bool isCrowded)
      : manyInstructions(manyInstructions), manyBlocks(manyBlocks), isCrowded(isCrowded) {}
  bool shouldRunPass(StringRef name, StringRef) const override {
    return !(manyInstructions && name == "slsr") && !(manyBlocks && name == "codegenprepare") &&
           !(isCrowded && name == "machine-scheduler");
  }
  bool isEnabled() const override { return true; }

private:
  bool manyInstructions, manyBlocks, isCrowded;
};

} // namespace

static bool hasManyInstructions(const Module &module) {
  constexpr unsigned many = 2000;
  return any_of(module, [](const Function &function) { return function.getInstructionCount() > many; });
}

static bool hasManyBlocks(const Module &module) {
  constexpr unsigned many = 2000;
  return any_of(module, [](const Function &function) { return function.size() > many; });
}

bool generateCode(Module &module, TargetMachine &machine, CodeGenFileType kind, std::string &output) {
  SmallVector<char, 0> buffer;
  raw_svector_ostream stream(buffer);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true))
    return false;
  LLVMContext &context = module.getContext();
  OptPassGate &usualGate = context.getOptPassGate();
  const Triple &triple = machine.getTargetTriple();
  bool isCrowded = (triple.isX86() || triple.isAArch64()) && hasCrowdedBlock(module);
  SkipQuadraticPasses gate(hasManyInstructions(module), hasManyBlocks(module), isCrowded);
  context.setOptPassGate(gate);
  {
    AssemblyPlaces places(module);
    passes.run(module);
  }
  context.setOptPassGate(usualGate);
  output.append(buffer.begin(), buffer.end());
  return true;
}

std::string printModule(const Module &module) {
  std::string text;
  raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

namespace {

/// Notes on which line of the text each instruction is printed.
class LineTaker : public AssemblyAnnotationWriter {
public:
  LineTaker(const std::vector<DebugLoc> &locations, LineMap &map) : locations(locations), map(map) {}

  void emitInstructionAnnot(const Instruction *, formatted_raw_ostream &stream) override {
    // The stream counts lines from 0, and is at the beginning of the instruction's.
    for (const DILocation *at = locations[next++]; at; at = at->getInlinedAt())
      map.add(stream.getLine() + 1, getPath(*at), at->getLine());
  }

private:
  static std::string getPath(const DILocation &location) {
    StringRef folder = location.getDirectory(), file = location.getFilename();
    return folder.empty() || file.starts_with("/") ? file.str() : (folder + "/" + file).str();
  }

  const std::vector<DebugLoc> &locations;
  LineMap &map;
  size_t next = 0;
};

} // namespace

void printWithLines(const Module &module, StageRecord &record) {
  std::vector<DebugLoc> locations;
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      locations.push_back(instruction.getDebugLoc());
  std::unique_ptr<Module> plain = CloneModule(module);
  StripDebugInfo(*plain);
  LineTaker taker(locations, record.map);
  raw_string_ostream stream(record.text);
  plain->print(stream, &taker);
}

} // namespace nereid
