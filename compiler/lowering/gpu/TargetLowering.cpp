// The hooks that are right on every GPU: predicated memory accesses as branches, shuffles of any type as
// shuffles of 32-bit pieces.
#include "compiler/lowering/gpu/TargetLowering.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid::gpu {

TargetLowering::~TargetLowering() = default;

StringRef getMathName(MathFunction function) {
  static constexpr StringLiteral names[] = {"exp",   "exp2",  "expm1", "log",   "log2", "log10", "log1p",
                                            "sqrt",  "rsqrt", "sqrt",  "cbrt",  "sin",  "cos",   "tan",
                                            "asin",  "acos",  "atan",  "atan2", "sinh", "cosh",  "tanh",
                                            "asinh", "acosh", "atanh", "erf",   "erfc", "pow",   "fmod"};
  static_assert(std::size(names) == static_cast<size_t>(MathFunction::FMod) + 1);
  return names[static_cast<unsigned>(function)];
}

void TargetLowering::beginWhen(Builder &b, Value *predicate, BasicBlock *&head, BasicBlock *&join) {
  head = b.GetInsertBlock();
  Function *function = head->getParent();
  BasicBlock *then = BasicBlock::Create(b.getContext(), "masked", function);
  join = BasicBlock::Create(b.getContext(), "join", function);
  assert(b.GetInsertPoint() == head->end() && "code is only ever appended");
  b.CreateCondBr(predicate, then, join);
  b.SetInsertPoint(then);
}

Value *TargetLowering::endWhen(Builder &b, Value *value, Value *otherwise, BasicBlock *head,
                               BasicBlock *join) {
  BasicBlock *last = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(join);
  if (!value)
    return nullptr;
  PHINode *phi = b.CreatePHI(value->getType(), 2);
  phi->addIncoming(value, last);
  phi->addIncoming(otherwise, head);
  return phi;
}

Value *TargetLowering::callLibrary(Builder &b, const Twine &name, Type *result, ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  Module *module = b.GetInsertBlock()->getModule();
  SmallString<32> buffer;
  FunctionCallee callee =
      module->getOrInsertFunction(name.toStringRef(buffer), FunctionType::get(result, types, false));
  if (auto *function = dyn_cast<Function>(callee.getCallee())) {
    function->setDoesNotThrow();
    function->setDoesNotAccessMemory();
    function->setWillReturn();
  }
  return b.CreateCall(callee, arguments);
}

/// Cuts a scalar into i32 pieces, lowest bits first, sends each through `shuffle`, and puts them together
/// again.
template <typename Shuffle> static Value *shufflePieces(IRBuilder<> &b, Value *value, Shuffle shuffle) {
  Type *type = value->getType();
  if (type->isPointerTy()) {
    unsigned bits = b.GetInsertBlock()->getModule()->getDataLayout().getPointerTypeSizeInBits(type);
    return b.CreateIntToPtr(shufflePieces(b, b.CreatePtrToInt(value, b.getIntNTy(bits)), shuffle), type);
  }
  unsigned bits = type->getPrimitiveSizeInBits();
  Value *integer = b.CreateBitCast(value, b.getIntNTy(bits));
  if (bits <= 32) {
    Value *moved = shuffle(b.CreateZExt(integer, b.getInt32Ty()));
    return b.CreateBitCast(b.CreateTrunc(moved, b.getIntNTy(bits)), type);
  }
  unsigned count = (bits + 31) / 32;
  auto *whole = b.getIntNTy(count * 32);
  integer = b.CreateZExt(integer, whole);
  Value *result = ConstantInt::get(whole, 0);
  for (unsigned i = 0; i < count; ++i) {
    Value *piece = shuffle(b.CreateTrunc(b.CreateLShr(integer, i * 32), b.getInt32Ty()));
    result = b.CreateOr(result, b.CreateShl(b.CreateZExt(piece, whole), i * 32));
  }
  return b.CreateBitCast(b.CreateTrunc(result, b.getIntNTy(bits)), type);
}

Value *TargetLowering::shuffleXor(Builder &b, Value *value, unsigned mask) const {
  if (mask == 0)
    return value;
  return shufflePieces(b, value, [&](Value *piece) { return shuffleXorI32(b, piece, mask); });
}

Value *TargetLowering::shuffleIndex(Builder &b, Value *value, Value *lane) const {
  return shufflePieces(b, value, [&](Value *piece) { return shuffleIndexI32(b, piece, lane); });
}

/// `nontemporal` is how LLVM says that data is used once, which is what these modifiers mean to the caches.
static void addHints(Instruction *access, const AccessHints &hints) {
  if (hints.cache != CacheModifier::CS && hints.eviction != EvictionPolicy::EvictFirst)
    return;
  LLVMContext &context = access->getContext();
  Metadata *one = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 1));
  access->setMetadata(LLVMContext::MD_nontemporal, MDNode::get(context, one));
}

