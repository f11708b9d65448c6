// Tensor descriptors that the launch makes, as parameters of the kernel. See LiftDescriptors.cpp.
#ifndef NEREID_COMPILER_TRANSFORMS_TENSORMAPS_H
#define NEREID_COMPILER_TRANSFORMS_TENSORMAPS_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/Dialect.h"

namespace nereid {

/// On a parameter that is a tensor map: how the launch makes it.
constexpr llvm::StringLiteral tensorMapAttr = "nereid.tensor_map";
/// In that: the number of the parameter that points to the tensor's first element; and the number of rows, of
/// columns, and of elements from row to row, a grid expression over "$number" for parameters.
constexpr llvm::StringLiteral tensorMapBaseName = "base", tensorMapExtentsName = "extents";

/// Whether a descriptor is such a parameter.
bool isTensorMap(mlir::Value descriptor);

/// The parameter that points to the tensor of a tensor map.
mlir::Value getTensorMapBase(mlir::Value descriptor);

/// Memory on chip for a tile of it.
ttg::MemDescType getTileMemory(tt::TensorDescType descriptor);

/// In bytes. Eight rows repeat the swizzle, which the hardware takes from the address, and no row is longer
/// than 128.
constexpr unsigned tileAlignment = 1024;

/// Memory for mbarriers that wait for tiles: `shape` is {1}, or {count, 1} for several.
ttg::MemDescType getTileBarriers(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_TENSORMAPS_H
