// The dialects that tt IR is written in: tt itself, and those of MLIR's that Triton 3.6 prints beside it.
#ifndef NEREID_COMPILER_DIALECTS_TT_REGISTRATION_H
#define NEREID_COMPILER_DIALECTS_TT_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace nereid::tt {

/// tt, arith, math, scf, cf and ub; and gpu and llvm, of which dumped text has gpu.barrier and
/// llvm.intr.assume.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace nereid::tt

#endif // NEREID_COMPILER_DIALECTS_TT_REGISTRATION_H
