// Accesses of one tile that reach what another touches at a different place.
//
//     x = tl.load(p + (n - 1 - i))
//     tl.store(p + i, x)
//
// A tile is loaded as a whole before anything of it is stored. In one nest of loops, which loads and stores
// vector by vector, the second half would read what the first has written; so such a load gets a nest of its
// own. Pointers that are different arguments are taken to be different memory, or the same at the same
// places, as in an operation that may work in place.
#ifndef NEREID_COMPILER_LOWERING_CPU_OVERLAP_H
#define NEREID_COMPILER_LOWERING_CPU_OVERLAP_H

#include "mlir/IR/Value.h"

namespace nereid::cpu {

/// Whether two tiles of pointers may have the same address at different indices.
bool mayOverlap(mlir::Value first, mlir::Value second);

} // namespace nereid::cpu

#endif // NEREID_COMPILER_LOWERING_CPU_OVERLAP_H
