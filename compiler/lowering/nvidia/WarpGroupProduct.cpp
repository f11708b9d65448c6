// ttng.warp_group_dot: products of four warps together, operands in shared memory (PTX ISA, "Asynchronous
// Warpgroup Level Matrix Multiply-Accumulate Instructions").
//
// The instruction multiplies 64 rows by up to 256 columns, 32 bytes deep, and takes an operand in shared
// memory as a descriptor: where it begins, how far it is from 8 rows to the next, and from one column of
// tiles to the next. In memory of #ttg.nvmma_shared with a swizzle of S bytes, S bytes along the contiguous
// axis make a row of a tile, rows follow each other along the other axis, and columns of tiles lie behind one
// another:
//
//     byte(along, across) = along / S * (rows * S) + across * S + along % S       before swizzling
//
// The hardware swizzles by the address's own bits, so any step along the reduced axis is an addition to the
// address. Where the reduced axis is the contiguous one, 8 rows are 8 S bytes, and columns of tiles are never
// crossed within an instruction; where the other axis is ("transposed" for PTX), the two distances are those
// of 8 steps of the reduced axis, 8 S, and of tiles of S bytes of the other.
//
// All instructions of a product are one group. The accumulator must not be touched until the group is done,
// so the wait passes all of it through.
#include "compiler/dialects/ttg/SharedLayouts.h"
#include "compiler/dialects/ttng/Dialect.h"
#include "compiler/lowering/gpu/MatrixUnitProduct.h"
#include "compiler/lowering/nvidia/NVIDIALowering.h"

#include "mlir/IR/Matchers.h"
#include "llvm/IR/InlineAsm.h"

using namespace mlir;

namespace nereid::nvidia {

using gpu::Emitter;
using gpu::MatrixStep;
using gpu::Registers;
using Element = MatrixStep::Element;

namespace {

/// Rows of the result that one instruction computes, and warps that do it together.
constexpr unsigned groupRows = 64, groupWarps = 4;

/// Emits assembly whose first operands are also its results.
Registers callInPlace(llvm::IRBuilder<> &b, llvm::ArrayRef<llvm::Value *> inPlace, llvm::StringRef text,
                      llvm::ArrayRef<std::pair<llvm::Value *, const char *>> inputs) {
  std::string constraints;
  llvm::SmallVector<llvm::Type *> results, types;
  llvm::SmallVector<llvm::Value *> operands;
  for (llvm::Value *value : inPlace) {
    constraints += value->getType()->isFloatTy() ? "=f," : "=r,";
    results.push_back(value->getType());
  }
  for (auto [value, constraint] : inputs) {
    constraints += std::string(constraint) + ",";
    operands.push_back(value);
  }
  for (auto [i, value] : llvm::enumerate(inPlace)) {
    constraints += std::to_string(i) + ",";
    operands.push_back(value);
  }
  for (llvm::Value *operand : operands)
    types.push_back(operand->getType());
  llvm::Type *result = results.empty()       ? b.getVoidTy()
                       : results.size() == 1 ? results.front()
                                             : llvm::StructType::get(b.getContext(), results);
  auto *assembly = llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false), text,
                                        constraints + "~{memory}", /*hasSideEffects=*/true);
  llvm::CallInst *call = b.CreateCall(assembly, operands);
  call->setConvergent();
  call->setDoesNotThrow();
  Registers values;
  for (unsigned i = 0; i != results.size(); ++i)
    values.push_back(results.size() == 1 ? static_cast<llvm::Value *>(call) : b.CreateExtractValue(call, i));
  return values;
}

/// Sums as the instructions have them: neighbours in f16 share a register.
Registers packSums(llvm::IRBuilder<> &b, llvm::ArrayRef<llvm::Value *> sums) {
  if (sums.empty() || !sums.front()->getType()->isHalfTy())
    return Registers(sums);
  Registers packed;
  for (size_t i = 0; i != sums.size(); i += 2) {
    llvm::Value *pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getHalfTy(), 2));
    pair = b.CreateInsertElement(pair, sums[i], uint64_t(0));
    pair = b.CreateInsertElement(pair, sums[i + 1], uint64_t(1));
    packed.push_back(b.CreateBitCast(pair, b.getInt32Ty()));
  }
  return packed;
}

