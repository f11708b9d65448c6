// Registration of the ttg dialect, the names that printed IR gives to layouts, and the attributes of modules.
#include "compiler/dialects/ttg/Dialect.h"

#include "compiler/dialects/ttg/LayoutInference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/Support/MathExtras.h"

#include "compiler/dialects/ttg/Dialect.cpp.inc"

using namespace mlir;

namespace nereid::ttg {

namespace {

// #blocked, #blocked1, #mma, #shared, #smem at the top of the module, as upstream prints them.
struct TTGAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, llvm::raw_ostream &os) const final {
    StringRef name;
    if (isa<BlockedEncodingAttr>(attribute))
      name = "blocked";
    else if (isa<LinearEncodingAttr>(attribute))
      name = "linear";
    else if (isa<NvidiaMmaEncodingAttr, AMDMfmaEncodingAttr, AMDWmmaEncodingAttr>(attribute))
      name = "mma";
    else if (isSharedLayout(attribute))
      name = "shared";
    else if (isa<SharedMemorySpaceAttr>(attribute))
      name = "smem";
    else
      return AliasResult::NoAlias;
    os << name;
    return AliasResult::FinalAlias;
  }
};

struct TTGInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

std::optional<unsigned> readModuleAttribute(Operation *op, StringRef name) {
  for (; op; op = op->getParentOp())
    if (auto value = op->getAttrOfType<IntegerAttr>(name))
      return unsigned(value.getInt());
  return std::nullopt;
}

unsigned requireModuleAttribute(Operation *op, StringRef name) {
  std::optional<unsigned> value = readModuleAttribute(op, name);
  if (!value)
    llvm::report_fatal_error(Twine("the module has no attribute '") + name + "'");
  return *value;
}

} // namespace

void TTGDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialects/ttg/Ops.cpp.inc"
      >();
  addInterfaces<TTGAsmInterface, TTGInlinerInterface, TTGLayoutInterface>();
}

Operation *TTGDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                           Location location) {
  return arith::ConstantOp::materialize(builder, value, type, location);
}

LogicalResult TTGDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name != numWarpsName && name != threadsPerWarpName && name != numCTAsName)
    return success();
  auto value = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!value || value.getInt() < 1 || !llvm::isPowerOf2_64(value.getInt()))
    return op->emitOpError("has attribute '")
           << name << "', which must be a power of two, but is " << attribute.getValue();
  return success();
}

std::optional<unsigned> maybeGetNumWarps(Operation *op) {
  for (Operation *inner = op; Operation *parent = inner->getParentOp(); inner = parent)
    if (auto partitions = dyn_cast<WarpSpecializePartitionsOp>(parent))
      if (auto specialize = dyn_cast_or_null<WarpSpecializeOp>(partitions->getParentOp())) {
        size_t number = inner->getParentRegion()->getRegionNumber();
        if (number < specialize.getPartitionNumWarps().size())
          return specialize.getPartitionNumWarps()[number];
      }
  return readModuleAttribute(op, numWarpsName);
}
std::optional<unsigned> maybeGetThreadsPerWarp(Operation *op) {
  return readModuleAttribute(op, threadsPerWarpName);
}
unsigned getNumWarps(Operation *op) {
  std::optional<unsigned> value = maybeGetNumWarps(op);
  return value ? *value : requireModuleAttribute(op, numWarpsName);
}
unsigned getThreadsPerWarp(Operation *op) { return requireModuleAttribute(op, threadsPerWarpName); }
unsigned getNumCTAs(Operation *op) { return readModuleAttribute(op, numCTAsName).value_or(1); }

StringRef getTargetName(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto value = op->getAttrOfType<StringAttr>(targetName))
      return value.getValue();
  return {};
}

void setModuleAttributes(ModuleOp module, unsigned numWarps, unsigned threadsPerWarp, unsigned numCTAs,
                         StringRef target) {
  Builder builder(module.getContext());
  module->setAttr(numWarpsName, builder.getI32IntegerAttr(numWarps));
  module->setAttr(threadsPerWarpName, builder.getI32IntegerAttr(threadsPerWarp));
  module->setAttr(numCTAsName, builder.getI32IntegerAttr(numCTAs));
  module->setAttr(targetName, builder.getStringAttr(target));
}

} // namespace nereid::ttg
