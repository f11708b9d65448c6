// What a kernel does with its tensor descriptors: what has to be known of one before it becomes a tensor map
// (LiftDescriptors.cpp, MakeTensorMaps.cpp), and what is done to its loads and stores then.
#ifndef NEREID_COMPILER_TRANSFORMS_DESCRIPTORUSES_H
#define NEREID_COMPILER_TRANSFORMS_DESCRIPTORUSES_H

#include "compiler/dialects/tt/Dialect.h"

#include <optional>

namespace nereid {

/// The layout of a tile in memory on chip; null where the hardware copies no such tiles.
mlir::Attribute chooseTileMemory(mlir::RankedTensorType tile);

/// The type of a descriptor whose tiles lie in memory like that.
tt::TensorDescType withMemory(tt::TensorDescType type, mlir::Attribute memory);

/// The loads and stores through a descriptor.
struct DescriptorUses {
  llvm::SmallVector<tt::DescriptorLoadOp> loads;
  llvm::SmallVector<tt::DescriptorStoreOp> stores;
  bool isLoadedInLoop = false;
};

/// Nothing where a descriptor serves for anything else.
std::optional<DescriptorUses> findDescriptorUses(tt::MakeTensorDescOp make);

/// Has loads and stores move matrices in place of tiles of this type: all axes but the last become rows, and
/// reshapes make of them what the program has asked for.
void moveMatrices(const DescriptorUses &uses, mlir::RankedTensorType tile);

/// How a kernel deals with others while they run.
struct Messages {
  /// It may hear that others have written, or tell them that it has.
  bool hears = false, tells = false;
};
Messages findMessages(tt::FuncOp kernel);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_DESCRIPTORUSES_H
