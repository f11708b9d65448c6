// Lanes at known distances from one another that are not simply neighbours.
//
// Quantized weights are packed, eight to an integer, and have a scale for each group; rows of a flattened
// tensor are counted with // and %; rotary embeddings take every second element:
//
//     load(q + i // 8) >> (i % 8) * 4        load(scale + i // 128)        load(x + 2 * i), load(x + 2 * i +
//     1)
//
// Chunks begin at multiples of their length. If i begins at a multiple of 16, then the lanes of i // 8 are at
// distances 0, 0, 0, 0, 0, 0, 0, 0, 1, … from the first one, those of i % 8 are 0, 1, 2, …, 7, 0, 1, …
// whatever i is, and those of i // 128 are all equal. getPattern() finds such distances. What is divided is
// then one number, not a vector; and what is loaded are whole vectors, the windows, out of which the lanes
// are picked.
#include "compiler/lowering/cpu/IndexMath.h"
#include "compiler/lowering/cpu/TileEvaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/IR/Constants.h"

#include <numeric>

using namespace llvm;

namespace nereid::cpu {

/// Large divisors say no more than smaller ones, and must not overflow.
static int64_t limited(int64_t multiple) { return multiple > (int64_t(1) << 40) ? 1 : multiple; }

/// What is known of a scalar integer. Offsets are taken not to wrap around, as everywhere.
TileEvaluator::Multiple TileEvaluator::getMultiple(mlir::Value value, unsigned depth) {
  if (auto constant = getConstantInteger(value))
    return {std::abs(*constant), *constant >= 0};
  if (depth > 8)
    return {};
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (argument) {
    mlir::Operation *parent = argument.getOwner()->getParentOp();
    if (auto function = mlir::dyn_cast<tt::FuncOp>(parent)) {
      auto promise = function.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), "tt.divisibility");
      return {promise && argument.getOwner()->isEntryBlock() ? std::max<int64_t>(1, promise.getInt()) : 1,
              false};
    }
    auto loop = mlir::dyn_cast<mlir::scf::ForOp>(parent);
    if (!loop)
      return {};
    Multiple first, step;
    if (value == loop.getInductionVar()) {
      first = getMultiple(loop.getLowerBound(), depth + 1);
      step = getMultiple(loop.getStep(), depth + 1);
    } else {
      // `x += step` in each iteration.
      unsigned position = argument.getArgNumber() - 1;
      auto add = loop.getYieldedValues()[position].getDefiningOp<mlir::arith::AddIOp>();
      if (!add || (add.getLhs() != value && add.getRhs() != value))
        return {};
      first = getMultiple(loop.getInitArgs()[position], depth + 1);
      step = getMultiple(add.getLhs() == value ? add.getRhs() : add.getLhs(), depth + 1);
    }
    return {std::gcd(first.of, step.of), first.isNonNegative && step.isNonNegative};
  }
  mlir::Operation *op = value.getDefiningOp();
  if (mlir::isa<tt::GetProgramIdOp, tt::GetNumProgramsOp>(op))
    return {1, true};
  if (op->getNumOperands() == 0 || op->getNumOperands() > 2 || op->getNumResults() != 1 ||
      !mlir::isa<mlir::IntegerType, mlir::IndexType>(op->getOperand(0).getType()))
    return {};
  Multiple x = getMultiple(op->getOperand(0), depth + 1);
  if (mlir::isa<mlir::arith::ExtSIOp, mlir::arith::TruncIOp, mlir::arith::IndexCastOp>(op))
    return x;
  if (mlir::isa<mlir::arith::ExtUIOp>(op))
    return {x.isNonNegative ? x.of : 1, true};
  if (op->getNumOperands() != 2)
    return {};
  Multiple y = getMultiple(op->getOperand(1), depth + 1);
  return combineMultiples(op, x, y);
}

