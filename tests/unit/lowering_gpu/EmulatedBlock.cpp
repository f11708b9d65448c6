// The road from IR text to code that the host runs as the threads of a GPU.
#include "EmulatedBlock.h"

#include "Emulation.h"
#include "HostLowering.h"

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/tt/Registration.h"
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/lowering/gpu/LowerToGPU.h"
#include "compiler/transforms/Passes.h"
#include "linker/GridExpression.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/bit.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/TargetSelect.h"

#include <map>

namespace nereid::gpu {

using namespace emulation;

namespace {

/// Puts a call of emulatedSharedAccess before each access of shared memory.
void watchSharedMemory(llvm::Module &module) {
  const llvm::DataLayout &layout = module.getDataLayout();
  llvm::IRBuilder<> b(module.getContext());
  auto *type = llvm::FunctionType::get(b.getVoidTy(),
                                       {b.getPtrTy(), b.getInt32Ty(), b.getInt32Ty(), b.getInt32Ty()}, false);
  llvm::FunctionCallee callee = module.getOrInsertFunction("emulatedSharedAccess", type);
  llvm::SmallVector<llvm::Instruction *> accesses;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (const llvm::Value *pointer = llvm::getPointerOperand(&instruction))
          if (pointer->getType()->getPointerAddressSpace() == sharedAddressSpace)
            accesses.push_back(&instruction);
  for (llvm::Instruction *access : accesses) {
    if (llvm::isa<llvm::GetElementPtrInst>(access))
      continue;
    auto *store = llvm::dyn_cast<llvm::StoreInst>(access);
    auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(access);
    llvm::Type *accessed = store    ? store->getValueOperand()->getType()
                           : atomic ? atomic->getValOperand()->getType()
                                    : access->getType();
    b.SetInsertPoint(access);
    llvm::Value *pointer = b.CreateAddrSpaceCast(llvm::getPointerOperand(access), b.getPtrTy());
    b.CreateCall(callee, {pointer, b.getInt32(layout.getTypeStoreSize(accessed).getFixedValue()),
                          b.getInt32(store || atomic), b.getInt32(atomic != nullptr)});
  }
}

/// Shared memory is the running block's.
void findSharedMemory(llvm::Module &module) {
  llvm::GlobalVariable *memory = module.getNamedGlobal("block_memory");
  if (!memory)
    return;
  llvm::convertUsersOfConstantsToInstructions(memory);
  auto callee = module.getOrInsertFunction(
      "emulatedSharedMemory", llvm::FunctionType::get(llvm::PointerType::get(module.getContext(), 0), false));
  llvm::DenseMap<llvm::Function *, llvm::Value *> begins;
  for (llvm::Use &use : llvm::make_early_inc_range(memory->uses())) {
    llvm::Function *function = llvm::cast<llvm::Instruction>(use.getUser())->getFunction();
    llvm::Value *&begin = begins[function];
    if (!begin) {
      llvm::IRBuilder<> b(&function->getEntryBlock(), function->getEntryBlock().begin());
      begin = b.CreateAddrSpaceCast(b.CreateCall(callee), memory->getType());
    }
    use.set(begin);
  }
  memory->eraseFromParent();
}

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

/// The tensor maps that a launch would make of the arguments. Integers are read as the kernel's parameters
/// are typed.
std::vector<EmulatedTensorMap> makeTensorMaps(const KernelInfo &info, const llvm::Function &kernel,
                                              llvm::ArrayRef<void *> arguments) {
  std::map<std::string, int64_t> values;
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (auto *type = llvm::dyn_cast<llvm::IntegerType>(kernel.getArg(i)->getType())) {
      int64_t bits = 0;
      std::memcpy(&bits, argument, llvm::divideCeil(type->getBitWidth(), 8));
      values[info.parameters[i].name] = llvm::SignExtend64(bits, type->getBitWidth());
    }
  std::vector<EmulatedTensorMap> maps;
  for (const TensorMap &map : info.tensorMaps) {
    unsigned base = 0;
    while (info.parameters[base].name != map.base)
      ++base;
    Diagnostics diagnostics;
    llvm::StringRef text = diagnostics.addSource("extents", map.extents);
    auto extents = GridExpression::parse(text, diagnostics, map.countExtents());
    maps.push_back(
        {*static_cast<char *const *>(arguments[base]), llvm::cantFail(extents->evaluateAll(values)), map});
  }
  return maps;
}

} // namespace

/// Gives a block its threads and its memory.
static void prepare(Block &block, const KernelInfo &info, Grid grid) {
  size_t numThreads = info.countThreads();
  block.fibers.resize(numThreads);
  for (std::vector<uint32_t> &slots : block.exchanged)
    slots.resize(numThreads);
  for (std::vector<Block::Fragment> &slots : block.fragments)
    slots.resize(numThreads);
  block.rounds.resize(numThreads);
  block.warpSize = info.warpSize;
  block.ownWarps = info.numWarps;
  const unsigned sizes[] = {grid.x, grid.y, grid.z};
  std::copy(std::begin(sizes), std::end(sizes), block.numPrograms);
  // What was never written reads as numbers that no sum survives.
  block.shared.resize(info.sharedBytes + 64, char(0x7f));
  block.scratchBytes = info.scratchBytes;
  block.scratch.resize(info.scratchBytes * grid.x * grid.y * grid.z + KernelInfo::globalScratchAlignment,
                       char(0x7f));
  auto align = [](std::vector<char> &memory, size_t alignment) {
    void *start = memory.data();
    size_t space = memory.size();
    return static_cast<char *>(std::align(alignment, 0, start, space));
  };
  block.scratchStart = align(block.scratch, KernelInfo::globalScratchAlignment);
  block.sharedStart = align(block.shared, 16);
  block.touches.resize(block.shared.size());
  block.epochs.resize(numThreads);
}

/// Rounds to nearest, ties to even. LLVM calls a function for that where the processor has no instruction
/// (AVX512-BF16), which libgcc has from version 13 on.
static __bf16 truncateToBF16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
  uint16_t upper = isNaN ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return llvm::bit_cast<__bf16>(upper);
}

