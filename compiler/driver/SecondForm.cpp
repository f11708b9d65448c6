// See SecondForm.h.
#include "compiler/driver/SecondForm.h"

#include "compiler/driver/ResidentBlocks.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid {

bool hasFormForTurns(const CompileResult &result) {
  return llvm::any_of(result.otherForms,
                      [](const KernelForm &form) { return form.use == FormUse::FewerTurns; });
}

std::optional<FormUse> findUseOfSecondForm(const CompileResult &result, const Target &target) {
  const KernelInfo &info = result.info;
  if (result.images.empty())
    return std::nullopt;
  if (result.savesMemoryForOthers)
    return FormUse::FewPrograms;
  if (!result.mayLeaveMoreToOthers || !info.resources || info.numCTAs > 1 || hasFormForTurns(result))
    return std::nullopt;
  constexpr unsigned manyBlocks = 8;
  BlockNeeds needs{info.countWarps(), info.resources->registers, info.sharedBytes};
  unsigned blocks = countResidentBlocks(needs, target);
  needs.sharedBytes = 0;
  if (blocks >= manyBlocks || countResidentBlocks(needs, target) == blocks)
    return std::nullopt;
  return FormUse::FewerTurns;
}

void addSecondForm(FormUse use, CompileResult form, const Target &target, CompileResult &result,
                   unsigned mostBlocks) {
  auto countSpilled = [](const KernelInfo &info) {
    return info.resources ? info.resources->spilledBytes : 0;
  };
  unsigned blocks = countBlocks(form.info, target), others = countBlocks(result.info, target);
  if ((use == FormUse::FewPrograms ? blocks < others : blocks > others) && blocks <= mostBlocks &&
      countSpilled(form.info) <= countSpilled(result.info)) {
    form.info.hasUnevenPrograms = result.info.hasUnevenPrograms;
    result.otherForms.push_back({use, std::move(form.info), std::move(form.images)});
  }
}

} // namespace nereid
