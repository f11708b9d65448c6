// Layouts in which a tile is loaded in vectors along one axis that is stored, in bytes, along the other.
//
// A load's rows are dealt out to lanes and warps first, so that a thread's own are far apart, and to change
// places with other threads a byte goes to memory on chip and comes from there by itself. Which rows a thread
// has makes no difference to the load: a warp's access has as many, of as many neighbours each. So it takes
// four that follow one another, and of each column a word goes and comes. Of 256x64 elements and four warps,
// whose bytes are stored by columns:
//
//     loaded          1x8 of a thread, lanes 4x8: 16 rows 16 apart     128 writes and 128 reads of a byte
//                     4x8 of a thread, lanes 4x8: 4 times 4 rows        32 writes and 32 reads of 4
//
// What is computed between has the four rows before the columns in its registers, so that numbers are
// narrowed to bytes with those that they share a word with.
//
// (A thread that has 16 rows of 8 columns could store columns by itself, with no way through memory on chip.
// But then a warp loads or stores half of a line of memory at a time. On an H200, us, with the exchange and
// without: flashlib's _sym_kernel, of f32, 52.0 and 57.4, piper-kernels' _quantize_value 11.5 and 12.4,
// torchao's fp8_blockwise_act_quant_rhs 36.4 and 36.5, miniworld-engine's _ln_transpose_dbn 17.2 and 16.1.)
#ifndef NEREID_COMPILER_TRANSFORMS_TRANSPOSEDTILES_H
#define NEREID_COMPILER_TRANSFORMS_TRANSPOSEDTILES_H

#include "compiler/dialects/ttg/Dialect.h"

#include <optional>

namespace nereid {

/// Two layouts that give each thread the same elements, in another order of its registers.
struct TransposingLayouts {
  ttg::BlockedEncodingAttr loads;  // neighbours of a row first
  ttg::LinearEncodingAttr between; // those of a column, a word of them
};

/// The axis along which a thread has neighbours in its first registers; none if it has none.
std::optional<unsigned> findVectorAxis(llvm::ArrayRef<int64_t> shape, mlir::Attribute layout);

/// Such layouts for a tile that is loaded as its type says, and of which bytes are stored along the other
/// axis than its vectors'; none if a thread has no second row.
std::optional<TransposingLayouts> findTransposingLayouts(mlir::RankedTensorType loaded);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_TRANSPOSEDTILES_H
