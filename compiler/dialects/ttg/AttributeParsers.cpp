// The text of each layout, which is upstream's: #ttg.blocked<{sizePerThread = [4], ...}> and so on. The
// generated definitions of the attributes are compiled here too, because reading one makes one.
#include "compiler/dialects/ttg/AttributeText.h"
#include "compiler/dialects/ttg/Dialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialects/ttg/Attributes.cpp.inc"

using namespace mlir;

namespace nereid::ttg {

void TTGDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialects/ttg/Attributes.cpp.inc"
      >();
}

namespace {

using Sizes = SmallVector<unsigned>;
using Bases = SmallVector<int32_t>;

// `<{...}>` with the reads of one layout in between.
ParseResult parseBody(AsmParser &parser, FieldReader &fields, function_ref<ParseResult()> readFields) {
  return failure(parser.parseLess() || fields.parseFields() || readFields() || fields.finish() ||
                 parser.parseGreater());
}

} // namespace

Attribute BlockedEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser, getMnemonic());
  Sizes sizePerThread, threadsPerWarp, warpsPerCTA, order;
  Bases cgaLayout;
  auto location = parser.getCurrentLocation();
  auto read = [&]() -> ParseResult {
    if (fields.read("sizePerThread", sizePerThread) || fields.read("threadsPerWarp", threadsPerWarp) ||
        fields.read("warpsPerCTA", warpsPerCTA) || fields.read("order", order))
      return failure();
    unsigned rank = order.size();
    return fields.readOptionalBases("CGALayout", rank, cgaLayout);
  };
  if (parseBody(parser, fields, read))
    return {};
  return parser.getChecked<BlockedEncodingAttr>(location, parser.getContext(), sizePerThread, threadsPerWarp,
                                                warpsPerCTA, order, cgaLayout);
}

void BlockedEncodingAttr::print(AsmPrinter &printer) const {
  auto &os = printer.getStream();
  os << "<{sizePerThread = ";
  printSizes(os, getSizePerThread());
  os << ", threadsPerWarp = ";
  printSizes(os, getThreadsPerWarp());
  os << ", warpsPerCTA = ";
  printSizes(os, getWarpsPerCTA());
  os << ", order = ";
  printSizes(os, getOrder());
  printCGALayout(os, getRank(), getCgaLayout());
  os << "}>";
}

Attribute SliceEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser, getMnemonic());
  unsigned dim = 0;
  Attribute parent;
  auto location = parser.getCurrentLocation();
  auto read = [&]() -> ParseResult {
    return failure(fields.read("dim", dim) || fields.read("parent", parent));
  };
  if (parseBody(parser, fields, read))
    return {};
  return parser.getChecked<SliceEncodingAttr>(location, parser.getContext(), dim, parent);
}

void SliceEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{dim = " << getDim() << ", parent = " << getParent() << "}>";
}

Attribute LinearEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser, getMnemonic());
  unsigned rank = 0;
  Bases registers, lanes, warps, blocks;
  auto location = parser.getCurrentLocation();
  auto read = [&]() -> ParseResult {
    return failure(fields.readBases("register", rank, registers) || fields.readBases("lane", rank, lanes) ||
                   fields.readBases("warp", rank, warps) || fields.readBases("block", rank, blocks));
  };
  if (parseBody(parser, fields, read))
    return {};
  return parser.getChecked<LinearEncodingAttr>(location, parser.getContext(), rank, registers, lanes, warps,
                                               blocks);
}

void LinearEncodingAttr::print(AsmPrinter &printer) const {
  auto &os = printer.getStream();
  os << "<{register = ";
  printBases(os, getRank(), getRegisterBases());
  os << ", lane = ";
  printBases(os, getRank(), getLaneBases());
  os << ", warp = ";
  printBases(os, getRank(), getWarpBases());
  os << ", block = ";
  printBases(os, getRank(), getBlockBases());
  os << "}>";
}

