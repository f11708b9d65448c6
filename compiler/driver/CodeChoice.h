// The choice among codes of one kernel by what the assembler makes of them.
//
// Some choices cost registers, and how many there are to spare is known when ptxas has dealt them out, not
// before. So a kernel is compiled as is expected to be best. If it then turns out that a choice was wrong it
// is compiled without; and what may be better is compiled, too, and compared:
//
//     a warp of its own for copies, factors that     taken back where ptxas spills for it, or makes
//     stay in registers                              products wait for one another
//     factors in memory on chip                      FactorsInMemory.h
//     sums in loops                                  SumsInLoops.h
//     more warps                                     MoreWarps.h
//     more stages                                    MoreStages.h
//     another form for some grids                    SecondForm.h, ShorterRings.h
//
// Each of them begins with what has been taken so far, in this order. Where ptxas is not asked, nothing is
// known of registers, and only a form that does not depend on them is added.
#ifndef NEREID_COMPILER_DRIVER_CODECHOICE_H
#define NEREID_COMPILER_DRIVER_CODECHOICE_H

#include "compiler/model/CompileRequest.h"
#include "compiler/model/CompileResult.h"
#include "compiler/model/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>

namespace nereid {

/// Compiles a module of the tt dialect, after its passes, into the result that it is given.
class CodeChoice {
public:
  /// What is in `result` so far is of the kernel, whatever its code will be.
  CodeChoice(mlir::OwningOpRef<mlir::ModuleOp> module, const CompileRequest &asked, CompileResult &result,
             Diagnostics &diagnostics)
      : module(std::move(module)), asked(asked), chosen(asked), infoBefore(result.info),
        numKeptStages(result.stages.size()), result(result), diagnostics(diagnostics) {}

  /// The code as it is expected to be best. False after an error.
  bool compile();
  /// Other code in its place, where that is better.
  void improve();
  /// Other forms beside it.
  void addForms();

private:
  /// One code: what it was made of, and how.
  struct Attempt {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    CompileRequest request;
    CompileResult result;
  };

  std::optional<Attempt> compileWith(llvm::StringRef attribute, mlir::Attribute value, const char *step,
                                     CompileRequest request);
  void take(Attempt attempt);
  void adopt(CompileResult other);
  void keepWarningOfMoreWarps(CompileResult &other) const;

  using IsBetter = bool (*)(const KernelInfo &other, const KernelInfo &now, const Target &target);
  void tryWith(llvm::StringRef attribute, const char *step, IsBetter isBetter);
  void tryMoreWarps();
  void tryMoreStages();

  std::optional<CompileResult> compileForm(FormUse use);
  void lead(CompileResult form);

  /// With the attributes and the request that the code taken so far was made by.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  const CompileRequest &asked;
  CompileRequest chosen;
  /// What was known of the kernel before it had code, and how many stages were kept.
  const KernelInfo infoBefore;
  const size_t numKeptStages;
  CompileResult &result;
  Diagnostics &diagnostics;
};

} // namespace nereid

#endif // NEREID_COMPILER_DRIVER_CODECHOICE_H
