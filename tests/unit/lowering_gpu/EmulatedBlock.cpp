#include "EmulatedBlock.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/tt/Registration.h"
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/lowering/gpu/LowerToGPU.h"
#include "compiler/lowering/gpu/TargetLowering.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <ucontext.h>

namespace nereid::gpu {

namespace {

enum class Meeting : uint8_t { None, Barrier, Shuffle, Done };

/// The block that is running. Fibers take turns in one host thread, so that nothing here needs a lock.
struct Block {
  static constexpr size_t stackBytes = 256 * 1024;
  struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    Meeting at = Meeting::None;
  };
  std::vector<Fiber> fibers;
  /// What each thread hands out in a shuffle; two sets, so that nobody overwrites what another has yet to
  /// read.
  std::vector<uint32_t> exchanged[2];
  std::vector<unsigned> rounds;
  ucontext_t scheduler;
  unsigned current = 0, warpSize = 32;
  uint32_t program[3] = {0, 0, 0}, numPrograms[3] = {1, 1, 1};
  std::vector<char> shared;
  void (*entry)(void **) = nullptr;
  void **arguments = nullptr;
  RunStatistics statistics;
};

Block *block;

void meet(Meeting kind) {
  Block::Fiber &self = block->fibers[block->current];
  self.at = kind;
  swapcontext(&self.context, &block->scheduler);
}

void fiberMain() {
  block->entry(block->arguments);
  meet(Meeting::Done);
}

extern "C" {
uint32_t emulatedThread() { return block->current; }
uint32_t emulatedProgram(uint32_t axis) { return block->program[axis]; }
uint32_t emulatedNumPrograms(uint32_t axis) { return block->numPrograms[axis]; }
void emulatedBarrier() {
  if (block->current == 0)
    ++block->statistics.barriers;
  meet(Meeting::Barrier);
}
uint32_t emulatedShuffle(uint32_t value, uint32_t lane) {
  unsigned self = block->current;
  if (self == 0)
    ++block->statistics.shuffles;
  std::vector<uint32_t> &slots = block->exchanged[block->rounds[self]++ & 1];
  slots[self] = value;
  meet(Meeting::Shuffle);
  return slots[self / block->warpSize * block->warpSize + lane % block->warpSize];
}
}

/// Runs all fibers to their next meeting, again and again. Returns what went wrong.
std::string runBlock() {
  for (Block::Fiber &fiber : block->fibers) {
    fiber.at = Meeting::None;
    fiber.stack.resize(Block::stackBytes);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, fiberMain, 0);
  }
  std::fill(block->rounds.begin(), block->rounds.end(), 0);
  for (;;) {
    for (unsigned i = 0; i < block->fibers.size(); ++i) {
      block->current = i;
      swapcontext(&block->scheduler, &block->fibers[i].context);
    }
    Meeting first = block->fibers[0].at;
    for (Block::Fiber &fiber : block->fibers)
      if (fiber.at != first)
        return "threads of a block met in different places";
    if (first == Meeting::Done)
      return "";
  }
}

class HostLowering final : public TargetLowering {
public:
  using TargetLowering::TargetLowering;

  llvm::StringRef getTriple() const override {
    static const std::string triple = llvm::sys::getProcessTriple();
    return triple;
  }
  void makeKernel(llvm::Function &, unsigned) const override {}

  llvm::Value *threadId(Builder &b) const override { return call(b, "emulatedThread", b.getInt32Ty(), {}); }
  llvm::Value *programId(Builder &b, unsigned axis) const override {
    return call(b, "emulatedProgram", b.getInt32Ty(), {b.getInt32(axis)});
  }
  llvm::Value *numPrograms(Builder &b, unsigned axis) const override {
    return call(b, "emulatedNumPrograms", b.getInt32Ty(), {b.getInt32(axis)});
  }
  void barrier(Builder &b) const override { call(b, "emulatedBarrier", b.getVoidTy(), {}); }
  llvm::Value *shuffleXorI32(Builder &b, llvm::Value *value, unsigned mask) const override {
    llvm::Value *lane = b.CreateAnd(threadId(b), getWarpSize() - 1);
    return shuffleIndexI32(b, value, b.CreateXor(lane, mask));
  }
  llvm::Value *shuffleIndexI32(Builder &b, llvm::Value *value, llvm::Value *lane) const override {
    return call(b, "emulatedShuffle", b.getInt32Ty(), {value, lane});
  }
  llvm::Value *math(Builder &b, MathFunction function,
                    llvm::ArrayRef<llvm::Value *> arguments) const override {
    llvm::Type *type = arguments[0]->getType();
    if (function == MathFunction::Rsqrt) // which C lacks
      return b.CreateFDiv(llvm::ConstantFP::get(type, 1.0),
                          b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, arguments[0]));
    return callLibrary(b, getMathName(function) + (type->isFloatTy() ? "f" : ""), type, arguments);
  }
  void print(Builder &b, llvm::StringRef format, llvm::ArrayRef<llvm::Value *> arguments) const override {
    llvm::SmallVector<llvm::Value *> all{b.CreateGlobalString(format)};
    all.append(arguments.begin(), arguments.end());
    auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy()}, /*isVarArg=*/true);
    b.CreateCall(b.GetInsertBlock()->getModule()->getOrInsertFunction("printf", type), all);
  }

