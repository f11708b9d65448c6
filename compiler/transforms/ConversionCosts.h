// What a conversion between layouts costs, and what computing a value in another layout does, in instructions
// of one thread. The numbers need only rank "a few integer operations" against "a round trip through shared
// memory with a barrier".
#ifndef NEREID_COMPILER_TRANSFORMS_CONVERSIONCOSTS_H
#define NEREID_COMPILER_TRANSFORMS_CONVERSIONCOSTS_H

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/transforms/AxisInfo.h"

namespace nereid {

/// One instruction of a load from global memory, which takes its place in the cache.
constexpr int64_t costOfLoad = 20;

/// What is done outside of the loop around a conversion is done far less often: its cost is divided by this.
constexpr int64_t roundsOfLoop = 4;

/// A thread's registers of the value in this layout, not counting copies in one thread, of which LLVM leaves
/// one. A column in the layout of a warp group's sums has as many as there are columns.
int64_t getRegisters(mlir::Value value, mlir::Attribute layout);

/// What the conversion costs as it is.
int64_t getConversionCost(ttg::ConvertLayoutOp convert);

/// What one register of the operation's result costs to compute.
int64_t getCostPerRegister(mlir::Operation *op);

/// How many neighbours one instruction of a load takes in this layout.
int64_t getVectorElements(tt::LoadOp load, mlir::Attribute layout, const AxisInfoAnalysis &axes);

/// The instructions of one thread that a load takes in this layout.
int64_t getLoadInstructions(tt::LoadOp load, mlir::Attribute layout, const AxisInfoAnalysis &axes);

/// What a load costs a thread in this layout: less where all that a warp reads is a part of a line of memory.
int64_t getLoadCost(tt::LoadOp load, mlir::Attribute layout, const AxisInfoAnalysis &axes);

/// What a read of a buffer costs a thread in this layout.
int64_t getReadCost(ttg::LocalLoadOp load, mlir::Attribute layout);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_CONVERSIONCOSTS_H
