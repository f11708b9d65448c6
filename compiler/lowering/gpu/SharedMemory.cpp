// Memory on chip as the program sees it: buffers, views of them, reads, writes, and copies that go on in the
// background.
//
// A memory descriptor is two numbers: where its buffer begins, in bytes from the start of the function's
// shared memory, and the exclusive or, in elements, that leads to the part of it that is seen. Layouts of
// memory are linear over F2 (SharedLayouts.h), so the offset of element (row, column) of a part that begins
// at (r, c) is
//
//     offset(row, column) ^ offset(r, c)          if the part is aligned to its own size,
//
// whatever the swizzle. Both numbers may be carried by loops like any scalar. Permuting axes changes the type
// alone.
//
// Reads and writes are vectors of the registers that hold neighbours in memory; those of matrix fragments are
// ldmatrix and stmatrix where the GPU has them and the layouts allow it (MatrixLoadPlan.h).
#include "compiler/dialects/ttg/SharedLayouts.h"
#include "compiler/layouts/MatrixLoadPlan.h"
#include "compiler/layouts/SharedExchange.h"
#include "compiler/lowering/gpu/Emitter.h"
#include "compiler/transforms/AccessWidth.h"
#include "compiler/transforms/ScratchMemory.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::gpu {

static unsigned getElementBytes(ttg::MemDescType type) {
  return getSharedElementBytes(tt::getElementBits(type.getElementType()));
}

static LogicalResult requireLayout(Operation *op, ttg::MemDescType type) {
  if (ttg::hasSharedLayout(type.getEncoding()))
    return success();
  return op->emitError() << "memory with the layout " << type.getEncoding() << " can't be lowered yet";
}

namespace {

/// How the registers of a tensor meet the elements of a view of memory.
class Meeting {
public:
  Meeting(Emitter &e, RankedTensorType tensor, Value memory)
      : e(e), type(cast<ttg::MemDescType>(memory.getType())),
        elementBytes(nereid::gpu::getElementBytes(type)),
        offsets(e.getLayout(tensor).compose(ttg::toSharedLayout(type).invert())), base(e.get(memory)[0]),
        part(e.get(memory)[1]) {}

  /// Of an access of up to 16 bytes.
  unsigned getVectorElements() const { return 1u << getVectorBits(offsets, 8 * elementBytes); }

  /// The same, of registers that follow one another.
  unsigned getRunElements() const {
    return std::min(getVectorElements(), offsets.getNumConsecutive(Dim::Register, Dim::Offset));
  }

  /// Where an access at `offset` elements from the thread's own is, in bytes from the start of the function's
  /// shared memory. `places` says where the thread's own is: of (lane, warp, …), the same for all accesses.
  llvm::Value *getBytes(const LinearLayout &places, uint32_t offset) {
    if (!thread)
      thread = e.emitThreadCoordinates(places, {Dim::Offset})[0];
    uint32_t threadBits = getThreadBits(places, Dim::Offset);
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(part);
    if (!constant || !constant->isZero())
      return addBase(e.b.CreateXor(e.moveCoordinate(thread, threadBits, offset), part));
    // What no thread's own offset has is added behind the exclusive or, as an instruction's constant. Made
    // once for all accesses that differ in that alone, as LLVM draws both together where there is a single
    // use.
    llvm::Value *&start = starts[offset & threadBits];
    if (!start)
      start = addBase(e.moveCoordinate(thread, threadBits, offset & threadBits));
    uint32_t rest = offset & ~threadBits;
    return rest
               ? e.b.CreateAdd(start, e.b.getInt32(rest * elementBytes), "", /*HasNUW=*/true, /*HasNSW=*/true)
               : start;
  }
  llvm::Value *getAddress(uint32_t offset) { return e.getSharedAddress(getBytes(offsets, offset)); }

  Emitter &e;
  ttg::MemDescType type;
  unsigned elementBytes;
  /// (register, lane, warp, block) to offsets in elements.
  LinearLayout offsets;

private:
  llvm::Value *addBase(llvm::Value *element) {
    llvm::Value *bytes =
        e.b.CreateMul(element, e.b.getInt32(elementBytes), "", /*HasNUW=*/true, /*HasNSW=*/true);
    return e.b.CreateAdd(bytes, base, "", /*HasNUW=*/true, /*HasNSW=*/true);
  }

  llvm::Value *base, *part, *thread = nullptr;
  llvm::DenseMap<uint32_t, llvm::Value *> starts;
};

} // namespace

