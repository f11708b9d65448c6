// ttg.warp_specialize and its parts: the text, which is upstream's, what is checked, and how control flows.
//
// Partitions must not see values around them, which MLIR's passes only respect at operations that are
// isolated from above. So they are regions of an operation of their own, ttg.warp_specialize.partitions, the
// only one of the second region. In the text it does not show:
//
//     ttg.warp_specialize(%a) default { … } partition0(%x: i32) num_warps(4) { … } : (i32) -> ()
#include "compiler/dialects/ttg/Dialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::ttg {

//===-- Text -----------------------------------------------------------===//

ParseResult WarpSpecializeOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> captures;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseOperandList(captures, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseKeyword("default") ||
      parser.parseRegion(*result.addRegion()))
    return failure();

  OperationState partitions(result.location, WarpSpecializePartitionsOp::getOperationName());
  SmallVector<int32_t> numWarps;
  while (succeeded(parser.parseOptionalKeyword(("partition" + Twine(numWarps.size())).str()))) {
    SmallVector<OpAsmParser::Argument> arguments;
    if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
        parser.parseKeyword("num_warps") || parser.parseLParen() ||
        parser.parseInteger(numWarps.emplace_back()) || parser.parseRParen() ||
        parser.parseRegion(*partitions.addRegion(), arguments))
      return failure();
  }
  FunctionType types;
  if (parser.parseColonType(types))
    return failure();
  if (types.getNumInputs() != captures.size())
    return parser.emitError(start) << "there are " << captures.size() << " captures, but types of "
                                   << types.getNumInputs();
  if (parser.resolveOperands(captures, types.getInputs(), start, partitions.operands))
    return failure();
  result.addTypes(types.getResults());
  result.addAttribute(getPartitionNumWarpsAttrName(result.name),
                      parser.getBuilder().getDenseI32ArrayAttr(numWarps));
  OpBuilder builder(parser.getContext());
  Block &holder = result.addRegion()->emplaceBlock();
  builder.setInsertionPointToStart(&holder);
  builder.create(partitions);
  return success();
}

void WarpSpecializeOp::print(OpAsmPrinter &printer) {
  WarpSpecializePartitionsOp partitions = getPartitions();
  printer << '(' << partitions.getCaptures() << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getPartitionNumWarpsAttrName()});
  printer.printNewline();
  printer << "default ";
  printer.printRegion(getDefaultRegion(), /*printEntryBlockArgs=*/false);
  for (auto [i, region, numWarps] : llvm::enumerate(partitions.getRegions(), getPartitionNumWarps())) {
    printer.printNewline();
    printer << "partition" << i << '(';
    llvm::interleaveComma(region.getArguments(), printer,
                          [&](BlockArgument argument) { printer.printRegionArgument(argument); });
    printer << ") num_warps(" << numWarps << ") ";
    printer.printRegion(region, /*printEntryBlockArgs=*/false);
  }
  printer << " : ";
  printer.printFunctionalType(partitions.getCaptures().getTypes(), getResultTypes());
}

//===-- What is checked ------------------------------------------------===//

LogicalResult WarpSpecializeOp::verify() {
  auto partitions = dyn_cast<WarpSpecializePartitionsOp>(getHolder().front().back());
  if (!partitions || !llvm::hasSingleElement(getHolder().front()))
    return emitOpError("has its partitions, and nothing else, in its second region");
  size_t count = partitions.getNumRegions();
  if (getPartitionNumWarps().size() != count)
    return emitOpError("has ") << count << " partitions, but numbers of warps for "
                               << getPartitionNumWarps().size();
  for (auto [i, warps] : llvm::enumerate(getPartitionNumWarps()))
    if (warps < 1 || !llvm::isPowerOf2_32(warps))
      return emitOpError("has ") << warps << " warps for partition " << i << ", which must be a power of two";
  for (auto [name, numbers] : {std::pair("warpGroupStartIds", getWarpGroupStartIds()),
                               std::pair("requestedRegisters", getRequestedRegisters())})
    if (numbers && numbers->size() != count)
      return emitOpError("has ") << count << " partitions, but " << numbers->size() << " " << name;
  if (auto requested = getRequestedRegistersAttr())
    for (int32_t registers : requested.asArrayRef())
      if (registers < 24 || registers > 256)
        return emitOpError("gives a thread 24 to 256 registers, but has ") << registers;
  if (getWarpGroupStartIds()) {
    auto own = maybeGetNumWarps(*this);
    SmallVector<std::pair<int32_t, int32_t>> ranges;
    for (auto [first, warps] : llvm::zip_equal(*getWarpGroupStartIds(), getPartitionNumWarps()))
      ranges.push_back({first, first + warps});
    llvm::sort(ranges);
    int32_t end = own.value_or(0);
    for (auto [first, last] : ranges) {
      if (first < end)
        return emitOpError("gives warp ") << first << " to two regions";
      end = last;
    }
  }
  return success();
}