/// The sums that lie in registers of instructions.
Registers unpackSums(llvm::IRBuilder<> &b, llvm::ArrayRef<llvm::Value *> packed, RankedTensorType type) {
  if (!type.getElementType().isF16())
    return Registers(packed);
  Registers sums;
  for (llvm::Value *word : packed) {
    llvm::Value *pair = b.CreateBitCast(word, llvm::FixedVectorType::get(b.getHalfTy(), 2));
    for (uint64_t i : {0, 1})
      sums.push_back(b.CreateExtractElement(pair, i));
  }
  return sums;
}

/// An operand in shared memory, as the descriptors that PTX calls matrix descriptors: from bit 0 on the
/// address, from 16 on the distance between columns of tiles ("leading dimension"; without effect where the
/// reduced axis is contiguous), from 32 on that from 8 rows to the next ("stride dimension"), all in units of
/// 16 bytes, and from 62 on the swizzle.
class SharedOperand {
public:
  SharedOperand(Emitter &e, Value memory, bool isLeft);

  /// PTX's word for an operand whose contiguous axis is not the reduced one.
  bool isTransposed() const { return !reducedIsContiguous; }
  /// Moves the operand on by `count` times as many rows (or columns).
  void advance(llvm::Value *count, uint32_t kept) {
    // Some steps lie within one column of tiles, and the next then in another one.
    uint32_t stepsInside = reducedIsContiguous ? 1 : std::max(1u, swizzle / (kept * elementBytes));
    llvm::Value *columns = b.CreateLShr(count, llvm::Log2_32(stepsInside)),
                *inside = b.CreateAnd(count, stepsInside - 1),
                *distance = b.CreateMul(columns, b.getInt32(encode(getKeptBytes(stepsInside * kept))));
    if (stepsInside > 1)
      distance = b.CreateAdd(distance, b.CreateMul(inside, b.getInt32(encode(getKeptBytes(kept)))));
    descriptor = b.CreateAdd(descriptor, b.CreateZExt(distance, b.getInt64Ty()));
  }
  /// The descriptor of the part that begins at `kept` (row or column) and `reduced`. All of them are a
  /// constant away from each other, which keeps them in uniform registers.
  llvm::Value *getDescriptor(uint32_t kept, uint32_t reduced) {
    uint32_t bytes = getKeptBytes(kept);
    if (reducedIsContiguous)
      bytes += reduced * elementBytes / swizzle * columnBytes + reduced * elementBytes % swizzle;
    else
      bytes += reduced * swizzle;
    return b.CreateAdd(descriptor, b.getInt64(encode(bytes)));
  }

private:
  static constexpr uint32_t addressMask = 0x3ffff;
  /// Addresses and distances as descriptors have them, in units of 16 bytes.
  static uint32_t encode(uint32_t bytes) { return (bytes & addressMask) >> 4; }
  /// How many bytes further an element lies whose row (or column) is `kept` higher, in whole tiles.
  uint32_t getKeptBytes(uint32_t kept) const;

  llvm::IRBuilder<> &b;
  unsigned elementBytes, swizzle;
  bool reducedIsContiguous;
  /// From one column of tiles to the next.
  uint32_t columnBytes;
  llvm::Value *descriptor;
};

