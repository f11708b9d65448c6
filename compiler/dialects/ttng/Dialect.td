// The ttng dialect: what only NVIDIA's GPUs do, from Hopper on.
#ifndef NEREID_DIALECTS_TTNG_DIALECT_TD
#define NEREID_DIALECTS_TTNG_DIALECT_TD

include "mlir/IR/OpBase.td"

def TTNG_Dialect : Dialect {
  let name = "ttng";
  let cppNamespace = "::nereid::ttng";
  let summary = "Instructions of NVIDIA's Hopper GPUs and later ones";
  let dependentDialects = ["::nereid::ttg::TTGDialect"];
}

#endif // NEREID_DIALECTS_TTNG_DIALECT_TD
