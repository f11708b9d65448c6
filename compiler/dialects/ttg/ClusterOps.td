// Clusters: several blocks that run one program together.
//
// The blocks of a cluster run the same code, each on its part of every tensor (transforms/SplitOverBlocks.cpp). Here is
// all that one of them has to do with the others.
#ifndef NEREID_DIALECTS_TTG_CLUSTEROPS_TD
#define NEREID_DIALECTS_TTG_CLUSTEROPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "compiler/dialects/tt/Types.td"
include "compiler/dialects/ttg/Types.td"

def TTG_BlockInClusterOp : Op<TTG_Dialect, "block_in_cluster", [Pure]> {
  let summary = "the number of this block in its cluster";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TTG_ExchangeBlocksOp : Op<TTG_Dialect, "exchange_blocks", [
    TT_TensorSizeTrait, TT_VerifyTensorLayoutsTrait, ConditionallySpeculatable,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a block's part of a tensor, from the parts that the blocks have";
  let description = [{
    The source is a block's part along axis `from`, or the whole tensor where that is -1; the result the part along axis
    `to`, or the whole. Part n belongs to block n. With `fromFirst` only the first block has the source, which may then be
    a scalar. All blocks of the cluster get here, and wait for each other where anything crosses from one to another. That is
    an effect with `fromFirst`, which stands behind what the first block does to memory, and none otherwise.

        ttg.exchange_blocks %x from 0 to 1 : tensor<32x128xf32> -> tensor<64x64xf32>      in a cluster of two
  }];
  let arguments = (ins TT_AnyType:$src, I32Attr:$from, I32Attr:$to, UnitAttr:$fromFirst);
  let results = (outs TT_AnyType:$result);
  let assemblyFormat = [{
    $src `from` $from `to` $to (`first` $fromFirst^)? attr-dict `:` type($src) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Whether blocks read each other's memory.
    bool crosses() { return getFromFirst() || int32_t(getFrom()) >= 0; }
    ::mlir::Speculation::Speculatability getSpeculatability();
  }];
  let hasVerifier = 1;
}

def TTG_ClusterBarrierOp : Op<TTG_Dialect, "cluster_barrier", [
    MemoryEffects<[MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>]> {
  let summary = "the threads of all blocks of a cluster wait for each other, and see each other's writes";
  let assemblyFormat = "attr-dict";
}

#endif // NEREID_DIALECTS_TTG_CLUSTEROPS_TD