Value *TargetLowering::loadGlobal(Builder &b, Type *type, Value *pointer, Value *predicate, Value *other,
                                  const AccessHints &hints) const {
  auto load = [&]() -> Value * {
    LoadInst *inst = b.CreateAlignedLoad(type, pointer, Align(hints.alignment), hints.isVolatile);
    addHints(inst, hints);
    return inst;
  };
  if (!predicate)
    return load();
  return whenTrue(b, predicate, other ? other : Constant::getNullValue(type), load);
}

void TargetLowering::storeGlobal(Builder &b, Value *value, Value *pointer, Value *predicate,
                                 const AccessHints &hints) const {
  auto store = [&]() -> Value * {
    StoreInst *inst = b.CreateAlignedStore(value, pointer, Align(hints.alignment), hints.isVolatile);
    addHints(inst, hints);
    return nullptr;
  };
  if (!predicate)
    store();
  else
    whenTrue(b, predicate, nullptr, store);
}

static AtomicOrdering getOrdering(AtomicOrder order) {
  switch (order) {
  case AtomicOrder::Relaxed:
    return AtomicOrdering::Monotonic;
  case AtomicOrder::Acquire:
    return AtomicOrdering::Acquire;
  case AtomicOrder::Release:
    return AtomicOrdering::Release;
  case AtomicOrder::AcquireRelease:
    return AtomicOrdering::AcquireRelease;
  }
  llvm_unreachable("unknown order");
}

Value *TargetLowering::atomicReadModifyWrite(Builder &b, AtomicOperation operation, Value *pointer,
                                             Value *value, Value *predicate, AtomicOrder order,
                                             AtomicScope scope, bool isResultWanted) const {
  static constexpr AtomicRMWInst::BinOp operations[] = {
      AtomicRMWInst::And, AtomicRMWInst::Or,  AtomicRMWInst::Xor,  AtomicRMWInst::Add,  AtomicRMWInst::FAdd,
      AtomicRMWInst::Max, AtomicRMWInst::Min, AtomicRMWInst::UMax, AtomicRMWInst::UMin, AtomicRMWInst::Xchg};
  SyncScope::ID syncScope = b.getContext().getOrInsertSyncScopeID(getSyncScopeName(scope));
  auto access = [&]() -> Value * {
    AtomicRMWInst *inst = b.CreateAtomicRMW(operations[static_cast<unsigned>(operation)], pointer, value,
                                            MaybeAlign(), getOrdering(order), syncScope);
    describeAtomic(*inst);
    return inst;
  };
  return predicate ? whenTrue(b, predicate, Constant::getNullValue(value->getType()), access) : access();
}

Value *TargetLowering::atomicCompareExchange(Builder &b, Value *pointer, Value *expected, Value *value,
                                             Value *predicate, AtomicOrder order, AtomicScope scope) const {
  SyncScope::ID syncScope = b.getContext().getOrInsertSyncScopeID(getSyncScopeName(scope));
  AtomicOrdering success = getOrdering(order);
  // Bits are compared: floating-point numbers and pointers go as integers.
  Type *type = value->getType(), *bits = b.getIntNTy(type->getPrimitiveSizeInBits().getFixedValue());
  auto access = [&]() -> Value * {
    Value *pair = b.CreateAtomicCmpXchg(pointer, b.CreateBitCast(expected, bits),
                                        b.CreateBitCast(value, bits), MaybeAlign(), success,
                                        AtomicCmpXchgInst::getStrongestFailureOrdering(success), syncScope);
    return b.CreateBitCast(b.CreateExtractValue(pair, 0), type);
  };
  return predicate ? whenTrue(b, predicate, Constant::getNullValue(type), access) : access();
}

void TargetLowering::fence(Builder &b, AtomicOrder order, AtomicScope scope) const {
  b.CreateFence(getOrdering(order), b.getContext().getOrInsertSyncScopeID(getSyncScopeName(scope)));
}

void TargetLowering::storeShared(Builder &b, Value *value, Value *pointer, Value *predicate) const {
  const DataLayout &layout = b.GetInsertBlock()->getModule()->getDataLayout();
  auto store = [&]() -> Value * {
    b.CreateAlignedStore(value, pointer, Align(layout.getTypeStoreSize(value->getType()).getFixedValue()));
    return nullptr;
  };
  if (!predicate)
    store();
  else
    whenTrue(b, predicate, nullptr, store);
}

