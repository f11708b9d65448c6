// The module around the functions: declarations, the kernel's signature, shared memory.
//
// A kernel takes its run-time arguments by value and in order, then what the launch adds (KernelInfo.h). All
// scratch memory of a block is one piece whose size the launch gives, and within which the allocation pass
// has given each operation that needs some an offset; a function that was not inlined gets the place where
// its own begins as its first argument.
#include "compiler/lowering/gpu/LowerToGPU.h"
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/transforms/ScratchMemory.h"
#include "compiler/transforms/TensorMaps.h"

#include "llvm/IR/Verifier.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace nereid::gpu {

static const EmitterTable &getCommonTable() {
  static const EmitterTable table = [] {
    EmitterTable table;
    addElementwiseEmitters(table);
    addConversionEmitters(table);
    addMathEmitters(table);
    addControlFlowEmitters(table);
    addViewEmitters(table);
    addMemoryEmitters(table);
    addAtomicEmitters(table);
    addReduceEmitters(table);
    addScanEmitters(table);
    addConvertLayoutEmitters(table);
    addGatherEmitters(table);
    addSharedMemoryEmitters(table);
    addProductEmitters(table);
    addLocalProductEmitters(table);
    addInlineEmitters(table);
    addProgramEmitters(table);
    addWarpSpecializationEmitters(table);
    addClusterEmitters(table);
    return table;
  }();
  return table;
}

static int64_t getModuleAttribute(ModuleOp module, llvm::StringRef name, int64_t otherwise) {
  auto attribute = module->getAttrOfType<IntegerAttr>(name);
  return attribute ? attribute.getInt() : otherwise;
}

