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
// A wrong guess costs time only.
#ifndef NEREID_COMPILER_TRANSFORMS_ADDRESSSTEPS_H
#define NEREID_COMPILER_TRANSFORMS_ADDRESSSTEPS_H

#include "compiler/transforms/AxisInfo.h"

namespace nereid {

class AddressSteps {
public:
  explicit AddressSteps(const AxisInfoAnalysis &axes) : axes(axes) {}

  /// The distance of neighbours along d, in elements for pointers, without a sign.
  double get(mlir::Value value, unsigned d);

  /// Whether neighbours along d may lie anywhere, as where their addresses are loaded.
  bool areAnywhere(mlir::Value value, unsigned d);

private:
  double compute(mlir::Value value, unsigned d);
  double ofOperands(mlir::Operation *op, unsigned d);

  const AxisInfoAnalysis &axes;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, double> known;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_ADDRESSSTEPS_H
