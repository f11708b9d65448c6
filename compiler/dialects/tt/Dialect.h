// The tt dialect: programs over tiles of tensors, before layouts are chosen. This is its one public header.
//
// Names of operations and of their operands are upstream Triton's, so tt::LoadOp has getPtr, getMask and
// getOther, and text dumped by Triton parses. The .td files beside this one say what each operation means.
#ifndef NEREID_COMPILER_DIALECTS_TT_DIALECT_H
#define NEREID_COMPILER_DIALECTS_TT_DIALECT_H

#include "compiler/dialects/tt/LayoutInterface.h"
#include "compiler/dialects/tt/Traits.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/dialects/tt/Dialect.h.inc"
#include "compiler/dialects/tt/Enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialects/tt/Types.h.inc"

namespace nereid::tt {

/// Memory that pointers reach.
struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "<GlobalMemory>"; }
};

/// Whether this is a block pointer: one whose pointee is a tensor.
bool isTensorPointerType(mlir::Type type);

/// What a load through this pointer, tensor of pointers or block pointer gives.
mlir::Type getAccessedType(mlir::Type pointerLike);

/// The type of a mask over an access through this pointer: i1, in the shape and layout of what is accessed.
mlir::Type getMaskType(mlir::Type pointerLike);

/// A pointer to one element of what a block pointer points to.
mlir::Type getElementPointerType(mlir::Type blockPointer);

/// A type with the tensor's shape and layout, if it is a tensor, and this element type.
mlir::Type withElementType(mlir::Type type, mlir::Type elementType);

/// The number of bits of an integer, floating-point number or pointer, or of an element of a tensor of them.
unsigned getElementBits(mlir::Type type);

} // namespace nereid::tt

#define GET_OP_CLASSES
#include "compiler/dialects/tt/ProgramOps.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialects/tt/ElementwiseOps.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialects/tt/ShapeOps.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialects/tt/MemoryOps.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialects/tt/ComputeOps.h.inc"

#endif // NEREID_COMPILER_DIALECTS_TT_DIALECT_H
