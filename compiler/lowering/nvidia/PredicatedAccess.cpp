// Memory accesses under a predicate, as PTX: a branch around each would keep loads from being in flight
// together.
//
//     mov.b32 %r1, 0;  mov.b32 %r2, 0;  @%p1 ld.global.v2.b32 {%r1, %r2}, [%rd1];
//
// The data is cut into words of 8, 16 or 32 bits, as few as there can be. An access that is neither masked
// nor hinted is left to LLVM, which knows more about it that way.
//
// LLVM does not look into assembly, so each piece says what it does to memory, in two places. The call's
// attributes speak to the passes on LLVM IR: a load only reads what its pointer leads to, and may be merged
// with others, dropped or moved like LLVM's own, but not past a store. The clobber of memory speaks to
// instruction selection and to the passes on machine code, which else take even assembly with side effects
// for something that leaves memory alone, and sink a plain load below a masked store to the same address.
#include "compiler/lowering/nvidia/ColumnNote.h"
#include "compiler/lowering/nvidia/NVIDIALowering.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace nereid::nvidia {

using gpu::AccessHints;
using gpu::AtomicOperation;
using gpu::AtomicOrder;
using gpu::AtomicScope;
using gpu::CacheModifier;
using gpu::EvictionPolicy;

namespace {

/// How a value of some bits is cut: `count` words, each held in a register of type `type`.
struct Words {
  unsigned bits;
  unsigned count;
  Type *type;
  const char *constraint;

  Words(IRBuilder<> &b, unsigned totalBits) {
    bits = std::min(totalBits, 32u);
    count = totalBits / bits;
    // PTX has no 8-bit registers: a byte travels in the low half of a 16-bit one.
    type = bits == 32 ? b.getInt32Ty() : b.getInt16Ty();
    constraint = bits == 32 ? "r" : "h";
  }

  /// `.v4.b32`
  std::string suffix() const {
    return (count > 1 ? ".v" + std::to_string(count) : "") + ".b" + std::to_string(bits);
  }
  /// `{$0, $1}`, or `$0` for one word.
  std::string registers(unsigned first) const {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(first + i);
    return count > 1 ? "{" + text + "}" : text;
  }

  SmallVector<Value *> split(IRBuilder<> &b, Value *value) const {
    SmallVector<Value *> words;
    Type *wordType = b.getIntNTy(bits);
    if (count == 1) {
      words.push_back(b.CreateBitCast(value, wordType));
    } else {
      Value *vector = b.CreateBitCast(value, FixedVectorType::get(wordType, count));
      for (unsigned i = 0; i < count; ++i)
        words.push_back(b.CreateExtractElement(vector, i));
    }
    for (Value *&word : words)
      word = b.CreateZExt(word, type);
    return words;
  }

