// tt.dot on the GPU's ordinary arithmetic, for all types and targets: what matrix units do not do.
//
// Both operands go to shared memory, k by k (ProductScratch in ScratchMemory.h). Then each thread, which has
// a few rows and columns of the result, steps along k and adds, for its rows m and columns n, all
// a[m, k] * b[k, n]:
//
//     for k:   a0..a3 = left[k][m .. m+3];   b0..b3 = right[k][n .. n+3]
//              d00 += a0 * b0;  …  d33 += a3 * b3
//
// Rows (and columns) that are neighbours are loaded as one vector. The sum is kept in f32 for narrower
// numbers and rounded once, at the end; integers add up in i32.
//
// The sums of a large tile (LargeTiles.h) lie in the thread's memory, and a loop takes a part of them at a
// time into registers: a square of rows and columns, whose numbers are those of its first register and
// constants.
#include "compiler/lowering/gpu/CountedLoop.h"
#include "compiler/lowering/gpu/FloatFormats.h"
#include "compiler/lowering/gpu/LargeTiles.h"
#include "compiler/lowering/gpu/MatrixUnitProduct.h"
#include "compiler/transforms/ScratchMemory.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

/// What a thread computes at a time: the registers of the result whose numbers are the exclusive or of
/// `start` and one of `registers`.
struct ResultPart {
  RegisterNumber start;
  llvm::SmallVector<uint32_t> registers;
};

/// For each bit of a register's number, what it contributes to the coordinate along an axis.
RegisterColumns getColumns(const LinearLayout &layout, unsigned axis) {
  RegisterColumns columns;
  for (unsigned bit = 0; bit < layout.getInBits(Dim::Register); ++bit)
    columns.push_back(layout.getBasis(Dim::Register, bit, tensorDim(axis)));
  return columns;
}

uint32_t apply(llvm::ArrayRef<uint32_t> columns, uint32_t number) {
  uint32_t result = 0;
  for (unsigned bit = 0; bit < columns.size(); ++bit)
    if (number >> bit & 1)
      result ^= columns[bit];
  return result;
}

/// One operand, in shared memory.
class Operand {
public:
  /// `isLeft`: the left one, of whose axes the second to last stays; otherwise the last one stays.
  Operand(Emitter &e, tt::DotOp op, bool isLeft);

  /// Writes the operand into shared memory: the part of it from k = `first` on.
  LogicalResult write(llvm::Value *first);
  /// Finds out what this thread reads in each step for a part of the result: what does not change of it.
  void prepareReads(const ResultPart &part);
  /// Reads the thread's elements for one k, in the type in which they are multiplied.
  void read(llvm::Value *k, llvm::Type *type);
  /// Of those, the one for a register of the part.
  llvm::Value *get(unsigned i) const { return elements[elementOf[i]]; }

private:
  struct Access {
    llvm::Value *address; // for k = 0
    unsigned width;
  };
  /// In bytes.
  llvm::Value *getOffset(llvm::Value *batch, llvm::Value *k, llvm::Value *position) const;

  Emitter &e;
  llvm::IRBuilder<> &b;
  tt::DotOp op;
  TypedValue<RankedTensorType> source;
  ProductScratch::Side side;
  unsigned rank, kept, reduced;
  /// How many k are in shared memory at a time.
  int64_t depth;
  Type storedType;

  llvm::SmallVector<Access> accesses;
  llvm::SmallVector<unsigned> elementOf;
  Registers elements;
};

Operand::Operand(Emitter &e, tt::DotOp op, bool isLeft)
    : e(e), b(e.b), op(op), source(getProductSource(isLeft ? op.getA() : op.getB())) {
  ProductScratch scratch = getProductScratch(op);
  side = isLeft ? scratch.left : scratch.right;
  rank = source.getType().getRank();
  kept = isLeft ? rank - 2 : rank - 1;
  reduced = isLeft ? rank - 1 : rank - 2;
  depth = scratch.depth;
  storedType = source.getType().getElementType();
  if (isSmallFloat(storedType))
    storedType = Float16Type::get(op.getContext());
}

