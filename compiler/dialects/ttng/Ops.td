// The operations of the ttng dialect, with upstream's names and text.
#ifndef NEREID_DIALECTS_TTNG_OPS_TD
#define NEREID_DIALECTS_TTNG_OPS_TD

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "compiler/dialects/tt/Enums.td"
include "compiler/dialects/tt/Types.td"
include "compiler/dialects/ttg/Types.td"
include "compiler/dialects/ttng/Dialect.td"

def TTNG_SharedMemory : Resource<"::nereid::ttg::SharedMemory">;

class TTNG_Op<string mnemonic, list<Trait> traits = []> : Op<TTNG_Dialect, mnemonic, traits>;

def TTNG_TensorOrMemDesc : AnyTypeOf<[TT_FpIntTensor, TTG_MemDesc]>;

def TTNG_WarpGroupDotOp : TTNG_Op<"warp_group_dot", [
    InferTypeOpAdaptor, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"the accumulator has the result's type", "d", "c", "$_self">]> {
  let summary = "d = a * b + c by a group of four warps, operands in memory on chip";
  let description = [{
    `wgmma` of PTX: b is in memory on chip, and a is there or in registers. With `isAsync` the result is there after a
    `ttng.warp_group_dot_wait`, and until then nobody may write to the operands. Where `useC` is given and false, the sum
    begins with zero and `c` is not added. `inputPrecision` and `maxNumImpreciseAcc` are those of tt.dot.

    Hopper adds products of 8-bit floats with about 14 bits. Where `maxNumImpreciseAcc` says that no more than so many
    may be added like that, and the operands are deeper, parts are added up in float32 by the threads, and the result
    is there at once.
  }];
  let arguments = (ins TTNG_TensorOrMemDesc:$a, TTG_MemDesc:$b, TT_FpIntTensor:$c, Optional<I1>:$useC,
                       DefaultValuedAttr<TT_InputPrecision, "::nereid::tt::InputPrecision::IEEE">:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc, DefaultValuedAttr<BoolAttr, "false">:$isAsync);
  let results = (outs TT_FpIntTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` $useC^)? attr-dict `:` type($a) `*` qualified(type($b)) `->` type($d)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the product is several, whose results the threads add.
    bool addsInParts();
  }];
}

def TTNG_WarpGroupDotWaitOp : TTNG_Op<"warp_group_dot_wait", [
    AllTypesMatch<["inputs", "outputs"]>,
    MemoryEffects<[MemRead<TTNG_SharedMemory>, MemWrite<TTNG_SharedMemory>]>]> {
  let summary = "wait until at most pendings products are under way";
  let description = [{
    Passes its inputs on: results of products, which are there when it returns, and the memory that they read, so that
    neither is used before.
  }];
  let arguments = (ins Variadic<TTNG_TensorOrMemDesc>:$inputs, I32Attr:$pendings);
  let results = (outs Variadic<TTNG_TensorOrMemDesc>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
}

def TTNG_FenceAsyncSharedOp : TTNG_Op<"fence_async_shared", [
    MemoryEffects<[MemRead<TTNG_SharedMemory>, MemWrite<TTNG_SharedMemory>]>]> {
  let summary = "what threads wrote to memory on chip can be seen by the units that read it behind their backs";
  let description = [{
    With `global`, the same of global memory, and what the units wrote there can be seen by the threads.
  }];
  let arguments = (ins DefaultValuedAttr<BoolAttr, "false">:$bCluster, DefaultValuedAttr<BoolAttr, "false">:$global);
  let assemblyFormat = "attr-dict";
}

//===-- Tiles copied by the tensor memory accelerator (TMA) --------------------------------------------------------===//

/// An mbarrier is 8 bytes of shared memory: `!ttg.memdesc<1xi64, …>`.
def TTNG_InitBarrierOp : TTNG_Op<"init_barrier", [MemoryEffects<[MemWrite<TTNG_SharedMemory>]>]> {
  let summary = "make an mbarrier that waits for `count` arrivals in each phase";
  let description = [{
    One thread writes it. Before the others wait there, they pass a barrier of the block.
  }];
  let arguments = (ins TTG_MemDesc:$alloc, I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_InvalBarrierOp : TTNG_Op<"inval_barrier", [MemoryEffects<[MemWrite<TTNG_SharedMemory>]>]> {
  let summary = "end an mbarrier, so that its memory may serve for something else";
  let arguments = (ins TTG_MemDesc:$alloc);
  let assemblyFormat = "$alloc attr-dict `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_BarrierExpectOp : TTNG_Op<"barrier_expect",
    [MemoryEffects<[MemRead<TTNG_SharedMemory>, MemWrite<TTNG_SharedMemory>]>]> {
  let summary = "arrive at an mbarrier, whose phase ends once `size` more bytes have been copied";
  let arguments = (ins TTG_MemDesc:$alloc, I32Attr:$size, I1:$pred);
  let assemblyFormat = "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))";
  let hasVerifier = 1;
}

def TTNG_WaitBarrierOp : TTNG_Op<"wait_barrier", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TTNG_SharedMemory>, MemWrite<TTNG_SharedMemory>]>]> {
  let summary = "wait until the phase of an mbarrier has ended";
  let description = [{
    Phases are counted modulo 2, the first is 0. Copies that belong to the phase can be seen by each thread that
    has waited, without a barrier of the block. `deps` is memory that is not read before.
  }];
  let arguments = (ins TTG_MemDesc:$alloc, I32:$phase, Optional<I1>:$pred, Variadic<TTG_MemDesc>:$deps);
  let assemblyFormat = [{
    $alloc `,` $phase (`,` $pred^)? (`deps` $deps^)? attr-dict
    `:` qualified(type($alloc)) (`,` qualified(type($deps))^)?
  }];
  let hasVerifier = 1;
}

