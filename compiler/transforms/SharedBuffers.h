// Which buffers in shared memory a descriptor may lead to: those of the ttg.local_alloc operations that it
// comes from, through views, loops and branches.
#ifndef NEREID_COMPILER_TRANSFORMS_SHAREDBUFFERS_H
#define NEREID_COMPILER_TRANSFORMS_SHAREDBUFFERS_H

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/transforms/FlowGraph.h"

namespace nereid {

/// Bytes of shared memory, from the start of the function's part of it.
struct ByteRange {
  unsigned begin, end;
  bool overlaps(ByteRange other) const { return begin < other.end && other.begin < end; }
  bool operator==(const ByteRange &other) const { return begin == other.begin && end == other.end; }
  /// All there is: where nothing is known.
  static ByteRange all() { return {0, ~0u}; }
};

/// Lets users of `old`, memory that was filled for them, see `buffer` instead; the types of views follow.
void replaceMemory(mlir::Value old, mlir::Value buffer);

class SharedBuffers {
public:
  explicit SharedBuffers(mlir::Operation *function) : flow(function) {}

  struct Origins {
    llvm::SmallVector<ttg::LocalAllocOp, 2> allocations;
    /// The descriptor may also come from elsewhere, such as from the function's caller.
    bool unknown = false;
  };
  Origins getOrigins(mlir::Value descriptor);

  /// The bytes that may be reached, once buffers are placed. One of several buffers, chosen by a constant
  /// index, is told apart from the others.
  using Ranges = llvm::SmallVector<ByteRange, 2>;
  Ranges getBytes(mlir::Value descriptor);

private:
  ValueFlow flow;
  llvm::DenseMap<mlir::Value, Origins> origins;
  llvm::DenseMap<mlir::Value, Ranges> bytes;
};

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_SHAREDBUFFERS_H
