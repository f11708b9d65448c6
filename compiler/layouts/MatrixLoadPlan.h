// Reading fragments of matrix instructions from shared memory with ldmatrix, where layouts allow it.
//
// ldmatrix (PTX ISA, "Warp-level matrix load instruction: ldmatrix") reads up to four matrices of 8 rows of
// 16 bytes. Lanes 8 i to 8 i + 7 give the addresses of the rows of matrix i, and lane l receives the 4 bytes
// numbered l % 4 of row l / 4 of each. Or, transposed: of matrices of 16-bit elements, elements l / 4 of rows
// 2 (l % 4) and the next.
//
// Whether a read has this form shows in the linear layout from (register, lane) to offsets: the offset's four
// lowest bits, in bytes, must come from the lanes and registers that the instruction says, and nothing else
// may touch them. Then any two register bits number the matrices, and the rest repeats the instruction.
#ifndef NEREID_COMPILER_LAYOUTS_MATRIXLOADPLAN_H
#define NEREID_COMPILER_LAYOUTS_MATRIXLOADPLAN_H

#include "compiler/layouts/LinearLayout.h"

namespace nereid {

struct MatrixLoadPlan {
  bool isTransposed = false;
  /// 1, 2 or 4 in each instruction.
  unsigned numMatrices = 1;
  /// (lane, warp) to the offset of the row whose address the lane gives, in elements.
  LinearLayout rowOffsets;
  struct Load {
    /// Exclusive or with a lane's own.
    uint32_t offset;
    /// For each matrix the registers that its 4 bytes fill, lowest first.
    llvm::SmallVector<llvm::SmallVector<uint32_t, 4>, 4> registers;
  };
  llvm::SmallVector<Load, 8> loads;
  /// Pairs (register, register that was read and holds the same).
  llvm::SmallVector<std::pair<uint32_t, uint32_t>, 0> copies;
};

/// `offsets` maps (register, lane, warp, …) of warps of 32 lanes to offsets in elements. Nothing where
/// ldmatrix can't read that. The four matrices of an instruction are numbered by the two lowest bits of
/// registers that can, or by the lowest and `secondBit`, if that can.
std::optional<MatrixLoadPlan> planMatrixLoads(const LinearLayout &offsets, unsigned elementBytes,
                                              std::optional<unsigned> secondBit = std::nullopt);

} // namespace nereid

#endif // NEREID_COMPILER_LAYOUTS_MATRIXLOADPLAN_H
