// See LargeTiles.h.
#include "compiler/lowering/gpu/LargeTiles.h"

#include "compiler/lowering/gpu/CountedLoop.h"
#include "compiler/transforms/ScratchMemory.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/Metadata.h"

using namespace mlir;

namespace nereid::gpu {

/// More branches than this, one behind the other, are a loop instead: 512 atomic additions in a row take two
/// minutes to compile for gfx942, 512 prints 20 s.
static constexpr unsigned manyBranches = 128;

/// A product whose sums and factors are more than this, taken together, would keep a good part of them in
/// memory anyway, and LLVM takes minutes for gfx942 to choose which. There everything larger than a few sums
/// is a loop.
static constexpr unsigned manyOfProduct = 384, fewSums = 128;

/// Operations that are a branch an element, on some GPUs at least.
static bool branches(Operation *op) { return isa<tt::AtomicRMWOp, tt::AtomicCASOp, tt::PrintOp>(op); }

LargeTiles::LargeTiles(Emitter &emitter, tt::FuncOp function) : e(emitter) {
  // Tiles go from function to function in registers.
  auto is = [&](Type type) { return isLarge(type); };
  auto any = [&](llvm::function_ref<bool(Operation *)> holds) {
    auto find = [&](Operation *op) { return holds(op) ? WalkResult::interrupt() : WalkResult::advance(); };
    return function.walk(find).wasInterrupted();
  };
  auto areAllLoops = [&] {
    return llvm::none_of(function.getArgumentTypes(), is) && llvm::none_of(function.getResultTypes(), is) &&
           !any([&](Operation *op) { return concerns(op) && !hasLoops(op); });
  };
  limit = manyBranches;
  if (any([&](Operation *op) { return branches(op) && concerns(op); }) && areAllLoops())
    return;
  auto hasMany = [&](Operation *op) {
    auto product = dyn_cast<tt::DotOp>(op);
    return product && !isMatrixUnitProduct(product) &&
           e.countRegisters(product.getType()) +
                   e.countRegisters(getProductSource(product.getA()).getType()) +
                   e.countRegisters(getProductSource(product.getB()).getType()) >
               manyOfProduct;
  };
  limit = fewSums;
  if (any(hasMany) && areAllLoops())
    return;
  limit = getManyRegisters(function);
  if (!areAllLoops())
    limit = maxStraightElements;
}

bool LargeTiles::isLarge(Type type) { return isa<RankedTensorType>(type) && e.countRegisters(type) > limit; }

bool LargeTiles::concerns(Operation *op) {
  auto is = [&](Type type) { return isLarge(type); };
  // What a product takes is not what its operands' layouts would give each thread.
  if (auto product = dyn_cast<tt::DotOp>(op))
    return is(getProductSource(product.getA()).getType()) || is(getProductSource(product.getB()).getType()) ||
           is(product.getType());
  return llvm::any_of(op->getOperandTypes(), is) || llvm::any_of(op->getResultTypes(), is);
}

bool LargeTiles::hasLoops(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() && !isa<tt::ReturnOp>(op))
    return true;
  // Lanes would exchange elements in too many rounds; and memory is there for a part of the tile, or for all
  // of it from registers.
  if (auto conversion = dyn_cast<ttg::ConvertLayoutOp>(op)) {
    ConversionPlan::Kind kind = planConversion(conversion).kind;
    return isForScalarProducts(conversion) || getConversionPart(conversion) ||
           (kind != ConversionPlan::Kind::Lanes && kind != ConversionPlan::Kind::Shared);
  }
  if (auto gather = dyn_cast<tt::GatherOp>(op))
    return getGatherPart(gather).has_value();
  // All elements would go to other threads through shared memory at once.
  if (isa<tt::AtomicRMWOp, tt::AtomicCASOp, tt::LoadOp>(op))
    return !isHandedAround(op);
  if (auto histogram = dyn_cast<tt::HistogramOp>(op))
    return !isLarge(histogram.getResult());
  if (auto assembly = dyn_cast<tt::ElementwiseInlineAsmOp>(op))
    return llvm::isPowerOf2_32(assembly.getPackedElement());
  if (auto product = dyn_cast<tt::DotOp>(op))
    return !isMatrixUnitProduct(product);
  return e.state.table.findElementwise(op->getName()) ||
         isa<tt::PrintOp, tt::AssertOp, arith::ConstantOp, ub::PoisonOp, tt::SplatOp, tt::BroadcastOp,
             tt::ExpandDimsOp, tt::TransOp, tt::ReshapeOp, tt::SplitOp, tt::JoinOp, tt::MakeRangeOp,
             tt::StoreOp, tt::ReduceOp, tt::ScanOp, scf::ForOp, scf::IfOp, scf::WhileOp>(op);
}