/// Writes the words of each instruction from where readMatrices would get them.
static void writeMatrices(Emitter &e, Meeting &meeting, const MatrixLoadPlan &plan,
                          const Registers &registers) {
  for (const MatrixLoadPlan::Load &store : plan.loads) {
    llvm::SmallVector<llvm::Value *, 4> words;
    for (llvm::ArrayRef<uint32_t> ofWord : store.registers) {
      llvm::Value *word = e.toMemory(registers[ofWord[0]]);
      if (ofWord.size() > 1) {
        llvm::Value *elements =
            llvm::PoisonValue::get(llvm::FixedVectorType::get(word->getType(), ofWord.size()));
        for (auto [i, reg] : llvm::enumerate(ofWord))
          elements = e.b.CreateInsertElement(elements, e.toMemory(registers[reg]), i);
        word = elements;
      }
      words.push_back(e.b.CreateBitCast(word, e.b.getInt32Ty()));
    }
    e.target.storeMatrices(e.b, e.getSharedAddress(e.b.getInt32(0)),
                           meeting.getBytes(plan.rowOffsets, store.offset), words, plan.isTransposed);
  }
}

static void writeTensor(Emitter &e, TypedValue<RankedTensorType> tensor, Value memory) {
  Meeting meeting(e, tensor.getType(), memory);
  const Registers &registers = e.get(tensor);
  unsigned width = meeting.getVectorElements();
  llvm::Value *owner = e.getOwnership(tensor.getType()).predicate;
  // All lanes of a warp take part, so each has to have elements of its own.
  if (!owner && e.target.hasMatrixStores() && !isa<tt::PointerType>(tensor.getType().getElementType()))
    if (std::optional<MatrixLoadPlan> plan = planMatrixLoads(meeting.offsets, meeting.elementBytes))
      return writeMatrices(e, meeting, *plan, registers);
  llvm::SmallVector<std::pair<uint32_t, uint32_t>, 0> copies;
  for (const SharedAccess &access : listSharedAccesses(meeting.offsets, llvm::Log2_32(width), &copies)) {
    llvm::Value *value = e.toMemory(registers[access.registers[0]]);
    if (width > 1) {
      llvm::Value *vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(value->getType(), width));
      for (auto [i, reg] : llvm::enumerate(access.registers))
        vector = e.b.CreateInsertElement(vector, e.toMemory(registers[reg]), i);
      value = vector;
    }
    e.target.storeShared(e.b, value, meeting.getAddress(access.offset), owner);
  }
}

static void readMatrices(Emitter &e, Meeting &meeting, const MatrixLoadPlan &plan, Type elementType,
                         Registers &results) {
  llvm::Type *memoryType = e.getMemoryType(elementType);
  for (const MatrixLoadPlan::Load &load : plan.loads) {
    llvm::SmallVector<llvm::Value *, 4> words = e.target.loadMatrices(
        e.b, e.getSharedAddress(e.b.getInt32(0)), meeting.getBytes(plan.rowOffsets, load.offset),
        plan.numMatrices, plan.isTransposed);
    for (auto [word, registers] : llvm::zip_equal(words, load.registers)) {
      if (registers.size() == 1) {
        results[registers[0]] = e.fromMemory(e.b.CreateBitCast(word, memoryType), elementType);
        continue;
      }
      llvm::Value *elements =
          e.b.CreateBitCast(word, llvm::FixedVectorType::get(memoryType, registers.size()));
      for (auto [i, reg] : llvm::enumerate(registers))
        results[reg] = e.fromMemory(e.b.CreateExtractElement(elements, i), elementType);
    }
  }
}

/// Of a right factor that meets a left one which stays in registers from round to round: the bit of registers
/// that leads to the next columns. ptxas needs few registers for such fragments if it does one piece of the
/// result after the other, and does so, though the steps of a piece wait for one another. With the fragments
/// of two pieces in an instruction it does these in turns.
static std::optional<unsigned> findNextColumns(Emitter &e, ttg::LocalLoadOp load) {
  RankedTensorType type = load.getType();
  auto layout = dyn_cast<ttg::DotOperandEncodingAttr>(type.getEncoding());
  auto loop = load->getParentOfType<scf::ForOp>();
  if (!layout || layout.getOpIdx() != 1 || !loop)
    return std::nullopt;
  bool meetsLasting = llvm::all_of(load->getUsers(), [&](Operation *user) {
    auto product = dyn_cast<tt::DotOp>(user);
    return product && loop.isDefinedOutsideOfLoop(product.getA());
  });
  LinearLayout registers = e.getLayout(type);
  for (unsigned bit = 0; meetsLasting && bit != registers.getInBits(Dim::Register); ++bit)
    if (registers.getBasis(Dim::Register, bit, tensorDim(type.getRank() - 1)))
      return bit;
  return std::nullopt;
}