llvm::Value *Operand::getOffset(llvm::Value *batch, llvm::Value *k, llvm::Value *position) const {
  llvm::Value *step = batch ? b.CreateAdd(b.CreateMul(batch, b.getInt32(depth)), k) : k;
  llvm::Value *element = b.CreateAdd(b.CreateMul(step, b.getInt32(side.pitch)), position);
  return b.CreateAdd(b.CreateMul(element, b.getInt32(side.elementBytes)), b.getInt32(side.begin));
}

LogicalResult Operand::write(llvm::Value *first) {
  bool isWhole = depth == source.getType().getDimSize(reduced);
  // The element's k in shared memory, and whether it is there.
  auto getStep = [&](llvm::Value *k) { return isWhole ? k : b.CreateSub(k, first); };
  auto isInPart = [&](llvm::Value *step, llvm::Value *predicate) {
    if (isWhole)
      return predicate;
    llvm::Value *isThere = b.CreateICmpULT(step, b.getInt32(depth));
    return predicate ? b.CreateAnd(predicate, isThere) : isThere;
  };
  auto store = [&](llvm::ArrayRef<llvm::Value *> coordinates, llvm::Value *step, llvm::Value *value,
                   llvm::Value *predicate) {
    llvm::Value *offset = getOffset(rank == 3 ? coordinates[0] : nullptr, step, coordinates[kept]);
    if (isa<FloatType>(storedType))
      value = convertFloat(e, value, source.getType().getElementType(), storedType);
    e.target.storeShared(b, e.toMemory(value), e.getScratch(op, offset), predicate);
  };
  LargeTiles &large = e.large();
  if (large.isLarge(source))
    return large.forEachOwned(source,
                              [&](const RegisterNumber &number, llvm::Value *predicate) -> LogicalResult {
                                llvm::Value *value = large.get(source, number);
                                if (!value)
                                  return failure();
                                Registers coordinates;
                                for (unsigned axis = 0; axis < rank; ++axis)
                                  coordinates.push_back(large.getCoordinate(source.getType(), axis, number));
                                llvm::Value *step = getStep(coordinates[reduced]);
                                store(coordinates, step, value, isInPart(step, predicate));
                                return success();
                              });

  // Elements with the same k are in shared memory together, or not: one branch for all.
  auto [owner, copies] = e.getOwnership(source.getType());
  llvm::SmallVector<Registers> coordinates = e.getCoordinates(source.getType());
  RegisterIndex index(e.getLayout(source.getType()), source.getType().getShape());
  llvm::MapVector<uint32_t, llvm::SmallVector<unsigned>> registersOf;
  for (unsigned reg = 0; reg < coordinates.size(); ++reg)
    if (!(reg & copies))
      registersOf[index.coordinates(reg)[reduced]].push_back(reg);
  for (auto &[k, registers] : registersOf) {
    llvm::Value *step = getStep(coordinates[registers.front()][reduced]), *predicate = isInPart(step, owner);
    llvm::BasicBlock *after = nullptr;
    if (predicate && registers.size() > 1) {
      llvm::BasicBlock *there = e.createBlock("factor");
      after = e.createBlock("factor.end");
      b.CreateCondBr(predicate, there, after);
      b.SetInsertPoint(there);
      predicate = nullptr;
    }
    for (unsigned reg : registers)
      store(coordinates[reg], step, e.get(source)[reg], predicate);
    if (after) {
      b.CreateBr(after);
      b.SetInsertPoint(after);
    }
  }
  return success();
}