LogicalResult LargeTiles::refuseIfUnsupported(Operation *op) {
  if (hasLoops(op))
    return success();
  llvm::SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  // A product's operands are not in registers in the layout that they are given for it.
  if (auto product = dyn_cast<tt::DotOp>(op))
    types = {getProductSource(product.getA()).getType(), getProductSource(product.getB()).getType(),
             product.getType()};
  RankedTensorType largest;
  for (Type type : types)
    if (isLarge(type) && (!largest || e.countRegisters(type) > e.countRegisters(largest)))
      largest = cast<RankedTensorType>(type);
  std::string shape;
  for (int64_t size : largest.getShape())
    shape += (shape.empty() ? "" : "x") + std::to_string(size);
  return op->emitError() << "'" << op->getName() << "' of a tile of " << shape
                         << " elements gives each thread " << e.countRegisters(largest) << ", more than the "
                         << maxStraightElements
                         << " that are supported of this operation: take a smaller tile or more warps";
}

//===- Giving values -----------------------------------------------------===//

void LargeTiles::setUniform(Value value, llvm::Value *element) {
  uniform[value] = element;
  e.set(value, Registers());
}

void LargeTiles::spillSmallOperands(ValueRange operands) {
  for (Value operand : operands) {
    if (!isa<RankedTensorType>(operand.getType()) || isLarge(operand))
      continue;
    const Registers registers = e.get(operand);
    if (llvm::all_equal(registers))
      continue;
    llvm::Value *&slot = spilled[operand];
    if (!slot)
      slot = createSlot(operand.getType(), registers.size());
    for (unsigned reg = 0; reg < registers.size(); ++reg)
      storeTo(slot, operand.getType(), {reg}, registers[reg]);
  }
}

LogicalResult LargeTiles::defer(Operation *op) {
  spillSmallOperands(op->getOperands());
  Value result = op->getResult(0);
  deferred.insert(result);
  e.set(result, Registers());
  // Arithmetic that several users would repeat is done once; indices and pointers are cheap.
  bool isCheap = !isa<FloatType>(getElementTypeOrSelf(result.getType())) || result.hasOneUse();
  if (isCheap && isPure(op))
    return success();
  FailureOr<llvm::Value *> slot = evaluate(result);
  if (failed(slot))
    return failure();
  deferred.erase(result);
  setSlot(result, *slot);
  return success();
}

LogicalResult LargeTiles::setView(Value value, Value source, RegisterColumns columns, uint32_t start) {
  return give(value, View{source, Value(), std::move(columns), start});
}

LogicalResult LargeTiles::setJoin(Value value, Value left, Value right, RegisterColumns columns) {
  return give(value, View{left, right, std::move(columns), 0});
}