Attribute DotOperandEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser, getMnemonic());
  unsigned opIdx = 0, kWidth = 0;
  Attribute parent;
  auto location = parser.getCurrentLocation();
  auto read = [&]() -> ParseResult {
    return failure(fields.read("opIdx", opIdx) || fields.read("parent", parent) ||
                   fields.readOptional("kWidth", kWidth));
  };
  if (parseBody(parser, fields, read))
    return {};
  return parser.getChecked<DotOperandEncodingAttr>(location, parser.getContext(), opIdx, parent, kWidth);
}

void DotOperandEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<{opIdx = " << getOpIdx() << ", parent = " << getParent();
  if (getKWidth())
    printer << ", kWidth = " << getKWidth();
  printer << "}>";
}

Attribute NvidiaMmaEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser, getMnemonic());
  unsigned major = 0, minor = 0;
  Sizes warpsPerCTA, instrShape;
  Bases cgaLayout;
  auto location = parser.getCurrentLocation();
  auto read = [&]() -> ParseResult {
    if (fields.read("versionMajor", major) || fields.read("versionMinor", minor) ||
        fields.read("warpsPerCTA", warpsPerCTA) || fields.read("instrShape", instrShape))
      return failure();
    unsigned rank = warpsPerCTA.size();
    return fields.readOptionalBases("CGALayout", rank, cgaLayout);
  };
  if (parseBody(parser, fields, read))
    return {};
  return parser.getChecked<NvidiaMmaEncodingAttr>(location, parser.getContext(), major, minor, warpsPerCTA,
                                                  cgaLayout, instrShape);
}

void NvidiaMmaEncodingAttr::print(AsmPrinter &printer) const {
  auto &os = printer.getStream();
  os << "<{versionMajor = " << getVersionMajor() << ", versionMinor = " << getVersionMinor()
     << ", warpsPerCTA = ";
  printSizes(os, getWarpsPerCTA());
  printCGALayout(os, getWarpsPerCTA().size(), getCgaLayout());
  os << ", instrShape = ";
  printSizes(os, getInstrShape());
  os << "}>";
}

namespace {

// Fields that AMD's layouts write out only where they differ from the usual.
bool allOnes(ArrayRef<unsigned> sizes) {
  return llvm::all_of(sizes, [](unsigned size) { return size == 1; });
}
const unsigned usualWmmaShape[] = {16, 16, 16};

} // namespace

Attribute AMDMfmaEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser, getMnemonic());
  unsigned version = 0, elementBitWidth = 32;
  bool isTransposed = false;
  Sizes warpsPerCTA, instrShape, tilesPerWarp;
  Bases cgaLayout;
  auto location = parser.getCurrentLocation();
  auto read = [&]() -> ParseResult {
    if (fields.read("version", version) || fields.read("warpsPerCTA", warpsPerCTA) ||
        fields.read("instrShape", instrShape) || fields.read("isTransposed", isTransposed))
      return failure();
    unsigned rank = warpsPerCTA.size();
    tilesPerWarp.assign(rank, 1);
    return failure(fields.readOptionalBases("CGALayout", rank, cgaLayout) ||
                   fields.readOptional("tilesPerWarp", tilesPerWarp) ||
                   fields.readOptional("elementBitWidth", elementBitWidth));
  };
  if (parseBody(parser, fields, read))
    return {};
  return parser.getChecked<AMDMfmaEncodingAttr>(location, parser.getContext(), version, warpsPerCTA,
                                                instrShape, isTransposed, cgaLayout, tilesPerWarp,
                                                elementBitWidth);
}

void AMDMfmaEncodingAttr::print(AsmPrinter &printer) const {
  auto &os = printer.getStream();
  os << "<{version = " << getVersion() << ", warpsPerCTA = ";
  printSizes(os, getWarpsPerCTA());
  os << ", instrShape = ";
  printSizes(os, getInstrShape());
  os << ", isTransposed = " << (getIsTransposed() ? "true" : "false");
  printCGALayout(os, getWarpsPerCTA().size(), getCgaLayout());
  if (!allOnes(getTilesPerWarp())) {
    os << ", tilesPerWarp = ";
    printSizes(os, getTilesPerWarp());
  }
  if (getElementBitWidth() != 32)
    os << ", elementBitWidth = " << getElementBitWidth();
  os << "}>";
}

