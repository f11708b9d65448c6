// How far apart neighbours along an axis of a tile probably lie in memory: a guess, to rank axes by where
// AxisInfo cannot prove a run along any.
//
// A convolution's threads compute the column of each output as `i % width`, with a width that is known when
// the kernel runs. Nothing is proven of it: a row may end anywhere. But nearly all neighbours are one element
// apart, and their channels, `c * stride`, many.
//
//     i % width                1        as i
//     i // width               1/1024   seldom another
//     c * stride               1024     times what is known to divide the stride: outer strides are
//                                       multiples of inner ones
//     load(p + i)              10^30    anywhere
//     load(p + i // size)      0        a page's number: seldom another
//
// So it is with what neighbouring programs read, whose numbers stand in the place of an axis's:
//
//     program_id * 4 + j       4 between programs, 1 along j
//
// A wrong guess costs time only.
#ifndef NEREID_COMPILER_TRANSFORMS_ADDRESSSTEPS_H
#define NEREID_COMPILER_TRANSFORMS_ADDRESSSTEPS_H

#include "compiler/transforms/AxisInfo.h"

namespace nereid {

class AddressSteps {
public:
  /// Takes an unknown number for so much, times what is known to divide it: by 1, distances are the least
  /// that there may be.
  explicit AddressSteps(const AxisInfoAnalysis &axes, double unknownNumber = 1024)
      : axes(axes), unknownNumber(unknownNumber) {}

  /// The distance of neighbours along d, in elements for pointers, without a sign.
  double get(mlir::Value value, unsigned d);

  /// The distance of what neighbouring programs have there: of those whose numbers along an axis of the grid
  /// differ by 1.
  double getOfPrograms(mlir::Value value, unsigned axis) { return get(value, firstGridAxis + axis); }

  /// Whether neighbours along d may lie anywhere, as where their addresses are loaded.
  bool areAnywhere(mlir::Value value, unsigned d);

private:
  /// Behind all axes of tiles.
  static constexpr unsigned firstGridAxis = 64;

  double compute(mlir::Value value, unsigned d);
  double ofOperands(mlir::Operation *op, unsigned d);
  double getFactor(mlir::Value value, unsigned d) const;

  const AxisInfoAnalysis &axes;
  double unknownNumber;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, double> known;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_ADDRESSSTEPS_H