LogicalResult LargeTiles::give(Value value, View view) {
  if (isLarge(value)) {
    spillSmallOperands(view.source);
    if (view.other)
      spillSmallOperands(view.other);
  }
  views[value] = std::move(view);
  if (isLarge(value)) {
    e.set(value, Registers());
    return success();
  }
  Registers registers;
  computed.clear();
  for (uint32_t reg = 0, n = e.countRegisters(value.getType()); reg < n; ++reg) {
    registers.push_back(compute(value, {reg}));
    if (!registers.back())
      return failure();
  }
  computed.clear();
  views.erase(value);
  e.set(value, std::move(registers));
  return success();
}

void LargeTiles::setSlot(Value value, llvm::Value *slot, std::optional<RegisterColumns> columns) {
  slots[value] = Slot{slot, std::move(columns)};
  e.set(value, Registers());
}

void LargeTiles::declare(ValueRange values) {
  for (Value value : values)
    if (isLarge(value))
      setSlot(value, createSlot(value.getType(), e.countRegisters(value.getType())));
}

//===- Slots -------------------------------------------------------------===//

llvm::Value *LargeTiles::createSlot(Type type, unsigned count) {
  llvm::BasicBlock &entry = e.b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> atEntry(&entry, entry.begin());
  llvm::AllocaInst *slot = atEntry.CreateAlloca(llvm::ArrayType::get(e.getMemoryType(type), count));
  slot->setAlignment(llvm::Align(16));
  return slot;
}

llvm::Value *LargeTiles::emit(const RegisterNumber &number) {
  if (!number.dynamic)
    return e.b.getInt32(number.constant);
  if (number.constant == 0)
    return number.dynamic;
  if (number.mask & number.constant)
    return e.b.CreateXor(number.dynamic, number.constant);
  return e.b.CreateOr(number.dynamic, e.b.getInt32(number.constant), "", /*IsDisjoint=*/true);
}

void LargeTiles::storeTo(llvm::Value *slot, Type type, const RegisterNumber &place, llvm::Value *value) {
  llvm::Value *address = e.b.CreateInBoundsGEP(e.getMemoryType(type), slot, emit(place));
  e.b.CreateStore(e.toMemory(value), address);
}

llvm::Value *LargeTiles::loadFrom(llvm::Value *slot, Type type, const RegisterNumber &place) {
  llvm::Value *address = e.b.CreateInBoundsGEP(e.getMemoryType(type), slot, emit(place));
  return e.fromMemory(e.b.CreateLoad(e.getMemoryType(type), address), type);
}

FailureOr<llvm::Value *> LargeTiles::evaluate(Value value) {
  unsigned count = e.countRegisters(value.getType());
  llvm::Value *slot = createSlot(value.getType(), count);
  if (!isLarge(value)) {
    for (auto [reg, element] : llvm::enumerate(e.get(value)))
      storeTo(slot, value.getType(), {uint32_t(reg)}, element);
    return slot;
  }
  LogicalResult done = forEach(0, count, chunk, [&](const RegisterNumber &first) -> LogicalResult {
    for (uint32_t i = 0; i < chunk; ++i) {
      llvm::Value *element = get(value, plus(first, i));
      if (!element)
        return failure();
      storeTo(slot, value.getType(), plus(first, i), element);
    }
    return success();
  });
  if (failed(done))
    return failure();
  return slot;
}

llvm::Value *LargeTiles::findPlainSlot(Value value) {
  for (auto it = aliases.find(value); it != aliases.end(); it = aliases.find(value))
    value = it->second;
  auto it = slots.find(value);
  return it == slots.end() || it->second.columns ? nullptr : it->second.memory;
}