Attribute AMDWmmaEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser, getMnemonic());
  unsigned version = 0;
  bool isTransposed = false;
  Sizes warpsPerCTA, tilesPerWarp, instrShape(usualWmmaShape, usualWmmaShape + 3);
  Bases cgaLayout;
  auto location = parser.getCurrentLocation();
  auto read = [&]() -> ParseResult {
    if (fields.read("version", version) || fields.read("isTranspose", isTransposed) ||
        fields.read("warpsPerCTA", warpsPerCTA))
      return failure();
    unsigned rank = warpsPerCTA.size();
    tilesPerWarp.assign(rank, 1);
    return failure(fields.readOptionalBases("CGALayout", rank, cgaLayout) ||
                   fields.readOptional("tilesPerWarp", tilesPerWarp) ||
                   fields.readOptional("instrShape", instrShape));
  };
  if (parseBody(parser, fields, read))
    return {};
  return parser.getChecked<AMDWmmaEncodingAttr>(location, parser.getContext(), version, isTransposed,
                                                warpsPerCTA, cgaLayout, tilesPerWarp, instrShape);
}

void AMDWmmaEncodingAttr::print(AsmPrinter &printer) const {
  auto &os = printer.getStream();
  os << "<{version = " << getVersion() << ", isTranspose = " << (getIsTransposed() ? "true" : "false")
     << ", warpsPerCTA = ";
  printSizes(os, getWarpsPerCTA());
  printCGALayout(os, getWarpsPerCTA().size(), getCgaLayout());
  if (!allOnes(getTilesPerWarp())) {
    os << ", tilesPerWarp = ";
    printSizes(os, getTilesPerWarp());
  }
  if (getInstrShape() != ArrayRef<unsigned>(usualWmmaShape)) {
    os << ", instrShape = ";
    printSizes(os, getInstrShape());
  }
  os << "}>";
}

namespace {

// The two swizzled shared layouts read alike.
template <typename Encoding> Attribute parseSwizzled(AsmParser &parser) {
  FieldReader fields(parser, Encoding::getMnemonic());
  unsigned vec = 0, perPhase = 0, maxPhase = 0;
  Sizes order;
  Bases cgaLayout;
  auto location = parser.getCurrentLocation();
  auto read = [&]() -> ParseResult {
    if (fields.read("vec", vec) || fields.read("perPhase", perPhase) || fields.read("maxPhase", maxPhase) ||
        fields.read("order", order))
      return failure();
    unsigned rank = order.size();
    return fields.readOptionalBases("CGALayout", rank, cgaLayout);
  };
  if (parseBody(parser, fields, read))
    return {};
  return parser.getChecked<Encoding>(location, parser.getContext(), vec, perPhase, maxPhase, order,
                                     cgaLayout);
}

template <typename Encoding> void printSwizzled(AsmPrinter &printer, Encoding layout) {
  auto &os = printer.getStream();
  os << "<{vec = " << layout.getVec() << ", perPhase = " << layout.getPerPhase()
     << ", maxPhase = " << layout.getMaxPhase() << ", order = ";
  printSizes(os, layout.getOrder());
  printCGALayout(os, layout.getOrder().size(), layout.getCgaLayout());
  os << "}>";
}

} // namespace

Attribute SwizzledSharedEncodingAttr::parse(AsmParser &parser, Type) {
  return parseSwizzled<SwizzledSharedEncodingAttr>(parser);
}
void SwizzledSharedEncodingAttr::print(AsmPrinter &printer) const { printSwizzled(printer, *this); }

Attribute AMDRotatingSharedEncodingAttr::parse(AsmParser &parser, Type) {
  return parseSwizzled<AMDRotatingSharedEncodingAttr>(parser);
}
void AMDRotatingSharedEncodingAttr::print(AsmPrinter &printer) const { printSwizzled(printer, *this); }