void Operand::prepareReads(const ResultPart &part) {
  RankedTensorType type = op.getType();
  const LinearLayout &layout = e.getLayout(type);
  RegisterColumns toPosition = getColumns(layout, kept), toBatch = getColumns(layout, 0);
  auto batchOf = [&](uint32_t number) { return rank == 3 ? apply(toBatch, number) : 0; };
  // Where the part begins, and the bits of that which are only known when the kernel runs.
  auto getPlace = [&](unsigned axis, llvm::ArrayRef<uint32_t> columns) {
    uint32_t unknown = getThreadBits(layout, tensorDim(axis));
    for (unsigned bit = 0; bit < columns.size(); ++bit)
      if (part.start.mask >> bit & 1)
        unknown |= columns[bit];
    return std::pair(e.large().getCoordinate(type, axis, part.start), unknown);
  };
  auto [place, unknownBits] = getPlace(kept, toPosition);
  std::pair<llvm::Value *, uint32_t> batchPlace;
  if (rank == 3)
    batchPlace = getPlace(0, toBatch);

  // The batches and positions that the part needs, each once.
  llvm::MapVector<uint32_t, llvm::SetVector<uint32_t>> needed;
  for (uint32_t reg : part.registers)
    needed[batchOf(reg)].insert(apply(toPosition, reg));

  // Neighbours in vectors as long as all positions allow.
  constexpr unsigned maxVectorBytes = 16;
  unsigned width = std::max(1u, maxVectorBytes / side.elementBytes);
  auto hasVectorOf = [&](const llvm::SetVector<uint32_t> &positions, uint32_t position) {
    for (unsigned i = 0; i < width; ++i)
      if (!positions.contains((position & ~(width - 1)) | i))
        return false;
    return true;
  };
  auto fits = [&, unknown = unknownBits] {
    if (unknown & (width - 1))
      return false;
    return llvm::all_of(needed, [&](const auto &entry) {
      return llvm::all_of(entry.second,
                          [&](uint32_t position) { return hasVectorOf(entry.second, position); });
    });
  };
  while (width > 1 && !fits())
    width /= 2;

  accesses.clear();
  elementOf.clear();
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, unsigned> numbers;
  for (auto &[batch, positions] : needed) {
    for (uint32_t position : positions) {
      if (position & (width - 1))
        continue;
      for (unsigned i = 0; i < width; ++i)
        numbers[{batch, position | i}] = accesses.size() * width + i;
      llvm::Value *offset =
          getOffset(rank == 3 ? e.moveCoordinate(batchPlace.first, batchPlace.second, batch) : nullptr,
                    b.getInt32(0), e.moveCoordinate(place, unknownBits, position));
      accesses.push_back({e.getScratch(op, offset), width});
    }
  }
  for (uint32_t reg : part.registers)
    elementOf.push_back(numbers.lookup({batchOf(reg), apply(toPosition, reg)}));
}

void Operand::read(llvm::Value *k, llvm::Type *type) {
  llvm::Type *memoryType = e.getMemoryType(storedType);
  llvm::Value *step = b.CreateMul(k, b.getInt32(side.pitch * side.elementBytes));
  elements.clear();
  for (const Access &access : accesses) {
    llvm::Type *accessType =
        access.width == 1 ? memoryType : llvm::FixedVectorType::get(memoryType, access.width);
    llvm::Value *loaded =
        b.CreateAlignedLoad(accessType, b.CreateInBoundsGEP(b.getInt8Ty(), access.address, step),
                            llvm::Align(access.width * side.elementBytes));
    for (unsigned i = 0; i < access.width; ++i) {
      llvm::Value *element =
          e.fromMemory(access.width == 1 ? loaded : b.CreateExtractElement(loaded, i), storedType);
      elements.push_back(type->isFloatingPointTy() ? b.CreateFPExt(element, type)
                                                   : b.CreateSExt(element, type));
    }
  }
}

} // namespace

/// The type in which products add up; null if there is none for these operands.
static Type getSumType(tt::DotOp op) {
  Type operand = op.getA().getType().getElementType(), result = op.getType().getElementType();
  Type other = op.getB().getType().getElementType();
  if (isa<FloatType>(operand)) {
    if (operand.isF64() != result.isF64() || other.isF64() != result.isF64())
      return {};
    return result.isF64() ? result : Float32Type::get(op.getContext());
  }
  if (tt::getElementBits(operand) > tt::getElementBits(result))
    return {};
  return tt::getElementBits(result) < 32 ? IntegerType::get(op.getContext(), 32) : result;
}

namespace {

/// A product, with its sums in registers or, of a large tile, in the thread's memory.
class ThreadProduct {
public:
  ThreadProduct(Emitter &e, tt::DotOp op, Type sumType)
      : e(e), b(e.b), op(op), resultType(op.getType().getElementType()), sumType(sumType),
        type(e.convertType(sumType)), left(e, op, /*isLeft=*/true), right(e, op, /*isLeft=*/false),
        count(e.countRegisters(op.getType())), wholeDepth(op.getA().getType().getShape().back()),
        depth(getProductScratch(op).depth),
        copies(e.getLayout(op.getType()).getFreeVariableMask(Dim::Register)) {}