  Value *join(IRBuilder<> &b, ArrayRef<Value *> words, Type *result) const {
    Type *wordType = b.getIntNTy(bits);
    if (count == 1)
      return b.CreateBitCast(b.CreateTrunc(words[0], wordType), result);
    Value *vector = PoisonValue::get(FixedVectorType::get(wordType, count));
    for (unsigned i = 0; i < count; ++i)
      vector = b.CreateInsertElement(vector, words[i], i);
    return b.CreateBitCast(vector, result);
  }
};

/// The integer (or vector of integers) that a value with pointers or i1 is in memory; asm operands need plain
/// bits.
Type *memoryType(IRBuilder<> &b, Type *type) {
  const DataLayout &layout = b.GetInsertBlock()->getModule()->getDataLayout();
  Type *scalar = type->getScalarType();
  if (scalar->isPointerTy())
    scalar = layout.getIntPtrType(scalar);
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return FixedVectorType::get(scalar, vector->getNumElements());
  return scalar;
}

Value *toBits(IRBuilder<> &b, Value *value) {
  Type *type = memoryType(b, value->getType());
  return value->getType() == type ? value : b.CreatePtrToInt(value, type);
}

/// `.cg`, `.L1::evict_last`: PTX takes the one or the other, and the cache modifier says more.
std::string suffixOf(const AccessHints &hints) {
  switch (hints.cache) {
  case CacheModifier::CA:
    return ".ca";
  case CacheModifier::CG:
    return ".cg";
  case CacheModifier::CS:
    return ".cs";
  case CacheModifier::WB:
    return ".wb";
  case CacheModifier::WT:
    return ".wt";
  case CacheModifier::CV:
    return ".cv";
  case CacheModifier::None:
    break;
  }
  switch (hints.eviction) {
  case EvictionPolicy::EvictFirst:
    return ".L1::evict_first";
  case EvictionPolicy::EvictLast:
    return ".L1::evict_last";
  case EvictionPolicy::Normal:
    break;
  }
  return "";
}

bool isPlain(const AccessHints &hints) {
  return hints.cache == CacheModifier::None && hints.eviction == EvictionPolicy::Normal;
}

/// Whether an access may be merged with others or dropped, or must happen as often and in the order that the
/// program says, as stores, atomic and volatile accesses must.
enum class Access { Read, Fixed };

/// Calls inline assembly that reaches memory through its pointer operand; several results come back as a
/// struct.
Value *callAsm(IRBuilder<> &b, Type *result, ArrayRef<Value *> operands, StringRef text,
               const std::string &constraints, Access access) {
  SmallVector<Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *callee = InlineAsm::get(FunctionType::get(result, types, false), text, constraints + ",~{memory}",
                                /*hasSideEffects=*/access == Access::Fixed);
  CallInst *call = b.CreateCall(callee, operands);
  call->setDoesNotThrow();
  if (access == Access::Read) {
    call->setMemoryEffects(MemoryEffects::argMemOnly(ModRefInfo::Ref));
    call->addFnAttr(Attribute::WillReturn);
  }
  return call;
}

/// Loads of what others may be writing meanwhile: volatile ones, and those that go by the caches that are not
/// shared, which is how programs look at what other programs have written.
Access getAccess(const AccessHints &hints) {
  bool looksAtOthers =
      hints.isVolatile || hints.cache == CacheModifier::CG || hints.cache == CacheModifier::CV;
  return looksAtOthers ? Access::Fixed : Access::Read;
}

unsigned bitsOf(Type *type) { return type->getPrimitiveSizeInBits().getFixedValue(); }

/// `predicate` may be null: then there is no `@$n`.
void storeAsm(IRBuilder<> &b, StringRef opcode, Value *value, Value *pointer, Value *predicate) {
  Words words(b, bitsOf(value->getType()));
  SmallVector<Value *> operands{pointer};
  std::string constraints =
      pointer->getType()->getPointerAddressSpace() == gpu::sharedAddressSpace ? "r" : "l";
  for (Value *word : words.split(b, value)) {
    operands.push_back(word);
    constraints += std::string(",") + words.constraint;
  }
  std::string text;
  if (predicate) {
    text = "@$" + std::to_string(operands.size()) + " ";
    operands.push_back(predicate);
    constraints += ",b";
  }
  text += (opcode + words.suffix() + " [$0], " + words.registers(1) + ";").str();
  callAsm(b, b.getVoidTy(), operands, text, constraints, Access::Fixed);
}

/// The policy by which data leaves the second cache first: made once, where the function begins.
Value *getEvictionPolicy(IRBuilder<> &b) {
  constexpr StringLiteral text = "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;";
  BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  auto *first = entry.empty() ? nullptr : dyn_cast<CallInst>(&entry.front());
  auto *made = first ? dyn_cast<InlineAsm>(first->getCalledOperand()) : nullptr;
  if (made && made->getAsmString() == text)
    return first;
  requirePTX(b, 74);
  IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(&entry, entry.begin());
  auto *callee = InlineAsm::get(FunctionType::get(b.getInt64Ty(), false), text, "=l",
                                /*hasSideEffects=*/false);
  CallInst *call = b.CreateCall(callee, {});
  call->setDoesNotThrow();
  call->setDoesNotAccessMemory();
  call->addFnAttr(Attribute::WillReturn);
  return call;
}

} // namespace