private:
  llvm::StringRef getSyncScopeName(AtomicScope) const override { return ""; }

  static llvm::Value *call(Builder &b, llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments) {
    llvm::SmallVector<llvm::Type *> types(arguments.size(), b.getInt32Ty());
    llvm::Module *module = b.GetInsertBlock()->getModule();
    return b.CreateCall(module->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)),
                        arguments);
  }
};

/// Adds `void entry(void **arguments)`, which loads each argument and calls the kernel.
void addEntry(llvm::Module &module, llvm::StringRef kernel) {
  llvm::IRBuilder<> b(module.getContext());
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "entry", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", entry));
  llvm::Function *callee = module.getFunction(kernel);
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::Argument &parameter : callee->args()) {
    llvm::Value *slot = b.CreateConstGEP1_32(b.getPtrTy(), entry->getArg(0), parameter.getArgNo());
    arguments.push_back(b.CreateLoad(parameter.getType(), b.CreateLoad(b.getPtrTy(), slot)));
  }
  b.CreateCall(callee, arguments);
  b.CreateRetVoid();
}

} // namespace

std::string runOnHost(llvm::StringRef ir, llvm::ArrayRef<void *> arguments, Grid grid,
                      RunStatistics *statistics, unsigned warpSize, unsigned numWarps) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();

  mlir::DialectRegistry registry;
  tt::registerDialects(registry);
  registry.insert<ttg::TTGDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(ir, mlir::ParserConfig(&context));
  if (!module)
    return messages.empty() ? "failed without a message" : messages;

  if (!(*module)->hasAttr(ttg::numWarpsName)) {
    Target passTarget;
    passTarget.backend = warpSize == 32 ? Backend::CUDA : Backend::HIP;
    passTarget.arch = warpSize == 32 ? "90" : "gfx942";
    passTarget.warpSize = warpSize;
    mlir::PassManager passes(&context);
    addTTPasses(passes);
    addTTGPasses(passes, passTarget, numWarps, /*numStages=*/3);
    if (mlir::failed(passes.run(*module)))
      return messages.empty() ? "failed without a message" : messages;
  }

  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  Target target;
  target.warpSize = warpSize;
  HostLowering hooks(target);
  KernelInfo info;
  std::unique_ptr<llvm::Module> lowered = lowerToLLVM(*module, *llvmContext, hooks, info);
  if (!lowered)
    return messages.empty() ? "failed without a message" : messages;
  addEntry(*lowered, info.symbol);

  Block running;
  block = &running;
  running.fibers.resize(info.numWarps * warpSize);
  for (std::vector<uint32_t> &slots : running.exchanged)
    slots.resize(running.fibers.size());
  running.rounds.resize(running.fibers.size());
  running.warpSize = warpSize;
  const unsigned sizes[] = {grid.x, grid.y, grid.z};
  std::copy(std::begin(sizes), std::end(sizes), running.numPrograms);
  running.shared.resize(info.sharedBytes + 64);
  void *sharedStart = running.shared.data();
  size_t space = running.shared.size();
  std::align(16, info.sharedBytes + 1, sharedStart, space);

  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return llvm::toString(jit.takeError());
  auto address = [&](auto *pointer) {
    return llvm::orc::ExecutorSymbolDef(llvm::orc::ExecutorAddr::fromPtr(pointer),
                                        llvm::JITSymbolFlags::Exported);
  };
  llvm::orc::SymbolMap symbols;
  auto name = [&](llvm::StringRef text) { return (*jit)->mangleAndIntern(text); };
  symbols[name("emulatedThread")] = address(&emulatedThread);
  symbols[name("emulatedProgram")] = address(&emulatedProgram);
  symbols[name("emulatedNumPrograms")] = address(&emulatedNumPrograms);
  symbols[name("emulatedBarrier")] = address(&emulatedBarrier);
  symbols[name("printf")] = address(&printf);
  symbols[name("emulatedShuffle")] = address(&emulatedShuffle);
  symbols[name("block_memory")] = address(static_cast<char *>(sharedStart));
  if (auto error = (*jit)->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return llvm::toString(std::move(error));
  if (auto error =
          (*jit)->addIRModule(llvm::orc::ThreadSafeModule(std::move(lowered), std::move(llvmContext))))
    return llvm::toString(std::move(error));
  auto entry = (*jit)->lookup("entry");
  if (!entry)
    return llvm::toString(entry.takeError());
  running.entry = entry->toPtr<void (*)(void **)>();

  std::vector<void *> passed(arguments.begin(), arguments.end());
  running.arguments = passed.data();
  auto &[x, y, z] = running.program;
  for (z = 0; z < grid.z; ++z) {
    for (y = 0; y < grid.y; ++y) {
      for (x = 0; x < grid.x; ++x) {
        std::string problem = runBlock();
        if (!problem.empty())
          return problem;
      }
    }
  }
  if (statistics)
    *statistics = running.statistics;
  return "";
}

} // namespace nereid::gpu