  LogicalResult emit();
  LogicalResult emitLarge();

private:
  llvm::Value *toSum(llvm::Value *value) {
    return isa<FloatType>(sumType) ? convertFloat(e, value, resultType, sumType) : b.CreateSExt(value, type);
  }
  llvm::Value *toResult(llvm::Value *sum) {
    return isa<FloatType>(sumType) ? convertFloat(e, sum, sumType, resultType)
                                   : b.CreateTrunc(sum, e.convertType(resultType));
  }
  /// Adds the products of all k in shared memory to the sums of the part for which reads are prepared.
  void addProducts(Registers &sums);
  /// The bits of a register's number that vary within a part of a large tile, as a mask.
  uint32_t choosePart();

  Emitter &e;
  llvm::IRBuilder<> &b;
  tt::DotOp op;
  Type resultType, sumType;
  llvm::Type *type;
  Operand left, right;
  unsigned count, wholeDepth, depth;
  uint32_t copies;
};

} // namespace

void ThreadProduct::addProducts(Registers &sums) {
  // A few steps in each round, so that the loads of one overlap with the arithmetic of another.
  constexpr unsigned productsARound = 256;
  unsigned steps =
      std::min<unsigned>(depth, llvm::bit_floor(std::max<size_t>(1, productsARound / sums.size())));
  auto addSteps = [&](llvm::Value *counter) {
    for (unsigned step = 0; step < steps; ++step) {
      llvm::Value *k = b.CreateAdd(counter, b.getInt32(step), "", /*HasNUW=*/true, /*HasNSW=*/true);
      left.read(k, type);
      right.read(k, type);
      for (auto [i, sum] : llvm::enumerate(sums)) {
        llvm::Value *x = left.get(i), *y = right.get(i);
        sum = isa<FloatType>(sumType) ? b.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {x, y, sum})
                                      : b.CreateAdd(sum, b.CreateMul(x, y));
      }
    }
    return success();
  };
  (void)emitCountedLoop(e, "product", 0, depth, steps, sums, addSteps); // which does not fail
}

LogicalResult ThreadProduct::emit() {
  ResultPart all;
  Registers sums;
  llvm::SmallVector<unsigned> indexOf;
  for (uint32_t reg = 0; reg < count; ++reg) {
    indexOf.push_back(reg & copies ? indexOf[reg & ~copies] : sums.size());
    if (reg & copies)
      continue;
    all.registers.push_back(reg);
    sums.push_back(toSum(e.get(op.getC())[reg]));
  }
  left.prepareReads(all);
  right.prepareReads(all);
  for (unsigned first = 0; first < wholeDepth; first += depth) {
    if (first)
      e.barrier(); // All have read the part before.
    if (failed(left.write(b.getInt32(first))) || failed(right.write(b.getInt32(first))))
      return failure();
    e.barrier();
    addProducts(sums);
  }
  Registers results;
  for (unsigned index : indexOf)
    results.push_back(toResult(sums[index]));
  e.set(op.getResult(), std::move(results));
  return success();
}

uint32_t ThreadProduct::choosePart() {
  constexpr unsigned bitsOfAxis = 3, mostBits = 2 * bitsOfAxis;
  const LinearLayout &layout = e.getLayout(op.getType());
  unsigned rank = op.getType().getRank(), bits = layout.getInBits(Dim::Register), chosenBits = 0;
  uint32_t chosen = 0;
  // Both axes as far as they go, and then whatever there is.
  for (unsigned axis : {rank - 1, rank - 2, rank}) {
    unsigned ofAxis = 0;
    for (unsigned bit = 0; bit < bits && chosenBits < mostBits; ++bit) {
      bool isAlong = axis == rank || layout.getBasis(Dim::Register, bit, tensorDim(axis));
      if (!isAlong || (copies | chosen) >> bit & 1 || (axis != rank && ofAxis == bitsOfAxis))
        continue;
      chosen |= 1u << bit;
      ++chosenBits;
      ++ofAxis;
    }
  }
  return chosen;
}

