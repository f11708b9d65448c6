// Operations that reach memory: through pointers, block pointers and tensor descriptors.
#ifndef NEREID_DIALECTS_TT_MEMORYOPS_TD
#define NEREID_DIALECTS_TT_MEMORYOPS_TD

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "compiler/dialects/tt/Enums.td"
include "compiler/dialects/tt/Types.td"

defvar TT_CacheArg = DefaultValuedAttr<TT_CacheModifier, "::nereid::tt::CacheModifier::NONE">;
defvar TT_EvictArg = DefaultValuedAttr<TT_EvictionPolicy, "::nereid::tt::EvictionPolicy::NORMAL">;
defvar TT_BoundaryCheckArg = DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">;
defvar TT_AnyPtr = AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>;

def TT_LoadOp : TT_Op<"load", [AttrSizedOperandSegments, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    OptionalTypesMatchWith<"the mask is i1 in the shape and layout of what is loaded", "ptr", "mask",
                   "::nereid::tt::getMaskType($_self)">,
    OptionalTypesMatchWith<"the value for masked-off elements has the type of what is loaded", "ptr", "other",
                   "::nereid::tt::getAccessedType($_self)">]> {
  let summary = "read through pointers, or a tile through a block pointer";
  let description = [{
    Where the mask is false nothing is read, and the element is `other` or, without it, undefined. Block pointers take
    no mask; `boundaryCheck` names the axes along which the tile may leave the tensor, `padding` what stands there.
  }];
  let arguments = (ins TT_AnyPtr:$ptr, Optional<TT_BoolLike>:$mask, Optional<TT_AnyType>:$other,
                       TT_BoundaryCheckArg:$boundaryCheck, OptionalAttr<TT_PaddingOption>:$padding,
                       TT_CacheArg:$cache, TT_EvictArg:$evict, DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TT_AnyType:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, "CacheModifier":$cache, "EvictionPolicy":$evict, "bool":$isVolatile)>,
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$mask, "CacheModifier":$cache, "EvictionPolicy":$evict,
                   "bool":$isVolatile)>,
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$mask, "::mlir::Value":$other, "CacheModifier":$cache,
                   "EvictionPolicy":$evict, "bool":$isVolatile)>,
    OpBuilder<(ins "::mlir::Value":$ptr, "::llvm::ArrayRef<int32_t>":$boundaryCheck,
                   "std::optional<PaddingOption>":$padding, "CacheModifier":$cache, "EvictionPolicy":$evict,
                   "bool":$isVolatile)>,
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$mask, "::mlir::Value":$other,
                   "::llvm::ArrayRef<int32_t>":$boundaryCheck, "std::optional<PaddingOption>":$padding,
                   "CacheModifier":$cache, "EvictionPolicy":$evict, "bool":$isVolatile)>
  ];
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_StoreOp : TT_Op<"store", [MemoryEffects<[MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"the stored value has the type that the pointer points to", "ptr", "value",
                   "::nereid::tt::getAccessedType($_self)">,
    OptionalTypesMatchWith<"the mask is i1 in the shape and layout of what is stored", "ptr", "mask",
                   "::nereid::tt::getMaskType($_self)">]> {
  let summary = "write through pointers, or a tile through a block pointer";
  let arguments = (ins TT_AnyPtr:$ptr, TT_AnyType:$value, Optional<TT_BoolLike>:$mask,
                       TT_BoundaryCheckArg:$boundaryCheck, TT_CacheArg:$cache, TT_EvictArg:$evict);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value, "CacheModifier":$cache, "EvictionPolicy":$evict)>,
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value, "::mlir::Value":$mask, "CacheModifier":$cache,
                   "EvictionPolicy":$evict)>,
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value, "::llvm::ArrayRef<int32_t>":$boundaryCheck,
                   "CacheModifier":$cache, "EvictionPolicy":$evict)>
  ];
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_AtomicRMWOp : TT_Op<"atomic_rmw", [TT_SameShapeAndLayout,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "combine a value with memory in one step; the result is what memory held before";
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, TT_PtrLike:$ptr, TT_AnyType:$val, Optional<TT_BoolLike>:$mask,
                       TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_AnyType:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicCASOp : TT_Op<"atomic_cas", [TT_SameShapeAndLayout,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "store val where memory holds cmp, in one step; the result is what memory held before";
  let arguments = (ins TT_PtrLike:$ptr, TT_AnyType:$cmp, TT_AnyType:$val, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope);
  let results = (outs TT_AnyType:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_MakeTensorPtrOp : TT_Op<"make_tensor_ptr", [Pure, SameVariadicOperandSize,
    TypesMatchWith<"the base points to the elements of the tile", "result", "base",
                   "::nereid::tt::getElementPointerType($_self)">]> {
  let summary = "a block pointer, from a tensor in memory and where a tile of it begins";
  let arguments = (ins TT_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       DenseI32ArrayAttr:$order);
  let results = (outs TT_TensorPtr:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$base, "::mlir::ValueRange":$shape, "::mlir::ValueRange":$strides,
                   "::mlir::ValueRange":$offsets, "::llvm::ArrayRef<int32_t>":$tensorShape,
                   "::llvm::ArrayRef<int32_t>":$order)>
  ];
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def TT_AdvanceOp : TT_Op<"advance", [Pure, TypesMatchWith<"result type matches ptr type", "result", "ptr", "$_self">]> {
  let summary = "a block pointer moved by offsets, one an axis";
  let arguments = (ins TT_TensorPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [Pure, SameVariadicOperandSize]> {
  let summary = "a tensor descriptor, from a tensor in memory and the size of its tiles";
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<TT_PaddingOption, "::nereid::tt::PaddingOption::PAD_ZERO">:$padding);
  let results = (outs TT_TensorDesc:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$base, "::mlir::ValueRange":$shape, "::mlir::ValueRange":$strides,
                   "::llvm::ArrayRef<int32_t>":$blockShape, "bool":$isSignedInteger, "PaddingOption":$padding)>
  ];
  let assemblyFormat = "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)";
  let hasVerifier = 1;
}

def TT_ReinterpretTensorDescOp : TT_Op<"reinterpret_tensor_descriptor", [Pure]> {
  let summary = "a pointer to a descriptor in memory, as a tensor descriptor";
  let arguments = (ins TT_Ptr:$rawDesc);
  let results = (outs TT_TensorDesc:$result);
  let assemblyFormat = "$rawDesc attr-dict `:` qualified(type($rawDesc)) `to` qualified(type($result))";
}

def TT_DescriptorLoadOp : TT_Op<"descriptor_load", [MemoryEffects<[MemRead<TT_GlobalMemory>]>]> {
  let summary = "read a tile through a descriptor; outside of the tensor is the descriptor's padding";
  let arguments = (ins TT_TensorDesc:$desc, Variadic<I32>:$indices, TT_CacheArg:$cache, TT_EvictArg:$evict);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorStoreOp : TT_Op<"descriptor_store",
    [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "write a tile through a descriptor; outside of the tensor nothing is written";
  let arguments = (ins TT_TensorDesc:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasVerifier = 1;
}

def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce",
    [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "combine a tile with memory through a descriptor, each element in one step";
  let arguments = (ins TT_DescriptorReduceKind:$kind, TT_TensorDesc:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

def TT_DescriptorGatherOp : TT_Op<"descriptor_gather", [MemoryEffects<[MemRead<TT_GlobalMemory>]>]> {
  let summary = "read rows that offsets name, through a descriptor of single rows";
  let arguments = (ins TT_TensorDesc:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter",
    [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "write rows that offsets name, through a descriptor of single rows";
  let arguments = (ins TT_TensorDesc:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

// The forms that earlier releases printed. They parse, and canonicalization turns loads and stores into today's.

def TT_ExperimentalDescriptorLoadOp : TT_Op<"experimental_descriptor_load",
    [MemoryEffects<[MemRead<TT_GlobalMemory>]>]> {
  let summary = "older name of descriptor_load";
  let arguments = (ins TT_TensorDesc:$desc, Variadic<I32>:$indices, TT_CacheArg:$cache, TT_EvictArg:$evict);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
  let hasCanonicalizeMethod = 1;
}

def TT_ExperimentalDescriptorStoreOp : TT_Op<"experimental_descriptor_store",
    [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "older name of descriptor_store";
  let arguments = (ins TT_TensorDesc:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasCanonicalizeMethod = 1;
}

class TT_AtMost<int max> : ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<max>]>;

def TT_ExperimentalTensormapCreateOp : TT_Op<"experimental_tensormap_create", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "write an NVIDIA tensor map to memory";
  let arguments = (ins TT_Pointer:$desc_ptr, TT_Pointer:$global_address, Variadic<I32>:$box_dim,
                       Variadic<I32>:$global_dim, Variadic<I64>:$global_stride, Variadic<I32>:$element_stride,
                       TT_AtMost<12>:$elem_type, TT_AtMost<2>:$interleave_layout, TT_AtMost<3>:$swizzle_mode,
                       TT_AtMost<1>:$fill_mode);
  let assemblyFormat = [{
    $desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,` `[` $global_stride `]` `,`
    `[` $element_stride `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TT_ExperimentalTensormapFenceproxyAcquireOp : TT_Op<"experimental_tensormap_fenceproxy_acquire",
    [MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "order uses of a tensor map after its writing";
  let arguments = (ins TT_Pointer:$desc_ptr);
  let assemblyFormat = "$desc_ptr attr-dict `:` qualified(type($desc_ptr))";
}

#endif // NEREID_DIALECTS_TT_MEMORYOPS_TD