Value *NVIDIALowering::loadGlobal(Builder &b, Type *type, Value *pointer, Value *predicate, Value *other,
                                  const AccessHints &hints) const {
  // PTX has no policies for what is volatile.
  bool isLast = hints.isLast && !hints.isVolatile && computeCapability >= 80;
  if (!predicate && isPlain(hints) && !isLast && !hints.isOfColumn)
    return TargetLowering::loadGlobal(b, type, pointer, nullptr, nullptr, hints);

  Type *bitsType = memoryType(b, type);
  Words words(b, bitsOf(bitsType));
  SmallVector<Value *> operands{pointer};
  std::string outputs, inputs = ",l", text;
  for (unsigned i = 0; i < words.count; ++i)
    outputs += (i ? ",=" : "=") + std::string(words.constraint);
  unsigned pointerNumber = words.count;

  std::string access = (hints.isVolatile ? "ld.volatile.global" : "ld.global" + suffixOf(hints)) +
                       (isLast ? ".L2::cache_hint" : "") + words.suffix() + " " + words.registers(0) +
                       ", [$" + std::to_string(pointerNumber) + "]";
  if (predicate) {
    inputs += ",b";
    operands.push_back(predicate);
    // The registers first get what a lane that reads nothing is to see.
    SmallVector<Value *> defaults =
        words.split(b, other ? toBits(b, other) : Constant::getNullValue(bitsType));
    unsigned moveBits = words.type->getIntegerBitWidth();
    for (unsigned i = 0; i < words.count; ++i) {
      text += "mov.b" + std::to_string(moveBits) + " $" + std::to_string(i) + ", ";
      auto *constant = dyn_cast<ConstantInt>(defaults[i]);
      if (constant) {
        text += "0x" + utohexstr(constant->getZExtValue()) + ";\n\t";
      } else {
        text += "$" + std::to_string(pointerNumber + operands.size()) + ";\n\t";
        operands.push_back(defaults[i]);
        inputs += std::string(",") + words.constraint;
      }
    }
    text += "@$" + std::to_string(pointerNumber + 1) + " ";
  }
  text += access;
  if (isLast) {
    text += ", $" + std::to_string(pointerNumber + operands.size());
    operands.push_back(getEvictionPolicy(b));
    inputs += ",l";
  }
  text += ";";
  if (hints.isOfColumn)
    text += (" " + columnNote).str();

  SmallVector<Type *> results(words.count, words.type);
  Type *resultType = words.count == 1 ? words.type : StructType::get(b.getContext(), results);
  Value *result = callAsm(b, resultType, operands, text, outputs + inputs, getAccess(hints));
  SmallVector<Value *> loaded;
  for (unsigned i = 0; i < words.count; ++i)
    loaded.push_back(words.count == 1 ? result : b.CreateExtractValue(result, i));
  Value *bits = words.join(b, loaded, bitsType);
  return bitsType == type ? bits : b.CreateIntToPtr(bits, type);
}

void NVIDIALowering::storeGlobal(Builder &b, Value *value, Value *pointer, Value *predicate,
                                 const AccessHints &hints) const {
  if (!predicate && isPlain(hints))
    return TargetLowering::storeGlobal(b, value, pointer, nullptr, hints);
  std::string opcode = hints.isVolatile ? "st.volatile.global" : "st.global" + suffixOf(hints);
  storeAsm(b, opcode, toBits(b, value), pointer, predicate);
}

