// The MLIR type that stands for each number type of the language, for whoever reads or writes tt IR.
//
// MLIR's integers have no sign, so int32 and uint32 are both i32: the way back is not unique. An fp8e4b15 is
// an i8, as no MLIR type has its format.
#ifndef NEREID_COMPILER_DIALECTS_TT_SCALARTYPES_H
#define NEREID_COMPILER_DIALECTS_TT_SCALARTYPES_H

#include "compiler/model/Specialization.h"

#include "mlir/IR/Types.h"

namespace nereid::tt {

mlir::Type getScalarType(ScalarKind kind, mlir::MLIRContext *context);

} // namespace nereid::tt

#endif // NEREID_COMPILER_DIALECTS_TT_SCALARTYPES_H