LogicalResult LargeTiles::assign(ValueRange destinations, ValueRange sources) {
  struct Assignment {
    Value destination, source;
    llvm::Value *from; // null: the same element everywhere
  };
  llvm::SmallVector<Assignment> assignments;
  llvm::SmallPtrSet<llvm::Value *, 4> written;
  for (Value destination : destinations)
    if (isLarge(destination))
      written.insert(findPlainSlot(destination));
  for (auto [destination, source] : llvm::zip_equal(destinations, sources)) {
    if (!isLarge(destination) || destination == source)
      continue;
    if (uniform.contains(source)) {
      assignments.push_back({destination, source, nullptr});
      continue;
    }
    // What is in memory that none of these assignments changes may stay there.
    llvm::Value *from = findPlainSlot(source);
    if (!from || written.contains(from)) {
      FailureOr<llvm::Value *> slot = evaluate(source);
      if (failed(slot))
        return failure();
      from = *slot;
    }
    assignments.push_back({destination, source, from});
  }
  for (const Assignment &assignment : assignments) {
    llvm::Value *to = findPlainSlot(assignment.destination);
    Type type = assignment.destination.getType();
    LogicalResult done = forEach(0, e.countRegisters(type), chunk, [&](const RegisterNumber &first) {
      for (uint32_t i = 0; i < chunk; ++i) {
        RegisterNumber place = plus(first, i);
        storeTo(to, type, place,
                assignment.from ? loadFrom(assignment.from, type, place) : get(assignment.source, place));
      }
      return success();
    });
    if (failed(done))
      return failure();
  }
  return success();
}

//===- Loops -------------------------------------------------------------===//

LogicalResult LargeTiles::forEach(unsigned first, unsigned count, unsigned step, Body body) {
  // What was computed outside must not be taken for this round's, nor the other way round.
  auto outside = std::move(computed);
  computed.clear();
  llvm::scope_exit restore([&] { computed = std::move(outside); });
  if (first + step >= count)
    return body({first});
  FailureOr<llvm::BranchInst *> back =
      emitCountedLoop(e, "tile", first, count, step, /*carried=*/{},
                      [&](llvm::Value *number) { return body({0, number, (count - 1) & ~(step - 1)}); });
  if (failed(back))
    return failure();
  // A loop that is unrolled again would be what it stands for.
  llvm::LLVMContext &context = e.b.getContext();
  llvm::MDNode *keep = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  llvm::MDNode *id = llvm::MDNode::getDistinct(context, {nullptr, keep});
  id->replaceOperandWith(0, id);
  (*back)->setMetadata(llvm::LLVMContext::MD_loop, id);
  return success();
}

LogicalResult LargeTiles::forEachOwned(Value value, OwnedBody body) {
  auto [owner, copies] = e.getOwnership(value.getType());
  return forEach(0, e.countRegisters(value.getType()), 1,
                 [&, owner = owner, copies = copies](const RegisterNumber &number) -> LogicalResult {
                   llvm::Value *predicate = owner;
                   if (copies) {
                     llvm::Value *copied = e.b.CreateAnd(emit(number), copies);
                     llvm::Value *isOriginal = e.b.CreateICmpEQ(copied, e.b.getInt32(0));
                     predicate = predicate ? e.b.CreateAnd(predicate, isOriginal) : isOriginal;
                   }
                   return body(number, predicate);
                 });
}

RegisterNumber LargeTiles::map(const RegisterNumber &number, llvm::ArrayRef<uint32_t> columns) {
  RegisterNumber result;
  for (unsigned bit = 0; bit < columns.size(); ++bit)
    if (number.constant >> bit & 1)
      result.constant ^= columns[bit];
  if (!number.dynamic)
    return result;
  // Bits that move by the same distance move together.
  llvm::MapVector<int, uint32_t> moves;
  llvm::SmallVector<unsigned> others;
  for (unsigned bit = 0; bit < columns.size(); ++bit) {
    if (!(number.mask >> bit & 1) || columns[bit] == 0)
      continue;
    result.mask |= columns[bit];
    if (llvm::isPowerOf2_32(columns[bit]))
      moves[int(llvm::Log2_32(columns[bit])) - int(bit)] |= 1u << bit;
    else
      others.push_back(bit);
  }
  llvm::IRBuilder<> &b = e.b;
  auto add = [&](llvm::Value *part) {
    result.dynamic = result.dynamic ? b.CreateXor(result.dynamic, part) : part;
  };
  for (auto [distance, bits] : moves) {
    llvm::Value *part = bits == number.mask ? number.dynamic : b.CreateAnd(number.dynamic, bits);
    if (distance != 0)
      part = distance > 0 ? b.CreateShl(part, distance) : b.CreateLShr(part, -distance);
    add(part);
  }
  for (unsigned bit : others) {
    llvm::Value *isSet = b.CreateICmpNE(b.CreateAnd(number.dynamic, 1u << bit), b.getInt32(0));
    add(b.CreateSelect(isSet, b.getInt32(columns[bit]), b.getInt32(0)));
  }
  return result;
}

