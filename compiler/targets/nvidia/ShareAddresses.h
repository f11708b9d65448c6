// A thread that loads 16 rows of a tile has 16 addresses, which are computed one by one and take two
// registers each, for every array. Mostly they differ by constants only, as rows are a power of two or
// another number known at compile time apart, but the constant is deep inside, where the row is counted:
//
//     %row = or disjoint i64 %first, 12                 %start = getelementptr float, ptr %p, (%first << 11)
//     %at = shl nuw nsw i64 %row, 11             →      %address = getelementptr i8, ptr %start, 98304
//     %address = getelementptr float, ptr %p, %at
//
// The constant is a part of the machine's instructions for loads and stores, up to 8 MB in each direction, so
// all that stays in registers is the start, which the rows share. LLVM's own pass for that,
// SeparateConstOffsetFromGEP, looks through sums, but not through products.
//
// Where the distance of rows is a number of 64 bits that is known only when the kernel runs, the addresses of
// a tile that is stored are computed one from the other, each right before its use:
//
//     %at = mul i64 %stride, (%first | 12)         →    %address = getelementptr i8, ptr %before, %step
//     %address = getelementptr float, ptr %p, %at
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_SHAREADDRESSES_H
#define NEREID_COMPILER_TARGETS_NVIDIA_SHAREADDRESSES_H

namespace llvm {
class Module;
} // namespace llvm

namespace nereid {

/// Moves constants, and multiples of strides, out of the addresses of global memory where several addresses
/// of a function then begin at the same place.
void shareAddresses(llvm::Module &module);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_SHAREADDRESSES_H
