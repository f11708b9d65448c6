// Signatures whose first entries are by position and whose others are by name, as in a call of Python:
//
//     *fp16, *fp16, i32, HEAD_DIM=64, CAUSAL=True
//
// Specialization::named is true of them. The names of the entries by position are empty; such an entry stands
// for the parameter of the same place, whatever the others name.
#ifndef NEREID_COMPILER_MODEL_SIGNATUREPOSITIONS_H
#define NEREID_COMPILER_MODEL_SIGNATUREPOSITIONS_H

#include "compiler/model/Specialization.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid {

/// How many entries are given by position: all, the first ones, or none.
inline size_t countByPosition(const Specialization &specialization) {
  return static_cast<size_t>(
      llvm::count_if(specialization.parameters, [](const ParameterSpec &spec) { return spec.name.empty(); }));
}

} // namespace nereid

#endif // NEREID_COMPILER_MODEL_SIGNATUREPOSITIONS_H
