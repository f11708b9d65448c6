// The two types of the tt dialect, and the constraints on operands that its operations use.
#ifndef NEREID_DIALECTS_TT_TYPES_TD
#define NEREID_DIALECTS_TT_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "compiler/dialects/tt/Dialect.td"

class TT_TypeDef<string name, string typeMnemonic> : TypeDef<TT_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def TT_Pointer : TT_TypeDef<"Pointer", "ptr"> {
  let summary = "pointer";
  let description = [{
    `!tt.ptr<f32>` points into global memory, which is address space 1; `!tt.ptr<f32, 3>` names another space.
    `!tt.ptr<tensor<64x32xf16>>` is a block pointer: it stands for a tile of a larger tensor in memory.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType, "int":$addressSpace);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType, CArg<"int", "1">:$addressSpace), [{
      return $_get(pointeeType.getContext(), pointeeType, addressSpace);
    }]>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TT_TensorDesc : TT_TypeDef<"TensorDesc", "tensordesc"> {
  let summary = "tensor descriptor";
  let description = [{
    Base, shape and strides of a tensor in memory, with the type of the tile that is read or written through it.
    The element type of the tile may carry a sign (`ui8`), which a descriptor reduction needs.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let assemblyFormat = "`<` $blockType `>`";
  let builders = [
    TypeBuilder<(ins "::mlir::RankedTensorType":$blockType, "bool":$isSigned), [{
      if (auto integer = ::mlir::dyn_cast<::mlir::IntegerType>(blockType.getElementType())) {
        auto semantics = isSigned ? ::mlir::IntegerType::Signed : ::mlir::IntegerType::Unsigned;
        blockType = blockType.clone(::mlir::IntegerType::get($_ctxt, integer.getWidth(), semantics));
      }
      return $_get($_ctxt, blockType);
    }]>
  ];
  let extraClassDeclaration = [{
    /// The block type with the sign of an integer element dropped: the type of the tensors that are read and written.
    ::mlir::RankedTensorType getSignlessBlockType() const;
  }];
}

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64], "floating-point">;
def TT_FloatTensor : RankedTensorOf<[TT_Float]>;
def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor]>;

def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64, I<128>], "integer">;
def TT_IntTensor : RankedTensorOf<[TT_Int]>;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor]>;

def TT_BoolTensor : RankedTensorOf<[I1]>;
def TT_BoolLike : AnyTypeOf<[I1, TT_BoolTensor]>;
def TT_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>]>;

// A pointer to one element.
def TT_Ptr : Type<And<[CPred<"::mlir::isa<::nereid::tt::PointerType>($_self)">,
                       Neg<CPred<"::nereid::tt::isTensorPointerType($_self)">>]>,
                  "pointer", "::nereid::tt::PointerType">;
def TT_PtrTensor : RankedTensorOf<[TT_Ptr]>;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, TT_PtrTensor]>;
// A block pointer.
def TT_TensorPtr : Type<CPred<"::nereid::tt::isTensorPointerType($_self)">, "block pointer",
                        "::nereid::tt::PointerType">;

def TT_FpIntTensor : RankedTensorOf<[TT_Float, TT_Int]>;
def TT_Tensor : RankedTensorOf<[TT_Float, TT_Int, TT_Ptr]>;
def TT_AnyType : AnyTypeOf<[TT_Float, TT_Int, TT_Ptr, TT_Tensor, TT_TensorPtr]>;

#endif // NEREID_DIALECTS_TT_TYPES_TD