static LogicalResult emitLocalLoad(Emitter &e, ttg::LocalLoadOp op) {
  if (failed(requireLayout(op, op.getSrc().getType())))
    return failure();
  RankedTensorType tensor = op.getType();
  Type elementType = tensor.getElementType();
  Meeting meeting(e, tensor, op.getSrc());
  Registers results(e.countRegisters(tensor));
  llvm::SmallVector<std::pair<uint32_t, uint32_t>, 0> copies;

  std::optional<MatrixLoadPlan> plan;
  if (e.target.hasMatrixLoads() && !isa<tt::PointerType>(elementType))
    plan = planMatrixLoads(meeting.offsets, meeting.elementBytes, findNextColumns(e, op));
  if (plan) {
    readMatrices(e, meeting, *plan, elementType, results);
    copies = std::move(plan->copies);
  } else {
    unsigned width = meeting.getVectorElements();
    llvm::Type *memoryType = e.getMemoryType(elementType);
    llvm::Type *accessType = width == 1 ? memoryType : llvm::FixedVectorType::get(memoryType, width);
    for (const SharedAccess &access : listSharedAccesses(meeting.offsets, llvm::Log2_32(width), &copies)) {
      llvm::Value *loaded = e.b.CreateAlignedLoad(accessType, meeting.getAddress(access.offset),
                                                  llvm::Align(width * meeting.elementBytes));
      for (auto [i, reg] : llvm::enumerate(access.registers))
        results[reg] = e.fromMemory(width == 1 ? loaded : e.b.CreateExtractElement(loaded, i), elementType);
    }
  }
  for (auto [copy, original] : copies)
    results[copy] = results[original];
  e.set(op.getResult(), std::move(results));
  return success();
}

/// The shared layout of plain rows is the order of axes alone.
static LogicalResult emitLocalGather(Emitter &e, ttg::LocalGatherOp op) {
  ttg::MemDescType memory = op.getSrc().getType();
  auto layout = cast<ttg::SwizzledSharedEncodingAttr>(memory.getEncoding());
  auto tensor = cast<RankedTensorType>(op.getType());
  unsigned bytes = getElementBytes(memory);
  llvm::Value *base = e.get(op.getSrc())[0], *part = e.get(op.getSrc())[1];
  const Registers &indices = e.get(op.getIndices());
  Registers results;
  for (auto [reg, coordinates] : llvm::enumerate(e.getCoordinates(tensor))) {
    Registers place = coordinates;
    place[op.getAxis()] = e.b.CreateZExtOrTrunc(indices[reg], e.b.getInt32Ty());
    llvm::Value *flat = e.b.getInt32(0);
    for (unsigned axis : llvm::reverse(layout.getOrder())) // the axis of neighbours is the first
      flat = e.b.CreateAdd(e.b.CreateMul(flat, e.b.getInt32(memory.getDimSize(axis))), place[axis]);
    llvm::Value *element = e.b.CreateXor(flat, part);
    llvm::Value *address =
        e.getSharedAddress(e.b.CreateAdd(e.b.CreateMul(element, e.b.getInt32(bytes)), base));
    llvm::Value *loaded =
        e.b.CreateAlignedLoad(e.getMemoryType(memory.getElementType()), address, llvm::Align(bytes));
    results.push_back(e.fromMemory(loaded, memory.getElementType()));
  }
  e.set(op.getResult(), std::move(results));
  return success();
}

static LogicalResult emitLocalStore(Emitter &e, ttg::LocalStoreOp op) {
  if (failed(requireLayout(op, op.getDst().getType())))
    return failure();
  writeTensor(e, op.getSrc(), op.getDst());
  return success();
}

static LogicalResult emitLocalAlloc(Emitter &e, ttg::LocalAllocOp op) {
  if (failed(requireLayout(op, op.getType())))
    return failure();
  std::optional<unsigned> offset = getAllocationOffset(op);
  if (!offset)
    return op.emitError("memory on chip was not allocated");
  e.set(op.getResult(), Registers{e.b.getInt32(*offset), e.b.getInt32(0)});
  if (op.getSrc())
    writeTensor(e, op.getSrc(), op.getResult());
  return success();
}

static LogicalResult emitLocalDealloc(Emitter &, ttg::LocalDeallocOp) { return success(); }

