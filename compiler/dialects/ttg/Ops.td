// The operations of the ttg dialect: conversion between layouts, and memory on chip.
#ifndef NEREID_DIALECTS_TTG_OPS_TD
#define NEREID_DIALECTS_TTG_OPS_TD

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "compiler/dialects/tt/Enums.td"
include "compiler/dialects/tt/Types.td"
include "compiler/dialects/ttg/Attributes.td"
include "compiler/dialects/ttg/Types.td"
include "compiler/dialects/ttg/WarpSpecializationOps.td"

def TTG_SharedMemory : Resource<"::nereid::ttg::SharedMemory">;

include "compiler/dialects/ttg/ClusterOps.td"

class TTG_Op<string mnemonic, list<Trait> traits = []>
    : Op<TTG_Dialect, mnemonic, !listconcat(traits, [TT_TensorSizeTrait, TT_VerifyTensorLayoutsTrait])>;

def TTG_ConvertLayoutOp : TTG_Op<"convert_layout", [Pure]> {
  let summary = "the same tensor in another layout";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def TTG_FactorPartOp : TTG_Op<"factor_part", [Pure, TT_SameShapeAndLayout, Elementwise]> {
  let summary = "a part of a product's f32 factor that the matrix unit multiplies exactly";
  let description = [{
    A factor is the sum of its parts, but for what is below the last one: part 0 is the factor rounded to the part's type
    (bf16; f32 stands for tf32, rounded to nearest, ties away from zero), part 1 what that leaves, rounded likewise, and so
    on. The last part in f32 is not rounded: the unit cuts it off itself. Where part 0 is infinite or NaN the others mean
    nothing.
  }];
  let arguments = (ins TT_FloatTensor:$src, I32Attr:$part);
  let results = (outs TT_FloatTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_LocalAllocOp : TTG_Op<"local_alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "memory on chip, filled with a tensor or not at all";
  let arguments = (ins Optional<TT_Tensor>:$src, OptionalAttr<I32Attr>:$alignment);
  let results = (outs TTG_MemDesc:$result);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result), [{ build($_builder, $_state, result, ::mlir::Value(), ::mlir::IntegerAttr()); }]>,
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$src), [{
      build($_builder, $_state, result, src, ::mlir::IntegerAttr());
    }]>
  ];
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// The alignment in bytes; 16 where none is given.
    int32_t getAlignmentOrDefault() { return getAlignment().value_or(16); }
  }];
  let hasVerifier = 1;
}

def TTG_LocalDeallocOp : TTG_Op<"local_dealloc", [MemoryEffects<[MemFree<TTG_SharedMemory>]>]> {
  let summary = "memory on chip is no longer used";
  let arguments = (ins TTG_MemDesc:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src))";
}

