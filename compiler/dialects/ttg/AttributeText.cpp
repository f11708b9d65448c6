// Reading and writing the bodies of layouts.
#include "compiler/dialects/ttg/AttributeText.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nereid::ttg {

ParseResult FieldReader::parseFields() {
  location = parser.getCurrentLocation();
  DictionaryAttr dictionary;
  if (parser.parseAttribute(dictionary))
    return failure();
  fields = NamedAttrList(dictionary);
  return success();
}

Attribute FieldReader::take(StringRef name) { return fields.erase(name); }

ParseResult FieldReader::missing(StringRef name) {
  return parser.emitError(location) << "layout '" << layoutName << "' needs a field '" << name << "'";
}

ParseResult FieldReader::convert(StringRef name, Attribute attribute, unsigned &value) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  if (!integer || isa<BoolAttr>(attribute) || !integer.getValue().isSignedIntN(32) ||
      integer.getValue().isNegative())
    return parser.emitError(location) << "field '" << name << "' of layout '" << layoutName
                                      << "' takes non-negative integers, not " << attribute;
  value = unsigned(integer.getValue().getZExtValue());
  return success();
}

ParseResult FieldReader::readOptional(StringRef name, unsigned &value) {
  Attribute attribute = take(name);
  return attribute ? convert(name, attribute, value) : success();
}

ParseResult FieldReader::readOptional(StringRef name, bool &value) {
  Attribute attribute = take(name);
  if (!attribute)
    return success();
  auto boolean = dyn_cast<BoolAttr>(attribute);
  if (!boolean)
    return parser.emitError(location) << "field '" << name << "' of layout '" << layoutName
                                      << "' takes true or false, not " << attribute;
  value = boolean.getValue();
  return success();
}

ParseResult FieldReader::readOptional(StringRef name, SmallVectorImpl<unsigned> &values) {
  Attribute attribute = take(name);
  if (!attribute)
    return success();
  values.clear();
  auto array = dyn_cast<ArrayAttr>(attribute);
  if (!array)
    return parser.emitError(location)
           << "field '" << name << "' of layout '" << layoutName << "' takes a list, not " << attribute;
  for (Attribute element : array) {
    values.push_back(0);
    if (convert(name, element, values.back()))
      return failure();
  }
  return success();
}

ParseResult FieldReader::readOptionalBases(StringRef name, unsigned &rank, SmallVectorImpl<int32_t> &bases) {
  Attribute attribute = take(name);
  if (!attribute)
    return success();
  bases.clear();
  auto array = dyn_cast<ArrayAttr>(attribute);
  if (!array)
    return parser.emitError(location) << "field '" << name << "' of layout '" << layoutName
                                      << "' takes a list of vectors, not " << attribute;
  for (Attribute element : array) {
    auto vector = dyn_cast<ArrayAttr>(element);
    if (!vector)
      return parser.emitError(location) << "field '" << name << "' of layout '" << layoutName
                                        << "' takes a list of vectors, but holds " << element;
    if (rank == 0)
      rank = vector.size();
    if (vector.size() != rank)
      return parser.emitError(location)
             << "field '" << name << "' of layout '" << layoutName << "' needs vectors of " << rank
             << " numbers, but one has " << vector.size();
    for (Attribute coordinate : vector) {
      unsigned value = 0;
      if (convert(name, coordinate, value))
        return failure();
      bases.push_back(int32_t(value));
    }
  }
  return success();
}

ParseResult FieldReader::read(StringRef name, unsigned &value) {
  return has(name) ? readOptional(name, value) : missing(name);
}
ParseResult FieldReader::read(StringRef name, bool &value) {
  return has(name) ? readOptional(name, value) : missing(name);
}
ParseResult FieldReader::read(StringRef name, SmallVectorImpl<unsigned> &values) {
  return has(name) ? readOptional(name, values) : missing(name);
}
ParseResult FieldReader::readBases(StringRef name, unsigned &rank, SmallVectorImpl<int32_t> &bases) {
  return has(name) ? readOptionalBases(name, rank, bases) : missing(name);
}
ParseResult FieldReader::read(StringRef name, Attribute &value) {
  value = take(name);
  return value ? success() : missing(name);
}

ParseResult FieldReader::finish() {
  if (fields.empty())
    return success();
  return parser.emitError(location) << "layout '" << layoutName << "' has no field '"
                                    << fields.begin()->getName().getValue() << "'";
}

void printSizes(llvm::raw_ostream &os, ArrayRef<unsigned> sizes) {
  os << "[";
  llvm::interleaveComma(sizes, os);
  os << "]";
}

void printBases(llvm::raw_ostream &os, unsigned rank, ArrayRef<int32_t> bases) {
  os << "[";
  for (size_t start = 0; rank && start < bases.size(); start += rank) {
    os << (start ? ", [" : "[");
    llvm::interleaveComma(bases.slice(start, rank), os);
    os << "]";
  }
  os << "]";
}

void printCGALayout(llvm::raw_ostream &os, unsigned rank, ArrayRef<int32_t> cgaLayout) {
  if (cgaLayout.empty())
    return;
  os << ", CGALayout = ";
  printBases(os, rank, cgaLayout);
}

} // namespace nereid::ttg
