// Text of one kernel as LLVM writes PTX: an instruction or a label a line, in which registers of virtual
// number are mostly written once. Lines that are not understood, as those of assembly in braces, are taken to
// write all registers in them.
#ifndef NEREID_COMPILER_TARGETS_NVIDIA_PTXLINES_H
#define NEREID_COMPILER_TARGETS_NVIDIA_PTXLINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>

namespace nereid {

/// `@%p1 add.s32 %r1, %r2, 3;`
struct PtxLine {
  llvm::StringRef predicate, operation;
  llvm::SmallVector<llvm::StringRef, 4> operands; // with vectors and addresses in one piece
};

/// What computes a register.
struct PtxDefinition {
  size_t line = 0;
  PtxLine parsed;
  unsigned count = 0; // of lines that write it
};

/// Where every register gets its value, and where loops are. Refers to the text that it was made of.
class PtxLines {
public:
  explicit PtxLines(llvm::StringRef ptx);

  llvm::ArrayRef<llvm::StringRef> getLines() const { return lines; }
  /// First and last line of each loop, by their last lines.
  llvm::ArrayRef<std::pair<size_t, size_t>> getLoops() const { return loops; }
  /// By a single line, which is one of parsePtxLine's without a predicate; null if there is no such line.
  /// What it gives is the same wherever it can be read.
  const PtxDefinition *findOnly(llvm::StringRef name) const;
  /// Whether the operand is no register that another line than one before this one may write.
  bool isFixed(llvm::StringRef operand, size_t before) const;

private:
  void findLoops();
  void addDefinitions(size_t line);

  llvm::SmallVector<llvm::StringRef, 0> lines;
  llvm::SmallVector<std::pair<size_t, size_t>> loops;
  llvm::StringMap<PtxDefinition> definitions;
};

llvm::StringRef withoutPtxComment(llvm::StringRef line);

/// An instruction that is alone in its line; nothing if it is no such line.
std::optional<PtxLine> parsePtxLine(llvm::StringRef line);

/// Registers in a text, as `%rd12`. Special ones, as `%tid.x`, have no number.
void forEachPtxRegister(llvm::StringRef text, llvm::function_ref<void(llvm::StringRef)> visit);

/// The line with other names of registers: those that `rename` gives, which are asked for in their order.
std::string renamePtxRegisters(llvm::StringRef line, llvm::function_ref<std::string(llvm::StringRef)> rename);

} // namespace nereid

#endif // NEREID_COMPILER_TARGETS_NVIDIA_PTXLINES_H
