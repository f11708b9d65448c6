// Tensor descriptors that the launch makes, as parameters of the kernel. See LiftDescriptors.cpp.
#ifndef NEREID_COMPILER_TRANSFORMS_TENSORMAPS_H
#define NEREID_COMPILER_TRANSFORMS_TENSORMAPS_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/Dialect.h"

namespace nereid {

/// On a parameter that is a tensor map: how the launch makes it.
constexpr llvm::StringLiteral tensorMapAttr = "nereid.tensor_map";
/// In that: the number of the parameter that points to the tensor's first element; and the sizes of its axes,
/// outermost first, then the strides of all but the last, grid expressions over "$number" for parameters.
constexpr llvm::StringLiteral tensorMapBaseName = "base", tensorMapExtentsName = "extents";
/// In that, where there are other accesses of the tensor, by threads or by whoever hears of these, that must
/// come before or behind in the order of the program.
constexpr llvm::StringLiteral tensorMapOrderedName = "ordered";

/// Whether a descriptor is such a parameter.
bool isTensorMap(mlir::Value descriptor);

/// The parameter that points to the tensor of a tensor map.
mlir::Value getTensorMapBase(mlir::Value descriptor);

/// Whether its accesses have to keep to the order of the program.
bool isOrderedTensorMap(mlir::Value descriptor);

/// Memory on chip for a tile of it, whose axes but the last are rows: a tile of 2 x 64 x 32 elements is 128
/// rows.
ttg::MemDescType getTileMemory(tt::TensorDescType descriptor);

/// How many elements one copy moves along each axis, outermost first: a tile of this shape and layout in
/// memory, cut to what the hardware can do.
llvm::SmallVector<int64_t> getTileBox(llvm::ArrayRef<int64_t> shape, mlir::Attribute memory);

/// In bytes. Eight rows repeat the swizzle, which the hardware takes from the address, and no row is longer
/// than 128.
constexpr unsigned tileAlignment = 1024;

/// Memory for mbarriers that wait for tiles: `shape` is {1}, or {count, 1} for several.
ttg::MemDescType getTileBarriers(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_TENSORMAPS_H
