// The tt dialect itself and the traits that its operations share. Operations, types and enumerations each have a file
// beside this one. The text of everything here is upstream Triton 3.6's, so that a .ttir file it dumped parses.
#ifndef NEREID_DIALECTS_TT_DIALECT_TD
#define NEREID_DIALECTS_TT_DIALECT_TD

include "mlir/IR/OpBase.td"

def TT_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::nereid::tt";
  let summary = "Programs over tiles of tensors, before layouts are chosen";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::ub::UBDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerTypes();
  }];
}

class TT_OpTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::nereid::tt";
}

// Each tensor that the operation touches has a power of two of elements, and not too many.
def TT_TensorSizeTrait : TT_OpTrait<"TensorSizeTrait">;
// The dialect that owns a tensor's layout accepts it for the tensor and the module around.
def TT_VerifyTensorLayoutsTrait : TT_OpTrait<"VerifyTensorLayoutsTrait">;
// All operands and results are scalars, or all are tensors of one shape and layout.
def TT_SameShapeAndLayout : TT_OpTrait<"SameShapeAndLayoutTrait">;
// As above, with scalars allowed among the tensors.
def TT_SameTensorShapeAndLayout : TT_OpTrait<"SameTensorShapeAndLayoutTrait">;
// All operands have one shape and layout; nothing is said of the results.
def TT_SameOperandShapeAndLayout : TT_OpTrait<"SameOperandShapeAndLayoutTrait">;
// Operands and results have one element type.
def TT_SameElementType : TT_OpTrait<"SameElementTypeTrait">;
// $d = $a * $b + $c.
def TT_DotLike : TT_OpTrait<"DotLike">;

def TT_GlobalMemory : Resource<"::nereid::tt::GlobalMemory">;

class TT_Op<string mnemonic, list<Trait> traits = []>
    : Op<TT_Dialect, mnemonic, !listconcat(traits, [TT_TensorSizeTrait, TT_VerifyTensorLayoutsTrait])>;

#endif // NEREID_DIALECTS_TT_DIALECT_TD
