// The layouts (encodings) of the ttg dialect. Here they are data with upstream's text; what each of them means as a map
// from register, lane, warp and block to elements is said once for all, in EncodingToLinearLayout.
//
// `cgaLayout` holds, row after row, one basis vector for each bit of the block index inside a cluster; it is empty for
// clusters of one block, which is what text without CGALayout means.
#ifndef NEREID_DIALECTS_TTG_ATTRIBUTES_TD
#define NEREID_DIALECTS_TTG_ATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "compiler/dialects/ttg/Dialect.td"

class TTG_Attr<string name, string attrMnemonic> : AttrDef<TTG_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

defvar TTG_Sizes = ArrayRefParameter<"unsigned">;
defvar TTG_Bases = ArrayRefParameter<"int32_t">;

def TTG_BlockedEncoding : TTG_Attr<"BlockedEncoding", "blocked"> {
  let summary = "equal boxes of elements for each thread, warps tiling boxes, the block tiling warps";
  let parameters = (ins TTG_Sizes:$sizePerThread, TTG_Sizes:$threadsPerWarp, TTG_Sizes:$warpsPerCTA, TTG_Sizes:$order,
                        TTG_Bases:$cgaLayout);
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<unsigned>":$sizePerThread, "::llvm::ArrayRef<unsigned>":$threadsPerWarp,
                     "::llvm::ArrayRef<unsigned>":$warpsPerCTA, "::llvm::ArrayRef<unsigned>":$order), [{
      return $_get($_ctxt, sizePerThread, threadsPerWarp, warpsPerCTA, order, ::llvm::ArrayRef<int32_t>());
    }]>,
    // The blocked layout that spreads a tensor of this shape over the threads, fastest axis first.
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::llvm::ArrayRef<unsigned>":$sizePerThread,
                     "::llvm::ArrayRef<unsigned>":$order, "unsigned":$numWarps, "unsigned":$threadsPerWarp)>
  ];
  let extraClassDeclaration = "unsigned getRank() const { return getOrder().size(); }";
}

def TTG_SliceEncoding : TTG_Attr<"SliceEncoding", "slice"> {
  let summary = "the parent layout with one axis left out";
  let parameters = (ins "unsigned":$dim, "::mlir::Attribute":$parent);
}

def TTG_LinearEncoding : TTG_Attr<"LinearEncoding", "linear"> {
  let summary = "a linear layout, written out";
  let description = [{
    For each bit of register, lane, warp and block the vector of coordinates that the bit adds, by exclusive or. The
    vectors are stored one after the other, `rank` numbers each.
  }];
  let parameters = (ins "unsigned":$rank, TTG_Bases:$registerBases, TTG_Bases:$laneBases, TTG_Bases:$warpBases,
                        TTG_Bases:$blockBases);
}

def TTG_DotOperandEncoding : TTG_Attr<"DotOperandEncoding", "dot_op"> {
  let summary = "an operand of a product whose result has the parent layout";
  let parameters = (ins "unsigned":$opIdx, "::mlir::Attribute":$parent, "unsigned":$kWidth);
}

def TTG_NvidiaMmaEncoding : TTG_Attr<"NvidiaMmaEncoding", "nvidia_mma"> {
  let summary = "accumulator of NVIDIA's matrix instructions: mma (version 2), wgmma (version 3)";
  let parameters = (ins "unsigned":$versionMajor, "unsigned":$versionMinor, TTG_Sizes:$warpsPerCTA, TTG_Bases:$cgaLayout,
                        TTG_Sizes:$instrShape);
}

def TTG_AMDMfmaEncoding : TTG_Attr<"AMDMfmaEncoding", "amd_mfma"> {
  let summary = "accumulator of AMD's mfma instructions";
  let parameters = (ins "unsigned":$version, TTG_Sizes:$warpsPerCTA, TTG_Sizes:$instrShape, "bool":$isTransposed,
                        TTG_Bases:$cgaLayout, TTG_Sizes:$tilesPerWarp, "unsigned":$elementBitWidth);
}

def TTG_AMDWmmaEncoding : TTG_Attr<"AMDWmmaEncoding", "amd_wmma"> {
  let summary = "accumulator of AMD's wmma instructions";
  let parameters = (ins "unsigned":$version, "bool":$isTransposed, TTG_Sizes:$warpsPerCTA, TTG_Bases:$cgaLayout,
                        TTG_Sizes:$tilesPerWarp, TTG_Sizes:$instrShape);
}

def TTG_SwizzledSharedEncoding : TTG_Attr<"SwizzledSharedEncoding", "swizzled_shared"> {
  let summary = "shared memory whose rows are permuted in vectors, against bank conflicts";
  let parameters = (ins "unsigned":$vec, "unsigned":$perPhase, "unsigned":$maxPhase, TTG_Sizes:$order,
                        TTG_Bases:$cgaLayout);
}

def TTG_AMDRotatingSharedEncoding : TTG_Attr<"AMDRotatingSharedEncoding", "amd_rotating_shared"> {
  let summary = "as swizzled_shared, with a start that rotates from block to block of rows";
  let parameters = (ins "unsigned":$vec, "unsigned":$perPhase, "unsigned":$maxPhase, TTG_Sizes:$order,
                        TTG_Bases:$cgaLayout);
}

def TTG_PaddedSharedEncoding : TTG_Attr<"PaddedSharedEncoding", "padded_shared"> {
  let summary = "shared memory with a gap after every so many elements";
  let description = [{
    `[32:+4]` leaves 4 elements free after each 32. The elements before padding lie in row-major order of `order` over
    `shape`, or as the vectors `offsetBases` and `blockBases` say, of `rank` numbers each.
  }];
  let parameters = (ins TTG_Sizes:$intervals, TTG_Sizes:$paddings, TTG_Sizes:$order, TTG_Sizes:$shape, "unsigned":$rank,
                        TTG_Bases:$offsetBases, TTG_Bases:$blockBases);
}

def TTG_SharedLinearEncoding : TTG_Attr<"SharedLinearEncoding", "shared_linear"> {
  let summary = "shared memory as a linear layout from offsets, written out";
  let parameters = (ins "unsigned":$rank, TTG_Bases:$offsetBases, TTG_Bases:$blockBases, "unsigned":$alignment);
}

def TTG_NVMMASharedEncoding : TTG_Attr<"NVMMASharedEncoding", "nvmma_shared"> {
  let summary = "shared memory as wgmma and TMA read it";
  let parameters = (ins "unsigned":$swizzlingByteWidth, "bool":$transposed, "unsigned":$elementBitWidth,
                        "bool":$fp4Padded, "unsigned":$rank, TTG_Bases:$cgaLayout);
}

def TTG_SharedMemorySpace : AttrDef<TTG_Dialect, "SharedMemorySpace"> {
  let mnemonic = "shared_memory";
  let summary = "the memory that the threads of a block share";
}

#endif // NEREID_DIALECTS_TTG_ATTRIBUTES_TD