SharedOperand::SharedOperand(Emitter &e, Value memory, bool isLeft) : b(e.b) {
  auto type = cast<ttg::MemDescType>(memory.getType());
  auto encoding = cast<ttg::NVMMASharedEncodingAttr>(type.getEncoding());
  elementBytes = encoding.getElementBitWidth() / 8;
  swizzle = encoding.getSwizzlingByteWidth();
  reducedIsContiguous = isLeft != encoding.getTransposed();
  llvm::ArrayRef<int64_t> shape = type.getAllocShape().take_back(2);
  columnBytes = shape[encoding.getTransposed() ? 1 : 0] * swizzle;
  const Registers &registers = e.get(memory);
  llvm::Value *offset = b.CreateAdd(registers[0], b.CreateMul(registers[1], b.getInt32(elementBytes)));
  llvm::Value *address = b.CreatePtrToInt(e.getSharedAddress(offset), b.getInt32Ty());
  uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
  uint64_t leading = reducedIsContiguous ? 1 : encode(columnBytes), stride = encode(8 * swizzle);
  uint64_t fixed = leading << 16 | stride << 32 | mode << 62;
  llvm::Value *field = b.CreateLShr(b.CreateAnd(address, b.getInt32(addressMask)), 4);
  descriptor = b.CreateOr(b.CreateZExt(field, b.getInt64Ty()), b.getInt64(fixed));
}

uint32_t SharedOperand::getKeptBytes(uint32_t kept) const {
  if (reducedIsContiguous)
    return kept * swizzle;
  uint32_t bytes = kept * elementBytes;
  return bytes / swizzle * columnBytes + bytes % swizzle;
}

llvm::StringRef getName(Element element) {
  switch (element) {
  case Element::F16:
    return "f16";
  case Element::BF16:
    return "bf16";
  case Element::TF32:
    return "tf32";
  case Element::S8:
    return "s8";
  case Element::E4M3:
    return "e4m3";
  case Element::E5M2:
    return "e5m2";
  case Element::F64:
    break;
  }
  llvm_unreachable("warp groups multiply no f64");
}

