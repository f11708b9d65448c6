// Says of loads that each lane reads a small piece of a line of its own, and that other programs need the
// rest of it.
//
// A sum of columns, with as many rows as threads and four columns of f32 to a program:
//
//     lane 0     row 0:  [ program 0 | program 1 | program 2 | … ]
//     lane 1     row 1:  [ program 0 | program 1 | program 2 | … ]
//     …
//
// A program takes 16 bytes of each row, and memory hands over sectors of 32, of lines of 128: what programs
// read is at least twice what there is, and is cheap only as long as the second cache still has what a
// neighbour has asked for. The fewer such loads are under way, the closer programs stay together. How many
// there may be is for those to say who know how many warps are resident (targets/nvidia/PaceLoads.h).
//
// Columns are told by their distance, which must be more than a sector for sure, and more than a line as far
// as one can tell; neighbouring programs by what their numbers do to the address.
#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/dialects/ttg/EncodingToLinearLayout.h"
#include "compiler/transforms/AddressSteps.h"
#include "compiler/transforms/ColumnLoads.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Pass/Pass.h"

namespace nereid {

constexpr double lineBytes = 128, sectorBytes = 32;

namespace {

struct MarkColumnLoads : mlir::PassWrapper<MarkColumnLoads, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkColumnLoads)

  llvm::StringRef getArgument() const final { return "nereid-ttg-mark-column-loads"; }
  llvm::StringRef getDescription() const final {
    return "Say of loads that their lanes read from lines of their own, of which other programs need the "
           "rest";
  }
  void runOnOperation() final;
};

/// The addresses of a function's loads.
class Columns {
public:
  explicit Columns(tt::FuncOp function) : axes(function), steps(axes), leastSteps(axes, 1) {}

  bool contains(tt::LoadOp load);

private:
  bool haveLanesOwnLines(mlir::Value pointer, const LinearLayout &layout, double elementBytes);
  double countBytesOfRow(mlir::Value pointer, mlir::RankedTensorType type, double elementBytes);
  bool haveProgramsTheRest(mlir::Value pointer, double elementBytes);

  AxisInfoAnalysis axes;
  AddressSteps steps, leastSteps;
};

} // namespace

/// Whether each bit of a lane's number leads to another line.
bool Columns::haveLanesOwnLines(mlir::Value pointer, const LinearLayout &layout, double elementBytes) {
  for (unsigned bit = 0; bit < layout.getInBits(Dim::Lane); ++bit) {
    double bytes = 0, leastBytes = 0;
    for (unsigned d = 0; d < mlir::cast<mlir::RankedTensorType>(pointer.getType()).getRank(); ++d)
      if (uint32_t distance = layout.getBasis(Dim::Lane, bit, tensorDim(d))) {
        if (steps.areAnywhere(pointer, d))
          return false;
        bytes += distance * steps.get(pointer, d) * elementBytes;
        leastBytes += distance * leastSteps.get(pointer, d) * elementBytes;
      }
    if (bytes < lineBytes || leastBytes < sectorBytes)
      return false;
  }
  return true;
}

/// What the tile has of a row.
double Columns::countBytesOfRow(mlir::Value pointer, mlir::RankedTensorType type, double elementBytes) {
  double bytes = elementBytes;
  for (unsigned d = 0; d < type.getRank(); ++d)
    if (double step = steps.get(pointer, d); step > 0 && step * elementBytes < sectorBytes)
      bytes *= type.getDimSize(d);
  return bytes;
}

/// Whether another program's number leads to the same line.
bool Columns::haveProgramsTheRest(mlir::Value pointer, double elementBytes) {
  constexpr unsigned numAxes = 3;
  for (unsigned axis = 0; axis < numAxes; ++axis)
    if (double step = steps.getOfPrograms(pointer, axis); step > 0 && step * elementBytes < lineBytes)
      return true;
  return false;
}

bool Columns::contains(tt::LoadOp load) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(load.getType());
  if (!type || !type.getEncoding() || !ttg::hasLinearLayout(type.getEncoding()) || load.getIsVolatile())
    return false;
  double elementBytes = tt::getElementBits(type.getElementType()) / 8.0;
  return haveLanesOwnLines(load.getPtr(), ttg::toLinearLayout(type), elementBytes) &&
         countBytesOfRow(load.getPtr(), type, elementBytes) < sectorBytes &&
         haveProgramsTheRest(load.getPtr(), elementBytes);
}

void MarkColumnLoads::runOnOperation() {
  getOperation().walk([](tt::FuncOp function) {
    Columns columns(function);
    function.walk([&](tt::LoadOp load) {
      if (columns.contains(load))
        load->setAttr(columnLoadAttr, mlir::UnitAttr::get(load.getContext()));
    });
  });
}

std::unique_ptr<mlir::Pass> createMarkColumnLoadsPass() { return std::make_unique<MarkColumnLoads>(); }

} // namespace nereid