/// Of the result of an operation of two integers.
TileEvaluator::Multiple TileEvaluator::combineMultiples(mlir::Operation *op, Multiple x, Multiple y) {
  bool both = x.isNonNegative && y.isNonNegative;
  auto constant = getConstantInteger(op->getOperand(1));
  if (mlir::isa<mlir::arith::AddIOp>(op))
    return {std::gcd(x.of, y.of), both};
  if (mlir::isa<mlir::arith::SubIOp>(op))
    return {std::gcd(x.of, y.of), false};
  if (mlir::isa<mlir::arith::MulIOp>(op))
    return {limited(limited(x.of) * limited(y.of)), both};
  if (mlir::isa<mlir::arith::MinSIOp, mlir::arith::MaxSIOp>(op))
    return {std::gcd(x.of, y.of), both || (mlir::isa<mlir::arith::MaxSIOp>(op) && y.isNonNegative)};
  if (!constant || *constant <= 0)
    return {};
  if (mlir::isa<mlir::arith::ShLIOp>(op) && *constant < 32)
    return {limited(limited(x.of) << *constant), x.isNonNegative};
  if (mlir::isa<mlir::arith::DivSIOp, mlir::arith::DivUIOp>(op))
    return {x.of % *constant == 0 ? x.of / *constant : 1, x.isNonNegative};
  if (mlir::isa<mlir::arith::RemSIOp, mlir::arith::RemUIOp>(op))
    return {std::gcd(x.of, *constant), x.isNonNegative};
  return {};
}

/// Divisions by constants, in their several spellings: a quotient or a remainder, and the divisor.
static std::optional<std::pair<bool, int64_t>> getDivision(mlir::Operation *op, bool isNonNegative) {
  auto constant = op->getNumOperands() == 2 ? getConstantInteger(op->getOperand(1)) : std::nullopt;
  if (!constant || *constant < 0)
    return std::nullopt;
  bool isQuotient = mlir::isa<mlir::arith::DivSIOp, mlir::arith::DivUIOp>(op);
  if (isQuotient || mlir::isa<mlir::arith::RemSIOp, mlir::arith::RemUIOp>(op)) {
    // Below zero, signed division rounds the other way, and unsigned division sees another number.
    if (*constant == 0 || !isNonNegative)
      return std::nullopt;
    return std::pair(isQuotient, *constant);
  }
  // These round down whatever the sign is.
  if (mlir::isa<mlir::arith::ShRSIOp>(op) && *constant < 32)
    return std::pair(true, int64_t(1) << *constant);
  if (mlir::isa<mlir::arith::AndIOp>(op) && isPowerOf2_64(*constant + 1))
    return std::pair(false, *constant + 1);
  return std::nullopt;
}

std::optional<TileEvaluator::LanePattern> TileEvaluator::getPattern(mlir::Value value,
                                                                    const Indices &indices) {
  patternVisits = 0;
  return findPattern(value, indices);
}

