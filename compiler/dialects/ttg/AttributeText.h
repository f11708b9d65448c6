// Reading and writing the `<{name = value, ...}>` bodies of layouts.
#ifndef NEREID_COMPILER_DIALECTS_TTG_ATTRIBUTETEXT_H
#define NEREID_COMPILER_DIALECTS_TTG_ATTRIBUTETEXT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace nereid::ttg {

/// The fields of one layout's body while it is parsed. Each read takes a field out and reports what is wrong
/// with it; finish() reports fields that nobody read, so that a misspelt name is never passed over.
class FieldReader {
public:
  FieldReader(mlir::AsmParser &parser, llvm::StringRef layoutName) : parser(parser), layoutName(layoutName) {}

  /// Reads `{name = value, ...}`; the reads below take from it.
  mlir::ParseResult parseFields();

  // Required fields.
  mlir::ParseResult read(llvm::StringRef name, unsigned &value);
  mlir::ParseResult read(llvm::StringRef name, bool &value);
  mlir::ParseResult read(llvm::StringRef name, llvm::SmallVectorImpl<unsigned> &values);
  mlir::ParseResult read(llvm::StringRef name, mlir::Attribute &value);

  // Fields that may be left out; the value is then left alone.
  mlir::ParseResult readOptional(llvm::StringRef name, unsigned &value);
  mlir::ParseResult readOptional(llvm::StringRef name, bool &value);
  mlir::ParseResult readOptional(llvm::StringRef name, llvm::SmallVectorImpl<unsigned> &values);

  /// Vectors of `rank` numbers. A rank of zero is set by the first vector.
  mlir::ParseResult readBases(llvm::StringRef name, unsigned &rank, llvm::SmallVectorImpl<int32_t> &bases);
  mlir::ParseResult readOptionalBases(llvm::StringRef name, unsigned &rank,
                                      llvm::SmallVectorImpl<int32_t> &bases);

  bool has(llvm::StringRef name) const { return fields.get(name) != nullptr; }
  mlir::ParseResult finish();

private:
  mlir::Attribute take(llvm::StringRef name);
  mlir::ParseResult missing(llvm::StringRef name);
  mlir::ParseResult convert(llvm::StringRef name, mlir::Attribute attribute, unsigned &value);

  mlir::AsmParser &parser;
  llvm::StringRef layoutName;
  llvm::SMLoc location;
  mlir::NamedAttrList fields;
};

/// `[1, 8]`
void printSizes(llvm::raw_ostream &os, llvm::ArrayRef<unsigned> sizes);
/// `[[0, 1], [0, 2]]`, from vectors of `rank` numbers.
void printBases(llvm::raw_ostream &os, unsigned rank, llvm::ArrayRef<int32_t> bases);
/// `, CGALayout = [[1, 0]]`, or nothing for clusters of one block.
void printCGALayout(llvm::raw_ostream &os, unsigned rank, llvm::ArrayRef<int32_t> cgaLayout);

} // namespace nereid::ttg

#endif // NEREID_COMPILER_DIALECTS_TTG_ATTRIBUTETEXT_H