LogicalResult ThreadProduct::emitLarge() {
  LargeTiles &large = e.large();
  Value addend = op.getC();
  unsigned chunk = std::min(LargeTiles::chunk, count);
  llvm::Value *sums = large.createSlot(sumType, count);
  auto forEachRegister = [&](llvm::function_ref<LogicalResult(const RegisterNumber &)> body) {
    return large.forEach(0, count, chunk, [&](const RegisterNumber &first) {
      for (uint32_t i = 0; i < chunk; ++i)
        if (failed(body(LargeTiles::plus(first, i))))
          return failure();
      return success();
    });
  };
  // One element at a time, of a small tile as well.
  auto addIn = [&](const RegisterNumber &number) -> LogicalResult {
    llvm::Value *element = large.get(addend, number);
    if (!element)
      return failure();
    large.storeTo(sums, sumType, number, toSum(element));
    return success();
  };
  if (large.isLarge(addend)) {
    if (failed(forEachRegister(addIn)))
      return failure();
  } else {
    for (uint32_t reg = 0; reg < count; ++reg)
      if (failed(addIn({reg})))
        return failure();
  }

  uint32_t chosen = choosePart();
  llvm::SmallVector<uint32_t> registers;
  RegisterColumns others;
  for (uint32_t reg = 0; reg < count; ++reg)
    if (!(reg & ~chosen))
      registers.push_back(reg);
  for (uint32_t bit = 1; bit < count; bit *= 2)
    if (!((chosen | copies) & bit))
      others.push_back(bit);
  auto addToPart = [&](const RegisterNumber &part) -> LogicalResult {
    RegisterNumber start = large.map(part, others);
    left.prepareReads({start, registers});
    right.prepareReads({start, registers});
    Registers partSums;
    for (uint32_t reg : registers)
      partSums.push_back(large.loadFrom(sums, sumType, LargeTiles::plus(start, reg)));
    addProducts(partSums);
    for (auto [reg, sum] : llvm::zip_equal(registers, partSums))
      large.storeTo(sums, sumType, LargeTiles::plus(start, reg), sum);
    return success();
  };
  auto addDepth = [&](const RegisterNumber &first) -> LogicalResult {
    if (depth < wholeDepth)
      e.barrier(); // All have read the part before.
    llvm::Value *k = large.emit(first);
    if (failed(left.write(k)) || failed(right.write(k)))
      return failure();
    e.barrier();
    return large.forEach(0, 1u << others.size(), 1, addToPart);
  };
  if (failed(large.forEach(0, wholeDepth, depth, addDepth)))
    return failure();

  if (!large.isLarge(op.getResult())) {
    Registers results;
    for (uint32_t reg = 0; reg < count; ++reg)
      results.push_back(toResult(large.loadFrom(sums, sumType, {reg & ~copies})));
    e.set(op.getResult(), std::move(results));
    return success();
  }
  llvm::Value *slot = sums;
  if (sumType != resultType) {
    slot = large.createSlot(resultType, count);
    auto round = [&](const RegisterNumber &number) {
      large.storeTo(slot, resultType, number, toResult(large.loadFrom(sums, sumType, number)));
      return success();
    };
    if (failed(forEachRegister(round)))
      return failure();
  }
  if (!copies) {
    large.setSlot(op.getResult(), slot);
    return success();
  }
  RegisterColumns originals;
  for (uint32_t bit = 1; bit < count; bit *= 2)
    originals.push_back(bit & copies ? 0 : bit);
  large.setSlot(op.getResult(), slot, originals);
  return success();
}

static LogicalResult emitProduct(Emitter &e, tt::DotOp op) {
  if (isMatrixUnitProduct(op))
    return emitMatrixUnitProduct(e, op);
  Type sumType = getSumType(op), resultType = op.getType().getElementType();
  if (!sumType)
    return op.emitError() << "a product of " << op.getA().getType().getElementType() << " and "
                          << op.getB().getType().getElementType() << " that gives " << resultType
                          << " is not supported on this target";
  ThreadProduct product(e, op, sumType);
  return e.large().concerns(op) ? product.emitLarge() : product.emit();
}

void addProductEmitters(EmitterTable &table) { table.add<tt::DotOp, emitProduct>(); }

} // namespace nereid::gpu