std::optional<TileEvaluator::LanePattern> TileEvaluator::findPattern(mlir::Value value,
                                                                     const Indices &indices) {
  LanePattern pattern;
  auto makeUniform = [&](Multiple multiple) {
    pattern.offsets.assign(lanes, 0);
    pattern.first = multiple;
    return pattern;
  };
  if (!mlir::isa<mlir::RankedTensorType>(value.getType()))
    return makeUniform(mlir::isa<mlir::IntegerType, mlir::IndexType>(value.getType()) ? getMultiple(value)
                                                                                      : Multiple());
  mlir::Operation *op = value.getDefiningOp();
  if (!op || ++patternVisits > 500)
    return std::nullopt;
  if (auto constant = getConstantInteger(value))
    return makeUniform({std::abs(*constant), *constant >= 0});
  bool isUniform =
      llvm::all_of(indices, [](const Index &index) { return index.isUniform() && !index.isChunk; });
  if (hasBuffer(value))
    return isUniform ? std::optional(makeUniform({})) : std::nullopt;
  Indices mapped;
  if (mapIndices(op, indices, mapped))
    return findPattern(op->getOperand(0), mapped);
  if (auto splat = mlir::dyn_cast<tt::SplatOp>(op))
    return mlir::isa<mlir::RankedTensorType>(splat.getSrc().getType()) ? std::nullopt
                                                                       : findPattern(splat.getSrc(), indices);
  if (auto range = mlir::dyn_cast<tt::MakeRangeOp>(op)) {
    const Index &index = indices[0];
    if (index.lanes)
      return std::nullopt;
    for (unsigned lane = 0; lane < lanes; ++lane)
      pattern.offsets.push_back(index.getOffset(lane) - index.getOffset(0));
    int64_t start = int64_t(range.getStart()) + index.getOffset(0), of = 1;
    if (auto *known = dyn_cast<ConstantInt>(index.base))
      of = std::abs(known->getSExtValue() + start);
    else if (index.isChunk && index.step == 1)
      of = std::gcd(int64_t(lanes), std::abs(start));
    pattern.first = {of, true};
    return pattern;
  }
  if (!isElementwise(op) || op->getNumOperands() == 0 || op->getNumOperands() > 2 || op->getNumResults() != 1)
    return std::nullopt;
  auto x = findPattern(op->getOperand(0), indices);
  if (!x)
    return std::nullopt;
  if (mlir::isa<mlir::arith::ExtSIOp, mlir::arith::TruncIOp, mlir::arith::IndexCastOp>(op))
    return x;
  if (op->getNumOperands() == 1) {
    if (!mlir::isa<mlir::arith::ExtUIOp>(op) || !x->first.isNonNegative)
      return std::nullopt;
    return x;
  }
  auto y = findPattern(op->getOperand(1), indices);
  if (!y)
    return std::nullopt;
  if (mlir::isa<tt::AddPtrOp>(op)) {
    for (unsigned lane = 0; lane < lanes; ++lane)
      pattern.offsets.push_back(x->offsets[lane] + y->offsets[lane]);
    return pattern;
  }
  pattern.first = combineMultiples(op, x->first, y->first);
  if (x->isUniform() && y->isUniform())
    return makeUniform(pattern.first);
  if (mlir::isa<mlir::arith::AddIOp, mlir::arith::SubIOp>(op)) {
    int sign = mlir::isa<mlir::arith::AddIOp>(op) ? 1 : -1;
    for (unsigned lane = 0; lane < lanes; ++lane)
      pattern.offsets.push_back(x->offsets[lane] + sign * y->offsets[lane]);
    return pattern;
  }
  if (mlir::isa<mlir::arith::MulIOp>(op) || mlir::isa<mlir::arith::ShLIOp>(op)) {
    for (unsigned i : {0, 1}) {
      auto factor = getConstantInteger(op->getOperand(i));
      if (mlir::isa<mlir::arith::ShLIOp>(op) && (i == 0 || !factor || *factor < 0 || *factor >= 32))
        continue;
      if (!factor || std::abs(*factor) > (int64_t(1) << 32))
        continue;
      int64_t by = mlir::isa<mlir::arith::ShLIOp>(op) ? int64_t(1) << *factor : *factor;
      for (int64_t offset : (i == 0 ? y : x)->offsets)
        pattern.offsets.push_back(offset * by);
      return pattern;
    }
    return std::nullopt;
  }
  auto division = getDivision(op, x->first.isNonNegative);
  if (!division)
    return std::nullopt;
  auto [isQuotient, divisor] = *division;
  int64_t highest = *llvm::max_element(x->offsets);
  if (*llvm::min_element(x->offsets) < 0)
    return std::nullopt;
  if (x->first.of % divisor == 0) {
    // Lane 0 is a multiple of the divisor: the others count from there.
    for (int64_t offset : x->offsets)
      pattern.offsets.push_back(isQuotient ? offset / divisor : offset % divisor);
    pattern.first.isNonNegative |= !isQuotient;
    if (!isQuotient)
      pattern.first.of = 0;
    return pattern;
  }
  if (divisor % x->first.of == 0 && highest < x->first.of) {
    // All lanes are between the same two multiples of the divisor.
    for (int64_t offset : x->offsets)
      pattern.offsets.push_back(isQuotient ? 0 : offset);
    pattern.first.isNonNegative |= !isQuotient;
    if (!isQuotient)
      pattern.first.of = x->first.of;
    return pattern;
  }
  return std::nullopt;
}

/// A quotient or remainder whose lanes are at known distances: that of lane 0, and the distances.
Value *TileEvaluator::computeByPattern(mlir::Operation *op, const Indices &indices) {
  if (lanes == 1 || !getDivision(op, true) ||
      llvm::all_of(indices, [](const Index &index) { return index.isUniform(); }))
    return nullptr;
  auto pattern = getPattern(op->getResult(0), indices);
  if (!pattern)
    return nullptr;
  Value *first = pattern->first.of == 0
                     ? Constant::getNullValue(emitter.registerType(op->getResult(0).getType()))
                     : evaluate(op->getResult(0), atFirstLane(indices, false));
  if (pattern->isUniform())
    return first;
  SmallVector<Constant *> offsets;
  for (int64_t offset : pattern->offsets)
    offsets.push_back(ConstantInt::getSigned(first->getType(), offset));
  return b.CreateAdd(b.CreateVectorSplat(lanes, first), ConstantVector::get(offsets));
}

namespace {

/// Vectors in memory that together hold all lanes, from the lowest element to the highest and nothing beyond.
struct Windows {
  /// Where each begins, counted as the lanes' offsets are.
  SmallVector<int64_t, 4> starts;
  int64_t size = 0;