std::string runOnHost(llvm::StringRef ir, llvm::ArrayRef<void *> arguments, Grid grid,
                      RunStatistics *statistics, unsigned warpSize, unsigned numWarps) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();

  mlir::DialectRegistry registry;
  tt::registerDialects(registry);
  registry.insert<ttg::TTGDialect, ttng::TTNGDialect>();
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
    addTTGPasses(passes, passTarget, numWarps, /*numStages=*/3, TensorMapUse::All);
    if (mlir::failed(passes.run(*module)))
      return messages.empty() ? "failed without a message" : messages;
  }

  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  Target target;
  target.warpSize = warpSize;
  std::unique_ptr<TargetLowering> hooks = createHostLowering(target);
  KernelInfo info;
  for (size_t i = 0; i < arguments.size(); ++i)
    info.parameters.emplace_back().name = "p" + std::to_string(i);
  std::unique_ptr<llvm::Module> lowered = lowerToLLVM(*module, *llvmContext, *hooks, info);
  if (!lowered)
    return messages.empty() ? "failed without a message" : messages;
  std::vector<EmulatedTensorMap> maps = makeTensorMaps(info, *lowered->getFunction(info.symbol), arguments);
  for (const EmulatedTensorMap &map : maps)
    if (!isValid(map))
      return "a tensor map of what the GPU cannot copy";
  watchSharedMemory(*lowered);
  findSharedMemory(*lowered);
  addEntry(*lowered, info.symbol);

  Cluster running;
  cluster = &running;
  running.blocks.resize(info.numCTAs);
  for (auto [number, block] : llvm::enumerate(running.blocks)) {
    block.number = number;
    prepare(block, info, grid);
  }

  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return llvm::toString(jit.takeError());
  llvm::orc::SymbolMap symbols;
  auto name = [&](llvm::StringRef text) { return (*jit)->mangleAndIntern(text); };
  Symbols own;
  addThreadSymbols(own);
  addMemorySymbols(own);
  addTileSymbols(own);
  addMatrixUnitSymbols(own);
  addSymbol(own, "printf", printf);
  addSymbol(own, "__truncsfbf2", truncateToBF16);
  for (const Symbol &symbol : own)
    symbols[name(symbol.name)] = {llvm::orc::ExecutorAddr::fromPtr(symbol.address),
                                  llvm::JITSymbolFlags::Exported};
  if (auto error = (*jit)->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return llvm::toString(std::move(error));
  if (auto error =
          (*jit)->addIRModule(llvm::orc::ThreadSafeModule(std::move(lowered), std::move(llvmContext))))
    return llvm::toString(std::move(error));
  auto entry = (*jit)->lookup("entry");
  if (!entry)
    return llvm::toString(entry.takeError());

  std::vector<void *> passed(arguments.begin(), arguments.end());
  std::vector<const EmulatedTensorMap *> mapPointers;
  for (const EmulatedTensorMap &map : maps)
    mapPointers.push_back(&map);
  for (const EmulatedTensorMap *&map : mapPointers)
    passed.push_back(&map);
  if (info.scratchBytes)
    passed.push_back(&running.blocks.front().scratchStart);
  for (Block &block : running.blocks) {
    block.entry = entry->toPtr<void (*)(void **)>();
    block.arguments = passed.data();
  }
  for (uint32_t z = 0; z < grid.z; ++z) {
    for (uint32_t y = 0; y < grid.y; ++y) {
      for (uint32_t x = 0; x < grid.x; ++x) {
        for (Block &block : running.blocks) {
          const uint32_t program[] = {x, y, z};
          std::copy(std::begin(program), std::end(program), block.program);
        }
        std::string problem = runProgram();
        if (!problem.empty())
          return problem;
      }
    }
  }
  if (statistics)
    *statistics = running.blocks.front().statistics;
  return "";
}

} // namespace nereid::gpu
