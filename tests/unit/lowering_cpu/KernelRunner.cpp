// Parsing, lowering, optimizing as the CPU target does, and compiling in this process; the number formats of
// the tests.
#include "KernelRunner.h"

#include "compiler/dialects/tt/Registration.h"
#include "compiler/lowering/cpu/LowerToCPU.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <cmath>
#include <sys/mman.h>
#include <unistd.h>

namespace nereid::test {

std::vector<std::string> getTestedLevels() {
  auto features = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> levels{"x86-64-v2"};
  if (features["avx2"] && features["fma"] && features["f16c"])
    levels.push_back("x86-64-v3");
  if (features["avx512f"] && features["avx512bw"] && features["avx512dq"] && features["avx512vl"])
    levels.push_back("x86-64-v4");
  return levels;
}

void forEachLevel(const std::function<void(const std::string &)> &body) {
  for (const std::string &level : getTestedLevels()) {
    SCOPED_TRACE(level);
    body(level);
  }
}

struct Kernel::State {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

Kernel::Kernel(Kernel &&) = default;
Kernel::~Kernel() = default;

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

Kernel::Kernel(const std::string &ir, const std::string &level) : state(std::make_unique<State>()) {
  static bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  mlir::DialectRegistry registry;
  tt::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(ir, &context);
  if (!module)
    return;
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  KernelInfo info;
  info.name = info.symbol = "kernel";
  Target target;
  target.arch = level;
  auto lowered = cpu::lowerToLLVM(*module, *llvmContext, target, info);
  if (!lowered)
    return;
  scratchBytes = info.scratchBytes;
  llvm::raw_string_ostream stream(llvmIR);
  lowered->print(stream, nullptr);
  std::string problems;
  llvm::raw_string_ostream problemStream(problems);
  if (llvm::verifyModule(*lowered, &problemStream)) {
    errors += "invalid LLVM IR: " + problems + "\n" + llvmIR;
    return;
  }
  llvm::orc::JITTargetMachineBuilder machineBuilder{llvm::Triple(llvm::sys::getProcessTriple())};
  machineBuilder.setCPU(level);
  machineBuilder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  auto machine = llvm::cantFail(machineBuilder.createTargetMachine());
  lowered->setTargetTriple(machine->getTargetTriple());
  lowered->setDataLayout(machine->createDataLayout());
  optimize(*lowered, *machine);
  state->jit = llvm::cantFail(
      llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(machineBuilder)).create());
  llvm::cantFail(
      state->jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(lowered), std::move(llvmContext))));
  auto symbol = state->jit->lookup("kernel");
  if (!symbol) {
    errors += llvm::toString(symbol.takeError());
    return;
  }
  entry = symbol->toPtr<Entry>();
}

void Kernel::runPrograms(std::vector<uint32_t> grid, std::vector<void *> arguments, uint64_t first,
                         uint64_t last) {
  failure = KernelFailure();
  runShared(std::move(grid), std::move(arguments), first, last, failure);
}

void Kernel::runShared(std::vector<uint32_t> grid, std::vector<void *> arguments, uint64_t first,
                       uint64_t last, KernelFailure &shared) {
  ASSERT_TRUE(isValid()) << errors;
  grid.resize(3, 1);
  uint64_t count = uint64_t(grid[0]) * grid[1] * grid[2];
  GuardedPages scratch((scratchBytes + 63) / 64 * 64 + 64);
  entry(arguments.data(), grid.data(), first, std::min(last, count), scratch.get(), &shared);
}

GuardedPages::GuardedPages(size_t bytes, bool atStart) {
  size_t page = sysconf(_SC_PAGESIZE);
  size_t usable = (bytes + page - 1) / page * page;
  if (usable == 0)
    usable = page;
  mappedBytes = usable + 2 * page;
  mapping = mmap(nullptr, mappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *start = static_cast<char *>(mapping) + page;
  mprotect(start, usable, PROT_READ | PROT_WRITE);
  data = atStart ? start : start + usable - bytes;
}

GuardedPages::~GuardedPages() { munmap(mapping, mappedBytes); }

float fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 31  ? (fraction ? NAN : INFINITY)
                 : exponent == 0 ? std::ldexp(fraction, -24)
                                 : std::ldexp(1024 + fraction, exponent - 25);
  return float(bits & 0x8000 ? -value : value);
}

uint16_t toHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7E00;
  double magnitude = std::fabs(value);
  int exponent = std::max(magnitude == 0 ? -14 : std::ilogb(magnitude), -14);
  // In units of the last place; nearbyint rounds to even.
  double units = std::isinf(magnitude) ? 1e30 : std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  if (units == 2048) {
    units = 1024;
    ++exponent;
  }
  if (exponent > 15 || units > 2048)
    return sign | 0x7C00;
  if (units < 1024)
    return sign | uint16_t(units);
  return sign | uint16_t((exponent + 15) << 10) | (uint16_t(units) & 1023);
}

float fromBFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}

uint16_t toBFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (std::isnan(value))
    return uint16_t(bits >> 16 | 0x40);
  uint32_t low = bits & 0xFFFF, high = bits >> 16;
  if (low > 0x8000 || (low == 0x8000 && (high & 1)))
    ++high;
  return uint16_t(high);
}

int64_t ulpDistance(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? 0 : INT64_MAX;
  auto order = [](float value) {
    int32_t bits;
    std::memcpy(&bits, &value, 4);
    return bits >= 0 ? int64_t(bits) : -int64_t(bits & 0x7FFFFFFF);
  };
  return std::llabs(order(a) - order(b));
}

} // namespace nereid::test
