// ttg.local_dot: products of f32 by the threads, with factors in memory on chip.
//
// A thread steps along the reduced axis and adds, for its rows m and columns n of the result, all a[m, k] *
// b[k, n]. It reads vectors: of four steps where memory is contiguous along that axis, otherwise of
// neighbours along the other one.
//
// Layouts of memory are linear over F2, so the place of an element is an exclusive or of three: that of the
// thread's first row (or column), that of its other rows, which is a constant, and that of k. Where the bits
// of the constants are none that depend on the thread, the exclusive or is an addition, which an access does
// by itself; permuted rows share a few bits, and there are as many addresses as patterns of those:
//
//     place(m, k) = (thread ^ shared bits of (m, k)) + other bits of (m, k)
//                    one address for each pattern      in the instruction
//
// Deep products are loops, whose body is long enough that waiting for its first reads does not matter. Where
// it covers the bits of k that are permuted its counter is another addition; if that would be too long,
// addresses are computed anew in each round.
#include "compiler/dialects/ttg/SharedLayouts.h"
#include "compiler/lowering/gpu/CountedLoop.h"
#include "compiler/lowering/gpu/Emitter.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

constexpr unsigned elementBytes = 4, maxVectorElements = 4;

/// A factor in memory, as the threads that compute a result read it.
class LocalFactor {
public:
  LocalFactor(Emitter &e, Value memory, bool isLeft, RankedTensorType result);

  /// How many steps along the reduced axis one access covers.
  unsigned getDepthOfAccess() const { return isAlongDepth ? width : 1; }
  /// The least number of steps for which the places of the multiples of that number are themselves multiples.
  unsigned getLeastSteps() const;
  /// The least number of steps for which those are added to addresses.
  unsigned getPermutedSteps() const;
  /// Computes the addresses for all accesses of a loop's body of so many steps, before that loop.
  void prepare(unsigned steps);
  /// Begins a round of it, the one with the steps from k on.
  void beginRound(llvm::Value *k);
  /// Reads what the thread needs of the round's steps from `step` on, as many as an access covers.
  void read(unsigned step);
  /// Of what was read, the element for a register of the result, so many steps behind the first.
  llvm::Value *get(unsigned resultRegister, unsigned step) const {
    return elements.lookup({placeOf[resultRegister], isAlongDepth ? step : 0});
  }

private:
  uint32_t getOffset(uint32_t kept, uint32_t reduced) const {
    return toOffset.apply({{keptDim, kept}, {reducedDim, reduced}}, Dim::Offset);
  }
  llvm::Value *getAddress(uint32_t offset);

  Emitter &e;
  llvm::IRBuilder<> &b;
  LinearLayout toOffset;
  Dim keptDim, reducedDim;
  unsigned depth, width = 1;
  bool isAlongDepth;
  llvm::Value *base, *part, *thread;
  /// The bits of an offset that depend on the thread, and those that depend on the position.
  uint32_t threadBits, positionBits = 0;
  /// The distance in elements from one step of a loop's counter to the next, and of a round in bytes where it
  /// is added.
  unsigned pitch = 0;
  llvm::Value *distance = nullptr;
  bool isMoved = false;
  /// The positions along the kept axis at which this thread's accesses begin, seen from its first.
  llvm::SetVector<uint32_t> positions;
  llvm::SmallVector<uint32_t> placeOf; // of each register of the result
  llvm::DenseMap<uint32_t, llvm::Value *> addresses;
  llvm::DenseMap<std::pair<uint32_t, unsigned>, llvm::Value *> elements;
};

