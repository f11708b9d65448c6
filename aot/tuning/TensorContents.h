// The elements of tensors that `nereid tune` makes.
//
// They are the same whenever they are asked for: a seed, the tensor's name, decides them. Tensors are large,
// and converting each element to fp8 or bf16 slowly costs more than the measurement, so a table of some
// thousand elements is converted once, and the tensor picks from it at random.
#ifndef NEREID_AOT_TUNING_TENSORCONTENTS_H
#define NEREID_AOT_TUNING_TENSORCONTENTS_H

#include "aot/tuning/TuningCases.h"
#include "compiler/model/Specialization.h"

#include "llvm/ADT/ArrayRef.h"

namespace nereid {

/// The bytes of an element; a bool takes one.
unsigned getElementBytes(ScalarKind kind);

/// Fills `bytes`, which has whole elements.
void fillTensor(llvm::MutableArrayRef<char> bytes, ScalarKind element, const TensorContents &contents,
                llvm::StringRef name);

/// One element; what an integer type does not hold is cut off.
void writeElement(char *bytes, ScalarKind element, double number);

/// Fills `bytes` with what no kernel writes often: NaN, where the type has it.
void poisonTensor(llvm::MutableArrayRef<char> bytes, ScalarKind element);

/// True if all elements are NaN, and there are some.
bool isAllNaN(llvm::ArrayRef<char> bytes, ScalarKind element);

/// An element as a number, for comparisons.
double readElement(const char *bytes, ScalarKind element);

/// The largest difference of two tensors' elements, relative to the largest element of `expected` that is
/// finite; 0 where both are NaN or the same infinity, infinite where only one is.
double compareTensors(llvm::ArrayRef<char> actual, llvm::ArrayRef<char> expected, ScalarKind element);

/// What results of that type may differ by if they are right: two roundings of 8 bits, four of 16; of 32 or
/// 64 bits more, as sums are taken in another order. 0 for integers.
double getTolerance(ScalarKind element);

} // namespace nereid

#endif // NEREID_AOT_TUNING_TENSORCONTENTS_H
