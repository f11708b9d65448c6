// See ColumnLoads.h.
#include "compiler/transforms/ColumnLoads.h"

#include "compiler/dialects/ttg/EncodingToLinearLayout.h"

namespace nereid {

constexpr double lineBytes = 128, sectorBytes = 32;

/// Whether each bit of a lane's number leads to another line.
bool ColumnLoads::haveLanesOwnLines(mlir::Value pointer, const LinearLayout &layout, double elementBytes) {
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
double ColumnLoads::countBytesOfRow(mlir::Value pointer, mlir::RankedTensorType type, double elementBytes) {
  double bytes = elementBytes;
  for (unsigned d = 0; d < type.getRank(); ++d)
    if (double step = steps.get(pointer, d); step > 0 && step * elementBytes < sectorBytes)
      bytes *= type.getDimSize(d);
  return bytes;
}

/// Whether another program's number leads to the same line.
bool ColumnLoads::haveProgramsTheRest(mlir::Value pointer, double elementBytes) {
  constexpr unsigned numAxes = 3;
  for (unsigned axis = 0; axis < numAxes; ++axis)
    if (double step = steps.getOfPrograms(pointer, axis); step > 0 && step * elementBytes < lineBytes)
      return true;
  return false;
}

bool ColumnLoads::contains(tt::LoadOp load) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(load.getType());
  if (!type || !type.getEncoding() || !ttg::hasLinearLayout(type.getEncoding()) || load.getIsVolatile())
    return false;
  double elementBytes = tt::getElementBits(type.getElementType()) / 8.0;
  return haveLanesOwnLines(load.getPtr(), ttg::toLinearLayout(type), elementBytes) &&
         countBytesOfRow(load.getPtr(), type, elementBytes) < sectorBytes &&
         haveProgramsTheRest(load.getPtr(), elementBytes);
}

} // namespace nereid