LocalFactor::LocalFactor(Emitter &e, Value memory, bool isLeft, RankedTensorType result)
    : e(e), b(e.b), keptDim(tensorDim(isLeft ? 0 : 1)), reducedDim(tensorDim(isLeft ? 1 : 0)) {
  auto type = cast<ttg::MemDescType>(memory.getType());
  toOffset = ttg::toSharedLayout(type).invert();
  depth = type.getDimSize(isLeft ? 1 : 0);
  base = e.get(memory)[0];
  part = e.get(memory)[1];

  // From the result's registers and threads to places in memory, at k = 0.
  const LinearLayout &layout = e.getLayout(result);
  llvm::SmallVector<LinearLayout::InputBases, 2> inputs;
  for (unsigned axis : {0u, 1u}) {
    LinearLayout::InputBases input{tensorDim(axis), {}};
    for (unsigned bit = 0; bit != llvm::Log2_64(result.getDimSize(axis)); ++bit)
      input.bases.push_back({input.dim == keptDim ? getOffset(1u << bit, 0) : 0});
    inputs.push_back(std::move(input));
  }
  LinearLayout offsets =
      layout.compose(LinearLayout::fromBases(inputs, {{Dim::Offset, toOffset.getOutBits(Dim::Offset)}}));
  thread = e.emitThreadCoordinates(offsets, {Dim::Offset})[0];
  threadBits = getThreadBits(offsets, Dim::Offset);
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(part);
  if (!constant || !constant->isZero()) {
    thread = b.CreateXor(thread, part);
    threadBits = ~0u;
  }

  RegisterIndex registers(layout, result.getShape());
  llvm::SetVector<uint32_t> all;
  for (unsigned reg = 0; reg != registers.size(); ++reg) {
    placeOf.push_back(registers.coordinates(reg)[isLeft ? 0 : 1]);
    all.insert(placeOf.back());
  }
  for (uint32_t position : all)
    positionBits |= getOffset(position, 0);
  isAlongDepth = depth >= maxVectorElements && getOffset(0, 1) == 1 && getOffset(0, 2) == 2 &&
                 !((threadBits | positionBits) & (maxVectorElements - 1));
  if (isAlongDepth) {
    width = maxVectorElements;
    positions = std::move(all);
    return;
  }
  // Neighbours in vectors as long as all positions allow.
  auto fits = [&](unsigned elements) {
    uint32_t low = elements - 1, keptBits = getThreadBits(layout, keptDim);
    for (uint32_t bit = 1; bit < elements; bit *= 2)
      if (getOffset(bit, 0) != bit)
        return false;
    return !(keptBits & low) && !(threadBits & low) && llvm::all_of(all, [&](uint32_t position) {
      return all.contains(position ^ (elements / 2)) && all.contains(position & ~low);
    });
  };
  while (width < maxVectorElements && fits(2 * width))
    width *= 2;
  for (uint32_t position : all)
    if (!(position & (width - 1)))
      positions.insert(position);
}

unsigned LocalFactor::getLeastSteps() const {
  unsigned steps = getDepthOfAccess();
  for (unsigned k = steps; 2 * k < depth; k *= 2)
    if (getOffset(0, 2 * k) != 2 * getOffset(0, k))
      steps = 2 * k;
  return steps;
}

unsigned LocalFactor::getPermutedSteps() const {
  unsigned steps = getLeastSteps();
  for (unsigned k = steps; k < depth; k *= 2)
    if (getOffset(0, k) & (threadBits | positionBits))
      steps = 2 * k;
  return steps;
}

void LocalFactor::prepare(unsigned steps) {
  if (steps < depth) {
    pitch = getOffset(0, steps) / steps;
    isMoved = steps < getPermutedSteps();
  }
  if (isMoved)
    for (unsigned k = steps; k < depth; k *= 2)
      threadBits |= getOffset(0, k);
  else
    for (unsigned step = 0; step < steps; step += getDepthOfAccess())
      for (uint32_t position : positions)
        getAddress(getOffset(position, step));
}

void LocalFactor::beginRound(llvm::Value *k) {
  if (isMoved)
    thread = b.CreateXor(thread, b.CreateMul(k, b.getInt32(pitch)));
  else
    distance = b.CreateMul(k, b.getInt32(pitch * elementBytes));
}

llvm::Value *LocalFactor::getAddress(uint32_t offset) {
  llvm::Value *&address = addresses[offset & threadBits];
  if (!address) {
    llvm::Value *place = b.CreateXor(thread, offset & threadBits);
    place = b.CreateMul(place, b.getInt32(elementBytes), "", /*HasNUW=*/true, /*HasNSW=*/true);
    address = e.getSharedAddress(b.CreateAdd(place, base, "", /*HasNUW=*/true, /*HasNSW=*/true));
  }
  return address;
}

