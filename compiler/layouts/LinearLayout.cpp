// The operations on layouts. Columns are packed outputs, so most of them move bit fields; the rest is
// f2::Span.
#include "compiler/layouts/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

namespace nereid {

using f2::Vector;
using f2::Vectors;

std::string getDimName(Dim dim) {
  switch (dim) {
  case Dim::Register:
    return "register";
  case Dim::Lane:
    return "lane";
  case Dim::Warp:
    return "warp";
  case Dim::Block:
    return "block";
  case Dim::Offset:
    return "offset";
  default:
    return "dim" + std::to_string(unsigned(dim) - unsigned(Dim::Dim0));
  }
}

static Vector lowMask(unsigned bits) { return bits >= 64 ? ~Vector(0) : (Vector(1) << bits) - 1; }

static unsigned totalBits(llvm::ArrayRef<LinearLayout::DimBits> dims) {
  unsigned total = 0;
  for (const LinearLayout::DimBits &dim : dims)
    total += dim.bits;
  return total;
}

static unsigned shiftOf(llvm::ArrayRef<LinearLayout::DimBits> dims, Dim name) {
  unsigned shift = 0;
  for (const LinearLayout::DimBits &dim : dims) {
    if (dim.dim == name)
      return shift;
    shift += dim.bits;
  }
  assert(false && "no such dimension");
  return 0;
}

const LinearLayout::DimBits *LinearLayout::find(llvm::ArrayRef<DimBits> dims, Dim dim) {
  for (const DimBits &candidate : dims)
    if (candidate.dim == dim)
      return &candidate;
  return nullptr;
}

Vector LinearLayout::pack(llvm::ArrayRef<DimBits> dims, llvm::ArrayRef<Index> index) {
  Vector packed = 0;
  for (const Index &coordinate : index) {
    assert(find(dims, coordinate.first) && "no such dimension");
    assert(coordinate.second < find(dims, coordinate.first)->size() && "index beyond the dimension");
    packed |= Vector(coordinate.second) << shiftOf(dims, coordinate.first);
  }
  return packed;
}

LinearLayout::Indices LinearLayout::unpack(llvm::ArrayRef<DimBits> dims, Vector packed) {
  Indices result;
  for (const DimBits &dim : dims) {
    result.push_back({dim.dim, uint32_t(packed & lowMask(dim.bits))});
    packed >>= dim.bits;
  }
  return result;
}

// ---- Construction ----

LinearLayout LinearLayout::identity1D(unsigned size, Dim in, Dim out) {
  assert(llvm::isPowerOf2_32(size));
  LinearLayout result;
  result.ins = {{in, llvm::Log2_32(size)}};
  result.outs = {{out, llvm::Log2_32(size)}};
  result.columns = f2::units(llvm::Log2_32(size));
  return result;
}

LinearLayout LinearLayout::zeros1D(unsigned size, Dim in, Dim out, unsigned outSize) {
  assert(llvm::isPowerOf2_32(size) && llvm::isPowerOf2_32(outSize));
  LinearLayout result;
  result.ins = {{in, llvm::Log2_32(size)}};
  result.outs = {{out, llvm::Log2_32(outSize)}};
  result.columns.assign(llvm::Log2_32(size), 0);
  return result;
}

LinearLayout LinearLayout::fromBases(llvm::ArrayRef<InputBases> inputs, llvm::ArrayRef<DimBits> outs) {
  LinearLayout result;
  result.outs.assign(outs.begin(), outs.end());
  for (const InputBases &input : inputs) {
    result.ins.push_back({input.dim, unsigned(input.bases.size())});
    for (const auto &basis : input.bases) {
      assert(basis.size() == outs.size() && "one coordinate an output dimension");
      Vector column = 0;
      unsigned shift = 0;
      for (auto [coordinate, out] : llvm::zip(basis, outs)) {
        assert(coordinate < out.size() && "basis beyond the dimension");
        column |= Vector(coordinate) << shift;
        shift += out.bits;
      }
      result.columns.push_back(column);
    }
  }
  return result;
}

LinearLayout LinearLayout::fromColumns(llvm::ArrayRef<DimBits> ins, llvm::ArrayRef<DimBits> outs,
                                       llvm::ArrayRef<Vector> columns) {
  assert(totalBits(ins) == columns.size());
  assert(llvm::all_of(columns, [&](Vector column) { return (column & ~lowMask(totalBits(outs))) == 0; }));
  LinearLayout result;
  result.ins.assign(ins.begin(), ins.end());
  result.outs.assign(outs.begin(), outs.end());
  result.columns.assign(columns.begin(), columns.end());
  return result;
}

// ---- Shape ----

unsigned LinearLayout::getInBits(Dim dim) const {
  const DimBits *found = find(ins, dim);
  return found ? found->bits : 0;
}

unsigned LinearLayout::getOutBits(Dim dim) const {
  const DimBits *found = find(outs, dim);
  return found ? found->bits : 0;
}

unsigned LinearLayout::getTotalOutBits() const { return totalBits(outs); }
unsigned LinearLayout::getInShift(Dim dim) const { return shiftOf(ins, dim); }
unsigned LinearLayout::getOutShift(Dim dim) const { return shiftOf(outs, dim); }

llvm::ArrayRef<Vector> LinearLayout::getColumns(Dim in) const {
  if (!hasInDim(in))
    return {};
  return llvm::ArrayRef(columns).slice(getInShift(in), getInBits(in));
}

uint32_t LinearLayout::getBasis(Dim in, unsigned bit, Dim out) const {
  return (getColumns(in)[bit] >> getOutShift(out)) & lowMask(getOutBits(out));
}

// ---- Application ----

LinearLayout::Indices LinearLayout::apply(llvm::ArrayRef<Index> index) const {
  return unpackOut(applyFlat(packIn(index)));
}

uint32_t LinearLayout::apply(llvm::ArrayRef<Index> index, Dim out) const {
  return (applyFlat(packIn(index)) >> getOutShift(out)) & lowMask(getOutBits(out));
}

// ---- Algebra ----

LinearLayout operator*(const LinearLayout &low, const LinearLayout &high) {
  using DimBits = LinearLayout::DimBits;
  LinearLayout result;
  auto stack = [](llvm::ArrayRef<DimBits> lowDims, llvm::ArrayRef<DimBits> highDims) {
    LinearLayout::Dims dims(lowDims.begin(), lowDims.end());
    for (const DimBits &dim : highDims) {
      auto *found = llvm::find_if(dims, [&](const DimBits &other) { return other.dim == dim.dim; });
      if (found != dims.end())
        found->bits += dim.bits;
      else
        dims.push_back(dim);
    }
    return dims;
  };
  result.ins = stack(low.ins, high.ins);
  result.outs = stack(low.outs, high.outs);

  // A column of either side, moved to where its output dimensions lie in the result; the high side's above
  // the low's.
  auto place = [&](Vector column, const LinearLayout &side, bool isHigh) {
    Vector placed = 0;
    for (const DimBits &dim : side.outs) {
      unsigned shift = result.getOutShift(dim.dim) + (isHigh ? low.getOutBits(dim.dim) : 0);
      placed |= (column & lowMask(dim.bits)) << shift;
      column >>= dim.bits;
    }
    return placed;
  };
  for (const DimBits &dim : result.ins) {
    for (Vector column : low.getColumns(dim.dim))
      result.columns.push_back(place(column, low, false));
    for (Vector column : high.getColumns(dim.dim))
      result.columns.push_back(place(column, high, true));
  }
  return result;
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  // Where each of this layout's output bits goes in outer.
  Vectors outerColumns;
  for (const DimBits &dim : outs) {
    assert(outer.getInBits(dim.dim) >= dim.bits && "output does not fit the next layout's input");
    for (unsigned bit = 0; bit != dim.bits; ++bit)
      outerColumns.push_back(outer.getColumns(dim.dim)[bit]);
  }
  LinearLayout result;
  result.ins = ins;
  result.outs = outer.outs;
  for (Vector column : columns)
    result.columns.push_back(f2::multiply(outerColumns, column));
  return result;
}

std::optional<LinearLayout> LinearLayout::invertAndCompose(const LinearLayout &other) const {
  llvm::SmallVector<Dim, 4> order;
  for (const DimBits &dim : other.outs)
    order.push_back(dim.dim);
  LinearLayout self = reorderOuts(order);
  assert(self.outs == other.outs && "layouts of different tensors");

  f2::Span span(other.columns);
  LinearLayout result;
  result.ins = ins;
  result.outs = other.ins;
  for (Vector column : self.columns) {
    std::optional<Vector> combination = span.express(column);
    if (!combination)
      return std::nullopt;
    result.columns.push_back(*combination);
  }
  return result;
}

LinearLayout LinearLayout::invert() const {
  assert(isInvertible());
  return pseudoInvert();
}

LinearLayout LinearLayout::pseudoInvert() const {
  f2::Span span(columns);
  LinearLayout result;
  result.ins = outs;
  result.outs = ins;
  for (Vector unit : f2::units(getTotalOutBits())) {
    std::optional<Vector> combination = span.express(unit);
    assert(combination && "only a surjective layout has a right inverse");
    result.columns.push_back(combination.value_or(0));
  }
  return result;
}

LinearLayout LinearLayout::sublayout(llvm::ArrayRef<Dim> keepIns, llvm::ArrayRef<Dim> keepOuts) const {
  LinearLayout result;
  for (const DimBits &dim : ins)
    if (llvm::is_contained(keepIns, dim.dim)) {
      result.ins.push_back(dim);
      llvm::append_range(result.columns, getColumns(dim.dim));
    }
  result.outs = outs;
  for (const DimBits &dim : outs)
    if (!llvm::is_contained(keepOuts, dim.dim))
      result = result.dropOut(dim.dim);
  return result;
}

bool LinearLayout::sublayoutIsZero(llvm::ArrayRef<Dim> someIns, llvm::ArrayRef<Dim> someOuts) const {
  LinearLayout part = sublayout(someIns, someOuts);
  return llvm::all_of(part.columns, [](Vector column) { return column == 0; });
}

bool LinearLayout::isTrivialOver(Dim dim) const { return quotient(dim).has_value(); }

std::optional<LinearLayout> LinearLayout::quotient(Dim dim) const {
  if (!hasInDim(dim) || !hasOutDim(dim) || getInBits(dim) != getOutBits(dim))
    return std::nullopt;
  unsigned shift = getOutShift(dim);
  Vector field = lowMask(getOutBits(dim)) << shift;
  LinearLayout result;
  for (const DimBits &in : ins) {
    for (auto [bit, column] : llvm::enumerate(getColumns(in.dim))) {
      if (in.dim == dim ? column != Vector(1) << (shift + bit) : (column & field) != 0)
        return std::nullopt;
      if (in.dim != dim)
        result.columns.push_back(column);
    }
    if (in.dim != dim)
      result.ins.push_back(in);
  }
  result.outs = outs;
  return result.dropOut(dim);
}

std::optional<LinearLayout> LinearLayout::divideLeft(const LinearLayout &divisor) const {
  for (const DimBits &dim : divisor.ins)
    if (dim.bits > getInBits(dim.dim))
      return std::nullopt;
  for (const DimBits &dim : divisor.outs)
    if (dim.bits > getOutBits(dim.dim))
      return std::nullopt;
  LinearLayout result;
  for (const DimBits &dim : outs)
    result.outs.push_back({dim.dim, dim.bits - divisor.getOutBits(dim.dim)});
  for (const DimBits &dim : ins) {
    unsigned low = divisor.getInBits(dim.dim);
    result.ins.push_back({dim.dim, dim.bits - low});
    for (Vector column : getColumns(dim.dim).drop_front(low)) {
      Vector quotientColumn = 0;
      for (const DimBits &out : outs) {
        Vector coordinate = (column >> getOutShift(out.dim)) & lowMask(out.bits);
        quotientColumn |= coordinate >> divisor.getOutBits(out.dim) << result.getOutShift(out.dim);
      }
      result.columns.push_back(quotientColumn);
    }
  }
  // The candidate is right if multiplying gives this layout back; anything that mixes the two parts shows
  // here.
  LinearLayout product = divisor * result;
  llvm::SmallVector<Dim, 4> inOrder, outOrder;
  for (const DimBits &dim : ins)
    inOrder.push_back(dim.dim);
  for (const DimBits &dim : outs)
    outOrder.push_back(dim.dim);
  if (product.reorderIns(inOrder).reorderOuts(outOrder) != *this)
    return std::nullopt;
  return result;
}

LinearLayout LinearLayout::reorderIns(llvm::ArrayRef<Dim> order) const {
  assert(order.size() == ins.size());
  LinearLayout result;
  result.outs = outs;
  for (Dim dim : order) {
    assert(hasInDim(dim));
    result.ins.push_back({dim, getInBits(dim)});
    llvm::append_range(result.columns, getColumns(dim));
  }
  return result;
}

LinearLayout LinearLayout::reorderOuts(llvm::ArrayRef<Dim> order) const {
  assert(order.size() == outs.size());
  LinearLayout result;
  result.ins = ins;
  for (Dim dim : order) {
    assert(hasOutDim(dim));
    result.outs.push_back({dim, getOutBits(dim)});
  }
  for (Vector column : columns) {
    Vector moved = 0;
    for (const DimBits &dim : result.outs)
      moved |= ((column >> getOutShift(dim.dim)) & lowMask(dim.bits)) << result.getOutShift(dim.dim);
    result.columns.push_back(moved);
  }
  return result;
}

LinearLayout LinearLayout::reshapeOuts(llvm::ArrayRef<DimBits> newOuts) const {
  assert(totalBits(newOuts) == getTotalOutBits());
  return fromColumns(ins, newOuts, columns);
}

LinearLayout LinearLayout::reshapeIns(llvm::ArrayRef<DimBits> newIns) const {
  assert(totalBits(newIns) == getTotalInBits());
  return fromColumns(newIns, outs, columns);
}

LinearLayout LinearLayout::renameOut(Dim from, Dim to) const {
  assert(from == to || !hasOutDim(to));
  LinearLayout result = *this;
  for (DimBits &dim : result.outs)
    if (dim.dim == from)
      dim.dim = to;
  return result;
}

LinearLayout LinearLayout::dropOut(Dim dim) const {
  unsigned shift = getOutShift(dim), bits = getOutBits(dim);
  LinearLayout result;
  result.ins = ins;
  for (const DimBits &out : outs)
    if (out.dim != dim)
      result.outs.push_back(out);
  for (Vector column : columns)
    result.columns.push_back((column & lowMask(shift)) | (column & ~lowMask(shift + bits)) >> bits);
  return result;
}

LinearLayout LinearLayout::removeInBits(Dim dim, uint32_t mask) const {
  LinearLayout result;
  result.outs = outs;
  for (const DimBits &in : ins) {
    DimBits kept = {in.dim, 0};
    for (auto [bit, column] : llvm::enumerate(getColumns(in.dim)))
      if (in.dim != dim || !(mask >> bit & 1)) {
        result.columns.push_back(column);
        ++kept.bits;
      }
    result.ins.push_back(kept);
  }
  return result;
}

LinearLayout LinearLayout::withInDim(Dim dim) const {
  LinearLayout result = *this;
  if (!hasInDim(dim))
    result.ins.push_back({dim, 0});
  return result;
}

// ---- Questions that code generation asks ----

llvm::SmallVector<uint32_t, 4> LinearLayout::getFreeVariableMasks() const {
  f2::Span span;
  llvm::SmallVector<uint32_t, 4> masks;
  for (const DimBits &dim : ins) {
    uint32_t mask = 0;
    for (auto [bit, column] : llvm::enumerate(getColumns(dim.dim)))
      if (!span.add(column))
        mask |= 1u << bit;
    masks.push_back(mask);
  }
  return masks;
}

uint32_t LinearLayout::getFreeVariableMask(Dim in) const {
  llvm::SmallVector<uint32_t, 4> masks = getFreeVariableMasks();
  for (auto [dim, mask] : llvm::zip(ins, masks))
    if (dim.dim == in)
      return mask;
  return 0;
}

unsigned LinearLayout::getNumConsecutive(Dim in, Dim out) const {
  if (!hasInDim(in) || !hasOutDim(out))
    return 1;
  llvm::ArrayRef<Vector> bases = getColumns(in);
  unsigned shift = getOutShift(out);
  unsigned bits = 0;
  while (bits != bases.size() && bits != getOutBits(out) && bases[bits] == Vector(1) << (shift + bits))
    ++bits;
  // Were another basis to touch the low bits, a run would not begin at a multiple of its length.
  unsigned inShift = getInShift(in);
  for (auto [i, column] : llvm::enumerate(columns)) {
    Vector low = (column >> shift) & lowMask(bits);
    if (low && !(i >= inShift && i < inShift + bits))
      bits = llvm::countr_zero(low);
  }
  return 1u << bits;
}

bool LinearLayout::isSameMap(const LinearLayout &other) const {
  if (outs.size() != other.outs.size())
    return false;
  llvm::SmallVector<Dim, 4> order;
  for (const DimBits &dim : outs) {
    if (!other.hasOutDim(dim.dim))
      return false;
    order.push_back(dim.dim);
  }
  return other.reorderOuts(order) == *this;
}

std::string LinearLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const DimBits &dim : ins) {
    os << getDimName(dim.dim) << ":";
    for (unsigned bit = 0; bit != dim.bits; ++bit) {
      os << (bit ? ", " : " ") << (1u << bit) << " -> (";
      llvm::interleaveComma(outs, os, [&](const DimBits &out) { os << getBasis(dim.dim, bit, out.dim); });
      os << ")";
    }
    os << "\n";
  }
  os << "where out dims are: [";
  llvm::interleaveComma(
      outs, os, [&](const DimBits &out) { os << getDimName(out.dim) << " (size " << out.size() << ")"; });
  os << "]\n";
  return text;
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const LinearLayout &layout) {
  return os << layout.str();
}

} // namespace nereid