llvm::Value *LargeTiles::move(llvm::Value *base, uint32_t threadBits, const RegisterNumber &number,
                              llvm::ArrayRef<uint32_t> columns) {
  RegisterNumber moved = map(number, columns);
  base = e.moveCoordinate(base, threadBits, moved.constant);
  if (!moved.dynamic)
    return base;
  if (moved.mask & (threadBits | moved.constant))
    return e.b.CreateXor(base, moved.dynamic);
  return e.b.CreateOr(base, moved.dynamic, "", /*IsDisjoint=*/true);
}

llvm::Value *LargeTiles::getCoordinate(RankedTensorType type, unsigned dimension,
                                       const RegisterNumber &number) {
  const LinearLayout &layout = e.getLayout(type);
  RegisterColumns columns;
  for (unsigned bit = 0; bit < layout.getInBits(Dim::Register); ++bit)
    columns.push_back(layout.getBasis(Dim::Register, bit, tensorDim(dimension)));
  llvm::Value *base = e.getThreadCoordinates(type)[dimension];
  return move(base, getThreadBits(e.getLayout(type), tensorDim(dimension)), number, columns);
}

llvm::Value *LargeTiles::getFlatIndex(RankedTensorType type, const RegisterNumber &number) {
  llvm::Value *flat = e.b.getInt32(0);
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    flat = e.b.CreateAdd(e.b.CreateMul(flat, e.b.getInt32(size)), getCoordinate(type, d, number));
  return flat;
}

//===- Through shared memory ---------------------------------------------===//

FailureOr<llvm::Value *> LargeTiles::exchangeInParts(Operation *op, Value source, RankedTensorType resultType,
                                                     unsigned part, ElementIndex getIndex) {
  llvm::IRBuilder<> &b = e.b;
  auto sourceType = cast<RankedTensorType>(source.getType());
  Type type = resultType.getElementType();
  unsigned elementBytes = e.getElementBytes(type), resultCount = e.countRegisters(resultType);
  unsigned sourceCount = e.countRegisters(sourceType);
  unsigned sourceStep = std::min(chunk, sourceCount), resultStep = std::min(chunk, resultCount);
  llvm::Value *slot = createSlot(type, resultCount);
  auto [owner, copies] = e.getOwnership(sourceType);
  spillSmallOperands(op->getOperands());
  auto getAddress = [&](llvm::Value *flat) {
    return e.getScratch(op, b.CreateMul(b.CreateAnd(flat, part - 1), b.getInt32(elementBytes)));
  };
  auto isInPart = [&](llvm::Value *flat, const RegisterNumber &number) {
    return b.CreateICmpEQ(b.CreateLShr(flat, llvm::Log2_32(part)), emit(number));
  };
  auto move = [&, owner = owner, copies = copies](const RegisterNumber &number) -> LogicalResult {
    LogicalResult done =
        forEach(0, sourceCount, sourceStep, [&](const RegisterNumber &first) -> LogicalResult {
          for (uint32_t i = 0; i < sourceStep; ++i) {
            if (i & copies)
              continue;
            RegisterNumber place = plus(first, i);
            llvm::Value *flat = getFlatIndex(sourceType, place), *value = get(source, place);
            if (!value)
              return failure();
            llvm::Value *writes = isInPart(flat, number);
            e.target.storeShared(b, e.toMemory(value), getAddress(flat),
                                 owner ? b.CreateAnd(writes, owner) : writes);
          }
          return success();
        });
    if (failed(done))
      return failure();
    e.barrier();
    done = forEach(0, resultCount, resultStep, [&](const RegisterNumber &first) -> LogicalResult {
      for (uint32_t i = 0; i < resultStep; ++i) {
        RegisterNumber place = plus(first, i);
        llvm::Value *flat = getIndex(place);
        if (!flat)
          return failure();
        llvm::Value *loaded = e.fromMemory(
            b.CreateAlignedLoad(e.getMemoryType(type), getAddress(flat), llvm::Align(elementBytes)), type);
        storeTo(slot, type, place,
                b.CreateSelect(isInPart(flat, number), loaded, loadFrom(slot, type, place)));
      }
      return success();
    });
    e.barrier();
    return done;
  };
  if (failed(forEach(0, sourceType.getNumElements() / part, 1, move)))
    return failure();
  return slot;
}

