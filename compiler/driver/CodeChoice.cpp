// See CodeChoice.h.
#include "compiler/driver/CodeChoice.h"

#include "compiler/dialects/ttg/Dialect.h"
#include "compiler/driver/FactorsInMemory.h"
#include "compiler/driver/Generate.h"
#include "compiler/driver/MLIRDiagnosticBridge.h"
#include "compiler/driver/MoreStages.h"
#include "compiler/driver/MoreWarps.h"
#include "compiler/driver/ResidentBlocks.h"
#include "compiler/driver/SecondForm.h"
#include "compiler/driver/ShorterRings.h"
#include "compiler/driver/SumsInLoops.h"
#include "compiler/targets/StepTimer.h"
#include "compiler/transforms/LastingFactors.h"

#include "mlir/IR/Builders.h"

using namespace llvm;

namespace nereid {

/// Compiles copies of the module until no choice has to be taken back; notes what was in the module and the
/// request. `numKeptStages` stages were kept before the layout passes.
static bool generateWithoutRegret(mlir::ModuleOp module, const KernelInfo &infoBefore, size_t numKeptStages,
                                  CompileRequest &request, CompileResult &result, Diagnostics &diagnostics) {
  while (generate(module.clone(), request, diagnostics, result)) {
    if (result.isChoiceRefuted)
      request.warpSpecialize = false;
    else if (result.losesFactors)
      module->setAttr(module->hasAttr(lastingFactorsInMemoryName) ? factorsInMemoryName
                                                                  : lastingFactorsInMemoryName,
                      mlir::UnitAttr::get(module->getContext()));
    else
      return true;
    result.info = infoBefore;
    result.images.clear();
    result.stages.resize(numKeptStages);
    result.isSpecializedByChoice = result.isChoiceRefuted = result.losesFactors = false;
  }
  return false;
}

bool CodeChoice::compile() {
  return generateWithoutRegret(*module, infoBefore, numKeptStages, chosen, result, diagnostics);
}

/// Compiles the kernel with an attribute on its module; nothing if that fails.
std::optional<CodeChoice::Attempt> CodeChoice::compileWith(StringRef attribute, mlir::Attribute value,
                                                           const char *step, CompileRequest request) {
  Attempt other{module->clone(), std::move(request), CompileResult()};
  Diagnostics unheard(diagnostics);
  MLIRDiagnosticBridge bridge(*module->getContext(), unheard);
  StepTimer timer(result, step);
  (*other.module)->setAttr(attribute, value);
  other.result.info = infoBefore;
  if (!generateWithoutRegret(*other.module, infoBefore, 0, other.request, other.result, unheard) ||
      unheard.hasErrors() || !other.result.info.resources)
    return std::nullopt;
  return other;
}

/// Takes another result for the same kernel.
void CodeChoice::adopt(CompileResult other) {
  result.stages.resize(numKeptStages);
  append_range(result.stages, std::move(other.stages));
  other.stages = std::move(result.stages);
  other.timings = std::move(result.timings);
  other.files = std::move(result.files);
  result = std::move(other);
}

void CodeChoice::take(Attempt attempt) {
  adopt(std::move(attempt.result));
  module = std::move(attempt.module);
  chosen = std::move(attempt.request);
}

/// What was said of more warps than were asked for, which comes first, holds for other code by them as well.
void CodeChoice::keepWarningOfMoreWarps(CompileResult &other) const {
  if (chosen.numWarps != other.info.numWarps && !result.warnings.empty())
    other.warnings.insert(other.warnings.begin(), result.warnings.front());
}

/// Takes what is compiled with an attribute on the module, if it is better. It begins with the request as it
/// was, since what the code so far had to take back may do for the other.
void CodeChoice::tryWith(StringRef attribute, const char *step, IsBetter isBetter) {
  auto other = compileWith(attribute, mlir::UnitAttr::get(module->getContext()), step, asked);
  if (other && isBetter(other->result.info, result.info, asked.target))
    take(std::move(*other));
}

/// Compiles for other numbers of warps than were asked for, and takes the best.
void CodeChoice::tryMoreWarps() {
  CompileRequest request = chosen;
  Diagnostics unheard(diagnostics);
  MLIRDiagnosticBridge bridge(*module->getContext(), unheard);
  StepTimer timer(result, "more warps");
  std::optional<CompileResult> best;
  auto compile = [&](CompileResult &other) {
    other.info = infoBefore;
    return generate(module->clone(), request, unheard, other) && !unheard.hasErrors() && !other.losesFactors;
  };
  while (hasRoomForMoreWarps(request, result.info) && wantsMoreWarps(best ? best->info : result.info)) {
    request.numWarps *= 2;
    CompileResult other;
    if (!compile(other))
      break;
    if (other.isChoiceRefuted) {
      request.warpSpecialize = false;
      other = CompileResult();
      if (!compile(other))
        break;
    }
    if (isBetterWithMoreWarps(other, best ? *best : result, request.target)) {
      best = std::move(other);
      chosen = request;
    }
  }
  timer.stop();
  if (!best)
    return;
  best->warnings.insert(best->warnings.begin(), describeMoreWarps(best->info, result.info, request.target));
  countAsWorkers(best->info, infoBefore.numWarps);
  adopt(std::move(*best));
}

/// Compiles with loads that run ahead where the kernel's num_stages of 1 asks for none, and takes that if it
/// is better.
void CodeChoice::tryMoreStages() {
  CompileRequest request = chosen;
  request.warpSpecialize = false;
  for (unsigned stages : stagesToTry) {
    auto other = compileWith(stagesToTryName, mlir::Builder(module->getContext()).getI32IntegerAttr(stages),
                             "more stages", request);
    if (!other)
      return;
    if (!isBetterWithMoreStages(other->result, result, asked.target))
      continue;
    countAsWorkers(other->result.info, infoBefore.numWarps);
    keepWarningOfMoreWarps(other->result);
    take(std::move(*other));
    return;
  }
}

void CodeChoice::improve() {
  if (mayWantFactorsInMemory(*module, result, asked.target))
    tryWith(lastingFactorsInMemoryName, "factors in memory", isBetterWithFactorsInMemory);
  if (mayWantSumsInLoops(result, asked.target))
    tryWith(ttg::reducesInLoopsName, "sums in loops", isBetterWithSumsInLoops);
  if (mayTakeMoreWarps(*module, chosen))
    tryMoreWarps();
  if (mayTakeMoreStages(*module, asked, result))
    tryMoreStages();
}

/// Compiles the kernel for some grids; nothing if that fails, or if it has too few registers.
std::optional<CompileResult> CodeChoice::compileForm(FormUse use) {
  CompileRequest request = chosen;
  request.form = use;
  // What there is to be said was said of the other form.
  Diagnostics unheard(diagnostics);
  MLIRDiagnosticBridge bridge(*module->getContext(), unheard);
  CompileResult form;
  form.info = infoBefore;
  StepTimer timer(result, use == FormUse::FewPrograms ? "form for few programs" : "form for fewer turns");
  if (!generate(module->clone(), request, unheard, form) || unheard.hasErrors() || form.isChoiceRefuted ||
      form.losesFactors)
    return std::nullopt;
  countAsWorkers(form.info, infoBefore.numWarps);
  return form;
}

/// Takes a form with shorter rings as the first one, and the first one as the form for few programs.
void CodeChoice::lead(CompileResult form) {
  KernelForm longer{FormUse::FewPrograms, result.info, std::move(result.images)};
  keepWarningOfMoreWarps(form);
  adopt(std::move(form));
  erase_if(result.otherForms, [](const KernelForm &other) { return other.use == FormUse::FewPrograms; });
  if (!longer.images.empty())
    result.otherForms.push_back(std::move(longer));
}

void CodeChoice::addForms() {
  const Target &target = asked.target;
  std::optional<CompileResult> shorter;
  if (mayLeadWithShorterRings(result, target))
    shorter = compileForm(FormUse::FewerTurns);
  auto use = findUseOfSecondForm(result, target);
  if (shorter && leadsWithShorterRings(*shorter, result, target)) {
    lead(std::move(*shorter));
  } else if (use) {
    if (auto form = shorter ? std::move(shorter) : compileForm(*use))
      addSecondForm(*use, std::move(*form), target, result);
  } else if (mayHaveFewerTurnsWithFactorsInMemory(*module, result, target)) {
    (*module)->setAttr(lastingFactorsInMemoryName, mlir::UnitAttr::get(module->getContext()));
    // A turn of many more blocks takes longer: adasplash's _get_tau, 1024 programs, 52.8 us by two turns of
    // five, and 58.5 by one of eight.
    unsigned mostBlocks = countBlocks(result.info, target) * 4 / 3;
    if (auto form = compileForm(FormUse::FewerTurns))
      addSecondForm(FormUse::FewerTurns, std::move(*form), target, result, mostBlocks);
  }
}

} // namespace nereid