LogicalResult emitWarpGroupDot(Emitter &e, ttng::WarpGroupDotOp op) {
  llvm::IRBuilder<> &b = e.b;
  RankedTensorType type = op.getType();
  auto mma = cast<ttg::NvidiaMmaEncodingAttr>(type.getEncoding());
  Type leftType = cast<ShapedType>(op.getA().getType()).getElementType(),
       rightType = op.getB().getType().getElementType();
  std::optional<Element> left = gpu::getUnitElement(leftType), right = gpu::getUnitElement(rightType);
  bool hasHalves = type.getElementType().isF16(), isInteger = type.getElementType().isInteger(32);
  bool hasF16Sums = left == Element::F16 || left == Element::E4M3 || left == Element::E5M2;
  bool sumsAreSupported = type.getElementType().isF32() || isInteger || (hasHalves && hasF16Sums);
  if (!left || !right || *left == Element::F64 || !sumsAreSupported)
    return op.emitError("this product is not one of a warp group's");
  for (Value operand : {op.getA(), Value(op.getB())})
    if (auto memory = dyn_cast<ttg::MemDescType>(operand.getType())) {
      auto encoding = dyn_cast<ttg::NVMMASharedEncodingAttr>(memory.getEncoding());
      if (!encoding || encoding.getSwizzlingByteWidth() == 0)
        return op.emitError() << "an operand in memory with the layout " << memory.getEncoding()
                              << " can't be multiplied by a warp group";
    }
  MatrixStep step{*left, *right};
  unsigned perRegister = step.getElementsPerRegister(), stepDepth = 8 * perRegister;
  unsigned columns = mma.getInstrShape()[1], elements = columns / 2,
           registers = hasHalves ? elements / 2 : elements;
  uint32_t depth = cast<ShapedType>(op.getA().getType()).getDimSize(1);

  // Warps stand below each other first; four of them make a group. That all lanes agree on its number is not
  // to be seen from the thread's number: a shuffle says so.
  unsigned groupsDown = std::max(1u, mma.getWarpsPerCTA()[0] / groupWarps),
           groupsAcross = mma.getWarpsPerCTA()[1];
  llvm::Value *group = nullptr;
  if (groupsDown * groupsAcross > 1)
    group = b.CreateLShr(e.target.shuffleIndexI32(b, e.warpId(), b.getInt32(0)), b.getInt32(2));

  std::optional<SharedOperand> leftMemory;
  std::optional<gpu::OperandFragments> leftRegisters;
  if (auto tensor = dyn_cast<TypedValue<RankedTensorType>>(op.getA())) {
    leftRegisters.emplace(e, tensor, /*isLeft=*/true, perRegister);
  } else {
    leftMemory.emplace(e, op.getA(), /*isLeft=*/true);
    if (groupsDown > 1)
      leftMemory->advance(b.CreateAnd(group, b.getInt32(groupsDown - 1)), groupRows);
  }
  SharedOperand rightMemory(e, op.getB(), /*isLeft=*/false);
  if (groupsAcross > 1)
    rightMemory.advance(b.CreateLShr(group, b.getInt32(llvm::Log2_32(groupsDown))), columns);

  std::string name = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) + "k" +
                     std::to_string(stepDepth) +
                     (isInteger   ? ".s32."
                      : hasHalves ? ".f16."
                                  : ".f32.") +
                     getName(*left).str() + "." + getName(*right).str();
  // Sums that begin at zero need no registers filled with zeros: the first instruction does not read any.
  bool startsAtZero = matchPattern(op.getC(), m_PosZeroFloat()) || matchPattern(op.getC(), m_Zero());
  llvm::Value *usesSum = b.getInt32(startsAtZero ? 0 : 1);
  if (op.getUseC() && !startsAtZero)
    usesSum = b.CreateZExt(e.getScalar(op.getUseC()), b.getInt32Ty());

  // All operands first: whatever stands between the instructions of a group makes the hardware wait for each.
  Registers sums = packSums(b, e.get(op.getC()));
  if (startsAtZero)
    for (llvm::Value *&sum : sums)
      sum = op.addsInParts() ? llvm::Constant::getNullValue(sum->getType())
                             : llvm::PoisonValue::get(sum->getType());
  gpu::RegisterIndex index(e.getLayout(type), type.getShape());
  using Inputs = llvm::SmallVector<std::pair<llvm::Value *, const char *>, 6>;
  llvm::SmallVector<Inputs> inputs;
  for (unsigned first = 0; first != e.get(op.getC()).size(); first += elements) {
    uint32_t row = index.coordinates(first)[0], column = index.coordinates(first)[1];
    for (uint32_t reduced = 0; reduced != depth; reduced += stepDepth) {
      Inputs &of = inputs.emplace_back();
      if (leftMemory)
        of.push_back({leftMemory->getDescriptor(row, reduced), "l"});
      else
        for (uint32_t half : {0u, stepDepth / 2})
          for (uint32_t down : {0u, 8u})
            of.push_back({leftRegisters->get(0, row + down, reduced + half), "r"});
      of.push_back({rightMemory.getDescriptor(column, reduced), "l"});
      // A constant is part of the instruction, so that no register is loaded with it in between.
      llvm::Value *adds = reduced ? b.getInt32(1) : usesSum;
      of.push_back({adds, isa<llvm::ConstantInt>(adds) ? "n" : "r"});
    }
  }
  std::string sumsText = "{";
  for (unsigned i = 0; i != registers; ++i)
    sumsText += (i ? ", $" : "$") + std::to_string(i);
  sumsText += "}";
  auto word = [&](unsigned i) { return "$" + std::to_string(registers + i); };
  unsigned leftWords = leftMemory ? 1 : 4;
  std::string leftText = word(0);
  if (!leftMemory)
    leftText = "{" + word(0) + ", " + word(1) + ", " + word(2) + ", " + word(3) + "}";
  std::string text = "{ .reg .pred p; setp.ne.b32 p, " + word(leftWords + 1) + ", 0; " + name + " " +
                     sumsText + ", " + leftText + ", " + word(leftWords) + ", p";
  if (!isInteger)
    text += ", 1, 1";
  if (*left == Element::F16 || *left == Element::BF16) {
    if (leftMemory)
      text += leftMemory->isTransposed() ? ", 1" : ", 0";
    text += rightMemory.isTransposed() ? ", 1" : ", 0";
  }
  text += "; }";

  unsigned steps = depth / stepDepth;
  // Adds the products of some steps to sums, as one group.
  auto multiply = [&](Registers &to, unsigned begin, unsigned end) {
    for (unsigned tile = 0; tile != to.size() / registers; ++tile)
      for (unsigned i = begin; i != end; ++i) {
        llvm::Value **part = to.begin() + tile * registers;
        Registers result = callInPlace(b, llvm::ArrayRef(part, registers), text, inputs[tile * steps + i]);
        std::copy(result.begin(), result.end(), part);
      }
    callInPlace(b, {}, "wgmma.commit_group.sync.aligned;", {});
  };
  if (op.addsInParts()) {
    if (op.getUseC())
      for (llvm::Value *&sum : sums)
        sum = b.CreateSelect(e.getScalar(op.getUseC()), sum, llvm::Constant::getNullValue(sum->getType()));
    unsigned stepsOfPart = std::max(1u, op.getMaxNumImpreciseAcc() / stepDepth);
    for (unsigned begin = 0; begin < steps; begin += stepsOfPart) {
      Registers part(sums.size(), llvm::PoisonValue::get(sums.front()->getType()));
      // The first step of a part has no sum to add to.
      for (unsigned tile = 0; tile != sums.size() / registers; ++tile)
        inputs[tile * steps + begin].back() = {b.getInt32(0), "n"};
      callInPlace(b, {}, "wgmma.fence.sync.aligned;", {});
      multiply(part, begin, std::min(steps, begin + stepsOfPart));
      part = callInPlace(b, part, "wgmma.wait_group.sync.aligned 0;", {});
      for (auto [sum, added] : llvm::zip_equal(sums, part))
        sum = b.CreateFAdd(sum, added);
    }
    e.set(op.getResult(), std::move(sums));
    return success();
  }
  // What was written to the sums' registers must be behind the fence, moves from elsewhere as well: they pass
  // through it.
  if (startsAtZero)
    callInPlace(b, {}, "wgmma.fence.sync.aligned;", {});
  else
    sums = callInPlace(b, sums, "wgmma.fence.sync.aligned;", {});
  multiply(sums, 0, steps);
  if (!op.getIsAsync())
    sums = callInPlace(b, sums, "wgmma.wait_group.sync.aligned 0;", {});
  e.set(op.getResult(), unpackSums(b, sums, type));
  return success();
}

