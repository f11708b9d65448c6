// The ttg dialect: tt's programs once every tensor has a layout over the registers, lanes and warps of a GPU.
#ifndef NEREID_DIALECTS_TTG_DIALECT_TD
#define NEREID_DIALECTS_TTG_DIALECT_TD

include "mlir/IR/OpBase.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::nereid::ttg";
  let summary = "Tensors with layouts, and shared memory";
  let dependentDialects = ["::nereid::tt::TTDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // NEREID_DIALECTS_TTG_DIALECT_TD
