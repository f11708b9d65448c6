// Warp specialization: parts of a block's program that run side by side, each by warps of its own.
#ifndef NEREID_DIALECTS_TTG_WARPSPECIALIZATIONOPS_TD
#define NEREID_DIALECTS_TTG_WARPSPECIALIZATIONOPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "compiler/dialects/ttg/Types.td"

def TTG_WarpSpecializeOp : Op<TTG_Dialect, "warp_specialize", [
    RecursiveMemoryEffects, DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "regions that run at the same time, each by warps of its own";
  let description = [{
    The default region is run by the kernel's own warps, and sees all values around it. Each partition is run by further
    warps that the block is launched with, `partitionNumWarps` many, and sees its arguments only, which are the captures.
    All regions have ended when the operation has.

        ttg.warp_specialize(%ring, %n) attributes {requestedRegisters = array<i32: 24>}
        default {
          …                                    consumes
          ttg.warp_yield
        }
        partition0(%r: !ttg.memdesc<…>, %m: i32) num_warps(4) {
          …                                    copies
          ttg.warp_return
        } : (!ttg.memdesc<…>, i32) -> ()

    `warpGroupStartIds` are the partitions' first warps, counted from the default region's first one; where they are not
    given, larger partitions come first. `requestedRegisters` are how many registers a thread of each partition gets
    (`setmaxnreg` of PTX); the default region's threads get what is left. `actualRegisters` are what the threads of the default
    region and of the partitions have then; the first number, where it is there, bounds what they begin with, so that more
    blocks find room.
  }];
  let arguments = (ins DenseI32ArrayAttr:$partitionNumWarps, OptionalAttr<DenseI32ArrayAttr>:$warpGroupStartIds,
                       OptionalAttr<DenseI32ArrayAttr>:$requestedRegisters,
                       OptionalAttr<DenseI32ArrayAttr>:$actualRegisters);
  let results = (outs Variadic<AnyType>:$defaultResults);
  let regions = (region MinSizedRegion<1>:$defaultRegion, SizedRegion<1>:$holder);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    WarpSpecializePartitionsOp getPartitions();
    /// The partitions' first warps, counted from the default region's first one.
    ::llvm::SmallVector<unsigned> getStartWarps();
    /// How many warps the block has, to the end of the last partition; in whole groups of four where registers are
    /// handed from group to group.
    unsigned getTotalWarps();
  }];
}

def TTG_WarpSpecializePartitionsOp : Op<TTG_Dialect, "warp_specialize.partitions", [
    IsolatedFromAbove, RecursiveMemoryEffects, Terminator, HasParent<"WarpSpecializeOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>]> {
  let summary = "the partitions of a ttg.warp_specialize, whose text is a part of that operation's";
  let arguments = (ins Variadic<AnyType>:$captures);
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$regions);
  let hasVerifier = 1;
}

def TTG_WarpYieldOp : Op<TTG_Dialect, "warp_yield", [
    Pure, Terminator, ReturnLike, HasParent<"WarpSpecializeOp">]> {
  let summary = "end the default region of a ttg.warp_specialize, and pass on its results";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
  let hasVerifier = 1;
}

def TTG_WarpReturnOp : Op<TTG_Dialect, "warp_return", [
    Pure, Terminator, ReturnLike, HasParent<"WarpSpecializePartitionsOp">]> {
  let summary = "end a partition of a ttg.warp_specialize";
  let assemblyFormat = "attr-dict";
}

#endif // NEREID_DIALECTS_TTG_WARPSPECIALIZATIONOPS_TD
