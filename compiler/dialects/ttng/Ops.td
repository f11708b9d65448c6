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
  let arguments = (ins DefaultValuedAttr<BoolAttr, "false">:$bCluster);
  let assemblyFormat = "attr-dict";
}

#endif // NEREID_DIALECTS_TTNG_OPS_TD