static LogicalResult emitIndex(Emitter &e, ttg::MemDescIndexOp op) {
  const Registers &source = e.get(op.getSrc());
  // A buffer of this type, as the allocation has several, lies behind the one before it.
  ttg::MemDescType type = op.getType();
  unsigned bytes = getElementBytes(type);
  for (int64_t size : type.getAllocShape().take_back(type.getRank()))
    bytes *= size;
  llvm::Value *distance = e.b.CreateMul(e.getScalar(op.getIndex()), e.b.getInt32(bytes));
  e.set(op.getResult(), Registers{e.b.CreateAdd(source[0], distance), source[1]});
  return success();
}

static LogicalResult emitSubslice(Emitter &e, ttg::MemDescSubsliceOp op) {
  if (failed(requireLayout(op, op.getSrc().getType())))
    return failure();
  LinearLayout toOffset = ttg::toSharedLayout(op.getSrc().getType()).invert();
  llvm::SmallVector<LinearLayout::Index, 4> start;
  for (auto [axis, offset] : llvm::enumerate(op.getOffsets())) {
    if (offset % op.getType().getDimSize(axis))
      return op.emitError("a part of memory must begin at a multiple of its size to be lowered");
    start.push_back({tensorDim(axis), uint32_t(offset)});
  }
  const Registers &source = e.get(op.getSrc());
  uint32_t part = toOffset.apply(start, Dim::Offset);
  e.set(op.getResult(),
        Registers{source[0], part ? e.b.CreateXor(source[1], e.b.getInt32(part)) : source[1]});
  return success();
}

/// Views that only change the type.
template <typename Op> static LogicalResult emitSameMemory(Emitter &e, Op op) {
  e.set(op.getResult(), e.get(op.getSrc()));
  return success();
}

static LogicalResult emitAsyncCopy(Emitter &e, ttg::AsyncCopyGlobalToLocalOp op) {
  ttg::MemDescType memory = op.getResult().getType();
  if (failed(requireLayout(op, memory)))
    return failure();
  auto pointers = cast<RankedTensorType>(op.getSrc().getType());
  Meeting meeting(e, pointers, op.getResult());
  unsigned bits = e.target.getMaxAccessBits();
  unsigned width = std::min(meeting.getRunElements(),
                            getAccessElements(e.state.axisInfo, op.getSrc(), op.getMask(), bits));
  unsigned bytes = width * meeting.elementBytes;
  bool hasOther = op.getOther() && !matchPattern(op.getOther(), m_Zero()) &&
                  !matchPattern(op.getOther(), m_AnyZeroFloat());
  if (bytes < 4 || hasOther || op.getIsVolatile())
    return op.emitError()
           << "a copy of " << bytes
           << " bytes at a time, or with a value for masked elements, can't be done asynchronously";
  const Registers &addresses = e.get(op.getSrc());
  llvm::Value *owner = e.getOwnership(pointers).predicate;
  llvm::SmallVector<std::pair<uint32_t, uint32_t>, 0> copies;
  for (const SharedAccess &access : listSharedAccesses(meeting.offsets, llvm::Log2_32(width), &copies)) {
    unsigned first = access.registers[0];
    llvm::Value *predicate = op.getMask() ? e.get(op.getMask())[first] : nullptr;
    e.target.copyAsync(e.b, meeting.getAddress(access.offset), addresses[first], bytes, predicate, owner);
  }
  e.set(op.getToken(), e.b.getInt32(0));
  return success();
}

static LogicalResult emitCommit(Emitter &e, ttg::AsyncCommitGroupOp op) {
  e.target.commitCopies(e.b);
  e.set(op.getAsyncToken(), e.b.getInt32(0));
  return success();
}

static LogicalResult emitWait(Emitter &e, ttg::AsyncWaitOp op) {
  e.target.waitForCopies(e.b, op.getNum());
  e.set(op.getRetToken(), e.b.getInt32(0));
  return success();
}

void addSharedMemoryEmitters(EmitterTable &table) {
  table.add<ttg::LocalAllocOp, emitLocalAlloc>();
  table.add<ttg::LocalDeallocOp, emitLocalDealloc>();
  table.add<ttg::LocalLoadOp, emitLocalLoad>();
  table.add<ttg::LocalGatherOp, emitLocalGather>();
  table.add<ttg::LocalStoreOp, emitLocalStore>();
  table.add<ttg::MemDescIndexOp, emitIndex>();
  table.add<ttg::MemDescSubsliceOp, emitSubslice>();
  table.add<ttg::MemDescTransOp, emitSameMemory<ttg::MemDescTransOp>>();
  table.add<ttg::AsyncCopyGlobalToLocalOp, emitAsyncCopy>();
  table.add<ttg::AsyncCommitGroupOp, emitCommit>();
  table.add<ttg::AsyncWaitOp, emitWait>();
}

} // namespace nereid::gpu