void LocalFactor::read(unsigned step) {
  llvm::Type *type = b.getFloatTy();
  if (width > 1)
    type = llvm::FixedVectorType::get(type, width);
  elements.clear();
  for (uint32_t position : positions) {
    uint32_t offset = getOffset(position, step);
    llvm::Value *address = getAddress(offset);
    if (distance)
      address = b.CreateInBoundsGEP(b.getInt8Ty(), address, distance);
    address = b.CreateConstInBoundsGEP1_32(b.getInt8Ty(), address, (offset & ~threadBits) * elementBytes);
    llvm::Value *loaded = b.CreateAlignedLoad(type, address, llvm::Align(width * elementBytes));
    for (unsigned i = 0; i != width; ++i) {
      llvm::Value *element = width == 1 ? loaded : b.CreateExtractElement(loaded, i);
      elements[isAlongDepth ? std::pair(position, i) : std::pair(position + i, 0u)] = element;
    }
  }
}

/// How many steps a loop's body has; all if there is no loop.
unsigned chooseSteps(ttg::LocalDotOp op, unsigned sums, unsigned least, unsigned permuted) {
  // Enough to hide how long memory takes. Longer bodies take more registers, above all where several follow
  // one another, as reads are moved ahead, and crowd the instruction cache.
  constexpr unsigned fewProducts = 256, someProducts = 512, manyProducts = 1024, tooMany = 2048;
  auto others = op->getBlock()->getOps<ttg::LocalDotOp>();
  unsigned count = std::distance(others.begin(), others.end()), depth = op.getA().getType().getDimSize(1);
  if (depth * sums <= std::max(fewProducts, manyProducts / count))
    return depth;
  unsigned wanted = count > 2 ? fewProducts : someProducts;
  unsigned steps = std::max<unsigned>(least, llvm::bit_ceil(llvm::divideCeil(wanted, sums)));
  if (permuted * sums <= tooMany)
    steps = std::max(steps, permuted);
  return std::min(depth, steps);
}

LogicalResult emitLocalDot(Emitter &e, ttg::LocalDotOp op) {
  for (Value memory : {Value(op.getA()), Value(op.getB())}) {
    Attribute layout = cast<ttg::MemDescType>(memory.getType()).getEncoding();
    if (!ttg::hasSharedLayout(layout))
      return op.emitError() << "memory with the layout " << layout << " can't be lowered yet";
  }
  llvm::IRBuilder<> &b = e.b;
  RankedTensorType type = op.getType();
  LocalFactor left(e, op.getA(), /*isLeft=*/true, type), right(e, op.getB(), /*isLeft=*/false, type);
  Registers sums = e.get(op.getC());
  uint32_t copies = e.getLayout(type).getFreeVariableMask(Dim::Register);
  unsigned depth = op.getA().getType().getDimSize(1);
  unsigned steps = chooseSteps(op, sums.size(), std::max(left.getLeastSteps(), right.getLeastSteps()),
                               std::max(left.getPermutedSteps(), right.getPermutedSteps()));
  left.prepare(steps);
  right.prepare(steps);

  auto addProducts = [&] {
    for (unsigned step = 0; step != steps; ++step) {
      if (step % left.getDepthOfAccess() == 0)
        left.read(step);
      if (step % right.getDepthOfAccess() == 0)
        right.read(step);
      for (unsigned reg = 0; reg != sums.size(); ++reg)
        if (!(reg & copies))
          sums[reg] = b.CreateIntrinsic(llvm::Intrinsic::fma, {b.getFloatTy()},
                                        {left.get(reg, step % left.getDepthOfAccess()),
                                         right.get(reg, step % right.getDepthOfAccess()), sums[reg]});
    }
  };
  if (steps == depth) {
    addProducts();
  } else {
    auto addRound = [&](llvm::Value *counter) {
      left.beginRound(counter);
      right.beginRound(counter);
      addProducts();
      return success();
    };
    (void)emitCountedLoop(e, "product", 0, depth, steps, sums, addRound); // which does not fail
  }
  for (unsigned reg = 0; reg != sums.size(); ++reg)
    sums[reg] = sums[reg & ~copies];
  e.set(op.getResult(), std::move(sums));
  return success();
}

} // namespace

void addLocalProductEmitters(EmitterTable &table) { table.add<ttg::LocalDotOp, emitLocalDot>(); }

} // namespace nereid::gpu
