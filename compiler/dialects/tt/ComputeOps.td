// Operations over whole tensors: matrix products, and reductions, scans and maps with a combining region.
#ifndef NEREID_DIALECTS_TT_COMPUTEOPS_TD
#define NEREID_DIALECTS_TT_COMPUTEOPS_TD

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "compiler/dialects/tt/Enums.td"
include "compiler/dialects/tt/Types.td"

def TT_DotOp : TT_Op<"dot", [Pure, TT_DotLike, InferTypeOpAdaptor,
    TypesMatchWith<"the accumulator has the result's type", "d", "c", "$_self">]> {
  let summary = "d = a * b + c, of matrices or batches of matrices";
  let description = [{
    `inputPrecision` says how f32 operands are read: as tf32, split into three tf32 or bf16 products, or in full.
    `maxNumImpreciseAcc` is how many 8-bit products may be added up in reduced precision.
  }];
  let arguments = (ins TT_FpIntTensor:$a, TT_FpIntTensor:$b, TT_FpIntTensor:$c,
                       DefaultValuedAttr<TT_InputPrecision, "::nereid::tt::InputPrecision::IEEE">:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TT_FpIntTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:` type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TT_DotScaledOp : TT_Op<"dot_scaled", [Pure, TT_DotLike, AttrSizedOperandSegments,
    TypesMatchWith<"the accumulator has the result's type", "d", "c", "$_self">]> {
  let summary = "d = (a scaled) * (b scaled) + c, for microscaled formats";
  let description = [{
    Each run of 32 elements along the reduced axis shares one scale, an exponent of 8 bits. `lhs_k_pack` and
    `rhs_k_pack` say whether 4-bit elements are packed in pairs along the reduced axis.
  }];
  let arguments = (ins RankedTensorOf<[TT_Float, I8]>:$a, RankedTensorOf<[TT_Float, I8]>:$b, TT_FloatTensor:$c,
                       Optional<RankedTensorOf<[I8, F8E4M3FN]>>:$a_scale,
                       Optional<RankedTensorOf<[I8, F8E4M3FN]>>:$b_scale, TT_ScaleDotElemType:$a_elem_type,
                       TT_ScaleDotElemType:$b_elem_type, BoolAttr:$fastMath,
                       DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
                       DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_FloatTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict
    `:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
  let hasVerifier = 1;
}

def TT_ReduceOp : TT_Op<"reduce", [Pure, TT_SameOperandShapeAndLayout, SingleBlock,
    InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "combine the elements along an axis";
  let description = [{
    The region takes two elements of every source, first those of the left and then those of the right, and returns them
    combined. It is taken to be associative; how elements are paired is not said.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<TT_AnyType>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::RankedTensorType> getInputTypes();
    ::llvm::SmallVector<::mlir::Type> getElementTypes();
    unsigned getNumOperands() { return (*this)->getNumOperands(); }
    /// The operation that the region consists of, or null when it is more than one.
    ::mlir::Operation *getSingleCombiner();
  }];
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ReduceReturnOp : TT_Op<"reduce.return", [Pure, HasParent<"ReduceOp">, ReturnLike, Terminator]> {
  let summary = "what a reduction's region gives";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_ScanOp : TT_Op<"scan", [Pure, TT_SameShapeAndLayout, SingleBlock, InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "combine the elements along an axis, keeping each step";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::RankedTensorType> getInputTypes();
    ::llvm::SmallVector<::mlir::Type> getElementTypes();
    unsigned getNumOperands() { return (*this)->getNumOperands(); }
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ScanReturnOp : TT_Op<"scan.return", [Pure, HasParent<"ScanOp">, ReturnLike, Terminator]> {
  let summary = "what a scan's region gives";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [TT_SameShapeAndLayout, RecursiveMemoryEffects]> {
  let summary = "run a region of scalar code for each element";
  let description = [{
    The region may branch. It sees `pack` elements of each source at a time, all of the first source's before those of
    the next, and returns results in the same order.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region AnyRegion:$scalarOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_MapElementwiseReturnOp : TT_Op<"map_elementwise.return",
    [Pure, HasParent<"MapElementwiseOp">, ReturnLike, Terminator]> {
  let summary = "what a map's region gives";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

#endif // NEREID_DIALECTS_TT_COMPUTEOPS_TD
