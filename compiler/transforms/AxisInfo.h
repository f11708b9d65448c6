// What is known of the integers and pointers that kernels compute with: where they run consecutively, where
// they repeat, and what divides them. This decides how wide a memory access may be, on GPUs and on CPUs
// alike.
//
// For each dimension d of a tensor, with indices grouped in aligned runs along d, all else held fixed:
//
//   contiguity[d]    runs of this length hold x, x+1, x+2, … (for pointers: of consecutive elements)
//   constancy[d]     runs of this length hold one value
//   divisibility[d]  divides the value at the start of every run of contiguity[d] (for pointers: the
//                    address in bytes), whatever the other indices are
//
// All three are powers of two. For offs = pid * 1024 + arange(0, 1024): contiguity [1024], constancy [1],
// divisibility [1024]; for x_ptr + offs, with 16-byte aligned x_ptr to f32, contiguity [1024], divisibility
// [16]: vectors of four elements may be loaded. For offs < n with n divisible by 16: constancy [16], so one
// comparison decides over a vector.
//
// A scalar is treated as a tensor with one dimension of size 1. Values that the analysis never saw, and
// floating-point numbers, have no contiguity and divisibility 1. Like upstream, the analysis takes it that
// 32-bit index arithmetic does not wrap around.
//
// The analysis is one walk in program order. Loop-carried values start with what is known of their initial
// value and are walked again until nothing changes; knowledge only ever shrinks, so that ends. It holds for
// the IR as it was when the analysis was made: values made later are unknown.
#ifndef NEREID_COMPILER_TRANSFORMS_AXISINFO_H
#define NEREID_COMPILER_TRANSFORMS_AXISINFO_H

#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace mlir {
class Block;
class Operation;
class Region;
} // namespace mlir

namespace nereid {

/// The attribute of a function's argument by which the kernel itself promises a divisibility (tl.assume). It
/// is no part of the signature, as `tt.divisibility` is.
constexpr llvm::StringLiteral promisedDivisibilityName = "nereid.promised_divisibility";

struct AxisInfo {
  using Dims = llvm::SmallVector<int64_t, 4>;

  Dims contiguity, divisibility, constancy;
  /// For integers: the value, if it is one and known.
  std::optional<int64_t> constant;
  /// For integers: known not to be negative.
  bool nonNegative = false;
  /// By how much the value grows from one index of a run to the next: 1, or the bytes that a pointer's
  /// element takes.
  int64_t unit = 1;

  /// The divisibility that stands for "divisible by anything": that of 0.
  static constexpr int64_t maxDivisibility = int64_t(1) << 40;

  unsigned getRank() const { return contiguity.size(); }
  /// What divides the value at the start of every run of `run` indices along d.
  int64_t getDivisibilityOfRuns(unsigned d, int64_t run) const;
  /// What divides every value.
  int64_t getDivisibilityOfAll() const;

  static AxisInfo unknown(unsigned rank);
  static AxisInfo unknown(mlir::Value value);
  /// What holds for both.
  static AxisInfo join(const AxisInfo &a, const AxisInfo &b);

  friend bool operator==(const AxisInfo &a, const AxisInfo &b) {
    return a.contiguity == b.contiguity && a.divisibility == b.divisibility && a.constancy == b.constancy &&
           a.constant == b.constant && a.nonNegative == b.nonNegative;
  }
  friend bool operator!=(const AxisInfo &a, const AxisInfo &b) { return !(a == b); }
};

class AxisInfoAnalysis {
public:
  /// Analyzes a function, or every function of a module. Function arguments get what their attributes promise
  /// (`tt.divisibility`, `tt.contiguity`, `tt.constancy`; promisedDivisibilityName).
  explicit AxisInfoAnalysis(mlir::Operation *root);

  AxisInfo get(mlir::Value value) const;

  /// For a pointer or tensor of pointers: how many elements along d, from any multiple of that number on, lie
  /// consecutively in memory and begin at an address that is a multiple of their size together. Never above
  /// 2^20.
  int64_t getContiguousElements(mlir::Value pointer, unsigned d) const;
  /// The alignment in bytes of every address at a multiple of `run` along d.
  int64_t getAlignment(mlir::Value pointer, unsigned d, int64_t run) const;
  /// For a mask: how many elements along d, from any multiple of that number on, are on or off together.
  int64_t getMaskRun(mlir::Value mask, unsigned d) const;

private:
  void visit(mlir::Region &region);
  void visit(mlir::Operation *op);
  void visitFor(mlir::Operation *op);
  void visitWhile(mlir::Operation *op);
  void visitBranches(mlir::Operation *op);
  /// Gives the value this information, or less if it has some already and `merge` is set. True if it changed.
  bool set(mlir::Value value, AxisInfo info, bool merge = false);

  llvm::DenseMap<mlir::Value, AxisInfo> infos;
};

/// What an operation of the arith, math, tt or ttg dialects without regions gives for its only result; what
/// is known of operand i is operands[i].
AxisInfo inferAxisInfo(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands);

} // namespace nereid

#endif // NEREID_COMPILER_TRANSFORMS_AXISINFO_H