def TTG_LocalLoadOp : TTG_Op<"local_load", [MemoryEffects<[MemRead<TTG_SharedMemory>]>]> {
  let summary = "read a tensor from memory on chip";
  let arguments = (ins TTG_MemDesc:$src, Optional<TTG_AsyncToken>:$token);
  let results = (outs TT_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$src), [{
    build($_builder, $_state, result, src, ::mlir::Value());
  }]>];
  let assemblyFormat = "$src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_LocalGatherOp : TTG_Op<"local_gather", [MemoryEffects<[MemRead<TTG_SharedMemory>]>]> {
  let summary = "the elements of memory on chip that indices name along an axis";
  let description = [{
    What `tt.gather` is of a tensor. The memory has plain rows, as each element has a place of its own at run time. Indices are
    unsigned, and those beyond the axis read anything.
  }];
  let arguments = (ins TTG_MemDesc:$src, TT_IntTensor:$indices, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` attr-dict `:` qualified(type($src)) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_LocalDotOp : TTG_Op<"local_dot", [
    MemoryEffects<[MemRead<TTG_SharedMemory>]>, TypesMatchWith<"the accumulator has the result's type", "d", "c", "$_self">]> {
  let summary = "d = a * b + c by the threads, each for its elements of d, with a and b in memory on chip";
  let description = [{
    Of f32 in full precision, which no matrix unit multiplies. A thread reads the rows and columns that its elements of the
    result need.
  }];
  let arguments = (ins TTG_MemDesc:$a, TTG_MemDesc:$b, TT_FloatTensor:$c);
  let results = (outs TT_FloatTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c attr-dict `:` qualified(type($a)) `*` qualified(type($b)) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TTG_LocalStoreOp : TTG_Op<"local_store", [MemoryEffects<[MemWrite<TTG_SharedMemory>]>]> {
  let summary = "write a tensor to memory on chip";
  let arguments = (ins TT_Tensor:$src, TTG_MemDesc:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))";
  let hasVerifier = 1;
}

def TTG_MemDescIndexOp : TTG_Op<"memdesc_index", [Pure]> {
  let summary = "one of the buffers along the first axis";
  let arguments = (ins TTG_MemDesc:$src, I32:$index);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_MemDescSubsliceOp : TTG_Op<"memdesc_subslice", [Pure]> {
  let summary = "a box of a view, from offsets known at compile time";
  let arguments = (ins TTG_MemDesc:$src, DenseI32ArrayAttr:$offsets);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = [{
    $src custom<Offsets>($offsets) attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TTG_MemDescTransOp : TTG_Op<"memdesc_trans", [Pure]> {
  let summary = "a view with its axes permuted";
  let arguments = (ins TTG_MemDesc:$src, DenseI32ArrayAttr:$order);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_MemDescReshapeOp : TTG_Op<"memdesc_reshape", [Pure]> {
  let summary = "a view in another shape";
  let arguments = (ins TTG_MemDesc:$src);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def TTG_MemDescReinterpretOp : TTG_Op<"memdesc_reinterpret", [Pure]> {
  let summary = "the same memory as another type";
  let arguments = (ins TTG_MemDesc:$src);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))";
}

def TTG_AsyncCopyGlobalToLocalOp : TTG_Op<"async_copy_global_to_local", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TTG_SharedMemory>]>,
    OptionalTypesMatchWith<"the mask is i1 in the shape and layout of what is copied", "src", "mask",
                           "::nereid::tt::getMaskType($_self)">,
    OptionalTypesMatchWith<"the value for masked-off elements has the type of what is copied", "src", "other",
                           "::nereid::tt::getAccessedType($_self)">]> {
  let summary = "start a copy from global memory to memory on chip";
  let arguments = (ins TT_PtrTensor:$src, TTG_MemDesc:$result, Optional<TT_BoolTensor>:$mask, Optional<TT_Tensor>:$other,
                       DefaultValuedAttr<TT_CacheModifier, "::nereid::tt::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicy, "::nereid::tt::EvictionPolicy::NORMAL">:$evict,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile, DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $src `,` $result (`mask` $mask^)? (`other` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TTG_AsyncCommitGroupOp : TTG_Op<"async_commit_group", []> {
  let summary = "make one group of the copies started since the last";
  let arguments = (ins Variadic<TTG_AsyncToken>:$inputTokens);
  let results = (outs TTG_AsyncToken:$asyncToken);
  let assemblyFormat = "(`tokens` $inputTokens^)? attr-dict";
}

def TTG_AsyncWaitOp : TTG_Op<"async_wait", []> {
  let summary = "wait until at most num groups of copies are under way";
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}

def TTG_GlobalScratchAllocOp : TTG_Op<"global_scratch_alloc", [MemoryEffects<[MemAlloc<TT_GlobalMemory>]>]> {
  let summary = "global memory of this program's own";
  let arguments = (ins I32Attr:$nbytes, I32Attr:$alignment);
  let results = (outs TT_Ptr:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def TTG_LocalBarrierOp : TTG_Op<"local_barrier", [MemoryEffects<[MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>]> {
  let summary = "the threads of a block wait for each other, and see each other's writes to shared memory";
  let assemblyFormat = "attr-dict";
}

#endif // NEREID_DIALECTS_TTG_OPS_TD
