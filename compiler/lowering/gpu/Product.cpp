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
#include "compiler/lowering/gpu/FloatFormats.h"
#include "compiler/lowering/gpu/MatrixUnitProduct.h"
#include "compiler/transforms/ScratchMemory.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

/// One operand, in shared memory.
class Operand {
public:
  /// `isLeft`: the left one, of whose axes the second to last stays; otherwise the last one stays.
  Operand(Emitter &e, tt::DotOp op, bool isLeft);

  /// Writes the operand into shared memory: the part of it from k = `first` on.
  void write(unsigned first);
  /// Finds out what this thread reads in each step: the part of it that does not change.
  void prepareReads();
  /// Reads the thread's elements for one k, in the type in which they are multiplied.
  void read(llvm::Value *k, llvm::Type *type);
  /// Of those, the one for this register of the result.
  llvm::Value *get(unsigned resultRegister) const { return elements[elementOf[resultRegister]]; }

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

void Operand::write(unsigned first) {
  bool isWhole = depth == source.getType().getDimSize(reduced);
  auto [owner, copies] = e.getOwnership(source.getType());
  for (auto [reg, coordinates] : llvm::enumerate(e.getCoordinates(source.getType()))) {
    if (reg & copies)
      continue;
    llvm::Value *k = coordinates[reduced], *writes = owner;
    if (!isWhole) {
      k = b.CreateSub(k, b.getInt32(first));
      llvm::Value *isInPart = b.CreateICmpULT(k, b.getInt32(depth));
      writes = owner ? b.CreateAnd(owner, isInPart) : isInPart;
    }
    llvm::Value *offset = getOffset(rank == 3 ? coordinates[0] : nullptr, k, coordinates[kept]);
    llvm::Value *value = e.get(source)[reg];
    if (isa<FloatType>(storedType))
      value = convertFloat(e, value, source.getType().getElementType(), storedType);
    e.target.storeShared(b, e.toMemory(value), e.getScratch(op, offset), writes);
  }
}

void Operand::prepareReads() {
  RankedTensorType type = op.getType();
  const LinearLayout &layout = e.getLayout(type);
  uint32_t threadBits = getThreadBits(layout, tensorDim(kept));
  uint32_t batchThreadBits = rank == 3 ? getThreadBits(layout, tensorDim(0)) : 0;
  RegisterIndex registers(layout, type.getShape());

  // The batches and positions that the registers of the result need, each once.
  llvm::MapVector<uint32_t, llvm::SetVector<uint32_t>> needed;
  auto batchOf = [&](unsigned reg) { return rank == 3 ? registers.coordinates(reg)[0] : 0; };
  for (unsigned reg = 0; reg < registers.size(); ++reg)
    needed[batchOf(reg)].insert(registers.coordinates(reg)[kept]);

  // Neighbours in vectors as long as all positions allow.
  constexpr unsigned maxVectorBytes = 16;
  unsigned width = std::max(1u, maxVectorBytes / side.elementBytes);
  auto hasVectorOf = [&](const llvm::SetVector<uint32_t> &positions, uint32_t position) {
    for (unsigned i = 0; i < width; ++i)
      if (!positions.contains((position & ~(width - 1)) | i))
        return false;
    return true;
  };
  auto fits = [&] {
    if (threadBits & (width - 1))
      return false;
    return llvm::all_of(needed, [&](const auto &entry) {
      return llvm::all_of(entry.second,
                          [&](uint32_t position) { return hasVectorOf(entry.second, position); });
    });
  };
  while (width > 1 && !fits())
    width /= 2;

  llvm::DenseMap<std::pair<uint32_t, uint32_t>, unsigned> numbers;
  llvm::ArrayRef<llvm::Value *> place = e.getThreadCoordinates(type);
  for (auto &[batch, positions] : needed) {
    for (uint32_t position : positions) {
      if (position & (width - 1))
        continue;
      for (unsigned i = 0; i < width; ++i)
        numbers[{batch, position | i}] = accesses.size() * width + i;
      llvm::Value *offset =
          getOffset(rank == 3 ? e.moveCoordinate(place[0], batchThreadBits, batch) : nullptr, b.getInt32(0),
                    e.moveCoordinate(place[kept], threadBits, position));
      accesses.push_back({e.getScratch(op, offset), width});
    }
  }
  for (unsigned reg = 0; reg < registers.size(); ++reg)
    elementOf.push_back(numbers.lookup({batchOf(reg), registers.coordinates(reg)[kept]}));
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

static LogicalResult emitProduct(Emitter &e, tt::DotOp op) {
  if (isMatrixUnitProduct(op))
    return emitMatrixUnitProduct(e, op);
  llvm::IRBuilder<> &b = e.b;
  Type sumType = getSumType(op), resultType = op.getType().getElementType();
  if (!sumType)
    return op.emitError() << "a product of " << op.getA().getType().getElementType() << " and "
                          << op.getB().getType().getElementType() << " that gives " << resultType
                          << " is not supported on this target";
  bool isFloat = isa<FloatType>(sumType);
  llvm::Type *type = e.convertType(sumType);

  Operand left(e, op, /*isLeft=*/true), right(e, op, /*isLeft=*/false);
  left.prepareReads();
  right.prepareReads();

  Registers sums;
  for (llvm::Value *value : e.get(op.getC()))
    sums.push_back(isFloat ? convertFloat(e, value, resultType, sumType) : b.CreateSExt(value, type));
  uint32_t copies = e.getLayout(op.getType()).getFreeVariableMask(Dim::Register);
  auto addProducts = [&](llvm::Value *k) {
    left.read(k, type);
    right.read(k, type);
    for (unsigned reg = 0; reg < sums.size(); ++reg) {
      if (reg & copies)
        continue;
      llvm::Value *x = left.get(reg), *y = right.get(reg);
      sums[reg] = isFloat ? b.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {x, y, sums[reg]})
                          : b.CreateAdd(sums[reg], b.CreateMul(x, y));
    }
  };

  // A few steps in each round, so that the loads of one overlap with the arithmetic of another.
  constexpr unsigned productsARound = 256;
  unsigned whole = op.getA().getType().getShape().back(), depth = getProductScratch(op).depth;
  unsigned steps =
      std::min<unsigned>(depth, llvm::bit_floor(std::max<size_t>(1, productsARound / sums.size())));
  for (unsigned first = 0; first < whole; first += depth) {
    if (first)
      e.target.barrier(b); // All have read the part before.
    left.write(first);
    right.write(first);
    e.target.barrier(b);
    llvm::BasicBlock *before = b.GetInsertBlock(), *loop = e.createBlock("product"),
                     *exit = e.createBlock("product.end");
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    llvm::PHINode *counter = b.CreatePHI(b.getInt32Ty(), 2);
    counter->addIncoming(b.getInt32(0), before);
    llvm::SmallVector<llvm::PHINode *> phis;
    for (llvm::Value *&sum : sums) {
      phis.push_back(b.CreatePHI(type, 2));
      phis.back()->addIncoming(sum, before);
      sum = phis.back();
    }
    for (unsigned step = 0; step < steps; ++step)
      addProducts(b.CreateAdd(counter, b.getInt32(step), "", /*HasNUW=*/true, /*HasNSW=*/true));
    llvm::Value *next = b.CreateAdd(counter, b.getInt32(steps), "", /*HasNUW=*/true, /*HasNSW=*/true);
    counter->addIncoming(next, loop);
    for (auto [phi, sum] : llvm::zip_equal(phis, sums))
      phi->addIncoming(sum, loop);
    b.CreateCondBr(b.CreateICmpULT(next, b.getInt32(depth)), loop, exit);
    b.SetInsertPoint(exit);
  }

  Registers results;
  for (unsigned reg = 0; reg < sums.size(); ++reg) {
    llvm::Value *sum = sums[reg & ~copies];
    results.push_back(isFloat ? convertFloat(e, sum, sumType, resultType)
                              : b.CreateTrunc(sum, e.convertType(resultType)));
  }
  e.set(op.getResult(), std::move(results));
  return success();
}

void addProductEmitters(EmitterTable &table) { table.add<tt::DotOp, emitProduct>(); }

} // namespace nereid::gpu
