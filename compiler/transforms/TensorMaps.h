// Tensor descriptors in the form that the hardware takes: made by the launch, as parameters of the kernel
// (LiftDescriptors.cpp), or by the program, in global memory of its own (MakeTensorMaps.cpp).
#ifndef NEREID_COMPILER_TRANSFORMS_TENSORMAPS_H
#define NEREID_COMPILER_TRANSFORMS_TENSORMAPS_H

#include "compiler/dialects/tt/Dialect.h"
#include "compiler/dialects/ttg/Dialect.h"

#include <optional>
#include <string>

namespace nereid {

/// On a parameter that is a tensor map: how the launch makes it.
constexpr llvm::StringLiteral tensorMapAttr = "nereid.tensor_map";
/// In that: the number of the parameter that points to the tensor's first element; and the sizes of its axes,
/// outermost first, then the strides of all but the last, grid expressions over "$number" for parameters.
constexpr llvm::StringLiteral tensorMapBaseName = "base", tensorMapExtentsName = "extents";
/// In that, where there are other accesses of the tensor, by threads or by whoever hears of these, that must
/// come before or behind in the order of the program.
constexpr llvm::StringLiteral tensorMapOrderedName = "ordered";
/// The same on ttng.reinterpret_tensor_descriptor.
constexpr llvm::StringLiteral orderedTensorMapAttr = "nereid.ordered";

/// The number of a parameter of the function; nothing for other values.
std::optional<unsigned> getParameter(tt::FuncOp kernel, mlir::Value value);

/// How the launch computes an integer, as a grid expression; nothing where it can't.
std::optional<std::string> describeForLaunch(tt::FuncOp kernel, mlir::Value value);

/// Adds a tensor map to the kernel's parameters, behind all others. The tile of `type` has the layout that it
/// has in memory on chip.
mlir::Value addTensorMap(tt::FuncOp kernel, tt::TensorDescType type, unsigned base, llvm::StringRef extents,
                         bool isOrdered, mlir::Location location);

/// The size and alignment of a tensor map in memory.
constexpr unsigned tensorMapBytes = 128;

/// Whether a descriptor is a tensor map: such a parameter, or the result of
/// ttng.reinterpret_tensor_descriptor, where the program has made it.
bool isTensorMap(mlir::Value descriptor);

/// The pointer to the tensor of a tensor map: a parameter, or what the program has computed. Where it is not
/// known, another pointer of which nothing is known.
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