/// Refuses values that have no registers: tensors without a layout, and types that earlier passes take away.
static LogicalResult checkTypes(ModuleOp module) {
  auto isSupported = [](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      if (!tensor.getEncoding() || !ttg::hasLinearLayout(tensor.getEncoding()))
        return false;
      type = tensor.getElementType();
    }
    if (auto pointer = dyn_cast<tt::PointerType>(type))
      return !tt::isTensorPointerType(pointer);
    return isa<IntegerType, FloatType, IndexType>(type);
  };
  llvm::DenseSet<Type> seen;
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (auto convert = dyn_cast<ttg::ConvertLayoutOp>(op); convert && isForScalarProducts(convert))
      return WalkResult::advance(); // not in registers
    auto check = [&](Type type) -> LogicalResult {
      if (!seen.insert(type).second)
        return success();
      if (!isSupported(type) && !isa<ttg::MemDescType, ttg::AsyncTokenType, tt::TensorDescType>(type))
        return op->emitError() << "a value of type " << type << " can't be lowered for a GPU";
      return success();
    };
    for (Type type : op->getResultTypes())
      if (failed(check(type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(check(type)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// What is promised of a kernel's pointers, in LLVM's words.
static void addArgumentAttributes(tt::FuncOp source, llvm::Function &function) {
  for (unsigned i = 0; i < source.getNumArguments(); ++i) {
    if (!isa<tt::PointerType>(source.getArgumentTypes()[i]))
      continue;
    auto divisibility = source.getArgAttrOfType<IntegerAttr>(i, "tt.divisibility");
    if (!divisibility || divisibility.getInt() <= 1)
      continue;
    uint64_t alignment = llvm::bit_floor(uint64_t(std::min<int64_t>(divisibility.getInt(), 4096)));
    function.addParamAttr(i,
                          llvm::Attribute::getWithAlignment(function.getContext(), llvm::Align(alignment)));
  }
}

/// How the launch makes the kernel's tensor maps, in its parameters' names.
static std::vector<TensorMap> listTensorMaps(tt::FuncOp kernel, const KernelInfo &info) {
  llvm::SmallVector<std::string> names;
  for (const KernelParameter &parameter : info.parameters)
    if (parameter.isPassedToImage())
      names.push_back(parameter.name);
  auto getName = [&](unsigned index) {
    return index < names.size() ? names[index] : "$" + std::to_string(index);
  };
  std::vector<TensorMap> maps;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    auto parts = kernel.getArgAttrOfType<DictionaryAttr>(i, tensorMapAttr);
    if (!parts)
      continue;
    TensorMap map;
    map.base = getName(parts.getAs<IntegerAttr>(tensorMapBaseName).getInt());
    llvm::StringRef text = parts.getAs<StringAttr>(tensorMapExtentsName).getValue();
    while (!text.empty()) {
      if (!text.consume_front("$")) {
        map.extents += text.front();
        text = text.drop_front();
        continue;
      }
      unsigned index = 0;
      text.consumeInteger(10, index);
      map.extents += getName(index);
    }
    RankedTensorType tile = cast<tt::TensorDescType>(kernel.getArgumentTypes()[i]).getSignlessBlockType();
    map.elementBytes = tt::getElementBits(tile.getElementType()) / 8;
    if (auto memory = dyn_cast<ttg::NVMMASharedEncodingAttr>(tile.getEncoding()))
      map.swizzleBytes = memory.getSwizzlingByteWidth();
    for (int64_t size : getTileBox(tile.getShape(), tile.getEncoding()))
      map.box.push_back(size);
    maps.push_back(std::move(map));
  }
  return maps;
}

/// Declares the LLVM function for `source`; tensors among arguments and results are passed register by
/// register.
static llvm::Function *declare(Emitter &types, ModuleState &state, tt::FuncOp source, llvm::StringRef name) {
  llvm::LLVMContext &context = state.module.getContext();
  llvm::SmallVector<llvm::Type *> parameters, results;
  if (!source.isPublic())
    parameters.push_back(llvm::PointerType::get(context, sharedAddressSpace));
  for (Type type : source.getArgumentTypes())
    parameters.append(types.countRegisters(type), types.convertType(type));
  for (Type type : source.getResultTypes())
    results.append(types.countRegisters(type), types.convertType(type));
  llvm::Type *result =
      results.empty() ? llvm::Type::getVoidTy(context) : llvm::StructType::get(context, results);
  auto linkage = source.isPublic() ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage;
  auto *function =
      llvm::Function::Create(llvm::FunctionType::get(result, parameters, false), linkage, name, state.module);
  function->setDoesNotThrow();
  // Threads may meet in any function. Where they don't, LLVM finds out and takes the word back; where they
  // do, no call may be copied into the arms of a branch that divides them.
  function->setConvergent();
  if (source.isPublic()) {
    state.target.makeKernel(*function, state.totalWarps * state.target.getWarpSize());
    addArgumentAttributes(source, *function);
    for (unsigned i = 0; i < source.getNumArguments(); ++i)
      if (isa<tt::TensorDescType>(source.getArgumentTypes()[i]))
        state.target.describeTensorMap(*function, i);
  } else {
    function->addFnAttr(llvm::Attribute::NoInline);
  }
  return function;
}

/// Refuses a function whose arrays, the slots of large tiles, take more memory than a thread can have.
static LogicalResult checkLocalMemory(tt::FuncOp source, const llvm::Function &function,
                                      const TargetLowering &target) {
  // On AMD's GPUs the lanes of a warp share 8 MiB, less a few bytes.
  constexpr uint64_t kib = 1024;
  bool isAMD = target.getTriple().starts_with("amdgcn");
  uint64_t limit = isAMD ? 8 * kib * kib / target.getWarpSize() - kib : 512 * kib, bytes = 0;
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  for (const llvm::Instruction &instruction : function.getEntryBlock())
    if (auto *slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      bytes += layout.getTypeAllocSize(slot->getAllocatedType()).getFixedValue();
  if (bytes <= limit)
    return success();
  return source.emitError() << "the tiles of this function take " << bytes
                            << " bytes of each thread's local memory, and there are " << limit
                            << ": take smaller tiles or more warps";
}

/// Whether a cluster's blocks can run the module, if it is for several.
static LogicalResult checkCluster(ModuleOp module, tt::FuncOp kernel, const TargetLowering &target) {
  unsigned numBlocks = ttg::getNumCTAs(module);
  if (numBlocks == 1)
    return success();
  if (!llvm::isPowerOf2_32(numBlocks) || numBlocks > target.getMaxClusterSize())
    return kernel.emitError() << "the target has no clusters of " << numBlocks << " blocks (num_ctas)";
  if (module->hasAttr(ttg::globalScratchSizeName))
    return kernel.emitError() << "blocks of a cluster (num_ctas) have no global scratch memory of their own";
  // Their warps would not come to the cluster's barriers.
  if (module->hasAttr(ttg::numWarpsName) && ttg::getTotalWarps(module) != ttg::getNumWarps(module))
    return kernel.emitError() << "blocks of a cluster (num_ctas) cannot have warps that do different things";
  return success();
}

std::unique_ptr<llvm::Module> lowerToLLVM(ModuleOp module, llvm::LLVMContext &context, TargetLowering &hooks,
                                          KernelInfo &info, const SourceInfo &sourceInfo) {
  tt::FuncOp kernel;
  for (auto function : module.getOps<tt::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    if (kernel) {
      function.emitError("a module with several kernels can't be lowered");
      return nullptr;
    }
    kernel = function;
  }
  if (!kernel) {
    module.emitError("there is no kernel to lower");
    return nullptr;
  }
  if (kernel.getNumResults() != 0) {
    kernel.emitError("a kernel can't return values");
    return nullptr;
  }
  int64_t warpSize = getModuleAttribute(module, ttg::threadsPerWarpName, hooks.getWarpSize());
  if (warpSize != hooks.getWarpSize()) {
    module.emitError() << "layouts are for warps of " << warpSize << " threads, and the target has "
                       << hooks.getWarpSize();
    return nullptr;
  }

  unsigned numBlocks = ttg::getNumCTAs(module);
  if (failed(checkCluster(module, kernel, hooks)))
    return nullptr;
  hooks.setClusterSize(numBlocks);
  unsigned numWarps = getModuleAttribute(module, ttg::numWarpsName, info.numWarps);
  constexpr unsigned maxThreads = 1024;
  unsigned totalWarps = module->hasAttr(ttg::numWarpsName) ? ttg::getTotalWarps(module) : numWarps;
  if (totalWarps * hooks.getWarpSize() > maxThreads) {
    module.emitError() << totalWarps << " warps are more than the " << maxThreads
                       << " threads that a block can have";
    return nullptr;
  }
  if (failed(checkTypes(module)))
    return nullptr;

  auto result = std::make_unique<llvm::Module>(kernel.getName(), context);
  llvm::Triple triple(hooks.getTriple());
  result->setTargetTriple(triple);
  result->setDataLayout(triple.computeDataLayout());

  unsigned sharedBytes = getModuleAttribute(module, ttg::sharedName, 0);
  // Of unknown size: the launch says how large it is.
  auto *shared = new llvm::GlobalVariable(*result, llvm::ArrayType::get(llvm::Type::getInt8Ty(context), 0),
                                          /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                          "block_memory", nullptr, llvm::GlobalValue::NotThreadLocal,
                                          sharedAddressSpace);
  shared->setAlignment(llvm::Align(16));

  EmitterTable table = getCommonTable();
  hooks.addEmitters(table);
  AxisInfoAnalysis axisInfo(module);
  LineTables lines(*result, sourceInfo, hooks.getLineTableForm());
  ModuleState state{*result,           hooks,  table,      axisInfo, numWarps, totalWarps,
                    info.maxRegisters, shared, sourceInfo, lines};

  // All are declared before any is emitted, so that calls find what they call.
  std::string symbol = info.symbol.empty() ? kernel.getName().str() : info.symbol;
  llvm::SmallVector<std::pair<tt::FuncOp, llvm::Function *>> functions;
  for (auto source : module.getOps<tt::FuncOp>()) {
    if (source.isExternal())
      continue;
    auto *placeholder = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                               llvm::GlobalValue::InternalLinkage, "", *result);
    Emitter types(state, source, *placeholder);
    llvm::StringRef name = source == kernel ? llvm::StringRef(symbol) : source.getName();
    functions.push_back({source, declare(types, state, source, name)});
    placeholder->eraseFromParent();
  }
  auto isLarge = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && ttg::toLinearLayout(tensor).getInSize(Dim::Register) > int64_t(maxStraightElements);
  };
  for (auto [source, function] : functions) {
    if (!source.isPublic() && (llvm::any_of(source.getArgumentTypes(), isLarge) ||
                               llvm::any_of(source.getResultTypes(), isLarge))) {
      source.emitError()
          << "a function that is not inlined can't take or return tiles of which a thread has more than "
          << maxStraightElements << " elements";
      return nullptr;
    }
  }
  for (auto [source, function] : functions) {
    bool isKernel = source == kernel;
    lines.addFunction(*function,
                      isKernel && !info.name.empty() ? llvm::StringRef(info.name) : source.getName(),
                      source.getLoc());
    if (failed(Emitter(state, source, *function).run()) || failed(checkLocalMemory(source, *function, hooks)))
      return nullptr;
  }
  lines.finish();
  if (shared->use_empty())
    shared->eraseFromParent();

  if (llvm::verifyModule(*result)) {
    kernel.emitError(
        "internal compiler error: lowering made invalid LLVM IR of this kernel; this is a bug in "
        "Nereid, please report it together with the kernel");
    return nullptr;
  }
  info.symbol = symbol;
  info.sharedBytes = sharedBytes;
  info.tensorMaps = listTensorMaps(kernel, info);
  info.scratchBytes = getModuleAttribute(module, ttg::globalScratchSizeName, 0);
  info.warpSize = hooks.getWarpSize();
  info.numWarps = numWarps;
  info.numWorkerWarps = totalWarps - numWarps;
  info.numCTAs = numBlocks;
  return result;
}

} // namespace nereid::gpu