  /// The window that an element is taken from.
  unsigned find(int64_t offset) const {
    unsigned i = 0;
    while (i + 1 < starts.size() && offset >= starts[i] + size)
      ++i;
    return i;
  }
};

} // namespace

/// None if there would be more than a few.
static std::optional<Windows> getWindows(ArrayRef<int64_t> offsets) {
  constexpr int64_t mostWindows = 4;
  int64_t lowest = *llvm::min_element(offsets), highest = *llvm::max_element(offsets);
  int64_t span = highest - lowest + 1, lanes = offsets.size();
  Windows windows;
  windows.size = std::min<int64_t>(lanes, static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(span))));
  int64_t count = divideCeil(span, windows.size);
  if (count > mostWindows)
    return std::nullopt;
  for (int64_t i = 0; i + 1 < count; ++i)
    windows.starts.push_back(lowest + i * windows.size);
  windows.starts.push_back(highest - windows.size + 1);
  return windows;
}

static bool areDistinct(ArrayRef<int64_t> offsets) {
  SmallVector<int64_t> sorted(offsets);
  llvm::sort(sorted);
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

/// For each element of a window the lane that it belongs to, or -1.
static SmallVector<int> getLanesOf(const Windows &windows, unsigned window, ArrayRef<int64_t> offsets) {
  SmallVector<int> result(windows.size, -1);
  for (auto [lane, offset] : llvm::enumerate(offsets))
    if (windows.find(offset) == window)
      result[offset - windows.starts[window]] = lane;
  return result;
}

/// The mask of a window's elements: of those that belong to no lane it is false.
static Value *getWindowMask(IRBuilder<> &b, Value *mask, ArrayRef<int> lanesOf, unsigned lanes) {
  if (!mask)
    mask = Constant::getAllOnesValue(FixedVectorType::get(b.getInt1Ty(), lanes));
  SmallVector<int> from;
  for (int lane : lanesOf)
    from.push_back(lane < 0 ? int(lanes) : lane);
  return b.CreateShuffleVector(mask, Constant::getNullValue(mask->getType()), from);
}

/// Loads lanes at known distances from `base`; null if that is better done otherwise.
Value *TileEvaluator::loadPattern(Value *base, Type *stored, ArrayRef<int64_t> offsets, Value *mask,
                                  Value *passThrough, Align align) {
  auto windows = getWindows(offsets);
  if (!windows || (mask && !areDistinct(offsets)))
    return nullptr;
  auto *windowType = FixedVectorType::get(stored, windows->size);
  Value *result = nullptr;
  for (auto [window, start] : llvm::enumerate(windows->starts)) {
    SmallVector<int> lanesOf = getLanesOf(*windows, window, offsets);
    Value *address = b.CreateGEP(stored, base, b.getInt64(start));
    Value *loaded;
    if (mask)
      loaded = b.CreateMaskedLoad(windowType, address, align, getWindowMask(b, mask, lanesOf, lanes));
    else
      loaded = b.CreateAlignedLoad(windowType, address, align);
    // Picks the window's lanes, and keeps those of the windows before it.
    SmallVector<int> pick;
    for (int64_t offset : offsets)
      pick.push_back(windows->find(offset) == window ? int(offset - start) : -1);
    Value *picked = b.CreateShuffleVector(loaded, pick);
    if (!result) {
      result = picked;
      continue;
    }
    SmallVector<int> merge;
    for (auto [lane, from] : llvm::enumerate(pick))
      merge.push_back(from < 0 ? int(lane) : int(lane + lanes));
    result = b.CreateShuffleVector(result, picked, merge);
  }
  return mask ? b.CreateSelect(mask, result, passThrough) : result;
}

/// Stores lanes at known distances from `base`, without touching what lies between them; false if that is
/// better done otherwise.
bool TileEvaluator::storePattern(Value *base, Type *stored, ArrayRef<int64_t> offsets, Value *value,
                                 Value *mask, Align align) {
  auto windows = getWindows(offsets);
  if (!windows || !areDistinct(offsets))
    return false;
  for (auto [window, start] : llvm::enumerate(windows->starts)) {
    SmallVector<int> lanesOf = getLanesOf(*windows, window, offsets);
    Value *address = b.CreateGEP(stored, base, b.getInt64(start));
    b.CreateMaskedStore(b.CreateShuffleVector(value, lanesOf), address, align,
                        getWindowMask(b, mask, lanesOf, lanes));
  }
  return true;
}

} // namespace nereid::cpu