void TargetLowering::addShared(Builder &b, Value *value, Value *pointer, Value *predicate) const {
  SyncScope::ID block = b.getContext().getOrInsertSyncScopeID(getSyncScopeName(AtomicScope::Block));
  auto add = [&]() -> Value * {
    b.CreateAtomicRMW(AtomicRMWInst::Add, pointer, value, MaybeAlign(), AtomicOrdering::Monotonic, block);
    return nullptr;
  };
  if (!predicate)
    add();
  else
    whenTrue(b, predicate, nullptr, add);
}

Value *TargetLowering::divide(Builder &b, Value *a, Value *divisor) const { return b.CreateFDiv(a, divisor); }

Value *TargetLowering::dividePrecise(Builder &b, Value *a, Value *divisor) const {
  return b.CreateFDiv(a, divisor);
}

Value *TargetLowering::multiplyHigh(Builder &b, Value *a, Value *c) const {
  unsigned bits = a->getType()->getIntegerBitWidth();
  Type *wide = b.getIntNTy(2 * bits);
  Value *product = b.CreateMul(b.CreateZExt(a, wide), b.CreateZExt(c, wide));
  return b.CreateTrunc(b.CreateLShr(product, bits), a->getType());
}

Value *TargetLowering::truncateToBF16(Builder &b, Value *value) const {
  return b.CreateFPTrunc(value, b.getBFloatTy());
}

Value *TargetLowering::truncatePairToBF16(Builder &b, Value *first, Value *second) const {
  Value *pair = PoisonValue::get(FixedVectorType::get(b.getBFloatTy(), 2));
  pair = b.CreateInsertElement(pair, truncateToBF16(b, first), uint64_t(0));
  return b.CreateInsertElement(pair, truncateToBF16(b, second), uint64_t(1));
}

Value *TargetLowering::roundToTF32(Builder &b, Value *value) const {
  constexpr uint32_t cutBits = 13;
  Value *bits = b.CreateBitCast(value, b.getInt32Ty());
  Value *rounded = b.CreateAnd(b.CreateAdd(bits, b.getInt32(1u << (cutBits - 1))), ~((1u << cutBits) - 1));
  // The addition may carry a NaN's fraction into its sign.
  Value *nan = ConstantFP::get(value->getType(), APFloat::getQNaN(APFloat::IEEEsingle()));
  return b.CreateSelect(b.CreateFCmpUNO(value, value), nan, b.CreateBitCast(rounded, value->getType()));
}

void TargetLowering::failAssertion(Builder &b, const Assertion &assertion) const {
  std::string text;
  for (char c :
       (assertion.path + ":" + Twine(assertion.line) + ": assertion failed in " + assertion.function).str() +
           ", program (\1, \1, \1): " + assertion.message.str() + "\n")
    text += c == '%' ? "%%" : c == '\1' ? "%d" : std::string(1, c);
  print(b, text, {programId(b, 0), programId(b, 1), programId(b, 2)});
  b.CreateIntrinsic(Intrinsic::trap, {});
}

llvm::SmallVector<llvm::Value *, 4> TargetLowering::multiplyMatrices(Builder &, const MatrixStep &,
                                                                     llvm::ArrayRef<llvm::Value *>,
                                                                     llvm::ArrayRef<llvm::Value *>,
                                                                     llvm::ArrayRef<llvm::Value *>) const {
  return {};
}

void TargetLowering::beginTileBarrier(Builder &, llvm::Value *, llvm::Value *, unsigned) const {
  llvm_unreachable("this target has no tensor maps");
}
void TargetLowering::endTileBarrier(Builder &, llvm::Value *, llvm::Value *) const {
  llvm_unreachable("this target has no tensor maps");
}
void TargetLowering::arriveAtTileBarrier(Builder &, llvm::Value *, llvm::Value *, unsigned,
                                         llvm::Value *) const {
  llvm_unreachable("this target has no tensor maps");
}
void TargetLowering::expectTileBytes(Builder &, llvm::Value *, llvm::Value *, unsigned, llvm::Value *) const {
  llvm_unreachable("this target has no tensor maps");
}
void TargetLowering::waitForTiles(Builder &, llvm::Value *, llvm::Value *) const {
  llvm_unreachable("this target has no tensor maps");
}
void TargetLowering::copyTile(Builder &, llvm::Value *, llvm::Value *, llvm::Value *,
                              llvm::ArrayRef<llvm::Value *>, llvm::Value *, llvm::Value *) const {
  llvm_unreachable("this target has no tensor maps");
}