def TTNG_ArriveBarrierOp : TTNG_Op<"arrive_barrier", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TTNG_SharedMemory>, MemWrite<TTNG_SharedMemory>]>]> {
  let summary = "arrive at an mbarrier `count` times";
  let description = [{
    Says that the threads of the region are done with what they did before: they wait for each other, and one of them
    arrives. With `eachWarp` the lanes of each warp do, and one of each warp arrives `count` times, so that no warp waits
    for another. Nothing is done where `pred` is false. `deps` is memory that nobody reads any more in this round.
  }];
  let arguments = (ins TTG_MemDesc:$alloc, I32Attr:$count, Optional<I1>:$pred, Variadic<TTG_MemDesc>:$deps,
                       DefaultValuedAttr<BoolAttr, "false">:$eachWarp);
  let assemblyFormat = [{
    $alloc `,` $count (`,` $pred^)? (`deps` $deps^)? attr-dict
    `:` qualified(type($alloc)) (`,` qualified(type($deps))^)?
  }];
  let hasVerifier = 1;
}

def TTNG_AsyncTMACopyGlobalToLocalOp : TTNG_Op<"async_tma_copy_global_to_local",
    [MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TTNG_SharedMemory>]>]> {
  let summary = "start to copy a tile of a tensor, which a tensor map describes, to memory on chip";
  let description = [{
    `coord` is the tile's first element, outermost axis first; what lies outside of the tensor is zero. One thread
    starts the copy (PTX ISA, cp.async.bulk.tensor), the hardware computes the addresses, and every byte that arrives
    is counted by `barrier`. The tensor map has the swizzle of `result`.
  }];
  let arguments = (ins TT_TensorDesc:$desc, Variadic<I32>:$coord, TTG_MemDesc:$barrier, TTG_MemDesc:$result, I1:$pred,
                       DefaultValuedAttr<TT_CacheModifier, "::nereid::tt::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicy, "::nereid::tt::EvictionPolicy::NORMAL">:$evict,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let assemblyFormat = [{
    $desc `[` $coord `]` $result `,` $barrier `,` $pred oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `,` qualified(type($barrier)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TTNG_AsyncTMACopyLocalToGlobalOp : TTNG_Op<"async_tma_copy_local_to_global",
    [MemoryEffects<[MemRead<TTNG_SharedMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "start to copy a tile from memory on chip to a tensor, which a tensor map describes";
  let description = [{
    What lies outside of the tensor is not written. One thread starts the copy, and a `ttng.async_tma_store_wait` of the
    same thread ends it. What threads have written to `src` needs a `ttng.fence_async_shared` and a barrier before.
  }];
  let arguments = (ins TT_TensorDesc:$desc, Variadic<I32>:$coord, TTG_MemDesc:$src);
  let assemblyFormat = "$desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))";
  let hasVerifier = 1;
}

def TTNG_AsyncTMAStoreWaitOp : TTNG_Op<"async_tma_store_wait",
    [MemoryEffects<[MemRead<TTNG_SharedMemory>, MemWrite<TTNG_SharedMemory>]>]> {
  let summary = "wait until all but `pendings` of the copies to tensors have read their memory on chip";
  let description = [{
    With `written`, until the tensors are written, too, for the thread that started the copies.
  }];
  let arguments = (ins I32Attr:$pendings, DefaultValuedAttr<BoolAttr, "false">:$written);
  let assemblyFormat = "attr-dict";
}

// Tensor maps that a program makes, in global memory of its own (ttg.global_scratch_alloc).

def TTNG_TensormapCreateOp : TTNG_Op<"tensormap_create", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "write a tensor map to memory";
  let description = [{
    Axes are counted from the innermost one. `global_stride` has the strides of all others, in bytes. `elem_type`,
    `interleave_layout`, `swizzle_mode` and `fill_mode` are numbers of PTX (ISA, tensormap.replace). The map is
    128 bytes at an address divisible by 128, and is put together on chip, from zeros.
  }];
  let hasVerifier = 1;
  let arguments = (ins TT_Ptr:$desc_ptr, TT_Ptr:$global_address, Variadic<I32>:$box_dim, Variadic<I32>:$global_dim,
                       Variadic<I64>:$global_stride, Variadic<I32>:$element_stride, I32Attr:$elem_type,
                       I32Attr:$interleave_layout, I32Attr:$swizzle_mode, I32Attr:$fill_mode);
  let assemblyFormat = [{
    $desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,` `[` $global_stride `]` `,`
    `[` $element_stride `]` attr-dict `:` functional-type(operands, results)
  }];
}

def TTNG_TensormapFenceproxyAcquireOp : TTNG_Op<"tensormap_fenceproxy_acquire",
    [MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "a tensor map that was written before can be used behind this";
  let description = [{
    The unit that copies keeps maps in a cache of its own, which knows of no writes to memory. Each thread that starts
    copies by the map passes this fence before.
  }];
  let arguments = (ins TT_Ptr:$desc_ptr);
  let assemblyFormat = "$desc_ptr attr-dict `:` qualified(type($desc_ptr))";
}

def TTNG_ReinterpretTensorDescOp : TTNG_Op<"reinterpret_tensor_descriptor", [Pure]> {
  let summary = "a pointer to a tensor map, as a tensor descriptor";
  let arguments = (ins TT_Ptr:$rawDesc);
  let results = (outs TT_TensorDesc:$result);
  let assemblyFormat = "$rawDesc attr-dict `:` qualified(type($rawDesc)) `to` qualified(type($result))";
}

#endif // NEREID_DIALECTS_TTNG_OPS_TD
