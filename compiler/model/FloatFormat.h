// How LLVM knows the formats of floating point that signatures name.
#ifndef NEREID_COMPILER_MODEL_FLOATFORMAT_H
#define NEREID_COMPILER_MODEL_FLOATFORMAT_H

#include "compiler/model/Specialization.h"

namespace llvm {
struct fltSemantics;
} // namespace llvm

namespace nereid {

/// Null for integers, and for fp8e4b15, which LLVM does not know: a half without its exponent's highest bit
/// and its mantissa's last seven.
const llvm::fltSemantics *getFloatFormat(ScalarKind kind);

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_FLOATFORMAT_H