void TargetLowering::storeTile(Builder &, llvm::Value *, llvm::Value *, llvm::Value *,
                               llvm::ArrayRef<llvm::Value *>) const {
  llvm_unreachable("this target has no tensor maps");
}
void TargetLowering::waitForStoredTiles(Builder &, unsigned, bool) const {
  llvm_unreachable("this target has no tensor maps");
}
void TargetLowering::makeTensorMap(Builder &, llvm::Value *, llvm::Value *, const TensorMapFields &) const {
  llvm_unreachable("this target's kernels make no tensor maps");
}
void TargetLowering::acquireTensorMap(Builder &, llvm::Value *) const {
  llvm_unreachable("this target's kernels make no tensor maps");
}

void TargetLowering::barrier(Builder &, unsigned, unsigned) const {
  llvm_unreachable("this target has no partitions");
}
llvm::Value *TargetLowering::blockInCluster(Builder &) const {
  llvm_unreachable("this target has no clusters");
}
void TargetLowering::clusterBarrier(Builder &) const { llvm_unreachable("this target has no clusters"); }
llvm::Value *TargetLowering::loadFromBlock(Builder &, llvm::Type *, llvm::Value *, llvm::Value *) const {
  llvm_unreachable("this target has no clusters");
}
void TargetLowering::setRegisters(Builder &, unsigned, bool) const {
  llvm_unreachable("this target has no partitions");
}

llvm::SmallVector<llvm::Value *, 4> TargetLowering::loadMatrices(Builder &b, llvm::Value *base,
                                                                 llvm::Value *offset, unsigned count,
                                                                 bool transposed) const {
  llvm::Value *lane = b.CreateAnd(threadId(b), getWarpSize() - 1);
  llvm::Value *quarter = b.CreateAnd(lane, 3u), *eighth = b.CreateLShr(lane, 2);
  auto load = [&](llvm::Type *type, llvm::Value *row, llvm::Value *position) {
    llvm::Value *address = b.CreateAdd(shuffleIndexI32(b, offset, row), position);
    return b.CreateAlignedLoad(type, b.CreateInBoundsGEP(b.getInt8Ty(), base, address),
                               llvm::Align(type->getPrimitiveSizeInBits() / 8));
  };
  llvm::SmallVector<llvm::Value *, 4> words;
  for (unsigned matrix = 0; matrix != count; ++matrix) {
    llvm::Value *first = b.getInt32(8 * matrix);
    if (!transposed) {
      words.push_back(load(b.getInt32Ty(), b.CreateAdd(first, eighth), b.CreateShl(quarter, 2)));
      continue;
    }
    llvm::Value *row = b.CreateAdd(first, b.CreateShl(quarter, 1)), *position = b.CreateShl(eighth, 1);
    llvm::Value *low = b.CreateZExt(load(b.getInt16Ty(), row, position), b.getInt32Ty());
    llvm::Value *high =
        b.CreateZExt(load(b.getInt16Ty(), b.CreateAdd(row, b.getInt32(1)), position), b.getInt32Ty());
    words.push_back(b.CreateOr(low, b.CreateShl(high, 16)));
  }
  return words;
}

void TargetLowering::storeMatrices(Builder &b, llvm::Value *base, llvm::Value *offset,
                                   llvm::ArrayRef<llvm::Value *> words, bool transposed) const {
  llvm::Value *lane = b.CreateAnd(threadId(b), getWarpSize() - 1);
  llvm::Value *quarter = b.CreateAnd(lane, 3u), *eighth = b.CreateLShr(lane, 2);
  auto store = [&](llvm::Value *value, llvm::Value *row, llvm::Value *position) {
    llvm::Value *address = b.CreateAdd(shuffleIndexI32(b, offset, row), position);
    storeShared(b, value, b.CreateInBoundsGEP(b.getInt8Ty(), base, address), nullptr);
  };
  for (auto [matrix, word] : llvm::enumerate(words)) {
    llvm::Value *first = b.getInt32(8 * matrix);
    if (!transposed) {
      store(word, b.CreateAdd(first, eighth), b.CreateShl(quarter, 2));
      continue;
    }
    llvm::Value *row = b.CreateAdd(first, b.CreateShl(quarter, 1)), *position = b.CreateShl(eighth, 1);
    store(b.CreateTrunc(word, b.getInt16Ty()), row, position);
    store(b.CreateTrunc(b.CreateLShr(word, 16), b.getInt16Ty()), b.CreateAdd(row, b.getInt32(1)), position);
  }
}

void TargetLowering::copyAsync(Builder &b, llvm::Value *shared, llvm::Value *global, unsigned bytes,
                               llvm::Value *predicate, llvm::Value *writes) const {
  llvm::Type *type = b.getInt32Ty();
  if (bytes > 4)
    type = llvm::FixedVectorType::get(type, bytes / 4);
  AccessHints hints;
  hints.alignment = bytes;
  storeShared(b, loadGlobal(b, type, global, predicate, nullptr, hints), shared, writes);
}

} // namespace nereid::gpu