/// Assembly without text, which is said to read it.
void NVIDIALowering::keepHere(Builder &b, Value *value) const {
  bool isWide = value->getType()->getPrimitiveSizeInBits() == 64;
  Value *bits = b.CreateBitCast(value, isWide ? b.getInt64Ty() : b.getInt32Ty());
  auto *type = FunctionType::get(b.getVoidTy(), {bits->getType()}, /*isVarArg=*/false);
  CallInst *call =
      b.CreateCall(InlineAsm::get(type, "", isWide ? "l" : "r", /*hasSideEffects=*/true), {bits});
  call->setDoesNotThrow();
  call->addFnAttr(Attribute::WillReturn);
  // Loads and stores may still pass it.
  call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
}

/// `.acq_rel.gpu`
static std::string orderAndScope(AtomicOrder order, AtomicScope scope) {
  static constexpr const char *orders[] = {".relaxed", ".acquire", ".release", ".acq_rel"};
  static constexpr const char *scopes[] = {".cta", ".gpu", ".sys"};
  return std::string(orders[static_cast<unsigned>(order)]) + scopes[static_cast<unsigned>(scope)];
}

namespace {

/// The elements of a vector, or a scalar, as registers of assembly: `{$2, $3}`.
struct AtomicElements {
  unsigned count, bits;
  bool isVector;
  std::string constraint;

  explicit AtomicElements(Type *type) {
    auto *vector = dyn_cast<FixedVectorType>(type);
    isVector = vector != nullptr;
    count = vector ? vector->getNumElements() : 1;
    bits = bitsOf(type) / count;
    constraint = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  }
  std::string registers(unsigned first) const {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(first + i);
    return isVector ? "{" + text + "}" : text;
  }
  void addOperands(IRBuilder<> &b, Value *value, SmallVectorImpl<Value *> &operands,
                   std::string &constraints) const {
    for (unsigned i = 0; i < count; ++i) {
      Value *element = isVector ? b.CreateExtractElement(value, i) : value;
      operands.push_back(b.CreateBitCast(element, b.getIntNTy(bits)));
      constraints += "," + constraint;
    }
  }
};

} // namespace

/// `@$n red… [$0], $1;`
static void reduceAsm(IRBuilder<> &b, const std::string &opcode, Value *pointer, Value *value,
                      Value *predicate) {
  AtomicElements elements(value->getType());
  SmallVector<Value *> operands{pointer};
  std::string constraints = "l", text = opcode + " [$0], " + elements.registers(1) + ";";
  elements.addOperands(b, value, operands, constraints);
  if (predicate) {
    text = "@$" + std::to_string(operands.size()) + " " + text;
    operands.push_back(predicate);
    constraints += ",b";
  }
  callAsm(b, b.getVoidTy(), operands, text, constraints, Access::Fixed);
}

/// `mov.b32 $0, 0; @$n atom… $0, [$1], $2 …;`
static Value *atomicAsm(IRBuilder<> &b, const std::string &opcode, Value *pointer, ArrayRef<Value *> values,
                        Value *predicate) {
  Type *type = values[0]->getType(), *scalar = type->getScalarType();
  AtomicElements elements(type);
  unsigned count = elements.count;
  Type *bits = b.getIntNTy(elements.bits);
  std::string constraints, defaults;
  for (unsigned i = 0; i < count; ++i) {
    constraints += (i ? ",=" : "=") + elements.constraint;
    defaults += "mov.b" + std::to_string(elements.bits) + " $" + std::to_string(i) + ", 0x0;\n\t";
  }
  SmallVector<Value *> operands{pointer};
  constraints += ",l";
  std::string text = opcode + " " + elements.registers(0) + ", [$" + std::to_string(count) + "]";
  for (Value *value : values) {
    text += ", " + elements.registers(count + operands.size());
    elements.addOperands(b, value, operands, constraints);
  }
  text += ";";
  if (predicate) {
    text = defaults + "@$" + std::to_string(count + operands.size()) + " " + text;
    operands.push_back(predicate);
    constraints += ",b";
  }
  SmallVector<Type *> results(count, bits);
  Type *result = elements.isVector ? StructType::get(b.getContext(), results) : bits;
  Value *parts = callAsm(b, result, operands, text, constraints, Access::Fixed);
  if (!elements.isVector)
    return b.CreateBitCast(parts, type);
  Value *old = PoisonValue::get(type);
  for (unsigned i = 0; i < count; ++i)
    old = b.CreateInsertElement(old, b.CreateBitCast(b.CreateExtractValue(parts, i), scalar), i);
  return old;
}