LogicalResult emitWarpGroupDotWait(Emitter &e, ttng::WarpGroupDotWaitOp op) {
  Registers all;
  for (Value input : op.getInputs())
    if (isa<RankedTensorType>(input.getType()))
      llvm::append_range(all, packSums(e.b, e.get(input)));
  all = callInPlace(e.b, all, "wgmma.wait_group.sync.aligned " + std::to_string(op.getPendings()) + ";", {});
  size_t next = 0;
  for (auto [input, output] : llvm::zip_equal(op.getInputs(), op.getOutputs())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type) {
      e.set(output, e.get(input));
      continue;
    }
    size_t count = e.get(input).size() / (type.getElementType().isF16() ? 2 : 1);
    e.set(output, unpackSums(e.b, llvm::ArrayRef(all).slice(next, count), type));
    next += count;
  }
  return success();
}

LogicalResult emitFence(Emitter &e, ttng::FenceAsyncSharedOp op) {
  callInPlace(e.b, {}, op.getGlobal() ? "fence.proxy.async;" : "fence.proxy.async.shared::cta;", {});
  return success();
}

} // namespace

void NVIDIALowering::addEmitters(gpu::EmitterTable &table) const {
  table.add<ttng::WarpGroupDotOp, emitWarpGroupDot>();
  table.add<ttng::WarpGroupDotWaitOp, emitWarpGroupDotWait>();
  table.add<ttng::FenceAsyncSharedOp, emitFence>();
  if (computeCapability >= 90)
    gpu::addTileCopyEmitters(table);
}

} // namespace nereid::nvidia
