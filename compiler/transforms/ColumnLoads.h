// Loads that go down columns which are narrower than what memory hands over at once, so that other programs
// need the rest of it (MarkColumnLoads.cpp has a picture).
//
// Columns are told by their distance, which must be more than a sector for sure, and more than a line as far
// as one can tell; neighbouring programs by what their numbers do to the address.
#ifndef NEREID_COMPILER_TRANSFORMS_COLUMNLOADS_H
#define NEREID_COMPILER_TRANSFORMS_COLUMNLOADS_H

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/layouts/LinearLayout.h"
#include "compiler/transforms/AddressSteps.h"

namespace nereid {

/// The attribute of such loads, each of whose lanes reads from a line of its own.
constexpr llvm::StringLiteral columnLoadAttr = "ttg.column_load";

/// Those of a function.
class ColumnLoads {
public:
  explicit ColumnLoads(tt::FuncOp function) : axes(function), steps(axes), leastSteps(axes, 1) {}

  bool contains(tt::LoadOp load);

private:
  bool haveLanesOwnLines(mlir::Value pointer, const LinearLayout &layout, double elementBytes);
  double countBytesOfRow(mlir::Value pointer, mlir::RankedTensorType type, double elementBytes);
  bool haveProgramsTheRest(mlir::Value pointer, double elementBytes);

  AxisInfoAnalysis axes;
  AddressSteps steps, leastSteps;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_COLUMNLOADS_H
