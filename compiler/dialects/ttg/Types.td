// The types of the ttg dialect.
#ifndef NEREID_DIALECTS_TTG_TYPES_TD
#define NEREID_DIALECTS_TTG_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "compiler/dialects/ttg/Dialect.td"

def TTG_MemDesc : TypeDef<TTG_Dialect, "MemDesc", [ShapedTypeInterface]> {
  let mnemonic = "memdesc";
  let summary = "a view of memory on chip: shape, element type, layout, memory space";
  let description = [{
    `mutable` memory may be written after it was allocated. `allocShape` is the shape of the whole allocation that this
    is a view of, and is printed where it differs from the view's.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "::mlir::Attribute":$encoding,
                        "::mlir::Attribute":$memorySpace, "bool":$mutableMemory,
                        ArrayRefParameter<"int64_t">:$allocShape);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                        "::mlir::Attribute":$encoding, "::mlir::Attribute":$memorySpace,
                                        CArg<"bool", "false">:$mutableMemory), [{
      return $_get(elementType.getContext(), shape, elementType, encoding, memorySpace, mutableMemory, shape);
    }]>,
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                        "::mlir::Attribute":$encoding, "::mlir::Attribute":$memorySpace,
                                        "bool":$mutableMemory, "::llvm::ArrayRef<int64_t>":$allocShape), [{
      return $_get(elementType.getContext(), shape, elementType, encoding, memorySpace, mutableMemory, allocShape);
    }]>
  ];
  let extraClassDeclaration = [{
    MemDescType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape, ::mlir::Type elementType) const {
      ::llvm::ArrayRef<int64_t> newShape = shape.value_or(getShape());
      return MemDescType::get(newShape, elementType, getEncoding(), getMemorySpace(), getMutableMemory(), newShape);
    }
    bool hasRank() const { return true; }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TTG_AsyncToken : TypeDef<TTG_Dialect, "AsyncToken"> {
  let mnemonic = "async.token";
  let summary = "stands for copies that are under way";
}

#endif // NEREID_DIALECTS_TTG_TYPES_TD