LogicalResult WarpSpecializeOp::verifyRegions() {
  if (getDefaultRegion().getNumArguments() != 0)
    return emitOpError("has a default region with arguments, but that sees the values around it");
  for (Operation *parent = (*this)->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<WarpSpecializeOp>(parent))
      return emitOpError("cannot be in a region of another one");
  return success();
}

LogicalResult WarpSpecializePartitionsOp::verify() {
  for (auto [i, region] : llvm::enumerate(getRegions()))
    if (region.getArgumentTypes() != getCaptures().getTypes())
      return emitOpError("has arguments of partition ") << i << " whose types are not those of the captures";
  return success();
}

LogicalResult WarpYieldOp::verify() {
  if (getValues().getTypes() != (*this)->getParentOp()->getResultTypes())
    return emitOpError("passes on values whose types are not those of the results");
  return success();
}

//===-- Warps ----------------------------------------------------------===//

WarpSpecializePartitionsOp WarpSpecializeOp::getPartitions() {
  return cast<WarpSpecializePartitionsOp>(getHolder().front().front());
}

SmallVector<unsigned> WarpSpecializeOp::getStartWarps() {
  ArrayRef<int32_t> numWarps = getPartitionNumWarps();
  if (getWarpGroupStartIds())
    return SmallVector<unsigned>(getWarpGroupStartIds()->begin(), getWarpGroupStartIds()->end());
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(numWarps.size()));
  // Matrix instructions of four warps need them to begin at a multiple of four.
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return numWarps[a] != numWarps[b] ? numWarps[a] > numWarps[b] : a < b;
  });
  SmallVector<unsigned> starts(numWarps.size());
  unsigned next = getNumWarps(*this);
  for (unsigned partition : order) {
    starts[partition] = next;
    next += numWarps[partition];
  }
  return starts;
}

unsigned WarpSpecializeOp::getTotalWarps() {
  unsigned total = getNumWarps(*this);
  for (auto [first, warps] : llvm::zip_equal(getStartWarps(), getPartitionNumWarps()))
    total = std::max(total, first + warps);
  constexpr unsigned warpsInGroup = 4;
  return getRequestedRegisters() ? llvm::alignTo(total, warpsInGroup) : total;
}

unsigned getTotalWarps(ModuleOp module) {
  unsigned total = getNumWarps(module);
  module.walk([&](WarpSpecializeOp op) { total = std::max(total, op.getTotalWarps()); });
  return total;
}

//===-- Control flow ---------------------------------------------------===//

void WarpSpecializeOp::getSuccessorRegions(RegionBranchPoint point,
                                           SmallVectorImpl<RegionSuccessor> &successors) {
  if (!point.isParent()) {
    successors.emplace_back(getOperation(), getResults());
    return;
  }
  successors.emplace_back(&getDefaultRegion());
  successors.emplace_back(&getHolder());
}

void WarpSpecializePartitionsOp::getSuccessorRegions(RegionBranchPoint point,
                                                     SmallVectorImpl<RegionSuccessor> &successors) {
  // What ends a partition leads nowhere: the threads behind the operation come out of the default region.
  if (!point.isParent())
    return;
  for (Region &region : getRegions())
    successors.emplace_back(&region, region.getArguments());
}

OperandRange WarpSpecializePartitionsOp::getEntrySuccessorOperands(RegionSuccessor) { return getCaptures(); }

} // namespace nereid::ttg