unsigned NVIDIALowering::getMaxAtomicElements(AtomicOperation operation, Type *type) const {
  if (computeCapability < 90 || operation != AtomicOperation::FAdd)
    return 1;
  return type->isFloatTy() ? 4 : type->isHalfTy() || type->isBFloatTy() ? 8 : 1;
}

Value *NVIDIALowering::atomicReadModifyWrite(Builder &b, AtomicOperation operation, Value *pointer,
                                             Value *value, Value *predicate, AtomicOrder order,
                                             AtomicScope scope, bool isResultWanted) const {
  Type *type = value->getType()->getScalarType();
  unsigned bits = bitsOf(type);
  if (bits < 32 && operation != AtomicOperation::FAdd)
    return nullptr;
  std::string kind, width = std::to_string(bits);
  switch (operation) {
  case AtomicOperation::And:
    kind = ".and.b" + width;
    break;
  case AtomicOperation::Or:
    kind = ".or.b" + width;
    break;
  case AtomicOperation::Xor:
    kind = ".xor.b" + width;
    break;
  case AtomicOperation::Add:
    kind = ".add.u" + width;
    break;
  case AtomicOperation::FAdd:
    if (type->isBFloatTy() && computeCapability < 90)
      return nullptr;
    kind = type->isHalfTy() ? ".add.noftz.f16" : type->isBFloatTy() ? ".add.noftz.bf16" : ".add.f" + width;
    break;
  case AtomicOperation::Max:
    kind = ".max.s" + width;
    break;
  case AtomicOperation::Min:
    kind = ".min.s" + width;
    break;
  case AtomicOperation::UMax:
    kind = ".max.u" + width;
    break;
  case AtomicOperation::UMin:
    kind = ".min.u" + width;
    break;
  case AtomicOperation::Exchange:
    kind = ".exch.b" + width;
    break;
  }
  // Without a result nobody waits for memory. There is no such access that acquires, nor an exchange.
  bool isReduction = !isResultWanted && operation != AtomicOperation::Exchange &&
                     (order == AtomicOrder::Relaxed || order == AtomicOrder::Release);
  std::string opcode = (isReduction ? "red.global" : "atom.global") + orderAndScope(order, scope) + kind;
  if (auto *vector = dyn_cast<FixedVectorType>(value->getType())) {
    // `.add.noftz.v4.f16`, but `.add.v4.f32`
    std::string count = ".v" + std::to_string(vector->getNumElements());
    opcode.insert(opcode.rfind('.'), count);
    requirePTX(b, 81);
  }
  if (isReduction) {
    reduceAsm(b, opcode, pointer, value, predicate);
    return PoisonValue::get(value->getType());
  }
  return atomicAsm(b, opcode, pointer, {value}, predicate);
}

Value *NVIDIALowering::atomicCompareExchange(Builder &b, Value *pointer, Value *expected, Value *value,
                                             Value *predicate, AtomicOrder order, AtomicScope scope) const {
  unsigned bits = bitsOf(value->getType());
  if (bits < 16)
    return nullptr;
  return atomicAsm(b, "atom.global" + orderAndScope(order, scope) + ".cas.b" + std::to_string(bits), pointer,
                   {expected, value}, predicate);
}

void NVIDIALowering::storeShared(Builder &b, Value *value, Value *pointer, Value *predicate) const {
  if (!predicate)
    return TargetLowering::storeShared(b, value, pointer, nullptr);
  storeAsm(b, "st.shared", toBits(b, value), pointer, predicate);
}

} // namespace nereid::nvidia
