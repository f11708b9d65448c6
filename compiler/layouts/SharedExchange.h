// How a tile travels through shared memory from one layout to another, and where each element lies meanwhile.
//
// Shared memory has 32 banks of 4 bytes; the lanes of one access that want different words of the same bank
// wait for each other. The plan is a linear layout from memory offsets to the tile, chosen for the two
// layouts at hand ("swizzled"):
//
//   1. Elements that both sides hold in registers of one thread become neighbours, up to the width of one
//      access. They are the lowest offset bits, and both sides access vectors.
//   2. The highest offset bits are directions that change an address but not its bank. Two lanes conflict if
//      their elements differ by such a direction, so the span of these must meet neither the span of the
//      writer's lanes nor that of the reader's. With both spans split into what they share and private
//      directions a1, a2, … and b1, b2, …, the sums a1+b1, a2+b2, … and everything outside both spans
//      qualify.
//   3. What remains are the bank bits in the middle.
//
// Where each thread reads much more than it writes, as when all lanes of a warp get the same numbers of a row
// that is spread over them, what the reader has in registers becomes neighbours, whatever the writer has:
//
//     128 f32, four a lane, to the rows of a 128 x 8 tile, of which each lane has every fourth
//     vectors of both sides    4 writes, 32 reads
//     vectors of the reader    4 writes,  8 reads of 16 bytes
//
// The same may pay for one side where the two have no vector in common. So plans in which memory lies as one
// side's threads do are compared with the swizzle by what their accesses cost (BankWaves.h):
//
//     1024 f16, eight neighbours a lane, to a layout in which lanes are neighbours
//     swizzled                 8 writes,  8 reads
//     vectors of the writer    1 write of 16 bytes, 8 reads
//
// A transposition of a 32x32 tile of f32, where lanes run along a row on one side and down a column on the
// other, gets the directions column_i + row_i: element (row, column) lies in bank row ^ column. That is the
// classical swizzle, found rather than written down.
#ifndef NEREID_COMPILER_LAYOUTS_SHAREDEXCHANGE_H
#define NEREID_COMPILER_LAYOUTS_SHAREDEXCHANGE_H

#include "compiler/layouts/LinearLayout.h"

namespace nereid {

/// What the swizzle needs to know of the hardware; the defaults are right for every NVIDIA and AMD GPU we
/// compile for.
struct SharedMemoryTraits {
  unsigned bankBytes = 4;
  unsigned numBanks = 32;
  unsigned maxVectorBytes = 16;
};

/// One memory access of every thread: a vector of elements at consecutive offsets.
struct SharedAccess {
  /// The exclusive or of this and the thread's own offset (the map applied to its lane and warp) is where it
  /// begins.
  uint32_t offset;
  /// registers[i] is at offset + i. On the reading side several registers may have the same element; then
  /// each access lists the first, and SharedExchange::readCopies the others.
  llvm::SmallVector<uint32_t, 4> registers;
};

struct SharedExchange {
  /// Where the elements lie: offset, in elements, to tensor dimensions. Invertible.
  LinearLayout memory;
  /// (register, lane, warp, block) of the two sides to offsets.
  LinearLayout writeOffsets, readOffsets;
  /// Of an access of either side.
  unsigned writeElements = 1, readElements = 1;
  llvm::SmallVector<SharedAccess, 8> writes, reads;
  /// Pairs (register, register that was read and holds the same).
  llvm::SmallVector<std::pair<uint32_t, uint32_t>, 0> readCopies;

  unsigned getNumElements() const { return memory.getInSize(Dim::Offset); }
};

/// Bytes that an element takes in shared memory: i1 and other odd sizes are rounded up to a power of two of
/// bytes.
unsigned getSharedElementBytes(unsigned elementBits);

/// Groups registers into vectors of 2^vectorBits elements at consecutive offsets; all of a vector's elements
/// must be in registers. `offsets` maps (register, …) to offsets. Registers that repeat an element already
/// listed go to `copies`, as in SharedExchange::readCopies.
llvm::SmallVector<SharedAccess, 8>
listSharedAccesses(const LinearLayout &offsets, unsigned vectorBits,
                   llvm::SmallVectorImpl<std::pair<uint32_t, uint32_t>> *copies);

/// The widest vectors, of 2^n elements, by which threads reach all of their registers, in whatever order
/// these are. `offsets` maps (register, lane, …) to offsets in elements.
unsigned getVectorBits(const LinearLayout &offsets, unsigned elementBits,
                       const SharedMemoryTraits &traits = {});

/// Where 16-bit elements lie that one side accesses as vectors of eight, and the other as transposed matrices
/// (MatrixLoadPlan.h): rows of one become columns of the other without an access for each element.
///
///     64 x 64 f16, 4 warps, of each thread rows of 8 to columns of 8
///     swizzled    32 writes and 32 reads of an element
///     matrices     4 writes of 16 bytes, 4 ldmatrix
///
/// A vector is what lanes of the matrices differ by in their three upper bits, and has to be in registers on
/// the other side. Nothing where it is not.
std::optional<LinearLayout> planMatrixMemory(const LinearLayout &vectors, const LinearLayout &matrices,
                                             const SharedMemoryTraits &traits = {});

/// Whether a thread of the reader has four times as many elements as one of the writer, or more.
bool readsMuchMore(const LinearLayout &writer, const LinearLayout &reader);

/// Both layouts map to the same tensor dimensions, onto all of the tensor.
SharedExchange planSharedExchange(const LinearLayout &writer, const LinearLayout &reader,
                                  unsigned elementBits, const SharedMemoryTraits &traits = {});

} // namespace nereid

#endif // NEREID_COMPILER_LAYOUTS_SHAREDEXCHANGE_H