Attribute PaddedSharedEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser, getMnemonic());
  Sizes intervals, paddings, order, shape;
  unsigned rank = 0;
  Bases offsetBases, blockBases;
  auto location = parser.getCurrentLocation();
  auto parsePair = [&]() -> ParseResult {
    intervals.push_back(0);
    paddings.push_back(0);
    return failure(parser.parseInteger(intervals.back()) || parser.parseColon() || parser.parsePlus() ||
                   parser.parseInteger(paddings.back()));
  };
  if (parser.parseLess() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair) ||
      fields.parseFields())
    return {};
  if (fields.has("offset")) {
    if (fields.readBases("offset", rank, offsetBases) || fields.readBases("block", rank, blockBases))
      return {};
  } else {
    if (fields.read("order", order) || fields.read("shape", shape))
      return {};
    rank = order.size();
    if (fields.readOptionalBases("CGALayout", rank, blockBases))
      return {};
  }
  if (fields.finish() || parser.parseGreater())
    return {};
  return parser.getChecked<PaddedSharedEncodingAttr>(location, parser.getContext(), intervals, paddings,
                                                     order, shape, rank, offsetBases, blockBases);
}

void PaddedSharedEncodingAttr::print(AsmPrinter &printer) const {
  auto &os = printer.getStream();
  os << "<[";
  for (auto [index, interval, padding] : llvm::enumerate(getIntervals(), getPaddings()))
    os << (index ? ", " : "") << interval << ":+" << padding;
  os << "] {";
  if (getOrder().empty()) {
    os << "offset = ";
    printBases(os, getRank(), getOffsetBases());
    os << ", block = ";
    printBases(os, getRank(), getBlockBases());
  } else {
    os << "order = ";
    printSizes(os, getOrder());
    os << ", shape = ";
    printSizes(os, getShape());
    printCGALayout(os, getRank(), getBlockBases());
  }
  os << "}>";
}

Attribute SharedLinearEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser, getMnemonic());
  unsigned rank = 0, alignment = 16;
  Bases offsetBases, blockBases;
  auto location = parser.getCurrentLocation();
  if (parser.parseLess() || fields.parseFields() || fields.readBases("offset", rank, offsetBases) ||
      fields.readOptionalBases("block", rank, blockBases) || fields.finish())
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("alignment") || parser.parseEqual() || parser.parseInteger(alignment)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SharedLinearEncodingAttr>(location, parser.getContext(), rank, offsetBases,
                                                     blockBases, alignment);
}

void SharedLinearEncodingAttr::print(AsmPrinter &printer) const {
  auto &os = printer.getStream();
  os << "<{offset = ";
  printBases(os, getRank(), getOffsetBases());
  os << ", block = ";
  printBases(os, getRank(), getBlockBases());
  os << "}, alignment = " << getAlignment() << ">";
}

Attribute NVMMASharedEncodingAttr::parse(AsmParser &parser, Type) {
  FieldReader fields(parser, getMnemonic());
  unsigned swizzle = 0, elementBitWidth = 0, rank = 2;
  bool transposed = false, fp4Padded = false;
  Bases cgaLayout;
  auto location = parser.getCurrentLocation();
  auto read = [&]() -> ParseResult {
    if (fields.read("swizzlingByteWidth", swizzle) || fields.read("transposed", transposed) ||
        fields.read("elementBitWidth", elementBitWidth) || fields.readOptional("fp4Padded", fp4Padded))
      return failure();
    if (fields.has("CGALayout"))
      rank = 0;
    return failure(fields.readOptionalBases("CGALayout", rank, cgaLayout) ||
                   fields.readOptional("rank", rank));
  };
  if (parseBody(parser, fields, read))
    return {};
  return parser.getChecked<NVMMASharedEncodingAttr>(location, parser.getContext(), swizzle, transposed,
                                                    elementBitWidth, fp4Padded, rank, cgaLayout);
}

void NVMMASharedEncodingAttr::print(AsmPrinter &printer) const {
  auto &os = printer.getStream();
  os << "<{swizzlingByteWidth = " << getSwizzlingByteWidth()
     << ", transposed = " << (getTransposed() ? "true" : "false")
     << ", elementBitWidth = " << getElementBitWidth();
  if (getFp4Padded())
    os << ", fp4Padded = true";
  printCGALayout(os, getRank(), getCgaLayout());
  if (getCgaLayout().empty() && getRank() != 2)
    os << ", rank = " << getRank();
  os << "}>";
}

} // namespace nereid::ttg
