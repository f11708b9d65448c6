// tl.load and tl.store through pointers, block pointers and tensor descriptors.
//
// Pointers, mask and other are brought to one shape; the mask's type is int1 and other's that of the
// elements. Booleans lie in memory as bytes, so a pointer to int1 is read and written as one to int8.
#include "compiler/frontends/python/builtins/LanguageTable.h"
#include "compiler/frontends/python/evaluation/ConstantFolding.h"
#include "compiler/frontends/semantics/Broadcasting.h"
#include "compiler/frontends/semantics/Casting.h"
#include "compiler/frontends/semantics/Memory.h"

#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace llvm;

namespace nereid::python {

template <typename Enum>
static Enum optionOf(Emitter &emitter, const Value &value, StringRef what, Enum absent,
                     std::initializer_list<std::pair<StringRef, Enum>> options) {
  if (value.isNone() || (value.isStr() && value.asStr().empty()))
    return absent;
  std::string known;
  for (auto &[name, option] : options) {
    if (value.isStr() && value.asStr() == name)
      return option;
    known += (known.empty() ? "'" : ", '") + name.str() + "'";
  }
  emitter.fail(what + " " + value.repr() + " is not known here; there are " + known);
}

static tt::EvictionPolicy evictionOf(Emitter &emitter, const Value &value) {
  return optionOf<tt::EvictionPolicy>(emitter, value, "eviction policy", tt::EvictionPolicy::NORMAL,
                                      {{"evict_first", tt::EvictionPolicy::EVICT_FIRST},
                                       {"evict_last", tt::EvictionPolicy::EVICT_LAST},
                                       {"evict_normal", tt::EvictionPolicy::NORMAL}});
}

static tt::CacheModifier loadCacheOf(Emitter &emitter, const Value &value) {
  return optionOf<tt::CacheModifier>(
      emitter, value, "cache modifier", tt::CacheModifier::NONE,
      {{".ca", tt::CacheModifier::CA}, {".cg", tt::CacheModifier::CG}, {".cv", tt::CacheModifier::CV}});
}

static tt::CacheModifier storeCacheOf(Emitter &emitter, const Value &value) {
  return optionOf<tt::CacheModifier>(emitter, value, "cache modifier", tt::CacheModifier::NONE,
                                     {{".wb", tt::CacheModifier::WB},
                                      {".cg", tt::CacheModifier::CG},
                                      {".cs", tt::CacheModifier::CS},
                                      {".wt", tt::CacheModifier::WT}});
}

static std::optional<tt::PaddingOption> paddingOf(Emitter &emitter, const Value &value) {
  return optionOf<std::optional<tt::PaddingOption>>(
      emitter, value, "padding option", std::nullopt,
      {{"zero", tt::PaddingOption::PAD_ZERO}, {"nan", tt::PaddingOption::PAD_NAN}});
}

static SmallVector<int32_t> boundaryOf(Emitter &emitter, const Value &value, size_t rank) {
  SmallVector<int32_t> axes;
  if (value.isNone())
    return axes;
  auto list = value.isTuple() ? value.asTuple().elements : std::vector<Value>{value};
  for (const Value &one : list) {
    BigInt axis = wholeNumber(emitter, one, "an axis of boundary_check");
    if (axis < 0 || axis >= static_cast<BigInt>(rank))
      emitter.fail("boundary_check names axis " + bigToString(axis) + " of a block of " + Twine(rank) +
                   " dimensions");
    if (is_contained(axes, static_cast<int32_t>(axis)))
      emitter.fail("boundary_check names axis " + bigToString(axis) + " twice");
    axes.push_back(static_cast<int32_t>(axis));
  }
  llvm::sort(axes);
  return axes;
}

static bool isEmptyOption(const Value &value) {
  return value.isNone() || (value.isStr() && value.asStr().empty()) ||
         (value.isTuple() && value.asTuple().elements.empty());
}

static Tensor pointerArgument(Emitter &emitter, const Value &value, StringRef function) {
  if (!value.isTensor())
    emitter.fail("tl." + function + " takes a pointer or a block of pointers, not " +
                 (value.isNone() ? std::string("None") : "a " + value.describe()));
  Tensor tensor = tensorOf(value);
  if (tensor.type.isDescriptor())
    emitter.fail("tl." + function + " does not take a tensor descriptor; use its ." + function + " method");
  if (!tensor.type.getScalar().isPointer())
    emitter.fail("tl." + function + " takes a pointer or a block of pointers, not a value of type " +
                 tensor.type.str());
  return tensor;
}

static std::optional<Tensor> maskArgument(Emitter &emitter, const Value &value, StringRef function) {
  if (value.isNone())
    return std::nullopt;
  Tensor mask = emitter.toTensor(value);
  if (!mask.type.getScalar().isInteger())
    emitter.fail("the mask of tl." + function + " must be of type int1, not " + mask.type.str());
  return castToBool(emitter, mask);
}

static Value loadBlock(Emitter &emitter, const Tensor &pointer, Arguments &arguments) {
  const Type &block = pointer.type.getElement();
  if (!arguments[1].isNone() || !arguments[2].isNone())
    emitter.fail("mask and other do not go with a block pointer; use boundary_check and padding_option");
  auto padding = paddingOf(emitter, arguments[4]);
  if (padding == tt::PaddingOption::PAD_NAN && !block.getElement().isFloat())
    emitter.fail("padding_option 'nan' does not go with elements of type " + block.getElement().str());
  auto boundary = boundaryOf(emitter, arguments[3], block.getShape().size());
  auto load =
      emitter.create<tt::LoadOp>(pointer.handle, boundary, padding, loadCacheOf(emitter, arguments[5]),
                                 evictionOf(emitter, arguments[6]), arguments[7].isTruthy());
  return Tensor{load, block};
}

static Value load(Emitter &emitter, Arguments &arguments) {
  Tensor pointer = pointerArgument(emitter, arguments[0], "load");
  if (pointer.type.isBlockPointer())
    return loadBlock(emitter, pointer, arguments);
  if (!isEmptyOption(arguments[3]) || !isEmptyOption(arguments[4]))
    emitter.fail("boundary_check and padding_option only go with block pointers; use mask and other");
  std::optional<Tensor> mask = maskArgument(emitter, arguments[1], "load");
  if (!arguments[2].isNone() && !mask)
    emitter.fail("`other` of tl.load needs a mask");
  std::optional<Tensor> other;
  if (!arguments[2].isNone())
    other = emitter.toTensor(arguments[2]);
  AccessOptions options{"tl.load", loadCacheOf(emitter, arguments[5]), evictionOf(emitter, arguments[6]),
                        arguments[7].isTruthy()};
  return makeLoad(emitter, pointer, mask, other, options);
}

static Value storeBlock(Emitter &emitter, const Tensor &pointer, Arguments &arguments) {
  const Type &block = pointer.type.getElement();
  if (!arguments[2].isNone())
    emitter.fail("mask does not go with a block pointer; use boundary_check");
  Tensor value = emitter.toTensor(arguments[1]);
  if (!value.type.isBlock())
    value = splat(emitter, castTo(emitter, value, block.getElement()), block.getShape());
  if (value.type.getShape() != block.getShape())
    emitter.fail("the value stored is of type " + value.type.str() + ", but the block pointer points to " +
                 block.str());
  if (value.type.getElement() != block.getElement())
    emitter.fail("the value stored has elements of type " + value.type.getElement().str() +
                 ", but the block pointer points to " + block.str() + "; convert it with .to");
  auto boundary = boundaryOf(emitter, arguments[3], block.getShape().size());
  emitter.create<tt::StoreOp>(pointer.handle, value.handle, boundary, storeCacheOf(emitter, arguments[4]),
                              evictionOf(emitter, arguments[5]));
  return {};
}

static Value store(Emitter &emitter, Arguments &arguments) {
  Tensor pointer = pointerArgument(emitter, arguments[0], "store");
  if (pointer.type.getScalar().isConstPointer())
    emitter.fail("cannot store through a pointer to const");
  if (pointer.type.isBlockPointer())
    return storeBlock(emitter, pointer, arguments);
  if (!isEmptyOption(arguments[3]))
    emitter.fail("boundary_check only goes with block pointers; use mask");
  Tensor value = emitter.toTensor(arguments[1]);
  std::optional<Tensor> mask = maskArgument(emitter, arguments[2], "store");
  makeStore(emitter, pointer, value, mask,
            {"tl.store", storeCacheOf(emitter, arguments[4]), evictionOf(emitter, arguments[5])});
  return {};
}

/// A list of integers, run-time ones among them, as values of one width.
static SmallVector<mlir::Value> integersOf(Emitter &emitter, const Value &list, ScalarKind kind,
                                           StringRef what, bool isOffset = false) {
  SmallVector<mlir::Value> handles;
  auto elements = list.isTuple() ? list.asTuple().elements : std::vector<Value>{list};
  for (const Value &element : elements) {
    Tensor tensor = emitter.toTensor(element);
    if (tensor.type.isBlock() || !tensor.type.isInteger())
      emitter.fail(what + " must be integer scalars, not " + tensor.type.str());
    if (isOffset && (element.isTensor() ? tensor.type.getBits() > 32 : !tensor.type.is(kind)))
      emitter.fail(what + " have 32 bits, but " +
                   (element.isTensor()
                        ? "this one is an " + tensor.type.str() + "; convert it with .to(tl.int32)"
                        : element.repr() + " is out of their range"));
    handles.push_back(castTo(emitter, tensor, kind).handle);
  }
  return handles;
}

static SmallVector<int32_t> constantsOf(Emitter &emitter, const Value &list, StringRef what) {
  SmallVector<int32_t> numbers;
  auto elements = list.isTuple() ? list.asTuple().elements : std::vector<Value>{list};
  for (const Value &element : elements) {
    BigInt number = wholeNumber(emitter, element, what);
    if (number < INT32_MIN || number > INT32_MAX)
      emitter.fail(what + " is " + bigToString(number) + ", which does not fit in 32 bits");
    numbers.push_back(static_cast<int32_t>(number));
  }
  return numbers;
}

/// The sizes of the blocks that a block pointer or a descriptor reads.
static SmallVector<int32_t> blockShapeOf(Emitter &emitter, const Value &list) {
  SmallVector<int32_t> sizes = constantsOf(emitter, list, "a size in block_shape");
  int64_t count = 1;
  for (int32_t size : sizes) {
    if (size <= 0 || !isPowerOf2_32(static_cast<uint32_t>(size)))
      emitter.fail("a size of a block must be a power of 2, but this one is " + Twine(size));
    count *= size;
    if (count > 1048576)
      emitter.fail("this block_shape has more than 1048576 elements");
  }
  return sizes;
}

static Value makeBlockPointer(Emitter &emitter, Arguments &arguments) {
  Tensor base = pointerArgument(emitter, arguments[0], "make_block_ptr");
  if (base.type.isBlock() || base.type.isBlockPointer())
    emitter.fail("the base of tl.make_block_ptr must be a scalar pointer, not " + base.type.str());
  base = asBytes(emitter, base);
  auto shape = integersOf(emitter, arguments[1], ScalarKind::Int64, "the shape of a block pointer");
  auto strides = integersOf(emitter, arguments[2], ScalarKind::Int64, "the strides of a block pointer");
  auto offsets = integersOf(emitter, arguments[3], ScalarKind::Int32, "the offsets of a block pointer",
                            /*isOffset=*/true);
  auto blockShape = blockShapeOf(emitter, arguments[4]);
  auto order = constantsOf(emitter, arguments[5], "an axis in order");
  size_t rank = blockShape.size();
  if (shape.size() != rank || strides.size() != rank || offsets.size() != rank || order.size() != rank)
    emitter.fail(
        "shape, strides, offsets, block_shape and order of tl.make_block_ptr must have the same length");
  SmallVector<int32_t> sorted(order);
  llvm::sort(sorted);
  for (auto [index, axis] : enumerate(sorted))
    if (axis != static_cast<int32_t>(index))
      emitter.fail("order of tl.make_block_ptr must name every axis once");
  Shape sizes(blockShape.begin(), blockShape.end());
  Type type = Type::pointer(Type::block(base.type.getElement(), sizes));
  return Tensor{emitter.create<tt::MakeTensorPtrOp>(base.handle, shape, strides, offsets, blockShape, order),
                type};
}

static Value makeDescriptor(Emitter &emitter, Arguments &arguments) {
  Tensor base = pointerArgument(emitter, arguments[0], "make_tensor_descriptor");
  auto shape = integersOf(emitter, arguments[1], ScalarKind::Int32, "the shape of a tensor descriptor");
  auto strides = integersOf(emitter, arguments[2], ScalarKind::Int64, "the strides of a tensor descriptor");
  auto blockShape = blockShapeOf(emitter, arguments[3]);
  if (blockShape.empty() || blockShape.size() > 5 || shape.size() != blockShape.size() ||
      strides.size() != blockShape.size())
    emitter.fail(
        "shape, strides and block_shape of tl.make_tensor_descriptor must have the same length, 1 to 5");
  const Value &lastStride = arguments[2].isTuple() ? arguments[2].asTuple().elements.back() : arguments[2];
  if (lastStride.isIntLike() && lastStride.asInt() != 1)
    emitter.fail("the last stride of a tensor descriptor must be 1, not " + lastStride.repr());
  if (base.type.isBlock() || !base.type.getElement().isScalarNumber())
    emitter.fail("the base of tl.make_tensor_descriptor must be a pointer to numbers, not " +
                 base.type.str());
  const Type &element = base.type.getElement();
  if (blockShape.back() * element.getBits() < 128)
    emitter.fail("the last dimension of a tensor descriptor's block must have at least 16 bytes, but has " +
                 Twine(blockShape.back() * element.getBits() / 8));
  Shape sizes(blockShape.begin(), blockShape.end());
  Type type = Type::descriptor(Type::block(element, sizes));
  auto padding = paddingOf(emitter, arguments[4]).value_or(tt::PaddingOption::PAD_ZERO);
  if (padding == tt::PaddingOption::PAD_NAN && !element.isFloat())
    emitter.fail("padding_option 'nan' does not go with elements of type " + element.str());
  return Tensor{emitter.create<tt::MakeTensorDescOp>(base.handle, shape, strides, blockShape,
                                                     element.isSignedInteger(), padding),
                type};
}

static Tensor descriptorArgument(Emitter &emitter, const Value &value) {
  if (!value.isTensor() || !value.asRunTime().type.isDescriptor())
    emitter.fail("expected a tensor descriptor, but got a " + value.describe());
  return tensorOf(value);
}

static SmallVector<mlir::Value> descriptorOffsets(Emitter &emitter, const Tensor &descriptor,
                                                  const Value &offsets) {
  auto values = integersOf(emitter, offsets, ScalarKind::Int32, "the offsets into a tensor descriptor",
                           /*isOffset=*/true);
  size_t rank = descriptor.type.getElement().getShape().size();
  if (values.size() != rank)
    emitter.fail("this tensor descriptor has " + Twine(rank) + " dimensions, but " + Twine(values.size()) +
                 " offsets are given");
  return values;
}

static Value loadDescriptor(Emitter &emitter, Arguments &arguments) {
  Tensor descriptor = descriptorArgument(emitter, arguments[0]);
  auto offsets = descriptorOffsets(emitter, descriptor, arguments[1]);
  const Type &block = descriptor.type.getElement();
  return Tensor{emitter.create<tt::DescriptorLoadOp>(toMLIR(block, emitter.getMLIRContext()),
                                                     descriptor.handle, offsets, tt::CacheModifier::NONE,
                                                     tt::EvictionPolicy::NORMAL),
                block};
}

static Tensor descriptorValue(Emitter &emitter, const Tensor &descriptor, const Value &value) {
  const Type &block = descriptor.type.getElement();
  Tensor tensor = emitter.toTensor(value);
  if (tensor.type.getShape() != block.getShape())
    emitter.fail("the value stored is of type " + tensor.type.str() + ", but the descriptor describes " +
                 block.str());
  return castTo(emitter, tensor, block.getElement());
}

static Value storeDescriptor(Emitter &emitter, Arguments &arguments) {
  Tensor descriptor = descriptorArgument(emitter, arguments[0]);
  auto offsets = descriptorOffsets(emitter, descriptor, arguments[1]);
  Tensor value = descriptorValue(emitter, descriptor, arguments[2]);
  emitter.create<tt::DescriptorStoreOp>(descriptor.handle, value.handle, offsets);
  return {};
}

/// The offsets of the rows that gather reads or scatter writes, checked with the descriptor.
static Tensor rowsArgument(Emitter &emitter, const Tensor &descriptor, const Value &value, StringRef method) {
  const Type &block = descriptor.type.getElement();
  if (block.getShape().size() != 2 || block.getShape()[0] != 1)
    emitter.fail("." + method + " needs a tensor descriptor of single rows, [1, N], but this one describes " +
                 block.str());
  Tensor rows = emitter.toTensor(value);
  if (rows.type.getShape().size() != 1 || !rows.type.getScalar().isInteger())
    emitter.fail("the rows of ." + method + " must be a block of integers of one dimension, not " +
                 rows.type.str());
  if (rows.type.getShape()[0] < 8)
    emitter.fail("." + method + " needs at least 8 rows, but gets " + Twine(rows.type.getShape()[0]));
  int64_t columns = 32 / std::max(8u, block.getElement().getBits()) * 8;
  if (block.getShape()[1] < columns)
    emitter.fail("." + method + " of " + block.getElement().str() + " needs at least " + Twine(columns) +
                 " columns, but the descriptor describes " + block.str());
  return castTo(emitter, rows, ScalarKind::Int32);
}

static Value gatherDescriptor(Emitter &emitter, Arguments &arguments) {
  Tensor descriptor = descriptorArgument(emitter, arguments[0]);
  Tensor rows = rowsArgument(emitter, descriptor, arguments[1], "gather");
  auto column =
      integersOf(emitter, arguments[2], ScalarKind::Int32, "the column of .gather", /*isOffset=*/true);
  const Type &block = descriptor.type.getElement();
  Type type = Type::block(block.getElement(), {rows.type.getShape()[0], block.getShape()[1]});
  return Tensor{emitter.create<tt::DescriptorGatherOp>(toMLIR(type, emitter.getMLIRContext()),
                                                       descriptor.handle, rows.handle, column[0]),
                type};
}

static Value scatterDescriptor(Emitter &emitter, Arguments &arguments) {
  Tensor descriptor = descriptorArgument(emitter, arguments[0]);
  Tensor rows = rowsArgument(emitter, descriptor, arguments[2], "scatter");
  auto column =
      integersOf(emitter, arguments[3], ScalarKind::Int32, "the column of .scatter", /*isOffset=*/true);
  const Type &block = descriptor.type.getElement();
  Tensor value = emitter.toTensor(arguments[1]);
  Shape shape{rows.type.getShape()[0], block.getShape()[1]};
  if (value.type.getShape() != ArrayRef<int64_t>(shape))
    emitter.fail("the value that .scatter writes is of type " + value.type.str() + ", but must have shape " +
                 shapeToString(shape));
  value = castTo(emitter, value, block.getElement());
  emitter.create<tt::DescriptorScatterOp>(descriptor.handle, rows.handle, column[0], value.handle);
  return {};
}

/// What memory can be reduced with, as Triton has it.
static void checkReduction(Emitter &emitter, StringRef name, tt::DescriptorReduceKind kind,
                           const Type &element) {
  bool isHalf = element.is(ScalarKind::FP16) || element.is(ScalarKind::BF16);
  bool isWide = element.isInteger() && element.getBits() >= 32, isInt64 = element.is(ScalarKind::Int64);
  bool known = isWide;
  if (kind == tt::DescriptorReduceKind::ADD)
    known = (isWide && !isInt64) || isHalf || element.is(ScalarKind::FP32);
  else if (kind == tt::DescriptorReduceKind::MIN || kind == tt::DescriptorReduceKind::MAX)
    known = isWide || isHalf;
  if (!known)
    emitter.fail(".atomic_" + name + " of a tensor descriptor does not go with elements of type " +
                 element.str());
}

void addMemoryBuiltins(LanguageTable &table) {
  table.add("tl.load",
            "pointer, mask=None, other=None, boundary_check=(), padding_option='', cache_modifier='', "
            "eviction_policy='', volatile=False",
            load);
  table.add("tl.store", "pointer, value, mask=None, boundary_check=(), cache_modifier='', eviction_policy=''",
            store);
  table.add("tl.make_block_ptr", "base, shape, strides, offsets, block_shape, order", makeBlockPointer);
  table.add("tl.advance", "base, offsets", [](Emitter &emitter, Arguments &arguments) -> Value {
    Tensor base = emitter.toTensor(arguments[0]);
    if (!base.type.isBlockPointer())
      emitter.fail("tl.advance takes a block pointer, not " + base.type.str());
    auto offsets =
        integersOf(emitter, arguments[1], ScalarKind::Int32, "the offsets of tl.advance", /*isOffset=*/true);
    if (offsets.size() != base.type.getElement().getShape().size())
      emitter.fail("tl.advance needs " + Twine(base.type.getElement().getShape().size()) +
                   " offsets, but gets " + Twine(offsets.size()));
    return Tensor{emitter.create<tt::AdvanceOp>(base.handle.getType(), base.handle, offsets), base.type};
  });
  table.add("tl.make_tensor_descriptor", "base, shape, strides, block_shape, padding_option='zero'",
            makeDescriptor);
  table.add("descriptor.load", "self, offsets", loadDescriptor);
  table.add("descriptor.store", "self, offsets, value", storeDescriptor);
  table.add("descriptor.gather", "self, x_offsets, y_offset", gatherDescriptor);
  table.add("descriptor.scatter", "self, value, x_offsets, y_offset", scatterDescriptor);
  table.addAlias("tl.load_tensor_descriptor", "descriptor.load");
  table.addAlias("tl.store_tensor_descriptor", "descriptor.store");
  table.addMethods({"store", "advance"});
  for (auto [name, kind] :
       {std::pair<const char *, tt::DescriptorReduceKind>{"add", tt::DescriptorReduceKind::ADD},
        {"min", tt::DescriptorReduceKind::MIN},
        {"max", tt::DescriptorReduceKind::MAX},
        {"and", tt::DescriptorReduceKind::AND},
        {"or", tt::DescriptorReduceKind::OR},
        {"xor", tt::DescriptorReduceKind::XOR}})
    table.add(("descriptor.atomic_" + Twine(name)).str(), "self, offsets, value",
              [name = name, kind = kind](Emitter &emitter, Arguments &arguments) -> Value {
                Tensor descriptor = descriptorArgument(emitter, arguments[0]);
                auto offsets = descriptorOffsets(emitter, descriptor, arguments[1]);
                Tensor value = descriptorValue(emitter, descriptor, arguments[2]);
                checkReduction(emitter, name, kind, value.type.getElement());
                emitter.create<tt::DescriptorReduceOp>(kind, descriptor.handle, value.handle, offsets);
                return {};
              });
}

} // namespace nereid::python