//===- Elements ----------------------------------------------------------===//

llvm::Value *LargeTiles::get(Value value, const RegisterNumber &number) {
  if (!isa<RankedTensorType>(value.getType()))
    return e.getScalar(value);
  for (auto it = aliases.find(value); it != aliases.end(); it = aliases.find(value))
    value = it->second;
  if (auto it = uniform.find(value); it != uniform.end())
    return it->second;
  if (!isLarge(value)) {
    const Registers &registers = e.get(value);
    if (!number.dynamic)
      return registers[number.constant];
    if (llvm::all_equal(registers))
      return registers.front();
    return loadFrom(spilled.find(value)->second, value.getType(), number);
  }
  Key key{value, {number.dynamic, number.constant}};
  if (auto it = computed.find(key); it != computed.end())
    return it->second;
  llvm::Value *element = compute(value, number);
  computed[key] = element;
  return element;
}

llvm::Value *LargeTiles::compute(Value value, const RegisterNumber &number) {
  if (auto it = slots.find(value); it != slots.end()) {
    const Slot &slot = it->second;
    return loadFrom(slot.memory, value.getType(), slot.columns ? map(number, *slot.columns) : number);
  }
  if (auto it = views.find(value); it != views.end()) {
    const View view = it->second;
    RegisterNumber place = plus(map(number, view.columns), view.start);
    if (!view.other)
      return get(view.source, place);
    // The bit above the sources' numbers says which of them it is.
    uint32_t which = e.countRegisters(view.source.getType());
    RegisterNumber inside = place;
    inside.constant &= which - 1;
    inside.mask &= which - 1;
    if (!(place.mask & which))
      return get(place.constant & which ? view.other : view.source, inside);
    inside.dynamic = inside.mask ? e.b.CreateAnd(place.dynamic, which - 1) : nullptr;
    llvm::Value *left = get(view.source, inside), *right = get(view.other, inside);
    if (!left || !right)
      return nullptr;
    llvm::Value *isRight = e.b.CreateICmpNE(e.b.CreateAnd(emit(place), which), e.b.getInt32(0));
    return e.b.CreateSelect(isRight, right, left);
  }
  Operation *op = value.getDefiningOp();
  assert(op && deferred.contains(value) && "large values are given before they are used");
  if (auto range = dyn_cast<tt::MakeRangeOp>(op))
    return e.b.CreateAdd(getCoordinate(cast<RankedTensorType>(value.getType()), 0, number),
                         e.b.getInt32(range.getStart()));
  llvm::SmallVector<llvm::Value *> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(get(operand, number));
    if (!operands.back())
      return nullptr;
  }
  return e.state.table.findElementwise(op->getName())(e, op, operands);
}

} // namespace nereid::gpu
